//! Whatever the bytes are: a tree or diagnostics, never a panic, a hang or a stack overflow.

use std::path::Path;

use crate::common::{accepted_specs, read};
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
    for (at, path) in accepted_specs().iter().enumerate() {
        let text = std::fs::read_to_string(path).unwrap();
        // Some specs at every byte, the others at some.
        let step = if at % 20 == 0 { 1 } else { (text.len() / 25).max(1) };
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
        ("[a : ", "{}", "]"),
        ("[x -> ", "x", "]"),
        ("~", "TRUE", ""),
        ("- ", "1", ""),
        ("ENABLED ", "TRUE", ""),
        ("SUBSET ", "x", ""),
        ("[]", "x", ""),
        ("<>", "x", ""),
        ("\\A y : ", "TRUE", ""),
        ("\\A y \\in ", "{}", " : TRUE"),
        ("\\EE y : ", "TRUE", ""),
        ("CHOOSE y \\in S : ", "TRUE", ""),
        ("CHOOSE y \\in ", "S", " : TRUE"),
        ("{y \\in ", "S", " : TRUE}"),
        ("{", "y", " : y \\in S}"),
        ("[y \\in ", "S", " |-> 1]"),
        ("[y \\in S |-> ", "1", "]"),
        ("IF TRUE THEN 1 ELSE ", "1", ""),
        ("IF TRUE THEN ", "1", " ELSE 1"),
        ("IF ", "TRUE", " THEN 1 ELSE 1"),
        ("CASE TRUE -> ", "1", ""),
        ("CASE ", "TRUE", " -> 1"),
        ("LET a == 1 IN ", "1", ""),
        ("LET a == ", "1", " IN 1"),
        ("[f EXCEPT ![", "1", "] = 1]"),
        ("[f EXCEPT ![1] = ", "1", "]"),
        ("[", "f", " EXCEPT ![1] = 1]"),
        ("x[", "1", "]"),
        ("/\\ ", "TRUE", ""),
        ("/\\ \\/ ", "TRUE", ""),
        ("lab :: ", "TRUE", ""),
        ("F(", "1", ")"),
        ("+(1, ", "1", ")"),
        ("A!(", "1", ")"),
        ("F(LAMBDA y : ", "1", ")"),
        ("1 + (", "1", ")"),
        ("[", "x", "]_x"),
        ("[x]_(", "x", ")"),
        ("<<", "x", ">>_x"),
        ("WF_x(", "x", ")"),
        ("WF_(", "x", ")(x)"),
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
    for nested in [
        "---- MODULE M ----\n".repeat(deep),
        module(&format!("THEOREM {}TRUE", "ASSUME ".repeat(deep))),
        module(&format!("THEOREM TRUE\n{}", "<1>1 ".repeat(deep))),
    ] {
        let read = read(&nested);
        assert_eq!(read.diagnostics.len(), 1, "{:?}", read.diagnostics.first());
        survive(&nested);
    }
    assert_eq!(
        read(&module(&format!("{}{}", "(*".repeat(deep), "*)".repeat(deep)))).diagnostics,
        []
    );
}

/// What would take hours if any step looked at everything before it.
#[test]
fn long_texts_take_no_longer_than_their_length() {
    let long = 50_000;
    let lines = |line: &dyn Fn(usize) -> String| (0..long).map(line).collect::<String>();
    let list = |item: &dyn Fn(usize) -> String| (0..long).map(item).collect::<Vec<_>>().join(", ");
    let sum = (0..long).map(|i| format!("c{i}")).collect::<Vec<_>>().join(" + ");
    for body in [
        lines(&|i| format!("D{i} == {i}\n")),
        lines(&|i| format!("D{i} == {i} ")),
        lines(&|i| format!("D{i} == U{i}\n")),
        lines(&|i| format!("D{i} == (1\n")),
        lines(&|i| format!("D{i} == (1 ")),
        lines(&|i| format!("D{i} == 1 + ")),
        lines(&|i| format!("D{i} == x''\n")),
        lines(&|i| format!("I{i} == INSTANCE M{i}\n")),
        lines(&|i| format!("---- MODULE N{i} ----\n====\n")),
        format!("A ==\n{}", lines(&|i| format!("  /\\ x = {i}\n"))),
        format!("V == <<x'>>\n{}", lines(&|i| format!("D{i} == [][x]_V\n"))),
        format!(
            "D0 == x' = x\n{}Next == D{long}",
            lines(&|i| format!("D{} == D{i}\n", i + 1))
        ),
        format!("CONSTANTS {}\nA == x \\cup {sum}", list(&|i| format!("c{i}"))),
        format!("A == {{{}}}", list(&|i| format!("l{i} :: {i}"))),
        format!("A == [{}]", list(&|i| format!("f{i} |-> {i}"))),
        format!("A == [x EXCEPT {}]", list(&|i| format!("![{i}] = @"))),
        format!("RECURSIVE {}", list(&|i| format!("F{i}(_)"))),
        format!("A == {}", "_".repeat(long)),
        format!("A == {}", "§".repeat(long)),
        format!("A == \"{}\"", "\\q".repeat(long)),
    ] {
        survive(&module(&body));
    }
    let doubled: String = (1..60)
        .map(|i| format!("D{i} == D{0} \\/ D{0}\n", i - 1))
        .collect();
    survive(&module(&format!("D0 == x' = x\n{doubled}Next == D59")));
}

#[test]
fn line_ends_and_encodings_are_those_of_any_machine() {
    let text = module("A == /\\ x = 1\n     /\\ x = 2\n\\* caf\u{e9}");
    for variant in [
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r"),
        format!("\u{feff}{text}"),
        text.replace("     ", "\t").replace("A == ", "A ==\t"),
        format!("{text}\u{1a}"),
    ] {
        assert_eq!(read(&variant).diagnostics, [], "{variant:?}");
        survive(&variant);
    }
    for (wrong, said) in [
        (
            "A == x\0= 1",
            "the invisible character U+0000 has no meaning here",
        ),
        (
            "A == x =\u{a0}1",
            "the invisible character U+00A0 has no meaning here",
        ),
        (
            "A == x =\u{200b}1",
            "the invisible character U+200B has no meaning here",
        ),
        ("A == “a” = “b”", "`“` has no meaning here"),
    ] {
        let read = read(&module(wrong));
        let messages: Vec<&str> = read.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, [said]);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("M.tla");
    std::fs::write(&path, module("A == \"caf\u{e9}\"").replace("\u{e9}", "?")).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let latin: Vec<u8> = bytes.iter().map(|b| if *b == b'?' { 0xe9 } else { *b }).collect();
    std::fs::write(&path, latin).unwrap();
    let loaded = omnilink_tla::semantics::load(&path, &SearchPath::default());
    assert!(loaded.is_ok());
    assert_eq!(loaded.diagnostics.len(), 1, "{:?}", loaded.diagnostics);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&path, wide).unwrap();
    let loaded = omnilink_tla::semantics::load(&path, &SearchPath::default());
    let help = loaded.diagnostics.first().and_then(|d| d.help.as_deref());
    assert_eq!(help, Some("the file seems to be UTF-16: save it as UTF-8"));
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
