//! Lines with their meaning: which action, with which arguments, and what is known about variables.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use omnilink_link::toml_key;
use omnilink_tla::eval::Evaluator;
use omnilink_value::Value;
use rustc_hash::FxHashSet;

use crate::error::LogError;
use crate::fields_read::Extent;
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
    /// What is known about variables before the line.
    pub before: Vec<(u32, Value)>,
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
            LineKind::Step(_) => {
                let says = [
                    self.updates.is_empty(),
                    self.before.is_empty(),
                    self.joined.is_empty(),
                ];
                let is_conditional = !self.requires().is_empty() || !self.ensures().is_empty();
                self.event.is_some() || is_conditional || says.contains(&false)
            }
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
    pub fn requires(&self) -> &[LineFormula] {
        self.meaning().map_or(&[], |meaning| &meaning.requires)
    }

    /// What the link file says of its step.
    pub fn ensures(&self) -> &[LineFormula] {
        self.meaning().map_or(&[], |meaning| &meaning.ensures)
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
    /// Events, and paths of entries of the link file, that lines have been seen to use.
    seen: FxHashSet<String>,
}

/// Fields that describe a line for people.
const DESCRIPTIVE: [&str; 8] = [
    "desc", "logger", "sender", "id", "after", "sends", "receives", "omnilink",
];

/// Fields that this program adds to spans.
const OF_SPANS: [&str; 6] = ["kind", "service", "parent", "links", "attributes", "error"];

impl<'s> Preparation<'s> {
    pub fn new(spec: &'s LogSpec) -> Self {
        Self {
            spec,
            unread: BTreeMap::new(),
            seen: FxHashSet::default(),
        }
    }

    /// Entries of the link file that take effect with this line.
    fn note_used(&mut self, line: &RawLine, event: Option<&str>) {
        let (spec, settings) = (self.spec, &self.spec.settings);
        let fields = [
            ("log.event", &settings.event),
            ("log.args", &settings.args),
            ("log.state", &settings.state),
            ("log.state_before", &settings.state_before),
            ("log.node", &settings.node),
            ("log.clock", &settings.clock),
            ("log.start", &settings.start),
            ("log.end", &settings.end),
        ];
        for (entry, field) in fields {
            let is_there = field
                .as_deref()
                .is_some_and(|field| field == "." || line.field(field).is_some());
            if is_there && !self.seen.contains(entry) {
                spec.used.took(entry);
                self.seen.insert(entry.to_owned());
            }
        }
        if line.is_span() && self.seen.insert("spans".to_owned()) {
            spec.used.took("spans");
        }
        if let Some(event) = event
            && !self.seen.contains(event)
        {
            spec.used.took_event(event);
            spec.used.took_element("log.stuttering", event);
            self.seen.insert(event.to_owned());
        }
        if !spec.words.table.is_empty() {
            note_values(&line.record, spec);
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
            before: Vec::new(),
            context: LineContext::new(spec, line, previous, next),
            joined: Vec::new(),
            contradiction: None,
        };
        self.note_used(line, prepared.event.as_deref());
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
            spec.stuttering.clone()
        } else {
            match &prepared.event {
                None => Some(Arc::clone(&spec.any)),
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
        // Paths with dots of fields that something reads.
        let mut read: Vec<&str> = vec![event_field, node_field];
        let times = [&settings.clock, &settings.start, &settings.end];
        for (field, default) in times.into_iter().zip(["clock", "start", "end"]) {
            read.push(field.as_deref().unwrap_or(default));
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
        prepared.before = self.before(line, &mut read).map_err(wrong)?;
        if prepared.event.is_none()
            && prepared.updates.is_empty()
            && prepared.before.is_empty()
            && let Some(names) = self.unread_variables(line, &by_formulas)
        {
            return Err(wrong(format!(
                "this line says nothing of a step, and has fields with the names of variables ({names}); if they are values of variables after the step, write state = \".\" under [log] in \
                 the link file (or put them under \"state\"), and if they mean something else, ignore_fields"
            )));
        }
        self.note_unread(line, &read, meaning.as_deref());
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
        meaning: &'l Meaning,
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
                read.push(field);
                let event = toml_key(prepared.event.as_deref().unwrap_or_default());
                spec.used.took_entry(&format!("log.events.{event}.fields"), name);
            }
        }
        for (param, name) in action.params.iter().enumerate() {
            if arguments[param].is_none()
                && given.is_none()
                && let Some(value) = line.record.field(name)
                && spec.variable(name).is_none()
            {
                arguments[param] = convert(param, value)?;
                read.push(name);
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
    ) -> Result<Vec<(u32, Vec<Update>)>, String>
    where
        's: 'l,
    {
        let spec = self.spec;
        let mut all: Vec<(u32, Vec<Update>)> = Vec::new();
        let mut add = |name: &str, value: &Value, is_after: bool| -> Result<(), String> {
            if spec.settings.ignore_fields.iter().any(|ignored| ignored == name) {
                spec.used.took_element("log.ignore_fields", name);
                return Ok(());
            }
            if spec.settings.variables.contains_key(name) {
                spec.used.took_entry("log.variables", name);
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
        let is_state = |name: &str| spec.settings.state.is_none() && name == "state";
        // What a line states about the state afterwards comes after what it says about changes.
        let (statements, changes): (Vec<_>, Vec<_>) = record.iter().partition(|(name, _)| is_state(name));
        for (name, value) in changes.into_iter().chain(statements) {
            match name {
                name if (name == "vars" || is_state(name)) && spec.variable(name).is_none() => {
                    let is_read = is_touched(read, name) || by_formulas.contains(&name);
                    read.push(name);
                    let Some(parts) = value.as_record() else {
                        // Formulas may read what is no object of variables.
                        if value.is_empty() || is_read {
                            continue;
                        }
                        return Err(format!("\"{name}\" is no object of variables"));
                    };
                    for (variable, value) in parts.iter() {
                        add(variable, value, is_state(name))?;
                    }
                }
                // A list of updates may be read by a formula besides, if it is that of a variable.
                name if !is_touched(read, name)
                    && is_updates(value)
                    && (spec.variable(name).is_some() || !by_formulas.contains(&name)) =>
                {
                    read.push(name);
                    add(name, value, false)?;
                }
                _ => {}
            }
        }
        if let Some(path) = &spec.settings.state {
            for (name, value) in spec.state_at(line, path)? {
                // A list of updates is one wherever it stands.
                if path != "." {
                    add(name, value, true)?;
                } else if spec.variable(name).is_some() && !is_touched(read, name) {
                    add(name, value, true)?;
                    read.push(name);
                }
            }
            read.push(path);
        }
        Ok(all)
    }

    /// What the line says about variables before the step.
    fn before<'l>(&self, line: &'l RawLine, read: &mut Vec<&'l str>) -> Result<Vec<(u32, Value)>, String>
    where
        's: 'l,
    {
        let spec = self.spec;
        let Some(path) = &spec.settings.state_before else {
            return Ok(Vec::new());
        };
        let mut before = Vec::new();
        for (name, value) in spec.state_at(line, path)? {
            if spec.settings.ignore_fields.iter().any(|ignored| ignored == name) {
                spec.used.took_element("log.ignore_fields", name);
                continue;
            }
            let slot = match spec.variable(name) {
                Some(slot) => slot,
                None if path == "." => continue,
                None => {
                    return Err(format!(
                        "the spec has no variable `{name}`; it has {}. Map it ([log.variables] {name} = \"…\") or ignore it ([log] ignore_fields = [\"{name}\"])",
                        spec.variable_names()
                    ));
                }
            };
            let converted = spec.types.variable(slot).convert(value, &spec.words);
            before.push((slot, converted.map_err(|problem| format!("{name}: {problem}"))?));
            read.push(name);
        }
        read.push(path);
        Ok(before)
    }

    /// The fields of a line that have names of variables, and that nothing reads.
    fn unread_variables(&self, line: &RawLine, by_formulas: &[&str]) -> Option<String> {
        let fields = line.record.as_record()?;
        let names = fields.iter().map(|(name, _)| name).filter(|name| {
            let is_ignored = self
                .spec
                .settings
                .ignore_fields
                .iter()
                .any(|ignored| ignored == name);
            self.spec.variable(name).is_some() && !is_ignored && !by_formulas.contains(name)
        });
        let names: Vec<&str> = names.collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Counts the fields of a line, at any depth, that nothing reads.
    fn note_unread(&mut self, line: &RawLine, read: &[&str], meaning: Option<&Meaning>) {
        let spec = self.spec;
        let extent = |path: &str| {
            let by_formulas = spec.reads.extent(path);
            let by_meaning = meaning.map_or(Extent::Nothing, |meaning| meaning.reads.extent(path));
            by_formulas
                .max(by_meaning)
                .max(Extent::of(read.iter().copied(), path))
        };
        let is_ignored = |path: &str| {
            let mut ignored = spec.settings.ignore_fields.iter();
            let found = ignored.any(|ignored| ignored == path);
            if found {
                spec.used.took_element("log.ignore_fields", path);
            }
            found
        };
        let fields = line.record.as_record();
        let mut open: Vec<(String, &Value)> = fields
            .iter()
            .flat_map(|fields| fields.iter())
            .filter(|(name, _)| !(DESCRIPTIVE.contains(name) || line.is_span() && OF_SPANS.contains(name)))
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        while let Some((path, value)) = open.pop() {
            match extent(&path) {
                Extent::Whole => {}
                _ if is_ignored(&path) => {}
                Extent::Part => {
                    let fields = value.as_record();
                    let fields = fields.iter().flat_map(|fields| fields.iter());
                    open.extend(fields.map(|(name, value)| (format!("{path}.{name}"), value)));
                }
                Extent::Nothing => match self.unread.get_mut(&path) {
                    Some((count, _)) => *count += 1,
                    None => {
                        self.unread.insert(path, (1, line.place.clone()));
                    }
                },
            }
        }
    }
}

/// Marks the entries of the table of values that are used for a value of a line, or a part of one.
fn note_values(value: &Value, spec: &LogSpec) {
    if spec.words.table.contains_key(value) {
        let texts = spec.settings.values.keys();
        for text in texts.filter(|text| LogSpec::value_of_json(text) == *value) {
            spec.used.took_entry("log.values", text);
        }
    }
    for element in value.as_tuple().unwrap_or_default() {
        note_values(element, spec);
    }
    for (_, value) in value.as_record().iter().flat_map(|fields| fields.iter()) {
        note_values(value, spec);
    }
}

/// Whether a field of a line, or something in it, is read.
fn is_touched(read: &[&str], name: &str) -> bool {
    Extent::of(read.iter().copied(), name) != Extent::Nothing
}

/// Whether a value is a list of updates.
fn is_updates(value: &Value) -> bool {
    let updates = value.as_tuple().unwrap_or_default();
    !updates.is_empty() && updates.iter().all(|update| update.field("op").is_some())
}
