//! INSTANCE: the module, the substitutions for its constants and variables, and their checks.

use omnilink_tla_syntax::ast::{Ident, ModuleInstance, ParsedModule, Substitution, UnitKind};
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::source::Span;

use super::analyzer::Analyzer;
use super::application::At;
use super::argument::Argument;
use super::entity::*;
use super::level::{Level, LevelOf};
use super::level_cause::Suspect;
use super::spec::{InstanceInfo, Substituted, SubstitutedBy};

impl Analyzer<'_> {
    /// Resolves an instance, whose parameters are in scope.
    pub(super) fn instance(
        &mut self,
        syntax: &ModuleInstance,
        span: Span,
        params: Box<[EntityId]>,
    ) -> Option<InstanceId> {
        let module = self.module_named(syntax.module)?;
        let info = self.spec.module(module);
        let targets: Vec<EntityId> = info.constants.iter().chain(&info.variables).copied().collect();
        let mut substitutions: Vec<Substituted> = Vec::with_capacity(targets.len());
        let errors = self.reported.errors;
        for given in &syntax.substitutions {
            let is_plain = params.is_empty();
            if let Some(substituted) =
                self.explicit(given, &targets, &substitutions, syntax, module, span, is_plain)
            {
                substitutions.push(substituted);
            }
        }
        // After a wrong substitution, its intended constant is not reported as missing.
        let is_consequence =
            self.reported.errors > errors || self.reported.erroneous_modules.contains(&module);
        for target in targets {
            if is_consequence && self.scope.get(self.spec.entity(target).name).is_none() {
                continue;
            }
            if !substitutions.iter().any(|s| s.target == target) {
                let substituted = self.implicit(target, module, span);
                substitutions.extend(substituted);
            }
        }
        let source = self.source();
        self.spec.instances.push(InstanceInfo {
            module,
            params,
            substitutions,
            source,
            span: syntax.span,
        });
        Some(InstanceId(self.spec.instances.len() as u32 - 1))
    }

    /// Reports an INSTANCE in a LET of a nested module. SANY looks for a file of that name and fails because the module exists
    /// twice, unless this module or an enclosing one has an INSTANCE of it outside LETs.
    pub(super) fn is_hidden_from_let(&mut self, module: Ident) -> bool {
        // An earlier error may have removed the INSTANCE that allows this one.
        if self.let_depth == 0 || self.reported.errors > 0 {
            return false;
        }
        let tree = self.tree();
        let is_around =
            |m: &&ParsedModule| m.span.start <= module.span.start && module.span.end <= m.span.end;
        let inner = tree.modules.iter().skip(1).find(|m| m.name.name == module.name);
        let (Some(inner), true) = (inner, self.scope.modules.contains_key(&module.name)) else {
            return false;
        };
        let mut units = tree.modules.iter().filter(is_around).flat_map(|m| &m.units);
        let is_found = units.any(|unit| match &tree.unit(*unit).kind {
            UnitKind::Instance(instance) | UnitKind::NamedInstance { instance, .. } => {
                instance.module.name == module.name
            }
            _ => false,
        });
        if !is_found {
            let text = self.text(module.name);
            let message = format!("a LET cannot instantiate module {text}, which has no file of its own");
            let help = format!(
                "put `Name == INSTANCE {text}` before this definition, or {text} into a file {text}.tla"
            );
            let diagnostic = Diagnostic::error(Class::Module, self.source(), module.span, message)
                .label(
                    self.source(),
                    inner.name.span,
                    "it is inside the module of this file",
                )
                .help(help);
            self.report(diagnostic);
        }
        !is_found
    }

    /// `target <- value`. If the instance has parameters, SANY lets `I(x)!Op` substitute anything for a constant that `Op` itself
    /// does not limit.
    #[allow(clippy::too_many_arguments)]
    fn explicit(
        &mut self,
        given: &Substitution,
        targets: &[EntityId],
        before: &[Substituted],
        syntax: &ModuleInstance,
        module: ModuleId,
        span: Span,
        limits_params: bool,
    ) -> Option<Substituted> {
        let name = given.target.name;
        let Some(target) = targets
            .iter()
            .copied()
            .find(|t| self.spec.entity(*t).name == name)
        else {
            let known = self.scope.get(name).map(|binding| binding.entity);
            let is_conflicting = known.is_some_and(|known| self.is_conflicting(known));
            if is_conflicting || self.reported.erroneous_modules.contains(&module) {
                self.argument(given.value, None);
                return None;
            }
            let (text, module) = (self.text(name), self.text(syntax.module.name));
            let message = format!("`{text}` is neither a constant nor a variable of module {module}");
            let names: Vec<String> = targets
                .iter()
                .map(|t| self.text(self.spec.entity(*t).name))
                .collect();
            let help = if names.is_empty() {
                format!("module {module} has none to substitute")
            } else {
                format!("module {module} has {}", names.join(", "))
            };
            self.error(Class::Redefined, given.target.span, message, help);
            self.argument(given.value, None);
            return None;
        };
        if before.iter().any(|s| s.target == target) {
            let message = format!("`{}` is substituted twice", self.text(name));
            self.error(
                Class::Redefined,
                given.target.span,
                message,
                "remove one of the two",
            );
            return None;
        }
        let value = SubstitutedBy::Expr(self.tree, given.value);
        let mut all = syntax.substitutions.iter();
        if all.any(|other| other.target.name == name && other.target.span != given.target.span) {
            // It is not known which of the two is wrong, so neither is checked.
            self.argument(given.value, None);
            let level = LevelOf::fixed(self.spec.entity(target).max_level);
            return Some(Substituted { target, value, level });
        }
        let arity = self.spec.entity(target).arity;
        let argument = self.argument(given.value, Some(arity));
        let at = At {
            whole: span,
            part: Some(given.value),
        };
        let level = self.check_substitution(target, &argument, at, None);
        let max = self.spec.entity(target).max_level;
        if limits_params || max > Level::Constant {
            self.constrain(level.params, max);
        }
        Some(Substituted { target, value, level })
    }

    /// A constant or variable that WITH does not mention: the entity with the same name in scope is substituted.
    fn implicit(&mut self, target: EntityId, module: ModuleId, span: Span) -> Option<Substituted> {
        let wanted = self.spec.entity(target);
        let (name, arity, place) = (wanted.name, wanted.arity, (wanted.source, wanted.span));
        let text = self.text(name);
        let module = self.text(self.spec.module(module).name);
        let Some(binding) = self.scope.get(name) else {
            if self.incomplete || self.reported.undefined.contains_key(&name) {
                self.reported.errors += 1;
                return None;
            }
            let message = format!("there is no substitution for `{text}` of module {module}");
            let diagnostic = Diagnostic::error(Class::Undefined, self.source(), span, message)
                .label(place.0, place.1, "it is declared here")
                .help(format!(
                    "add `WITH {text} <- …`, or define `{text}` before the INSTANCE"
                ));
            self.unknown(Ident { name, span }, false, diagnostic);
            return None;
        };
        let found = self.spec.entity(binding.entity);
        if found.arity != arity || matches!(found.kind, EntityKind::Instance(_)) {
            let takes = found.arity;
            let message = format!(
                "`{text}` of module {module} takes {arity} arguments, but the `{text}` here takes {takes}"
            );
            let diagnostic = Diagnostic::error(Class::Arity, self.source(), span, message)
                .help(format!("say with `WITH {text} <- …` what is meant"));
            self.wrong_arity(binding.entity, diagnostic);
            return None;
        }
        let argument = if arity > 0 {
            self.operator_argument(binding, Some(arity), span)
        } else {
            Argument::value(self.level_of(binding))
        };
        let level = self.check_substitution(target, &argument, span.into(), Some(binding.entity));
        self.constrain(level.params, self.spec.entity(target).max_level);
        Some(Substituted {
            target,
            value: SubstitutedBy::SameName(binding),
            level,
        })
    }

    /// Checks that the level of a substituted expression is not higher than that of its target. `of` is the substituted entity of
    /// an implicit substitution. Returns the level of the substituted expression, or the maximum if it is too high.
    fn check_substitution(
        &mut self,
        target: EntityId,
        argument: &Argument,
        at: At,
        of: Option<EntityId>,
    ) -> LevelOf {
        let entity = self.spec.entity(target);
        let (max, text) = (entity.max_level, self.text(entity.name));
        if argument.level.level > max {
            let message = format!(
                "`{text}` has {} level, but its substitution has {} level",
                max.word(),
                argument.level.level.word()
            );
            let help = match max {
                Level::Constant => "only a module without variables takes anything for its constants",
                _ => "substitute an expression without primes and temporal operators",
            };
            let diagnostic = Diagnostic::error(Class::Level, self.source(), at.whole, message).help(help);
            match (of, at.part) {
                (Some(entity), _) => self.report_level_of(diagnostic, entity, argument.level.level),
                (None, Some(part)) => {
                    let diagnostic = diagnostic.label(self.source(), self.span(part), "this is substituted");
                    self.report_level(diagnostic, Some(part), argument.level.level, Suspect::All);
                }
                (None, None) => self.report(diagnostic),
            }
            return LevelOf::fixed(max);
        }
        if let Some(operator) = &argument.operator {
            let leibniz = (0..self.spec.entity(target).arity).all(|i| self.formal(operator, i as usize).2);
            if !leibniz {
                let message =
                    format!("the substitution for `{text}` primes its argument or uses it temporally");
                self.level_error(at, message, "define it without primes and temporal operators");
            }
            self.check_uses(target, operator, |_| None, at);
        }
        argument.level
    }

    fn level_error(&mut self, at: At, message: String, help: &str) {
        let mut diagnostic = Diagnostic::error(Class::Level, self.source(), at.whole, message).help(help);
        if let Some(part) = at.part {
            diagnostic = diagnostic.label(self.source(), self.span(part), "this is substituted");
        }
        self.report(diagnostic);
    }

    /// Brings the definitions of an unnamed instance into scope.
    pub(super) fn import(&mut self, instance: InstanceId, local: bool, span: Span) {
        let module = self.spec.instance(instance).module;
        self.incomplete |= self.spec.module(module).incomplete;
        let through = self.spec.via_of(vec![instance]);
        self.spec.unnamed_instances.push((self.module, instance));
        for (name, binding) in self.spec.module(module).exports.clone() {
            let entity = self.spec.entity(binding.entity);
            if entity.is_declaration() {
                continue;
            }
            let home = self.spec.module(entity.module);
            let independent =
                home.constants.is_empty() && home.variables.is_empty() && entity.module != self.module;
            let outer = if independent { Via::NONE } else { through };
            let binding = Binding {
                entity: binding.entity,
                via: self.spec.extend_via(outer, binding.via),
            };
            match self.scope.get(name) {
                None => {
                    self.scope.bind(name, binding);
                    if local {
                        self.scope.local.insert(name);
                    }
                }
                Some(known) if known.entity == binding.entity => {
                    // Of two instances, one that is not LOCAL exports.
                    if !local {
                        self.scope.local.remove(&name);
                    }
                }
                Some(known) => self.clash(binding.entity, known.entity, span),
            }
        }
    }

    /// The level of a binding, after the substitutions of its instances.
    pub(super) fn level_of(&mut self, binding: Binding) -> LevelOf {
        let level = self.spec.entity(binding.entity).level;
        let instances = self.spec.via(binding.via).to_vec();
        self.through_instances(level, &instances)
    }

    /// A level after the substitutions of the given instances, outermost first.
    pub(super) fn through_instances(&mut self, mut level: LevelOf, instances: &[InstanceId]) -> LevelOf {
        for instance in instances.iter().rev() {
            let substitutions = &self.spec.instances[instance.0 as usize].substitutions;
            level = self.spec.params.substitute(level, |param| {
                substitutions.iter().find(|s| s.target == param).map(|s| s.level)
            });
        }
        level
    }
}
