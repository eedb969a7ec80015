use omnilink_value::Value;

use super::*;
use crate::report::PropertyKind;
use omnilink_evidence::Bindings;

fn values() -> Vec<Value> {
    vec![
        Value::int(-3),
        Value::int(i64::MAX),
        Value::bool(true),
        Value::str("a \"b\""),
        Value::model("m1"),
        Value::set([Value::int(2), Value::set([])]),
        Value::tuple([Value::str("x"), Value::tuple([])]),
        Value::record([("f", Value::int(1)), ("#set", Value::tuple([]))]),
        Value::function([
            (Value::int(0), Value::str("zero")),
            (Value::int(5), Value::str("five")),
        ])
        .expect("distinct"),
        Value::function([(Value::model("m1"), Value::int(7))]).expect("one"),
    ]
}

fn behaviour() -> (Behaviour, Vec<String>) {
    let values = values();
    let variables: Vec<String> = (0..values.len()).map(|at| format!("v{at}")).collect();
    let state = |first: i64| {
        let mut values = values.clone();
        values[0] = Value::int(first);
        let mut named: Vec<_> = variables.iter().cloned().zip(values).collect();
        named.push(("an expression".to_owned(), Value::int(0)));
        (None, Bindings(named))
    };
    let states = [state(1), state(2), state(3)];
    let mut behaviour = Behaviour::new(PropertyKind::Property, Some("Live".into()), states);
    behaviour.lasso = Some(2);
    (behaviour, variables)
}

#[test]
fn what_is_written_is_read_back() {
    let (behaviour, variables) = behaviour();
    for format in [TraceFormat::Itf, TraceFormat::TlcJson] {
        let text = format.text(&behaviour, &variables).expect("there are states");
        let read = RecordedTrace::read(&text).expect("a trace");
        assert_eq!(read.back_to, Some(1));
        assert_eq!(read.states.len(), 3);
        for (state, written) in read.states.iter().zip(&behaviour.states) {
            assert_eq!(state.len(), variables.len());
            for variable in &variables {
                let value = written.values.get(variable).expect("each variable");
                let (_, recorded) = state
                    .iter()
                    .find(|(name, _)| name == variable)
                    .expect("each variable");
                assert!(recorded.matches(value), "{format:?}: {recorded:?} is not {value}");
                if format == TraceFormat::Itf {
                    assert_eq!(recorded.like(None), *value);
                }
                let others = values().into_iter().filter(|other| other != value);
                for other in others {
                    assert!(
                        !recorded.matches(&other),
                        "{format:?}: {recorded:?} matches {other} too"
                    );
                }
            }
        }
    }
}

#[test]
fn a_set_matches_whatever_the_order() {
    let json: Json = serde_json::from_str("[3, [1, \"a\"], 1]").expect("json");
    let recorded = RecordedValue::Json(json);
    let pair = Value::tuple([Value::int(1), Value::str("a")]);
    assert!(recorded.matches(&Value::set([Value::int(1), pair.clone(), Value::int(3)])));
    assert!(recorded.matches(&Value::tuple([Value::int(3), pair.clone(), Value::int(1)])));
    assert!(!recorded.matches(&Value::tuple([Value::int(1), pair, Value::int(3)])));
    assert!(!recorded.matches(&Value::set([Value::int(1), Value::int(3)])));
}

#[test]
fn what_is_no_trace_is_refused_with_its_place() {
    let error = |text: &str| RecordedTrace::read(text).expect_err(text).to_string();
    assert!(
        error("{\"states\": [").starts_with("line 1, column 12"),
        "{}",
        error("{\"states\": [")
    );
    assert_eq!(RecordedTrace::read(""), Err(TraceFileError::NoStates));
    assert_eq!(
        RecordedTrace::read("{\"states\": []}"),
        Err(TraceFileError::NoStates)
    );
    assert_eq!(RecordedTrace::read("[1, 2]"), Err(TraceFileError::NoStates));
    assert!(error("{\"states\": [{\"x\": 1}, {\"x\": 1.5}]}").starts_with("state 2: x: 1.5"));
    assert!(error("{\"states\": [{\"x\": {\"#tree\": 1}}]}").contains("#tree is not known"));
    assert!(error("{\"states\": [{\"x\": 1}], \"loop\": 7}").contains("state 8"));
    assert!(error("{\"counterexample\": {\"state\": [[1]]}}").starts_with("state 1"));
}

#[test]
fn the_cycle_is_drawn() {
    let (behaviour, variables) = behaviour();
    let text = TraceFormat::Dot
        .text(&behaviour, &variables)
        .expect("there are states");
    assert!(text.contains("  s3 -> s2 [label=\"\", color=red];"), "{text}");
    assert!(
        text.contains("* v0 = 2\\l") && text.contains("\\\"a \\\\\\\"b\\\\\\\"\\\""),
        "{text}"
    );
}

#[test]
fn the_name_of_the_file_is_the_format() {
    let format = TraceFormat::of_file_name;
    assert_eq!(format("a.itf.json"), Some(TraceFormat::Itf));
    assert_eq!(format("a.JSON"), Some(TraceFormat::TlcJson));
    assert_eq!(format("a.dot"), Some(TraceFormat::Dot));
    assert_eq!(format("a.txt"), None);
    assert_eq!(format("a"), None);
}

#[test]
fn the_actions_of_steps_are_read_back_and_so_are_those_of_quint() {
    let taken = ActionTaken {
        name: "Send".to_owned(),
        bindings: Bindings(vec![("to".to_owned(), Value::set([Value::model("m1")]))]),
        place: "Spec.tla:3".to_owned(),
    };
    let (first, second) = (State::from([Value::int(0)]), State::from([Value::int(1)]));
    let text = itf_text(
        "two states",
        &["x".to_owned()],
        [(None, &first), (Some(&taken), &second)],
    );
    let step = RecordedStep {
        action: taken.name,
        parameters: taken.bindings.0,
    };
    let read = RecordedTrace::read(&text).expect("a trace");
    assert_eq!(read.steps, [None, Some(step)]);

    let quint = r##"{"vars": ["x"], "states": [
        {"x": 0, "mbt::actionTaken": "init", "mbt::nondetPicks": {"by": {"tag": "None", "value": {"#tup": []}}}},
        {"x": 1, "mbt::actionTaken": "up", "mbt::nondetPicks": {"by": {"tag": "Some", "value": {"#bigint": "1"}}}}]}"##;
    let read = RecordedTrace::read(quint).expect("a trace");
    let step = RecordedStep {
        action: "up".to_owned(),
        parameters: vec![("by".to_owned(), Value::int(1))],
    };
    assert_eq!(read.steps, [None, Some(step)]);
    assert_eq!(
        read.states[1],
        [("x".to_owned(), RecordedValue::Exact(Value::int(1)))]
    );
    let wrong = RecordedTrace::read(r##"{"states": [{"#meta": {"action": 3}, "x": 1}]}"##);
    assert!(wrong.is_err_and(|error| error.to_string().contains("no name of an action")));
}

#[test]
fn what_is_null_is_unknown_and_marks_are_certain() {
    let recorded = |text: &str| RecordedValue::Json(serde_json::from_str(text).expect("json"));
    let pair = Value::record([("a", Value::int(1)), ("b", Value::int(2))]);
    assert!(recorded(r#"{"a": 1, "b": null}"#).matches(&pair));
    assert!(!recorded(r#"{"a": 2, "b": null}"#).matches(&pair));
    let set = Value::set([Value::int(1)]);
    assert!(recorded("[1]").matches(&set) && recorded("[1]").matches(&Value::tuple([Value::int(1)])));
    assert!(recorded(r##"{"#set": [1]}"##).matches(&set));
    assert!(!recorded(r##"{"#set": [1]}"##).matches(&Value::tuple([Value::int(1)])));
}
