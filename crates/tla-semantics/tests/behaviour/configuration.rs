//! Configuration files: what is read, what is refused.

use crate::common::load_body;
use omnilink_tla_semantics::Loaded;
use omnilink_tla_semantics::config::{Assigned, Config, ConfigValue, parse};
use omnilink_tla_syntax::diagnostic::Diagnostic;
use omnilink_tla_syntax::source::Source;

fn read(spec: &mut Loaded, text: &str) -> (Config, Vec<Diagnostic>) {
    let id = spec.spec.sources.add(Source::new("M.cfg", text));
    let mut diagnostics = Vec::new();
    let config = parse(id, text, &mut diagnostics);
    (config, diagnostics)
}

fn complaints(body: &str, text: &str) -> Vec<String> {
    let mut spec = load_body(body);
    assert!(spec.is_ok(), "{:?}", spec.diagnostics);
    let (config, mut diagnostics) = read(&mut spec, text);
    if diagnostics.is_empty() {
        config.check(&spec.spec, &[], &mut diagnostics);
    }
    let place = |d: &Diagnostic| spec.spec.sources.get(d.source).line_column(d.span.start);
    diagnostics
        .iter()
        .map(|d| format!("{}:{} {}", place(d).line, place(d).column, d.message))
        .collect()
}

#[test]
fn every_section_is_read() {
    let text = "\\* a comment (* not nested\n(* a (* nested *) one *)\n\
        SPECIFICATION Spec\nINVARIANTS A B\nINVARIANT C\nPROPERTY P\nCONSTRAINT K\nACTION_CONSTRAINTS L\n\
        SYMMETRY S VIEW V ALIAS W POSTCONDITION Q\n_PERIODIC R\nCHECK_DEADLOCK FALSE\nCONSTANTS\n";
    let (config, diagnostics) = read(&mut load_body(""), text);
    assert_eq!(diagnostics, []);
    let names = |list: &[omnilink_tla_semantics::config::Named]| {
        list.iter().map(|n| n.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&config.invariants), ["A", "B", "C"]);
    assert_eq!(config.specification.map(|n| n.name).as_deref(), Some("Spec"));
    assert_eq!(names(&config.periodic), ["R"]);
    assert_eq!(config.check_deadlock, Some(false));
}

#[test]
fn constants_take_values_definitions_and_model_values() {
    let text = "CONSTANTS\n N = 3 M = -1\n S = {a, b, {\"x\", TRUE}}\n r = [f |-> 1, g |-> <<1, 2>>]\n a = a\n\
        Op <- Def\n I!Op <- Def\n T <- [Mod] Def\n U = [Mod] 4\n f(1, 2) = 3";
    let (config, diagnostics) = read(&mut load_body(""), text);
    assert_eq!(diagnostics, []);
    let by_name = |name: &str| config.constants.iter().find(|a| a.target.name == name).unwrap();
    let number = |n: &str| ConfigValue::Number(n.into());
    let value = |name: &str| match &by_name(name).value {
        Assigned::Value { value } => value.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(value("N"), number("3"));
    assert_eq!(value("M"), number("-1"));
    assert_eq!(value("a"), ConfigValue::Model("a".into()));
    assert_eq!(
        value("r"),
        ConfigValue::Record(vec![
            ("f".into(), number("1")),
            ("g".into(), ConfigValue::Tuple(vec![number("1"), number("2")])),
        ])
    );
    assert!(matches!(&by_name("I!Op").value, Assigned::Definition { name } if name.name == "Def"));
    assert_eq!(by_name("T").module.as_ref().map(|m| m.name.as_str()), Some("Mod"));
    assert_eq!(by_name("U").module.as_ref().map(|m| m.name.as_str()), Some("Mod"));
    assert_eq!(by_name("f").arguments, [number("1"), number("2")]);
}

#[test]
fn what_cannot_be_read_is_refused_and_reading_goes_on() {
    for (text, expected) in [
        ("INVARIENT Inv", "1:1 `INVARIENT` begins no section"),
        (
            "INVARIANT Inv\nDEADLOCK FALSE",
            "2:1 `DEADLOCK` begins no section",
        ),
        ("CONSTANT N 3", "1:12 expected `=` or `<-`, found `3`"),
        (
            "CONSTANT N = ",
            "1:14 expected a value, found the end of the file",
        ),
        (
            "CONSTANT N = {1, 2",
            "1:19 expected `,` or `}`, found the end of the file",
        ),
        (
            "CHECK_DEADLOCK maybe",
            "1:16 expected TRUE or FALSE, found `maybe`",
        ),
        ("INIT A\nINIT B", "2:1 INIT occurs twice"),
        (
            "CONSTANT N = 1 + 2",
            "1:16 a value is written here, not computed: found `+`",
        ),
        (
            "CONSTANT N = 1..3",
            "1:15 a value is written here, not computed: found `..`",
        ),
        ("specification Spec", "1:1 `specification` begins no section"),
        ("(* never", "1:1 this comment is never closed"),
        ("CONSTANT N = \"abc", "1:14 this string is never closed"),
        ("\0", "1:1 the invisible character U+0000 has no meaning here"),
    ] {
        assert_eq!(complaints("A == TRUE", text), [expected]);
    }
    assert_eq!(
        complaints("CONSTANTS N, M\nA == TRUE", "INVARIANT A"),
        ["1:1 the constant `N` and 1 more have no value"]
    );
    let deep = format!("CONSTANT N = {}", "{".repeat(100_000));
    assert_eq!(complaints("", &deep).len(), 1);
}

#[test]
fn names_mean_something_in_the_spec() {
    let body = "CONSTANT N\nVARIABLE x\nInit == x = N\nNext == x' = x\nInv == x = 1\nInvariant(a) == a";
    let fine = "INIT Init NEXT Next INVARIANT Inv CONSTANT N = 1";
    assert_eq!(complaints(body, fine), [] as [&str; 0]);
    for (text, expected) in [
        (
            "INIT Init NEXT Nxt CONSTANT N = 1",
            "1:16 `Nxt` is not defined in module M",
        ),
        ("INIT Init CONSTANT N = 1", "1:6 INIT comes with NEXT"),
        (
            "INIT Next NEXT Next CONSTANT N = 1",
            "1:6 `Next` is of action level",
        ),
        (
            "INVARIANT Invariant CONSTANT N = 1",
            "1:11 `Invariant` takes arguments",
        ),
        (
            "CONSTANT N <- Invariant",
            "1:15 `N` takes 0 arguments, `Invariant` takes 1",
        ),
        ("INVARIANT Inv", "1:1 the constant `N` has no value"),
    ] {
        let found = complaints(body, text);
        assert!(
            found.len() == 1 && found[0].starts_with(expected),
            "{text}: {found:?}"
        );
    }
}
