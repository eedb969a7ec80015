use std::io;
use std::time::Duration;

use omnilink_mc::{
    End, Exploration, Figures, Fingerprint, GraphSink, Limit, Live, Machine, Search, Wrong, breadth_first,
    path_to,
};
use omnilink_value::Value;

use crate::toy::{Grid, search, sum};

fn explore(grid: &Grid, search: &Search) -> Exploration<String> {
    match breadth_first(grid, grid.dimensions, search, &Live::default(), None) {
        Ok(explored) => explored,
        Err(error) => panic!("{error}"),
    }
}

/// The sums of the coordinates along the counterexample, and how the search ended.
fn trace(grid: &Grid, explored: &Exploration<String>) -> (Option<Wrong<String>>, Vec<Vec<Value>>) {
    let End::Broken(breach) = &explored.end else {
        return (None, Vec::new());
    };
    let mut states: Vec<Vec<Value>> = Vec::new();
    if let Some(from) = breach.from {
        let path = path_to(grid, &mut (), &explored.seen, from, breach.level).unwrap_or_default();
        states.extend(path.into_iter().map(|state| state.values.to_vec()));
    }
    states.extend(breach.state.as_ref().map(|state| state.to_vec()));
    (Some(breach.wrong.clone()), states)
}

#[test]
fn a_cube_of_side_9_has_1000_states_on_28_levels() {
    let grid = Grid {
        side: 9,
        dimensions: 3,
        ..Grid::default()
    };
    let explored = explore(&grid, &search(1));
    assert!(matches!(explored.end, End::Complete));
    let expected = Figures {
        generated: 1 + 3 * 900,
        distinct: 1000,
        depth: 28,
        waiting: 0,
        waiting_max: 75,
    };
    assert_eq!(explored.figures, expected);
    let taken: Vec<u64> = explored.taken.iter().map(|taken| taken.generated).collect();
    assert_eq!(taken, [900, 900, 900]);
    assert_eq!(
        explored.taken.iter().map(|taken| taken.distinct).sum::<u64>(),
        999
    );
}

#[test]
fn any_number_of_workers_gives_the_answer_of_one() {
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
            let alone = explore(&grid, &search(1));
            let expected = trace(&grid, &alone);
            for workers in [2, 3, 5] {
                let together = explore(&grid, &search(workers));
                assert_eq!(together.figures, alone.figures, "{workers} workers on {grid:?}");
                assert_eq!(together.taken, alone.taken);
                assert_eq!(together.seen.len(), alone.seen.len());
                assert_eq!(trace(&grid, &together), expected);
            }
        }
    }
}

#[test]
fn a_counterexample_is_shortest_and_a_path_of_the_machine() {
    let grid = Grid {
        side: 9,
        dimensions: 3,
        forbidden_sum: Some(6),
        ..Grid::default()
    };
    let (wrong, states) = trace(&grid, &explore(&grid, &search(1)));
    assert_eq!(wrong, Some(Wrong::Invariant(0)));
    let sums: Vec<i64> = states.iter().map(|state| sum(state)).collect();
    assert_eq!(sums, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_step_is_checked_also_if_it_leads_to_an_old_state() {
    let grid = Grid {
        side: 3,
        dimensions: 2,
        forbidden_step: Some(6),
        ..Grid::default()
    };
    let (wrong, states) = trace(&grid, &explore(&grid, &search(1)));
    assert_eq!(wrong, Some(Wrong::Step(0)));
    assert_eq!(states.len(), 7);
}

#[test]
fn states_outside_the_constraint_are_checked_and_not_counted() {
    let grid = Grid {
        side: 9,
        dimensions: 2,
        sum_max: Some(2),
        ..Grid::default()
    };
    let explored = explore(&grid, &search(1));
    assert_eq!((explored.figures.distinct, explored.figures.depth), (6, 3));
    let forbidding = Grid {
        forbidden_sum: Some(3),
        ..grid
    };
    let (wrong, states) = trace(&forbidding, &explore(&forbidding, &search(1)));
    assert_eq!((wrong, states.len()), (Some(Wrong::Invariant(0)), 4));
}

#[test]
fn a_state_without_successors_is_a_deadlock_if_that_is_asked() {
    let grid = Grid {
        side: 2,
        dimensions: 2,
        is_corner_deadlock: true,
        ..Grid::default()
    };
    let (wrong, states) = trace(&grid, &explore(&grid, &search(2)));
    assert_eq!(wrong, Some(Wrong::Deadlock));
    assert_eq!(states.last().map(|state| sum(state)), Some(4));
}

#[test]
fn a_failing_evaluation_ends_the_search_with_the_way_to_it() {
    let grid = Grid {
        side: 9,
        dimensions: 3,
        failing_sum: Some(5),
        ..Grid::default()
    };
    let (wrong, states) = trace(&grid, &explore(&grid, &search(3)));
    assert_eq!(wrong, Some(Wrong::Failed("too much".into())));
    assert_eq!(states.len(), 6);
}

#[test]
fn waiting_states_go_to_disk_when_memory_is_short_and_nothing_changes() {
    let grid = Grid {
        side: 20,
        dimensions: 3,
        ..Grid::default()
    };
    let roomy = explore(&grid, &search(1));
    for workers in [1, 2] {
        let narrow = Search {
            waiting_bytes_max: 1_000,
            ..search(workers)
        };
        let spilled = explore(&grid, &narrow);
        assert_eq!(roomy.figures, spilled.figures);
    }
}

#[test]
fn a_full_memory_and_a_passed_deadline_leave_the_answer_open() {
    let grid = Grid {
        side: 60,
        dimensions: 3,
        ..Grid::default()
    };
    let mut tiny = search(1);
    tiny.limits.memory_bytes = 1_000_000;
    let explored = explore(&grid, &tiny);
    assert!(
        matches!(explored.end, End::Limit(Limit::Memory)),
        "{:?}",
        explored.end
    );
    assert!(explored.figures.waiting > 0);

    let mut hurried = search(2);
    hurried.limits.time = Some(Duration::ZERO);
    assert!(matches!(explore(&grid, &hurried).end, End::Limit(Limit::Time)));

    let live = Live::default();
    live.interrupt();
    let explored = breadth_first(&grid, 3, &search(1), &live, None);
    assert!(explored.is_ok_and(|explored| matches!(explored.end, End::Limit(Limit::Interrupt))));
}

#[test]
fn a_depth_can_be_the_limit() {
    let grid = Grid {
        side: 9,
        dimensions: 2,
        ..Grid::default()
    };
    let shallow = Search {
        depth_max: Some(3),
        ..search(1)
    };
    let explored = explore(&grid, &shallow);
    assert!(matches!(explored.end, End::Limit(Limit::Depth)));
    assert_eq!((explored.figures.distinct, explored.figures.depth), (6, 3));
}

#[derive(Default)]
struct Drawn {
    states: Vec<(Fingerprint, u32)>,
    steps: Vec<(Fingerprint, Fingerprint, usize)>,
}

impl GraphSink for Drawn {
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
    let drawn = [1, 2].map(|workers| {
        let mut drawn = Drawn::default();
        let explored = breadth_first(&grid, 3, &search(workers), &Live::default(), Some(&mut drawn));
        assert!(explored.is_ok());
        drawn
    });
    assert_eq!(
        (drawn[0].states.len(), drawn[0].steps.len()),
        (4096, 3 * 15 * 256)
    );
    assert_eq!(drawn[0].states, drawn[1].states);
    assert_eq!(drawn[0].steps, drawn[1].steps);
    assert_eq!(grid.actions(), 3);
}
