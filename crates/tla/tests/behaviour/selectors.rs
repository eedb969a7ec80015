//! Parts of definitions and theorems, as SANY selects them: the last definition of each picture is the selector.

use crate::common::{complaints, load_body};
use omnilink_tla::semantics::entity::Aspect;
use omnilink_tla::{EvaluateOptions, evaluate};

/// The text that the last reference of a body selects.
fn selected(body: &str) -> String {
    let body = format!("EXTENDS Naturals\nVARIABLE v\n{body}");
    let loaded = load_body(&body);
    assert!(loaded.is_ok(), "{body}\n{:?}", complaints(&body));
    let reference = loaded.spec.references.last().expect("a reference");
    let Some(part) = &reference.part else {
        return loaded
            .spec
            .names
            .text(loaded.spec.entity(reference.entity).name)
            .to_owned();
    };
    let tree = loaded.spec.tree(part.tree);
    let text = loaded
        .spec
        .sources
        .get(tree.source)
        .slice(tree.expr(part.expr).span);
    match part.aspect {
        Aspect::Whole => text.to_owned(),
        Aspect::FieldName => format!("field name of {text}"),
        Aspect::Arguments => format!("arguments of {text}"),
        Aspect::Function(_) => format!("function of {text}"),
    }
}

/// Asserts that a body has one mistake, of class `label`, in its last line.
fn refused(body: &str) {
    let body = format!("EXTENDS Naturals\nVARIABLE v\n{body}");
    let found = complaints(&body);
    let last_line = format!("{}:", body.lines().count());
    assert_eq!(found.len(), 1, "{body}\n{found:?}");
    assert!(
        found[0].starts_with(&last_line) && found[0].contains(" label: "),
        "{body}\n{found:?}"
    );
}

#[test]
fn clauses_of_an_assume_prove_are_counted() {
    assert_eq!(
        selected("THEOREM T == ASSUME v = 2 PROVE v = 1\nB == T!1"),
        "v = 2"
    );
    assert_eq!(
        selected("THEOREM T == ASSUME v = 2 PROVE v = 1\nB == T!2!>>"),
        "1"
    );
    assert_eq!(
        selected("THEOREM T == ASSUME v = 2 PROVE v = 1\nB == T!>>"),
        "v = 1"
    );
    let nested = "THEOREM T == ASSUME ASSUME v = 3 PROVE v = 2 PROVE v = 1\n";
    assert_eq!(selected(&format!("{nested}B == T!1!2")), "v = 2");
    refused(&format!("{nested}B == T!1"));
    refused("THEOREM T == ASSUME v = 2 PROVE v = 1\nB == T!3");
    refused("THEOREM T == ASSUME v = 2 PROVE v = 1\nB == T!:");
}

#[test]
fn labels_of_an_assume_prove_are_found_in_every_clause() {
    assert_eq!(
        selected("THEOREM T == ASSUME lab :: v = 2 PROVE v = 1\nB == T!lab"),
        "v = 2"
    );
    assert_eq!(
        selected("THEOREM T == ASSUME v = 2 PROVE lab :: v = 1\nB == T!lab"),
        "v = 1"
    );
    assert_eq!(
        selected("THEOREM T == ASSUME \\A y \\in {1} : lab(y) :: v = y PROVE v = 1\nB == T!lab(7)!<<"),
        "v"
    );
    let labelled = "THEOREM T == ASSUME l1 :: ASSUME l2 :: v = 3 PROVE v = 2 PROVE v = 1\n";
    assert_eq!(selected(&format!("{labelled}B == T!l1!l2")), "v = 3");
    assert_eq!(selected(&format!("{labelled}B == T!l1!2")), "v = 2");
    refused(&format!("{labelled}B == T!l2"));
    refused("THEOREM T == ASSUME lab :: v = 1 PROVE lab :: v = 1");
}

#[test]
fn what_a_new_name_can_occur_in_is_out_of_reach() {
    assert_eq!(
        selected("THEOREM T == ASSUME lab :: v = 2, NEW x PROVE v = x\nB == T!lab"),
        "v = 2"
    );
    refused("THEOREM T == ASSUME NEW x, lab :: v = x PROVE v = 1\nB == T!lab");
    refused("THEOREM T == ASSUME NEW x PROVE v = x\nB == T!2");
    refused("THEOREM T == ASSUME NEW x PROVE v = x\nB == T!1");
    refused("THEOREM T == ASSUME ASSUME NEW x PROVE lab :: v = x PROVE v = 1");
}

#[test]
fn a_boxed_assume_goes_with_a_boxed_prove() {
    let of = |statement: &str| complaints(&format!("VARIABLE v\nTHEOREM T == {statement}"));
    assert_eq!(of("[]ASSUME v = 1 []PROVE v = 1"), [] as [String; 0]);
    assert_eq!(
        of("[]ASSUME v = 1 PROVE v = 1"),
        ["2:14 semantic: []ASSUME does not go with PROVE"]
    );
    let inside = of("ASSUME []ASSUME v = 1 []PROVE v = 2 PROVE v = 1");
    assert_eq!(
        inside,
        ["2:21 semantic: []ASSUME is not allowed inside an ASSUME"]
    );
}

#[test]
fn a_function_definition_has_its_sets_and_its_value_as_parts() {
    let f = "f[x \\in {1}, y \\in {2}] == lab(x, y) :: x + v\n";
    assert_eq!(selected(&format!("{f}A == f!2")), "{2}");
    assert_eq!(selected(&format!("{f}A == f!(3, 4)!2")), "v");
    assert_eq!(selected(&format!("{f}A == f!lab(3, 4)")), "x + v");
    assert_eq!(selected(&format!("{f}A == f!:")), "f");
    refused(&format!("{f}A == f!3"));
    refused("f[x \\in {1}] == f!1");
}

#[test]
fn several_arguments_of_a_function_are_one_part() {
    assert_eq!(selected("Q == v[1, 2]\nA == Q!2"), "arguments of v[1, 2]");
    assert_eq!(selected("Q == v[1, 2]\nA == Q!2!1"), "1");
    refused("Q == v[1, 2]\nA == Q!3");
}

#[test]
fn the_second_part_is_the_last_of_two() {
    assert_eq!(selected("Q == {v, 2}\nA == Q!>>"), "2");
    refused("Q == {v, 2, 3}\nA == Q!>>");
    refused("Q == {v}\nA == Q!>>");
}

#[test]
fn an_arm_and_a_new_value_of_except_are_no_expressions() {
    let case = "Q == CASE v = 1 -> 2 [] OTHER -> 5\n";
    assert_eq!(selected(&format!("{case}A == Q!2!2")), "5");
    refused(&format!("{case}A == Q!1"));
    refused(&format!("{case}A == Q!2!1"));
    assert_eq!(selected("Q == [v EXCEPT ![1] = @ + 1]\nA == Q!1"), "v");
    refused("Q == [v EXCEPT ![1] = @ + 1]\nA == Q!2");
}

#[test]
fn a_name_is_a_label_of_a_name_and_a_definition_of_a_let() {
    let q = "Q == 1 + lab :: LET g(x) == inner :: x + v IN g(1)\n";
    assert_eq!(selected(&format!("{q}A == Q!lab!:!g(2)!inner!1")), "x");
    assert_eq!(selected(&format!("{q}A == Q!2!g(2)")), "inner :: x + v");
    refused(&format!("{q}A == Q!lab!g(2)"));
    refused(&format!("{q}A == Q!2!:!g(2)"));
    refused(&format!("{q}A == Q!lab!:"));
    refused("Q == 1 + lab :: 2\nA == Q!2!lab");
}

#[test]
fn an_operator_that_is_an_argument_can_be_selected_as_one() {
    let q = "F(G(_)) == G(1)\nQ == F(LAMBDA x : x + v)\n";
    assert_eq!(selected(&format!("{q}A == F(Q!1)")), "LAMBDA x : x + v");
    assert_eq!(selected(&format!("{q}A == Q!1!(3)")), "x + v");
    refused(&format!("{q}A == Q!1"));
}

#[test]
fn parts_of_an_unfinished_definition_cannot_be_named() {
    refused("RECURSIVE R(_)\nR(x) == IF x = 0 THEN 1 ELSE R(x - 1)!2");
}

#[test]
fn a_label_may_carry_a_prefix_that_means_nothing() {
    let prefixed = "A == \\A n \\in {} : P(zz)!1!lab(n) :: n = 1\n";
    assert_eq!(selected(&format!("{prefixed}B == A!lab(3)")), "n = 1");
    let warning = "1:20 label: the part before the `!` of a label has no meaning";
    assert_eq!(complaints(prefixed), [warning]);
    assert_eq!(
        selected("A == \\A n \\in {} : +(n) :: n = 1\nB == A!+(3)"),
        "n = 1"
    );
    let bare = complaints("A == P!lab :: TRUE");
    assert_eq!(bare, ["1:6 parse: a name with `!` is not a label"]);
}

#[test]
fn arguments_after_a_subscript_are_dropped_with_a_warning() {
    let of = |body: &str| complaints(&format!("VARIABLE v\n{body}"));
    let dropped = "parse: arguments after a subscript are dropped";
    assert_eq!(of("A == [v' = 1]_v(v, nobody)"), [format!("2:16 {dropped}")]);
    assert_eq!(
        of("A == <<v' = 1>>_v(LET a == 1 IN a)"),
        [format!("2:18 {dropped}")]
    );
    assert!(load_body("VARIABLE v\nA == [v' = 1]_v(v)").is_ok());
    let needed = of("f(x) == x\nA == [v' = 1]_f(v)");
    assert!(
        needed
            .iter()
            .any(|c| c.starts_with("3:15 arity: `f` takes 1 argument")),
        "{needed:?}"
    );
}

/// Selectors that go on through an instance that a LET names, with what TLC makes of them.
#[test]
fn an_instance_of_a_let_is_gone_through_with_the_names_around_it() {
    let definitions = "Op(a) == LET I == INSTANCE Inner WITH c <- a\n             \
        J(b) == INSTANCE Inner WITH c <- b + a\n         IN I!D\n\
        Nest == LET K(k) == LET I == INSTANCE Inner WITH c <- k IN I!D IN K(1)\n\
        F(a) == LET f[x \\in {1, 2}] == x + a IN f[1]\n";
    let inner = "EXTENDS Naturals\nCONSTANT c\nD == c + 1\nE(x) == x + c\nL == LET p == c IN p\n\
        lb == lab :: c + 1\nf[i \\in {1}] == i * c";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("Inner.tla"),
        format!("---- MODULE Inner ----\n{inner}\n====\n"),
    )
    .unwrap();
    let file = folder.path().join("Outer.tla");
    std::fs::write(
        &file,
        format!("---- MODULE Outer ----\nEXTENDS Naturals\n{definitions}====\n"),
    )
    .unwrap();
    let options = EvaluateOptions {
        file: Some(file),
        ..EvaluateOptions::default()
    };
    for (selector, value) in [
        ("Op(10)!:!I!D", "11"),
        ("Op(10)!:!J(2)!D", "13"),
        ("Op(10)!:!I!E(3)", "13"),
        ("Op(10)!:!J(5)!E(7)!2", "15"),
        ("Op(10)!:!J(5)!L!:!p", "15"),
        ("Op(10)!:!I!lb!lab!1", "10"),
        ("Nest!:!K(4)!:!I!D", "5"),
        ("F(10)!:!f[2]", "12"),
        ("Op(10)!:!J(5)!f[1]", "15"),
    ] {
        let found = evaluate(selector, &options).map(|found| found.text);
        assert_eq!(found.as_deref().ok(), Some(value), "{selector}: {found:?}");
    }
    for wrong in [
        "Op(10)!:!I",
        "Op(10)!:!J!D",
        "Op(10)!:!I!E",
        "Op(10)!:!I!c",
        "Op(10)!I!D",
    ] {
        assert!(evaluate(wrong, &options).is_err(), "{wrong}");
    }
}

#[test]
fn at_is_a_name_that_nothing_refers_to() {
    for body in [
        "@ == 1",
        "@(x) == x",
        "@[x \\in {1}] == x",
        "F(@) == 1",
        "CONSTANT @",
        "A == @ :: 1",
        "A == \\A x \\in {1} : @(x) :: x",
        "A == \\A @ \\in {1} : TRUE",
        "A == {@ \\in {1} : TRUE}",
        "A == CHOOSE @ : TRUE",
        "A == [@ |-> 1].@",
        "A == LET @ == 1 IN 2",
        "THEOREM @ == TRUE",
        "@ == INSTANCE Naturals",
    ] {
        assert_eq!(complaints(body), [] as [&str; 0], "{body}");
    }
    for body in [
        "VARIABLE @",
        "@ == 1\nB == @",
        "A == LET @ == 1 IN @",
        "A == [r EXCEPT !.@ = 1]",
        "A == @(x) :: 1",
        "A == @ :: 1\nB == A!@",
    ] {
        assert_ne!(complaints(body), [] as [&str; 0], "{body}");
    }
}

#[test]
fn a_selected_operator_can_be_an_argument() {
    let definitions = "T(Op(_)) == Op(42)\nBoth(Op(_, _)) == Op(3, 10)\n\
        InLet == /\\ LET Next(x) == x + 1 IN TRUE\n         /\\ TRUE\n\
        Bound == \\A x \\in {} : 2 * x\n\
        Param(n) == /\\ LET Plus(x) == x + n IN TRUE\n            /\\ TRUE\n";
    let options = EvaluateOptions {
        definitions: definitions.into(),
        ..EvaluateOptions::default()
    };
    for (expr, value) in [
        ("T(InLet!1!Next)", "43"),
        ("T(Bound!@)", "84"),
        ("InLet!1!Next(4)", "5"),
        ("Both(Param!1!Plus)", "13"),
    ] {
        assert_eq!(evaluate(expr, &options).unwrap().text, value, "{expr}");
    }
}
