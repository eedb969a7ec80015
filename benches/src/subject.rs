//! A process that runs one tool on one case, measured from outside.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a run took.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What the tool answered; `None` if it was stopped.
    pub verdict: Option<String>,
    /// The time of the check, as the process tells it; CPU time of the whole process if it was stopped.
    pub seconds: f64,
    /// Peak resident memory.
    pub peak_mb: f64,
}

/// Runs this program again with `args`, for at most `cpu_limit` of CPU time and `memory_limit_mb` of memory.
///
/// # Panics
/// If the process cannot be started: there is no benchmark then.
pub fn run(args: &[&str], cpu_limit: Duration, memory_limit_mb: u64) -> Measured {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::null());
    let seconds = cpu_limit.as_secs();
    // SAFETY: setrlimit is async-signal-safe and touches nothing but the new process's limits.
    unsafe {
        command.pre_exec(move || {
            let cpu = libc::rlimit {
                rlim_cur: seconds,
                rlim_max: seconds + 1,
            };
            libc::setrlimit(libc::RLIMIT_CPU, &raw const cpu);
            let bytes = memory_limit_mb << 20;
            let memory = libc::rlimit {
                rlim_cur: bytes,
                rlim_max: bytes,
            };
            libc::setrlimit(libc::RLIMIT_AS, &raw const memory);
            Ok(())
        });
    }
    #[expect(
        clippy::zombie_processes,
        reason = "wait4 below waits for it, and measures it"
    )]
    let mut child = command.spawn().expect("the program can be started again");
    let mut answer = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        let _ = stdout.read_to_string(&mut answer);
    }
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    let mut status = 0;
    // SAFETY: the process is our child and has not been waited for; both pointers are to live locals.
    let usage = unsafe {
        libc::wait4(child.id() as libc::pid_t, &raw mut status, 0, usage.as_mut_ptr());
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let mut words = answer.split_whitespace();
    let verdict = words.next().filter(|_| status == 0);
    let mut told = || words.next().and_then(|word| word.parse().ok());
    Measured {
        verdict: verdict.map(str::to_owned),
        seconds: told().unwrap_or(seconds(usage.ru_utime) + seconds(usage.ru_stime)),
        peak_mb: told().unwrap_or(usage.ru_maxrss as f64 / 1024.0),
    }
}

/// The peak of this process alone. What its parent reads at its end includes the parent's own memory, which the process
/// shared before it became this program.
pub fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}
