//! Traces whose recorder crashed: everything before the cut is read, and the cut is reported.

use std::io::{Read, Write};

use omnilink_trace::{Args, OpenOptions, Operation, Timebox, Trace, msgpack_record};
use omnilink_value::Value;

use crate::support::{notes, read, refusal};

fn line(start: i64) -> String {
    format!("{{\"thread\":0,\"op\":\"x\",\"start\":{start},\"end\":{start}}}\n")
}

fn record(start: i64) -> Vec<u8> {
    msgpack_record(&Operation::new(
        0,
        "x",
        Args::named([("v", Value::int(7))]),
        Timebox::new(start, start),
    ))
}

fn records(count: i64) -> Vec<u8> {
    (0..count).flat_map(record).collect()
}

#[test]
fn a_last_line_that_is_cut_anywhere_is_a_cut() {
    let whole = line(1) + &line(2);
    let first = line(1).len();
    for cut in first + 1..whole.len() - 2 {
        assert_eq!(read(&whole[..cut]).len(), 1, "{:?}", &whole[..cut]);
        assert_eq!(
            notes(&whole[..cut]),
            ["test:2: cut off here: the last line is incomplete; everything before was read"]
        );
    }
    assert_eq!(
        read(&whole[..whole.len() - 1]).len(),
        2,
        "only the newline is missing"
    );
}

#[test]
fn an_operation_whose_start_is_known_is_not_lost_with_its_end() {
    let records = [
        r#"{"thread":0,"op":"x","args":{"a":"ü, {","b":[1,{"c":2}]},"start":12,"end":15,"ret":{"d":3},"aborted":true}"#,
        r#"{"args":["ü, {",[1,2]],"start":12,"meta":{"note":"a, b"},"end":15,"thread":0,"op":"x","ret":3}"#,
    ];
    for (record, from) in records.iter().zip(["\"end\"", "\"ret\""]) {
        let whole = line(1) + record;
        let known = line(1).len() + record.find(from).unwrap();
        for cut in line(1).len() + 1..whole.len() {
            let mut bytes = whole.as_bytes()[..cut].to_vec();
            for zeros in [0, 3] {
                bytes.resize(cut + zeros, 0);
                let operations = read(&bytes);
                let shown = String::from_utf8_lossy(&bytes);
                let [_, begun @ ..] = &operations[..] else {
                    panic!("{shown}")
                };
                assert_eq!(begun.len(), usize::from(cut >= known), "{shown}");
                for one in begun {
                    assert_eq!(one.timebox, Timebox::pending(12), "{shown}");
                    assert_eq!((&one.ret, one.aborted), (&None, false), "{shown}");
                    assert!(one.args.get("a", 0).is_some(), "{shown}");
                    let told = "test:2: cut off here: the last line is incomplete; its operation counts as one that did not return";
                    assert!(notes(&bytes)[0].starts_with(told), "{:?}", notes(&bytes));
                }
            }
        }
    }
}

#[test]
fn a_line_cut_inside_a_character_is_a_cut() {
    let mut bytes = line(1).into_bytes();
    bytes.extend_from_slice(b"{\"thread\":\"\xc3");
    assert_eq!(read(&bytes).len(), 1);
}

#[test]
fn zeros_after_the_last_line_are_a_cut() {
    for tail in ["\0\0\0\0", "{\"thread\":0,\"o\0\0\0\0"] {
        let text = line(1) + tail;
        assert_eq!(read(&text).len(), 1);
        assert_eq!(notes(&text).len(), 1);
    }
}

#[test]
fn messagepack_cut_anywhere_is_a_cut() {
    let whole = records(2);
    let first = whole.len() / 2;
    for cut in first + 1..whole.len() {
        assert_eq!(read(&whole[..cut]).len(), 1);
        assert_eq!(
            notes(&whole[..cut]),
            [format!(
                "test: byte {first}: cut off here: the last record is incomplete; everything before was read"
            )]
        );
    }
}

#[test]
fn what_a_killed_recorder_leaves_is_read_up_to_the_last_call() {
    let mut bytes = records(3);
    let pending = Operation::new(0, "x", Args::none(), Timebox::pending(9));
    bytes.extend(msgpack_record(&pending));
    bytes.extend_from_slice(b"\xa3ret\x07\xa3end\xd3\x00\x00");
    bytes.resize(bytes.len() + 100_000, 0);
    let operations = read(&bytes);
    assert_eq!(operations.len(), 4);
    assert!(operations[3].timebox.is_pending());
    assert_eq!(notes(&bytes).len(), 1);
}

#[test]
fn a_recorder_killed_before_its_first_call_leaves_an_empty_trace() {
    assert_eq!(read([0_u8; 70_000]).len(), 0);
    assert_eq!(
        notes([0_u8; 70_000]),
        [
            "test: byte 0: cut off here: zero bytes where a record should begin: the recorder was not closed; \
          everything before was read"
        ]
    );
}

#[test]
fn damage_with_records_behind_it_is_an_error() {
    for damage in [&[0_u8; 300_000][..], b"\xc1\xff", b"\x85\xa6thread\x00"] {
        let bytes = [records(2), damage.to_vec(), records(1)].concat();
        let message = refusal(&bytes);
        assert!(
            message.starts_with(&format!("test: byte {}: damaged", records(2).len())),
            "{message}"
        );
    }
}

#[test]
fn a_whole_record_with_a_time_that_is_no_integer_is_an_error_even_at_the_end() {
    let float = b"\x83\xa6thread\x00\xa2op\xa1x\xa5start\xcb\x3f\xf8\0\0\0\0\0\0";
    let message = refusal([records(1), float.to_vec()].concat());
    assert!(
        message
            .ends_with("the field \"start\" holds 1.5; expected an integer, such as a time in microseconds"),
        "{message}"
    );
}

#[test]
fn compressed_data_that_end_early_are_a_cut() {
    let text: String = (0..20_000).map(line).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("into memory");
    let gzip = gzip.finish().expect("into memory");
    let zstd = zstd::encode_all(text.as_bytes(), 1).expect("into memory");
    for whole in [gzip, zstd] {
        assert_eq!(read(&whole).len(), 20_000);
        let cut = &whole[..whole.len() * 2 / 3];
        let count = read(cut).len();
        assert!((1..20_000).contains(&count), "{count}");
        assert_eq!(notes(cut).len(), 1);
        assert!(notes(cut)[0].contains("the compressed data end early"));
    }
}

#[test]
fn compressed_data_that_end_before_the_first_record_are_no_empty_trace() {
    let text: String = (0..2_000).map(line).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("into memory");
    let gzip = gzip.finish().expect("into memory");
    let zstd = zstd::encode_all(text.as_bytes(), 1).expect("into memory");
    for (whole, cut) in [(&gzip, 5), (&gzip, 12), (&zstd, 5), (&zstd, 9)] {
        assert!(
            refusal(&whole[..cut]).contains("the compressed data end early"),
            "{cut}"
        );
    }
}

#[test]
fn what_an_input_unpacks_to_is_limited() {
    let read = |bytes: &[u8], max: Option<u64>| {
        let options = OpenOptions::new().with_max_input(max);
        let trace = Trace::from_bytes("test", bytes, &options)?;
        trace
            .map(|operation| operation.map(|_| 1))
            .sum::<Result<u64, _>>()
    };
    let bomb = zstd::encode_all(std::io::repeat(b' ').take(80 << 20), 19).expect("into memory");
    let refused = read(&bomb, None).expect_err("a ratio of a trap").to_string();
    assert!(
        refused.contains("over 1000 times their size") && refused.contains("--max-input"),
        "{refused}"
    );
    assert_eq!(read(&bomb, Some(81 << 20)).expect("as the user said"), 0);
    let text: String = (0..2_000).map(line).collect();
    let zstd = zstd::encode_all(text.as_bytes(), 1).expect("into memory");
    for bytes in [text.as_bytes(), &zstd] {
        assert_eq!(
            read(bytes, Some(text.len() as u64)).expect("as large as it may be"),
            2_000
        );
        let refused = read(bytes, Some(text.len() as u64 - 1))
            .expect_err("larger")
            .to_string();
        assert!(
            refused.starts_with("test:") && refused.contains("--max-input"),
            "{refused}"
        );
    }
}
