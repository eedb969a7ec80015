//! Two mistakes give two errors: what joins the consequences of one may not swallow another.

use crate::common::corpus::{Corpus, Sound};
use crate::common::mutation::Mutable;
use crate::common::slip::{Slip, spoilt};
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::source::SourceId;
use omnilink_tla_syntax::token::Token;
use omnilink_tla_syntax::tokenize;

/// The first slip of a kind in each definition of a module that gives one error of the class, in that definition.
fn slips_by_definition(spec: &Sound, slip: Slip, class: Class) -> Vec<Token> {
    let text = &spec.text;
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
            let loaded = spec.load(spoilt);
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
    let (mut tried, mut lost) = (0, Vec::new());
    for spec in Corpus::golden().sound() {
        let text = &spec.text;
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
            let slips = slips_by_definition(&spec, slip, class);
            for pair in slips.windows(2) {
                let [first, second] = pair else { continue };
                let word = |token: &Token| text.get(token.start as usize..token.end as usize).unwrap_or("");
                let misspelled = |token: &Token| word(token).split_at(word(token).len() - 1).0;
                if slip == Slip::Misspelled && misspelled(first) == misspelled(second) {
                    continue;
                }
                let later = spoilt(text, second, slip).unwrap_or_default();
                let both = spoilt(&later, first, slip).unwrap_or_default();
                let said = spec.said(both);
                tried += 1;
                if said.len() < 2 {
                    let name = spec.name();
                    let words = (word(first), word(second));
                    lost.push(format!("{name}: {slip:?} {words:?}: {said:?}"));
                }
            }
        }
    }
    println!("{tried} pairs of slips");
    assert!(tried > 0 && lost.is_empty(), "{}", lost.join("\n"));
}

/// The percentage of pairs of random edits that must give two errors. Some edits cannot be told apart from what
/// follows from others: a definition that gets the name of another, and a name that is not defined.
const ENOUGH: usize = 90;

#[test]
fn two_random_edits_in_two_definitions_give_two_errors() {
    let corpus = Corpus::given();
    let mut random = fastrand::Rng::with_seed(corpus.seed);
    let (mut pairs, mut lost) = (0, Vec::new());
    for spec in corpus.sound() {
        let mutable = Mutable::new(&spec.text);
        for _ in 0..corpus.edits {
            let Some([first, second]) = mutable.edits_of_two_definitions(&mut random) else {
                continue;
            };
            let of = |edited: String| <[String; 1]>::try_from(spec.said(edited)).ok();
            let (Some([a]), Some([b])) = (of(mutable.after(&[&first])), of(mutable.after(&[&second]))) else {
                continue;
            };
            // What cannot be parsed is not resolved.
            let is_syntax = |said: &str| {
                [" lex: ", " parse: ", " precedence: ", " indentation: "]
                    .iter()
                    .any(|class| said.contains(class))
            };
            if is_syntax(&a) != is_syntax(&b) {
                continue;
            }
            pairs += 1;
            let said = spec.said(mutable.after(&[&first, &second]));
            if said.len() < 2 {
                lost.push(format!(
                    "{}: {first:?}, {second:?}: {said:?}",
                    spec.path.display()
                ));
            }
        }
    }
    println!(
        "{pairs} pairs of edits, {} with two errors; without:\n{}",
        pairs - lost.len(),
        lost.join("\n")
    );
    assert!(
        pairs > 0 && lost.len() * 100 <= pairs * (100 - ENOUGH),
        "{} of {pairs} pairs",
        lost.len()
    );
}
