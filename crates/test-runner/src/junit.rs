//! Results as JUnit writes them.

use omnilink_report::xml_text;

use crate::report::{self, headline, obstacle_words, stop_words};
use crate::test_run::TestResult;

/// Results as JUnit writes them, for programs that show test results.
pub fn junit(results: &[TestResult]) -> String {
    let failures = results.iter().filter(|result| result.failure.is_some()).count();
    let skipped = results
        .iter()
        .filter(|result| open_reason(result).is_some())
        .count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"omnilink test\" tests=\"{}\" failures=\"{failures}\" skipped=\"{skipped}\">\n",
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
            xml_text(&class),
            xml_text(name),
            result.duration.as_secs_f64()
        ));
        let reason = open_reason(result);
        text.push_str(&match (&result.failure, reason) {
            (Some(found), _) => format!(
                "><failure message=\"{}\">{}</failure></testcase>\n",
                xml_text(&headline(&found.failure.kind)),
                xml_text(&report::failure(result, found))
            ),
            (None, Some(reason)) => format!("><skipped message=\"{}\"/></testcase>\n", xml_text(reason)),
            (None, None) => "/>\n".to_owned(),
        });
    }
    text.push_str("</testsuite>\n</testsuites>\n");
    text
}

/// Why a test that did not fail has not passed either.
fn open_reason(result: &TestResult) -> Option<&'static str> {
    match &result.failure {
        Some(_) => None,
        None => result
            .obstacle
            .map(obstacle_words)
            .or(result.stopped.map(stop_words)),
    }
}
