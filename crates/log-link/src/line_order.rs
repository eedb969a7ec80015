//! Which lines come before which.
//!
//! Lines are grouped into chains, which are totally ordered: one chain for a total order, else one per node. What is known about lines of
//! different chains is a number per chain: how many of its lines come first. The order need not be complete: every order of the lines that
//! respects it is considered.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::LogError;
use crate::log_spec::LogSpec;
use crate::raw_line::RawLine;
use crate::step_lines::{steps_of, taken};

/// Lines in chains.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineOrder {
    /// The lines of each chain, in order.
    pub chains: Vec<Vec<u32>>,
    /// For each line: how many lines of other chains come before it.
    pub needs: Vec<Vec<(u32, u32)>>,
    /// For each line: its position in its chain.
    pub position: Vec<u32>,
    /// Where it comes from, if that is to be said.
    pub notes: Vec<String>,
}

impl LineOrder {
    pub fn new(chains: Vec<Vec<u32>>, needs: Vec<Vec<(u32, u32)>>) -> Self {
        let position = positions(&chains, needs.len());
        Self {
            chains,
            needs,
            position,
            notes: Vec::new(),
        }
    }

    /// One line after the other.
    pub fn total(lines: usize) -> Self {
        Self::new(vec![(0..lines as u32).collect()], vec![Vec::new(); lines])
    }
}

/// For each line: its position in its chain.
pub(crate) fn positions(chains: &[Vec<u32>], lines: usize) -> Vec<u32> {
    let mut position = vec![0u32; lines];
    for chain in chains {
        for (at, line) in (0u32..).zip(chain) {
            position[*line as usize] = at;
        }
    }
    position
}

impl LineOrder {
    /// All lines in an order that respects what is known. Of the lines that may come next, the one with the least key comes next: so the order
    /// of the keys, if that is allowed. `Err` is the lines that can come, and one that never can, because lines wait for each other in a circle.
    pub fn linear<K: Ord>(&self, key: impl Fn(u32) -> K) -> Result<Vec<u32>, (Vec<u32>, u32)> {
        let count = self.needs.len();
        let mut waits = vec![0u32; count];
        let mut released: Vec<Vec<u32>> = vec![Vec::new(); count];
        for chain in &self.chains {
            for pair in chain.windows(2) {
                released[pair[0] as usize].push(pair[1]);
                waits[pair[1] as usize] += 1;
            }
        }
        for (line, needs) in (0u32..).zip(&self.needs) {
            for (chain, needed) in needs {
                let last = (*needed as usize).checked_sub(1);
                if let Some(before) = last.and_then(|last| self.chains[*chain as usize].get(last)) {
                    released[*before as usize].push(line);
                    waits[line as usize] += 1;
                }
            }
        }
        let mut open: BinaryHeap<Reverse<(K, u32)>> = (0..count as u32)
            .filter(|line| waits[*line as usize] == 0)
            .map(|line| Reverse((key(line), line)))
            .collect();
        let mut order = Vec::with_capacity(count);
        while let Some(Reverse((_, line))) = open.pop() {
            order.push(line);
            for next in &released[line as usize] {
                waits[*next as usize] -= 1;
                if waits[*next as usize] == 0 {
                    open.push(Reverse((key(*next), *next)));
                }
            }
        }
        match waits.iter().position(|waits| *waits > 0) {
            Some(stuck) => Err((order, stuck as u32)),
            None => Ok(order),
        }
    }

    /// The same lines and order with new numbers: line `numbering[n]` becomes line `n`.
    pub fn renumbered(self, lines: Vec<RawLine>, numbering: &[u32]) -> (Vec<RawLine>, Self) {
        let mut number = vec![0u32; numbering.len()];
        for (new, old) in (0u32..).zip(numbering) {
            number[*old as usize] = new;
        }
        let mut chains = self.chains;
        for line in chains.iter_mut().flatten() {
            *line = number[*line as usize];
        }
        let mut old: Vec<_> = lines.into_iter().zip(self.needs).map(Some).collect();
        let (lines, needs) = numbering
            .iter()
            .filter_map(|line| old.get_mut(*line as usize)?.take())
            .unzip();
        (lines, Self::new(chains, needs))
    }

    /// The lines that are kept, in the order that they have among all. A line comes before another also by way of lines that are left out.
    pub fn without(self, lines: Vec<RawLine>, is_kept: &[bool]) -> (Vec<RawLine>, Self) {
        let order = self.linear(|line| line).unwrap_or_default();
        if is_kept.iter().all(|is_kept| *is_kept) || order.len() < lines.len() {
            return (lines, self);
        }
        let mut chain_of = vec![0u32; lines.len()];
        for (chain, own) in (0u32..).zip(&self.chains) {
            own.iter().for_each(|line| chain_of[*line as usize] = chain);
        }
        // For each line, how many lines of each chain come before it, by whatever way.
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); lines.len()];
        for line in order {
            let own = chain_of[line as usize];
            let at = self.position[line as usize];
            let mut all = vec![0u32; self.chains.len()];
            let direct = self.needs[line as usize].iter().copied().chain([(own, at)]);
            for (chain, count) in direct {
                let last = (count as usize).checked_sub(1);
                let Some(last) = last.and_then(|last| self.chains[chain as usize].get(last)) else {
                    continue;
                };
                for (own, more) in all.iter_mut().zip(&before[*last as usize]) {
                    *own = (*own).max(*more);
                }
                all[chain as usize] = all[chain as usize].max(count);
            }
            before[line as usize] = all;
        }
        // For each chain, how many of its first lines are kept.
        let kept_of: Vec<Vec<u32>> = self
            .chains
            .iter()
            .map(|chain| {
                let mut kept = vec![0];
                for line in chain {
                    kept.push(kept.last().copied().unwrap_or(0) + u32::from(is_kept[*line as usize]));
                }
                kept
            })
            .collect();
        let mut number = vec![0u32; lines.len()];
        let mut needs = Vec::new();
        let mut kept = Vec::new();
        for (old, line) in lines.into_iter().enumerate().filter(|(old, _)| is_kept[*old]) {
            number[old] = kept.len() as u32;
            kept.push(line);
            let counts = (0u32..).zip(&before[old]);
            let others = counts.filter(|(chain, _)| *chain != chain_of[old]);
            let others = others.map(|(chain, count)| (chain, kept_of[chain as usize][*count as usize]));
            needs.push(others.filter(|(_, count)| *count > 0).collect());
        }
        let chains = self.chains.into_iter().map(|chain| {
            let kept = chain.into_iter().filter(|line| is_kept[*line as usize]);
            kept.map(|line| number[line as usize]).collect()
        });
        (kept, Self::new(chains.collect(), needs))
    }

    /// Lines of one step as one. What a line comes after, its step comes after, and what comes after a line comes after its step.
    ///
    /// # Errors
    /// If a line joins nothing.
    pub fn folded(self, lines: Vec<RawLine>, spec: &LogSpec) -> Result<(Vec<RawLine>, Self), LogError> {
        if !spec.has_joins {
            return Ok((lines, self));
        }
        let steps: Result<Vec<Vec<Vec<u32>>>, _> = self
            .chains
            .iter()
            .map(|chain| steps_of(chain, &lines, spec))
            .collect();
        let steps = steps?;
        // For each chain, how many steps have begun before a number of its lines.
        let begun: Vec<Vec<u32>> = steps
            .iter()
            .map(|steps| {
                let numbered = (1u32..).zip(steps);
                let of_lines = numbered.flat_map(|(number, step)| step.iter().map(move |_| number));
                std::iter::once(0).chain(of_lines).collect()
            })
            .collect();
        let mut lines: Vec<Option<RawLine>> = lines.into_iter().map(Some).collect();
        let (mut folded, mut needs, mut chains) = (Vec::new(), Vec::new(), Vec::new());
        for (chain, steps) in (0u32..).zip(&steps) {
            let mut own = Vec::with_capacity(steps.len());
            for step in steps {
                own.push(folded.len() as u32);
                folded.extend(taken(&mut lines, step));
                let mut of_step: Vec<(u32, u32)> = Vec::new();
                for (other, count) in step.iter().flat_map(|line| &self.needs[*line as usize]) {
                    let count = begun[*other as usize][*count as usize];
                    match of_step.iter_mut().find(|(own, _)| own == other) {
                        Some((_, most)) => *most = (*most).max(count),
                        None if *other != chain => of_step.push((*other, count)),
                        None => {}
                    }
                }
                needs.push(of_step);
            }
            chains.push(own);
        }
        let mut order = Self::new(chains, needs);
        order.notes = self.notes;
        Ok((folded, order))
    }

    /// Whether all lines that come before a line are among those counted.
    pub fn is_enabled(&self, line: u32, cut: &[u32]) -> bool {
        self.needs[line as usize]
            .iter()
            .all(|(chain, count)| cut[*chain as usize] >= *count)
    }
}
