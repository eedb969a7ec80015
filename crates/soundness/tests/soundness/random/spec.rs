//! Random specifications.

use fastrand::Rng;

use super::doubled::doubled_shapes;
use super::maker::{Flavour, Maker};
use super::shape::Shape;
use crate::oracle::action::{Act, Wrapping};
use crate::oracle::eval::Scope;
use crate::oracle::spec::{Hidden, Operation, Param, Spec};
use crate::oracle::term::{Binder, Infix, Term, either, equal, infix, int};
use crate::oracle::value::Val;

/// The variable that a view hides at times.
const MASKED: usize = 0;

/// A specification that is rich in something.
pub fn random_spec(rng: &mut Rng, flavour: Flavour) -> Spec {
    let keys = rng.i64(2..4);
    let mut variables: Vec<Shape> = (0..[1, 1, 2, 2, 3][rng.usize(..5)])
        .map(|_| shape(rng, flavour))
        .collect();
    if matches!(flavour, Flavour::Guarded | Flavour::Branching) && variables.len() < 2 {
        variables.push(shape(rng, flavour));
    }
    if flavour == Flavour::Doubled {
        variables = doubled_shapes(rng);
    }
    let mut maker = Maker::new(rng, flavour, keys, variables);
    let mut spec = Spec {
        initial: maker.initial(),
        operations: Vec::new(),
        hidden: Vec::new(),
        invariants: Vec::new(),
        view: None,
        has_next: flavour != Flavour::Doubled || maker.rarely(4),
    };
    for letter in ["A", "B", "C", "D"] {
        spec.operations.push(maker.operation(letter));
    }
    if maker.rarely(6) && flavour != Flavour::Doubled {
        spec.hidden.push(maker.hidden());
    }
    let many = if flavour == Flavour::Invariant { 1 } else { 6 };
    if maker.rarely(many) {
        maker.add_invariants(&mut spec);
    }
    match flavour == Flavour::Viewed {
        true if maker.rarely(4) => spec.view = Some(all_in_other_order(spec.initial.len())),
        true => maker.add_mode(&mut spec),
        false => {}
    }
    spec
}

fn shape(rng: &mut Rng, flavour: Flavour) -> Shape {
    let part = |rng: &mut Rng| match rng.u32(..4) {
        0 => Shape::Tag,
        1 => Shape::Set,
        _ => Shape::Number,
    };
    let pick = match flavour {
        Flavour::Quantified => [4, 5, 6, 7, 8, 10, 12][rng.usize(..7)],
        Flavour::Parts => [2, 2, 3, 9, 11][rng.usize(..5)],
        Flavour::Counted => [1, 1, 1, 2, 4, 5][rng.usize(..6)],
        Flavour::Ordered => [1, 8, 8, 10, 10, 12][rng.usize(..6)],
        _ => rng.u32(..13),
    };
    match pick {
        0 => Shape::Number,
        1 => Shape::function(Shape::Number),
        2 => Shape::function(Shape::Record(vec![("a", part(rng)), ("b", Shape::Number)])),
        3 => Shape::Record(vec![("m", Shape::function(Shape::Number)), ("n", part(rng))]),
        4 => Shape::Partial,
        5 => Shape::Set,
        6 => Shape::Pairs,
        7 => Shape::Records,
        8 => Shape::Sequence,
        9 => Shape::function(Shape::function(Shape::Number)),
        10 => Shape::PairSequence,
        11 => Shape::function(Shape::Set),
        _ => Shape::function(Shape::Sequence),
    }
}

/// A view that tells all states apart.
fn all_in_other_order(variables: usize) -> Term {
    Term::Tuple((0..variables).rev().map(Term::Var).collect())
}

impl Maker<'_> {
    fn initial(&mut self) -> Vec<Vec<(Term, Val)>> {
        let shapes = self.variables.clone();
        let all = shapes.iter().map(|shape| {
            let mut values = vec![shape.initial(self.keys)];
            if *shape == Shape::Number && self.rarely(6) {
                values.push((int(1), Val::Int(1)));
            }
            values
        });
        all.collect()
    }

    fn operation(&mut self, letter: &str) -> Operation {
        let keys = (1..=self.keys).map(Val::Int).collect::<Vec<_>>();
        let numbers: Vec<Val> = (0..3).map(Val::Int).collect();
        let tags = vec![Val::Text("a"), Val::Text("b")];
        let key_range = format!("1..{}", self.keys);
        let param = |name, values: &[Val], range: &str, is_result| Param {
            name,
            values: values.to_vec(),
            range: range.to_owned(),
            is_result,
        };
        let mut params = Vec::new();
        let is_doubled = self.flavour == Flavour::Doubled;
        if !self.rarely(5) || is_doubled {
            params.push(param("k", &keys, &key_range, false));
            if self.rarely(if is_doubled { 3 } else { 5 }) {
                params.push(param("l", &keys, &key_range, false));
            }
        }
        if !self.rarely(3) {
            params.push(param("v", &numbers, "0..2", false));
        }
        let uses_tags = self.variables.iter().any(has_tags);
        if uses_tags && !self.rarely(3) {
            params.push(param("t", &tags, "{\"a\", \"b\"}", false));
        }
        if !self.rarely(3) {
            params.push(param("res", &numbers, "0..2", true));
        }
        let named = |wanted: &[&str]| {
            let names = params
                .iter()
                .map(|param| param.name)
                .filter(|name| wanted.contains(name));
            names.map(ToOwned::to_owned).collect()
        };
        (self.key_names, self.number_names, self.tag_names) =
            (named(&["k", "l"]), named(&["v", "res"]), named(&["t"]));
        let done = match (self.is_terse, letter) {
            (_, "A" | "B") if is_doubled => self.doubled_writer(letter == "A"),
            _ if is_doubled => self.doubled_reader(),
            (true, "A") => self.writer(0),
            (true, "B") => self.writer(1),
            (true, "C" | "D") if self.flavour == Flavour::Branching => self.branching(),
            (true, "C") => self.reader(),
            (true, _) => self.action(0),
            _ => self.action(2),
        };
        let done = match self.below(if is_doubled { 24 } else { 10 }) {
            0 => Act::Wrapped(Wrapping::Let, Box::new(done)),
            1 => Act::Wrapped(Wrapping::HigherOrder, Box::new(done)),
            2 => Act::Wrapped(Wrapping::Conjunct, Box::new(done)),
            _ => done,
        };
        let step = (letter == "D" && !is_doubled && self.rarely(4))
            .then(|| (self.action(1), 1 + self.below(2) as u32));
        let operation = Operation {
            name: letter.to_owned(),
            params,
            done,
            step,
        };
        self.key_names.clear();
        self.number_names.clear();
        self.tag_names.clear();
        operation
    }

    fn hidden(&mut self) -> Hidden {
        let bound = self.fresh();
        let keys = self.all_keys();
        let act = self.with_key(&bound, |maker| maker.action(1));
        Hidden {
            act: Act::Bind(Binder::Exists, bound, keys, Box::new(act)),
            bound: 1 + self.below(2) as u32,
        }
    }

    /// Conditions, and a next value for each variable.
    pub fn action(&mut self, depth: usize) -> Act {
        let mut parts = Vec::new();
        let conditions = match self.flavour {
            Flavour::Guarded => 1 + self.below(3),
            _ => self.below(3),
        };
        for _ in 0..conditions {
            let depth = if self.is_terse { 0 } else { self.below(3) };
            parts.push(Act::Holds(self.condition(depth)));
        }
        if self.number_names.iter().any(|name| name == "res") && !self.rarely(3) {
            parts.push(Act::Holds(self.about_result()));
        }
        match self.below(7) {
            0..3 if depth > 0 => {
                let branched = self.branched(&mut |maker| maker.action(depth - 1));
                parts.push(branched);
            }
            _ => {
                let mut nexts = self.nexts();
                if self.rarely(8) {
                    let condition = Act::Holds(self.condition(1));
                    let place = self.below(nexts.len() + 1);
                    nexts.insert(place, condition);
                }
                parts.append(&mut nexts);
            }
        }
        Act::All(parts)
    }

    /// An action that mostly writes. Where several conditions are of interest, each variable has a writer of its own; where parts are, one
    /// part is written, whatever it held.
    pub fn writer(&mut self, number: usize) -> Act {
        let mut parts = Vec::new();
        if self.rarely(4) {
            parts.push(Act::Holds(self.condition(0)));
        }
        let own = number.min(self.variables.len() - 1);
        let is_special = self.rarely(2);
        let next = match self.flavour {
            Flavour::Guarded | Flavour::Branching if is_special => {
                let shape = self.variables[own].clone();
                Some(self.update(Term::Var(own), &shape, 0))
            }
            Flavour::Parts if is_special => Some(self.part_written(own)),
            _ => None,
        };
        match next {
            Some(next) => {
                parts.push(Act::Becomes(own, next));
                let others = (0..self.variables.len())
                    .filter(|other| *other != own)
                    .collect::<Vec<_>>();
                if !others.is_empty() {
                    parts.push(Act::Unchanged(others));
                }
            }
            None => parts.extend(self.nexts()),
        }
        Act::All(parts)
    }

    /// An action that changes nothing.
    fn reader(&mut self) -> Act {
        let conditions = match self.flavour {
            Flavour::Guarded => 2 + self.below(2),
            _ => 1 + self.below(2),
        };
        let all = self.readable.clone();
        let mut parts = Vec::new();
        for number in 0..conditions {
            // Conditions on different variables.
            if self.flavour == Flavour::Guarded && number < all.len() {
                self.readable = vec![all[number]];
            }
            if self.flavour == Flavour::Viewed {
                self.readable = vec![MASKED];
            }
            parts.push(Act::Holds(self.condition(0)));
        }
        if self.number_names.iter().any(|name| name == "res") && self.rarely(2) {
            parts.pop();
            parts.push(Act::Holds(self.about_result()));
        }
        self.readable = all;
        parts.push(Act::Unchanged((0..self.variables.len()).collect()));
        Act::All(parts)
    }

    /// A condition that tells the result.
    pub fn about_result(&mut self) -> Term {
        let result = || Term::Name("res".to_owned());
        match self.below(6) {
            0 => {
                let is_one = equal(result(), int(1));
                infix(Infix::Iff, is_one, self.condition(1))
            }
            1 if !self.is_terse => equal(self.number(2), result()),
            2 | 3 => infix(
                self.one_of(&[Infix::Equal, Infix::Equal, Infix::AtMost]),
                result(),
                self.count(1),
            ),
            _ => equal(result(), self.number(1)),
        }
    }

    fn nexts(&mut self) -> Vec<Act> {
        let mut acts = Vec::new();
        let mut unchanged = Vec::new();
        for (number, shape) in self.variables.clone().into_iter().enumerate() {
            if self.rarely(2) {
                unchanged.push(number);
                continue;
            }
            let place = Term::Var(number);
            acts.push(match self.below(14) {
                0 => {
                    let (one, other) = (
                        self.update(place.clone(), &shape, 0),
                        self.update(place, &shape, 0),
                    );
                    Act::BecomesOneOf(number, Term::Set(vec![one, other]))
                }
                1 => {
                    let (bound, set) = (self.fresh(), Term::Set(vec![self.number(1), self.number(1)]));
                    let next = self.update(place, &shape, 0);
                    Act::Bind(Binder::ForAll, bound, set, Box::new(Act::Becomes(number, next)))
                }
                _ => {
                    let depth = usize::from(!self.is_terse);
                    Act::Becomes(number, self.update(place, &shape, depth))
                }
            });
        }
        // Something that is only known once the next value is.
        if let Some(Act::Becomes(number, _)) = acts.last()
            && self.rarely(12)
        {
            let (number, truth) = (*number, self.rarely(4));
            let differs = infix(Infix::Unequal, Term::Next(number), Term::Var(number));
            acts.push(Act::Holds(infix(Infix::Or, differs, Term::Bool(truth))));
        }
        if !unchanged.is_empty() {
            let place = self.below(acts.len() + 1);
            acts.insert(place, Act::Unchanged(unchanged));
        }
        acts
    }

    /// Invariants that hold initially.
    fn add_invariants(&mut self, spec: &mut Spec) {
        for _ in 0..1 + self.below(2) {
            let invariant = self.condition(2);
            let holds = |state: &Vec<Val>| invariant.is_true(&Scope::of_state(state)) == Ok(true);
            if spec.initial_states().iter().all(holds) {
                spec.invariants.push(invariant);
            }
        }
    }

    /// Adds a mode, and a view that hides a variable while the mode is off: it is set anew when the mode is switched on, and nothing
    /// reads it before that.
    fn add_mode(&mut self, spec: &mut Spec) {
        let masked = MASKED;
        // One operation does the same in both modes.
        let always = self.below(2);
        let mode = self.variables.len();
        let is_on = || equal(Term::Var(mode), int(1));
        let others: Vec<usize> = (0..mode).filter(|number| *number != masked).collect();
        let shape = self.variables[masked].clone();
        let mut in_mode = |act: &Act, params: &[Param], may_wait: bool| {
            let named = |wanted: &[&str]| {
                let names = params
                    .iter()
                    .map(|param| param.name)
                    .filter(|name| wanted.contains(name));
                names.map(ToOwned::to_owned).collect()
            };
            (self.key_names, self.number_names) = (named(&["k", "l"]), named(&["v", "res"]));
            self.readable = vec![masked];
            let off = if self.rarely(3) {
                Act::Unchanged(vec![masked])
            } else {
                Act::Becomes(masked, self.update(Term::Var(masked), &shape, 0))
            };
            let sides = [
                Act::All(vec![act.clone(), Act::Unchanged(vec![mode])]),
                if may_wait && self.rarely(2) {
                    Act::Holds(Term::Bool(false))
                } else {
                    Act::All(vec![off, Act::Unchanged([others.clone(), vec![mode]].concat())])
                },
            ];
            Act::If(is_on(), Box::new(sides))
        };
        for (number, operation) in spec.operations.iter_mut().enumerate() {
            if number == always {
                operation.done = match in_mode(&operation.done, &operation.params, false) {
                    Act::If(_, sides) => sides[1].clone(),
                    other => other,
                };
                operation.step = None;
                continue;
            }
            operation.done = in_mode(&operation.done, &operation.params, true);
            if let Some((step, _)) = &mut operation.step {
                *step = in_mode(step, &operation.params, true);
            }
        }
        for hidden in &mut spec.hidden {
            hidden.act = in_mode(&hidden.act, &[], true);
        }
        for invariant in &mut spec.invariants {
            *invariant = infix(Infix::Implies, is_on(), invariant.clone());
        }
        let (anew, _) = shape.initial(self.keys);
        let switch = |name: &str, act: Act| Operation {
            name: name.to_owned(),
            params: Vec::new(),
            done: act,
            step: None,
        };
        let mut on = vec![Act::Becomes(mode, int(1)), Act::Becomes(masked, anew)];
        if !others.is_empty() {
            on.push(Act::Unchanged(others.clone()));
        }
        let off = vec![Act::Becomes(mode, int(0)), Act::Unchanged((0..mode).collect())];
        spec.operations.push(switch("On", Act::All(on)));
        spec.operations.push(switch("Off", Act::All(off)));
        spec.initial.push(vec![(int(1), Val::Int(1))]);
        let mut view = vec![Term::Var(mode), either(is_on(), Term::Var(masked), int(0))];
        view.extend(others.into_iter().map(Term::Var));
        spec.view = Some(Term::Tuple(view));
    }
}

fn has_tags(shape: &Shape) -> bool {
    match shape {
        Shape::Tag | Shape::Records => true,
        Shape::Function(of) => has_tags(of),
        Shape::Record(fields) => fields.iter().any(|(_, shape)| has_tags(shape)),
        _ => false,
    }
}
