//! What the engine relies on, checked for every model on all states and operations of a small world.
//!
//! The engine cannot see when a model's declarations are wrong: it would answer wrongly. So each declaration is compared
//! with what `step` really does.

use std::collections::{HashMap, HashSet};

use crate::common::{Visitor, Workload, each_workload};
use omnilink_engine::{Footprint, Keys, Model, successors};

/// The states of a world that are looked at; worlds without end are cut off there.
const STATES_MAX: usize = 120;

/// A world with its steps worked out.
struct World<M: Model> {
    name: String,
    model: M,
    states: Vec<M::State>,
    ops: Vec<M::Op>,
    footprints: Vec<Footprint>,
    /// `steps[state][op]`: the states it leads to.
    steps: Vec<Vec<Vec<M::State>>>,
    ids: HashMap<M::State, usize>,
}

impl<M: Model> World<M> {
    fn new<W: Workload<Model = M>>(name: &str, workload: &W) -> Self {
        let model = workload.model();
        let ops = workload.operations();
        let mut states = model.initial();
        let mut ids: HashMap<M::State, usize> = HashMap::new();
        let mut steps = Vec::new();
        ids.extend(states.iter().cloned().enumerate().map(|(id, state)| (state, id)));
        while let Some(state) = states.get(steps.len()).cloned() {
            let row: Vec<Vec<M::State>> = ops.iter().map(|op| successors(&model, &state, op)).collect();
            for next in row.iter().flatten() {
                if states.len() < STATES_MAX && !ids.contains_key(next) {
                    ids.insert(next.clone(), states.len());
                    states.push(next.clone());
                }
            }
            steps.push(row);
        }
        let footprints = ops.iter().map(|op| model.footprint(op)).collect();
        Self {
            name: name.to_owned(),
            model,
            states,
            ops,
            footprints,
            steps,
            ids,
        }
    }

    fn op(&self, op: usize) -> String {
        self.model.describe_op(&self.ops[op])
    }

    fn state(&self, state: &M::State) -> String {
        self.model.describe_state(state)
    }

    /// The states after both operations, in this order.
    fn after(&self, state: usize, first: usize, second: usize) -> HashSet<M::State> {
        let between = &self.steps[state][first];
        between
            .iter()
            .flat_map(|next| successors(&self.model, next, &self.ops[second]))
            .collect()
    }
}

fn meet(left: &Keys, right: &Keys) -> bool {
    match (left, right) {
        (Keys::All, Keys::All) => true,
        (Keys::All, Keys::Only(keys)) | (Keys::Only(keys), Keys::All) => !keys.is_empty(),
        (Keys::Only(left), Keys::Only(right)) => left.iter().any(|key| right.contains(key)),
    }
}

fn is_within(part: &Keys, whole: &Keys) -> bool {
    match (part, whole) {
        (_, Keys::All) => true,
        (Keys::All, Keys::Only(_)) => false,
        (Keys::Only(part), Keys::Only(whole)) => part.iter().all(|key| whole.contains(key)),
    }
}

/// Runs a law on every world.
fn for_each_world(law: impl Law) {
    struct Each<L>(L);
    impl<L: Law> Visitor for Each<L> {
        fn visit<W: Workload>(&mut self, name: &str, workload: &W) {
            self.0.check(&World::new(name, workload));
            self.0.check_workload(name, workload);
        }
    }
    each_workload(&mut Each(law));
}

trait Law {
    fn check<M: Model>(&self, world: &World<M>) {
        let _ = world;
    }

    fn check_workload<W: Workload>(&self, name: &str, workload: &W) {
        let _ = (name, workload);
    }
}

#[test]
fn a_pure_operation_leaves_every_state_as_it_is() {
    struct Purity;
    impl Law for Purity {
        fn check<M: Model>(&self, world: &World<M>) {
            for (state, row) in world.states.iter().zip(&world.steps) {
                for (op, next) in row
                    .iter()
                    .enumerate()
                    .filter(|(op, _)| world.model.is_pure(&world.ops[*op]))
                {
                    assert!(
                        next.iter().all(|next| next == state),
                        "{}: {} is declared pure but changes {}",
                        world.name,
                        world.op(op),
                        world.state(state)
                    );
                }
            }
        }
    }
    for_each_world(Purity);
}

/// Answering "not pure" is sound but slow: what never changes anything should say so.
#[test]
fn an_operation_that_never_changes_a_state_is_declared_pure() {
    struct Sharpness;
    impl Law for Sharpness {
        fn check<M: Model>(&self, world: &World<M>) {
            for (op, what) in world.ops.iter().enumerate() {
                let mut steps = world.states.iter().zip(&world.steps);
                let accepted = world.steps.iter().any(|row| !row[op].is_empty());
                let never_changes = steps.all(|(state, row)| row[op].iter().all(|next| next == state));
                // A multi-register transaction that writes what it has just read is not worth the search for it.
                if accepted && never_changes && world.name != "multi-register" {
                    assert!(
                        world.model.is_pure(what),
                        "{}: {} is pure",
                        world.name,
                        world.op(op)
                    );
                }
            }
        }
    }
    for_each_world(Sharpness);
}

#[test]
fn operations_whose_footprints_do_not_meet_commute() {
    struct Commutation;
    impl Law for Commutation {
        fn check<M: Model>(&self, world: &World<M>) {
            for (a, left) in world.footprints.iter().enumerate() {
                for (b, right) in world.footprints.iter().enumerate().skip(a) {
                    let conflict = meet(&left.writes, &right.reads)
                        || meet(&left.writes, &right.writes)
                        || meet(&left.reads, &right.writes);
                    if conflict {
                        continue;
                    }
                    for state in 0..world.states.len() {
                        assert_eq!(
                            world.after(state, a, b),
                            world.after(state, b, a),
                            "{}: {} and {} do not commute in {}",
                            world.name,
                            world.op(a),
                            world.op(b),
                            world.state(&world.states[state])
                        );
                    }
                }
            }
        }
    }
    for_each_world(Commutation);
}

/// If b writes nothing that a reads, a is accepted after b exactly if it is accepted before; and then what a leaves in
/// the keys that it writes is the same, as far as operations that look only at those keys can tell.
#[test]
fn an_operation_depends_on_nothing_but_the_keys_it_reads() {
    struct Dependence;
    impl Law for Dependence {
        fn check<M: Model>(&self, world: &World<M>) {
            for (a, footprint) in world.footprints.iter().enumerate() {
                let observers: Vec<usize> = (0..world.ops.len())
                    .filter(|r| is_within(&world.footprints[*r].reads, &footprint.writes))
                    .collect();
                for (b, other) in world.footprints.iter().enumerate() {
                    if meet(&other.writes, &footprint.reads) {
                        continue;
                    }
                    for (state, row) in world.states.iter().zip(&world.steps) {
                        for next in &row[b] {
                            let left = &row[a];
                            let right = successors(&world.model, next, &world.ops[a]);
                            let what = || {
                                let [a, b] = [a, b].map(|op| world.op(op));
                                format!("{}: {a} notices {b} in {}", world.name, world.state(state))
                            };
                            assert_eq!(left.is_empty(), right.is_empty(), "{}", what());
                            if footprint.writes != Keys::none() {
                                assert_eq!(
                                    views(world, &observers, left),
                                    views(world, &observers, &right),
                                    "{}",
                                    what()
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    /// What the observers accept in each of the states.
    fn views<M: Model>(world: &World<M>, observers: &[usize], states: &[M::State]) -> HashSet<Vec<bool>> {
        let accepts = |state: &M::State, op: usize| match world.ids.get(state) {
            Some(id) => !world.steps[*id][op].is_empty(),
            None => !successors(&world.model, state, &world.ops[op]).is_empty(),
        };
        states
            .iter()
            .map(|state| observers.iter().map(|op| accepts(state, *op)).collect())
            .collect()
    }
    for_each_world(Dependence);
}

/// From a state that refuses an operation, walk wherever operations lead that are not said to enable it: none of those
/// states may accept it. As the engine does, count only operations that write what the refused one reads.
#[test]
fn no_sequence_without_a_helper_enables_a_refused_operation() {
    struct Enabling;
    impl Law for Enabling {
        fn check<M: Model>(&self, world: &World<M>) {
            let edges = numbered_steps(world);
            for (start, from) in world.states.iter().enumerate() {
                for (refused, what) in world.ops.iter().enumerate() {
                    if !world.steps[start][refused].is_empty() {
                        continue;
                    }
                    let is_helper: Vec<bool> = (0..world.ops.len())
                        .map(|helper| {
                            meet(&world.footprints[helper].writes, &world.footprints[refused].reads)
                                && world.model.may_enable(from, what, &world.ops[helper])
                        })
                        .collect();
                    let mut seen = vec![false; world.states.len()];
                    let mut open = vec![start];
                    seen[start] = true;
                    while let Some(at) = open.pop() {
                        assert!(
                            world.steps[at][refused].is_empty(),
                            "{}: {} is refused in {} and accepted in {} without a helper",
                            world.name,
                            world.op(refused),
                            world.state(from),
                            world.state(&world.states[at])
                        );
                        for &(_, next) in edges[at].iter().filter(|(op, _)| !is_helper[*op]) {
                            if !seen[next] {
                                seen[next] = true;
                                open.push(next);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The steps that change a state and stay within the world, as numbers.
    fn numbered_steps<M: Model>(world: &World<M>) -> Vec<Vec<(usize, usize)>> {
        let of_state = |(state, row): (usize, &Vec<Vec<M::State>>)| {
            let all = row
                .iter()
                .enumerate()
                .flat_map(|(op, next)| next.iter().map(move |next| (op, next)));
            all.filter_map(|(op, next)| world.ids.get(next).map(|id| (op, *id)))
                .filter(|(_, id)| *id != state)
                .collect()
        };
        world.steps.iter().enumerate().map(of_state).collect()
    }
    for_each_world(Enabling);
}

/// An operation whose result was not seen may do exactly what it does with some result.
#[test]
fn an_unseen_result_stands_for_all_results() {
    struct Unseen;
    impl Law for Unseen {
        fn check_workload<W: Workload>(&self, name: &str, workload: &W) {
            let world = World::new(name, workload);
            for call in workload.calls() {
                let results = workload.results(&call);
                for state in &world.states {
                    let unseen: HashSet<_> = successors(&world.model, state, &call).into_iter().collect();
                    let seen: HashSet<_> = results
                        .iter()
                        .flat_map(|op| successors(&world.model, state, op))
                        .collect();
                    assert!(
                        seen.is_subset(&unseen),
                        "{name}: {} in {}",
                        world.model.describe_op(&call),
                        world.model.describe_state(state)
                    );
                    // In a larger state there are results that the small world does not list.
                    if !seen.is_empty() && !name.starts_with("queue") {
                        assert_eq!(seen, unseen, "{name}: {}", world.model.describe_op(&call));
                    }
                }
            }
        }
    }
    for_each_world(Unseen);
}
