//! Mistakes: where, what, and several at once.

use omnilink_pluscal::{TranslationOptions, ignored_algorithm, translate};

use crate::{module, told};

fn faults(algorithm: &str) -> String {
    let text = module(algorithm);
    let faults = translate(&text, &TranslationOptions::default()).expect_err("there is a mistake");
    assert!(
        faults.iter().all(|fault| fault.help.is_some()),
        "every mistake has advice"
    );
    told(&text, &faults)
}

#[test]
fn all_missing_labels_are_reported_with_the_rule() {
    let found = faults(
        "--algorithm M {
  variables n = 0, m = 0;
  process (P = 1) {
    n := 1;
 A: n := n + 1;
    n := 2;
    while (n < 9) { n := n + 1 };
    if (n = 1) { goto A };
    m := 1;
  }
}",
    );
    assert_eq!(
        found,
        "6:5 missing-label: the first statement of the process has no label
8:5 missing-label: this statement assigns `n` a second time in one step, so it needs a label
9:5 missing-label: this `while` has no label; each round of a loop is a step of its own
11:5 missing-label: this statement has no label, and the step before it has ended
"
    );
}

#[test]
fn mistakes_of_syntax_do_not_hide_each_other() {
    let found = faults(
        "--algorithm M
variables n = 0;
begin
  A: n = 1;
  B: n := 1
  C: n := ;
  D: await n := 2;
end algorithm",
    );
    assert_eq!(
        found,
        "6:8 syntax: an assignment is written with `:=`
8:3 syntax: expected `;` before `C`
8:11 syntax: expected the value that is assigned but found `;`
9:14 syntax: expected `;` but found `:=`
"
    );
}

#[test]
fn names_that_do_not_exist_get_a_proposal() {
    let text = module(
        "--algorithm M { variables count = 0; procedure Work() { W: return } { A: cuont := 1; B: call Wrok(); C: goto D; } }",
    );
    let found = translate(&text, &TranslationOptions::default()).expect_err("there are mistakes");
    let help: Vec<&str> = found.iter().filter_map(|fault| fault.help.as_deref()).collect();
    assert_eq!(help[..2], ["did you mean `count`?", "did you mean `Work`?"]);
    assert_eq!(found.len(), 3, "{}", told(&text, &found));
}

#[test]
fn the_two_syntaxes_cannot_be_mixed() {
    for algorithm in [
        "--algorithm M { variables n = 0; { A: if n = 0 then n := 1; end if; } }",
        "--algorithm M variables n = 0; begin A: if (n = 0) { n := 1 }; end algorithm",
    ] {
        assert!(faults(algorithm).contains("syntax"), "{algorithm}");
    }
}

#[test]
fn deep_nesting_is_a_mistake_and_no_overflow() {
    let deep = format!(
        "--algorithm M {{ variables n = 0; {{ A: {} n := 1 {} }} }}",
        "if (TRUE) { ".repeat(5_000),
        "}".repeat(5_000)
    );
    assert!(faults(&deep).contains("nested more than"));
    let macros: String = (0..60)
        .map(|number| match number {
            0 => "macro m0() { n := n + 1 }\n".to_owned(),
            _ => format!("macro m{number}() {{ m{0}(); m{0}() }}\n", number - 1),
        })
        .collect();
    let wide = format!("--algorithm M {{ variables n = 0; {macros} {{ A: m59() }} }}");
    assert!(faults(&wide).contains("more than 100000 statements"));
}

#[test]
fn an_expression_that_is_not_finished_is_told_where_it_stands() {
    let wrong = |value: &str| {
        let text = module(&format!(
            "--algorithm A {{ variables n = 0; {{ a: n := {value}; b: skip }} }}"
        ));
        let faults = translate(&text, &TranslationOptions::default()).unwrap_err();
        assert!(faults.iter().all(|fault| fault.help.is_some()));
        told(&text, &faults)
    };
    assert_eq!(wrong("(n + 1"), "3:47 syntax: this `(` is never closed\n");
    assert_eq!(
        wrong("[x |-> <<n, 1>>"),
        "3:47 syntax: this `[` is never closed\n"
    );
    assert_eq!(wrong("n +"), "3:49 syntax: the expression ends with `+`\n");
    for whole in ["n'", "{n}", "<<n>>", "[a |-> n]", "r^+", "f[n]", "(n)", "@"] {
        let text = module(&format!(
            "--algorithm A {{ variables n = 0; {{ a: n := {whole} }} }}"
        ));
        assert!(
            translate(&text, &TranslationOptions::default()).is_ok(),
            "{whole}"
        );
    }
}

#[test]
fn a_second_algorithm_is_noticed_and_words_about_one_are_not() {
    let first = "(* --algorithm A { variables n = 0; { a: n := 1 } } *)\n";
    let file = |rest: &str| format!("---- MODULE M ----\n{first}{rest}\n====\n");
    let place = |text: &str| ignored_algorithm(text).map(|span| span.start as usize);
    let two = file("(***\n--fair algorithm B { variables m = 0; { a: m := 1 } } *)");
    assert_eq!(place(&two), two.find("--fair"));
    assert_eq!(place(&file("(* see --algorithm A *)")), None);
    assert_eq!(place(&file("")), None);
}
