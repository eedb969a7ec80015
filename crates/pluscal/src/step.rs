//! Steps: the statements between two labels, with control flow made explicit.
//!
//! What ends a step becomes assignments: `goto`, and the end of the step, assign `pc`; a call pushes a frame on `stack` and a return pops it.

use std::rc::Rc;

use omnilink_tla_syntax::source::Span;

use crate::ast::{
    AfterCall, Algorithm, Assignment, Binding, Call, Ident, Initial, Label, Procedure, Statement,
    StatementKind,
};
use crate::expression::{Expression, made};
use crate::token::{Token, TokenKind};

/// A step of a process, a procedure or the body.
#[derive(Debug)]
pub(crate) struct Step {
    pub label: Label,
    /// The statements that it begins with.
    pub span: Span,
    pub acts: Vec<Act>,
}

/// A statement that stays in its step.
#[derive(Debug)]
pub(crate) struct Act {
    pub kind: ActKind,
    pub span: Span,
    pub called_at: Option<Span>,
}

#[derive(Debug)]
pub(crate) enum ActKind {
    Assign(Vec<Assignment>),
    If(Expression, Vec<Act>, Vec<Act>),
    Either(Vec<Vec<Act>>),
    With(Binding, Vec<Act>),
    Await(Expression),
    Assert(Expression),
    Print(Expression),
    Skip,
}

/// Splits a body into steps. `procedure` is the one whose body it is.
pub(crate) fn steps(algorithm: &Algorithm, body: &[Statement], procedure: Option<&Procedure>) -> Vec<Step> {
    let end = if procedure.is_some() { "Error" } else { "Done" };
    let splitter = Splitter { algorithm, procedure };
    let mut steps = Vec::new();
    splitter.sequence(body, end, &mut steps);
    steps
}

struct Splitter<'a> {
    algorithm: &'a Algorithm,
    procedure: Option<&'a Procedure>,
}

impl Splitter<'_> {
    /// The steps of a list of statements that begins with a label; `next` is the label after it.
    fn sequence(&self, list: &[Statement], next: &str, steps: &mut Vec<Step>) {
        let mut rest = list;
        while let Some((first, _)) = rest.split_first() {
            let length = 1 + rest[1..]
                .iter()
                .position(|statement| statement.label.is_some())
                .unwrap_or(rest.len() - 1);
            let (head, tail) = rest.split_at(length);
            let after = label_of(tail).unwrap_or(next);
            let mut inner = Vec::new();
            let acts = self.head(head, after, &mut inner);
            if let Some(label) = &first.label {
                steps.push(Step {
                    label: label.clone(),
                    span: first.span,
                    acts,
                });
            }
            steps.append(&mut inner);
            rest = tail;
        }
    }

    /// The acts of statements up to the next label; the steps of labels inside them are added to `steps`.
    fn head(&self, head: &[Statement], next: &str, steps: &mut Vec<Step>) -> Vec<Act> {
        let mut acts = Vec::new();
        let mut last = Span::default();
        for (at, statement) in head.iter().enumerate() {
            last = statement.span;
            let is_last = self.statement(statement, &head[at + 1..], next, &mut acts, steps);
            if is_last {
                return acts;
            }
        }
        acts.push(set_pc(next, last));
        acts
    }

    /// The acts of one statement. Says whether `pc` is assigned, so that nothing follows.
    fn statement(
        &self,
        statement: &Statement,
        rest: &[Statement],
        next: &str,
        acts: &mut Vec<Act>,
        steps: &mut Vec<Step>,
    ) -> bool {
        let leaves = statement.kind.leaves();
        let act = |kind| Act {
            kind,
            span: statement.span,
            called_at: statement.called_at,
        };
        match &statement.kind {
            StatementKind::Assign(assignments) => acts.push(act(ActKind::Assign(assignments.clone()))),
            StatementKind::Await(condition) => acts.push(act(ActKind::Await(condition.clone()))),
            StatementKind::Assert(condition) => acts.push(act(ActKind::Assert(condition.clone()))),
            StatementKind::Print(value) => acts.push(act(ActKind::Print(value.clone()))),
            StatementKind::Skip => acts.push(act(ActKind::Skip)),
            StatementKind::Goto(label) => {
                acts.push(set_pc(&label.name, statement.span));
                return true;
            }
            StatementKind::Return => {
                self.pop(statement.span, acts);
                return true;
            }
            StatementKind::Call(call) => {
                self.call(call, next, statement.span, acts);
                return true;
            }
            StatementKind::While(condition, body) => {
                let label = statement.label.as_ref().map_or("", |label| &label.ident.name);
                let mut inner = Vec::new();
                let mut body = self.branch(body, label, steps, &mut inner);
                steps.append(&mut inner);
                if condition.is_true() {
                    acts.append(&mut body);
                } else {
                    let otherwise = self.head(rest, next, steps);
                    let otherwise = match rest {
                        [] => vec![set_pc(next, statement.span)],
                        _ => otherwise,
                    };
                    acts.push(act(ActKind::If(condition.clone(), body, otherwise)));
                }
                return true;
            }
            StatementKind::If(condition, then, otherwise) if leaves => {
                let mut inner = Vec::new();
                let then = self.branch(then, next, steps, &mut inner);
                let mut other = self.branch(otherwise, next, steps, &mut inner);
                steps.append(&mut inner);
                if otherwise.is_empty() {
                    other = vec![set_pc(next, statement.span)];
                }
                acts.push(act(ActKind::If(condition.clone(), then, other)));
                return true;
            }
            StatementKind::If(condition, then, otherwise) => {
                let (then, otherwise) = (self.simple(then), self.simple(otherwise));
                acts.push(act(ActKind::If(condition.clone(), then, otherwise)));
            }
            StatementKind::Either(branches) if leaves => {
                let branches = branches.iter().map(|branch| {
                    // Unlike those of an `if`, the steps inside of a branch come before its own.
                    let mut own = Vec::new();
                    let acts = self.branch(branch, next, &mut own, steps);
                    steps.append(&mut own);
                    acts
                });
                let branches = branches.collect();
                acts.push(act(ActKind::Either(branches)));
                return true;
            }
            StatementKind::Either(branches) => {
                let branches = branches.iter().map(|branch| self.simple(branch)).collect();
                acts.push(act(ActKind::Either(branches)));
            }
            StatementKind::With(binding, body) if leaves => {
                let body = self.branch(body, next, steps, &mut Vec::new());
                acts.push(act(ActKind::With(binding.clone(), body)));
                return true;
            }
            StatementKind::With(binding, body) => {
                acts.push(act(ActKind::With(binding.clone(), self.simple(body))));
            }
            // All macros have been replaced.
            StatementKind::Macro(..) => {}
        }
        false
    }

    /// The acts of a branch or a loop body, which may begin with a label or have labels later. Steps of its own labels are added to `steps`, those of
    /// labels inside the statements before them to `inner`: these come last, as in the reference translator.
    fn branch(
        &self,
        list: &[Statement],
        next: &str,
        steps: &mut Vec<Step>,
        inner: &mut Vec<Step>,
    ) -> Vec<Act> {
        let length = list
            .iter()
            .position(|statement| statement.label.is_some())
            .unwrap_or(list.len());
        let (head, tail) = list.split_at(length);
        let after = label_of(tail).unwrap_or(next);
        let acts = match head {
            [] => vec![set_pc(
                after,
                list.first().map_or(Span::default(), |first| first.span),
            )],
            _ => self.head(head, after, inner),
        };
        self.sequence(tail, next, steps);
        acts
    }

    /// The acts of statements that do not leave the step.
    fn simple(&self, list: &[Statement]) -> Vec<Act> {
        let mut acts = Vec::new();
        for statement in list {
            self.statement(statement, &[], "", &mut acts, &mut Vec::new());
        }
        acts
    }

    fn call(&self, call: &Call, next: &str, span: Span, acts: &mut Vec<Act>) {
        let procedures = &self.algorithm.procedures;
        let Some(called) = procedures
            .iter()
            .find(|procedure| procedure.ident.name == call.procedure.name)
        else {
            return;
        };
        let back = match &call.after {
            AfterCall::Continue => Some(next),
            AfterCall::Goto(label) => Some(&*label.name),
            AfterCall::Return => None,
        };
        let is_own = self
            .procedure
            .is_some_and(|own| own.ident.name == called.ident.name);
        let mut assignments: Vec<Assignment> = called
            .parameters
            .iter()
            .zip(&call.arguments)
            .map(|(parameter, argument)| assign(&parameter.ident.name, argument.clone(), span))
            .collect();
        if back.is_some() || !is_own {
            assignments.push(assign("stack", frame(called, back, span), span));
        }
        if let (None, false, Some(own)) = (back, is_own, self.procedure) {
            // As the reference translator: the local variables of the procedure that is left are restored, its parameters are not.
            let restored = own.variables.iter().map(|variable| &variable.ident.name);
            assignments.extend(restored.map(|name| assign(name, top(name, span), span)));
        }
        if !assignments.is_empty() {
            acts.push(plain(ActKind::Assign(assignments), span));
        }
        for variable in &called.variables {
            let value = match &variable.initial {
                Initial::Value(value) | Initial::Element(value) => value.clone(),
                Initial::Default => Expression::word("defaultInitValue", span),
            };
            let assignment = assign(&variable.ident.name, value, span);
            acts.push(plain(ActKind::Assign(vec![assignment]), span));
        }
        let entry = label_of(&called.body).unwrap_or("Error");
        acts.push(set_pc(entry, span));
    }

    /// A return: `pc` and the variables of the procedure come from the top frame, which is dropped.
    fn pop(&self, span: Span, acts: &mut Vec<Act>) {
        let Some(own) = self.procedure else { return };
        let mut add = |name: &str, value: Expression| {
            acts.push(plain(ActKind::Assign(vec![assign(name, value, span)]), span));
        };
        add("pc", top("pc", span));
        for variable in own.variables.iter().chain(&own.parameters) {
            add(&variable.ident.name, top(&variable.ident.name, span));
        }
        add("stack", tokens(&["Tail", "(", "stack", ")"], span));
    }
}

/// The label of the first statement of a list.
pub(crate) fn label_of(list: &[Statement]) -> Option<&str> {
    let label = list.first()?.label.as_ref()?;
    Some(&label.ident.name)
}

fn plain(kind: ActKind, span: Span) -> Act {
    Act {
        kind,
        span,
        called_at: None,
    }
}

fn assign(name: &str, value: Expression, span: Span) -> Assignment {
    Assignment {
        variable: Ident {
            name: Rc::from(name),
            span,
        },
        path: Expression::default(),
        value,
        span,
    }
}

/// The assignment of a label to `pc`.
pub(crate) fn set_pc(label: &str, span: Span) -> Act {
    let value = Expression {
        tokens: vec![made(TokenKind::Text, &format!("\"{label}\""), span, 0)],
    };
    plain(ActKind::Assign(vec![assign("pc", value, span)]), span)
}

/// A field of the top frame of the stack.
fn top(field: &str, span: Span) -> Expression {
    tokens(&["Head", "(", "stack", ")", ".", field], span)
}

/// Tokens without gaps.
fn tokens(texts: &[&str], span: Span) -> Expression {
    let made = texts.iter().map(|text| piece(text, span));
    Expression {
        tokens: made.collect(),
    }
}

fn piece(text: &str, span: Span) -> Token {
    let is_word = text.starts_with(|char: char| char.is_alphanumeric() || char == '_');
    let kind = match is_word {
        true if text == "stack" => TokenKind::Own,
        true => TokenKind::Word,
        false if text.starts_with('"') => TokenKind::Text,
        false => TokenKind::Symbol,
    };
    made(kind, text, span, 0)
}

/// The stack with a new frame on top. Without a label to return to, the new frame replaces the top one.
fn frame(called: &Procedure, back: Option<&str>, span: Span) -> Expression {
    let mut list: Vec<Token> = Vec::new();
    let mut add = |text: &str, gap: u32| {
        let mut token = piece(text, span);
        token.gap = Some(gap);
        list.push(token);
    };
    add("<<", 0);
    add("[", 1);
    add("procedure", 1);
    add("|->", 1);
    add(&format!("\"{}\"", called.ident.name), 2);
    add(",", 0);
    add("pc", 1);
    add("|->", 1);
    match back {
        Some(label) => add(&format!("\"{label}\""), 2),
        None => {
            add("Head", 2);
            ["(", "stack", ")", ".", "pc"]
                .iter()
                .for_each(|text| add(text, 0));
        }
    }
    for variable in called.variables.iter().chain(&called.parameters) {
        let name = &variable.ident.name;
        add(",", 0);
        add(name, 1);
        add("|->", 1);
        add(name, 2);
    }
    add("]", 1);
    add(">>", 1);
    add("\\o", 1);
    if back.is_some() {
        add("stack", 1);
    } else {
        add("Tail", 1);
        ["(", "stack", ")"].iter().for_each(|text| add(text, 0));
    }
    Expression { tokens: list }
}
