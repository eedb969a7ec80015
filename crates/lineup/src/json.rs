//! What came of a campaign, for machines.

use omnilink_engine::Exhausted;
use serde_json::{Value, json};

use crate::campaign::{Failure, Summary};
use crate::diagnosis::Diagnosis;
use crate::execution::{MatrixRun, RunEnding, RunEvent};
use crate::page::{Subject, coverage_json, undecided_text};
use crate::slot::{CallSlot, Lane};
use crate::verdict::{Phase, Verdict};
use crate::words::Words;

/// One object: `input`, `verdict` (`valid`, `violation`, `nondeterministic` or `unknown`), figures, and the evidence.
pub fn summary_json(subject: Subject<'_>, summary: &Summary) -> Value {
    let mut object = json!({
        "input": subject.name,
        "verdict": verdict_name(summary),
        "specification": subject.specification,
        "matrices": summary.matrices,
        "undecided": summary.undecided,
        "executions": summary.executions,
        "serial_histories": summary.serial_histories,
        "serial_stuck": summary.serial_stuck,
        "phases": summary.phases.iter().map(phase_json).collect::<Vec<_>>(),
        "coverage": coverage_json(subject, summary),
        "unknown": summary.first_undecided.as_ref().map(|checked| undecided_text(checked, subject.alphabet)),
        "limit": summary.limit.map(Exhausted::word),
        "seconds": summary.seconds,
        "executions_per_second": summary.executions as f64 / summary.seconds.max(1e-9),
    });
    if let (Some(failure), Some(object)) = (&summary.failure, object.as_object_mut()) {
        object.insert("failure".to_owned(), failure_json(subject, failure));
    }
    object
}

fn verdict_name(summary: &Summary) -> &'static str {
    match summary.failure.as_ref().map(|failure| &failure.smallest.verdict) {
        Some(Verdict::Nondeterministic(_)) => "nondeterministic",
        Some(_) => "violation",
        None if !summary.is_complete || summary.undecided == summary.matrices => "unknown",
        None => "valid",
    }
}

fn phase_json(phase: &Phase) -> Value {
    json!({
        "preemptions": phase.bound,
        "executions": phase.executions,
        "histories": phase.histories,
        "checked": phase.checked,
        "stuck": phase.stuck,
        "crashed": phase.crashed,
        "cut": phase.cut,
        "diverged": phase.diverged,
        "complete": phase.is_complete,
        "seconds": phase.seconds,
    })
}

fn failure_json(subject: Subject<'_>, failure: &Failure) -> Value {
    let checked = &failure.smallest;
    let words = Words {
        alphabet: subject.alphabet,
        matrix: &checked.matrix,
        results: &checked.results,
    };
    let mut object = json!({
        "found": failure.found.display(subject.alphabet).to_string(),
        "matrix": checked.matrix.display(subject.alphabet).to_string(),
        "shrink_seconds": failure.shrink_seconds,
        "serial_histories": checked.serial.len(),
    });
    let fields = match &checked.verdict {
        Verdict::Violation(violation) => json!({
            "diagnosis": Diagnosis::of(checked).map(|diagnosis| diagnosis.headline()),
            "events": events_json(words, &violation.execution),
            "ending": ending_name(&violation.execution.ending),
            "preemptions": violation.execution.preemptions,
            "schedule": violation.execution.schedule.to_string(),
            "switch_at": violation.execution.racy_accesses.iter().map(|place| format!("{place:x}")).collect::<Vec<_>>(),
            "races": violation.execution.races.iter().filter(|race| !race.is_inconclusive).map(|race| {
                race.accesses.iter().map(ToString::to_string).collect::<Vec<_>>()
            }).collect::<Vec<_>>(),
            "memory_error": violation.execution.memory_error.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "repeatable": failure.is_repeatable,
        }),
        Verdict::Nondeterministic(two) => json!({
            "diagnosis": "nondeterministic",
            "one": words.steps(&two.one),
            "other": words.steps(&two.other),
        }),
        Verdict::Passed | Verdict::Unknown(_) => json!({}),
    };
    if let (Some(object), Some(fields)) = (object.as_object_mut(), fields.as_object()) {
        object.extend(fields.clone());
    }
    object
}

fn events_json(words: Words<'_>, execution: &MatrixRun) -> Vec<Value> {
    let event = |event: &RunEvent| match event {
        RunEvent::Call(slot) => json!({ "thread": lane_json(*slot), "call": words.call(*slot) }),
        RunEvent::Return(slot, result) => {
            json!({ "thread": lane_json(*slot), "return": words.call(*slot), "result": &**result })
        }
    };
    execution.events.iter().map(event).collect()
}

fn lane_json(slot: CallSlot) -> Value {
    match slot.lane {
        Lane::Thread(thread) => json!(thread),
        lane => json!(lane.to_string()),
    }
}

fn ending_name(ending: &RunEnding) -> &'static str {
    match ending {
        RunEnding::Finished => "finished",
        RunEnding::Stuck(_) => "stuck",
        RunEnding::Crashed { .. } => "crashed",
        RunEnding::Cut(_) => "cut",
        RunEnding::Diverged => "diverged",
    }
}
