//! Is a model the collection that it is declared to be?
//!
//! A violation that a monitor finds is one of the model only if the model accepts nothing that the collection refuses. Before a
//! declaration is trusted, it is tried with all short sequences of operations of the history that concern a few of its values.

use std::collections::VecDeque;

use omnilink_value::Value;
use rustc_hash::FxHashSet;

use crate::footprint::Keys;
use crate::model::{Model, successors};
use crate::observation::{CollectionKind, Observation};
use crate::operation::TimedOp;

/// The number of values whose operations are tried.
const VALUES_MAX: usize = 3;
/// The number of operations that are tried.
const OPERATIONS_MAX: usize = 12;
/// The length of the sequences.
const LENGTH_MAX: usize = 5;
/// The number of steps of the model.
const STEPS_MAX: usize = 4_000;

/// The shortest sequence of operations that the model accepts and the collection does not, in words.
pub(super) fn disagreement<M: Model>(
    model: &M,
    kind: CollectionKind,
    history: &[TimedOp<M::Op>],
) -> Option<String> {
    let alphabet = alphabet(model, kind, history);
    let mut steps = 0;
    let mut open = VecDeque::from([(model.initial(), Vec::new(), Vec::new())]);
    while let Some((states, inside, sequence)) = open.pop_front() {
        for op in &alphabet {
            steps += states.len();
            let mut next: Vec<M::State> = Vec::new();
            for state in states.iter().flat_map(|state| successors(model, state, op)) {
                if !next.contains(&state) {
                    next.push(state);
                }
            }
            if next.is_empty() {
                continue;
            }
            let mut sequence: Vec<&M::Op> = sequence.clone();
            sequence.push(op);
            match kind.apply(&inside, model.observe(op)) {
                None => {
                    let shown: Vec<String> = sequence.iter().map(|op| model.describe_op(op)).collect();
                    return Some(shown.join(", then "));
                }
                Some(inside) if sequence.len() < LENGTH_MAX => open.push_back((next, inside, sequence)),
                Some(_) => {}
            }
        }
        if steps > STEPS_MAX {
            break;
        }
    }
    None
}

/// Operations of the history on the first values that are added, each once. Of registers, only one.
fn alphabet<M: Model>(model: &M, kind: CollectionKind, history: &[TimedOp<M::Op>]) -> Vec<M::Op> {
    let mut values: Vec<&Value> = Vec::new();
    let mut keys: Option<Keys> = None;
    for operation in history {
        if let Observation::Add(value) | Observation::MayAdd(value) = model.observe(&operation.op) {
            let touched = model.footprint(&operation.op).writes;
            let is_here = match kind {
                CollectionKind::Register => *keys.get_or_insert_with(|| touched.clone()) == touched,
                _ => true,
            };
            if is_here && !values.contains(&value) {
                values.push(value);
            }
        }
        if values.len() == VALUES_MAX {
            break;
        }
    }
    let mut seen: FxHashSet<&M::Op> = FxHashSet::default();
    let is_tried = |operation: &&TimedOp<M::Op>| {
        let footprint = model.footprint(&operation.op);
        let is_here = keys
            .as_ref()
            .is_none_or(|keys| footprint.writes == *keys || footprint.reads == *keys);
        is_here
            && match model.observe(&operation.op) {
                Observation::FindEmpty => true,
                Observation::Replace {
                    is_certain: false, ..
                } => false,
                observation => observation.value().is_some_and(|value| values.contains(&value)),
            }
    };
    let tried = history.iter().filter(is_tried).map(|operation| &operation.op);
    tried
        .filter(|op| seen.insert(op))
        .take(OPERATIONS_MAX)
        .cloned()
        .collect()
}

impl CollectionKind {
    /// The values inside after an operation, from the one that would leave last; `None` if the collection refuses it.
    fn apply(self, inside: &[Value], observation: Observation<'_>) -> Option<Vec<Value>> {
        let mut next = inside.to_vec();
        let is_unordered = matches!(self, Self::Set | Self::Bag);
        match observation {
            Observation::Add(value) => {
                let at = match self {
                    Self::Set if inside.contains(value) => return None,
                    Self::Register => {
                        next.clear();
                        0
                    }
                    Self::Queue => 0,
                    Self::Stack | Self::Set | Self::Bag => inside.len(),
                    Self::GreatestFirst => inside.partition_point(|other| other < value),
                    Self::LeastFirst => inside.partition_point(|other| other > value),
                };
                next.insert(at, value.clone());
            }
            Observation::Replace { from, to, .. } => {
                (inside.last() == from).then_some(())?;
                next = vec![to.clone()];
            }
            Observation::MayAdd(value) if inside.contains(value) => {}
            Observation::MayAdd(value) => next.push(value.clone()),
            Observation::MayRemove(value) => {
                let at = inside.iter().position(|other| other == value);
                at.map(|at| next.remove(at));
            }
            Observation::Remove(value) if is_unordered => {
                let at = inside.iter().position(|other| other == value)?;
                next.remove(at);
            }
            Observation::Remove(value) => {
                next.pop().filter(|last| last == value)?;
            }
            Observation::Peek(value) if is_unordered => {
                inside.contains(value).then_some(())?;
            }
            Observation::Peek(value) => {
                inside.last().filter(|last| *last == value)?;
            }
            Observation::Miss(value) => (!inside.contains(value)).then_some(())?,
            Observation::FindEmpty => inside.is_empty().then_some(())?,
            _ => return None,
        }
        Some(next)
    }
}
