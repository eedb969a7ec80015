//! Results as JSON.

use serde_json::{Value, json};

use crate::report::{headline, obstacle_words};
use crate::test_run::{FailureCause, TestResult};

/// A result as a JSON object.
pub fn record(result: &TestResult) -> Value {
    let mut record = json!({
        "test": result.test.full_name(),
        "program": result.test.program.display().to_string(),
        "verdict": verdict(result),
        "schedules": result.schedules,
        "interleavings": result.interleavings,
        "threads": result.threads,
        "steps": result.steps,
        "all_races": result.has_all_races,
        "seconds": result.duration.as_secs_f64(),
    });
    if let (Some(obstacle), Some(record)) = (result.obstacle, record.as_object_mut()) {
        record.insert("obstacle".to_owned(), obstacle_words(obstacle).into());
    }
    if let (Some(found), Some(record)) = (&result.failure, record.as_object_mut()) {
        let cause = match found.cause {
            FailureCause::Interleaving => "interleaving",
            FailureCause::AnySchedule { natively: true } => "always",
            FailureCause::AnySchedule { natively: false } => "no preemption",
            FailureCause::Environment => "time or random numbers",
            FailureCause::NotRepeatable => "not repeatable",
            FailureCause::NotRepeated => "unknown",
        };
        let failure = json!({
            "kind": headline(&found.failure.kind),
            "needs": cause,
            "found_in": found.number,
            "schedule": found.schedule.to_string(),
            "preemptions": found.schedule.switches.iter().filter(|switch| switch.preempts).count(),
            "output": found.failure.output,
        });
        record.insert("failure".to_owned(), failure);
    }
    record
}

fn verdict(result: &TestResult) -> &'static str {
    match (&result.failure, result.stopped, result.obstacle) {
        (Some(_), _, _) if result.depends_on_environment() => "flaky",
        (Some(_), _, _) => "failed",
        (None, None, None) => "passed",
        (None, _, _) => "unknown",
    }
}
