//! The end of a check: the last rounds of every search, and the verdict with its evidence.

use std::collections::BTreeSet;

use omnilink_evidence::{
    AgreedPrefix, AgreedStep, Alternative, Decider, Limit, Linearization, ReportedOperation, Step, Unknown,
};
use omnilink_sorting::sort_by_key;

use super::{ActivePart, CheckRun, Part};
use crate::erased_model::{ReplayId, ReplaySteps};
use crate::error::CheckError;
use crate::evidence::{CheckOutcome, Conclusion, SearchFigures};
use crate::evidence_builder::EvidenceBuilder;
use crate::mutant::{Mutant, mutated};
use crate::op_table::OpRef;
use crate::options::{Consistency, Strategy};
use crate::part_search::PartStatus;
use crate::search_context::SearchContext;
use crate::state_space::DynStateSpace;

impl CheckRun {
    /// The outcome, after the last operation.
    pub fn finish(mut self, space: &mut DynStateSpace<'_>) -> Result<CheckOutcome, CheckError> {
        if let Some(id) = self.spanning_op {
            return Err(CheckError::Spans(id));
        }
        if self.options.consistency == Consistency::Sequential {
            return self.finish_sequential(space);
        }
        let deciders = self.closing_rounds(space);
        if let Some(failure) = space.model.failure() {
            return Err(CheckError::Model(failure.to_owned()));
        }
        if let Some(reason) = self.witness.rejected.take() {
            return Err(CheckError::WitnessRejected(reason));
        }
        if self.violating_part.is_none() && self.budget.exhausted().is_none() {
            if let Some(ties) = &mut self.witness.ties {
                let links = ties.entangled(self.options.witness && !self.witness.is_incomplete);
                if !links.is_empty() && !mutated(Mutant::PartsOverTies) {
                    return Err(CheckError::Entangled(links));
                }
            }
            if let Err(reason) = self.witness.finish_whole(space) {
                return Err(CheckError::WitnessRejected(reason));
            }
            if let Some(failure) = space.model.failure() {
                return Err(CheckError::Model(failure.to_owned()));
            }
            // A step that was interrupted is no refusal, and the rest was not replayed.
            if let Some(limit) = space.model.interrupted_by() {
                self.budget.stop(limit);
            }
        }
        self.figures.decider = Some(match self.options.strategy {
            Strategy::DepthFirst => Decider::DepthFirst,
            _ if deciders.contains(&Decider::DepthFirst) => Decider::DepthFirst,
            _ => Decider::Sweep,
        });
        if let Some(part_id) = self.violating_part {
            if let Some(Part::Active(part)) = self.parts.get(&part_id) {
                if part.search.is_committed() && !mutated(Mutant::CommittedForGood) {
                    return Err(CheckError::Committed);
                }
                if part.search.is_inconclusive() {
                    return Err(CheckError::Tied);
                }
            }
            if let Some(reason) = space.model.exceeded() {
                return Err(CheckError::Exceeded(reason.to_owned()));
            }
        }
        let conclusion = match (self.violating_part, self.budget.exhausted()) {
            (Some(part_id), _) => self.violation(part_id, space)?,
            (None, Some(limit)) => self.unfinished(limit, space),
            (None, None) => self.valid(),
        };
        Ok(CheckOutcome {
            conclusion,
            figures: self.final_figures(space),
        })
    }

    /// Runs rounds over all parts until each is explained, one violates, or a limit is reached. Returns the searches that
    /// explained the parts.
    fn closing_rounds(&mut self, space: &mut DynStateSpace<'_>) -> Vec<Decider> {
        let mut open: Vec<u64> = self
            .parts
            .iter()
            .filter(|(_, part)| matches!(part, Part::Active(_)))
            .map(|(part_id, _)| *part_id)
            .collect();
        // Parts that were easy so far go first: a violation there is found before the hard parts use their rounds.
        open.sort_unstable();
        sort_by_key(&mut open, |part_id| self.behind.contains(part_id));
        let mut deciders = Vec::new();
        while self.violating_part.is_none() && !open.is_empty() && self.budget.exhausted().is_none() {
            let mut undecided = Vec::new();
            for part_id in open {
                let Some(Part::Active(part)) = self.parts.get_mut(&part_id) else {
                    continue;
                };
                let mut context = SearchContext::new(space, &mut self.budget, &self.options);
                match part.search.closing_round(&mut context) {
                    PartStatus::Violation => match space.model.interrupted_by() {
                        Some(limit) => self.budget.stop(limit),
                        None => {
                            self.violating_part = Some(part_id);
                            break;
                        }
                    },
                    PartStatus::Explained => {
                        deciders.push(part.search.decider);
                        if self.options.witness {
                            self.witness.is_incomplete |= !part.search.paths.enabled();
                        }
                        self.witness.conclude(part_id, part, space, &mut self.figures);
                        self.parts.remove(&part_id);
                    }
                    PartStatus::Limit => break,
                    PartStatus::CaughtUp | PartStatus::Behind => undecided.push(part_id),
                }
                if space.model.failure().is_some() {
                    return deciders;
                }
            }
            open = undecided;
        }
        deciders
    }

    pub(super) fn final_figures(&self, space: &DynStateSpace<'_>) -> SearchFigures {
        let mut figures = self.figures;
        for part in self.parts.values() {
            if let Part::Active(part) = part {
                part.search.figures().add_to(&mut figures);
            }
        }
        figures.configurations = self.budget.configurations;
        figures.model_steps = space.steps;
        figures
    }

    fn valid(&mut self) -> Conclusion {
        let order = self.witness.take_order();
        Conclusion::Valid(Linearization {
            replayed: self.witness.replayed(),
            order,
        })
    }

    fn violation(&mut self, part_id: u64, space: &mut DynStateSpace<'_>) -> Result<Conclusion, CheckError> {
        let Some(Part::Active(part)) = self.parts.get_mut(&part_id) else {
            unreachable!("a part that violates is active")
        };
        self.figures.decider = Some(part.search.decider);
        let mut context = SearchContext::new(space, &mut self.budget, &self.options);
        let Some(blocked) = part.search.blocked_return(&mut context) else {
            unreachable!("a violation is at a return")
        };
        let mut builder = EvidenceBuilder::new(space, &part.search.op_table, self.with_alternatives);
        if let Some(contradiction) = builder.contradiction(&blocked) {
            return Err(contradiction);
        }
        let mut counterexample = builder.counterexample(blocked);
        if self.with_alternatives && !self.witness.is_incomplete {
            counterexample.agreed = agreed(part, space, &mut counterexample.alternatives);
        }
        Ok(Conclusion::Violation(Box::new(counterexample)))
    }

    fn unfinished(&mut self, limit: Limit, space: &mut DynStateSpace<'_>) -> Conclusion {
        let explained = self.final_figures(space).returns;
        let mut unfinished = Unknown {
            explained,
            ..Unknown::limited(limit)
        };
        let part = self.parts.values().find_map(|part| match part {
            Part::Active(part) if part.search.status() != PartStatus::Explained => Some(part),
            _ => None,
        });
        if let Some(part) = part
            && let Some(blocked) = part.search.current_return()
        {
            let mut builder = EvidenceBuilder::new(space, &part.search.op_table, self.with_alternatives);
            unfinished.at = Some(builder.view(blocked.target));
            unfinished.frontier = blocked.total;
            unfinished.alternatives = builder.alternatives(&blocked);
        }
        Conclusion::Unknown(Box::new(unfinished))
    }
}

/// The prefix that all explanations of a part share. Its settled operations were replayed already; this replays the rest, and from
/// there the steps of each alternative.
fn agreed(
    part: &mut ActivePart,
    space: &mut DynStateSpace<'_>,
    alternatives: &mut [Alternative],
) -> Option<AgreedPrefix> {
    let (shared, since) = part.search.shared_prefix()?;
    let mut states = StateTexts::default();
    let mut recent = Vec::new();
    for (at, op) in shared.iter().enumerate() {
        let record = *part.search.op_table.get(*op);
        part.replay.place(&record, &mut space.model).ok()?;
        if shared.len() - at <= Alternative::STEPS_MAX {
            let state = states.of(part.replay.id, space);
            let op = EvidenceBuilder::new(space, &part.search.op_table, false).view(*op);
            recent.push(AgreedStep { op, state });
        }
    }
    for (alternative, path) in alternatives.iter_mut().zip(&since) {
        let replay = space.model.fork_replay(part.replay.id);
        for (at, op) in path.iter().enumerate() {
            let record = *part.search.op_table.get(*op);
            space.model.replay(replay, record.class, ReplaySteps::OfSearch);
            if path.len() - at <= Alternative::STEPS_MAX {
                let state = states.of(replay, space);
                alternative.steps.push(Step { op: record.id, state });
            }
        }
        space.model.end_replay(replay);
    }
    let builder = EvidenceBuilder::new(space, &part.search.op_table, false);
    let last = shared.last().map(|op| builder.view(*op));
    let since: BTreeSet<OpRef> = since.into_iter().flatten().collect();
    let mut since: Vec<ReportedOperation> = since.into_iter().map(|op| builder.view(op)).collect();
    sort_by_key(&mut since, |op| op.id);
    Some(AgreedPrefix {
        states: space.model.describe_replay(part.replay.id),
        placed: part.replay.placed,
        last,
        since,
        recent,
    })
}

/// Describes the states of replays, as long as they do not take too much.
#[derive(Default)]
struct StateTexts {
    bytes: usize,
}

impl StateTexts {
    /// A spec may have states of many kilobytes, and there are thousands of steps.
    const BYTES_MAX: usize = 1 << 20;

    /// The state of a replay; `None` if it may be in several.
    fn of(&mut self, replay: ReplayId, space: &DynStateSpace<'_>) -> Option<String> {
        if self.bytes > Self::BYTES_MAX {
            return None;
        }
        let mut states = space.model.describe_replay(replay);
        let state = states.pop().filter(|_| states.is_empty())?;
        self.bytes += state.len();
        Some(state)
    }
}
