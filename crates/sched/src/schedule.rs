//! Schedules.

use crate::ThreadId;
use std::fmt;
use std::str::FromStr;

/// The thread chosen at each step of an execution: all that is needed to repeat it.
///
/// Written as the threads with their repetitions: `0x3 1 0x2` is thread 0 for three steps, thread 1 for one,
/// thread 0 for two.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Schedule(Vec<ThreadId>);

/// A text that is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "schedule: word {position} is `{word}`, expected THREAD or THREADxTIMES such as `0x3`, with THREAD below 32"
)]
pub struct ScheduleError {
    /// The number of the word, from 1.
    pub position: usize,
    /// The word.
    pub word: String,
}

/// Longer repetitions are typing errors.
const TIMES_MAX: usize = 1 << 24;

impl Schedule {
    /// The schedule that chooses these threads.
    pub fn new(threads: Vec<ThreadId>) -> Self {
        Self(threads)
    }

    /// The threads, one for each step.
    pub fn threads(&self) -> &[ThreadId] {
        &self.0
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no steps.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, run) in self.0.chunk_by(|a, b| a == b).enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            match run {
                [thread] => write!(f, "{thread}")?,
                [thread, ..] => write!(f, "{thread}x{}", run.len())?,
                [] => {}
            }
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let mut threads = Vec::new();
        for (index, word) in text.split_whitespace().enumerate() {
            let wrong = || ScheduleError {
                position: index + 1,
                word: word.to_owned(),
            };
            let (thread, times) = match word.split_once('x') {
                Some((thread, times)) => (thread, times.parse::<usize>().map_err(|_| wrong())?),
                None => (word, 1),
            };
            let thread: ThreadId = thread.parse().map_err(|_| wrong())?;
            if usize::from(thread) >= crate::THREADS_MAX || times == 0 || times > TIMES_MAX {
                return Err(wrong());
            }
            threads.resize(threads.len() + times, thread);
        }
        Ok(Self(threads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_reads_back_what_it_writes() {
        let schedule = Schedule::new(vec![0, 0, 0, 1, 0, 0, 12]);
        assert_eq!(schedule.to_string(), "0x3 1 0x2 12");
        assert_eq!("0x3 1 0x2 12".parse(), Ok(schedule));
        assert_eq!("".parse(), Ok(Schedule::default()));
    }

    #[test]
    fn a_word_that_is_no_thread_is_named_with_its_position() {
        for word in ["y", "32", "0x", "0x0", "-1", "0x99999999", "x3"] {
            let error = format!("0 {word}").parse::<Schedule>().unwrap_err();
            assert_eq!(
                error,
                ScheduleError {
                    position: 2,
                    word: word.to_owned()
                }
            );
        }
    }
}
