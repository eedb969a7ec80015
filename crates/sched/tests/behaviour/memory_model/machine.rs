//! The model under test, without an execution: every interleaving of a program, and every choice of stores.

use super::program::{Instruction, LOCATIONS, Outcome, Program, RELAXED};
use omnilink_sched_runtime::happens_before::{HappensBefore, MemoryOrder};
use omnilink_sched_runtime::store_history::{AtomicAccess, NO_STEP, NewStore, StoreHistories};
use std::collections::BTreeSet;

/// A rule of the model that is left out, to see that the comparison notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    LoadsDoNotAcquire,
    StoresDoNotRelease,
    AcquireFencesDoNothing,
    ReleaseFencesDoNothing,
    FencesAreNotSeqCst,
    LoadsAreNotSeqCst,
    StoresAreNotSeqCst,
    ReadsAreForgotten,
    SwapsAreTwoAccesses,
    OnlyTheNewestIsRead,
    StoresAreTheNewest,
    EverythingIsSeqCst,
}

type Histories = StoreHistories<64, 24>;

#[derive(Clone)]
struct Machine<'a> {
    program: &'a Program,
    mutant: Option<Mutant>,
    hb: HappensBefore,
    histories: Box<Histories>,
    memory: [u64; LOCATIONS],
    done: Vec<usize>,
    read: Vec<Vec<u64>>,
}

/// The outcomes of a program; with a mutant, of the model without a rule.
pub fn outcomes(program: &Program, mutant: Option<Mutant>) -> BTreeSet<Outcome> {
    let main = program.threads.len() as u8;
    let mut hb = HappensBefore::NEW;
    for thread in 0..main {
        hb.create(main, thread, std::iter::empty());
    }
    let machine = Machine {
        program,
        mutant,
        hb,
        histories: Box::new(Histories::EMPTY),
        memory: [0; LOCATIONS],
        done: vec![0; program.threads.len()],
        read: vec![Vec::new(); program.threads.len()],
    };
    let mut found = BTreeSet::new();
    machine.explore(&mut found);
    found
}

impl Machine<'_> {
    fn explore(&self, found: &mut BTreeSet<Outcome>) {
        let mut has_ended = true;
        for thread in 0..self.program.threads.len() {
            let Some(&instruction) = self.program.threads[thread].get(self.done[thread]) else {
                continue;
            };
            has_ended = false;
            let mut choice = 0;
            loop {
                let mut next = self.clone();
                if !next.step(thread, instruction, choice) {
                    break;
                }
                next.done[thread] += 1;
                next.explore(found);
                choice += 1;
            }
        }
        if has_ended {
            found.insert(Outcome {
                threads: self.read.clone(),
                last: self.memory.to_vec(),
            });
        }
    }

    fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    /// The order in which a mutant makes an access.
    fn mutated(&self, instruction: Instruction, order: MemoryOrder) -> MemoryOrder {
        let (reads, writes) = (instruction.reads(), instruction.may_write());
        let mut order = order;
        if self.is(Mutant::EverythingIsSeqCst) {
            return MemoryOrder(5);
        }
        if order.is_seq_cst()
            && ((self.is(Mutant::LoadsAreNotSeqCst) && reads)
                || (self.is(Mutant::StoresAreNotSeqCst) && writes))
        {
            order = MemoryOrder(match (reads, writes) {
                (true, false) => 2,
                (false, true) => 3,
                _ => 4,
            });
        }
        if self.is(Mutant::LoadsDoNotAcquire) && order.acquires() && !order.is_seq_cst() {
            order = MemoryOrder(if order.releases() { 3 } else { 0 });
        }
        if self.is(Mutant::StoresDoNotRelease) && order.releases() && !order.is_seq_cst() {
            order = MemoryOrder(if order.acquires() { 2 } else { 0 });
        }
        order
    }

    fn fence(&mut self, thread: u8, order: MemoryOrder) {
        let order = match order {
            order if self.is(Mutant::FencesAreNotSeqCst) && order.is_seq_cst() => MemoryOrder(4),
            order if self.is(Mutant::AcquireFencesDoNothing) && !order.is_seq_cst() && order.acquires() => {
                MemoryOrder(if order.releases() { 3 } else { 0 })
            }
            order if self.is(Mutant::ReleaseFencesDoNothing) && !order.is_seq_cst() && order.releases() => {
                MemoryOrder(if order.acquires() { 2 } else { 0 })
            }
            order => order,
        };
        self.hb.fence(thread, order);
    }

    /// Makes an instruction with the given choice of a store; false if there is no such choice.
    fn step(&mut self, thread: usize, instruction: Instruction, choice: usize) -> bool {
        let id = thread as u8;
        let order = |writes| self.mutated(instruction, instruction.order(writes));
        let access = match instruction {
            Instruction::Fence(order) => {
                self.fence(id, order);
                return choice == 0;
            }
            Instruction::Load(..) => AtomicAccess::Load(order(false)),
            Instruction::Store(..) => AtomicAccess::Store(order(true)),
            Instruction::Swap(..) => AtomicAccess::ReadModifyWrite(order(true)),
            Instruction::CompareExchange(..) => AtomicAccess::CompareExchange {
                expected: 0,
                success: order(true),
                failure: RELAXED,
                is_weak: false,
            },
        };
        let is_newest_only = match instruction {
            Instruction::Load(..) => self.is(Mutant::OnlyTheNewestIsRead),
            _ => self.is(Mutant::StoresAreTheNewest),
        };
        if is_newest_only && choice > 0 {
            return false;
        }
        let at = instruction.location().expect("an access");
        let address = 8 * (at as u64 + 1);
        let location = self
            .histories
            .location(address, 8, self.memory[at], &self.hb)
            .expect("there is room");
        let choices = self.histories.choices(location, id, access, &self.hb);
        let Some(&chosen) = choices.as_slice().get(choice) else {
            return false;
        };
        let writes = instruction.writes(chosen.value);
        let order = access.order(writes);
        if instruction.reads() {
            // A read by nobody is one that nobody remembers.
            let reader = if self.is(Mutant::ReadsAreForgotten) && !order.acquires() {
                31
            } else {
                id
            };
            self.histories.read(chosen, reader, order, &mut self.hb);
            self.read[thread].push(chosen.value);
        }
        if writes {
            let before: usize = self.program.threads[..thread].iter().map(Vec::len).sum();
            let value = (before + self.done[thread]) as u64 + 1;
            let store = NewStore {
                value,
                thread: id,
                order,
                has_read: instruction.reads() && !self.is(Mutant::SwapsAreTwoAccesses),
                step: NO_STEP,
            };
            let written = self.histories.write(location, chosen, store, &mut self.hb);
            if written.expect("there is room").is_newest {
                self.memory[at] = value;
            }
        }
        true
    }
}
