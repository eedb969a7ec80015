//! What a link file changes.

use omnilink_engine::{Options, check};
use omnilink_link::{LinkError, LinkFile};

use crate::world::{REGISTER, bound, is_valid, linked, ndjson, tags_of, trace, try_linked, verdict_of};

#[test]
fn operations_and_fields_can_have_other_names() {
    let linked = linked(
        REGISTER,
        r#"
[ops.put]
action = "Write"
fields = { value = "v" }
[ops.get]
action = "Read"
codes.result = { "null" = "0", "\"one\"" = "1" }
"#,
    );
    assert!(is_valid(
        &linked,
        r#"
        0 get {"result":null} 0 1
        0 put {"v":1} 2 3
        0 get {"result":"one"} 4 5"#
    ));
}

#[test]
fn ignored_operations_are_left_out() {
    let linked = linked(REGISTER, "ignore = [\"Ping\"]");
    assert!(is_valid(
        &linked,
        r#"
        0 Ping {"to":1} 0 1
        0 Read {"result":0} 2 3"#
    ));
}

#[test]
fn requires_and_ensures_are_joined_to_the_action() {
    let toml = "[ops.Write]\nrequires = '''value # x'''\nensures = '''x' < 3'''\n";
    let spec = REGISTER.replace("VARIABLE", "EXTENDS Integers\nVARIABLE");
    let linked = linked(&spec, toml);
    assert!(is_valid(&linked, r#"0 Write {"value":2} 0 1"#));
    assert!(
        !is_valid(&linked, r#"0 Write {"value":0} 0 1"#),
        "it is 0 already"
    );
    assert!(
        !is_valid(&linked, r#"0 Write {"value":3} 0 1"#),
        "it is too large"
    );
}

#[test]
fn an_aborted_operation_means_what_the_link_says() {
    let linked = linked(REGISTER, "[ops.Write]\naborted = '''x' = 7'''\n");
    assert!(is_valid(
        &linked,
        r#"
        0 Write {"value":1} 0 1 aborted
        1 Read {"result":7} 3 4"#
    ));
    assert!(!is_valid(
        &linked,
        r#"
        0 Write {"value":1} 0 1 aborted
        1 Read {"result":0} 3 4"#
    ));
}

/// It has no result, and what it does may not depend on one.
#[test]
fn an_aborted_operation_needs_only_what_its_meaning_mentions() {
    let spec = REGISTER
        .replace("Write(value) ==", "Write(value, result) == result = \"ok\" /\\")
        .replace("Write(v)", "Write(v, \"ok\")");
    let verdict = |aborted: &str, args: &str, read: u32| {
        let write = format!(r#"{{"thread":0,"op":"Write","args":{args},"start":0,"end":1,"aborted":true}}"#);
        let read = format!(r#"{{"thread":1,"op":"Read","args":[],"ret":{read},"start":3,"end":4}}"#);
        let link = format!("[ops.Write]\naborted = \"{aborted}\"\n");
        linked(&spec, &link)
            .run(|model| {
                let operations = bound(model, trace(format!("{write}\n{read}\n"))).ok()?;
                Some(check(model, operations, Options::default()).unwrap().conclusion)
            })
            .unwrap()
    };
    for args in [r#"{"value":1}"#, "[1]"] {
        assert!(verdict("x' = 7", args, 7).unwrap().is_valid(), "{args}");
        assert!(verdict("x' = 7", args, 0).unwrap().is_violation(), "{args}");
        let by_result = "x' = IF result = 3 THEN 7 ELSE 8";
        assert!(verdict(by_result, args, 7).is_none(), "{args}");
    }
}

#[test]
fn hidden_actions_happen_unseen_up_to_their_bound() {
    let spec = REGISTER.replace("VARIABLE", "EXTENDS Integers\nVARIABLE");
    let hidden = |bound: u32| {
        linked(
            &spec,
            &format!("[[hidden]]\naction = \"x' = x + 1\"\nbound = {bound}\n"),
        )
    };
    let lines = r#"0 Read {"result":2} 0 1"#;
    assert!(!is_valid(&hidden(1), lines));
    assert!(is_valid(&hidden(2), lines));
}

#[test]
fn an_invariant_must_hold_all_along_an_explanation() {
    let linked = linked(REGISTER, "invariants = [\"x # 2\"]");
    assert!(is_valid(&linked, r#"0 Write {"value":1} 0 1"#));
    assert!(!is_valid(&linked, r#"0 Write {"value":2} 0 1"#));
}

#[test]
fn an_invariant_may_wait_for_an_operation_that_the_action_knows_nothing_about() {
    let spec = r"---- MODULE Two ----
VARIABLES x, y
Init == x = 0 /\ y = 0
SetX(v) == x' = v /\ UNCHANGED y
SetY(v) == y' = v /\ UNCHANGED x
====";
    let linked = linked(spec, "invariants = ['''x = 0 \\/ y = 1''']");
    let lines = r#"
        0 SetX {"v":1} 0 5
        1 SetY {"v":1} 1 9"#;
    assert!(is_valid(&linked, lines), "SetY, SetX");
    assert!(
        !is_valid(&linked, &lines.replace("1 9", "6 9")),
        "SetY comes too late"
    );
}

#[test]
fn an_unseen_step_may_wait_for_an_operation_that_the_action_knows_nothing_about() {
    let spec = r"---- MODULE Two ----
VARIABLES x, y
Init == x = 0 /\ y = 0
GetX(v) == x = v /\ UNCHANGED <<x, y>>
SetY(v) == y' = v /\ UNCHANGED x
====";
    let linked = linked(
        spec,
        "[[hidden]]\naction = '''y = 1 /\\ x' = 1 /\\ UNCHANGED y'''\n",
    );
    let lines = r#"
        0 GetX {"v":1} 0 5
        1 SetY {"v":1} 1 9"#;
    assert!(is_valid(&linked, lines), "SetY, unseen, GetX");
    assert!(
        !is_valid(&linked, &lines.replace("1 9", "6 9")),
        "SetY comes too late"
    );
}

#[test]
fn tags_that_fit_are_named() {
    let linked = linked(
        REGISTER,
        "[tags]\nFuture = '''op = \"Read\" /\\ args.result # x'''\nNever = '''x = 17'''\n",
    );
    let tagged = tags_of(&linked, ndjson(r#"0 Read {"result":2} 3 4"#));
    assert_eq!(tagged.tags, ["Future"]);
    assert!(tagged.failures.is_empty());
}

#[test]
fn tags_know_the_thread_and_what_was_recorded_beside_the_fields() {
    let linked = linked(
        REGISTER,
        "[tags]\nOfThread7 = '''thread = 7'''\nRetried = '''meta.retries = 2 /\\ x = 0'''\nOther = '''thread = 1'''\n",
    );
    let line = r#"{"thread":7,"op":"Read","args":{"result":2},"start":3,"end":4,"meta":{"retries":2}}"#;
    assert_eq!(tags_of(&linked, line.to_owned()).tags, ["OfThread7", "Retried"]);
}

#[test]
fn a_tag_that_cannot_be_evaluated_says_why() {
    let linked = linked(REGISTER, "[tags]\nRetried = '''meta.retries = 1'''\n");
    let tagged = tags_of(&linked, ndjson(r#"0 Read {"result":2} 3 4"#));
    assert!(tagged.tags.is_empty());
    assert!(
        tagged.failures[0].contains("the tag Retried cannot be evaluated for Read(result: 2)"),
        "{tagged:?}"
    );
}

#[test]
fn requires_and_ensures_know_the_thread_and_the_meta() {
    let linked = linked(
        REGISTER,
        "[ops.Write]\nrequires = '''thread = 1'''\nensures = '''x' = meta.written'''\n",
    );
    let line = |thread: u32, written: u32| {
        format!(
            r#"{{"thread":{thread},"op":"Write","args":{{"value":2}},"start":3,"end":4,"meta":{{"written":{written}}}}}"#
        )
    };
    assert!(verdict_of(&linked, line(1, 2)).is_valid());
    assert!(verdict_of(&linked, line(2, 2)).is_violation(), "another thread");
    assert!(verdict_of(&linked, line(1, 3)).is_violation(), "another value");
}

#[test]
fn an_invariant_that_is_broken_is_the_reason() {
    let linked = linked(REGISTER, "invariants = [\"x # 2\"]");
    let omnilink_engine::Conclusion::Violation(counterexample) =
        verdict_of(&linked, ndjson(r#"0 Write {"value":2} 0 1"#))
    else {
        panic!("it is valid")
    };
    let fate = format!("{:?}", counterexample.alternatives[0].candidates[0].continuation);
    assert!(fate.contains("the invariant `x # 2` is false after it"), "{fate}");
}

#[test]
fn a_view_decides_which_states_are_one() {
    let spec = r"---- MODULE Noise ----
EXTENDS Integers
VARIABLES x, noise
Init == x = 0 /\ noise = 0
Write(value) == x' = value /\ noise' = noise + 1
Read(result) == result = x /\ UNCHANGED <<x, noise>>
====";
    let linked = linked(spec, "view = \"x\"");
    assert!(is_valid(
        &linked,
        r#"
        0 Write {"value":1} 0 9
        1 Write {"value":1} 1 8
        2 Read {"result":1} 10 11"#
    ));
}

#[test]
fn an_entry_that_nothing_knows_is_refused() {
    assert!(LinkFile::parse("[ops.Write]\nrequire = \"TRUE\"").is_err());
}

#[test]
fn a_link_to_an_action_that_is_not_there_is_refused() {
    let error = try_linked(REGISTER, "[ops.put]\naction = \"Wrte\"\n").unwrap_err();
    assert!(
        matches!(&error, LinkError::Usage(message) if message.contains("did you mean `Write`?")),
        "{error}"
    );
}

#[test]
fn a_mistake_in_an_expression_is_shown_with_its_place() {
    let error = try_linked(REGISTER, "invariants = [\"y = 2\"]")
        .unwrap_err()
        .to_string();
    assert!(error.contains("y = 2") && error.contains('y'), "{error}");
}
