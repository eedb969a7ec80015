//! Layers: the states that explain the same number of lines.

use std::rc::Rc;

use omnilink_tla::eval::State;
use omnilink_value::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::interchange::Renaming;
use crate::mutant::{Mutant, mutated};
use crate::witness::WitnessStep;

/// How many lines of each chain are explained.
pub(crate) type Cut = SmallVec<[u32; 2]>;

/// A state that explains some lines.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub state: State,
    /// What was renamed in the state for the sake of others that are the same up to names.
    pub renaming: Option<Renaming>,
    pub cut: Cut,
    /// The layer and the entry that it comes from.
    pub parent: Option<(u32, u32)>,
    /// The line that it explains; none for a hidden action.
    pub line: Option<u32>,
    /// The hidden action, and the line before which it happened.
    pub hidden_step: Option<(usize, u32)>,
    /// How it was reached; `None` until it is in a layer.
    pub step: Option<Rc<WitnessStep>>,
    /// How many hidden actions there were since the last line.
    pub hidden: HiddenCounts,
    /// The line that must come next, because hidden actions happened for its sake.
    pub toward: Option<u32>,
    /// How many batches of successors have been followed.
    pub batches: u8,
    /// Whether it has a successor.
    pub is_continued: bool,
    /// Successors that are followed after the likelier ones, the likeliest last.
    pub held: Vec<Self>,
    /// Whether there are successors besides those that are followed or held.
    pub has_more: bool,
}

impl Entry {
    /// A state after a cut.
    pub fn new(state: State, cut: Cut, hidden: HiddenCounts) -> Self {
        Self {
            state,
            renaming: None,
            cut,
            parent: None,
            line: None,
            hidden_step: None,
            step: None,
            hidden,
            toward: None,
            batches: 0,
            is_continued: false,
            held: Vec::new(),
            has_more: false,
        }
    }
}

/// How often each hidden action happened.
pub(crate) type HiddenCounts = SmallVec<[u32; 2]>;

/// The states that explain one number of lines.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    pub entries: Vec<Entry>,
    /// Those that are not expanded yet; the best is the last.
    pub open: Vec<u32>,
    /// Entries by hash, once there are many. Two entries are the same if the same lines can be explained from them: that depends on the
    /// state, on the lines that are left (the cut), on how often hidden actions may still happen, and on the line that must come next. All of
    /// these are compared; the hash only finds candidates.
    table: FxHashMap<u64, SmallVec<[u32; 1]>>,
}

/// Up to this many entries are compared one by one.
const FEW: usize = 8;

impl Layer {
    fn find(&self, entry: &Entry) -> Option<u32> {
        let is_same = |other: &Entry| {
            other.cut == entry.cut
                && (other.hidden == entry.hidden || mutated(Mutant::ForgetHiddenCounts))
                && other.toward == entry.toward
                && other.state == entry.state
        };
        if self.table.is_empty() {
            return self.entries.iter().position(is_same).map(|at| at as u32);
        }
        let found = self.table.get(&hash(entry))?;
        found
            .iter()
            .copied()
            .find(|at| is_same(&self.entries[*at as usize]))
    }

    /// Adds an entry, unless it is there already.
    pub fn add(&mut self, entry: Entry) -> Option<u32> {
        if self.find(&entry).is_some() {
            return None;
        }
        let at = self.entries.len() as u32;
        if self.entries.len() == FEW {
            for (at, entry) in (0u32..).zip(&self.entries) {
                self.table.entry(hash(entry)).or_default().push(at);
            }
        }
        if self.entries.len() >= FEW {
            self.table.entry(hash(&entry)).or_default().push(at);
        }
        self.entries.push(entry);
        Some(at)
    }
}

fn hash(entry: &Entry) -> u64 {
    let state = entry.state.iter().map(Value::hash64);
    let cut = entry.cut.iter().map(|at| u64::from(*at));
    let hidden = entry.hidden.iter().map(|at| u64::from(*at));
    let toward = entry.toward.map(|line| u64::from(line) + 1);
    state
        .chain(cut)
        .chain(hidden)
        .chain(toward)
        .fold(0x1234_5678, |hash: u64, part| {
            (hash.rotate_left(7) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
}
