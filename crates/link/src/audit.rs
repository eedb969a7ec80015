//! Audits: every step is evaluated by its definition, and compared with what was cached and with what the analysis said. For tests.
//!
//! A cache or an analysis that is wrong shows in a verdict only if the right operations meet. Here it shows wherever it is used:
//!
//! - the step of the search is the step by the definition, whether it was exact, cached or evaluated;
//! - nothing changes outside of the cells that the effects say may be written;
//! - where the cells that may be read or written hold what they held in an earlier state, the outcome is the same.

use omnilink_tla::eval::{Cell, CellStep, Left};
use omnilink_value::Value;

use crate::audit_record::Contents;
use crate::instance::Instance;
use crate::model::TlaModel;
use crate::state::SpecState;

/// The number of outcomes that are kept for each instance.
const OUTCOMES_MAX: usize = 64;

impl TlaModel<'_> {
    /// What is wrong with the step of an instance that the search found, if anything is.
    pub(crate) fn audited(
        &self,
        state: &SpecState,
        instance: &Instance,
        found: &[SpecState],
    ) -> Option<String> {
        // What cannot be evaluated is an error of the specification, which the search reports.
        let expected = self.plain.successors(state, instance).ok()?;
        let expected: Vec<Vec<Value>> = expected.iter().map(|next| self.seen(next.values())).collect();
        let has = |values: &Vec<Value>| expected.contains(values);
        let all_expected = found
            .iter()
            .map(|next| self.seen(next.values()))
            .all(|next| has(&next));
        // Steps to states with equal views are one step.
        let is_same = match self.linked.view {
            Some(_) => found.is_empty() == expected.is_empty(),
            None => {
                let found: Vec<Vec<Value>> = found.iter().map(|next| self.seen(next.values())).collect();
                expected.iter().all(|next| found.contains(next))
            }
        };
        if !all_expected || !is_same {
            return Some(format!(
                "leads to {found:?}, and by its definition to {expected:?}"
            ));
        }
        self.audited_effects(state, instance, &expected)
    }

    fn audited_effects(
        &self,
        state: &SpecState,
        instance: &Instance,
        expected: &[Vec<Value>],
    ) -> Option<String> {
        let effects = self.effects(instance);
        let is_judged = self.invariant_parts.is_some() || self.linked.invariants.is_empty();
        if !effects.is_complete || !is_judged || self.has_hidden_steps() || instance.0.part.is_some() {
            return None;
        }
        let before = self.seen(state.values());
        if effects.is_pure() && expected.iter().any(|next| *next != before) {
            return Some(format!("is said to change nothing, and leads to {expected:?}"));
        }
        let written: Vec<Cell> = effects
            .writes
            .iter()
            .map(|write| known_part(&write.cell))
            .collect();
        for next in expected {
            if differ_elsewhere(&before, next, &written) {
                return Some(format!(
                    "changes more than {:?}: {before:?} becomes {next:?}",
                    effects.writes
                ));
            }
        }
        let cells = written
            .iter()
            .cloned()
            .chain(effects.reads.iter().map(known_part));
        let contents: Contents = cells.map(|cell| cell.held(&before)).collect();
        let mut outcome: Vec<Contents> = expected
            .iter()
            .map(|next| written.iter().map(|cell| cell.held(next)).collect())
            .collect();
        outcome.sort();
        outcome.dedup();
        let mut known = instance.0.audit.0.borrow_mut();
        match known.iter().find(|(held, _)| *held == contents) {
            Some((_, earlier)) if *earlier != outcome => Some(format!(
                "depends on more than {:?} and {:?}: where these hold {contents:?}, it once left {earlier:?} and now leaves {outcome:?}",
                effects.reads, effects.writes
            )),
            Some(_) => None,
            None => {
                if known.len() < OUTCOMES_MAX {
                    known.push((contents, outcome));
                }
                None
            }
        }
    }

    /// The values of a state as the search sees them: keyed sequences in order, and nothing of variables that nothing depends on.
    fn seen(&self, values: &[Value]) -> Vec<Value> {
        let mut values = self.layout.canonical(values).unwrap_or_else(|| values.to_vec());
        for unobserved in self.layout.unobserved() {
            if let Some(value) = values.get_mut(*unobserved as usize) {
                *value = Value::null();
            }
        }
        values
    }
}

/// The cell, or the part of the state that it is in if its arguments are not known.
fn known_part(cell: &Cell) -> Cell {
    let is_known = |step: &&CellStep| !step.is_unknown();
    Cell {
        variable: cell.variable,
        path: cell.path.iter().take_while(is_known).cloned().collect(),
    }
}

/// Whether two states differ outside of some cells.
fn differ_elsewhere(before: &[Value], after: &[Value], written: &[Cell]) -> bool {
    let (mut before, mut after) = (before.to_vec(), after.to_vec());
    for cell in written {
        let variable = cell.variable as usize;
        let (Some(old), Some(new)) = (before.get_mut(variable), after.get_mut(variable)) else {
            continue;
        };
        let left = match cell.path.last() {
            Some(CellStep::Group(..)) => Left::Removed,
            _ => Left::Put(Value::null()),
        };
        (*old, *new) = match (cell.written(old, &left), cell.written(new, &left)) {
            (Some(old), Some(new)) => (old, new),
            // A cell that cannot be written is in a part of the state that is not there: all of the variable counts as written.
            _ => (Value::null(), Value::null()),
        };
    }
    before != after
}
