//! Which entries of the link file took effect.
//!
//! What is about every line (an invariant, an order, a rule that is decided for each line) takes effect with the first line. What is about some lines is marked
//! when there is one: an event, a field, a value, a hidden action. What was never marked is told.

use omnilink_link::{LinkFile, LogLink, LogOrder, toml_key};
use omnilink_settings::EntryEffects;

/// Entries that are about every line, or about what is read before the first. Constants and overrides that there are not are errors.
const OF_EVERY_LINE: [&str; 12] = [
    "constants",
    "invariants",
    "log.order",
    "log.only",
    "log.skip_when",
    "log.fail_when",
    // A good run has none of these events.
    "log.failure",
    "log.tracked",
    "log.header",
    "log.constants",
    "log.overrides",
    "log.init_instead",
];

/// The entries of a link file, and which of them took effect.
#[derive(Debug, Default)]
pub(crate) struct SettingsUsed {
    effects: EntryEffects,
}

impl SettingsUsed {
    /// Those of a file.
    pub fn of(file: &LinkFile) -> Self {
        let mut effects = EntryEffects::default();
        let name = file.path.as_deref().unwrap_or("link file");
        effects.say_entries(&file.entries, name);
        OF_EVERY_LINE.iter().for_each(|path| effects.took_all(path));
        let used = Self { effects };
        used.mark_conditional(&file.log);
        used
    }

    fn mark_conditional(&self, log: &LogLink) {
        let is_said = [
            ("log.init", log.init_instead.is_none()),
            (
                "log.uncertainty",
                matches!(log.order, None | Some(LogOrder::Nodes | LogOrder::Timeboxes)) && log.skew.is_none(),
            ),
        ];
        for (path, _) in is_said.into_iter().filter(|(_, takes_effect)| *takes_effect) {
            self.took(path);
        }
    }

    /// An entry took effect, and all below it.
    pub fn took(&self, path: &str) {
        self.effects.took_all(path);
    }

    /// An element of a list did.
    pub fn took_element(&self, list: &str, element: &str) {
        if let Some(id) = self.effects.find(&format!("{list} = {element:?}")) {
            self.effects.took(id);
        }
    }

    /// An entry of a table did.
    pub fn took_entry(&self, table: &str, name: &str) {
        self.took(&format!("{table}.{}", toml_key(name)));
    }

    /// A line has an event: what the file says of it, but for the fields that the line would need to have.
    pub fn took_event(&self, event: &str) {
        let table = format!("log.events.{}", toml_key(event));
        for part in [
            "action", "compose", "requires", "ensures", "stutters", "joins", "skip",
        ] {
            self.took(&format!("{table}.{part}"));
        }
    }

    /// What took no effect, in sentences.
    pub fn told(&self) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        let mut whole: Vec<&str> = Vec::new();
        for unused in self.effects.without() {
            let what = unused.what.as_str();
            let is_of_event = what.starts_with("log.events.") && !what.contains(".fields.");
            // Of an event that no line has, all entries took no effect: one sentence.
            let (what, why) = match what.rsplit_once('.').filter(|_| is_of_event) {
                Some((event, _)) if whole.contains(&event) => continue,
                Some((event, _)) => {
                    whole.push(event);
                    (event, "no line that is part of the log has this event")
                }
                None => (what, why(what)),
            };
            told.push(format!("{}: {what} had no effect: {why}", unused.place));
        }
        told
    }
}

fn why(what: &str) -> &'static str {
    let reasons = [
        ("log.events.", "no line of this event has the field"),
        (
            "log.hidden",
            "this action was never possible, or no line was one before which it may happen",
        ),
        ("log.values", "no line has this value"),
        ("log.skip", "no line has this event"),
        ("log.stuttering", "no line has this event"),
        (
            "log.ignore_fields",
            "no line has this field, or something reads it",
        ),
        ("log.variables", "no line names this variable"),
        ("log.clock_unit", "the order of lines is not that of clocks"),
        (
            "log.uncertainty",
            "the order of lines is not that of clocks that may be off, or --skew says how far they are",
        ),
        ("log.init", "init_instead replaces it"),
        ("log.", "no line has this field"),
        ("spans", "no input holds spans"),
    ];
    let reason = reasons.iter().find(|(start, _)| what.starts_with(start));
    reason.map_or(
        "it is about traces of operations, and this is a log",
        |(_, reason)| reason,
    )
}
