//! Options for reading a trace.

use std::collections::BTreeMap;

use crate::{Format, InputOrder, OperationName, SpanRules};

/// How to read a trace.
///
/// ```
/// use omnilink_trace::{Format, OpenOptions};
///
/// let options = OpenOptions::new().with_format(Format::JepsenEdn).with_async_threads(true);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The format; detected by content if not given.
    pub format: Option<Format>,
    /// Whether calls of one thread may overlap: the thread is then a label, not an order.
    pub async_threads: bool,
    /// The assumed order of the input.
    pub order: InputOrder,
    /// Of several files: make the file's name part of the thread, as `file/thread`. For merging the files of nodes that
    /// number their threads alike.
    pub qualify_threads: bool,
    /// Keep OmniLink's `__TerminateThread` and `__AbortThread` records as operations, for specs with actions of these names.
    /// Otherwise the former are dropped and the latter become notes.
    pub thread_ends: bool,
    /// New names of operations, by their names in the input: `0` may become `put`.
    pub names: BTreeMap<String, OperationName>,
    /// Which spans are operations, and what they mean, if the input holds spans.
    pub spans: SpanRules,
    /// Asked before each read of an input: if it returns `true`, reading fails with
    /// [`Problem::Cancelled`](crate::Problem::Cancelled). Opening a large input reads all of it if it has to be sorted.
    pub is_cancelled: Option<fn() -> bool>,
    /// How many bytes of an input are read, unpacked if it is compressed. Without it, only the ratio of compressed inputs is limited: a few
    /// kilobytes can unpack to any size.
    pub max_input_bytes: Option<u64>,
}

impl OpenOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same options with this [`format`](Self::format).
    #[must_use]
    pub fn with_format(mut self, format: impl Into<Option<Format>>) -> Self {
        self.format = format.into();
        self
    }

    /// The same options with [`async_threads`](Self::async_threads).
    #[must_use]
    pub fn with_async_threads(mut self, async_threads: bool) -> Self {
        self.async_threads = async_threads;
        self
    }

    /// The same options with this [`order`](Self::order).
    #[must_use]
    pub fn with_order(mut self, order: InputOrder) -> Self {
        self.order = order;
        self
    }

    /// The same options with [`qualify_threads`](Self::qualify_threads).
    #[must_use]
    pub fn with_qualified_threads(mut self, qualify_threads: bool) -> Self {
        self.qualify_threads = qualify_threads;
        self
    }

    /// The same options with [`thread_ends`](Self::thread_ends).
    #[must_use]
    pub fn with_thread_ends(mut self, thread_ends: bool) -> Self {
        self.thread_ends = thread_ends;
        self
    }

    /// The same options with these [`names`](Self::names).
    #[must_use]
    pub fn with_names(mut self, names: BTreeMap<String, OperationName>) -> Self {
        self.names = names;
        self
    }

    /// The same options with these rules about [`spans`](Self::spans).
    #[must_use]
    pub fn with_spans(mut self, spans: SpanRules) -> Self {
        self.spans = spans;
        self
    }

    /// The same options with this [`max_input_bytes`](Self::max_input_bytes).
    #[must_use]
    pub fn with_max_input(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.max_input_bytes = bytes.into();
        self
    }

    /// The same options with this [`is_cancelled`](Self::is_cancelled).
    #[must_use]
    pub fn with_cancellation(mut self, is_cancelled: fn() -> bool) -> Self {
        self.is_cancelled = Some(is_cancelled);
        self
    }
}
