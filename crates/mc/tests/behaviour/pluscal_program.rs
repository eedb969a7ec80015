//! Random PlusCal programs: their statements, and their text.

use std::fmt::Write as _;

use fastrand::Rng;

/// A value: a variable, the variable of an enclosing `with`, the process, the parameter of the procedure, or a number; and a number to add.
#[derive(Clone, Copy)]
pub enum Operand {
    Variable(usize),
    With(usize),
    Identity,
    Parameter,
    Number,
}

#[derive(Clone, Copy)]
pub struct Sum(pub Operand, pub u8);

pub struct Statement {
    pub label: Option<String>,
    pub kind: Kind,
}

pub enum Kind {
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
pub const LOCAL: usize = 2;

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
pub struct Program {
    pub bodies: [Vec<Statement>; 2],
    pub procedure: Vec<Statement>,
}

impl Program {
    pub fn new(rng: &mut Rng) -> Self {
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

    pub fn text(&self) -> String {
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
