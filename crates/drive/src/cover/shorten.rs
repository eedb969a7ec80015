//! Behaviours without detours.
//!
//! A part of a behaviour whose steps the other behaviours, or the rest of this one, cover as well is there only to get from its first state to its last.
//! If there is a shorter way, it takes that. What was covered stays covered: that is counted before anything is replaced.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{Cover, GraphPath};

/// A way to the end of a part.
struct Way {
    initial: u32,
    steps: Vec<u32>,
}

impl Cover<'_, '_> {
    /// Replaces parts of behaviours by shorter ways, as long as everything stays covered.
    pub(super) fn shorten(&mut self, paths: &mut [GraphPath]) {
        for path in paths {
            while let Some(shorter) = self.shorter(path) {
                self.count(path, false);
                *path = shorter;
                self.count(path, true);
            }
        }
    }

    /// The behaviour with one part replaced; `None` if no part can be.
    fn shorter(&mut self, path: &GraphPath) -> Option<GraphPath> {
        let is_needed = self.needed_steps(path);
        let mut from = 0;
        while from < path.steps.len() {
            let free = is_needed[from..]
                .iter()
                .take_while(|is_needed| !**is_needed)
                .count();
            // Ends are dropped elsewhere.
            let last = (from + free).min(path.steps.len() - 1);
            for to in (from + 1..=last).rev() {
                let Some(way) = self.way(path, from, to) else {
                    continue;
                };
                let rest = path.steps[to..].iter();
                let steps = path.steps[..from].iter().chain(&way.steps).chain(rest);
                let shorter = GraphPath {
                    initial: way.initial,
                    steps: steps.copied().collect(),
                };
                if self.covers_as_much(path, &shorter) {
                    return Some(shorter);
                }
            }
            from += 1;
        }
        None
    }

    /// For each step, whether it covers something that nothing else does. Pairs belong to both of their steps and are looked at later.
    fn needed_steps(&self, path: &GraphPath) -> Vec<bool> {
        let is_needed = |step: &u32| {
            let mut is_needed = false;
            self.items.each_of_step(None, *step, |item, is_wanted| {
                is_needed |= is_wanted && self.counts[item] == 1;
            });
            is_needed
        };
        path.steps.iter().map(is_needed).collect()
    }

    fn covers_as_much(&self, path: &GraphPath, other: &GraphPath) -> bool {
        let mut own: FxHashMap<usize, u32> = FxHashMap::default();
        self.items.each_of_path(path, |item, is_wanted| {
            if is_wanted {
                *own.entry(item).or_default() += 1;
            }
        });
        own.retain(|item, count| self.counts[*item] == *count);
        self.items.each_of_path(other, |item, _| {
            own.remove(&item);
        });
        own.is_empty()
    }

    fn count(&mut self, path: &GraphPath, is_added: bool) {
        let counts = &mut self.counts;
        self.items.each_of_path(path, |item, _| {
            if is_added {
                counts[item] += 1
            } else {
                counts[item] -= 1
            }
        });
    }

    /// A shortest way to the state before the step `to` from the state before the step `from`, or from any initial state if that is the first. `None` if
    /// none is shorter.
    fn way(&self, path: &GraphPath, from: usize, to: usize) -> Option<Way> {
        let graph = self.items.graph;
        let target = graph.step(path.steps[to]).from;
        let starts = match from {
            0 => graph.initial.clone(),
            _ => vec![graph.step(path.steps[from]).from],
        };
        // The step that led to each state, or the initial state that it is.
        let mut before: FxHashMap<u32, Option<u32>> = starts.iter().map(|state| (*state, None)).collect();
        let mut open: VecDeque<(u32, usize)> = starts.iter().map(|state| (*state, 0)).collect();
        while let Some((state, length)) = open.pop_front() {
            if state == target {
                let mut steps = Vec::with_capacity(length);
                let mut at = state;
                while let Some(step) = before[&at] {
                    steps.push(step);
                    at = graph.step(step).from;
                }
                steps.reverse();
                let initial = if from == 0 { at } else { path.initial };
                return Some(Way { initial, steps });
            }
            if length + 1 >= to - from {
                continue;
            }
            for number in graph.steps_from(state) {
                let step = graph.step(*number);
                if step.beyond.is_none() && !before.contains_key(&step.to) {
                    before.insert(step.to, Some(*number));
                    open.push_back((step.to, length + 1));
                }
            }
        }
        None
    }
}
