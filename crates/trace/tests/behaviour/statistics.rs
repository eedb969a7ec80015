//! Statistics of a trace.

use omnilink_trace::Statistics;

use crate::support::open;

#[test]
fn a_small_trace_is_counted_as_it_is_drawn() {
    // 0 |----a----|     |-b-|
    // 1     |-----a----|
    // 2        |-b…                  pending: open for ever
    let trace = open(
        r#"{"thread":0,"op":"a","start":0,"end":10}
        {"thread":1,"op":"a","start":5,"end":19,"aborted":true}
        {"thread":2,"op":"b","start":10}
        {"thread":0,"op":"b","start":20,"end":24}"#,
    );
    let statistics = Statistics::of(trace.expect("a trace")).expect("readable");
    assert_eq!(
        (
            statistics.operations,
            statistics.pending,
            statistics.aborted,
            statistics.threads
        ),
        (4, 1, 1, 3)
    );
    assert_eq!(
        (statistics.first_start, statistics.last_time),
        (Some(0), Some(24))
    );
    assert_eq!(
        statistics.overlap_histogram,
        [1, 2, 1],
        "at 10, the first is still open: ties overlap"
    );
    assert_eq!((statistics.overlap_max, statistics.overlap_mean), (3, 2.0));
    let longest: Vec<u64> = statistics.longest.iter().map(|long| long.length).collect();
    assert_eq!(longest, [14, 10, 4]);
    assert_eq!(statistics.longest[0].call, "a() aborted");
    let names: Vec<(&str, u64, u64)> = statistics
        .names
        .iter()
        .map(|(name, of)| (name.as_str(), of.operations, of.pending))
        .collect();
    assert_eq!(names, [("a", 2, 0), ("b", 2, 1)]);
}

#[test]
fn an_empty_trace_has_no_times() {
    let statistics = Statistics::of(open("").expect("a trace")).expect("readable");
    assert_eq!(
        (
            statistics.operations,
            statistics.first_start,
            statistics.overlap_max
        ),
        (0, None, 0)
    );
}

#[test]
fn the_ten_longest_are_kept_in_order() {
    let text: String = (0..40)
        .map(|at| {
            format!(
                "{{\"thread\":{at},\"op\":\"x\",\"start\":{at},\"end\":{}}}\n",
                at * 2
            )
        })
        .collect();
    let statistics = Statistics::of(open(text).expect("a trace")).expect("readable");
    let lengths: Vec<u64> = statistics.longest.iter().map(|long| long.length).collect();
    assert_eq!(lengths, (30..40).rev().collect::<Vec<u64>>());
}
