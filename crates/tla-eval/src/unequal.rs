//! Equations that are false for all elements: `msgs' = msgs \cup {[from |-> i, range |-> <<b, e>>]}`, where the step has added a message from
//! another server, is false whatever `b` and `e` are.
//!
//! As compiled code finds it: the expression on one side is taken apart as far as what it is made of can be found in the value of the other
//! side. A part that does not mention the bound names and has another value decides.

use omnilink_tla_ir::native::MODULES;
use omnilink_tla_ir::{Argument, Kind, Node, PathStep, Two};
use omnilink_value::Value;

use super::datum::Datum;
use super::evaluator::Evaluator;
use super::refutation::DependentSlots;
use super::slot::Slot;

impl<'p> Evaluator<'p> {
    /// Whether two expressions, of which one does not mention the bound names, differ for all elements.
    pub(crate) fn is_false_for_all(&mut self, parts: &'p Two, dependent: &mut DependentSlots) -> bool {
        let (fixed, built) = match self.depends(&parts.0, dependent) {
            false => (&parts.0, &parts.1),
            true => (&parts.1, &parts.0),
        };
        match self.fixed(fixed, dependent) {
            Some(value) => self.is_unequal(&value, built, dependent),
            None => false,
        }
    }

    /// The value of an expression that does not mention the bound names.
    fn fixed(&mut self, node: &'p Node, dependent: &DependentSlots) -> Option<Value> {
        let uses = node.uses;
        let is_unknown = uses.impure || uses.opaque || uses.unfinished || (uses.next && self.unassigned > 0);
        if is_unknown || self.depends(node, dependent) {
            return None;
        }
        match self.eval(node) {
            Ok(Datum::Value(value)) => Some(value),
            _ => None,
        }
    }

    fn is_unequal(&mut self, value: &Value, node: &'p Node, dependent: &mut DependentSlots) -> bool {
        if let Some(own) = self.fixed(node, dependent) {
            let equal = self.equal(&Datum::Value(value.clone()), &Datum::Value(own));
            return equal.is_ok_and(|equal| !equal);
        }
        match &node.kind {
            Kind::Record(shape, fields) => shape.names().iter().zip(fields).any(|(name, field)| {
                value
                    .apply(name)
                    .is_some_and(|part| self.is_unequal(part, field, dependent))
            }),
            Kind::Tuple(parts) => value.as_tuple().is_some_and(|own| {
                own.len() == parts.len()
                    && own
                        .iter()
                        .zip(parts)
                        .any(|(own, part)| self.is_unequal(own, part, dependent))
            }),
            Kind::Union(parts) => match (&parts.1.kind, self.fixed(&parts.0, dependent)) {
                (Kind::SetEnum(elements), Some(before)) if elements.len() == 1 => {
                    let added = set_added(&before, value);
                    self.is_other(added, &elements[0], dependent)
                }
                _ => false,
            },
            Kind::Native(native, arguments) => {
                let (module, operator) = native.position();
                let [Some(before), Some(last)] = [0, 1].map(|at| arguments.get(at).and_then(Argument::node))
                else {
                    return false;
                };
                let Some(before) = self.fixed(before, dependent) else {
                    return false;
                };
                match (MODULES[module].0, MODULES[module].1[operator].name) {
                    ("Sequences", "Append") => self.is_other(sequence_added(&before, value), last, dependent),
                    ("Bags", "(+)") => match only_copy(last) {
                        Some(copy) => self.is_other(bag_added(&before, value), copy, dependent),
                        None => false,
                    },
                    _ => false,
                }
            }
            Kind::Except(function, updates) => {
                let ([update], Some(before)) = (&**updates, self.fixed(function, dependent)) else {
                    return false;
                };
                let (mut old, mut new) = (&before, value);
                for step in &update.path {
                    let key = match step {
                        PathStep::Field(field) => Some(field.name.clone()),
                        PathStep::Index(index) => self.fixed(index, dependent),
                    };
                    let Some((inner, own)) = key.and_then(|key| Some((old.apply(&key)?, new.apply(&key)?)))
                    else {
                        return false;
                    };
                    (old, new) = (inner, own);
                }
                let at = self.base + update.at_slot as usize;
                let saved = std::mem::replace(&mut self.slots[at], Slot::Datum(Datum::Value(old.clone())));
                let is_unequal = self.is_unequal(new, &update.value, dependent);
                self.slots[at] = saved;
                is_unequal
            }
            Kind::Once(_, inner) | Kind::Memo(_, inner) => self.is_unequal(value, inner, dependent),
            Kind::Call(call) => self
                .in_body(call, dependent, |this, body, dependent| {
                    this.is_unequal(value, body, dependent)
                })
                .unwrap_or(false),
            Kind::Local(slot) if !self.primed => {
                let (inner, base) = match self.slot(*slot) {
                    Slot::Thunk { node, base, .. } => (*node, *base),
                    Slot::Shared(shared) => (shared.node, shared.base),
                    _ => return false,
                };
                let saved = std::mem::replace(&mut self.base, base as usize);
                let is_unequal = self.is_unequal(value, inner, dependent);
                self.base = saved;
                is_unequal
            }
            _ => false,
        }
    }

    /// Whether a collection has grown by another element than this one, or not by one. Nothing is known where it has not changed.
    fn is_other(&mut self, added: Growth<'_>, node: &'p Node, dependent: &mut DependentSlots) -> bool {
        match added {
            Growth::By(element) => self.is_unequal(element, node, dependent),
            Growth::Otherwise => true,
            Growth::Unknown => false,
        }
    }
}

/// How a collection has changed.
enum Growth<'v> {
    By(&'v Value),
    /// Not by one element.
    Otherwise,
    Unknown,
}

fn set_added<'v>(before: &Value, after: &'v Value) -> Growth<'v> {
    let (Some(old), Some(new)) = (before.as_set(), after.as_set()) else {
        return Growth::Unknown;
    };
    if old == new {
        return Growth::Unknown;
    }
    let at = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    match new.len() == old.len() + 1 && old[at..] == new[at + 1..] {
        true => Growth::By(&new[at]),
        false => Growth::Otherwise,
    }
}

fn sequence_added<'v>(before: &Value, after: &'v Value) -> Growth<'v> {
    match (before.as_tuple(), after.as_tuple().map(<[Value]>::split_last)) {
        (Some(old), Some(Some((last, front)))) if front == old => Growth::By(last),
        (Some(_), Some(_)) => Growth::Otherwise,
        _ => Growth::Unknown,
    }
}

/// The element of which a bag has one more copy.
fn bag_added<'v>(before: &Value, after: &'v Value) -> Growth<'v> {
    let Some(new) = after.as_entries() else {
        return Growth::Unknown;
    };
    let old = match (before.as_entries(), before.as_tuple()) {
        (Some(old), _) => old,
        (None, Some([])) => &[],
        _ => return Growth::Unknown,
    };
    if old.iter().chain(new).any(|(_, copies)| copies.as_int().is_none()) {
        return Growth::Unknown;
    }
    let at = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let Some((element, copies)) = new.get(at) else {
        return Growth::Otherwise;
    };
    let is_grown = match old.get(at) {
        Some((known, before)) if known == element => {
            before.as_int().map(|before| before + 1) == copies.as_int() && old[at + 1..] == new[at + 1..]
        }
        _ => copies.as_int() == Some(1) && old[at..] == new[at + 1..],
    };
    match is_grown {
        true => Growth::By(element),
        false => Growth::Otherwise,
    }
}

/// `x` of `SetToBag({x})`.
fn only_copy(node: &Node) -> Option<&Node> {
    let Kind::Native(native, arguments) = &node.kind else {
        return None;
    };
    let (module, operator) = native.position();
    let is_bag = (MODULES[module].0, MODULES[module].1[operator].name) == ("Bags", "SetToBag");
    match &arguments
        .first()
        .and_then(Argument::node)
        .filter(|_| is_bag)?
        .kind
    {
        Kind::SetEnum(elements) if elements.len() == 1 => elements.first(),
        _ => None,
    }
}
