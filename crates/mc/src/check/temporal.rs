//! The temporal properties of a check: the states are explored and kept as a graph, then liveness is checked on it.

use omnilink_tla::deep_stack;
use omnilink_tla::ir::Formula;
use omnilink_tla::model::{Check, Property};

use super::{CheckRun, ModelCheckError};
use crate::counterexample::{failure_in_graph, lasso_report};
use crate::dump::GraphSink;
use crate::limits::{LimitWatch, SearchOptions};
use crate::liveness::{
    EarlyLook, GraphRecorder, LassoCounterexample, Liveness, LivenessOutcome, ROUNDS, StateGraph, Stop,
    ViewOutcome,
};
use crate::outcome::{SearchEnd, SearchError};
use crate::report::{Answer, Report, UncheckedProperty};
use crate::symmetry::Symmetry;
use crate::tla_system::TlaSystem;
use crate::transition_system::{State, TransitionSystem};

/// States explored without a VIEW before its classes have to do: this many for each class, if that is more than
/// [`states_beyond_view`](super::CheckOptions::states_beyond_view).
const STATES_PER_CLASS: usize = 64;
/// States that are compared with the one that stands for their class: this many for each class, and at least [`COMPARED_MIN`].
const COMPARED_PER_CLASS: usize = 16;
const COMPARED_MIN: usize = 1_000;

/// The graph of a search with a VIEW.
struct ViewClasses {
    graph: StateGraph,
    view: Option<Formula>,
    symmetry: Symmetry,
}

impl CheckRun<'_> {
    /// Searches all states and then checks the temporal properties. VIEW and SYMMETRY identify states that temporal properties and
    /// fairness can tell apart, so for these the states are explored again without them. If a VIEW hides too many, its classes are
    /// checked. A property that reads the queue of the search is about the search itself, and so about its VIEW.
    pub(super) fn search_with_liveness(
        &self,
        system: &mut TlaSystem<'_>,
        search: &SearchOptions,
        liveness: &Liveness,
        sink: Option<&mut dyn GraphSink>,
        report: &mut Report,
    ) -> Result<(), ModelCheckError> {
        let mut sink = sink;
        let mut classes = None;
        let is_again = !system.fingerprint_determines_state() && !liveness.is_about_the_search(system);
        if is_again {
            let mut recorder = system.view.map(|_| GraphRecorder::new(sink.take()));
            let outcome = match &mut recorder {
                Some(recorder) => self.search(system, search, Some(recorder))?,
                None => self.search(system, search, sink.take())?,
            };
            self.report_outcome(system, &outcome, report);
            if !matches!(outcome.end, SearchEnd::Complete | SearchEnd::Stopped) {
                return Ok(());
            }
            self.session.forget_exit();
            let (view, symmetry) = (system.view.take(), std::mem::take(&mut system.symmetry));
            if let (Some(recorder), SearchEnd::Complete) = (recorder, &outcome.end) {
                let graph = recorder.finish(self.model.program.variables.len());
                classes = Some(ViewClasses {
                    graph,
                    view,
                    symmetry,
                });
            }
            system.invariants.clear();
            system.initials.clear();
            system.steps.clear();
        }
        let states_max = classes.as_ref().map_or(usize::MAX, |classes| {
            (classes.graph.len() * STATES_PER_CLASS).max(self.options.states_beyond_view)
        });
        let has_counted = report.figures.generated > 0;
        let remaining = self.options.limits.after(self.started.elapsed());
        let limits = LimitWatch::new(&remaining, self.progress);
        let mut look = EarlyLook::new(
            GraphRecorder::new(sink),
            system,
            liveness,
            limits,
            self.workers,
            (!self.options.continues).then_some(self.options.first_look),
            states_max,
        );
        let outcome = self.search(system, search, Some(&mut look))?;
        let (graph, found) = look.finish();
        if let Some(found) = found {
            if !has_counted {
                self.report_outcome(system, &outcome, report);
            }
            report.answer = Answer::Valid;
            if is_again {
                report.notes.push(
                    "VIEW and SYMMETRY do not apply to temporal properties: for these states were explored without them"
                        .into(),
                );
            }
            report.notes.push(
                "the search ended with this violation; other properties may be violated in states that were not explored"
                    .into(),
            );
            return deep_stack::run(|| {
                let checked = self.with_states(&graph, Ok(found));
                self.report_liveness(system, &graph, checked, report)
            });
        }
        if let (Some(classes), SearchEnd::Decided) = (classes, &outcome.end) {
            let expanded = outcome.statistics.distinct - outcome.statistics.queued;
            system.view = classes.view;
            system.symmetry = classes.symmetry;
            let compared = (classes.graph.len() * COMPARED_PER_CLASS).max(COMPARED_MIN);
            let compared = usize::try_from(expanded).unwrap_or(usize::MAX).min(compared);
            return deep_stack::run(|| {
                self.check_classes(
                    system,
                    liveness,
                    &classes.graph,
                    (&graph, compared),
                    &limits,
                    report,
                )
            });
        }
        if has_counted {
            let (SearchEnd::Complete | SearchEnd::Stopped) = &outcome.end else {
                let figures = report.figures;
                self.report_outcome(system, &outcome, report);
                report.figures = figures;
                return Ok(());
            };
            report.notes.push(
                "VIEW and SYMMETRY do not apply to temporal properties: for these all states were explored"
                    .into(),
            );
        } else {
            self.report_outcome(system, &outcome, report);
        }
        let mut graph = graph;
        match &outcome.end {
            SearchEnd::Complete => {}
            SearchEnd::Stopped | SearchEnd::Decided => {
                graph.truncate(outcome.statistics.distinct - outcome.statistics.queued);
                report.notes.push(
                    "the spec ended the search, so temporal properties were checked on the states explored until then"
                        .into(),
                );
            }
            SearchEnd::Violation(_) | SearchEnd::Limit(_) => return Ok(()),
        }
        drop(outcome);
        let checked = liveness.check(system, &graph, &limits, self.workers, self.options.continues);
        deep_stack::run(|| {
            let checked = self.with_states(&graph, checked);
            self.report_liveness(system, &graph, checked, report)
        })
    }

    /// Checks the temporal properties on the classes of a VIEW, because there are too many states, of which the first ones are given.
    fn check_classes(
        &self,
        system: &TlaSystem<'_>,
        liveness: &Liveness,
        classes: &StateGraph,
        (states, compared): (&StateGraph, usize),
        limits: &LimitWatch<'_>,
        report: &mut Report,
    ) -> Result<(), ModelCheckError> {
        report.notes.push(format!(
            "there are more than {} states of which VIEW tells {} apart; temporal properties were checked on these, as TLC does",
            states.len(),
            classes.len()
        ));
        let checked = liveness.check_views(system, classes, limits).and_then(|checked| {
            // A cycle that ends in the state in which it began needs no more proof.
            let mut proofs = checked.followed.iter().flatten();
            let is_proved = checked.outcome.held.is_empty() && proofs.all(|(_, returns)| *returns);
            let is_respected =
                is_proved || liveness.respects_view(system, classes, &checked, (states, compared), limits)?;
            Ok((checked, is_respected))
        });
        let (checked, is_respected) = match checked {
            Ok(checked) => checked,
            Err(stop) => return self.report_liveness(system, classes, Err(stop), report),
        };
        let ViewOutcome {
            mut outcome,
            followed,
            ..
        } = checked;
        outcome.violated.clear();
        let mut shown = Vec::new();
        for (counterexample, followed) in std::mem::take(&mut outcome.counterexamples)
            .into_iter()
            .zip(followed)
        {
            let name = counterexample.property.clone();
            let Some((states, returns)) = followed.filter(|(_, returns)| *returns || is_respected) else {
                report.unchecked.push(UncheckedProperty {
                    name,
                    reason: "it is violated by a cycle of views, but VIEW merges states with different steps"
                        .into(),
                });
                continue;
            };
            if shown.is_empty() && !returns {
                report.notes.push(format!(
                    "the cycle leads to a state that has the VIEW of the one where it began, and differs from it; it was followed {ROUNDS} times more"
                ));
            }
            outcome.violated.push(name);
            if shown.is_empty() || self.options.continues {
                outcome.counterexamples.push(counterexample);
                shown.push(states);
            }
        }
        if is_respected && !outcome.held.is_empty() {
            report.notes.push(format!(
                "in {compared} states that were compared, VIEW merges only states that have the same steps"
            ));
        } else if !is_respected {
            let held = std::mem::take(&mut outcome.held).into_iter();
            report.unchecked.extend(held.map(|name| UncheckedProperty {
                name,
                reason: "it holds for the views, but VIEW merges states with different steps".into(),
            }));
        }
        self.report_liveness(system, classes, Ok((outcome, shown)), report)
    }

    /// Adds the states of the counterexamples.
    fn with_states(
        &self,
        graph: &StateGraph,
        checked: Result<LivenessOutcome, Stop>,
    ) -> Result<(LivenessOutcome, Vec<Vec<State>>), Stop> {
        let outcome = checked?;
        let of_lassos = outcome
            .counterexamples
            .iter()
            .map(|found| graph.states(&found.lasso.nodes));
        let states = of_lassos.collect::<Result<_, _>>().map_err(Stop::Decode)?;
        Ok((outcome, states))
    }

    fn report_liveness(
        &self,
        system: &TlaSystem<'_>,
        graph: &StateGraph,
        checked: Result<(LivenessOutcome, Vec<Vec<State>>), Stop>,
        report: &mut Report,
    ) -> Result<(), ModelCheckError> {
        let (outcome, states) = match checked {
            Ok(checked) => checked,
            Err(Stop::Limit(limit)) => {
                if !matches!(report.answer, Answer::Wrong(_)) {
                    report.answer = Answer::Limit(limit);
                }
                return Ok(());
            }
            Err(Stop::Failed(node, failure)) => {
                let violation =
                    failure_in_graph(system, graph, node, &failure).map_err(SearchError::Decode)?;
                report.add_violation(violation);
                return Ok(());
            }
            Err(Stop::TooLarge) => {
                report.unchecked =
                    self.unchecked("the automaton of the formula is too large; split the property");
                return Ok(());
            }
            Err(Stop::Decode(error)) => return Err(SearchError::Decode(error).into()),
            Err(Stop::NotReplayed) => return Err(ModelCheckError::NotReplayed),
            // The check starts again.
            Err(Stop::Disagreement) => return Ok(()),
        };
        report.held = outcome.held;
        if outcome.is_vacuous {
            report.notes.push(
                "no behaviour satisfies the fairness conditions, so every temporal property holds".into(),
            );
        }
        let shown = outcome.counterexamples.len();
        if let Some(others) = outcome.violated.get(shown..).filter(|others| !others.is_empty()) {
            let others = others.join(", ");
            report
                .notes
                .push(format!("these properties do not hold either: {others}"));
        }
        let stops = |found: &LassoCounterexample| found.lasso.start + 1 == found.lasso.nodes.len();
        if self.model.fairness.is_empty() && outcome.counterexamples.iter().any(stops) {
            report.notes.push(
                "the specification demands no fairness, so a behaviour may stop in any state for ever; if it must go on, add WF_vars(Next) to the SPECIFICATION"
                    .into(),
            );
        }
        for (counterexample, states) in outcome.counterexamples.into_iter().zip(states) {
            report.add_violation(lasso_report(system, states, counterexample));
        }
        if outcome.violated.is_empty()
            && !(self.model.constraints.is_empty() && self.model.action_constraints.is_empty())
        {
            report.notes.push(
                "temporal properties were checked only for behaviours that stay within the constraints"
                    .into(),
            );
        }
        Ok(())
    }

    pub(super) fn has_temporal_properties(&self) -> bool {
        self.model.properties.iter().any(is_temporal)
    }

    /// The temporal properties, with the reason why they were not checked.
    pub(super) fn unchecked(&self, reason: &str) -> Vec<UncheckedProperty> {
        let properties = self
            .model
            .properties
            .iter()
            .filter(|property| is_temporal(property));
        properties
            .map(|property| UncheckedProperty {
                name: property.name.clone(),
                reason: reason.to_owned(),
            })
            .collect()
    }
}

fn is_temporal(property: &Property) -> bool {
    let mut checks = property.checks.iter();
    checks.any(|check| matches!(check, Check::Temporal(_)))
}
