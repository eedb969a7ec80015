//! The last writer of each cell that an unexplained operation reads.

use omnilink_engine::{Model as _, successors};
use omnilink_tla::eval::{Cell, Content, Tally};
use omnilink_trace::Timebox;
use omnilink_value::Value;

use crate::instance::Instance;
use crate::model::TlaModel;
use crate::module::identifiers;
use crate::state::SpecState;

/// A part of the state that was read, and the operation that wrote it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWrite {
    /// The part, such as `map[3]`.
    pub cell: String,
    /// What it holds.
    pub value: String,
    /// Which of the operations left it there; `None` if it is what it was at the beginning.
    pub by: Option<usize>,
    /// Whether that is so in every explanation in which the part holds this.
    pub is_certain: bool,
}

/// An explanation of everything before an operation that nothing explains.
#[derive(Clone, Copy, Debug)]
pub struct PlacedInstances<'i> {
    /// The operations that took effect, in order.
    pub placed: &'i [(&'i Instance, Timebox)],
    /// The operations that may have taken effect, too, but did not in this explanation.
    pub others: &'i [&'i Instance],
}

/// The number of cells reported.
const CELLS_MAX: usize = 4;

impl TlaModel<'_> {
    /// For each cell that is read by the conjunct that refuses an operation: the operation that wrote it last. Empty if an operation
    /// before has several outcomes, because the state is then not known.
    pub fn last_writers(&self, before: PlacedInstances<'_>, unexplained: &Instance) -> Vec<LastWrite> {
        let [initial] = &self.initial()[..] else {
            return Vec::new();
        };
        let mut state: SpecState = initial.clone();
        let cells = self.cells_read(unexplained);
        let mut writers: Vec<Option<usize>> = vec![None; cells.len()];
        for (number, (instance, _)) in before.placed.iter().enumerate() {
            let mut next = successors(self, &state, instance);
            let (Some(after), true) = (next.pop(), next.is_empty()) else {
                return Vec::new();
            };
            for (cell, writer) in cells.iter().zip(&mut writers) {
                if cell.held(state.values()) != cell.held(after.values()) {
                    *writer = Some(number);
                }
            }
            state = after;
        }
        let refusal = self.reason(&state, unexplained);
        let words = identifiers(&refusal.reason);
        let variable = |cell: &Cell| {
            let name = self.linked.program.variables.get(cell.variable as usize);
            name.map_or("", |name| name)
        };
        let is_named = |cell: &Cell| words.contains(variable(cell));
        let some_are_named = cells.iter().any(is_named);
        let reported = cells
            .iter()
            .zip(writers)
            .filter(|(cell, _)| !some_are_named || is_named(cell));
        let reported = reported.filter_map(|(cell, by)| {
            let value = cell.held(state.values())?;
            let path: String = cell.path.iter().map(ToString::to_string).collect();
            Some(LastWrite {
                cell: format!("{}{path}", variable(cell)),
                is_certain: self.is_certain(before, by, cell, &value),
                value: value.to_string(),
                by,
            })
        });
        reported.take(CELLS_MAX).collect()
    }

    /// Whether a cell that holds this value was written last by the same operation in every explanation.
    ///
    /// It was if no other operation can have left this value, and it did not hold it at the beginning. It also was if the operation writes this
    /// value wherever it takes effect, which it did, because it returned, and if all others that may write the cell ended before it began.
    fn is_certain(&self, before: PlacedInstances<'_>, by: Option<usize>, cell: &Cell, value: &Value) -> bool {
        let PlacedInstances { placed, others } = before;
        let content = Content::Is(value.clone());
        let may_write = |instance: &Instance, leaves: Option<&Content>| {
            let effects = self.effects(instance);
            let is_so = |write: &omnilink_tla::eval::Write| match leaves {
                Some(content) => write.left.may_be(&write.cell, cell, content),
                None => write.cell.overlaps(cell),
            };
            !effects.is_complete || effects.writes.iter().any(is_so)
        };
        if self.has_hidden_steps() {
            return false;
        }
        let Some(by) = by else {
            let mut all = placed
                .iter()
                .map(|(instance, _)| *instance)
                .chain(others.iter().copied());
            return !all.any(|instance| may_write(instance, None));
        };
        let Some((writer, timebox)) = placed.get(by) else {
            return false;
        };
        let rest = || {
            (0..)
                .zip(placed)
                .filter(|(at, _)| *at != by)
                .map(|(_, placed)| placed)
        };
        let was_initial = self
            .initial()
            .iter()
            .any(|state| cell.held(state.values()).as_ref() == Some(value));
        let is_only = !was_initial
            && !rest().any(|(instance, _)| may_write(instance, Some(&content)))
            && !others.iter().any(|instance| may_write(instance, Some(&content)));
        let effects = self.effects(writer);
        // A step of an operation may be left out.
        let leaves_it = effects.is_exact
            && writer.0.part.is_none()
            && timebox.end.is_some()
            && effects
                .writes
                .iter()
                .any(|write| write.left.held_after(&write.cell, cell) == Some(Some(value.clone())));
        let ended = |other: &Timebox| other.end.is_some_and(|end| end < timebox.start);
        let is_last = leaves_it
            && rest().all(|(instance, other)| ended(other) || !may_write(instance, None))
            && !others.iter().any(|instance| may_write(instance, None));
        is_only || is_last
    }

    /// Whether no state at all allows an instance that some state refuses: it is refused without looking at the state, or it counts
    /// more cells than there are.
    pub fn is_impossible(&self, refused: &Instance) -> bool {
        let effects = self.effects(refused);
        if refused.0.part.is_some() || self.has_hidden_steps() || !effects.is_complete {
            return false;
        }
        if effects.tallies.iter().any(Tally::is_never_true) {
            return true;
        }
        effects.reads.is_empty()
            && effects.writes.is_empty()
            && self
                .initial()
                .iter()
                .all(|state| successors(self, state, refused).is_empty())
    }

    /// The parts of the state that an action may read: cells where that is known, else whole variables.
    fn cells_read(&self, instance: &Instance) -> Vec<Cell> {
        let effects = self.effects(instance);
        let mut cells: Vec<Cell> = Vec::new();
        let mut add = |cell: Cell| {
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        };
        if effects.is_complete && !effects.reads.is_empty() {
            for cell in &effects.reads {
                if cell.is_known() {
                    add(cell.clone())
                } else {
                    add(Cell::whole(cell.variable))
                }
            }
        } else {
            let variables = 0..self.linked.program.variables.len() as u32;
            let lasting = variables.filter(|variable| !self.linked.transient.contains(variable));
            lasting.for_each(|variable| add(Cell::whole(variable)));
        }
        cells
    }
}
