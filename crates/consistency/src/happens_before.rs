//! Happens-before of a recorded history: timeboxes, or a few pairs for each operation.

use std::collections::BTreeMap;

use omnilink_history::{HistoryError, HistoryProblem, Order, OrderError, OrderSource, RecordedHistory};
use omnilink_trace::Timebox;
use omnilink_value::Value;

use crate::decode::{DecodedOps, Decoder, decode_ops};
use crate::history::History;
use crate::long_history::{HappensBefore, LongHistory, check_pairs};

type Pairs = Vec<(usize, usize)>;

impl<O> History<O> {
    /// A recorded history, decoded for a model.
    ///
    /// # Errors
    /// If the model cannot decode an operation, or the order is cyclic.
    pub fn of_recorded(recorded: &RecordedHistory, decoder: &impl Decoder<O>) -> Result<Self, HistoryError> {
        in_order(recorded, decode_ops(recorded, decoder)?)
    }
}

/// Decoded operations with their order, for the search over visibilities.
pub(crate) fn in_order<O>(
    recorded: &RecordedHistory,
    decoded: DecodedOps<O>,
) -> Result<History<O>, HistoryError> {
    ordered(recorded, decoded, |decoded, happens_before, timeboxes| {
        let DecodedOps { ops, names, .. } = decoded;
        let history = match happens_before {
            HappensBefore::RealTime => History::from_timeboxes(ops, &timeboxes),
            HappensBefore::AsyncRealTime => History::from_async_timeboxes(ops, &timeboxes),
            HappensBefore::Pairs(pairs) => History::new(ops, &Order::from_pairs(timeboxes.len(), pairs)?),
        };
        Ok(history?.with_thread_names(names))
    })
}

/// Decoded operations with their order, however many there are.
pub(crate) fn in_long_order<O>(
    recorded: &RecordedHistory,
    decoded: DecodedOps<O>,
) -> Result<LongHistory<O>, HistoryError> {
    ordered(recorded, decoded, |decoded, happens_before, timeboxes| {
        let DecodedOps { ops, names, .. } = decoded;
        let history = LongHistory {
            ops,
            timeboxes,
            happens_before,
            thread_names: names,
        };
        check_pairs(&history)?;
        Ok(history)
    })
}

fn ordered<O, H>(
    recorded: &RecordedHistory,
    decoded: DecodedOps<O>,
    history: impl FnOnce(DecodedOps<O>, HappensBefore, Vec<Timebox>) -> Result<H, OrderError>,
) -> Result<H, HistoryError> {
    let bad = |problem| HistoryError::Bad {
        place: recorded.place.clone(),
        problem,
    };
    let labels: Vec<String> = decoded
        .kept
        .iter()
        .map(|at| recorded.labels[*at].clone())
        .collect();
    let timeboxes = decoded.kept.iter().map(|at| recorded.ops[*at].timebox).collect();
    if recorded.order == OrderSource::Timeboxes {
        recorded.check_threads().map_err(bad)?;
    }
    happens_before(recorded, &decoded)
        .and_then(|happens_before| history(decoded, happens_before, timeboxes))
        .map_err(|error| bad(HistoryProblem::Order { error, labels }))
}

fn happens_before<O>(
    recorded: &RecordedHistory,
    decoded: &DecodedOps<O>,
) -> Result<HappensBefore, OrderError> {
    let DecodedOps { ops, kept, .. } = decoded;
    Ok(HappensBefore::Pairs(match &recorded.order {
        OrderSource::Timeboxes => return Ok(HappensBefore::RealTime),
        OrderSource::AsyncTimeboxes => return Ok(HappensBefore::AsyncRealTime),
        OrderSource::ProgramOrder => Vec::new(),
        OrderSource::Pairs(pairs) => between_kept(pairs.clone(), kept, recorded.ops.len()),
        OrderSource::Counters(counters) => {
            between_kept(counted_pairs(recorded, counters)?, kept, recorded.ops.len())
        }
        OrderSource::VectorClocks(clocks) => {
            let threads: Vec<u32> = ops.iter().map(|op| op.thread).collect();
            clocks.pairs(kept, &threads)
        }
    }))
}

/// Pairs from which, with program order, the order follows that per-thread counters show.
///
/// A thread adds one to its own counter when it calls and one when the call returns; before a call it records all counters, in
/// the order of the threads. A counter that has passed both steps of an operation shows that the operation was over.
fn counted_pairs(recorded: &RecordedHistory, counters: &[Vec<u64>]) -> Result<Pairs, OrderError> {
    let mut threads: BTreeMap<&Value, Vec<usize>> = BTreeMap::new();
    for (position, op) in recorded.ops.iter().enumerate() {
        threads.entry(&op.thread).or_default().push(position);
    }
    let in_turn = threads.values().flat_map(|ops| ops.windows(2));
    let mut pairs: Pairs = in_turn.map(|pair| (pair[0], pair[1])).collect();
    for (second, seen) in counters.iter().enumerate() {
        if seen.len() != threads.len() {
            return Err(OrderError::Counters {
                op: second,
                found: seen.len(),
                threads: threads.len(),
            });
        }
        for ((thread, ops), counter) in threads.iter().zip(seen) {
            let over = (*counter / 2).min(ops.len() as u64) as usize;
            if **thread != recorded.ops[second].thread {
                pairs.extend(ops[..over].last().map(|first| (*first, second)));
            }
        }
    }
    Ok(pairs)
}

/// Pairs between the operations that are kept, which are renumbered. An operation that is left out may lie between two that are not:
/// what comes before it comes before what comes after it.
fn between_kept(mut pairs: Pairs, kept: &[usize], count: usize) -> Pairs {
    let mut kept_as = vec![None; count];
    for (at, position) in kept.iter().enumerate() {
        kept_as[*position] = Some(at);
    }
    for left_out in (0..count).filter(|position| kept_as[*position].is_none()) {
        let (through, others): (Pairs, Pairs) = pairs
            .into_iter()
            .partition(|(first, second)| *first == left_out || *second == left_out);
        pairs = others;
        for (first, _) in through.iter().filter(|pair| pair.1 == left_out) {
            let seconds = through.iter().filter(|pair| pair.0 == left_out);
            pairs.extend(seconds.map(|(_, second)| (*first, *second)));
        }
    }
    let kept_pair = |(first, second): (usize, usize)| Some((kept_as[first]?, kept_as[second]?));
    pairs.into_iter().filter_map(kept_pair).collect()
}
