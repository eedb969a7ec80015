//! The tree of an algorithm.

use std::rc::Rc;

use omnilink_tla_syntax::source::Span;

use crate::expression::Expression;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ident {
    /// The name.
    pub name: Rc<str>,
    /// Where it stands.
    pub span: Span,
}

/// An algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Algorithm {
    /// Its name.
    pub name: Ident,
    /// Whether it is a `--fair algorithm`.
    pub is_fair: bool,
    /// The global variables.
    pub variables: Vec<Variable>,
    /// The definitions of the define block.
    pub define: Option<Expression>,
    /// The macros.
    pub macros: Vec<Macro>,
    /// The procedures.
    pub procedures: Vec<Procedure>,
    /// What runs.
    pub body: Body,
}

/// What an algorithm runs.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// One sequence of statements.
    Single(Vec<Statement>),
    /// Processes.
    Processes(Vec<Process>),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Its name.
    pub ident: Ident,
    /// Its value at first.
    pub initial: Initial,
}

/// The value of a variable at first.
#[derive(Clone, Debug)]
pub(crate) enum Initial {
    /// `defaultInitValue`.
    Default,
    /// One value.
    Value(Expression),
    /// Any element of a set.
    Element(Expression),
}

/// A macro.
#[derive(Clone, Debug)]
pub(crate) struct Macro {
    /// Its name.
    pub ident: Ident,
    /// Its parameters.
    pub parameters: Vec<Ident>,
    /// Its statements.
    pub body: Vec<Statement>,
}

/// A procedure.
#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    /// Its name.
    pub ident: Ident,
    /// Its parameters.
    pub parameters: Vec<Variable>,
    /// Its local variables.
    pub variables: Vec<Variable>,
    /// Its statements.
    pub body: Vec<Statement>,
}

/// A process or a set of processes.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Its name.
    pub ident: Ident,
    /// Its fairness.
    pub fairness: Fairness,
    /// Whether it is a set of processes: `N \in S`.
    pub is_set: bool,
    /// Its identity, or the set of identities.
    pub id: Expression,
    /// Its local variables.
    pub variables: Vec<Variable>,
    /// Its statements.
    pub body: Vec<Statement>,
}

/// The fairness that a process is marked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fairness {
    /// None.
    Unfair,
    /// `fair`.
    Weak,
    /// `fair+`.
    Strong,
}

/// A label.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// Its name.
    pub ident: Ident,
    /// `+`, `-` or nothing.
    pub mark: Mark,
    /// Whether the translator added it.
    pub is_added: bool,
}

/// How a label changes the fairness of its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Not at all.
    Plain,
    /// Strongly fair.
    Plus,
    /// Not fair.
    Minus,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// Its label.
    pub label: Option<Label>,
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands, without what it contains.
    pub span: Span,
    /// The call of the macro that it comes from.
    pub called_at: Option<Span>,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    /// `x := 1 || y := 2`.
    Assign(Vec<Assignment>),
    /// `if`.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// `while`.
    While(Expression, Vec<Statement>),
    /// `either`.
    Either(Vec<Vec<Statement>>),
    /// `with`, one variable each.
    With(Binding, Vec<Statement>),
    /// `await` or `when`.
    Await(Expression),
    /// `assert`.
    Assert(Expression),
    /// `print`.
    Print(Expression),
    /// `skip`.
    Skip,
    /// `goto`.
    Goto(Ident),
    /// `call`, and what follows it in the same step.
    Call(Call),
    /// `return`.
    Return,
    /// The use of a macro.
    Macro(Ident, Vec<Expression>),
}

/// One assignment.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    /// The variable.
    pub variable: Ident,
    /// The path into it: `[e]`, `.f`; empty if the whole variable is assigned.
    pub path: Expression,
    /// The value.
    pub value: Expression,
    /// Where it stands.
    pub span: Span,
}

/// A variable of a `with`.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// Its name.
    pub ident: Ident,
    /// Whether it is any element of a set: `x \in S`.
    pub is_element: bool,
    /// The value or the set.
    pub value: Expression,
}

/// A call of a procedure.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The procedure.
    pub procedure: Ident,
    /// The arguments.
    pub arguments: Vec<Expression>,
    /// What follows in the same step.
    pub after: AfterCall,
}

/// What follows a call in the same step.
#[derive(Clone, Debug)]
pub(crate) enum AfterCall {
    /// Nothing: the call returns to the next statement.
    Continue,
    /// `return`.
    Return,
    /// `goto`.
    Goto(Ident),
}
