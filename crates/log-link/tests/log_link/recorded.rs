//! The recorded logs of two protocols, at every precision.

use std::path::Path;

use omnilink_evidence::{Evidence, Verdict, Violation};

use crate::{checked, data};

fn files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(data(folder)).unwrap_or_else(|error| panic!("{error}"));
    let names = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("trace")).collect();
    names.sort();
    names
}

fn two_phase(folder: &str, name: &str) -> Evidence {
    let managers = ["16RM", "12RM", "32RM", "4RM", "8RM"];
    let managers = managers.iter().find(|size| name.contains(*size)).unwrap_or(&"");
    let constants = data(folder).join(format!("conf.{managers}.ndjson"));
    checked(
        "specs/TwoPhase.tla",
        &data(folder).join(name),
        Some(&constants),
        &[],
    )
}

/// Verdict and, for a rejected log, the line that nothing explains.
fn answer(evidence: &Evidence) -> (Verdict, Option<u64>) {
    let line = match &evidence.violation {
        Some(Violation::Operation(found)) => Some(found.op.id + 1),
        _ => None,
    };
    (evidence.verdict, line)
}

#[test]
fn two_phase_commit_at_every_precision() {
    let mut rejected = Vec::new();
    for folder in ["twophase", "twophase_gen"] {
        for name in files(folder) {
            let evidence = two_phase(folder, &name);
            match answer(&evidence) {
                (Verdict::Valid, None) => assert!(!name.contains("BUG") || !name.contains(".VEA"), "{name}"),
                (Verdict::Violation, Some(line)) => rejected.push(format!("{name} {line}")),
                other => panic!("{name}: {other:?} {:?}", evidence.error),
            }
        }
    }
    // The simulated early commit is explained where nothing tells who prepared; the swap, where no event is named.
    let expected = [
        "trace.ndjson.BUG-4RM.EA 8",
        "trace.ndjson.BUG-4RM.VEA 8",
        "trace.4RM-BUG-early.s4.VEA.ndjson 12",
        "trace.4RM-BUG-early.s4.VpEA.ndjson 12",
        "trace.4RM-BUG-early.s4.pVE.ndjson 12",
        "trace.4RM-BUG-early.s4.pVEA.ndjson 12",
        "trace.4RM-BUG-swap.s4.E.ndjson 15",
        "trace.4RM-BUG-swap.s4.EA.ndjson 15",
        "trace.4RM-BUG-swap.s4.VEA.ndjson 15",
        "trace.4RM-BUG-swap.s4.VpEA.ndjson 15",
        "trace.4RM-BUG-swap.s4.pVE.ndjson 15",
        "trace.4RM-BUG-swap.s4.pVEA.ndjson 15",
        "trace.8RM-BUG-early.s3.VEA.ndjson 24",
        "trace.8RM-BUG-early.s3.VpEA.ndjson 24",
        "trace.8RM-BUG-early.s3.pVE.ndjson 24",
        "trace.8RM-BUG-early.s3.pVEA.ndjson 24",
        "trace.8RM-BUG-swap.s3.E.ndjson 25",
        "trace.8RM-BUG-swap.s3.EA.ndjson 25",
        "trace.8RM-BUG-swap.s3.VEA.ndjson 25",
        "trace.8RM-BUG-swap.s3.VpEA.ndjson 25",
        "trace.8RM-BUG-swap.s3.pVE.ndjson 25",
        "trace.8RM-BUG-swap.s3.pVEA.ndjson 25",
    ];
    assert_eq!(rejected, expected);
}

#[test]
fn accepted_logs_need_no_more_states_than_tlc_in_depth() {
    // TLC's distinct states, depth-first; it gives no answer for 16 managers and event names only.
    let anchors = [
        ("4RM.VEA", 19),
        ("4RM.V", 35),
        ("4RM.EA", 22),
        ("4RM.E", 58),
        ("8RM.VEA", 35),
        ("8RM.V", 73),
        ("8RM.EA", 42),
        ("8RM.E", 695),
        ("12RM.VEA", 74),
        ("12RM.V", 209),
        ("12RM.EA", 86),
        ("12RM.E", 27_299),
        ("16RM.VEA", 91),
        ("16RM.V", 270),
        ("16RM.EA", 107),
        ("16RM.E", 2_000),
    ];
    for (name, most) in anchors {
        let evidence = two_phase("twophase", &format!("trace.ndjson.{name}"));
        assert_eq!(evidence.verdict, Verdict::Valid, "{name}");
        let states = evidence.figures.configurations.unwrap_or(u64::MAX);
        assert!(states <= most, "{name}: {states} states, TLC has {most}");
    }
}

#[test]
fn a_rejected_log_of_sixteen_managers_is_decided_from_event_names_only() {
    // A commit after fewer messages than managers.
    let accepted = std::fs::read_to_string(data("twophase/trace.ndjson.16RM.E"))
        .unwrap_or_else(|error| panic!("{error}"));
    let mut received = 0;
    let lines: Vec<&str> = accepted
        .lines()
        .filter(|line| {
            received += usize::from(line.contains("TMRcvPrepared"));
            !line.contains("TMRcvPrepared") || received < 16
        })
        .collect();
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let log = folder.path().join("log.ndjson");
    std::fs::write(&log, lines.join("\n")).unwrap_or_else(|error| panic!("{error}"));
    let constants = data("twophase/conf.16RM.ndjson");
    let evidence = checked("specs/TwoPhase.tla", &log, Some(&constants), &[]);
    assert_eq!(evidence.verdict, Verdict::Violation, "{:?}", evidence.error);
    let commit = lines
        .iter()
        .position(|line| line.contains("TMCommit"))
        .map(|at| at as u64 + 1);
    assert_eq!(answer(&evidence).1, commit);
    assert!(
        evidence
            .figures
            .configurations
            .is_some_and(|states| states < 20_000),
        "{:?}",
        evidence.figures
    );
}

#[test]
fn the_key_value_store_at_every_precision() {
    let is_thorough = std::env::var_os("OMNILINK_ROUNDS").is_some();
    for name in files("kvstore") {
        // Without event names, each line of the larger logs is one of thousands of steps.
        let is_slow = !name.contains("4C") && (name.ends_with(".V") || name.ends_with(".VpEA"));
        if is_slow && !is_thorough {
            continue;
        }
        let constants = data("kvstore/conf.20-40-10.ndjson");
        let evidence = store(&data("kvstore").join(&name), &constants);
        let expected = if name.contains("BUG") {
            Verdict::Violation
        } else {
            Verdict::Valid
        };
        assert_eq!(evidence.verdict, expected, "{name}: {:?}", evidence.error);
    }
}

fn store(log: &Path, constants: &Path) -> Evidence {
    checked(
        "specs/KeyValueStore.tla",
        log,
        Some(constants),
        &[("NoVal", "NoVal")],
    )
}

/// Leases with tokens: who has none, and is not mentioned any more, is like any other who has none.
const LEASE: &str = "---- MODULE Lease ----
EXTENDS Integers
CONSTANT Node
VARIABLES token, held, disk
Init == token = 0 /\\ held = [n \\in Node |-> 0] /\\ disk = 0
Grant(n) == token' = token + 1 /\\ held' = [held EXCEPT ![n] = token + 1] /\\ UNCHANGED disk
Write(n) == held[n] > 0 /\\ held[n] >= disk /\\ disk' = held[n] /\\ UNCHANGED <<token, held>>
Next == \\E n \\in Node : Grant(n) \\/ Write(n)
====
";

#[test]
fn states_of_a_counterexample_have_the_names_of_the_log() {
    // A representative may have the right names by chance: each node has its turn.
    for (old, new, idle) in [
        ("a", "b", "c"),
        ("a", "c", "b"),
        ("b", "a", "c"),
        ("c", "b", "a"),
        ("b", "c", "a"),
    ] {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let path = |name: &str| folder.path().join(name);
        let line = |event: &str, node: &str| format!("{{\"event\":\"{event}\",\"args\":[\"{node}\"]}}\n");
        let log = [("Grant", old), ("Grant", new), ("Write", new), ("Write", old)];
        let log: String = log.iter().map(|(event, node)| line(event, node)).collect();
        for (name, text) in [("Lease.tla", LEASE), ("run.ndjson", log.as_str())] {
            std::fs::write(path(name), text).unwrap_or_else(|error| panic!("{error}"));
        }
        let spec = path("Lease.tla").display().to_string();
        let evidence = checked(
            &spec,
            &path("run.ndjson"),
            None,
            &[("Node", "{\"a\", \"b\", \"c\"}")],
        );
        let Some(Violation::Operation(found)) = &evidence.violation else {
            panic!("{:?}", evidence.error);
        };
        let state = &found.alternatives[0].state;
        for (node, token) in [(old, 1), (new, 2), (idle, 0)] {
            assert!(
                state.contains(&format!("{node} |-> {token}")),
                "{old} {new}: {state}"
            );
        }
    }
}
