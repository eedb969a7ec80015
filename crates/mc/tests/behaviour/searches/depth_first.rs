use omnilink_mc::{Limit, SearchEnd, SearchOptions, SearchProgress, depth_first, path_to};

use super::toy_systems::{Grid, search, sum};

const GRID: Grid = Grid {
    side: 9,
    dimensions: 3,
    forbidden_sum: None,
    forbidden_step: None,
    failing_sum: None,
    sum_max: None,
    is_corner_deadlock: false,
    is_symmetric: false,
};

#[test]
fn depth_first_finds_every_state_once() {
    let explored = depth_first(&GRID, 3, &search(1), &SearchProgress::default(), None);
    let statistics = explored.map(|explored| explored.statistics).unwrap_or_default();
    assert_eq!((statistics.distinct, statistics.generated), (1000, 2701));
}

#[test]
fn depth_first_reaches_the_far_corner_on_its_first_path() {
    let grid = Grid {
        forbidden_sum: Some(27),
        ..GRID
    };
    let Ok(explored) = depth_first(&grid, 3, &search(1), &SearchProgress::default(), None) else {
        panic!("nothing was dumped")
    };
    let SearchEnd::Violation(violation) = &explored.end else {
        panic!("the corner is forbidden")
    };
    assert!(explored.statistics.distinct < 100, "{:?}", explored.statistics);
    let path = violation
        .from
        .and_then(|from| path_to(&grid, &mut (), &explored.seen, from, violation.level));
    let sums: Vec<i64> = path.iter().flatten().map(|state| sum(&state.values)).collect();
    assert_eq!(sums, (0..27).collect::<Vec<i64>>());
}

#[test]
fn a_depth_limit_ends_the_search() {
    let shallow = SearchOptions {
        depth_max: Some(4),
        ..search(1)
    };
    let explored = depth_first(&GRID, 3, &shallow, &SearchProgress::default(), None);
    assert!(explored.is_ok_and(|explored| matches!(explored.end, SearchEnd::Limit(Limit::Depth))));
}
