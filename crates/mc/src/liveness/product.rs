//! The product of the behaviour graph and a tableau: the search space for counterexamples.
//!
//! A node is a state with a state of the tableau; initial nodes are those of initial states. Its steps are computed when they are
//! needed and not stored. Nodes are numbered in breadth-first order, so a low number means a short path.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Stop;
use super::graph::{LabelledGraph, Node};
use super::normal_form::{NormalForms, PropositionId};
use super::problem::Problem;
use super::tableau::{Tableau, TableauState, Transition};
use crate::limits::LimitWatch;

/// Number of a node of the product.
pub(crate) type ProductNode = u32;

const NONE: u32 = u32::MAX;
/// Nodes explored between two looks at the clock and at the memory.
const NODES_PER_LIMIT_CHECK: u32 = 1 << 14;

/// Letters that the propositions of a problem do not tell apart.
pub(crate) type LetterClass = u32;

/// A step of the product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProductStep<'p> {
    pub(crate) to: ProductNode,
    pub(crate) class: LetterClass,
    /// The letter of the step in the graph.
    pub(crate) letter: u32,
    pub(crate) postponed: &'p [u32],
}

/// Position in the list of steps of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    step: u32,
    transition: u32,
}

/// The reachable part of the product.
pub(crate) struct Product<'g> {
    pub(crate) graph: &'g LabelledGraph,
    nodes: Vec<(Node, TableauState)>,
    parents: Vec<ProductNode>,
    /// For each state of the tableau, the node of each state of the graph.
    numbers: Vec<Vec<ProductNode>>,
    class_of: Vec<LetterClass>,
    /// For each class, which propositions hold.
    pub(crate) truths: Vec<Box<[bool]>>,
    /// For each state of the tableau and each class.
    transitions: Vec<Vec<Option<Rc<[Transition]>>>>,
    pub(crate) promises: usize,
}

impl<'g> Product<'g> {
    /// Explores the product for a problem. `propositions` are those of the conditions on the cycle; the first entries of
    /// [`Product::truths`] are theirs.
    pub(crate) fn explore(
        graph: &'g LabelledGraph,
        forms: &NormalForms,
        problem: &Problem,
        propositions: &[PropositionId],
        limits: &LimitWatch<'_>,
    ) -> Result<Self, Stop> {
        let mut tableau = Tableau::new(forms, &problem.rest);
        let mut all = propositions.to_vec();
        all.extend(tableau.propositions(&problem.rest));
        let (class_of, truths) = classes(graph, forms, &all);
        let position: FxHashMap<PropositionId, usize> = all.iter().copied().zip(0..).collect();
        let mut product = Self {
            graph,
            nodes: Vec::new(),
            parents: Vec::new(),
            numbers: Vec::new(),
            class_of,
            truths,
            transitions: Vec::new(),
            promises: tableau.promises(),
        };
        for state in &graph.initial {
            product.add(*state, 0, NONE);
        }
        let mut next = 0;
        while let Some(&(state, obligations)) = product.nodes.get(next as usize) {
            if next % NODES_PER_LIMIT_CHECK == 0 {
                product.check_limits(limits)?;
            }
            let mut step = 0;
            while let Some((to, letter)) = graph.step(state, step) {
                step += 1;
                let class = product.class_of[letter as usize];
                let transitions = product.transitions_of(&mut tableau, &position, obligations, class)?;
                for transition in transitions.iter() {
                    product.add(to, transition.to, next);
                }
            }
            next += 1;
        }
        Ok(product)
    }

    fn check_limits(&self, limits: &LimitWatch<'_>) -> Result<(), Stop> {
        if let Some(limit) = limits.time_limit() {
            return Err(Stop::Limit(limit));
        }
        if limits.is_memory_full(self.nodes.capacity() as u64 * 12) {
            return Err(Stop::Limit(crate::limits::Limit::Memory));
        }
        Ok(())
    }

    fn transitions_of(
        &mut self,
        tableau: &mut Tableau<'_>,
        position: &FxHashMap<PropositionId, usize>,
        state: TableauState,
        class: LetterClass,
    ) -> Result<Rc<[Transition]>, Stop> {
        let of_state = &self.transitions[state as usize];
        if let Some(known) = &of_state[class as usize] {
            return Ok(known.clone());
        }
        let truths = &self.truths[class as usize];
        let found = tableau.transitions(state, |proposition| {
            position.get(&proposition).is_some_and(|at| truths[*at])
        });
        let found: Rc<[Transition]> = found.map_err(|_| Stop::TooLarge)?.into();
        self.transitions[state as usize][class as usize] = Some(found.clone());
        Ok(found)
    }

    fn add(&mut self, state: Node, obligations: TableauState, parent: ProductNode) {
        while self.numbers.len() <= obligations as usize {
            self.numbers.push(Vec::new());
            self.transitions.push(vec![None; self.truths.len()]);
        }
        let numbers = &mut self.numbers[obligations as usize];
        if numbers.is_empty() {
            numbers.resize(self.graph.len(), NONE);
        }
        if numbers[state as usize] == NONE {
            numbers[state as usize] = self.nodes.len() as ProductNode;
            self.nodes.push((state, obligations));
            self.parents.push(parent);
        }
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The state of a node.
    pub(crate) fn state(&self, node: ProductNode) -> Node {
        self.nodes[node as usize].0
    }

    /// The shortest path from an initial node to a node.
    pub(crate) fn path_to(&self, node: ProductNode) -> Vec<ProductNode> {
        let mut path = vec![node];
        let mut here = node;
        while self.parents[here as usize] != NONE {
            here = self.parents[here as usize];
            path.push(here);
        }
        path.reverse();
        path
    }

    /// The step at a position, which moves on.
    #[inline]
    pub(crate) fn next_step(&self, node: ProductNode, cursor: &mut Cursor) -> Option<ProductStep<'_>> {
        let (state, obligations) = self.nodes[node as usize];
        loop {
            let (to, letter) = self.graph.step(state, cursor.step)?;
            let class = self.class_of[letter as usize];
            let transitions = self.transitions[obligations as usize][class as usize].as_deref();
            let Some(transition) = transitions.unwrap_or_default().get(cursor.transition as usize) else {
                cursor.step += 1;
                cursor.transition = 0;
                continue;
            };
            cursor.transition += 1;
            return Some(ProductStep {
                to: self.numbers[transition.to as usize][to as usize],
                class,
                letter,
                postponed: &transition.postponed,
            });
        }
    }

    /// The steps of a node.
    pub(crate) fn steps(&self, node: ProductNode) -> impl Iterator<Item = ProductStep<'_>> {
        let mut cursor = Cursor::default();
        std::iter::from_fn(move || self.next_step(node, &mut cursor))
    }

    /// The stuttering steps of a node that lead back to it.
    pub(crate) fn stuttering_steps(&self, node: ProductNode) -> impl Iterator<Item = ProductStep<'_>> {
        let (state, obligations) = self.nodes[node as usize];
        let letter = self.graph.stuttering[state as usize];
        let class = self.class_of[letter as usize];
        let transitions = self.transitions[obligations as usize][class as usize].as_deref();
        let back = transitions
            .unwrap_or_default()
            .iter()
            .filter(move |transition| transition.to == obligations);
        back.map(move |transition| ProductStep {
            to: node,
            class,
            letter,
            postponed: &transition.postponed,
        })
    }
}

/// The class of each letter, and the propositions that hold in each class.
fn classes(
    graph: &LabelledGraph,
    forms: &NormalForms,
    propositions: &[PropositionId],
) -> (Vec<LetterClass>, Vec<Box<[bool]>>) {
    let mut known: FxHashMap<Box<[bool]>, LetterClass> = FxHashMap::default();
    let mut truths: Vec<Box<[bool]>> = Vec::new();
    let class_of = graph.letters.iter().map(|letter| {
        let holds = propositions
            .iter()
            .map(|proposition| forms.holds(*proposition, letter));
        let holds: Box<[bool]> = holds.collect();
        *known.entry(holds).or_insert_with_key(|holds| {
            truths.push(holds.clone());
            truths.len() as LetterClass - 1
        })
    });
    (class_of.collect(), truths)
}
