use omnilink_mc::{Draw, Drawn, Limit, Live, Wrong, simulate};

use crate::toy::{Grid, search, sum};

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

fn draw(seed: u64) -> Draw {
    Draw {
        is_generated: false,
        behaviours: Some(10),
        depth_max: 100,
        seed,
    }
}

#[test]
fn a_simulation_shows_the_whole_behaviour_that_is_wrong() {
    let simulation = simulate(&GRID, &search(1), &draw(1), &Live::default());
    let Drawn::Broken(wrong, path) = simulation.end else {
        panic!("each behaviour reaches 20")
    };
    assert_eq!(wrong, Wrong::Invariant(0));
    let sums: Vec<i64> = path.iter().map(|state| sum(&state.values)).collect();
    assert_eq!(sums, (0..=20).collect::<Vec<i64>>());
}

#[test]
fn one_seed_draws_one_behaviour_and_another_draws_another() {
    let labels = |seed| match simulate(&GRID, &search(1), &draw(seed), &Live::default()).end {
        Drawn::Broken(_, path) => path.into_iter().map(|state| state.label).collect(),
        _ => Vec::new(),
    };
    assert_eq!(labels(3), labels(3));
    assert_ne!(labels(3), labels(4));
}

#[test]
fn a_simulation_without_a_find_says_how_much_it_drew() {
    let grid = Grid {
        forbidden_sum: None,
        ..GRID
    };
    let simulation = simulate(&grid, &search(1), &draw(1), &Live::default());
    assert!(matches!(simulation.end, Drawn::Limit(Limit::Behaviours)));
    assert_eq!((simulation.behaviours, simulation.depth), (10, 28));

    let deadlocking = Grid {
        is_corner_deadlock: true,
        ..grid
    };
    let simulation = simulate(&deadlocking, &search(1), &draw(1), &Live::default());
    assert!(matches!(simulation.end, Drawn::Broken(Wrong::Deadlock, path) if path.len() == 28));
}
