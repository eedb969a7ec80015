//! Translations of PlusCal algorithms that are not those of the algorithms next to them.
//!
//! The translator writes two checksums next to a translation. That of the translation is computed again here. That of the algorithm is one of the
//! translator's own data, which only the translator has. Instead, what stands in the algorithm is compared with what stands in the translation: expressions
//! are copied from one to the other as they are, so each number, string and comparison in one of them is in the other, and so is each name of the
//! algorithm. Of macros, which are copied only where they are used, nothing is required. What differs was edited after it was translated; an edit
//! that leaves all of these as they are, such as an exchange of two statements, is not noticed.

use std::collections::BTreeSet;

use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::source::{SourceId, Span};

/// What is to be done about it.
const TRANSLATE_AGAIN: &str = "translate the algorithm again, with the PlusCal translator of the TLA+ tools (`pcal.trans`) or of an editor";

/// The warning that the translation in a text is not that of its algorithm; `None` if there is none, or nothing shows that it is stale.
pub fn stale_translation(source: SourceId, text: &str) -> Option<Diagnostic> {
    let algorithm = Algorithm::of(text)?;
    let translation = Translation::of(text)?;
    let message = if translation.is_edited() {
        "the translation was changed after the translator wrote it: its checksum is another one".to_owned()
    } else if translation.is_checked {
        let difference = algorithm.difference(&tokens(translation.text))?;
        format!("the algorithm was changed after it was translated: {difference}")
    } else {
        return None;
    };
    let span = Span {
        start: translation.begin as u32,
        end: translation.begin as u32 + BEGIN.len() as u32,
    };
    Some(Diagnostic::warning(Class::Translation, source, span, message).help(TRANSLATE_AGAIN))
}

const BEGIN: &str = "BEGIN TRANSLATION";
const END: &str = "END TRANSLATION";

/// A translation in a text.
struct Translation<'t> {
    /// Where its first marker stands.
    begin: usize,
    /// The lines between its markers.
    text: &'t str,
    /// The checksum that the translator wrote, if there is one.
    checksum: Option<&'t str>,
    /// Whether the algorithm is to be compared: the author can say that it is not.
    is_checked: bool,
}

impl<'t> Translation<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let begin = text.find(BEGIN)?;
        let after = &text[begin..];
        let (marker, rest) = after.split_once('\n')?;
        let end = rest.find(END)?;
        let lines = &rest[..end];
        let lines = &lines[..lines.rfind('\n').map_or(0, |at| at + 1)];
        let compact: String = marker.split_whitespace().collect();
        let is_ignored = compact.contains("cal)\\inSTRING");
        Some(Self {
            begin,
            text: lines,
            checksum: checksum_in(marker),
            is_checked: !is_ignored,
        })
    }

    fn is_edited(&self) -> bool {
        let found = || {
            let lines: String = self.text.lines().collect();
            format!("{:x}", crc32(lines.as_bytes()))
        };
        self.checksum.is_some_and(|checksum| checksum != found())
    }
}

/// The checksum of the translation in the line of its first marker: `chksum(tla) = "c9223da2"`.
fn checksum_in(marker: &str) -> Option<&str> {
    let lower = marker.to_ascii_lowercase();
    let at = lower.find("sum(tla")?;
    let rest = &marker[at..];
    let rest = rest[rest.find(')')? + 1..].trim_start().strip_prefix('=')?;
    let rest = rest.trim_start().strip_prefix('"')?;
    Some(&rest[..rest.find('"')?])
}

/// The checksum of ISO 3309, which zip files have, too.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// A word, a number, a string or a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Token<'t> {
    Word(&'t str),
    Number(&'t str),
    Text(&'t str),
    Symbol(&'t str),
}

/// Symbols that no translation has of its own, and that are copied as they are.
const COPIED: [&str; 18] = [
    "<",
    "<=",
    "=<",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "..",
    "%",
    "^",
    "@@",
    ":>",
    "\\div",
    "\\subseteq",
    "\\leq",
    "\\geq",
    "\\union",
];

/// Symbols of more than one character.
const LONG: [&str; 21] = [
    "<=>", "|->", "=<", "<=", ">=", "..", "<<", ">>", "->", "<-", "==", "=>", "/\\", "\\/", ":=", "||", "~>",
    "[]", "<>", "@@", ":>",
];

/// The words of PlusCal.
const KEYWORDS: [&str; 33] = [
    "algorithm",
    "fair",
    "process",
    "procedure",
    "macro",
    "define",
    "begin",
    "end",
    "variable",
    "variables",
    "if",
    "then",
    "elsif",
    "else",
    "while",
    "do",
    "either",
    "or",
    "with",
    "await",
    "when",
    "assert",
    "print",
    "skip",
    "goto",
    "call",
    "return",
    "self",
    "TRUE",
    "FALSE",
    "_",
    "PlusCal",
    "options",
];

/// The tokens of a text, without comments.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("\\*") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("(*") {
            comment_length(rest)
        } else if first == '"' {
            let length = string_length(rest);
            found.push(Token::Text(rest[1..length].trim_end_matches('"')));
            length
        } else if is_word(first) {
            let length = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
            let word = &rest[..length];
            found.push(match word.bytes().all(|byte| byte.is_ascii_digit()) {
                true => Token::Number(word),
                false => Token::Word(word),
            });
            length
        } else if first.is_whitespace() {
            first.len_utf8()
        } else {
            let long = LONG.iter().find(|symbol| rest.starts_with(**symbol));
            let length = match (long, first) {
                (Some(symbol), _) => symbol.len(),
                (None, '\\') => {
                    let named = rest[1..].find(|char: char| !char.is_ascii_alphabetic());
                    1 + named.unwrap_or(rest.len() - 1)
                }
                _ => first.len_utf8(),
            };
            found.push(Token::Symbol(&rest[..length]));
            length
        };
        rest = &rest[length..];
    }
    found
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The length of the comment that a text begins with, nested ones included.
fn comment_length(text: &str) -> usize {
    let mut depth = 0u32;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("(*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*)") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of the string that a text begins with.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            '"' | '\n' if !is_escaped => return at + char.len_utf8(),
            _ => is_escaped = char == '\\' && !is_escaped,
        }
    }
    text.len()
}

/// The tokens of an algorithm.
struct Algorithm<'t> {
    all: Vec<Token<'t>>,
    /// Those outside of macros, without labels.
    copied: Vec<Token<'t>>,
    /// The names of macros.
    macros: BTreeSet<&'t str>,
}

impl<'t> Algorithm<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let words = ["--algorithm", "--fair"];
        let (begin, word) = words
            .iter()
            .filter_map(|word| Some((text.find(word)?, *word)))
            .min()?;
        let body = &text[begin + word.len()..];
        // It stands in a comment, which ends after it.
        let mut all = tokens(&body[..comment_end(body)]);
        let fair = [Token::Word("algorithm")];
        let name = usize::from(word == "--fair" && all.starts_with(&fair));
        all = all.split_off(name.min(all.len()));
        // The name of the algorithm comes first.
        if !all.is_empty() {
            all.remove(0);
        }
        let end = match all.first() {
            Some(Token::Symbol("{")) => closing(&all, 0),
            _ => all
                .windows(2)
                .position(|pair| pair == [Token::Word("end"), Token::Word("algorithm")]),
        };
        all.truncate(end?);
        let mut copied = Vec::new();
        let mut macros = BTreeSet::new();
        let mut at = 0;
        while let Some(token) = all.get(at) {
            match (token, all.get(at + 1)) {
                (Token::Word("macro"), Some(Token::Word(name))) => {
                    macros.insert(*name);
                    at = macro_end(&all, at)?;
                }
                // A label is no expression. It may have a sign.
                (Token::Word(_), Some(Token::Symbol(":"))) => {
                    let has_sign = matches!(all.get(at + 2), Some(Token::Symbol("+" | "-")));
                    at += 2 + usize::from(has_sign);
                }
                _ => {
                    copied.push(*token);
                    at += 1;
                }
            }
        }
        Some(Self { all, copied, macros })
    }

    /// Something that is in the algorithm or in its translation, and not in the other.
    fn difference(&self, translation: &[Token<'_>]) -> Option<String> {
        let translated: BTreeSet<Token<'_>> = translation.iter().copied().collect();
        let names: BTreeSet<&str> = translation
            .iter()
            .filter_map(|token| match token {
                Token::Word(name) | Token::Text(name) => Some(*name),
                Token::Number(_) | Token::Symbol(_) => None,
            })
            .collect();
        // A name that is used twice is renamed: x becomes x_p.
        let is_name = |name: &str| {
            let renamed = format!("{name}_");
            names.contains(name) || names.iter().any(|known| known.starts_with(&renamed))
        };
        for token in &self.copied {
            let missing = match token {
                Token::Number(text) => (!translated.contains(token)).then(|| (*text).to_owned()),
                Token::Text(text) => (!translated.contains(token)).then(|| format!("\"{text}\"")),
                Token::Symbol(text) => {
                    (COPIED.contains(text) && !translated.contains(token)).then(|| (*text).to_owned())
                }
                Token::Word(name) => {
                    let is_own = !KEYWORDS.contains(name) && !self.macros.contains(name);
                    (is_own && !is_name(name)).then(|| (*name).to_owned())
                }
            };
            if let Some(missing) = missing {
                return Some(format!(
                    "`{missing}` is in the algorithm, but not in its translation"
                ));
            }
        }
        let written: BTreeSet<Token<'_>> = self.all.iter().copied().collect();
        translation.iter().find_map(|token| {
            let text = match token {
                Token::Number(text) => *text,
                Token::Symbol(text) if COPIED.contains(text) => *text,
                _ => return None,
            };
            let is_missing = !written.contains(token);
            is_missing.then(|| format!("`{text}` is in the translation, but not in the algorithm"))
        })
    }
}

/// Where the comment around a text ends.
fn comment_end(text: &str) -> usize {
    let mut depth = 1u32;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("(*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*)") {
            depth -= 1;
            if depth == 0 {
                return at;
            }
            at += 2;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The position of the brace that closes the one at a position.
fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Symbol("{") => depth += 1,
            Token::Symbol("}") => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The position after the macro that begins at a position.
fn macro_end(tokens: &[Token<'_>], start: usize) -> Option<usize> {
    let rest = &tokens[start..];
    let body = start + rest.iter().position(|token| *token == Token::Symbol(")"))? + 1;
    if tokens.get(body) == Some(&Token::Symbol("{")) {
        return Some(closing(tokens, body)? + 1);
    }
    let end = tokens[body..]
        .windows(2)
        .position(|pair| pair == [Token::Word("end"), Token::Word("macro")])?;
    Some(body + end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"---- MODULE Alg ----
EXTENDS Naturals
(* --algorithm a
variables x = 0;
begin
  L: while x < 3 do x := x + 1; end while;
end algorithm;
What follows the algorithm in its comment is none of it: 77. ****)
\* BEGIN TRANSLATION (chksum(pcal) = "ecf76c3" /\ chksum(tla) = "CHECKSUM")
VARIABLES pc, x

vars == << pc, x >>

Init == (* Global variables *)
        /\ x = 0
        /\ pc = "L"

L == /\ pc = "L"
     /\ IF x < 3
           THEN /\ x' = x + 1
                /\ pc' = "L"
           ELSE /\ pc' = "Done"
                /\ x' = x

Next == L
Spec == Init /\ [][Next]_vars
\* END TRANSLATION
===="#;

    fn warning(text: &str) -> Option<String> {
        let lines: String = Translation::of(text)?.text.lines().collect();
        let checksum = format!("{:x}", crc32(lines.as_bytes()));
        found(&text.replace("CHECKSUM", &checksum))
    }

    fn found(text: &str) -> Option<String> {
        stale_translation(SourceId(0), text).map(|warning| warning.message)
    }

    #[test]
    fn the_checksum_is_that_of_the_translator() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        let of_translator = "---- MODULE F ----\n(* --algorithm F {\n  variables n = 0;\n  { A: n := 1; }\n} *)\n\
            \\* BEGIN TRANSLATION (chksum(pcal) = \"865eedaf\" /\\ chksum(tla) = \"54896e69\")\nVARIABLES pc, n\nvars == <<pc, n>>\n\
            Init == n = 0 /\\ pc = \"A\"\nA == pc = \"A\" /\\ n' = 1 /\\ pc' = \"Done\"\nTerminating == pc = \"Done\" /\\ UNCHANGED vars\n\
            Next == A \\/ Terminating\nSpec == Init /\\ [][Next]_vars\nTermination == <>(pc = \"Done\")\n\\* END TRANSLATION\n====";
        assert_eq!(found(of_translator), None);
        let edited = of_translator.replace("n' = 1", "n' = 2");
        assert!(found(&edited).is_some_and(|message| message.contains("checksum")));
    }

    #[test]
    fn an_algorithm_that_was_edited_is_noticed() {
        assert_eq!(warning(MODULE), None);
        for (from, to, shown) in [
            ("while x < 3", "while x < 4", "`4` is in the algorithm"),
            ("while x < 3", "while x <= 3", "`<=` is in the algorithm"),
            ("while x < 3", "while TRUE", "`<` is in the translation"),
            ("x := x + 1", "x := x + n", "`n` is in the algorithm"),
            (
                "x := x + 1",
                "print \"more\"; x := x + 1",
                "`\"more\"` is in the algorithm",
            ),
        ] {
            let edited = MODULE.replacen(from, to, 1);
            let message = warning(&edited);
            assert!(
                message.as_ref().is_some_and(|message| message.contains(shown)),
                "{to}: {message:?}"
            );
            let ignored = edited.replace("chksum(pcal) = \"ecf76c3\"", "chksum(pcal) \\in STRING");
            assert_eq!(warning(&ignored), None, "the author said so");
            let without = edited.replace(" (chksum(pcal) = \"ecf76c3\" /\\ chksum(tla) = \"CHECKSUM\")", "");
            assert!(
                warning(&without).is_some(),
                "{to}: a translation of an old translator"
            );
        }
    }

    #[test]
    fn what_the_translator_changes_is_no_difference() {
        for (from, to) in [
            // Labels with signs, macros that nothing uses, comments, and names that are renamed.
            ("  L: while", "  L:- while"),
            ("begin\n", "macro unused(v) begin v := 99 * 7 end macro;\nbegin\n"),
            ("x := x + 1", "(* 5 * 5 *) x := x + 1 \\* 88 * 8\n"),
        ] {
            assert_eq!(warning(&MODULE.replacen(from, to, 1)), None, "{to}");
        }
        let renamed = MODULE
            .replace("variables x", "variables y")
            .replace("while x", "while y");
        let renamed = renamed.replace("x := x + 1", "y := y + 1").replace(" x", " y_a");
        assert_eq!(warning(&renamed), None);
        assert_eq!(
            warning(&MODULE.replace("--algorithm a", "--fair algorithm a")),
            None
        );
        assert_eq!(found("---- MODULE M ----\n===="), None);
        assert_eq!(found(&MODULE.replace("--algorithm", "no algorithm")), None);
    }
}
