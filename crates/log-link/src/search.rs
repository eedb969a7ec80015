//! The search for an explanation: layers of states, one for each number of explained lines.
//!
//! A *layer* holds the states (with the cut, where the order of lines is partial) that explain the same number of lines. A state is expanded at most
//! once. Which one comes next is the only difference between depth-first and breadth-first search: the best state of the deepest layer, or one
//! of the shallowest. Both share all tables and take turns under doubling budgets. Depth-first search finds an explanation where the log leaves
//! much choice; breadth-first search keeps memory flat and decides rejections. The search is exhaustive: it ends with an explanation of all
//! lines, or with no state left to expand.
//!
//! Depth-first search tries the likeliest successor first: one that changes no variable that the log would have mentioned, and of those one
//! that changes the state at all: a resent message that changes nothing rarely leads further.

use std::collections::VecDeque;

use omnilink_engine::LimitWatch;
use omnilink_evidence::Limit;
use omnilink_tla::eval::State;
use omnilink_value::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::error::LogError;
use crate::expansion::{Batch, Expander, Successor, Successors};
use crate::interchange::FreeClasses;
use crate::lines::Lines;
use crate::prepared_line::PreparedLine;

/// How many lines of each chain are explained.
pub(crate) type Cut = SmallVec<[u32; 2]>;

/// A state that explains some lines.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub state: State,
    pub cut: Cut,
    /// The layer and the entry that it comes from.
    pub parent: Option<(u32, u32)>,
    /// The line that it explains; none for a hidden action.
    pub line: Option<u32>,
    /// How many hidden actions there were since the last line.
    hidden: SmallVec<[u8; 4]>,
    /// How many batches of successors have been followed.
    batches: u8,
}

/// The states that explain one number of lines.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    pub entries: Vec<Entry>,
    /// Those that are not expanded yet; the best is the last.
    open: Vec<u32>,
    /// Entries by hash, once there are many.
    table: FxHashMap<u64, SmallVec<[u32; 1]>>,
}

/// Up to this many entries are compared one by one.
const FEW: usize = 8;

impl Layer {
    fn find(&self, entry: &Entry) -> Option<u32> {
        let is_same = |other: &Entry| {
            other.cut == entry.cut && other.hidden == entry.hidden && other.state == entry.state
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
    fn add(&mut self, entry: Entry) -> Option<u32> {
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
    state
        .chain(cut)
        .chain(hidden)
        .fold(0x1234_5678, |hash: u64, part| {
            (hash.rotate_left(7) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchEnd {
    /// An entry of the deepest layer explains all lines.
    Accepted,
    /// No explanation goes beyond the deepest layer.
    Rejected,
    Limited(Limit),
}

/// The batch of successors that an entry is expanded with for the n-th time: 64, then eight times as many each time. A line that leaves
/// thousands of choices is not enumerated to its end before the first of them is followed.
fn batch(number: u8) -> Batch {
    let end = |number: u32| 64usize.saturating_mul(8usize.saturating_pow(number));
    match u32::from(number) {
        0 => Batch {
            skipped: 0,
            most: end(0),
        },
        number => Batch {
            skipped: end(number - 1),
            most: end(number) - end(number - 1),
        },
    }
}

/// How unlikely a successor is: how many variables change that other lines of the log mention and this one does not, and whether nothing
/// changes at all.
fn rank(from: &[Value], to: &[Value], line: &PreparedLine, logged: &[bool]) -> u32 {
    let mut changed = 0;
    let mut unmentioned = 0;
    for (slot, (from, to)) in (0u32..).zip(from.iter().zip(to)) {
        if from != to {
            changed += 1;
            let is_mentioned = line.updates.iter().any(|(own, _)| *own == slot);
            unmentioned += u32::from(logged[slot as usize] && !is_mentioned);
        }
    }
    2 * unmentioned + u32::from(changed == 0)
}

/// Layers are kept for reports while there are at most this many entries.
const KEPT_ENTRIES: u64 = 200_000;
/// The number of last layers that are always kept.
const KEPT_LAYERS: usize = 64;
/// The first budget of each strategy, in expansions.
const FIRST_BUDGET: u64 = 2_048;

/// Figures of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchFigures {
    pub distinct: u64,
    pub expanded: u64,
    pub layer_max: u64,
    /// Lines that could be explained by several steps, in the states that were tried.
    pub choices: u64,
    pub first_choice: Option<u32>,
}

/// A search.
#[derive(Debug)]
pub(crate) struct Search<'s> {
    pub lines: Lines<'s>,
    pub layers: VecDeque<Layer>,
    /// How many layers have been dropped.
    pub base: u32,
    kept: u64,
    deepest_open: u32,
    shallowest_open: u32,
    is_depth_first: bool,
    budget: u64,
    spent: u64,
    pub figures: SearchFigures,
    uses_interchange: bool,
    free_cache: Option<(Cut, FreeClasses)>,
}

impl<'s> Search<'s> {
    /// A search that begins in these states, after the lines of the cut.
    pub fn new(lines: Lines<'s>, uses_interchange: bool) -> Self {
        Self {
            uses_interchange: uses_interchange && lines.has_mentions(),
            lines,
            layers: VecDeque::from([Layer::default()]),
            base: 0,
            kept: 0,
            deepest_open: 0,
            shallowest_open: 0,
            is_depth_first: true,
            budget: FIRST_BUDGET,
            spent: 0,
            figures: SearchFigures::default(),
            free_cache: None,
        }
    }

    /// Adds a state to begin with.
    pub fn begin(&mut self, state: State, cut: Cut, hidden: usize) {
        let entry = Entry {
            state,
            cut,
            parent: None,
            line: None,
            hidden: SmallVec::from_elem(0, hidden),
            batches: 0,
        };
        self.insert(0, entry);
    }

    /// The layer with the most explained lines.
    pub fn deepest(&self) -> &Layer {
        &self.layers[self.layers.len() - 1]
    }

    /// How many lines it explains.
    pub fn depth(&self) -> u32 {
        self.base + self.layers.len() as u32 - 1
    }

    fn insert(&mut self, layer: u32, mut entry: Entry) -> bool {
        if self.uses_interchange {
            let is_cached = self.free_cache.as_ref().is_some_and(|(cut, _)| *cut == entry.cut);
            if !is_cached {
                self.free_cache = Some((entry.cut.clone(), self.lines.free_classes(&entry.cut)));
            }
            if let Some((_, classes)) = &self.free_cache
                && let Some(renamed) = classes.representative(&entry.state)
            {
                entry.state = renamed;
            }
        }
        while self.base + self.layers.len() as u32 <= layer {
            self.layers.push_back(Layer::default());
        }
        let at = (layer - self.base) as usize;
        let Some(number) = self.layers[at].add(entry) else {
            return false;
        };
        self.layers[at].open.push(number);
        self.figures.layer_max = self.figures.layer_max.max(u64::from(number) + 1);
        self.figures.distinct += 1;
        self.kept += 1;
        self.deepest_open = self.deepest_open.max(layer);
        self.shallowest_open = self.shallowest_open.min(layer);
        true
    }

    /// The next state to expand.
    fn take(&mut self) -> Option<(u32, u32)> {
        if self.spent >= self.budget {
            self.spent = 0;
            // Both strategies get the same budget before it doubles.
            if !self.is_depth_first {
                self.budget *= 2;
            }
            self.is_depth_first = !self.is_depth_first;
        }
        self.spent += 1;
        let last = self.depth();
        let layer = match self.is_depth_first {
            true => {
                while self.layers[(self.deepest_open - self.base) as usize]
                    .open
                    .is_empty()
                {
                    if self.deepest_open == self.base {
                        return None;
                    }
                    self.deepest_open -= 1;
                }
                self.deepest_open
            }
            false => {
                self.shallowest_open = self.shallowest_open.max(self.base);
                while self.layers[(self.shallowest_open - self.base) as usize]
                    .open
                    .is_empty()
                {
                    if self.shallowest_open == last {
                        return None;
                    }
                    self.shallowest_open += 1;
                }
                self.shallowest_open
            }
        };
        let entry = self.layers[(layer - self.base) as usize].open.pop()?;
        Some((layer, entry))
    }

    /// Searches until there is an answer. `until`, if given, is a number of lines that is enough.
    ///
    /// # Errors
    /// If a line cannot be read or has no meaning, or an evaluation fails.
    pub fn run(
        &mut self,
        expander: &mut Expander<'s>,
        watch: &mut LimitWatch,
        most: Option<u64>,
        on_line: &mut dyn FnMut(u32),
    ) -> Result<SearchEnd, LogError> {
        let mut reached = self.depth();
        loop {
            if self.figures.expanded.is_multiple_of(64)
                && let Some(limit) = watch.reached()
            {
                return Ok(SearchEnd::Limited(limit));
            }
            if most.is_some_and(|most| self.figures.distinct > most) {
                return Ok(SearchEnd::Limited(Limit::Configurations));
            }
            let Some((layer, number)) = self.take() else {
                return Ok(SearchEnd::Rejected);
            };
            self.figures.expanded += 1;
            if self.expand(expander, layer, number)? {
                // All lines are explained. If more come, the search goes on from here.
                self.layers[(layer - self.base) as usize].open.push(number);
                return Ok(SearchEnd::Accepted);
            }
            while reached < self.depth() {
                on_line(reached);
                reached += 1;
            }
            self.forget();
        }
    }

    /// Expands an entry; whether it explains all lines.
    fn expand(&mut self, expander: &mut Expander<'s>, layer: u32, number: u32) -> Result<bool, LogError> {
        let entry = &self.layers[(layer - self.base) as usize].entries[number as usize];
        let (state, cut, hidden) = (entry.state.clone(), entry.cut.clone(), entry.hidden.clone());
        let batch = batch(entry.batches);
        let enabled = self.lines.enabled(&cut)?;
        if enabled.is_empty() {
            return Ok(true);
        }
        self.layers[(layer - self.base) as usize].entries[number as usize].batches += 1;
        let mut has_more = false;
        // Entries are taken from the end: what should be tried first is added last.
        for (at, _) in hidden.iter().enumerate() {
            let bound = expander.spec.hidden[at].bound;
            if u32::from(hidden[at]) >= bound || batch.skipped > 0 {
                continue;
            }
            let (_, line) = enabled[0];
            self.lines.prepare(line, &mut expander.evaluator)?;
            let Some(prepared) = self.lines.get(line).cloned() else {
                continue;
            };
            let found = expander.hidden(at, &state, &prepared)?;
            for successor in found.into_iter().rev() {
                let mut used = hidden.clone();
                used[at] += 1;
                if successor.state != state {
                    self.follow(expander, successor, layer, &cut, (layer, number), None, used)?;
                }
            }
        }
        for (chain, line) in enabled.into_iter().rev() {
            self.lines.prepare(line, &mut expander.evaluator)?;
            let mut after = cut.clone();
            after[chain as usize] += 1;
            let Some(prepared) = self.lines.get(line) else {
                continue;
            };
            let Successors {
                found,
                has_more: is_cut,
            } = expander.successors(&state, prepared, batch)?;
            has_more |= is_cut;
            if found.len() > 1 && found[1..].iter().any(|other| other.state != found[0].state) {
                self.figures.choices += 1;
                self.figures.first_choice.get_or_insert(line);
            }
            let mut ranked: Vec<(u32, Successor)> = found
                .into_iter()
                .map(|successor| {
                    (
                        rank(&state, &successor.state, prepared, &self.lines.logged),
                        successor,
                    )
                })
                .collect();
            ranked.sort_by_key(|(rank, _)| *rank);
            let unused = SmallVec::from_elem(0, hidden.len());
            for (_, successor) in ranked.into_iter().rev() {
                let parent = (layer, number);
                self.follow(
                    expander,
                    successor,
                    layer + 1,
                    &after,
                    parent,
                    Some(line),
                    unused.clone(),
                )?;
            }
        }
        if has_more {
            // The rest comes after everything that was found here.
            self.layers[(layer - self.base) as usize].open.push(number);
        }
        Ok(false)
    }

    #[allow(clippy::too_many_arguments)]
    fn follow(
        &mut self,
        expander: &mut Expander<'s>,
        successor: Successor,
        layer: u32,
        cut: &Cut,
        parent: (u32, u32),
        line: Option<u32>,
        hidden: SmallVec<[u8; 4]>,
    ) -> Result<(), LogError> {
        if expander.is_allowed(&successor.state)? {
            let entry = Entry {
                state: successor.state,
                cut: cut.clone(),
                parent: Some(parent),
                line,
                hidden,
                batches: 0,
            };
            self.insert(layer, entry);
        }
        Ok(())
    }

    /// Drops layers that nothing can lead back to.
    fn forget(&mut self) {
        if self.kept <= KEPT_ENTRIES {
            return;
        }
        while self.layers.len() > KEPT_LAYERS && self.layers[0].open.is_empty() {
            if let Some(layer) = self.layers.pop_front() {
                self.kept -= layer.entries.len() as u64;
                self.base += 1;
            }
        }
        self.shallowest_open = self.shallowest_open.max(self.base);
        self.deepest_open = self.deepest_open.max(self.base);
        self.lines.forget_before(self.base.saturating_sub(1));
    }

    /// The entries that lead to one, the oldest first, as far as they are kept.
    pub fn path(&self, layer: u32, number: u32) -> Vec<&Entry> {
        let mut path = Vec::new();
        let mut at = Some((layer, number));
        while let Some((layer, number)) = at {
            let Some(entry) = layer
                .checked_sub(self.base)
                .and_then(|layer| self.layers.get(layer as usize)?.entries.get(number as usize))
            else {
                break;
            };
            path.push(entry);
            at = entry.parent;
        }
        path.reverse();
        path
    }
}
