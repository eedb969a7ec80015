//! Programs of any length, without a harness, under one seed.

use crate::support::built;
use omnilink_sched::build::RustBuild;
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
fn a_deadlock_of_a_whole_program_is_said() {
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

#[test]
fn without_a_seed_a_program_runs_as_ever() {
    assert_eq!(order(&[]).split_whitespace().count(), 200);
}
