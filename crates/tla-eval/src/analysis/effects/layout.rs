//! The layout of a state: what is the same in all states that a behaviour can reach.
//!
//! A rebuilt function `[k \in Keys |-> IF k = x THEN v ELSE f[k]]` changes one cell only if the domain of `f` is `Keys`. That is so in every
//! reachable state if it is so initially and no action changes the domain. A set of pairs is taken apart by the first
//! components only if every action accesses it that way.
//!
//! A variable that no action reads, except to compute its own next value or that of other such variables, is *unobserved*: a log of
//! what happened, a counter of steps. No enabled action, and no other variable, ever depends on it.

use omnilink_value::Value;

use super::cell::{Cell, CellStep, Left, Selector, in_order_of_keys, selected};
use super::implication::Implication;
use super::{Effects, Few, Write};
#[cfg(doc)]
use crate::evaluator::Evaluator;

/// What is the same in all reachable states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The domains of functions, by place.
    domains: Vec<(Cell, Value)>,
    /// How the sets at some places are taken apart.
    selectors: Vec<(Cell, Selector)>,
    /// The keyed sequences, and by which part of their elements.
    sequence_keys: Vec<(Cell, Selector)>,
    /// The sequences that are accessed by position after all.
    ordered: Vec<Cell>,
    /// The variables that only actions mention.
    private: Vec<u32>,
    /// The variables that nothing depends on.
    unobserved: Vec<u32>,
    /// What cells say about others.
    implications: Vec<Implication>,
    /// Whether elements of which only some parts are known are cells: [`CellStep::Like`].
    has_partial_elements: bool,
}

/// Functions with more arguments are not looked into for functions among their values.
const INNER_MAX: usize = 1 << 12;
/// Functions with different domains among the values of one function: each is a place of its own up to this number.
const PLACES_MAX: usize = 32;

impl Layout {
    /// What the given states have in common.
    ///
    /// The result is an assumption about later states, which [`refined`](Self::refined) confirms or corrects.
    pub fn of_states<'s>(states: impl IntoIterator<Item = &'s [Value]>) -> Self {
        let mut states = states.into_iter();
        let mut layout = Self::default();
        if let Some(first) = states.next() {
            for (variable, value) in (0..).zip(first) {
                layout.look_into(Cell::whole(variable), value);
            }
        }
        for state in states {
            layout.domains.retain(|(place, domain)| {
                let inner = place.path.iter().position(|step| *step == CellStep::Any);
                match inner {
                    None => place.held(state).is_some_and(|held| has_domain(&held, domain)),
                    Some(at) => {
                        let outer = Cell {
                            variable: place.variable,
                            path: place.path[..at].iter().cloned().collect(),
                        };
                        let held = outer.held(state);
                        held.is_some_and(|held| parts(&held).all(|part| has_domain(part, domain)))
                    }
                }
            });
        }
        layout
    }

    /// This layout, given the variables that only actions mention. They are assumed to be unobserved.
    #[must_use]
    pub fn with_private(mut self, variables: impl IntoIterator<Item = u32>) -> Self {
        self.private.extend(variables);
        self.unobserved.clone_from(&self.private);
        self
    }

    /// This layout, where an element of a set of which only some parts are known is a cell of its own ([`CellStep::Like`]).
    #[must_use]
    pub fn with_partial_elements(mut self) -> Self {
        self.has_partial_elements = true;
        self
    }

    pub(super) fn has_partial_elements(&self) -> bool {
        self.has_partial_elements
    }

    /// This layout, with other implications.
    pub(super) fn with_implications(mut self, implications: Vec<Implication>) -> Self {
        self.implications = implications;
        self
    }

    pub(super) fn implications(&self) -> &[Implication] {
        &self.implications
    }

    /// The variables that nothing depends on.
    pub fn unobserved(&self) -> &[u32] {
        &self.unobserved
    }

    fn look_into(&mut self, place: Cell, value: &Value) {
        let Some(domain) = domain_of(value) else { return };
        let inner = domain.as_set().map(<[Value]>::to_vec).unwrap_or_default();
        self.domains.push((place.clone(), domain));
        if place.path.len() > 1 || inner.len() > INNER_MAX {
            return;
        }
        let below = |step: CellStep| Cell {
            variable: place.variable,
            path: place.path.iter().cloned().chain([step]).collect(),
        };
        let mut domains = parts(value).map(domain_of);
        if let Some(Some(first)) = domains.next()
            && domains.all(|domain| domain.as_ref() == Some(&first))
        {
            self.domains.push((below(CellStep::Any), first));
        } else if inner.len() <= PLACES_MAX {
            for key in inner {
                if let Some(part) = value.apply(&key) {
                    self.look_into(below(CellStep::At(key)), part);
                }
            }
        }
    }

    /// This layout without what some action may change, and with the selectors by which all of them take sets apart. `effects` are
    /// the effects of every action, for any arguments, under this layout, `written` is what they write (see [`Evaluator::written`]), and `variables` is
    /// the number of variables. A layout that is refined to itself holds in every reachable state.
    ///
    /// *Proof.* It holds in the initial states. If it holds in a state, then the effects, which were found under it, are those of the
    /// action there, and a write that keeps every assumed domain leads to a state in which it holds again. The effects do not include
    /// what is assigned to a variable that is assumed to be unobserved. So they cannot confirm the domain of such a variable, and none
    /// is assumed: `DOMAIN log` reads `log`. If none of them reads such a variable, then two states that
    /// differ in such variables only have the same enabled actions, which lead to states that again differ in these only. ∎
    pub fn refined(&self, effects: &[Effects], written: &[Write], variables: usize) -> Self {
        let mut refined = self.clone();
        if effects.iter().any(|effects| !effects.is_complete) {
            return Self::default();
        }
        refined.domains.retain(|(place, domain)| {
            let mut writes = written.iter();
            !writes.any(|write| may_change_domain(&write.cell, &write.left, place, domain))
        });
        refined.unobserved.retain(|variable| {
            let mut reads = effects.iter().flat_map(|effects| &effects.reads);
            !reads.any(|cell| cell.variable == *variable)
        });
        // A spec without a variable that matters is one that its user is still writing: nothing of it is left out.
        if refined.unobserved.len() == variables {
            refined.unobserved.clear();
        }
        // How a sequence is accessed is known once nothing is wrongly assumed of its domain. The last round, which changes nothing, sees to it.
        if refined.domains == self.domains && refined.unobserved == self.unobserved {
            refined.refine_sequences(effects);
        }
        refined.selectors.clear();
        let found = || effects.iter().flat_map(|effects| &effects.selectors);
        for (place, selector) in found() {
            let is_only = found().all(|(other, by)| other != place || by == selector);
            if is_only && refined.selector(place).is_none() {
                refined.selectors.push((place.clone(), selector.clone()));
            }
        }
        refined
    }

    /// Keeps the keyed sequences that are accessed by group only, and assumes that newly found ones are.
    fn refine_sequences(&mut self, effects: &[Effects]) {
        let found = || effects.iter().flat_map(|effects| &effects.sequence_keys);
        let is_only = |place: &Cell, key: &Selector| found().all(|(other, by)| other != place || by == key);
        let is_by_group = |place: &Cell| {
            let writes = effects
                .iter()
                .flat_map(|effects| &effects.writes)
                .map(|write| &write.cell);
            let mut cells = effects.iter().flat_map(|effects| &effects.reads).chain(writes);
            cells.all(|cell| {
                let step = cell.path.get(place.path.len());
                !cell.overlaps(place) || matches!(step, Some(CellStep::Group(..) | CellStep::AnyGroup))
            })
        };
        let (kept, ordered): (Vec<_>, Vec<_>) = std::mem::take(&mut self.sequence_keys)
            .into_iter()
            .partition(|(place, key)| is_only(place, key) && is_by_group(place));
        self.sequence_keys = kept;
        self.ordered.extend(ordered.into_iter().map(|(place, _)| place));
        for (place, key) in found() {
            let is_new = !self.ordered.contains(place) && self.key_of(place).is_none();
            if is_new && is_only(place, key) && place.is_known() && self.private.contains(&place.variable) {
                self.sequence_keys.push((place.clone(), key.clone()));
            }
        }
    }

    /// The part of its elements by which the sequence at a place is keyed.
    pub(super) fn key_of(&self, place: &Cell) -> Option<&Selector> {
        let found = self.sequence_keys.iter().find(|(known, _)| known == place);
        found.map(|(_, key)| key)
    }

    /// The state with the elements of keyed sequences in order of their keys; `None` if they are already.
    pub fn canonical(&self, state: &[Value]) -> Option<Vec<Value>> {
        let mut canonical: Option<Vec<Value>> = None;
        for (place, key) in &self.sequence_keys {
            let Some(held) = place.held(state) else { continue };
            let elements = held.as_tuple().unwrap_or_default();
            let keys = || elements.iter().map(|element| selected(element, key));
            if keys().any(|key| key.is_none()) || keys().is_sorted() {
                continue;
            }
            let values = canonical.get_or_insert_with(|| state.to_vec());
            let ordered = Left::Replaced(in_order_of_keys(elements.to_vec(), key));
            if let Some(value) = values.get_mut(place.variable as usize)
                && let Some(written) = place.written(value, &ordered)
            {
                *value = written;
            }
        }
        canonical
    }

    /// The domain of the function at a place. Unknown in an unobserved variable: nothing checks what is assigned to it.
    pub(super) fn domain(&self, place: &Cell) -> Option<&Value> {
        if self.unobserved.contains(&place.variable) {
            return None;
        }
        let found = self.domains.iter().find(|(known, _)| matches(known, place));
        found.map(|(_, domain)| domain)
    }

    /// Whether a cell is there in every reachable state.
    pub fn is_always_there(&self, cell: &Cell) -> bool {
        self.always_has(cell, 0)
    }

    /// Whether a cell exists in every reachable state in which the value at the first `steps` steps of its path exists.
    pub(super) fn always_has(&self, cell: &Cell, steps: usize) -> bool {
        (steps..cell.path.len()).all(|length| {
            let place = Cell {
                variable: cell.variable,
                path: cell.path[..length].iter().cloned().collect(),
            };
            let keys = self.domain(&place).and_then(|domain| domain.as_set());
            match (&cell.path[length], keys) {
                (CellStep::At(key), Some(keys)) => keys.binary_search(key).is_ok(),
                _ => false,
            }
        })
    }

    /// How the set at a place is taken apart.
    pub(super) fn selector(&self, place: &Cell) -> Option<&Selector> {
        let found = self.selectors.iter().find(|(known, _)| matches(known, place));
        found.map(|(_, selector)| selector)
    }
}

/// Selectors that an action takes sets apart by.
pub type Selectors = Few<(Cell, Selector)>;

/// Whether a place is one of those that `known`, which may have unknown arguments, stands for.
fn matches(known: &Cell, place: &Cell) -> bool {
    known.variable == place.variable
        && known.path.len() == place.path.len()
        && known
            .path
            .iter()
            .zip(&place.path)
            .all(|(known, step)| *known == CellStep::Any || known == step)
}

/// Whether a write may change the domain of the function at a place.
fn may_change_domain(written: &Cell, left: &Left, place: &Cell, domain: &Value) -> bool {
    if !written.overlaps(place) {
        return false;
    }
    match written.path.len().checked_sub(place.path.len()) {
        // Inside one of the function's values.
        Some(2..) => false,
        // One of the function's values.
        Some(1) => match (left, written.path.last()) {
            (Left::Other | Left::Replaced(_), _) => false,
            (Left::Put(_), Some(CellStep::At(key))) => domain
                .as_set()
                .is_none_or(|keys| keys.binary_search(key).is_err()),
            _ => true,
        },
        // The function itself, or something that it is a part of.
        _ => {
            let rest = &place.path[written.path.len().min(place.path.len())..];
            let kept = match left {
                Left::Replaced(value) | Left::Put(value) => parts_along(value, rest, domain),
                Left::Unknown | Left::Other | Left::Removed => false,
            };
            !kept
        }
    }
}

/// Whether all functions along a path into a value have this domain.
fn parts_along(value: &Value, path: &[CellStep], domain: &Value) -> bool {
    match path.split_first() {
        None => has_domain(value, domain),
        Some((CellStep::At(key), rest)) => value
            .apply(key)
            .is_some_and(|part| parts_along(part, rest, domain)),
        Some((CellStep::Any, rest)) => parts(value).all(|part| parts_along(part, rest, domain)),
        Some(_) => false,
    }
}

fn parts(function: &Value) -> impl Iterator<Item = &Value> {
    let of_entries = function
        .as_entries()
        .unwrap_or_default()
        .iter()
        .map(|(_, value)| value);
    of_entries.chain(function.as_tuple().unwrap_or_default())
}

pub(super) fn domain_of(function: &Value) -> Option<Value> {
    if let Some(entries) = function.as_entries() {
        return Some(Value::set_of_sorted(entries.iter().map(|(key, _)| key.clone())));
    }
    let elements = function.as_tuple()?;
    Some(Value::set_of_sorted((1..=elements.len() as i64).map(Value::int)))
}

fn has_domain(function: &Value, domain: &Value) -> bool {
    domain_of(function).as_ref() == Some(domain)
}
