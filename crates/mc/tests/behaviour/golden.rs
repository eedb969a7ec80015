//! The golden specs: verdict, violated name, counts and length of the counterexample agree with TLC.
//!
//! Each item runs in a process of its own, which is this test program again: a spec reads its trace relative to its folder and
//! finds the name in the environment. `OMNILINK_GOLDEN` selects another corpus of the same layout.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{answer_of, corpus, runs};

const SPEC: &str = "OMNILINK_GOLDEN_SPEC";
const CONFIG: &str = "OMNILINK_GOLDEN_CONFIG";
const WORKERS: &str = "OMNILINK_GOLDEN_WORKERS";
const MARK: &str = "golden answer: ";

/// Checks one item when started as its own process; does nothing otherwise.
#[test]
fn golden_item() {
    let (Some(spec), Some(config)) = (std::env::var_os(SPEC), std::env::var_os(CONFIG)) else {
        return;
    };
    let workers = std::env::var(WORKERS).ok().and_then(|text| text.parse().ok());
    let answer = answer_of(Path::new(&spec), config.into(), workers.unwrap_or(1));
    println!("{MARK}{answer}");
}

fn run(item: &Value, (workers, evaluator): (usize, &str)) -> Result<Value, String> {
    let text = |key: &str| item[key].as_str().unwrap_or_default();
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    command
        .args(["golden::golden_item", "--exact", "--nocapture"])
        .current_dir(corpus("specs").join(text("dir")))
        .env(SPEC, text("spec"))
        .env(CONFIG, text("cfg"))
        .env(WORKERS, workers.to_string())
        .env("OMNILINK_EVALUATOR", evaluator);
    for (name, value) in item["env"].as_object().into_iter().flatten() {
        command.env(name, value.as_str().unwrap_or_default());
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let answer = printed.lines().find_map(|line| line.split_once(MARK));
    let Some((_, answer)) = answer else {
        let errors = String::from_utf8_lossy(&output.stderr);
        let message = errors
            .lines()
            .find(|line| !line.trim().is_empty() && !line.contains("panicked"));
        return Err(message.unwrap_or("no answer").to_owned());
    };
    serde_json::from_str(answer).map_err(|error| error.to_string())
}

/// The fields to compare. The number of generated states depends on the order of evaluation, and so does the number of distinct
/// states of a run that stops early.
fn compared(item: &Value) -> &'static [&'static str] {
    match item["verdict"].as_str() {
        Some("ok") => &["verdict", "distinct", "depth"],
        _ => &["verdict", "error_kind", "violated", "depth", "trace_len"],
    }
}

fn disagreement(item: &Value, how: (usize, &str)) -> Option<String> {
    let answer = match run(item, how) {
        Ok(answer) => answer,
        Err(error) => return Some(error),
    };
    let differences: Vec<String> = compared(item)
        .iter()
        .filter(|key| !item[**key].is_null() && item[**key] != answer[**key])
        // Which lasso is shown is a matter of choice.
        .filter(|key| **key != "trace_len" || answer["is_lasso"] != true)
        .map(|key| format!("{key}: TLC {}, here {}", item[*key], answer[*key]))
        .collect();
    let error = answer["error"]
        .as_str()
        .map_or(String::new(), |error| format!("\n{error}"));
    (!differences.is_empty()).then(|| differences.join("; ") + &error)
}

fn compare((workers, evaluator): (usize, &str), is_wanted: impl Fn(&Value) -> bool) {
    let items = runs("specs");
    let items: Vec<&Value> = items.iter().filter(|item| is_wanted(item)).collect();
    let mut wrong = Vec::new();
    for item in &items {
        if let Some(difference) = disagreement(item, (workers, evaluator)) {
            wrong.push(format!(
                "{}: {difference}",
                item["id"].as_str().unwrap_or_default()
            ));
        }
    }
    println!(
        "{} of {} golden specs agree with {workers} worker(s), {evaluator}",
        items.len() - wrong.len(),
        items.len()
    );
    assert!(
        wrong.is_empty(),
        "{} disagree:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Benchmarks take TLC a few seconds or more. `benches/mc-vs-tlc.sh` compares the counts of the large ones.
fn is_benchmark(item: &Value) -> bool {
    !item["benchmark"].is_null()
}

const TEST_GENERATED_MAX: u64 = 1_000_000;

#[test]
fn golden_specs_agree_with_one_worker() {
    compare((1, "interpreter"), |item| !is_benchmark(item));
}

#[test]
fn compiled_code_and_the_evaluator_agree_on_every_state_of_golden_specs() {
    compare((1, "both"), |item| !is_benchmark(item));
}

#[test]
fn golden_specs_agree_with_several_workers() {
    for workers in [2, 3, 4] {
        compare((workers, "compiled"), |item| !is_benchmark(item));
    }
}

#[test]
fn golden_benchmarks_of_less_than_a_million_steps_agree() {
    let is_small = |item: &Value| {
        item["generated"]
            .as_u64()
            .is_some_and(|generated| generated < TEST_GENERATED_MAX)
    };
    for workers in [2, 4] {
        compare((workers, "compiled"), |item| is_benchmark(item) && is_small(item));
    }
}
