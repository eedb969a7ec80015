//! Comparison of compiled code with the evaluator, in every run.
//!
//! Compiled code has to be right only where it does not trap, and this is what stands behind it. In a default run a sample of the states is
//! expanded twice, by code and by the evaluator, which share nothing but values and native operators: successors, their order and actions,
//! hashes, fingerprints and encodings, and the value of each formula that is asked about them. The first difference ends the search, which starts
//! again with the evaluator alone. So a mistake of the compiler costs time, and not the answer, where the sample meets it.

use std::sync::OnceLock;

use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Evaluator, Flow};
use omnilink_value::Value;

use omnilink_tla_compile::Trap;

use super::{CompiledSystem, Layouts};
use crate::codec;
use crate::fingerprint::Fingerprint;
use crate::session::set_level;
use crate::tla_system::least_view;
use crate::transition_system::{CompiledExpansion, State};

/// A difference between compiled code and the evaluator: a mistake of this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// What differs.
    pub what: String,
    /// The state.
    pub state: Vec<Value>,
    /// Its level.
    pub level: u32,
    /// What compiled code says.
    pub compiled: String,
    /// What the evaluator says.
    pub evaluated: String,
}

/// The first difference that a worker has found, which ends the search of all of them.
pub(crate) type FirstDisagreement = OnceLock<Box<Disagreement>>;

/// A difference, without the state.
pub(super) type Difference = (String, String, String);

pub(super) fn unless_equal<T: PartialEq + std::fmt::Debug + ?Sized>(
    what: impl FnOnce() -> String,
    compiled: &T,
    evaluated: &T,
) -> Result<(), Difference> {
    match compiled == evaluated {
        true => Ok(()),
        false => Err((what(), format!("{compiled:?}"), format!("{evaluated:?}"))),
    }
}

impl<'m> CompiledSystem<'_, 'm> {
    /// Notes a difference. No code is run from now on.
    pub(super) fn disagree(&mut self, state: &[Value], level: u32, (what, compiled, evaluated): Difference) {
        self.is_enabled = false;
        let disagreement = Disagreement {
            what,
            state: state.to_vec(),
            level,
            compiled,
            evaluated,
        };
        // The first one is told.
        let _ = self.formulas.disagreement.set(Box::new(disagreement));
    }

    /// Compares the successors found last with those of the evaluator. Returns whether they are the same.
    pub(super) fn compare(&mut self, worker: &mut Evaluator<'m>, encoded: &[u8], level: u32) -> bool {
        let variables = worker.program().variables.len();
        let Ok(state) = codec::Decoder::new(encoded).state(variables) else {
            return true;
        };
        self.log.compared += 1;
        match self.compare_successors(worker, &state, level) {
            Ok(()) => true,
            Err(difference) => {
                self.disagree(&state, level, difference);
                false
            }
        }
    }

    fn compare_successors(
        &mut self,
        worker: &mut Evaluator<'m>,
        state: &State,
        level: u32,
    ) -> Result<(), Difference> {
        set_level(level);
        let next_formula = self.formulas.next;
        let (mut number, mut difference) = (0, None);
        let evaluated = worker.successors(next_formula, state, &mut |worker, next, taken| {
            let action = taken.map_or(usize::MAX, |taken| taken.action as usize);
            let same = self.compare_successor(worker, number, (next, action), level);
            number += 1;
            set_level(level);
            Ok(match same {
                Ok(()) => Flow::Go,
                Err(found) => {
                    difference = Some(found);
                    Flow::Stop
                }
            })
        });
        if let Some(difference) = difference {
            return Err(difference);
        }
        match evaluated {
            Err(failure) if failure.class == ErrorClass::Resource => Ok(()),
            Err(failure) => {
                let found = format!("{} successors", self.len());
                Err(("the successors".to_owned(), found, failure.to_string()))
            }
            Ok(()) => unless_equal(|| "the number of successors".to_owned(), &self.len(), &number),
        }
    }

    fn compare_successor(
        &mut self,
        worker: &mut Evaluator<'m>,
        number: usize,
        (values, action): (&[Value], usize),
        level: u32,
    ) -> Result<(), Difference> {
        let program = worker.program();
        let named = |action: usize| program.actions.get(action).map_or("Next", |action| &*action.name);
        if number >= self.len() {
            let found = format!("only {number} successors");
            let what = format!("the successors by {}", named(action));
            return Err((what, found, format!("one more: {values:?}")));
        }
        let what = || format!("successor {} by {}", number + 1, named(action));
        unless_equal(what, &self.state(number)[..], &values.to_vec()[..])?;
        unless_equal(
            || format!("the action of {}", what()),
            &named(self.action(number)),
            &named(action),
        )?;
        self.compare_contents(number, values)?;
        if let Some(view) = self.formulas.view {
            set_level(level + 1);
            let seen = least_view(worker, view, self.formulas.symmetry, values)
                .map_err(|failure| ("the VIEW".to_owned(), "a value".to_owned(), failure.to_string()))?;
            unless_equal(|| "the VIEW".to_owned(), &self.fingerprint(number), &seen)?;
        }
        Ok(())
    }

    /// Compares the hashes, the fingerprint and the encoding of a successor with those of its values.
    pub(super) fn compare_contents(&mut self, successor: usize, values: &[Value]) -> Result<(), Difference> {
        let of = |what: &str| format!("{what} of {values:?}");
        let hashes: Vec<u64> = values.iter().map(Value::hash64).collect();
        let machine = self.machine.as_mut();
        let own = machine.map_or_else(Vec::new, |machine| machine.hashes(successor).to_vec());
        unless_equal(|| of("the hashes"), &own, &hashes)?;
        if self.formulas.view.is_none()
            && self.formulas.viewed.is_none()
            && self.formulas.symmetry.is_trivial()
        {
            let expected = Fingerprint::of_state(values);
            unless_equal(|| of("the fingerprint"), &self.fingerprint(successor), &expected)?;
        }
        let (mut packed, mut plain) = (Vec::new(), Vec::new());
        self.encode(successor, &mut packed);
        for value in values {
            codec::encode(value, &mut plain);
        }
        unless_equal(|| of("the encoding"), &packed, &plain)
    }

    /// Compares the answer of compiled code about a successor with that of the evaluator.
    pub(super) fn compare_formula(
        &mut self,
        name: impl FnOnce() -> String,
        successor: usize,
        decided: Result<bool, Trap>,
        expected: &Result<bool, Box<Failure>>,
    ) {
        let Ok(holds) = decided else { return };
        let evaluated = match expected {
            Ok(expected) if *expected == holds => return,
            Ok(expected) => expected.to_string(),
            Err(failure) if failure.class == ErrorClass::Resource => return,
            Err(failure) => failure.to_string(),
        };
        let state = self.state(successor);
        let level = self.level + 1;
        self.disagree(&state, level, (name(), holds.to_string(), evaluated));
    }

    /// Whether the state expanded last has no successor: confirmed by the evaluator.
    pub(super) fn confirm_deadlock(&mut self, worker: &mut Evaluator<'m>) -> Result<bool, Box<Failure>> {
        let Some(machine) = self
            .machine
            .as_mut()
            .filter(|_| self.formulas.layouts != Layouts::Alone)
        else {
            return Ok(true);
        };
        let state = machine.values_before();
        set_level(self.level);
        let mut has_successor = false;
        let evaluated = worker.successors(self.formulas.next, &state, &mut |_, _, _| {
            has_successor = true;
            Ok(Flow::Stop)
        });
        if !has_successor {
            return evaluated.map(|()| true);
        }
        let level = self.level;
        let difference = ["the successors", "none: a deadlock", "at least one"].map(str::to_owned);
        let [what, compiled, evaluated] = difference;
        self.disagree(&state, level, (what, compiled, evaluated));
        Ok(false)
    }
}
