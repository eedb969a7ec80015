//! Collections: a bounded queue, a priority queue, a cache, a log, a semaphore.

use std::collections::VecDeque;

use fastrand::Rng;

use super::object::{Object, Reply, Request};
use crate::oracle::value::Val;

fn int(value: i64) -> Option<Reply> {
    Some(Some(("result", Val::Int(value))))
}

fn truth(truth: bool) -> Option<Reply> {
    Some(Some(("ok", Val::Bool(truth))))
}

/// A queue with room for three.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundedQueue(VecDeque<i64>);

impl Object for BoundedQueue {
    fn new(_: i64) -> Self {
        Self(VecDeque::new())
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        match rng.u32(..7) {
            0..3 => Request::new("Put", &[("value", rng.i64(1..=size))]),
            3..6 => Request::new("Take", &[]),
            _ => Request::new("Size", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        match request.op {
            "Put" => {
                let has_room = self.0.len() < 3;
                if has_room {
                    self.0.push_back(request.int("value"));
                }
                truth(has_room)
            }
            "Take" => int(self.0.pop_front().unwrap_or(0)),
            _ => int(self.0.len() as i64),
        }
    }
}

/// A priority queue that holds each value at most three times. The least comes first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PriorityQueue(Vec<i64>);

impl Object for PriorityQueue {
    fn new(size: i64) -> Self {
        Self(vec![0; size as usize + 1])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        match rng.u32(..6) {
            0 | 1 => Request::new("Insert", &[("value", rng.i64(1..=size))]),
            2 | 3 => Request::new("Poll", &[]),
            4 => Request::new("Peek", &[]),
            _ => Request::new("Size", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let least = self.0.iter().position(|many| *many > 0);
        match request.op {
            "Insert" => {
                let many = &mut self.0[request.int("value") as usize];
                let has_room = *many < 3;
                *many += i64::from(has_room);
                truth(has_room)
            }
            "Poll" => {
                if let Some(least) = least {
                    self.0[least] -= 1;
                }
                int(least.unwrap_or(0) as i64)
            }
            "Peek" => int(least.unwrap_or(0) as i64),
            _ => int(self.0.iter().sum()),
        }
    }
}

/// A cache of three entries that forgets the one used least recently.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cache(VecDeque<(i64, i64)>);

impl Object for Cache {
    fn new(_: i64) -> Self {
        Self(VecDeque::new())
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let key = ("key", rng.i64(1..=size));
        match rng.u32(..6) {
            0 | 1 => Request::new("Put", &[key, ("value", rng.i64(1..4))]),
            2..4 => Request::new("Get", &[key]),
            4 => Request::new("Has", &[key]),
            _ => Request::new("Drop", &[key]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let key = request.int("key");
        let found = self.0.iter().position(|(other, _)| *other == key);
        match request.op {
            "Put" => {
                found.map(|at| self.0.remove(at));
                self.0.push_front((key, request.int("value")));
                self.0.truncate(3);
                Some(None)
            }
            "Get" => match found.and_then(|at| self.0.remove(at)) {
                Some(entry) => {
                    self.0.push_front(entry);
                    int(entry.1)
                }
                None => int(0),
            },
            "Has" => truth(found.is_some()),
            _ => {
                found.map(|at| self.0.remove(at));
                truth(found.is_some())
            }
        }
    }
}

/// A log of which the oldest entries are dropped. Positions are counted from the oldest entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Log(VecDeque<i64>);

impl Object for Log {
    fn new(_: i64) -> Self {
        Self(VecDeque::new())
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        match rng.u32(..7) {
            0..3 => Request::new("Add", &[("value", rng.i64(1..=size))]),
            3..5 => Request::new("ReadAt", &[("at", rng.i64(1..7))]),
            5 => Request::new("Trim", &[("to", rng.i64(0..3))]),
            _ => Request::new("Length", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        match request.op {
            "Add" => {
                self.0.push_back(request.int("value"));
                if self.0.len() > 6 {
                    self.0.pop_front();
                }
                int(self.0.len() as i64)
            }
            "ReadAt" => int(self.0.get(request.int("at") as usize - 1).copied().unwrap_or(0)),
            "Trim" => {
                let keep = self.0.len().min(request.int("to") as usize);
                let dropped = self.0.len() - keep;
                self.0.drain(..dropped);
                int(dropped as i64)
            }
            _ => int(self.0.len() as i64),
        }
    }
}

/// A semaphore. Threads wait for permits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Semaphore {
    free: i64,
    all: i64,
}

impl Object for Semaphore {
    fn new(size: i64) -> Self {
        Self {
            free: size,
            all: size,
        }
    }

    fn request(rng: &mut Rng, _: i64, _: u32) -> Request {
        let permits = ("permits", rng.i64(1..3));
        match rng.u32(..5) {
            0 => Request::new("Acquire", &[permits]),
            1 => Request::new("TryAcquire", &[permits]),
            2 | 3 => Request::new("Release", &[permits]),
            _ => Request::new("Available", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        match request.op {
            "Acquire" => {
                if self.free < request.int("permits") {
                    return None;
                }
                self.free -= request.int("permits");
                Some(None)
            }
            "TryAcquire" => {
                let is_enough = self.free >= request.int("permits");
                if is_enough {
                    self.free -= request.int("permits");
                }
                truth(is_enough)
            }
            "Release" => {
                let fits = self.free + request.int("permits") <= self.all;
                if fits {
                    self.free += request.int("permits");
                }
                truth(fits)
            }
            _ => int(self.free),
        }
    }
}
