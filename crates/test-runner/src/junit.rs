//! Results as JUnit writes them.

use crate::report::{self, headline};
use crate::test_run::TestResult;

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
