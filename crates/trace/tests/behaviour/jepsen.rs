//! Jepsen histories: what becomes of invoke, ok, fail and info.

use crate::support::{draw, notes, open, read, refusal};

#[test]
fn a_text_log_is_read_event_by_event() {
    let log = "\
INFO  jepsen.core - Everyone is ready
INFO  jepsen.util - 0\t:invoke\t:write\t3
INFO  jepsen.util - 1 :invoke :read nil
INFO  jepsen.util - 1 :ok :read 3
INFO  jepsen.util - 0 :info :write :timed-out
INFO  jepsen.util - :nemesis :info :start nil
INFO  jepsen.util - 0 :invoke :cas [3 4]
INFO  jepsen.util - 0 :fail :cas [3 4]
INFO  jepsen.util - 2 :invoke :read nil
";
    let operations = read(log);
    assert_eq!(
        draw(&operations),
        "\
0 [0,…] write(value: 3)
1 [1,2] read(value: null) = 3
\"0'\" [4,5] cas(value: <<3, 4>>) = <<3, 4>> aborted
2 [6,…] read(value: null)
"
    );
    assert_eq!(
        operations[0].meta.as_ref().map(ToString::to_string),
        Some("[error |-> \"timed-out\"]".to_owned())
    );
    assert_eq!(operations[0].location.to_string(), "test:2");
    assert_eq!(notes(log), ["test: skipped 2 lines that are no client events"]);
}

#[test]
fn histories_in_edn_come_as_a_vector_a_list_or_maps() {
    let events = "{:process 0, :type :invoke, :f :append, :key \"7\", :value \"x\"} ; a comment
        #_{:ignored true} #jepsen.history.Op{:process 0, :type :ok, :f :append, :key \"7\", :value nil}";
    for history in [format!("[{events}]"), format!("({events})\n"), events.to_owned()] {
        assert_eq!(
            draw(&read(&history)),
            "0 [0,1] append(key: \"7\", value: \"x\") = null\n"
        );
    }
}

#[test]
fn time_is_the_clock_where_every_event_has_it_and_it_never_goes_back() {
    let event = |kind: &str, time: &str| format!("{{:process 0, :type :{kind}, :f :read, :value 1{time}}}\n");
    let drawn = |first: &str, second: &str| draw(&read(event("invoke", first) + &event("ok", second)));
    assert_eq!(
        drawn(", :time 10", ", :time 25"),
        "0 [10,25] read(value: 1) = 1\n"
    );
    assert_eq!(drawn(", :time 10", ""), "0 [0,1] read(value: 1) = 1\n");
    assert_eq!(drawn(", :time 10", ", :time 9"), "0 [0,1] read(value: 1) = 1\n");
}

#[test]
fn an_error_and_what_else_a_completion_says_is_kept_as_meta() {
    let operations = read(
        "[{:process 1 :type :invoke :f :write :value 3} {:process 1 :type :fail :f :write :value 3 :error [:gone nil]}]",
    );
    assert_eq!(draw(&operations), "1 [0,1] write(value: 3) = 3 aborted\n");
    assert_eq!(
        operations[0].meta.as_ref().map(ToString::to_string),
        Some("[error |-> <<\"gone\", null>>]".to_owned())
    );
}

#[test]
fn events_that_do_not_fit_are_refused() {
    let invoke = "{:process 1 :type :invoke :f :read}\n";
    let ok = "{:process 1 :type :ok :f :read}\n";
    for (history, message) in [
        (
            invoke.to_owned() + ok + ok,
            "test:3: read of process 1 returns, but the process has no open call",
        ),
        (
            invoke.to_owned() + invoke,
            "test:2: process 1 calls read while its call in test:1 is still open",
        ),
        (
            invoke.to_owned() + &ok.replace("read", "write"),
            "test:2: process 1 returns from write, but its open call is read",
        ),
        (
            "{:process 1 :type :done :f :read}".to_owned(),
            "test:1: read: the field \"type\" holds \"done\"; expected invoke, ok, fail or info",
        ),
        (
            "{:type :invoke :f :x}{:type :invoke :f :x}\n{:type :ok :f :x}".to_owned(),
            "test:2: x returns without saying of which process, and 2 open calls fit it; add :process to the events",
        ),
        (
            "\n[1.5]".to_owned(),
            "test:2: expected an event map such as {:process 0, :type :invoke, :f :read, :value nil}, found \"1.5\"",
        ),
        (
            "{:process 0 :type :invoke :f :read}\n{:process 0 :type :ok\n :f :read :value )}".to_owned(),
            "test:3: not an EDN form: byte 17: found ')' where '}' would close the form",
        ),
        (
            "[] []".to_owned(),
            "test:1: expected a history: one vector or list of event maps, or event maps, found \"a second list\"",
        ),
    ] {
        let options = omnilink_trace::OpenOptions::new().with_format(Some(omnilink_trace::Format::JepsenEdn));
        let trace = omnilink_trace::Trace::from_bytes("test", history.as_bytes(), &options);
        let error = trace
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .expect_err(&history);
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_history_of_the_nemesis_alone_has_no_operations_and_is_not_empty() {
    let history = "[{:process :nemesis, :type :info, :f :kill, :value nil}
 {:process :nemesis, :type :info, :f :recover, :value nil}]";
    let trace = open(history).expect("a trace");
    assert!(trace.header().is_some());
    assert_eq!(read(history).len(), 0);
    assert_eq!(
        notes(history),
        ["test: skipped 2 events of no client, such as the nemesis"]
    );
    assert!(open("; none\n[]").expect("a trace").header().is_none());
}

#[test]
fn a_history_that_is_cut_off_is_read_up_to_the_cut() {
    let history = "[{:process 1 :type :invoke :f :read :value nil}\n {:process 1 :type :ok :f :re";
    assert_eq!(draw(&read(history)), "1 [0,…] read(value: null)\n");
    assert_eq!(
        notes(history),
        ["test:1: cut off here: the last event is incomplete; everything before was read"]
    );
    let unclosed = "[{:process 1 :type :invoke :f :read :value nil}";
    assert_eq!(
        notes(unclosed),
        ["test:1: cut off here: the history is not closed; everything before was read"]
    );
    let log = "INFO jepsen.util - 0 :invoke :read nil\nINFO jepsen.util - 0 :ok :read";
    assert_eq!(draw(&read(log)), "0 [0,…] read(value: null)\n");
}

#[test]
fn every_published_history_is_read() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let mut total = 0;
    for folder in [
        "porcupine/jepsen",
        "porcupine/kv",
        "knossos/cas-register/good",
        "knossos/cas-register/bad",
    ] {
        for entry in std::fs::read_dir(format!("{data}/{folder}")).expect("a folder") {
            let path = entry.expect("an entry").path();
            let bytes = std::fs::read(&path).expect("a file");
            let invokes = String::from_utf8_lossy(&bytes).matches(":invoke").count();
            let operations = read(bytes).len();
            assert_eq!(operations, invokes, "{}", path.display());
            total += operations;
        }
    }
    assert!(total > 8000, "{total}");
}

#[test]
fn irrelevant_numbers_do_not_stop_a_history() {
    let history = "{:process 0 :type :invoke :f :read :value nil :time 5}
{:process :nemesis :type :info :f :bump :value {\"n1\" 0.25, \"n2\" -3.5e-3 \"n3\" 1/3 \"n4\" ##Inf}}
{:process 0 :type :fail :f :read :value nil :error [:late 1.5 123456789012345678901234567890] :time 6}";
    assert_eq!(draw(&read(history)), "0 [5,6] read(value: null) = null aborted\n");
}

#[test]
fn events_without_a_process_complete_the_one_call_that_they_fit() {
    let history = "{:index 0 :type :invoke :f :read :value nil}
{:index 1 :type :invoke :f :write :value 4}
{:index 2 :type :invoke :f :write :value 5}
{:index 3 :type :ok :f :write :value 5}
{:index 4 :type :info :f :heal}
{:index 5 :type :ok :f :read :value 5}
{:index 6 :type :invoke :value [[:r 1 nil] [:append 2 7]]}
{:index 7 :type :ok :value [[:r 1 [3]] [:append 2 7]]}";
    assert_eq!(
        draw(&read(history)),
        "\"line 1\" [0,5] read(value: null) = 5
\"line 2\" [1,…] write(value: 4)
\"line 3\" [2,3] write(value: 5) = 5
\"line 7\" [6,7] txn(value: <<<<\"r\", 1, null>>, <<\"append\", 2, 7>>>>) = <<<<\"r\", 1, <<3>>>>, <<\"append\", 2, 7>>>>\n"
    );
}

#[test]
fn transactions_may_be_recorded_by_their_completions_alone() {
    let history = "{:process 0 :type :ok :f :txn :value [[:w 1 1]]}
{:process 0 :type :ok :f :txn :value [[:r 1 1]]}
{:process 1 :type :info :f :txn :value [[:w 1 2]]}";
    assert_eq!(
        draw(&read(history)),
        "0 [0,1] txn(value: <<<<\"w\", 1, 1>>>>) = <<<<\"w\", 1, 1>>>>
1 [0,…] txn(value: <<<<\"w\", 1, 2>>>>)
0 [2,3] txn(value: <<<<\"r\", 1, 1>>>>) = <<<<\"r\", 1, 1>>>>\n"
    );
    assert!(notes(history)[0].contains("no :invoke"));
    assert_eq!(
        refusal("{:process 1 :type :ok :f :read}"),
        "test:1: read of process 1 returns, but the process has no open call"
    );
}

#[test]
fn a_time_that_decreases_is_noted_and_the_order_of_the_history_counts() {
    let history = "{:process 0 :type :invoke :f :read :time 5}
{:process 0 :type :ok :f :read :value 1 :time 4}";
    assert_eq!(draw(&read(history)), "0 [0,1] read() = 1\n");
    assert_eq!(
        notes(history)[0],
        "test:2: the :time goes back here; events are taken in the order of the history"
    );
}

#[test]
fn json_is_read_as_edn_is() {
    let lines = r#"{"type":"invoke","f":"read","process":0,"time":11,"index":0}
{"type":"info","f":"kill","process":"nemesis","value":1.5}
{"type":"ok","f":"read","process":0,"time":12,"value":{"0":10,"1":-1},"index":1}"#;
    let array = format!("[{}]", lines.replace('\n', ",\n"));
    for history in [lines, &array] {
        assert_eq!(draw(&read(history)), "0 [11,12] read() = (0 :> 10 @@ 1 :> -1)\n");
        assert_eq!(
            notes(history)[0],
            "test: skipped 1 events of no client, such as the nemesis"
        );
    }
    assert_eq!(
        refusal(format!(
            "[{},\n{{\"type\":\"ok\",\"f\":\"read\"}}]",
            lines.lines().next().expect("a line")
        )),
        "test:2: read returns without saying of which process, and no open call fits it; add :process to the events"
    );
}
