//! MessagePack: round trips, what is refused, and cuts at any byte.

use omnilink_value::msgpack::{MsgpackCursor, MsgpackProblem};
use omnilink_value::{DEPTH_MAX, Value};
use proptest::prelude::*;

use crate::arbitrary;

fn problem(bytes: &[u8]) -> MsgpackProblem {
    Value::from_msgpack(bytes).expect_err("no value").problem
}

#[test]
fn messagepack_becomes_tla() {
    for (bytes, tla) in [
        (&b"\xc0"[..], "null"),
        (b"\xff", "-1"),
        (b"\xcf\x7f\xff\xff\xff\xff\xff\xff\xff", "9223372036854775807"),
        (b"\xd3\x80\x00\x00\x00\x00\x00\x00\x00", "-9223372036854775808"),
        (b"\x92\x01\xa1a", "<<1, \"a\">>"),
        (b"\xdc\x00\x01\xc3", "<<TRUE>>"),
        (b"\x81\xa1k\xc2", "[k |-> FALSE]"),
        (b"\x81\x05\xc2", "(5 :> FALSE)"),
        (b"\x81\xa4$set\x92\x02\x01", "{1, 2}"),
        (b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615"),
        (b"\xcb\x3f\xf8\0\0\0\0\0\0", "1.5"),
        (b"\xca\x3d\xcc\xcc\xcd", "0.1"),
        (b"\xca\x40\x40\0\0", "3"),
    ] {
        assert_eq!(Value::from_msgpack(bytes).expect(tla).to_string(), tla);
    }
}

#[test]
fn invalid_messagepack_is_refused() {
    let binary = Value::from_msgpack(b"\x91\xc4\x01\0").expect_err("binary data");
    assert_eq!(binary.to_string(), "byte 1: expected a value, found binary data");
    let mut cursor = MsgpackCursor::new(b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff");
    let large = cursor.integer().expect_err("needs an integer of signed 64 bits");
    assert_eq!(large.problem, MsgpackProblem::IntegerTooLarge);
    assert_eq!(problem(b"\xa1\xff"), MsgpackProblem::NotUtf8);
    assert_eq!(problem(b"\x01\x02"), MsgpackProblem::Trailing);
    assert_eq!(problem(b"\xdf\xff\xff\xff\xff"), MsgpackProblem::Incomplete);
    assert_eq!(problem(&[0x91; DEPTH_MAX + 1]), MsgpackProblem::TooDeep);
    assert_eq!(problem(&vec![0x91; 1_000_000]), MsgpackProblem::TooDeep);
}

proptest! {
    #[test]
    fn every_value_survives_a_round_trip(value in arbitrary::value()) {
        prop_assert_eq!(Value::from_msgpack(&value.to_msgpack()).expect("a round trip"), value);
    }

    #[test]
    fn a_cut_at_any_byte_is_incomplete(value in arbitrary::value(), cut in any::<prop::sample::Index>()) {
        let bytes = value.to_msgpack();
        prop_assert_eq!(problem(&bytes[..cut.index(bytes.len())]), MsgpackProblem::Incomplete);
    }

    #[test]
    fn skipping_passes_over_exactly_what_reading_reads(value in arbitrary::value()) {
        let bytes = value.to_msgpack();
        let mut cursor = MsgpackCursor::new(&bytes);
        cursor.skip().expect("a whole value");
        prop_assert_eq!(cursor.offset(), bytes.len());
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = MsgpackCursor::new(&bytes).skip();
        let _ = Value::from_msgpack(&bytes);
    }
}
