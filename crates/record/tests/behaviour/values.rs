//! How values look in the trace.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use omnilink_record::{ModelValue, Record};

use crate::{decoder::decode, picture::recorded};

fn shown(value: impl Record) -> String {
    let bytes = recorded(|log| log.call("op").begin().end(value));
    decode(&bytes).operations[0]
        .record
        .field("ret")
        .unwrap()
        .to_string()
}

#[test]
fn integers_of_all_sizes_come_back() {
    let bounds = [
        0,
        1,
        127,
        128,
        255,
        256,
        32_767,
        32_768,
        65_535,
        65_536,
        i64::from(i32::MAX),
        i64::from(u32::MAX),
    ];
    let negative = bounds.map(|value| -value - 1);
    for value in bounds
        .into_iter()
        .chain(negative)
        .chain([-32, -33, i64::MAX, i64::MIN])
    {
        assert_eq!(shown(value), value.to_string());
    }
    assert_eq!(shown(u64::MAX), u64::MAX.to_string());
    assert_eq!(shown((1u8, -1i8, 2u16, -2i16, 3u32, -3i32,)), "[1,-1,2,-2,3,-3]");
    assert_eq!(shown((4usize, -4isize, 5u64)), "[4,-4,5]");
}

#[test]
fn strings_of_all_lengths_come_back() {
    for length in [0, 1, 31, 32, 255, 256, 65_535, 65_536, 3_000_000] {
        let text = "ä".repeat(length / 2);
        assert_eq!(shown(&text), format!("{text:?}"));
    }
    assert_eq!(shown('é'), "\"é\"");
}

#[test]
fn options_tuples_and_lists_nest() {
    assert_eq!(shown((Some(1), None::<i32>, true, ())), "[1,null,true,null]");
    assert_eq!(shown(vec![vec![1], vec![], vec![2, 3]]), "[[1],[],[2,3]]");
    assert_eq!(shown([("a", 1), ("b", 2)]), "[[\"a\",1],[\"b\",2]]");
    assert_eq!(shown(VecDeque::from([1, 2])), "[1,2]");
    let long: Vec<u32> = (0..70_000).collect();
    assert_eq!(shown(&long).len(), format!("{long:?}").replace(' ', "").len());
}

#[test]
fn sets_functions_and_model_values_have_the_forms_of_the_trace_format() {
    assert_eq!(shown(BTreeSet::from([2, 1])), "{$set:[1,2]}");
    assert_eq!(shown(HashSet::from([5])), "{$set:[5]}");
    assert_eq!(
        shown(BTreeMap::from([(1, "x"), (2, "y")])),
        "{$fn:[[1,\"x\"],[2,\"y\"]]}"
    );
    assert_eq!(shown(HashMap::from([("k", [1])])), "{$fn:[[\"k\",[1]]]}");
    assert_eq!(shown(ModelValue("n1")), "{$model:\"n1\"}");
}
