//! Cuts: the parts of a history that a violation does not need at all.

use std::time::Instant;

use omnilink_sorting::sort_by_key;
use omnilink_trace::Time;

use super::{TrialOp, found_in, limits_until, operations};
use crate::check::check_from;
use crate::checker::Checker;
use crate::error::CheckError;
use crate::history_facts::followed;
use crate::model::Model;
use crate::options::{Limits, Options};
use crate::partition::Components;

/// Drops the parts that do not contain the unexplained operation. Parts have separate explanations unless threads link
/// them, so the result is checked.
pub(super) fn keep_component<M: Model>(
    model: &M,
    ops: &mut Vec<TrialOp<M::Op>>,
    target: usize,
    options: Options,
) -> Result<(), CheckError> {
    let mut components = Components::default();
    for op in ops.iter() {
        components.observe(&model.footprint(&op.operation.op));
    }
    let partitioning = components.into_partitioning();
    let part_id = |op: &TrialOp<M::Op>| partitioning.part_of(&model.footprint(&op.operation.op));
    let target = part_id(&ops[target]);
    let part: Vec<TrialOp<M::Op>> = ops.iter().filter(|op| part_id(op) == target).cloned().collect();
    if part.len() < ops.len()
        && found_in(check_from(model, model.initial(), operations(&part), options))?.is_some()
    {
        *ops = part;
    }
    Ok(())
}

/// Drops the operations after the unexplained return, and makes those that are open there pending.
pub(super) fn cut_end<O>(ops: &mut Vec<TrialOp<O>>, end: Option<Time>) {
    let last = end.unwrap_or(Time::MAX);
    ops.retain(|op| op.operation.timebox.start <= last);
    for op in ops {
        if op.operation.timebox.end.is_some_and(|end| end > last) {
            op.operation.timebox.end = None;
        }
    }
}

/// Drops the reads that are hidden.
pub(super) fn drop_hidden_reads<M: Model>(model: &M, ops: &mut Vec<TrialOp<M::Op>>) {
    ops.retain(|op| op.shown || !model.is_pure(&op.operation.op));
}

/// Cuts the beginning as late as the violation allows, and returns the states to start from.
pub(super) fn cut_beginning<M: Model>(
    model: &M,
    ops: &mut Vec<TrialOp<M::Op>>,
    options: Options,
    deadline: Instant,
) -> Result<Option<Vec<M::State>>, CheckError> {
    let mut window = 16;
    while window < ops.len() && Instant::now() < deadline {
        let limits = limits_until(deadline, options.limits);
        let options = Options { limits, ..options };
        let cut = ops.len() - window;
        window *= 2;
        let Some((states, rest)) = restart_at(model, ops, cut, options)? else {
            continue;
        };
        let limits = Limits {
            configurations: Some(1_000_000),
            ..limits_until(deadline, limits)
        };
        let options = Options { limits, ..options };
        if found_in(check_from(model, states.clone(), operations(&rest), options))?.is_some() {
            *ops = rest;
            return Ok(Some(states));
        }
    }
    Ok(None)
}

/// The states of all partial explanations of the operations before a cut, and the operations after it.
type Restart<M> = (Vec<<M as Model>::State>, Vec<TrialOp<<M as Model>::Op>>);

/// Cuts a history in front of the operation at `cut`. `None` if a limit was reached.
pub(super) fn restart_at<M: Model>(
    model: &M,
    ops: &[TrialOp<M::Op>],
    cut: usize,
    options: Options,
) -> Result<Option<Restart<M>>, CheckError> {
    let (before, after) = ops.split_at(cut);
    let options = Options {
        witness: false,
        ..options
    };
    let mut checker = Checker::whole_sweep(model, options);
    for (op, is_followed) in before.iter().zip(followed(&operations(ops), &options)) {
        checker.push_followed(op.operation.clone(), is_followed)?;
    }
    if checker.exhausted().is_some() {
        return Ok(None);
    }
    let Some(frontier) = checker.frontier_at(after[0].operation.timebox.start) else {
        return Ok(None);
    };
    let mut states: Vec<M::State> = Vec::new();
    let mut straddling: Vec<TrialOp<M::Op>> = frontier
        .open
        .iter()
        .map(|&id| before[id as usize].clone())
        .collect();
    for (state, placed) in frontier.configurations {
        if !states.contains(&state) {
            states.push(state);
        }
        for (op, id) in straddling.iter_mut().zip(&frontier.open) {
            op.operation.optional |= placed.contains(id);
        }
    }
    straddling.extend_from_slice(after);
    sort_by_key(&mut straddling, |op| op.operation.timebox.start);
    Ok(Some((states, straddling)))
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::super::{operations, trial_ops};
    use super::restart_at;
    use crate::check::check_from;
    use crate::naive;
    use crate::options::{Consistency, Options};
    use crate::test_models::{self, HistoryProfile, Queue, Register, TestModel};

    /// Cutting the beginning relaxes a history: a history with an explanation still has one, wherever it is cut.
    fn cuts_keep_explanations<T: TestModel>(seed: u64) {
        let (model, mut rng) = (T::new(), Rng::with_seed(seed));
        let mut straddled = 0;
        for _ in 0..4_000 {
            let profile = HistoryProfile::any(&mut rng);
            let history = test_models::history_of(&model, 9, profile, &mut rng);
            if naive::explain(&model, &history, Consistency::Linearizable).is_none() {
                continue;
            }
            let ops = trial_ops(history);
            for cut in 1..ops.len() {
                let options = Options::default();
                let Some((states, rest)) =
                    restart_at(&model, &ops, cut, options).expect("test models do not fail")
                else {
                    continue;
                };
                straddled += usize::from(rest.len() > ops.len() - cut);
                let outcome =
                    check_from(&model, states, operations(&rest), options).expect("test models do not fail");
                assert!(outcome.conclusion.is_valid(), "cut at {cut}: {ops:?}");
            }
        }
        assert!(straddled > 1_000, "only {straddled} cuts with operations across");
    }

    #[test]
    fn a_cut_with_operations_across_it_relaxes_registers() {
        cuts_keep_explanations::<Register>(21);
    }

    #[test]
    fn a_cut_with_operations_across_it_relaxes_queues() {
        cuts_keep_explanations::<Queue>(22);
    }
}
