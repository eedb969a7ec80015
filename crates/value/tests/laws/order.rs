//! The order is total and agrees with equality and hashing.

use std::cmp::Ordering;

use omnilink_value::Value;
use proptest::prelude::*;

use crate::arbitrary;

#[test]
fn kinds_come_in_their_documented_order() {
    let in_order = [
        Value::model("a"),
        Value::model("a model value of some length"),
        Value::model("b"),
        Value::bool(false),
        Value::bool(true),
        Value::int(-1),
        Value::int(7),
        Value::str("a"),
        Value::str("a\0"),
        Value::str("a string longer than fourteen bytes"),
        Value::str("b"),
        Value::set([]),
        Value::set([9.into()]),
        Value::set([1.into(), 2.into()]),
        Value::tuple([]),
        Value::tuple([2.into()]),
        Value::tuple([1.into(), 1.into()]),
        Value::record([("b", 0.into())]),
        Value::record([("a", 9.into()), ("b", 0.into())]),
        Value::record([("a", 0.into()), ("c", 0.into())]),
        Value::function([(0.into(), 5.into())]).expect("one key"),
    ];
    for pair in in_order.windows(2) {
        assert!(pair[0] < pair[1], "{} before {}", pair[0], pair[1]);
    }
}

proptest! {
    #[test]
    fn the_order_is_total_and_agrees_with_equality_and_hash(
        a in arbitrary::value(), b in arbitrary::value(), c in arbitrary::value(),
    ) {
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert_eq!(a.cmp(&b) == Ordering::Equal, a == b);
        if a == b {
            prop_assert_eq!(a.hash64(), b.hash64());
        }
        if a <= b && b <= c {
            prop_assert!(a <= c);
        }
        prop_assert_eq!(a.cmp(&a.clone()), Ordering::Equal);
    }

    #[test]
    fn a_copy_built_from_scratch_is_equal_and_hashes_alike(value in arbitrary::value()) {
        let copy = Value::from_msgpack(&value.to_msgpack()).expect("a round trip");
        prop_assert_eq!(copy.hash64(), value.hash64());
        prop_assert_eq!(copy.cmp(&value), Ordering::Equal);
    }

    #[test]
    fn texts_are_ordered_by_their_bytes(a in arbitrary::text(), b in arbitrary::text()) {
        prop_assert_eq!(Value::str(&a).cmp(&Value::str(&b)), a.cmp(&b));
        prop_assert_eq!(Value::model(&a).cmp(&Value::model(&b)), a.cmp(&b));
    }
}
