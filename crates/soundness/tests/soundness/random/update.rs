//! Random next values.

use super::maker::Maker;
use super::shape::Shape;
use crate::oracle::helper::Helper;
use crate::oracle::term::{
    Argument, Binder, Infix, Step, Term, at, bind, call, either, equal, field, infix, int, name,
};

/// Sequences do not get longer.
const LENGTH_MAX: i64 = 3;

impl Maker<'_> {
    /// A value of a shape that says nothing about what was there.
    pub fn fresh_value(&mut self, shape: &Shape, depth: usize) -> Term {
        match shape {
            Shape::Number => self.number(depth),
            Shape::Tag => self.tag(),
            Shape::Function(of) => {
                let bound = self.fresh();
                let set = self.all_keys();
                let body = self.with_key(&bound, |maker| maker.fresh_value(of, depth));
                bind(Binder::Function, &bound, set, body)
            }
            Shape::Record(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, shape)| (*name, self.fresh_value(shape, depth)));
                Term::Record(fields.collect())
            }
            Shape::Partial => infix(Infix::Maps, self.key(), self.number(depth)),
            Shape::Set => Term::Set(vec![self.number(depth)]),
            Shape::Pairs => Term::Set(vec![self.pair(depth)]),
            Shape::Records => Term::Set(vec![self.record(depth)]),
            Shape::Sequence => Term::Tuple(vec![self.number(depth)]),
            Shape::PairSequence => Term::Tuple(vec![self.pair(depth)]),
        }
    }

    fn pair(&mut self, depth: usize) -> Term {
        Term::Tuple(vec![self.key(), self.number(depth)])
    }

    fn record(&mut self, depth: usize) -> Term {
        let (key, tag, number) = (self.key(), self.tag(), self.number(depth));
        Term::Record(vec![("key", key), ("tag", tag), ("val", number)])
    }

    /// What becomes of a value of a shape.
    pub fn update(&mut self, place: Term, shape: &Shape, depth: usize) -> Term {
        let q = self.fresh();
        // An EXCEPT inside an EXCEPT has an `@` of its own.
        if place == Term::Held && matches!(shape, Shape::Function(_) | Shape::Record(_)) {
            return self.fresh_value(shape, 0);
        }
        if depth > 0 && self.rarely(6) {
            let condition = self.condition(1);
            let (yes, no) = (
                self.update(place.clone(), shape, depth - 1),
                self.update(place.clone(), shape, 0),
            );
            let no = if self.rarely(2) { place } else { no };
            return either(condition, yes, no);
        }
        let (key, number) = (self.key(), self.number(depth));
        match shape {
            Shape::Number => match self.below(4) {
                0 => infix(Infix::Mod, infix(Infix::Plus, place, int(1)), int(3)),
                1 => call(Helper::Mod, [infix(Infix::Plus, place, number)]),
                _ => number,
            },
            Shape::Tag => self.tag(),
            Shape::Function(of) => self.function_update(place, of, depth),
            Shape::Record(fields) => {
                let (name, inner) = self.one_of(fields);
                match self.below(4) {
                    0 => {
                        let new = self.update(field(place.clone(), name), &inner, 0);
                        let parts = fields.iter().map(|(other, _)| {
                            if *other == name {
                                (*other, new.clone())
                            } else {
                                (*other, field(place.clone(), other))
                            }
                        });
                        Term::Record(parts.collect())
                    }
                    1 if fields.len() > 1 => {
                        let changes = fields.iter().map(|(name, inner)| {
                            let new = self.update(field(place.clone(), name), inner, 0);
                            (vec![Step::Field(name)], new)
                        });
                        let changes = changes.collect();
                        Term::Except(Box::new(place), changes)
                    }
                    _ => self.except(place, vec![Step::Field(name)], &inner, depth),
                }
            }
            Shape::Partial => self.partial_update(place, key, number),
            Shape::Set => match self.below(6) {
                0 => infix(Infix::Without, place, Term::Set(vec![key])),
                1 => bind(Binder::Filter, &q, place, infix(Infix::Unequal, name(&q), number)),
                2 => {
                    let rest = infix(Infix::Without, place, Term::Set(vec![key]));
                    infix(Infix::Union, rest, Term::Set(vec![number]))
                }
                3 => infix(Infix::Intersect, place, Term::Set(vec![int(0), key])),
                4 => infix(Infix::Union, place, Term::Set(vec![key])),
                _ => infix(Infix::Union, place, Term::Set(vec![number])),
            },
            Shape::Pairs | Shape::Records => {
                let is_pair = *shape == Shape::Pairs;
                let (part, value) = if is_pair {
                    (at(name(&q), int(1)), at(name(&q), int(2)))
                } else {
                    (field(name(&q), "key"), field(name(&q), "val"))
                };
                let new = if is_pair {
                    Term::Tuple(vec![key.clone(), number.clone()])
                } else {
                    Term::Record(vec![
                        ("key", key.clone()),
                        ("tag", self.tag()),
                        ("val", number.clone()),
                    ])
                };
                let others = bind(
                    Binder::Filter,
                    &q,
                    place.clone(),
                    infix(Infix::Unequal, part, key),
                );
                match self.below(6) {
                    0 => others,
                    1 => infix(Infix::Union, place, Term::Set(vec![new])),
                    2 => infix(Infix::Without, place, Term::Set(vec![new])),
                    3 => bind(Binder::Filter, &q, place, infix(Infix::Unequal, value, number)),
                    _ => infix(Infix::Union, others, Term::Set(vec![new])),
                }
            }
            Shape::Sequence => self.sequence_update(place, number),
            Shape::PairSequence => self.pair_sequence_update(place, key, number),
        }
    }

    /// `[place EXCEPT !path = …]`, perhaps deeper.
    fn except(&mut self, place: Term, mut path: Vec<Step>, shape: &Shape, depth: usize) -> Term {
        let mut shape = shape.clone();
        let mut inner = path.iter().fold(place.clone(), |inner, step| match step {
            Step::Key(key) => at(inner, key.clone()),
            Step::Field(name) => field(inner, name),
        });
        while self.below(3) > 0 {
            let (step, next) = match &shape {
                Shape::Function(of) => {
                    let key = self.key();
                    inner = at(inner, key.clone());
                    (Step::Key(key), (**of).clone())
                }
                Shape::Record(fields) => {
                    let (name, of) = self.one_of(fields);
                    inner = field(inner, name);
                    (Step::Field(name), of)
                }
                _ => break,
            };
            path.push(step);
            shape = next;
        }
        let new = match self.below(3) {
            0 => self.update(Term::Held, &shape, 0),
            1 => self.fresh_value(&shape, depth),
            _ => self.update(inner, &shape, 0),
        };
        Term::Except(Box::new(place), vec![(path, new)])
    }

    /// The next value of a variable of which one part, as small as possible, is written whatever it held.
    pub fn part_written(&mut self, variable: usize) -> Term {
        let mut shape = self.variables[variable].clone();
        let mut path = Vec::new();
        loop {
            let (step, inner) = match shape {
                Shape::Function(of) => (Step::Key(self.key()), *of),
                Shape::Record(fields) => {
                    let (name, inner) = self.one_of(&fields);
                    (Step::Field(name), inner)
                }
                leaf => {
                    let value = self.fresh_value(&leaf, 0);
                    return if path.is_empty() {
                        value
                    } else {
                        Term::Except(Box::new(Term::Var(variable)), vec![(path, value)])
                    };
                }
            };
            path.push(step);
            shape = inner;
        }
    }

    fn function_update(&mut self, place: Term, of: &Shape, depth: usize) -> Term {
        let (key, bound, keys) = (self.key(), self.fresh(), self.all_keys());
        let domain = if self.rarely(2) {
            call(Helper::Domain, [place.clone()])
        } else {
            keys.clone()
        };
        let same = at(place.clone(), name(&bound));
        match self.below(9) {
            0 => {
                let new = self.update(same.clone(), of, 0);
                let body = either(equal(name(&bound), key), new, same);
                bind(Binder::Function, &bound, domain, body)
            }
            1 => {
                let new = self.fresh_value(of, depth);
                let is_other = infix(Infix::Unequal, name(&bound), key);
                let body = Term::Case(vec![(is_other, same)], Box::new(new));
                bind(Binder::Function, &bound, domain, body)
            }
            2 => {
                let new = self.fresh_value(of, depth);
                infix(Infix::Merge, infix(Infix::Maps, key, new), place)
            }
            3 if self.rarely(2) => {
                let test = self.with_key(&bound, |maker| maker.at_key(&bound, 0));
                let new = self.update(same.clone(), of, 0);
                bind(Binder::Function, &bound, domain, either(test, new, same))
            }
            4 => {
                let other = self.key();
                let changes = [key, other].map(|key| {
                    let new = self.update(Term::Held, of, 0);
                    (vec![Step::Key(key)], new)
                });
                Term::Except(Box::new(place), changes.to_vec())
            }
            _ => self.except(place, vec![Step::Key(key)], of, depth),
        }
    }

    fn partial_update(&mut self, place: Term, key: Term, number: Term) -> Term {
        let q = self.fresh();
        let domain = call(Helper::Domain, [place.clone()]);
        let bound = self.fresh();
        let same = at(place.clone(), name(&bound));
        let is_key = equal(name(&bound), key.clone());
        match self.below(7) {
            0 => infix(Infix::Merge, place, infix(Infix::Maps, key, number)),
            1 => {
                let more = infix(Infix::Union, domain, Term::Set(vec![key]));
                bind(Binder::Function, &bound, more, either(is_key, number, same))
            }
            2 => {
                let rest = infix(Infix::Without, domain, Term::Set(vec![key]));
                bind(Binder::Function, &bound, rest, same)
            }
            3 => {
                let rest = bind(Binder::Filter, &q, domain, infix(Infix::Unequal, name(&q), key));
                bind(Binder::Function, &bound, rest, same)
            }
            4 => bind(Binder::Function, &bound, domain, either(is_key, number, same)),
            5 => {
                let changed = Term::Except(
                    Box::new(place.clone()),
                    vec![(vec![Step::Key(key.clone())], number)],
                );
                either(infix(Infix::In, key, domain), changed, place)
            }
            _ => infix(Infix::Merge, infix(Infix::Maps, key, number), place),
        }
    }

    fn sequence_update(&mut self, place: Term, number: Term) -> Term {
        let q = self.fresh();
        let length = call(Helper::Len, [place.clone()]);
        let has_room = infix(Infix::Less, length.clone(), int(LENGTH_MAX));
        let position = self.key();
        match self.below(8) {
            0 => either(
                has_room,
                infix(Infix::Concat, Term::Tuple(vec![number]), place.clone()),
                place,
            ),
            1 => call(Helper::Rest, [place]),
            2 => {
                let is_empty = equal(place.clone(), Term::Tuple(Vec::new()));
                let rest = if self.rarely(2) {
                    call(Helper::Tail, [place.clone()])
                } else {
                    call(Helper::SubSeq, [place.clone(), int(2), length])
                };
                either(is_empty, place, rest)
            }
            3 => call(Helper::Front, [place]),
            4 => call(Helper::Mirrored, [place]),
            5 => {
                let test = Argument::Lambda(q.clone(), infix(Infix::Unequal, name(&q), number));
                Term::Call(Helper::SelectSeq, vec![Argument::Plain(place), test])
            }
            6 => {
                let changed = Term::Except(
                    Box::new(place.clone()),
                    vec![(vec![Step::Key(position.clone())], number)],
                );
                either(infix(Infix::AtMost, position, length), changed, place)
            }
            _ => either(has_room, call(Helper::Append, [place.clone(), number]), place),
        }
    }

    fn pair_sequence_update(&mut self, place: Term, key: Term, number: Term) -> Term {
        let q = self.fresh();
        let has_room = infix(Infix::Less, call(Helper::Len, [place.clone()]), int(LENGTH_MAX));
        let pair = Term::Tuple(vec![key.clone(), number]);
        let others = || {
            let test = infix(Infix::Unequal, at(name(&q), int(1)), key.clone());
            let test = Argument::Lambda(q.clone(), test);
            Term::Call(Helper::SelectSeq, vec![Argument::Plain(place.clone()), test])
        };
        match self.below(6) {
            0 => others(),
            1 => either(has_room, call(Helper::Append, [place.clone(), pair]), place),
            2 => call(Helper::Rest, [place]),
            3 => either(
                has_room,
                infix(Infix::Concat, Term::Tuple(vec![pair]), place.clone()),
                place,
            ),
            _ => call(Helper::Append, [others(), pair]),
        }
    }
}
