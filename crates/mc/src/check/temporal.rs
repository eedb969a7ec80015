//! The temporal properties of a check: the states are explored and kept as a graph, then liveness is checked on it.

use omnilink_tla::deep_stack;
use omnilink_tla::model::{Check, Property};

use super::{CheckRun, ModelCheckError};
use crate::counterexample::{failure_in_graph, lasso_report};
use crate::dump::GraphSink;
use crate::limits::{LimitMonitor, SearchOptions};
use crate::liveness::{EarlyLook, GraphRecorder, Liveness, LivenessOutcome, StateGraph, Stop};
use crate::outcome::{SearchEnd, SearchError};
use crate::report::{Answer, Report, UncheckedProperty};
use crate::symmetry::Symmetry;
use crate::tla_system::TlaSystem;
use crate::transition_system::TransitionSystem;

impl CheckRun<'_> {
    /// Searches all states and then checks the temporal properties. VIEW and SYMMETRY identify states that temporal properties and
    /// fairness can tell apart, so for these the states are explored again without them. A property that reads the queue of the search
    /// is about the search itself, and so about its VIEW.
    pub(super) fn search_with_liveness(
        &self,
        system: &mut TlaSystem<'_>,
        search: &SearchOptions,
        liveness: &Liveness,
        sink: Option<&mut dyn GraphSink>,
        report: &mut Report,
    ) -> Result<(), ModelCheckError> {
        let mut sink = sink;
        if !system.fingerprint_determines_state() && !liveness.is_about_the_search(system) {
            let outcome = self.search(system, search, sink.take())?;
            self.report_outcome(system, &outcome, report);
            if !matches!(outcome.end, SearchEnd::Complete | SearchEnd::Stopped) {
                return Ok(());
            }
            self.session.forget_exit();
            report.notes.push(
                "VIEW and SYMMETRY do not apply to temporal properties: for these all states were explored"
                    .into(),
            );
            system.view = None;
            system.symmetry = Symmetry::default();
            system.invariants.clear();
            system.initials.clear();
            system.steps.clear();
        }
        let has_counted = report.figures.generated > 0;
        let remaining = self.options.limits.after(self.started.elapsed());
        let limits = LimitMonitor::new(&remaining, self.progress);
        let mut look = EarlyLook::new(
            GraphRecorder::new(sink),
            system,
            liveness,
            limits,
            self.workers,
            (!self.options.continues).then_some(self.options.first_look),
        );
        let outcome = self.search(system, search, Some(&mut look))?;
        let (graph, found) = look.finish();
        if let Some(found) = found {
            if !has_counted {
                self.report_outcome(system, &outcome, report);
            }
            report.answer = Answer::Valid;
            report.notes.push(
                "the search ended with this violation; other properties may be violated in states that were not explored"
                    .into(),
            );
            return deep_stack::run(|| self.report_liveness(system, &graph, Ok(found), report));
        }
        if has_counted {
            let (SearchEnd::Complete | SearchEnd::Stopped) = &outcome.end else {
                let figures = report.figures;
                self.report_outcome(system, &outcome, report);
                report.figures = figures;
                return Ok(());
            };
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
        deep_stack::run(|| self.report_liveness(system, &graph, checked, report))
    }

    fn report_liveness(
        &self,
        system: &TlaSystem<'_>,
        graph: &StateGraph,
        checked: Result<LivenessOutcome, Stop>,
        report: &mut Report,
    ) -> Result<(), ModelCheckError> {
        let outcome = match checked {
            Ok(outcome) => outcome,
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
        for counterexample in outcome.counterexamples {
            let violation = lasso_report(system, graph, counterexample).map_err(SearchError::Decode)?;
            report.add_violation(violation);
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

    /// The temporal properties, with the reason why they were not checked.
    pub(super) fn unchecked(&self, reason: &str) -> Vec<UncheckedProperty> {
        let is_temporal = |property: &&Property| {
            property
                .checks
                .iter()
                .any(|check| matches!(check, Check::Temporal(_)))
        };
        let properties = self.model.properties.iter().filter(is_temporal);
        properties
            .map(|property| UncheckedProperty {
                name: property.name.clone(),
                reason: reason.to_owned(),
            })
            .collect()
    }
}
