//! `omnilink mc`: several violations, expressions, traces out and in, checkpoints.

use std::fs::{read_to_string, write};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::ran::{example, folder, omnilink, omnilink_in};

/// Two clocks that only go forward. `Low` and `Step` are violated, `Sane` is not.
const CLOCKS: &str = "---- MODULE Clocks ----\nEXTENDS Naturals\nCONSTANT Max\nVARIABLES a, b\nvars == <<a, b>>\n\
    Init == a = 0 /\\ b = 0\nA == a < Max /\\ a' = a + 1 /\\ b' = b\nB == b < Max /\\ b' = b + 1 /\\ UNCHANGED a\n\
    Next == A \\/ B\nSpec == Init /\\ [][Next]_vars\n\
    Low == a < 2\nSum == a + b < 4\nSane == a >= 0\nStep == [][b' # 2]_vars\nStays == [](a = 1 => [](b = 0))\nBack == <>(a = Max /\\ b = Max)\n\
    Reached == <>(a = 2) \\/ []<>(a < 2)\nAlike == a + b\n====\n";

fn clocks(config: &str) -> tempfile::TempDir {
    folder(&[("Clocks.tla", CLOCKS), ("Clocks.cfg", config)])
}

const ALL: &str = "CONSTANT Max = 3\nSPECIFICATION Spec\nINVARIANTS Low Sum Sane\nPROPERTIES Step Back\n";

#[test]
fn with_continue_each_violated_property_has_a_counterexample() {
    let folder = clocks(ALL);
    let mut answers = Vec::new();
    for workers in ["1", "3"] {
        let ran = omnilink_in(
            folder.path(),
            &["mc", "Clocks.tla", "--continue", "--workers", workers, "--json"],
        );
        assert_eq!(ran.code, 1, "{ran:?}");
        let mut report = ran.json().remove(0);
        assert_eq!((&report["distinct"], &report["waiting"]), (&16.into(), &0.into()));
        let further = report["further"].as_array().cloned().unwrap_or_default();
        let named: Vec<(String, usize)> = std::iter::once(&report["violation"])
            .chain(&further)
            .map(|behaviour| {
                let name = behaviour["violated"].as_str().unwrap_or("deadlock").to_owned();
                (name, behaviour["trace"].as_array().map_or(0, Vec::len))
            })
            .collect();
        let expected = [("Low", 3), ("Step", 3), ("Sum", 5), ("deadlock", 7), ("Back", 1)];
        assert_eq!(
            named,
            expected.map(|(name, states)| (name.to_owned(), states)),
            "{report}"
        );
        answers.push((report["violation"].take(), further));
    }
    assert_eq!(answers[0], answers[1], "the number of workers does not matter");
    let ran = omnilink_in(folder.path(), &["mc", "Clocks.tla", "--continue"]);
    assert_eq!(ran.stdout.matches("violation: ").count(), 5, "{ran:?}");
    let ran = omnilink_in(
        folder.path(),
        &["mc", "Clocks.tla", "--continue", "--dfs", "--json"],
    );
    assert_eq!(
        ran.json()[0]["further"].as_array().map(Vec::len),
        Some(4),
        "{ran:?}"
    );
    let simulate = [
        "mc",
        "Clocks.tla",
        "--continue",
        "--simulate",
        "200",
        "--json",
        "--workers",
        "2",
    ];
    let ran = omnilink_in(folder.path(), &simulate);
    assert_eq!(
        ran.json()[0]["further"].as_array().map(Vec::len),
        Some(1),
        "{ran:?}"
    );
}

#[test]
fn an_expression_has_a_value_in_each_state() {
    let folder = clocks("CONSTANT Max = 3\nSPECIFICATION Spec\nINVARIANT Sum\n");
    let ran = omnilink_in(
        folder.path(),
        &[
            "mc",
            "Clocks.tla",
            "--expr",
            "a + b",
            "--expr",
            "a' - a",
            "--expr",
            "<<1>>[a]",
            "--json",
        ],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    let states = ran.json()[0]["violation"]["trace"].clone();
    let value = |state: usize, name: &str| states[state]["values"][name].clone();
    let sums: Vec<_> = (0..5).map(|state| value(state, "a + b")).collect();
    assert_eq!(sums, [0, 1, 2, 3, 4].map(serde_json::Value::from));
    assert_eq!(value(4, "a' - a"), 0, "the last state is followed by itself");
    assert!(
        value(0, "<<1>>[a]")["$model"]
            .as_str()
            .is_some_and(|text| text.contains("domain")),
        "{states}"
    );

    let bad = |expression: &str| omnilink_in(folder.path(), &["mc", "Clocks.tla", "--expr", expression]);
    bad("a +").refused(&["Clocks.tla"]);
    bad("nowhere").refused(&["nowhere"]);
    bad("[]Sane").refused(&["whole behaviours"]);
}

#[test]
fn a_counterexample_is_written_and_replayed_through_a_changed_specification() {
    let folder = clocks("CONSTANT Max = 3\nSPECIFICATION Spec\nINVARIANT Sum\n");
    for file in ["bug.itf.json", "bug.json"] {
        let ran = omnilink_in(folder.path(), &["mc", "Clocks.tla", "--trace-out", file]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let ran = omnilink_in(folder.path(), &["mc", "Clocks.tla", "--replay", file]);
        assert!(
            ran.code == 1 && ran.stdout.contains("invariant Sum does not hold after 4 steps"),
            "{ran:?}"
        );
    }
    let ran = omnilink_in(folder.path(), &["mc", "Clocks.tla", "--evidence", "bug.evidence"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        read_to_string(folder.path().join("bug.evidence"))
            .is_ok_and(|text| text.contains("\"command\":\"mc\""))
    );

    // Now a stays one ahead at most.
    let mended = CLOCKS.replace("A == a < Max /\\", "A == a < Max /\\ a <= b /\\");
    write(folder.path().join("Clocks.tla"), mended).unwrap();
    for file in ["bug.itf.json", "bug.json", "bug.evidence"] {
        let ran = omnilink_in(folder.path(), &["mc", "Clocks.tla", "--replay", file]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.stdout
                .contains("the trace departs from the specification after state 2"),
            "{ran:?}"
        );
        assert!(
            ran.stdout.contains("false: a <= b") && ran.stdout.contains("Clocks.tla:7"),
            "{ran:?}"
        );
    }
    // A variable more, which the trace does not have, and one that the spec does not have any more.
    let other = CLOCKS
        .replace("VARIABLES a, b", "VARIABLES a, c")
        .replace("UNCHANGED a", "a' = a");
    let other = other
        .replace("b'", "c'")
        .replace("b <", "c <")
        .replace("= b", "= c")
        .replace("b + 1", "c + 1");
    let other = other
        .replace("<<a, b>>", "<<a, c>>")
        .replace("b = ", "c = ")
        .replace("a + b", "a")
        .replace("b =", "c =");
    write(folder.path().join("Clocks.tla"), other).unwrap();
    let ran = omnilink_in(folder.path(), &["mc", "Clocks.tla", "--replay", "bug.itf.json"]);
    assert!(ran.stderr.contains("no variable b"), "{ran:?}");
}

#[test]
fn what_is_no_trace_is_bad_input() {
    let folder = clocks("CONSTANT Max = 3\nSPECIFICATION Spec\nINVARIANT Sum\n");
    let replay = |text: &str| {
        write(folder.path().join("trace"), text).unwrap();
        omnilink_in(folder.path(), &["mc", "Clocks.tla", "--replay", "trace"])
    };
    replay("").refused(&["trace: there are no states"]);
    replay("{\"states\": [{\"a\": 1,}]}").refused(&["trace: line 1, column"]);
    replay("{\"states\": [{\"z\": 1}]}").refused(&["none of the variables"]);
    replay("{\"states\": [{\"a\": {\"#set\": 3}}]}").refused(&["state 1: a: #set"]);
    omnilink_in(folder.path(), &["mc", "Clocks.tla", "--replay", "nowhere"]).refused(&["nowhere"]);
    let ran = omnilink_in(folder.path(), &["mc", "Clocks.tla", "--trace-out", "bug.txt"]);
    assert!(ran.code == 2 && ran.stderr.contains(".itf.json"), "{ran:?}");
    omnilink_in(folder.path(), &["mc", "Clocks.tla", "--trace-out", "no/bug.json"]).refused(&["no/bug.json"]);
    let ran = replay("{\"states\": [{\"a\": 5, \"b\": 0}]}");
    assert!(
        ran.code == 1 && ran.stdout.contains("no initial state is like its first"),
        "{ran:?}"
    );
    let ran = replay("{\"states\": [{\"a\": 0}, {\"a\": 0}, {\"a\": 1}]}");
    assert!(
        ran.code == 0 && ran.stderr.contains("3 states is a behaviour"),
        "{ran:?}"
    );
}

#[test]
fn a_lasso_is_drawn_with_its_cycle() {
    let target = tempfile::tempdir().unwrap();
    let file = target.path().join("lasso.dot");
    let ran = omnilink(&[
        "mc",
        &example("mc/Door.tla"),
        "--trace-out",
        &file.display().to_string(),
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let text = read_to_string(file).unwrap();
    assert!(text.contains("s2 -> s1 [label=\"Close\", color=red];"), "{text}");
}

#[test]
fn without_symmetry_all_states_are_explored() {
    let spec = "---- MODULE Pair ----\nEXTENDS TLC\nCONSTANT P\nVARIABLE on\nInit == on = {}\nNext == \\E p \\in P : on' = on \\cup {p}\nPerms == Permutations(P)\n====\n";
    let folder = folder(&[
        ("Pair.tla", spec),
        (
            "Pair.cfg",
            "INIT Init\nNEXT Next\nSYMMETRY Perms\nCONSTANT P = {p1, p2, p3}\n",
        ),
    ]);
    let distinct = |more: &[&str]| {
        let ran = omnilink_in(folder.path(), &[&["mc", "Pair.tla", "--json"], more].concat());
        ran.json()[0]["distinct"].clone()
    };
    assert_eq!(
        (distinct(&[]), distinct(&["--no-symmetry"])),
        (4.into(), 8.into())
    );
}

/// A specification with 40,401 states.
const LARGE: &str = "CONSTANT Max = 200\nSPECIFICATION Spec\nINVARIANT Sane\nCHECK_DEADLOCK FALSE\n";

#[test]
fn a_search_that_a_limit_ended_is_resumed_with_the_same_totals() {
    resumed_until_its_end(LARGE, 0);
}

#[test]
fn temporal_properties_are_checked_on_the_states_of_all_runs() {
    resumed_until_its_end(&format!("{LARGE}PROPERTY Reached\n"), 0);
    resumed_until_its_end(&format!("{LARGE}PROPERTY Back\n"), 1);
}

/// Runs until there is an answer, each time with a little more time, and compares it with that of one run.
fn resumed_until_its_end(config: &str, code: i32) {
    let folder = clocks(config);
    let whole = omnilink_in(folder.path(), &["mc", "Clocks.tla", "--json"])
        .json()
        .remove(0);
    // A violation of a property may be seen before all states are known, and when it is depends on where the runs end.
    let figures: &[&str] = match code {
        0 => {
            assert_eq!(whole["distinct"], 40_401);
            &[
                "distinct",
                "generated",
                "depth",
                "frontier_max",
                "coverage",
                "held",
                "violation",
            ]
        }
        _ => &["verdict"],
    };
    for workers in ["1", "2"] {
        let mut flag = "--checkpoint";
        let mut runs = 0;
        let last = loop {
            // On a slow machine the first runs may not explore anything.
            let limit = format!("{}ms", 40 * (runs + 1));
            let arguments = [
                "mc",
                "Clocks.tla",
                flag,
                "kept",
                "--time-limit",
                &limit,
                "--workers",
                workers,
                "--json",
            ];
            let ran = omnilink_in(folder.path(), &arguments);
            runs += 1;
            assert!(runs < 1_000, "there is no progress: {ran:?}");
            if folder.path().join("kept/search.checkpoint").exists() {
                flag = "--resume";
            }
            match ran.code {
                3 => {}
                ended if ended == code => break ran.json().remove(0),
                _ => panic!("{ran:?}"),
            }
        };
        for figure in figures {
            assert_eq!(last[*figure], whole[*figure], "{figure} after {runs} runs");
        }
        assert!(
            !folder.path().join("kept/search.checkpoint").exists(),
            "the search is over"
        );
    }
}

#[test]
fn a_search_that_was_killed_is_resumed() {
    let folder = clocks(LARGE);
    let arguments = [
        "mc",
        "Clocks.tla",
        "--checkpoint",
        "kept",
        "--checkpoint-every",
        "1ms",
    ];
    let checkpoint = folder.path().join("kept/search.checkpoint");
    // Killed as soon as a checkpoint is seen, whatever the machine's speed. A search that ended
    // by itself before that has taken its checkpoints away, and the next one tries again.
    for round in 1.. {
        let mut child = Command::new(env!("CARGO_BIN_EXE_omnilink"))
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !checkpoint.exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        // The process may have ended by itself.
        let _ = child.kill();
        child.wait().unwrap();
        if checkpoint.exists() {
            break;
        }
        assert!(round < 50, "no checkpoint was ever written");
        let _ = std::fs::remove_dir_all(folder.path().join("kept"));
    }
    omnilink_in(folder.path(), &arguments).refused(&["another search keeps its checkpoints here"]);
    let ran = omnilink_in(folder.path(), &["mc", "Clocks.tla", "--resume", "kept", "--json"]);
    assert_eq!(
        (ran.code, &ran.json()[0]["distinct"]),
        (0, &40_401.into()),
        "{ran:?}"
    );
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let folder = clocks(LARGE);
    let stopped = ["mc", "Clocks.tla", "--checkpoint", "kept", "--depth", "9"];
    assert_eq!(omnilink_in(folder.path(), &stopped).code, 3);
    let resume = |more: &[&str]| {
        omnilink_in(
            folder.path(),
            &[&["mc", "Clocks.tla", "--resume", "kept"], more].concat(),
        )
    };
    resume(&["--const", "Max=9"]).refused(&["another specification"]);
    let file = folder.path().join("kept/search.checkpoint");
    let whole = std::fs::read(&file).unwrap();
    for damaged in [
        &whole[..whole.len() - 1],
        &whole[..whole.len() / 2],
        b"omnilink",
        b"",
    ] {
        write(&file, damaged).unwrap();
        resume(&[]).refused(&["start again without --resume"]);
    }
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    write(&file, flipped).unwrap();
    resume(&[]).refused(&["damaged"]);
    write(&file, "no checkpoint at all\n").unwrap();
    resume(&[]).refused(&["no checkpoint of this version"]);
    omnilink_in(folder.path(), &["mc", "Clocks.tla", "--resume", "nowhere"])
        .refused(&["there is no checkpoint"]);
    let twice = clocks(&format!("{ALL}VIEW Alike\n"));
    let ran = omnilink_in(twice.path(), &["mc", "Clocks.tla", "--checkpoint", "kept"]);
    ran.refused(&["temporal properties", "VIEW"]);
}

#[test]
fn a_violation_of_safety_in_temporal_form_is_found_among_infinitely_many_states() {
    let spec = "---- MODULE Up ----\nEXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n\
        Next == \\/ x' = x + 1 /\\ UNCHANGED y\n        \\/ y' = y + 1 /\\ UNCHANGED x\nSpec == Init /\\ [][Next]_<<x, y>>\n\
        Stays == [](x = 3 => [](y < 5))\n====\n";
    let folder = folder(&[
        ("Up.tla", spec),
        ("Up.cfg", "SPECIFICATION Spec\nPROPERTY Stays\n"),
    ]);
    let ran = omnilink_in(folder.path(), &["mc", "Up.tla", "--time-limit", "60s", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let violation = &ran.json()[0]["violation"];
    assert_eq!(
        violation["trace"].as_array().map(Vec::len),
        Some(9),
        "{violation}"
    );
    assert!(violation.get("lasso").is_none(), "{violation}");
}
