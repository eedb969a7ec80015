//! The check of transactions: a stronger level where that is easier, then the level itself, and a second decision of a violation.

use std::collections::BTreeSet;

use omnilink_engine::Limits;
use omnilink_evidence::{Anomaly, Conclusion, Confirmation, IsolationFindings, Limit};
use omnilink_history::{Budget, RecordedHistory};

use crate::anomalies::FoundAnomaly;
use crate::initial_values::TransactionOptions;
use crate::level::{Isolation, IsolationFamily, IsolationScope};
use crate::level_outcome::{Blame, IsolationConclusion, LevelOutcome, unknown};
use crate::survey::Survey;
use crate::told_history::{ToldHistory, VisitOperation, visit_operations};
use crate::transaction::{Extent, Transactions};
use crate::transaction_error::TransactionError;

/// Checks the transactions of a recorded history.
///
/// # Errors
/// If its operations are no reads and writes of keys in transactions.
pub fn check_transactions(
    recorded: &RecordedHistory,
    isolation: Isolation,
    options: impl Into<TransactionOptions>,
) -> Result<IsolationConclusion, TransactionError> {
    let TransactionOptions { limits, initial } = options.into();
    let mut budget = Budget::new(limits);
    match Transactions::within(recorded, Extent::Whole, &initial, &mut budget)? {
        Ok(transactions) => Ok(transactions.check_within(isolation, &mut budget)?.0),
        Err(limit) => Ok(unknown(limit)),
    }
}

/// The answer to a question about transactions.
#[derive(Debug)]
pub(crate) struct IsolationAnswer {
    pub conclusion: IsolationConclusion,
    /// What a second decision says about a violation.
    pub confirmation: Option<Confirmation>,
    /// Of a violation, the anomalies by name and the levels that hold.
    pub findings: Option<IsolationFindings>,
    /// What was assumed.
    pub notes: Vec<String>,
}

/// Up to this many transactions, a violation is told with all levels that hold.
const SURVEY_MAX: usize = 20_000;

/// The answer for a recorded history, with what a second decision says about a violation, and what is wrong by name.
///
/// # Errors
/// As [`check_transactions`].
pub(crate) fn check_and_confirm(
    recorded: &RecordedHistory,
    isolation: Isolation,
    options: &TransactionOptions,
    extent: Extent,
) -> Result<IsolationAnswer, TransactionError> {
    let mut budget = Budget::new(options.limits);
    let each = |visit: &mut VisitOperation<'_>| visit_operations(recorded, visit);
    match Transactions::within(recorded, extent, &options.initial, &mut budget)? {
        Ok(transactions) => check_transactions_and_confirm(
            transactions,
            &ToldHistory::of(recorded, &each),
            isolation,
            &mut budget,
        ),
        Err(limit) => Ok(IsolationAnswer::of(unknown(limit))),
    }
}

/// Whether transactions are isolated, with what a second decision says about a violation, and what is wrong by name.
///
/// # Errors
/// As [`check_transactions`].
pub(crate) fn check_transactions_and_confirm(
    mut transactions: Transactions,
    told: &ToldHistory<'_>,
    isolation: Isolation,
    budget: &mut Budget,
) -> Result<IsolationAnswer, TransactionError> {
    let (conclusion, mut blame) = transactions.check_within(isolation, budget)?;
    let mut answer = IsolationAnswer {
        notes: std::mem::take(&mut transactions.notes),
        ..IsolationAnswer::of(conclusion)
    };
    if !matches!(answer.conclusion, Conclusion::Violation(_)) {
        return Ok(answer);
    }
    let survey = if transactions.all.len() <= SURVEY_MAX {
        transactions.survey(budget)?
    } else {
        Survey::default()
    };
    let anomalies = transactions.anomalies(&survey);
    // A cycle of dependencies whose every edge is proved is plainer than one that a search ended with.
    if let Some(cycle) = transactions.proved_cycle(isolation, &anomalies, &blame.cycle) {
        (answer.conclusion, blame) = transactions.cycle_violation(cycle, isolation);
    }
    let mut named: BTreeSet<usize> = named_in(&anomalies).collect();
    let is_read =
        matches!(&answer.conclusion, Conclusion::Violation(anomaly) if matches!(**anomaly, Anomaly::Read(_)));
    let minimal = if is_read {
        // One read is wrong whatever the others did.
        None
    } else {
        transactions.minimal(isolation, &blame, budget)?
    };
    let confirmed = match minimal {
        Some(mut part) => {
            named.extend(part.origin.iter().copied());
            let survey = part.transactions.survey(budget)?;
            let anomalies = part.transactions.anomalies(&survey);
            if let Some(cycle) = part
                .transactions
                .proved_cycle(isolation, &anomalies, &part.blame.cycle)
            {
                (part.conclusion, part.blame) = part.transactions.cycle_violation(cycle, isolation);
            }
            answer.conclusion = part.conclusion;
            part.transactions.confirm(isolation, &part.blame)
        }
        None => {
            named.extend(blame.named.iter().copied());
            transactions.confirm(isolation, &blame)
        }
    };
    answer.confirmation = Some(confirmed.map_err(TransactionError::Contradicted)?);
    answer.findings = Some(IsolationFindings {
        transactions: transactions.accounts(told, &named),
        ..survey.findings(transactions.named(&anomalies), false)
    });
    Ok(answer)
}

/// Decides every level.
///
/// # Errors
/// As [`check_transactions`].
pub(crate) fn survey_levels(
    recorded: &RecordedHistory,
    options: &TransactionOptions,
) -> Result<Result<(IsolationFindings, Vec<String>), Limit>, TransactionError> {
    let mut budget = Budget::new(options.limits);
    let each = |visit: &mut VisitOperation<'_>| visit_operations(recorded, visit);
    Ok(
        match Transactions::within(recorded, Extent::Whole, &options.initial, &mut budget)? {
            Ok(mut transactions) => {
                let notes = std::mem::take(&mut transactions.notes);
                let told = ToldHistory::of(recorded, &each);
                Ok((survey_transactions(&transactions, &told, &mut budget)?, notes))
            }
            Err(limit) => Err(limit),
        },
    )
}

pub(crate) fn survey_transactions(
    transactions: &Transactions,
    told: &ToldHistory<'_>,
    budget: &mut Budget,
) -> Result<IsolationFindings, TransactionError> {
    let survey = transactions.survey(budget)?;
    let anomalies = transactions.anomalies(&survey);
    Ok(IsolationFindings {
        transactions: transactions.accounts(told, &named_in(&anomalies).collect()),
        ..survey.findings(transactions.named(&anomalies), true)
    })
}

/// The transactions of the cycles of some anomalies.
fn named_in(anomalies: &[FoundAnomaly]) -> impl Iterator<Item = usize> + '_ {
    anomalies
        .iter()
        .flat_map(|anomaly| anomaly.cycle.iter().map(|edge| edge.from))
}

impl IsolationAnswer {
    fn of(conclusion: IsolationConclusion) -> Self {
        Self {
            conclusion,
            confirmation: None,
            findings: None,
            notes: Vec::new(),
        }
    }
}

impl Transactions {
    /// Checks whether the transactions are isolated.
    ///
    /// # Errors
    /// If an order was found that does not replay, which is a bug.
    pub fn check(
        &self,
        isolation: Isolation,
        limits: Limits,
    ) -> Result<IsolationConclusion, TransactionError> {
        let (conclusion, _) = self.check_within(isolation, &mut Budget::new(limits))?;
        Ok(conclusion)
    }

    pub(crate) fn check_within(
        &self,
        isolation: Isolation,
        budget: &mut Budget,
    ) -> Result<(IsolationConclusion, Blame), TransactionError> {
        if let Some(readings) = &self.readings {
            return readings.check_within(isolation, budget);
        }
        if let Some(violation) = self.read_violation(isolation) {
            return Ok(violation);
        }
        let mut stronger = self.stronger(isolation);
        let mut conflicts_max = DETOUR_CONFLICTS;
        while !stronger.is_empty() {
            // A history that is isolated at a level is isolated at the weaker ones, by the same order.
            let mut undecided = Vec::new();
            for level in stronger {
                match self.decide(level, conflicts_max, budget)? {
                    LevelOutcome::Decided(Conclusion::Violation(_), _) => {}
                    LevelOutcome::Decided(conclusion, blame) => return Ok((conclusion, blame)),
                    LevelOutcome::TooHard => undecided.push(level),
                }
            }
            if let LevelOutcome::Decided(conclusion, blame) = self.decide(isolation, conflicts_max, budget)? {
                return Ok((conclusion, blame));
            }
            stronger = undecided;
            conflicts_max = conflicts_max.saturating_mul(DETOUR_GROWTH);
        }
        match self.decide(isolation, u64::MAX, budget)? {
            LevelOutcome::Decided(conclusion, blame) => Ok((conclusion, blame)),
            LevelOutcome::TooHard => Ok((unknown(Limit::Configurations), Blame::default())),
        }
    }

    /// A read that no order of commits can explain at a level.
    pub(crate) fn read_violation(&self, isolation: Isolation) -> Option<(IsolationConclusion, Blame)> {
        let mut anomalies = self.read_anomalies.iter();
        let anomaly = anomalies.find(|anomaly| anomaly.breaks(isolation))?;
        let violation = Anomaly::Read(anomaly.text.clone());
        let blame = Blame::of(anomaly.named.clone());
        Some((IsolationConclusion::Violation(Box::new(violation)), blame))
    }

    /// Stronger levels that may be easier to decide, the easiest first: real time and sessions determine most of the order.
    fn stronger(&self, isolation: Isolation) -> Vec<Isolation> {
        let is_timed = self.all.iter().any(|one| one.timebox.is_some());
        let has_unique_values = self.has_unique_values();
        if has_unique_values && isolation.is_decided_by_visibility() {
            // Of all that sessions have read there is no short summary, unlike of what is in a causal past.
            let is_long = isolation.family() == IsolationFamily::WritesFollowReads;
            let causal = Isolation::new(IsolationFamily::Causal, IsolationScope::Session);
            return is_long.then_some(causal).into_iter().collect();
        }
        let (serializable, snapshot) = (IsolationFamily::Serializable, IsolationFamily::Snapshot);
        let mut levels = vec![
            Isolation::STRICT_SERIALIZABLE,
            Isolation::STRONG_SESSION_SERIALIZABLE,
        ];
        if !has_unique_values {
            // Who was read from is a choice, which makes all levels hard.
            levels.extend([
                Isolation::new(serializable, IsolationScope::Plain),
                Isolation::new(snapshot, IsolationScope::Session),
                Isolation::new(snapshot, IsolationScope::Plain),
            ]);
        }
        levels.retain(|level| *level != isolation && level.implies(isolation));
        levels.retain(|level| is_timed || level.scope() < IsolationScope::RealTime);
        levels
    }
}

/// The number of conflicts allowed at first in a search for a level, and how much it grows from round to round.
const DETOUR_CONFLICTS: u64 = 1_000;
const DETOUR_GROWTH: u64 = 8;
