//! What made a run of a test fail.

use omnilink_sched::{
    DataRace, MemoryError, ProgramEnding, ProgramExecution, ThreadPlace, UnresponsiveReason,
};

/// Why a test failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureKind {
    /// It panicked: at this place of the source, with this message.
    Panic {
        /// Such as `src/queue.rs:33:9`.
        place: String,
        /// Its first lines.
        message: String,
    },
    /// An assertion of a test framework for C++ failed: at this place of the source.
    Assertion {
        /// Such as `tests/queue.cpp:33`.
        place: String,
    },
    /// It ended with an exit code other than 0.
    ExitCode(i32),
    /// A signal killed it.
    Signal(i32),
    /// Every thread waits, or threads wait for ever.
    Deadlock(Certainty),
    /// All threads read the same values over and over.
    Livelock(Certainty),
    /// Two accesses without an order between them.
    Race(DataRace),
    /// An invalid use of memory.
    Memory(MemoryError),
    /// It did not go on: it computes without a step, waits for something outside, or takes too long.
    Unresponsive(UnresponsiveReason),
    /// More threads than the scheduler can control.
    TooManyThreads,
}

/// Whether something is known, or only suspected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certainty {
    /// All that happened is understood.
    Known,
    /// It is suspected, for this reason.
    Suspected(String),
}

impl Certainty {
    /// What stops or spins is understood if the program has called nothing of which nothing is known.
    fn of(execution: &ProgramExecution) -> Self {
        match execution.unknown_calls.last() {
            None => Self::Known,
            Some(call) => Self::Suspected(format!(
                "the program called `{call}`, of which nothing is known here: it may wake a thread"
            )),
        }
    }
}

/// A failure of one run.
#[derive(Debug, Clone)]
pub struct TestFailure {
    /// What went wrong.
    pub kind: FailureKind,
    /// What the test printed.
    pub output: String,
    /// The call stack of a crash.
    pub stack: Vec<u64>,
    /// The threads of a deadlock.
    pub stuck: Vec<ThreadPlace>,
    /// Where the two accesses of a race were made.
    pub race_places: Vec<ThreadPlace>,
    /// Of the first switches, where the two threads stood.
    pub places: Vec<[ThreadPlace; 2]>,
}

impl TestFailure {
    /// What is wrong with a run, if anything is.
    pub fn of(execution: &ProgramExecution) -> Option<Self> {
        let kind = match &execution.ending {
            ProgramEnding::Deadlock => FailureKind::Deadlock(Certainty::of(execution)),
            ProgramEnding::SuspectedDeadlock => FailureKind::Deadlock(Certainty::Suspected(
                "for a long time the other threads have only slept; they may wake these threads later"
                    .to_owned(),
            )),
            ProgramEnding::Livelock => FailureKind::Livelock(Certainty::of(execution)),
            ProgramEnding::MemoryError(error) => FailureKind::Memory(*error),
            ProgramEnding::TooManyThreads => FailureKind::TooManyThreads,
            ProgramEnding::Unresponsive(reason) => FailureKind::Unresponsive(*reason),
            ending @ ProgramEnding::Exited(status) => {
                let races = || execution.races.iter().filter(|race| !race.is_inconclusive);
                let race = races().find(|race| race.unknown_call.is_none());
                match (ending.signal(), status.code(), race) {
                    // A race is the cause of what goes wrong after it.
                    (_, _, Some(race)) => FailureKind::Race(*race),
                    (Some(signal), _, _) => match panic_in(&execution.output) {
                        Some(panic) => panic,
                        None => FailureKind::Signal(signal),
                    },
                    (None, Some(0), _) => FailureKind::Race(*races().next()?),
                    (None, code, _) => {
                        let exit = FailureKind::ExitCode(code.unwrap_or(-1));
                        let output = &execution.output;
                        let printed = panic_in(output).or_else(|| assertion_in(output));
                        printed.unwrap_or(exit)
                    }
                }
            }
        };
        Some(Self {
            kind,
            output: execution.output.clone(),
            stack: execution.stack.clone(),
            stuck: execution.stuck.clone(),
            race_places: execution.race_places.clone(),
            places: execution.places.clone(),
        })
    }

    /// Why it is only suspected that something is wrong; none if it is known.
    pub fn suspected(&self) -> Option<String> {
        match &self.kind {
            FailureKind::Race(race) => race.unknown_call.map(|call| {
                format!(
                    "`{call}` was called in between, of which nothing is known here: it may order the two"
                )
            }),
            FailureKind::Deadlock(Certainty::Suspected(reason))
            | FailureKind::Livelock(Certainty::Suspected(reason)) => Some(reason.clone()),
            _ => None,
        }
    }

    /// Whether another failure is the same one, as far as that can be told: not what was printed or which values were there.
    pub fn is_like(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (FailureKind::Panic { place, .. }, FailureKind::Panic { place: other, .. }) => place == other,
            (FailureKind::Race(race), FailureKind::Race(other)) => codes(race) == codes(other),
            (FailureKind::Memory(error), FailureKind::Memory(other)) => {
                (error.kind, error.code) == (other.kind, other.code)
            }
            (one, other) => one == other,
        }
    }
}

/// The code addresses of a race, in any order.
fn codes(race: &DataRace) -> [u64; 2] {
    let mut codes = race.accesses.map(|access| access.code);
    codes.sort_unstable();
    codes
}

/// The first assertion of GoogleTest (`queue.cc:33: Failure`), Catch2 (`queue.cpp:33: FAILED:`) or doctest (`queue.cpp:33: ERROR: …`) that
/// failed.
fn assertion_in(output: &str) -> Option<FailureKind> {
    const WORDS: [&str; 4] = [": Failure", ": FAILED:", ": ERROR: ", ": FATAL ERROR: "];
    let place = |line: &str| {
        let at = WORDS.iter().find_map(|words| line.find(words))?;
        let place = line.get(..at)?;
        let (file, number) = place.rsplit_once(':')?;
        let is_place = !file.contains(char::is_whitespace) && number.parse::<u32>().is_ok();
        is_place.then(|| place.to_owned())
    };
    let place = output.lines().find_map(place)?;
    Some(FailureKind::Assertion { place })
}

/// Whether a line says that a thread has panicked.
pub(crate) fn is_panic(line: &str) -> bool {
    line.contains("' panicked at ") || line.contains(") panicked at ")
}

/// The panic that was printed last: `thread 'main' panicked at src/lib.rs:5:9:` and then the message. Earlier ones may be expected, and
/// caught; but if the last one only passes on that another thread has panicked, it is the one before.
fn panic_in(output: &str) -> Option<FailureKind> {
    const MESSAGE_LINES: usize = 4;
    /// What `thread::scope` and `JoinHandle::join` say.
    const PASSED_ON: [&str; 2] = ["a scoped thread panicked", "value: Any { .. }"];
    /// What follows when another thread has panicked with a lock or one end of a channel.
    const FOLLOWS: [&str; 5] = [
        "PoisonError",
        "value: RecvError",
        "value: SendError",
        "value: Disconnected",
        "value: JoinError",
    ];
    let lines: Vec<&str> = output.lines().collect();
    let mut passed_on = None;
    for (at, line) in lines.iter().enumerate().rev().filter(|(_, line)| is_panic(line)) {
        let (_, place) = line.split_once(" panicked at ")?;
        let message: Vec<&str> = lines
            .iter()
            .skip(at + 1)
            .take(MESSAGE_LINES)
            .take_while(|line| !line.starts_with("note: ") && !line.is_empty() && **line != "FAILED")
            .copied()
            .collect();
        let panic = FailureKind::Panic {
            place: place.trim_end_matches(':').to_owned(),
            message: message.join("\n"),
        };
        let first = message.first().copied().unwrap_or_default();
        let is_passed_on = PASSED_ON.iter().any(|words| first.ends_with(words))
            || FOLLOWS.iter().any(|words| first.contains(words));
        if !is_passed_on {
            return Some(panic);
        }
        passed_on.get_or_insert(panic);
    }
    passed_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_panic_is_that_of_the_test() {
        let output = "running 1 test\n\nthread 'worker' (12) panicked at src/pool.rs:7:5:\nexpected\nnote: run with `RUST_BACKTRACE=1`\n\
            thread 'main' (11) panicked at src/lib.rs:33:9:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with\n";
        let expected = FailureKind::Panic {
            place: "src/lib.rs:33:9".to_owned(),
            message: "assertion `left == right` failed\n  left: 1\n right: 2".to_owned(),
        };
        assert_eq!(panic_in(output), Some(expected));
        assert_eq!(panic_in("running 1 test\ntest a ... ok\n"), None);
    }

    #[test]
    fn an_assertion_is_named_by_its_place() {
        for (line, place) in [
            ("tests/queue_test.cc:33: Failure", Some("tests/queue_test.cc:33")),
            (
                "tests/basic_test.cpp:41: FAILED:",
                Some("tests/basic_test.cpp:41"),
            ),
            (
                "queue.cpp:7: ERROR: CHECK( a == b ) is NOT correct!",
                Some("queue.cpp:7"),
            ),
            ("[  FAILED  ] Queue.Pops", None),
            ("log: ERROR: nothing", None),
        ] {
            let expected = place.map(|place| FailureKind::Assertion {
                place: place.to_owned(),
            });
            assert_eq!(assertion_in(&format!("begin\n{line}\nend\n")), expected, "{line}");
        }
    }

    #[test]
    fn a_panic_that_is_passed_on_is_that_of_the_other_thread() {
        let output = "thread '<unnamed>' (12) panicked at src/pool.rs:7:5:\nempty\nnote: run with\n\
            thread 'main' (11) panicked at src/lib.rs:33:9:\ncalled `Result::unwrap()` on an `Err` value: Any { .. }\nFAILED\n";
        let panic = panic_in(output);
        assert!(
            matches!(&panic, Some(FailureKind::Panic { place, message }) if place == "src/pool.rs:7:5" && message == "empty"),
            "{panic:?}"
        );
        let alone = "thread 'main' (11) panicked at src/lib.rs:33:9:\na scoped thread panicked\n";
        assert!(panic_in(alone).is_some());
    }
}
