//! A compiled spec: a spec and its configuration, ready to be explored.
//!
//! [`build`] lowers exactly what the configuration names: the initial condition and the next-state relation (given separately or as one
//! SPECIFICATION formula), invariants, properties, constraints. A PROPERTY is decomposed into conjuncts about states and steps, and
//! temporal ones about whole behaviours.

mod constants;
mod property;
mod specification;

use std::collections::BTreeSet;

use omnilink_value::Value;

use crate::config::{Config, Named};
use crate::diagnostic::{Class, Diagnostic};
use crate::ir::temporal::{Refusal, Temporal};
use crate::ir::{Formula, Loc, OperatorId, Program};
use crate::lower::{Lowering, Mode, Replacement};
use crate::semantics::entity::EntityKind;
use crate::semantics::level::Level;
use crate::semantics::spec::Spec;
use crate::source::Span;
use crate::syntax::ast::ExprKind;

pub use crate::config::absent_behaviour;
pub(crate) use constants::PLUSCAL_DEFAULT;
pub use property::{Check, Property};

use property::Unchecked;

/// A formula with a name.
#[derive(Clone, Debug)]
pub struct NamedFormula {
    /// Its name in the configuration.
    pub name: String,
    /// The formula.
    pub formula: Formula,
    /// Where it is defined.
    pub at: Option<Loc>,
}

/// A formula of `_POSSIBLE`, which some state or step must satisfy.
#[derive(Clone, Debug)]
pub struct Possible {
    /// The formula.
    pub formula: NamedFormula,
    /// Whether it is about steps rather than states.
    pub is_step: bool,
}

/// A compiled spec and what is to be checked.
#[derive(Debug)]
pub struct CompiledSpec {
    /// The lowered formulas.
    pub program: Program,
    /// The initial condition.
    pub init: Option<Formula>,
    /// The next-state relation.
    pub next: Option<Formula>,
    /// The assumptions, which are checked first.
    pub assumptions: Vec<NamedFormula>,
    /// The invariants, which must hold in every state.
    pub invariants: Vec<NamedFormula>,
    /// The state constraints: only states that satisfy them are explored.
    pub constraints: Vec<NamedFormula>,
    /// The action constraints: only steps that satisfy them are taken.
    pub action_constraints: Vec<NamedFormula>,
    /// The properties, which behaviours must satisfy.
    pub properties: Vec<Property>,
    /// The view: states with equal views count as one.
    pub view: Option<Formula>,
    /// The alias, which is shown instead of a state.
    pub alias: Option<Formula>,
    /// The postconditions, which must hold at the end.
    pub postconditions: Vec<NamedFormula>,
    /// The symmetry set of permutations.
    pub symmetry: Option<Formula>,
    /// Formulas that are evaluated periodically.
    pub periodic: Vec<NamedFormula>,
    /// Formulas that some state or step must satisfy.
    pub possible: Vec<Possible>,
    /// Whether a state without successors is an error; `None` if the configuration does not say.
    pub check_deadlock: Option<bool>,
    /// The fairness conditions of the specification, which matter to temporal properties only.
    pub fairness: Vec<Temporal>,
    /// The operations of [`BuildOptions::operations`], in that order; `None` if one is not an operator or takes operators.
    pub operations: Vec<Option<OperatorId>>,
    /// The expressions of [`BuildOptions::expressions`], which are shown beside the states of a counterexample.
    pub expressions: Vec<NamedFormula>,
    /// The definitions of the spec's module that nothing here uses, with their places.
    pub unused: Vec<(String, Loc)>,
}

impl CompiledSpec {
    /// Gives what has a name another one in reports.
    pub fn rename(&mut self, name: &str, shown: &str) {
        let formulas = self.invariants.iter_mut().chain(&mut self.constraints);
        let formulas = formulas
            .chain(&mut self.action_constraints)
            .map(|named| &mut named.name);
        let properties = self.properties.iter_mut().map(|property| &mut property.name);
        for known in formulas.chain(properties).filter(|known| *known == name) {
            shown.clone_into(known);
        }
    }
}

/// A spec and the errors of its configuration.
#[derive(Debug)]
pub struct Rejected {
    /// The spec, with the texts that the diagnostics refer to.
    pub spec: Spec,
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Options of [`build`].
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Integers of 32 bits, as in TLC.
    pub is_32_bit: bool,
    /// Expressions for constants, which override the configuration.
    pub constants: Vec<(String, String)>,
    /// Values for constants and definitions, which override the configuration.
    pub values: Vec<(String, Value)>,
    /// Definitions to be evaluated for given arguments.
    pub operations: Vec<String>,
    /// Expressions over states and steps, as in [`crate::SpecOptions::expressions`].
    pub expressions: Vec<String>,
}

/// Compiles a spec without errors.
///
/// # Errors
/// The errors of the configuration.
pub fn build(mut spec: Spec, config: &Config, options: &BuildOptions) -> Result<CompiledSpec, Box<Rejected>> {
    let mut diagnostics = Vec::new();
    let (mut replacements, model_values) =
        constants::replacements(&mut spec, config, options, &mut diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(Box::new(Rejected { spec, diagnostics }));
    }
    for (name, value) in &options.values {
        if let Some(target) = spec.find(name) {
            replacements.add(&spec, target, Replacement::Value(value.clone()));
        }
    }
    let mut lowering = Lowering::new(&spec, replacements).with_32_bits(options.is_32_bit);
    let mut of = Names {
        spec: &spec,
        config,
        diagnostics: &mut diagnostics,
    };
    let (init, next, fairness) = specification::behaviour(&mut of, &mut lowering);
    let assumptions = assumptions(&spec, &mut lowering);
    let mut formulas = |names: &[Named]| -> Vec<NamedFormula> {
        names
            .iter()
            .filter_map(|named| of.formula(named, &mut lowering))
            .collect()
    };
    let invariants = formulas(&config.invariants);
    let constraints = formulas(&config.constraints);
    let action_constraints = formulas(&config.action_constraints);
    let postconditions = formulas(&config.postconditions);
    let periodic = formulas(&config.periodic);
    let mut single = |named: &Option<Named>| {
        let named = named.as_ref()?;
        Some(of.formula(named, &mut lowering)?.formula)
    };
    let (view, alias, symmetry) = (
        single(&config.view),
        single(&config.alias),
        single(&config.symmetry),
    );
    let mut properties = Vec::new();
    for named in &config.properties {
        let Some(binding) = of.find(named) else { continue };
        match property::classify(&spec, &mut lowering, &named.name, binding) {
            Ok(property) => properties.push(property),
            Err(Unchecked::Action(action)) => of.bare_action(named, &action),
            Err(Unchecked::Form(refusal)) => of.refused(named, &refusal),
        }
    }
    let possible = config
        .possible
        .iter()
        .filter_map(|named| {
            let formula = of.formula(named, &mut lowering)?;
            let level = spec
                .find(&named.name)
                .map(|found| spec.entity(found.entity).level.level);
            Some(Possible {
                is_step: level == Some(Level::Action),
                formula,
            })
        })
        .collect();
    let operations = options
        .operations
        .iter()
        .map(|name| lowering.operation(spec.find(name)?))
        .collect();
    let expressions = options.expressions.iter().enumerate();
    let expressions = expressions
        .filter_map(|(number, text)| {
            let binding = spec.find(&crate::expressions::definition_name(number))?;
            Some(NamedFormula {
                name: text.split_whitespace().collect::<Vec<_>>().join(" "),
                formula: lowering.definition(binding, Mode::Plain),
                at: None,
            })
        })
        .collect();
    let mut program = lowering.finish();
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(Box::new(Rejected { spec, diagnostics }));
    }
    program.model_values = model_values;
    let unused = unused(&spec, &program);
    program.sources = std::mem::take(&mut spec.sources).into();
    Ok(CompiledSpec {
        program,
        init,
        next,
        assumptions,
        invariants,
        constraints,
        action_constraints,
        properties,
        view,
        alias,
        postconditions,
        symmetry,
        periodic,
        possible,
        check_deadlock: config.check_deadlock,
        fairness,
        operations,
        expressions,
        unused,
    })
}

/// The definitions of the root module that were not lowered.
fn unused(spec: &Spec, program: &Program) -> Vec<(String, Loc)> {
    let lowered: BTreeSet<&str> = program.operators.iter().map(|operator| &*operator.name).collect();
    let definitions = spec.root().into_iter().flat_map(|root| &root.definitions);
    let definitions = definitions
        .map(|id| spec.entity(*id))
        .filter(|entity| match entity.kind {
            // A tuple of variables is the subscript of an action.
            EntityKind::Operator { body, .. } => {
                let is_tuple = matches!(spec.tree(entity.tree).expr(body).kind, ExprKind::Tuple(_));
                !is_tuple && entity.level.level != Level::Temporal
            }
            EntityKind::Function { .. } => true,
            _ => false,
        });
    let named = definitions.map(|entity| {
        let at = Loc {
            source: entity.source,
            span: entity.span,
        };
        (spec.names.text(entity.name).to_owned(), at)
    });
    named.filter(|(name, _)| !lowered.contains(&**name)).collect()
}

fn assumptions(spec: &Spec, lowering: &mut Lowering<'_>) -> Vec<NamedFormula> {
    let Some(root) = spec.root() else {
        return Vec::new();
    };
    root.assumptions
        .iter()
        .map(|(tree, expr)| {
            let at = Loc {
                source: spec.tree(*tree).source,
                span: spec.tree(*tree).expr(*expr).span,
            };
            let line = spec.sources.get(at.source).line_of(at.span.start);
            NamedFormula {
                name: format!("ASSUME of line {line}"),
                formula: lowering.formula(*tree, *expr, "ASSUME"),
                at: Some(at),
            }
        })
        .collect()
}

/// Resolves the names of a configuration.
struct Names<'a> {
    spec: &'a Spec,
    config: &'a Config,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Names<'_> {
    fn find(&mut self, named: &Named) -> Option<crate::semantics::entity::Binding> {
        let found = self.spec.find(&named.name);
        if found.is_none() {
            self.error(named.span, format!("`{}` is not defined", named.name));
        }
        found
    }

    fn error(&mut self, span: Span, message: String) {
        if let Some(source) = self.config.source {
            self.diagnostics
                .push(Diagnostic::error(Class::Config, source, span, message));
        }
    }

    fn error_with(&mut self, span: Span, message: String, help: String) {
        if let Some(source) = self.config.source {
            self.diagnostics
                .push(Diagnostic::error(Class::Config, source, span, message).help(help));
        }
    }

    /// A property with an action that is not inside `[][A]_v`.
    fn bare_action(&mut self, named: &Named, action: &str) {
        let Some(source) = self.config.source else { return };
        let action = action.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = format!(
            "the property `{}` has the action `{action}`, which would be about the first step only",
            named.name
        );
        let help = "write `[][A]_v` for all steps, or `<><<A>>_v` for some step";
        self.diagnostics
            .push(Diagnostic::error(Class::Level, source, named.span, message).help(help));
    }

    /// A formula of a form that cannot be checked.
    fn refused(&mut self, named: &Named, refusal: &Refusal) {
        let text = self.spec.sources.get(refusal.at.source).slice(refusal.at.span);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = format!("`{}` has `{text}`, which cannot be checked", named.name);
        self.diagnostics.push(
            Diagnostic::error(Class::Temporal, refusal.at.source, refusal.at.span, message)
                .help(refusal.reason),
        );
    }

    fn formula(&mut self, named: &Named, lowering: &mut Lowering<'_>) -> Option<NamedFormula> {
        let binding = self.find(named)?;
        let entity = self.spec.entity(binding.entity);
        Some(NamedFormula {
            name: named.name.clone(),
            formula: lowering.definition(binding, Mode::Plain),
            at: Some(Loc {
                source: entity.source,
                span: entity.span,
            }),
        })
    }
}
