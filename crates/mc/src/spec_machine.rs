//! A TLA+ spec as a machine.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use omnilink_evidence::Bindings;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Coverage, Evaluator, Exchange, Flow, Session, Successors, Taken};
use omnilink_tla::ir::{Formula, Loc, Program};
use omnilink_tla::model::{Check, CompiledSpec, NamedFormula};
use omnilink_value::Value;

use crate::fingerprint::Fingerprint;
use crate::machine::{FoundState, FoundStep, Machine, State};
use crate::report::ActionTaken;
use crate::session::{RunSession, set_level};
use crate::symmetry::Symmetry;

/// A formula that must hold, and what to call it.
#[derive(Clone, Debug)]
pub(crate) struct Required {
    pub(crate) name: String,
    pub(crate) formula: Formula,
}

/// A model, what is required of it, and the session in which it is evaluated.
#[derive(Debug)]
pub(crate) struct SpecMachine<'m> {
    pub(crate) model: &'m CompiledSpec,
    pub(crate) session: &'m RunSession<'m>,
    pub(crate) init: Formula,
    pub(crate) next: Option<Formula>,
    pub(crate) invariants: Vec<Required>,
    pub(crate) initials: Vec<Required>,
    pub(crate) steps: Vec<Required>,
    pub(crate) symmetry: Symmetry,
    pub(crate) checks_deadlock: bool,
    /// The memory that each searcher may use to remember evaluations.
    pub(crate) remembered_bytes: usize,
    /// The programs of the searchers after the first, each made by the thread that uses it.
    pub(crate) programs: &'m [OnceLock<Program>],
    /// Where searchers tell each other what they have learnt, if there are several.
    pub(crate) exchange: Option<Arc<Exchange>>,
    /// Where evaluations of definitions are counted.
    pub(crate) definitions: Option<Coverage>,
    /// How many states or steps have satisfied each of the formulas under `_POSSIBLE`.
    pub(crate) reached: Vec<AtomicU64>,
}

impl<'m> SpecMachine<'m> {
    pub(crate) fn new(
        model: &'m CompiledSpec,
        init: Formula,
        session: &'m RunSession<'m>,
        symmetry: Symmetry,
        checks_deadlock: bool,
    ) -> Self {
        let mut machine = Self {
            model,
            session,
            init,
            next: model.next,
            invariants: model.invariants.iter().map(required).collect(),
            initials: Vec::new(),
            steps: Vec::new(),
            symmetry,
            checks_deadlock,
            remembered_bytes: 0,
            programs: &[],
            exchange: None,
            definitions: None,
            reached: model.possible.iter().map(|_| AtomicU64::new(0)).collect(),
        };
        for property in &model.properties {
            let name = &property.name;
            for check in &property.checks {
                let (list, formula) = match check {
                    Check::Initial(formula) => (&mut machine.initials, *formula),
                    Check::Invariant(formula) => (&mut machine.invariants, *formula),
                    Check::Step(formula) => (&mut machine.steps, *formula),
                    Check::Liveness(_) => continue,
                };
                list.push(Required {
                    name: name.clone(),
                    formula,
                });
            }
        }
        machine
    }

    fn evaluator(&self, program: &'m Program) -> Evaluator<'m> {
        let mut evaluator = Evaluator::new(program, self.session);
        if let Some(definitions) = &self.definitions {
            evaluator.count_in(definitions);
        }
        evaluator
    }

    /// The formulas of `_POSSIBLE`, about states or about steps, and how often each was satisfied.
    fn possible(&self, is_step: bool) -> impl Iterator<Item = (Formula, &AtomicU64)> {
        let all = self.model.possible.iter().zip(&self.reached);
        all.filter(move |(possible, _)| possible.is_step == is_step)
            .map(|(possible, reached)| (possible.formula.formula, reached))
    }

    /// The register in which TLC keeps how often each formula of `_POSSIBLE` was satisfied.
    pub(crate) fn register_possible(&self) {
        if self.model.possible.is_empty() {
            return;
        }
        let names = self.model.possible.iter().map(|possible| &*possible.formula.name);
        let counts = self
            .reached
            .iter()
            .map(|count| Value::int(i64::try_from(count.load(Ordering::Relaxed)).unwrap_or(i64::MAX)));
        let counts = Value::record(names.zip(counts));
        self.session.set_register(&Value::str("s:_possible"), counts);
    }

    /// The first formula that does not hold in a state.
    fn first_false(
        worker: &mut Evaluator<'m>,
        formulas: &[Required],
        state: &State,
    ) -> Result<Option<usize>, Box<Failure>> {
        for (index, required) in formulas.iter().enumerate() {
            if !worker.holds(required.formula, state)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }
}

fn required(named: &NamedFormula) -> Required {
    Required {
        name: named.name.clone(),
        formula: named.formula,
    }
}

/// The evaluator's word for it.
fn going(flow: ControlFlow<()>) -> Flow {
    match flow {
        ControlFlow::Continue(()) => Flow::Go,
        ControlFlow::Break(()) => Flow::Stop,
    }
}

/// File and line of a place.
pub(crate) fn file_and_line(program: &Program, at: Loc) -> String {
    let source = program.sources.get(at.source);
    format!(
        "{}:{}",
        source.path().display(),
        source.line_column(at.span.start).line
    )
}

/// Hands steps on.
struct Steps<'f, 'm> {
    found: &'f mut dyn FoundStep<Evaluator<'m>, Option<Taken>>,
    level: u32,
    /// Whether a state is identified by the hashes of its values.
    hashes_identify: bool,
}

impl<'m> Successors<'m> for Steps<'_, 'm> {
    fn is_known(&mut self, hashes: &[u64], taken: Option<Taken>) -> bool {
        self.hashes_identify
            && self
                .found
                .is_known(Fingerprint::of_hashes(hashes.iter().copied()), &taken)
    }

    fn found(
        &mut self,
        worker: &mut Evaluator<'m>,
        state: &[Value],
        taken: Option<Taken>,
    ) -> Result<Flow, Box<Failure>> {
        let flow = self.found.found(worker, state, &taken);
        set_level(self.level);
        Ok(going(flow))
    }
}

impl<'m> Machine for SpecMachine<'m> {
    type Worker = Evaluator<'m>;
    type Label = Option<Taken>;
    type Named = ActionTaken;
    type Failure = Box<Failure>;

    fn worker(&self, _: usize) -> Evaluator<'m> {
        self.evaluator(&self.model.program)
    }

    fn searcher(&self, number: usize) -> Evaluator<'m> {
        let own = number.checked_sub(1).and_then(|at| self.programs.get(at));
        let mut evaluator = self.evaluator(match own {
            Some(own) => own.get_or_init(|| self.model.program.unshared()),
            None => &self.model.program,
        });
        if self.remembered_bytes > 0 {
            evaluator.remember_within(self.remembered_bytes);
        }
        if let Some(exchange) = &self.exchange {
            evaluator.join(exchange.clone(), number);
        }
        evaluator
    }

    fn actions(&self) -> usize {
        self.model.program.actions.len()
    }

    fn action(&self, label: &Option<Taken>) -> usize {
        label.map_or(usize::MAX, |taken| taken.action as usize)
    }

    fn named(&self, worker: &Evaluator<'m>, label: &Option<Taken>) -> ActionTaken {
        let program = &self.model.program;
        let action = label.and_then(|taken| program.actions.get(taken.action as usize));
        ActionTaken {
            name: action.map_or("Next", |action| &*action.name).to_owned(),
            bindings: Bindings(label.map_or_else(Vec::new, |taken| worker.bindings(taken))),
            place: action.map_or_else(String::new, |action| file_and_line(program, action.at)),
        }
    }

    fn initial(
        &self,
        worker: &mut Evaluator<'m>,
        found: &mut FoundState<'_, Evaluator<'m>>,
    ) -> Result<(), Box<Failure>> {
        set_level(0);
        let mut count = 0;
        let enumerated = worker.initial(self.init, &mut |worker, state, _| {
            count += 1;
            let flow = found(worker, state);
            set_level(0);
            Ok(going(flow))
        });
        self.session.set_initial(count);
        enumerated
    }

    fn successors(
        &self,
        worker: &mut Evaluator<'m>,
        from: &State,
        level: u32,
        found: &mut dyn FoundStep<Evaluator<'m>, Option<Taken>>,
    ) -> Result<(), Box<Failure>> {
        let Some(next) = self.next else { return Ok(()) };
        set_level(level);
        let hashes_identify = self.fingerprints_identify();
        worker.new_successors(
            next,
            from,
            &mut Steps {
                found,
                level,
                hashes_identify,
            },
        )
    }

    fn has_constraints(&self) -> bool {
        !self.model.constraints.is_empty()
            || !self.model.action_constraints.is_empty()
            || !self.model.possible.is_empty()
    }

    fn has_step_properties(&self) -> bool {
        !self.steps.is_empty()
    }

    fn is_within(&self, worker: &mut Evaluator<'m>, state: &State, level: u32) -> Result<bool, Box<Failure>> {
        set_level(level);
        for constraint in &self.model.constraints {
            if !worker.holds(constraint.formula, state)? {
                return Ok(false);
            }
        }
        for (formula, reached) in self.possible(false) {
            reached.fetch_add(u64::from(worker.holds(formula, state)?), Ordering::Relaxed);
        }
        Ok(true)
    }

    fn is_step_within(
        &self,
        worker: &mut Evaluator<'m>,
        from: &State,
        to: &[Value],
        level: u32,
    ) -> Result<bool, Box<Failure>> {
        set_level(level);
        for constraint in &self.model.action_constraints {
            if !worker.holds_step(constraint.formula, from, to)? {
                return Ok(false);
            }
        }
        for (formula, reached) in self.possible(true) {
            reached.fetch_add(
                u64::from(worker.holds_step(formula, from, to)?),
                Ordering::Relaxed,
            );
        }
        Ok(true)
    }

    fn fingerprint(
        &self,
        worker: &mut Evaluator<'m>,
        state: &[Value],
        level: u32,
    ) -> Result<Fingerprint, Box<Failure>> {
        let Some(view) = self.model.view else {
            return Ok(if self.symmetry.is_trivial() {
                Fingerprint::of_state(state)
            } else {
                self.symmetry.fingerprint(state)
            });
        };
        set_level(level);
        let mut least: Option<Fingerprint> = None;
        for image in self.symmetry.images(state) {
            worker.set_state(&image);
            let seen = Fingerprint::of_value(&worker.value(view)?);
            least = Some(least.map_or(seen, |least| least.min(seen)));
        }
        Ok(least.unwrap_or_else(|| Fingerprint::of_state(state)))
    }

    fn fingerprints_identify(&self) -> bool {
        self.model.view.is_none() && self.symmetry.is_trivial()
    }

    fn broken_invariant(
        &self,
        worker: &mut Evaluator<'m>,
        state: &State,
        level: u32,
    ) -> Result<Option<usize>, Box<Failure>> {
        set_level(level);
        Self::first_false(worker, &self.invariants, state)
    }

    fn broken_initial(
        &self,
        worker: &mut Evaluator<'m>,
        state: &State,
    ) -> Result<Option<usize>, Box<Failure>> {
        set_level(1);
        Self::first_false(worker, &self.initials, state)
    }

    fn broken_step(
        &self,
        worker: &mut Evaluator<'m>,
        from: &State,
        to: &[Value],
        level: u32,
    ) -> Result<Option<usize>, Box<Failure>> {
        set_level(level);
        for (index, required) in self.steps.iter().enumerate() {
            if !worker.holds_step(required.formula, from, to)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn checks_deadlock(&self) -> bool {
        self.checks_deadlock
    }

    fn was_cut_short(&self, failure: &Box<Failure>) -> bool {
        failure.class == ErrorClass::Resource && self.session.is_over()
    }

    fn may_repeat(&self) -> bool {
        self.definitions.is_none() && !self.model.program.has_side_effects()
    }

    fn wants_to_stop(&self, _: &Evaluator<'m>) -> bool {
        self.session.wants_exit()
    }
}
