//! The evaluator: frames, slots, caches and the states at hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use omnilink_tla_ir::{Argument, Call, Formula, Kind, Loc, Node, Operation, Program};
use omnilink_value::Value;

use super::datum::Datum;
use super::error::{ErrorClass, Failure, Outcome};
use super::explain::FalsePart;
use super::recall::Memory;
use super::session::Session;
use super::slot::{Closure, SharedThunk, Slot};
use super::step::Taken;

/// The value of every variable.
pub type State = Arc<[Value]>;

/// Evaluations of each operator, in the order of [`Program::operators`].
pub type Coverage = Arc<[AtomicU64]>;

/// Stack that a worker may use before recursion is called endless. See [`omnilink_tla_syntax::deep_stack`] for how much there is.
const STACK_MAX: usize = omnilink_tla_syntax::deep_stack::STACK_BYTES / 4 * 3;

/// Evaluates a program. One for each worker.
pub struct Evaluator<'p> {
    pub(crate) program: &'p Program,
    pub(crate) session: &'p dyn Session,
    pub(crate) slots: Vec<Slot<'p>>,
    pub(crate) base: usize,
    /// The current state; empty while there is none.
    pub(crate) state: State,
    /// Changes whenever the current state does.
    pub(crate) generation: u64,
    last_generation: u64,
    /// The next state as far as it is known.
    pub(crate) next: Vec<Value>,
    /// Which variables have a value in it.
    pub(crate) known: Vec<bool>,
    pub(crate) unassigned: usize,
    /// Whether variables are those of the next state: inside [`omnilink_tla_ir::Kind::Prime`].
    pub(crate) primed: bool,
    /// The action whose conjuncts are being evaluated, and its frame.
    pub(crate) taken: Option<Taken>,
    pub(crate) once: Vec<Option<Datum<'p>>>,
    pub(crate) per_state: Vec<(u64, Option<Datum<'p>>)>,
    stack_start: usize,
    /// Counts calls and elements, to ask now and then whether to go on.
    ticks: u32,
    /// Evaluations of each operator, when coverage is asked for.
    pub(crate) coverage: Option<Coverage>,
    /// What stopped the branches of an action, when that is asked for.
    pub(crate) refusals: Option<Vec<FalsePart>>,
    /// What is remembered of earlier evaluations, when that is asked for.
    pub(crate) memory: Option<Box<Memory>>,
    /// Whether what is looked at is noted in the memory's log.
    pub(crate) logging: bool,
    /// The constant that is being evaluated once and for all, and how often it has drawn at random.
    constant: Option<(u64, u64)>,
}

impl<'p> Evaluator<'p> {
    /// An evaluator for a program. It recurses as deep as the expressions do: create and use it inside
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
            known: vec![false; program.variables.len()],
            unassigned: program.variables.len(),
            primed: false,
            taken: None,
            once: vec![None; program.once_cells as usize],
            per_state: vec![(0, None); program.state_cells as usize],
            stack_start: std::ptr::from_ref(&marker) as usize,
            ticks: 0,
            coverage: None,
            refusals: None,
            memory: None,
            logging: false,
            constant: None,
        }
    }

    /// Counts from now on how often each operator is evaluated, together with others who count in the same place.
    pub fn count_in(&mut self, coverage: &Coverage) {
        self.coverage = Some(coverage.clone());
    }

    /// One more evaluation of an operator.
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
            self.forget_state();
        }
    }

    /// Forgets what was found out about the current state: registers have changed.
    pub fn forget_state(&mut self) {
        self.last_generation += 1;
        self.generation = self.last_generation;
    }

    /// Makes a state the next one, wholly known.
    pub fn set_next(&mut self, next: &[Value]) {
        self.next.clear();
        self.next.extend(next.iter().cloned());
        self.known.fill(true);
        self.unassigned = 0;
    }

    /// Makes the next state wholly unknown.
    pub fn clear_next(&mut self) {
        self.known.fill(false);
        self.unassigned = self.known.len();
        self.next.resize(self.known.len(), Value::bool(false));
    }

    /// The value of a formula, in canonical form, in the states that are set.
    pub fn value(&mut self, formula: Formula) -> Outcome<Value> {
        let datum = self.datum(formula)?;
        self.canonical(datum)
    }

    /// The value of a formula, perhaps only described.
    pub fn datum(&mut self, formula: Formula) -> Outcome<Datum<'p>> {
        self.enter(formula, |this, body| this.eval(body))
    }

    /// The value of a formula as text.
    pub fn shown(&mut self, formula: Formula) -> Outcome<String> {
        let datum = self.datum(formula)?;
        self.text(&datum)
    }

    /// Whether a formula holds in the states that are set.
    pub fn truth(&mut self, formula: Formula) -> Outcome<bool> {
        self.enter(formula, |this, body| this.bool(body))
    }

    /// Whether a formula holds in a state.
    pub fn holds(&mut self, formula: Formula, state: &State) -> Outcome<bool> {
        self.set_state(state);
        self.truth(formula)
    }

    /// Whether a formula holds of a step.
    pub fn holds_step(&mut self, formula: Formula, from: &State, to: &[Value]) -> Outcome<bool> {
        self.set_state(from);
        self.set_next(to);
        self.truth(formula)
    }

    /// The value of an operation for given arguments, in the states that are set.
    pub fn value_with(&mut self, operation: Operation, arguments: &[Value]) -> Outcome<Value> {
        self.enter_with(operation, arguments, |this, body| {
            let datum = this.eval(body)?;
            this.canonical(datum)
        })
    }

    /// Whether an operation holds for given arguments, in the states that are set.
    pub fn holds_with(&mut self, operation: Operation, arguments: &[Value]) -> Outcome<bool> {
        self.enter_with(operation, arguments, |this, body| this.bool(body))
    }

    /// Runs with a fresh frame for the operator of a formula.
    pub(crate) fn enter<T>(
        &mut self,
        formula: Formula,
        run: impl FnOnce(&mut Self, &'p Node) -> Outcome<T>,
    ) -> Outcome<T> {
        self.enter_with(formula.operation(), &[], run)
    }

    /// Runs with a fresh frame for an operation, its parameters bound. Arguments that are missing have no value.
    pub(crate) fn enter_with<T>(
        &mut self,
        operation: Operation,
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

    /// A new frame on top; gives what is needed to return.
    pub(crate) fn push_frame(&mut self, size: usize) -> usize {
        let saved = self.base;
        self.base = self.slots.len();
        self.slots.resize_with(self.base + size, Slot::default);
        saved
    }

    /// The frame of a call, its slots filled with what the frame of the caller gives. It becomes the current one when `base`
    /// is set to what this gives.
    #[inline]
    pub(crate) fn fill_frame(&mut self, call: &'p Call) -> Outcome<usize> {
        let program = self.program;
        let new = self.slots.len();
        let size = program.operators[call.operator as usize].slots.len();
        self.slots.resize_with(new + size, Slot::default);
        for (slot, argument) in &call.arguments {
            match self.argument(argument) {
                Ok(content) => self.slots[new + *slot as usize] = content,
                Err(failure) => {
                    self.slots.truncate(new);
                    return Err(failure);
                }
            }
        }
        Ok(new)
    }

    pub(crate) fn pop_frame(&mut self, saved: usize) {
        self.slots.truncate(self.base);
        self.base = saved;
    }

    /// One step of what may take long: every few thousand, the session is asked whether to go on.
    #[inline]
    pub(crate) fn tick(&mut self) -> Outcome<()> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(1 << 12) {
            self.check_time()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn check_time(&self) -> Outcome<()> {
        if self.session.is_over() {
            return Err(Failure::new(
                ErrorClass::Resource,
                "evaluation was stopped: the time or the steps that it may take are used up",
            ));
        }
        Ok(())
    }

    /// The value of a constant, evaluated the first time it is needed.
    pub(crate) fn evaluate_once(&mut self, cell: u32, inner: &'p Node) -> Outcome<Datum<'p>> {
        // The place names the constant: it may have several cells, one for each way in which it is used.
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

    /// Stops recursion before the stack is used up, and evaluation when it is to stop.
    #[inline]
    pub(crate) fn check_stack(&mut self) -> Outcome<()> {
        self.tick()?;
        let marker = 0u8;
        let here = std::ptr::from_ref(&marker) as usize;
        if self.stack_start.abs_diff(here) > STACK_MAX {
            return Err(Failure::new(
                ErrorClass::Recursion,
                "the recursion does not end: the stack is used up",
            ));
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn slot(&self, slot: u32) -> &Slot<'p> {
        &self.slots[self.base + slot as usize]
    }

    #[inline]
    pub(crate) fn set_slot(&mut self, slot: u32, content: Slot<'p>) {
        let at = self.base + slot as usize;
        self.slots[at] = content;
    }

    #[inline]
    pub(crate) fn bind(&mut self, slot: u32, value: Value) {
        self.set_slot(slot, Slot::Datum(Datum::Value(value)));
    }

    /// What a name stands for.
    pub(crate) fn local(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        let at = self.base + slot as usize;
        if self.logging {
            return self.local_noted(slot);
        }
        self.local_value(at)
    }

    /// What a name stands for, noted. What is looked at to find out follows from it.
    #[inline(never)]
    fn local_noted(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        let at = self.base + slot as usize;
        if self.primed && !matches!(self.slots[at], Slot::Datum(_)) {
            self.note_which(slot);
            return self.local_value(at);
        }
        let look = self.note_slot(slot);
        self.on_account_of(look, |this| this.local_value(at))
    }

    fn local_value(&mut self, at: usize) -> Outcome<Datum<'p>> {
        let (node, base, keep) = match &self.slots[at] {
            Slot::Datum(datum) => return Ok(datum.clone()),
            Slot::Thunk {
                value: Some(value), ..
            } if !self.primed => return Ok(value.clone()),
            Slot::Thunk { node, base, keep, .. } => (*node, *base, *keep),
            Slot::Shared(shared) => {
                if !self.primed
                    && let Some(value) = shared.value.get()
                {
                    return Ok(value.clone());
                }
                let shared = shared.clone();
                let datum = self.in_frame(shared.base, |this| this.eval(shared.node))?;
                if !self.primed {
                    return Ok(shared.value.get_or_init(|| datum).clone());
                }
                return Ok(datum);
            }
            Slot::Operator(_) => {
                return Err(super::error::type_error("an operator is used as a value"));
            }
            Slot::Empty => {
                return Err(Failure::new(
                    ErrorClass::Undefined,
                    "a name is used before it has a value",
                ));
            }
        };
        let datum = self.in_frame(base, |this| this.eval(node))?;
        if keep
            && !self.primed
            && let Slot::Thunk { value, .. } = &mut self.slots[at]
        {
            *value = Some(datum.clone());
        }
        Ok(datum)
    }

    /// Runs in another frame that is still there.
    pub(crate) fn in_frame<T>(&mut self, base: u32, run: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let saved = std::mem::replace(&mut self.base, base as usize);
        let result = run(self);
        self.base = saved;
        result
    }

    /// What an argument puts into a slot. Evaluated in the frame of the caller.
    pub(crate) fn argument(&mut self, argument: &'p Argument) -> Outcome<Slot<'p>> {
        Ok(match argument {
            Argument::Value(node) => Slot::Datum(self.eval(node)?),
            Argument::Lazy(node) => Slot::Thunk {
                node,
                base: self.base as u32,
                keep: true,
                value: None,
            },
            Argument::ByName(node) => Slot::Thunk {
                node,
                base: self.base as u32,
                keep: false,
                value: None,
            },
            Argument::Slot(slot) => self.share(*slot),
            Argument::Operator(operator, captures) => Slot::Operator(std::rc::Rc::new(Closure {
                operator: *operator,
                captures: self.captured(captures)?,
            })),
        })
    }

    fn captured(&mut self, captures: &'p [(u32, Argument)]) -> Outcome<Vec<(u32, Slot<'p>)>> {
        captures
            .iter()
            .map(|(slot, argument)| Ok((*slot, self.argument(argument)?)))
            .collect()
    }

    /// The content of a slot for another frame. What is not yet evaluated is shared from now on, so that it is evaluated
    /// once however many frames it goes to.
    pub(crate) fn share(&mut self, slot: u32) -> Slot<'p> {
        if self.logging {
            self.note_slot(slot);
        }
        let at = self.base + slot as usize;
        if let Slot::Thunk {
            node,
            base,
            keep: true,
            value,
        } = &mut self.slots[at]
        {
            let known = std::cell::OnceCell::new();
            if let Some(value) = value.take() {
                let _ = known.set(value);
            }
            self.slots[at] = Slot::Shared(std::rc::Rc::new(SharedThunk {
                node,
                base: *base,
                value: known,
            }));
        }
        self.slots[at].clone()
    }

    /// The content of a slot for something that outlives the frame: evaluated now.
    pub(crate) fn settle(&mut self, slot: u32) -> Outcome<Slot<'p>> {
        if self.logging {
            self.note_slot(slot);
        }
        match self.slot(slot) {
            Slot::Operator(closure) => {
                let closure = closure.clone();
                let captures = closure
                    .captures
                    .iter()
                    .map(|(slot, content)| Ok((*slot, self.settled(content.clone())?)))
                    .collect::<Outcome<Vec<_>>>()?;
                Ok(Slot::Operator(std::rc::Rc::new(Closure {
                    operator: closure.operator,
                    captures,
                })))
            }
            Slot::Empty => Ok(Slot::Empty),
            _ => Ok(Slot::Datum(self.local(slot)?)),
        }
    }

    fn settled(&mut self, content: Slot<'p>) -> Outcome<Slot<'p>> {
        let saved = self.push_frame(1);
        self.set_slot(0, content);
        let result = self.settle(0);
        self.pop_frame(saved);
        result
    }

    /// Applies an operator: its slots are filled by `fill`, which runs in the frame of the caller.
    pub(crate) fn apply_operator(
        &mut self,
        operator: u32,
        contents: impl IntoIterator<Item = (u32, Slot<'p>)>,
        at: Loc,
    ) -> Outcome<Datum<'p>> {
        self.check_stack().map_err(|failure| failure.at(at))?;
        let program = self.program;
        let target = &program.operators[operator as usize];
        self.count(operator);
        let saved = self.push_frame(target.slots.len());
        for (slot, content) in contents {
            self.set_slot(slot, content);
        }
        let result = self.eval(&target.body);
        let result = result.map_err(|failure| self.in_operator(failure, operator, at));
        self.pop_frame(saved);
        result
    }

    /// Adds the operator and its parameters to an error that leaves it.
    pub(crate) fn in_operator(&self, mut failure: Box<Failure>, operator: u32, at: Loc) -> Box<Failure> {
        let target = &self.program.operators[operator as usize];
        for slot in 0..target.params {
            if let Slot::Datum(datum)
            | Slot::Thunk {
                value: Some(datum), ..
            } = self.slot(slot)
            {
                let name = target.slots.get(slot as usize).map_or("", |name| name);
                failure.bind(name, || self.short(datum));
            }
        }
        failure.called(&target.name, at);
        failure
    }

    /// Applies an operator argument to values.
    pub fn apply_closure(&mut self, closure: &Closure<'p>, arguments: &[Datum<'p>]) -> Outcome<Datum<'p>> {
        let operator = &self.program.operators[closure.operator as usize];
        let at = operator.body.at;
        let parameters = (0..).zip(arguments.iter().cloned().map(Slot::Datum));
        let captures = closure.captures.iter().cloned();
        self.apply_operator(closure.operator, parameters.chain(captures), at)
    }

    /// Whether a value passes an operator argument that is a test.
    pub(crate) fn test(&mut self, test: &Closure<'p>, datum: &Datum<'p>, what: &str) -> Outcome<bool> {
        let result = self.apply_closure(test, std::slice::from_ref(datum))?;
        self.expect_bool(&result, what)
    }

    /// Runs with the next state in the place of the current one.
    pub(crate) fn in_next<T>(&mut self, run: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.primed {
            return Err(super::error::type_error("a prime inside a prime has no meaning"));
        }
        self.primed = true;
        let result = run(self);
        self.primed = false;
        result
    }

    /// A value in few words, for messages.
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
