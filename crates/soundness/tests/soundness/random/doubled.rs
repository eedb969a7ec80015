//! Specifications that say the same in two places: a number for each key and a set of keys, two functions, two fields of a record.
//!
//! What one place says then follows from what the other one says, unless an operation writes only one of them, or writes them for
//! different keys.

use fastrand::Rng;

use super::maker::Maker;
use super::shape::Shape;
use crate::oracle::action::Act;
use crate::oracle::helper::Helper;
use crate::oracle::term::{
    Binder, Infix, Step, Term, at, bind, call, either, equal, field, infix, int, name,
};

/// A place that says something about each key.
#[derive(Clone)]
struct KeyedPlace {
    variable: usize,
    /// The field of the record of each key.
    field: Option<&'static str>,
    shape: Shape,
}

/// The shapes of the variables of such a specification.
pub fn doubled_shapes(rng: &mut Rng) -> Vec<Shape> {
    let numbers = || Shape::function(Shape::Number);
    match rng.u32(..6) {
        0 => vec![Shape::function(Shape::Record(vec![
            ("a", Shape::Tag),
            ("b", Shape::Number),
        ]))],
        1 => vec![Shape::function(Shape::Record(vec![
            ("a", Shape::Number),
            ("b", Shape::Number),
        ]))],
        2 => vec![Shape::Partial, numbers()],
        3 => vec![numbers(), numbers()],
        _ => vec![numbers(), Shape::Set],
    }
}

impl Maker<'_> {
    fn places(&self) -> Vec<KeyedPlace> {
        let mut places = Vec::new();
        for (variable, shape) in self.variables.iter().enumerate() {
            let fields = match shape {
                Shape::Function(of) => match &**of {
                    Shape::Record(fields) => fields.as_slice(),
                    _ => &[],
                },
                _ => &[],
            };
            let of_fields = fields.iter().map(|(name, shape)| KeyedPlace {
                variable,
                field: Some(*name),
                shape: shape.clone(),
            });
            places.extend(of_fields);
            if fields.is_empty() {
                places.push(KeyedPlace {
                    variable,
                    field: None,
                    shape: shape.clone(),
                });
            }
        }
        places
    }

    fn given_key(&mut self) -> Term {
        let names = self.key_names.clone();
        name(&self.one_of(&names))
    }

    /// What a place says about a key.
    fn said(&mut self, place: &KeyedPlace, key: &Term) -> Term {
        let variable = Term::Var(place.variable);
        let sign = self.one_of(&[Infix::Equal, Infix::Equal, Infix::Unequal]);
        let value = if self.rarely(2) {
            self.plain()
        } else {
            int(self.below(3) as i64)
        };
        match (&place.shape, place.field) {
            (Shape::Tag, Some(of)) => infix(sign, field(at(variable, key.clone()), of), self.tag()),
            (_, Some(of)) => infix(sign, field(at(variable, key.clone()), of), value),
            (Shape::Set, _) => infix(
                self.one_of(&[Infix::In, Infix::In, Infix::NotIn]),
                key.clone(),
                variable,
            ),
            (Shape::Partial, _) if self.rarely(2) => {
                infix(Infix::In, key.clone(), call(Helper::Domain, [variable]))
            }
            (Shape::Partial, _) => infix(sign, call(Helper::Get, [variable, key.clone()]), value),
            _ => infix(sign, at(variable, key.clone()), value),
        }
    }

    /// A condition on what both places say about a key.
    pub fn said_twice(&mut self) -> Term {
        let (mut places, key) = (self.places(), self.given_key());
        let first = self.below(places.len());
        places.swap(0, first);
        let (one, other) = (self.said(&places[0], &key), self.said(&places[1], &key));
        match self.below(9) {
            // What the other place says follows from the first, in one branch.
            0..3 => {
                let no = if self.rarely(3) {
                    Term::Bool(self.rarely(2))
                } else {
                    self.said(&places[0], &key)
                };
                either(one, other, no)
            }
            3 => infix(self.one_of(&[Infix::And, Infix::Or, Infix::Implies]), one, other),
            4 => {
                let is_one = equal(self.plain(), int(1));
                infix(Infix::Iff, is_one, either(one, other, Term::Bool(false)))
            }
            // One place has the key, and the other one says something about it.
            5 | 6 => {
                let bound = self.fresh();
                let said = self.said(&places[1], &name(&bound));
                let elements = match &places[0].shape {
                    Shape::Set => Term::Var(places[0].variable),
                    Shape::Partial => call(Helper::Domain, [Term::Var(places[0].variable)]),
                    _ => self.all_keys(),
                };
                let is_key = equal(name(&bound), key);
                let test = infix(Infix::And, is_key, said);
                let binder = self.one_of(&[Binder::Exists, Binder::Exists, Binder::ForAll]);
                bind(binder, &bound, elements, test)
            }
            // How many keys have one of two properties, of which one is known.
            7 => {
                let bound = self.fresh();
                let said = self.said(&places[0], &name(&bound));
                let sign = self.one_of(&[Infix::Equal, Infix::AtMost, Infix::Unequal]);
                let joins = self.one_of(&[Infix::And, Infix::Or]);
                let test = infix(joins, infix(sign, name(&bound), key), said);
                let keys = bind(Binder::Filter, &bound, self.all_keys(), test);
                equal(call(Helper::Cardinality, [keys]), self.plain())
            }
            _ => one,
        }
    }

    /// An action that writes both places for a key, or takes back what they say. Now and then it forgets one of them, or writes it for
    /// another key.
    pub fn doubled_writer(&mut self, puts: bool) -> Act {
        let mut parts = Vec::new();
        if self.rarely(4) {
            parts.push(Act::Holds(self.said_twice()));
        }
        let places = self.places();
        let names: Vec<Term> = self.key_names.iter().map(|one| name(one)).collect();
        let untidy = match (names.len() > 1, self.below(12)) {
            (true, 0..4) => Some((self.below(places.len()), 1 + self.below(2))),
            (_, 0 | 1) => Some((self.below(places.len()), 3 * self.below(2))),
            _ => None,
        };
        let mut written: Vec<(KeyedPlace, Vec<Term>, bool)> = Vec::new();
        for (number, place) in places.into_iter().enumerate() {
            match untidy.filter(|(of, _)| *of == number) {
                Some((_, 0)) => {}
                Some((_, 1)) => written.push((place, names[names.len() - 1..].to_vec(), puts)),
                Some((_, 2)) => written.push((place, names.clone(), puts)),
                Some(_) => written.push((place, names[..1].to_vec(), !puts)),
                None => written.push((place, names[..1].to_vec(), puts)),
            }
        }
        for variable in 0..self.variables.len() {
            let here: Vec<_> = written
                .iter()
                .filter(|(place, ..)| place.variable == variable)
                .cloned()
                .collect();
            parts.push(if here.is_empty() {
                Act::Unchanged(vec![variable])
            } else {
                Act::Becomes(variable, self.written_twice(variable, here))
            });
        }
        Act::All(parts)
    }

    /// The next value of a variable of which places say something else about some keys.
    fn written_twice(&mut self, variable: usize, written: Vec<(KeyedPlace, Vec<Term>, bool)>) -> Term {
        let old = Term::Var(variable);
        let (_, keys, puts) = written[0].clone();
        let value = self.value_put(puts);
        match self.variables[variable].clone() {
            Shape::Set if puts => infix(Infix::Union, old, Term::Set(keys)),
            Shape::Set => infix(Infix::Without, old, Term::Set(keys)),
            Shape::Partial if puts => keys.into_iter().fold(old, |old, key| {
                infix(Infix::Merge, infix(Infix::Maps, key, value.clone()), old)
            }),
            Shape::Partial => {
                let (bound, domain) = (self.fresh(), call(Helper::Domain, [old.clone()]));
                let rest = infix(Infix::Without, domain, Term::Set(keys));
                let same = at(old, name(&bound));
                bind(Binder::Function, &bound, rest, same)
            }
            _ => {
                let mut changes = Vec::new();
                for (place, keys, puts) in written {
                    let new = match place.shape {
                        Shape::Tag => Term::Text(if puts { "b" } else { "a" }),
                        _ => self.value_put(puts),
                    };
                    for key in keys {
                        let mut path = vec![Step::Key(key)];
                        path.extend(place.field.map(Step::Field));
                        changes.push((path, new.clone()));
                    }
                }
                Term::Except(Box::new(old), changes)
            }
        }
    }

    fn value_put(&mut self, puts: bool) -> Term {
        match (puts, self.rarely(2)) {
            (true, true) => self.plain(),
            (true, false) => int(1 + self.below(2) as i64),
            (false, _) => int(0),
        }
    }

    /// An action that looks at both places.
    pub fn doubled_reader(&mut self) -> Act {
        let mut parts = vec![Act::Holds(self.said_twice())];
        if self.rarely(3) {
            parts.push(Act::Holds(self.said_twice()));
        }
        if self.rarely(2) {
            parts.push(Act::Unchanged((0..self.variables.len()).collect()))
        } else {
            let (mut places, key) = (self.places(), self.given_key());
            let first = self.below(places.len());
            places.swap(0, first);
            parts.push(Act::Holds(self.said(&places[0], &key)));
            let condition = self.said(&places[1], &key);
            let sides = [true, false].map(|puts| self.doubled_writer(puts));
            parts.push(Act::If(condition, Box::new(sides)));
        }
        Act::All(parts)
    }
}
