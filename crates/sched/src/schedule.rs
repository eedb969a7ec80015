//! Schedules.

use crate::ThreadId;
use std::fmt;
use std::str::FromStr;

/// The choices of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScheduledStep {
    /// The thread that takes the step.
    pub thread: ThreadId,
    /// Under a weak memory model the store that its access reads or follows: how many of those that it may choose are newer.
    pub store: u8,
}

impl From<ThreadId> for ScheduledStep {
    fn from(thread: ThreadId) -> Self {
        Self { thread, store: 0 }
    }
}

/// The choices at each step of an execution: all that is needed to repeat it.
///
/// Written as the threads with their repetitions: `0x3 1 0x2` is thread 0 for three steps, thread 1 for one,
/// thread 0 for two. `1~2` is a step of thread 1 that reads a store although it could read two newer ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Schedule(Vec<ScheduledStep>);

/// A text that is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "schedule: word {position} is `{word}`, expected THREAD, THREADxTIMES such as `0x3`, or THREAD~STORE such as `1~1`, with \
     THREAD below 32 and STORE from 1 to 255"
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
    /// The schedule with these choices; a thread alone chooses the newest store.
    pub fn new(steps: impl IntoIterator<Item: Into<ScheduledStep>>) -> Self {
        Self(steps.into_iter().map(Into::into).collect())
    }

    /// The choices, one for each step.
    pub fn steps(&self) -> &[ScheduledStep] {
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
        for (index, run) in self.0.chunk_by(|a, b| a == b && a.store == 0).enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            match run {
                [ScheduledStep { thread, store: 0 }] => write!(f, "{thread}")?,
                [ScheduledStep { thread, store }] => write!(f, "{thread}~{store}")?,
                [step, ..] => write!(f, "{}x{}", step.thread, run.len())?,
                [] => {}
            }
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let mut steps = Vec::new();
        for (index, word) in text.split_whitespace().enumerate() {
            let wrong = || ScheduleError {
                position: index + 1,
                word: word.to_owned(),
            };
            let (word, store) = match word.split_once('~') {
                Some((thread, store)) => (thread, Some(store.parse::<u8>().map_err(|_| wrong())?)),
                None => (word, None),
            };
            let (thread, times) = match word.split_once('x') {
                Some((thread, times)) => (thread, times.parse::<usize>().map_err(|_| wrong())?),
                None => (word, 1),
            };
            let thread: ThreadId = thread.parse().map_err(|_| wrong())?;
            let is_store_alone = store.is_none_or(|store| store > 0 && times == 1);
            if usize::from(thread) >= crate::THREADS_MAX || times == 0 || times > TIMES_MAX || !is_store_alone
            {
                return Err(wrong());
            }
            let store = store.unwrap_or(0);
            steps.resize(steps.len() + times, ScheduledStep { thread, store });
        }
        Ok(Self(steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_reads_back_what_it_writes() {
        let schedule = Schedule::new([0, 0, 0, 1, 0, 0, 12]);
        assert_eq!(schedule.to_string(), "0x3 1 0x2 12");
        assert_eq!("0x3 1 0x2 12".parse(), Ok(schedule));
        let stale =
            [(0, 0), (1, 2), (1, 2), (1, 0), (1, 0)].map(|(thread, store)| ScheduledStep { thread, store });
        let schedule = Schedule::new(stale);
        assert_eq!(schedule.to_string(), "0 1~2 1~2 1x2");
        assert_eq!("0 1~2 1~2 1x2".parse(), Ok(schedule));
        assert_eq!("".parse(), Ok(Schedule::default()));
    }

    #[test]
    fn a_word_that_is_no_thread_is_named_with_its_position() {
        for word in [
            "y",
            "32",
            "0x",
            "0x0",
            "-1",
            "0x99999999",
            "x3",
            "1~",
            "1~0",
            "1~256",
            "~1",
            "1x2~1",
        ] {
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
