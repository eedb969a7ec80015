//! Counts of cells: which way a count must change before an operation that asks for another one is possible.

use std::cell::RefCell;

use omnilink_tla::Count;
use omnilink_tla::eval::{Cell, CellPart, Effects};
use omnilink_value::Value;

use crate::state::SpecState;

/// The counts that an instance asks for.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) of: Box<[Counted]>,
    /// Whether that is all it does: it changes nothing, and nothing else can refuse it.
    pub(crate) is_all: bool,
}

impl Counts {
    pub(crate) fn new(counts: omnilink_tla::Counts) -> Self {
        Self {
            of: counts.of.into_iter().map(Counted::new).collect(),
            is_all: counts.is_all,
        }
    }
}

/// A count that an instance asks for, with what is known so far about which values are counted.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) count: Count,
    /// Values of cells, and whether a cell that holds them is counted; `None` where that cannot be said.
    known: RefCell<Vec<(Value, Option<bool>)>>,
}

/// More values than this are not remembered: they would take longer to find than to judge.
const KNOWN_MAX: usize = 64;

impl Counted {
    pub(crate) fn new(count: Count) -> Self {
        Self {
            count,
            known: RefCell::default(),
        }
    }

    /// Whether a cell that holds `value` is counted. `judge` finds out.
    fn is_counted(&self, value: &Value, judge: &mut dyn FnMut(&Value) -> Option<bool>) -> Option<bool> {
        let known = self.known.borrow();
        if let Some((_, counted)) = known.iter().find(|(known, _)| known == value) {
            return *counted;
        }
        drop(known);
        let counted = judge(value);
        let mut known = self.known.borrow_mut();
        if known.len() < KNOWN_MAX {
            known.push((value.clone(), counted));
        }
        counted
    }

    /// How many cells are counted in a state; `None` if that cannot be told.
    pub(crate) fn counted_in(
        &self,
        state: &SpecState,
        judge: &mut dyn FnMut(&Value) -> Option<bool>,
    ) -> Option<i64> {
        let cells = state.values().get(self.count.variable as usize)?;
        let mut counted = 0;
        for key in &self.count.keys {
            counted += i64::from(self.is_counted(cells.apply(key)?, judge)?);
        }
        Some(counted)
    }

    /// Whether `helper` may move the count of `state` towards what is asked for; `None` if it is what is asked for already,
    /// or cannot be told.
    ///
    /// Say that too few cells are counted. Once there are enough, some cell that is not counted in `state` is. The first
    /// operation to make it so finds it not counted, and leaves there a value that is. So an operation that never writes
    /// such a cell, or never such a value, or demands to find such a value there, is not that operation. The other way
    /// round likewise. ∎
    pub(crate) fn may_be_moved_by(
        &self,
        state: &SpecState,
        helper: &Effects,
        judge: &mut dyn FnMut(&Value) -> Option<bool>,
    ) -> Option<bool> {
        let cells = state.values().get(self.count.variable as usize)?;
        let counted = self.counted_in(state, judge)?;
        if counted == self.count.wanted {
            return None;
        }
        let wanted = counted < self.count.wanted;
        let is = |value: &Value, expected: bool, judge: &mut dyn FnMut(&Value) -> Option<bool>| {
            self.is_counted(value, judge)
                .is_none_or(|counted| counted == expected)
        };
        for write in helper
            .writes
            .iter()
            .filter(|write| write.cell.variable == self.count.variable)
        {
            let CellPart::At(key) = &write.cell.part else {
                return Some(true);
            };
            let is_open = self.count.keys.binary_search(key).is_ok()
                && cells.apply(key).is_none_or(|held| is(held, !wanted, judge));
            let demanded = |cell: &Cell| helper.demands.iter().find(|(demanded, _)| demanded == cell);
            if is_open
                && write.value.as_ref().is_none_or(|left| is(left, wanted, judge))
                && demanded(&write.cell).is_none_or(|(_, value)| is(value, !wanted, judge))
            {
                return Some(true);
            }
        }
        Some(false)
    }
}
