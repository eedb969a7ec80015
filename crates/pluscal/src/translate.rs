//! The translation of an algorithm: the module text between the markers.

use std::collections::BTreeSet;
use std::rc::Rc;

use omnilink_tla_syntax::source::{Source, Span};

use crate::action::Context;
use crate::ast::{Algorithm, Body, Ident, Initial, Mark, Process, Statement, StatementKind};
use crate::expression::Expression;
use crate::formula::{Formula, FormulaKind};
use crate::options::TranslationOptions;
use crate::rename::Renaming;
use crate::step::{Step, steps};
use crate::written::Written;

/// Whether the translation has no `pc`: every process is one loop without an end and without labels inside.
pub(crate) fn omits_pc(algorithm: &Algorithm) -> bool {
    let is_one_loop = |body: &[Statement]| {
        let [only] = body else { return false };
        let StatementKind::While(condition, inside) = &only.kind else {
            return false;
        };
        let is_marked = only.label.as_ref().is_some_and(|label| label.mark != Mark::Plain);
        let leaves = inside
            .iter()
            .any(|statement| statement.label.is_some() || statement.kind.leaves());
        condition.is_word("TRUE") && !is_marked && !leaves
    };
    algorithm.procedures.is_empty()
        && match &algorithm.body {
            Body::Single(body) => is_one_loop(body),
            Body::Processes(processes) => processes.iter().all(|process| is_one_loop(&process.body)),
        }
}

/// Writes the translation of an algorithm whose labels are complete and whose names are unique.
pub(crate) fn write(
    algorithm: &Algorithm,
    renamings: &[Renaming],
    options: &TranslationOptions,
    source: &Source,
) -> Written {
    let has_pc = !omits_pc(algorithm);
    let mut translator = Translator {
        algorithm,
        options,
        source,
        has_pc,
        variables: Vec::new(),
        indexed: BTreeSet::new(),
        identity: Expression::word("self", Span::default()),
        span: algorithm.name.span,
        out: Written::new(options.line_width),
    };
    translator.renamings(renamings);
    translator.declarations();
    translator.init();
    translator.actions();
    translator.next();
    translator.out
}

pub(crate) struct Translator<'a> {
    pub(super) algorithm: &'a Algorithm,
    pub(super) options: &'a TranslationOptions,
    pub(super) source: &'a Source,
    pub(super) has_pc: bool,
    pub(super) variables: Vec<Rc<str>>,
    pub(super) indexed: BTreeSet<Rc<str>>,
    /// The expression `self`.
    pub(super) identity: Expression,
    /// Where definitions come from that no statement is behind.
    pub(super) span: Span,
    pub(super) out: Written,
}

impl<'a> Translator<'a> {
    pub(super) fn processes(&self) -> &'a [Process] {
        match &self.algorithm.body {
            Body::Single(_) => &[],
            Body::Processes(processes) => processes,
        }
    }

    pub(super) fn has_processes(&self) -> bool {
        matches!(self.algorithm.body, Body::Processes(_))
    }

    pub(super) fn push(&mut self, text: &str) {
        self.out.push(text, self.span);
    }

    fn renamings(&mut self, renamings: &[Renaming]) {
        for renaming in renamings {
            let place = self.source.line_column(renaming.span.start);
            let owner = match &*renaming.owner {
                "" => String::new(),
                _ if matches!(renaming.what, "Process" | "Procedure") => String::new(),
                owner => format!(" of {owner}"),
            };
            let line = format!(
                "\\* {} {}{owner} at line {} col {} changed to {}",
                renaming.what, renaming.old, place.line, place.column, renaming.new
            );
            self.out.push(&line, renaming.span);
            self.out.line(0);
        }
    }

    /// Constants, variables, the define block, `vars` and `ProcSet`.
    fn declarations(&mut self) {
        let algorithm = self.algorithm;
        if self.uses_default() {
            self.push("CONSTANT defaultInitValue");
            self.out.line(0);
        }
        let made = |name: &str| Ident {
            name: name.into(),
            span: algorithm.name.span,
        };
        let mut first: Vec<Ident> = Vec::new();
        first.extend(self.has_pc.then(|| made("pc")));
        first.extend(algorithm.variables.iter().map(|variable| variable.ident.clone()));
        first.extend((!algorithm.procedures.is_empty()).then(|| made("stack")));
        let mut second: Vec<Ident> = Vec::new();
        for procedure in &algorithm.procedures {
            let all = procedure.parameters.iter().chain(&procedure.variables);
            second.extend(all.map(|variable| variable.ident.clone()));
        }
        if self.has_processes() {
            self.indexed.extend(second.iter().map(|ident| ident.name.clone()));
            self.indexed.extend(["pc".into(), "stack".into()]);
        }
        for process in self.processes() {
            let own = process.variables.iter().map(|variable| variable.ident.clone());
            if process.is_set {
                self.indexed.extend(own.clone().map(|ident| ident.name));
            }
            second.extend(own);
        }
        let all: Vec<Ident> = first.iter().chain(&second).cloned().collect();
        match &algorithm.define {
            None => self.declare(&all),
            Some(define) => {
                self.declare(&first);
                self.push("(* define statement *)");
                self.out.line(0);
                self.out.push_expression(define);
                self.out.line(0);
                self.out.line(0);
                self.declare(&second);
            }
        }
        self.variables = all.iter().map(|ident| ident.name.clone()).collect();
        let names: Vec<(String, Span)> = all
            .iter()
            .map(|ident| (ident.name.to_string(), self.span))
            .collect();
        self.out.push_list("vars == << ", &names, " >>", self.span);
        self.out.line(0);
        self.out.line(0);
        if self.has_processes() {
            self.push("ProcSet == ");
            for (at, process) in self.processes().iter().enumerate() {
                if at > 0 {
                    self.push(" \\cup ");
                }
                let (open, close) = if process.is_set { ("(", ")") } else { ("{", "}") };
                self.push(open);
                self.out.push_expression(&process.id);
                self.push(close);
            }
            self.out.line(0);
            self.out.line(0);
        }
    }

    fn uses_default(&self) -> bool {
        let algorithm = self.algorithm;
        let locals = self.processes().iter().flat_map(|process| &process.variables);
        let of_procedures = algorithm
            .procedures
            .iter()
            .flat_map(|procedure| procedure.parameters.iter().chain(&procedure.variables));
        let mut all = algorithm.variables.iter().chain(locals).chain(of_procedures);
        all.any(|variable| matches!(variable.initial, Initial::Default))
    }

    fn declare(&mut self, idents: &[Ident]) {
        let names: Vec<(String, Span)> = idents
            .iter()
            .map(|ident| (ident.name.to_string(), ident.span))
            .collect();
        let word = match names.len() {
            0 => return,
            1 => "VARIABLE ",
            _ => "VARIABLES ",
        };
        self.out.push_list(word, &names, "", self.span);
        self.out.line(0);
        self.out.line(0);
    }

    pub(super) fn context<'c>(&'c self, identity: Option<&'c Expression>) -> Context<'c> {
        Context {
            variables: &self.variables,
            indexed: &self.indexed,
            identity,
            source: self.source,
        }
    }

    /// The actions of all labels, procedures and processes.
    fn actions(&mut self) {
        let algorithm = self.algorithm;
        let own = Expression::word("self", Span::default());
        let of_procedure = self.has_processes().then_some(&own);
        for procedure in &algorithm.procedures {
            let list = steps(algorithm, &procedure.body, Some(procedure));
            let parameter = if self.has_processes() { "(self)" } else { "" };
            self.steps(&list, of_procedure, parameter);
            self.disjunction(&procedure.ident, parameter, &list);
        }
        match &algorithm.body {
            Body::Single(body) if self.has_pc => {
                let list = steps(algorithm, body, None);
                self.steps(&list, None, "");
            }
            Body::Single(_) => {}
            Body::Processes(processes) => {
                for process in processes {
                    let list = steps(algorithm, &process.body, None);
                    let (identity, parameter) = if process.is_set {
                        (&own, "(self)")
                    } else {
                        (&process.id, "")
                    };
                    if self.has_pc {
                        self.steps(&list, Some(identity), parameter);
                        self.disjunction(&process.ident, parameter, &list);
                    } else if let [only] = &*list {
                        let head = format!("{}{parameter} == ", process.ident.name);
                        self.loop_action(&head, process.ident.span, only, Some(identity));
                    }
                }
            }
        }
    }

    fn steps(&mut self, list: &[Step], identity: Option<&Expression>, parameter: &str) {
        for step in list {
            let label = &step.label.ident;
            let span = if step.label.is_added {
                step.span
            } else {
                label.span
            };
            let mut assigned = BTreeSet::new();
            let index = identity.map_or(String::new(), |identity| format!("[{}]", identity.to_line()));
            let mut items = vec![Formula::text(&format!("pc{index} = \"{}\"", label.name), span)];
            let context = self.context(identity);
            items.extend(context.conjuncts(&step.acts, &mut assigned));
            items.extend(context.frame(&assigned, span));
            self.out.push(&format!("{}{parameter} == ", label.name), span);
            Formula::new(FormulaKind::And(items), span).write(&mut self.out);
            self.out.line(0);
            self.out.line(0);
        }
    }

    /// The action of a process that is one loop, without `pc`.
    pub(super) fn loop_action(&mut self, head: &str, span: Span, step: &Step, identity: Option<&Expression>) {
        let mut assigned = BTreeSet::new();
        let context = self.context(identity);
        // The last act goes back to the label.
        let acts = step.acts.split_last().map_or(&[][..], |(_, acts)| acts);
        let mut items = context.conjuncts(acts, &mut assigned);
        items.extend(context.frame(&assigned, span));
        self.out.push(head, span);
        match &*items {
            [only] => only.write(&mut self.out),
            _ => Formula::new(FormulaKind::And(items), span).write(&mut self.out),
        }
        self.out.line(0);
        self.out.line(0);
    }

    /// The action of a procedure or process: one of its steps.
    fn disjunction(&mut self, ident: &Ident, parameter: &str, list: &[Step]) {
        self.out
            .push(&format!("{}{parameter} == ", ident.name), ident.span);
        let names: Vec<String> = list
            .iter()
            .map(|step| format!("{}{parameter}", step.label.ident.name))
            .collect();
        self.choices(&names, ident.span);
        self.out.line(0);
        self.out.line(0);
    }

    /// Names with `\/` between them, broken into lines.
    pub(super) fn choices(&mut self, names: &[String], span: Span) {
        let column = self.out.column();
        for (at, name) in names.iter().enumerate() {
            if at > 0 {
                let width = 4 + name.chars().count() as u32;
                if self.out.column() + width > self.options.line_width {
                    self.out.line(column + 3);
                    self.out.push("\\/ ", span);
                } else {
                    self.out.push(" \\/ ", span);
                }
            }
            self.out.push(name, span);
        }
    }
}
