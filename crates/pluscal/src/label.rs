//! Labels: which statements need one, and which cannot have one.
//!
//! A step runs from one label to the next. A statement must begin a step if it is
//!
//! 1. the first of the algorithm, a process or a procedure;
//! 2. a `while`;
//! 3. after a `call`, `return` or `goto`, or after an `if` or `either` that holds one of these or a label;
//! 4. an assignment to a variable that the step may have assigned before. A call assigns the stack and, like a return, the variables of the
//!    procedure; a `with` assigns as a whole, because there is no label inside it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use omnilink_tla_syntax::source::Span;

use crate::ast::{Algorithm, Body, Ident, Label, Mark, Procedure, Statement, StatementKind};
use crate::fault::{AlgorithmError, AlgorithmErrorKind};
use crate::options::TranslationOptions;

/// Adds the labels that are missing, or reports them all. Returns the labels that were added.
pub(crate) fn complete_labels(
    algorithm: &mut Algorithm,
    options: &TranslationOptions,
) -> Result<Vec<Ident>, Vec<AlgorithmError>> {
    let mut typed = BTreeSet::new();
    visit_bodies(algorithm, &mut |body, _| collect(body, &mut typed));
    let is_single = matches!(algorithm.body, Body::Single(_));
    let mut labeler = Labeler {
        root: &options.label_root,
        adds: options.adds_labels || (is_single && typed.is_empty()),
        typed,
        added: Vec::new(),
        procedure: None,
        faults: Vec::new(),
    };
    let procedures: Vec<(Rc<str>, Vec<Rc<str>>)> = algorithm
        .procedures
        .iter()
        .map(|procedure| (procedure.ident.name.clone(), variables_of(procedure)))
        .collect();
    if let Body::Processes(processes) = &mut algorithm.body {
        for process in processes {
            labeler.body(&mut process.body, "process");
        }
    }
    for (procedure, known) in algorithm.procedures.iter_mut().zip(procedures) {
        labeler.procedure = Some(known);
        labeler.body(&mut procedure.body, "procedure");
        labeler.procedure = None;
    }
    if let Body::Single(body) = &mut algorithm.body {
        labeler.body(body, "algorithm");
    }
    if labeler.faults.is_empty() {
        Ok(labeler.added)
    } else {
        Err(labeler.faults)
    }
}

fn variables_of(procedure: &Procedure) -> Vec<Rc<str>> {
    let all = procedure.parameters.iter().chain(&procedure.variables);
    all.map(|variable| variable.ident.name.clone()).collect()
}

/// Calls a function with each body of an algorithm and the procedure that it belongs to.
fn visit_bodies(algorithm: &Algorithm, visit: &mut impl FnMut(&[Statement], Option<&Procedure>)) {
    for procedure in &algorithm.procedures {
        visit(&procedure.body, Some(procedure));
    }
    match &algorithm.body {
        Body::Single(body) => visit(body, None),
        Body::Processes(processes) => processes.iter().for_each(|process| visit(&process.body, None)),
    }
}

fn collect(statements: &[Statement], labels: &mut BTreeSet<Rc<str>>) {
    for statement in statements {
        labels.extend(statement.label.iter().map(|label| label.ident.name.clone()));
        for inner in statement.kind.inner() {
            collect(inner, labels);
        }
    }
}

impl StatementKind {
    /// The lists of statements inside.
    pub(crate) fn inner(&self) -> Vec<&[Statement]> {
        match self {
            StatementKind::If(_, then, otherwise) => vec![then, otherwise],
            StatementKind::While(_, body) | StatementKind::With(_, body) => vec![body],
            StatementKind::Either(branches) => branches.iter().map(|branch| &**branch).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether it leaves the step: it is or holds a label, a call, a return or a goto.
    pub(crate) fn leaves(&self) -> bool {
        matches!(
            self,
            StatementKind::Call(_)
                | StatementKind::Return
                | StatementKind::Goto(_)
                | StatementKind::While(..)
        ) || self.inner().iter().any(|list| {
            list.iter()
                .any(|statement| statement.label.is_some() || statement.kind.leaves())
        })
    }
}

/// What happened so far in a step.
#[derive(Clone, Default)]
struct Step {
    /// The variables that were assigned, and where.
    assigned: BTreeMap<Rc<str>, Span>,
    /// What the step was left by, if the next statement must begin another.
    left: Option<Left>,
}

#[derive(Clone, Copy)]
enum Left {
    /// There is no step yet.
    Begin(&'static str),
    By(Span, &'static str),
}

struct Labeler<'o> {
    root: &'o str,
    adds: bool,
    typed: BTreeSet<Rc<str>>,
    added: Vec<Ident>,
    /// The procedure whose body this is, and its variables.
    procedure: Option<(Rc<str>, Vec<Rc<str>>)>,
    faults: Vec<AlgorithmError>,
}

impl Labeler<'_> {
    fn body(&mut self, body: &mut [Statement], part: &'static str) {
        let mut step = Step {
            assigned: BTreeMap::new(),
            left: Some(Left::Begin(part)),
        };
        self.list(body, &mut step, false);
    }

    fn list(&mut self, statements: &mut [Statement], step: &mut Step, in_with: bool) {
        for statement in statements {
            self.statement(statement, step, in_with);
        }
    }

    fn statement(&mut self, statement: &mut Statement, step: &mut Step, in_with: bool) {
        match &statement.label {
            Some(label) => {
                if in_with {
                    let message = format!("label `{}` is inside a `with`", label.ident.name);
                    let fault =
                        AlgorithmError::new(AlgorithmErrorKind::LabelInWith, label.ident.span, message);
                    self.faults.push(fault.help(
                        "a `with` is one step, because its variable exists only in that step; move the label out, or keep the value in a variable of the process",
                    ));
                }
                *step = Step::default();
            }
            None => {
                if let Some(fault) = self.missing(statement, step, in_with) {
                    if in_with || !self.adds {
                        self.faults.push(fault);
                    } else {
                        self.add(statement);
                    }
                    *step = Step::default();
                }
            }
        }
        self.run(statement, step, in_with);
    }

    /// Notes what a statement does in its step.
    fn run(&mut self, statement: &mut Statement, step: &mut Step, in_with: bool) {
        for name in self.assigned_at_once(&statement.kind) {
            step.assigned.insert(name, statement.span);
        }
        let leaves = statement.kind.leaves();
        let span = statement.span;
        match &mut statement.kind {
            StatementKind::If(_, then, otherwise) => {
                let branches = [&mut **then, &mut **otherwise];
                self.branches(branches.into_iter(), step, in_with);
                if leaves {
                    step.left = Some(Left::By(
                        span,
                        "this `if`, which holds a label, call, return or goto",
                    ));
                }
            }
            StatementKind::Either(branches) => {
                self.branches(branches.iter_mut().map(|branch| &mut **branch), step, in_with);
                if leaves {
                    step.left = Some(Left::By(
                        span,
                        "this `either`, which holds a label, call, return or goto",
                    ));
                }
            }
            StatementKind::While(_, body) => {
                self.list(body, &mut step.clone(), in_with);
                // What follows runs in the step whose test was false.
                *step = Step::default();
            }
            StatementKind::With(_, body) => {
                // What it assigns was compared as a whole; inside, only what it assigns itself counts.
                let mut inside = Step::default();
                self.list(body, &mut inside, true);
                step.assigned.append(&mut inside.assigned);
                step.left = inside.left;
            }
            StatementKind::Call(_) => step.left = Some(Left::By(span, "this `call`")),
            StatementKind::Return => step.left = Some(Left::By(span, "this `return`")),
            StatementKind::Goto(_) => step.left = Some(Left::By(span, "this `goto`")),
            _ => {}
        }
        // Labels that were added inside.
        if step.left.is_none()
            && matches!(statement.kind, StatementKind::If(..) | StatementKind::Either(_))
            && statement.kind.leaves()
        {
            step.left = Some(Left::By(span, "this statement, which holds a label"));
        }
    }

    fn branches<'s>(
        &mut self,
        branches: impl Iterator<Item = &'s mut [Statement]>,
        step: &mut Step,
        in_with: bool,
    ) {
        let before = step.clone();
        for branch in branches {
            let mut inside = before.clone();
            self.list(branch, &mut inside, in_with);
            step.assigned.append(&mut inside.assigned);
        }
    }

    /// What a statement assigns before any label can stand inside it.
    fn assigned_at_once(&self, kind: &StatementKind) -> Vec<Rc<str>> {
        let own = |name: Option<&Rc<str>>| {
            let variables = self
                .procedure
                .iter()
                .filter(|(own, _)| name.is_none_or(|name| name == own));
            let mut all: Vec<Rc<str>> = variables
                .flat_map(|(_, variables)| variables.iter().cloned())
                .collect();
            all.push("stack".into());
            all
        };
        match kind {
            StatementKind::Assign(assignments) => assignments
                .iter()
                .map(|assignment| assignment.variable.name.clone())
                .collect(),
            StatementKind::Call(call) => own(Some(&call.procedure.name)),
            StatementKind::Return => own(None),
            _ => Vec::new(),
        }
    }

    /// Everything that a list of statements may assign.
    fn assigned_in(&self, statements: &[Statement], names: &mut Vec<(Rc<str>, Span)>) {
        for statement in statements {
            let at_once = self.assigned_at_once(&statement.kind);
            names.extend(at_once.into_iter().map(|name| (name, statement.span)));
            for inner in statement.kind.inner() {
                self.assigned_in(inner, names);
            }
        }
    }

    /// The error that a statement must have a label, if it must.
    fn missing(&self, statement: &Statement, step: &Step, in_with: bool) -> Option<AlgorithmError> {
        let missing =
            |message: String| {
                let fault = AlgorithmError::new(AlgorithmErrorKind::MissingLabel, statement.span, message);
                Some(fault.help(
                    "put a label before it, as in `L1: …`; the option `-label` adds the missing labels",
                ))
            };
        let is_while = matches!(statement.kind, StatementKind::While(..));
        if is_while && in_with {
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::WhileInWith,
                statement.span,
                "a `while` is inside a `with`",
            );
            return Some(fault.help(
                "a `with` is one step, and each round of a `while` is a step of its own; keep the value in a variable and move the loop out",
            ));
        }
        if let Some(left) = step.left {
            return match left {
                Left::Begin(part) => missing(format!("the first statement of the {part} has no label")),
                Left::By(span, what) if in_with => {
                    let message = "a statement follows a `call`, `return` or `goto` inside a `with`";
                    let fault = AlgorithmError::new(AlgorithmErrorKind::CallInWith, statement.span, message);
                    let fault = fault.related(span, what);
                    Some(fault.help(
                        "a `with` is one step, and these end a step; move the statement out of the `with`",
                    ))
                }
                Left::By(span, what) => {
                    let fault =
                        missing("this statement has no label, and the step before it has ended".to_owned())?;
                    Some(fault.related(span, format!("{what} ends the step")))
                }
            };
        }
        if is_while {
            return missing(
                "this `while` has no label; each round of a loop is a step of its own".to_owned(),
            );
        }
        let mut names = Vec::new();
        match &statement.kind {
            StatementKind::With(_, body) => self.assigned_in(body, &mut names),
            kind => names.extend(
                self.assigned_at_once(kind)
                    .into_iter()
                    .map(|name| (name, statement.span)),
            ),
        }
        let (name, span, first) = names
            .iter()
            .find_map(|(name, span)| Some((name, *span, *step.assigned.get(name)?)))?;
        if in_with {
            let message = format!("`{name}` is assigned a second time inside a `with`");
            let fault = AlgorithmError::new(AlgorithmErrorKind::DoubleAssignment, span, message);
            return Some(fault.related(first, "first here").help(
                "in one step a variable is assigned once; use `||`, or one assignment with the final value",
            ));
        }
        let fault = missing(format!(
            "this statement assigns `{name}` a second time in one step, so it needs a label"
        ))?;
        Some(fault.related(first, "first here"))
    }

    fn add(&mut self, statement: &mut Statement) {
        let mut number = self.added.len() + 1;
        let mut name = format!("{}{number}", self.root);
        while self.typed.contains(&*name) || self.added.iter().any(|added| *added.name == *name) {
            number += 1;
            name = format!("{}{number}", self.root);
        }
        let ident = Ident {
            name: name.into(),
            span: Span::new(statement.span.start, statement.span.start),
        };
        self.added.push(ident.clone());
        statement.label = Some(Label {
            ident,
            mark: Mark::Plain,
            is_added: true,
        });
    }
}
