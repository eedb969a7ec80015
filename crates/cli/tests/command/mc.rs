//! `omnilink mc`.

use crate::ran::{example, folder, omnilink, omnilink_in};

const COUNTER: &str = "---- MODULE Counter ----\nEXTENDS Naturals\nCONSTANT Max\nVARIABLE x\nInit == x = 0\n\
    Up == x < Max /\\ x' = x + 1\nDown == x > 0 /\\ x' = x - 1\nNext == Up \\/ Down\nSpec == Init /\\ [][Next]_x\n\
    Small == x < 3\nOften == []<>(x = 0)\nSteady == [][x' - x < 2]_x\n====\n";

fn counter(config: &str) -> tempfile::TempDir {
    folder(&[("Counter.tla", COUNTER), ("Counter.cfg", config)])
}

#[test]
fn a_counterexample_shows_what_changed_and_what_is_false() {
    let ran = omnilink(&["mc", &example("mc/Locks.tla")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let without_figures: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| !line.contains("distinct states"))
        .collect();
    let shown = without_figures
        .join("\n")
        .replace(&example("mc/Locks.tla"), "Locks.tla");
    insta::assert_snapshot!(shown);
}

#[test]
fn a_spec_without_a_flaw_is_valid_with_its_counts() {
    let folder = counter("CONSTANT Max = 9\nSPECIFICATION Spec\nPROPERTY Steady\n");
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = &ran.json()[0];
    assert_eq!(report["verdict"], "valid");
    assert_eq!(
        (&report["distinct"], &report["generated"], &report["depth"]),
        (&10.into(), &19.into(), &10.into())
    );
    for figure in [
        "input",
        "ops",
        "threads",
        "seconds",
        "peak_bytes",
        "configurations",
        "frontier_max",
    ] {
        assert!(report.get(figure).is_some(), "{figure} is missing: {report}");
    }
}

#[test]
fn json_carries_the_trace_with_actions_and_changes() {
    let folder = counter("CONSTANT Max = 9\nSPECIFICATION Spec\nINVARIANT Small\n");
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla", "--json", "--workers", "2"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let report = &ran.json()[0];
    assert_eq!(
        (
            &report["verdict"],
            &report["violation"]["kind"],
            &report["violated"]
        ),
        (&"violation".into(), &"invariant".into(), &"Small".into())
    );
    let trace = report["violation"]["trace"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert_eq!(trace.len(), 4);
    assert_eq!(
        (&trace[3]["action"]["name"], &trace[3]["values"]["x"]),
        (&"Up".into(), &3.into())
    );
    assert_eq!(report["violation"]["false_part"]["text"], "x < 3");
}

#[test]
fn a_lasso_violates_a_temporal_property_and_simulation_does_not_check_it() {
    let folder = counter("CONSTANT Max = 2\nSPECIFICATION Spec\nPROPERTY Often\n");
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("property Often does not hold: a behaviour "),
        "{ran:?}"
    );
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla", "--json"]);
    assert!(ran.json()[0]["violation"]["lasso"].is_u64(), "{ran:?}");
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla", "--simulate", "3"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("not checked: Often"), "{ran:?}");
}

#[test]
fn a_constant_on_the_command_line_counts_more_than_the_configuration() {
    let folder = counter("CONSTANT Max = 2\nSPECIFICATION Spec\n");
    let ran = omnilink_in(
        folder.path(),
        &["mc", "Counter.tla", "--const", "Max=5", "--json"],
    );
    assert_eq!(ran.json()[0]["distinct"], 6, "{ran:?}");
}

#[test]
fn a_deadlock_is_a_violation_unless_it_is_allowed() {
    let stops = COUNTER.replace("Next == Up \\/ Down", "Next == Up");
    let folder = folder(&[
        ("Counter.tla", &stops),
        ("Counter.cfg", "CONSTANT Max = 2\nSPECIFICATION Spec\n"),
    ]);
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("deadlock after 2 steps"), "{ran:?}");
    assert_eq!(
        omnilink_in(folder.path(), &["mc", "Counter.tla", "--no-deadlock"]).code,
        0
    );
}

#[test]
fn an_evaluation_error_shows_its_source_and_the_way_to_it() {
    let wrong = COUNTER.replace("x' = x + 1", "x' = IF x = 2 THEN x + \"a\" ELSE x + 1");
    let folder = folder(&[
        ("Counter.tla", &wrong),
        ("Counter.cfg", "CONSTANT Max = 5\nSPECIFICATION Spec\n"),
    ]);
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stderr.contains("cannot be evaluated after 2 steps"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("Counter.tla:6:"), "{ran:?}");
}

#[test]
fn a_broken_spec_is_refused_with_its_place() {
    let folder = folder(&[("Bad.tla", "---- MODULE Bad ----\nInit == x = 0\n====\n")]);
    let ran = omnilink_in(folder.path(), &["mc", "Bad.tla"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("Bad.tla:2:9"), "{ran:?}");
    let ran = omnilink_in(folder.path(), &["mc", "Missing.tla", "--json"]);
    assert_eq!(
        (ran.code, &ran.json()[0]["verdict"]),
        (2, &"error".into()),
        "{ran:?}"
    );
}

#[test]
fn limits_leave_the_answer_open() {
    let folder = counter("CONSTANT Max = 1000000\nSPECIFICATION Spec\n");
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla", "--depth", "10", "--json"]);
    assert_eq!(
        (ran.code, &ran.json()[0]["unknown"]["limit"]),
        (3, &"depth".into()),
        "{ran:?}"
    );
    let ran = omnilink_in(
        folder.path(),
        &["mc", "Counter.tla", "--time-limit", "1ms", "--json"],
    );
    assert_eq!(
        (ran.code, &ran.json()[0]["unknown"]["limit"]),
        (3, &"time".into()),
        "{ran:?}"
    );
}

#[test]
fn depth_first_and_simulation_find_the_same_flaw() {
    let folder = counter("CONSTANT Max = 9\nSPECIFICATION Spec\nINVARIANT Small\n");
    for mode in [&["--dfs"][..], &["--simulate", "1000", "--seed", "3"]] {
        let arguments = [&["mc", "Counter.tla", "--json"], mode].concat();
        let ran = omnilink_in(folder.path(), &arguments);
        assert_eq!(
            (ran.code, &ran.json()[0]["violated"]),
            (1, &"Small".into()),
            "{ran:?}"
        );
    }
    let valid = counter("CONSTANT Max = 2\nSPECIFICATION Spec\nINVARIANT Small\n");
    let ran = omnilink_in(valid.path(), &["mc", "Counter.tla", "--simulate", "10"]);
    assert_eq!(ran.code, 3, "{ran:?}");
}

#[test]
fn the_state_graph_can_be_dumped() {
    let folder = counter("CONSTANT Max = 2\nSPECIFICATION Spec\n");
    assert_eq!(
        omnilink_in(folder.path(), &["mc", "Counter.tla", "--dump", "graph.dot"]).code,
        0
    );
    let dot = std::fs::read_to_string(folder.path().join("graph.dot")).unwrap_or_default();
    assert_eq!(dot.matches("label=\"x = ").count(), 3, "{dot}");
    assert_eq!(dot.matches("->").count(), 4, "{dot}");
    assert_eq!(
        omnilink_in(folder.path(), &["mc", "Counter.tla", "--dump", "graph.ndjson"]).code,
        0
    );
    let lines = std::fs::read_to_string(folder.path().join("graph.ndjson")).unwrap_or_default();
    assert_eq!(lines.lines().count(), 7, "{lines}");
}

#[test]
fn coverage_names_actions_that_were_never_taken() {
    let folder = counter("CONSTANT Max = 0\nSPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n");
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla", "--coverage"]);
    assert_eq!(ran.stdout.matches("never taken").count(), 2, "{ran:?}");
}

#[test]
fn a_spec_of_which_nothing_says_what_it_does_is_bad_input() {
    let ring = "---- MODULE Ring ----\nVARIABLE at\nWhole == at = 0 /\\ [][at' = 1]_at\n====\n";
    let folder = folder(&[("Ring.tla", ring)]);
    let ran = omnilink_in(folder.path(), &["mc", "Ring.tla"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stderr.contains("write Ring.cfg with `SPECIFICATION Whole`"),
        "{ran:?}"
    );
}

#[test]
fn an_answer_that_rests_on_deadlock_alone_says_so() {
    let folder = counter("CONSTANT Max = 2\nSPECIFICATION Spec\n");
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("no invariant was checked"), "{ran:?}");
}

#[test]
fn a_constant_that_is_given_its_own_name_is_a_model_value() {
    let text = "---- MODULE Cell ----\nCONSTANT Nil\nVARIABLE x\nInit == x = Nil\nWrite(value) == x' = value\n\
        Read(value) == value = x /\\ UNCHANGED x\nNext == Write(1) \\/ Write(Nil)\nKnown == x \\in {1, Nil}\n====\n";
    let trace = "{\"thread\":0,\"op\":\"Write\",\"args\":{\"value\":1},\"start\":1,\"end\":2}\n";
    let folder = folder(&[
        ("Cell.tla", text),
        ("run.ndjson", trace),
        (
            "Cell.cfg",
            "INIT Init\nNEXT Next\nINVARIANT Known\nCONSTANT Nil = 0\n",
        ),
    ]);
    for arguments in [
        &["mc", "Cell.tla", "--const", "Nil=Nil"][..],
        &["tla", "eval", "{Nil}", "--in", "Cell.tla", "--const", "Nil=Nil"],
        &["validate", "Cell.tla", "run.ndjson", "--const", "Nil=Nil"],
    ] {
        let ran = omnilink_in(folder.path(), arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

#[test]
fn behaviours_can_be_generated() {
    let text = "---- MODULE Coin ----\nEXTENDS TLC\nVARIABLE x\nASSUME TLCGet(\"config\").mode = \"generate\"\nInit == x = 0\n\
        Next == x' \\in {0, 1}\nLow == x = 0\n====\n";
    let folder = folder(&[
        ("Coin.tla", text),
        ("Coin.cfg", "INIT Init\nNEXT Next\nINVARIANT Low\n"),
    ]);
    let ran = omnilink_in(folder.path(), &["mc", "Coin.tla", "--generate", "50", "--json"]);
    assert_eq!(
        (ran.code, &ran.json()[0]["violated"]),
        (1, &"Low".into()),
        "{ran:?}"
    );
}

#[test]
fn a_translation_that_is_not_that_of_its_algorithm_is_a_warning_and_with_strict_an_error() {
    let module = |bound: u32| {
        format!(
            "---- MODULE Alg ----\nEXTENDS Naturals\n(* --algorithm a\nvariables x = 0;\nbegin\n  L: while x < {bound} do x := x + 1; end while;\nend algorithm; *)\n\
             \\* BEGIN TRANSLATION\nVARIABLES pc, x\nvars == << pc, x >>\nInit == x = 0 /\\ pc = \"L\"\nL == /\\ pc = \"L\"\n     /\\ IF x < 3 THEN x' = x + 1 /\\ pc' = \"L\"\n\
                \x20          ELSE pc' = \"Done\" /\\ x' = x\nTerminating == pc = \"Done\" /\\ UNCHANGED vars\nNext == L \\/ Terminating\n\\* END TRANSLATION\n====\n"
        )
    };
    let (fresh, stale) = (module(3), module(4));
    let folder = folder(&[("Alg.tla", fresh.as_str()), ("Alg.cfg", "INIT Init\nNEXT Next\n")]);
    let run = |arguments: &[&str]| omnilink_in(folder.path(), &[&["mc", "Alg.tla"], arguments].concat());
    let ran = run(&["--strict"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    std::fs::write(folder.path().join("Alg.tla"), stale).unwrap();
    let warned = run(&[]);
    assert_eq!(warned.code, 0, "{warned:?}");
    assert!(
        warned.stderr.contains(
            "Alg.tla:8: the translation is not that of the algorithm: its definition of `L` is another one"
        ),
        "{warned:?}"
    );
    let json = run(&["--json"]);
    assert!(json.stdout.contains("is not that of the algorithm"), "{json:?}");
    let strict = run(&["--strict"]);
    assert_eq!(strict.code, 2, "{strict:?}");
    assert!(strict.stderr.contains("error[translation]"), "{strict:?}");
}

#[test]
fn what_is_suggested_for_next_is_an_action() {
    let folder = folder(&[
        (
            "C.tla",
            "---- MODULE C ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x\n====\n",
        ),
        ("C.cfg", "INIT Init\nNEXT Nxt\n"),
    ]);
    omnilink_in(folder.path(), &["mc", "C.tla"]).refused(&["`Nxt` is not defined", "did you mean `Next`?"]);
}
