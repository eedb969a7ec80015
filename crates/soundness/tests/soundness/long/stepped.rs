//! Objects that do more than answer: operations in steps, something that happens by itself, a mode.

use fastrand::Rng;

use super::object::{Object, Reply, Request};
use crate::oracle::value::Val;

fn int(value: i64) -> Option<Reply> {
    Some(Some(("result", Val::Int(value))))
}

/// A map of which several keys are written one after the other. Simulated, all of them are written at once, which is one of the possibilities.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fill(Vec<i64>);

impl Object for Fill {
    fn new(size: i64) -> Self {
        Self(vec![0; size as usize])
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let (key, value) = (rng.i64(1..=size), rng.i64(0..3));
        match rng.u32(..4) {
            0 => Request::new("Put", &[("key", key), ("value", value)]),
            1 => {
                let keys = Val::seq((key..=size.min(key + 1)).map(Val::Int));
                Request {
                    op: "PutAll",
                    args: vec![("keys", keys), ("value", Val::Int(value))],
                }
            }
            _ => Request::new("Get", &[("key", key)]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        match request.op {
            "Get" => return int(self.0[request.int("key") as usize - 1]),
            "Put" => self.0[request.int("key") as usize - 1] = request.int("value"),
            _ => {
                for key in request.ints("keys") {
                    self.0[key as usize - 1] = request.int("value");
                }
            }
        }
        Some(None)
    }

    const IS_PLAIN: bool = false;
}

/// A buffer that is flushed to a disk now and then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Disk {
    buffer: Vec<i64>,
    disk: Vec<i64>,
}

impl Object for Disk {
    fn new(size: i64) -> Self {
        let zeros = vec![0; size as usize];
        Self {
            buffer: zeros.clone(),
            disk: zeros,
        }
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let key = ("key", rng.i64(1..=size));
        match rng.u32(..4) {
            0 | 1 => Request::new("Write", &[key, ("value", rng.i64(0..3))]),
            2 => Request::new("Read", &[key]),
            _ => Request::new("ReadDisk", &[key]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let at = request.int("key") as usize - 1;
        match request.op {
            "Write" => {
                self.buffer[at] = request.int("value");
                Some(None)
            }
            "Read" => int(self.buffer[at]),
            _ => int(self.disk[at]),
        }
    }

    fn happen(&mut self, rng: &mut Rng) -> bool {
        let is_flushed = rng.u32(..4) == 0;
        if is_flushed {
            self.disk = self.buffer.clone();
        }
        is_flushed
    }

    const IS_PLAIN: bool = false;
}

/// Counters that are set to zero when they are switched on. While they are off, nobody can see them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    is_on: bool,
    counts: Vec<i64>,
}

impl Object for Mode {
    fn new(size: i64) -> Self {
        Self {
            is_on: true,
            counts: vec![0; size as usize],
        }
    }

    fn request(rng: &mut Rng, size: i64, _: u32) -> Request {
        let key = ("key", rng.i64(1..=size));
        match rng.u32(..9) {
            0..3 => Request::new("Inc", &[key]),
            3..6 => Request::new("Read", &[key]),
            6 => Request::new("On", &[]),
            7 => Request::new("Off", &[]),
            _ => Request::new("Sum", &[]),
        }
    }

    fn perform(&mut self, request: &Request) -> Option<Reply> {
        let at = || request.int("key") as usize - 1;
        match request.op {
            "Inc" => self.counts[at()] = (self.counts[at()] + 1) % 3,
            "On" => {
                self.is_on = true;
                self.counts.fill(0);
            }
            "Off" => self.is_on = false,
            // Nobody can see the counters while they are off: a call waits.
            _ if !self.is_on => return None,
            "Read" => return int(self.counts[at()]),
            _ => return int(self.counts.iter().sum()),
        }
        Some(None)
    }
}
