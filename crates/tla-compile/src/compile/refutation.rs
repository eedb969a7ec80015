//! Refutation of `\E x \in S : P /\ Q` by a conjunct that does not depend on `x`, as the evaluator's `refutation.rs` does it.
//!
//! `\E b, e \in 1..Len(log[i]) : Send(i, b, e)`, in a property of steps, tries thousands of ranges for a server that sends nothing at all in this
//! step. After some elements for which the body is false, its conjuncts that do not mention the bound names are evaluated. If one is false,
//! no element satisfies the body. An equation is taken apart for this (`unequal.rs`). Other conjuncts need not have a value then, in a formula about a step of the search; so this is left out elsewhere.

use omnilink_tla_ir::{Arithmetic, Bounded, Kind, Node};

use super::compiler::{Compiled, Compiler};
use super::scope::{Binding, Scope};
use crate::code::{Instruction, RegisterIndex, Target};

/// The number of elements that are tried first: that of the evaluator, so that both meet the same errors.
const TRIED_FIRST: i64 = 8;

impl<'p> Compiler<'_, 'p> {
    /// Whether a quantifier may have many elements in each of which the same conjunct is false.
    pub(super) fn may_refute(&mut self, bounded: &'p Bounded, scope: &Scope<'p>) -> bool {
        self.refutes
            && self.searches == 0
            && !scope.primed
            && bounded.body.uses.next
            && bounded.sets.iter().any(|set| self.folded(set, scope).is_none())
    }

    /// Jumps if an element satisfies the body of `\E`.
    pub(super) fn exists_or_refuted(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        scope: &Scope<'p>,
        found: Target,
    ) -> Compiled<()> {
        let tried = self.register();
        let (zero, one) = (self.constant_value(&0.into()), self.constant_value(&1.into()));
        let first = self.constant_value(&TRIED_FIRST.into());
        let refuted = self.label();
        self.emit(Instruction::Move {
            to: tried,
            from: zero,
        });
        self.each(bounded, node, scope, &mut |this, scope| {
            this.condition(&bounded.body, scope, found, true)?;
            this.emit(Instruction::Calculate {
                arithmetic: Arithmetic::Plus,
                to: tried,
                left: tried,
                right: one,
            });
            let next = this.label();
            this.emit(Instruction::JumpEqual {
                left: tried,
                right: first,
                is: false,
                goto: next,
            });
            let bound: Vec<RegisterIndex> = bounded
                .slots()
                .filter_map(|slot| match scope.get(slot) {
                    Binding::Register(register) => Some(*register),
                    _ => None,
                })
                .collect();
            this.refute(&bounded.body, scope, &bound, refuted)?;
            this.place(next);
            Ok(())
        })?;
        self.place(refuted);
        Ok(())
    }

    /// Jumps if a conjunct that does not depend on some registers is false. What cannot be compiled is left out.
    fn refute(
        &mut self,
        node: &'p Node,
        scope: &Scope<'p>,
        bound: &[RegisterIndex],
        refuted: Target,
    ) -> Compiled<()> {
        let uses = node.uses;
        if uses.impure || uses.opaque || uses.unfinished {
            return Ok(());
        }
        if !self.depends(uses.slots, scope, bound) {
            let code = |this: &mut Self| this.condition(node, scope, refuted, false);
            return self.or_else(code, |_, _| Ok(()));
        }
        match &node.kind {
            Kind::And(conjuncts) => conjuncts
                .iter()
                .try_for_each(|conjunct| self.refute(conjunct, scope, bound, refuted)),
            Kind::Action(_, body) | Kind::Memo(_, body) => self.refute(body, scope, bound, refuted),
            Kind::Let(slots, body) => self.or_else(
                |this| {
                    let scope = this.let_scope(slots, scope)?;
                    this.refute(body, &scope, bound, refuted)
                },
                |_, _| Ok(()),
            ),
            Kind::Call(call) if !self.is_procedure_call(call, scope) => self.or_else(
                |this| {
                    let (inner, body) = this.called(call, node, scope)?;
                    this.refute(body, &inner, bound, refuted)?;
                    this.calls.pop();
                    Ok(())
                },
                |_, _| Ok(()),
            ),
            Kind::Equal(operands) => {
                let (fixed, built) = match self.depends(operands.0.uses.slots, scope, bound) {
                    false => (&operands.0, &operands.1),
                    true => (&operands.1, &operands.0),
                };
                if self.depends(fixed.uses.slots, scope, bound) {
                    return Ok(());
                }
                self.or_else(
                    |this| this.refute_equality((fixed, built), scope, bound, refuted),
                    |_, _| Ok(()),
                )
            }
            _ => Ok(()),
        }
    }
}

impl<'p> Compiler<'_, 'p> {
    /// Whether what some slots stand for depends on one of some registers.
    pub(super) fn depends(&self, slots: u64, scope: &Scope<'p>, bound: &[RegisterIndex]) -> bool {
        slots >> 63 == 1
            || (0..63)
                .filter(|slot| slots >> slot & 1 == 1)
                .any(|slot| self.is_bound(scope.get(slot), bound))
    }

    fn is_bound(&self, binding: &Binding<'p>, bound: &[RegisterIndex]) -> bool {
        match binding {
            Binding::Register(register) | Binding::Parameter { register, .. } => {
                bound.contains(register)
                    || self
                        .origins
                        .get(register)
                        .is_some_and(|origins| origins.iter().any(|origin| bound.contains(origin)))
            }
            Binding::Lazy { deferred, .. } | Binding::ByName(deferred) | Binding::Alias(deferred) => {
                let (slots, own) = deferred.slots();
                self.depends(slots, own, bound)
            }
            Binding::Operator { captures, .. } => captures
                .iter()
                .any(|(_, captured)| self.is_bound(captured, bound)),
            Binding::Empty | Binding::Cells { .. } => true,
        }
    }

    /// An expression whose value is this constant was computed from what some slots stand for: names of loops that are written out are
    /// constants, too, and the constant depends on them.
    pub(super) fn add_origins(&mut self, constant: RegisterIndex, slots: u64, scope: &Scope<'p>) {
        let mut found = Vec::new();
        self.find_origins(slots, scope, &mut found);
        let origins = self.origins.entry(constant).or_default();
        for origin in found {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
    }

    fn find_origins(&self, slots: u64, scope: &Scope<'p>, found: &mut Vec<RegisterIndex>) {
        for slot in (0..63).filter(|slot| slots >> slot & 1 == 1) {
            match scope.get(slot) {
                Binding::Register(register) | Binding::Parameter { register, .. } => {
                    found.push(*register);
                    found.extend(self.origins.get(register).into_iter().flatten());
                }
                Binding::Lazy { deferred, .. } | Binding::ByName(deferred) | Binding::Alias(deferred) => {
                    let (slots, own) = deferred.slots();
                    self.find_origins(slots, own, found);
                }
                // No expression that mentions these is a constant.
                Binding::Operator { .. } | Binding::Empty | Binding::Cells { .. } => {}
            }
        }
    }
}
