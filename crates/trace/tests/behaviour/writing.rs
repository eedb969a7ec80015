//! Writing: nothing half-written, promises kept.

use std::fs;

use omnilink_trace::{
    Args, Encoding, Header, OpenOptions, Operation, Timebox, Trace, TraceWriter, WriteOptions,
};

fn operation(start: i64) -> Operation {
    Operation::new(
        0,
        "x",
        Args::positional([start.into()]),
        Timebox::new(start, start),
    )
    .returning(true)
}

#[test]
fn a_record_is_written_as_documented() {
    let mut text = String::new();
    omnilink_trace::encode_json(&operation(3), &mut text);
    assert_eq!(
        text,
        r#"{"thread":0,"op":"x","args":[3],"start":3,"end":3,"ret":true}"#
    );
}

#[test]
fn a_file_appears_only_when_it_is_finished() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.ndjson");
    let entries = || fs::read_dir(folder.path()).expect("a folder").count();
    let mut writer = TraceWriter::create(&path, &WriteOptions::default()).expect("a writer");
    writer.write(&operation(1)).expect("written");
    assert!(!path.exists());
    drop(writer);
    assert_eq!(entries(), 0, "a writer that is dropped leaves nothing behind");
    let mut writer = TraceWriter::create(&path, &WriteOptions::default()).expect("a writer");
    writer.write(&operation(1)).expect("written");
    writer.finish().expect("finished");
    assert_eq!(entries(), 1);
}

#[test]
fn a_header_is_kept_and_the_promise_of_order_is_added() {
    let folder = tempfile::tempdir().expect("a folder");
    for encoding in [Encoding::Ndjson, Encoding::Msgpack] {
        let path = folder.path().join("trace");
        let header = Some(Header::new([("a", 1.into()), ("spec", "Queue".into())]));
        let options = WriteOptions::new()
            .with_encoding(encoding)
            .with_header(header)
            .with_sorted(true);
        let mut writer = TraceWriter::create(&path, &options).expect("a writer");
        writer.write(&operation(2)).expect("written");
        assert!(writer.write(&operation(1)).is_err(), "late");
        writer.finish().expect("finished");
        let trace = Trace::open(&path, &OpenOptions::default()).expect("a trace");
        let header = trace.header().expect("a header");
        assert!(header.is_sorted());
        assert_eq!(
            header.as_value().to_string(),
            "[a |-> 1, omnilink |-> 1, sorted |-> TRUE, spec |-> \"Queue\"]"
        );
        assert_eq!(trace.count(), 1);
    }
}

#[test]
fn an_unwritable_folder_is_named() {
    let error = TraceWriter::create("/no/such/folder/a.ndjson".as_ref(), &WriteOptions::default())
        .expect_err("no folder");
    assert!(
        error.to_string().starts_with("/no/such/folder/a.ndjson: "),
        "{error}"
    );
}
