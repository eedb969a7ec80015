//! Ids of states and of classes of operations, and packed successors.

/// The id of an interned state.
pub(crate) type StateId = u32;
/// The id of a class of operations: those with equal name, arguments and result.
pub(crate) type ClassId = u32;

/// Replaces old ids by new ones.
pub(crate) trait Renumber {
    fn state(&mut self, id: &mut StateId);
    fn class(&mut self, id: &mut ClassId);
}

/// The successors of a step, packed: none, one state, or a range of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Successors(pub(crate) u32);

impl Successors {
    pub const REFUSED: Self = Self(u32::MAX);
    pub(crate) const MANY: u32 = 1 << 31;

    #[inline]
    pub fn is_refused(self) -> bool {
        self == Self::REFUSED
    }
}
