//! What is told about a test, as text. Source lines are looked up in its program.

use std::fmt::Write as _;

use omnilink_sched::{
    DataRace, MemoryError, MemoryErrorKind, RacingAccess, StopReason, ThreadPlace, UnresponsiveReason,
};
use omnilink_source_lines::SourceLines;

use crate::failure::{FailureKind, TestFailure};
use crate::schedule_text::ScheduleText;
use crate::test_run::{FailureCause, FoundFailure, Obstacle, TestResult};

/// Switches that are listed.
const SWITCHES_MAX: usize = 12;
/// Lines of output that are shown.
const OUTPUT_LINES: usize = 20;

/// One line about a test.
pub fn line(result: &TestResult) -> String {
    let name = result.test.full_name();
    let mut text = match (&result.failure, result.obstacle) {
        (Some(found), _) if result.depends_on_environment() => {
            format!("{name} ... FLAKY: {}", headline(&found.failure.kind))
        }
        (Some(found), _) => format!("{name} ... FAILED: {}", headline(&found.failure.kind)),
        (None, Some(obstacle)) => {
            return format!("{name} ... not controlled: {}", obstacle_words(obstacle));
        }
        (None, None) if result.schedules == 0 => {
            let why = result.stopped.map_or("time was up", stop_words);
            return format!("{name} ... not run: {why}");
        }
        (None, None) => format!("{name} ... ok"),
    };
    let _ = match result.has_one_thread() {
        true => write!(text, " (one thread)"),
        false => write!(
            text,
            " ({}, {} different, {} threads, {})",
            counted(result.schedules, "schedule"),
            result.interleavings,
            result.threads - u32::from(result.test.harness_threads),
            counted(result.steps, "step"),
        ),
    };
    if !result.has_all_races && result.failure.is_none() {
        text.push_str(", races only among the first 32 threads");
    }
    if let (Some(reason), None) = (result.stopped, &result.failure) {
        let _ = write!(text, ", not all schedules: {}", stop_words(reason));
    }
    text
}

/// All about a failure.
pub fn failure(result: &TestResult, found: &FoundFailure) -> String {
    let mut source = SourceLines::of(&result.test.program);
    let mut text = format!("{}: {}\n", result.test.full_name(), headline(&found.failure.kind));
    describe(&mut text, result, &found.failure, &mut source);
    for stuck in &found.failure.stuck {
        let name = result.test.thread_name(stuck.thread);
        let _ = writeln!(text, "  {name} waits {}", words_for(stuck, &mut source));
    }
    let _ = match found.cause {
        FailureCause::AnySchedule { natively: true } => {
            writeln!(
                text,
                "  It needs no interleaving: it fails without the scheduler too."
            )
        }
        FailureCause::AnySchedule { natively: false } => writeln!(
            text,
            "  It needs no preemption: it fails when each thread runs until it waits. Without the scheduler it passed once."
        ),
        FailureCause::NotRepeated => writeln!(
            text,
            "  The schedule was not run again: there was no time, or it has too many switches to be written down."
        ),
        FailureCause::NotRepeatable => writeln!(
            text,
            "  The same schedule did not make it fail again: it depends on something that is not controlled \
             (files, the network, other processes, real time)."
        ),
        FailureCause::Interleaving => {
            let switches = &found.schedule.switches;
            let preemptions = switches.iter().filter(|switch| switch.preempts).count();
            writeln!(
                text,
                "  It needs {} with {}{} (the first run that failed, schedule {}, had {}):",
                counted(switches.len() as u64, "switch"),
                counted(preemptions as u64, "preemption"),
                conditions(&found.schedule),
                found.number,
                counted(found.switches_before as u64, "switch"),
            )
        }
        FailureCause::Environment if found.number == 0 => {
            writeln!(text, "  It depends on random numbers: with others it passes.")
        }
        FailureCause::Environment => writeln!(
            text,
            "  It needs no switch: it fails{} (schedule {}).",
            conditions(&found.schedule),
            found.number
        ),
    };
    if found.cause == FailureCause::Interleaving {
        for [from, to] in found.failure.places.iter().take(SWITCHES_MAX) {
            let _ = writeln!(
                text,
                "    {} stops {}; {} goes on {}",
                result.test.thread_name(from.thread),
                words_for(from, &mut source),
                result.test.thread_name(to.thread),
                words_for(to, &mut source)
            );
        }
        if let Some(more @ 1..) = found.schedule.switches.len().checked_sub(SWITCHES_MAX) {
            let _ = writeln!(text, "    … and {more} more");
        }
    }
    let printed = printed_by(&found.failure);
    if !printed.is_empty() {
        text.push_str("  It printed:\n");
        for line in printed.iter().skip(printed.len().saturating_sub(OUTPUT_LINES)) {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
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

/// What failed, in a few words.
pub(crate) fn headline(kind: &FailureKind) -> String {
    match kind {
        FailureKind::Panic { place, message } => match message.lines().next() {
            Some(first) => format!("panic at {place}: {first}"),
            None => format!("panic at {place}"),
        },
        FailureKind::ExitCode(code) => format!("exit code {code}"),
        FailureKind::Signal(signal) => format!("killed by {}", signal_name(*signal)),
        FailureKind::Deadlock => "deadlock".to_owned(),
        FailureKind::Livelock => "livelock".to_owned(),
        FailureKind::Race(_) => "data race".to_owned(),
        FailureKind::Memory(error) => memory_words(error.kind).to_owned(),
        FailureKind::Unresponsive(UnresponsiveReason::Computes) => {
            "it computes without an end in sight".to_owned()
        }
        FailureKind::Unresponsive(UnresponsiveReason::Waits) => {
            "it waits for something outside of the program".to_owned()
        }
        FailureKind::Unresponsive(UnresponsiveReason::Late) => "it takes too long".to_owned(),
        FailureKind::TooManyThreads => "more than 128 threads at a time".to_owned(),
    }
}

/// What ended a test before all of its schedules were run, in a few words.
pub(crate) fn stop_words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Interrupted => "interrupted",
        _ => "time was up",
    }
}

/// Why a test cannot be run under the scheduler, in a few words.
pub(crate) fn obstacle_words(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::NotInstrumented => "its program is not linked with the scheduler",
        Obstacle::TooManyThreads => "more than 128 threads at a time",
        Obstacle::Unresponsive(UnresponsiveReason::Computes) => "it computes for long between two steps",
        Obstacle::Unresponsive(UnresponsiveReason::Waits) => {
            "it waits in a call of the system that is not controlled"
        }
        Obstacle::Unresponsive(UnresponsiveReason::Late) => "a run takes longer than --run-limit",
    }
}

fn describe(text: &mut String, result: &TestResult, failure: &TestFailure, source: &mut SourceLines) {
    if let FailureKind::Race(DataRace { accesses, .. }) = &failure.kind {
        let mut words = accesses.iter().enumerate().map(|(number, access)| {
            let alone = ThreadPlace {
                thread: access.thread,
                code: access.code,
                frames: Vec::new(),
            };
            let place = failure.race_places.get(number).unwrap_or(&alone);
            format!("{} at {}", access_words(result, access), line_of(place, source))
        });
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let _ = writeln!(text, "  {first}\n  {second}, and nothing orders the two");
        return;
    }
    let mut place = |code: u64| match source.find_named(code) {
        Some(line) => line,
        None => format!("address {code:#x}"),
    };
    let _ = match &failure.kind {
        FailureKind::Memory(MemoryError {
            code,
            allocated,
            freed,
            size,
            ..
        }) => {
            let mut written = writeln!(text, "  at {}", place(*code));
            if *allocated != 0 {
                let allocated = place(*allocated);
                written = writeln!(
                    text,
                    "  a block of {}, allocated at {allocated}",
                    counted(*size, "byte")
                );
            }
            match *freed {
                0 => written,
                freed => writeln!(text, "  freed at {}", place(freed)),
            }
        }
        FailureKind::Panic { message, .. } => message
            .lines()
            .skip(1)
            .try_for_each(|line| writeln!(text, "  {line}")),
        _ => Ok(()),
    };
}

/// Where a thread stands, in words.
fn words_for(place: &ThreadPlace, source: &mut SourceLines) -> String {
    match place.code == 0 && place.frames.is_empty() {
        true => "at its beginning".to_owned(),
        false => format!("before {}", line_of(place, source)),
    }
}

/// The line of a place: in the innermost function that is not one of the standard library, and if that is in a dependency, the innermost one
/// of the project too.
fn line_of(place: &ThreadPlace, source: &mut SourceLines) -> String {
    let codes = std::iter::once(place.code).chain(place.frames.iter().copied());
    let own: Vec<u64> = codes.filter(|code| source.find_own(*code).is_some()).collect();
    let mut lines = own.iter().filter_map(|code| source.find_named(*code));
    match lines.next() {
        None => match source.find(place.code) {
            Some(line) => line,
            None => format!("address {:#x}", place.code),
        },
        Some(innermost) if !is_in_dependency(&innermost) => innermost,
        Some(innermost) => match lines.find(|line| !is_in_dependency(line)) {
            Some(outer) => format!("{innermost}, called at {outer}"),
            None => innermost,
        },
    }
}

/// Whether a source line, as it is shown, is in a crate of the registry: `crossbeam-epoch-0.9.18/src/internal.rs:33`.
fn is_in_dependency(line: &str) -> bool {
    let first = line.split('/').next().unwrap_or_default();
    let version = first.rsplit('-').next().unwrap_or_default();
    version.starts_with(|letter: char| letter.is_ascii_digit()) && version.contains('.')
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

fn memory_words(kind: MemoryErrorKind) -> &'static str {
    match kind {
        MemoryErrorKind::UseAfterFree => "use of freed memory",
        MemoryErrorKind::OutOfBounds => "access outside of a block of memory",
        MemoryErrorKind::DoubleFree => "memory is freed twice",
        MemoryErrorKind::BadFree => "something is freed that was not allocated",
        MemoryErrorKind::Leak => "memory that nothing points to is left",
    }
}

fn signal_name(signal: i32) -> String {
    match signal {
        4 => "SIGILL (illegal instruction)".to_owned(),
        6 => "SIGABRT (abort)".to_owned(),
        7 => "SIGBUS (bad memory access)".to_owned(),
        8 => "SIGFPE (arithmetic error)".to_owned(),
        11 => "SIGSEGV (bad memory access)".to_owned(),
        signal => format!("signal {signal}"),
    }
}

fn counted(number: u64, noun: &str) -> String {
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}{plural}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(printed_by(&failure(FailureKind::Deadlock, output)), ["mine"]);
    }

    #[test]
    fn a_line_in_a_dependency_is_recognised() {
        assert!(is_in_dependency("tokio-1.54.1/src/runtime/park.rs:90"));
        assert!(!is_in_dependency("src/lib.rs:90"));
        assert!(!is_in_dependency("my-crate/src/lib.rs:90"));
    }
}
