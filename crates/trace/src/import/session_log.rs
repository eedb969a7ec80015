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
use crate::input::{BinaryInput, End, InputBuffer, Next, Reader};
use crate::note::Notes;
use crate::{Format, Location, Operation, Problem, TraceError};

const UNENDED: &str = "the last transaction has no end";
const COBRA_RECORD: &str = "a record of a Cobra log: S, W, R, C or A, and numbers of 8 bytes";
const DBCOP_RECORD: &str = "a history of dbcop in bincode: numbers of 8 bytes, and 0 or 1";
/// The initial value, and none.
const COBRA_NOBODY: [i64; 2] = [0xbebe_ebee, 0xdead_beef];

/// The transactions of a binary log.
pub(crate) struct SessionLog {
    input: BinaryInput,
    format: Format,
    sessions: SessionAssembly,
    /// Of dbcop: the sessions that follow this one, its number, and its transactions that follow; `None` before the beginning.
    left: Option<(u64, i64, u64)>,
    end: Option<End>,
}

/// Why reading stops.
enum Stop {
    /// The input ends in the middle.
    Cut,
    Error(TraceError),
}

type Read<T> = Result<T, Stop>;

impl From<TraceError> for Stop {
    fn from(error: TraceError) -> Self {
        Self::Error(error)
    }
}

impl SessionLog {
    pub(crate) fn new(
        format: Format,
        buffer: InputBuffer,
        name: &str,
        thread: Option<Value>,
        notes: Notes,
    ) -> Self {
        Self {
            input: BinaryInput::new(buffer, name, notes),
            format,
            sessions: SessionAssembly::of_thread(thread.filter(|_| format == Format::Cobra)),
            left: None,
            end: None,
        }
    }

    fn location(&self) -> Location {
        self.input.location()
    }

    /// The next bytes.
    fn bytes<const N: usize>(&mut self) -> Read<[u8; N]> {
        self.input.fill_to(N)?;
        let bytes = self.input.unread().first_chunk::<N>().copied();
        let bytes = bytes.ok_or(Stop::Cut)?;
        self.input.consume(N);
        Ok(bytes)
    }

    /// Reads on until a transaction is over; the end if there is none.
    fn advance(&mut self) -> Read<Option<End>> {
        match self.format {
            // A truncation is a cut, so that it is noted once.
            Format::Cobra if self.input.is_at_end()? => Ok(Some(self.input.end()?)),
            Format::Cobra => self.cobra().map(|()| None),
            _ => self.dbcop(),
        }
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
            [other] => {
                let problem = Problem::bad_line(DBCOP_RECORD, &format!("byte {other:#04x}"));
                Err(self.input.error(problem).into())
            }
        }
    }

    /// Reads one transaction of dbcop's. How many there are is in the file.
    fn dbcop(&mut self) -> Read<Option<End>> {
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
                Some((0, _, 0)) | None => return Ok(Some(self.input.end()?)),
                Some((sessions, session, 0)) => {
                    let transactions = self.number()?;
                    self.left = Some((sessions - 1, session + 1, transactions));
                }
                Some((sessions, session, transactions)) => {
                    self.left = Some((sessions, session, transactions - 1));
                    return self.dbcop_transaction(session).map(|()| None);
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

impl Reader for SessionLog {
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        loop {
            if let Some(operation) = self.sessions.pop() {
                return Ok(Next::One(operation));
            }
            if let Some(end) = self.end.take() {
                return Ok(Next::End(end));
            }
            let is_open = |log: &Self| !log.sessions.open.is_empty();
            self.end = match self.advance() {
                Ok(Some(_)) if is_open(self) => Some(self.input.cut(UNENDED)),
                Ok(end) => end,
                Err(Stop::Error(error)) => return Err(error),
                Err(Stop::Cut) => Some(self.input.cut(if is_open(self) {
                    UNENDED
                } else {
                    "more transactions were announced than there are, or the last record is incomplete"
                })),
            };
            if self.end.is_some() {
                // Whether it committed is not known.
                self.sessions.finish_all(Ending::Unknown);
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
