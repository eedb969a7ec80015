//! The evidence of a test: what reports, pages and `--json` show. Source lines are looked up in its program.

use std::fmt::Write as _;

use omnilink_evidence::{
    Command, Evidence, FailingTest, FailureNeed, Limit, Subject, TestCoverage, TestDecision, ThreadName,
    Unknown, Violation, WaitingThread,
};
use omnilink_report::counted;
use omnilink_sched::{DataRace, MemoryError, MemoryErrorKind, RacingAccess, StopReason, ThreadPlace};
use omnilink_source_lines::SourceLines;

use crate::failure::{FailureKind, TestFailure};
use crate::place::{line_of, named, project_lines};
use crate::schedule_text::ScheduleText;
use crate::test_run::{FailureCause, FoundFailure, Obstacle, TestResult};
use crate::words::{headline, obstacle_words, stop_words};

/// Decisions whose places are listed.
const DECISIONS_MAX: usize = 12;
/// Functions of a call stack that are listed.
const STACK_MAX: usize = 12;

/// All about a test. `rerun` is the command that repeats its failure.
pub fn evidence(result: &TestResult, rerun: impl FnOnce(&FoundFailure) -> String) -> Evidence {
    let mut evidence = Evidence::new(Command::Test, Subject::Test, result.test.full_name());
    evidence.figures.seconds = result.duration.as_secs_f64();
    evidence.test = Some(Box::new(TestCoverage {
        program: result.test.program.display().to_string(),
        schedules: result.schedules,
        interleavings: result.interleavings as u64,
        threads: result
            .threads
            .saturating_sub(u32::from(result.test.harness_threads)),
        steps: result.steps,
        all_races: result.has_all_races,
        waiting_points: result.waiting_points.len() as u64,
        never_waited: result.waiting_points.never_waited().map(str::to_owned).collect(),
        outside: result.outside.iter().map(ToString::to_string).collect(),
        weak_orders: result.weak_orders,
        weak_memory: result.weak_memory,
    }));
    if let (None, Some(found)) = (&result.failure, &result.suspected) {
        let failing = failing_test(result, found, rerun(found));
        let reason = format!("suspected: {}", failing.failure);
        evidence.violation = Some(Violation::Test(Box::new(failing)));
        evidence.give_up(Unknown {
            reason: Some(reason),
            ..Unknown::limited(Limit::Inconclusive)
        });
        return evidence;
    }
    match (&result.failure, result.obstacle, result.stopped) {
        (Some(found), _, _) => {
            let rerun = rerun(found);
            evidence.violate(Violation::Test(Box::new(failing_test(result, found, rerun))));
        }
        (None, Some(Obstacle::NotInstrumented), _) => {
            let words = obstacle_words(Obstacle::NotInstrumented);
            evidence.fail(format!(
                "{words}: compile and link it with the flags that `omnilink test --cpp-flags` prints"
            ));
        }
        (None, Some(obstacle), _) => evidence.give_up(Unknown {
            reason: Some(format!("not controlled: {}", obstacle_words(obstacle))),
            ..Unknown::limited(Limit::Inconclusive)
        }),
        (None, None, Some(reason)) => evidence.give_up(Unknown {
            reason: Some(match result.schedules {
                0 => format!("not run: {}", stop_words(reason)),
                _ => format!("not all schedules were run: {}", stop_words(reason)),
            }),
            ..Unknown::limited(match reason {
                StopReason::Interrupted => Limit::Interrupt,
                _ => Limit::Time,
            })
        }),
        (None, None, None) => {}
    }
    evidence
}

fn failing_test(result: &TestResult, found: &FoundFailure, rerun: String) -> FailingTest {
    let mut source = SourceLines::of(&result.test.program);
    let FoundFailure {
        failure,
        cause,
        schedule,
        interleaving,
        ..
    } = found;
    let thread = |thread: u8| ThreadName::Name(result.test.thread_name(thread));
    let (details, place) = details(result, failure, &mut source);
    let decisions = match cause {
        FailureCause::Interleaving => failure.places.iter().take(DECISIONS_MAX),
        _ => [].iter().take(0),
    };
    let decisions: Vec<TestDecision> = decisions
        .map(|[from, to]| TestDecision {
            from: thread(from.thread),
            place: line_of(from, &mut source),
            to: thread(to.thread),
            to_place: line_of(to, &mut source),
        })
        .collect();
    let left_out = match cause {
        FailureCause::Interleaving => schedule.switches.len().saturating_sub(decisions.len()),
        _ => 0,
    };
    FailingTest {
        failure: headline(&failure.kind),
        suspected: failure.suspected(),
        details,
        place,
        needs: match cause {
            FailureCause::Interleaving => FailureNeed::Interleaving,
            FailureCause::Environment => FailureNeed::Environment,
            FailureCause::AnySchedule { natively: true } => FailureNeed::Nothing,
            FailureCause::AnySchedule { natively: false } => FailureNeed::NoPreemption,
            FailureCause::NotRepeatable => FailureNeed::Uncontrolled,
            FailureCause::NotRepeated => FailureNeed::Unknown,
        },
        needs_text: needs_text(found),
        flaky: result.depends_on_environment(),
        found_in: found.number,
        schedule: schedule.to_string(),
        preemptions: preemptions(schedule) as u32,
        rerun,
        decisions,
        decisions_left_out: left_out as u64,
        waiting: failure
            .stuck
            .iter()
            .map(|stuck| WaitingThread {
                thread: thread(stuck.thread),
                place: line_of(stuck, &mut source),
                stack: project_lines(stuck, &mut source),
            })
            .collect(),
        failed_in: interleaving.failed_in,
        turns: interleaving.turns.clone(),
        switches: interleaving.switches.clone(),
        accesses: interleaving.accesses.clone(),
        output: printed_by(failure).join("\n"),
        stack: failure
            .stack
            .iter()
            .filter_map(|code| source.find_own(*code))
            .take(STACK_MAX)
            .collect(),
    }
}

fn preemptions(schedule: &ScheduleText) -> usize {
    let switches = schedule.switches.iter();
    switches.filter(|switch| switch.preempts).count()
}

/// What a failure needs, in a sentence.
fn needs_text(found: &FoundFailure) -> String {
    let switches = |number: usize| counted(number as u64, "switch", "switches");
    let schedule = &found.schedule;
    match found.cause {
        FailureCause::AnySchedule { natively: true } => {
            "It needs no interleaving: it fails without the scheduler too.".to_owned()
        }
        FailureCause::AnySchedule { natively: false } => {
            "It needs no preemption: it fails when each thread runs until it waits. Without the scheduler it passed once.".to_owned()
        }
        FailureCause::NotRepeated => {
            "The schedule was not run again: there was no time, or it has too many switches to be written down.".to_owned()
        }
        FailureCause::NotRepeatable => {
            "The same schedule did not make it fail again: it depends on something that is not controlled (files, the network, \
             other processes, real time)."
                .to_owned()
        }
        FailureCause::Interleaving => format!(
            "It needs {} with {}{} ({} had {}):",
            switches(schedule.switches.len()),
            counted(preemptions(schedule) as u64, "preemption", "preemptions"),
            conditions(schedule),
            match found.number {
                Some(number) => format!("the first run that failed, schedule {number},"),
                None => "the given schedule".to_owned(),
            },
            switches(found.switches_before),
        ),
        FailureCause::Environment if found.number == Some(0) => {
            "It depends on random numbers: with others it passes.".to_owned()
        }
        FailureCause::Environment => {
            format!("It needs no switch: it fails{}.", conditions(schedule).trim_start_matches(','))
        }
    }
}

/// What a schedule has besides switches.
fn conditions(schedule: &ScheduleText) -> String {
    let mut text = String::new();
    if schedule.step_ns != ScheduleText::USUAL.step_ns {
        let _ = write!(text, ", when each step takes {} µs", schedule.step_ns / 1_000);
    }
    if schedule.environment != 0 {
        let _ = write!(
            text,
            ", with other random numbers (environment {})",
            schedule.environment
        );
    }
    text
}

/// More about a failure, line by line, and where it was.
fn details(
    result: &TestResult,
    failure: &TestFailure,
    source: &mut SourceLines,
) -> (Vec<String>, Option<String>) {
    match &failure.kind {
        FailureKind::Race(DataRace { accesses, .. }) => {
            let places: Vec<String> = (0..)
                .zip(accesses)
                .map(|(number, access)| {
                    let alone = ThreadPlace {
                        thread: access.thread,
                        code: access.code,
                        frames: Vec::new(),
                    };
                    let place = failure.race_places.get::<usize>(number).unwrap_or(&alone);
                    line_of(place, source).unwrap_or_else(|| named(access.code, source))
                })
                .collect();
            let mut lines: Vec<String> = accesses
                .iter()
                .zip(&places)
                .map(|(access, place)| format!("{} at {place}", access_words(result, access)))
                .collect();
            if let Some(last) = lines.last_mut() {
                last.push_str(match failure.suspected() {
                    None => ", and nothing orders the two",
                    Some(_) => ", and nothing that is known orders the two",
                });
            }
            (lines, places.into_iter().last())
        }
        FailureKind::Memory(MemoryError {
            kind: MemoryErrorKind::Leak,
            offset: blocks,
            size,
            allocated,
            ..
        }) => {
            let place = named(*allocated, source);
            let blocks = counted(*blocks as u64, "block", "blocks");
            let line = format!("{blocks}; the first one has {size} bytes, and was allocated at {place}");
            (vec![line], Some(place))
        }
        FailureKind::Memory(MemoryError {
            code,
            allocated,
            freed,
            size,
            ..
        }) => {
            // Memory is mostly freed by the standard library: its caller is what matters.
            let own = std::iter::once(code).chain(&failure.stack);
            let own = own.copied().find(|code| source.find_own(*code).is_some());
            let place = named(own.unwrap_or(*code), source);
            let mut lines = vec![format!("at {place}")];
            if *allocated != 0 {
                let allocated = named(*allocated, source);
                let bytes = counted(*size, "byte", "bytes");
                lines.push(format!("a block of {bytes}, allocated at {allocated}"));
            }
            if *freed != 0 {
                lines.push(format!("freed at {}", named(*freed, source)));
            }
            (lines, Some(place))
        }
        FailureKind::Panic { message, place } => {
            let lines = message.lines().skip(1).map(str::to_owned);
            (lines.collect(), Some(place.clone()))
        }
        FailureKind::Assertion { place } => (Vec::new(), Some(place.clone())),
        _ => {
            let place = failure.stack.iter().find_map(|code| source.find_own(*code));
            (Vec::new(), place)
        }
    }
}

fn access_words(result: &TestResult, access: &RacingAccess) -> String {
    let verb = match (access.frees, access.writes) {
        (true, _) => "frees memory",
        (false, true) => "writes",
        (false, false) => "reads",
    };
    let atomically = if access.atomic { "atomically " } else { "" };
    format!("{} {atomically}{verb}", result.test.thread_name(access.thread))
}

/// What a test printed itself: without what Rust's test harness says, and without the panic that is told anyway.
fn printed_by(failure: &TestFailure) -> Vec<&str> {
    let output = match &failure.kind {
        FailureKind::Panic { place, .. } => match failure.output.rfind(&format!(" panicked at {place}")) {
            Some(at) => failure.output[..at]
                .rsplit_once('\n')
                .map_or("", |(before, _)| before),
            None => failure.output.as_str(),
        },
        _ => failure.output.as_str(),
    };
    let is_own = |line: &&str| {
        let of_harness = ["running 1 test", "test result: ", "failures:", "omnilink: "];
        let is_result = line.starts_with("test ") && line.contains(" ... ");
        !line.trim().is_empty() && !is_result && !of_harness.iter().any(|words| line.starts_with(words))
    };
    output.lines().filter(is_own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Certainty;

    fn failure(kind: FailureKind, output: &str) -> TestFailure {
        TestFailure {
            kind,
            output: output.to_owned(),
            stack: Vec::new(),
            stuck: Vec::new(),
            race_places: Vec::new(),
            places: Vec::new(),
        }
    }

    #[test]
    fn what_the_harness_prints_is_left_out() {
        let panic = FailureKind::Panic {
            place: "src/lib.rs:5:9".to_owned(),
            message: "wrong".to_owned(),
        };
        let output = "\nrunning 1 test\ntest a ... got 5\nmine\n\nthread 'a' (7) panicked at src/lib.rs:5:9:\nwrong\nFAILED\n";
        assert_eq!(printed_by(&failure(panic, output)), ["mine"]);
        let output = "running 1 test\nmine\ntest a ... ok\n\ntest result: ok. 1 passed\n";
        assert_eq!(
            printed_by(&failure(FailureKind::Deadlock(Certainty::Known), output)),
            ["mine"]
        );
    }
}
