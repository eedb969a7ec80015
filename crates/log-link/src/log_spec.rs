//! A spec made ready for logs.

use std::path::Path;
use std::sync::Arc;

use omnilink_link::{
    Changes, EvalSession, LinkError, LinkOptions, LogLink, compile, declared, stale_translations,
};
use omnilink_tla::deep_stack;
use omnilink_tla::eval::error::Failure;
use omnilink_tla::eval::{Evaluator, Flow, State};
use omnilink_tla::ir::{OperatorId, Program};
use omnilink_tla::model::NamedFormula;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::error::LogError;
use crate::event_action::{EventAction, event_actions};
use crate::fields_read::FieldsRead;
use crate::formula::{FormulaText, LineFormula, line_names};
use crate::interchange::Interchange;
use crate::meaning::{Meaning, MeaningText};
use crate::raw_line::RawLine;
use crate::settings_used::SettingsUsed;
use crate::stage_action::{ActionText, StageAction, find_action, known_actions};
use crate::types::Types;
use crate::value_type::Vocabulary;

/// The most initial states that are followed.
const INITIAL_MAX: usize = 131_072;

/// A spec made ready for logs. Shared by all searches.
#[derive(Debug)]
pub struct LogSpec {
    pub(crate) name: String,
    pub(crate) program: Program,
    pub(crate) next: OperatorId,
    pub(crate) invariants: Vec<NamedFormula>,
    pub(crate) actions: Vec<EventAction>,
    /// What the link file says about events.
    pub(crate) meanings: FxHashMap<String, Arc<Meaning>>,
    /// For each action: an event that is nothing else.
    plain: Vec<Arc<Meaning>>,
    pub(crate) settings: LogLink,
    pub(crate) only: Option<LineFormula>,
    pub(crate) skip_when: Option<LineFormula>,
    pub(crate) fail_when: Option<LineFormula>,
    pub(crate) hidden: Vec<HiddenAction>,
    pub(crate) words: Vocabulary,
    pub(crate) types: Types,
    pub(crate) initial: Vec<State>,
    /// The values that all initial states agree on, by variable.
    pub(crate) defaults: Vec<Option<Value>>,
    pub(crate) tracked: Vec<u32>,
    pub(crate) interchange: Interchange,
    /// Whether a formula about steps looks back at the node's previous line.
    pub(crate) looks_back: bool,
    /// Whether some event joins the node's previous line.
    pub(crate) has_joins: bool,
    /// Translations that are not those of their PlusCal algorithms.
    pub(crate) stale_translations: Vec<String>,
    /// The fields that formulas may read of every line: rules, hidden actions, and looks at neighbours.
    pub(crate) reads: FieldsRead,
    /// Which entries of the link file took effect so far.
    pub(crate) used: SettingsUsed,
    notes: Vec<String>,
}

/// An action that happens without a line.
#[derive(Clone, Debug)]
pub(crate) struct HiddenAction {
    pub action: StageAction,
    pub bound: u32,
    pub when: Option<LineFormula>,
}

impl HiddenAction {
    fn formulas(&self) -> impl Iterator<Item = &LineFormula> {
        self.action.formulas().iter().chain(&self.when)
    }

    /// Whether it depends on the coming line.
    pub fn reads_line(&self) -> bool {
        self.formulas().any(LineFormula::reads_line)
    }

    fn looks_back(&self) -> bool {
        self.formulas().any(LineFormula::looks_back)
    }
}

impl LogSpec {
    /// Reads a spec and everything that belongs to it. `constants` may be more than it has; `header` are the lines that describe the run.
    ///
    /// # Errors
    /// When something about the spec, its configuration or the link is wrong.
    pub fn load(
        spec: &Path,
        options: &LinkOptions,
        constants: &[(String, Value)],
        header: &[Value],
    ) -> Result<Self, LogError> {
        deep_stack::run(|| Self::load_here(spec, options, constants, header))
    }

    fn load_here(
        spec: &Path,
        options: &LinkOptions,
        constants: &[(String, Value)],
        header: &[Value],
    ) -> Result<Self, LogError> {
        let settings = options.file.log.clone();
        let mut options = options.clone();
        let from_log = settings
            .constants
            .iter()
            .map(|(name, text)| (name.clone(), text.clone()));
        options.constants.extend(from_log);
        let mut changes = Changes {
            overrides: settings
                .overrides
                .iter()
                .map(|(name, text)| (name.clone(), text.clone()))
                .collect(),
            constants: constants.to_vec(),
            own_names: if settings == LogLink::default() {
                Vec::new()
            } else {
                declared(spec, &options, &line_names())?
            },
            ..Changes::default()
        };
        if settings.header > 0 {
            changes
                .values
                .push(("lines".to_owned(), Value::tuple(header.iter().cloned())));
        }
        if let Some(init) = settings.init_instead.clone().or_else(|| {
            let more = settings.init.as_ref()?;
            Some(format!("Init /\\ ({more})"))
        }) {
            FormulaText::define("[log] init", &init, &mut changes);
            changes.init = changes.definitions.last().map(omnilink_link::Definition::name);
        }
        let mut formula = |entry: &str, text: &Option<String>| {
            text.as_deref()
                .map(|text| FormulaText::define(entry, text, &mut changes))
        };
        let (only, skip_when, fail_when) = (
            formula("[log] only", &settings.only),
            formula("[log] skip_when", &settings.skip_when),
            formula("[log] fail_when", &settings.fail_when),
        );
        let invariants: Vec<(String, FormulaText)> = options
            .file
            .invariants
            .iter()
            .map(|text| {
                (
                    text.clone(),
                    FormulaText::define("invariants", text, &mut changes),
                )
            })
            .collect();
        let table: Vec<(&String, FormulaText)> = settings
            .values
            .iter()
            .map(|(json, text)| (json, FormulaText::define("[log.values]", text, &mut changes)))
            .collect();
        let events: Vec<MeaningText> = settings
            .events
            .iter()
            .map(|(event, link)| {
                MeaningText::define(event, link, settings.stuttering.contains(event), &mut changes)
            })
            .collect::<Result<_, String>>()
            .map_err(LogError::Usage)?;
        let hidden: Vec<_> = settings
            .hidden
            .iter()
            .map(|link| {
                let action = ActionText::define("[[log.hidden]] action", &link.action, &mut changes);
                let when = link
                    .when
                    .as_deref()
                    .map(|text| FormulaText::define("[[log.hidden]] when", text, &mut changes));
                (link, action, when)
            })
            .collect();
        let (compiled, notes) = compile(spec, &options, &changes)?;
        let operations = compiled.operations;
        let mut program = compiled.program;
        let display = spec.display().to_string();
        let (Some(init), Some(next)) = (compiled.init, compiled.next) else {
            return Err(LinkError::NoInit { spec: display }.into());
        };
        let actions = event_actions(&mut program, next.0);
        let mut meanings = FxHashMap::default();
        for event in events {
            let (event, mut meaning) = event.compiled(&operations, &actions).map_err(LogError::Usage)?;
            let mut reads = FieldsRead::default();
            for formula in meaning.formulas() {
                reads.add(formula.fields_of_line(&program));
            }
            meaning.reads = reads;
            meanings.insert(event, Arc::new(meaning));
        }
        let hidden: Vec<HiddenAction> = hidden
            .into_iter()
            .map(|(link, action, when)| {
                let action = action
                    .compiled(&operations, &actions)
                    .map_err(|message| LogError::Usage(format!("[[log.hidden]]: {message}")))?;
                Ok(HiddenAction {
                    action,
                    bound: link.bound,
                    when: when.and_then(|when| when.compiled(&operations)),
                })
            })
            .collect::<Result<_, LogError>>()?;
        let only = only.and_then(|formula| formula.compiled(&operations));
        let skip_when = skip_when.and_then(|formula| formula.compiled(&operations));
        let fail_when = fail_when.and_then(|formula| formula.compiled(&operations));
        for (name, rule) in [
            ("only", &only),
            ("skip_when", &skip_when),
            ("fail_when", &fail_when),
        ] {
            let body = rule
                .as_ref()
                .map(|rule| &program.operators[rule.operation.formula().0 as usize].body);
            if body.is_some_and(|body| body.uses.state || body.uses.next) {
                return Err(LogError::Usage(format!(
                    "[log] {name} is decided before the search, so it cannot read variables of the spec; let the event stutter, and say when: \
                     [log] stuttering, [log.events.NAME] requires"
                )));
            }
        }
        let mut all_invariants = compiled.invariants;
        for (text, formula) in invariants {
            all_invariants.extend(formula.compiled(&operations).map(|formula| NamedFormula {
                name: text,
                formula: formula.operation.formula(),
                at: None,
            }));
        }
        let mut tracked = Vec::new();
        for name in &settings.tracked {
            let slot =
                variable(&program, name).ok_or_else(|| unknown_variable(&program, name, "[log] tracked"))?;
            tracked.push(slot);
        }
        for name in settings.variables.values() {
            variable(&program, name).ok_or_else(|| unknown_variable(&program, name, "[log.variables]"))?;
        }
        let mut words = Vocabulary {
            models: program
                .model_values
                .iter()
                .filter_map(|value| Some(value.as_model()?.to_owned()))
                .collect(),
            ..Vocabulary::default()
        };
        let session = EvalSession::default();
        let mut evaluator = Evaluator::new(&program, &session);
        let failed = |failure: Box<Failure>| LogError::Evaluation {
            place: display.clone(),
            message: failure.render(&program.sources),
        };
        for (json, formula) in table {
            let from = Self::value_of_json(json);
            if let Some(formula) = formula.compiled(&operations) {
                let to = evaluator.value(formula.operation.formula()).map_err(failed)?;
                words.table.insert(from, to);
            }
        }
        for assumption in &compiled.assumptions {
            if !evaluator.truth(assumption.formula).map_err(failed)? {
                return Err(LogError::Usage(format!(
                    "{display}: the assumption {} is false for these constants",
                    assumption.name
                )));
            }
        }
        let mut initial: Vec<State> = Vec::new();
        evaluator
            .initial(init, &mut |_, state, _| {
                initial.push(state.into());
                Ok(if initial.len() > INITIAL_MAX {
                    Flow::Stop
                } else {
                    Flow::Go
                })
            })
            .map_err(failed)?;
        if initial.len() > INITIAL_MAX {
            let most = INITIAL_MAX;
            return Err(LinkError::ManyInitialStates { spec: display, most }.into());
        }
        if initial.is_empty() {
            return Err(LinkError::NoInitialState { spec: display }.into());
        }
        drop(evaluator);
        let types = Types::found(&program, next, &actions, &initial);
        let interchange = Interchange::found(&program, &words);
        let defaults = (0..program.variables.len())
            .map(|slot| {
                let first = &initial[0][slot];
                initial
                    .iter()
                    .all(|state| state[slot] == *first)
                    .then(|| first.clone())
            })
            .collect();
        let looks_back = meanings.values().any(|meaning| meaning.looks_back())
            || hidden.iter().any(HiddenAction::looks_back);
        let rules = || only.iter().chain(&skip_when).chain(&fail_when);
        let before_any_line = || rules().chain(hidden.iter().flat_map(HiddenAction::formulas));
        let of_events = meanings.values().flat_map(|meaning| meaning.formulas());
        let mut reads = FieldsRead::default();
        for formula in before_any_line() {
            reads.add(formula.fields_of_line(&program));
        }
        for formula in before_any_line().chain(of_events) {
            reads.add(formula.fields_of_neighbours(&program));
        }
        let plain = (0..actions.len())
            .map(|number| Arc::new(Meaning::of_action(number)))
            .collect();
        Ok(Self {
            name: display,
            next: next.operation(),
            invariants: all_invariants,
            actions,
            meanings,
            plain,
            only,
            skip_when,
            fail_when,
            hidden,
            words,
            types,
            initial,
            defaults,
            tracked,
            interchange,
            looks_back,
            has_joins: settings.events.values().any(|event| event.joins),
            stale_translations: stale_translations(&program, options.search.pluscal()),
            reads,
            used: SettingsUsed::of(&options.file),
            settings,
            program,
            notes,
        })
    }

    /// The spec, as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Entries of the link file that had no effect on any log so far, in sentences.
    pub fn without_effect(&self) -> Vec<String> {
        self.used.told()
    }

    /// Notes for the user about how the spec was read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The field with the node of a line.
    pub(crate) fn node_field(&self) -> &str {
        self.settings.node.as_deref().unwrap_or("node")
    }

    /// A value of a log as the link file writes it: JSON, or a text without quotation marks.
    pub(crate) fn value_of_json(json: &str) -> Value {
        Value::from_json(json.as_bytes()).unwrap_or_else(|_| Value::str(json))
    }

    /// The field with the clock of a line.
    pub(crate) fn clock_field(&self) -> &str {
        self.settings.clock.as_deref().unwrap_or("clock")
    }

    /// The fields with the beginning and the end of the time within which a line happened.
    pub(crate) fn timebox_fields(&self) -> [&str; 2] {
        let (start, end) = (self.settings.start.as_deref(), self.settings.end.as_deref());
        [start.unwrap_or("start"), end.unwrap_or("end")]
    }

    /// Whether a line tells more about the step of its node's line before it.
    pub(crate) fn joins(&self, line: &RawLine) -> bool {
        self.has_joins
            && self
                .event_of(line)
                .and_then(|event| self.meanings.get(&event))
                .is_some_and(|meaning| meaning.joins)
    }

    /// The field with the event of a line.
    pub(crate) fn event_field(&self) -> &str {
        self.settings.event.as_deref().unwrap_or("event")
    }

    /// The event of a line, as text.
    pub(crate) fn event_of(&self, line: &RawLine) -> Option<String> {
        let event = line.field(self.event_field()).filter(|event| !event.is_null())?;
        Some(event.as_str().map_or_else(|| event.to_string(), str::to_owned))
    }

    /// The variable that a log names.
    pub(crate) fn variable(&self, logged: &str) -> Option<u32> {
        let name = self.settings.variables.get(logged).map_or(logged, String::as_str);
        variable(&self.program, name)
    }

    /// The names of all variables, for messages.
    pub(crate) fn variable_names(&self) -> String {
        self.program.variables.join(", ")
    }

    /// What an event means; `None` if it names no action.
    pub(crate) fn meaning(&self, event: &str) -> Option<Arc<Meaning>> {
        let linked = self.meanings.get(event);
        linked
            .or_else(|| self.plain.get(find_action(&self.actions, event)?))
            .cloned()
    }

    /// The actions that events can name, for messages.
    pub(crate) fn action_names(&self) -> String {
        known_actions(&self.actions)
    }

    /// An evaluation error as text.
    pub(crate) fn failure_text(&self, failure: &Failure) -> String {
        failure.render(&self.program.sources)
    }
}

fn variable(program: &Program, name: &str) -> Option<u32> {
    let position = program.variables.iter().position(|own| **own == *name)?;
    Some(position as u32)
}

fn unknown_variable(program: &Program, name: &str, given: &str) -> LogError {
    LogError::Usage(format!(
        "{given}: the spec has no variable `{name}`; it has {}",
        program.variables.join(", ")
    ))
}
