//! Membership in sets that are tested by their parts: value by value of an exploded function, and once for each element.

use omnilink_mc::report::{Answer, Report};
use omnilink_mc::{CheckOptions, Evaluators};

use crate::compiled::explored;

fn by(text: &str, evaluators: Evaluators) -> Report {
    let options = CheckOptions {
        evaluators,
        ..CheckOptions::default()
    };
    explored(
        text,
        "INIT Init\nNEXT Next\nINVARIANT Holds\nCHECK_DEADLOCK FALSE\n",
        &options,
    )
}

/// `f`, `r` and `g` are exploded, `q` is not. `at` is the first value of `n` for which the invariant is false or an error; 99 where it holds.
#[test]
fn membership_is_decided_by_parts_as_by_the_evaluator() {
    for (invariant, at) in [
        ("f \\in [1..3 -> 0..40]", 99),
        ("f \\in [1..3 -> 0..7]", 8),
        ("f \\in [1..3 -> Nat]", 99),
        ("f \\in [1..3 -> Nat \\ {7}]", 7),
        ("f \\in [1..4 -> Nat]", 0),
        ("n < 6 \\/ f \\in [1..4 -> Nat]", 6),
        ("n < 6 \\/ r \\in [a : Nat, c : {\"x\"}]", 6),
        ("n < 6 \\/ r \\in [a : Nat]", 6),
        ("n < 6 \\/ r \\in [a : Nat, b : STRING, c : Nat]", 6),
        ("n < 3 \\/ (<<10 + n \\div 50>> \\in Seq(0..n)) = (n >= 10)", 99),
        ("f \\notin [1..3 -> 0..7]", 0),
        ("f \\in [1..3 -> STRING]", 0),
        ("n < 6 \\/ f \\notin [1..3 -> 0..7] \\/ n < 8", 99),
        ("r \\in [a : 0..40, b : {\"x\", \"y\"}]", 99),
        ("r \\in [a : Nat, b : {\"x\"}]", 9),
        ("r \\in [a : Nat, c : {\"x\"}]", 0),
        ("r \\in [a : Nat]", 0),
        ("g \\in [{\"k\", \"l\"} -> [a : Nat, q : Seq(0..12)]]", 13),
        ("g \\in [{\"k\", \"l\"} -> [a : Nat, q : Seq(Nat)]]", 99),
        ("g \\in Maps", 11),
        ("q \\in Seq(0..40)", 99),
        ("q \\in Seq(0..10)", 11),
        ("q \\in Seq([v : Nat])", 1),
        ("q \\in Seq(0..n)", 99),
        ("q \\in Seq(0..n - 1)", 1),
        ("\\A k \\in 0..n : k < 5 \\/ q \\in Seq(0..k) \\/ k < n", 99),
        ("\\A k \\in 5..n : q \\in Seq(0..k)", 6),
        ("s \\in SUBSET Seq(0..10)", 11),
        ("s \\in SUBSET [a : Nat]", 1),
        ("s \\subseteq Seq(Nat)", 99),
        ("\\A e \\in s : e \\in Seq(0..14) /\\ e \\in Seq(0..15)", 15),
        ("[f EXCEPT ![1] = 0] \\in [1..3 -> 0..9]", 11),
    ] {
        let text = format!(
            "---- MODULE Member ----\nEXTENDS Integers, Sequences\nVARIABLES n, f, r, g, q, s\n\
             Init == /\\ n = 0 /\\ f = [i \\in 1..3 |-> 0] /\\ r = [a |-> 0, b |-> \"x\"] /\\ q = <<>> /\\ s = {{}}\n\
                     /\\ g = [k \\in {{\"k\", \"l\"}} |-> [a |-> 0, q |-> <<>>]]\n\
             Next == /\\ n < 20 /\\ n' = n + 1 /\\ f' = [f EXCEPT ![(n % 3) + 1] = n + 1]\n\
                     /\\ r' = [r EXCEPT !.a = n, !.b = IF n > 7 THEN \"y\" ELSE \"x\"]\n\
                     /\\ g' = [g EXCEPT ![\"k\"].q = Append(@, n + 1)]\n\
                     /\\ q' = <<n + 1, n>> /\\ s' = s \\union {{<<n + 1>>}}\n\
             Maps == [{{\"k\", \"l\"}} -> [a : Nat, q : Seq(0..10)]]\nHolds == {invariant}\n====\n"
        );
        let expected = by(&text, Evaluators::Interpreter);
        let length = match &expected.answer {
            Answer::Wrong(wrong) => wrong.states.len(),
            _ => 100,
        };
        assert_eq!(length, at + 1, "{invariant}: {:?}", expected.answer);
        let found = by(&text, Evaluators::Both);
        assert_eq!(found.figures, expected.figures, "{invariant}");
        assert_eq!(
            format!("{:?}", found.answer),
            format!("{:?}", expected.answer),
            "{invariant}"
        );
    }
}
