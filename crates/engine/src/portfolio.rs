//! The portfolio: which search or monitor gets which reading of a history, and what is tried next.
//!
//! 1. Sequential consistency: linearizability within half of the time. It is stronger and easier.
//! 2. The sweep, over each key apart. A near-linear monitor is asked as soon as the sweep is behind; while it stays behind, depth-first
//!    search takes turns with it, window by window.
//! 3. If it is behind at the end: depth-first search from the start.
//! 4. Again from the start, with what a reading found out: parts that belong together, threads that go on where an operation ends, and
//!    that no explanation may be dropped.

mod plain;

use std::time::Instant;

use omnilink_evidence::{Limit, Linearization, Unknown};

use crate::checker::{Checker, Start};
use crate::collections::{CollectionStream, check_as_collections};
use crate::error::{CheckError, Progress};
use crate::evidence::{CheckOutcome, Conclusion, SearchFigures};
use crate::footprint::Footprint;
use crate::history_facts::{
    OPERATIONS_BETWEEN_LOOKS, components_of, followed, followed_in, keeps_program_order,
};
use crate::history_source::{EarlyEnd, ErasedSource, HistoryReading, HistorySource, Readings};
use crate::interrupt::Interrupt;
use crate::limit_watch::LimitWatch;
use crate::model::Model;
use crate::options::{Consistency, Limits, Options, Strategy};
use crate::partition::{Components, Partitioning};
use crate::unmonitored::Unmonitored;

/// How much a check of a stronger level than the one asked for may take.
const DETOUR_CONFIGURATIONS: u64 = 1 << 20;

/// Depth-first search keeps the history in memory: longer ones are left to the sweep and its windows.
const DEPTH_FIRST_OPS_MAX: u64 = 100_000;

/// The configurations that depth-first search from the start may explore per operation.
const DEPTH_FIRST_CONFIGURATIONS_PER_OP: u64 = 64;

/// The number of waiting operations that depth-first search explains at a time. They take some megabytes.
const COMMIT_AFTER: usize = 1 << 12;

/// After this many readings with parts that did not fit together, everything is checked together.
const REGROUPINGS_MAX: u32 = 8;

/// Checks a history that can be read again. With `keep_order`, a valid one has the order that explains it.
///
/// # Errors
/// If the history cannot be read, or the model fails.
pub fn check_source<M: Model, S: HistorySource<M::Op>>(
    model: &M,
    source: &S,
    options: Options,
    keep_order: bool,
) -> Result<CheckOutcome, S::Error> {
    let readings = Readings::of(source);
    let answer = Portfolio::new(model, &readings.erased(), options, keep_order).check();
    answer.map_err(|end| readings.error(end))
}

/// Whether near-linear monitors may decide what the search finds hard.
pub(crate) fn may_ask_monitors<M: Model>(model: &M, options: &Options) -> bool {
    options.strategy == Strategy::Portfolio
        && options.consistency == Consistency::Linearizable
        && model.collection_kind().is_some()
}

/// One check of a history.
pub(crate) struct Portfolio<'a, M: Model> {
    model: &'a M,
    source: &'a ErasedSource<'a, M::Op>,
    pub start: Start<M::State>,
    options: Options,
    keep_order: bool,
    started: Instant,
    /// Whether monitors may decide, and were not asked yet.
    pub may_ask_monitors: bool,
    /// For each operation whether another one of its thread starts where it ends, once a search has asked.
    followed: Option<Vec<bool>>,
}

/// What came of one reading.
enum Pass {
    Done(CheckOutcome),
    /// An operation with this footprint spans what was taken apart.
    Spans(Footprint),
    /// Threads link these parts.
    Entangled(Vec<Vec<u64>>),
    /// It matters which operations are followed.
    Tied,
    /// The explanations that were dropped may matter.
    Committed,
}

impl<'a, M: Model> Portfolio<'a, M> {
    pub fn new(
        model: &'a M,
        source: &'a ErasedSource<'a, M::Op>,
        options: Options,
        keep_order: bool,
    ) -> Self {
        Self {
            model,
            source,
            start: Start::Initial,
            options,
            keep_order,
            started: Instant::now(),
            may_ask_monitors: may_ask_monitors(model, &options),
            followed: None,
        }
    }

    pub fn check(&mut self) -> Result<CheckOutcome, EarlyEnd> {
        if self.options.naive {
            return self.check_plainly();
        }
        if self.options.strategy == Strategy::Monitor {
            return Ok(self.ask_monitors()?.map_err(CheckError::from)?);
        }
        match self.by_real_time()? {
            Some(outcome) => Ok(outcome),
            None => self.search(),
        }
    }

    /// The options, with the time that is left.
    fn options_left(&self) -> Options {
        Options {
            limits: self.options.limits.after(self.started.elapsed()),
            ..self.options
        }
    }

    /// Sequential consistency by way of linearizability, which is stronger and easier: real time tells most of the order. An order
    /// that keeps real time keeps the order of each thread, too; that is looked at, and not taken for granted where one
    /// operation begins at the moment at which another ends. A history in memory is short enough to do without.
    fn by_real_time(&self) -> Result<Option<CheckOutcome>, EarlyEnd> {
        let limits = self.options.limits;
        if self.options.consistency != Consistency::Sequential || self.source.in_memory().is_some() {
            return Ok(None);
        }
        let options = Options {
            consistency: Consistency::Linearizable,
            limits: Limits {
                time: limits.time.map(|time| time / 2),
                configurations: Some(DETOUR_CONFIGURATIONS.min(limits.configurations.unwrap_or(u64::MAX))),
                ..limits
            },
            ..self.options
        };
        let outcome = Self::new(self.model, self.source, options, true).search()?;
        let Conclusion::Valid(Linearization {
            order: Some(order), ..
        }) = &outcome.conclusion
        else {
            return Ok(None);
        };
        Ok(keeps_program_order(self.source, order)?.then_some(outcome))
    }

    /// Reads the history until what was taken apart fits together and nothing that matters was left open.
    fn search(&mut self) -> Result<CheckOutcome, EarlyEnd> {
        let mut components = None;
        let mut partitioning = Partitioning::PerKey;
        // A limit on configurations is for the whole check, and a reading that is repeated would count them anew.
        let mut commit_after = (self.options.limits.configurations.is_none()).then_some(COMMIT_AFTER);
        let mut sweep_budget = self.options.sweep_budget;
        if self.source.in_memory().is_some() {
            // Nothing is gained by reading on: depth-first search may join in early.
            sweep_budget /= 8;
            commit_after = None;
            self.learn_followed()?;
            let all = self.components()?;
            partitioning = all.clone().into_partitioning();
            components = Some(all);
        }
        let mut regroupings = 0;
        loop {
            let options = Options {
                commit_after,
                sweep_budget,
                ..self.options_left()
            };
            let (links, footprint) = match self.pass(options, &partitioning)? {
                Pass::Done(outcome) => return Ok(outcome),
                Pass::Tied => {
                    self.learn_followed()?;
                    continue;
                }
                Pass::Committed => {
                    commit_after = None;
                    continue;
                }
                Pass::Spans(footprint) => (Vec::new(), Some(footprint)),
                Pass::Entangled(links) => (links, None),
            };
            regroupings += 1;
            // Once the parts are known, only a history that changes while it is read has an operation that spans some.
            let is_over = regroupings > REGROUPINGS_MAX
                || footprint.is_some_and(|keys| components.is_some() || keys.is_everything());
            partitioning = if is_over {
                Partitioning::Whole
            } else {
                let mut joined = match components.take() {
                    Some(components) => components,
                    None => self.components()?,
                };
                joined.join(&links);
                components.insert(joined).clone().into_partitioning()
            };
        }
    }

    fn components(&self) -> Result<Components, EarlyEnd> {
        components_of(self.model, self.source, self.options_left().limits)
    }

    fn learn_followed(&mut self) -> Result<(), EarlyEnd> {
        if self.followed.is_none() {
            self.followed = Some(match self.source.in_memory() {
                Some(history) => followed(history, &self.options),
                None => followed_in(self.source)?,
            });
        }
        Ok(())
    }

    /// Reads the history once, through the search.
    fn pass(&mut self, options: Options, partitioning: &Partitioning) -> Result<Pass, EarlyEnd> {
        let mut reading = self.source.open_for_search()?;
        let mut watch = LimitWatch::new(options.limits);
        let start = self.start.clone();
        let mut checker = Checker::starting_from(self.model, start, options, partitioning.clone());
        if self.keep_order {
            checker = checker.keep_order();
        }
        let is_in_memory = self.source.in_memory().is_some();
        // A reading inside of this one may find out which operations are followed. That does not help what was read so far.
        let knew_followed = self.followed.is_some();
        let mut taken = 0_u64;
        let mut spanning = None;
        let mut limit = None;
        loop {
            let operation = match reading.next() {
                Ok(Some(operation)) => operation,
                Ok(None) => break,
                // A reader that waited for more was woken up.
                Err(_) if is_interrupted(&options.limits) => {
                    limit = Some(Limit::Interrupt);
                    break;
                }
                Err(error) => return Err(error),
            };
            // The search itself looks at the limits of a history in memory.
            if !is_in_memory
                && is_due(taken)
                && let Some(reached) = watch.reached()
            {
                limit = Some(reached);
                break;
            }
            let progress = match &self.followed {
                Some(followed) => {
                    let is_followed = followed.get(taken as usize).is_none_or(|followed| *followed);
                    checker.push_followed(operation, is_followed)?
                }
                None => checker.push(operation)?,
            };
            taken += 1;
            match progress {
                Progress::Going => {}
                Progress::Decided => break,
                Progress::Spans => {
                    spanning = checker.spanning();
                    break;
                }
            }
            if self.may_ask_monitors && checker.is_hard() {
                self.may_ask_monitors = false;
                if let Ok(outcome) = self.ask_monitors()? {
                    return Ok(Pass::Done(outcome));
                }
            }
        }
        reading.close(limit.is_some())?;
        if let Some(footprint) = spanning {
            return Ok(Pass::Spans(footprint));
        }
        if let Some(limit) = limit {
            // What comes later may explain what came before: about a part of a history nothing is known.
            if options.consistency == Consistency::Sequential {
                return Ok(Pass::Done(unread(limit)));
            }
            checker.stop(limit);
        } else if !is_in_memory
            && checker.is_hard()
            && !checker.catch_up()
            && let Some(outcome) = self.depth_first_from_start(options, partitioning, taken)
        {
            return Ok(Pass::Done(outcome));
        }
        Ok(match checker.finish() {
            Err(CheckError::Entangled(links)) => Pass::Entangled(links),
            Err(CheckError::Tied) if !knew_followed => Pass::Tied,
            Err(CheckError::Committed) => Pass::Committed,
            answer => Pass::Done(answer?),
        })
    }

    /// Depth-first search over the whole history, for a history that is too hard for the sweep.
    ///
    /// The sweep's windows start depth-first search from its frontier, where most configurations may be dead ends that take
    /// exponential time to refute. From the initial state it often goes straight to an explanation. The attempt is bounded by
    /// the length of the history, and only an explanation counts: for a violation the sweep has the better evidence.
    fn depth_first_from_start(
        &mut self,
        options: Options,
        partitioning: &Partitioning,
        operations: u64,
    ) -> Option<CheckOutcome> {
        // A limit on configurations is for the whole check, and this search would count its own.
        let has_limit = options.limits.configurations.is_some();
        if has_limit || options.strategy != Strategy::Portfolio || operations > DEPTH_FIRST_OPS_MAX {
            return None;
        }
        let limits = options.limits.after(self.started.elapsed());
        let options = Options {
            strategy: Strategy::DepthFirst,
            limits: Limits {
                time: limits.time.map(|time| time / 4),
                configurations: Some(DEPTH_FIRST_CONFIGURATIONS_PER_OP * operations.max(1)),
                ..limits
            },
            ..options
        };
        // What fails here is met again, or not needed.
        let mut pass = self.pass(options, partitioning);
        if matches!(pass, Ok(Pass::Tied)) {
            self.learn_followed().ok()?;
            pass = self.pass(options, partitioning);
        }
        match pass {
            Ok(Pass::Done(outcome)) if outcome.conclusion.is_valid() => Some(outcome),
            _ => None,
        }
    }

    /// Lets monitors decide the history, if they can: a long one piece by piece, if it can be taken apart and is valid; otherwise
    /// all of it in memory.
    fn ask_monitors(&self) -> Result<Result<CheckOutcome, Unmonitored>, EarlyEnd> {
        let options = self.options_left();
        if let Some(history) = self.source.in_memory() {
            return Ok(flattened(check_as_collections(self.model, history, &options))?);
        }
        if !self.source.is_short()
            && !self.keep_order
            && let Some(outcome) = self.check_in_pieces(options)?
        {
            return Ok(Ok(outcome));
        }
        let mut operations = Vec::new();
        let mut reading = self.source.open()?;
        let mut watch = LimitWatch::new(options.limits);
        while let Some(operation) = reading.next()? {
            operations.push(operation);
            if is_due(operations.len() as u64)
                && let Some(limit) = watch.reached()
            {
                return Ok(Ok(unread(limit)));
            }
        }
        let outcome = flattened(check_as_collections(
            self.model,
            &operations,
            &self.options_left(),
        ))?;
        if outcome.is_ok() {
            reading.close(false)?;
        }
        Ok(outcome)
    }

    /// Reads the history once, through monitors that decide it piece by piece. `None` if that does not settle it.
    fn check_in_pieces(&self, options: Options) -> Result<Option<CheckOutcome>, EarlyEnd> {
        let Ok(mut stream) = CollectionStream::new(self.model, options) else {
            return Ok(None);
        };
        let mut reading = self.source.open()?;
        let mut watch = LimitWatch::new(options.limits);
        let mut taken = 0_u64;
        while let Some(operation) = reading.next()? {
            if stream.push(operation).is_err() {
                return Ok(None);
            }
            taken += 1;
            if is_due(taken)
                && let Some(limit) = watch.reached()
            {
                return Ok(Some(unread(limit)));
            }
        }
        let Ok(outcome) = stream.finish() else {
            return Ok(None);
        };
        // That nothing was recorded is said where all of it is read.
        if taken == 0 {
            return Ok(None);
        }
        reading.close(false)?;
        Ok(Some(outcome))
    }
}

/// What monitors say, with an error of the model outside.
fn flattened(
    answer: Result<Result<CheckOutcome, CheckError>, Unmonitored>,
) -> Result<Result<CheckOutcome, Unmonitored>, CheckError> {
    match answer {
        Ok(outcome) => outcome.map(Ok),
        Err(reason) => Ok(Err(reason)),
    }
}

fn is_due(operations: u64) -> bool {
    operations.is_multiple_of(OPERATIONS_BETWEEN_LOOKS)
}

fn is_interrupted(limits: &Limits) -> bool {
    limits.interrupt.is_some_and(Interrupt::is_raised)
}

/// The outcome if a limit ended the reading of a history of which the beginning alone says nothing.
fn unread(limit: Limit) -> CheckOutcome {
    CheckOutcome {
        conclusion: Conclusion::Unknown(Box::new(Unknown::limited(limit))),
        figures: SearchFigures::default(),
    }
}
