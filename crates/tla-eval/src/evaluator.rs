//! The evaluator: its state, its caches and its entry points.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use omnilink_memory::guard;
use omnilink_tla_ir::native::Native;
use omnilink_tla_ir::{Formula, Kind, Loc, Node, OperatorId, Program};
use omnilink_value::Value;

use super::common_prefix::CommonPrefix;
use super::datum::Datum;
use super::error::{ErrorClass, Failure, Outcome};
use super::explain::FalseSubformula;
use super::memo::Memo;
use super::native;
use super::passage::Passage;
use super::session::Session;
use super::slot::Slot;
use super::successors::TakenAction;

/// The value of every variable.
pub type State = Arc<[Value]>;

/// Evaluations of each operator, in the order of [`Program::operators`].
pub type EvaluationCounts = Arc<[AtomicU64]>;

/// Stack that a worker may use before recursion counts as infinite. See [`omnilink_tla_syntax::deep_stack`] for its size.
const STACK_MAX: usize = omnilink_tla_syntax::deep_stack::STACK_BYTES / 4 * 3;

/// Evaluates a program. Each worker has its own.
pub struct Evaluator<'p> {
    pub(crate) program: &'p Program,
    pub(crate) session: &'p dyn Session,
    pub(crate) slots: Vec<Slot<'p>>,
    pub(crate) base: usize,
    /// The current state; empty if there is none.
    pub(crate) state: State,
    /// Changes with the current state. Tags the entries of `per_state`.
    pub(crate) generation: u64,
    last_generation: u64,
    /// The next state, as far as it is assigned.
    pub(crate) next: Vec<Value>,
    /// Which variables are assigned in it.
    pub(crate) is_assigned: Vec<bool>,
    pub(crate) unassigned: usize,
    /// Whether a formula about a complete step is being evaluated.
    pub(crate) is_step_formula: bool,
    /// The variables that nothing depends on: see [`ignore_variables`](Self::ignore_variables).
    pub(crate) is_ignored: Vec<bool>,
    /// Whether variables refer to the next state: inside [`omnilink_tla_ir::Kind::Prime`].
    pub(crate) primed: bool,
    /// The action whose conjuncts are being evaluated, and its frame.
    pub(crate) taken: Option<TakenAction>,
    pub(crate) once: Vec<Option<Datum<'p>>>,
    pub(crate) per_state: Vec<(u64, Option<Datum<'p>>)>,
    stack_start: usize,
    /// Counts calls and elements, to check the time limit at intervals.
    ticks: u32,
    /// Number of evaluations of each operator, if they are counted.
    pub(crate) coverage: Option<EvaluationCounts>,
    /// The conjuncts that disable the branches of an action, if they are collected.
    pub(crate) refusals: Option<Vec<FalseSubformula>>,
    /// The definition that steps must go through, if that is asked for.
    pub(crate) passage: Option<Box<Passage>>,
    /// The memo, if it is enabled.
    pub(crate) memo: Option<Box<Memo>>,
    /// Whether reads are logged for the memo.
    pub(crate) is_logging: bool,
    /// The sequences whose prefixes were compared last.
    pub(crate) common_prefix: Option<CommonPrefix>,
    /// The constant that is being evaluated, and the number of random values that it has drawn.
    constant: Option<(u64, u64)>,
    /// The expressions that have been warned about.
    warned: Vec<Loc>,
}

#[cold]
fn used_up() -> Box<Failure> {
    Failure::new(
        ErrorClass::Resource,
        "evaluation was stopped: the time, the memory or the steps that it may take are used up",
    )
}

impl<'p> Evaluator<'p> {
    /// Creates an evaluator. It recurses as deep as expressions do: create and use it inside
    /// [`omnilink_tla_syntax::deep_stack::run`].
    pub fn new(program: &'p Program, session: &'p dyn Session) -> Self {
        let marker = 0u8;
        Self {
            program,
            session,
            slots: Vec::with_capacity(1024),
            base: 0,
            state: Arc::from([]),
            generation: 1,
            last_generation: 1,
            next: vec![Value::bool(false); program.variables.len()],
            is_assigned: vec![false; program.variables.len()],
            unassigned: program.variables.len(),
            is_step_formula: false,
            is_ignored: vec![false; program.variables.len()],
            primed: false,
            taken: None,
            once: vec![None; program.once_cells as usize],
            per_state: vec![(0, None); program.state_cells as usize],
            stack_start: std::ptr::from_ref(&marker) as usize,
            ticks: 0,
            coverage: None,
            refusals: None,
            passage: None,
            memo: None,
            is_logging: false,
            common_prefix: None,
            constant: None,
            warned: Vec::new(),
        }
    }

    /// Warns about an expression, once.
    pub(crate) fn warn(&mut self, at: Loc, warning: impl FnOnce(&Self) -> String) {
        if self.warned.contains(&at) {
            return;
        }
        self.warned.push(at);
        let place = self.program.sources.get(at.source).place(at.span.start);
        let warning = warning(self);
        self.session.warn(&format!("{place}: {warning}"));
    }

    /// Leaves some variables as they are in every step from now on: what is assigned to them is not evaluated.
    ///
    /// That changes nothing else if nothing depends on them: see [`Layout`](crate::Layout).
    pub fn ignore_variables(&mut self, variables: &[u32]) {
        for variable in variables {
            self.is_ignored[*variable as usize] = true;
        }
    }

    /// Counts the evaluations of each operator from now on. What the memo answers is not evaluated, so it is not counted. Several
    /// evaluators may share the counters.
    pub fn count_in(&mut self, coverage: &EvaluationCounts) {
        self.coverage = Some(coverage.clone());
    }

    /// Counts an evaluation of an operator.
    #[inline]
    pub(crate) fn count(&self, operator: u32) {
        if let Some(coverage) = &self.coverage
            && let Some(evaluations) = coverage.get(operator as usize)
        {
            evaluations.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Makes a state the current one.
    pub fn set_state(&mut self, state: &State) {
        if !Arc::ptr_eq(&self.state, state) {
            self.state = state.clone();
            self.invalidate_state_caches();
        }
    }

    /// Invalidates the values cached for the current state, for example because registers have changed.
    pub fn invalidate_state_caches(&mut self) {
        self.last_generation += 1;
        self.generation = self.last_generation;
    }

    /// Sets the next state, fully assigned.
    pub fn set_next(&mut self, next: &[Value]) {
        self.next.clear();
        self.next.extend(next.iter().cloned());
        self.is_assigned.fill(true);
        self.unassigned = 0;
    }

    /// Makes the next state fully unassigned.
    pub fn clear_next(&mut self) {
        self.is_assigned.fill(false);
        self.unassigned = self.is_assigned.len();
        self.next.resize(self.is_assigned.len(), Value::bool(false));
    }

    /// The canonical value of a formula in the current states.
    pub fn value(&mut self, formula: Formula) -> Outcome<Value> {
        let datum = self.datum(formula)?;
        self.canonical(datum)
    }

    /// The value of a formula, possibly lazy.
    pub fn datum(&mut self, formula: Formula) -> Outcome<Datum<'p>> {
        self.enter(formula, |this, body| this.eval(body))
    }

    /// The value of a formula as text.
    pub fn shown(&mut self, formula: Formula) -> Outcome<String> {
        let datum = self.datum(formula)?;
        self.text(&datum)
    }

    /// Whether a formula holds in the current states.
    pub fn truth(&mut self, formula: Formula) -> Outcome<bool> {
        self.enter(formula, |this, body| this.bool(body))
    }

    /// Whether a formula holds in a state.
    pub fn holds(&mut self, formula: Formula, state: &State) -> Outcome<bool> {
        self.set_state(state);
        self.truth(formula)
    }

    /// Whether a formula holds for a step.
    pub fn holds_step(&mut self, formula: Formula, from: &State, to: &[Value]) -> Outcome<bool> {
        self.set_state(from);
        self.set_next(to);
        self.is_step_formula = true;
        let holds = self.truth(formula);
        self.is_step_formula = false;
        holds
    }

    /// The value of an operation for given arguments in the current states.
    pub fn value_with(&mut self, operation: OperatorId, arguments: &[Value]) -> Outcome<Value> {
        self.enter_with(operation, arguments, |this, body| {
            let datum = this.eval(body)?;
            this.canonical(datum)
        })
    }

    /// Whether an operation holds for given arguments in the current states.
    pub fn holds_with(&mut self, operation: OperatorId, arguments: &[Value]) -> Outcome<bool> {
        self.enter_with(operation, arguments, |this, body| this.bool(body))
    }

    /// The canonical value of an expression in the current state, in a frame of this size with some slots bound.
    pub fn value_in_frame(
        &mut self,
        node: &'p Node,
        frame: usize,
        slots: impl IntoIterator<Item = (u32, Value)>,
    ) -> Outcome<Value> {
        let saved = self.push_frame(frame);
        for (slot, value) in slots {
            self.bind(slot, value);
        }
        let value = self.eval(node).and_then(|datum| self.canonical(datum));
        self.pop_frame(saved);
        value
    }

    /// The value of a native operator for some values.
    pub fn native_of_values(&mut self, native: Native, operands: &[Value]) -> Outcome<Value> {
        let datum = native::apply_to_values(self, native, operands)?;
        self.canonical(datum)
    }

    /// The canonical value of an expression that depends on nothing but some slots, in a frame of this size; `None` if it has none, or is
    /// a set or function with more elements.
    pub fn listed_constant(
        &mut self,
        node: &'p Node,
        frame: usize,
        slots: impl IntoIterator<Item = (u32, Value)>,
        elements_max: usize,
    ) -> Option<Value> {
        let saved = self.push_frame(frame);
        for (slot, value) in slots {
            self.bind(slot, value);
        }
        let datum = self.eval(node);
        let value = datum.ok().and_then(|datum| self.listed(datum, elements_max));
        self.pop_frame(saved);
        value
    }

    fn listed(&mut self, datum: Datum<'p>, elements_max: usize) -> Option<Value> {
        if let Datum::Lazy(_) = &datum {
            let elements = if datum.is_set() {
                datum.clone()
            } else {
                self.domain(&datum).ok()?
            };
            if !self.is_enumerable(&elements) || self.cardinality(&elements).ok()? > elements_max as i64 {
                return None;
            }
        }
        self.canonical(datum).ok()
    }

    /// Runs in a new frame for the operator of a formula.
    pub(crate) fn enter<T>(
        &mut self,
        formula: Formula,
        run: impl FnOnce(&mut Self, &'p Node) -> Outcome<T>,
    ) -> Outcome<T> {
        self.enter_with(formula.operation(), &[], run)
    }

    /// Runs in a new frame for an operation with its parameters bound. Missing arguments stay unbound.
    pub(crate) fn enter_with<T>(
        &mut self,
        operation: OperatorId,
        arguments: &[Value],
        run: impl FnOnce(&mut Self, &'p Node) -> Outcome<T>,
    ) -> Outcome<T> {
        let program = self.program;
        let operator = program.operator(operation.formula());
        let saved = self.push_frame(operator.slots.len());
        for (slot, argument) in (0..operation.params() as u32).zip(arguments) {
            self.bind(slot, argument.clone());
        }
        let result = run(self, &operator.body);
        self.pop_frame(saved);
        result.map_err(|mut failure| {
            failure.called(&operator.name, operator.body.at);
            failure
        })
    }

    /// Counts a unit of work. Checks the time limit once per few thousand.
    #[inline]
    pub(crate) fn tick(&mut self) -> Outcome<()> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(1 << 6) {
            self.check_limits()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn check_limits(&self) -> Outcome<()> {
        if guard::is_over() || self.ticks.is_multiple_of(1 << 12) && self.session.is_over() {
            return Err(used_up());
        }
        Ok(())
    }

    /// Fails if there is no room for a value of this many elements, which are copied once more when it is complete.
    #[inline]
    pub(crate) fn check_room(&self, elements: usize) -> Outcome<()> {
        if guard::has_room(elements.saturating_mul(2 * size_of::<Value>())) {
            Ok(())
        } else {
            Err(used_up())
        }
    }

    /// Evaluates a constant and caches its value.
    pub(crate) fn evaluate_once(&mut self, cell: u32, inner: &'p Node) -> Outcome<Datum<'p>> {
        // The source location identifies the constant, which may have several cells, one for each way in which it is used.
        let at = match &inner.kind {
            Kind::Call(call) => self.program.operators[call.operator as usize].body.at,
            _ => inner.at,
        };
        let place = u64::from(at.source.0) << 32 | u64::from(at.span.start);
        let outer = self.constant.replace((place, 0));
        let datum = self.eval(inner);
        self.constant = outer;
        let datum = datum?;
        self.once[cell as usize] = Some(datum.clone());
        Ok(datum)
    }

    /// A random word.
    pub(crate) fn random(&mut self) -> u64 {
        match &mut self.constant {
            Some((constant, draw)) => {
                *draw += 1;
                self.session.random_of_constant(*constant, *draw)
            }
            None => self.session.random(),
        }
    }

    /// Fails before the stack overflows, and when the time limit is reached.
    #[inline]
    pub(crate) fn check_stack(&mut self) -> Outcome<()> {
        self.tick()?;
        let marker = 0u8;
        let here = std::ptr::from_ref(&marker) as usize;
        if self.stack_start.abs_diff(here) > STACK_MAX {
            return Err(Failure::new(
                ErrorClass::Recursion,
                "the recursion is too deep, or does not end: the stack is used up",
            ));
        }
        Ok(())
    }

    /// Runs with variables referring to the next state.
    pub(crate) fn in_next<T>(&mut self, run: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.primed {
            return Err(super::error::type_error("a prime inside a prime has no meaning"));
        }
        self.primed = true;
        let result = run(self);
        self.primed = false;
        result
    }

    /// A short text of a value, for messages.
    pub(crate) fn short(&self, datum: &Datum<'p>) -> String {
        const SHOWN: usize = 200;
        super::print::shortened(super::print::show(self.program, datum), SHOWN)
    }
}

impl std::fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluator")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

const _: () = assert!(size_of::<Outcome<Datum<'_>>>() == 16);
