//! From tree back to text.
//!
//! What is printed reads back as the same tree. Lines are broken only where TLA+ gives columns a meaning: before the
//! bullets of a junction list, before definitions, and before an operator that follows a list, which must stand left of
//! the list's bullets to be outside it.

use super::ast::*;
use super::operators::Op;
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
    /// Columns of the bullets around.
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

    /// Arguments in parentheses; an operator symbol keeps its distance, since `(+)` is a token.
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
                    (Some(op), [param]) if op.fixity() == super::operators::Fixity::Prefix => {
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
                super::operators::Fixity::Prefix => self.put(&format!("{} _", op.text())),
                super::operators::Fixity::Infix => self.put(&format!("_ {} _", op.text())),
                super::operators::Fixity::Postfix => self.put(&format!("_ {}", op.text())),
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

    fn instance(&mut self, instance: &Instance) {
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

    /// Prints the leftmost operand first, then outwards, in a loop: chains of operators have no depth limit.
    fn expr(&mut self, id: ExprId) {
        let mut spine = vec![id];
        let mut innermost = id;
        while let Some(left) = self.tree.left_operand(innermost) {
            spine.push(left);
            innermost = left;
        }
        spine.pop();
        self.closed(innermost);
        let mut operand = innermost;
        for outer in spine.into_iter().rev() {
            self.leave_list(operand);
            self.continuation(outer);
            operand = outer;
        }
    }

    /// Whether the last token belongs to a list item, which would take what follows on the same line.
    fn ends_with_list(&self, mut id: ExprId) -> bool {
        loop {
            id = match &self.tree.expr(id).kind {
                ExprKind::Junction(..) => return true,
                ExprKind::Infix(_, _, _, last)
                | ExprKind::Prefix(_, last)
                | ExprKind::If(_, _, last)
                | ExprKind::Let(_, last)
                | ExprKind::Choose(_, last)
                | ExprKind::Quantified(_, _, last)
                | ExprKind::TemporalQuantified(_, _, last)
                | ExprKind::Label(_, _, last)
                | ExprKind::Case(_, Some(last)) => *last,
                ExprKind::Case(arms, None) => match arms.last() {
                    Some((_, last)) => *last,
                    None => return false,
                },
                ExprKind::Times(factors) => match factors.last() {
                    Some(last) => *last,
                    None => return false,
                },
                _ => return false,
            };
        }
    }

    /// Moves left of the bullets of a list that has just been printed, if one has.
    fn leave_list(&mut self, printed: ExprId) {
        if self.ends_with_list(printed) {
            self.line(self.bullets.last().map_or(0, |column| column + 1));
        }
    }

    /// What follows the leftmost operand.
    fn continuation(&mut self, id: ExprId) {
        match &self.tree.expr(id).kind {
            ExprKind::Infix(op, _, _, right) => {
                self.put(&format!(" {} ", op.text()));
                self.expr(*right);
            }
            ExprKind::Postfix(op, _) => self.put(&format!(" {}", op.text())),
            ExprKind::Call(_, args) => {
                self.put("[");
                self.exprs(args);
                self.put("]");
            }
            ExprKind::Field(_, field) => {
                self.put(" .");
                self.name(field.name);
            }
            _ => {}
        }
    }

    fn closed(&mut self, id: ExprId) {
        let tree: &'a Tree = self.tree;
        match &tree.expr(id).kind {
            ExprKind::Number(text) => self.name(*text),
            ExprKind::Decimal(whole, fraction) => {
                self.name(*whole);
                self.put(".");
                self.name(*fraction);
            }
            ExprKind::Text(text) => {
                let quoted = quote(self.names.text(*text));
                self.put(&quoted);
            }
            ExprKind::Apply(ident, args) => {
                self.name(ident.name);
                self.args(args);
            }
            ExprKind::Path(segments) => {
                for (i, segment) in segments.iter().enumerate() {
                    if i > 0 {
                        self.put("! ");
                    }
                    self.segment(segment);
                }
            }
            ExprKind::At => self.put("@"),
            ExprKind::Prefix(op, operand) => {
                self.put(if *op == Op::Negative { "-" } else { op.text() });
                self.put(" ");
                self.expr(*operand);
            }
            ExprKind::Infix(..) | ExprKind::Postfix(..) | ExprKind::Call(..) | ExprKind::Field(..) => {}
            ExprKind::Times(factors) => {
                for (i, factor) in factors.iter().enumerate() {
                    if i > 0 {
                        self.leave_list(factors[i - 1]);
                        self.put(" \\X ");
                    }
                    self.expr(*factor);
                }
            }
            ExprKind::Junction(kind, items) => {
                let column = self.column;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.line(column);
                    }
                    self.put(kind.op().text());
                    self.put(" ");
                    self.bullets.push(column);
                    self.expr(*item);
                    self.bullets.pop();
                }
            }
            ExprKind::Paren(inner) => {
                self.put("(");
                self.expr(*inner);
                self.put(")");
            }
            ExprKind::Tuple(parts) => {
                self.put("<<");
                self.exprs(parts);
                self.put(">>");
            }
            ExprKind::SetEnum(elements) => {
                self.put("{");
                self.exprs(elements);
                self.put("}");
            }
            ExprKind::SetFilter(bound, predicate) => {
                self.put("{");
                self.bound(bound);
                self.put(" : ");
                self.expr(*predicate);
                self.put("}");
            }
            ExprKind::SetMap(element, bounds) => {
                self.put("{");
                self.expr(*element);
                self.put(" : ");
                self.separated(bounds, Self::bound);
                self.put("}");
            }
            ExprKind::Function(bounds, body) => {
                self.put("[");
                self.separated(bounds, Self::bound);
                self.put(" |-> ");
                self.expr(*body);
                self.put("]");
            }
            ExprKind::FunctionSet(domain, range) => {
                self.put("[");
                self.expr(*domain);
                self.put(" -> ");
                self.expr(*range);
                self.put("]");
            }
            ExprKind::Record(fields) => self.fields(fields, " |-> "),
            ExprKind::RecordSet(fields) => self.fields(fields, " : "),
            ExprKind::Except(function, updates) => {
                self.put("[");
                self.expr(*function);
                self.put(" EXCEPT ");
                self.separated(updates, Self::update);
                self.put("]");
            }
            ExprKind::If(condition, yes, no) => {
                self.put("IF ");
                self.expr(*condition);
                self.put(" THEN ");
                self.expr(*yes);
                self.put(" ELSE ");
                self.expr(*no);
            }
            ExprKind::Case(arms, other) => {
                self.put("CASE ");
                for (i, (condition, value)) in arms.iter().enumerate() {
                    if i > 0 {
                        self.leave_list(arms[i - 1].1);
                        self.put(" [] ");
                    }
                    self.expr(*condition);
                    self.put(" -> ");
                    self.expr(*value);
                }
                if let Some(other) = other {
                    if let Some((_, last)) = arms.last() {
                        self.leave_list(*last);
                    }
                    self.put(" [] OTHER -> ");
                    self.expr(*other);
                }
            }
            ExprKind::Let(units, body) => {
                let column = self.column;
                self.put("LET ");
                for (i, unit) in units.iter().enumerate() {
                    if i > 0 {
                        self.line(column + 4);
                    }
                    self.unit(*unit);
                }
                self.line(column);
                self.put("IN ");
                self.expr(*body);
            }
            ExprKind::Choose(bound, body) => {
                self.put("CHOOSE ");
                self.bound(bound);
                self.put(" : ");
                self.expr(*body);
            }
            ExprKind::Quantified(quantifier, bounds, body) => {
                self.put(if *quantifier == Quantifier::ForAll {
                    "\\A "
                } else {
                    "\\E "
                });
                self.separated(bounds, Self::bound);
                self.put(" : ");
                self.expr(*body);
            }
            ExprKind::TemporalQuantified(quantifier, idents, body) => {
                self.put(if *quantifier == Quantifier::ForAll {
                    "\\AA "
                } else {
                    "\\EE "
                });
                self.idents(idents);
                self.put(" : ");
                self.expr(*body);
            }
            ExprKind::Action(square, action, subscript) => {
                self.put(if *square { "[" } else { "<<" });
                self.expr(*action);
                self.put(if *square { "]_" } else { ">>_" });
                self.expr(*subscript);
            }
            ExprKind::Fairness(strong, subscript, action) => {
                self.put(if *strong { "SF_" } else { "WF_" });
                self.expr(*subscript);
                self.put("(");
                self.expr(*action);
                self.put(")");
            }
            ExprKind::Lambda(params, body) => {
                self.put("LAMBDA ");
                self.idents(params);
                self.put(" : ");
                self.expr(*body);
            }
            ExprKind::Label(label, params, body) => {
                self.name(label.name);
                if !params.is_empty() {
                    self.put("(");
                    self.idents(params);
                    self.put(")");
                }
                self.put(" :: ");
                self.expr(*body);
            }
            ExprKind::Error => {}
        }
    }

    fn segment(&mut self, segment: &Segment) {
        match segment.kind {
            SegmentKind::Name(name) => self.name(name),
            SegmentKind::Part(number) => self.put(&number.to_string()),
            SegmentKind::Body => self.put(":"),
            SegmentKind::At => self.put("@"),
            SegmentKind::First => self.put("<<"),
            SegmentKind::Second => self.put(">>"),
            SegmentKind::Bind => {}
        }
        self.args(&segment.args);
    }

    fn fields(&mut self, fields: &[(Ident, ExprId)], between: &str) {
        self.put("[");
        self.separated(fields, |p, (field, value)| {
            p.name(field.name);
            p.put(between);
            p.expr(*value);
        });
        self.put("]");
    }

    fn update(&mut self, update: &Update) {
        self.put("!");
        for access in &update.path {
            match access {
                Access::Field(field) => {
                    self.put(".");
                    self.name(field.name);
                }
                Access::Index(args) => {
                    self.put("[");
                    self.exprs(args);
                    self.put("]");
                }
            }
        }
        self.put(" = ");
        self.expr(update.value);
    }
}

/// A string as TLA+ writes it.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{c}' => out.push_str("\\f"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
