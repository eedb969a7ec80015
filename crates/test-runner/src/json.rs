//! Results for other programs: JSON and JUnit.

use serde_json::{Value, json};

use crate::report::{self, headline, obstacle_words};
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

/// Results as JUnit writes them, for programs that show test results.
pub fn junit(results: &[TestResult]) -> String {
    let failures = results.iter().filter(|result| result.failure.is_some()).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"omnilink test\" tests=\"{}\" failures=\"{failures}\">\n",
        results.len()
    );
    for result in results {
        let (class, name) = match result.test.name.rsplit_once("::") {
            Some((module, name)) => (
                format!("{}.{}", result.test.target, module.replace("::", ".")),
                name,
            ),
            None => (result.test.target.clone(), result.test.name.as_str()),
        };
        text.push_str(&format!(
            "<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
            escaped(&class),
            escaped(name),
            result.duration.as_secs_f64()
        ));
        match &result.failure {
            None => text.push_str("/>\n"),
            Some(found) => text.push_str(&format!(
                "><failure message=\"{}\">{}</failure></testcase>\n",
                escaped(&headline(&found.failure.kind)),
                escaped(&report::failure(result, found))
            )),
        }
    }
    text.push_str("</testsuite>\n</testsuites>\n");
    text
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            // XML has no way to write these.
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
