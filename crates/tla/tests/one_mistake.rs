//! One mistake gives one error: every token of every golden spec is spoilt in turn, and what is said is counted.

mod common;
#[path = "common/mutation.rs"]
mod mutation;

use std::path::{Path, PathBuf};

use common::{files, golden};
use mutation::{Mutable, Random};
use omnilink_tla::diagnostic::{Class, Diagnostic};
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::semantics::{Loaded, load_text};
use omnilink_tla::source::SourceId;
use omnilink_tla::syntax::operators::Op;
use omnilink_tla::syntax::token::{Token, TokenKind};
use omnilink_tla::syntax::tokenize;

/// One way to spoil a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    /// It is not there.
    Forgotten,
    /// It is there twice.
    Doubled,
    /// A name is misspelled.
    Misspelled,
    /// `=` for `==` or the other way round.
    Confused,
    /// A bracket too many before it.
    Bracketed,
    /// It has a prime too many.
    Primed,
    /// It stands a column too far left.
    Outdented,
    /// It is EXTENDS, and its line is not there.
    NotExtended,
}

const SLIPS: [Slip; 8] = [
    Slip::Forgotten,
    Slip::Doubled,
    Slip::Misspelled,
    Slip::Confused,
    Slip::Bracketed,
    Slip::Primed,
    Slip::Outdented,
    Slip::NotExtended,
];

/// The text with one token spoilt, where that slip can be made there.
fn spoilt(text: &str, token: &Token, slip: Slip) -> Option<String> {
    let (start, end) = (token.start as usize, token.end as usize);
    let word = text.get(start..end)?;
    let named = token.kind == TokenKind::Identifier;
    let with = |new: &str| Some(format!("{}{new}{}", &text[..start], &text[end..]));
    match slip {
        Slip::Forgotten => with(""),
        Slip::Doubled => with(&format!("{word} {word}")),
        // As long as before, so that no bullet after it moves.
        Slip::Misspelled if named => with(&format!("{}Z", &word[..word.len() - 1])),
        Slip::Confused if token.kind == TokenKind::Define => with("="),
        Slip::Confused if token.kind == TokenKind::Operator(Op::Equal) => with("=="),
        Slip::Bracketed => with(&format!("({word}")),
        Slip::Primed if named => with(&format!("{word}'")),
        Slip::Outdented if token.bullet && text[..start].ends_with("  ") => {
            Some(format!("{}{} {}", &text[..start - 1], word, &text[end..]))
        }
        Slip::NotExtended if word == "EXTENDS" => {
            let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let rest = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
            Some(format!("{}{}", &text[..line], &text[rest..]))
        }
        _ => None,
    }
}

fn load(path: &Path, text: String) -> Loaded {
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    load_text(path, text, &SearchPath::default().with_first(folder))
}

fn said(loaded: &Loaded) -> Vec<String> {
    let errors = loaded.diagnostics.iter().filter(|d| d.is_error());
    let place = |d: &Diagnostic| loaded.spec.sources.get(d.source).place(d.span.start);
    errors
        .map(|d| {
            format!(
                "{}:{} {}: {}",
                place(d).line,
                place(d).column,
                d.class.word(),
                d.message
            )
        })
        .collect()
}

/// Slips that really are two mistakes: without its symbol, a definition defines its parameter instead.
const TWO_MISTAKES: [&str; 2] = ["Ac12.tla:3 Forgotten `^+`", "Ac12.tla:4 Forgotten `-.`"];

#[test]
fn one_slip_gives_at_most_one_error() {
    let mut specs = files(&golden("parse/accept"), ".tla");
    specs.extend(files(&golden("specs"), ".tla"));
    let (mut tried, mut refused, mut several) = (0, 0, Vec::new());
    for path in &specs {
        let text = std::fs::read_to_string(path).unwrap();
        let tokens = tokenize(SourceId(0), &text, 0, &mut Vec::new());
        for token in &tokens {
            for slip in SLIPS {
                let Some(spoilt) = spoilt(&text, token, slip) else {
                    continue;
                };
                tried += 1;
                let said = said(&load(path, spoilt));
                refused += usize::from(!said.is_empty());
                let line = text[..token.start as usize].matches('\n').count() + 1;
                let word = &text[token.start as usize..token.end as usize];
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let slip = format!("{name}:{line} {slip:?} `{word}`");
                if said.len() > 1 && !TWO_MISTAKES.contains(&slip.as_str()) {
                    several.push(format!("{slip}\n      {}", said.join("\n      ")));
                }
            }
        }
    }
    println!(
        "{tried} slips, {refused} refused, {} with several errors",
        several.len()
    );
    assert!(several.is_empty(), "{}", several.join("\n"));
}

#[test]
fn one_random_edit_gives_at_most_one_error() {
    let mut specs = files(&golden("parse/accept"), ".tla");
    specs.extend(files(&golden("specs"), ".tla"));
    let mut random = Random::new(20_261_115);
    let (mut tried, mut refused, mut several) = (0, 0, Vec::new());
    for path in &specs {
        let text = std::fs::read_to_string(path).unwrap();
        let mutable = Mutable::new(&text);
        for _ in 0..120 {
            let Some((edit, edited)) = mutable.edited(&mut random) else {
                continue;
            };
            tried += 1;
            let said = said(&load(path, edited.clone()));
            refused += usize::from(!said.is_empty());
            if said.len() > 1 {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let changed = text.lines().zip(edited.lines()).find(|(old, new)| old != new);
                several.push(format!(
                    "{name}: {edit} {changed:?}\n      {}",
                    said.join("\n      ")
                ));
            }
        }
    }
    println!(
        "{tried} edits, {refused} refused, {} with several errors",
        several.len()
    );
    assert!(refused > 1000 && several.is_empty(), "{}", several.join("\n"));
}

/// The first slip of a kind in each definition of a module that gives one error of the class, in that definition.
fn slips_by_definition(path: &Path, text: &str, slip: Slip, class: Class) -> Vec<Token> {
    let tokens = tokenize(SourceId(0), text, 0, &mut Vec::new());
    let begins = |token: &Token| token.begins_definition && token.column == 0;
    let mut found = Vec::new();
    for definition in tokens.chunk_by(|_, next| !begins(next)).skip(1) {
        let (Some(first), Some(last)) = (definition.first(), definition.last()) else {
            continue;
        };
        let wanted = definition.iter().skip(1).find(|token| {
            let Some(spoilt) = spoilt(text, token, slip) else {
                return false;
            };
            let loaded = load(path, spoilt);
            let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.is_error()).collect();
            // An error at the beginning of the next definition is one too many for what is to be seen here.
            let inside = |d: &Diagnostic| d.span.start >= first.start && d.span.end <= last.end;
            matches!(errors.as_slice(), [error] if error.class == class && inside(error))
        });
        found.extend(wanted.copied());
    }
    found
}

#[test]
fn two_slips_in_two_definitions_give_two_errors() {
    let mut specs = files(&golden("parse/accept"), ".tla");
    specs.extend(files(&golden("specs"), ".tla"));
    let (mut tried, mut lost) = (0, Vec::new());
    for path in &specs {
        let text = std::fs::read_to_string(path).unwrap();
        // What goes through an instance or into a definition may fail because of what is there.
        if text.contains('!') {
            continue;
        }
        for (slip, class) in [
            (Slip::Doubled, Class::Parse),
            (Slip::Forgotten, Class::Parse),
            (Slip::Misspelled, Class::Undefined),
            (Slip::Primed, Class::Level),
        ] {
            let slips = slips_by_definition(path, &text, slip, class);
            for pair in slips.windows(2) {
                let [first, second] = pair else { continue };
                let word = |token: &Token| text.get(token.start as usize..token.end as usize).unwrap_or("");
                let misspelled = |token: &Token| word(token).split_at(word(token).len() - 1).0;
                if slip == Slip::Misspelled && misspelled(first) == misspelled(second) {
                    continue;
                }
                let later = spoilt(&text, second, slip).unwrap_or_default();
                let both = spoilt(&later, first, slip).unwrap_or_default();
                let said = said(&load(path, both));
                tried += 1;
                if said.len() < 2 {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let words = (word(first), word(second));
                    lost.push(format!("{name}: {slip:?} {words:?}: {said:?}"));
                }
            }
        }
    }
    println!("{tried} pairs of slips");
    assert!(tried > 0 && lost.is_empty(), "{}", lost.join("\n"));
}
