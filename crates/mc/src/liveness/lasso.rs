//! Lassos: infinite behaviours given by a prefix and a cycle.

use rustc_hash::FxHashMap;

use super::component::{ConditionPositions, FairComponent, Met};
use super::formula::{Atom, FormulaKind, TemporalFormula, has};
use super::graph::{LabelledGraph, Node};
use super::product::{Product, ProductNode};

/// A behaviour that repeats its end for ever. The last state leads back to `start`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lasso {
    pub(crate) nodes: Vec<Node>,
    /// The letter of the step from each state.
    pub(crate) letters: Vec<u32>,
    /// Position of the first state of the cycle.
    pub(crate) start: usize,
}

impl Lasso {
    /// A prefix to a node of the product, in which it stutters for ever.
    pub(crate) fn stuttering(product: &Product<'_>, node: ProductNode) -> Self {
        let state = product.state(node);
        let cycle = vec![(state, product.graph.stuttering[state as usize])];
        Self::of(product, node, cycle)
    }

    /// A short cycle through a fair component, after the shortest prefix to it.
    pub(crate) fn through(
        product: &Product<'_>,
        positions: &ConditionPositions,
        component: &FairComponent,
    ) -> Option<Self> {
        let entry = component.nodes.iter().min().copied()?;
        let members: FxHashMap<ProductNode, ()> = component.nodes.iter().map(|node| (*node, ())).collect();
        let inside =
            |to: ProductNode, class: u32| component.allowed[class as usize] && members.contains_key(&to);
        let mut met = Met::new(product);
        let mut cycle: Vec<(Node, u32)> = Vec::new();
        let mut here = entry;
        loop {
            let wanted: Vec<usize> = met
                .unanswered(positions)
                .into_iter()
                .map(|(_, response)| response)
                .collect();
            let is_done = met.meets_often(positions) && wanted.is_empty();
            if is_done && here == entry {
                break;
            }
            let needs_step = wanted.is_empty() && met.needs_only_a_step(positions);
            // Breadth-first search for a step that gains something, or back to the entry.
            let mut found_by: FxHashMap<ProductNode, (ProductNode, usize)> = FxHashMap::default();
            let mut queue = vec![here];
            let mut at = 0;
            let (last, number, target) = 'search: loop {
                let node = *queue.get(at)?;
                at += 1;
                for (number, step) in product.steps(node).enumerate() {
                    if !inside(step.to, step.class) {
                        continue;
                    }
                    // Where nothing is required, any step will do as the first.
                    let is_goal = match is_done {
                        true => step.to == entry,
                        false => needs_step || met.gains(product, positions, &wanted, &step),
                    };
                    if is_goal {
                        break 'search (node, number, step.to);
                    }
                    if step.to != here && !found_by.contains_key(&step.to) {
                        found_by.insert(step.to, (node, number));
                        queue.push(step.to);
                    }
                }
            };
            let mut path = vec![(last, number)];
            while path[path.len() - 1].0 != here {
                let before = *found_by.get(&path[path.len() - 1].0)?;
                path.push(before);
            }
            path.reverse();
            for (node, number) in path {
                let step = product.steps(node).nth(number)?;
                met.add(product, &step);
                cycle.push((product.state(node), step.letter));
            }
            here = target;
        }
        Some(Self::of(product, entry, cycle))
    }

    fn of(product: &Product<'_>, entry: ProductNode, cycle: Vec<(Node, u32)>) -> Self {
        let path = product.path_to(entry);
        let mut nodes = Vec::new();
        let mut letters = Vec::new();
        for step in path.windows(2) {
            let letter = product.steps(step[0]).find(|found| found.to == step[1]);
            nodes.push(product.state(step[0]));
            letters.push(letter.map_or(0, |found| found.letter));
        }
        let start = nodes.len();
        for (node, letter) in cycle {
            nodes.push(node);
            letters.push(letter);
        }
        let mut lasso = Self {
            nodes,
            letters,
            start,
        };
        lasso.shorten(&product.graph.stuttering);
        lasso
    }

    /// Position after a position.
    pub(crate) fn next(&self, at: usize) -> usize {
        if at + 1 == self.nodes.len() {
            self.start
        } else {
            at + 1
        }
    }

    /// Whether the cycle is one state, in which the behaviour stutters.
    pub(crate) fn is_stuttering(&self) -> bool {
        self.start + 1 == self.nodes.len()
    }

    /// Drops stuttering steps, and states before the cycle that the end of the cycle repeats. `stuttering` has the letter of a
    /// stuttering step in each state; under a VIEW there are other steps from a state to itself.
    fn shorten(&mut self, stuttering: &[u32]) {
        let mut at = 0;
        while at < self.nodes.len() {
            let is_alone = self.start + 1 == self.nodes.len() && at == self.start;
            let stutters = self.nodes[at] == self.nodes[self.next(at)]
                && self.letters[at] == stuttering[self.nodes[at] as usize];
            if is_alone || !stutters {
                at += 1;
                continue;
            }
            self.nodes.remove(at);
            self.letters.remove(at);
            if at < self.start {
                self.start -= 1;
            }
        }
        while self.start > 0
            && !self.is_stuttering()
            && self.nodes.last() == self.nodes.get(self.start - 1)
            && self.letters.last() == self.letters.get(self.start - 1)
        {
            self.nodes.pop();
            self.letters.pop();
            self.start -= 1;
        }
    }

    /// For each position, whether a formula holds for the behaviour from there on.
    pub(crate) fn truths(&self, graph: &LabelledGraph, formula: &TemporalFormula) -> Vec<bool> {
        let both = |operands: &(TemporalFormula, TemporalFormula), combine: fn(bool, bool) -> bool| {
            let left = self.truths(graph, &operands.0);
            let right = self.truths(graph, &operands.1);
            left.into_iter()
                .zip(right)
                .map(|(left, right)| combine(left, right))
                .collect()
        };
        let many = |parts: &[TemporalFormula], is_and: bool| {
            let mut all = vec![is_and; self.nodes.len()];
            for part in parts {
                for (whole, part) in all.iter_mut().zip(self.truths(graph, part)) {
                    *whole = if is_and { *whole && part } else { *whole || part };
                }
            }
            all
        };
        match &formula.kind {
            FormulaKind::Atom(atom) => self.atom(graph, *atom),
            FormulaKind::Fairness {
                is_strong,
                enabled,
                step,
            } => {
                let enabled = self.atom(graph, *enabled);
                let taken = self.atom(graph, *step);
                let mut cycle = self.start..self.nodes.len();
                let is_fair = cycle.clone().any(|at| taken[at])
                    || match is_strong {
                        true => cycle.all(|at| !enabled[at]),
                        false => cycle.any(|at| !enabled[at]),
                    };
                vec![is_fair; self.nodes.len()]
            }
            FormulaKind::Not(operand) => self
                .truths(graph, operand)
                .into_iter()
                .map(|truth| !truth)
                .collect(),
            FormulaKind::And(parts) => many(parts, true),
            FormulaKind::Or(parts) => many(parts, false),
            FormulaKind::Implies(operands) => both(operands, |left, right| !left || right),
            FormulaKind::Equiv(operands) => both(operands, |left, right| left == right),
            FormulaKind::If(operands) => {
                let (condition, yes, no) = &**operands;
                let (yes, no) = (self.truths(graph, yes), self.truths(graph, no));
                let condition = self.truths(graph, condition);
                let chosen = condition.into_iter().zip(yes.into_iter().zip(no));
                chosen
                    .map(|(condition, (yes, no))| if condition { yes } else { no })
                    .collect()
            }
            FormulaKind::Always(operand) => self.throughout(self.truths(graph, operand), true),
            FormulaKind::Eventually(operand) => self.throughout(self.truths(graph, operand), false),
            FormulaKind::LeadsTo(operands) => {
                let later = self.throughout(self.truths(graph, &operands.1), false);
                let before = self.truths(graph, &operands.0);
                let holds = before
                    .into_iter()
                    .zip(later)
                    .map(|(before, later)| !before || later);
                self.throughout(holds.collect(), true)
            }
        }
    }

    fn atom(&self, graph: &LabelledGraph, atom: Atom) -> Vec<bool> {
        let letters = self.letters.iter().map(|letter| &graph.letters[*letter as usize]);
        letters.map(|letter| has(letter, atom)).collect()
    }

    /// `[]` (true) or `<>` (false) of a formula with these truths.
    fn throughout(&self, truths: Vec<bool>, is_always: bool) -> Vec<bool> {
        let cycle = &truths[self.start..];
        let mut later = match is_always {
            true => cycle.iter().all(|truth| *truth),
            false => cycle.iter().any(|truth| *truth),
        };
        let mut result = vec![later; truths.len()];
        for at in (0..self.start).rev() {
            later = if is_always {
                later && truths[at]
            } else {
                later || truths[at]
            };
            result[at] = later;
        }
        result
    }
}
