//! The minimal frontier: drops configurations that another one still reaches later.

use omnilink_sorting::sort_by_key;

use super::Sweep;
use crate::mask::Mask;
use crate::mutant::{Mutant, mutated};
use crate::search_context::SearchContext;

impl<K: Mask> Sweep<K> {
    /// Drops the configurations of the new frontier that another one makes superfluous. Returns `false` if a limit was
    /// reached.
    ///
    /// **Minimal frontier.** Let `c'` become `c` by placing one more operation `u` (and by absorption), where `u` stays
    /// open after this return and the order of its thread allows it now. A completion `v` of `c` gives the completion
    /// `u·v` of `c'`. So `c` is superfluous, and with it everything that `c` dominates. A dropped configuration has
    /// placed more operations that are not pure than the one that makes it superfluous, so no two configurations drop
    /// each other. ∎
    pub(super) fn minimize_frontier(&mut self, target: usize, context: &mut SearchContext<'_, '_>) -> bool {
        if self.next.len() < 2 && !mutated(Mutant::MinimalAcrossReturn) {
            return true;
        }
        let dominance = self.dominance(context.reductions);
        sort_by_key(&mut self.next, |config| dominance.rank(&config.placed));
        self.visited.clear();
        let visited = &mut self.visited;
        self.next
            .retain(|config| visited.insert(config.state, &config.placed, &dominance));
        if self.next.len() < 2 && !mutated(Mutant::MinimalAcrossReturn) {
            return true;
        }
        let mut dropped = vec![false; self.next.len()];
        let ops = &self.ops;
        // An operation that no configuration has placed leads to none of them.
        let placed_somewhere = self
            .next
            .iter()
            .fold(K::default(), |placed, config| placed.or(&config.placed));
        let across = self
            .frontier
            .iter()
            .filter(|_| mutated(Mutant::MinimalAcrossReturn));
        for config in self.next.iter().chain(across) {
            let mut later = placed_somewhere.minus(&config.placed).minus(&ops.pure);
            if !mutated(Mutant::MinimalAcrossReturn) {
                later.remove(target);
            }
            for slot in later.slots() {
                if !ops.may_come_next(slot, &config.placed) && !mutated(Mutant::MinimalOverTies) {
                    continue;
                }
                if context
                    .budget
                    .work(|| context.space.heap_bytes() + self.visited.heap_bytes())
                {
                    return false;
                }
                let successors = context.space.successors(config.state, ops.slot(slot).class);
                let mut branch = 0;
                while let Some(state) = context.space.successor(successors, branch) {
                    branch += 1;
                    let mut placed = config.placed.clone();
                    placed.insert(slot);
                    ops.absorb(context.space, state, &mut placed, context.reductions, |_| ());
                    self.visited
                        .for_each_dominated(state, &placed, &dominance, |entry| dropped[entry] = true);
                }
            }
        }
        let mut index = 0;
        self.next.retain(|_| {
            index += 1;
            !dropped[index - 1]
        });
        true
    }
}
