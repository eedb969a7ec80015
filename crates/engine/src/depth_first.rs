//! Depth-first search over the same configurations as the sweep.
//!
//! On a valid history with many open operations, following one explanation to the end is far cheaper than keeping all of
//! them. But depth-first search needs the rest of the history in memory, and on a violation it has to try everything. So
//! it alternates with the sweep.

mod schedule;

use std::hash::{Hash, Hasher};

use hashbrown::HashSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use schedule::Event;
pub(crate) use schedule::Schedule;

use crate::blocked_return::{BlockedReturn, PartialExplanation};
use crate::configuration::Configuration;
use crate::mask::{Mask, mix};
use crate::op_table::{OpRef, OpTable};
use crate::open_ops::OpenOps;
use crate::path::{PathId, START};
use crate::search_context::{Advance, SearchContext};
use crate::state_ids::StateId;
use crate::sweep::Sweep;

/// An explanation of the beginning of a schedule.
#[derive(Debug)]
pub(crate) struct Prefix {
    pub state: StateId,
    /// The path to start from, and the operations placed after it.
    pub path: PathId,
    pub trail: Vec<OpRef>,
    /// The operations that are open after it, and whether each is placed.
    pub open: Vec<(OpRef, bool)>,
    /// The operations that have returned, and whether each was placed.
    pub returned: Vec<(OpRef, bool)>,
    /// The number of calls in it.
    pub calls: usize,
}

/// A configuration in front of a return that it has not placed.
#[derive(Debug)]
struct Frame<K> {
    event: u32,
    config: Configuration<K>,
    /// The operations to try after the one that returns.
    todo: K,
    /// Whether `todo` has been filled. On easy histories it never is, because the operation that returns is accepted.
    is_expanded: bool,
    /// The operation being tried and its next successor.
    trying: Option<(u32, u32)>,
    /// The slot that returns here, if its operation is optional and leaving it out has not been tried yet.
    skip: Option<u32>,
    /// The length of the trail at this frame.
    trail: u32,
}

/// A configuration in front of an event, as a key of the failed ones.
#[derive(Debug, PartialEq, Eq)]
struct Visit<K> {
    event: u32,
    state: StateId,
    placed: K,
}

impl<K: Mask> Visit<K> {
    fn new(event: u32, config: &Configuration<K>) -> Self {
        Self {
            event,
            state: config.state,
            placed: config.placed.clone(),
        }
    }
}

impl<K: Mask> Hash for Visit<K> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(mix(u64::from(self.event) << 32 | u64::from(self.state)) ^ self.placed.hash64());
    }
}

/// A depth-first search, which can be interrupted and resumed.
#[derive(Debug)]
pub(crate) struct DepthFirst<K> {
    events: Vec<Event>,
    ops: OpenOps<K>,
    /// The event that `ops` is in front of.
    position: u32,
    roots: Vec<Configuration<K>>,
    frames: Vec<Frame<K>>,
    /// The operations placed since the root, in order.
    trail: Vec<OpRef>,
    root_path: PathId,
    /// The operations that the root has placed.
    root_placed: Vec<OpRef>,
    /// Where the search failed before. Whether the rest can be explained is a function of the key: the position fixes the events that
    /// follow and which operation each bit of `placed` stands for; the state and the placed operations fix what each of them meets.
    failed: HashSet<Visit<K>, FxBuildHasher>,
    /// The last event in front of which a frame was pushed.
    deepest: u32,
    /// The event at which the attempts in `blocked` ended.
    blocked_at: u32,
    /// The configurations of the deepest failed frames, with the operations placed last.
    blocked: Vec<(Configuration<K>, Vec<OpRef>)>,
    blocked_total: u64,
    done: bool,
    /// The cost of the current step in candidates, the unit in which the sweep is charged as well.
    effort: u64,
}

impl<K: Mask> DepthFirst<K> {
    pub fn new<S: Mask>(schedule: Schedule, sweep: &Sweep<S>) -> Self {
        Self {
            events: schedule.events,
            ops: sweep.ops.widen(),
            position: 0,
            roots: sweep.frontier.iter().map(Configuration::convert).collect(),
            frames: Vec::new(),
            trail: Vec::new(),
            root_path: START,
            root_placed: Vec::new(),
            failed: HashSet::with_hasher(FxBuildHasher),
            deepest: 0,
            blocked_at: 0,
            blocked: Vec::new(),
            blocked_total: 0,
            done: false,
            effort: 0,
        }
    }

    /// Searches while there is fuel. `Done` means that an explanation was found.
    pub fn run(
        &mut self,
        fuel: &mut u64,
        op_table: &OpTable,
        context: &mut SearchContext<'_, '_>,
    ) -> Advance {
        while !self.done {
            if self.frames.is_empty() {
                let Some(root) = self.roots.pop() else {
                    return Advance::Violation;
                };
                self.rewind(0, op_table, context);
                self.trail.clear();
                self.root_path = root.path;
                let placed = root.placed.slots().map(|slot| self.ops.slot(slot).op);
                self.root_placed = placed.collect();
                self.enter(root, 0, op_table, context);
                continue;
            }
            if *fuel == 0 {
                return Advance::OutOfFuel;
            }
            let (failed, frames) = (&self.failed, &self.frames);
            let bytes = || {
                failed.capacity() * (size_of::<Visit<K>>() + 1) + frames.capacity() * size_of::<Frame<K>>()
            };
            if context
                .budget
                .configuration(|| context.space.heap_bytes() + bytes())
            {
                return Advance::Limit;
            }
            self.effort = 1;
            self.try_next(op_table, context);
            *fuel = fuel.saturating_sub(self.effort);
        }
        Advance::Done
    }

    /// Tries one more candidate of the newest frame, or moves on when it has none left.
    fn try_next(&mut self, op_table: &OpTable, context: &mut SearchContext<'_, '_>) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let event = frame.event;
        let trail = frame.trail as usize;
        if frame.trying.is_none() {
            let Some(slot) = frame
                .todo
                .slots()
                .min_by_key(|slot| op_table.get(self.ops.slot(*slot).op).deadline())
            else {
                self.rewind(event, op_table, context);
                self.trail.truncate(trail);
                self.expand_frame(op_table, context);
                return;
            };
            frame.todo.remove(slot);
            frame.trying = Some((slot as u32, 0));
        }
        let Some((slot, branch)) = frame.trying else {
            return;
        };
        let config = frame.config.clone();
        self.rewind(event, op_table, context);
        self.trail.truncate(trail);
        let slot = slot as usize;
        let successors = context.space.successors(config.state, self.ops.slot(slot).class);
        let state = context.space.successor(successors, branch as usize);
        if let Some(frame) = self.frames.last_mut() {
            frame.trying = state.map(|_| (slot as u32, branch + 1));
        }
        let Some(state) = state else { return };
        let mut placed = config.placed;
        placed.insert(slot);
        self.trail.push(self.ops.slot(slot).op);
        let (ops, trail) = (&self.ops, &mut self.trail);
        ops.absorb(context.space, state, &mut placed, context.reductions, |slot| {
            trail.push(ops.slot(slot).op)
        });
        self.enter(
            Configuration {
                state,
                placed,
                path: config.path,
            },
            event,
            op_table,
            context,
        );
    }

    /// Continues with the newest frame after the operation that returns has been tried: first fills in the other
    /// candidates, then leaves the operation out if it is optional, then fails the frame.
    fn expand_frame(&mut self, op_table: &OpTable, context: &mut SearchContext<'_, '_>) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let event = frame.event;
        let Some(&Event::Return(_, target)) = self.events.get(event as usize) else {
            return;
        };
        let mut config = frame.config.clone();
        if !frame.is_expanded {
            frame.is_expanded = true;
            let state = config.state;
            let mut todo = self.ops.stubborn_set(
                context.space,
                state,
                &config.placed,
                target as usize,
                context.reductions,
            );
            todo.remove(target as usize);
            self.effort += todo.count() as u64;
            frame.todo = todo;
        } else if let Some(slot) = frame.skip.take() {
            config.placed.insert(slot as usize);
            self.enter(config, event, op_table, context);
        } else {
            self.fail_frame();
        }
    }

    /// Advances from `event` to the first return that `config` has not placed, and pushes a frame there.
    fn enter(
        &mut self,
        mut config: Configuration<K>,
        event: u32,
        op_table: &OpTable,
        context: &mut SearchContext<'_, '_>,
    ) {
        debug_assert_eq!(self.position, event);
        loop {
            match self.events.get(self.position as usize) {
                None => {
                    self.done = true;
                    return;
                }
                Some(&Event::Call(op, slot)) => {
                    let slot = slot as usize;
                    self.ops.occupy(slot, op, op_table, context.space);
                    if context.reductions.absorption
                        && self.ops.pure.contains(slot)
                        && self.ops.predecessors_placed(slot, &config.placed)
                        && context.space.accepts(config.state, self.ops.slot(slot).class)
                    {
                        config.placed.insert(slot);
                        self.trail.push(op);
                    }
                }
                Some(&Event::Return(_, slot)) if config.placed.contains(slot as usize) => {
                    config.placed.remove(slot as usize);
                    self.ops.vacate(slot as usize);
                }
                Some(&Event::Return(_, slot)) => return self.push_frame(config, slot as usize),
            }
            self.position += 1;
        }
    }

    fn push_frame(&mut self, config: Configuration<K>, target: usize) {
        let event = self.position;
        if !self.failed.is_empty() && self.failed.contains(&Visit::new(event, &config)) {
            return;
        }
        self.deepest = self.deepest.max(event);
        let skip = self.ops.optional.contains(target).then_some(target as u32);
        let (todo, trail) = (K::default(), self.trail.len() as u32);
        // An optional operation did not happen if a later operation of its thread is placed.
        let trying = self
            .ops
            .may_come_next(target, &config.placed)
            .then_some((target as u32, 0));
        self.frames.push(Frame {
            event,
            config,
            todo,
            is_expanded: false,
            trying,
            skip,
            trail,
        });
    }

    /// Pops the newest frame and records its configuration as failed. Recording it earlier is unnecessary: every step
    /// places an operation, so no configuration occurs twice on one path. On an easy history nothing is recorded.
    fn fail_frame(&mut self) {
        let Some(Frame {
            event, config, trail, ..
        }) = self.frames.pop()
        else {
            return;
        };
        self.failed.insert(Visit::new(event, &config));
        if event < self.deepest {
            return;
        }
        if self.blocked_at < event {
            self.blocked_at = event;
            self.blocked.clear();
            self.blocked_total = 0;
        }
        self.blocked_total += 1;
        if self.blocked.len() < BlockedReturn::KEPT {
            let end = trail as usize;
            let from = end.saturating_sub(BlockedReturn::RECENT);
            self.blocked.push((config, self.trail[from..end].to_vec()));
        }
    }

    /// Undoes events until `ops` is in front of `event`.
    fn rewind(&mut self, event: u32, op_table: &OpTable, context: &mut SearchContext<'_, '_>) {
        while self.position > event {
            self.position -= 1;
            match self.events[self.position as usize] {
                Event::Call(_, slot) => self.ops.vacate(slot as usize),
                Event::Return(op, slot) => self.ops.occupy(slot as usize, op, op_table, context.space),
            }
        }
    }

    /// Whether an explanation may have been missed because of an unexpected tie.
    pub fn is_inconclusive(&self) -> bool {
        self.ops.is_inconclusive
    }

    /// The number of calls and returns in its schedule.
    pub fn events(&self) -> u32 {
        self.events.len() as u32
    }

    /// The number of calls and returns that the best attempt got past.
    pub fn depth(&self) -> u64 {
        u64::from(self.deepest)
    }

    /// After success: the path to start from and the operations placed after it.
    pub fn explanation(&self) -> (PathId, &[OpRef]) {
        (self.root_path, &self.trail)
    }

    /// After success: the explanation up to the last return that it had to place an operation for, `margin` events or more before the
    /// end; `None` if there is none.
    pub fn prefix(
        mut self,
        margin: u32,
        op_table: &OpTable,
        context: &mut SearchContext<'_, '_>,
    ) -> Option<Prefix> {
        let until = (self.events.len() as u32).checked_sub(margin)?;
        let frames = self.frames.partition_point(|frame| frame.event <= until);
        self.frames.truncate(frames);
        let Frame {
            event, config, trail, ..
        } = self.frames.pop()?;
        self.rewind(event, op_table, context);
        self.trail.truncate(trail as usize);
        let placed: FxHashSet<OpRef> = self.trail.iter().chain(&self.root_placed).copied().collect();
        let before = &self.events[..event as usize];
        let returned = before.iter().filter_map(|event| match event {
            Event::Return(op, _) => Some((*op, placed.contains(op))),
            Event::Call(..) => None,
        });
        let returned: Vec<(OpRef, bool)> = returned.collect();
        let open = self.ops.open.slots();
        let open = open.map(|slot| (self.ops.slot(slot).op, config.placed.contains(slot)));
        Some(Prefix {
            state: config.state,
            path: config.path,
            open: open.collect(),
            calls: before.len() - returned.len(),
            returned,
            trail: self.trail,
        })
    }

    /// After failure: the return that no explanation gets past.
    pub fn blocked_return(
        &mut self,
        op_table: &OpTable,
        context: &mut SearchContext<'_, '_>,
    ) -> Option<BlockedReturn> {
        let event = self.deepest;
        // A failed search leaves `ops` at the start. Advance to where the best attempts ended.
        self.rewind(0, op_table, context);
        while self.position < event {
            match self.events[self.position as usize] {
                Event::Call(op, slot) => self.ops.occupy(slot as usize, op, op_table, context.space),
                Event::Return(_, slot) => self.ops.vacate(slot as usize),
            }
            self.position += 1;
        }
        let Some(&Event::Return(target, _)) = self.events.get(event as usize) else {
            return None;
        };
        let configurations = self
            .blocked
            .drain(..)
            .map(|(config, recent)| PartialExplanation::new(&config, &self.ops, recent))
            .collect();
        Some(BlockedReturn {
            target,
            configurations,
            total: self.blocked_total,
        })
    }
}
