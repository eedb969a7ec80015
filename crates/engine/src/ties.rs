//! Ties: threads that link parts of the state which are checked separately.
//!
//! Parts can be explained separately because real time is an interval order: orders of the parts that respect it can
//! always be merged. With the order of threads at ties, this no longer holds:
//!
//! ```text
//! t0  |-write x 1-|-read y = 0-|        x alone and y alone are valid: timeboxes of different threads that touch
//! t1  |-write y 1-|-read x = 0-|        overlap. Together there is a cycle: each read precedes the other's write.
//! ```
//!
//! So the explanations of the parts are merged and checked for cycles. Give each operation the earliest moment that the
//! explanation of its part allows, and order all operations by these moments. This order respects real time and the order
//! of every part. It can violate a tie at time `t` only if both operations have the moment `t`. So it suffices to order,
//! for each `t`, the operations with the moment `t` by the orders of their parts and of their threads. Real time does not
//! order them, because all of them are open at `t`. Of a part's order, only the order of the operations that are not pure
//! matters, and between which of them each read stands: neighbouring reads can be exchanged. If these orders contradict
//! each other, other explanations of the parts may still fit, so the parts must be checked together. A cycle needs two
//! threads that switch parts at `t`. All other ties are dropped.

use omnilink_sorting::sort_by_key;
use omnilink_trace::Time;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::op_table::OpRecord;

/// An operation and its part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartOp {
    pub record: OpRecord,
    pub part_id: u64,
}

/// The position of an operation in the explanation of its part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartPosition {
    /// The earliest moment that the explanation allows.
    pub at: Time,
    /// Reads between the same two operations that are not pure share a layer. Every other operation has its own layer.
    pub layer: u64,
}

#[derive(Debug, Default)]
struct Tracked {
    /// The number of instants that refer to the operation.
    uses: u8,
    placed: Option<PartPosition>,
}

/// The ties that may link parts.
#[derive(Debug)]
pub(crate) struct Ties {
    /// Per thread, the operations that may be tied to a later one.
    threads: FxHashMap<u32, Vec<PartOp>>,
    now: Time,
    /// The operations that are tied at `now`.
    here: Vec<PartOp>,
    /// Earlier instants at which several threads link parts.
    instants: Vec<(Time, Vec<PartOp>)>,
    tracked: FxHashMap<u64, Tracked>,
    /// Operations that were placed at their ends before it was known whether they are tied there.
    early: Vec<(u64, PartPosition)>,
    /// Per part, the layer of the operation placed last.
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
    pub fn observe(&mut self, record: &OpRecord, part_id: u64) {
        if !record.in_order {
            return;
        }
        if record.start > self.now {
            self.leave();
            self.now = record.start;
        }
        let member = PartOp {
            record: *record,
            part_id,
        };
        let open = self.threads.entry(record.thread).or_default();
        open.retain(|earlier| earlier.record.end >= record.start);
        let mut tied: Vec<PartOp> = Vec::new();
        tied.extend(
            open.iter()
                .filter(|earlier| earlier.record.is_tied_before(record)),
        );
        if !record.is_pending() {
            open.push(member);
        }
        if tied.is_empty() {
            return;
        }
        tied.push(member);
        for member in tied {
            if !self.here.iter().any(|here| here.record.id == member.record.id) {
                self.track(member.record.id);
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

    /// Keeps the ties at `now` if several threads link parts there.
    fn leave(&mut self) {
        let members = std::mem::take(&mut self.here);
        let now = self.now;
        self.early.retain(|(_, placed)| placed.at > now);
        if members.is_empty() {
            return;
        }
        let mut part_ids: FxHashMap<u32, FxHashSet<u64>> = FxHashMap::default();
        for PartOp { record, part_id } in &members {
            part_ids.entry(record.thread).or_default().insert(*part_id);
        }
        if part_ids.values().filter(|part_ids| part_ids.len() > 1).count() > 1 {
            self.instants.push((now, members));
            return;
        }
        for PartOp { record, .. } in members {
            if let Some(tracked) = self.tracked.get_mut(&record.id) {
                tracked.uses -= 1;
                if tracked.uses == 0 {
                    self.tracked.remove(&record.id);
                }
            }
        }
    }

    /// Takes the next operation of the explanation of a part, with its moment.
    pub fn placed(&mut self, record: &OpRecord, part_id: u64, at: Time, is_pure: bool) -> PartPosition {
        // Even layers hold reads, odd layers hold one other operation each.
        let last = self.layers.entry(part_id).or_default();
        *last = match (is_pure, *last % 2) {
            (true, 0) => *last,
            (true, _) | (false, 0) => *last + 1,
            (false, _) => *last + 2,
        };
        let placed = PartPosition { at, layer: *last };
        if let Some(tracked) = self.tracked.get_mut(&record.id) {
            tracked.placed = Some(placed);
        } else if at == record.end && at >= self.now {
            self.early.push((record.id, placed));
        }
        placed
    }

    /// Groups of parts whose explanations contradict each other. Without explanations, all groups that threads link.
    pub fn entangled(&mut self, has_explanations: bool) -> Vec<Vec<u64>> {
        self.leave();
        let mut groups = Vec::new();
        for (time, members) in &self.instants {
            if !has_explanations {
                groups.push(members.iter().map(|member| member.part_id).collect());
                continue;
            }
            let placed = |member: &PartOp| self.tracked.get(&member.record.id)?.placed;
            let members: Vec<(PartPosition, PartOp)> = members
                .iter()
                .filter_map(|member| Some((placed(member)?, *member)))
                .filter(|(placed, _)| placed.at == *time)
                .collect();
            if let Err(cycles) = interleave(&members) {
                groups.extend(cycles);
            }
        }
        groups
    }

    /// Sorts the operations of one explanation, given in order of their moments, into an order that threads allow.
    ///
    /// No parts may be [entangled](Self::entangled).
    pub fn put_in_order(order: &mut [(PartPosition, PartOp)]) {
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

/// An order of operations, as positions, that keeps the layers of each part and the order of each thread; or groups of
/// parts that contradict each other.
fn interleave(members: &[(PartPosition, PartOp)]) -> Result<Vec<usize>, Vec<Vec<u64>>> {
    let mut parts: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut threads: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (position, (_, PartOp { record, part_id })) in members.iter().enumerate() {
        parts.entry(*part_id).or_default().push(position);
        threads.entry(record.thread).or_default().push(position);
    }
    for queue in parts.values_mut() {
        // The next operation to place is the last element.
        queue.reverse();
        sort_by_key(queue, |position| std::cmp::Reverse(members[*position].0.layer));
    }
    let mut done = vec![false; members.len()];
    let mut order = Vec::with_capacity(members.len());
    // The operation of the same thread that must be placed first, if any.
    let awaited = |position: usize, done: &[bool]| {
        let record = &members[position].1.record;
        let is_awaited = |other: &usize| !done[*other] && members[*other].1.record.is_tied_before(record);
        threads[&record.thread].iter().copied().find(is_awaited)
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
            // Some operation in the next layer of each part waits for another part.
            let waits = |(part_id, queue): (&u64, &Vec<usize>)| {
                let layer = members[*queue.last()?].0.layer;
                let heads = queue.iter().rev().filter(|head| members[**head].0.layer == layer);
                let mut awaited = heads.filter_map(|head| Some(members[awaited(*head, &done)?].1.part_id));
                Some((*part_id, awaited.find(|other| other != part_id)?))
            };
            let waits = parts.iter().filter_map(waits).collect();
            debug_assert!(!cycles(&waits).is_empty());
            return Err(cycles(&waits));
        }
    }
}

/// The cycles of a relation in which each part waits for one other part.
fn cycles(waits: &FxHashMap<u64, u64>) -> Vec<Vec<u64>> {
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    let mut cycles = Vec::new();
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
        if let Some(from) = path.iter().position(|part_id| *part_id == at)
            && path.len() > from + 1
        {
            cycles.push(path.split_off(from));
        }
    }
    cycles
}
