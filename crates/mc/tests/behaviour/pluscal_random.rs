//! Random PlusCal algorithms: an interpreter of statements, which shares nothing with the translator, finds as many states as the model checker.
//!
//! The interpreter runs statements one after the other on values, so primes, frames, branches and the stack are decided in another way. A program that the
//! translator refuses, because a label is missing, is not counted.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fastrand::Rng;
use omnilink_tla::semantics::pluscal::{TranslationOptions, translate};

use crate::common::answer_of;

/// A value: a variable, the variable of an enclosing `with`, the process, the parameter of the procedure, or a number; and a number to add.
#[derive(Clone, Copy)]
enum Operand {
    Variable(usize),
    With(usize),
    Identity,
    Parameter,
    Number,
}

#[derive(Clone, Copy)]
struct Sum(Operand, u8);

struct Statement {
    label: Option<String>,
    kind: Kind,
}

enum Kind {
    Assign(Vec<(usize, Sum)>),
    If(Sum, Sum, Vec<Statement>, Vec<Statement>),
    While(Sum, Sum, Vec<Statement>),
    Either(Vec<Vec<Statement>>),
    With(Vec<Statement>),
    Await(Sum, Sum),
    Goto(String),
    Call(Sum),
    Return,
}

/// The first of the variables that belong to the process. Those before it belong to all.
const LOCAL: usize = 2;

/// Makes the body of a process or of the procedure.
struct Maker<'r> {
    rng: &'r mut Rng,
    prefix: char,
    labels: usize,
    in_procedure: bool,
}

impl Maker<'_> {
    fn sum(&mut self, withs: usize) -> Sum {
        let operand = match self.rng.u32(..6) {
            0 | 1 => Operand::Variable(
                self.rng
                    .usize(..if self.in_procedure { LOCAL } else { LOCAL + 1 }),
            ),
            2 if withs > 0 => Operand::With(self.rng.usize(..withs)),
            // In a single process, `self` means nothing.
            3 if self.prefix == 'a' => Operand::Identity,
            4 if self.in_procedure => Operand::Parameter,
            _ => Operand::Number,
        };
        Sum(operand, self.rng.u8(..3))
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("{}{}", self.prefix, self.labels)
    }

    fn list(&mut self, depth: u32, withs: usize, is_body: bool) -> Vec<Statement> {
        let mut list: Vec<Statement> = Vec::new();
        for number in 0..self.rng.usize(1..4) {
            let kind = self.kind(depth, withs);
            let needs_label = (is_body && number == 0) || matches!(kind, Kind::While(..));
            let label = (withs == 0 && (needs_label || self.rng.u32(..5) < 3)).then(|| self.label());
            list.push(Statement { label, kind });
        }
        list
    }

    fn kind(&mut self, depth: u32, withs: usize) -> Kind {
        let (left, right) = (self.sum(withs), self.sum(withs));
        let inner = depth.saturating_sub(1);
        match self.rng.u32(..if depth == 0 { 5 } else { 12 }) {
            0 | 1 => {
                let first = self
                    .rng
                    .usize(..if self.in_procedure { LOCAL } else { LOCAL + 1 });
                let mut assigned = vec![(first, left)];
                if self.rng.bool() {
                    assigned.push(((first + 1) % LOCAL, right));
                }
                assigned.dedup_by_key(|(variable, _)| *variable);
                Kind::Assign(assigned)
            }
            2 => Kind::Await(left, right),
            3 if withs == 0 && self.labels > 0 => {
                Kind::Goto(format!("{}{}", self.prefix, self.rng.usize(1..=self.labels)))
            }
            3 | 4 if self.in_procedure => Kind::Return,
            3 | 4 => Kind::Call(left),
            5..=7 => {
                let then = self.list(inner, withs, false);
                let otherwise = match self.rng.bool() {
                    true => self.list(inner, withs, false),
                    false => Vec::new(),
                };
                Kind::If(left, right, then, otherwise)
            }
            8 if withs == 0 => Kind::While(left, right, self.list(inner, withs, false)),
            8 | 9 => Kind::Either((0..2).map(|_| self.list(inner, withs, false)).collect()),
            _ => Kind::With(self.list(inner, withs + 1, false)),
        }
    }
}

/// A program: a set of two processes, one process, and a procedure.
struct Program {
    bodies: [Vec<Statement>; 2],
    procedure: Vec<Statement>,
}

impl Program {
    fn new(rng: &mut Rng) -> Self {
        let mut body = |prefix, in_procedure| {
            let mut maker = Maker {
                rng,
                prefix,
                labels: 0,
                in_procedure,
            };
            maker.list(2, 0, true)
        };
        Self {
            bodies: [body('a', false), body('b', false)],
            procedure: body('q', true),
        }
    }

    fn text(&self) -> String {
        let mut text = "---- MODULE Random ----\nEXTENDS Naturals, Sequences\n(* --algorithm Random {\n  variables x = 0, y = 1;\n".to_owned();
        let _ = writeln!(
            text,
            "  procedure work(k = 0)\n{}",
            braces(&self.procedure, 'q', 0)
        );
        let _ = writeln!(
            text,
            "  process (pair \\in 1..2)\n    variables t = 0;\n{}",
            braces(&self.bodies[0], 'a', 0)
        );
        let _ = writeln!(
            text,
            "  process (one = 3)\n    variables s = 0;\n{}}} *)\n====",
            braces(&self.bodies[1], 'b', 0)
        );
        text
    }
}

fn braces(list: &[Statement], prefix: char, withs: usize) -> String {
    let name = |variable: usize| match (variable, prefix) {
        (0, _) => "x",
        (1, _) => "y",
        (_, 'a') => "t",
        _ => "s",
    };
    let sum = |Sum(operand, number): &Sum| match operand {
        Operand::Variable(variable) => format!("({} + {number}) % 3", name(*variable)),
        Operand::With(with) => format!("(w{with} + {number}) % 3"),
        Operand::Identity => format!("(self + {number}) % 3"),
        Operand::Parameter => format!("(k + {number}) % 3"),
        Operand::Number => number.to_string(),
    };
    let mut text = "{\n".to_owned();
    for Statement { label, kind } in list {
        if let Some(label) = label {
            let _ = write!(text, "{label}: ");
        }
        let _ = match kind {
            Kind::Assign(assigned) => {
                let parts: Vec<String> = assigned
                    .iter()
                    .map(|(variable, value)| format!("{} := {}", name(*variable), sum(value)))
                    .collect();
                write!(text, "{}", parts.join(" || "))
            }
            Kind::If(left, right, then, otherwise) => {
                let _ = write!(
                    text,
                    "if ({} = {}) {}",
                    sum(left),
                    sum(right),
                    braces(then, prefix, withs)
                );
                match otherwise.is_empty() {
                    true => Ok(()),
                    false => write!(text, " else {}", braces(otherwise, prefix, withs)),
                }
            }
            Kind::While(left, right, body) => write!(
                text,
                "while ({} < {}) {}",
                sum(left),
                sum(right),
                braces(body, prefix, withs)
            ),
            Kind::Either(branches) => {
                let parts: Vec<String> = branches
                    .iter()
                    .map(|branch| braces(branch, prefix, withs))
                    .collect();
                write!(text, "either {}", parts.join(" or "))
            }
            Kind::With(body) => write!(
                text,
                "with (w{withs} \\in 0..1) {}",
                braces(body, prefix, withs + 1)
            ),
            Kind::Await(left, right) => write!(text, "await {} <= {}", sum(left), sum(right)),
            Kind::Goto(label) => write!(text, "goto {label}"),
            Kind::Call(value) => write!(text, "call work({})", sum(value)),
            Kind::Return => write!(text, "return"),
        };
        text.push_str(";\n");
    }
    text + "}"
}

/// A state: the variables of all, and for each process its own variable, its parameter, its stack and its label.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    shared: [u8; LOCAL],
    own: [(u8, u8, Vec<(String, u8)>, String); 3],
}

/// A list that is being run: what comes next in it, the loop whose body it is, and whether it has a variable of its own.
#[derive(Clone, Copy)]
struct Frame<'p> {
    list: &'p [Statement],
    next: usize,
    round: Option<&'p str>,
    has_with: bool,
}

struct Interpreter<'p> {
    program: &'p Program,
    process: usize,
    found: Vec<State>,
}

impl<'p> Interpreter<'p> {
    /// The lists around a label, the innermost last.
    fn frames(list: &'p [Statement], round: Option<&'p str>, label: &str) -> Option<Vec<Frame<'p>>> {
        for (at, statement) in list.iter().enumerate() {
            let frame = |next| Frame {
                list,
                next,
                round,
                has_with: false,
            };
            if statement.label.as_deref() == Some(label) {
                return Some(vec![frame(at)]);
            }
            let (next, inner): (usize, Vec<(&[Statement], Option<&str>)>) = match &statement.kind {
                Kind::If(_, _, then, otherwise) => (at + 1, vec![(then, None), (otherwise, None)]),
                Kind::Either(branches) => (at + 1, branches.iter().map(|branch| (&**branch, None)).collect()),
                Kind::While(_, _, body) => (at, vec![(body, statement.label.as_deref())]),
                _ => continue,
            };
            let found = inner
                .into_iter()
                .find_map(|(list, round)| Self::frames(list, round, label));
            if let Some(found) = found {
                return Some([vec![frame(next)], found].concat());
            }
        }
        None
    }

    fn value(&self, Sum(operand, number): Sum, state: &State, withs: &[u8]) -> u8 {
        let own = &state.own[self.process];
        let value = match operand {
            Operand::Variable(variable) => *state.shared.get(variable).unwrap_or(&own.0),
            Operand::With(with) => withs[with],
            Operand::Identity => self.process as u8 + 1,
            Operand::Parameter => own.1,
            Operand::Number => return number,
        };
        (value + number) % 3
    }

    fn stop(&mut self, mut state: State, label: &str) {
        state.own[self.process].3 = label.to_owned();
        self.found.push(state);
    }

    /// The label that these frames come to without running anything.
    fn label_after(frames: &[Frame<'p>], end: &'static str) -> &'p str {
        for frame in frames.iter().rev() {
            if let Some(next) = frame.list.get(frame.next) {
                // A `goto` behind a call is part of the call.
                return match (&next.label, &next.kind) {
                    (Some(label), _) | (None, Kind::Goto(label)) => label,
                    (None, _) => "",
                };
            }
            if let Some(round) = frame.round {
                return round;
            }
        }
        end
    }

    fn run(&mut self, mut frames: Vec<Frame<'p>>, mut state: State, mut withs: Vec<u8>, mut is_first: bool) {
        let in_procedure = state.own[self.process].3.starts_with('q');
        let end = if in_procedure { "Error" } else { "Done" };
        loop {
            let Some(frame) = frames.last_mut() else {
                return self.stop(state, end);
            };
            let Some(statement) = frame.list.get(frame.next) else {
                if let Some(round) = frame.round {
                    return self.stop(state, round);
                }
                if frame.has_with {
                    withs.pop();
                }
                frames.pop();
                continue;
            };
            if let Some(label) = statement.label.as_deref().filter(|_| !is_first) {
                return self.stop(state, label);
            }
            is_first = false;
            if !matches!(statement.kind, Kind::While(..)) {
                frame.next += 1;
            }
            let inner = |list, round, has_with| Frame {
                list,
                next: 0,
                round,
                has_with,
            };
            match &statement.kind {
                Kind::Assign(assigned) => {
                    let values: Vec<u8> = assigned
                        .iter()
                        .map(|(_, value)| self.value(*value, &state, &withs))
                        .collect();
                    for ((variable, _), value) in assigned.iter().zip(values) {
                        match state.shared.get_mut(*variable) {
                            Some(shared) => *shared = value,
                            None => state.own[self.process].0 = value,
                        }
                    }
                }
                Kind::If(left, right, then, otherwise) => {
                    let holds = self.value(*left, &state, &withs) == self.value(*right, &state, &withs);
                    frames.push(inner(if holds { then } else { otherwise }, None, false));
                }
                Kind::While(left, right, body) => {
                    match self.value(*left, &state, &withs) < self.value(*right, &state, &withs) {
                        true => frames.push(inner(body, statement.label.as_deref(), false)),
                        false => frame.next += 1,
                    }
                }
                Kind::Either(branches) => {
                    for branch in branches {
                        let frames = [frames.clone(), vec![inner(branch, None, false)]].concat();
                        self.run(frames, state.clone(), withs.clone(), false);
                    }
                    return;
                }
                Kind::With(body) => {
                    for value in 0..2 {
                        let frames = [frames.clone(), vec![inner(body, None, true)]].concat();
                        self.run(
                            frames,
                            state.clone(),
                            [withs.clone(), vec![value]].concat(),
                            false,
                        );
                    }
                    return;
                }
                Kind::Await(left, right) => {
                    if self.value(*left, &state, &withs) > self.value(*right, &state, &withs) {
                        return;
                    }
                }
                Kind::Goto(label) => return self.stop(state, label),
                Kind::Call(value) => {
                    let value = self.value(*value, &state, &withs);
                    let back = Self::label_after(&frames, end).to_owned();
                    let own = &mut state.own[self.process];
                    own.2.insert(0, (back, own.1));
                    own.1 = value;
                    let entry = self.program.procedure[0].label.clone().unwrap_or_default();
                    return self.stop(state, &entry);
                }
                Kind::Return => {
                    let own = &mut state.own[self.process];
                    let (back, parameter) = own.2.remove(0);
                    own.1 = parameter;
                    return self.stop(state, &back);
                }
            }
        }
    }
}

/// The number of states that a program reaches.
fn reached(program: &Program, limit: usize) -> Option<usize> {
    let entry = |body: &[Statement]| body[0].label.clone().unwrap_or_default();
    let own = |body| (0, 0, Vec::new(), entry(body));
    let first = State {
        shared: [0, 1],
        own: [
            own(&program.bodies[0]),
            own(&program.bodies[0]),
            own(&program.bodies[1]),
        ],
    };
    let mut seen = BTreeSet::from([first.clone()]);
    let mut pending = vec![first];
    while let Some(state) = pending.pop() {
        for process in 0..3 {
            let label = state.own[process].3.clone();
            let body = match label.as_bytes().first() {
                Some(b'q') => &program.procedure,
                _ => &program.bodies[process / 2],
            };
            let mut interpreter = Interpreter {
                program,
                process,
                found: Vec::new(),
            };
            if let Some(frames) = Interpreter::frames(body, None, &label) {
                interpreter.run(frames, state.clone(), Vec::new(), true);
            }
            for next in interpreter.found {
                if seen.insert(next.clone()) {
                    pending.push(next);
                }
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some(seen.len())
}

#[test]
fn random_algorithms_have_the_states_that_running_their_statements_gives() {
    let rounds = std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(60);
    let seed = std::env::var("OMNILINK_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(39);
    let mut rng = Rng::with_seed(seed);
    let folder = tempfile::tempdir().expect("a new folder");
    let (spec, config) = (folder.path().join("Random.tla"), folder.path().join("Random.cfg"));
    std::fs::write(&config, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n").expect("a file");
    let (mut compared, mut tried) = (0, 0);
    while compared < rounds {
        tried += 1;
        assert!(
            tried < 1000 * rounds,
            "{compared} of {tried} programs have all their labels"
        );
        let program = Program::new(&mut rng);
        let text = program.text();
        if translate(&text, &TranslationOptions::default()).is_err() {
            continue;
        }
        let Some(states) = reached(&program, 4_000).filter(|states| *states > 5) else {
            continue;
        };
        compared += 1;
        std::fs::write(&spec, &text).expect("a file");
        let answer = answer_of(&spec, config.clone(), 1);
        assert_eq!(answer["verdict"], "ok", "{answer}\n{text}");
        assert_eq!(answer["distinct"], states, "{text}");
    }
}
