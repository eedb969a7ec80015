//! OmniLink's per-thread logs.

use omnilink_trace::{OpenOptions, Operation, Trace};
use omnilink_value::Value;

use crate::support::{draw, notes, read, refusal};

fn record(json: &str) -> Vec<u8> {
    Value::from_json(json.as_bytes()).expect(json).to_msgpack()
}

fn call(name: &str, fields: &str, start: i64, end: i64) -> Vec<u8> {
    record(&format!(
        r#"{{"operation_name":"{name}","operation":{{{fields}"_did_abort":false,"_op_start":{start},"_op_end":{end},"_meta":null}}}}"#
    ))
}

fn log() -> Vec<u8> {
    [
        call("Push", r#""value":3,"#, 10, 12),
        call("Pop", r#""result":{"$set":[3]},"#, 13, 15),
        record(
            r#"{"operation_name":"Pop","operation":{"_did_abort":true,"_op_start":16,"_op_end":18,"_meta":{"tries":2}}}"#,
        ),
        call("__TerminateThread", "", 20, 21),
    ]
    .concat()
}

#[test]
fn a_log_is_the_thread_its_file_is_named_after() {
    let operations = read(log());
    assert_eq!(
        draw(&operations),
        "\"test\" [10,12] Push(value: 3)\n\"test\" [13,15] Pop(result: {3})\n\"test\" [16,18] Pop() aborted\n"
    );
    assert_eq!(
        operations[2].meta.as_ref().and_then(|meta| meta.field("tries")),
        Some(&Value::int(2))
    );
    assert_eq!(notes(log()), ["test: skipped 1 __TerminateThread records"]);
}

#[test]
fn a_directory_of_logs_is_one_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tracing-queue-1.log"), log()).expect("a file");
    std::fs::write(
        folder.path().join("tracing-queue-2.log"),
        call("Push", r#""value":9,"#, 11, 19),
    )
    .expect("a file");
    let trace = Trace::open(folder.path(), &OpenOptions::default()).expect("a trace");
    let operations: Vec<Operation> = trace.collect::<Result<_, _>>().expect("readable");
    assert_eq!(operations.len(), 4);
    assert_eq!(operations[1].thread, Value::str("tracing-queue-2"));
}

#[test]
fn a_thread_that_died_is_noted() {
    let bytes = [log(), call("__AbortThread", r#""signal":"SIGSEGV","#, 22, 23)].concat();
    assert!(
        notes(&bytes)
            .iter()
            .any(|note| note.ends_with("thread \"test\" died (\"SIGSEGV\")"))
    );
    assert_eq!(read(&bytes).len(), 3);
    let options = OpenOptions::new().with_thread_ends(true);
    let trace = Trace::from_bytes("test", bytes, &options).expect("a trace");
    let names: Vec<String> = trace
        .map(|operation| operation.expect("readable").name.to_string())
        .collect();
    assert_eq!(
        names,
        ["Push", "Pop", "Pop", "__TerminateThread", "__AbortThread"]
    );
}

#[test]
fn a_log_that_is_cut_off_is_read_up_to_the_cut_and_damage_is_an_error() {
    let whole = log();
    assert_eq!(read(&whole[..whole.len() - 5]).len(), 3);
    assert_eq!(notes(&whole[..whole.len() - 5]).len(), 1);
    assert!(refusal([log(), vec![0; 10], log()].concat()).contains("damaged"));
}

#[test]
fn a_record_that_lacks_something_is_refused() {
    let message = refusal(record(
        r#"{"operation_name":"Pop","operation":{"_op_start":1,"_op_end":2}}"#,
    ));
    assert_eq!(
        message,
        "test: byte 0: Pop: the field \"_did_abort\" is missing; expected true or false"
    );
}
