//! The search for an explanation: layers of states, one for each number of explained lines.
//!
//! A *layer* holds the states (with the cut, where the order of lines is partial) that explain the same number of lines. A state is expanded at most
//! once. Which one comes next is the only difference between depth-first and breadth-first search: the best state of the deepest layer, or one
//! of the shallowest. Both share all tables and take turns under doubling budgets. Depth-first search finds an explanation where the log leaves
//! much choice; breadth-first search keeps memory flat and decides rejections. The search is exhaustive: it ends with an explanation of all
//! lines, or with no state left to expand.
//!
//! Three reductions leave out what makes no difference: states that differ by interchangeable identities ([`interchange`](crate::interchange)),
//! orders of lines that do not conflict ([`independence`](crate::independence)), and hidden actions that only take away what everything else only wants
//! ([`needless_hidden`](crate::needless_hidden)). Each is proved for the question whether the rest of the log can be explained from a state after a cut, so
//! they can be combined.
//!
//! Of the successors that a line leads to, only the likeliest are followed at first: those that change the fewest variables that the log would have
//! mentioned, and of those the ones that change the state at all, because a resent message that changes nothing rarely leads further. The others are
//! held back until the state is expanded again. So a log of variables needs about one state a line, although most of its lines could be many steps.

use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use omnilink_engine::LimitWatch;
use omnilink_evidence::Limit;
use omnilink_sorting::sort_by_key;
use omnilink_tla::eval::State;
use smallvec::SmallVec;

use crate::batch::Batch;
use crate::error::LogError;
use crate::expansion::{Expander, Successor, Successors};
use crate::independence::Independence;
use crate::interchange::{FreeClasses, undone};
use crate::layer::{Cut, Entry, Layer};
use crate::lines::Lines;
use crate::mutant::{Mutant, mutated};
use crate::needless_hidden::needless_hidden;
use crate::rank::rank;
use crate::replay::Replay;
use crate::witness::{Cause, WitnessStep};

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchEnd {
    /// An entry of the deepest layer explains all lines.
    Accepted,
    /// No explanation goes beyond the deepest layer.
    Rejected,
    Limited(Limit),
}

/// Layers are kept for reports while there are at most this many entries.
const KEPT_ENTRIES: u64 = 20_000;
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
    /// States that no line continues.
    pub dead_ends: u64,
}

/// The reductions of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reductions {
    /// Identities that the rest of the log does not tell apart are interchangeable.
    pub interchange: bool,
    /// Orders of lines that do not conflict are the same.
    pub independence: bool,
    /// Hidden actions that no explanation needs are left out.
    pub hidden: bool,
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
    independence: Option<Independence>,
    /// For each hidden action, whether no explanation needs it.
    pub(crate) is_needless: Vec<bool>,
    /// The classes of the cut that was asked about last. They are a function of the cut: what lines mention does not change.
    free_cache: Option<(Cut, FreeClasses)>,
    /// The last step of an explanation of all lines.
    pub accepted: Option<Rc<WitnessStep>>,
}

impl<'s> Search<'s> {
    /// A search over these lines.
    pub fn new(mut lines: Lines<'s>, expander: &mut Expander<'s>, reductions: Reductions) -> Self {
        let is_needless = if reductions.hidden {
            needless_hidden(expander.spec, &lines)
        } else {
            vec![false; expander.spec.hidden.len()]
        };
        // What no explanation needs is left out, and that is no fault of the file.
        for (number, _) in is_needless
            .iter()
            .enumerate()
            .filter(|(_, is_needless)| **is_needless)
        {
            expander.spec.used.took(&format!("log.hidden[{}]", number + 1));
        }
        let has_hidden = is_needless.contains(&false);
        let independence = if reductions.independence && !has_hidden {
            Independence::found(&mut lines, expander)
        } else {
            None
        };
        Self {
            uses_interchange: reductions.interchange && lines.has_mentions(),
            independence,
            is_needless,
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
            accepted: None,
        }
    }

    /// Adds a state to begin with.
    pub fn begin(&mut self, state: State, cut: Cut, hidden: usize) {
        let entry = Entry::new(state, cut, SmallVec::from_elem(0, hidden));
        let entry = self.representative(entry);
        self.insert(0, entry);
    }

    /// The layer with the most explained lines.
    pub fn deepest(&self) -> &Layer {
        &self.layers[self.layers.len() - 1]
    }

    /// The layer that explains this many lines, if it is kept.
    pub fn layer(&self, explained: u32) -> Option<&Layer> {
        self.layers.get(explained.checked_sub(self.base)? as usize)
    }

    /// How many lines it explains.
    pub fn depth(&self) -> u32 {
        self.base + self.layers.len() as u32 - 1
    }

    /// How many lines of files that are: some may tell of one step.
    pub fn explained(&self) -> u64 {
        let deepest = self.deepest().entries.first();
        deepest.map_or(u64::from(self.depth()), |entry| self.lines.count(&entry.cut))
    }

    /// The entry with one of the states from which the rest of the log is explained exactly if it is from its own.
    fn representative(&mut self, mut entry: Entry) -> Entry {
        if !self.uses_interchange {
            return entry;
        }
        let is_other = |(own, _): &(Cut, FreeClasses)| {
            let is_further = || entry.cut.iter().sum::<u32>() > own.iter().sum();
            *own != entry.cut && (!mutated(Mutant::ForgetCut) || is_further())
        };
        if self.free_cache.as_ref().is_none_or(is_other) {
            self.free_cache = Some((entry.cut.clone(), self.lines.free_classes(&entry.cut)));
        }
        let renamed = self
            .free_cache
            .as_ref()
            .and_then(|(_, classes)| classes.representative(&entry.state));
        if let Some((state, renaming)) = renamed {
            (entry.state, entry.renaming) = (state, Some(renaming));
        }
        entry
    }

    pub(crate) fn insert(&mut self, layer: u32, mut entry: Entry) -> bool {
        let before = entry
            .parent
            .and_then(|(layer, number)| self.entry(layer, number).step.clone());
        let cause = match (entry.line, entry.hidden_step) {
            (Some(line), _) => Cause::Line(line),
            (None, Some((action, before))) => Cause::Hidden { action, before },
            (None, None) => Cause::Initial,
        };
        let step = WitnessStep::new(before, cause, entry.state.clone(), entry.renaming.clone());
        entry.step = Some(Rc::new(step));
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
        let layer = if self.is_depth_first {
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
        } else {
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
        replay: &mut Replay<'s>,
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
                self.accepted = self.entry(layer, number).step.clone();
                return Ok(SearchEnd::Accepted);
            }
            while reached < self.depth() {
                on_line(reached);
                reached += 1;
            }
            self.forget(replay)?;
        }
    }

    /// Expands an entry; whether it explains all lines.
    fn expand(&mut self, expander: &mut Expander<'s>, layer: u32, number: u32) -> Result<bool, LogError> {
        let entry = self.entry(layer, number);
        let held = std::mem::take(&mut entry.held);
        if !held.is_empty() {
            let has_more = entry.has_more;
            for entry in held {
                self.insert(layer + 1, entry);
            }
            self.reopen(layer, number, has_more);
            return Ok(false);
        }
        let from = entry.clone();
        let batch = Batch::numbered(from.batches);
        let mut enabled = self.lines.enabled(&from.cut)?;
        if enabled.is_empty() {
            return Ok(self.lines.is_end(&from.cut));
        }
        if let Some(line) = from.toward {
            enabled.retain(|(_, own)| *own == line);
        }
        if enabled.len() > 1
            && let (Some(independence), Some(order)) = (&mut self.independence, self.lines.order())
        {
            enabled = independence.needed(order, &from.cut, enabled);
        }
        self.entry(layer, number).batches += 1;
        let parent = (layer, number);
        // Entries are taken from the end: what should be tried first is added last.
        let mut is_continued = batch.skipped == 0 && self.follow_hidden(expander, &from, parent, &enabled)?;
        let mut has_more = false;
        let mut held: Vec<Entry> = Vec::new();
        for (chain, line) in enabled.into_iter().rev() {
            self.lines.prepare(line, &mut expander.evaluator)?;
            let Some(prepared) = self.lines.get(line) else {
                continue;
            };
            let Successors {
                found,
                has_more: is_cut,
            } = expander.successors(&from.state, prepared, batch)?;
            has_more |= is_cut;
            let mut ranked: Vec<(u32, Successor)> = found
                .into_iter()
                .map(|successor| {
                    let rank = rank(&from.state, &successor.state, prepared, &self.lines.logged);
                    (rank, successor)
                })
                .collect();
            sort_by_key(&mut ranked, |(rank, _)| *rank);
            let mut cut = from.cut.clone();
            cut[chain as usize] += 1;
            let mut likely: Vec<Entry> = Vec::new();
            let mut least = None;
            let mut unlikely: Vec<Entry> = Vec::new();
            for (rank, successor) in ranked {
                let hidden = SmallVec::from_elem(0, from.hidden.len());
                let entry = Entry {
                    parent: Some(parent),
                    line: Some(line),
                    ..Entry::new(successor.state, cut.clone(), hidden)
                };
                let Some(entry) = self.admitted(expander, entry)? else {
                    continue;
                };
                if *least.get_or_insert(rank) == rank {
                    likely.push(entry)
                } else {
                    unlikely.push(entry)
                }
            }
            is_continued |= !likely.is_empty();
            let states = || likely.iter().chain(&unlikely).map(|entry| &entry.state);
            if states().skip(1).any(|state| states().next() != Some(state)) {
                self.figures.choices += 1;
                self.figures.first_choice.get_or_insert(line);
            }
            held.extend(unlikely.into_iter().rev());
            for entry in likely.into_iter().rev() {
                self.insert(layer + 1, entry);
            }
        }
        let entry = self.entry(layer, number);
        entry.is_continued |= is_continued;
        let is_dead = !entry.is_continued && !has_more;
        entry.has_more = has_more;
        let is_open = has_more || !held.is_empty();
        entry.held = held;
        self.figures.dead_ends += u64::from(is_dead);
        self.reopen(layer, number, is_open);
        Ok(false)
    }

    /// Lets an entry be expanded once more, if there is a reason: after everything that was found from it.
    fn reopen(&mut self, layer: u32, number: u32, is_open: bool) {
        if is_open {
            self.layers[(layer - self.base) as usize].open.push(number);
        }
    }

    fn entry(&mut self, layer: u32, number: u32) -> &mut Entry {
        &mut self.layers[(layer - self.base) as usize].entries[number as usize]
    }

    /// An entry with the representative of its state, unless an invariant forbids it.
    pub(crate) fn admitted(
        &mut self,
        expander: &mut Expander<'s>,
        entry: Entry,
    ) -> Result<Option<Entry>, LogError> {
        if !expander.is_allowed(&entry.state)? {
            return Ok(None);
        }
        Ok(Some(self.representative(entry)))
    }

    /// Drops layers that nothing can lead back to, and replays what all explanations share.
    ///
    /// # Errors
    /// If that is no explanation.
    fn forget(&mut self, replay: &mut Replay<'s>) -> Result<(), LogError> {
        if self.kept <= KEPT_ENTRIES {
            return Ok(());
        }
        // The steps of the last layer that is dropped: every explanation has one of them.
        let mut dropped: Vec<Weak<WitnessStep>> = Vec::new();
        while self.layers.len() > KEPT_LAYERS && self.layers[0].open.is_empty() {
            if let Some(layer) = self.layers.pop_front() {
                self.kept -= layer.entries.len() as u64;
                self.base += 1;
                let steps = layer.entries.iter().filter_map(|entry| entry.step.as_ref());
                dropped = steps.filter(|step| step.ends_line()).map(Rc::downgrade).collect();
            }
        }
        let mut alive = dropped.iter().filter_map(Weak::upgrade);
        if let (Some(shared), None) = (alive.next(), alive.next()) {
            replay.follow(&shared.path(), &self.lines)?;
            shared.forget_path();
        }
        self.shallowest_open = self.shallowest_open.max(self.base);
        self.deepest_open = self.deepest_open.max(self.base);
        let needed = match replay.problem {
            None => replay.next_line,
            Some(_) => self.base,
        };
        self.lines.forget_before(self.base.saturating_sub(1).min(needed));
        Ok(())
    }

    /// The state of an entry with the names that the lines before it have for their identities.
    ///
    /// Each entry `e` of a path is a renaming `p` of a successor of the entry before it: `e = p(s)`. Taking back `p` gives the successor, and taking back the
    /// renamings of the entries before it gives what that successor is without them, because the meaning of a line commutes with
    /// renaming what it does not mention.
    pub fn named_state(&self, layer: u32, number: u32) -> Option<State> {
        let path = self.path(layer, number);
        let renamings = path.iter().rev().filter_map(|entry| entry.renaming.as_ref());
        let state = path.last()?.state.clone();
        Some(renamings.fold(state, |state, renaming| undone(&state, renaming)))
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
