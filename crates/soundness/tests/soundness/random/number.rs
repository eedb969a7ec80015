//! Random expressions for numbers.

use super::maker::{Flavour, Maker};
use super::shape::Shape;
use crate::oracle::helper::Helper;
use crate::oracle::term::{
    Argument, Binder, Infix, Term, at, bind, call, either, equal, field, infix, int, name,
};

impl Maker<'_> {
    /// A number from 0 to 2, in every state.
    pub fn number(&mut self, depth: usize) -> Term {
        if depth == 0 {
            return self.plain();
        }
        match self.below(14) {
            0 => {
                let (condition, yes, no) = (self.condition(depth - 1), self.plain(), self.number(depth - 1));
                return either(condition, yes, no);
            }
            1 => {
                let (bound, value) = (self.fresh(), self.number(depth - 1));
                let body = self.with_number(&bound, |maker| maker.number(depth - 1));
                return Term::Let(bound, Box::new([value, body]));
            }
            2 => {
                let (bound, argument) = (self.fresh(), self.number(depth - 1));
                let body = self.with_number(&bound, |maker| maker.number(depth - 1));
                return Term::Call(
                    Helper::Applied,
                    vec![Argument::Lambda(bound, body), Argument::Plain(argument)],
                );
            }
            3 => {
                let key = self.key();
                let arms = (1..self.keys).map(|arm| (equal(key.clone(), int(arm)), self.number(depth - 1)));
                let arms: Vec<_> = arms.collect();
                return Term::Case(arms, Box::new(self.plain()));
            }
            4 | 5 => return call(Helper::Mod, [self.count(depth - 1)]),
            _ => {}
        }
        let Some((place, shape)) =
            self.place(|shape| !matches!(shape, Shape::Function(_) | Shape::Record(_) | Shape::Tag))
        else {
            return self.plain();
        };
        self.number_of(place, &shape)
    }

    /// A number from a part of the state.
    fn number_of(&mut self, place: Term, shape: &Shape) -> Term {
        let q = self.fresh();
        let (key, plain) = (self.key(), self.plain());
        let modulo = |term| call(Helper::Mod, [term]);
        let size = |term| call(Helper::Cardinality, [term]);
        match shape {
            Shape::Number => place,
            Shape::Partial => match self.below(4) {
                0 => modulo(size(call(Helper::Domain, [place]))),
                1 => {
                    let is_inside = infix(Infix::In, key.clone(), call(Helper::Domain, [place.clone()]));
                    either(is_inside, at(place, key), plain)
                }
                _ => call(Helper::Get, [place, key]),
            },
            Shape::Set => match self.below(4) {
                0 => modulo(size(place)),
                1 => modulo(size(infix(Infix::Intersect, place, Term::Set(vec![key, plain])))),
                2 => modulo(call(Helper::Least, [place])),
                3 if self.rarely(2) => {
                    let other = self.fresh();
                    let is_least = infix(Infix::AtMost, name(&q), name(&other));
                    let is_least = bind(Binder::ForAll, &other, place.clone(), is_least);
                    let least = bind(Binder::Choose, &q, place.clone(), is_least);
                    either(equal(place, Term::Set(Vec::new())), plain, modulo(least))
                }
                _ => either(infix(Infix::In, key, place), int(1), plain),
            },
            Shape::Pairs => match self.below(3) {
                0 => modulo(size(place)),
                1 => {
                    let test = equal(at(name(&q), int(1)), key);
                    modulo(size(bind(Binder::Filter, &q, place, test)))
                }
                _ => call(Helper::Value, [place, key]),
            },
            Shape::Records => match self.below(3) {
                0 => modulo(size(place)),
                1 => {
                    let tag = self.tag();
                    let test = equal(field(name(&q), "tag"), tag);
                    modulo(size(bind(Binder::Filter, &q, place, test)))
                }
                _ => call(Helper::RecValue, [place, key]),
            },
            Shape::Sequence => match self.below(5) {
                0 => modulo(call(Helper::Len, [place])),
                1 => call(Helper::Last, [place]),
                2 => modulo(call(Helper::Total, [place])),
                3 => {
                    let positions = infix(Infix::UpTo, int(1), call(Helper::Len, [place.clone()]));
                    let test = equal(at(place, name(&q)), plain);
                    modulo(size(bind(Binder::Filter, &q, positions, test)))
                }
                4 if self.rarely(2) => {
                    let is_empty = equal(place.clone(), Term::Tuple(Vec::new()));
                    either(is_empty, plain, call(Helper::Head, [place]))
                }
                _ => call(Helper::First, [place]),
            },
            Shape::PairSequence => match self.below(4) {
                0 => modulo(call(Helper::Len, [place])),
                1 => modulo(size(call(Helper::Positions, [place, key]))),
                2 => {
                    let test = Argument::Lambda(q.clone(), equal(at(name(&q), int(1)), key));
                    let kept = Term::Call(Helper::SelectSeq, vec![Argument::Plain(place), test]);
                    modulo(call(Helper::Len, [kept]))
                }
                _ => call(Helper::Found, [place, key]),
            },
            Shape::Tag | Shape::Function(_) | Shape::Record(_) => plain,
        }
    }

    /// A count or a sum, which may be more than 2.
    pub fn count(&mut self, depth: usize) -> Term {
        let bound = self.fresh();
        let keys = self.some_keys();
        let is_sum = self.rarely(if self.flavour == Flavour::Counted { 2 } else { 3 });
        if is_sum {
            let part = self.with_key(&bound, |maker| match maker.below(3) {
                0 => {
                    let condition = maker.at_key(&bound, depth);
                    either(condition, int(1), int(0))
                }
                _ => maker.number_at_key(&bound),
            });
            let helper = self.one_of(&[Helper::Sum, Helper::Fold]);
            return Term::Call(helper, vec![Argument::Lambda(bound, part), Argument::Plain(keys)]);
        }
        if self.rarely(4)
            && let Some((place, shape)) = self
                .place(|shape| matches!(shape, Shape::Set | Shape::Partial | Shape::Pairs | Shape::Records))
        {
            let (set, test) = self.elements(&bound, place, &shape, depth);
            return self.counted(bound, set, test);
        }
        let test = self.with_key(&bound, |maker| maker.at_key(&bound, depth));
        self.counted(bound, keys, test)
    }

    fn counted(&mut self, bound: String, set: Term, test: Term) -> Term {
        match self.below(3) {
            0 => Term::Call(
                Helper::Count,
                vec![Argument::Plain(set), Argument::Lambda(bound, test)],
            ),
            _ => call(Helper::Cardinality, [bind(Binder::Filter, &bound, set, test)]),
        }
    }

    /// A number that depends on a key.
    fn number_at_key(&mut self, key: &str) -> Term {
        let found = self.place(|shape| match shape {
            Shape::Function(of) => matches!(**of, Shape::Number | Shape::Record(_) | Shape::Set),
            Shape::Partial => true,
            _ => false,
        });
        match found {
            Some((place, Shape::Partial)) => call(Helper::Get, [place, name(key)]),
            Some((place, Shape::Function(of))) => {
                let inner = at(place, name(key));
                match &*of {
                    Shape::Number => inner,
                    Shape::Set => call(Helper::Cardinality, [inner]),
                    Shape::Record(fields) => {
                        let field_of = fields.iter().find(|(_, shape)| *shape == Shape::Number);
                        field_of.map_or(name(key), |(name, _)| field(inner, name))
                    }
                    _ => name(key),
                }
            }
            _ => name(key),
        }
    }

    /// A condition that depends on a key.
    pub fn at_key(&mut self, key: &str, depth: usize) -> Term {
        let number = self.number_at_key(key);
        let plain = self.plain();
        match self.below(8) {
            0 if depth > 0 => {
                let (left, right) = (self.at_key(key, depth - 1), self.at_key(key, depth - 1));
                infix(self.one_of(&[Infix::And, Infix::Or]), left, right)
            }
            1 => match self.place(|shape| matches!(shape, Shape::Set)) {
                Some((place, _)) => infix(self.one_of(&[Infix::In, Infix::NotIn]), name(key), place),
                None => equal(number, plain),
            },
            2 => {
                let other = self.key();
                let sign = self.one_of(&[Infix::AtMost, Infix::AtLeast, Infix::Unequal]);
                let bounds = infix(sign, name(key), other);
                // Some keys need not be looked at: none of them counts, or all of them do.
                let joins = self.one_of(&[Infix::And, Infix::And, Infix::Or]);
                infix(joins, bounds, infix(Infix::Unequal, number, int(0)))
            }
            3 => infix(Infix::AtMost, number, plain),
            4 | 5 => infix(Infix::Unequal, number, plain),
            _ => equal(number, plain),
        }
    }
}
