//! Retiming: corrects the times of a trace with additional knowledge.
//!
//! A rule must never exclude what truly happened. The proof obligation is the same for each rule: if every effect lies in
//! its timebox before, and the assumption of the rule holds, then every effect lies in its timebox after. Each rule states
//! its proof.

mod clip;
mod rule_text;
mod shift;
mod tighten;

use std::sync::Arc;

use crate::stream::OperationStream;
use crate::{Operation, Time, Trace, TraceError};
use omnilink_value::Value;

pub use rule_text::RetimeRuleError;

use clip::clip;
use shift::shift;
use tighten::Tighten;

/// A rule that changes timeboxes. Written as text, `clip=FIELD`, `shift=THREAD:OFFSET`, `shift=FIELD=VALUE:OFFSET` or
/// `tighten=SENT,RECEIVED`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetimeRule {
    /// The field of `meta` is the time of the effect: a time, or a pair `[earliest, latest]`. The timebox becomes its
    /// intersection with that; without the field it stays the same.
    Clip {
        /// The field.
        field: String,
    },
    /// The clock of these operations has a known error: add `offset` to their times.
    Shift {
        /// The operations.
        scope: RetimeScope,
        /// The offset.
        offset: Time,
    },
    /// The operation with `received: m` in `meta` was called after the one with `sent: m` returned.
    Tighten {
        /// The field with the message, or the set of messages, that was sent after the operation returned.
        sent: String,
        /// The field with the message, or the set of messages, that was received before the operation was called.
        received: String,
    },
}

/// The operations that a rule applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetimeScope {
    /// The operations of a thread.
    Thread(Value),
    /// The operations with this value in this field of `meta`, such as the name of a node.
    Meta {
        /// The field.
        field: String,
        /// Its value.
        value: Value,
    },
}

impl Trace {
    /// The same operations after `rules`, applied one after the other, again sorted and checked.
    ///
    /// # Errors
    /// When the operations cannot be read or sorted, or a rule contradicts them.
    pub fn retimed(self, rules: &[RetimeRule]) -> Result<Trace, TraceError> {
        let mut trace = self;
        for rule in rules {
            trace = trace.resorted(|operations, notes| match rule.clone() {
                RetimeRule::Clip { field } => Box::new(Retimed {
                    operations,
                    change: move |op: &mut _| clip(op, &field),
                }),
                RetimeRule::Shift { scope, offset } => Box::new(Retimed {
                    operations,
                    change: move |op: &mut _| shift(op, &scope, offset),
                }),
                RetimeRule::Tighten { sent, received } => {
                    Box::new(Tighten::new(operations, sent, received, notes))
                }
            })?;
        }
        Ok(trace)
    }
}

/// Operations after a rule that needs one operation at a time.
struct Retimed<F> {
    operations: Box<dyn OperationStream>,
    change: F,
}

impl<F: FnMut(&mut Operation) -> Result<(), TraceError> + Send> OperationStream for Retimed<F> {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let mut next = self.operations.next()?;
        if let Some(operation) = &mut next {
            (self.change)(Arc::make_mut(operation))?;
        }
        Ok(next)
    }
}
