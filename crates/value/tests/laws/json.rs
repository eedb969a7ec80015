//! JSON: round trips, what is refused, and agreement with a general JSON library.

use omnilink_value::json::{Cursor, JsonProblem};
use omnilink_value::{DEPTH_MAX, Value};
use proptest::prelude::*;

use crate::arbitrary;

fn read(text: &str) -> Value {
    Value::from_json(text.as_bytes()).expect(text)
}

fn refusal(text: &str) -> String {
    Value::from_json(text.as_bytes()).expect_err(text).to_string()
}

#[test]
fn json_becomes_tla() {
    for (json, tla) in [
        (" 12 ", "12"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("true", "TRUE"),
        ("null", "null"),
        (r#""a\u00e9\ud83d\ude00\n""#, "\"aé😀\\n\""),
        ("[1, [2], []]", "<<1, <<2>>, <<>>>>"),
        (r#"{"b":1,"a":{}}"#, "[a |-> <<>>, b |-> 1]"),
        (r#"{"$set":[2,1,2]}"#, "{1, 2}"),
        (r#"{"$fn":[[3,4],[0,2]]}"#, "(0 :> 2 @@ 3 :> 4)"),
        (r#"{"$fn":[[2,4],[1,2]]}"#, "<<2, 4>>"),
        (r#"{"$model":"n1"}"#, "n1"),
        (r#"{"$set":[1],"x":2}"#, r#"("$set" :> <<1>> @@ "x" :> 2)"#),
    ] {
        assert_eq!(read(json).to_string(), tla, "{json}");
    }
}

#[test]
fn what_is_no_value_is_refused_with_its_place() {
    for (json, message) in [
        ("", "byte 0: the text ends here, but a value should follow"),
        (
            "[1",
            "byte 2: the text ends here, but a comma or the end of the array should follow",
        ),
        ("[1,]", "byte 3: expected a value, found ']'"),
        (r#"{"a" 1}"#, "byte 5: expected a colon, found '1'"),
        ("tru ", "byte 3: expected true, found ' '"),
        ("1 2", "byte 2: text after the end of the value"),
        (
            "01",
            "byte 0: expected an integer without leading zeros, found '0'",
        ),
        ("-", "byte 1: the text ends here, but an integer should follow"),
        (r#""\q""#, "byte 1: not an escape sequence of JSON"),
        (r#""\ud800x""#, "byte 1: not an escape sequence of JSON"),
        ("\"\n\"", "byte 1: a control character inside a string; escape it"),
        (
            r#"{"a":1,"a":1}"#,
            "byte 0: the key \"a\" occurs twice; a function has one value for each key",
        ),
        (
            r#"{"$set":1}"#,
            "byte 0: \"$set\" needs an array of elements, found 1",
        ),
        (
            r#"{"$fn":[[1]]}"#,
            "byte 0: \"$fn\" needs an array of [key, value] pairs, found <<<<1>>>>",
        ),
        (
            r#"{"$model":1}"#,
            "byte 0: \"$model\" needs the name of a model value as a string, found 1",
        ),
        (
            "9223372036854775808",
            "byte 0: the integer does not fit 64 bits; write it as a string",
        ),
    ] {
        assert_eq!(refusal(json), message, "{json}");
    }
    assert_eq!(
        Value::from_json(b"\"\xff\"").expect_err("not UTF-8").problem,
        JsonProblem::NotUtf8
    );
}

#[test]
fn numbers_with_fraction_or_exponent_are_refused() {
    for json in ["1.5", "1e3", "-0.0", "2E1"] {
        assert_eq!(
            Value::from_json(json.as_bytes()).expect_err(json).problem,
            JsonProblem::NotAnInteger
        );
    }
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Value::from_json(nested(DEPTH_MAX).as_bytes()).is_ok());
    for hostile in [
        nested(DEPTH_MAX + 1),
        nested(1_000_000),
        "{\"a\":".repeat(1_000_000),
    ] {
        assert_eq!(
            Value::from_json(hostile.as_bytes())
                .expect_err("too deep")
                .problem,
            JsonProblem::TooDeep
        );
    }
}

proptest! {
    #[test]
    fn every_value_survives_a_round_trip(value in arbitrary::value()) {
        prop_assert_eq!(read(&value.to_json()), value);
    }

    #[test]
    fn what_is_written_is_what_a_general_library_would_write(value in arbitrary::value()) {
        let ours: serde_json::Value = serde_json::from_str(&value.to_json()).expect("valid JSON");
        prop_assert_eq!(ours, serde_json::to_value(&value).expect("serialisable"));
    }

    #[test]
    fn arbitrary_text_is_read_or_refused_as_a_general_library_would(text in "[\\[\\]{}\",:0-9eE.ntrufalse\\\\ -]{0,12}") {
        let is_json = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        match Value::from_json(text.as_bytes()) {
            Ok(_) => prop_assert!(is_json, "accepted {:?}", text),
            Err(error) => prop_assert!(
                !is_json
                    || matches!(
                        error.problem,
                        JsonProblem::NotAnInteger | JsonProblem::IntegerTooLarge | JsonProblem::Form(_)
                    ),
                "refused {:?}: {}", text, error
            ),
        }
    }

    #[test]
    fn skipping_passes_over_exactly_what_reading_reads(value in arbitrary::value(), rest in arbitrary::value()) {
        let text = format!("{} {}", value.to_json(), rest.to_json());
        let mut cursor = Cursor::new(&text);
        cursor.skip().expect("a whole value");
        prop_assert_eq!(cursor.value().expect("the next value"), rest);
    }

    #[test]
    fn skipping_arbitrary_text_never_panics(text in any::<String>()) {
        let _ = Cursor::new(&text).skip();
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = Value::from_json(&bytes);
    }
}
