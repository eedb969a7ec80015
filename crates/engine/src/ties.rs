//! Threads that link parts of the state which are checked apart.
//!
//! Parts can be explained apart because real time is an interval order: orders of the parts that respect it always fit
//! together. With the order of threads at ties that is no longer so:
//!
//! ```text
//! t0  |-write x 1-|-read y = 0-|        x alone and y alone are fine: timeboxes of different threads that touch
//! t1  |-write y 1-|-read x = 0-|        overlap. Together there is a cycle: each read comes before the other's write.
//! ```
//!
//! So the explanations of the parts are put together. Give each operation the earliest moment that its part's explanation
//! allows, and order all operations by these moments. That respects real time and every part's own order. A tie at time `t` can be
//! broken only if both operations have the moment `t`. So it is enough to order, for each `t`, the operations that have the
//! moment `t`, by their parts' orders and their threads' orders; real time says nothing about them, because all of them are
//! open at `t`. Of a part's order, only the order of operations that can change something matters, and between which of them a
//! read stands: neighbouring reads can change places. Where these orders contradict each other, other explanations of the parts may still fit: the parts are to be
//! checked together. A cycle needs two threads that go from one part to another at `t`, so nothing else is remembered.

use omnilink_trace::Time;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ledger::Entry;

/// An operation and the part that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub entry: Entry,
    pub home: u64,
}

/// Where an operation stands in the explanation of its part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Its moment.
    pub at: Time,
    /// Reads between the same two operations that are not pure are in one layer; each of those has one of its own.
    pub layer: u64,
}

#[derive(Debug, Default)]
struct Tracked {
    /// How many instants name it.
    uses: u8,
    placed: Option<Placed>,
}

/// What threads do at ties, as far as it may link parts.
#[derive(Debug)]
pub(crate) struct Ties {
    /// Of each thread, the operations that may still be tied to one to come.
    threads: FxHashMap<u32, Vec<Member>>,
    now: Time,
    /// The operations that are tied at `now`.
    here: Vec<Member>,
    /// Earlier instants at which several threads link parts.
    instants: Vec<(Time, Vec<Member>)>,
    tracked: FxHashMap<u64, Tracked>,
    /// Operations that were placed at their very ends, before it was known whether they are tied there.
    early: Vec<(u64, Placed)>,
    /// Of each part, the layer of what was placed last.
    layers: FxHashMap<u64, u64>,
}

impl Ties {
    pub fn new() -> Self {
        Self {
            threads: FxHashMap::default(),
            now: Time::MIN,
            here: Vec::new(),
            instants: Vec::new(),
            tracked: FxHashMap::default(),
            early: Vec::new(),
            layers: FxHashMap::default(),
        }
    }

    /// Takes the next operation, in order of start.
    pub fn observe(&mut self, entry: &Entry, home: u64) {
        if !entry.in_order {
            return;
        }
        if entry.start > self.now {
            self.leave();
            self.now = entry.start;
        }
        let member = Member { entry: *entry, home };
        let open = self.threads.entry(entry.thread).or_default();
        open.retain(|earlier| earlier.entry.end >= entry.start);
        let mut tied: Vec<Member> = Vec::new();
        tied.extend(open.iter().filter(|earlier| earlier.entry.is_tied_before(entry)));
        if !entry.is_pending() {
            open.push(member);
        }
        if tied.is_empty() {
            return;
        }
        tied.push(member);
        for member in tied {
            if !self.here.iter().any(|here| here.entry.id == member.entry.id) {
                self.track(member.entry.id);
                self.here.push(member);
            }
        }
    }

    fn track(&mut self, id: u64) {
        let tracked = self.tracked.entry(id).or_default();
        tracked.uses += 1;
        if let Some((_, placed)) = self.early.iter().find(|(early, _)| *early == id) {
            tracked.placed = Some(*placed);
        }
    }

    /// Decides whether the ties at `now` are of interest.
    fn leave(&mut self) {
        let members = std::mem::take(&mut self.here);
        let now = self.now;
        self.early.retain(|(_, placed)| placed.at > now);
        if members.is_empty() {
            return;
        }
        let mut homes: FxHashMap<u32, FxHashSet<u64>> = FxHashMap::default();
        for Member { entry, home } in &members {
            homes.entry(entry.thread).or_default().insert(*home);
        }
        if homes.values().filter(|homes| homes.len() > 1).count() > 1 {
            self.instants.push((now, members));
            return;
        }
        for Member { entry, .. } in members {
            if let Some(tracked) = self.tracked.get_mut(&entry.id) {
                tracked.uses -= 1;
                if tracked.uses == 0 {
                    self.tracked.remove(&entry.id);
                }
            }
        }
    }

    /// Takes the next operation of a part's explanation, with its moment.
    pub fn placed(&mut self, entry: &Entry, home: u64, at: Time, is_pure: bool) -> Placed {
        // Even layers are of reads, odd ones of one operation each.
        let last = self.layers.entry(home).or_default();
        *last = match (is_pure, *last % 2) {
            (true, 0) => *last,
            (true, _) | (false, 0) => *last + 1,
            (false, _) => *last + 2,
        };
        let placed = Placed { at, layer: *last };
        if let Some(tracked) = self.tracked.get_mut(&entry.id) {
            tracked.placed = Some(placed);
        } else if at == entry.end && at >= self.now {
            self.early.push((entry.id, placed));
        }
        placed
    }

    /// Groups of parts whose explanations do not fit together or, if they are not known, may not.
    pub fn entangled(&mut self, is_known: bool) -> Vec<Vec<u64>> {
        self.leave();
        let mut groups = Vec::new();
        for (time, members) in &self.instants {
            if !is_known {
                groups.push(members.iter().map(|member| member.home).collect());
                continue;
            }
            let placed = |member: &Member| self.tracked.get(&member.entry.id)?.placed;
            let members: Vec<(Placed, Member)> = members
                .iter()
                .filter_map(|member| Some((placed(member)?, *member)))
                .filter(|(placed, _)| placed.at == *time)
                .collect();
            if let Err(circles) = interleave(&members) {
                groups.extend(circles);
            }
        }
        groups
    }

    /// Brings operations of one explanation, in order of their moments, into an order that threads allow.
    ///
    /// Nothing may be [entangled](Self::entangled).
    pub fn put_in_order(order: &mut [(Placed, Member)]) {
        for instant in order.chunk_by_mut(|(first, _), (second, _)| first.at == second.at) {
            if instant.len() == 1 {
                continue;
            }
            let members = instant.to_vec();
            if let Ok(positions) = interleave(&members) {
                for (place, position) in instant.iter_mut().zip(positions) {
                    *place = members[position];
                }
            }
        }
    }
}

/// An order of operations, as positions, that keeps the order of each part's layers and the order of each thread; or groups of
/// parts that do not fit together.
fn interleave(members: &[(Placed, Member)]) -> Result<Vec<usize>, Vec<Vec<u64>>> {
    let mut parts: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut threads: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (position, (_, Member { entry, home })) in members.iter().enumerate() {
        parts.entry(*home).or_default().push(position);
        threads.entry(entry.thread).or_default().push(position);
    }
    for queue in parts.values_mut() {
        // The next to be placed is last.
        queue.reverse();
        queue.sort_by_key(|position| std::cmp::Reverse(members[*position].0.layer));
    }
    let mut done = vec![false; members.len()];
    let mut order = Vec::with_capacity(members.len());
    // Of its thread, what is still to be placed before an operation.
    let awaited = |position: usize, done: &[bool]| {
        let entry = &members[position].1.entry;
        let is_awaited = |other: &usize| !done[*other] && members[*other].1.entry.is_tied_before(entry);
        threads[&entry.thread].iter().copied().find(is_awaited)
    };
    loop {
        let before = order.len();
        for queue in parts.values_mut() {
            while let Some(&last) = queue.last() {
                let layer = members[last].0.layer;
                let is_next = |position: &usize| {
                    members[*position].0.layer == layer && awaited(*position, &done).is_none()
                };
                let Some(next) = queue.iter().rposition(is_next) else {
                    break;
                };
                let position = queue.remove(next);
                done[position] = true;
                order.push(position);
            }
        }
        if order.len() == members.len() {
            return Ok(order);
        }
        if order.len() == before {
            // The first of its thread in the next layer of a part waits for another part.
            let waits = |(home, queue): (&u64, &Vec<usize>)| {
                let layer = members[*queue.last()?].0.layer;
                let heads = queue.iter().rev().filter(|head| members[**head].0.layer == layer);
                let mut awaited = heads.filter_map(|head| Some(members[awaited(*head, &done)?].1.home));
                Some((*home, awaited.find(|other| other != home)?))
            };
            let waits = parts.iter().filter_map(waits).collect();
            debug_assert!(!circles(&waits).is_empty());
            return Err(circles(&waits));
        }
    }
}

/// The circles of a relation in which each waits for one other.
fn circles(waits: &FxHashMap<u64, u64>) -> Vec<Vec<u64>> {
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    let mut circles = Vec::new();
    for start in waits.keys() {
        let mut path = Vec::new();
        let mut at = *start;
        while seen.insert(at) {
            path.push(at);
            match waits.get(&at) {
                Some(next) => at = *next,
                None => break,
            }
        }
        if let Some(from) = path.iter().position(|home| *home == at)
            && path.len() > from + 1
        {
            circles.push(path.split_off(from));
        }
    }
    circles
}
