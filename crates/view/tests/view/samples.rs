//! Evidence and timelines to look at.

use std::path::PathBuf;

use omnilink_evidence::Evidence;
use omnilink_trace::{Args, Operation, Timebox};
use omnilink_view::{Scene, Story, Timeline, TimelineBuilder, html};
use serde_json::{Value, json};

use crate::browser::artefacts;

/// The evidence of the example of `docs/evidence.md` whose command contains a text.
pub fn example(command: &str) -> Evidence {
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence.md"))
        .expect("the page");
    let at = docs.find(command).expect("the example is there");
    let json = docs[at..]
        .split("```json\n")
        .nth(1)
        .and_then(|rest| rest.lines().next())
        .expect("it has JSON");
    Evidence::from_json(json).expect("it is evidence")
}

/// Writes the page of some stories.
pub fn page(name: &str, stories: Vec<Story>) -> PathBuf {
    let title = name.to_owned();
    write(
        name,
        &Scene {
            title,
            stories,
            ..Scene::default()
        },
    )
}

/// Writes the page of a scene.
pub fn write(name: &str, scene: &Scene) -> PathBuf {
    let path = artefacts().join(format!("{name}.html"));
    std::fs::write(&path, html(scene)).expect("it can be written");
    path
}

fn op(id: u64, thread: &str, text: &str, start: i64, end: Option<i64>) -> Value {
    json!({"id": id, "thread": thread, "text": text, "start": start, "end": end, "pending": end.is_none(), "place": "map.ndjson:1"})
}

/// A map on which three explanations end: two put `insert(6, 3)` before `erase(6)`, one has not placed `insert(8, 1)` yet.
pub fn map() -> Evidence {
    let insert = op(1, "t1", "insert(6, 3)", 10, Some(50));
    let erase = op(2, "t2", "erase(6) = 3", 20, Some(60));
    let other = op(3, "t3", "insert(8, 1)", 30, Some(120));
    let range = op(4, "t1", "range(2, 11) = 9", 70, Some(110));
    let refused = |count: u32| {
        let reason = format!("`result = Size(lo, hi)` is false: result = 9, Size(lo, hi) = {count}");
        json!({"op": range, "fate": "refused", "reason": reason})
    };
    let alternative = |state: &str, steps: &[(u64, &str)], count: u32, open: bool| {
        let recent: Vec<Value> = steps
            .iter()
            .map(|(id, _)| [&insert, &erase, &other][*id as usize - 1].clone())
            .collect();
        let steps: Vec<Value> = steps
            .iter()
            .map(|(id, state)| json!({"op": id, "state": state}))
            .collect();
        let mut candidates = vec![refused(count)];
        if open {
            candidates.push(json!({"op": other, "fate": "leads_to", "states": ["map = (8 :> 1)"]}));
        }
        json!({"state": state, "recent": recent, "steps": steps, "placed": [], "candidates": candidates})
    };
    let alternatives = [
        alternative(
            "map = (8 :> 1)",
            &[(1, "map = (6 :> 3)"), (2, "map = <<>>"), (3, "map = (8 :> 1)")],
            1,
            false,
        ),
        alternative(
            "map = (6 :> 3 @@ 8 :> 1)",
            &[
                (3, "map = (8 :> 1)"),
                (2, "map = (8 :> 1)"),
                (1, "map = (6 :> 3 @@ 8 :> 1)"),
            ],
            2,
            false,
        ),
        alternative("map = <<>>", &[(1, "map = (6 :> 3)"), (2, "map = <<>>")], 0, true),
    ];
    let first = op(0, "t2", "contains(6) = FALSE", 0, Some(5));
    let mut last = first.clone();
    last["state"] = json!("map = <<>>");
    let evidence = json!({
        "evidence": 1, "command": "validate", "subject": "operations", "input": "map.ndjson", "verdict": "violation", "model": "Map.tla",
        "consistency": "linearizable", "ops": 5, "pending": 0, "aborted": 0, "threads": 3, "seconds": 0.1, "notes": ["read up to the cut"],
        "violation": {
            "type": "operation", "op": range, "alternatives_total": 3, "alternatives": alternatives,
            "agreed": {"states": ["map = <<>>"], "placed": 1, "last": first, "since": [insert, erase, other], "recent": [last]},
        },
        "last_writers": [{"cell": "map[6]", "value": "3", "by": insert}],
    });
    Evidence::from_json(&evidence.to_string()).expect("it is evidence")
}

/// The example of `mc` with a state graph: two states, and the violation as a step between them.
pub fn behaviour_with_graph() -> Evidence {
    let mut json: Value =
        serde_json::from_str(&example("omnilink mc Locks.tla --json").to_json()).expect("JSON");
    let states: Vec<Value> = json["violation"]["trace"]
        .as_array()
        .expect("states")
        .iter()
        .map(|state| json!({"level": state["number"], "values": state["values"]}))
        .collect();
    let steps = [
        (0, 1, "Acquire"),
        (1, 2, "Expire"),
        (2, 3, "Acquire"),
        (1, 0, "Release"),
    ];
    let steps = steps.map(|(from, to, action)| json!({"from": from, "to": to, "action": action}));
    json["graph"] = json!({"states": states, "steps": steps});
    Evidence::from_json(&json.to_string()).expect("it is evidence")
}

/// A log of three nodes, of which the last line but one is not explained: the lease of `alpha` is older than that of `beta`.
pub fn log() -> Evidence {
    let line = |id: u64, node: &str, text: &str| json!({"id": id, "thread": node, "text": text, "start": id, "end": id, "place": format!("lease.ndjson:{}", id + 1)});
    let lines = [
        line(0, "alpha", "Grant(\"alpha\")"),
        line(1, "clock", "Expire"),
        line(2, "beta", "Grant(\"beta\")"),
        line(3, "beta", "Write(\"beta\", 5)"),
        line(4, "alpha", "Write(\"alpha\", 6)"),
        line(5, "clock", "Expire"),
    ];
    let state = "/\\ holder = \"beta\" /\\ held = [alpha |-> 1, beta |-> 2] /\\ disk = 2";
    let reason = "`held[n] >= disk` is false: held[n] = 1, disk = 2 (Lease.tla:11:19)";
    let evidence = json!({
        "evidence": 1, "command": "validate", "subject": "log", "input": "lease.ndjson", "verdict": "violation", "model": "Lease.tla",
        "ops": 6, "pending": 0, "aborted": 0, "threads": 3, "seconds": 0.1, "notes": [],
        "violation": {
            "type": "operation", "op": lines[4], "alternatives_total": 1, "agreed": null,
            "alternatives": [{"state": state, "recent": lines[..4], "placed": [], "candidates": [
                {"op": lines[4], "fate": "refused", "reason": reason},
                {"op": lines[5], "fate": "refused", "reason": "no branch of the action is possible"},
            ]}],
        },
        "log": {"steps": 6, "actions": [{"action": "Write", "at": "Lease.tla:10:16", "taken": 1}], "choices": 0,
            "guesses": ["the log would be accepted if lease.ndjson:5 were missing", "2 more lines would be explained if lease.ndjson:6 came before lease.ndjson:5: Expire"],
            "suspects": [lines[5]], "dead_ends": 1,
            "endings": [{"lines": 4, "refused": ["lease.ndjson:5"], "states": 1}, {"lines": 3, "refused": ["lease.ndjson:4"], "states": 1}]},
    });
    Evidence::from_json(&evidence.to_string()).expect("it is evidence")
}

/// The example of Line-Up with the serial runs that come nearest, and what the threads read and stored.
pub fn run_with_serial_runs() -> Evidence {
    let mut json: Value =
        serde_json::from_str(&example("omnilink lineup --bin lazy --json").to_json()).expect("JSON");
    let call = |op: u64, thread: u32, text: &str, same: bool| json!({"op": op, "thread": thread, "text": text, "same": same});
    json["violation"]["serial_runs"] = json!([
        {"keeps_order": true, "calls": [call(0, 1, "get() = 1", true), call(1, 0, "get() = 1", false)]},
        {"keeps_order": true, "calls": [call(1, 0, "get() = 1", false), call(0, 1, "get() = 1", true)]},
    ]);
    json["violation"]["accesses"] = json!([
        {"after_events": 1, "step": 0, "thread": 1, "text": "reads 0", "place": "src/lazy.rs:18 in src/main.rs:3", "name": "lazy.state"},
        {"after_events": 2, "step": 1, "thread": 0, "text": "reads 0 and stores 1", "place": "src/lazy.rs:18"},
    ]);
    Evidence::from_json(&json.to_string()).expect("it is evidence")
}

/// The same as a run that crashed.
pub fn crashed_run() -> Evidence {
    let mut json: Value = serde_json::from_str(&run_with_serial_runs().to_json()).expect("JSON");
    json["violation"]["why"] = json!({"type": "crash_alone", "call": "get()", "signal": "SIGABRT"});
    json["violation"]["ending"] = json!("crashed");
    json["violation"]["output"] = json!("pushing 3\nlazy: Assertion `state != 0' failed.\n");
    json["violation"]["stack"] = json!(["src/lazy.rs:18 in get", "src/main.rs:3 in main"]);
    Evidence::from_json(&json.to_string()).expect("it is evidence")
}

/// Two clients of a lock, written as an algorithm.
pub fn algorithm_run() -> Evidence {
    let state = |number: u64, action: Value, pc: [&str; 2]| json!({"number": number, "action": action, "values": {"pc": pc}, "changed": ["pc"]});
    let action = |name: &str, own: u64, line: u64| json!({"name": name, "bindings": {"self": own}, "place": format!("Handover.tla:{line}")});
    let evidence = json!({
        "evidence": 1, "command": "mc", "subject": "states", "input": "Handover.tla", "verdict": "violation", "ops": 0, "pending": 0, "aborted": 0,
        "threads": 1, "seconds": 0.1, "notes": [], "violated": "Exclusion", "distinct": 3, "generated": 3, "depth": 3, "waiting": 0, "unchecked": [], "coverage": [],
        "violation": {
            "type": "behaviour", "kind": "invariant", "violated": "Exclusion", "lasso": null, "back": null, "false_part": null,
            "trace": [
                state(1, Value::Null, ["take", "enter"]),
                state(2, action("take", 1, 12), ["enter", "enter"]),
                state(3, action("enter", 2, 14), ["enter", "leave"]),
            ],
            "algorithm": {
                "processes": [null, "client 1", "client 2"],
                "steps": [
                    {"label": "take", "statement": "mine := next", "place": "Handover.tla:12", "translation": "Handover.tla:33", "tla": "take(self) == mine' = next"},
                    {"label": "enter", "statement": "await serving = mine", "place": "Handover.tla:14", "translation": "Handover.tla:41", "tla": "enter(self) == serving = mine"},
                ],
            },
        },
    });
    Evidence::from_json(&evidence.to_string()).expect("it is evidence")
}

/// A trace of some threads that call one after the other.
pub fn long_trace(operations: u32, threads: u32) -> Timeline {
    let mut builder = TimelineBuilder::of_trace(None, "ns");
    let mut seed = 7_u64;
    let mut random = |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut free = vec![0_i64; threads as usize];
    for at in 0..operations {
        let thread = (at % threads) as usize;
        let start = free[thread] + random(400) as i64;
        let end = start + 200 + random(3000) as i64;
        free[thread] = end;
        let name = ["insert", "erase", "contains", "range"][random(4) as usize];
        let args = Args::positional([(random(64) as i64).into()]);
        let call = Operation::new(
            format!("t{thread}").as_str(),
            name,
            args,
            Timebox::new(start, end),
        );
        builder.push(&call.returning(random(8) as i64));
    }
    builder.finish()
}
