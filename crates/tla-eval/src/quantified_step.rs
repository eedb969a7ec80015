//! Quantifiers in actions: `\E` branches, `\A` assigns for every element.

use omnilink_tla_ir::{Bounded, Node};
use omnilink_value::Value;

use super::assignment::may_branch;
use super::error::Outcome;
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::slot::Slot;
use super::step::Continuation;
use super::successors::OnNextState;

impl<'p> Evaluator<'p> {
    pub(crate) fn all_hold(&mut self, bounded: &'p Bounded, bindings: &[Vec<Value>]) -> Outcome<bool> {
        let saved = self.saved_slots(bounded);
        let mut holds = Ok(true);
        for binding in bindings {
            holds = self
                .bind_all(bounded, binding)
                .and_then(|()| self.bool(&bounded.body));
            if !matches!(holds, Ok(true)) {
                break;
            }
        }
        self.restore(saved);
        holds
    }

    #[inline(never)]
    pub(crate) fn step_exists(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let saved = self.saved_slots(bounded);
        let base = self.base;
        let flow = self.each_witness(bounded, node, &mut |this| {
            debug_assert_eq!(this.base, base);
            this.step(&bounded.body, rest, on_next)
        });
        self.restore(saved);
        flow
    }

    #[inline(never)]
    pub(crate) fn step_for_all(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        if !may_branch(&bounded.body) && !self.slots_mention_next(node.uses.slots) {
            return self.check(node, rest, on_next);
        }
        let sets = bounded
            .sets
            .iter()
            .map(|set| self.eval(set))
            .collect::<Outcome<Vec<_>>>()?;
        let mut bindings = Vec::new();
        let mut chosen = Vec::new();
        let saved = self.saved_slots(bounded);
        let listed = self.each_element_of(bounded, &sets, &mut chosen, &mut |_, chosen| {
            bindings.push(chosen.to_vec());
            Ok(Flow::Go)
        });
        let flow = match listed {
            Ok(_) => self.next_for_all(bounded, &bindings, rest, on_next),
            Err(failure) => Err(failure.at(node.at)),
        };
        self.restore(saved);
        flow
    }

    #[inline(never)]
    pub(crate) fn next_for_all(
        &mut self,
        bounded: &'p Bounded,
        bindings: &[Vec<Value>],
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let Some((binding, others)) = bindings.split_first() else {
            return self.continue_with(rest, on_next);
        };
        let saved = self.saved_slots(bounded);
        let flow = self.bind_all(bounded, binding).and_then(|()| {
            let rest = Continuation::ForAll {
                bounded,
                bindings: others,
                base: self.base,
                rest,
            };
            self.step(&bounded.body, &rest, on_next)
        });
        self.restore(saved);
        flow
    }

    pub(crate) fn bind_all(&mut self, bounded: &'p Bounded, binding: &[Value]) -> Outcome<()> {
        for ((_, pattern), element) in bounded.binds.iter().zip(binding) {
            self.bind_pattern(pattern, element)?;
        }
        Ok(())
    }

    pub(crate) fn saved_slots(&self, bounded: &'p Bounded) -> smallvec::SmallVec<[(usize, Slot<'p>); 2]> {
        bounded
            .slots()
            .map(|slot| {
                let at = self.base + slot as usize;
                (at, self.slots[at].clone())
            })
            .collect()
    }

    pub(crate) fn restore(&mut self, saved: impl IntoIterator<Item = (usize, Slot<'p>)>) {
        for (at, content) in saved {
            self.slots[at] = content;
        }
    }
}
