//! A satisfiability solver over choices between edges: can they all be made without a cycle?
//!
//! A variable is a choice; each of its two values adds edges. Clauses restrict the choices. This is conflict-driven
//! clause learning in which, besides a clause without a true literal, a cycle is a conflict: the choices that its
//! edges come from cannot all be made, which is a clause to learn.
//!
//! *Sound and complete*: a learned clause follows from the given clauses and from acyclicity. So if the empty clause
//! is learned there is no solution; and if all variables have values without a conflict, the graph's order is
//! topological. Each conflict adds a clause that contradicts the current values, so the search terminates if no clause is
//! ever forgotten.
//!
//! *Forgetting*: learned clauses follow from what was given, so leaving any of them out changes no answer. Where they take too
//! much memory, half of them are dropped: those whose literals were set by many decisions, which rarely propagate
//! anything. Kept are the reasons of current values, which conflicts are analysed by. The room for them grows each time, so
//! from some time on nothing is forgotten any more and the search terminates.

use std::collections::BinaryHeap;

use omnilink_engine::Limit;
use omnilink_history::Budget;
use omnilink_history::order_graph::GraphNode;
use omnilink_sorting::sort_by_key;

use crate::acyclic_graph::{ALWAYS, AcyclicGraph, Cycle};

/// A variable with a value: twice the variable, plus one for false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal(pub u32);

impl Literal {
    pub fn is_true(variable: u32) -> Self {
        Self(2 * variable)
    }

    fn variable(self) -> usize {
        self.0 as usize / 2
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

pub(crate) type Edges = smallvec::SmallVec<[(GraphNode, GraphNode); 2]>;

/// The outcome of a search.
#[derive(Debug)]
pub(crate) enum Solved {
    /// All variables have values.
    Yes,
    /// There is no solution. The last cycle, if the search ended with one.
    No(Option<Cycle>),
    Limit(Limit),
    /// The allowed number of conflicts was reached.
    TooHard,
}

/// What is left to do when all variables have values.
pub(crate) enum Remaining {
    /// Nothing.
    Nothing,
    /// Variables were added that are needed after all.
    Variables,
    /// The edges of this walk must not all be there.
    Forbidden(Cycle),
}

enum Conflict {
    Clause(usize),
    Cycle(Cycle),
}

const NO_CLAUSE: u32 = u32::MAX;

/// How many literals of learned clauses are kept at first: four megabytes.
const LEARNED_LITERALS: usize = 1 << 20;

/// A clause that can be forgotten.
#[derive(Clone, Copy, Debug)]
struct LearnedClause {
    number: u32,
    /// How many decisions set its literals when it was learned.
    decisions: u32,
}

#[derive(Debug)]
pub(crate) struct Solver {
    pub graph: AcyclicGraph,
    /// The edges that each literal adds.
    edges: Vec<Edges>,
    clauses: Vec<Vec<Literal>>,
    learned: Vec<LearnedClause>,
    /// The numbers of clauses that were forgotten. They are empty, and nothing watches them.
    forgotten: Vec<u32>,
    /// The number of literals in learned clauses, and how many there may be.
    learned_literals: usize,
    learned_literals_max: usize,
    /// The clauses that watch each literal.
    watches: Vec<Vec<u32>>,
    /// The value of each variable.
    values: Vec<Option<bool>>,
    level: Vec<u32>,
    reason: Vec<u32>,
    /// The last conflict in which each variable occurred.
    activity: Vec<u64>,
    /// Variables that are tried as true although they add no edge as false.
    is_preferred: Vec<bool>,
    waiting: BinaryHeap<(u64, std::cmp::Reverse<u32>)>,
    trail: Vec<Literal>,
    /// For each propagated literal of the trail, the number of edges before it.
    edges_before: Vec<usize>,
    /// The start of each decision level in the trail.
    levels: Vec<usize>,
    is_refuted: bool,
    conflicts: u64,
}

impl Solver {
    pub fn new(graph: AcyclicGraph) -> Self {
        Self {
            graph,
            edges: Vec::new(),
            clauses: Vec::new(),
            learned: Vec::new(),
            forgotten: Vec::new(),
            learned_literals: 0,
            learned_literals_max: LEARNED_LITERALS,
            watches: Vec::new(),
            values: Vec::new(),
            level: Vec::new(),
            reason: Vec::new(),
            activity: Vec::new(),
            is_preferred: Vec::new(),
            waiting: BinaryHeap::new(),
            trail: Vec::new(),
            edges_before: Vec::new(),
            levels: Vec::new(),
            is_refuted: false,
            conflicts: 0,
        }
    }

    /// Adds a variable, with the edges of its two values.
    pub fn variable(&mut self, if_true: Edges, if_false: Edges) -> Literal {
        let variable = self.values.len() as u32;
        self.edges.extend([if_true, if_false]);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.push(None);
        self.level.push(0);
        self.reason.push(NO_CLAUSE);
        self.activity.push(0);
        self.is_preferred.push(false);
        self.waiting.push((0, std::cmp::Reverse(variable)));
        Literal::is_true(variable)
    }

    /// Makes the search try a variable as true first.
    pub fn prefer(&mut self, literal: Literal) {
        self.is_preferred[literal.variable()] = true;
    }

    /// Adds a clause. To be called before [`Solver::solve`].
    pub fn clause(&mut self, literals: Vec<Literal>) {
        debug_assert!(self.levels.is_empty());
        match literals[..] {
            [] => self.is_refuted = true,
            [only] => match self.value(only) {
                Some(false) => self.is_refuted = true,
                Some(true) => {}
                None => self.set(only, NO_CLAUSE),
            },
            _ => {
                self.keep(literals);
            }
        }
    }

    pub fn value(&self, literal: Literal) -> Option<bool> {
        self.values[literal.variable()].map(|value| value == (literal.0 & 1 == 0))
    }

    fn keep(&mut self, literals: Vec<Literal>) -> u32 {
        let number = self.forgotten.pop().unwrap_or_else(|| {
            self.clauses.push(Vec::new());
            self.clauses.len() as u32 - 1
        });
        self.watches[literals[0].index()].push(number);
        self.watches[literals[1].index()].push(number);
        self.clauses[number as usize] = literals;
        number
    }

    fn set(&mut self, literal: Literal, reason: u32) {
        let variable = literal.variable();
        self.values[variable] = Some(literal.0 & 1 == 0);
        self.level[variable] = self.levels.len() as u32;
        self.reason[variable] = reason;
        self.trail.push(literal);
    }

    /// Searches until all variables have values. Then `more` may add variables that are needed after all, or refuse the
    /// values.
    pub fn solve(
        &mut self,
        budget: &mut Budget,
        conflicts_max: u64,
        more: &mut dyn FnMut(&mut Self, &mut Budget) -> Remaining,
    ) -> Solved {
        if self.is_refuted {
            return Solved::No(None);
        }
        let mut refused: Option<Cycle> = None;
        loop {
            let conflict = match refused.take() {
                Some(cycle) => Some(Conflict::Cycle(cycle)),
                None => self.propagate(),
            };
            if let Some(conflict) = conflict {
                self.conflicts += 1;
                if self.levels.is_empty() {
                    return Solved::No(match conflict {
                        Conflict::Cycle(cycle) => Some(cycle),
                        Conflict::Clause(_) => None,
                    });
                }
                if self.conflicts > conflicts_max {
                    return Solved::TooHard;
                }
                self.learn(conflict);
            } else if !self.decide() {
                match more(self, budget) {
                    Remaining::Variables => {}
                    Remaining::Forbidden(cycle) => {
                        // Unlike a cycle, it was not closed by the newest choice: go back to the newest that takes part.
                        self.back_to_newest_of(&cycle);
                        refused = Some(cycle);
                    }
                    Remaining::Nothing => {
                        return match budget.exhausted() {
                            Some(limit) => Solved::Limit(limit),
                            None => Solved::Yes,
                        };
                    }
                }
            }
            let work = std::mem::take(&mut self.graph.work);
            if budget.configuration() || budget.works(work) {
                return Solved::Limit(budget.exhausted().unwrap_or(Limit::Configurations));
            }
        }
    }

    /// Decides a variable, by the value that agrees with the current order.
    fn decide(&mut self) -> bool {
        while let Some((activity, std::cmp::Reverse(variable))) = self.waiting.pop() {
            let is_stale = self.activity[variable as usize] != activity;
            if is_stale || self.values[variable as usize].is_some() {
                continue;
            }
            let literal = Literal::is_true(variable);
            let against = |literal: Literal| {
                let edges = self.edges[literal.index()].iter();
                let position = &self.graph.position;
                edges
                    .filter(|(from, to)| position[*from as usize] > position[*to as usize])
                    .count()
            };
            // A variable that adds no edge as false is tried as false.
            let is_free = self.edges[(!literal).index()].is_empty() && !self.is_preferred[variable as usize];
            let is_true = !is_free && against(literal) <= against(!literal);
            let literal = if is_true { literal } else { !literal };
            self.levels.push(self.trail.len());
            self.set(literal, NO_CLAUSE);
            return true;
        }
        false
    }

    /// Propagates the values of the trail.
    fn propagate(&mut self) -> Option<Conflict> {
        while let Some(&literal) = self.trail.get(self.edges_before.len()) {
            self.edges_before.push(self.graph.edge_count());
            for at in 0..self.edges[literal.index()].len() {
                let (from, to) = self.edges[literal.index()][at];
                if let Err(cycle) = self.graph.add(from, to, literal.0) {
                    return Some(Conflict::Cycle(cycle));
                }
            }
            if let Some(clause) = self.propagate_clauses(!literal) {
                return Some(Conflict::Clause(clause));
            }
        }
        None
    }

    /// Updates the clauses that watch a literal that became false.
    fn propagate_clauses(&mut self, false_literal: Literal) -> Option<usize> {
        let watching = std::mem::take(&mut self.watches[false_literal.index()]);
        let mut kept = Vec::with_capacity(watching.len());
        let mut conflict = None;
        for (at, &number) in watching.iter().enumerate() {
            let clause = &mut self.clauses[number as usize];
            if clause[0] == false_literal {
                clause.swap(0, 1);
            }
            let first = clause[0];
            let value =
                |literal: Literal| self.values[literal.variable()].map(|value| value == (literal.0 & 1 == 0));
            if value(first) == Some(true) {
                kept.push(number);
                continue;
            }
            let other = (2..clause.len()).find(|at| value(clause[*at]) != Some(false));
            if let Some(other) = other {
                clause.swap(1, other);
                let watched = clause[1];
                self.watches[watched.index()].push(number);
                continue;
            }
            kept.push(number);
            if value(first) == Some(false) {
                conflict = Some(number as usize);
                kept.extend_from_slice(&watching[at + 1..]);
                break;
            }
            self.set(first, number);
        }
        self.watches[false_literal.index()] = kept;
        conflict
    }

    /// Learns a clause from a conflict and backtracks.
    fn learn(&mut self, conflict: Conflict) {
        let mut literals = match conflict {
            Conflict::Clause(number) => self.clauses[number].clone(),
            Conflict::Cycle(cycle) => {
                let causes = cycle.edges.iter().filter(|(_, _, cause)| *cause != ALWAYS);
                causes.map(|(_, _, cause)| !Literal(*cause)).collect()
            }
        };
        let current = self.levels.len() as u32;
        let mut is_seen = rustc_hash::FxHashSet::default();
        let mut learned: Vec<Literal> = Vec::new();
        let mut open = 0;
        let mut at = self.trail.len();
        // Resolution with the reasons of the current level's literals, newest first, until one of them is left.
        let asserted = loop {
            for literal in literals.drain(..) {
                let variable = literal.variable();
                if self.level[variable] == 0 || !is_seen.insert(variable) {
                    continue;
                }
                self.activity[variable] = self.conflicts;
                if self.level[variable] == current {
                    open += 1;
                } else {
                    learned.push(literal);
                }
            }
            let literal = loop {
                at -= 1;
                if is_seen.contains(&self.trail[at].variable()) {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                break !literal;
            }
            let reason = self.reason[literal.variable()];
            let clause = &self.clauses[reason as usize];
            literals.extend(clause.iter().copied().filter(|other| *other != literal));
        };
        sort_by_key(&mut learned, |literal| {
            std::cmp::Reverse(self.level[literal.variable()])
        });
        let back_to = learned
            .first()
            .map_or(0, |literal| self.level[literal.variable()]);
        self.back_to(back_to as usize);
        if learned.is_empty() {
            return self.set(asserted, NO_CLAUSE);
        }
        learned.insert(0, asserted);
        let mut levels: Vec<u32> = { learned.iter() }
            .map(|literal| self.level[literal.variable()])
            .collect();
        levels.dedup();
        let decisions = levels.len() as u32;
        self.learned_literals += learned.len();
        let number = self.keep(learned);
        self.learned.push(LearnedClause { number, decisions });
        self.set(asserted, number);
        if self.learned_literals > self.learned_literals_max {
            self.forget();
        }
    }

    /// Forgets half of the learned clauses.
    fn forget(&mut self) {
        let mut learned = std::mem::take(&mut self.learned);
        // Stable: of those with equally many decisions, the newest are kept.
        learned.reverse();
        sort_by_key(&mut learned, |clause| clause.decisions);
        let half = learned.len() / 2;
        let mut at = 0;
        learned.retain(|clause| {
            at += 1;
            let literals = &mut self.clauses[clause.number as usize];
            // The literal that a clause sets is one of its first two, the watched ones.
            let is_reason = { literals.iter().take(2) }.any(|literal| {
                self.values[literal.variable()].is_some() && self.reason[literal.variable()] == clause.number
            });
            if at > half && !is_reason {
                self.learned_literals -= literals.len();
                *literals = Vec::new();
                self.forgotten.push(clause.number);
            }
            !literals.is_empty()
        });
        for watching in &mut self.watches {
            watching.retain(|number| !self.clauses[*number as usize].is_empty());
        }
        self.learned = learned;
        self.learned_literals_max += self.learned_literals_max / 8 + 1;
    }

    /// Backtracks to the level of the newest choice that a cycle's edges come from.
    fn back_to_newest_of(&mut self, cycle: &Cycle) {
        let causes = cycle.edges.iter().filter(|(_, _, cause)| *cause != ALWAYS);
        let newest = causes
            .map(|(_, _, cause)| self.level[Literal(*cause).variable()])
            .max();
        self.back_to(newest.unwrap_or(0) as usize);
    }

    fn back_to(&mut self, level: usize) {
        let Some(&length) = self.levels.get(level) else {
            return;
        };
        self.levels.truncate(level);
        if let Some(edges) = self.edges_before.get(length) {
            self.graph.truncate(*edges);
        }
        self.edges_before.truncate(length);
        for literal in self.trail.drain(length..) {
            let variable = literal.variable();
            self.values[variable] = None;
            self.waiting
                .push((self.activity[variable], std::cmp::Reverse(variable as u32)));
        }
    }
}

#[cfg(test)]
mod tests;
