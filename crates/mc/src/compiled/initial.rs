//! Initial states by compiled code.
//!
//! An initial condition is lowered as if its variables were primed. So its code is that of an action, which starts from any state and reads
//! nothing of it: here from the first initial state. Its successors are the initial states, in parts. The layout is learned from the first
//! ones alone, so this code is forgotten afterwards, and the search learns its own.

use std::time::{Duration, Instant};

use omnilink_tla::eval::{Evaluator, Flow, Session};
use omnilink_tla_compile::{Evaluators, Form, Trap};
use omnilink_value::Value;

use super::comparison::{Difference, unless_equal};
use super::{CompiledSystem, NEXT};
use crate::session::set_level;
use crate::transition_system::{CompiledExpansion, InitialPart, State};

/// States of one part. What has changed in each is kept until all of them are checked.
const PART: usize = 1 << 9;
/// At most so many states are compared with those of the evaluator, which may take so long to enumerate them.
const COMPARED_MAX: usize = 1 << 12;
const COMPARED_TIME: Duration = Duration::from_millis(100);
/// How often the code is made anew because a value does not fit, before the evaluator takes over.
const ADAPTATIONS_MAX: u32 = 32;

/// An enumeration of the initial states.
#[derive(Debug)]
pub(super) struct InitialRun {
    /// The state to start from.
    start: State,
    /// The states that were enumerated since the code was made.
    enumerated: u64,
    is_started: bool,
    adaptations: u32,
    /// The first states that the evaluator enumerates, once they are known.
    expected: Option<Expected>,
}

/// What the evaluator enumerates, to be compared.
#[derive(Debug)]
struct Expected {
    states: Vec<Vec<Value>>,
    /// Whether these are all, as far as there is no error.
    is_complete: bool,
}

impl<'m> CompiledSystem<'_, 'm> {
    pub(super) fn start_enumeration(&mut self, worker: &mut Evaluator<'m>, sample: &[State]) {
        let Some(start) = sample.first() else { return };
        let layouts = self.formulas.layouts;
        let mut forms: Vec<Form> = start.iter().map(|value| layouts.form(value)).collect();
        for state in sample {
            for (form, value) in forms.iter_mut().zip(&**state) {
                *form = form.meet(&layouts.form(value));
            }
        }
        self.initial = Some(InitialRun {
            start: start.clone(),
            enumerated: 0,
            is_started: false,
            adaptations: 0,
            expected: None,
        });
        self.compile(worker, forms, None);
    }

    pub(super) fn end_enumeration(&mut self) {
        self.initial = None;
        self.machine = None;
        self.is_enabled = true;
    }

    pub(super) fn next_part(&mut self, worker: &mut Evaluator<'m>, passed: u64) -> Option<InitialPart> {
        loop {
            if self.formulas.session.is_over() || self.is_full() {
                return None;
            }
            let (before, has_more) = match self.run_part(worker)? {
                Ok(found) => found,
                Err(trap @ Trap::Layout(_)) => {
                    let run = self.initial.as_mut()?;
                    (run.enumerated, run.is_started) = (0, false);
                    run.adaptations += 1;
                    if run.adaptations > ADAPTATIONS_MAX {
                        return None;
                    }
                    self.adapt(worker, Some(trap));
                    continue;
                }
                Err(_) => return None,
            };
            if let Err((state, difference)) = self.compare_initial(worker, before as usize, has_more) {
                self.disagree(&state, 0, difference);
                return None;
            }
            let len = self.len();
            let first = usize::try_from(passed.saturating_sub(before)).map_or(len, |first| first.min(len));
            self.log.initial += (len - first) as u64;
            if !has_more {
                self.formulas.session.set_initial_states(before + len as u64);
            }
            return Some(InitialPart {
                first,
                is_last: !has_more,
            });
        }
    }

    /// Enumerates some more states. Returns the number of those before, and whether there may be more.
    fn run_part(&mut self, worker: &mut Evaluator<'m>) -> Option<Result<(u64, bool), Trap>> {
        let (machine, run) = (self.machine.as_mut()?, self.initial.as_mut()?);
        set_level(0);
        let found = match std::mem::replace(&mut run.is_started, true) {
            false => machine
                .set_state(&run.start)
                .and_then(|()| machine.first_successors(NEXT, PART, worker)),
            true => machine.more_successors(worker),
        };
        let before = run.enumerated;
        run.enumerated += machine.found().len() as u64;
        let found = match found {
            Ok(has_more) if self.formulas.view.is_some() => self.see(worker, 0).map(|()| has_more),
            found => found,
        };
        Some(found.map(|has_more| (before, has_more)))
    }

    /// Compares the states found last with those of the evaluator, as far as these were enumerated.
    fn compare_initial(
        &mut self,
        worker: &mut Evaluator<'m>,
        before: usize,
        has_more: bool,
    ) -> Result<(), (Vec<Value>, Difference)> {
        let Some(known) = self.initial.as_mut().map(|run| run.expected.take()) else {
            return Ok(());
        };
        let expected = known.unwrap_or_else(|| self.expected(worker));
        let compared = expected.states.iter().skip(before).take(self.len());
        for (number, values) in compared.enumerate() {
            let state = self.state(number).to_vec();
            let what = || format!("initial state {}", before + number + 1);
            unless_equal(what, &state, values).map_err(|difference| (state, difference))?;
            self.compare_contents(number, values)
                .map_err(|difference| (values.clone(), difference))?;
            self.log.compared += 1;
        }
        let found = before + self.len();
        let is_short = !has_more && found < expected.states.len();
        if is_short || expected.is_complete && found > expected.states.len() {
            let first = |state: Option<&Vec<Value>>| state.cloned().unwrap_or_default();
            let extra = expected.states.len().checked_sub(before);
            let state = match extra.filter(|extra| *extra < self.len()) {
                Some(extra) => self.state(extra).to_vec(),
                None => first(expected.states.get(found)),
            };
            let counts = (found.to_string(), expected.states.len().to_string());
            let what = "the number of initial states".to_owned();
            return Err((state, (what, counts.0, counts.1)));
        }
        if let Some(run) = &mut self.initial {
            run.expected = Some(expected);
        }
        Ok(())
    }

    /// The first initial states of the evaluator.
    fn expected(&mut self, worker: &mut Evaluator<'m>) -> Expected {
        let (max, time) = match self.formulas.evaluators {
            Evaluators::Both => (usize::MAX, Duration::MAX),
            _ => (COMPARED_MAX, COMPARED_TIME),
        };
        let start = Instant::now();
        let mut states = Vec::new();
        let mut is_complete = true;
        set_level(0);
        // What is an error for the evaluator must not have a state for compiled code, but those before it may.
        let _ = worker.initial(self.formulas.init, &mut |_, state, _| {
            is_complete = states.len() < max && start.elapsed() < time;
            if !is_complete {
                return Ok(Flow::Stop);
            }
            states.push(state.to_vec());
            Ok(Flow::Go)
        });
        self.sample.add(start.elapsed());
        Expected { states, is_complete }
    }
}
