//! Temporal properties of a search that is resumed from checkpoints.

use std::time::Duration;

use crate::common::check;
use omnilink_mc::report::{Answer, Report};
use omnilink_mc::{CheckOptions, CheckpointOptions, SearchProgress};
use omnilink_tla::config::parse;
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;

/// Two counters, of which the second may be set back.
const SPEC: &str = "---- MODULE Counters ----\nEXTENDS Naturals\nVARIABLES a, b\nvars == <<a, b>>\n\
    Init == a = 0 /\\ b = 0\nUp == a < 9 /\\ a' = a + 1 /\\ UNCHANGED b\nSide == b < 9 /\\ b' = b + 1 /\\ UNCHANGED a\n\
    Back == b = 9 /\\ b' = 0 /\\ UNCHANGED a\nNext == Up \\/ Side \\/ Back\n\
    Spec == Init /\\ [][Next]_vars /\\ WF_vars(Up) /\\ WF_vars(Side) /\\ SF_vars(Back)\n\
    Ends == <>[](a = 9)\nTurns == []<>(b = 0)\nRests == <>[](b = 9)\n====\n";

fn run(properties: &str, options: &CheckOptions<'_>) -> Report {
    let mut spec = load_text("Counters.tla".as_ref(), SPEC.to_owned(), &SearchPath::default()).spec;
    let config_text = format!("SPECIFICATION Spec\nPROPERTIES {properties}\n");
    let source = omnilink_tla::source::Source::new("Counters.cfg", config_text.clone());
    let source = spec.sources.add(source);
    let config = parse(source, &config_text, &mut Vec::new());
    let model = build(spec, &config, &BuildOptions::default());
    let model = model.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
    let report = check(
        &model,
        "counters",
        options,
        &SearchProgress::default(),
        &|_| {},
        None,
    );
    report.unwrap_or_else(|error| panic!("{error}"))
}

/// What must not depend on interruptions.
fn essence(report: &Report) -> String {
    let found = match &report.answer {
        Answer::Wrong(behaviour) => format!(
            "{:?} {:?} {:?}",
            behaviour.violated, behaviour.states, behaviour.lasso
        ),
        other => format!("{other:?}"),
    };
    format!(
        "{found} {:?} {:?} {:?}",
        report.held, report.figures, report.coverage
    )
}

#[test]
fn a_search_resumed_at_every_level_has_the_same_answer() {
    for properties in ["Ends Turns", "Ends Turns Rests"] {
        let whole = run(properties, &CheckOptions::default());
        let folder = tempfile::tempdir().expect("a folder");
        let mut depth = 1;
        let last = loop {
            let report = run(
                properties,
                &CheckOptions {
                    depth_max: Some(depth),
                    workers: 1 + depth as usize % 2,
                    checkpoints: Some(CheckpointOptions {
                        folder: folder.path(),
                        interval: Duration::from_secs(3600),
                        is_resumed: depth > 1,
                        constants: "",
                    }),
                    ..CheckOptions::default()
                },
            );
            let is_kept = folder.path().join("search.checkpoint").exists();
            match report.answer {
                Answer::Limit(_) => assert!(is_kept, "depth {depth}"),
                _ => {
                    assert!(!is_kept, "the check is over");
                    break report;
                }
            }
            depth += 1;
        };
        assert!(depth > 10, "{depth} runs");
        assert_eq!(essence(&last), essence(&whole));
    }
}
