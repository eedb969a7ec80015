//! Conditions that refuse an instance, and what may make them true.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use omnilink_tla::eval::{Cell, Condition, Content, Direction, Effects, State};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::footprint::with_content;
use crate::instance::Instance;
use crate::model::TlaModel;
use crate::state::SpecState;

/// What was evaluated of the conditions of one instance.
#[derive(Debug, Default)]
pub(crate) struct ConditionMemo {
    /// The last state, and the first condition that is false in it.
    last: RefCell<Option<(State, Option<Unmet>)>>,
    /// The last state, and what the refusal depended on in it, if that is known.
    reads: RefCell<Option<(State, RefusalReads)>>,
    /// Whether other contents of cells would help.
    helps: RefCell<FxHashMap<Trial, Effect>>,
}

/// A condition, a cell, what the cell holds, and what it would hold.
type Trial = (u16, u16, Option<Value>, Option<Value>);

/// The cells that a refusal depends on, if they are known.
type RefusalReads = Option<Rc<[Cell]>>;

/// A condition that is false in a state.
#[derive(Clone, Copy, Debug)]
struct Unmet {
    condition: u16,
    /// For a sum: its value, and in which direction it must change.
    sum: Option<(i64, Direction)>,
}

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

/// The number of entries kept for one instance.
const HELPS_MAX: usize = 1 << 10;

impl TlaModel<'_> {
    /// Whether `helper` may contribute to making a condition of `refused` true that is false in `state`; `None` if there is no such
    /// condition.
    ///
    /// A condition on one cell becomes true only when some operation leaves a content with which it is true. A sum that is too
    /// low is enough only after the part of some cell has become greater than in `state`. The first operation after which it is finds
    /// it no greater, and leaves a content with which it is greater. So an operation that never writes such a cell, never leaves
    /// such a content, or demands to find a content with which the part is greater already, is not that operation. The other way
    /// round likewise. ∎
    pub(crate) fn may_meet_condition(
        &self,
        state: &SpecState,
        refused: &Instance,
        helper: &Effects,
    ) -> Option<bool> {
        let conditions = &self.effects(refused).conditions;
        if conditions.is_empty() {
            return None;
        }
        let unmet = self.unmet_condition(state, refused)?;
        let condition = conditions.get(unmet.condition as usize)?;
        for write in &helper.writes {
            for (at, cell) in condition.cells.iter().enumerate() {
                if !write.cell.overlaps(cell) {
                    continue;
                }
                let Some(left) = write.left.held_after(&write.cell, cell) else {
                    return Some(true);
                };
                if self.effect(state, refused, &unmet, (at, cell), left.as_ref()) == Effect::Not {
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
                    && demanded.is_some_and(|value| {
                        self.effect(state, refused, &unmet, (at, cell), Some(value)) == Effect::Helps
                    });
                if !is_late {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// Whether `helper` may change what the evaluation of `refused` read in `state`.
    ///
    /// `refused` is refused in every state that agrees with `state` on what was read there. So until some operation changes one of these
    /// cells it stays refused, whatever the analysis knows of it. Asked only where that knows little: it takes an evaluation.
    pub(crate) fn may_change_refusal(&self, state: &SpecState, refused: &Instance, helper: &Effects) -> bool {
        let effects = self.effects(refused);
        let is_vague = |cell: &Cell| cell.path.is_empty() || !cell.is_known();
        if !helper.is_complete
            || !self.linked.invariants.is_empty()
            || effects.is_complete && !effects.reads.iter().any(is_vague)
        {
            return true;
        }
        match self.reads_of_refusal(state, refused) {
            Some(reads) => helper
                .writes
                .iter()
                .any(|write| reads.iter().any(|read| write.cell.overlaps(read))),
            None => true,
        }
    }

    fn reads_of_refusal(&self, state: &SpecState, refused: &Instance) -> RefusalReads {
        let content = &refused.0;
        if let Some((known, reads)) = &*content.conditions.reads.borrow()
            && Arc::ptr_eq(known, state.values())
        {
            return reads.clone();
        }
        let arguments = content.known()?;
        let mut evaluator = self.evaluator.borrow_mut();
        let reads = evaluator.reads_of_refusal(content.operation, &arguments, state.values());
        let reads: RefusalReads = reads.map(Into::into);
        *content.conditions.reads.borrow_mut() = Some((state.values().clone(), reads.clone()));
        reads
    }

    fn unmet_condition(&self, state: &SpecState, refused: &Instance) -> Option<Unmet> {
        let content = &refused.0;
        if let Some((known, unmet)) = &*content.conditions.last.borrow()
            && Arc::ptr_eq(known, state.values())
        {
            return *unmet;
        }
        let arguments = content.known()?;
        let mut evaluator = self.evaluator.borrow_mut();
        let mut unmet = None;
        for (at, condition) in (0..).zip(&self.effects(refused).conditions) {
            let sum = match condition.sum {
                None => {
                    let holds =
                        evaluator.condition_holds(content.operation, &arguments, condition, state.values());
                    match holds {
                        Ok(false) => None,
                        _ => continue,
                    }
                }
                Some(sum) => {
                    let found =
                        evaluator.condition_sum(content.operation, &arguments, condition, state.values());
                    match found.ok().and_then(|found| Some((found, sum.direction(found)?))) {
                        Some(direction) => Some(direction),
                        None => continue,
                    }
                }
            };
            unmet = Some(Unmet { condition: at, sum });
            break;
        }
        *content.conditions.last.borrow_mut() = Some((state.values().clone(), unmet));
        unmet
    }

    fn effect(
        &self,
        state: &SpecState,
        refused: &Instance,
        unmet: &Unmet,
        (at, cell): (usize, &Cell),
        left: Option<&Value>,
    ) -> Effect {
        let content = &refused.0;
        let key = (
            unmet.condition,
            at as u16,
            unmet.sum.and_then(|_| cell.held(state.values())),
            left.cloned(),
        );
        if let Some(known) = content.conditions.helps.borrow().get(&key) {
            return *known;
        }
        let effect = self
            .evaluated_effect(state, refused, unmet, cell, left)
            .unwrap_or(Effect::Unknown);
        let mut helps = content.conditions.helps.borrow_mut();
        if helps.len() < HELPS_MAX {
            helps.insert(key, effect);
        }
        effect
    }

    fn evaluated_effect(
        &self,
        state: &SpecState,
        refused: &Instance,
        unmet: &Unmet,
        cell: &Cell,
        left: Option<&Value>,
    ) -> Option<Effect> {
        let content = &refused.0;
        let condition: &Condition = self.effects(refused).conditions.get(unmet.condition as usize)?;
        let arguments = content.known()?;
        let other = with_content(state.values(), cell, left)?;
        let mut evaluator = self.evaluator.borrow_mut();
        let helps = match unmet.sum {
            None => evaluator
                .condition_holds(content.operation, &arguments, condition, &other)
                .ok()?,
            Some((sum, direction)) => {
                let after = evaluator
                    .condition_sum(content.operation, &arguments, condition, &other)
                    .ok()?;
                match direction {
                    Direction::Up => after > sum,
                    Direction::Down => after < sum,
                }
            }
        };
        Some(if helps { Effect::Helps } else { Effect::Not })
    }
}
