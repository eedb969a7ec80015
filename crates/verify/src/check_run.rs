//! One input, from the first byte to the report: reads it as often as the engine needs, and collects the evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

use omnilink_engine::{
    CheckError, Checker, Components, Conclusion, Consistency, Counterexample, Footprint, Keys, Limit,
    LimitWatch, Limits, Linearization, Model, Operation, Options, Outcome, Partitioning, Placement,
    Progress as Going, SearchFigures, Strategy, Unknown, check_as_collections, minimize,
};
use omnilink_evidence::{Command, Evidence, Figures, MinimalHistory, Subject, ThreadNames, Violation};
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashMap;

use crate::error::VerifyError;
use crate::history::{Decode, History, Meaning, Read};
use crate::input::Input;
use crate::limits::{CHECK_INTERVAL, is_interrupted};
use crate::peak_memory::peak_bytes;
use crate::places::each_of;
use crate::progress::Progress;
use crate::witness;

/// What is wanted of each input.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// The command that was given.
    pub command: Command,
    /// The model with its options, as the user asked for it.
    pub model_name: String,
    /// What the engine is to do.
    pub options: Options,
    /// Whether to shrink violations.
    pub minimize: bool,
    /// Where to write the explanation of a valid history.
    pub witness: Option<PathBuf>,
}

/// What happens while an input is checked.
#[derive(Debug)]
pub enum CheckEvent<'a, O> {
    /// The input is read from its beginning, for the engine.
    Begin,
    /// The engine has taken this operation.
    Took(&'a O, Timebox),
    /// No order explains this operation.
    Unexplained(&'a omnilink_trace::Operation),
}

/// Checks one input. Whatever goes wrong is part of the evidence.
pub fn check_input<M: Model>(
    model: &M,
    decode: &Decode<'_, M::Op>,
    input: &Input,
    request: &CheckRequest,
    progress: &Progress,
) -> Evidence {
    check_observed(model, decode, input, request, progress, &|_| ())
}

/// The same, with an observer of what happens.
pub fn check_observed<M: Model>(
    model: &M,
    decode: &Decode<'_, M::Op>,
    input: &Input,
    request: &CheckRequest,
    progress: &Progress,
    observe: &dyn Fn(CheckEvent<'_, M::Op>),
) -> Evidence {
    let mut run = CheckRun {
        model,
        decode,
        input,
        request,
        progress,
        observe,
        started: Instant::now(),
        evidence: evidence_of(input, request),
        threads: ThreadNames::default(),
        aborted: 0,
        places: BTreeMap::new(),
        taken: 0,
        may_use_monitors: model.collection_kind().is_some(),
        followed: None,
    };
    if let Err(error) = run.run() {
        let error = error.with_codes_of(input);
        match is_interrupted(&request.options.limits) {
            // A reader that waited for its first bytes was woken up.
            true => run.evidence.give_up(Unknown::limited(Limit::Interrupt)),
            false => {
                run.evidence.fail(error.to_string());
                run.evidence.figures.ops = run.taken;
            }
        }
    }
    run.finish()
}

/// The evidence of an input about which nothing is known yet.
pub(crate) fn evidence_of(input: &Input, request: &CheckRequest) -> Evidence {
    let mut evidence = Evidence::new(request.command, Subject::Operations, input.name.clone());
    evidence.model = Some(request.model_name.clone());
    evidence.consistency = Some(match request.options.consistency {
        Consistency::Linearizable => "linearizable".to_owned(),
        Consistency::Sequential => "sequential".to_owned(),
    });
    evidence.figures = Figures {
        threads: Some(0),
        configurations: Some(0),
        frontier_max: Some(0),
        model_steps: Some(0),
        partitions: Some(0),
        ..Figures::default()
    };
    evidence
}

fn unread_outcome(limit: Limit) -> Outcome {
    Outcome {
        conclusion: Conclusion::Unknown(Box::new(Unknown::limited(limit))),
        figures: SearchFigures::default(),
    }
}

struct CheckRun<'a, M: Model> {
    model: &'a M,
    decode: &'a Decode<'a, M::Op>,
    input: &'a Input,
    request: &'a CheckRequest,
    progress: &'a Progress,
    observe: &'a dyn Fn(CheckEvent<'_, M::Op>),
    started: Instant,
    evidence: Evidence,
    /// The names of the threads seen.
    threads: ThreadNames,
    /// Operations that the system itself reported as failed.
    aborted: u64,
    /// Where operations of the evidence were read, by position.
    places: BTreeMap<u64, String>,
    /// Operations given to the engine.
    taken: u64,
    /// Whether monitors were not asked yet.
    may_use_monitors: bool,
    /// For each operation whether another one of its thread starts where it ends, once the engine has asked.
    followed: Option<Vec<bool>>,
}

/// What came of one reading.
enum Pass {
    Done(Outcome),
    /// An operation with this footprint spans what was taken apart.
    Spans(Footprint),
    /// Threads link these parts.
    Entangled(Vec<Vec<u64>>),
}

impl<M: Model> CheckRun<'_, M> {
    /// After this many readings with parts that did not fit together, everything is checked together.
    const PASSES_MAX: u32 = 8;

    fn run(&mut self) -> Result<(), VerifyError> {
        let outcome = match self.by_real_time()? {
            Some(outcome) => outcome,
            None => self.check(self.options())?,
        };
        self.evidence.figures = Figures::from(&outcome);
        let is_valid = outcome.conclusion.is_valid();
        let mut unexplained = None;
        match outcome.conclusion {
            Conclusion::Valid(valid) => {
                if let Some(file) = &self.request.witness {
                    let interrupt = self.request.options.limits.interrupt;
                    witness::write(self.decode, self.input, &valid, file, interrupt)?;
                }
            }
            Conclusion::Violation(counterexample) => {
                unexplained = Some(counterexample.op.id);
                if self.request.minimize {
                    self.evidence.minimal = self
                        .minimize(&counterexample)
                        .unwrap_or_else(|error| self.note_failure(&error));
                }
                self.evidence.violate(Violation::Operation(counterexample));
            }
            Conclusion::Unknown(unknown) => self.evidence.give_up(*unknown),
        }
        let mut wanted = BTreeSet::new();
        self.evidence.visit_operations(&mut |op| {
            wanted.insert(op.id);
        });
        self.find_places(&wanted, unexplained)
            .unwrap_or_else(|error| self.note_failure(&error));
        if self.request.witness.is_some() && !is_valid {
            self.evidence
                .notes
                .push("there is no explanation, so no witness was written".to_owned());
        }
        if is_valid && self.evidence.figures.ops == self.evidence.figures.pending {
            self.evidence.notes.push(nothing_returned(&self.input.name));
        }
        Ok(())
    }

    /// The evidence, with the names of threads, the places of operations and what the check cost.
    fn finish(self) -> Evidence {
        let mut evidence = self.evidence;
        evidence.visit_operations(&mut |op| op.place = self.places.get(&op.id).cloned());
        self.threads.apply_to(&mut evidence);
        evidence.figures.threads = Some(self.threads.len() as u64);
        evidence.figures.aborted = self.aborted;
        evidence.figures.seconds = self.started.elapsed().as_secs_f64();
        evidence.figures.peak_bytes = peak_bytes();
        evidence
    }

    /// Checks each key apart from the others, unless it turns out that they belong together.
    fn check(&mut self, options: Options) -> Result<Outcome, VerifyError> {
        let mut components = match self.pass(options, Partitioning::PerKey)? {
            Pass::Done(outcome) => return Ok(outcome),
            Pass::Spans(footprint) => match is_everything(&footprint) {
                true => return self.whole(options),
                false => self.components()?,
            },
            Pass::Entangled(links) => {
                let mut components = self.components()?;
                components.join(&links);
                components
            }
        };
        for _ in 0..Self::PASSES_MAX {
            match self.pass(options, components.clone().into_partitioning())? {
                Pass::Done(outcome) => return Ok(outcome),
                Pass::Entangled(links) => components.join(&links),
                // Only an input that changes while it is read gets here.
                Pass::Spans(_) => break,
            }
        }
        self.whole(options)
    }

    /// Sequential consistency by way of linearizability, which is stronger and easier: real time tells most of the order. An order
    /// that keeps real time keeps the order of each thread, too; that is looked at, and not taken for granted where one
    /// operation begins at the moment at which another ends.
    fn by_real_time(&mut self) -> Result<Option<Outcome>, VerifyError> {
        if self.request.options.consistency != Consistency::Sequential {
            return Ok(None);
        }
        let options = self.options();
        let limits = Limits {
            time: options.limits.time.map(|time| time / 2),
            configurations: Some(
                DETOUR_CONFIGURATIONS.min(options.limits.configurations.unwrap_or(u64::MAX)),
            ),
            ..options.limits
        };
        let options = Options {
            consistency: Consistency::Linearizable,
            limits,
            ..options
        };
        let outcome = self.check(options)?;
        let Conclusion::Valid(Linearization {
            order: Some(order), ..
        }) = &outcome.conclusion
        else {
            return Ok(None);
        };
        Ok(self.keeps_program_order(order)?.then_some(outcome))
    }

    /// Whether an order has every thread's operations in the order in which the input has them.
    fn keeps_program_order(&mut self, order: &[Placement]) -> Result<bool, VerifyError> {
        let mut threads = Vec::new();
        let mut history = History::open(self.decode, self.input)?;
        while let Some(read) = history.next()? {
            threads.push(read.operation.thread);
        }
        let mut last: FxHashMap<u32, u64> = FxHashMap::default();
        Ok(order.iter().all(|placement| {
            let thread = threads.get(placement.op as usize).copied().unwrap_or_default();
            let before = last.insert(thread, placement.op);
            before.is_none_or(|before| before < placement.op)
        }))
    }

    /// Reads the whole input, for monitors to decide it, if they can.
    fn check_as_collections(&mut self) -> Result<Option<Outcome>, VerifyError> {
        let mut history = History::open(self.decode, self.input)?;
        let mut operations = Vec::new();
        while let Some(read) = history.next()? {
            operations.push(read.operation);
        }
        let Some(outcome) = check_as_collections(self.model, &operations, &self.options()) else {
            return Ok(None);
        };
        self.taken = operations.len() as u64;
        self.evidence.notes = history.notes();
        self.aborted = history.aborted;
        self.threads = std::mem::take(&mut history.threads);
        Ok(Some(outcome?))
    }

    /// Reads the input once, through the engine.
    fn pass(&mut self, options: Options, partitioning: Partitioning) -> Result<Pass, VerifyError> {
        let mut history = History::open(self.decode, self.input)?;
        let mut watch = LimitWatch::new(options.limits);
        let mut checker = Checker::with_partitioning(self.model, options, partitioning.clone());
        let is_detour = options.consistency != self.request.options.consistency;
        if self.request.witness.is_some() || is_detour {
            checker = checker.keep_order();
        }
        self.taken = 0;
        (self.observe)(CheckEvent::Begin);
        let mut spanning = None;
        let mut limit = None;
        loop {
            let read = match history.next() {
                Ok(Some(read)) => read,
                Ok(None) => break,
                // A reader that waited for more was woken up.
                Err(_) if is_interrupted(&options.limits) => {
                    checker.stop(Limit::Interrupt);
                    limit = Some(Limit::Interrupt);
                    break;
                }
                Err(error) => return Err(error),
            };
            if self.taken.is_multiple_of(CHECK_INTERVAL)
                && let Some(reached) = watch.reached()
            {
                checker.stop(reached);
                limit = Some(reached);
                break;
            }
            (self.observe)(CheckEvent::Took(&read.operation.op, read.operation.timebox));
            let progress = match &self.followed {
                Some(followed) => {
                    let is_followed = followed.get(self.taken as usize).is_none_or(|followed| *followed);
                    checker.push_followed(read.operation, is_followed)?
                }
                None => checker.push(read.operation)?,
            };
            match progress {
                Going::Going => {}
                Going::Decided => {
                    self.taken += 1;
                    break;
                }
                Going::Spans => {
                    spanning = Some(read.observed);
                    break;
                }
            }
            if self.may_use_monitors && checker.is_hard() {
                self.may_use_monitors = false;
                if let Some(outcome) = self.check_as_collections()? {
                    return Ok(Pass::Done(outcome));
                }
            }
            self.taken += 1;
            if self.taken.is_multiple_of(Progress::BATCH) {
                self.progress.add_batch();
            }
        }
        let is_empty = self.taken == 0 && history.aborted + history.left_out == 0;
        if is_empty && limit.is_none() && spanning.is_none() && !history.has_header() {
            return Err(VerifyError::empty(&self.input.name, &history.notes()));
        }
        self.evidence.notes = history.notes();
        self.aborted = history.aborted;
        self.threads = std::mem::take(&mut history.threads);
        if let Some(observed) = spanning {
            // The engine took the operation, so it is read again: this happens once in a check.
            let footprint = match (self.decode)(&observed)? {
                Meaning::Once(op) => self.model.footprint(&op),
                Meaning::InSteps { .. } | Meaning::LeftOut | Meaning::DidNotHappen => Footprint::everything(),
            };
            return Ok(Pass::Spans(footprint));
        }
        // What comes later may explain what came before: about a part of a history nothing is known.
        if let Some(limit) = limit.filter(|_| options.consistency == Consistency::Sequential) {
            return Ok(Pass::Done(unread_outcome(limit)));
        }
        if limit.is_none()
            && checker.is_hard()
            && let Some(outcome) = self.depth_first_from_start(options, &partitioning)
        {
            return Ok(Pass::Done(outcome));
        }
        match checker.finish() {
            Err(CheckError::Entangled(links)) => Ok(Pass::Entangled(links)),
            Err(CheckError::Tied) if self.followed.is_none() => {
                self.followed = Some(self.find_followed()?);
                self.pass(options, partitioning)
            }
            answer => Ok(Pass::Done(answer?)),
        }
    }

    /// Depth-first search over the whole history, for a history that is too hard for the sweep.
    ///
    /// The portfolio starts depth-first search from the sweep's frontier, where most configurations may be dead ends that take
    /// exponential time to refute. From the initial state it often goes straight to an explanation. The attempt is bounded by
    /// the length of the history, and only an explanation counts: for a violation the sweep has the better evidence.
    fn depth_first_from_start(&mut self, options: Options, partitioning: &Partitioning) -> Option<Outcome> {
        if options.strategy != Strategy::Portfolio || self.taken > DEPTH_FIRST_OPS_MAX {
            return None;
        }
        let configurations = DEPTH_FIRST_CONFIGURATIONS_PER_OP * self.taken.max(1);
        let limits = Limits {
            time: options.limits.time.map(|time| time / 4),
            configurations: Some(configurations.min(options.limits.configurations.unwrap_or(u64::MAX))),
            ..options.limits
        };
        let options = Options {
            strategy: Strategy::DepthFirst,
            limits,
            ..options
        };
        // What fails here is met again, or not needed.
        match self.pass(options, partitioning.clone()) {
            Ok(Pass::Done(outcome)) if outcome.conclusion.is_valid() => Some(outcome),
            _ => None,
        }
    }

    fn whole(&mut self, options: Options) -> Result<Outcome, VerifyError> {
        match self.pass(options, Partitioning::Whole)? {
            Pass::Done(outcome) => Ok(outcome),
            Pass::Spans(_) | Pass::Entangled(_) => unreachable!("nothing spans more than the whole"),
        }
    }

    /// The engine's options, less the time that is already gone.
    fn options(&self) -> Options {
        let limits = self.request.options.limits;
        let time = limits
            .time
            .map(|time| time.saturating_sub(self.started.elapsed()));
        Options {
            limits: Limits { time, ..limits },
            ..self.request.options
        }
    }

    /// For each operation, whether another one of its thread starts where it ends.
    fn find_followed(&self) -> Result<Vec<bool>, VerifyError> {
        let mut history = History::open(self.decode, self.input)?;
        let mut followed = Vec::new();
        let mut last: FxHashMap<u32, Vec<(Time, usize)>> = FxHashMap::default();
        while let Some(Read { operation, .. }) = history.next()? {
            let Timebox { start, end } = operation.timebox;
            let open = last.entry(operation.thread).or_default();
            for (_, position) in open.iter().filter(|(end, _)| *end == start) {
                followed[*position] = true;
            }
            open.retain(|(end, _)| *end >= start);
            open.extend(end.map(|end| (end, followed.len())));
            followed.push(false);
        }
        Ok(followed)
    }

    /// Which parts belong together.
    fn components(&self) -> Result<Components, VerifyError> {
        let mut components = Components::default();
        let mut history = History::open(self.decode, self.input)?;
        let mut watch = LimitWatch::new(self.options().limits);
        let mut operations = 0_u64;
        while let Some(read) = history.next()? {
            operations += 1;
            // What was not read may belong together in any way.
            if operations.is_multiple_of(CHECK_INTERVAL) && watch.reached().is_some() {
                components.observe(&Footprint::everything());
                break;
            }
            components.observe(&self.model.footprint(&read.operation.op));
            if components.is_settled() {
                break;
            }
        }
        Ok(components)
    }

    /// Shrinks the history up to the return that cannot be explained.
    fn minimize(
        &mut self,
        counterexample: &Counterexample,
    ) -> Result<Option<Box<MinimalHistory>>, VerifyError> {
        let mut history = History::open(self.decode, self.input)?;
        let mut operations: Vec<Operation<M::Op>> = Vec::new();
        let is_sequential = self.request.options.consistency == Consistency::Sequential;
        let mut watch = LimitWatch::new(self.options().limits);
        while let Some(read) = history.next()? {
            if operations.len().is_multiple_of(CHECK_INTERVAL as usize) && watch.reached().is_some() {
                let note = "a limit was reached before the violation could be shrunk";
                self.evidence.notes.push(note.to_owned());
                return Ok(None);
            }
            // What starts after that return has no say in it, unless real time does not count.
            let end = counterexample.op.end;
            let is_later = end.is_some_and(|end| end < read.operation.timebox.start);
            if is_later && !is_sequential {
                break;
            }
            operations.push(read.operation);
        }
        let minimal = minimize(self.model, operations, self.options())?;
        if minimal.is_none() {
            self.evidence
                .notes
                .push("the violation could not be shrunk within the limits".to_owned());
        }
        let describe = |op: &M::Op| self.model.describe_op(op);
        Ok(minimal.map(|minimal| Box::new(minimal.shown(describe))))
    }

    /// A verdict that is known stands, also if the input cannot be read a second time.
    fn note_failure<T: Default>(&mut self, error: &VerifyError) -> T {
        self.evidence
            .notes
            .push(format!("the evidence is not complete: {error}"));
        T::default()
    }

    /// Reads the input again to find where these operations stand in it.
    fn find_places(&mut self, wanted: &BTreeSet<u64>, unexplained: Option<u64>) -> Result<(), VerifyError> {
        each_of(self.decode, self.input, wanted, |id, observed| {
            if unexplained == Some(id) {
                (self.observe)(CheckEvent::Unexplained(observed));
            }
            self.places.insert(id, observed.location.to_string());
        })
    }
}

fn is_everything(footprint: &Footprint) -> bool {
    matches!(footprint.reads, Keys::All) || matches!(footprint.writes, Keys::All)
}

/// How much a check of a stronger level than the one asked for may take.
const DETOUR_CONFIGURATIONS: u64 = 1 << 20;

/// Depth-first search keeps the history in memory: longer ones are left to the portfolio.
const DEPTH_FIRST_OPS_MAX: u64 = 100_000;

/// The configurations that the attempt at depth-first search may explore per operation.
const DEPTH_FIRST_CONFIGURATIONS_PER_OP: u64 = 64;

/// What to say about an input that says nothing.
pub(crate) fn nothing_returned(input: &str) -> String {
    format!("{input}: no operation returned, so there was nothing to explain")
}
