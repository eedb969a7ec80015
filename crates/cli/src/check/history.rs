//! A history as the model understands it: the operations of a trace, decoded, numbered as the engine numbers them.

use omnilink_engine::Operation;
use omnilink_models::{Decoded, Shipped};
use omnilink_report::ThreadNames;
use omnilink_trace::{Time, Trace};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::error::CliError;
use crate::input::Input;

/// Reads the operations of an input for a model. Every reading gives the same operations in the same order, so the
/// position of an operation means the same in each.
pub(super) struct History<'m, M> {
    model: &'m M,
    trace: Trace,
    numbers: FxHashMap<Value, u32>,
    /// What threads are called.
    pub(super) threads: ThreadNames,
    /// Operations that the system refused and that are left out.
    pub(super) aborted: u64,
}

/// An operation as the trace has it and as the engine takes it.
pub(super) struct Read<O> {
    pub(super) observed: omnilink_trace::Operation,
    pub(super) operation: Operation<O>,
}

impl<'m, M: Shipped> History<'m, M> {
    pub(super) fn open(model: &'m M, input: &Input) -> Result<Self, CliError> {
        Ok(Self {
            model,
            trace: input.open()?,
            numbers: FxHashMap::default(),
            threads: ThreadNames::default(),
            aborted: 0,
        })
    }

    /// The next operation that may have happened.
    pub(super) fn next(&mut self) -> Result<Option<Read<M::Op>>, CliError> {
        for observed in self.trace.by_ref() {
            let observed = observed?;
            match self.model.decode(&observed)? {
                Decoded::DidNotHappen => self.aborted += 1,
                Decoded::Op(op) => {
                    // Some tools write "never" as the end of time. It must not be taken for a return.
                    if observed.timebox.end == Some(Time::MAX) {
                        return Err(CliError::EndOfTime(observed.place));
                    }
                    let thread = self.number(&observed.thread);
                    let operation = Operation::new(thread, op, observed.timebox);
                    return Ok(Some(Read { observed, operation }));
                }
            }
        }
        Ok(None)
    }

    fn number(&mut self, thread: &Value) -> u32 {
        if let Some(number) = self.numbers.get(thread) {
            return *number;
        }
        let number = self.threads.len() as u32;
        self.threads.push(match thread.as_str() {
            Some(name) => name.to_owned(),
            None => thread.to_string(),
        });
        self.numbers.insert(thread.clone(), number);
        number
    }

    /// Whether the trace says about itself that it is one.
    pub(super) fn has_header(&self) -> bool {
        self.trace.header().is_some()
    }

    /// What a person should be told about the trace, as far as it was read.
    pub(super) fn notes(&self) -> Vec<String> {
        self.trace.notes().iter().map(ToString::to_string).collect()
    }
}
