//! Checks of a configuration against its spec.

use omnilink_tla_syntax::diagnostic::{Class, Diagnostic, nearest};
use omnilink_tla_syntax::source::{SourceId, Span};
use rustc_hash::FxHashSet;

use super::absent::{TRANSLATE, has_untranslated_algorithm};
use super::{Assigned, Config, Named};
use crate::entity::{Binding, Entity, EntityKind};
use crate::level::Level;
use crate::spec::Spec;

/// The maximum number of missing constants shown.
const MAX_SHOWN: usize = 8;

impl Config {
    /// Reports unknown names, constants without a value, formulas of the wrong level, and both SPECIFICATION and INIT or NEXT. Some constants are given
    /// their values elsewhere.
    pub fn check(&self, spec: &Spec, given: &[String], diagnostics: &mut Vec<Diagnostic>) {
        let Some(source) = self.source else { return };
        let mut check = Check {
            spec,
            source,
            diagnostics,
        };
        check.behaviour(self);
        for name in self.invariants.iter().chain(&self.constraints) {
            check.formula(name, Level::State, 0);
        }
        for name in &self.action_constraints {
            check.formula(name, Level::Action, 0);
        }
        for name in &self.properties {
            check.formula(name, Level::Temporal, 0);
        }
        for name in self
            .symmetry
            .iter()
            .chain(&self.postconditions)
            .chain(&self.periodic)
        {
            check.formula(name, Level::Temporal, 0);
        }
        for name in self.view.iter().chain(&self.alias).chain(&self.reward) {
            check.formula(name, Level::Temporal, 0);
        }
        for name in &self.possible {
            check.formula(name, Level::Action, 0);
        }
        check.constants(self, given);
    }
}

struct Check<'a> {
    spec: &'a Spec,
    source: SourceId,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Check<'_> {
    fn error(&mut self, span: Span, message: String, help: impl Into<String>) {
        self.diagnostics
            .push(Diagnostic::error(Class::Config, self.source, span, message).help(help));
    }

    fn behaviour(&mut self, config: &Config) {
        if let Some(specification) = &config.specification {
            self.formula(specification, Level::Temporal, 0);
            for other in config.init.iter().chain(&config.next) {
                let help = "keep either SPECIFICATION or INIT and NEXT";
                self.error(
                    other.span,
                    "INIT and NEXT do not go with SPECIFICATION".into(),
                    help,
                );
            }
        }
        if let Some(init) = &config.init {
            // A recursive operator that is declared together with an action counts as one itself, so where there are such
            // operators the level says little. A prime in an initial condition is an error when it is evaluated.
            let max = if self.has_recursion() {
                Level::Action
            } else {
                Level::State
            };
            self.formula(init, max, 0);
        }
        if let Some(next) = &config.next {
            self.formula(next, Level::Action, 0);
        }
        match (&config.init, &config.next) {
            (Some(init), None) => self.error(init.span, "INIT comes with NEXT".into(), "add a NEXT"),
            (None, Some(next)) => self.error(next.span, "NEXT comes with INIT".into(), "add an INIT"),
            _ => {}
        }
    }

    fn has_recursion(&self) -> bool {
        let mut kinds = self.spec.entities.iter().map(|entity| &entity.kind);
        kinds.any(|kind| matches!(kind, EntityKind::Operator { recursive: true, .. }))
    }

    /// A definition that the configuration names.
    fn find(&mut self, named: &Named) -> Option<Binding> {
        self.find_fitting(named, |_| false)
    }

    /// A definition that the configuration names. If there is none, those that would fit are what was meant rather than others.
    fn find_fitting(&mut self, named: &Named, fits: impl Fn(&Entity) -> bool) -> Option<Binding> {
        let found = self.spec.find(&named.name);
        if found.is_none() {
            let root = self.spec.root();
            let names = || root.into_iter().flat_map(|m| m.scope.keys());
            let known = names().map(|name| self.spec.names.text(*name));
            let fitting = known.clone().filter(|name| {
                let found = self.spec.find(name);
                found.is_some_and(|found| fits(self.spec.entity(found.entity)))
            });
            let module = root.map_or("", |m| self.spec.names.text(m.name));
            let near = nearest(&named.name, fitting).or_else(|| nearest(&named.name, known));
            let help = match near {
                _ if has_untranslated_algorithm(self.spec) => {
                    format!("module {module} has a PlusCal algorithm; {TRANSLATE}")
                }
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("define it in module {module}, or take it out"),
            };
            self.error(
                named.span,
                format!("`{}` is not defined in module {module}", named.name),
                help,
            );
        }
        found
    }

    fn formula(&mut self, named: &Named, max: Level, arity: u32) {
        let fits = |entity: &Entity| entity.arity == arity && entity.level.level == max;
        let Some(binding) = self.find_fitting(named, fits) else {
            return;
        };
        let entity = self.spec.entity(binding.entity);
        if entity.arity != arity {
            let message = format!("`{}` takes arguments", named.name);
            self.error(named.span, message, "name a definition without parameters");
        } else if entity.level.level > max {
            let (is, may) = (entity.level.level.word(), max.word());
            let message = format!(
                "`{}` is of {is} level; at most {may} level is allowed here",
                named.name
            );
            self.error(
                named.span,
                message,
                "name a formula that fits, or move it to the section it belongs to",
            );
        }
    }

    /// A value for a name that the spec does not have, which TLC accepts and ignores.
    fn valued(&mut self, target: &Named) {
        if self.spec.find(&target.name).is_none() {
            let message = format!("the spec has no constant `{}`", target.name);
            let diagnostic = Diagnostic::warning(Class::Config, self.source, target.span, message);
            self.diagnostics.push(diagnostic.help("take the assignment out"));
        }
    }

    fn constants(&mut self, config: &Config, given: &[String]) {
        let Some(root) = self.spec.root() else { return };
        for assignment in &config.constants {
            if let Some(module) = &assignment.module {
                let known = self
                    .spec
                    .modules
                    .iter()
                    .any(|m| self.spec.names.text(m.name) == module.name);
                if !known {
                    let message = format!("the spec uses no module {}", module.name);
                    self.error(
                        module.span,
                        message,
                        "name a module that the spec extends or instantiates",
                    );
                }
                if let Assigned::Definition { name } = &assignment.value {
                    self.find(name);
                }
                continue;
            }
            let Assigned::Definition { name } = &assignment.value else {
                self.valued(&assignment.target);
                continue;
            };
            let target = self.find(&assignment.target);
            let value = self.find(name);
            if let (Some(target), Some(value)) = (target, value) {
                let (a, b) = (self.spec.entity(target.entity), self.spec.entity(value.entity));
                if a.arity != b.arity {
                    let message = format!(
                        "`{}` takes {} arguments, `{}` takes {}",
                        assignment.target.name, a.arity, name.name, b.arity
                    );
                    self.error(
                        name.span,
                        message,
                        "use a definition with the same number of parameters",
                    );
                }
            }
        }
        let assigned = config.constants.iter().map(|assignment| &assignment.target.name);
        let assigned: FxHashSet<&str> = assigned.chain(given).map(String::as_str).collect();
        let missing: Vec<_> = root
            .constants
            .iter()
            .map(|constant| self.spec.entity(*constant))
            .filter(|entity| matches!(entity.kind, EntityKind::Constant))
            .filter(|entity| !assigned.contains(self.spec.names.text(entity.name)))
            .collect();
        let Some(first) = missing.first() else {
            return;
        };
        let name = self.spec.names.text(first.name);
        let message = match missing.len() {
            1 => format!("the constant `{name}` has no value"),
            more => format!("the constant `{name}` and {} more have no value", more - 1),
        };
        let help = format!("add `CONSTANT {name} = …` or `CONSTANT {name} <- …`");
        let mut diagnostic =
            Diagnostic::error(Class::Config, self.source, Span::default(), message).help(help);
        for entity in missing.iter().take(MAX_SHOWN) {
            diagnostic = diagnostic.label(entity.source, entity.span, "declared here");
        }
        self.diagnostics.push(diagnostic);
    }
}
