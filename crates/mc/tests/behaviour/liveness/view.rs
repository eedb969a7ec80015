//! Temporal properties where only the states that a VIEW tells apart can be explored.

use omnilink_mc::report::{Answer, Report, Verdict};
use omnilink_mc::{CheckOptions, SearchProgress, check};
use omnilink_tla::config::parse;
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;

/// Three rounds of a turn that goes round while `n` counts the steps. From step `changes` on the turn stays, though the VIEW does not
/// show `n`.
fn report(changes: &str, property: &str, continues: bool) -> Report {
    let text = format!(
        "---- MODULE Turns ----\nEXTENDS Integers\nVARIABLES turn, n\nvars == <<turn, n>>\n\
         Init == turn = 0 /\\ n = 0\n\
         Step == n' = n + 1 /\\ turn' = IF n < {changes} THEN (turn + 1) % 3 ELSE turn\n\
         Spec == Init /\\ [][Step]_vars /\\ WF_vars(Step)\n\
         Shown == turn\nP == {property}\nQ == []<>(turn = 1)\nInv == n \\in Nat\n====\n"
    );
    let mut spec = load_text("Turns.tla".as_ref(), text.clone(), &SearchPath::default()).spec;
    let config_text = "SPECIFICATION Spec\nINVARIANT Inv\nPROPERTY P Q\nVIEW Shown\n";
    let source = spec
        .sources
        .add(omnilink_tla::source::Source::new("Turns.cfg", config_text));
    let config = parse(source, config_text, &mut Vec::new());
    let model = build(spec, &config, &BuildOptions::default());
    let model = model.unwrap_or_else(|rejected| panic!("{property}: {:?}", rejected.diagnostics));
    let options = CheckOptions {
        states_beyond_view: 500,
        continues,
        ..CheckOptions::default()
    };
    let report = check(
        &model,
        "turns",
        &options,
        &SearchProgress::default(),
        &|_| {},
        None,
    );
    report.unwrap_or_else(|error| panic!("{property}: {error}"))
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
