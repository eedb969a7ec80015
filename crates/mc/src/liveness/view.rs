//! Temporal properties on the states that a VIEW tells apart: TLC's meaning.
//!
//! With a VIEW a search explores one state of each class, and TLC looks for counterexamples in the graph of the classes. That answer can be
//! wrong in both directions, so properties are first checked on all states (see `check/temporal`). If these are too many, perhaps
//! infinitely many, the classes are all there is. What is found there is tested:
//! - A cycle of classes is *followed*: from an initial state through real steps, each with the formulas that hold for the step of the
//!   cycle, and several times around it. If that is not possible, it is no counterexample. If it ends in the state in which it began, it is
//!   one beyond doubt.
//! - Where the property holds for the classes, the states explored without the VIEW are compared with those that stand for their class:
//!   steps into the same classes, with the same formulas. Let this be so for all states. Then a behaviour and the walk through the classes
//!   have the same letters, step by step, so the property holds for all behaviours. Only some states were compared, so the report says so.

use std::ops::ControlFlow;

use omnilink_tla::eval::Evaluator;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use rustc_hash::FxHashMap;

use super::formula::{Letter, add};
use super::graph::{LabelledGraph, Node, StateGraph};
use super::instantiate::{AtomInstance, AtomKind};
use super::lasso::Lasso;
use super::{LassoCounterexample, Liveness, LivenessOutcome, Stop};
use crate::fingerprint::Fingerprint;
use crate::limits::LimitWatch;
use crate::session::set_level;
use crate::tla_system::TlaSystem;
use crate::transition_system::{State, TransitionSystem};

/// How often a cycle of classes is gone round.
pub(crate) const ROUNDS: usize = 4;
/// States that may stand for one position of a behaviour while it is followed.
const STATES_PER_POSITION: usize = 64;

/// A step from a state: its class, the state it leads to, and what holds for it.
struct RealStep {
    class: Fingerprint,
    to: State,
    letter: Letter,
}

/// The steps of a state, and what holds for stuttering in it.
struct RealSteps {
    stuttering: Letter,
    steps: Vec<RealStep>,
}

/// What a check on the classes of a VIEW found.
pub(crate) struct ViewOutcome {
    pub(crate) outcome: LivenessOutcome,
    /// The states of each counterexample, and whether the cycle ends in the state in which it began; `None` if it cannot be followed.
    pub(crate) followed: Vec<Option<(Vec<State>, bool)>>,
    graph: LabelledGraph,
}

impl Liveness {
    /// Checks the properties on the graph of a search with a VIEW, which the system still has.
    pub(crate) fn check_views(
        &self,
        system: &TlaSystem<'_>,
        graph: &StateGraph,
        limits: &LimitWatch<'_>,
    ) -> Result<ViewOutcome, Stop> {
        let mut steps = StepReader::new(system, &self.atoms, limits);
        let labelled = steps.labelled(graph)?;
        let mut outcome = self.check_labelled(system, (&labelled, None), limits, true)?;
        let mut followed = Vec::new();
        for counterexample in &mut outcome.counterexamples {
            followed.push(steps.follow(graph, &labelled, counterexample)?);
        }
        Ok(ViewOutcome {
            outcome,
            followed,
            graph: labelled,
        })
    }

    /// Whether the states of a graph that were expanded, at most `count`, have the steps of the state that stands for their class.
    pub(crate) fn respects_view(
        &self,
        system: &TlaSystem<'_>,
        classes: &StateGraph,
        checked: &ViewOutcome,
        (states, count): (&StateGraph, usize),
        limits: &LimitWatch<'_>,
    ) -> Result<bool, Stop> {
        let mut steps = StepReader::new(system, &self.atoms, limits);
        for node in 0..states.len().min(count) as Node {
            if let Some(limit) = limits.time_limit() {
                return Err(Stop::Limit(limit));
            }
            let state = states.state(node).map_err(Stop::Decode)?;
            let level = states.level(node);
            let class = steps
                .class(&state, level)
                .map_err(|failure| steps.stop(node, failure))?;
            let Some(class) = classes.find(class) else {
                return Ok(false);
            };
            let own = steps
                .of(&state, level)
                .map_err(|failure| steps.stop(node, failure))?;
            let mut found: Vec<(Node, &Letter)> = Vec::new();
            for step in &own.steps {
                match classes.find(step.class) {
                    Some(to) => found.push((to, &step.letter)),
                    None => return Ok(false),
                }
            }
            found.sort_unstable();
            found.dedup();
            let mut wanted: Vec<(Node, &Letter)> = (1..)
                .map_while(|number| checked.graph.step(class, number))
                .map(|(to, letter)| (to, &checked.graph.letters[letter as usize]))
                .collect();
            wanted.sort_unstable();
            let stuttering = &checked.graph.letters[checked.graph.stuttering[class as usize] as usize];
            if *stuttering != own.stuttering || found != wanted {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Enumerates the steps of states and evaluates the atoms for them.
struct StepReader<'a, 'm> {
    system: &'a TlaSystem<'m>,
    atoms: &'a [AtomInstance],
    limits: &'a LimitWatch<'a>,
    worker: Evaluator<'m>,
}

impl<'a, 'm> StepReader<'a, 'm> {
    fn new(system: &'a TlaSystem<'m>, atoms: &'a [AtomInstance], limits: &'a LimitWatch<'a>) -> Self {
        Self {
            system,
            atoms,
            limits,
            worker: system.worker(0),
        }
    }

    fn stop(&self, node: Node, failure: Box<Failure>) -> Stop {
        match failure.class {
            ErrorClass::Resource if self.limits.time_limit().is_some() => Stop::Limit(self.limits.timeout()),
            _ => Stop::Failed(node, failure),
        }
    }

    fn class(&mut self, state: &State, level: u32) -> Result<Fingerprint, Box<Failure>> {
        self.system.fingerprint(&mut self.worker, state, level)
    }

    /// The graph of the classes, with the real steps of the states that stand for them.
    fn labelled(&mut self, graph: &StateGraph) -> Result<LabelledGraph, Stop> {
        let mut numbers: FxHashMap<Letter, u32> = FxHashMap::default();
        let mut letters: Vec<Letter> = Vec::new();
        let mut number = |letter: Letter| {
            *numbers.entry(letter).or_insert_with_key(|letter| {
                letters.push(letter.clone());
                letters.len() as u32 - 1
            })
        };
        let mut states = Vec::with_capacity(graph.len());
        for node in 0..graph.len() as Node {
            if let Some(limit) = self.limits.time_limit() {
                return Err(Stop::Limit(limit));
            }
            let state = graph.state(node).map_err(Stop::Decode)?;
            let own = self.of(&state, graph.level(node));
            let own = own.map_err(|failure| self.stop(node, failure))?;
            let known = own
                .steps
                .into_iter()
                .filter_map(|step| Some((graph.find(step.class)?, step.letter)));
            let mut steps: Vec<(Node, u32)> = known.map(|(to, letter)| (to, number(letter))).collect();
            steps.sort_unstable();
            steps.dedup();
            states.push((number(own.stuttering), steps));
        }
        Ok(LabelledGraph::new(graph.initial().to_vec(), letters, states))
    }

    /// The steps of a state within the constraints.
    fn of(&mut self, state: &State, level: u32) -> Result<RealSteps, Box<Failure>> {
        let mut found: Vec<State> = Vec::new();
        let visit = &mut |_: &mut Evaluator<'m>, next: &[omnilink_value::Value], _: &_| {
            found.push(next.into());
            ControlFlow::Continue(())
        };
        self.system.successors(&mut self.worker, state, level, visit)?;
        set_level(level);
        let of_state = self.state_letter(state)?;
        let mut stuttering = of_state.clone();
        for (number, atom) in (0..).zip(self.atoms) {
            if let AtomKind::Step { stutters: true, .. } = atom.kind {
                add(&mut stuttering, number);
            }
        }
        let mut steps = Vec::with_capacity(found.len());
        for to in found {
            // A step that changes nothing is stuttering.
            if to != *state && self.is_within_constraints(state, &to)? {
                let class = self.class(&to, level + 1)?;
                let letter = self.step_letter(state, &to, &of_state)?;
                steps.push(RealStep { class, to, letter });
            }
        }
        let stuttering = stuttering.into();
        Ok(RealSteps { stuttering, steps })
    }

    fn is_within_constraints(&mut self, state: &State, next: &State) -> Result<bool, Box<Failure>> {
        for constraint in &self.system.model.constraints {
            if !self.worker.holds(constraint.formula, next)? {
                return Ok(false);
            }
        }
        for constraint in &self.system.model.action_constraints {
            if !self.worker.holds_step(constraint.formula, state, next)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn state_letter(&mut self, state: &State) -> Result<Vec<u64>, Box<Failure>> {
        let mut letter = vec![0; self.atoms.len().div_ceil(64)];
        self.worker.set_state(state);
        for (number, atom) in (0..).zip(self.atoms) {
            let (AtomKind::State(formula) | AtomKind::Enabled { enabled: formula, .. }) = atom.kind else {
                continue;
            };
            if self.worker.holds_with(formula, &atom.arguments)? {
                add(&mut letter, number);
            }
        }
        Ok(letter)
    }

    fn step_letter(&mut self, state: &State, next: &State, of_state: &[u64]) -> Result<Letter, Box<Failure>> {
        let mut letter: Letter = of_state.into();
        for (number, atom) in (0..).zip(self.atoms) {
            // What `<<A>>_v` is follows its ENABLED.
            let (step, number) = match atom.kind {
                AtomKind::Step { step, .. } => (step, number),
                AtomKind::Enabled { step, .. } => (step, number + 1),
                AtomKind::State(_) | AtomKind::Taken => continue,
            };
            self.worker.set_state(state);
            self.worker.set_next(next);
            if self.worker.holds_with(step, &atom.arguments)? {
                add(&mut letter, number);
            }
        }
        self.worker.clear_next();
        Ok(letter)
    }

    /// Follows a lasso of classes through real steps, several times round its cycle. A cycle of one class that is no stuttering is
    /// written as two states.
    fn follow(
        &mut self,
        graph: &StateGraph,
        labelled: &LabelledGraph,
        counterexample: &mut LassoCounterexample,
    ) -> Result<Option<(Vec<State>, bool)>, Stop> {
        let Lasso {
            nodes,
            letters,
            start,
        } = &mut counterexample.lasso;
        let start = *start;
        let last = nodes.len() - 1;
        let rests = start == last && letters[last] == labelled.stuttering[nodes[last] as usize];
        if start == last && !rests {
            nodes.push(nodes[last]);
            letters.push(letters[last]);
        }
        let length = nodes.len();
        let rounds = if rests { 0 } else { ROUNDS };
        let next = |at: usize| if at + 1 == length { start } else { at + 1 };
        let mut at = 0;
        // For each position the states that may be there, with the one before.
        let mut layers: Vec<Vec<(State, usize)>> =
            vec![vec![(graph.state(nodes[0]).map_err(Stop::Decode)?, 0)]];
        while layers.len() < length + rounds * (length - start) {
            let to = next(at);
            let wanted = (nodes[to], &labelled.letters[letters[at] as usize]);
            let mut layer: Vec<(State, usize)> = Vec::new();
            let before = layers[layers.len() - 1].clone();
            for (index, (state, _)) in before.iter().enumerate() {
                if let Some(limit) = self.limits.time_limit() {
                    return Err(Stop::Limit(limit));
                }
                let level = u32::try_from(layers.len()).unwrap_or(u32::MAX);
                let own = self
                    .of(state, level)
                    .map_err(|failure| self.stop(nodes[at], failure))?;
                for step in own.steps {
                    let is_wanted = graph.find(step.class) == Some(wanted.0) && step.letter == *wanted.1;
                    if is_wanted
                        && layer.len() < STATES_PER_POSITION
                        && !layer.iter().any(|(other, _)| *other == step.to)
                    {
                        layer.push((step.to, index));
                    }
                }
            }
            if layer.is_empty() {
                return Ok(None);
            }
            layers.push(layer);
            at = to;
        }
        let mut index = 0;
        if rests {
            let wanted = &labelled.letters[letters[last] as usize];
            let mut found = None;
            for (index, (state, _)) in layers[last].iter().enumerate() {
                let level = u32::try_from(length).unwrap_or(u32::MAX);
                let own = self
                    .of(state, level)
                    .map_err(|failure| self.stop(nodes[last], failure))?;
                if own.stuttering == *wanted {
                    found = Some(index);
                    break;
                }
            }
            let Some(found) = found else { return Ok(None) };
            index = found;
        }
        let mut states = Vec::with_capacity(layers.len());
        for layer in layers.iter().rev() {
            let (state, before) = layer[index].clone();
            states.push(state);
            index = before;
        }
        states.reverse();
        let returns = rests || states.get(length) == states.get(start);
        states.truncate(length);
        Ok(Some((states, returns)))
    }
}
