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

use omnilink_tla_ir::{Argument, Bounded, Call, Formula, Kind, Node, Operation, Two};
use omnilink_value::Value;

use super::datum::Datum;
use super::error::{ErrorClass, Failure, Outcome, domain_error, type_error};
use super::evaluator::{Evaluator, State};
use super::flow::Flow;
use super::recall::Edit;
use super::slot::Slot;

/// The action that a step was found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Index into [`Program::actions`](omnilink_tla_ir::Program::actions).
    pub action: u32,
    /// Where its bindings are, unless it was remembered.
    pub(crate) base: Option<usize>,
}

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

/// A next state that was put aside.
struct Partial {
    values: Vec<Value>,
    known: Vec<bool>,
    unassigned: usize,
    edits: Vec<Edit>,
}

/// What is done with a complete next state.
pub(super) trait Finder<'p> {
    fn found(&mut self, evaluator: &mut Evaluator<'p>) -> Outcome<Flow>;

    /// Whether a next state need not be made, given the hashes of its values.
    fn is_known(&mut self, _hashes: &[u64], _taken: Option<Taken>) -> bool {
        false
    }
}

impl<'p, F: FnMut(&mut Evaluator<'p>) -> Outcome<Flow>> Finder<'p> for F {
    fn found(&mut self, evaluator: &mut Evaluator<'p>) -> Outcome<Flow> {
        self(evaluator)
    }
}

pub(super) type Found<'f, 'p> = &'f mut dyn Finder<'p>;

/// What the caller does with a state.
pub type OnState<'f, 'p> = &'f mut dyn FnMut(&mut Evaluator<'p>, &[Value], Option<Taken>) -> Outcome<Flow>;

/// What the caller does with next states.
pub trait Successors<'p> {
    /// Whether a state is known already and need not be made, given the hashes of its values. Such a state is not reported.
    fn is_known(&mut self, hashes: &[u64], taken: Option<Taken>) -> bool;

    /// A next state, and the action that leads to it.
    ///
    /// # Errors
    /// What went wrong while it was looked at; the enumeration ends.
    fn found(
        &mut self,
        evaluator: &mut Evaluator<'p>,
        state: &[Value],
        taken: Option<Taken>,
    ) -> Outcome<Flow>;
}

/// Reports every state, made in full.
struct Every<'f, 'p>(OnState<'f, 'p>);

impl<'p> Successors<'p> for Every<'_, 'p> {
    fn is_known(&mut self, _: &[u64], _: Option<Taken>) -> bool {
        false
    }

    fn found(
        &mut self,
        evaluator: &mut Evaluator<'p>,
        state: &[Value],
        taken: Option<Taken>,
    ) -> Outcome<Flow> {
        (self.0)(evaluator, state, taken)
    }
}

/// Hands a complete state to the caller.
struct Reporting<'f, 'p>(&'f mut dyn Successors<'p>);

impl<'p> Finder<'p> for Reporting<'_, 'p> {
    fn found(&mut self, evaluator: &mut Evaluator<'p>) -> Outcome<Flow> {
        evaluator.check_complete()?;
        let taken = evaluator.taken;
        let next = std::mem::take(&mut evaluator.next);
        let (state, generation) = (evaluator.state.clone(), evaluator.generation);
        let flow = self.0.found(evaluator, &next, taken);
        // The caller may have used the evaluator for checks of the new state. What was found out about the current one
        // still holds, unless it has been displaced.
        evaluator.state = state;
        evaluator.generation = generation;
        evaluator.next = next;
        evaluator.known.fill(true);
        evaluator.unassigned = 0;
        flow
    }

    fn is_known(&mut self, hashes: &[u64], taken: Option<Taken>) -> bool {
        self.0.is_known(hashes, taken)
    }
}

impl<'p> Evaluator<'p> {
    /// Reports every state that satisfies an initial condition.
    pub fn initial(&mut self, init: Formula, found: OnState<'_, 'p>) -> Outcome<()> {
        self.state = State::from([]);
        self.forget_state();
        self.run(init, &mut Every(found))
    }

    /// Reports every state that a next-state relation allows after a state, as often as it is found.
    pub fn successors(&mut self, next: Formula, from: &State, found: OnState<'_, 'p>) -> Outcome<()> {
        self.set_state(from);
        self.run(next, &mut Every(found))
    }

    /// Reports the states that a next-state relation allows after a state, as often as they are found, except for those
    /// that turn out to be known before they are made.
    pub fn new_successors(
        &mut self,
        next: Formula,
        from: &State,
        successors: &mut dyn Successors<'p>,
    ) -> Outcome<()> {
        self.set_state(from);
        self.run(next, successors)
    }

    /// Reports every state that one action with given arguments allows after a state, as often as it is found.
    pub fn successors_of(
        &mut self,
        action: Operation,
        arguments: &[Value],
        from: &State,
        found: OnState<'_, 'p>,
    ) -> Outcome<()> {
        self.set_state(from);
        self.run_with(action, arguments, &mut Every(found))
    }

    fn run(&mut self, formula: Formula, successors: &mut dyn Successors<'p>) -> Outcome<()> {
        self.run_with(formula.operation(), &[], successors)
    }

    fn run_with(
        &mut self,
        action: Operation,
        arguments: &[Value],
        successors: &mut dyn Successors<'p>,
    ) -> Outcome<()> {
        self.clear_next();
        self.taken = None;
        let mut reporting = Reporting(successors);
        let result = self.enter_with(action, arguments, |this, body| {
            this.step(body, &Rest::Done, &mut reporting)
        });
        self.clear_next();
        result.map(|_| ())
    }

    /// An error if a variable has no value in the next state.
    fn check_complete(&self) -> Outcome<()> {
        if self.unassigned == 0 {
            return Ok(());
        }
        let missing: Vec<&str> = self
            .known
            .iter()
            .zip(&self.program.variables)
            .filter(|(known, _)| !**known)
            .map(|(_, name)| &**name)
            .collect();
        let which = if self.state.is_empty() { "initial" } else { "next" };
        let mut failure = Failure::new(
            ErrorClass::Unassigned,
            format!("the {which} value of {} is left open", missing.join(", ")),
        );
        let known = self.next.iter().zip(&self.known);
        failure.partial = known.map(|(value, known)| known.then(|| value.clone())).collect();
        Err(failure)
    }

    /// The bindings of the action that a step was found by. To be asked while the step is being reported.
    pub fn bindings(&self, taken: Taken) -> Vec<(String, Value)> {
        let Some(action) = self.program.actions.get(taken.action as usize) else {
            return Vec::new();
        };
        let value = |slot: &u32| match self.slots.get(taken.base? + *slot as usize)? {
            Slot::Datum(Datum::Value(value))
            | Slot::Thunk {
                value: Some(Datum::Value(value)),
                ..
            } => Some(value.clone()),
            _ => None,
        };
        action
            .bindings
            .iter()
            .filter_map(|(name, slot)| Some((name.to_string(), value(slot)?)))
            .collect()
    }

    pub(super) fn step(
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
                        self.note_which(*slot);
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
            self.note_slot(slot);
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
    fn check(&mut self, node: &'p Node, rest: &Rest<'_, 'p>, found: Found<'_, 'p>) -> Outcome<Flow> {
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
    pub(super) fn resume_rest(&mut self, rest: &Rest<'_, 'p>, found: Found<'_, 'p>) -> Outcome<Flow> {
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
    fn finish(&mut self, rest: &Rest<'_, 'p>, found: Found<'_, 'p>) -> Outcome<Flow> {
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

    fn all_hold(&mut self, bounded: &'p Bounded, bindings: &[Vec<Value>]) -> Outcome<bool> {
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

    /// Whether a formula says nothing of the next state, and has one truth value and no branches.
    #[inline]
    fn is_guard(&mut self, node: &'p Node) -> bool {
        if may_branch(node) {
            return false;
        }
        match &node.kind {
            // A parameter may stand for a primed variable.
            Kind::Equal(operands) | Kind::In(operands) => {
                !matches!(operands.0.kind, Kind::Local(_) | Kind::Call(_))
            }
            Kind::Memo(_, inner) => !self.stands_for_next(inner.uses.slots),
            Kind::NotEqual(_) | Kind::NotIn(_) | Kind::Comparison(..) | Kind::Not(_) | Kind::PerState(..) => {
                true
            }
            _ => false,
        }
    }

    /// Whether one of some slots stands for an expression about the next state: a formula that uses it may give a variable
    /// its value.
    fn stands_for_next(&mut self, slots: u64) -> bool {
        // Slots from 63 on share the last bit.
        if slots >> 63 == 1 {
            return true;
        }
        let mut left = slots;
        while left != 0 {
            let slot = left.trailing_zeros();
            left &= left - 1;
            if self.logging {
                self.note_which(slot);
            }
            if let Some((node, base)) = self.unevaluated(slot)
                && self.speaks_of_next(node, base)
            {
                return true;
            }
        }
        false
    }

    /// The expression in a slot, and its frame, if its value is not known yet.
    fn unevaluated(&self, slot: u32) -> Option<(&'p Node, usize)> {
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

    /// Whether an expression in a frame is about the next state, by itself or by what its names stand for.
    fn speaks_of_next(&mut self, node: &'p Node, base: usize) -> bool {
        if may_branch(node) {
            return true;
        }
        let own = std::mem::replace(&mut self.base, base);
        let speaks = self.stands_for_next(node.uses.slots);
        self.base = own;
        speaks
    }

    /// The variable that a primed expression stands for. If it is a parameter, that depends on what the parameter stands for.
    fn noted_target(&mut self, node: &'p Node) -> Option<u32> {
        if self.logging {
            let named = match &node.kind {
                Kind::Prime(inner) => inner,
                _ => node,
            };
            if let Kind::Local(slot) = named.kind {
                self.note_which(slot);
            }
        }
        self.target(node, false)
    }

    /// The variable that a primed expression stands for.
    pub(super) fn target(&self, node: &'p Node, primed: bool) -> Option<u32> {
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

    fn assign_equal(
        &mut self,
        variable: u32,
        operands: &'p Two,
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        if let Some(known) = self.known_next(variable) {
            let known = Datum::Value(known.clone());
            if self.logging {
                self.note_next(variable);
            }
            let value = self.eval(&operands.1)?;
            if !self
                .equal(&known, &value)
                .map_err(|failure| failure.at(node.at))?
            {
                self.refused(node);
                return Ok(Flow::Go);
            }
            return self.resume_rest(rest, found);
        }
        if self.logging {
            let (value, edit) = self
                .edited(variable, &operands.1)
                .map_err(|failure| failure.at(node.at))?;
            self.note_edit(variable, edit);
            return self.assign(variable, value, rest, found);
        }
        let value = self.eval(&operands.1)?;
        let value = self.canonical(value).map_err(|failure| failure.at(node.at))?;
        self.assign(variable, value, rest, found)
    }

    fn assign(
        &mut self,
        variable: u32,
        value: Value,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        self.next[variable as usize] = value;
        self.known[variable as usize] = true;
        self.unassigned -= 1;
        let flow = self.resume_rest(rest, found);
        self.known[variable as usize] = false;
        self.unassigned += 1;
        flow
    }

    fn assign_in(
        &mut self,
        variable: u32,
        set: &'p Node,
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        let set = self.eval(set)?;
        self.assign_each(variable, &set, node, rest, found)
    }

    #[inline(never)]
    fn assign_each(
        &mut self,
        variable: u32,
        set: &Datum<'p>,
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        self.for_each_element(set, &mut |this, element| {
            if this.logging {
                this.note_edit(variable, Edit::Is(element.clone()));
            }
            this.assign(variable, element, rest, found)
        })
        .map_err(|failure| failure.at(node.at))
    }

    #[inline(never)]
    fn step_unchanged(
        &mut self,
        variables: &'p [u32],
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
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
            match self.known_next(*variable) {
                None => {
                    self.next[*variable as usize] = now;
                    self.known[*variable as usize] = true;
                    self.unassigned -= 1;
                    given.push(*variable);
                    if self.logging {
                        self.note_edit(*variable, Edit::Same);
                    }
                }
                Some(next) => {
                    let next = Datum::Value(next.clone());
                    if self.logging {
                        self.note_next(*variable);
                        self.note_variable(*variable);
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
            self.resume_rest(rest, found)
        } else {
            self.refused(node);
            Ok(Flow::Go)
        };
        self.forget(&given);
        flow
    }

    fn forget(&mut self, variables: &[u32]) {
        for variable in variables {
            self.known[*variable as usize] = false;
            self.unassigned += 1;
        }
    }

    #[inline(never)]
    fn step_exists(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        let saved = self.saved_slots(bounded);
        let base = self.base;
        let flow = self.each_binding(bounded, node, &mut |this| {
            debug_assert_eq!(this.base, base);
            this.step(&bounded.body, rest, found)
        });
        self.restore(saved);
        flow
    }

    #[inline(never)]
    fn step_for_all(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        if !may_branch(&bounded.body) && !self.stands_for_next(node.uses.slots) {
            return self.check(node, rest, found);
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
            Ok(_) => self.next_for_all(bounded, &bindings, rest, found),
            Err(failure) => Err(failure.at(node.at)),
        };
        self.restore(saved);
        flow
    }

    #[inline(never)]
    fn next_for_all(
        &mut self,
        bounded: &'p Bounded,
        bindings: &[Vec<Value>],
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        let Some((binding, others)) = bindings.split_first() else {
            return self.resume_rest(rest, found);
        };
        let saved = self.saved_slots(bounded);
        let flow = self.bind_all(bounded, binding).and_then(|()| {
            let rest = Rest::ForAll {
                bounded,
                bindings: others,
                base: self.base,
                rest,
            };
            self.step(&bounded.body, &rest, found)
        });
        self.restore(saved);
        flow
    }

    fn bind_all(&mut self, bounded: &'p Bounded, binding: &[Value]) -> Outcome<()> {
        for ((_, pattern), element) in bounded.binds.iter().zip(binding) {
            self.bind_pattern(pattern, element)?;
        }
        Ok(())
    }

    fn saved_slots(&self, bounded: &'p Bounded) -> smallvec::SmallVec<[(usize, Slot<'p>); 2]> {
        bounded
            .slots()
            .map(|slot| {
                let at = self.base + slot as usize;
                (at, self.slots[at].clone())
            })
            .collect()
    }

    fn restore(&mut self, saved: impl IntoIterator<Item = (usize, Slot<'p>)>) {
        for (at, content) in saved {
            self.slots[at] = content;
        }
    }

    /// B of `A \cdot B`: the state that A has led to becomes the current one.
    #[inline(never)]
    fn then(
        &mut self,
        second: &'p Node,
        base: usize,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        self.spoil_log();
        self.check_complete()?;
        let middle: State = self.next.as_slice().into();
        let before = std::mem::replace(&mut self.state, middle);
        let reached = self.take_next();
        let generation = self.generation;
        self.forget_state();
        let own = std::mem::replace(&mut self.base, base);
        // What follows the composition speaks of the whole step, from the state before A.
        let flow = self.step(second, &Rest::Done, &mut |this: &mut Self| {
            let inner = std::mem::replace(&mut this.state, before.clone());
            let inner_generation = std::mem::replace(&mut this.generation, generation);
            let flow = this.finish(rest, found);
            this.generation = inner_generation;
            this.state = inner;
            flow
        });
        self.base = own;
        self.generation = generation;
        self.put_next(reached);
        self.state = before;
        flow
    }

    /// `ENABLED A`: whether there is a next state at all.
    pub(crate) fn enabled(&mut self, action: &'p Node) -> Outcome<bool> {
        self.spoil_log();
        let outer = self.take_next();
        let taken = self.taken.take();
        let primed = std::mem::replace(&mut self.primed, false);
        let (state, generation) = (self.state.clone(), self.generation);
        if primed {
            // The next state is the one that is asked about.
            if outer.unassigned > 0 {
                self.put_next(outer);
                self.primed = true;
                return Err(Failure::new(
                    ErrorClass::Unassigned,
                    "ENABLED is asked of a state that is not yet known",
                ));
            }
            self.state = outer.values.as_slice().into();
            self.forget_state();
        }
        let mut enabled = false;
        let flow = self.step(action, &Rest::Done, &mut |_: &mut Self| {
            enabled = true;
            Ok(Flow::Stop)
        });
        self.state = state;
        self.generation = generation;
        self.primed = primed;
        self.taken = taken;
        self.put_next(outer);
        flow.map(|_| enabled)
    }

    /// `A \cdot B` as a formula about two known states: whether some state lies between.
    pub(crate) fn composed(&mut self, operands: &'p Two) -> Outcome<bool> {
        self.spoil_log();
        let target = self.take_next();
        let base = self.base;
        let mut holds = false;
        let rest = Rest::Then {
            second: &operands.1,
            base,
            rest: &Rest::Done,
        };
        let flow = self.step(&operands.0, &rest, &mut |this: &mut Self| {
            holds =
                (0..target.values.len()).all(|at| !target.known[at] || this.next[at] == target.values[at]);
            Ok(if holds { Flow::Stop } else { Flow::Go })
        });
        self.put_next(target);
        flow.map(|_| holds)
    }

    /// Puts the next state aside for one that is wholly unknown.
    fn take_next(&mut self) -> Partial {
        let size = self.program.variables.len();
        Partial {
            values: std::mem::replace(&mut self.next, vec![Value::bool(false); size]),
            known: std::mem::replace(&mut self.known, vec![false; size]),
            unassigned: std::mem::replace(&mut self.unassigned, size),
            edits: self.take_edits(),
        }
    }

    fn put_next(&mut self, partial: Partial) {
        self.next = partial.values;
        self.known = partial.known;
        self.unassigned = partial.unassigned;
        self.put_edits(partial.edits);
    }
}

/// Whether a formula may speak of the next state. Of an operator that is recursive this is not known for sure.
#[inline]
fn may_branch(node: &Node) -> bool {
    node.uses.next || node.uses.opaque || node.uses.unfinished
}
