//! Random small specs, random logs of them, random orders: the search against a naive enumeration.
//!
//! The naive checker interprets the random spec by itself, tries every order of the lines that their clocks allow, and keeps the set of all states that
//! explain the lines so far.

use std::collections::BTreeSet;
use std::fmt::Write;

use omnilink_engine::Limits;
use omnilink_evidence::{Confirmation, Verdict};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log};

/// Three variables, each 0, 1 or 2.
type State = [u8; 3];

const VARIABLES: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Copy, Debug)]
enum Expression {
    Constant(u8),
    Variable(usize),
    Param,
    /// A variable plus something, modulo 3.
    Sum(usize, u8),
}

impl Expression {
    fn random(random: &mut fastrand::Rng) -> Self {
        match random.u32(0..5) {
            0 => Self::Constant(random.u8(0..3)),
            1 => Self::Variable(random.usize(0..3)),
            2 | 3 => Self::Param,
            _ => Self::Sum(random.usize(0..3), random.u8(1..3)),
        }
    }

    fn value(self, state: &State, param: u8) -> u8 {
        match self {
            Self::Constant(value) => value,
            Self::Variable(at) => state[at],
            Self::Param => param,
            Self::Sum(at, more) => (state[at] + more) % 3,
        }
    }

    fn text(self) -> String {
        match self {
            Self::Constant(value) => value.to_string(),
            Self::Variable(at) => VARIABLES[at].to_owned(),
            Self::Param => "p".to_owned(),
            Self::Sum(at, more) => format!("(({} + {more}) % 3)", VARIABLES[at]),
        }
    }
}

#[derive(Clone, Debug)]
struct Action {
    /// A variable that must be equal to, or different from, something.
    guard: Option<(usize, bool, Expression)>,
    /// What variables become.
    assigned: [Option<Expression>; 3],
}

impl Action {
    fn random(random: &mut fastrand::Rng) -> Self {
        let guard = random
            .bool()
            .then(|| (random.usize(0..3), random.bool(), Expression::random(random)));
        let mut assigned = [None; 3];
        for _ in 0..random.u32(0..3) {
            assigned[random.usize(0..3)] = Some(Expression::random(random));
        }
        Self { guard, assigned }
    }

    fn next(&self, state: &State, param: u8) -> Option<State> {
        if let Some((variable, is_equal, to)) = self.guard
            && (state[variable] == to.value(state, param)) != is_equal
        {
            return None;
        }
        let mut next = *state;
        for (variable, assigned) in self.assigned.iter().enumerate() {
            if let Some(expression) = assigned {
                next[variable] = expression.value(state, param);
            }
        }
        Some(next)
    }

    fn text(&self, name: &str) -> String {
        let mut text = format!("{name}(p) ==\n");
        if let Some((variable, is_equal, to)) = self.guard {
            let operator = if is_equal { "=" } else { "#" };
            let _ = writeln!(text, "    /\\ {} {operator} {}", VARIABLES[variable], to.text());
        }
        for (variable, assigned) in VARIABLES.iter().zip(&self.assigned) {
            let value = assigned.map_or_else(|| (*variable).to_owned(), Expression::text);
            let _ = writeln!(text, "    /\\ {variable}' = {value}");
        }
        text
    }
}

/// What tells the order of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Vector,
    Edges,
    Timeboxes,
}

/// The ways in which the next-state relation may come to an action, all of which mean the same: `%` stands for the action.
const WAYS: [&str; 12] = [
    "%(p)",
    "Apply(%, p)",
    "Apply(LAMBDA q : %(q), p)",
    "Twice(%, p)",
    "LET act == %(p) IN act",
    "LET act(q) == %(q) IN act(p)",
    "Both(%(p), TRUE)",
    "(\\A q \\in {p} : %(q))",
    "(p \\in 0..2 => %(p))",
    "IF p = 1 THEN %(p) ELSE %(p)",
    "(CASE p = 0 -> %(p) [] OTHER -> %(p))",
    "Later_%(p, 2)",
];

const OPERATORS: &str =
    "Apply(Op(_), k) == Op(k)\nTwice(Op(_), k) == Apply(Op, k)\nBoth(act, more) == act /\\ more\n";

struct Spec {
    order: Order,
    actions: Vec<Action>,
    /// For each action, how the next-state relation comes to it.
    ways: Vec<&'static str>,
    /// A pair of variables that must not both be 2.
    invariant: Option<(usize, usize)>,
    /// The first action may happen once before each line, unobserved.
    is_hidden: bool,
}

impl Spec {
    fn random(random: &mut fastrand::Rng) -> Self {
        let actions: Vec<Action> = (0..random.usize(2..5)).map(|_| Action::random(random)).collect();
        // Half of the actions are simply applied.
        let mut way = || WAYS[random.usize(0..2 * WAYS.len()).saturating_sub(WAYS.len())];
        let ways = actions.iter().map(|_| way()).collect();
        Self {
            order: [Order::Vector, Order::Edges, Order::Timeboxes][random.usize(0..3)],
            actions,
            ways,
            invariant: (random.u32(0..3) == 0).then(|| (random.usize(0..3), random.usize(0..3))),
            is_hidden: random.u32(0..4) == 0,
        }
    }

    fn text(&self) -> String {
        let mut text =
            "---- MODULE Spec ----\nEXTENDS Naturals\nVARIABLES a, b, c\nInit == a = 0 /\\ b = 0 /\\ c = 0\n"
                .to_owned();
        text.push_str(OPERATORS);
        let mut next = "Next == \\E p \\in 0..2 : FALSE".to_owned();
        for (at, (action, way)) in self.actions.iter().zip(&self.ways).enumerate() {
            let name = format!("A{at}");
            text.push_str(&action.text(&name));
            let _ = writeln!(
                text,
                "RECURSIVE Later_{name}(_, _)\nLater_{name}(k, n) == IF n = 0 THEN {name}(k) ELSE Later_{name}(k, n - 1)"
            );
            let _ = write!(next, "\n  \\/ ({})", way.replace('%', &name));
        }
        text + &next + "\n====\n"
    }

    fn link(&self) -> String {
        let mut text = String::new();
        if let Some((one, other)) = self.invariant {
            let _ = writeln!(
                text,
                "invariants = ['{} # 2 \\/ {} # 2']",
                VARIABLES[one], VARIABLES[other]
            );
        }
        let order = match self.order {
            Order::Vector => "vector",
            Order::Edges => "edges",
            Order::Timeboxes => "timeboxes",
        };
        let _ = writeln!(text, "[log]\norder = \"{order}\"");
        if self.is_hidden {
            text.push_str("[[log.hidden]]\naction = \"A0\"\n");
        }
        text
    }

    fn is_allowed(&self, state: &State) -> bool {
        self.invariant
            .is_none_or(|(one, other)| state[one] != 2 || state[other] != 2)
    }

    /// The states after one step of an action, with any argument or a known one.
    fn after(&self, states: &BTreeSet<State>, action: usize, param: Option<u8>) -> BTreeSet<State> {
        let params = 0..3u8;
        let mut after = BTreeSet::new();
        for state in states {
            let next = params
                .clone()
                .filter(|value| param.is_none_or(|param| param == *value))
                .filter_map(|value| self.actions[action].next(state, value));
            after.extend(next.filter(|next| self.is_allowed(next)));
        }
        after
    }

    /// Whether lines in this order are explained.
    fn explains(&self, lines: &[&Line]) -> bool {
        let mut states = BTreeSet::from([[0; 3]]);
        for line in lines {
            if self.is_hidden {
                let hidden = self.after(&states, 0, None);
                states.extend(hidden);
            }
            let actions =
                (0..self.actions.len()).filter(|action| line.event.is_none_or(|event| event == *action));
            let mut after = BTreeSet::new();
            for action in actions {
                let param = line.param.filter(|_| line.event.is_some());
                after.extend(self.after(&states, action, param));
            }
            after.retain(|state| line.shown.iter().all(|(at, value)| state[*at] == *value));
            states = after;
        }
        !states.is_empty()
    }
}

#[derive(Clone, Debug)]
struct Line {
    node: usize,
    clock: [u32; 3],
    /// When it happened, between these.
    span: (i64, i64),
    event: Option<usize>,
    param: Option<u8>,
    /// Variables with their values after the step.
    shown: Vec<(usize, u8)>,
}

impl Line {
    fn json(&self, order: Order, lines: &[Line]) -> String {
        let [a, b, c] = self.clock;
        let id = |line: &Line| format!("\"{}-{}\"", line.node, line.clock[line.node]);
        let time = match order {
            Order::Vector => format!("\"clock\":{{\"n0\":{a},\"n1\":{b},\"n2\":{c}}}"),
            Order::Timeboxes => format!("\"start\":{},\"end\":{}", self.span.0, self.span.1),
            Order::Edges => {
                let before = lines.iter().filter(|line| line.is_before(order, self)).map(id);
                let before: Vec<String> = before.collect();
                format!("\"id\":{},\"after\":[{}]", id(self), before.join(","))
            }
        };
        let mut text = format!("{{\"node\":\"n{}\",{time}", self.node);
        if let Some(event) = self.event {
            let param = self.param.map_or("null".to_owned(), |param| param.to_string());
            let _ = write!(text, ",\"event\":\"A{event}\",\"args\":[{param}]");
        }
        let shown: Vec<String> = self
            .shown
            .iter()
            .map(|(at, value)| format!("\"{}\":{value}", VARIABLES[*at]))
            .collect();
        let _ = write!(text, ",\"state\":{{{}}}}}", shown.join(","));
        text
    }

    fn is_before(&self, order: Order, other: &Self) -> bool {
        match order {
            Order::Vector | Order::Edges => {
                let is_reached = |(own, other): (&u32, &u32)| own <= other;
                self.clock != other.clock && self.clock.iter().zip(&other.clock).all(is_reached)
            }
            Order::Timeboxes => {
                let is_own = self.node == other.node && self.clock[self.node] < other.clock[self.node];
                is_own || self.span.1 < other.span.0
            }
        }
    }
}

/// A random behaviour, told with gaps, by nodes that hear of each other now and then; perhaps with a mistake.
fn random_log(spec: &Spec, random: &mut fastrand::Rng) -> Vec<Line> {
    let precision = random.u32(1..5);
    let mut state = [0; 3];
    let mut clocks = [[0; 3]; 3];
    let mut lines: Vec<Line> = Vec::new();
    let mut time = 0;
    for _ in 0..random.usize(1..6) {
        let steps: Vec<(usize, u8, State)> = (0..spec.actions.len())
            .flat_map(|action| (0..3).map(move |param| (action, param)))
            .filter_map(|(action, param)| Some((action, param, spec.actions[action].next(&state, param)?)))
            .filter(|(.., next)| spec.is_allowed(next))
            .collect();
        let Some((action, param, next)) = random.choice(steps) else {
            break;
        };
        state = next;
        let node = random.usize(0..3);
        if random.u32(0..3) == 0 {
            let heard = clocks[random.usize(0..3)];
            for (own, other) in clocks[node].iter_mut().zip(heard) {
                *own = other.max(*own);
            }
        }
        clocks[node][node] += 1;
        time += random.i64(0..3);
        let span = (time, time + random.i64(0..4));
        let mut says = || random.u32(0..4) < precision;
        lines.push(Line {
            node,
            clock: clocks[node],
            span,
            event: says().then_some(action),
            param: says().then_some(param),
            shown: (0..3).filter(|_| says()).map(|at| (at, state[at])).collect(),
        });
    }
    if lines.is_empty() {
        return lines;
    }
    let at = random.usize(0..lines.len());
    match random.u32(0..6) {
        0 => {
            // A line is missing: the clocks of the others still tell that it was there.
            lines.remove(at);
        }
        1 => {
            let other = random.usize(0..lines.len());
            let (one, two) = (lines[at].clone(), lines[other].clone());
            (lines[at].event, lines[at].param, lines[at].shown) = (two.event, two.param, two.shown);
            (lines[other].event, lines[other].param, lines[other].shown) = (one.event, one.param, one.shown);
        }
        2 => lines[at].param = Some(random.u8(0..3)),
        3 => lines[at]
            .shown
            .iter_mut()
            .for_each(|(_, value)| *value = (*value + 1) % 3),
        _ => {}
    }
    lines
}

/// Whether some order of the lines that their clocks allow is explained.
fn is_explained(spec: &Spec, lines: &[Line]) -> bool {
    fn go<'l>(spec: &Spec, lines: &'l [Line], order: &mut Vec<&'l Line>) -> bool {
        if order.len() == lines.len() {
            return spec.explains(order);
        }
        for next in lines {
            let is_placed = |line: &Line| order.iter().any(|placed| placed.clock == line.clock);
            if is_placed(next)
                || lines
                    .iter()
                    .any(|other| other.is_before(spec.order, next) && !is_placed(other))
            {
                continue;
            }
            order.push(next);
            let is_found = go(spec, lines, order);
            order.pop();
            if is_found {
                return true;
            }
        }
        false
    }
    go(spec, lines, &mut Vec::new())
}

#[test]
fn random_specs_explain_exactly_what_the_naive_enumeration_explains() {
    let specs = std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok());
    let specs: u32 = specs.map_or(120, |rounds: u32| rounds / 10);
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join("Spec.tla");
    let log = folder.path().join("log.ndjson");
    let mut random = fastrand::Rng::with_seed(23);
    let (mut accepted, mut rejected) = (0, 0);
    for round in 0..specs {
        let spec = Spec::random(&mut random);
        std::fs::write(&path, spec.text()).unwrap_or_else(|error| panic!("{error}"));
        let options = LinkOptions {
            file: LinkFile::parse(&spec.link()).unwrap_or_else(|error| panic!("{error}")),
            ..LinkOptions::default()
        };
        let mut check = LogCheck::new(&path, options, Limits::default());
        let shared = check
            .shared_spec()
            .unwrap_or_else(|error| panic!("{error}\n{}", spec.text()));
        for _ in 0..25 {
            let lines = random_log(&spec, &mut random);
            if lines.is_empty() {
                continue;
            }
            let text: Vec<String> = lines.iter().map(|line| line.json(spec.order, &lines)).collect();
            let text = text.join("\n");
            std::fs::write(&log, &text).unwrap_or_else(|error| panic!("{error}"));
            let is_explained = is_explained(&spec, &lines);
            let expected = if is_explained {
                Verdict::Valid
            } else {
                Verdict::Violation
            };
            for (is_reduced, is_naive) in [(true, false), (false, false), (false, true)] {
                check.uses_independence = is_reduced;
                check.is_naive = is_naive;
                let found = check_log(
                    &check,
                    shared.as_ref(),
                    "log",
                    std::slice::from_ref(&log),
                    &mut |_| {},
                );
                assert_eq!(
                    found.verdict,
                    expected,
                    "round {round}, reduced: {is_reduced}, naive: {is_naive}, {:?}\n{}{}{text}",
                    found.error,
                    spec.text(),
                    spec.link()
                );
                if is_explained {
                    assert!(
                        found.figures.replayed >= Some(lines.len() as u64),
                        "{:?}",
                        found.notes
                    )
                } else {
                    assert!(
                        found
                            .confirmation
                            .as_ref()
                            .is_some_and(Confirmation::is_confirmed),
                        "{:?}",
                        found.confirmation
                    )
                }
            }
            if is_explained {
                accepted += 1
            } else {
                rejected += 1
            }
        }
    }
    assert!(
        accepted > specs && rejected > specs,
        "{accepted} accepted, {rejected} rejected"
    );
}
