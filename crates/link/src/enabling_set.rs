//! Enabling sets: what may enable an instance that a state refuses.
//!
//! A *necessary enabling set* of a refused instance contains, for every sequence of operations that leads to a state that accepts it,
//! at least one operation of the sequence. There are several reasons why an instance is refused, and each gives such a set. Their
//! intersection is none: one operation may be in the first set and another one in the second. So the reason is chosen once, from the
//! state and the refused instance alone, and every operation is then judged by the same reason.

use std::rc::Rc;
use std::sync::Arc;

use omnilink_tla::eval::{Cell, Condition, Content, Direction, Effects};
use omnilink_value::Value;

use crate::enabling_reason::{EnablingSet, Unmet};
use crate::footprint::with_content;
use crate::instance::Instance;
use crate::model::TlaModel;
use crate::mutant::{Mutant, mutated};
use crate::state::SpecState;

/// What another content of a cell does to a condition that is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It becomes true, or the sum moves in the right direction.
    Helps,
    /// It does not.
    Not,
    /// It cannot be evaluated.
    Unknown,
}

impl TlaModel<'_> {
    /// The enabling set of an instance that `state` refuses.
    pub(crate) fn enabling_set(&self, state: &SpecState, refused: &Instance) -> EnablingSet {
        // The effects of the action do not include what a hidden step, or an invariant without parts, reads.
        if self.invariant_parts.is_none() || self.meets_hidden_steps(refused) {
            return EnablingSet::Anything;
        }
        // An operation in steps that is done stays done. Otherwise its parts are refused by their actions, as others are.
        if refused.0.part.is_some_and(|part| state.is_done(part)) {
            return EnablingSet::Nothing;
        }
        let last = &refused.0.enabling.0;
        if let Some((known, set)) = &*last.borrow()
            && (Arc::ptr_eq(known, state.values()) || mutated(Mutant::EnablingSetOfAnyState))
        {
            return set.clone();
        }
        let set = self.found_enabling_set(state, refused);
        *last.borrow_mut() = Some((state.values().clone(), set.clone()));
        set
    }

    fn found_enabling_set(&self, state: &SpecState, refused: &Instance) -> EnablingSet {
        let effects = self.effects(refused);
        if effects.is_complete {
            let is_unmet =
                |(cell, content): &(Cell, Content)| !content.agrees(cell.held(state.values()).as_ref());
            if let Some(unmet) = effects.demands.iter().position(is_unmet) {
                return EnablingSet::Demand(unmet);
            }
            if let Some(unmet) = self.unmet_condition(state, refused) {
                return EnablingSet::Condition(unmet);
            }
        }
        // What was read says more than what may be read, but it takes an evaluation: only where the analysis knows little. It does not
        // include what invariants read.
        let is_vague = |cell: &Cell| cell.path.is_empty() || !cell.is_known();
        let knows_little = !effects.is_complete || effects.reads.iter().any(is_vague);
        if knows_little
            && self.linked.invariants.is_empty()
            && let Some(reads) = self.reads_of_refusal(state, refused)
        {
            return EnablingSet::Read(reads);
        }
        if effects.is_complete {
            EnablingSet::Reads
        } else {
            EnablingSet::Anything
        }
    }

    /// Whether an operation with these effects belongs to an enabling set of `refused` in `state`.
    pub(crate) fn is_enabling(
        &self,
        set: &EnablingSet,
        state: &SpecState,
        refused: &Instance,
        helper: &Effects,
    ) -> bool {
        if !helper.is_complete {
            return !matches!(set, EnablingSet::Nothing);
        }
        let effects = self.effects(refused);
        match set {
            EnablingSet::Anything => true,
            EnablingSet::Nothing => false,
            // A demand that is not met is met only after something has left what it wants: the last to change the cell did.
            EnablingSet::Demand(number) => match effects.demands.get(*number) {
                Some((cell, content)) => {
                    let mut writes = helper.writes.iter();
                    let may_meet = writes.any(|write| write.left.may_be(&write.cell, cell, content));
                    let is_in_other_set = !mutated(Mutant::IntersectedEnablingSets)
                        || self.reads_of_refusal(state, refused).is_none_or(|reads| {
                            let mut writes = helper.writes.iter();
                            writes.any(|write| reads.iter().any(|read| write.cell.overlaps(read)))
                        });
                    may_meet && is_in_other_set
                }
                None => true,
            },
            EnablingSet::Condition(unmet) => self.may_meet_condition(state, refused, unmet, helper),
            // It is refused in every state that agrees with this one on what was read: until something writes that.
            EnablingSet::Read(reads) => {
                let mut writes = helper.writes.iter();
                writes.any(|write| reads.iter().any(|read| write.cell.overlaps(read)))
            }
            EnablingSet::Reads => may_be_first_change(state, effects, helper),
        }
    }

    /// Whether `helper` may contribute to making a condition of `refused` true that is false in `state`.
    ///
    /// A condition on one cell becomes true only when some operation leaves a content with which it is true. A sum that is too
    /// low is enough only after the part of some cell has become greater than in `state`. The first operation after which it is finds
    /// it no greater, and leaves a content with which it is greater. So an operation that never writes such a cell, never leaves
    /// such a content, or demands to find a content with which the part is greater already, is not that operation. The other way
    /// round likewise. ∎
    fn may_meet_condition(
        &self,
        state: &SpecState,
        refused: &Instance,
        unmet: &Unmet,
        helper: &Effects,
    ) -> bool {
        let Some(condition) = self.effects(refused).conditions.get(unmet.number) else {
            return true;
        };
        let effect =
            |cell: &Cell, left: Option<&Value>| self.effect(state, refused, condition, unmet, cell, left);
        for write in &helper.writes {
            for cell in condition.cells.iter().filter(|cell| write.cell.overlaps(cell)) {
                let Some(left) = write.left.held_after(&write.cell, cell) else {
                    return true;
                };
                if effect(cell, left.as_ref()) == Effect::Not {
                    continue;
                }
                let demanded = helper
                    .demands
                    .iter()
                    .find_map(|(demanded, content)| match content {
                        Content::Is(value) if demanded == cell => Some(value),
                        _ => None,
                    });
                let is_late = unmet.sum.is_some()
                    && demanded.is_some_and(|value| effect(cell, Some(value)) == Effect::Helps);
                if !is_late {
                    return true;
                }
            }
        }
        false
    }

    fn reads_of_refusal(&self, state: &SpecState, refused: &Instance) -> Option<Rc<[Cell]>> {
        let content = &refused.0;
        let arguments = content.known()?;
        let mut evaluator = self.evaluator.borrow_mut();
        let reads = evaluator.reads_of_refusal(content.operation, &arguments, state.values());
        reads.map(Into::into)
    }

    /// The first condition that is false.
    fn unmet_condition(&self, state: &SpecState, refused: &Instance) -> Option<Unmet> {
        let content = &refused.0;
        let conditions = &self.effects(refused).conditions;
        if conditions.is_empty() {
            return None;
        }
        let arguments = content.known()?;
        let mut evaluator = self.evaluator.borrow_mut();
        conditions.iter().enumerate().find_map(|(number, condition)| {
            let sum = match condition.sum {
                None => {
                    let holds =
                        evaluator.condition_holds(content.operation, &arguments, condition, state.values());
                    match holds {
                        Ok(false) => None,
                        _ => return None,
                    }
                }
                Some(sum) => {
                    let found =
                        evaluator.condition_sum(content.operation, &arguments, condition, state.values());
                    let found = found.ok()?;
                    Some((found, sum.direction(found)?))
                }
            };
            Some(Unmet { number, sum })
        })
    }

    /// What a content of a cell does to a condition that is false in `state`.
    ///
    /// Not kept for other states: for a sum it depends on the direction in which that must change, and it takes one evaluation.
    fn effect(
        &self,
        state: &SpecState,
        refused: &Instance,
        condition: &Condition,
        unmet: &Unmet,
        cell: &Cell,
        left: Option<&Value>,
    ) -> Effect {
        let content = &refused.0;
        let (Some(arguments), Some(other)) = (content.known(), with_content(state.values(), cell, left))
        else {
            return Effect::Unknown;
        };
        let mut evaluator = self.evaluator.borrow_mut();
        let helps = match unmet.sum {
            None => evaluator.condition_holds(content.operation, &arguments, condition, &other),
            Some((sum, direction)) => evaluator
                .condition_sum(content.operation, &arguments, condition, &other)
                .map(|after| match direction {
                    Direction::Up => after > sum,
                    Direction::Down => after < sum,
                }),
        };
        match helps {
            Ok(true) => Effect::Helps,
            Ok(false) => Effect::Not,
            Err(_) => Effect::Unknown,
        }
    }
}

/// Whether `helper` may be the first to change, from `state` on, anything that `refused` reads.
///
/// `refused` stays refused until something that it reads changes. The first to change any of that finds it as it is in `state`: so it
/// writes something else there, and demands nothing else.
fn may_be_first_change(state: &SpecState, refused: &Effects, helper: &Effects) -> bool {
    let is_read = |cell: &Cell| refused.reads.iter().any(|read| cell.overlaps(read));
    let changes = helper.writes.iter().any(|write| {
        let held = write.cell.held(state.values());
        // Of a cell that is not known, nothing is held, and removing it changes something all the same.
        let is_same = write.cell.is_known() && write.left.value().is_some_and(|left| left == held.as_ref());
        !is_same && is_read(&write.cell)
    });
    let is_refused = |(cell, content): &(Cell, Content)| {
        refused.reads.contains(cell) && !content.agrees(cell.held(state.values()).as_ref())
    };
    changes && !helper.demands.iter().any(is_refused)
}
