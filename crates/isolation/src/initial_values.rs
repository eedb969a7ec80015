//! What keys hold before the first transaction.
//!
//! A key that nobody writes holds what is read of it first: accounts that no transfer touches, stores that were filled before the history begins. A
//! key that is written holds nothing at first, unless it is said what it holds.
//!
//! In [`Transactions`](crate::transaction::Transactions) the initial version of every key is [`NIL`]. So where a key holds something at first, that value and
//! nothing change places: a read of the value is one of the initial version, and who reads nothing read what somebody deleted.

use omnilink_engine::Limits;
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::grouping::Grouping;
use crate::transaction::{Fate, Id, NIL};

/// What keys hold before the first transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum InitialValues {
    /// Keys that nobody writes hold what is read of them first; the others hold nothing.
    #[default]
    Unwritten,
    /// All keys hold what is read of them first that nobody writes.
    FirstRead,
    /// All keys hold this.
    All(Value),
    /// These keys hold something.
    Each(Vec<(Value, Value)>),
}

impl InitialValues {
    /// Whether they are known whatever the history shows.
    pub(crate) fn is_given(&self) -> bool {
        matches!(self, Self::All(_) | Self::Each(_))
    }
}

/// How transactions are checked.
#[derive(Clone, Debug, Default)]
pub struct TransactionOptions {
    /// When to give up.
    pub limits: Limits,
    /// What keys hold before the first transaction.
    pub initial: InitialValues,
}

impl From<Limits> for TransactionOptions {
    fn from(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }
}

/// The initial values of a history, and what was assumed.
#[derive(Debug, Default)]
pub(crate) struct FirstValues {
    pub initial: FxHashMap<Id, Id>,
    pub notes: Vec<String>,
}

/// Finds what keys hold at first and makes it their initial version. Keys that are `listed` hold lists.
pub(crate) fn find(grouping: &mut Grouping, listed: &FxHashSet<Id>) -> FirstValues {
    let (initial, notes) = match std::mem::take(&mut grouping.initial) {
        InitialValues::Unwritten => {
            let found = first_reads(grouping, true);
            let notes = note(grouping, &found, "nobody writes");
            (found, notes)
        }
        InitialValues::FirstRead => {
            let found = first_reads(grouping, false);
            let notes = note(grouping, &found, "are there at first:");
            (found, notes)
        }
        InitialValues::All(value) => {
            let value = grouping.values.id(&value);
            let keys = 0..grouping.keys.values.len() as Id;
            (keys.map(|key| (key, value)).collect(), Vec::new())
        }
        InitialValues::Each(held) => {
            let numbered =
                { held.iter() }.map(|(key, value)| (grouping.keys.id(key), grouping.values.id(value)));
            (numbered.collect(), Vec::new())
        }
    };
    let is_open = |(key, value): &(Id, Id)| {
        *value != NIL && !listed.contains(key) && !grouping.starts_empty.contains(key)
    };
    let initial: FxHashMap<Id, Id> = initial.into_iter().filter(is_open).collect();
    if initial.is_empty() {
        return FirstValues::default();
    }
    for transaction in &mut grouping.all {
        let reads = transaction.reads.iter_mut().chain(&mut transaction.writes);
        for (key, value) in reads.chain(&mut transaction.overwritten) {
            *value = exchanged(&initial, *key, *value);
        }
        if let Some((key, read, written)) = &mut transaction.broken {
            *read = exchanged(&initial, *key, *read);
            *written = exchanged(&initial, *key, *written);
        }
    }
    FirstValues { initial, notes }
}

/// The number of a value of a key: the initial value is [`NIL`], and nothing has the number of that value.
fn exchanged(initial: &FxHashMap<Id, Id>, key: Id, value: Id) -> Id {
    match initial.get(&key) {
        Some(held) if *held == value => NIL,
        Some(held) if value == NIL => *held,
        _ => value,
    }
}

/// For each key what is read of it first: of those that nobody writes, or of all, what nobody writes.
fn first_reads(grouping: &Grouping, only_unwritten: bool) -> Vec<(Id, Id)> {
    let mut is_written = vec![false; grouping.keys.values.len()];
    let mut written: FxHashSet<(Id, Id)> = FxHashSet::default();
    for transaction in &grouping.all {
        for write in transaction.writes.iter().chain(&transaction.overwritten) {
            is_written[write.0 as usize] = true;
            if !only_unwritten {
                written.insert(*write);
            }
        }
    }
    let mut first: FxHashMap<Id, (omnilink_trace::Time, Id)> = FxHashMap::default();
    for (one, transaction) in grouping.all.iter().enumerate() {
        if transaction.fate != Fate::Committed {
            continue;
        }
        let is_asked = |read: &&(Id, Id)| match only_unwritten {
            true => !is_written[read.0 as usize],
            false => read.1 != NIL && !written.contains(read),
        };
        for (key, value) in transaction.reads.iter().filter(is_asked) {
            let end = grouping.span(one).1;
            let known = first.entry(*key).or_insert((end, *value));
            if end < known.0 {
                *known = (end, *value);
            }
        }
    }
    let mut found: Vec<(Id, Id)> = { first.into_iter() }
        .map(|(key, (_, value))| (key, value))
        .filter(|(key, value)| *value != NIL && !grouping.starts_empty.contains(key))
        .collect();
    found.sort_unstable();
    found
}

/// What is assumed of these keys, in words.
fn note(grouping: &Grouping, found: &[(Id, Id)], which: &str) -> Vec<String> {
    const SHOWN_MAX: usize = 3;
    let shown = { found.iter().take(SHOWN_MAX) }.map(|(key, value)| {
        let of = |all: &[Value], one: Id| all.get(one as usize).map(Value::to_string).unwrap_or_default();
        let (key, value) = (
            of(&grouping.keys.values, *key),
            of(&grouping.values.values, *value),
        );
        format!("{key} = {value}")
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    match found.len() {
        0 => Vec::new(),
        count => vec![format!(
            "{count} key{} {which} ({shown}{}): taken to hold at first what was read first (--initial says otherwise)",
            if count == 1 { "" } else { "s" },
            if count > SHOWN_MAX { ", …" } else { "" },
        )],
    }
}
