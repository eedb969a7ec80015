//! An exact verdict about a trace of an object: all orders of open operations are followed, from call to call and return to return.

use std::collections::HashSet;

use super::object::{Object, Record};

/// The operations that took effect and have not returned, and the object.
type Configuration<O> = (Vec<usize>, O);

/// More explanations at once are not followed.
const CONFIGURATIONS_MAX: usize = 5_000;

/// Whether a trace has an explanation; `None` if there are too many to follow.
pub fn is_explained<O: Object>(records: &[Record], size: i64) -> Option<bool> {
    // At one clock reading, calls come before returns: such operations overlap.
    let mut events: Vec<(i64, bool, usize)> = Vec::new();
    for (at, record) in records.iter().enumerate() {
        events.push((record.start, false, at));
        events.extend(record.end.map(|end| (end, true, at)));
    }
    events.sort_unstable();
    let mut open: Vec<usize> = Vec::new();
    let mut frontier: HashSet<Configuration<O>> = HashSet::from([(Vec::new(), O::new(size))]);
    for (_, is_return, at) in events {
        if !is_return {
            open.push(at);
            continue;
        }
        let mut next = HashSet::new();
        let mut seen = HashSet::new();
        let mut waiting: Vec<Configuration<O>> = frontier.into_iter().collect();
        while let Some((placed, object)) = waiting.pop() {
            if placed.contains(&at) {
                let placed = placed.iter().copied().filter(|other| *other != at).collect();
                next.insert((placed, object));
                continue;
            }
            if !seen.insert((placed.clone(), object.clone())) {
                continue;
            }
            if seen.len() > CONFIGURATIONS_MAX {
                return None;
            }
            for candidate in open
                .iter()
                .copied()
                .filter(|candidate| !placed.contains(candidate))
            {
                // Of one thread, what was called first comes first.
                let thread = records[candidate].thread;
                let is_second = |other: &usize| {
                    *other < candidate && records[*other].thread == thread && !placed.contains(other)
                };
                if open.iter().any(is_second) {
                    continue;
                }
                let mut object = object.clone();
                let Some(reply) = object.perform(&records[candidate].request) else {
                    continue;
                };
                if records[candidate].reply.is_some() && reply != records[candidate].reply {
                    continue;
                }
                let mut placed = placed.clone();
                placed.push(candidate);
                placed.sort_unstable();
                waiting.push((placed, object));
            }
        }
        if next.is_empty() {
            return Some(false);
        }
        open.retain(|other| *other != at);
        frontier = next;
    }
    Some(true)
}
