//! Reduction loses no history.

use crate::support::explored;
use omnilink_sched::ExplorationStrategy;

/// Components and programs small enough to make all their executions.
const SMALL: &[(&str, &str)] = &[
    ("counter", "0 0"),
    ("counter", "00 00"),
    ("counter", "01 20"),
    ("counter", "0 1 2"),
    ("pair", "01 10"),
    ("pair", "3 2"),
    ("pair", "23 32"),
    ("pair", "2 3 01"),
    ("pair", "33 1 0"),
    ("stripes", "00 1"),
    ("stripes", "0 1 1"),
    ("queue", "02 12"),
    ("queue", "0 1 2"),
    ("spin", "00 01"),
    ("spin", "0 0 1"),
    ("handshake", "0 1 2"),
    ("handshake", "02 1"),
    ("handshake", "0 0 1"),
    ("handshake", "2 0 1"),
    ("retry", "0 2"),
    ("retry", "0 1 2"),
    ("retry", "3 2"),
    ("retry", "02 1"),
    ("retry", "0 3"),
    ("retry", "3 0 2"),
    ("blocking", "0 1"),
    ("blocking", "2 1"),
    ("blocking", "0 3"),
    ("locks", "0 1"),
    ("crashes", "0 0"),
    ("threads", "0"),
];

fn same_histories(component: &str, columns: &str, preemptions_max: Option<u32>) -> (u64, u64) {
    let run = |reduction| {
        explored(
            component,
            columns,
            ExplorationStrategy::Bounded {
                preemptions_max,
                reduction,
            },
        )
    };
    let (all, reduced) = (run(false), run(true));
    let missing: Vec<_> = all.histories.difference(&reduced.histories).collect();
    assert!(
        missing.is_empty(),
        "{component} {columns} within {preemptions_max:?}: {missing:#?}"
    );
    assert_eq!(all.histories, reduced.histories);
    (all.exploration.executions, reduced.exploration.executions)
}

#[test]
fn the_histories_within_each_bound_are_the_same_with_and_without_reduction() {
    for (component, columns) in SMALL {
        for bound in 0..=2 {
            same_histories(component, columns, Some(bound));
        }
    }
}

#[test]
fn all_histories_are_the_same_with_and_without_reduction() {
    for (component, columns) in [
        ("counter", "00 00"),
        ("pair", "3 2"),
        ("pair", "2 3"),
        ("pair", "01 10"),
        ("spin", "0 1"),
    ] {
        same_histories(component, columns, None);
    }
}

#[test]
fn reduction_makes_fewer_executions_where_threads_touch_different_locations() {
    for (columns, preemptions_max, times) in [("00 11", Some(3), 3), ("0 1", None, 5)] {
        let (all, reduced) = same_histories("stripes", columns, preemptions_max);
        assert!(
            reduced * times < all,
            "{columns} within {preemptions_max:?}: {reduced} of {all}"
        );
    }
}
