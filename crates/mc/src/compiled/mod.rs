//! Expansion of states by compiled code.
//!
//! The first states are expanded by the evaluator, and the layout of the code is learned from them. From then on compiled code expands
//! each state, and the evaluator only those on which it traps. The order of the successors, their fingerprints and what is checked are the
//! same, so a search may change between the two at any state.

mod atoms;
mod comparison;
mod drawn_states;
mod formulas;
mod initial;
mod layouts;
mod log;
mod packing;

use std::sync::PoisonError;
use std::time::Instant;

use omnilink_tla::eval::Evaluator;
use omnilink_tla::eval::error::Failure;
use omnilink_tla::ir::Formula;
use omnilink_tla::model::NamedFormula;
use omnilink_tla_compile::{
    BoundOperator, CellLayout, Code, Evaluators, Form, Machine, Purpose, Sample, Trap, ValueStore, compile,
};

pub(crate) use self::atoms::{CompiledAtoms, FairSteps};
pub use self::comparison::Disagreement;
pub(crate) use self::comparison::FirstDisagreement;
use self::drawn_states::DrawnStates;
use self::formulas::CompiledFormulas;
use self::initial::InitialRun;
pub use self::layouts::Layouts;
pub(crate) use self::log::CompilationLog;
use self::packing::Packing;
use crate::fingerprint::Fingerprint;
use crate::session::set_level;
use crate::tla_system::{NamedProperty, TlaSystem, least_view};
use crate::transition_system::{CompiledExpansion, InitialPart, State};

/// Traps after which it is decided whether compiled code pays.
const TRIAL: u64 = 1 << 11;

/// Compiled code, and what it is made from.
#[derive(Debug)]
pub(crate) struct CompiledSystem<'s, 'm> {
    formulas: CompiledFormulas<'s>,
    /// What the states so far have in common.
    forms: Option<Vec<Form>>,
    learned: usize,
    machine: Option<Machine<'m>>,
    packing: Packing,
    /// Whether compiled code is used.
    is_enabled: bool,
    log: CompilationLog,
    sample: Sample,
    /// States that are compared at the end.
    drawn: DrawnStates,
    /// The level of the state expanded last, and whether that is one of the sample.
    level: u32,
    is_compared: bool,
    /// The enumeration of initial states, while there is one.
    initial: Option<InitialRun>,
    /// The fingerprints of the views of the successors, where the VIEW is evaluated.
    views: Vec<Fingerprint>,
    /// How often tests have disturbed it.
    disturbances: u64,
}

/// The states that are compared with the evaluator.
pub(crate) fn sample(system: &TlaSystem<'_>) -> Sample {
    match system.layouts {
        Layouts::Alone => Sample::none(),
        _ => Sample::new(system.evaluators),
    }
}

/// The number of the code of the next-state relation.
const NEXT: usize = 0;

impl<'s, 'm> CompiledSystem<'s, 'm> {
    /// Compiled code for a worker; `None` if the search does what it cannot do.
    pub(crate) fn of(system: &'s TlaSystem<'m>) -> Option<Self> {
        let view = system.view.filter(|_| system.viewed.is_none());
        let is_compiled = system.evaluation_counts.is_none()
            && system.model.possible.is_empty()
            && system.evaluators != Evaluators::Interpreter;
        let model = system.model;
        let formulas = |named: &[NamedFormula]| named.iter().map(|named| named.formula).collect();
        let properties = |named: &[NamedProperty]| named.iter().map(|named| named.formula).collect();
        let formulas = CompiledFormulas {
            init: system.init,
            compiles_initial: !model.program.has_side_effects(),
            session: system.session,
            next: system.next.filter(|_| is_compiled)?,
            constraints: formulas(&model.constraints),
            invariants: properties(&system.invariants),
            action_constraints: formulas(&model.action_constraints),
            steps: properties(&system.steps),
            // A search for temporal properties goes on without the view.
            viewed: system.view.and(system.viewed.as_deref()),
            view,
            symmetry: &system.symmetry,
            memory_bytes: system.compiled_bytes,
            evaluators: system.evaluators,
            disagreement: &system.disagreement,
            layouts: system.layouts,
            log: &system.compilation,
        };
        Some(Self {
            formulas,
            forms: None,
            learned: 0,
            machine: None,
            packing: Packing::default(),
            is_enabled: true,
            log: CompilationLog::default(),
            sample: sample(system),
            drawn: DrawnStates::default(),
            level: 0,
            is_compared: system.evaluators == Evaluators::Both,
            initial: None,
            views: Vec::new(),
            disturbances: 0,
        })
    }

    /// Makes the code for a layout, with the values of the code before or with none.
    fn compile(&mut self, worker: &mut Evaluator<'m>, forms: Vec<Form>, store: Option<ValueStore>) {
        self.sample.start();
        let mut store = store.unwrap_or_else(|| {
            // It knows words of the store before.
            self.packing = Packing::default();
            ValueStore::default()
        });
        let program = worker.program();
        let layout = CellLayout::new(forms, self.formulas.viewed, &mut store);
        let mut make = |formula: Formula, purpose, worker: &mut Evaluator<'m>| {
            let compiled = compile(
                program,
                BoundOperator::from(formula),
                purpose,
                &layout,
                &mut store,
                worker,
            );
            let (code, reasons) = match compiled {
                Ok((code, reasons)) => (Some(code), reasons),
                Err(reason) => (None, vec![reason]),
            };
            self.log.add_places(&reasons, program);
            code
        };
        let (action, purpose) = match self.initial {
            None => (self.formulas.next, Purpose::Action),
            Some(_) => (self.formulas.init, Purpose::Initial),
        };
        // Under SYMMETRY the evaluator computes the views.
        let view = self.formulas.view.filter(|_| self.formulas.symmetry.is_trivial());
        let view = view.map(|view| make(view, Purpose::Value, worker));
        let (Some(action), None | Some(Some(_))) = (make(action, purpose, worker), &view) else {
            self.is_enabled = false;
            return;
        };
        let numbered = self.formulas.numbered();
        let mut codes: Vec<Code<'m>> = Vec::with_capacity(numbered.len() + 1);
        for (formula, is_step) in numbered {
            let purpose = if is_step { Purpose::Step } else { Purpose::State };
            codes.push(make(formula, purpose, worker).unwrap_or_else(Code::not_compiled));
        }
        // The view is the last formula.
        codes.extend(view.flatten());
        if self.initial.is_none() {
            self.log.made += 1;
            self.log.instructions = action.instructions.len();
        }
        self.machine = Some(Machine::new(store, layout, vec![action], codes));
    }

    /// Reads a state of this level and computes its successors; the length of its encoding.
    fn run(&mut self, worker: &mut Evaluator<'m>, encoded: &[u8], level: u32) -> Option<Result<usize, Trap>> {
        let machine = self.machine.as_mut()?;
        set_level(level);
        let (store, layout, cells) = machine.input();
        let read = self.packing.read(encoded, layout, store, cells);
        let run = read.and_then(|length| machine.successors(NEXT, worker).map(|_| length));
        let is_viewed = self.formulas.view.is_some();
        Some(run.and_then(|length| match is_viewed {
            true => self.see(worker, level).map(|()| length),
            false => Ok(length),
        }))
    }

    /// Evaluates the VIEW of the successors.
    fn see(&mut self, worker: &mut Evaluator<'m>, level: u32) -> Result<(), Trap> {
        self.views.clear();
        let number = self.formulas.numbered().len();
        let Some(machine) = &mut self.machine else {
            return Ok(());
        };
        set_level(level + 1);
        for successor in 0..machine.found().len() {
            let seen = match self.formulas.view {
                // Images are values, and so are their views.
                Some(view) if !self.formulas.symmetry.is_trivial() => {
                    let state = machine.values(successor);
                    least_view(worker, view, self.formulas.symmetry, &state).map_err(|_| Trap::NotCompiled)?
                }
                _ => {
                    let value = machine.value_of(number, successor, worker)?;
                    Fingerprint::of_hashes(std::iter::once(machine.store.hash(value)))
                }
            };
            self.views.push(seen);
        }
        Ok(())
    }

    /// Whether the values take more memory than they may.
    fn is_full(&self) -> bool {
        self.machine.as_ref().is_some_and(|machine| {
            machine.heap_bytes() + self.packing.heap_bytes() > self.formulas.memory_bytes
        })
    }

    /// Makes the code anew where a value does not fit the layout, or where the store is full.
    fn adapt(&mut self, worker: &mut Evaluator<'m>, trap: Option<Trap>) {
        let Some(machine) = self.machine.take() else {
            return;
        };
        let (forms, store) = match trap {
            Some(Trap::Layout(node)) => (machine.layout().widened(node), Some(machine.into_store())),
            _ => (machine.layout().forms().to_vec(), None),
        };
        self.compile(worker, forms, store);
    }
}

impl<'m> CompiledExpansion<Evaluator<'m>, Box<Failure>> for CompiledSystem<'_, 'm> {
    fn learn(&mut self, worker: &mut Evaluator<'m>, state: &State) {
        self.log.interpreted += 1;
        if self.machine.is_some() || !self.is_enabled {
            return;
        }
        let forms = state.iter().map(|value| self.formulas.layouts.form(value));
        self.forms = Some(match self.forms.take() {
            None => forms.collect(),
            Some(known) => known
                .iter()
                .zip(forms)
                .map(|(known, form)| known.meet(&form))
                .collect(),
        });
        self.learned += 1;
        if self.learned == self.formulas.states_learned()
            && let Some(forms) = self.forms.take()
        {
            self.compile(worker, forms, None);
        }
    }

    fn expand(&mut self, worker: &mut Evaluator<'m>, encoded: &[u8], level: u32) -> Option<usize> {
        if !self.is_enabled {
            return None;
        }
        // Looked at now and then, because making the code anew has to pay.
        const STATES_BETWEEN: u64 = 1 << 12;
        if self.log.compiled % STATES_BETWEEN == STATES_BETWEEN - 1 && self.is_full() {
            self.adapt(worker, None);
        }
        self.start_at_once(worker, encoded);
        self.disturb(worker, encoded);
        let length = match self.run(worker, encoded, level)? {
            Ok(length) => length,
            Err(trap) => {
                self.log.given_up += 1;
                // Code that mostly traps does every piece of work twice.
                if self.log.given_up >= TRIAL && self.log.given_up > self.log.compiled {
                    self.is_enabled = false;
                    self.machine = None;
                } else if let Trap::Layout(_) = trap {
                    self.adapt(worker, Some(trap));
                }
                return None;
            }
        };
        self.log.compiled += 1;
        self.level = level;
        let found = self.machine.as_ref().map_or(&[][..], Machine::found);
        self.is_compared = self
            .sample
            .takes(found.iter().map(|successor| successor.action as usize));
        if self.is_compared {
            let start = Instant::now();
            let is_same = self.compare(worker, encoded, level);
            self.sample.add(start.elapsed());
            if !is_same {
                return None;
            }
        }
        if !self.is_compared {
            self.drawn.offer(&encoded[..length], level);
        }
        Some(length)
    }

    fn finish(&mut self, worker: &mut Evaluator<'m>) {
        self.compare_drawn(worker);
    }

    fn initial_sample(&self) -> Option<usize> {
        let is_compiled = self.is_enabled && self.formulas.compiles_initial;
        is_compiled.then(|| self.formulas.states_learned())
    }

    fn start_initial(&mut self, worker: &mut Evaluator<'m>, sample: &[State]) {
        self.start_enumeration(worker, sample);
    }

    fn next_initial(&mut self, worker: &mut Evaluator<'m>, passed: u64) -> Option<InitialPart> {
        self.next_part(worker, passed)
    }

    fn end_initial(&mut self) {
        self.end_enumeration();
    }

    fn len(&self) -> usize {
        let found = self.machine.as_ref().map_or(0, |machine| machine.found().len());
        match self.formulas.layouts {
            Layouts::LosesSteps if self.initial.is_none() => found.saturating_sub(1),
            _ => found,
        }
    }

    fn action(&self, successor: usize) -> usize {
        match &self.machine {
            Some(machine) if machine.found()[successor].action != u32::MAX => {
                machine.found()[successor].action as usize
            }
            _ => usize::MAX,
        }
    }

    fn fingerprint(&mut self, successor: usize) -> Fingerprint {
        let Some(machine) = &mut self.machine else {
            return Fingerprint::new(0);
        };
        if self.formulas.view.is_some() {
            return self.views[successor];
        }
        if self.formulas.symmetry.is_trivial() {
            return Fingerprint::of_sum(machine.found()[successor].sum);
        }
        let state = machine.values(successor);
        match self.formulas.viewed {
            None => self.formulas.symmetry.fingerprint(&state),
            Some(viewed) => {
                let seen: Vec<_> = viewed
                    .iter()
                    .map(|variable| state[*variable as usize].clone())
                    .collect();
                self.formulas.symmetry.fingerprint(&seen)
            }
        }
    }

    fn values_hash(&self, successor: usize) -> Option<Fingerprint> {
        // With a VIEW that is a tuple of variables, the sum is over these.
        let machine = self.machine.as_ref().filter(|_| self.formulas.viewed.is_none())?;
        Some(Fingerprint::of_sum(machine.found()[successor].sum))
    }

    fn satisfies_state_constraints(
        &mut self,
        worker: &mut Evaluator<'m>,
        successor: usize,
        level: u32,
    ) -> Result<bool, Box<Failure>> {
        set_level(level);
        for number in 0..self.formulas.constraints.len() {
            let formula = self.formulas.constraints[number];
            if !self.holds(worker, (number, formula, false), successor)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn satisfies_action_constraints(
        &mut self,
        worker: &mut Evaluator<'m>,
        successor: usize,
        level: u32,
    ) -> Result<bool, Box<Failure>> {
        set_level(level);
        let before = self.formulas.constraints.len() + self.formulas.invariants.len();
        for number in 0..self.formulas.action_constraints.len() {
            let formula = self.formulas.action_constraints[number];
            if !self.holds(worker, (before + number, formula, true), successor)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn violated_invariant(
        &mut self,
        worker: &mut Evaluator<'m>,
        successor: usize,
        level: u32,
        first: usize,
    ) -> Result<Option<usize>, Box<Failure>> {
        set_level(level);
        let Some(machine) = &self.machine else {
            return Ok(None);
        };
        let changed = machine.changed(successor);
        let before = self.formulas.constraints.len();
        for index in first..self.formulas.invariants.len() {
            // The state before satisfies the invariants, or the search has ended or listed them. So does this one, as far as it is the same.
            // Initial states are compared with the first of them, of which that is true, too.
            // An invariant that reads everything may read more than the state.
            let reads = self
                .machine
                .as_ref()
                .map_or(u64::MAX, |machine| machine.reads(before + index));
            let is_affected = reads & changed != 0 || reads == u64::MAX;
            if is_affected || self.is_compared {
                let formula = self.formulas.invariants[index];
                if !self.is_satisfied(worker, (before + index, formula, false), successor)? {
                    return Ok(Some(index));
                }
            }
        }
        Ok(None)
    }

    fn violated_step_property(
        &mut self,
        worker: &mut Evaluator<'m>,
        successor: usize,
        level: u32,
        first: usize,
    ) -> Result<Option<usize>, Box<Failure>> {
        set_level(level - 1);
        let formulas = &self.formulas;
        let before =
            formulas.constraints.len() + formulas.invariants.len() + formulas.action_constraints.len();
        for index in first..self.formulas.steps.len() {
            let formula = self.formulas.steps[index];
            if !self.is_satisfied(worker, (before + index, formula, true), successor)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn is_deadlock(&mut self, worker: &mut Evaluator<'m>) -> Result<bool, Box<Failure>> {
        self.confirm_deadlock(worker)
    }

    fn encode(&mut self, successor: usize, out: &mut Vec<u8>) {
        if let Some(machine) = &mut self.machine {
            let (cells, layout, store) = machine.cells(successor);
            self.packing.write(cells, layout, store, out);
        }
    }

    fn state(&mut self, successor: usize) -> State {
        match &mut self.machine {
            Some(machine) => machine.values(successor),
            None => State::from([]),
        }
    }
}

impl Drop for CompiledSystem<'_, '_> {
    fn drop(&mut self) {
        let log = self.formulas.log.lock();
        log.unwrap_or_else(PoisonError::into_inner).add(&self.log);
    }
}
