//! One mistake gives one error, at the right place, with advice that fits.

use crate::common::{advice, complaints};

/// The whole list of complaints about a body.
fn assert_complaints(body: &str, expected: &[&str]) {
    assert_eq!(complaints(body), expected, "{body}");
}

#[test]
fn letters_for_number_sets_are_spelled_out() {
    assert_eq!(
        advice("EXTENDS Naturals\nA == 1 \\in ℕ"),
        "for *the natural numbers* write `Nat`"
    );
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
            "4:1 parse: expected ELSE, found the definition of `D`",
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
}

#[test]
fn a_module_that_is_not_extended_is_missed_once() {
    let body = "A == 1 + 2\nB == Len(<<>>) - 1 >= -1";
    assert_complaints(body, &["1:8 undefined: `+` is not defined"]);
    assert_eq!(
        advice(body),
        "add `EXTENDS Integers, Sequences` after the module's header"
    );
    let body = "EXTENDS TLC\nA == 1 + 2\nB == 3 - 1\nC == Cardinality({})";
    assert_complaints(
        body,
        &[
            "2:8 undefined: `+` is not defined",
            "4:6 undefined: `Cardinality` is not defined",
        ],
    );
    assert_eq!(
        advice(body),
        "module Naturals defines it: add Naturals to EXTENDS"
    );
}

#[test]
fn what_follows_from_a_mistake_is_not_said_again() {
    for (body, only) in [
        (
            "VARIABLE x\nvars == <<x'>>\nA == [][TRUE]_vars\nB == WF_vars(TRUE)",
            "3:8 level: the subscript is of action level; at most state level is allowed",
        ),
        (
            "VARIABLE x\nInit == x' = 1\nA == Init /\\ []TRUE\nB == Init /\\ <>TRUE",
            "3:6 level: `/\\` joins an action and a temporal formula",
        ),
        (
            "Init' == TRUE\nSpec == Init",
            "1:1 redefined: `'` is part of the language and cannot be defined again",
        ),
        (
            "---- MODULE N ----\nCONSTANT J\nA == K\n====\nI == INSTANCE N WITH K <- 1\nB == I!A",
            "3:6 undefined: `K` is not defined",
        ),
        (
            "---- MODULE N ----\nCONSTANT K\nA == K\n====\nI == INSTANCE N WITH J <- 1",
            "5:22 redefined: `J` is neither a constant nor a variable of module N",
        ),
        (
            "---- MODULE N ----\nA == 1\n====\nI == N\nB == I!A",
            "4:6 undefined: `N` is not defined",
        ),
        (
            "A == LET f == F(1, 2) IN f\nB == A!:!f!2",
            "1:15 undefined: `F` is not defined",
        ),
        (
            "A == \\E k \\in {} : (\\A k \\in {} : k) /\\ (\\A k \\in {} : k)",
            "1:24 redefined: `k` is already defined or declared",
        ),
        (
            "RECURSIVE Facts(_)\nFact(n) == Fact(n)",
            "2:12 undefined: `Fact` is not defined",
        ),
        (
            "A == 1 (* never\nB == (2",
            "1:8 lex: this comment is never closed",
        ),
    ] {
        assert_complaints(body, &[only]);
    }
    assert_eq!(
        advice("---- MODULE N ----\nA == 1\n====\nI == N"),
        "N is a module: write `INSTANCE N`"
    );
}

#[test]
fn what_does_not_follow_is_said() {
    assert_complaints(
        "VARIABLE x\nNext == x' = 1\nA == [][TRUE]_Next\nB == Next'\nC == x''\nSpec == [][Next]_x",
        &[
            "3:8 level: the subscript is of action level; at most state level is allowed",
            "4:6 level: an operand of `'` is of action level; at most state level is allowed",
            "5:6 level: an operand of `'` is of action level; at most state level is allowed",
        ],
    );
    assert_complaints(
        "VARIABLE k\nA == \\E k \\in {} : k\nB == \\E k \\in {} : k",
        &["2:9 redefined: `k` is already defined or declared"],
    );
}

#[test]
fn all_wrong_uses_of_one_definition_are_one_mistake() {
    let body = "F(a, b) == <<a, b>>\nA == F(1)\nB == F(2)\nC == {F(3), F(4)}";
    assert_complaints(body, &["2:6 arity: `F` takes 2 arguments, but 1 is given"]);
    // What the modules of the program define is right: two wrong uses are two mistakes.
    assert_complaints(
        "EXTENDS Sequences\nA == Len(<<>>, 1)\nB == Len(<<>>, 2)",
        &[
            "2:6 arity: `Len` takes 1 argument, but 2 are given",
            "3:6 arity: `Len` takes 1 argument, but 2 are given",
        ],
    );
}

#[test]
fn a_missing_declaration_is_one_mistake() {
    let body = r"EXTENDS Naturals
Init == big = 0 /\ small = 0 /\ log = 0
Fill == big' = 5 /\ UNCHANGED small
Next == Fill \/ small' = 3
vars == <<big, small, log>>";
    assert_complaints(body, &["2:9 undefined: `big`, `small` and `log` are not defined"]);
    assert_eq!(
        advice(body),
        "is a declaration missing? `VARIABLES big, small, log`"
    );
    let body = "EXTENDS Naturals\nVARIABLE x\nInit == x \\in Limits\nTypeOK == x < Bound /\\ x \\in Limits";
    assert_complaints(body, &["3:15 undefined: `Limits` and `Bound` are not defined"]);
    let body = "A == x + 1 /\\ opQ = regFile\nB == opQ /\\ regFile";
    assert_complaints(
        body,
        &[
            "1:6 undefined: `x`, `opQ` and `regFile` are not defined",
            "1:8 undefined: `+` is not defined",
        ],
    );
    let body = "---- MODULE N ----\nCONSTANTS J, K\nVARIABLE x\nA == x = <<J, K>>\n====\nINSTANCE N\nB == x";
    assert_complaints(body, &["6:1 undefined: `J`, `K` and `x` are not defined"]);
    let body = "---- MODULE N ----\nCONSTANTS Jar, Kit\nVARIABLE x\n====\nInner(x) == INSTANCE N";
    assert_complaints(body, &["5:1 undefined: `Jar` and `Kit` are not defined"]);
}

#[test]
fn a_misspelled_name_is_no_sign_of_a_lost_line() {
    assert_complaints(
        r"VARIABLES count, token
Put == /\ count = 1
       /\ token' = cuont
Next == \/ Put
        \/ Pu",
        &[
            "3:20 undefined: `cuont` is not defined",
            "5:12 undefined: `Pu` is not defined",
        ],
    );
}

#[test]
fn a_prime_in_an_operator_is_one_mistake_whatever_it_is_given() {
    assert_complaints(
        "VARIABLE x\nF(a) == a'\nG(b) == F(b)\nA == F(x')\nB == G(x') \\cup F(x')",
        &["4:6 level: argument 1 of `F` is of action level; at most state level is allowed"],
    );
}

#[test]
fn a_prime_in_a_set_is_one_mistake_also_where_a_function_ranges_over_it() {
    assert_complaints(
        "CONSTANT M\nVARIABLE x\nIds == {M'}\nInit == x \\in Ids\nSpec == Init /\\ [][x' = x]_x
Sum == LET f[c \\in Ids] == c IN f[1] = 1\nTHEOREM Spec => []Sum",
        &["5:9 level: `/\\` joins an action and a temporal formula"],
    );
}

#[test]
fn an_unknown_name_and_a_wrong_number_of_arguments_are_two_mistakes() {
    assert_complaints(
        "VARIABLE count\nF(a, b) == <<a, b, cuont>>\nA == F(1, 2)\nB == F(1)",
        &[
            "2:20 undefined: `cuont` is not defined",
            "4:6 arity: `F` takes 2 arguments, but 1 is given",
        ],
    );
}

#[test]
fn the_rest_of_a_broken_unit_is_no_mistake_of_its_own() {
    for (body, only) in [
        (
            "F(a ---- MODULE b) == a\nB == 1",
            "1:1 parse: expected a definition, a declaration or `====`, found `F`",
        ),
        (
            "A == \n----\n5\nB == 1",
            "1:3 parse: an expression is missing after `==`",
        ),
        (
            "CONSTANT CONSTANTS\nMax\n\na1, a2\nB == 1",
            "1:10 parse: expected a name, found the reserved word `CONSTANTS`",
        ),
    ] {
        assert_complaints(body, &[only]);
    }
    // A second broken definition is.
    assert_complaints(
        "A (1\nB = 2\nC == 3",
        &[
            "1:1 parse: expected a definition, a declaration or `====`, found `A`",
            "2:1 parse: `B =` is neither a definition nor a statement",
        ],
    );
}

#[test]
fn two_misspelled_names_are_two_mistakes() {
    assert_complaints(
        "VARIABLES count, token\nA == cuont' = 1\nB == UNCHANGED tokne",
        &[
            "2:6 undefined: `cuont` is not defined",
            "3:16 undefined: `tokne` is not defined",
        ],
    );
}

#[test]
fn prose_that_is_no_comment_is_one_mistake() {
    assert_complaints(
        "A == 1\nthe trick is that TLC evaluates this\nof all formulas; it is\nnever wrong\nB == 2\nC == (3",
        &[
            "2:1 parse: expected a definition, a declaration or `====`, found `the`",
            "7:1 parse: expected `)`, found the end of the module",
        ],
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
        ("A == F(LAMBDA x, y : 1)\n", "define it before"),
        ("A == LAMBDA x : x", "may only be an argument"),
        (
            "VARIABLE x\nA == /\\ x == 1\n     /\\ TRUE",
            "to compare write `=`",
        ),
        ("A == /\\ TRUE\n    \\/ TRUE\n    /\\ TRUE", "align its bullets"),
        ("A == 1 = 2 && 2 = 3", "write `/\\`, not `&&`"),
        ("A == TRUE || FALSE", "write `\\/`"),
        ("A == TRUE and FALSE", "write `/\\` for `and`"),
        ("A == 1 != 2", "write `#` or `/=`"),
        ("VARIABLE x\nA == x := 1", "write `=`"),
        ("A == !TRUE", "write `~`"),
        ("A == \\A i in {} : TRUE", "write `\\in` for `in`"),
        ("A == forall i \\in {} : TRUE", "write `\\A` for `forall`"),
        ("A == \\A i \\in {}, TRUE = i", "before what holds write `:`"),
        ("variables x, y", "in capitals: `VARIABLES`"),
        ("VARIABLES x y", "put a comma between the names"),
        ("A == if TRUE then 1 else 2", "in capitals: `IF`"),
        ("F(a, b) = a", "to define `F` write `==`"),
        ("A == LET y = 1 IN y", "written with `==`"),
        ("A == CASE TRUE : 1", "`condition -> value`"),
        ("A == CASE TRUE -> 1 [] OTHERWISE -> 2", "write `OTHER`"),
        ("A == [a = 1, b = 2]", "`[a |-> 1, b |-> 2]`"),
        ("A == [a : {}, b |-> 2]", "a set of records `[a : S, b : T]`"),
        ("A == [i \\in {} -> 0]", "`[x \\in S |-> e]`"),
        ("A == [f EXCEPT [1] = 2]", "`[f EXCEPT ![x] = e]`"),
        ("A == [f EXCEPT !1 = 2]", "`[f EXCEPT ![x] = e]`"),
        ("EXTENDS Naturals\nA == 1 \\in [1..3]", "a range is a set already"),
        ("A == <1, 2>", "`<<a, b>>`"),
        ("A == (1, 2)", "`<<a, b>>`"),
        ("VARIABLES x, y\nA == UNCHANGED x, y", "`UNCHANGED <<x, y>>`"),
        ("VARIABLE f\nA == f(1)", "with brackets: `f[…]`"),
        ("// a comment\nA == 1", "a comment begins with `\\*`"),
        ("Fact(n) == Fact(n)", "put `RECURSIVE Fact(_)` before it"),
        ("B == A\nA == 1", "what is used comes first"),
        (
            "--algorithm a\nbegin\n  skip;\nend algorithm",
            "put it in a comment",
        ),
        ("A == 1\nA == 2", "remove one of the two"),
    ] {
        assert_eq!(complaints(body).len(), 1, "{body}: {:?}", complaints(body));
        assert!(advice(body).contains(expected), "{body}: {}", advice(body));
    }
}

#[test]
fn a_module_that_is_not_closed_says_where_it_began() {
    let read = crate::common::read("---- MODULE M ----\nA == 1\n");
    assert_eq!(read.diagnostics.len(), 1);
    assert_eq!(read.diagnostics[0].message, "module M is not closed");
    assert_eq!(
        read.sources
            .get(read.diagnostics[0].source)
            .line_column(read.diagnostics[0].span.start)
            .line,
        2
    );
    assert_eq!(
        read.diagnostics[0].help.as_deref(),
        Some("end it with a line `====`")
    );
}
