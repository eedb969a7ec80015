//! What events mean, by the spec and the link file.

use omnilink_link::{Changes, EventLink, toml_key};
use omnilink_tla::ir::OperatorId;

use crate::event_action::EventAction;
use crate::fields_read::FieldsRead;
use crate::formula::{FormulaText, LineFormula};
use crate::stage_action::{ActionText, StageAction, find_action};

/// One action of a line.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub action: StageAction,
    pub is_optional: bool,
}

/// What an event means.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    /// The actions, one after the other. Arguments are those of the last. None if it only stutters, or joins a line and is no action itself.
    pub stages: Vec<Stage>,
    /// For parameters of the last action: the field with the value.
    pub fields: Vec<(String, String)>,
    pub requires: Option<LineFormula>,
    pub ensures: Option<LineFormula>,
    /// Whether it may change nothing, instead.
    pub stutters: bool,
    /// Whether it is part of the node's previous line.
    pub joins: bool,
    pub skip: bool,
    /// The fields of the line that its formulas may read.
    pub reads: FieldsRead,
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

    /// Its formulas.
    pub fn formulas(&self) -> impl Iterator<Item = &LineFormula> {
        let of_stages = self.stages.iter().flat_map(|stage| stage.action.formulas());
        of_stages.chain(&self.requires).chain(&self.ensures)
    }

    /// Whether a formula reads the line.
    pub fn has_formulas(&self) -> bool {
        self.formulas().next().is_some()
    }

    /// Whether a formula looks back at the node's previous line.
    pub fn looks_back(&self) -> bool {
        self.formulas().any(LineFormula::looks_back)
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
            reads: FieldsRead::default(),
        }
    }
}

/// A meaning before the spec is compiled.
#[derive(Debug)]
pub(crate) struct MeaningText {
    event: String,
    link: EventLink,
    /// The actions, and whether each may be left out; none if it is no step of its own.
    stages: Vec<(ActionText, bool)>,
    is_stuttering: bool,
    requires: Option<FormulaText>,
    ensures: Option<FormulaText>,
}

impl MeaningText {
    /// Adds the formulas of an event to what is compiled.
    ///
    /// # Errors
    /// If entries contradict each other.
    pub fn define(
        event: &str,
        link: &EventLink,
        is_stuttering: bool,
        changes: &mut Changes,
    ) -> Result<Self, String> {
        let entry = |part: &str| format!("[log.events.{}] {part}", toml_key(event));
        let part = if link.compose.is_empty() {
            "action"
        } else {
            "compose"
        };
        if is_stuttering && (link.action.is_some() || !link.compose.is_empty()) {
            return Err(format!(
                "[log.events.{event}]: an event of [log] stuttering has no action; leave it out there, and say stutters = true here if it \
                 may change nothing"
            ));
        }
        if link.action.is_some() && !link.compose.is_empty() {
            return Err(format!(
                "[log.events.{event}]: give action or compose, not both; the last action of compose takes the line's arguments"
            ));
        }
        let contradicted = [
            (is_stuttering, "[log] stuttering"),
            (link.skip, "skip"),
            (link.stutters, "stutters"),
            (!link.compose.is_empty(), "compose"),
        ];
        if let Some((_, what)) = contradicted.iter().find(|(is_given, _)| link.joins && *is_given) {
            return Err(format!(
                "[log.events.{event}]: a line that joins the line before it is a part of that line's step, so {what} means nothing for it; leave one \
                 of the two out"
            ));
        }
        let names = match (is_stuttering || link.skip, link.compose.as_slice()) {
            (true, _) => Vec::new(),
            (false, []) if link.joins => link.action.iter().cloned().collect(),
            (false, []) => vec![link.action.clone().unwrap_or_else(|| event.to_owned())],
            (false, names) => names.to_vec(),
        };
        let stages = names
            .into_iter()
            .map(|name| {
                let name = name.trim();
                let optional = name.strip_suffix('?');
                (
                    ActionText::define(&entry(part), optional.unwrap_or(name), changes),
                    optional.is_some(),
                )
            })
            .collect();
        Ok(Self {
            event: event.to_owned(),
            stages,
            is_stuttering,
            requires: link
                .requires
                .as_deref()
                .map(|text| FormulaText::define(&entry("requires"), text, changes)),
            ensures: link
                .ensures
                .as_deref()
                .map(|text| FormulaText::define(&entry("ensures"), text, changes)),
            link: link.clone(),
        })
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
        for (action, is_optional) in self.stages {
            let action = action
                .compiled(operations, actions)
                .map_err(|message| format!("[log.events.{event}]: {message}"))?;
            stages.push(Stage { action, is_optional });
        }
        if self.link.joins
            && stages.is_empty()
            && let Some(number) = find_action(actions, &event)
        {
            stages.push(Stage {
                action: StageAction::Event(number),
                is_optional: false,
            });
        }
        for param in self.link.fields.keys() {
            let has_param = match stages.last().map(|stage| &stage.action) {
                Some(StageAction::Event(number)) => actions[*number].params.contains(param),
                // Of which action it tells more, its lines decide.
                None => self.link.joins,
                _ => false,
            };
            if !has_param {
                return Err(format!(
                    "[log.events.{event}]: the action has no parameter `{param}`"
                ));
            }
        }
        let meaning = Meaning {
            stages,
            fields: self.link.fields.into_iter().collect(),
            requires: self.requires.and_then(|formula| formula.compiled(operations)),
            ensures: self.ensures.and_then(|formula| formula.compiled(operations)),
            stutters: self.link.stutters || self.is_stuttering,
            joins: self.link.joins,
            skip: self.link.skip,
            reads: FieldsRead::default(),
        };
        Ok((event, meaning))
    }
}
