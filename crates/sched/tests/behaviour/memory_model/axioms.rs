//! The reference: the axioms of C++20, tried on every way in which the reads of a program could read and its writes be ordered.
//!
//! Nothing is executed, and no code is shared with the model under test. The one restriction is that of the model: the program
//! order, reads-from and the total order of sequentially consistent operations have no cycle together.

use super::program::{Instruction, LOCATIONS, Outcome, Program};

/// An event of a program: its instructions, thread after thread, and then the initial writes of the locations.
type Event = usize;

/// A relation between events: for each the set of those that it is related to.
#[derive(Clone)]
struct Relation(Vec<u32>);

impl Relation {
    fn new(events: usize) -> Self {
        Self(vec![0; events])
    }

    fn add(&mut self, a: Event, b: Event) {
        self.0[a] |= 1 << b;
    }

    fn has(&self, a: Event, b: Event) -> bool {
        self.0[a] & (1 << b) != 0
    }

    fn or(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    fn closure(mut self) -> Self {
        for middle in 0..self.0.len() {
            for from in 0..self.0.len() {
                if self.has(from, middle) {
                    self.0[from] |= self.0[middle];
                }
            }
        }
        self
    }

    fn is_acyclic(&self) -> bool {
        let closure = self.clone().closure();
        (0..closure.0.len()).all(|event| !closure.has(event, event))
    }
}

struct Graph<'a> {
    events: Vec<(usize, &'a Instruction)>,
    /// What each instruction reads.
    reads: Vec<Option<Event>>,
    /// The writes of each location in modification order, the initial one first.
    orders: Vec<Vec<Event>>,
}

/// The outcomes that the axioms allow.
pub fn outcomes(program: &Program) -> std::collections::BTreeSet<Outcome> {
    let events: Vec<(usize, &Instruction)> = program
        .threads
        .iter()
        .enumerate()
        .flat_map(|(thread, instructions)| instructions.iter().map(move |instruction| (thread, instruction)))
        .collect();
    let mut found = std::collections::BTreeSet::new();
    let mut graph = Graph {
        reads: vec![None; events.len()],
        orders: Vec::new(),
        events,
    };
    graph.choose_reads(0, &mut found);
    found
}

impl Graph<'_> {
    fn size(&self) -> usize {
        self.events.len() + LOCATIONS
    }

    fn initial(&self, location: usize) -> Event {
        self.events.len() + location
    }

    fn location(&self, event: Event) -> Option<usize> {
        match self.events.get(event) {
            Some((_, instruction)) => instruction.location(),
            None => Some(event - self.events.len()),
        }
    }

    fn value(&self, event: Event) -> u64 {
        if event < self.events.len() {
            event as u64 + 1
        } else {
            0
        }
    }

    fn writes(&self, event: Event) -> bool {
        match self.events.get(event) {
            None => true,
            Some((_, instruction)) => {
                instruction.writes(self.reads[event].map_or(0, |from| self.value(from)))
            }
        }
    }

    fn choose_reads(&mut self, event: Event, found: &mut std::collections::BTreeSet<Outcome>) {
        if event == self.events.len() {
            let all_are_writes = self.reads.iter().flatten().all(|&from| self.writes(from));
            if all_are_writes {
                self.orders = (0..LOCATIONS)
                    .map(|location| vec![self.initial(location)])
                    .collect();
                self.choose_order(0, found);
            }
            return;
        }
        if !self.events[event].1.reads() {
            self.reads[event] = None;
            return self.choose_reads(event + 1, found);
        }
        for from in 0..self.size() {
            let is_write = self.events.get(from).is_none_or(|(_, other)| other.may_write());
            if from != event && is_write && self.location(from) == self.location(event) {
                self.reads[event] = Some(from);
                self.choose_reads(event + 1, found);
            }
        }
    }

    /// Inserts each write into the modification order of its location, at every place.
    fn choose_order(&mut self, event: Event, found: &mut std::collections::BTreeSet<Outcome>) {
        if event == self.events.len() {
            if self.is_consistent() {
                found.insert(self.outcome());
            }
            return;
        }
        let Some(location) = self.location(event).filter(|_| self.writes(event)) else {
            return self.choose_order(event + 1, found);
        };
        for place in 1..=self.orders[location].len() {
            self.orders[location].insert(place, event);
            self.choose_order(event + 1, found);
            self.orders[location].remove(place);
        }
    }

    fn outcome(&self) -> Outcome {
        let mut threads = Vec::new();
        for (event, (thread, _)) in self.events.iter().enumerate() {
            threads.resize(threads.len().max(thread + 1), Vec::new());
            threads[*thread].extend(self.reads[event].map(|from| self.value(from)));
        }
        let last = |order: &Vec<Event>| self.value(order[order.len() - 1]);
        Outcome {
            threads,
            last: self.orders.iter().map(last).collect(),
        }
    }

    fn is_consistent(&self) -> bool {
        let size = self.size();
        let (mut program_order, mut reads_from, mut modification, mut from_read) = (
            Relation::new(size),
            Relation::new(size),
            Relation::new(size),
            Relation::new(size),
        );
        for (a, (thread, _)) in self.events.iter().enumerate() {
            for (b, (other, _)) in self.events.iter().enumerate().skip(a + 1) {
                if thread == other {
                    program_order.add(a, b);
                }
            }
            for location in 0..LOCATIONS {
                program_order.add(self.initial(location), a);
            }
        }
        for order in &self.orders {
            for (place, &a) in order.iter().enumerate() {
                order[place + 1..].iter().for_each(|&b| modification.add(a, b));
            }
        }
        for (event, from) in self.reads.iter().enumerate() {
            let Some(from) = *from else { continue };
            reads_from.add(from, event);
            for later in (0..size).filter(|&later| modification.has(from, later) && later != event) {
                from_read.add(event, later);
            }
            // A read-modify-write is the very next write.
            if self.writes(event) {
                let order = &self.orders[self.location(event).expect("a write")];
                let place = order.iter().position(|&other| other == event).expect("a write");
                if order[place - 1] != from {
                    return false;
                }
            }
        }
        let before = program_order.or(&self.synchronizes(&program_order)).closure();
        let coherence = reads_from.or(&modification).or(&from_read).closure();
        let is_coherent = (0..size)
            .all(|a| !before.has(a, a) && (0..size).all(|b| !(before.has(a, b) && coherence.has(b, a))));
        is_coherent
            && program_order
                .or(&reads_from)
                .or(&self.total_order(&before, &coherence))
                .is_acyclic()
    }

    /// Synchronizes-with: from a release (or a release fence before the write) through the release sequence of the write to an
    /// acquire (or an acquire fence after the read).
    fn synchronizes(&self, program_order: &Relation) -> Relation {
        let mut synchronizes = Relation::new(self.size());
        for reader in 0..self.events.len() {
            let targets: Vec<Event> = (0..self.events.len())
                .filter(|&target| {
                    let order = self.order(target);
                    order.acquires()
                        && (target == reader || (self.is_fence(target) && program_order.has(reader, target)))
                })
                .collect();
            let mut head = self.reads[reader];
            while let Some(write) = head.filter(|&write| write < self.events.len()) {
                for origin in 0..self.events.len() {
                    let is_origin =
                        origin == write || (self.is_fence(origin) && program_order.has(origin, write));
                    if is_origin && self.order(origin).releases() {
                        targets
                            .iter()
                            .for_each(|&target| synchronizes.add(origin, target));
                    }
                }
                // A read-modify-write belongs to the release sequence of what it read.
                head = self.reads[write];
            }
        }
        synchronizes
    }

    /// What must precede what in the total order of sequentially consistent operations, beside happens-before.
    fn total_order(&self, before: &Relation, coherence: &Relation) -> Relation {
        let operations: Vec<Event> = (0..self.events.len())
            .filter(|&event| self.order(event).is_seq_cst())
            .collect();
        let mut total = Relation::new(self.size());
        for a in 0..self.size() {
            for b in (0..self.size()).filter(|&b| coherence.has(a, b)) {
                for &first in operations
                    .iter()
                    .filter(|&&first| first == a || (self.is_fence(first) && before.has(first, a)))
                {
                    for &second in operations
                        .iter()
                        .filter(|&&second| second == b || (self.is_fence(second) && before.has(b, second)))
                    {
                        total.add(first, second);
                    }
                }
            }
        }
        total
    }

    fn is_fence(&self, event: Event) -> bool {
        self.location(event).is_none()
    }

    fn order(&self, event: Event) -> omnilink_sched_runtime::happens_before::MemoryOrder {
        self.events[event].1.order(self.writes(event))
    }
}
