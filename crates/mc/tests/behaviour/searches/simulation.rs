use omnilink_mc::{Limit, SearchProgress, SimulationEnd, SimulationOptions, ViolationKind, simulate};

use super::toy_systems::{Grid, search, sum};

const GRID: Grid = Grid {
    side: 9,
    dimensions: 3,
    forbidden_sum: Some(20),
    forbidden_step: None,
    failing_sum: None,
    sum_max: None,
    is_corner_deadlock: false,
    is_symmetric: false,
};

fn options(seed: u64) -> SimulationOptions {
    SimulationOptions {
        is_generated: false,
        behaviours: Some(10),
        depth_max: 100,
        seed,
    }
}

#[test]
fn a_simulation_reports_the_whole_violating_behaviour() {
    let simulation = simulate(&GRID, &search(1), &options(1), &SearchProgress::default());
    assert_eq!(simulation.end, SimulationEnd::Violation);
    let [violation] = &simulation.violations[..] else {
        panic!("each behaviour reaches 20")
    };
    assert_eq!(violation.kind, ViolationKind::Invariant(0));
    let sums: Vec<i64> = violation.path.iter().map(|state| sum(&state.values)).collect();
    assert_eq!(sums, (0..=20).collect::<Vec<i64>>());
}

#[test]
fn the_seed_determines_the_behaviour_whatever_the_number_of_workers() {
    let labels = |seed, workers| {
        let mut simulation = simulate(
            &GRID,
            &search(workers),
            &options(seed),
            &SearchProgress::default(),
        );
        let violation = simulation.violations.pop().expect("each behaviour reaches 20");
        let steps: Vec<_> = violation.path.into_iter().map(|state| state.step).collect();
        (violation.behaviour, steps)
    };
    for workers in [1, 2, 5] {
        assert_eq!(labels(3, 1), labels(3, workers));
    }
    assert_ne!(labels(3, 1), labels(4, 1));
}

#[test]
fn a_simulation_without_violation_reports_its_behaviours() {
    let grid = Grid {
        forbidden_sum: None,
        ..GRID
    };
    let simulation = simulate(&grid, &search(1), &options(1), &SearchProgress::default());
    assert!(matches!(simulation.end, SimulationEnd::Limit(Limit::Behaviours)));
    let lengths = simulation.lengths;
    assert_eq!((lengths.count, lengths.min, lengths.max), (10, 28, 28));
    assert_eq!((lengths.mean(), lengths.deviation()), (28.0, 0.0));
    let taken: u64 = simulation.action_counts.iter().map(|count| count.distinct).sum();
    assert_eq!(taken, 270, "each behaviour takes 27 steps");

    let deadlocking = Grid {
        is_corner_deadlock: true,
        ..grid
    };
    let simulation = simulate(&deadlocking, &search(1), &options(1), &SearchProgress::default());
    let violation = &simulation.violations[0];
    assert!(violation.kind == ViolationKind::Deadlock && violation.path.len() == 28);
}
