//! The plain search for sequential consistency: every interleaving of the threads, by the definition of the model.
//!
//! A configuration is how far each thread has come, and the state. Nothing else is remembered and nothing is left out.

use omnilink_evidence::Limit;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limit_watch::LimitWatch;
use crate::model::{Model, Outcomes};
use crate::operation::TimedOp;
use crate::options::Limits;
use crate::plain_search::PlainVerdict;

/// Whether some interleaving of the threads explains a history that starts in one of the states `initial`, given in order of start; and
/// the configurations that were reached.
///
/// The number of a refutation is that of the last operation: no operation is to blame alone.
pub fn explain_program_order<M: Model>(
    model: &M,
    initial: Vec<M::State>,
    history: &[TimedOp<M::Op>],
    async_threads: bool,
    limits: Limits,
) -> (PlainVerdict, u64) {
    let mut threads: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (position, operation) in history.iter().enumerate() {
        let thread = if async_threads {
            position as u32
        } else {
            operation.thread
        };
        threads.entry(thread).or_default().push(position);
    }
    let threads: Vec<Vec<usize>> = threads.into_values().collect();
    let is_optional = |position: usize| history[position].optional || history[position].timebox.is_pending();
    let is_done = |at: &[u32]| {
        let mut rest = threads
            .iter()
            .zip(at)
            .flat_map(|(thread, at)| &thread[*at as usize..]);
        rest.all(|position| is_optional(*position))
    };
    let mut watch = LimitWatch::new(limits);
    let mut fuel = limits.configurations.unwrap_or(u64::MAX);
    let mut outcomes = Outcomes::new(None, limits.interrupt);
    let mut stack: Vec<(Vec<u32>, M::State)> = Vec::new();
    let mut reached: FxHashSet<(Vec<u32>, M::State)> = FxHashSet::default();
    for state in initial {
        let start = (vec![0; threads.len()], state);
        if reached.insert(start.clone()) {
            stack.push(start);
        }
    }
    while let Some((at, state)) = stack.pop() {
        if is_done(&at) {
            return (PlainVerdict::Explained, reached.len() as u64);
        }
        for (number, thread) in threads.iter().enumerate() {
            let Some(position) = thread.get(at[number] as usize) else {
                continue;
            };
            let limit = match fuel {
                0 => Some(Limit::Configurations),
                _ => watch.reached(),
            };
            if let Some(limit) = limit {
                return (PlainVerdict::Limit(limit), reached.len() as u64);
            }
            fuel -= 1;
            outcomes.clear();
            model.plain_step(&state, &history[*position].op, &mut outcomes);
            if let Some(failure) = outcomes.failure() {
                return (PlainVerdict::Failed(failure.to_owned()), reached.len() as u64);
            }
            if let Some(limit) = outcomes.interrupted_by() {
                // What the step did not report is no refusal.
                return (PlainVerdict::Limit(limit), reached.len() as u64);
            }
            if is_optional(*position) {
                outcomes.accept(state.clone());
            }
            let mut further = at.clone();
            further[number] += 1;
            for next in outcomes.states().drain(..) {
                let configuration = (further.clone(), next);
                if reached.insert(configuration.clone()) {
                    stack.push(configuration);
                }
            }
        }
    }
    let verdict = match outcomes.exceeded() {
        Some(limit) => PlainVerdict::Exceeded(limit.to_owned()),
        None => PlainVerdict::Refuted(history.len().saturating_sub(1) as u64),
    };
    (verdict, reached.len() as u64)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::explain_program_order;
    use crate::naive;
    use crate::options::{Consistency, Limits};
    use crate::plain_search::PlainVerdict;
    use crate::test_models::{self, HistoryProfile, Queue, Register, TestModel};

    fn agrees_with_naive<T: TestModel>(seed: u64) {
        let (model, mut rng) = (T::new(), Rng::with_seed(seed));
        let mut refuted = 0;
        for round in 0..4_000 {
            let profile = HistoryProfile::any(&mut rng);
            let mut history = test_models::history_of(&model, 7, profile, &mut rng);
            history.sort_by_key(|operation| operation.timebox.start);
            let expected = naive::explain(&model, &history, Consistency::Sequential);
            let initial = model.plain_initial();
            let (found, _) = explain_program_order(&model, initial, &history, false, Limits::default());
            let is_explained = found == PlainVerdict::Explained;
            assert_eq!(is_explained, expected.is_some(), "round {round}: {history:?}");
            refuted += usize::from(expected.is_none());
        }
        assert!(refuted > 200, "only {refuted} histories without an explanation");
    }

    #[test]
    fn registers_are_explained_exactly_if_an_interleaving_exists() {
        agrees_with_naive::<Register>(41);
    }

    #[test]
    fn queues_are_explained_exactly_if_an_interleaving_exists() {
        agrees_with_naive::<Queue>(42);
    }
}
