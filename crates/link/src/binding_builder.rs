//! Builds the bindings of a spec: first the TLA+ definitions that they need, then, once these are lowered, the bindings.

use std::collections::BTreeMap;

use omnilink_tla::semantics::spec::Spec;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::action::{SpecAction, unknown_action};
use crate::algorithm::Algorithm;
use crate::binding::{Extra, Formulation, OpBinding, Processes, StepBinding};
use crate::error::LinkError;
use crate::formula_action::{FormulaAction, Meaning};
use crate::link_file::{ABORTED, LinkFile, OpLink, TERMINATED};
use crate::module::{KEYWORDS, Lowered, Module, application, entry, identifiers, name};
use crate::param::{Constant, Fallback, ParamBinding, RESULT, ResultCode, THREAD};
use crate::run::{Run, RunPart};
use crate::setup_names::EVENT;
use omnilink_settings::toml_key;

/// Works the bindings out: first the definitions that they need, then, once these are lowered, the bindings.
pub(crate) struct BindingBuilder<'a> {
    drafts: Vec<BindingDraft<'a>>,
    ignored: Vec<String>,
}

struct BindingDraft<'a> {
    /// What its definitions are called after: operations may have names that TLA+ does not allow.
    key: String,
    op: &'a str,
    action: u32,
    of: &'a SpecAction,
    link: Option<&'a OpLink>,
    extras: Vec<Extra>,
    aborted_extras: Vec<Extra>,
    /// The action of the steps.
    step: Option<&'a SpecAction>,
    /// Where the link file says what it means, rather than which action it is.
    meaning: Option<&'a Meaning>,
    /// The set of processes that the parameter `self` is in, as TLA+.
    processes: Option<&'a str>,
    /// Fields that nothing has to read.
    ignored_fields: Vec<String>,
    /// For each parameter the set that an unknown value is in, as TLA+.
    ranges: Vec<Option<String>>,
    /// For each parameter what stands for what, as TLA+.
    codes: Vec<Vec<(Value, &'a str)>>,
}

impl<'a> BindingBuilder<'a> {
    pub(crate) fn new(
        spec: &Spec,
        actions: &'a [SpecAction],
        formula_actions: &'a [FormulaAction],
        algorithm: &'a Algorithm,
        file: &'a LinkFile,
    ) -> Result<Self, LinkError> {
        let mut ops: BTreeMap<&'a str, Option<&'a OpLink>> = BTreeMap::new();
        for action in actions {
            ops.insert(&action.name, None);
            if let Some(plain) = action.name.strip_suffix("_Done") {
                ops.insert(plain, None);
            }
        }
        ops.extend(file.ops.iter().map(|(op, link)| (op.as_str(), Some(link))));
        let mut drafts = Vec::new();
        let mut ignored = file.ignore.clone();
        let is_linked =
            |end: &str| ops.contains_key(end) || file.thread_end.entries().any(|(name, _)| name == end);
        ignored.extend(
            [TERMINATED, ABORTED]
                .into_iter()
                .filter(|end| !is_linked(end))
                .map(str::to_owned),
        );
        for (number, formula_action) in (actions.len() as u32..).zip(formula_actions) {
            let op = formula_action.action.name.as_str();
            let link = file.ops.get(op);
            let key = drafts.len().to_string();
            let mut draft = BindingDraft::new(spec, key, op, (number, &formula_action.action), None, link)?;
            let text = match &formula_action.meaning {
                Meaning::Formula(text) => Some(text),
                Meaning::Run(run) => {
                    draft.processes = algorithm.processes_of(run.first_label());
                    link.and_then(|link| link.begins.as_ref())
                }
            };
            let texts: Vec<&str> = text.into_iter().map(String::as_str).collect();
            let mut extras = mentioned_extras(&texts, &formula_action.action.params);
            extras.retain(|extra| !draft.extras.contains(extra));
            draft.extras.extend(extras);
            draft.meaning = Some(&formula_action.meaning);
            drafts.push(draft);
        }
        for (op, link) in ops {
            if formula_actions
                .iter()
                .any(|formula_action| formula_action.action.name == op)
            {
                continue;
            }
            if link.is_some_and(|link| link.ignore) {
                ignored.push(op.to_owned());
                continue;
            }
            let wanted = link.and_then(|link| link.action.as_deref()).unwrap_or(op);
            let find = |wanted: &str| (0u32..).zip(actions).find(|(_, action)| action.name == wanted);
            let in_steps = find(&format!("{wanted}_Done")).zip(find(&format!("{wanted}_Step")));
            let (found, step) = match (find(wanted), in_steps) {
                (Some(found), _) => (found, None),
                (None, Some((done, (_, step)))) => (done, Some(step)),
                (None, None) if link.is_some() => return Err(unknown_action(op, wanted, actions)),
                (None, None) => continue,
            };
            let key = drafts.len().to_string();
            let mut draft = BindingDraft::new(spec, key, op, found, step, link)?;
            draft.processes = algorithm.processes_of(&draft.of.name);
            drafts.push(draft);
        }
        for draft in &mut drafts {
            draft.ignored_fields.extend(file.ignore_fields.iter().cloned());
        }
        Ok(Self { drafts, ignored })
    }

    /// Adds the definitions that the bindings need.
    pub(crate) fn define(&self, module: &mut Module) {
        self.drafts.iter().for_each(|draft| draft.define(module));
    }

    /// The bindings, from what was lowered.
    pub(crate) fn bindings(&self, lowered: &Lowered) -> (Vec<OpBinding>, FxHashMap<String, Option<u32>>) {
        let mut bindings = Vec::new();
        let mut by_name: FxHashMap<String, Option<u32>> = FxHashMap::default();
        for draft in &self.drafts {
            if let Some(binding) = draft.binding(lowered) {
                by_name.insert(draft.op.to_owned(), Some(bindings.len() as u32));
                bindings.push(binding);
            }
        }
        by_name.extend(self.ignored.iter().map(|op| (op.clone(), None)));
        (bindings, by_name)
    }
}

impl<'a> BindingDraft<'a> {
    fn new(
        spec: &Spec,
        key: String,
        op: &'a str,
        (action, of): (u32, &'a SpecAction),
        step: Option<&'a SpecAction>,
        link: Option<&'a OpLink>,
    ) -> Result<Self, LinkError> {
        let wrong =
            |message: String| LinkError::Usage(format!("link file, [ops.{}]: {message}", toml_key(op)));
        let mentioned = |texts: [Option<&'a String>; 2]| -> Vec<Extra> {
            let texts: Vec<&str> = texts.into_iter().flatten().map(String::as_str).collect();
            mentioned_extras(&texts, &of.params)
        };
        let link_text = |text: fn(&'a OpLink) -> Option<&'a String>| link.and_then(text);
        let entries = link.into_iter().flat_map(|link| {
            let fields = link.fields.keys();
            let given = link.codes.keys().chain(link.unknown.keys());
            fields.chain(given).chain(link.default.keys())
        });
        for param in entries {
            if !of.params.contains(param) {
                let message = format!(
                    "the action {} ({}) has no parameter `{param}`",
                    of.signature(),
                    of.at
                );
                return Err(wrong(message));
            }
        }
        let range = |(param, range): (&String, &Option<String>)| {
            let given = link.and_then(|link| link.unknown.get(param)).cloned();
            // A set that depends on other bound names cannot be evaluated by itself.
            let is_closed = |text: &String| {
                identifiers(text)
                    .iter()
                    .all(|word| spec.find(word).is_some() || KEYWORDS.contains(word))
            };
            given.or_else(|| range.clone().filter(is_closed))
        };
        let codes = |param: &String| -> Vec<(Value, &'a str)> {
            let codes = link.and_then(|link| link.codes.get(param)).into_iter().flatten();
            codes
                .map(|(stands, means)| {
                    let value = Value::from_json(stands.as_bytes()).unwrap_or_else(|_| Value::str(stands));
                    (value, means.as_str())
                })
                .collect()
        };
        Ok(Self {
            key,
            op,
            action,
            of,
            link,
            extras: mentioned([
                link_text(|link| link.requires.as_ref()),
                link_text(|link| link.ensures.as_ref()),
            ]),
            aborted_extras: mentioned([link_text(|link| link.aborted.as_ref()), None]),
            step,
            meaning: None,
            processes: None,
            ignored_fields: link.map(|link| link.ignore_fields.clone()).unwrap_or_default(),
            ranges: of.params.iter().zip(&of.ranges).map(range).collect(),
            codes: of.params.iter().map(codes).collect(),
        })
    }

    fn is_plain(&self) -> bool {
        self.meaning.is_none()
            && self
                .link
                .is_none_or(|link| link.requires.is_none() && link.ensures.is_none())
    }

    fn run(&self) -> Option<&'a Run> {
        match self.meaning? {
            Meaning::Run(run) => Some(run),
            Meaning::Formula(_) => None,
        }
    }

    fn params_with(&self, extras: &[Extra]) -> Vec<&str> {
        let params = self.of.params.iter().map(String::as_str);
        params.chain(extras.iter().map(|extra| extra.name())).collect()
    }

    /// The event is a parameter that is no field; it comes after all others.
    fn with_event(&self, extras: &[Extra]) -> Vec<Extra> {
        let event = self
            .of
            .params
            .iter()
            .filter(|param| *param == EVENT)
            .map(|_| Extra::Event);
        event.chain(extras.iter().copied()).collect()
    }

    /// What arguments that were left out stand for, by parameter.
    fn defaults(&self) -> impl Iterator<Item = (&str, &'a str)> {
        let default = |param: &'_ String| self.link.and_then(|link| link.default.get(param));
        let params = self.of.params.iter();
        params.filter_map(move |param| Some((param.as_str(), default(param)?.as_str())))
    }

    fn define(&self, module: &mut Module) {
        let op = self.key.as_str();
        let table = entry(&format!("[ops.{}]", toml_key(self.op)));
        let made_from = |part: &str| match self.link {
            Some(_) => format!("{table} {part}"),
            None => self.of.at.clone(),
        };
        if !self.is_plain() {
            let params = self.params_with(&self.extras);
            let mut defined = |role: &str, text: Option<&String>| {
                let text = text?;
                let part = if role == "does" { "action" } else { role };
                module.define(&name(role, op), &params, text, made_from(part));
                Some(application(&name(role, op), &params))
            };
            let requires = defined("requires", self.link.and_then(|link| link.requires.as_ref()));
            let mut conjuncts = Vec::new();
            match self.meaning {
                Some(Meaning::Run(run)) => {
                    let begins = defined("begins", self.link.and_then(|link| link.begins.as_ref()));
                    let begins: Vec<String> = requires.into_iter().chain(begins).collect();
                    conjuncts.extend(defined("does", Some(&run.formula(RunPart::Last, &begins))));
                    defined("step", Some(&run.formula(RunPart::Step, &begins)));
                }
                Some(Meaning::Formula(formula)) => {
                    conjuncts.extend(requires);
                    conjuncts.extend(defined("does", Some(formula)));
                }
                None => {
                    conjuncts.extend(requires);
                    let action = application(&self.of.name, &self.of.params);
                    conjuncts.extend(defined("does", Some(&action)));
                }
            }
            conjuncts.extend(defined(
                "ensures",
                self.link.and_then(|link| link.ensures.as_ref()),
            ));
            module.operation(&name("op", op), &params, &conjuncts.join(" /\\ "), table.clone());
            if self.run().is_some() {
                module.lower(&name("step", op));
            }
        } else {
            module.lower(&self.of.name);
        }
        if let Some(step) = self.step {
            module.lower(&step.name);
        }
        if let Some(aborted) = self.link.and_then(|link| link.aborted.as_ref()) {
            module.operation(
                &name("aborted", op),
                &self.params_with(&self.aborted_extras),
                aborted,
                made_from("aborted"),
            );
        }
        for (param, range) in self.of.params.iter().zip(&self.ranges) {
            if let Some(range) = range {
                module.operation(
                    &name("range", &format!("{op}_{param}")),
                    &[] as &[&str],
                    range,
                    format!("the range of {param} of {}", self.op),
                );
            }
        }
        if let Some(processes) = self.processes {
            module.operation(
                &name("processes", op),
                &[] as &[&str],
                processes,
                format!("the processes of {}", self.op),
            );
        }
        for (param, default) in self.defaults() {
            module.operation(
                &name("default", &format!("{op}_{param}")),
                &[] as &[&str],
                default,
                made_from(&format!("default of {param}")),
            );
        }
        for (param, codes) in self.of.params.iter().zip(&self.codes) {
            for (number, (_, means)) in codes.iter().enumerate() {
                module.operation(
                    &name("code", &format!("{op}_{param}_{number}")),
                    &[] as &[&str],
                    means,
                    made_from(&format!("codes of {param}")),
                );
            }
        }
    }

    /// `None` if the action cannot be given values: its parameters are operators.
    fn binding(&self, lowered: &Lowered) -> Option<OpBinding> {
        let op = self.key.as_str();
        let of_param = |role: &str, param: &str| lowered.get(&name(role, &format!("{op}_{param}")));
        let happened = if self.is_plain() {
            lowered.get(&self.of.name)
        } else {
            lowered.get(&name("op", op))
        };
        let aborted = lowered.get(&name("aborted", op));
        let step = match self.step {
            Some(step) => lowered.get(&step.name),
            None => lowered.get(&name("step", op)),
        };
        let processes = self.processes.and_then(|written| {
            Some(Processes {
                written: written.to_owned(),
                members: Constant::new(lowered.get(&name("processes", op))?),
            })
        });
        let mut params = Vec::new();
        let extras = self.with_event(&self.extras);
        for (param, codes) in self.of.params.iter().zip(&self.codes) {
            // It comes last, and is no field.
            if param == EVENT {
                continue;
            }
            let given = self.link.and_then(|link| link.fields.get(param)).unwrap_or(param);
            // What every record has stands in for an argument that the operation does not have.
            let is_column = [RESULT, THREAD].contains(&given.as_str());
            let field = if is_column { param } else { given };
            let translated = codes.iter().enumerate().filter_map(|(number, (stands, _))| {
                Some(ResultCode {
                    stands: stands.clone(),
                    means: Constant::new(of_param("code", &format!("{param}_{number}"))?),
                })
            });
            let may_be_unknown = self.link.is_some_and(|link| link.unknown.contains_key(param));
            let fallback = Fallback::of(given);
            params.push(ParamBinding {
                name: param.clone(),
                field: field.clone(),
                fallback,
                codes: translated.collect(),
                range: of_param("range", param),
                may_be_unknown,
                default: of_param("default", param).map(Constant::new),
                is_result: fallback == Fallback::Result || may_be_unknown,
                is_unread_result: false,
                is_of_aborted: self
                    .link
                    .and_then(|link| link.aborted.as_ref())
                    .is_none_or(|aborted| identifiers(aborted).contains(param.as_str())),
            });
        }
        Some(OpBinding {
            op: self.op.to_owned(),
            action: self.action,
            happened: Formulation {
                operation: happened?,
                extras,
            },
            aborted: aborted.map(|operation| Formulation {
                operation,
                extras: self.with_event(&self.aborted_extras),
            }),
            params,
            steps: step.map(|operation| StepBinding {
                step: Formulation {
                    operation,
                    extras: match self.run() {
                        Some(_) => self.with_event(&self.extras),
                        None => self.with_event(&[]),
                    },
                },
                bound: self
                    .link
                    .and_then(|link| link.steps)
                    .or_else(|| self.run().map(Run::default_bound)),
            }),
            is_run: self.run().is_some(),
            processes,
            ignored_fields: self.ignored_fields.clone(),
        })
    }
}

/// What formulas of the link file mention besides the parameters.
fn mentioned_extras(texts: &[&str], params: &[String]) -> Vec<Extra> {
    let is_mentioned = |name: &str| texts.iter().any(|text| identifiers(text).contains(name));
    let is_param = |name: &str| params.iter().any(|param| param == name);
    let extras = Extra::ALL.into_iter();
    extras
        .filter(|(_, name)| is_mentioned(name) && !is_param(name))
        .map(|(extra, _)| extra)
        .collect()
}
