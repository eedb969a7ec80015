//! What is wrong with a history, by the names of Adya, Cerone and Jepsen.
//!
//! Reads that nothing explains are found one by one (`wrong_reads`). The others are cycles of dependencies, which depend on the order of
//! versions (`version_sequence`).

use std::cmp::Reverse;

use omnilink_engine::Limits;
use omnilink_evidence::{Anomaly, DependencyEdge, NamedAnomaly};
use omnilink_history::Budget;
use omnilink_history::order_graph::OrderEdge;
use omnilink_sorting::sort_by_key;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cycle_search::{DependencyCycle, shortest_cycles};
use crate::dependency::{Dependencies, Dependency, DependencyKind};
use crate::edge_check::{EdgeCheck, Proof};
use crate::level::Isolation;
use crate::level_outcome::{Blame, IsolationConclusion};
use crate::reads_from::{ReadsFrom, reads_from};
use crate::survey::Survey;
use crate::transaction::{Fate, Id, Transactions};
use crate::version_sequence::VersionSequence;
use crate::writers_of::WritersOf;
use crate::wrong_reads;

/// An anomaly: its name, what happened, and a shortest cycle if it is one.
#[derive(Clone, Debug)]
pub(crate) struct FoundAnomaly {
    pub name: String,
    pub text: String,
    pub cycle: DependencyCycle,
}

/// Up to this many transactions, cycles of every class are searched.
const TRANSACTIONS_MAX: usize = 100_000;

impl Transactions {
    /// The anomalies of a history.
    pub(crate) fn anomalies(&self, survey: &Survey) -> Vec<FoundAnomaly> {
        let mut found: Vec<FoundAnomaly> = Vec::new();
        for anomaly in wrong_reads::all(self) {
            if !found.iter().any(|known| known.name == anomaly.kind.name()) {
                found.push(FoundAnomaly {
                    name: anomaly.kind.name().to_owned(),
                    text: anomaly.text,
                    cycle: Vec::new(),
                });
            }
        }
        let has_versions = self
            .read_anomalies
            .iter()
            .all(|anomaly| !anomaly.hides_versions());
        // Without a survey there is no order of versions to go by.
        let is_surveyed = !survey.verdicts.is_empty() && self.all.len() <= TRANSACTIONS_MAX;
        if !is_surveyed || !has_versions || self.readings.is_some() || !self.has_unique_values() {
            return found;
        }
        let reads = self.certain_reads();
        let commits = if survey.commits.is_empty() {
            &reads.included
        } else {
            &survey.commits
        };
        let sequence = VersionSequence::of_commits(self, commits);
        let orders = sequence.all(self).into_iter();
        let each = orders.map(|versions| self.ordered(&reads, versions));
        let Some((cycles, graph)) = { each }.min_by_key(|(anomalies, _)| size(anomalies)) else {
            return found;
        };
        found.extend(cycles);
        found.extend(self.time_patterns(&found, &graph));
        found.extend(self.session_patterns(survey));
        found
    }

    /// The anomalies that are cycles or shapes of them, for one order of versions.
    fn ordered(&self, reads: &ReadsFrom, versions: Vec<Vec<usize>>) -> (Vec<FoundAnomaly>, Dependencies) {
        let graph = Dependencies::new(self, reads, versions);
        let cycles = shortest_cycles(&graph).into_iter();
        let named = cycles.map(|(name, cycle)| FoundAnomaly {
            text: meaning(&name).to_owned(),
            name,
            cycle,
        });
        let mut found: Vec<FoundAnomaly> = named.collect();
        found.extend(self.patterns(&graph));
        (found, graph)
    }

    /// The reads whose writer is certain, of transactions that committed.
    fn certain_reads(&self) -> ReadsFrom {
        let budget = &mut Budget::new(Limits::default());
        match reads_from(self, &|_, _, _| true, budget) {
            Ok(reads) => reads,
            Err(_) => ReadsFrom::certain(self),
        }
    }

    /// Anomalies with a shape of their own.
    fn patterns(&self, graph: &Dependencies) -> Vec<FoundAnomaly> {
        let mut found = Vec::new();
        let mut add = |name: &str, text: Option<String>| {
            found.extend(text.map(|text| FoundAnomaly {
                name: name.to_owned(),
                text,
                cycle: Vec::new(),
            }));
        };
        add("lost-update", self.lost_update(graph));
        add("write-skew", self.write_skew(graph));
        add("long-fork", self.long_fork(graph));
        add("fractured-read", self.fractured_read(graph));
        add("cyclic-versions", self.cyclic_versions(graph));
        found
    }

    fn label(&self, one: usize) -> &str {
        &self.all[one].label
    }

    /// Two transactions that read the same version of a key and both write the key.
    fn lost_update(&self, graph: &Dependencies) -> Option<String> {
        let mut first: FxHashMap<(Id, Option<usize>), usize> = FxHashMap::default();
        for read in graph.reads.iter().filter(|read| !read.is_absent) {
            if self.all[read.reader].written(read.key).is_none() {
                continue;
            }
            let other = *first.entry((read.key, read.writer)).or_insert(read.reader);
            if other != read.reader {
                return Some(format!(
                    "{} and {} read the same version of {} and both wrote it: the update of one is lost",
                    self.label(other),
                    self.label(read.reader),
                    self.key(read.key)
                ));
            }
        }
        None
    }

    /// Two transactions, each of which read what the other overwrote, of different keys.
    fn write_skew(&self, graph: &Dependencies) -> Option<String> {
        let anti = |edge: &&Dependency| edge.kind == DependencyKind::Rw;
        for edge in graph.out.iter().flatten().filter(anti) {
            let back = graph.out[edge.to].iter().filter(anti);
            if let Some(back) = { back }.find(|back| back.to == edge.from && back.key != edge.key) {
                return Some(format!(
                    "{} read {} before {} wrote it, which read {} before the first wrote it",
                    self.label(edge.from),
                    self.key(edge.key),
                    self.label(edge.to),
                    self.key(back.key)
                ));
            }
        }
        None
    }

    /// Two readers that see two writers in opposite orders.
    fn long_fork(&self, graph: &Dependencies) -> Option<String> {
        let each =
            |one: usize, kind: DependencyKind| graph.out[one].iter().filter(move |edge| edge.kind == kind);
        for first in 0..graph.out.len() {
            for seen in each(first, DependencyKind::Wr) {
                for missed in each(seen.to, DependencyKind::Rw) {
                    let second = missed.to;
                    if second == first {
                        continue;
                    }
                    for other in each(second, DependencyKind::Wr) {
                        let is_back = |edge: &Dependency| edge.to == first;
                        if other.to != seen.to
                            && other.to != first
                            && each(other.to, DependencyKind::Rw).any(is_back)
                        {
                            return Some(format!(
                                "{} saw {} and not {}; {} saw {} and not {}",
                                self.label(seen.to),
                                self.label(first),
                                self.label(second),
                                self.label(other.to),
                                self.label(second),
                                self.label(first)
                            ));
                        }
                    }
                }
            }
        }
        None
    }

    /// A transaction that read from another one, and missed another write of it.
    fn fractured_read(&self, graph: &Dependencies) -> Option<String> {
        let mut place: FxHashMap<(Id, usize), usize> = FxHashMap::default();
        for (key, writers) in graph.versions.iter().enumerate() {
            place.extend(
                writers
                    .iter()
                    .enumerate()
                    .map(|(at, writer)| ((key as Id, *writer), at + 1)),
            );
        }
        let mut by_reader: FxHashMap<usize, Vec<(Id, Option<usize>)>> = FxHashMap::default();
        for read in &graph.reads {
            by_reader
                .entry(read.reader)
                .or_default()
                .push((read.key, read.writer));
        }
        let mut readers: Vec<_> = by_reader.into_iter().collect();
        sort_by_key(&mut readers, |(reader, _)| *reader);
        for (reader, reads) in &readers {
            for (seen_key, seen) in reads.iter().filter_map(|(key, writer)| Some((*key, (*writer)?))) {
                let is_older = |(key, writer): &&(Id, Option<usize>)| {
                    let at = writer.map_or(Some(0), |writer| place.get(&(*key, writer)).copied());
                    let written = place.get(&(*key, seen));
                    *key != seen_key && at.zip(written).is_some_and(|(at, written)| at < *written)
                };
                if let Some((key, _)) = reads.iter().find(is_older) {
                    return Some(format!(
                        "{} read {} from {} and an older version of {}, which {} wrote, too",
                        self.label(*reader),
                        self.key(seen_key),
                        self.label(seen),
                        self.key(*key),
                        self.label(seen)
                    ));
                }
            }
        }
        None
    }

    /// Read-modify-writes of one key that form a cycle: each wrote what another one had read.
    fn cyclic_versions(&self, graph: &Dependencies) -> Option<String> {
        if !self.successions.is_empty() {
            return None;
        }
        let mut previous: FxHashMap<(Id, usize), usize> = FxHashMap::default();
        for read in &graph.reads {
            let is_update = self.all[read.reader].written(read.key).is_some();
            if let Some(writer) = read.writer.filter(|_| is_update) {
                previous.insert((read.key, read.reader), writer);
            }
        }
        let mut starts: Vec<(Id, usize)> = previous.keys().copied().collect();
        starts.sort_unstable();
        let mut is_done: FxHashSet<(Id, usize)> = FxHashSet::default();
        for (key, start) in starts {
            let mut at = start;
            let mut path: FxHashSet<usize> = FxHashSet::default();
            while is_done.insert((key, at)) {
                path.insert(at);
                match previous.get(&(key, at)) {
                    Some(earlier) if path.contains(earlier) => {
                        return Some(format!(
                            "versions of {} follow each other in a circle",
                            self.key(key)
                        ));
                    }
                    Some(earlier) => at = *earlier,
                    None => break,
                }
            }
        }
        None
    }

    /// A shortest cycle of dependencies that a level forbids and whose every edge is proved; only one that is not longer than the one
    /// that is known, unless that one is not proved.
    pub(crate) fn proved_cycle<'a>(
        &self,
        isolation: Isolation,
        anomalies: &'a [FoundAnomaly],
        known: &[OrderEdge],
    ) -> Option<&'a DependencyCycle> {
        let writers = WritersOf::new(self);
        let check = EdgeCheck::new(self, &writers, isolation);
        let is_proved = |cycle: &[OrderEdge]| check.cycle(cycle) == Proof::Proved;
        let of = |cycle: &DependencyCycle| -> Vec<OrderEdge> { cycle.iter().map(Dependency::edge).collect() };
        let proved = anomalies
            .iter()
            .map(|anomaly| &anomaly.cycle)
            .filter(|cycle| !cycle.is_empty() && is_proved(&of(cycle)));
        let shortest = proved.min_by_key(|cycle| cycle.len())?;
        (shortest.len() <= known.len() || !is_proved(known)).then_some(shortest)
    }

    /// The anomalies for evidence.
    pub(crate) fn named(&self, anomalies: &[FoundAnomaly]) -> Vec<NamedAnomaly> {
        let edge = |edge: &Dependency| DependencyEdge {
            from: self.label(edge.from).to_owned(),
            to: self.label(edge.to).to_owned(),
            kind: edge.kind.name().to_owned(),
            key: (edge.kind < DependencyKind::Session).then(|| self.key(edge.key)),
            reason: self.reason(edge),
        };
        let named = anomalies.iter().map(|anomaly| NamedAnomaly {
            name: anomaly.name.clone(),
            text: anomaly.text.clone(),
            cycle: anomaly.cycle.iter().map(edge).collect(),
        });
        named.collect()
    }

    /// A violation that is a cycle of dependencies, with what it is about: also those who tell the order of two versions by what they read.
    pub(crate) fn cycle_violation(
        &self,
        cycle: &DependencyCycle,
        isolation: Isolation,
    ) -> (IsolationConclusion, Blame) {
        let writers = WritersOf::new(self);
        let check = EdgeCheck::new(self, &writers, isolation);
        let steps: Vec<OrderEdge> = cycle.iter().map(Dependency::edge).collect();
        let tellers = steps.iter().map(|step| check.teller(step));
        let tellers: Vec<Option<usize>> = tellers.collect();
        let edges = cycle.iter().zip(&tellers).map(|(edge, teller)| {
            let told = teller.map(|one| {
                format!(
                    ", as {} read the later version of {} and had seen the first",
                    self.label(one),
                    self.key(edge.key)
                )
            });
            self.edge_text(edge) + &told.unwrap_or_default()
        });
        let anomaly = Anomaly::Cycle(edges.collect());
        let mut blame = Blame::of_cycle(steps);
        blame.named.extend(tellers.into_iter().flatten());
        blame.named.sort_unstable();
        blame.named.dedup();
        (IsolationConclusion::Violation(Box::new(anomaly)), blame)
    }

    /// An edge in one line.
    fn edge_text(&self, edge: &Dependency) -> String {
        format!(
            "{} before {}: {}",
            self.label(edge.from),
            self.label(edge.to),
            self.reason(edge)
        )
    }

    /// Why an edge is there, in words.
    fn reason(&self, edge: &Dependency) -> String {
        let (from, to) = (&self.all[edge.from], &self.all[edge.to]);
        let key = self.key(edge.key);
        let written = |one: usize| {
            let value = self.all[one].written(edge.key);
            value.map_or_else(String::new, |value| format!(" = {}", self.value(edge.key, value)))
        };
        match edge.kind {
            DependencyKind::Wr => format!(
                "{} read {key}{}, which {} wrote",
                to.label,
                written(edge.from),
                from.label
            ),
            DependencyKind::Ww => format!(
                "{} overwrote {key}{} of {}",
                to.label,
                written(edge.from),
                from.label
            ),
            DependencyKind::Rw => {
                let shown = |(version, _): (Id, bool)| format!(" = {}", self.value(edge.key, version));
                let read = edge.read.map_or_else(String::new, shown);
                format!("{} read {key}{read}, which {} overwrote", from.label, to.label)
            }
            DependencyKind::Session => format!("{} came first in their session", from.label),
            DependencyKind::RealTime => format!("{} had ended when {} began", from.label, to.label),
        }
    }
}

/// How much is wrong: by the worst anomaly, then the number of anomalies, then the length of their cycles. So what is named contradicts no
/// level that holds, if some order of versions does not; and no order has a part of these anomalies only, because what is worst in it
/// would be no worse, and there would be fewer.
fn size(anomalies: &[FoundAnomaly]) -> (Reverse<usize>, usize, usize) {
    let edges = anomalies.iter().map(|anomaly| anomaly.cycle.len()).sum();
    let mildest = CLASSES.len() * 2;
    let worst = anomalies.iter().map(|anomaly| mildness(&anomaly.name)).min();
    (Reverse(worst.unwrap_or(mildest)), anomalies.len(), edges)
}

/// Classes of cycles, the worst first: what is forbidden by the weakest levels.
const CLASSES: [&str; 6] = ["G0", "G1c", "G-single", "G-nonadjacent", "G2-item", "G2"];

/// The place of an anomaly among the classes of cycles: those that need sessions or real time are milder than any that does not.
fn mildness(name: &str) -> usize {
    let base = name.trim_end_matches("-process").trim_end_matches("-realtime");
    let class = CLASSES.iter().position(|class| *class == base);
    match class {
        Some(class) if base.len() == name.len() => class,
        Some(class) => CLASSES.len() + class,
        None => CLASSES.len() * 2,
    }
}

/// What a class of cycles means.
fn meaning(class: &str) -> &'static str {
    let base = class.trim_end_matches("-process").trim_end_matches("-realtime");
    match base {
        "G0" => "dirty write: transactions overwrote each other in a circle",
        "G1c" => "circular information flow: transactions saw or overwrote each other in a circle",
        "G-single" => "read skew: a transaction saw a part of what it depends on",
        "G-nonadjacent" => {
            "transactions missed each other's writes, never twice in a row: no snapshots explain it"
        }
        "G2" => {
            "phantom: transactions missed each other's writes, one of them in a range, which snapshots allow"
        }
        _ => "anti-dependency cycle: transactions missed each other's writes, which snapshots allow",
    }
}

impl ReadsFrom {
    /// The committed transactions, with those of their reads that have exactly one writer.
    fn certain(transactions: &Transactions) -> Self {
        let writers = WritersOf::new(transactions);
        let mut certain = Self::without_reads(transactions);
        for &reader in &certain.included.clone() {
            for (position, (key, value)) in transactions.all[reader].reads.iter().enumerate() {
                let writer = match (writers.of(*key, *value), *value == crate::transaction::NIL) {
                    ([], true) => None,
                    ([only], false) if *only != reader && transactions.all[*only].fate == Fate::Committed => {
                        Some(*only)
                    }
                    _ => continue,
                };
                certain.push(reader, position, *key, writer);
            }
        }
        certain
    }
}
