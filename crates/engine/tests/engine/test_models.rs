//! Small models with every feature the engine knows, and random histories of them.
#![allow(dead_code, reason = "each test binary uses some of the toys")]

use omnilink_engine::{Footprint, Keys, Model, Operation, Outcomes, successors};
use omnilink_trace::Timebox;

/// A small deterministic random number generator (xorshift).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }
}

/// A model that can make up operations.
pub trait Toy: Model {
    fn new() -> Self;
    /// An operation with a result that `state` allows, or any result at all.
    fn invent(&self, state: &Self::State, dice: &mut Dice) -> Self::Op;
    /// The operation when its result was never seen.
    fn forget_result(op: Self::Op) -> Self::Op {
        op
    }
}

/// How clocks tick and calls fail in a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weather {
    /// The clock is coarse: threads often call at the very reading at which they returned.
    pub coarse: bool,
    /// One call in this many never returns.
    pub pending: u64,
    /// One call in this many returns, but need not have happened.
    pub optional: u64,
}

impl Weather {
    /// Every kind in turn.
    pub fn any(dice: &mut Dice) -> Self {
        let coarse = dice.one_in(2);
        let (pending, optional) = [(8, 12), (8, 3), (3, 3)][dice.roll(3) as usize];
        Self {
            coarse,
            pending,
            optional,
        }
    }
}

/// A history of up to 4 threads and 8 operations: results come from one interleaving, then some are spoilt.
pub fn history<T: Toy>(toy: &T, dice: &mut Dice) -> Vec<Operation<T::Op>> {
    let weather = Weather::any(dice);
    let count = 1 + dice.roll(8);
    history_of(toy, count, weather, dice)
}

/// A history of up to `count` operations.
pub fn history_of<T: Toy>(toy: &T, count: u64, weather: Weather, dice: &mut Dice) -> Vec<Operation<T::Op>> {
    let threads = 1 + dice.roll(4);
    let stretch = 1 + dice.roll(if weather.coarse { 3 } else { 12 });
    let mut clocks = vec![0i64; threads as usize];
    // When each thread's last operation took effect: at this time, and in this turn among those of that time.
    let mut moments = vec![(0i64, 0u64); threads as usize];
    let mut dead = vec![false; threads as usize];
    let mut boxes = Vec::new();
    for _ in 0..count {
        let thread = dice.roll(threads) as usize;
        if dead[thread] {
            continue;
        }
        let start = clocks[thread] + dice.roll(if weather.coarse { 2 } else { 4 }) as i64;
        let end = start + dice.roll(stretch) as i64;
        clocks[thread] = if weather.coarse {
            end
        } else {
            end + 1 + dice.roll(2) as i64
        };
        let pending = dice.one_in(weather.pending);
        dead[thread] = pending;
        let time = start + dice.roll((end - start + 1) as u64) as i64;
        moments[thread] = moments[thread].max((time, dice.roll(8)));
        boxes.push((moments[thread], thread as u32, start, end, pending));
    }
    boxes.sort_by_key(|(moment, ..)| *moment);
    let mut state = toy.initial().swap_remove(0);
    let mut history = Vec::new();
    for (_, thread, start, end, pending) in boxes {
        let op = toy.invent(&state, dice);
        let mut next = successors(toy, &state, &op);
        let happens = !pending || dice.one_in(2);
        if happens && !next.is_empty() {
            let pick = dice.roll(next.len() as u64) as usize;
            state = next.swap_remove(pick);
        }
        let (op, timebox) = if pending {
            (T::forget_result(op), Timebox::pending(start))
        } else {
            (op, Timebox::new(start, end))
        };
        let mut operation = Operation::new(thread, op, timebox);
        operation.optional = !pending && dice.one_in(weather.optional);
        history.push(operation);
    }
    history.sort_by_key(|operation| operation.timebox.start);
    history
}

/// Threads that go from one register to the other, all at the same readings of the clock.
pub fn crossing(dice: &mut Dice) -> Vec<Operation<RegisterOp>> {
    let mut history = Vec::new();
    for thread in 0..2 + dice.roll(2) {
        let mut clock = 0;
        for _ in 0..2 + dice.roll(2) {
            let r = dice.roll(2) as u8;
            let op = match dice.roll(2) {
                0 => RegisterOp::Write(r, 1),
                _ => RegisterOp::Read(r, Some(dice.roll(2) as u8)),
            };
            let end = clock + dice.roll(2) as i64;
            history.push(Operation::new(thread as u32, op, Timebox::new(clock, end)));
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

impl Toy for Register {
    fn new() -> Self {
        Self
    }

    fn invent(&self, state: &[u8; 2], dice: &mut Dice) -> RegisterOp {
        let r = dice.one_in(3) as u8;
        let held = state[r as usize];
        let seen = if dice.one_in(5) { dice.roll(3) as u8 } else { held };
        match dice.roll(3) {
            0 => RegisterOp::Write(r, dice.roll(3) as u8),
            1 => RegisterOp::Read(r, Some(seen)),
            _ => {
                let from = dice.roll(3) as u8;
                RegisterOp::Cas(r, from, dice.roll(3) as u8, Some((from == held) ^ dice.one_in(6)))
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

impl Toy for Map {
    fn new() -> Self {
        Self
    }

    fn invent(&self, state: &[bool; 3], dice: &mut Dice) -> MapOp {
        let key = dice.roll(3) as u8;
        let there = state[key as usize] ^ dice.one_in(8);
        match dice.roll(4) {
            0 => MapOp::Insert(key, !there),
            1 => MapOp::Remove(key, there),
            2 => MapOp::Has(key, there),
            _ => {
                let count = state.iter().filter(|there| **there).count() as u64;
                MapOp::Count(if dice.one_in(8) { dice.roll(4) } else { count } as u8)
            }
        }
    }
}

/// A first-in first-out queue, which declares nothing.
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

impl Toy for Queue {
    fn new() -> Self {
        Self
    }

    fn invent(&self, state: &Vec<u8>, dice: &mut Dice) -> QueueOp {
        match dice.roll(2) {
            0 => QueueOp::Push(dice.roll(3) as u8),
            _ if dice.one_in(8) => QueueOp::Pop(Some(dice.roll(3) as u8)),
            _ => QueueOp::Pop(state.first().copied()),
        }
    }
}

/// A counter whose increments may be lost or doubled: every step branches. It starts at 0 or at 1.
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

impl Toy for Lossy {
    fn new() -> Self {
        Self
    }

    fn invent(&self, state: &u8, dice: &mut Dice) -> LossyOp {
        match dice.roll(2) {
            0 => LossyOp::Add(1 + dice.roll(3) as u8),
            _ if dice.one_in(3) => LossyOp::Read(dice.roll(8) as u8),
            _ => LossyOp::Read(*state),
        }
    }
}
