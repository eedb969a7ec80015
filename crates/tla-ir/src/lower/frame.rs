//! Frames under construction: the slot of each name.

use omnilink_tla_semantics::entity::EntityId;
use rustc_hash::FxHashMap;

use super::Lowering;

/// The kinds of names with slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// Bound to a value: the same in every state.
    Value,
    /// A parameter or LET: stands for an expression, to which a prime may apply.
    Expression,
}

/// A name's slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameSlot {
    pub(super) slot: u32,
    pub(super) naming: Naming,
    /// Whether it was bound where variables already mean those of the next state.
    pub(super) primed: bool,
}

/// The frame of the operator that is being lowered.
#[derive(Debug)]
pub(super) struct Frame {
    names: Vec<Box<str>>,
    places: FxHashMap<EntityId, NameSlot>,
    /// Names captured from outside the operator.
    pub(super) captures: Vec<(EntityId, u32)>,
    pub(super) primed: bool,
    /// The slots of `@`, innermost last.
    pub(super) at_slots: Vec<u32>,
    /// The slots of the names bound around the part of the next-state relation that is being lowered.
    pub(super) around_action: Vec<u32>,
}

impl Frame {
    pub(super) fn new(primed: bool) -> Self {
        Self {
            names: Vec::new(),
            places: FxHashMap::default(),
            captures: Vec::new(),
            primed,
            at_slots: Vec::new(),
            around_action: Vec::new(),
        }
    }

    pub(super) fn slot(&mut self, name: &str) -> u32 {
        self.names.push(name.into());
        self.names.len() as u32 - 1
    }

    pub(super) fn size(&self) -> u32 {
        self.names.len() as u32
    }

    pub(super) fn into_names(self) -> Box<[Box<str>]> {
        self.names.into()
    }

    /// The name of a slot.
    pub(super) fn name(&self, slot: u32) -> &str {
        &self.names[slot as usize]
    }

    pub(super) fn name_slot(&self, entity: EntityId) -> Option<NameSlot> {
        self.places.get(&entity).copied()
    }

    pub(super) fn set_slot(&mut self, entity: EntityId, place: NameSlot) {
        self.places.insert(entity, place);
    }
}

impl Lowering<'_> {
    pub(super) fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(false));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// A new slot for a name.
    pub(super) fn bind_entity(&mut self, entity: EntityId, naming: Naming, primed: bool) -> u32 {
        let name = self.spec.names.text(self.spec.entity(entity).name).to_owned();
        let frame = self.frame();
        let slot = frame.slot(&name);
        frame.set_slot(entity, NameSlot { slot, naming, primed });
        slot
    }

    /// The slot of a name in the current frame. A name from outside the operator is captured. `None` if there is no frame.
    pub(super) fn slot_of(&mut self, entity: EntityId) -> Option<NameSlot> {
        let (current, outer) = self.frames.split_last()?;
        if let Some(place) = current.name_slot(entity) {
            return Some(place);
        }
        // Arguments of instances are given where the instance is named, so their parameters need not be in any frame.
        let found = outer.iter().rev().find_map(|frame| frame.name_slot(entity));
        let naming = found.map_or(Naming::Expression, |place| place.naming);
        let primed = found.map_or(self.frame().primed, |place| place.primed);
        let slot = self.bind_entity(entity, naming, primed);
        self.frame().captures.push((entity, slot));
        Some(NameSlot { slot, naming, primed })
    }
}
