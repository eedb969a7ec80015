//! Binary logs of transactions: Cobra's, one file per session, and dbcop's `history.bincode`.
//!
//! | format | bytes |
//! |---|---|
//! | Cobra | big-endian records: `S` transaction, `W` write key value, `R` transaction write key value, `C` or `A` transaction, 8 bytes each |
//! | dbcop | little-endian: five numbers, three texts, then sessions, transactions and events, each with their number before them |
//!
//! A write of Cobra's goes by the number that it has in the log; two numbers stand for what no transaction wrote.

use std::sync::Arc;

use omnilink_value::Value;

use super::session_assembly::{Ending, SessionAssembly};
use crate::input::InputBuffer;
use crate::location::Source;
use crate::note::Notes;
use crate::stream::OperationStream;
use crate::{Format, Location, Note, Operation, Problem, TraceError};

const COBRA_RECORD: &str = "a record of a Cobra log: S, W, R, C or A, and numbers of 8 bytes";
const DBCOP_RECORD: &str = "a history of dbcop in bincode: numbers of 8 bytes, and 0 or 1";
/// The initial value, and none.
const COBRA_NOBODY: [i64; 2] = [0xbebe_ebee, 0xdead_beef];

/// The transactions of a binary log.
pub(crate) struct SessionLog {
    buffer: InputBuffer,
    format: Format,
    source: Arc<Source>,
    notes: Notes,
    sessions: SessionAssembly,
    /// Of dbcop: the sessions that follow this one, its number, and its transactions that follow; `None` before the beginning.
    left: Option<(u64, i64, u64)>,
    /// Whether the input ends in the middle of something.
    is_cut: bool,
}

/// Why reading stops.
enum Stop {
    /// The input ends in the middle.
    Cut,
    Error(TraceError),
}

type Read<T> = Result<T, Stop>;

impl SessionLog {
    pub(crate) fn new(
        format: Format,
        buffer: InputBuffer,
        name: &str,
        thread: Option<Value>,
        notes: Notes,
    ) -> Self {
        Self {
            buffer,
            format,
            source: Source::bytes(name),
            notes,
            sessions: SessionAssembly::of_thread(thread.filter(|_| format == Format::Cobra)),
            left: None,
            is_cut: false,
        }
    }

    fn location(&self) -> Location {
        Location::at(&self.source, self.buffer.offset())
    }

    fn error(&self, problem: impl Into<Problem>) -> Stop {
        Stop::Error(TraceError::new(self.location(), problem))
    }

    /// The next bytes.
    fn bytes<const N: usize>(&mut self) -> Read<[u8; N]> {
        self.buffer.fill_to(N).map_err(|error| self.error(error))?;
        let bytes = self
            .buffer
            .unread()
            .first_chunk::<N>()
            .copied()
            .ok_or(Stop::Cut)?;
        self.buffer.consume(N);
        Ok(bytes)
    }

    fn is_at_end(&mut self) -> Read<bool> {
        self.buffer.fill_to(1).map_err(|error| self.error(error))?;
        Ok(self.buffer.unread().is_empty() && !self.buffer.is_truncated())
    }

    /// Reads on until a transaction is over; `false` at the end.
    fn advance(&mut self) -> Read<bool> {
        if self.format == Format::Cobra {
            return if self.is_at_end()? {
                Ok(false)
            } else {
                self.cobra().map(|()| true)
            };
        }
        self.dbcop()
    }

    fn cobra(&mut self) -> Read<()> {
        let place = self.location();
        let unexpected = |found: &str| {
            let problem = Problem::bad_line(COBRA_RECORD, found);
            Stop::Error(TraceError::new(place.clone(), problem))
        };
        let [kind] = self.bytes()?;
        let mut number = || self.bytes().map(i64::from_be_bytes);
        let is_open = |log: &Self, number: i64| {
            let open = log.sessions.open.get(&0);
            open.is_some_and(|open| open.number == number)
        };
        match kind {
            b'S' => {
                let transaction = number()?;
                if self.sessions.open.contains_key(&0) {
                    return Err(unexpected("S before the end of the transaction before"));
                }
                self.sessions.begin(0, transaction, || place);
            }
            b'C' | b'A' => {
                let transaction = number()?;
                if !is_open(self, transaction) {
                    return Err(unexpected("the end of a transaction that did not begin"));
                }
                let ending = if kind == b'C' {
                    Ending::Committed
                } else {
                    Ending::Aborted
                };
                self.sessions.finish(0, ending);
            }
            b'W' | b'R' => {
                if kind == b'R' {
                    number()?;
                }
                let (write, key, _value) = (number()?, number()?, number()?);
                let Some(open) = self.sessions.open.get_mut(&0) else {
                    return Err(unexpected("a read or a write before S"));
                };
                let held = if COBRA_NOBODY.contains(&write) {
                    Value::null()
                } else {
                    Value::int(write)
                };
                open.access(if kind == b'W' { "w" } else { "r" }, Value::int(key), held);
            }
            other => return Err(unexpected(&format!("byte {other:#04x}"))),
        }
        Ok(())
    }

    fn number(&mut self) -> Read<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn flag(&mut self) -> Read<bool> {
        match self.bytes()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(self.error(Problem::bad_line(DBCOP_RECORD, &format!("byte {other:#04x}")))),
        }
    }

    /// Reads one transaction of dbcop's.
    fn dbcop(&mut self) -> Read<bool> {
        if self.left.is_none() {
            for _ in 0..5 {
                self.number()?;
            }
            for _ in 0..3 {
                let mut length = self.number()?;
                while length > 0 {
                    self.bytes::<1>()?;
                    length -= 1;
                }
            }
            let sessions = self.number()?;
            self.left = Some((sessions, -1, 0));
        }
        loop {
            match self.left {
                Some((0, _, 0)) | None => return Ok(false),
                Some((sessions, session, 0)) => {
                    let transactions = self.number()?;
                    self.left = Some((sessions - 1, session + 1, transactions));
                }
                Some((sessions, session, transactions)) => {
                    self.left = Some((sessions, session, transactions - 1));
                    return self.dbcop_transaction(session).map(|()| true);
                }
            }
        }
    }

    fn dbcop_transaction(&mut self, session: i64) -> Read<()> {
        let place = self.location();
        let events = self.number()?;
        self.sessions.begin(session, 0, || place);
        for _ in 0..events {
            let is_write = self.flag()?;
            let (key, value) = (self.number()?, self.number()?);
            let is_done = self.flag()?;
            let int = |number: u64| Value::int(number.cast_signed());
            let held = if value == 0 { Value::null() } else { int(value) };
            if let (Some(open), true) = (self.sessions.open.get_mut(&session), is_done) {
                open.access(if is_write { "w" } else { "r" }, int(key), held);
            }
        }
        let ending = if self.flag()? {
            Ending::Committed
        } else {
            Ending::Aborted
        };
        self.sessions.finish(session, ending);
        Ok(())
    }
}

impl OperationStream for SessionLog {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        loop {
            if let Some(operation) = self.sessions.pop() {
                return Ok(Some(operation));
            }
            if self.is_cut {
                return Ok(None);
            }
            match self.advance() {
                Ok(true) => {}
                Err(Stop::Error(error)) => return Err(error),
                Ok(false) | Err(Stop::Cut) if self.sessions.open.is_empty() => return Ok(None),
                Ok(false) | Err(Stop::Cut) => {
                    // Whether it committed is not known.
                    self.is_cut = true;
                    let (location, reason) = (self.location(), "the last transaction has no end");
                    self.notes.push(Note::Cut { location, reason });
                    self.sessions.finish_all(Ending::Unknown);
                }
            }
        }
    }
}

/// The binary format of transactions that bytes begin with.
pub(crate) fn transaction_log_format(bytes: &[u8]) -> Option<Format> {
    let is_kind = |at: usize| bytes.get(at).is_some_and(|kind| b"SWRCA".contains(kind));
    // Numbers of transactions are far from using all of their bytes, and no text has zeros in it.
    if let [b'S', 0, 0, ..] = bytes
        && is_kind(9)
    {
        return Some(Format::Cobra);
    }
    let number = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let is_small = |at: usize| number(at).is_some_and(|number| number < 1 << 40);
    let info = usize::try_from(number(40)?)
        .ok()
        .filter(|length| *length < 1 << 12)?;
    let start = bytes.get(56 + info..60 + info)?;
    let is_year = start.iter().all(u8::is_ascii_digit);
    ((0..5).all(|at| is_small(8 * at)) && is_year).then_some(Format::DbcopBincode)
}
