//! Long histories of a collection, decided piece by piece while they are read.
//!
//! A *life* of a value is a part of the history with operations of that value, after which it has certainly gone: they have all
//! returned, and removed it as often as they added it; in a register, a write was called after their last return and has
//! returned. At a moment before which every life has either made all its calls and ended, or has not returned from any call, the
//! history falls into two: the lives before and those after. If both have an order, the first followed by the second is an order of
//! the whole, because no operation after that moment returned before one before it was called. The operations before
//! the moment are decided, replayed and forgotten. So memory grows with the longest stretch during which some value is certainly
//! inside, and not with the history.
//!
//! What is found here is only ever "valid", by replaying all pieces one after the other through the model. If a piece has no
//! order, if something cannot be taken apart, or if nothing is ever settled, a [`Unmonitored`] says so, and the caller decides the
//! history in memory, with the full evidence.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use omnilink_evidence::Linearization;
use omnilink_trace::Time;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::part::{PartDecision, parts_of};
use super::{figures_of, law, witness};
use crate::evidence::{CheckOutcome, Conclusion, SearchFigures};
use crate::model::Model;
use crate::observation::{CollectionKind, Observation};
use crate::operation::TimedOp;
use crate::options::{Consistency, Options};
use crate::unmonitored::Unmonitored;

/// A history of a collection that is read operation by operation.
pub struct CollectionStream<'m, M: Model> {
    model: &'m M,
    kind: CollectionKind,
    options: Options,
    /// The states after the pieces decided so far.
    states: Vec<M::State>,
    /// The operations that are not decided yet, by position.
    waiting: BTreeMap<u64, TimedOp<M::Op>>,
    /// The open operations of lives: their ends, positions and lives.
    returns: BinaryHeap<Reverse<(Time, u64, u64)>>,
    lives: FxHashMap<u64, Life>,
    /// The last life of each value.
    current: FxHashMap<Value, u64>,
    /// The lives of which some operation returned, in the order in which the first one did.
    by_first: VecDeque<(Time, u64)>,
    /// Operations without a value: starts and positions.
    valueless: VecDeque<(Time, u64)>,
    /// The operations of the next piece so far, and their last call.
    piece: Vec<u64>,
    last_call: Time,
    /// The latest start in the pieces decided so far.
    decided_until: Time,
    /// The latest call of a write that returned. Only for registers.
    overwritten_from: Time,
    /// Whether there is an operation that may belong to any life, so that nothing after it is settled before the end.
    is_stuck: bool,
    last_ends: FxHashMap<u32, Time>,
    /// The operations taken so far.
    taken: u64,
    pending: u64,
    replayed: u64,
    /// Whether the model was tried on short sequences of operations.
    is_tried: bool,
    piece_min: usize,
}

/// A life of a value.
struct Life {
    value: Value,
    members: Vec<u64>,
    open: u32,
    /// Additions minus removals.
    inside: i64,
    last_call: Time,
    last_return: Time,
    has_returned: bool,
}

impl<M: Model> std::fmt::Debug for CollectionStream<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CollectionStream")
            .field("kind", &self.kind)
            .field("taken", &self.taken)
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}

impl<'m, M: Model> CollectionStream<'m, M> {
    /// Smaller pieces are joined: each has a cost of its own.
    const PIECE_MIN: usize = 1 << 12;

    /// A history of a model that is a collection.
    ///
    /// # Errors
    /// If no monitor can decide it, whatever it contains.
    pub fn new(model: &'m M, options: Options) -> Result<Self, Unmonitored> {
        let kind = model.collection_kind().ok_or(Unmonitored::NoCollection)?;
        if options.consistency != Consistency::Linearizable {
            return Err(Unmonitored::Level);
        }
        Ok(Self {
            model,
            kind,
            options,
            states: model.plain_initial(),
            waiting: BTreeMap::new(),
            returns: BinaryHeap::new(),
            lives: FxHashMap::default(),
            current: FxHashMap::default(),
            by_first: VecDeque::new(),
            valueless: VecDeque::new(),
            piece: Vec::new(),
            last_call: Time::MIN,
            decided_until: Time::MIN,
            overwritten_from: Time::MIN,
            is_stuck: false,
            last_ends: FxHashMap::default(),
            taken: 0,
            pending: 0,
            replayed: 0,
            is_tried: false,
            piece_min: Self::PIECE_MIN,
        })
    }

    /// Decides pieces as soon as they have this many operations.
    pub fn with_pieces_of(mut self, operations: usize) -> Self {
        self.piece_min = operations;
        self
    }

    /// The number of operations that are not decided yet.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the next operation, in order of start.
    ///
    /// # Errors
    /// If the history has to be decided in memory.
    pub fn push(&mut self, operation: TimedOp<M::Op>) -> Result<(), Unmonitored> {
        let (start, end) = (operation.timebox.start, operation.timebox.end);
        self.return_until(start)?;
        let position = self.taken;
        self.taken += 1;
        self.pending += u64::from(end.is_none());
        // At one instant calls come before returns, except for those of one thread.
        if !self.options.async_threads {
            let last_end = self.last_ends.insert(operation.thread, end.unwrap_or(Time::MAX));
            if last_end == Some(start) {
                return Err(Unmonitored::Ties);
            }
        }
        let foreign = || Unmonitored::Operation(self.model.describe_op(&operation.op));
        if operation.optional && end.is_some() {
            return Err(foreign());
        }
        let (value, change) = match self.model.observe(&operation.op) {
            Observation::Other => return Err(foreign()),
            // It can be left out of the order.
            Observation::Nothing => return Ok(()),
            Observation::Look | Observation::Peek(_) | Observation::Miss(_) | Observation::FindEmpty
                if end.is_none() =>
            {
                return Ok(());
            }
            Observation::Look | Observation::FindEmpty => (None, 0),
            Observation::Add(value) => (Some(value), 1),
            Observation::Remove(value) if end.is_some() => (Some(value), -1),
            Observation::Peek(value) | Observation::Miss(value) => (Some(value), 0),
            _ => {
                self.is_stuck = true;
                (None, 0)
            }
        };
        match value {
            Some(value) => {
                let value = value.clone();
                let id = self.life_of(&value, position);
                if let Some(life) = self.lives.get_mut(&id) {
                    life.members.push(position);
                    life.inside += change;
                    life.last_call = start;
                    if let Some(end) = end {
                        life.open += 1;
                        self.returns.push(Reverse((end, position, id)));
                    }
                }
            }
            None => self.valueless.push_back((start, position)),
        }
        self.waiting.insert(position, operation);
        Ok(())
    }

    /// The life that a new operation of a value belongs to; a new one is named after the operation.
    fn life_of(&mut self, value: &Value, position: u64) -> u64 {
        let last = self.current.get(value).copied();
        if let Some(id) = last
            && self.lives.get(&id).is_some_and(|life| !self.is_over(life))
        {
            return id;
        }
        self.current.insert(value.clone(), position);
        self.lives.insert(
            position,
            Life {
                value: value.clone(),
                members: Vec::new(),
                open: 0,
                inside: 0,
                last_call: Time::MIN,
                last_return: Time::MIN,
                has_returned: false,
            },
        );
        position
    }

    fn is_over(&self, life: &Life) -> bool {
        let has_gone = match self.kind {
            CollectionKind::Register => life.last_return < self.overwritten_from,
            _ => life.inside == 0,
        };
        life.open == 0 && life.has_returned && has_gone
    }

    /// Processes the returns before a time.
    fn return_until(&mut self, time: Time) -> Result<(), Unmonitored> {
        while let Some(Reverse((end, position, id))) = self.returns.peek().copied()
            && end < time
        {
            self.returns.pop();
            if let Some(life) = self.lives.get_mut(&id) {
                life.open -= 1;
                life.last_return = end;
                if !std::mem::replace(&mut life.has_returned, true) {
                    self.by_first.push_back((end, id));
                }
            }
            if self.kind == CollectionKind::Register
                && let Some(operation) = self.waiting.get(&position)
                && matches!(self.model.observe(&operation.op), Observation::Add(_))
            {
                self.overwritten_from = self.overwritten_from.max(operation.timebox.start);
            }
            self.settle(end)?;
        }
        Ok(())
    }

    /// Moves lives that are over into the next piece, and decides it at a moment at which the history falls into two.
    fn settle(&mut self, now: Time) -> Result<(), Unmonitored> {
        while let Some((_, id)) = self.by_first.front()
            && self.lives.get(id).is_some_and(|life| self.is_over(life))
            && let Some(life) = self.lives.remove(id)
        {
            if self.current.get(&life.value) == Some(id) {
                self.current.remove(&life.value);
            }
            self.last_call = self.last_call.max(life.last_call);
            self.piece.extend(life.members);
            self.by_first.pop_front();
        }
        let moment = self.by_first.front().map_or(now, |(first, _)| *first);
        if self.is_stuck || self.last_call > moment {
            return Ok(());
        }
        while let Some((start, position)) = self.valueless.front().copied()
            && start <= moment
        {
            self.valueless.pop_front();
            self.piece.push(position);
        }
        if self.piece.len() < self.piece_min {
            Ok(())
        } else {
            self.decide()
        }
    }

    /// Decides the piece.
    fn decide(&mut self) -> Result<(), Unmonitored> {
        let mut positions = std::mem::take(&mut self.piece);
        positions.sort_unstable();
        let taken = positions
            .iter()
            .filter_map(|position| self.waiting.remove(position));
        let history: Vec<TimedOp<M::Op>> = taken.collect();
        let Some(last) = history.last() else {
            return Ok(());
        };
        let returned_before =
            |operation: &TimedOp<M::Op>| operation.timebox.end.is_some_and(|end| end < self.decided_until);
        if history.iter().any(returned_before) {
            return Err(Unmonitored::Refused);
        }
        self.decided_until = self.decided_until.max(last.timebox.start);
        if !std::mem::replace(&mut self.is_tried, true)
            && law::disagreement(self.model, self.kind, &history).is_some()
        {
            return Err(Unmonitored::Refused);
        }
        let parts = parts_of(self.model, &history, self.kind, &self.options)?;
        if self.kind == CollectionKind::Register && parts.len() > 1 {
            return Err(Unmonitored::Refused);
        }
        let mut orders = Vec::with_capacity(parts.len());
        for part in &parts {
            match part.decide(&self.options)? {
                PartDecision::Order(order) => orders.push(order),
                PartDecision::Refuted(_) => return Err(Unmonitored::Refused),
            }
        }
        let order = witness::merged(self.model, &history, &parts, &orders, &self.options);
        let looks: Vec<usize> = parts.iter().flat_map(|part| part.looks.iter().copied()).collect();
        let from = std::mem::take(&mut self.states);
        let (placements, states) =
            witness::replayed(self.model, from, &history, &order, &looks, &self.options)
                .ok_or(Unmonitored::Refused)?;
        self.states = states;
        self.replayed += placements.len() as u64;
        Ok(())
    }

    /// The outcome, after the last operation. It is `valid`.
    ///
    /// # Errors
    /// If the history has to be decided in memory.
    pub fn finish(mut self) -> Result<CheckOutcome, Unmonitored> {
        self.return_until(Time::MAX)?;
        self.piece = self.waiting.keys().copied().collect();
        self.decide()?;
        Ok(CheckOutcome {
            conclusion: Conclusion::Valid(Linearization {
                replayed: self.replayed,
                order: None,
            }),
            figures: figures_of(self.taken, self.pending, 1, SearchFigures::default()),
        })
    }
}
