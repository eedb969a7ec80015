//! The readings of an input through the engine: each key apart, then what turned out to belong together, then everything.

use std::time::Instant;

use omnilink_engine::{
    CheckError, CheckOutcome, Checker, CollectionStream, Conclusion, Consistency, Footprint, Keys, Limit,
    LimitWatch, Limits, Linearization, Model, Options, Partitioning, Progress, SearchFigures, Strategy,
    Unknown, check_as_collections,
};

use super::{CheckEvent, CheckRun};
use crate::detail::Detail;
use crate::error::VerifyError;
use crate::history::{History, Meaning};
use crate::limits::{CHECK_INTERVAL, is_interrupted};
use crate::progress::ProgressCounter;

/// How much a check of a stronger level than the one asked for may take.
const DETOUR_CONFIGURATIONS: u64 = 1 << 20;

/// Depth-first search keeps the history in memory: longer ones are left to the portfolio.
const DEPTH_FIRST_OPS_MAX: u64 = 100_000;

/// The number of waiting operations that depth-first search explains at a time. They take some megabytes.
const COMMIT_AFTER: usize = 1 << 12;

/// The configurations that the attempt at depth-first search may explore per operation.
const DEPTH_FIRST_CONFIGURATIONS_PER_OP: u64 = 64;

/// What came of one reading.
enum Pass {
    Done(CheckOutcome),
    /// An operation with this footprint spans what was taken apart.
    Spans(Footprint),
    /// Threads link these parts.
    Entangled(Vec<Vec<u64>>),
}

impl<M: Model> CheckRun<'_, M> {
    /// After this many readings with parts that did not fit together, everything is checked together.
    const PASSES_MAX: u32 = 8;

    /// Checks each key apart from the others, unless it turns out that they belong together.
    pub(super) fn check(&mut self, options: Options) -> Result<CheckOutcome, VerifyError> {
        // A limit on configurations is for the whole check, and a reading that is repeated would count them anew.
        let options = Options {
            commit_after: options.limits.configurations.is_none().then_some(COMMIT_AFTER),
            ..options
        };
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
    pub(super) fn by_real_time(&mut self) -> Result<Option<CheckOutcome>, VerifyError> {
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

    /// Lets monitors decide the input, if they can: a long one piece by piece, if it can be taken apart and is valid; otherwise
    /// all of it in memory.
    pub(super) fn check_as_collections(&mut self) -> Result<Option<CheckOutcome>, VerifyError> {
        let is_short = self.input.bytes().is_some_and(|bytes| bytes <= WITNESS_BYTES_MAX);
        if !is_short
            && self.request.witness.is_none()
            && let Some(outcome) = self.check_in_pieces()?
        {
            return Ok(Some(outcome));
        }
        let mut history = History::open(self.decode, self.input)?;
        let mut operations = Vec::new();
        let mut watch = LimitWatch::new(self.options().limits);
        while let Some(read) = history.next()? {
            operations.push(read.operation);
            if operations.len().is_multiple_of(CHECK_INTERVAL as usize)
                && let Some(limit) = watch.reached()
            {
                return Ok(Some(unread_outcome(limit)));
            }
        }
        let is_empty = operations.is_empty() && history.aborted + history.left_out == 0;
        if is_empty && !history.has_header() {
            return Err(VerifyError::empty(&self.input.name, &history.notes()));
        }
        let outcome = match check_as_collections(self.model, &operations, &self.options()) {
            Ok(outcome) => outcome,
            Err(reason) if self.request.options.strategy == Strategy::Monitor => {
                return Err(CheckError::from(reason).into());
            }
            Err(_) => return Ok(None),
        };
        self.taken = operations.len() as u64;
        self.evidence.notes = history.notes();
        self.aborted = history.aborted;
        self.threads = std::mem::take(&mut history.threads);
        Ok(Some(outcome?))
    }

    /// Reads the input once, through monitors that decide it piece by piece. `None` if that does not settle it.
    fn check_in_pieces(&mut self) -> Result<Option<CheckOutcome>, VerifyError> {
        let options = self.options();
        let Ok(mut stream) = CollectionStream::new(self.model, options) else {
            return Ok(None);
        };
        let mut history = History::open(self.decode, self.input)?;
        let mut watch = LimitWatch::new(options.limits);
        let mut taken: u64 = 0;
        while let Some(read) = history.next()? {
            if stream.push(read.operation).is_err() {
                return Ok(None);
            }
            taken += 1;
            if taken.is_multiple_of(CHECK_INTERVAL)
                && let Some(limit) = watch.reached()
            {
                return Ok(Some(unread_outcome(limit)));
            }
        }
        let Ok(outcome) = stream.finish() else {
            return Ok(None);
        };
        // That nothing was recorded is said where all of it is read.
        if taken == 0 {
            return Ok(None);
        }
        self.taken = taken;
        self.evidence.notes = history.notes();
        self.aborted = history.aborted;
        self.threads = std::mem::take(&mut history.threads);
        Ok(Some(outcome))
    }

    /// Reads the input once, through the engine.
    fn pass(&mut self, options: Options, partitioning: Partitioning) -> Result<Pass, VerifyError> {
        let started = Instant::now();
        let mut history = History::open(self.decode, self.input)?;
        let mut watch = LimitWatch::new(options.limits);
        let mut checker = Checker::with_partitioning(self.model, options, partitioning.clone());
        // A reading inside of this one may find out which operations are followed. That does not help what was read so far.
        let knew_followed = self.followed.is_some();
        let is_detour = options.consistency != self.request.options.consistency;
        let is_short = self.input.bytes().is_some_and(|bytes| bytes <= WITNESS_BYTES_MAX);
        if self.request.witness.is_some()
            || (self.request.detail >= Detail::ShortWitness && is_short)
            || self.request.detail >= Detail::WitnessEnd
            || is_detour
        {
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
            let progress = match self.followed.as_ref().filter(|_| knew_followed) {
                Some(followed) => {
                    let is_followed = followed.get(self.taken as usize).is_none_or(|followed| *followed);
                    checker.push_followed(read.operation, is_followed)?
                }
                None => checker.push(read.operation)?,
            };
            match progress {
                Progress::Going => {}
                Progress::Decided => {
                    self.taken += 1;
                    break;
                }
                Progress::Spans => {
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
            if self.taken.is_multiple_of(ProgressCounter::BATCH) {
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
            && !checker.catch_up()
            && let Some(outcome) = self.depth_first_from_start(options, &partitioning)
        {
            return Ok(Pass::Done(outcome));
        }
        match checker.finish() {
            Err(CheckError::Entangled(links)) => Ok(Pass::Entangled(links)),
            Err(CheckError::Tied) if !knew_followed => {
                if self.followed.is_none() {
                    self.followed = Some(self.find_followed()?);
                }
                self.pass(options, partitioning)
            }
            Err(CheckError::Committed) => {
                let time = options.limits.time;
                let limits = Limits {
                    time: time.map(|time| time.saturating_sub(started.elapsed())),
                    ..options.limits
                };
                let options = Options {
                    commit_after: None,
                    limits,
                    ..options
                };
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
    fn depth_first_from_start(
        &mut self,
        options: Options,
        partitioning: &Partitioning,
    ) -> Option<CheckOutcome> {
        // A limit on configurations is for the whole check, and this search would count its own.
        let has_limit = options.limits.configurations.is_some();
        if has_limit || options.strategy != Strategy::Portfolio || self.taken > DEPTH_FIRST_OPS_MAX {
            return None;
        }
        let limits = Limits {
            time: options.limits.time.map(|time| time / 4),
            configurations: Some(DEPTH_FIRST_CONFIGURATIONS_PER_OP * self.taken.max(1)),
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

    fn whole(&mut self, options: Options) -> Result<CheckOutcome, VerifyError> {
        match self.pass(options, Partitioning::Whole)? {
            Pass::Done(outcome) => Ok(outcome),
            Pass::Spans(_) | Pass::Entangled(_) => unreachable!("nothing spans more than the whole"),
        }
    }

    /// The engine's options, less the time that is already gone.
    pub(super) fn options(&self) -> Options {
        let limits = self.request.options.limits;
        let time = limits
            .time
            .map(|time| time.saturating_sub(self.started.elapsed()));
        Options {
            limits: Limits { time, ..limits },
            ..self.request.options
        }
    }
}

fn is_everything(footprint: &Footprint) -> bool {
    matches!(footprint.reads, Keys::All) || matches!(footprint.writes, Keys::All)
}

fn unread_outcome(limit: Limit) -> CheckOutcome {
    CheckOutcome {
        conclusion: Conclusion::Unknown(Box::new(Unknown::limited(limit))),
        figures: SearchFigures::default(),
    }
}

/// The explanation of a larger input is not part of its evidence, so that memory does not grow with the input.
const WITNESS_BYTES_MAX: u64 = 4 << 20;
