//! What events mean, by the spec and the link file.

use omnilink_link::{Changes, EventLink};
use omnilink_tla::ir::OperatorId;

use crate::event_action::EventAction;
use crate::formula::{FormulaText, LineFormula};

/// An action that a line is, or one of several that it is.
#[derive(Clone, Debug)]
pub(crate) enum StageAction {
    /// Any step of the next-state relation.
    Any,
    /// An action of the next-state relation, by its number.
    Event(usize),
    /// A formula of the link file.
    Formula(LineFormula),
}

/// One action of a line.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub action: StageAction,
    pub is_optional: bool,
}

/// What an event means.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    /// The actions, one after the other. Arguments and updates are those of the last.
    pub stages: Vec<Stage>,
    /// For parameters of the last action: the field with the value.
    pub fields: Vec<(usize, String)>,
    pub requires: Option<LineFormula>,
    pub ensures: Option<LineFormula>,
    /// Whether it may change nothing, instead.
    pub stutters: bool,
    /// Whether it is part of the node's previous line.
    pub joins: bool,
    pub skip: bool,
}

impl Meaning {
    /// The action of this number, and nothing else.
    pub fn of_action(number: usize) -> Self {
        Self::of(StageAction::Event(number))
    }

    /// Any step.
    pub fn any() -> Self {
        Self::of(StageAction::Any)
    }

    fn of(action: StageAction) -> Self {
        Self {
            stages: vec![Stage {
                action,
                is_optional: false,
            }],
            fields: Vec::new(),
            requires: None,
            ensures: None,
            stutters: false,
            joins: false,
            skip: false,
        }
    }
}

/// A meaning before the spec is compiled.
#[derive(Debug)]
pub(crate) struct MeaningText {
    event: String,
    link: EventLink,
    stages: Vec<(String, Option<FormulaText>, bool)>,
    requires: Option<FormulaText>,
    ensures: Option<FormulaText>,
}

impl MeaningText {
    /// Adds the formulas of an event to what is compiled.
    pub fn define(event: &str, link: &EventLink, changes: &mut Changes) -> Self {
        let action = link.action.clone().unwrap_or_else(|| event.to_owned());
        let names = match link.compose.as_slice() {
            [] => vec![action],
            names => names.to_vec(),
        };
        let stages = names
            .into_iter()
            .map(|name| {
                let (name, is_optional) = match name.strip_suffix('?') {
                    Some(name) => (name.trim().to_owned(), true),
                    None => (name, false),
                };
                let formula = (!is_name(&name)).then(|| FormulaText::define(&name, changes));
                (name, formula, is_optional)
            })
            .collect();
        Self {
            event: event.to_owned(),
            stages,
            requires: link
                .requires
                .as_deref()
                .map(|text| FormulaText::define(text, changes)),
            ensures: link
                .ensures
                .as_deref()
                .map(|text| FormulaText::define(text, changes)),
            link: link.clone(),
        }
    }

    /// The meaning, once the spec is compiled.
    ///
    /// # Errors
    /// If an action or a parameter is unknown.
    pub fn compiled(
        self,
        operations: &[Option<OperatorId>],
        actions: &[EventAction],
    ) -> Result<(String, Meaning), String> {
        let event = self.event;
        let mut stages = Vec::new();
        for (name, formula, is_optional) in self.stages {
            let action = match formula {
                Some(formula) => formula
                    .compiled(operations)
                    .map(StageAction::Formula)
                    .ok_or_else(|| format!("[log.events.{event}]: `{name}` is no formula"))?,
                None if self.link.skip || self.link.joins => StageAction::Any,
                None => match find_action(actions, &name) {
                    Some(number) => StageAction::Event(number),
                    None => {
                        return Err(format!(
                            "[log.events.{event}]: the next-state relation has no action `{name}`; it has {}",
                            known_actions(actions)
                        ));
                    }
                },
            };
            stages.push(Stage { action, is_optional });
        }
        let mut fields = Vec::new();
        for (param, field) in &self.link.fields {
            let number = match stages.last().map(|stage| &stage.action) {
                Some(StageAction::Event(number)) => {
                    actions[*number].params.iter().position(|own| own == param)
                }
                _ => None,
            };
            let Some(number) = number else {
                return Err(format!(
                    "[log.events.{event}]: the action has no parameter `{param}`"
                ));
            };
            fields.push((number, field.clone()));
        }
        let meaning = Meaning {
            stages,
            fields,
            requires: self.requires.and_then(|formula| formula.compiled(operations)),
            ensures: self.ensures.and_then(|formula| formula.compiled(operations)),
            stutters: self.link.stutters,
            joins: self.link.joins,
            skip: self.link.skip,
        };
        Ok((event, meaning))
    }
}

/// The action that an event names: by its whole name, or without the instance before it.
pub(crate) fn find_action(actions: &[EventAction], name: &str) -> Option<usize> {
    let whole = actions.iter().position(|action| action.name == name);
    whole.or_else(|| {
        actions
            .iter()
            .position(|action| action.name.rsplit('!').next() == Some(name))
    })
}

/// The actions, for messages.
pub(crate) fn known_actions(actions: &[EventAction]) -> String {
    let names: Vec<&str> = actions.iter().map(|action| action.name.as_str()).collect();
    match names.is_empty() {
        true => "none that has a name".to_owned(),
        false => names.join(", "),
    }
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '!')
}
