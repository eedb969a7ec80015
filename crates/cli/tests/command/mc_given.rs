//! `omnilink mc` without a configuration, with what is given on the command line, and what users of TLC ask for.

use std::io::Read;
use std::process::{Command, Stdio};

use crate::ran::{folder, omnilink_in};

const COUNTER: &str = "---- MODULE Counter ----\nEXTENDS Naturals\nCONSTANT Max\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n\
    Up == x < Max /\\ x' = x + 1 /\\ y' \\in {y, 0}\nBack == x = Max /\\ x' = 0 /\\ y' = y\nNext == Up \\/ Back\n\
    Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next)\nSmall == x < 3\nOften == []<>(x = 0)\n====\n";

#[test]
fn invariants_and_the_like_need_no_configuration() {
    let folder = folder(&[("Counter.tla", COUNTER)]);
    let run = |arguments: &[&str]| {
        let all = ["mc", "Counter.tla", "--const", "Max=5", "--json"];
        omnilink_in(folder.path(), &[&all[..], arguments].concat())
    };
    let named = run(&["--inv", "Small"]);
    assert_eq!(named.code, 1, "{named:?}");
    assert_eq!(named.json()[0]["violated"], "Small");
    let expression = run(&["--inv", "y = 0", "--inv", "x  < 4"]);
    assert_eq!(expression.code, 1, "{expression:?}");
    assert_eq!(expression.json()[0]["violated"], "x < 4");
    let within = run(&["--inv", "x < 4", "--constraint", "x < 2", "--no-deadlock"]);
    assert_eq!(
        (within.code, within.json()[0]["distinct"].as_u64()),
        (0, Some(2)),
        "{within:?}"
    );
    // The behaviours of Spec are fair.
    let fair = run(&["--prop", "Often", "--prop", "[](x = 5 => <>(x = 0))"]);
    assert_eq!(fair.code, 0, "{fair:?}");
    let seen = run(&["--view", "x \\div 3"]);
    assert_eq!(
        (seen.code, seen.json()[0]["distinct"].as_u64()),
        (0, Some(1)),
        "{seen:?}"
    );
    for (wrong, word) in [("Smal", "Smal"), ("x <", "expr"), ("[](x = 0)", "x = 0")] {
        let refused = omnilink_in(
            folder.path(),
            &["mc", "Counter.tla", "--const", "Max=5", "--inv", wrong],
        );
        assert_eq!(refused.code, 2, "{wrong}: {refused:?}");
        assert!(refused.stderr.contains(word), "{wrong}: {refused:?}");
    }
    let beside = crate::ran::folder(&[
        ("Counter.tla", COUNTER),
        ("Counter.cfg", "CONSTANT Max = 9\nINIT Init\nNEXT Next\n"),
    ]);
    let ran = omnilink_in(beside.path(), &["mc", "Counter.tla", "--inv", "x < 8", "--json"]);
    assert_eq!(ran.json()[0]["violated"], "x < 8", "{ran:?}");
}

#[test]
fn flags_of_tlc_are_told_what_to_write() {
    let folder = folder(&[("Counter.tla", COUNTER)]);
    for (flags, words) in [
        (&["-workers", "2"][..], "--workers"),
        (&["-config", "X.cfg"], "--config"),
        (&["-deadlock"], "--no-deadlock"),
        (&["-simulate"], "--simulate"),
    ] {
        let ran = omnilink_in(folder.path(), &[&["mc", "Counter.tla"], flags].concat());
        ran.refused(&[words, "TLC"]);
    }
    let ran = omnilink_in(
        folder.path(),
        &["mc", "Counter.tla", "--const", "Max=2", "--workers", "auto"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_counterexample_is_a_specification() {
    for (config, property, code) in [
        ("INIT Init\nNEXT Next\nINVARIANT Small\n", "Small", 1),
        ("INIT Init\nNEXT Up\n", "deadlock", 1),
        ("SPECIFICATION Spec\nPROPERTY Often Never\n", "Never", 1),
    ] {
        let counter = COUNTER.replace("====", "Never == <>[](x > 0)\n====");
        let folder = folder(&[("Counter.tla", &counter), ("Counter.cfg", config)]);
        let first = omnilink_in(
            folder.path(),
            &[
                "mc",
                "Counter.tla",
                "--const",
                "Max=5",
                "--trace-spec",
                "Bug.tla",
                "--json",
            ],
        );
        assert_eq!(first.code, code, "{first:?}");
        let again = omnilink_in(folder.path(), &["mc", "Bug.tla", "--json"]);
        assert_eq!(
            again.code,
            code,
            "{again:?}\n{:?}",
            std::fs::read_to_string(folder.path().join("Bug.tla"))
        );
        let (first, again) = (&first.json()[0], &again.json()[0]);
        assert_eq!(again["violation"]["kind"], first["violation"]["kind"]);
        assert_eq!(again["violated"], first["violated"]);
        assert!(again.to_string().contains(property), "{again}");
        let length = |report: &serde_json::Value| report["violation"]["trace"].as_array().map(Vec::len);
        assert_eq!(length(again), length(first));
    }
    let folder = folder(&[("Counter.tla", COUNTER)]);
    omnilink_in(
        folder.path(),
        &["mc", "Counter.tla", "--trace-spec", "Counter.tla"],
    )
    .refused(&["another name"]);
    omnilink_in(folder.path(), &["mc", "Counter.tla", "--trace-spec", "bug"]).refused(&[".tla"]);
}

#[test]
fn where_there_is_no_terminal_lines_say_how_far_it_is() {
    let text =
        "---- MODULE Long ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n====\n";
    let folder = folder(&[("Long.tla", text)]);
    let run = |every: &str| {
        omnilink_in(
            folder.path(),
            &["mc", "Long.tla", "--time-limit", "2s", "--progress-every", every],
        )
    };
    let told = run("100ms");
    assert_eq!(told.code, 3, "{told:?}");
    assert!(told.stderr.contains("distinct, "), "{told:?}");
    let quiet = run("0s");
    assert!(!quiet.stderr.contains("distinct, "), "{quiet:?}");
}

#[cfg(unix)]
#[test]
fn a_search_that_is_told_to_end_reports_and_can_be_resumed() {
    let text =
        "---- MODULE Long ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n====\n";
    let folder = folder(&[("Long.tla", text)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_omnilink"))
        .args([
            "mc",
            "Long.tla",
            "--checkpoint",
            "kept",
            "--progress-every",
            "100ms",
        ])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first line says that there are states.
    let mut errors = child.stderr.take().unwrap();
    let mut said = Vec::new();
    let mut byte = [0];
    while !said.ends_with(b"\n") && errors.read(&mut byte).unwrap() == 1 {
        said.push(byte[0]);
    }
    // SAFETY: the child is ours and was not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) }, 0);
    let mut rest = String::new();
    errors.read_to_string(&mut rest).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(3), "{rest}");
    assert!(rest.contains("--resume kept"), "{rest}");
    assert!(
        String::from_utf8_lossy(&ended.stdout).contains("unknown"),
        "{ended:?}"
    );
    let resumed = omnilink_in(
        folder.path(),
        &["mc", "Long.tla", "--resume", "kept", "--time-limit", "1s"],
    );
    assert_eq!(resumed.code, 3, "{resumed:?}");
}

#[test]
fn no_resume_is_promised_where_there_is_no_checkpoint() {
    let text = "---- MODULE Wide ----\nEXTENDS Naturals\nVARIABLE s\nInit == s \\in SUBSET (1..24)\nNext == UNCHANGED s\n====\n";
    let folder = folder(&[("Wide.tla", text)]);
    let ran = omnilink_in(
        folder.path(),
        &["mc", "Wide.tla", "--checkpoint", "kept", "--time-limit", "300ms"],
    );
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        !ran.stderr.contains("--resume") && ran.stderr.contains("no checkpoint yet"),
        "{ran:?}"
    );
}

#[test]
fn figures_of_the_search_have_no_value_in_a_temporal_property() {
    for name in ["distinct", "generated", "diameter"] {
        let text = format!(
            "---- MODULE Fig ----\nEXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1\n\
             Spec == Init /\\ [][Next]_x /\\ WF_x(Next)\nP == TLCGet(\"{name}\") <= 1 => <>(x = 9)\n====\n"
        );
        let folder = folder(&[("Fig.tla", &text)]);
        for evaluator in ["compiled", "interpreter"] {
            let ran = omnilink_in(
                folder.path(),
                &[
                    "mc",
                    "Fig.tla",
                    "--prop",
                    "P",
                    "--no-deadlock",
                    "--evaluator",
                    evaluator,
                ],
            );
            assert_eq!(ran.code, 2, "{name}: {ran:?}");
            assert!(ran.stderr.contains("end of the search"), "{ran:?}");
        }
    }
}

#[test]
fn messages_say_what_to_do() {
    let stop = "---- MODULE Stop ----\nEXTENDS Naturals, TLC\nCONSTANT S\nVARIABLE s\nInit == s = 0\nNext == s' = (s + 1) % 3\n\
        Spec == Init /\\ [][Next]_s\nLive == <>(s = 2)\nStuck == s < 2 /\\ s' = s + 1\nSym == {S}\nUnused == 5\n\
        Pick == CHOOSE p \\in S : TRUE\nPicked == s' = IF Pick \\in S THEN 1 ELSE 2\nPerms == Permutations(S)\n====\n";
    let run = |config: &str, arguments: &[&str]| {
        let folder = folder(&[("Stop.tla", stop), ("Stop.cfg", config)]);
        omnilink_in(folder.path(), &[&["mc", "Stop.tla"], arguments].concat())
    };
    let unfair = run("SPECIFICATION Spec\nPROPERTY Live\nCONSTANT S = 1\n", &[]);
    assert!(unfair.stderr.contains("no fairness"), "{unfair:?}");
    let deadlock = run("INIT Init\nNEXT Stuck\nCONSTANT S = 1\n", &[]);
    assert!(
        deadlock
            .stdout
            .contains("No step is possible:\n  s < 2  false at Stop.tla"),
        "{deadlock:?}"
    );
    let symmetry = run("INIT Init\nNEXT Next\nCONSTANT S = {a, b}\nSYMMETRY Sym\n", &[]);
    symmetry.refused(&["Stop.tla:10: SYMMETRY Sym"]);
    let truth = run("INIT Init\nNEXT Next\nINVARIANT S\nCONSTANT S = true\n", &[]);
    assert!(truth.stderr.contains("the model value true"), "{truth:?}");
    let choice = run(
        "INIT Init\nNEXT Picked\nCONSTANT S = {a, b}\nSYMMETRY Perms\n",
        &["--no-deadlock"],
    );
    assert!(
        choice.stderr.contains("Stop.tla:12: CHOOSE picks one"),
        "{choice:?}"
    );
    let unused = run("INIT Init\nNEXT Next\nCONSTANT S = 1\n", &["--coverage"]);
    let lines: Vec<&str> = unused
        .stdout
        .lines()
        .filter(|line| line.contains("never evaluated"))
        .collect();
    assert!(lines.iter().any(|line| line.contains("Unused")), "{unused:?}");
}

#[test]
fn modules_that_are_commented_out_behind_a_module_are_no_modules() {
    let text = "---- MODULE Traced ----\nEXTENDS Naturals\nU == INSTANCE Two\nVARIABLE x\nInit == x = U!c\nNext == x' = x\n====\n\
        \\*\n\\*---- MODULE Two ----\n\\*EXTENDS TLC\n\\*=====\n\n---- MODULE Two ----\nc == 1\n====\n";
    let folder = folder(&[("Traced.tla", text)]);
    let ran = omnilink_in(folder.path(), &["mc", "Traced.tla"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

const STALE: &str = "---- MODULE Stale ----\nEXTENDS Naturals, TLC\nOPTIONS(*--algorithm Stale\nvariables x = 0;\nbegin\nA: x := x + 2;\nB: STATEMENT\nend algorithm;*)\n\
    \\* BEGIN TRANSLATION\nVARIABLES pc, x\n\nvars == << pc, x >>\n\nInit == /\\ x = 0\n        /\\ pc = \"A\"\n\nA == /\\ pc = \"A\"\n     /\\ x' = x + 1\n     /\\ pc' = \"B\"\n\n\
    B == /\\ pc = \"B\"\n     /\\ TRUE\n     /\\ pc' = \"Done\"\n     /\\ x' = x\n\nTerminating == pc = \"Done\" /\\ UNCHANGED vars\n\nNext == A \\/ B \\/ Terminating\n\n\
    Spec == Init /\\ [][Next]_varsFAIR\n\nTermination == <>(pc = \"Done\")\n\nEND\n====\n";

#[test]
fn a_translation_that_cannot_be_compared_is_told() {
    for (statement, options, end, word) in [
        ("assret x = 1;", "", "\\* END TRANSLATION", "assret"),
        ("skip;", "", "", "END TRANSLATION"),
        (
            "skip;",
            "(* PlusCal options (-lable) *)\n",
            "\\* END TRANSLATION",
            "lable",
        ),
    ] {
        let text = STALE
            .replace("STATEMENT", statement)
            .replace("OPTIONS", options)
            .replace("END\n====", &format!("{end}\n===="))
            .replace("FAIR", "");
        let folder = folder(&[("Stale.tla", &text)]);
        let ran = omnilink_in(folder.path(), &["mc", "Stale.tla"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(
            ran.stderr.contains(word) && ran.stderr.contains("nobody can tell"),
            "{word}: {ran:?}"
        );
        for strict in [&["--strict"][..], &["--pluscal", "error"]] {
            let ran = omnilink_in(folder.path(), &[&["mc", "Stale.tla"], strict].concat());
            assert_eq!(ran.code, 2, "{word}: {ran:?}");
        }
    }
}

#[test]
fn fairness_that_the_algorithm_does_not_demand_is_told() {
    let fair = |text: &str| {
        text.replace("STATEMENT", "skip;")
            .replace("x + 1", "x + 2")
            .replace("END\n", "\\* END TRANSLATION\n")
    };
    let other = fair(STALE)
        .replace("OPTIONS", "")
        .replace("FAIR", " /\\ WF_vars(Next)");
    let options = fair(STALE)
        .replace("OPTIONS", "(* PlusCal options (-wf) *)\n")
        .replace("FAIR", " /\\ WF_vars(Next)");
    for (text, is_told) in [(other, true), (options, false)] {
        let folder = folder(&[("Stale.tla", &text)]);
        let ran = omnilink_in(folder.path(), &["mc", "Stale.tla", "--prop", "Termination"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(ran.stderr.contains("other fairness"), is_told, "{ran:?}");
        let checked = omnilink_in(folder.path(), &["tla", "translate", "--check", "Stale.tla"]);
        assert_eq!(checked.stderr.contains("other fairness"), is_told, "{checked:?}");
    }
}
