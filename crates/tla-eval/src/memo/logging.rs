//! Logging of reads and edits during an evaluation that will be memoised.

use std::rc::Rc;

use omnilink_value::Value;

use super::edit::Edit;
use super::read::{Read, Root};
use crate::datum::Datum;
use crate::error::Outcome;
use crate::evaluator::Evaluator;
use crate::mutant::{Mutant, mutated};
use crate::slot::Slot;
use omnilink_tla_ir::{Kind, Node, PathStep};

/// The log of one memo point.
pub(super) struct LogScope {
    /// Where it starts in the read log.
    pub(super) start: usize,
    /// The first slot that did not exist at its start.
    pub(super) top: usize,
    /// Whether it is inside the log of another memo point.
    pub(super) is_nested: bool,
    was_invalid: bool,
}

impl<'p> Evaluator<'p> {
    pub(super) fn begin_log(&mut self) -> LogScope {
        let top = self.slots.len();
        let is_nested = std::mem::replace(&mut self.is_logging, true);
        let (start, was_invalid) = match &mut self.memo {
            Some(memo) => (memo.log.len(), memo.log.begin()),
            None => (0, false),
        };
        LogScope {
            start,
            top,
            is_nested,
            was_invalid,
        }
    }

    pub(super) fn end_log(&mut self, scope: LogScope) {
        self.is_logging = scope.is_nested;
        if let Some(memo) = &mut self.memo {
            memo.log.end(scope.start, scope.is_nested, scope.was_invalid);
        }
    }

    /// Marks the evaluation in progress as not memoisable.
    pub(crate) fn invalidate_log(&mut self) {
        if let Some(memo) = &mut self.memo {
            memo.log.invalidate();
        }
    }

    /// Logs a read of a slot. Returns its index in the log, as the cause of further reads.
    #[inline(never)]
    pub(crate) fn log_slot(&mut self, slot: u32) -> Option<usize> {
        let base = self.base;
        self.log_read(Read::whole(Root::Slot(slot)), base)
    }

    /// Logs a read of the expression that a slot holds.
    #[inline(never)]
    pub(crate) fn log_slot_expression(&mut self, slot: u32) {
        let base = self.base;
        self.log_read(Read::expression(slot), base);
    }

    /// Logs a read of a variable of the current state.
    #[inline(never)]
    pub(crate) fn log_variable(&mut self, variable: u32) {
        self.log_read(Read::whole(Root::Variable(variable)), 0);
    }

    /// Logs a read of a variable of the next state.
    #[inline(never)]
    pub(crate) fn log_next_variable(&mut self, variable: u32) {
        let Some(memo) = &mut self.memo else { return };
        if memo.assigned >> variable & 1 == 1 {
            memo.log.invalidate();
            return;
        }
        if let Some(source) = memo.edits[variable as usize].source(variable)
            && !mutated(Mutant::ForgetSources)
        {
            self.log_variable(source);
        }
    }

    fn log_read(&mut self, read: Read, base: usize) -> Option<usize> {
        let is_forgotten = match read.root {
            Root::Variable(_) => mutated(Mutant::ForgetVariables),
            Root::Slot(_) => mutated(Mutant::ForgetSlots),
        };
        let memo = self.memo.as_mut().filter(|_| !is_forgotten)?;
        Some(memo.log.push(Rc::new(read), base))
    }

    /// Runs with a log entry as the cause of all reads.
    pub(crate) fn caused_by<T>(&mut self, entry: Option<usize>, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.memo.as_mut().map(|memo| memo.log.set_cause(entry));
        let result = run(self);
        if let (Some(memo), Some(outer)) = (&mut self.memo, outer) {
            memo.log.set_cause(outer);
        }
        result
    }

    /// Logs how the next value of a variable was computed.
    pub(crate) fn log_edit(&mut self, variable: u32, edit: Edit) {
        if let Some(memo) = &mut self.memo {
            memo.edits[variable as usize] = edit;
        }
    }

    /// The edits of a next state without values.
    pub(crate) fn no_edits(&self) -> Vec<Edit> {
        let count = self.memo.as_ref().map_or(0, |memo| memo.edits.len());
        vec![Edit::Same; count]
    }

    /// Replaces the edits, while another next state is computed. Returns those so far.
    pub(crate) fn replace_edits(&mut self, edits: Vec<Edit>) -> Vec<Edit> {
        match &mut self.memo {
            Some(memo) => std::mem::replace(&mut memo.edits, edits),
            None => Vec::new(),
        }
    }

    /// The read that an expression is, while logging: a variable or a local name, and a path. Evaluates the keys of the path.
    pub(crate) fn as_read(&mut self, node: &'p Node) -> Outcome<Option<Read>> {
        let (root, steps) = match &node.kind {
            Kind::Path(root, steps) => (&**root, &**steps),
            _ => (node, &[][..]),
        };
        let root = match root.kind {
            Kind::Var(variable) if !self.primed && !self.state.is_empty() => Root::Variable(variable),
            Kind::Local(slot) if matches!(self.slot(slot), Slot::Datum(Datum::Value(_))) => Root::Slot(slot),
            _ => return Ok(None),
        };
        let mut keys = Vec::with_capacity(steps.len());
        for step in steps {
            keys.push(match step {
                PathStep::Field(field) => field.name.clone(),
                PathStep::Index(index) => match self.eval(index)? {
                    Datum::Value(key) => key,
                    Datum::Lazy(_) => return Ok(None),
                },
            });
        }
        Ok(Some(Read::new(root, keys)))
    }

    /// Reads a value and logs that; `None` if there is no value.
    pub(crate) fn read(&mut self, read: Read) -> Option<Value> {
        let value = read.value(&self.state, &self.slots, self.base)?.clone();
        let base = self.base;
        self.log_read(read, base);
        Some(value)
    }

    /// Reads whether a set contains an element and logs that; `None` if there is no set or the values are not comparable.
    pub(crate) fn read_contains(&mut self, read: Read, element: Value) -> Option<bool> {
        let read = read.contains(element);
        let contains = read.observe(&self.state, &self.slots, self.base)?.as_bool()?;
        let base = self.base;
        self.log_read(read, base);
        Some(contains)
    }
}
