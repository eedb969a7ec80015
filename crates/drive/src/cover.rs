//! Few and short behaviours that cover what is to be covered.
//!
//! A behaviour grows by the shortest way to something that is not covered yet, and ends when beginning anew is shorter or nothing is left
//! to be reached. Of several ways of the same length, the one whose last step covers most is taken. What comes later often covers what
//! earlier ways were taken for. So in the end, behaviours and ends of behaviours that cover nothing by themselves are dropped, and parts in
//! between give way to shorter ones (`shorten`). How much a new beginning counts changes what is found: several values are tried.
//! The result is not the smallest that there is, which is hard to find for pairs, but it depends on nothing but the graph.

use crate::step_graph::StepGraph;

/// What behaviours are to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Criteria {
    /// Every action.
    pub actions: bool,
    /// Every branch of an action's definition.
    pub branches: bool,
    /// Every pair of actions of which the second can directly follow the first.
    pub pairs: bool,
    /// Every step.
    pub transitions: bool,
}

impl Default for Criteria {
    /// Actions, branches and pairs.
    fn default() -> Self {
        Self {
            actions: true,
            branches: true,
            pairs: true,
            transitions: false,
        }
    }
}

impl Criteria {
    /// Nothing at all, for goals alone.
    pub const NOTHING: Self = Self {
        actions: false,
        branches: false,
        pairs: false,
        transitions: false,
    };
}

/// A way through a graph from an initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphPath {
    /// The number of the initial state.
    pub initial: u32,
    /// The numbers of the steps.
    pub steps: Vec<u32>,
}

/// Beginning a new behaviour counts as this many steps.
const RESET_STEPS: usize = 4;
/// What it may count while behaviours are made. Of all results, the one that is best by the count above is taken.
const TRIED_RESET_STEPS: [usize; 4] = [RESET_STEPS, 0, 1, 12];
/// Several are tried as long as steps of the graph and behaviours have at most this product.
const TRIALS_WORK_MAX: usize = 2_000_000;

/// What can be covered, numbered: actions, branches, pairs, steps, goals.
pub(crate) struct Items<'g> {
    graph: &'g StepGraph,
    criteria: Criteria,
    goals_at: rustc_hash::FxHashMap<u32, Vec<u32>>,
    first_branch: usize,
    first_pair: usize,
    first_step: usize,
    first_goal: usize,
    count: usize,
}

impl<'g> Items<'g> {
    /// The items of a graph, where the goals hold in the states of these numbers.
    pub(crate) fn new(graph: &'g StepGraph, criteria: Criteria, reached: &[Vec<u32>]) -> Self {
        let actions = graph.actions.len();
        let first_pair = actions + graph.branches.len();
        let first_step = first_pair + actions * actions;
        let first_goal = first_step + graph.steps().len();
        let mut goals_at: rustc_hash::FxHashMap<u32, Vec<u32>> = Default::default();
        for (goal, states) in (0..).zip(reached) {
            for state in states {
                goals_at.entry(*state).or_default().push(goal);
            }
        }
        Self {
            graph,
            criteria,
            goals_at,
            first_branch: actions,
            first_pair,
            first_step,
            first_goal,
            count: first_goal + reached.len(),
        }
    }

    pub(crate) fn action(&self, action: usize) -> usize {
        action
    }

    pub(crate) fn branch(&self, branch: usize) -> usize {
        self.first_branch + branch
    }

    pub(crate) fn pair(&self, first: usize, second: usize) -> usize {
        self.first_pair + first * self.graph.actions.len() + second
    }

    pub(crate) fn step(&self, step: usize) -> usize {
        self.first_step + step
    }

    pub(crate) fn goal(&self, goal: usize) -> usize {
        self.first_goal + goal
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Of which kind an item is: 0 for actions, then branches, pairs, steps and goals.
    pub(crate) fn kind(&self, item: usize) -> usize {
        let firsts = [
            self.first_branch,
            self.first_pair,
            self.first_step,
            self.first_goal,
        ];
        firsts.iter().filter(|first| item >= **first).count()
    }

    /// The goals of a state.
    fn goals_of(&self, state: u32) -> impl Iterator<Item = usize> {
        let goals = self.goals_at.get(&state).into_iter().flatten();
        goals.map(|goal| self.goal(*goal as usize))
    }

    /// Visits what a step covers after one of the action `last`, whether it was asked for or not.
    fn each_of_step(&self, last: Option<u32>, number: u32, mut visit: impl FnMut(usize, bool)) {
        let step = self.graph.step(number);
        let action = step.action as usize;
        visit(self.action(action), self.criteria.actions);
        for branch in &step.branches {
            visit(self.branch(*branch as usize), self.criteria.branches);
        }
        if let Some(last) = last {
            visit(self.pair(last as usize, action), self.criteria.pairs);
        }
        visit(self.step(number as usize), self.criteria.transitions);
        // The goals of the state that stands for others hold in that state only.
        if step.beyond.is_none() {
            self.goals_of(step.to).for_each(|goal| visit(goal, true));
        }
    }

    /// Visits what a behaviour covers, whether it was asked for or not.
    pub(crate) fn each_of_path(&self, path: &GraphPath, mut visit: impl FnMut(usize, bool)) {
        self.goals_of(path.initial).for_each(|goal| visit(goal, true));
        let mut last = None;
        for number in &path.steps {
            self.each_of_step(last, *number, &mut visit);
            last = Some(self.graph.step(*number).action);
        }
    }
}

/// A place from which a behaviour can go on: a state and the action that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    state: u32,
    last: Option<u32>,
}

/// A place that a search has reached.
struct Visit {
    position: Position,
    /// The place before and the step from it; `None` for places to start from.
    before: Option<(usize, u32)>,
}

struct Cover<'i, 'g> {
    items: &'i Items<'g>,
    /// How many steps a new behaviour counts for.
    reset_steps: usize,
    /// How often each item is covered.
    counts: Vec<u32>,
    /// For each place, the number of the last search that was there.
    visited: Vec<u32>,
    search: u32,
}

/// Behaviours of at most `length_max` steps, unless something is farther away, that cover every item that was asked for.
pub(crate) fn cover(items: &Items<'_>, length_max: usize) -> Vec<GraphPath> {
    let mut best: Option<(usize, Vec<GraphPath>)> = None;
    for reset_steps in TRIED_RESET_STEPS {
        let mut cover = Cover::new(items, reset_steps);
        let paths = cover.paths(length_max);
        let mut paths = cover.without_superfluous(paths);
        cover.shorten(&mut paths);
        let paths = cover.without_superfluous(paths);
        let steps: usize = paths.iter().map(|path| path.steps.len()).sum();
        let cost = steps + RESET_STEPS * paths.len();
        let work = items.graph.steps().len().saturating_mul(paths.len());
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, paths));
        }
        if work > TRIALS_WORK_MAX {
            break;
        }
    }
    best.map(|(_, paths)| paths).unwrap_or_default()
}

impl<'i, 'g> Cover<'i, 'g> {
    fn new(items: &'i Items<'g>, reset_steps: usize) -> Self {
        let graph = items.graph;
        let places = if items.criteria.pairs {
            graph.state_count() * (graph.actions.len() + 1)
        } else {
            graph.state_count()
        };
        Self {
            items,
            reset_steps,
            counts: vec![0; items.count],
            visited: vec![0; places],
            search: 0,
        }
    }
}

impl Cover<'_, '_> {
    fn paths(&mut self, length_max: usize) -> Vec<GraphPath> {
        let graph = self.items.graph;
        let mut paths = Vec::new();
        for initial in &graph.initial {
            // A goal of an initial state needs no step.
            let is_new = self.items.goals_of(*initial).any(|goal| self.counts[goal] == 0);
            if is_new {
                paths.push(self.begin(*initial));
            }
        }
        let starts: Vec<Position> = graph
            .initial
            .iter()
            .map(|state| Position {
                state: *state,
                last: None,
            })
            .collect();
        let mut current: Option<GraphPath> = None;
        loop {
            let on = current.as_ref().and_then(|path| {
                let position = self.end_of(path)?;
                let left = length_max.checked_sub(path.steps.len())?;
                self.nearest(&[position], left)
            });
            // One step farther is always better than a new behaviour.
            let is_next = on.as_ref().is_some_and(|(_, steps)| steps.len() == 1);
            let anew = if is_next {
                None
            } else {
                self.nearest(&starts, usize::MAX)
            };
            let goes_on = match (&on, &anew) {
                (Some((_, on)), Some((_, anew))) => on.len() <= anew.len() + self.reset_steps,
                (on, _) => on.is_some(),
            };
            match (on, anew) {
                (Some((_, steps)), _) if goes_on => {
                    if let Some(path) = &mut current {
                        self.extend(path, &steps);
                    }
                }
                (_, Some((start, steps))) => {
                    paths.extend(current.take());
                    let mut path = self.begin(start.state);
                    self.extend(&mut path, &steps);
                    current = Some(path);
                }
                _ => {
                    paths.extend(current);
                    return paths;
                }
            }
        }
    }

    fn begin(&mut self, initial: u32) -> GraphPath {
        for goal in self.items.goals_of(initial) {
            self.counts[goal] += 1;
        }
        GraphPath {
            initial,
            steps: Vec::new(),
        }
    }

    fn extend(&mut self, path: &mut GraphPath, steps: &[u32]) {
        let mut last = path.steps.last().map(|step| self.items.graph.step(*step).action);
        for step in steps {
            let counts = &mut self.counts;
            self.items.each_of_step(last, *step, |item, _| counts[item] += 1);
            last = Some(self.items.graph.step(*step).action);
        }
        path.steps.extend(steps);
    }

    /// Where a behaviour can go on.
    fn end_of(&self, path: &GraphPath) -> Option<Position> {
        let Some(last) = path.steps.last() else {
            return Some(Position {
                state: path.initial,
                last: None,
            });
        };
        let step = self.items.graph.step(*last);
        step.beyond.is_none().then_some(Position {
            state: step.to,
            last: Some(step.action),
        })
    }

    fn place(&self, position: Position) -> usize {
        let state = position.state as usize;
        if self.items.criteria.pairs {
            let last = position.last.map_or(0, |last| last as usize + 1);
            state * (self.items.graph.actions.len() + 1) + last
        } else {
            state
        }
    }

    fn is_new_place(&mut self, position: Position) -> bool {
        let place = self.place(position);
        std::mem::replace(&mut self.visited[place], self.search) != self.search
    }

    /// How much that was asked for a step would cover for the first time.
    fn gain(&self, last: Option<u32>, step: u32) -> usize {
        let mut gain = 0;
        self.items.each_of_step(last, step, |item, is_wanted| {
            gain += usize::from(is_wanted && self.counts[item] == 0);
        });
        gain
    }

    /// The shortest way from one of these places to something that is not covered.
    fn nearest(&mut self, starts: &[Position], length_max: usize) -> Option<(Position, Vec<u32>)> {
        self.search += 1;
        let mut visits: Vec<Visit> = Vec::new();
        for position in starts {
            if self.is_new_place(*position) {
                visits.push(Visit {
                    position: *position,
                    before: None,
                });
            }
        }
        let graph = self.items.graph;
        let (mut first, mut length) = (0, 1);
        while first < visits.len() && length <= length_max {
            let mut best: Option<(usize, usize, u32)> = None;
            let end = visits.len();
            for at in first..end {
                let position = visits[at].position;
                for number in graph.steps_from(position.state) {
                    let gain = self.gain(position.last, *number);
                    if gain > best.map_or(0, |(gain, ..)| gain) {
                        best = Some((gain, at, *number));
                    }
                    let step = graph.step(*number);
                    let next = Position {
                        state: step.to,
                        last: Some(step.action),
                    };
                    if step.beyond.is_none() && self.is_new_place(next) {
                        visits.push(Visit {
                            position: next,
                            before: Some((at, *number)),
                        });
                    }
                }
            }
            if let Some((_, at, step)) = best {
                return Some(way(&visits, at, step));
            }
            (first, length) = (end, length + 1);
        }
        None
    }

    /// Drops behaviours, and ends of behaviours, that cover nothing that the others do not.
    fn without_superfluous(&mut self, mut paths: Vec<GraphPath>) -> Vec<GraphPath> {
        let mut order: Vec<usize> = (0..paths.len()).collect();
        order.sort_by_key(|at| paths[*at].steps.len());
        let mut is_dropped = vec![false; paths.len()];
        for at in order {
            let mut own = rustc_hash::FxHashMap::<usize, u32>::default();
            let mut wanted = Vec::new();
            self.items.each_of_path(&paths[at], |item, is_wanted| {
                *own.entry(item).or_default() += 1;
                wanted.extend(is_wanted.then_some(item));
            });
            if wanted.iter().all(|item| self.counts[*item] > own[item]) {
                own.iter().for_each(|(item, count)| self.counts[*item] -= count);
                is_dropped[at] = true;
            }
        }
        let mut dropped = is_dropped.into_iter();
        paths.retain(|_| !dropped.next().unwrap_or_default());
        paths.iter_mut().for_each(|path| self.trim(path));
        paths
    }

    fn trim(&mut self, path: &mut GraphPath) {
        while let Some((last, before)) = path.steps.split_last() {
            let action = before.last().map(|step| self.items.graph.step(*step).action);
            let mut is_needed = false;
            self.items.each_of_step(action, *last, |item, is_wanted| {
                is_needed |= is_wanted && self.counts[item] == 1;
            });
            if is_needed {
                return;
            }
            let counts = &mut self.counts;
            self.items
                .each_of_step(action, *last, |item, _| counts[item] -= 1);
            path.steps.pop();
        }
    }
}

/// The way to a place, and one step on.
fn way(visits: &[Visit], at: usize, step: u32) -> (Position, Vec<u32>) {
    let mut steps = vec![step];
    let mut at = at;
    while let Some((before, step)) = visits[at].before {
        steps.push(step);
        at = before;
    }
    steps.reverse();
    (visits[at].position, steps)
}

mod shorten;
#[cfg(test)]
mod tests;
