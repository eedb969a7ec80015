//! What of a spec a trace has put to the test.

use omnilink_engine::{Options, check};
use omnilink_link::{ActionCoverage, Coverage, LinkFile, LinkOptions, Linked};

use crate::world::{bound, linked, ndjson, trace};

const DOOR: &str = r"---- MODULE Door ----
EXTENDS Integers
VARIABLES open, passed
Init == open = FALSE /\ passed = 0
Turn(now) ==
    /\ \/ /\ open
          /\ open' = FALSE
       \/ /\ ~open
          /\ open' = TRUE
    /\ now = open'
    /\ UNCHANGED passed
Pass(count) ==
    /\ IF open THEN passed' = passed + 1 ELSE passed' = passed
    /\ count = passed'
    /\ UNCHANGED open
Next == \E now \in BOOLEAN, count \in Nat : Turn(now) \/ Pass(count)
====";

fn coverage_of(spec: &str, toml: &str, lines: &str) -> Coverage {
    coverage_with(spec, toml, lines, false)
}

fn coverage_with(spec: &str, toml: &str, lines: &str, evaluates_steps: bool) -> Coverage {
    let options = LinkOptions {
        file: LinkFile::parse(toml).unwrap(),
        counts_branches: true,
        evaluates_steps,
        ..LinkOptions::default()
    };
    let linked = Linked::from_text(spec.split_whitespace().nth(2).unwrap(), spec, &options).unwrap();
    linked
        .run(|model| {
            let operations = bound(model, trace(ndjson(lines))).unwrap();
            operations
                .iter()
                .for_each(|operation| model.took(&operation.op, operation.timebox.is_pending()));
            check(model, operations, Options::default()).unwrap();
            model.coverage()
        })
        .unwrap()
}

fn action<'c>(coverage: &'c Coverage, op: &str) -> &'c ActionCoverage {
    coverage.actions.iter().find(|action| action.op == op).unwrap()
}

#[test]
fn each_action_is_counted_with_the_branches_it_took() {
    let coverage = coverage_of(
        DOOR,
        "",
        r#"
        0 Turn {"now":true} 0 1
        0 Pass {"count":1} 2 3
        0 Pass {"count":2} 4 5"#,
    );
    let (turn, pass) = (action(&coverage, "Turn"), action(&coverage, "Pass"));
    assert_eq!((turn.placed, pass.placed, pass.pending), (1, 2, 0));
    assert!(turn.in_next && turn.tried >= 1 && turn.refused == 0);
    let taken = |action: &ActionCoverage| -> Vec<bool> {
        action.branches.iter().map(|branch| branch.taken > 0).collect()
    };
    assert_eq!(taken(turn), [false, true], "{turn:#?}");
    assert_eq!(taken(pass), [true, false], "{pass:#?}");
    assert_eq!((turn.branches[1].taken, pass.branches[0].taken), (1, 2));
    assert!(turn.branches[0].at.contains("Door.tla:6"), "{turn:#?}");
}

/// The branches that explanations take, and the abstract states that they reach.
#[test]
fn what_the_explanation_does_is_counted_once_however_steps_are_found() {
    let counted = |toml: &str, lines: &str| {
        let [fast, evaluated] = [false, true].map(|is_evaluated| {
            let coverage = coverage_with(DOOR, toml, lines, is_evaluated);
            let branches = |op: &str| -> Vec<u64> {
                let branches = action(&coverage, op).branches.iter();
                branches.map(|branch| branch.taken).collect()
            };
            (
                branches("Turn"),
                branches("Pass"),
                coverage.abstract_states.clone(),
            )
        });
        assert_eq!(fast, evaluated, "{lines}");
        fast
    };
    // Each operation may be tried in several states and orders; it takes effect once.
    let overlapping = r#"
        0 Turn {"now":true} 0 9
        1 Pass {"count":1} 0 9
        2 Pass {"count":2} 0 9
        3 Pass {"count":0} 0 9
        4 Turn {"now":false} 10 11"#;
    let of_states = |states: &[(&str, u64)]| -> Vec<(String, u64)> {
        states
            .iter()
            .map(|(state, times)| ((*state).to_owned(), *times))
            .collect()
    };
    let (turn, pass, states) = counted("abstraction = 'passed'", overlapping);
    assert_eq!((turn, pass), (vec![1, 1], vec![2, 1]));
    assert_eq!(states, of_states(&[("0", 2), ("1", 1), ("2", 2)]));
    // Without an abstraction states are not counted; a view is one, and also tells which states are equal.
    assert_eq!(counted("", overlapping).2, []);
    assert_eq!(
        counted("view = '<<open, passed>>'", overlapping).2.len(),
        5,
        "a view"
    );
    // What was not recorded, and what happens unseen.
    let (turn, pass, _) = counted(
        "[[hidden]]\naction = \"~open /\\\\ open' = TRUE /\\\\ UNCHANGED passed\"\n",
        r#"
        0 Pass {"count":1} 0 1
        0 Turn {"now":false} 2 3"#,
    );
    assert_eq!((turn[0], pass[0]), (1, 1));
}

#[test]
fn refusals_and_invariants_are_counted() {
    let coverage = coverage_of(
        DOOR,
        "invariants = ['passed < 2']",
        r#"
        0 Turn {"now":true} 0 1
        0 Pass {"count":1} 2 3
        0 Pass {"count":7} 4 5"#,
    );
    assert!(action(&coverage, "Pass").refused >= 1);
    let invariant = &coverage.invariants[0];
    assert_eq!(invariant.name, "passed < 2");
    assert!(invariant.evaluated >= 3 && invariant.broken == 0, "{invariant:?}");
}

#[test]
fn branches_are_not_counted_by_default() {
    let linked = linked(DOOR, "");
    let coverage = linked.run(|model| model.coverage()).unwrap();
    assert!(coverage.actions.iter().all(|action| action.branches.is_empty()));
}
