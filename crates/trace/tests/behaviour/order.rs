//! Whatever the order, the layout and the encoding of the input: the same operations in order of start.

use std::fs;

use omnilink_trace::{Args, InputOrder, OpenOptions, Operation, Timebox, Trace, TraceWriter, WriteOptions};
use proptest::prelude::*;

use crate::arbitrary;
use crate::support::{draw, notes, read, without_locations};

fn operation(thread: i64, start: i64) -> Operation {
    Operation::new(
        thread,
        "x",
        Args::named([("start", start.into())]),
        Timebox::new(start, start),
    )
}

fn ndjson(operations: &[Operation]) -> Vec<u8> {
    let mut text = String::new();
    for operation in operations {
        omnilink_trace::encode_json(operation, &mut text);
        text.push('\n');
    }
    text.into_bytes()
}

fn msgpack(operations: &[Operation]) -> Vec<u8> {
    operations
        .iter()
        .flat_map(omnilink_trace::msgpack_record)
        .collect()
}

#[test]
fn buffers_of_several_threads_are_one_trace() {
    let buffers = [
        msgpack(&[operation(0, 1), operation(0, 6)]),
        ndjson(&[operation(1, 2), operation(1, 4)]),
        msgpack(&[]),
    ];
    let trace = Trace::from_buffers("threads", buffers, &OpenOptions::default()).unwrap();
    let operations: Vec<Operation> = trace.collect::<Result<_, _>>().unwrap();
    assert_eq!(starts(&operations), [1, 2, 4, 6]);
    assert_eq!(operations[1].location.to_string(), "threads[1]:1");
}

fn starts(operations: &[Operation]) -> Vec<i64> {
    operations
        .iter()
        .map(|operation| operation.timebox.start)
        .collect()
}

#[test]
fn a_small_unsorted_file_is_sorted_and_the_note_says_so() {
    let operations = [operation(0, 5), operation(1, 3), operation(2, 3)];
    assert_eq!(
        draw(&read(ndjson(&operations))),
        "1 [3,3] x(start: 3)\n2 [3,3] x(start: 3)\n0 [5,5] x(start: 5)\n"
    );
    assert_eq!(
        notes(ndjson(&operations)),
        ["test: was not in order of start; sorted"]
    );
    assert_eq!(notes(ndjson(&operations[1..])), [] as [&str; 0]);
}

#[test]
fn large_files_in_any_order_come_out_sorted() {
    let count = 70_000_i64;
    let sorted: Vec<_> = (0..count).map(|start| operation(start % 3, start)).collect();
    let mut nearly = sorted.clone();
    for pair in nearly.chunks_exact_mut(2) {
        pair.swap(0, 1);
    }
    let mut by_thread = sorted.clone();
    by_thread.sort_by_key(|operation| operation.thread.as_int());
    let reversed: Vec<_> = sorted.iter().rev().cloned().collect();
    for (input, note) in [
        (&sorted, vec![]),
        (&nearly, vec!["test: was not in order of start; sorted"]),
        (
            &by_thread,
            vec!["test: was not in order of start; sorted through temporary files"],
        ),
        (
            &reversed,
            vec!["test: was not in order of start; sorted through temporary files"],
        ),
    ] {
        for bytes in [ndjson(input), msgpack(input)] {
            assert_eq!(starts(&read(&bytes)), (0..count).collect::<Vec<_>>());
            assert_eq!(notes(&bytes), note);
        }
    }
}

#[test]
fn equal_starts_stay_in_the_order_of_the_file_through_temporary_files() {
    let operations: Vec<_> = (0..100_000).map(|index| operation(index, -(index % 3))).collect();
    let read = read(ndjson(&operations));
    let mut expected = operations;
    expected.sort_by_key(|operation| operation.timebox.start);
    assert_eq!(without_locations(read), without_locations(expected));
}

#[test]
fn places_survive_sorting_through_temporary_files() {
    let operations: Vec<_> = (0..40_000).map(|index| operation(index, -index)).collect();
    let read = read(ndjson(&operations));
    assert_eq!(read[0].location.to_string(), "test:40000");
    assert_eq!(read[39_999].location.to_string(), "test:1");
}

#[test]
fn a_stream_that_claims_to_be_sorted_is_held_to_it() {
    let options = OpenOptions::new().with_order(InputOrder::Sorted);
    let bytes = ndjson(&[operation(0, 5), operation(1, 3)]);
    let trace = Trace::from_bytes("test", bytes, &options).expect("a trace");
    let error = trace.last().expect("two lines").expect_err("the second is late");
    assert!(
        error
            .to_string()
            .starts_with("test:2: x starts at 3, but a later start was already passed on"),
        "{error}"
    );
    let promise = [
        b"{\"omnilink\":1,\"sorted\":true}\n".to_vec(),
        ndjson(&[operation(0, 5), operation(1, 3)]),
    ]
    .concat();
    assert!(crate::support::read_all(promise).is_err());
}

#[test]
fn a_pipe_is_sorted_within_a_window() {
    let mut operations: Vec<_> = (0..60_000).map(|start| operation(start, start)).collect();
    operations[50_000..50_900].reverse();
    let bytes = std::io::Cursor::new(ndjson(&operations));
    let trace = Trace::from_reader("pipe", bytes, &OpenOptions::default()).expect("a trace");
    let read: Vec<_> = trace.collect::<Result<_, _>>().expect("a readable trace");
    assert_eq!(starts(&read), (0..60_000).collect::<Vec<_>>());
}

#[test]
fn a_pipe_that_is_known_to_be_unsorted_is_sorted_whatever_its_order() {
    let operations: Vec<_> = (0..40_000).rev().map(|start| operation(start, start)).collect();
    let bytes = std::io::Cursor::new(msgpack(&operations));
    let options = OpenOptions::new().with_order(InputOrder::Unsorted);
    let trace = Trace::from_reader("pipe", bytes, &options).expect("a trace");
    let read: Vec<_> = trace.collect::<Result<_, _>>().expect("a readable trace");
    assert_eq!(starts(&read), (0..40_000).collect::<Vec<_>>());
}

#[test]
fn a_trace_may_be_read_on_another_thread() {
    fn crosses_threads<T: Send + 'static>() {}
    crosses_threads::<Trace>();
    crosses_threads::<TraceWriter>();
}

#[test]
fn a_directory_of_many_files_is_one_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in 0..200 {
        let operations: Vec<_> = (0..300)
            .map(|index| operation(file, index * 200 + file))
            .rev()
            .collect();
        fs::write(
            folder.path().join(format!("{file}.msgpack")),
            msgpack(&operations),
        )
        .expect("a file");
    }
    let trace = Trace::open(folder.path(), &OpenOptions::default()).expect("a trace");
    let read: Vec<_> = trace.collect::<Result<_, _>>().expect("a readable trace");
    assert_eq!(starts(&read), (0..60_000).collect::<Vec<_>>());
}

#[test]
fn a_directory_is_one_trace_with_a_thread_per_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write(
        "t1.ndjson",
        "{\"op\":\"a\",\"start\":1,\"end\":2}\n{\"op\":\"c\",\"start\":5,\"end\":6}\n",
    );
    write(
        "t2.ndjson",
        "{\"omnilink\":1,\"thread\":9}\n{\"op\":\"b\",\"start\":2,\"end\":7}\n",
    );
    write("t3.ndjson", "{\"thread\":3,\"op\":\"d\",\"start\":0,\"end\":7}\n");
    write("README.md", "not a trace");
    write(".hidden.ndjson", "not a trace either");
    let mut trace = Trace::open(folder.path(), &OpenOptions::default()).expect("a trace");
    let operations: Vec<_> = trace.by_ref().collect::<Result<_, _>>().expect("readable");
    assert_eq!(
        draw(&operations),
        "3 [0,7] d()\n\"t1\" [1,2] a()\n9 [2,7] b()\n\"t1\" [5,6] c()\n"
    );
    assert!(
        trace.notes()[0]
            .to_string()
            .ends_with("skipped 2 entries that are no trace files by their extension")
    );
}

#[test]
fn an_empty_directory_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(Trace::open(folder.path(), &OpenOptions::default()).is_err());
}

#[test]
fn the_threads_of_nodes_that_count_alike_are_told_apart_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["n1.ndjson", "n2.ndjson"].map(|name| folder.path().join(name));
    for path in &paths {
        fs::write(path, "{\"thread\":0,\"op\":\"a\",\"start\":1,\"end\":2}\n").expect("a file");
    }
    assert!(
        Trace::open_all(&paths, &OpenOptions::default())
            .expect("a trace")
            .any(|operation| operation.is_err())
    );
    let options = OpenOptions::new().with_qualified_threads(true);
    let trace = Trace::open_all(&paths, &options).expect("a trace");
    let operations: Vec<_> = trace.collect::<Result<_, _>>().expect("readable");
    assert_eq!(draw(&operations), "\"n1/0\" [1,2] a()\n\"n2/0\" [1,2] a()\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_layout_gives_the_same_operations(operations in prop::collection::vec(arbitrary::operation(), 0..12)) {
        let options = OpenOptions::new().with_async_threads(true);
        let mut expected = without_locations(operations.clone());
        expected.sort_by_key(|operation| operation.timebox.start);
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.ndjson", "a.ndjson.gz", "a.ndjson.zst", "a.msgpack", "a.msgpack.gz", "a.msgpack.zst"] {
            let path = folder.path().join(name);
            let mut writer = TraceWriter::create(&path, &WriteOptions::for_path(&path)).expect("a writer");
            for operation in &operations {
                writer.write(operation).expect("written");
            }
            writer.finish().expect("finished");
            let trace = Trace::open(&path, &options).expect("a trace");
            let read: Vec<_> = trace.collect::<Result<_, _>>().expect("readable");
            prop_assert_eq!(without_locations(read), expected.clone(), "{}", name);
        }
        let parts = tempfile::tempdir().expect("a folder");
        for (index, chunk) in operations.chunks(5).enumerate() {
            fs::write(parts.path().join(format!("{index}.ndjson")), ndjson(chunk)).expect("a file");
        }
        if !operations.is_empty() {
            let trace = Trace::open(parts.path(), &options).expect("a trace");
            let read: Vec<_> = trace.collect::<Result<_, _>>().expect("readable");
            prop_assert_eq!(without_locations(read), expected);
        }
    }
}
