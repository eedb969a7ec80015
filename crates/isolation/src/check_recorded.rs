//! Checks of recorded transactions, with the result ready for a report.

use omnilink_evidence::{
    Command, Conclusion, Evidence, IsolationFindings, Limit, Subject, Unknown, Verdict, Violation, Witness,
};
use omnilink_history::RecordedHistory;

use crate::check::{IsolationAnswer, check_and_confirm, survey_levels};
use crate::initial_values::TransactionOptions;
use crate::isolation_error::IsolationError;
use crate::level::Isolation;
use crate::transaction::Extent;

/// Checks whether the transactions of one recorded history are isolated. No model is needed: keys hold values.
///
/// # Errors
/// If the operations are no reads and writes of keys.
pub fn check_recorded_transactions(
    recorded: &RecordedHistory,
    isolation: Isolation,
    options: impl Into<TransactionOptions>,
) -> Result<Evidence, IsolationError> {
    check_recorded_part(recorded, isolation, &options.into(), Extent::Whole)
}

/// The same for a part of a history.
pub(crate) fn check_recorded_part(
    recorded: &RecordedHistory,
    isolation: Isolation,
    options: &TransactionOptions,
    extent: Extent,
) -> Result<Evidence, IsolationError> {
    let answer = check_and_confirm(recorded, isolation, options, extent)?;
    let ops = recorded.ops.len() as u64;
    Ok(evidence_of(&recorded.id, ops, isolation, answer))
}

/// `--infer` for transactions: every level with its verdict, and the anomalies by name.
///
/// # Errors
/// If the operations are no reads and writes of keys.
pub fn infer_recorded_transactions(
    recorded: &RecordedHistory,
    options: impl Into<TransactionOptions>,
) -> Result<Evidence, IsolationError> {
    let (name, ops) = (&recorded.id, recorded.ops.len() as u64);
    Ok(evidence_of_survey(
        name,
        ops,
        survey_levels(recorded, &options.into())?,
    ))
}

/// The evidence that a check of transactions gives. `name` and `ops` are the name and the length of the history.
pub(crate) fn evidence_of(name: &str, ops: u64, isolation: Isolation, answer: IsolationAnswer) -> Evidence {
    let mut evidence = Evidence::new(Command::Check, Subject::Transactions, String::new());
    evidence.id = Some(name.to_owned());
    evidence.consistency = Some(isolation.to_string());
    evidence.figures.ops = ops;
    evidence.confirmation = answer.confirmation;
    evidence.isolation = answer.findings.map(Box::new);
    evidence.notes = answer.notes;
    match answer.conclusion {
        Conclusion::Valid(order) => evidence.witness = Some(Witness::Commits { order }),
        Conclusion::Violation(anomaly) => evidence.violate(Violation::Transactions(*anomaly)),
        Conclusion::Unknown(unknown) => evidence.give_up(*unknown),
    }
    evidence
}

/// The evidence of the levels at which transactions are isolated. It is valid if some level holds.
pub(crate) fn evidence_of_survey(
    name: &str,
    ops: u64,
    found: Result<(IsolationFindings, Vec<String>), Limit>,
) -> Evidence {
    let mut evidence = Evidence::new(Command::Check, Subject::Transactions, String::new());
    evidence.id = Some(name.to_owned());
    evidence.consistency = Some("inferred".to_owned());
    evidence.figures.ops = ops;
    match found {
        Err(limit) => evidence.give_up(Unknown::limited(limit)),
        Ok((findings, notes)) => {
            evidence.notes = notes;
            let has = |verdict: Verdict| findings.levels.iter().any(|level| level.verdict == verdict);
            evidence.verdict = match (has(Verdict::Valid), has(Verdict::Unknown)) {
                (true, _) => Verdict::Valid,
                (false, true) => Verdict::Unknown,
                (false, false) => Verdict::Violation,
            };
            evidence.isolation = Some(Box::new(findings));
        }
    }
    evidence
}
