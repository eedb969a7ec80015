//! The definition of the isolation levels as code, without optimisations.
//!
//! Every commit order is tried with every reads-from relation. The checks are tested against this; the axioms are
//! those of Biswas and Enea, and share nothing with the search for snapshots.

use super::Isolation;
use super::transaction::{Fate, Transactions};

/// A read: reader, key and writer, and the number of earlier reads of the same transaction.
struct Read {
    reader: usize,
    position: usize,
    key: u32,
    writer: Option<usize>,
}

/// Whether the transactions are isolated.
///
/// # Panics
/// If there are more than 6 transactions: it would not end.
pub fn is_isolated(transactions: &Transactions, isolation: Isolation) -> bool {
    assert!(
        transactions.all.len() <= 6,
        "the naive checker is for small histories"
    );
    let all = &transactions.all;
    let uncertain: Vec<usize> = (0..all.len())
        .filter(|one| all[*one].fate == Fate::Unknown)
        .collect();
    (0..1_usize << uncertain.len()).any(|choice| {
        let is_in = |one: &usize| match all[*one].fate {
            Fate::Committed => true,
            Fate::Aborted => false,
            Fate::Unknown => uncertain
                .iter()
                .position(|other| other == one)
                .is_some_and(|at| choice >> at & 1 == 1),
        };
        let present: Vec<usize> = (0..all.len()).filter(is_in).collect();
        present.iter().all(|one| all[*one].broken.is_none())
            && orders(&present, &mut Vec::new(), &mut |order| {
                writers(transactions, &present, &mut Vec::new(), &mut |reads| {
                    holds(transactions, isolation, order, reads)
                })
            })
    })
}

fn orders(present: &[usize], order: &mut Vec<usize>, found: &mut impl FnMut(&[usize]) -> bool) -> bool {
    if order.len() == present.len() {
        return found(order);
    }
    present.iter().any(|one| {
        if order.contains(one) {
            return false;
        }
        order.push(*one);
        let is_found = orders(present, order, found);
        order.pop();
        is_found
    })
}

fn writers(
    transactions: &Transactions,
    present: &[usize],
    reads: &mut Vec<Read>,
    found: &mut impl FnMut(&[Read]) -> bool,
) -> bool {
    let all = &transactions.all;
    let mut every = present.iter().flat_map(|reader| {
        all[*reader]
            .reads
            .iter()
            .enumerate()
            .map(move |(position, read)| (*reader, position, *read))
    });
    let Some((reader, position, (key, value))) = every.nth(reads.len()) else {
        return found(reads);
    };
    let wrote = |writer: &&usize| **writer != reader && all[**writer].written(key) == Some(value);
    let mut candidates: Vec<Option<usize>> =
        present.iter().filter(wrote).map(|writer| Some(*writer)).collect();
    candidates.extend((value == 0).then_some(None));
    candidates.into_iter().any(|writer| {
        reads.push(Read {
            reader,
            position,
            key,
            writer,
        });
        let is_found = writers(transactions, present, reads, found);
        reads.pop();
        is_found
    })
}

fn holds(transactions: &Transactions, isolation: Isolation, order: &[usize], reads: &[Read]) -> bool {
    let all = &transactions.all;
    // The initial state comes before everything and wrote every key.
    let place = |one: Option<usize>| {
        one.map_or(0, |one| {
            1 + order.iter().position(|other| *other == one).unwrap_or(0)
        })
    };
    let before = |a: Option<usize>, b: Option<usize>| place(a) < place(b);
    let session =
        |a: usize, b: usize| all[a].session == all[b].session && a < b && all[a].fate == Fate::Committed;
    let real_time = |a: usize, b: usize| match (all[a].timebox, all[b].timebox) {
        (Some(a), Some(b)) => a.precedes(&b),
        _ => false,
    };
    let read_from = |a: usize, b: usize| {
        reads
            .iter()
            .any(|read| read.reader == b && read.writer == Some(a))
    };
    let keeps_order = order.iter().all(|&a| {
        order.iter().all(|&b| {
            let must = session(a, b)
                || read_from(a, b)
                || isolation == Isolation::StrictSerializable && real_time(a, b);
            !must || before(Some(a), Some(b))
        })
    });
    keeps_order
        && reads.iter().all(|read| {
            order.iter().all(|&other| {
                if all[other].written(read.key).is_none()
                    || read.writer == Some(other)
                    || other == read.reader
                {
                    return true;
                }
                let direct = |a: usize| session(a, read.reader) || read_from(a, read.reader);
                let up_to = |a: usize| other == a || before(Some(other), Some(a));
                let should_see = match isolation {
                    Isolation::ReadCommitted => reads.iter().any(|earlier| {
                        earlier.reader == read.reader
                            && earlier.position < read.position
                            && earlier.writer == Some(other)
                    }),
                    Isolation::ReadAtomic => direct(other),
                    Isolation::Snapshot => {
                        let rival = |a: usize| {
                            a != read.reader
                                && before(Some(a), Some(read.reader))
                                && all[a]
                                    .writes
                                    .iter()
                                    .any(|(key, _)| all[read.reader].written(*key).is_some())
                        };
                        order.iter().any(|&a| up_to(a) && (direct(a) || rival(a)))
                    }
                    Isolation::Serializable | Isolation::StrictSerializable => {
                        before(Some(other), Some(read.reader))
                    }
                };
                !should_see || before(Some(other), read.writer)
            })
        })
}
