//! Errors that one change mends are one error, which names the change.

mod common;

use std::path::Path;

use common::{advice, complaints};
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::semantics::{load, load_text};

/// More definitions than could be read again for every edit, half a megabyte of them.
fn fillers() -> String {
    let fillers = (0..10_000).map(|number| {
        let used = number / 2;
        format!("\nFiller{number}(a) ==\n  [b \\in {{a}} |-> IF a = b THEN {number} ELSE {used}]\n")
    });
    fillers.collect()
}

/// Asserts that a module with the given body has one error, and that the advice says what to change; and the same of a
/// long module that begins like this one.
fn assert_one_change(body: &str, change: &str) {
    for body in [body.to_owned(), [body, &fillers()].concat()] {
        let complaints = complaints(&body);
        let begin: String = body.chars().take(600).collect();
        assert_eq!(complaints.len(), 1, "{begin}\n{complaints:#?}");
        assert!(advice(&body).contains(change), "{begin}\n{}", advice(&body));
    }
}

#[test]
fn a_word_in_place_of_another_is_written_for_it() {
    for (body, change) in [
        (
            "EXTENDS Naturals\n,\n  Bag,\n  Sequence\nA == Bag \\cup {Sequence}",
            "write `CONSTANTS` for `,` in line 3, column 1",
        ),
        (
            "EXTENDS Naturals\nVARIABLE x\nNext == x' = [x EXCEPT !.ack = [] - @]",
            "write something else for `[]` in line 4",
        ),
        (
            "EXTENDS Naturals\nF(n) == n\nA == {F([] - n * 2) : n \\in Nat}",
            "write something else for `[]` in line 4",
        ),
    ] {
        assert_one_change(body, change);
    }
}

#[test]
fn a_definition_with_the_name_of_another_gets_the_name_that_is_missing() {
    assert_one_change(
        "VARIABLE x
Init == x = 0
Next == x' = x
Inv == Init /\\ [][Next]_x
Inv == x = 0
THEOREM Inv /\\ [Next]_x => Inv'
THEOREM Spec => []Inv",
        "write `Spec` for `Inv` in line 5, column 1",
    );
}

#[test]
fn what_recursive_announces_is_what_is_defined_next() {
    assert_one_change(
        "EXTENDS Naturals
RECURSIVE x(_, _)
Sum(f, S) == IF S = {} THEN 0
             ELSE LET x == CHOOSE x \\in S : TRUE
                  IN f[x] + Sum(f, S \\ {x})",
        "write `Sum` for `x` in line 3, column 11",
    );
}

#[test]
fn a_word_that_is_lost_is_put_in() {
    assert_one_change(
        "EXTENDS Integers
---- MODULE Inner ----
EXTENDS Sequences
CONSTANT GST
Init == GST = <<>>
Next == TRUE
====
GST ==

INSTANCE Inner
A == Init /\\ Next
B == Len(<<>>)",
        "put in an expression in line 11",
    );
}

#[test]
fn the_first_line_of_a_definition_is_put_in_where_the_rest_stands() {
    assert_one_change(
        "EXTENDS Naturals
VARIABLES pc, j
Init == /\\ pc = 3
        /\\ j = 1

      /\\ IF j < 2
            THEN pc' = 5
            ELSE pc' = 7
      /\\ UNCHANGED j

L5 == /\\ pc' = 7
      /\\ UNCHANGED j
Next == L3 \\/ L5
Spec == Init /\\ [][Next]_<<pc, j>>",
        "begin a definition in line 7, column 7",
    );
}

/// Definitions of which each has a comment inside, where a lost first line could have been.
fn definitions_with_seams(count: usize) -> String {
    let definitions = (0..count).map(|number| {
        format!("Step{number} ==\n    /\\ file = {number}\n    \\* A comment.\n    /\\ pos' = {number}\n")
    });
    definitions.collect()
}

#[test]
fn the_first_line_with_one_parameter_is_put_in_far_down_a_text() {
    let before = definitions_with_seams(40);
    for uses in ["SetLength(2) \\/ \\E p \\in {1} : SetLength(p)", "SetLength[2]"] {
        let body = format!(
            "EXTENDS Naturals
VARIABLES file, pos, length
MaxLength(f) == f
{before}Seek(at) ==
    /\\ pos' = at
    /\\ UNCHANGED <<file, length>>

    /\\ file' = MaxLength(newLength)
    /\\ length' = newLength
Next == Seek(1) \\/ {uses}"
        );
        assert_one_change(&body, "begin a definition in line 169, column 5");
    }
}

#[test]
fn two_misspelled_names_are_no_lost_first_line() {
    let body = "VARIABLES file, pos
Cut(f) == f
Seek(at) ==
    /\\ pos' = at

    /\\ file' = Cut(fiel)
Next == Seek(1) \\/ Seke(2)";
    assert_eq!(complaints(body).len(), 2, "{:#?}", complaints(body));
}

#[test]
fn two_lines_that_changed_places_change_back() {
    for (body, lines) in [
        (
            "EXTENDS Naturals
W(b, v) ==
Safe(b, v) == \\A c \\in {b} : W(c, v)
    \\E w \\in {1} : w > b + v
A == Safe(1, 2) /\\ W(1, 2)",
            "let lines 4 and 5 change places",
        ),
        (
            "EXTENDS Naturals
  [a : {1},
Sends ==
  b : {2}]
Init == \\E x \\in Sends : x.a = 1",
            "let lines 3 and 4 change places",
        ),
        (
            "---- MODULE Inner ----
CONSTANT K
I == 1
V == INSTANCE Inner WITH K <- 3
====
B == V!I",
            "let lines 5 and 6 change places",
        ),
    ] {
        assert_one_change(body, lines);
    }
}

#[test]
fn a_line_that_stands_elsewhere_is_moved_back() {
    assert_one_change(
        "EXTENDS Naturals
VARIABLE x
A == IF x = 1
    THEN 1
Init == x = 0
Next == x' = 1
    ELSE 2",
        "put line 8 before line 6",
    );
    assert_one_change(
        "EXTENDS Naturals
VARIABLE x
    THEN 1
Init == x = 0
Next == IF x = 1
    ELSE 2",
        "put line 4 after line 6",
    );
}

#[test]
fn the_rest_of_a_line_that_became_a_comment_is_none() {
    assert_one_change(
        "EXTENDS Naturals \\* , IOUtils, Json
A == IOEnv
B == ndJsonDeserialize(A)",
        "take out `\\*` in line 2, column 18",
    );
    assert_one_change(
        "EXTENDS Naturals
RECURSIVE Even(_), Odd \\* (_)
Even(n) == IF n = 0 THEN TRUE ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1)",
        "take out `\\*` in line 3, column 24",
    );
}

#[test]
fn no_line_changes_places_with_the_end_of_the_module() {
    let said = complaints("EXTENDS Sequences\nVARIABLE x\nB == <<x'', Len(<<>>, 2)>>");
    assert_eq!(said.len(), 2, "{said:#?}");
}

/// The advice of the only error of the last of these modules, which all are in one folder.
fn advice_of_folder(modules: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).with_extension("tla");
    for (name, body) in modules {
        std::fs::write(path(name), format!("---- MODULE {name} ----\n{body}\n====\n")).unwrap();
    }
    let loaded = load(&path(modules.last().unwrap().0), &SearchPath::default());
    let [error] = loaded.diagnostics.as_slice() else {
        panic!("{:#?}", loaded.diagnostics);
    };
    error.help.clone().unwrap_or_default()
}

#[test]
fn a_module_that_has_taken_names_is_replaced_by_the_one_that_it_extends() {
    let help = advice_of_folder(&[
        ("Interface", "CONSTANTS Adr, Val"),
        ("Inner", "EXTENDS Interface\nCONSTANT InitMem\nSpec == InitMem"),
        (
            "Memory",
            "EXTENDS Inner
Of(InitMem) == INSTANCE Inner
Spec == \\E InitMem \\in [Adr -> Val] : Of(InitMem)!Spec",
        ),
    ]);
    assert!(help.contains("write `Interface` for `Inner` in line 2"), "{help}");
}

#[test]
fn a_module_that_has_nothing_of_what_is_used_of_its_instance_is_replaced_by_one_that_has() {
    let help = advice_of_folder(&[
        ("Heap", "Pushed(s) == s\nPopped(s) == s"),
        ("Queue", "Put(s) == s"),
        (
            "Jobs",
            "Q == INSTANCE Queue\nA(s) == Q!Pushed(s)\nB(s) == Q!Popped(s)",
        ),
    ]);
    assert!(help.contains("write `Heap` for `Queue` in line 2"), "{help}");
}

#[test]
fn a_sign_that_makes_a_definition_of_a_declared_name_is_taken_out() {
    for body in [
        "CONSTANTS\np1== , p2\nA == {p1, p2}",
        "VARIABLES x,\ny == , z\nA == {x, y, z}",
        "EXTENDS Naturals\nCONSTANT\nN == , M\nA == N + M",
    ] {
        assert_one_change(body, "take out `==`");
    }
}

#[test]
fn two_words_that_became_one_are_taken_apart() {
    for (body, change) in [
        (
            "---- MODULE Inner ----\nVARIABLES mem, ctl, buf\nSpec == [][mem' = ctl]_buf\n====
I(mem, ctl, buf) == INSTANCE Inner\nSpec == \\EE mem, ctl, buf : I(mem,ctlbuf)!Spec",
            "write `ctl , buf` for `ctlbuf`",
        ),
        (
            "EXTENDS TLC\nPrintVal(id, exp) == Print(<<id, exp>>, TRUEASSUME\n\n) /\\ PrintVal(1, 2)",
            "write `TRUE) ASSUME` for `TRUEASSUME )`",
        ),
        (
            "VARIABLE v\nA == v' = v\nB == IF <<A>>_v \\/ ~(<< ENABLEDA>>_v)' THEN 1 ELSE 2",
            "write `ENABLED <<A` for `<< ENABLEDA`",
        ),
    ] {
        assert_one_change(body, change);
    }
}

#[test]
fn two_words_that_changed_places_across_a_comment_change_back() {
    assert_one_change(
        "CONSTANT Naturals
INSTANCE Val

\\* Concrete values.
Naturals == {1, 2}
B == Val",
        "write `Naturals \\* Concrete values. Val` for `Val \\* Concrete values. Naturals`",
    );
}

#[test]
fn a_line_with_too_few_signs_for_the_end_of_the_module_is_its_end() {
    let text = "---- MODULE M ----
A == 1
B == \\E c \\in {A} : c = A

==
---- CONFIG M ----
INIT Init
====
";
    let loaded = load_text(Path::new("M.tla"), text.to_owned(), &SearchPath::default());
    let [error] = loaded.diagnostics.as_slice() else {
        panic!("{:#?}", loaded.diagnostics);
    };
    let help = error.help.as_deref().unwrap_or("");
    assert!(help.contains("write `====` for `==` in line 5"), "{help}");
}

#[test]
fn a_prime_in_what_is_passed_on_is_taken_out() {
    assert_one_change(
        "EXTENDS Naturals, Sequences
VARIABLE inbox
Pred(msg) ==
    msg.type' = \"pl\"
A == \\A n \\in {1} : SelectSeq(inbox[n], Pred) = SelectSeq(inbox'[n], Pred)
B == Len(SelectSeq(inbox[1], Pred)) < Len(SelectSeq(inbox'[1], Pred))",
        "take out `'` in line 5",
    );
}

#[test]
fn what_makes_a_value_of_an_instance_is_taken_out() {
    assert_one_change(
        "---- MODULE Proto ----
Nat == {1}
a + b == a
a - b == a
a * b == a
====
LOCAL R == 0 INSTANCE Proto
N == R!Nat
a + b == R!+(a, b)
a - b == R!-(a, b)
a * b == R!*(a, b)",
        "take out `0` in line 8",
    );
}

#[test]
fn a_constant_that_is_substituted_twice_has_no_value_that_could_be_wrong() {
    let said = complaints(
        "---- MODULE Inner ----
CONSTANTS S, V, C(_)
F == C(S) \\cup V
====
I == INSTANCE Inner WITH S <- 1, C <- 2, C <- LAMBDA s : s",
    );
    assert_eq!(said, ["5:42 redefined: `C` is substituted twice"]);
}
