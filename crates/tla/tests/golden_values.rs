//! The golden corpus: what TLC evaluates expressions to. A test binary of its own, because it changes the folder and the environment.

#[path = "../../tla-semantics/tests/behaviour/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};

use common::golden;
use omnilink_tla::config;
use omnilink_tla::deep_stack;
use omnilink_tla::eval::{Evaluator, SilentSession};
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::source::Source;
use serde_json::Value as Json;

/// What became of an expression.
#[derive(Debug, PartialEq)]
enum Answer {
    Value { text: String, printed: Vec<String> },
    Error { class: String, message: String },
}

fn module_of(item: &Json, expr: &str, more: &str) -> String {
    let mut modules: Vec<&str> = item["modules"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Json::as_str)
        .collect();
    if !more.is_empty() && !modules.contains(&more) {
        modules.push(more);
    }
    let extends = if modules.is_empty() {
        String::new()
    } else {
        format!("EXTENDS {}\n", modules.join(", "))
    };
    let defs = item["defs"]
        .as_str()
        .map(|d| format!("{d}\n"))
        .unwrap_or_default();
    format!("---- MODULE G ----\n{extends}GoldenWrap(x) == x\n{defs}ASSUME GoldenWrap(\n{expr}\n)\n====\n")
}

fn answer(item: &Json, expr: &str, more: &str) -> Answer {
    let error = |class: &str, message: String| Answer::Error {
        class: class.into(),
        message,
    };
    let mut loaded = load_text(
        Path::new("G.tla"),
        module_of(item, expr, more),
        &SearchPath::default(),
    );
    if let Some(wrong) = loaded.diagnostics.iter().find(|d| d.is_error()) {
        return error(wrong.class.word(), wrong.message.clone());
    }
    let mut diagnostics = Vec::new();
    let text = item["cfg"].as_str().unwrap_or_default();
    let source = loaded.spec.sources.add(Source::new("G.cfg", text));
    let config = config::parse(source, text, &mut diagnostics);
    let options = BuildOptions {
        is_32_bit: true,
        ..BuildOptions::default()
    };
    let model = match build(loaded.spec, &config, &options) {
        Ok(model) => model,
        Err(rejected) => return error("config", format!("{:?}", rejected.diagnostics)),
    };
    deep_stack::run(|| {
        let session = SilentSession::default().with_32_bits().allow_execution();
        let mut evaluator = Evaluator::new(&model.program, &session);
        let Some(assumption) = model.assumptions.last() else {
            return error("none", "no assumption".into());
        };
        match evaluator.shown(assumption.formula) {
            Ok(text) => Answer::Value {
                text,
                printed: session.printed(),
            },
            Err(failure) => error(failure.class.word(), failure.message.clone()),
        }
    })
}

/// Where TLC and this program differ on purpose; see docs/tla.md for the reasons.
const DIFFERENT: &[&str] = &[
    // Names of errors that SANY finds: its own parsing corpus calls these `module` and `redefined`.
    "instx-007",
    "instx-009",
    // Strings are ordered by their text.
    "choose-031",
    // TLC lets a function constructor take a tuple apart that is too long, though no other construct.
    "funx-074",
    // TLC refuses an operator that ignores its parameter.
    "bag-022",
    // TLC runs out of room.
    "sext-065",
    // TLC wraps an integer of more than 32 bits around; here that is an error.
    "json-042",
];

fn agrees(item: &Json) -> Result<(), String> {
    let expr = item["expr"].as_str().unwrap();
    let found = answer(item, expr, "");
    if let Some(class) = item["error"].as_str() {
        return match &found {
            Answer::Error { class: own, .. } if own == class => Ok(()),
            Answer::Error { .. } if class == "parse" => Ok(()),
            Answer::Value { .. } if class == "resource" => Ok(()),
            // An infinite set is also a value of the wrong kind.
            Answer::Error { class: own, .. }
                if [own.as_str(), class]
                    .iter()
                    .all(|c| ["type", "infinite"].contains(c)) =>
            {
                Ok(())
            }
            other => Err(format!("{class} ({}), but {other:?}", item["tlc_message"])),
        };
    }
    let wanted = item["value"].as_str().unwrap();
    let Answer::Value { text, printed } = &found else {
        return Err(format!("{wanted}, but {found:?}"));
    };
    let wanted_printed: Vec<&str> = match &item["printed"] {
        Json::Array(lines) => lines.iter().filter_map(Json::as_str).collect(),
        Json::String(lines) => lines.trim_end().split('\n').collect(),
        _ => Vec::new(),
    };
    if !wanted_printed.is_empty() && wanted_printed != *printed {
        return Err(format!("printed {wanted_printed:?}, but {printed:?}"));
    }
    let wanted_shown = wanted.replace("<expression LOC>", "<expression>");
    if *text == wanted_shown {
        return Ok(());
    }
    // The same value with its parts in another order.
    let value = |expr: &str| answer(item, expr, "TLC");
    match (value(wanted), value(text)) {
        (Answer::Value { text: a, .. }, Answer::Value { text: b, .. }) if a == b => Ok(()),
        _ if item["string_order"].as_bool() == Some(true) => Ok(()),
        _ => Err(format!("{wanted}, but {text}")),
    }
}

#[test]
fn golden_expressions_have_the_values_that_tlc_gives_them() {
    let path: PathBuf = golden("expressions.jsonl");
    let folder = path.parent().unwrap().to_owned();
    std::env::set_current_dir(&folder).unwrap();
    let only = std::env::var("OMNILINK_ONLY").unwrap_or_default();
    let text = std::fs::read_to_string(&path).unwrap();
    let items: Vec<Json> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut wrong = Vec::new();
    let mut count = 0;
    for item in &items {
        let id = item["id"].as_str().unwrap();
        if !id.starts_with(&only) {
            continue;
        }
        count += 1;
        if let Some(env) = item["env"].as_object() {
            for (name, value) in env {
                // SAFETY: the only test of this process that reads or writes the environment runs in this thread.
                unsafe { std::env::set_var(name, value.as_str().unwrap()) };
            }
        }
        if let Err(difference) = agrees(item)
            && !DIFFERENT.contains(&id)
        {
            wrong.push(format!("{id}: {}\n    {difference}", item["expr"]));
        }
    }
    println!("golden values: {} of {count} agree", count - wrong.len());
    assert!(
        wrong.is_empty(),
        "{} disagree:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
