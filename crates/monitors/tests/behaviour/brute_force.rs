//! A search of all orders.

use omnilink_monitors::{Action, Collection, TimedAction};

/// The values inside, with the next one last. For a register, the values written, in order.
type State = Vec<u32>;

/// Applies an action. Returns whether the state allows it.
fn step(collection: Collection, state: &mut State, action: Action) -> bool {
    match (collection, action) {
        (Collection::Register, Action::Remove(_) | Action::RemoveAny) => false,
        (Collection::Queue, Action::Add(value)) => {
            state.insert(0, value);
            true
        }
        (Collection::PriorityQueue, Action::Add(value)) => {
            let at = state.partition_point(|other| *other < value);
            state.insert(at, value);
            true
        }
        (_, Action::Add(value)) => {
            state.push(value);
            true
        }
        (_, Action::Remove(value)) => state.pop() == Some(value),
        (_, Action::RemoveAny) => {
            state.pop();
            true
        }
        (_, Action::Peek(value)) => state.last() == Some(&value),
        (_, Action::FindEmpty) => state.is_empty(),
    }
}

/// Whether some order of the operations explains all of them. Pending ones may be left out.
pub fn has_order(collection: Collection, operations: &[TimedAction]) -> bool {
    explore(collection, operations, &State::new(), 0)
}

fn explore(collection: Collection, operations: &[TimedAction], state: &State, done: u32) -> bool {
    let is_left = |number: usize| done & (1 << number) == 0;
    let left = || (0..operations.len()).filter(|number| is_left(*number));
    if left().all(|number| operations[number].ret.is_none()) {
        return true;
    }
    let first_return = left()
        .filter_map(|number| operations[number].ret)
        .min()
        .unwrap_or(u32::MAX);
    left()
        .filter(|number| operations[*number].call < first_return)
        .any(|number| {
            let mut next = state.clone();
            step(collection, &mut next, operations[number].action)
                && explore(collection, operations, &next, done | (1 << number))
        })
}

/// Whether an order explains all operations and respects their calls and returns.
pub fn replay(collection: Collection, operations: &[TimedAction], order: &[usize]) -> Result<(), String> {
    let mut state = State::new();
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
        if !step(collection, &mut state, op.action) {
            return Err(format!("{number} is refused"));
        }
    }
    let missing = (0..operations.len()).find(|number| !seen[*number] && operations[*number].ret.is_some());
    missing.map_or(Ok(()), |number| Err(format!("{number} is missing")))
}
