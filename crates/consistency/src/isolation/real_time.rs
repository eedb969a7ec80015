//! Real time: who was over before who began.

use omnilink_trace::Time;

use super::graph::{Graph, Why};
use super::reads_from::Writer;
use super::transaction::{Fate, Id, Transactions};

/// Adds the order of real time among `included` to a graph.
///
/// Pairs would be quadratic in number. Instead there is a chain of *moments*: a transaction leads to the first moment after its
/// end, and a moment leads to all that begin at or after it. A moment is added before a beginning only if something ended since
/// the last one, so there are at most as many moments as transactions.
///
/// *Exact*: let `a` end before `b` begins. When `b`'s beginning is reached, in order of time, `a` has ended, so it leads to the
/// last moment or to one before it, and the last moment leads to `b`. Conversely, what leads to a moment has ended before the
/// beginning for which the moment was added, and what that moment or a later one leads to begins no earlier. ∎
pub(super) fn add(graph: &mut Graph, transactions: &Transactions, included: &[usize]) {
    let boxes = included
        .iter()
        .filter_map(|one| transactions.all[*one].timebox.map(|timebox| (*one, timebox)));
    let mut starts: Vec<(Time, usize)> = boxes.clone().map(|(one, timebox)| (timebox.start, one)).collect();
    let mut ends: Vec<(Time, usize)> = boxes
        .filter_map(|(one, timebox)| timebox.end.map(|end| (end, one)))
        .collect();
    starts.sort_unstable();
    ends.sort_unstable();
    let mut ended = ends.into_iter().peekable();
    let mut moment = None;
    for (start, one) in starts {
        let mut next = None;
        while let Some((_, first)) = ended.next_if(|(end, _)| *end < start) {
            let to = *next.get_or_insert_with(|| graph.auxiliary());
            graph.add(graph.commit(first), to, Why::RealTime);
        }
        if let Some(next) = next {
            if let Some(moment) = moment {
                graph.add(moment, next, Why::RealTime);
            }
            moment = Some(next);
        }
        if let Some(moment) = moment {
            graph.add(moment, graph.begin(one), Why::RealTime);
        }
    }
}

/// Which writes were surely overwritten before a transaction began.
#[derive(Debug)]
pub(super) struct Overwrites {
    /// For each key the committed writers by their start, each with the earliest end among it and those that start later.
    by_key: Vec<Vec<(Time, Time)>>,
}

impl Overwrites {
    pub fn new(transactions: &Transactions) -> Self {
        let mut by_key: Vec<Vec<(Time, Time)>> = vec![Vec::new(); transactions.key_count()];
        let committed = transactions.all.iter().filter(|one| one.fate == Fate::Committed);
        for transaction in committed {
            if let Some((start, end)) = transaction
                .timebox
                .and_then(|timebox| Some((timebox.start, timebox.end?)))
            {
                for (key, _) in &transaction.writes {
                    by_key[*key as usize].push((start, end));
                }
            }
        }
        for writers in &mut by_key {
            writers.sort_unstable();
            let mut earliest = Time::MAX;
            for (_, end) in writers.iter_mut().rev() {
                earliest = earliest.min(*end);
                *end = earliest;
            }
        }
        Self { by_key }
    }

    /// Whether real time allows that `reader` read `key` from `writer`.
    ///
    /// It does not if the reader was over before the writer began, nor if a third transaction wrote the key after the writer
    /// was over, and was over itself before the reader began: in every order that keeps real time the third is between the two.
    pub fn allow(&self, transactions: &Transactions, reader: usize, key: Id, writer: Writer) -> bool {
        let Some(reading) = transactions.all[reader].timebox else {
            return true;
        };
        let overwritten_by = |from: usize| {
            let earliest = self.by_key[key as usize].get(from);
            earliest.is_some_and(|(_, end)| *end < reading.start)
        };
        let Some(writer) = writer else {
            return !overwritten_by(0);
        };
        let Some(writing) = transactions.all[writer].timebox else {
            return true;
        };
        let is_too_late = reading.precedes(&writing);
        let is_overwritten = writing.end.is_some_and(|end| {
            overwritten_by(self.by_key[key as usize].partition_point(|(start, _)| *start <= end))
        });
        !is_too_late && !is_overwritten
    }
}
