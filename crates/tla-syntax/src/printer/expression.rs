//! Printing of expressions.

use super::Printer;
use crate::ast::*;
use crate::operators::Op;

impl<'a> Printer<'a> {
    /// Prints the leftmost operand first, then outwards, in a loop: chains of operators have no depth limit.
    pub(super) fn expr(&mut self, id: ExprId) {
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

    /// Whether the last token belongs to a list item, to which text on the same line would be added.
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

    /// Starts a line left of the list's bullets, if the expression just printed ends with a list.
    fn leave_list(&mut self, printed: ExprId) {
        if self.ends_with_list(printed) {
            self.line(self.bullets.last().map_or(0, |column| column + 1));
        }
    }

    /// The part after the leftmost operand.
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

    fn update(&mut self, update: &ExceptUpdate) {
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
