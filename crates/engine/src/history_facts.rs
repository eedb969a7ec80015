//! What a reading of a whole history finds out for the next one: the parts that belong together, and where threads go on.

use omnilink_evidence::Placement;
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashMap;

use crate::footprint::Footprint;
use crate::history_source::{HistoryReading, HistorySource};
use crate::limit_watch::LimitWatch;
use crate::model::Model;
use crate::operation::TimedOp;
use crate::options::{Consistency, Limits, Options};
use crate::partition::Components;

/// Limits are checked once per this many operations: looking at the clock costs more than reading an operation.
pub(crate) const OPERATIONS_BETWEEN_LOOKS: u64 = 256;

/// Which parts of a history belong together. If a limit is reached, all do: that is always sound.
///
/// # Errors
/// If the history cannot be read.
pub fn components_of<M: Model, S: HistorySource<M::Op>>(
    model: &M,
    source: &S,
    limits: Limits,
) -> Result<Components, S::Error> {
    if let Some(history) = source.in_memory() {
        return Ok(Components::of(
            history.iter().map(|operation| model.footprint(&operation.op)),
        ));
    }
    let mut components = Components::default();
    let mut reading = source.open()?;
    let mut watch = LimitWatch::new(limits);
    let mut operations = 0_u64;
    while let Some(operation) = reading.next()? {
        operations += 1;
        // What was not read may belong together in any way.
        if operations.is_multiple_of(OPERATIONS_BETWEEN_LOOKS) && watch.reached().is_some() {
            components.observe(&Footprint::everything());
            break;
        }
        components.observe(&model.footprint(&operation.op));
        if components.is_settled() {
            break;
        }
    }
    Ok(components)
}

/// For each operation, whether another one of its thread starts where it ends: see [`CheckError::Tied`](crate::CheckError::Tied).
///
/// # Errors
/// If the history cannot be read.
pub fn followed_in<O, S: HistorySource<O>>(source: &S) -> Result<Vec<bool>, S::Error> {
    let mut followed = Followed::default();
    let mut reading = source.open()?;
    while let Some(operation) = reading.next()? {
        followed.observe(&operation);
    }
    Ok(followed.so_far)
}

/// The same for operations in memory.
pub(crate) fn followed<O>(history: &[TimedOp<O>], options: &Options) -> Vec<bool> {
    if options.async_threads || options.consistency == Consistency::Sequential {
        return vec![false; history.len()];
    }
    let mut followed = Followed::default();
    history.iter().for_each(|operation| followed.observe(operation));
    followed.so_far
}

#[derive(Default)]
struct Followed {
    so_far: Vec<bool>,
    /// The ends and positions of the operations of each thread that another one may follow.
    open: FxHashMap<u32, Vec<(Time, usize)>>,
}

impl Followed {
    fn observe<O>(&mut self, operation: &TimedOp<O>) {
        let Timebox { start, end } = operation.timebox;
        let open = self.open.entry(operation.thread).or_default();
        for (_, position) in open.iter().filter(|(end, _)| *end == start) {
            self.so_far[*position] = true;
        }
        open.retain(|(end, _)| *end >= start);
        open.extend(end.map(|end| (end, self.so_far.len())));
        self.so_far.push(false);
    }
}

/// Whether an order has every thread's operations in the order of the history.
pub(crate) fn keeps_program_order<O, S: HistorySource<O>>(
    source: &S,
    order: &[Placement],
) -> Result<bool, S::Error> {
    let mut threads = Vec::new();
    let mut reading = source.open()?;
    while let Some(operation) = reading.next()? {
        threads.push(operation.thread);
    }
    let mut last: FxHashMap<u32, u64> = FxHashMap::default();
    Ok(order.iter().all(|placement| {
        let thread = threads.get(placement.op as usize).copied().unwrap_or_default();
        let before = last.insert(thread, placement.op);
        before.is_none_or(|before| before < placement.op)
    }))
}
