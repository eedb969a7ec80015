//! Evaluation of actions: enumerates the next states that an action allows.
//!
//! Conjuncts are evaluated from left to right, each with a continuation: the conjuncts that follow. `x' = e` assigns `x'` if it is
//! not assigned yet, and compares otherwise; `x' \in S` tries every element; disjunctions and `\E` branch; everything else is
//! evaluated as a formula. At the end of the continuation, the next state is complete. Once all variables are assigned, the rest
//! is evaluated as a formula: one successor, even where a disjunction would yield two. TLC counts the same way.
//!
//! **Backtracking.** A branch undoes its assignments, and restores the slots that it bound: the same `\E` may be entered again,
//! inside its own continuation, by an enclosing `\A`.
//!
//! Initial states are enumerated in the same way: `Init` is lowered as if every variable in it were primed.

use omnilink_tla_ir::{Application, Argument, Bounded, Kind, Node};
use omnilink_value::Value;

use super::assignment::may_branch;
use super::composition::Partial;
use super::datum::Datum;
use super::error::{Outcome, domain_error, type_error};
use super::evaluator::{Evaluator, State};
use super::flow::Flow;
use super::slot::Slot;
use super::successors::{OnNextState, TakenAction};

/// What remains to be evaluated before a next state is complete.
pub(super) enum Continuation<'a, 'p> {
    Done,
    /// Conjuncts in a frame.
    Nodes {
        nodes: &'p [Node],
        base: usize,
        rest: &'a Continuation<'a, 'p>,
    },
    /// `\A`: the same body for the remaining elements.
    ForAll {
        bounded: &'p Bounded,
        bindings: &'a [Vec<Value>],
        base: usize,
        rest: &'a Continuation<'a, 'p>,
    },
    /// `<<A>>_v`: the step must change `v`.
    Changed {
        unchanged: &'p Node,
        base: usize,
        rest: &'a Continuation<'a, 'p>,
    },
    /// `A \cdot B`: B, from the state that A leads to.
    Then {
        second: &'p Node,
        base: usize,
        /// What is known of the state that B leads to.
        given: &'a Partial,
        rest: &'a Continuation<'a, 'p>,
    },
    /// The state before `A \cdot B` becomes the current one again.
    WholeStep {
        before: &'a State,
        generation: u64,
        rest: &'a Continuation<'a, 'p>,
    },
}

impl Continuation<'_, '_> {
    /// Whether nothing remains.
    pub(super) fn is_done(&self) -> bool {
        match self {
            Continuation::Done => true,
            Continuation::Nodes { nodes: [], rest, .. } => rest.is_done(),
            _ => false,
        }
    }
}

impl<'p> Evaluator<'p> {
    pub(crate) fn step(
        &mut self,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        // A formula about the current state assigns nothing. But a disjunction of such formulas still branches, as in TLC.
        if self.is_guard(node) {
            return self.check(node, rest, on_next);
        }
        match &node.kind {
            Kind::And(conjuncts) => {
                // Most actions are disabled, so guards are evaluated before a continuation is built.
                let mut left = &**conjuncts;
                while let [first, others @ ..] = left
                    && self.is_guard(first)
                {
                    if !self.bool(first)? {
                        self.refused(first, others);
                        return Ok(Flow::Go);
                    }
                    left = others;
                }
                match left {
                    [] => self.continue_with(rest, on_next),
                    [only] => self.step(only, rest, on_next),
                    [first, others @ ..] => {
                        let rest = Continuation::Nodes {
                            nodes: others,
                            base: self.base,
                            rest,
                        };
                        self.step(first, &rest, on_next)
                    }
                }
            }
            Kind::Or(disjuncts) => {
                for disjunct in disjuncts {
                    if self.passage.is_some() && self.may_skip_disjunct(disjunct, rest) {
                        continue;
                    }
                    if self.step(disjunct, rest, on_next)?.is_stop() {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Go)
            }
            Kind::Exists(bounded) => self.step_exists(bounded, node, rest, on_next),
            Kind::ForAll(bounded) => self.step_for_all(bounded, node, rest, on_next),
            Kind::Equal(operands) | Kind::UnchangedExpr(operands) => match self.logged_target(&operands.0) {
                Some(variable) => self.assign_equal(variable, operands, node, rest, on_next),
                None => self.check(node, rest, on_next),
            },
            Kind::In(operands) => match self.logged_target(&operands.0) {
                Some(variable) if !self.is_assigned[variable as usize] => {
                    self.assign_in(variable, &operands.1, node, rest, on_next)
                }
                _ => self.check(node, rest, on_next),
            },
            Kind::SubsetEq(operands) => match self.logged_target(&operands.0) {
                Some(variable) if !self.is_assigned[variable as usize] => {
                    let whole = self.eval(&operands.1)?;
                    let subsets = Datum::lazy(super::datum::Lazy::Powerset(whole));
                    self.assign_each(variable, &subsets, node, rest, on_next)
                }
                _ => self.check(node, rest, on_next),
            },
            Kind::Unchanged(variables) => self.step_unchanged(variables, node, rest, on_next),
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                let holds = self.bool(condition)?;
                let refused = self.refusals.as_ref().map(Vec::len);
                let flow = self.step(if holds { yes } else { no }, rest, on_next);
                if let Some(refused) = refused {
                    self.add_condition(refused, condition, holds);
                }
                flow
            }
            Kind::Case(arms, other) => match self.case(arms, other.as_deref())? {
                Some(value) => self.step(value, rest, on_next),
                None => Err(domain_error("no arm of the CASE holds, and there is no OTHER").at(node.at)),
            },
            Kind::Implies(operands) => {
                if self.bool(&operands.0)? {
                    self.step(&operands.1, rest, on_next)
                } else {
                    self.continue_with(rest, on_next)
                }
            }
            Kind::Let(slots, body) => self.step_let(slots, body, rest, on_next),
            Kind::Call(call) if may_branch(node) || self.slots_mention_next(node.uses.slots) => {
                self.step_call(call, node, rest, on_next)
            }
            Kind::CallSlot(slot, arguments) => self.step_call_slot(*slot, arguments, node, rest, on_next),
            Kind::Local(slot) => match self.unevaluated(*slot) {
                // An action passed as an argument or defined by LET.
                Some((inner, base)) if self.mentions_next(inner, base) => {
                    if self.is_logging {
                        self.log_slot_expression(*slot);
                    }
                    let own = std::mem::replace(&mut self.base, base);
                    let back = Continuation::Nodes {
                        nodes: &[],
                        base: own,
                        rest,
                    };
                    let flow = self.step(inner, &back, on_next);
                    self.base = own;
                    flow
                }
                _ => self.check(node, rest, on_next),
            },
            Kind::Stuttering(operands) => {
                if self.step(&operands.0, rest, on_next)?.is_stop() {
                    return Ok(Flow::Stop);
                }
                self.step(&operands.1, rest, on_next)
            }
            Kind::Changing(operands) => {
                let rest = Continuation::Changed {
                    unchanged: &operands.1,
                    base: self.base,
                    rest,
                };
                self.step(&operands.0, &rest, on_next)
            }
            Kind::Compose(operands) => self.step_composed(operands, rest, on_next),
            Kind::Path(function, path) if node.uses.next || self.slots_mention_next(node.uses.slots) => {
                match self.step_function(function, path, node, rest, on_next)? {
                    Some(flow) => Ok(flow),
                    None => self.check(node, rest, on_next),
                }
            }
            Kind::Memo(site, inner) if inner.uses.next => self.memo_step(*site, inner, rest, on_next),
            Kind::Memo(_, inner) if self.slots_mention_next(inner.uses.slots) => {
                self.step(inner, rest, on_next)
            }
            Kind::Action(action, body) => {
                let taken = TakenAction {
                    action: *action,
                    base: Some(self.base),
                };
                let outer = self.taken.replace(taken);
                let flow = self.step(body, rest, on_next);
                self.taken = outer;
                flow
            }
            _ => self.check(node, rest, on_next),
        }
    }

    #[inline(never)]
    fn step_let(
        &mut self,
        slots: &'p [(u32, Argument)],
        body: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let mut saved = Vec::with_capacity(slots.len());
        for (slot, argument) in slots {
            let content = self.argument(argument)?;
            let at = self.base + *slot as usize;
            saved.push((at, std::mem::replace(&mut self.slots[at], content)));
        }
        let flow = self.step(body, rest, on_next);
        self.restore(saved);
        flow
    }

    #[inline(never)]
    fn step_call(
        &mut self,
        call: &'p Application,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let program = self.program;
        let operator = &program.operators[call.operator as usize];
        self.check_stack().map_err(|failure| failure.at(node.at))?;
        self.count(call.operator);
        let new = self.fill_frame(call)?;
        self.step_operator(&operator.body, call.operator, new, node, rest, on_next)
    }

    #[inline(never)]
    fn step_call_slot(
        &mut self,
        slot: u32,
        arguments: &'p [Argument],
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        if self.is_logging {
            self.log_slot(slot);
        }
        let Slot::Operator(closure) = self.slot(slot).clone() else {
            return Err(type_error("a value is applied as if it were an operator").at(node.at));
        };
        let program = self.program;
        let operator = &program.operators[closure.operator as usize];
        self.check_stack().map_err(|failure| failure.at(node.at))?;
        let mut contents = Vec::with_capacity(arguments.len());
        for argument in arguments {
            contents.push(self.argument(argument)?);
        }
        let new = self.slots.len();
        self.slots.resize_with(new + operator.slots.len(), Slot::default);
        for (slot, content) in (0..).zip(contents).chain(closure.captures.iter().cloned()) {
            self.slots[new + slot as usize] = content;
        }
        self.step_operator(&operator.body, closure.operator, new, node, rest, on_next)
    }

    /// Evaluates a formula that assigns nothing.
    pub(crate) fn check(
        &mut self,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        if self.bool(node)? {
            self.continue_with(rest, on_next)
        } else {
            self.refused(node, &[]);
            Ok(Flow::Go)
        }
    }

    /// Evaluates the body of an operator as an action. Its frame is at `new`.
    fn step_operator(
        &mut self,
        body: &'p Node,
        operator: u32,
        new: usize,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let is_passage = match &self.passage {
            None => false,
            Some(_) => self
                .enter_passage(operator, new)
                .map_err(|failure| failure.at(node.at))?,
        };
        let own = std::mem::replace(&mut self.base, new);
        if self.passage.is_some() && !is_passage && self.may_skip_application(operator, body, rest) {
            self.slots.truncate(new);
            self.base = own;
            return Ok(Flow::Go);
        }
        let back = Continuation::Nodes {
            nodes: &[],
            base: own,
            rest,
        };
        let flow = self.step(body, &back, on_next);
        let flow = flow.map_err(|failure| self.in_operator(failure, operator, node.at));
        self.slots.truncate(new);
        self.base = own;
        if is_passage {
            self.leave_passage();
        }
        flow
    }

    /// Evaluates the continuation.
    pub(crate) fn continue_with(
        &mut self,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        if self.unassigned == 0 && self.passage.is_none() {
            return self.finish(rest, on_next);
        }
        match rest {
            Continuation::Done => on_next.visit(self),
            Continuation::Nodes { nodes: [], rest, .. } => self.continue_with(rest, on_next),
            Continuation::Nodes {
                nodes: [node, others @ ..],
                base,
                rest,
            } => {
                let own = std::mem::replace(&mut self.base, *base);
                let flow = match others {
                    [] => self.step(node, rest, on_next),
                    _ => {
                        let rest = Continuation::Nodes {
                            nodes: others,
                            base: *base,
                            rest,
                        };
                        self.step(node, &rest, on_next)
                    }
                };
                self.base = own;
                flow
            }
            Continuation::ForAll {
                bounded,
                bindings,
                base,
                rest,
            } => {
                let own = std::mem::replace(&mut self.base, *base);
                let flow = self.next_for_all(bounded, bindings, rest, on_next);
                self.base = own;
                flow
            }
            Continuation::Changed {
                unchanged,
                base,
                rest,
            } => {
                let own = std::mem::replace(&mut self.base, *base);
                let flow = self.bool(unchanged);
                self.base = own;
                if flow? {
                    Ok(Flow::Go)
                } else {
                    self.continue_with(rest, on_next)
                }
            }
            Continuation::Then {
                second,
                base,
                given,
                rest,
            } => self.then(second, *base, given, rest, on_next),
            Continuation::WholeStep {
                before,
                generation,
                rest,
            } => self.whole_step(before, *generation, rest, on_next),
        }
    }

    /// Evaluates the continuation as formulas: all variables are assigned.
    #[inline(never)]
    pub(crate) fn finish(
        &mut self,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let mut rest = rest;
        loop {
            let (holds, next) = match rest {
                Continuation::Done => return on_next.visit(self),
                Continuation::Nodes { nodes, base, rest } => {
                    let own = std::mem::replace(&mut self.base, *base);
                    let mut holds = Ok(true);
                    for (at, node) in nodes.iter().enumerate() {
                        holds = self.bool(node);
                        if !matches!(holds, Ok(true)) {
                            self.refused(node, &nodes[at + 1..]);
                            break;
                        }
                    }
                    self.base = own;
                    (holds?, *rest)
                }
                Continuation::ForAll {
                    bounded,
                    bindings,
                    base,
                    rest,
                } => {
                    let own = std::mem::replace(&mut self.base, *base);
                    let holds = self.all_hold(bounded, bindings);
                    self.base = own;
                    (holds?, *rest)
                }
                Continuation::Changed {
                    unchanged,
                    base,
                    rest,
                } => {
                    let own = std::mem::replace(&mut self.base, *base);
                    let holds = self.bool(unchanged);
                    self.base = own;
                    (!holds?, *rest)
                }
                Continuation::Then {
                    second,
                    base,
                    given,
                    rest,
                } => return self.then(second, *base, given, rest, on_next),
                Continuation::WholeStep {
                    before,
                    generation,
                    rest,
                } => return self.whole_step(before, *generation, rest, on_next),
            };
            if !holds {
                return Ok(Flow::Go);
            }
            rest = next;
        }
    }
}
