//! `omnilink link init` and `omnilink link check`.

use crate::ran::{folder, omnilink_in};

const QUEUE: &str = "---- MODULE Queue ----\nEXTENDS Sequences\nCONSTANTS Nothing, Items\nVARIABLE queue\nInit == queue = <<>>\n\
    Put(item) == queue' = Append(queue, item)\n\
    Take(result) == IF queue = <<>> THEN result = Nothing /\\ UNCHANGED queue ELSE result = Head(queue) /\\ queue' = Tail(queue)\n\
    Peek(result) == queue # <<>> /\\ result = Head(queue) /\\ UNCHANGED queue\n\
    Next == \\E item \\in Items : Put(item) \\/ Take(item) \\/ Peek(item)\n====\n";
const TRACE: &str = "{\"thread\":0,\"op\":\"Put\",\"args\":{\"value\":1},\"start\":0,\"end\":1}\n\
    {\"thread\":0,\"op\":\"Take\",\"args\":{\"result\":1,\"ns\":5},\"start\":2,\"end\":3}\n\
    {\"thread\":0,\"op\":\"Ping\",\"args\":{},\"start\":4,\"end\":5}\n";

#[test]
fn init_writes_what_was_found_and_what_is_missing() {
    let folder = folder(&[("Queue.tla", QUEUE), ("run.ndjson", TRACE)]);
    let ran = omnilink_in(
        folder.path(),
        &["link", "init", "Queue.tla", "run.ndjson", "-o", "omnilink.toml"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let link = std::fs::read_to_string(folder.path().join("omnilink.toml")).unwrap();
    for words in [
        "# Nothing = \"…\"",
        "# Put(item) (Queue.tla:6:1): 1 in the trace",
        "MISSING: no field \"item\"",
        "nothing reads the field \"ns\"",
        "# Peek(result) (Queue.tla:8:1): not in the trace",
        "MISSING: Ping is in the trace 1 times, and is no action",
    ] {
        assert!(link.contains(words), "{words:?} is missing: {link}");
    }
}

#[test]
fn a_spec_with_a_mistake_is_refused_in_the_words_of_the_front_end() {
    let broken = QUEUE.replace("queue = <<>>\n", "queue = <<\n");
    let folder = folder(&[("Queue.tla", broken.as_str()), ("run.ndjson", TRACE)]);
    for verb in [
        &["link", "init", "Queue.tla", "run.ndjson"][..],
        &["validate", "Queue.tla", "run.ndjson"],
    ] {
        let ran = omnilink_in(folder.path(), verb);
        assert_eq!(ran.code, 2, "{ran:?}");
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(told.matches("error").count(), 1, "{verb:?}: {told}");
        assert!(
            told.contains("error[parse]: an expression is missing"),
            "{verb:?}: {told}"
        );
    }
}

#[test]
fn a_link_file_that_was_just_written_can_be_used() {
    let folder = folder(&[("Queue.tla", QUEUE), ("run.ndjson", TRACE)]);
    let ran = omnilink_in(
        folder.path(),
        &["link", "init", "Queue.tla", "run.ndjson", "-o", "omnilink.toml"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let path = folder.path().join("omnilink.toml");
    let link = std::fs::read_to_string(&path).unwrap() + "\n[ops.Put]\nfields = { item = \"value\" }\n";
    std::fs::write(&path, link).unwrap();
    let validate = [
        "validate",
        "Queue.tla",
        "run.ndjson",
        "--link",
        "omnilink.toml",
        "--const",
        "Nothing=0",
    ];
    let ran = omnilink_in(folder.path(), &validate);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn check_says_what_has_no_counterpart() {
    let folder = folder(&[("Queue.tla", QUEUE), ("run.ndjson", TRACE)]);
    let ran = omnilink_in(folder.path(), &["link", "check", "Queue.tla", "run.ndjson"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stdout.contains("Put(item): 1 operations"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("Peek(result): no operation of the trace (Queue.tla:8:1)"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("Ping: 1 operations, but no action is called so"),
        "{}",
        ran.stdout
    );
}

#[test]
fn check_explains_what_each_operation_may_do() {
    let map = "---- MODULE Map ----\nVARIABLE f\nInit == f = [k \\in {1, 2} |-> 0]\n\
        Get(k, r) == f[k] = r /\\ UNCHANGED f\nPut(k, v) == f' = [f EXCEPT ![k] = v]\n====\n";
    let trace = "{\"thread\":0,\"op\":\"Get\",\"args\":{\"k\":1,\"r\":0},\"start\":0,\"end\":1}\n\
        {\"thread\":0,\"op\":\"Put\",\"args\":{\"k\":2,\"v\":5},\"start\":2,\"end\":3}\n";
    let folder = folder(&[("Map.tla", map), ("run.ndjson", trace)]);
    let ran = omnilink_in(
        folder.path(),
        &["link", "check", "Map.tla", "run.ndjson", "--explain"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("Get: never changes anything; placed at once"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("reads nothing; changes f[2]; known without evaluating it"),
        "{}",
        ran.stdout
    );
}

#[test]
fn check_ends_with_a_score_of_what_is_pinned_down() {
    let spec = "---- MODULE Many ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\n\
        Write(value) == x' = value\nRead(value) == value = x /\\ UNCHANGED x\n\
        Near(value) == value > x - 2 /\\ UNCHANGED x\nAny(value) == value = value /\\ UNCHANGED x\nTick == x' = x\n====\n";
    let line = |op: &str, start: u32| {
        let args = if op == "Tick" { "{}" } else { "{\"value\":3}" };
        format!(
            "{{\"thread\":0,\"op\":\"{op}\",\"args\":{args},\"start\":{start},\"end\":{}}}\n",
            start + 1
        )
    };
    let trace: String = ["Write", "Read", "Near", "Any", "Tick"]
        .into_iter()
        .zip((0..).step_by(2))
        .map(|(op, start)| line(op, start))
        .collect();
    let folder = folder(&[("Many.tla", spec), ("run.ndjson", &trace)]);
    let ran = omnilink_in(folder.path(), &["link", "check", "Many.tla", "run.ndjson"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "Read(value): pinned down; another value is refused in",
        "Near(value): barely; another value is refused in",
        "Write(value): by its effect only",
        "Any(value): not at all",
        "Tick: there is nothing to try",
        "Score: 1 of 4 operations pinned down; barely: Near; by their effect only: Write; not at all: Any.",
    ] {
        assert!(told.contains(words), "{words:?} is missing: {}", ran.stdout);
    }
}

#[test]
fn a_mistake_in_the_link_file_says_where() {
    let files = |link: &str| folder(&[("Queue.tla", QUEUE), ("run.ndjson", TRACE), ("link.toml", link)]);
    let check = ["link", "check", "Queue.tla", "run.ndjson", "--link", "link.toml"];
    omnilink_in(files("[ops.Ping]\nignor = true\n").path(), &check).refused(&["link.toml", "ignor"]);
    omnilink_in(files("[ops.Ping]\naction = \"Pt\"\n").path(), &check)
        .refused(&["[ops.Ping]", "did you mean `Put`?"]);
    omnilink_in(files("[ops.Put]\nrequires = 'itm = 1'\n").path(), &check).refused(&["itm"]);
    omnilink_in(
        folder(&[("Queue.tla", QUEUE), ("run.ndjson", TRACE)]).path(),
        &check,
    )
    .refused(&["link.toml", "link init"]);
}

#[test]
fn init_of_a_log_writes_its_events_and_fields() {
    let log = "{\"ts\":1,\"event\":\"Put\",\"value\":3}\n{\"ts\":2,\"event\":\"Take\",\"args\":[3]}\n{\"ts\":3,\"event\":\"Ping\"}\n";
    let folder = folder(&[("Queue.tla", QUEUE), ("run.ndjson", log)]);
    let ran = omnilink_in(
        folder.path(),
        &["link", "init", "Queue.tla", "run.ndjson", "-o", "omnilink.toml"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let link = std::fs::read_to_string(folder.path().join("omnilink.toml")).unwrap();
    for words in [
        "# clock = \"ts\"",
        "# Put(item) (Queue.tla:6:1): 1 line\n",
        "nothing tells item",
        "# ignore_fields = [\"ts\", \"value\"]",
        "# Peek(result) (Queue.tla:8:1): not in the log",
        "MISSING: Ping is the event of 1 lines",
    ] {
        assert!(link.contains(words), "{words:?} is missing: {link}");
    }
    let constants = ["--const", "Nothing=0", "--const", "Items={0,3}"];
    let arguments = [
        &["validate", "Queue.tla", "run.ndjson", "--link", "omnilink.toml"][..],
        &constants,
    ]
    .concat();
    let used = omnilink_in(folder.path(), &arguments);
    assert_eq!(used.code, 0, "{used:?}");
}
