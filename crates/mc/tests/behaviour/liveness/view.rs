//! Temporal properties where only the states that a VIEW tells apart can be explored.

use crate::common::check;
use omnilink_mc::report::{Answer, Report, Verdict};
use omnilink_mc::{CheckOptions, SearchProgress};
use omnilink_tla::config::parse;
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;

/// Checks a module with this body and configuration, of which at most 500 states are explored without the VIEW.
fn checked(body: &str, config_text: &str, continues: bool) -> Report {
    let text = format!("---- MODULE Views ----\nEXTENDS Integers\n{body}\n====\n");
    let mut spec = load_text("Views.tla".as_ref(), text, &SearchPath::default()).spec;
    let source = spec
        .sources
        .add(omnilink_tla::source::Source::new("Views.cfg", config_text));
    let config = parse(source, config_text, &mut Vec::new());
    let model = build(spec, &config, &BuildOptions::default());
    let model = model.unwrap_or_else(|rejected| panic!("{body}: {:?}", rejected.diagnostics));
    let options = CheckOptions {
        states_beyond_view: 500,
        continues,
        ..CheckOptions::default()
    };
    let report = check(
        &model,
        "views",
        &options,
        &SearchProgress::default(),
        &|_| {},
        None,
    );
    report.unwrap_or_else(|error| panic!("{body}: {error}"))
}

/// Three rounds of a turn that goes round while `n` counts the steps. From step `changes` on the turn stays, though the VIEW does not
/// show `n`.
fn report(changes: &str, property: &str, continues: bool) -> Report {
    let body = format!(
        "VARIABLES turn, n\nvars == <<turn, n>>\n\
         Init == turn = 0 /\\ n = 0\n\
         Step == n' = n + 1 /\\ turn' = IF n < {changes} THEN (turn + 1) % 3 ELSE turn\n\
         Spec == Init /\\ [][Step]_vars /\\ WF_vars(Step)\n\
         Shown == turn\nP == {property}\nQ == []<>(turn = 1)\nInv == n \\in Nat"
    );
    checked(
        &body,
        "SPECIFICATION Spec\nINVARIANT Inv\nPROPERTY P Q\nVIEW Shown\n",
        continues,
    )
}

const NEVER: &str = "100000";

#[test]
fn a_property_of_the_views_holds_if_the_view_merges_only_states_with_the_same_steps() {
    let report = report(NEVER, "(turn = 0) ~> (turn = 2)", false);
    assert_eq!(report.verdict(), Verdict::Valid, "{report:?}");
    assert_eq!(report.held, ["P", "Q"]);
    assert_eq!(report.figures.distinct, 3);
    let has = |part: &str| report.notes.iter().any(|note| note.contains(part));
    assert!(
        has("VIEW tells 3 apart") && has("states that were compared"),
        "{:?}",
        report.notes
    );
}

#[test]
fn a_cycle_of_views_is_followed_through_real_states() {
    for continues in [false, true] {
        let report = report(NEVER, "<>[](turn # 2)", continues);
        assert_eq!(report.verdict(), Verdict::Violation, "{report:?}");
        assert_eq!(report.held, ["Q"]);
        let Answer::Wrong(violation) = &report.answer else {
            panic!("{report:?}")
        };
        let states: Vec<String> = violation
            .states
            .iter()
            .map(|state| format!("{}", state.values.0[1].1))
            .collect();
        assert_eq!(states, ["0", "1", "2"], "each state follows the one before");
        assert_eq!(violation.lasso, Some(1));
        assert!(
            report.notes.iter().any(|note| note.contains("differs from it")),
            "{:?}",
            report.notes
        );
    }
}

#[test]
fn a_step_within_one_view_is_no_stuttering() {
    let report = report("0", "[]<><<n' > n>>_n", false);
    assert_eq!(report.held, ["P"], "{report:?}");
    let report = self::report("0", "<>[][n' = n]_n", false);
    assert_eq!(report.verdict(), Verdict::Violation, "{report:?}");
    let Answer::Wrong(violation) = &report.answer else {
        panic!("{report:?}")
    };
    assert_eq!((violation.states.len(), violation.lasso), (2, Some(1)));
}

#[test]
fn a_view_that_hides_what_decides_the_next_step_leaves_the_answer_open() {
    // Q is false, and P is true, but neither shows in the views, which go round.
    for changes in ["4", "300"] {
        let report = report(changes, "<>[](turn = 1)", false);
        assert_eq!(report.verdict(), Verdict::Unknown, "{changes}: {report:?}");
        let unchecked: Vec<&str> = report.unchecked.iter().map(|property| &*property.name).collect();
        assert_eq!(unchecked, ["P", "Q"]);
    }
}

/// The verdict for a machine whose places are shown and whose `h` is hidden. Place "z" counts in `n`, which is hidden too, so that
/// there are infinitely many states.
fn verdict(init: &str, steps: &str, property: &str) -> Verdict {
    let body = format!(
        "VARIABLES at, h, n\nvars == <<at, h, n>>\nInit == n = 0 /\\ {init}\n\
         Go(p, x, q, y) == at = p /\\ h = x /\\ at' = q /\\ h' = y /\\ n' = n\n\
         Count == at = \"z\" /\\ n' = n + 1 /\\ UNCHANGED <<at, h>>\n\
         Next == Count \\/ {steps}\n\
         Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)\nShown == at\nP == {property}"
    );
    let config = "SPECIFICATION Spec\nPROPERTY P\nVIEW Shown\nCHECK_DEADLOCK FALSE\n";
    checked(&body, config, false).verdict()
}

#[test]
fn states_of_one_view_that_differ_only_where_they_stay_leave_the_answer_open() {
    // The property holds, but a behaviour may stay in "b" with any h, and the view stands for the least.
    let found = verdict(
        r#"at = "z" /\ h = 0"#,
        r#"(at = "z" /\ at' = "b" /\ h' = n /\ n' = n)"#,
        r#"<>[](at = "b" => h < 3) \/ <>[](at = "b" => h >= 3)"#,
    );
    assert_eq!(found, Verdict::Unknown);
}

#[test]
fn a_view_that_the_search_did_not_reach_leaves_the_answer_open() {
    let found = verdict(
        r#"at = "z" /\ h = 0"#,
        r#"(at = "z" /\ n = 30 /\ at' = "b" /\ UNCHANGED <<h, n>>)"#,
        r#"<>[](at = "z") \/ []<>(at = "b")"#,
    );
    assert_eq!(found, Verdict::Unknown);
}

#[test]
fn a_cycle_whose_formulas_hold_only_for_other_states_is_no_counterexample() {
    // The property holds. In the views, a cycle leads through "b" with h = 0, from which no state comes back; the one with h = 1 does.
    let found = verdict(
        r#"at \in {"a", "z"} /\ h = 0"#,
        r#"Go("a", 0, "b", 0) \/ Go("a", 0, "b", 1) \/ Go("b", 0, "a", 2) \/ Go("b", 1, "a", 0) \/ Go("a", 2, "z", 0)"#,
        r#"[]<>(at = "z" \/ (at = "b" /\ h = 1))"#,
    );
    assert_eq!(found, Verdict::Unknown);
}

#[test]
fn a_behaviour_that_stays_must_stay_where_the_view_says() {
    // The property holds: "c" is entered with h = 1. Its view was explored from the initial state with h = 0.
    let found = verdict(
        r#"h = 0 /\ at \in {"a", "c", "z"}"#,
        r#"Go("a", 0, "c", 1)"#,
        r#"[](at = "a" => <>(at = "c" /\ h = 1))"#,
    );
    assert_eq!(found, Verdict::Unknown);
}

#[test]
fn a_cycle_that_ends_in_the_state_in_which_it_began_is_a_counterexample_whatever_else_the_view_hides() {
    let found = verdict(
        r#"at \in {"a", "z"} /\ h = 0"#,
        r#"Go("a", 0, "b", 0) \/ Go("b", 0, "a", 0) \/ (n = 5 /\ Go("z", 0, "c", 0))"#,
        r#"<>[](at # "a")"#,
    );
    assert_eq!(found, Verdict::Violation);
}

#[test]
fn a_step_that_changes_nothing_is_stuttering() {
    let found = verdict(
        r#"at = "z" /\ h = 0"#,
        r#"(n % 2 = 1 /\ UNCHANGED vars)"#,
        r#"<>[](at = "z")"#,
    );
    assert_eq!(found, Verdict::Valid);
}

#[test]
fn steps_outside_an_action_constraint_belong_to_no_behaviour_of_the_views() {
    let body = r"VARIABLES turn, n
Init == turn = 0 /\ n = 0
Step == n' = n + 1 /\ turn' \in {turn, (turn + 1) % 3}
Spec == Init /\ [][Step]_<<turn, n>>
Shown == turn
Onwards == ~(turn = 2 /\ turn' = 0)
P == [](turn = 1 => [](turn # 0))";
    let config = "SPECIFICATION Spec\nPROPERTY P\nVIEW Shown\nACTION_CONSTRAINT Onwards\n";
    assert_eq!(checked(body, config, false).verdict(), Verdict::Valid);
}
