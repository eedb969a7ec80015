//! A spec made ready for traces.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use omnilink_engine::Interrupt;
use omnilink_tla::config::{self, Assigned, Assignment, Config, ConfigValue, Named};
use omnilink_tla::deep_stack;
use omnilink_tla::diagnostic::{Diagnostic, nearest, render};
use omnilink_tla::eval::Evaluator;
use omnilink_tla::ir::{Formula, Operation, Program};
use omnilink_tla::model::{BuildOptions, NamedFormula, build};
use omnilink_tla::semantics::entity::EntityKind;
use omnilink_tla::semantics::search_path::{SearchPath, read_text};
use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::semantics::{Loaded, load, load_text};
use omnilink_tla::source::{Source, Span};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::action::{Action, actions};
use crate::binding::{BindingBuilder, OpBinding};
use crate::error::LinkError;
use crate::eval_session::EvalSession;
use crate::formula_action::{FormulaAction, formula_actions};
use crate::link_file::LinkFile;
use crate::model::TlaModel;
use crate::module::{MODULE, Module, name, without_internal_names};
use crate::omnilink_setup::{Setup, TAG, TRACES, TRANSIENT};
use crate::param::Fallback;

/// What is known about a link besides the spec.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    /// The configuration.
    pub config: Option<PathBuf>,
    /// Where modules are looked for, after the spec's own folder.
    pub search: SearchPath,
    /// Constants as TLA+ expressions.
    pub constants: Vec<(String, String)>,
    /// Constants as values: see [`Collection`](crate::Collection).
    pub collected: Vec<(String, Value)>,
    /// What the link file says.
    pub file: LinkFile,
    /// Whether to count which branches of actions are taken: see [`TlaModel::coverage`]. Takes time.
    pub counts_branches: bool,
}

/// A spec made ready for traces. Shared by all searches; each runs on a [`TlaModel`] of its own.
#[derive(Debug)]
pub struct Linked {
    pub(crate) name: String,
    pub(crate) program: Program,
    pub(crate) init: Formula,
    pub(crate) view: Option<Formula>,
    pub(crate) invariants: Vec<NamedFormula>,
    pub(crate) hidden: Vec<(Formula, u32)>,
    pub(crate) tags: Vec<Tag>,
    /// All words of the tags of the link file.
    tag_words: BTreeSet<String>,
    /// Whether the spec is a setup made for OmniLink on TLC.
    pub(crate) is_setup: bool,
    /// The actions of the spec, and then what stands in for formulas of the link file.
    pub(crate) actions: Vec<Action>,
    /// How many of them are the spec's.
    own_actions: usize,
    pub(crate) bindings: Vec<OpBinding>,
    /// Which binding an operation of this name has; `None` to leave it out.
    pub(crate) by_name: FxHashMap<String, Option<u32>>,
    /// Variables that have a value during a step only, and are no part of a state.
    pub(crate) transient: Vec<u32>,
    /// Whether branches of actions are counted.
    pub(crate) counts_branches: bool,
    notes: Vec<String>,
}

/// What a spec offers to traces, before anything is linked.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Its actions.
    pub actions: Vec<Action>,
    /// Its constants that the configuration says nothing about.
    pub constants: Vec<String>,
}

impl Outline {
    /// Reads a spec and its configuration.
    ///
    /// # Errors
    /// When something about them is wrong.
    pub fn read(spec: &Path, options: &LinkOptions) -> Result<Self, LinkError> {
        let mut spec = sound(load(spec, &options.search))?;
        let config = read_config(&mut spec, options.config.as_deref())?;
        let is_given = |name: &str| {
            config
                .constants
                .iter()
                .any(|assignment| assignment.target.name == name)
        };
        let constants = spec.root().into_iter().flat_map(|root| &root.constants);
        let constants = constants.map(|entity| spec.names.text(spec.entity(*entity).name).to_owned());
        Ok(Self {
            actions: actions(&spec, Some(&config)),
            constants: constants.filter(|name| !is_given(name)).collect(),
        })
    }
}

/// A named kind of violation.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) predicate: Operation,
    /// What it is applied to.
    pub(crate) takes: Vec<TagField>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagField {
    Thread,
    Op,
    Args,
    Meta,
    /// All of it, in one record.
    Event,
}

impl TagField {
    pub(crate) const ALL: [(Self, &'static str); 4] = [
        (Self::Thread, "thread"),
        (Self::Op, "op"),
        (Self::Args, "args"),
        (Self::Meta, "meta"),
    ];
}

impl Linked {
    /// Reads a spec and everything that belongs to it.
    ///
    /// # Errors
    /// When something about the spec, its configuration or the link is wrong.
    pub fn load(spec: &Path, options: &LinkOptions) -> Result<Self, LinkError> {
        let folder = spec
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let stem = spec
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let display = spec.display().to_string();
        let Some(setup) = Setup::recognise(spec, &options.search)? else {
            let search = options.search.with_first(folder);
            return Self::link(
                &stem,
                &display,
                load(spec, &options.search),
                &search,
                None,
                options,
            );
        };
        let mut options = options.clone();
        for (op, link) in &setup.ops {
            options.file.ops.entry(op.clone()).or_insert_with(|| link.clone());
        }
        let mut linked = Self::link(&stem, &display, setup.load(spec), &setup.search, None, &options)?;
        for action in &mut linked.actions {
            if let Some(place) = setup.places.get(&action.name) {
                action.at.clone_from(place);
            }
        }
        Ok(linked)
    }

    /// Links a spec that is at hand as text, for tests and examples.
    ///
    /// # Errors
    /// As [`Linked::load`].
    pub fn from_text(module: &str, text: &str, options: &LinkOptions) -> Result<Self, LinkError> {
        let path = PathBuf::from(format!("{module}.tla"));
        let loaded = load_text(&path, text.to_owned(), &options.search);
        Self::link(
            module,
            &path.display().to_string(),
            loaded,
            &options.search,
            Some(text),
            options,
        )
    }

    fn link(
        stem: &str,
        display: &str,
        loaded: Loaded,
        search: &SearchPath,
        text: Option<&str>,
        options: &LinkOptions,
    ) -> Result<Self, LinkError> {
        let mut spec = sound(loaded)?;
        let mut config = read_config(&mut spec, options.config.as_deref())?;
        let actions = actions(&spec, Some(&config));
        let mut formula_actions = formula_actions(&spec, &actions, &options.file)?;
        let is_setup = spec.find(TRANSIENT[0]).is_some();
        if is_setup {
            let invariants: Vec<&str> = config
                .invariants
                .iter()
                .map(|named| named.name.as_str())
                .collect();
            formula_actions.push(FormulaAction::end_of_trace(&invariants));
        }
        let builder = BindingBuilder::new(&spec, &actions, &formula_actions, &options.file)?;
        let mut module = Module::extending(stem);
        for (constant, expression) in constants(options) {
            check_constant(&spec, constant, "the link")?;
            config
                .constants
                .retain(|assignment| assignment.target.name != *constant);
            let value = literal(expression)
                .or_else(|| itself(constant, expression))
                .filter(|_| is_plain_constant(&spec, constant))
                .map(|value| Assigned::Value { value })
                .unwrap_or_else(|| {
                    let definition = name("const", constant);
                    module.define(&definition, &[] as &[&str], expression);
                    Assigned::Definition {
                        name: named(&definition),
                    }
                });
            config.constants.push(assignment(constant, value));
        }
        for (constant, _) in options
            .collected
            .iter()
            .filter(|(constant, _)| constant != TRACES)
        {
            check_constant(&spec, constant, "--collect")?;
        }
        builder.define(&mut module);
        define_file(&options.file, &mut module);
        if !module.is_empty() {
            let module = match text {
                // A text has no folder to be found in: the module stands inside it.
                Some(text) => appended(text, module)?,
                None => module.finish(),
            };
            let path = match text {
                Some(_) => PathBuf::from(format!("{stem}.tla")),
                None => PathBuf::from(format!("{MODULE}.tla")),
            };
            spec = sound(load_text(&path, module, search))?;
            if let Some(path) = &options.config {
                let constants = std::mem::take(&mut config.constants);
                config = read_config(&mut spec, Some(path))?;
                config.constants = constants;
            }
        }
        if config.init.is_none() && config.specification.is_none() {
            let found = ["Init", "Spec"]
                .into_iter()
                .find(|name| spec.find(name).is_some());
            match found {
                Some("Init") => config.init = Some(named("Init")),
                Some(other) => config.specification = Some(named(other)),
                None => {
                    return Err(LinkError::NoInit {
                        spec: display.to_owned(),
                    });
                }
            }
        }
        // Only the actions that a trace names are evaluated: the next-state relation is not needed.
        config.next = None;
        let mut notes = Vec::new();
        ignore_search_settings(&mut config, &mut notes);
        let operations = builder.operations();
        let setup_tags = setup_tags(&spec);
        let build_options = BuildOptions {
            values: options.collected.clone(),
            operations: operations
                .iter()
                .cloned()
                .chain(file_operations(&options.file))
                .chain(setup_tags.iter().cloned())
                .collect(),
            ..BuildOptions::default()
        };
        let model = deep_stack::run(|| {
            build(spec, &config, &build_options)
                .map_err(|rejected| LinkError::Spec(rendered(&rejected.diagnostics, &rejected.spec)))
        })?;
        let mut built = model.operations.iter().copied();
        let (bindings, by_name) = builder.bindings(&mut built);
        let mut of_file = || built.next().flatten();
        let view = options
            .file
            .view
            .as_ref()
            .and_then(|_| of_file())
            .map(Operation::formula);
        let mut invariants = model.invariants;
        for invariant in &options.file.invariants {
            if let Some(operation) = of_file() {
                invariants.push(NamedFormula {
                    name: invariant.clone(),
                    formula: operation.formula(),
                    at: None,
                });
            }
        }
        let mut hidden = Vec::new();
        for link in &options.file.hidden {
            hidden.extend(of_file().map(|operation| (operation.formula(), link.bound)));
        }
        let mut tags = Vec::new();
        for (tag, predicate) in &options.file.tags {
            let takes = tag_fields(predicate).map(|(field, _)| field).collect();
            tags.extend(of_file().map(|operation| Tag {
                name: tag.clone(),
                predicate: operation,
                takes,
            }));
        }
        for tag in &setup_tags {
            tags.extend(of_file().map(|operation| Tag {
                name: tag.trim_start_matches(TAG).to_owned(),
                predicate: operation,
                takes: vec![TagField::Thread, TagField::Event],
            }));
        }
        let variables = (0..).zip(&model.program.variables);
        let transient: Vec<u32> = variables
            .filter(|(_, name)| TRANSIENT.contains(&&***name))
            .map(|(slot, _)| slot)
            .collect();
        let init = model.init.ok_or_else(|| LinkError::NoInit {
            spec: display.to_owned(),
        })?;
        let mut linked = Self {
            name: display.to_owned(),
            program: model.program,
            init,
            view: view.or(model.view),
            invariants,
            hidden,
            tags,
            tag_words: options
                .file
                .tags
                .values()
                .flat_map(|predicate| crate::module::identifiers(predicate))
                .map(str::to_owned)
                .collect(),
            is_setup,
            own_actions: actions.len(),
            actions: actions
                .into_iter()
                .chain(
                    formula_actions
                        .into_iter()
                        .map(|formula_action| formula_action.action),
                )
                .collect(),
            bindings,
            by_name,
            transient,
            counts_branches: options.counts_branches,
            notes,
        };
        linked.note_reads();
        linked.evaluate_constants()?;
        Ok(linked)
    }

    /// Finds out which results are used by no definition.
    fn note_reads(&mut self) {
        for binding in &mut self.bindings {
            let operations: Vec<Operation> = binding.formulations().map(|f| f.operation).collect();
            for (number, param) in binding.params.iter_mut().enumerate() {
                let is_read = operations
                    .iter()
                    .any(|operation| self.program.uses_param(*operation, number));
                param.is_unread_result = param.fallback == Fallback::Result && !is_read;
            }
        }
    }

    /// Whether a tag speaks of a field.
    pub(crate) fn is_tagged(&self, field: &str) -> bool {
        self.tag_words.contains(field)
    }

    /// Evaluates what result codes and arguments that were left out stand for.
    fn evaluate_constants(&mut self) -> Result<(), LinkError> {
        let mut bindings = std::mem::take(&mut self.bindings);
        let result = deep_stack::run(|| {
            let session = EvalSession::default();
            let mut evaluator = Evaluator::new(&self.program, &session);
            for constant in bindings.iter_mut().flat_map(OpBinding::constants_mut) {
                let value = evaluator.value(constant.formula).map_err(|failure| {
                    LinkError::Evaluation(without_internal_names(&failure.render(&self.program.sources)))
                })?;
                constant.value = Some(value);
            }
            Ok(())
        });
        self.bindings = bindings;
        result
    }

    /// Runs `work` with a model on this spec, on a stack that is deep enough to evaluate it.
    ///
    /// # Errors
    /// When the initial states cannot be found.
    pub fn run<T: Send>(&self, work: impl FnOnce(&TlaModel<'_>) -> T + Send) -> Result<T, LinkError> {
        self.run_until(None, None, work)
    }

    /// The same, with a moment at which evaluation ends, or a flag that ends it, be it in the middle of a step: the check then fails, and what it
    /// says is no verdict.
    ///
    /// # Errors
    /// As [`Linked::run`].
    pub fn run_until<T: Send>(
        &self,
        deadline: Option<Instant>,
        interrupt: Option<Interrupt>,
        work: impl FnOnce(&TlaModel<'_>) -> T + Send,
    ) -> Result<T, LinkError> {
        let session = EvalSession::until(deadline, interrupt);
        deep_stack::run(|| {
            let model = TlaModel::new(self, &session)?;
            Ok(work(&model))
        })
    }

    /// The spec, as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether operations of this name mean something, be it that they are left out.
    pub fn knows(&self, op: &str) -> bool {
        self.by_name.contains_key(op)
    }

    /// The operations that mean something, by name, in order.
    pub fn ops(&self) -> Vec<&str> {
        let mut ops: Vec<&str> = self.by_name.keys().map(String::as_str).collect();
        ops.sort_unstable();
        ops
    }

    /// The actions of the spec.
    pub fn actions(&self) -> &[Action] {
        &self.actions[..self.own_actions]
    }

    /// What a person should be told about how the spec was read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Constants given as expressions; the command line counts more than the link file.
fn constants(options: &LinkOptions) -> impl Iterator<Item = (&String, &String)> {
    let given = |name: &String| options.constants.iter().any(|(other, _)| other == name);
    let of_file = options
        .file
        .constants
        .iter()
        .filter(move |(name, _)| !given(name));
    of_file.chain(
        options
            .constants
            .iter()
            .map(|(name, expression)| (name, expression)),
    )
}

fn sound(loaded: Loaded) -> Result<Spec, LinkError> {
    if loaded.is_ok() {
        return Ok(loaded.spec);
    }
    Err(LinkError::Spec(rendered(&loaded.diagnostics, &loaded.spec)))
}

pub(crate) fn rendered(diagnostics: &[Diagnostic], spec: &Spec) -> String {
    let errors: Vec<String> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .map(|diagnostic| render(diagnostic, &spec.sources))
        .collect();
    without_internal_names(&errors.join("\n"))
}

fn read_config(spec: &mut Spec, path: Option<&Path>) -> Result<Config, LinkError> {
    let Some(path) = path else {
        return Ok(Config::default());
    };
    let text = read_text(path).map_err(|error| LinkError::File {
        path: path.display().to_string(),
        message: format!("{error}; give the path of a `.cfg` file"),
    })?;
    let source = spec.sources.add(Source::new(path, text));
    let mut diagnostics = Vec::new();
    let config = config::parse(source, spec.sources.get(source).text(), &mut diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(LinkError::Spec(rendered(&diagnostics, spec)));
    }
    Ok(config)
}

/// What only concerns a model checker is left aside, and said so.
fn ignore_search_settings(config: &mut Config, notes: &mut Vec<String>) {
    let mut left = Vec::new();
    let mut leave = |what: &'static str, there: bool| {
        if there {
            left.push(what);
        }
    };
    leave("CONSTRAINT", !config.constraints.is_empty());
    leave("ACTION_CONSTRAINT", !config.action_constraints.is_empty());
    leave("PROPERTY", !config.properties.is_empty());
    leave("SYMMETRY", config.symmetry.is_some());
    config.constraints.clear();
    config.action_constraints.clear();
    config.properties.clear();
    config.postconditions.clear();
    config.periodic.clear();
    config.symmetry = None;
    config.alias = None;
    if !left.is_empty() {
        notes.push(format!(
            "{} of the configuration is for model checking and plays no part here",
            left.join(", ")
        ));
    }
}

fn check_constant(spec: &Spec, constant: &str, given: &str) -> Result<(), LinkError> {
    let is_known = spec.find(constant).is_some_and(|binding| {
        matches!(
            spec.entity(binding.entity).kind,
            EntityKind::Constant | EntityKind::Operator { .. }
        )
    });
    if is_known {
        return Ok(());
    }
    let known = spec.root().into_iter().flat_map(|root| &root.constants);
    let known = known.map(|entity| spec.names.text(spec.entity(*entity).name));
    Err(LinkError::UnknownConstant {
        given: given.to_owned(),
        name: constant.to_owned(),
        suggestion: nearest(constant, known).map(str::to_owned),
    })
}

fn named(name: &str) -> Named {
    Named {
        name: name.to_owned(),
        span: Span::default(),
    }
}

fn assignment(constant: &str, value: Assigned) -> Assignment {
    Assignment {
        target: named(constant),
        arguments: Vec::new(),
        module: None,
        value,
    }
}

/// An expression that is a value as it stands, as a configuration would have it: no module has to be read to know it.
fn literal(expression: &str) -> Option<ConfigValue> {
    match expression {
        "TRUE" | "FALSE" => Some(ConfigValue::Boolean(expression == "TRUE")),
        _ if expression.starts_with('+') => None,
        _ => {
            let number: i64 = expression.parse().ok()?;
            Some(ConfigValue::Number(number.to_string()))
        }
    }
}

/// A constant that is given its own name is a model value, as in a configuration.
fn itself(constant: &str, expression: &str) -> Option<ConfigValue> {
    (expression.trim() == constant).then(|| ConfigValue::Model(constant.to_owned()))
}

/// Whether this is a declared constant that takes no arguments.
fn is_plain_constant(spec: &Spec, name: &str) -> bool {
    let entity = spec.find(name).map(|binding| spec.entity(binding.entity));
    entity.is_some_and(|entity| matches!(entity.kind, EntityKind::Constant) && entity.arity == 0)
}

/// The text of a spec with the definitions of a link before its end.
fn appended(text: &str, module: Module) -> Result<String, LinkError> {
    let Some(end) = text.rfind("====") else {
        return Err(LinkError::Usage("the module has no end: ====".to_owned()));
    };
    let end = text[..end].trim_end_matches('=').len();
    let definitions = module.finish();
    let body = definitions
        .split_once("EXTENDS")
        .and_then(|(_, rest)| rest.split_once('\n'));
    Ok(format!(
        "{}{}",
        &text[..end],
        body.map_or("====\n", |(_, body)| body)
    ))
}

/// The tags of a setup made for OmniLink: definitions `__TAG_X(pid, op)`.
fn setup_tags(spec: &Spec) -> Vec<String> {
    let scope = spec.root().into_iter().flat_map(|root| &root.scope);
    let tags = scope.filter(|(_, binding)| spec.entity(binding.entity).arity == 2);
    let tags = tags
        .map(|(name, _)| spec.names.text(*name))
        .filter(|name| name.starts_with(TAG));
    let mut tags: Vec<String> = tags.map(str::to_owned).collect();
    tags.sort_unstable();
    tags
}

/// The predicates of a tag are applied to what they mention.
fn tag_fields(predicate: &str) -> impl Iterator<Item = (TagField, &'static str)> {
    let mentioned = crate::module::identifiers(predicate);
    let all = TagField::ALL.into_iter();
    let found: Vec<_> = all.filter(|(_, name)| mentioned.contains(name)).collect();
    found.into_iter()
}

/// Definitions for what the link file says about the whole spec.
fn define_file(file: &LinkFile, module: &mut Module) {
    let none: &[&str] = &[];
    if let Some(view) = &file.view {
        module.define(&name("view", "all"), none, view);
    }
    for (number, invariant) in file.invariants.iter().enumerate() {
        module.define(&name("invariant", &number.to_string()), none, invariant);
    }
    for (number, hidden) in file.hidden.iter().enumerate() {
        module.define(&name("hidden", &number.to_string()), none, &hidden.action);
    }
    for (number, predicate) in file.tags.values().enumerate() {
        let takes: Vec<&str> = tag_fields(predicate).map(|(_, name)| name).collect();
        module.define(&name("tag", &number.to_string()), &takes, predicate);
    }
}

/// The names of these, in the order in which they are taken up again.
fn file_operations(file: &LinkFile) -> Vec<String> {
    let mut names = Vec::new();
    names.extend(file.view.iter().map(|_| name("view", "all")));
    names.extend((0..file.invariants.len()).map(|number| name("invariant", &number.to_string())));
    names.extend((0..file.hidden.len()).map(|number| name("hidden", &number.to_string())));
    names.extend((0..file.tags.len()).map(|number| name("tag", &number.to_string())));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_truth_values_stand_for_themselves_and_all_else_is_evaluated() {
        let number = |text: &str| Some(ConfigValue::Number(text.to_owned()));
        assert_eq!(literal("2"), number("2"));
        assert_eq!(literal("-9223372036854775808"), number("-9223372036854775808"));
        assert_eq!(literal("007"), number("7"));
        assert_eq!(literal("FALSE"), Some(ConfigValue::Boolean(false)));
        for other in [
            "",
            "-",
            "+3",
            "1 + 1",
            "9223372036854775808",
            "a",
            "\"a\"",
            "{1}",
            "true",
        ] {
            assert_eq!(literal(other), None, "{other}");
        }
    }
}
