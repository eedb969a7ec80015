//! Objects in the words of the native models: results are separate.

use std::collections::{BTreeMap, VecDeque};

use fastrand::Rng;

use super::object::{Object, Reply, Request};
use crate::oracle::value::Val;

fn int(value: i64) -> Option<Reply> {
    Some(Some(("ret", Val::Int(value))))
}

fn truth(truth: bool) -> Option<Reply> {
    Some(Some(("ret", Val::Bool(truth))))
}

const NOTHING: Option<Reply> = Some(None);

/// What the models of collections call empty.
const EMPTY: i64 = -1;

/// Registers: `register`, `cas-register` and `multi-register` with the initial value 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Registers<const KEYED: bool, const CAS: bool>(Vec<i64>);

impl<const KEYED: bool, const CAS: bool> Object for Registers<KEYED, CAS> {
    fn new(size: i64) -> Self {
        Self(vec![0; size as usize])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let value = ("value", rng.i64(0..3));
        let mut request = match rng.u32(..if CAS { 4 } else { 2 }) {
            0 => Request::new("read", &[]),
            1 => Request::new("write", &[value]),
            _ => Request::new("cas", &[("from", rng.i64(0..3)), ("to", rng.i64(0..3))]),
        };
        if KEYED {
            request.args.insert(0, ("key", Val::Int(rng.i64(1..=size))));
        }
        request
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let held = &mut self.0[if KEYED { request.int("key") as usize - 1 } else { 0 }];
        match request.op {
            "read" => int(*held),
            "write" => {
                *held = request.int("value");
                NOTHING
            }
            _ => {
                let is_it = *held == request.int("from");
                if is_it {
                    *held = request.int("to");
                }
                truth(is_it)
            }
        }
    }
}

/// `set`, and `bag` if `MANY`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Elements<const MANY: bool>(BTreeMap<i64, i64>);

impl<const MANY: bool> Object for Elements<MANY> {
    fn new(_: i64) -> Self {
        Self(BTreeMap::new())
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let value = ("value", rng.i64(1..=size));
        match rng.u32(..6) {
            0 | 1 => Request::new("add", &[value]),
            2 | 3 => Request::new("remove", &[value]),
            4 => Request::new("contains", &[value]),
            _ => Request::new("size", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        if request.op == "size" {
            return int(self.0.values().sum());
        }
        let value = request.int("value");
        let many = self.0.get(&value).copied().unwrap_or(0);
        match request.op {
            "add" if MANY => {
                self.0.insert(value, many + 1);
                NOTHING
            }
            "add" => {
                self.0.insert(value, 1);
                truth(many == 0)
            }
            "remove" => {
                match many {
                    0 | 1 => drop(self.0.remove(&value)),
                    _ => drop(self.0.insert(value, many - 1)),
                }
                truth(many > 0)
            }
            _ => truth(many > 0),
        }
    }
}

/// `queue` with room for three, `stack`, or `priority-queue`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line<const KIND: char>(VecDeque<i64>);

impl<const KIND: char> Object for Line<KIND> {
    // What order puts had shows only when they are taken out: many explanations stay alive.
    const THREADS_MAX: u32 = 4;

    fn new(_: i64) -> Self {
        Self(VecDeque::new())
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let value = ("value", rng.i64(1..=size));
        let [put, take] = match KIND {
            'q' => ["try-enqueue", "dequeue"],
            's' => ["push", "pop"],
            _ => ["insert", "poll"],
        };
        // A high stack has many explanations: more is taken than put.
        let puts = if KIND == 's' { 2 } else { 3 };
        match rng.u32(..8) {
            pick if pick < puts => Request::new(put, &[value]),
            0..6 => Request::new(take, &[]),
            6 => Request::new("peek", &[]),
            _ => Request::new("size", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        match request.op {
            "try-enqueue" => {
                let has_room = self.0.len() < 3;
                if has_room {
                    self.0.push_back(request.int("value"));
                }
                truth(has_room)
            }
            "push" => {
                self.0.push_front(request.int("value"));
                NOTHING
            }
            "insert" => {
                self.0.push_front(request.int("value"));
                self.0
                    .make_contiguous()
                    .sort_unstable_by(|left, right| right.cmp(left));
                NOTHING
            }
            "size" => int(self.0.len() as i64),
            "peek" => int(self.0.front().copied().unwrap_or(EMPTY)),
            _ => int(self.0.pop_front().unwrap_or(EMPTY)),
        }
    }
}

/// `mutex`, and `semaphore` with three permits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Permits<const MANY: i64>(i64);

impl<const MANY: i64> Object for Permits<MANY> {
    fn new(_: i64) -> Self {
        Self(MANY)
    }

    fn request(rng: &mut Rng, _: i64, _: u32) -> Request {
        match rng.u32(..6) {
            0 | 1 => Request::new("try-acquire", &[]),
            2 => Request::new("acquire", &[]),
            3 | 4 => Request::new("release", &[]),
            _ => Request::new(if MANY == 1 { "is-held" } else { "available" }, &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        match request.op {
            "try-acquire" => {
                let is_free = self.0 > 0;
                self.0 -= i64::from(is_free);
                truth(is_free)
            }
            "acquire" if self.0 == 0 => None,
            "acquire" => {
                self.0 -= 1;
                NOTHING
            }
            // Nothing is released that nobody holds.
            "release" if self.0 == MANY => None,
            "release" => {
                self.0 += 1;
                NOTHING
            }
            "is-held" => truth(self.0 == 0),
            _ => int(self.0),
        }
    }
}

/// `counter`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Counter(i64);

impl Object for Counter {
    fn new(_: i64) -> Self {
        Self(0)
    }

    fn request(rng: &mut Rng, _: i64, _: u32) -> Request {
        let value = ("value", rng.i64(1..3));
        let op = ["add", "subtract", "subtract", "fetch-add", "add-and-get", "read"][rng.usize(..6)];
        Request::new(
            op,
            if op == "read" {
                &[]
            } else {
                std::slice::from_ref(&value)
            },
        )
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let before = self.0;
        match request.op {
            "read" => return int(before),
            "subtract" => self.0 -= request.int("value"),
            _ => self.0 += request.int("value"),
        }
        match request.op {
            "fetch-add" => int(before),
            "add-and-get" => int(self.0),
            _ => NOTHING,
        }
    }
}

/// `bank`, with accounts that hold two at first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Accounts(Vec<i64>);

impl Object for Accounts {
    fn new(size: i64) -> Self {
        Self(vec![2; size as usize])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let (account, amount) = (("account", rng.i64(1..=size)), ("amount", rng.i64(1..3)));
        match rng.u32(..5) {
            0 => Request::new("deposit", &[account, amount]),
            1 => Request::new("withdraw", &[account, amount]),
            2 => Request::new("balance", &[account]),
            _ => {
                let from = rng.i64(1..=size);
                Request::new("transfer", &[("from", from), ("to", from % size + 1), amount])
            }
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let at = |name: &str| request.int(name) as usize - 1;
        match request.op {
            "balance" => int(self.0[at("account")]),
            "deposit" => {
                self.0[at("account")] += request.int("amount");
                NOTHING
            }
            _ => {
                let amount = request.int("amount");
                let from = at(if request.op == "withdraw" {
                    "account"
                } else {
                    "from"
                });
                let has_enough = self.0[from] >= amount;
                if has_enough {
                    self.0[from] -= amount;
                    if request.op == "transfer" {
                        self.0[at("to")] += amount;
                    }
                }
                truth(has_enough)
            }
        }
    }
}

/// `log`, read only where there is an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entries(Vec<i64>);

impl Object for Entries {
    fn new(_: i64) -> Self {
        Self(Vec::new())
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        match rng.u32(..8) {
            0 => Request::new("append", &[("value", rng.i64(1..=size))]),
            1..7 => Request::new("read", &[("index", rng.i64(0..12))]),
            _ => Request::new("length", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        match request.op {
            "append" => {
                self.0.push(request.int("value"));
                int(self.0.len() as i64 - 1)
            }
            "length" => int(self.0.len() as i64),
            _ => int(*self.0.get(request.int("index") as usize)?),
        }
    }
}

/// `kv`: texts by key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Texts(Vec<&'static str>);

impl Object for Texts {
    fn new(size: i64) -> Self {
        Self(vec![""; size as usize])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let mut request = Request::new(
            ["get", "put", "delete"][rng.usize(..3)],
            &[("key", rng.i64(1..=size))],
        );
        if request.op == "put" {
            request
                .args
                .push(("value", Val::Text(["a", "b", "c"][rng.usize(..3)])));
        }
        request
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let held = &mut self.0[request.int("key") as usize - 1];
        let old = *held;
        match request.op {
            "get" => Some(Some(("ret", Val::Text(old)))),
            "put" => {
                if let Some((_, Val::Text(value))) = request.args.last() {
                    *held = value;
                }
                NOTHING
            }
            _ => {
                *held = "";
                truth(!old.is_empty())
            }
        }
    }
}
