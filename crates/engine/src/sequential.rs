//! Sequential consistency: the whole history at once, then the replay of what was found.

use hashbrown::HashMap;
use omnilink_evidence::{Decider, Limit, Linearization, Unknown};
use omnilink_trace::Time;

use crate::course::Course;
use crate::describe::Describe;
use crate::evidence::{Conclusion, Outcome};
use crate::ledger::Entry;
use crate::program_order::{self, Answer};
use crate::progress::CheckError;
use crate::replay::Replay;
use crate::space::AnySpace;
use crate::sweep::Tools;

impl Course {
    /// The answer where each thread's own order is all that counts.
    pub(crate) fn finish_sequential(mut self, space: &mut AnySpace<'_>) -> Result<Outcome, CheckError> {
        // Stopped before the end: what comes later may explain what came before, so nothing is known about a part.
        if let Some(limit) = self.meter.exhausted() {
            return Ok(Outcome {
                conclusion: Conclusion::Unknown(Box::new(Unknown::limited(limit))),
                figures: self.final_figures(space),
            });
        }
        let mut tools = Tools {
            space,
            meter: &mut self.meter,
            reductions: &self.options.reductions,
        };
        let history = std::mem::take(&mut self.history);
        let answer = program_order::search(&history, &self.initial, &mut tools);
        if let Some(failure) = space.source.failure() {
            return Err(CheckError::Model(failure.to_owned()));
        }
        if let (Answer::Stuck(..), Some(reason)) = (&answer, space.source.exceeded()) {
            return Err(CheckError::Exceeded(reason.to_owned()));
        }
        self.figures.partitions = 1;
        self.figures.decider = Some(Decider::ProgramOrder);
        let conclusion = match answer {
            Answer::Explained(order) => self.replay_sequential(&history, &order, space)?,
            Answer::Stuck(stuck, ledger) if !space.source.was_interrupted() => {
                let describe = Describe {
                    space,
                    ledger: &ledger,
                    alternatives: self.describes,
                };
                Conclusion::Violation(Box::new(describe.counterexample(stuck)))
            }
            Answer::Stuck(stuck, ledger) | Answer::Limit(stuck, ledger) => {
                let limit = self.meter.exhausted().unwrap_or(Limit::Time);
                let mut describe = Describe {
                    space,
                    ledger: &ledger,
                    alternatives: self.describes,
                };
                let at = Some(describe.view(stuck.target));
                let alternatives = describe.alternatives(&stuck);
                let explained = stuck.total;
                Conclusion::Unknown(Box::new(Unknown {
                    explained,
                    at,
                    frontier: 1,
                    alternatives,
                    ..Unknown::limited(limit)
                }))
            }
        };
        Ok(Outcome {
            conclusion,
            figures: self.final_figures(space),
        })
    }

    /// There are no timeboxes to respect, only each thread's order.
    fn replay_sequential(
        &self,
        history: &[Entry],
        order: &[u32],
        space: &mut AnySpace<'_>,
    ) -> Result<Conclusion, CheckError> {
        let mut replay = Replay::new(space.source.start_replay(&self.initial));
        let mut last_of_thread: HashMap<u32, u32> = HashMap::new();
        let mut placements = Vec::new();
        for &position in order {
            let entry = history[position as usize];
            if let Some(last) = last_of_thread.insert(entry.thread, position)
                && last >= position
            {
                let (a, b) = (entry.id, history[last as usize].id);
                return Err(CheckError::WitnessRejected(format!(
                    "operation {a} comes after {b}"
                )));
            }
            let timeless = Entry {
                start: Time::MIN,
                end: Time::MAX,
                ..entry
            };
            let placed = replay.place(&timeless, &mut space.source);
            placements.push(placed.map_err(CheckError::WitnessRejected)?);
        }
        let expected = history.iter().filter(|entry| !entry.optional).count() as u64;
        if replay.mandatory != expected {
            let placed = replay.mandatory;
            return Err(CheckError::WitnessRejected(format!(
                "{placed} operations placed, {expected} expected"
            )));
        }
        let order = self.keeps_order().then_some(placements);
        Ok(Conclusion::Valid(Linearization {
            replayed: replay.placed,
            order,
        }))
    }
}
