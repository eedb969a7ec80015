//! Random conditions.

use super::maker::{Flavour, Maker};
use super::shape::Shape;
use crate::oracle::helper::Helper;
use crate::oracle::term::{
    Argument, Binder, Infix, Term, at, bind, call, equal, field, infix, int, name, not,
};

impl Maker<'_> {
    pub fn condition(&mut self, depth: usize) -> Term {
        if depth > 0 {
            match self.below(16) {
                0 => return not(self.condition(depth - 1)),
                1 => return self.joined(Infix::Or, depth),
                2 => return self.joined(Infix::And, depth),
                3 => return self.joined(Infix::Implies, depth),
                4 if !self.number_names.is_empty() => {
                    let is_one = equal(self.plain(), int(1));
                    return infix(Infix::Iff, is_one, self.condition(depth - 1));
                }
                _ => {}
            }
        }
        let quantified = match self.flavour {
            Flavour::Quantified | Flavour::Invariant => 2,
            Flavour::Mixed => 4,
            _ => 7,
        };
        if self.rarely(quantified)
            && let Some(condition) = self.quantified(depth)
        {
            return condition;
        }
        let counted = if self.flavour == Flavour::Counted { 2 } else { 6 };
        if self.rarely(counted) {
            let (count, plain) = (self.count(depth.min(1)), self.plain());
            let sign = self.one_of(&[
                Infix::Equal,
                Infix::Equal,
                Infix::AtMost,
                Infix::AtLeast,
                Infix::Less,
                Infix::Greater,
            ]);
            return if self.rarely(2) {
                infix(sign, count, plain)
            } else {
                infix(sign, plain, count)
            };
        }
        match self.place(|_| true) {
            Some((place, shape)) if self.rarely(2) => self.condition_on(place, &shape),
            _ => {
                // Now and then two parts of the state: neither alone decides.
                let other = if self.rarely(4) { 1 } else { depth.min(1) };
                let (left, right) = (self.number(depth.max(1)), self.number(other));
                let sign = self.one_of(&[
                    Infix::Equal,
                    Infix::Equal,
                    Infix::Unequal,
                    Infix::AtMost,
                    Infix::Greater,
                ]);
                infix(sign, left, right)
            }
        }
    }

    fn joined(&mut self, sign: Infix, depth: usize) -> Term {
        let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
        infix(sign, left, right)
    }

    /// A condition on a part of the state.
    fn condition_on(&mut self, place: Term, shape: &Shape) -> Term {
        let (key, plain) = (self.key(), self.plain());
        match shape {
            Shape::Number => infix(
                self.one_of(&[Infix::Equal, Infix::Unequal, Infix::Less]),
                place,
                plain,
            ),
            Shape::Tag => infix(self.one_of(&[Infix::Equal, Infix::Unequal]), place, self.tag()),
            Shape::Function(of) => match (&**of, self.below(3)) {
                (_, 0) => {
                    let other = self.key();
                    equal(at(place.clone(), key), at(place, other))
                }
                (Shape::Number, 1) => {
                    let bound = self.fresh();
                    let image = if self.rarely(2) {
                        call(Helper::Range, [place])
                    } else {
                        let keys = self.some_keys();
                        bind(Binder::Image, &bound, keys, at(place, name(&bound)))
                    };
                    infix(self.one_of(&[Infix::In, Infix::NotIn]), plain, image)
                }
                (inner, _) => {
                    let inner = inner.clone();
                    self.condition_on(at(place, key), &inner)
                }
            },
            Shape::Record(fields) => match self.below(3) {
                0 => {
                    let value = self.fresh_value(shape, 0);
                    equal(place, value)
                }
                _ => {
                    let (name, inner) = self.one_of(fields);
                    self.condition_on(field(place, name), &inner)
                }
            },
            Shape::Partial => {
                let domain = call(Helper::Domain, [place]);
                match self.below(4) {
                    0 => infix(Infix::NotIn, key, domain),
                    1 => infix(Infix::SubsetEq, domain, Term::Set(vec![key])),
                    2 => equal(domain, Term::Set(Vec::new())),
                    _ => infix(Infix::In, key, domain),
                }
            }
            Shape::Set => match self.below(6) {
                0 => infix(Infix::NotIn, key, place),
                1 => infix(Infix::SubsetEq, place, Term::Set(vec![key, plain])),
                2 => equal(place, Term::Set(Vec::new())),
                3 => equal(place, Term::Set(vec![plain])),
                _ => infix(Infix::In, plain, place),
            },
            Shape::Pairs => {
                let pair = Term::Tuple(vec![key, plain]);
                infix(self.one_of(&[Infix::In, Infix::NotIn]), pair, place)
            }
            Shape::Records => {
                let tag = self.tag();
                let record = Term::Record(vec![("key", key), ("tag", tag), ("val", plain)]);
                infix(self.one_of(&[Infix::In, Infix::NotIn]), record, place)
            }
            Shape::Sequence => match self.below(4) {
                0 => equal(place, Term::Tuple(Vec::new())),
                1 => infix(Infix::Greater, call(Helper::Len, [place]), plain),
                2 => equal(call(Helper::First, [place]), plain),
                _ => infix(Infix::In, plain, call(Helper::Range, [place])),
            },
            Shape::PairSequence => match self.below(3) {
                0 => equal(place, Term::Tuple(Vec::new())),
                1 => equal(call(Helper::Found, [place, key]), plain),
                _ => equal(call(Helper::Positions, [place, key]), Term::Set(Vec::new())),
            },
        }
    }

    /// `\A`, `\E` or a CHOOSE over elements of the state, or over keys.
    fn quantified(&mut self, depth: usize) -> Option<Term> {
        let bound = self.fresh();
        let (set, test) = match self.below(4) {
            0 => {
                let set = self.some_keys();
                let test = self.with_key(&bound, |maker| maker.at_key(&bound, depth.min(1)));
                (set, test)
            }
            _ => {
                let (place, shape) = self.place(|shape| {
                    !matches!(
                        shape,
                        Shape::Number | Shape::Tag | Shape::Function(_) | Shape::Record(_)
                    )
                })?;
                self.elements(&bound, place, &shape, depth.min(1))
            }
        };
        Some(match self.below(10) {
            0 => Term::Call(
                Helper::Every,
                vec![Argument::Plain(set), Argument::Lambda(bound, test)],
            ),
            1 => Term::Call(
                Helper::Some,
                vec![Argument::Plain(set), Argument::Lambda(bound, test)],
            ),
            2 => {
                let kept = if self.rarely(2) {
                    bind(Binder::Filter, &bound, set, test)
                } else {
                    Term::Call(
                        Helper::Where,
                        vec![Argument::Plain(set), Argument::Lambda(bound, test)],
                    )
                };
                infix(
                    self.one_of(&[Infix::Equal, Infix::Unequal]),
                    kept,
                    Term::Set(Vec::new()),
                )
            }
            3..=6 => bind(Binder::ForAll, &bound, set, test),
            _ => bind(Binder::Exists, &bound, set, test),
        })
    }

    /// The elements of a part of the state, and a test of one of them.
    pub fn elements(&mut self, bound: &str, place: Term, shape: &Shape, depth: usize) -> (Term, Term) {
        let element = name(bound);
        match shape {
            Shape::Partial => {
                let set = call(Helper::Domain, [place.clone()]);
                let test = match self.below(5) {
                    0 => equal(at(place, element), self.plain()),
                    4 => {
                        let is_key = equal(element.clone(), self.key());
                        infix(Infix::And, is_key, equal(at(place, element), self.plain()))
                    }
                    1 => self.with_key(bound, |maker| maker.at_key(bound, depth)),
                    _ => self.element_test(element, depth),
                };
                (set, test)
            }
            Shape::Pairs => (
                place,
                self.part_test(|part| at(name(bound), int(part)), bound, false),
            ),
            Shape::Records => {
                let part = |part: i64| field(name(bound), if part == 1 { "key" } else { "val" });
                (place, self.part_test(part, bound, true))
            }
            Shape::Sequence | Shape::PairSequence if self.rarely(2) => {
                let positions = infix(Infix::UpTo, int(1), call(Helper::Len, [place.clone()]));
                let value = at(place, element);
                let test = match shape {
                    Shape::Sequence => self.element_test(value, depth),
                    _ => self.part_test(|part| at(value.clone(), int(part)), bound, false),
                };
                (positions, test)
            }
            Shape::Sequence => (call(Helper::Range, [place]), self.element_test(element, depth)),
            Shape::PairSequence => {
                let test = self.part_test(|part| at(name(bound), int(part)), bound, false);
                (call(Helper::Range, [place]), test)
            }
            _ => (place, self.element_test(element, depth)),
        }
    }

    /// A test of a number.
    fn element_test(&mut self, element: Term, depth: usize) -> Term {
        let other = match self.below(2) {
            0 => self.key(),
            _ => self.plain(),
        };
        match self.below(10) {
            0 if depth > 0 => {
                let (left, right) = (
                    self.element_test(element.clone(), 0),
                    self.element_test(element, 0),
                );
                infix(self.one_of(&[Infix::And, Infix::Or, Infix::Implies]), left, right)
            }
            1 => infix(Infix::Unequal, element, other),
            2 => {
                let more = self.plain();
                infix(Infix::In, element, Term::Set(vec![other, more]))
            }
            3 => infix(Infix::AtMost, element, other),
            4 => infix(Infix::NotIn, element, Term::Set(vec![other])),
            5 if depth > 0 => match self.place(|shape| *shape == Shape::Set) {
                Some((place, _)) => infix(self.one_of(&[Infix::In, Infix::NotIn]), element, place),
                None => equal(element, other),
            },
            6 if depth > 0 => {
                let condition = self.condition(0);
                infix(Infix::Implies, equal(element, other), condition)
            }
            // One element, and another part of the state.
            7 => match self.place(|_| true) {
                Some((place, shape)) => {
                    let condition = self.condition_on(place, &shape);
                    infix(Infix::And, equal(element, other), condition)
                }
                None => equal(element, other),
            },
            _ => equal(element, other),
        }
    }

    /// A test of a pair or record.
    fn part_test(&mut self, part: impl Fn(i64) -> Term, bound: &str, has_tag: bool) -> Term {
        let (key, plain) = (self.key(), self.plain());
        let sign = self.one_of(&[Infix::Equal, Infix::Equal, Infix::Unequal]);
        match self.below(8) {
            0 => infix(sign, part(2), plain),
            1 => infix(Infix::Implies, equal(part(1), key), infix(sign, part(2), plain)),
            2 => infix(Infix::And, equal(part(1), key), equal(part(2), plain)),
            3 => infix(Infix::AtMost, part(2), plain),
            4 if has_tag => infix(sign, field(name(bound), "tag"), self.tag()),
            5 if has_tag => infix(Infix::In, field(name(bound), "tag"), Term::Set(vec![self.tag()])),
            6 => {
                let other = self.key();
                infix(Infix::In, part(1), Term::Set(vec![key, other]))
            }
            _ => infix(sign, part(1), key),
        }
    }
}
