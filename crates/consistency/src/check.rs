//! Checks histories against a criterion.

use omnilink_engine::{Model, Strategy};
use omnilink_evidence::{Conclusion, Unknown};
use omnilink_history::{Budget, OpSet};
use omnilink_sorting::sort_by_key;

use crate::audit::audit;
use crate::complete;
use crate::constraints::Constraints;
use crate::criterion::{Criterion, Ret};
use crate::history::History;
use crate::minimise::core_of;
use crate::options::WeakOptions;
use crate::outcome::{CandidateVisibility, Explanation, UnexplainedReturn, WeakFigures, WeakOutcome};
use crate::partial_explanation::PartialExplanation;
use crate::refusal::refusal;
use crate::relation::Filter;
use crate::search::{self, Classes, DeadEnd, SearchOutcome};
use crate::step_table::{Class, DEAD, StateSet, StepTable, Steps};
use crate::timeline::Timeline;
use crate::weak_error::WeakError;

/// Checks `history` against `criterion`: is there a linearization with a visibility that satisfies it?
///
/// # Errors
/// If the model fails.
pub fn check_history<M: Model>(
    model: &M,
    history: &History<M::Op>,
    criterion: &Criterion,
    options: &WeakOptions,
) -> Result<WeakOutcome, WeakError> {
    WeakChecker::new(model).check(history, criterion, options)
}

/// Checks many histories of one model. Steps of the model are shared between them.
#[derive(Debug)]
pub struct WeakChecker<'m, M: Model> {
    model: &'m M,
    steps: StepTable<'m, M>,
}

impl<'m, M: Model> WeakChecker<'m, M> {
    /// Larger tables are dropped: lookups would miss the processor's caches.
    const STEPS_KEPT: usize = 1 << 18;
    /// How many candidates a refutation describes.
    const CANDIDATES_SHOWN: usize = 8;

    /// A checker for this model.
    pub fn new(model: &'m M) -> Self {
        Self {
            model,
            steps: StepTable::new(model),
        }
    }

    /// The model.
    pub fn model(&self) -> &'m M {
        self.model
    }

    /// Checks one history.
    ///
    /// # Errors
    /// If the model fails.
    pub fn check(
        &mut self,
        history: &History<M::Op>,
        criterion: &Criterion,
        options: &WeakOptions,
    ) -> Result<WeakOutcome, WeakError> {
        if self.steps.len() > Self::STEPS_KEPT {
            self.steps = StepTable::new(self.model);
        }
        let mut budget = Budget::new(options.limits);
        let steps_before = self.steps.model_steps;
        let classes = self.classes(history, options.ret);
        let constraints = self.constraints(history, criterion);
        let timeline = Timeline::new(&constraints.lin_before);
        let found = self.search(&constraints, &timeline, &classes, options, &mut budget)?;
        let conclusion = match found {
            SearchOutcome::Explained { order, visible } => {
                let explanation = Explanation {
                    linearization: order,
                    visible,
                };
                audit(
                    self.model,
                    history,
                    &constraints,
                    reading(&constraints, options.ret),
                    &explanation,
                )
                .map_err(WeakError::Rejected)?;
                Conclusion::Valid(explanation)
            }
            SearchOutcome::Limit(limit, stuck) => Conclusion::Unknown(Box::new(Unknown {
                explained: stuck.order.len() as u64,
                order: stuck.order.iter().map(|op| *op as u64).collect(),
                ..Unknown::limited(limit)
            })),
            SearchOutcome::Refuted(stuck) => {
                self.look_for_failures()?;
                let mut refutation = self.refutation(&constraints, history, &classes, stuck)?;
                if options.minimise {
                    let mut fails = |forgotten: OpSet| {
                        let history = history.forgetting(forgotten);
                        let classes = self.classes(&history, options.ret);
                        match self.search(&constraints, &timeline, &classes, options, &mut budget) {
                            Ok(SearchOutcome::Explained { .. }) => Some(false),
                            Ok(SearchOutcome::Refuted(_)) => Some(true),
                            Ok(SearchOutcome::Limit(..)) | Err(_) => None,
                        }
                    };
                    refutation.core = core_of(history.len(), refutation.op, &mut fails);
                }
                Conclusion::Violation(Box::new(refutation))
            }
        };
        let figures = WeakFigures {
            operations: history.len() as u64,
            configurations: budget.configurations,
            visibilities: budget.visibilities,
            model_steps: self.steps.model_steps - steps_before,
        };
        Ok(WeakOutcome { conclusion, figures })
    }

    fn classes(&mut self, history: &History<M::Op>, ret: Ret) -> Classes {
        let own: Vec<_> = history
            .ops()
            .iter()
            .map(|op| self.steps.class_of(&op.op))
            .collect();
        let seen = match ret {
            Ret::All => own.clone(),
            Ret::Own => history
                .ops()
                .iter()
                .map(|op| self.steps.class_of(&op.effect))
                .collect(),
        };
        Classes { own, seen }
    }

    fn constraints(&mut self, history: &History<M::Op>, criterion: &Criterion) -> Constraints {
        let steps = &mut self.steps;
        let readers: OpSet = (0..history.len())
            .filter(|op| {
                let class = steps.class_of(&history.ops()[*op].effect);
                steps.properties(class).is_pure
            })
            .collect();
        let all = OpSet::first(history.len());
        let of_methods = |names: &[String]| -> OpSet {
            (0..history.len())
                .filter(|op| names.contains(&history.ops()[*op].method))
                .collect()
        };
        let members = |filter: &Filter| match filter {
            Filter::Methods(names) => of_methods(names),
            Filter::OtherThan(names) => all.minus(of_methods(names)),
            Filter::Readers => readers,
            Filter::Writers => all.minus(readers),
        };
        Constraints::new(history, criterion, members)
    }

    fn search(
        &mut self,
        constraints: &Constraints,
        timeline: &Timeline,
        classes: &Classes,
        options: &WeakOptions,
        budget: &mut Budget,
    ) -> Result<SearchOutcome, WeakError> {
        let is_complete = constraints.is_complete();
        if is_complete || options.reductions.strongest_first {
            let strategy = options.strategy.unwrap_or(Strategy::Portfolio);
            let found = complete::search(
                constraints,
                timeline,
                strategy,
                &mut self.steps,
                &classes.own,
                budget,
            )?;
            if is_complete || !matches!(found, SearchOutcome::Refuted(_)) {
                return Ok(found);
            }
        }
        search::search(constraints, timeline, options, &mut self.steps, classes, budget)
    }

    /// A step in which the model failed looks like a refusal, until its reason is computed.
    fn look_for_failures(&mut self) -> Result<(), WeakError> {
        for (state, op) in self.steps.take_refusals() {
            refusal(self.model, state, op).map_err(WeakError::Model)?;
        }
        Ok(())
    }

    fn refutation(
        &mut self,
        constraints: &Constraints,
        history: &History<M::Op>,
        classes: &Classes,
        stuck: DeadEnd,
    ) -> Result<UnexplainedReturn, WeakError> {
        let op = stuck.blocked.iter().next().unwrap_or_default();
        let mut candidates = Vec::new();
        for sees in self.candidates(constraints, classes, &stuck, op) {
            let mut state = self.steps.initial();
            for &seen in stuck.order.iter().filter(|seen| sees.has(**seen)) {
                state = self.steps.step(state, seen_class(constraints, classes, seen));
            }
            for state in self.steps.states(state) {
                let refusal = match history.ops().get(op) {
                    Some(observed) => refusal(self.model, state, &observed.op).map_err(WeakError::Model)?,
                    None => None,
                };
                candidates.push(CandidateVisibility {
                    sees,
                    state: self.model.describe_state(state),
                    refusal,
                });
            }
        }
        Ok(UnexplainedReturn {
            explained: stuck.order,
            visible: stuck.visible,
            op,
            candidates,
            core: None,
        })
    }

    /// Sets that `op` could have seen: admitted by the axioms, small ones first, one for each state that they lead
    /// to.
    fn candidates(
        &mut self,
        constraints: &Constraints,
        classes: &Classes,
        stuck: &DeadEnd,
        op: usize,
    ) -> Vec<OpSet> {
        let partial = PartialExplanation {
            constraints,
            placed: stuck.order.iter().copied().collect(),
            order: &stuck.order,
            visible: &stuck.visible,
        };
        let least = partial.least_visible(op);
        let mut ends: Vec<(StateSet, OpSet)> = vec![(self.steps.initial(), least)];
        for &seen in &stuck.order {
            let class = seen_class(constraints, classes, seen);
            for at in 0..ends.len() {
                let (state, visibility) = ends[at];
                let next = self.steps.step(state, class);
                if least.has(seen) {
                    ends[at].0 = next;
                } else if next != DEAD && next != state && ends.iter().all(|end| end.0 != next) {
                    ends.push((next, visibility.with(seen)));
                }
            }
        }
        let mut admitted: Vec<OpSet> = Vec::new();
        for (_, visibility) in ends.into_iter().filter(|end| end.0 != DEAD) {
            let closed = partial.closed_under_axioms(op, visibility);
            if !admitted.contains(&closed) {
                admitted.push(closed);
            }
        }
        sort_by_key(&mut admitted, |visibility| visibility.len());
        admitted.truncate(Self::CANDIDATES_SHOWN);
        admitted
    }
}

/// An operation as later operations see it.
fn seen_class(constraints: &Constraints, classes: &Classes, op: usize) -> Class {
    match reading(constraints, Ret::Own) {
        Ret::All => classes.own[op],
        Ret::Own => classes.seen[op],
    }
}

/// With complete visibility the results of visible operations count: that is the definition of linearizability, also
/// for nondeterministic models.
fn reading(constraints: &Constraints, ret: Ret) -> Ret {
    if constraints.is_complete() { Ret::All } else { ret }
}
