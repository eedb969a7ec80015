//! The decision of one level: from reads-from to an order of commits that replays, or to a cycle.

use std::borrow::Cow;

use omnilink_evidence::Anomaly;
use omnilink_history::Budget;
use omnilink_history::order_graph::{Graph, GraphNode, Wiring};

use crate::level::{Isolation, IsolationFamily, IsolationScope};
use crate::level_outcome::{Blame, IsolationConclusion, LevelOutcome, unknown, violation};
use crate::reads_from::{ExternalRead, ReadsFrom, ReadsFromError, Writer, reads_from};
use crate::real_time::Overwrites;
use crate::replay::{self, Endpoint};
use crate::transaction::{Fate, Id, Transactions};
use crate::transaction_error::TransactionError;
use crate::version_order::{self, OrderOutcome};
use crate::{base_order, choices, encoding, version_chains, visibility, weak_causal};

impl Transactions {
    /// Decides a level, with at most this many conflicts in the search.
    pub(crate) fn decide(
        &self,
        isolation: Isolation,
        conflicts_max: u64,
        budget: &mut Budget,
    ) -> Result<LevelOutcome, TransactionError> {
        if isolation.family() == IsolationFamily::ReadUncommitted {
            return self.decide_reads(isolation, &ReadsFrom::without_reads(self), conflicts_max, budget);
        }
        let reads = match self.reads_at(isolation, budget) {
            Ok(reads) => reads,
            Err(ReadsFromError::Anomaly(anomaly, reader)) => {
                return Ok(violation(anomaly, Blame::of(vec![reader])));
            }
            Err(ReadsFromError::Limit(limit)) => {
                return Ok(LevelOutcome::Decided(unknown(limit), Blame::default()));
            }
        };
        if reads.is_determined() {
            return self.decide_reads(isolation, &reads, conflicts_max, budget);
        }
        if !encoding::understands(isolation) {
            return choices::decide(self, &reads, isolation, conflicts_max, budget);
        }
        let mut graph = self.empty_graph(isolation);
        base_order::scope(&mut graph, self, &reads, isolation.scope());
        base_order::known_reads(&mut graph, &reads);
        if isolation.is_decided_by_visibility() {
            visibility::add_versions(&mut graph, self, &reads);
        }
        let found = encoding::decide(self, &reads, &graph, isolation, conflicts_max, budget);
        let chosen = match &found.decided {
            OrderOutcome::Order(_) => reads.chosen(&found.writers, &found.present),
            _ => reads,
        };
        self.answer(isolation, &graph, found.decided, &chosen)
    }

    /// The possible writers of all reads.
    pub(crate) fn reads_at(
        &self,
        isolation: Isolation,
        budget: &mut Budget,
    ) -> Result<ReadsFrom, ReadsFromError> {
        let overwrites = (isolation.scope() == IsolationScope::RealTime).then(|| Overwrites::new(self));
        // Only from read atomic on, a transaction must have seen what was over before it began.
        // What a range did not show may be there all the same where phantoms are allowed.
        let allows_phantoms = isolation.family() == IsolationFamily::RepeatableRead && self.has_absences();
        let is_fresh = isolation.family() >= IsolationFamily::ReadAtomic && !allows_phantoms;
        let may_read = |reader: usize, key: Id, writer: Writer| {
            let is_later_in_session = isolation.scope() >= IsolationScope::Session
                && writer.is_some_and(|writer| {
                    let (reading, writing) = (&self.all[reader], &self.all[writer]);
                    reader < writer && reading.session == writing.session && reading.fate == Fate::Committed
                });
            let in_time = |overwrites: &Overwrites| overwrites.allow(self, reader, (key, writer), is_fresh);
            !is_later_in_session && overwrites.as_ref().is_none_or(in_time)
        };
        reads_from(self, &may_read, budget)
    }

    /// A graph whose edges are attached as a level demands.
    pub(crate) fn empty_graph(&self, isolation: Isolation) -> Graph {
        let count = self.all.len();
        match isolation.family() {
            IsolationFamily::Prefix => Graph::new(count, Wiring::Prefixes),
            IsolationFamily::Snapshot => Graph::new(count, Wiring::Snapshots),
            IsolationFamily::ConsistentView => Graph::new(count, Wiring::OneAntiDependency),
            IsolationFamily::UpdateSerializable => {
                Graph::with_readers(self.all.iter().map(|one| !one.writes.is_empty()).collect())
            }
            _ => Graph::new(count, Wiring::Serial),
        }
    }

    /// Decides a level where every read has one writer.
    pub(crate) fn decide_reads(
        &self,
        isolation: Isolation,
        reads: &ReadsFrom,
        conflicts_max: u64,
        budget: &mut Budget,
    ) -> Result<LevelOutcome, TransactionError> {
        let (graph, decided) = if isolation.family() == IsolationFamily::WeakCausal {
            weak_causal::decide(self, reads, isolation, budget)
        } else if isolation.is_decided_by_visibility() {
            match visibility::graph(self, reads, isolation, budget) {
                _ if budget.exhausted().is_some() => (self.empty_graph(isolation), OrderOutcome::TooHard),
                Err(cycle) => (self.empty_graph(isolation), OrderOutcome::Cycle(cycle)),
                Ok(graph) => {
                    let found = graph.topological(&base_order::priorities(&graph, self));
                    (graph, found.map_or_else(OrderOutcome::Cycle, OrderOutcome::Order))
                }
            }
        } else {
            let mut graph = self.empty_graph(isolation);
            base_order::scope(&mut graph, self, reads, isolation.scope());
            base_order::known_reads(&mut graph, reads);
            let updates = match isolation.family() {
                IsolationFamily::CursorStability => {
                    let is_update = |read: &ExternalRead| {
                        self.all[read.reader].written(read.key).is_some()
                            && self.is_cursor_read(read.reader, read.key)
                    };
                    Cow::Owned(self.item_reads(reads, &is_update))
                }
                IsolationFamily::RepeatableRead if self.has_absences() => {
                    Cow::Owned(self.item_reads(reads, &|_| true))
                }
                _ => Cow::Borrowed(reads),
            };
            match version_chains::add(&mut graph, self, &updates, isolation.family()) {
                Err(cycle) => (graph, OrderOutcome::Cycle(cycle)),
                Ok(open) => version_order::decide(graph, open, self, conflicts_max, budget),
            }
        };
        let decided = match budget.exhausted() {
            Some(limit) => OrderOutcome::Limit(limit),
            None => decided,
        };
        self.answer(isolation, &graph, decided, reads)
    }

    /// Some of the reads of items, which come before the next version: not those of keys that a range did not show.
    fn item_reads(&self, reads: &ReadsFrom, is_kept: &dyn Fn(&ExternalRead) -> bool) -> ReadsFrom {
        let is_item = |read: &&ExternalRead| !self.all[read.reader].is_absent(read.position) && is_kept(read);
        ReadsFrom {
            reads: reads.reads.iter().filter(is_item).cloned().collect(),
            included: reads.included.clone(),
            is_required: reads.is_required.clone(),
        }
    }

    /// Replays an order that was found, or describes why there is none.
    fn answer(
        &self,
        isolation: Isolation,
        graph: &Graph,
        decided: OrderOutcome,
        reads: &ReadsFrom,
    ) -> Result<LevelOutcome, TransactionError> {
        let nodes = match decided {
            OrderOutcome::TooHard => return Ok(LevelOutcome::TooHard),
            OrderOutcome::Limit(limit) => return Ok(LevelOutcome::Decided(unknown(limit), Blame::default())),
            OrderOutcome::Cycle(cycle) => {
                let anomaly = Anomaly::Cycle(self.describe(&cycle));
                return Ok(violation(anomaly, Blame::of_cycle(cycle)));
            }
            OrderOutcome::NoOrder(keys) => {
                let uses = |one: &usize| {
                    let accesses = self.all[*one].reads.iter().chain(&self.all[*one].writes);
                    accesses.clone().any(|(key, _)| keys.contains(key))
                };
                let named = (0..self.all.len()).filter(uses).collect();
                let keys = keys.iter().map(|key| self.key(*key)).collect();
                return Ok(violation(Anomaly::NoOrder { keys }, Blame::of(named)));
            }
            OrderOutcome::Order(nodes) => nodes,
        };
        let mut is_present = vec![false; self.all.len()];
        reads.included.iter().for_each(|one| is_present[*one] = true);
        let endpoint = |node: &GraphNode| {
            let one = graph.transaction(*node).filter(|one| is_present[*one])?;
            Some(if graph.is_commit(*node) {
                Endpoint::Commit(one)
            } else {
                Endpoint::Begin(one)
            })
        };
        let endpoints: Vec<Endpoint> = nodes.iter().filter_map(endpoint).collect();
        let order: Vec<usize> = endpoints
            .iter()
            .filter_map(|endpoint| match endpoint {
                Endpoint::Commit(one) => Some(*one),
                Endpoint::Begin(_) => None,
            })
            .collect();
        replay::check(self, reads, &endpoints, &order, isolation).map_err(TransactionError::Rejected)?;
        let valid = IsolationConclusion::Valid(self.labels(&order));
        let found = Blame {
            commits: order,
            ..Blame::default()
        };
        Ok(LevelOutcome::Decided(valid, found))
    }
}
