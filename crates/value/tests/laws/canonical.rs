//! One canonical form: what TLA+ calls equal is the same value, however it was built.

use omnilink_value::{Value, ValueKind};
use proptest::prelude::*;

use crate::arbitrary;

fn function(entries: &[(Value, Value)]) -> Value {
    Value::function(entries.iter().cloned()).expect("distinct keys")
}

#[test]
fn a_function_over_one_to_n_is_a_tuple() {
    let built = function(&[(2.into(), "b".into()), (1.into(), "a".into())]);
    assert_eq!(built, Value::tuple(["a".into(), "b".into()]));
    assert_eq!(built.kind(), ValueKind::Tuple);
}

#[test]
fn a_function_over_strings_is_a_record() {
    let built = function(&[("b".into(), 2.into()), ("a".into(), 1.into())]);
    assert_eq!(built, Value::record([("a", 1.into()), ("b", 2.into())]));
    assert_eq!(built.kind(), ValueKind::Record);
}

#[test]
fn a_function_over_anything_else_stays_a_function() {
    for keys in [
        vec![0.into(), 1.into()],
        vec![2.into(), 3.into()],
        vec![1.into(), "a".into()],
        vec![Value::model("a"), "b".into()],
        vec!["a".into(), Value::set([])],
    ] {
        let built =
            Value::function(keys.into_iter().map(|key| (key, Value::bool(true)))).expect("distinct keys");
        assert_eq!(built.kind(), ValueKind::Function, "{built}");
    }
}

#[test]
fn the_empty_function_record_and_tuple_are_one() {
    let empty = Value::tuple([]);
    assert_eq!(function(&[]), empty);
    assert_eq!(Value::record([] as [(&str, Value); 0]), empty);
    assert_eq!(empty.as_record().map(|record| record.len()), Some(0));
    assert_ne!(empty, Value::set([]));
}

#[test]
fn sets_forget_order_and_repetition() {
    let set = Value::set([3.into(), 1.into(), 3.into(), 2.into()]);
    assert_eq!(set, Value::set([1.into(), 2.into(), 3.into()]));
    assert_eq!(set.as_set().map(<[Value]>::len), Some(3));
}

#[test]
fn a_key_given_twice_is_an_error_for_functions_and_the_last_wins_for_records() {
    let twice = [("a", Value::int(1)), ("b", Value::int(2)), ("a", Value::int(3))];
    assert_eq!(Value::record(twice.clone()).to_string(), "[a |-> 3, b |-> 2]");
    let error = Value::function(twice.map(|(key, value)| (key.into(), value))).expect_err("a is given twice");
    assert_eq!(error.key, Value::str("a"));
}

#[test]
fn strings_models_and_numbers_never_meet() {
    assert_ne!(Value::str("a"), Value::model("a"));
    assert_ne!(Value::str("1"), Value::int(1));
    assert_ne!(Value::int(1), Value::bool(true));
    assert_ne!(Value::str("null"), Value::null());
}

#[test]
fn values_are_sixteen_bytes_and_cross_threads() {
    fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Value>();
    assert_eq!(size_of::<Value>(), 16);
}

#[test]
fn hashes_are_the_same_in_every_process() {
    let value = Value::record([(
        "k",
        Value::set([Value::int(1), Value::str("a text that is long")]),
    )]);
    assert_eq!(format!("{:x}", value.hash64()), "51d5cc20294f7249");
}

proptest! {
    #[test]
    fn text_survives_whatever_its_length(text in arbitrary::text()) {
        let (string, model) = (Value::str(&text), Value::model(&text));
        prop_assert_eq!(string.as_str(), Some(text.as_str()));
        prop_assert_eq!(model.as_model(), Some(text.as_str()));
    }

    #[test]
    fn a_function_maps_each_key_to_its_value(
        entries in prop::collection::btree_map(arbitrary::value(), arbitrary::value(), 0..6),
        stranger in arbitrary::value(),
    ) {
        let built = Value::function(entries.clone()).expect("distinct keys");
        prop_assert_eq!(built.len(), Some(entries.len()));
        for (key, value) in &entries {
            prop_assert_eq!(built.apply(key), Some(value));
        }
        prop_assert_eq!(built.apply(&stranger), entries.get(&stranger));
    }

    #[test]
    fn a_function_does_not_care_in_which_order_it_was_given(
        entries in prop::collection::btree_map(arbitrary::value(), arbitrary::value(), 0..6),
    ) {
        let forward = Value::function(entries.clone()).expect("distinct keys");
        let backward = Value::function(entries.into_iter().rev()).expect("distinct keys");
        prop_assert_eq!(forward.hash64(), backward.hash64());
        prop_assert_eq!(forward, backward);
    }
}
