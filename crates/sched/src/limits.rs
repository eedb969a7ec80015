//! Limits on time and memory, and interrupts.

use crate::StopReason;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What ends an exploration, or a run in the middle, from outside.
#[derive(Debug, Clone, Copy, Default)]
pub struct StopConditions {
    /// When time is up.
    pub deadline: Option<Instant>,
    /// The most resident memory of this process and of all processes that it started, in bytes. Memory that several of them
    /// share is counted for each.
    pub memory_bytes_max: Option<u64>,
    /// A flag that a signal handler or another thread sets.
    pub interrupt: Option<&'static AtomicBool>,
}

impl StopConditions {
    /// How often a run that takes long is checked.
    pub(crate) const INTERVAL: Duration = Duration::from_millis(20);

    /// The condition that holds now, if one does. Checking the memory takes some tens of microseconds.
    pub fn reached(&self) -> Option<StopReason> {
        let memory = |max: u64| resident_bytes_of_processes().is_some_and(|bytes| bytes >= max);
        self.reached_without_memory().or_else(|| {
            self.memory_bytes_max
                .filter(|&max| memory(max))
                .map(|_| StopReason::MemoryLimit)
        })
    }

    /// The same without the memory: takes nanoseconds.
    pub(crate) fn reached_without_memory(&self) -> Option<StopReason> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(StopReason::Interrupted);
        }
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_late.then_some(StopReason::TimeLimit)
    }
}

/// The resident memory of this process and of all its descendants. None where the system does not tell.
#[cfg(target_os = "linux")]
fn resident_bytes_of_processes() -> Option<u64> {
    let mut bytes = resident_bytes("self")?;
    let mut processes = children("self");
    // Processes come and go meanwhile: one that has ended holds nothing.
    while let Some(process) = processes.pop() {
        bytes += resident_bytes(&process).unwrap_or(0);
        processes.extend(children(&process));
    }
    Some(bytes)
}

#[cfg(not(target_os = "linux"))]
fn resident_bytes_of_processes() -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn resident_bytes(process: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    // SAFETY: it returns a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(page).ok()?)
}

/// The ids of the processes that a process started.
#[cfg(target_os = "linux")]
fn children(process: &str) -> Vec<String> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten();
    let children =
        threads.filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("children")).ok());
    children
        .flat_map(|children| children.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_processes_that_were_started_counts() {
        let alone = resident_bytes_of_processes().unwrap();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let children = children("self");
        let with_child = resident_bytes_of_processes().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(children.contains(&child.id().to_string()), "{children:?}");
        assert!(with_child > alone - alone / 2);
    }

    #[test]
    fn an_interrupt_and_a_deadline_are_reached() {
        static RAISED: AtomicBool = AtomicBool::new(true);
        let conditions = StopConditions {
            interrupt: Some(&RAISED),
            ..StopConditions::default()
        };
        assert_eq!(conditions.reached(), Some(StopReason::Interrupted));
        let conditions = StopConditions {
            deadline: Some(Instant::now()),
            ..StopConditions::default()
        };
        assert_eq!(conditions.reached(), Some(StopReason::TimeLimit));
        let conditions = StopConditions {
            memory_bytes_max: Some(1),
            ..StopConditions::default()
        };
        assert_eq!(conditions.reached(), Some(StopReason::MemoryLimit));
        assert_eq!(StopConditions::default().reached(), None);
    }
}
