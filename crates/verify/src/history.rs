//! A history as the model understands it: the operations of a trace, decoded, numbered as the engine numbers them.

use std::collections::VecDeque;
use std::sync::Arc;

use omnilink_engine::{Decoded, TimedOp};
use omnilink_evidence::ThreadNames;
use omnilink_models::{AnyModel, AnyOp};
use omnilink_trace::{Time, Timebox, Trace};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::error::VerifyError;
use crate::input::Input;

/// Translates an operation of a trace into one of a model.
pub type DecodeOp<'m, O> = dyn Fn(&omnilink_trace::Operation) -> Result<Decoded<O>, VerifyError> + 'm;

/// What an operation means to a shipped model.
///
/// # Errors
/// If it is none of the model's operations.
pub fn decode_native(
    model: &AnyModel,
    operation: &omnilink_trace::Operation,
) -> Result<Decoded<AnyOp>, VerifyError> {
    Ok(model.decode(operation)?)
}

/// Reads the operations of an input for a model. Every reading gives the same operations in the same order, so that a
/// position identifies an operation.
pub(crate) struct History<'m, O> {
    decode: &'m DecodeOp<'m, O>,
    trace: Trace,
    numbers: FxHashMap<Value, u32>,
    /// The numbers of threads that are called by a small number, which is what threads mostly are.
    small: Vec<Option<u32>>,
    /// Parts of the operation read last.
    parts: VecDeque<Read<O>>,
    /// What threads are called.
    pub(crate) threads: ThreadNames,
    /// Operations that the system refused and that are left out.
    pub(crate) aborted: u64,
    /// Operations that are not part of what is checked.
    pub(crate) left_out: u64,
    /// The name of the operation to add after all others, until it was added.
    end: Option<&'static str>,
    /// The latest time seen so far.
    latest: Time,
}

/// An operation as the trace has it and as the engine takes it.
pub(crate) struct Read<O> {
    pub(crate) observed: Arc<omnilink_trace::Operation>,
    pub(crate) operation: TimedOp<O>,
}

impl<'m, O: Clone> History<'m, O> {
    pub(crate) fn open(decode: &'m DecodeOp<'m, O>, input: &Input) -> Result<Self, VerifyError> {
        Ok(Self {
            decode,
            trace: input.open()?,
            numbers: FxHashMap::default(),
            small: Vec::new(),
            parts: VecDeque::new(),
            threads: ThreadNames::default(),
            aborted: 0,
            left_out: 0,
            end: input.end,
            latest: 0,
        })
    }

    /// The next operation that may have happened.
    pub(crate) fn next(&mut self) -> Result<Option<Read<O>>, VerifyError> {
        if let Some(part) = self.parts.pop_front() {
            return Ok(Some(part));
        }
        loop {
            let observed = match self.trace.next_shared() {
                Some(observed) => observed?,
                None => match self.end.take() {
                    Some(end) => Arc::new(self.end_of_trace(end)),
                    None => return Ok(None),
                },
            };
            let Timebox { start, end } = observed.timebox;
            self.latest = self
                .latest
                .max(end.filter(|end| *end != Time::MAX).unwrap_or(start));
            let decoded = (self.decode)(&observed)?;
            // Some tools write "never" as the end of time. It must not be taken for a return.
            if observed.timebox.end == Some(Time::MAX)
                && !matches!(decoded, Decoded::LeftOut | Decoded::DidNotHappen)
            {
                return Err(VerifyError::EndOfTime(observed.location.clone()));
            }
            match decoded {
                Decoded::LeftOut => self.left_out += 1,
                Decoded::DidNotHappen => self.aborted += 1,
                decoded => {
                    let thread = self.number(&observed.thread);
                    let mut parts = decoded.timed(thread, observed.timebox).map(|operation| Read {
                        observed: Arc::clone(&observed),
                        operation,
                    });
                    let first = parts.next();
                    self.parts.extend(parts);
                    return Ok(first);
                }
            }
        }
    }

    /// What comes after all operations.
    fn end_of_trace(&self, name: &str) -> omnilink_trace::Operation {
        let after = self.latest.saturating_add(1);
        omnilink_trace::Operation::new(
            Value::str(name),
            name,
            omnilink_trace::Args::none(),
            Timebox::new(after, after),
        )
    }

    #[inline]
    fn number(&mut self, thread: &Value) -> u32 {
        let small = small(thread).and_then(|small| *self.small.get(small)?);
        small.unwrap_or_else(|| self.number_of_any(thread))
    }

    fn number_of_any(&mut self, thread: &Value) -> u32 {
        if let Some(number) = self.numbers.get(thread) {
            return *number;
        }
        let number = self.threads.len() as u32;
        if let Some(small) = small(thread) {
            self.small.resize(self.small.len().max(small + 1), None);
            self.small[small] = Some(number);
        }
        self.threads.push(match thread.as_str() {
            Some(name) => name.to_owned(),
            None => thread.to_string(),
        });
        self.numbers.insert(thread.clone(), number);
        number
    }

    /// Whether the trace says about itself that it is one.
    pub(crate) fn has_header(&self) -> bool {
        self.trace.header().is_some()
    }

    /// What a person should know about the trace, as far as it was read.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.trace.notes().iter().map(ToString::to_string).collect()
    }
}

/// A thread that is called by a small number.
fn small(thread: &Value) -> Option<usize> {
    let number = usize::try_from(thread.as_int()?).ok()?;
    (number < SMALL_MAX).then_some(number)
}

const SMALL_MAX: usize = 1 << 10;
