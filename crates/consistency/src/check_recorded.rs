//! Checks of recorded histories, with the result ready for a report.

use omnilink_engine::Model;
use omnilink_evidence::{Conclusion, Evidence};
use omnilink_history::{HistoryError, RecordedHistory};
use omnilink_isolation::{IsolationError, check_recorded_transactions};
use thiserror::Error;

use crate::any_history::{AnyHistory, in_any_order};
use crate::axioms::AxiomError;
use crate::check::WeakChecker;
use crate::confirmation::confirm;
use crate::decode::{Decoder, decode_ops};
use crate::evidence::{self, ShownHistory};
use crate::guarantee::{Guarantee, UnknownConsistency};
use crate::infer::infer;
use crate::method_levels::{MethodLevels, MethodLevelsError, known_methods};
use crate::options::WeakOptions;
use crate::weak_error::WeakError;

/// Why there is no verdict. All of these are errors of the user, exit code 2.
#[derive(Debug, Error)]
pub enum RecordedCheckError {
    /// There is no such level.
    #[error(transparent)]
    Unknown(#[from] UnknownConsistency),
    /// The axioms are malformed.
    #[error(transparent)]
    Axioms(#[from] AxiomError),
    /// The levels cannot be used.
    #[error(transparent)]
    Levels(#[from] MethodLevelsError),
    /// The history cannot be read.
    #[error(transparent)]
    RecordedHistory(#[from] HistoryError),
    /// The transactions cannot be checked.
    #[error(transparent)]
    Isolation(#[from] IsolationError),
    /// The check failed.
    #[error(transparent)]
    Check(#[from] WeakError),
}

/// Checks `guarantee` for one recorded history.
///
/// `decoder` makes operations of the model out of recorded ones; `known` are the methods that the model knows,
/// against which the names in axioms and levels are checked.
///
/// # Errors
/// If the history, the guarantee or the model cannot be used.
pub fn check_recorded<M: Model>(
    checker: &mut WeakChecker<'_, M>,
    recorded: &RecordedHistory,
    decoder: &impl Decoder<M::Op>,
    known: &[&str],
    guarantee: &Guarantee,
    options: &WeakOptions,
) -> Result<Evidence, RecordedCheckError> {
    if let Guarantee::Isolation(isolation) = guarantee {
        return Ok(check_recorded_transactions(recorded, *isolation, options.limits)?);
    }
    let criterion = guarantee.criterion()?;
    let decoded = decode_ops(recorded, decoder)?;
    // A model may accept several names for a method: a name in the history is as good as the listed one.
    let recorded_names = decoded.ops.iter().map(|op| op.method.as_str());
    let known: Vec<&str> = known.iter().copied().chain(recorded_names).collect();
    known_methods(criterion.methods(), &known)?;
    if let Guarantee::Levels(levels) = guarantee {
        known_methods(levels.methods.keys().map(String::as_str), &known)?;
        levels.cover(&decoded.ops)?;
    }
    let model = checker.model();
    let kept = decoded.kept.clone();
    let mut evidence = match in_any_order(recorded, decoded)? {
        AnyHistory::Long(history) => {
            let conclusion = history.check(model, guarantee, options)?;
            let thread = |thread: u32| history.thread_names[thread as usize].clone();
            let shown = ShownHistory::new(model, &history.ops, recorded, &kept, thread);
            let confirmation = match &conclusion {
                Conclusion::Violation(violation) => {
                    Some(history.confirm(model, guarantee, &criterion, violation)?)
                }
                _ => None,
            };
            let mut evidence = shown.of_long(guarantee.name(), options.ret, conclusion);
            evidence.confirmation = confirmation;
            evidence
        }
        AnyHistory::Searched(history) => {
            let outcome = checker.check(&history, &criterion, options)?;
            let thread = |thread: u32| history.thread_name(thread);
            let shown = ShownHistory::new(model, history.ops(), recorded, &kept, thread);
            let mut evidence = shown.of_outcome(guarantee.name(), options.ret, outcome);
            if evidence.violation.is_some() {
                evidence.confirmation = Some(confirm(model, &history, &criterion, options.ret)?);
            }
            let pairs = history.happens_before().beyond(history.program_order());
            let pairs = pairs.into_iter();
            evidence.happens_before = pairs
                .map(|(first, second)| (first as u64, second as u64))
                .collect();
            evidence
        }
    };
    evidence.id = Some(recorded.id.clone());
    Ok(evidence)
}

/// `--infer`: the strongest levels that all histories satisfy together, where the methods of `given` have the levels that they have there.
///
/// # Errors
/// If a history, the model or a given level cannot be used.
pub fn infer_recorded<M: Model>(
    model: &M,
    recorded: &[RecordedHistory],
    decoder: &impl Decoder<M::Op>,
    known: &[&str],
    given: &MethodLevels,
    options: &WeakOptions,
) -> Result<Evidence, RecordedCheckError> {
    given.criterion()?;
    let mut histories: Vec<AnyHistory<M::Op>> = Vec::with_capacity(recorded.len());
    for recorded in recorded {
        histories.push(in_any_order(recorded, decode_ops(recorded, decoder)?)?);
    }
    let recorded_names = histories
        .iter()
        .flat_map(AnyHistory::ops)
        .map(|op| op.method.as_str());
    let known: Vec<&str> = known.iter().copied().chain(recorded_names).collect();
    known_methods(given.methods.keys().map(String::as_str), &known)?;
    let inferred = infer(model, &histories, given, options)?;
    Ok(evidence::of_levels(recorded, inferred))
}
