//! Scopes, arities, instances, levels, recursion, labels: what is accepted, what is not, and what is found out.

use crate::common::{complaints, load_body};
use omnilink_tla_semantics::entity::{EntityKind, Resolved};
use omnilink_tla_semantics::level::Level;

fn assert_fine(body: &str) {
    assert_eq!(complaints(body), [] as [&str; 0], "{body}");
}

fn assert_one(body: &str, expected: &str) {
    let found = complaints(body);
    assert!(
        found.len() == 1 && found[0].starts_with(expected),
        "{body}\n{found:#?}\nexpected {expected}"
    );
}

fn level(body: &str, name: &str) -> Level {
    let loaded = load_body(body);
    assert!(loaded.is_ok(), "{:?}", loaded.diagnostics);
    let binding = loaded.spec.find(name).unwrap();
    loaded.spec.entity(binding.entity).level.level
}

#[test]
fn a_let_does_not_reach_a_module_without_a_file() {
    let inner = "---- MODULE Inner ----\nV == 1\n====\n";
    let other = "---- MODULE Other ----\nJ == INSTANCE Inner\n====\n";
    let in_let = "A == LET I == INSTANCE Inner IN I!V\n";
    let refused = |at: &str| {
        format!("{at} module: a LET cannot instantiate module Inner, which has no file of its own")
    };
    assert_eq!(complaints(&format!("{inner}{in_let}")), [refused("4:24")]);
    assert_eq!(complaints(&format!("{inner}{other}{in_let}")), [refused("7:24")]);
    assert_eq!(
        complaints(&format!("{inner}J == INSTANCE Inner\n{in_let}")),
        [""; 0]
    );
    assert_eq!(
        complaints(&format!("{inner}{in_let}J == INSTANCE Inner\n")),
        [""; 0]
    );
    let around = format!("{inner}---- MODULE Other ----\n{in_let}====\nJ == INSTANCE Inner\n");
    assert_eq!(complaints(&around), [""; 0]);
}

#[test]
fn names_end_with_their_scope() {
    assert_fine("A == \\A x \\in {1} : x = 1\nB == \\E x \\in {2} : x = 2\nx == 3");
    assert_fine("A == LET y == 1 IN y\nB == LET y == 2 IN y");
    assert_one("A == (LET y == 1 IN y) = y", "1:26 undefined");
    assert_one("A == {x \\in x : TRUE}", "1:13 undefined");
    assert_one("A == \\A x \\in {1}, y \\in x : TRUE", "1:26 undefined");
}

#[test]
fn nothing_shadows_anything() {
    assert_one("x == 1\nA == \\A x \\in {} : TRUE", "2:9 redefined");
    assert_one("A(x) == LET x == 1 IN x", "1:13 redefined");
    assert_one("EXTENDS Sequences\nLen == 1", "2:1 redefined");
    assert_one("a \\cup b == a", "1:1 redefined: `\\cup` is part of the language");
    assert_one("op(op) == 1", "1:1 redefined");
    assert_fine("A == LET LOCAL y == 1 IN y\nB == \\A <<>> \\in {} : TRUE");
}

#[test]
fn declaring_the_same_thing_twice_is_harmless() {
    for body in [
        "VARIABLE x, x",
        "CONSTANT c\nCONSTANT c",
        "ASSUME A == TRUE\nTHEOREM A == TRUE",
    ] {
        assert!(load_body(body).is_ok(), "{body}");
        assert_eq!(complaints(body).len(), 1, "{body}");
    }
    assert_one("CONSTANT c\nVARIABLE c", "2:10 redefined: `c` is already defined");
    assert_one("CONSTANT c, c(_)", "1:13 redefined: `c` is already defined");
}

#[test]
fn a_recursive_operator_leaves_priming_to_its_callers() {
    assert_one("RECURSIVE R(_)\nR(x) == IF x THEN x' ELSE R(x)", "2:1 level");
    assert_fine("VARIABLE v\nRECURSIVE R(_)\nR(b) == IF b THEN [][b]_v ELSE R(~b)");
}

#[test]
fn a_recursive_call_takes_what_the_definition_takes() {
    assert_fine("RECURSIVE Fold(_, _)\nFold(F(_), s) == IF s = {} THEN F(s) ELSE Fold(F, s)");
    assert_one(
        "G(x) == x\nRECURSIVE R(_)\nR(s) == IF s = {} THEN s ELSE R(G)",
        "3:33 arity",
    );
    let body = "VARIABLE v\nRECURSIVE R(_)\nR(x) == IF x = 1 THEN x ELSE R(v)\n";
    assert_eq!(level(&format!("{body}A == R(1)"), "A"), Level::State);
}

#[test]
fn a_definition_is_known_only_below_it() {
    assert_one("A == B\nB == 1", "1:6 undefined");
    assert_one("A == A", "1:6 undefined");
    assert_fine("f[n \\in {1}] == f[n]");
    assert_fine("RECURSIVE E(_), O(_)\nE(n) == O(n)\nO(n) == E(n)");
}

#[test]
fn operators_take_operators_of_the_right_arity() {
    assert_fine(
        "F(G(_, _)) == G(1, 2)\nPair(a, b) == <<a, b>>\nA == F(Pair)\nB == F(LAMBDA a, b : a)\nC == F(\\cup)",
    );
    assert_one("F(G(_)) == G(1)\nP(a, b) == a\nA == F(P)", "3:8 arity");
    assert_one("F(G(_)) == G(1)\nA == F(1)", "2:8 arity");
    assert_one("F(x) == x\nA == F(LAMBDA y : y)", "2:8 arity");
    assert_one("F(x) == x\nA == F", "2:6 arity");
    assert_one("F(G(_)) == G(1)\nA == F(F)", "2:8 arity");
}

#[test]
fn instances_put_in_for_every_constant_and_variable() {
    let inner = "---- MODULE In ----\nCONSTANT K\nVARIABLE v\nV(a) == <<K, v, a>>\nLOCAL L == K\n====\n";
    assert_fine(&format!(
        "{inner}VARIABLE x\nI == INSTANCE In WITH K <- 1, v <- x\nA == I!V(2)"
    ));
    assert_fine(&format!("{inner}VARIABLE v\nI(K) == INSTANCE In\nA == I(3)!V(2)"));
    assert_fine(&format!("{inner}VARIABLE v\nK == 1\nINSTANCE In\nA == V(2)"));
    assert_one(
        &format!("{inner}VARIABLE v\nI == INSTANCE In"),
        "8:1 undefined: there is no substitution for `K`",
    );
    assert_one(
        &format!("{inner}VARIABLE v\nI == INSTANCE In WITH K <- 1, Z <- 2"),
        "8:31 redefined",
    );
    assert_one(
        &format!("{inner}VARIABLE v\nI == INSTANCE In WITH K <- v"),
        "8:1 level",
    );
    assert_one(
        &format!("{inner}VARIABLE v\nI == INSTANCE In WITH K <- 1\nA == I!L"),
        "9:8 undefined",
    );
    assert_one(
        &format!("{inner}VARIABLE v\nI(K) == INSTANCE In\nA == I!V(1)"),
        "9:6 arity",
    );
}

#[test]
fn a_constant_module_takes_its_level_from_what_is_put_in() {
    let body = "---- MODULE In ----\nCONSTANT K, J\nTwice == <<K, K>>\nOther == J\n====\nVARIABLE x\nI == INSTANCE In WITH K <- x', J <- 1\n";
    assert_eq!(level(&format!("{body}A == I!Twice"), "A"), Level::Action);
    assert_eq!(level(&format!("{body}A == I!Other"), "A"), Level::Constant);
}

#[test]
fn levels_follow_parameters() {
    let body = "VARIABLE x\nId(a) == a\nConst(a) == 1\nNext(a) == a'\n";
    assert_eq!(level(&format!("{body}A == Id(x)"), "A"), Level::State);
    assert_eq!(level(&format!("{body}A == Id(x')"), "A"), Level::Action);
    assert_eq!(level(&format!("{body}A == Const(x')"), "A"), Level::Constant);
    assert_eq!(level(&format!("{body}A == Next(x)"), "A"), Level::Action);
    assert_eq!(level("VARIABLE x\nA == [][x' = x]_x", "A"), Level::Temporal);
    assert_eq!(level("VARIABLE x\nA == ENABLED (x' = x)", "A"), Level::State);
    assert_one(&format!("{body}A == Next(x')"), "5:6 level");
    assert_one(
        &format!("{body}Ap(F(_), a) == F(a)\nA == Ap(Next, x')"),
        "6:6 level",
    );
}

#[test]
fn levels_that_do_not_fit_are_refused() {
    for (body, at) in [
        ("A == x''", "2:6"),
        ("A == (x' = x)'", "2:6"),
        ("A == ENABLED []x", "2:6"),
        ("A == [](x' = x)", "2:6"),
        ("A == <>(x' = x)", "2:6"),
        ("A == [[]x]_x", "2:6"),
        ("A == [x]_(x')", "2:6"),
        ("A == (x' = x) /\\ []x", "2:6"),
        ("A == x' ~> x", "2:6"),
        ("A == {y \\in {} : []x}", "2:6"),
        ("ASSUME x = 1", "2:1"),
    ] {
        assert_one(&format!("VARIABLE x\n{body}"), &format!("{at} level"));
    }
}

#[test]
fn operands_that_sany_does_not_count_do_not_raise_a_level() {
    for body in [
        "A == PrintT(x')'",
        "ASSUME TLCSet(1, x)",
        "A == (x' * 2)'",
        "A == PrintT([]x)",
        "A == F(PrintT)",
    ] {
        assert_fine(&format!(
            "EXTENDS TLC, Naturals\nVARIABLE x\nF(G(_)) == G([]x)\n{body}"
        ));
    }
    for body in ["A == ToString(x')'", "A == Print(1, x')'", "A == (x' + 2)'"] {
        assert_one(&format!("EXTENDS TLC, Naturals\nVARIABLE x\n{body}"), "3:6 level");
    }
    assert_one("VARIABLE x\nPrintT(y) == y\nASSUME PrintT(x)", "3:1 level");
}

#[test]
fn modules_that_meet_on_two_ways_are_one() {
    assert_fine(
        "EXTENDS Naturals, Integers, Sequences, FiniteSets\nLOCAL INSTANCE Naturals\nA == 1 + Len(<<>>)",
    );
    let two = "---- MODULE P ----\nx == 1\n====\n---- MODULE Q ----\nx == 2\n====\nINSTANCE P\nINSTANCE Q";
    assert_one(
        two,
        "8:1 redefined: `x` comes from two modules; the first one counts",
    );
}

#[test]
fn a_module_that_uses_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("P.tla"), "---- MODULE P ----\nEXTENDS Q\n====").unwrap();
    std::fs::write(folder.path().join("Q.tla"), "---- MODULE Q ----\nEXTENDS P\n====").unwrap();
    let loaded = omnilink_tla_semantics::load(&folder.path().join("P.tla"), &Default::default());
    assert_eq!(loaded.diagnostics.len(), 1, "{:?}", loaded.diagnostics);
    assert!(loaded.diagnostics[0].message.contains("module P uses itself"));
}

#[test]
fn folders_of_the_search_path_are_looked_at_in_order() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let write = |folder: &tempfile::TempDir, name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write(
        &first,
        "P.tla",
        "---- MODULE P ----\nEXTENDS Q, Naturals\nA == q + 1\n====",
    );
    write(&second, "Q.tla", "---- MODULE Q ----\nq == 1\n====");
    let search = omnilink_tla_semantics::search_path::SearchPath::new([second.path().to_owned()]);
    assert!(omnilink_tla_semantics::load(&first.path().join("P.tla"), &search).is_ok());
    write(&first, "Q.tla", "---- MODULE Q ----\nr == 1\n====");
    assert!(!omnilink_tla_semantics::load(&first.path().join("P.tla"), &search).is_ok());
}

#[test]
fn a_module_below_another_in_one_file_is_found() {
    let text = "---- MODULE M ----\nEXTENDS Below\nA == b\n====\n---- MODULE Below ----\nb == 1\n====\n";
    let loaded = omnilink_tla_semantics::load_text("M.tla".as_ref(), text.into(), &Default::default());
    assert!(loaded.is_ok(), "{:?}", loaded.diagnostics);
}

#[test]
fn labels_name_what_is_bound_around_them() {
    assert_fine("A == \\A n \\in {1} : lab(n) :: n = 1\nB == A!lab(3)");
    assert_one("A(n) == lab(n) :: n = 1", "1:9 label");
    assert_one("A == \\A n \\in {1} : lab :: n = 1", "1:21 label");
    assert_one(
        "A == \\A n \\in {1} : lab(n) :: n = 1\nB == A!lab(1, 2)",
        "2:8 label",
    );
    assert_one("A == 1\nB == A!nope", "2:8 label");
}

#[test]
fn parts_of_definitions_are_found() {
    let body = "Init == /\\ TRUE\n        /\\ \\A n \\in {1, 2} : n = 1\n";
    assert_fine(&format!(
        "{body}A == Init!1\nB == Init!2!1\nC == Init!2!(3)\nD == Init!2!(3)!<<\nE == Init!:"
    ));
    assert_one(&format!("{body}A == Init!3"), "3:11 label");
    assert_fine("A == LET x(y) == y IN x(1)\nB == A!:!x(2)\nC == A!1");
    assert_one("A == LET x == 1 IN x\nB == A!x", "2:8 label");
    assert_fine("A == [f |-> 1].f\nB == A!1\nC == A!2 = \"f\"");
    let loaded = load_body(&format!("{body}A == Init!2!(7)!>>"));
    let Some(reference) = loaded.spec.references.last() else {
        panic!("nothing was resolved")
    };
    let part = reference.part.as_ref().unwrap();
    let source = loaded.spec.sources.get(loaded.spec.tree(part.tree).source);
    assert_eq!(
        source.slice(loaded.spec.tree(part.tree).expr(part.expr).span),
        "1"
    );
    assert_eq!(part.bound.len(), 1);
}

#[test]
fn every_name_of_a_body_is_resolved() {
    let loaded = load_body("VARIABLE x\nF(a) == \\E y \\in {a} : x = y\nG == F(x)");
    let spec = &loaded.spec;
    let tree = spec.tree(spec.root().unwrap().tree);
    for (i, expr) in tree.exprs.iter().enumerate() {
        if let omnilink_tla_syntax::ast::ExprKind::Apply(ident, _) = &expr.kind {
            let Resolved::Entity(entity) = spec.resolved[0][i] else {
                panic!("{i} is not resolved")
            };
            assert_eq!(spec.entity(entity).name, ident.name);
        }
    }
    let g = spec.find("G").unwrap();
    assert!(matches!(spec.entity(g.entity).kind, EntityKind::Operator { .. }));
}

#[test]
fn every_built_in_module_resolves_and_is_listed() {
    use omnilink_tla_semantics::search_path::{SearchPath, built_in_names, built_in_text};
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/modules");
    let files: Vec<String> = crate::common::files(&folder, ".tla")
        .iter()
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(built_in_names().collect::<Vec<_>>(), files);
    for name in built_in_names() {
        let text = built_in_text(name).unwrap().to_owned();
        let path = format!("{name}.tla");
        let loaded = omnilink_tla_semantics::load_text(path.as_ref(), text, &SearchPath::default());
        assert_eq!(loaded.diagnostics, [], "{name}");
    }
}
