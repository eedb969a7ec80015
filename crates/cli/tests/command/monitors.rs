//! Monitors: asked for by name, and declared for a specification.

use std::fs;

use super::ran::{example, folder, omnilink, omnilink_in};

#[test]
fn a_monitor_that_is_asked_for_decides_or_says_why_it_cannot() {
    let queue = example("queue-taken-twice.ndjson");
    let decided = omnilink(&[
        "check",
        &queue,
        "--model",
        "queue",
        "--strategy",
        "monitor",
        "--json",
    ]);
    assert_eq!(decided.code, 1, "{decided:?}");
    assert_eq!(decided.json()[0]["decided_by"], "monitor");
    let counter = example("counter-lost-update.edn");
    omnilink(&["check", &counter, "--model", "counter", "--strategy", "monitor"])
        .refused(&["monitor", "queues, stacks"]);
}

#[test]
fn a_declared_specification_is_decided_by_a_monitor_and_a_wrong_declaration_is_refused() {
    let spec = fs::read_to_string(example("validate/queue/Queue.tla")).unwrap();
    let validate = |declaration: &str, trace: &str| {
        let folder = folder(&[
            ("Queue.tla", spec.as_str()),
            ("Queue.toml", &format!("acts-as = \"{declaration}\"\n")),
        ]);
        let trace = example(&format!("validate/queue/{trace}"));
        let arguments = ["validate", "Queue.tla", &trace, "--const", "Nothing=0", "--json"];
        omnilink_in(folder.path(), &arguments)
    };
    let ok = validate("queue", "ok.ndjson");
    assert_eq!(ok.code, 0, "{ok:?}");
    assert_eq!(ok.json()[0]["decided_by"], "monitor");
    for bug in [
        "bug-lost.ndjson",
        "bug-out-of-order.ndjson",
        "bug-taken-twice.ndjson",
    ] {
        assert_eq!(validate("queue", bug).code, 1, "{bug}");
    }
    let wrong = validate("stack", "ok.ndjson");
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("accepts what no stack does"), "{wrong:?}");
    let unknown = validate("heap", "ok.ndjson");
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.stderr.contains("priority-queue"), "{unknown:?}");
}

/// A queue in several styles: what it extends, its variables, `Init`, and the definitions of `Put` and `Take`.
const QUEUES: [(&str, &str); 7] = [
    (
        "concatenation",
        r"EXTENDS Integers, Sequences
CONSTANT Nothing
VARIABLE queue
Init == queue = <<>>
Put(item) == queue' = queue \o <<item>>
Take(result) ==
    \/ Len(queue) = 0 /\ result = Nothing /\ queue' = queue
    \/ Len(queue) > 0 /\ result = queue[1] /\ queue' = SubSeq(queue, 2, Len(queue))",
    ),
    (
        "the front at the right end",
        r"EXTENDS Integers, Sequences
CONSTANT Nothing
VARIABLE queue
Init == queue = <<>>
Put(item) == queue' = <<item>> \o queue
Take(result) ==
    \/ queue = <<>> /\ result = Nothing /\ UNCHANGED queue
    \/ queue # <<>> /\ result = queue[Len(queue)] /\ queue' = SubSeq(queue, 1, Len(queue) - 1)",
    ),
    (
        "a function and two indices",
        r"EXTENDS Integers, TLC
CONSTANT Nothing
VARIABLES items, head, tail
Init == items = [i \in {} |-> 0] /\ head = 0 /\ tail = 0
Put(item) == items' = items @@ (tail :> item) /\ tail' = tail + 1 /\ UNCHANGED head
Take(result) ==
    IF head = tail THEN result = Nothing /\ UNCHANGED <<items, head, tail>>
    ELSE result = items[head] /\ head' = head + 1 /\ UNCHANGED <<items, tail>>",
    ),
    (
        "a field of a record",
        r"EXTENDS Sequences
CONSTANT Nothing
VARIABLE store
Init == store = [items |-> <<>>, name |-> 0]
Put(item) == store' = [store EXCEPT !.items = Append(@, item)]
Take(result) ==
    /\ result = IF store.items = <<>> THEN Nothing ELSE Head(store.items)
    /\ store' = [store EXCEPT !.items = IF @ = <<>> THEN @ ELSE Tail(@)]",
    ),
    (
        "a list for each end",
        r"EXTENDS Integers, Sequences
CONSTANT Nothing
VARIABLES front, back
Init == front = <<>> /\ back = <<>>
Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]
Put(item) == back' = <<item>> \o back /\ UNCHANGED front
Take(result) == LET all == front \o Reverse(back) IN
    \/ all = <<>> /\ result = Nothing /\ UNCHANGED <<front, back>>
    \/ all # <<>> /\ result = all[1] /\ front' = Tail(all) /\ back' = <<>>",
    ),
    (
        "a set of numbered values",
        r"EXTENDS Integers
CONSTANT Nothing
VARIABLES entries, next
Init == entries = {} /\ next = 0
Put(item) == entries' = entries \cup {<<next, item>>} /\ next' = next + 1
Take(result) ==
    \/ entries = {} /\ result = Nothing /\ UNCHANGED <<entries, next>>
    \/ \E entry \in entries :
        /\ \A other \in entries : entry[1] <= other[1]
        /\ result = entry[2]
        /\ entries' = entries \ {entry}
        /\ UNCHANGED next",
    ),
    (
        "a condition and a choice",
        r"EXTENDS Sequences
CONSTANT Nothing
VARIABLE queue
Init == queue \in {<<>>}
Put(item) == \E new \in {Append(queue, item)} : queue' = new
Take(result) == LET isEmpty == queue = <<>> IN
    CASE isEmpty -> result = Nothing /\ UNCHANGED queue
      [] OTHER -> <<result>> \o Tail(queue) = queue /\ queue' = Tail(queue)",
    ),
];

#[test]
fn a_queue_in_any_style_can_be_declared() {
    for (style, definitions) in QUEUES {
        let spec = format!("---- MODULE Queue ----\n{definitions}\n====\n");
        let validate = |declaration: &str, trace: &str| {
            let folder = folder(&[
                ("Queue.tla", spec.as_str()),
                ("Queue.toml", &format!("# a queue\nacts-as = \"{declaration}\"\n")),
            ]);
            let trace = example(&format!("validate/queue/{trace}"));
            let arguments = [
                "validate",
                "Queue.tla",
                &trace,
                "--const",
                "Nothing=0",
                "--strategy",
                "monitor",
                "--json",
            ];
            omnilink_in(folder.path(), &arguments)
        };
        let ok = validate("queue", "ok.ndjson");
        assert_eq!(ok.code, 0, "{style}: {ok:?}");
        assert_eq!(ok.json()[0]["decided_by"], "monitor", "{style}");
        for bug in [
            "bug-lost.ndjson",
            "bug-out-of-order.ndjson",
            "bug-taken-twice.ndjson",
        ] {
            let violation = validate("queue", bug);
            assert_eq!(violation.code, 1, "{style}, {bug}: {violation:?}");
        }
        for wrong in ["stack", "priority-queue", "priority-queue-least-first"] {
            let refused = validate(wrong, "ok.ndjson");
            assert_eq!(refused.code, 2, "{style}, {wrong}: {refused:?}");
            assert!(
                refused
                    .stderr
                    .contains("Queue.toml:2: it is declared to act as a"),
                "{style}: {refused:?}"
            );
        }
    }
}

/// Each of these is one collection and no other. The trace is a run of it that no other of these accepts.
#[test]
fn other_collections_can_be_declared_and_a_wrong_declaration_names_its_place() {
    let stack = r"EXTENDS Integers, Sequences
VARIABLE s
Init == s = <<>>
Push(x) == s' = <<x>> \o s
Pop(result) == s # <<>> /\ result = Head(s) /\ s' = Tail(s)
Top(result) == s # <<>> /\ result = s[1] /\ UNCHANGED s";
    let heap = r"EXTENDS Integers
VARIABLE s
Init == s = {}
Push(x) == x \notin s /\ s' = s \cup {x}
Pop(result) == result \in s /\ (\A y \in s : y <= result) /\ s' = s \ {result}
Top(result) == result \in s /\ (\A y \in s : y <= result) /\ UNCHANGED s";
    let bag = r"EXTENDS Integers, TLC
VARIABLE s
Init == s = [x \in {} |-> 0]
Count(x) == IF x \in DOMAIN s THEN s[x] ELSE 0
Push(x) == s' = (x :> Count(x) + 1) @@ s
Pop(result) == Count(result) > 0 /\ s' = (result :> Count(result) - 1) @@ s
Top(result) == Count(result) > 0 /\ UNCHANGED s";
    let trace = |pops: [u32; 3]| {
        let mut lines = String::new();
        let mut now = 0;
        let mut line = |text: String| {
            lines.push_str(&format!(
                "{{\"thread\":0,{text},\"start\":{now},\"end\":{}}}\n",
                now + 5
            ));
            now += 10;
        };
        for x in [2, 3, 1] {
            line(format!(r#""op":"Push","args":{{"x":{x}}}"#));
        }
        line(format!(r#""op":"Top","ret":{}"#, pops[0]));
        for r in pops {
            line(format!(r#""op":"Pop","ret":{r}"#));
        }
        lines
    };
    let specs = [
        ("stack", stack, [1, 3, 2]),
        ("priority-queue", heap, [3, 2, 1]),
        ("bag", bag, [2, 1, 3]),
    ];
    for (name, definitions, pops) in specs {
        let spec = format!("---- MODULE S ----\n{definitions}\n====\n");
        for (declared, _, _) in specs {
            let link = format!("acts-as = \"{declared}\"\n\n[ops.Top]\nacts-as = \"peek\"\n");
            let files = [
                ("S.tla", spec.as_str()),
                ("S.toml", link.as_str()),
                ("run.ndjson", &trace(pops)),
            ];
            let folder = folder(&files);
            let arguments = [
                "validate",
                "S.tla",
                "run.ndjson",
                "--strategy",
                "monitor",
                "--json",
            ];
            let ran = omnilink_in(folder.path(), &arguments);
            // A stack and a priority queue accept nothing that a bag refuses, but their order is not one of a bag's own.
            if declared == name || declared == "bag" {
                assert_eq!(ran.code, 0, "{name} as {declared}: {ran:?}");
                assert_eq!(ran.json()[0]["decided_by"], "monitor");
            } else {
                assert_eq!(ran.code, 2, "{name} as {declared}: {ran:?}");
                assert!(
                    ran.stderr.contains("S.toml:1: it is declared to act as a"),
                    "{ran:?}"
                );
            }
        }
    }
    // What an operation does has to be said where it cannot be guessed.
    let spec = format!(
        "---- MODULE S ----\n{stack}\nSwap(x, result) == s # <<>> /\\ result = s[1] /\\ s' = <<x>> \\o Tail(s)\n====\n"
    );
    let folder = folder(&[
        ("S.tla", spec.as_str()),
        ("S.toml", "acts-as = \"stack\"\n"),
        (
            "run.ndjson",
            "{\"thread\":0,\"op\":\"Swap\",\"args\":{\"x\":1},\"ret\":1,\"start\":0,\"end\":1}\n",
        ),
    ]);
    let ran = omnilink_in(folder.path(), &["validate", "S.tla", "run.ndjson"]);
    ran.refused(&["S.toml:1: ", "acts as a stack", "Swap"]);
}

#[test]
fn what_never_changes_the_state_removes_nothing() {
    let spec = "---- MODULE Q ----\nEXTENDS Integers, Sequences\nVARIABLE q\nInit == q = <<>>\nPush(v) == q' = Append(q, v)\n\
        Pop(ret) == q # <<>> /\\ ret = Head(q) /\\ q' = Tail(q)\nLength(ret) == ret = Len(q) /\\ UNCHANGED q\n====\n";
    let trace = r#"{"thread":0,"op":"Push","args":{"v":5},"start":0,"end":9}
{"thread":1,"op":"Push","args":{"v":6},"start":1,"end":8}
{"thread":1,"op":"Length","ret":2,"start":10,"end":12}
{"thread":0,"op":"Pop","ret":6,"start":13,"end":14}
"#;
    let folder = folder(&[
        ("Q.tla", spec),
        ("Q.toml", "acts-as = \"queue\"\n"),
        ("run.ndjson", trace),
    ]);
    let ran = omnilink_in(
        folder.path(),
        &["validate", "Q.tla", "run.ndjson", "--strategy", "monitor"],
    );
    assert_eq!(ran.code, 0, "a length is no removal: {ran:?}");
    let ran = omnilink_in(folder.path(), &["validate", "Q.tla", "run.ndjson"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}
