//! Rules to start from: everything that can be guessed from a log and the actions of a specification.
//!
//! A draft never pretends: what was guessed says why, and what needs a decision is marked with `DECIDE`.

mod message_shape;
mod name_words;
mod sample;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use self::message_shape::MessageShape;
use self::name_words::{is_same_name, words_of};
use self::sample::LogSample;

/// An action of a specification.
#[derive(Debug, Clone)]
pub struct DraftAction {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<String>,
}

/// Shapes of messages without an action that are listed.
const OTHERS_MAX: usize = 12;
/// Messages that are listed for an action.
const LIKELY_MAX: usize = 3;
/// Fields that often say who wrote a line, the likeliest first.
const NODES: [&str; 16] = [
    "node",
    "nodeid",
    "node_id",
    "server",
    "serverid",
    "server_id",
    "replica",
    "instance",
    "host",
    "hostname",
    "peer",
    "id",
    "app",
    "thread",
    "pid",
    "logger",
];

/// The text of a rules file for a log, of which these are the first lines.
pub fn draft(log: &str, spec: &str, lines: &[String], files: usize, actions: &[DraftAction]) -> String {
    let sample = LogSample::of(lines);
    let mut text = format!(
        "# How lines of {log} become events of {spec}: a draft. What was guessed says why; what needs a decision is marked with DECIDE.\n\
         # Try it:  omnilink logs extract RULES.toml {log} | head\n\n"
    );
    let _ = writeln!(
        text,
        "format = {:?}   # {} of {} lines that were looked at have it",
        sample.format, sample.readable, sample.looked_at
    );
    if sample.lines.is_empty() {
        text.push_str("# DECIDE: the log seems to be empty.\n");
        return text;
    }
    if sample.unreadable > 0 {
        let (mark, why) = if sample.indented * 2 >= sample.unreadable {
            (
                "",
                "most of them are indented: they seem to go on with the line before them",
            )
        } else {
            (
                "# ",
                "if they go on with the line before them, write this; otherwise they are left out and counted",
            )
        };
        let _ = writeln!(
            text,
            "# DECIDE: {} lines have not this format; {why}. The first one is:  {}\n{mark}multi_line = true",
            sample.unreadable,
            shown(&sample.first_unreadable)
        );
    }
    for (option, share) in [("json", sample.with_json), ("pairs", sample.with_pairs)] {
        if share > 0 {
            let _ = writeln!(text, "{option} = \"message\"   # messages with it: {share}");
        }
    }
    draft_node(&mut text, &sample);
    draft_time(&mut text, &sample, files);
    let mut drafted = draft_by_field(&mut text, &sample, actions);
    drafted.extend(draft_by_message(&mut text, &sample, actions, &drafted));
    draft_the_rest(&mut text, &sample, actions, &drafted);
    text
}

fn draft_node(text: &mut String, sample: &LogSample) {
    let candidates: Vec<(&str, usize)> = NODES
        .iter()
        .filter_map(|name| sample.field_like(name))
        .map(|field| (field, sample.values_of(field).len()))
        .filter(|(_, values)| (2..=64).contains(values))
        .collect();
    match candidates.as_slice() {
        [] => text.push_str("# DECIDE: which field says who wrote a line? If the lines of one file are of one node, leave it out.\n# node = \"{…}\"\n"),
        [(field, values), others @ ..] => {
            let _ = writeln!(text, "node = \"{{{field}}}\"   # DECIDE: has {values} values, and its name is that of a node");
            for (other, values) in others {
                let _ = writeln!(text, "# node = \"{{{other}}}\"   # has {values} values");
            }
        }
    }
}

fn draft_time(text: &mut String, sample: &LogSample, files: usize) {
    match (sample.with_time, sample.has_field("time")) {
        (0, true) => text.push_str("# DECIDE: the field `time` is no time that is known; give its format if lines are to be ordered by it\n# time_format = \"%Y-%m-%d %H:%M:%S,%f\"\n"),
        (0, false) => {}
        (_, _) if files > 1 => text.push_str("clock = \"{time}\"   # several files: their lines are ordered by their times, in nanoseconds. DECIDE: whether the clocks agree; else --skew\n"),
        (_, _) => text.push_str("# clock = \"{time}\"   # the lines of one file stand in their order already\n"),
    }
    text.push('\n');
}

/// Rules for a field whose values are names of actions. Returns the actions that have one.
fn draft_by_field(text: &mut String, sample: &LogSample, actions: &[DraftAction]) -> BTreeSet<String> {
    let mut best: Option<(&str, Vec<(String, &DraftAction)>)> = None;
    for field in sample
        .fields()
        .filter(|field| *field != "message" || sample.is_structured())
    {
        let mut found = Vec::new();
        for value in sample.values_of(field) {
            let action = actions.iter().find(|action| is_same_name(&action.name, &value));
            found.extend(action.map(|action| (value, action)));
        }
        if best.as_ref().is_none_or(|(_, known)| found.len() > known.len()) {
            best = Some((field, found));
        }
    }
    let Some((field, found)) = best.filter(|(_, found)| !found.is_empty()) else {
        return BTreeSet::new();
    };
    for (value, action) in &found {
        let lines = sample.lines_with(field, value);
        let _ = writeln!(
            text,
            "[[event]]   # lines: {lines}\nname = {:?}   # `{field}` is {value:?}\nwhere = {{ {} = {value:?} }}",
            action.name,
            toml_key(field)
        );
        let fields = sample.fields_where(field, value);
        draft_arguments(text, action, &fields, &[field]);
        text.push('\n');
    }
    found.into_iter().map(|(_, action)| action.name.clone()).collect()
}

/// Rules for messages whose words are those of an action's name. Returns the actions that have one.
fn draft_by_message(
    text: &mut String,
    sample: &LogSample,
    actions: &[DraftAction],
    drafted: &BTreeSet<String>,
) -> BTreeSet<String> {
    let shapes = sample.shapes();
    let mut found = BTreeSet::new();
    for action in actions.iter().filter(|action| !drafted.contains(&action.name)) {
        let wanted = words_of(&action.name);
        let mut fitting: Vec<(&MessageShape, &u64)> = shapes
            .iter()
            .filter(|(shape, _)| name_words::are_in(&wanted, shape.words()))
            .collect();
        fitting.sort_by_key(|(_, lines)| std::cmp::Reverse(**lines));
        let Some(((shape, lines), others)) = fitting.split_first() else {
            continue;
        };
        found.insert(action.name.clone());
        let (pattern, names) = shape.pattern();
        let _ = writeln!(
            text,
            "[[event]]   # lines: {lines}\nname = {:?}   # DECIDE: the message has the words of the name\npattern = '{}'",
            action.name,
            pattern.replace('\'', ".")
        );
        for (other, lines) in others.iter().take(3) {
            let _ = writeln!(
                text,
                "# pattern = '{}'   # or these; lines: {lines}",
                other.pattern().0.replace('\'', ".")
            );
        }
        let mut fields: BTreeMap<String, String> = sample
            .fields()
            .map(|field| (field.to_owned(), String::new()))
            .collect();
        fields.extend(names.into_iter().map(|name| (name, String::new())));
        draft_arguments(text, action, &fields, &["time", "level", "message"]);
        text.push('\n');
    }
    found
}

/// The arguments of an event, as far as names tell them. `fields` have an example each.
fn draft_arguments(
    text: &mut String,
    action: &DraftAction,
    fields: &BTreeMap<String, String>,
    used: &[&str],
) {
    if action.parameters.is_empty() {
        return;
    }
    let is_left = |field: &&String| !used.contains(&field.as_str());
    let mut known = Vec::new();
    let mut unknown = Vec::new();
    for parameter in &action.parameters {
        match fields
            .keys()
            .filter(is_left)
            .find(|field| is_same_name(parameter, field.rsplit('.').next().unwrap_or(field)))
        {
            Some(field) => known.push(format!("{} = \"{{{field}}}\"", toml_key(parameter))),
            None => unknown.push(parameter.clone()),
        }
    }
    if !known.is_empty() {
        let _ = writeln!(text, "args = {{ {} }}", known.join(", "));
    }
    if unknown.is_empty() {
        return;
    }
    let examples: Vec<String> = fields
        .iter()
        .filter(|(field, _)| is_left(field))
        .map(|(field, example)| {
            if example.is_empty() {
                format!("{{{field}}}")
            } else {
                format!("{{{field}}} such as {}", shown(example))
            }
        })
        .collect();
    let assignments: Vec<String> = unknown
        .iter()
        .map(|name| format!("{} = \"{{…}}\"", toml_key(name)))
        .collect();
    let _ = writeln!(
        text,
        "# DECIDE: nothing is called like {}; what is left out is unknown. There are {}\n# args = {{ {} }}",
        unknown.join(", "),
        examples.join(", "),
        assignments.join(", ")
    );
}

/// What no rule is about: actions without lines, and messages without an action.
fn draft_the_rest(
    text: &mut String,
    sample: &LogSample,
    actions: &[DraftAction],
    drafted: &BTreeSet<String>,
) {
    let all = sample.shapes();
    let mut missing = Vec::new();
    for action in actions.iter().filter(|action| !drafted.contains(&action.name)) {
        let wanted = words_of(&action.name);
        let fits = |shape: &&MessageShape| name_words::is_one_in(&wanted, shape.words());
        let likely: Vec<&MessageShape> = all.keys().filter(fits).take(LIKELY_MAX).collect();
        if likely.is_empty() {
            missing.push(action.name.as_str());
            continue;
        }
        let _ = writeln!(
            text,
            "# DECIDE: {} shares a word with these messages\n# [[event]]\n# name = {:?}",
            action.name, action.name
        );
        for shape in likely {
            let _ = writeln!(text, "# pattern = '{}'", shape.pattern().0.replace('\'', "."));
        }
        text.push('\n');
    }
    if !missing.is_empty() {
        let _ = writeln!(
            text,
            "# DECIDE: no line seems to be about {}. Such steps may be hidden ([[log.hidden]] in the link file).",
            missing.join(", ")
        );
    }
    let mut shapes: Vec<(MessageShape, u64)> = all.into_iter().collect();
    shapes.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    if !shapes.is_empty() {
        text.push_str("# Messages of the log, the most frequent first:\n");
    }
    for (shape, lines) in shapes.iter().take(OTHERS_MAX) {
        let _ = writeln!(
            text,
            "# [[event]]   # lines: {lines}\n# name = \"…\"\n# pattern = '{}'",
            shape.pattern().0.replace('\'', ".")
        );
    }
    if drafted.is_empty() {
        text.push_str("\n# DECIDE: no action was recognised; without a rule nothing is an event. This one leaves every line out:\n[[event]]\nskip = true\n");
    }
}

/// A text on one line, shortened.
fn shown(text: &str) -> String {
    const LETTERS_MAX: usize = 80;
    let line: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    if line.chars().count() > LETTERS_MAX {
        format!("{}…", line.chars().take(LETTERS_MAX).collect::<String>())
    } else {
        line
    }
}

/// A key as TOML writes it.
fn toml_key(name: &str) -> String {
    let is_bare = !name.is_empty()
        && name
            .bytes()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'-'));
    if is_bare {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}
