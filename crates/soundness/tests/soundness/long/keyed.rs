//! Objects with keys: a map, a bank, ranges of numbers, leases, transactions.

use fastrand::Rng;

use super::object::{Object, Reply, Request};
use crate::oracle::value::Val;

fn int(name: &'static str, value: i64) -> Option<Reply> {
    Some(Some((name, Val::Int(value))))
}

fn truth(name: &'static str, truth: bool) -> Option<Reply> {
    Some(Some((name, Val::Bool(truth))))
}

/// Two keys in order.
fn range(rng: &mut Rng, size: i64) -> (i64, i64) {
    let low = rng.i64(1..=size);
    (low, rng.i64(low..=size))
}

/// The ordered map of the examples and of the benchmark of styles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map(Vec<i64>);

impl Object for Map {
    fn new(size: i64) -> Self {
        Self(vec![0; size as usize + 1])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let (key, value) = (("key", rng.i64(1..=size)), ("value", rng.i64(1..4)));
        match rng.u32(..5) {
            0 => Request::new("KVContains", &[key]),
            1 => Request::new("KVInsert", &[key, value]),
            2 => Request::new("KVInsertIfAbsent", &[key, value]),
            3 => Request::new("KVErase", &[key]),
            _ => {
                let (low, high) = range(rng, size);
                Request::new("KVRangeQuery", &[("lo", low), ("hi", high)])
            }
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        if request.op == "KVRangeQuery" {
            let keys = request.int("lo")..=request.int("hi");
            return int(
                "count",
                keys.filter(|key| self.0[*key as usize] != 0).count() as i64,
            );
        }
        let held = &mut self.0[request.int("key") as usize];
        let old = *held;
        match request.op {
            "KVContains" => return truth("result", old != 0),
            "KVInsert" => *held = request.int("value"),
            "KVInsertIfAbsent" if old == 0 => *held = request.int("value"),
            "KVErase" => *held = 0,
            _ => {}
        }
        int("result", old)
    }
}

/// Accounts with sums over them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bank(Vec<i64>);

impl Object for Bank {
    fn new(size: i64) -> Self {
        Self(vec![2; size as usize])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let (from, to, amount) = (rng.i64(1..=size), rng.i64(1..=size), ("n", rng.i64(1..3)));
        match rng.u32(..8) {
            0 => Request::new("Deposit", &[("to", to), amount]),
            1 => Request::new("Withdraw", &[("from", from), amount]),
            2 | 3 => Request::new("Transfer", &[("from", from), ("to", to), amount]),
            4 => Request::new("Balance", &[("from", from)]),
            5 => Request::new("Rich", &[("n", rng.i64(1..5))]),
            6 => {
                let (low, high) = range(rng, size);
                Request::new("SumOf", &[("lo", low), ("hi", high)])
            }
            _ => Request::new("Total", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let at = |name: &str| request.int(name) as usize - 1;
        match request.op {
            // Balances stay small, so that they recur.
            "Deposit" => {
                let has_room = self.0[at("to")] + request.int("n") <= 6;
                if has_room {
                    self.0[at("to")] += request.int("n");
                }
                truth("ok", has_room)
            }
            "Withdraw" => {
                let has_enough = self.0[at("from")] >= request.int("n");
                if has_enough {
                    self.0[at("from")] -= request.int("n");
                }
                truth("ok", has_enough)
            }
            "Transfer" => {
                let has_enough = self.0[at("from")] >= request.int("n");
                if has_enough {
                    self.0[at("from")] -= request.int("n");
                    self.0[at("to")] += request.int("n");
                }
                truth("ok", has_enough)
            }
            "Balance" => int("result", self.0[at("from")]),
            "Rich" => int(
                "result",
                self.0.iter().filter(|held| **held >= request.int("n")).count() as i64,
            ),
            "SumOf" => int("result", self.0[at("lo")..=at("hi")].iter().sum()),
            _ => int("result", self.0.iter().sum()),
        }
    }
}

/// Leases: who holds a key, and how often it was renewed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Leases(Vec<(i64, i64)>);

impl Object for Leases {
    fn new(size: i64) -> Self {
        Self(vec![(0, 0); size as usize])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let (key, who) = (("key", rng.i64(1..=size)), ("who", rng.i64(1..4)));
        match rng.u32(..8) {
            0 | 1 => Request::new("Acquire", &[key, who]),
            2 => Request::new("Renew", &[key, who]),
            3 | 4 => Request::new("Release", &[key, who]),
            5 => Request::new("Holder", &[key]),
            6 => Request::new("HeldBy", &[who]),
            _ => Request::new("Free", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let key = || request.int("key") as usize - 1;
        match request.op {
            "Acquire" => {
                let is_free = self.0[key()].0 == 0;
                if is_free {
                    self.0[key()] = (request.int("who"), 0);
                }
                truth("ok", is_free)
            }
            "Renew" => {
                let is_holder = self.0[key()].0 == request.int("who");
                if is_holder {
                    self.0[key()].1 = (self.0[key()].1 + 1) % 3;
                }
                truth("ok", is_holder)
            }
            "Release" => {
                let is_holder = self.0[key()].0 == request.int("who");
                if is_holder {
                    self.0[key()].0 = 0;
                }
                truth("ok", is_holder)
            }
            "Holder" => int("result", self.0[key()].0),
            "HeldBy" => {
                let who = request.int("who");
                int(
                    "result",
                    self.0.iter().filter(|(holder, _)| *holder == who).count() as i64,
                )
            }
            _ => int(
                "result",
                self.0.iter().filter(|(holder, _)| *holder == 0).count() as i64,
            ),
        }
    }
}

/// Registers that are read and written several at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transactions(Vec<i64>);

impl Object for Transactions {
    fn new(size: i64) -> Self {
        Self(vec![0; size as usize])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let (one, other, value) = (rng.i64(1..=size), rng.i64(1..=size), ("value", rng.i64(0..3)));
        let keys = Val::seq([Val::Int(one), Val::Int(other)]);
        match rng.u32(..6) {
            0 => Request {
                op: "WriteAll",
                args: vec![("keys", keys), ("value", Val::Int(value.1))],
            },
            1 => Request::new("Write", &[("key", one), value]),
            2 => Request::new("Copy", &[("from", one), ("to", other)]),
            3 => Request::new("Swap", &[("from", one), ("to", other)]),
            4 => Request::new("Read", &[("key", one)]),
            _ => Request {
                op: "SumAll",
                args: vec![("keys", keys)],
            },
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let at = |name: &str| request.int(name) as usize - 1;
        match request.op {
            "WriteAll" => {
                for key in request.ints("keys") {
                    self.0[key as usize - 1] = request.int("value");
                }
                Some(None)
            }
            "Write" => {
                self.0[at("key")] = request.int("value");
                Some(None)
            }
            "Copy" => {
                let old = std::mem::replace(&mut self.0[at("to")], 0);
                self.0[at("to")] = if at("from") == at("to") {
                    old
                } else {
                    self.0[at("from")]
                };
                int("result", old)
            }
            "Swap" => {
                self.0.swap(at("from"), at("to"));
                int("result", self.0[at("to")])
            }
            "Read" => int("result", self.0[at("key")]),
            _ => int(
                "result",
                request
                    .ints("keys")
                    .iter()
                    .map(|key| self.0[*key as usize - 1])
                    .sum(),
            ),
        }
    }
}

/// Members of a group and their votes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Votes(Vec<Option<i64>>);

impl Object for Votes {
    fn new(size: i64) -> Self {
        Self(vec![None; size as usize])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let (who, value) = (("who", rng.i64(1..=size)), ("value", rng.i64(1..3)));
        match rng.u32(..7) {
            0 | 1 => Request::new("Vote", &[who, value]),
            2 | 3 => Request::new("Retract", &[who]),
            4 => Request::new("Agreed", &[value]),
            5 => Request::new("Only", &[who]),
            _ => Request::new("CountOf", &[value]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let who = || request.int("who") as usize - 1;
        match request.op {
            "Vote" => {
                self.0[who()] = Some(request.int("value"));
                Some(None)
            }
            "Retract" => truth("ok", self.0[who()].take().is_some()),
            "Agreed" => truth(
                "ok",
                self.0
                    .iter()
                    .flatten()
                    .all(|value| *value == request.int("value")),
            ),
            "Only" => {
                let others = self.0.iter().enumerate().filter(|(at, _)| *at != who());
                truth("ok", others.into_iter().all(|(_, value)| value.is_none()))
            }
            _ => {
                let value = request.int("value");
                int(
                    "result",
                    self.0.iter().flatten().filter(|other| **other == value).count() as i64,
                )
            }
        }
    }
}
