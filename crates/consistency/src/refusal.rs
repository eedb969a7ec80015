//! The reason why a model refuses an operation.
//!
//! The search only needs to know whether there is a next state. The reason, and whether the model failed rather than
//! refused, is computed afterwards by the engine, for the few steps that are reported.

use omnilink_engine::{CheckError, Conclusion, Continuation, Model, Options, Outcomes, TimedOp, check};
use omnilink_evidence::RefusalReason;
use omnilink_trace::Timebox;

/// A model with another initial state.
struct StartingAt<'a, M: Model> {
    model: &'a M,
    state: &'a M::State,
}

impl<M: Model> Model for StartingAt<'_, M> {
    type State = M::State;
    type Op = M::Op;

    fn initial(&self) -> Vec<M::State> {
        vec![self.state.clone()]
    }

    fn step(&self, state: &M::State, op: &M::Op, outcomes: &mut Outcomes<M::State>) {
        self.model.step(state, op, outcomes);
    }
}

/// The model's reason for refusing `op` in `state`; `None` if it is accepted, or refused without a reason.
///
/// # Errors
/// If the model itself fails.
pub(crate) fn refusal<M: Model>(
    model: &M,
    state: &M::State,
    op: &M::Op,
) -> Result<Option<RefusalReason>, String> {
    let alone = TimedOp::new(0, op.clone(), Timebox::new(0, 1));
    match check(&StartingAt { model, state }, [alone], Options::default()) {
        Err(CheckError::Model(message)) => Err(message),
        Err(error @ CheckError::Exceeded(_)) => Err(error.to_string()),
        Err(_) => Ok(None),
        Ok(outcome) => Ok(match outcome.conclusion {
            Conclusion::Violation(counterexample) => {
                let candidates = counterexample
                    .alternatives
                    .into_iter()
                    .flat_map(|projection| projection.candidates);
                let mut reasons = candidates.filter_map(|candidate| match candidate.continuation {
                    Continuation::Refused { reason, places } => Some(RefusalReason {
                        reason: reason?,
                        places,
                    }),
                    Continuation::LeadsTo { .. } => None,
                });
                reasons.next()
            }
            Conclusion::Valid(_) | Conclusion::Unknown(_) => None,
        }),
    }
}
