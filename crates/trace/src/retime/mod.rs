//! Correcting the times of a trace by what is known about them.
//!
//! A rule may only narrow what was observed by what is certain, so that an explanation of what truly happened is never
//! lost. The proof obligation is the same for each rule: if every operation's effect truly lies in its timebox before,
//! and what the rule was told is true, then it lies in its timebox after. Each rule states its argument.

mod clip;
mod parse;
mod shift;
mod tighten;

use std::sync::Arc;

use crate::records::Records;
use crate::{Operation, Time, Trace, TraceError};
use omnilink_value::Value;

pub use parse::RuleError;

use clip::clip;
use shift::shift;
use tighten::Tighten;

/// A rule that changes timeboxes. Written as text, `clip=FIELD`, `shift=THREAD:OFFSET`, `shift=FIELD=VALUE:OFFSET` or
/// `tighten=SENT,RECEIVED`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The field of `meta` says when the effect happened: a time, or a pair `[earliest, latest]`. The timebox becomes
    /// its intersection with that; without the field it stays as it is.
    Clip {
        /// The field.
        field: String,
    },
    /// Someone's clock was off: add `offset` to the times of their operations.
    Shift {
        /// Whose.
        who: Who,
        /// By how much.
        offset: Time,
    },
    /// The operation whose `meta` says `received: m` was called after the one with `sent: m` had returned.
    Tighten {
        /// The field with the message that an operation sent after it returned; or a set of them.
        sent: String,
        /// The field with the message that an operation had received before it was called; or a set of them.
        received: String,
    },
}

/// Some of the operations of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// Those of a thread.
    Thread(Value),
    /// Those whose `meta` has this value in this field, such as the name of a node.
    Meta {
        /// The field.
        field: String,
        /// Its value.
        value: Value,
    },
}

impl Trace {
    /// The same operations with their times corrected by `rules`, one after the other, again in order of start and
    /// checked again.
    ///
    /// # Errors
    /// When the operations cannot be read or sorted, or a rule contradicts them.
    pub fn retimed(self, rules: &[Rule]) -> Result<Trace, TraceError> {
        let mut trace = self;
        for rule in rules {
            trace = trace.resorted(|records, notes| match rule.clone() {
                Rule::Clip { field } => Box::new(Each {
                    records,
                    change: move |op: &mut _| clip(op, &field),
                }),
                Rule::Shift { who, offset } => Box::new(Each {
                    records,
                    change: move |op: &mut _| shift(op, &who, offset),
                }),
                Rule::Tighten { sent, received } => Box::new(Tighten::new(records, sent, received, notes)),
            })?;
        }
        Ok(trace)
    }
}

/// A rule that looks at one operation at a time.
struct Each<F> {
    records: Box<dyn Records>,
    change: F,
}

impl<F: FnMut(&mut Operation) -> Result<(), TraceError> + Send> Records for Each<F> {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let mut next = self.records.next()?;
        if let Some(operation) = &mut next {
            (self.change)(Arc::make_mut(operation))?;
        }
        Ok(next)
    }
}
