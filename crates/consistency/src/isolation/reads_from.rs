//! Who read from whom.

use omnilink_engine::Exhausted;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::transaction::{Fate, Id, NIL, Transactions};
use super::verdict::Anomaly;
use crate::budget::Budget;

/// Who wrote something: a transaction, or the beginning, when keys hold nothing.
pub(super) type Writer = Option<usize>;

/// A read of another transaction's write.
#[derive(Clone, Debug)]
pub(super) struct ExternalRead {
    /// Who read.
    pub reader: usize,
    /// Which of its reads it is.
    pub position: usize,
    /// The key.
    pub key: Id,
    /// Who may have written what was read.
    pub writers: SmallVec<[Writer; 1]>,
}

/// All reads with all who may have written what they read.
#[derive(Clone, Debug)]
pub(super) struct ReadsFrom {
    /// In the order of their readers.
    pub reads: Vec<ExternalRead>,
    /// Transactions that took effect or may have, in order.
    pub included: Vec<usize>,
    /// For each transaction, whether it surely took effect.
    pub is_required: Vec<bool>,
}

/// Why there is nothing to go on with.
#[derive(Debug)]
pub(super) enum ReadsFromError {
    /// Some read cannot be explained.
    Anomaly(Anomaly),
    /// A limit was reached.
    Limit(Exhausted),
}

/// What is known about a transaction, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Presence {
    /// Nobody needs it: it might as well not have taken effect.
    Absent,
    Possible,
    Required,
}

/// Finds, for every read, all who may have written what it returned. `may_read` tells whether a transaction may have read a
/// key from a writer, as far as that is known without looking at reads.
///
/// A transaction that was cut off took effect if somebody read from it. If nobody did it might as well not have: every
/// level's axiom speaks of all transactions that took effect, so with one less it demands less.
pub(super) fn reads_from(
    transactions: &Transactions,
    may_read: &dyn Fn(usize, Id, Writer) -> bool,
    budget: &mut Budget,
) -> Result<ReadsFrom, ReadsFromError> {
    let all = &transactions.all;
    let index = WriterIndex::new(transactions);
    let mut presence = vec![Presence::Absent; all.len()];
    let mut waiting: Vec<usize> = (0..all.len())
        .rev()
        .filter(|one| all[*one].fate == Fate::Committed)
        .collect();
    waiting.iter().for_each(|one| presence[*one] = Presence::Required);
    while let Some(reader) = waiting.pop() {
        for (key, value) in &all[reader].reads {
            if budget.work() {
                break;
            }
            let writers = index.writers(reader, *key, *value, may_read);
            let is_only = writers.len() == 1 && presence[reader] == Presence::Required;
            let least = if is_only {
                Presence::Required
            } else {
                Presence::Possible
            };
            for writer in writers.into_iter().flatten() {
                if presence[writer] < least {
                    presence[writer] = least;
                    waiting.push(writer);
                }
            }
        }
    }
    let mut reads = Vec::new();
    for reader in (0..all.len()).filter(|one| presence[*one] > Presence::Absent) {
        for (position, (key, value)) in all[reader].reads.iter().enumerate() {
            if budget.work() {
                break;
            }
            let writers = index.writers(reader, *key, *value, may_read);
            if writers.is_empty() && presence[reader] == Presence::Required {
                let is_written = !index.writers(reader, *key, *value, &|_, _, _| true).is_empty();
                let anomaly = unexplained(transactions, reader, (*key, *value), is_written);
                return Err(ReadsFromError::Anomaly(anomaly));
            }
            reads.push(ExternalRead {
                reader,
                position,
                key: *key,
                writers,
            });
        }
    }
    if let Some(limit) = budget.exhausted() {
        return Err(ReadsFromError::Limit(limit));
    }
    let is_required: Vec<bool> = presence.iter().map(|one| *one == Presence::Required).collect();
    let broken = (0..all.len()).find(|one| is_required[*one] && all[*one].broken.is_some());
    match broken {
        Some(one) => Err(ReadsFromError::Anomaly(transactions.broken_read(one))),
        None => Ok(ReadsFrom {
            reads,
            included: (0..all.len())
                .filter(|one| presence[*one] > Presence::Absent)
                .collect(),
            is_required,
        }),
    }
}

/// Who left which value in which key.
struct WriterIndex {
    writers: FxHashMap<(Id, Id), SmallVec<[u32; 1]>>,
}

impl WriterIndex {
    fn new(transactions: &Transactions) -> Self {
        let mut writers: FxHashMap<(Id, Id), SmallVec<[u32; 1]>> = FxHashMap::default();
        for (one, transaction) in transactions.all.iter().enumerate() {
            if transaction.fate != Fate::Aborted {
                for write in &transaction.writes {
                    writers.entry(*write).or_default().push(one as u32);
                }
            }
        }
        Self { writers }
    }

    fn writers(
        &self,
        reader: usize,
        key: Id,
        value: Id,
        may_read: &dyn Fn(usize, Id, Writer) -> bool,
    ) -> SmallVec<[Writer; 1]> {
        let wrote = self.writers.get(&(key, value)).into_iter().flatten();
        let beginning = (value == NIL).then_some(None);
        wrote
            .map(|writer| Some(*writer as usize))
            .filter(|writer| *writer != Some(reader))
            .chain(beginning)
            .filter(|writer| may_read(reader, key, *writer))
            .collect()
    }
}

/// Why nobody can have written what was read. `is_written`: somebody did, but too late, or it was overwritten too early.
fn unexplained(
    transactions: &Transactions,
    reader: usize,
    (key, value): (Id, Id),
    is_written: bool,
) -> Anomaly {
    let all = &transactions.all;
    let read = format!(
        "{} read {} from {}",
        all[reader].label,
        transactions.value(value),
        transactions.key(key)
    );
    if is_written {
        return Anomaly::Read(format!(
            "{read}, which was written only after it, or overwritten before it began"
        ));
    }
    let aborted = all
        .iter()
        .find(|one| one.fate == Fate::Aborted && one.written(key) == Some(value));
    let overwrote = all.iter().find(|one| one.overwritten.contains(&(key, value)));
    Anomaly::Read(match (aborted, overwrote) {
        (Some(writer), _) => format!("{read}, which {} wrote and then aborted", writer.label),
        (_, Some(writer)) if writer.label == all[reader].label => {
            format!("{read} before it wrote that itself")
        }
        (_, Some(writer)) => format!("{read}, which {} wrote and then wrote over", writer.label),
        (None, None) => format!("{read}, which nobody wrote"),
    })
}

impl ReadsFrom {
    /// Whether it is known who took effect, and who read from whom.
    pub fn is_determined(&self) -> bool {
        self.reads.iter().all(|read| read.writers.len() == 1)
            && self.included.iter().all(|one| self.is_required[*one])
    }

    /// The reads of one transaction.
    pub fn of(&self, reader: usize) -> &[ExternalRead] {
        let from = self.reads.partition_point(|read| read.reader < reader);
        let to = self.reads.partition_point(|read| read.reader <= reader);
        &self.reads[from..to]
    }
}
