//! What was once missing, dropped or called by a wrong name.

use std::sync::Mutex;

use crate::common::check;
use omnilink_mc::report::{Answer, Behaviour, PropertyKind, Report};
use omnilink_mc::{CheckOptions, SearchMode, SearchProgress, SimulationOptions};
use omnilink_tla::config::parse;
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::source::Source;

/// Checks a module with this body and configuration: the report, and what the module printed.
fn run(body: &str, config: &str, options: &CheckOptions<'_>) -> (Report, Vec<String>) {
    let text = format!(
        "---- MODULE Spec ----\nEXTENDS Integers, Sequences, FiniteSets, TLC, TLCExt\n{body}\n====\n"
    );
    let mut spec = load_text("Spec.tla".as_ref(), text, &SearchPath::default()).spec;
    let source = spec.sources.add(Source::new("Spec.cfg", config));
    let config = parse(source, config, &mut Vec::new());
    let model = build(spec, &config, &BuildOptions::default());
    let model = model.unwrap_or_else(|rejected| panic!("{body}: {:?}", rejected.diagnostics));
    let printed = Mutex::new(Vec::new());
    let print = |text: &str| {
        printed
            .lock()
            .unwrap_or_else(|error| panic!("{error}"))
            .push(text.to_owned())
    };
    let report = check(&model, "spec", options, &SearchProgress::default(), &print, None);
    let report = report.unwrap_or_else(|error| panic!("{body}: {error}"));
    (report, printed.into_inner().unwrap_or_default())
}

fn explored(body: &str, config: &str) -> Report {
    run(body, config, &CheckOptions::default()).0
}

fn wrong(report: &Report) -> &Behaviour {
    match &report.answer {
        Answer::Wrong(behaviour) => behaviour,
        answer => panic!("{answer:?}"),
    }
}

const COUNT: &str = "VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nInv == x < 2\n";

#[test]
fn a_postcondition_is_evaluated_after_a_violation_and_sees_the_counterexample() {
    let config = "INIT Init\nNEXT Next\nINVARIANT Inv\nPOSTCONDITION Post\n";
    let shown = format!(
        "{COUNT}Post == PrintT(ToTrace(CounterExample)) /\\ PrintT({{a[2].name : a \\in CounterExample.action}}) /\\ PrintT(Cardinality(CounterExample.action))"
    );
    let (report, printed) = run(&shown, config, &CheckOptions::default());
    assert_eq!(wrong(&report).kind, PropertyKind::Invariant);
    assert_eq!(
        printed,
        ["<<[x |-> 0], [x |-> 1], [x |-> 2]>>", "{\"Next\"}", "2"]
    );
    assert!(
        report.further.is_empty() && report.notes.is_empty(),
        "{:?}",
        report.notes
    );

    let is_false = explored(&format!("{COUNT}Post == CounterExample.state = {{}}"), config);
    assert_eq!(
        wrong(&is_false).violated.as_deref(),
        Some("Inv"),
        "the violation stays the answer"
    );
    assert_eq!(is_false.further[0].violated.as_deref(), Some("Post"));

    let fails = explored(&format!("{COUNT}Post == Len(CounterExample.state) = 3"), config);
    assert_eq!(wrong(&fails).violated.as_deref(), Some("Inv"));
    assert!(
        fails
            .notes
            .iter()
            .any(|note| note.contains("postcondition Post could not be evaluated")),
        "{:?}",
        fails.notes
    );

    let holds = explored(
        "VARIABLE x\nInit == x = 0\nNext == x' = x\nInv == TRUE\nPost == CounterExample.state = {}",
        config,
    );
    assert!(matches!(holds.answer, Answer::Valid), "{:?}", holds.answer);
}

#[test]
fn the_counterexample_of_an_infinite_behaviour_has_the_step_back() {
    let body = "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\nSpec == Init /\\ [][Next]_x /\\ WF_x(Next)\nLive == <>[](x = 0)\n\
                Post == PrintT(Cardinality(CounterExample.state)) /\\ PrintT({<<a[1][1], a[3][1]>> : a \\in CounterExample.action})";
    let (report, printed) = run(
        body,
        "SPECIFICATION Spec\nPROPERTY Live\nPOSTCONDITION Post\n",
        &CheckOptions::default(),
    );
    let lasso = wrong(&report);
    let back = lasso.lasso.unwrap_or_else(|| panic!("{lasso:?}"));
    let last = lasso.states.len();
    assert_eq!(printed[0], last.to_string());
    assert!(printed[1].contains(&format!("<<{last}, {back}>>")), "{printed:?}");
}

fn shown(behaviour: &Behaviour, state: usize) -> Vec<String> {
    let values = &behaviour.states[state].values;
    values
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect()
}

#[test]
fn an_alias_keeps_its_order_and_may_read_the_trace() {
    let config = "INIT Init\nNEXT Next\nINVARIANT Inv\nALIAS Alias\n";
    let body = format!(
        "{COUNT}Alias == [zero |-> x, steps |-> Len(Trace), last |-> Trace[Len(Trace)].x, after |-> x']"
    );
    let report = explored(&body, config);
    assert_eq!(
        shown(wrong(&report), 1),
        ["zero = 1", "steps = 2", "last = 1", "after = 2"]
    );
    assert!(report.notes.is_empty(), "{:?}", report.notes);

    let fails = explored(
        &format!("{COUNT}Alias == [b |-> x, a |-> 10 \\div (1 - x)]"),
        config,
    );
    assert_eq!(shown(wrong(&fails), 0), ["b = 0", "a = 10"]);
    assert_eq!(shown(wrong(&fails), 1), ["x = 1"], "the variables instead");
    assert!(
        fails
            .notes
            .iter()
            .any(|note| note.contains("ALIAS cannot be evaluated in state 2")),
        "{:?}",
        fails.notes
    );
}

#[test]
fn a_function_may_have_actions_for_values() {
    let distinct = |body: &str| {
        let report = explored(body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n");
        assert!(
            matches!(report.answer, Answer::Valid),
            "{body}: {:?}",
            report.answer
        );
        report.figures.distinct
    };
    let init = "VARIABLE x\nInit == x = 0\n";
    let plain = distinct(&format!(
        "{init}Next == \\E i \\in {{1, 2}} : x < 5 /\\ x' = x + i"
    ));
    for next in [
        "N[n \\in {1, 2}] == x < 5 /\\ x' = x + n\nNext == \\E i \\in {1, 2} : N[i]",
        "Next == LET N[n \\in {1, 2}] == x < 5 /\\ x' = x + n IN \\E i \\in {1, 2} : N[i]",
        "N(m) == [n \\in {1, 2} |-> x < m /\\ x' = x + n]\nNext == \\E i \\in {1, 2} : N(5)[i]",
        "N[n \\in {1, 2}, m \\in {0}] == x < 5 /\\ x' = x + n + m\nNext == \\E i \\in {1, 2} : N[i, 0]",
        "N[n \\in {1, 2}] == \\/ x < 5 /\\ x' = x + n\n                   \\/ x > 9 /\\ x' = 0\nNext == \\E i \\in {1, 2} : N[i] /\\ TRUE",
    ] {
        assert_eq!(distinct(&format!("{init}{next}")), plain, "{next}");
    }
    let outside = explored(
        &format!("{init}N[n \\in {{1, 2}}] == x' = x + n\nNext == N[3]"),
        "INIT Init\nNEXT Next\n",
    );
    let error = wrong(&outside).error.clone().unwrap_or_default();
    assert!(
        error.contains("applied to 3, which is not in its domain"),
        "{error}"
    );
}

#[test]
fn an_except_that_changes_nothing_is_noted() {
    let config = "INIT Init\nNEXT Next\n";
    for (init, next) in [
        ("[a |-> 1]", "[x EXCEPT !.b = 2]"),
        ("[k \\in {1, 2} |-> 0]", "[x EXCEPT ![3] = 1]"),
        ("[a |-> [b |-> 1]]", "[x EXCEPT !.a.c = 2]"),
    ] {
        let report = explored(
            &format!("VARIABLE x\nInit == x = {init}\nNext == x' = {next}"),
            config,
        );
        assert!(matches!(report.answer, Answer::Valid));
        let notes = report
            .notes
            .iter()
            .filter(|note| note.contains("EXCEPT changes nothing"));
        assert_eq!(notes.count(), 1, "{next}: {:?}", report.notes);
    }
    let report = explored(
        "VARIABLE x\nInit == x = [a |-> 1]\nNext == x' = [x EXCEPT !.a = 3 - @]",
        config,
    );
    assert!(
        !report.notes.iter().any(|note| note.contains("EXCEPT")),
        "{:?}",
        report.notes
    );
}

#[test]
fn the_action_that_leaves_a_variable_open_is_named() {
    let body = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nA == x' = x + 1 /\\ y' = y\nB(i) == x > 1 /\\ x' = x + i\nNext == A \\/ \\E i \\in 1..2 : B(i)";
    let report = explored(body, "INIT Init\nNEXT Next\n");
    let behaviour = wrong(&report);
    assert_eq!(behaviour.kind, PropertyKind::Incomplete);
    let last = behaviour.states.last().and_then(|state| state.action.as_ref());
    let last = last.unwrap_or_else(|| panic!("{behaviour:?}"));
    assert_eq!(last.name, "B");
    assert_eq!(last.bindings.iter().count(), 1);
    let error = behaviour.error.clone().unwrap_or_default();
    assert!(
        error.contains("where i = 1\n") && error.contains("B(i) == x > 1"),
        "{error}"
    );
}

#[test]
fn a_simulation_that_ends_in_a_violation_has_drawn_that_behaviour() {
    let options = CheckOptions {
        mode: SearchMode::Simulate(SimulationOptions {
            behaviours: Some(5),
            depth_max: 10,
            seed: 1,
            is_generated: false,
        }),
        ..CheckOptions::default()
    };
    let (report, _) = run(COUNT, "INIT Init\nNEXT Next\nINVARIANT Inv\n", &options);
    assert_eq!(wrong(&report).kind, PropertyKind::Invariant);
    let lengths = report.behaviours.unwrap_or_else(|| panic!("a simulation"));
    assert_eq!((lengths.count, lengths.max), (1, 3));
}

#[test]
fn membership_asks_the_parts_of_a_set_that_has_no_value() {
    let holds = |formula: &str| {
        let report = explored(&format!("ASSUME PrintT({formula})"), "");
        match &report.answer {
            Answer::Valid => Some(()),
            _ => None,
        }
    };
    for formula in [
        "1 \\in {1, \"a\"}",
        "\"a\" \\in {\"a\", 1}",
        "LET S == {\"a\", 1} IN \"a\" \\in S",
        "1 \\in {1} \\cup {\"a\"}",
        "1 \\in {y \\in {1} \\cup {\"a\"} : TRUE}",
        "\"a\" \\in {y \\in {\"a\"} \\cup {1} : y = \"a\"}",
    ] {
        assert_eq!(holds(formula), Some(()), "{formula}");
    }
    for formula in [
        "1 \\in {\"a\", 1}",
        "1 \\in {\"a\"} \\cup {1}",
        "2 \\in {1, \"a\"}",
        "1 \\in {1} \\cup {1 \\div 0}",
        "1 \\in {y \\in {1, \"a\"} : TRUE}",
    ] {
        assert_eq!(holds(formula), None, "{formula}");
    }
}

#[test]
fn a_view_of_variables_counts_the_states_that_it_counts_when_it_is_evaluated() {
    let body = "CONSTANTS a, b, c\nVARIABLES at, seen, n\nNode == {a, b, c}\nvars == <<at, seen>>\nInit == at \\in Node /\\ seen = {} /\\ n = 0\n\
                Next == \\E m \\in Node : at' = m /\\ seen' = seen \\cup {at} /\\ n' = (n + 1) % 5\nSym == Permutations(Node)\n\
                Nested == <<at, <<seen, at>>>>\nEvaluated == [f |-> at, g |-> seen]\nOnly == seen\nOnlyEvaluated == {seen}";
    let distinct = |view: &str, symmetry: &str| {
        let config = format!("CONSTANTS a = a\nb = b\nc = c\nINIT Init\nNEXT Next\nVIEW {view}\n{symmetry}");
        explored(body, &config).figures.distinct
    };
    for symmetry in ["", "SYMMETRY Sym\n"] {
        let expected = distinct("Evaluated", symmetry);
        for view in ["vars", "Nested"] {
            assert_eq!(distinct(view, symmetry), expected, "{view} {symmetry}");
        }
    }
    for symmetry in ["", "SYMMETRY Sym\n"] {
        assert_eq!(
            distinct("Only", symmetry),
            distinct("OnlyEvaluated", symmetry),
            "{symmetry}"
        );
    }
}

#[test]
fn a_temporal_property_is_looked_at_long_before_all_states_are_known() {
    let body = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == \\/ x' = (x + 1) % 200 /\\ y' = y\n        \\/ y' = (y + 1) % 200 /\\ x' = x\n\
                Spec == Init /\\ [][Next]_<<x, y>>\nLive == <>(x = 7)";
    let report = explored(body, "SPECIFICATION Spec\nPROPERTY Live\n");
    assert_eq!(wrong(&report).violated.as_deref(), Some("Live"));
    assert!(report.figures.distinct < 10_000, "{}", report.figures.distinct);
}
