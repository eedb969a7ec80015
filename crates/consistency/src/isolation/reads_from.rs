//! Who read from whom.

use super::transaction::{Fate, Id, NIL, Transactions};
use super::verdict::Anomaly;

/// A read of another transaction's write.
#[derive(Clone, Debug)]
pub(super) struct ExternalRead {
    /// Who read.
    pub reader: usize,
    /// Which of its reads it is.
    pub position: usize,
    /// The key.
    pub key: Id,
    /// Who may have written what was read; `None` is the beginning, when keys hold nothing.
    pub writers: Vec<Option<usize>>,
}

/// All reads with all who may have written what they read.
#[derive(Clone, Debug)]
pub(super) struct Assignments {
    pub reads: Vec<ExternalRead>,
    /// Transactions that took effect or may have.
    pub included: Vec<usize>,
    required: Vec<bool>,
    /// Those whose reads contradict their own writes: they cannot have taken effect.
    broken: Vec<usize>,
}

/// A writer for every read.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    /// By position in [`Assignments::reads`].
    pub writers: Vec<Option<usize>>,
    /// The transactions that took effect.
    pub present: Vec<usize>,
}

/// Finds, for every read, all who may have written what it returned.
///
/// A transaction that was cut off took effect if somebody read from it, and might as well not have if nobody did.
pub(super) fn candidates(transactions: &Transactions) -> Result<Assignments, Anomaly> {
    let all = &transactions.all;
    let mut is_included: Vec<bool> = all.iter().map(|one| one.fate == Fate::Committed).collect();
    let mut required = is_included.clone();
    let writers_of = |reader: usize, key: Id, value: Id| {
        let wrote = |writer: &usize| {
            *writer != reader
                && all[*writer].fate != Fate::Aborted
                && all[*writer].written(key) == Some(value)
        };
        let mut writers: Vec<Option<usize>> = (0..all.len()).filter(wrote).map(Some).collect();
        writers.extend((value == NIL).then_some(None));
        writers
    };
    loop {
        let mut is_stable = true;
        for reader in (0..all.len())
            .filter(|reader| is_included[*reader])
            .collect::<Vec<_>>()
        {
            for (key, value) in &all[reader].reads {
                let writers = writers_of(reader, *key, *value);
                let is_only = writers.len() == 1 && required[reader];
                for writer in writers.into_iter().flatten() {
                    is_stable &= is_included[writer] && (required[writer] || !is_only);
                    is_included[writer] = true;
                    required[writer] |= is_only;
                }
            }
        }
        if is_stable {
            break;
        }
    }
    let mut reads = Vec::new();
    for reader in (0..all.len()).filter(|reader| is_included[*reader]) {
        for (position, (key, value)) in all[reader].reads.iter().enumerate() {
            let writers = writers_of(reader, *key, *value);
            if writers.is_empty() && required[reader] {
                return Err(unwritten(transactions, reader, *key, *value));
            }
            reads.push(ExternalRead {
                reader,
                position,
                key: *key,
                writers,
            });
        }
    }
    let included: Vec<usize> = (0..all.len()).filter(|one| is_included[*one]).collect();
    let broken: Vec<usize> = included
        .iter()
        .copied()
        .filter(|one| all[*one].broken.is_some())
        .collect();
    match broken.iter().find(|one| required[**one]) {
        Some(one) => Err(transactions.broken_read(*one)),
        None => Ok(Assignments {
            reads,
            included,
            required,
            broken,
        }),
    }
}

/// Why nobody can have written what was read.
fn unwritten(transactions: &Transactions, reader: usize, key: Id, value: Id) -> Anomaly {
    let all = &transactions.all;
    let read = format!(
        "{} read {} from {}",
        all[reader].label,
        transactions.value(value),
        transactions.key(key)
    );
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

impl Assignments {
    /// The assignment, if there is only one.
    pub fn determined(&self) -> Option<Assignment> {
        let is_determined = self.reads.iter().all(|read| read.writers.len() == 1);
        if is_determined { self.all().next() } else { None }
    }

    /// All ways to assign a writer to every read of a transaction that took effect.
    pub fn all(&self) -> impl Iterator<Item = Assignment> {
        self.choices().filter(|assignment| {
            let is_present = |one: &usize| assignment.present.contains(one);
            let is_unwritten = |read: &ExternalRead| read.writers.is_empty() && is_present(&read.reader);
            !self.reads.iter().any(is_unwritten) && !self.broken.iter().any(is_present)
        })
    }

    fn choices(&self) -> impl Iterator<Item = Assignment> {
        let mut next = Some(vec![0_usize; self.reads.len()]);
        std::iter::from_fn(move || {
            let choice = next.take()?;
            let writers: Vec<Option<usize>> = self
                .reads
                .iter()
                .zip(&choice)
                .map(|(read, at)| read.writers.get(*at).copied().flatten())
                .collect();
            let mut following = choice;
            for (at, read) in following.iter_mut().zip(&self.reads) {
                *at += 1;
                if *at < read.writers.len() {
                    next = Some(following);
                    break;
                }
                *at = 0;
            }
            Some(self.assignment(writers))
        })
    }

    fn assignment(&self, writers: Vec<Option<usize>>) -> Assignment {
        let mut is_present = self.required.clone();
        loop {
            let mut is_stable = true;
            for (read, writer) in self.reads.iter().zip(&writers) {
                if let Some(writer) = writer
                    && is_present[read.reader]
                    && !is_present[*writer]
                {
                    is_present[*writer] = true;
                    is_stable = false;
                }
            }
            if is_stable {
                break;
            }
        }
        let present = self
            .included
            .iter()
            .copied()
            .filter(|one| is_present[*one])
            .collect();
        Assignment { writers, present }
    }
}
