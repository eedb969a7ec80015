//! The file of an algorithm: whether it has a translation, and the file with a new one.

use crate::Translation;
use crate::lexer::tokenize;
use crate::locate::{AlgorithmPlace, Markers};
use crate::token::TokenKind;

/// Whether there is something between the markers.
pub fn has_translation(text: &str, markers: &Markers) -> bool {
    !tokenize(text, markers.between.start, markers.between.end)
        .tokens
        .is_empty()
}

/// Whether the author of a file has switched the comparison of its algorithm and its translation off: `chksum(pcal) \in STRING`.
pub fn is_unchecked(text: &str, markers: &Markers) -> bool {
    let line: String = text[markers.begin.clone()].split_whitespace().collect();
    line.contains("cal)\\inSTRING")
}

/// Whether a text defines what a translation defines, outside of comments: then its algorithm is only a description.
pub fn has_behaviour(text: &str) -> bool {
    let tokens = tokenize(text, 0, text.len()).tokens;
    tokens.windows(2).any(|pair| {
        let [name, mark] = pair else { return false };
        let is_made = matches!(&*name.text, "Init" | "Next" | "Spec" | "vars");
        is_made && name.kind == TokenKind::Word && name.gap.is_none() && mark.is("==")
    })
}

/// The file with a translation: between its markers, or in the lines after the comment of the algorithm.
///
/// The markers have no checksums afterwards: that of the algorithm can only be computed by the reference translator, and TLC warns if it is
/// wrong.
pub fn with_translation(
    text: &str,
    place: &AlgorithmPlace,
    markers: Option<&Markers>,
    translation: &Translation,
) -> String {
    let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines = translation.text.trim_end().replace('\n', end_of_line);
    let lines = format!("{lines}{end_of_line}{end_of_line}");
    match markers {
        Some(markers) => {
            let begin = &text[markers.begin.clone()];
            let begin = match begin.find("(chksum").or_else(|| begin.find("(checksum")) {
                Some(at) => begin[..at].trim_end(),
                None => begin,
            };
            format!(
                "{}{begin}{end_of_line}{lines}{}",
                &text[..markers.begin.start],
                &text[markers.end.start..]
            )
        }
        None => {
            let before = &text[..place.next_line];
            let line = if before.ends_with('\n') { "" } else { end_of_line };
            format!(
                "{before}{line}\\* BEGIN TRANSLATION{end_of_line}{lines}\\* END TRANSLATION{end_of_line}{}",
                &text[place.next_line..]
            )
        }
    }
}
