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
    times: u32,
}

/// The loads of one thread since it changed something.
///
/// Entries are found by comparing, never by a hash of an address: where the system places a program differs from run
/// to run, and two runs under one seed must be told to yield at the same loads. The table is short because every
/// change empties it. In a loop over more loads than it holds, an entry that another one displaces is only found to
/// spin later; which one is displaced is drawn, so that no order of loads displaces all of them for ever.
#[derive(Clone, Copy)]
pub struct Spin {
    seen: [Seen; ENTRIES],
    len: usize,
    /// The state of what draws the displaced entries.
    draw: u32,
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
        Self { seen: [Seen { code: 0, address: 0, value: 0, times: 0 }; ENTRIES], len: 0, draw: 1 };

    fn find(&mut self, code: u64, address: u64) -> Option<&mut Seen> {
        self.seen.iter_mut().take(self.len).find(|seen| seen.code == code && seen.address == address)
    }

    /// What a load that would now give `value` asks for.
    pub fn would_load(&mut self, code: u64, address: u64, value: u64) -> Yield {
        match self.find(code, address) {
            Some(seen) if seen.value != value => Yield::No,
            Some(seen) if seen.times < FORGIVEN => Yield::Offered,
            Some(_) => Yield::Asked,
            None => Yield::No,
        }
    }

    /// A load gave `value`.
    pub fn loaded(&mut self, code: u64, address: u64, value: u64) {
        if let Some(seen) = self.find(code, address) {
            seen.times = if seen.value == value { seen.times.saturating_add(1) } else { 1 };
            seen.value = value;
            return;
        }
        let index = if self.len < ENTRIES { self.len } else { self.displaced() };
        self.len = (self.len + 1).min(ENTRIES);
        unsafe { *self.seen.get_unchecked_mut(index) = Seen { code, address, value, times: 1 } };
    }

    fn displaced(&mut self) -> usize {
        self.draw = self.draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.draw >> 26) as usize & (ENTRIES - 1)
    }

    /// The thread changed something, or a new call began: what it reads again it reads for another reason.
    pub fn forget(&mut self) {
        self.len = 0;
    }
}
