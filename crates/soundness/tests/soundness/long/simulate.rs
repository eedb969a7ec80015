//! Threads that use an object: every operation takes effect at one moment inside its timebox.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fastrand::Rng;

use super::object::{Object, Record};
use crate::oracle::value::Val;

/// How a trace is to look.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub operations: usize,
    pub threads: u32,
    /// The number of keys or values.
    pub size: i64,
    /// How long threads rest between calls, compared with how long calls take; 0: not at all.
    pub rest: i64,
    /// The number of moments that one clock reading stands for; with more than one there are ties.
    pub grain: i64,
    /// The number of calls that do not return.
    pub pending: usize,
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Call,
    Effect,
    Return,
}

/// How long a call takes at most.
const LENGTH: i64 = 100;

/// A trace that is valid by construction, in order of start.
pub fn simulated<O: Object>(load: Load) -> Vec<Record> {
    let mut rng = Rng::with_seed(load.seed);
    let mut object = O::new(load.size);
    let mut records: Vec<Option<Record>> = Vec::new();
    let mut events = BinaryHeap::new();
    // The number of an event makes the order of those at one moment definite.
    let mut number = 0;
    let mut push = |events: &mut BinaryHeap<_>, time: i64, lane: u32, event: Event, record: usize| {
        number += 1;
        events.push(Reverse((time, number, lane, event, record)));
    };
    // A thread that has crashed is replaced by one with another name.
    let mut names: Vec<u32> = (0..load.threads).collect();
    for lane in 0..load.threads {
        push(&mut events, rng.i64(0..LENGTH), lane, Event::Call, 0);
    }
    let mut crashed = 0;
    let mut waits = 0;
    while let Some(Reverse((now, _, lane, event, record))) = events.pop() {
        let thread = names[lane as usize];
        let time = now / load.grain;
        match event {
            Event::Call if records.len() < load.operations => {
                let request = O::request(&mut rng, load.size, thread);
                records.push(Some(Record {
                    thread,
                    request,
                    reply: None,
                    start: time,
                    end: None,
                }));
                push(
                    &mut events,
                    now + rng.i64(0..LENGTH),
                    lane,
                    Event::Effect,
                    records.len() - 1,
                );
            }
            Event::Call => {}
            Event::Effect => {
                object.happen(&mut rng);
                let Some(call) = &mut records[record] else {
                    continue;
                };
                match object.perform(&call.request) {
                    Some(reply) => {
                        call.reply = reply;
                        waits = 0;
                        push(&mut events, now + rng.i64(0..LENGTH), lane, Event::Return, record);
                    }
                    // If all threads wait for each other, their calls never happened.
                    None if waits < 1_000 => {
                        waits += 1;
                        push(&mut events, now + rng.i64(1..LENGTH), lane, Event::Effect, record);
                    }
                    None => {
                        records[record] = None;
                        push(&mut events, now, lane, Event::Call, 0);
                    }
                }
            }
            Event::Return => {
                let crashes = crashed < load.pending
                    && records.len() * (load.pending + 1) > load.operations * (crashed + 1);
                if crashes {
                    crashed += 1;
                    names[lane as usize] = load.threads + crashed as u32;
                } else if let Some(call) = &mut records[record] {
                    call.end = Some(time);
                }
                let rest = if load.rest == 0 {
                    0
                } else {
                    rng.i64(0..load.rest * LENGTH)
                };
                push(&mut events, now + rest, lane, Event::Call, 0);
            }
        }
    }
    records.into_iter().flatten().collect()
}

/// A number that no object holds.
pub const NOWHERE: i64 = 7_777;

/// Changes one answer to what cannot be: a value that was never there. Returns its position.
pub fn with_impossible_reply(rng: &mut Rng, records: &mut [Record]) -> Option<usize> {
    let candidates = changeable(records, |value| matches!(value, Val::Int(_)));
    let at = *candidates.get(rng.usize(..candidates.len().max(1)))?;
    if let Some((_, value)) = &mut records[at].reply {
        *value = Val::Int(NOWHERE);
    }
    Some(at)
}

/// Changes one answer a little. Whether the trace is still valid is for an oracle to say.
pub fn with_other_reply(rng: &mut Rng, records: &mut [Record]) -> Option<usize> {
    let candidates = changeable(records, |value| matches!(value, Val::Int(_) | Val::Bool(_)));
    let at = *candidates.get(rng.usize(..candidates.len().max(1)))?;
    if let Some((_, value)) = &mut records[at].reply {
        *value = match &*value {
            Val::Bool(truth) => Val::Bool(!*truth),
            Val::Int(0) => Val::Int(1),
            Val::Int(int) => Val::Int(*int + if rng.bool() { 1 } else { -1 }),
            other => other.clone(),
        };
    }
    Some(at)
}

/// The operations that have returned with such an answer, from the second half of the trace.
fn changeable(records: &[Record], is_it: impl Fn(&Val) -> bool) -> Vec<usize> {
    let is_candidate = |record: &Record| {
        record.end.is_some() && record.reply.as_ref().is_some_and(|(_, value)| is_it(value))
    };
    (records.len() / 2..records.len())
        .filter(|at| is_candidate(&records[*at]))
        .collect()
}

/// What a call that did not return answered is not recorded.
pub fn forget_pending(records: &mut [Record]) {
    for record in records.iter_mut().filter(|record| record.end.is_none()) {
        record.reply = None;
    }
}
