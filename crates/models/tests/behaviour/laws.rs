//! The laws that the engine relies on, checked for every model on all states and operations of a small workload.
//!
//! A wrong declaration of a model leads to wrong verdicts, and the engine cannot detect it. So each declaration is compared
//! with `step`.

use std::collections::{HashMap, HashSet};

use crate::common::{Visitor, Workload, each_workload};
use omnilink_engine::{Footprint, Keys, Model, successors};

/// The maximal number of states of a workload.
const STATES_MAX: usize = 120;

/// A workload with its explored states and steps.
struct Exploration<M: Model> {
    name: String,
    model: M,
    states: Vec<M::State>,
    ops: Vec<M::Op>,
    footprints: Vec<Footprint>,
    /// `steps[state][op]`: the states it leads to.
    steps: Vec<Vec<Vec<M::State>>>,
    ids: HashMap<M::State, usize>,
}

impl<M: Model> Exploration<M> {
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

/// Checks a law on every workload.
fn for_each_workload(law: impl Law) {
    struct Each<L>(L);
    impl<L: Law> Visitor for Each<L> {
        fn visit<W: Workload>(&mut self, name: &str, workload: &W) {
            self.0.check(&Exploration::new(name, workload));
            self.0.check_workload(name, workload);
        }
    }
    each_workload(&mut Each(law));
}

trait Law {
    fn check<M: Model>(&self, exploration: &Exploration<M>) {
        let _ = exploration;
    }

    fn check_workload<W: Workload>(&self, name: &str, workload: &W) {
        let _ = (name, workload);
    }
}

#[test]
fn a_pure_operation_leaves_every_state_as_it_is() {
    struct Purity;
    impl Law for Purity {
        fn check<M: Model>(&self, exploration: &Exploration<M>) {
            for (state, row) in exploration.states.iter().zip(&exploration.steps) {
                for (op, next) in row
                    .iter()
                    .enumerate()
                    .filter(|(op, _)| exploration.model.is_pure(&exploration.ops[*op]))
                {
                    assert!(
                        next.iter().all(|next| next == state),
                        "{}: {} is declared pure but changes {}",
                        exploration.name,
                        exploration.op(op),
                        exploration.state(state)
                    );
                }
            }
        }
    }
    for_each_workload(Purity);
}

/// Declaring an operation as not pure is sound but slow.
#[test]
fn an_operation_that_never_changes_a_state_is_declared_pure() {
    struct Sharpness;
    impl Law for Sharpness {
        fn check<M: Model>(&self, exploration: &Exploration<M>) {
            for (op, what) in exploration.ops.iter().enumerate() {
                let mut steps = exploration.states.iter().zip(&exploration.steps);
                let accepted = exploration.steps.iter().any(|row| !row[op].is_empty());
                let never_changes = steps.all(|(state, row)| row[op].iter().all(|next| next == state));
                // Multi-register transactions that write what they have read are not detected.
                if accepted && never_changes && exploration.name != "multi-register" {
                    assert!(
                        exploration.model.is_pure(what),
                        "{}: {} is pure",
                        exploration.name,
                        exploration.op(op)
                    );
                }
            }
        }
    }
    for_each_workload(Sharpness);
}

#[test]
fn operations_whose_footprints_do_not_meet_commute() {
    struct Commutation;
    impl Law for Commutation {
        fn check<M: Model>(&self, exploration: &Exploration<M>) {
            for (a, left) in exploration.footprints.iter().enumerate() {
                for (b, right) in exploration.footprints.iter().enumerate().skip(a) {
                    let conflict = meet(&left.writes, &right.reads)
                        || meet(&left.writes, &right.writes)
                        || meet(&left.reads, &right.writes);
                    if conflict {
                        continue;
                    }
                    for state in 0..exploration.states.len() {
                        assert_eq!(
                            exploration.after(state, a, b),
                            exploration.after(state, b, a),
                            "{}: {} and {} do not commute in {}",
                            exploration.name,
                            exploration.op(a),
                            exploration.op(b),
                            exploration.state(&exploration.states[state])
                        );
                    }
                }
            }
        }
    }
    for_each_workload(Commutation);
}

/// If b writes nothing that a reads, a is accepted after b if and only if it is accepted before b. Then a writes the same
/// values, as far as operations that read only the written keys can distinguish.
#[test]
fn an_operation_depends_on_nothing_but_the_keys_it_reads() {
    struct Dependence;
    impl Law for Dependence {
        fn check<M: Model>(&self, exploration: &Exploration<M>) {
            for (a, footprint) in exploration.footprints.iter().enumerate() {
                let observers: Vec<usize> = (0..exploration.ops.len())
                    .filter(|r| is_within(&exploration.footprints[*r].reads, &footprint.writes))
                    .collect();
                for (b, other) in exploration.footprints.iter().enumerate() {
                    if meet(&other.writes, &footprint.reads) {
                        continue;
                    }
                    for (state, row) in exploration.states.iter().zip(&exploration.steps) {
                        for next in &row[b] {
                            let left = &row[a];
                            let right = successors(&exploration.model, next, &exploration.ops[a]);
                            let what = || {
                                let [a, b] = [a, b].map(|op| exploration.op(op));
                                format!(
                                    "{}: {a} notices {b} in {}",
                                    exploration.name,
                                    exploration.state(state)
                                )
                            };
                            assert_eq!(left.is_empty(), right.is_empty(), "{}", what());
                            if footprint.writes != Keys::none() {
                                assert_eq!(
                                    views(exploration, &observers, left),
                                    views(exploration, &observers, &right),
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
    fn views<M: Model>(
        exploration: &Exploration<M>,
        observers: &[usize],
        states: &[M::State],
    ) -> HashSet<Vec<bool>> {
        let accepts = |state: &M::State, op: usize| match exploration.ids.get(state) {
            Some(id) => !exploration.steps[*id][op].is_empty(),
            None => !successors(&exploration.model, state, &exploration.ops[op]).is_empty(),
        };
        states
            .iter()
            .map(|state| observers.iter().map(|op| accepts(state, *op)).collect())
            .collect()
    }
    for_each_workload(Dependence);
}

/// From a state that refuses an operation, follow all operations that are not declared to enable it: no state on the way may
/// accept it. As in the engine, an enabling operation must write a key that the refused one reads.
#[test]
fn no_sequence_without_a_helper_enables_a_refused_operation() {
    struct Enabling;
    impl Law for Enabling {
        fn check<M: Model>(&self, exploration: &Exploration<M>) {
            let edges = numbered_steps(exploration);
            for (start, from) in exploration.states.iter().enumerate() {
                for (refused, what) in exploration.ops.iter().enumerate() {
                    if !exploration.steps[start][refused].is_empty() {
                        continue;
                    }
                    let is_helper: Vec<bool> = (0..exploration.ops.len())
                        .map(|helper| {
                            meet(
                                &exploration.footprints[helper].writes,
                                &exploration.footprints[refused].reads,
                            ) && exploration.model.may_enable(from, what, &exploration.ops[helper])
                        })
                        .collect();
                    let mut seen = vec![false; exploration.states.len()];
                    let mut open = vec![start];
                    seen[start] = true;
                    while let Some(at) = open.pop() {
                        assert!(
                            exploration.steps[at][refused].is_empty(),
                            "{}: {} is refused in {} and accepted in {} without a helper",
                            exploration.name,
                            exploration.op(refused),
                            exploration.state(from),
                            exploration.state(&exploration.states[at])
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

    /// The steps between explored states that change the state, as indices.
    fn numbered_steps<M: Model>(exploration: &Exploration<M>) -> Vec<Vec<(usize, usize)>> {
        let of_state = |(state, row): (usize, &Vec<Vec<M::State>>)| {
            let all = row
                .iter()
                .enumerate()
                .flat_map(|(op, next)| next.iter().map(move |next| (op, next)));
            all.filter_map(|(op, next)| exploration.ids.get(next).map(|id| (op, *id)))
                .filter(|(_, id)| *id != state)
                .collect()
        };
        exploration.steps.iter().enumerate().map(of_state).collect()
    }
    for_each_workload(Enabling);
}

/// An operation with an unknown result has exactly the successors that it has with any result.
#[test]
fn an_unknown_result_stands_for_all_results() {
    struct Unseen;
    impl Law for Unseen {
        fn check_workload<W: Workload>(&self, name: &str, workload: &W) {
            let exploration = Exploration::new(name, workload);
            for call in workload.calls() {
                let results = workload.results(&call);
                for state in &exploration.states {
                    let unseen: HashSet<_> =
                        successors(&exploration.model, state, &call).into_iter().collect();
                    let seen: HashSet<_> = results
                        .iter()
                        .flat_map(|op| successors(&exploration.model, state, op))
                        .collect();
                    assert!(
                        seen.is_subset(&unseen),
                        "{name}: {} in {}",
                        exploration.model.describe_op(&call),
                        exploration.model.describe_state(state)
                    );
                    // Larger states have results that are not part of the workload.
                    if !seen.is_empty() && !name.starts_with("queue") {
                        assert_eq!(seen, unseen, "{name}: {}", exploration.model.describe_op(&call));
                    }
                }
            }
        }
    }
    for_each_workload(Unseen);
}
