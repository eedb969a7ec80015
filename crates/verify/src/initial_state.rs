//! Whether a violation is one only because the object began in another state than the model.

use std::sync::Arc;

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Violation};
use omnilink_models::initial_guesses;
use omnilink_trace::{Format, Operation};

use crate::check_run::CheckRequest;
use crate::detail::Detail;
use crate::input::Input;
use crate::keyed::Keyed;
use crate::model_check::ModelCheck;
use crate::progress::ProgressCounter;

/// Later in a history, a wrong initial state is an unlikely cause.
const OPERATIONS_MAX: usize = 10_000;
/// A guess that takes longer than this is not worth it.
const CONFIGURATIONS_MAX: u64 = 100_000;

/// The model of the request with another initial state, if that explains the operation that has no explanation.
///
/// What starts after that operation has returned cannot explain it, so only what started before is checked again.
pub(crate) fn explaining_model(request: &CheckRequest, input: &Input, evidence: &Evidence) -> Option<String> {
    let Some(Violation::Operation(counterexample)) = &evidence.violation else {
        return None;
    };
    // The keys of a history are objects of their own.
    if !evidence.keys.is_empty() {
        return None;
    }
    let (place, end) = (counterexample.op.place.as_ref()?, counterexample.op.end?);
    // What is read later tells about the beginning, too.
    let mut first: Vec<Arc<Operation>> = Vec::new();
    let mut trace = input.open().ok()?;
    let format = trace.format();
    while let (Some(operation), true) = (trace.next_shared(), first.len() < OPERATIONS_MAX) {
        first.push(operation.ok()?);
    }
    let count = first.partition_point(|operation| operation.timebox.start <= end);
    let unexplained = first[..count]
        .iter()
        .find(|operation| operation.timebox.end == Some(end) && operation.location.to_string() == *place)?;
    let history = first.iter().map(AsRef::as_ref);
    let guesses = initial_guesses(&request.model_name, unexplained, history);
    let before: Arc<[Arc<Operation>]> = first[..count].into();
    guesses
        .into_iter()
        .find(|guess| explains(guess, request, &before, format, place))
}

/// Whether the model `guess` explains the operation at `place`.
fn explains(
    guess: &str,
    request: &CheckRequest,
    before: &Arc<[Arc<Operation>]>,
    format: Format,
    place: &str,
) -> bool {
    let mut guessed = CheckRequest {
        model_name: guess.to_owned(),
        minimize: false,
        witness: None,
        detail: Detail::Reasons,
        ..request.clone()
    };
    guessed.options.limits = Limits {
        configurations: Some(CONFIGURATIONS_MAX),
        ..guessed.options.limits
    };
    let input = Input::of_operations("the beginning".to_owned(), Arc::clone(before), format);
    let Ok(check) = ModelCheck::new(guess, Keyed::No, guessed) else {
        return false;
    };
    let evidence = check.check_once(&input, &ProgressCounter::default());
    match (&evidence.violation, evidence.error) {
        (Some(Violation::Operation(other)), None) => other.op.place.as_deref() != Some(place),
        (None, None) => evidence.verdict == omnilink_evidence::Verdict::Valid,
        _ => false,
    }
}
