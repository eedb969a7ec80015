//! Random small specifications with random properties and fairness: the verdict against a naive check of all lassos of the explicit
//! graph.
//!
//! The naive check knows nothing of TLA+: it has its own table of steps, from which the specification is written, and decides each
//! formula on each lasso by the definition of the temporal operators.

use std::fmt::Write;

use crate::common::check;
use fastrand::Rng;
use omnilink_mc::report::{Answer, Verdict};
use omnilink_mc::{CheckOptions, Evaluators, SearchProgress};
use omnilink_tla::config::parse;
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;

const STATES: usize = 4;
const ACTIONS: usize = 2;

/// A specification with one variable `x`, whose actions are sets of steps. `next` says which actions are parts of Next.
struct Machine {
    actions: [Vec<(usize, usize)>; ACTIONS],
    next: [bool; ACTIONS],
    fairness: Vec<(bool, usize)>,
}

#[derive(Debug)]
enum Property {
    /// `x \in {…}`, as a bit set.
    In(u8),
    Not(Box<Property>),
    And(Box<Property>, Box<Property>),
    Or(Box<Property>, Box<Property>),
    Always(Box<Property>),
    Eventually(Box<Property>),
    LeadsTo(Box<Property>, Box<Property>),
    /// `\A k \in 0..1 : <>(x = k) \/ …`: a quantifier over the states of the bit set.
    ForAll(u8, bool),
    Fair(bool, usize),
    /// `[]<><<A>>_x` or `<>[][A]_x`.
    Steps(bool, usize),
}

fn random_property(random: &mut Rng, depth: usize) -> Property {
    let set = |random: &mut Rng| 1 + random.usize(..(1 << STATES) - 2) as u8;
    let choice = if depth == 0 { 0 } else { random.usize(..11) };
    let mut inner = || Box::new(random_property(random, depth.saturating_sub(1)));
    match choice {
        0 => Property::In(set(random)),
        1 => Property::Not(inner()),
        2 => Property::And(inner(), inner()),
        3 => Property::Or(inner(), inner()),
        4 | 5 => Property::Always(inner()),
        6 | 7 => Property::Eventually(inner()),
        8 => Property::LeadsTo(inner(), inner()),
        9 => match random.usize(..2) {
            0 => Property::Fair(random.usize(..2) == 0, random.usize(..ACTIONS)),
            _ => Property::Steps(random.usize(..2) == 0, random.usize(..ACTIONS)),
        },
        _ => Property::ForAll(set(random), random.usize(..2) == 0),
    }
}

fn elements(set: u8) -> String {
    let members = (0..STATES)
        .filter(|state| set >> state & 1 == 1)
        .map(|state| format!("s{state}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

/// The property in TLA+. The states are `s0`, `s1`, …
fn written(property: &Property) -> String {
    match property {
        Property::In(set) => format!("(x \\in {})", elements(*set)),
        Property::Not(inner) => format!("(~{})", written(inner)),
        Property::And(left, right) => format!("({} /\\ {})", written(left), written(right)),
        Property::Or(left, right) => format!("({} \\/ {})", written(left), written(right)),
        Property::Always(inner) => format!("([]{})", written(inner)),
        Property::Eventually(inner) => format!("(<>{})", written(inner)),
        Property::LeadsTo(left, right) => format!("({} ~> {})", written(left), written(right)),
        Property::ForAll(set, true) => format!("(\\A k \\in {} : []<>(x = k))", elements(*set)),
        Property::ForAll(set, false) => format!("(\\E k \\in {} : <>[](x # k))", elements(*set)),
        Property::Fair(is_strong, action) => {
            format!("{}_x(A{action})", if *is_strong { "SF" } else { "WF" })
        }
        Property::Steps(true, action) => format!("([]<><<A{action}>>_x)"),
        Property::Steps(false, action) => format!("(<>[][A{action}]_x)"),
    }
}

impl Machine {
    fn random(random: &mut Rng) -> Self {
        let mut actions: [Vec<(usize, usize)>; ACTIONS] = Default::default();
        for steps in &mut actions {
            for _ in 0..random.usize(..6) {
                steps.push((random.usize(..STATES), random.usize(..STATES)));
            }
        }
        Self {
            actions,
            next: [true, random.usize(..4) > 0],
            fairness: (0..random.usize(..3))
                .map(|_| (random.usize(..2) == 0, random.usize(..ACTIONS)))
                .collect(),
        }
    }

    /// The specification. If steps are counted, there are infinitely many states unless a VIEW hides the count.
    fn spec(&self, property: &Property, counts_steps: bool) -> String {
        let (variables, zero, one) = match counts_steps {
            true => ("x, n", " /\\ n = 0", " /\\ n' = n + 1"),
            false => ("x", "", ""),
        };
        let mut text = format!(
            "---- MODULE Random ----\nEXTENDS TLC, Naturals\nCONSTANTS s0, s1, s2, s3\nVARIABLES {variables}\nInit == x = s0{zero}\n\
             Alike == Permutations({{s1, s2, s3}})\nHidden == IF x = s0 THEN s0 ELSE s1\nShown == x\n",
        );
        for (number, steps) in self.actions.iter().enumerate() {
            let _ = writeln!(text, "A{number} ==");
            let _ = writeln!(text, "  \\/ FALSE /\\ x' = x{one}");
            for (from, to) in steps {
                let _ = writeln!(text, "  \\/ x = s{from} /\\ x' = s{to}{one}");
            }
        }
        let next: Vec<String> = (0..ACTIONS)
            .filter(|number| self.next[*number])
            .map(|number| format!("A{number}"))
            .collect();
        let _ = writeln!(text, "Next == {}", next.join(" \\/ "));
        let _ = write!(text, "Spec == Init /\\ [][Next]_<<{variables}>>");
        for (is_strong, action) in &self.fairness {
            let _ = write!(text, " /\\ {}_x(A{action})", if *is_strong { "SF" } else { "WF" });
        }
        let _ = writeln!(text, "\nP == {}\n====", written(property));
        text
    }

    fn takes(&self, action: usize, from: usize, to: usize) -> bool {
        from != to && self.actions[action].contains(&(from, to))
    }

    fn is_enabled(&self, action: usize, state: usize) -> bool {
        (0..STATES).any(|to| self.takes(action, state, to))
    }

    fn successors(&self, state: usize) -> Vec<usize> {
        let has_step =
            |to: &usize| (0..ACTIONS).any(|action| self.next[action] && self.takes(action, state, *to));
        let mut all: Vec<usize> = (0..STATES).filter(has_step).collect();
        all.push(state);
        all
    }

    /// Whether a property holds on a lasso, at each position.
    fn truths(&self, states: &[usize], start: usize, property: &Property) -> Vec<bool> {
        let next = |at: usize| {
            if at + 1 == states.len() {
                states[start]
            } else {
                states[at + 1]
            }
        };
        let cycle = start..states.len();
        let everywhere = |holds: bool| vec![holds; states.len()];
        let later = |truths: &[bool], is_always: bool| -> Vec<bool> {
            (0..states.len())
                .map(|at| {
                    let mut from_here = truths[at.min(start)..].iter().zip(at.min(start)..);
                    let counts = |other: usize| other >= at || other >= start;
                    match is_always {
                        true => from_here.all(|(truth, other)| *truth || !counts(other)),
                        false => from_here.any(|(truth, other)| *truth && counts(other)),
                    }
                })
                .collect()
        };
        match property {
            Property::In(set) => states.iter().map(|state| set >> state & 1 == 1).collect(),
            Property::Not(inner) => self
                .truths(states, start, inner)
                .into_iter()
                .map(|truth| !truth)
                .collect(),
            Property::And(left, right) | Property::Or(left, right) => {
                let both = self
                    .truths(states, start, left)
                    .into_iter()
                    .zip(self.truths(states, start, right));
                let is_and = matches!(property, Property::And(..));
                both.map(|(left, right)| if is_and { left && right } else { left || right })
                    .collect()
            }
            Property::Always(inner) => later(&self.truths(states, start, inner), true),
            Property::Eventually(inner) => later(&self.truths(states, start, inner), false),
            Property::LeadsTo(left, right) => {
                let eventually = later(&self.truths(states, start, right), false);
                let before = self.truths(states, start, left);
                let holds: Vec<bool> = before
                    .iter()
                    .zip(eventually)
                    .map(|(left, right)| !left || right)
                    .collect();
                later(&holds, true)
            }
            Property::ForAll(set, is_often) => {
                let mut members = (0..STATES).filter(|state| set >> state & 1 == 1);
                everywhere(match is_often {
                    true => members.all(|member| cycle.clone().any(|at| states[at] == member)),
                    false => members.any(|member| cycle.clone().all(|at| states[at] != member)),
                })
            }
            Property::Fair(is_strong, action) => {
                let taken = cycle.clone().any(|at| self.takes(*action, states[at], next(at)));
                let mut enabled = cycle.map(|at| self.is_enabled(*action, states[at]));
                everywhere(
                    taken
                        || if *is_strong {
                            !enabled.any(|on| on)
                        } else {
                            !enabled.all(|on| on)
                        },
                )
            }
            Property::Steps(true, action) => {
                everywhere(cycle.clone().any(|at| self.takes(*action, states[at], next(at))))
            }
            Property::Steps(false, action) => everywhere(
                cycle
                    .clone()
                    .all(|at| states[at] == next(at) || self.takes(*action, states[at], next(at))),
            ),
        }
    }

    /// Whether a lasso with at most `length` states is fair and violates the property.
    fn has_counterexample(&self, property: &Property, length: usize) -> bool {
        let mut walks = vec![vec![0]];
        for _ in 0..length {
            let mut longer = Vec::new();
            for walk in walks {
                for to in self.successors(walk[walk.len() - 1]) {
                    for start in (0..walk.len()).filter(|start| walk[*start] == to) {
                        let is_fair = self.fairness.iter().all(|(is_strong, action)| {
                            self.truths(&walk, start, &Property::Fair(*is_strong, *action))[0]
                        });
                        if is_fair && !self.truths(&walk, start, property)[0] {
                            return true;
                        }
                    }
                    let mut walk = walk.clone();
                    walk.push(to);
                    longer.push(walk);
                }
            }
            walks = longer;
        }
        false
    }
}

#[test]
fn random_specs_agree_with_a_naive_check_of_all_lassos() {
    let rounds = std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok());
    let rounds: u64 = rounds.unwrap_or(1_500);
    let (mut violations, mut early) = (0, 0);
    for seed in 0..rounds {
        let mut random = Rng::with_seed(seed);
        let machine = Machine::random(&mut random);
        // The second part, which is false, makes the property temporal as a whole: it is not taken apart.
        let never = Property::Always(Box::new(Property::In(0)));
        let whole = Property::Or(Box::new(random_property(&mut random, 3)), Box::new(never));
        let counts_steps = seed % 5 == 4;
        let text = machine.spec(&whole, counts_steps);
        let loaded = load_text("Random.tla".as_ref(), text.clone(), &SearchPath::default());
        let mut diagnostics = Vec::new();
        let mut spec = loaded.spec;
        // The states are numbers or model values. Some of the specifications have a SYMMETRY that the property does not have,
        // some a VIEW that hides what the property reads, and some a VIEW without which there are infinitely many states.
        let (values, reduction) = match seed % 3 {
            _ if counts_steps => ("s0 = 0 s1 = 1 s2 = 2 s3 = 3", "VIEW Shown"),
            0 => ("s0 = 0 s1 = 1 s2 = 2 s3 = 3", ""),
            1 => ("s0 = s0 s1 = s1 s2 = s2 s3 = s3", "SYMMETRY Alike"),
            _ => ("s0 = 0 s1 = 1 s2 = 2 s3 = 3", "VIEW Hidden"),
        };
        let config_text = format!(
            "SPECIFICATION Spec\nPROPERTY P\nCHECK_DEADLOCK FALSE\nCONSTANTS {values}\n{reduction}\n"
        );
        let source = spec.sources.add(omnilink_tla::source::Source::new(
            "Random.cfg",
            config_text.clone(),
        ));
        let config = parse(source, &config_text, &mut diagnostics);
        let model = build(spec, &config, &BuildOptions::default());
        let model = model.unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics));
        let options = CheckOptions {
            workers: 1 + (seed % 2) as usize,
            // Half of the labels are those of compiled code, compared with the evaluator's.
            evaluators: if seed % 8 < 4 {
                Evaluators::Both
            } else {
                Evaluators::Interpreter
            },
            // Half of the properties are also checked while the search runs.
            first_look: if seed % 4 < 2 { usize::MAX } else { 1 },
            states_beyond_view: 40,
            ..CheckOptions::default()
        };
        let report = check(
            &model,
            "random",
            &options,
            &SearchProgress::default(),
            &|_| {},
            None,
        );
        let report = report.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let is_violated = match report.verdict() {
            Verdict::Valid => false,
            Verdict::Violation => true,
            verdict => panic!("{verdict:?} {:?}\n{text}", report.answer),
        };
        early += u64::from(
            report
                .notes
                .iter()
                .any(|note| note.starts_with("the search ended with")),
        );
        violations += u64::from(is_violated);
        if is_violated {
            let Answer::Wrong(violation) = &report.answer else {
                unreachable!()
            };
            let states: Vec<usize> = violation
                .states
                .iter()
                .map(|state| {
                    let value = state.values.0[0].1.to_string();
                    value.trim_start_matches('s').parse().expect("a state")
                })
                .collect();
            let start = violation.lasso.unwrap_or(states.len()) - 1;
            assert!(
                !machine.truths(&states, start, &whole)[0],
                "{states:?} back to {start} is no counterexample\n{text}"
            );
            for (is_strong, action) in &machine.fairness {
                assert!(
                    machine.truths(&states, start, &Property::Fair(*is_strong, *action))[0],
                    "{states:?} back to {start} is not fair\n{text}"
                );
            }
        } else {
            assert!(
                !machine.has_counterexample(&whole, 6),
                "a counterexample was missed\n{text}"
            );
        }
    }
    assert!(
        violations > rounds / 5 && violations < rounds * 4 / 5,
        "{violations} of {rounds}"
    );
    assert!(early > rounds / 50, "{early} of {violations} were found early");
}
