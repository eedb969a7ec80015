//! Counters: which increments a read has seen.
//!
//! An increment is like an element of a set: a key of its own, which holds the amount once it is added. So increments commute, and a read of the counter
//! is a read of all increments, of which those that it has seen add up to what it returned. Which ones these are is known if the amounts
//! tell it (different powers of two, or all of them). Otherwise a history has several *readings*. It is isolated if one of them is, and is not if
//! all are known and none is.
//!
//! Where there are too many readings, one is guessed: that of a serial order which keeps real time, if one is found. It proves
//! that a history is isolated, never that it is not.
//!
//! A transfer is an increment of two accounts. Their balances at first are what was read before the first transfer was called. If nothing was,
//! they follow from a choice of the transfers that the first read has seen.

use std::collections::{BTreeMap, BTreeSet};

use omnilink_sorting::sort_by_key;
use omnilink_trace::Time;
use omnilink_value::Value;

use crate::access::{Access, Accesses, ItemRead};
use crate::counter_search::{SerialGuess, Step, subsets_with_sum};
use crate::grouping::Grouping;
use crate::read_anomaly::{ReadAnomaly, ReadAnomalyKind};
use crate::transaction::Fate;
use crate::transaction_error::TransactionError;

/// The most readings that are tried.
const READINGS_MAX: usize = 256;
/// The most pairs of a read and an increment.
const PAIRS_MAX: usize = 20_000_000;
/// The most transfers of which the first read may have seen any.
const FIRST_MAX: usize = 8;

/// What a history of counters may mean.
pub(crate) struct CounterReadings {
    pub readings: Vec<Accesses>,
    /// Whether these are all.
    pub is_complete: bool,
    /// Whether reads were left out, because nothing was found that explains them: then no reading proves anything.
    pub is_lossy: bool,
    /// Reads that no reading explains.
    pub anomalies: Vec<ReadAnomaly>,
    pub keys: Vec<Value>,
}

/// A read of a counter: the increments of others that it has seen add up to `sum`.
struct SumRead {
    reader: usize,
    key: Value,
    sum: i64,
    /// Its place: which transaction of the list, which access, which of the keys that it shows.
    place: (usize, usize, usize),
}

/// The transactions that a read has seen.
type Seen = BTreeSet<usize>;

/// The increments of the transactions that may have committed, and the reads of those that did.
struct Counters {
    /// For each counter what each transaction added, without those that added nothing.
    increments: BTreeMap<Value, BTreeMap<usize, i64>>,
    reads: Vec<SumRead>,
}

impl Accesses {
    /// The readings of counters; `None` if there are none.
    ///
    /// # Errors
    /// When a counter is also written, or something else than a number was read of it.
    pub(crate) fn counter_readings(
        &mut self,
        grouping: &Grouping,
    ) -> Result<Option<CounterReadings>, TransactionError> {
        let has_counters = self
            .each()
            .any(|access| matches!(access, Access::Increment(..) | Access::Transfer(_)));
        if !has_counters {
            return Ok(None);
        }
        self.refuse_mixed(grouping)?;
        Ok(Some(self.readings_of_counters(grouping)))
    }

    fn readings_of_counters(&self, grouping: &Grouping) -> CounterReadings {
        let anomalies = self.changed_totals(grouping);
        let starts = self.first_balances(grouping);
        let is_start_known = starts.len() == 1;
        let counters: Vec<Counters> = { starts.iter() }
            .map(|start| self.counters(grouping, start))
            .collect();
        let first = &counters[0];
        let widest = first.increments.values().map(BTreeMap::len).max().unwrap_or(0);
        let is_small = widest.saturating_mul(first.reads.len()) <= PAIRS_MAX;
        let found = |readings: Vec<Accesses>, is_complete: bool, is_lossy: bool| CounterReadings {
            readings,
            is_complete,
            is_lossy,
            anomalies: anomalies.clone(),
            keys: first.increments.keys().cloned().collect(),
        };
        let unseen = || self.reading(first, &vec![None; first.reads.len()], &[]);
        if !is_small {
            return found(vec![unseen()], false, true);
        }
        if is_start_known && let Some(all) = first.all_choices() {
            let garbage = first.garbage();
            let readings = all.iter().map(|seen| self.reading(first, seen, &garbage));
            return found(readings.collect(), true, false);
        }
        if !anomalies.is_empty() {
            // There is no serial order, and choices by themselves prove little.
            return found(vec![unseen()], false, true);
        }
        for one in &counters {
            if let Some(seen) = one.serial_guess(grouping) {
                return found(vec![self.reading(one, &seen, &[])], false, false);
            }
        }
        let seen = first.first_choices();
        let is_lossy = seen.iter().any(Option::is_none);
        found(vec![self.reading(first, &seen, &[])], false, is_lossy)
    }

    /// Counters are only added to, and numbers are read of them.
    fn refuse_mixed(&self, grouping: &Grouping) -> Result<(), TransactionError> {
        let changed: BTreeSet<&Value> = { self.each().flat_map(Access::changes) }
            .map(|(key, _)| key)
            .collect();
        for (one, accesses) in &self.0 {
            for access in accesses {
                if let Access::Write(key, _) | Access::Append(key, _) | Access::Add(key, _) = access
                    && changed.contains(key)
                {
                    return Err(grouping.mixed(*one, key, "written as well as added to"));
                }
                let is_no_number = |(key, value): &(&Value, &Value)| {
                    changed.contains(key) && value.as_int().is_none() && !value.is_null()
                };
                if let Some((key, _)) = access.shown().find(is_no_number) {
                    let problem = "added to, but what was read of it is no number";
                    return Err(grouping.mixed(*one, key, problem));
                }
            }
        }
        Ok(())
    }

    /// The keys that are counters: those that something is added to, and, beside them, those of which numbers are read and that nobody writes.
    fn counter_keys(&self) -> BTreeSet<Value> {
        let mut keys: BTreeSet<Value> = BTreeSet::new();
        let mut others: BTreeSet<&Value> = BTreeSet::new();
        for access in self.each() {
            if let Access::Write(key, _) | Access::Append(key, _) | Access::Add(key, _) = access {
                others.insert(key);
            }
            let numbers = access.shown().filter(|(_, value)| value.as_int().is_some());
            keys.extend(
                access
                    .changes()
                    .map(|(key, _)| key)
                    .chain(numbers.map(|(key, _)| key))
                    .cloned(),
            );
        }
        keys.retain(|key| !others.contains(key));
        keys
    }

    /// What counters hold at first: nothing, or what accounts held before the first transfer. Several possibilities, if the first read may
    /// have seen some transfers.
    fn first_balances(&self, grouping: &Grouping) -> Vec<BTreeMap<Value, i64>> {
        let is_transfer = |access: &Access| matches!(access, Access::Transfer(_));
        let mut accounts: BTreeSet<&Value> = { self.each().filter(|access| is_transfer(access)) }
            .flat_map(Access::changes)
            .map(|(key, _)| key)
            .collect();
        // An account that nothing changes holds what is read of it first; what else is added to holds nothing at first.
        let changed: BTreeSet<&Value> = self
            .each()
            .flat_map(Access::changes)
            .map(|(key, _)| key)
            .collect();
        let counters = self.counter_keys();
        let untouched = self.first_read(grouping, &|key| counters.contains(key) && !changed.contains(key));
        accounts.retain(|account| counters.contains(*account));
        let balances = |accesses: &[Access]| -> BTreeMap<Value, i64> {
            let read = accesses
                .iter()
                .flat_map(Access::shown)
                .filter(|(key, _)| accounts.contains(key));
            read.filter_map(|(key, value)| Some((key.clone(), value.as_int()?)))
                .collect()
        };
        let has_read = |(_, accesses): &&(usize, Vec<Access>)| !balances(accesses).is_empty();
        let first = { self.0.iter().filter(has_read) }
            .filter(|(one, _)| grouping.fate(*one) == Fate::Committed)
            .min_by_key(|(one, _)| grouping.span(*one).1);
        let Some((first, accesses)) = first else {
            return vec![untouched];
        };
        let (first, shown) = (*first, balances(accesses));
        let end = grouping.span(first).1;
        let before: Vec<&(usize, Vec<Access>)> = { self.0.iter() }
            .filter(|(one, accesses)| {
                accesses.iter().any(is_transfer)
                    && *one != first
                    && grouping.fate(*one) != Fate::Aborted
                    && grouping.span(*one).0 <= end
            })
            .take(FIRST_MAX)
            .collect();
        let mut masks: Vec<usize> = (0..1 << before.len()).collect();
        sort_by_key(&mut masks, |mask| mask.count_ones());
        let without = |mask: &usize| {
            let mut balances = shown.clone();
            balances.append(&mut untouched.clone());
            let seen = before.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
            for (key, amount) in seen
                .flat_map(|(_, (_, accesses))| accesses)
                .flat_map(Access::changes)
            {
                if let Some(balance) = balances.get_mut(key) {
                    *balance = balance.saturating_sub(amount);
                }
            }
            balances
        };
        masks.iter().map(without).collect()
    }

    /// The number that is first read of each of some keys.
    fn first_read(&self, grouping: &Grouping, is_meant: &dyn Fn(&Value) -> bool) -> BTreeMap<Value, i64> {
        let mut first: BTreeMap<&Value, (Time, i64)> = BTreeMap::new();
        for (one, accesses) in self
            .0
            .iter()
            .filter(|(one, _)| grouping.fate(*one) == Fate::Committed)
        {
            let end = grouping.span(*one).1;
            for (key, value) in accesses.iter().flat_map(Access::shown) {
                if let Some(number) = value.as_int().filter(|_| is_meant(key)) {
                    let known = first.entry(key).or_insert((end, number));
                    if end < known.0 {
                        *known = (end, number);
                    }
                }
            }
        }
        first
            .into_iter()
            .map(|(key, (_, number))| (key.clone(), number))
            .collect()
    }

    fn counters(&self, grouping: &Grouping, start: &BTreeMap<Value, i64>) -> Counters {
        let keys = self.counter_keys();
        let mut increments: BTreeMap<Value, BTreeMap<usize, i64>> = BTreeMap::new();
        let mut reads = Vec::new();
        for (at, (one, accesses)) in self.0.iter().enumerate() {
            let mut own: BTreeMap<&Value, i64> = BTreeMap::new();
            for (position, access) in accesses.iter().enumerate() {
                for (item, (key, value)) in access.shown().enumerate() {
                    if !keys.contains(key) {
                        continue;
                    }
                    // A counter that is not there is 0.
                    let value = value.as_int().unwrap_or(0);
                    let known = own.get(key).copied().unwrap_or(0);
                    let first = start.get(key).copied().unwrap_or(0);
                    reads.push(SumRead {
                        reader: *one,
                        key: key.clone(),
                        sum: value.saturating_sub(known).saturating_sub(first),
                        place: (at, position, item),
                    });
                }
                for (key, amount) in access.changes() {
                    let known = own.entry(key).or_default();
                    *known = known.saturating_add(amount);
                }
            }
            if grouping.fate(*one) == Fate::Aborted {
                continue;
            }
            for (key, amount) in own {
                let known = increments
                    .entry(key.clone())
                    .or_default()
                    .entry(*one)
                    .or_default();
                *known = known.saturating_add(amount);
            }
        }
        for of_key in increments.values_mut() {
            of_key.retain(|_, amount| *amount != 0);
        }
        for key in keys {
            increments.entry(key).or_default();
        }
        reads.retain(|read| grouping.fate(read.reader) == Fate::Committed);
        Counters { increments, reads }
    }

    /// The accesses if these reads have seen these transactions. A read of which that is not known is left out; one that nothing explains stays what it is.
    fn reading(&self, counters: &Counters, seen: &[Option<Seen>], garbage: &[usize]) -> Accesses {
        let by_place: BTreeMap<(usize, usize, usize), usize> = { counters.reads.iter().enumerate() }
            .map(|(number, read)| (read.place, number))
            .collect();
        let item = |key: &Value, one: usize| Value::tuple([key.clone(), Value::int(one as i64)]);
        let mut all = Vec::with_capacity(self.0.len());
        for (at, (one, accesses)) in self.0.iter().enumerate() {
            let mut items = Vec::with_capacity(accesses.len());
            let mut written: BTreeSet<&Value> = BTreeSet::new();
            for (position, access) in accesses.iter().enumerate() {
                for (key, _) in access.changes() {
                    let amount = counters.increments.get(key).and_then(|of_key| of_key.get(one));
                    if let Some(amount) = amount.filter(|_| written.insert(key)) {
                        items.push(Access::Write(item(key, *one), Value::int(*amount)));
                    }
                }
                let is_counter = |(key, _): (&Value, &Value)| counters.increments.contains_key(key);
                if !access.shown().any(is_counter) {
                    let has_other_meaning = matches!(access, Access::Increment(..) | Access::Transfer(_))
                        || matches!(access, Access::Read(key, None) if counters.increments.contains_key(key));
                    items.extend((!has_other_meaning).then(|| access.clone()));
                    continue;
                }
                let mut together = Vec::new();
                for (place, (key, value)) in access.shown().enumerate() {
                    let Some(of_key) = counters.increments.get(key) else {
                        together.push(ItemRead::shown(key.clone(), value.clone()));
                        continue;
                    };
                    let Some(number) = by_place.get(&(at, position, place)) else {
                        continue;
                    };
                    if garbage.contains(number) {
                        together.push(ItemRead::shown(key.clone(), value.clone()));
                    }
                    let Some(seen) = &seen[*number] else { continue };
                    let others = of_key.iter().filter(|(other, _)| *other != one);
                    together.extend(others.map(|(other, amount)| {
                        let held = if seen.contains(other) {
                            Value::int(*amount)
                        } else {
                            Value::null()
                        };
                        ItemRead::shown(item(key, *other), held)
                    }));
                }
                items.push(Access::Together(together));
            }
            all.push((*one, items));
        }
        Accesses(all)
    }

    /// Reads of all accounts that show different totals: transfers keep the total, so one of them has seen a part of a transfer.
    fn changed_totals(&self, grouping: &Grouping) -> Vec<ReadAnomaly> {
        let is_transfer = |access: &&Access| matches!(access, Access::Transfer(_));
        let accounts: BTreeSet<&Value> = { self.each().filter(is_transfer) }
            .flat_map(Access::changes)
            .map(|(key, _)| key)
            .collect();
        let has_others = self
            .each()
            .any(|access| matches!(access, Access::Increment(key, _) if accounts.contains(key)));
        if accounts.is_empty() || has_others {
            return Vec::new();
        }
        let mut first: Option<(usize, i64)> = None;
        for (one, accesses) in &self.0 {
            let mut shown: BTreeMap<&Value, i64> = BTreeMap::new();
            for access in accesses {
                let balances = access.shown().filter(|(key, _)| accounts.contains(key));
                shown.extend(balances.filter_map(|(key, value)| Some((key, value.as_int()?))));
            }
            if shown.len() < accounts.len() || grouping.fate(*one) != Fate::Committed {
                continue;
            }
            let total = shown
                .values()
                .fold(0_i64, |sum, balance| sum.saturating_add(*balance));
            match first {
                None => first = Some((*one, total)),
                Some((_, known)) if known == total => {}
                Some((earlier, known)) => {
                    let text = format!(
                        "{} read a total of {known} and {} one of {total}; transfers keep it, so one of them saw a part of a transfer",
                        grouping.label(earlier),
                        grouping.label(*one),
                    );
                    return vec![ReadAnomaly::new(
                        ReadAnomalyKind::ChangedTotal,
                        vec![*one, earlier],
                        text,
                    )];
                }
            }
        }
        Vec::new()
    }
}

impl Counters {
    /// What others added to the counter of a read.
    fn of_others(&self, read: &SumRead) -> Vec<(usize, i64)> {
        let of_key = self.increments.get(&read.key).into_iter().flatten();
        of_key
            .filter(|(one, _)| **one != read.reader)
            .map(|(one, amount)| (*one, *amount))
            .collect()
    }

    /// Every choice of what each read has seen; `None` if there are too many.
    fn all_choices(&self) -> Option<Vec<Vec<Option<Seen>>>> {
        let mut all: Vec<Vec<Option<Seen>>> = vec![Vec::with_capacity(self.reads.len())];
        for read in &self.reads {
            let (subsets, is_complete) = subsets_with_sum(&self.of_others(read), read.sum, READINGS_MAX);
            if !is_complete || all.len().saturating_mul(subsets.len()) > READINGS_MAX {
                return None;
            }
            all = match subsets.len() {
                0 => {
                    all.iter_mut().for_each(|choice| choice.push(None));
                    all
                }
                _ => { all.iter() }
                    .flat_map(|choice| {
                        subsets.iter().map(|subset| {
                            let mut choice = choice.clone();
                            choice.push(Some(subset.iter().copied().collect()));
                            choice
                        })
                    })
                    .collect(),
            };
        }
        Some(all)
    }

    /// The reads that no increments add up to.
    fn garbage(&self) -> Vec<usize> {
        let is_garbage = |read: &SumRead| subsets_with_sum(&self.of_others(read), read.sum, 1).0.is_empty();
        let numbered = self.reads.iter().enumerate();
        numbered
            .filter(|(_, read)| is_garbage(read))
            .map(|(number, _)| number)
            .collect()
    }

    /// Something that each read may have seen, by itself.
    fn first_choices(&self) -> Vec<Option<Seen>> {
        let first = |read: &SumRead| {
            let (subsets, _) = subsets_with_sum(&self.of_others(read), read.sum, 1);
            subsets
                .into_iter()
                .next()
                .map(|subset| subset.into_iter().collect())
        };
        self.reads.iter().map(first).collect()
    }

    /// What each read has seen in a serial order that keeps real time, if one is found.
    fn serial_guess(&self, grouping: &Grouping) -> Option<Vec<Option<Seen>>> {
        let numbers: BTreeMap<&Value, usize> = self
            .increments
            .keys()
            .enumerate()
            .map(|(at, key)| (key, at))
            .collect();
        let mut steps: BTreeMap<usize, Step> = BTreeMap::new();
        let new = |one: usize| {
            let (start, end) = grouping.span(one);
            let is_certain = grouping.fate(one) == Fate::Committed;
            Step::new(one, (start, if is_certain { end } else { Time::MAX }))
        };
        for (key, of_key) in &self.increments {
            for (one, amount) in of_key {
                let step = steps.entry(*one).or_insert_with(|| new(*one));
                step.changes.push((numbers[key], *amount));
            }
        }
        for read in &self.reads {
            let step = steps.entry(read.reader).or_insert_with(|| new(read.reader));
            step.reads.push((numbers[&read.key], read.sum));
        }
        let seen = SerialGuess::new(steps.into_values().collect(), numbers.len()).find()?;
        Some(
            self.reads
                .iter()
                .map(|read| seen.get(&read.reader).cloned())
                .collect(),
        )
    }
}
