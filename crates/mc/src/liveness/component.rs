//! Fair strongly connected components of the product.
//!
//! A behaviour that satisfies a problem runs, from some point on, inside one strongly connected component, and takes each of the steps
//! that it takes infinitely often inside it. So the steps that violate `<>[]p` are removed, and of each component it is asked:
//! - Does every `[]<>p` hold for some step in it, and does for every promise some step not postpone it? If not, no part of the
//!   component can have them either.
//! - For a condition `<>[]~p \/ []<>q`: is there a step with p but none with q? Then a behaviour in it takes the steps with p only
//!   finitely often. They are removed, and the components of what remains are examined. If there is no such condition, a cycle
//!   through all steps of the component satisfies all conditions.
//!
//! Each removal needs a condition that has not been removed before, so a node is visited at most once per condition, and in practice
//! rarely more than twice.

use super::Stop;
use super::problem::CycleConditions;
use super::product::{Cursor, Product, ProductNode, ProductStep};
use crate::limits::LimitWatch;

/// Where the conditions on the cycle are in the truths of a class.
#[derive(Clone, Debug)]
pub(crate) struct ConditionPositions {
    always: std::ops::Range<usize>,
    often: std::ops::Range<usize>,
    /// Requests and responses in alternation.
    responses: std::ops::Range<usize>,
}

impl ConditionPositions {
    /// The propositions of the conditions, in the order of their positions.
    pub(crate) fn propositions(cycle: &CycleConditions) -> (Vec<u32>, Self) {
        let mut all = cycle.always.clone();
        all.extend(&cycle.often);
        all.extend(
            cycle
                .responses
                .iter()
                .flat_map(|(request, response)| [*request, *response]),
        );
        let often = cycle.always.len()..cycle.always.len() + cycle.often.len();
        let positions = Self {
            always: 0..cycle.always.len(),
            responses: often.end..all.len(),
            often,
        };
        (all, positions)
    }

    /// Request and response of each condition.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        self.responses.clone().step_by(2).map(|at| (at, at + 1))
    }
}

/// A set of conditions that steps meet.
#[derive(Clone, Debug)]
pub(crate) struct Met {
    truths: Vec<bool>,
    kept: Vec<bool>,
    steps: usize,
}

impl Met {
    pub(crate) fn new(product: &Product<'_>) -> Self {
        Self {
            truths: vec![false; product.truths.first().map_or(0, |truths| truths.len())],
            kept: vec![false; product.promises],
            steps: 0,
        }
    }

    /// Adds a step.
    pub(crate) fn add(&mut self, product: &Product<'_>, step: &ProductStep<'_>) {
        self.steps += 1;
        for (met, truth) in self.truths.iter_mut().zip(&product.truths[step.class as usize]) {
            *met |= truth;
        }
        for (promise, kept) in (0..).zip(&mut self.kept) {
            *kept |= !step.postponed.contains(&promise);
        }
    }

    /// Whether every `[]<>p` and every promise is met.
    pub(crate) fn meets_often(&self, positions: &ConditionPositions) -> bool {
        self.steps > 0
            && self.kept.iter().all(|kept| *kept)
            && self.truths[positions.often.clone()].iter().all(|met| *met)
    }

    /// Whether nothing is to be met but that there is a step.
    pub(crate) fn needs_only_a_step(&self, positions: &ConditionPositions) -> bool {
        self.steps == 0 && self.kept.is_empty() && positions.often.is_empty()
    }

    /// The requests without a response.
    pub(crate) fn unanswered(&self, positions: &ConditionPositions) -> Vec<(usize, usize)> {
        positions
            .pairs()
            .filter(|(request, response)| self.truths[*request] && !self.truths[*response])
            .collect()
    }

    /// Whether a step meets something that is not met yet, of what a cycle must meet; `wanted` are responses.
    pub(crate) fn gains(
        &self,
        product: &Product<'_>,
        positions: &ConditionPositions,
        wanted: &[usize],
        step: &ProductStep<'_>,
    ) -> bool {
        let truths = &product.truths[step.class as usize];
        let mut needed = positions.often.clone().chain(wanted.iter().copied());
        needed.any(|at| truths[at] && !self.truths[at])
            || (0..)
                .zip(&self.kept)
                .any(|(promise, kept)| !kept && !step.postponed.contains(&promise))
    }
}

/// A component all of whose conditions are met.
#[derive(Clone, Debug)]
pub(crate) struct FairComponent {
    /// Its nodes.
    pub(crate) nodes: Vec<ProductNode>,
    /// The classes of letters that its steps may have.
    pub(crate) allowed: Vec<bool>,
}

/// Searches the product for fair components.
pub(crate) struct ComponentSearch<'p, 'g> {
    product: &'p Product<'g>,
    positions: &'p ConditionPositions,
    limits: &'p LimitWatch<'p>,
    /// The part of the product that a node belongs to.
    part: Vec<u32>,
    parts: u32,
    order: Vec<u32>,
    low: Vec<u32>,
}

const UNVISITED: u32 = 0;
const FINISHED: u32 = u32::MAX;
/// Nodes visited between two looks at the clock.
const NODES_PER_LIMIT_CHECK: u32 = 1 << 14;

impl<'p, 'g> ComponentSearch<'p, 'g> {
    pub(crate) fn new(
        product: &'p Product<'g>,
        positions: &'p ConditionPositions,
        limits: &'p LimitWatch<'p>,
    ) -> Self {
        Self {
            product,
            positions,
            limits,
            part: vec![0; product.len()],
            parts: 0,
            order: vec![UNVISITED; product.len()],
            low: vec![0; product.len()],
        }
    }

    /// The classes of letters that satisfy every `<>[]p`.
    pub(crate) fn allowed(product: &Product<'_>, positions: &ConditionPositions) -> Vec<bool> {
        let truths = product.truths.iter();
        truths
            .map(|truths| truths[positions.always.clone()].iter().all(|holds| *holds))
            .collect()
    }

    /// The fair component whose first node is found earliest.
    pub(crate) fn earliest(&mut self) -> Result<Option<FairComponent>, Stop> {
        let all: Vec<ProductNode> = (0..self.product.len() as ProductNode).collect();
        let mut pending = vec![(all, Self::allowed(self.product, self.positions))];
        let mut best: Option<(ProductNode, FairComponent)> = None;
        while let Some((nodes, allowed)) = pending.pop() {
            let (members, ends) = self.components(&nodes, &allowed)?;
            let mut start = 0;
            for end in ends {
                let component = &members[start..end];
                start = end;
                let Some(first) = component.iter().min().copied() else {
                    continue;
                };
                if best.as_ref().is_some_and(|(earliest, _)| *earliest < first) {
                    continue;
                }
                let met = self.met(component, &allowed);
                if !met.meets_often(self.positions) {
                    continue;
                }
                let unanswered = met.unanswered(self.positions);
                if unanswered.is_empty() {
                    let allowed = allowed.clone();
                    best = Some((
                        first,
                        FairComponent {
                            nodes: component.to_vec(),
                            allowed,
                        },
                    ));
                    continue;
                }
                let mut fewer = allowed.clone();
                for (class, is_allowed) in fewer.iter_mut().enumerate() {
                    let truths = &self.product.truths[class];
                    *is_allowed &= !unanswered.iter().any(|(request, _)| truths[*request]);
                }
                pending.push((component.to_vec(), fewer));
            }
        }
        Ok(best.map(|(_, component)| component))
    }

    /// What the steps inside a component meet.
    fn met(&mut self, component: &[ProductNode], allowed: &[bool]) -> Met {
        self.parts += 1;
        for node in component {
            self.part[*node as usize] = self.parts;
        }
        let mut met = Met::new(self.product);
        for node in component {
            for step in self.product.steps(*node) {
                if allowed[step.class as usize] && self.part[step.to as usize] == self.parts {
                    met.add(self.product, &step);
                }
            }
        }
        met
    }

    /// The strongly connected components of a part of the product with some classes of steps (Tarjan's algorithm, without recursion):
    /// their nodes one after the other, and where each ends.
    fn components(
        &mut self,
        nodes: &[ProductNode],
        allowed: &[bool],
    ) -> Result<(Vec<ProductNode>, Vec<usize>), Stop> {
        self.parts += 1;
        let part = self.parts;
        for node in nodes {
            self.part[*node as usize] = part;
            self.order[*node as usize] = UNVISITED;
        }
        let mut members = Vec::with_capacity(nodes.len());
        let mut ends = Vec::new();
        let mut visited = 0;
        let mut open: Vec<ProductNode> = Vec::new();
        let mut calls: Vec<(ProductNode, Cursor)> = Vec::new();
        for root in nodes {
            if self.order[*root as usize] != UNVISITED {
                continue;
            }
            calls.push((*root, Cursor::default()));
            while let Some((node, cursor)) = calls.last_mut() {
                let node = *node;
                let at = node as usize;
                if self.order[at] == UNVISITED {
                    visited += 1;
                    self.order[at] = visited;
                    self.low[at] = visited;
                    open.push(node);
                    if visited % NODES_PER_LIMIT_CHECK == 0
                        && let Some(limit) = self.limits.time_limit()
                    {
                        return Err(Stop::Limit(limit));
                    }
                }
                let mut descended = None;
                while let Some(step) = self.product.next_step(node, cursor) {
                    let to = step.to as usize;
                    if !allowed[step.class as usize] || self.part[to] != part || self.order[to] == FINISHED {
                        continue;
                    }
                    if self.order[to] == UNVISITED {
                        descended = Some(step.to);
                        break;
                    }
                    self.low[at] = self.low[at].min(self.order[to]);
                }
                if let Some(to) = descended {
                    calls.push((to, Cursor::default()));
                    continue;
                }
                calls.pop();
                if let Some((caller, _)) = calls.last() {
                    let caller = *caller as usize;
                    self.low[caller] = self.low[caller].min(self.low[at]);
                }
                if self.low[at] == self.order[at] {
                    let start = open.iter().rposition(|other| *other == node).unwrap_or(0);
                    for node in &open[start..] {
                        self.order[*node as usize] = FINISHED;
                    }
                    members.extend(open.drain(start..));
                    ends.push(members.len());
                }
            }
        }
        Ok((members, ends))
    }
}
