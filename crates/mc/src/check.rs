//! A whole check: assumptions, the search, the counterexample, postconditions.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use omnilink_tla::deep_stack;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Evaluator, Exchange, Session};
use omnilink_tla::ir::{Formula, Program};
use omnilink_tla::model::{Check, CompiledSpec, NamedFormula};
use omnilink_value::Value;

use crate::breadth_first::{Search, breadth_first};
use crate::depth_first::depth_first;
use crate::described::described;
use crate::dump::GraphSink;
use crate::limits::{Deadline, Limit, Limits};
use crate::live::Live;
use crate::machine::{Machine, State};
use crate::outcome::{Breach, End, Exploration, Figures, SearchError, Taken, Wrong};
use crate::path::{PathState, path_to, step};
use crate::report::{
    ActionCoverage, ActionTaken, Answer, DefinitionCoverage, FalsePart, Kind, Report, TraceState, Unchecked,
    Violation,
};
use crate::session::{RunSession, SessionOptions, set_level};
use crate::simulate::{Draw, Drawn, simulate};
use crate::spec_machine::{Required, SpecMachine, file_and_line};
use crate::symmetry::{Symmetry, SymmetryError};

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub enum Mode {
    /// Level by level.
    BreadthFirst,
    /// The state found last first.
    DepthFirst,
    /// At random.
    Simulate(Draw),
}

/// What to do with a model.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions {
    /// How to explore.
    pub mode: Mode,
    /// How many threads.
    pub workers: usize,
    /// When to give up.
    pub limits: Limits,
    /// Whether a state without successors is wrong; otherwise the configuration says.
    pub deadlock: Option<bool>,
    /// The deepest level to explore; none for all.
    pub depth_max: Option<u32>,
    /// Whether the spec may run commands.
    pub may_execute: bool,
    /// Whether integers have 32 bits.
    pub is_32_bit: bool,
    /// What decides RandomElement and the like.
    pub seed: u64,
    /// Whether answers of evaluations are remembered for other states: faster, and the same answer.
    pub remembers: bool,
    /// Whether evaluations of definitions are counted, which means that none is remembered.
    pub counts_definitions: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            mode: Mode::BreadthFirst,
            workers: 1,
            limits: Limits::default(),
            deadlock: None,
            depth_max: None,
            may_execute: false,
            is_32_bit: false,
            seed: 0,
            remembers: true,
            counts_definitions: false,
        }
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The search could not go on.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// SYMMETRY is none.
    #[error("SYMMETRY: {0}")]
    Symmetry(#[from] SymmetryError),
    /// Nothing says what the behaviours are.
    #[error("there is no initial condition; give INIT and NEXT, or SPECIFICATION, in the configuration")]
    NoInit,
    /// Neither behaviours nor assumptions.
    #[error("the module has neither variables nor assumptions, so there is nothing to check")]
    Nothing,
}

/// Waiting states may take one part in so many of the memory, the rest is for those seen.
const WAITING_SHARE: u64 = 4;
/// What may be remembered of evaluations, as a share of the memory: one in so many bytes, and never more than a worker gains by.
const REMEMBERED_SHARE: u64 = 8;
const REMEMBERED_MAX: usize = 48 << 20;
/// What a thread that evaluates has for its stack; memory that is not touched costs nothing.
const STACK_BYTES: usize = deep_stack::STACK_BYTES;

/// Checks a model. `print` gets what the spec prints.
///
/// # Errors
/// When the search could not be carried out; what is wrong with the spec is part of the report.
pub fn check(
    model: &CompiledSpec,
    input: &str,
    options: &CheckOptions,
    live: &Live,
    print: &(dyn Fn(&str) + Sync),
    sink: Option<&mut dyn GraphSink>,
) -> Result<Report, CheckError> {
    let started = Instant::now();
    let checks_deadlock = options.deadlock.or(model.check_deadlock).unwrap_or(true);
    let (simulated, workers) = match options.mode {
        Mode::BreadthFirst => (None, options.workers.max(1)),
        Mode::DepthFirst => (None, 1),
        Mode::Simulate(draw) => (Some(draw), 1),
    };
    let session = RunSession::new(SessionOptions {
        live,
        print,
        simulated,
        workers,
        checks_deadlock,
        may_execute: options.may_execute,
        is_32_bit: options.is_32_bit,
        deadline: Deadline::new(&options.limits),
        seed: options.seed,
        spec: described(model),
    });
    let mut report = Report {
        input: input.to_owned(),
        config: None,
        answer: Answer::Valid,
        figures: Figures::default(),
        behaviours: None,
        unchecked: unchecked(model),
        coverage: Vec::new(),
        definitions: Vec::new(),
        notes: Vec::new(),
        workers,
        seconds: 0.0,
    };
    let checking = Checking {
        model,
        options,
        live,
        session: &session,
        workers,
        checks_deadlock,
    };
    checking.run(&mut report, sink)?;
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn unchecked(model: &CompiledSpec) -> Vec<Unchecked> {
    let temporal = |check: &Check| match check {
        Check::Liveness(text) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        _ => None,
    };
    let mut unchecked = Vec::new();
    for property in &model.properties {
        for text in property.checks.iter().filter_map(temporal) {
            unchecked.push(Unchecked {
                name: property.name.clone(),
                reason: format!("{text} speaks of whole behaviours (liveness), which is not checked"),
            });
        }
    }
    unchecked
}

/// How often each definition was evaluated. One definition is several operators where it is used through instances, or
/// both with and without a prime.
fn definitions(machine: &SpecMachine<'_>) -> Vec<DefinitionCoverage> {
    let mut definitions: Vec<DefinitionCoverage> = Vec::new();
    let Some(counted) = &machine.definitions else {
        return definitions;
    };
    let program = &machine.model.program;
    let counted = program.operators.iter().zip(counted.iter());
    for (operator, evaluations) in counted.filter(|(operator, _)| operator.is_definition) {
        let place = file_and_line(program, operator.body.at);
        let evaluations = evaluations.load(Ordering::Relaxed);
        let same = |known: &&mut DefinitionCoverage| *known.name == *operator.name && known.place == place;
        match definitions.iter_mut().find(same) {
            Some(known) => known.evaluations += evaluations,
            None => definitions.push(DefinitionCoverage {
                name: operator.name.to_string(),
                place,
                evaluations,
            }),
        }
    }
    definitions
}

struct Checking<'a> {
    model: &'a CompiledSpec,
    options: &'a CheckOptions,
    live: &'a Live,
    session: &'a RunSession<'a>,
    workers: usize,
    checks_deadlock: bool,
}

impl<'a> Checking<'a> {
    fn run(&self, report: &mut Report, sink: Option<&mut dyn GraphSink>) -> Result<(), CheckError> {
        let model = self.model;
        if model.init.is_none() {
            if !model.program.variables.is_empty() {
                return Err(CheckError::NoInit);
            }
            if model.assumptions.is_empty() {
                return Err(CheckError::Nothing);
            }
        }
        if let Some(answer) = self.evaluate(&model.assumptions, Kind::Assumption) {
            report.answer = answer;
            return Ok(());
        }
        let Some(init) = model.init else {
            report
                .notes
                .push("there is no behaviour to explore; only the assumptions were evaluated".into());
            return Ok(());
        };
        let symmetry = match model.symmetry.map(|symmetry| self.value(symmetry)) {
            None => Symmetry::default(),
            Some(Ok(permutations)) => Symmetry::generated_by(&permutations)?,
            Some(Err(failure)) => {
                report.answer = self.without_value(&failure, None);
                return Ok(());
            }
        };
        if let Some(answer) = self.constant_invariants(report) {
            report.answer = answer;
            return Ok(());
        }
        let programs: Vec<OnceLock<Program>> = (1..self.workers).map(|_| OnceLock::new()).collect();
        let mut machine = SpecMachine::new(model, init, self.session, symmetry, self.checks_deadlock);
        machine.programs = &programs;
        machine.exchange = (self.workers > 1).then(|| Arc::new(Exchange::new(self.workers)));
        if self.options.remembers {
            let share = self.options.limits.memory_bytes / REMEMBERED_SHARE / self.workers as u64;
            machine.remembered_bytes =
                usize::try_from(share).map_or(REMEMBERED_MAX, |share| share.min(REMEMBERED_MAX));
        }
        if self.options.counts_definitions {
            let operators = model.program.operators.iter();
            machine.definitions = Some(operators.map(|_| AtomicU64::new(0)).collect());
        }
        let search = Search {
            workers: self.workers,
            limits: self.options.limits,
            waiting_bytes_max: self.options.limits.memory_bytes / WAITING_SHARE,
            stack_bytes: STACK_BYTES,
            depth_max: self.options.depth_max,
        };
        let variables = model.program.variables.len();
        match self.options.mode {
            Mode::BreadthFirst => {
                let explored = breadth_first(&machine, variables, &search, self.live, sink)?;
                report.definitions = definitions(&machine);
                self.explored(&machine, explored, report);
            }
            Mode::DepthFirst => {
                let explored =
                    deep_stack::run(|| depth_first(&machine, variables, &search, self.live, sink))?;
                report.definitions = definitions(&machine);
                self.explored(&machine, explored, report);
            }
            Mode::Simulate(draw) => {
                let drawn = deep_stack::run(|| simulate(&machine, &search, &draw, self.live));
                report.definitions = definitions(&machine);
                report.figures.generated = drawn.generated;
                report.figures.depth = drawn.depth;
                report.behaviours = Some(drawn.behaviours);
                report.coverage = self.coverage(&drawn.taken);
                report.answer = match drawn.end {
                    Drawn::Stopped => Answer::Stopped,
                    Drawn::Limit(limit) => Answer::Limit(limit),
                    Drawn::Broken(wrong, path) => Answer::Wrong(Box::new(deep_stack::run(|| {
                        self.violation(&machine, &wrong, path)
                    }))),
                };
            }
        }
        let is_at_end = match &report.answer {
            Answer::Valid | Answer::Stopped | Answer::Limit(Limit::Behaviours) => true,
            Answer::Wrong(_) | Answer::Limit(_) => false,
        };
        if is_at_end {
            machine.register_possible();
            if let Some(answer) = self.evaluate(&model.postconditions, Kind::Postcondition) {
                report.answer = answer;
            } else {
                self.possible(&machine, report);
            }
        }
        self.note_what_was_checked(&machine, report);
        Ok(())
    }

    /// What `_POSSIBLE` asks for must have been reached by a search that came to its end.
    fn possible(&self, machine: &SpecMachine<'_>, report: &mut Report) {
        let all = self.model.possible.iter().zip(&machine.reached);
        for (possible, reached) in all {
            if reached.load(Ordering::Relaxed) > 0 {
                continue;
            }
            let name = &possible.formula.name;
            let what = if possible.is_step { "step" } else { "state" };
            if report.behaviours.is_some() {
                report.notes.push(format!(
                    "no {what} of the behaviours that were drawn satisfies {name} (_POSSIBLE)"
                ));
                continue;
            }
            report.notes.push(format!(
                "no {what} satisfies {name}, which must be possible (_POSSIBLE)"
            ));
            report.answer = Answer::Wrong(Box::new(Violation {
                kind: Kind::Postcondition,
                violated: Some(name.clone()),
                error: None,
                trace: Vec::new(),
                false_part: None,
            }));
            return;
        }
    }

    /// Says it where an answer of `valid` rests on less than one might think.
    fn note_what_was_checked(&self, machine: &SpecMachine<'_>, report: &mut Report) {
        if !matches!(report.answer, Answer::Valid | Answer::Stopped) {
            return;
        }
        if report.figures.generated == 0 {
            report
                .notes
                .push("no state satisfies the initial condition, so nothing was checked".into());
            return;
        }
        let has_formula = !(machine.invariants.is_empty()
            && machine.initials.is_empty()
            && machine.steps.is_empty()
            && self.model.postconditions.is_empty()
            && self.model.possible.is_empty());
        if !has_formula {
            report.notes.push(match self.checks_deadlock {
                true => "no invariant was checked, only that there is no deadlock".into(),
                false => "no invariant was checked, and no deadlock: the states were only explored".into(),
            });
        }
    }

    /// Invariants that speak of no state are evaluated once, before the search, as in TLC.
    fn constant_invariants(&self, report: &mut Report) -> Option<Answer> {
        let program = &self.model.program;
        let invariants = self.model.invariants.iter();
        let constant: Vec<NamedFormula> = invariants
            .filter(|named| program.operator(named.formula).body.uses.is_constant())
            .cloned()
            .collect();
        for named in &constant {
            report.notes.push(format!(
                "the invariant {} mentions no variable, so it is the same in every state",
                named.name
            ));
        }
        match self.evaluate(&constant, Kind::Invariant) {
            // What has no value may never be needed: there may be no state.
            Some(Answer::Wrong(violation)) if violation.kind.is_error() => None,
            answer => answer,
        }
    }

    fn explored(&self, machine: &SpecMachine<'_>, explored: Exploration<Box<Failure>>, report: &mut Report) {
        report.figures = explored.figures;
        report.coverage = self.coverage(&explored.taken);
        self.live.show(&explored.figures);
        report.answer = match &explored.end {
            End::Complete => Answer::Valid,
            End::Stopped => Answer::Stopped,
            End::Limit(limit) => Answer::Limit(*limit),
            End::Broken(breach) => {
                let (path, is_whole) = deep_stack::run(|| counterexample(machine, &explored, breach));
                if !is_whole {
                    report.notes.push(
                        "the way to the last state could not be found again: does the spec draw at random?"
                            .into(),
                    );
                }
                Answer::Wrong(Box::new(deep_stack::run(|| {
                    self.violation(machine, &breach.wrong, path)
                })))
            }
        };
    }

    fn coverage(&self, taken: &[Taken]) -> Vec<ActionCoverage> {
        let program = &self.model.program;
        let action = |(action, taken): (&omnilink_tla::ir::ActionInfo, &Taken)| ActionCoverage {
            name: action.name.to_string(),
            place: file_and_line(program, action.at),
            generated: taken.generated,
            distinct: taken.distinct,
        };
        program.actions.iter().zip(taken).map(action).collect()
    }

    /// The answer if one of some formulas about no state in particular does not hold, or could not be evaluated in time.
    fn evaluate(&self, formulas: &[NamedFormula], kind: Kind) -> Option<Answer> {
        deep_stack::run(|| {
            set_level(0);
            let mut evaluator = Evaluator::new(&self.model.program, self.session);
            for named in formulas {
                match evaluator.truth(named.formula) {
                    Ok(true) => {}
                    Ok(false) => {
                        return Some(Answer::Wrong(Box::new(Violation {
                            kind,
                            violated: Some(named.name.clone()),
                            error: None,
                            trace: Vec::new(),
                            false_part: self.false_part(&mut evaluator, named.formula),
                        })));
                    }
                    Err(failure) => return Some(self.without_value(&failure, Some(&named.name))),
                }
            }
            None
        })
    }

    /// The answer where a formula outside of the search has no value: it may be that time was up.
    fn without_value(&self, failure: &Failure, name: Option<&str>) -> Answer {
        if failure.class == ErrorClass::Resource && self.session.is_over() {
            return Answer::Limit(match self.live.is_interrupted() {
                true => Limit::Interrupt,
                false => Limit::Time,
            });
        }
        Answer::Wrong(Box::new(Violation {
            violated: name.map(str::to_owned),
            ..self.failed(failure, Vec::new())
        }))
    }

    fn value(&self, formula: Formula) -> Result<Value, Box<Failure>> {
        deep_stack::run(|| Evaluator::new(&self.model.program, self.session).value(formula))
    }

    fn failed(&self, failure: &Failure, mut trace: Vec<TraceState>) -> Violation {
        let kind = match failure.class {
            ErrorClass::Assert => Kind::Assert,
            ErrorClass::Unassigned if !trace.is_empty() => Kind::Incomplete,
            _ => Kind::Evaluation,
        };
        if kind == Kind::Incomplete && !failure.partial.is_empty() {
            let names = self.model.program.variables.iter();
            let known = names.zip(&failure.partial).filter_map(|(name, value)| {
                let value = value.clone()?;
                Some((name.to_string(), value))
            });
            trace.push(TraceState {
                action: None,
                values: known.collect(),
            });
        }
        Violation {
            kind,
            violated: None,
            error: Some(failure.render(&self.model.program.sources)),
            trace,
            false_part: None,
        }
    }

    /// What is wrong at the end of a path.
    fn violation(
        &self,
        machine: &SpecMachine<'_>,
        wrong: &Wrong<Box<Failure>>,
        path: Vec<PathState<ActionTaken>>,
    ) -> Violation {
        let mut evaluator = machine.worker(0);
        let last = path.last().map(|state| state.values.clone());
        let before = path.len().checked_sub(2).and_then(|at| path.get(at));
        let before = before.map(|state| state.values.clone());
        let level = u32::try_from(path.len()).unwrap_or(u32::MAX);
        let trace = self.trace(&mut evaluator, path);
        let state_level = if matches!(wrong, Wrong::Step(_)) {
            level.saturating_sub(1)
        } else {
            level
        };
        set_level(state_level);
        let mut broken = |kind: Kind, required: Option<&Required>, trace: Vec<TraceState>| {
            match (kind, &before, &last) {
                (Kind::Property, Some(before), Some(last)) if matches!(wrong, Wrong::Step(_)) => {
                    evaluator.set_state(before);
                    evaluator.set_next(last);
                }
                (_, _, Some(last)) => evaluator.set_state(last),
                _ => {}
            }
            Violation {
                kind,
                violated: required.map(|required| required.name.clone()),
                error: None,
                trace,
                false_part: required.and_then(|required| self.false_part(&mut evaluator, required.formula)),
            }
        };
        match wrong {
            Wrong::Invariant(index) => broken(Kind::Invariant, machine.invariants.get(*index), trace),
            Wrong::Initial(index) => broken(Kind::Property, machine.initials.get(*index), trace),
            Wrong::Step(index) => broken(Kind::Property, machine.steps.get(*index), trace),
            Wrong::Deadlock => broken(Kind::Deadlock, None, trace),
            Wrong::Failed(failure) => self.failed(failure, trace),
        }
    }

    fn false_part(&self, evaluator: &mut Evaluator<'a>, formula: Formula) -> Option<FalsePart> {
        let part = evaluator.explain_false(formula)?;
        let source = self.model.program.sources.get(part.at.source);
        let place = source.line_column(part.at.span.start);
        Some(FalsePart {
            text: part.text,
            place: format!("{}:{}:{}", source.path().display(), place.line, place.column),
            bindings: omnilink_evidence::Bindings(part.bindings),
        })
    }

    /// The states as they are shown: by their variables, or as ALIAS says.
    fn trace(&self, evaluator: &mut Evaluator<'a>, path: Vec<PathState<ActionTaken>>) -> Vec<TraceState> {
        let program = &self.model.program;
        let states: Vec<State> = path.iter().map(|state| state.values.clone()).collect();
        let mut trace = Vec::with_capacity(path.len());
        for (at, state) in path.into_iter().enumerate() {
            let next = states.get(at + 1).unwrap_or(&state.values);
            let aliased = self.model.alias.and_then(|alias| {
                set_level(u32::try_from(at + 1).unwrap_or(u32::MAX));
                evaluator.set_state(&state.values);
                evaluator.set_next(next);
                let record = evaluator.value(alias).ok()?;
                let fields = record.as_record()?;
                Some(
                    fields
                        .iter()
                        .map(|(name, value)| (name.to_owned(), value.clone()))
                        .collect::<Vec<_>>(),
                )
            });
            let named = || program.variables.iter().zip(state.values.iter());
            trace.push(TraceState {
                values: aliased.unwrap_or_else(|| {
                    named()
                        .map(|(name, value)| (name.to_string(), value.clone()))
                        .collect()
                }),
                action: state.label,
            });
        }
        trace
    }
}

/// The path to what is wrong, and whether it goes all the way.
fn counterexample<'m>(
    machine: &SpecMachine<'m>,
    explored: &Exploration<Box<Failure>>,
    breach: &Breach<Box<Failure>>,
) -> (Vec<PathState<ActionTaken>>, bool) {
    let mut worker = machine.worker(0);
    let mut path = Vec::new();
    let mut is_whole = true;
    if let Some(from) = breach.from {
        match path_to(machine, &mut worker, &explored.seen, from, breach.level) {
            Some(found) => path = found,
            None => is_whole = false,
        }
    }
    if let Some(state) = &breach.state {
        let before: Option<State> = path.last().map(|state| state.values.clone());
        let last = before.and_then(|before| {
            step(machine, &mut worker, &before, breach.level, |_, _, values| {
                *values == **state
            })
        });
        is_whole &= last.is_some() || breach.from.is_none();
        path.push(last.unwrap_or_else(|| PathState {
            values: state.clone(),
            label: None,
        }));
    }
    (path, is_whole)
}
