//! Labels of temporal formulas by compiled code: the atoms of a state and of its steps.
//!
//! An atom about a state or a step is a formula. For `ENABLED <<A>>_v` the steps of `<<A>>_v` are enumerated as those of Next are. Where A leaves
//! a variable open, ENABLED is a search for one next state, and `<<A>>_v` a formula about each step of the graph. A trap is no answer: the
//! evaluator decides this atom in this state.

use omnilink_tla::eval::Evaluator;
use omnilink_tla::ir::OperatorId;
use omnilink_tla_compile::{
    BoundOperator, CellLayout, Code, Form, LayoutNodeId, Machine, Purpose, Trap, ValueStore, compile,
};

use super::log::CompilationLog;
use super::packing::Packing;
use crate::fingerprint::Fingerprint;
use crate::liveness::{AtomInstance, AtomKind};

/// States between two looks at the memory that values take.
const STATES_BETWEEN: u64 = 1 << 12;
/// Traps of the code of an atom after which it is decided whether it pays.
const TRIAL: u64 = 1 << 10;

/// The codes of an atom: numbers of formulas and actions of the machine.
#[derive(Clone, Copy, Debug)]
enum AtomCode {
    /// A formula about a state or a step.
    Formula(usize),
    /// `<<A>>_v` as an action.
    Action(usize),
    /// Where A leaves a variable open: `<<A>>_v` as a formula about steps, and its ENABLED as a formula.
    Open { step: usize, enabled: usize },
    /// The step of the atom before.
    Taken,
}

/// How often the code of an atom decided, and how often it gave up.
#[derive(Clone, Copy, Debug, Default)]
struct Trial {
    decided: u64,
    given_up: u64,
}

/// The steps of `<<A>>_v` from a state.
pub(crate) enum FairSteps<'a> {
    /// Where they lead.
    Listed(&'a [Fingerprint]),
    /// A leaves a variable open.
    Open,
}

/// Compiled code for atoms. Belongs to one worker.
#[derive(Debug)]
pub(crate) struct CompiledAtoms<'a, 'm> {
    atoms: &'a [AtomInstance],
    codes: Vec<AtomCode>,
    /// For each atom whether it is an ENABLED whose steps cannot be enumerated.
    is_open: Vec<bool>,
    /// Whether one of these was found since the code was made.
    is_outdated: bool,
    /// A part of the layout that a value did not fit.
    misfit: Option<LayoutNodeId>,
    trials: Vec<Trial>,
    machine: Machine<'m>,
    packing: Packing,
    /// Memory for values, in bytes.
    memory_bytes: usize,
    listed: Vec<Fingerprint>,
    /// What was made of it, and what is left to the evaluator.
    pub(crate) log: CompilationLog,
}

impl<'a, 'm> CompiledAtoms<'a, 'm> {
    /// Code for atoms about states of these forms.
    pub(crate) fn new(
        atoms: &'a [AtomInstance],
        forms: Vec<Form>,
        memory_bytes: usize,
        worker: &mut Evaluator<'m>,
    ) -> Self {
        let mut log = CompilationLog::default();
        let is_open = atoms
            .iter()
            .map(|atom| matches!(atom.kind, AtomKind::Enabled { hides: true, .. }));
        let is_open: Vec<bool> = is_open.collect();
        let (machine, codes) = made((atoms, &is_open), forms, worker, &mut log);
        Self {
            atoms,
            codes,
            is_open,
            is_outdated: false,
            misfit: None,
            trials: vec![Trial::default(); atoms.len()],
            machine,
            packing: Packing::default(),
            memory_bytes,
            listed: Vec::new(),
            log,
        }
    }

    /// Reads a state. Returns whether there is code for it.
    pub(crate) fn start(&mut self, worker: &mut Evaluator<'m>, encoded: &[u8]) -> bool {
        let is_full = (self.log.labelled + 1).is_multiple_of(STATES_BETWEEN)
            && self.machine.heap_bytes() + self.packing.heap_bytes() > self.memory_bytes;
        if is_full || self.is_outdated || self.misfit.is_some() {
            self.adapt(worker);
        }
        loop {
            let (store, layout, cells) = self.machine.input();
            match self.packing.read(encoded, layout, store, cells) {
                Ok(_) => {
                    self.log.labelled += 1;
                    return true;
                }
                Err(Trap::Layout(node)) => {
                    self.misfit = Some(node);
                    self.adapt(worker);
                }
                Err(_) => return false,
            }
        }
    }

    /// Reads the state after a step. Returns whether there is code for it.
    pub(crate) fn start_step(&mut self, encoded: &[u8]) -> bool {
        let (store, layout, cells) = self.machine.next_input();
        let read = self.packing.read(encoded, layout, store, cells);
        if let Err(Trap::Layout(node)) = read {
            self.misfit = Some(node);
        }
        read.is_ok()
    }

    /// Makes the code anew, with an empty store.
    fn adapt(&mut self, worker: &mut Evaluator<'m>) {
        let layout = self.machine.layout();
        let forms = match self.misfit.take() {
            Some(node) => layout.widened(node),
            None => layout.forms().to_vec(),
        };
        self.is_outdated = false;
        self.packing = Packing::default();
        let atoms = (self.atoms, &self.is_open[..]);
        (self.machine, self.codes) = made(atoms, forms, worker, &mut self.log);
    }

    /// Whether an atom about the state holds in it; `None` if the evaluator has to decide.
    pub(crate) fn holds_now(&mut self, worker: &mut Evaluator<'m>, atom: usize) -> Option<bool> {
        let (AtomCode::Formula(formula) | AtomCode::Open { enabled: formula, .. }) = self.codes[atom] else {
            return None;
        };
        self.is_worth(atom).then_some(())?;
        let decided = self.machine.holds_now(formula, worker);
        self.settled(atom, decided)
    }

    /// Whether an atom about steps holds for the step that was read; `None` if the evaluator has to decide.
    pub(crate) fn holds_for_step(&mut self, worker: &mut Evaluator<'m>, atom: usize) -> Option<bool> {
        let (AtomCode::Formula(formula) | AtomCode::Open { step: formula, .. }) = self.codes[atom] else {
            return None;
        };
        self.is_worth(atom).then_some(())?;
        let decided = self.machine.holds_for_step(formula, worker);
        self.settled(atom, decided)
    }

    /// The steps of `<<A>>_v` from the state; `None` if the evaluator has to enumerate them.
    pub(crate) fn steps(&mut self, worker: &mut Evaluator<'m>, atom: usize) -> Option<FairSteps<'_>> {
        let action = match self.codes[atom] {
            AtomCode::Action(action) => action,
            AtomCode::Open { .. } => return Some(FairSteps::Open),
            AtomCode::Formula(_) | AtomCode::Taken => return None,
        };
        self.is_worth(atom).then_some(())?;
        self.listed.clear();
        let found = self.machine.successors(action, worker).map(|found| {
            let found = found.iter().map(|found| Fingerprint::of_sum(found.sum));
            self.listed.extend(found);
        });
        if found == Err(Trap::Open) {
            self.is_open[atom] = true;
            self.is_outdated = true;
        }
        self.settled(atom, found)?;
        Some(FairSteps::Listed(&self.listed))
    }

    /// Code that mostly traps does every piece of work twice.
    fn is_worth(&self, atom: usize) -> bool {
        let Trial { decided, given_up } = self.trials[atom];
        given_up < TRIAL || given_up < decided
    }

    fn settled<T>(&mut self, atom: usize, decided: Result<T, Trap>) -> Option<T> {
        let trial = &mut self.trials[atom];
        if let Err(Trap::Layout(node)) = decided {
            self.misfit = Some(node);
        }
        match &decided {
            Ok(_) => trial.decided += 1,
            Err(_) => {
                trial.given_up += 1;
                self.log.labels_given_up += 1;
            }
        }
        decided.ok()
    }
}

/// A machine with the code of all atoms, and where that of each atom is.
fn made<'m>(
    (atoms, is_open): (&[AtomInstance], &[bool]),
    forms: Vec<Form>,
    worker: &mut Evaluator<'m>,
    log: &mut CompilationLog,
) -> (Machine<'m>, Vec<AtomCode>) {
    let program = worker.program();
    let mut store = ValueStore::default();
    let layout = CellLayout::new(forms, None, &mut store);
    let (mut actions, mut formulas) = (Vec::new(), Vec::new());
    let mut codes = Vec::with_capacity(atoms.len());
    for (AtomInstance { kind, arguments }, is_open) in atoms.iter().zip(is_open) {
        let mut make = |operator: OperatorId, purpose| {
            let operation = BoundOperator { operator, arguments };
            let compiled = compile(program, operation, purpose, &layout, &mut store, worker);
            let (code, reasons) = compiled.unwrap_or_else(|reason| (Code::not_compiled(), vec![reason]));
            log.add_places(&reasons, program);
            let codes = match purpose {
                Purpose::Action => &mut actions,
                _ => &mut formulas,
            };
            codes.push(code);
            codes.len() - 1
        };
        codes.push(match *kind {
            AtomKind::State(operator) => AtomCode::Formula(make(operator, Purpose::StateLabel)),
            AtomKind::Step { step, .. } => AtomCode::Formula(make(step, Purpose::StepLabel)),
            AtomKind::Enabled { step, enabled, .. } if *is_open => AtomCode::Open {
                step: make(step, Purpose::StepLabel),
                enabled: make(enabled, Purpose::State),
            },
            AtomKind::Enabled { step, .. } => AtomCode::Action(make(step, Purpose::Action)),
            AtomKind::Taken => AtomCode::Taken,
        });
    }
    (Machine::new(store, layout, actions, formulas), codes)
}
