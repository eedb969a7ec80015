//! Random PlusCal algorithms: an interpreter of statements, which shares nothing with the translator, finds as many states as the model checker.
//!
//! The interpreter runs statements one after the other on values, so primes, frames, branches and the stack are decided in another way. A program that the
//! translator refuses, because a label is missing, is not counted.

use std::collections::BTreeSet;

use fastrand::Rng;
use omnilink_tla::semantics::pluscal::{TranslationOptions, translate};

use crate::common::answer_of;
use crate::pluscal_program::{Kind, LOCAL, Operand, Program, Statement, Sum};

/// A state: the variables of all, and for each process its own variable, its parameter, its stack and its label.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    shared: [u8; LOCAL],
    own: [Own; 3],
}

/// What belongs to one process.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Own {
    variable: u8,
    parameter: u8,
    /// Where to return to, and the parameter then; the last call first.
    stack: Vec<(String, u8)>,
    label: String,
}

/// A list inside a statement, and the label of the loop whose body it is.
type Inner<'p> = (&'p [Statement], Option<&'p str>);

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
            let (next, inner): (usize, Vec<Inner<'p>>) = match &statement.kind {
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
            Operand::Variable(variable) => *state.shared.get(variable).unwrap_or(&own.variable),
            Operand::With(with) => withs[with],
            Operand::Identity => self.process as u8 + 1,
            Operand::Parameter => own.parameter,
            Operand::Number => return number,
        };
        (value + number) % 3
    }

    fn stop(&mut self, mut state: State, label: &str) {
        state.own[self.process].label = label.to_owned();
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
        let in_procedure = state.own[self.process].label.starts_with('q');
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
                            None => state.own[self.process].variable = value,
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
                    own.stack.insert(0, (back, own.parameter));
                    own.parameter = value;
                    let entry = self.program.procedure[0].label.clone().unwrap_or_default();
                    return self.stop(state, &entry);
                }
                Kind::Return => {
                    let own = &mut state.own[self.process];
                    let (back, parameter) = own.stack.remove(0);
                    own.parameter = parameter;
                    return self.stop(state, &back);
                }
            }
        }
    }
}

/// The number of states that a program reaches.
fn reached(program: &Program, limit: usize) -> Option<usize> {
    let entry = |body: &[Statement]| body[0].label.clone().unwrap_or_default();
    let own = |body| Own {
        variable: 0,
        parameter: 0,
        stack: Vec::new(),
        label: entry(body),
    };
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
            let label = state.own[process].label.clone();
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
