//! Mutants of recorded operations: the same call with another result.

use std::collections::BTreeMap;

use omnilink_engine::Decoded;
use omnilink_value::Value;

use crate::instance::Instance;
use crate::model::TlaModel;
use crate::probe::varied;
use crate::variant::{others, part, parts, with_part};

/// The number of values kept for one field.
const RECORDED_MAX: usize = 16;

/// Changes recorded operations.
#[derive(Debug)]
pub struct Mutator<'m, 'l> {
    model: &'m TlaModel<'l>,
    /// What was recorded, by operation and parameter.
    recorded: BTreeMap<(u32, usize), Vec<Value>>,
}

impl<'m, 'l> Mutator<'m, 'l> {
    /// A mutator that has observed no operation.
    pub fn new(model: &'m TlaModel<'l>) -> Self {
        Self {
            model,
            recorded: BTreeMap::new(),
        }
    }

    /// Adds the values of a recorded operation.
    pub fn observe(&mut self, bound: &Decoded<Instance>) {
        let Some(instance) = bound.last() else { return };
        for (at, value) in instance.0.arguments.iter().enumerate() {
            let recorded = self.recorded.entry((instance.0.binding, at)).or_default();
            if let Some(value) = value
                && recorded.len() < RECORDED_MAX
                && !recorded.contains(value)
            {
                recorded.push(value.clone());
            }
        }
    }

    /// The name of an operation.
    pub fn op(&self, bound: &Decoded<Instance>) -> Option<&'l str> {
        Some(self.model.binding(bound.last()?).op.as_str())
    }

    /// The operation with another result, and a description of the change. An operation without a known result gets another
    /// argument. `pick` chooses among several.
    pub fn changed(
        &self,
        bound: &Decoded<Instance>,
        mut pick: impl FnMut(usize) -> usize,
    ) -> Option<(Decoded<Instance>, String)> {
        let instance = bound.last()?;
        let binding = self.model.binding(instance);
        let arguments = instance.0.arguments.iter().take(binding.params.len()).enumerate();
        let known: Vec<usize> = arguments
            .filter(|(_, value)| value.is_some())
            .map(|(at, _)| at)
            .collect();
        let results: Vec<usize> = known
            .iter()
            .copied()
            .filter(|at| binding.params[*at].is_result)
            .collect();
        // A result that goes by another name is most likely the last parameter.
        let candidates = if results.is_empty() { &known } else { &results };
        let at = if results.is_empty() {
            *candidates.last()?
        } else {
            candidates[pick(candidates.len())]
        };
        let whole = instance.0.arguments[at].as_ref()?;
        let paths = parts(whole);
        let path = &paths[pick(paths.len())];
        let held = part(whole, path)?;
        let recorded = self.recorded.get(&(instance.0.binding, at)).into_iter().flatten();
        let recorded: Vec<Value> = recorded.filter_map(|value| part(value, path)).cloned().collect();
        let others = others(held, &recorded, &[]);
        let other = others.get(pick(others.len().max(1)))?;
        let value = with_part(whole, path, other.clone())?;
        let field = [std::slice::from_ref(&binding.params[at].field), path]
            .concat()
            .join(".");
        let description = format!("{field}: {other} in the place of {held}");
        let varied = |instance: &Instance| varied(instance, at, value.clone());
        Some((bound.clone().map(|instance| varied(&instance)), description))
    }
}
