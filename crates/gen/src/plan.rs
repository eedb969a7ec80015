//! Which operations a harness for a specification has.

use std::path::{Path, PathBuf};

use omnilink_link::{LinkError, LinkOptions, OpLink, Outline, SpecAction, is_result_name, is_thread_name};
use omnilink_sched::build::BuildError;
use omnilink_tla::semantics::load;
use omnilink_tla::{EvaluateOptions, evaluate};
use thiserror::Error;

use crate::operation::{HarnessOp, Parameter, ParameterRole};
use crate::parameter_type::ParameterType;
use crate::parameter_use::{ParameterUse, parameter_uses};

/// Why no harness can be generated.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GenError {
    /// The specification, its configuration or its link file.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// Nothing to call.
    #[error(
        "{}: no definition of it says anything about the next state, so there is no operation to call; write actions such as \
         Enqueue(value) == queue' = Append(queue, value)",
        .0.display()
    )]
    NoActions(PathBuf),
    /// An option names something that is not there.
    #[error("{option} {name}: {problem}")]
    Option {
        /// The option.
        option: &'static str,
        /// What it names.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// A file of the project.
    #[error("{}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The runtime for schedules.
    #[error(transparent)]
    Runtime(#[from] BuildError),
}

/// What may be said about a harness beside its specification.
#[derive(Clone, Debug, Default)]
pub struct PlanOptions {
    /// How the specification is read; its link file names operations.
    pub link: LinkOptions,
    /// The text of the link file.
    pub link_text: String,
    /// Parameters that are results, as `Operation.parameter`.
    pub results: Vec<String>,
    /// Parameters that are arguments, as `Operation.parameter`.
    pub arguments: Vec<String>,
}

/// The operations of a harness, and what it takes to validate its traces.
#[derive(Clone, Debug)]
pub struct HarnessPlan {
    /// The name of the specification's module.
    pub module: String,
    /// The file.
    pub spec: PathBuf,
    /// The operations.
    pub ops: Vec<HarnessOp>,
    /// The link file that validating the harness's traces needs, if it differs from the one that is there: which parameters take
    /// what the harness records as results.
    pub link: Option<String>,
}

impl HarnessPlan {
    /// Finds the operations of a specification.
    ///
    /// # Errors
    /// If the specification is wrong or has none.
    pub fn read(spec: &Path, options: &PlanOptions) -> Result<Self, GenError> {
        let outline = Outline::read(spec, &options.link)?;
        let mut planner = Planner {
            spec,
            options,
            loaded: load(spec, &options.link.search).spec,
            link: String::new(),
            overruled: Vec::new(),
        };
        let ops = planner.ops(&outline.actions);
        if ops.is_empty() {
            return Err(GenError::NoActions(spec.to_owned()));
        }
        planner.check_options(&ops)?;
        let module = spec.file_stem().unwrap_or_default();
        Ok(Self {
            module: module.to_string_lossy().into_owned(),
            spec: spec.to_owned(),
            ops,
            link: (!planner.link.is_empty()).then(|| {
                let head = "# Which parameters of the actions take what the harness records as results.";
                let link = planner.link.trim_end();
                match options.link_text.trim_end() {
                    "" => format!("{head}\n\n{link}\n"),
                    text => format!("{text}\n\n{head}\n\n{link}\n"),
                }
            }),
        })
    }
}

struct Planner<'a> {
    spec: &'a Path,
    options: &'a PlanOptions,
    loaded: omnilink_tla::semantics::spec::Spec,
    link: String,
    /// Options that were of use.
    overruled: Vec<String>,
}

/// The two parts of an operation in steps.
const STEP: &str = "_Step";
const DONE: &str = "_Done";

impl Planner<'_> {
    fn ops(&mut self, actions: &[SpecAction]) -> Vec<HarnessOp> {
        let file = &self.options.link.file;
        let is_called = |action: &&SpecAction| {
            let name = action.name.as_str();
            let is_renamed =
                |(op, link): (&String, &OpLink)| link.action.as_deref() == Some(name) && op != name;
            !file.ignore.iter().any(|ignored| ignored == name)
                && !file.hidden.iter().any(|hidden| hidden.names(name))
                && !file.ops.get(name).is_some_and(|link| link.ignore)
                && !file.ops.iter().any(is_renamed)
                && !name.starts_with("__")
        };
        let has_next = actions.iter().any(|action| action.in_next);
        let mut ops: Vec<HarnessOp> = Vec::new();
        for action in actions.iter().filter(is_called) {
            // Without a next-state relation every action may be an operation. The relation itself is none.
            if has_next && !action.in_next || action.params.is_empty() && action.name == "Next" {
                continue;
            }
            if let Some(base) = action.name.strip_suffix(STEP)
                && actions.iter().any(|other| other.name == format!("{base}{DONE}"))
            {
                continue;
            }
            let (name, note) = match action.name.strip_suffix(DONE) {
                Some(base) if actions.iter().any(|other| other.name == format!("{base}{STEP}")) => {
                    let note =
                        format!("takes effect in steps: {base}{STEP} any number of times, then {base}{DONE}");
                    (base.to_owned(), Some(note))
                }
                _ => (action.name.clone(), None),
            };
            ops.push(self.op(&name, action, note));
        }
        // Operations that the link file maps to actions.
        let named: Vec<(&String, &OpLink)> = file.ops.iter().collect();
        for (op, link) in named {
            let Some(action) = link.action.as_deref().filter(|_| !link.ignore) else {
                continue;
            };
            let found = actions
                .iter()
                .find(|found| found.name == action && action != op.as_str());
            if let Some(found) = found {
                ops.push(self.op(op, found, None));
            } else if action.contains('(') {
                ops.push(HarnessOp {
                    name: op.clone(),
                    action: action.to_owned(),
                    at: "the link file".to_owned(),
                    parameters: Vec::new(),
                    note: Some(
                        "the link file gives a formula: record the fields that it uses with op.begin({{\"field\", value}})".to_owned(),
                    ),
                });
            }
        }
        ops
    }

    fn op(&mut self, name: &str, action: &SpecAction, note: Option<String>) -> HarnessOp {
        let uses_of = |definition: &str| {
            let binding = self.loaded.find(definition);
            binding.map_or_else(Vec::new, |binding| parameter_uses(&self.loaded, binding.entity))
        };
        let mut uses = uses_of(&action.name);
        if note.is_some() {
            // The other part of an operation in steps has the same parameters, and may show more of them.
            for (one, other) in uses.iter_mut().zip(uses_of(&format!("{name}{STEP}"))) {
                one.kind = one.kind.take().or(other.kind);
                one.range = one.range.take().or(other.range);
            }
        }
        let link = self.options.link.file.ops.get(name);
        let field = |param: &String| {
            let given = link.and_then(|link| link.fields.get(param));
            given.unwrap_or(param).clone()
        };
        // What one part of an operation in steps compares with the state, the other part may have put there.
        let has_named_result = action.params.iter().any(|param| is_result_name(&field(param)));
        let may_guess = note.is_none() && !has_named_result;
        let mut parameters = Vec::new();
        for (index, param) in action.params.iter().enumerate() {
            let usage = uses.get(index).cloned().unwrap_or_default();
            let ranged = action.ranges.get(index).cloned().flatten();
            parameters.push(self.parameter(name, &field(param), ranged, usage, may_guess));
        }
        let results: Vec<(&String, &Parameter)> = action
            .params
            .iter()
            .zip(&parameters)
            .filter(|(_, parameter)| parameter.role == ParameterRole::Result)
            .collect();
        let is_plain = matches!(results.as_slice(), [] | [_])
            && results
                .iter()
                .all(|(_, parameter)| is_result_name(&parameter.name));
        // What a table of the link file says about the operation is the user's decision.
        if !is_plain && link.is_none() {
            self.link.push_str(&link_entry(name, action, &results));
        }
        HarnessOp {
            name: name.to_owned(),
            action: action.signature(),
            at: self.short(&action.at),
            parameters,
            note,
        }
    }

    /// A place without the folder, if it is that of the specification: projects move.
    fn short(&self, place: &str) -> String {
        let folder = self.spec.parent().map(|folder| folder.display().to_string());
        let short =
            folder.and_then(|folder| Some(place.strip_prefix(&folder)?.trim_start_matches('/').to_owned()));
        short.unwrap_or_else(|| place.to_owned())
    }

    fn parameter(
        &mut self,
        op: &str,
        name: &str,
        ranged: Option<String>,
        usage: ParameterUse,
        may_guess: bool,
    ) -> Parameter {
        let key = format!("{op}.{name}");
        let is_named = |list: &[String]| list.contains(&key);
        let mut reason = None;
        let role = if is_named(&self.options.results) {
            self.overruled.push(key);
            ParameterRole::Result
        } else if is_named(&self.options.arguments) {
            self.overruled.push(key);
            ParameterRole::Argument
        } else if is_result_name(name) {
            ParameterRole::Result
        } else if is_thread_name(name) {
            ParameterRole::Thread
        } else if may_guess && usage.is_result() {
            reason.clone_from(&usage.equation);
            ParameterRole::Result
        } else {
            ParameterRole::Argument
        };
        let range = ranged.or(usage.range);
        let (kind, values) = range
            .as_deref()
            .map_or((ParameterType::Unknown, None), |range| self.kind_of_range(range));
        let kind = match kind {
            ParameterType::Unknown => usage.kind.unwrap_or(ParameterType::Unknown),
            kind => kind,
        };
        Parameter {
            name: name.to_owned(),
            role,
            kind,
            range,
            values,
            reason,
        }
    }

    /// The kind of a set's elements, and the elements if they can be enumerated.
    fn kind_of_range(&self, range: &str) -> (ParameterType, Option<Vec<omnilink_value::Value>>) {
        match range {
            "Nat" | "Int" => return (ParameterType::Int, None),
            "STRING" => return (ParameterType::Str, None),
            "BOOLEAN" => return (ParameterType::Bool, None),
            _ => {}
        }
        let of_part = |prefix: &str, suffix: &str| {
            let inner = range.strip_prefix(prefix)?.strip_suffix(suffix)?;
            Some(Box::new(self.kind_of_range(inner.trim()).0))
        };
        if let Some(element) = of_part("Seq(", ")") {
            return (ParameterType::Seq(element), None);
        }
        if let Some(element) = of_part("SUBSET ", "") {
            return (ParameterType::Set(element), None);
        }
        let options = EvaluateOptions {
            file: Some(self.spec.to_owned()),
            config: self.options.link.config.clone(),
            constants: self.options.link.constants.clone(),
            search: self.options.link.search.clone(),
            ..EvaluateOptions::default()
        };
        let set = evaluate(range, &options)
            .ok()
            .and_then(|evaluated| evaluated.value);
        match set.as_ref().and_then(|set| set.as_set()) {
            Some(elements) => {
                let values = elements.iter().filter(|value| !value.is_null()).cloned();
                (ParameterType::of_all(elements), Some(values.collect()))
            }
            None => (ParameterType::Unknown, None),
        }
    }

    fn check_options(&self, ops: &[HarnessOp]) -> Result<(), GenError> {
        let given = [
            ("--result", &self.options.results),
            ("--argument", &self.options.arguments),
        ];
        for (option, list) in given {
            let unused = list.iter().find(|name| !self.overruled.contains(name));
            if let Some(name) = unused {
                let known: Vec<String> = ops.iter().map(|op| op.action.clone()).collect();
                return Err(GenError::Option {
                    option,
                    name: name.clone(),
                    problem: format!(
                        "no operation has this parameter; write Operation.parameter. There are: {}",
                        known.join(", ")
                    ),
                });
            }
        }
        Ok(())
    }
}

/// How a link file says which part of what the harness records as the result each parameter takes.
fn link_entry(op: &str, action: &SpecAction, results: &[(&String, &Parameter)]) -> String {
    let head = format!("[ops.{op}]\n");
    match results {
        [(param, _)] => format!("{head}fields = {{ {param} = \"ret\" }}\n\n"),
        several => {
            let is_result = |param: &String| several.iter().any(|(name, _)| *name == param);
            let arguments: Vec<String> = action
                .params
                .iter()
                .map(|param| {
                    if is_result(param) {
                        format!("ret.{param}")
                    } else {
                        param.clone()
                    }
                })
                .collect();
            format!("{head}action = \"{}({})\"\n\n", action.name, arguments.join(", "))
        }
    }
}
