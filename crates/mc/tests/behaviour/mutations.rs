//! Mutated golden specs: with a token deleted, swapped or replaced, a check yields a report or a diagnostic, never a panic, and the
//! memo does not change the report.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::check;
use fastrand::Rng;
use omnilink_mc::report::Answer;
use omnilink_mc::{CheckOptions, SearchLimits, SearchProgress};
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::source::{Source, Sources};
use omnilink_tla::syntax::token::Token;
use omnilink_tla::syntax::tokenize_fragment;
use omnilink_tla::{SpecOptions, check as read};

const PER_SPEC: u64 = 30;

/// The text with one token deleted, two swapped, or one replaced by another, mostly of its own kind, so that many mutants still
/// parse.
fn mutated(text: &str, random: &mut Rng) -> String {
    let source = Sources::default().add(Source::new("Spec.tla", text));
    let tokens = tokenize_fragment(source, text, &mut Vec::new());
    let one = &tokens[random.usize(..tokens.len())];
    let is_same_kind =
        |other: &&Token| std::mem::discriminant(&other.kind) == std::mem::discriminant(&one.kind);
    let same_kind: Vec<&Token> = tokens.iter().filter(is_same_kind).collect();
    let other = match random.usize(..5) {
        0 => &tokens[random.usize(..tokens.len())],
        _ => same_kind[random.usize(..same_kind.len())],
    };
    let span = |token: &Token| token.start as usize..token.end as usize;
    let (one, other) = (span(one), span(other));
    let (first, second) = if one.start <= other.start {
        (&one, &other)
    } else {
        (&other, &one)
    };
    match random.usize(..5) {
        0 => [&text[..one.start], &text[one.end..]].concat(),
        1 | 2 if first.end <= second.start => [
            &text[..first.start],
            &text[second.clone()],
            &text[first.end..second.start],
            &text[first.clone()],
            &text[second.end..],
        ]
        .concat(),
        _ => [&text[..one.start], &text[other.clone()], &text[one.end..]].concat(),
    }
}

/// The result of a check; `None` if the spec is rejected or the check runs out of time.
fn outcome(spec: &Path, config: &Path, uses_memo: bool) -> Option<String> {
    let options = SpecOptions {
        config: Some(config.to_owned()),
        ..SpecOptions::default()
    };
    let checked = read(spec, &options);
    if !checked.is_ok() {
        return None;
    }
    let config = checked.config.unwrap_or_default();
    let model = build(checked.spec, &config, &BuildOptions::default()).ok()?;
    let options = CheckOptions {
        limits: SearchLimits {
            time: Some(Duration::from_millis(200)),
            ..SearchLimits::default()
        },
        uses_memo,
        ..CheckOptions::default()
    };
    let report = check(
        &model,
        "mutated",
        &options,
        &SearchProgress::default(),
        &|_| {},
        None,
    )
    .ok()?;
    let found = match &report.answer {
        Answer::Limit(_) => return None,
        Answer::Wrong(violation) => format!(
            "{:?} {:?} {:?} after {}",
            violation.kind,
            violation.violated,
            violation.error,
            violation.states.len()
        ),
        answer => format!("{answer:?}"),
    };
    Some(format!("{found}: {:?}", report.figures))
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

#[test]
fn mutated_specs_never_panic_and_the_memo_changes_nothing() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tla/tests/golden/specs");
    let folders = std::fs::read_dir(&corpus).expect("the corpus").flatten();
    let mut folders: Vec<PathBuf> = folders
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let (mut run, mut compared) = (0, 0);
    for (at, folder) in (0..).zip(&folders) {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        for file in files(folder, "tla").iter().chain(&files(folder, "cfg")) {
            let copy = scratch.path().join(file.file_name().unwrap_or_default());
            std::fs::copy(file, copy).expect("a copy");
        }
        let configs = files(scratch.path(), "cfg");
        let mut random = Rng::with_seed(at);
        for spec in files(scratch.path(), "tla") {
            let text = std::fs::read_to_string(&spec).expect("a spec");
            for _ in 0..PER_SPEC {
                let mutant = mutated(&text, &mut random);
                std::fs::write(&spec, &mutant).expect("a file");
                let config = &configs[random.usize(..configs.len())];
                run += 1;
                let plain = outcome(&spec, config, false);
                let memoised = outcome(&spec, config, true);
                if let (Some(plain), Some(memoised)) = (plain, memoised) {
                    compared += 1;
                    assert_eq!(plain, memoised, "{}\n{mutant}", config.display());
                }
            }
            std::fs::write(&spec, &text).expect("a file");
        }
    }
    println!("{run} mutated specs, {compared} of them explored with and without the memo");
    assert!(compared * 10 > run, "{compared} of {run}");
}
