//! Actions: the formula of a step.
//!
//! A variable that was assigned earlier in the step is read with a prime. Variables of processes of a set, variables of procedures, `pc` and `stack`
//! are functions of the process, and read at its identity. Branches that assign different variables each say what they leave alone.

use std::collections::BTreeSet;
use std::rc::Rc;

use omnilink_tla_syntax::source::{Source, Span};

use crate::ast::Assignment;
use crate::expression::{Expression, Rewritten, is_variable, made};
use crate::formula::{Formula, FormulaKind};
use crate::parenthesis::needs_parentheses;
use crate::step::{Act, ActKind};
use crate::token::{Token, TokenKind};

/// What actions depend on.
pub(crate) struct Context<'a> {
    /// All variables, in the order of their declaration.
    pub variables: &'a [Rc<str>],
    /// Those that are functions of the process.
    pub indexed: &'a BTreeSet<Rc<str>>,
    /// The identity of the process; `None` without processes.
    pub identity: Option<&'a Expression>,
    pub source: &'a Source,
}

type Assigned = BTreeSet<Rc<str>>;

impl Context<'_> {
    /// The conjuncts of acts, without the frame of variables that none of them assigns.
    pub fn conjuncts(&self, acts: &[Act], assigned: &mut Assigned) -> Vec<Formula> {
        let mut formulas = Vec::with_capacity(acts.len());
        for act in acts {
            formulas.push(self.act(act, assigned));
        }
        formulas
    }

    /// The frame of the variables that are not assigned.
    pub fn frame(&self, assigned: &Assigned, span: Span) -> Option<Formula> {
        let names = self.variables.iter().filter(|name| !assigned.contains(*name));
        Formula::unchanged(&names.map(|name| &**name).collect::<Vec<_>>(), span)
    }

    fn act(&self, act: &Act, assigned: &mut Assigned) -> Formula {
        let span = act.span;
        let kind = match &act.kind {
            ActKind::Assign(assignments) => return self.assign(assignments, assigned, span),
            ActKind::If(condition, then, otherwise) => {
                let condition = self.read(condition, assigned);
                let mut branches = self.branches([&**then, &**otherwise].into_iter(), assigned, span);
                let otherwise = branches.pop().unwrap_or_default();
                let then = branches.pop().unwrap_or_default();
                let list = |items| Box::new(Formula::new(FormulaKind::And(items), span));
                FormulaKind::If(condition, list(then), list(otherwise))
            }
            ActKind::Either(branches) => {
                let branches = self.branches(branches.iter().map(|branch| &**branch), assigned, span);
                let lists = branches
                    .into_iter()
                    .map(|items| Formula::new(FormulaKind::And(items), span));
                FormulaKind::Or(lists.collect())
            }
            ActKind::With(binding, body) => {
                let value = self.read(&binding.value, assigned);
                let mut items = self.conjuncts(body, assigned);
                let body = match items.len() {
                    1 => items.remove(0),
                    _ => Formula::new(FormulaKind::And(items), span),
                };
                let name = &binding.ident.name;
                let (before, after) = if binding.is_element {
                    (format!("\\E {name} \\in "), ":")
                } else {
                    (format!("LET {name} == "), " IN")
                };
                FormulaKind::Scope(before, value, after, Box::new(body))
            }
            ActKind::Await(condition) => FormulaKind::Leaf(self.read(condition, assigned)),
            ActKind::Skip => return Formula::text("TRUE", span),
            ActKind::Print(value) => {
                let value = self.read(value, assigned);
                FormulaKind::Leaf(wrapped("PrintT(", &value, ")", span))
            }
            ActKind::Assert(condition) => {
                let condition = self.read(condition, assigned);
                let place = |span: Span| {
                    let place = self.source.line_column(span.start);
                    format!("line {}, column {}", place.line, place.column)
                };
                let mut message = format!(", \"Failure of assertion at {}", place(span));
                if let Some(call) = act.called_at {
                    message.push_str(&format!(" of macro called at {}", place(call)));
                }
                FormulaKind::Leaf(wrapped("Assert(", &condition, &format!("{message}.\")"), span))
            }
        };
        Formula::new(kind, span)
    }

    /// Branches, each with the frame of what only others assign.
    fn branches<'b>(
        &self,
        branches: impl Iterator<Item = &'b [Act]>,
        assigned: &mut Assigned,
        span: Span,
    ) -> Vec<Vec<Formula>> {
        let before = assigned.clone();
        let mut done = Vec::new();
        for branch in branches {
            let mut inside = before.clone();
            let mut items = self.conjuncts(branch, &mut inside);
            if items.is_empty() {
                items.push(Formula::text("TRUE", span));
            }
            assigned.extend(inside.iter().cloned());
            done.push((items, inside));
        }
        let finish = |(mut items, inside): (Vec<Formula>, Assigned)| {
            let names = self
                .variables
                .iter()
                .filter(|name| assigned.contains(*name) && !inside.contains(*name));
            items.extend(Formula::unchanged(
                &names.map(|name| &**name).collect::<Vec<_>>(),
                span,
            ));
            items
        };
        done.into_iter().map(finish).collect()
    }

    /// An assignment, or several at once, ordered by the names of the variables.
    fn assign(&self, assignments: &[Assignment], assigned: &mut Assigned, span: Span) -> Formula {
        let mut order: Vec<&Rc<str>> = Vec::new();
        for assignment in assignments {
            if !order.contains(&&assignment.variable.name) {
                order.push(&assignment.variable.name);
            }
        }
        order.sort();
        let mut formulas: Vec<Formula> = order
            .iter()
            .map(|name| {
                let parts: Vec<&Assignment> = assignments
                    .iter()
                    .filter(|assignment| assignment.variable.name == **name)
                    .collect();
                self.assign_one(name, &parts, assigned)
            })
            .collect();
        assigned.extend(order.into_iter().cloned());
        match formulas.len() {
            1 => formulas.remove(0),
            _ => Formula::new(FormulaKind::And(formulas), span),
        }
    }

    /// All assignments to one variable in one statement.
    fn assign_one(&self, name: &str, parts: &[&Assignment], assigned: &Assigned) -> Formula {
        let span = parts.first().map_or(Span::default(), |part| part.span);
        let index = self.index_of(name);
        let whole = parts.iter().find(|part| part.path.is_empty() && index.is_none());
        if let Some(part) = whole {
            let value = self.value(&part.value, assigned);
            return Formula::leaf(wrapped(&format!("{name}' = "), &value, "", span), span);
        }
        let mut pieces = vec![text(&format!("{name}' = [{name} EXCEPT "), span)];
        for (at, part) in parts.iter().enumerate() {
            pieces.push(text(if at > 0 { ", !" } else { "!" }, part.span));
            pieces.extend(index.map(|identity| bracketed(identity, part.span)));
            pieces.push(self.read(&part.path, assigned));
            pieces.push(text(" = ", part.span));
            pieces.push(self.read(&part.value, assigned));
        }
        pieces.push(text("]", span));
        Formula::leaf(Expression::joined(&pieces.iter().collect::<Vec<_>>()), span)
    }

    /// The value of an assignment: in parentheses if it could be read otherwise without.
    fn value(&self, value: &Expression, assigned: &Assigned) -> Expression {
        let read = self.read(value, assigned);
        if needs_parentheses(value) {
            read.parenthesized()
        } else {
            read
        }
    }

    fn index_of(&self, name: &str) -> Option<&Expression> {
        self.identity.filter(|_| self.indexed.contains(name))
    }

    /// An expression as it is read after some variables were assigned.
    pub fn read(&self, expression: &Expression, assigned: &Assigned) -> Expression {
        let change = |tokens: &[Token], at: usize| {
            let token = &tokens[at];
            let is_own = token.kind == TokenKind::Own;
            if !is_own && !is_variable(tokens, at) {
                return None;
            }
            let is_primed = assigned.contains(&token.text);
            let is_counter = !is_own && matches!(&*token.text, "pc" | "stack");
            let index = self.index_of(&token.text).filter(|_| !is_counter);
            if !is_primed && index.is_none() {
                return None;
            }
            let mut behind = Vec::new();
            if is_primed {
                behind.push(made(TokenKind::Symbol, "'", token.span, 0));
            }
            if let Some(identity) = index {
                behind.append(&mut bracketed(identity, token.span).tokens);
            }
            Some(Rewritten::Renamed(token.text.to_string(), behind))
        };
        if (0..expression.tokens.len()).all(|at| change(&expression.tokens, at).is_none()) {
            return expression.clone();
        }
        expression.rewritten(|tokens, at| change(tokens, at).unwrap_or(Rewritten::Same))
    }
}

/// An identity in brackets, on one line.
fn bracketed(identity: &Expression, span: Span) -> Expression {
    let mut tokens = vec![made(TokenKind::Symbol, "[", span, 0)];
    tokens.extend(identity.tokens.iter().enumerate().map(|(at, token)| {
        let gap = match at {
            0 => 0,
            _ => token.gap.unwrap_or(1),
        };
        made(token.kind, &token.text, span, gap)
    }));
    tokens.push(made(TokenKind::Symbol, "]", span, 0));
    Expression { tokens }
}

/// A piece of text as an expression.
fn text(text: &str, span: Span) -> Expression {
    Expression {
        tokens: vec![made(TokenKind::Symbol, text, span, 0)],
    }
}

fn wrapped(before: &str, inner: &Expression, after: &str, span: Span) -> Expression {
    let (before, after) = (text(before, span), text(after, span));
    let parts: &[&Expression] = match after.tokens.first().map(|token| token.width()) {
        Some(0) | None => &[&before, inner],
        Some(_) => &[&before, inner, &after],
    };
    Expression::joined(parts)
}
