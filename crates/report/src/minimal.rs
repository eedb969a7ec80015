//! The few operations that make a history a violation.

use omnilink_engine::{Counterexample, MinimalCounterexample, OpView};

/// A violation shrunk to the operations that make it one, as reports show it. Times are ranks: only the order that
/// matters is left.
#[derive(Clone, Debug)]
pub struct MinimalHistory {
    /// The operations, in order of start, with their positions in the whole history.
    pub operations: Vec<OpView>,
    /// The states that the history may be in before them; `None` for the model's own initial states.
    pub from: Option<Vec<String>>,
    /// How many operations make no difference.
    pub left_out: u64,
    /// Why these operations have no explanation.
    pub counterexample: Counterexample,
    /// Whether the naive checker, too, finds no explanation. `None`: too many operations to ask it.
    pub is_confirmed: Option<bool>,
}

impl MinimalHistory {
    /// What the engine shrank, in the model's words. `position` gives the position in the whole history of what stood
    /// at a position of the history that was given to the engine.
    pub fn new<O>(
        minimal: MinimalCounterexample<O>,
        describe: impl Fn(&O) -> String,
        position: impl Fn(usize) -> u64,
    ) -> Self {
        let ids: Vec<u64> = minimal.ids.iter().map(|id| position(*id)).collect();
        let view = |(operation, id): (&omnilink_engine::Operation<O>, &u64)| OpView {
            id: *id,
            thread: operation.thread,
            text: describe(&operation.op),
            timebox: operation.timebox,
        };
        let operations = minimal.operations.iter().zip(&ids).map(view).collect();
        let mut counterexample = minimal.counterexample;
        let renumber = |op: &mut OpView| {
            if let Some(id) = ids.get(op.id as usize) {
                op.id = *id;
            }
        };
        renumber(&mut counterexample.op);
        if let Some(agreed) = &mut counterexample.agreed {
            agreed.last.iter_mut().for_each(renumber);
            agreed.since.iter_mut().for_each(renumber);
        }
        for alternative in &mut counterexample.alternatives {
            alternative.recent.iter_mut().for_each(renumber);
            alternative.placed.iter_mut().for_each(renumber);
            alternative
                .candidates
                .iter_mut()
                .for_each(|candidate| renumber(&mut candidate.op));
        }
        Self {
            operations,
            from: minimal.from,
            left_out: minimal.left_out as u64,
            counterexample,
            is_confirmed: minimal.confirmed,
        }
    }
}
