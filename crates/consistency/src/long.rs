//! Histories that are too long for the search over visibilities.
//!
//! What is linearizable satisfies every level, in the same order: everyone sees everything before them. What is sequentially
//! consistent satisfies every level that does not ask for real time. Both are the engine's to decide, at any length. So
//! a long history is asked for the strongest, and only if it is not that there is no answer.

use omnilink_engine::{
    CheckError, Consistency, Limit, Limits, Model, Operation, Options, Strategy, check_and_keep_order,
};
use omnilink_evidence::{Conclusion, Unknown};
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashMap;

use crate::check::WeakError;
use crate::history::Observed;
use crate::level::Level;
use crate::question::Question;
use crate::recorded::KnownOrder;

/// An order of a long history, and the level that it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LongOrder {
    /// The level that was found to hold.
    pub level: Level,
    /// The operations in order, by their positions.
    pub order: Vec<usize>,
}

/// An order, the operation that no order explains, or why neither was found.
type LongConclusion = Conclusion<LongOrder, usize>;

/// How much a check of a stronger level than the one asked for may take.
const DETOUR_CONFIGURATIONS: u64 = 1 << 20;

/// A long history: its operations and when each ran.
pub(crate) struct LongHistory<'a, O> {
    pub ops: &'a [Observed<O>],
    pub timeboxes: Vec<Timebox>,
    pub order: &'a KnownOrder,
}

/// What one of the engine's levels says.
enum Found {
    Order(Vec<usize>),
    Violation(usize),
    Limit(Limit),
    /// An order that does not keep the threads' own.
    NotInOrder,
}

impl<O: Clone> LongHistory<'_, O> {
    pub fn judge<M: Model<Op = O>>(
        &self,
        model: &M,
        question: &Question,
        strategy: Option<Strategy>,
        limits: Limits,
    ) -> Result<LongConclusion, WeakError> {
        // Without timeboxes the order in which operations are given keeps each thread's own, which is all there is to keep.
        let is_real_time = match self.order {
            KnownOrder::Timeboxes | KnownOrder::AsyncTimeboxes => true,
            KnownOrder::ProgramOrder => false,
            KnownOrder::Pairs(_) | KnownOrder::Counters(_) | KnownOrder::VectorClocks(_) => {
                return Ok(unknown(Limit::Operations));
            }
        };
        let asks_for = |level| *question == Question::Level(level);
        let by_program_order =
            !is_real_time || asks_for(Level::Sequential) || asks_for(Level::CausalConvergence);
        let mut watch = omnilink_engine::LimitWatch::new(limits);
        let first = Options {
            strategy: strategy.unwrap_or_default(),
            limits: match by_program_order {
                true => Limits {
                    configurations: Some(
                        limits
                            .configurations
                            .unwrap_or(u64::MAX)
                            .min(DETOUR_CONFIGURATIONS),
                    ),
                    time: limits.time.map(|time| time / 2),
                    ..limits
                },
                false => limits,
            },
            async_threads: *self.order == KnownOrder::AsyncTimeboxes,
            ..Options::default()
        };
        let found = self.check(model, first)?;
        match found {
            Found::Order(order) => {
                let level = Level::Linearizable;
                return Ok(Conclusion::Valid(LongOrder { level, order }));
            }
            Found::Violation(op) if is_real_time && asks_for(Level::Linearizable) => {
                return Ok(Conclusion::Violation(Box::new(op)));
            }
            Found::Limit(limit) if !by_program_order => return Ok(unknown(limit)),
            _ if !by_program_order => return Ok(unknown(Limit::Operations)),
            _ => {}
        }
        if let Some(limit) = watch.reached() {
            return Ok(unknown(limit));
        }
        let second = Options {
            consistency: Consistency::Sequential,
            limits: watch.limits_left(),
            ..first
        };
        let is_decisive = asks_for(Level::Sequential) || !is_real_time && asks_for(Level::Linearizable);
        Ok(match self.check(model, second)? {
            Found::Order(order) => Conclusion::Valid(LongOrder {
                level: Level::Sequential,
                order,
            }),
            Found::Violation(op) if is_decisive => Conclusion::Violation(Box::new(op)),
            Found::Limit(limit) => unknown(limit),
            Found::Violation(_) | Found::NotInOrder => unknown(Limit::Operations),
        })
    }

    fn check<M: Model<Op = O>>(&self, model: &M, options: Options) -> Result<Found, WeakError> {
        let mut by_start: Vec<usize> = (0..self.ops.len()).collect();
        by_start.sort_by_key(|op| self.timeboxes[*op].start);
        let operation = |at: &usize| {
            let Observed {
                op, thread, optional, ..
            } = &self.ops[*at];
            Operation {
                op: op.clone(),
                thread: *thread,
                timebox: self.timeboxes[*at],
                optional: *optional,
            }
        };
        let history: Vec<Operation<O>> = by_start.iter().map(operation).collect();
        let outcome = check_and_keep_order(model, &history, options).map_err(failed)?;
        Ok(match outcome.conclusion {
            Conclusion::Violation(counterexample) => {
                Found::Violation(by_start[counterexample.op.id as usize])
            }
            Conclusion::Unknown(unfinished) => Found::Limit(unfinished.limit),
            Conclusion::Valid(witness) => {
                let placed = witness.order.unwrap_or_default();
                let order: Vec<usize> = placed.iter().map(|one| by_start[one.op as usize]).collect();
                let required = self.ops.iter().filter(|op| !op.optional).count();
                let placed = order.iter().filter(|op| !self.ops[**op].optional).count();
                match placed == required && self.keeps_program_order(&order) {
                    true => Found::Order(order),
                    false => Found::NotInOrder,
                }
            }
        })
    }

    /// Whether an order keeps the order of each thread's operations that do not overlap, also where one begins at the moment
    /// at which the other ends.
    fn keeps_program_order(&self, order: &[usize]) -> bool {
        if *self.order == KnownOrder::AsyncTimeboxes {
            return true;
        }
        let mut latest: FxHashMap<u32, (Time, usize)> = FxHashMap::default();
        order.iter().all(|&op| {
            let Timebox { start, end } = self.timeboxes[op];
            let last = latest.entry(self.ops[op].thread).or_insert((start, op));
            let is_before_last = (start, op) < *last && end.is_some_and(|end| end <= last.0);
            *last = (*last).max((start, op));
            !is_before_last || self.ops[op].optional
        })
    }
}

fn failed(error: CheckError) -> WeakError {
    match error {
        CheckError::Model(message) => WeakError::Model(message),
        other => WeakError::Rejected(other.to_string()),
    }
}

fn unknown(limit: Limit) -> LongConclusion {
    Conclusion::Unknown(Box::new(Unknown::limited(limit)))
}
