//! What a link file changes.

use omnilink_link::{LinkError, LinkFile};

use crate::world::{REGISTER, is_valid, linked, ndjson, try_linked, verdict_of};

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
fn tags_that_fit_are_named() {
    let linked = linked(
        REGISTER,
        "[tags]\nFuture = '''op = \"Read\" /\\ args.result # x'''\nNever = '''x = 17'''\n",
    );
    let verdict = verdict_of(&linked, ndjson(r#"0 Read {"result":2} 3 4"#));
    let omnilink_engine::Verdict::Violation(counterexample) = verdict else {
        panic!("{verdict:?}")
    };
    let fate = format!("{:?}", counterexample.alternatives[0].candidates[0].fate);
    assert!(fate.contains("(tagged Future)"), "{fate}");
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
