//! The contract of all readers: the input is read to its end, or an error or a note says where and why not.
//!
//! Every format is cut at every byte, continued by garbage and by a second document, compressed, and given bytes that are no text. What is read
//! then differs from the whole only if something says so.

use std::io::Write;

use omnilink_trace::{Args, Format, OpenOptions, Operation, Timebox, Trace, msgpack_record};
use omnilink_value::Value;

use crate::session_transactions::bincode;
use crate::spans_protobuf::{framed, proto_message};

/// A small trace of a format, as records that stand one after the other.
struct Sample {
    format: Format,
    records: Vec<Vec<u8>>,
    /// Whether the format itself tells where it ends, so that no cut is a shorter trace.
    has_end: bool,
    is_text: bool,
}

impl Sample {
    fn of(format: Format, has_end: bool, is_text: bool, records: Vec<Vec<u8>>) -> Self {
        Self {
            format,
            records,
            has_end,
            is_text,
        }
    }

    fn lines(format: Format, text: &str) -> Self {
        let lines = text.split_inclusive('\n').map(|line| line.as_bytes().to_vec());
        Self::of(format, false, true, lines.collect())
    }

    fn document(format: Format, text: &str) -> Self {
        Self::of(format, true, true, vec![text.as_bytes().to_vec()])
    }

    fn bytes(&self) -> Vec<u8> {
        self.records.concat()
    }

    /// Whether a file that is cut here is a shorter one, of which nobody can tell that it was longer.
    fn is_shorter(&self, cut: usize) -> bool {
        let mut end = 0;
        let ends = self.records.iter().map(|record| {
            end += record.len();
            (end, record.ends_with(b"\n") && end - 1 == cut)
        });
        // Without its newline a record may be whole, too: then it reads as it would with it.
        cut == 0
            || !self.has_end
                && ends
                    .into_iter()
                    .any(|(end, lacks_newline)| end == cut || lacks_newline)
    }
}

fn record(thread: i64, start: i64) -> Operation {
    let args = Args::named([("value", Value::int(start + 12))]);
    Operation::new(thread, "write", args, Timebox::new(start, start + 5))
}

/// A trace of every format.
fn samples() -> Vec<Sample> {
    use Format as F;
    let line = |format, text: &str| Sample::lines(format, text);
    let document = |format, text: &str| Sample::document(format, text);
    let message = |end| framed(&proto_message(end, &[]));
    let cobra = |number: u8| {
        let number_of = |one: u8| u64::from(one).to_be_bytes();
        let mut bytes = vec![b'S'];
        bytes.extend(number_of(number));
        bytes.push(b'W');
        for one in [number + 7, 1, 5] {
            bytes.extend(number_of(one));
        }
        bytes.push(b'C');
        bytes.extend(number_of(number));
        bytes
    };
    let chrome =
        r#"{"ph":"X","cat":"kv","pid":1,"tid":2,"name":"put","ts":10,"dur":2,"args":{"key":"a","value":12}}"#;
    let begun = r#"{"ph":"B","cat":"kv","pid":1,"tid":3,"name":"get","ts":11}"#;
    let jaeger = r#"{"traceID":"a1","spans":[{"traceID":"a1","spanID":"b1","operationName":"put","startTime":10,"duration":5,"tags":[{"key":"key","value":"a"}],"processID":"p1"}],"processes":{"p1":{"serviceName":"client"}}}"#;
    let zipkin = r#"{"id":"b1","traceId":"a1","kind":"CLIENT","name":"put","timestamp":10,"duration":5,"tags":{"key":"a"}}"#;
    let otlp = r#"{"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[{"traceId":"a1","spanId":"b1","name":"put","kind":3,"startTimeUnixNano":"10","endTimeUnixNano":"15","attributes":[{"key":"key","value":{"stringValue":"a"}}]}]}]}]}"#;
    let ndjson = "{\"thread\":0,\"op\":\"write\",\"args\":{\"value\":12},\"start\":0,\"end\":15}\n\
                  {\"thread\":1,\"op\":\"read\",\"start\":20,\"end\":25,\"ret\":\"zwölf\"}\n";
    let omnilink = |start: i64| {
        let body = Value::record([
            ("_op_start", Value::int(start)),
            ("_op_end", Value::int(start + 5)),
            ("_did_abort", Value::bool(false)),
            ("value", Value::int(12)),
        ]);
        Value::record([("operation_name", Value::str("write")), ("operation", body)]).to_msgpack()
    };
    vec![
        line(F::Ndjson, ndjson),
        document(
            F::Json,
            &format!("[\n{}\n]\n", ndjson.trim().replace('\n', ",\n")),
        ),
        Sample::of(
            F::Msgpack,
            false,
            false,
            vec![msgpack_record(&record(0, 1)), msgpack_record(&record(1, 9))],
        ),
        Sample::of(F::OmniLink, false, false, vec![omnilink(1), omnilink(10)]),
        document(
            F::JepsenEdn,
            "[{:process 0 :type :invoke :f :write :value 12}\n {:process 0 :type :ok :f :write :value 12}]\n",
        ),
        line(
            F::JepsenEdn,
            "{:process 0 :type :invoke :f :write :value \"zwölf\"}\n{:process 0 :type :ok :f :write :value 12}\n",
        ),
        document(
            F::JepsenJson,
            r#"[{"type":"invoke","process":0,"f":"write","value":12},{"type":"ok","process":0,"f":"write","value":12}]"#,
        ),
        line(
            F::JepsenLog,
            "INFO  jepsen.util - 0\t:invoke\t:write\t12\nINFO  jepsen.util - 0\t:ok\t:write\t12\n",
        ),
        document(
            F::Porcupine,
            r#"[{"ClientId":0,"Input":{"op":"w","value":12},"Call":5,"Output":null,"Return":17},{"ClientId":1,"Input":{"op":"r"},"Call":20,"Output":12,"Return":27}]"#,
        ),
        line(F::Fastlin, "# queue\nenq 12 10 15\ndeq 12 20 25\n"),
        line(F::Fptlin, "# queue\n0 10 15 enq 12\n1 20 25 deq 12\n"),
        line(
            F::Limo,
            "# @object atomic-queue\n[1] call enq(12)\n[1] return\n[2] call deq\n[2] return 12\n",
        ),
        line(F::Plume, "w(1,12,0,3)\nr(1,12,1,4)\n"),
        line(F::Dbcop, "[x:=12 y:=2] [y==2]!\n[x==12]\n"),
        line(F::Awdit, "w 0 12\n-----\nr 0 12\n=====\nr 0 12\n"),
        line(F::Csv, "session,txn,op,key,value\na,1,w,x,12\nb,2,r,x,12\n"),
        Sample::of(F::Cobra, false, false, vec![cobra(1), cobra(2)]),
        Sample::of(
            F::DbcopBincode,
            true,
            false,
            vec![bincode(&[
                &[(&[(true, 1, 5)], true), (&[(false, 1, 5)], false)],
                &[(&[(false, 1, 5)], true)],
            ])],
        ),
        document(
            F::DbcopJson,
            r#"{"params":{"id":1},"data":[[{"events":[{"Write":{"variable":1,"version":12}}],"committed":true}],[{"events":[["r",1,12]],"committed":true}]]}"#,
        ),
        line(
            F::Viper,
            "{\"value\":[[\"w\",1,12,true],[\"r\",2,55,true]]}\n{\"value\":[[\"r\",1,12,true]]}\n",
        ),
        line(F::Otlp, &format!("{otlp}\n{}\n", otlp.replace("b1", "b2"))),
        Sample::of(F::Otlp, false, false, vec![message(20), message(30)]),
        document(
            F::Jaeger,
            &format!("{{\"data\":[{jaeger}],\"total\":0,\"errors\":null}}\n"),
        ),
        document(F::Zipkin, &format!("[{zipkin},\n{}]", zipkin.replace("b1", "b2"))),
        document(
            F::Zipkin,
            &format!("[[{zipkin}],[{}]]", zipkin.replace("b1", "b2")),
        ),
        document(F::Chrome, &format!("[{chrome},\n{begun}]\n")),
        document(
            F::Chrome,
            &format!(
                "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[{chrome},\n{begun}],\"otherData\":{{\"a\":\"}}\"}}}}\n"
            ),
        ),
    ]
}

/// What was read of it, and what was said about it. `None` if it was refused.
type Outcome = Option<(Vec<String>, Vec<String>)>;

fn outcome(bytes: &[u8], format: Option<Format>) -> Outcome {
    let options = OpenOptions::new().with_format(format).with_async_threads(true);
    let mut trace = Trace::from_bytes("test", bytes, &options).ok()?;
    let mut operations = Vec::new();
    for operation in &mut trace {
        let operation = operation.ok()?;
        let Timebox { start, end } = operation.timebox;
        operations.push(format!(
            "{} [{start}, {end:?}] {operation} {} {:?}",
            operation.thread, operation.aborted, operation.clock
        ));
    }
    operations.sort_unstable();
    let told = trace.notes().iter().map(ToString::to_string).collect();
    Some((operations, told))
}

/// The whole of a sample, which is read without a word about its end.
fn whole(sample: &Sample) -> (Vec<String>, Vec<String>) {
    let shown = String::from_utf8_lossy(&sample.bytes()).into_owned();
    let whole = outcome(&sample.bytes(), None).unwrap_or_else(|| panic!("refused: {shown}"));
    assert!(!whole.0.is_empty(), "{shown}");
    assert!(!whole.1.iter().any(|note| speaks_of_the_end(note)), "{whole:?}");
    whole
}

fn speaks_of_the_end(note: &str) -> bool {
    ["cut off", "no newline"].iter().any(|words| note.contains(words))
}

/// Whether what was read is the whole, or an error or a note tells the difference.
fn is_honest(found: &Outcome, whole: &(Vec<String>, Vec<String>)) -> bool {
    match found {
        None => true,
        Some((operations, notes)) => {
            *operations == whole.0 || notes.iter().any(|note| !whole.1.contains(note))
        }
    }
}

#[test]
fn no_cut_is_silent() {
    for sample in samples() {
        let (bytes, whole) = (sample.bytes(), whole(&sample));
        for cut in (0..bytes.len()).filter(|cut| !sample.is_shorter(*cut)) {
            for format in [None, Some(sample.format)] {
                let found = outcome(&bytes[..cut], format);
                let shown = String::from_utf8_lossy(&bytes[..cut]);
                assert!(
                    is_honest(&found, &whole),
                    "{format:?} of {:?}, cut at {cut}: {shown}\n{found:?}",
                    sample.format
                );
            }
        }
    }
}

#[test]
fn a_last_line_without_its_newline_is_read_and_noted_unless_it_ends_by_itself() {
    for sample in samples().iter().filter(|sample| sample.is_text) {
        let whole = whole(sample);
        let bytes = sample.bytes();
        let found = outcome(bytes.trim_ascii_end(), None).expect("a readable trace");
        assert_eq!(found.0, whole.0, "{:?}", sample.format);
        let ends_by_itself = bytes.trim_ascii_end().ends_with(b"}") || bytes.trim_ascii_end().ends_with(b"]");
        let is_noted = found.1.iter().any(|note| note.contains("no newline"));
        let is_of_lines = matches!(sample.format, Format::Dbcop | Format::Plume);
        assert_eq!(is_noted, !ends_by_itself || is_of_lines, "{:?}", sample.format);
    }
}

#[test]
fn no_garbage_behind_the_end_is_ignored() {
    let tails: [&[u8]; 9] = [
        b"garbage\n",
        b"}",
        b"]",
        b"{\"a\":1}\n",
        b"\x00\x00\x00\x00\x00",
        b"\xff\xfe\xfd",
        b"{",
        b"0",
        b"\"",
    ];
    for sample in samples() {
        let whole = whole(&sample);
        for tail in tails {
            let found = outcome(&[&sample.bytes(), tail].concat(), Some(sample.format));
            if let Some((operations, notes)) = &found {
                let is_told = notes.iter().any(|note| !whole.1.contains(note));
                assert!(
                    is_told,
                    "{:?} and {:?}: {operations:?}",
                    sample.format,
                    String::from_utf8_lossy(tail)
                );
            }
        }
    }
}

#[test]
fn a_second_document_is_read_or_refused() {
    for sample in samples() {
        let whole = whole(&sample);
        let bytes = sample.bytes();
        for between in [&b""[..], b"\n", b" \n\n"] {
            if !sample.is_text && !between.is_empty() {
                continue;
            }
            let twice = [&bytes[..], between, &bytes].concat();
            if let Some((operations, notes)) = outcome(&twice, Some(sample.format)) {
                // The accesses of one transaction may stand in both.
                let read = |operations: &[String]| operations.iter().map(String::len).sum::<usize>();
                let is_all = operations.len() == whole.0.len() * 2 || read(&operations) > read(&whole.0);
                let is_told = notes.iter().any(|note| !whole.1.contains(note));
                assert!(is_all || is_told, "{:?}: {operations:?}", sample.format);
            }
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).expect("into memory");
    gzip.finish().expect("into memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("into memory")
}

#[test]
fn compressed_data_are_read_to_their_end() {
    for sample in samples() {
        let (bytes, whole) = (sample.bytes(), whole(&sample));
        for compress in [gzip, zstd] {
            let compressed = compress(&bytes);
            assert_eq!(
                outcome(&compressed, None).as_ref(),
                Some(&whole),
                "{:?}",
                sample.format
            );
            for cut in 1..compressed.len() {
                let found = outcome(&compressed[..cut], Some(sample.format));
                assert!(
                    is_honest(&found, &whole),
                    "{:?} at {cut}: {found:?}",
                    sample.format
                );
                let is_told = found.is_none_or(|(_, notes)| notes.iter().any(|note| !whole.1.contains(note)));
                assert!(is_told, "{:?} at {cut}", sample.format);
            }
            // Members that hold nothing, before, between and behind.
            let (half, rest) = bytes.split_at(bytes.len() / 2);
            let members = [
                compress(b""),
                compress(half),
                compress(b""),
                compress(rest),
                compress(b""),
            ];
            assert_eq!(
                outcome(&members.concat(), None).as_ref(),
                Some(&whole),
                "{:?}",
                sample.format
            );
            let tail = [&compressed[..], b"garbage"].concat();
            let found = outcome(&tail, None);
            let is_told = found.is_none_or(|(_, notes)| notes.iter().any(|note| speaks_of_the_end(note)));
            assert!(is_told, "{:?}", sample.format);
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_or_noted() {
    for sample in samples().iter().filter(|sample| sample.is_text) {
        let (bytes, whole) = (sample.bytes(), whole(sample));
        for at in 0..bytes.len() {
            for byte in [0x00, 0xff, 0xc3].into_iter().filter(|byte| *byte != bytes[at]) {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                let found = outcome(&damaged, Some(sample.format));
                let Some((operations, notes)) = &found else {
                    continue;
                };
                let is_told = notes.iter().any(|note| !whole.1.contains(note));
                // Clojure prints a zero in a string as it is.
                let holds_it = byte == 0 && operations.iter().any(|operation| operation.contains('\0'));
                // What is no part of an operation may be anything: the beginning of a line of a log, a member that is skipped.
                let is_before = byte == 0 && *operations == whole.0;
                assert!(
                    is_told || holds_it || is_before,
                    "{:?}, {byte} at {at}: {}\n{operations:?} {notes:?}",
                    sample.format,
                    String::from_utf8_lossy(&damaged)
                );
            }
        }
    }
}
