//! Initial states by compiled code.
//!
//! An initial condition is lowered as if its variables were primed. So its code is that of an action, which starts from any state and reads
//! nothing of it: here from the first initial state. Its successors are the initial states, in parts. The layout is learned from the first
//! ones alone, so this code is forgotten afterwards, and the search learns its own.

use omnilink_tla::eval::{Evaluator, Session};
use omnilink_tla_compile::{Form, Trap};
use omnilink_value::Value;

use super::{CompiledSystem, NEXT};
use crate::session::set_level;
use crate::transition_system::{CompiledExpansion, InitialPart, State};

/// States of one part. What has changed in each is kept until all of them are checked.
const PART: usize = 1 << 9;
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
    /// The states that the evaluator enumerates, where the two are compared.
    expected: Option<Vec<Vec<Value>>>,
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
            if self.formulas.compares {
                self.compare_initial(worker, before as usize, has_more);
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

    /// Compares the states found last with those of the evaluator.
    ///
    /// # Panics
    /// If they differ.
    fn compare_initial(&mut self, worker: &mut Evaluator<'m>, before: usize, has_more: bool) {
        let init = self.formulas.init;
        let Some(run) = &mut self.initial else { return };
        let expected = run.expected.take().unwrap_or_else(|| {
            let mut expected = Vec::new();
            set_level(0);
            // What is an error for the evaluator must not have a state for compiled code, but those before it may.
            let _ = worker.initial(init, &mut |_, state, _| {
                expected.push(state.to_vec());
                Ok(omnilink_tla::eval::Flow::Go)
            });
            expected
        });
        for number in 0..self.len() {
            let values = expected
                .get(before + number)
                .unwrap_or_else(|| panic!("compiled code has more than {} initial states", expected.len()));
            assert_eq!(self.state(number)[..], values[..], "an initial state");
            self.compare_contents(number, values);
        }
        assert!(
            has_more || before + self.len() == expected.len(),
            "compiled code has fewer than {} initial states",
            expected.len()
        );
        if let Some(run) = &mut self.initial {
            run.expected = Some(expected);
        }
    }
}
