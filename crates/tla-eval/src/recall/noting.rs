//! Writing to the log while an answer is found.

use std::rc::Rc;

use omnilink_tla_ir::{Kind, Node, PathStep};
use omnilink_value::Value;

use super::edit::Edit;
use super::place::{Place, Root};
use crate::datum::Datum;
use crate::error::Outcome;
use crate::evaluator::Evaluator;
use crate::slot::Slot;

/// A log that is being kept.
pub(super) struct Logging {
    /// Where it starts.
    pub(super) start: usize,
    /// The first slot that is not there yet.
    pub(super) top: usize,
    /// Whether one was kept around it.
    pub(super) was: bool,
    was_spoilt: bool,
}

impl<'p> Evaluator<'p> {
    pub(super) fn begin_log(&mut self) -> Logging {
        let top = self.slots.len();
        let was = std::mem::replace(&mut self.logging, true);
        let (start, was_spoilt) = match &mut self.memory {
            Some(memory) => (memory.log.len(), memory.log.begin()),
            None => (0, false),
        };
        Logging {
            start,
            top,
            was,
            was_spoilt,
        }
    }

    pub(super) fn end_log(&mut self, logging: Logging) {
        self.logging = logging.was;
        if let Some(memory) = &mut self.memory {
            memory.log.end(logging.start, logging.was, logging.was_spoilt);
        }
    }

    /// Nothing that is being logged can be remembered.
    pub(crate) fn spoil_log(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.log.spoil();
        }
    }

    /// A look at a slot. Gives where it is in the log, for what is looked at on its account.
    #[inline(never)]
    pub(crate) fn note_slot(&mut self, slot: u32) -> Option<usize> {
        let base = self.base;
        self.note(Place::whole(Root::Slot(slot)), base)
    }

    /// A look at which expression a slot holds.
    #[inline(never)]
    pub(crate) fn note_which(&mut self, slot: u32) {
        let base = self.base;
        self.note(Place::which(slot), base);
    }

    /// A look at a variable of the current state.
    #[inline(never)]
    pub(crate) fn note_variable(&mut self, variable: u32) {
        self.note(Place::whole(Root::Variable(variable)), 0);
    }

    /// A look at a variable of the next state.
    #[inline(never)]
    pub(crate) fn note_next(&mut self, variable: u32) {
        let Some(memory) = &mut self.memory else { return };
        if memory.given >> variable & 1 == 1 {
            memory.log.spoil();
            return;
        }
        if let Some(source) = memory.edits[variable as usize].source(variable) {
            self.note_variable(source);
        }
    }

    fn note(&mut self, place: Place, base: usize) -> Option<usize> {
        let memory = self.memory.as_mut()?;
        Some(memory.log.push(Rc::new(place), base))
    }

    /// Evaluates what a slot holds, on account of the look that is in the log.
    pub(crate) fn on_account_of<T>(&mut self, look: Option<usize>, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.memory.as_mut().map(|memory| memory.log.set_account(look));
        let result = run(self);
        if let (Some(memory), Some(outer)) = (&mut self.memory, outer) {
            memory.log.set_account(outer);
        }
        result
    }

    /// How a variable got its next value.
    pub(crate) fn note_edit(&mut self, variable: u32, edit: Edit) {
        if let Some(memory) = &mut self.memory {
            memory.edits[variable as usize] = edit;
        }
    }

    /// The edits so far, put aside while another next state is made.
    pub(crate) fn take_edits(&mut self) -> Vec<Edit> {
        match &mut self.memory {
            Some(memory) => {
                let size = memory.edits.len();
                std::mem::replace(&mut memory.edits, vec![Edit::Same; size])
            }
            None => Vec::new(),
        }
    }

    pub(crate) fn put_edits(&mut self, edits: Vec<Edit>) {
        if let Some(memory) = &mut self.memory {
            memory.edits = edits;
        }
    }

    /// The place that an expression names, while logging: a variable or a name, and a path whose arguments are evaluated.
    pub(crate) fn named_place(&mut self, node: &'p Node) -> Outcome<Option<Place>> {
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
        Ok(Some(Place::new(root, keys)))
    }

    /// What is at a place, noted; `None` if nothing is there.
    pub(crate) fn look(&mut self, place: Place) -> Option<Value> {
        let seen = place.value(&self.state, &self.slots, self.base)?.clone();
        let base = self.base;
        self.note(place, base);
        Some(seen)
    }

    /// Whether a value is listed in the set at a place, noted; `None` if there is no set or the two do not compare.
    pub(crate) fn look_for(&mut self, place: Place, element: Value) -> Option<bool> {
        let place = place.lists(element);
        let seen = place.look(&self.state, &self.slots, self.base)?.truth()?;
        let base = self.base;
        self.note(place, base);
        Some(seen)
    }
}
