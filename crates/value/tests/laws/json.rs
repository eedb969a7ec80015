//! JSON: round trips, what is refused, and agreement with a general JSON library.

use omnilink_value::json::{JsonCursor, JsonProblem};
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
fn invalid_json_is_refused_with_its_offset() {
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
            "01.5",
            "byte 0: expected a number without leading zeros, found '0'",
        ),
        ("1.", "byte 2: the text ends here, but a digit should follow"),
        ("[1.]", "byte 3: expected a digit, found ']'"),
        ("1e+", "byte 3: the text ends here, but a digit should follow"),
    ] {
        assert_eq!(refusal(json), message, "{json}");
    }
    assert_eq!(
        Value::from_json(b"\"\xff\"").expect_err("not UTF-8").problem,
        JsonProblem::NotUtf8
    );
}

#[test]
fn one_number_is_one_value_however_it_is_written() {
    for (written, printed) in [
        (["1.5", "1.50", "15e-1"], "1.5"),
        (["1e3", "1000.0", "10E+2"], "1000"),
        (["-0.0", "0", "0e99"], "0"),
        (
            [
                "9223372036854775808",
                "9223372036854775808.0",
                "92233720368547758080e-1",
            ],
            "9223372036854775808",
        ),
        (["-0.25", "-25e-2", "-0.250"], "-0.25"),
        (["6e99", "0.6e100", "60e98"], "6e99"),
        (["1.25e-77", "12.5e-78", "125e-79"], "1.25e-77"),
        (
            [
                "123456789012345678901234567890",
                "1.2345678901234567890123456789e29",
                "12345678901234567890123456789e1",
            ],
            "123456789012345678901234567890",
        ),
    ] {
        for text in written {
            assert_eq!(read(text).to_string(), printed, "{text}");
            assert_eq!(read(text), read(written[0]), "{text}");
        }
    }
    assert_eq!(read("1000.0"), Value::int(1000));
    assert_ne!(read("1.5"), read("\"1.5\""));
    assert_ne!(read("1.5"), read("1.25"));
    assert_eq!(
        read("[NaN, Infinity, -Infinity]").to_string(),
        "<<NaN, Infinity, -Infinity>>"
    );
}

#[test]
fn where_an_integer_is_needed_no_other_number_will_do() {
    for (text, problem) in [
        ("1.5", JsonProblem::NotAnInteger),
        ("1e3", JsonProblem::NotAnInteger),
        ("9223372036854775808", JsonProblem::IntegerTooLarge),
    ] {
        assert_eq!(JsonCursor::new(text).integer().expect_err(text).problem, problem);
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
                        JsonProblem::NotAnInteger | JsonProblem::Form(_)
                    ),
                "refused {:?}: {}", text, error
            ),
        }
    }

    #[test]
    fn every_float_survives_a_round_trip(float in any::<f64>()) {
        let value = Value::float(float);
        prop_assert_eq!(read(&value.to_json()), value.clone());
        if float.is_finite() {
            prop_assert_eq!(read(&format!("{float:e}")), value.clone());
            prop_assert_eq!(read(&format!("{float:?}")), value);
        }
    }

    #[test]
    fn skipping_passes_over_exactly_what_reading_reads(value in arbitrary::value(), rest in arbitrary::value()) {
        let text = format!("{} {}", value.to_json(), rest.to_json());
        let mut cursor = JsonCursor::new(&text);
        cursor.skip().expect("a whole value");
        prop_assert_eq!(cursor.value().expect("the next value"), rest);
    }

    #[test]
    fn skipping_arbitrary_text_never_panics(text in any::<String>()) {
        let _ = JsonCursor::new(&text).skip();
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = Value::from_json(&bytes);
    }
}
