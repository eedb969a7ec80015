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
//! open at `t`. Where these orders contradict each other, other explanations of the parts may still fit: the parts are to be
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

/// The moment that an operation was given, and its turn among all operations.
type Placed = (Time, u64);

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
    turns: u64,
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
            turns: 0,
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
        self.early.retain(|(_, (at, _))| *at > now);
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
    pub fn placed(&mut self, entry: &Entry, at: Time) {
        self.turns += 1;
        let placed = (at, self.turns);
        if let Some(tracked) = self.tracked.get_mut(&entry.id) {
            tracked.placed = Some(placed);
        } else if at == entry.end && at >= self.now {
            self.early.push((entry.id, placed));
        }
    }

    /// Groups of parts whose explanations do not fit together or, if they are not known, may not.
    pub fn entangled(&mut self, is_known: bool) -> Vec<Vec<u64>> {
        self.leave();
        let mut groups = Vec::new();
        for (time, members) in &self.instants {
            let mut placed: Vec<(u64, Member)> = Vec::new();
            for member in members {
                match self
                    .tracked
                    .get(&member.entry.id)
                    .and_then(|tracked| tracked.placed)
                {
                    Some((at, turn)) if at == *time => placed.push((turn, *member)),
                    _ if !is_known => placed.push((0, *member)),
                    _ => {}
                }
            }
            placed.sort_by_key(|(turn, _)| *turn);
            let members: Vec<Member> = placed.into_iter().map(|(_, member)| member).collect();
            let linked = match is_known {
                true => interleave(&members).err(),
                false => Some(members.iter().map(|member| member.home).collect()),
            };
            groups.extend(linked);
        }
        groups
    }

    /// Brings operations of one explanation, in order of their moments, into an order that threads allow.
    ///
    /// Nothing may be [entangled](Self::entangled).
    pub fn put_in_order(order: &mut [(Time, Member)]) {
        for instant in order.chunk_by_mut(|(first, _), (second, _)| first == second) {
            if instant.len() == 1 {
                continue;
            }
            let members: Vec<Member> = instant.iter().map(|(_, member)| *member).collect();
            if let Ok(positions) = interleave(&members) {
                for (place, position) in instant.iter_mut().zip(positions) {
                    place.1 = members[position];
                }
            }
        }
    }
}

/// An order of operations, as positions, that keeps the order in which each part's are given and the order of each thread;
/// or the parts that do not fit together.
fn interleave(members: &[Member]) -> Result<Vec<usize>, Vec<u64>> {
    let mut parts: FxHashMap<u64, usize> = FxHashMap::default();
    let mut queues: Vec<Vec<usize>> = Vec::new();
    let mut threads: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (position, Member { entry, home }) in members.iter().enumerate() {
        let part = *parts.entry(*home).or_insert_with(|| {
            queues.push(Vec::new());
            queues.len() - 1
        });
        queues[part].push(position);
        threads.entry(entry.thread).or_default().push(position);
    }
    let mut heads = vec![0; queues.len()];
    let mut done = vec![false; members.len()];
    let mut order = Vec::with_capacity(members.len());
    loop {
        let before = order.len();
        for (queue, head) in queues.iter().zip(&mut heads) {
            while let Some(&position) = queue.get(*head) {
                let entry = &members[position].entry;
                let waits = threads[&entry.thread]
                    .iter()
                    .any(|&other| !done[other] && members[other].entry.is_tied_before(entry));
                if waits {
                    break;
                }
                done[position] = true;
                order.push(position);
                *head += 1;
            }
        }
        if order.len() == members.len() {
            return Ok(order);
        }
        if order.len() == before {
            let stuck: FxHashSet<u64> = (0..members.len())
                .filter(|position| !done[*position])
                .map(|position| members[position].home)
                .collect();
            return Err(stuck.into_iter().collect());
        }
    }
}
