//! One mistake gives one error: every token of every golden spec is spoilt in turn, and what is said is counted. Then
//! the same with random edits, of the golden specs or of others: see [`common::corpus`].

mod common;

use std::time::{Duration, Instant};

use common::corpus::{Corpus, Sound};
use common::mutation::{Mutable, Random};
use common::slip::{Slip, slips, spoilt};
use omnilink_tla::source::SourceId;
use omnilink_tla::syntax::token::Token;
use omnilink_tla::syntax::tokenize;

/// A slip and what was said about it.
fn described(spec: &Sound, token: &Token, slip: Slip, said: &[String]) -> String {
    let (start, end) = (token.start as usize, token.end as usize);
    let line = spec.text[..start].matches('\n').count() + 1;
    let word = &spec.text[start..end];
    let path = spec.path.display();
    format!("{path}:{line} {slip:?} `{word}`\n      {}", said.join("\n      "))
}

#[test]
fn one_slip_gives_at_most_one_error() {
    let (mut tried, mut refused, mut several) = (0, 0, Vec::new());
    for spec in Corpus::golden().sound() {
        let text = &spec.text;
        for token in &tokenize(SourceId(0), text, 0, &mut Vec::new()) {
            for slip in slips() {
                let Some(spoilt) = spoilt(text, token, slip) else {
                    continue;
                };
                tried += 1;
                let said = spec.said(spoilt);
                refused += usize::from(!said.is_empty());
                if said.len() > 1 {
                    several.push(described(&spec, token, slip, &said));
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
fn one_random_slip_gives_at_most_one_error() {
    let corpus = Corpus::given();
    let mut random = Random::new(corpus.seed);
    let slips: Vec<Slip> = slips().collect();
    let (mut tried, mut refused, mut several) = (0, 0, Vec::new());
    for spec in corpus.sound() {
        let tokens = tokenize(SourceId(0), &spec.text, 0, &mut Vec::new());
        for _ in 0..corpus.edits {
            let (Some(token), Some(slip)) = (random.one_of(&tokens), random.one_of(&slips)) else {
                continue;
            };
            let Some(spoilt) = spoilt(&spec.text, token, *slip) else {
                continue;
            };
            tried += 1;
            let said = spec.said(spoilt);
            refused += usize::from(!said.is_empty());
            if said.len() > 1 {
                several.push(described(&spec, token, *slip, &said));
            }
        }
    }
    println!(
        "{tried} random slips, {refused} refused, {} with several errors",
        several.len()
    );
    assert!(refused > 0 && several.is_empty(), "{}", several.join("\n"));
}

#[test]
fn one_random_edit_gives_at_most_one_error() {
    let corpus = Corpus::given();
    let mut random = Random::new(corpus.seed);
    let (mut specs, mut tried, mut refused, mut several) = (0, 0, 0, Vec::new());
    let mut slowest = (Duration::ZERO, String::new());
    for spec in corpus.sound() {
        specs += 1;
        let mutable = Mutable::new(&spec.text);
        for _ in 0..corpus.edits {
            let Some((edit, edited)) = mutable.edited(&mut random) else {
                continue;
            };
            tried += 1;
            let begin = Instant::now();
            let said = spec.said(edited.clone());
            let taken = begin.elapsed();
            if taken > slowest.0 {
                slowest = (taken, format!("{} ({edit})", spec.path.display()));
            }
            refused += usize::from(!said.is_empty());
            if said.len() > 1 {
                let mut lines = spec.text.lines().zip(edited.lines()).zip(1..);
                let changed = lines.find(|((old, new), _)| old != new);
                let ((old, new), line) = changed.unwrap_or((("", ""), 0));
                let place = format!("{}:{line}: {edit}", spec.path.display());
                let change = format!("    - {old}\n    + {new}");
                several.push(format!("{place}\n{change}\n      {}", said.join("\n      ")));
            }
        }
    }
    println!(
        "{tried} edits of {specs} specs, {refused} refused, {} with several errors",
        several.len()
    );
    println!("the slowest answer took {:?}: {}", slowest.0, slowest.1);
    assert!(refused > 0 && several.is_empty(), "{}", several.join("\n"));
}
