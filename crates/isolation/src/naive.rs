//! The definition of the isolation levels as code, without optimisations.
//!
//! Every commit order is tried with every reads-from relation. The checks are tested against this; the axioms are
//! those of Biswas and Enea, and share nothing with the graphs and the search. Where lists show which version follows which,
//! the writers of a key commit in that order.

use crate::level::{Isolation, IsolationFamily, IsolationScope};
use crate::transaction::{Fate, Transactions};

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
    if let Some(readings) = &transactions.readings {
        return readings.all.iter().any(|reading| is_isolated(reading, isolation));
    }
    let all = &transactions.all;
    if { transactions.read_anomalies.iter() }.any(|anomaly| anomaly.breaks(isolation)) {
        return false;
    }
    // What was read does not matter to dirty writes.
    let is_blind = isolation.family() == IsolationFamily::ReadUncommitted;
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
        let is_sane = |one: &usize| is_blind || all[*one].broken.is_none();
        present.iter().all(is_sane)
            && orders(&present, &mut Vec::new(), &mut |order| {
                if is_blind {
                    return holds(transactions, isolation, order, &[]);
                }
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

/// The relations of one choice of an order of commits and of reads-from.
struct Choice<'a> {
    transactions: &'a Transactions,
    isolation: Isolation,
    order: &'a [usize],
    reads: &'a [Read],
}

fn holds(transactions: &Transactions, isolation: Isolation, order: &[usize], reads: &[Read]) -> bool {
    let choice = Choice {
        transactions,
        isolation,
        order,
        reads,
    };
    match isolation.family() {
        IsolationFamily::WeakCausal => {
            choice.keeps_order() && order.iter().all(|one| choice.explains_its_past(*one))
        }
        _ if !choice.keeps_order() || !choice.keeps_versions() => false,
        IsolationFamily::UpdateSerializable => choice.serves_each_reader(),
        _ => choice.reads.iter().all(|read| choice.is_read_right(read)),
    }
}

impl Choice<'_> {
    /// The initial state comes before everything.
    fn before(&self, a: Option<usize>, b: Option<usize>) -> bool {
        let place = |one: Option<usize>| {
            one.map_or(0, |one| {
                1 + self.order.iter().position(|other| *other == one).unwrap_or(0)
            })
        };
        place(a) < place(b)
    }

    fn writes(&self, one: usize, key: u32) -> bool {
        self.transactions.all[one].written(key).is_some()
    }

    fn session(&self, a: usize, b: usize) -> bool {
        let all = &self.transactions.all;
        all[a].session == all[b].session && a < b && all[a].fate == Fate::Committed
    }

    fn scope(&self, a: usize, b: usize) -> bool {
        let real_time = || match (self.transactions.all[a].timebox, self.transactions.all[b].timebox) {
            (Some(a), Some(b)) => a.precedes(&b),
            _ => false,
        };
        match self.isolation.scope() {
            IsolationScope::Plain => false,
            IsolationScope::Session => self.session(a, b),
            IsolationScope::RealTime => self.session(a, b) || real_time(),
        }
    }

    fn read_from(&self, a: usize, b: usize) -> bool {
        self.reads
            .iter()
            .any(|read| read.reader == b && read.writer == Some(a))
    }

    fn direct(&self, a: usize, b: usize) -> bool {
        self.scope(a, b) || self.read_from(a, b)
    }

    fn keeps_order(&self) -> bool {
        self.order.iter().all(|&a| {
            self.order.iter().all(|&b| {
                let must = self.scope(a, b) || self.read_from(a, b);
                !must || self.before(Some(a), Some(b))
            })
        })
    }

    /// Whether versions that lists show side by side are written by writers that commit one after the other.
    fn keeps_versions(&self) -> bool {
        let all = &self.transactions.all;
        self.transactions.successions.iter().all(|shown| {
            let writers: Vec<usize> = { self.order.iter().copied() }
                .filter(|one| self.writes(*one, shown.key))
                .collect();
            let wrote = |value: u32| {
                writers
                    .iter()
                    .position(|one| all[*one].written(shown.key) == Some(value))
            };
            let previous = match shown.previous {
                0 => Some(0),
                value => wrote(value).map(|at| at + 1),
            };
            previous == wrote(shown.value)
        })
    }

    /// Whether `a` leads to `b` by one or more steps.
    fn leads(&self, a: usize, b: usize, step: &dyn Fn(usize, usize) -> bool) -> bool {
        let mut known: Vec<usize> = vec![a];
        let mut at = 0;
        while let Some(&one) = known.get(at) {
            at += 1;
            for &next in self.order {
                if step(one, next) {
                    if next == b {
                        return true;
                    }
                    if !known.contains(&next) {
                        known.push(next);
                    }
                }
            }
        }
        false
    }

    fn is_read_right(&self, read: &Read) -> bool {
        self.order.iter().all(|&other| {
            let is_other = self.writes(other, read.key) && read.writer != Some(other) && other != read.reader;
            !is_other || !self.should_see(other, read) || self.before(Some(other), read.writer)
        })
    }

    fn should_see(&self, other: usize, read: &Read) -> bool {
        let reader = read.reader;
        let any = |holds: &dyn Fn(usize) -> bool| self.order.iter().any(|one| holds(*one));
        let up_to = |a: usize| other == a || self.before(Some(other), Some(a));
        let all = &self.transactions.all;
        let share_a_key = |a: usize, b: usize| all[a].writes.iter().any(|(key, _)| self.writes(b, *key));
        match self.isolation.family() {
            IsolationFamily::ReadUncommitted | IsolationFamily::ReadCommitted => false,
            // What a range did not show is no item.
            IsolationFamily::CursorStability | IsolationFamily::RepeatableRead
                if all[reader].is_absent(read.position) =>
            {
                false
            }
            IsolationFamily::CursorStability => {
                self.writes(reader, read.key)
                    && self.transactions.is_cursor_read(reader, read.key)
                    && self.before(Some(other), Some(reader))
            }
            IsolationFamily::MonotonicAtomicView => self.reads.iter().any(|earlier| {
                earlier.reader == reader
                    && earlier.position <= all[reader].moment(read.position)
                    && earlier.writer == Some(other)
            }),
            IsolationFamily::ReadAtomic => self.direct(other, reader),
            IsolationFamily::ReadYourWrites => self.session(other, reader),
            IsolationFamily::MonotonicReads => any(&|t| self.read_from(other, t) && self.session(t, reader)),
            IsolationFamily::MonotonicWrites => any(&|t| self.session(other, t) && self.read_from(t, reader)),
            IsolationFamily::WritesFollowReads => any(&|t| {
                self.read_from(other, t)
                    && any(&|u| (t == u || self.session(t, u)) && self.read_from(u, reader))
            }),
            IsolationFamily::Pram => {
                let seen = |t: usize, u: usize| {
                    (t == other || self.session(other, t))
                        && self.read_from(t, u)
                        && (u == reader || self.session(u, reader))
                };
                self.session(other, reader) || any(&|t| any(&|u| seen(t, u)))
            }
            IsolationFamily::Causal => self.leads(other, reader, &|a, b| self.direct(a, b)),
            IsolationFamily::ConsistentView => self.leads(other, reader, &|a, b| {
                self.direct(a, b) || a != b && share_a_key(a, b) && self.before(Some(a), Some(b))
            }),
            IsolationFamily::Prefix => any(&|a| up_to(a) && self.direct(a, reader)),
            IsolationFamily::Snapshot => {
                let rival =
                    |a: usize| a != reader && self.before(Some(a), Some(reader)) && share_a_key(a, reader);
                any(&|a| up_to(a) && (self.direct(a, reader) || rival(a)))
            }
            _ => self.before(Some(other), Some(reader)),
        }
    }

    /// Whether some order of the past of a transaction explains what it read.
    fn explains_its_past(&self, one: usize) -> bool {
        let step = |a: usize, b: usize| self.direct(a, b);
        let past: Vec<usize> = self
            .order
            .iter()
            .copied()
            .filter(|other| self.leads(*other, one, &step))
            .collect();
        orders(&past, &mut Vec::new(), &mut |order| {
            let at = |one: usize| order.iter().position(|other| *other == one);
            let keeps = order.iter().all(|a| {
                order
                    .iter()
                    .all(|b| !self.leads(*a, *b, &step) || at(*a) < at(*b))
            });
            let mut own = self.reads.iter().filter(|read| read.reader == one);
            keeps
                && own.all(|read| {
                    let wrote = order.iter().filter(|other| self.writes(**other, read.key));
                    let wrote: Vec<usize> = wrote.copied().collect();
                    // A list shows all of them in their order.
                    let places: Vec<Option<usize>> = { wrote.iter() }
                        .map(|writer| self.place_in_list(*writer, read.key))
                        .collect();
                    let is_list = { self.transactions.successions.iter() }.any(|shown| shown.key == read.key);
                    let is_shown = places.windows(2).all(|pair| pair[0] < pair[1]) && !places.contains(&None);
                    wrote.last().copied() == read.writer && (!is_list || is_shown)
                })
        })
    }

    /// Where the element of a writer stands in the longest list that was read.
    fn place_in_list(&self, writer: usize, key: u32) -> Option<usize> {
        let written = self.transactions.all[writer].written(key);
        let mut of_key = self
            .transactions
            .successions
            .iter()
            .filter(|shown| shown.key == key);
        of_key.position(|shown| Some(shown.value) == written)
    }

    /// Whether there is a serial order, with these versions, of all that write, and of these with each one that does not.
    fn serves_each_reader(&self) -> bool {
        let all = &self.transactions.all;
        let (updates, readers): (Vec<usize>, Vec<usize>) =
            self.order.iter().partition(|one| !all[**one].writes.is_empty());
        let serves = |reader: Option<usize>| {
            let served: Vec<usize> = updates.iter().copied().chain(reader).collect();
            orders(&served, &mut Vec::new(), &mut |order| {
                let at = |one: usize| order.iter().position(|other| *other == one);
                let share = |a: usize, b: usize| all[a].writes.iter().any(|(key, _)| self.writes(b, *key));
                let keeps = order.iter().all(|&a| {
                    order.iter().all(|&b| {
                        let must = self.scope(a, b) || a != b && share(a, b) && self.before(Some(a), Some(b));
                        !must || at(a) < at(b)
                    })
                });
                let is_right = |read: &&Read| {
                    let before = &order[..at(read.reader).unwrap_or(0)];
                    before
                        .iter()
                        .rev()
                        .find(|other| self.writes(**other, read.key))
                        .copied()
                        == read.writer
                };
                keeps
                    && self
                        .reads
                        .iter()
                        .filter(|read| order.contains(&read.reader))
                        .all(|read| is_right(&read))
            })
        };
        serves(None) && readers.iter().all(|reader| serves(Some(*reader)))
    }
}
