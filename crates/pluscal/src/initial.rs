//! `Init`: the variables at first.

use std::collections::BTreeSet;

use omnilink_tla_syntax::source::Span;

use crate::ast::{Body, Ident, Initial, Statement, Variable};
use crate::expression::Expression;
use crate::parenthesis::needs_parentheses;
use crate::step::label_of;
use crate::translate::Translator;
use crate::written::Written;

impl Translator<'_> {
    pub(super) fn init(&mut self) {
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
        let domain = if self.has_processes() {
            Domain::All
        } else {
            Domain::None
        };
        for procedure in &algorithm.procedures {
            let mut all = procedure.parameters.clone();
            all.extend(procedure.variables.iter().cloned());
            let title = format!("Procedure {}", procedure.ident.name);
            self.group(&title, &all, domain, column, &mut is_first);
        }
        for process in self.processes() {
            let title = format!("Process {}", process.ident.name);
            let domain = if process.is_set {
                Domain::Set(&process.id)
            } else {
                Domain::None
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
            let text = if self.has_processes() {
                "/\\ stack = [self \\in ProcSet |-> << >>]"
            } else {
                "/\\ stack = << >>"
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
        let any;
        let identity = match domain {
            Domain::None => None,
            // The set is one for all processes, so that a variable in it is that of any of them.
            Domain::Set(processes) if is_element => {
                any = Expression::word(&format!("CHOOSE self \\in {} : TRUE", processes.to_line()), span);
                Some(&any)
            }
            Domain::All | Domain::Set(_) => Some(&self.identity),
        };
        let read = self.context(identity).read(value, &BTreeSet::new());
        let relation = if is_element { "\\in" } else { "=" };
        self.out.push(&format!("/\\ {name} {relation} "), span);
        let (set, before, between) = match domain {
            Domain::None => {
                let read = if !is_element && needs_parentheses(value) {
                    read.parenthesized()
                } else {
                    read
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
