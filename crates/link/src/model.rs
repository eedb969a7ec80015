//! The model: a spec whose operations are its actions.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;

use omnilink_engine::{CollectionKind, Footprint, Model, Observation, Outcomes};
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Condition, EffectTemplates, Effects, Evaluator, Flow, Layout, Session as _, State};
use omnilink_tla::ir::OperatorId;
use omnilink_tla_compile::CompiledSteps;
use rustc_hash::FxHashSet;

use crate::binding::OpBinding;
use crate::call_cache::CallCache;
use crate::coverage_counters::CoverageCounters;
use crate::error::LinkError;
use crate::eval_session::EvalSession;
use crate::exact_step::{self, ExactStep};
use crate::footprint::{self, Cells};
use crate::hidden_steps::HiddenSteps;
use crate::instance::Instance;
use crate::instance_cache::InstanceCache;
use crate::known_step::KnownStep;
use crate::linked::Linked;
use crate::mutant::{Mutant, mutated};
use crate::outcome_cache::OutcomeCache;
use crate::plain_spec::PlainSpec;
use crate::samples::Samples;
use crate::state::SpecState;
use crate::step_lanes::StepLanes;

/// A spec as a model: states are the values of its variables, operations its actions with their arguments.
///
/// One for each search: the evaluator is not shared. [`Linked::run`] makes one.
pub struct TlaModel<'l> {
    pub(crate) linked: &'l Linked,
    session: &'l EvalSession,
    pub(crate) evaluator: RefCell<Evaluator<'l>>,
    initial: Vec<SpecState>,
    cells: Cells,
    pub(crate) hidden: RefCell<HiddenSteps>,
    pub(crate) layout: Layout,
    /// The parts of each invariant; `None` if some invariant must be evaluated as a whole.
    pub(crate) invariant_parts: Option<Vec<Vec<Condition>>>,
    pub(crate) instances: RefCell<InstanceCache>,
    effect_templates: RefCell<EffectTemplates>,
    pub(crate) bound: RefCell<CallCache<Instance>>,
    pub(crate) unread: RefCell<BTreeSet<(String, String)>>,
    /// The instances and states refused while a violation was explained.
    pub(crate) refused: RefCell<Vec<(Instance, SpecState)>>,
    pub(crate) counters: CoverageCounters,
    pub(crate) samples: Samples,
    numbers: Cell<u64>,
    pub(crate) step_lanes: RefCell<StepLanes>,
    pub(crate) plain: PlainSpec<'l>,
    pub(crate) compiled: RefCell<CompiledSteps<'l>>,
    /// For each binding, whether its action changes no state, whatever its arguments.
    only_reads: Vec<OnceCell<bool>>,
}

/// The largest number of initial states that are followed.
const INITIAL_MAX: usize = 1 << 17;

impl<'l> TlaModel<'l> {
    /// A model on the stack of the caller, which must be deep: see [`Linked::run`].
    pub(crate) fn new(linked: &'l Linked, session: &'l EvalSession) -> Result<Self, LinkError> {
        let mut evaluator = Evaluator::new(&linked.program, session);
        let rendered = |failure: Box<Failure>| LinkError::Evaluation(failure.render(&linked.program.sources));
        let mut states: Vec<State> = Vec::new();
        let mut known: FxHashSet<State> = FxHashSet::default();
        evaluator
            .initial(linked.init, &mut |_, state, _| {
                let state: State = state.into();
                if known.insert(State::clone(&state)) {
                    states.push(state);
                }
                Ok(if states.len() > INITIAL_MAX {
                    Flow::Stop
                } else {
                    Flow::Go
                })
            })
            .map_err(rendered)?;
        if states.len() > INITIAL_MAX {
            return Err(LinkError::ManyInitialStates {
                spec: linked.name.clone(),
                most: INITIAL_MAX,
            });
        }
        drop(known);
        let plain = PlainSpec::new(linked, session, &states).map_err(rendered)?;
        if states.is_empty() {
            return Err(LinkError::NoInitialState {
                spec: linked.name.clone(),
            });
        }
        // No memo: what is cached by instance is not evaluated again, and the memo cost more than it saved on the rest.
        evaluator.enable_read_log();
        let mut model = Self {
            linked,
            session,
            evaluator: RefCell::new(evaluator),
            initial: Vec::with_capacity(states.len()),
            cells: Cells::default(),
            hidden: RefCell::default(),
            layout: Layout::default(),
            invariant_parts: None,
            instances: RefCell::default(),
            effect_templates: RefCell::default(),
            bound: RefCell::default(),
            unread: RefCell::default(),
            refused: RefCell::default(),
            counters: CoverageCounters::new(linked),
            samples: Samples::new(linked.bindings.len()),
            numbers: Cell::new(0),
            step_lanes: RefCell::default(),
            plain,
            compiled: RefCell::new(CompiledSteps::new(&linked.program, linked.evaluators())),
            only_reads: vec![OnceCell::new(); linked.bindings.len()],
        };
        for state in states {
            let completed = model.completed(&mut model.evaluator.borrow_mut(), state);
            model.initial.extend(completed.map_err(rendered)?);
        }
        if model.initial.is_empty() {
            return Err(LinkError::NoInitialState {
                spec: linked.name.clone(),
            });
        }
        model.find_layout();
        Ok(model)
    }

    /// Whether compiled code has computed steps, and how one that was compared differs from what the evaluator says.
    pub fn code_used(&self) -> (bool, Option<String>) {
        let compiled = self.compiled.borrow();
        (compiled.is_used(), compiled.difference().map(str::to_owned))
    }

    /// Finds what is the same in all states, and the cells that actions access.
    ///
    /// An invariant ties the cells of each of its parts together, if it has parts; otherwise all cells.
    fn find_layout(&mut self) {
        let linked = self.linked;
        let formulations = linked.bindings.iter().flat_map(|binding| {
            let of_aborted = binding.aborted.iter().map(|aborted| aborted.operation);
            let of_steps = binding.steps.iter().map(|steps| steps.step.operation);
            of_aborted.chain(of_steps).chain([binding.happened.operation])
        });
        let hidden = linked.hidden.iter().map(|(action, _)| action.operation());
        let operations: Vec<OperatorId> = formulations.chain(hidden).collect();
        let observed = operations.len() - linked.hidden.len();
        let mut layout = Layout::of_states(self.initial.iter().map(|state| &**state.values()))
            .with_private(linked.unmentioned_variables());
        let mut evaluator = self.evaluator.borrow_mut();
        let all_effects = |evaluator: &mut Evaluator<'l>, layout: &Layout| -> Vec<Effects> {
            operations
                .iter()
                .map(|operation| evaluator.effects(*operation, &vec![None; operation.params()], layout))
                .collect()
        };
        loop {
            let effects = all_effects(&mut evaluator, &layout);
            let written = evaluator.written(&operations, &effects, &layout);
            let refined = layout.refined(&effects, &written, linked.program.variables.len());
            if refined == layout {
                break;
            }
            layout = refined;
        }
        let states = self.initial.iter().map(|state| &**state.values());
        let layout = evaluator.with_implications(layout, &operations, states);
        let effects = all_effects(&mut evaluator, &layout);
        let parts = linked
            .invariants
            .iter()
            .map(|invariant| evaluator.invariant_parts(invariant.formula, &layout));
        // Invariants over variables that have a value during a step only are evaluated as they stand.
        let parts: Option<Vec<Vec<Condition>>> = parts.collect();
        self.invariant_parts = parts.filter(|parts| parts.is_empty() || linked.transient.is_empty());
        evaluator.ignore_variables(layout.unobserved());
        self.compiled.borrow_mut().ignore_variables(layout.unobserved());
        drop(evaluator);
        for state in &mut self.initial {
            if let Some(canonical) = layout.canonical(state.values()) {
                *state = state.with_values(canonical.into());
            }
        }
        self.layout = layout;
        let of_hidden = effects.iter().skip(observed).cloned();
        let of_hidden = of_hidden.map(|effects| *self.with_invariants(effects)).collect();
        self.hidden.borrow_mut().effects = of_hidden;
        // An abstract state is one of all variables.
        self.cells = if self.invariant_parts.is_none() || linked.abstraction.is_some() {
            Cells::tied()
        } else {
            Cells::found(linked.program.variables.len() as u32, &effects)
        };
    }

    /// The static effects of an instance.
    pub(crate) fn effects<'i>(&self, instance: &'i Instance) -> &'i Effects {
        let content = &instance.0;
        if let Some(effects) = content.effects.get() {
            return effects;
        }
        content.effects.get_or_init(|| {
            let effects = self.effect_templates.borrow_mut().effects(
                &mut self.evaluator.borrow_mut(),
                content.operation,
                &content.arguments,
                &self.layout,
            );
            self.with_invariants(self.lasting_effects(effects))
        })
    }

    /// Effects without those on variables that have a value during a step only: before and after it, they are as they were initially.
    fn lasting_effects(&self, mut effects: Effects) -> Effects {
        let is_lasting = |variable: u32| !self.linked.transient.contains(&variable);
        effects.reads.retain(|cell| is_lasting(cell.variable));
        effects.writes.retain(|write| is_lasting(write.cell.variable));
        effects
    }

    /// Whether the action of an instance changes no state, whatever its arguments.
    pub(crate) fn only_reads(&self, instance: &Instance) -> bool {
        *self.only_reads[instance.0.binding as usize].get_or_init(|| {
            let operation = self.binding(instance).happened.operation;
            let unknown = vec![None; operation.params()];
            let mut evaluator = self.evaluator.borrow_mut();
            evaluator.effects(operation, &unknown, &self.layout).is_pure()
        })
    }

    /// The cached outcomes of an instance.
    #[inline]
    fn cache<'i>(&self, instance: &'i Instance) -> Option<&'i OutcomeCache> {
        let cache = instance.0.cache.get_or_init(|| match self.linked.view {
            Some(_) if !mutated(Mutant::OutcomeUnderView) => None,
            _ => OutcomeCache::of(self.effects(instance)).map(Box::new),
        });
        cache.as_deref()
    }

    /// Whether a step of an instance may be known without evaluating it.
    #[inline]
    fn is_known(&self, instance: &Instance) -> bool {
        let is_judged_in_parts = self.invariant_parts.is_some() || self.linked.invariants.is_empty();
        is_judged_in_parts
            && !self.has_hidden_steps()
            && !self.linked.evaluates_steps
            && instance.0.arguments.iter().all(Option::is_some)
    }

    /// The step of an instance whose effects are exact; `None` for any other.
    #[inline]
    fn exact_step(&self, state: &SpecState, instance: &Instance) -> Option<KnownStep> {
        Some(match exact_step::exact_step(self.effects(instance), state)? {
            ExactStep::Refused => KnownStep::Refused,
            ExactStep::Writes([]) => KnownStep::Next(state.clone()),
            ExactStep::Writes(writes) => self.judged(instance, state.with(writes)?)?,
        })
    }

    /// Whether the check was interrupted or its time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.session.is_over()
    }

    pub(crate) fn next_number(&self) -> u64 {
        let number = self.numbers.get() + 1;
        self.numbers.set(number);
        number
    }

    pub(crate) fn binding(&self, instance: &Instance) -> &'l OpBinding {
        &self.linked.bindings[instance.0.binding as usize]
    }

    /// The step of an instance, in the cheapest way that is known.
    fn search_step(&self, state: &SpecState, op: &Instance, outcomes: &mut Outcomes<SpecState>) {
        if let Some(part) = op.0.part
            && state.is_done(part)
        {
            return outcomes.refuse(|| "the operation is done already".to_owned());
        }
        let is_known = self.is_known(op);
        let found = if is_known {
            self.exact_step(state, op)
        } else {
            None
        };
        let cache = if is_known && found.is_none() {
            self.cache(op)
        } else {
            None
        };
        let found = found.or_else(|| cache?.get(state));
        match found {
            Some(KnownStep::Next(next)) => {
                self.counters.step(op.0.binding, false);
                self.samples.offer(op, state);
                return outcomes.accept(next.after_part(op.0.part));
            }
            Some(KnownStep::Refused) => {
                self.counters.step(op.0.binding, true);
                return outcomes.refuse_at(|| self.reason(state, op));
            }
            None => {}
        }
        let mut evaluator = self.evaluator.borrow_mut();
        let found = self.successors(&mut evaluator, state, op);
        drop(evaluator);
        self.counters
            .step(op.0.binding, found.as_ref().is_ok_and(Vec::is_empty));
        if let (Some(cache), Ok(found)) = (cache, &found) {
            cache.insert(state, found);
        }
        match found {
            Ok(found) if found.is_empty() => outcomes.refuse_at(|| self.reason(state, op)),
            Ok(found) => {
                self.samples.offer(op, state);
                found.into_iter().for_each(|next| outcomes.accept(next));
            }
            Err(failure) => self.fail(op, &failure, outcomes),
        }
    }

    /// Reports that a step could not be evaluated.
    #[cold]
    fn fail(&self, op: &Instance, failure: &Failure, outcomes: &mut Outcomes<SpecState>) {
        if self.session.is_over() {
            // The session's deadline may come before that of the search, which began later.
            outcomes.give_up();
        } else {
            outcomes.fail(self.failure_text(op, failure));
        }
    }

    #[cold]
    fn failure_text(&self, instance: &Instance, failure: &Failure) -> String {
        let mut text = format!(
            "{}: evaluating {} failed: {}",
            instance.0.place,
            self.describe_op(instance),
            failure.render(&self.linked.program.sources)
        );
        if failure.class == ErrorClass::Undefined {
            let bindings = self.linked.bindings.iter().flat_map(|binding| &binding.params);
            let fields: BTreeSet<&str> = bindings.map(|param| param.field.as_str()).collect();
            let fields: Vec<&str> = fields.into_iter().collect();
            text.push_str(&format!(
                "a constant can also be collected from the trace: --collect NAME=FIELD,…; its fields are {}",
                fields.join(", ")
            ));
        }
        text
    }
}

impl Model for TlaModel<'_> {
    type State = SpecState;
    type Op = Instance;

    fn initial(&self) -> Vec<SpecState> {
        self.initial.clone()
    }

    fn plain_initial(&self) -> Vec<SpecState> {
        self.plain.initial()
    }

    fn plain_step(&self, state: &SpecState, op: &Instance, outcomes: &mut Outcomes<SpecState>) {
        match self.plain.successors(state, op) {
            Ok(found) => found.into_iter().for_each(|next| outcomes.accept(next)),
            Err(failure) => self.fail(op, &failure, outcomes),
        }
    }

    fn step(&self, state: &SpecState, op: &Instance, outcomes: &mut Outcomes<SpecState>) {
        if !self.linked.audits {
            return self.search_step(state, op, outcomes);
        }
        let mut found = Vec::new();
        let noted = |next: SpecState| {
            found.push(next.clone());
            next
        };
        outcomes.wrapping(noted, |inner| self.search_step(state, op, inner));
        if let Some(problem) = self.audited(state, op, &found) {
            let op_text = self.describe_op(op);
            outcomes.fail(format!("{}: internal error: {op_text} {problem}", op.0.place));
        }
    }

    fn step_from(&self, mut state: SpecState, op: &Instance, outcomes: &mut Outcomes<SpecState>) {
        if self.linked.counts_branches {
            // The engine steps from owned states only when it replays an explanation: that is what counts as exercised.
            let counted = |next: SpecState| {
                self.count_step(&state, op, &next);
                next
            };
            return outcomes.wrapping(counted, |found| self.step(&state, op, found));
        }
        if !self.linked.audits
            && self.is_known(op)
            && op.0.part.is_none()
            && self.linked.view.is_none()
            && self.linked.invariants.is_empty()
            && let Some(ExactStep::Writes(writes)) = exact_step::exact_step(self.effects(op), &state)
        {
            self.samples.offer(op, &state);
            if state.change(writes).is_some() {
                self.counters.step(op.0.binding, false);
                return outcomes.accept(state);
            }
        }
        self.step(&state, op, outcomes);
    }

    fn is_pure(&self, op: &Instance) -> bool {
        self.linked.hidden.is_empty() && op.0.part.is_none() && self.effects(op).is_pure()
    }

    fn footprint(&self, op: &Instance) -> Footprint {
        let mut footprint = self.cells.footprint(self.effects(op), &self.layout);
        if self.has_hidden_steps() {
            footprint = self.with_hidden_footprint(op, footprint);
        }
        if self.linked.view.is_some() && !mutated(Mutant::PartsUnderView) {
            footprint = footprint::with_view(footprint);
        }
        match op.0.part {
            None => footprint,
            Some(part) => footprint::with_part(footprint, part),
        }
    }

    fn may_enable(&self, state: &SpecState, refused: &Instance, helper: &Instance) -> bool {
        let set = self.enabling_set(state, refused);
        self.is_enabling(&set, state, refused, self.effects(helper))
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        self.declared_kind()
    }

    fn declared_at(&self) -> Option<String> {
        self.declaration_place()
    }

    fn observe<'a>(&self, op: &'a Instance) -> Observation<'a> {
        self.observed(op)
    }

    fn describe_state(&self, state: &SpecState) -> String {
        let variables = (0u32..).zip(self.linked.program.variables.iter().zip(&**state.values()));
        let variables: Vec<String> = variables
            .filter(|(slot, _)| !self.linked.transient.contains(slot))
            .filter(|(slot, _)| !self.layout.unobserved().contains(slot))
            .map(|(_, (name, value))| format!("{name} = {value}"))
            .collect();
        match variables.as_slice() {
            [only] => only.clone(),
            several => format!("/\\ {}", several.join(" /\\ ")),
        }
    }

    fn describe_op(&self, op: &Instance) -> String {
        let binding = self.binding(op);
        let arguments = binding.params.iter().zip(&op.0.arguments);
        let arguments: Vec<String> = arguments
            .map(|(param, value)| match value {
                Some(value) => format!("{}: {value}", param.field),
                None => format!("{}: ?", param.field),
            })
            .collect();
        let (prefix, suffix) = match op.0.part.is_some_and(|part| !part.is_last) {
            true if binding.is_run => ("step of ", ""),
            true => ("", "_Step"),
            false => ("", ""),
        };
        format!("{prefix}{}{suffix}({})", binding.op, arguments.join(", "))
    }

    fn state_bytes(&self, state: &SpecState) -> usize {
        // Values are shared with other states; what a step changes is about this much.
        64 + 32 * state.values().len()
    }
}

impl std::fmt::Debug for TlaModel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TlaModel")
            .field("spec", &self.linked.name)
            .finish_non_exhaustive()
    }
}
