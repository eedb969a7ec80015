//! Replays commit orders by the definition of the levels, independently of the search.

use omnilink_trace::Time;
use rustc_hash::FxHashMap;

use super::Isolation;
use super::reads_from::{ReadsFrom, Writer};
use super::transaction::{Fate, Id, NIL, Succession, Transactions};

/// A begin or a commit of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    Begin(usize),
    Commit(usize),
}

type Checked = Result<(), String>;

/// Checks that exactly the committed transactions, and some of unknown outcome, occur.
fn check_members(transactions: &Transactions, order: &[usize]) -> Checked {
    let mut times = vec![0_u8; transactions.all.len()];
    order
        .iter()
        .for_each(|one| times[*one] = times[*one].saturating_add(1));
    for (one, transaction) in transactions.all.iter().enumerate() {
        let is_right = match transaction.fate {
            Fate::Committed => times[one] == 1,
            Fate::Aborted => times[one] == 0,
            Fate::Unknown => times[one] <= 1,
        };
        if !is_right || times[one] == 1 && transaction.broken.is_some() {
            return Err(format!("{} is there {} times", transaction.label, times[one]));
        }
    }
    Ok(())
}

/// Checks session order, and real-time order if `is_strict`.
fn check_order(transactions: &Transactions, order: &[usize], is_strict: bool) -> Checked {
    let all = &transactions.all;
    // The committed transactions of a session are in order, and one of unknown outcome comes after those before it.
    let mut passed: FxHashMap<u32, usize> = FxHashMap::default();
    let mut latest_start = Time::MIN;
    for &one in order {
        let transaction = &all[one];
        let last = passed.entry(transaction.session).or_insert(one);
        if transaction.fate == Fate::Committed && *last > one {
            return Err(format!("{} comes too late in its session", transaction.label));
        }
        *last = (*last).max(one);
        if let Some(timebox) = transaction.timebox.filter(|_| is_strict) {
            if timebox.end.is_some_and(|end| end < latest_start) {
                return Err(format!(
                    "{} was over before one that comes earlier began",
                    transaction.label
                ));
            }
            latest_start = latest_start.max(timebox.start);
        }
    }
    Ok(())
}

/// The value of every key, and the commit that wrote it.
struct Store<'a> {
    transactions: &'a Transactions,
    held: Vec<Id>,
    written_at: Vec<usize>,
    successions: FxHashMap<(Id, Id), Id>,
}

impl<'a> Store<'a> {
    fn new(transactions: &'a Transactions) -> Self {
        let successions = transactions.successions.iter();
        Self {
            transactions,
            held: vec![NIL; transactions.key_count()],
            written_at: vec![0; transactions.key_count()],
            successions: successions
                .map(|Succession { key, previous, value }| ((*key, *value), *previous))
                .collect(),
        }
    }

    fn read(&self, one: usize) -> Checked {
        let transaction = &self.transactions.all[one];
        match transaction
            .reads
            .iter()
            .find(|(key, value)| self.held[*key as usize] != *value)
        {
            None => Ok(()),
            Some((key, _)) => Err(format!(
                "{} reads something else from {}",
                transaction.label,
                self.transactions.key(*key)
            )),
        }
    }

    fn write(&mut self, one: usize, time: usize) -> Checked {
        let transaction = &self.transactions.all[one];
        for (key, value) in &transaction.writes {
            let held = std::mem::replace(&mut self.held[*key as usize], *value);
            let previous = self.successions.get(&(*key, *value));
            if previous.is_some_and(|previous| *previous != held) {
                return Err(format!(
                    "{} does not come after the version before it",
                    transaction.label
                ));
            }
            self.written_at[*key as usize] = time;
        }
        Ok(())
    }
}

/// Replays a serial order: every read returns what the store holds.
pub(super) fn check_serial(transactions: &Transactions, order: &[usize], is_strict: bool) -> Checked {
    check_members(transactions, order)?;
    check_order(transactions, order, is_strict)?;
    let mut store = Store::new(transactions);
    for (time, &one) in order.iter().enumerate() {
        store.read(one)?;
        store.write(one, time + 1)?;
    }
    Ok(())
}

/// Replays snapshots: every read returns what the store held at the begin, and no key that a transaction writes was
/// written since its begin.
pub(super) fn check_snapshots(transactions: &Transactions, endpoints: &[Endpoint]) -> Checked {
    let committed = |endpoint: &Endpoint| match endpoint {
        Endpoint::Commit(one) => Some(*one),
        Endpoint::Begin(_) => None,
    };
    let commits: Vec<usize> = endpoints.iter().filter_map(committed).collect();
    check_members(transactions, &commits)?;
    check_order(transactions, &commits, false)?;
    let mut store = Store::new(transactions);
    let mut begun_at: Vec<Option<usize>> = vec![None; transactions.all.len()];
    let mut last_commit: FxHashMap<u32, usize> = FxHashMap::default();
    for (at, endpoint) in endpoints.iter().enumerate() {
        let time = at + 1;
        match *endpoint {
            Endpoint::Begin(one) => {
                store.read(one)?;
                begun_at[one] = Some(time);
            }
            Endpoint::Commit(one) => {
                let transaction = &transactions.all[one];
                let Some(begun) = begun_at[one] else {
                    return Err(format!("{} commits before it begins", transaction.label));
                };
                let is_taken = |(key, _): &(Id, Id)| store.written_at[*key as usize] > begun;
                if transaction.writes.iter().any(is_taken) {
                    return Err(format!(
                        "{} writes what another wrote since it began",
                        transaction.label
                    ));
                }
                if last_commit
                    .get(&transaction.session)
                    .is_some_and(|last| *last > begun)
                {
                    return Err(format!(
                        "{} begins before its session is so far",
                        transaction.label
                    ));
                }
                if transaction.fate == Fate::Committed {
                    last_commit.insert(transaction.session, time);
                }
                store.write(one, time)?;
            }
        }
    }
    Ok(())
}

/// Checks read committed and read atomic: a writer that a transaction saw comes before the one that it read from.
pub(super) fn check_visible(
    transactions: &Transactions,
    reads: &ReadsFrom,
    writers: &[Writer],
    order: &[usize],
    isolation: Isolation,
) -> Checked {
    check_members(transactions, order)?;
    check_order(transactions, order, false)?;
    let mut place = vec![0; transactions.all.len()];
    for (at, one) in order.iter().enumerate() {
        place[*one] = at + 1;
    }
    let placed = |writer: Writer| writer.map_or(0, |writer| place[writer]);
    // For each session and key, the last two earlier writers.
    let mut pasts: FxHashMap<(u32, Id), [Option<usize>; 2]> = FxHashMap::default();
    let mut by_index = order.to_vec();
    by_index.sort_unstable();
    for one in by_index {
        let transaction = &transactions.all[one];
        let from = reads.reads.partition_point(|read| read.reader < one);
        let own: Vec<(Id, Writer)> = reads
            .of(one)
            .iter()
            .zip(&writers[from..])
            .map(|(read, writer)| (read.key, *writer))
            .collect();
        for (at, (key, writer)) in own.iter().enumerate() {
            let (_, value) = transaction.reads[at];
            let is_right = match writer {
                None => value == NIL,
                Some(writer) => transactions.all[*writer].written(*key) == Some(value) && place[*writer] > 0,
            };
            if !is_right || placed(*writer) >= place[one] {
                return Err(format!(
                    "{} cannot have read {} there",
                    transaction.label,
                    transactions.key(*key)
                ));
            }
            let earlier = if isolation == Isolation::ReadCommitted {
                &own[..at]
            } else {
                &own[..]
            };
            let mut seen: Vec<usize> = earlier.iter().filter_map(|(_, seen)| *seen).collect();
            if isolation == Isolation::ReadAtomic {
                let past = pasts.get(&(transaction.session, *key));
                seen.extend(past.into_iter().flatten().flatten());
            }
            for other in seen {
                let is_other = Some(other) != *writer && transactions.all[other].written(*key).is_some();
                if is_other && place[other] > placed(*writer) {
                    return Err(format!(
                        "{} missed {}",
                        transaction.label, transactions.all[other].label
                    ));
                }
            }
        }
        if transaction.fate == Fate::Committed {
            for (key, _) in &transaction.writes {
                let past = pasts.entry((transaction.session, *key)).or_default();
                *past = [Some(one), past[0]];
            }
        }
    }
    Ok(())
}
