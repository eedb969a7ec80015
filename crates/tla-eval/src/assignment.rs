//! Assignment of next values: `x' = e`, `x' \in S`, UNCHANGED.

use omnilink_tla_ir::{Kind, Node, Two};
use omnilink_value::Value;

use super::datum::Datum;
use super::error::{Outcome, type_error};
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::memo::Edit;
use super::slot::Slot;
use super::step::Continuation;
use super::successors::OnNextState;

impl<'p> Evaluator<'p> {
    /// Whether a formula does not depend on the next state and has no branches.
    #[inline]
    pub(crate) fn is_guard(&mut self, node: &'p Node) -> bool {
        if may_branch(node) {
            return false;
        }
        match &node.kind {
            // A parameter may be bound to a primed variable.
            Kind::Equal(operands) | Kind::In(operands) => {
                !matches!(operands.0.kind, Kind::Local(_) | Kind::Call(_))
            }
            Kind::Memo(_, inner) => !self.slots_mention_next(inner.uses.slots),
            Kind::NotEqual(_) | Kind::NotIn(_) | Kind::Comparison(..) | Kind::Not(_) | Kind::PerState(..) => {
                true
            }
            _ => false,
        }
    }

    /// Whether one of some slots holds an expression about the next state: a formula that uses it may assign a variable.
    pub(crate) fn slots_mention_next(&mut self, slots: u64) -> bool {
        // Slots from 63 on share the last bit.
        if slots >> 63 == 1 {
            return true;
        }
        let mut left = slots;
        while left != 0 {
            let slot = left.trailing_zeros();
            left &= left - 1;
            if self.is_logging {
                self.log_slot_expression(slot);
            }
            if let Some((node, base)) = self.unevaluated(slot)
                && self.mentions_next(node, base)
            {
                return true;
            }
        }
        false
    }

    /// The expression in a slot and its frame, if it is not evaluated.
    pub(crate) fn unevaluated(&self, slot: u32) -> Option<(&'p Node, usize)> {
        match self.slot(slot) {
            Slot::Thunk {
                node,
                base,
                value: None,
                ..
            } => Some((*node, *base as usize)),
            Slot::Shared(shared) if shared.value.get().is_none() => Some((shared.node, shared.base as usize)),
            _ => None,
        }
    }

    /// Whether an expression in a frame depends on the next state, directly or through its parameters.
    pub(crate) fn mentions_next(&mut self, node: &'p Node, base: usize) -> bool {
        if may_branch(node) {
            return true;
        }
        let own = std::mem::replace(&mut self.base, base);
        let speaks = self.slots_mention_next(node.uses.slots);
        self.base = own;
        speaks
    }

    /// The variable that a primed expression denotes. Logs a read if that depends on a parameter.
    pub(crate) fn logged_target(&mut self, node: &'p Node) -> Option<u32> {
        if self.is_logging {
            let named = match &node.kind {
                Kind::Prime(inner) => inner,
                _ => node,
            };
            if let Kind::Local(slot) = named.kind {
                self.log_slot_expression(slot);
            }
        }
        self.target(node, false)
    }

    /// The variable that a primed expression denotes.
    pub(crate) fn target(&self, node: &'p Node, primed: bool) -> Option<u32> {
        match &node.kind {
            Kind::Next(variable) if !primed => Some(*variable),
            Kind::Var(variable) if primed => Some(*variable),
            Kind::Prime(inner) if !primed => self.target(inner, true),
            Kind::Local(slot) => match self.slot(*slot) {
                Slot::Thunk { node, base, .. } => self.target_in(node, *base as usize, primed),
                Slot::Shared(shared) => self.target_in(shared.node, shared.base as usize, primed),
                _ => None,
            },
            Kind::Call(call) if call.arguments.is_empty() => {
                let body = &self.program.operators[call.operator as usize].body;
                matches!(body.kind, Kind::Next(_) | Kind::Var(_))
                    .then(|| self.target(body, primed))
                    .flatten()
            }
            _ => None,
        }
    }

    fn target_in(&self, node: &'p Node, base: usize, primed: bool) -> Option<u32> {
        match &node.kind {
            Kind::Local(slot) => match self.slots.get(base + *slot as usize)? {
                Slot::Thunk { node, base, .. } => self.target_in(node, *base as usize, primed),
                Slot::Shared(shared) => self.target_in(shared.node, shared.base as usize, primed),
                _ => None,
            },
            Kind::Prime(inner) if !primed => self.target_in(inner, base, true),
            _ => self.target(node, primed),
        }
    }

    /// Whether the next value of a variable does not matter. Variables that only an ENABLED has are not among those of the spec.
    fn is_ignored(&self, variable: u32) -> bool {
        self.is_ignored
            .get(variable as usize)
            .copied()
            .unwrap_or_default()
    }

    pub(crate) fn assign_equal(
        &mut self,
        variable: u32,
        operands: &'p Two,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        if let Some(known) = self.assigned_next(variable) {
            let known = Datum::Value(known.clone());
            if self.is_logging {
                self.log_next_variable(variable);
            }
            let value = self.eval(&operands.1)?;
            if !self
                .equal(&known, &value)
                .map_err(|failure| failure.at(node.at))?
            {
                self.refused(node, &[]);
                return Ok(Flow::Go);
            }
            return self.continue_with(rest, on_next);
        }
        if self.is_ignored(variable)
            && let Some(value) = self.state.get(variable as usize).cloned()
        {
            if self.is_logging {
                self.log_edit(variable, Edit::Same);
            }
            return self.assign(variable, value, rest, on_next);
        }
        if self.is_logging {
            let (value, edit) = self
                .eval_edit(variable, &operands.1)
                .map_err(|failure| failure.at(node.at))?;
            self.log_edit(variable, edit);
            return self.assign(variable, value, rest, on_next);
        }
        let value = self.eval(&operands.1)?;
        let value = self.canonical(value).map_err(|failure| failure.at(node.at))?;
        self.assign(variable, value, rest, on_next)
    }

    pub(crate) fn assign(
        &mut self,
        variable: u32,
        value: Value,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        self.next[variable as usize] = value;
        self.is_assigned[variable as usize] = true;
        self.unassigned -= 1;
        let flow = self.continue_with(rest, on_next);
        self.is_assigned[variable as usize] = false;
        self.unassigned += 1;
        flow
    }

    pub(crate) fn assign_in(
        &mut self,
        variable: u32,
        set: &'p Node,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let set = self.eval(set)?;
        self.assign_each(variable, &set, node, rest, on_next)
    }

    #[inline(never)]
    pub(crate) fn assign_each(
        &mut self,
        variable: u32,
        set: &Datum<'p>,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        self.for_each_element(set, &mut |this, element| {
            if this.is_logging {
                this.log_edit(variable, Edit::Is(element.clone()));
            }
            this.assign(variable, element, rest, on_next)
        })
        .map_err(|failure| failure.at(node.at))
    }

    #[inline(never)]
    pub(crate) fn step_unchanged(
        &mut self,
        variables: &'p [u32],
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let mut given: smallvec::SmallVec<[u32; 16]> = smallvec::SmallVec::new();
        let mut same = true;
        for variable in variables {
            let now = match self.state.get(*variable as usize) {
                Some(now) => now.clone(),
                None => {
                    return Err(type_error("UNCHANGED has no meaning in an initial condition").at(node.at));
                }
            };
            match self.assigned_next(*variable) {
                None => {
                    self.next[*variable as usize] = now;
                    self.is_assigned[*variable as usize] = true;
                    self.unassigned -= 1;
                    given.push(*variable);
                    if self.is_logging {
                        self.log_edit(*variable, Edit::Same);
                    }
                }
                Some(next) => {
                    let next = Datum::Value(next.clone());
                    if self.is_logging {
                        self.log_next_variable(*variable);
                        self.log_variable(*variable);
                    }
                    match self.equal(&next, &Datum::Value(now)) {
                        Ok(true) => {}
                        Ok(false) => {
                            same = false;
                            break;
                        }
                        Err(failure) => {
                            self.forget(&given);
                            return Err(failure.at(node.at));
                        }
                    }
                }
            }
        }
        let flow = if same {
            self.continue_with(rest, on_next)
        } else {
            self.refused(node, &[]);
            Ok(Flow::Go)
        };
        self.forget(&given);
        flow
    }

    pub(crate) fn forget(&mut self, variables: &[u32]) {
        for variable in variables {
            self.is_assigned[*variable as usize] = false;
            self.unassigned += 1;
        }
    }
}

/// Whether a formula may depend on the next state. For a recursive operator, this is an over-approximation.
#[inline]
pub(crate) fn may_branch(node: &Node) -> bool {
    node.uses.next || node.uses.opaque || node.uses.unfinished
}
