//! The order that monitors found, replayed through the model.

use omnilink_evidence::Placement;
use omnilink_sorting::sort_by_key;
use omnilink_trace::Time;

use super::part::CollectionPart;
use crate::budget::Budget;
use crate::erased_model::ErasedModel;
use crate::erased_model::ReplaySteps;
use crate::interned_model::InternedModel;
use crate::model::Model;
use crate::op_table::{Followed, OpRecord};
use crate::operation::TimedOp;
use crate::options::Options;
use crate::partition::Partitioning;
use crate::replay::Replay;
use crate::state_ids::ClassId;
use crate::ties::{PartOp, PartPosition, Ties};

/// Merges the orders of all parts. Each operation gets the earliest moment that the order of its part allows. Operations
/// with the same moment keep the order of their part and of their thread, if that is possible.
pub(super) fn merged<M: Model>(
    model: &M,
    history: &[TimedOp<M::Op>],
    parts: &[CollectionPart],
    orders: &[Vec<usize>],
    options: &Options,
) -> Vec<usize> {
    let member = |position: usize, part_id: usize| PartOp {
        record: record_of(&history[position], position, 0, options),
        part_id: part_id as u64,
    };
    let mut moments: Vec<(PartPosition, PartOp)> = Vec::with_capacity(history.len());
    for (part_id, order) in orders.iter().enumerate() {
        let mut placed = PartPosition {
            at: Time::MIN,
            layer: 0,
        };
        for position in order {
            let operation = &history[*position];
            placed.at = placed.at.max(operation.timebox.start);
            let is_pure = model.is_pure(&operation.op);
            placed.layer += u64::from(!is_pure);
            moments.push((placed, member(*position, part_id)));
            placed.layer += u64::from(!is_pure);
        }
    }
    // An operation that can happen in every state is a part of its own.
    let anywhere = parts.iter().flat_map(|part| &part.anywhere);
    for (part_id, position) in (orders.len()..).zip(anywhere) {
        let at = history[*position].timebox.start;
        moments.push((PartPosition { at, layer: 0 }, member(*position, part_id)));
    }
    sort_by_key(&mut moments, |(placed, _)| placed.at);
    Ties::put_in_order(&mut moments);
    moments
        .into_iter()
        .map(|(_, member)| member.record.id as usize)
        .collect()
}

fn record_of<O>(operation: &TimedOp<O>, position: usize, class: ClassId, options: &Options) -> OpRecord {
    OpRecord {
        id: position as u64,
        class,
        thread: operation.thread,
        start: operation.timebox.start,
        end: operation.timebox.end.unwrap_or(OpRecord::NEVER),
        optional: operation.optional || operation.timebox.is_pending(),
        in_order: !options.async_threads,
        followed: Followed::Unknown,
    }
}

/// Replays an order through the model, by its definition, from one of these states, and places the looks between its operations: each as soon as the model accepts it within
/// its timebox. Returns the places and the states
/// afterwards; `None` if the model rejects an operation, or accepts a look nowhere: then the search decides.
///
/// A look changes nothing, so placing one never prevents anything. It can come before an operation that takes effect at or
/// after its start; and it must, if that operation takes effect after its end.
pub(super) fn replayed<M: Model>(
    model: &M,
    from: Vec<M::State>,
    history: &[TimedOp<M::Op>],
    order: &[usize],
    looks: &[usize],
    options: &Options,
) -> Option<(Vec<Placement>, Vec<M::State>)> {
    let budget = Budget::new(options.limits);
    let mut source = InternedModel::new(model, &budget, Partitioning::Whole);
    let initial: Vec<_> = from.into_iter().map(|state| source.state_id(state)).collect();
    let mut replay = Replay::new(source.start_replay(&initial), ReplaySteps::Plain);
    let record = |position: usize, source: &mut InternedModel<'_, M>| {
        let class = source.class_id(history[position].op.clone());
        record_of(&history[position], position, class, options)
    };
    // Histories are in order of start.
    let mut looks = looks.to_vec();
    looks.sort_unstable();
    let mut looks = looks.into_iter().peekable();
    let mut open: Vec<OpRecord> = Vec::new();
    let mut placements = Vec::with_capacity(history.len());
    let mut now = Time::MIN;
    for position in order {
        let placed = record(*position, &mut source);
        now = now.max(placed.start);
        while let Some(look) = looks.next_if(|look| history[*look].timebox.start <= now) {
            open.push(record(look, &mut source));
        }
        place_looks(&mut open, now, &mut replay, &mut source, &mut placements)?;
        placements.push(replay.place(&placed, &mut source).ok()?);
    }
    for look in looks {
        open.push(record(look, &mut source));
    }
    place_looks(&mut open, Time::MAX, &mut replay, &mut source, &mut placements)?;
    let is_mandatory = |operation: &&TimedOp<M::Op>| !operation.optional && !operation.timebox.is_pending();
    let mandatory = history.iter().filter(is_mandatory).count();
    (replay.mandatory == mandatory as u64).then(|| (placements, source.replayed_states(replay.id)))
}

/// Places the looks that the model accepts now. `None` if one of the others ends before the next operation takes effect.
fn place_looks<M: Model>(
    open: &mut Vec<OpRecord>,
    next: Time,
    replay: &mut Replay,
    source: &mut InternedModel<'_, M>,
    placements: &mut Vec<Placement>,
) -> Option<()> {
    let mut waiting = Vec::new();
    for look in open.drain(..) {
        if source.may_replay(replay.id, look.class) {
            placements.push(replay.place(&look, source).ok()?);
        } else if look.end < next {
            return None;
        } else {
            waiting.push(look);
        }
    }
    *open = waiting;
    Some(())
}
