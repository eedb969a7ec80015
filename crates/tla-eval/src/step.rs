//! Successors: all next states that an action allows.
//!
//! Conjuncts are taken from left to right, each with the list of what is still to come (the continuation). `x' = e` gives
//! `x'` its value if it has none and compares otherwise; `x' \in S` tries every element; disjunctions and `\E` branch;
//! everything else is evaluated as a formula. When nothing is left, the next state is reported. Once every variable has its
//! value, what is left is a formula however it is written: one successor, even where a disjunction would give two. That is
//! how TLC counts.
//!
//! **Backtracking.** A branch undoes what it did: a variable that it gave a value loses it, and a slot that it bound gets back
//! what was in it, because the same `\E` may be entered again, inside its own continuation, by a `\A` around it.
//!
//! Initial states are found by the same walk: `Init` is lowered as if every variable in it were primed.

use omnilink_tla_ir::{Argument, Bounded, Call, Kind, Node};
use omnilink_value::Value;

use super::assignment::may_branch;
use super::datum::Datum;
use super::error::{Outcome, domain_error, type_error};
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::slot::Slot;
use super::successors::{Found, Taken};

/// What is still to be done before a next state is complete.
pub(super) enum Rest<'a, 'p> {
    Done,
    /// Conjuncts in a frame.
    Nodes {
        nodes: &'p [Node],
        base: usize,
        rest: &'a Rest<'a, 'p>,
    },
    /// The same body for the elements that are left: `\A`.
    ForAll {
        bounded: &'p Bounded,
        bindings: &'a [Vec<Value>],
        base: usize,
        rest: &'a Rest<'a, 'p>,
    },
    /// `<<A>>_v`: the step must have changed this.
    Changed {
        unchanged: &'p Node,
        base: usize,
        rest: &'a Rest<'a, 'p>,
    },
    /// `A \cdot B`: B from the state that A has led to.
    Then {
        second: &'p Node,
        base: usize,
        rest: &'a Rest<'a, 'p>,
    },
}

impl Rest<'_, '_> {
    /// Whether there is nothing left to do.
    pub(super) fn is_done(&self) -> bool {
        match self {
            Rest::Done => true,
            Rest::Nodes { nodes: [], rest, .. } => rest.is_done(),
            _ => false,
        }
    }
}

impl<'p> Evaluator<'p> {
    pub(crate) fn step(
        &mut self,
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        // What does not speak of the next state can give no variable its value; but a disjunction of such formulas still
        // branches, as in TLC.
        if self.is_guard(node) {
            return self.check(node, rest, found);
        }
        match &node.kind {
            Kind::And(conjuncts) => {
                // Most actions are not enabled: their guards are looked at without preparing for what follows them.
                let mut left = &**conjuncts;
                while let [first, others @ ..] = left
                    && self.is_guard(first)
                {
                    if !self.bool(first)? {
                        self.refused(first);
                        return Ok(Flow::Go);
                    }
                    left = others;
                }
                match left {
                    [] => self.resume_rest(rest, found),
                    [only] => self.step(only, rest, found),
                    [first, others @ ..] => {
                        let rest = Rest::Nodes {
                            nodes: others,
                            base: self.base,
                            rest,
                        };
                        self.step(first, &rest, found)
                    }
                }
            }
            Kind::Or(disjuncts) => {
                for disjunct in disjuncts {
                    if self.step(disjunct, rest, found)?.is_stop() {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Go)
            }
            Kind::Exists(bounded) => self.step_exists(bounded, node, rest, found),
            Kind::ForAll(bounded) => self.step_for_all(bounded, node, rest, found),
            Kind::Equal(operands) | Kind::UnchangedExpr(operands) => match self.noted_target(&operands.0) {
                Some(variable) => self.assign_equal(variable, operands, node, rest, found),
                None => self.check(node, rest, found),
            },
            Kind::In(operands) => match self.noted_target(&operands.0) {
                Some(variable) if !self.known[variable as usize] => {
                    self.assign_in(variable, &operands.1, node, rest, found)
                }
                _ => self.check(node, rest, found),
            },
            Kind::SubsetEq(operands) => match self.noted_target(&operands.0) {
                Some(variable) if !self.known[variable as usize] => {
                    let whole = self.eval(&operands.1)?;
                    let subsets = Datum::lazy(super::datum::Lazy::Powerset(whole));
                    self.assign_each(variable, &subsets, node, rest, found)
                }
                _ => self.check(node, rest, found),
            },
            Kind::Unchanged(variables) => self.step_unchanged(variables, node, rest, found),
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                let branch = if self.bool(condition)? { yes } else { no };
                self.step(branch, rest, found)
            }
            Kind::Case(arms, other) => match self.case(arms, other.as_deref())? {
                Some(value) => self.step(value, rest, found),
                None => Err(domain_error("no arm of the CASE holds, and there is no OTHER").at(node.at)),
            },
            Kind::Implies(operands) => {
                if self.bool(&operands.0)? {
                    self.step(&operands.1, rest, found)
                } else {
                    self.resume_rest(rest, found)
                }
            }
            Kind::Let(slots, body) => self.step_let(slots, body, rest, found),
            Kind::Call(call) if may_branch(node) || self.stands_for_next(node.uses.slots) => {
                self.step_call(call, node, rest, found)
            }
            Kind::CallSlot(slot, arguments) => self.step_call_slot(*slot, arguments, node, rest, found),
            Kind::Local(slot) => match self.unevaluated(*slot) {
                // An action given as an argument, or named by a LET.
                Some((inner, base)) if self.speaks_of_next(inner, base) => {
                    if self.logging {
                        self.log_slot_expression(*slot);
                    }
                    let own = std::mem::replace(&mut self.base, base);
                    let back = Rest::Nodes {
                        nodes: &[],
                        base: own,
                        rest,
                    };
                    let flow = self.step(inner, &back, found);
                    self.base = own;
                    flow
                }
                _ => self.check(node, rest, found),
            },
            Kind::Stuttering(operands) => {
                if self.step(&operands.0, rest, found)?.is_stop() {
                    return Ok(Flow::Stop);
                }
                self.step(&operands.1, rest, found)
            }
            Kind::Changing(operands) => {
                let rest = Rest::Changed {
                    unchanged: &operands.1,
                    base: self.base,
                    rest,
                };
                self.step(&operands.0, &rest, found)
            }
            Kind::Compose(operands) => {
                let rest = Rest::Then {
                    second: &operands.1,
                    base: self.base,
                    rest,
                };
                self.step(&operands.0, &rest, found)
            }
            Kind::Memo(site, inner) if inner.uses.next => self.recall_step(*site, inner, rest, found),
            Kind::Memo(_, inner) if self.stands_for_next(inner.uses.slots) => self.step(inner, rest, found),
            Kind::Action(action, body) => {
                let taken = Taken {
                    action: *action,
                    base: Some(self.base),
                };
                let outer = self.taken.replace(taken);
                let flow = self.step(body, rest, found);
                self.taken = outer;
                flow
            }
            _ => self.check(node, rest, found),
        }
    }

    #[inline(never)]
    fn step_let(
        &mut self,
        slots: &'p [(u32, Argument)],
        body: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        let mut saved = Vec::with_capacity(slots.len());
        for (slot, argument) in slots {
            let content = self.argument(argument)?;
            let at = self.base + *slot as usize;
            saved.push((at, std::mem::replace(&mut self.slots[at], content)));
        }
        let flow = self.step(body, rest, found);
        self.restore(saved);
        flow
    }

    #[inline(never)]
    fn step_call(
        &mut self,
        call: &'p Call,
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        let program = self.program;
        let operator = &program.operators[call.operator as usize];
        self.check_stack().map_err(|failure| failure.at(node.at))?;
        self.count(call.operator);
        let new = self.fill_frame(call)?;
        self.step_operator(&operator.body, call.operator, new, node, rest, found)
    }

    #[inline(never)]
    fn step_call_slot(
        &mut self,
        slot: u32,
        arguments: &'p [Argument],
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        if self.logging {
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
        self.step_operator(&operator.body, closure.operator, new, node, rest, found)
    }

    /// A formula that gives no variable its value.
    pub(crate) fn check(
        &mut self,
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        if self.bool(node)? {
            self.resume_rest(rest, found)
        } else {
            self.refused(node);
            Ok(Flow::Go)
        }
    }

    /// Steps through the body of an operator whose frame has been filled at `new`.
    fn step_operator(
        &mut self,
        body: &'p Node,
        operator: u32,
        new: usize,
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        let own = std::mem::replace(&mut self.base, new);
        let back = Rest::Nodes {
            nodes: &[],
            base: own,
            rest,
        };
        let flow = self.step(body, &back, found);
        let flow = flow.map_err(|failure| self.in_operator(failure, operator, node.at));
        self.slots.truncate(new);
        self.base = own;
        flow
    }

    /// Goes on with what is left.
    pub(crate) fn resume_rest(&mut self, rest: &Rest<'_, 'p>, found: Found<'_, 'p>) -> Outcome<Flow> {
        if self.unassigned == 0 {
            return self.finish(rest, found);
        }
        match rest {
            Rest::Done => found.found(self),
            Rest::Nodes { nodes: [], rest, .. } => self.resume_rest(rest, found),
            Rest::Nodes {
                nodes: [node, others @ ..],
                base,
                rest,
            } => {
                let own = std::mem::replace(&mut self.base, *base);
                let flow = match others {
                    [] => self.step(node, rest, found),
                    _ => {
                        let rest = Rest::Nodes {
                            nodes: others,
                            base: *base,
                            rest,
                        };
                        self.step(node, &rest, found)
                    }
                };
                self.base = own;
                flow
            }
            Rest::ForAll {
                bounded,
                bindings,
                base,
                rest,
            } => {
                let own = std::mem::replace(&mut self.base, *base);
                let flow = self.next_for_all(bounded, bindings, rest, found);
                self.base = own;
                flow
            }
            Rest::Changed {
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
                    self.resume_rest(rest, found)
                }
            }
            Rest::Then { second, base, rest } => self.then(second, *base, rest, found),
        }
    }

    /// Every variable has its value: what is left are formulas.
    #[inline(never)]
    pub(crate) fn finish(&mut self, rest: &Rest<'_, 'p>, found: Found<'_, 'p>) -> Outcome<Flow> {
        let mut rest = rest;
        loop {
            let (holds, next) = match rest {
                Rest::Done => return found.found(self),
                Rest::Nodes { nodes, base, rest } => {
                    let own = std::mem::replace(&mut self.base, *base);
                    let mut holds = Ok(true);
                    for node in *nodes {
                        holds = self.bool(node);
                        if !matches!(holds, Ok(true)) {
                            self.refused(node);
                            break;
                        }
                    }
                    self.base = own;
                    (holds?, *rest)
                }
                Rest::ForAll {
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
                Rest::Changed {
                    unchanged,
                    base,
                    rest,
                } => {
                    let own = std::mem::replace(&mut self.base, *base);
                    let holds = self.bool(unchanged);
                    self.base = own;
                    (!holds?, *rest)
                }
                Rest::Then { second, base, rest } => return self.then(second, *base, rest, found),
            };
            if !holds {
                return Ok(Flow::Go);
            }
            rest = next;
        }
    }
}
