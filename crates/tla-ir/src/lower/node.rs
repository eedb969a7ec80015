//! Construction of nodes from lowered operands.

use crate::{Argument, Kind, Loc, Node, PathStep, Uses};

pub(super) fn one(at: Loc, operand: Node, make: impl FnOnce(Box<Node>) -> Kind) -> Node {
    let uses = operand.uses;
    Node {
        kind: make(Box::new(operand)),
        at,
        uses,
    }
}

pub(super) fn pair(at: Loc, left: Node, right: Node, make: impl FnOnce(Box<(Node, Node)>) -> Kind) -> Node {
    let uses = left.uses.and(right.uses);
    Node {
        kind: make(Box::new((left, right))),
        at,
        uses,
    }
}

/// One more step of a path.
pub(super) fn stepped(root: Node, step: PathStep, uses: Uses, at: Loc) -> Node {
    let uses = root.uses.and(uses);
    let kind = match root.kind {
        Kind::Path(root, steps) => {
            let mut steps = steps.into_vec();
            steps.push(step);
            Kind::Path(root, steps.into())
        }
        _ => Kind::Path(Box::new(root), Box::new([step])),
    };
    Node { kind, at, uses }
}

/// A LET with the given slots around a body, or the body alone if there are none. `uses` is what the arguments use.
pub(super) fn let_in(slots: Vec<(u32, Argument)>, uses: Uses, body: Node, at: Loc) -> Node {
    if slots.is_empty() {
        return body;
    }
    let all = uses.and(body.uses);
    let uses = slots.iter().fold(all, |uses, (slot, _)| uses.without(*slot));
    Node {
        kind: Kind::Let(slots.into(), Box::new(body)),
        at,
        uses,
    }
}
