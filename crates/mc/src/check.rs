//! A complete check of a model: assumptions, search, counterexample, postconditions.

mod after_search;
mod coverage;
mod formula;
mod options;
mod replay;
mod symmetric_choice;
mod temporal;

use std::sync::atomic::AtomicU64;
use std::sync::{OnceLock, PoisonError};
use std::time::Instant;

use omnilink_tla::deep_stack;
use omnilink_tla::eval::error::Failure;
use omnilink_tla::ir::Program;
use omnilink_tla::model::CompiledSpec;
pub use omnilink_tla_compile::Evaluators;
use omnilink_value::Value;

use self::coverage::{action_coverage, definition_coverage};
pub use self::options::{CheckOptions, CheckpointOptions, SearchMode};
use self::symmetric_choice::symmetric_choices;
use crate::bfs::{Checkpoints, breadth_first_with, remove_checkpoint};
pub use crate::compiled::{Disagreement, Layouts};
use crate::counterexample::{counterexample_path, violation_report};
use crate::depth_first::depth_first;
use crate::dump::GraphSink;
use crate::fingerprint::Fingerprint;
use crate::limits::{Deadline, Limit, SearchOptions};
use crate::liveness::Liveness;
use crate::outcome::{SearchEnd, SearchError, SearchOutcome, SearchViolation, ViolationKind};
use crate::progress::SearchProgress;
use crate::report::{Answer, PropertyKind, Report};
use crate::session::{CheckSession, SessionOptions};
use crate::simulation::{SimulationEnd, simulate};
use crate::source_line::file_and_line;
use crate::spec_record::spec_record;
use crate::statistics::SearchStatistics;
use crate::symmetry::{Symmetry, SymmetryError};
use crate::tla_system::TlaSystem;
use crate::transition_system::TransitionSystem;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ModelCheckError {
    /// The search could not go on.
    #[error(transparent)]
    SearchOptions(#[from] SearchError),
    /// SYMMETRY is invalid.
    #[error("{place}: SYMMETRY {name}: {error}")]
    Symmetry {
        /// The definition that the configuration names.
        name: String,
        /// Its file and line.
        place: String,
        /// What is wrong with it.
        error: SymmetryError,
    },
    /// The model has no initial condition.
    #[error("there is no initial condition; give INIT and NEXT, or SPECIFICATION, in the configuration")]
    NoInit,
    /// A counterexample was not one when it was evaluated again.
    #[error(
        "the counterexample to a temporal property could not be confirmed; this is a mistake of omnilink, please report it"
    )]
    NotReplayed,
    /// With VIEW or SYMMETRY, temporal properties need a second search; a checkpoint has one.
    #[error(
        "with VIEW or SYMMETRY, states are explored once more for temporal properties, and a checkpoint has one search only; \
         check these in a run without --checkpoint, and everything else in one whose configuration has no temporal PROPERTY"
    )]
    NoCheckpoint,
    /// Compiled code and the evaluator differ, and a dump has what the former has found.
    #[error(
        "compiled code and the evaluator differ in {} of a state, which is a mistake of omnilink; the dump has what compiled code has found until then: run this again with --evaluator interpreter",
        .0.what
    )]
    Disagreement(Box<Disagreement>),
    /// A trace to be replayed is about something else.
    #[error("the trace has none of the variables of the spec; is it a trace of another spec?")]
    OtherVariables,
    /// The model has neither behaviours nor assumptions.
    #[error("the module has neither variables nor assumptions, so there is nothing to check")]
    Nothing,
}

/// Queued states may take a quarter of the memory before they go to disk.
const QUEUE_FRACTION: u64 = 4;
/// The seen set may take half of the memory before it goes to disk.
const SEEN_FRACTION: u64 = 2;
/// The memos of all workers may take an eighth of the memory.
const MEMO_FRACTION: u64 = 8;
/// Maximum size of one worker's memo. More does not make a worker faster.
const MEMO_BYTES_MAX: usize = 48 << 20;
/// Memory for the values of compiled code of a worker. When it is full, they are forgotten and found again.
const COMPILED_BYTES_MAX: usize = 64 << 20;

/// Checks a model. `print` receives what the spec prints.
///
/// # Errors
/// When the search cannot be carried out. Violations and evaluation errors are part of the report.
pub fn check(
    model: &CompiledSpec,
    input: &str,
    options: &CheckOptions<'_>,
    progress: &SearchProgress,
    print: &(dyn Fn(&str) + Sync),
    sink: Option<&mut dyn GraphSink>,
) -> Result<Report, ModelCheckError> {
    let started = Instant::now();
    let mut sink = sink;
    let first = sink.as_mut().map(|sink| &mut **sink as &mut dyn GraphSink);
    let mut report = attempt(model, input, options, (progress, print), first)?;
    let Some(disagreement) = report.disagreement.take() else {
        return Ok(report);
    };
    // What compiled code has explored until then may be wrong, too, and so may be a checkpoint.
    if let Some(sink) = &mut sink
        && sink.start_again().is_err()
    {
        return Err(ModelCheckError::Disagreement(disagreement));
    }
    if let Some(checkpoints) = &options.checkpoints {
        remove_checkpoint(checkpoints.folder);
    }
    let options = &CheckOptions {
        evaluators: Evaluators::Interpreter,
        limits: options.limits.after(started.elapsed()),
        checkpoints: options.checkpoints.map(|checkpoints| CheckpointOptions {
            is_resumed: false,
            ..checkpoints
        }),
        ..*options
    };
    let mut report = attempt(model, input, options, (progress, print), sink)?;
    report.disagreement = Some(disagreement);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Checks a model once. If the report has a disagreement, nothing else in it counts.
fn attempt(
    model: &CompiledSpec,
    input: &str,
    options: &CheckOptions<'_>,
    (progress, print): (&SearchProgress, &(dyn Fn(&str) + Sync)),
    sink: Option<&mut dyn GraphSink>,
) -> Result<Report, ModelCheckError> {
    let _limits = options.limits.begin();
    let started = Instant::now();
    let checks_deadlock = options.deadlock.or(model.check_deadlock).unwrap_or(true);
    let (simulation, workers) = match options.mode {
        SearchMode::BreadthFirst => (None, options.workers.max(1)),
        SearchMode::DepthFirst | SearchMode::Replay(_) => (None, 1),
        SearchMode::Simulate(simulation) => (Some(simulation), options.workers.max(1)),
    };
    let session = CheckSession::new(SessionOptions {
        progress,
        print,
        simulation,
        workers,
        checks_deadlock,
        may_execute: options.may_execute,
        is_32_bit: options.is_32_bit,
        deadline: Deadline::new(&options.limits),
        seed: options.seed,
        spec: spec_record(model),
    });
    let mut report = Report {
        input: input.to_owned(),
        config: None,
        answer: Answer::Valid,
        figures: SearchStatistics::default(),
        further: Vec::new(),
        behaviours: None,
        unchecked: Vec::new(),
        held: Vec::new(),
        coverage: Vec::new(),
        definitions: Vec::new(),
        notes: Vec::new(),
        compared: None,
        disagreement: None,
        workers,
        seconds: 0.0,
    };
    let run = CheckRun {
        model,
        options,
        started,
        progress,
        session: &session,
        workers,
        checks_deadlock,
    };
    run.run(&mut report, sink)?;
    report.notes.extend(session.take_warnings());
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// One run of a check.
struct CheckRun<'a> {
    model: &'a CompiledSpec,
    options: &'a CheckOptions<'a>,
    started: Instant,
    progress: &'a SearchProgress,
    session: &'a CheckSession<'a>,
    workers: usize,
    checks_deadlock: bool,
}

impl CheckRun<'_> {
    fn run(&self, report: &mut Report, sink: Option<&mut dyn GraphSink>) -> Result<(), ModelCheckError> {
        let model = self.model;
        if model.init.is_none() {
            if !model.program.variables.is_empty() {
                return Err(ModelCheckError::NoInit);
            }
            if model.assumptions.is_empty() {
                return Err(ModelCheckError::Nothing);
            }
        }
        if let Some(answer) = self.evaluate(&model.assumptions, PropertyKind::Assumption) {
            report.answer = answer;
            return Ok(());
        }
        let Some(init) = model.init else {
            report
                .notes
                .push("there is no behaviour to explore; only the assumptions were evaluated".into());
            return Ok(());
        };
        let symmetry = model.symmetry.filter(|_| self.options.uses_symmetry);
        let symmetry = match symmetry.map(|symmetry| (symmetry, self.value(symmetry))) {
            None => Symmetry::default(),
            Some((formula, Ok(permutations))) => Symmetry::generated_by(&permutations).map_err(|error| {
                let operator = model.program.operator(formula);
                ModelCheckError::Symmetry {
                    name: operator.name.to_string(),
                    place: file_and_line(&model.program, operator.body.at),
                    error,
                }
            })?,
            Some((_, Err(failure))) => {
                report.answer = self.failure_answer(&failure, None);
                return Ok(());
            }
        };
        report.notes.extend(symmetric_choices(&model.program, &symmetry));
        if let Some(answer) = self.constant_formulas(report) {
            report.answer = answer;
            return Ok(());
        }
        let programs: Vec<OnceLock<Program>> = (1..self.workers).map(|_| OnceLock::new()).collect();
        let mut system = TlaSystem::new(model, init, self.session, symmetry, self.checks_deadlock);
        system.programs = &programs;
        system.continues = self.options.continues;
        let share = self.options.limits.memory_bytes / MEMO_FRACTION / self.workers as u64;
        let share = |max: usize| usize::try_from(share).map_or(max, |share| share.min(max));
        if self.options.uses_memo {
            system.memo_bytes = share(MEMO_BYTES_MAX);
        }
        system.evaluators = self.options.evaluators;
        system.layouts = self.options.layouts;
        system.compiled_bytes = share(COMPILED_BYTES_MAX);
        if self.options.counts_definitions {
            let operators = model.program.operators.iter();
            system.evaluation_counts = Some(operators.map(|_| AtomicU64::new(0)).collect());
        }
        let search = SearchOptions {
            workers: self.workers,
            limits: self.options.limits,
            queue_bytes_max: self.options.limits.memory_bytes / QUEUE_FRACTION,
            seen_bytes_max: self.options.limits.memory_bytes / SEEN_FRACTION,
            stack_bytes: deep_stack::STACK_BYTES,
            depth_max: self.options.depth_max,
        };
        let searched = self.search_in_mode(&mut system, &search, sink, report);
        report.disagreement = system.disagreement.take();
        if searched? || report.disagreement.is_some() {
            return Ok(());
        }
        {
            let log = system.compilation.lock().unwrap_or_else(PoisonError::into_inner);
            report.compared = log.compared();
        }
        let has_finished = match &report.answer {
            Answer::Valid | Answer::Stopped | Answer::Limit(Limit::Behaviours) => true,
            Answer::Wrong(_) | Answer::Limit(_) => false,
        };
        if let Answer::Wrong(wrong) = &report.answer
            && !wrong.kind.is_error()
        {
            self.evaluate_after_violation(report);
        }
        if has_finished {
            system.set_possible_register();
            if let Some(answer) = self.evaluate(&model.postconditions, PropertyKind::Postcondition) {
                report.answer = answer;
            } else {
                self.check_possible(&system, report);
            }
        }
        self.note_what_was_checked(&system, report);
        Ok(())
    }

    /// Explores the states or behaviours. Returns whether that is all, and nothing is left to be evaluated.
    fn search_in_mode(
        &self,
        system: &mut TlaSystem<'_>,
        search: &SearchOptions,
        sink: Option<&mut dyn GraphSink>,
        report: &mut Report,
    ) -> Result<bool, ModelCheckError> {
        let model = self.model;
        match self.options.mode {
            SearchMode::BreadthFirst | SearchMode::DepthFirst => {
                let liveness = match deep_stack::run(|| Liveness::new(system, model)) {
                    Ok(liveness) => liveness,
                    Err((name, failure)) => {
                        report.answer = self.failure_answer(&failure, Some(&name));
                        return Ok(true);
                    }
                };
                match liveness {
                    Some(liveness)
                        if self.options.checkpoints.is_some()
                            && !system.fingerprint_determines_state()
                            && !liveness.is_about_the_search(system) =>
                    {
                        return Err(ModelCheckError::NoCheckpoint);
                    }
                    None => {
                        let outcome = self.search(system, search, sink)?;
                        self.report_outcome(system, &outcome, report);
                    }
                    Some(liveness) => {
                        self.search_with_liveness(system, search, &liveness, sink, report)?;
                        // With a checkpoint, what a limit ended can be resumed, even if all states are known.
                        if let Some(checkpoints) = self.options.checkpoints
                            && !matches!(report.answer, Answer::Limit(_))
                        {
                            remove_checkpoint(checkpoints.folder);
                        }
                    }
                }
                report.definitions = definition_coverage(system);
                self.explain_compilation(system, report);
            }
            SearchMode::Replay(trace) => {
                self.replay(system, trace, report)?;
                return Ok(true);
            }
            SearchMode::Simulate(options) => {
                report.unchecked = self.unchecked("liveness is not checked on simulated behaviours");
                let outcome = deep_stack::run(|| simulate(system, search, &options, self.progress));
                report.definitions = definition_coverage(system);
                self.explain_compilation(system, report);
                report.figures.generated = outcome.generated;
                report.figures.depth = outcome.lengths.max;
                report.behaviours = Some(outcome.lengths);
                report.coverage = action_coverage(&self.model.program, &outcome.action_counts);
                report.answer = match outcome.end {
                    SimulationEnd::Limit(limit) => Answer::Limit(limit),
                    SimulationEnd::Stopped | SimulationEnd::Violation => Answer::Stopped,
                };
                for violation in outcome.violations {
                    let longest = u32::try_from(violation.path.len()).unwrap_or(u32::MAX);
                    report.figures.depth = report.figures.depth.max(longest);
                    report.add_violation(deep_stack::run(|| {
                        violation_report(system, &violation.kind, violation.path)
                    }));
                }
            }
        }
        Ok(false)
    }

    /// Notes what was compiled, if that is asked for.
    fn explain_compilation(&self, system: &TlaSystem<'_>, report: &mut Report) {
        if self.options.explains_compilation {
            let log = system.compilation.lock().unwrap_or_else(PoisonError::into_inner);
            report.notes.extend(log.notes());
        }
    }

    fn search(
        &self,
        system: &TlaSystem<'_>,
        search: &SearchOptions,
        sink: Option<&mut dyn GraphSink>,
    ) -> Result<SearchOutcome<Box<Failure>>, SearchError> {
        let variables = self.model.program.variables.len();
        let search = &SearchOptions {
            limits: self.options.limits.after(self.started.elapsed()),
            ..*search
        };
        match self.options.mode {
            SearchMode::DepthFirst => {
                deep_stack::run(|| depth_first(system, variables, search, self.progress, sink))
            }
            _ => {
                let identity = self
                    .options
                    .checkpoints
                    .map(|checkpoints| self.identity(&checkpoints));
                let checkpoints = self.options.checkpoints.map(|checkpoints| Checkpoints {
                    folder: checkpoints.folder,
                    identity: identity.as_deref().unwrap_or_default(),
                    interval: checkpoints.interval,
                    is_resumed: checkpoints.is_resumed,
                    context: system,
                    keeps_complete: self.has_temporal_properties(),
                });
                breadth_first_with(
                    system,
                    variables,
                    search,
                    self.progress,
                    sink,
                    checkpoints.as_ref(),
                )
            }
        }
    }

    /// Identifies all that the states and their order depend on.
    fn identity(&self, checkpoints: &CheckpointOptions<'_>) -> String {
        let options = self.options;
        let mut parts: Vec<Value> = vec![
            Value::str(checkpoints.constants),
            Value::bool(self.checks_deadlock),
            Value::bool(options.is_32_bit),
            Value::bool(options.uses_symmetry),
            Value::bool(options.continues),
            Value::str(&options.seed.to_string()),
        ];
        parts.extend(
            self.model
                .program
                .sources
                .iter()
                .map(|(_, source)| Value::str(source.text())),
        );
        Fingerprint::of_state(&parts).to_string()
    }

    fn report_outcome(
        &self,
        system: &TlaSystem<'_>,
        outcome: &SearchOutcome<Box<Failure>>,
        report: &mut Report,
    ) {
        report.figures = outcome.statistics;
        report.coverage = action_coverage(&self.model.program, &outcome.action_counts);
        self.progress.publish(&outcome.statistics);
        report.answer = match &outcome.end {
            SearchEnd::Complete | SearchEnd::Violation(_) => Answer::Valid,
            SearchEnd::Stopped | SearchEnd::Decided => Answer::Stopped,
            SearchEnd::Limit(limit) => Answer::Limit(*limit),
        };
        if let (SearchEnd::Limit(limit), [_, ..]) = (&outcome.end, &outcome.violations[..]) {
            report.notes.push(format!(
                "the {} limit was reached, so other properties may be violated too",
                limit.word()
            ));
        }
        for violation in &outcome.violations {
            let kind = violation.kind.clone().into_any();
            self.add_violation(system, outcome, violation, &kind, report);
        }
        if let SearchEnd::Violation(violation) = &outcome.end {
            self.add_violation(system, outcome, violation, &violation.kind, report);
        }
    }

    fn add_violation(
        &self,
        system: &TlaSystem<'_>,
        outcome: &SearchOutcome<Box<Failure>>,
        violation: &SearchViolation<impl Sync>,
        kind: &ViolationKind<Box<Failure>>,
        report: &mut Report,
    ) {
        let violation = deep_stack::run(|| {
            let (path, is_complete) = counterexample_path(system, outcome, violation);
            if !is_complete {
                report.notes.push(
                    "the way to the last state could not be found again: does the spec draw at random?"
                        .into(),
                );
            }
            violation_report(system, kind, path)
        });
        report.add_violation(violation);
    }
}
