//! Registers whose reads tell what they read: a level decided by its axioms, evaluated as they stand.
//!
//! The argument is that of [`crate::registers`]: there is a least visibility, and the history satisfies the level if and only
//! if no read of an initial value sees a write of its register, and the order that follows has no cycle. Here the least visibility
//! is computed from the axioms themselves, as matrices, and what a read returned from steps of the model.
//!
//! *A part of a history is enough.* Leave out operations, but none that a remaining read returned. If the whole satisfies the level, by
//! some linearization and its least visibility, so does the part, by the same ones: fewer operations are related by fewer pairs, so
//! the axioms demand no more, and a read still sees what it returned last. So a part that is refuted refutes the whole.

use omnilink_engine::{CollectionKind, Keys, Model, Observation, successors};

use crate::criterion::{Claim, Criterion};
use crate::history::{History, HistoryOp};
use crate::relation::Relation;
use crate::relation_matrices::{RelationMatrices, closure, lets_through};

/// What an operation does to a register, named by a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Write(u64),
    Read(u64),
    /// A read that may not have happened, or whose result is not known.
    Nothing,
}

/// What a read returned.
enum Returned {
    Initial,
    /// What this operation wrote.
    Written(usize),
    /// What no operation wrote.
    Nothing,
}

/// Whether the operations `part` of a history refute a criterion; `None` if they are not reads and writes of registers that tell, or the
/// criterion speaks of the linearization itself.
///
/// `history` has the operations `part` of `all`, in this order.
pub(super) fn refute<M: Model>(
    model: &M,
    all: &[HistoryOp<M::Op>],
    part: &[usize],
    history: &History<M::Op>,
    criterion: &Criterion,
) -> Option<bool> {
    let demands_lin = |relation: &Relation| relation.mentions(&Relation::Lin);
    if criterion
        .axioms()
        .iter()
        .any(|axiom| demands_lin(axiom.claim.relation()))
    {
        return None;
    }
    let roles: Vec<Role> = all.iter().map(|op| role(model, op)).collect::<Option<_>>()?;
    let mut matrices = RelationMatrices::new(history);
    let mut from: Vec<Option<usize>> = vec![None; part.len()];
    for (at, op) in part.iter().enumerate() {
        matrices.happened[at] |= !all[*op].optional;
        if let Role::Read(_) = roles[*op] {
            match returned(model, all, &roles, *op)? {
                Returned::Initial => {}
                Returned::Nothing => return Some(true),
                Returned::Written(writer) => {
                    let writer = part.iter().position(|one| *one == writer)?;
                    from[at] = Some(writer);
                    // A pending write that was read took effect.
                    matrices.happened[writer] = true;
                    matrices.vis[writer][at] = true;
                }
            }
        }
    }
    see_what_axioms_demand(&mut matrices, model, history, criterion);
    let mut before = matrices.vis.clone();
    if criterion.keeps_hb() {
        let pairs: Vec<_> = matrices.pairs(&matrices.hb).collect();
        pairs.into_iter().for_each(|(a, b)| before[a][b] = true);
    }
    for axiom in criterion.axioms() {
        if let Claim::LinContains(relation) = &axiom.claim {
            let demanded = matrices.relation(relation, model, history);
            let is_in = |op: usize| {
                let scope = axiom.scope.as_ref();
                scope.is_none_or(|filter| lets_through(filter, model, &history.ops()[op]))
            };
            for (a, b) in matrices.pairs(&demanded).filter(|(_, b)| is_in(*b)) {
                before[a][b] = true;
            }
        }
    }
    for (read, op) in part.iter().enumerate() {
        let Role::Read(key) = roles[*op] else { continue };
        for other in 0..part.len() {
            if !matrices.vis[other][read] || roles[part[other]] != Role::Write(key) {
                continue;
            }
            match from[read] {
                None => return Some(true),
                Some(writer) if writer != other => before[other][writer] = true,
                Some(_) => {}
            }
        }
    }
    let before = closure(before);
    Some((0..part.len()).any(|op| before[op][op]))
}

/// The least visibility that contains what is visible and satisfies the axioms.
fn see_what_axioms_demand<M: Model>(
    matrices: &mut RelationMatrices,
    model: &M,
    history: &History<M::Op>,
    criterion: &Criterion,
) {
    loop {
        let mut more = Vec::new();
        for axiom in criterion.axioms() {
            let Claim::VisContains(relation) = &axiom.claim else {
                continue;
            };
            let demanded = matrices.relation(relation, model, history);
            let scope = axiom.scope.as_ref();
            let is_in =
                |op: usize| scope.is_none_or(|filter| lets_through(filter, model, &history.ops()[op]));
            let missing = matrices
                .pairs(&demanded)
                .filter(|(a, b)| !matrices.vis[*a][*b] && is_in(*b));
            more.extend(missing);
        }
        if more.is_empty() {
            return;
        }
        more.into_iter().for_each(|(a, b)| matrices.vis[a][b] = true);
    }
}

/// What an operation does; `None` if it is neither a read nor a write of one register.
fn role<M: Model>(model: &M, op: &HistoryOp<M::Op>) -> Option<Role> {
    if model.collection_kind() != Some(CollectionKind::Register) {
        return None;
    }
    let only = |keys: &Keys| match keys {
        Keys::Only(keys) if keys.len() == 1 => Some(keys[0]),
        _ => None,
    };
    match (model.observe(&op.op), model.observe(&op.effect)) {
        (written @ Observation::Add(_), effect) if written == effect => {
            Some(Role::Write(only(&model.footprint(&op.op).writes)?))
        }
        (Observation::Nothing, Observation::Nothing) => Some(Role::Nothing),
        (Observation::Peek(_) | Observation::FindEmpty, Observation::Nothing) => {
            if op.optional {
                Some(Role::Nothing)
            } else {
                Some(Role::Read(only(&model.footprint(&op.op).reads)?))
            }
        }
        _ => None,
    }
}

/// What a read returned; `None` if that may have been written twice, or written and there from the beginning.
fn returned<M: Model>(model: &M, all: &[HistoryOp<M::Op>], roles: &[Role], read: usize) -> Option<Returned> {
    let Role::Read(key) = roles[read] else { return None };
    let accepts = |state: &M::State| !successors(model, state, &all[read].op).is_empty();
    let initial = model.initial();
    let is_initial = initial.iter().any(accepts);
    let mut writers = (0..all.len()).filter(|op| {
        roles[*op] == Role::Write(key)
            && initial
                .iter()
                .flat_map(|state| successors(model, state, &all[*op].effect))
                .any(|state| accepts(&state))
    });
    match (is_initial, writers.next(), writers.next()) {
        (true, None, _) => Some(Returned::Initial),
        (false, None, _) => Some(Returned::Nothing),
        (false, Some(writer), None) => Some(Returned::Written(writer)),
        _ => None,
    }
}
