//! Labelling: which atoms hold for every state and step of the behaviour graph.
//!
//! For a fairness condition the steps `<<A>>_v` from a state are enumerated, as those of Next are. If there is one, `<<A>>_v` is
//! enabled; the steps of the graph among them are recognised by fingerprint, so nothing is evaluated for them. If an action leaves a
//! variable open, ENABLED and its steps are evaluated as formulas instead.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use omnilink_tla::deep_stack;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Evaluator, Flow};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::Stop;
use super::formula::{Atom, Letter, add};
use super::graph::{LabelledGraph, Node, StateGraph};
use super::instantiate::{AtomInstance, AtomKind};
use crate::fingerprint::Fingerprint;
use crate::limits::LimitMonitor;
use crate::session::{set_level, set_queued};
use crate::tla_system::TlaSystem;
use crate::transition_system::{State, TransitionSystem};

/// States that a worker labels before it takes more.
const CHUNK_NODES: u32 = 256;

/// Letters, each once.
#[derive(Debug, Default)]
struct Letters {
    numbers: FxHashMap<Letter, u32>,
    letters: Vec<Letter>,
}

impl Letters {
    fn number(&mut self, letter: &[u64]) -> u32 {
        if let Some(number) = self.numbers.get(letter) {
            return *number;
        }
        let number = self.letters.len() as u32;
        self.letters.push(letter.into());
        self.numbers.insert(letter.into(), number);
        number
    }
}

/// The labels of some states: first node, letters of stuttering, letters of steps.
type Chunk = (Node, Vec<u32>, Vec<u32>);

/// Labels the graph with several workers. The result does not depend on their number.
pub(crate) fn label(
    system: &TlaSystem<'_>,
    atoms: &[AtomInstance],
    graph: &StateGraph,
    limits: &LimitMonitor<'_>,
    workers: usize,
) -> Result<LabelledGraph, Stop> {
    let shared = Shared {
        atoms,
        graph,
        queue_lengths: match atoms.iter().any(|atom| is_impure(system, atom)) {
            true => graph.queue_lengths(),
            false => Vec::new(),
        },
        limits,
        is_open: atoms.iter().map(|_| AtomicBool::new(false)).collect(),
        next: AtomicU32::new(0),
        stop: Mutex::new(None),
        is_stopped: AtomicBool::new(false),
        letters: Mutex::default(),
        chunks: Mutex::default(),
    };
    scope(|scope| {
        for number in 1..workers {
            let shared = &shared;
            let work = move || shared.work(&mut system.search_worker(number));
            let builder = Builder::new()
                .name("mc".into())
                .stack_size(deep_stack::STACK_BYTES);
            if builder.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        deep_stack::run(|| shared.work(&mut system.search_worker(0)));
    });
    if let Some((_, stop)) = shared.stop.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(stop);
    }
    let mut chunks = shared.chunks.into_inner().unwrap_or_else(PoisonError::into_inner);
    chunks.sort_unstable_by_key(|(first, ..)| *first);
    let letters = shared
        .letters
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let stuttering = chunks
        .iter()
        .flat_map(|(_, stuttering, _)| stuttering.iter().copied())
        .collect();
    let steps = chunks.iter().flat_map(|(_, _, steps)| steps.iter().copied());
    Ok(graph.labelled(letters.letters, stuttering, steps))
}

/// Whether an atom reads anything besides the states, such as the length of the queue.
pub(super) fn is_impure(system: &TlaSystem<'_>, atom: &AtomInstance) -> bool {
    match atom.kind {
        AtomKind::State(operation) | AtomKind::Step { step: operation, .. } => {
            system
                .model
                .program
                .operator(operation.formula())
                .body
                .uses
                .impure
        }
        AtomKind::Enabled { .. } | AtomKind::Taken => false,
    }
}

struct Shared<'a> {
    atoms: &'a [AtomInstance],
    graph: &'a StateGraph,
    /// What `TLCGet("queue")` reads in each state; empty if no atom reads it.
    queue_lengths: Vec<u32>,
    limits: &'a LimitMonitor<'a>,
    /// For each atom ENABLED: whether its action leaves variables open.
    is_open: Vec<AtomicBool>,
    next: AtomicU32,
    /// Why the earliest state so far could not be labelled.
    stop: Mutex<Option<(Node, Stop)>>,
    is_stopped: AtomicBool,
    letters: Mutex<Letters>,
    chunks: Mutex<Vec<Chunk>>,
}

impl Shared<'_> {
    fn work(&self, worker: &mut Evaluator<'_>) {
        self.label_chunks(worker);
        set_queued(None);
    }

    fn label_chunks(&self, worker: &mut Evaluator<'_>) {
        let mut own = Letters::default();
        // Numbers of own letters among all letters.
        let mut numbers: Vec<u32> = Vec::new();
        let nodes = self.graph.len() as Node;
        loop {
            let first = self.next.fetch_add(CHUNK_NODES, Ordering::Relaxed);
            if first >= nodes || self.is_after_stop(first) {
                return;
            }
            let mut stuttering = Vec::with_capacity(CHUNK_NODES as usize);
            let mut steps = Vec::new();
            for node in first..nodes.min(first.saturating_add(CHUNK_NODES)) {
                let labelled = match self.limits.time_limit() {
                    Some(limit) => Err(Stop::Limit(limit)),
                    None => self.label(worker, node, &mut own, &mut stuttering, &mut steps),
                };
                if let Err(stop) = labelled {
                    self.stop_at(node, stop);
                    return;
                }
            }
            if numbers.len() < own.letters.len() {
                let mut all = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
                numbers.extend(
                    own.letters[numbers.len()..]
                        .iter()
                        .map(|letter| all.number(letter)),
                );
            }
            for letter in stuttering.iter_mut().chain(&mut steps) {
                *letter = numbers[*letter as usize];
            }
            let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
            chunks.push((first, stuttering, steps));
        }
    }

    fn is_after_stop(&self, first: Node) -> bool {
        self.is_stopped.load(Ordering::Relaxed) && {
            let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
            stop.as_ref().is_some_and(|(node, _)| *node < first)
        }
    }

    fn stop_at(&self, node: Node, stop: Stop) {
        let mut earliest = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        if earliest.as_ref().is_none_or(|(other, _)| node < *other) {
            *earliest = Some((node, stop));
        }
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Appends the letters of a state and of its steps.
    fn label(
        &self,
        worker: &mut Evaluator<'_>,
        node: Node,
        letters: &mut Letters,
        stuttering: &mut Vec<u32>,
        steps: &mut Vec<u32>,
    ) -> Result<(), Stop> {
        let words = self.atoms.len().div_ceil(64);
        let state = self.graph.state(node).map_err(Stop::Decode)?;
        let successors = self.graph.successors(node);
        let failed = |failure: Box<Failure>| match failure.class {
            ErrorClass::Resource if self.limits.time_limit().is_some() => Stop::Limit(self.limits.timeout()),
            _ => Stop::Failed(node, failure),
        };
        set_level(self.graph.level(node));
        set_queued(self.queue_lengths.get(node as usize).copied().map(u64::from));
        let mut of_state = vec![0u64; words];
        let mut of_steps = vec![0u64; words * successors.len()];
        let mut decoded: Vec<State> = Vec::new();
        for (number, atom) in (0..).zip(self.atoms) {
            match &atom.kind {
                AtomKind::State(operation) => {
                    worker.set_state(&state);
                    if worker.holds_with(*operation, &atom.arguments).map_err(failed)? {
                        add(&mut of_state, number);
                    }
                }
                AtomKind::Step { step, .. } => {
                    self.evaluate_steps(
                        worker,
                        &state,
                        successors,
                        &mut decoded,
                        *step,
                        &atom.arguments,
                        |at| {
                            add(&mut of_steps[at * words..], number);
                        },
                    )
                    .map_err(|stop| stop.in_state(&failed))?;
                }
                AtomKind::Enabled { step, enabled, hides } => {
                    let is_open = &self.is_open[number as usize];
                    if !hides && !is_open.load(Ordering::Relaxed) {
                        let mut is_enabled = false;
                        let found = worker.successors_of(
                            *step,
                            &atom.arguments,
                            &state,
                            &mut |_, next: &[Value], _| {
                                is_enabled = true;
                                let to = self.graph.find(Fingerprint::of_state(next));
                                if let Some(at) = to.and_then(|to| successors.binary_search(&to).ok()) {
                                    add(&mut of_steps[at * words..], number + 1);
                                }
                                Ok(Flow::Go)
                            },
                        );
                        match found {
                            Ok(()) => {
                                if is_enabled {
                                    add(&mut of_state, number);
                                }
                                continue;
                            }
                            Err(failure) if failure.class == ErrorClass::Unassigned => {
                                is_open.store(true, Ordering::Relaxed);
                            }
                            Err(failure) => return Err(failed(failure)),
                        }
                    }
                    worker.set_state(&state);
                    if worker.holds_with(*enabled, &atom.arguments).map_err(failed)? {
                        add(&mut of_state, number);
                        self.evaluate_steps(
                            worker,
                            &state,
                            successors,
                            &mut decoded,
                            *step,
                            &atom.arguments,
                            |at| {
                                add(&mut of_steps[at * words..], number + 1);
                            },
                        )
                        .map_err(|stop| stop.in_state(&failed))?;
                    }
                }
                AtomKind::Taken => {}
            }
        }
        for at in 0..successors.len() {
            let of_step = &mut of_steps[at * words..(at + 1) * words];
            for (step, state) in of_step.iter_mut().zip(&of_state) {
                *step |= state;
            }
            steps.push(letters.number(of_step));
        }
        for (number, atom) in (0 as Atom..).zip(self.atoms) {
            if let AtomKind::Step { stutters: true, .. } = atom.kind {
                add(&mut of_state, number);
            }
        }
        stuttering.push(letters.number(&of_state));
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn evaluate_steps(
        &self,
        worker: &mut Evaluator<'_>,
        state: &State,
        successors: &[Node],
        decoded: &mut Vec<State>,
        step: omnilink_tla::ir::OperatorId,
        arguments: &[Value],
        mut on_step: impl FnMut(usize),
    ) -> Result<(), StepStop> {
        if decoded.len() < successors.len() {
            for to in &successors[decoded.len()..] {
                decoded.push(self.graph.state(*to).map_err(StepStop::Decode)?);
            }
        }
        for (at, next) in decoded.iter().enumerate() {
            worker.set_state(state);
            worker.set_next(next);
            if worker.holds_with(step, arguments).map_err(StepStop::Failed)? {
                on_step(at);
            }
        }
        worker.clear_next();
        Ok(())
    }
}

/// Why the steps of a state could not be evaluated.
enum StepStop {
    Decode(crate::codec::StateDecodeError),
    Failed(Box<Failure>),
}

impl StepStop {
    fn in_state(self, failed: &impl Fn(Box<Failure>) -> Stop) -> Stop {
        match self {
            Self::Decode(error) => Stop::Decode(error),
            Self::Failed(failure) => failed(failure),
        }
    }
}
