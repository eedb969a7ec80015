//! `omnilink gen tests`, `omnilink gen driver`, `omnilink step` and `omnilink drive`: specifications that drive the code.

use std::fs::{create_dir_all, read_dir, read_to_string, write};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::ran::{Ran, folder, omnilink_in, omnilink_reading};

/// A counter that may be raised, lowered, or set back; `Never` is enabled nowhere.
const COUNTER: &str = r#"---- MODULE Counter ----
EXTENDS Naturals
VARIABLES n, last
vars == <<n, last>>
Init == n = 0 /\ last = "none"
Up(by) == n + by <= 3 /\ n' = n + by /\ IF by = 1 THEN last' = "one" ELSE last' = "two"
Down ==
    /\ n > 0
    /\ \/ n' = n - 1 /\ last' = "down"
       \/ n' = 0 /\ last' = "zero"
Never == n > 7 /\ UNCHANGED vars
Next == (\E by \in 1..2 : Up(by)) \/ Down \/ Never
Spec == Init /\ [][Next]_vars
Parity == n % 2
====
"#;

/// A driver without a generator: what it says to each line is what `answer` returns.
fn driver(body: &str) -> String {
    format!(
        "import json, sys\nn = 0\nfor line in sys.stdin:\n    told = json.loads(line)\n    p = told.get('parameters', {{}})\n{body}\n    sys.stdout.flush()\n"
    )
}

/// The counter as it should be: which way down it goes is its own choice.
const RIGHT: &str = "    if told['do'] == 'start': n = 0\n    elif told['action'] == 'Up': n += p['by']\n    else: n = 0\n\
    \x20   print(json.dumps({'state': {'n': n}}))";

fn counter() -> TempDir {
    let spec = folder(&[
        ("Counter.tla", COUNTER),
        ("Counter.cfg", "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n"),
    ]);
    let ran = omnilink_in(spec.path(), &["gen", "tests", "Counter.tla", "--out", "tests"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    spec
}

fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok()
}

/// Drives the counter with a driver of this body.
fn driven(spec: &TempDir, body: &str, more: &[&str]) -> Ran {
    write(spec.path().join("driver.py"), driver(body)).expect("it can be written");
    let mut arguments = vec!["drive", "Counter.tla", "--tests", "tests"];
    arguments.extend(more);
    arguments.extend(["--", "python3", "driver.py"]);
    omnilink_in(spec.path(), &arguments)
}

fn behaviours(folder: &Path) -> Vec<PathBuf> {
    let listed = read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path());
    let mut files: Vec<PathBuf> = listed
        .filter(|path| path.to_string_lossy().ends_with(".itf.json"))
        .collect();
    files.sort();
    files
}

#[test]
fn generated_behaviours_cover_what_can_be_covered_and_name_what_cannot() {
    let spec = counter();
    let gen_tests = |more: &[&str]| {
        let mut arguments = vec!["gen", "tests", "Counter.tla", "--out", "tests", "--json"];
        arguments.extend(more);
        let ran = omnilink_in(spec.path(), &arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json().remove(0)
    };
    let all = gen_tests(&[]);
    assert_eq!(all["complete"], true);
    assert_eq!(all["dead_actions"], json!(["Never"]));
    assert_eq!(all["covered"]["actions"], json!({"covered": 2, "all": 3}));
    assert_eq!(all["covered"]["branches"], json!({"covered": 4, "all": 4}));
    assert_eq!(
        all["covered"]["pairs_of_actions"],
        json!({"covered": 4, "all": 4})
    );
    assert!(
        all["not_covered"][0]
            .as_str()
            .is_some_and(|text| text.contains("Never")),
        "{all}"
    );
    let table = read_to_string(spec.path().join("tests/coverage.md")).expect("a table");
    assert!(table.contains("| actions | 2 | 3 |") && table.contains("action Never: enabled in no state"));
    let first = behaviours(&spec.path().join("tests"));
    assert_eq!(all["behaviours"].as_array().map(Vec::len), Some(first.len()));
    // Each is a behaviour of the specification.
    for file in &first {
        let file = file.display().to_string();
        let ran = omnilink_in(spec.path(), &["mc", "Counter.tla", "--replay", &file]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    // The same input gives the same files, and what is not generated any more is removed.
    let texts = |files: &[PathBuf]| -> Vec<String> {
        files
            .iter()
            .map(|file| read_to_string(file).expect("a file"))
            .collect()
    };
    let before = texts(&first);
    gen_tests(&[]);
    assert_eq!(texts(&behaviours(&spec.path().join("tests"))), before);
    let transitions = gen_tests(&["--cover", "transitions"]);
    let steps = &transitions["covered"]["transitions"];
    assert_eq!(steps["covered"], steps["all"]);
    let quotient = gen_tests(&["--cover", "transitions", "--view", "n"]);
    assert!(
        quotient["states"].as_u64() < transitions["states"].as_u64(),
        "{quotient}"
    );
    let simulated = gen_tests(&["--simulate", "50", "--depth", "10", "--seed", "3"]);
    assert_eq!(simulated["covered"]["actions"]["covered"], 2);
    assert_eq!(simulated["complete"], false);
    assert_eq!(
        gen_tests(&["--simulate", "50", "--depth", "10", "--seed", "3"]),
        simulated
    );
}

#[test]
fn a_goal_is_reached_by_a_shortest_behaviour_or_is_told_to_be_out_of_reach() {
    let spec = counter();
    let goal = |expression: &str| {
        omnilink_in(
            spec.path(),
            &[
                "gen",
                "tests",
                "Counter.tla",
                "--out",
                "goal",
                "--goal",
                expression,
                "--json",
            ],
        )
    };
    let ran = goal("n = 3 /\\ last = \"two\"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let found = &ran.json()[0];
    assert_eq!(found["behaviours"][0]["steps"], 2, "{found}");
    let ran = goal("n = 8");
    assert_eq!(ran.code, 1, "{ran:?}");
    let ran = goal("n + 1");
    ran.refused(&["TRUE or FALSE"]);
    let ran = goal("m = 8");
    ran.refused(&["m"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let spec = counter();
    let run = |arguments: &[&str]| omnilink_in(spec.path(), arguments);
    run(&["gen", "tests", "Nowhere.tla", "--out", "t"]).refused(&["Nowhere.tla"]);
    run(&["gen", "tests", "Counter.tla", "--out", "t", "--view"]).refused(&["VIEW"]);
    run(&["gen", "driver", "Counter.tla", "--lang", "cobol", "--out", "d"]).refused(&["cobol", "python"]);
    let drive = |tests: &str| run(&["drive", "Counter.tla", "--tests", tests, "--", "no-such-driver"]);
    drive("nowhere").refused(&["nowhere", "gen tests"]);
    create_dir_all(spec.path().join("empty")).expect("a folder");
    drive("empty").refused(&["no .itf.json"]);
    drive("tests").refused(&["no-such-driver", "cannot be started"]);
    write(spec.path().join("no.itf.json"), "{\"states\": 3}").expect("a file");
    drive("no.itf.json").refused(&["no.itf.json", "states"]);
    write(spec.path().join("cut.itf.json"), "{\"states\": [{\"n\": 0}").expect("a file");
    drive("cut.itf.json").refused(&["cut.itf.json", "line 1"]);
    let unnamed = "{\"states\": [{\"n\": 0, \"last\": \"none\"}, {\"n\": 1, \"last\": \"one\"}]}";
    write(spec.path().join("unnamed.itf.json"), unnamed).expect("a file");
    drive("unnamed.itf.json").refused(&["state 2 has no action"]);
    let other =
        "{\"states\": [{\"n\": 0, \"last\": \"none\"}, {\"#meta\": {\"action\": \"Down\"}, \"n\": 1}]}";
    write(spec.path().join("other.itf.json"), other).expect("a file");
    drive("other.itf.json").refused(&["no such step of Down"]);
}

#[test]
fn a_system_may_choose_what_the_specification_leaves_open() {
    if !has_python() {
        return;
    }
    let spec = counter();
    // It always goes down to zero, though some behaviours expect one less.
    let ran = driven(&spec, RIGHT, &["--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let answers = ran.json();
    assert!(
        answers.iter().all(|answer| answer["verdict"] == "valid"),
        "{ran:?}"
    );
    assert!(
        answers
            .iter()
            .any(|answer| answer["driven"]["left_at"].is_number()),
        "{ran:?}"
    );
    assert_eq!(answers[0]["driven"]["unobserved"], json!(["last"]));
}

#[test]
fn a_step_may_be_refused_where_the_system_may_have_chosen_otherwise() {
    if !has_python() {
        return;
    }
    let spec = counter();
    // Nothing of the counter is shown, and after a step down it may be 0 already: then the next one is not possible.
    let ran = driven(
        &spec,
        &RIGHT.replace("{'n': n}", "{}").replace(
            "else: n = 0",
            "elif n == 0: print(json.dumps({'error': 'it is 0'}), flush=True); continue\n    else: n = 0",
        ),
        &["--json"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let driven = &ran.json()[0]["driven"];
    assert!(
        driven["done"].as_u64() < driven["steps"].as_u64() && driven["left_at"].is_number(),
        "{ran:?}"
    );
    assert!(
        ran.json()[0]["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("showed nothing")),
        "{ran:?}"
    );
}

#[test]
fn the_first_difference_is_evidence_that_can_be_shown() {
    if !has_python() {
        return;
    }
    let spec = counter();
    let wrong = RIGHT.replace("else: n = 0", "else: n -= 2");
    let ran = driven(&spec, &wrong, &["--evidence", "why.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for word in [
        "Down: n is not what the specification allows",
        "expected  n = ",
        "got  n = ",
        "n' = n - 1",
    ] {
        assert!(ran.stdout.contains(word), "{word}: {ran:?}");
    }
    let told = omnilink_in(spec.path(), &["report", "why.json"]);
    assert!(
        told.stdout.contains("n is not what the specification allows"),
        "{told:?}"
    );
    let page = omnilink_in(spec.path(), &["view", "why.json", "--html", "why.html"]);
    assert_eq!(page.code, 0, "{page:?}");
    let page = read_to_string(spec.path().join("why.html")).expect("a page");
    assert!(page.contains("systemDifferenceView"));
    // What the driver calls otherwise is told as a name, and an expression can stand for it.
    let parity = RIGHT.replace("{'n': n}", "{'parity': n % 2}");
    let ran = driven(&spec, &parity, &[]);
    ran.refused(&["parity is no variable", "--observe parity=EXPR"]);
    let ran = driven(&spec, &parity, &["--observe", "parity=Parity"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let odd = parity.replace("n % 2", "1");
    assert_eq!(driven(&spec, &odd, &["--observe", "parity=Parity"]).code, 1);
}

#[test]
fn a_driver_that_dies_hangs_or_babbles_is_told_apart() {
    if !has_python() {
        return;
    }
    let spec = counter();
    let dies = RIGHT.replace(
        "elif told['action'] == 'Up': n += p['by']",
        "elif told['action'] == 'Up': sys.exit(7)",
    );
    let ran = driven(&spec, &dies, &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("the driver ended (exit status: 7)"),
        "{ran:?}"
    );
    let hangs = RIGHT.replace("n += p['by']", "__import__('time').sleep(600)");
    let ran = driven(&spec, &hangs, &["--step-timeout", "200ms"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("no answer within 0.2 s"), "{ran:?}");
    driven(&spec, "    print('hello')", &[]).refused(&["hello", "no JSON", "standard error"]);
    driven(&spec, "    print(json.dumps({'state': 3}))", &[]).refused(&["names and values"]);
    // A line without its end is what a driver that died left behind.
    let cut = "    sys.stdout.write('{\"state\": {')\n    sys.stdout.flush()\n    sys.exit(0)";
    let ran = driven(&spec, cut, &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("the driver ended"), "{ran:?}");
    let refuses = "    print(json.dumps({'error': 'out of order'}))";
    let ran = driven(&spec, refuses, &[]);
    assert!(ran.code == 1 && ran.stdout.contains("out of order"), "{ran:?}");
    let not_yet = "    print(json.dumps({'unimplemented': 'Up'}))";
    assert_eq!(driven(&spec, not_yet, &[]).code, 3);
    // A value of another kind is a difference, with a hint.
    let other = RIGHT.replace("{'n': n}", "{'n': str(n)}");
    let ran = driven(&spec, &other, &[]);
    assert!(ran.code == 1 && ran.stderr.contains("in another form"), "{ran:?}");
}

/// The answers to these questions about the counter.
fn asked(spec: &TempDir, more: &[&str], questions: &[Json]) -> Vec<Json> {
    let text: String = questions.iter().map(|question| format!("{question}\n")).collect();
    let path = spec.path().join("Counter.tla").display().to_string();
    let mut arguments = vec!["step", &path, "--stdio"];
    arguments.extend(more);
    let ran = omnilink_reading(text.as_bytes(), &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.json()
}

#[test]
fn a_specification_is_stepped_through_from_another_program() {
    let spec = counter();
    let answers = asked(
        &spec,
        &[],
        &[
            json!({"op": "state", "id": 1}),
            json!({"op": "enabled"}),
            json!({"op": "take", "action": "Up", "parameters": {"by": 2}}),
            json!({"op": "take", "action": "Down"}),
            json!({"op": "eval", "expr": "n + 10"}),
            json!({"op": "observe", "state": {"n": 1}, "within": 0}),
            json!({"op": "undo"}),
            json!({"op": "eval", "expr": "<<n, Parity>>"}),
            json!({"op": "reset"}),
            json!({"op": "observe", "state": {"n": 3}, "within": 3}),
            json!({"op": "observe", "state": {"n": 9}, "within": 2}),
            json!({"op": "bye"}),
            json!({"op": "state"}),
        ],
    );
    assert_eq!(
        answers[0],
        json!({"id": 1, "steps": 0, "possible": 1, "followed": true, "states": [{"n": 0, "last": "none"}]})
    );
    assert_eq!(answers[1]["enabled"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        answers[1]["enabled"][1],
        json!({"action": "Up", "parameters": {"by": 2}, "changes": {"n": 2, "last": "two"}})
    );
    assert_eq!(answers[2]["states"], json!([{"n": 2, "last": "two"}]));
    // Down has two outcomes, and both are followed until one is seen.
    assert_eq!(answers[3]["possible"], 2);
    assert_eq!(answers[4]["values"], json!([11, 10]));
    assert_eq!(answers[5]["possible"], 1);
    assert_eq!(answers[6]["states"], json!([{"n": 2, "last": "two"}]));
    assert_eq!(answers[7]["text"], json!(["<<2, 0>>"]));
    assert_eq!(
        (&answers[9]["followed"], &answers[9]["steps"]),
        (&json!(true), &json!(2))
    );
    // What nothing explains changes nothing.
    assert_eq!(
        (&answers[10]["followed"], &answers[10]["steps"]),
        (&json!(false), &json!(2))
    );
    assert_eq!(answers.len(), 11);
}

#[test]
fn questions_that_make_no_sense_are_answered_by_errors() {
    let spec = counter();
    let path = spec.path().join("Counter.tla").display().to_string();
    let questions = "nonsense\n[1]\n{}\n{\"op\": \"fly\"}\n{\"op\": \"take\"}\n{\"op\": \"take\", \"action\": \"Sideways\"}\n\
        {\"op\": \"take\", \"action\": \"Up\", \"parameters\": {\"of\": 1}}\n{\"op\": \"observe\", \"state\": {\"m\": 1}}\n\
        {\"op\": \"observe\", \"state\": 4}\n{\"op\": \"observe\", \"within\": -1}\n{\"op\": \"eval\", \"expr\": \"n +\"}\n\
        {\"op\": \"eval\", \"expr\": \"n / 0\"}\n{\"op\": \"undo\"}\n{\"op\": \"state\", \"colour\": 1}\n{\"op\": \"state\"}";
    let ran = omnilink_reading(questions.as_bytes(), &["step", &path, "--stdio"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let answers = ran.json();
    let (last, errors) = answers.split_last().expect("answers");
    assert_eq!(last["states"], json!([{"n": 0, "last": "none"}]));
    let words = [
        "no JSON",
        "one JSON object",
        "\"op\" is missing",
        "no op fly",
        "needs \"action\"",
        "no action Sideways",
        "no parameter of",
        "m is no variable",
        "an object",
        "from 0 to",
        "",
        "",
        "no step to undo",
        "no field colour",
    ];
    assert_eq!(errors.len(), words.len());
    for (answer, word) in errors.iter().zip(words) {
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty() && message.contains(word), "{word}: {answer}");
    }
}

#[test]
fn a_driver_is_generated_in_each_language_and_what_is_written_in_it_stays() {
    let spec = counter();
    for (language, file, old, new) in [
        ("python", "system.py", "return {}", "return {\"n\": 1}"),
        (
            "rust",
            "src/system.rs",
            "pub struct System {}",
            "pub struct System { n: i64 }",
        ),
        ("cpp", "system.hpp", "struct System {", "struct System { int n;"),
        (
            "java",
            "sut/Sut.java",
            "return Map.of();",
            "return Map.of(\"n\", 1);",
        ),
    ] {
        let generate = || {
            let out = format!("driver-{language}");
            let ran = omnilink_in(
                spec.path(),
                &["gen", "driver", "Counter.tla", "--lang", language, "--out", &out],
            );
            assert_eq!(ran.code, 0, "{ran:?}");
            ran.stdout
        };
        let told = generate();
        assert!(
            told.contains("Up(by, an integer)") && told.contains("omnilink drive"),
            "{told}"
        );
        let path = spec.path().join(format!("driver-{language}")).join(file);
        let text = read_to_string(&path).expect("the user's file");
        assert!(text.contains(old), "{text}");
        let written = text.replace(old, new).replace("Down", "Lower");
        write(&path, &written).expect("it can be written");
        let told = generate();
        assert!(
            told.contains("kept")
                && told.contains("added: action Down")
                && told.contains("no longer used: action Lower"),
            "{told}"
        );
        let text = read_to_string(&path).expect("the user's file");
        assert!(
            text.contains(new) && text.contains("Lower") && text.contains("begin action Down"),
            "{text}"
        );
    }
}
