//! The same objects for porcupine-rs, as compact as its users would write them.

use omnilink_models::{CasRegisterOp, KvAction, KvOp, MapAction, MapOp, RegisterOp};
use omnilink_value::Value;
use porcupine::{Model, Operation};

fn small(value: &Value) -> u8 {
    value
        .as_int()
        .and_then(|number| u8::try_from(number).ok())
        .unwrap_or(0)
}

/// The map with range counts: an array of values, 0 for none.
#[derive(Clone, Debug)]
pub struct ArrayMap;

impl Model for ArrayMap {
    type State = [u8; 12];
    type Op = (u8, u8, u8, u8);
    type Metadata = ();

    fn init() -> [u8; 12] {
        [0; 12]
    }

    fn step(state: &[u8; 12], &(kind, a, b, answer): &(u8, u8, u8, u8)) -> (bool, [u8; 12]) {
        let mut next = *state;
        let key = a as usize;
        let ok = match kind {
            0 => u8::from(state[key] != 0) == answer,
            1 => std::mem::replace(&mut next[key], b) == answer,
            2 => {
                if state[key] == 0 {
                    next[key] = b;
                }
                state[key] == answer
            }
            3 => std::mem::replace(&mut next[key], 0) == answer,
            _ => {
                state[key..=b as usize]
                    .iter()
                    .filter(|value| **value != 0)
                    .count()
                    == answer as usize
            }
        };
        (ok, next)
    }
}

impl ArrayMap {
    /// Our operation as porcupine-rs takes it.
    pub fn convert(op: &MapOp) -> (u8, u8, u8, u8) {
        let previous = |seen: &Option<Option<Value>>| seen.iter().flatten().next().map_or(0, small);
        match op {
            MapOp::Key(key, MapAction::Contains(found)) => (0, small(key), 0, u8::from(*found == Some(true))),
            MapOp::Key(key, MapAction::Insert(value, seen)) => (1, small(key), small(value), previous(seen)),
            MapOp::Key(key, MapAction::InsertIfAbsent(value, seen)) => {
                (2, small(key), small(value), previous(seen))
            }
            MapOp::Key(key, MapAction::Erase(seen)) => (3, small(key), 0, previous(seen)),
            MapOp::Key(key, MapAction::Get(seen)) => (0, small(key), 0, u8::from(previous(seen) != 0)),
            MapOp::Range(low, high, count) => (4, small(low), small(high), count.unwrap_or(0) as u8),
        }
    }
}

/// A register with compare-and-set. `i64::MIN` is nil.
#[derive(Clone, Debug)]
pub struct Cas;

/// What is done to it.
#[derive(Clone, Copy, Debug)]
pub enum CasCall {
    /// Write.
    Write(i64),
    /// Read, with what was seen.
    Read(Option<i64>),
    /// Compare and set, with what was seen.
    Cas(i64, i64, Option<bool>),
}

fn number(value: &Value) -> i64 {
    value.as_int().unwrap_or(i64::MIN)
}

impl Model for Cas {
    type State = i64;
    type Op = CasCall;
    type Metadata = ();

    fn init() -> i64 {
        i64::MIN
    }

    fn step(state: &i64, op: &CasCall) -> (bool, i64) {
        match *op {
            CasCall::Write(value) => (true, value),
            CasCall::Read(seen) => (seen.is_none_or(|seen| seen == *state), *state),
            CasCall::Cas(from, to, equal) => {
                let holds = from == *state;
                (
                    equal.is_none_or(|equal| equal == holds),
                    if holds { to } else { *state },
                )
            }
        }
    }
}

impl Cas {
    /// Our operation as porcupine-rs takes it.
    pub fn convert(op: &CasRegisterOp) -> CasCall {
        match op {
            CasRegisterOp::Write(value) => CasCall::Write(number(value)),
            CasRegisterOp::Read(seen) => CasCall::Read(seen.as_ref().map(number)),
            CasRegisterOp::Cas { from, to, equal } => CasCall::Cas(number(from), number(to), *equal),
        }
    }
}

/// A plain register that starts at 0.
#[derive(Clone, Debug)]
pub struct Plain;

impl Model for Plain {
    type State = i64;
    type Op = CasCall;
    type Metadata = ();

    fn init() -> i64 {
        0
    }

    fn step(state: &i64, op: &CasCall) -> (bool, i64) {
        Cas::step(state, op)
    }
}

impl Plain {
    /// Our operation as porcupine-rs takes it.
    pub fn convert(op: &RegisterOp) -> CasCall {
        match op {
            RegisterOp::Write(value) => CasCall::Write(number(value)),
            RegisterOp::Read(seen) => CasCall::Read(seen.as_ref().map(number)),
        }
    }
}

/// A call of the key-value store.
#[derive(Clone, Debug)]
pub struct KvCall {
    key: usize,
    action: KvCallAction,
}

#[derive(Clone, Debug)]
enum KvCallAction {
    Get(Option<String>),
    Put(String),
    Append(String),
}

impl KvCall {
    /// Our operation as porcupine-rs takes it. Keys are the digits 0 to 9.
    pub fn convert(KvOp { key, action }: &KvOp) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
        let key = key.as_str().and_then(|key| key.parse().ok()).unwrap_or(0);
        let action = match action {
            KvAction::Get(seen) => KvCallAction::Get(seen.as_ref().map(text)),
            KvAction::Put(value) => KvCallAction::Put(text(value)),
            KvAction::Append(value) => KvCallAction::Append(text(value)),
            KvAction::Delete(_) => KvCallAction::Put(String::new()),
        };
        Self { key, action }
    }

    fn apply(&self, text: &str) -> (bool, Option<String>) {
        match &self.action {
            KvCallAction::Get(seen) => (seen.as_ref().is_none_or(|seen| seen == text), None),
            KvCallAction::Put(value) => (true, Some(value.clone())),
            KvCallAction::Append(value) => (true, Some(format!("{text}{value}"))),
        }
    }
}

/// The key-value store in one piece.
#[derive(Clone, Debug)]
pub struct WholeKv;

impl Model for WholeKv {
    type State = Vec<String>;
    type Op = KvCall;
    type Metadata = ();

    fn init() -> Vec<String> {
        vec![String::new(); 10]
    }

    fn step(state: &Vec<String>, op: &KvCall) -> (bool, Vec<String>) {
        let (ok, new) = op.apply(&state[op.key]);
        let mut next = state.clone();
        if let Some(new) = new {
            next[op.key] = new;
        }
        (ok, next)
    }
}

/// The key-value store key by key.
#[derive(Clone, Debug)]
pub struct KvByKey;

impl Model for KvByKey {
    type State = String;
    type Op = KvCall;
    type Metadata = ();

    fn partition_operations(history: &[Operation<Self>]) -> Vec<Vec<Operation<Self>>> {
        let mut parts: Vec<Vec<Operation<Self>>> = (0..10).map(|_| Vec::new()).collect();
        for operation in history {
            parts[operation.op.key].push(operation.clone());
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    fn init() -> String {
        String::new()
    }

    fn step(state: &String, op: &KvCall) -> (bool, String) {
        let (ok, new) = op.apply(state);
        (ok, new.unwrap_or_else(|| state.clone()))
    }
}
