//! What a random specification is made with: the numbers, and the names that are in scope.

use fastrand::Rng;

use super::shape::Shape;
use crate::oracle::term::{Infix, Term, at, field, infix, int, name};

/// What random specifications are rich in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Everything.
    Mixed,
    /// Sets and quantifiers.
    Quantified,
    /// Functions of records, and records of functions.
    Parts,
    /// Counts and sums.
    Counted,
    /// Several conditions on different variables.
    Guarded,
    /// A view that hides what does not matter at the time.
    Viewed,
    /// Invariants.
    Invariant,
    /// Sequences.
    Ordered,
    /// Branches and quantifiers around short actions.
    Branching,
    /// What is said in two places.
    Doubled,
}

pub const FLAVOURS: [Flavour; 10] = [
    Flavour::Mixed,
    Flavour::Quantified,
    Flavour::Parts,
    Flavour::Counted,
    Flavour::Guarded,
    Flavour::Viewed,
    Flavour::Invariant,
    Flavour::Ordered,
    Flavour::Branching,
    Flavour::Doubled,
];

pub struct Maker<'r> {
    pub rng: &'r mut Rng,
    pub flavour: Flavour,
    pub keys: i64,
    pub variables: Vec<Shape>,
    /// The variables that may be read.
    pub readable: Vec<usize>,
    /// Names that stand for keys, numbers and tags.
    pub key_names: Vec<String>,
    pub number_names: Vec<String>,
    pub tag_names: Vec<String>,
    /// Whether expressions and actions are short: then there is little that hides a mistake about one of them.
    pub is_terse: bool,
    /// Whether a key that depends on the state is being made.
    is_in_key: bool,
    fresh: usize,
}

impl<'r> Maker<'r> {
    pub fn new(rng: &'r mut Rng, flavour: Flavour, keys: i64, variables: Vec<Shape>) -> Self {
        Self {
            readable: (0..variables.len()).collect(),
            is_terse: rng.u32(..4) > 0 || matches!(flavour, Flavour::Branching | Flavour::Doubled),
            rng,
            flavour,
            keys,
            variables,
            key_names: Vec::new(),
            number_names: Vec::new(),
            tag_names: Vec::new(),
            is_in_key: false,
            fresh: 0,
        }
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.rng.usize(..bound)
    }

    /// With a chance of one in `many`.
    pub fn rarely(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// A name that is not in use.
    pub fn fresh(&mut self) -> String {
        self.fresh += 1;
        format!("i{}", self.fresh)
    }

    pub fn all_keys(&self) -> Term {
        infix(Infix::UpTo, int(1), int(self.keys))
    }

    /// A set of keys.
    pub fn some_keys(&mut self) -> Term {
        match self.below(6) {
            0 => {
                let (from, to) = (self.key(), int(self.keys));
                infix(Infix::UpTo, from, to)
            }
            1 => {
                let to = self.key();
                infix(Infix::UpTo, int(1), to)
            }
            2 => {
                let key = self.key();
                infix(Infix::Without, self.all_keys(), Term::Set(vec![key]))
            }
            _ => self.all_keys(),
        }
    }

    pub fn key(&mut self) -> Term {
        let keys = self.keys;
        let by_state = if self.flavour == Flavour::Branching { 8 } else { 40 };
        // A key of a key is plain.
        if self.rarely(by_state) && !std::mem::replace(&mut self.is_in_key, true) {
            let found = self.place(|shape| *shape == Shape::Number);
            self.is_in_key = false;
            if let Some((number, _)) = found {
                return infix(Infix::Plus, int(1), infix(Infix::Mod, number, int(2)));
            }
        }
        match (self.key_names.is_empty(), self.below(8)) {
            (true, _) | (_, 0) => int(1 + self.below(keys as usize) as i64),
            (_, 1) => {
                let key = self.key();
                infix(Infix::Minus, int(keys + 1), key)
            }
            _ => {
                let names = self.key_names.clone();
                name(&self.one_of(&names))
            }
        }
    }

    /// A number that does not depend on the state.
    pub fn plain(&mut self) -> Term {
        match (self.number_names.is_empty(), self.below(6)) {
            (true, _) | (_, 0 | 1) => int(self.below(3) as i64),
            _ => {
                let names = self.number_names.clone();
                name(&self.one_of(&names))
            }
        }
    }

    pub fn tag(&mut self) -> Term {
        match (self.tag_names.is_empty(), self.below(3)) {
            (true, _) | (_, 0) => Term::Text(self.one_of(&["a", "b"])),
            _ => {
                let names = self.tag_names.clone();
                name(&self.one_of(&names))
            }
        }
    }

    /// A part of the state of a shape that is wanted.
    pub fn place(&mut self, is_wanted: impl Fn(&Shape) -> bool) -> Option<(Term, Shape)> {
        if self.readable.is_empty() {
            return None;
        }
        for _ in 0..8 {
            let readable = self.readable.clone();
            let number = self.one_of(&readable);
            let (mut term, mut shape) = (Term::Var(number), self.variables[number].clone());
            loop {
                if is_wanted(&shape) {
                    return Some((term, shape));
                }
                match shape {
                    Shape::Function(of) => {
                        term = at(term, self.key());
                        shape = *of;
                    }
                    Shape::Record(fields) => {
                        let (name, of) = self.one_of(&fields);
                        term = field(term, name);
                        shape = of;
                    }
                    _ => break,
                }
            }
        }
        None
    }

    /// Runs with one more name for a key.
    pub fn with_key<T>(&mut self, name: &str, run: impl FnOnce(&mut Self) -> T) -> T {
        self.key_names.push(name.to_owned());
        let made = run(self);
        self.key_names.pop();
        made
    }

    /// Runs with one more name for a number.
    pub fn with_number<T>(&mut self, name: &str, run: impl FnOnce(&mut Self) -> T) -> T {
        self.number_names.push(name.to_owned());
        let made = run(self);
        self.number_names.pop();
        made
    }
}
