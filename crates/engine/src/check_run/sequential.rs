//! The end of a check for sequential consistency, which searches the whole history at once.

use hashbrown::HashMap;
use omnilink_evidence::{Decider, Limit, Linearization, Unknown};
use omnilink_trace::Time;

use super::CheckRun;
use crate::erased_model::ReplaySteps;
use crate::error::CheckError;
use crate::evidence::{CheckOutcome, Conclusion};
use crate::evidence_builder::EvidenceBuilder;
use crate::op_table::OpRecord;
use crate::program_order::{self, ProgramOrderResult};
use crate::replay::Replay;
use crate::search_context::SearchContext;
use crate::state_space::DynStateSpace;

impl CheckRun {
    /// The outcome for sequential consistency.
    pub(super) fn finish_sequential(
        mut self,
        space: &mut DynStateSpace<'_>,
    ) -> Result<CheckOutcome, CheckError> {
        // Later operations may explain earlier ones, so a prefix of the history proves nothing.
        if let Some(limit) = self.budget.exhausted() {
            return Ok(CheckOutcome {
                conclusion: Conclusion::Unknown(Box::new(Unknown::limited(limit))),
                figures: self.final_figures(space),
            });
        }
        let mut context = SearchContext::new(space, &mut self.budget, &self.options);
        let history = std::mem::take(&mut self.history);
        let result = program_order::search(&history, &self.initial, &mut context);
        if let Some(failure) = space.model.failure() {
            return Err(CheckError::Model(failure.to_owned()));
        }
        if let (ProgramOrderResult::Blocked(..), Some(reason)) = (&result, space.model.exceeded()) {
            return Err(CheckError::Exceeded(reason.to_owned()));
        }
        self.figures.partitions = 1;
        self.figures.decider = Some(Decider::ProgramOrder);
        let conclusion = match result {
            ProgramOrderResult::Explained(order) => self.replay_sequential(&history, &order, space)?,
            ProgramOrderResult::Blocked(blocked, op_table) if space.model.interrupted_by().is_none() => {
                let builder = EvidenceBuilder::new(space, &op_table, self.with_alternatives);
                Conclusion::Violation(Box::new(builder.counterexample(blocked)))
            }
            ProgramOrderResult::Blocked(blocked, op_table) | ProgramOrderResult::Limit(blocked, op_table) => {
                let limit = self.budget.exhausted().or(space.model.interrupted_by());
                let limit = limit.unwrap_or(Limit::Time);
                let mut builder = EvidenceBuilder::new(space, &op_table, self.with_alternatives);
                let at = Some(builder.view(blocked.target));
                let alternatives = builder.alternatives(&blocked);
                let explained = blocked.total;
                Conclusion::Unknown(Box::new(Unknown {
                    explained,
                    at,
                    frontier: 1,
                    alternatives,
                    ..Unknown::limited(limit)
                }))
            }
        };
        Ok(CheckOutcome {
            conclusion,
            figures: self.final_figures(space),
        })
    }

    /// Replays an explanation, which respects the order of threads but no timeboxes.
    fn replay_sequential(
        &self,
        history: &[OpRecord],
        order: &[u32],
        space: &mut DynStateSpace<'_>,
    ) -> Result<Conclusion, CheckError> {
        let mut replay = Replay::new(space.model.start_plain_replay(), ReplaySteps::Plain);
        let mut last_of_thread: HashMap<u32, u32> = HashMap::new();
        let mut placements = Vec::new();
        for &position in order {
            let record = history[position as usize];
            if let Some(last) = last_of_thread.insert(record.thread, position)
                && last >= position
            {
                let (a, b) = (record.id, history[last as usize].id);
                return Err(CheckError::WitnessRejected(format!(
                    "operation {a} comes after {b}"
                )));
            }
            let timeless = OpRecord {
                start: Time::MIN,
                end: Time::MAX,
                ..record
            };
            let placed = replay.place(&timeless, &mut space.model);
            placements.push(placed.map_err(CheckError::WitnessRejected)?);
        }
        let expected = history.iter().filter(|record| !record.optional).count() as u64;
        if replay.mandatory != expected {
            let placed = replay.mandatory;
            return Err(CheckError::WitnessRejected(format!(
                "{placed} operations placed, {expected} expected"
            )));
        }
        let order = self.witness.order.is_some().then_some(placements);
        Ok(Conclusion::Valid(Linearization {
            replayed: replay.placed,
            order,
        }))
    }
}
