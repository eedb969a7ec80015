//! Evidence as a JUnit report: a test case per input.

use omnilink_evidence::{Command, Evidence, Verdict};

use crate::headline::{command_word, headline};
use crate::look::Look;
use crate::text::{TextOptions, text};

/// Evidence as a JUnit report. A violation is a failure, what cannot be checked is an error, what was not decided is skipped.
pub fn junit(evidence: &[Evidence]) -> String {
    let count = |verdict: Verdict| evidence.iter().filter(|one| one.verdict == verdict).count();
    let seconds: f64 = evidence.iter().map(|one| one.figures.seconds).sum();
    let mut page = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"omnilink\" tests=\"{}\" failures=\"{}\" \
         errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\">\n",
        evidence.len(),
        count(Verdict::Violation),
        count(Verdict::Error),
        count(Verdict::Unknown)
    );
    for one in evidence {
        let name = match &one.id {
            Some(id) => format!("{}: {id}", one.input),
            None => one.input.clone(),
        };
        // Viewers group tests by their modules.
        let (class, name) = match (one.command, name.rsplit_once("::")) {
            (Command::Test, Some((module, test))) => (module.replace("::", "."), test.to_owned()),
            (command, _) => (format!("omnilink.{}", command_word(command)), name),
        };
        page.push_str(&format!(
            "<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\">",
            xml_text(&class),
            xml_text(&name),
            one.figures.seconds
        ));
        let message = xml_text(&headline(one).text);
        let report = || xml_text(&text(one, &TextOptions::from(Look::plain())));
        page.push_str(&match one.verdict {
            Verdict::Valid => String::new(),
            Verdict::Violation => format!("<failure message=\"{message}\">{}</failure>", report()),
            Verdict::Error => format!("<error message=\"{message}\"/>"),
            Verdict::Unknown => format!("<skipped message=\"{message}\"/>"),
        });
        page.push_str("</testcase>\n");
    }
    page.push_str("</testsuite>\n</testsuites>\n");
    page
}

/// Text for XML, without the characters that XML does not allow.
fn xml_text(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}')
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}
