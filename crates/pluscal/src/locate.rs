//! Where an algorithm stands in a file, and where its translation does.
//!
//! An algorithm begins at the first `--algorithm` or `--fair algorithm` of the file, and stands in a comment. Its translation stands between two
//! lines with `BEGIN TRANSLATION` and `END TRANSLATION`.

use std::ops::Range;

use omnilink_tla_syntax::source::Span;

use crate::fault::{AlgorithmError, AlgorithmErrorKind};
use crate::lexer::tokenize;
use crate::token::Token;

/// Where an algorithm stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmPlace {
    /// The word `--algorithm` or `--fair`.
    pub word: Span,
    /// The first byte after the word `algorithm`.
    pub start: usize,
    /// The end of the comment that it stands in, without its `*)`.
    pub end: usize,
    /// The first byte of the line after the comment.
    pub next_line: usize,
    /// Whether it is a `--fair algorithm`.
    pub is_fair: bool,
}

/// Where a translation stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Markers {
    /// The line of the first marker, without its end.
    pub begin: Range<usize>,
    /// The lines between the two markers.
    pub between: Range<usize>,
    /// The line of the second marker, without its end.
    pub end: Range<usize>,
}

/// Whether a token can follow the name of an algorithm.
pub(crate) fn begins_algorithm(token: &Token) -> bool {
    const WORDS: [&str; 9] = [
        "{",
        "variable",
        "variables",
        "define",
        "macro",
        "procedure",
        "process",
        "fair",
        "begin",
    ];
    WORDS.iter().any(|word| token.is(word))
}

/// Whether a text has an algorithm, and not only prose about one: a name and the beginning of an algorithm follow the word.
pub fn has_algorithm(text: &str) -> bool {
    let Ok(place) = find_algorithm(text) else {
        return false;
    };
    match &*tokenize(text, place.start, place.end).tokens {
        [name, next, ..] => name.is_name() && begins_algorithm(next),
        _ => false,
    }
}

/// Finds the algorithm of a text.
pub fn find_algorithm(text: &str) -> Result<AlgorithmPlace, AlgorithmError> {
    let words = ["--algorithm", "--fair"];
    let first = words
        .iter()
        .filter_map(|word| Some((text.find(word)?, *word)))
        .min();
    let Some((at, word)) = first else {
        let fault = AlgorithmError::new(
            AlgorithmErrorKind::NoAlgorithm,
            Span::default(),
            "this file has no PlusCal algorithm",
        );
        return Err(fault.help(
            "an algorithm stands in a comment and begins with `--algorithm Name` or `--fair algorithm Name`",
        ));
    };
    let span = Span::new(at as u32, (at + word.len()) as u32);
    let is_fair = word == "--fair";
    let mut start = at + word.len();
    if is_fair {
        let rest = text[start..].trim_start();
        if !rest.starts_with("algorithm") {
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::Syntax,
                span,
                "`--fair` is not followed by `algorithm`",
            );
            return Err(fault.help(
                "the first `--algorithm` or `--fair` of a file begins its algorithm, even in a comment; write `--fair algorithm`, or other words in the comment",
            ));
        }
        start = text.len() - rest.len() + "algorithm".len();
    }
    let Some(end) = comment_end(text, at) else {
        // Text before a module is no part of it, so that an algorithm there needs no comment. Markers say where its translation goes.
        if let (Some(header), Ok(Some(_))) = (module_header(text, at), find_markers(text)) {
            return Ok(AlgorithmPlace {
                word: span,
                start,
                end: header,
                next_line: header,
                is_fair,
            });
        }
        let fault = AlgorithmError::new(
            AlgorithmErrorKind::Layout,
            span,
            "the comment around this algorithm is never closed",
        );
        return Err(fault.help(
            "an algorithm stands between `(*` and `*)`; comments nest, and a `(*` counts even in a `\\*` comment or in text before the algorithm",
        ));
    };
    let after = end + 2;
    let line_end = text[after..].find('\n').map_or(text.len(), |at| after + at);
    let trailing = text[after..line_end].trim_start();
    if !trailing.trim_end().is_empty() && !trailing.starts_with("\\*") {
        let from = line_end - trailing.len();
        let span = Span::new(from as u32, (from + trailing.trim_end().len()) as u32);
        let fault = AlgorithmError::new(
            AlgorithmErrorKind::Layout,
            span,
            "text follows the comment of the algorithm on the same line",
        );
        return Err(fault.help("begin a new line after `*)`: the translation goes there"));
    }
    Ok(AlgorithmPlace {
        word: span,
        start,
        end,
        next_line: (line_end + 1).min(text.len()),
        is_fair,
    })
}

/// The first word of another algorithm after the one of a text. Only one is translated.
pub fn ignored_algorithm(text: &str) -> Option<Span> {
    let from = find_algorithm(text).ok()?.end;
    let found = ["--algorithm", "--fair"].into_iter().flat_map(|word| {
        let places = text[from..].match_indices(word);
        places.map(move |(at, _)| (from + at, word))
    });
    let begins_comment = |at: usize| {
        let before = text[..at].trim_end();
        let stars = before.trim_end_matches('*');
        stars.len() < before.len() && stars.ends_with('(')
    };
    let (at, word) = found.filter(|(at, _)| begins_comment(*at)).min()?;
    Some(Span::new(at as u32, (at + word.len()) as u32))
}

/// The line of the first module that begins after a place.
fn module_header(text: &str, from: usize) -> Option<usize> {
    let mut start = from;
    for line in text[from..].split_inclusive('\n') {
        let name = line.trim_start().trim_start_matches('-');
        let dashes = line.trim_start().len() - name.len();
        if dashes >= 4 && name.trim_start().starts_with("MODULE") {
            return Some(start);
        }
        start += line.len();
    }
    None
}

/// Where the comment around a place ends.
fn comment_end(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 1u32;
    let mut at = from;
    while at + 1 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'(', b'*') => (depth, at) = (depth + 1, at + 2),
            (b'*', b')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
                at += 2;
            }
            _ => at += 1,
        }
    }
    None
}

/// Finds the translation of a text, if it has markers.
pub fn find_markers(text: &str) -> Result<Option<Markers>, AlgorithmError> {
    let mut begin: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.trim_end_matches(['\n', '\r']).len();
        at += line.len();
        match &begin {
            None if has_words(line, "BEGIN") => begin = Some(range),
            Some(begin) if has_words(line, "END") => {
                let start = text[begin.end..]
                    .find('\n')
                    .map_or(text.len(), |at| begin.end + at + 1);
                return Ok(Some(Markers {
                    begin: begin.clone(),
                    between: start..range.start,
                    end: range,
                }));
            }
            _ => {}
        }
    }
    let Some(begin) = begin else { return Ok(None) };
    let span = Span::new(begin.start as u32, begin.end as u32);
    let fault = AlgorithmError::new(
        AlgorithmErrorKind::Layout,
        span,
        "no line with `END TRANSLATION` follows this marker",
    );
    Err(fault.help("add a line `\\* END TRANSLATION` after the old translation, or remove this line"))
}

/// Whether a line has a word and `TRANSLATION`, with blanks between.
fn has_words(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let rest = &line[at + word.len()..];
        rest.starts_with([' ', '\t']) && rest.trim_start().starts_with("TRANSLATION")
    })
}
