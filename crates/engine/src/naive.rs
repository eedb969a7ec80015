//! The naive checker: the definition of an explanation as code.
//!
//! It tries every order of a small history, with the steps by the definition of the model. The engine is tested against it, and it confirms minimal counterexamples.

use crate::model::{Model, plain_successors};
use crate::operation::TimedOp;
use crate::options::Consistency;

/// Finds an order that explains `history`, as positions in it, by trying all orders.
///
/// The order of each thread holds. To check asynchronous clients, give every operation its own thread.
///
/// # Panics
/// If the history has more than 64 operations.
pub fn explain<M: Model>(
    model: &M,
    history: &[TimedOp<M::Op>],
    consistency: Consistency,
) -> Option<Vec<usize>> {
    explain_from(model, &model.plain_initial(), history, consistency)
}

/// The same for a history that starts in one of the states `initial`.
pub(crate) fn explain_from<M: Model>(
    model: &M,
    initial: &[M::State],
    history: &[TimedOp<M::Op>],
    consistency: Consistency,
) -> Option<Vec<usize>> {
    assert!(history.len() <= 64, "the naive checker is for small histories");
    let must = |i: usize| !history[i].optional && !history[i].timebox.is_pending();
    let goal = (0..history.len())
        .filter(|i| must(*i))
        .fold(0u64, |goal, i| goal | 1 << i);
    // before[i]: the operations that cannot come after i.
    let before: Vec<u64> = (0..history.len())
        .map(|i| {
            (0..history.len())
                .filter(|&j| {
                    let (from, to) = (&history[j], &history[i]);
                    let is_called_first =
                        from.thread == to.thread && (from.timebox.start, j) < (to.timebox.start, i);
                    match consistency {
                        Consistency::Linearizable => {
                            let touches = from.timebox.end == Some(to.timebox.start);
                            from.timebox.precedes(&to.timebox) || touches && is_called_first
                        }
                        Consistency::Sequential => is_called_first,
                    }
                })
                .fold(0, |mask, j| mask | 1 << j)
        })
        .collect();
    let mut order = Vec::new();
    initial
        .iter()
        .any(|state| extend(model, history, &before, goal, 0, state, &mut order))
        .then_some(order)
}

fn extend<M: Model>(
    model: &M,
    history: &[TimedOp<M::Op>],
    before: &[u64],
    goal: u64,
    placed: u64,
    state: &M::State,
    order: &mut Vec<usize>,
) -> bool {
    if placed & goal == goal {
        return true;
    }
    for (i, operation) in history.iter().enumerate() {
        // Only mandatory predecessors must be placed.
        if placed >> i & 1 == 1 || before[i] & goal & !placed != 0 {
            continue;
        }
        // No operation that is placed may have this one as a predecessor.
        if (0..history.len()).any(|j| placed >> j & 1 == 1 && before[j] >> i & 1 == 1) {
            continue;
        }
        for next in plain_successors(model, state, &operation.op) {
            order.push(i);
            if extend(model, history, before, goal, placed | 1 << i, &next, order) {
                return true;
            }
            order.pop();
        }
    }
    false
}
