//! Lines of different nodes whose order does not matter.
//!
//! Where the order of lines is partial, every order that respects it is considered. Most of these orders are the same: a step of one node
//! often touches nothing that the concurrent steps of another touch. So not all lines that may come next are tried, but those of some chains.
//!
//! **The chains.** Let `T` be a set of chains with lines left, one of which may come next, such that for each chain `c` of `T` with its next
//! line `t`:
//!
//! 1. if `t` waits for lines of other chains, these chains are in `T`;
//! 2. else no line that is left in a chain outside `T`, and does not come after `t`, conflicts with `t` ([footprints](LineFootprint));
//! 3. `t` changes nothing that an invariant reads, unless `T` has all lines that may come next.
//!
//! **Only lines of `T` have to be tried.** Take an explanation of the lines that are left. It explains all of them, so some line of `T`
//! is among them; let `t` be the first. It is the next line of its chain, and the lines before it in the explanation are of chains outside `T`. Did
//! `t` wait for another chain, that chain would be in `T` (1), and none of its lines would have come before `t`: so `t` may come next now. The
//! lines before it are not ordered after `t`, so they do not conflict with it (2). Two neighbouring steps that do not conflict can be
//! exchanged: neither reads or writes what the other writes, so each can be made with the same writes before the other. So `t` can be moved to
//! the front. The states on the way then differ from the old ones in what `t` writes, and no invariant reads that (3). ∎
//!
//! The proof speaks about explanations of *all* lines. A rejected log is still rejected, but the number of lines that are explained before may
//! be smaller: `t` may have no successor while others have. Hidden actions may happen anywhere, so nothing is left out if there are any but
//! [needless](crate::needless_hidden) ones.
//!
//! **Elements of one set.** Steps that add, remove and test different elements of a set do not conflict, and neither do those that change different
//! arguments of a function or bag: adding `a` and adding or removing `b` lead to one set in either order, and neither changes whether the other's
//! element is there. It need not be known which elements they are, only that they differ: `[type |-> "grant", to |-> n, term |-> epoch + 1]` is no
//! message of another type or to another node, whatever the epoch is ([`CellStep::Like`]). What the epoch is, is read.

#[cfg(doc)]
use omnilink_tla::eval::CellStep;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::expansion::Expander;
use crate::line_footprint::LineFootprint;
use crate::line_order::LineOrder;
use crate::lines::Lines;
use crate::mutant::{Mutant, mutated};
use crate::prepared_line::PreparedLine;
use crate::update::Update;

/// Lines with their chains.
pub(crate) type EnabledLines = SmallVec<[(u32, u32); 4]>;

/// A chain of which more lines are concurrent to one line is taken to conflict with it.
const CONCURRENT_MAX: usize = 2_048;

/// A footprint is compared with this many classes; after that, lines with equal footprints may be of different classes.
const COMPARED_MAX: usize = 512;

/// Which lines conflict.
#[derive(Debug)]
pub(crate) struct Independence {
    /// The class of each line: lines of one class have the same footprint.
    class_of: Vec<u32>,
    classes: Vec<LineFootprint>,
    /// Whether the lines of a class change something that an invariant reads.
    is_visible: Vec<bool>,
    /// Whether two classes conflict: a function of their footprints, and a class has one footprint.
    conflicts: FxHashMap<(u32, u32), bool>,
    /// The chain of each line.
    chain_of: Vec<u32>,
    /// A function of the line: the order of lines and the classes do not change. For each line and chain, once it is asked for: how many lines of the chain must be explained so that none that is left, and does not come
    /// after the line, conflicts with it.
    settled: Vec<Option<Box<[u32]>>>,
}

impl Independence {
    /// The footprints of all lines; `None` if no order is left open. There must be no hidden actions, or none that are needed.
    pub fn found(lines: &mut Lines<'_>, expander: &mut Expander<'_>) -> Option<Self> {
        let count = lines.known();
        let order = lines.order()?;
        if order.chains.len() < 2 {
            return None;
        }
        let mut chain_of = vec![0; count as usize];
        for (chain, own) in (0u32..).zip(&order.chains) {
            own.iter().for_each(|line| chain_of[*line as usize] = chain);
        }
        let mut found = Self {
            class_of: Vec::with_capacity(count as usize),
            classes: Vec::new(),
            is_visible: Vec::new(),
            conflicts: FxHashMap::default(),
            chain_of,
            settled: vec![None; count as usize],
        };
        let mut known: FxHashMap<LineContent, u32> = FxHashMap::default();
        for line in 0..count {
            // What is wrong with a line is said when the search comes to it.
            let class = match lines.prepare(line, &mut expander.evaluator) {
                Ok(()) => match lines.get(line) {
                    Some(prepared) => found.class(prepared, expander, &mut known),
                    None => found.add(LineFootprint::everything()),
                },
                Err(_) => found.add(LineFootprint::everything()),
            };
            found.class_of.push(class);
        }
        let read: Vec<LineFootprint> = (0..expander.spec.invariants.len())
            .map(|number| {
                let operation = expander.spec.invariants[number].formula.operation();
                LineFootprint::of_predicate(operation, expander)
            })
            .collect();
        found.is_visible = found
            .classes
            .iter()
            .map(|class| {
                let is_seen = read.iter().any(|read| class.may_change(read));
                is_seen && !mutated(Mutant::IgnoreInvariants)
            })
            .collect();
        Some(found)
    }

    fn class(
        &mut self,
        line: &PreparedLine,
        expander: &mut Expander<'_>,
        known: &mut FxHashMap<LineContent, u32>,
    ) -> u32 {
        let Some(content) = LineContent::of(line) else {
            let footprint = LineFootprint::of_line(line, expander);
            return self.add(footprint);
        };
        if let Some(class) = known.get(&content) {
            return *class;
        }
        let footprint = LineFootprint::of_line(line, expander);
        let class = self.add(footprint);
        known.insert(content, class);
        class
    }

    fn add(&mut self, footprint: LineFootprint) -> u32 {
        let same = self.classes.iter().take(COMPARED_MAX);
        let known = same.enumerate().find(|(_, own)| **own == footprint);
        known.map(|(at, _)| at).unwrap_or_else(|| {
            self.classes.push(footprint);
            self.classes.len() - 1
        }) as u32
    }

    fn is_conflict(&mut self, one: u32, other: u32) -> bool {
        let (one, other) = (self.class_of[one as usize], self.class_of[other as usize]);
        let pair = (one.min(other), one.max(other));
        let classes = &self.classes;
        *self.conflicts.entry(pair).or_insert_with(|| {
            let (one, other) = (&classes[pair.0 as usize], &classes[pair.1 as usize]);
            one.conflicts(other) && !mutated(Mutant::IgnoreConflicts)
        })
    }

    /// How many lines of another chain must be explained so that none that is left, and does not come after the line, conflicts with it.
    fn settled(&mut self, order: &LineOrder, line: u32, chain: u32) -> u32 {
        let chains = order.chains.len();
        if self.settled[line as usize].is_none() {
            let all: Box<[u32]> = (0..chains as u32)
                .map(|chain| self.find_settled(order, line, chain))
                .collect();
            self.settled[line as usize] = Some(all);
        }
        self.settled[line as usize]
            .as_ref()
            .map_or(u32::MAX, |all| all[chain as usize])
    }

    fn find_settled(&mut self, order: &LineOrder, line: u32, chain: u32) -> u32 {
        let own_chain = self.chain_of[line as usize];
        if own_chain == chain {
            return 0;
        }
        let own_at = order.position[line as usize];
        let before = order.needs[line as usize]
            .iter()
            .find(|(own, _)| *own == chain)
            .map_or(0, |(_, count)| *count);
        let mut settled = 0;
        for (looked_at, at) in (before..).enumerate() {
            let Some(other) = order.chains[chain as usize].get(at as usize) else {
                break;
            };
            let comes_after = order.needs[*other as usize]
                .iter()
                .any(|(need, count)| *need == own_chain && *count > own_at);
            if comes_after {
                break;
            }
            if looked_at >= CONCURRENT_MAX {
                return u32::MAX;
            }
            if self.is_conflict(line, *other) {
                settled = at + 1;
            }
        }
        settled
    }

    /// Of the lines that may come next, those that have to be tried.
    pub fn needed(&mut self, order: &LineOrder, cut: &[u32], enabled: EnabledLines) -> EnabledLines {
        let mut best: Option<Vec<bool>> = None;
        let mut fewest = enabled.len();
        for (start, _) in &enabled {
            if fewest <= 1 {
                break;
            }
            let Some(chains) = self.closed(order, cut, *start, fewest) else {
                continue;
            };
            let chosen = || enabled.iter().filter(|(chain, _)| chains[*chain as usize]);
            let count = chosen().count();
            let is_visible =
                chosen().any(|(_, line)| self.is_visible[self.class_of[*line as usize] as usize]);
            if count < fewest && !is_visible {
                fewest = count;
                best = Some(chains);
            }
        }
        match best {
            Some(chains) => enabled
                .into_iter()
                .filter(|(chain, _)| chains[*chain as usize])
                .collect(),
            None => enabled,
        }
    }

    /// The least set of chains that has this one and fulfils conditions 1 and 2; `None` if it has as many lines as are needed anyway.
    fn closed(&mut self, order: &LineOrder, cut: &[u32], start: u32, most: usize) -> Option<Vec<bool>> {
        let count = order.chains.len() as u32;
        let mut chains = vec![false; count as usize];
        chains[start as usize] = true;
        let mut open = vec![start];
        let mut enabled = 0;
        while let Some(chain) = open.pop() {
            let Some(line) = order.chains[chain as usize].get(cut[chain as usize] as usize) else {
                continue;
            };
            let is_enabled = order.is_enabled(*line, cut);
            enabled += usize::from(is_enabled);
            if enabled >= most {
                return None;
            }
            for other in 0..count {
                if chains[other as usize] {
                    continue;
                }
                let is_needed = if is_enabled {
                    self.settled(order, *line, other) > cut[other as usize]
                } else {
                    let waits = order.needs[*line as usize]
                        .iter()
                        .any(|(need, count)| *need == other && *count > cut[other as usize]);
                    waits && !mutated(Mutant::IgnoreWaiting)
                };
                if is_needed {
                    chains[other as usize] = true;
                    open.push(other);
                }
            }
        }
        Some(chains)
    }
}

/// What the footprint of a line depends on, if no formula reads the line.
///
/// [`LineFootprint::of_line`] reads the kind of the line, its meaning, its arguments, its updates, the same of those that join it and, for formulas, its context. A line whose meaning has
/// formulas has no content. The meaning of any other line is a function of its event, for one specification and link file.
#[derive(Debug, PartialEq, Eq, Hash)]
struct LineContent {
    event: Option<String>,
    joined: Vec<Self>,
    kind: u8,
    arguments: Vec<Option<omnilink_value::Value>>,
    updates: Vec<(u32, Vec<Update>)>,
}

impl LineContent {
    fn of(line: &PreparedLine) -> Option<Self> {
        use crate::prepared_line::LineKind;
        let has_formulas = |part: &PreparedLine| part.meaning().is_some_and(|meaning| meaning.has_formulas());
        if line.parts().any(has_formulas) || line.contradiction.is_some() {
            return None;
        }
        let kind = match &line.kind {
            LineKind::Step(_) => 0,
            LineKind::Stuttering => 1,
            LineKind::Failure => 2,
        };
        Some(Self {
            event: line.event.clone(),
            joined: line.joined.iter().map(Self::of).collect::<Option<_>>()?,
            kind,
            arguments: if mutated(Mutant::FootprintOfEvent) {
                Vec::new()
            } else {
                line.arguments.clone()
            },
            updates: line.updates.clone(),
        })
    }
}
