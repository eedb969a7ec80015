//! A spec with its configuration and more definitions, compiled with its next-state relation.

use std::path::Path;

use omnilink_tla::config::Config;
use omnilink_tla::deep_stack;
use omnilink_tla::ir::Program;
use omnilink_tla::model::{BuildOptions, CompiledSpec, build};
use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::semantics::{PlusCal, load, stale_translation};
use omnilink_value::Value;

use crate::constants::{assign, check_constant, constants, named};
use crate::error::LinkError;
use crate::link_options::LinkOptions;
use crate::module::{Module, entry, name};
use crate::spec_reader::{ignore_search_settings, read_config, rendered, sound};

/// A definition on top of a spec.
#[derive(Clone, Debug)]
pub struct Definition {
    /// What it is for: part of its name.
    pub role: String,
    /// The entry of the link file that says it, for messages.
    pub entry: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// Its body, in TLA+.
    pub body: String,
}

impl Definition {
    /// The name of the definition.
    pub fn name(&self) -> String {
        name("log", &self.role)
    }
}

/// What a user may give in place of what a spec says.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Definitions, compiled as operations in this order.
    pub definitions: Vec<Definition>,
    /// The initial condition: the name of one of the definitions.
    pub init: Option<String>,
    /// Operators and the definitions of the spec, or expressions, that replace them.
    pub overrides: Vec<(String, String)>,
    /// Values of constants from a file that may have more than the spec needs.
    pub constants: Vec<(String, Value)>,
    /// Names that formulas may use, with their values.
    pub values: Vec<(String, Value)>,
    /// Names of the spec that would otherwise mean something else in formulas.
    pub own_names: Vec<String>,
}

/// What is said about translations of PlusCal algorithms that are not those of the algorithms.
pub fn stale_translations(program: &Program, choice: PlusCal) -> Vec<String> {
    let sources = program.sources.iter();
    let warnings =
        sources.filter_map(|(id, source)| Some((source, stale_translation(id, source.text(), choice)?)));
    warnings
        .map(|(source, warning)| {
            let line = source.line_column(warning.span.start).line;
            format!("{}:{line}: {}", source.path().display(), warning.message)
        })
        .collect()
}

/// Compiles a spec with its initial condition, its next-state relation, its invariants and further definitions. Returns notes about
/// settings that play no part.
///
/// # Errors
/// If something about the spec, its configuration or a definition is wrong.
pub fn compile(
    spec: &Path,
    options: &LinkOptions,
    changes: &Changes,
) -> Result<(CompiledSpec, Vec<String>), LinkError> {
    let folder = spec.parent().filter(|folder| !folder.as_os_str().is_empty());
    let search = options.search.with_first(folder.unwrap_or(Path::new(".")));
    let mut loaded = sound(load(spec, &options.search))?;
    let mut config = read_config(&mut loaded, options.config.as_deref())?;
    let mut module = Module::extending(&loaded);
    for (name, _) in &changes.values {
        module.define(name, &[] as &[&str], "<<>>", format!("the value of {name}"));
    }
    for (constant, expression) in constants(options).map(|(name, text)| (name.as_str(), text.as_str())) {
        check_constant(&loaded, constant, "the link")?;
        assign(&loaded, &mut config, &mut module, constant, expression);
    }
    for (operator, expression) in &changes.overrides {
        check_constant(&loaded, operator, "[log.overrides]")?;
        assign(&loaded, &mut config, &mut module, operator, expression);
    }
    for (constant, _) in &options.collected {
        check_constant(&loaded, constant, "the log")?;
    }
    let mut notes = Vec::new();
    let mut values = options.collected.clone();
    for (constant, value) in &changes.constants {
        match check_constant(&loaded, constant, "the file of constants") {
            Ok(()) => values.push((constant.clone(), value.clone())),
            Err(error) => notes.push(error.to_string()),
        }
    }
    for definition in &changes.definitions {
        let made_from = entry(&definition.entry);
        module.define(
            &definition.name(),
            &definition.params,
            &definition.body,
            made_from,
        );
    }
    let loaded = module.on_top_of(loaded, &search)?;
    name_behaviour(&loaded, &mut config, spec)?;
    if let Some(init) = &changes.init {
        config.init = Some(named(init));
        if config.specification.take().is_some() {
            config.next = Some(named("Next"));
        }
    }
    ignore_search_settings(&mut config, &mut notes);
    let build_options = BuildOptions {
        values: values.into_iter().chain(changes.values.iter().cloned()).collect(),
        operations: changes.definitions.iter().map(Definition::name).collect(),
        ..BuildOptions::default()
    };
    let compiled = deep_stack::run(|| {
        build(loaded, &config, &build_options)
            .map_err(|rejected| LinkError::Spec(rendered(&rejected.diagnostics, &rejected.spec)))
    })?;
    Ok((compiled, notes))
}

/// Names the initial condition and the next-state relation, if the configuration does not.
fn name_behaviour(spec: &Spec, config: &mut Config, path: &Path) -> Result<(), LinkError> {
    let has = |name: &str| spec.find(name).is_some();
    if config.specification.is_none() && config.init.is_none() {
        match (has("Init") && has("Next"), has("Spec")) {
            (true, _) => config.init = Some(named("Init")),
            (false, true) => config.specification = Some(named("Spec")),
            (false, false) => {
                return Err(LinkError::NoInit {
                    spec: path.display().to_string(),
                });
            }
        }
    }
    if config.specification.is_none() && config.next.is_none() {
        if !has("Next") {
            return Err(LinkError::Usage(format!(
                "{}: there is no next-state relation; define `Next`, or name one in the configuration (NEXT or SPECIFICATION)",
                path.display()
            )));
        }
        config.next = Some(named("Next"));
    }
    Ok(())
}
