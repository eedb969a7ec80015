//! Compiled code against the evaluator: random specs, in which every successor, hash, encoding and formula of every state is compared.
//!
//! A layout is learned from two states only, so that it is often wrong and has to be widened; with some specs each variable is one cell,
//! and with some the layout is disturbed all the time. Some expressions are of the wrong type: what is an error for the evaluator must not
//! have a value for compiled code.

use std::time::Duration;

use crate::common::check;
use fastrand::Rng;
use omnilink_mc::report::{Answer, Report};
use omnilink_mc::{
    CheckOptions, Evaluators, Layouts, SearchLimits, SearchMode, SearchProgress, SimulationOptions,
};
use omnilink_tla::config::parse;
use omnilink_tla::model::{BuildOptions, CompiledSpec, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::source::Source;

use crate::random_spec::Writer;

const CONFIG: &str =
    "CONSTRAINT Small\nINVARIANT Formula\nACTION_CONSTRAINT Allowed\nPROPERTY Moves\nCHECK_DEADLOCK FALSE\n";

/// Most specs have a next-state relation alone, some a VIEW, some temporal properties.
const FORMS: [&str; 4] = [
    "INIT Init\nNEXT Next\n",
    "SPECIFICATION Spec\nPROPERTY Live\n",
    "INIT Init\nNEXT Next\nVIEW Seen\n",
    "SPECIFICATION Spec\nPROPERTY Live\n",
];

const LAYOUTS: [Layouts; 3] = [Layouts::Learned, Layouts::Disturbed, Layouts::Cells];

/// The model of a module and a configuration.
pub(crate) fn model_of(text: &str, config_text: &str) -> CompiledSpec {
    let name = text.split_whitespace().nth(2).unwrap_or_default();
    let file = format!("{name}.tla");
    let loaded = load_text(file.as_ref(), text.to_owned(), &SearchPath::default());
    assert!(loaded.is_ok(), "{:?}\n{text}", loaded.diagnostics);
    let mut spec = loaded.spec;
    let source = spec.sources.add(Source::new("Spec.cfg", config_text));
    let config = parse(source, config_text, &mut Vec::new());
    build(spec, &config, &BuildOptions::default())
        .unwrap_or_else(|rejected| panic!("{:?}\n{text}", rejected.diagnostics))
}

/// The report of a module and a configuration.
pub(crate) fn explored(text: &str, config: &str, options: &CheckOptions<'_>) -> Report {
    let progress = SearchProgress::default();
    let report = check(&model_of(text, config), "spec", options, &progress, &|_| {}, None);
    report.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn random_specs_are_expanded_as_the_evaluator_expands_them() {
    let rounds: u64 = std::env::var("OMNILINK_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap_or(1));
    let seed: u64 = std::env::var("OMNILINK_SEED").map_or(0, |seed| seed.parse().unwrap_or(0));
    let (mut explored, mut valid, mut labelled) = (0, 0, 0);
    for number in 0..300 * rounds {
        let mut writer = Writer {
            random: Rng::with_seed(seed << 32 | number),
            scope: Vec::new(),
            fresh: 0,
            has_errors: number % 3 == 0,
        };
        let text = writer.spec();
        let form = FORMS[(number % 4) as usize];
        let model = model_of(&text, &format!("{form}{CONFIG}"));
        let options = CheckOptions {
            evaluators: Evaluators::Both,
            layouts: LAYOUTS[(number / 4 % 3) as usize],
            depth_max: Some(8),
            first_look: 1,
            explains_compilation: true,
            limits: SearchLimits {
                time: Some(Duration::from_millis(500)),
                ..SearchLimits::default()
            },
            ..CheckOptions::default()
        };
        let run = || {
            check(
                &model,
                "random",
                &options,
                &SearchProgress::default(),
                &|_| {},
                None,
            )
        };
        let report = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
            Ok(Ok(report)) => report,
            Ok(Err(error)) => panic!("{error}\n{text}"),
            Err(_) => panic!("seed {seed}, number {number}:\n{text}"),
        };
        explored += report.figures.distinct;
        labelled += report
            .notes
            .iter()
            .filter_map(|note| note.strip_prefix("compiled code has labelled "))
            .filter_map(|note| note.split(' ').next()?.parse::<u64>().ok())
            .sum::<u64>();
        valid += u64::from(!matches!(report.answer, Answer::Wrong(_)));
    }
    // Most specs must be worth comparing.
    assert!(
        explored > 20_000 && valid > 30 && labelled > 5_000,
        "{explored} states, {valid} specs without an error, {labelled} states labelled"
    );
}

/// The same random behaviours, with the same violations and counts, whatever expands states.
#[test]
fn random_specs_are_simulated_as_the_evaluator_simulates_them() {
    let rounds: u64 = std::env::var("OMNILINK_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap_or(1));
    let (mut generated, mut violated, mut compiled) = (0, 0, 0);
    for number in 0..100 * rounds {
        let mut writer = Writer {
            random: Rng::with_seed(0x51a1 << 32 | number),
            scope: Vec::new(),
            fresh: 0,
            has_errors: number % 3 == 0,
        };
        let text = writer.spec();
        let form = FORMS[(number % 4) as usize];
        let model = model_of(&text, &format!("{form}{CONFIG}"));
        let simulated = |evaluators, workers| {
            let options = CheckOptions {
                evaluators,
                workers,
                mode: SearchMode::Simulate(SimulationOptions {
                    behaviours: Some(30),
                    depth_max: 12,
                    seed: number,
                    is_generated: false,
                }),
                continues: number % 2 == 0,
                explains_compilation: evaluators != Evaluators::Interpreter,
                ..CheckOptions::default()
            };
            let progress = SearchProgress::default();
            check(&model, "random", &options, &progress, &|_| {}, None)
                .unwrap_or_else(|error| panic!("{error}\n{text}"))
        };
        let expected = simulated(Evaluators::Interpreter, 1);
        let found = simulated(Evaluators::Both, 1);
        let shown = |report: &Report| {
            format!(
                "{:?}",
                (
                    &report.answer,
                    &report.further,
                    report.figures,
                    report.behaviours,
                    &report.coverage
                )
            )
        };
        assert_eq!(shown(&found), shown(&expected), "number {number}:\n{text}");
        // The counts are those of the behaviours that all workers have drawn until the first violation.
        let by_two = simulated(Evaluators::Both, 2);
        let wrong = |report: &Report| format!("{:?}", (&report.answer, &report.further));
        assert_eq!(wrong(&by_two), wrong(&expected), "number {number}:\n{text}");
        generated += expected.figures.generated;
        violated += u64::from(matches!(expected.answer, Answer::Wrong(_)));
        compiled += u64::from(
            found
                .notes
                .iter()
                .any(|note| note.starts_with("compiled code has expanded ")),
        );
    }
    assert!(
        generated > 10_000 && violated > 20 && compiled > 20,
        "{generated} states, {violated} specs with a violation, {compiled} simulated by compiled code"
    );
}

#[test]
fn a_simulation_by_compiled_code_checks_steps_too() {
    let text = "---- MODULE Count ----\nEXTENDS Integers\nVARIABLE n\nInit == n = 0\nNext == n' = n + 1\n\
         Stays == [][n # 60]_n\n====\n";
    let config = "INIT Init\nNEXT Next\nPROPERTY Stays\n";
    let model = model_of(text, config);
    for evaluators in [Evaluators::Interpreter, Evaluators::Compiled, Evaluators::Both] {
        let options = CheckOptions {
            evaluators,
            mode: SearchMode::Simulate(SimulationOptions {
                behaviours: Some(5),
                depth_max: 100,
                seed: 1,
                is_generated: false,
            }),
            continues: true,
            ..CheckOptions::default()
        };
        let report = check(
            &model,
            "count",
            &options,
            &SearchProgress::default(),
            &|_| {},
            None,
        );
        let report = report.unwrap_or_else(|error| panic!("{error}"));
        let Answer::Wrong(wrong) = report.answer else {
            panic!("{:?}", report.answer)
        };
        assert_eq!(
            (wrong.violated.as_deref(), wrong.states.len()),
            (Some("Stays"), 62)
        );
        let lengths = report
            .behaviours
            .map(|lengths| (lengths.count, lengths.min, lengths.max));
        assert_eq!(lengths, Some((5, 62, 62)), "each behaviour ends there");
    }
}

/// Renaming and hiding together, with views that are variables, constants and anything else.
#[test]
fn views_under_symmetry_are_compiled() {
    for (view, distinct) in [
        ("<<held, turn>>", 40),
        ("<<<<held>>, turn, <<>>, \"a\", Nodes>>", 40),
        ("<<[n \\in Nodes |-> held[n] > 1], turn>>", 9),
        ("<<{held[n] : n \\in Nodes}, turn = none>>", 17),
    ] {
        let text = format!(
            "---- MODULE Share ----\nEXTENDS Integers, TLC\nCONSTANTS Nodes, none\nVARIABLES held, turn, count\n\
             Init == held = [n \\in Nodes |-> 0] /\\ turn = none /\\ count = 0\n\
             Take(n) == held[n] < 3 /\\ held' = [held EXCEPT ![n] = @ + 1] /\\ turn' = n\n\
             Drop(n) == held[n] > 0 /\\ turn # n /\\ held' = [held EXCEPT ![n] = 0] /\\ turn' = none\n\
             Next == \\E n \\in Nodes : (Take(n) \\/ Drop(n)) /\\ count' = (count + 1) % 7\n\
             Renamings == Permutations(Nodes)\nSeen == {view}\n====\n"
        );
        let config = "INIT Init\nNEXT Next\nCONSTANTS Nodes = {a, b, c}\n none = none\nSYMMETRY Renamings\nVIEW Seen\n\
                      CHECK_DEADLOCK FALSE\n";
        let explored = |evaluators| {
            let options = CheckOptions {
                evaluators,
                explains_compilation: true,
                ..CheckOptions::default()
            };
            explored(&text, config, &options)
        };
        let (expected, found) = (explored(Evaluators::Interpreter), explored(Evaluators::Both));
        assert_eq!(found.figures, expected.figures, "{view}");
        assert_eq!(expected.figures.distinct, distinct, "{view}");
        let has_compiled = |note: &String| note.starts_with("compiled code has expanded ");
        assert!(found.notes.iter().any(has_compiled), "{view}: {:?}", found.notes);
    }
}

#[test]
fn a_report_says_what_was_compiled_and_what_was_not() {
    let report = |last: u32| {
        let text = format!(
            "---- MODULE Count ----\nEXTENDS Integers\nVARIABLES n, f\n\
             Down == n > 0 /\\ n' = n - 1 /\\ UNCHANGED f\n\
             Up == n' = n + 1 /\\ UNCHANGED f\n\
             Init == n = 0 /\\ f = [i \\in 1..3 |-> 0]\n\
             Next == n < {last} /\\ (ENABLED (Down \\cdot Up) <=> n > 0) /\\ n' = n + 1 /\\ f' = [f EXCEPT ![(n % 3) + 1] = n]\n====\n"
        );
        let model = model_of(&text, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n");
        let options = CheckOptions {
            evaluators: Evaluators::Compiled,
            explains_compilation: true,
            ..CheckOptions::default()
        };
        check(
            &model,
            "count",
            &options,
            &SearchProgress::default(),
            &|_| {},
            None,
        )
        .expect("a report")
    };
    let large = report(1000);
    assert_eq!(large.figures.distinct, 1001);
    let has = |part: &str| large.notes.iter().any(|note| note.contains(part));
    assert!(
        has("compiled code has expanded 801 of 1001 states"),
        "{:?}",
        large.notes
    );
    assert!(
        has("Count.tla:7: \\cdot is not compiled: Down \\cdot Up"),
        "{:?}",
        large.notes
    );
    let small = report(10);
    assert!(
        small
            .notes
            .iter()
            .any(|note| note.contains("nothing was compiled yet")),
        "{:?}",
        small.notes
    );
}

#[test]
fn a_disjunction_about_the_current_state_branches_in_an_action() {
    let text = r#"---- MODULE Branch ----
EXTENDS Naturals
VARIABLES n, m
Init == n = 0 /\ m = {[t |-> "a", v |-> 1], [t |-> "b", v |-> 1]}
Either == \E r \in m :
  /\ r.t = "a" \/ r.v = 1
  /\ n < 9 /\ n' = n + 1 /\ m' = m
Both == \E r \in m :
  /\ \E k \in 1..2 : r.v <= k
  /\ n < 9 /\ n' = n + 1 /\ m' = m
Next == Either \/ Both
====
"#;
    let model = model_of(text, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n");
    for evaluators in [Evaluators::Interpreter, Evaluators::Both] {
        let options = CheckOptions {
            evaluators,
            ..CheckOptions::default()
        };
        let report = check(
            &model,
            "branch",
            &options,
            &SearchProgress::default(),
            &|_| {},
            None,
        );
        let report = report.expect("a report");
        // Two disjuncts hold for one element and one for the other; two numbers for each element.
        assert_eq!(
            (report.figures.distinct, report.figures.generated),
            (10, 1 + 9 * 7)
        );
    }
}
