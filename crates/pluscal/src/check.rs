//! Names: what is declared twice, and what is used without a declaration.

use std::collections::BTreeMap;
use std::rc::Rc;

use omnilink_tla_syntax::diagnostic::nearest;
use omnilink_tla_syntax::source::Span;

use crate::ast::{AfterCall, Algorithm, Assignment, Body, Call, Ident, Statement, StatementKind, Variable};
use crate::fault::{AlgorithmError, AlgorithmErrorKind};

/// Checks the names of an algorithm whose macros are expanded.
pub(crate) fn check_names(algorithm: &Algorithm) -> Vec<AlgorithmError> {
    let mut checker = Checker {
        algorithm,
        assignable: assignable(algorithm),
        faults: Vec::new(),
    };
    checker.declarations();
    for procedure in &algorithm.procedures {
        let mut locals: Vec<&Variable> = procedure.parameters.iter().collect();
        locals.extend(&procedure.variables);
        checker.locals(&locals, "procedure");
        checker.body(&procedure.body, true);
    }
    match &algorithm.body {
        Body::Single(body) => checker.body(body, false),
        Body::Processes(processes) => {
            for process in processes {
                checker.locals(&process.variables.iter().collect::<Vec<_>>(), "process");
                checker.body(&process.body, false);
            }
        }
    }
    checker.faults
}

/// The names of all variables. A process may assign a variable of another process, as in the reference translator.
fn assignable(algorithm: &Algorithm) -> Vec<Rc<str>> {
    let mut names: Vec<Rc<str>> = algorithm
        .variables
        .iter()
        .map(|variable| variable.ident.name.clone())
        .collect();
    for procedure in &algorithm.procedures {
        let all = procedure.parameters.iter().chain(&procedure.variables);
        names.extend(all.map(|variable| variable.ident.name.clone()));
    }
    if let Body::Processes(processes) = &algorithm.body {
        let all = processes.iter().flat_map(|process| &process.variables);
        names.extend(all.map(|variable| variable.ident.name.clone()));
    }
    names
}

struct Checker<'a> {
    algorithm: &'a Algorithm,
    assignable: Vec<Rc<str>>,
    faults: Vec<AlgorithmError>,
}

impl Checker<'_> {
    fn twice(&mut self, what: &str, ident: &Ident, span: Span, first: Span) {
        let fault = AlgorithmError::new(
            AlgorithmErrorKind::DuplicateName,
            span,
            format!("{what} `{}` is declared twice", ident.name),
        );
        self.faults
            .push(fault.related(first, "first here").help("rename one of the two"));
    }

    fn declarations(&mut self) {
        let algorithm = self.algorithm;
        let mut globals: BTreeMap<&str, Span> = BTreeMap::new();
        for variable in &algorithm.variables {
            let ident = &variable.ident;
            let is_taken =
                &*ident.name == "pc" || (&*ident.name == "stack" && !algorithm.procedures.is_empty());
            if is_taken {
                let message = format!("the translation declares `{}` itself", ident.name);
                let fault = AlgorithmError::new(AlgorithmErrorKind::DuplicateName, ident.span, message);
                self.faults.push(fault.help("give this variable another name"));
            } else if let Some(first) = globals.insert(&ident.name, ident.span) {
                self.twice("variable", ident, ident.span, first);
            }
        }
        let mut procedures: BTreeMap<&str, Span> = BTreeMap::new();
        for procedure in &algorithm.procedures {
            if let Some(first) = procedures.insert(&procedure.ident.name, procedure.ident.span) {
                self.twice("procedure", &procedure.ident, procedure.ident.span, first);
            }
        }
        if let Body::Processes(list) = &algorithm.body {
            let mut processes: BTreeMap<&str, Span> = BTreeMap::new();
            for process in list {
                if let Some(first) = processes.insert(&process.ident.name, process.ident.span) {
                    self.twice("process", &process.ident, process.ident.span, first);
                }
            }
        }
        if self.assignable.is_empty() && !self.needs_pc() {
            let span = algorithm.name.span;
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::NoVariables,
                span,
                "the algorithm has no variables",
            );
            self.faults
                .push(fault.help("declare a variable: without any, there is only one state"));
        }
    }

    /// Whether the translation has the variable `pc`.
    fn needs_pc(&self) -> bool {
        !crate::translate::omits_pc(self.algorithm)
    }

    fn locals(&mut self, locals: &[&Variable], part: &str) {
        let mut names: BTreeMap<&str, Span> = BTreeMap::new();
        for variable in locals {
            let ident = &variable.ident;
            let global = self
                .algorithm
                .variables
                .iter()
                .find(|global| global.ident.name == ident.name);
            if let Some(first) = names.insert(&ident.name, ident.span) {
                self.twice(&format!("variable of the {part}"), ident, ident.span, first);
            } else if let Some(global) = global {
                let message = format!(
                    "the variable `{}` of the {part} is a variable of the algorithm, too",
                    ident.name
                );
                let fault = AlgorithmError::new(AlgorithmErrorKind::DuplicateName, ident.span, message);
                let fault = fault.related(global.ident.span, "declared here");
                self.faults.push(fault.help("rename one of the two"));
            }
        }
    }

    fn body(&mut self, body: &[Statement], in_procedure: bool) {
        let mut labels = BTreeMap::new();
        self.labels(body, &mut labels);
        self.list(body, &labels, in_procedure);
    }

    fn labels(&mut self, statements: &[Statement], labels: &mut BTreeMap<Rc<str>, Span>) {
        for statement in statements {
            if let Some(label) = &statement.label {
                let ident = &label.ident;
                if matches!(&*ident.name, "Done" | "Error") {
                    let message = format!("`{}` cannot be a label", ident.name);
                    let fault = AlgorithmError::new(AlgorithmErrorKind::ReservedLabel, ident.span, message);
                    self.faults
                        .push(fault.help("it is the value of `pc` after the last step; use another name"));
                }
                if let Some(first) = labels.insert(ident.name.clone(), ident.span) {
                    self.twice("label", ident, ident.span, first);
                }
            }
            for inner in statement.kind.inner() {
                self.labels(inner, labels);
            }
        }
    }

    fn list(&mut self, statements: &[Statement], labels: &BTreeMap<Rc<str>, Span>, in_procedure: bool) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(assignments) => self.assignments(assignments),
                StatementKind::Goto(label) => self.goto(label, labels),
                StatementKind::Call(call) => {
                    self.call(call, statement.span);
                    match &call.after {
                        AfterCall::Goto(label) => self.goto(label, labels),
                        AfterCall::Return if !in_procedure => self.return_outside(statement.span),
                        _ => {}
                    }
                }
                StatementKind::Return if !in_procedure => self.return_outside(statement.span),
                _ => {}
            }
            for inner in statement.kind.inner() {
                self.list(inner, labels, in_procedure);
            }
        }
    }

    fn return_outside(&mut self, span: Span) {
        let fault = AlgorithmError::new(
            AlgorithmErrorKind::ReturnOutsideProcedure,
            span,
            "`return` stands outside of a procedure",
        );
        self.faults.push(fault.help("use `goto Done` to end a process"));
    }

    fn assignments(&mut self, assignments: &[Assignment]) {
        for (at, assignment) in assignments.iter().enumerate() {
            let ident = &assignment.variable;
            if !self.assignable.contains(&ident.name) {
                let message = format!(
                    "`{}` is assigned, but is not a variable of the algorithm",
                    ident.name
                );
                let fault = AlgorithmError::new(AlgorithmErrorKind::UndeclaredVariable, ident.span, message);
                let near = nearest(&ident.name, self.assignable.iter().map(|name| &**name));
                self.faults.push(match near {
                    Some(near) => fault.help(format!("did you mean `{near}`?")),
                    None => fault
                        .help("declare it after `variables`; the variable of a `with` cannot be assigned"),
                });
            }
            let other = assignments[..at].iter().find(|other| {
                other.variable.name == ident.name && (other.path.is_empty() || assignment.path.is_empty())
            });
            if let Some(other) = other {
                let message = format!("`{}` is assigned twice in one statement", ident.name);
                let fault =
                    AlgorithmError::new(AlgorithmErrorKind::DoubleAssignment, assignment.span, message);
                self.faults.push(
                    fault
                        .related(other.span, "first here")
                        .help("only different parts, such as `f[1]` and `f[2]`, can be assigned together"),
                );
            }
        }
    }

    fn goto(&mut self, label: &Ident, labels: &BTreeMap<Rc<str>, Span>) {
        if labels.contains_key(&label.name) || matches!(&*label.name, "Done" | "Error") {
            return;
        }
        let message = format!("there is no label `{}` in this process or procedure", label.name);
        let fault = AlgorithmError::new(AlgorithmErrorKind::UnknownLabel, label.span, message);
        let near = nearest(&label.name, labels.keys().map(|name| &**name));
        self.faults.push(match near {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("a `goto` stays in its own process or procedure; `goto Done` ends it"),
        });
    }

    fn call(&mut self, call: &Call, span: Span) {
        let procedures = &self.algorithm.procedures;
        let called = procedures
            .iter()
            .find(|procedure| procedure.ident.name == call.procedure.name);
        let Some(called) = called else {
            let message = format!("there is no procedure `{}`", call.procedure.name);
            let fault =
                AlgorithmError::new(AlgorithmErrorKind::UnknownProcedure, call.procedure.span, message);
            let near = nearest(
                &call.procedure.name,
                procedures.iter().map(|known| &*known.ident.name),
            );
            self.faults.push(match near {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help("define it before the processes; a macro is used without `call`"),
            });
            return;
        };
        if called.parameters.len() != call.arguments.len() {
            let message = format!(
                "procedure `{}` has {} parameters, but is called with {} arguments",
                called.ident.name,
                called.parameters.len(),
                call.arguments.len()
            );
            let fault = AlgorithmError::new(AlgorithmErrorKind::ProcedureArity, span, message);
            let fault = fault.related(called.ident.span, "defined here");
            self.faults.push(fault.help("give one argument per parameter"));
        }
    }
}
