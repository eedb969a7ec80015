//! Small models that use every feature of the engine, and random histories of them.
#![allow(dead_code, reason = "the unit tests of the engine use some of it")]

use fastrand::Rng;
use omnilink_engine::{Footprint, Keys, Model, Outcomes, TimedOp, successors};
use omnilink_trace::Timebox;

/// True once in `n` times.
pub fn one_in(n: u64, rng: &mut Rng) -> bool {
    rng.u64(..n) == 0
}

/// A model that generates random operations.
pub trait TestModel: Model {
    fn new() -> Self;
    /// An operation whose result `state` allows most of the time.
    fn random_op(&self, state: &Self::State, rng: &mut Rng) -> Self::Op;
    /// The operation without its result.
    fn forget_result(op: Self::Op) -> Self::Op {
        op
    }
}

/// The clock and the failures of a random history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryProfile {
    /// Threads often call at the clock reading at which they returned.
    pub coarse_clock: bool,
    /// One call in `pending` never returns.
    pub pending: u64,
    /// One call in `optional` returns but may not have happened.
    pub optional: u64,
}

impl HistoryProfile {
    /// A random profile.
    pub fn any(rng: &mut Rng) -> Self {
        let coarse_clock = rng.bool();
        let (pending, optional) = [(8, 12), (8, 3), (3, 3)][rng.usize(..3)];
        Self {
            coarse_clock,
            pending,
            optional,
        }
    }
}

/// A random history of up to 4 threads and 8 operations. The results come from one interleaving; some are then changed.
pub fn random_history<T: TestModel>(model: &T, rng: &mut Rng) -> Vec<TimedOp<T::Op>> {
    let profile = HistoryProfile::any(rng);
    let count = 1 + rng.u64(..8);
    history_of(model, count, profile, rng)
}

/// A random history of up to `count` operations.
pub fn history_of<T: TestModel>(
    model: &T,
    count: u64,
    profile: HistoryProfile,
    rng: &mut Rng,
) -> Vec<TimedOp<T::Op>> {
    let threads = 1 + rng.u64(..4);
    let stretch = 1 + rng.u64(..if profile.coarse_clock { 3 } else { 12 });
    let mut clocks = vec![0i64; threads as usize];
    // When the last operation of each thread took effect: the time, and the order among operations of that time.
    let mut moments = vec![(0i64, 0u64); threads as usize];
    let mut dead = vec![false; threads as usize];
    let mut boxes = Vec::new();
    for _ in 0..count {
        let thread = rng.u64(..threads) as usize;
        if dead[thread] {
            continue;
        }
        let start = clocks[thread] + rng.u64(..if profile.coarse_clock { 2 } else { 4 }) as i64;
        let end = start + rng.u64(..stretch) as i64;
        clocks[thread] = if profile.coarse_clock {
            end
        } else {
            end + 1 + rng.u64(..2) as i64
        };
        let pending = one_in(profile.pending, rng);
        dead[thread] = pending;
        let time = start + rng.u64(..(end - start + 1) as u64) as i64;
        moments[thread] = moments[thread].max((time, rng.u64(..8)));
        boxes.push((moments[thread], thread as u32, start, end, pending));
    }
    boxes.sort_by_key(|(moment, ..)| *moment);
    let mut state = model.initial().swap_remove(0);
    let mut history = Vec::new();
    for (_, thread, start, end, pending) in boxes {
        let op = model.random_op(&state, rng);
        let mut next = successors(model, &state, &op);
        let happens = !pending || rng.bool();
        if happens && !next.is_empty() {
            let pick = rng.u64(..next.len() as u64) as usize;
            state = next.swap_remove(pick);
        }
        let (op, timebox) = if pending {
            (T::forget_result(op), Timebox::pending(start))
        } else {
            (op, Timebox::new(start, end))
        };
        let mut operation = TimedOp::new(thread, op, timebox);
        operation.optional = !pending && one_in(profile.optional, rng);
        history.push(operation);
    }
    history.sort_by_key(|operation| operation.timebox.start);
    history
}

/// A random history of threads that switch between two registers at the same clock readings.
pub fn linked_registers(rng: &mut Rng) -> Vec<TimedOp<RegisterOp>> {
    let mut history = Vec::new();
    for thread in 0..2 + rng.u64(..2) {
        let mut clock = 0;
        for _ in 0..2 + rng.u64(..2) {
            let r = rng.u8(..2);
            let op = match rng.u64(..2) {
                0 => RegisterOp::Write(r, 1),
                _ => RegisterOp::Read(r, Some(rng.u8(..2))),
            };
            let end = clock + rng.u64(..2) as i64;
            history.push(TimedOp::new(thread as u32, op, Timebox::new(clock, end)));
            clock = end;
        }
    }
    history.sort_by_key(|operation| operation.timebox.start);
    history
}

/// Registers 0 and 1, with compare-and-swap.
pub struct Register;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RegisterOp {
    Write(u8, u8),
    Read(u8, Option<u8>),
    Cas(u8, u8, u8, Option<bool>),
}

impl Model for Register {
    type State = [u8; 2];
    type Op = RegisterOp;

    fn initial(&self) -> Vec<[u8; 2]> {
        vec![[0, 0]]
    }

    fn step(&self, state: &[u8; 2], op: &RegisterOp, outcomes: &mut Outcomes<[u8; 2]>) {
        match *op {
            RegisterOp::Write(r, value) => {
                let mut next = *state;
                next[r as usize] = value;
                outcomes.accept(next);
            }
            RegisterOp::Read(r, value) => {
                if value.is_none_or(|value| value == state[r as usize]) {
                    outcomes.accept(*state);
                }
            }
            RegisterOp::Cas(r, from, to, ok) => {
                let equal = state[r as usize] == from;
                if ok.is_none_or(|ok| ok == equal) {
                    let mut next = *state;
                    if equal {
                        next[r as usize] = to;
                    }
                    outcomes.accept(next);
                }
            }
        }
    }

    fn is_pure(&self, op: &RegisterOp) -> bool {
        matches!(op, RegisterOp::Read(..) | RegisterOp::Cas(_, _, _, Some(false)))
    }

    fn footprint(&self, op: &RegisterOp) -> Footprint {
        match *op {
            RegisterOp::Write(r, _) => Footprint::overwrites(Keys::one(r.into())),
            RegisterOp::Read(r, _) => Footprint::reads(Keys::one(r.into())),
            RegisterOp::Cas(r, ..) => Footprint::updates(Keys::one(r.into())),
        }
    }

    fn may_enable(&self, _: &[u8; 2], refused: &RegisterOp, helper: &RegisterOp) -> bool {
        let wanted = match *refused {
            RegisterOp::Read(_, Some(value)) | RegisterOp::Cas(_, value, _, Some(true)) => value,
            _ => return true,
        };
        match *helper {
            RegisterOp::Write(_, value) | RegisterOp::Cas(_, _, value, _) => value == wanted,
            RegisterOp::Read(..) => false,
        }
    }
}

impl TestModel for Register {
    fn new() -> Self {
        Self
    }

    fn random_op(&self, state: &[u8; 2], rng: &mut Rng) -> RegisterOp {
        let r = one_in(3, rng) as u8;
        let held = state[r as usize];
        let seen = if one_in(5, rng) { rng.u8(..3) } else { held };
        match rng.u64(..3) {
            0 => RegisterOp::Write(r, rng.u8(..3)),
            1 => RegisterOp::Read(r, Some(seen)),
            _ => {
                let from = rng.u8(..3);
                RegisterOp::Cas(r, from, rng.u8(..3), Some((from == held) ^ one_in(6, rng)))
            }
        }
    }

    fn forget_result(op: RegisterOp) -> RegisterOp {
        match op {
            RegisterOp::Read(r, _) => RegisterOp::Read(r, None),
            RegisterOp::Cas(r, from, to, _) => RegisterOp::Cas(r, from, to, None),
            write => write,
        }
    }
}

/// A map of three keys with counts over all of them.
pub struct Map;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MapOp {
    Insert(u8, bool),
    Remove(u8, bool),
    Has(u8, bool),
    Count(u8),
}

impl Model for Map {
    type State = [bool; 3];
    type Op = MapOp;

    fn initial(&self) -> Vec<[bool; 3]> {
        vec![[false; 3]]
    }

    fn step(&self, state: &[bool; 3], op: &MapOp, outcomes: &mut Outcomes<[bool; 3]>) {
        let mut next = *state;
        let accepted = match *op {
            MapOp::Insert(key, new) => std::mem::replace(&mut next[key as usize], true) != new,
            MapOp::Remove(key, there) => std::mem::replace(&mut next[key as usize], false) == there,
            MapOp::Has(key, there) => state[key as usize] == there,
            MapOp::Count(count) => state.iter().filter(|there| **there).count() == count as usize,
        };
        if accepted {
            outcomes.accept(next);
        }
    }

    fn is_pure(&self, op: &MapOp) -> bool {
        !matches!(op, MapOp::Insert(_, true) | MapOp::Remove(_, true))
    }

    fn footprint(&self, op: &MapOp) -> Footprint {
        match *op {
            MapOp::Insert(key, true) | MapOp::Remove(key, true) => Footprint::updates(Keys::one(key.into())),
            MapOp::Insert(key, _) | MapOp::Remove(key, _) | MapOp::Has(key, _) => {
                Footprint::reads(Keys::one(key.into()))
            }
            MapOp::Count(_) => Footprint::reads(Keys::Only([0, 1, 2].as_slice().into())),
        }
    }

    fn may_enable(&self, state: &[bool; 3], refused: &MapOp, helper: &MapOp) -> bool {
        let adds = matches!(helper, MapOp::Insert(_, true));
        match *refused {
            MapOp::Count(count) => adds == (state.iter().filter(|there| **there).count() < count as usize),
            MapOp::Insert(_, new) => adds != new,
            MapOp::Remove(_, there) | MapOp::Has(_, there) => adds == there,
        }
    }
}

impl TestModel for Map {
    fn new() -> Self {
        Self
    }

    fn random_op(&self, state: &[bool; 3], rng: &mut Rng) -> MapOp {
        let key = rng.u8(..3);
        let there = state[key as usize] ^ one_in(8, rng);
        match rng.u64(..4) {
            0 => MapOp::Insert(key, !there),
            1 => MapOp::Remove(key, there),
            2 => MapOp::Has(key, there),
            _ => {
                let count = state.iter().filter(|there| **there).count() as u64;
                MapOp::Count(if one_in(8, rng) { rng.u64(..4) } else { count } as u8)
            }
        }
    }
}

/// A first-in first-out queue without declarations.
pub struct Queue;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QueueOp {
    Push(u8),
    Pop(Option<u8>),
}

impl Model for Queue {
    type State = Vec<u8>;
    type Op = QueueOp;

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![Vec::new()]
    }

    fn step(&self, state: &Vec<u8>, op: &QueueOp, outcomes: &mut Outcomes<Vec<u8>>) {
        match op {
            QueueOp::Push(value) => {
                let mut next = state.clone();
                next.push(*value);
                outcomes.accept(next);
            }
            QueueOp::Pop(value) if state.first() == value.as_ref() => {
                outcomes.accept(state.get(1..).unwrap_or(&[]).to_vec());
            }
            QueueOp::Pop(_) => {}
        }
    }

    fn is_pure(&self, op: &QueueOp) -> bool {
        matches!(op, QueueOp::Pop(None))
    }
}

impl TestModel for Queue {
    fn new() -> Self {
        Self
    }

    fn random_op(&self, state: &Vec<u8>, rng: &mut Rng) -> QueueOp {
        match rng.u64(..2) {
            0 => QueueOp::Push(rng.u8(..3)),
            _ if one_in(8, rng) => QueueOp::Pop(Some(rng.u8(..3))),
            _ => QueueOp::Pop(state.first().copied()),
        }
    }
}

/// A counter whose increments may be lost or doubled, so that every step branches. It starts at 0 or at 1.
pub struct Lossy;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LossyOp {
    Add(u8),
    Read(u8),
}

impl Model for Lossy {
    type State = u8;
    type Op = LossyOp;

    fn initial(&self) -> Vec<u8> {
        vec![0, 1]
    }

    fn step(&self, state: &u8, op: &LossyOp, outcomes: &mut Outcomes<u8>) {
        match *op {
            LossyOp::Add(n) => (0..3).for_each(|times| outcomes.accept(state + n * times)),
            LossyOp::Read(n) if n == *state => outcomes.accept(n),
            LossyOp::Read(_) => {}
        }
    }

    fn is_pure(&self, op: &LossyOp) -> bool {
        matches!(op, LossyOp::Read(_))
    }
}

impl TestModel for Lossy {
    fn new() -> Self {
        Self
    }

    fn random_op(&self, state: &u8, rng: &mut Rng) -> LossyOp {
        match rng.u64(..2) {
            0 => LossyOp::Add(1 + rng.u8(..3)),
            _ if one_in(3, rng) => LossyOp::Read(rng.u8(..8)),
            _ => LossyOp::Read(*state),
        }
    }
}
