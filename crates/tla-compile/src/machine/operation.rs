//! Operations: actions with parameters, on states that are given as values.

use omnilink_tla_eval::{Evaluator, State};
use omnilink_tla_ir::{OperatorId, Program};
use omnilink_value::Value;

use super::Machine;
use super::loaded::Whole;
use crate::compile::{NotCompiled, compile_operation};
use crate::layout::{CellLayout, LayoutNodeId};
use crate::machine::Successor;
use crate::trap::Trap;
use crate::values::{ValueStore, ValueWord};

impl<'p> Machine<'p> {
    /// Compiles an action whose parameters have values when it is run; its number among the actions.
    ///
    /// # Errors
    /// The reason, if nothing of it can be compiled.
    pub fn add_operation(
        &mut self,
        program: &'p Program,
        operation: OperatorId,
        evaluator: &mut Evaluator<'p>,
    ) -> Result<usize, NotCompiled> {
        let (code, _) = compile_operation(program, operation, &self.layout, &mut self.store, evaluator)?;
        self.actions.push(Whole::new(code));
        Ok(self.actions.len() - 1)
    }

    /// Makes a state the current one.
    ///
    /// # Errors
    /// A trap if it does not fit the layout.
    pub fn set_state(&mut self, state: &[Value]) -> Result<(), Trap> {
        let memory = &mut self.memory;
        let count = self.layout.variable_count();
        let is_known = memory.given.len() == count;
        for (variable, value) in state.iter().enumerate().take(count) {
            // Neighbouring states share most values, so that this comparison is mostly one of addresses.
            if is_known && memory.given[variable] == *value {
                continue;
            }
            memory.is_complete = false;
            let place = self.layout.variable(variable as u32);
            let scattered = scatter(&self.layout, place, value, &mut self.store, &mut memory.now);
            if let Err(trap) = scattered {
                memory.given.clear();
                return Err(trap);
            }
        }
        memory.given.clear();
        memory.given.extend_from_slice(state);
        Ok(())
    }

    /// The successors of the current state under an action with these arguments.
    ///
    /// # Errors
    /// A trap; then nothing is known about this state.
    pub fn successors_with(
        &mut self,
        action: usize,
        arguments: &[Value],
        evaluator: &mut Evaluator<'p>,
    ) -> Result<&[Successor], Trap> {
        let Some(operation) = self.actions.get_mut(action) else {
            return Err(Trap::NotCompiled);
        };
        let words = arguments.iter().map(|argument| self.store.word_kept(argument));
        operation.main.set_parameters(words);
        self.successors(action, evaluator)
    }

    /// The values of a successor of a state that was given as values. Variables to be ignored are as they were.
    pub fn values_after(&mut self, successor: usize, ignored: &[u32]) -> State {
        self.memory.load(successor);
        let memory = &self.memory;
        let (layout, store) = (&self.layout, &mut self.store);
        let given = (0..).zip(&memory.given);
        let values = given.map(|(variable, before)| {
            if ignored.contains(&variable) {
                return before.clone();
            }
            let place = layout.variable(variable);
            changed(layout, place, before, (&memory.now, &memory.after), store)
        });
        values.collect()
    }
}

/// Writes a value to the cells of a node.
///
/// # Errors
/// A trap if it does not fit the layout.
fn scatter(
    layout: &CellLayout,
    (node, first): (LayoutNodeId, u32),
    value: &Value,
    store: &mut ValueStore,
    cells: &mut [u64],
) -> Result<(), Trap> {
    let Some(exploded) = &layout.node(node).exploded else {
        cells[first as usize] = store.word_kept(value).bits();
        return Ok(());
    };
    let misfit = Trap::Layout(node);
    let count = exploded.parts.len();
    if let Some(elements) = value.as_tuple() {
        if exploded.first_int != Some(1) || elements.len() != count {
            return Err(misfit);
        }
        for (element, (part, offset)) in elements.iter().zip(&exploded.parts) {
            scatter(layout, (*part, first + offset), element, store, cells)?;
        }
        return Ok(());
    }
    let domain = store.value(exploded.domain);
    let keys = domain.as_set().unwrap_or_default();
    let entries = value.as_entries().filter(|entries| entries.len() == count);
    let entries = entries.ok_or(misfit)?;
    if !keys.iter().eq(entries.iter().map(|(key, _)| key)) {
        return Err(misfit);
    }
    for ((_, value), (part, offset)) in entries.iter().zip(&exploded.parts) {
        scatter(layout, (*part, first + offset), value, store, cells)?;
    }
    Ok(())
}

/// The value of a node in another state, which shares with that in the state before what did not change.
fn changed(
    layout: &CellLayout,
    (node, first): (LayoutNodeId, u32),
    before: &Value,
    cells: (&[u64], &[u64]),
    store: &mut ValueStore,
) -> Value {
    let (now, after) = cells;
    let Some(exploded) = &layout.node(node).exploded else {
        let first = first as usize;
        return if now[first] == after[first] {
            before.clone()
        } else {
            store.value(ValueWord(after[first]))
        };
    };
    let mut value = before.clone();
    for (index, (part, offset)) in exploded.parts.iter().enumerate() {
        let at = (first + offset) as usize;
        let range = at..at + layout.width(*part) as usize;
        if now[range.clone()] == after[range] {
            continue;
        }
        let old = match (before.as_tuple(), before.as_entries()) {
            (Some(elements), _) => elements.get(index),
            (_, Some(entries)) => entries.get(index).map(|(_, value)| value),
            _ => None,
        };
        if let Some(old) = old {
            let new = changed(layout, (*part, first + offset), old, cells, store);
            value.set_entry(index, new);
        }
    }
    value
}
