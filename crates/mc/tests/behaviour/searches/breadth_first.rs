use std::io;
use std::time::Duration;

use omnilink_mc::{
    Fingerprint, GraphSink, Limit, SearchEnd, SearchOptions, SearchOutcome, SearchProgress, SearchStatistics,
    TransitionSystem, ViolationKind, breadth_first, path_to,
};
use omnilink_value::Value;

use super::toy_systems::{Grid, search, sum};

fn explore(grid: &Grid, search: &SearchOptions) -> SearchOutcome<String> {
    match breadth_first(grid, grid.dimensions, search, &SearchProgress::default(), None) {
        Ok(explored) => explored,
        Err(error) => panic!("{error}"),
    }
}

/// The kind of the violation and the states of the counterexample.
fn trace(grid: &Grid, explored: &SearchOutcome<String>) -> (Option<ViolationKind<String>>, Vec<Vec<Value>>) {
    let SearchEnd::Violation(violation) = &explored.end else {
        return (None, Vec::new());
    };
    let mut states: Vec<Vec<Value>> = Vec::new();
    if let Some(from) = violation.from {
        let path = path_to(grid, &mut (), &explored.seen, from, violation.level).unwrap_or_default();
        states.extend(path.into_iter().map(|state| state.values.to_vec()));
    }
    states.extend(violation.state.as_ref().map(|state| state.to_vec()));
    (Some(violation.kind.clone()), states)
}

#[test]
fn a_cube_of_side_9_has_1000_states_on_28_levels() {
    let grid = Grid {
        side: 9,
        dimensions: 3,
        ..Grid::default()
    };
    let explored = explore(&grid, &search(1));
    assert!(matches!(explored.end, SearchEnd::Complete));
    let expected = SearchStatistics {
        generated: 1 + 3 * 900,
        distinct: 1000,
        depth: 28,
        queued: 0,
        queued_max: 75,
    };
    assert_eq!(explored.statistics, expected);
    let taken: Vec<u64> = explored
        .action_counts
        .iter()
        .map(|count| count.generated)
        .collect();
    assert_eq!(taken, [900, 900, 900]);
    assert_eq!(
        explored
            .action_counts
            .iter()
            .map(|count| count.distinct)
            .sum::<u64>(),
        999
    );
}

#[test]
fn the_result_does_not_depend_on_the_number_of_workers() {
    let plain = Grid {
        side: 15,
        dimensions: 4,
        ..Grid::default()
    };
    let sums = (Some(31), None);
    for (forbidden_sum, forbidden_step) in [(None, None), sums, (sums.1, sums.0)] {
        for is_symmetric in [false, true] {
            let grid = Grid {
                forbidden_sum,
                forbidden_step,
                is_symmetric,
                ..plain
            };
            let sequential = explore(&grid, &search(1));
            let expected = trace(&grid, &sequential);
            for workers in [2, 3, 5] {
                let parallel = explore(&grid, &search(workers));
                assert_eq!(
                    parallel.statistics, sequential.statistics,
                    "{workers} workers on {grid:?}"
                );
                assert_eq!(parallel.action_counts, sequential.action_counts);
                assert_eq!(parallel.seen.len(), sequential.seen.len());
                assert_eq!(trace(&grid, &parallel), expected);
            }
        }
    }
}

#[test]
fn a_counterexample_is_a_shortest_path() {
    let grid = Grid {
        side: 9,
        dimensions: 3,
        forbidden_sum: Some(6),
        ..Grid::default()
    };
    let (kind, states) = trace(&grid, &explore(&grid, &search(1)));
    assert_eq!(kind, Some(ViolationKind::Invariant(0)));
    let sums: Vec<i64> = states.iter().map(|state| sum(state)).collect();
    assert_eq!(sums, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_step_to_a_seen_state_is_checked() {
    let grid = Grid {
        side: 3,
        dimensions: 2,
        forbidden_step: Some(6),
        ..Grid::default()
    };
    let (kind, states) = trace(&grid, &explore(&grid, &search(1)));
    assert_eq!(kind, Some(ViolationKind::Step(0)));
    assert_eq!(states.len(), 7);
}

#[test]
fn states_that_violate_the_constraint_are_checked_and_not_counted() {
    let grid = Grid {
        side: 9,
        dimensions: 2,
        sum_max: Some(2),
        ..Grid::default()
    };
    let explored = explore(&grid, &search(1));
    assert_eq!((explored.statistics.distinct, explored.statistics.depth), (6, 3));
    let violating = Grid {
        forbidden_sum: Some(3),
        ..grid
    };
    let (kind, states) = trace(&violating, &explore(&violating, &search(1)));
    assert_eq!((kind, states.len()), (Some(ViolationKind::Invariant(0)), 4));
}

#[test]
fn a_state_without_successors_is_a_deadlock_if_deadlock_is_checked() {
    let grid = Grid {
        side: 2,
        dimensions: 2,
        is_corner_deadlock: true,
        ..Grid::default()
    };
    let (kind, states) = trace(&grid, &explore(&grid, &search(2)));
    assert_eq!(kind, Some(ViolationKind::Deadlock));
    assert_eq!(states.last().map(|state| sum(state)), Some(4));
}

#[test]
fn a_failing_evaluation_ends_the_search_with_the_path_to_it() {
    let grid = Grid {
        side: 9,
        dimensions: 3,
        failing_sum: Some(5),
        ..Grid::default()
    };
    let (kind, states) = trace(&grid, &explore(&grid, &search(3)));
    assert_eq!(kind, Some(ViolationKind::Failed("failing sum".into())));
    assert_eq!(states.len(), 6);
}

#[test]
fn queued_and_seen_states_spill_to_disk_without_changing_the_result() {
    let grid = Grid {
        side: 20,
        dimensions: 3,
        ..Grid::default()
    };
    let in_memory = explore(&grid, &search(1));
    for workers in [1, 2] {
        for seen_bytes_max in [0, 50_000] {
            let small = SearchOptions {
                queue_bytes_max: 1_000,
                seen_bytes_max,
                ..search(workers)
            };
            let spilled = explore(&grid, &small);
            assert!(spilled.seen.is_on_disk());
            assert_eq!(in_memory.statistics, spilled.statistics);
        }
    }
}

#[test]
fn memory_time_and_interrupt_limits_end_the_search() {
    let grid = Grid {
        side: 60,
        dimensions: 3,
        ..Grid::default()
    };
    let mut small = search(1);
    small.limits.memory_bytes = 1_000_000;
    let explored = explore(&grid, &small);
    assert!(
        matches!(explored.end, SearchEnd::Limit(Limit::Memory)),
        "{:?}",
        explored.end
    );
    assert!(explored.statistics.queued > 0);

    let mut expired = search(2);
    expired.limits.time = Some(Duration::ZERO);
    assert!(matches!(
        explore(&grid, &expired).end,
        SearchEnd::Limit(Limit::Time)
    ));

    let progress = SearchProgress::default();
    progress.interrupt();
    let explored = breadth_first(&grid, 3, &search(1), &progress, None);
    assert!(explored.is_ok_and(|explored| matches!(explored.end, SearchEnd::Limit(Limit::Interrupt))));
}

#[test]
fn a_depth_limit_ends_the_search() {
    let grid = Grid {
        side: 9,
        dimensions: 2,
        ..Grid::default()
    };
    let shallow = SearchOptions {
        depth_max: Some(3),
        ..search(1)
    };
    let explored = explore(&grid, &shallow);
    assert!(matches!(explored.end, SearchEnd::Limit(Limit::Depth)));
    assert_eq!((explored.statistics.distinct, explored.statistics.depth), (6, 3));
}

#[derive(Default)]
struct RecordedGraph {
    states: Vec<(Fingerprint, u32)>,
    steps: Vec<(Fingerprint, Fingerprint, usize)>,
}

impl GraphSink for RecordedGraph {
    fn state(&mut self, fingerprint: Fingerprint, values: &[Value], level: u32) -> io::Result<()> {
        assert_eq!(sum(values) + 1, i64::from(level));
        self.states.push((fingerprint, level));
        Ok(())
    }

    fn step(&mut self, from: Fingerprint, to: Fingerprint, action: usize) -> io::Result<()> {
        self.steps.push((from, to, action));
        Ok(())
    }
}

#[test]
fn the_state_graph_is_the_same_for_any_number_of_workers() {
    let grid = Grid {
        side: 15,
        dimensions: 3,
        ..Grid::default()
    };
    let graphs = [1, 2].map(|workers| {
        let mut graph = RecordedGraph::default();
        let explored = breadth_first(
            &grid,
            3,
            &search(workers),
            &SearchProgress::default(),
            Some(&mut graph),
        );
        assert!(explored.is_ok());
        graph
    });
    assert_eq!(
        (graphs[0].states.len(), graphs[0].steps.len()),
        (4096, 3 * 15 * 256)
    );
    assert_eq!(graphs[0].states, graphs[1].states);
    assert_eq!(graphs[0].steps, graphs[1].steps);
    assert_eq!(grid.action_count(), 3);
}
