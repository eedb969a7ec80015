//! Calls, from their arguments to their end.

use std::marker::PhantomData;

use crate::{
    Record, ThreadLog,
    value::{LengthPrefix, ValueSlot},
};

/// Arguments with names: see [`ThreadLog::call`].
#[derive(Debug)]
pub struct NamedArgs;

/// Arguments in order: see [`ThreadLog::call_positional`].
#[derive(Debug)]
pub struct PositionalArgs;

/// A call under construction. If it is dropped before [`begin`](Self::begin), nothing is recorded.
#[derive(Debug)]
#[must_use = "a call is not recorded before `begin`"]
pub struct CallBuilder<'log, Arguments> {
    log: &'log mut ThreadLog,
    count: LengthPrefix,
    is_recorded: bool,
    arguments: PhantomData<Arguments>,
}

impl<'log, Arguments> CallBuilder<'log, Arguments> {
    #[inline]
    pub(crate) fn new(log: &'log mut ThreadLog, op: &str, kind: u8) -> Self {
        let is_recorded = log.prepare(op);
        let count = if is_recorded {
            LengthPrefix::begin(log.buffer(), kind)
        } else {
            LengthPrefix::default()
        };
        Self {
            log,
            count,
            is_recorded,
            arguments: PhantomData,
        }
    }

    /// Reads the clock and records the call as pending. The operation must run after this.
    #[inline]
    pub fn begin(self) -> OpenCall<'log> {
        let Self {
            log,
            count,
            is_recorded,
            ..
        } = self;
        let is_recorded = is_recorded && {
            count.end(log.buffer());
            log.begin()
        };
        if !is_recorded {
            log.lose();
        }
        OpenCall {
            log,
            is_recorded,
            end_time: None,
        }
    }
}

impl CallBuilder<'_, NamedArgs> {
    /// Adds an argument. Names must differ; readers refuse a trace with duplicates.
    #[inline]
    pub fn arg(mut self, name: &str, value: impl Record) -> Self {
        if self.is_recorded {
            self.count.add();
            ValueSlot::new(self.log.buffer()).str(name);
            value.record(ValueSlot::new(self.log.buffer()));
        }
        self
    }
}

impl CallBuilder<'_, PositionalArgs> {
    /// Adds the next argument.
    #[inline]
    pub fn arg(mut self, value: impl Record) -> Self {
        if self.is_recorded {
            self.count.add();
            value.record(ValueSlot::new(self.log.buffer()));
        }
        self
    }
}

/// A call in progress. If it is dropped without an end (after a panic, or without a reply) it stays *pending*: it may or
/// may not have taken effect.
#[derive(Debug)]
#[must_use = "without an end the operation stays pending"]
pub struct OpenCall<'log> {
    log: &'log mut ThreadLog,
    is_recorded: bool,
    /// The end of the timebox, if it is over.
    end_time: Option<i64>,
}

impl<'log> OpenCall<'log> {
    /// The call that is open in this log.
    pub(crate) fn resumed(log: &'log mut ThreadLog) -> Self {
        Self {
            log,
            is_recorded: true,
            end_time: None,
        }
    }

    /// Ends the timebox now, before the operation returns: where it has had all of its effect, such as before it releases a lock. An end still
    /// has to follow.
    #[inline]
    pub fn tighten_end(&mut self) {
        if self.is_recorded && self.end_time.is_none() {
            self.end_time = Some(self.log.end_time());
        }
    }

    /// Ends the timebox at a time that [`ThreadLog::time`] gave: for bindings that cannot keep this value.
    #[doc(hidden)]
    pub fn ended_at(mut self, time: Option<i64>) -> Self {
        self.end_time = time.filter(|_| self.is_recorded);
        self
    }

    /// The operation returned `ret`; `()` if it returns nothing.
    #[inline]
    pub fn end(self, ret: impl Record) {
        self.end_with(&ret, &(), false);
    }

    /// The operation returned `ret`; `meta` is stored with it.
    #[inline]
    pub fn end_with_meta(self, ret: impl Record, meta: impl Record) {
        self.end_with(&ret, &meta, false);
    }

    /// The system reported that the operation failed: it has not taken effect and never will.
    #[inline]
    pub fn abort(self) {
        self.end_with(&(), &(), true);
    }

    /// The system reported that the operation failed; `meta` is stored with it.
    #[inline]
    pub fn abort_with_meta(self, meta: impl Record) {
        self.end_with(&(), &meta, true);
    }

    /// Forgets the operation as if it had never been called: for a harness that finds out that it must pick another one. Only where the
    /// operation had no effect. A recorder of happens-before keeps it, as aborted.
    pub fn cancel(self) {
        if self.is_recorded {
            self.log.cancel();
        }
    }

    #[inline]
    fn end_with(self, ret: &impl Record, meta: &impl Record, aborted: bool) {
        if self.is_recorded {
            self.log.end(self.end_time, ret, meta, aborted);
        }
    }
}
