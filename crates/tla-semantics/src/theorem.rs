//! Theorems: formulas, and ASSUME/PROVE with the names that NEW declares.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::Class;

use super::analyzer::Analyzer;
use super::entity::*;
use super::level::{Level, LevelOf};

/// The ASSUME/PROVEs around a statement.
#[derive(Clone, Copy)]
struct Around {
    /// Inside another one.
    nested: bool,
    /// Inside one that says ASSUME, not `[]ASSUME`.
    unboxed: bool,
}

impl Analyzer<'_> {
    pub(super) fn theorem(&mut self, id: UnitId, name: Option<Ident>, statement: &AssumeProve) {
        let unit = self.tree().unit(id);
        let before = self.reported.errors;
        let mark = self.scope.mark();
        let no_labels = name.is_none().then_some("a theorem without a name");
        let no_labels = std::mem::replace(&mut self.no_labels, no_labels);
        let bound = std::mem::take(&mut self.bound);
        let labels = std::mem::take(&mut self.labels);
        let around = Around {
            nested: false,
            unboxed: false,
        };
        let level = self.assume_prove(statement, around);
        self.bound = bound;
        self.labels = labels;
        self.no_labels = no_labels;
        self.scope.release(mark);
        if let Some(name) = name {
            let formula = statement.assumes.is_empty().then_some(statement.prove);
            let entity = self.entity(name, EntityKind::Statement(formula), 0, level);
            self.note_errors(entity, before);
            if formula.is_none() {
                self.resolution.assume_proves.insert(entity, id);
            }
            self.define_statement(entity, unit, name);
        }
    }

    fn assume_prove(&mut self, statement: &AssumeProve, around: Around) -> LevelOf {
        let formula = statement.assumes.is_empty();
        if statement.boxed && around.unboxed {
            let message = "[]ASSUME is not allowed inside an ASSUME";
            let help = "write ASSUME and PROVE here, or []ASSUME and []PROVE around";
            self.error(Class::Semantic, statement.span, message, help);
        }
        let inside = Around {
            nested: true,
            unboxed: around.unboxed || !(formula || statement.boxed),
        };
        let no_labels = self.no_labels;
        let mut level = LevelOf::default();
        for assumed in &statement.assumes {
            let part = match assumed {
                Assumed::Formula(formula) => self.expr(*formula),
                Assumed::Nested(nested) => self.nested_statement(nested, inside),
                Assumed::New(kind, decl, set) => {
                    let level = self.new_name(*kind, decl, *set);
                    if around.nested {
                        self.no_labels
                            .get_or_insert("the scope of a NEW name of a nested ASSUME");
                    }
                    level
                }
            };
            level = self.join(level, part);
        }
        let prove = self.expr(statement.prove);
        self.no_labels = no_labels;
        self.join(level, prove)
    }

    /// An ASSUME/PROVE among assumptions. A label gives it its own labels.
    fn nested_statement(&mut self, nested: &AssumeProve, around: Around) -> LevelOf {
        let mark = self.scope.mark();
        let level = match nested.label {
            None => self.assume_prove(nested, around),
            Some(label) => {
                self.check_label(label);
                let labels = std::mem::take(&mut self.labels);
                let level = self.assume_prove(nested, around);
                self.labels = labels;
                level
            }
        };
        self.scope.release(mark);
        level
    }

    /// A name that NEW declares. Returns the level of its set.
    fn new_name(&mut self, kind: NewKind, decl: &OpDecl, set: Option<ExprId>) -> LevelOf {
        let of_set = set.map_or(LevelOf::default(), |set| self.expr(set));
        let at = set.map_or(decl.ident.span, |set| self.span(set));
        self.check_level(of_set, Level::Action, at, |_| "the set of a NEW name".into());
        let fixed = match kind {
            NewKind::Constant => Level::Constant,
            NewKind::Variable | NewKind::State => Level::State,
            NewKind::Action => Level::Action,
            NewKind::Temporal => Level::Temporal,
        };
        let level = LevelOf::fixed(fixed);
        let entity = self.entity(decl.ident, EntityKind::Declared, decl.arity, level);
        self.declare(entity, decl.ident.span);
        of_set
    }
}
