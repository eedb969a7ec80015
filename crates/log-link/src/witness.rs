//! How an entry of the search was reached: the steps of an explanation, newest first.
//!
//! Entries keep their last step, and each step the one before it, so that what no explanation continues is freed. The steps up to one that all
//! explanations share are replayed and dropped while the search goes on: memory grows only with what is still ambiguous.

use std::cell::RefCell;
use std::rc::Rc;

use omnilink_tla::eval::State;

use crate::interchange::Renaming;

/// Why a state was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It is an initial state.
    Initial,
    /// The line of this number.
    Line(u32),
    /// A hidden action, before a line.
    Hidden {
        /// Its number.
        action: usize,
        /// The line.
        before: u32,
    },
}

/// A step of an explanation.
#[derive(Debug)]
pub(crate) struct WitnessStep {
    before: RefCell<Option<Rc<WitnessStep>>>,
    pub cause: Cause,
    /// The state that it leads to, with identities renamed.
    pub state: State,
    /// What was renamed in it.
    pub renaming: Option<Renaming>,
}

impl WitnessStep {
    pub fn new(
        before: Option<Rc<WitnessStep>>,
        cause: Cause,
        state: State,
        renaming: Option<Renaming>,
    ) -> Self {
        Self {
            before: RefCell::new(before),
            cause,
            state,
            renaming,
        }
    }

    /// Whether all explanations of some number of lines have exactly one step of this kind.
    pub fn ends_line(&self) -> bool {
        !matches!(self.cause, Cause::Hidden { .. })
    }

    /// The steps up to this one, the oldest first.
    pub fn path(self: &Rc<Self>) -> Vec<Rc<Self>> {
        let mut path = vec![self.clone()];
        let mut at = self.before.borrow().clone();
        while let Some(step) = at {
            at = step.before.borrow().clone();
            path.push(step);
        }
        path.reverse();
        path
    }

    /// Drops the steps before this one.
    pub fn forget_path(&self) {
        take_path(self.before.take());
    }
}

/// Frees a chain of steps one by one: recursion would be as deep as the log is long.
fn take_path(mut at: Option<Rc<WitnessStep>>) {
    while let Some(step) = at {
        at = Rc::into_inner(step).and_then(|step| step.before.take());
    }
}

impl Drop for WitnessStep {
    fn drop(&mut self) {
        take_path(self.before.take());
    }
}
