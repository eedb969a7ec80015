//! Actions: code that emits each successor.
//!
//! The code follows the evaluator's `step.rs`: conjuncts from left to right, each with what follows. A disjunction and `\E` branch: the
//! code of what follows is inside each branch, and behind a branch its writes are taken back. Which variables have a next value is known
//! at each place, so `x' = e` is a write or a comparison, and what follows the last write is a condition.

use omnilink_tla_ir::{Bounded, Kind, Node};

use super::branching::may_branch;
use super::compiler::{Compiled, Compiler, not_compiled};
use super::leading::Fail;
use super::scope::Scope;
use crate::code::{Instruction, RegisterIndex, Target, ValueOperation};
use crate::values::ValueWord;

/// What remains before a next state is complete. `calls` is the number of calls around it.
pub(super) enum Rest<'a, 'p> {
    Done,
    /// ENABLED: one next state is enough, and variables may be left open.
    Found {
        found: Target,
    },
    /// Conjuncts.
    Nodes {
        nodes: &'p [Node],
        scope: Scope<'p>,
        calls: usize,
        rest: &'a Rest<'a, 'p>,
    },
    /// `\A` over a constant set: the same body for the remaining elements.
    ForAll {
        bounded: &'p Bounded,
        elements: &'a [RegisterIndex],
        scope: Scope<'p>,
        calls: usize,
        rest: &'a Rest<'a, 'p>,
    },
    /// `<<A>>_v`: the step must change `v`.
    Changed {
        unchanged: &'p Node,
        scope: Scope<'p>,
        calls: usize,
        rest: &'a Rest<'a, 'p>,
    },
}

/// More elements of `\A` in an action are left to the evaluator.
const FOR_ALL_MAX: usize = 32;

impl<'p> Compiler<'_, 'p> {
    /// The whole next-state relation.
    pub(crate) fn whole_action(&mut self, body: &'p Node, scope: &Scope<'p>) -> Compiled<()> {
        let end = self.label();
        self.step(body, scope, &Rest::Done, Fail::to(end))?;
        self.place(end);
        self.emit(Instruction::Done);
        Ok(())
    }

    /// Code for an action and what follows; it ends at `fail`.
    pub(super) fn step(
        &mut self,
        node: &'p Node,
        scope: &Scope<'p>,
        rest: &Rest<'_, 'p>,
        fail: Fail,
    ) -> Compiled<()> {
        let (assigned, action) = (self.assigned, self.action);
        let result = self.or_else(
            |this| this.native_step(node, scope, rest, fail),
            |this, reason| {
                // This branch is left to the evaluator, whenever a state comes to it.
                this.reasons.push(reason);
                this.gaps += 1;
                this.emit(Instruction::NotCompiled);
                Ok(())
            },
        );
        (self.assigned, self.action) = (assigned, action);
        result
    }

    fn native_step(
        &mut self,
        node: &'p Node,
        scope: &Scope<'p>,
        rest: &Rest<'_, 'p>,
        fail: Fail,
    ) -> Compiled<()> {
        self.check_size(node)?;
        if self.is_guard(node, scope) {
            return self.check(node, scope, rest, fail);
        }
        let fail = if stays_at_front(node) {
            fail
        } else {
            fail.behind_front()
        };
        match &node.kind {
            Kind::And(conjuncts) => {
                let rest = Rest::Nodes {
                    nodes: conjuncts,
                    scope: scope.clone(),
                    calls: self.calls.len(),
                    rest,
                };
                self.proceed(&rest, fail)
            }
            Kind::Or(disjuncts) => {
                let mut branches = Vec::new();
                flatten(disjuncts, &mut branches);
                self.branches(&branches, scope, rest, fail)
            }
            Kind::Stuttering(operands) => self.branches(&[&operands.0, &operands.1], scope, rest, fail),
            Kind::Exists(bounded) => {
                let mark = self.mark();
                let outside = self.loops.len();
                self.each(bounded, node, scope, &mut |this, scope| {
                    let front = Some(this.front(bounded, outside));
                    this.branch(mark, |this, goto| {
                        this.step(&bounded.body, scope, rest, Fail { goto, front })
                    })
                })?;
                self.emit(Instruction::Jump { goto: fail.goto });
                Ok(())
            }
            Kind::ForAll(bounded) => self.step_for_all(bounded, node, scope, rest, fail),
            Kind::Equal(operands) | Kind::UnchangedExpr(operands) => match self.target(&operands.0, scope) {
                Some(variable) => {
                    if self.assigned & bit(variable) == 0 {
                        self.assign(variable, &operands.1, scope)?;
                        self.assigned |= bit(variable);
                    } else {
                        let left = self.next_value(variable);
                        let right = self.expression(&operands.1, scope)?;
                        self.emit(Instruction::JumpEqual {
                            left,
                            right,
                            is: false,
                            goto: fail.goto,
                        });
                    }
                    self.proceed(rest, fail)
                }
                None => self.check(node, scope, rest, fail),
            },
            Kind::In(operands) => match self.target(&operands.0, scope) {
                Some(variable) if self.assigned & bit(variable) == 0 => {
                    let set = self.expression(&operands.1, scope)?;
                    self.assign_each(variable, set, rest, fail)
                }
                _ => self.check(node, scope, rest, fail),
            },
            Kind::SubsetEq(operands) => match self.target(&operands.0, scope) {
                Some(variable) if self.assigned & bit(variable) == 0 => {
                    let set = self.operation(ValueOperation::Powerset, &[&operands.1], scope)?;
                    self.assign_each(variable, set, rest, fail)
                }
                _ => self.check(node, scope, rest, fail),
            },
            Kind::Unchanged(variables) => {
                for variable in variables {
                    if self.assigned & bit(*variable) == 0 {
                        self.assigned |= bit(*variable);
                        continue;
                    }
                    self.compare_unchanged(*variable, fail.goto, false);
                }
                self.proceed(rest, fail)
            }
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                if let Some(truth) = self.decided(condition, scope) {
                    return self.step(if truth { yes } else { no }, scope, rest, fail);
                }
                let otherwise = self.label();
                self.condition(condition, scope, otherwise, false)?;
                let known = self.known.len();
                self.step(yes, scope, rest, fail)?;
                self.forget_beyond(known);
                self.emit(Instruction::Jump { goto: fail.goto });
                self.place(otherwise);
                self.step(no, scope, rest, fail)
            }
            Kind::Case(arms, other) => {
                for (condition, value) in arms {
                    let next = self.label();
                    self.condition(condition, scope, next, false)?;
                    let known = self.known.len();
                    self.step(value, scope, rest, fail)?;
                    self.forget_beyond(known);
                    self.emit(Instruction::Jump { goto: fail.goto });
                    self.place(next);
                }
                match other {
                    Some(other) => self.step(other, scope, rest, fail),
                    None => {
                        self.emit(Instruction::NotCompiled);
                        Ok(())
                    }
                }
            }
            Kind::Implies(operands) => {
                let otherwise = self.label();
                self.condition(&operands.0, scope, otherwise, false)?;
                let known = self.known.len();
                self.step(&operands.1, scope, rest, fail)?;
                self.forget_beyond(known);
                self.emit(Instruction::Jump { goto: fail.goto });
                self.place(otherwise);
                self.proceed(rest, fail)
            }
            Kind::Let(slots, body) => {
                let fail = self.arguments_at_front(slots, scope, fail);
                let scope = self.let_scope(slots, scope)?;
                self.step(body, &scope, rest, fail)
            }
            Kind::Call(call) if may_branch(node) || self.mention_next(node.uses.slots, scope) => {
                let fail = self.arguments_at_front(&call.arguments, scope, fail);
                let (inner, body) = self.called(call, node, scope)?;
                let result = self.step(body, &inner, rest, fail);
                self.calls.pop();
                result
            }
            Kind::CallSlot(slot, arguments) => {
                let (inner, body) = self.called_slot(*slot, arguments, node, scope)?;
                let result = self.step(body, &inner, rest, fail);
                self.calls.pop();
                result
            }
            Kind::Local(slot) => match scope.expression(*slot) {
                Some((inner, own)) if may_branch(inner) || self.mention_next(inner.uses.slots, &own) => {
                    self.step(inner, &own, rest, fail)
                }
                _ => self.check(node, scope, rest, fail),
            },
            Kind::Changing(operands) => {
                let rest = Rest::Changed {
                    unchanged: &operands.1,
                    scope: scope.clone(),
                    calls: self.calls.len(),
                    rest,
                };
                self.step(&operands.0, scope, &rest, fail)
            }
            Kind::Compose(_) => Err(not_compiled(node, "\\cdot is not compiled")),
            Kind::Path(..) if node.uses.next || self.mention_next(node.uses.slots, scope) => Err(
                not_compiled(node, "a function whose values are actions is not compiled"),
            ),
            Kind::Memo(_, inner) if inner.uses.next || self.mention_next(inner.uses.slots, scope) => {
                self.step(inner, scope, rest, fail)
            }
            Kind::Action(action, body) => {
                self.action = *action;
                self.step(body, scope, rest, fail)
            }
            _ => self.check(node, scope, rest, fail),
        }
    }

    /// Each branch, with what follows.
    fn branches(
        &mut self,
        branches: &[&'p Node],
        scope: &Scope<'p>,
        rest: &Rest<'_, 'p>,
        fail: Fail,
    ) -> Compiled<()> {
        let mark = self.mark();
        for branch in branches {
            let next = self.label();
            let known = self.known.len();
            self.step(branch, scope, rest, Fail::to(next))?;
            self.place(next);
            self.forget_beyond(known);
            self.emit(Instruction::Undo { mark });
        }
        self.emit(Instruction::Jump { goto: fail.goto });
        Ok(())
    }

    /// One branch, behind which its writes are taken back.
    pub(super) fn branch(
        &mut self,
        mark: RegisterIndex,
        run: impl FnOnce(&mut Self, Target) -> Compiled<()>,
    ) -> Compiled<()> {
        let next = self.label();
        let (assigned, action) = (self.assigned, self.action);
        run(self, next)?;
        (self.assigned, self.action) = (assigned, action);
        self.place(next);
        self.emit(Instruction::Undo { mark });
        Ok(())
    }

    pub(super) fn mark(&mut self) -> RegisterIndex {
        let to = self.register();
        self.emit(Instruction::Mark { to });
        to
    }

    /// A formula that assigns nothing.
    fn check(&mut self, node: &'p Node, scope: &Scope<'p>, rest: &Rest<'_, 'p>, fail: Fail) -> Compiled<()> {
        let (goto, fail) = self.guard_target(node, scope, fail);
        self.condition(node, scope, goto, false)?;
        self.proceed(rest, fail)
    }

    /// What follows.
    pub(super) fn proceed(&mut self, rest: &Rest<'_, 'p>, fail: Fail) -> Compiled<()> {
        // What follows a call is not within it: it may call the same operator.
        let calls = match rest {
            Rest::Done | Rest::Found { .. } => 0,
            Rest::Nodes { calls, .. } | Rest::ForAll { calls, .. } | Rest::Changed { calls, .. } => *calls,
        };
        let left = self.calls.split_off(calls.min(self.calls.len()));
        let result = self.follow(rest, fail);
        self.calls.truncate(calls);
        self.calls.extend(left);
        result
    }

    fn follow(&mut self, rest: &Rest<'_, 'p>, fail: Fail) -> Compiled<()> {
        match rest {
            Rest::Done => {
                let action = self.action;
                self.emit(match self.is_complete() {
                    true => Instruction::Emit { action },
                    false => Instruction::Open,
                });
                self.emit(Instruction::Jump { goto: fail.goto });
                Ok(())
            }
            Rest::Found { found } => {
                self.emit(Instruction::Jump { goto: *found });
                Ok(())
            }
            Rest::Nodes {
                nodes, scope, rest, ..
            } if self.is_complete() => {
                for node in *nodes {
                    self.condition(node, scope, fail.goto, false)?;
                }
                self.proceed(rest, fail)
            }
            Rest::Nodes { nodes: [], rest, .. } => self.proceed(rest, fail),
            Rest::Nodes {
                nodes: [node, others @ ..],
                scope,
                calls,
                rest,
            } => {
                let rest = Rest::Nodes {
                    nodes: others,
                    scope: scope.clone(),
                    calls: *calls,
                    rest,
                };
                self.step(node, scope, &rest, fail)
            }
            Rest::ForAll {
                bounded,
                elements,
                scope,
                calls,
                rest,
            } => {
                let Some((element, others)) = elements.split_first() else {
                    return self.proceed(rest, fail);
                };
                let inner = self.bound(&bounded.binds[0].1, *element, scope);
                let following = Rest::ForAll {
                    bounded,
                    elements: others,
                    scope: scope.clone(),
                    calls: *calls,
                    rest,
                };
                if self.is_complete() {
                    self.condition(&bounded.body, &inner, fail.goto, false)?;
                    return self.proceed(&following, fail);
                }
                self.step(&bounded.body, &inner, &following, fail)
            }
            Rest::Changed {
                unchanged,
                scope,
                rest,
                ..
            } => {
                self.condition(unchanged, scope, fail.goto, true)?;
                self.proceed(rest, fail)
            }
        }
    }

    fn step_for_all(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        scope: &Scope<'p>,
        rest: &Rest<'_, 'p>,
        fail: Fail,
    ) -> Compiled<()> {
        if !may_branch(&bounded.body) && !self.mention_next(node.uses.slots, scope) {
            return self.check(node, scope, rest, fail);
        }
        let ([set], [_]) = (&*bounded.sets, &*bounded.binds) else {
            return Err(not_compiled(
                node,
                "\\A over several sets in an action is not compiled",
            ));
        };
        let elements: Option<Vec<ValueWord>> = self
            .folded(set, scope)
            .and_then(|set| self.store.as_set(set).map(<[ValueWord]>::to_vec));
        let Some(elements) = elements.filter(|elements| elements.len() <= FOR_ALL_MAX) else {
            return Err(not_compiled(
                node,
                "\\A over a set of the state in an action is not compiled",
            ));
        };
        let elements: Vec<RegisterIndex> = elements
            .into_iter()
            .map(|element| self.constant(element))
            .collect();
        let rest = Rest::ForAll {
            bounded,
            elements: &elements,
            scope: scope.clone(),
            calls: self.calls.len(),
            rest,
        };
        self.proceed(&rest, fail)
    }
}

/// Whether an action that is no guard goes on with its first part, and nothing is assigned before.
fn stays_at_front(node: &Node) -> bool {
    matches!(
        node.kind,
        Kind::And(_) | Kind::Let(..) | Kind::Call(_) | Kind::Action(..) | Kind::Memo(..)
    )
}

/// The bit of a variable in a set of variables.
pub(super) fn bit(variable: u32) -> u64 {
    1_u64.checked_shl(variable).unwrap_or(0)
}

/// The branches of disjunctions in disjunctions.
fn flatten<'p>(disjuncts: &'p [Node], branches: &mut Vec<&'p Node>) {
    for disjunct in disjuncts {
        match &disjunct.kind {
            Kind::Or(inner) => flatten(inner, branches),
            _ => branches.push(disjunct),
        }
    }
}
