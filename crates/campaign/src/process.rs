//! One process of a harness, from its start to its end.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::output_tail::OutputTail;
use crate::processors::PinnedProcessors;
use crate::stacks::stacks_of;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnding {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It was ended because it took longer than this.
    Hung(Duration),
    /// It was ended because the campaign was.
    Stopped,
}

impl fmt::Display for ProcessEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Hung(limit) => write!(f, "hung after {} s", limit.as_secs_f64()),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

/// A command to be started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HarnessCommand<'a> {
    pub(crate) program: &'a OsStr,
    pub(crate) arguments: &'a [OsString],
    pub(crate) directory: &'a Path,
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
    pub(crate) time_limit: Duration,
    pub(crate) processors: Option<PinnedProcessors>,
}

/// What a process left behind.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) ending: ProcessEnding,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Where its threads were, if it hung.
    pub(crate) stacks: Option<String>,
}

impl HarnessCommand<'_> {
    /// Runs the process to its end, or to its time limit, or until `is_stopped`. Whatever it has started ends with it.
    pub(crate) fn run(&self, is_stopped: &dyn Fn() -> bool) -> io::Result<Ended> {
        let mut command = Command::new(self.program);
        #[cfg(target_os = "linux")]
        if let Some(processors) = self.processors {
            let set = processors.set()?;
            // SAFETY: makes one system call in the new process, on a value that was prepared before.
            unsafe { command.pre_exec(move || crate::processors::bind(&set)) };
        }
        let mut child = command
            .args(self.arguments)
            .current_dir(self.directory)
            .envs(self.environment)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: Ctrl-C at the terminal is the campaign's, and children are killed with it.
            .process_group(0)
            .spawn()?;
        without_core_dumps(child.id());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let has_ended = AtomicBool::new(false);
        let has_ended = &has_ended;
        std::thread::scope(|scope| {
            let read = |stream| OutputTail::of(stream, has_ended);
            let stdout = scope.spawn(move || stdout.map(|stream| read(stream.into())).unwrap_or_default());
            let stderr = scope.spawn(move || stderr.map(|stream| read(stream.into())).unwrap_or_default());
            let waited = self.wait(&mut child, is_stopped);
            kill_group(child.id());
            // What has left the group, such as a server that runs in the background, may hold the pipes open for good.
            has_ended.store(true, Ordering::Relaxed);
            let (ending, stacks) = waited?;
            Ok(Ended {
                ending,
                // A reader only fails by a panic, of which there is none.
                stdout: stdout.join().unwrap_or_default().into_bytes(),
                stderr: stderr.join().unwrap_or_default().into_bytes(),
                stacks,
            })
        })
    }

    fn wait(
        &self,
        child: &mut Child,
        is_stopped: &dyn Fn() -> bool,
    ) -> io::Result<(ProcessEnding, Option<String>)> {
        let started = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok((ending_of(status), None));
            }
            let is_hung = started.elapsed() >= self.time_limit;
            if is_hung || is_stopped() {
                let stacks = is_hung.then(|| stacks_of(child.id()));
                kill_group(child.id());
                child.wait()?;
                let ending = if is_hung {
                    ProcessEnding::Hung(self.time_limit)
                } else {
                    ProcessEnding::Stopped
                };
                return Ok((ending, stacks));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }
}

fn ending_of(status: ExitStatus) -> ProcessEnding {
    match (status.code(), status.signal()) {
        (Some(code), _) => ProcessEnding::Exit(code),
        (None, signal) => ProcessEnding::Signal(signal.unwrap_or_default()),
    }
}

/// Kills a process group: what the harness has started ends with it.
fn kill_group(leader: u32) {
    let Ok(group) = libc::pid_t::try_from(leader) else {
        return;
    };
    // SAFETY: sends a signal; the group is one that this process has made, and its leader's number is not used again
    // before it is waited for or while a member of the group lives.
    unsafe {
        libc::kill(-group, libc::SIGKILL);
    }
}

/// A campaign that crashes a program a thousand times must not fill the disk.
fn without_core_dumps(pid: u32) {
    #[cfg(target_os = "linux")]
    if let Ok(pid) = libc::pid_t::try_from(pid) {
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the limits are a valid structure of our own, and nothing is to be returned.
        unsafe {
            libc::prlimit(pid, libc::RLIMIT_CORE, &raw const none, std::ptr::null_mut());
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pid;
}
