//! A TLA+ model as a transition system.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use omnilink_evidence::Bindings;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{EvaluationCounts, Evaluator, Flow, Session, SuccessorSink, TakenAction};
use omnilink_tla::ir::{Formula, Program};
use omnilink_tla::model::{Check, CompiledSpec, NamedFormula};
use omnilink_value::Value;
use serde_json::json;

use crate::bfs::CheckpointContext;
use crate::compiled::{CompilationLog, CompiledSystem, FirstDisagreement, Layouts};
use crate::fingerprint::Fingerprint;
use crate::report::ActionTaken;
use crate::session::{CheckSession, set_level};
use crate::source_line::file_and_line;
use crate::symmetry::Symmetry;
use crate::transition_system::{CompiledExpansion, State, StateVisitor, SuccessorVisitor, TransitionSystem};
use crate::viewed_variables::viewed_variables;
use omnilink_tla_compile::Evaluators;

/// A formula that must hold, with the name of its property.
#[derive(Clone, Debug)]
pub(crate) struct NamedProperty {
    pub(crate) name: String,
    pub(crate) formula: Formula,
}

/// A model, its properties, and the session in which it is evaluated.
#[derive(Debug)]
pub(crate) struct TlaSystem<'m> {
    pub(crate) model: &'m CompiledSpec,
    pub(crate) session: &'m CheckSession<'m>,
    pub(crate) init: Formula,
    pub(crate) next: Option<Formula>,
    pub(crate) invariants: Vec<NamedProperty>,
    pub(crate) initials: Vec<NamedProperty>,
    pub(crate) steps: Vec<NamedProperty>,
    pub(crate) view: Option<Formula>,
    /// The variables that the view shows, if it is a tuple of these.
    pub(crate) viewed: Option<Vec<u32>>,
    pub(crate) symmetry: Symmetry,
    pub(crate) checks_deadlock: bool,
    /// Whether the search goes on after a violation.
    pub(crate) continues: bool,
    /// Whether constraints, invariants and step properties depend on nothing but states, and nothing counts their evaluations.
    checks_repeat: bool,
    /// What expands states.
    pub(crate) evaluators: Evaluators,
    pub(crate) layouts: Layouts,
    /// Memory for the values of compiled code of each search worker, in bytes.
    pub(crate) compiled_bytes: usize,
    /// What was compiled.
    pub(crate) compilation: Mutex<CompilationLog>,
    /// Where compiled code and the evaluator differ: then the search is over, and its answer worth nothing.
    pub(crate) disagreement: FirstDisagreement,
    /// Memory for the memo of each search worker, in bytes; 0 for none.
    pub(crate) memo_bytes: usize,
    /// Copies of the program for the search workers after the first, each made by the thread that uses it.
    pub(crate) programs: &'m [OnceLock<Program>],
    /// Number of evaluations of each definition, if they are counted.
    pub(crate) evaluation_counts: Option<EvaluationCounts>,
    /// Number of states or steps that satisfy each `_POSSIBLE` formula.
    pub(crate) possible_counts: Vec<AtomicU64>,
}

impl<'m> TlaSystem<'m> {
    pub(crate) fn new(
        model: &'m CompiledSpec,
        init: Formula,
        session: &'m CheckSession<'m>,
        symmetry: Symmetry,
        checks_deadlock: bool,
    ) -> Self {
        let mut system = Self {
            model,
            session,
            init,
            next: model.next,
            invariants: model.invariants.iter().map(required).collect(),
            initials: Vec::new(),
            steps: Vec::new(),
            view: model.view,
            viewed: model.view.and_then(|view| viewed_variables(&model.program, view)),
            symmetry,
            checks_deadlock,
            continues: false,
            checks_repeat: false,
            evaluators: Evaluators::Interpreter,
            layouts: Layouts::Learned,
            compiled_bytes: 0,
            compilation: Mutex::default(),
            disagreement: FirstDisagreement::new(),
            memo_bytes: 0,
            programs: &[],
            evaluation_counts: None,
            possible_counts: model.possible.iter().map(|_| AtomicU64::new(0)).collect(),
        };
        for property in &model.properties {
            let name = &property.name;
            for check in &property.checks {
                let (list, formula) = match check {
                    Check::Initial(formula) => (&mut system.initials, *formula),
                    Check::Invariant(formula) => (&mut system.invariants, *formula),
                    Check::Step(formula) => (&mut system.steps, *formula),
                    Check::Temporal(_) => continue,
                };
                list.push(NamedProperty {
                    name: name.clone(),
                    formula,
                });
            }
        }
        let constraints = model.constraints.iter().chain(&model.action_constraints);
        let properties = system.invariants.iter().chain(&system.steps);
        let formulas = constraints
            .map(|constraint| constraint.formula)
            .chain(properties.map(|property| property.formula));
        system.checks_repeat = model.possible.is_empty()
            && formulas.into_iter().all(|formula| {
                let uses = model.program.operator(formula).body.uses;
                !uses.impure && !uses.opaque && !uses.unfinished
            });
        system
    }

    fn evaluator(&self, program: &'m Program) -> Evaluator<'m> {
        let mut evaluator = Evaluator::new(program, self.session);
        if let Some(counts) = &self.evaluation_counts {
            evaluator.count_in(counts);
        }
        evaluator
    }

    /// The `_POSSIBLE` formulas about states or about steps, with their counts.
    fn possible(&self, is_step: bool) -> impl Iterator<Item = (Formula, &AtomicU64)> {
        let all = self.model.possible.iter().zip(&self.possible_counts);
        all.filter(move |(possible, _)| possible.is_step == is_step)
            .map(|(possible, count)| (possible.formula.formula, count))
    }

    /// Sets the register in which TLC stores the counts of the `_POSSIBLE` formulas.
    pub(crate) fn set_possible_register(&self) {
        if self.model.possible.is_empty() {
            return;
        }
        let names = self.model.possible.iter().map(|possible| &*possible.formula.name);
        let counts = self
            .possible_counts
            .iter()
            .map(|count| Value::int(i64::try_from(count.load(Ordering::Relaxed)).unwrap_or(i64::MAX)));
        let counts = Value::record(names.zip(counts));
        self.session.set_register(&Value::str("s:_possible"), counts);
    }

    /// The index of the first formula, from this one on, that is false in a state.
    fn first_false(
        worker: &mut Evaluator<'m>,
        formulas: &[NamedProperty],
        state: &State,
        from: usize,
    ) -> Result<Option<usize>, Box<Failure>> {
        for (index, required) in formulas.iter().enumerate().skip(from) {
            if !worker.holds(required.formula, state)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }
}

fn required(named: &NamedFormula) -> NamedProperty {
    NamedProperty {
        name: named.name.clone(),
        formula: named.formula,
    }
}

/// The least fingerprint of the views of a state's images under SYMMETRY: the same for all of them.
pub(crate) fn least_view<'m>(
    worker: &mut Evaluator<'m>,
    view: Formula,
    symmetry: &Symmetry,
    state: &[Value],
) -> Result<Fingerprint, Box<Failure>> {
    let mut least: Option<Fingerprint> = None;
    for image in symmetry.images(state) {
        worker.set_state(&image);
        let seen = Fingerprint::of_value(&worker.value(view)?);
        least = Some(least.map_or(seen, |least| least.min(seen)));
    }
    Ok(least.unwrap_or_else(|| Fingerprint::of_state(state)))
}

fn to_flow(flow: ControlFlow<()>) -> Flow {
    match flow {
        ControlFlow::Continue(()) => Flow::Go,
        ControlFlow::Break(()) => Flow::Stop,
    }
}

/// Passes successors of the evaluator on to the search.
struct SuccessorAdapter<'f, 'm> {
    visitor: &'f mut dyn SuccessorVisitor<Evaluator<'m>, Option<TakenAction>>,
    level: u32,
}

impl<'m> SuccessorSink<'m> for SuccessorAdapter<'_, 'm> {
    fn can_skip(&mut self, hashes: &[u64], taken: Option<TakenAction>) -> bool {
        self.visitor
            .can_skip(Fingerprint::of_hashes(hashes.iter().copied()), &taken)
    }

    fn visit(
        &mut self,
        worker: &mut Evaluator<'m>,
        state: &[Value],
        taken: Option<TakenAction>,
    ) -> Result<Flow, Box<Failure>> {
        let flow = self.visitor.visit(worker, state, &taken);
        set_level(self.level);
        Ok(to_flow(flow))
    }
}

impl CheckpointContext for TlaSystem<'_> {
    fn save(&self) -> serde_json::Value {
        let counts = self
            .possible_counts
            .iter()
            .map(|count| count.load(Ordering::Relaxed));
        let evaluations = self.evaluation_counts.iter().flat_map(|counts| counts.iter());
        let evaluations = evaluations.map(|count| count.load(Ordering::Relaxed));
        json!({
            "possible": counts.collect::<Vec<_>>(),
            "evaluations": evaluations.collect::<Vec<_>>(),
            "session": self.session.save(),
        })
    }

    fn restore(&self, saved: &serde_json::Value) -> bool {
        let counts = |name: &str| -> Vec<u64> {
            let listed = saved
                .get(name)
                .and_then(serde_json::Value::as_array)
                .into_iter()
                .flatten();
            listed.filter_map(serde_json::Value::as_u64).collect()
        };
        for (count, saved) in self.possible_counts.iter().zip(counts("possible")) {
            count.store(saved, Ordering::Relaxed);
        }
        let evaluations = self.evaluation_counts.iter().flat_map(|counts| counts.iter());
        for (count, saved) in evaluations.zip(counts("evaluations")) {
            count.store(saved, Ordering::Relaxed);
        }
        saved
            .get("session")
            .is_some_and(|saved| self.session.restore(saved))
    }
}

impl<'m> TransitionSystem for TlaSystem<'m> {
    type Worker = Evaluator<'m>;
    type Label = Option<TakenAction>;
    type Step = ActionTaken;
    type Error = Box<Failure>;

    fn worker(&self, number: usize) -> Evaluator<'m> {
        let own = number.checked_sub(1).and_then(|at| self.programs.get(at));
        self.evaluator(match own {
            Some(own) => own.get_or_init(|| self.model.program.unshared()),
            None => &self.model.program,
        })
    }

    fn search_worker(&self, number: usize) -> Evaluator<'m> {
        let mut evaluator = self.worker(number);
        if self.memo_bytes > 0 {
            evaluator.enable_memo_within(self.memo_bytes);
        }
        evaluator
    }

    fn compiled(&self) -> Option<Box<dyn CompiledExpansion<Evaluator<'m>, Box<Failure>> + '_>> {
        let compiled = CompiledSystem::of(self)?;
        Some(Box::new(compiled))
    }

    fn action_count(&self) -> usize {
        self.model.program.actions.len()
    }

    fn action(&self, label: &Option<TakenAction>) -> usize {
        label.map_or(usize::MAX, |taken| taken.action as usize)
    }

    fn describe(&self, worker: &Evaluator<'m>, label: &Option<TakenAction>) -> ActionTaken {
        let program = &self.model.program;
        let action = label.and_then(|taken| program.actions.get(taken.action as usize));
        ActionTaken {
            name: action.map_or("Next", |action| &*action.name).to_owned(),
            bindings: Bindings(label.map_or_else(Vec::new, |taken| worker.bindings(taken))),
            place: action.map_or_else(String::new, |action| file_and_line(program, action.at)),
        }
    }

    fn initial_states(
        &self,
        worker: &mut Evaluator<'m>,
        visitor: &mut StateVisitor<'_, Evaluator<'m>>,
    ) -> Result<(), Box<Failure>> {
        set_level(0);
        let mut count = 0;
        let enumerated = worker.initial(self.init, &mut |worker, state, _| {
            count += 1;
            let flow = visitor(worker, state);
            set_level(0);
            Ok(to_flow(flow))
        });
        self.session.set_initial_states(count);
        enumerated
    }

    fn successors(
        &self,
        worker: &mut Evaluator<'m>,
        from: &State,
        level: u32,
        visitor: &mut dyn SuccessorVisitor<Evaluator<'m>, Option<TakenAction>>,
    ) -> Result<(), Box<Failure>> {
        let Some(next) = self.next else { return Ok(()) };
        set_level(level);
        worker.new_successors(next, from, &mut SuccessorAdapter { visitor, level })
    }

    fn has_constraints(&self) -> bool {
        !self.model.constraints.is_empty()
            || !self.model.action_constraints.is_empty()
            || !self.model.possible.is_empty()
    }

    fn has_action_constraints(&self) -> bool {
        !self.model.action_constraints.is_empty()
    }

    fn checks_repeat(&self) -> bool {
        self.checks_repeat
    }

    fn has_step_properties(&self) -> bool {
        !self.steps.is_empty()
    }

    fn satisfies_constraints(
        &self,
        worker: &mut Evaluator<'m>,
        state: &State,
        level: u32,
    ) -> Result<bool, Box<Failure>> {
        set_level(level);
        for constraint in &self.model.constraints {
            if !worker.holds(constraint.formula, state)? {
                return Ok(false);
            }
        }
        for (formula, count) in self.possible(false) {
            count.fetch_add(u64::from(worker.holds(formula, state)?), Ordering::Relaxed);
        }
        Ok(true)
    }

    fn satisfies_action_constraints(
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
        for (formula, count) in self.possible(true) {
            count.fetch_add(
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
        let Some(view) = self.view else {
            return Ok(if self.symmetry.is_trivial() {
                Fingerprint::of_state(state)
            } else {
                self.symmetry.fingerprint(state)
            });
        };
        if let Some(viewed) = &self.viewed {
            let seen: Vec<Value> = viewed
                .iter()
                .map(|variable| state[*variable as usize].clone())
                .collect();
            return Ok(match self.symmetry.is_trivial() {
                true => Fingerprint::of_state(&seen),
                false => self.symmetry.fingerprint(&seen),
            });
        }
        set_level(level);
        least_view(worker, view, &self.symmetry, state)
    }

    fn fingerprint_determines_state(&self) -> bool {
        self.view.is_none() && self.symmetry.is_trivial()
    }

    fn violated_invariant(
        &self,
        worker: &mut Evaluator<'m>,
        state: &State,
        level: u32,
        from: usize,
    ) -> Result<Option<usize>, Box<Failure>> {
        set_level(level);
        Self::first_false(worker, &self.invariants, state, from)
    }

    fn has_initial_properties(&self) -> bool {
        !self.initials.is_empty()
    }

    fn violated_initial_property(
        &self,
        worker: &mut Evaluator<'m>,
        state: &State,
        from: usize,
    ) -> Result<Option<usize>, Box<Failure>> {
        set_level(1);
        Self::first_false(worker, &self.initials, state, from)
    }

    fn violated_step_property(
        &self,
        worker: &mut Evaluator<'m>,
        (before, after): (&State, &[Value]),
        level: u32,
        from: usize,
    ) -> Result<Option<usize>, Box<Failure>> {
        set_level(level);
        for (index, required) in self.steps.iter().enumerate().skip(from) {
            if !worker.holds_step(required.formula, before, after)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn checks_deadlock(&self) -> bool {
        self.checks_deadlock
    }

    fn continues_after_violations(&self) -> bool {
        self.continues
    }

    fn is_timeout(&self, error: &Box<Failure>) -> bool {
        error.class == ErrorClass::Resource && self.session.is_over()
    }

    fn may_reexpand(&self) -> bool {
        self.evaluation_counts.is_none() && !self.model.program.has_side_effects()
    }

    fn stop_requested(&self, _: &Evaluator<'m>) -> bool {
        self.session.wants_exit() || self.disagreement.get().is_some()
    }
}
