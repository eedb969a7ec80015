//! Reconstruction of the path to a state.
//!
//! A search keeps no expanded states, only fingerprints with the tags of their parents. The path to a state is recomputed: the
//! chain of its ancestors' fingerprints is followed from an initial state, taking the first step whose state has the next
//! fingerprint. This is the step by which the search found it.

use std::ops::ControlFlow;

use omnilink_value::Value;

use crate::fingerprint::Fingerprint;
use crate::fingerprint_set::FingerprintSet;
use crate::transition_system::{State, TransitionSystem};

/// A state on a path, with the step that led to it.
#[derive(Clone, Debug)]
pub struct PathState<S> {
    /// The values of the variables.
    pub values: State,
    /// The step that led to it; `None` for the first state.
    pub step: Option<S>,
}

/// The path to the state of this fingerprint and level, or `None` if the system is not deterministic, for example because it uses
/// random values.
pub fn path_to<T: TransitionSystem>(
    system: &T,
    worker: &mut T::Worker,
    seen: &FingerprintSet,
    state: Fingerprint,
    level: u32,
) -> Option<Vec<PathState<T::Step>>> {
    // Each chain ends with its oldest ancestor so far.
    let mut chains = vec![vec![state]];
    while let Some(chain) = chains.pop() {
        let oldest = *chain.last()?;
        match seen.parent(oldest) {
            Some(0) if chain.len() == level as usize => {
                if let Some(path) = follow(system, worker, &chain) {
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

/// Follows a chain, given from the last state to the first, from an initial state.
fn follow<T: TransitionSystem>(
    system: &T,
    worker: &mut T::Worker,
    chain: &[Fingerprint],
) -> Option<Vec<PathState<T::Step>>> {
    let (&first, rest) = chain.split_last()?;
    let mut path: Vec<PathState<T::Step>> = Vec::with_capacity(chain.len());
    let enumerated = system.initial_states(worker, &mut |worker, values| {
        if system.fingerprint(worker, values, 1).ok() != Some(first) {
            return ControlFlow::Continue(());
        }
        path.push(PathState {
            values: values.into(),
            step: None,
        });
        ControlFlow::Break(())
    });
    enumerated.ok()?;
    for (level, &wanted) in (1..).zip(rest.iter().rev()) {
        let from = path.last()?.values.clone();
        let found = find_step(system, worker, &from, level, |system, worker, values| {
            system.fingerprint(worker, values, level + 1).ok() == Some(wanted)
        })?;
        path.push(found);
    }
    (path.len() == chain.len()).then_some(path)
}

/// The first step to a wanted state.
pub(crate) fn find_step<T: TransitionSystem>(
    system: &T,
    worker: &mut T::Worker,
    from: &State,
    level: u32,
    is_wanted: impl Fn(&T, &mut T::Worker, &[Value]) -> bool,
) -> Option<PathState<T::Step>> {
    let mut found = None;
    // An error after the wanted state does not matter. An error before it would have ended the search.
    let _ = system.successors(
        worker,
        from,
        level,
        &mut |worker: &mut T::Worker, values: &[Value], label: &T::Label| {
            if !is_wanted(system, worker, values) {
                return ControlFlow::Continue(());
            }
            found = Some(PathState {
                values: values.into(),
                step: Some(system.describe(worker, label)),
            });
            ControlFlow::Break(())
        },
    );
    found
}
