//! Guessed sets: `\E s \in SUBSET S : (\A k \in D : k \in s <=> P(k)) /\ …`, where only one subset can be meant.
//!
//! Some specifications guess a set and say what is in it. Of the `2^n` subsets one passes the check, and it can be written down:
//! `{k \in S : P(k)}`. The quantifier then ranges over this one set, and its body stays as it is.
//!
//! *Claim.* If `S \subseteq D`, both have the same value, and evaluating one fails if and only if evaluating the other does. *Proof.* A
//! subset `s` of `S` that passes the first conjunct contains of `S` exactly the elements with `P`, because all of them are in `D`. It
//! is in the narrowed range, which contains subsets of `S` only. The first conjunct of the original evaluates `P` for every element
//! of `D` when `s` is this subset, so that an error in `P` occurs in both. `P` mentions neither `s` nor the next state. ∎
//!
//! `S \subseteq D` is part of the narrowed range, as an IF: nothing depends on how the two sets are written. A first conjunct `s = e` is
//! narrowed likewise, to `{e}` if `e \subseteq S` and to nothing otherwise.

use std::collections::BTreeSet;

use super::binding::free_slots;
use crate::{Bounded, Kind, Node, Pattern, slot_bit};

/// The quantifier with a narrowed range, if its set is guessed.
pub(super) fn narrowed(mut bounded: Box<Bounded>) -> Box<Bounded> {
    if let ([range], [(0, Pattern::One(guess))]) = (&*bounded.sets, &*bounded.binds)
        && let Some(narrowed) = narrowed_range(range, *guess, &bounded.body)
    {
        bounded.sets = Box::new([narrowed]);
    }
    bounded
}

fn narrowed_range(range: &Node, guess: u32, body: &Node) -> Option<Node> {
    let Kind::Powerset(set) = &range.kind else {
        return None;
    };
    let mut first = body;
    while let Kind::And(conjuncts) = &first.kind {
        first = conjuncts.first()?;
    }
    let is_free = |node: &Node| {
        let uses = node.uses;
        !uses.next && !uses.opaque && !uses.impure && !uses.unfinished && uses.slots & slot_bit(guess) == 0
    };
    let is_guess = |node: &Node| matches!(node.kind, Kind::Local(slot) if slot == guess);
    let (only, is_possible, otherwise) = match &first.kind {
        Kind::Equal(operands) => {
            let (left, right) = &**operands;
            let only = match (is_guess(left), is_guess(right)) {
                (true, _) if is_free(right) => right,
                (_, true) if is_free(left) => left,
                _ => return None,
            };
            let nothing = like(range, Kind::SetEnum(Box::new([])));
            (only.clone(), (only, &**set), nothing)
        }
        Kind::ForAll(inner) => {
            let ([domain], [(0, Pattern::One(element))]) = (&*inner.sets, &*inner.binds) else {
                return None;
            };
            let (Kind::Equiv(operands) | Kind::Equal(operands)) = &inner.body.kind else {
                return None;
            };
            let is_element = |node: &Node| matches!(node.kind, Kind::Local(slot) if slot == *element);
            let is_membership = |node: &Node| matches!(&node.kind, Kind::In(operands) if is_element(&operands.0) && is_guess(&operands.1));
            let (left, right) = &**operands;
            let property = match (is_membership(left), is_membership(right)) {
                (true, _) if is_free(right) => right,
                (_, true) if is_free(left) => left,
                _ => return None,
            };
            if !is_free(domain) {
                return None;
            }
            let mut captures = BTreeSet::new();
            free_slots(property, &mut captures);
            captures.remove(element);
            let filter = Kind::Filter(Box::new(Bounded {
                sets: Box::new([Node::clone(set)]),
                binds: inner.binds.clone(),
                names: inner.names.clone(),
                body: property.clone(),
                self_slot: None,
                captures: captures.into_iter().collect(),
                frame: inner.frame,
            }));
            let mut filter = like(range, filter);
            filter.uses = set.uses.and(property.uses.without(*element));
            filter.uses.heavy = true;
            (filter, (&**set, domain), range.clone())
        }
        _ => return None,
    };
    let mut listed = like(&only, Kind::SetEnum(Box::new([only.clone()])));
    listed.at = range.at;
    let (part, whole) = is_possible;
    let mut condition = like(part, Kind::SubsetEq(Box::new((part.clone(), whole.clone()))));
    condition.uses = part.uses.and(whole.uses);
    let uses = condition.uses.and(listed.uses).and(otherwise.uses);
    Some(Node {
        kind: Kind::If(Box::new((condition, listed, otherwise))),
        at: range.at,
        uses,
    })
}

/// A node at the same place that uses the same.
fn like(node: &Node, kind: Kind) -> Node {
    Node {
        kind,
        at: node.at,
        uses: node.uses,
    }
}
