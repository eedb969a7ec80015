//! Where compiled code is wrong, the answer is the evaluator's.

use omnilink_mc::report::{Answer, Report};
use omnilink_mc::{
    CheckOptions, Evaluators, Layouts, SearchMode, SearchProgress, SimulationOptions, SmallGraph, check,
};

use crate::compiled::model_of;

const COUNTS: &str = "---- MODULE Counts ----
EXTENDS Integers
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = 0
Left == x < 30 /\\ x' = x + 1 /\\ UNCHANGED y
Right == y < 30 /\\ y' = y + 1 /\\ UNCHANGED x
Next == Left \\/ Right
Loop == Next \\/ (x + y > 40 /\\ x' = 0 /\\ y' = 0)
Fair == Init /\\ [][Loop]_vars /\\ WF_vars(Loop)
Small == y < 25
Never == <>(x = 30 /\\ y = 30)
====
";

fn explored(config: &str, options: &CheckOptions<'_>) -> Report {
    let model = model_of(COUNTS, config);
    check(
        &model,
        "Counts",
        options,
        &SearchProgress::default(),
        &|_| {},
        None,
    )
    .expect("a report")
}

fn told(report: &Report) -> String {
    match &report.answer {
        Answer::Wrong(wrong) => format!("{:?} {:?} {}", wrong.kind, wrong.violated, wrong.states.len()),
        other => format!("{other:?} {} states", report.figures.distinct),
    }
}

#[test]
fn a_step_that_compiled_code_loses_does_not_change_the_answer() {
    let simulated = SearchMode::Simulate(SimulationOptions {
        behaviours: Some(50),
        depth_max: 100,
        seed: 1,
        is_generated: false,
    });
    for (config, mode) in [
        (
            "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n",
            SearchMode::BreadthFirst,
        ),
        ("INIT Init\nNEXT Next\n", SearchMode::BreadthFirst),
        (
            "INIT Init\nNEXT Loop\nINVARIANT Small\n",
            SearchMode::BreadthFirst,
        ),
        ("SPECIFICATION Fair\nPROPERTY Never\n", SearchMode::BreadthFirst),
        ("INIT Init\nNEXT Next\n", simulated),
    ] {
        for workers in [1, 2] {
            let by = |evaluators, layouts| {
                let options = CheckOptions {
                    mode,
                    workers,
                    evaluators,
                    layouts,
                    ..CheckOptions::default()
                };
                explored(config, &options)
            };
            let expected = by(Evaluators::Interpreter, Layouts::Learned);
            let right = by(Evaluators::Compiled, Layouts::First);
            assert_eq!(right.disagreement, None, "{config}");
            assert_eq!(told(&right), told(&expected), "{config}");
            let compared = right.compared.expect("code was run");
            assert!(compared.states > 16, "{compared:?}");
            let wrong = by(Evaluators::Compiled, Layouts::LosesSteps);
            assert_eq!(told(&wrong), told(&expected), "{config}");
            let disagreement = wrong.disagreement.expect("code that is wrong");
            assert!(disagreement.what.contains("successor"), "{disagreement:?}");
            assert_eq!(wrong.compared, None, "nothing that is told is the work of code");
        }
    }
}

#[test]
fn a_graph_starts_again_with_the_search() {
    let graph = |layouts| {
        let model = model_of(
            &COUNTS.replace("30", "9"),
            "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n",
        );
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let mut graph = SmallGraph::new(names(&["x", "y"]), names(&["Left", "Right"]));
        let options = CheckOptions {
            evaluators: Evaluators::Compiled,
            layouts,
            ..CheckOptions::default()
        };
        let progress = SearchProgress::default();
        check(&model, "Counts", &options, &progress, &|_| {}, Some(&mut graph)).expect("a report");
        let graph = graph.finish().expect("a small graph");
        (graph.states.len(), graph.steps.len())
    };
    assert_eq!(graph(Layouts::LosesSteps), (100, 180));
    assert_eq!(graph(Layouts::Learned), (100, 180));
}
