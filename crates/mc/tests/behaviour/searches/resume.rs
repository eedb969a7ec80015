//! A search that is interrupted and resumed finds what an uninterrupted one finds.

use std::path::Path;
use std::time::Duration;

use omnilink_mc::{
    CheckpointContext, Checkpoints, Fingerprint, SearchEnd, SearchOptions, SearchOutcome, SearchProgress,
    breadth_first, breadth_first_with,
};
use omnilink_value::Value;

use super::toy_systems::{RandomGraph, search};

/// Nothing is to be saved beside the search.
#[derive(Debug)]
struct Nothing;

impl CheckpointContext for Nothing {
    fn save(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    fn restore(&self, saved: &serde_json::Value) -> bool {
        saved.is_null()
    }
}

fn explore(
    graph: &RandomGraph,
    options: &SearchOptions,
    folder: &Path,
    is_resumed: bool,
    interval: Duration,
) -> SearchOutcome<String> {
    explore_and(false, graph, options, folder, is_resumed, interval)
}

/// Explores, and keeps the checkpoint of a complete search if that is asked for.
fn explore_and(
    keeps_complete: bool,
    graph: &RandomGraph,
    options: &SearchOptions,
    folder: &Path,
    is_resumed: bool,
    interval: Duration,
) -> SearchOutcome<String> {
    let checkpoints = Checkpoints {
        folder,
        identity: "a random graph",
        interval,
        is_resumed,
        context: &Nothing,
        keeps_complete,
    };
    let progress = SearchProgress::default();
    let explored = breadth_first_with(graph, 1, options, &progress, None, Some(&checkpoints));
    explored.unwrap_or_else(|error| panic!("{graph:?}: {error}"))
}

fn random_graph(seed: i64) -> RandomGraph {
    RandomGraph {
        nodes: 200 + 137 * seed,
        degree: 2 + seed % 5,
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

/// Compares all that a search reports.
fn assert_same(graph: &RandomGraph, one: &SearchOutcome<String>, other: &SearchOutcome<String>) {
    assert_eq!(one.statistics, other.statistics, "{graph:?}");
    assert_eq!(one.action_counts, other.action_counts, "{graph:?}");
    for node in 0..graph.nodes {
        let state = Fingerprint::of_state(&[Value::int(node)]);
        assert_eq!(
            one.seen.parent(state),
            other.seen.parent(state),
            "{graph:?}: {node}"
        );
    }
}

#[test]
fn a_search_resumed_again_and_again_finds_the_same_states_by_the_same_parents() {
    for seed in 0..12 {
        let graph = random_graph(seed);
        let Ok(whole) = breadth_first(&graph, 1, &search(1), &SearchProgress::default(), None) else {
            panic!("{graph:?}");
        };
        for workers in [1, 3] {
            let folder = tempfile::tempdir().expect("a folder");
            // Each run explores some levels more.
            let limited = |depth: u32| SearchOptions {
                depth_max: Some(depth),
                queue_bytes_max: if depth.is_multiple_of(2) { 100 } else { 1 << 20 },
                ..search(workers)
            };
            let interval = Duration::from_secs(600);
            let mut last = explore(&graph, &limited(1), folder.path(), false, interval);
            let mut depth: u32 = 1;
            while let SearchEnd::Limit(_) = last.end {
                depth += depth.div_ceil(3);
                last = explore(&graph, &limited(depth), folder.path(), true, interval);
            }
            assert!(matches!(last.end, SearchEnd::Complete), "{:?}", last.end);
            assert_same(&graph, &whole, &last);
        }
    }
}

#[test]
fn pausing_for_a_checkpoint_after_every_segment_changes_nothing() {
    for seed in 0..3 {
        let graph = random_graph(seed);
        let Ok(whole) = breadth_first(&graph, 1, &search(1), &SearchProgress::default(), None) else {
            panic!("{graph:?}");
        };
        for workers in [1, 2] {
            let folder = tempfile::tempdir().expect("a folder");
            let explored = explore(&graph, &search(workers), folder.path(), false, Duration::ZERO);
            assert_same(&graph, &whole, &explored);
        }
    }
}

#[test]
fn a_complete_search_can_be_resumed_if_its_checkpoint_is_kept() {
    let graph = random_graph(5);
    for workers in [1, 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let run = |is_resumed| {
            let interval = Duration::from_secs(600);
            explore_and(
                true,
                &graph,
                &search(workers),
                folder.path(),
                is_resumed,
                interval,
            )
        };
        let (whole, again) = (run(false), run(true));
        assert!(matches!(again.end, SearchEnd::Complete), "{:?}", again.end);
        assert_same(&graph, &whole, &again);
    }
}
