//! Operations: observed calls and log lines.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use omnilink_value::Value;

use crate::{Location, OperationName, Timebox};

/// One observed call of an operation, or one line of a log.
///
/// It dereferences to its [`Call`], which equal operations share. Changing a field of the call changes this operation
/// only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The calling thread. Each thread has at most one open call, unless the trace was opened as asynchronous.
    pub thread: Value,
    /// The operation's name, arguments and result.
    pub call: Arc<Call>,
    /// When it ran.
    pub timebox: Timebox,
    /// Where it was read.
    pub location: Location,
}

/// The part of an operation that does not depend on thread and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the operation. Empty for a log line without an event.
    pub name: OperationName,
    /// The arguments.
    pub args: Args,
    /// The result, if the trace separates it from the arguments.
    pub ret: Option<Value>,
    /// Whether the system reported that it failed.
    pub aborted: bool,
    /// Further data from the recorder.
    pub meta: Option<Value>,
    /// The variable updates of a log line.
    pub vars: Option<Value>,
    /// The logical clock of a log line: an integer or a vector clock.
    pub clock: Option<Value>,
}

impl Call {
    /// A call without a result or anything else.
    pub fn new(name: OperationName, args: Args) -> Self {
        Self {
            name,
            args,
            ret: None,
            aborted: false,
            meta: None,
            vars: None,
            clock: None,
        }
    }

    /// Its approximate size, including what it shares with other calls.
    fn bytes(&self) -> usize {
        let others = [&self.ret, &self.meta, &self.vars, &self.clock];
        let inside = others.into_iter().flatten().map(Value::heap_bytes).sum::<usize>();
        size_of::<Self>() + self.args.as_value().heap_bytes() + inside
    }
}

// `operation.name` reads better than `operation.call.name`.
impl Deref for Operation {
    type Target = Call;

    #[inline]
    fn deref(&self) -> &Call {
        &self.call
    }
}

impl DerefMut for Operation {
    fn deref_mut(&mut self) -> &mut Call {
        Arc::make_mut(&mut self.call)
    }
}

impl Operation {
    /// An operation without a result, for building one in code.
    pub fn new(
        thread: impl Into<Value>,
        name: impl Into<OperationName>,
        args: Args,
        timebox: Timebox,
    ) -> Self {
        Self {
            thread: thread.into(),
            call: Arc::new(Call::new(name.into(), args)),
            timebox,
            location: Location::whole("memory"),
        }
    }

    /// Its approximate size. A shared call counts for the first operation that is read with it.
    pub(crate) fn bytes(&self) -> usize {
        // Plus the two reference counts in front of it and a pointer to it.
        let own = size_of::<Self>() + 3 * size_of::<usize>() + self.thread.heap_bytes();
        // One reference is this operation's, another may be that of the reader's cache.
        match Arc::strong_count(&self.call) {
            0..=2 => own + self.call.bytes(),
            _ => own,
        }
    }

    /// The same operation with a result.
    #[must_use]
    pub fn returning(mut self, ret: impl Into<Value>) -> Self {
        self.ret = Some(ret.into());
        self
    }
}

/// Prints the call as `push(value: 3) = TRUE`.
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.args)?;
        if let Some(ret) = &self.ret {
            write!(f, " = {ret}")?;
        }
        if self.aborted {
            f.write_str(" aborted")
        } else {
            Ok(())
        }
    }
}

/// The arguments of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Args {
    /// By parameter name: a record, or the empty function.
    Named(Value),
    /// By position: a tuple.
    Positional(Value),
}

impl Args {
    /// Arguments by parameter name.
    pub fn named<N: AsRef<str>>(fields: impl IntoIterator<Item = (N, Value)>) -> Self {
        Self::Named(Value::record(fields))
    }

    /// Arguments by position.
    pub fn positional(values: impl IntoIterator<Item = Value>) -> Self {
        Self::Positional(Value::tuple(values))
    }

    /// No arguments.
    pub fn none() -> Self {
        Self::Named(Value::tuple([]))
    }

    /// The argument called `name`, or the one at `position` (counted from 0) if arguments have no names.
    #[inline]
    pub fn get(&self, name: &str, position: usize) -> Option<&Value> {
        match self {
            Self::Named(record) => record.field(name),
            Self::Positional(tuple) => tuple.as_tuple().and_then(|values| values.get(position)),
        }
    }

    /// The argument called `name`, if arguments have names.
    #[inline]
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Named(record) => record.field(name),
            Self::Positional(_) => None,
        }
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.as_value().len().unwrap_or_default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The record or tuple.
    pub fn as_value(&self) -> &Value {
        match self {
            Self::Named(value) | Self::Positional(value) => value,
        }
    }
}

impl fmt::Display for Args {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let (Self::Named(_), Some(record)) = (self, self.as_value().as_record()) {
            for (name, value) in record.iter() {
                write!(f, "{separator}{name}: {value}")?;
                separator = ", ";
            }
        } else {
            for value in self.as_value().as_tuple().unwrap_or_default() {
                write!(f, "{separator}{value}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}
