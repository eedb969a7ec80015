//! Whether a stored translation is that of its algorithm.
//!
//! The reference translator writes two checksums beside a translation. That of the algorithm is one of its own data, which only it has. Instead, the
//! algorithm is translated again, and the definitions are compared token by token. What versions of the translator write differently does
//! not count: conjunction signs and parentheses, the order of `vars`, the frame of one variable, how `Next` allows termination, and the positions in
//! messages of assertions. `Spec` does not count either, because options on the command line decide its fairness.
//!
//! Tokens that are equal come from the same part of the algorithm, so positions in a stored translation can be shown there, too.

use std::collections::BTreeMap;

use omnilink_tla_syntax::source::Origin;

use crate::Translation;
use crate::lexer::tokenize;
use crate::locate::Markers;
use crate::token::{Token, TokenKind};

/// What comparing a stored translation with a new one gave.
#[derive(Debug)]
pub struct StoredComparison {
    /// The first definition that differs; `None` if the stored translation is that of the algorithm.
    pub difference: Option<Difference>,
    /// Whether `Spec` demands other fairness than the algorithm does. That is no difference, because options on the command line may demand it.
    pub has_other_fairness: bool,
    /// Where the parts of the stored translation come from, by positions in the file.
    pub origins: Vec<Origin>,
}

/// A definition that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name.
    pub name: String,
    /// How it differs.
    pub kind: DifferenceKind,
}

/// How a definition differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// It is only in the stored translation.
    OnlyStored,
    /// It is only in the new one.
    OnlyNew,
    /// It is in both, and means something else.
    Changed,
}

/// Compares the translation between the markers of a file with a new one.
pub fn compare(text: &str, markers: &Markers, new: &Translation) -> StoredComparison {
    let stored = tokenize(text, markers.between.start, markers.between.end).tokens;
    let made = tokenize(&new.text, 0, new.text.len()).tokens;
    let (stored, made) = (definitions(&stored), definitions(&made));
    let mut comparison = StoredComparison {
        difference: None,
        has_other_fairness: false,
        origins: Vec::new(),
    };
    let mut note = |name: &str, kind| {
        comparison.difference.get_or_insert_with(|| Difference {
            name: name.to_owned(),
            kind,
        });
    };
    let has_terminating = stored.contains_key("Terminating");
    for (name, tokens) in &made {
        let Some(others) = stored.get(name) else {
            let may_miss = matches!(*name, "Terminating" | "Termination" | "Spec");
            if !may_miss {
                note(name, DifferenceKind::OnlyNew);
            }
            continue;
        };
        let (mut left, mut right) = (essence(others), essence(tokens));
        match *name {
            "Spec" => {
                comparison.has_other_fairness = fairness(others) != fairness(tokens);
                continue;
            }
            "vars" => {
                left.sort();
                right.sort();
            }
            "Next" if !has_terminating => {
                let common = right.len().saturating_sub(2);
                left.truncate(common);
                right.truncate(common);
            }
            _ => {}
        }
        if left != right {
            note(name, DifferenceKind::Changed);
        }
        if *name != "vars" {
            comparison.origins.extend(origins(others, tokens, &new.origins));
        }
    }
    for name in stored.keys() {
        if !made.contains_key(name) && !matches!(*name, "Terminating" | "Termination") {
            note(name, DifferenceKind::OnlyStored);
        }
    }
    comparison.origins.sort_by_key(|origin| origin.start);
    comparison.origins.dedup_by_key(|origin| origin.start);
    comparison
}

/// The definitions of a module text, by name. A name that is defined twice has the tokens of its first definition.
fn definitions(tokens: &[Token]) -> BTreeMap<&str, &[Token]> {
    let starts: Vec<usize> = (0..tokens.len())
        .filter(|at| begins_definition(tokens, *at))
        .collect();
    let mut found = BTreeMap::new();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(tokens.len());
        // Declarations after a define block belong to no definition.
        let part = &tokens[*start..end];
        let declared = part
            .iter()
            .position(|token| token.gap.is_none() && (token.is("VARIABLES") || token.is("VARIABLE")));
        let part = &part[..declared.unwrap_or(part.len())];
        found.entry(&*tokens[*start].text).or_insert(part);
    }
    found
}

/// Whether a definition begins at a position: a name at the beginning of a line, perhaps parameters, and `==`.
fn begins_definition(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if token.gap.is_some() || token.kind != TokenKind::Word {
        return false;
    }
    let mut next = at + 1;
    let open = tokens.get(next).filter(|token| token.is("(") || token.is("["));
    if open.is_some() {
        let mut depth = 0u32;
        while let Some(token) = tokens.get(next) {
            depth += u32::from(token.is("(") || token.is("["));
            depth = depth.saturating_sub(u32::from(token.is(")") || token.is("]")));
            next += 1;
            if depth == 0 {
                break;
            }
        }
    }
    tokens.get(next).is_some_and(|token| token.is("=="))
}

/// The tokens that matter, with the frame of one variable in one form.
fn essence(tokens: &[Token]) -> Vec<&str> {
    let mut texts = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if token.is("/\\") || token.is("(") || token.is(")") || is_assertion(token) {
            continue;
        }
        let single = tokens
            .get(at)
            .filter(|next| next.kind == TokenKind::Word && !next.is("vars"));
        match single {
            Some(name) if token.is("UNCHANGED") => {
                texts.extend([&*name.text, "'", "=", &*name.text]);
                at += 1;
            }
            _ => texts.push(&*token.text),
        }
    }
    texts
}

/// How many conditions of weak and of strong fairness a formula has. Versions of the translator write them differently.
fn fairness(tokens: &[Token]) -> [usize; 2] {
    ["WF_", "SF_"].map(|kind| {
        let is_fair = |token: &&Token| token.text.starts_with(kind);
        tokens.iter().filter(is_fair).count()
    })
}

fn is_assertion(token: &Token) -> bool {
    token.kind == TokenKind::Text && token.text.starts_with("\"Failure of assertion at")
}

/// The origins of the tokens of a stored definition: those of the equal tokens of the new one, in order.
fn origins(stored: &[Token], made: &[Token], known: &[Origin]) -> Vec<Origin> {
    let matters = |token: &&Token| !token.is("(") && !token.is(")");
    let pairs = stored
        .iter()
        .filter(matters)
        .zip(made.iter().filter(matters))
        .take_while(|(stored, made)| {
            stored.text == made.text || (is_assertion(stored) && is_assertion(made))
        });
    pairs
        .filter_map(|(stored, made)| {
            let passed = known.partition_point(|origin| origin.start <= made.span.start);
            let origin = known.get(passed.checked_sub(1)?)?;
            Some(Origin {
                start: stored.span.start,
                end: stored.span.end,
                span: origin.span,
            })
        })
        .collect()
}
