//! What is printed reads back as the same tree.

mod common;

use common::{Read, accepted_specs, read_with};
use omnilink_tla_syntax::ast::Tree;
use omnilink_tla_syntax::deep_stack;
use omnilink_tla_syntax::names::Names;
use omnilink_tla_syntax::printer::print;

/// The tree without its places. Both trees are built in the same order, so equal trees are equal arrays.
fn shape(tree: &Tree) -> String {
    let full = format!("{:?}\n{:?}\n{:?}", tree.exprs, tree.units, tree.modules);
    let mut out = String::with_capacity(full.len());
    let mut rest = full.as_str();
    while let Some(start) = rest.find("Span {") {
        let end = rest[start..].find('}').map_or(rest.len(), |end| start + end + 1);
        out.push_str(&rest[..start]);
        rest = &rest[end..];
    }
    out + rest
}

fn assert_round_trip(what: &str, text: &str) {
    let Read {
        tree,
        names,
        diagnostics,
        ..
    } = read_with(Names::default(), text);
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    assert_eq!(errors.count(), 0, "{what}: {diagnostics:?}");
    let printed = deep_stack::run(|| print(&tree, &names));
    let again = read_with(names, &printed);
    assert_eq!(again.diagnostics, [], "{what}, printed as\n{printed}");
    assert!(
        shape(&tree) == shape(&again.tree),
        "{what} is read differently once printed:\n{printed}"
    );
}

#[test]
fn every_spec_reads_back_as_it_was() {
    for path in accepted_specs() {
        assert_round_trip(&path.to_string_lossy(), &std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn lists_keep_what_follows_them_outside() {
    for body in [
        "A == /\\ x\n     /\\ y\n  => z",
        "A == /\\ \\/ x\n        \\/ y\n      => z\n     /\\ w",
        "A == CASE x -> /\\ CASE a -> b\n                  [] c -> d\n  [] y -> 2",
        "A == /\\ x\n     /\\ y\n  /\\ z",
        "A == IF /\\ x\n        /\\ y THEN 1 ELSE 2",
    ] {
        assert_round_trip(body, &format!("---- MODULE M ----\n{body}\n===="));
    }
}

#[test]
fn symbols_that_would_melt_into_one_token_stay_apart() {
    for body in [
        "A == - - 1",
        "A == F( + )",
        "A == F(-, (-1))",
        "A == {} \\ {}",
        "A == (1 .. 2) .. 3",
        "A == I! !! (1, 2)",
        "A == \"a\\\"b\\\\c\\n\\t\"",
        "A == x^+ + 1",
        "A == WF_f(x)(B) /\\ SF_<<x, y>>(B) /\\ WF_I!v(B)",
        "A == [][B]_(x) /\\ <><<B>>_<<x>>",
    ] {
        assert_round_trip(body, &format!("---- MODULE M ----\n{body}\n===="));
    }
}

#[test]
fn what_is_read_and_dropped_is_not_printed() {
    for body in [
        "A == \\A x \\in {} : P(zz)!Q!lab(x) :: x = 1",
        "A == [B]_v(LET a == 1 IN a) /\\ <<B>>_v(1, 2)",
        "THEOREM []ASSUME x, ASSUME NEW y PROVE z []PROVE w",
    ] {
        assert_round_trip(body, &format!("---- MODULE M ----\n{body}\n===="));
    }
}

#[test]
fn names_that_look_like_none_read_back() {
    for body in [
        "@ == 1\n@(x) == x\nA == @ :: [@ |-> 1].@",
        "A == \\A x \\in {}, @ \\in {} : TRUE\nB == \\A x \\in {} : @(x) :: TRUE",
        "A == {@ \\in {} : TRUE} \\cup [@ : {}]",
        "1x == 2\n__pc == 1x\n_a == __pc",
    ] {
        assert_round_trip(body, &format!("---- MODULE M ----\n{body}\n===="));
    }
}

#[test]
fn unicode_proofs_and_labels_read_back() {
    for body in [
        "A ≜ ∀ x ∈ {1} : ∃ y ∈ {2} : x ≠ y ∧ ¬(x = y) ∧ ⟨x, y⟩ ∈ {1} × {2}",
        "VARIABLE v\nB ≜ □[v' = v]_v ∧ ◇⟨v' ≠ v⟩_v",
        "THEOREM T == ASSUME NEW x \\in {}, lab :: ASSUME TRUE PROVE x PROVE x = x\n<1>1. x = x BY DEF T\n<1> QED\nC == 1",
        "THEOREM TRUE\nPROOF\n<1>a. ASSUME NEW y PROVE y = y\n  <2> DEFINE z == y\n  <2> QED BY <1>a\n<1>. QED OBVIOUS\nUSE DEF T\nC == 1",
        "A == /\\ l1 :: TRUE\n     /\\ \\A x \\in {} : l2(x) :: x\nB == A!l1 /\\ A!l2({})!1",
    ] {
        assert_round_trip(body, &format!("---- MODULE M ----\n{body}\n===="));
    }
}
