//! Conditions at the front of a loop that do not depend on what it is over.
//!
//! `\E b, e \in 1..Len(log[i]) : state[i] = Leader /\ first = b /\ Send(i, b, e)` tries thousands of ranges of which each fails at the same condition.
//! Where such a condition is false for one element, it is for all of them, so the loop ends: that over `e` where only `b` is mentioned, and both
//! where neither is.
//!
//! This changes no answer. The evaluator would evaluate the same conditions for the next element, up to the one that is false, and what is in
//! front of that depends on no more names. So it meets no error either. A pattern that takes elements apart may, and so may an argument that is
//! evaluated before a call: they count as conditions.

use omnilink_tla_ir::{Argument, Bounded, Kind, Node, Pattern};

use super::compiler::{Compiled, Compiler};
use super::scope::Scope;
use crate::code::{Instruction, RegisterIndex, Target};

/// A loop around the current place.
#[derive(Clone, Copy)]
pub(crate) struct OpenLoop {
    /// The register of the element.
    element: RegisterIndex,
    /// What is behind the loop.
    exit: Target,
}

/// The place is at the front of the body of `\E` in an action.
#[derive(Clone, Copy)]
pub(crate) struct Front {
    /// The number of loops around the quantifier.
    outside: usize,
    /// The number of loops on which what was evaluated so far may depend.
    loops: usize,
}

/// Where an action goes on when a part of it is false. It is handed on from each part to what follows it, and never kept: an action
/// within another one, that of an ENABLED, has its own, and so does each branch.
#[derive(Clone, Copy)]
pub(super) struct Fail {
    /// The end of the branch.
    pub(super) goto: Target,
    /// Whether the part is at the front of `\E`.
    pub(super) front: Option<Front>,
}

impl Fail {
    /// The end of a branch, which is not at the front of anything.
    pub(super) fn to(goto: Target) -> Self {
        Self { goto, front: None }
    }

    /// The same behind the front.
    pub(super) fn behind_front(self) -> Self {
        Self::to(self.goto)
    }
}

impl<'p> Compiler<'_, 'p> {
    /// Runs inside of a loop.
    pub(super) fn within(
        &mut self,
        element: RegisterIndex,
        run: impl FnOnce(&mut Self) -> Compiled<()>,
    ) -> Compiled<()> {
        let exit = self.exits.last().copied().unwrap_or_default();
        self.loops.push(OpenLoop { element, exit });
        let result = run(self);
        self.loops.pop();
        result
    }

    /// The front of the body of a quantifier, with this many loops around the quantifier.
    pub(super) fn front(&self, bounded: &Bounded, outside: usize) -> Front {
        let taken_apart = bounded
            .binds
            .iter()
            .rposition(|(_, pattern)| matches!(pattern, Pattern::Tuple(_)));
        Front {
            outside,
            loops: outside + taken_apart.map_or(0, |at| at + 1),
        }
    }

    /// What a condition that is false at the front ends: the loop to jump behind, if it is not only the current element.
    fn ended_by(&self, node: &Node, scope: &Scope<'p>, front: &mut Front) -> Option<Target> {
        self.move_front(node, scope, front);
        self.loops.get(front.loops).map(|ended| ended.exit)
    }

    /// An expression at the front is evaluated.
    fn move_front(&self, node: &Node, scope: &Scope<'p>, front: &mut Front) {
        let uses = node.uses;
        if uses.impure || uses.opaque || uses.unfinished {
            front.loops = self.loops.len();
        }
        let inner = &self.loops[front.outside..];
        let is_named = |open: &OpenLoop| self.depends(uses.slots, scope, &[open.element]);
        let own = inner.iter().rposition(is_named).map_or(0, |at| at + 1);
        front.loops = front.loops.max(front.outside + own);
    }

    /// Where a guard of an action jumps to, and where what follows it does.
    pub(super) fn guard_target(&self, node: &Node, scope: &Scope<'p>, fail: Fail) -> (Target, Fail) {
        let Some(mut front) = fail.front else {
            return (fail.goto, fail);
        };
        let target = self.ended_by(node, scope, &mut front);
        let front = Some(front);
        (target.unwrap_or(fail.goto), Fail { front, ..fail })
    }

    /// Where what follows arguments that are evaluated before a call or the body of LET jumps to.
    pub(super) fn arguments_at_front(
        &self,
        arguments: &'p [(u32, Argument)],
        scope: &Scope<'p>,
        fail: Fail,
    ) -> Fail {
        let Some(mut front) = fail.front else {
            return fail;
        };
        for (_, argument) in arguments {
            if let Argument::Value(node) = argument
                && !matches!(node.kind, Kind::Local(_))
            {
                self.move_front(node, scope, &mut front);
            }
        }
        let front = Some(front);
        Fail { front, ..fail }
    }

    /// The body of a quantifier in a formula: jumps to `found` if it has the value `wanted`. Its loops began after `outside` others.
    pub(super) fn quantified_body(
        &mut self,
        bounded: &'p Bounded,
        scope: &Scope<'p>,
        found: Target,
        wanted: bool,
        outside: usize,
    ) -> Compiled<()> {
        let body = &bounded.body;
        let (front, then) = match (&body.kind, wanted) {
            (Kind::Implies(operands), false) => (&operands.0, Some(&operands.1)),
            (_, true) => (body, None),
            _ => return self.condition(body, scope, found, wanted),
        };
        let conjuncts = match &front.kind {
            Kind::And(conjuncts) => &conjuncts[..],
            _ => std::slice::from_ref(front),
        };
        let mut place = self.front(bounded, outside);
        let ends: Vec<Target> = conjuncts
            .iter()
            .map_while(|conjunct| self.ended_by(conjunct, scope, &mut place))
            .collect();
        if ends.is_empty() {
            return self.condition(body, scope, found, wanted);
        }
        let next = self.label();
        let ends = ends.into_iter().chain(std::iter::repeat(next));
        for (conjunct, end) in conjuncts.iter().zip(ends) {
            self.condition(conjunct, scope, end, false)?;
        }
        match then {
            Some(then) => self.condition(then, scope, found, false)?,
            None => self.emit(Instruction::Jump { goto: found }),
        }
        self.place(next);
        Ok(())
    }

    /// Evaluates the names that the sets of a loop are made of, as the loop itself would do first. Then the loop can be remembered by them.
    pub(super) fn evaluate_names_of_sets(&mut self, node: &'p Node, scope: &Scope<'p>) -> Compiled<()> {
        let (Kind::Map(bounded)
        | Kind::Filter(bounded)
        | Kind::Function(bounded)
        | Kind::Choose(bounded)
        | Kind::Exists(bounded)
        | Kind::ForAll(bounded)) = &node.kind
        else {
            return Ok(());
        };
        if scope.primed || node.uses.next {
            return Ok(());
        }
        bounded
            .sets
            .iter()
            .try_for_each(|set| self.evaluate_names(set, scope))
    }

    fn evaluate_names(&mut self, set: &'p Node, scope: &Scope<'p>) -> Compiled<()> {
        match &set.kind {
            Kind::Local(slot) if scope.is_lazy(*slot) => self.local(*slot, scope, set).map(|_| ()),
            Kind::Powerset(inner) | Kind::BigUnion(inner) | Kind::Domain(inner) => {
                self.evaluate_names(inner, scope)
            }
            Kind::Union(operands) | Kind::Intersection(operands) | Kind::Difference(operands) => {
                self.evaluate_names(&operands.0, scope)?;
                self.evaluate_names(&operands.1, scope)
            }
            _ => Ok(()),
        }
    }
}
