//! Limits and Ctrl-C end a run wherever the time goes, with a partial report and exit code 3.
//!
//! The inputs would otherwise keep the command busy for hours, or wait for ever: what is asserted is how it ends, not when.

use std::path::Path;

use serde_json::Value;

use super::ran::{Ran, folder, interrupted_in, omnilink_in};

/// All at once, and the read that nobody explains at the end.
fn hard() -> String {
    let mut history = String::new();
    for thread in 0..24 {
        history.push_str(&format!(
            "{{\"thread\":{thread},\"op\":\"push\",\"args\":{{\"value\":{thread}}},\"start\":{thread},\"end\":{}}}\n",
            1_000 + thread
        ));
    }
    history.push_str(r#"{"thread":99,"op":"pop","args":{},"ret":12345,"start":2000,"end":2001}"#);
    history
}

/// The search without what makes it fast.
const UNREDUCED: [&str; 5] = [
    "--no-minimal-frontier",
    "--no-symmetry",
    "--no-footprints",
    "--no-dominance",
    "--no-absorption",
];

/// Each of the three: the last line of standard output, as JSON.
fn ended_by_each_limit(folder: &Path, arguments: &[&str], check: impl Fn(&str, &Value)) {
    for (limit, amount, word) in [
        ("--time-limit", "300ms", "time"),
        ("--memory-limit", "1MB", "memory"),
    ] {
        let ran = omnilink_in(folder, &[arguments, &[limit, amount, "--json"]].concat());
        ended(&ran, word, &check);
    }
    let ran = interrupted_in(folder, &[arguments, &["--json"]].concat());
    ended(&ran, "interrupt", &check);
}

fn ended(ran: &Ran, word: &str, check: &impl Fn(&str, &Value)) {
    assert_eq!(ran.code, 3, "{word}: {ran:?}");
    let reports = ran.json();
    let report = reports.last().unwrap_or_else(|| panic!("{word}: {ran:?}"));
    check(word, report);
}

fn is_unknown(word: &str, report: &Value) {
    assert_eq!(report["verdict"], "unknown", "{report}");
    assert_eq!(report["unknown"]["limit"], word, "{report}");
}

#[test]
fn time_memory_and_an_interrupt_each_end_a_search() {
    let folder = folder(&[("hard.ndjson", &hard())]);
    for strategy in ["sweep", "depth-first"] {
        let command = ["check", "hard.ndjson", "--model", "stack", "--strategy", strategy];
        ended_by_each_limit(folder.path(), &[&command[..], &UNREDUCED].concat(), is_unknown);
    }
}

#[test]
fn a_limit_on_configurations_ends_a_search() {
    let folder = folder(&[("hard.ndjson", &hard())]);
    let command = [
        "check",
        "hard.ndjson",
        "--model",
        "stack",
        // A monitor would decide it without any configurations.
        "--strategy",
        "sweep",
        "--config-limit",
        "5_000",
        "--json",
    ];
    let ran = omnilink_in(folder.path(), &[&command[..], &UNREDUCED].concat());
    ended(&ran, "configurations", &is_unknown);
}

#[test]
fn sequential_consistency_ends_at_every_limit() {
    let folder = folder(&[("hard.ndjson", &hard())]);
    let command = [
        "check",
        "hard.ndjson",
        "--model",
        "stack",
        "--consistency",
        "sequential",
    ];
    ended_by_each_limit(folder.path(), &[&command[..], &UNREDUCED].concat(), is_unknown);
}

/// Writers whose order nothing tells, and a return that no order explains.
fn unexplained(ops: usize) -> String {
    let mut lines: Vec<String> = (0..ops)
        .map(|op| format!(r#"{{"thread":{op},"op":"push","args":{{"value":{op}}},"start":0,"end":100}}"#))
        .collect();
    for op in 0..ops / 2 {
        lines.push(format!(
            r#"{{"thread":"p{op}","op":"pop","args":{{}},"ret":{},"start":200,"end":300}}"#,
            ops - 1 - op
        ));
    }
    lines.push(r#"{"thread":"q","op":"pop","args":{},"ret":777,"start":400,"end":500}"#.to_owned());
    lines.join("\n")
}

#[test]
fn every_weak_level_ends_at_every_limit() {
    let folder = folder(&[("hard.ndjson", &unexplained(40))]);
    for level in [
        "return-value",
        "read-my-writes",
        "monotonic-reads",
        "monotonic-writes",
        "writes-follow-reads",
        "weak",
        "monotonic",
        "peer",
        "causal",
        "causal-convergence",
    ] {
        let command = [
            "check",
            "hard.ndjson",
            "--model",
            "stack",
            "--ret",
            "all",
            "--consistency",
            level,
        ];
        ended_by_each_limit(folder.path(), &command, is_unknown);
    }
}

#[test]
fn axioms_levels_and_inference_end_at_every_limit() {
    let files = [
        ("hard.ndjson", &*unexplained(40)),
        ("axioms.txt", "vis >= hb\nvis >= vis;vis\n"),
        ("levels.txt", "*: causal\n"),
    ];
    let folder = folder(&files);
    let check = ["check", "hard.ndjson", "--model", "stack", "--ret", "all"];
    for more in [&["--axioms", "axioms.txt"][..], &["--levels", "levels.txt"]] {
        ended_by_each_limit(folder.path(), &[&check[..], more].concat(), is_unknown);
    }
    ended_by_each_limit(
        folder.path(),
        &[&check[..], &["--infer"]].concat(),
        |_, report| {
            assert_eq!(report["verdict"], "unknown", "{report}");
        },
    );
}

/// Transactions that all overlap, write blindly, and cannot be told apart by what they write.
fn entangled() -> String {
    let mut lines = Vec::new();
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for txn in 0..400 {
        // Odd keys are read where even ones are written, and the other way round; none is read twice.
        for step in 0..5 {
            let value = 1 + random(3);
            let call = match step % 2 {
                0 => format!(r#""op":"write","args":["k{}",{value}]"#, 2 * random(2) + txn % 2),
                _ => format!(
                    r#""op":"read","args":["k{}"],"ret":{value}"#,
                    step - 1 + (txn + 1) % 2
                ),
            };
            let (start, end) = (10 * step, 10 * step + 9);
            lines.push(format!(
                r#"{{"thread":{txn},{call},"start":{start},"end":{end},"meta":{{"txn":{txn}}}}}"#
            ));
        }
    }
    lines.join("\n")
}

#[test]
fn every_isolation_level_ends_at_every_limit() {
    let folder = folder(&[("entangled.ndjson", &entangled())]);
    for level in ["snapshot-isolation", "serializable", "strict-serializable"] {
        let command = ["check", "entangled.ndjson", "--consistency", level];
        ended_by_each_limit(folder.path(), &command, is_unknown);
    }
}

#[test]
fn the_levels_that_a_graph_decides_end_at_limits_of_time_and_memory() {
    let folder = folder(&[("entangled.ndjson", &entangled())]);
    for level in ["read-committed", "read-atomic"] {
        for (limit, amount, word) in [
            ("--time-limit", "1ms", "time"),
            ("--memory-limit", "1MB", "memory"),
        ] {
            let command = [
                "check",
                "entangled.ndjson",
                "--consistency",
                level,
                limit,
                amount,
                "--json",
            ];
            ended(&omnilink_in(folder.path(), &command), word, &is_unknown);
        }
    }
}

const SLOW: &str = "---- MODULE Slow ----\nEXTENDS Integers, FiniteSets\nVARIABLE x\nInit == x = 0\n\
    Slow(n) == x' = Cardinality({s \\in SUBSET (1..n) : Cardinality(s) = 3})\n\
    Next == x' = x + 1\nSpec == Init /\\ [][Next]_x\n====\n";

#[test]
fn validation_ends_at_every_limit() {
    let run = r#"{"thread":0,"op":"Slow","args":{"n":60},"start":0,"end":1}"#;
    let folder = folder(&[("Slow.tla", SLOW), ("run.ndjson", run)]);
    ended_by_each_limit(folder.path(), &["validate", "Slow.tla", "run.ndjson"], is_unknown);
}

#[test]
fn a_model_check_ends_at_every_limit() {
    let folder = folder(&[("Slow.tla", SLOW), ("Slow.cfg", "SPECIFICATION Spec\n")]);
    for mode in [&[][..], &["--dfs"], &["--simulate", "0"]] {
        ended_by_each_limit(
            folder.path(),
            &[&["mc", "Slow.tla"], mode].concat(),
            |word, report| {
                assert_eq!(report["verdict"], "unknown", "{report}");
                assert_eq!(report["unknown"]["limit"], word, "{report}");
            },
        );
    }
}

#[test]
fn an_evaluation_ends_at_every_limit() {
    let folder = folder(&[]);
    let endless = "Cardinality({s \\in SUBSET (1..60) : Cardinality(s) = 3})";
    ended_by_each_limit(folder.path(), &["tla", "eval", endless], |word, report| {
        assert_eq!(report["verdict"], "unknown", "{report}");
        assert_eq!(report["limit"], word, "{report}");
    });
}

#[test]
fn an_input_that_never_ends_is_told_about_as_far_as_it_came() {
    let line = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}"#;
    let folder = folder(&[]);
    for arguments in [
        &["check", "-", "--model", "register"][..],
        &["check", "-", "--model", "register", "--consistency", "causal"],
        &["check", "-", "--consistency", "serializable"],
        &["trace", "stats", "-"],
        &["trace", "show", "-"],
    ] {
        let ran = Ran::interrupted_reading(folder.path(), &format!("{line}\n"), arguments);
        assert_eq!(ran.code, 3, "{arguments:?}: {ran:?}");
        assert!(ran.stdout.len() + ran.stderr.len() > 0, "{arguments:?}");
    }
}

#[test]
fn verbs_that_read_traces_end_at_limits_of_time_and_memory() {
    let line = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}"#;
    let folder = folder(&[("one.ndjson", line)]);
    for (limit, amount, word) in [
        ("--time-limit", "0s", "time"),
        ("--memory-limit", "1MB", "memory"),
    ] {
        let ran = omnilink_in(
            folder.path(),
            &["trace", "stats", "one.ndjson", "--json", limit, amount],
        );
        ended(&ran, word, &|word, report| {
            assert_eq!(report["limit"], word, "{report}")
        });
        let ran = omnilink_in(folder.path(), &["trace", "show", "one.ndjson", limit, amount]);
        assert_eq!(ran.code, 3, "{ran:?}");
    }
}

/// The verbs that write a trace, each with its arguments except for the inputs.
const WRITING: [&[&str]; 3] = [&["convert"], &["merge"], &["retime", "--rule", "clip=at"]];

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn verbs_that_write_traces_end_at_limits_and_leave_no_file() {
    let line = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}"#;
    let folder = folder(&[("one.ndjson", line)]);
    for verb in WRITING {
        for (limit, amount, word) in [
            ("--time-limit", "0s", "the time limit"),
            ("--memory-limit", "1MB", "the memory limit"),
        ] {
            let arguments = [
                &["trace"],
                verb,
                &["one.ndjson", "-o", "two.ndjson", limit, amount],
            ]
            .concat();
            let ran = omnilink_in(folder.path(), &arguments);
            assert_eq!(ran.code, 3, "{ran:?}");
            assert!(
                ran.stderr.contains(word) && ran.stderr.contains("two.ndjson was not written"),
                "{ran:?}"
            );
            assert_eq!(names(folder.path()), ["one.ndjson"]);
        }
    }
}

#[test]
fn verbs_that_write_traces_end_at_an_interrupt_and_leave_no_half_record() {
    let lines: String = (0..33_000)
        .map(|at| format!("{{\"thread\":0,\"op\":\"x\",\"start\":{at},\"end\":{at}}}\n"))
        .collect();
    let folder = folder(&[]);
    for verb in WRITING {
        // Once with enough input that a part of it is written before the rest is read, and once with none.
        for input in [&*lines, ""] {
            for output in [&["-o", "two.ndjson"][..], &[]] {
                let arguments = [&["trace"], verb, &["-"], output].concat();
                let ran = Ran::interrupted_reading(folder.path(), input, &arguments);
                assert_eq!(ran.code, 3, "{arguments:?}: {:?}", ran.stderr);
                assert!(ran.stderr.contains("it was interrupted"), "{:?}", ran.stderr);
                assert!(
                    ran.stdout.is_empty() || ran.stdout.ends_with("}\n"),
                    "{arguments:?}"
                );
                assert!(names(folder.path()).is_empty(), "{arguments:?}");
            }
        }
    }
}

#[test]
fn a_report_on_input_that_was_cut_off_says_how_long_reading_took() {
    let line = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}"#;
    let folder = folder(&[]);
    for level in ["causal", "serializable"] {
        let mut arguments = vec!["check", "-", "--consistency", level, "--json"];
        if level == "causal" {
            arguments.extend(["--model", "register"]);
        }
        let ran = Ran::interrupted_reading(folder.path(), &format!("{line}\n"), &arguments);
        ended(&ran, "interrupt", &|_, report: &Value| {
            assert!(
                report["seconds"].as_f64().is_some_and(|seconds| seconds > 0.05),
                "{report}"
            );
        });
    }
}
