//! What the threads of a whole program accessed in its steps.

use std::collections::BTreeMap;

use omnilink_sched_runtime::layout::{STEP_FRAMES, StepRecord, flag};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::program_schedule::SharedLocation;
use crate::whole_program::ThreadPlace;

/// What the threads of a run accessed.
#[derive(Debug, Clone, Default)]
pub struct ObservedAccesses {
    /// The locations that several threads accessed, and one of them wrote.
    pub locations: Vec<SharedLocation>,
    /// The pairs of a place in the code that wrote and one that read it in another thread, each as a number.
    pub reads_from: Vec<u64>,
    /// How often each thread stopped.
    pub decisions: Vec<(u8, u32)>,
    /// Where the steps were made, each place once, with its innermost call sites.
    pub places: Vec<ThreadPlace>,
    /// Where threads stopped although others could have run: of each place the first ones.
    pub stops: Vec<ObservedStop>,
}

/// A thread stopped where others could have gone on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedStop {
    /// The thread.
    pub thread: u8,
    /// How many times it had stopped before.
    pub decision: u32,
    /// The other threads that could have gone on.
    pub others: Vec<u8>,
    /// Its next step, as a number in [`ObservedAccesses::places`].
    pub place: usize,
}

impl ObservedAccesses {
    /// Of steps, and the innermost call sites of each.
    pub(crate) fn of(steps: &[StepRecord], frames: &[[u64; STEP_FRAMES]]) -> Self {
        Self {
            locations: shared_locations(steps),
            reads_from: reads_from(steps),
            decisions: decisions(steps),
            places: places(steps, frames),
            stops: stops(steps, frames),
        }
    }
}

fn places(steps: &[StepRecord], frames: &[[u64; STEP_FRAMES]]) -> Vec<ThreadPlace> {
    let mut known: FxHashSet<(u64, &[u64])> = FxHashSet::default();
    let mut places = Vec::new();
    for (step, frames) in steps.iter().zip(frames) {
        if known.insert((step.chosen_code, frames)) {
            places.push(ThreadPlace {
                thread: step.chosen,
                code: step.chosen_code,
                frames: frames.iter().copied().take_while(|frame| *frame != 0).collect(),
            });
        }
    }
    places
}

fn stops(steps: &[StepRecord], frames: &[[u64; STEP_FRAMES]]) -> Vec<ObservedStop> {
    /// In a loop the first rounds are enough.
    const STOPS_OF_PLACE_MAX: usize = 3;
    let mut numbers: FxHashMap<(u64, &[u64]), (usize, usize)> = FxHashMap::default();
    let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
    let mut stopped: BTreeMap<u8, (u32, u32)> = BTreeMap::new();
    let mut stops = Vec::new();
    for (step, frames) in steps.iter().zip(frames) {
        let count = counts.entry(step.current).or_default();
        let others = step.candidates & !1_u32.checked_shl(step.current.into()).unwrap_or(0);
        stopped.insert(step.current, (*count, others));
        *count += 1;
        let next = numbers.len();
        let (place, times) = numbers.entry((step.chosen_code, frames)).or_insert((next, 0));
        if let Some((decision, others)) = stopped.remove(&step.chosen).filter(|(_, others)| *others != 0)
            && *times < STOPS_OF_PLACE_MAX
        {
            *times += 1;
            stops.push(ObservedStop {
                thread: step.chosen,
                decision,
                others: (0..32).filter(|id| others >> id & 1 != 0).collect(),
                place: *place,
            });
        }
    }
    stops
}

fn decisions(steps: &[StepRecord]) -> Vec<(u8, u32)> {
    let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
    for step in steps {
        *counts.entry(step.current).or_default() += 1;
    }
    counts.into_iter().collect()
}

/// Of each read of what another thread wrote, the two places. A lock both reads and writes.
fn reads_from(steps: &[StepRecord]) -> Vec<u64> {
    let mut last: FxHashMap<u64, (u8, u64)> = FxHashMap::default();
    let mut pairs = Vec::new();
    for step in steps.iter().filter(|step| step.address != 0) {
        let has = |bit| step.flags & bit != 0;
        let writes = has(flag::WRITES) && (!has(flag::HAS_READ) || has(flag::HAS_WRITTEN));
        let only_writes = has(flag::HAS_WRITTEN) && !has(flag::HAS_READ);
        if let (false, Some((thread, code))) = (only_writes, last.get(&step.address))
            && *thread != step.chosen
        {
            pairs.push(code.rotate_left(32) ^ step.chosen_code);
        }
        if writes {
            last.insert(step.address, (step.chosen, step.chosen_code));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The locations that several threads accessed in some steps, in the order of their first accesses: addresses may differ from run to run.
fn shared_locations(steps: &[StepRecord]) -> Vec<SharedLocation> {
    #[derive(Default)]
    struct Accesses {
        by_thread: BTreeMap<u8, u32>,
        is_written: bool,
    }
    let mut all: Vec<(u64, Accesses)> = Vec::new();
    let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
    for step in steps.iter().filter(|step| step.address != 0) {
        let number = *numbers.entry(step.address).or_insert_with(|| {
            all.push((step.address, Accesses::default()));
            all.len() - 1
        });
        let (_, accesses) = &mut all[number];
        *accesses.by_thread.entry(step.chosen).or_default() += 1;
        accesses.is_written |= step.flags & flag::WRITES != 0;
    }
    all.into_iter()
        .filter(|(_, accesses)| accesses.is_written && accesses.by_thread.len() > 1)
        .map(|(address, accesses)| SharedLocation {
            address,
            accesses: accesses.by_thread.into_iter().collect(),
        })
        .collect()
}
