//! The histories of an input: all of a file of histories, one per key, or the one that a trace is.

use std::io::{BufRead, BufReader};

use omnilink_engine::{Limit, LimitWatch, Limits};
use omnilink_history::{OpSet, RecordedHistory, is_history_line, read_histories};
use omnilink_isolation::{is_of_workload, is_transaction};
use omnilink_models::AnyModel;
use omnilink_trace::Operation;

use super::judge_factory::weak_error;
use crate::error::VerifyError;
use crate::input::Input;
use crate::keyed::pieces::{Pieces, pieces};
use crate::keyed::{Keyed, StrictDecoding, is_strict, other_type};
use crate::limits::{after_reading, is_interrupted, opened};

/// How histories are read.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// Whether threads are labels.
    pub(super) is_async: bool,
    pub(super) limits: Limits,
}

/// The histories of one input, as they are read.
pub(super) struct Histories<'a, H = RecordedHistory> {
    /// What a person should be told about the input.
    pub(super) notes: Vec<String>,
    /// Whether nothing returned, so that nothing is known.
    pub(super) is_silent: bool,
    pub(super) each: Box<dyn Iterator<Item = Result<H, VerifyError>> + 'a>,
}

/// How the histories of an input are read.
pub(super) type Read<'a> = dyn for<'i> Fn(&'i Input) -> Result<Histories<'i>, VerifyError> + 'a;

/// The histories of one input for a shipped model: one for each key, where values are keyed.
pub(super) fn keyed_histories<'a>(
    model: &AnyModel,
    keyed: &Keyed,
    input: &'a Input,
    reading: Reading,
) -> Result<Histories<'a>, VerifyError> {
    if holds_histories(input) {
        if let Keyed::ByField(_) = keyed {
            let message =
                "--key makes an object of each key of a trace; in a file of histories, each line is one";
            return Err(VerifyError::Usage(message.to_owned()));
        }
        return Ok(strictly(model, histories(input, reading)?));
    }
    let other_type = other_type(model.entry(), input).map(|note| format!("{}: {note}", input.name));
    let Some(Pieces { each, mut notes }) = pieces(model, keyed, input)? else {
        let mut histories = histories(input, reading)?;
        histories.notes.extend(other_type);
        return Ok(match is_strict(input) {
            true => strictly(model, histories),
            false => histories,
        });
    };
    notes.extend(other_type);
    let has_returned = |operation: &Operation| !operation.aborted && !operation.timebox.is_pending();
    let is_silent = !each
        .iter()
        .flat_map(|(_, operations)| operations)
        .any(has_returned);
    let each = each.into_iter().map(move |(name, operations)| {
        let recorded = RecordedHistory::from_operations(&name, operations).map_err(weak_error)?;
        Ok(if reading.is_async {
            recorded.with_async_threads()
        } else {
            recorded
        })
    });
    Ok(Histories {
        notes,
        is_silent,
        each: Box::new(each),
    })
}

/// The same histories, unless an operation has an argument that the model has no use for.
fn strictly<'a>(model: &AnyModel, histories: Histories<'a>) -> Histories<'a> {
    let model = model.clone();
    let each = histories.each.map(move |recorded| {
        let recorded = recorded?;
        let strict = StrictDecoding::of_recorded(&model);
        recorded
            .ops
            .iter()
            .try_for_each(|operation| strict.check(operation))?;
        Ok(recorded)
    });
    Histories {
        each: Box::new(each),
        ..histories
    }
}

/// The histories of one input: all of a file of histories, or the one that a trace is.
pub(super) fn histories(input: &Input, reading: Reading) -> Result<Histories<'_>, VerifyError> {
    let histories = read_all(input, reading.limits)?;
    if !reading.is_async {
        return Ok(histories);
    }
    let each = histories
        .each
        .map(|recorded| recorded.map(RecordedHistory::with_async_threads));
    Ok(Histories {
        each: Box::new(each),
        ..histories
    })
}

fn read_all(input: &Input, limits: Limits) -> Result<Histories<'_>, VerifyError> {
    if holds_histories(input) {
        let bytes = input.bytes_from_start().map_err(|error| {
            VerifyError::Usage(format!("{}: {error}; give a file that can be read", input.name))
        })?;
        let histories = read_histories(&input.name, BufReader::new(bytes));
        let mut is_stopped = false;
        let each = histories.map_while(move |recorded| {
            if is_stopped {
                return None;
            }
            is_stopped = is_interrupted(&limits);
            Some(if is_stopped {
                Err(VerifyError::Limit {
                    limit: Limit::Interrupt,
                    operations: 0,
                })
            } else {
                recorded.map_err(weak_error)
            })
        });
        return Ok(Histories {
            notes: Vec::new(),
            is_silent: false,
            each: Box::new(each),
        });
    }
    let _limits = limits.begin();
    let mut trace = opened(input.open_once())?;
    let mut watch = LimitWatch::new(limits);
    let mut count = 0;
    let mut operations: Vec<Operation> = Vec::new();
    for read in trace.by_ref() {
        operations.push(after_reading(read, &mut count, &mut watch)?);
    }
    if operations.is_empty() {
        let notes: Vec<String> = trace.notes().iter().map(ToString::to_string).collect();
        return Err(VerifyError::empty(&input.name, &notes));
    }
    let notes: Vec<String> = trace.notes().iter().map(ToString::to_string).collect();
    let has_returned = |operation: &Operation| !operation.aborted && !operation.timebox.is_pending();
    let is_silent = !operations.iter().any(has_returned);
    let recorded = RecordedHistory::from_operations(&input.name, operations);
    let recorded = recorded.map_err(weak_error);
    Ok(Histories {
        notes,
        is_silent,
        each: Box::new(std::iter::once(recorded)),
    })
}

/// Whether the file holds histories, one a line, rather than a trace.
pub fn holds_histories(input: &Input) -> bool {
    let Ok(bytes) = input.bytes_from_start() else {
        return false;
    };
    // A history is an object whose keys are in double quotes, and it may be long. Anything else (an array, EDN, MessagePack) is
    // told apart by its first bytes, however far away its first line end is.
    let mut bytes = BufReader::new(bytes);
    let mut line = Vec::new();
    let mut head = std::io::Read::take(&mut bytes, HEAD_BYTES);
    if head.read_until(b'\n', &mut line).is_err() {
        return false;
    }
    let mut visible = line.iter().filter(|byte| !byte.is_ascii_whitespace());
    if (visible.next(), visible.next()) != (Some(&b'{'), Some(&b'"')) {
        return false;
    }
    let is_whole = line.ends_with(b"\n") || (line.len() as u64) < HEAD_BYTES;
    if !is_whole && bytes.read_until(b'\n', &mut line).is_err() {
        return false;
    }
    is_history_line(&String::from_utf8_lossy(&line))
}

/// Enough to tell whether a first line may be a history.
const HEAD_BYTES: u64 = 1 << 12;

/// Whether the first operations of an input are transactions, as far as they can be read.
pub fn holds_transactions(input: &Input) -> bool {
    holds_any(input, is_transaction)
}

/// Whether they can be read as transactions, as those of Jepsen's sets and counters.
pub fn holds_workload(input: &Input) -> bool {
    holds_any(input, is_of_workload)
}

fn holds_any(input: &Input, is_one: fn(&Operation) -> bool) -> bool {
    if !holds_histories(input) {
        return input.has_among_first(TRANSACTIONS_FROM_MAX, |_, operation| is_one(operation));
    }
    let Ok(bytes) = input.bytes_from_start() else {
        return false;
    };
    let mut histories = read_histories(&input.name, BufReader::new(bytes));
    let first = histories.next().and_then(Result::ok);
    first.is_some_and(|history| {
        history.transactions.iter().any(Option::is_some) || history.ops.iter().any(is_one)
    })
}

const TRANSACTIONS_FROM_MAX: usize = 16;

/// Whether a trace gives its order by other means than timeboxes, which are all that the engine reads: clocks, program
/// counters, or pairs.
///
/// Clocks and counters are on every operation or on none; pairs may be on any. Only as much is read as a search could take:
/// a long trace is not read through, and a pipe not held up.
pub fn tells_its_own_order(input: &Input) -> bool {
    if input.bytes().is_none_or(|bytes| bytes > SEARCHED_BYTES_MAX) {
        return false;
    }
    input.has_among_first(OpSet::CAPACITY, |position, op| {
        let has = |field: &str| op.meta.as_ref().is_some_and(|meta| meta.field(field).is_some());
        let has_clock = op.clock.as_ref().is_some_and(|clock| clock.as_record().is_some());
        has("after") || position == 0 && (has("call_pcs") || has_clock)
    })
}

/// More than any history that can be searched takes, unless its values are enormous.
const SEARCHED_BYTES_MAX: u64 = 1 << 22;
