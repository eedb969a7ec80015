//! The detector under test, without an execution: the events of an interleaving, one after the other.

use super::program::{RaceEvent, RaceInstruction};
use crate::memory_model::program::Instruction;
use omnilink_sched_runtime::access_history::{AccessHistories, DataRaces, MemoryAccess, RaceRules};
use omnilink_sched_runtime::happens_before::{HappensBefore, MemoryOrder};
use omnilink_sched_runtime::layout::race;
use omnilink_sched_runtime::release_clocks::ReleaseClocks;

/// A rule of the detector that is left out, to see that the comparison notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    LoadsDoNotAcquire,
    StoresDoNotRelease,
    AcquireFencesDoNothing,
    ReleaseFencesDoNothing,
    ChangesEndReleaseSequences,
    StoresContinueReleaseSequences,
    PlainStoresContinueReleaseSequences,
    ReleasesBeginNoEpoch,
    EpochsBeginBeforeTheRelease,
    FailedExchangesAcquire,
    AccessesPrecedeWhatTheyAcquire,
    OtherBytesConflict,
    ReadsConflict,
    AtomicAccessesConflict,
    UnorderedAccessesAreSubsumed,
    OtherBytesAreSubsumed,
    WritesAreSubsumedByReads,
    PlainAccessesAreSubsumedByAtomicOnes,
}

impl Mutant {
    pub const ALL: [Self; 18] = [
        Self::LoadsDoNotAcquire,
        Self::StoresDoNotRelease,
        Self::AcquireFencesDoNothing,
        Self::ReleaseFencesDoNothing,
        Self::ChangesEndReleaseSequences,
        Self::StoresContinueReleaseSequences,
        Self::PlainStoresContinueReleaseSequences,
        Self::ReleasesBeginNoEpoch,
        Self::EpochsBeginBeforeTheRelease,
        Self::FailedExchangesAcquire,
        Self::AccessesPrecedeWhatTheyAcquire,
        Self::OtherBytesConflict,
        Self::ReadsConflict,
        Self::AtomicAccessesConflict,
        Self::UnorderedAccessesAreSubsumed,
        Self::OtherBytesAreSubsumed,
        Self::WritesAreSubsumedByReads,
        Self::PlainAccessesAreSubsumedByAtomicOnes,
    ];
}

/// An access as another rule would see it.
fn seen(access: &MemoryAccess, bytes: u8, set: u8, cleared: u8) -> MemoryAccess {
    let mut seen = *access;
    seen.bytes = bytes;
    seen.kind = access.kind & !cleared | set;
    seen
}

macro_rules! rules {
    ($($name:ident: $method:ident($one:ident, $other:ident $(, $flag:ident)?) => $body:expr;)+) => {
        $(
            struct $name;
            impl RaceRules for $name {
                fn $method($one: &MemoryAccess, $other: &MemoryAccess $(, $flag: bool)?) -> bool {
                    $body
                }
            }
        )+
    };
}

rules! {
    OtherBytes: conflict(one, other) => DataRaces::conflict(&seen(one, 0xff, 0, 0), &seen(other, 0xff, 0, 0));
    Reads: conflict(one, other) => DataRaces::conflict(&seen(one, one.bytes, race::WRITES, 0), other);
    Atomics: conflict(one, other) => DataRaces::conflict(&seen(one, one.bytes, 0, race::ATOMIC), other);
    Unordered: subsumes(later, earlier, _is_before) => DataRaces::subsumes(later, earlier, true);
    FewBytes: subsumes(later, earlier, is_before) => DataRaces::subsumes(&seen(later, 0xff, 0, 0), earlier, is_before);
    Writes: subsumes(later, earlier, is_before) => DataRaces::subsumes(&seen(later, later.bytes, race::WRITES, 0), earlier, is_before);
    Plain: subsumes(later, earlier, is_before) => DataRaces::subsumes(&seen(later, later.bytes, 0, race::ATOMIC), earlier, is_before);
}

/// The epoch in which every thread begins.
const FIRST_EPOCH: u32 = 2;

struct Detector {
    mutant: Option<Mutant>,
    hb: HappensBefore,
    released: Box<ReleaseClocks<16>>,
    histories: Box<AccessHistories<16, 64>>,
}

/// The pairs of events that the detector reports, the earlier one first; with a mutant, without a rule.
pub fn reported(events: &[RaceEvent], mutant: Option<Mutant>) -> Vec<(usize, usize)> {
    let threads = events.iter().map(|event| event.thread + 1).max().unwrap_or(0) as u8;
    let mut hb = HappensBefore::NEW;
    for thread in 0..threads {
        hb.create(threads, thread, std::iter::empty());
    }
    let mut detector = Detector {
        mutant,
        hb,
        released: Box::new(ReleaseClocks::EMPTY),
        histories: Box::new(AccessHistories::EMPTY),
    };
    let mut races = Vec::new();
    for (number, event) in events.iter().enumerate() {
        detector.make(number, event, &mut races);
    }
    races
}

impl Detector {
    fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    fn without(order: MemoryOrder, acquires: bool, releases: bool) -> MemoryOrder {
        MemoryOrder(
            match (order.acquires() && acquires, order.releases() && releases) {
                (false, false) => 0,
                (true, false) => 2,
                (false, true) => 3,
                (true, true) => 4,
            },
        )
    }

    fn make(&mut self, number: usize, event: &RaceEvent, races: &mut Vec<(usize, usize)>) {
        let id = event.thread as u8;
        let (kind, bytes) = match event.instruction {
            RaceInstruction::Atomic(Instruction::Fence(order)) => {
                let acquires = !self.is(Mutant::AcquireFencesDoNothing);
                let releases = !self.is(Mutant::ReleaseFencesDoNothing);
                return self.hb.fence(id, Self::without(order, acquires, releases));
            }
            RaceInstruction::Atomic(_) => (race::ATOMIC, 0xff),
            RaceInstruction::Plain { bytes, .. } => (0, bytes),
        };
        let kind = kind | if event.writes { race::WRITES } else { 0 };
        let at = event.instruction.location().expect("an access") as u64 + 1;
        // What an access acquires happens before the access, and what it releases includes the access.
        if let RaceInstruction::Atomic(instruction) = event.instruction
            && !self.is(Mutant::AccessesPrecedeWhatTheyAcquire)
        {
            self.acquire(id, 8 * at, instruction, event.writes);
        }
        let clock = *self.hb.clock(id);
        let mut access = MemoryAccess::new(number as u64, id, &clock, bytes, kind);
        access.epoch = match self.mutant {
            // As if the own entry of the clock had never been counted up.
            Some(Mutant::ReleasesBeginNoEpoch) => FIRST_EPOCH,
            // As if a release had passed on the epoch that it begins.
            Some(Mutant::EpochsBeginBeforeTheRelease) => FIRST_EPOCH.max(access.epoch - 1),
            _ => access.epoch,
        };
        let mut report = |known: &MemoryAccess| races.push((known.code as usize, number));
        let histories = &mut self.histories;
        match self.mutant {
            Some(Mutant::OtherBytesConflict) => {
                histories.record::<OtherBytes>(at, access, &clock, &mut report)
            }
            Some(Mutant::ReadsConflict) => histories.record::<Reads>(at, access, &clock, &mut report),
            Some(Mutant::AtomicAccessesConflict) => {
                histories.record::<Atomics>(at, access, &clock, &mut report)
            }
            Some(Mutant::UnorderedAccessesAreSubsumed) => {
                histories.record::<Unordered>(at, access, &clock, &mut report);
            }
            Some(Mutant::OtherBytesAreSubsumed) => {
                histories.record::<FewBytes>(at, access, &clock, &mut report)
            }
            Some(Mutant::WritesAreSubsumedByReads) => {
                histories.record::<Writes>(at, access, &clock, &mut report)
            }
            Some(Mutant::PlainAccessesAreSubsumedByAtomicOnes) => {
                histories.record::<Plain>(at, access, &clock, &mut report);
            }
            _ => histories.record::<DataRaces>(at, access, &clock, &mut report),
        }
        if let RaceInstruction::Atomic(instruction) = event.instruction {
            if self.is(Mutant::AccessesPrecedeWhatTheyAcquire) {
                self.acquire(id, 8 * at, instruction, event.writes);
            }
            self.release(id, 8 * at, instruction, event.writes);
        } else if event.writes && !self.is(Mutant::PlainStoresContinueReleaseSequences) {
            self.released.overwrite(
                8 * at + u64::from(bytes.trailing_zeros()),
                u64::from(bytes.count_ones()),
            );
        }
    }

    fn order(&self, instruction: Instruction, writes: bool) -> MemoryOrder {
        let is_failed = instruction.may_write() && !writes;
        let order = instruction.order(writes || (is_failed && self.is(Mutant::FailedExchangesAcquire)));
        let acquires = !self.is(Mutant::LoadsDoNotAcquire);
        let releases = !self.is(Mutant::StoresDoNotRelease);
        Self::without(order, acquires, releases)
    }

    fn acquire(&mut self, id: u8, address: u64, instruction: Instruction, writes: bool) {
        let order = self.order(instruction, writes);
        if instruction.reads() {
            self.released.load(address, 8, id, order, &mut self.hb);
        }
    }

    fn release(&mut self, id: u8, address: u64, instruction: Instruction, writes: bool) {
        let order = self.order(instruction, writes);
        let continues = if instruction.reads() {
            !self.is(Mutant::ChangesEndReleaseSequences)
        } else {
            self.is(Mutant::StoresContinueReleaseSequences)
        };
        match continues {
            _ if !writes => {}
            true => self.released.modify(address, 8, id, order, &mut self.hb),
            false => self.released.store(address, 8, id, order, &mut self.hb),
        }
    }
}
