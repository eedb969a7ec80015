//! Histories that are too long for the search over visibilities.
//!
//! Two ways lead to an answer for them. Where every operation reads or writes a register and the reads-from relation is determined,
//! the weak levels are decided exactly ([`registers`](crate::registers)). Otherwise a stronger level may hold: a linearizable
//! history satisfies every level, by the same order, and a sequentially consistent one every level that does not keep
//! real time. The engine decides both, at any length. If neither way applies, there is no answer.

use omnilink_engine::{
    CheckError, Consistency, Limit, LimitWatch, Limits, Model, Options, TimedOp, check_and_keep_order,
};
use omnilink_evidence::{Anomaly, Conclusion, Unknown};
use omnilink_history::Budget;
use omnilink_history::order_graph::{EdgeReason, OrderEdge};
use omnilink_sorting::sort_by_key;
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashMap;

use crate::criterion::Ret;
use crate::guarantee::Guarantee;
use crate::history::HistoryOp;
use crate::level::ConsistencyLevel;
use crate::long_history::{HappensBefore, LongHistory};
use crate::options::WeakOptions;
use crate::registers::{RegisterHistory, RegisterOutcome};
use crate::weak_error::WeakError;

/// A linearization of a long history. Operations are named by their position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongWitness {
    /// The stronger level that was found to hold; `None` if the guarantee itself was.
    pub implied_by: Option<ConsistencyLevel>,
    /// The operations in order.
    pub order: Vec<usize>,
}

/// Why a long history does not satisfy a guarantee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LongViolation {
    /// No order explains this operation.
    Unexplained(usize),
    /// What was read contradicts the order that the level demands.
    Anomaly {
        /// What is wrong.
        anomaly: Anomaly,
        /// The operations from which it follows.
        ops: Vec<usize>,
    },
}

/// The conclusion about a long history. Unknown: a limit was reached, or no stronger level holds and there are too many operations to
/// search for a weaker one.
pub type LongConclusion = Conclusion<LongWitness, LongViolation>;

fn unknown(limit: Limit) -> LongConclusion {
    Conclusion::Unknown(Box::new(Unknown::limited(limit)))
}

fn valid(implied_by: Option<ConsistencyLevel>, order: Vec<usize>) -> LongConclusion {
    Conclusion::Valid(LongWitness { implied_by, order })
}

fn violation(violation: LongViolation) -> LongConclusion {
    Conclusion::Violation(Box::new(violation))
}

/// What a check of a stronger level than the one in question may take.
const DETOUR_CONFIGURATIONS: u64 = 1 << 20;

/// What the engine says about one of its levels.
enum EngineOutcome {
    Order(Vec<usize>),
    Violation(usize),
    Limit(Limit),
    /// The order that was found does not keep program order.
    NotInOrder,
}

impl<O: Clone> LongHistory<O> {
    /// Checks the history.
    ///
    /// # Errors
    /// If the model fails.
    pub fn check<M: Model<Op = O>>(
        &self,
        model: &M,
        guarantee: &Guarantee,
        options: &WeakOptions,
    ) -> Result<LongConclusion, WeakError> {
        let mut watch = LimitWatch::new(options.limits);
        if options.ret == Ret::Own
            && let Some(conclusion) = self.check_registers(model, guarantee, options.limits)
        {
            return Ok(conclusion);
        }
        let limits = watch.limits_left();
        let is_real_time = match &self.happens_before {
            HappensBefore::RealTime | HappensBefore::AsyncRealTime => true,
            HappensBefore::Pairs(pairs) if pairs.is_empty() => false,
            HappensBefore::Pairs(_) => return Ok(unknown(Limit::Operations)),
        };
        let is = |level| *guarantee == Guarantee::Level(level);
        let by_program_order =
            !is_real_time || is(ConsistencyLevel::Sequential) || is(ConsistencyLevel::CausalConvergence);
        let first = Options {
            strategy: options.strategy.unwrap_or_default(),
            limits: if by_program_order { detour(limits) } else { limits },
            async_threads: self.happens_before == HappensBefore::AsyncRealTime,
            ..Options::default()
        };
        match self.check_by_engine(model, first)? {
            EngineOutcome::Order(order) => {
                return Ok(valid(Some(ConsistencyLevel::Linearizable), order));
            }
            EngineOutcome::Violation(op) if is_real_time && is(ConsistencyLevel::Linearizable) => {
                return Ok(violation(LongViolation::Unexplained(op)));
            }
            EngineOutcome::Limit(limit) if !by_program_order => return Ok(unknown(limit)),
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
        let is_decisive =
            is(ConsistencyLevel::Sequential) || !is_real_time && is(ConsistencyLevel::Linearizable);
        Ok(match self.check_by_engine(model, second)? {
            EngineOutcome::Order(order) => valid(Some(ConsistencyLevel::Sequential), order),
            EngineOutcome::Violation(op) if is_decisive => violation(LongViolation::Unexplained(op)),
            EngineOutcome::Limit(limit) => unknown(limit),
            EngineOutcome::Violation(_) | EngineOutcome::NotInOrder => unknown(Limit::Operations),
        })
    }

    /// Checks the history as one of registers; `None` if it is none, or that does not decide the guarantee.
    fn check_registers<M: Model<Op = O>>(
        &self,
        model: &M,
        guarantee: &Guarantee,
        limits: Limits,
    ) -> Option<LongConclusion> {
        let mut levels: Vec<ConsistencyLevel> = match guarantee {
            Guarantee::Level(ConsistencyLevel::Linearizable | ConsistencyLevel::Sequential)
            | Guarantee::Axioms(_)
            | Guarantee::Isolation(_) => return None,
            Guarantee::Level(level) => vec![*level; self.ops.len()],
            Guarantee::Levels(levels) => {
                let level = |op: &HistoryOp<O>| levels.level_of(&op.method);
                self.ops.iter().map(level).collect::<Option<_>>()?
            }
        };
        let is_mixed = levels.windows(2).any(|pair| pair[0] != pair[1]);
        if is_mixed
            && levels
                .iter()
                .any(|level| !ConsistencyLevel::LADDER.contains(level))
        {
            return None;
        }
        if self.happens_before == HappensBefore::AsyncRealTime {
            return None;
        }
        let registers = match RegisterHistory::of(model, self)? {
            Ok(registers) => registers,
            Err(read) => {
                return Some(self.registers_conclusion(model, RegisterOutcome::ThinAir(read), vec![read]));
            }
        };
        let is_exact = registers.relax_complete(&mut levels);
        let outcome = registers.decide(&levels, &mut Budget::new(limits));
        match outcome {
            RegisterOutcome::Order(_) if !is_exact => None,
            outcome => {
                let involved = registers.involved(&outcome);
                Some(self.registers_conclusion(model, outcome, involved))
            }
        }
    }

    fn registers_conclusion<M: Model<Op = O>>(
        &self,
        model: &M,
        outcome: RegisterOutcome,
        ops: Vec<usize>,
    ) -> LongConclusion {
        let text = |op: usize| format!("#{} {}", self.ops[op].label, model.describe_op(&self.ops[op].op));
        let wrong = |anomaly| violation(LongViolation::Anomaly { anomaly, ops });
        match outcome {
            RegisterOutcome::Order(order) => valid(None, order),
            RegisterOutcome::Limit(limit) => unknown(limit),
            RegisterOutcome::ThinAir(op) => {
                wrong(Anomaly::Read(format!("{}: no operation wrote this", text(op))))
            }
            RegisterOutcome::StaleInitial { read: op, write } => {
                wrong(Anomaly::Read(format!("{} sees {}", text(op), text(write))))
            }
            RegisterOutcome::Cycle(cycle) => {
                let edges = cycle.iter().map(|edge| describe_edge(edge, &text));
                wrong(Anomaly::Cycle(edges.collect()))
            }
        }
    }

    fn check_by_engine<M: Model<Op = O>>(
        &self,
        model: &M,
        options: Options,
    ) -> Result<EngineOutcome, WeakError> {
        let mut by_start: Vec<usize> = (0..self.ops.len()).collect();
        sort_by_key(&mut by_start, |op| self.timeboxes[*op].start);
        let history: Vec<TimedOp<O>> = by_start.iter().map(|op| self.timed(*op)).collect();
        let outcome = check_and_keep_order(model, &history, options).map_err(failed)?;
        Ok(match outcome.conclusion {
            Conclusion::Violation(counterexample) => {
                EngineOutcome::Violation(by_start[counterexample.op.id as usize])
            }
            Conclusion::Unknown(unfinished) => EngineOutcome::Limit(unfinished.limit),
            Conclusion::Valid(witness) => {
                let placed = witness.order.unwrap_or_default();
                let order: Vec<usize> = placed.iter().map(|one| by_start[one.op as usize]).collect();
                let required = self.ops.iter().filter(|op| !op.optional).count();
                let placed = order.iter().filter(|op| !self.ops[**op].optional).count();
                if placed == required && self.keeps_program_order(&order) {
                    EngineOutcome::Order(order)
                } else {
                    EngineOutcome::NotInOrder
                }
            }
        })
    }

    /// An operation as the engine reads it.
    pub(crate) fn timed(&self, at: usize) -> TimedOp<O> {
        let HistoryOp {
            op, thread, optional, ..
        } = &self.ops[at];
        TimedOp {
            op: op.clone(),
            thread: *thread,
            timebox: self.timeboxes[at],
            optional: *optional,
        }
    }

    /// Whether an order keeps each thread's operations in order where they do not overlap, also where one begins at the
    /// time at which the other ends.
    fn keeps_program_order(&self, order: &[usize]) -> bool {
        if self.happens_before == HappensBefore::AsyncRealTime {
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

/// The limits of a search for a stronger level than the one in question.
fn detour(limits: Limits) -> Limits {
    let configurations = limits.configurations.unwrap_or(u64::MAX);
    Limits {
        configurations: Some(configurations.min(DETOUR_CONFIGURATIONS)),
        time: limits.time.map(|time| time / 2),
        ..limits
    }
}

fn describe_edge(edge: &OrderEdge, text: &impl Fn(usize) -> String) -> String {
    let name = |op: Option<usize>| op.map_or_else(|| "the initial state".to_owned(), text);
    let reason = match edge.reason {
        EdgeReason::Session => "earlier in the same thread".to_owned(),
        EdgeReason::ReadFrom(_) => "the other read what it wrote".to_owned(),
        EdgeReason::SeenBy { reader, .. } => {
            format!("{} sees both", text(reader as usize))
        }
        _ => "it happened before the other".to_owned(),
    };
    format!("{} before {}: {reason}", name(edge.from), name(edge.to))
}

fn failed(error: CheckError) -> WeakError {
    match error {
        CheckError::Model(message) => WeakError::Model(message),
        other => WeakError::Rejected(other.to_string()),
    }
}
