//! Diagnostics: vacuous verdicts and expensive expressions.

use omnilink_engine::{Options, check};
use omnilink_link::{LinkOptions, Linked, TlaModel};
use omnilink_value::Value;

use crate::world::{REGISTER, bound, linked, ndjson, trace};

fn after<T: Send>(linked: &Linked, lines: &str, ask: impl Fn(&TlaModel<'_>) -> T + Send + Sync) -> T {
    linked
        .run(|model| {
            let operations = bound(model, trace(ndjson(lines))).unwrap();
            operations
                .iter()
                .for_each(|operation| model.took(&operation.op, false));
            assert!(
                check(model, operations, Options::default())
                    .unwrap()
                    .conclusion
                    .is_valid()
            );
            ask(model)
        })
        .unwrap()
}

fn refusal(linked: &Linked, line: &str) -> String {
    let line = line.to_owned() + "\n";
    linked
        .run(|model| bound(model, trace(line)).unwrap_err().to_string())
        .unwrap()
}

#[test]
fn a_recorded_field_that_nothing_reads_is_refused_unless_the_link_file_ignores_it() {
    let line = r#"{"thread":0,"op":"Write","args":{"value":1,"latency":7},"start":0,"end":1}"#;
    let message = refusal(&linked(REGISTER, ""), line);
    for words in [
        "trace:1: the field \"latency\" of Write was recorded, but nothing reads it",
        "Write(value) (Register.tla:4:1) has no such parameter",
        "ignore_fields = [\"latency\"]",
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
    for link in [
        "ignore_fields = ['latency']",
        "[ops.Write]\nignore_fields = ['latency']",
        "[tags]\nSlow = 'args.latency = 5'",
    ] {
        let linked = linked(REGISTER, link);
        assert!(
            crate::world::verdict_of(&linked, line.to_owned() + "\n").is_valid(),
            "{link}"
        );
    }
}

#[test]
fn a_result_that_no_parameter_takes_is_refused_unless_it_is_none() {
    let line = |ret: &str| {
        format!(r#"{{"thread":0,"op":"Write","args":{{"value":1}},"ret":{ret},"start":0,"end":1}}"#)
    };
    let message = refusal(&linked(REGISTER, ""), &line("false"));
    assert!(
        message.contains("the result (`ret`) of Write was recorded, but nothing reads it"),
        "{message}"
    );
    assert!(crate::world::verdict_of(&linked(REGISTER, ""), line("null") + "\n").is_valid());
    let ignoring = linked(REGISTER, "[ops.Write]\nignore_fields = ['ret']");
    assert!(crate::world::verdict_of(&ignoring, line("false") + "\n").is_valid());
}

#[test]
fn a_field_that_repeats_the_thread_needs_no_reader() {
    let line = |thread: u32| {
        format!(r#"{{"thread":3,"op":"Write","args":{{"value":1,"thread":{thread}}},"start":0,"end":1}}"#)
    };
    assert!(crate::world::verdict_of(&linked(REGISTER, ""), line(3) + "\n").is_valid());
    assert!(refusal(&linked(REGISTER, ""), &line(4)).contains("nothing reads it"));
}

#[test]
fn a_parameter_that_the_action_only_hands_around_is_not_read() {
    let spec = REGISTER.replace(
        "Read(result) == result = x /\\ UNCHANGED x",
        "Same(ignored) == UNCHANGED x\nRead(result) == Same(result)",
    );
    let linked = linked(&spec, "[ops.Read]\nrequires = 'TRUE'\n");
    for line in [
        r#"{"thread":0,"op":"Read","args":{"result":9},"start":0,"end":1}"#,
        r#"{"thread":0,"op":"Read","ret":9,"start":0,"end":1}"#,
        r#"{"thread":0,"op":"Read","args":[9],"start":0,"end":1}"#,
    ] {
        let message = refusal(&linked, line);
        assert!(
            message.contains("does not use its parameter `result`"),
            "{message}"
        );
    }
}

/// Wherever the value is used, it is used: nothing may be said to be unread that is not.
#[test]
fn a_parameter_that_is_used_in_a_roundabout_way_is_read() {
    for write in [
        "Write(value) == f' = Up(f, 1, LAMBDA old : value)",
        "Write(value) == f' = Up(f, 1, LAMBDA old : Up(f, 1, LAMBDA o : value)[1])",
        "Write(value) == LET g == [f EXCEPT ![1] = value] IN f' = g",
        "Write(value) == LET Set(k) == [f EXCEPT ![k] = value] IN f' = Set(1)",
        "Write(value) == LET Op(old) == value IN f' = Up(f, 1, Op)",
        "Const(v, old) == v\nWrite(value) == f' = [k \\in {1} |-> IF k = 1 THEN Const(value, 0) ELSE f[k]]",
        "Write(value) == \\E v \\in {value} : f' = [f EXCEPT ![1] = v]",
        "Write(value) == f' = CHOOSE g \\in [{1} -> {value}] : TRUE",
        "Twice(Op(_), v) == Op(v)\nWrite(value) == f' = Twice(LAMBDA v : [f EXCEPT ![1] = v], value)",
        "Apply(Op(_), v) == Op(v)\nPut(v) == [k \\in {1} |-> v]\nWrite(value) == f' = Apply(Put, value)",
        "Write(value) == f' = [f EXCEPT ![1] = IF @ = value THEN @ ELSE value]",
        "RECURSIVE Down(_, _)\nDown(n, v) == IF n = 0 THEN v ELSE Down(n - 1, v)\nWrite(value) == f' = [f EXCEPT ![1] = Down(3, value)]",
    ] {
        let spec = format!(
            "---- MODULE Round ----\nEXTENDS Integers\nVARIABLE f\nInit == f = [k \\in {{1}} |-> 0]\n\
             Up(g, k, Op(_)) == [g EXCEPT ![k] = Op(@)]\n{write}\nRead(value) == value = f[1] /\\ UNCHANGED f\n===="
        );
        let linked = linked(&spec, "");
        let lines = r#"
            0 Write {"value":1} 0 1
            0 Read {"value":1} 2 3"#;
        assert_eq!(kinds(&linked, lines), [] as [&str; 0], "{write}");
    }
}

fn kinds(linked: &Linked, lines: &str) -> Vec<String> {
    after(linked, lines, |model| {
        let reasons = model.vacuities();
        let described = reasons.iter().map(|reason| {
            let field = reason.field.clone().unwrap_or_default();
            format!(
                "{} {} {field}",
                reason.kind.word(),
                reason.op.clone().unwrap_or_default()
            )
        });
        described.map(|text| text.trim().to_owned()).collect()
    })
}

#[test]
fn a_trace_that_nothing_could_contradict_is_told() {
    let linked = linked(REGISTER, "");
    assert_eq!(kinds(&linked, r#"0 Write {"value":1} 0 1"#), ["unconstrained"]);
    let lines = r#"
        0 Write {"value":1} 0 1
        0 Read {"result":1} 2 3"#;
    assert_eq!(kinds(&linked, lines), [] as [&str; 0]);
}

#[test]
fn a_result_that_a_tautology_accepts_is_told_wherever_the_tautology_is() {
    for guard in [
        "(result = x \\/ result # x)",
        "(result = result)",
        "result \\in {result}",
        "(IF result > 5 THEN TRUE ELSE TRUE)",
        "(\\E y \\in {x, result} : y = result)",
        "(x = 0 => result = result)",
        "result \\in Int",
    ] {
        let spec = REGISTER
            .replace("result = x", guard)
            .replace("VARIABLE x", "EXTENDS Integers\nVARIABLE x");
        let lines = r#"
            0 Write {"value":1} 0 1
            0 Read {"result":7} 2 3"#;
        assert_eq!(
            kinds(&linked(&spec, ""), lines),
            ["unconstrained", "any_value Read result"],
            "{guard}"
        );
    }
}

#[test]
fn a_field_inside_a_record_that_nothing_reads_is_told() {
    let spec = r#"---- MODULE Cache ----
EXTENDS Integers
VARIABLE x
Init == x = [v |-> 0, ttl |-> 0]
Set(value, ttl) == x' = [v |-> value, ttl |-> ttl]
Get(result) == /\ result.v = x.v
               /\ ("ttl" \in DOMAIN result => result.ttl = x.ttl)
               /\ UNCHANGED x
===="#;
    let linked = linked(spec, "");
    let lines = |field: &str| {
        format!(
            r#"
            0 Set {{"value":1,"ttl":9}} 0 1
            0 Get {{"result":{{"v":1,"{field}":9}}}} 2 3"#
        )
    };
    assert_eq!(kinds(&linked, &lines("ttl")), [] as [&str; 0]);
    assert_eq!(kinds(&linked, &lines("ttll")), ["any_value Get result.ttll"]);
}

#[test]
fn an_argument_that_the_trace_did_not_try_is_told_apart_from_a_result_that_nothing_checks() {
    let spec = r"---- MODULE Swap ----
VARIABLE x
Init == x = 0
Cas(old, new, ok) ==
    IF x = old THEN ok = TRUE /\ x' = new ELSE ok = FALSE /\ UNCHANGED x
====";
    let failing = r#"0 Cas {"old":5,"new":1,"ok":false} 0 1"#;
    assert_eq!(kinds(&linked(spec, ""), failing), ["idle_argument Cas new"]);
}

#[test]
fn expressions_that_go_through_a_big_set_are_named() {
    let spec = r"---- MODULE Wide ----
EXTENDS Integers
CONSTANT Keys
VARIABLE x
Init == x = 0
All(value) == (\A k \in Keys : k # value) /\ x' = value
One(value) == value \in Keys /\ x' = value
Some(value) == (\E k \in {i \in Keys : i > 1} : k = value) /\ x' = value
====";
    let options = |size: i64| LinkOptions {
        collected: vec![("Keys".to_owned(), Value::set_of_sorted((0..size).map(Value::int)))],
        ..LinkOptions::default()
    };
    let slow = |size: i64| {
        let linked = Linked::from_text("Wide", spec, &options(size)).unwrap();
        linked.run(|model| model.slow_expressions()).unwrap()
    };
    assert!(slow(100).is_empty());
    let slow = slow(20_000);
    assert_eq!(slow.len(), 2, "{slow:?}");
    assert!(slow[0].starts_with("Wide.tla:6:"), "{slow:?}");
    assert!(
        slow[0].contains("enumerates all 20000 values of Keys"),
        "{slow:?}"
    );
    // A set that binds a name of its own.
    assert!(slow[1].contains("enumerates all 19998 values"), "{slow:?}");
}

/// A mistake in an expression of a link file is shown as one of its entry, and a name that only looks generated is the user's own.
#[test]
fn a_mistake_in_the_link_file_is_told_with_its_entry() {
    let spec = REGISTER
        .replace("Init ==", "omnilink_mine(v) == v + 1\nInit ==")
        .replace("VARIABLE", "EXTENDS Naturals\nVARIABLE");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Register.tla");
    std::fs::write(&file, &spec).unwrap();
    for (toml, entry, line) in [
        (
            "[ops.Write]\nrequires = 'nonsense > 3'",
            "[ops.Write] requires",
            "1 | nonsense > 3",
        ),
        (
            "[ops.Write]\nensures = '''x' = 1 /\\\n  foo(value)'''",
            "[ops.Write] ensures",
            "2 |   foo(value)",
        ),
        (
            "[ops.\"a b\"]\naction = 'Write(valu + )'",
            "[ops.\"a b\"] action",
            "1 | Write(valu + )",
        ),
        ("invariants = ['TRUE', 'y = 1']", "invariants", "1 | y = 1"),
        ("view = 'x + '", "view", "1 | x +"),
        ("[tags]\nLate = 'tread = 1'", "[tags] Late", "1 | tread = 1"),
    ] {
        let options = LinkOptions {
            file: omnilink_link::LinkFile::parse(toml).unwrap(),
            ..LinkOptions::default()
        };
        for loaded in [
            crate::world::try_linked(&spec, toml),
            Linked::load(&file, &options),
        ] {
            let message = loaded.expect_err(toml).to_string();
            for words in [&format!("--> link file, {entry}\n"), line] {
                assert!(message.contains(words), "{words}: {message}");
            }
            assert!(
                !message.contains("omnilink_") && !message.contains("OmnilinkLink"),
                "{message}"
            );
        }
    }
    let linked = linked(&spec, "[ops.Write]\nrequires = 'omnilink_mine(value = 1) = 2'");
    let write = r#"{"thread":0,"op":"Write","args":{"value":1},"start":0,"end":1}"#;
    let failed = linked.run(|model| {
        let operations = bound(model, trace(write.to_owned() + "\n")).unwrap();
        check(model, operations, Options::default()).map(|checked| checked.conclusion)
    });
    let message = failed.unwrap().unwrap_err().to_string();
    for words in [
        "Register.tla:4:21",
        "in omnilink_mine, used at link file, [ops.Write] requires",
        "value = 1",
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
    assert_eq!(message.matches("value = 1").count(), 1, "{message}");
}
