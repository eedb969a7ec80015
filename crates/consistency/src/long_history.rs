//! Histories that are too long for the search over visibilities.
//!
//! What is linearizable satisfies every level, in the same order: everyone sees everything before them. What is sequentially
//! consistent satisfies every level that does not ask for real time. Both are the engine's to decide, at any length. So
//! a long history is asked for the strongest, and only if it is not that there is no answer.

use omnilink_engine::{
    CheckError, Consistency, Exhausted, Limits, Model, Operation, Options, Strategy, Verdict,
    check_and_keep_order,
};
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashMap;

use crate::check::WeakError;
use crate::history::Observed;
use crate::level::Level;
use crate::guarantee::Question;
use crate::recorded_history::KnownOrder;

/// What became of a long history. Operations are named by their position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LongVerdict {
    /// It satisfies the question, because it satisfies this level, in this order.
    Valid {
        /// The level that was found to hold.
        by: Level,
        /// The operations in order.
        order: Vec<usize>,
    },
    /// It does not: no order explains this operation.
    Violation(usize),
    /// A limit was reached, or the history is not of a stronger level and too long to be searched for less.
    Unknown(Exhausted),
}

impl LongVerdict {
    /// `valid`, `violation` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Valid { .. } => "valid",
            Self::Violation(_) => "violation",
            Self::Unknown(_) => "unknown",
        }
    }
}

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
    Limit(Exhausted),
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
    ) -> Result<LongVerdict, WeakError> {
        // Without timeboxes the order in which operations are given keeps each thread's own, which is all there is to keep.
        let is_real_time = match self.order {
            KnownOrder::Timeboxes | KnownOrder::AsyncTimeboxes => true,
            KnownOrder::ProgramOrder => false,
            KnownOrder::Pairs(_) | KnownOrder::Counters(_) | KnownOrder::VectorClocks(_) => {
                return Ok(LongVerdict::Unknown(Exhausted::Length));
            }
        };
        let asks_for = |level| *question == Question::Level(level);
        let by_program_order =
            !is_real_time || asks_for(Level::Sequential) || asks_for(Level::CausalConvergence);
        let mut watch = omnilink_engine::Watch::new(limits);
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
                let by = Level::Linearizable;
                return Ok(LongVerdict::Valid { by, order });
            }
            Found::Violation(op) if is_real_time && asks_for(Level::Linearizable) => {
                return Ok(LongVerdict::Violation(op));
            }
            Found::Limit(limit) if !by_program_order => return Ok(LongVerdict::Unknown(limit)),
            _ if !by_program_order => return Ok(LongVerdict::Unknown(Exhausted::Length)),
            _ => {}
        }
        if let Some(limit) = watch.reached() {
            return Ok(LongVerdict::Unknown(limit));
        }
        let second = Options {
            consistency: Consistency::Sequential,
            limits: watch.limits_left(),
            ..first
        };
        let is_decisive = asks_for(Level::Sequential) || !is_real_time && asks_for(Level::Linearizable);
        Ok(match self.check(model, second)? {
            Found::Order(order) => LongVerdict::Valid {
                by: Level::Sequential,
                order,
            },
            Found::Violation(op) if is_decisive => LongVerdict::Violation(op),
            Found::Limit(limit) => LongVerdict::Unknown(limit),
            Found::Violation(_) | Found::NotInOrder => LongVerdict::Unknown(Exhausted::Length),
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
        Ok(match outcome.verdict {
            Verdict::Violation(counterexample) => Found::Violation(by_start[counterexample.op.id as usize]),
            Verdict::Unknown(unfinished) => Found::Limit(unfinished.limit),
            Verdict::Valid(witness) => {
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
