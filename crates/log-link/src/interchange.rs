//! Identities that are interchangeable: values that the spec does not tell apart.
//!
//! **The reduction.** Let `p` be a permutation of strings and model values that leaves every constant of the program as it is. The meaning
//! of every operator that is built from such constants, variables, bound names, logic, sets, functions, arithmetic and the native
//! operators that are marked so ([`Equivariance`]) commutes with `p`: by induction over the expression. So `s -> t` is a step exactly if `p(s) -> p(t)` is one, and an
//! invariant holds in `s` exactly if it holds in `p(s)`. If, in addition, `p` leaves every value in the remaining lines of the log as it is,
//! then the rest of the log is explained from `s` exactly if it is explained from `p(s)`. One of both states is enough.
//!
//! **Side conditions.** What breaks the induction switches the reduction off: CHOOSE, which prefers one value to another; native
//! operators that depend on the order or the text of values (`SetToSeq`, `ToString`, `FoldSet`, registers, random values). `Len`, `Tail`,
//! `\o` and `SubSeq` also look into strings: with one of them, only model values are interchangeable. An identity that is
//! mentioned in the remaining lines is not interchangeable there; mentions are found by name anywhere in a line, which is never too few:
//! a value that the link file's table of values produces is never interchangeable. A line whose formulas may look back also mentions what the
//! node's previous line does.
//!
//! The chosen representative sorts the identities by how they occur in the state. Identities that occur alike are left in their order:
//! states that could be merged may then stay apart, which costs time but is never wrong.

use std::collections::BTreeSet;

use omnilink_tla::eval::State;
use omnilink_tla::ir::native::Equivariance;
use omnilink_tla::ir::{Kind, Node, PathStep, Program};
use omnilink_value::{Value, ValueKind};
use rustc_hash::FxHashMap;

use crate::mutant::{Mutant, mutated};
use crate::value_type::Vocabulary;

/// Classes of identities that the spec does not tell apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interchange {
    classes: Vec<Vec<Value>>,
}

impl Interchange {
    /// The classes of a program.
    pub fn found(program: &Program, words: &Vocabulary) -> Self {
        let mut constants = Constants::default();
        for operator in &program.operators {
            constants.visit(&operator.body);
        }
        if constants.is_broken && !mutated(Mutant::InterchangeChosen) {
            return Self::default();
        }
        let is_identity = |value: &Value| match value.kind() {
            ValueKind::Str => !constants.reads_text || mutated(Mutant::InterchangeText),
            kind => kind == ValueKind::Model,
        };
        constants.values.extend(words.table.values().cloned());
        let mut identities: BTreeSet<Value> = BTreeSet::new();
        for constant in &constants.values {
            // Only elements of constant sets can be interchangeable: the specification can compare any other value.
            if let Some(elements) = constant.as_set() {
                identities.extend(elements.iter().filter(|element| is_identity(element)).cloned());
            }
        }
        let mut classes: Vec<Vec<Value>> = Vec::new();
        for identity in identities {
            // Being interchangeable is transitive, so one member of a class speaks for all.
            let class = classes.iter_mut().find(|class| {
                class[0].kind() == identity.kind() && constants.are_invariant_under(&class[0], &identity)
            });
            match class {
                Some(class) => class.push(identity),
                None => classes.push(vec![identity]),
            }
        }
        classes.retain(|class| class.len() > 1);
        Self { classes }
    }

    /// Whether nothing is interchangeable.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The names of all members, for finding where a log mentions them.
    pub fn members(&self) -> impl Iterator<Item = &Value> {
        self.classes.iter().flatten()
    }

    /// The classes without identities that are still mentioned. `is_free` is asked for each.
    pub fn free(&self, mut is_free: impl FnMut(&Value) -> bool) -> FreeClasses {
        let classes = self
            .classes
            .iter()
            .map(|class| {
                class
                    .iter()
                    .filter(|member| is_free(member))
                    .cloned()
                    .collect::<Vec<_>>()
            })
            .filter(|class| class.len() > 1)
            .collect();
        FreeClasses::new(classes)
    }
}

/// The name by which a log mentions an identity.
pub(crate) fn identity_name(identity: &Value) -> &str {
    identity
        .as_str()
        .or_else(|| identity.as_model())
        .unwrap_or_default()
}

/// What identities were renamed to: a permutation, without those that kept their names.
pub(crate) type Renaming = Box<[(Value, Value)]>;

/// A state with identities renamed: for each, what it is called and what it is to be called.
pub(crate) fn renamed_state(state: &State, names: &[(Value, Value)]) -> State {
    if names.is_empty() {
        return state.clone();
    }
    let pairs: Vec<(&Value, &Value)> = names.iter().map(|(from, to)| (from, to)).collect();
    let values = state
        .iter()
        .map(|value| rename(value, &pairs).unwrap_or_else(|| value.clone()));
    values.collect()
}

/// The state that a renaming was applied to.
pub(crate) fn undone(state: &State, renaming: &Renaming) -> State {
    let pairs: Vec<(&Value, &Value)> = renaming.iter().map(|(from, to)| (to, from)).collect();
    let values = state
        .iter()
        .map(|value| rename(value, &pairs).unwrap_or_else(|| value.clone()));
    values.collect()
}

/// Classes of identities that are interchangeable at one point of the log.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeClasses {
    classes: Vec<Vec<Value>>,
    /// For each member, its number among all members and its class.
    numbers: FxHashMap<Value, (u32, u32)>,
}

impl FreeClasses {
    pub fn new(classes: Vec<Vec<Value>>) -> Self {
        let members = (0u32..)
            .zip(&classes)
            .flat_map(|(class, members)| members.iter().map(move |member| (member, class)));
        let numbers = members
            .zip(0u32..)
            .map(|((member, class), number)| (member.clone(), (number, class)));
        Self {
            numbers: numbers.collect(),
            classes,
        }
    }

    /// The representative of a state, and what was renamed; `None` if it is the state itself.
    pub fn representative(&self, state: &State) -> Option<(State, Renaming)> {
        if self.classes.is_empty() {
            return None;
        }
        let mut signatures = vec![0u64; self.numbers.len()];
        for (position, value) in (1u64..).zip(state.iter()) {
            self.sign(value, mixed(position, 0x51), &mut signatures);
        }
        let mut pairs: Vec<(&Value, &Value)> = Vec::new();
        let mut number = 0;
        for class in &self.classes {
            let own = &signatures[number..number + class.len()];
            number += class.len();
            let mut sorted: Vec<(u64, &Value)> = own.iter().copied().zip(class).collect();
            sorted.sort_by_key(|(signature, _)| *signature);
            pairs.extend(
                sorted
                    .iter()
                    .map(|(_, from)| *from)
                    .zip(class)
                    .filter(|(from, to)| from != to),
            );
        }
        if pairs.is_empty() {
            return None;
        }
        let mut is_changed = false;
        let values: Vec<Value> = state
            .iter()
            .map(|value| {
                rename(value, &pairs).map_or_else(
                    || value.clone(),
                    |value| {
                        is_changed = true;
                        value
                    },
                )
            })
            .collect();
        is_changed.then(|| {
            let renaming = pairs.into_iter().map(|(from, to)| (from.clone(), to.clone()));
            (values.into(), renaming.collect())
        })
    }

    /// Adds to the signature of every member in a value where it occurs: the way to it and what stands beside it, without names of members.
    /// Sums do not depend on an order of elements, which names would decide.
    fn sign(&self, value: &Value, way: u64, signatures: &mut [u64]) {
        match value.kind() {
            ValueKind::Bool | ValueKind::Int => {}
            ValueKind::Str | ValueKind::Model => {
                if let Some((number, _)) = self.numbers.get(value) {
                    let signature = &mut signatures[*number as usize];
                    *signature = signature.wrapping_add(mixed(way, 0x11));
                }
            }
            ValueKind::Set => {
                for element in value.as_set().unwrap_or_default() {
                    self.sign(element, mixed(way, self.nameless(element)), signatures);
                }
            }
            ValueKind::Tuple => {
                for (at, element) in (1u64..).zip(value.as_tuple().unwrap_or_default()) {
                    self.sign(element, mixed(way, at), signatures);
                }
            }
            ValueKind::Record | ValueKind::Function => {
                for (key, value) in value.as_entries().unwrap_or_default() {
                    self.sign(key, mixed(way ^ 0x21, self.nameless(value)), signatures);
                    self.sign(value, mixed(way ^ 0x22, self.nameless(key)), signatures);
                }
            }
        }
    }

    /// The hash of a value without the names of members: all members of a class count as one.
    fn nameless(&self, value: &Value) -> u64 {
        let sum = |parts: &mut dyn Iterator<Item = u64>, kind: u64| {
            mixed(kind, parts.fold(kind, u64::wrapping_add))
        };
        match value.kind() {
            ValueKind::Bool | ValueKind::Int => value.hash64(),
            ValueKind::Str | ValueKind::Model => match self.numbers.get(value) {
                Some((_, class)) => mixed(0x5eed, u64::from(*class)),
                None => value.hash64(),
            },
            ValueKind::Set => {
                let elements = value.as_set().unwrap_or_default().iter();
                sum(&mut elements.map(|one| mixed(7, self.nameless(one))), 3)
            }
            ValueKind::Tuple => {
                let elements = (1u64..).zip(value.as_tuple().unwrap_or_default());
                sum(&mut elements.map(|(at, one)| mixed(at, self.nameless(one))), 4)
            }
            ValueKind::Record | ValueKind::Function => {
                let entries = value.as_entries().unwrap_or_default().iter();
                sum(
                    &mut entries.map(|(key, value)| mixed(self.nameless(key), self.nameless(value))),
                    5,
                )
            }
        }
    }
}

fn mixed(left: u64, right: u64) -> u64 {
    let word = left.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ right.rotate_left(29);
    let word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    word ^ (word >> 32)
}

/// A value with identities renamed; `None` if it contains none of them.
fn rename(value: &Value, pairs: &[(&Value, &Value)]) -> Option<Value> {
    match value.kind() {
        ValueKind::Bool | ValueKind::Int => None,
        ValueKind::Str | ValueKind::Model => {
            let (_, to) = pairs.iter().find(|(from, _)| *from == value)?;
            Some((*to).clone())
        }
        ValueKind::Set => rename_all(value.as_set()?, pairs).map(Value::set),
        ValueKind::Tuple => rename_all(value.as_tuple()?, pairs).map(Value::tuple),
        ValueKind::Record | ValueKind::Function => {
            let mut is_changed = false;
            let mut renamed = |value: &Value| match rename(value, pairs) {
                Some(value) => {
                    is_changed = true;
                    value
                }
                None => value.clone(),
            };
            let entries: Vec<(Value, Value)> = value
                .as_entries()?
                .iter()
                .map(|(key, value)| (renamed(key), renamed(value)))
                .collect();
            // A permutation is injective, so no two keys become equal.
            if is_changed {
                Value::function(entries).ok()
            } else {
                None
            }
        }
    }
}

fn rename_all(elements: &[Value], pairs: &[(&Value, &Value)]) -> Option<Vec<Value>> {
    let renamed: Vec<Option<Value>> = elements.iter().map(|element| rename(element, pairs)).collect();
    if renamed.iter().all(Option::is_none) {
        return None;
    }
    let both = renamed.into_iter().zip(elements);
    Some(
        both.map(|(new, old)| new.unwrap_or_else(|| old.clone()))
            .collect(),
    )
}

/// The constants of a program.
#[derive(Debug, Default)]
struct Constants {
    values: Vec<Value>,
    /// Whether something is there that does not commute with permutations.
    is_broken: bool,
    /// Whether something is there that looks into strings.
    reads_text: bool,
}

impl Constants {
    fn visit(&mut self, node: &Node) {
        match &node.kind {
            Kind::Const(value) => self.values.push(value.clone()),
            // A set of constants is one constant: its elements may be exchanged.
            Kind::SetEnum(elements) if elements.iter().all(|one| matches!(one.kind, Kind::Const(_))) => {
                let elements = elements.iter().filter_map(|one| match &one.kind {
                    Kind::Const(value) => Some(value.clone()),
                    _ => None,
                });
                self.values.push(Value::set(elements));
                return;
            }
            Kind::Choose(_) => self.is_broken = true,
            Kind::Native(native, _) => {
                let equivariance = native.signature().equivariance;
                self.is_broken |= equivariance == Equivariance::None;
                self.reads_text |= equivariance == Equivariance::ModelValues;
            }
            Kind::Record(shape, _) => self.values.extend(shape.names().iter().cloned()),
            Kind::RecordSet(fields) => self.values.extend(fields.iter().map(|(name, _)| name.clone())),
            Kind::Path(_, steps) => self.fields(steps),
            Kind::Except(_, updates) => updates.iter().for_each(|update| self.fields(&update.path)),
            _ => {}
        }
        node.kind.for_each_child(|child| self.visit(child));
    }

    fn fields(&mut self, steps: &[PathStep]) {
        for step in steps {
            if let PathStep::Field(field) = step {
                self.values.push(field.name.clone());
            }
        }
    }

    /// Whether every constant stays as it is when two values are exchanged.
    fn are_invariant_under(&self, one: &Value, other: &Value) -> bool {
        if mutated(Mutant::InterchangeConstants) {
            return true;
        }
        let pairs = [(one, other), (other, one)];
        self.values
            .iter()
            .all(|constant| rename(constant, &pairs).is_none_or(|renamed| renamed == *constant))
    }
}
