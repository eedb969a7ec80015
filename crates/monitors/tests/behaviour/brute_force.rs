//! A search of all orders.

use std::collections::HashSet;

use omnilink_monitors::{Action, Collection, TimedAction};

/// The values inside, with the next one last. For a register, the values written, in order.
type State = Vec<u32>;

/// The states that an action may lead to; none if the state does not allow it.
fn step(collection: Collection, state: &State, action: Action) -> Vec<State> {
    let unchanged_if = |is_allowed: bool| Vec::from_iter(is_allowed.then(|| state.clone()));
    let without = |at: usize| {
        let mut next = state.clone();
        next.remove(at);
        next
    };
    let with = |at: usize, value: u32| {
        let mut next = state.clone();
        next.insert(at, value);
        vec![next]
    };
    let is_inside = |value: u32| state.contains(&value);
    match (collection, action) {
        (Collection::Register, Action::Remove(_) | Action::RemoveAny) => vec![],
        (_, Action::Replace { from, to }) if state.last().copied() == from => with(state.len(), to),
        (_, Action::Replace { .. }) => vec![],
        (Collection::Queue, Action::Add(value)) => with(0, value),
        (Collection::Set, Action::Add(value)) if is_inside(value) => vec![],
        (Collection::PriorityQueue | Collection::Bag, Action::Add(value)) => {
            with(state.partition_point(|other| *other < value), value)
        }
        (_, Action::Add(value)) => with(state.len(), value),
        (Collection::Set | Collection::Bag, Action::Remove(value)) => {
            let at = state.iter().position(|other| *other == value);
            at.map(without).into_iter().collect()
        }
        (Collection::Set | Collection::Bag, Action::Peek(value)) => unchanged_if(is_inside(value)),
        (_, Action::Miss(value)) => unchanged_if(!is_inside(value)),
        (Collection::Bag, Action::RemoveAny) if !state.is_empty() => (0..state.len()).map(without).collect(),
        (_, Action::Remove(value)) if state.last() == Some(&value) => vec![without(state.len() - 1)],
        (_, Action::Remove(_)) => vec![],
        (_, Action::RemoveAny) if !state.is_empty() => vec![without(state.len() - 1)],
        (_, Action::RemoveAny) => unchanged_if(true),
        (_, Action::Peek(value)) => unchanged_if(state.last() == Some(&value)),
        (_, Action::FindEmpty) => unchanged_if(state.is_empty()),
    }
}

/// Whether some order of the operations explains all of them. Pending ones may be left out.
pub fn has_order(collection: Collection, operations: &[TimedAction]) -> bool {
    explore(collection, operations, &State::new(), 0, &mut HashSet::new())
}

fn explore(
    collection: Collection,
    operations: &[TimedAction],
    state: &State,
    done: u32,
    failed: &mut HashSet<(State, u32)>,
) -> bool {
    let is_left = |number: usize| done & (1 << number) == 0;
    let left = || (0..operations.len()).filter(|number| is_left(*number));
    if left().all(|number| operations[number].ret.is_none()) {
        return true;
    }
    let first_return = left()
        .filter_map(|number| operations[number].ret)
        .min()
        .unwrap_or(u32::MAX);
    let nexts: Vec<usize> = left()
        .filter(|number| operations[*number].call < first_return)
        .collect();
    nexts.into_iter().any(|number| {
        let done = done | (1 << number);
        step(collection, state, operations[number].action)
            .into_iter()
            .any(|next| {
                !failed.contains(&(next.clone(), done))
                    && (explore(collection, operations, &next, done, failed) || {
                        failed.insert((next, done));
                        false
                    })
            })
    })
}

/// Whether an order explains all operations and respects their calls and returns.
pub fn replay(collection: Collection, operations: &[TimedAction], order: &[usize]) -> Result<(), String> {
    let mut states = vec![State::new()];
    let mut seen = vec![false; operations.len()];
    let mut latest_call = 0;
    for number in order {
        let op = operations[*number];
        if std::mem::replace(&mut seen[*number], true) {
            return Err(format!("{number} stands twice"));
        }
        latest_call = latest_call.max(op.call);
        if op.ret.is_some_and(|ret| ret < latest_call) {
            return Err(format!("{number} returned before something before it was called"));
        }
        let next = states.iter().flat_map(|state| step(collection, state, op.action));
        states = next.collect();
        states.sort_unstable();
        states.dedup();
        if states.is_empty() {
            return Err(format!("{number} is refused"));
        }
    }
    let missing = (0..operations.len()).find(|number| !seen[*number] && operations[*number].ret.is_some());
    missing.map_or(Ok(()), |number| Err(format!("{number} is missing")))
}
