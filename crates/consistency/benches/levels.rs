//! What weak consistency costs: every level against linearizability, and minimal visibility against all visibilities.
//!
//! `cargo bench -p omnilink-consistency`. All figures of a table come from one run, so only ratios mean anything. Run as
//! a test, it only shows that it runs.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use omnilink_consistency::{
    History, Level, Observed, Reductions, Ret, WeakChecker, WeakOptions, WeakVerdict, read_histories,
};
use omnilink_engine::Limits;
use omnilink_models::{Decode, Decoded, JavaMap, JavaMapOp};
use omnilink_trace::Timebox;
use omnilink_value::Value;

const SETS: [&str; 3] = ["directed_3t_6ops", "schemas", "small_3t_6ops"];

fn recorded() -> Vec<History<JavaMapOp>> {
    let decode = |operation: &_| {
        JavaMap.decode(operation).map(|decoded| match decoded {
            Decoded::Op(op) => Some(op),
            Decoded::DidNotHappen => None,
        })
    };
    let mut histories = Vec::new();
    for set in SETS {
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/skiplistmap/{set}.jsonl"));
        let file = BufReader::new(File::open(path).expect("the data is part of the crate"));
        for history in read_histories(set, file) {
            histories.push(
                history
                    .expect("the data is well formed")
                    .decode(&decode)
                    .expect("and known"),
            );
        }
    }
    histories
}

/// SplitMix64.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % limit
    }
}

/// A run of `threads` threads on a map whose iterators return what they saw some moments ago, and whose gets do so once in
/// `stale`: weakly consistent at best.
fn simulated(threads: u32, count: usize, stale: u64, rng: &mut Rng) -> History<JavaMapOp> {
    use omnilink_engine::{Model, successors};
    let mut states = JavaMap.initial();
    let mut past = vec![states[0].clone()];
    let mut clocks = vec![0_i64; threads as usize];
    let (mut ops, mut timeboxes) = (Vec::new(), Vec::new());
    for position in 0..count {
        let thread = rng.below(u64::from(threads)) as u32;
        let key = Value::int(rng.below(3) as i64);
        let value = Value::int(rng.below(3) as i64);
        let (method, arguments) = match rng.below(6) {
            0 | 1 => ("put", vec![key, value]),
            2 => ("remove", vec![key]),
            3 => ("get", vec![key]),
            4 => ("size", vec![]),
            _ => ("values", vec![]),
        };
        let lag = match method {
            "get" | "size" | "values" if rng.below(stale) == 0 => 1 + rng.below(2) as usize,
            _ => 0,
        };
        let effect = JavaMapOp::new(method, &arguments, None).expect("a method of the model");
        let from = &past[past.len().saturating_sub(1 + lag)];
        let text = JavaMap.result_of(from, &effect.call);
        let op = JavaMapOp::new(method, &arguments, Some(&Value::str(&text))).expect("a result of the model");
        let now = 10 * position as i64;
        let start = clocks[thread as usize].max(now - rng.below(40) as i64);
        let end = now.max(start) + rng.below(15) as i64;
        clocks[thread as usize] = end + 1;
        timeboxes.push(Timebox::new(start, end));
        states = successors(&JavaMap, &states[0], &effect);
        past.push(states[0].clone());
        let method = method.to_owned();
        ops.push(Observed {
            op,
            effect,
            method,
            thread,
            optional: false,
            label: position.to_string(),
        });
    }
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

fn time(histories: &[History<JavaMapOp>], level: Level, options: &WeakOptions) -> Run {
    let mut checker = WeakChecker::new(&JavaMap);
    let criterion = level.criterion();
    let (mut valid, mut unknown, mut tried) = (0, 0, 0);
    let start = Instant::now();
    for history in histories {
        let outcome = checker
            .check(history, &criterion, options)
            .expect("the model does not fail");
        valid += usize::from(outcome.verdict.is_valid());
        unknown += usize::from(matches!(outcome.verdict, WeakVerdict::Unknown(_)));
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
    let levels = Level::ALL.into_iter().rev();
    let cases: Vec<(Level, Ret)> = levels
        .flat_map(|level| [(level, Ret::Own), (level, Ret::All)])
        .filter(|case| *case != (Level::Linearizable, Ret::All))
        .collect();
    // The machine has other things to do as well: the best of some runs, and by turns, so that all cases meet the same.
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
    let best = |level: Level, reductions: Reductions| {
        let runs = (0..runs).map(|_| time(histories, level, &WeakOptions { reductions, ..plain }));
        runs.min_by_key(|run| run.elapsed)
    };
    let minimal = Reductions {
        strongest_first: false,
        ..Reductions::ALL
    };
    let remembered = Reductions {
        memo: true,
        ..Reductions::NONE
    };
    let cases = [
        ("linearizability", Level::Linearizable, Reductions::ALL),
        ("the strongest first, then minimal", Level::Weak, Reductions::ALL),
        ("minimal visibilities", Level::Weak, minimal),
        ("all visibilities, remembered", Level::Weak, remembered),
        (
            "all linearizations, all visibilities",
            Level::Weak,
            Reductions::NONE,
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
    let mut rng = Rng(7);
    let longer: Vec<_> = (0..if is_bench { 60 } else { 1 })
        .map(|_| simulated(3, 9, 3, &mut rng))
        .collect();
    against_all_visibilities(
        "simulated, 9 operations of 3 threads, one read in 3 stale",
        &longer,
        1,
    );

    let mut rng = Rng(1);
    let long: Vec<_> = (0..if is_bench { 12 } else { 1 })
        .map(|_| simulated(4, 30, 3, &mut rng))
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
