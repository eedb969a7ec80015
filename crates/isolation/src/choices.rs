//! Levels without clauses, where values repeat: every choice of who committed and who was read from is tried in turn.

use omnilink_engine::Limit;
use omnilink_evidence::{Anomaly, Conclusion};
use omnilink_history::Budget;

use crate::level::Isolation;
use crate::level_outcome::{Blame, LevelOutcome, unknown, violation};
use crate::reads_from::{ReadsFrom, Writer};
use crate::transaction::{Id, Transactions};
use crate::transaction_error::TransactionError;

/// The number of choices that are tried.
const CHOICES_MAX: u64 = 200_000;

/// Decides by trying every choice.
pub(crate) fn decide(
    transactions: &Transactions,
    reads: &ReadsFrom,
    isolation: Isolation,
    conflicts_max: u64,
    budget: &mut Budget,
) -> Result<LevelOutcome, TransactionError> {
    let optional: Vec<usize> = reads
        .included
        .iter()
        .copied()
        .filter(|one| !reads.is_required[*one])
        .collect();
    let present_max = 1_u64.checked_shl(optional.len() as u32).unwrap_or(u64::MAX);
    let mut search = ChoiceSearch {
        transactions,
        reads,
        isolation,
        conflicts_max,
        budget,
        tried: 0,
        is_too_hard: false,
    };
    for choice in 0..present_max.min(CHOICES_MAX) {
        let is_present = |one: &usize| {
            let at = optional.iter().position(|other| other == one);
            at.is_none_or(|at| choice >> at & 1 == 1)
                && (at.is_none() || transactions.all[*one].broken.is_none())
        };
        let present: Vec<usize> = reads.included.iter().copied().filter(is_present).collect();
        if let Some(found) = search.writers(&present, &mut Vec::new())? {
            return Ok(found);
        }
    }
    if search.is_too_hard {
        return Ok(LevelOutcome::TooHard);
    }
    if present_max > CHOICES_MAX || search.tried > CHOICES_MAX {
        return Ok(LevelOutcome::Decided(
            unknown(Limit::Configurations),
            Blame::default(),
        ));
    }
    let open = reads.reads.iter().filter(|read| read.writers.len() != 1);
    let mut keys: Vec<Id> = open.map(|read| read.key).collect();
    keys.sort_unstable();
    keys.dedup();
    let keys = keys.into_iter().map(|key| transactions.key(key)).collect();
    Ok(violation(Anomaly::NoOrder { keys }, Blame::default()))
}

struct ChoiceSearch<'a> {
    transactions: &'a Transactions,
    reads: &'a ReadsFrom,
    isolation: Isolation,
    conflicts_max: u64,
    budget: &'a mut Budget,
    tried: u64,
    is_too_hard: bool,
}

impl ChoiceSearch<'_> {
    /// Tries every writer of every read of the transactions that are present. An answer that is not *no* ends the search.
    fn writers(
        &mut self,
        present: &[usize],
        chosen: &mut Vec<Writer>,
    ) -> Result<Option<LevelOutcome>, TransactionError> {
        if self.tried > CHOICES_MAX {
            return Ok(None);
        }
        let Some(read) = self.reads.reads.get(chosen.len()) else {
            self.tried += 1;
            let determined = self.reads.chosen(chosen, present);
            let outcome = self.transactions.decide_reads(
                self.isolation,
                &determined,
                self.conflicts_max,
                self.budget,
            )?;
            return Ok(match outcome {
                LevelOutcome::Decided(Conclusion::Violation(_), _) => None,
                LevelOutcome::TooHard => {
                    self.is_too_hard = true;
                    None
                }
                decided => Some(decided),
            });
        };
        let is_present = |one: usize| present.binary_search(&one).is_ok();
        // What an absent transaction read does not matter.
        let possible: Vec<Writer> = if is_present(read.reader) {
            read.writers
                .iter()
                .copied()
                .filter(|writer| writer.is_none_or(is_present))
                .collect()
        } else {
            vec![None]
        };
        for writer in possible {
            chosen.push(writer);
            let found = self.writers(present, chosen)?;
            chosen.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}
