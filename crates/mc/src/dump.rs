//! Dump of the state graph: NDJSON, or DOT for Graphviz.

use std::io::{self, Read, Write};

use omnilink_value::Value;
use serde_json::json;

use crate::fingerprint::Fingerprint;

/// Receiver of the state graph while it is explored. Each state comes before the steps from it.
pub trait GraphSink: Send {
    /// A new state of this level.
    fn state(&mut self, fingerprint: Fingerprint, values: &[Value], level: u32) -> io::Result<()>;

    /// Takes a new state by the encoding of its values. Returns whether it did; if not, it is given the values.
    fn encoded_state(&mut self, fingerprint: Fingerprint, encoded: &[u8], level: u32) -> io::Result<bool> {
        let _ = (fingerprint, encoded, level);
        Ok(false)
    }

    /// A step of an action. Its target may come later.
    fn step(&mut self, from: Fingerprint, to: Fingerprint, action: usize) -> io::Result<()>;

    /// Forgets what it received, as the search starts again.
    ///
    /// # Errors
    /// If that is written already.
    fn start_again(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Whether a breadth-first search must pause and call [`Self::paused`]. Asked after each segment.
    fn wants_pause(&self) -> bool {
        false
    }

    /// Looks at what has been explored so far. Returns whether the search can end.
    fn paused(&mut self) -> bool {
        false
    }

    /// Writes what it received to a checkpoint, if a resumed search needs it.
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }

    /// Reads what [`Self::save`] wrote.
    fn restore(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let _ = input;
        Ok(())
    }
}

/// File format of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpFormat {
    /// `{"state":…}` and `{"from":…,"to":…}` lines.
    Ndjson,
    /// For Graphviz.
    Dot,
}

/// Writes the state graph.
#[derive(Debug)]
pub struct Dump<W> {
    out: W,
    format: DumpFormat,
    variables: Vec<String>,
    actions: Vec<String>,
}

impl<W: Write + Send> Dump<W> {
    /// Starts a dump.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn new(
        mut out: W,
        format: DumpFormat,
        variables: Vec<String>,
        actions: Vec<String>,
    ) -> io::Result<Self> {
        if format == DumpFormat::Dot {
            writeln!(out, "digraph states {{\n  node [shape=box, fontname=monospace];")?;
        }
        Ok(Self {
            out,
            format,
            variables,
            actions,
        })
    }

    /// Finishes the dump and returns the output.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.format == DumpFormat::Dot {
            writeln!(self.out, "}}")?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

impl<W: Write + Send> GraphSink for Dump<W> {
    fn state(&mut self, fingerprint: Fingerprint, values: &[Value], level: u32) -> io::Result<()> {
        let named = self.variables.iter().zip(values);
        match self.format {
            DumpFormat::Ndjson => {
                let values: serde_json::Map<String, serde_json::Value> =
                    named.map(|(name, value)| (name.clone(), json!(value))).collect();
                let state = json!({"state": fingerprint.to_string(), "level": level, "values": values});
                writeln!(self.out, "{state}")
            }
            DumpFormat::Dot => {
                // `\l` ends a left-aligned line.
                let lines: String = named
                    .map(|(name, value)| escaped(&format!("{name} = {value}")) + "\\l")
                    .collect();
                let style = if level == 1 { ", style=bold" } else { "" };
                writeln!(self.out, "  \"{fingerprint}\" [label=\"{lines}\"{style}];")
            }
        }
    }

    fn step(&mut self, from: Fingerprint, to: Fingerprint, action: usize) -> io::Result<()> {
        let action = self.actions.get(action).map_or("", String::as_str);
        match self.format {
            DumpFormat::Ndjson => {
                let step = json!({"from": from.to_string(), "to": to.to_string(), "action": action});
                writeln!(self.out, "{step}")
            }
            DumpFormat::Dot => writeln!(
                self.out,
                "  \"{from}\" -> \"{to}\" [label=\"{}\"];",
                escaped(action)
            ),
        }
    }
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dumped(format: DumpFormat) -> String {
        let variables = vec!["x".to_owned()];
        let dump = Dump::new(Vec::new(), format, variables, vec!["Next".to_owned()]);
        let (one, two) = (Fingerprint::new(1 << 40), Fingerprint::new(2 << 40));
        let written = dump.and_then(|mut dump| {
            dump.state(one, &["a\"b".into()], 1)?;
            dump.state(two, &[2.into()], 2)?;
            dump.step(one, two, 0)?;
            dump.finish()
        });
        String::from_utf8(written.unwrap_or_default()).unwrap_or_default()
    }

    #[test]
    fn a_line_of_json_for_each_state_and_step() {
        assert_eq!(
            dumped(DumpFormat::Ndjson),
            "{\"level\":1,\"state\":\"0000010000000000\",\"values\":{\"x\":\"a\\\"b\"}}\n\
             {\"level\":2,\"state\":\"0000020000000000\",\"values\":{\"x\":2}}\n\
             {\"action\":\"Next\",\"from\":\"0000010000000000\",\"to\":\"0000020000000000\"}\n"
        );
    }

    #[test]
    fn a_graph_that_graphviz_reads() {
        assert_eq!(
            dumped(DumpFormat::Dot),
            "digraph states {\n  node [shape=box, fontname=monospace];\n\
             \x20 \"0000010000000000\" [label=\"x = \\\"a\\\\\\\"b\\\"\\l\", style=bold];\n\
             \x20 \"0000020000000000\" [label=\"x = 2\\l\"];\n\
             \x20 \"0000010000000000\" -> \"0000020000000000\" [label=\"Next\"];\n}\n"
        );
    }
}
