use omnilink_evidence::Bindings;
use omnilink_mc::State;
use omnilink_mc::report::ActionTaken;
use omnilink_value::Value;
use proptest::prelude::*;

use super::*;
use crate::step_graph::GraphedStep;

/// A graph with these steps between states, each of an action, from state 0.
fn graph(states: u32, actions: usize, steps: &[(u32, u32, u32)]) -> StepGraph {
    let mut graph = StepGraph::default();
    graph.actions = (0..actions).map(|action| format!("A{action}")).collect();
    graph.initial = vec![0];
    for number in 0..states {
        let state = State::from([Value::int(i64::from(number))]);
        graph.add_state(state.clone(), &state);
    }
    let label = graph.add_label(ActionTaken {
        name: "A".to_owned(),
        bindings: Bindings(Vec::new()),
        place: String::new(),
    });
    for (from, to, action) in steps {
        graph.add_step(GraphedStep {
            from: *from,
            to: *to,
            label,
            action: *action,
            branches: Box::default(),
            beyond: None,
        });
    }
    graph
}

const ALL: Criteria = Criteria {
    actions: true,
    branches: true,
    pairs: true,
    transitions: true,
};

fn is_path(graph: &StepGraph, path: &GraphPath) -> bool {
    let mut state = path.initial;
    graph.initial.contains(&state)
        && path.steps.iter().all(|number| {
            let step = graph.step(*number);
            let follows = step.from == state;
            state = step.to;
            follows
        })
}

#[test]
fn a_ring_is_one_behaviour() {
    let graph = graph(3, 3, &[(0, 1, 0), (1, 2, 1), (2, 0, 2)]);
    let items = Items::new(&graph, Criteria::default(), &[]);
    let paths = cover(&items, 30);
    assert_eq!(
        paths,
        [GraphPath {
            initial: 0,
            steps: vec![0, 1, 2, 0]
        }]
    );
}

#[test]
fn a_goal_is_reached_by_a_shortest_way() {
    let graph = graph(4, 2, &[(0, 1, 0), (1, 2, 0), (2, 3, 0), (0, 2, 1)]);
    let items = Items::new(&graph, Criteria::NOTHING, &[vec![3], vec![0]]);
    let paths = cover(&items, 30);
    assert_eq!(
        paths,
        [GraphPath {
            initial: 0,
            steps: vec![3, 2]
        }]
    );
}

#[test]
fn a_behaviour_ends_where_a_view_hides_a_difference() {
    let mut graph = graph(2, 2, &[(0, 1, 0), (1, 0, 1)]);
    graph.add_step(GraphedStep {
        beyond: Some(State::from([Value::int(7)])),
        action: 1,
        ..graph.step(0).clone()
    });
    let items = Items::new(&graph, ALL, &[]);
    for path in cover(&items, 30) {
        let ends = path.steps.iter().position(|step| *step == 2);
        assert!(ends.is_none_or(|at| at + 1 == path.steps.len()), "{path:?}");
    }
}

proptest! {
    #[test]
    fn all_that_can_be_covered_is(
        steps in prop::collection::vec((0..6u32, 0..6u32, 0..3u32), 0..20),
        length_max in 1..12usize,
    ) {
        let graph = graph(6, 3, &steps);
        let items = Items::new(&graph, ALL, &[]);
        let paths = cover(&items, length_max);
        let mut is_reached = [true, false, false, false, false, false];
        for _ in 0..6 {
            for (from, to, _) in &steps {
                is_reached[*to as usize] |= is_reached[*from as usize];
            }
        }
        let mut covered = vec![0; items.count];
        for path in &paths {
            prop_assert!(is_path(&graph, path), "{:?}", path);
            items.each_of_path(path, |item, _| covered[item] += 1);
        }
        for (at, (from, to, action)) in steps.iter().enumerate() {
            prop_assert_eq!(covered[items.step(at)] > 0, is_reached[*from as usize]);
            for (next, _, second) in &steps {
                if next == to && is_reached[*from as usize] {
                    prop_assert!(covered[items.pair(*action as usize, *second as usize)] > 0);
                }
            }
        }
        // None can be left out.
        for path in &paths {
            let mut own = vec![0; items.count];
            items.each_of_path(path, |item, _| own[item] += 1);
            prop_assert!(own.iter().zip(&covered).any(|(own, all)| *own > 0 && own == all), "{:?}", paths);
        }
    }
}
