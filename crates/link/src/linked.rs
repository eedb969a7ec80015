//! A spec made ready for traces.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use omnilink_tla::deep_stack;
use omnilink_tla::eval::Evaluator;
use omnilink_tla::ir::{Formula, OperatorId, Program};
use omnilink_tla::model::{BuildOptions, NamedFormula, build};
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::semantics::{Loaded, PlusCal, load, load_text};
use omnilink_tla_compile::Evaluators;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::action::{SpecAction, actions};
use crate::algorithm::Algorithm;
use crate::binding::OpBinding;
use crate::binding_builder::BindingBuilder;
use crate::compile::stale_translations;
use crate::constants::{assign, check_constant, constants, named};
use crate::declaration::Declaration;
use crate::error::LinkError;
use crate::eval_session::EvalSession;
use crate::file_definitions::define_file;
use crate::formula_action::{FormulaAction, formula_actions, happens_unnamed};
use crate::link_options::LinkOptions;
use crate::module::{Lowered, Module, name};
use crate::omnilink_setup::Setup;
use crate::param::Fallback;
use crate::setup_names::{TAG, TRACES, TRANSIENT};
use crate::spec_reader::{ignore_search_settings, read_config, rendered, sound};
use crate::tag::{Tag, TagField, setup_tags, tag_fields};

/// A spec made ready for traces. Shared by all searches; each runs on a [`TlaModel`](crate::TlaModel) of its own.
#[derive(Debug)]
pub struct Linked {
    pub(crate) name: String,
    pub(crate) program: Program,
    pub(crate) init: Formula,
    pub(crate) view: Option<Formula>,
    /// What tells states apart for coverage, if that is counted.
    pub(crate) abstraction: Option<Formula>,
    pub(crate) invariants: Vec<NamedFormula>,
    pub(crate) hidden: Vec<(Formula, u32)>,
    pub(crate) tags: Vec<Tag>,
    /// All identifiers in the tags of the link file.
    tag_words: BTreeSet<String>,
    /// Whether the spec is a setup made for OmniLink on TLC.
    pub(crate) is_setup: bool,
    /// The actions of the spec, and then those of formulas of the link file.
    pub(crate) actions: Vec<SpecAction>,
    /// How many of them are the spec's.
    own_actions: usize,
    pub(crate) bindings: Vec<OpBinding>,
    /// Which binding an operation of this name has; `None` to leave it out.
    pub(crate) by_name: FxHashMap<String, Option<u32>>,
    /// Variables that have a value during a step only, and are no part of a state.
    pub(crate) transient: Vec<u32>,
    /// Whether branches of actions are counted.
    pub(crate) counts_branches: bool,
    /// Whether every step is evaluated.
    pub(crate) evaluates_steps: bool,
    evaluators: Evaluators,
    /// Whether compiled code was wrong.
    is_code_wrong: AtomicBool,
    pub(crate) audits: bool,
    notes: Vec<String>,
    /// Which translation of a PlusCal algorithm was read.
    pluscal: PlusCal,
    /// The collection that it is declared to be.
    pub(crate) acts_as: Option<Declaration>,
}

impl Linked {
    /// What computes steps.
    pub(crate) fn evaluators(&self) -> Evaluators {
        match self.is_code_wrong.load(Ordering::Relaxed) {
            true => Evaluators::Interpreter,
            false => self.evaluators,
        }
    }

    /// Lets the evaluator compute all steps of the models made from now on, because compiled code was wrong.
    pub fn distrust_code(&self) {
        self.is_code_wrong.store(true, Ordering::Relaxed);
    }

    /// Reads a spec and everything that belongs to it.
    ///
    /// # Errors
    /// When something about the spec, its configuration or the link is wrong.
    pub fn load(spec: &Path, options: &LinkOptions) -> Result<Self, LinkError> {
        let folder = spec
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let search = options.search.with_first(folder);
        let display = spec.display().to_string();
        let Some(mut setup) = Setup::recognise(spec, &options.search)? else {
            return Self::link(&display, load(spec, &options.search), &search, options);
        };
        let mut options = options.clone();
        for (op, link) in std::mem::take(&mut setup.ops) {
            options.file.ops.entry(op).or_insert(link);
        }
        let places = std::mem::take(&mut setup.places);
        let mut linked = Self::link(&display, setup.load(spec, &search), &search, &options)?;
        for action in &mut linked.actions {
            if let Some(place) = places.get(&action.name) {
                action.at.clone_from(place);
            }
        }
        Ok(linked)
    }

    /// Links a spec given as text, for tests and examples.
    ///
    /// # Errors
    /// As [`Linked::load`].
    pub fn from_text(module: &str, text: &str, options: &LinkOptions) -> Result<Self, LinkError> {
        let path = PathBuf::from(format!("{module}.tla"));
        let loaded = load_text(&path, text.to_owned(), &options.search);
        Self::link(&path.display().to_string(), loaded, &options.search, options)
    }

    fn link(
        display: &str,
        loaded: Loaded,
        search: &SearchPath,
        options: &LinkOptions,
    ) -> Result<Self, LinkError> {
        let mut spec = sound(loaded)?;
        let mut config = read_config(&mut spec, options.config.as_deref())?;
        let mut actions = actions(&spec, Some(&config));
        let algorithm = Algorithm::of(&spec);
        let mut formula_actions = formula_actions(&spec, &actions, &algorithm, &options.file)?;
        for action in &mut actions {
            action.in_next &= !happens_unnamed(action, &formula_actions, &options.file);
        }
        let is_setup = spec.find(TRANSIENT[0]).is_some();
        if is_setup {
            let invariants: Vec<&str> = config
                .invariants
                .iter()
                .map(|named| named.name.as_str())
                .collect();
            formula_actions.push(FormulaAction::end_of_trace(&invariants));
        }
        let builder = BindingBuilder::new(&spec, &actions, &formula_actions, &algorithm, &options.file)?;
        let mut module = Module::extending(&spec);
        for (constant, expression) in constants(options) {
            check_constant(&spec, constant, "the link")?;
            assign(&spec, &mut config, &mut module, constant, expression);
        }
        for (constant, _) in options
            .collected
            .iter()
            .filter(|(constant, _)| constant != TRACES)
        {
            check_constant(&spec, constant, "--collect")?;
        }
        builder.define(&mut module);
        define_file(&options.file, &algorithm, &mut module)?;
        let mut operations = module.operations().to_vec();
        let spec = module.on_top_of(spec, search)?;
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
        let setup_tags = setup_tags(&spec);
        setup_tags.iter().for_each(|tag| operations.push(tag.clone()));
        let build_options = BuildOptions {
            values: options.collected.clone(),
            operations,
            ..BuildOptions::default()
        };
        let model = deep_stack::run(|| {
            build(spec, &config, &build_options)
                .map_err(|rejected| LinkError::Spec(rendered(&rejected.diagnostics, &rejected.spec)))
        })?;
        let lowered = Lowered::of(build_options.operations, &model.operations);
        let numbered = |role: &str, number: usize| lowered.get(&name(role, &number.to_string()));
        let (bindings, by_name) = builder.bindings(&lowered);
        let view = lowered
            .get(&name("view", "all"))
            .map(OperatorId::formula)
            .or(model.view);
        let abstraction = lowered
            .get(&name("abstraction", "all"))
            .map(OperatorId::formula)
            .or(view);
        let mut invariants = model.invariants;
        for (number, invariant) in options.file.invariants.iter().enumerate() {
            invariants.extend(numbered("invariant", number).map(|operation| NamedFormula {
                name: invariant.clone(),
                formula: operation.formula(),
                at: None,
            }));
        }
        let hidden = options.file.hidden.iter().enumerate();
        let hidden = hidden
            .filter_map(|(number, link)| Some((numbered("hidden", number)?.formula(), link.bound)))
            .collect();
        let mut tags = Vec::new();
        for (number, (tag, predicate)) in options.file.tags.iter().enumerate() {
            let takes = tag_fields(predicate).map(|(field, _)| field).collect();
            tags.extend(numbered("tag", number).map(|operation| Tag {
                name: tag.clone(),
                predicate: operation,
                takes,
            }));
        }
        for tag in &setup_tags {
            tags.extend(lowered.get(tag).map(|operation| Tag {
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
            view,
            abstraction: abstraction.filter(|_| options.counts_branches),
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
            evaluates_steps: options.evaluates_steps,
            audits: options.audits || options.evaluators == Evaluators::Both,
            evaluators: match options.evaluators {
                // By its definition.
                _ if options.evaluates_steps => Evaluators::Interpreter,
                _ if options.audits => Evaluators::Both,
                evaluators => evaluators,
            },
            is_code_wrong: AtomicBool::new(false),
            notes,
            pluscal: options.search.pluscal(),
            acts_as: None,
        };
        linked.acts_as = Declaration::of(&options.file, &linked.bindings)?;
        linked.note_reads();
        linked.evaluate_constants()?;
        Ok(linked)
    }

    /// Marks results that no definition uses.
    fn note_reads(&mut self) {
        for binding in &mut self.bindings {
            let operations: Vec<OperatorId> = binding.formulations().map(|f| f.operation).collect();
            for (number, param) in binding.params.iter_mut().enumerate() {
                let is_read = operations
                    .iter()
                    .any(|operation| self.program.uses_param(*operation, number));
                param.is_unread_result = param.fallback == Fallback::Result && !is_read;
            }
        }
    }

    /// Whether a tag mentions a field.
    pub(crate) fn is_tagged(&self, field: &str) -> bool {
        self.tag_words.contains(field)
    }

    /// Evaluates result codes and default arguments.
    fn evaluate_constants(&mut self) -> Result<(), LinkError> {
        let mut bindings = std::mem::take(&mut self.bindings);
        let result = deep_stack::run(|| {
            let session = EvalSession::default();
            let mut evaluator = Evaluator::new(&self.program, &session);
            for constant in bindings.iter_mut().flat_map(OpBinding::constants_mut) {
                let value = evaluator
                    .value(constant.formula)
                    .map_err(|failure| LinkError::Evaluation(failure.render(&self.program.sources)))?;
                constant.value = Some(value);
            }
            // A set of processes that depends on the state is not known beforehand, and nothing is checked.
            for processes in bindings
                .iter_mut()
                .filter_map(|binding| binding.processes.as_mut())
            {
                processes.members.value = evaluator.value(processes.members.formula).ok();
            }
            Ok(())
        });
        self.bindings = bindings;
        result
    }

    /// The variables that nothing but actions mentions: no invariant, view, tag or set of unknown values.
    ///
    /// Where branches are counted, steps are evaluated once more with their next states, so all of them matter.
    pub(crate) fn unmentioned_variables(&self) -> Vec<u32> {
        if self.counts_branches || self.evaluates_steps {
            return Vec::new();
        }
        let ranges = self.bindings.iter().flat_map(|binding| &binding.params);
        let formulas = (self.view.into_iter())
            .chain(self.invariants.iter().map(|invariant| invariant.formula))
            .chain(self.tags.iter().map(|tag| tag.predicate.formula()))
            .chain(ranges.filter_map(|param| Some(param.range?.formula())));
        let mut mentioned: BTreeSet<u32> = self.transient.iter().copied().collect();
        for formula in formulas {
            mentioned.extend(self.program.variables_of(formula));
        }
        let variables = 0..self.program.variables.len() as u32;
        variables
            .filter(|variable| !mentioned.contains(variable))
            .collect()
    }

    /// The spec, as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether operations of this name are bound or ignored.
    pub fn knows(&self, op: &str) -> bool {
        self.by_name.contains_key(op)
    }

    /// The names of operations that are bound or ignored, in order.
    pub fn ops(&self) -> Vec<&str> {
        let mut ops: Vec<&str> = self.by_name.keys().map(String::as_str).collect();
        ops.sort_unstable();
        ops
    }

    /// The actions of the spec.
    pub fn actions(&self) -> &[SpecAction] {
        &self.actions[..self.own_actions]
    }

    /// Translations of PlusCal algorithms in the spec's files that are not those of the algorithms.
    pub fn stale_translations(&self) -> Vec<String> {
        stale_translations(&self.program, self.pluscal)
    }

    /// Notes for the user about how the spec was read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The model values of the configuration and the link.
    pub fn model_values(&self) -> &[Value] {
        &self.program.model_values
    }
}
