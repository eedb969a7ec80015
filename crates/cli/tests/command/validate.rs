//! `omnilink validate`.

use crate::ran::{Ran, example, folder, omnilink, omnilink_in, repository};

pub const REGISTER: &str = "---- MODULE Register ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\n\
    Write(value) == x' = value + 0\n\
    Read(result) == result = x /\\ UNCHANGED x\n\
    Next == \\E v \\in 0..3 : Write(v) \\/ Read(v)\n====\n";

/// A line of a trace: thread, operation, fields, start and end.
pub fn line(thread: u32, op: &str, args: &str, start: u32, end: u32) -> String {
    format!("{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{end}}}\n")
}

pub fn validate(trace: &str, more: &[&str]) -> Ran {
    let folder = folder(&[("Register.tla", REGISTER), ("run.ndjson", trace)]);
    omnilink_in(
        folder.path(),
        &[&["validate", "Register.tla", "run.ndjson"], more].concat(),
    )
}

fn fine() -> String {
    line(0, "Write", r#""value":1"#, 0, 10) + &line(1, "Read", r#""result":1"#, 2, 20)
}

pub fn stale() -> String {
    fine() + &line(1, "Read", r#""result":2"#, 30, 40)
}

#[test]
fn a_trace_that_the_spec_explains_is_valid() {
    let ran = validate(&fine(), &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout
            .contains("2 operations of 2 threads are explained by Register.tla"),
        "{ran:?}"
    );
    assert!(ran.stderr.is_empty(), "{ran:?}");
}

#[test]
fn a_violation_shows_the_operation_the_state_and_the_conjunct_that_is_false() {
    let ran = validate(&stale(), &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for words in [
        "thread 1's Read(result: 2) [30, 40] (run.ndjson:3)",
        "the state is x = 1",
        "`result = x` is false: result = 2, x = 1",
    ] {
        assert!(ran.stdout.contains(words), "{words:?} is missing: {}", ran.stdout);
    }
}

#[test]
fn what_differs_between_alternatives_is_marked() {
    let trace = line(0, "Write", r#""value":1"#, 0, 50)
        + &line(1, "Write", r#""value":2"#, 1, 20)
        + &line(2, "Write", r#""value":3"#, 2, 21)
        + &line(3, "Read", r#""result":0"#, 30, 40);
    let ran = validate(&trace, &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("x = *2*") && ran.stdout.contains("x = *3*"),
        "{}",
        ran.stdout
    );
}

#[test]
fn mistakes_point_into_the_trace_and_into_the_spec() {
    let wrong_field = validate(&(fine() + &line(0, "Write", r#""valeu":1"#, 30, 40)), &[]);
    wrong_field.refused(&[
        "run.ndjson:3: Write has no field \"value\"",
        "Register.tla:5:1",
        "did you mean \"valeu\"",
    ]);
    let positional = r#"{"thread":0,"op":"Read","args":[1,2],"start":0,"end":1}"#;
    validate(positional, &[]).refused(&[
        "run.ndjson:1: Read has 2 arguments",
        "takes 1",
        "Register.tla:6:1",
    ]);
    let no_action = validate(&line(0, "Reed", r#""result":1"#, 0, 1), &[]);
    no_action.refused(&[
        "run.ndjson:1",
        "Register.tla has no action `Reed` (did you mean `Read`?)",
        "ignore = true",
    ]);
    let type_error = validate(&line(0, "Write", r#""value":"one""#, 0, 1), &[]);
    type_error.refused(&[
        "run.ndjson:1: evaluating Write(value: \"one\") failed",
        "Register.tla:5",
    ]);
}

#[test]
fn a_constant_that_is_needed_names_the_fields_that_could_fill_it() {
    let spec = "---- MODULE Keyed ----\nCONSTANT Keys\nVARIABLE x\nInit == x = 0\nPut(key) == key \\in Keys /\\ x' = key\n====\n";
    let trace = line(0, "Put", r#""key":1"#, 0, 1);
    let folder = folder(&[("Keyed.tla", spec), ("run.ndjson", &trace)]);
    let ran = omnilink_in(folder.path(), &["validate", "Keyed.tla", "run.ndjson"]);
    ran.refused(&["Keys", "Keyed.tla:5", "--collect", "its fields are key"]);
    let ran = omnilink_in(
        folder.path(),
        &["validate", "Keyed.tla", "run.ndjson", "--collect", "Keys=key"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn constants_can_be_collected_from_arguments_without_names() {
    let spec = "---- MODULE Keyed ----\nCONSTANT Keys\nVARIABLE x\nInit == x = 0\nPut(key, v) == key \\in Keys /\\ x' = v\n====\n";
    let trace = "{\"thread\":0,\"op\":\"Put\",\"args\":[7,1],\"start\":0,\"end\":1}\n";
    let folder = folder(&[("Keyed.tla", spec), ("run.ndjson", trace)]);
    let with = |collect: &str| {
        omnilink_in(
            folder.path(),
            &["validate", "Keyed.tla", "run.ndjson", "--collect", collect],
        )
    };
    assert_eq!(with("Keys=1").code, 0);
    assert_eq!(with("Keys=Put.1").code, 0);
    assert_eq!(with("Keys=2").code, 1, "7 is not among the second arguments");
    assert!(with("Keys=Get.1").stderr.contains("Keys is the empty set"));
}

#[test]
fn what_was_put_to_the_test_is_told() {
    let ran = validate(&fine(), &["--coverage"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("Write(value)  placed 1 time"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("explanations alive on average"),
        "{}",
        ran.stdout
    );
    let report = &validate(&fine(), &["--json"]).json()[0];
    let actions = report["spec"]["actions"].as_array().unwrap();
    let read = actions.iter().find(|action| action["op"] == "Read").unwrap();
    assert_eq!((&read["placed"], &read["pending"]), (&1.into(), &0.into()));
    assert!(
        report["spec"]["frontier_mean"].as_f64().unwrap() >= 1.0,
        "{report}"
    );
}

#[test]
fn disjuncts_that_were_never_taken_are_told() {
    let queue = |trace: &str, more: &[&str]| {
        let (spec, trace) = (example("validate/queue/Queue.tla"), example(trace));
        omnilink(
            &[
                &["validate", &spec, &trace, "--const", "Nothing=0", "--coverage"],
                more,
            ]
            .concat(),
        )
    };
    let ran = queue("validate/queue/ok.ndjson", &["--json"]);
    let report = &ran.json()[0];
    let take = report["spec"]["actions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|action| action["op"] == "Take")
        .unwrap();
    let branches = take["branches"].as_array().unwrap();
    assert_eq!(branches.len(), 2, "{take}");
    assert!(
        branches
            .iter()
            .all(|branch| branch["at"].as_str().unwrap().contains("Queue.tla:"))
    );
}

#[test]
fn a_trace_that_is_valid_for_an_empty_reason_says_so() {
    let ignored = folder(&[
        ("Register.tla", REGISTER),
        ("run.ndjson", &line(0, "Ping", "", 0, 1)),
        ("link.toml", "ignore = [\"Ping\"]\n"),
    ]);
    let ran = omnilink_in(
        ignored.path(),
        &["validate", "Register.tla", "run.ndjson", "--link", "link.toml"],
    );
    assert!(ran.stderr.contains("nothing was checked"), "{ran:?}");
    let ran = validate(&line(0, "Write", r#""value":1,"latency":9"#, 0, 1), &[]);
    ran.refused(&["the field \"latency\" of Write was recorded, but nothing reads it"]);
    let ran = validate(&line(0, "Write", r#""value":1"#, 0, 1), &[]);
    for words in [
        "the trace has no operation Read, so nothing is known about the action Read(result) (Register.tla:6:1)",
        "every operation is possible in every state",
    ] {
        assert!(ran.stderr.contains(words), "{words:?} is missing: {ran:?}");
    }
}

#[test]
fn an_operation_that_needs_more_steps_than_it_is_given_says_how_many_it_was_given() {
    let spec = "---- MODULE Up ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\nUp_Step(to) == x' = x + 1\nUp_Done(to) == x = to /\\ UNCHANGED x\n====\n";
    let trace = line(0, "Up", r#""to":3"#, 0, 1);
    let folder = folder(&[
        ("Up.tla", spec),
        ("run.ndjson", &trace),
        ("link.toml", "[ops.Up]\nsteps = 3\n"),
    ]);
    let ran = omnilink_in(folder.path(), &["validate", "Up.tla", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stderr
            .contains("Up_Step was tried up to 1 times before Up_Done"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("[ops.Up]: steps = N"), "{ran:?}");
    let ran = omnilink_in(
        folder.path(),
        &["validate", "Up.tla", "run.ndjson", "--link", "link.toml"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn the_time_limit_is_honoured_inside_a_step() {
    let spec = "---- MODULE Slow ----\nEXTENDS Integers, FiniteSets\nVARIABLE x\nInit == x = 0\n\
        Slow(n) == x' = Cardinality({s \\in SUBSET (1..n) : Cardinality(s) = 3})\n====\n";
    let trace = line(0, "Slow", r#""n":40"#, 0, 1);
    let folder = folder(&[("Slow.tla", spec), ("run.ndjson", &trace)]);
    let ran = omnilink_in(
        folder.path(),
        &["validate", "Slow.tla", "run.ndjson", "--time-limit", "200ms"],
    );
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("the time limit was reached"), "{ran:?}");
}

#[test]
fn an_expression_that_goes_through_a_big_collected_set_is_named() {
    let spec = "---- MODULE Wide ----\nCONSTANT Keys\nVARIABLE x\nInit == x = 0\nPut(key) == (\\E k \\in Keys : k = key) /\\ x' = key\n====\n";
    let keys: String = (0..6_000)
        .map(|key| line(0, "Put", &format!("\"key\":{key}"), key * 2, key * 2 + 1))
        .collect();
    let folder = folder(&[("Wide.tla", spec), ("run.ndjson", &keys)]);
    let ran = omnilink_in(
        folder.path(),
        &["validate", "Wide.tla", "run.ndjson", "--collect", "Keys=key"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("Wide.tla:5:"), "{ran:?}");
    assert!(
        ran.stderr.contains("enumerates all 6000 values of Keys"),
        "{ran:?}"
    );
}

#[test]
fn several_traces_run_at_once_and_the_worst_decides() {
    let folder = folder(&[
        ("Register.tla", REGISTER),
        ("fine.ndjson", &fine()),
        ("stale.ndjson", &stale()),
    ]);
    let ran = omnilink_in(
        folder.path(),
        &[
            "validate",
            "Register.tla",
            "fine.ndjson",
            "stale.ndjson",
            "--jobs",
            "2",
            "--json",
        ],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    let verdicts: Vec<String> = ran
        .json()
        .iter()
        .map(|report| report["verdict"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(verdicts, ["valid", "violation"]);
}

#[test]
fn many_initial_states_say_what_to_do() {
    let spec = "---- MODULE Wide ----\nEXTENDS Integers\nVARIABLES a, b\nInit == a \\in 1..2000 /\\ b \\in 1..2000\n\
        Get(result) == result = a /\\ UNCHANGED <<a, b>>\n====\n";
    let folder = folder(&[
        ("Wide.tla", spec),
        ("run.ndjson", &line(0, "Get", r#""result":7"#, 0, 1)),
    ]);
    omnilink_in(folder.path(), &["validate", "Wide.tla", "run.ndjson"]).refused(&[
        "Wide.tla: the initial condition allows more than 131072 states",
        "INIT",
    ]);
}

#[test]
fn tags_of_the_link_file_name_the_violation() {
    let link = "[tags]\nStale = '''op = \"Read\" /\\ args.result # x'''\nOfThread1 = 'thread = 1'\nNever = 'FALSE'\n";
    let folder = folder(&[
        ("Register.tla", REGISTER),
        ("run.ndjson", &stale()),
        ("link.toml", link),
    ]);
    let arguments = ["validate", "Register.tla", "run.ndjson", "--link", "link.toml"];
    let ran = omnilink_in(folder.path(), &arguments);
    assert!(ran.stdout.contains("Tags: OfThread1, Stale"), "{}", ran.stdout);
    let report = &omnilink_in(folder.path(), &[&arguments[..], &["--json"]].concat()).json()[0];
    assert_eq!(report["spec"]["tags"], serde_json::json!(["OfThread1", "Stale"]));
}

#[test]
fn the_small_map_traces_get_the_verdict_of_the_native_model() {
    let spec = example("validate/map/Map.tla");
    let folder = repository().join("crates/trace/tests/data/setbench");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let trace = entry.unwrap().path().display().to_string();
        if !trace.ends_with(".ndjson") {
            continue;
        }
        let through_spec = omnilink(&[
            "validate",
            &spec,
            &trace,
            "--collect",
            "Keys=key,lo,hi",
            "--const",
            "NoValue=0",
            "--json",
        ]);
        let native = omnilink(&["check", &trace, "--model", "map", "--json"]);
        assert_eq!(through_spec.code, native.code, "{trace}: {through_spec:?}");
        let op = |ran: &Ran| ran.json()[0]["violation"]["op"]["id"].clone();
        assert_eq!(op(&through_spec), op(&native), "{trace}");
        compared += 1;
    }
    assert!(compared >= 10, "{compared} traces were compared");
}

/// Four threads whose calls nearly all overlap: the sweep's frontier grows to 200,000 configurations, while depth-first search
/// from the start needs one configuration per operation.
#[test]
fn a_valid_trace_that_is_hard_for_the_sweep_is_decided_by_depth_first_search_from_the_start() {
    let (spec, trace) = (
        example("validate/queue/Queue.tla"),
        example("validate/queue/ok.ndjson"),
    );
    let ran = omnilink(&["validate", &spec, &trace, "--const", "Nothing=0", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let answer = &ran.json()[0];
    assert_eq!(answer["decided_by"], "depth-first");
    assert!(answer["configurations"].as_u64() < Some(10_000), "{answer}");
    assert_eq!(answer["replayed"], 100);
}
