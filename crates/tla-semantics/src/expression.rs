//! Expressions: resolution of names, and levels.

use omnilink_tla_syntax::ast::*;
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::operators::Op;
use omnilink_tla_syntax::source::Span;
use rustc_hash::FxHashSet;

use super::analyzer::Analyzer;
use super::application::At;
use super::entity::*;
use super::level::{Level, LevelOf};
use super::level_cause::Suspect;

impl Analyzer<'_> {
    /// Resolves an expression and returns its level. Goes from the leftmost operand outwards in a loop, because chains of operators
    /// have no depth limit.
    pub(super) fn expr(&mut self, id: ExprId) -> LevelOf {
        let base = self.spine.len();
        let mut innermost = id;
        while let Some(left) = self.tree().left_operand(innermost) {
            self.spine.push(innermost);
            innermost = left;
        }
        let mut level = self.closed(innermost);
        self.record(innermost, level);
        while self.spine.len() > base {
            if let Some(outer) = self.spine.pop() {
                level = self.continued(outer, level);
                self.record(outer, level);
            }
        }
        level
    }

    pub(super) fn record(&mut self, id: ExprId, level: LevelOf) {
        self.spec.levels[self.tree.0 as usize][id.0 as usize] = level;
    }

    /// An expression whose leftmost operand has the given level.
    fn continued(&mut self, id: ExprId, left: LevelOf) -> LevelOf {
        let node = self.tree().expr(id);
        match &node.kind {
            ExprKind::Infix(op, symbol, _, right) => {
                let right = self.expr(*right);
                self.symbol_applied(id, *op, &[left, right], *symbol)
            }
            ExprKind::Postfix(op, _) => {
                let at = Span::new(node.span.end.saturating_sub(1), node.span.end);
                self.symbol_applied(id, *op, &[left], at)
            }
            ExprKind::Call(function, args) => {
                self.check_call(*function, args.len(), node.span);
                let at = At {
                    whole: node.span,
                    part: Some(*function),
                };
                self.check_level(left, Level::Action, at, |_| "a function".into());
                self.all(args, Level::Action, node.span, left)
            }
            ExprKind::Field(record, _) => {
                let at = At {
                    whole: node.span,
                    part: Some(*record),
                };
                self.check_level(left, Level::Action, at, |_| "a record".into());
                left
            }
            _ => left,
        }
    }

    /// An operator symbol applied to operands.
    fn symbol_applied(&mut self, id: ExprId, op: Op, operands: &[LevelOf], symbol: Span) -> LevelOf {
        let span = self.span(id);
        if op.is_built_in() {
            if let Some(binding) = self.scope.get(self.symbol(op)) {
                self.refer(id, binding, 0);
            }
            if self.is_third_prime(id) {
                return LevelOf::fixed(Level::Action);
            }
            let level = self.built_in(op, operands, |a, i| a.operand(id, i), span);
            return if self.check_stuttering(id, op, operands) {
                level
            } else {
                LevelOf::default()
            };
        }
        let name = self.symbol(op);
        let Some(binding) = self.lookup(Ident { name, span: symbol }) else {
            return operands
                .iter()
                .fold(LevelOf::default(), |level, operand| self.join(level, *operand));
        };
        self.refer(id, binding, 0);
        if self.spec.entity(binding.entity).arity as usize != operands.len() {
            self.wrong_count(binding.entity, operands.len(), symbol);
            return LevelOf::default();
        }
        let args: Vec<_> = operands
            .iter()
            .map(|level| super::argument::Argument::value(*level))
            .collect();
        let ids = [0, 1].map(|i| self.operand(id, i).unwrap_or(id));
        self.apply(binding, &args, ids.get(..args.len()).unwrap_or(&ids), span)
    }

    /// Whether an expression primes a doubly primed one. The second prime has been reported.
    fn is_third_prime(&self, id: ExprId) -> bool {
        let primed = |id: ExprId| match self.tree().expr(id).kind {
            ExprKind::Postfix(Op::Prime, operand) => Some(operand),
            _ => None,
        };
        primed(id).and_then(primed).and_then(primed).is_some()
    }

    /// An operand of an operator symbol.
    pub(super) fn operand(&self, id: ExprId, index: usize) -> Option<ExprId> {
        match (&self.tree().expr(id).kind, index) {
            (ExprKind::Prefix(_, operand) | ExprKind::Postfix(_, operand), 0) => Some(*operand),
            (ExprKind::Infix(_, _, left, _), 0) => Some(*left),
            (ExprKind::Infix(_, _, _, right), 1) => Some(*right),
            _ => None,
        }
    }

    /// Checks that a function defined with several arguments is applied to that many, or to one tuple.
    fn check_call(&mut self, function: ExprId, given: usize, span: Span) {
        let Resolved::Entity(entity) = self.spec.resolved[self.tree.0 as usize][function.0 as usize] else {
            return;
        };
        if !matches!(self.tree().expr(function).kind, ExprKind::Apply(..)) {
            return;
        }
        let EntityKind::Function { arguments, .. } = self.spec.entity(entity).kind else {
            return;
        };
        if given != 1 && given as u32 != arguments {
            let text = self.text(self.spec.entity(entity).name);
            let wanted = super::application::count(arguments as usize);
            let message = format!("`{text}` is defined with {wanted}, but applied to {given}");
            self.error(
                Class::Arity,
                span,
                message,
                "give as many arguments as the definition has",
            );
        }
    }

    /// The joint level of several expressions, each at most of the given level.
    pub(super) fn all(&mut self, ids: &[ExprId], max: Level, whole: Span, start: LevelOf) -> LevelOf {
        let mut levels = Vec::with_capacity(ids.len() + 1);
        levels.push(start);
        for id in ids {
            levels.push(self.at_most(*id, max, whole));
        }
        self.spec.params.join_all(&levels)
    }

    fn at_most(&mut self, id: ExprId, max: Level, whole: Span) -> LevelOf {
        let level = self.expr(id);
        let at = At {
            whole,
            part: Some(id),
        };
        if self.check_level(level, max, at, |_| "a part of this".into()) {
            level
        } else {
            LevelOf::default()
        }
    }

    fn closed(&mut self, id: ExprId) -> LevelOf {
        let node = self.tree().expr(id);
        let span = node.span;
        match &node.kind {
            ExprKind::Number(_) | ExprKind::Decimal(..) | ExprKind::Text(_) | ExprKind::Error => {
                LevelOf::default()
            }
            ExprKind::Infix(..) | ExprKind::Postfix(..) | ExprKind::Call(..) | ExprKind::Field(..) => {
                // Only reached through `expr`, which takes the left operand out first.
                LevelOf::default()
            }
            ExprKind::Apply(ident, args) => self.applied(id, *ident, args),
            ExprKind::Path(segments) => self.path(id, segments),
            ExprKind::At => match self.except.last() {
                Some(level) => *level,
                None => {
                    let message = "`@` has a meaning only inside EXCEPT";
                    self.error(
                        Class::Undefined,
                        span,
                        message,
                        "it stands for the old value in `[f EXCEPT ![x] = @ + 1]`",
                    );
                    LevelOf::default()
                }
            },
            ExprKind::Prefix(op, operand) => {
                let level = self.expr(*operand);
                self.symbol_applied(id, *op, &[level], span)
            }
            ExprKind::Times(factors) => self.all(factors, Level::Action, span, LevelOf::default()),
            ExprKind::Junction(kind, items) => {
                let levels: Vec<LevelOf> = items.iter().map(|item| self.expr(*item)).collect();
                self.built_in(kind.op(), &levels, |_, i| items.get(i).copied(), span)
            }
            ExprKind::Paren(inner) => self.expr(*inner),
            ExprKind::Tuple(parts) | ExprKind::SetEnum(parts) => {
                self.all(parts, Level::Action, span, LevelOf::default())
            }
            ExprKind::SetFilter(bound, predicate) => {
                self.binder(id, std::slice::from_ref(bound), *predicate, Level::Action)
            }
            ExprKind::SetMap(element, bounds) => self.binder(id, bounds, *element, Level::Action),
            ExprKind::Function(bounds, body) => self.binder(id, bounds, *body, Level::Temporal),
            ExprKind::FunctionSet(domain, range) => {
                self.all(&[*domain, *range], Level::Action, span, LevelOf::default())
            }
            ExprKind::Record(fields) => self.fields(fields, Level::Temporal, span),
            ExprKind::RecordSet(fields) => self.fields(fields, Level::Action, span),
            ExprKind::Except(function, updates) => self.updated(*function, updates, span),
            ExprKind::If(condition, yes, no) => self.all(
                &[*condition, *yes, *no],
                Level::Temporal,
                span,
                LevelOf::default(),
            ),
            ExprKind::Case(arms, other) => {
                let mut level = LevelOf::default();
                for (condition, value) in arms {
                    level = self.all(&[*condition, *value], Level::Temporal, span, level);
                }
                other.map_or(level, |other| self.all(&[other], Level::Temporal, span, level))
            }
            ExprKind::Let(units, body) => {
                let mark = self.scope.mark();
                self.let_depth += 1;
                for unit in units {
                    self.definition(*unit);
                }
                self.close_section(self.let_depth);
                self.let_depth -= 1;
                let level = self.expr(*body);
                self.scope.release(mark);
                level
            }
            ExprKind::Choose(bound, body) => {
                self.binder(id, std::slice::from_ref(bound), *body, Level::Action)
            }
            ExprKind::Quantified(_, bounds, body) => self.binder(id, bounds, *body, Level::Temporal),
            ExprKind::TemporalQuantified(_, idents, body) => {
                let mark = self.scope.mark();
                let before = self.bound.len();
                let mut entities = Vec::with_capacity(idents.len());
                for ident in idents {
                    let entity = self.entity(*ident, EntityKind::Declared, 0, LevelOf::fixed(Level::State));
                    self.declare(entity, ident.span);
                    self.bound.push(entity);
                    entities.push(entity);
                }
                self.spec.binders.insert((self.tree, id), entities.into());
                let level = self.expr(*body);
                self.break_leibniz(level.params);
                self.bound.truncate(before);
                self.scope.release(mark);
                LevelOf::fixed(Level::Temporal)
            }
            ExprKind::Action(_, action, subscript) => {
                self.subscripted(id, *action, *subscript);
                LevelOf::fixed(Level::Action)
            }
            ExprKind::Fairness(_, subscript, action) => {
                let errors = self.reported.errors;
                self.subscripted(id, *action, *subscript);
                // With an error in it, `WF_` may not have been meant.
                let is_meant = self.reported.errors == errors;
                LevelOf::fixed(if is_meant {
                    Level::Temporal
                } else {
                    Level::Constant
                })
            }
            ExprKind::Lambda(..) => {
                self.argument(id, Some(0));
                LevelOf::default()
            }
            ExprKind::Label(label, params, body) => self.label(id, *label, params, *body),
        }
    }

    /// The action and the subscript of `[A]_v`, `<<A>>_v`, `WF_v(A)` and `SF_v(A)`.
    fn subscripted(&mut self, id: ExprId, action: ExprId, subscript: ExprId) {
        let span = self.span(id);
        let at = |part: ExprId| At {
            whole: span,
            part: Some(part),
        };
        let of_action = self.expr(action);
        self.check_level(of_action, Level::Action, at(action), |_| "the action".into());
        let of_subscript = self.expr(subscript);
        self.check_level(of_subscript, Level::State, at(subscript), |_| {
            "the subscript".into()
        });
        self.break_leibniz(of_action.params);
        self.break_leibniz(of_subscript.params);
    }

    /// Bounds, and a body in their scope.
    fn binder(&mut self, id: ExprId, bounds: &[Bound], body: ExprId, max: Level) -> LevelOf {
        let mark = self.scope.mark();
        let before = self.bound.len();
        let span = self.span(id);
        let (entities, sets) = self.bounds(bounds, span);
        self.spec.binders.insert((self.tree, id), entities);
        let level = self.at_most(body, max, span);
        if level.level == Level::Temporal && sets.level == Level::Action {
            let message = "a temporal formula is quantified over a set that depends on the next state";
            let diagnostic = Diagnostic::error(Class::Level, self.source(), span, message)
                .help("quantify over a set without primes");
            let mut sets = bounds.iter().filter_map(|bound| bound.set);
            let primed = sets.find(|set| self.spec.level(self.tree, *set) == Level::Action);
            self.report_level(diagnostic, primed, Level::Action, Suspect::All);
        }
        self.bound.truncate(before);
        self.scope.release(mark);
        self.join(level, sets)
    }

    /// Resolves bounds and brings their names into scope. Returns the names and the joint level of the sets, which are outside
    /// the scope of the names.
    pub(super) fn bounds(&mut self, bounds: &[Bound], whole: Span) -> (Box<[EntityId]>, LevelOf) {
        let mut sets = LevelOf::default();
        for set in bounds.iter().filter_map(|bound| bound.set) {
            let level = self.at_most(set, Level::Action, whole);
            sets = self.join(sets, level);
        }
        let mut entities = Vec::with_capacity(bounds.len());
        for ident in bounds.iter().flat_map(|bound| bound.names.iter()) {
            let entity = self.entity(*ident, EntityKind::Bound, 0, LevelOf::default());
            self.declare(entity, ident.span);
            self.bound.push(entity);
            entities.push(entity);
        }
        (entities.into(), sets)
    }

    fn fields(&mut self, fields: &[(Ident, ExprId)], max: Level, span: Span) -> LevelOf {
        let mut seen = FxHashSet::default();
        for (field, _) in fields {
            if !seen.insert(field.name) {
                let message = format!("the field `{}` occurs twice", self.text(field.name));
                self.error(Class::Redefined, field.span, message, "remove one of the two");
            }
        }
        let values: Vec<ExprId> = fields.iter().map(|(_, value)| *value).collect();
        self.all(&values, max, span, LevelOf::default())
    }

    fn updated(&mut self, function: ExprId, updates: &[ExceptUpdate], span: Span) -> LevelOf {
        let mut level = self.at_most(function, Level::Action, span);
        let old = level;
        for update in updates {
            for access in &update.path {
                if let Access::Index(args) = access {
                    level = self.all(args, Level::Action, span, level);
                }
            }
            let no_labels = self.no_labels.replace("an EXCEPT");
            self.except.push(old);
            level = self.all(&[update.value], Level::Action, span, level);
            self.except.pop();
            self.no_labels = no_labels;
        }
        level
    }

    /// Records a label; reports it where labels are not allowed or its name is taken.
    pub(super) fn check_label(&mut self, label: Ident) {
        let text = self.text(label.name);
        if let Some(place) = self.no_labels {
            let message = format!("a label is not allowed in {place}");
            self.error(Class::Label, label.span, message, "labels belong in definitions");
        }
        if !self.labels.insert(label.name) {
            let message = format!("there already is a label `{text}` in this definition");
            self.error(Class::Label, label.span, message, "rename one of the two");
        }
    }

    /// A label, whose parameters must be exactly the names bound between it and the enclosing definition or label.
    pub(super) fn label(&mut self, id: ExprId, label: Ident, params: &[Ident], body: ExprId) -> LevelOf {
        let text = self.text(label.name);
        self.check_label(label);
        let bound = std::mem::take(&mut self.bound);
        let names: Vec<_> = bound
            .iter()
            .map(|entity| self.spec.entity(*entity).name)
            .collect();
        let given: Vec<_> = params.iter().map(|param| param.name).collect();
        let twice = given
            .iter()
            .enumerate()
            .any(|(i, name)| given[..i].contains(name));
        let extra: Vec<String> = given
            .iter()
            .filter(|n| !names.contains(n))
            .map(|n| self.text(*n))
            .collect();
        let missing: Vec<String> = names
            .iter()
            .filter(|n| !given.contains(n))
            .map(|n| self.text(*n))
            .collect();
        let all: Vec<String> = names.iter().map(|n| self.text(*n)).collect();
        let help = if all.is_empty() {
            format!("write `{text} ::`")
        } else {
            format!("write `{text}({}) ::`", all.join(", "))
        };
        if !extra.is_empty() {
            let message = format!(
                "the label `{text}` has parameters that nothing binds here: {}",
                extra.join(", ")
            );
            self.error(Class::Label, label.span, message, help);
            given.iter().for_each(|name| self.note_undefined(*name));
        } else if !missing.is_empty() {
            let message = format!(
                "the label `{text}` must name what is bound around it: {}",
                missing.join(", ")
            );
            self.error(Class::Label, label.span, message, help);
        } else if twice {
            let message = format!("the label `{text}` names a parameter twice");
            self.error(Class::Label, label.span, message, help);
        }
        let entities: Vec<EntityId> = given
            .iter()
            .filter_map(|name| {
                let bound = bound
                    .iter()
                    .copied()
                    .find(|entity| self.spec.entity(*entity).name == *name);
                // A wrong parameter has been reported. A replacement keeps uses of the label from being reported.
                bound.or_else(|| self.scope.get(*name).map(|binding| binding.entity))
            })
            .collect();
        self.spec.binders.insert((self.tree, id), entities.into());
        let labels = std::mem::take(&mut self.labels);
        let level = self.expr(body);
        self.labels = labels;
        self.bound = bound;
        level
    }
}
