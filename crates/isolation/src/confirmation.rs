//! A violation of isolation is decided again, on a few transactions, by trying every order.
//!
//! **A part of an isolated history is isolated.** Leave out transactions, and reads of those that stay, such that every read that stays keeps all
//! transactions that may have written what it returned. The commit order of the whole, restricted to the part, satisfies the level's axiom:
//! every read still has its writer, and the axiom demands something of all writers of a key and all transactions that a reader should have
//! seen, of which there are fewer now. So a part without an order proves that the whole has none, whatever led to it. A part that has one
//! proves nothing, unless it is everything.
//!
//! The parts are: what the anomaly names, with the writers of what these transactions read; the same with all that it was read from, in turn;
//! and the whole history. A cycle among more transactions than that is checked edge by edge (`edge_check`).

use std::collections::{BTreeSet, HashSet};

use omnilink_evidence::Confirmation;
use rustc_hash::FxHashMap;

use crate::edge_check::{EdgeCheck, Proof};
use crate::level::{Isolation, IsolationFamily, IsolationScope};
use crate::level_outcome::Blame;
use crate::naive;
use crate::transaction::{Fate, Id, NIL, Transaction, Transactions};
use crate::writers_of::WritersOf;

/// Up to this many transactions, the definition of the level decides.
const NAIVE_MAX: usize = 6;
/// How many transactions a search for a serial order may have.
const TRANSACTIONS_MAX: usize = 300;
/// How often it may ask whether a transaction may come next.
const QUESTIONS_MAX: u64 = 1_000_000;

impl Transactions {
    /// Decides again that there is no order.
    ///
    /// # Errors
    /// If there is one.
    pub(crate) fn confirm(&self, isolation: Isolation, blame: &Blame) -> Result<Confirmation, String> {
        if let Some(readings) = self.readings.as_ref().filter(|_| blame.named.is_empty()) {
            return readings.confirm(isolation);
        }
        let blamed = blame.named.as_slice();
        let writers = WritersOf::new(self);
        let mut parts: Vec<Part> = Vec::new();
        if !blamed.is_empty() {
            parts.push(self.named_part(isolation, blamed, &writers));
            parts.push(self.closed_part(blamed, &writers));
        }
        parts.push((0..self.all.len()).map(|one| (one, true)).collect());
        parts.dedup();
        let mut largest = 0;
        for part in parts {
            let is_whole = part.len() == self.all.len() && part.iter().all(|(_, reads)| *reads);
            let history = self.part(&part);
            let mut configurations = 0;
            match has_order(&history, isolation, &mut configurations) {
                Some(false) => {
                    let search = match part.len() {
                        1 => "1 transaction, in every order".to_owned(),
                        count => format!("{count} transactions, in every order"),
                    };
                    return Ok(Confirmation::Confirmed {
                        search,
                        configurations,
                    });
                }
                // Which versions are adjacent is known from lists, and is not asked here.
                Some(true) if is_whole && self.successions.is_empty() && self.read_anomalies.is_empty() => {
                    return Err(format!(
                        "no order of commits was found, and there is one of all {} transactions; the history itself reproduces it",
                        part.len()
                    ));
                }
                Some(true) => {}
                None => largest = part.len(),
            }
        }
        match EdgeCheck::new(self, &writers, isolation).cycle(&blame.cycle) {
            Proof::Proved => {
                return Ok(Confirmation::Confirmed {
                    search: format!("each of the {} steps of the cycle, by itself", blame.cycle.len()),
                    configurations: blame.cycle.len() as u64,
                });
            }
            Proof::Open => {}
            Proof::Refuted => {
                return Err(
                    "a step of the cycle does not follow from the history; the history itself reproduces it"
                        .to_owned(),
                );
            }
        }
        let reason = match largest {
            0 => "it takes more than the transactions that are named, or what lists show".to_owned(),
            count => format!("there are too many orders of {count} transactions"),
        };
        Ok(Confirmation::NotConfirmed { reason })
    }

    /// These transactions, and the writers of what they read. In real time, also one that overwrote it before they began.
    pub(crate) fn named_part(&self, isolation: Isolation, blamed: &[usize], writers: &WritersOf) -> Part {
        let mut part: Part = Part::new();
        for one in blamed {
            for (key, value) in &self.all[*one].reads {
                let written = writers.of(*key, *value);
                part.extend(written.iter().map(|writer| (*writer, false)));
                if isolation.scope() == IsolationScope::RealTime {
                    let overwrote = writers.of_key(*key).iter().find(|other| {
                        self.precedes(**other, *one)
                            && **other != *one
                            && !written.contains(other)
                            && written.iter().all(|writer| self.precedes(*writer, **other))
                    });
                    part.extend(overwrote.map(|other| (*other, false)));
                }
            }
        }
        part.retain(|(one, _)| !blamed.contains(one));
        part.extend(blamed.iter().map(|one| (*one, true)));
        part
    }

    /// These transactions, the writers of what they read, and so on.
    pub(crate) fn closed_part(&self, blamed: &[usize], writers: &WritersOf) -> Part {
        let mut part = Part::new();
        let mut open: Vec<usize> = blamed.to_vec();
        while let Some(one) = open.pop() {
            if part.insert((one, true)) {
                for (key, value) in &self.all[one].reads {
                    open.extend_from_slice(writers.of(*key, *value));
                }
            }
        }
        part
    }

    pub(crate) fn precedes(&self, first: usize, second: usize) -> bool {
        let timeboxes = self.all[first].timebox.zip(self.all[second].timebox);
        timeboxes.is_some_and(|(first, second)| first.precedes(&second))
    }
}

/// Transactions in their order, each with or without its reads.
pub(crate) type Part = BTreeSet<(usize, bool)>;

/// Whether there is an order; `None` if that takes too long.
fn has_order(transactions: &Transactions, isolation: Isolation, configurations: &mut u64) -> Option<bool> {
    // These try orders within orders.
    let is_nested = matches!(
        isolation.family(),
        IsolationFamily::UpdateSerializable | IsolationFamily::WeakCausal
    );
    if transactions.all.len() <= NAIVE_MAX - usize::from(is_nested) {
        *configurations += (1..=transactions.all.len() as u64).product::<u64>();
        return Some(naive::is_isolated(transactions, isolation));
    }
    match isolation.family() {
        IsolationFamily::Serializable | IsolationFamily::RepeatableRead
            if transactions.all.len() <= TRANSACTIONS_MAX
                && (isolation.family() == IsolationFamily::Serializable || !transactions.has_absences()) =>
        {
            let mut search = SerialSearch {
                transactions,
                scope: isolation.scope(),
                is_placed: vec![false; transactions.all.len()],
                store: FxHashMap::default(),
                failed: HashSet::new(),
                questions: 0,
                configurations,
            };
            search.has_order()
        }
        _ => None,
    }
}

/// What was placed, and what the keys hold.
type Configuration = (Vec<bool>, Vec<(Id, Id)>);

/// A search for a serial order: whatever may come next is tried.
struct SerialSearch<'a> {
    transactions: &'a Transactions,
    scope: IsolationScope,
    is_placed: Vec<bool>,
    store: FxHashMap<Id, Id>,
    /// From where there is no order: a function of what is placed and what the keys hold, which decide what may follow.
    failed: HashSet<Configuration>,
    questions: u64,
    configurations: &'a mut u64,
}

impl SerialSearch<'_> {
    fn has_order(&mut self) -> Option<bool> {
        *self.configurations += 1;
        if self.questions > QUESTIONS_MAX {
            return None;
        }
        let all = &self.transactions.all;
        let is_left = |one: &usize| !self.is_placed[*one] && all[*one].fate == Fate::Committed;
        if !(0..all.len()).any(|one| is_left(&one)) {
            return Some(true);
        }
        let mut held: Vec<(Id, Id)> = self.store.iter().map(|(key, value)| (*key, *value)).collect();
        held.sort_unstable();
        let here = (self.is_placed.clone(), held);
        if self.failed.contains(&here) {
            return Some(false);
        }
        for (one, transaction) in all.iter().enumerate() {
            self.questions += 1;
            if !self.may_come_next(one) {
                continue;
            }
            let before = self.store.clone();
            self.is_placed[one] = true;
            self.store.extend(transaction.writes.iter().copied());
            let found = self.has_order();
            self.is_placed[one] = false;
            self.store = before;
            if found != Some(false) {
                return found;
            }
        }
        self.failed.insert(here);
        Some(false)
    }

    fn may_come_next(&self, one: usize) -> bool {
        let all = &self.transactions.all;
        let transaction: &Transaction = &all[one];
        if self.is_placed[one] || transaction.fate == Fate::Aborted || transaction.broken.is_some() {
            return false;
        }
        // Nothing that is placed may have to come after it.
        let comes_after = |other: usize| {
            let in_session = self.scope >= IsolationScope::Session
                && transaction.session == all[other].session
                && one < other
                && transaction.fate == Fate::Committed;
            in_session || self.scope >= IsolationScope::RealTime && self.transactions.precedes(one, other)
        };
        let held = |key: &Id| self.store.get(key).copied().unwrap_or(NIL);
        transaction.reads.iter().all(|(key, value)| held(key) == *value)
            && (0..all.len()).all(|other| !self.is_placed[other] || !comes_after(other))
    }
}
