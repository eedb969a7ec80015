//! Reads and writes of registers, and which write each read returned.

use omnilink_engine::{CollectionKind, Keys, Model, Observation};
use omnilink_history::order_graph::Id;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::history::HistoryOp;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Nothing that a register shows.
    None,
    Write(Id),
    /// A read of a key, and the write that it returned; `None` for the initial value.
    Read(Id, Option<usize>),
}

/// The reads-from relation (`wr`) of a history.
#[derive(Debug)]
pub(super) enum ReadsFrom {
    /// It is determined: what each operation does.
    Determined(Vec<Access>),
    /// Some operation is neither a read nor a write of a register, or a value may have been written by several operations.
    Undetermined,
    /// It is determined, and this read returned a value that no operation wrote.
    ThinAir(usize),
}

/// Finds out what the operations of a history do, by what the model says about them.
pub(super) fn reads_from<M: Model>(model: &M, ops: &[HistoryOp<M::Op>]) -> ReadsFrom {
    determine(model, ops).unwrap_or(ReadsFrom::Undetermined)
}

fn determine<M: Model>(model: &M, ops: &[HistoryOp<M::Op>]) -> Option<ReadsFrom> {
    if model.collection_kind() != Some(CollectionKind::Register) {
        return None;
    }
    // A footprint names a key by 64 bits: a hash, unless the key is a small number. Two keys with one hash would be one register here; for a
    // history of a million keys the odds are one in thirty million.
    let mut keys: FxHashMap<u64, Id> = FxHashMap::default();
    let mut key_of = |touched: &Keys| {
        let next = keys.len() as Id;
        match touched {
            Keys::Only(only) if only.len() == 1 => Some(*keys.entry(only[0]).or_insert(next)),
            _ => None,
        }
    };
    let mut writers: FxHashMap<(Id, &Value), usize> = FxHashMap::default();
    let mut reads: Vec<(usize, Id, &Value)> = Vec::new();
    let mut accesses = Vec::with_capacity(ops.len());
    for (position, op) in ops.iter().enumerate() {
        // Others see the operation without its result: only a write may leave something for them.
        let (observed, effect) = (model.observe(&op.op), model.observe(&op.effect));
        accesses.push(match observed {
            Observation::Add(value) if effect == observed => {
                let key = key_of(&model.footprint(&op.op).writes)?;
                if writers.insert((key, value), position).is_some() {
                    return None;
                }
                Access::Write(key)
            }
            Observation::Peek(_) | Observation::FindEmpty | Observation::Nothing
                if effect == Observation::Nothing =>
            {
                match observed {
                    // A pending read may not have happened, and then nothing has to explain it.
                    Observation::Nothing => Access::None,
                    _ if op.optional => Access::None,
                    _ => {
                        let key = key_of(&model.footprint(&op.op).reads)?;
                        if let Observation::Peek(value) = observed {
                            reads.push((position, key, value));
                        }
                        Access::Read(key, None)
                    }
                }
            }
            _ => return None,
        });
    }
    for (position, key, value) in reads {
        match writers.get(&(key, value)) {
            Some(writer) => accesses[position] = Access::Read(key, Some(*writer)),
            None => return Some(ReadsFrom::ThinAir(position)),
        }
    }
    Some(ReadsFrom::Determined(accesses))
}
