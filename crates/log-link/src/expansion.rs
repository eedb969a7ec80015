//! The states that a line may lead to.

use omnilink_tla::eval::error::{ErrorClass, Failure, Outcome};
use omnilink_tla::eval::{Evaluator, Flow, State, StepSearch, TakenAction, WatchedDefinition, WatchedSteps};
use omnilink_tla::ir::OperatorId;
use omnilink_value::Value;

use crate::batch::Batch;
use crate::error::LogError;
use crate::formula::LineFormula;
use crate::log_spec::LogSpec;
use crate::meaning::{Meaning, Stage};
use crate::plain_step::{Known, fits};
use crate::prepared_line::{LineKind, PreparedLine};
use crate::stage_action::StageAction;
use crate::update::{Update, UpdateProblem};

/// A state that a line may lead to.
#[derive(Clone, Debug)]
pub(crate) struct Successor {
    pub state: State,
}

/// Some successors, and whether these are the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Successors {
    pub found: Vec<Successor>,
    pub has_more: bool,
}

/// Steps that are to be computed.
#[derive(Clone, Debug)]
pub(crate) enum Steps<'a> {
    /// Those of an operation with its arguments.
    Of(OperatorId, Vec<Value>),
    /// Those of the whole next-state relation that go through a definition, with arguments where they are known.
    Through(&'a WatchedDefinition, &'a [Option<Value>]),
}

/// Evaluates steps.
pub(crate) struct Expander<'s> {
    pub spec: &'s LogSpec,
    pub evaluator: Evaluator<'s>,
    /// How often each action of the program was taken.
    pub taken: Vec<u64>,
    /// For each hidden action, whether it was possible.
    has_hidden_happened: Vec<bool>,
    /// How many successors were computed.
    pub generated: u64,
    /// For each invariant, how often it was false.
    pub broken: Vec<u64>,
    /// Whether steps are computed as [`plain_step`](crate::plain_step) says: all of the next-state relation, for every line.
    is_plain: bool,
    batch: Batch,
    has_more: bool,
}

impl<'s> Expander<'s> {
    pub fn new(spec: &'s LogSpec, evaluator: Evaluator<'s>) -> Self {
        Self {
            spec,
            evaluator,
            taken: vec![0; spec.program.actions.len()],
            has_hidden_happened: vec![false; spec.hidden.len()],
            generated: 0,
            broken: vec![0; spec.invariants.len()],
            is_plain: false,
            batch: Batch::ALL,
            has_more: false,
        }
    }

    /// One that evaluates all of the next-state relation for every line, and compares afterwards.
    pub fn plain(spec: &'s LogSpec, evaluator: Evaluator<'s>) -> Self {
        Self {
            is_plain: true,
            ..Self::new(spec, evaluator)
        }
    }

    /// What is known about the variables after a line, from a state; the reason if the state does not allow it.
    pub fn given(
        &self,
        state: &State,
        line: &PreparedLine,
    ) -> Result<Result<Vec<(u32, Value)>, UpdateProblem>, LogError> {
        let mut given: Vec<(u32, Value)> = Vec::with_capacity(line.updates.len() + self.spec.tracked.len());
        for (slot, _) in &line.updates {
            if given.iter().any(|(own, _)| own == slot) {
                continue;
            }
            let at = *slot as usize;
            let lists = line.updates.iter().filter(|(own, _)| own == slot);
            let all = lists.flat_map(|(_, list)| list);
            let (mut value, mut is_known) = (state[at].clone(), false);
            for update in all.clone().filter(|update| !update.is_statement) {
                is_known = true;
                match update.apply(&value, self.spec.defaults[at].as_ref()) {
                    Ok(updated) => value = updated,
                    Err(problem) if problem.depends_on_state() => return Ok(Err(problem)),
                    Err(problem) => {
                        return Err(LogError::Line {
                            place: line.place.to_string(),
                            message: format!("{}: {problem}", self.spec.program.variables[at]),
                        });
                    }
                }
            }
            for stated in all
                .filter(|update| update.is_statement)
                .filter_map(|update| update.args.first())
            {
                if is_known && *stated != value {
                    return Ok(Err(UpdateProblem::Contradiction {
                        stated: stated.to_string(),
                        updated: value.to_string(),
                    }));
                }
                (value, is_known) = (stated.clone(), true);
            }
            given.push((*slot, value));
        }
        if !line.joined.is_empty() {
            for (slot, updates) in &line.updates {
                let at = *slot as usize;
                let after = given.iter().find(|(own, _)| own == slot).map(|(_, after)| after);
                let problem = after.and_then(|after| {
                    Update::disagreement(updates, &state[at], after, self.spec.defaults[at].as_ref())
                });
                if let Some(problem) = problem {
                    return Ok(Err(problem));
                }
            }
        }
        for slot in &self.spec.tracked {
            if line.updates.iter().all(|(own, _)| own != slot) {
                given.push((*slot, state[*slot as usize].clone()));
            }
        }
        Ok(Ok(given))
    }

    /// A batch of the states that a line may lead to, duplicates included.
    pub fn successors(
        &mut self,
        state: &State,
        line: &PreparedLine,
        batch: Batch,
    ) -> Result<Successors, LogError> {
        let Successors { mut found, has_more } = self.steps(state, line, batch)?;
        if line.parts().any(|part| part.ensures().is_some()) {
            let mut kept = Vec::with_capacity(found.len());
            for successor in found {
                if self.is_ensured(state, line, &successor.state)? {
                    kept.push(successor);
                }
            }
            found = kept;
        }
        self.generated += found.len() as u64;
        Ok(Successors { found, has_more })
    }

    /// The same, whether what the link file says of the steps holds or not (`ensures`).
    pub fn steps(
        &mut self,
        state: &State,
        line: &PreparedLine,
        batch: Batch,
    ) -> Result<Successors, LogError> {
        if matches!(line.kind, LineKind::Failure)
            || line.contradiction.is_some()
            || !self.is_required(state, line)?
        {
            return Ok(Successors::default());
        }
        let Ok(given) = self.given(state, line)? else {
            return Ok(Successors::default());
        };
        let (mut found, mut has_more) = (Vec::new(), false);
        if let Some(meaning) = line.meaning() {
            self.batch = batch;
            self.has_more = false;
            let staged = self.staged(state, line, meaning, &given);
            has_more = self.has_more;
            self.batch = Batch::ALL;
            found = staged?;
        }
        let may_stutter = line.meaning().is_none_or(|meaning| meaning.stutters);
        if may_stutter && given.iter().all(|(slot, value)| state[*slot as usize] == *value) {
            let mut same = vec![Successor { state: state.clone() }];
            self.keep_joined(state, line, 0, &mut same)?;
            found.append(&mut same);
        }
        Ok(Successors { found, has_more })
    }

    /// Whether what the link file requires before the lines of a step holds.
    pub fn is_required(&mut self, state: &State, line: &PreparedLine) -> Result<bool, LogError> {
        for part in line.parts() {
            if let Some(requires) = part.requires() {
                self.evaluator.set_state(state);
                if !self.is_met(requires, part)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether what the link file says of the step of these lines holds.
    pub fn is_ensured(&mut self, from: &State, line: &PreparedLine, to: &State) -> Result<bool, LogError> {
        for part in line.parts() {
            if let Some(ensures) = part.ensures() {
                self.evaluator.set_state(from);
                self.evaluator.set_next(to);
                if !self.is_met(ensures, part)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Of the states from a position on, those to which the actions lead, too, that lines have which join the line.
    fn keep_joined(
        &mut self,
        from: &State,
        line: &PreparedLine,
        position: usize,
        found: &mut Vec<Successor>,
    ) -> Result<(), LogError> {
        if line.joined.iter().all(PreparedLine::has_arguments_of_step) {
            return Ok(());
        }
        for successor in found.split_off(position) {
            if self.is_step_of_joined(from, &line.joined, &successor.state)? {
                found.push(successor);
            }
        }
        Ok(())
    }

    /// Whether a step is one of the actions that lines have which join its line.
    pub fn is_step_of_joined(
        &mut self,
        from: &State,
        joined: &[PreparedLine],
        to: &State,
    ) -> Result<bool, LogError> {
        for part in joined {
            let stages = part.meaning().map_or(&[] as &[Stage], |meaning| &meaning.stages);
            for stage in stages {
                let reached = self.plain_stage(from, part, &stage.action, &part.arguments, &[], Some(to))?;
                if reached.is_empty() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether a condition on a step holds in the current states. One that has no value there (a field that the line has not, values that cannot be compared) is not met.
    pub fn is_met(&mut self, condition: &LineFormula, line: &PreparedLine) -> Result<bool, LogError> {
        let spec = self.spec;
        match condition.holds(&mut self.evaluator, &line.context) {
            Err(failure)
                if matches!(
                    failure.class,
                    ErrorClass::Type | ErrorClass::Domain | ErrorClass::Choose | ErrorClass::Assert
                ) =>
            {
                Ok(false)
            }
            result => result.map_err(|failure| failed(spec, line, &failure)),
        }
    }

    pub fn holds(&mut self, formula: &LineFormula, line: &PreparedLine) -> Result<bool, LogError> {
        let spec = self.spec;
        formula
            .holds(&mut self.evaluator, &line.context)
            .map_err(|failure| failed(spec, line, &failure))
    }

    /// The states after all actions of a line. Only the last one knows arguments and variables.
    fn staged(
        &mut self,
        state: &State,
        line: &PreparedLine,
        meaning: &Meaning,
        given: &[(u32, Value)],
    ) -> Result<Vec<Successor>, LogError> {
        let mut found = Vec::new();
        let Some((last, before)) = meaning.stages.split_last() else {
            return Ok(found);
        };
        if before.is_empty() {
            self.stage(state, line, &last.action, &line.arguments, given, &mut found)?;
            self.keep_joined(state, line, 0, &mut found)?;
            return Ok(found);
        }
        // What comes before the last action is enumerated anew for each batch: batches are for single actions only.
        self.batch = Batch::ALL;
        for state in &self.states_after(state, line, before)? {
            let position = found.len();
            self.stage(state, line, &last.action, &line.arguments, given, &mut found)?;
            if last.is_optional && given.iter().all(|(slot, value)| state[*slot as usize] == *value) {
                found.push(Successor { state: state.clone() });
            }
            self.keep_joined(state, line, position, &mut found)?;
        }
        Ok(found)
    }

    /// The states after actions about which only the line's formulas know something.
    pub fn states_after(
        &mut self,
        state: &State,
        line: &PreparedLine,
        stages: &[Stage],
    ) -> Result<Vec<State>, LogError> {
        let mut states = vec![state.clone()];
        for stage in stages {
            let mut after = Vec::new();
            for state in &states {
                let mut reached = Vec::new();
                self.stage(state, line, &stage.action, &[], &[], &mut reached)?;
                after.extend(reached.into_iter().map(|successor| successor.state));
            }
            if stage.is_optional {
                after.append(&mut states);
            }
            states = distinct(after);
        }
        Ok(states)
    }

    /// The states after one action.
    fn stage(
        &mut self,
        state: &State,
        line: &PreparedLine,
        action: &StageAction,
        arguments: &[Option<Value>],
        given: &[(u32, Value)],
        found: &mut Vec<Successor>,
    ) -> Result<(), LogError> {
        if self.is_plain {
            let states = self.plain_stage(state, line, action, arguments, given, None)?;
            found.extend(states.into_iter().map(|state| Successor { state }));
            return Ok(());
        }
        match action {
            StageAction::Any => {
                let steps = Steps::Of(self.spec.next, Vec::new());
                self.run(&steps, state, given, line, found)
            }
            StageAction::Event(number) => {
                let steps = self.event(*number, arguments);
                self.run(&steps, state, given, line, found)
            }
            StageAction::Applied(number, formulas) => {
                self.evaluator.set_state(state);
                let arguments = self.computed(formulas, line)?;
                let steps = self.event(*number, &arguments);
                self.run(&steps, state, given, line, found)
            }
            StageAction::Formula(formula) => {
                let before = found.len();
                let steps = Steps::Of(formula.operation, formula.arguments(&line.context));
                self.run(&steps, state, given, line, found)?;
                self.keep_steps(state, line, before, found)
            }
        }
    }

    /// The values of formulas for a line, in the current state.
    pub fn computed(
        &mut self,
        formulas: &[LineFormula],
        line: &PreparedLine,
    ) -> Result<Vec<Option<Value>>, LogError> {
        let spec = self.spec;
        let values = formulas
            .iter()
            .map(|formula| formula.value(&mut self.evaluator, &line.context).map(Some));
        let values: Result<Vec<_>, _> = values.collect();
        values.map_err(|failure| failed(spec, line, &failure))
    }

    /// The steps of an event with arguments, as far as they are known.
    pub fn event<'a>(&self, number: usize, arguments: &'a [Option<Value>]) -> Steps<'a>
    where
        's: 'a,
    {
        let spec: &'s LogSpec = self.spec;
        let action = &spec.actions[number];
        let Some(restriction) = &action.restriction else {
            return Steps::Through(&action.definition, arguments);
        };
        let is_exact = arguments.len() == action.params.len() && arguments.iter().all(Option::is_some);
        if is_exact {
            return Steps::Of(restriction.exact, arguments.iter().flatten().cloned().collect());
        }
        let flags =
            (0..action.params.len()).map(|at| Value::bool(arguments.get(at).is_some_and(Option::is_some)));
        let values = (0..action.params.len()).map(|at| match arguments.get(at) {
            Some(Some(value)) => value.clone(),
            _ => Value::bool(false),
        });
        Steps::Of(restriction.partial, flags.chain(values).collect())
    }

    fn run(
        &mut self,
        steps: &Steps<'_>,
        state: &State,
        given: &[(u32, Value)],
        line: &PreparedLine,
        found: &mut Vec<Successor>,
    ) -> Result<(), LogError> {
        let spec = self.spec;
        let before = found.len();
        let mut result = self.enumerate(steps, state, given, &[], found);
        // Values that are given before an action assigns its own are compared with those, which may be an error: a string with a record.
        // What the action assigns is not the given value then, but that says nothing about the other steps of the action.
        if result.is_err() && !given.is_empty() {
            found.truncate(before);
            result = self.enumerate(steps, state, &[], given, found);
        }
        result.map_err(|failure| failed(spec, line, &failure))
    }

    /// The steps with some next values that are given first, and some that are compared afterwards.
    fn enumerate(
        &mut self,
        steps: &Steps<'_>,
        state: &State,
        given: &Known,
        expected: &Known,
        found: &mut Vec<Successor>,
    ) -> Outcome<()> {
        let spec = self.spec;
        let taken = &mut self.taken;
        let Batch { mut skipped, most } = self.batch;
        let has_more = &mut self.has_more;
        let mut on_next = |_: &mut Evaluator<'s>, next: &[Value], action: Option<TakenAction>| {
            if !fits(next, expected) {
                return Ok(Flow::Go);
            }
            if skipped > 0 {
                skipped -= 1;
                return Ok(Flow::Go);
            }
            if found.len() >= most {
                *has_more = true;
                return Ok(Flow::Stop);
            }
            if let Some(taken) = action.and_then(|action| taken.get_mut(action.action as usize)) {
                *taken += 1;
            }
            found.push(Successor { state: next.into() });
            Ok(Flow::Go)
        };
        let evaluator = &mut self.evaluator;
        match steps {
            Steps::Of(operation, arguments) => {
                evaluator.successors_given(*operation, arguments, state, given, &mut on_next)
            }
            Steps::Through(definition, arguments) => {
                let watched = WatchedSteps {
                    definition,
                    arguments,
                    search: StepSearch::All,
                };
                evaluator.successors_through(spec.next, watched, state, given, &mut on_next)
            }
        }
    }

    /// Of the states that a formula of the link file leads to, those that the spec allows, too.
    fn keep_steps(
        &mut self,
        state: &State,
        line: &PreparedLine,
        before: usize,
        found: &mut Vec<Successor>,
    ) -> Result<(), LogError> {
        let spec = self.spec;
        for successor in found.split_off(before) {
            let is_step = successor.state == *state
                || self
                    .evaluator
                    .allows_step(spec.next, &[], state, &successor.state)
                    .map_err(|failure| failed(spec, line, &failure))?;
            if is_step {
                found.push(successor);
            }
        }
        Ok(())
    }

    /// The states after one hidden action, if it may happen before a line.
    pub fn hidden(
        &mut self,
        number: usize,
        state: &State,
        line: &PreparedLine,
    ) -> Result<Vec<Successor>, LogError> {
        let hidden = &self.spec.hidden[number];
        let mut found = Vec::new();
        if let Some(when) = &hidden.when {
            self.evaluator.set_state(state);
            if !self.holds(when, line)? {
                return Ok(found);
            }
        }
        self.stage(state, line, &hidden.action, &[], &[], &mut found)?;
        if !found.is_empty() && !std::mem::replace(&mut self.has_hidden_happened[number], true) {
            self.spec.used.took(&format!("log.hidden[{}]", number + 1));
        }
        self.generated += found.len() as u64;
        Ok(found)
    }

    /// Whether all invariants hold in a state.
    pub fn is_allowed(&mut self, state: &State) -> Result<bool, LogError> {
        for number in 0..self.spec.invariants.len() {
            let invariant = &self.spec.invariants[number];
            let holds = self
                .evaluator
                .holds(invariant.formula, state)
                .map_err(|failure| LogError::Evaluation {
                    place: self.spec.name.clone(),
                    message: self.spec.failure_text(&failure),
                })?;
            if !holds {
                self.broken[number] += 1;
                return Ok(false);
            }
        }
        Ok(true)
    }
}

pub(crate) fn distinct(states: Vec<State>) -> Vec<State> {
    let mut kept: Vec<State> = Vec::with_capacity(states.len());
    let mut seen = rustc_hash::FxHashSet::default();
    for state in states {
        if seen.insert(state.clone()) {
            kept.push(state);
        }
    }
    kept
}

pub(crate) fn failed(spec: &LogSpec, line: &PreparedLine, failure: &Failure) -> LogError {
    LogError::Evaluation {
        place: line.place.to_string(),
        message: format!(
            "evaluating {} failed: {}",
            line.text(spec),
            spec.failure_text(failure)
        ),
    }
}
