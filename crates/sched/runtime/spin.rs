//! Recognising a thread that waits by reading.
//!
//! A load that would give the same value as it gave before, at the same place in the code, without the thread
//! having changed anything in between, brings it nowhere: the second such load may be left for another thread
//! at no cost, from the third on the thread yields. A read-modify-write that would change nothing counts as a
//! load. Loops that read in vain thus end for the search, without a limit on the number of steps.

const ENTRIES: usize = 64;
/// A load may give the same value this many times before the thread has to yield.
const FORGIVEN: u32 = 2;

#[derive(Clone, Copy)]
struct Seen {
    code: u64,
    address: u64,
    value: u64,
    /// The load belongs to the current generation only.
    generation: u32,
    times: u32,
}

/// The loads of one thread. A fixed table: an entry that another one displaces is only found to spin later.
#[derive(Clone, Copy)]
pub struct Spin {
    seen: [Seen; ENTRIES],
    generation: u32,
}

/// What the next step of a thread asks of the scheduler.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Yield {
    /// To go on.
    No,
    /// A switch would cost nothing.
    Offered,
    /// Somebody else has to run, if anybody can.
    Asked,
}

impl Spin {
    pub const NEW: Self =
        Self { seen: [Seen { code: 0, address: 0, value: 0, generation: 0, times: 0 }; ENTRIES], generation: 1 };

    fn entry(&mut self, code: u64, address: u64) -> &mut Seen {
        let hash = (code ^ address.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let index = (hash >> 58) as usize & (ENTRIES - 1);
        unsafe { self.seen.get_unchecked_mut(index) }
    }

    /// What a load that would now give `value` asks for.
    pub fn would_load(&mut self, code: u64, address: u64, value: u64) -> Yield {
        let generation = self.generation;
        let seen = self.entry(code, address);
        let again = seen.generation == generation
            && seen.code == code
            && seen.address == address
            && seen.value == value;
        match again {
            false => Yield::No,
            true if seen.times < FORGIVEN => Yield::Offered,
            true => Yield::Asked,
        }
    }

    /// A load gave `value`.
    pub fn loaded(&mut self, code: u64, address: u64, value: u64) {
        let generation = self.generation;
        let seen = self.entry(code, address);
        let again = seen.generation == generation
            && seen.code == code
            && seen.address == address
            && seen.value == value;
        let times = if again { seen.times.saturating_add(1) } else { 1 };
        *seen = Seen { code, address, value, generation, times };
    }

    /// The thread changed something, or a new call began: what it reads again it reads for another reason.
    pub fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }
}
