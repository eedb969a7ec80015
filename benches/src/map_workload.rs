//! A simulated ordered map under load: virtual time, virtual cores, every interleaving reproducible from its seed.
//!
//! Each operation waits before and after its effect, so that timeboxes overlap; the caller chooses how long. A fault
//! can be injected: late in the run, a few reads answer from an old version of the map.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::io::Write;

/// What to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Virtual cores, one thread each.
    pub threads: u32,
    /// Operations of each thread.
    pub ops_per_thread: u64,
    /// Where randomness comes from.
    pub seed: u64,
    /// The pause between two operations of a thread, in percent of the time spent around an effect: 0 packs the
    /// timeboxes as densely as they go.
    pub idle_percent: u64,
    /// Whether reads answer from an old version of the map near the end.
    pub stale_reads: bool,
}

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// Is the key there?
    Contains(u8),
    /// Maps the key; answers the value before, 0 for none.
    Insert(u8, u8),
    /// Maps the key if it is absent; answers the value before, 0 for none.
    InsertIfAbsent(u8, u8),
    /// Unmaps the key; answers the value before, 0 for none.
    Erase(u8),
    /// How many keys lie in the range, ends included?
    RangeQuery(u8, u8),
}

/// A call with its answer and timebox.
#[derive(Clone, Copy, Debug)]
pub struct Observed {
    /// The thread.
    pub thread: u32,
    /// The call.
    pub call: Call,
    /// The result.
    pub answer: u8,
    /// When the call began.
    pub start: i64,
    /// When it returned.
    pub end: i64,
}

/// Keys and values are `1..=KEYS`.
pub const KEYS: u8 = 11;

/// Reproducible random numbers. The histories that were measured depend on them, so the generator is fixed here.
#[derive(Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn call(&mut self) -> Call {
        let kind = self.below(5);
        let mut pick = || self.below(u64::from(KEYS)) as u8 + 1;
        match kind {
            0 => Call::Contains(pick()),
            1 => Call::Insert(pick(), pick()),
            2 => Call::InsertIfAbsent(pick(), pick()),
            3 => Call::Erase(pick()),
            _ => {
                let (a, b) = (pick(), pick());
                Call::RangeQuery(a.min(b), a.max(b))
            }
        }
    }
}

/// The map, with its recent versions for injected faults.
struct Store {
    map: BTreeMap<u8, u8>,
    old: VecDeque<BTreeMap<u8, u8>>,
    executed: u64,
    faults: u32,
    fault_from: Option<u64>,
}

impl Store {
    /// How many updates a stale read lags behind.
    const LAG: usize = 400;
    const FAULTS: u32 = 5;

    fn read(map: &BTreeMap<u8, u8>, call: Call) -> u8 {
        match call {
            Call::Contains(key) => u8::from(map.contains_key(&key)),
            Call::RangeQuery(low, high) => map.range(low..=high).count() as u8,
            Call::Insert(key, _) | Call::InsertIfAbsent(key, _) | Call::Erase(key) => {
                map.get(&key).copied().unwrap_or(0)
            }
        }
    }

    fn execute(&mut self, call: Call) -> u8 {
        self.executed += 1;
        let answer = Self::read(&self.map, call);
        match call {
            Call::Contains(_) | Call::RangeQuery(..) => {
                let armed =
                    self.fault_from.is_some_and(|from| self.executed >= from) && self.faults < Self::FAULTS;
                if let Some(old) = self.old.front().filter(|_| armed && self.old.len() == Self::LAG) {
                    let stale = Self::read(old, call);
                    self.faults += u32::from(stale != answer);
                    return stale;
                }
                return answer;
            }
            Call::Insert(key, value) => {
                self.map.insert(key, value);
            }
            Call::InsertIfAbsent(key, value) => {
                self.map.entry(key).or_insert(value);
            }
            Call::Erase(key) => {
                self.map.remove(&key);
            }
        }
        if self.fault_from.is_some() {
            if self.old.len() == Self::LAG {
                self.old.pop_front();
            }
            self.old.push_back(self.map.clone());
        }
        answer
    }
}

impl Load {
    /// Runs the simulation and hands every operation to `sink`, in order of return.
    pub fn run(&self, mut sink: impl FnMut(Observed)) {
        /// Time units around an effect.
        const AROUND: u64 = 600;
        let total = u64::from(self.threads) * self.ops_per_thread;
        let mut store = Store {
            map: BTreeMap::new(),
            old: VecDeque::new(),
            executed: 0,
            faults: 0,
            fault_from: self.stale_reads.then_some(total / 20 * 19),
        };
        enum Step {
            Call,
            Effect,
            Return,
        }
        let mut rngs: Vec<SplitMix64> = (0..self.threads)
            .map(|thread| SplitMix64(self.seed << 20 ^ u64::from(thread) << 50))
            .collect();
        let mut agenda: BinaryHeap<Reverse<(i64, u32)>> = rngs
            .iter_mut()
            .zip(0..)
            .map(|(rng, thread)| Reverse((rng.below(AROUND) as i64, thread)))
            .collect();
        let mut steps: Vec<Step> = (0..self.threads).map(|_| Step::Call).collect();
        let mut done = vec![0; self.threads as usize];
        let nothing = Observed {
            thread: 0,
            call: Call::Contains(1),
            answer: 0,
            start: 0,
            end: 0,
        };
        let mut current = vec![nothing; self.threads as usize];
        while let Some(Reverse((now, thread))) = agenda.pop() {
            let at = thread as usize;
            let wait = match steps[at] {
                Step::Call => {
                    current[at] = Observed {
                        thread,
                        call: rngs[at].call(),
                        start: now,
                        ..nothing
                    };
                    steps[at] = Step::Effect;
                    50 + rngs[at].below(AROUND)
                }
                Step::Effect => {
                    current[at].answer = store.execute(current[at].call);
                    steps[at] = Step::Return;
                    50 + rngs[at].below(AROUND)
                }
                Step::Return => {
                    current[at].end = now;
                    sink(current[at]);
                    done[at] += 1;
                    if done[at] == self.ops_per_thread {
                        continue;
                    }
                    steps[at] = Step::Call;
                    20 + rngs[at].below((AROUND * self.idle_percent / 100).max(1))
                }
            };
            agenda.push(Reverse((now + wait as i64, thread)));
        }
    }

    /// Writes all operations in order of start, keeping only those in memory that are still waiting for an earlier one.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_sorted(&self, out: &mut impl Write) -> std::io::Result<()> {
        // No operation lasts longer than this, so every operation that started that much earlier than a return has been seen.
        const LONGEST: i64 = 4_000;
        let mut waiting: BTreeMap<(i64, u32), Observed> = BTreeMap::new();
        let mut failure = Ok(());
        let mut write_until = |waiting: &mut BTreeMap<(i64, u32), Observed>, time: i64| {
            while let Some(entry) = waiting.first_entry().filter(|entry| entry.key().0 < time) {
                let written = entry.remove().write_line(out);
                if failure.is_ok() {
                    failure = written;
                }
            }
        };
        self.run(|observed| {
            waiting.insert((observed.start, observed.thread), observed);
            write_until(&mut waiting, observed.end - LONGEST);
        });
        write_until(&mut waiting, i64::MAX);
        failure
    }
}

impl Observed {
    /// Writes the operation as a line of trace format 1.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_line(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Self {
            thread,
            call,
            answer,
            start,
            end,
        } = self;
        let (name, args) = match call {
            Call::Contains(key) => ("KVContains", format!(r#""key":{key},"result":{}"#, *answer == 1)),
            Call::Insert(key, value) => (
                "KVInsert",
                format!(r#""key":{key},"value":{value},"result":{answer}"#),
            ),
            Call::InsertIfAbsent(key, value) => (
                "KVInsertIfAbsent",
                format!(r#""key":{key},"value":{value},"result":{answer}"#),
            ),
            Call::Erase(key) => ("KVErase", format!(r#""key":{key},"result":{answer}"#)),
            Call::RangeQuery(low, high) => (
                "KVRangeQuery",
                format!(r#""lo":{low},"hi":{high},"count":{answer}"#),
            ),
        };
        writeln!(
            out,
            r#"{{"thread":{thread},"op":"{name}","args":{{{args}}},"start":{start},"end":{end}}}"#
        )
    }
}
