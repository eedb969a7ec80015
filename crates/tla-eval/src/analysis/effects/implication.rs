//! Implications between cells: what is said twice.
//!
//! Some specifications say in two places whether a key is there: `present` is the set of keys, `val[k]` is `NoValue` for all others; or a
//! record has a field `present` and a field `val`. An insert that finds `val[k] = 3` then takes the branch for keys that are there, but only
//! because the two places agree. That they do, `val[k] # NoValue => k \in present`, is an invariant, and is found here.
//!
//! A candidate says: if a cell holds a value other than its initial one, then another cell with the same key holds a certain content. It is
//! kept if it holds in all initial states and on every path of every action: if it holds before, it holds afterwards. Candidates that
//! fail are dropped, and the others are checked again without them, until all of them pass. So together they are inductive: they hold in
//! every reachable state.

use omnilink_tla_ir::OperatorId;
use omnilink_value::Value;

use super::cell::{Cell, CellStep, Content, Left, Path};
use super::form::inside;
use super::paths::ActionPath;
use super::{Layout, Write};
use crate::evaluator::Evaluator;

/// Cells that differ in one key: `val[k]`, `map[k].present`, whether a set has `k`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Family {
    /// The function or set that the key is an argument or element of.
    place: Cell,
    /// Whether it is a set.
    is_set: bool,
    /// The way from the function's value to the cell.
    rest: Path,
}

impl Family {
    /// The family of a cell with one symbol, which is its key; `None` if its path has none, or several.
    fn of<'c>(cell: &'c Cell, path: &ActionPath) -> Option<(Self, &'c Value)> {
        let mut symbols = (0..).zip(&cell.path).filter(|(_, step)| path.is_symbol(step));
        let (Some((at, _)), None) = (symbols.next(), symbols.next()) else {
            return None;
        };
        let (key, is_set) = match &cell.path[at] {
            CellStep::At(key) => (key, false),
            CellStep::Has(key) => (key, true),
            _ => return None,
        };
        let family = Self {
            place: Cell {
                variable: cell.variable,
                path: cell.path[..at].iter().cloned().collect(),
            },
            is_set,
            rest: cell.path[at + 1..].iter().cloned().collect(),
        };
        Some((family, key))
    }

    /// The cell of a key.
    fn at(&self, key: &Value) -> Cell {
        let step = match self.is_set {
            true => CellStep::Has(key.clone()),
            false => CellStep::At(key.clone()),
        };
        let mut cell = inside(&self.place, step);
        cell.path.extend(self.rest.iter().cloned());
        cell
    }

    /// The key of a cell of this family.
    fn key_of<'c>(&self, cell: &'c Cell) -> Option<&'c Value> {
        let depth = self.place.path.len();
        let is_below = cell.variable == self.place.variable
            && cell.path.len() == depth + 1 + self.rest.len()
            && cell.path.starts_with(&self.place.path)
            && cell.path[depth + 1..] == *self.rest;
        match cell.path.get(depth).filter(|_| is_below)? {
            CellStep::At(key) if !self.is_set => Some(key),
            CellStep::Has(key) if self.is_set => Some(key),
            _ => None,
        }
    }

    /// The keys in a state.
    fn keys(&self, state: &[Value]) -> Vec<Value> {
        let Some(held) = self.place.held(state) else {
            return Vec::new();
        };
        let keys = match self.is_set {
            true => held.as_set().map(<[Value]>::to_vec),
            false => super::layout::domain_of(&held).and_then(|domain| Some(domain.as_set()?.to_vec())),
        };
        keys.unwrap_or_default()
    }

    /// The key of a cell that a path writes, if it may be in this family; `Err` if it is not known.
    ///
    /// A symbol may be equal to anything. So it may only be the key: which cell is meant is not known if it stands elsewhere on the way.
    fn written<'c>(&self, cell: &'c Cell, path: &ActionPath) -> Result<Option<&'c Value>, ()> {
        if !path.anywhere(cell).overlaps(&inside(&self.place, CellStep::Any)) {
            return Ok(None);
        }
        let depth = self.place.path.len();
        let is_clear = cell.path.starts_with(&self.place.path)
            && !cell.path.iter().skip(depth + 1).any(|step| path.is_symbol(step));
        match cell.path.get(depth).filter(|_| is_clear) {
            Some(CellStep::At(key)) if !self.is_set => Ok(Some(key)),
            Some(CellStep::Has(key)) if self.is_set => Ok(Some(key)),
            _ => Err(()),
        }
    }
}

/// If a cell holds a value other than `unless`, the cell of the other family with the same key is as `then` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Implication {
    from: Family,
    unless: Option<Value>,
    to: Family,
    then: Content,
}

/// More families of cells, or more candidates, are not considered.
const FAMILIES_MAX: usize = 16;
const CANDIDATES_MAX: usize = 256;
/// With more initial states or more keys, no implications are looked for.
const INITIAL_MAX: usize = 1 << 16;

impl Implication {
    /// Whether the condition is true of a cell that holds this.
    fn applies(&self, held: Option<&Value>) -> bool {
        held.is_some() && held != self.unless.as_ref()
    }

    /// The values that it compares with.
    pub(super) fn constants(&self) -> impl Iterator<Item = &Value> {
        let then = match &self.then {
            Content::Is(value) => Some(value),
            _ => None,
        };
        self.unless.iter().chain(then)
    }

    /// What a cell is, given the facts about other cells.
    pub(super) fn content(&self, cell: &Cell, facts: &[(Cell, Content)]) -> Option<&Content> {
        let key = self.to.key_of(cell)?;
        let from = self.from.at(key);
        let is_known = |(known, content): &(Cell, Content)| {
            *known == from
                && match content {
                    Content::Is(value) => self.applies(Some(value)),
                    Content::Present => self.unless.is_none(),
                    Content::Missing => false,
                }
        };
        facts.iter().any(is_known).then_some(&self.then)
    }

    fn holds_in(&self, state: &[Value]) -> bool {
        self.from.keys(state).iter().all(|key| {
            let held = self.from.at(key).held(state);
            !self.applies(held.as_ref()) || self.then.agrees(self.to.at(key).held(state).as_ref())
        })
    }

    /// Whether it holds after every step of a path before which it holds.
    ///
    /// The condition must be certainly false afterwards, or the conclusion certainly true. What is not written is as before: known by a
    /// fact, or by this implication itself. Keys that may be equal are not told apart, so a path may write one key only.
    fn is_kept(&self, path: &ActionPath, layout: &Layout) -> bool {
        let mut key: Option<&Value> = None;
        for family in [&self.from, &self.to] {
            for cell in path.writes.iter().map(|write| &write.cell).chain(&path.changed) {
                match family.written(cell, path) {
                    Err(()) => return false,
                    Ok(None) => {}
                    Ok(Some(written)) if key.is_none_or(|key| key == written) => key = Some(written),
                    Ok(Some(_)) => return false,
                }
            }
        }
        let Some(key) = key else { return true };
        let (from, to) = (self.from.at(key), self.to.at(key));
        let did_apply = known(path, &from, |content| match content {
            Content::Is(value) => Some(self.applies(Some(value))),
            Content::Present => self.unless.is_none().then_some(true),
            Content::Missing => Some(false),
        });
        let did_follow = known(path, &to, |content| match (&self.then, content) {
            (Content::Is(wanted), Content::Is(value)) => Some(wanted == value),
            (Content::Is(_), Content::Missing) => Some(false),
            (Content::Is(_), Content::Present) => None,
            (Content::Present, content) => Some(*content != Content::Missing),
            (Content::Missing, content) => Some(*content == Content::Missing),
        });
        let is_refuted = matches!(&self.then, Content::Is(wanted)
            if path.refuted.iter().any(|(cell, value)| *cell == to && value == wanted));
        let was_initial = matches!(&self.unless, Some(unless)
            if path.refuted.iter().any(|(cell, value)| *cell == from && value == unless));
        let did_apply = did_apply.or((did_follow == Some(false) || is_refuted).then_some(false));
        let did_apply = did_apply.or((was_initial && is_there(path, &from)).then_some(true));
        let did_follow = did_follow.or((did_apply == Some(true)).then_some(true));
        let applies = match written(path, &from) {
            Written::No => did_apply,
            Written::Unknown => None,
            Written::Known(held, _) => Some(self.applies(held.as_ref())),
        };
        let follows = match written(path, &to) {
            Written::No => did_follow,
            Written::Unknown => None,
            Written::Known(held, write) if self.is_certain(write, layout, &to) => {
                Some(self.then.agrees(held.as_ref()))
            }
            Written::Known(..) => None,
        };
        applies == Some(false) || follows == Some(true)
    }

    /// Whether a write of the conclusion's cell is made if the condition's cell is there.
    ///
    /// A cell that is replaced is replaced only if it is there. In the same value as the other cell it is, if that value is replaced as a whole or
    /// has this part in every state.
    fn is_certain(&self, write: &Write, layout: &Layout, to: &Cell) -> bool {
        let key = self.to.place.path.len() + 1;
        let is_one_value = self.from.place == self.to.place && !self.from.is_set && !self.to.is_set;
        !matches!(write.left, Left::Replaced(_))
            || is_one_value && (write.cell.path.len() <= key || layout.always_has(to, key))
    }
}

/// What a path writes to a cell.
enum Written<'p> {
    No,
    Unknown,
    /// This content, by this write.
    Known(Option<Value>, &'p Write),
}

fn written<'p>(path: &'p ActionPath, cell: &Cell) -> Written<'p> {
    let mut writes = path.writes.iter().filter(|write| write.cell.overlaps(cell));
    let (Some(write), None) = (writes.next(), writes.next()) else {
        let is_written = path.writes.iter().any(|write| write.cell.overlaps(cell));
        return if is_written { Written::Unknown } else { Written::No };
    };
    match write.left.held_after(&write.cell, cell) {
        Some(held) => Written::Known(held, write),
        None => Written::Unknown,
    }
}

/// What the facts of a path say about a cell.
fn known(path: &ActionPath, cell: &Cell, judge: impl Fn(&Content) -> Option<bool>) -> Option<bool> {
    path.facts.iter().find_map(|(known, content)| {
        if known == cell {
            return judge(content);
        }
        match content {
            Content::Is(value) if known.variable == cell.variable && cell.path.starts_with(&known.path) => {
                let inner = Cell {
                    variable: 0,
                    path: cell.path[known.path.len()..].iter().cloned().collect(),
                };
                // Which part of the value it is, is not known.
                if inner.path.iter().any(|step| path.is_symbol(step)) {
                    return None;
                }
                let held = inner.held(std::slice::from_ref(value));
                judge(&held.map_or(Content::Missing, Content::Is))
            }
            _ => None,
        }
    })
}

/// Whether a cell is there on a path.
fn is_there(path: &ActionPath, cell: &Cell) -> bool {
    known(path, cell, |content| Some(*content != Content::Missing)) == Some(true)
}

impl<'p> Evaluator<'p> {
    /// A layout with the implications that hold in all reachable states. `states` are the initial ones, `operations` all actions.
    pub fn with_implications<'s>(
        &mut self,
        layout: Layout,
        operations: &[OperatorId],
        states: impl Iterator<Item = &'s [Value]> + Clone,
    ) -> Layout {
        let Some(paths) = self.all_paths(operations, &layout) else {
            return layout;
        };
        let families = families(&paths, states.clone());
        let size: usize = states
            .clone()
            .map(|state| {
                families
                    .iter()
                    .map(|family| 1 + family.keys(state).len())
                    .sum::<usize>()
            })
            .take(INITIAL_MAX)
            .sum();
        if families.len() > FAMILIES_MAX || size > INITIAL_MAX {
            return layout;
        }
        let mut implications = candidates(&families, &paths, states.clone());
        implications.retain(|candidate| states.clone().all(|state| candidate.holds_in(state)));
        implications.truncate(CANDIDATES_MAX);
        loop {
            let assumed = layout.clone().with_implications(implications.clone());
            let Some(paths) = self.all_paths(operations, &assumed) else {
                return layout;
            };
            let before = implications.len();
            implications.retain(|candidate| paths.iter().all(|path| candidate.is_kept(path, &layout)));
            if implications.len() == before {
                return assumed;
            }
        }
    }

    fn all_paths(&mut self, operations: &[OperatorId], layout: &Layout) -> Option<Vec<ActionPath>> {
        let mut paths = Vec::new();
        for operation in operations {
            paths.extend(self.paths(*operation, layout)?);
        }
        Some(paths)
    }
}

/// The families of cells with a symbol as key that some path writes.
fn families<'s>(paths: &[ActionPath], mut states: impl Iterator<Item = &'s [Value]>) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    let mut add = |family: Family| {
        if !families.contains(&family) {
            families.push(family);
        }
    };
    let first = states.next();
    for path in paths {
        for write in &path.writes {
            let Some((family, _)) = Family::of(&write.cell, path) else {
                continue;
            };
            // The fields of a record that is written as a whole.
            let example = first.and_then(|state| {
                let key = family.keys(state).into_iter().next()?;
                family.at(&key).held(state)
            });
            let fields = example
                .as_ref()
                .and_then(|example| example.as_entries())
                .unwrap_or_default();
            for (name, _) in fields.iter().filter(|(name, _)| name.as_str().is_some()) {
                let mut field = family.clone();
                field.rest.push(CellStep::At(name.clone()));
                add(field);
            }
            add(family);
        }
    }
    families
}

fn candidates<'s>(
    families: &[Family],
    paths: &[ActionPath],
    mut states: impl Iterator<Item = &'s [Value]>,
) -> Vec<Implication> {
    let mut candidates = Vec::new();
    let Some(first) = states.next() else {
        return candidates;
    };
    for from in families {
        let initial = from
            .keys(first)
            .into_iter()
            .next()
            .and_then(|key| from.at(&key).held(first));
        let unless = if from.is_set { None } else { initial };
        for to in families.iter().filter(|to| *to != from) {
            let mut contents = vec![Content::Present];
            for path in paths {
                for write in &path.writes {
                    let Some((_, key)) = Family::of(&write.cell, path) else {
                        continue;
                    };
                    let cell = to.at(key);
                    if let Some(Some(held)) = write.left.held_after(&write.cell, &cell) {
                        let content = Content::Is(held);
                        if !to.is_set && !contents.contains(&content) {
                            contents.push(content);
                        }
                    }
                }
            }
            candidates.extend(contents.into_iter().map(|then| Implication {
                from: from.clone(),
                unless: unless.clone(),
                to: to.clone(),
                then,
            }));
        }
    }
    candidates
}
