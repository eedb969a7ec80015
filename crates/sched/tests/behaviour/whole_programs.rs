//! Programs of any length, without a harness, under one seed.

use crate::support::built;
use omnilink_sched::build::RustBuild;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/components/whole.rs");
        built("whole", |program| RustBuild::build_file(&source, program, &[]))
    })
}

fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    Command::new(program())
        .args(arguments)
        .envs(environment.iter().copied())
        .output()
        .expect("it can be started")
}

fn order(environment: &[(&str, &str)]) -> String {
    let output = run(&[], environment);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("it prints text")
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let first = order(&[("OMNILINK_SEED", "7")]);
    assert_eq!(first.split_whitespace().count(), 200);
    for _ in 0..3 {
        assert_eq!(order(&[("OMNILINK_SEED", "7")]), first);
    }
    assert_ne!(order(&[("OMNILINK_SEED", "8")]), first);
}

#[test]
fn a_program_under_a_seed_is_at_the_same_addresses_in_every_run() {
    if !addresses_can_be_fixed() {
        return;
    }
    let places = || run(&["addresses"], &[("OMNILINK_SEED", "7")]).stdout;
    assert_eq!(places(), places());
}

/// False where a container forbids it.
fn addresses_can_be_fixed() -> bool {
    const ASK: libc::c_ulong = 0xffff_ffff;
    let fixed = libc::ADDR_NO_RANDOMIZE as libc::c_ulong;
    let mut command = Command::new("true");
    // SAFETY: reads and sets a property of the new process.
    unsafe {
        command.pre_exec(
            move || match libc::personality(libc::personality(ASK) as libc::c_ulong | fixed) {
                -1 => Err(std::io::Error::last_os_error()),
                _ => Ok(()),
            },
        )
    };
    command.status().is_ok()
}

/// Enough runs to show a decision that depends on one address in 64.
#[test]
fn the_same_seed_gives_the_same_run_at_any_address() {
    const RUNS: usize = 250;
    let at_some_address = || {
        let mut command = Command::new(program());
        command.env("OMNILINK_SEED", "7");
        // SAFETY: makes two system calls, and nothing else, in the new process.
        unsafe { command.pre_exec(forbid_personality) };
        command.output().expect("it can be started").stdout
    };
    let first = order(&[("OMNILINK_SEED", "7")]);
    for _ in 0..RUNS {
        assert_eq!(String::from_utf8_lossy(&at_some_address()), first);
    }
}

/// Makes `personality` fail, as containers do.
fn forbid_personality() -> std::io::Result<()> {
    const LOAD_NUMBER: libc::sock_filter = step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0);
    const fn step(code: u32, yes: u8, no: u8, k: u32) -> libc::sock_filter {
        libc::sock_filter {
            code: code as u16,
            jt: yes,
            jf: no,
            k,
        }
    }
    let mut filter = [
        LOAD_NUMBER,
        step(
            libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
            0,
            1,
            libc::SYS_personality as u32,
        ),
        step(
            libc::BPF_RET | libc::BPF_K,
            0,
            0,
            libc::SECCOMP_RET_ERRNO | libc::EPERM as u32,
        ),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: the program is four steps long and lives during the call.
    let refused = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER,
                &raw const program,
            ) != 0
    };
    if refused {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(())
    }
}

#[test]
fn priorities_switch_rarely_and_repeat_too() {
    let priorities = [
        ("OMNILINK_SEED", "7"),
        ("OMNILINK_CHANGES", "3"),
        ("OMNILINK_STEPS", "2000"),
    ];
    let first = order(&priorities);
    assert_eq!(order(&priorities), first);
    let switches = |order: &str| {
        let threads: Vec<&str> = order
            .split_whitespace()
            .filter_map(|word| word.split(':').next())
            .collect();
        threads.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    assert!(switches(&first) < switches(&order(&[("OMNILINK_SEED", "7")])));
}

#[test]
fn a_deadlock_of_a_whole_program_is_reported() {
    let found = (0..20).find_map(|seed| {
        let output = run(&["deadlock"], &[("OMNILINK_SEED", &seed.to_string())]);
        (!output.status.success()).then_some(output)
    });
    let output = found.expect("one of twenty seeds meets it");
    assert_eq!(output.status.code(), Some(86));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "omnilink: deadlock: every thread waits\n"
    );
}

fn printed(argument: &str, environment: &[(&str, &str)]) -> String {
    let output = run(&[argument], environment);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn a_hundred_threads_run_at_a_time() {
    let priorities = [("OMNILINK_SEED", "3"), ("OMNILINK_CHANGES", "2")];
    assert_eq!(printed("many", &priorities), "100");
    assert_eq!(printed("many", &[("OMNILINK_SEED", "3")]), "100");
}

#[test]
fn a_thread_that_sleeps_in_the_background_does_not_drag_the_clock_along() {
    for seed in ["1", "2", "3", "4", "5"] {
        let printed = printed("background", &[("OMNILINK_SEED", seed)]);
        let numbers: Vec<u64> = printed.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [before, wakes, after] = numbers[..] else {
            panic!("{printed}")
        };
        assert_eq!((before, wakes), (0, 0), "10,000 steps are 10 ms");
        assert!(
            (60..70).contains(&after),
            "if all sleep, time passes at once: {after}"
        );
    }
}

#[test]
fn slow_steps_let_time_limits_expire() {
    let comes_in_time = |step_ns| {
        printed(
            "time-out",
            &[("OMNILINK_SEED", "1"), ("OMNILINK_STEP_NS", step_ns)],
        )
    };
    assert_eq!(comes_in_time("1000"), "true");
    assert_eq!(comes_in_time("1000000"), "false", "2000 steps are two seconds");
}

#[test]
fn without_a_seed_a_program_runs_normally() {
    assert_eq!(order(&[]).split_whitespace().count(), 200);
}
