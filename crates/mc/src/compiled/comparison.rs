//! Comparison of compiled code with the evaluator, state by state, for tests.

use omnilink_tla::eval::error::ErrorClass;
use omnilink_tla::eval::{Evaluator, Flow};
use omnilink_value::Value;

use super::CompiledSystem;
use crate::codec;
use crate::fingerprint::Fingerprint;
use crate::transition_system::CompiledExpansion;

impl<'m> CompiledSystem<'_, 'm> {
    /// Compares the successors found last with those of the evaluator.
    ///
    /// # Panics
    /// If they differ.
    pub(super) fn compare(&mut self, worker: &mut Evaluator<'m>, encoded: &[u8]) {
        let variables = worker.program().variables.len();
        let state = codec::Decoder::new(encoded)
            .state(variables)
            .unwrap_or_else(|error| panic!("{error}"));
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
            .map(|successor| (self.state(successor).to_vec(), self.successor(successor).1))
            .collect();
        assert_eq!(found, expected, "successors of {state:?}");
        for (successor, (values, _)) in expected.iter().enumerate() {
            let hashes: Vec<u64> = values.iter().map(Value::hash64).collect();
            let own = self
                .machine
                .as_mut()
                .map(|machine| machine.hashes(successor).to_vec());
            assert_eq!(own, Some(hashes), "the hashes of {values:?}");
            if self.formulas.viewed.is_none() && self.formulas.symmetry.is_trivial() {
                assert_eq!(
                    self.successor(successor).0,
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
    }
}
