//! The printer: from a tree back to text.
//!
//! The output parses to the same tree. Lines are broken only where columns matter in TLA+: before the bullets of a junction
//! list, before definitions, and before an operator that follows a list, which must stand left of the list's bullets to be
//! outside it.

mod expression;

pub use expression::quote;

use super::ast::*;
use super::operators::Fixity;
use crate::names::{Name, Names};

/// Prints a whole file.
pub fn print(tree: &Tree, names: &Names) -> String {
    let mut printer = Printer {
        tree,
        names,
        out: String::new(),
        column: 0,
        bullets: Vec::new(),
    };
    if let Some(root) = tree.root {
        printer.module(root);
    }
    printer.out
}

/// Prints one expression.
pub fn print_expr(tree: &Tree, names: &Names, id: ExprId) -> String {
    let mut printer = Printer {
        tree,
        names,
        out: String::new(),
        column: 0,
        bullets: Vec::new(),
    };
    printer.expr(id);
    printer.out
}

struct Printer<'a> {
    tree: &'a Tree,
    names: &'a Names,
    out: String,
    column: usize,
    /// Columns of the enclosing bullets.
    bullets: Vec<usize>,
}

impl<'a> Printer<'a> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn line(&mut self, column: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', column));
        self.column = column;
    }

    fn name(&mut self, name: Name) {
        let names: &'a Names = self.names;
        self.put(names.text(name));
    }

    fn separated<T>(&mut self, items: &[T], mut put: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            put(self, item);
        }
    }

    fn exprs(&mut self, ids: &[ExprId]) {
        self.separated(ids, |p, id| p.expr(*id));
    }

    /// Arguments in parentheses. An operator symbol is set off by spaces, because `(+)` is a token.
    fn args(&mut self, ids: &[ExprId]) {
        if ids.is_empty() {
            return;
        }
        let is_symbol = |id: &ExprId| match &self.tree.expr(*id).kind {
            ExprKind::Apply(ident, none) => {
                none.is_empty()
                    && !self
                        .names
                        .text(ident.name)
                        .starts_with(|c: char| c.is_alphanumeric() || c == '_')
            }
            _ => false,
        };
        let (open, close) = if ids.iter().any(is_symbol) {
            ("( ", " )")
        } else {
            ("(", ")")
        };
        self.put(open);
        self.exprs(ids);
        self.put(close);
    }

    fn idents(&mut self, idents: &[Ident]) {
        self.separated(idents, |p, ident| p.name(ident.name));
    }

    fn module(&mut self, index: ModuleIndex) {
        let module = self.tree.module(index);
        self.put("---- MODULE ");
        self.name(module.name.name);
        self.put(" ----");
        if !module.extends.is_empty() {
            self.line(0);
            self.put("EXTENDS ");
            self.idents(&module.extends);
        }
        for unit in &module.units {
            self.line(0);
            self.unit(*unit);
        }
        self.line(0);
        self.put("====");
    }

    fn unit(&mut self, id: UnitId) {
        let unit = self.tree.unit(id);
        if unit.local {
            self.put("LOCAL ");
        }
        match &unit.kind {
            UnitKind::Constants(decls) => {
                self.put("CONSTANTS ");
                self.separated(decls, Self::decl);
            }
            UnitKind::Variables(idents) => {
                self.put("VARIABLES ");
                self.idents(idents);
            }
            UnitKind::Recursive(decls) => {
                self.put("RECURSIVE ");
                self.separated(decls, Self::decl);
            }
            UnitKind::Operator { name, params, body } => {
                match (name.op, &**params) {
                    (Some(op), [left, right]) => {
                        self.name(left.ident.name);
                        self.put(&format!(" {} ", op.text()));
                        self.name(right.ident.name);
                    }
                    (Some(op), [param]) if op.fixity() == Fixity::Prefix => {
                        self.put(&format!("{} ", op.text()));
                        self.name(param.ident.name);
                    }
                    (Some(op), [param]) => {
                        self.name(param.ident.name);
                        self.put(&format!(" {}", op.text()));
                    }
                    _ => self.head(name.ident, params),
                }
                self.put(" == ");
                self.expr(*body);
            }
            UnitKind::Function { name, bounds, body } => {
                self.name(name.name);
                self.put("[");
                self.separated(bounds, Self::bound);
                self.put("] == ");
                self.expr(*body);
            }
            UnitKind::NamedInstance {
                name,
                params,
                instance,
            } => {
                self.head(*name, params);
                self.put(" == ");
                self.instance(instance);
            }
            UnitKind::Instance(instance) => self.instance(instance),
            UnitKind::Assume { name, body, is_axiom } => {
                self.put(if *is_axiom { "AXIOM " } else { "ASSUME " });
                self.statement_name(*name);
                self.expr(*body);
            }
            UnitKind::Theorem {
                name,
                statement,
                proof,
            } => {
                self.put("THEOREM ");
                self.statement_name(*name);
                self.statement(statement);
                if proof.is_some() {
                    self.line(0);
                    self.put("PROOF OMITTED");
                }
            }
            UnitKind::Module(index) => self.module(*index),
            UnitKind::Separator => self.put("----"),
            UnitKind::UseOrHide => self.put("USE TRUE"),
        }
    }

    fn head(&mut self, name: Ident, params: &[OpDecl]) {
        self.name(name.name);
        if !params.is_empty() {
            self.put("(");
            self.separated(params, Self::decl);
            self.put(")");
        }
    }

    fn statement_name(&mut self, name: Option<Ident>) {
        if let Some(name) = name {
            self.name(name.name);
            self.put(" == ");
        }
    }

    fn decl(&mut self, decl: &OpDecl) {
        match decl.op {
            Some(op) => match op.fixity() {
                Fixity::Prefix => self.put(&format!("{} _", op.text())),
                Fixity::Infix => self.put(&format!("_ {} _", op.text())),
                Fixity::Postfix => self.put(&format!("_ {}", op.text())),
            },
            None => {
                self.name(decl.ident.name);
                if decl.arity > 0 {
                    self.put("(_");
                    for _ in 1..decl.arity {
                        self.put(", _");
                    }
                    self.put(")");
                }
            }
        }
    }

    fn bound(&mut self, bound: &Bound) {
        if bound.tuple {
            self.put("<<");
        }
        self.idents(&bound.names);
        if bound.tuple {
            self.put(">>");
        }
        if let Some(set) = bound.set {
            self.put(" \\in ");
            self.expr(set);
        }
    }

    fn instance(&mut self, instance: &ModuleInstance) {
        self.put("INSTANCE ");
        self.name(instance.module.name);
        if !instance.substitutions.is_empty() {
            self.put(" WITH ");
            self.separated(&instance.substitutions, |p, s| {
                p.name(s.target.name);
                p.put(" <- ");
                p.expr(s.value);
            });
        }
    }

    fn statement(&mut self, statement: &AssumeProve) {
        if let Some(label) = statement.label {
            self.name(label.name);
            self.put(" :: ");
        }
        if !statement.assumes.is_empty() {
            self.put(if statement.boxed { "[]ASSUME " } else { "ASSUME " });
            self.separated(&statement.assumes, |p, assumed| match assumed {
                Assumed::Formula(id) => p.expr(*id),
                Assumed::Nested(nested) => p.statement(nested),
                Assumed::New(kind, decl, set) => {
                    p.put(match kind {
                        NewKind::Constant => "NEW CONSTANT ",
                        NewKind::Variable => "NEW VARIABLE ",
                        NewKind::State => "NEW STATE ",
                        NewKind::Action => "NEW ACTION ",
                        NewKind::Temporal => "NEW TEMPORAL ",
                    });
                    p.decl(decl);
                    if let Some(set) = set {
                        p.put(" \\in ");
                        p.expr(*set);
                    }
                }
            });
            self.put(if statement.boxed { " []PROVE " } else { " PROVE " });
        }
        self.expr(statement.prove);
    }
}
