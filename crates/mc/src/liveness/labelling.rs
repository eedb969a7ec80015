//! Labelling: which atoms hold for every state and step of the behaviour graph.
//!
//! Compiled code evaluates the atoms of a state (`compiled_labels`), and the evaluator those on which it gives up (`node_labels`).

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use omnilink_memory::guard;
use omnilink_tla::deep_stack;
use omnilink_tla::eval::Evaluator;
use rustc_hash::FxHashMap;

use super::Stop;
use super::formula::{Atom, Letter, add};
use super::graph::{LabelledGraph, Node, StateGraph};
use super::instantiate::{AtomInstance, AtomKind};
use super::node_labels::NodeLabels;
use omnilink_tla_compile::Sample;

use crate::compiled::{CompiledAtoms, Disagreement};
use crate::limits::LimitWatch;
use crate::session::{set_labelled, set_level};
use crate::tla_system::TlaSystem;
use crate::transition_system::TransitionSystem;

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

/// Computes the labels of the states of a lasso again, by the evaluator.
pub(crate) fn confirm(
    system: &TlaSystem<'_>,
    atoms: &[AtomInstance],
    (graph, labelled): (&StateGraph, &LabelledGraph),
    limits: &LimitWatch<'_>,
    nodes: &[Node],
) -> Result<(), Stop> {
    deep_stack::run(|| Labelling::new(system, atoms, graph, limits).confirm(system, labelled, nodes))
}

/// Labels the graph with several workers. The result does not depend on their number.
pub(crate) fn label(
    system: &TlaSystem<'_>,
    atoms: &[AtomInstance],
    graph: &StateGraph,
    limits: &LimitWatch<'_>,
    workers: usize,
) -> Result<LabelledGraph, Stop> {
    let shared = Labelling::new(system, atoms, graph, limits);
    scope(|scope| {
        for number in 1..workers {
            let shared = &shared;
            let limits = guard::current();
            let work = move || {
                let _limits = limits.enter();
                shared.work(system, &mut system.search_worker(number));
            };
            let builder = Builder::new()
                .name("mc".into())
                .stack_size(deep_stack::STACK_BYTES);
            if builder.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        deep_stack::run(|| shared.work(system, &mut system.search_worker(0)));
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
        AtomKind::State(operation)
        | AtomKind::Step { step: operation, .. }
        | AtomKind::Enabled { step: operation, .. } => {
            system
                .model
                .program
                .operator(operation.formula())
                .body
                .uses
                .impure
        }
        AtomKind::Taken => false,
    }
}

/// What the workers share.
pub(super) struct Labelling<'a> {
    pub(super) atoms: &'a [AtomInstance],
    pub(super) graph: &'a StateGraph,
    /// What `TLCGet("queue")` reads in each state; empty if no atom reads it.
    queue_lengths: Vec<u32>,
    pub(super) limits: &'a LimitWatch<'a>,
    /// For each atom ENABLED: whether its action leaves variables open.
    pub(super) is_open: Vec<AtomicBool>,
    next: AtomicU32,
    /// Why the earliest state so far could not be labelled.
    stop: Mutex<Option<(Node, Stop)>>,
    is_stopped: AtomicBool,
    letters: Mutex<Letters>,
    chunks: Mutex<Vec<Chunk>>,
}

impl<'a> Labelling<'a> {
    fn new(
        system: &TlaSystem<'_>,
        atoms: &'a [AtomInstance],
        graph: &'a StateGraph,
        limits: &'a LimitWatch<'a>,
    ) -> Self {
        Self {
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
        }
    }

    fn work<'m>(&self, system: &TlaSystem<'m>, worker: &mut Evaluator<'m>) {
        let mut code = self.compiled_atoms(system, worker);
        self.label_chunks(system, worker, code.as_mut());
        if let Some(code) = code {
            let mut log = system.compilation.lock().unwrap_or_else(PoisonError::into_inner);
            log.add(&code.log);
        }
        set_labelled(None);
    }

    fn label_chunks<'m>(
        &self,
        system: &TlaSystem<'m>,
        worker: &mut Evaluator<'m>,
        mut code: Option<&mut CompiledAtoms<'a, 'm>>,
    ) {
        let mut sample = crate::compiled::sample(system);
        let mut own = Letters::default();
        // Numbers of own letters among all letters.
        let mut numbers: Vec<u32> = Vec::new();
        let mut labels = NodeLabels::default();
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
                    None => self.label(
                        (system, &mut sample),
                        worker,
                        code.as_deref_mut(),
                        node,
                        &mut labels,
                    ),
                };
                if let Err(stop) = labelled {
                    self.stop_at(node, stop);
                    return;
                }
                self.add_letters(&mut labels, &mut own, &mut stuttering, &mut steps);
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

    /// The labels of a state and of its steps.
    fn label<'m>(
        &self,
        (system, sample): (&TlaSystem<'m>, &mut Sample),
        worker: &mut Evaluator<'m>,
        code: Option<&mut CompiledAtoms<'a, 'm>>,
        node: Node,
        labels: &mut NodeLabels,
    ) -> Result<(), Stop> {
        set_level(self.graph.level(node));
        set_labelled(Some(
            self.queue_lengths.get(node as usize).copied().map(u64::from),
        ));
        let Some(code) = code else {
            return self.label_interpreted(worker, node, labels);
        };
        if self.label_compiled(worker, code, node, labels).is_none() {
            return self.label_interpreted(worker, node, labels);
        }
        if sample.takes(std::iter::empty()) {
            code.log.compared += 1;
            let mut expected = NodeLabels::default();
            let evaluated = sample.timed(|| self.label_interpreted(worker, node, &mut expected));
            if let Some(stop) = self.difference(system, node, (labels, &expected), evaluated) {
                return Err(stop);
            }
        }
        Ok(())
    }

    /// How the labels that compiled code has found differ from those of the evaluator.
    fn difference(
        &self,
        system: &TlaSystem<'_>,
        node: Node,
        (found, expected): (&NodeLabels, &NodeLabels),
        evaluated: Result<(), Stop>,
    ) -> Option<Stop> {
        let (compiled, evaluated) = match evaluated {
            Ok(()) if found == expected => return None,
            Ok(()) => (format!("{found:?}"), format!("{expected:?}")),
            Err(Stop::Failed(_, failure)) => (format!("{found:?}"), failure.to_string()),
            Err(_) => return None,
        };
        let disagreement = Disagreement {
            what: "the truth values of the temporal properties' formulas".to_owned(),
            state: self
                .graph
                .state(node)
                .map_or_else(|_| Vec::new(), |state| state.to_vec()),
            level: self.graph.level(node),
            compiled,
            evaluated,
        };
        let _ = system.disagreement.set(Box::new(disagreement));
        Some(Stop::Disagreement)
    }

    /// Computes the labels of some states again, and of the steps from them, by the evaluator: nothing is reported on the word of compiled code.
    fn confirm(&self, system: &TlaSystem<'_>, labelled: &LabelledGraph, nodes: &[Node]) -> Result<(), Stop> {
        let mut worker = system.worker(0);
        for node in nodes {
            set_level(self.graph.level(*node));
            set_labelled(Some(
                self.queue_lengths.get(*node as usize).copied().map(u64::from),
            ));
            let mut expected = NodeLabels::default();
            let evaluated = self.label_interpreted(&mut worker, *node, &mut expected);
            set_labelled(None);
            let found = self.labels_of(labelled, *node);
            if let Ok(()) = evaluated {
                self.finish_labels(&mut expected);
            }
            if let Some(stop) = self.difference(system, *node, (&found, &expected), evaluated) {
                return Err(stop);
            }
        }
        Ok(())
    }

    /// The labels of a state in the labelled graph, as [`Self::finish_labels`] leaves them.
    fn labels_of(&self, labelled: &LabelledGraph, node: Node) -> NodeLabels {
        let letter = |number: u32| labelled.letters[number as usize].iter().copied();
        NodeLabels {
            of_state: letter(labelled.stuttering[node as usize]).collect(),
            of_steps: labelled
                .steps(node)
                .iter()
                .flat_map(|(_, number)| letter(*number))
                .collect(),
        }
    }

    /// Appends the letters of a state and of its steps.
    fn add_letters(
        &self,
        labels: &mut NodeLabels,
        letters: &mut Letters,
        stuttering: &mut Vec<u32>,
        steps: &mut Vec<u32>,
    ) {
        self.finish_labels(labels);
        let NodeLabels { of_state, of_steps } = labels;
        for of_step in of_steps.chunks_exact(of_state.len()) {
            steps.push(letters.number(of_step));
        }
        stuttering.push(letters.number(of_state));
    }

    /// Adds to the labels of steps what holds in their state, and to those of the state what holds for a step that stutters.
    fn finish_labels(&self, NodeLabels { of_state, of_steps }: &mut NodeLabels) {
        for of_step in of_steps.chunks_exact_mut(of_state.len()) {
            for (step, state) in of_step.iter_mut().zip(of_state.iter()) {
                *step |= state;
            }
        }
        for (number, atom) in (0 as Atom..).zip(self.atoms) {
            if let AtomKind::Step { stutters: true, .. } = atom.kind {
                add(of_state, number);
            }
        }
    }
}
