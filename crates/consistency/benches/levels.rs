//! What weak consistency costs: every level against linearizability, and minimal visibility against all visibilities.
//!
//! `cargo bench -p omnilink-consistency`. All figures of a table come from one run, so only ratios mean anything. Run as
//! a test, it only shows that it runs.

#[path = "../tests/behaviour/stale.rs"]
mod stale;

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fastrand::Rng;
use omnilink_consistency::{
    ConsistencyLevel, History, Ret, WeakChecker, WeakOptions, WeakReductions, read_histories,
};
use omnilink_engine::Limits;
use omnilink_evidence::Conclusion;
use omnilink_models::{Decode, Decoded, JavaMap, JavaMapOp};
use stale::Stale;

const SETS: [&str; 3] = ["directed_3t_6ops", "schemas", "small_3t_6ops"];

fn recorded() -> Vec<History<JavaMapOp>> {
    let decode = |operation: &_| JavaMap.decode(operation).map(Decoded::into_last);
    let mut histories = Vec::new();
    for set in SETS {
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/skiplistmap/{set}.jsonl"));
        let file = BufReader::new(File::open(path).expect("the data is part of the crate"));
        for history in read_histories(set, file) {
            let history = history.expect("the data is well formed");
            histories.push(History::of_recorded(&history, &decode).expect("and known"));
        }
    }
    histories
}

/// A run of `threads` threads on a map whose reads are stale once in three times.
fn simulated(threads: usize, count: usize, rng: &mut Rng) -> History<JavaMapOp> {
    let stale = Stale {
        threads,
        once_in: 3,
        lag_max: 2,
        early_max: 40,
        late_max: 15,
    };
    let (ops, timeboxes) = stale.run(count, rng);
    History::from_timeboxes(ops, &timeboxes).expect("few operations")
}

/// What became of all histories, and how long it took.
#[derive(Clone, Copy)]
struct Run {
    elapsed: Duration,
    valid: usize,
    unknown: usize,
    /// Configurations and visibilities.
    tried: u64,
}

fn time(histories: &[History<JavaMapOp>], level: ConsistencyLevel, options: &WeakOptions) -> Run {
    let mut checker = WeakChecker::new(&JavaMap);
    let criterion = level.criterion();
    let (mut valid, mut unknown, mut tried) = (0, 0, 0);
    let start = Instant::now();
    for history in histories {
        let outcome = checker
            .check(history, &criterion, options)
            .expect("the model does not fail");
        valid += usize::from(outcome.conclusion.is_valid());
        unknown += usize::from(matches!(outcome.conclusion, Conclusion::Unknown(_)));
        tried += outcome.figures.configurations + outcome.figures.visibilities;
    }
    Run {
        elapsed: start.elapsed(),
        valid,
        unknown,
        tried,
    }
}

fn table(title: &str, histories: &[History<JavaMapOp>], limits: Limits, runs: usize) {
    println!("\n{title}: {} histories", histories.len());
    println!(
        "{:<22} {:>5} {:>10} {:>7} {:>7} {:>8} {:>14}",
        "level", "ret", "ms", "ratio", "valid", "unknown", "tried"
    );
    let levels = ConsistencyLevel::ALL.into_iter().rev();
    let cases: Vec<(ConsistencyLevel, Ret)> = levels
        .flat_map(|level| [(level, Ret::Own), (level, Ret::All)])
        .filter(|case| *case != (ConsistencyLevel::Linearizable, Ret::All))
        .collect();
    // The best of some runs, interleaved, so that all cases meet the same load.
    let mut best: Vec<Option<Run>> = vec![None; cases.len()];
    for _ in 0..runs {
        for ((level, ret), best) in cases.iter().zip(&mut best) {
            let options = WeakOptions {
                ret: *ret,
                limits,
                minimise: false,
                ..WeakOptions::default()
            };
            let run = time(histories, *level, &options);
            if best.is_none_or(|best| run.elapsed < best.elapsed) {
                *best = Some(run);
            }
        }
    }
    let mut base = None;
    for ((level, ret), run) in cases.iter().zip(best.into_iter().flatten()) {
        let ms = run.elapsed.as_secs_f64() * 1e3;
        let ratio = ms / *base.get_or_insert(ms);
        let ret = if *ret == Ret::Own { "own" } else { "all" };
        println!(
            "{:<22} {ret:>5} {ms:>10.2} {ratio:>7.2} {:>7} {:>8} {:>14}",
            level.name(),
            run.valid,
            run.unknown,
            run.tried
        );
    }
}

/// All linearizations with all visibilities against minimal visibilities, at the weak level.
fn against_all_visibilities(title: &str, histories: &[History<JavaMapOp>], runs: usize) {
    println!("\nall visibilities against minimal ones, level weak: {title}");
    let limits = Limits {
        configurations: Some(200_000),
        ..Limits::default()
    };
    let plain = WeakOptions {
        limits,
        minimise: false,
        ..WeakOptions::default()
    };
    let best = |level: ConsistencyLevel, reductions: WeakReductions| {
        let runs = (0..runs).map(|_| time(histories, level, &WeakOptions { reductions, ..plain }));
        runs.min_by_key(|run| run.elapsed)
    };
    let minimal = WeakReductions {
        strongest_first: false,
        ..WeakReductions::ALL
    };
    let remembered = WeakReductions {
        memo: true,
        ..WeakReductions::NONE
    };
    let cases = [
        (
            "linearizability",
            ConsistencyLevel::Linearizable,
            WeakReductions::ALL,
        ),
        (
            "the strongest first, then minimal",
            ConsistencyLevel::Weak,
            WeakReductions::ALL,
        ),
        ("minimal visibilities", ConsistencyLevel::Weak, minimal),
        ("all visibilities, remembered", ConsistencyLevel::Weak, remembered),
        (
            "all linearizations, all visibilities",
            ConsistencyLevel::Weak,
            WeakReductions::NONE,
        ),
    ];
    println!(
        "{:<40} {:>10} {:>7} {:>12} {:>7} {:>7} {:>8}",
        "", "ms", "ratio", "tried", "ratio", "valid", "unknown"
    );
    let mut base = None;
    for (name, level, reductions) in cases {
        let Some(run) = best(level, reductions) else {
            continue;
        };
        let (valid, unknown, tried) = (run.valid, run.unknown, run.tried);
        let ms = run.elapsed.as_secs_f64() * 1e3;
        let (first_ms, first_tried) = *base.get_or_insert((ms, tried as f64));
        let (slower, more) = (ms / first_ms, tried as f64 / first_tried);
        println!("{name:<40} {ms:>10.2} {slower:>7.2} {tried:>12} {more:>7.2} {valid:>7} {unknown:>8}");
    }
}

fn main() {
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let mut histories = recorded();
    if !is_bench {
        histories.truncate(10);
    }
    table(
        "ConcurrentSkipListMap, 4 to 6 operations",
        &histories,
        Limits::default(),
        if is_bench { 20 } else { 1 },
    );

    let runs = if is_bench { 20 } else { 1 };
    against_all_visibilities("the same histories", &histories, runs);
    let mut rng = Rng::with_seed(7);
    let longer: Vec<_> = (0..if is_bench { 60 } else { 1 })
        .map(|_| simulated(3, 9, &mut rng))
        .collect();
    against_all_visibilities(
        "simulated, 9 operations of 3 threads, one read in 3 stale",
        &longer,
        1,
    );

    let mut rng = Rng::with_seed(1);
    let long: Vec<_> = (0..if is_bench { 12 } else { 1 })
        .map(|_| simulated(4, 30, &mut rng))
        .collect();
    let limits = Limits {
        time: Some(Duration::from_millis(500)),
        ..Limits::default()
    };
    table(
        "simulated, 30 operations of 4 threads, one read in 3 stale",
        &long,
        limits,
        1,
    );
}
