//! The log of one thread.

use std::{fs, mem::ManuallyDrop, sync::Arc};

use crate::{
    CallBuilder, EndFence, NamedArgs, OpenCall, PositionalArgs, Record, RecordError, ThreadLabel,
    ThreadRecording,
    buffer::Buffer,
    clock::Clock,
    header::Header,
    progress_counters::{CounterHandle, ProgressCounters},
    recorder::Shared,
    storage::{Storage, ThreadOutput},
    value::{ARRAY, LengthPrefix, MAP, ValueSlot, encoded, tagged},
};

/// The log of one thread, created by [`Recorder::thread`](crate::Recorder::thread). It can be moved to another thread, but
/// not shared. Dropping it completes its file.
///
/// One operation at a time, by type:
///
/// ```compile_fail,E0499
/// # let recorder = omnilink_record::Recorder::in_memory().unwrap();
/// let mut log = recorder.thread(0).unwrap();
/// let outer = log.call("outer").begin();
/// let inner = log.call("inner").begin();
/// outer.end(());
/// ```
///
/// It takes no locks and makes no system calls, except when it allocates a chunk, between two operations.
#[derive(Debug)]
pub struct ThreadLog {
    buffer: ManuallyDrop<Buffer>,
    shared: Arc<Shared>,
    clock: Clock,
    drain_stores: bool,
    number: u64,
    label: ThreadLabel,
    header_bytes: usize,
    /// The first bytes of each record: the byte that publishes it, `thread` with its label, and the key `op`.
    preamble: Box<[u8]>,
    /// The last time that was read: the clock of a thread must not go back.
    last_time: i64,
    /// This thread's counters, if happens-before is recorded.
    counter: Option<CounterHandle>,
    /// The operations of each thread that had begun when the last operation ended, if that is recorded.
    begun: Option<Vec<u64>>,
    /// Whether an operation has begun and not ended.
    is_open: bool,
    operations: u64,
    pending: u64,
    lost: u64,
}

/// The first byte of a MessagePack map with this many fields.
const fn map_of(fields: u8) -> u8 {
    0x80 | fields
}

/// The field of `meta` with the operations that had begun when an operation ended.
const RETURN_CLOCK: &[u8] = b"\xacreturn_clock";

/// `thread`, `op`, `args`, `start`.
const FIELDS_AT_BEGIN: u8 = 4;

impl ThreadLog {
    pub(crate) fn new(
        storage: Storage,
        header: &Header,
        shared: Arc<Shared>,
        number: u64,
        label: ThreadLabel,
    ) -> Result<Self, RecordError> {
        let preamble = preamble(&label)?;
        let counter = register(&shared, &label)?;
        let mut buffer = Buffer::new(storage);
        header.write(&mut buffer, &shared.clock, Some(&label));
        if let Some(error) = buffer.take_failure() {
            // A file without a header would make the directory unreadable.
            if let Ok(ThreadOutput::File(path)) = buffer.close() {
                let _ = fs::remove_file(path);
            }
            buffer = Buffer::new(shared.storage_without_room(of_thread(error, &label))?);
            header.write(&mut buffer, &shared.clock, Some(&label));
        }
        let drain_stores = shared.end_fence == EndFence::DrainStores;
        let capacity = shared.progress.as_ref().map(ProgressCounters::capacity);
        Ok(Self {
            header_bytes: buffer.position(),
            buffer: ManuallyDrop::new(buffer),
            clock: shared.clock,
            drain_stores,
            begun: capacity.filter(|_| drain_stores).map(Vec::with_capacity),
            shared,
            number,
            preamble,
            label,
            last_time: i64::MIN,
            counter,
            is_open: false,
            operations: 0,
            pending: 0,
            lost: 0,
        })
    }

    /// The thread's label.
    pub fn label(&self) -> &ThreadLabel {
        &self.label
    }

    /// A call of operation `op` with named arguments. It is not recorded before [`begin`](CallBuilder::begin).
    #[inline]
    pub fn call(&mut self, op: &str) -> CallBuilder<'_, NamedArgs> {
        CallBuilder::new(self, op, MAP)
    }

    /// A call of operation `op` with positional arguments.
    #[inline]
    pub fn call_positional(&mut self, op: &str) -> CallBuilder<'_, PositionalArgs> {
        CallBuilder::new(self, op, ARRAY)
    }

    /// The call that began last, if it has not ended: for bindings to languages in which nothing can borrow the log while a call runs.
    pub fn open_call(&mut self) -> Option<OpenCall<'_>> {
        self.is_open.then(|| OpenCall::resumed(self))
    }

    /// The time at which a timebox ends that ends now: see [`OpenCall::ended_at`].
    #[doc(hidden)]
    pub fn time(&self) -> i64 {
        self.end_time()
    }

    /// Stops the recording, because of a value that cannot be recorded: for bindings to languages in which any value can be passed. The call that
    /// began last stays pending; without one, the operation is counted as lost.
    pub fn refuse(&mut self, what: String) {
        if !self.is_open {
            self.lose();
        }
        self.shared.stop(RecordError::Unrecordable { what });
    }

    #[inline]
    pub(crate) fn buffer(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Writes the record up to the key of the arguments. False if recording has stopped.
    #[inline]
    pub(crate) fn prepare(&mut self, op: &str) -> bool {
        if self.shared.has_stopped() {
            return false;
        }
        if self.is_open {
            self.continue_after_pending();
        }
        self.buffer.begin_record(&self.preamble);
        ValueSlot::new(&mut self.buffer).str(op);
        self.buffer.put(b"\xa4args");
        true
    }

    /// Publishes the prepared record as a pending operation. False if it could not be recorded.
    ///
    /// The order: everything but the time is written, then the clock is read, then the nine bytes of the time and the byte
    /// that publishes are stored, then the operation may begin. So the record is in the file before the operation can have
    /// any effect, and there are only two stores between the reading and the call.
    #[inline]
    pub(crate) fn begin(&mut self) -> bool {
        if let (Some(counter), Some(counters)) = (&mut self.counter, &self.shared.progress) {
            self.buffer.put(b"\xa5clock");
            counters.write_ended(counter, &mut self.buffer);
        }
        if !self.buffer.reserve_for_end() {
            return self.stop();
        }
        self.buffer.put(b"\xa5start");
        // Before the clock is read: the fence would only widen the timebox.
        if let (Some(counter), Some(counters), Some(_)) = (&self.counter, &self.shared.progress, &self.begun)
        {
            counters.begin(counter);
        }
        let start = self.clock.before_call();
        self.buffer.put(&tagged(0xd3, start.to_be_bytes()));
        if start < self.last_time {
            return self.stop_for_clock(start);
        }
        self.last_time = start;
        let fields = self.fields_at_begin();
        self.buffer.publish(map_of(fields));
        if self.buffer.has_failed() {
            return self.stop();
        }
        self.is_open = true;
        self.operations += 1;
        true
    }

    /// Counts an operation that is not recorded.
    #[cold]
    pub(crate) fn lose(&mut self) {
        self.lost += 1;
        self.shared.before_lost_operation();
    }

    /// Publishes the end of the operation that began last.
    ///
    /// The clock is read first: the cost of recording from here on is outside the timebox.
    #[inline]
    pub(crate) fn end(
        &mut self,
        end_time: Option<i64>,
        ret: &impl Record,
        meta: &impl Record,
        aborted: bool,
    ) {
        let end = end_time.unwrap_or_else(|| self.end_time());
        if self.shared.had_stopped() {
            return;
        }
        // Before the record is written: an operation that begins meanwhile is after this one.
        if let (Some(begun), Some(counters)) = (&mut self.begun, &self.shared.progress) {
            counters.read_begun(begun);
        }
        if end < self.last_time {
            self.stop_for_clock(end);
            return;
        }
        self.last_time = end;
        let mut fields = self.fields_at_begin() + 1;
        if !ret.is_absent() {
            fields += 1;
            self.buffer.put(b"\xa3ret");
            ret.record(ValueSlot::new(&mut self.buffer));
        }
        if self.begun.is_some() || !meta.is_absent() {
            fields += 1;
            self.buffer.put(b"\xa4meta");
            self.meta(meta);
        }
        if aborted {
            fields += 1;
            self.buffer.put(b"\xa7aborted\xc3");
        }
        self.buffer.put(b"\xa3end");
        self.buffer.put(&tagged(0xd3, end.to_be_bytes()));
        self.buffer.publish(map_of(fields));
        if self.buffer.has_failed() {
            self.stop();
            return;
        }
        self.is_open = false;
        // After the record: an operation that counts as ended must have its end in the file, even if the process dies now.
        if let (Some(counter), Some(counters)) = (&self.counter, &self.shared.progress) {
            counters.end(counter);
        }
    }

    /// The end of a timebox that ends now.
    #[inline]
    pub(crate) fn end_time(&self) -> i64 {
        self.clock.after_call(self.drain_stores)
    }

    /// Forgets the operation that began last, as if it had never been called.
    pub(crate) fn cancel(&mut self) {
        // Others may have counted it among those that had begun: then it stays, as one without an effect.
        if self.counter.is_some() {
            self.end(None, &(), &(), true);
            return;
        }
        if self.shared.had_stopped() {
            return;
        }
        self.buffer.withdraw();
        if self.buffer.has_failed() {
            self.stop();
            return;
        }
        self.is_open = false;
        self.operations -= 1;
    }

    /// Writes the `meta` of an operation: the user's value and, as a field of it, the operations that had begun when this one
    /// ended. A value that is not a map becomes the field `note` of one.
    #[inline]
    fn meta(&mut self, meta: &impl Record) {
        let (Some(begun), Some(counters)) = (&self.begun, &self.shared.progress) else {
            meta.record(ValueSlot::new(&mut self.buffer));
            return;
        };
        let mut count = if meta.is_absent() {
            LengthPrefix::begin(&mut self.buffer, MAP)
        } else {
            let at = self.buffer.position();
            meta.record(ValueSlot::new(&mut self.buffer));
            match LengthPrefix::of_map_at(&self.buffer, at) {
                Some(count) => count,
                None => {
                    self.buffer.rewind(at);
                    let mut count = LengthPrefix::begin(&mut self.buffer, MAP);
                    count.add();
                    self.buffer.put(b"\xa4note");
                    meta.record(ValueSlot::new(&mut self.buffer));
                    count
                }
            }
        };
        count.add();
        self.buffer.put(RETURN_CLOCK);
        counters.write_begun(begun, &mut self.buffer);
        count.end(&mut self.buffer);
    }

    #[inline]
    fn fields_at_begin(&self) -> u8 {
        FIELDS_AT_BEGIN + u8::from(self.counter.is_some())
    }

    /// The operation that began last will never end: the thread continues under another label.
    #[cold]
    fn continue_after_pending(&mut self) {
        self.is_open = false;
        self.pending += 1;
        let label = self.label.after_pending(self.pending);
        // The old counters would count the pending operation as ended.
        match preamble(&label).and_then(|preamble| Ok((preamble, register(&self.shared, &label)?))) {
            Ok((preamble, counter)) => (self.preamble, self.counter) = (preamble, counter),
            Err(error) => self.buffer.fail(error),
        }
    }

    #[cold]
    fn stop_for_clock(&mut self, now: i64) -> bool {
        let ticks = self.last_time.saturating_sub(now);
        self.buffer.fail(RecordError::ClockWentBack {
            thread: String::new(),
            ticks,
        });
        self.stop()
    }

    /// Stops the whole recording because of the buffer's failure. Always returns false.
    #[cold]
    fn stop(&mut self) -> bool {
        if let Some(error) = self.buffer.take_failure() {
            self.shared.stop(of_thread(error, &self.label));
        }
        false
    }
}

impl Drop for ThreadLog {
    fn drop(&mut self) {
        if self.shared.owner != std::process::id() {
            // A forked child: the file belongs to its parent, and the mapping was not inherited. The buffer is leaked.
            return;
        }
        // SAFETY: the buffer is taken once, here, and nothing uses it afterwards.
        let buffer = unsafe { ManuallyDrop::take(&mut self.buffer) };
        let closed = buffer.close().map(|output| ThreadRecording {
            label: self.label.clone(),
            operations: self.operations,
            pending: self.pending + u64::from(self.is_open),
            output,
            header_bytes: self.header_bytes,
        });
        self.shared.close(self.number, self.lost, closed);
    }
}

fn preamble(label: &ThreadLabel) -> Result<Box<[u8]>, RecordError> {
    let label = encoded(label)?;
    Ok([b"\0\xa6thread".as_slice(), &label, b"\xa2op"].concat().into())
}

/// Registers the thread's counters, if happens-before is recorded.
fn register(shared: &Shared, label: &ThreadLabel) -> Result<Option<CounterHandle>, RecordError> {
    let Some(counters) = &shared.progress else {
        return Ok(None);
    };
    // The keys of a vector clock are texts.
    let name = encoded(&label.to_string())?;
    let too_many = || RecordError::TooManyThreads {
        label: label.to_string(),
        threads: counters.capacity(),
    };
    counters.register(name).ok_or_else(too_many).map(Some)
}

/// The error with the label of the thread, which storage and values do not know.
fn of_thread(error: RecordError, label: &ThreadLabel) -> RecordError {
    let thread = label.to_string();
    match error {
        RecordError::TooLarge { bytes, .. } => RecordError::TooLarge { thread, bytes },
        RecordError::OutOfMemory { bytes, .. } => RecordError::OutOfMemory { thread, bytes },
        RecordError::ClockWentBack { ticks, .. } => RecordError::ClockWentBack { thread, ticks },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Recorder, record};

    #[test]
    fn a_clock_that_goes_back_stops_the_recording_of_all_threads() {
        let recorder = Recorder::in_memory().unwrap();
        let (mut log, mut other) = (recorder.thread(0).unwrap(), recorder.thread(1).unwrap());
        let other_was_under_way = other.call("op").begin();
        log.last_time = i64::MAX;
        record!(log, op() => ());
        record!(log, op() => ());
        other_was_under_way.end(());
        record!(other, op() => ());
        assert_eq!((log.operations, log.lost), (0, 2));
        assert_eq!((other.operations, other.lost, other.is_open), (1, 1, true));
        drop((log, other));
        match recorder.finish() {
            Err(RecordError::Stopped { lost: 3, cause }) => {
                assert!(
                    cause.to_string().starts_with("thread 0: the clock went back by"),
                    "{cause}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}
