//! Several workers compared with one, and one with a naive search.

use std::collections::{BTreeMap, VecDeque};
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use omnilink_mc::{Fingerprint, Limit, SearchEnd, SearchOutcome, SearchProgress, breadth_first, path_to};
use omnilink_value::Value;

use super::toy_systems::{RandomGraph, search};

fn explore(graph: &RandomGraph, workers: usize) -> SearchOutcome<String> {
    match breadth_first(graph, 1, &search(workers), &SearchProgress::default(), None) {
        Ok(explored) => explored,
        Err(error) => panic!("{workers} workers on {graph:?}: {error}"),
    }
}

/// The level and the parent of every state, computed naively.
fn naive(graph: &RandomGraph) -> BTreeMap<i64, (u32, Option<i64>)> {
    let mut reached = BTreeMap::from([(0, (1, None))]);
    let mut queue = VecDeque::from([0]);
    while let Some(from) = queue.pop_front() {
        let level = reached[&from].0;
        for index in 0..graph.degree {
            let to = graph.successor(from, index);
            reached.entry(to).or_insert_with(|| {
                queue.push_back(to);
                (level + 1, Some(from))
            });
        }
    }
    reached
}

fn fingerprint(node: i64) -> Fingerprint {
    Fingerprint::of_state(&[Value::int(node)])
}

/// Everything that must not depend on the number of workers.
fn comparable(
    graph: &RandomGraph,
    explored: &SearchOutcome<String>,
) -> impl PartialEq + std::fmt::Debug + use<> {
    let path = match &explored.end {
        SearchEnd::Violation(violation) => {
            let from = violation.from.expect("the initial state is not forbidden");
            let path = path_to(graph, &mut (), &explored.seen, from, violation.level).expect("a path");
            let path: Vec<Vec<Value>> = path.into_iter().map(|state| state.values.to_vec()).collect();
            Some((path, violation.state.clone()))
        }
        end => {
            assert!(matches!(end, SearchEnd::Complete), "{end:?}");
            None
        }
    };
    let parents: Vec<_> = (0..graph.nodes)
        .map(|node| explored.seen.parent(fingerprint(node)))
        .collect();
    (path, explored.statistics, explored.action_counts.clone(), parents)
}

/// A graph without violation.
const fn graph(nodes: i64, degree: i64) -> RandomGraph {
    RandomGraph {
        nodes,
        degree,
        forbidden: None,
        sleeps_every: None,
        may_reexpand: true,
        expansions: None,
        panics_at: None,
        outside: None,
        outside_steps: None,
        forbidden_step: None,
        checks_repeat: false,
    }
}

const GRAPHS: [RandomGraph; 3] = [graph(30_000, 5), graph(9_000, 23), graph(4_000, 2)];

#[test]
fn one_worker_agrees_with_the_naive_search() {
    for graph in GRAPHS {
        let (explored, expected) = (explore(&graph, 1), naive(&graph));
        assert_eq!(explored.statistics.distinct, expected.len() as u64);
        let deepest = expected.values().map(|(level, _)| *level).max();
        assert_eq!(Some(explored.statistics.depth), deepest);
        for (node, (_, parent)) in expected {
            let tag = parent.map_or(0, |parent| fingerprint(parent).tag());
            assert_eq!(
                explored.seen.parent(fingerprint(node)),
                Some(tag),
                "{node} of {graph:?}"
            );
        }
    }
}

#[test]
fn several_workers_agree_with_one_with_and_without_a_violation() {
    for graph in GRAPHS {
        for forbidden in [None, Some(graph.nodes / 3), Some(graph.nodes - 1)] {
            let graph = RandomGraph { forbidden, ..graph };
            let expected = comparable(&graph, &explore(&graph, 1));
            for workers in [2, 3, 8] {
                let parallel = comparable(&graph, &explore(&graph, workers));
                assert_eq!(parallel, expected, "{workers} workers on {graph:?}");
            }
        }
    }
}

/// A worker that sleeps longer than its segment may take is overtaken by a backup task, and its result is discarded.
#[test]
fn a_suspended_worker_changes_nothing() {
    for graph in GRAPHS {
        for forbidden in [None, Some(graph.nodes - 1)] {
            let steady = RandomGraph { forbidden, ..graph };
            let expected = comparable(&steady, &explore(&steady, 1));
            for (workers, every, may_reexpand) in
                [(2, 700, true), (2, 130, true), (3, 400, true), (3, 400, false)]
            {
                let suspended = RandomGraph {
                    sleeps_every: Some(every),
                    may_reexpand,
                    ..steady
                };
                let parallel = comparable(&suspended, &explore(&suspended, workers));
                assert_eq!(parallel, expected, "{workers} workers on {suspended:?}");
            }
        }
    }
}

#[test]
fn a_state_is_expanded_once_if_it_must_not_be_expanded_twice() {
    static EXPANSIONS: AtomicU64 = AtomicU64::new(0);
    let graph = RandomGraph {
        sleeps_every: Some(200),
        may_reexpand: false,
        expansions: Some(&EXPANSIONS),
        ..GRAPHS[1]
    };
    let explored = explore(&graph, 3);
    assert_eq!(EXPANSIONS.load(Ordering::Relaxed), explored.statistics.distinct);
}

#[test]
fn a_panic_of_a_worker_propagates() {
    for workers in [1, 2, 4] {
        let graph = RandomGraph {
            panics_at: Some(5_000),
            ..GRAPHS[0]
        };
        let panicked = catch_unwind(|| explore(&graph, workers));
        let message = panicked.expect_err("planned panic");
        let message = message.downcast_ref::<String>().expect("a text");
        assert!(message.contains("planned panic"), "{message}");
    }
}

/// A late result of a committed segment is discarded, even if it reports that the time is over.
#[test]
fn a_search_out_of_time_ends_despite_late_results() {
    let graph = RandomGraph {
        sleeps_every: Some(60),
        ..GRAPHS[0]
    };
    for milliseconds in 0..60 {
        let mut search = search(2 + milliseconds % 2);
        search.limits.time = Some(Duration::from_millis(milliseconds as u64));
        let explored = breadth_first(&graph, 1, &search, &SearchProgress::default(), None);
        let end = explored.expect("no error").end;
        assert!(
            matches!(end, SearchEnd::Limit(Limit::Time)),
            "{milliseconds} ms: {end:?}"
        );
    }
}

#[test]
fn steps_that_are_checked_once_give_the_same_answer() {
    let small = graph(3_000, 9);
    let forbidden = [None, Some(401), Some(4_801), Some(2_900)];
    for (index, forbidden_step) in forbidden.into_iter().enumerate() {
        for (outside, outside_steps) in [
            (Some(7), None),
            (None, Some(5)),
            (Some(11), Some(3)),
            (None, None),
        ] {
            let every_time = RandomGraph {
                outside,
                outside_steps,
                forbidden_step,
                forbidden: (index == 3).then_some(2_750),
                ..small
            };
            let once = RandomGraph {
                checks_repeat: true,
                ..every_time
            };
            let expected = explore(&every_time, 1);
            for workers in 1..4 {
                let found = explore(&once, workers);
                assert_eq!(
                    comparable(&once, &found),
                    comparable(&every_time, &expected),
                    "{workers} workers on {once:?}"
                );
            }
        }
    }
}
