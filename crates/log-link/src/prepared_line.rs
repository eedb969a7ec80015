//! Lines with their meaning: which action, with which arguments, and what is known about variables.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use omnilink_tla::eval::Evaluator;
use omnilink_value::Value;

use crate::error::LogError;
use crate::formula::LineFormula;
use crate::line_context::LineContext;
use crate::log_spec::LogSpec;
use crate::meaning::Meaning;
use crate::raw_line::{Place, RawLine};
use crate::stage_action::StageAction;
use crate::update::Update;

/// A line with its meaning.
#[derive(Clone, Debug)]
pub(crate) struct PreparedLine {
    pub place: Place,
    /// The node, as text.
    pub node: String,
    pub event: Option<String>,
    pub kind: LineKind,
    /// What the arguments of the last action are, as far as they are known.
    pub arguments: Vec<Option<Value>>,
    /// What is known about variables after the line. A variable may be there more than once, for instance by lines that join this one.
    pub updates: Vec<(u32, Vec<Update>)>,
    pub context: LineContext,
    /// The lines that join it. Their arguments and updates are among its own.
    pub joined: Vec<Self>,
    /// Why no step can be what its lines say.
    pub contradiction: Option<String>,
}

/// A line of a step as it was read, between the lines of its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawPart<'l> {
    pub line: &'l RawLine,
    pub previous: Option<&'l RawLine>,
    pub next: Option<&'l RawLine>,
}

/// What a line is.
#[derive(Clone, Debug)]
pub(crate) enum LineKind {
    /// A step that changes nothing.
    Stuttering,
    /// The run failed here.
    Failure,
    /// A step.
    Step(Arc<Meaning>),
}

impl PreparedLine {
    /// Whether the line says anything at all.
    pub fn constrains(&self) -> bool {
        match &self.kind {
            LineKind::Stuttering | LineKind::Failure => true,
            LineKind::Step(_) => self.event.is_some() || !self.updates.is_empty() || !self.joined.is_empty(),
        }
    }

    /// The lines of the step, this one first.
    pub fn parts(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.joined)
    }

    /// What the line means, if it is a step or joins one.
    pub fn meaning(&self) -> Option<&Arc<Meaning>> {
        match &self.kind {
            LineKind::Step(meaning) => Some(meaning),
            LineKind::Stuttering | LineKind::Failure => None,
        }
    }

    /// What the link file requires before it.
    pub fn requires(&self) -> Option<&LineFormula> {
        self.meaning()?.requires.as_ref()
    }

    /// What the link file says of its step.
    pub fn ensures(&self) -> Option<&LineFormula> {
        self.meaning()?.ensures.as_ref()
    }

    /// Adds what a line says that joins it.
    pub fn join(&mut self, part: Self) {
        if matches!(part.kind, LineKind::Failure) {
            self.kind = LineKind::Failure;
        }
        self.updates.extend(part.updates.iter().cloned());
        if part.has_arguments_of_step() {
            let known = self.arguments.iter_mut().zip(&part.arguments);
            for (own, other) in known.filter(|(_, other)| other.is_some()) {
                match (&own, other) {
                    (Some(one), Some(other)) if one != other => {
                        self.contradiction = Some(format!(
                            "{} says that an argument is {other}, and the line that it joins that it is {one}",
                            part.place
                        ));
                    }
                    _ => own.clone_from(other),
                }
            }
        }
        self.joined.push(part);
    }

    /// Whether the arguments of a line that joins another are those of the step: it has no action of its own.
    pub fn has_arguments_of_step(&self) -> bool {
        self.meaning().is_some_and(|meaning| meaning.stages.is_empty())
    }

    /// The line in a few words.
    pub fn text(&self, spec: &LogSpec) -> String {
        let mut text = self.event.clone().unwrap_or_else(|| "a step".to_owned());
        let shown: Vec<String> = self
            .arguments
            .iter()
            .map(|argument| argument.as_ref().map_or_else(|| "?".to_owned(), Value::to_string))
            .collect();
        if self.arguments.iter().any(Option::is_some) {
            text.push_str(&format!("({})", shown.join(", ")));
        }
        if !self.updates.is_empty() {
            let mut names: Vec<&str> = Vec::new();
            for (slot, _) in &self.updates {
                let name = &*spec.program.variables[*slot as usize];
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            text.push_str(&format!(" [{}]", names.join(", ")));
        }
        for part in &self.joined {
            let event = part.event.as_deref().unwrap_or_default();
            text.push_str(&format!(" with {event} ({})", part.place));
        }
        text
    }
}

/// Gives lines their meaning, and counts the fields that nothing reads.
#[derive(Debug)]
pub(crate) struct Preparation<'s> {
    spec: &'s LogSpec,
    /// Fields that nothing reads: how often, and where first.
    pub unread: BTreeMap<String, (u64, Place)>,
}

/// Fields that describe a line for people.
const DESCRIPTIVE: [&str; 8] = [
    "desc", "logger", "sender", "id", "after", "sends", "receives", "omnilink",
];

impl<'s> Preparation<'s> {
    pub fn new(spec: &'s LogSpec) -> Self {
        Self {
            spec,
            unread: BTreeMap::new(),
        }
    }

    /// The lines of a step, each with what it means by itself.
    ///
    /// # Errors
    /// If one of them means nothing.
    pub fn prepare_step(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        parts: &[RawPart<'_>],
    ) -> Result<Vec<PreparedLine>, LogError> {
        let mut prepared: Vec<PreparedLine> = Vec::with_capacity(parts.len());
        for part in parts {
            let one = self.prepare(evaluator, *part, prepared.first())?;
            prepared.push(one);
        }
        Ok(prepared)
    }

    /// The meaning of a line between the previous and the next line of its node. `head` is the line that it joins, if it does.
    ///
    /// # Errors
    /// If it has none.
    fn prepare(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        RawPart { line, previous, next }: RawPart<'_>,
        head: Option<&PreparedLine>,
    ) -> Result<PreparedLine, LogError> {
        let spec = self.spec;
        let settings = &spec.settings;
        let wrong = |message: String| LogError::Line {
            place: line.place.to_string(),
            message,
        };
        let (node_field, event_field) = (spec.node_field(), spec.event_field());
        // A line without a node goes by the name of its file.
        let node = match line.field(node_field) {
            Some(node) => node.as_str().map_or_else(|| node.to_string(), str::to_owned),
            None => {
                let name = Path::new(&*line.place.file).file_name();
                name.map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default()
            }
        };
        let mut prepared = PreparedLine {
            place: line.place.clone(),
            node,
            event: spec.event_of(line),
            kind: LineKind::Failure,
            arguments: Vec::new(),
            updates: Vec::new(),
            context: LineContext::new(spec, line, previous, next),
            joined: Vec::new(),
            contradiction: None,
        };
        let fails = match &spec.fail_when {
            Some(fails) => {
                fails
                    .holds(evaluator, &prepared.context)
                    .map_err(|failure| LogError::Evaluation {
                        place: line.place.to_string(),
                        message: spec.failure_text(&failure),
                    })?
            }
            None => false,
        };
        let is_among = |names: &[String], built_in: &str| {
            prepared.event.as_deref().is_some_and(|event| {
                names.iter().any(|name| name == event) || (event == built_in && spec.meaning(event).is_none())
            })
        };
        if fails || is_among(&settings.failure, "__exception") {
            return Ok(prepared);
        }
        let is_conditional = prepared
            .event
            .as_deref()
            .is_some_and(|event| spec.meanings.contains_key(event));
        let meaning = if is_among(&settings.stuttering, "Stuttering") && !is_conditional {
            None
        } else {
            match &prepared.event {
                None => Some(Arc::new(Meaning::any())),
                Some(event) => Some(spec.meaning(event).ok_or_else(|| {
                    wrong(format!(
                        "the next-state relation of {} has no action `{event}`; it has {}. In the link file, say what it is \
                         ([log.events.{event}] action = \"…\"), join it with the line that its step is logged by (joins = true), or \
                         skip it ([log] skip = [\"{event}\"])",
                        spec.name,
                        spec.action_names()
                    ))
                })?),
            }
        };
        let mut read: Vec<&str> = vec![root(event_field), root(node_field)];
        let times = [&settings.clock, &settings.start, &settings.end];
        for (field, default) in times.into_iter().zip(["clock", "start", "end"]) {
            read.push(root(field.as_deref().unwrap_or(default)));
        }
        if let Some(meaning) = &meaning {
            prepared.arguments = self
                .arguments(line, meaning, head, &prepared, &mut read)
                .map_err(wrong)?;
        }
        let names = line.record.as_record();
        let names = names
            .iter()
            .flat_map(|record| record.iter())
            .map(|(name, _)| name);
        let by_formulas: Vec<&str> = names
            .filter(|name| {
                spec.reads.has(name) || meaning.as_ref().is_some_and(|meaning| meaning.reads.has(name))
            })
            .collect();
        prepared.updates = self.updates(line, &mut read, &by_formulas).map_err(wrong)?;
        read.extend(by_formulas);
        self.note_unread(line, &read).map_err(wrong)?;
        prepared.kind = match meaning {
            None => LineKind::Stuttering,
            Some(meaning) => LineKind::Step(meaning),
        };
        Ok(prepared)
    }

    /// The arguments of the last action.
    fn arguments<'l>(
        &self,
        line: &'l RawLine,
        meaning: &Meaning,
        head: Option<&PreparedLine>,
        prepared: &PreparedLine,
        read: &mut Vec<&'l str>,
    ) -> Result<Vec<Option<Value>>, String>
    where
        's: 'l,
    {
        let spec = self.spec;
        let names: &[&str] = match &spec.settings.args {
            Some(field) => &[field.as_str()],
            None => &["event_args", "args"],
        };
        let is_ignored = |name: &str| spec.settings.ignore_fields.iter().any(|ignored| ignored == name);
        let given = names.iter().filter(|name| !is_ignored(name));
        let given = given
            .into_iter()
            .find_map(|name| Some((*name, line.field(name)?)));
        // A line that joins another and has no action of its own tells more about that line's action.
        let of_step = head
            .filter(|_| meaning.stages.is_empty())
            .and_then(PreparedLine::meaning);
        let stages = of_step.map_or(&meaning.stages, |meaning| &meaning.stages);
        let Some(StageAction::Event(number)) = stages.last().map(|stage| &stage.action) else {
            return Ok(Vec::new());
        };
        let action = &spec.actions[*number];
        let convert = |param: usize, json: &Value| -> Result<Option<Value>, String> {
            if json.is_null() && !spec.words.table.contains_key(json) {
                return Ok(None);
            }
            let of = spec.types.param(&action.name, &action.params[param]);
            let converted = of.convert(json, &spec.words);
            converted
                .map(Some)
                .map_err(|problem| format!("argument {}: {problem}", action.params[param]))
        };
        let mut arguments: Vec<Option<Value>> = vec![None; action.params.len()];
        if let Some((name, given)) = given {
            let name: &'l str = line
                .record
                .as_record()
                .and_then(|record| record.iter().map(|(own, _)| own).find(|own| *own == root(name)))
                .unwrap_or_default();
            read.push(name);
            match (given.as_tuple(), given.as_record()) {
                (Some(values), _) if values.len() > action.params.len() => {
                    let hint = match of_step {
                        Some(_) => {
                            "; a line that joins another and has no action of its own tells more about that line's action: say which action it is \
                             (action = \"…\"), or leave its arguments out ([log] ignore_fields = [\"args\"])"
                        }
                        None => "",
                    };
                    return Err(format!(
                        "{} has {} arguments, but the action {}({}) takes {}{hint}",
                        prepared.event.as_deref().unwrap_or("the line"),
                        values.len(),
                        action.name,
                        action.params.join(", "),
                        action.params.len()
                    ));
                }
                (Some(values), _) => {
                    for (param, value) in values.iter().enumerate() {
                        arguments[param] = convert(param, value)?;
                    }
                }
                (None, Some(fields)) => {
                    for (name, value) in fields.iter() {
                        let Some(param) = action.params.iter().position(|param| param == name) else {
                            return Err(format!(
                                "the action {}({}) has no parameter `{name}`",
                                action.name,
                                action.params.join(", ")
                            ));
                        };
                        arguments[param] = convert(param, value)?;
                    }
                }
                (None, None) if given.is_null() => {}
                (None, None) => return Err("the arguments are neither an array nor an object".to_owned()),
            }
        }
        for (name, field) in &meaning.fields {
            let Some(param) = action.params.iter().position(|param| param == name) else {
                return Err(format!(
                    "fields: the action {}({}) has no parameter `{name}`",
                    action.name,
                    action.params.join(", ")
                ));
            };
            if let Some(value) = line.field(field) {
                arguments[param] = convert(param, value)?;
                read.push(root_in(line, field));
            }
        }
        for (param, name) in action.params.iter().enumerate() {
            if arguments[param].is_none()
                && given.is_none()
                && let Some(value) = line.record.field(name)
                && spec.variable(name).is_none()
            {
                arguments[param] = convert(param, value)?;
                read.push(root_in(line, name));
            }
        }
        Ok(arguments)
    }

    /// What the line says about variables.
    fn updates<'l>(
        &self,
        line: &'l RawLine,
        read: &mut Vec<&'l str>,
        by_formulas: &[&str],
    ) -> Result<Vec<(u32, Vec<Update>)>, String> {
        let spec = self.spec;
        let mut all: Vec<(u32, Vec<Update>)> = Vec::new();
        let mut add = |name: &str, value: &Value, is_after: bool| -> Result<(), String> {
            if spec.settings.ignore_fields.iter().any(|ignored| ignored == name) {
                return Ok(());
            }
            let Some(slot) = spec.variable(name) else {
                return Err(format!(
                    "the spec has no variable `{name}`; it has {}. Map it ([log.variables] {name} = \"…\") or ignore it ([log] ignore_fields = \
                     [\"{name}\"])",
                    spec.variable_names()
                ));
            };
            let place = spec.types.variable(slot);
            let updates = if is_after {
                let value = place
                    .convert(value, &spec.words)
                    .map_err(|problem| format!("{name}: {problem}"))?;
                vec![Update {
                    operator: crate::update::UpdateOperator::Update,
                    path: Vec::new(),
                    args: vec![value],
                    is_statement: true,
                }]
            } else {
                let list = value.as_tuple().ok_or_else(|| {
                        format!("{name}: the updates of a variable are an array of {{\"op\":…,\"path\":[…],\"args\":[…]}}")
                    })?;
                let updates: Result<Vec<Update>, _> = list
                    .iter()
                    .map(|update| Update::read(update, place, &spec.words))
                    .collect();
                updates.map_err(|problem| format!("{name}: {problem}"))?
            };
            match all.iter_mut().find(|(own, _)| *own == slot) {
                Some((_, own)) => own.extend(updates),
                None => all.push((slot, updates)),
            }
            Ok(())
        };
        let Some(record) = line.record.as_record() else {
            return Ok(Vec::new());
        };
        // What a line states about the state afterwards comes after what it says about changes.
        let (statements, changes): (Vec<_>, Vec<_>) = record.iter().partition(|(name, _)| *name == "state");
        for (name, value) in changes.into_iter().chain(statements) {
            match name {
                "vars" | "state" if spec.variable(name).is_none() => {
                    let is_read = read.contains(&name) || by_formulas.contains(&name);
                    read.push(name);
                    let Some(parts) = value.as_record() else {
                        // Formulas may read what is no object of variables.
                        if value.is_empty() || is_read {
                            continue;
                        }
                        return Err(format!("\"{name}\" is no object of variables"));
                    };
                    for (variable, value) in parts.iter() {
                        add(variable, value, name == "state")?;
                    }
                }
                // A list of updates may be read by a formula besides, if it is that of a variable.
                name if !read.contains(&name)
                    && is_updates(value)
                    && (spec.variable(name).is_some() || !by_formulas.contains(&name)) =>
                {
                    read.push(name);
                    add(name, value, false)?;
                }
                _ => {}
            }
        }
        Ok(all)
    }

    fn note_unread(&mut self, line: &RawLine, read: &[&str]) -> Result<(), String> {
        let Some(record) = line.record.as_record() else {
            return Ok(());
        };
        for (name, _) in record.iter() {
            let is_ignored = || {
                self.spec
                    .settings
                    .ignore_fields
                    .iter()
                    .any(|ignored| ignored == name)
            };
            if read.contains(&name) || DESCRIPTIVE.contains(&name) || is_ignored() {
                continue;
            }
            match self.unread.get_mut(name) {
                Some((count, _)) => *count += 1,
                None => {
                    self.unread.insert(name.to_owned(), (1, line.place.clone()));
                }
            }
        }
        Ok(())
    }
}

/// Whether a value is a list of updates.
fn is_updates(value: &Value) -> bool {
    let updates = value.as_tuple().unwrap_or_default();
    !updates.is_empty() && updates.iter().all(|update| update.field("op").is_some())
}

/// The name of the field of a line in which a path begins.
fn root(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

fn root_in<'l>(line: &'l RawLine, path: &str) -> &'l str {
    let record = line.record.as_record();
    let mut names = record
        .into_iter()
        .flat_map(|record| record.iter().map(|(name, _)| name).collect::<Vec<_>>());
    names
        .find(|name| *name == path || *name == root(path))
        .unwrap_or_default()
}
