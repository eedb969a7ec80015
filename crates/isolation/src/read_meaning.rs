//! What a recorded value means, workload by workload. Nothing else decides this.
//!
//! | what is read | nothing is | is an error by its name |
//! |---|---|---|
//! | a register | nil: at first, and once it is deleted | |
//! | a list | nil and `[]` | an element twice; a list that is no prefix of another one |
//! | a set: an array, a set | nil, `[]`, `{}` and `#{}` | an element twice in an array |
//! | a counter: a number | nil and 0 | |
//! | a range: pairs of keys and values | a key that is not shown, or with nil | a key twice, or outside of the bounds |
//! | a bank: a map of accounts, whatever these are called | | an account without a balance that the first read shows |
//! | a key that nobody writes | nil and every empty collection | |
//!
//! *Sets and ranges.* An element of a set is a key of its own, which holds the element once it is added. So a read of a set is a read of all elements that anybody ever
//! adds: of those that it shows, and of those that it does not, which it read before they were added. In the same way a read of a range reads
//! all keys in it that anybody writes; those that it does not show held nothing. So a phantom is an anti-dependency like any other.
//!
//! *One read is one moment.* What it shows of many items is not read one after the other, so that nothing depends on their order.

use std::collections::{BTreeMap, BTreeSet};

use omnilink_sorting::sort_by_key;
use omnilink_value::{Value, ValueKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::access::{Access, Accesses, ItemRead, RangeRead};
use crate::grouping::Grouping;
use crate::read_anomaly::{ReadAnomaly, ReadAnomalyKind};
use crate::transaction::Fate;
use crate::workload::{account, store};

/// What sets, ranges and cursors say about the transactions beyond their accesses.
#[derive(Default)]
pub(crate) struct MarkedReads {
    pub cursors: BTreeSet<(usize, Value)>,
    pub anomalies: Vec<ReadAnomaly>,
    /// Elements that were read and that nobody adds.
    pub unknown_elements: BTreeSet<Value>,
}

impl Accesses {
    pub(crate) fn each(&self) -> impl Iterator<Item = &Access> {
        self.0.iter().flat_map(|(_, accesses)| accesses)
    }

    /// Makes reads of everything that a workload without keys holds reads of its accounts, or of its one set or counter.
    ///
    /// It is a bank if there are transfers, or maps are read. TLA+ has one kind of function, so a map of the accounts 1 to n is an array; so is a
    /// JSON array of the balances of the accounts from 0 on, if there is an account 0 and maps are never read.
    pub(crate) fn name_whole_reads(&mut self, grouping: &Grouping) -> Vec<ReadAnomaly> {
        let is_map = |value: &Value| {
            let size = value.as_record().map(|record| record.len());
            size.or(value.as_entries().map(<[_]>::len))
                .is_some_and(|size| size > 0)
        };
        let mut transferred: BTreeSet<Value> = BTreeSet::new();
        let (mut has_maps, mut has_store) = (false, false);
        for access in self.each() {
            match access {
                Access::Transfer(moved) => transferred.extend([moved.from.clone(), moved.to.clone()]),
                Access::Whole(Some(value)) => has_maps |= is_map(value),
                Access::Add(key, _) | Access::Increment(key, _) => has_store |= *key == store(),
                _ => {}
            }
        }
        let is_bank = (has_maps || !transferred.is_empty()) && !has_store;
        let first = i64::from(has_maps || !transferred.contains(&Value::int(0)));
        let balances = |found: &Value| -> Option<Vec<(Value, Value)>> {
            if let Some(elements) = found.as_tuple() {
                let accounts = (first..).map(Value::int);
                return Some(accounts.zip(elements.iter().cloned()).collect());
            }
            let record = found.as_record().map(|record| record.iter().collect::<Vec<_>>());
            let named = record.map(|fields| {
                let fields = fields.into_iter();
                fields
                    .map(|(name, held)| (account(&Value::from(name)), held.clone()))
                    .collect()
            });
            let entries = || {
                found.as_entries().map(|entries| {
                    { entries.iter() }
                        .map(|(name, held)| (account(name), held.clone()))
                        .collect()
                })
            };
            named.or_else(entries).or(found.is_null().then(Vec::new))
        };
        let mut reads: Vec<(usize, Vec<(Value, Value)>)> = Vec::new();
        for (one, accesses) in &mut self.0 {
            for access in accesses {
                let Access::Whole(found) = access else { continue };
                let found = found.take();
                let shown = found
                    .as_ref()
                    .filter(|found| is_bank || is_map(found))
                    .and_then(&balances);
                *access = match shown {
                    Some(balances) => {
                        if grouping.fate(*one) == Fate::Committed {
                            reads.push((*one, balances.clone()));
                        }
                        let known = balances.into_iter().filter(|(_, held)| !held.is_null());
                        Access::Together(known.map(|(key, held)| ItemRead::shown(key, held)).collect())
                    }
                    None => Access::Read(store(), found),
                };
            }
        }
        missing_balances(grouping, &reads, &transferred)
    }

    /// What is added to a key of which numbers are read is an increment, not an element of a set.
    pub(crate) fn name_counters(&mut self) {
        if !self.each().any(|access| matches!(access, Access::Add(..))) {
            return;
        }
        let mut numbers: BTreeSet<Value> = BTreeSet::new();
        let mut others: BTreeSet<Value> = BTreeSet::new();
        for access in self.each() {
            if let Access::Add(key, element) = access
                && element.as_int().is_none()
            {
                others.insert(key.clone());
            }
            for (key, value) in access.shown().filter(|(_, value)| !value.is_null()) {
                let keys = if value.as_int().is_some() {
                    &mut numbers
                } else {
                    &mut others
                };
                keys.insert(key.clone());
            }
        }
        for access in self.0.iter_mut().flat_map(|(_, accesses)| accesses) {
            if let Access::Add(key, element) = access
                && numbers.contains(key)
                && !others.contains(key)
                && let Some(amount) = element.as_int()
            {
                *access = Access::Increment(key.clone(), amount);
            }
        }
    }

    /// Which keys hold lists: those that are appended to.
    pub(crate) fn list_keys(&self) -> FxHashSet<Value> {
        let appended = self.each().filter(|access| matches!(access, Access::Append(..)));
        appended.filter_map(Access::key).cloned().collect()
    }

    /// Replaces sets and ranges by their elements and keys, and reads through cursors by reads.
    pub(crate) fn by_item(&mut self, grouping: &Grouping) -> MarkedReads {
        let mut marked = MarkedReads::default();
        for (one, accesses) in &mut self.0 {
            for access in accesses {
                if let Access::CursorRead(key, value) = access {
                    marked.cursors.insert((*one, key.clone()));
                    *access = Access::Read(key.clone(), value.take());
                }
            }
        }
        self.empty_unwritten();
        let mut elements: FxHashMap<Value, BTreeSet<Value>> = FxHashMap::default();
        let mut has_ranges = false;
        for access in self.each() {
            match access {
                Access::Add(key, element) => {
                    elements.entry(key.clone()).or_default().insert(element.clone());
                }
                Access::Range(..) => has_ranges = true,
                _ => {}
            }
        }
        if elements.is_empty() && !has_ranges {
            return marked;
        }
        let keys = if has_ranges {
            self.keys_of_ranges()
        } else {
            BTreeSet::new()
        };
        for (one, accesses) in &mut self.0 {
            let mut items = Vec::with_capacity(accesses.len());
            for access in std::mem::take(accesses) {
                let mut wrong = |kind, text: String| {
                    if grouping.fate(*one) == Fate::Committed {
                        let text = format!("{} {text}", grouping.label(*one));
                        marked.anomalies.push(ReadAnomaly::new(kind, vec![*one], text));
                    }
                };
                match access {
                    Access::Add(key, element) => items.push(Access::Write(item(&key, &element), element)),
                    Access::Read(key, Some(shown)) if elements.contains_key(&key) => {
                        let known = &elements[&key];
                        if let Some(twice) = shown.as_tuple().and_then(repeated) {
                            let text = format!("read {twice} twice from the set {key}");
                            wrong(ReadAnomalyKind::DuplicateElements, text);
                        }
                        let shown = shown_elements(&shown);
                        let unknown = shown.difference(known).map(|element| item(&key, element));
                        marked.unknown_elements.extend(unknown);
                        items.push(Access::Together(element_reads(&key, &shown, known)));
                    }
                    Access::Read(key, _) if elements.contains_key(&key) => {}
                    Access::Range(range) => {
                        let Some(found) = &range.found else { continue };
                        let shown: Vec<Value> = found.iter().map(|(key, _)| key.clone()).collect();
                        if let Some(twice) = repeated(&shown) {
                            let text = format!("read the key {twice} twice from one range");
                            wrong(ReadAnomalyKind::DuplicateElements, text);
                        }
                        if let Some(outside) = shown.iter().find(|key| !range.contains(key)) {
                            let text = format!("read the key {outside} from {range}, which it is outside of");
                            wrong(ReadAnomalyKind::OutsideRange, text);
                        }
                        items.push(Access::Together(range_reads(*range, &keys)));
                    }
                    access => items.push(access),
                }
            }
            *accesses = items;
        }
        marked
    }

    /// Of a key that nobody writes, every empty collection is nothing, and an array is a set if sets are read of the key as well.
    fn empty_unwritten(&mut self) {
        let is_collection = |value: &Value| value.as_tuple().is_some() || value.as_set().is_some();
        if !self
            .each()
            .flat_map(Access::shown)
            .any(|(_, value)| is_collection(value))
        {
            return;
        }
        let mut written: FxHashSet<Value> = FxHashSet::default();
        let mut sets: FxHashSet<Value> = FxHashSet::default();
        for access in self.each() {
            match access {
                Access::Write(key, _) | Access::Append(key, _) | Access::Add(key, _) => {
                    written.insert(key.clone());
                }
                _ => written.extend(access.changes().map(|(key, _)| key.clone())),
            }
            let shown = access.shown().filter(|(_, value)| value.as_set().is_some());
            sets.extend(shown.map(|(key, _)| key.clone()));
        }
        for access in self.0.iter_mut().flat_map(|(_, accesses)| accesses) {
            if let Access::Read(key, Some(value)) = access
                && !written.contains(key)
                && is_collection(value)
            {
                *value = match shown_elements(value) {
                    elements if elements.is_empty() => Value::null(),
                    elements if sets.contains(key) => Value::set(elements),
                    _ => continue,
                };
            }
        }
    }

    /// The keys that ranges are about: those that anybody writes, and those that were there at first.
    fn keys_of_ranges(&self) -> BTreeSet<Value> {
        let mut keys = BTreeSet::new();
        for access in self.each() {
            match access {
                Access::Write(key, _) | Access::Append(key, _) => {
                    keys.insert(key.clone());
                }
                Access::Range(range) => {
                    let found = range.found.iter().flatten();
                    keys.extend(
                        found
                            .filter(|(_, held)| !held.is_null())
                            .map(|(key, _)| key.clone()),
                    );
                }
                _ => {}
            }
        }
        keys
    }
}

/// Reads of a bank in which an account has no balance, although the first one shows it: reads show all accounts.
fn missing_balances(
    grouping: &Grouping,
    reads: &[(usize, Vec<(Value, Value)>)],
    transferred: &BTreeSet<Value>,
) -> Vec<ReadAnomaly> {
    let is_shown = |(_, held): &&(Value, Value)| !held.is_null();
    let mut in_order: Vec<&(usize, Vec<(Value, Value)>)> = reads.iter().collect();
    sort_by_key(&mut in_order, |(one, _)| grouping.span(*one).1);
    let mut known: BTreeSet<Value> = { in_order.first() }
        .map(|(_, balances)| {
            balances
                .iter()
                .filter(is_shown)
                .map(|(key, _)| key.clone())
                .collect()
        })
        .unwrap_or_default();
    if known.is_empty() {
        known.clone_from(transferred);
    }
    let mut found = Vec::new();
    for (one, balances) in reads {
        let balances: BTreeMap<&Value, &Value> = balances.iter().map(|(key, held)| (key, held)).collect();
        let without = { balances.iter() }
            .find(|(_, held)| held.is_null())
            .map(|(key, _)| *key);
        let without = without.or_else(|| known.iter().find(|key| !balances.contains_key(key)));
        if let Some(key) = without {
            let text = format!("{} read no balance of account {key}", grouping.label(*one));
            found.push(ReadAnomaly::new(ReadAnomalyKind::NilBalance, vec![*one], text));
        }
    }
    found
}

/// A value that stands twice among some.
fn repeated(values: &[Value]) -> Option<&Value> {
    let mut met: FxHashSet<&Value> = FxHashSet::default();
    values.iter().find(|value| !met.insert(value))
}

/// The key of an element of a set.
fn item(key: &Value, element: &Value) -> Value {
    Value::tuple([key.clone(), element.clone()])
}

/// What a set holds: an array, or what JSON and EDN make of a set.
fn shown_elements(shown: &Value) -> BTreeSet<Value> {
    match (shown.as_tuple(), shown.as_set()) {
        (Some(elements), _) => elements.iter().cloned().collect(),
        (None, Some(elements)) => elements.iter().cloned().collect(),
        (None, None) if shown.is_null() => BTreeSet::new(),
        // Something that is no set: the value that nobody wrote is what is wrong.
        (None, None) => BTreeSet::from([shown.clone()]),
    }
}

fn element_reads(key: &Value, shown: &BTreeSet<Value>, known: &BTreeSet<Value>) -> Vec<ItemRead> {
    let read = |element: &Value| {
        let held = if shown.contains(element) {
            element.clone()
        } else {
            Value::null()
        };
        ItemRead::shown(item(key, element), held)
    };
    known.union(shown).map(read).collect()
}

/// A read of a range: of the keys that it shows, and of the others in it.
fn range_reads(range: RangeRead, keys: &BTreeSet<Value>) -> Vec<ItemRead> {
    let found: BTreeMap<Value, Value> = range.found.iter().flatten().cloned().collect();
    let is_missed = |key: &&Value| range.contains(key) && !found.contains_key(*key);
    let missed = keys
        .iter()
        .filter(is_missed)
        .map(|key| (key.clone(), Value::null()));
    let missed: Vec<(Value, Value)> = missed.collect();
    let items = found.into_iter().chain(missed).map(|(key, held)| ItemRead {
        is_absent: held.is_null(),
        ..ItemRead::shown(key, held)
    });
    items.collect()
}

impl RangeRead {
    /// Whether a key is between the bounds. They are of the kind of the keys that they are about; null is no bound.
    fn contains(&self, key: &Value) -> bool {
        let mut bounds = [&self.from, &self.to].into_iter();
        let kind: Option<ValueKind> = bounds.find(|bound| !bound.is_null()).map(Value::kind);
        kind.is_none_or(|kind| key.kind() == kind)
            && (self.from.is_null() || self.from <= *key)
            && (self.to.is_null() || *key <= self.to)
    }
}

impl std::fmt::Display for RangeRead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "range({}, {})", self.from, self.to)
    }
}
