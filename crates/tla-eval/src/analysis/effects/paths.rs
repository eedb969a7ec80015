//! The paths of an action: each way through its branches, with the facts that hold on it and what it writes.
//!
//! The arguments are *symbols*: they may be anything, and may be equal to each other. The action is walked once for each path. Where the
//! walk meets a branch, the path says which way to go; what is known there holds for the rest of the path. Inconsistent choices only
//! add paths that do not exist, so that what holds for all paths holds for all steps.

use omnilink_tla_ir::{OperatorId, Pattern};
use omnilink_value::Value;

use super::cell::{Cell, CellStep, Content};
use super::form::{Change, Form, inside};
use super::{Effects, Few, Layout, Unsupported, VISITS_MAX, Walk, Walked, Write};
use crate::evaluator::{Evaluator, State};

/// One path of an action.
#[derive(Debug)]
pub(super) struct ActionPath {
    /// What holds before the step.
    pub(super) facts: Vec<(Cell, Content)>,
    /// Cells with values that they do not hold before the step.
    pub(super) refuted: Vec<(Cell, Value)>,
    /// What is written.
    pub(super) writes: Few<Write>,
    /// Cells that are changed one after the other, and may be the same. Of these, those that hold the new content already are not among the
    /// writes.
    pub(super) changed: Vec<Cell>,
    /// The keys that may be anything.
    pub(super) symbols: Vec<Value>,
}

impl ActionPath {
    /// Whether a step is to a symbol.
    pub(super) fn is_symbol(&self, step: &CellStep) -> bool {
        matches!(step, CellStep::At(key) | CellStep::Has(key) if self.symbols.contains(key))
    }

    /// A cell with unknown arguments in the place of symbols.
    pub(super) fn anywhere(&self, cell: &Cell) -> Cell {
        let mut cell = cell.clone();
        for step in cell.path.iter_mut().filter(|step| self.is_symbol(step)) {
            *step = CellStep::Any;
        }
        cell
    }

    /// What is written, with unknown arguments in the place of symbols.
    fn written_anywhere(self) -> Vec<Write> {
        let writes = self.writes.iter().map(|write| Write {
            cell: self.anywhere(&write.cell),
            left: write.left.clone(),
        });
        writes.collect()
    }
}

/// The path that is being walked.
#[derive(Debug, Default)]
pub(super) struct PathWalk {
    /// Which branch to take at each choice, and of how many.
    choices: Vec<(usize, usize)>,
    next: usize,
    facts: Vec<(Cell, Content)>,
    refuted: Vec<(Cell, Value)>,
    changed: Vec<Cell>,
    symbols: Vec<Value>,
}

/// Actions with more paths are not analysed.
const PATHS_MAX: usize = 64;

impl PathWalk {
    /// The next path, if there is one.
    fn advance(mut self) -> Option<Self> {
        while let Some((taken, of)) = self.choices.pop() {
            if taken + 1 < of {
                self.choices.push((taken + 1, of));
                return Some(Self {
                    choices: self.choices,
                    ..Self::default()
                });
            }
        }
        None
    }
}

impl Walk<'_> {
    /// The branch to take on a path; `None` if all of them are to be followed. A condition on an element is no choice, because it may
    /// differ from one element to the next.
    pub(super) fn choice(&mut self, branches: usize) -> Option<usize> {
        let path = self.path.as_mut().filter(|_| self.binders.is_empty())?;
        let at = path.next;
        path.next += 1;
        match path.choices.get(at) {
            Some((taken, _)) => Some(*taken),
            None => {
                path.choices.push((0, branches));
                Some(0)
            }
        }
    }

    /// Whether one path is walked.
    pub(super) fn is_path(&self) -> bool {
        self.path.is_some()
    }

    /// Notes a fact of the path. What is assumed inside a condition on an element, where both ways are followed, is none.
    pub(super) fn note_fact(&mut self, cell: &Cell, content: &Content) {
        if let Some(path) = self.path.as_mut().filter(|_| self.binders.is_empty()) {
            path.facts.push((cell.clone(), content.clone()));
        }
    }

    /// Notes that a cell does not hold a value, on the whole path.
    pub(super) fn note_refuted(&mut self, cell: &Cell, value: &Value) {
        if let Some(path) = self.path.as_mut().filter(|_| self.binders.is_empty()) {
            path.refuted.push((cell.clone(), value.clone()));
        }
    }

    /// Notes the cells of a place that are changed one after the other, if they may be the same.
    pub(super) fn note_changed(&mut self, place: &Cell, changes: &[(CellStep, Change)]) {
        let Some(path) = &mut self.path else { return };
        let is_symbol = |step: &CellStep| matches!(step, CellStep::At(key) | CellStep::Has(key) if path.symbols.contains(key));
        if changes.len() > 1 && changes.iter().any(|(step, _)| is_symbol(step)) {
            path.changed
                .extend(changes.iter().map(|(step, _)| inside(place, step.clone())));
        }
    }

    /// Whether a key may be anything.
    pub(super) fn is_symbol(&self, key: &Value) -> bool {
        self.path.as_ref().is_some_and(|path| path.symbols.contains(key))
    }

    fn new_symbol(&mut self) -> Form {
        let Some(path) = &mut self.path else {
            return Form::unknown();
        };
        // No value of a spec: the character is none.
        let symbol = Value::str(&format!("\u{fdd2}{}", path.symbols.len()));
        path.symbols.push(symbol.clone());
        Form::Symbol(symbol)
    }
}

impl<'p> Evaluator<'p> {
    /// What actions write, for any arguments, in states with a layout. `effects` are their effects for unknown arguments.
    ///
    /// In `[f EXCEPT ![k].a = 1]` the record at an unknown `k` is written, and nothing tells that it is the one that was read. On a path `k` is a symbol,
    /// and only the field `a` is written. What is written at a symbol may be written anywhere. Where an action has no paths, its effects have to do.
    pub fn written(&mut self, operations: &[OperatorId], effects: &[Effects], layout: &Layout) -> Vec<Write> {
        let mut all = Vec::new();
        for (operation, effects) in operations.iter().zip(effects) {
            match self.paths(*operation, layout) {
                Some(paths) => all.extend(paths.into_iter().flat_map(ActionPath::written_anywhere)),
                None => all.extend(effects.writes.iter().cloned()),
            }
        }
        all
    }

    /// All paths of an action, for any arguments; `None` if it is not understood or has too many.
    pub(super) fn paths(&mut self, action: OperatorId, layout: &Layout) -> Option<Vec<ActionPath>> {
        self.without_memo(|this| {
            let mut paths = Vec::new();
            let mut next = Some(PathWalk::default());
            let mut visits = 0;
            for _ in 0..PATHS_MAX {
                let Some(path) = next.take() else {
                    return Some(paths);
                };
                let (is_possible, walk) = this.walk_path(action, layout, path).ok()?;
                let effects = walk.effects;
                let path = walk.path?;
                visits += walk.visits;
                if visits > VISITS_MAX {
                    return None;
                }
                if is_possible {
                    paths.push(ActionPath {
                        facts: path.facts.clone(),
                        refuted: path.refuted.clone(),
                        writes: effects.writes,
                        changed: path.changed.clone(),
                        symbols: path.symbols.clone(),
                    });
                }
                next = path.advance();
            }
            None
        })
    }

    fn walk_path<'l>(
        &mut self,
        action: OperatorId,
        layout: &'l Layout,
        path: PathWalk,
    ) -> Walked<(bool, Walk<'l>)> {
        self.set_state(&State::from([]));
        self.invalidate_state_caches();
        self.clear_next();
        let mut walk = Walk::new(layout);
        walk.path = Some(path);
        let walked = self.enter_with(action, &[], |this, body| {
            for slot in 0..action.params() as u32 {
                let symbol = walk.new_symbol();
                this.name(slot, symbol, &mut walk);
            }
            Ok(this.walk_action(body, &mut walk))
        });
        match walked {
            Ok(walked) => Ok((walked?, walk)),
            Err(_) => Err(Unsupported),
        }
    }

    /// Binds names to elements of a set that may be any.
    pub(super) fn bind_symbols(&mut self, pattern: &'p Pattern, walk: &mut Walk<'_>) {
        for slot in pattern.slots() {
            let symbol = walk.new_symbol();
            self.name(*slot, symbol, walk);
        }
    }
}
