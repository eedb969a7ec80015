//! States that are drawn at random from all that a worker has expanded, and compared with the evaluator when the search is over.
//!
//! The sample that is compared during the search has the first states, and others at intervals. This one has every state with the same
//! probability, whatever the order in which they were found.

use std::time::Instant;

use fastrand::Rng;
use omnilink_tla::eval::{Evaluator, Session};

use super::CompiledSystem;
use crate::transition_system::CompiledExpansion;

/// States that are kept. More take longer than there is time for in any search but the longest.
const KEPT_MAX: usize = 256;

/// Encoded states with their levels: those that were offered so far, each with the same probability.
#[derive(Debug, Default)]
pub(super) struct DrawnStates {
    kept: Vec<(Vec<u8>, u32)>,
    offered: u64,
    /// The next one that is kept, and the weight of the draw (Li's algorithm L: as many draws as states are kept).
    next: u64,
    weight: f64,
    random: Option<Rng>,
}

impl DrawnStates {
    /// Offers a state.
    pub(super) fn offer(&mut self, encoded: &[u8], level: u32) {
        self.offered += 1;
        if self.kept.len() < KEPT_MAX {
            self.kept.push((encoded.to_vec(), level));
            if self.kept.len() == KEPT_MAX {
                self.weight = 1.0;
                self.draw();
            }
            return;
        }
        if self.offered < self.next {
            return;
        }
        let place = self
            .random
            .get_or_insert_with(|| Rng::with_seed(0))
            .usize(..KEPT_MAX);
        if let Some((kept, its_level)) = self.kept.get_mut(place) {
            kept.clear();
            kept.extend_from_slice(encoded);
            *its_level = level;
        }
        self.draw();
    }

    fn draw(&mut self) {
        let random = self.random.get_or_insert_with(|| Rng::with_seed(0));
        let mut positive = || random.f64().max(f64::MIN_POSITIVE);
        self.weight *= (positive().ln() / KEPT_MAX as f64).exp();
        let passed = positive().ln() / (1.0 - self.weight).ln();
        self.next = self.offered.saturating_add(passed as u64).saturating_add(1);
    }
}

impl<'m> CompiledSystem<'_, 'm> {
    /// Compares the states that were drawn, as long as there is time: their successors, and each formula that is asked about them.
    pub(super) fn compare_drawn(&mut self, worker: &mut Evaluator<'m>) {
        let (start, left) = (Instant::now(), self.sample.left_at_end());
        let mut drawn = std::mem::take(&mut self.drawn.kept);
        Rng::with_seed(1).shuffle(&mut drawn);
        for (encoded, level) in drawn {
            if !self.is_enabled || start.elapsed() >= left || self.formulas.session.is_over() {
                break;
            }
            let Some(Ok(_)) = self.run(worker, &encoded, level) else {
                continue;
            };
            self.level = level;
            self.is_compared = true;
            if self.compare(worker, &encoded, level) {
                self.ask_formulas(worker, level);
            }
        }
    }

    /// Asks all formulas about the successors found last, each of which is compared where it is answered.
    fn ask_formulas(&mut self, worker: &mut Evaluator<'m>, level: u32) {
        for successor in 0..self.len() {
            if !self.is_enabled {
                return;
            }
            // Errors and violations were reported where they were found.
            let _ = self.satisfies_state_constraints(worker, successor, level + 1);
            let _ = self.satisfies_action_constraints(worker, successor, level);
            let _ = self.violated_invariant(worker, successor, level + 1, 0);
            let _ = self.violated_step_property(worker, successor, level + 1, 0);
        }
    }
}
