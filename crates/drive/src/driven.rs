//! A system driven through behaviours: what it shows after each step is compared with all that the specification allows.

use std::time::{Duration, Instant};

use omnilink_evidence::{
    Behaviour, Bindings, Command, DrivenRun, Evidence, Limit, PropertyKind, Subject, SystemDifference,
    Unknown, Violation,
};
use omnilink_mc::report::ActionTaken;
use omnilink_mc::{Explorer, ExplorerError, RecordedValue, State};
use omnilink_tla::ir::Formula;
use omnilink_value::Value;
use serde_json::Value as Json;

use crate::behaviour_test::BehaviourTest;
use crate::driver_process::{DriverAnswer, DriverError, DriverProcess};
use crate::follower::{FollowError, Follower, KnownAction, SeenValues};

/// How systems are driven.
#[derive(Clone, Debug)]
pub struct DriveOptions {
    /// The program that drives the system, with its arguments.
    pub command: Vec<String>,
    /// The time that it has for each answer.
    pub timeout: Duration,
    /// Expressions over states that the driver may observe.
    pub observables: Vec<(String, Formula)>,
    /// How many states the system may be in at most.
    pub states_max: usize,
    /// Whether someone pressed Ctrl-C.
    pub is_interrupted: fn() -> bool,
}

/// A driver that is kept from one behaviour to the next.
#[derive(Debug)]
pub struct DrivenSystem<'o> {
    options: &'o DriveOptions,
    process: Option<DriverProcess>,
}

/// How a behaviour ended, if not as it should.
enum Ending {
    /// The system has gone its own way, as the specification allows, and the behaviour's next step is not possible there.
    Left,
    Difference(Box<Behaviour>),
    Unknown(Limit, String),
    Error(String),
}

/// At most this many other states that the specification allows are shown.
const ALLOWED_MAX: usize = 3;

/// One behaviour under way.
struct DrivenBehaviour<'a, 'm> {
    explorer: &'a mut Explorer<'m>,
    test: &'a BehaviourTest,
    follower: Follower,
    run: DrivenRun,
    notes: Vec<String>,
}

impl<'o> DrivenSystem<'o> {
    /// A system that is not started yet.
    pub fn new(options: &'o DriveOptions) -> Self {
        Self {
            options,
            process: None,
        }
    }

    /// Drives the system through a behaviour, of the file `input`. A driver that has ended is started again.
    ///
    /// # Errors
    /// When the driver cannot be started.
    pub fn drive(
        &mut self,
        explorer: &mut Explorer<'_>,
        input: &str,
        test: &BehaviourTest,
    ) -> Result<Evidence, DriverError> {
        let started = Instant::now();
        let options = self.options;
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(DriverProcess::start(
                &options.command,
                options.timeout,
                options.is_interrupted,
            )?),
        };
        let mut driven = DrivenBehaviour {
            explorer,
            test,
            follower: Follower::new(options.observables.clone(), options.states_max),
            run: DrivenRun {
                steps: test.steps.len(),
                ..DrivenRun::default()
            },
            notes: Vec::new(),
        };
        let ending = driven.run(process, input);
        driven.note_unobserved();
        let mut evidence = Evidence::new(Command::Drive, Subject::System, input);
        evidence.driven = Some(driven.run);
        evidence.notes = driven.notes;
        // A driver that did not answer, or not as it should, is in an unknown state.
        if !matches!(ending, Ok(()) | Err(Ending::Left)) {
            self.process = None;
        }
        match ending {
            Ok(()) | Err(Ending::Left) => {}
            Err(Ending::Difference(behaviour)) => evidence.violate(Violation::Behaviour(behaviour)),
            Err(Ending::Unknown(limit, reason)) => evidence.give_up(Unknown {
                reason: Some(reason),
                ..Unknown::limited(limit)
            }),
            Err(Ending::Error(message)) => evidence.fail(message),
        }
        evidence.figures.seconds = started.elapsed().as_secs_f64();
        Ok(evidence)
    }
}

impl DrivenBehaviour<'_, '_> {
    fn run(&mut self, process: &mut DriverProcess, input: &str) -> Result<(), Ending> {
        let test = self.test;
        let variables = &self.explorer.model().program.variables;
        let variables: Vec<String> = variables.iter().map(|name| name.to_string()).collect();
        let said = process.begin(input, &variables, &test.initial);
        let (seen, _) = self.done(said, None)?;
        // The driver was told all of the initial state, so what it does not show is known, too, if the rest agrees.
        let agrees = self.follower.agrees(self.explorer, &test.initial, &seen);
        let known: SeenValues = if agrees.map_err(ending)? {
            let values = test.initial.iter().cloned().map(RecordedValue::Exact);
            variables.iter().cloned().zip(values).collect()
        } else {
            seen.clone()
        };
        let is_possible = self.follower.start(self.explorer, &known).map_err(ending)?;
        if !is_possible {
            return Err(self.difference(0, None, &seen, None)?);
        }
        self.note_left(0, &test.initial);
        for (number, (told, expected)) in (1..).zip(&test.steps) {
            // The step need not be possible any more where the system has gone its own way.
            let known = known_action(told, &Vec::new());
            let has_left = self.run.left_at.is_some();
            if has_left
                && self
                    .follower
                    .enabled(self.explorer, &known)
                    .map_err(ending)?
                    .is_empty()
            {
                return Err(Ending::Left);
            }
            let said = process.step(number, told);
            let (seen, chosen) = self.done(said, Some((number, told)))?;
            self.run.done = number;
            let action = known_action(told, &chosen);
            let is_possible = self
                .follower
                .take(self.explorer, &action, &seen)
                .map_err(ending)?;
            if !is_possible {
                return Err(self.difference(number, Some((told, &action)), &seen, None)?);
            }
            self.note_left(number, expected);
        }
        Ok(())
    }

    /// What was seen, and which parameters the system chose.
    fn done(
        &mut self,
        said: Result<DriverAnswer, DriverError>,
        told: Option<(usize, &ActionTaken)>,
    ) -> Result<(SeenValues, SeenValues), Ending> {
        let (number, action) = told.map_or((0, None), |(number, action)| (number, Some(action)));
        let what = action.map_or_else(|| "start".to_owned(), |action| action.name.clone());
        let is_dead = matches!(said, Err(DriverError::Ended(_)));
        let refusal = match said {
            Ok(DriverAnswer::Done { state, parameters }) => {
                for (name, value) in &state {
                    self.observe(name, value);
                }
                return Ok((state, parameters));
            }
            Ok(DriverAnswer::Refused(text)) => text,
            // The system died while it did what the specification allows.
            Err(error @ DriverError::Ended(_)) => error.to_string(),
            Ok(DriverAnswer::Unimplemented(text)) => {
                let reason = format!("step {number}: the driver does not implement {what} yet: {text}");
                return Err(Ending::Unknown(Limit::Inconclusive, reason));
            }
            Err(error @ DriverError::Timeout(_)) => {
                let reason = format!("step {number}, {what}: {error}; --step-timeout gives it more time");
                return Err(Ending::Unknown(Limit::Time, reason));
            }
            Err(error @ DriverError::Interrupted) => {
                return Err(Ending::Unknown(Limit::Interrupt, error.to_string()));
            }
            Err(error) => return Err(Ending::Error(format!("step {number}, {what}: {error}"))),
        };
        if let Some(action) = action
            && self.may_refuse(action)?
        {
            self.run.left_at.get_or_insert(number);
            return Err(if is_dead {
                Ending::Unknown(
                    Limit::Inconclusive,
                    format!("step {number}, {what}: {refusal}, but the step need not have been possible"),
                )
            } else {
                Ending::Left
            });
        }
        self.run.done = number;
        let known = action.map(|action| (action, known_action(action, &Vec::new())));
        let known = known.as_ref().map(|(action, known)| (*action, known));
        Err(self.difference(number, known, &Vec::new(), Some(refusal))?)
    }

    /// Whether the step is not possible in one of the states that the system may be in.
    fn may_refuse(&mut self, action: &ActionTaken) -> Result<bool, Ending> {
        let known = known_action(action, &Vec::new());
        let enabled = self.follower.enabled(self.explorer, &known).map_err(ending)?;
        let is_enabled = |at: usize| enabled.iter().any(|(before, _)| *before == at);
        Ok(!(0..self.follower.possible().len()).all(is_enabled))
    }

    fn observe(&mut self, name: &str, value: &RecordedValue) {
        let is_known = !matches!(value, RecordedValue::Json(Json::Null));
        if is_known && !self.run.observed.iter().any(|known| known == name) {
            self.run.observed.push(name.to_owned());
        }
    }

    fn note_unobserved(&mut self) {
        let variables = self.explorer.model().program.variables.iter();
        let variables = variables.map(|name| name.to_string());
        self.run.unobserved = variables
            .filter(|name| !self.run.observed.contains(name))
            .collect();
        if self.run.observed.is_empty() && self.run.done > 0 {
            self.notes.push(
                "the driver showed nothing of the system's state, so only refusals and crashes would have been found"
                    .to_owned(),
            );
        }
    }

    /// Remembers where the system left the behaviour.
    fn note_left(&mut self, number: usize, expected: &State) {
        let possible = self.follower.possible();
        if self.run.left_at.is_none() && !possible.iter().any(|possible| possible.state == *expected) {
            self.run.left_at = Some(number);
        }
    }

    /// The evidence of a difference in a step of this number, after the states that were possible before it.
    fn difference(
        &mut self,
        number: usize,
        told: Option<(&ActionTaken, &KnownAction)>,
        seen: &SeenValues,
        answer: Option<String>,
    ) -> Result<Ending, Ending> {
        let mut shown = self
            .allowed_values(number, told.map(|(_, action)| action), seen)?
            .into_iter();
        let mut expected = shown.next().unwrap_or(Bindings(Vec::new()));
        // What the system chose by itself is a part of what is seen.
        let mut seen = seen.clone();
        for (name, value) in told.into_iter().flat_map(|(_, action)| &action.parameters) {
            let of_test = told.and_then(|(taken, _)| taken.bindings.get(name));
            if let (RecordedValue::Json(_), Some(of_test)) = (value, of_test) {
                expected.0.push((name.clone(), of_test.clone()));
                seen.push((name.clone(), value.clone()));
            }
        }
        let got: Bindings<Value> = seen
            .iter()
            .map(|(name, value)| (name.clone(), value.like(expected.get(name))))
            .collect();
        let differs = seen.iter().filter(|(name, value)| {
            let expected = expected.get(name);
            expected.is_some_and(|expected| !value.matches(expected))
        });
        let differs: Vec<String> = differs.map(|(name, _)| name.clone()).collect();
        self.note_other_forms(&differs, &expected, &got);
        let path = self.follower.path_to(0);
        let before = path.last().map(|(_, state)| state.clone());
        let variables = &self.explorer.model().program.variables;
        let trace = path.into_iter().map(|(taken, state)| {
            let names = variables.iter().map(|name| name.to_string());
            (taken, names.zip(state.iter().cloned()).collect())
        });
        let violated = told.map(|(taken, _)| taken.name.clone());
        let mut behaviour = Behaviour::new(PropertyKind::Driven, violated, trace);
        if let (Some((taken, _)), Some(before), None) = (told, &before, &answer) {
            let given = (0..).zip(variables).filter_map(|(at, name)| {
                let value = got.get(name)?;
                differs
                    .iter()
                    .any(|differs| **differs == **name)
                    .then(|| (at, value.clone()))
            });
            let given: Vec<(u32, Value)> = given.collect();
            behaviour.false_part = self.explorer.refusals(taken, before, &given).into_iter().next();
        }
        let formula = told.and_then(|(taken, _)| Some(self.explorer.formula(&taken.name)?.0));
        behaviour.difference = Some(Box::new(SystemDifference {
            step: number,
            action: told.map(|(taken, _)| taken.clone()),
            formula,
            expected,
            got,
            differs,
            allowed: shown.collect(),
            answer,
        }));
        Ok(Ending::Difference(Box::new(behaviour)))
    }

    /// The values of what was seen in the states that the specification allows after an action, whatever the system chose: first those
    /// that the behaviour expects, then a few others.
    fn allowed_values(
        &mut self,
        number: usize,
        action: Option<&KnownAction>,
        seen: &SeenValues,
    ) -> Result<Vec<Bindings<Value>>, Ending> {
        let allowed: Vec<State> = match action {
            None => {
                let initial = self.explorer.initial_states();
                initial.map_err(|error| ending(error.into()))?
            }
            Some(action) => {
                let told = action.parameters.iter();
                let told = told.filter(|(_, value)| matches!(value, RecordedValue::Exact(_)));
                let any = KnownAction {
                    name: action.name.clone(),
                    parameters: told.cloned().collect(),
                };
                let steps = self.follower.enabled(self.explorer, &any).map_err(ending)?;
                steps.into_iter().map(|(_, step)| step.to).collect()
            }
        };
        let test = self.test;
        let of_test = match number.checked_sub(1) {
            None => Some(&test.initial),
            Some(at) => test.steps.get(at).map(|(_, state)| state),
        };
        // Where the system has gone its own way, the behaviour's state may be none of them.
        let of_test = of_test.filter(|state| allowed.is_empty() || allowed.contains(state));
        let mut shown: Vec<Bindings<Value>> = Vec::new();
        for state in of_test.into_iter().chain(&allowed) {
            let values = self.seen_of(state, seen)?;
            if shown.len() <= ALLOWED_MAX && !shown.contains(&values) {
                shown.push(values);
            }
        }
        Ok(shown)
    }

    /// A value of another kind is most often a mistake of the driver.
    fn note_other_forms(&mut self, differs: &[String], expected: &Bindings<Value>, got: &Bindings<Value>) {
        for name in differs {
            if let (Some(expected), Some(got)) = (expected.get(name), got.get(name))
                && expected.kind() != got.kind()
            {
                self.notes.push(format!(
                    "{name} is {got} in the driver and {expected} in the specification: does the driver show it in another form?"
                ));
            }
        }
    }

    /// The values of what was seen, in a state of the specification.
    fn seen_of(&mut self, state: &State, seen: &SeenValues) -> Result<Bindings<Value>, Ending> {
        let mut values = Vec::with_capacity(seen.len());
        for (name, _) in seen {
            let value = self.follower.value(self.explorer, state, name).map_err(ending)?;
            values.push((name.clone(), value));
        }
        Ok(Bindings(values))
    }
}

fn ending(error: FollowError) -> Ending {
    let text = error.to_string();
    match error {
        FollowError::Explorer(ExplorerError::Limit(limit)) => Ending::Unknown(limit, text),
        FollowError::TooMany(_) => Ending::Unknown(Limit::Configurations, text),
        FollowError::Request(_) | FollowError::Explorer(ExplorerError::Evaluation(_)) => Ending::Error(text),
    }
}

/// The action that was told, with the parameters that the system chose in the place of those that it was told.
fn known_action(told: &ActionTaken, chosen: &SeenValues) -> KnownAction {
    let of_test = told.bindings.iter().filter(|(name, _)| {
        let mut chosen = chosen.iter();
        !chosen.any(|(own, _)| own == name)
    });
    let of_test = of_test.map(|(name, value)| (name.clone(), RecordedValue::Exact(value.clone())));
    KnownAction {
        name: Some(told.name.clone()),
        parameters: of_test.chain(chosen.iter().cloned()).collect(),
    }
}
