//! The plain search: just-in-time linearization by the definition of the model, with nothing left out.
//!
//! It shares no code with the [sweep](crate::sweep): no reductions, no footprints, no partitions, no memo, no ids. A
//! configuration is a state and the open operations that have taken effect. A return forces its operation: from every configuration that
//! has not placed it, every open operation that its thread allows is placed, until the returning one is. That misses nothing, because an
//! operation that no return forces can be placed later. It confirms violations, and decides alone for those who want to be sure.

use std::hash::{Hash, Hasher};
use std::time::Instant;

use omnilink_evidence::{Conclusion, Counterexample, Limit, Linearization, ReportedOperation, Unknown};
use omnilink_trace::Time;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::error::CheckError;
use crate::limit_watch::LimitWatch;
use crate::model::{Model, Outcomes};
use crate::operation::TimedOp;
use crate::options::Limits;

/// What a plain search found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainVerdict {
    /// There is an explanation.
    Explained,
    /// The return of the operation with this number has no explanation, and everything that returned before it has one.
    Refuted(u64),
    /// A limit was reached.
    Limit(Limit),
    /// The model failed.
    Failed(String),
    /// The model cannot represent some state, and there is no explanation without it.
    Exceeded(String),
}

impl PlainVerdict {
    /// The conclusion of a check; `shown` tells the operation with a number. There are no alternatives: the plain search keeps none.
    ///
    /// # Errors
    /// If the model failed.
    pub fn into_conclusion(
        self,
        shown: impl FnOnce(u64) -> ReportedOperation,
    ) -> Result<Conclusion, CheckError> {
        Ok(match self {
            Self::Explained => Conclusion::Valid(Linearization::default()),
            Self::Refuted(id) => Conclusion::Violation(Box::new(Counterexample {
                op: shown(id),
                alternatives_total: 0,
                alternatives: Vec::new(),
                agreed: None,
                broken: None,
            })),
            Self::Limit(limit) => Conclusion::Unknown(Box::new(Unknown::limited(limit))),
            Self::Failed(failure) => return Err(CheckError::Model(failure)),
            Self::Exceeded(limit) => return Err(CheckError::Exceeded(limit)),
        })
    }
}

/// A plain search over the operations of a history, given in order of start.
#[derive(Debug)]
pub struct PlainSearch<'m, M: Model> {
    model: &'m M,
    /// Whether the threads are only labels.
    async_threads: bool,
    open: Vec<OpenOp<M::Op>>,
    frontier: Vec<Explanation<M::State>>,
    outcomes: Outcomes<M::State>,
    watch: LimitWatch,
    /// Steps that may still be made.
    fuel: u64,
    /// Configurations that were reached.
    pub configurations: u64,
    /// The most configurations alive after a return.
    pub frontier_max: u64,
    verdict: Option<PlainVerdict>,
}

#[derive(Clone, Debug)]
struct OpenOp<O> {
    id: u64,
    operation: TimedOp<O>,
}

impl<O> OpenOp<O> {
    fn is_optional(&self) -> bool {
        self.operation.optional || self.operation.timebox.is_pending()
    }

    /// Whether the thread of both calls `self` first, and `other` where `self` ends.
    fn is_tied_before(&self, other: &Self) -> bool {
        let (first, second) = (&self.operation, &other.operation);
        first.thread == second.thread && self.id < other.id && first.timebox.end == Some(second.timebox.start)
    }
}

/// One way to explain everything that has returned.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Explanation<S> {
    state: S,
    /// The numbers of the open operations that have taken effect, sorted.
    placed: SmallVec<[u64; 8]>,
}

impl<S: Hash> Hash for Explanation<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
        self.placed.hash(hasher);
    }
}

impl<S: Clone> Explanation<S> {
    fn has(&self, id: u64) -> bool {
        self.placed.binary_search(&id).is_ok()
    }

    /// This explanation, continued by an operation that leads to `state`.
    fn with(&self, id: u64, state: S) -> Self {
        let mut placed = self.placed.clone();
        placed.insert(placed.partition_point(|other| *other < id), id);
        Self { state, placed }
    }

    /// This explanation after the return of an operation.
    fn without(mut self, id: u64) -> Self {
        self.placed.retain(|other| *other != id);
        self
    }
}

impl<'m, M: Model> PlainSearch<'m, M> {
    /// How many steps pass between two looks at the limits.
    const STEPS_BETWEEN_LOOKS: u64 = 64;

    /// A search from the beginning of a history. A limit on configurations is one on steps.
    pub fn new(model: &'m M, async_threads: bool, limits: Limits) -> Self {
        let initial = model.plain_initial();
        let frontier = initial.into_iter().map(|state| (state, Vec::new()));
        Self::starting_from(model, Vec::new(), frontier, async_threads, limits)
    }

    /// A search from some point of a history, with the operations that are open there, and each explanation of what has returned: the
    /// state, and the open operations that it has placed.
    pub(crate) fn starting_from(
        model: &'m M,
        open: Vec<(u64, TimedOp<M::Op>)>,
        frontier: impl IntoIterator<Item = (M::State, Vec<u64>)>,
        async_threads: bool,
        limits: Limits,
    ) -> Self {
        let distinct: FxHashSet<Explanation<M::State>> = frontier
            .into_iter()
            .map(|(state, mut placed)| {
                placed.sort_unstable();
                let placed = placed.into();
                Explanation { state, placed }
            })
            .collect();
        Self {
            model,
            async_threads,
            open: open
                .into_iter()
                .map(|(id, operation)| OpenOp { id, operation })
                .collect(),
            frontier_max: distinct.len() as u64,
            frontier: distinct.into_iter().collect(),
            outcomes: Outcomes::new(
                limits.time.and_then(|time| Instant::now().checked_add(time)),
                limits.interrupt,
            ),
            watch: LimitWatch::new(limits),
            fuel: limits.configurations.unwrap_or(u64::MAX),
            configurations: 0,
            verdict: None,
        }
    }

    /// Takes the next operation, with its number. Returns whether the search goes on.
    pub fn push(&mut self, id: u64, operation: TimedOp<M::Op>) -> bool {
        self.process_returns((operation.timebox.start, 0));
        if self.verdict.is_none() {
            self.open.push(OpenOp { id, operation });
        }
        self.verdict.is_none()
    }

    /// The verdict about everything that returned up to the return of the operation with this number at this time.
    pub fn finish_at(mut self, end: Time, id: u64) -> (PlainVerdict, u64) {
        self.process_returns((end, id + 1));
        (
            self.verdict.unwrap_or(PlainVerdict::Explained),
            self.configurations,
        )
    }

    /// The verdict about the whole history.
    pub fn finish(&mut self) -> PlainVerdict {
        self.process_returns((Time::MAX, u64::MAX));
        self.verdict.clone().unwrap_or(PlainVerdict::Explained)
    }

    /// Processes the returns before a time and number.
    fn process_returns(&mut self, until: (Time, u64)) {
        while self.verdict.is_none() {
            let next = self
                .open
                .iter()
                .filter_map(|op| Some((op.operation.timebox.end?, op.id)))
                .min()
                .filter(|deadline| *deadline < until);
            match next {
                Some((_, id)) => self.process_return(id),
                None => return,
            }
        }
    }

    fn process_return(&mut self, id: u64) {
        let is_optional = self.open.iter().any(|op| op.id == id && op.is_optional());
        let mut stack = std::mem::take(&mut self.frontier);
        let mut reached: FxHashSet<Explanation<M::State>> = stack.iter().cloned().collect();
        let mut next: FxHashSet<Explanation<M::State>> = FxHashSet::default();
        while let Some(explanation) = stack.pop() {
            if explanation.has(id) {
                next.insert(explanation.without(id));
                continue;
            }
            for op in 0..self.open.len() {
                if !self.may_come_next(op, &explanation) {
                    continue;
                }
                if !self.step(&explanation.state, op) {
                    return;
                }
                let op_id = self.open[op].id;
                for state in self.outcomes.states().drain(..) {
                    let longer = explanation.with(op_id, state);
                    if !reached.contains(&longer) {
                        reached.insert(longer.clone());
                        stack.push(longer);
                        self.configurations += 1;
                    }
                }
            }
            if is_optional {
                next.insert(explanation);
            }
        }
        self.frontier = next.into_iter().collect();
        self.frontier_max = self.frontier_max.max(self.frontier.len() as u64);
        self.open.retain(|op| op.id != id);
        if self.frontier.is_empty() {
            self.verdict = Some(match self.outcomes.exceeded() {
                Some(limit) => PlainVerdict::Exceeded(limit.to_owned()),
                None => PlainVerdict::Refuted(id),
            });
        }
    }

    /// Whether an open operation may be placed next: the order of its thread allows it.
    fn may_come_next(&self, at: usize, explanation: &Explanation<M::State>) -> bool {
        let op = &self.open[at];
        let is_allowed = |other: &OpenOp<M::Op>| {
            let is_late = other.is_tied_before(op) && !other.is_optional() && !explanation.has(other.id);
            // One that did not happen before a later call of its thread did not happen at all.
            let is_over = op.is_tied_before(other) && explanation.has(other.id);
            !is_late && !is_over
        };
        !explanation.has(op.id) && (self.async_threads || self.open.iter().all(is_allowed))
    }

    /// Steps from a state; the successors are in `outcomes`. Returns whether the search goes on.
    fn step(&mut self, state: &M::State, op: usize) -> bool {
        let limit = match self.fuel {
            0 => Some(Limit::Configurations),
            fuel if fuel.is_multiple_of(Self::STEPS_BETWEEN_LOOKS) => self.watch.reached(),
            _ => None,
        };
        if let Some(limit) = limit {
            self.verdict = Some(PlainVerdict::Limit(limit));
            return false;
        }
        self.fuel -= 1;
        self.outcomes.clear();
        self.model
            .plain_step(state, &self.open[op].operation.op, &mut self.outcomes);
        if let Some(failure) = self.outcomes.failure() {
            self.verdict = Some(PlainVerdict::Failed(failure.to_owned()));
        } else if let Some(limit) = self.outcomes.interrupted_by() {
            // What the step did not report is no refusal.
            self.verdict = Some(PlainVerdict::Limit(limit));
        }
        self.verdict.is_none()
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::{PlainSearch, PlainVerdict};
    use crate::naive;
    use crate::options::{Consistency, Limits};
    use crate::test_models::{self, HistoryProfile, Map, Queue, Register, TestModel};

    fn agrees_with_naive<T: TestModel>(seed: u64) {
        let (model, mut rng) = (T::new(), Rng::with_seed(seed));
        let mut refuted = 0;
        for round in 0..6_000 {
            let profile = HistoryProfile::any(&mut rng);
            let mut history = test_models::history_of(&model, 7, profile, &mut rng);
            history.sort_by_key(|operation| operation.timebox.start);
            let expected = naive::explain(&model, &history, Consistency::Linearizable);
            let mut search = PlainSearch::new(&model, false, Limits::default());
            for (id, operation) in (0..).zip(history.clone()) {
                search.push(id, operation);
            }
            let found = search.finish();
            assert_eq!(
                found == PlainVerdict::Explained,
                expected.is_some(),
                "round {round}: {found:?} {history:?}"
            );
            refuted += usize::from(expected.is_none());
        }
        assert!(refuted > 500, "only {refuted} histories without an explanation");
    }

    #[test]
    fn registers_are_explained_exactly_if_an_order_exists() {
        agrees_with_naive::<Register>(31);
    }

    #[test]
    fn queues_are_explained_exactly_if_an_order_exists() {
        agrees_with_naive::<Queue>(32);
    }

    #[test]
    fn maps_are_explained_exactly_if_an_order_exists() {
        agrees_with_naive::<Map>(33);
    }
}
