//! One mistake gives one error, at the right place, with advice that fits.

mod common;

use common::{advice, complaints};

/// The whole list of complaints about a body.
fn assert_complaints(body: &str, expected: &[&str]) {
    assert_eq!(complaints(body), expected, "{body}");
}

#[test]
fn letters_for_number_sets_are_spelled_out() {
    assert_eq!(advice("EXTENDS Naturals\nA == 1 \\in ℕ"), "write `Nat`");
}

#[test]
fn conflicting_operators_are_named_with_a_way_out() {
    for (body, expected, help) in [
        (
            "A == 1 = 2 = 3",
            "1:8 precedence: `=` cannot follow itself",
            "compare pairwise",
        ),
        (
            "A == TRUE /\\ TRUE \\/ TRUE",
            "1:11 precedence: `/\\` and `\\/` have no order",
            "(x /\\ y) \\/ z",
        ),
        (
            "A == TRUE => TRUE => TRUE",
            "1:11 precedence: `=>` cannot follow itself",
            "x => (y => z)",
        ),
        (
            "A == {} \\cup {} \\cap {}",
            "1:9 precedence: `\\cup` and `\\cap` have no order",
            "(x \\cup y) \\cap z",
        ),
        (
            "VARIABLE x\nA == []x'",
            "2:6 precedence: `[]` and `'` have no order",
            "([] x)'",
        ),
    ] {
        let found = complaints(body);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(expected), "{} is not {expected}", found[0]);
        assert!(advice(body).contains(help), "{}", advice(body));
    }
}

#[test]
fn every_broken_definition_is_reported_and_the_rest_is_read() {
    assert_complaints(
        "A == (1\nB == 2\nC == IF TRUE THEN 1\nD == {1, }\nE == LET x == 1 IN x\n",
        &[
            "2:1 parse: expected `)`, found the definition of `B`",
            "4:1 parse: expected ELSE; an IF always has one, found the definition of `D`",
            "4:10 parse: expected an expression, found `}`",
        ],
    );
}

#[test]
fn a_broken_let_does_not_spill_its_definitions() {
    assert_complaints(
        "A == LET x == 1\n         y == (2\n         z == 3\n     IN x\nB == A",
        &["3:10 parse: expected `)`, found the definition of `z`"],
    );
}

#[test]
fn an_undefined_name_is_reported_once_with_the_nearest() {
    assert_complaints(
        "Apple == 1\nB == Aple + Aple + Aple",
        &[
            "2:6 undefined: `Aple` is not defined",
            "2:11 undefined: `+` is not defined",
        ],
    );
    assert_eq!(advice("Apple == 1\nB == {Aple}"), "did you mean `Apple`?");
    assert_eq!(
        advice("B == Cardinality({})"),
        "module FiniteSets defines it: add FiniteSets to EXTENDS"
    );
    assert_eq!(
        advice("B == 1 + 1"),
        "module Naturals defines it: add Naturals to EXTENDS"
    );
}

#[test]
fn a_missing_module_is_the_only_complaint() {
    assert_complaints(
        "EXTENDS Naturalz\nA == 1 + Foo",
        &["1:9 module: there is no module Naturalz"],
    );
    let body = "A == 1\nI == INSTANCE Sequence\nB == I!Head(<<1>>) \\cup I!Foo";
    assert_complaints(body, &["2:15 module: there is no module Sequence"]);
    assert_eq!(advice(body), "did you mean Sequences?");
}

#[test]
fn advice_fits_the_usual_slips() {
    for (body, expected) in [
        ("A = 1", "to define `A` write `A ==`"),
        ("A == 1 *) + 2", "open the comment with `(*`"),
        ("IF == 1", "choose another name"),
        ("VARIABLE x\nA == [x' = x]", "`[A]_v`"),
        ("A == [f EXCEPT ![1] == 2]", "to compare write `=`"),
        ("A == /\\ (TRUE\n)\n     /\\ TRUE", "move it right, past column 6"),
        ("A == F(LAMBDA x, x : 1)\n", "define it before"),
        ("A == LAMBDA x : x", "may only be an argument"),
        (
            "VARIABLE x\nA == /\\ x == 1\n     /\\ TRUE",
            "to compare write `=`",
        ),
        ("A == /\\ TRUE\n    \\/ TRUE\n    /\\ TRUE", "align its bullets"),
    ] {
        assert!(advice(body).contains(expected), "{body}: {}", advice(body));
    }
}

#[test]
fn a_module_that_is_not_closed_says_where_it_began() {
    let read = common::read("---- MODULE M ----\nA == 1\n");
    assert_eq!(read.diagnostics.len(), 1);
    assert_eq!(read.diagnostics[0].message, "module M is not closed");
    assert_eq!(
        read.sources
            .get(read.diagnostics[0].source)
            .place(read.diagnostics[0].span.start)
            .line,
        2
    );
    assert_eq!(
        read.diagnostics[0].help.as_deref(),
        Some("end it with a line `====`")
    );
}
