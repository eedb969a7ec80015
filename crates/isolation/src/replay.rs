//! Replays commit orders by the definition of the levels, independently of the search.

use omnilink_engine::Limits;
use omnilink_history::Budget;
use omnilink_history::order_graph::{EdgeReason, GraphNode};
use omnilink_trace::Time;
use rustc_hash::FxHashMap;

use crate::level::{Isolation, IsolationFamily, IsolationScope};
use crate::reads_from::{ExternalRead, ReadsFrom};
use crate::transaction::{Fate, Id, NIL, Succession, Transactions};
use crate::{base_order, reachability, visibility};

/// A begin or a commit of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Begin(usize),
    Commit(usize),
}

type Checked = Result<(), String>;

/// Checks that exactly the committed transactions, and some of unknown outcome, occur.
fn check_members(transactions: &Transactions, order: &[usize], isolation: Isolation) -> Checked {
    let reads_matter = isolation.family() > IsolationFamily::ReadUncommitted;
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
        if !is_right || reads_matter && times[one] == 1 && transaction.broken.is_some() {
            return Err(format!("{} is there {} times", transaction.label, times[one]));
        }
    }
    Ok(())
}

/// Checks the order of a scope.
fn check_order(transactions: &Transactions, order: &[usize], scope: IsolationScope) -> Checked {
    let all = &transactions.all;
    // The committed transactions of a session are in order, and one of unknown outcome comes after those before it.
    let mut passed: FxHashMap<u32, usize> = FxHashMap::default();
    let mut latest_start = Time::MIN;
    for &one in order {
        let transaction = &all[one];
        let last = passed.entry(transaction.session).or_insert(one);
        if scope >= IsolationScope::Session && transaction.fate == Fate::Committed && *last > one {
            return Err(format!("{} comes too late in its session", transaction.label));
        }
        *last = (*last).max(one);
        if let Some(timebox) = transaction.timebox.filter(|_| scope >= IsolationScope::RealTime) {
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
    /// Whether what a range did not show may be there.
    allows_phantoms: bool,
    successions: FxHashMap<(Id, Id), Id>,
}

impl<'a> Store<'a> {
    fn new(transactions: &'a Transactions) -> Self {
        let successions = transactions.successions.iter();
        Self {
            transactions,
            held: vec![NIL; transactions.key_count()],
            written_at: vec![0; transactions.key_count()],
            allows_phantoms: false,
            successions: successions
                .map(|Succession { key, previous, value }| ((*key, *value), *previous))
                .collect(),
        }
    }

    fn read(&self, one: usize) -> Checked {
        let transaction = &self.transactions.all[one];
        let is_checked = |at: usize| !(self.allows_phantoms && transaction.is_absent(at));
        let mut reads = transaction.reads.iter().enumerate();
        match reads.find(|(at, (key, value))| self.held[*key as usize] != *value && is_checked(*at)) {
            None => Ok(()),
            Some((_, (key, _))) => Err(format!(
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

/// Checks an order of commits by the definition of a level.
pub(crate) fn check(
    transactions: &Transactions,
    reads: &ReadsFrom,
    endpoints: &[Endpoint],
    order: &[usize],
    isolation: Isolation,
) -> Checked {
    check_members(transactions, order, isolation)?;
    check_order(transactions, order, isolation.scope())?;
    match isolation.family() {
        IsolationFamily::Serializable => check_serial(Store::new(transactions), order),
        IsolationFamily::RepeatableRead => {
            check_sources(transactions, reads, &places(transactions, order))?;
            let store = Store::new(transactions);
            check_serial(
                Store {
                    allows_phantoms: true,
                    ..store
                },
                order,
            )
        }
        IsolationFamily::Snapshot => check_snapshots(transactions, endpoints, isolation),
        IsolationFamily::Prefix => check_snapshots(transactions, endpoints, isolation),
        IsolationFamily::ConsistentView | IsolationFamily::UpdateSerializable => {
            check_walks(transactions, reads, order, isolation)
        }
        IsolationFamily::CursorStability => {
            check_visible(transactions, reads, order, isolation)?;
            check_cursors(transactions, reads, order)
        }
        _ => check_visible(transactions, reads, order, isolation),
    }
}

/// Replays updates through cursors: each is of the version that the key holds.
fn check_cursors(transactions: &Transactions, reads: &ReadsFrom, order: &[usize]) -> Checked {
    let mut last: Vec<Option<usize>> = vec![None; transactions.key_count()];
    for &one in order {
        let transaction = &transactions.all[one];
        let is_lost = |read: &&ExternalRead| {
            transaction.written(read.key).is_some()
                && transactions.is_cursor_read(one, read.key)
                && !transaction.is_absent(read.position)
                && last[read.key as usize] != read.writers[0]
        };
        if let Some(read) = reads.of(one).iter().find(is_lost) {
            return Err(format!(
                "{} loses an update of {}",
                transaction.label,
                transactions.key(read.key)
            ));
        }
        for (key, _) in &transaction.writes {
            last[*key as usize] = Some(one);
        }
    }
    Ok(())
}

/// Replays a serial order: every read returns what the store holds.
fn check_serial(mut store: Store<'_>, order: &[usize]) -> Checked {
    for (time, &one) in order.iter().enumerate() {
        store.read(one)?;
        store.write(one, time + 1)?;
    }
    Ok(())
}

/// Replays snapshots: every read returns what the store held at the begin, a session's earlier commits and what ended before are
/// in it, and, for snapshot isolation, no key that a transaction writes was written since its begin.
fn check_snapshots(transactions: &Transactions, endpoints: &[Endpoint], isolation: Isolation) -> Checked {
    let mut store = Store::new(transactions);
    let mut begun_at: Vec<Option<usize>> = vec![None; transactions.all.len()];
    // The commits of each session: transactions and times, both in order.
    let mut session_commits: FxHashMap<u32, Vec<(usize, usize)>> = FxHashMap::default();
    let mut latest_start = Time::MIN;
    for (at, endpoint) in endpoints.iter().enumerate() {
        let time = at + 1;
        match *endpoint {
            Endpoint::Begin(one) => {
                store.read(one)?;
                begun_at[one] = Some(time);
                let start = transactions.all[one].timebox.map(|timebox| timebox.start);
                latest_start = latest_start.max(start.unwrap_or(Time::MIN));
            }
            Endpoint::Commit(one) => {
                let transaction = &transactions.all[one];
                let Some(begun) = begun_at[one] else {
                    return Err(format!("{} commits before it begins", transaction.label));
                };
                let is_taken = |(key, _): &(Id, Id)| store.written_at[*key as usize] > begun;
                if isolation.family() == IsolationFamily::Snapshot && transaction.writes.iter().any(is_taken)
                {
                    return Err(format!(
                        "{} writes what another wrote since it began",
                        transaction.label
                    ));
                }
                let commits = session_commits.entry(transaction.session).or_default();
                // The session did not wait for a transaction of unknown outcome, so later ones may have committed.
                let earlier = commits.partition_point(|(other, _)| *other < one);
                let last = earlier.checked_sub(1).map(|at| commits[at].1);
                if isolation.scope() >= IsolationScope::Session && last.is_some_and(|last| last > begun) {
                    return Err(format!(
                        "{} begins before its session is so far",
                        transaction.label
                    ));
                }
                let end = transaction.timebox.and_then(|timebox| timebox.end);
                if isolation.scope() >= IsolationScope::RealTime && end.is_some_and(|end| end < latest_start)
                {
                    return Err(format!(
                        "{} commits after one that it preceded began",
                        transaction.label
                    ));
                }
                if transaction.fate == Fate::Committed {
                    commits.push((one, time));
                }
                store.write(one, time)?;
            }
        }
    }
    Ok(())
}

/// Checks that every read has its writer, which comes before the reader. `place` is 0 for the initial state.
fn check_sources(transactions: &Transactions, reads: &ReadsFrom, place: &[usize]) -> Checked {
    for read in &reads.reads {
        let reader = &transactions.all[read.reader];
        let (key, value) = reader.reads[read.position];
        let is_right = match read.writers[0] {
            None => value == NIL,
            Some(writer) => {
                let is_earlier = place[writer] > 0 && place[writer] < place[read.reader];
                transactions.all[writer].written(key) == Some(value) && is_earlier
            }
        };
        if !is_right || read.key != key {
            return Err(format!(
                "{} cannot have read {} there",
                reader.label,
                transactions.key(key)
            ));
        }
    }
    Ok(())
}

fn places(transactions: &Transactions, order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; transactions.all.len()];
    for (at, one) in order.iter().enumerate() {
        place[*one] = at + 1;
    }
    place
}

/// Checks levels of visibility: a writer that a transaction must have seen comes before the one that it read from.
fn check_visible(
    transactions: &Transactions,
    reads: &ReadsFrom,
    order: &[usize],
    isolation: Isolation,
) -> Checked {
    let place = places(transactions, order);
    check_sources(transactions, reads, &place)?;
    if isolation.family() == IsolationFamily::WeakCausal {
        // Each transaction has an order of its own past; there is no common one to replay.
        return Ok(());
    }
    let mut versions: FxHashMap<(Id, Id), usize> = FxHashMap::default();
    for &one in order {
        versions.extend(
            transactions.all[one]
                .writes
                .iter()
                .map(|write| (*write, place[one])),
        );
    }
    for Succession { key, previous, value } in &transactions.successions {
        let known = versions
            .get(&(*key, *previous))
            .zip(versions.get(&(*key, *value)));
        if known.is_some_and(|(first, second)| first >= second) {
            return Err(format!(
                "the versions of {} are not in their order",
                transactions.key(*key)
            ));
        }
    }
    let mut missed = None;
    let mut budget = Budget::new(Limits::default());
    let checked =
        visibility::for_each_demand(transactions, reads, isolation, &mut budget, &mut |seen, read| {
            if place[seen] > read.writers[0].map_or(0, |writer| place[writer]) {
                missed = Some((read.reader, seen));
                return Err(Vec::new());
            }
            Ok(())
        });
    let label = |one: usize| &transactions.all[one].label;
    match (checked, missed) {
        (_, Some((reader, seen))) => Err(format!("{} missed {}", label(reader), label(seen))),
        (Err(_), None) => Err("reads contradict the order of sessions or of time".to_owned()),
        (Ok(()), None) => Ok(()),
    }
}

/// Checks levels that forbid walks with one anti-dependency, or past one reader: the versions of each key are in the order of
/// commits, and no such walk leads back to where it started.
fn check_walks(
    transactions: &Transactions,
    reads: &ReadsFrom,
    order: &[usize],
    isolation: Isolation,
) -> Checked {
    let place = places(transactions, order);
    check_sources(transactions, reads, &place)?;
    let mut graph = transactions.empty_graph(isolation);
    base_order::scope(&mut graph, transactions, reads, isolation.scope());
    base_order::known_reads(&mut graph, reads);
    let mut versions: Vec<Vec<usize>> = vec![Vec::new(); transactions.key_count()];
    let mut held = Store::new(transactions);
    for (at, &one) in order.iter().enumerate() {
        transactions.all[one]
            .writes
            .iter()
            .for_each(|(key, _)| versions[*key as usize].push(one));
        held.write(one, at + 1)?;
    }
    for (key, writers) in versions.iter().enumerate() {
        for pair in writers.windows(2) {
            graph.add(
                graph.commit(pair[0]),
                graph.writing(pair[1]),
                EdgeReason::WroteOver(key as Id),
            );
        }
    }
    for read in &reads.reads {
        let writers = &versions[read.key as usize];
        let read_at = read.writers[0].map_or(0, |writer| place[writer]);
        let next = writers[writers.partition_point(|one| place[*one] <= read_at)..].first();
        if let Some(next) = next.filter(|next| **next != read.reader) {
            graph.add(
                graph.reading(read.reader),
                graph.commit(*next),
                EdgeReason::ReadBefore(read.key),
            );
        }
    }
    let Ok(nodes) = graph.topological(&[]) else {
        return Err("versions in this order make a cycle".to_owned());
    };
    let mut position = vec![0; graph.nodes()];
    nodes
        .iter()
        .enumerate()
        .for_each(|(at, node)| position[*node as usize] = at as u32);
    let probes: Vec<(GraphNode, GraphNode)> = graph.probes().collect();
    let answers = reachability::answer(
        &graph,
        &nodes,
        &position,
        &probes,
        &mut Budget::new(Limits::default()),
    );
    if answers.contains(&true) {
        Err("a forbidden walk is left".to_owned())
    } else {
        Ok(())
    }
}
