//! The process of one call: started, watched, and ended.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::call::{Call, SCRATCH};
use crate::server::Settings;

/// The most bytes that a command may print: evidence of this size is of no use to anyone.
const OUTPUT_MAX: u64 = 64 << 20;
/// A command that has limits ends by itself when they are reached, and then writes its answer.
const GRACE: Duration = Duration::from_secs(5);
/// A component is built before it is run.
const BUILD_TIME: Duration = Duration::from_secs(300);
/// Processes that the command started may hold its output for this long after it ended.
const LAST_OUTPUT: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// Looking at the memory of a process costs more than looking whether it has ended.
const LOOKS_PER_MEASUREMENT: u32 = 10;

/// How the process ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By itself.
    Finished {
        /// Its exit code; none if a signal ended it.
        code: Option<i32>,
        output: String,
        messages: String,
    },
    /// The client does not want the answer any more.
    Cancelled,
    /// It did not end in time.
    OutOfTime,
    /// It held too much memory.
    OutOfMemory,
    /// It printed too much.
    TooLong,
}

/// Runs a call. `looked` is told from time to time how long it has been running, and how much memory it holds.
pub(crate) fn run(
    call: &Call,
    settings: &Settings,
    scratch: &Path,
    cancelled: &AtomicBool,
    looked: &mut dyn FnMut(Duration, Option<u64>),
) -> io::Result<Ended> {
    let mut process = Process(start(call, settings, scratch)?);
    let started = Instant::now();
    // Commands that explore have a time limit of their own, after which they still tell what they have found.
    let patience = call.limits.time + GRACE + if call.executes { BUILD_TIME } else { Duration::ZERO };
    let memory_max = call.limits.memory.saturating_add(call.limits.memory / 4);
    let output = Output::of(process.0.stdout.take());
    let messages = Output::of(process.0.stderr.take());
    let mut looks: u32 = 0;
    loop {
        if let Some(status) = process.0.try_wait()? {
            let (output, messages) = (output.all(), messages.all());
            return Ok(match (output, messages) {
                (Some(output), Some(messages)) => Ended::Finished {
                    code: status.code(),
                    output,
                    messages,
                },
                _ => Ended::TooLong,
            });
        }
        if cancelled.load(Ordering::Relaxed) {
            return Ok(Ended::Cancelled);
        }
        if started.elapsed() > patience {
            return Ok(Ended::OutOfTime);
        }
        if looks.is_multiple_of(LOOKS_PER_MEASUREMENT) {
            let memory = resident_bytes(process.0.id());
            if memory.is_some_and(|bytes| bytes > memory_max) {
                return Ok(Ended::OutOfMemory);
            }
            looked(started.elapsed(), memory);
        }
        looks = looks.wrapping_add(1);
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

fn start(call: &Call, settings: &Settings, scratch: &Path) -> io::Result<Child> {
    let scratch_text = scratch.display().to_string();
    let mut command = Command::new(&settings.program);
    command.args(&settings.arguments).arg("mcp-call");
    let flag = |name: &str, path: &Path| {
        let mut word = OsString::from(name);
        word.push(path);
        word
    };
    command.arg(flag("--leftover=", scratch));
    if !call.executes && !settings.unconfined {
        command.arg(flag("--scratch=", scratch));
        command.args(
            settings
                .folders
                .all()
                .iter()
                .map(|folder| flag("--folder=", folder)),
        );
        if settings.may_write {
            command.arg("--write");
        }
    }
    command.arg("--");
    command.args(call.words.iter().map(|word| word.replace(SCRATCH, &scratch_text)));
    if !call.executes {
        // A specification can read environment variables, and they hold secrets.
        command.env_clear();
    }
    command.env("TMPDIR", scratch).env("NO_COLOR", "1");
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
        .current_dir(settings.folders.first())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// A process that does not outlive its call.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        if self.0.try_wait().is_ok_and(|status| status.is_some()) {
            return;
        }
        #[cfg(unix)]
        if let Ok(group) = i32::try_from(self.0.id()) {
            // SAFETY: it sends a signal to the group that was made for this child, which nobody has waited for yet, so that no other
            // process has this number.
            unsafe {
                libc::kill(-group, libc::SIGKILL);
            }
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a process writes, read on a thread of its own.
struct Output(Receiver<Vec<u8>>);

impl Output {
    fn of(from: Option<impl Read + Send + 'static>) -> Self {
        let (send, read) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(from) = from {
                // What cannot be read is missing from an answer, which then says that it cannot be understood. A process that writes
                // more than is read finds the pipe closed.
                let _ = from.take(OUTPUT_MAX + 1).read_to_end(&mut bytes);
            }
            let _ = send.send(bytes);
        });
        Self(read)
    }

    /// All that was written, unless it is too much.
    fn all(&self) -> Option<String> {
        let bytes = self.0.recv_timeout(LAST_OUTPUT).unwrap_or_default();
        (bytes.len() as u64 <= OUTPUT_MAX).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The memory of a process, without pages of files; none where the system has no file that tells.
fn resident_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::call::Prints;
    use crate::folders::Folders;
    use crate::limits::{Limits, Most};

    /// Runs a script in the place of the command. The shell gets it as an argument: a file that was just written cannot be executed while
    /// another thread starts a process, because the new process has the file open for writing until it executes its own program.
    fn run_script(script: &str) -> Ended {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = Limits {
            time: Duration::from_millis(100),
            memory: 1_000_000_000,
        };
        let settings = Settings {
            folders: Folders::new(&[folder.path().to_owned()]).expect("it is a folder"),
            may_write: false,
            may_execute: false,
            unconfined: true,
            most: Most {
                time: limits.time,
                memory: limits.memory,
            },
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            is_stopped: || false,
        };
        let call = Call {
            words: Vec::new(),
            prints: Prints::Text,
            executes: false,
            limits,
            file: None,
            evidence_max: 0,
        };
        let never = AtomicBool::new(false);
        run(&call, &settings, folder.path(), &never, &mut |_, _| {}).expect("the script starts")
    }

    #[test]
    fn a_process_that_panics_says_so() {
        let ended = run_script("echo \"thread 'main' panicked\" >&2; exit 101");
        assert!(
            matches!(&ended, Ended::Finished { code: Some(101), messages, .. } if messages.contains("panicked")),
            "{ended:?}"
        );
        let ended = run_script("kill -SEGV $$");
        assert!(matches!(ended, Ended::Finished { code: None, .. }), "{ended:?}");
    }

    #[test]
    fn a_process_that_does_not_end_is_ended() {
        assert!(matches!(run_script("exec sleep 1000"), Ended::OutOfTime));
    }

    #[test]
    fn a_process_that_writes_without_end_is_ended() {
        assert!(matches!(
            run_script("exec yes"),
            Ended::TooLong | Ended::OutOfTime
        ));
    }
}
