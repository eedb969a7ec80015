//! Evaluating from outside: one expression, a repl, constants that are given, files and commands.

use std::fs;

use omnilink_tla::{Entered, EvaluateError, EvaluateOptions, Evaluated, MODULES, Repl, evaluate};

const SPEC: &str = r"---- MODULE Queue ----
EXTENDS Naturals, Sequences
CONSTANTS Size, Values
VARIABLE q
Double == Size * 2
Pairs == Values \X Values
====
";

fn in_spec(expr: &str, constants: &[(&str, &str)], cfg: Option<&str>) -> Result<Evaluated, EvaluateError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Queue.tla");
    fs::write(&file, SPEC).unwrap();
    let config = cfg.map(|cfg| {
        let path = folder.path().join("Queue.cfg");
        fs::write(&path, cfg).unwrap();
        path
    });
    let options = EvaluateOptions {
        file: Some(file),
        config,
        constants: constants
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
            .collect(),
        ..EvaluateOptions::default()
    };
    evaluate(expr, &options)
}

#[test]
fn every_module_that_is_promised_can_be_used_at_once() {
    assert_eq!(
        evaluate("TRUE", &EvaluateOptions::default()).unwrap().text,
        "TRUE"
    );
    assert!(MODULES.contains(&"Json"));
}

#[test]
fn constants_are_values_as_a_configuration_writes_them_or_expressions() {
    assert_eq!(in_spec("Double", &[("Size", "3")], None).unwrap().text, "6");
    assert_eq!(
        in_spec("Double", &[("Size", "Cardinality({1, 2}) + 1")], None)
            .unwrap()
            .text,
        "6"
    );
    assert_eq!(
        in_spec("Pairs", &[("Values", "{a}")], None).unwrap().text,
        "{<<a, a>>}"
    );
    assert_eq!(
        in_spec("Values", &[("Values", "{x \\in 1..9 : x > 7}")], None)
            .unwrap()
            .text,
        "{8, 9}"
    );
}

#[test]
fn a_constant_that_is_given_counts_more_than_the_configuration() {
    let cfg = Some("CONSTANTS Size = 1 Values = {a, b}");
    assert_eq!(
        in_spec("<<Size, Values>>", &[], cfg).unwrap().text,
        "<<1, {a, b}>>"
    );
    assert_eq!(in_spec("Size", &[("Size", "9")], cfg).unwrap().text, "9");
}

#[test]
fn a_constant_that_does_not_exist_or_has_no_value_is_an_error_that_helps() {
    let error = in_spec("1", &[("Sise", "3")], None).unwrap_err();
    assert_eq!(error.class, "config");
    assert!(
        error.rendered.contains("did you mean `Size`?"),
        "{}",
        error.rendered
    );
    let error = in_spec("1", &[("Double", "3")], None).unwrap_err();
    assert!(
        error.rendered.contains("its constants are Size, Values"),
        "{}",
        error.rendered
    );
    let error = in_spec("1", &[("Size", "1 +")], None).unwrap_err();
    assert!(
        error.message.contains("not a value for `Size`"),
        "{}",
        error.message
    );
    let error = in_spec("1", &[("Values", "Nat")], None);
    assert!(error.is_ok(), "a name is a model value: {error:?}");
    let error = in_spec("1", &[("Values", "Nat \\cup {0}")], None).unwrap_err();
    assert_eq!(error.class, "config");
    let error = in_spec("Double", &[], None).unwrap_err();
    assert!(error.message.contains("Size"), "{}", error.message);
}

#[test]
fn an_error_shows_the_line_and_what_names_stood_for() {
    let error = evaluate("{1 \\div x : x \\in {2, 0}}", &EvaluateOptions::default()).unwrap_err();
    assert_eq!(error.class, "domain");
    for part in ["1 \\div x", "^", "x = 0"] {
        assert!(error.rendered.contains(part), "{}", error.rendered);
    }
    assert!(!error.rendered.contains("OmniLink"), "{}", error.rendered);
}

#[test]
fn a_missing_file_is_an_error() {
    let options = EvaluateOptions {
        file: Some("no/such/Spec.tla".into()),
        ..EvaluateOptions::default()
    };
    assert!(
        evaluate("1", &options)
            .unwrap_err()
            .message
            .contains("no/such/Spec.tla")
    );
}

#[test]
fn commands_run_only_where_they_may() {
    let expr = "IOExec(<<\"echo\", \"hi\">>).stdout";
    let error = evaluate(expr, &EvaluateOptions::default()).unwrap_err();
    assert_eq!(error.class, "io");
    assert!(error.message.contains("--allow-exec"), "{}", error.message);
}

#[test]
fn values_survive_files_of_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let evaluate = |expr: String| evaluate(&expr, &EvaluateOptions::default()).unwrap().text;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let value = "<<[a |-> 1, b |-> <<TRUE, \"x\">>], [a |-> 2, b |-> <<>>]>>";
    for name in ["v.ndjson", "v.ndjson.gz"] {
        let file = path(name);
        assert_eq!(evaluate(format!("ndJsonSerialize(\"{file}\", {value})")), "TRUE");
        assert_eq!(
            evaluate(format!("ndJsonDeserialize(\"{file}\") = {value}")),
            "TRUE"
        );
    }
    let file = path("v.json");
    assert_eq!(evaluate(format!("JsonSerialize(\"{file}\", {value})")), "TRUE");
    assert_eq!(evaluate(format!("JsonDeserialize(\"{file}\") = {value}")), "TRUE");
    for compressed in ["TRUE", "FALSE"] {
        let file = path("v.bin");
        let value = "{(0 :> {1, 2} @@ 5 :> \"y\")}";
        assert_eq!(
            evaluate(format!("IOSerialize({value}, \"{file}\", {compressed})")),
            "TRUE"
        );
        assert_eq!(
            evaluate(format!("IODeserialize(\"{file}\", {compressed}) = {value}")),
            "TRUE"
        );
    }
    let file = path("v.csv");
    assert_eq!(
        evaluate(format!("CSVWrite(\"%1$s;%2$s\", <<1, TRUE>>, \"{file}\")")),
        "TRUE"
    );
    assert_eq!(
        evaluate(format!("CSVRead(<<\"n\", \"b\">>, \";\", \"{file}\")")),
        "<<[b |-> \"TRUE\", n |-> \"1\"]>>"
    );
    assert_eq!(evaluate(format!("CSVRecords(\"{file}\")")), "1");
}

#[test]
fn a_scratchpad_keeps_definitions_and_forgets_wrong_ones() {
    let mut pad = Repl::new(EvaluateOptions::default());
    let mut enter = |text: &str| match pad.enter(text) {
        Ok(Entered::Nothing) => String::new(),
        Ok(Entered::Value(value)) => value.text,
        Ok(Entered::Definition(name)) => format!("{name} is kept"),
        Err(error) => error.class.to_owned(),
    };
    assert_eq!(enter("x == 3"), "x is kept");
    assert_eq!(enter("f(a) == a + \\\n   x"), "f is kept");
    assert_eq!(enter("f(4)"), "7");
    assert_eq!(enter("x == 1 + undefined"), "undefined");
    assert_eq!(enter("x == 10"), "x is kept");
    assert_eq!(enter("f(4)"), "14");
    assert_eq!(enter("LET y == 2 IN y * x"), "20");
    assert_eq!(
        enter("fact[n \\in Nat] == IF n = 0 THEN 1 ELSE n * fact[n - 1]"),
        "fact is kept"
    );
    assert_eq!(enter("fact[5]"), "120");
    assert_eq!(
        enter("RECURSIVE g(_)\ng(n) == IF n = 0 THEN 0 ELSE n + g(n - 1)"),
        "g is kept"
    );
    assert_eq!(enter("g(10)"), "55");
    assert_eq!(enter("  \n"), "");
}

#[test]
fn a_text_goes_on_while_something_is_open() {
    for open in ["{1,", "f(", "1 + \\", "<<1, [a |-> ", "RECURSIVE f(_)"] {
        assert!(!Repl::is_complete(open), "{open}");
    }
    for whole in ["{1}", "1 + ", "x == <<1>>", "\"(\"", ")"] {
        assert!(Repl::is_complete(whole), "{whole}");
    }
}

#[test]
fn membership_in_a_set_that_cannot_be_evaluated_as_a_whole_is_decided_like_tlc_does() {
    let cfg = "CONSTANTS Size = Nil Values = {1}";
    let text = |expr: &str| match in_spec(expr, &[], Some(cfg)) {
        Ok(evaluated) => evaluated.text,
        Err(error) => error.class.to_owned(),
    };
    // `Size` is a model value, which can be compared with anything; a number and a set cannot.
    assert_eq!(text(r"Size \in {{1}, Size, 5}"), "TRUE");
    assert_eq!(text(r"LET x == Size IN x \in {{1}, Size, 5}"), "TRUE");
    assert_eq!(text(r"{1} \in {{1}, Size, 5}"), "TRUE");
    assert_eq!(text(r"5 \in {{1}, Size, 5}"), "type");
    assert_eq!(text(r"\E x \in {Size} : x \in {{1}, x, 5}"), "TRUE");
    // Only the element in question is tested, where the set is not enumerated.
    let filtered = |element: &str, base: &str| text(&format!(r"{element} \in {{h \in {base} : h[2] = 2}}"));
    let functions = r"UNION {[S -> {1, 2, 3}] : S \in SUBSET {1, 2, 3}}";
    assert_eq!(filtered("<<1, 2>>", functions), "TRUE");
    assert_eq!(filtered("<<1, 3>>", functions), "FALSE");
    assert_eq!(filtered("<<1, 4>>", functions), "FALSE");
    assert_eq!(filtered("<<1>>", functions), "domain");
    assert_eq!(filtered("<<1, 2>>", r"{<<>>, <<1, 2>>}"), "domain");
}
