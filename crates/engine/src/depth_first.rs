//! Depth-first search over the same configurations as the sweep.
//!
//! Where much is open at once and the history is valid, following one explanation to the end is far cheaper than keeping
//! all of them. It needs the rest of the history in memory, and on a violation it has to try everything; so it runs
//! beside the sweep, in turns.

use std::hash::{Hash, Hasher};

use hashbrown::HashSet;
use omnilink_trace::Time;
use rustc_hash::FxBuildHasher;

use crate::config::Config;
use crate::evidence::{Stuck, Survivor};
use crate::ledger::{Ledger, OpRef};
use crate::mask::{Mask, mix};
use crate::open_ops::OpenOps;
use crate::path::{PathId, START};
use crate::space::StateId;
use crate::sweep::{Reached, Sweep, Tools};

/// A call or a return, with the slot that the operation has from its call to its return.
#[derive(Clone, Copy, Debug)]
enum Event {
    Call(OpRef, u32),
    Return(OpRef, u32),
}

/// Everything that is still to come, with slots assigned.
#[derive(Debug)]
pub(crate) struct Schedule {
    events: Vec<Event>,
    /// How many slots are needed.
    pub width: usize,
}

impl Schedule {
    /// Merges the returns of what is open in `sweep` with the calls and returns of `backlog`, which is in order of
    /// start.
    pub fn new<K: Mask>(sweep: &Sweep<K>, backlog: impl Iterator<Item = OpRef>, ledger: &Ledger) -> Self {
        let mut events = Vec::new();
        let mut width = sweep.ops.open.slots().last().map_or(0, |slot| slot + 1);
        let mut returns: std::collections::BinaryHeap<std::cmp::Reverse<(Time, u64, u32, OpRef)>> = sweep
            .pending_returns()
            .into_iter()
            .map(|(end, id, slot)| std::cmp::Reverse((end, id, slot, sweep.ops.slot(slot as usize).op)))
            .collect();
        let mut occupied = crate::mask::WideMask::default();
        sweep.ops.open.slots().for_each(|slot| occupied.insert(slot));
        if let Some(slot) = sweep.returning {
            events.push(Event::Return(sweep.ops.slot(slot).op, slot as u32));
            occupied.remove(slot);
        }
        for op in backlog {
            let entry = ledger.get(op);
            while let Some(std::cmp::Reverse((end, _, slot, returning))) = returns.peek().copied()
                && end < entry.start
            {
                returns.pop();
                events.push(Event::Return(returning, slot));
                occupied.remove(slot as usize);
            }
            let slot = occupied.first_absent();
            occupied.insert(slot);
            width = width.max(slot + 1);
            events.push(Event::Call(op, slot as u32));
            if !entry.is_pending() {
                returns.push(std::cmp::Reverse((entry.end, entry.id, slot as u32, op)));
            }
        }
        while let Some(std::cmp::Reverse((_, _, slot, op))) = returns.pop() {
            events.push(Event::Return(op, slot));
        }
        Self { events, width }
    }
}

/// A configuration in front of a return that it has not placed.
#[derive(Debug)]
struct Frame<K> {
    event: u32,
    config: Config<K>,
    /// What is still to be tried, once the operation that returns has been.
    todo: K,
    /// Whether `todo` has been filled. On easy histories it never is: the operation that returns is accepted.
    is_expanded: bool,
    /// The operation being tried and its next successor.
    trying: Option<(u32, u32)>,
    /// The slot that returns here, if its operation need not have happened and that is still to be tried.
    skip: Option<u32>,
    /// How long the trail was here.
    trail: u32,
}

/// A configuration in front of an event: what has been tried in vain.
#[derive(Debug, PartialEq, Eq)]
struct Visit<K> {
    event: u32,
    state: StateId,
    placed: K,
}

impl<K: Mask> Visit<K> {
    fn new(event: u32, config: &Config<K>) -> Self {
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

/// The search, which can be interrupted and resumed.
#[derive(Debug)]
pub(crate) struct DepthFirst<K> {
    events: Vec<Event>,
    ops: OpenOps<K>,
    /// The event that `ops` stands in front of.
    position: u32,
    roots: Vec<Config<K>>,
    frames: Vec<Frame<K>>,
    /// The operations placed since the root, in order.
    trail: Vec<OpRef>,
    root_path: PathId,
    failed: HashSet<Visit<K>, FxBuildHasher>,
    /// The last event that a frame was left at.
    deepest: u32,
    /// The event that the attempts in `stuck` ended at.
    stuck_at: u32,
    stuck: Vec<(Config<K>, Vec<OpRef>)>,
    stuck_total: u64,
    done: bool,
    /// What the current step cost, in candidates: the sweep is charged the same way.
    effort: u64,
}

impl<K: Mask> DepthFirst<K> {
    pub fn new<S: Mask>(schedule: Schedule, sweep: &Sweep<S>) -> Self {
        Self {
            events: schedule.events,
            ops: sweep.ops.widen(),
            position: 0,
            roots: sweep
                .frontier
                .iter()
                .map(|config| Config {
                    state: config.state,
                    placed: config.placed.convert(),
                    path: config.path,
                })
                .collect(),
            frames: Vec::new(),
            trail: Vec::new(),
            root_path: START,
            failed: HashSet::with_hasher(FxBuildHasher),
            deepest: 0,
            stuck_at: 0,
            stuck: Vec::new(),
            stuck_total: 0,
            done: false,
            effort: 0,
        }
    }

    /// Goes on for as long as there is fuel. `Target` means that an explanation was found.
    pub fn run(&mut self, fuel: &mut u64, ledger: &Ledger, tools: &mut Tools<'_, '_>) -> Reached {
        while !self.done {
            if self.frames.is_empty() {
                let Some(root) = self.roots.pop() else {
                    return Reached::Violation;
                };
                self.rewind(0, ledger, tools);
                self.trail.clear();
                self.root_path = root.path;
                self.enter(root, 0, ledger, tools);
                continue;
            }
            if *fuel == 0 {
                return Reached::NoFuel;
            }
            let (failed, frames) = (&self.failed, &self.frames);
            let bytes = || {
                failed.capacity() * (size_of::<Visit<K>>() + 1) + frames.capacity() * size_of::<Frame<K>>()
            };
            if tools.meter.configuration(|| tools.space.heap_bytes() + bytes()) {
                return Reached::Limit;
            }
            self.effort = 1;
            self.try_next(ledger, tools);
            *fuel = fuel.saturating_sub(self.effort);
        }
        Reached::Target
    }

    /// Tries one more way to go on from the newest frame, or gives the frame up.
    fn try_next(&mut self, ledger: &Ledger, tools: &mut Tools<'_, '_>) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let event = frame.event;
        let trail = frame.trail as usize;
        if frame.trying.is_none() {
            let Some(slot) = frame
                .todo
                .slots()
                .min_by_key(|slot| ledger.get(self.ops.slot(*slot).op).deadline())
            else {
                self.rewind(event, ledger, tools);
                self.trail.truncate(trail);
                self.widen_or_leave(ledger, tools);
                return;
            };
            frame.todo.remove(slot);
            frame.trying = Some((slot as u32, 0));
        }
        let Some((slot, branch)) = frame.trying else {
            return;
        };
        let config = frame.config.clone();
        self.rewind(event, ledger, tools);
        self.trail.truncate(trail);
        let slot = slot as usize;
        let successors = tools.space.successors(config.state, self.ops.slot(slot).class);
        let state = tools.space.successor(successors, branch as usize);
        if let Some(frame) = self.frames.last_mut() {
            frame.trying = state.map(|_| (slot as u32, branch + 1));
        }
        let Some(state) = state else { return };
        let mut placed = config.placed;
        placed.insert(slot);
        self.trail.push(self.ops.slot(slot).op);
        let (ops, trail) = (&self.ops, &mut self.trail);
        ops.absorb(tools.space, state, &mut placed, tools.reductions, |slot| {
            trail.push(ops.slot(slot).op)
        });
        self.enter(
            Config {
                state,
                placed,
                path: config.path,
            },
            event,
            ledger,
            tools,
        );
    }

    /// Fills the newest frame with everything there is to try besides the operation that returns; after that, skips that
    /// operation, if it need not have happened; after that, gives the frame up.
    fn widen_or_leave(&mut self, ledger: &Ledger, tools: &mut Tools<'_, '_>) {
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
            let mut todo = self.ops.relevant(
                tools.space,
                state,
                &config.placed,
                target as usize,
                tools.reductions,
            );
            todo.remove(target as usize);
            self.effort += todo.count() as u64;
            frame.todo = todo;
        } else if let Some(slot) = frame.skip.take() {
            config.placed.insert(slot as usize);
            self.enter(config, event, ledger, tools);
        } else {
            self.give_up();
        }
    }

    /// Goes forward from `event` to the first return that `config` has not placed, and leaves a frame there.
    fn enter(&mut self, mut config: Config<K>, event: u32, ledger: &Ledger, tools: &mut Tools<'_, '_>) {
        debug_assert_eq!(self.position, event);
        loop {
            match self.events.get(self.position as usize) {
                None => {
                    self.done = true;
                    return;
                }
                Some(&Event::Call(op, slot)) => {
                    let slot = slot as usize;
                    self.ops.occupy(slot, op, ledger, tools.space);
                    if tools.reductions.absorption
                        && self.ops.pure.contains(slot)
                        && self.ops.is_first(slot, &config.placed)
                        && tools.space.accepts(config.state, self.ops.slot(slot).class)
                    {
                        config.placed.insert(slot);
                        self.trail.push(op);
                    }
                }
                Some(&Event::Return(_, slot)) if config.placed.contains(slot as usize) => {
                    config.placed.remove(slot as usize);
                    self.ops.vacate(slot as usize);
                }
                Some(&Event::Return(_, slot)) => return self.leave_frame(config, slot as usize),
            }
            self.position += 1;
        }
    }

    fn leave_frame(&mut self, config: Config<K>, target: usize) {
        let event = self.position;
        if !self.failed.is_empty() && self.failed.contains(&Visit::new(event, &config)) {
            return;
        }
        self.deepest = self.deepest.max(event);
        let skip = self.ops.optional.contains(target).then_some(target as u32);
        let (todo, trail) = (K::default(), self.trail.len() as u32);
        // What may have happened did not, if something that its thread called later is placed.
        let trying = self
            .ops
            .is_due(target, &config.placed)
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

    /// Gives the newest frame up. Only now is it remembered: a frame never comes up twice on one path, because every step
    /// places an operation, so on an easy history nothing is remembered at all.
    fn give_up(&mut self) {
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
        if self.stuck_at < event {
            self.stuck_at = event;
            self.stuck.clear();
            self.stuck_total = 0;
        }
        self.stuck_total += 1;
        if self.stuck.len() < Stuck::KEPT {
            let end = trail as usize;
            let from = end.saturating_sub(Stuck::TAIL);
            self.stuck.push((config, self.trail[from..end].to_vec()));
        }
    }

    /// Takes back events until `ops` stands in front of `event`.
    fn rewind(&mut self, event: u32, ledger: &Ledger, tools: &mut Tools<'_, '_>) {
        while self.position > event {
            self.position -= 1;
            match self.events[self.position as usize] {
                Event::Call(_, slot) => self.ops.vacate(slot as usize),
                Event::Return(op, slot) => self.ops.occupy(slot as usize, op, ledger, tools.space),
            }
        }
    }

    /// Whether an explanation may have been missed because of a tie that was not expected.
    pub fn is_doubtful(&self) -> bool {
        self.ops.is_doubtful
    }

    /// How many calls and returns the best attempt got past.
    pub fn depth(&self) -> u64 {
        u64::from(self.deepest)
    }

    /// After success: the path to start from and the operations placed after it.
    pub fn explanation(&self) -> (PathId, &[OpRef]) {
        (self.root_path, &self.trail)
    }

    /// After failure: the return that no explanation gets past.
    pub fn stuck(&mut self, ledger: &Ledger, tools: &mut Tools<'_, '_>) -> Option<Stuck> {
        let event = self.deepest;
        // A failed search leaves `ops` at the start: go forward to where the best attempts ended.
        self.rewind(0, ledger, tools);
        while self.position < event {
            match self.events[self.position as usize] {
                Event::Call(op, slot) => self.ops.occupy(slot as usize, op, ledger, tools.space),
                Event::Return(_, slot) => self.ops.vacate(slot as usize),
            }
            self.position += 1;
        }
        let Some(&Event::Return(target, _)) = self.events.get(event as usize) else {
            return None;
        };
        let survivors = self
            .stuck
            .drain(..)
            .map(|(config, tail)| Survivor::new(&config, &self.ops, tail))
            .collect();
        Some(Stuck {
            target,
            survivors,
            total: self.stuck_total,
        })
    }
}
