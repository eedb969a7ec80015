//! Sequential consistency: an explanation that keeps each thread's own order, and nothing else.
//!
//! A configuration is how far each thread got, and the state. Nothing ever forces an operation, so the sweep has nothing
//! to sweep; this is a depth-first search over those configurations with everything visited remembered.

use hashbrown::HashSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::evidence::{Stuck, Survivor};
use crate::ledger::{Entry, Ledger, OpRef};
use crate::space::StateId;
use crate::sweep::Tools;

/// What the search found.
pub(crate) enum Answer {
    /// An order, as positions in the history.
    Explained(Vec<u32>),
    /// The configuration that got furthest.
    Stuck(Stuck, Ledger),
    /// A limit was reached; the configuration that got furthest so far.
    Limit(Stuck, Ledger),
}

/// One thread's operations and what is still to come after each.
#[derive(Debug, Default)]
struct Thread {
    ops: Vec<u32>,
    /// Key bits read by this operation and those after it.
    reads: Vec<u64>,
    /// Key bits written by this operation and those after it.
    writes: Vec<u64>,
    /// How far the thread must get.
    goal: usize,
}

type Positions = Box<[u32]>;

/// A way to go on: a thread's next operation happens, or, being optional, does not.
#[derive(Clone, Copy, Debug)]
enum Move {
    Place { thread: u32, branch: u32 },
    Skip { thread: u32 },
}

struct Frame {
    positions: Positions,
    state: StateId,
    moves: Vec<Move>,
    trail: usize,
}

struct Search<'a> {
    history: &'a [Entry],
    threads: Vec<Thread>,
    visited: HashSet<(Positions, StateId), FxBuildHasher>,
    frames: Vec<Frame>,
    trail: Vec<u32>,
    furthest: Option<(usize, Positions, StateId, Vec<u32>)>,
}

/// Searches for an order of `history`, which is in order of start.
pub(crate) fn search(history: &[Entry], initial: &[StateId], tools: &mut Tools<'_, '_>) -> Answer {
    let mut search = Search {
        history,
        threads: threads(history, tools),
        visited: HashSet::with_hasher(FxBuildHasher),
        frames: Vec::new(),
        trail: Vec::new(),
        furthest: None,
    };
    for state in initial {
        let start = vec![0; search.threads.len()].into_boxed_slice();
        search.trail.clear();
        if search.enter(start, *state, tools) {
            return Answer::Explained(search.trail);
        }
        while let Some(frame) = search.frames.last_mut() {
            let visited = &search.visited;
            let per_visit = size_of::<(Positions, StateId)>() + 4 * search.threads.len() + 16;
            if tools
                .meter
                .configuration(|| tools.space.heap_bytes() + visited.capacity() * per_visit)
            {
                let (stuck, ledger) = search.stuck();
                return Answer::Limit(stuck, ledger);
            }
            let Some(next) = frame.moves.pop() else {
                search.frames.pop();
                continue;
            };
            let mut positions = frame.positions.clone();
            let mut state = frame.state;
            search.trail.truncate(frame.trail);
            match next {
                Move::Skip { thread } => positions[thread as usize] += 1,
                Move::Place { thread, branch } => {
                    let op = search.threads[thread as usize].ops[positions[thread as usize] as usize];
                    let successors = tools.space.successors(state, history[op as usize].class);
                    let Some(next) = tools.space.successor(successors, branch as usize) else {
                        continue;
                    };
                    state = next;
                    positions[thread as usize] += 1;
                    search.trail.push(op);
                }
            }
            if search.enter(positions, state, tools) {
                return Answer::Explained(search.trail);
            }
        }
    }
    let (stuck, ledger) = search.stuck();
    Answer::Stuck(stuck, ledger)
}

fn threads(history: &[Entry], tools: &Tools<'_, '_>) -> Vec<Thread> {
    let mut index: FxHashMap<u32, usize> = FxHashMap::default();
    let mut threads: Vec<Thread> = Vec::new();
    for (position, entry) in history.iter().enumerate() {
        let thread = *index.entry(entry.thread).or_insert_with(|| {
            threads.push(Thread::default());
            threads.len() - 1
        });
        let thread = &mut threads[thread];
        thread.ops.push(position as u32);
        if !entry.optional {
            thread.goal = thread.ops.len();
        }
    }
    for thread in &mut threads {
        let (mut reads, mut writes) = (0, 0);
        for op in thread.ops.iter().rev() {
            let facts = tools.space.source.facts(history[*op as usize].class);
            reads |= facts.reads;
            writes |= facts.writes;
            thread.reads.push(reads);
            thread.writes.push(writes);
        }
        thread.reads.reverse();
        thread.writes.reverse();
    }
    threads
}

impl Search<'_> {
    fn head(&self, thread: usize, positions: &[u32]) -> Option<u32> {
        self.threads[thread].ops.get(positions[thread] as usize).copied()
    }

    /// Absorbs what can be absorbed and leaves a frame. `true`: everything is explained.
    fn enter(&mut self, mut positions: Positions, state: StateId, tools: &mut Tools<'_, '_>) -> bool {
        if tools.reductions.absorption {
            // Read absorption as in the sweep: a thread's next operation has nothing before it.
            for thread in 0..self.threads.len() {
                while let Some(op) = self.head(thread, &positions) {
                    let class = self.history[op as usize].class;
                    if !tools.space.source.facts(class).pure || !tools.space.accepts(state, class) {
                        break;
                    }
                    positions[thread] += 1;
                    self.trail.push(op);
                }
            }
        }
        if self
            .threads
            .iter()
            .zip(&positions)
            .all(|(thread, position)| *position as usize >= thread.goal)
        {
            return true;
        }
        if !self.visited.insert((positions.clone(), state)) {
            return false;
        }
        if self
            .furthest
            .as_ref()
            .is_none_or(|(placed, ..)| self.trail.len() > *placed)
        {
            let from = self.trail.len().saturating_sub(Stuck::TAIL);
            let recent = self.trail[from..].to_vec();
            self.furthest = Some((self.trail.len(), positions.clone(), state, recent));
        }
        let moves = self.moves(&positions, state, tools);
        self.frames.push(Frame {
            positions,
            state,
            moves,
            trail: self.trail.len(),
        });
        false
    }

    /// The ways to go on, the best last.
    fn moves(&self, positions: &[u32], state: StateId, tools: &mut Tools<'_, '_>) -> Vec<Move> {
        let mut best: Option<Vec<usize>> = None;
        if tools.reductions.footprints {
            for root in 0..self.threads.len() {
                if (positions[root] as usize) < self.threads[root].goal {
                    let set = self.stubborn(root, positions, state, tools);
                    if best.as_ref().is_none_or(|best| set.len() < best.len()) {
                        best = Some(set);
                    }
                }
            }
        }
        let chosen = best.unwrap_or_else(|| (0..self.threads.len()).collect());
        let mut moves = Vec::new();
        for thread in chosen {
            let Some(op) = self.head(thread, positions) else {
                continue;
            };
            let entry = &self.history[op as usize];
            if entry.optional {
                moves.push(Move::Skip {
                    thread: thread as u32,
                });
            }
            let successors = tools.space.successors(state, entry.class);
            for branch in 0.. {
                if tools.space.successor(successors, branch).is_none() {
                    break;
                }
                moves.push(Move::Place {
                    thread: thread as u32,
                    branch: branch as u32,
                });
            }
        }
        // What began first in real time is the best guess for what happened first.
        moves.sort_by_key(|step| {
            let (Move::Place { thread, .. } | Move::Skip { thread }) = step;
            std::cmp::Reverse(self.head(*thread as usize, positions))
        });
        moves
    }

    /// Threads of which one must move first.
    ///
    /// A stubborn set, as for the sweep (`OpenOps::relevant`), of threads instead of operations: it contains `root`,
    /// which has to move; for each next operation that is refused, every thread with an operation still to come
    /// that may make it accepted; for each that is accepted, every thread with an operation still to come that does not
    /// commute with it. The first operation of an explanation that belongs to one of these threads is its thread's
    /// next one, is accepted now, and commutes with all before it. Skipping an optional operation commutes with
    /// everything. ∎
    fn stubborn(
        &self,
        root: usize,
        positions: &[u32],
        state: StateId,
        tools: &mut Tools<'_, '_>,
    ) -> Vec<usize> {
        let mut set = vec![root];
        let mut next = 0;
        while let Some(&thread) = set.get(next) {
            next += 1;
            let Some(op) = self.head(thread, positions) else {
                continue;
            };
            let class = self.history[op as usize].class;
            let facts = *tools.space.source.facts(class);
            let accepted = tools.space.accepts(state, class);
            for (other, rest) in self.threads.iter().enumerate() {
                let at = positions[other] as usize;
                if at >= rest.ops.len() || set.contains(&other) {
                    continue;
                }
                let (reads, writes) = (rest.reads[at], rest.writes[at]);
                let meets = if accepted {
                    writes & (facts.reads | facts.writes) | reads & facts.writes
                } else {
                    writes & facts.reads
                };
                if meets != 0 {
                    set.push(other);
                }
            }
        }
        set
    }

    fn stuck(self) -> (Stuck, Ledger) {
        let mut ledger = Ledger::default();
        let refs: Vec<OpRef> = self.history.iter().map(|entry| ledger.add(*entry)).collect();
        let Some((placed, positions, state, recent)) = &self.furthest else {
            let none = Stuck {
                target: 0,
                survivors: Vec::new(),
                total: 0,
            };
            return (none, ledger);
        };
        let heads: Vec<u32> = (0..self.threads.len())
            .filter_map(|thread| self.head(thread, positions))
            .collect();
        let blocked = heads
            .iter()
            .filter(|op| !self.history[**op as usize].optional)
            .min()
            .copied();
        let survivor = Survivor {
            state: *state,
            placed: Vec::new(),
            unplaced: heads.iter().map(|op| refs[*op as usize]).collect(),
            tail: recent.iter().map(|op| refs[*op as usize]).collect(),
        };
        let target = refs[blocked.unwrap_or(0) as usize];
        (
            Stuck {
                target,
                survivors: vec![survivor],
                total: *placed as u64,
            },
            ledger,
        )
    }
}
