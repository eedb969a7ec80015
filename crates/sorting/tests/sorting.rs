//! The order is that of the standard library's stable sort.

use std::cmp::Reverse;

use omnilink_sorting::sort_by_key;

#[test]
fn the_order_is_that_of_a_stable_sort() {
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..400 {
        let count = random.usize(0..if round % 10 == 0 { 3000 } else { 60 });
        let items: Vec<(i64, u32, String)> = (0..count)
            .map(|at| (random.i64(-9..9), random.u32(0..4), at.to_string()))
            .collect();
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        let mut sorted = items.clone();
        sort_by_key(&mut sorted, |item| item.0);
        assert_eq!(sorted, expected);

        expected.sort_by_key(|item| Reverse(item.1));
        sort_by_key(&mut sorted, |item| Reverse(item.1));
        assert_eq!(sorted, expected);
        // What is in order stays.
        sort_by_key(&mut sorted, |item| Reverse(item.1));
        assert_eq!(sorted, expected);
    }
}

#[test]
fn keys_are_compared_as_what_they_are() {
    fn sorted<K: omnilink_sorting::SortKey + Copy + Ord + std::fmt::Debug>(keys: &[K]) {
        for times in [1, 9] {
            let mut ours = keys.repeat(times);
            let mut expected = ours.clone();
            sort_by_key(&mut ours, |key| *key);
            expected.sort();
            assert_eq!(ours, expected);
        }
    }
    sorted(&[3_i64, -1, i64::MIN, 0, i64::MAX, -2]);
    sorted(&[3_u64, u64::MAX, 0, 1 << 63]);
    sorted(&[(1, 0), (0, u32::MAX), (u32::MAX, 0), (0, 7), (1, 1_u32)]);
    sorted(&[Some(u32::MAX), None, Some(0), Some(5)]);
    sorted(&[Reverse(3_u32), Reverse(0), Reverse(u32::MAX)]);
    sorted(&[true, false]);
    sorted(&[3_usize, 0, 9]);
}
