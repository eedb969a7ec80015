//! The last writer of each cell that an unexplained operation reads.

use omnilink_engine::{Model as _, successors};
use omnilink_tla::eval::{Cell, Tally};

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
}

/// The number of cells reported.
const CELLS_MAX: usize = 4;

impl TlaModel<'_> {
    /// For each cell that is read by the conjunct that refuses an operation: the operation that wrote it last. `placed` are the
    /// operations before, in order. Empty if one of them has several outcomes, because the state is then not known.
    pub fn last_writers(&self, placed: &[&Instance], unexplained: &Instance) -> Vec<LastWrite> {
        let [initial] = &self.initial()[..] else {
            return Vec::new();
        };
        let mut state: SpecState = initial.clone();
        let cells = self.cells_read(unexplained);
        let mut writers: Vec<Option<usize>> = vec![None; cells.len()];
        for (number, instance) in placed.iter().enumerate() {
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
            let value = cell.held(state.values())?.to_string();
            let path: String = cell.path.iter().map(ToString::to_string).collect();
            let cell = format!("{}{path}", variable(cell));
            Some(LastWrite { cell, value, by })
        });
        reported.take(CELLS_MAX).collect()
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
                match cell.is_known() {
                    true => add(cell.clone()),
                    false => add(Cell::whole(cell.variable)),
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
