//! Histories whose reads-from relation or committed transactions are not determined, as a satisfiability problem.
//!
//! There is a variable for each possible writer of a read, for each transaction that may have committed, and, where
//! the level needs a version order, for each pair of writers of a key. The level's axiom becomes clauses:
//!
//! - every read of a committed transaction has a committed writer;
//! - *monotonic atomic view, read atomic*: if a transaction sees a writer of a key that it read from another one, the first
//!   comes before the other;
//! - *serializable, snapshot isolation, prefix*: if a key was read from `w`, and another writer `t` of the key comes after
//!   `w` in the version order, then the reader comes before `t` (see [`version_chains`](crate::version_chains)).
//!
//! A transaction that did not commit has a position in the version order all the same. It does no harm: no
//! transaction read from it, its session did not wait for it and it has no end, so no edge leaves it and it can be
//! last.

use omnilink_engine::Limit;
use omnilink_history::Budget;
use omnilink_history::order_graph::{Graph, GraphNode};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::acyclic_graph::AcyclicGraph;
use crate::base_order;
use crate::level::{Isolation, IsolationFamily, IsolationScope};
use crate::reads_from::{ExternalRead, ReadsFrom, Writer};
use crate::solver::{Edges, Literal, Remaining, Solved, Solver};
use crate::transaction::{Fate, Id, Transactions};
use crate::version_order::OrderOutcome;

/// A solution.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub decided: OrderOutcome,
    /// The writer of each read, by position in [`ReadsFrom::reads`]; `None` for reads of transactions that did not
    /// commit.
    pub writers: Vec<Writer>,
    /// The transactions that committed.
    pub present: Vec<usize>,
}

/// Whether there are clauses for a level. For the others, every choice is tried in turn.
pub(crate) fn understands(isolation: Isolation) -> bool {
    match isolation.family() {
        IsolationFamily::ReadUncommitted
        | IsolationFamily::ReadCommitted
        | IsolationFamily::MonotonicAtomicView => true,
        IsolationFamily::ReadAtomic => isolation.scope() < IsolationScope::RealTime,
        IsolationFamily::Prefix
        | IsolationFamily::Snapshot
        | IsolationFamily::RepeatableRead
        | IsolationFamily::Serializable => true,
        _ => false,
    }
}

/// A literal, or `None` for what is certain.
type Choice = Option<Literal>;

struct Encoder<'a> {
    transactions: &'a Transactions,
    reads: &'a ReadsFrom,
    graph: &'a Graph,
    isolation: Isolation,
    solver: Solver,
    /// For each transaction of unknown outcome, whether it committed.
    presence: FxHashMap<usize, Literal>,
    /// For each read, its possible writers.
    sources: Vec<SmallVec<[Choice; 1]>>,
    /// Conditional edges, by their ends.
    optional: FxHashMap<(GraphNode, GraphNode), Literal>,
    /// The version order of two writers.
    versions: FxHashMap<(usize, usize), Literal>,
    writers: Vec<Vec<usize>>,
}

/// Decides by a search over all assignments. `graph` has session order, real-time order and the determined part of
/// reads-from.
pub(crate) fn decide(
    transactions: &Transactions,
    reads: &ReadsFrom,
    graph: &Graph,
    isolation: Isolation,
    conflicts_max: u64,
    budget: &mut Budget,
) -> Assignment {
    let undecided = |decided| Assignment {
        decided,
        writers: Vec::new(),
        present: Vec::new(),
    };
    let order = match graph.topological(&base_order::priorities(graph, transactions)) {
        Ok(order) => order,
        Err(cycle) => return undecided(OrderOutcome::Cycle(cycle)),
    };
    let mut writers = vec![Vec::new(); transactions.key_count()];
    for &one in &reads.included {
        for (key, _) in &transactions.all[one].writes {
            writers[*key as usize].push(one);
        }
    }
    let mut encoder = Encoder {
        transactions,
        reads,
        graph,
        isolation,
        solver: Solver::new(AcyclicGraph::new(graph, order)),
        presence: FxHashMap::default(),
        sources: Vec::with_capacity(reads.reads.len()),
        optional: FxHashMap::default(),
        versions: FxHashMap::default(),
        writers,
    };
    if let Err(limit) = encoder.encode(budget) {
        return undecided(OrderOutcome::Limit(limit));
    }
    let decided = match encoder
        .solver
        .solve(budget, conflicts_max, &mut |_, _| Remaining::Nothing)
    {
        Solved::Yes => OrderOutcome::Order(encoder.solver.graph.order.clone()),
        Solved::Limit(limit) => return undecided(OrderOutcome::Limit(limit)),
        Solved::TooHard => return undecided(OrderOutcome::TooHard),
        Solved::No(_) => {
            let open = reads.reads.iter().filter(|read| read.writers.len() != 1);
            let mut keys: Vec<Id> = open.map(|read| read.key).collect();
            keys.sort_unstable();
            keys.dedup();
            return undecided(OrderOutcome::NoOrder(keys));
        }
    };
    Assignment {
        decided,
        writers: encoder.chosen_writers(),
        present: encoder.chosen_present(),
    }
}

impl Encoder<'_> {
    fn encode(&mut self, budget: &mut Budget) -> Result<(), Limit> {
        for &one in &self.reads.included {
            if !self.reads.is_required[one] {
                let is_present = self.solver.variable(Edges::new(), Edges::new());
                self.presence.insert(one, is_present);
                if self.transactions.all[one].broken.is_some() {
                    self.solver.clause(vec![!is_present]);
                }
            }
        }
        let past = self.session_pasts();
        for (at, read) in self.reads.reads.iter().enumerate() {
            if budget.works(1 + read.writers.len() as u64) {
                break;
            }
            self.encode_sources(read, past.get(at).copied().flatten());
        }
        match self.isolation.family() {
            IsolationFamily::ReadUncommitted | IsolationFamily::ReadCommitted => {}
            IsolationFamily::MonotonicAtomicView | IsolationFamily::ReadAtomic => self.encode_seen(budget),
            _ => self.encode_versions(budget),
        }
        budget.exhausted().map_or(Ok(()), Err)
    }

    /// For read atomic: the last committed transaction of the reader's session before it that wrote the key of each read.
    fn session_pasts(&self) -> Vec<Option<usize>> {
        if self.isolation != Isolation::new(IsolationFamily::ReadAtomic, IsolationScope::Session) {
            return Vec::new();
        }
        let mut last: FxHashMap<(u32, Id), usize> = FxHashMap::default();
        let mut pasts = Vec::with_capacity(self.reads.reads.len());
        for &one in &self.reads.included {
            let transaction = &self.transactions.all[one];
            let own = self.reads.of(one).iter();
            pasts.extend(own.map(|read| last.get(&(transaction.session, read.key)).copied()));
            if transaction.fate == Fate::Committed {
                for (key, _) in &transaction.writes {
                    last.insert((transaction.session, *key), one);
                }
            }
        }
        pasts
    }

    /// Variables for the writers of a read. `past` is a writer of the key that the reader must have seen.
    fn encode_sources(&mut self, read: &ExternalRead, past: Option<usize>) {
        let graph = self.graph;
        let is_reader_present = self.presence.get(&read.reader).copied();
        let is_certain = is_reader_present.is_none() && read.writers.len() == 1;
        let edges_from = |writer: &Writer| {
            let Some(writer) = *writer else {
                return Edges::new();
            };
            let mut edges: Edges = smallvec![(graph.commit(writer), graph.seeing(read.reader))];
            if let Some(past) = past.filter(|past| *past != writer) {
                edges.push((graph.commit(past), graph.commit(writer)));
            }
            edges
        };
        let mut sources: SmallVec<[Choice; 1]> = SmallVec::new();
        let nearest = self.nearest(read);
        let mut clause: Vec<Literal> = is_reader_present.map(|present| !present).into_iter().collect();
        for writer in &read.writers {
            let literal = self.solver.variable(edges_from(writer), Edges::new());
            if let Some(is_present) = writer.and_then(|writer| self.presence.get(&writer)) {
                self.solver.clause(vec![!literal, *is_present]);
            }
            if Some(*writer) == nearest {
                self.solver.prefer(literal);
            }
            // No writer comes before the initial state.
            if writer.is_none() && past.is_some() {
                self.solver.clause(vec![!literal]);
            }
            clause.push(literal);
            sources.push((!is_certain).then_some(literal));
        }
        self.solver.clause(clause);
        self.sources.push(sources);
    }

    /// The last writer before a reader, by time where it is known: most likely the one that it read from.
    fn nearest(&self, read: &ExternalRead) -> Option<Writer> {
        let position = &self.solver.graph.position;
        let reader = position[self.graph.begin(read.reader) as usize];
        let place =
            |writer: &Writer| writer.map_or(0, |writer| 1 + position[self.graph.commit(writer) as usize]);
        let earlier = read.writers.iter().filter(|writer| place(writer) <= reader);
        earlier.max_by_key(|writer| place(writer)).copied()
    }

    /// Monotonic atomic view and read atomic.
    fn encode_seen(&mut self, budget: &mut Budget) {
        let reads = self.reads;
        let mut at = 0;
        while let Some(first) = reads.reads.get(at) {
            let own = reads.of(first.reader);
            for (second_at, second) in own.iter().enumerate() {
                for (first_at, first) in own.iter().enumerate() {
                    let is_seen = match self.isolation.family() {
                        IsolationFamily::MonotonicAtomicView => {
                            first_at != second_at
                                && first.position
                                    <= self.transactions.all[first.reader].moment(second.position)
                        }
                        _ => first_at != second_at,
                    };
                    if is_seen {
                        self.encode_seen_pair((at + first_at, first), (at + second_at, second), budget);
                    }
                    if budget.exhausted().is_some() {
                        return;
                    }
                }
            }
            at += own.len();
        }
    }

    /// `second` sees the transaction that `first` read from.
    fn encode_seen_pair(
        &mut self,
        (first_at, first): (usize, &ExternalRead),
        (second_at, second): (usize, &ExternalRead),
        budget: &mut Budget,
    ) {
        for (seen_choice, seen) in first.writers.iter().enumerate() {
            let Some(seen) = *seen else { continue };
            if budget.work() || self.transactions.all[seen].written(second.key).is_none() {
                continue;
            }
            for (choice, writer) in second.writers.iter().enumerate() {
                if budget.work() || *writer == Some(seen) {
                    continue;
                }
                let both = [
                    self.sources[first_at][seen_choice],
                    self.sources[second_at][choice],
                ];
                let mut clause: Vec<Literal> = both.into_iter().flatten().map(|chosen| !chosen).collect();
                if let Some(writer) = *writer {
                    let (from, to) = (self.graph.commit(seen), self.graph.commit(writer));
                    clause.push(self.optional_edge(from, to));
                }
                self.solver.clause(clause);
            }
        }
    }

    /// Serializability, snapshot isolation and prefix consistency.
    fn encode_versions(&mut self, budget: &mut Budget) {
        let reads = self.reads;
        let allows_phantoms = self.isolation.family() == IsolationFamily::RepeatableRead;
        for (at, read) in reads.reads.iter().enumerate() {
            if allows_phantoms && self.transactions.all[read.reader].is_absent(read.position) {
                continue;
            }
            for (choice, writer) in read.writers.iter().enumerate() {
                for other_at in 0..self.writers[read.key as usize].len() {
                    if budget.work() {
                        return;
                    }
                    let other = self.writers[read.key as usize][other_at];
                    if Some(other) == *writer
                        || other == read.reader
                        || self.is_apart(*writer, other, read.reader)
                    {
                        continue;
                    }
                    let mut clause: Vec<Literal> = self.sources[at][choice]
                        .map(|chosen| !chosen)
                        .into_iter()
                        .collect();
                    if let Some(writer) = *writer {
                        clause.push(!self.version_order(writer, other));
                    }
                    let (from, to) = (self.graph.reading(read.reader), self.graph.commit(other));
                    clause.push(self.optional_edge(from, to));
                    self.solver.clause(clause);
                }
            }
        }
        self.encode_successions(budget);
        // Snapshot isolation: of two writers of a key one sees the other. In a serial order that always holds, and
        // the order of versions that were never read does not matter.
        if self.isolation.family() == IsolationFamily::Snapshot {
            for key in 0..self.writers.len() {
                for second in 0..self.writers[key].len() {
                    for first in 0..second {
                        if budget.work() {
                            return;
                        }
                        self.version_order(self.writers[key][first], self.writers[key][second]);
                    }
                }
            }
        }
    }

    /// Whether real-time order, which is in the graph, rules out that another writer comes between the writer and the
    /// reader. If it ended before the writer began, it cannot come after it. If it began after the reader ended, the
    /// graph already has it after the reader. Either way the clause would be redundant.
    fn is_apart(&self, writer: Writer, other: usize, reader: usize) -> bool {
        if self.isolation != Isolation::STRICT_SERIALIZABLE {
            return false;
        }
        let timebox = |one: usize| self.transactions.all[one].timebox;
        let precedes = |first: usize, second: usize| {
            timebox(first)
                .zip(timebox(second))
                .is_some_and(|(first, second)| first.precedes(&second))
        };
        writer.is_some_and(|writer| precedes(other, writer)) || precedes(reader, other)
    }

    /// Adjacent versions: every other writer comes before both or after both.
    fn encode_successions(&mut self, budget: &mut Budget) {
        let wrote = |transactions: &Transactions, writers: &[usize], key: Id, value: Id| {
            let mut writers = writers.iter().copied();
            writers.find(|one| transactions.all[*one].written(key) == Some(value))
        };
        for succession in &self.transactions.successions {
            let writers = self.writers[succession.key as usize].clone();
            let Some(second) = wrote(self.transactions, &writers, succession.key, succession.value) else {
                continue;
            };
            let first = wrote(self.transactions, &writers, succession.key, succession.previous);
            if let Some(first) = first {
                let ordered = self.version_order(first, second);
                self.solver.clause(vec![ordered]);
            }
            for other in writers {
                if budget.work() {
                    return;
                }
                if other == second || first == Some(other) {
                    continue;
                }
                let after = self.version_order(second, other);
                let clause = match first {
                    Some(first) => vec![!self.version_order(first, other), after],
                    None => vec![after],
                };
                self.solver.clause(clause);
            }
        }
    }

    /// The literal of a conditional edge.
    fn optional_edge(&mut self, from: GraphNode, to: GraphNode) -> Literal {
        let solver = &mut self.solver;
        *self
            .optional
            .entry((from, to))
            .or_insert_with(|| solver.variable(smallvec![(from, to)], Edges::new()))
    }

    /// The literal for one writer's versions before another's. The order is the same for all keys that both write:
    /// one of them comes after the other, and sees it.
    fn version_order(&mut self, first: usize, second: usize) -> Literal {
        if first > second {
            return !self.version_order(second, first);
        }
        let (graph, solver) = (self.graph, &mut self.solver);
        *self.versions.entry((first, second)).or_insert_with(|| {
            solver.variable(
                smallvec![(graph.commit(first), graph.writing(second))],
                smallvec![(graph.commit(second), graph.writing(first))],
            )
        })
    }

    fn is_chosen(&self, choice: Choice) -> bool {
        choice.is_none_or(|literal| self.solver.value(literal) == Some(true))
    }

    fn chosen_writers(&self) -> Vec<Writer> {
        let reads = self.reads.reads.iter().zip(&self.sources);
        reads
            .map(|(read, sources)| {
                let mut choices = read.writers.iter().zip(sources);
                choices
                    .find(|(_, choice)| self.is_chosen(**choice))
                    .and_then(|(writer, _)| *writer)
            })
            .collect()
    }

    fn chosen_present(&self) -> Vec<usize> {
        let included = self.reads.included.iter().copied();
        included
            .filter(|one| self.is_chosen(self.presence.get(one).copied()))
            .collect()
    }
}
