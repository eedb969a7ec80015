//! The way to a state, found again.
//!
//! A search keeps no states that it has explored, only fingerprints with the tags of their parents. The way to a state is the
//! chain of its ancestors' fingerprints, walked once more from the initial states: the step to take is the first
//! whose state has the next fingerprint, which is the step by which the search found it.

use std::ops::ControlFlow;

use omnilink_value::Value;

use crate::fingerprint::Fingerprint;
use crate::machine::{Machine, State};
use crate::seen::SeenStates;

/// A state on a path, and what led to it; nothing leads to the first.
#[derive(Clone, Debug)]
pub struct PathState<N> {
    /// The values of the variables.
    pub values: State,
    /// The step before.
    pub label: Option<N>,
}

/// The path to the state of this fingerprint and level, or none if the machine does not walk the same way twice (it
/// throws dice).
pub fn path_to<M: Machine>(
    machine: &M,
    worker: &mut M::Worker,
    seen: &SeenStates,
    state: Fingerprint,
    level: u32,
) -> Option<Vec<PathState<M::Named>>> {
    // The last of a chain is the oldest ancestor found so far.
    let mut chains = vec![vec![state]];
    while let Some(chain) = chains.pop() {
        let oldest = *chain.last()?;
        match seen.parent(oldest) {
            Some(0) if chain.len() == level as usize => {
                if let Some(path) = walk(machine, worker, &chain) {
                    return Some(path);
                }
            }
            Some(tag) if tag != 0 && chain.len() < level as usize => {
                for parent in seen.with_tag(tag) {
                    let mut longer = chain.clone();
                    longer.push(parent);
                    chains.push(longer);
                }
            }
            _ => {}
        }
    }
    None
}

/// Walks from an initial state along a chain, which starts with the youngest.
fn walk<M: Machine>(
    machine: &M,
    worker: &mut M::Worker,
    chain: &[Fingerprint],
) -> Option<Vec<PathState<M::Named>>> {
    let (&first, rest) = chain.split_last()?;
    let mut path: Vec<PathState<M::Named>> = Vec::with_capacity(chain.len());
    let enumerated = machine.initial(worker, &mut |worker, values| {
        if machine.fingerprint(worker, values, 1).ok() != Some(first) {
            return ControlFlow::Continue(());
        }
        path.push(PathState {
            values: values.into(),
            label: None,
        });
        ControlFlow::Break(())
    });
    enumerated.ok()?;
    for (level, &wanted) in (1..).zip(rest.iter().rev()) {
        let from = path.last()?.values.clone();
        let found = step(machine, worker, &from, level, |machine, worker, values| {
            machine.fingerprint(worker, values, level + 1).ok() == Some(wanted)
        })?;
        path.push(found);
    }
    (path.len() == chain.len()).then_some(path)
}

/// The first step to a wanted state.
pub(crate) fn step<M: Machine>(
    machine: &M,
    worker: &mut M::Worker,
    from: &State,
    level: u32,
    is_wanted: impl Fn(&M, &mut M::Worker, &[Value]) -> bool,
) -> Option<PathState<M::Named>> {
    let mut found = None;
    // A failure after the wanted state does not matter, and one before it is met again by the search.
    let _ = machine.successors(
        worker,
        from,
        level,
        &mut |worker: &mut M::Worker, values: &[Value], label: &M::Label| {
            if !is_wanted(machine, worker, values) {
                return ControlFlow::Continue(());
            }
            found = Some(PathState {
                values: values.into(),
                label: Some(machine.named(worker, label)),
            });
            ControlFlow::Break(())
        },
    );
    found
}
