//! Evidence as annotations of GitHub Actions: lines that its runner shows beside the code.

use omnilink_evidence::{Evidence, Verdict};

use crate::headline::{command_word, headline};

/// One line per input that is not valid: `::error file=…,line=…,title=…::…`.
pub fn annotations(evidence: &[Evidence]) -> String {
    let mut lines = String::new();
    for one in evidence {
        let level = match one.verdict {
            Verdict::Valid => continue,
            Verdict::Unknown => "warning",
            Verdict::Violation | Verdict::Error => "error",
        };
        let answer = headline(one);
        let line = answer
            .line
            .map(|line| format!("line={line},"))
            .unwrap_or_default();
        let place = answer
            .file
            .map(|file| format!("file={},{line}", property(&file)))
            .unwrap_or_default();
        lines.push_str(&format!(
            "::{level} {place}title={}::{}\n",
            property(&format!(
                "omnilink {}: {}",
                command_word(one.command),
                one.verdict.word()
            )),
            message(&answer.text)
        ));
    }
    lines
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
