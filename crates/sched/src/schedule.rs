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
    /// It has yielded, and goes on although nothing has changed.
    pub goes_on: bool,
}

impl From<ThreadId> for ScheduledStep {
    fn from(thread: ThreadId) -> Self {
        Self {
            thread,
            store: 0,
            goes_on: false,
        }
    }
}

/// The choices at each step of an execution: all that is needed to repeat it.
///
/// Written as the threads with their repetitions: `0x3 1 0x2` is thread 0 for three steps, thread 1 for one,
/// thread 0 for two. `1~2` is a step of thread 1 that reads a store although it could read two newer ones; in `1+` thread 1 goes on
/// past its yield. `(0 1)x90` is `0 1` ninety times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Schedule(Vec<ScheduledStep>);

/// A text that is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "schedule: word {position} is `{word}`, expected THREAD, THREADxTIMES such as `0x3`, THREAD~STORE such as `1~1`, or THREAD+ \
     with THREAD below 32 and STORE from 1 to 255; or a group that is repeated, such as `(0 1)x3`"
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

/// One word of a schedule: a choice, and how many times it is made one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Word {
    step: ScheduledStep,
    times: usize,
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.step.thread)?;
        if self.step.goes_on {
            f.write_str("+")?;
        }
        match (self.step.store, self.times) {
            (0, 1) => Ok(()),
            (0, times) => write!(f, "x{times}"),
            (store, _) => write!(f, "~{store}"),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let repeats = |a: &ScheduledStep, b: &ScheduledStep| a == b && a.store == 0 && !a.goes_on;
        let words: Vec<Word> = self
            .0
            .chunk_by(repeats)
            .filter_map(|run| {
                Some(Word {
                    step: *run.first()?,
                    times: run.len(),
                })
            })
            .collect();
        let mut rest = words.as_slice();
        let mut is_first = true;
        while let Some((first, behind)) = rest.split_first() {
            if !std::mem::take(&mut is_first) {
                f.write_str(" ")?;
            }
            let Some((length, times)) = repetition(rest) else {
                write!(f, "{first}")?;
                rest = behind;
                continue;
            };
            let (group, _) = rest.split_at(length);
            let group: Vec<String> = group.iter().map(Word::to_string).collect();
            write!(f, "({})x{times}", group.join(" "))?;
            rest = rest.get(length * times..).unwrap_or_default();
        }
        Ok(())
    }
}

/// The shortest group of words that is repeated at the beginning, and how often; `None` if none is worth a pair of brackets.
fn repetition(words: &[Word]) -> Option<(usize, usize)> {
    const LENGTH_MAX: usize = 8;
    const TIMES_MIN: usize = 4;
    (2..=LENGTH_MAX).find_map(|length| {
        let group = words.get(..length)?;
        let times = words
            .chunks_exact(length)
            .take_while(|next| *next == group)
            .count();
        (times >= TIMES_MIN).then_some((length, times))
    })
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let mut steps = Vec::new();
        // Where the bracket was opened that is not closed yet.
        let mut group = None;
        for (index, whole) in text.split_whitespace().enumerate() {
            let wrong = || ScheduleError {
                position: index + 1,
                word: whole.to_owned(),
            };
            let mut word = whole;
            if let Some(first) = word.strip_prefix('(') {
                word = first;
                if group.replace(steps.len()).is_some() {
                    return Err(wrong());
                }
            }
            let closed = match word.split_once(")x") {
                Some((last, times)) => {
                    word = last;
                    let times = times.parse::<usize>().map_err(|_| wrong())?;
                    Some((group.take().ok_or_else(wrong)?, times))
                }
                None => None,
            };
            let (word, store) = match word.split_once('~') {
                Some((thread, store)) => (thread, Some(store.parse::<u8>().map_err(|_| wrong())?)),
                None => (word, None),
            };
            let (thread, times) = match word.split_once('x') {
                Some((thread, times)) => (thread, times.parse::<usize>().map_err(|_| wrong())?),
                None => (word, 1),
            };
            let (thread, goes_on) = match thread.strip_suffix('+') {
                Some(thread) => (thread, true),
                None => (thread, false),
            };
            let thread: ThreadId = thread.parse().map_err(|_| wrong())?;
            let is_alone = times == 1 || (store.is_none() && !goes_on);
            if usize::from(thread) >= crate::THREADS_MAX
                || !(1..=TIMES_MAX).contains(&times)
                || store == Some(0)
                || !is_alone
            {
                return Err(wrong());
            }
            let step = ScheduledStep {
                thread,
                store: store.unwrap_or(0),
                goes_on,
            };
            steps.resize(steps.len() + times, step);
            if let Some((begin, times)) = closed {
                let group = steps.split_off(begin);
                if times == 0 || times.saturating_mul(group.len()) > TIMES_MAX {
                    return Err(wrong());
                }
                steps.extend(std::iter::repeat_n(group, times).flatten());
            }
        }
        match group {
            None => Ok(Self(steps)),
            Some(_) => Err(ScheduleError {
                position: text.split_whitespace().count(),
                word: text.split_whitespace().last().unwrap_or_default().to_owned(),
            }),
        }
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
        let stale = [(0, 0), (1, 2), (1, 2), (1, 0), (1, 0)].map(|(thread, store)| ScheduledStep {
            thread,
            store,
            goes_on: false,
        });
        let schedule = Schedule::new(stale);
        assert_eq!(schedule.to_string(), "0 1~2 1~2 1x2");
        assert_eq!("0 1~2 1~2 1x2".parse(), Ok(schedule));
        assert_eq!("".parse(), Ok(Schedule::default()));
        let long = "0x3 1 (0 1x2)x4 1+ 0 (1+ 2~1 3)x5 7";
        let schedule: Schedule = long.parse().unwrap();
        assert_eq!(schedule.len(), 3 + 1 + 12 + 2 + 15 + 1);
        assert_eq!(schedule.to_string(), long);
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
            "1+x2",
            "+",
            "(1",
            "1)x2",
            "((1)x2",
            "(1)x0",
            "(1)",
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
