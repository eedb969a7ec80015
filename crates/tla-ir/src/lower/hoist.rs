//! Hoisting: constant subexpressions are evaluated once, subexpressions that depend only on the state once per state.
//!
//! This is sound because evaluation is deterministic in what it uses: a node that uses no variable, no slot and is pure has one value,
//! and a node that uses only the current state has one value per state. The value is computed when it is first needed, so an error in
//! a part that is not reached is not reported. Errors are not cached.

use super::Lowering;
use crate::{Kind, Node};

impl Lowering<'_> {
    /// Puts the largest such parts of a node into cells. `repeated`: whether the node is evaluated several times per state, so that
    /// caching pays.
    pub(super) fn hoist(&mut self, node: &mut Node, repeated: bool) {
        if is_simple(node) {
            return;
        }
        if node.uses.is_constant() {
            self.once_cells += 1;
            let cell = self.once_cells - 1;
            wrap(node, |inner| Kind::Once(cell, inner));
            return;
        }
        let uses = node.uses;
        if repeated
            && uses.heavy
            && uses.state
            && !uses.next
            && !uses.impure
            && !uses.opaque
            && !uses.unfinished
            && uses.slots == 0
        {
            self.state_cells += 1;
            let cell = self.state_cells - 1;
            wrap(node, |inner| Kind::PerState(cell, inner));
            return;
        }
        let loops = node.kind.bounded().is_some();
        node.kind
            .for_each_child_mut(|child| self.hoist(child, repeated || loops));
    }
}

/// Whether computing the value is as cheap as a lookup.
fn is_simple(node: &Node) -> bool {
    matches!(
        node.kind,
        Kind::Const(_)
            | Kind::Infinite(_)
            | Kind::Var(_)
            | Kind::Next(_)
            | Kind::Local(_)
            | Kind::Once(..)
            | Kind::PerState(..)
            | Kind::Unchanged(_)
            | Kind::Fail(..)
    )
}

/// Wraps a node.
pub(super) fn wrap(node: &mut Node, make: impl FnOnce(Box<Node>) -> Kind) {
    let inner = Node {
        kind: std::mem::replace(&mut node.kind, Kind::Unchanged(Box::new([]))),
        at: node.at,
        uses: node.uses,
    };
    node.kind = make(Box::new(inner));
}
