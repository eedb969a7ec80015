//! The search for sequential consistency: an explanation keeps the order of each thread and no other order.
//!
//! A configuration is a position in each thread and a state. No return forces an operation, so the sweep does not apply.
//! This is a depth-first search over the configurations with a set of visited ones.

use hashbrown::HashSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use omnilink_sorting::sort_by_key;

use crate::blocked_return::{BlockedReturn, PartialExplanation};
use crate::op_table::{OpRecord, OpRef, OpTable};
use crate::search_context::SearchContext;
use crate::state_ids::StateId;

/// The result of the search.
pub(crate) enum ProgramOrderResult {
    /// An order, as positions in the history.
    Explained(Vec<u32>),
    /// There is no explanation. The configuration that got furthest.
    Blocked(BlockedReturn, OpTable),
    /// A limit was reached. The configuration that got furthest so far.
    Limit(BlockedReturn, OpTable),
}

/// The operations of one thread, with the union of the footprints from each of them on.
#[derive(Debug, Default)]
struct Thread {
    ops: Vec<u32>,
    /// The key bits that this operation and the later ones read.
    reads: Vec<u64>,
    /// The key bits that this operation and the later ones write.
    writes: Vec<u64>,
    /// The position behind the last mandatory operation.
    goal: usize,
}

type Positions = Box<[u32]>;

/// The next operation of a thread happens or, if it is optional, does not.
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

struct ProgramOrderSearch<'a> {
    history: &'a [OpRecord],
    threads: Vec<Thread>,
    /// What follows is a function of these: how far each thread is, and the state.
    visited: HashSet<(Positions, StateId), FxBuildHasher>,
    frames: Vec<Frame>,
    trail: Vec<u32>,
    furthest: Option<(usize, Positions, StateId, Vec<u32>)>,
}

/// Searches for an order of `history`, which is in order of start.
pub(crate) fn search(
    history: &[OpRecord],
    initial: &[StateId],
    context: &mut SearchContext<'_, '_>,
) -> ProgramOrderResult {
    let mut search = ProgramOrderSearch {
        history,
        threads: threads(history, context),
        visited: HashSet::with_hasher(FxBuildHasher),
        frames: Vec::new(),
        trail: Vec::new(),
        furthest: None,
    };
    for state in initial {
        let start = vec![0; search.threads.len()].into_boxed_slice();
        search.trail.clear();
        if search.enter(start, *state, context) {
            return ProgramOrderResult::Explained(search.trail);
        }
        while let Some(frame) = search.frames.last_mut() {
            let visited = &search.visited;
            let per_visit = size_of::<(Positions, StateId)>() + 4 * search.threads.len() + 16;
            if context
                .budget
                .configuration(|| context.space.heap_bytes() + visited.capacity() * per_visit)
            {
                let (blocked, op_table) = search.blocked_return();
                return ProgramOrderResult::Limit(blocked, op_table);
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
                    let successors = context.space.successors(state, history[op as usize].class);
                    let Some(next) = context.space.successor(successors, branch as usize) else {
                        continue;
                    };
                    state = next;
                    positions[thread as usize] += 1;
                    search.trail.push(op);
                }
            }
            if search.enter(positions, state, context) {
                return ProgramOrderResult::Explained(search.trail);
            }
        }
    }
    let (blocked, op_table) = search.blocked_return();
    ProgramOrderResult::Blocked(blocked, op_table)
}

fn threads(history: &[OpRecord], context: &SearchContext<'_, '_>) -> Vec<Thread> {
    let mut index: FxHashMap<u32, usize> = FxHashMap::default();
    let mut threads: Vec<Thread> = Vec::new();
    for (position, record) in history.iter().enumerate() {
        let thread = *index.entry(record.thread).or_insert_with(|| {
            threads.push(Thread::default());
            threads.len() - 1
        });
        let thread = &mut threads[thread];
        thread.ops.push(position as u32);
        if !record.optional {
            thread.goal = thread.ops.len();
        }
    }
    for thread in &mut threads {
        let (mut reads, mut writes) = (0, 0);
        for op in thread.ops.iter().rev() {
            let facts = context.space.model.facts(history[*op as usize].class);
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

impl ProgramOrderSearch<'_> {
    fn head(&self, thread: usize, positions: &[u32]) -> Option<u32> {
        self.threads[thread].ops.get(positions[thread] as usize).copied()
    }

    /// Absorbs reads and pushes a frame. Returns `true` if everything is explained.
    fn enter(
        &mut self,
        mut positions: Positions,
        state: StateId,
        context: &mut SearchContext<'_, '_>,
    ) -> bool {
        if context.reductions.absorption {
            // Read absorption as in the sweep: the next operation of a thread has no unplaced predecessor.
            for thread in 0..self.threads.len() {
                while let Some(op) = self.head(thread, &positions) {
                    let class = self.history[op as usize].class;
                    if !context.space.model.facts(class).pure || !context.space.accepts(state, class) {
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
            let from = self.trail.len().saturating_sub(BlockedReturn::RECENT);
            let recent = self.trail[from..].to_vec();
            self.furthest = Some((self.trail.len(), positions.clone(), state, recent));
        }
        let moves = self.moves(&positions, state, context);
        self.frames.push(Frame {
            positions,
            state,
            moves,
            trail: self.trail.len(),
        });
        false
    }

    /// The moves to try, the best one last.
    fn moves(&self, positions: &[u32], state: StateId, context: &mut SearchContext<'_, '_>) -> Vec<Move> {
        let mut best: Option<Vec<usize>> = None;
        if context.reductions.footprints {
            for root in 0..self.threads.len() {
                if (positions[root] as usize) < self.threads[root].goal {
                    let set = self.stubborn_threads(root, positions, state, context);
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
            let record = &self.history[op as usize];
            if record.optional {
                moves.push(Move::Skip {
                    thread: thread as u32,
                });
            }
            let successors = context.space.successors(state, record.class);
            for branch in 0.. {
                if context.space.successor(successors, branch).is_none() {
                    break;
                }
                moves.push(Move::Place {
                    thread: thread as u32,
                    branch: branch as u32,
                });
            }
        }
        // The operation that started first is the best guess for the one that happened first.
        sort_by_key(&mut moves, |step| {
            let (Move::Place { thread, .. } | Move::Skip { thread }) = step;
            std::cmp::Reverse(self.head(*thread as usize, positions))
        });
        moves
    }

    /// A set of threads of which one must move first.
    ///
    /// A stubborn set like that of the sweep (`OpenOps::stubborn_set`), of threads instead of operations. It contains
    /// `root`, which has to move; for each next operation that is refused, every thread with a later operation that may
    /// enable it; for each that is accepted, every thread with a later operation that does not commute with it. The
    /// first operation of an explanation that belongs to one of these threads is the next one of its thread, is accepted
    /// now, and commutes with everything before it. Skipping an optional operation commutes with everything. ∎
    fn stubborn_threads(
        &self,
        root: usize,
        positions: &[u32],
        state: StateId,
        context: &mut SearchContext<'_, '_>,
    ) -> Vec<usize> {
        let mut set = vec![root];
        let mut next = 0;
        while let Some(&thread) = set.get(next) {
            next += 1;
            let Some(op) = self.head(thread, positions) else {
                continue;
            };
            let class = self.history[op as usize].class;
            let facts = *context.space.model.facts(class);
            let accepted = context.space.accepts(state, class);
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

    fn blocked_return(self) -> (BlockedReturn, OpTable) {
        let mut op_table = OpTable::default();
        let refs: Vec<OpRef> = self.history.iter().map(|record| op_table.add(*record)).collect();
        let Some((placed, positions, state, recent)) = &self.furthest else {
            let none = BlockedReturn {
                target: 0,
                configurations: Vec::new(),
                total: 0,
            };
            return (none, op_table);
        };
        let heads: Vec<u32> = (0..self.threads.len())
            .filter_map(|thread| self.head(thread, positions))
            .collect();
        let blocked = heads
            .iter()
            .filter(|op| !self.history[**op as usize].optional)
            .min()
            .copied();
        let configuration = PartialExplanation {
            state: *state,
            placed: Vec::new(),
            unplaced: heads.iter().map(|op| refs[*op as usize]).collect(),
            recent: recent.iter().map(|op| refs[*op as usize]).collect(),
        };
        let target = refs[blocked.unwrap_or(0) as usize];
        (
            BlockedReturn {
                target,
                configurations: vec![configuration],
                total: *placed as u64,
            },
            op_table,
        )
    }
}
