//! Effects: the cells that an action with known arguments may read and write, in any state.
//!
//! The action is interpreted without a state. Expressions that need no state are evaluated, and decide IFs, CASEs and guards; where
//! a condition is unknown, all branches are followed. A conjunct such as `f[k] = 3` is a fact for the other conjuncts, so that an `IF
//! f[k] = 0 THEN … ELSE UNCHANGED f` among them takes one branch only. Other expressions have a [form](form::Form) in terms of the state. The
//! result is an over-approximation: a cell that is not in it is neither read nor written in any state. An action with unsupported
//! expressions has unknown effects.

mod action;
mod assignment;
mod cell;
mod comparison;
mod condition;
mod exactness;
mod facts;
mod form;
mod formation;
mod frames;
mod function_form;
mod implication;
mod key_set;
mod layout;
mod paths;
mod range;
mod sequence_form;
mod set_form;
mod tally;
mod template;

use cell::CellFilter;
pub use cell::{Cell, CellStep, Content, Left, PartialElement, Path, Selector};
pub use condition::{Condition, Direction, Sum};
use exactness::Exactness;
pub(crate) use form::at as argument_step;
use form::{Form, Place};
pub use layout::{Layout, Selectors};
use omnilink_tla_ir::OperatorId;
use omnilink_value::Value;
use paths::PathWalk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tally::CellTest;
pub use tally::Tally;
pub use template::EffectTemplates;

use crate::evaluator::{Evaluator, State};

/// A cell that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Which.
    pub cell: Cell,
    /// What it holds afterwards, if it changes.
    pub left: Left,
}

/// A list stored inline up to one element. Most actions read or write one cell, so the thousands of instances of a trace need one
/// allocation each instead of four.
pub type Few<T> = SmallVec<[T; 1]>;

/// The effects of an action with known arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Whether the rest is complete. If not, everything may be read and written.
    pub is_complete: bool,
    /// Whether the effects define the action: if all demands are met and all tallies are true, the only successor is the state with all writes made; if one is
    /// not met, the action is disabled. Both hold only if the demanded cells can be compared and the writes be made.
    pub is_exact: bool,
    /// The cells that may be read.
    pub reads: Few<Cell>,
    /// The cells that may be written.
    pub writes: Few<Write>,
    /// Cells with what they must hold for the action to be enabled.
    pub demands: Few<(Cell, Content)>,
    /// Comparisons of numbers of cells that must be true for the action to be enabled.
    pub tallies: Vec<Tally>,
    /// Other conditions for the action to be enabled.
    pub conditions: Vec<Condition>,
    /// How sets are taken apart.
    pub selectors: Selectors,
    /// How sequences are taken apart.
    pub sequence_keys: Selectors,
}

impl Effects {
    /// Whether the action never changes a state.
    pub fn is_pure(&self) -> bool {
        self.is_complete && self.writes.is_empty()
    }
}

/// Sets with more elements are not enumerated.
pub(super) const ELEMENTS_MAX: usize = 1 << 10;
/// Definitions nested deeper are not analysed.
const DEPTH_MAX: u32 = 128;
/// The maximum number of visited nodes, so that the analysis costs less than it saves.
const VISITS_MAX: u32 = 20_000;

/// An expression that the analysis does not support.
struct Unsupported;

type Walked<T> = Result<T, Unsupported>;

/// The state of the analysis of one action.
struct Walk<'l> {
    layout: &'l Layout,
    effects: Effects,
    /// What the reads may have, those included that were forgotten.
    filter: CellFilter,
    exactness: Exactness,
    /// Tests whose outcome does not matter, but which must not fail.
    defined: Vec<CellTest>,
    /// What is known of cells.
    facts: Vec<(Cell, Content)>,
    /// The forms of names without a value, by their position on the stack of frames.
    names: FxHashMap<usize, Form>,
    /// The names that range over sets. One that stands for all arguments of a function has a list of exceptions.
    binders: Vec<Option<Vec<Option<Value>>>>,
    /// The next values of variables assigned so far.
    assigned: Vec<(u32, Form)>,
    /// The variables assigned on the way here, in whatever branch.
    touched: Vec<u32>,
    /// The one path that is walked; `None` if all branches are.
    path: Option<PathWalk>,
    /// The number of enclosing branches.
    branches: u32,
    /// The way to the current conjunct: see [`Condition`].
    trail: Vec<u16>,
    /// The number of enclosing nodes through which no trail leads.
    untracked: u32,
    /// Whether what cells say about others is left out: see [`Evaluator::note_conditions`].
    ignores_implications: bool,
    depth: u32,
    visits: u32,
}

/// Lengths of lists, to restore if a branch turns out to be impossible.
#[derive(Clone, Copy)]
struct Mark {
    reads: usize,
    writes: usize,
    demands: usize,
    tallies: usize,
    conditions: usize,
}

impl<'l> Walk<'l> {
    fn new(layout: &'l Layout) -> Self {
        Self {
            layout,
            effects: Effects::default(),
            filter: CellFilter::default(),
            exactness: Exactness::default(),
            defined: Vec::new(),
            facts: Vec::new(),
            names: FxHashMap::default(),
            binders: Vec::new(),
            assigned: Vec::new(),
            touched: Vec::new(),
            path: None,
            branches: 0,
            trail: Vec::new(),
            untracked: 0,
            ignores_implications: false,
            depth: 0,
            visits: 0,
        }
    }

    fn visit(&mut self) -> Walked<()> {
        self.visits += 1;
        if self.visits > VISITS_MAX {
            Err(Unsupported)
        } else {
            Ok(())
        }
    }

    fn read(&mut self, cell: Cell) {
        if !self.filter.add(&cell) || !self.effects.reads.contains(&cell) {
            self.effects.reads.push(cell);
        }
    }

    /// Reads what a form depends on.
    fn read_form(&mut self, form: &Form) {
        form.reads().cells.into_iter().for_each(|cell| self.read(cell));
    }

    fn write(&mut self, cell: Cell, left: Left) {
        let is_group = |step: &CellStep| matches!(step, CellStep::Group(..));
        if matches!(left, Left::Unknown | Left::Other) || !cell.is_known() || cell.path.iter().any(is_group) {
            self.exactness.lose();
        }
        let write = Write { cell, left };
        if !self.effects.writes.contains(&write) {
            self.effects.writes.push(write);
        }
    }

    /// Notes that a variable is assigned. A second assignment is a comparison with the first, which depends on all of the variable.
    fn touch(&mut self, variable: u32) {
        self.exactness.assign(variable);
        if self.touched.contains(&variable) {
            self.read(Cell::whole(variable));
        } else {
            self.touched.push(variable);
        }
    }

    /// Notes that a variable gets an element of a set. Whether there is one decides whether the action is enabled.
    fn choose(&mut self, variable: u32) {
        if self.is_unobserved(variable) {
            self.read(Cell::whole(variable));
        }
    }

    /// Whether nothing depends on a variable.
    fn is_unobserved(&self, variable: u32) -> bool {
        self.layout.unobserved().contains(&variable)
    }

    /// The form of a variable in the next state.
    fn next(&mut self, variable: u32) -> Form {
        if self.is_unobserved(variable) {
            self.read(Cell::whole(variable));
        }
        let assigned = self.assigned.iter().rev().find(|(known, _)| *known == variable);
        match assigned {
            Some((_, form)) => form.clone(),
            None => Form::computed([&Form::Place(Place::whole(variable))]),
        }
    }

    /// Notes that a set is taken apart by a part of its elements.
    fn suggest(&mut self, place: &Place, path: &[Value]) {
        let suggestion = (place.clone(), Selector::from(path));
        if !self.effects.selectors.contains(&suggestion) {
            self.effects.selectors.push(suggestion);
        }
    }

    /// Notes that a sequence is taken apart by a part of its elements.
    fn suggest_key(&mut self, place: &Place, path: &[Value]) {
        let suggestion = (place.clone(), Selector::from(path));
        if !self.effects.sequence_keys.contains(&suggestion) {
            self.effects.sequence_keys.push(suggestion);
        }
    }

    /// Notes that something of this form is evaluated, whether it is needed or not.
    fn evaluate(&mut self, form: &Form) {
        match form {
            Form::Value(_) => {}
            Form::Subset(set) => {
                for (_, condition) in &set.open {
                    match CellTest::of(condition) {
                        Some(test) => self.defined.push(test),
                        None => self.exactness.lose(),
                    }
                }
            }
            _ => self.exactness.lose(),
        }
    }

    /// Enters one of several branches.
    fn branch(&mut self) {
        self.branches += 1;
        self.exactness.lose();
    }

    fn mark(&self) -> Mark {
        let effects = &self.effects;
        Mark {
            reads: effects.reads.len(),
            writes: effects.writes.len(),
            demands: effects.demands.len(),
            tallies: effects.tallies.len(),
            conditions: effects.conditions.len(),
        }
    }

    fn forget(&mut self, mark: Mark) {
        self.effects.reads.truncate(mark.reads);
        self.effects.writes.truncate(mark.writes);
        self.effects.demands.truncate(mark.demands);
        self.effects.tallies.truncate(mark.tallies);
        self.effects.conditions.truncate(mark.conditions);
    }
}

impl<'p> Evaluator<'p> {
    /// The effects of an action for given arguments, in states with a layout; `None` is an unknown argument.
    pub fn effects(&mut self, action: OperatorId, arguments: &[Option<Value>], layout: &Layout) -> Effects {
        self.without_memo(|this| this.effects_of(action, arguments, layout))
    }

    fn effects_of(&mut self, action: OperatorId, arguments: &[Option<Value>], layout: &Layout) -> Effects {
        self.set_state(&State::from([]));
        self.invalidate_state_caches();
        self.clear_next();
        let mut walk = Walk::new(layout);
        let walked = self.enter_with(action, &[], |this, body| {
            for (slot, argument) in (0..).zip(arguments) {
                match argument {
                    Some(argument) => this.bind(slot, argument.clone()),
                    None => this.name(slot, Form::unknown(), &mut walk),
                }
            }
            Ok(this.walk_action(body, &mut walk))
        });
        let Ok(Ok(possible)) = walked else {
            return Effects::default();
        };
        let is_exact = possible && walk.exactness.holds(self.program.variables.len());
        let mut effects = Effects {
            is_complete: true,
            is_exact,
            ..walk.effects
        };
        if is_exact && !walk.defined.is_empty() {
            effects.tallies.push(Tally::of_defined(walk.defined));
        }
        effects
    }
}
