//! Evidence as Markdown, for a comment on a pull request.

use omnilink_evidence::{Evidence, Verdict};

use crate::headline::{command_word, headline};
use crate::look::Look;
use crate::text::{TextOptions, text};

/// Evidence as Markdown: a heading per input with its answer, the report folded below it.
pub fn markdown(evidence: &[Evidence]) -> String {
    let mut page = String::new();
    for one in evidence {
        let sign = match one.verdict {
            Verdict::Valid => "✅",
            Verdict::Violation => "❌",
            Verdict::Unknown => "❔",
            Verdict::Error => "⚠️",
        };
        let answer = headline(one);
        page.push_str(&format!(
            "### {sign} {}: {}\n\n{}\n\n",
            one.verdict.word(),
            escaped(&one.input),
            escaped(&answer.text)
        ));
        let report = text(one, &TextOptions::from(Look::plain()));
        let fence = fence_for(&report);
        let open = if one.verdict == Verdict::Violation {
            " open"
        } else {
            ""
        };
        page.push_str(&format!(
            "<details{open}><summary>{}, {}</summary>\n\n{fence}text\n{}\n{fence}\n\n</details>\n\n",
            match &one.test {
                Some(test) => format!("{} schedules", test.schedules),
                None => format!("{} operations", one.figures.ops),
            },
            escaped(one.model.as_deref().unwrap_or(command_word(one.command))),
            report.trim_end()
        ));
    }
    page
}

/// Text of a trace as text, not as Markdown or HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '@' | '!' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// More backticks than the text has in a row.
fn fence_for(text: &str) -> String {
    let longest = text
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}
