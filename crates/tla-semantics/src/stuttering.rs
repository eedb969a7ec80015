//! Temporal formulas of actions, which must allow steps that change nothing.

use omnilink_tla_syntax::ast::{ExprId, ExprKind};
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::operators::Op;

use super::analyzer::Analyzer;
use super::level::{Level, LevelOf};
use super::level_cause::Suspect;

impl Analyzer<'_> {
    /// `[]A` and `<>A` of an action make sense only with a subscript.
    pub(super) fn check_stuttering(&mut self, id: ExprId, op: Op, operands: &[LevelOf]) -> bool {
        let (Op::Always | Op::Eventually, [operand]) = (op, operands) else {
            return true;
        };
        let ExprKind::Prefix(_, mut inner) = self.tree().expr(id).kind else {
            return true;
        };
        while let ExprKind::Paren(inside) = self.tree().expr(inner).kind {
            inner = inside;
        }
        let subscripted = match self.tree().expr(inner).kind {
            ExprKind::Action(square, ..) => square == (op == Op::Always),
            // SANY does not check the level of a LET or a label here.
            ExprKind::Let(..) | ExprKind::Label(..) => true,
            _ => false,
        };
        let fits = operand.level != Level::Action || subscripted;
        if !fits {
            let (form, text) = if op == Op::Always {
                ("[][A]_v", "[]")
            } else {
                ("<><<A>>_v", "<>")
            };
            let message = format!("`{text}` of an action needs a subscript: `{form}`");
            let help = if self.is_subscripted_application(inner) {
                "a subscript ends before `[` and `.`: put it in parentheses, as in `[][A]_(v[x])` and `<><<A>>_(v.a)`"
            } else {
                "without it the formula would not allow steps that change nothing"
            };
            let diagnostic = Diagnostic::error(Class::Level, self.source(), self.span(id), message);
            self.report_level(diagnostic.help(help), Some(inner), Level::Action, Suspect::All);
        }
        fits
    }

    /// Whether it is `[A]_v[x]` or `<<A>>_v.a`, which apply the whole action and not its subscript.
    fn is_subscripted_application(&self, id: ExprId) -> bool {
        match self.tree().expr(id).kind {
            ExprKind::Call(function, _) => self.is_subscripted_application(function),
            ExprKind::Field(record, _) => self.is_subscripted_application(record),
            ExprKind::Action(..) => true,
            _ => false,
        }
    }
}
