//! Effects: the cells that an action with known arguments may read and write, in any state.
//!
//! The action is interpreted without a state. Expressions that need no state are evaluated, and decide IFs, CASEs and guards; where
//! a condition is unknown, all branches are followed. A conjunct such as `f[k] = 3` is a fact for the other conjuncts, so that an `IF
//! f[k] = 0 THEN … ELSE UNCHANGED f` among them takes one branch only. The result is an over-approximation: a cell that is not in it is
//! neither read nor written in any state. An action with unsupported expressions has unknown effects.
//!
//! A *cell* is `f[k]` for a known `k`, or a whole variable. `DOMAIN f` is a cell of its own, because EXCEPT never changes it.

mod action;
mod condition;
mod exactness;
mod read;
mod template;

use exactness::Exactness;
use omnilink_tla_ir::Operation;
use omnilink_value::Value;
use smallvec::SmallVec;
pub use template::EffectTemplates;

use crate::evaluator::{Evaluator, State};

/// A part of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Which variable.
    pub variable: u32,
    /// Which part of it.
    pub part: CellPart,
}

/// Which part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellPart {
    /// All of it.
    Whole,
    /// Its domain.
    Domain,
    /// Its value at an argument.
    At(Value),
}

/// A cell that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Which.
    pub cell: Cell,
    /// The written value, if it is the same in every state.
    pub value: Option<Value>,
}

/// A list stored inline up to one element. Most actions read or write one cell, so the thousands of instances of a trace need one
/// allocation each instead of four.
pub type Few<T> = SmallVec<[T; 1]>;

/// The effects of an action with known arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Whether the rest is complete. If not, everything may be read and written.
    pub is_complete: bool,
    /// Whether the effects define the action: if all demands are met, the only successor is the state with all writes made; if one is
    /// not met, the action is disabled. Both hold only if the cells exist and their values can be compared with the demanded
    /// ones.
    pub is_exact: bool,
    /// The cells that may be read.
    pub reads: Few<Cell>,
    /// The cells that may be written.
    pub writes: Few<Write>,
    /// Cells of the form `f[k]` with the value they must have for the action to be enabled.
    pub demands: Few<(Cell, Value)>,
}

impl Effects {
    /// Whether the action never changes a state.
    pub fn is_pure(&self) -> bool {
        self.is_complete && self.writes.is_empty()
    }
}

/// Sets with more elements are not enumerated.
pub(super) const ELEMENTS_MAX: usize = 64;
/// Definitions nested deeper are not analysed.
const DEPTH_MAX: u32 = 48;
/// The maximum number of visited nodes, so that the analysis costs less than it saves.
const VISITS_MAX: u32 = 20_000;

/// An expression that the analysis does not support.
struct Unsupported;

type Walked<T> = Result<T, Unsupported>;

/// The state of the analysis of one action.
#[derive(Default)]
struct Walk {
    effects: Effects,
    exactness: Exactness,
    /// Cells known to hold a value: path and value.
    facts: Vec<(u32, Vec<Value>, Value)>,
    /// The number of enclosing branches.
    branches: u32,
    depth: u32,
    visits: u32,
}

impl Walk {
    fn visit(&mut self) -> Walked<()> {
        self.visits += 1;
        if self.visits > VISITS_MAX {
            Err(Unsupported)
        } else {
            Ok(())
        }
    }

    fn read(&mut self, variable: u32, part: CellPart) {
        let cell = Cell { variable, part };
        if !self.effects.reads.contains(&cell) {
            self.effects.reads.push(cell);
        }
    }

    /// Reads an unknown `f[k]`. The domain counts as read too, which shows that `f` is not only used as a whole.
    fn read_somewhere(&mut self, variable: u32) {
        self.exactness.lose();
        self.read(variable, CellPart::Whole);
        self.read(variable, CellPart::Domain);
    }

    fn write(&mut self, variable: u32, part: CellPart, value: Option<Value>) {
        if value.is_none() || !matches!(part, CellPart::At(_)) {
            self.exactness.lose();
        }
        let write = Write {
            cell: Cell { variable, part },
            value,
        };
        if !self.effects.writes.contains(&write) {
            self.effects.writes.push(write);
        }
    }

    /// Enters one of several branches.
    fn branch(&mut self) {
        self.branches += 1;
        self.exactness.lose();
    }

    /// The current lengths, to restore if a branch turns out to be impossible.
    fn mark(&self) -> (usize, usize, usize) {
        let Effects {
            reads,
            writes,
            demands,
            ..
        } = &self.effects;
        (reads.len(), writes.len(), demands.len())
    }

    fn forget(&mut self, (reads, writes, demands): (usize, usize, usize)) {
        self.effects.reads.truncate(reads);
        self.effects.writes.truncate(writes);
        self.effects.demands.truncate(demands);
    }
}

impl<'p> Evaluator<'p> {
    /// The effects of an action for given arguments; `None` is an unknown argument.
    pub fn effects(&mut self, action: Operation, arguments: &[Option<Value>]) -> Effects {
        self.without_memo(|this| this.effects_of(action, arguments))
    }

    fn effects_of(&mut self, action: Operation, arguments: &[Option<Value>]) -> Effects {
        self.set_state(&State::from([]));
        self.invalidate_state_caches();
        self.clear_next();
        let mut walk = Walk::default();
        let walked = self.enter_with(action, &[], |this, body| {
            for (slot, argument) in (0..).zip(arguments) {
                if let Some(argument) = argument {
                    this.bind(slot, argument.clone());
                }
            }
            Ok(this.walk_action(body, &mut walk))
        });
        match walked {
            Ok(Ok(possible)) => Effects {
                is_complete: true,
                is_exact: possible && walk.exactness.holds(self.program.variables.len()),
                ..walk.effects
            },
            _ => Effects::default(),
        }
    }
}
