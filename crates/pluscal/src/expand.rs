//! Macros: each use is replaced by the statements of the macro, with arguments for parameters.
//!
//! A macro uses only macros defined before it, so expansion ends. The number of statements can still double with each macro, and is
//! limited.

use std::rc::Rc;

use omnilink_tla_syntax::source::Span;

use crate::ast::{
    AfterCall, Algorithm, Assignment, Binding, Body, Call, Ident, Label, Macro, Statement, StatementKind,
};
use crate::expression::{Expression, Rewritten, is_variable};
use crate::fault::{AlgorithmError, AlgorithmErrorKind};
use crate::token::TokenKind;

/// How many statements macros may become.
const MAX_STATEMENTS: usize = 100_000;

/// Replaces all uses of macros.
pub(crate) fn expand_macros(algorithm: &mut Algorithm) -> Result<(), Vec<AlgorithmError>> {
    let mut expander = Expander {
        macros: Vec::new(),
        faults: Vec::new(),
        count: 0,
    };
    for definition in std::mem::take(&mut algorithm.macros) {
        expander.define(definition);
    }
    for procedure in &mut algorithm.procedures {
        procedure.body = expander.list(std::mem::take(&mut procedure.body));
    }
    match &mut algorithm.body {
        Body::Single(body) => *body = expander.list(std::mem::take(body)),
        Body::Processes(processes) => {
            for process in processes {
                process.body = expander.list(std::mem::take(&mut process.body));
            }
        }
    }
    if expander.faults.is_empty() {
        Ok(())
    } else {
        Err(expander.faults)
    }
}

struct Expander {
    /// The macros so far, with the macros in their bodies replaced.
    macros: Vec<Macro>,
    faults: Vec<AlgorithmError>,
    count: usize,
}

impl Expander {
    fn define(&mut self, mut definition: Macro) {
        let name = &definition.ident.name;
        if let Some(other) = self.macros.iter().find(|other| other.ident.name == *name) {
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::DuplicateName,
                definition.ident.span,
                format!("macro `{name}` is defined twice"),
            );
            self.faults.push(
                fault
                    .related(other.ident.span, "first here")
                    .help("rename one of the two"),
            );
        }
        let mut labels = Vec::new();
        collect_labels(&definition.body, &mut labels);
        for label in labels {
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::LabelInMacro,
                label.span,
                format!("label `{}` is in a macro", label.name),
            );
            self.faults.push(fault.help(
                "a macro is part of a step; remove the label, put it before the use of the macro, or make the macro a procedure",
            ));
        }
        definition.body = self.list(std::mem::take(&mut definition.body));
        self.macros.push(definition);
    }

    fn list(&mut self, statements: Vec<Statement>) -> Vec<Statement> {
        let mut expanded = Vec::with_capacity(statements.len());
        for statement in statements {
            self.statement(statement, &mut expanded);
        }
        expanded
    }

    fn statement(&mut self, mut statement: Statement, expanded: &mut Vec<Statement>) {
        match &mut statement.kind {
            StatementKind::Macro(name, arguments) => {
                let used = self.used(name, arguments, statement.label.take(), statement.span);
                expanded.extend(used);
                return;
            }
            StatementKind::If(_, then, otherwise) => {
                *then = self.list(std::mem::take(then));
                *otherwise = self.list(std::mem::take(otherwise));
            }
            StatementKind::While(_, body) | StatementKind::With(_, body) => {
                *body = self.list(std::mem::take(body));
            }
            StatementKind::Either(branches) => {
                for branch in branches {
                    *branch = self.list(std::mem::take(branch));
                }
            }
            _ => {}
        }
        expanded.push(statement);
    }

    /// The statements of a macro that is used.
    fn used(
        &mut self,
        name: &Ident,
        arguments: &[Expression],
        label: Option<Label>,
        span: Span,
    ) -> Vec<Statement> {
        let Some(at) = self.macros.iter().position(|known| known.ident.name == name.name) else {
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::UnknownMacro,
                name.span,
                format!("there is no macro `{}`, or it is defined below", name.name),
            );
            self.faults.push(fault.help(
                "define the macro before its use; a procedure is called with `call`, an assignment is written with `:=`",
            ));
            return Vec::new();
        };
        let definition = &self.macros[at];
        if definition.parameters.len() != arguments.len() {
            let message = format!(
                "macro `{}` has {} parameters, but is used with {} arguments",
                name.name,
                definition.parameters.len(),
                arguments.len()
            );
            let fault = AlgorithmError::new(AlgorithmErrorKind::MacroArity, span, message);
            self.faults.push(
                fault
                    .related(definition.ident.span, "defined here")
                    .help("give one argument per parameter"),
            );
            return Vec::new();
        }
        let names = definition
            .parameters
            .iter()
            .map(|parameter| parameter.name.clone());
        let substitution = Substitution {
            arguments: names.zip(arguments.iter().cloned()).collect(),
            called_at: span,
        };
        let mut body = Vec::new();
        for statement in &definition.body {
            self.count += 1;
            match substitution.statement(statement, &mut self.count) {
                Ok(statement) => body.push(statement),
                Err(fault) => self.faults.push(fault),
            }
            if self.count > MAX_STATEMENTS {
                let message = format!("macros become more than {MAX_STATEMENTS} statements");
                let fault = AlgorithmError::new(AlgorithmErrorKind::Syntax, span, message);
                self.faults
                    .push(fault.help("use procedures instead of macros that use macros"));
                return Vec::new();
            }
        }
        if let (Some(label), Some(first)) = (label, body.first_mut()) {
            first.label = Some(label);
        }
        body
    }
}

fn collect_labels(statements: &[Statement], labels: &mut Vec<Ident>) {
    for statement in statements {
        labels.extend(statement.label.iter().map(|label| label.ident.clone()));
        match &statement.kind {
            StatementKind::If(_, then, otherwise) => {
                collect_labels(then, labels);
                collect_labels(otherwise, labels);
            }
            StatementKind::While(_, body) | StatementKind::With(_, body) => collect_labels(body, labels),
            StatementKind::Either(branches) => {
                branches.iter().for_each(|branch| collect_labels(branch, labels));
            }
            _ => {}
        }
    }
}

/// Arguments for parameters.
struct Substitution {
    arguments: Vec<(Rc<str>, Expression)>,
    called_at: Span,
}

impl Substitution {
    fn argument(&self, name: &str) -> Option<&Expression> {
        self.arguments
            .iter()
            .find(|(parameter, _)| **parameter == *name)
            .map(|(_, argument)| argument)
    }

    fn expression(&self, expression: &Expression) -> Expression {
        expression.rewritten(|tokens, at| {
            let argument = if is_variable(tokens, at) {
                self.argument(&tokens[at].text)
            } else {
                None
            };
            match argument {
                None => Rewritten::Same,
                Some(argument) if argument.tokens.len() == 1 => Rewritten::Replaced(argument.clone()),
                Some(argument) => Rewritten::Replaced(argument.parenthesized()),
            }
        })
    }

    /// A name that may be a parameter whose argument is a name.
    fn ident(&self, ident: &Ident) -> Ident {
        match self.argument(&ident.name).map(|argument| &*argument.tokens) {
            Some([only]) if only.is_name() => Ident {
                name: only.text.clone(),
                span: only.span,
            },
            _ => ident.clone(),
        }
    }

    fn list(&self, statements: &[Statement], count: &mut usize) -> Result<Vec<Statement>, AlgorithmError> {
        statements
            .iter()
            .map(|statement| self.statement(statement, count))
            .collect()
    }

    fn statement(&self, statement: &Statement, count: &mut usize) -> Result<Statement, AlgorithmError> {
        *count += 1;
        let kind = match &statement.kind {
            StatementKind::Assign(assignments) => {
                let assignments: Result<Vec<_>, _> =
                    assignments.iter().map(|one| self.assignment(one)).collect();
                StatementKind::Assign(assignments?)
            }
            StatementKind::If(condition, then, otherwise) => StatementKind::If(
                self.expression(condition),
                self.list(then, count)?,
                self.list(otherwise, count)?,
            ),
            StatementKind::While(condition, body) => {
                StatementKind::While(self.expression(condition), self.list(body, count)?)
            }
            StatementKind::Either(branches) => {
                let branches: Result<Vec<_>, _> =
                    branches.iter().map(|branch| self.list(branch, count)).collect();
                StatementKind::Either(branches?)
            }
            StatementKind::With(binding, body) => {
                // The name that is bound is not replaced, even if it is that of a parameter: as in the reference translator.
                let binding = Binding {
                    ident: binding.ident.clone(),
                    is_element: binding.is_element,
                    value: self.expression(&binding.value),
                };
                StatementKind::With(binding, self.list(body, count)?)
            }
            StatementKind::Await(condition) => StatementKind::Await(self.expression(condition)),
            StatementKind::Assert(condition) => StatementKind::Assert(self.expression(condition)),
            StatementKind::Print(value) => StatementKind::Print(self.expression(value)),
            StatementKind::Goto(label) => StatementKind::Goto(self.ident(label)),
            StatementKind::Call(call) => StatementKind::Call(Call {
                procedure: call.procedure.clone(),
                arguments: call
                    .arguments
                    .iter()
                    .map(|argument| self.expression(argument))
                    .collect(),
                after: match &call.after {
                    AfterCall::Goto(label) => AfterCall::Goto(self.ident(label)),
                    after => after.clone(),
                },
            }),
            kind @ (StatementKind::Skip | StatementKind::Return | StatementKind::Macro(..)) => kind.clone(),
        };
        Ok(Statement {
            label: statement.label.clone(),
            kind,
            span: statement.span,
            called_at: Some(self.called_at),
        })
    }

    /// An assignment whose variable may be a parameter: its argument may have a path.
    fn assignment(&self, assignment: &Assignment) -> Result<Assignment, AlgorithmError> {
        let path = self.expression(&assignment.path);
        let value = self.expression(&assignment.value);
        let (variable, path) = match self.argument(&assignment.variable.name) {
            None => (assignment.variable.clone(), path),
            Some(argument) => {
                let (variable, before) = left_side(argument).ok_or_else(|| {
                    let message = format!(
                        "the macro assigns to its parameter `{}`, and `{}` cannot be assigned to",
                        assignment.variable.name,
                        argument.to_line()
                    );
                    AlgorithmError::new(AlgorithmErrorKind::Syntax, argument.span(), message)
                        .related(assignment.span, "assigned here")
                        .help("pass a variable, or a part of one such as `f[i]` or `r.a`")
                })?;
                (variable, Expression::joined(&[&before, &path]))
            }
        };
        Ok(Assignment {
            variable,
            path,
            value,
            span: assignment.span,
        })
    }
}

/// The variable and the path of an argument that can be assigned to.
fn left_side(argument: &Expression) -> Option<(Ident, Expression)> {
    let (first, path) = argument.tokens.split_first()?;
    let mut depth = 0u32;
    let mut after_dot = false;
    for token in path {
        let is_symbol = token.kind == TokenKind::Symbol;
        match &*token.text {
            "[" if is_symbol => depth += 1,
            "]" if is_symbol => depth = depth.checked_sub(1)?,
            "." if is_symbol && depth == 0 => {
                after_dot = true;
                continue;
            }
            _ if depth == 0 && !after_dot => return None,
            _ => {}
        }
        after_dot = false;
    }
    first.is_name().then(|| {
        let ident = Ident {
            name: first.text.clone(),
            span: first.span,
        };
        (
            ident,
            Expression {
                tokens: path.to_vec(),
            },
        )
    })
}
