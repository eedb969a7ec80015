//! Operations and actions: by name, by position, and what is wrong with those that do not fit.

use omnilink_link::{CollectedConstants, TlaModel};

use crate::world::{REGISTER, bound, is_valid, linked, ndjson, trace};

fn refusal(lines: &str) -> String {
    let linked = linked(REGISTER, "");
    linked
        .run(|model| bound(model, trace(ndjson(lines))).unwrap_err().to_string())
        .unwrap()
}

#[test]
fn an_operation_is_the_action_of_its_name() {
    let linked = linked(REGISTER, "");
    assert!(is_valid(
        &linked,
        r#"
        0 Write {"value":1} 0 2
        1 Read {"result":1} 1 3
        1 Read {"result":1} 4 5"#
    ));
    assert!(!is_valid(
        &linked,
        r#"
        0 Write {"value":1} 0 2
        1 Read {"result":0} 3 4"#
    ));
}

#[test]
fn arguments_are_taken_by_position_too() {
    let linked = linked(REGISTER, "");
    let verdict = |text: &str| crate::world::verdict_of(&linked, text.to_owned());
    let valid = r#"{"thread":0,"op":"Write","args":[2],"start":0,"end":1}
{"thread":0,"op":"Read","args":[],"ret":2,"start":2,"end":3}
"#;
    assert!(verdict(valid).is_valid());
    assert!(verdict(&valid.replace("\"ret\":2", "\"ret\":1")).is_violation());
}

#[test]
fn a_result_beside_the_arguments_is_the_parameter_that_is_left() {
    let linked = linked(REGISTER, "");
    let text = "{\"thread\":0,\"op\":\"Read\",\"args\":{},\"ret\":0,\"start\":2,\"end\":3}\n";
    assert!(crate::world::verdict_of(&linked, text.to_owned()).is_valid());
}

#[test]
fn a_pending_operation_may_have_happened_or_not() {
    let linked = linked(REGISTER, "");
    for seen in [0, 1] {
        let text = format!(
            r#"
            0 Write {{"value":1}} 0 -
            1 Read {{"result":{seen}}} 3 4"#
        );
        assert!(is_valid(&linked, &text), "{seen}");
    }
    assert!(!is_valid(
        &linked,
        r#"
        0 Write {"value":1} 0 -
        1 Read {"result":1} 3 4
        1 Read {"result":0} 5 6"#
    ));
}

#[test]
fn a_pending_operation_without_its_result_may_have_had_any() {
    let swap = r"---- MODULE Swap ----
VARIABLE x
Values == {0, 1, 2}
Init == x = 0
Swap(value, result) == x = result /\ x' = value
Next == \E v \in Values, r \in Values : Swap(v, r)
====";
    let linked = linked(swap, "");
    assert!(is_valid(
        &linked,
        r#"
        0 Swap {"value":1} 0 -
        1 Swap {"value":2,"result":1} 3 4"#
    ));
    assert!(!is_valid(
        &linked,
        r#"
        0 Swap {"value":1} 0 -
        1 Swap {"value":2,"result":2} 3 4"#
    ));
}

#[test]
fn an_aborted_operation_changes_nothing() {
    let linked = linked(REGISTER, "");
    assert!(is_valid(
        &linked,
        r#"
        0 Write {"value":1} 0 1 aborted
        1 Read {"result":0} 3 4"#
    ));
    assert!(!is_valid(
        &linked,
        r#"
        0 Write {"value":1} 0 1 aborted
        1 Read {"result":1} 3 4"#
    ));
}

#[test]
fn an_operation_without_an_action_names_those_that_there_are() {
    let message = refusal(r#"0 Wrte {"value":1} 0 1"#);
    assert!(
        message.starts_with("trace:1: the spec Register.tla has no action `Wrte` (did you mean `Write`?)"),
        "{message}"
    );
    assert!(message.contains("it has Next, Read, Write"), "{message}");
}

#[test]
fn a_missing_field_points_into_trace_and_spec() {
    let message = refusal("0 Write {\"value\":1} 0 1\n0 Write {\"valeu\":1} 2 3");
    assert_eq!(
        message,
        "trace:2: Write has no field \"value\", which the action Write(value) (Register.tla:4:1) takes; it has valeu (did \
         you mean \"valeu\"?). In the link file, [ops.Write]: fields = { value = \"valeu\" } if that is it"
    );
}

#[test]
fn a_type_error_inside_an_action_points_into_trace_and_spec() {
    let spec =
        "---- MODULE Counter ----\nEXTENDS Integers\nVARIABLE n\nInit == n = 0\nAdd(m) == n' = n + m\n====";
    let linked = linked(spec, "");
    let message = linked
        .run(|model| {
            let operations = bound(model, trace(ndjson("0 Add {\"m\":\"one\"} 0 1"))).unwrap();
            omnilink_engine::check(model, operations, omnilink_engine::Options::default())
                .unwrap_err()
                .to_string()
        })
        .unwrap();
    assert!(
        message.contains("trace:1") && message.contains("Counter.tla:5"),
        "{message}"
    );
}

#[test]
fn an_element_without_the_key_of_its_set_is_an_error_whatever_was_found_before() {
    let spec = r"---- MODULE Pairs ----
EXTENDS Integers
VARIABLE m
Init == m = {}
Put(k, v) == m' = {p \in m : p[1] # k} \cup {<<k, v>>}
Spoil(x) == m' = m \cup {x}
Has(k, r) == r = (\E p \in m : p[1] = k) /\ UNCHANGED m
====";
    let linked = linked(spec, "");
    for last in [
        r#"Has {"k":1,"r":false}"#,
        r#"Has {"k":1,"r":true}"#,
        r#"Put {"k":1,"v":2}"#,
    ] {
        let lines = format!(
            "0 Has {{\"k\":1,\"r\":false}} 0 1\n0 Put {{\"k\":2,\"v\":3}} 2 3\n0 Has {{\"k\":1,\"r\":false}} 4 5\n\
             0 Spoil {{\"x\":7}} 6 7\n0 {last} 8 9"
        );
        let message = linked
            .run(|model| {
                let operations = bound(model, trace(ndjson(&lines))).unwrap();
                omnilink_engine::check(model, operations, omnilink_engine::Options::default())
                    .unwrap_err()
                    .to_string()
            })
            .unwrap();
        assert!(
            message.contains("trace:") && message.contains("Pairs.tla"),
            "{message}"
        );
    }
}

#[test]
fn a_violation_names_the_conjunct_that_is_false() {
    let linked = linked(REGISTER, "");
    let verdict = crate::world::verdict_of(&linked, ndjson(r#"0 Read {"result":2} 3 4"#));
    let omnilink_engine::Conclusion::Violation(counterexample) = verdict else {
        panic!("{verdict:?}")
    };
    let fate = &counterexample.alternatives[0].candidates[0].continuation;
    let omnilink_engine::Continuation::Refused {
        reason: Some(reason), ..
    } = fate
    else {
        panic!("{fate:?}")
    };
    assert_eq!(reason, "`result = x` is false: result = 2, x = 0");
}

#[test]
fn a_result_is_not_taken_from_two_places() {
    let error = |ret: u32| {
        let line =
            format!("{{\"thread\":0,\"op\":\"Read\",\"args\":[1],\"ret\":{ret},\"start\":0,\"end\":1}}\n");
        let linked = linked(REGISTER, "");
        let bound = linked.run(|model| {
            bound(model, trace(line))
                .map(|_| ())
                .map_err(|error| error.to_string())
        });
        bound.unwrap().err()
    };
    assert_eq!(error(1), None);
    let message = error(2).unwrap();
    assert!(
        message.contains("Read has 1 arguments, but the action Read(result)")
            && message.contains("takes 0 besides its result (`ret`)"),
        "{message}"
    );
}

/// Bindings are remembered by name and arguments. Whatever was bound before, an operation is bound as it is alone.
#[test]
fn an_operation_is_bound_the_same_whatever_was_bound_before() {
    let links = [
        "",
        "[ops.Write]\naborted = '''x' = 7'''\n",
        "[ops.Write]\nrequires = '''value # thread'''\n[ops.Read]\nunknown.result = '''{0, 1}'''\n",
        "[ops.Read]\nrequires = '''\"far\" \\notin DOMAIN meta'''\n",
    ];
    let lines = [
        r#""thread":0,"op":"Write","args":{"value":1},"start":0,"end":1"#,
        r#""thread":1,"op":"Write","args":{"value":1},"start":0,"end":1"#,
        r#""thread":0,"op":"Write","args":{"value":1},"start":0,"end":1,"aborted":true"#,
        r#""thread":0,"op":"Read","args":{},"ret":0,"start":0,"end":1"#,
        r#""thread":0,"op":"Read","args":{},"ret":1,"start":0,"end":1"#,
        r#""thread":0,"op":"Read","args":{"result":1},"start":0,"end":1"#,
        r#""thread":0,"op":"Read","args":{"result":1},"meta":{"far":1},"start":0,"end":1"#,
        r#""thread":0,"op":"Read","args":{},"start":0,"end":null"#,
        r#""thread":0,"op":"Read","args":{},"start":0,"end":1"#,
        r#""thread":0,"op":"Read","args":[1],"start":0,"end":1"#,
    ];
    let operation = |line: &str| trace(format!("{{{line}}}\n")).next().unwrap().unwrap();
    for link in links {
        let linked = linked(REGISTER, link);
        let described = |model: &TlaModel<'_>, line: &str| match model.bind(&operation(line)) {
            Ok(bound) => format!("{bound:?}"),
            Err(error) => error.to_string(),
        };
        let alone: Vec<String> = lines
            .iter()
            .map(|line| linked.run(|model| described(model, line)).unwrap())
            .collect();
        linked
            .run(|model| {
                for _ in 0..3 {
                    for (line, alone) in lines.iter().zip(&alone) {
                        assert_eq!(described(model, line), *alone, "{line} with {link}");
                    }
                }
            })
            .unwrap();
    }
}

#[test]
fn what_is_collected_does_not_depend_on_what_was_met_before() {
    let mut collection = CollectedConstants::default();
    collection.add("Keys=key,Put.old").unwrap();
    collection.add("Threads=thread").unwrap();
    collection.add("Results=ret").unwrap();
    let lines = r#"{"thread":0,"op":"Put","args":{"key":1,"old":5},"ret":1,"start":0,"end":1}
{"thread":1,"op":"Put","args":{"key":1,"old":5},"ret":2,"start":2,"end":3}
{"thread":0,"op":"Get","args":{"key":2,"old":6},"ret":1,"start":4,"end":5}
{"thread":0,"op":"Put","args":{"key":2,"old":6},"ret":1,"start":6,"end":7}
"#;
    trace(lines.to_owned()).for_each(|operation| collection.observe(&operation.unwrap()));
    let (collected, notes) = collection.finish();
    let described: Vec<String> = collected
        .iter()
        .map(|(name, set)| format!("{name} = {set}"))
        .collect();
    assert_eq!(
        described,
        ["Keys = {1, 2, 5, 6}", "Results = {1, 2}", "Threads = {0, 1}"]
    );
    assert!(notes.is_empty(), "{notes:?}");
}
