//! Tests of the store.

use omnilink_value::Value;

use super::{Store, Word};

fn samples() -> Vec<Value> {
    let record = Value::record([("a", 1.into()), ("b", Value::set([2.into(), "x".into()]))]);
    vec![
        Value::int(-5),
        Value::int(i64::MAX),
        Value::bool(true),
        Value::str("a text that is too long to be stored in place"),
        Value::model("m"),
        Value::set([]),
        Value::tuple([]),
        Value::set([3.into(), 1.into(), 2.into()]),
        Value::tuple([record.clone(), 7.into()]),
        Value::function_of_sorted([(0.into(), record.clone()), (1.into(), Value::set([]))]),
        record,
    ]
}

#[test]
fn words_have_the_hashes_of_their_values_and_come_back() {
    let mut store = Store::default();
    for value in samples() {
        let word = store.word(&value);
        assert_eq!(store.hash(word), value.hash64(), "{value}");
        assert_eq!(store.value(word), value);
        assert_eq!(store.kind(word), value.kind());
        assert_eq!(store.word(&value), word);
    }
}

#[test]
fn an_updated_function_is_the_one_built_from_scratch() {
    let mut store = Store::default();
    for value in samples() {
        for index in 0..value.len().unwrap_or(0) {
            let Some(changed) = value.with_entry(index, "new".into()) else {
                continue;
            };
            let (old, new) = (store.word(&value), store.word(&"new".into()));
            let updated = store.with_entry(old, index, new);
            assert_eq!(updated, Some(store.word(&changed)));
            assert_eq!(updated.map(|word| store.hash(word)), Some(changed.hash64()));
        }
    }
}

#[test]
fn a_function_takes_its_canonical_kind() {
    let mut store = Store::default();
    for value in samples() {
        if let Some(entries) = value.as_entries() {
            let keys: Vec<Word> = entries.iter().map(|(key, _)| store.word(key)).collect();
            let values: Vec<Word> = entries.iter().map(|(_, value)| store.word(value)).collect();
            let domain = store.set_of_sorted(&keys);
            assert_eq!(store.function_of(domain, &values), store.word(&value));
        }
    }
    let keys = store.word(&Value::set([1.into(), 2.into()]));
    let parts = [Word::TRUE, Word::FALSE];
    assert_eq!(store.function_of(keys, &parts), store.tuple_of(&parts));
}
