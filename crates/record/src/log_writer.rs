//! Logs of events and variables, for checking against a TLA+ specification.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::log_clock::{LogClock, Stamp};
use crate::log_value::{LogValue, write_list, write_text};

/// Writes the log of one node: what happens to variables is collected, and [`log`](Self::log) writes it as one line with the name of
/// the event.
///
/// ```
/// use omnilink_record::{LogClock, LogWriter};
///
/// let folder = std::env::temp_dir().join(format!("omnilink-log-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let mut log = LogWriter::create(&folder.join("tm.ndjson"), "tm", LogClock::lamport())?;
/// log.observe("tmPrepared").add("rm-1");
/// log.log("TMRcvPrepared", ["rm-1"])?;
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<_, std::io::Error>(())
/// ```
///
/// A line is written by one system call, so it is whole or absent if the process dies.
#[derive(Debug)]
pub struct LogWriter {
    file: File,
    node: String,
    clock: LogClock,
    updates: Vec<(String, String)>,
}

impl LogWriter {
    /// Creates the log of a node. An existing file is replaced.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, node: &str, clock: LogClock) -> io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            node: node.to_owned(),
            clock,
            updates: Vec::new(),
        })
    }

    /// Something happens to a variable in the step that is logged next.
    pub fn observe<'l>(&'l mut self, variable: &str) -> VariableChange<'l> {
        VariableChange {
            log: self,
            variable: variable.to_owned(),
            path: Vec::new(),
        }
    }

    /// What to send with a message, so that its receiver's lines come later.
    pub fn stamp(&self) -> Stamp {
        self.clock.stamp()
    }

    /// A message arrived with this stamp.
    pub fn received(&mut self, stamp: &Stamp) {
        self.clock.receive(stamp);
    }

    /// Logs a step: the event with its arguments, and everything observed since the last step.
    ///
    /// # Errors
    /// If the line cannot be written.
    pub fn log<V: Into<LogValue>>(
        &mut self,
        event: &str,
        args: impl IntoIterator<Item = V>,
    ) -> io::Result<()> {
        let args: Vec<LogValue> = args.into_iter().map(Into::into).collect();
        self.write(Some(event), &args)
    }

    /// Logs a step of which only the variables are known.
    ///
    /// # Errors
    /// If the line cannot be written.
    pub fn log_variables(&mut self) -> io::Result<()> {
        self.write(None, &[])
    }

    fn write(&mut self, event: Option<&str>, args: &[LogValue]) -> io::Result<()> {
        self.clock.tick(&self.node);
        let mut line = String::from("{\"node\":");
        write_text(&mut line, &self.node);
        if let Some(reading) = self.clock.reading() {
            line.push_str(&format!(",\"clock\":{reading}"));
        }
        if let Some(event) = event {
            line.push_str(",\"event\":");
            write_text(&mut line, event);
            line.push_str(",\"args\":");
            write_list(&mut line, args);
        }
        if !self.updates.is_empty() {
            line.push_str(",\"vars\":{");
            let updates = std::mem::take(&mut self.updates);
            let mut names: Vec<&str> = updates.iter().map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            for (at, name) in names.into_iter().enumerate() {
                if at > 0 {
                    line.push(',');
                }
                write_text(&mut line, name);
                let own: Vec<&str> = updates
                    .iter()
                    .filter(|(own, _)| own == name)
                    .map(|(_, update)| update.as_str())
                    .collect();
                line.push_str(&format!(":[{}]", own.join(",")));
            }
            line.push('}');
        }
        line.push_str("}\n");
        self.file.write_all(line.as_bytes())
    }
}

/// What happens to a variable, or to a part of it.
#[derive(Debug)]
#[must_use = "say what happened: set, add, remove, append, …"]
pub struct VariableChange<'l> {
    log: &'l mut LogWriter,
    variable: String,
    path: Vec<LogValue>,
}

impl VariableChange<'_> {
    /// Goes to a part: a key of a function, a field of a record, an index of a sequence.
    pub fn at(mut self, key: impl Into<LogValue>) -> Self {
        self.path.push(key.into());
        self
    }

    /// It gets this value.
    pub fn set(self, value: impl Into<LogValue>) {
        self.apply("Update", [value.into()]);
    }

    /// An element is added to the set.
    pub fn add(self, element: impl Into<LogValue>) {
        self.apply("AddElement", [element.into()]);
    }

    /// An element is removed from the set.
    pub fn remove(self, element: impl Into<LogValue>) {
        self.apply("RemoveElement", [element.into()]);
    }

    /// The set becomes empty.
    pub fn clear(self) {
        self.apply("Clear", []);
    }

    /// An element is added to the bag.
    pub fn add_to_bag(self, element: impl Into<LogValue>) {
        self.apply("AddElementToBag", [element.into()]);
    }

    /// An element is removed from the bag.
    pub fn remove_from_bag(self, element: impl Into<LogValue>) {
        self.apply("RemoveElementFromBag", [element.into()]);
    }

    /// An element is appended to the sequence.
    pub fn append(self, element: impl Into<LogValue>) {
        self.apply("AppendElement", [element.into()]);
    }

    /// The sequence keeps only its first elements.
    pub fn truncate(self, length: u32) {
        self.apply("Truncate", [length.into()]);
    }

    /// It gets its initial value.
    pub fn reset(self) {
        self.apply("Init", []);
    }

    /// Any operator of the log format: see `docs/logs.md`.
    pub fn apply(self, operator: &str, args: impl IntoIterator<Item = LogValue>) {
        let mut update = String::from("{\"op\":");
        write_text(&mut update, operator);
        update.push_str(",\"path\":");
        write_list(&mut update, &self.path);
        update.push_str(",\"args\":");
        write_list(&mut update, &args.into_iter().collect::<Vec<_>>());
        update.push('}');
        self.log.updates.push((self.variable, update));
    }
}
