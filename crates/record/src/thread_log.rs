//! What one thread records.

use std::{fs, mem::ManuallyDrop, sync::Arc};

use crate::{
    Call, EndFence, Label, Named, Positional, Record, RecordError, ThreadRecording,
    buffer::Buffer,
    clock::Clock,
    header::Header,
    progress_counters::{Place, ProgressBoard},
    recorder::Shared,
    storage::{Output, Storage},
    value::{ARRAY, Count, MAP, Slot, encoded, tagged},
};

/// One thread's part of the recording. Made by [`Recorder::thread`](crate::Recorder::thread); it can be moved
/// to another thread, never shared. Dropping it completes its file.
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
/// It does not take locks and makes no system calls, except for one round of them every chunk, between two
/// operations.
#[derive(Debug)]
pub struct ThreadLog {
    buffer: ManuallyDrop<Buffer>,
    shared: Arc<Shared>,
    clock: Clock,
    drain_stores: bool,
    number: u64,
    label: Label,
    header_bytes: usize,
    /// How each record begins: the byte that will publish it, `thread` with its label, and the key `op`.
    preamble: Box<[u8]>,
    /// The last time read: this thread's clock must not go back.
    last_time: i64,
    /// Where others see how far this thread is, if happens-before is recorded.
    place: Option<Place>,
    /// What others had begun when the last operation was over, if that is recorded.
    begun: Option<Vec<u64>>,
    /// An operation was begun and has not ended.
    is_open: bool,
    operations: u64,
    pending: u64,
    lost: u64,
}

/// The first byte of a MessagePack map with this many fields.
const fn map_of(fields: u8) -> u8 {
    0x80 | fields
}

/// The name, in `meta`, of what others had begun when an operation was over.
const RETURN_CLOCK: &[u8] = b"\xacreturn_clock";

/// `thread`, `op`, `args`, `start`.
const FIELDS_AT_BEGIN: u8 = 4;

impl ThreadLog {
    pub(crate) fn new(
        storage: Storage,
        header: &Header,
        shared: Arc<Shared>,
        number: u64,
        label: Label,
    ) -> Result<Self, RecordError> {
        let preamble = preamble(&label)?;
        let place = join(&shared, &label)?;
        let mut buffer = Buffer::new(storage);
        header.write(&mut buffer, &shared.clock, Some(&label));
        if let Some(error) = buffer.take_failure() {
            // A file without a header would only be in the way of whoever reads the others.
            if let Ok(Output::File(path)) = buffer.close() {
                let _ = fs::remove_file(path);
            }
            return Err(of_thread(error, &label));
        }
        let drain_stores = shared.end_fence == EndFence::DrainStores;
        let capacity = shared.progress.as_ref().map(ProgressBoard::capacity);
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
            place,
            is_open: false,
            operations: 0,
            pending: 0,
            lost: 0,
        })
    }

    /// The thread's label.
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// A call of operation `op`, whose arguments have names. It is not recorded before
    /// [`begin`](Call::begin).
    #[inline]
    pub fn call(&mut self, op: &str) -> Call<'_, Named> {
        Call::new(self, op, MAP)
    }

    /// A call of operation `op`, whose arguments are known by their position.
    #[inline]
    pub fn call_positional(&mut self, op: &str) -> Call<'_, Positional> {
        Call::new(self, op, ARRAY)
    }

    #[inline]
    pub(crate) fn buffer(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Writes the record up to the key of the arguments. False if nothing is recorded any more.
    #[inline]
    pub(crate) fn prepare(&mut self, op: &str) -> bool {
        if self.shared.has_stopped() {
            return false;
        }
        if self.is_open {
            self.go_on_after_pending();
        }
        self.buffer.begin_record(&self.preamble);
        Slot::new(&mut self.buffer).str(op);
        self.buffer.put(b"\xa4args");
        true
    }

    /// Publishes the prepared record as a pending operation. False if it could not be recorded.
    ///
    /// The order: everything but the time is in its place, then the clock is read, then the nine bytes of the
    /// time and the byte that publishes are stored, then the operation may begin. So the record is in the
    /// file before the operation can have any effect, and only two stores stand between the reading and the
    /// call.
    #[inline]
    pub(crate) fn begin(&mut self) -> bool {
        if let (Some(place), Some(board)) = (&mut self.place, &self.shared.progress) {
            self.buffer.put(b"\xa5clock");
            board.note(place, &mut self.buffer);
        }
        if !self.buffer.reserve_for_end() {
            return self.stop();
        }
        self.buffer.put(b"\xa5start");
        // In front of the clock: the fence would only make the timebox wider.
        if let (Some(place), Some(board), Some(_)) = (&self.place, &self.shared.progress, &self.begun) {
            board.begin(place);
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

    /// An operation begins that is not recorded.
    #[cold]
    pub(crate) fn lose(&mut self) {
        self.lost += 1;
        self.shared.before_lost_operation();
    }

    /// Publishes the end of the operation that was begun last.
    ///
    /// The clock is read first: whatever recording costs from here on is outside the timebox.
    #[inline]
    pub(crate) fn end(&mut self, ret: &impl Record, meta: &impl Record, aborted: bool) {
        let end = self.clock.after_call(self.drain_stores);
        if self.shared.had_stopped() {
            return;
        }
        // Before anything of the record: what is begun meanwhile is after this operation.
        if let (Some(begun), Some(board)) = (&mut self.begun, &self.shared.progress) {
            board.look(begun);
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
            ret.record(Slot::new(&mut self.buffer));
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
        // After the record: whatever is counted as over must have its end in the file, also if the process dies now.
        if let (Some(place), Some(board)) = (&self.place, &self.shared.progress) {
            board.end(place);
        }
    }

    /// Writes what is noted with an operation: what its user says and, as a field of that, what others had begun when it was
    /// over. What is no map becomes the field `note` of one.
    #[inline]
    fn meta(&mut self, meta: &impl Record) {
        let (Some(begun), Some(board)) = (&self.begun, &self.shared.progress) else {
            meta.record(Slot::new(&mut self.buffer));
            return;
        };
        let mut count = if meta.is_absent() {
            Count::begin(&mut self.buffer, MAP)
        } else {
            let at = self.buffer.position();
            meta.record(Slot::new(&mut self.buffer));
            match Count::of_map_at(&self.buffer, at) {
                Some(count) => count,
                None => {
                    self.buffer.rewind(at);
                    let mut count = Count::begin(&mut self.buffer, MAP);
                    count.add();
                    self.buffer.put(b"\xa4note");
                    meta.record(Slot::new(&mut self.buffer));
                    count
                }
            }
        };
        count.add();
        self.buffer.put(RETURN_CLOCK);
        board.write(begun, &mut self.buffer);
        count.end(&mut self.buffer);
    }

    #[inline]
    fn fields_at_begin(&self) -> u8 {
        FIELDS_AT_BEGIN + u8::from(self.place.is_some())
    }

    /// The operation begun last will never end: the thread goes on under another label.
    #[cold]
    fn go_on_after_pending(&mut self) {
        self.is_open = false;
        self.pending += 1;
        let label = self.label.after_pending(self.pending);
        // What is counted in the old place would count the pending operation as over.
        match preamble(&label).and_then(|preamble| Ok((preamble, join(&self.shared, &label)?))) {
            Ok((preamble, place)) => (self.preamble, self.place) = (preamble, place),
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

    /// Stops the whole recording, for the reason that the buffer has. Always false.
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
            // A forked child: the file is its parent's, and the mapping was not inherited. The buffer is not
            // dropped.
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

fn preamble(label: &Label) -> Result<Box<[u8]>, RecordError> {
    let label = encoded(label)?;
    Ok([b"\0\xa6thread".as_slice(), &label, b"\xa2op"].concat().into())
}

/// A place where others see how far the thread is, if happens-before is recorded.
fn join(shared: &Shared, label: &Label) -> Result<Option<Place>, RecordError> {
    let Some(board) = &shared.progress else {
        return Ok(None);
    };
    // Keys of a vector clock are texts.
    let name = encoded(&label.to_string())?;
    let full = || RecordError::TooManyThreads {
        label: label.to_string(),
        threads: board.capacity(),
    };
    board.join(name).ok_or_else(full).map(Some)
}

/// The error with the thread that met it: stores and values do not know for whom they work.
fn of_thread(error: RecordError, label: &Label) -> RecordError {
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
