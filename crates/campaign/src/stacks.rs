//! Where the threads of a hung process are.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long the debugger may take.
const DEBUGGER_TIME: Duration = Duration::from_secs(20);

/// The stacks of all threads by gdb, or, where there is no gdb, what the kernel says about each thread.
pub(crate) fn stacks_of(pid: u32) -> String {
    by_debugger(pid).unwrap_or_else(|| by_kernel(pid))
}

fn by_debugger(pid: u32) -> Option<String> {
    let file = tempfile::NamedTempFile::new().ok()?;
    let mut gdb = Command::new("gdb")
        .args(["-p", &pid.to_string(), "-batch", "-nx"])
        .args([
            "-ex",
            "set pagination off",
            "-ex",
            "thread apply all backtrace 40",
        ])
        .stdin(Stdio::null())
        .stdout(file.reopen().ok()?)
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let started = Instant::now();
    loop {
        match gdb.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if started.elapsed() < DEBUGGER_TIME => std::thread::sleep(Duration::from_millis(20)),
            _ => {
                let _ = gdb.kill();
                let _ = gdb.wait();
                break;
            }
        }
    }
    let text = fs::read_to_string(file.path()).ok()?;
    text.contains("Thread ").then_some(text)
}

/// Name, state and the kernel function in which each thread waits.
fn by_kernel(pid: u32) -> String {
    let mut text = String::from("(install gdb to see the stacks)\n");
    let folder = format!("/proc/{pid}/task");
    let Ok(threads) = fs::read_dir(folder) else {
        return text;
    };
    for thread in threads.flatten() {
        let read = |name: &str| read_line(&thread.path().join(name));
        text.push_str(&format!(
            "thread {} ({}): waits in {}, system call {}\n",
            thread.file_name().display(),
            read("comm"),
            read("wchan"),
            read("syscall")
        ));
    }
    text
}

fn read_line(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().next().unwrap_or("?").to_owned()
}
