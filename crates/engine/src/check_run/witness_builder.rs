//! The witness of a check: replays settled operations of every part and merges the parts' explanations.

use omnilink_evidence::Placement;

use super::ActivePart;
use crate::evidence::SearchFigures;
use crate::state_space::DynStateSpace;
use crate::ties::{PartOp, PartPosition, Ties};

/// The explanations of all parts, as far as they are settled.
#[derive(Debug, Default)]
pub(super) struct WitnessBuilder {
    /// The order of operations, if it is to be kept.
    pub order: Option<Vec<(PartPosition, PartOp)>>,
    /// How threads link parts that are checked separately.
    pub ties: Option<Ties>,
    /// Why an explanation did not replay.
    pub rejected: Option<String>,
    /// Whether some paths were dropped, so that there is no complete witness.
    pub is_incomplete: bool,
}

impl WitnessBuilder {
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
                    if let Some(order) = &mut self.order {
                        order.push((position, PartOp { record, part_id }));
                    }
                }
                Err(reason) => {
                    self.rejected.get_or_insert(reason);
                }
            }
            part.search.op_table.settle(op);
        }
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
        order.sort_by_key(|(position, _)| position.at);
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
