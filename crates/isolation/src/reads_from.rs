//! The reads-from relation: which transaction wrote what each read returned.

use omnilink_engine::Limit;
use omnilink_evidence::Anomaly;
use omnilink_history::Budget;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::transaction::{Fate, Id, NIL, Transactions};

/// A transaction, or `None` for the initial state, in which keys hold nothing.
pub(crate) type Writer = Option<usize>;

/// A read of another transaction's write.
#[derive(Clone, Debug)]
pub(crate) struct ExternalRead {
    /// The reader.
    pub reader: usize,
    /// The position among its reads.
    pub position: usize,
    /// The key.
    pub key: Id,
    /// The possible writers.
    pub writers: SmallVec<[Writer; 1]>,
}

/// All reads with their possible writers.
#[derive(Clone, Debug)]
pub(crate) struct ReadsFrom {
    /// Ordered by reader.
    pub reads: Vec<ExternalRead>,
    /// Transactions that committed or may have, in order.
    pub included: Vec<usize>,
    /// For each transaction, whether it must have committed.
    pub is_required: Vec<bool>,
}

/// Why there is no reads-from relation.
#[derive(Debug)]
pub(crate) enum ReadsFromError {
    /// A read of this transaction has no possible writer.
    Anomaly(Anomaly, usize),
    /// A limit was reached.
    Limit(Limit),
}

/// Whether a transaction committed, as far as reads determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Presence {
    /// No transaction reads from it: it may be left out.
    Absent,
    Possible,
    Required,
}

/// Finds the possible writers of every read. `may_read` tells whether a transaction may have read a key from a
/// writer, by session order and real time.
///
/// Where a value has one writer, that is it, even if `may_read` says no: then a cycle shows why.
///
/// A transaction of unknown outcome committed if another one read from it. If none did, it may be left out: every
/// level's axiom is about all committed transactions, so with one less it demands less.
pub(crate) fn reads_from(
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
    // Reads tell about transactions of unknown outcome only, so without these nothing more is found.
    if all.iter().all(|one| one.fate != Fate::Unknown) {
        waiting.clear();
    }
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
                return Err(ReadsFromError::Anomaly(anomaly, reader));
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
        Some(one) => Err(ReadsFromError::Anomaly(transactions.broken_read(one), one)),
        None => Ok(ReadsFrom {
            reads,
            included: (0..all.len())
                .filter(|one| presence[*one] > Presence::Absent)
                .collect(),
            is_required,
        }),
    }
}

/// The writers of each value of each key: one, and any others. Most values have one, and there may be millions.
struct WriterIndex {
    first: FxHashMap<(Id, Id), u32>,
    others: FxHashMap<(Id, Id), Vec<u32>>,
}

impl WriterIndex {
    fn new(transactions: &Transactions) -> Self {
        let mut index = Self {
            first: FxHashMap::default(),
            others: FxHashMap::default(),
        };
        for (one, transaction) in transactions.all.iter().enumerate() {
            if transaction.fate != Fate::Aborted {
                for write in &transaction.writes {
                    let first = *index.first.entry(*write).or_insert(one as u32);
                    if first != one as u32 {
                        index.others.entry(*write).or_default().push(one as u32);
                    }
                }
            }
        }
        index
    }

    fn writers(
        &self,
        reader: usize,
        key: Id,
        value: Id,
        may_read: &dyn Fn(usize, Id, Writer) -> bool,
    ) -> SmallVec<[Writer; 1]> {
        let first = self.first.get(&(key, value));
        let others = first.and_then(|_| self.others.get(&(key, value)));
        let wrote = first.into_iter().chain(others.into_iter().flatten());
        let initial = (value == NIL).then_some(None);
        let mut found: SmallVec<[Writer; 1]> = wrote
            .map(|writer| Some(*writer as usize))
            .filter(|writer| *writer != Some(reader))
            .chain(initial)
            .collect();
        if found.len() > 1 {
            found.retain(|writer| may_read(reader, key, *writer));
        }
        found
    }
}

/// Why a read has no possible writer. `is_written`: there is one, but it wrote too late, or was overwritten too
/// early.
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
        transactions.value(key, value),
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
        (None, None) => format!("{read}, which no transaction wrote"),
    })
}

impl ReadsFrom {
    /// Only which transactions committed: all that say so.
    pub fn without_reads(transactions: &Transactions) -> Self {
        let is_required: Vec<bool> = (0..transactions.all.len())
            .map(|one| transactions.is_committed(one))
            .collect();
        Self {
            reads: Vec::new(),
            included: (0..is_required.len()).filter(|one| is_required[*one]).collect(),
            is_required,
        }
    }

    /// Adds a read with one writer.
    pub fn push(&mut self, reader: usize, position: usize, key: Id, writer: Writer) {
        self.reads.push(ExternalRead {
            reader,
            position,
            key,
            writers: SmallVec::from_elem(writer, 1),
        });
    }

    /// The same reads with one writer each, of the transactions that are present.
    pub fn chosen(&self, writers: &[Writer], present: &[usize]) -> Self {
        let mut is_required = vec![false; self.is_required.len()];
        present.iter().for_each(|one| is_required[*one] = true);
        let reads = self.reads.iter().zip(writers);
        let kept = reads
            .filter(|(read, _)| is_required[read.reader])
            .map(|(read, writer)| ExternalRead {
                writers: SmallVec::from_elem(*writer, 1),
                ..read.clone()
            });
        Self {
            reads: kept.collect(),
            included: present.to_vec(),
            is_required,
        }
    }

    /// Whether the committed transactions and the writer of every read are determined.
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
