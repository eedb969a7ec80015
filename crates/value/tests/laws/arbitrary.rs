//! Values of every kind and shape, small enough that equal parts meet often.

use omnilink_value::Value;
use proptest::prelude::*;

pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::bool),
        (-2_i64..5).prop_map(Value::int),
        any::<i64>().prop_map(Value::int),
        text().prop_map(|text| Value::str(&text)),
        text().prop_map(|text| Value::model(&text)),
        Just(Value::null()),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::tuple),
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::set),
            prop::collection::vec((text(), inner.clone()), 0..4).prop_map(Value::record),
            prop::collection::btree_map(inner.clone(), inner, 0..4)
                .prop_map(|entries| Value::function(entries).expect("the keys of a map are distinct")),
        ]
    })
}

/// Short texts, texts around the length that still fits a value, awkward ones, and the reserved names.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab]{0,2}",
        "[ab\u{0}]{12,16}",
        "\\PC{0,20}",
        any::<String>(),
        prop::sample::select(vec!["$set", "$fn", "$model", "null"]).prop_map(str::to_owned),
    ]
}
