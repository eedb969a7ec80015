//! The translation of an algorithm: the module text between the markers.

use std::collections::BTreeSet;
use std::rc::Rc;

use omnilink_tla_syntax::source::{Source, Span};

use crate::action::Context;
use crate::ast::{Algorithm, Body, Ident, Initial, Mark, Process, Statement, StatementKind, Variable};
use crate::expression::Expression;
use crate::fairness::Fair;
use crate::formula::{Formula, FormulaKind};
use crate::options::Options;
use crate::parenthesis::needs_parentheses;
use crate::rename::Renaming;
use crate::step::{Step, label_of, steps};
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

/// Whether the algorithm never ends: some process, or the body, is one loop without an end, and nothing jumps out.
fn never_ends(algorithm: &Algorithm) -> bool {
    let is_loop = |body: &[Statement]| matches!(body, [only] if matches!(&only.kind, StatementKind::While(condition, _) if condition.is_word("TRUE")));
    match &algorithm.body {
        Body::Single(body) => is_loop(body) && !goes_to_done(body),
        Body::Processes(processes) => {
            processes.iter().any(|process| is_loop(&process.body))
                && !processes.iter().any(|process| goes_to_done(&process.body))
        }
    }
}

fn goes_to_done(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Goto(label) => &*label.name == "Done",
        StatementKind::Call(call) => {
            matches!(&call.after, crate::ast::AfterCall::Goto(label) if &*label.name == "Done")
        }
        kind => kind.inner().iter().any(|inner| goes_to_done(inner)),
    })
}

/// Writes the translation of an algorithm whose labels are complete and whose names are unique.
pub(crate) fn write(
    algorithm: &Algorithm,
    renamings: &[Renaming],
    options: &Options,
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

struct Translator<'a> {
    algorithm: &'a Algorithm,
    options: &'a Options,
    source: &'a Source,
    has_pc: bool,
    variables: Vec<Rc<str>>,
    indexed: BTreeSet<Rc<str>>,
    /// The expression `self`.
    identity: Expression,
    /// Where definitions come from that no statement is behind.
    span: Span,
    out: Written,
}

impl<'a> Translator<'a> {
    fn processes(&self) -> &'a [Process] {
        match &self.algorithm.body {
            Body::Single(_) => &[],
            Body::Processes(processes) => processes,
        }
    }

    fn has_processes(&self) -> bool {
        matches!(self.algorithm.body, Body::Processes(_))
    }

    fn push(&mut self, text: &str) {
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
        let mut first: Vec<Rc<str>> = Vec::new();
        first.extend(self.has_pc.then(|| Rc::from("pc")));
        first.extend(
            algorithm
                .variables
                .iter()
                .map(|variable| variable.ident.name.clone()),
        );
        first.extend((!algorithm.procedures.is_empty()).then(|| Rc::from("stack")));
        let mut second: Vec<Rc<str>> = Vec::new();
        for procedure in &algorithm.procedures {
            let all = procedure.parameters.iter().chain(&procedure.variables);
            second.extend(all.map(|variable| variable.ident.name.clone()));
        }
        if self.has_processes() {
            self.indexed.extend(second.iter().cloned());
            self.indexed.extend(["pc".into(), "stack".into()]);
        }
        for process in self.processes() {
            let names = process
                .variables
                .iter()
                .map(|variable| variable.ident.name.clone());
            second.extend(names.clone());
            if process.is_set {
                self.indexed.extend(names);
            }
        }
        match &algorithm.define {
            None => {
                self.variables = first;
                self.variables.append(&mut second);
                self.declare(&self.variables.clone());
            }
            Some(define) => {
                self.declare(&first);
                self.push("(* define statement *)");
                self.out.line(0);
                self.out.push_expression(define);
                self.out.line(0);
                self.out.line(0);
                self.declare(&second);
                self.variables = first;
                self.variables.append(&mut second);
            }
        }
        let names: Vec<String> = self.variables.iter().map(|name| name.to_string()).collect();
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

    fn declare(&mut self, names: &[Rc<str>]) {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let word = match names.len() {
            0 => return,
            1 => "VARIABLE ",
            _ => "VARIABLES ",
        };
        self.out.push_list(word, &names, "", self.span);
        self.out.line(0);
        self.out.line(0);
    }

    fn init(&mut self) {
        self.push("Init == ");
        let column = self.out.column();
        let mut is_first = true;
        let algorithm = self.algorithm;
        self.group(
            "Global variables",
            &algorithm.variables,
            Domain::None,
            column,
            &mut is_first,
        );
        let domain = match self.has_processes() {
            true => Domain::All,
            false => Domain::None,
        };
        for procedure in &algorithm.procedures {
            let mut all = procedure.parameters.clone();
            all.extend(procedure.variables.iter().cloned());
            let title = format!("Procedure {}", procedure.ident.name);
            self.group(&title, &all, domain, column, &mut is_first);
        }
        for process in self.processes() {
            let title = format!("Process {}", process.ident.name);
            let domain = match process.is_set {
                true => Domain::Set(&process.id),
                false => Domain::None,
            };
            self.group(&title, &process.variables, domain, column, &mut is_first);
        }
        let mut begin = |out: &mut Written, text: &str, span: Span| {
            if !std::mem::take(&mut is_first) {
                out.line(column);
            }
            out.push(text, span);
        };
        if !algorithm.procedures.is_empty() {
            let text = match self.has_processes() {
                true => "/\\ stack = [self \\in ProcSet |-> << >>]",
                false => "/\\ stack = << >>",
            };
            begin(&mut self.out, text, self.span);
        }
        if self.has_pc {
            begin(&mut self.out, "/\\ pc = ", self.span);
            self.initial_pc();
        }
        self.out.line(0);
        self.out.line(0);
    }

    /// The initial values of a group of variables, after a comment.
    fn group(
        &mut self,
        title: &str,
        variables: &[Variable],
        domain: Domain<'_>,
        column: u32,
        is_first: &mut bool,
    ) {
        if variables.is_empty() {
            return;
        }
        if !std::mem::take(is_first) {
            self.out.line(column);
        }
        self.push(&format!("(* {title} *)"));
        for variable in variables {
            self.out.line(column);
            self.initial(variable, domain);
        }
    }

    fn initial(&mut self, variable: &Variable, domain: Domain<'_>) {
        let Ident { name, span } = &variable.ident;
        let span = *span;
        let default = Expression::word("defaultInitValue", span);
        let (is_element, value) = match &variable.initial {
            Initial::Default => (false, &default),
            Initial::Value(value) => (false, value),
            Initial::Element(set) => (true, set),
        };
        let read = {
            let identity = match domain {
                Domain::None => None,
                Domain::All | Domain::Set(_) => Some(&self.identity),
            };
            self.context(identity).read(value, &BTreeSet::new())
        };
        let relation = if is_element { "\\in" } else { "=" };
        self.out.push(&format!("/\\ {name} {relation} "), span);
        let (set, before, between) = match domain {
            Domain::None => {
                let read = match !is_element && needs_parentheses(value) {
                    true => read.parenthesized(),
                    false => read,
                };
                self.out.push_expression(&read);
                return;
            }
            Domain::All => ("ProcSet".to_owned(), "[ self \\in ", " |-> "),
            Domain::Set(set) if is_element => (set.to_line(), "[", " -> "),
            Domain::Set(set) => (set.to_line(), "[self \\in ", " |-> "),
        };
        self.out.push(&format!("{before}{set}{between}"), span);
        self.out.push_expression(&read);
        self.out.push("]", span);
    }

    fn initial_pc(&mut self) {
        let entry = |body: &[Statement]| format!("\"{}\"", label_of(body).unwrap_or("Done"));
        match &self.algorithm.body {
            Body::Single(body) => self.push(&entry(body)),
            Body::Processes(processes) => {
                self.push("[self \\in ProcSet |-> ");
                if let [only] = &**processes {
                    self.push(&entry(&only.body));
                } else {
                    self.push("CASE ");
                    let column = self.out.column().saturating_sub(3);
                    for (at, process) in processes.iter().enumerate() {
                        if at > 0 {
                            self.out.line(column);
                            self.push("[] ");
                        }
                        self.push(if process.is_set { "self \\in " } else { "self = " });
                        self.push(&process.id.to_line());
                        self.push(&format!(" -> {}", entry(&process.body)));
                    }
                }
                self.push("]");
            }
        }
    }

    fn context<'c>(&'c self, identity: Option<&'c Expression>) -> Context<'c> {
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
                    let (identity, parameter) = match process.is_set {
                        true => (&own, "(self)"),
                        false => (&process.id, ""),
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
    fn loop_action(&mut self, head: &str, span: Span, step: &Step, identity: Option<&Expression>) {
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
    fn choices(&mut self, names: &[String], span: Span) {
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

    /// `Terminating`, `Next`, `Spec` and `Termination`.
    fn next(&mut self) {
        let ends = !never_ends(self.algorithm);
        let has_terminating = ends && self.has_pc && !self.options.no_done_disjunct;
        let done = match self.has_processes() {
            true => "\\A self \\in ProcSet: pc[self] = \"Done\"",
            false => "pc = \"Done\"",
        };
        if has_terminating {
            self.push("(* Allow infinite stuttering to prevent deadlock on termination. *)");
            self.out.line(0);
            match self.has_processes() {
                true => {
                    self.push(&format!("Terminating == /\\ {done}"));
                    self.out.line("Terminating == ".len() as u32);
                    self.push("/\\ UNCHANGED vars");
                }
                false => self.push(&format!("Terminating == {done} /\\ UNCHANGED vars")),
            }
            self.out.line(0);
            self.out.line(0);
        }
        self.next_action(has_terminating);
        self.spec();
        if ends && self.has_pc {
            self.push(&format!("Termination == <>({done})"));
            self.out.line(0);
            self.out.line(0);
        }
    }

    fn next_action(&mut self, has_terminating: bool) {
        let algorithm = self.algorithm;
        if let (Body::Single(body), false) = (&algorithm.body, self.has_pc) {
            if let [only] = &*steps(algorithm, body, None) {
                self.loop_action("Next == ", only.span, only, None);
            }
            return;
        }
        let mut names: Vec<String> = Vec::new();
        match &algorithm.body {
            Body::Single(body) => {
                names.extend(
                    algorithm
                        .procedures
                        .iter()
                        .map(|procedure| procedure.ident.name.to_string()),
                );
                let list = steps(algorithm, body, None);
                names.extend(list.iter().map(|step| step.label.ident.name.to_string()));
            }
            Body::Processes(processes) => {
                let single = processes.iter().filter(|process| !process.is_set);
                names.extend(single.map(|process| process.ident.name.to_string()));
                let procedures = algorithm.procedures.iter();
                let procedures: Vec<String> = procedures
                    .map(|procedure| format!("{}(self)", procedure.ident.name))
                    .collect();
                if !procedures.is_empty() {
                    names.push(format!("(\\E self \\in ProcSet: {})", procedures.join(" \\/ ")));
                }
                let sets = processes.iter().filter(|process| process.is_set);
                names.extend(sets.map(|process| {
                    format!(
                        "(\\E self \\in {}: {}(self))",
                        process.id.to_line(),
                        process.ident.name
                    )
                }));
            }
        }
        self.push("Next == ");
        let column = self.out.column() + 3;
        self.choices(&names, self.span);
        if has_terminating {
            self.out.line(column);
            self.push("\\/ Terminating");
        }
        self.out.line(0);
        self.out.line(0);
    }

    fn spec(&mut self) {
        let fair = Fair {
            algorithm: self.algorithm,
            options: self.options,
        };
        let conjuncts = fair.conjuncts();
        if conjuncts.is_empty() {
            self.push("Spec == Init /\\ [][Next]_vars");
        } else {
            self.push("Spec == /\\ Init /\\ [][Next]_vars");
            for conjunct in conjuncts {
                self.out.line("Spec == ".len() as u32);
                self.push(&format!("/\\ {conjunct}"));
            }
        }
        self.out.line(0);
        self.out.line(0);
    }
}

/// What the variables of a group are functions of.
#[derive(Clone, Copy)]
enum Domain<'e> {
    None,
    /// All processes.
    All,
    /// The processes of a set.
    Set(&'e Expression),
}
