//! The link file: all that is not default about how a trace and a spec belong together.
//!
//! It is TOML, and TLA+ where it is logic. Every entry is optional. An entry that nothing knows is an error: a misspelled
//! `require` that is silently ignored would make a check pass that should not.

use std::collections::BTreeMap;
use std::path::Path;

use omnilink_settings::{Entry, SettingKind, SettingsError, Table};

use crate::acts_as::{ActsAs, OpActsAs};
use crate::error::LinkError;
use crate::log_link::LogLink;
use crate::module::identifiers;
use crate::run::RunLabels;

/// What a link file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkFile {
    /// The collection that the spec is, if it is one: see [`ActsAs`].
    pub acts_as: Option<ActsAs>,
    /// The file, as it was named; `None` for text that is none.
    pub path: Option<String>,
    /// The file and the line that say what the spec acts as, for errors.
    pub declared_at: Option<String>,
    /// Constants as TLA+ expressions.
    pub constants: BTreeMap<String, String>,
    /// Constants that are the set of all values of these fields of the trace.
    pub collect: BTreeMap<String, Vec<String>>,
    /// Operations to leave out.
    pub ignore: Vec<String>,
    /// Fields that nothing has to read, whatever the operation; `ret` for results that stand apart.
    pub ignore_fields: Vec<String>,
    /// What single operations mean.
    pub ops: BTreeMap<String, OpLink>,
    /// What the end of a thread means.
    pub thread_end: ThreadEndLink,
    /// Actions that may happen at any time, unseen.
    pub hidden: Vec<HiddenLink>,
    /// What counts as the same state: an expression over the variables.
    pub view: Option<String>,
    /// What tells states apart for coverage: an expression over the variables. The view if not given.
    pub abstraction: Option<String>,
    /// What every state of an explanation must satisfy.
    pub invariants: Vec<String>,
    /// Names for kinds of violations: predicates over the state before the operation that cannot be explained. `thread`,
    /// `op` (its name), `args` (a record of its fields) and `meta` may be used.
    pub tags: BTreeMap<String, String>,
    /// Rules about spans of OpenTelemetry and other tracing systems, such as `kind=client`.
    pub spans: Vec<String>,
    /// What logs mean.
    pub log: LogLink,
    /// All entries of the file, to tell which of them took no effect.
    pub entries: Vec<Entry>,
}

/// What an operation means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpLink {
    /// The action that it is, if it has another name; or a formula over the fields of the operation, `thread` and `meta`,
    /// such as `Acquire(thread, TRUE)`.
    pub action: Option<String>,
    /// In place of an action, the labels of a PlusCal algorithm that one process passes through during the operation.
    pub run: Option<RunLabels>,
    /// The label at which the process is after a run. Default: any other than those of the run.
    pub until: Option<String>,
    /// Must hold of the first step of a run: a formula over the variables, with primes, the fields, `thread` and `meta`.
    pub begins: Option<String>,
    /// What it does to the collection that the spec is.
    pub acts_as: Option<OpActsAs>,
    /// Which field of the trace each parameter takes its value from, if it has another name. `thread` is the operation's
    /// thread and `ret` its result, unless they are among its arguments.
    pub fields: BTreeMap<String, String>,
    /// For parameters that an operation may leave out: what they are then, as TLA+.
    pub default: BTreeMap<String, String>,
    /// Fields that nothing has to read; `ret` for a result that stands apart.
    pub ignore_fields: Vec<String>,
    /// For parameters: what stands in the trace (as JSON) and the TLA+ expression that it means.
    pub codes: BTreeMap<String, BTreeMap<String, String>>,
    /// Must hold before: a formula over the variables, the parameters, `thread` and `meta`.
    pub requires: Option<String>,
    /// Must hold of the step: the same, with primes.
    pub ensures: Option<String>,
    /// What it means that the operation was aborted: an action over the parameters, `thread` and `meta`. Default: nothing
    /// happened.
    pub aborted: Option<String>,
    /// For parameters that an operation has no value for: the set that the value is in.
    pub unknown: BTreeMap<String, String>,
    /// How often `X_Step` may happen before `X_Done`, at most; how many steps of a run may come before its last one.
    pub steps: Option<u32>,
    /// Leave it out.
    pub ignore: bool,
}

/// What it means that a thread ends: actions over `thread` and `meta`. Default: nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadEndLink {
    /// It returned: the record `__TerminateThread` of a log.
    pub terminated: Option<String>,
    /// It died: the record `__AbortThread`.
    pub aborted: Option<String>,
}

impl ThreadEndLink {
    /// The records of a log that mean something: their names, and the actions that they are.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let entries = [(TERMINATED, &self.terminated), (ABORTED, &self.aborted)];
        entries
            .into_iter()
            .filter_map(|(name, action)| Some((name, action.as_deref()?)))
    }
}

/// The record of a thread that returned.
pub(crate) const TERMINATED: &str = "__TerminateThread";
/// The record of a thread that died.
pub(crate) const ABORTED: &str = "__AbortThread";

/// An action that may happen unseen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenLink {
    /// The action: a TLA+ formula.
    pub action: Option<String>,
    /// In its place, a label of a PlusCal algorithm: its step, by any process.
    pub label: Option<String>,
    /// How often it may happen between two operations, at most.
    pub bound: u32,
}

impl HiddenLink {
    /// Whether an action or a label of this name is a part of it.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        let words = self.action.as_deref().map(identifiers).unwrap_or_default();
        words.contains(name) || self.names(name)
    }

    /// Whether it is an action or a label of this name.
    pub fn names(&self, name: &str) -> bool {
        [&self.action, &self.label]
            .into_iter()
            .flatten()
            .any(|given| given == name)
    }
}

impl LinkFile {
    /// Reads a link file.
    ///
    /// # Errors
    /// When it cannot be read, or is not what a link file looks like.
    pub fn read(path: &Path) -> Result<Self, LinkError> {
        let error = |message: String| LinkError::File {
            path: path.display().to_string(),
            message,
        };
        let text = std::fs::read_to_string(path).map_err(|problem| {
            error(format!(
                "{problem}; `omnilink link init` writes a link file to start from"
            ))
        })?;
        let mut file = Self::parse(&text).map_err(|problem| error(problem.to_string()))?;
        file.path = Some(path.display().to_string());
        let declares = |line: &str| line.trim_start().starts_with("acts-as");
        file.declared_at = text
            .lines()
            .position(declares)
            .map(|line| format!("{}:{}", path.display(), line + 1));
        Ok(file)
    }

    /// The link file of a spec that is named like it and stands next to it, `Spec.toml`; an empty one if there is none.
    ///
    /// # Errors
    /// As [`LinkFile::read`].
    pub fn beside(spec: &Path) -> Result<Self, LinkError> {
        let path = spec.with_extension("toml");
        if path.is_file() {
            Self::read(&path)
        } else {
            Ok(Self::default())
        }
    }

    /// What the text of a link file says.
    ///
    /// # Errors
    /// When it is not what a link file looks like.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        let table = Table::parse(text)?;
        let entries = table.entries();
        table.read(|file| {
            Ok(Self {
                acts_as: file.choice("acts-as", &ActsAs::WORDS)?,
                path: None,
                declared_at: None,
                constants: file.texts_by_name("constants")?,
                collect: file.lists_by_name("collect")?,
                ignore: file.texts("ignore")?,
                ignore_fields: file.texts("ignore_fields")?,
                ops: file.tables_by_name("ops", OpLink::read)?,
                thread_end: file.table("thread_end")?.read(|end| {
                    Ok(ThreadEndLink {
                        terminated: end.text("terminated")?,
                        aborted: end.text("aborted")?,
                    })
                })?,
                hidden: file.tables("hidden", |hidden| {
                    Ok(HiddenLink {
                        action: hidden.text("action")?,
                        label: hidden.text("label")?,
                        bound: hidden.number("bound")?.unwrap_or(1),
                    })
                })?,
                view: file.text("view")?,
                abstraction: file.text("abstraction")?,
                invariants: file.texts("invariants")?,
                tags: file.texts_by_name("tags")?,
                spans: file.texts("spans")?,
                log: file.table("log")?.read(LogLink::read)?,
                entries,
            })
        })
    }
}

impl OpLink {
    fn read(op: &mut Table) -> Result<Self, SettingsError> {
        Ok(Self {
            action: op.text("action")?,
            run: match op.take("run") {
                None => None,
                Some(setting) => Some(match setting.kind {
                    SettingKind::Text(label) => RunLabels::One(label),
                    _ => RunLabels::Several(op.texts_of("run", setting)?),
                }),
            },
            until: op.text("until")?,
            begins: op.text("begins")?,
            acts_as: op.choice("acts-as", &OpActsAs::WORDS)?,
            fields: op.texts_by_name("fields")?,
            default: op.texts_by_name("default")?,
            ignore_fields: op.texts("ignore_fields")?,
            codes: op.by_name("codes", |codes, param, setting| {
                let mut codes = codes.table_of(param, setting)?;
                codes.all_texts()
            })?,
            requires: op.text("requires")?,
            ensures: op.text("ensures")?,
            aborted: op.text("aborted")?,
            unknown: op.texts_by_name("unknown")?,
            steps: op.number("steps")?,
            ignore: op.flag("ignore")?,
        })
    }
}
