use omnilink_mc::{End, Limit, Live, Search, depth_first, path_to};

use crate::toy::{Grid, search, sum};

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
    let explored = depth_first(&GRID, 3, &search(1), &Live::default(), None);
    let figures = explored.map(|explored| explored.figures).unwrap_or_default();
    assert_eq!((figures.distinct, figures.generated), (1000, 2701));
}

#[test]
fn depth_first_reaches_the_far_corner_on_its_first_path() {
    let grid = Grid {
        forbidden_sum: Some(27),
        ..GRID
    };
    let Ok(explored) = depth_first(&grid, 3, &search(1), &Live::default(), None) else {
        panic!("nothing was dumped")
    };
    let End::Broken(breach) = &explored.end else {
        panic!("the corner is forbidden")
    };
    assert!(explored.figures.distinct < 100, "{:?}", explored.figures);
    let path = breach
        .from
        .and_then(|from| path_to(&grid, &mut (), &explored.seen, from, breach.level));
    let sums: Vec<i64> = path.iter().flatten().map(|state| sum(&state.values)).collect();
    assert_eq!(sums, (0..27).collect::<Vec<i64>>());
}

#[test]
fn what_lies_deeper_than_asked_leaves_the_answer_open() {
    let shallow = Search {
        depth_max: Some(4),
        ..search(1)
    };
    let explored = depth_first(&GRID, 3, &shallow, &Live::default(), None);
    assert!(explored.is_ok_and(|explored| matches!(explored.end, End::Limit(Limit::Depth))));
}
