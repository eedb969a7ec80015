//! The witness of a check: replays settled operations of every part, and the explanations of all parts as one.
//!
//! Each part is replayed with the steps of the search as soon as operations are settled: that tells the moment of each, and the states
//! that evidence shows. That the parts are independent, and that steps are what the specification says, is what the search concluded
//! from an analysis. So all parts are merged by their moments and replayed once more: one state, by the definition of the model.

use omnilink_evidence::Placement;
use omnilink_sorting::sort_by_key;
use omnilink_trace::Time;

use super::ActivePart;
use crate::erased_model::ReplaySteps;
use crate::evidence::SearchFigures;
use crate::mutant::{Mutant, mutated};
use crate::replay::Replay;
use crate::state_ids::Renumber;
use crate::state_space::DynStateSpace;
use crate::ties::{PartOp, PartPosition, Ties};

/// The explanations of all parts, as far as they are settled.
#[derive(Debug)]
pub(super) struct WitnessBuilder {
    /// The order of operations, if it is to be kept.
    pub order: Option<Vec<(PartPosition, PartOp)>>,
    /// How threads link parts that are checked separately.
    pub ties: Option<Ties>,
    /// Why an explanation did not replay.
    pub rejected: Option<String>,
    /// Whether some paths were dropped, so that there is no complete witness.
    pub is_incomplete: bool,
    /// The replay of all parts as one; `None` if there is no witness.
    whole: Option<WholeReplay>,
    /// Why the explanations of all parts did not replay as one.
    rejected_whole: Option<String>,
}

/// The replay of all parts as one.
#[derive(Debug, Default)]
struct WholeReplay {
    /// Settled operations that are not replayed, because those of other parts may come first.
    waiting: Vec<(PartPosition, PartOp)>,
    /// The number of waiting operations from which on some are replayed.
    due: usize,
    replay: Option<Replay>,
}

impl WholeReplay {
    /// So many operations are replayed at a time. Those that wait keep their classes alive, with everything that a model keeps for each.
    const DUE_MIN: usize = 1 << 10;
    /// So many may wait for a part that is not settled. Then there is no witness as a whole, as if paths had been dropped.
    const WAITING_MAX: usize = 1 << 20;
}

impl WitnessBuilder {
    /// A witness, if there is to be one.
    pub fn new(has_witness: bool) -> Self {
        Self {
            order: None,
            ties: None,
            rejected: None,
            is_incomplete: false,
            whole: has_witness.then(WholeReplay::default),
            rejected_whole: None,
        }
    }

    /// Replays the settled operations of a part.
    pub fn replay(&mut self, part_id: u64, part: &mut ActivePart, space: &mut DynStateSpace<'_>) {
        for op in part.search.settled.drain(..) {
            let record = *part.search.op_table.get(op);
            match part.replay.place(&record, &mut space.model) {
                Ok(Placement { at, .. }) => {
                    let is_pure = space.model.facts(record.class).pure;
                    let position = match &mut self.ties {
                        Some(ties) => ties.placed(&record, part_id, at, is_pure),
                        None => PartPosition { at, layer: 0 },
                    };
                    let placed = (position, PartOp { record, part_id });
                    if let Some(order) = &mut self.order {
                        order.push(placed);
                    }
                    if let Some(whole) = &mut self.whole {
                        whole.waiting.push(placed);
                    }
                }
                Err(reason) => {
                    self.rejected.get_or_insert(reason);
                }
            }
            part.search.op_table.settle(op);
        }
    }

    /// Whether enough settled operations wait to be replayed as one.
    pub fn is_whole_due(&self) -> bool {
        let is_due = |whole: &WholeReplay| whole.waiting.len() >= whole.due.max(WholeReplay::DUE_MIN);
        self.whole.as_ref().is_some_and(is_due)
    }

    /// Replays the settled operations of all parts whose moments lie before `until`, as one history, by the definition of the model.
    ///
    /// No part may settle an operation with an earlier moment later. That an order is rejected may be due to threads that link parts, so
    /// the reason is kept until the end.
    pub fn replay_whole(&mut self, until: Time, space: &mut DynStateSpace<'_>) {
        let Some(whole) = &mut self.whole else {
            return;
        };
        if self.is_incomplete {
            self.whole = None;
            return;
        }
        // Moments of each part never decrease, so a stable sort by them keeps the order of every part.
        sort_by_key(&mut whole.waiting, |(position, _)| position.at);
        let ready = match until {
            Time::MAX => whole.waiting.len(),
            until => whole.waiting.partition_point(|(position, _)| position.at < until),
        };
        let waiting = whole.waiting.split_off(ready);
        let mut ready = std::mem::replace(&mut whole.waiting, waiting);
        if self.ties.is_some() {
            Ties::put_in_order(&mut ready);
        }
        let start =
            |space: &mut DynStateSpace<'_>| Replay::new(space.model.start_plain_replay(), ReplaySteps::Plain);
        let replay = whole.replay.get_or_insert_with(|| start(space));
        for (_, op) in &ready {
            if let Err(reason) = replay.place(&op.record, &mut space.model) {
                // A step that failed or was interrupted is no refusal: the end of the check tells.
                if space.model.failure().is_none() && space.model.interrupted_by().is_none() {
                    self.rejected_whole = Some(format!("as a whole, {reason}"));
                }
                self.whole = None;
                return;
            }
        }
        whole.due = 2 * whole.waiting.len();
        if whole.waiting.len() > WholeReplay::WAITING_MAX {
            self.whole = None;
        }
    }

    /// Replays what waits, after the last operation. No parts may be [entangled](Ties::entangled).
    pub fn finish_whole(&mut self, space: &mut DynStateSpace<'_>) -> Result<(), String> {
        self.replay_whole(Time::MAX, space);
        match self.rejected_whole.take() {
            Some(reason) if !mutated(Mutant::PartsOverTies) => Err(reason),
            _ => Ok(()),
        }
    }

    /// The number of operations that were replayed as one history.
    pub fn replayed(&self) -> u64 {
        let replay = self.whole.as_ref().and_then(|whole| whole.replay.as_ref());
        replay.map_or(0, |replay| replay.placed)
    }

    /// Replaces the classes of waiting operations.
    pub fn renumber(&mut self, numbers: &mut dyn Renumber) {
        let waiting = self.whole.iter_mut().flat_map(|whole| &mut whole.waiting);
        waiting.for_each(|(_, op)| numbers.class(&mut op.record.class));
    }

    /// Replays the rest of the explanation of a part, and adds its statistics to `figures`.
    pub fn conclude(
        &mut self,
        part_id: u64,
        part: &mut ActivePart,
        space: &mut DynStateSpace<'_>,
        figures: &mut SearchFigures,
    ) {
        part.search.figures().add_to(figures);
        if part.search.paths.enabled() {
            part.search.settle_all();
            self.replay(part_id, part, space);
            if part.replay.mandatory != part.search.mandatory {
                let (placed, expected) = (part.replay.mandatory, part.search.mandatory);
                self.rejected
                    .get_or_insert(format!("{placed} operations placed, {expected} expected"));
            }
        }
        space.model.end_replay(part.replay.id);
    }

    /// The merged order of all parts, if it was kept and is complete.
    pub fn take_order(&mut self) -> Option<Vec<Placement>> {
        let mut order = self.order.take().filter(|_| !self.is_incomplete)?;
        // The moments of each part never decrease, so sorting by them keeps the order of every part.
        sort_by_key(&mut order, |(position, _)| position.at);
        if self.ties.is_some() {
            Ties::put_in_order(&mut order);
        }
        let placement = |(position, op): (PartPosition, PartOp)| Placement {
            op: op.record.id,
            at: position.at,
        };
        Some(order.into_iter().map(placement).collect())
    }
}
