//! A checker of single steps: does each edge of a cycle follow from the transactions that it names, by definition?
//!
//! The graphs that found the cycle are not used: an edge is looked up in what the transactions read and wrote. Where all edges hold, there is no
//! order of commits, however the cycle was found. An edge that takes more than its own transactions to prove (every other order of the writers
//! leads to a contradiction) is not proved here.
//!
//! *Versions.* A transaction that reads a key and writes it leaves the version right after the one that it read, at every level with a version
//! order (snapshot isolation and stronger); a list shows adjacent versions at every level. Going back from a version by such pairs gives versions
//! that come before it. If that ends at the initial one, these are all of them, and every other version comes after it. Versions that are
//! adjacent in this way form a chain, which no other version interrupts. So of two chains one comes first as a whole, and it is known which one as soon as
//! one version is known to come before one of the other chain: because its writer is before the other's, or before a reader of the other
//! version, by sessions, reads and time.

use std::cell::Cell;
use std::collections::HashSet;

use omnilink_history::order_graph::{EdgeReason, OrderEdge};

use crate::level::{Isolation, IsolationFamily, IsolationScope};
use crate::transaction::{Fate, Id, NIL, Transactions};
use crate::writers_of::WritersOf;

/// What is said of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Proof {
    /// It holds.
    Proved,
    /// It takes more than the edge says.
    Open,
    /// It does not hold, although it should be seen from the edge alone.
    Refuted,
}

/// The points of a transaction in snapshot isolation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Point {
    Begin,
    Commit,
}

/// Where an edge leaves the first transaction and enters the second.
fn points(reason: EdgeReason, family: IsolationFamily) -> (Point, Point) {
    use Point::{Begin, Commit};
    match reason {
        EdgeReason::Same | EdgeReason::ReadBefore(_) => (Begin, Commit),
        // Of two writers of a key, one commits before the other begins, or, in a prefix, before it commits.
        EdgeReason::WroteOver(_) if family == IsolationFamily::Prefix => (Commit, Commit),
        _ => (Commit, Begin),
    }
}

pub(crate) struct EdgeCheck<'a> {
    transactions: &'a Transactions,
    writers: &'a WritersOf,
    isolation: Isolation,
    /// How many transactions may still be looked at.
    looks_left: Cell<usize>,
}

/// How many transactions are looked at for one cycle.
const LOOKS_MAX: usize = 1_000_000;
/// How many versions of a chain are looked at.
const CHAIN_MAX: usize = 32;

impl<'a> EdgeCheck<'a> {
    pub fn new(transactions: &'a Transactions, writers: &'a WritersOf, isolation: Isolation) -> Self {
        Self {
            transactions,
            writers,
            isolation,
            looks_left: Cell::new(LOOKS_MAX),
        }
    }

    /// What the edges of a cycle prove together.
    pub fn cycle(&self, cycle: &[OrderEdge]) -> Proof {
        let following = cycle.iter().cycle().skip(1);
        let is_closed = cycle
            .iter()
            .zip(following)
            .all(|(edge, next)| edge.to == next.from);
        if cycle.is_empty() || !is_closed || !self.is_forbidden(cycle) {
            return Proof::Open;
        }
        let proofs = cycle.iter().map(|edge| self.edge(edge));
        proofs.max().unwrap_or(Proof::Open)
    }

    /// Whether the level forbids a cycle with these kinds of edges.
    fn is_forbidden(&self, cycle: &[OrderEdge]) -> bool {
        let family = self.isolation.family();
        let is_anti = |edge: &&OrderEdge| matches!(edge.reason, EdgeReason::ReadBefore(_));
        match family {
            IsolationFamily::Serializable | IsolationFamily::RepeatableRead => true,
            IsolationFamily::Snapshot | IsolationFamily::Prefix => {
                let following = cycle.iter().cycle().skip(1);
                cycle.iter().zip(following).all(|(edge, next)| {
                    let (_, entered) = points(edge.reason, family);
                    let (left, _) = points(next.reason, family);
                    entered == left || entered == Point::Begin
                })
            }
            IsolationFamily::ConsistentView => cycle.iter().filter(is_anti).count() <= 1,
            IsolationFamily::UpdateSerializable => {
                let only_reads = |edge: &&OrderEdge| {
                    edge.from
                        .is_some_and(|one| self.transactions.all[one].writes.is_empty())
                };
                cycle.iter().filter(only_reads).count() <= 1
            }
            IsolationFamily::WeakCausal => {
                // The order is one reader's own, and does not follow the versions that others see.
                let seen_by = |edge: &OrderEdge| match edge.reason {
                    EdgeReason::SeenBy { reader, .. } => Some(reader),
                    _ => None,
                };
                let reader = cycle.iter().find_map(seen_by);
                let is_of_it = |edge: &OrderEdge| match edge.reason {
                    EdgeReason::WroteOver(_) | EdgeReason::ReadBefore(_) => false,
                    _ => seen_by(edge).is_none_or(|other| Some(other) == reader),
                };
                cycle.iter().all(is_of_it)
            }
            _ => !cycle.iter().any(|edge| is_anti(&edge)),
        }
    }

    fn edge(&self, edge: &OrderEdge) -> Proof {
        let (from, to) = match (edge.from, edge.to, edge.reason) {
            (None, _, EdgeReason::Beginning) => return Proof::Proved,
            (Some(from), None, EdgeReason::SeenBy { reader, key }) => {
                let reader = reader as usize;
                let is_initial = self
                    .read(reader, key)
                    .any(|(_, value)| self.is_initial(key, value));
                let is_so = is_initial && self.counts(reader) && self.sees(reader, from, key, None);
                return if is_so { Proof::Proved } else { Proof::Open };
            }
            (Some(from), Some(to), _) => (from, to),
            _ => return Proof::Open,
        };
        let all = &self.transactions.all;
        let is_certain = self.counts(from) && self.counts(to);
        let known = |is_so: bool| match (is_so, is_certain) {
            (true, true) => Proof::Proved,
            (true, false) => Proof::Open,
            (false, _) => Proof::Refuted,
        };
        let found = |is_so: bool| {
            if is_so && is_certain {
                Proof::Proved
            } else {
                Proof::Open
            }
        };
        match edge.reason {
            EdgeReason::Same => known(from == to),
            EdgeReason::Session => {
                let (first, second) = (&all[from], &all[to]);
                let is_kept =
                    self.isolation.scope() >= IsolationScope::Session && first.fate == Fate::Committed;
                known(first.session == second.session && from < to && is_kept)
            }
            EdgeReason::RealTime => known(
                self.isolation.scope() == IsolationScope::RealTime && self.transactions.precedes(from, to),
            ),
            EdgeReason::ReadFrom(key) => known(self.read_from(to, key, from)),
            EdgeReason::SeenBy { reader, key } => {
                let reader = reader as usize;
                let is_so = self.read_from(reader, key, to) && self.sees(reader, from, key, Some(to));
                found(is_so && self.counts(reader))
            }
            EdgeReason::ReadBefore(key) => {
                let mut read = self
                    .read(from, key)
                    .filter(|(at, _)| self.comes_before_next(from, *at));
                found(from != to && read.any(|(_, value)| self.is_before(key, value, to)))
            }
            EdgeReason::WroteOver(key) => {
                let written = all[from].written(key);
                found(from != to && written.is_some_and(|value| self.is_before(key, value, to)))
            }
            EdgeReason::Beginning | EdgeReason::OnlyOrder(_) | EdgeReason::Forced { .. } => Proof::Open,
        }
    }

    /// Whether a transaction committed: it says so, or one that does read from it.
    fn counts(&self, one: usize) -> bool {
        let all = &self.transactions.all;
        let is_read = || {
            let readers = all.iter().filter(|reader| reader.fate == Fate::Committed);
            let mut reads = readers.flat_map(|reader| &reader.reads);
            reads.any(|(key, value)| self.only_writer(*key, *value) == Some(one))
        };
        match all[one].fate {
            Fate::Committed => true,
            Fate::Aborted => false,
            Fate::Unknown => is_read(),
        }
    }

    /// The reads of a key by a transaction: position and value.
    fn read(&self, reader: usize, key: Id) -> impl Iterator<Item = (usize, Id)> {
        let reads = self.transactions.all[reader].reads.iter().enumerate();
        reads.filter_map(move |(at, (read, value))| (*read == key).then_some((at, *value)))
    }

    /// Whether a read comes before the next version: of what a range did not show, levels of items say nothing.
    fn comes_before_next(&self, reader: usize, position: usize) -> bool {
        let is_of_items = matches!(
            self.isolation.family(),
            IsolationFamily::RepeatableRead | IsolationFamily::CursorStability
        );
        !is_of_items || !self.transactions.all[reader].is_absent(position)
    }

    fn read_from(&self, reader: usize, key: Id, writer: usize) -> bool {
        let mut read = self.read(reader, key);
        read.any(|(_, value)| self.only_writer(key, value) == Some(writer))
    }

    fn only_writer(&self, key: Id, value: Id) -> Option<usize> {
        match self.writers.of(key, value) {
            [only] if value != NIL => Some(*only),
            _ => None,
        }
    }

    fn is_initial(&self, key: Id, value: Id) -> bool {
        value == NIL && self.writers.of(key, value).is_empty()
    }

    /// Whether a reader should have seen a writer of `key` when it read the key from another one, or from the initial state.
    fn sees(&self, reader: usize, writer: usize, key: Id, from: Option<usize>) -> bool {
        let all = &self.transactions.all;
        if all[writer].written(key).is_none() || Some(writer) == from || writer == reader {
            return false;
        }
        let at = self.read(reader, key).find_map(|(at, value)| {
            let is_it = match from {
                Some(from) => self.only_writer(key, value) == Some(from),
                None => self.is_initial(key, value),
            };
            is_it.then_some(at)
        });
        let family = self.isolation.family();
        let mut reads = all[reader].reads.iter().enumerate();
        let mut was_read = || {
            reads.any(|(before, (key, value))| {
                self.only_writer(*key, *value) == Some(writer)
                    && (family != IsolationFamily::MonotonicAtomicView
                        || at.is_some_and(|at| before <= all[reader].moment(at)))
            })
        };
        let in_session = |first: usize, second: usize| {
            self.isolation.scope() >= IsolationScope::Session
                && all[first].session == all[second].session
                && first < second
                && all[first].fate == Fate::Committed
        };
        let in_time = || {
            self.isolation.scope() == IsolationScope::RealTime && self.transactions.precedes(writer, reader)
        };
        let sources = |one: usize| {
            let reads = all[one].reads.iter();
            reads.filter_map(|(key, value)| self.only_writer(*key, *value))
        };
        let earlier = |one: usize| (0..one).filter(move |other| in_session(*other, one));
        match family {
            IsolationFamily::ReadUncommitted
            | IsolationFamily::ReadCommitted
            | IsolationFamily::CursorStability => false,
            IsolationFamily::MonotonicAtomicView => was_read(),
            IsolationFamily::ReadAtomic => was_read() || in_session(writer, reader) || in_time(),
            IsolationFamily::ReadYourWrites => in_session(writer, reader),
            IsolationFamily::MonotonicReads => {
                earlier(reader).any(|one| sources(one).any(|source| source == writer))
            }
            IsolationFamily::MonotonicWrites => sources(reader).any(|one| in_session(writer, one)),
            IsolationFamily::WritesFollowReads => sources(reader).any(|through| {
                let mut readers = earlier(through).chain([through]);
                readers.any(|one| sources(one).any(|source| source == writer))
            }),
            IsolationFamily::Pram => {
                let mut readers = earlier(reader).chain([reader]);
                let is_source =
                    |one: usize| sources(one).any(|source| source == writer || in_session(writer, source));
                in_session(writer, reader) || readers.any(is_source)
            }
            _ => was_read() || in_session(writer, reader) || in_time() || self.is_earlier(writer, reader),
        }
    }

    /// Whether versions of a key are in an order that commits follow.
    fn has_versions(&self) -> bool {
        let loses_updates = match self.isolation.family() {
            IsolationFamily::Prefix => true,
            // Those that are not by cursors.
            IsolationFamily::CursorStability => self.transactions.cursors.is_some(),
            _ => false,
        };
        !self.isolation.is_decided_by_visibility() && !loses_updates
    }

    /// Whether a transaction is before another one by sessions, reads and time.
    fn is_earlier(&self, first: usize, second: usize) -> bool {
        let all = &self.transactions.all;
        let is_timed = self.isolation.scope() == IsolationScope::RealTime;
        let has_sessions = self.isolation.scope() >= IsolationScope::Session;
        let mut known: HashSet<usize> = HashSet::from([second]);
        let mut open = vec![second];
        while let Some(one) = open.pop() {
            let left = self.looks_left.get();
            if left == 0 {
                return false;
            }
            self.looks_left.set(left - 1);
            if is_timed && self.transactions.precedes(first, one) {
                return true;
            }
            let session = all[..one].iter().rposition(|other| {
                has_sessions && other.session == all[one].session && other.fate == Fate::Committed
            });
            let reads = all[one].reads.iter();
            let writers = reads.filter_map(|(key, value)| self.only_writer(*key, *value));
            for earlier in writers.chain(session) {
                if earlier == first {
                    return true;
                }
                if known.insert(earlier) {
                    open.push(earlier);
                }
            }
        }
        false
    }

    /// Whether a version of a key comes before the one that a transaction wrote.
    fn is_before(&self, key: Id, version: Id, writer: usize) -> bool {
        let Some(written) = self.transactions.all[writer].written(key) else {
            return false;
        };
        if self.only_writer(key, written) != Some(writer) || version == written {
            return false;
        }
        let (earlier, is_all) = self.versions_before(key, version);
        is_all && !earlier.contains(&written)
            || self.versions_before(key, written).0.contains(&version)
            || self.has_versions() && self.is_chain_before(key, version, written)
    }

    /// A transaction that is not among those of an edge and tells the order of two versions: it read one and had seen the other.
    pub fn teller(&self, edge: &OrderEdge) -> Option<usize> {
        let (from, to) = (edge.from?, edge.to?);
        let EdgeReason::WroteOver(key) = edge.reason else {
            return None;
        };
        let all = &self.transactions.all;
        let (version, written) = (all[from].written(key)?, all[to].written(key)?);
        let (earlier, is_all) = self.versions_before(key, version);
        let is_told = is_all && !earlier.contains(&written)
            || self.versions_before(key, written).0.contains(&version)
            || !self.has_versions();
        let teller = (!is_told).then(|| self.chain_before(key, version, written))??;
        teller.filter(|one| *one != from && *one != to)
    }

    /// Whether the chain of a version is before the chain of another one.
    fn is_chain_before(&self, key: Id, version: Id, other: Id) -> bool {
        self.chain_before(key, version, other).is_some()
    }

    /// The same, with the reader that tells it if the writers do not.
    fn chain_before(&self, key: Id, version: Id, other: Id) -> Option<Option<usize>> {
        let (first, second) = (self.chain(key, version), self.chain(key, other));
        if first.iter().any(|version| second.contains(version)) {
            return None;
        }
        let is_before = |version: Id, other: Id| {
            let writer = self.only_writer(key, version)?;
            let after = self.only_writer(key, other).filter(|after| *after != writer);
            let mut readers = (0..self.transactions.all.len()).filter(|reader| {
                *reader != writer
                    && self.counts(*reader)
                    && self.read(*reader, key).any(|(_, value)| value == other)
            });
            let after = after?;
            if self.is_earlier(writer, after) {
                return Some(None);
            }
            readers.find(|reader| self.is_earlier(writer, *reader)).map(Some)
        };
        let mut pairs = first
            .iter()
            .flat_map(|version| second.iter().map(move |other| (*version, *other)));
        pairs.find_map(|(version, other)| is_before(version, other))
    }

    /// Versions of the chain that a version belongs to.
    fn chain(&self, key: Id, version: Id) -> Vec<Id> {
        let mut chain = vec![version];
        let (earlier, _) = self.versions_before(key, version);
        chain.extend(
            earlier
                .into_iter()
                .filter(|version| *version != NIL)
                .take(CHAIN_MAX),
        );
        let mut last = version;
        while chain.len() < CHAIN_MAX {
            let writers = self.writers.of_key(key).iter();
            let mut written = writers.filter_map(|writer| {
                let value = self.transactions.all[*writer].written(key)?;
                self.counts(*writer).then_some(value)
            });
            match written.find(|value| self.previous(key, *value) == Some(last)) {
                Some(next) if !chain.contains(&next) => chain.push(next),
                _ => break,
            }
            last = chain[chain.len() - 1];
        }
        chain
    }

    /// Versions that come before one, and whether these are all.
    fn versions_before(&self, key: Id, version: Id) -> (Vec<Id>, bool) {
        let mut earlier = Vec::new();
        let mut now = version;
        loop {
            if self.is_initial(key, now) {
                return (earlier, true);
            }
            match self.previous(key, now) {
                Some(previous) if !earlier.contains(&previous) && previous != version => {
                    earlier.push(previous);
                    now = previous;
                }
                _ => return (earlier, false),
            }
        }
    }

    /// The version right before another one.
    fn previous(&self, key: Id, version: Id) -> Option<Id> {
        let mut shown = self.transactions.successions.iter();
        let shown = shown.find(|pair| pair.key == key && pair.value == version);
        if let Some(pair) = shown {
            return Some(pair.previous);
        }
        let writer = self.only_writer(key, version).filter(|_| self.has_versions())?;
        let mut read = { self.read(writer, key) }.filter(|(at, _)| self.comes_before_next(writer, *at));
        read.next().map(|(_, value)| value)
    }
}
