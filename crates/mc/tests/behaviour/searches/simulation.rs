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
    let SimulationEnd::Violation(kind, path) = simulation.end else {
        panic!("each behaviour reaches 20")
    };
    assert_eq!(kind, ViolationKind::Invariant(0));
    let sums: Vec<i64> = path.iter().map(|state| sum(&state.values)).collect();
    assert_eq!(sums, (0..=20).collect::<Vec<i64>>());
}

#[test]
fn the_seed_determines_the_behaviour() {
    let labels = |seed| match simulate(&GRID, &search(1), &options(seed), &SearchProgress::default()).end {
        SimulationEnd::Violation(_, path) => path.into_iter().map(|state| state.step).collect(),
        _ => Vec::new(),
    };
    assert_eq!(labels(3), labels(3));
    assert_ne!(labels(3), labels(4));
}

#[test]
fn a_simulation_without_violation_reports_its_behaviours() {
    let grid = Grid {
        forbidden_sum: None,
        ..GRID
    };
    let simulation = simulate(&grid, &search(1), &options(1), &SearchProgress::default());
    assert!(matches!(simulation.end, SimulationEnd::Limit(Limit::Behaviours)));
    assert_eq!((simulation.behaviours, simulation.depth), (10, 28));

    let deadlocking = Grid {
        is_corner_deadlock: true,
        ..grid
    };
    let simulation = simulate(&deadlocking, &search(1), &options(1), &SearchProgress::default());
    assert!(
        matches!(simulation.end, SimulationEnd::Violation(ViolationKind::Deadlock, path) if path.len() == 28)
    );
}
