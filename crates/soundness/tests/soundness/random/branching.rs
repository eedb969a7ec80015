//! Branches and quantifiers around actions.

use super::maker::Maker;
use super::shape::Shape;
use crate::oracle::action::{Act, Wrapping};
use crate::oracle::term::{Binder, Infix, Term, bind, equal, infix, int};

impl Maker<'_> {
    /// An action inside of branches, a LET or a quantifier.
    pub fn branched(&mut self, action: &mut dyn FnMut(&mut Self) -> Act) -> Act {
        match self.below(6) {
            0 | 1 => {
                let depth = usize::from(!self.is_terse);
                let (condition, yes, no) = (self.condition(depth), action(self), action(self));
                let choice = Act::If(condition, Box::new([yes, no]));
                match self.below(4) {
                    0 => Act::Wrapped(Wrapping::Case, Box::new(choice)),
                    1 => Act::Wrapped(Wrapping::CaseOfBoth, Box::new(choice)),
                    2 => Act::Wrapped(Wrapping::Implications, Box::new(choice)),
                    _ => choice,
                }
            }
            2 => Act::Any(vec![action(self), action(self)]),
            3 => {
                let (bound, number) = (self.fresh(), self.number(2));
                let inner = self.with_number(&bound, action);
                Act::Let(bound, number, Box::new(inner))
            }
            4 => {
                let (bound, number) = (self.fresh(), self.number(2));
                let set = match (self.below(4), self.place(|shape| *shape == Shape::Set)) {
                    (0, Some((place, _))) => place,
                    (0 | 1, _) => Term::Set(vec![self.plain(), int(1)]),
                    _ => infix(Infix::UpTo, int(0), int(2)),
                };
                let inner = if self.rarely(3) {
                    action(self)
                } else {
                    self.with_number(&bound, action)
                };
                let is_it = Act::Holds(equal(Term::Name(bound.clone()), number));
                let inner = Act::All(vec![is_it, inner]);
                Act::Bind(Binder::Exists, bound, set, Box::new(inner))
            }
            _ => {
                let bound = self.fresh();
                let keys = if self.rarely(2) {
                    self.some_keys()
                } else {
                    let (candidate, keys) = (self.fresh(), self.all_keys());
                    let test = self.with_key(&candidate, |maker| maker.at_key(&candidate, 0));
                    bind(Binder::Filter, &candidate, keys, test)
                };
                let inner = if self.rarely(3) {
                    action(self)
                } else {
                    self.with_key(&bound, action)
                };
                Act::Bind(Binder::Exists, bound, keys, Box::new(inner))
            }
        }
    }

    /// Branches around actions that write little: all variables, or one, so that the others are assigned once and for all branches.
    pub fn branching(&mut self) -> Act {
        let mut parts = Vec::new();
        if self.number_names.iter().any(|name| name == "res") && self.rarely(2) {
            parts.push(Act::Holds(self.about_result()));
        }
        let own = self.below(self.variables.len());
        let others: Vec<usize> = (0..self.variables.len()).filter(|other| *other != own).collect();
        if self.rarely(2) || others.is_empty() {
            parts.push(self.branched(&mut |maker| {
                let number = maker.below(2);
                maker.writer(number)
            }))
        } else {
            let shape = self.variables[own].clone();
            parts
                .push(self.branched(&mut |maker| Act::Becomes(own, maker.update(Term::Var(own), &shape, 0))));
            let place = self.below(parts.len() + 1);
            parts.insert(place, Act::Unchanged(others));
        }
        Act::All(parts)
    }
}
