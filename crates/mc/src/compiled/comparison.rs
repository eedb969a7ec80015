//! Comparison of compiled code with the evaluator, state by state, for tests.

use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Evaluator, Flow};
use omnilink_value::Value;

use omnilink_tla_compile::Trap;

use super::CompiledSystem;
use crate::codec;
use crate::fingerprint::Fingerprint;
use crate::session::set_level;
use crate::tla_system::least_view;
use crate::transition_system::CompiledExpansion;

impl<'m> CompiledSystem<'_, 'm> {
    /// Compares the successors found last with those of the evaluator.
    ///
    /// # Panics
    /// If they differ.
    pub(super) fn compare(&mut self, worker: &mut Evaluator<'m>, encoded: &[u8], level: u32) {
        let variables = worker.program().variables.len();
        let state = codec::Decoder::new(encoded)
            .state(variables)
            .unwrap_or_else(|error| panic!("{error}"));
        set_level(level);
        let mut expected: Vec<(Vec<Value>, usize)> = Vec::new();
        let interpreted = worker.successors(self.formulas.next, &state, &mut |_, next, taken| {
            let action = taken.map_or(usize::MAX, |taken| taken.action as usize);
            expected.push((next.to_vec(), action));
            Ok(Flow::Go)
        });
        match interpreted {
            Ok(()) => {}
            Err(failure) if failure.class == ErrorClass::Resource => return,
            Err(failure) => panic!("compiled code accepts what is an error in {state:?}: {failure:?}"),
        }
        let found: Vec<(Vec<Value>, usize)> = (0..self.len())
            .map(|successor| (self.state(successor).to_vec(), self.action(successor)))
            .collect();
        assert_eq!(found, expected, "successors of {state:?}");
        for (successor, (values, _)) in expected.iter().enumerate() {
            self.compare_contents(successor, values);
            if let Some(view) = self.formulas.view {
                set_level(level + 1);
                let seen = least_view(worker, view, self.formulas.symmetry, values);
                let seen = seen.unwrap_or_else(|failure| panic!("the view of {values:?}: {failure:?}"));
                assert_eq!(
                    self.fingerprint(successor),
                    seen,
                    "the fingerprint of the view of {values:?}"
                );
            }
        }
    }

    /// Compares the hashes, the fingerprint and the encoding of a successor with those of its values.
    ///
    /// # Panics
    /// If they differ.
    pub(super) fn compare_contents(&mut self, successor: usize, values: &[Value]) {
        let hashes: Vec<u64> = values.iter().map(Value::hash64).collect();
        let own = self
            .machine
            .as_mut()
            .map(|machine| machine.hashes(successor).to_vec());
        assert_eq!(own, Some(hashes), "the hashes of {values:?}");
        if self.formulas.view.is_none()
            && self.formulas.viewed.is_none()
            && self.formulas.symmetry.is_trivial()
        {
            assert_eq!(
                self.fingerprint(successor),
                Fingerprint::of_state(values),
                "the fingerprint of {values:?}"
            );
        }
        let (mut packed, mut plain) = (Vec::new(), Vec::new());
        self.encode(successor, &mut packed);
        for value in values {
            codec::encode(value, &mut plain);
        }
        assert_eq!(packed, plain, "the encoding of {values:?}");
    }

    /// Compares the answer of compiled code to a formula with that of the evaluator, if that is asked for.
    ///
    /// # Panics
    /// If they differ.
    pub(super) fn compare_formula(
        &mut self,
        formula: usize,
        successor: usize,
        decided: Result<bool, Trap>,
        expected: &Result<bool, Box<Failure>>,
    ) {
        let (Ok(holds), true) = (decided, self.formulas.compares) else {
            return;
        };
        let state = self.state(successor);
        match expected {
            Ok(expected) => assert_eq!(holds, *expected, "compiled formula {formula} in {state:?}"),
            Err(failure) if failure.class == ErrorClass::Resource => {}
            Err(failure) => {
                panic!(
                    "compiled formula {formula} has a value where it is an error in {state:?}: {failure:?}"
                )
            }
        }
    }
}
