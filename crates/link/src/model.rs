//! The model: a spec whose operations are its actions.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashTable;
use omnilink_engine::{Footprint, Model, Outcomes};
use omnilink_tla::eval::error::{ErrorClass, Failure, Outcome};
use omnilink_tla::eval::{Effects, Evaluator, Flow, State};
use omnilink_tla::ir::Operation;
use omnilink_value::Value;

use crate::error::LinkError;
use crate::footprint::Cells;
use crate::instance::Instance;
use crate::linked::Linked;
use crate::plan::Plan;
use crate::state::SpecState;

/// A spec as a model: states are the values of its variables, operations its actions with their arguments.
///
/// One for each search: evaluating needs room of its own, which is not shared. [`Linked::run`] makes one.
pub struct TlaModel<'l> {
    pub(crate) linked: &'l Linked,
    evaluator: RefCell<Evaluator<'l>>,
    initial: Vec<SpecState>,
    cells: Cells,
    pub(crate) instances: RefCell<HashTable<Instance>>,
    pub(crate) unread: RefCell<BTreeSet<(String, String)>>,
    tags: RefCell<BTreeSet<(String, String)>>,
    numbers: Cell<u64>,
}

/// Unseen steps between two operations lead to at most this many states.
const HIDDEN_MAX: usize = 10_000;

impl<'l> TlaModel<'l> {
    /// A model on the stack of the caller, which must be deep: see [`Linked::run`].
    pub(crate) fn new(linked: &'l Linked) -> Result<Self, LinkError> {
        let mut evaluator = Evaluator::new(&linked.program, &linked.session);
        let rendered = |failure: Box<Failure>| LinkError::Evaluation(failure.render(&linked.program.sources));
        let mut states: Vec<State> = Vec::new();
        evaluator
            .initial(linked.init, &mut |_, state, _| {
                if !states.iter().any(|known| **known == *state) {
                    states.push(state.into());
                }
                Ok(Flow::Go)
            })
            .map_err(rendered)?;
        if states.is_empty() {
            return Err(LinkError::NoInitialState {
                spec: linked.name.clone(),
            });
        }
        let mut initial = Vec::with_capacity(states.len());
        for state in states {
            initial.extend(completed(linked, &mut evaluator, state).map_err(rendered)?);
        }
        let mut model = Self {
            linked,
            evaluator: RefCell::new(evaluator),
            initial,
            cells: Cells::default(),
            instances: RefCell::default(),
            unread: RefCell::default(),
            tags: RefCell::default(),
            numbers: Cell::new(0),
        };
        model.cells = model.find_cells();
        Ok(model)
    }

    /// Parts of the state may be told apart only if whole states are never compared with anything: several initial
    /// states, a VIEW, an invariant and unseen steps all tie parts together.
    fn find_cells(&self) -> Cells {
        let linked = self.linked;
        let is_tied = self.initial.len() > 1
            || linked.view.is_some()
            || !linked.invariants.is_empty()
            || !linked.hidden.is_empty();
        if is_tied {
            return Cells::tied();
        }
        let mut evaluator = self.evaluator.borrow_mut();
        let formulations = linked.plans.iter().flat_map(|plan| {
            let of_aborted = plan.aborted.iter().map(|aborted| aborted.operation);
            let of_steps = plan.steps.iter().map(|steps| steps.step.operation);
            of_aborted.chain(of_steps).chain([plan.happened.operation])
        });
        let effects: Vec<Effects> = formulations
            .map(|operation| evaluator.effects(operation, &vec![None; operation.params()]))
            .collect();
        Cells::found(linked.program.variables.len(), &effects)
    }

    /// What is known about an instance, whatever the state.
    pub(crate) fn effects<'i>(&self, instance: &'i Instance) -> &'i Effects {
        let content = &instance.0;
        content.effects.get_or_init(|| {
            let mut effects = self
                .evaluator
                .borrow_mut()
                .effects(content.operation, &content.arguments);
            let is_lasting = |variable: u32| !self.linked.transient.contains(&variable);
            effects.reads.retain(|cell| is_lasting(cell.variable));
            effects.writes.retain(|write| is_lasting(write.cell.variable));
            effects
        })
    }

    pub(crate) fn next_number(&self) -> u64 {
        let number = self.numbers.get() + 1;
        self.numbers.set(number);
        number
    }

    fn plan(&self, instance: &Instance) -> &'l Plan {
        &self.linked.plans[instance.0.plan as usize]
    }

    /// Fields of operations that no action ever read: operation and field.
    pub fn unread_fields(&self) -> Vec<(String, String)> {
        self.unread.borrow().iter().cloned().collect()
    }

    /// The tags that were found to fit while an operation was explained: operation as text, and tag.
    pub fn matched_tags(&self) -> Vec<(String, String)> {
        self.tags.borrow().iter().cloned().collect()
    }

    /// All states that an instance leads to from a state.
    fn successors(&self, state: &SpecState, instance: &Instance) -> Outcome<Vec<SpecState>> {
        let mut evaluator = self.evaluator.borrow_mut();
        let mut found = Vec::new();
        for before in self.with_hidden(&mut evaluator, state)? {
            self.each_assignment(
                &mut evaluator,
                instance,
                before.values(),
                &mut |evaluator, arguments| {
                    self.step_from(evaluator, &before, instance.0.operation, arguments, &mut found)
                },
            )?;
        }
        if let Some(part) = instance.0.part.filter(|part| part.is_last) {
            let done = found
                .into_iter()
                .map(|next| next.with_done(part.thread, part.number));
            return Ok(done.collect());
        }
        Ok(found)
    }

    fn step_from(
        &self,
        evaluator: &mut Evaluator<'l>,
        before: &SpecState,
        operation: Operation,
        arguments: &[Value],
        found: &mut Vec<SpecState>,
    ) -> Outcome<()> {
        let mut reached: smallvec::SmallVec<[State; 2]> = smallvec::SmallVec::new();
        let mut unchanged = false;
        evaluator.successors_of(operation, arguments, before.values(), &mut |_, next, _| {
            let lasting;
            let next = match self.linked.transient.is_empty() {
                true => next,
                false => {
                    lasting = self.lasting(next, before.values());
                    &lasting
                }
            };
            if *next == **before.values() {
                unchanged = true;
            } else if !reached.iter().any(|known| **known == *next) {
                reached.push(Arc::from(next));
            }
            Ok(Flow::Go)
        })?;
        if unchanged && !found.contains(before) {
            found.push(before.clone());
        }
        for next in reached {
            if let Some(next) = completed(self.linked, evaluator, next)? {
                let next = next.after(before);
                if !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        Ok(())
    }

    /// The next state without what lasts for a step only.
    fn lasting(&self, next: &[Value], before: &[Value]) -> Vec<Value> {
        let mut next = next.to_vec();
        for slot in &self.linked.transient {
            let slot = *slot as usize;
            if let (Some(value), Some(before)) = (next.get_mut(slot), before.get(slot)) {
                *value = before.clone();
            }
        }
        next
    }

    /// Runs for every way to fill in what a pending operation does not know.
    fn each_assignment(
        &self,
        evaluator: &mut Evaluator<'l>,
        instance: &Instance,
        state: &State,
        run: &mut dyn FnMut(&mut Evaluator<'l>, &[Value]) -> Outcome<()>,
    ) -> Outcome<()> {
        if let Some(known) = instance.0.known() {
            return run(evaluator, &known);
        }
        let plan = self.plan(instance);
        let mut choices: Vec<Vec<Value>> = Vec::new();
        for (number, argument) in instance.0.arguments.iter().enumerate() {
            choices.push(match argument {
                Some(value) => vec![value.clone()],
                None => {
                    let range = plan.params.get(number).and_then(|param| param.range);
                    let Some(range) = range else { return Ok(()) };
                    evaluator.set_state(state);
                    let set = evaluator.value(range.formula())?;
                    set.as_set().map(<[Value]>::to_vec).unwrap_or_default()
                }
            });
        }
        let mut chosen = Vec::with_capacity(choices.len());
        product(&choices, &mut chosen, &mut |arguments| run(evaluator, arguments))
    }

    /// The state, and all states that unseen steps lead to from it.
    fn with_hidden(&self, evaluator: &mut Evaluator<'l>, state: &SpecState) -> Outcome<Vec<SpecState>> {
        let mut reached = vec![(state.clone(), vec![0u32; self.linked.hidden.len()])];
        let mut next = 0;
        while let Some((from, used)) = reached.get(next).cloned() {
            next += 1;
            for (number, (action, bound)) in self.linked.hidden.iter().enumerate() {
                if used[number] >= *bound {
                    continue;
                }
                let mut used = used.clone();
                used[number] += 1;
                let mut states: Vec<State> = Vec::new();
                evaluator.successors(*action, from.values(), &mut |_, next, _| {
                    states.push(next.into());
                    Ok(Flow::Go)
                })?;
                for values in states {
                    let Some(state) = completed(self.linked, evaluator, values)? else {
                        continue;
                    };
                    let entry = (state.after(&from), used.clone());
                    if !reached.contains(&entry) {
                        reached.push(entry);
                    }
                }
                if reached.len() > HIDDEN_MAX {
                    let message =
                        format!("unseen steps lead to more than {HIDDEN_MAX} states; lower their bounds");
                    return Err(Failure::new(ErrorClass::Resource, message));
                }
            }
        }
        let mut states: Vec<SpecState> = Vec::new();
        for (state, _) in reached {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        Ok(states)
    }

    /// Why a state refuses an instance.
    fn reason(&self, state: &SpecState, instance: &Instance) -> String {
        let mut evaluator = self.evaluator.borrow_mut();
        let mut parts = Vec::new();
        // What went wrong was told when the step was tried; here only reasons are asked for.
        let _ = self.each_assignment(
            &mut evaluator,
            instance,
            state.values(),
            &mut |evaluator, arguments| {
                for part in evaluator.refusals(instance.0.operation, arguments, state.values()) {
                    let text = refusal(&part);
                    if !parts.contains(&text) {
                        parts.push(text);
                    }
                }
                Ok(())
            },
        );
        let mut reason = match parts.as_slice() {
            [] => "no branch of the action is possible".to_owned(),
            parts => parts.join("; or "),
        };
        let tags = self.tags_of(&mut evaluator, state, instance);
        drop(evaluator);
        if !tags.is_empty() {
            reason.push_str(&format!(" (tagged {})", tags.join(", ")));
            let text = self.describe_op(instance);
            self.tags
                .borrow_mut()
                .extend(tags.into_iter().map(|tag| (text.clone(), tag)));
        }
        reason
    }

    fn tags_of(&self, evaluator: &mut Evaluator<'l>, state: &SpecState, instance: &Instance) -> Vec<String> {
        use crate::linked::TagField;
        let plan = self.plan(instance);
        let mut tags = Vec::new();
        for tag in &self.linked.tags {
            let arguments = tag.takes.iter().map(|field| match field {
                TagField::Op => Value::str(&plan.op),
                TagField::Args => {
                    let known = plan.params.iter().zip(&instance.0.arguments);
                    Value::record(known.filter_map(|(param, value)| Some((&param.field, value.clone()?))))
                }
                TagField::Event => {
                    let known = plan.params.iter().zip(&instance.0.arguments);
                    let fields =
                        known.filter_map(|(param, value)| Some((param.field.clone(), value.clone()?)));
                    crate::bind::event(Value::str(&plan.op), fields.collect())
                }
                // Operations of one class are told apart by nothing that a tag could ask for.
                TagField::Thread | TagField::Meta => Value::null(),
            });
            let arguments: Vec<Value> = arguments.collect();
            // A tag may ask whether an action that changes nothing is possible.
            evaluator.set_state(state.values());
            evaluator.set_next(state.values());
            if evaluator.holds_with(tag.predicate, &arguments).unwrap_or(false) {
                tags.push(tag.name.clone());
            }
        }
        tags
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
            let plans = self.linked.plans.iter().flat_map(|plan| &plan.params);
            let fields: BTreeSet<&str> = plans.map(|param| param.field.as_str()).collect();
            let fields: Vec<&str> = fields.into_iter().collect();
            text.push_str(&format!(
                "a constant can also be collected from the trace: --collect NAME=FIELD,…; its fields are {}",
                fields.join(", ")
            ));
        }
        text
    }
}

/// A state with its view; `None` if an invariant does not hold in it.
fn completed<'l>(
    linked: &'l Linked,
    evaluator: &mut Evaluator<'l>,
    values: State,
) -> Outcome<Option<SpecState>> {
    for invariant in &linked.invariants {
        if !evaluator.holds(invariant.formula, &values)? {
            return Ok(None);
        }
    }
    let view = match linked.view {
        Some(view) => {
            evaluator.set_state(&values);
            Some(evaluator.value(view)?)
        }
        None => None,
    };
    Ok(Some(SpecState::new(values, view)))
}

fn product(
    choices: &[Vec<Value>],
    chosen: &mut Vec<Value>,
    run: &mut dyn FnMut(&[Value]) -> Outcome<()>,
) -> Outcome<()> {
    let Some((first, others)) = choices.split_first() else {
        return run(chosen);
    };
    for value in first {
        chosen.push(value.clone());
        product(others, chosen, run)?;
        chosen.pop();
    }
    Ok(())
}

/// A false conjunct with the values in it, on one line.
fn refusal(part: &omnilink_tla::eval::FalsePart) -> String {
    let text: Vec<&str> = part.text.split_whitespace().collect();
    let mut line = format!("`{}` is false", text.join(" "));
    let values = part.values.iter().chain(&part.bindings);
    let values: Vec<String> = values
        .filter(|(text, value)| text != value)
        .map(|(text, value)| {
            format!(
                "{} = {value}",
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            )
        })
        .collect();
    if !values.is_empty() {
        line.push_str(&format!(": {}", values.join(", ")));
    }
    line
}

impl Model for TlaModel<'_> {
    type State = SpecState;
    type Op = Instance;

    fn initial(&self) -> Vec<SpecState> {
        self.initial.clone()
    }

    fn step(&self, state: &SpecState, op: &Instance, outcomes: &mut Outcomes<SpecState>) {
        if let Some(part) = op.0.part
            && state.is_done(part.thread, part.number)
        {
            return outcomes.refuse(|| "the operation is done already".to_owned());
        }
        match self.successors(state, op) {
            Ok(found) if found.is_empty() => outcomes.refuse(|| self.reason(state, op)),
            Ok(found) => found.into_iter().for_each(|next| outcomes.accept(next)),
            Err(failure) => outcomes.fail(self.failure_text(op, &failure)),
        }
    }

    fn is_pure(&self, op: &Instance) -> bool {
        self.linked.hidden.is_empty() && op.0.part.is_none() && self.effects(op).is_pure()
    }

    fn footprint(&self, op: &Instance) -> Footprint {
        if op.0.part.is_some() {
            return Footprint::everything();
        }
        self.cells.footprint(self.effects(op))
    }

    fn may_enable(&self, state: &SpecState, refused: &Instance, helper: &Instance) -> bool {
        if refused.0.part.is_some() || helper.0.part.is_some() {
            return true;
        }
        self.cells
            .may_enable(state, self.effects(refused), self.effects(helper))
    }

    fn describe_state(&self, state: &SpecState) -> String {
        let variables = self.linked.program.variables.iter().zip(&**state.values());
        let variables: Vec<String> = variables
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        match variables.as_slice() {
            [only] => only.clone(),
            several => format!("/\\ {}", several.join(" /\\ ")),
        }
    }

    fn describe_op(&self, op: &Instance) -> String {
        let plan = self.plan(op);
        let arguments = plan.params.iter().zip(&op.0.arguments);
        let arguments: Vec<String> = arguments
            .map(|(param, value)| match value {
                Some(value) => format!("{}: {value}", param.field),
                None => format!("{}: ?", param.field),
            })
            .collect();
        let suffix = match op.0.part {
            Some(part) if !part.is_last => "_Step",
            _ => "",
        };
        format!("{}{suffix}({})", plan.op, arguments.join(", "))
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
