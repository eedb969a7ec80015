//! Replay of a recorded trace: is it still a behaviour of the spec, and does the spec allow it without a violation?
//!
//! A trace need not have every variable of the spec, so several states may match one of its states. All of them are followed. The
//! trace departs from the spec at the first of its states that no step leads to.

use std::ops::ControlFlow;

use omnilink_evidence::Bindings;
use omnilink_tla::deep_stack;
use omnilink_tla::eval::Evaluator;
use omnilink_tla::eval::error::Failure;
use omnilink_value::Value;
use rustc_hash::FxHashSet;

use super::{CheckRun, ModelCheckError};
use crate::counterexample::{false_part, place_of, refusal, violation_report};
use crate::fingerprint::Fingerprint;
use crate::limits::{Limit, LimitWatch};
use crate::outcome::ViolationKind;
use crate::path::PathState;
use crate::report::{ActionTaken, Answer, FalsePart, PropertyKind, Report};
use crate::statistics::SearchStatistics;
use crate::tla_system::TlaSystem;
use crate::trace_file::{RecordedTrace, RecordedValue};
use crate::transition_system::{State, TransitionSystem};

/// Which match of a position violates a property, and how.
type ViolatingMatch = (usize, ViolationKind<Box<Failure>>);

/// A state of the spec that matches a state of the trace.
struct Match {
    values: State,
    /// Its position among the matches of the state before.
    before: usize,
    step: Option<ActionTaken>,
}

/// The recorded value of each variable of the spec, if there is one.
type Wanted<'t> = Vec<Option<&'t RecordedValue>>;

fn is_wanted(wanted: &Wanted<'_>, values: &[Value]) -> bool {
    let mut both = wanted.iter().zip(values);
    both.all(|(wanted, value)| wanted.is_none_or(|wanted| wanted.matches(value)))
}

/// A replay under way.
struct Replay<'r, 'm> {
    system: &'r TlaSystem<'m>,
    worker: Evaluator<'m>,
    wanted: Vec<Wanted<'r>>,
    /// The matches of each state so far.
    matches: Vec<Vec<Match>>,
    generated: u64,
}

impl CheckRun<'_> {
    /// Replays a trace.
    pub(super) fn replay(
        &self,
        system: &TlaSystem<'_>,
        trace: &RecordedTrace,
        report: &mut Report,
    ) -> Result<(), ModelCheckError> {
        let variables = &system.model.program.variables;
        let wanted = trace.states.iter().map(|state| {
            let recorded = |variable: &str| {
                state
                    .iter()
                    .find(|(name, _)| name == variable)
                    .map(|(_, value)| value)
            };
            variables.iter().map(|variable| recorded(variable)).collect()
        });
        let wanted: Vec<Wanted<'_>> = wanted.collect();
        if wanted.iter().flatten().all(Option::is_none) {
            return Err(ModelCheckError::OtherVariables);
        }
        let unknown = trace.states.iter().flatten().map(|(name, _)| name.as_str());
        let unknown: std::collections::BTreeSet<&str> = unknown
            .filter(|name| !variables.iter().any(|variable| **variable == **name))
            .collect();
        if !unknown.is_empty() {
            let unknown: Vec<&str> = unknown.into_iter().collect();
            report.notes.push(format!(
                "the spec has no variable {}, which the trace has; it was ignored",
                unknown.join(", ")
            ));
        }
        let remaining = self.options.limits.after(self.started.elapsed());
        let limits = LimitWatch::new(&remaining, self.progress);
        report.unchecked = self.unchecked("a replay checks states and steps only");
        let (answer, figures) = deep_stack::run(|| {
            let mut replay = Replay {
                system,
                worker: system.worker(0),
                wanted,
                matches: Vec::new(),
                generated: 0,
            };
            let answer = replay.run(trace.back_to, &limits);
            let figures = SearchStatistics {
                distinct: replay.matches.iter().map(|of_state| of_state.len() as u64).sum(),
                generated: replay.generated,
                depth: u32::try_from(replay.matches.len()).unwrap_or(u32::MAX),
                ..SearchStatistics::default()
            };
            (answer, figures)
        });
        report.answer = answer;
        report.figures = figures;
        if let Answer::Valid = report.answer {
            report.notes.push(format!(
                "the trace of {} states is a behaviour of the specification",
                trace.states.len()
            ));
        }
        Ok(())
    }
}

impl<'m> Replay<'_, 'm> {
    fn run(&mut self, back_to: Option<usize>, limits: &LimitWatch<'_>) -> Answer {
        for at in 0..self.wanted.len() {
            if let Some(limit) = limits.time_limit() {
                return Answer::Limit(limit);
            }
            if limits.is_memory_full(0) {
                return Answer::Limit(Limit::Memory);
            }
            let found = match at {
                0 => self.initial(),
                _ => self.successors(at, at),
            };
            let found = match found {
                Ok(found) => found,
                Err(failure) if self.system.is_timeout(&failure) => return Answer::Limit(limits.timeout()),
                Err(failure) => return self.wrong(at, ViolationKind::Failed(failure)),
            };
            if found.is_empty() {
                return self.departure(at, at);
            }
            self.matches.push(found);
            match self.violation(at) {
                Ok(None) => {}
                Ok(Some((position, kind))) => {
                    let path = self.path(at, position);
                    return Answer::Wrong(Box::new(violation_report(self.system, &kind, path)));
                }
                Err(failure) => return self.wrong(at + 1, ViolationKind::Failed(failure)),
            }
        }
        let Some(back_to) = back_to else {
            return Answer::Valid;
        };
        match self.successors(self.wanted.len(), back_to) {
            Ok(found) if found.is_empty() => self.departure(self.wanted.len(), back_to),
            Ok(_) => Answer::Valid,
            Err(failure) => self.wrong(self.wanted.len(), ViolationKind::Failed(failure)),
        }
    }

    fn initial(&mut self) -> Result<Vec<Match>, Box<Failure>> {
        let (mut found, mut known) = (Vec::new(), FxHashSet::default());
        let wanted = &self.wanted[0];
        let generated = &mut self.generated;
        self.system.initial_states(&mut self.worker, &mut |_, values| {
            *generated += 1;
            if is_wanted(wanted, values) && known.insert(Fingerprint::of_state(values).word()) {
                found.push(Match {
                    values: values.into(),
                    before: 0,
                    step: None,
                });
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// The states that the matches of the state before position `at` lead to, and that match the recorded state `target`.
    fn successors(&mut self, at: usize, target: usize) -> Result<Vec<Match>, Box<Failure>> {
        let (system, wanted) = (self.system, &self.wanted[target]);
        let (mut found, mut known): (Vec<Match>, _) = (Vec::new(), FxHashSet::default());
        let level = u32::try_from(at).unwrap_or(u32::MAX);
        let generated = &mut self.generated;
        let mut failed = None;
        for (before, source) in self.matches[at - 1].iter().enumerate() {
            let enumerated = system.successors(
                &mut self.worker,
                &source.values,
                level,
                &mut |worker: &mut Evaluator<'m>, values: &[Value], label: &_| {
                    *generated += 1;
                    if is_wanted(wanted, values) && known.insert(Fingerprint::of_state(values).word()) {
                        found.push(Match {
                            values: values.into(),
                            before,
                            step: Some(system.describe(worker, label)),
                        });
                    }
                    ControlFlow::Continue(())
                },
            );
            failed = failed.or(enumerated.err());
            // Every behaviour may stutter.
            if is_wanted(wanted, &source.values) && known.insert(Fingerprint::of_state(&source.values).word())
            {
                found.push(Match {
                    values: source.values.clone(),
                    before,
                    step: Some(ActionTaken {
                        name: "nothing happens".into(),
                        bindings: Bindings(Vec::new()),
                        place: "a stuttering step".into(),
                    }),
                });
            }
        }
        match failed {
            Some(failure) if found.is_empty() => Err(failure),
            _ => Ok(found),
        }
    }

    /// A match at a position that violates a property, by itself or by the step that leads to it.
    fn violation(&mut self, at: usize) -> Result<Option<ViolatingMatch>, Box<Failure>> {
        let system = self.system;
        let level = u32::try_from(at + 1).unwrap_or(u32::MAX);
        for (position, found) in self.matches[at].iter().enumerate() {
            if let Some(index) = system.violated_invariant(&mut self.worker, &found.values, level, 0)? {
                return Ok(Some((position, ViolationKind::Invariant(index))));
            }
            let before = at
                .checked_sub(1)
                .and_then(|before| self.matches[before].get(found.before));
            let violated = match before {
                None => system
                    .violated_initial_property(&mut self.worker, &found.values, 0)?
                    .map(ViolationKind::Initial),
                Some(before) => system
                    .violated_step_property(&mut self.worker, (&before.values, &found.values), level - 1, 0)?
                    .map(ViolationKind::Step),
            };
            if let Some(kind) = violated {
                return Ok(Some((position, kind)));
            }
        }
        Ok(None)
    }

    /// The path to a match.
    fn path(&self, at: usize, position: usize) -> Vec<PathState<ActionTaken>> {
        let (mut path, mut position) = (Vec::new(), position);
        for of_state in self.matches[..=at].iter().rev() {
            let found = &of_state[position];
            path.push(PathState {
                values: found.values.clone(),
                step: found.step.clone(),
            });
            position = found.before;
        }
        path.reverse();
        path
    }

    /// What is wrong after the first `matched` states.
    fn wrong(&self, matched: usize, kind: ViolationKind<Box<Failure>>) -> Answer {
        let path = matched
            .checked_sub(1)
            .map_or_else(Vec::new, |at| self.path(at, 0));
        Answer::Wrong(Box::new(violation_report(self.system, &kind, path)))
    }

    /// The trace departs from the spec: no step leads from the state before position `at` to the recorded state `target`.
    fn departure(&mut self, at: usize, target: usize) -> Answer {
        let (system, program) = (self.system, &self.system.model.program);
        let before = at
            .checked_sub(1)
            .map(|before| self.matches[before][0].values.clone());
        let like = |position: usize| before.as_ref().and_then(|before| before.get(position));
        let recorded = self.wanted[target].iter().enumerate();
        let given: Vec<(u32, Value)> = recorded
            .filter_map(|(position, wanted)| {
                Some((u32::try_from(position).ok()?, (*wanted)?.like(like(position))))
            })
            .collect();
        let mut parts: Vec<FalsePart> = match (&before, system.next) {
            (None, _) if given.len() == program.variables.len() => {
                let state: Vec<Value> = given.iter().map(|(_, value)| value.clone()).collect();
                self.worker.set_state(&state.into());
                false_part(system.model, &mut self.worker, system.init)
                    .into_iter()
                    .collect()
            }
            (Some(before), Some(next)) => {
                let refusals = self.worker.refusals_given(next.operation(), &[], before, &given);
                refusals
                    .into_iter()
                    .map(|part| FalsePart {
                        place: place_of(system.model, part.at),
                        text: part.text,
                        bindings: Bindings(part.bindings.into_iter().chain(part.values).collect()),
                    })
                    .collect()
            }
            _ => Vec::new(),
        };
        let path = at.checked_sub(1).map_or_else(Vec::new, |at| self.path(at, 0));
        let first = (!parts.is_empty()).then(|| parts.remove(0));
        let mut violation = violation_report(system, &ViolationKind::Deadlock, path);
        violation.kind = PropertyKind::Replay;
        let values = given.into_iter().filter_map(|(position, value)| {
            let name = program.variables.get(position as usize)?;
            Some((name.to_string(), value))
        });
        violation.push(None, Bindings(values.collect()));
        violation.false_part = first;
        violation.reasons = parts.into_iter().map(refusal).collect();
        Answer::Wrong(Box::new(violation))
    }
}
