//! Cells: parts of a state, such as `f[k]`, `f[k].name`, or whether a set has an element.

use std::fmt;
use std::sync::Arc;

use omnilink_value::Value;
use smallvec::SmallVec;

/// A part of the state: a variable, or what is found in it along a path.
#[derive(Clone, Debug, Eq)]
pub struct Cell {
    /// Which variable.
    pub variable: u32,
    /// The way from the variable to the part. Empty for all of the variable.
    pub path: Path,
}

impl PartialEq for Cell {
    /// Lists of cells are searched for each cell that is added, and most cells are the value of a function at an argument.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.variable == other.variable
            && match (self.path.as_slice(), other.path.as_slice()) {
                ([CellStep::At(own)], [CellStep::At(other)]) => own == other,
                (own, other) => own == other,
            }
    }
}

/// The way from a variable to a part of its value.
pub type Path = SmallVec<[CellStep; 1]>;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellStep {
    /// The value of a function at this argument, and whether the argument is in its domain.
    At(Value),
    /// The same at an unknown argument; or an unknown part of a set.
    Any,
    /// Whether a set has this element.
    Has(Value),
    /// The elements of a set or of a keyed sequence that hold this value at the selector.
    Group(Selector, Value),
    /// Some of the groups of a keyed sequence.
    AnyGroup,
    /// Whether a set has an element of which only some parts are known.
    Like(PartialElement),
}

/// A record, tuple or function with this domain, whose values are known for some arguments: `[type |-> "grant", to |-> n, term |-> …]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialElement(pub(super) Arc<[(Value, Option<Value>)]>);

impl PartialElement {
    /// Whether an element may be the one that is meant. Two functions are equal only if they have the same domain and the same values.
    fn may_be(&self, element: &Value) -> bool {
        let is_function = element.as_tuple().is_some() || element.as_entries().is_some();
        is_function
            && element.len() == Some(self.0.len())
            && self.0.iter().all(|(key, known)| {
                let value = element.apply(key);
                value.is_some_and(|value| known.as_ref().is_none_or(|known| known == value))
            })
    }

    /// Whether two elements may be equal.
    fn may_equal(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
            && self.0.iter().all(|(key, known)| {
                let same = other.0.iter().find(|(own, _)| own == key);
                same.is_some_and(|(_, value)| match (known, value) {
                    (Some(known), Some(value)) => known == value,
                    _ => true,
                })
            })
    }
}

/// A path into the elements of a set: `<<1>>` for the first components of tuples, `<<"key">>` for a field of records.
pub type Selector = Arc<[Value]>;

/// What a write leaves in a cell that it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// Something unknown. It may also add the cell or remove it.
    Unknown,
    /// Something unknown. The cell is there afterwards exactly if it was there before.
    Other,
    /// This value. Nothing changes if the cell is not there.
    Replaced(Value),
    /// This value.
    Put(Value),
    /// Nothing: the argument is not in the domain, the element not in the set.
    Removed,
}

impl Left {
    /// Whether `cell` may be as wanted right after a change of `written` to this.
    pub fn may_be(&self, written: &Cell, cell: &Cell, wanted: &Content) -> bool {
        match self.held_after(written, cell) {
            Some(held) => wanted.agrees(held.as_ref()),
            None if written == cell => *self != Self::Other || *wanted != Content::Missing,
            None => written.overlaps(cell),
        }
    }

    /// What a cell holds after a change of `written` to this, if that is known: `Some(None)` if it is not there. The cell is the
    /// one written or a part of it.
    pub fn held_after(&self, written: &Cell, cell: &Cell) -> Option<Option<Value>> {
        if written.variable != cell.variable || !cell.path.starts_with(&written.path) || !cell.is_known() {
            return None;
        }
        let left = self.value()?;
        Some(left.and_then(|left| held(left, &cell.path[written.path.len()..])))
    }

    /// What the cell holds afterwards, if that is known: `Some(None)` if it is removed.
    pub fn value(&self) -> Option<Option<&Value>> {
        match self {
            Self::Unknown | Self::Other => None,
            Self::Replaced(value) | Self::Put(value) => Some(Some(value)),
            Self::Removed => Some(None),
        }
    }
}

/// What is known of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// It holds this value.
    Is(Value),
    /// It is there: the argument is in the domain, the element in the set, the group is not empty.
    Present,
    /// It is not there.
    Missing,
}

impl Content {
    /// Whether a cell that holds `held` is as this says.
    pub fn agrees(&self, held: Option<&Value>) -> bool {
        match (self, held) {
            (Self::Is(value), Some(held)) => value == held,
            (Self::Present, Some(_)) | (Self::Missing, None) => true,
            _ => false,
        }
    }
}

impl CellStep {
    /// Whether it may lead to different parts in different states.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Any | Self::AnyGroup | Self::Like(_))
    }
}

/// Which cells a list may have: one bit for each, which others may share. A list of a hundred cells is not searched for each that is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellFilter(u64);

impl CellFilter {
    /// Whether the list may have a cell; from now on, it may.
    pub(super) fn add(&mut self, cell: &Cell) -> bool {
        let part = match cell.path.first() {
            // Most lists are of consecutive arguments of one function.
            Some(CellStep::At(value) | CellStep::Has(value) | CellStep::Group(_, value)) => {
                value.as_int().map_or_else(|| value.hash64(), |int| int as u64)
            }
            _ => 0,
        };
        let bit = 1 << (part.wrapping_add(u64::from(cell.variable) * 53) % 64);
        let may_have = self.0 & bit != 0;
        self.0 |= bit;
        may_have
    }
}

impl Cell {
    /// All of a variable.
    pub fn whole(variable: u32) -> Self {
        Self {
            variable,
            path: Path::new(),
        }
    }

    /// What a state holds in the cell; `None` if it is not there.
    #[inline]
    pub fn held(&self, state: &[Value]) -> Option<Value> {
        let value = state.get(self.variable as usize)?;
        match self.path.as_slice() {
            [CellStep::At(key)] => value.apply(key).cloned(),
            path => held(value, path),
        }
    }

    /// Whether two cells may have a part in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.variable == other.variable
            && self.path.iter().zip(&other.path).all(|steps| match steps {
                (CellStep::At(left), CellStep::At(right)) | (CellStep::Has(left), CellStep::Has(right)) => {
                    left == right
                }
                (CellStep::Group(of, left), CellStep::Group(by, right)) => of != by || left == right,
                (CellStep::Like(partial), CellStep::Has(element))
                | (CellStep::Has(element), CellStep::Like(partial)) => partial.may_be(element),
                (CellStep::Like(left), CellStep::Like(right)) => left.may_equal(right),
                _ => true,
            })
    }

    /// Whether every argument in the path is known.
    pub fn is_known(&self) -> bool {
        !self.path.iter().any(CellStep::is_unknown)
    }

    /// The variable's value after a write; `None` if the cell cannot be written so: something on the way to it is missing, or it is
    /// unknown what is written.
    pub fn written(&self, value: &Value, left: &Left) -> Option<Value> {
        written(value, &self.path, left)
    }
}

fn held(value: &Value, path: &[CellStep]) -> Option<Value> {
    let Some((step, rest)) = path.split_first() else {
        return Some(value.clone());
    };
    match step {
        CellStep::At(key) => held(value.apply(key)?, rest),
        CellStep::Has(element) => {
            let is_there = value.as_set()?.binary_search(element).is_ok();
            is_there.then(|| Value::bool(true))
        }
        CellStep::Group(selector, key) => {
            let elements = value.as_set().or_else(|| value.as_tuple())?;
            let mut group = Vec::new();
            for element in elements {
                match selected(element, selector) {
                    Some(other) if other == key => group.push(element.clone()),
                    Some(_) => {}
                    // An action that looks for the key fails, whatever the group: all of the set matters.
                    None => return Some(value.clone()),
                }
            }
            match (group.is_empty(), value.as_set()) {
                (true, _) => None,
                (_, Some(_)) => Some(Value::set_of_sorted(group)),
                (_, None) => Some(Value::tuple(group)),
            }
        }
        CellStep::Any | CellStep::AnyGroup | CellStep::Like(_) => None,
    }
}

/// The part of an element that a selector names.
pub(crate) fn selected<'v>(element: &'v Value, selector: &[Value]) -> Option<&'v Value> {
    selector.iter().try_fold(element, |value, key| value.apply(key))
}

/// The elements of a keyed sequence in order of their keys; those with one key stay in their order.
pub(super) fn in_order_of_keys(mut elements: Vec<Value>, selector: &[Value]) -> Value {
    elements.sort_by(|left, right| selected(left, selector).cmp(&selected(right, selector)));
    Value::tuple(elements)
}

fn written(value: &Value, path: &[CellStep], left: &Left) -> Option<Value> {
    let Some((step, rest)) = path.split_first() else {
        return match left {
            Left::Replaced(left) | Left::Put(left) => Some(left.clone()),
            Left::Unknown | Left::Other | Left::Removed => None,
        };
    };
    match step {
        CellStep::At(key) => match value.index_of(key) {
            Some(index) if rest.is_empty() && *left == Left::Removed => {
                let others = entries(value)?.into_iter().enumerate();
                let others = others.filter(|(at, _)| *at != index).map(|(_, entry)| entry);
                Some(Value::function_of_sorted(others))
            }
            Some(index) => value.with_entry(index, written(value.part(index)?, rest, left)?),
            None => match left {
                Left::Put(left) if rest.is_empty() => {
                    let mut entries = entries(value)?;
                    let at = entries.partition_point(|(other, _)| other < key);
                    entries.insert(at, (key.clone(), left.clone()));
                    Some(Value::function_of_sorted(entries))
                }
                Left::Removed if rest.is_empty() => Some(value.clone()),
                _ => None,
            },
        },
        CellStep::Has(element) => {
            let elements = value.as_set()?;
            match (elements.binary_search(element), left) {
                (Ok(_), Left::Put(_)) | (Err(_), Left::Removed) => Some(value.clone()),
                (Err(_), Left::Put(_)) => Some(Value::union_of(elements, std::slice::from_ref(element))),
                (Ok(at), Left::Removed) => {
                    let others = elements[..at].iter().chain(&elements[at + 1..]);
                    Some(Value::set_of_sorted(others.cloned()))
                }
                _ => None,
            }
        }
        CellStep::Group(selector, key) => {
            let elements = value.as_set().or_else(|| value.as_tuple())?;
            if !elements
                .iter()
                .all(|element| selected(element, selector).is_some())
            {
                return None;
            }
            let others = elements
                .iter()
                .filter(|element| selected(element, selector) != Some(key));
            match (left, value.as_set()) {
                (Left::Put(group), Some(_)) => Some(Value::set(others.chain(group.as_set()?).cloned())),
                (Left::Removed, Some(_)) => Some(Value::set_of_sorted(others.cloned())),
                (Left::Put(group), None) => {
                    let all = others.chain(group.as_tuple()?).cloned();
                    Some(in_order_of_keys(all.collect(), selector))
                }
                (Left::Removed, None) => Some(Value::tuple(others.cloned())),
                _ => None,
            }
        }
        CellStep::Any | CellStep::AnyGroup | CellStep::Like(_) => None,
    }
}

/// The arguments and values of a function, in order.
fn entries(function: &Value) -> Option<Vec<(Value, Value)>> {
    match (function.as_entries(), function.as_tuple()) {
        (Some(entries), _) => Some(entries.to_vec()),
        (_, Some(elements)) => Some((1..).map(Value::int).zip(elements.iter().cloned()).collect()),
        _ => None,
    }
}

impl fmt::Display for CellStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(key) => match key.as_str() {
                Some(name) => write!(f, ".{name}"),
                None => write!(f, "[{key}]"),
            },
            Self::Any => f.write_str("[…]"),
            Self::AnyGroup => f.write_str("{…}"),
            Self::Like(partial) => {
                f.write_str("{")?;
                for (key, value) in partial.0.iter() {
                    match value {
                        Some(value) => write!(f, "[{key}] = {value} ")?,
                        None => write!(f, "[{key}] = … ")?,
                    }
                }
                f.write_str("}")
            }
            Self::Has(element) => write!(f, "{{{element}}}"),
            Self::Group(selector, key) => {
                f.write_str("{")?;
                selector.iter().try_for_each(|step| write!(f, "[{step}]"))?;
                write!(f, " = {key}}}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(path: impl IntoIterator<Item = CellStep>) -> Cell {
        Cell {
            variable: 0,
            path: path.into_iter().collect(),
        }
    }

    fn int(value: i64) -> Value {
        Value::int(value)
    }

    #[test]
    fn what_was_written_is_held() {
        let function = Value::function([(int(3), int(30)), (int(5), int(50))]).unwrap();
        let pairs = Value::set([(1, 10), (1, 11), (2, 20)].map(|(k, v)| Value::tuple([int(k), int(v)])));
        let first: Selector = [int(1)].into();
        let group = Value::set([Value::tuple([int(1), int(9)])]);
        let record = Value::record([("map", function.clone()), ("n", int(0))]);
        let of_map = [CellStep::At(Value::str("map")), CellStep::At(int(4))];
        let cases = [
            (&function, cell([CellStep::At(int(3))]), Left::Replaced(int(7))),
            (&function, cell([CellStep::At(int(4))]), Left::Put(int(7))),
            (&function, cell([CellStep::At(int(5))]), Left::Removed),
            (
                &pairs,
                cell([CellStep::Has(Value::tuple([int(2), int(20)]))]),
                Left::Removed,
            ),
            (
                &pairs,
                cell([CellStep::Has(Value::tuple([int(2), int(7)]))]),
                Left::Put(Value::bool(true)),
            ),
            (
                &pairs,
                cell([CellStep::Group(first.clone(), int(1))]),
                Left::Put(group),
            ),
            (&pairs, cell([CellStep::Group(first, int(1))]), Left::Removed),
            (&record, cell(of_map), Left::Put(int(7))),
        ];
        for (value, cell, left) in cases {
            let after = cell.written(value, &left).unwrap();
            assert_eq!(
                cell.held(&[after]).as_ref(),
                left.value().unwrap(),
                "{cell:?} {left:?}"
            );
        }
    }

    #[test]
    fn an_argument_outside_the_domain_is_not_replaced() {
        let function = Value::function([(int(3), int(30)), (int(5), int(50))]).unwrap();
        assert_eq!(
            cell([CellStep::At(int(4))]).written(&function, &Left::Replaced(int(1))),
            None
        );
    }

    #[test]
    fn an_element_of_which_parts_are_known_overlaps_those_that_it_may_be() {
        let like = |parts: &[(&str, Option<i64>)]| {
            let parts = parts.iter();
            let parts = parts.map(|(key, value)| (Value::str(key), value.map(Value::int)));
            cell([CellStep::Like(PartialElement(parts.collect()))])
        };
        let has = |element: Value| cell([CellStep::Has(element)]);
        let record = |a: i64, b: i64| Value::record([("a", int(a)), ("b", int(b))]);
        let partial = like(&[("a", Some(1)), ("b", None)]);
        assert!(partial.overlaps(&has(record(1, 7))) && has(record(1, 7)).overlaps(&partial));
        assert!(!partial.overlaps(&has(record(2, 7))) && !has(record(2, 7)).overlaps(&partial));
        for other in [
            int(1),
            Value::record([("a", int(1))]),
            Value::set([int(1), int(2)]),
            Value::tuple([int(1), int(2)]),
        ] {
            assert!(!partial.overlaps(&has(other.clone())), "{other}");
        }
        assert!(partial.overlaps(&like(&[("a", None), ("b", Some(2))])));
        assert!(!partial.overlaps(&like(&[("a", Some(2)), ("b", None)])));
        assert!(!partial.overlaps(&like(&[("a", Some(1)), ("c", None)])));
        assert!(!partial.overlaps(&like(&[("a", Some(1))])));
        assert!(partial.overlaps(&cell([CellStep::Any])) && partial.overlaps(&cell([])));
        assert!(!partial.is_known());
    }

    #[test]
    fn a_path_overlaps_what_it_leads_through() {
        let at = |key: i64| CellStep::At(int(key));
        assert!(cell([at(1), at(2)]).overlaps(&cell([at(1)])));
        assert!(cell([at(1), at(2)]).overlaps(&cell([CellStep::Any])));
        assert!(!cell([at(1), at(2)]).overlaps(&cell([at(2)])));
        assert!(cell([]).overlaps(&cell([at(2)])));
    }
}
