//! Whatever the bytes are: a tree or diagnostics, never a panic, a hang or a stack overflow.

mod common;

use std::path::Path;

use common::{accepted_specs, read};
use omnilink_tla::diagnostic::{Class, render};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::syntax::operators::Op;
use omnilink_tla::{render_show_text, show};
use proptest::prelude::*;

/// Reads and resolves a text and draws every diagnostic, which must point into its text.
fn survive(text: &str) {
    let loaded = load_text(Path::new("M.tla"), text.to_owned(), &SearchPath::default());
    for diagnostic in &loaded.diagnostics {
        let source = loaded.spec.sources.get(diagnostic.source);
        assert!(
            diagnostic.span.end as usize <= source.text().len(),
            "{diagnostic:?}"
        );
        assert!(!render(diagnostic, &loaded.spec.sources).is_empty());
    }
    if loaded.is_ok() {
        let shown = show(&loaded.spec, None).expect("no module and no diagnostic");
        assert!(!render_show_text(&shown).is_empty());
    }
}

fn module(body: &str) -> String {
    format!("---- MODULE M ----\nVARIABLE x\n{body}\n====\n")
}

#[test]
fn every_truncation_of_a_spec_is_survived() {
    for path in accepted_specs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let step = (text.len() / 25).max(1);
        for end in (0..text.len())
            .step_by(step)
            .filter(|end| text.is_char_boundary(*end))
        {
            survive(&text[..end]);
        }
    }
}

#[test]
fn a_spec_with_any_token_removed_is_survived() {
    for path in accepted_specs().iter().take(30) {
        let text = std::fs::read_to_string(path).unwrap();
        let words: Vec<&str> = text.split_inclusive(' ').collect();
        for missing in 0..words.len() {
            let rest: String = words
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != missing)
                .map(|(_, w)| *w)
                .collect();
            survive(&rest);
        }
    }
}

#[test]
fn deep_nesting_is_a_diagnostic() {
    let deep = 100_000;
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("{", "1", "}"),
        ("<<", "1", ">>"),
        ("[a |-> ", "1", "]"),
        ("~", "TRUE", ""),
        ("\\A y : ", "TRUE", ""),
        ("IF TRUE THEN 1 ELSE ", "1", ""),
        ("LET a == 1 IN ", "1", ""),
        ("[f EXCEPT ![", "1", "] = 1]"),
        ("x[", "1", "]"),
        ("/\\ ", "TRUE", ""),
        ("lab :: ", "TRUE", ""),
        ("F(", "1", ")"),
        ("F(LAMBDA y : ", "1", ")"),
        ("- ", "1", ""),
        ("[", "x", "]_x"),
        ("CASE TRUE -> ", "1", ""),
    ] {
        let text = module(&format!(
            "A == {}{}{}",
            open.repeat(deep),
            middle,
            close.repeat(deep)
        ));
        let read = read(&text);
        assert_eq!(
            read.diagnostics.len(),
            1,
            "{open}: {:?}",
            read.diagnostics.first()
        );
        assert_eq!(read.diagnostics[0].class, Class::Limit, "{open}");
        survive(&module(&format!("A == {}", open.repeat(deep))));
    }
    survive(&"---- MODULE M ----\n".repeat(deep));
}

#[test]
fn chains_without_brackets_have_no_limit() {
    let long = 100_000;
    for link in [" + 1", "'", "[1]", ".f", " \\X S", " @@ y", "!a"] {
        let text = module(&format!("A == x{}", link.repeat(long)));
        let read = read(&text);
        assert_eq!(read.diagnostics, [], "{link}");
        survive(&text);
    }
    survive(&module(&format!(
        "A == x' = x\nNext == A{}\nSpec == [][Next]_x",
        " \\/ A".repeat(long)
    )));
}

#[test]
fn nesting_just_below_the_limit_is_resolved_and_shown() {
    let deep = 900;
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("IF x THEN 1 ELSE ", ""),
        ("\\E y \\in {} : LET z == 1 IN ", ""),
        ("~", ""),
    ] {
        let body = format!(
            "{}x' = x{}",
            open.repeat(if open.starts_with('\\') { 1 } else { deep }),
            close.repeat(deep)
        );
        survive(&module(&format!("Next == {body}\nSpec == [][Next]_x")));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        survive(&text);
        survive(&module(&text));
    }

    #[test]
    fn arbitrary_tokens_are_survived(picks in prop::collection::vec((0..160usize, 0..6usize), 0..120)) {
        let words = [
            "A", "x", "B ==", "A(x) ==", "f[x \\in S] ==", "==", "=", "1", "2.5", "\"s\"", "(", ")", "[", "]", "]_x",
            "{", "}", "<<", ">>", ">>_x", ",", ":", "::", ".", "!", "@", "_", "->", "<-", "|->", "IF", "THEN", "ELSE",
            "CASE", "OTHER", "LET", "IN", "CHOOSE", "\\A", "\\E", "\\AA", "EXCEPT", "LAMBDA", "INSTANCE", "WITH",
            "LOCAL", "CONSTANT", "VARIABLE", "ASSUME", "THEOREM", "PROVE", "PROOF", "BY", "QED", "<1>1.", "<2>", "<*>",
            "OBVIOUS", "NEW", "RECURSIVE", "----", "---- MODULE I ----", "====", "WF_x", "(*", "*)", "\\*", "/\\", "\\/",
        ];
        let mut text = String::from("---- MODULE M ----\n");
        for (pick, space) in picks {
            match words.get(pick) {
                Some(word) => text.push_str(word),
                None => text.push_str(Op::ALL[pick % Op::ALL.len()].text()),
            }
            text.push_str([" ", " ", " ", "\n", "\n  ", "\n     "][space]);
        }
        survive(&text);
        survive(&format!("{text}\n===="));
    }
}
