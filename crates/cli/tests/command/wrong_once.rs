//! Verdicts that were wrong once: a few operations each, with the cause that they show.

use super::ran::{omnilink_in, repository};

/// A folder of `tests/data/verdicts`, the arguments, and the exit code: 0 for valid, 1 for a violation, 2 for an error.
type Case = (&'static str, &'static str, i32);

/// A memo of whether a content of a cell helps a sum lacked the direction in which the sum has to change.
const DIRECTION_OF_A_SUM: [Case; 1] = [(
    "direction-of-a-sum",
    "validate ../../../../../../examples/validate/map/Map.tla --collect Keys=key,lo,hi --const NoValue=0 \
     count-too-high-then-too-low.ndjson",
    0,
)];

/// `\A x \in S : P` was said to read only the elements that satisfy `P`, as `\E` does.
const FOR_ALL: [Case; 11] = [
    ("for-all", "validate All.tla false-valid.ndjson", 1),
    ("for-all", "validate All.tla false-valid-votes.ndjson", 1),
    ("for-all", "validate All.tla ok.ndjson", 0),
    ("for-all", "validate Dom.tla dom1.ndjson", 1),
    ("for-all", "validate Dom.tla dom2.ndjson", 1),
    ("for-all", "validate Inv.tla inv1.ndjson --config Inv.cfg", 1),
    ("for-all", "validate Inv2.tla inv2.ndjson --config Inv.cfg", 1),
    ("for-all", "validate Not.tla false-violation.ndjson", 0),
    ("for-all", "mc McInv.tla --config McInv.cfg", 1),
    ("log-for-all", "validate Lg.tla add-first.ndjson --log", 0),
    ("log-for-all", "validate Lg3.tla only-first.ndjson --log", 0),
];

/// Two necessary enabling sets were intersected.
const ENABLING_SETS: [Case; 3] = [
    ("enabling-sets", "validate Simple.tla simple.ndjson", 0),
    ("enabling-sets", "validate Two.tla t.ndjson", 0),
    ("enabling-sets", "validate Three.tla t3.ndjson", 0),
];

/// A write to a part of a key was taken to overwrite the key.
const PART_OF_A_KEY: [Case; 2] = [
    ("part-of-a-key", "validate Rec2.tla t.ndjson", 0),
    ("part-of-a-key", "validate Rec.tla t.ndjson", 0),
];

/// The effects of one instance were used for another whose argument equals a part of a constant record.
const PART_OF_A_CONSTANT: [Case; 2] = [
    ("part-of-a-constant", "validate Inside.tla valid.ndjson", 0),
    ("part-of-a-constant", "validate Inside.tla violation.ndjson", 1),
];

/// Steps to states with equal views were kept as steps that change nothing; a view was taken of a part of the state; of two operations in steps that overlap only one could be
/// done; a reading inside of another one hid that the outer one had to start over.
const VIEW_AND_STEPS: [Case; 5] = [
    (
        "view-and-steps",
        "validate Pick.tla Pick.parts-under-a-view.valid.ndjson --link Pick.toml",
        0,
    ),
    (
        "view-and-steps",
        "validate Mode.tla Mode.view-cached.valid.ndjson --config Mode.cfg",
        0,
    ),
    (
        "view-and-steps",
        "validate Mode.tla Mode.view-cached.violation.ndjson --config Mode.cfg",
        1,
    ),
    (
        "view-and-steps",
        "validate Bump.tla Bump.async-two-in-steps.violation.ndjson --link Bump.toml --async",
        1,
    ),
    (
        "view-and-steps",
        "validate Fill.tla Fill.tied-start-over.violation.ndjson",
        1,
    ),
];

/// What holds for one element of a quantifier was taken to hold after it, so that a write seemed to change nothing.
const FACTS_OF_A_BRANCH: [Case; 2] = [
    ("facts-of-a-branch", "validate Copy.tla copied.ndjson", 0),
    ("facts-of-a-branch", "validate Copy.tla not-copied.ndjson", 1),
];

fn assert_exit_codes(cases: &[Case]) {
    let data = repository().join("crates/cli/tests/data/verdicts");
    for (folder, arguments, code) in cases {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let ran = omnilink_in(&data.join(folder), &arguments);
        assert_eq!(ran.code, *code, "{folder}: {arguments:?}: {ran:?}");
    }
}

#[test]
fn a_sum_that_was_too_high_may_be_too_low_later() {
    assert_exit_codes(&DIRECTION_OF_A_SUM);
}

#[test]
fn for_all_depends_on_the_elements_that_are_no_example() {
    assert_exit_codes(&FOR_ALL);
}

#[test]
fn one_reason_tells_what_may_enable_an_operation() {
    assert_exit_codes(&ENABLING_SETS);
}

#[test]
fn a_field_that_is_written_leaves_the_others_of_its_record() {
    assert_exit_codes(&PART_OF_A_KEY);
}

#[test]
fn an_argument_may_equal_a_part_of_a_constant() {
    assert_exit_codes(&PART_OF_A_CONSTANT);
}

#[test]
fn what_holds_for_one_element_need_not_hold_after_the_quantifier() {
    assert_exit_codes(&FACTS_OF_A_BRANCH);
}

#[test]
fn views_steps_and_readings_inside_of_others_do_not_hide_anything() {
    assert_exit_codes(&VIEW_AND_STEPS);
}
