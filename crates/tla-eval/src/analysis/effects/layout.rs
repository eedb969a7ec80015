//! The layout of a state: what is the same in all states that a behaviour can reach.
//!
//! A rebuilt function `[k \in Keys |-> IF k = x THEN v ELSE f[k]]` changes one cell only if the domain of `f` is `Keys`. That is so in every
//! reachable state if it is so initially and no action changes the domain. A set of pairs is taken apart by the first
//! components only if every action accesses it that way.

use omnilink_value::Value;

use super::cell::{Cell, CellStep, Left, Selector};
use super::{Effects, Few};

/// What is the same in all reachable states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The domains of functions, by place.
    domains: Vec<(Cell, Value)>,
    /// How the sets at some places are taken apart.
    selectors: Vec<(Cell, Selector)>,
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
    /// the effects of every action, for any arguments, under this layout. A layout that is refined to itself holds in every
    /// reachable state.
    ///
    /// *Proof.* It holds in the initial states. If it holds in a state, then the effects, which were found under it, are those of the
    /// action there, and a write that keeps every assumed domain leads to a state in which it holds again. ∎
    pub fn refined(&self, effects: &[Effects]) -> Self {
        let mut refined = self.clone();
        if effects.iter().any(|effects| !effects.is_complete) {
            return Self::default();
        }
        let writes = || effects.iter().flat_map(|effects| &effects.writes);
        refined.domains.retain(|(place, domain)| {
            !writes().any(|write| may_change_domain(&write.cell, &write.left, place, domain))
        });
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

    /// The domain of the function at a place.
    pub(super) fn domain(&self, place: &Cell) -> Option<&Value> {
        let found = self.domains.iter().find(|(known, _)| matches(known, place));
        found.map(|(_, domain)| domain)
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
