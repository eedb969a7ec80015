//! `omnilink validate` never says more than it knows: nothing is guessed, and answers that mean nothing are told.

use crate::ran::{Ran, folder, omnilink_in};

const REG: &str = "---- MODULE Reg ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\n\
    Write(value) == x' = value\nRead(value) == value = x /\\ UNCHANGED x\n====\n";
const LOCK: &str = "---- MODULE Lock ----\nEXTENDS Integers\nVARIABLE holder\nInit == holder = 0\n\
    Acquire(who) == holder = 0 /\\ holder' = who\nRelease(who) == holder = who /\\ holder' = 0\n====\n";
const RW: &str = "---- MODULE RW ----\nEXTENDS Integers, FiniteSets\nCONSTANT Threads\nVARIABLES readers, writer\n\
    vars == <<readers, writer>>\nInit == readers = {} /\\ writer = {}\n\
    AcquireRead(thread) == writer = {} /\\ readers' = readers \\cup {thread} /\\ UNCHANGED writer\n\
    ReleaseRead(thread) == thread \\in readers /\\ readers' = readers \\ {thread} /\\ UNCHANGED writer\n====\n";
const OPT: &str = "---- MODULE Opt ----\nEXTENDS Integers, Sequences\nVARIABLE x\nCONSTANT null\n\
    Init == x = [v |-> 0, ttl |-> null]\nSet(value, ttl) == x' = [v |-> value, ttl |-> ttl]\n\
    Get(result) == /\\ result.v = x.v\n\
    \x20              /\\ (\"ttl\" \\in DOMAIN result => result.ttl = x.ttl)\n\
    \x20              /\\ UNCHANGED x\n====\n";
const OPT_CFG: &str = "INIT Init\nCONSTANT null = null\n";

fn validate(files: &[(&str, &str)], more: &[&str]) -> Ran {
    let spec = files[0].0;
    let folder = folder(files);
    omnilink_in(folder.path(), &[&["validate", spec, "run.ndjson"], more].concat())
}

#[test]
fn a_result_never_fills_an_argument_that_was_not_recorded() {
    let trace = "{\"thread\":1,\"op\":\"Acquire\",\"args\":{},\"ret\":1,\"start\":1,\"end\":2}\n\
        {\"thread\":2,\"op\":\"Release\",\"args\":{},\"ret\":1,\"start\":3,\"end\":4}\n";
    let files = [("Lock.tla", LOCK), ("run.ndjson", trace)];
    validate(&files, &[]).refused(&[
        "run.ndjson:1: Acquire has no field \"who\"",
        "fields = { who = \"thread\" }",
        "fields = { who = \"ret\" }",
    ]);
    let positional = trace.replace("\"args\":{}", "\"args\":[]");
    validate(&[("Lock.tla", LOCK), ("run.ndjson", &positional)], &[]).refused(&[
        "run.ndjson:1: Acquire has 0 arguments",
        "takes 1",
        "fields = { who = \"ret\" }",
    ]);
}

#[test]
fn a_link_file_says_that_a_parameter_is_the_thread_and_the_wrong_thread_is_found() {
    let trace = |thread: u32| {
        format!(
            "{{\"thread\":1,\"op\":\"Acquire\",\"start\":1,\"end\":2}}\n{{\"thread\":{thread},\"op\":\"Release\",\"start\":3,\"end\":4}}\n"
        )
    };
    for link in [
        "[ops.Acquire]\nfields = { who = \"thread\" }\n[ops.Release]\nfields = { who = \"thread\" }\n",
        "[ops.Acquire]\naction = \"Acquire(thread)\"\n[ops.Release]\naction = \"Release(thread)\"\n",
    ] {
        for (thread, code) in [(1, 0), (2, 1)] {
            let ran = validate(
                &[
                    ("Lock.tla", LOCK),
                    ("run.ndjson", &trace(thread)),
                    ("Lock.toml", link),
                ],
                &[],
            );
            assert_eq!(ran.code, code, "{link}: {ran:?}");
        }
    }
}

#[test]
fn a_write_without_its_value_is_refused_however_it_was_lost() {
    let missing = "{\"thread\":0,\"op\":\"Write\",\"args\":{},\"ret\":0,\"start\":1,\"end\":2}\n";
    validate(&[("Reg.tla", REG), ("run.ndjson", missing)], &[])
        .refused(&["run.ndjson:1: Write has no field \"value\"", "Reg.tla:5:1"]);
    let misspelt = missing.replace("{}", "{\"valeu\":1}");
    validate(&[("Reg.tla", REG), ("run.ndjson", &misspelt)], &[])
        .refused(&["Write has no field \"value\"", "did you mean \"valeu\"?"]);
    let pending = "{\"thread\":0,\"op\":\"Write\",\"args\":{},\"start\":1}\n";
    validate(&[("Reg.tla", REG), ("run.ndjson", pending)], &[]).refused(&["Write has no field \"value\""]);
}

#[test]
fn a_parameter_called_thread_is_the_thread_of_the_operation() {
    let trace = "{\"thread\":1,\"op\":\"AcquireRead\",\"start\":1,\"end\":2}\n{\"thread\":2,\"op\":\"AcquireRead\",\"start\":3,\"end\":4}\n\
        {\"thread\":1,\"op\":\"ReleaseRead\",\"start\":5,\"end\":6}\n{\"thread\":2,\"op\":\"ReleaseRead\",\"start\":7,\"end\":8}\n";
    let collect = ["--collect", "Threads=thread"];
    let ran = validate(&[("RW.tla", RW), ("run.ndjson", trace)], &collect);
    assert_eq!(ran.code, 0, "{ran:?}");
    let twice = trace.replacen(
        "\"thread\":2,\"op\":\"ReleaseRead\"",
        "\"thread\":1,\"op\":\"ReleaseRead\"",
        1,
    );
    assert_eq!(
        validate(&[("RW.tla", RW), ("run.ndjson", &twice)], &collect).code,
        1
    );
    for (name, link) in [
        (
            "fields.toml",
            "[ops.AcquireRead]\nfields = { thread = \"thread\" }\n",
        ),
        (
            "action.toml",
            "[ops.AcquireRead]\naction = \"AcquireRead(thread)\"\n",
        ),
    ] {
        let files = [("RW.tla", RW), ("run.ndjson", trace), (name, link)];
        let ran = validate(&files, &[&collect[..], &["--link", name]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let files = [
        ("RW.tla", RW),
        ("run.ndjson", trace),
        (
            "wrong.toml",
            "[ops.AcquireRead]\naction = \"AquireRead(thread)\"\n",
        ),
    ];
    validate(&files, &[&collect[..], &["--link", "wrong.toml"]].concat()).refused(&[
        "[ops.AcquireRead]",
        "no action `AquireRead`",
        "AcquireRead, ReleaseRead",
    ]);
}

#[test]
fn an_argument_that_was_left_out_stands_for_what_the_link_file_says() {
    let trace = "{\"thread\":0,\"op\":\"Set\",\"args\":{\"value\":1},\"start\":1,\"end\":2}\n\
        {\"thread\":0,\"op\":\"Get\",\"args\":{},\"ret\":{\"v\":1,\"ttl\":null},\"start\":3,\"end\":4}\n";
    let files = [("Opt.tla", OPT), ("Opt.cfg", OPT_CFG), ("run.ndjson", trace)];
    validate(&files, &[]).refused(&["Set has no field \"ttl\"", "default = { ttl = "]);
    for (link, code) in [
        ("[ops.Set]\ndefault = { ttl = \"null\" }\n", 0),
        ("[ops.Set]\ndefault = { ttl = \"5\" }\n", 1),
        ("[ops.Set]\nunknown = { ttl = \"{null, 5}\" }\n", 0),
        ("[ops.Set]\nunknown = { ttl = \"{4, 5}\" }\n", 1),
    ] {
        let ran = validate(
            &[&files[..], &[("link.toml", link)]].concat(),
            &["--link", "link.toml"],
        );
        assert_eq!(ran.code, code, "{link}: {ran:?}");
    }
}

const MAP: &str = "---- MODULE Map ----\nEXTENDS Integers\nVARIABLE m\nInit == m = [k \\in 1..3 |-> 0]\n\
    Put(key, value, old) == old = m[key] /\\ m' = [m EXCEPT ![key] = value]\n\
    Get(key, result) == result = m[key] /\\ UNCHANGED m\n====\n";

/// Puts and gets, one after the other.
fn map_trace() -> String {
    let mut held = [0; 4];
    let mut trace = String::new();
    for number in 0..60usize {
        let (key, start) = (number / 2 % 3 + 1, number * 2);
        let (args, ret) = match number % 2 {
            0 => {
                let old = std::mem::replace(&mut held[key], number);
                (
                    format!("\"op\":\"Put\",\"args\":{{\"key\":{key},\"value\":{number},\"old\":{old}}}"),
                    String::new(),
                )
            }
            _ => (
                format!("\"op\":\"Get\",\"args\":{{\"key\":{key}}}"),
                format!(",\"ret\":{}", held[key]),
            ),
        };
        trace.push_str(&format!(
            "{{\"thread\":0,{args}{ret},\"start\":{start},\"end\":{}}}\n",
            start + 1
        ));
    }
    trace
}

#[test]
fn a_spec_is_checked_by_changing_what_was_recorded() {
    let trace = map_trace();
    let files = [("Map.tla", MAP), ("run.ndjson", trace.as_str())];
    let mutated = |seed: &str| {
        validate(&files, &["--mutate", "40", "--seed", seed, "--json"]).json()[0]["mutation"].clone()
    };
    let (first, again, other) = (mutated("1"), mutated("1"), mutated("2"));
    assert_eq!(first, again, "the seed decides");
    assert_ne!(first, other);
    let sum = |field: &str| -> u64 {
        let actions = first["actions"].as_array().unwrap().iter();
        actions.map(|action| action[field].as_u64().unwrap()).sum()
    };
    assert_eq!((sum("changed"), sum("changed_noticed")), (40, 40), "{first}");
    assert!(sum("dropped") == 10 && sum("dropped_noticed") >= 8, "{first}");
    assert!(sum("swapped") > 0 && sum("swapped_noticed") > 0, "{first}");
    let ran = validate(&files, &["--mutate", "40"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("Of 40 recorded values that were changed in the first 60 operations (seed 1), the spec noticed 40 of 40 (100 %)"), "{ran:?}");
    assert!(told.contains("Get changed: "), "{ran:?}");
}

#[test]
fn a_spec_that_notices_nothing_is_shown_up() {
    let loose = MAP
        .replace("old = m[key]", "old = old")
        .replace("result = m[key]", "result \\in Int");
    let trace = map_trace();
    let files = [("Map.tla", loose.as_str()), ("run.ndjson", trace.as_str())];
    let ran = validate(&files, &["--mutate", "20"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the spec noticed 0 of 20 (0 %)"), "{ran:?}");
    assert!(told.contains("not noticed: run.ndjson:"), "{ran:?}");
    assert!(
        ran.stderr
            .contains("none of 20 values that were changed on purpose was noticed"),
        "{ran:?}"
    );
    assert_eq!(validate(&files, &["--mutate", "20", "--strict"]).code, 2);
}

/// The kinds of vacuity in `--json`, the exit code with `--strict`, and the text of the report.
fn vacuity(files: &[(&str, &str)]) -> (Vec<String>, i32, String) {
    let report = &validate(files, &["--json"]).json()[0];
    assert_eq!(report["verdict"], "valid", "{report}");
    let kinds = report["vacuity"].as_array().unwrap().iter();
    let kinds = kinds.map(|reason| reason["kind"].as_str().unwrap().to_owned());
    let plain = validate(files, &[]);
    assert_eq!(plain.code, 0, "{plain:?}");
    (
        kinds.collect(),
        validate(files, &["--strict"]).code,
        plain.stderr + &plain.stdout,
    )
}

#[test]
fn a_tautology_is_told_and_strict_refuses_it() {
    let spec = REG.replace(
        "value = x /\\ UNCHANGED",
        "(value = x \\/ value # x) /\\ UNCHANGED",
    );
    let trace = "{\"thread\":0,\"op\":\"Write\",\"args\":{\"value\":1},\"start\":1,\"end\":2}\n\
        {\"thread\":0,\"op\":\"Read\",\"args\":{\"value\":7},\"start\":3,\"end\":4}\n";
    let (kinds, strict, text) = vacuity(&[("Reg.tla", &spec), ("run.ndjson", trace)]);
    assert_eq!(
        (kinds.as_slice(), strict),
        (&["unconstrained".to_owned(), "any_value".to_owned()][..], 2)
    );
    assert!(
        text.contains("whatever was recorded would have been explained"),
        "{text}"
    );
    assert!(text.contains("\"value\" of Read makes no difference"), "{text}");
    assert!(text.contains("this means little"), "{text}");
    let fine = trace.replace("\"value\":7", "\"value\":1");
    let (kinds, strict, _) = vacuity(&[("Reg.tla", REG), ("run.ndjson", &fine)]);
    assert_eq!((kinds.len(), strict), (0, 0));
}

#[test]
fn a_misspelt_field_inside_a_result_is_told() {
    let trace = "{\"thread\":0,\"op\":\"Set\",\"args\":{\"value\":1,\"ttl\":null},\"start\":1,\"end\":2}\n\
        {\"thread\":0,\"op\":\"Get\",\"args\":{},\"ret\":{\"v\":1,\"ttll\":9},\"start\":3,\"end\":4}\n";
    let (kinds, strict, text) = vacuity(&[("Opt.tla", OPT), ("Opt.cfg", OPT_CFG), ("run.ndjson", trace)]);
    assert_eq!(
        (kinds.as_slice(), strict),
        (&["any_value".to_owned()][..], 2),
        "{text}"
    );
    assert!(
        text.contains("\"result.ttll\" of Get makes no difference"),
        "{text}"
    );
}

#[test]
fn a_trace_in_which_nothing_had_to_be_explained_is_told() {
    let line = |more: &str| {
        format!("{{\"thread\":0,\"op\":\"Write\",\"args\":{{\"value\":1}},\"start\":1{more}}}\n")
    };
    for (trace, kind, words) in [
        (line(""), "all_pending", "no operation returned"),
        (
            line(",\"end\":2,\"aborted\":true"),
            "all_aborted",
            "every operation of the trace was aborted",
        ),
        (
            "{\"omnilink\":1}\n".to_owned(),
            "nothing_placed",
            "nothing was checked",
        ),
    ] {
        let (kinds, strict, text) = vacuity(&[("Reg.tla", REG), ("run.ndjson", &trace)]);
        assert_eq!((kinds.as_slice(), strict), (&[kind.to_owned()][..], 2), "{text}");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_value_that_is_read_inside_a_lambda_is_not_said_to_be_unread() {
    let spec = "---- MODULE Lam ----\nEXTENDS Integers\nVARIABLE x\nInit == x = [k \\in {1} |-> 0]\n\
        Up(f, k, Op(_)) == [f EXCEPT ![k] = Op(@)]\nWrite(value) == x' = Up(x, 1, LAMBDA old : value)\n\
        Read(value) == value = x[1] /\\ UNCHANGED x\n====\n";
    let trace = "{\"thread\":0,\"op\":\"Write\",\"args\":{\"value\":1},\"start\":1,\"end\":2}\n\
        {\"thread\":0,\"op\":\"Read\",\"args\":{\"value\":7},\"start\":3,\"end\":4}\n";
    let ran = validate(&[("Lam.tla", spec), ("run.ndjson", trace)], &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!ran.stderr.contains("reads it"), "{ran:?}");
}
