//! The golden corpus: what SANY accepts is accepted, what it rejects is rejected at the right place.

mod common;

use std::path::Path;

use common::golden;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::semantics::{Loaded, load, load_text};
use serde_json::Value;

fn items(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    text.lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

fn first_error(loaded: &Loaded) -> Option<(u32, u32, String)> {
    let error = loaded.diagnostics.iter().find(|d| d.is_error())?;
    let place = loaded.spec.sources.get(error.source).place(error.span.start);
    Some((
        place.line,
        place.column,
        format!("{}: {}", error.class.word(), error.message),
    ))
}

/// Whether two places are at most one token apart. Tokens are guessed as runs of like characters: good enough here.
fn within_one_token(text: &str, line: u32, a: u32, b: u32) -> bool {
    let (from, to) = (a.min(b) as usize - 1, a.max(b) as usize - 1);
    let between: String = text
        .lines()
        .nth(line as usize - 1)
        .unwrap_or("")
        .chars()
        .skip(from)
        .take(to - from)
        .collect();
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut tokens = 0;
    let mut last = 1;
    for c in between.chars() {
        if class(c) != last && class(c) != 1 {
            tokens += 1;
        }
        last = class(c);
    }
    tokens <= 1
}

#[test]
fn golden_parse() {
    let folder = golden("parse");
    let items = items(&folder.join("parse.jsonl"));
    let mut wrong = Vec::new();
    for item in &items {
        let id = item["id"].as_str().unwrap();
        let path = folder.join(item["file"].as_str().unwrap());
        let loaded = load(&path, &SearchPath::default());
        let found = first_error(&loaded);
        match (item["verdict"].as_str(), found) {
            (Some("accept"), None) => {}
            (Some("accept"), Some((line, column, message))) => {
                wrong.push(format!("{id}: rejected at {line}:{column}: {message}"));
            }
            (_, None) => wrong.push(format!("{id}: accepted, but {}", item["note"])),
            (_, Some((line, column, message))) => {
                let text = std::fs::read_to_string(&path).unwrap();
                let (wanted_line, wanted) = (item["line"].as_u64().unwrap(), item["col"].as_u64().unwrap());
                let (wanted_line, wanted) = (wanted_line as u32, wanted as u32);
                let earlier = (line, column) <= (wanted_line, wanted);
                let near =
                    line == wanted_line && (wanted == 0 || within_one_token(&text, line, column, wanted));
                if wanted_line > 0 && !earlier && !near {
                    wrong.push(format!(
                        "{id}: at {line}:{column} instead of {wanted_line}:{wanted}: {message}"
                    ));
                }
            }
        }
    }
    println!(
        "golden parse: {} of {} agree",
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

/// The module that the corpus evaluates an expression in.
fn module_of(item: &Value) -> String {
    let modules: Vec<&str> = item["modules"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let extends = if modules.is_empty() {
        String::new()
    } else {
        format!("EXTENDS {}\n", modules.join(", "))
    };
    let defs = item["defs"]
        .as_str()
        .map(|d| format!("{d}\n"))
        .unwrap_or_default();
    let expr = item["expr"].as_str().unwrap();
    format!("---- MODULE G ----\n{extends}GoldenWrap(x) == x\n{defs}ASSUME GoldenWrap(\n{expr}\n)\n====\n")
}

#[test]
fn golden_expressions_are_accepted_or_rejected_as_recorded() {
    // Found by TLC while evaluating (an unknown register), and classed like what is found before.
    let found_late = ["tlcx-010"];
    let items = items(&golden("expressions.jsonl"));
    let mut wrong = Vec::new();
    for item in &items {
        let id = item["id"].as_str().unwrap();
        let class = item["error"].as_str().unwrap_or("");
        let rejected = ["parse", "undefined", "redefined", "arity", "level"].contains(&class);
        if found_late.contains(&id) {
            continue;
        }
        let loaded = load_text(Path::new("G.tla"), module_of(item), &SearchPath::default());
        match (rejected, first_error(&loaded)) {
            (false, Some((line, column, message))) => {
                wrong.push(format!(
                    "{id}: rejected at {line}:{column}: {message}\n    {}",
                    item["expr"]
                ));
            }
            (true, None) => wrong.push(format!("{id}: accepted, but {class}: {}", item["expr"])),
            _ => {}
        }
    }
    println!(
        "golden expressions: {} of {} agree",
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

#[test]
fn golden_specs_are_accepted() {
    let specs = common::files(&golden("specs"), ".tla");
    assert!(!specs.is_empty());
    for path in specs {
        let loaded = load(&path, &SearchPath::default());
        assert_eq!(first_error(&loaded), None, "{}", path.display());
    }
}
