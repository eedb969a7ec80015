//! Layouts are widened where values do not fit, and then code goes on.

use omnilink_mc::{CheckOptions, Evaluators, Layouts};

use crate::compiled::explored;

#[test]
fn a_layout_that_does_not_fit_is_widened_once() {
    // The values of `v` in the first five states, and from then on.
    for (first, then) in [
        ("<<0, n>>", "<<0, n, 0>>"),
        ("[a |-> <<n>>, b |-> 0]", "[a |-> <<n, n>>, b |-> 0]"),
        (
            "[i \\in 1..2 |-> <<n, 0>>]",
            "[i \\in 1..2 |-> IF i = 2 THEN <<n, n, n>> ELSE <<n, 0>>]",
        ),
        (
            "[i \\in {\"a\", \"b c\"} |-> [j \\in 0..1 |-> n]]",
            "[i \\in {\"a\", \"b c\"} |-> [j \\in 0..2 |-> n]]",
        ),
        ("[a |-> n]", "[b |-> n]"),
        ("<<n>>", "n"),
    ] {
        let text = format!(
            "---- MODULE Fits ----\nEXTENDS Integers\nVARIABLES k, v\n\
             Value(n) == IF n < 5 THEN {first} ELSE {then}\n\
             Init == k = 0 /\\ v = Value(0)\nNext == k < 60 /\\ k' = k + 1 /\\ v' = Value(k')\nHolds == v = Value(k)\n====\n"
        );
        let options = CheckOptions {
            evaluators: Evaluators::Both,
            explains_compilation: true,
            ..CheckOptions::default()
        };
        let config = "INIT Init\nNEXT Next\nINVARIANT Holds\nCHECK_DEADLOCK FALSE\n";
        let notes = explored(&text, config, &options).notes;
        let note = notes.iter().find(|note| note.contains("gave up on"));
        let given_up = note.and_then(|note| {
            note.split("gave up on ")
                .nth(1)?
                .split(' ')
                .next()?
                .parse::<u64>()
                .ok()
        });
        assert!(
            given_up.is_some_and(|states| (1..=3).contains(&states)),
            "{first}: {notes:?}"
        );
    }
}

#[test]
fn code_that_is_not_to_learn_runs_from_the_first_state() {
    let text = "---- MODULE Fits ----\nEXTENDS Integers\nVARIABLE n\nInit == n \\in 0..1\nNext == n' = (n + 2) % 20\n\
                Spec == Init /\\ [][Next]_n /\\ WF_n(Next)\nLive == []<>(n < 2)\nHolds == n < 20 /\\ (n # 7 \\/ <<1, n>>[n - 5] = 7)\n====\n";
    let options = CheckOptions {
        evaluators: Evaluators::Compiled,
        layouts: Layouts::First,
        explains_compilation: true,
        ..CheckOptions::default()
    };
    let config = "SPECIFICATION Spec\nINVARIANT Holds\nPROPERTY Live\n";
    let notes = explored(text, config, &options).notes;
    for part in [
        "has expanded 20 of 20 states",
        "has labelled 20 states",
        "has enumerated 1 initial states",
    ] {
        assert!(notes.iter().any(|note| note.contains(part)), "{part}: {notes:?}");
    }
    let text = text.replace(
        "Holds == n < 20 /\\ ",
        "Holds == n = 9 \\/ <<1, 1>>[n + 1] = 1 \\/ ",
    );
    let report = explored(&text, config, &options);
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("answers of formulas")),
        "{:?}",
        report.notes
    );
}
