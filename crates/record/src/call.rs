//! A call, from its arguments to its end.

use std::marker::PhantomData;

use crate::{
    Record, ThreadLog,
    value::{Count, Slot},
};

/// Arguments with names: see [`ThreadLog::call`].
#[derive(Debug)]
pub struct Named;

/// Arguments in order: see [`ThreadLog::call_positional`].
#[derive(Debug)]
pub struct Positional;

/// A call whose arguments are being given. Dropped before [`begin`](Self::begin), it leaves no trace.
#[derive(Debug)]
#[must_use = "a call is not recorded before `begin`"]
pub struct Call<'log, Arguments> {
    log: &'log mut ThreadLog,
    count: Count,
    is_recorded: bool,
    arguments: PhantomData<Arguments>,
}

impl<'log, Arguments> Call<'log, Arguments> {
    #[inline]
    pub(crate) fn new(log: &'log mut ThreadLog, op: &str, kind: u8) -> Self {
        let is_recorded = log.prepare(op);
        let count = if is_recorded {
            Count::begin(log.buffer(), kind)
        } else {
            Count::default()
        };
        Self {
            log,
            count,
            is_recorded,
            arguments: PhantomData,
        }
    }

    /// Reads the clock and records the call as pending. What the operation does must come after this.
    #[inline]
    pub fn begin(self) -> Open<'log> {
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
        Open { log, is_recorded }
    }
}

impl Call<'_, Named> {
    /// Gives an argument. Names must differ; readers refuse a trace where they do not.
    #[inline]
    pub fn arg(mut self, name: &str, value: impl Record) -> Self {
        if self.is_recorded {
            self.count.add();
            Slot::new(self.log.buffer()).str(name);
            value.record(Slot::new(self.log.buffer()));
        }
        self
    }
}

impl Call<'_, Positional> {
    /// Gives the next argument.
    #[inline]
    pub fn arg(mut self, value: impl Record) -> Self {
        if self.is_recorded {
            self.count.add();
            value.record(Slot::new(self.log.buffer()));
        }
        self
    }
}

/// A call that is under way. Dropped without an end (a panic, or a reply that never came) it stays *pending*:
/// it may or may not have taken effect.
#[derive(Debug)]
#[must_use = "without an end the operation stays pending"]
pub struct Open<'log> {
    log: &'log mut ThreadLog,
    is_recorded: bool,
}

impl Open<'_> {
    /// The operation returned `ret`; `()` if it returns nothing.
    #[inline]
    pub fn end(self, ret: impl Record) {
        self.end_with(&ret, &(), false);
    }

    /// The operation returned `ret`; `meta` is kept with it for whoever reads the trace.
    #[inline]
    pub fn end_with_meta(self, ret: impl Record, meta: impl Record) {
        self.end_with(&ret, &meta, false);
    }

    /// The system said that the operation failed: it has not taken effect and never will.
    #[inline]
    pub fn abort(self) {
        self.end_with(&(), &(), true);
    }

    /// The system said that the operation failed; `meta` is kept with it for whoever reads the trace.
    #[inline]
    pub fn abort_with_meta(self, meta: impl Record) {
        self.end_with(&(), &meta, true);
    }

    #[inline]
    fn end_with(self, ret: &impl Record, meta: &impl Record, aborted: bool) {
        if self.is_recorded {
            self.log.end(ret, meta, aborted);
        }
    }
}
