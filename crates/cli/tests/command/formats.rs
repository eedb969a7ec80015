//! Files as people have them: Jepsen's, Porcupine's and our own, whole and cut off, through pipes and in folders.

use std::path::Path;
use std::process::{Command, Stdio};

use super::ran::{Ran, check, example, folder, omnilink_in, omnilink_reading};

const KEYED: &str = "{:index 0, :time 100, :type :invoke, :process 0, :f :write, :value [7 1]}
{:index 2, :time 150, :type :ok, :process 0, :f :write, :value [7 1]}
{:index 3, :time 160, :type :invoke, :process 1, :f :read, :value [7 nil]}
{:index 4, :time 170, :type :ok, :process 1, :f :read, :value [7 SEEN]}
{:index 5, :time 180, :type :invoke, :process 1, :f :read, :value [8 nil]}
{:index 6, :time 190, :type :ok, :process 1, :f :read, :value [8 nil]}
{:index 7, :time 200, :type :invoke, :process 1, :f :cas, :value [7 [1 2]]}
{:index 8, :time 210, :type :ok, :process 1, :f :cas, :value [7 [1 2]]}
";

fn run(name: &str, content: &str, arguments: &[&str]) -> Ran {
    let folder = folder(&[(name, content)]);
    omnilink_in(folder.path(), &[&["check", name], arguments].concat())
}

#[test]
fn a_jepsen_history_of_the_nemesis_alone_is_valid() {
    let history = "[{:process :nemesis, :type :info, :f :isolate, :value nil}
 {:process :nemesis, :type :info, :f :recover, :value nil}]";
    let ran = run("h.edn", history, &["--model", "cas-register", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()[0]["ops"], 0);
}

#[test]
fn independent_keys_are_checked_apart_and_reported_by_key() {
    let valid = run(
        "h.edn",
        &KEYED.replace("SEEN", "1"),
        &["--model", "cas-register", "--json"],
    );
    assert_eq!(valid.code, 0, "{valid:?}");
    let json = &valid.json()[0];
    assert_eq!(json["keys"][0]["key"], "7");
    assert_eq!(json["keys"][1]["verdict"], "valid");
    assert_eq!(json["ops"], 4);
    assert!(
        json["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("--keyed no"))
    );

    // The order of each key is a trace of its own.
    let folder = folder(&[("h.edn", &KEYED.replace("SEEN", "1"))]);
    let keyed = [
        "check",
        "h.edn",
        "--model",
        "cas-register",
        "--witness",
        "w.ndjson",
    ];
    assert_eq!(omnilink_in(folder.path(), &keyed).code, 0);
    for (witness, ops) in [("w-0-7.ndjson", 3), ("w-1-8.ndjson", 1)] {
        let again = omnilink_in(
            folder.path(),
            &["check", witness, "--model", "cas-register", "--json"],
        );
        assert_eq!(
            (again.code, &again.json()[0]["ops"]),
            (0, &ops.into()),
            "{again:?}"
        );
    }

    let stale = KEYED.replace("SEEN", "5");
    let violation = run("h.edn", &stale, &["--model", "cas-register"]);
    assert_eq!(violation.code, 1, "{violation:?}");
    for words in [
        "h.edn (key 7): violation",
        "h.edn:3",
        "by key:",
        "violation  7",
        "valid      8",
    ] {
        assert!(violation.stdout.contains(words), "{words}: {violation:?}");
    }
    let json = &run("h.edn", &stale, &["--model", "cas-register", "--json"]).json()[0];
    assert_eq!(json["verdict"], "violation");
    assert_eq!(json["keys"][0]["verdict"], "violation");
    assert_eq!(json["keys"][1]["verdict"], "valid");

    // The same as JSON, for a model that keeps its keys apart itself, and at a weak level.
    let json = r#"[{"type":"invoke","f":"write","value":["a",1],"process":0},
{"type":"ok","f":"write","value":["a",1],"process":0},
{"type":"invoke","f":"read","value":["b",null],"process":0},
{"type":"ok","f":"read","value":["b",null],"process":0}]"#;
    for arguments in [
        &["--model", "kv"][..],
        &["--model", "register"],
        &["--model", "register", "--consistency", "causal"],
        &["--model", "kv", "--consistency", "causal"],
    ] {
        let ran = run("h.json", json, arguments);
        assert_eq!(ran.code, 0, "{arguments:?} {ran:?}");
        let ran = run(
            "h.json",
            &json.replace(r#"["b",null],"process":0}]"#, r#"["b",1],"process":0}]"#),
            arguments,
        );
        assert_eq!(ran.code, 1, "{arguments:?} {ran:?}");
    }
}

#[test]
fn pairs_that_may_be_either_are_asked_about() {
    let writes =
        "{:type :invoke :process 0 :f :write :value [7 1]}{:type :ok :process 0 :f :write :value [7 1]}";
    run("h.edn", writes, &["--model", "register"]).refused(&["h.edn", "--keyed yes or --keyed no"]);
    run(
        "h.edn",
        writes,
        &["--model", "register", "--consistency", "causal"],
    )
    .refused(&["--keyed yes or --keyed no"]);
    for answer in ["yes", "no"] {
        let ran = run("h.edn", writes, &["--model", "register", "--keyed", answer]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let mixed = format!(
        "{writes}{{:type :invoke :process 0 :f :read :value nil}}{{:type :ok :process 0 :f :read :value [7 1]}}"
    );
    assert_eq!(run("h.edn", &mixed, &["--model", "register"]).code, 0);
    run("h.edn", &mixed, &["--model", "register", "--keyed", "yes"])
        .refused(&["h.edn:1", "no [key value] pair"]);
    // A compare-and-set takes a pair.
    let cas =
        "{:type :invoke :process 0 :f :cas :value [nil 2]}{:type :ok :process 0 :f :cas :value [nil 2]}";
    assert_eq!(run("h.edn", cas, &["--model", "cas-register"]).code, 0);
}

#[test]
fn numbers_for_names_are_asked_about() {
    let history = r#"[{"ClientId":0,"Input":{"Op":0,"Key":"x","Value":"a"},"Call":0,"Output":{"Value":""},"Return":10},
 {"ClientId":1,"Input":{"Op":1,"Key":"x","Value":""},"Call":15,"Output":{"Value":"zzz"},"Return":20}]"#;
    let asked = |arguments: &[&str]| run("p.json", history, &[&["--model", "kv"], arguments].concat());
    asked(&[]).refused(&["p.json:1", "--ops 0=NAME,1=NAME", "get, put, append, delete"]);
    assert_eq!(asked(&["--ops", "0=put,1=get"]).code, 1);
    asked(&["--ops", "0=get,1=put"]).refused(&["p.json"]);
    asked(&["--ops", "0=put"]).refused(&["p.json:2", "--ops 1=NAME"]);
    asked(&["--ops", "0=put,0=get"]).refused(&["twice"]);
    asked(&["--ops", "put"]).refused(&["CODE=NAME"]);
    let matching = history.replace("zzz", "a");
    assert_eq!(
        run("p.json", &matching, &["--model", "kv", "--ops", "0=put,1=get"]).code,
        0
    );
}

#[test]
fn results_and_numbers_are_never_swallowed() {
    let put = r#"{"thread":0,"op":"put","args":{"key":"x","value":"b"},"ret":RET,"start":1,"end":2}"#;
    for ret in [
        r#"{"value":"ERR timeout"}"#,
        r#""ERR timeout""#,
        r#"{"err":"no leader"}"#,
    ] {
        check("kv", "t.ndjson", &put.replace("RET", ret)).refused(&["t.ndjson:1: put", "expected"]);
    }
    let number = |number: &str, read: &str| {
        let text = format!(
            "{{\"thread\":0,\"op\":\"write\",\"args\":{{\"value\":{number}}},\"start\":1,\"end\":2,\"meta\":[0.5,1e999]}}\n\
             {{\"thread\":0,\"op\":\"read\",\"ret\":{read},\"start\":3,\"end\":4}}\n"
        );
        check("register", "t.ndjson", &text).code
    };
    assert_eq!(number("9223372036854775808", "9223372036854775808"), 0);
    assert_eq!(number("9223372036854775808", "9223372036854775809"), 1);
    assert_eq!(number("1.5", "1.50"), 0);
    assert_eq!(number("1.5", "1.25"), 1);
}

#[test]
fn numbers_in_errors_and_of_the_nemesis_do_not_stop_a_jepsen_history() {
    let history = "{:index 0, :time 100, :type :invoke, :process 0, :f :write, :value 1.5}
{:index 1, :time 110, :type :info, :process :nemesis, :f :bump-clock, :value {\"n1\" 0.25, \"n2\" -3.5e-3}}
{:index 2, :time 150, :type :ok, :process 0, :f :write, :value 1.5}
{:index 3, :time 160, :type :info, :process :nemesis, :f :check-offsets, :clock-offsets {\"n1\" 0.0123}}
{:index 4, :time 330, :type :invoke, :process 6, :f :read, :value nil}
{:index 5, :time 340, :type :fail, :process 6, :f :read, :value nil, :error [:not-found 1.5 3/7]}
{:index 6, :time 350, :type :invoke, :process 7, :f :read, :value nil}
{:index 7, :time 360, :type :ok, :process 7, :f :read, :value 1.5}";
    let ran = check("register", "h.edn", history);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("skipped 2 events"), "{ran:?}");
    check(
        "register",
        "h.edn",
        &history.replace(":f :read, :value 1.5", ":f :read, :value )"),
    )
    .refused(&["h.edn:8: not an EDN form: byte 62"]);
    check(
        "register",
        "h.edn",
        &history.replace(":process 7, :f :read", ":process 7, :f :frobnicate"),
    )
    .refused(&["h.edn:7: the model register has no operation \"frobnicate\""]);
}

#[test]
fn transactions_of_lists_and_registers_are_checked() {
    let appends = "{:type :invoke, :process 0, :f :txn, :value [[:append 5 1] [:r 5 nil]]}
{:type :ok, :process 0, :f :txn, :value [[:append 5 1] [:r 5 [1]]]}
{:type :invoke, :process 1, :f :txn, :value [[:append 5 2] [:r 5 nil]]}
{:type :ok, :process 1, :f :txn, :value [[:append 5 2] [:r 5 LIST]]}";
    let registers = "{:type :invoke, :process 0, :f :txn, :value [[:w 5 1] [:r 6 nil]]}
{:type :ok, :process 0, :f :txn, :value [[:w 5 1] [:r 6 nil]]}
{:type :invoke, :process 1, :f :txn, :value [[:w 6 2] [:r 5 nil]]}
{:type :ok, :process 1, :f :txn, :value [[:w 6 2] [:r 5 SEEN]]}";
    // As Elle's own histories are: without :f and :process.
    let bare = "{:index 0 :type :invoke :value [[:append 1 1]]}\n{:index 1 :type :ok :value [[:append 1 1]]}\n\
                {:index 2 :type :invoke :value [[:r 1 nil]]}\n{:index 3 :type :ok :value [[:r 1 [1]]]}";
    let json = r#"[{"type":"invoke","f":"txn","value":[["w","x",2]],"process":0,"index":1},
{"type":"ok","f":"txn","value":[["w","x",2]],"process":0,"index":2},
{"type":"invoke","f":"txn","value":[["r","x",null]],"process":0,"index":3},
{"type":"ok","f":"txn","value":[["r","x",3]],"process":0,"index":4}]"#;
    for level in [
        "read-committed",
        "snapshot-isolation",
        "serializable",
        "strict-serializable",
    ] {
        for (history, code) in [
            (appends.replace("LIST", "[1 2]"), 0),
            (appends.replace("LIST", "[2]"), 1),
            (registers.replace("SEEN", "1"), 0),
            (registers.replace("SEEN", "7"), 1),
            (bare.to_owned(), 0),
            (json.to_owned(), 1),
        ] {
            let ran = run("h.edn", &history, &["--consistency", level]);
            assert_eq!(ran.code, code, "{level}: {history} {ran:?}");
        }
    }
}

#[test]
fn a_json_array_of_our_records_is_read() {
    let array = "[\n {\"thread\":0,\"op\":\"write\",\"args\":{\"value\":1},\"start\":1,\"end\":2},\n {\"thread\":0,\"op\":\"read\",\
                 \"ret\":RET,\"start\":3,\"end\":4}\n]\n";
    for format in [&[][..], &["--format", "json"], &["--format", "ndjson"]] {
        for (ret, code) in [("1", 0), ("2", 1)] {
            let ran = run(
                "t.json",
                &array.replace("RET", ret),
                &[&["--model", "register"], format].concat(),
            );
            assert_eq!(ran.code, code, "{format:?} {ran:?}");
        }
    }
    check(
        "register",
        "t.json",
        &array.replace("\"op\":\"read\"", "\"opp\":\"read\""),
    )
    .refused(&["t.json:3", "unknown field \"opp\" (did you mean \"op\"?)"]);
    let cut = &array[..array.len() - 30];
    let ran = check("register", "t.json", cut);
    assert!(
        ran.code == 0 && ran.stderr.contains("the last element is incomplete"),
        "{ran:?}"
    );
}

#[cfg(unix)]
#[test]
fn pipes_are_read_once() {
    let path = example("register-valid.ndjson");
    let bytes = std::fs::read(&path).unwrap();
    for level in ["linearizable", "causal"] {
        let ran = omnilink_reading(
            &bytes,
            &[
                "check",
                "/dev/stdin",
                "--model",
                "register",
                "--consistency",
                level,
            ],
        );
        assert_eq!(ran.code, 0, "{level} {ran:?}");
    }
    let folder = folder(&[]);
    let fifo = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut writer = Command::new("cp")
        .arg(&path)
        .arg(&fifo)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let ran = omnilink_in(folder.path(), &["check", "pipe", "--model", "register"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(writer.wait().unwrap().success());
}

#[test]
fn compressed_data_that_end_early_are_said_to() {
    const CUT: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x95\xcf\xb1\x0e\xc2\x30\x0c\x04\xd0\xbd\x9f\x71\x73\x86\x26";
    for length in [3, 10, 15, CUT.len()] {
        let folder = folder(&[]);
        std::fs::write(folder.path().join("t.ndjson.gz"), &CUT[..length]).unwrap();
        let ran = omnilink_in(folder.path(), &["check", "t.ndjson.gz", "--model", "register"]);
        ran.refused(&["t.ndjson.gz", "the compressed data end early"]);
    }
}

fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

#[test]
fn the_folder_of_a_jepsen_run_is_a_history() {
    let history = KEYED.replace("SEEN", "1");
    let folder = folder(&[]);
    let run = "store/etcd/20260101T000000";
    write(folder.path(), &format!("{run}/results.edn"), "{:valid? true}");
    write(
        folder.path(),
        &format!("{run}/jepsen.log"),
        "INFO jepsen.core - hello\n",
    );
    write(folder.path(), &format!("{run}/test.jepsen"), "JEPSEN\0\0\0");
    write(folder.path(), &format!("{run}/history.edn"), &history);
    let asked = |path: &str| omnilink_in(folder.path(), &["check", path, "--model", "cas-register"]);
    let ran = asked(run);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("a Jepsen run; its history.edn is read"),
        "{ran:?}"
    );
    asked("store/etcd").refused(&["a folder of Jepsen runs", run]);
    asked("store").refused(&["a folder of Jepsen runs", run]);
    asked(&format!("{run}/test.jepsen")).refused(&["Jepsen's own binary format", "history.edn"]);
    std::fs::remove_file(folder.path().join(run).join("history.edn")).unwrap();
    write(
        folder.path(),
        &format!("{run}/history.txt"),
        "0\t:invoke\t:write\t1\n0\t:ok\t:write\t1\n:nemesis\t:info\t:start\tnil\n",
    );
    let ran = asked(run);
    assert!(
        ran.code == 0 && ran.stderr.contains("its history.txt is read"),
        "{ran:?}"
    );
    std::fs::remove_file(folder.path().join(run).join("history.txt")).unwrap();
    std::fs::remove_file(folder.path().join(run).join("jepsen.log")).unwrap();
    std::fs::remove_file(folder.path().join(run).join("results.edn")).unwrap();
    asked(run).refused(&["Jepsen's own binary format"]);
}

#[test]
fn events_without_a_process_and_times_that_go_back_are_read_and_said() {
    let bare = "{:index 1, :type :invoke :f :read :value nil :time 5}
{:index 2, :type :invoke :f :write :value 4 :time 6}
{:index 3, :type :ok :f :write :value 4 :time 4}
{:index 4, :type :ok :f :read :value SEEN :time 8}";
    for (seen, code) in [("4", 0), ("nil", 0), ("5", 1)] {
        let ran = check("register", "h.edn", &bare.replace("SEEN", seen));
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(
            ran.stderr.contains("h.edn:3: the :time goes back here"),
            "{ran:?}"
        );
    }
    check(
        "register",
        "h.edn",
        &bare.replace(":f :write :value 4 :time 6", ":f :read :value nil :time 6"),
    )
    .refused(&[
        "h.edn:3: write returns without saying of which process",
        "add :process",
    ]);
}

/// A number that is no 64-bit integer is an opaque value in a specification: compared, stored, and nothing else.
#[test]
fn a_specification_compares_opaque_numbers_and_does_not_compute_with_them() {
    let spec = "---- MODULE Reg ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\nWrite(v) == x' = v\n\
                Read(r) == r = x /\\ x' = x\nAdd(n) == x' = x + n\nNext == Write(0) \\/ Read(0) \\/ Add(0)\n====\n";
    let trace = |op: &str, number: &str| {
        format!(
            "{{\"thread\":18446744073709551615,\"op\":\"Write\",\"args\":[1.5],\"start\":1,\"end\":2}}\n\
             {{\"thread\":18446744073709551615,\"op\":\"{op}\",\"args\":[{number}],\"start\":3,\"end\":4}}\n"
        )
    };
    let validated = |op: &str, number: &str| {
        let folder = folder(&[("Reg.tla", spec), ("t.ndjson", &trace(op, number))]);
        omnilink_in(folder.path(), &["validate", "Reg.tla", "t.ndjson"])
    };
    assert_eq!(validated("Read", "1.50").code, 0);
    assert_eq!(validated("Read", "2.5").code, 1);
    validated("Add", "1").refused(&["t.ndjson:2", "1.5 is needed to be an integer"]);
}
