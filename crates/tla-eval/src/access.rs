//! Access to variables and to parts of values along a path.

use omnilink_tla_ir::{Kind, Node, PathStep};
use omnilink_value::{Value, ValueKind};
use smallvec::SmallVec;

use super::datum::Datum;
use super::equality::kind_words;
use super::error::{ErrorClass, Failure, Outcome, domain_error, type_error};
use super::evaluator::Evaluator;
use super::function::apply_value;
use super::slot::Slot;

impl<'p> Evaluator<'p> {
    #[inline]
    pub(crate) fn variable(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        if self.primed {
            return self.next_value(slot);
        }
        if self.is_logging {
            self.log_variable(slot);
        }
        match self.state.get(slot as usize) {
            Some(value) => Ok(Datum::Value(value.clone())),
            None => Err(self.unassigned(slot, "")),
        }
    }

    #[inline]
    pub(crate) fn next_variable(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        if self.primed {
            return Err(type_error("a prime inside a prime has no meaning"));
        }
        self.next_value(slot)
    }

    #[inline]
    fn next_value(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        if self.is_logging {
            self.log_next_variable(slot);
        }
        match self.assigned_next(slot) {
            Some(value) => Ok(Datum::Value(value.clone())),
            None => Err(self.unassigned(slot, "'")),
        }
    }

    /// The next value of a variable, if it is assigned.
    #[inline]
    pub(crate) fn assigned_next(&self, slot: u32) -> Option<&Value> {
        match self.is_assigned.get(slot as usize) {
            Some(true) => self.next.get(slot as usize),
            _ => None,
        }
    }

    pub(crate) fn unassigned(&self, slot: u32, prime: &str) -> Box<Failure> {
        let name = self.program.variables.get(slot as usize).map_or("", |name| name);
        // Initial states are computed as next states, but their variables have no prime in the source.
        let prime = if self.state.is_empty() { "" } else { prime };
        Failure::new(
            ErrorClass::Unassigned,
            format!("{name}{prime} is used before it has a value"),
        )
    }

    /// A reference to the value of a node, if it is available without evaluation. Paths are followed by reference; where one ends,
    /// evaluation reports the error.
    #[inline]
    pub(crate) fn peek(&self, node: &'p Node) -> Option<&Value> {
        if self.is_logging {
            return None;
        }
        match &node.kind {
            Kind::Path(root, steps) => {
                let mut value = self.peek(root)?;
                for step in steps {
                    value = match step {
                        PathStep::Field(field) => field.of(value)?,
                        PathStep::Index(index) => value.apply(self.peek(index)?)?,
                    };
                }
                Some(value)
            }
            Kind::Const(value) => Some(value),
            Kind::Var(slot) if !self.primed => self.state.get(*slot as usize),
            Kind::Next(slot) if !self.primed => self.assigned_next(*slot),
            Kind::Local(slot) => match self.slot(*slot) {
                Slot::Datum(Datum::Value(value)) => Some(value),
                Slot::Thunk {
                    value: Some(Datum::Value(value)),
                    ..
                } if !self.primed => Some(value),
                _ => None,
            },
            Kind::Once(cell, _) => self.once[*cell as usize].as_ref()?.as_value(),
            Kind::PerState(cell, _) if !self.primed => match &self.per_state[*cell as usize] {
                (generation, Some(Datum::Value(value))) if *generation == self.generation => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The keys of a path; `None` if one of them is not canonical.
    #[inline(never)]
    pub(crate) fn keys(&mut self, steps: &'p [PathStep]) -> Outcome<Option<SmallVec<[Value; 2]>>> {
        let mut keys = SmallVec::new();
        for step in steps {
            if let PathStep::Index(index) = step {
                match self.eval(index)? {
                    Datum::Value(key) => keys.push(key),
                    Datum::Lazy(_) => return Ok(None),
                }
            }
        }
        Ok(Some(keys))
    }

    /// `f[x].a[y]`: evaluates the keys, then follows the path by reference, and copies only the value at its end.
    #[inline(never)]
    pub(crate) fn path(
        &mut self,
        node: &'p Node,
        root: &'p Node,
        steps: &'p [PathStep],
    ) -> Outcome<Datum<'p>> {
        if let Some(value) = self.peek(node) {
            return Ok(Datum::Value(value.clone()));
        }
        if self.is_logging
            && let Some(place) = self.as_read(node)?
            && let Some(value) = self.read(place)
        {
            return Ok(Datum::Value(value));
        }
        if let Some(keys) = self.keys(steps)? {
            let found = match self.peek(root) {
                Some(start) => walk(start, steps, &keys).cloned(),
                None => match self.eval(root)? {
                    Datum::Value(start) => walk(&start, steps, &keys).cloned(),
                    lazy => {
                        return self
                            .path_of_lazy(lazy, steps)
                            .map_err(|failure| failure.at(node.at));
                    }
                },
            };
            return found.map(Datum::Value).map_err(|failure| failure.at(node.at));
        }
        let start = self.eval(root)?;
        self.path_of_lazy(start, steps)
            .map_err(|failure| failure.at(node.at))
    }

    #[inline(never)]
    fn path_of_lazy(&mut self, start: Datum<'p>, steps: &'p [PathStep]) -> Outcome<Datum<'p>> {
        let mut datum = start;
        for step in steps {
            let key = match step {
                PathStep::Field(field) => Datum::Value(field.name.clone()),
                PathStep::Index(index) => self.eval(index)?,
            };
            datum = self.apply(&datum, &key)?;
        }
        Ok(datum)
    }
}

/// Follows a path from a value.
#[inline]
fn walk<'v>(value: &'v Value, steps: &[PathStep], keys: &[Value]) -> Outcome<&'v Value> {
    let mut keys = keys.iter();
    let mut value = value;
    for step in steps {
        value = match step {
            PathStep::Field(field) => match field.of(value) {
                Some(found) => found,
                None => return Err(no_field(value, &field.name)),
            },
            PathStep::Index(_) => match keys.next() {
                Some(key) => apply_value(value, key)?,
                None => return Err(type_error("a set is used as an argument of a function")),
            },
        };
    }
    Ok(value)
}

fn no_field(value: &Value, name: &Value) -> Box<Failure> {
    let text = name.as_str().unwrap_or_default();
    match value.kind() {
        ValueKind::Record => domain_error(format!("{value} has no field {text}")),
        ValueKind::Tuple | ValueKind::Function => match apply_value(value, name) {
            Err(failure) => failure,
            Ok(_) => domain_error(format!("\"{text}\" is not in the domain of {value}")),
        },
        _ => type_error(format!(
            "{value} is {}, so it has no field {text}",
            kind_words(value)
        )),
    }
}
