//! A log that is about to be checked.

use std::io::Read;
use std::path::PathBuf;

use omnilink_log_extract::ExtractionCounts;
use omnilink_trace::holds_spans;
use omnilink_value::Value;

use crate::error::LogError;
use crate::log_check::LogCheck;
use crate::raw_line::RawLine;
use crate::read::LineReader;

/// A log that is about to be checked.
pub(crate) enum LogInput {
    /// It is read line by line.
    ByLine(LineReader),
    /// Its lines are in memory, without those of the header: the first ones of the first file.
    Whole {
        lines: Vec<RawLine>,
        header: Vec<Value>,
        extraction: Option<ExtractionCounts>,
    },
}

impl LogInput {
    pub fn header(&self) -> &[Value] {
        match self {
            Self::ByLine(_) => &[],
            Self::Whole { header, .. } => header,
        }
    }

    /// A log that is still being written: it is read line by line.
    pub fn followed(
        check: &LogCheck,
        files: &[PathBuf],
        input: Box<dyn Read + Send>,
    ) -> Result<Self, LogError> {
        let [file] = files else {
            return Err(LogError::Usage(
                "one file can be followed, not several".to_owned(),
            ));
        };
        let reader = match &check.extraction {
            None if file.is_file() && holds_spans(file) => {
                LineReader::of_spans_or_lines(file, &check.options.file.spans)?
            }
            rules => LineReader::new(file, input)?.with_rules(rules.as_ref()),
        };
        Ok(Self::ByLine(reader.following()))
    }

    /// Reads a log into memory; line by line if it is longer than `in_memory_bytes`.
    pub fn read(check: &LogCheck, files: &[PathBuf], in_memory_bytes: Option<u64>) -> Result<Self, LogError> {
        let header = check.options.file.log.header;
        // Where rules say how to read the text, it is not looked at otherwise.
        let open = |file: &PathBuf| match &check.extraction {
            Some(rules) => Ok(LineReader::open(file)?.with_rules(Some(rules))),
            None => LineReader::of_spans_or_lines(file, &check.options.file.spans),
        };
        let [file] = files else {
            return Self::whole(files.iter().map(open), header);
        };
        let mut reader = open(file)?;
        let is_short = match in_memory_bytes {
            Some(bytes) => reader.is_within(bytes)?,
            None => true,
        };
        if is_short {
            Self::whole([Ok(reader)].into_iter(), header)
        } else {
            Ok(Self::ByLine(reader))
        }
    }

    fn whole(
        readers: impl Iterator<Item = Result<LineReader, LogError>>,
        header: usize,
    ) -> Result<Self, LogError> {
        let mut lines = Vec::new();
        let mut first = Vec::new();
        let mut extraction: Option<ExtractionCounts> = None;
        for reader in readers {
            let mut reader = reader?;
            while let Some(line) = reader.next_line()? {
                if first.len() < header {
                    first.push(line.record)
                } else {
                    lines.push(line)
                }
            }
            if let Some(counts) = reader.extraction() {
                extraction.get_or_insert_default().add(counts);
            }
        }
        if first.len() < header {
            return Err(LogError::Usage(format!(
                "the log has {} lines, and the link file says that its first {header} describe the run ([log] header)",
                first.len()
            )));
        }
        Ok(Self::Whole {
            lines,
            header: first,
            extraction,
        })
    }
}

/// What rules have made of lines of text. If that is nothing, they are wrong.
pub(crate) fn extraction_note(counts: ExtractionCounts) -> Result<String, LogError> {
    let ExtractionCounts {
        events,
        skipped,
        others,
        unreadable,
        nulls,
        ..
    } = counts;
    if events == 0 {
        return Err(LogError::Usage(format!(
            "no line is an event by the rules of --extract: {unreadable} have not the format, no rule is about {others}, {skipped} are left \
             out; `omnilink logs extract RULES.toml LOG` shows what they make of a log"
        )));
    }
    let unknown = match nulls {
        0 => String::new(),
        nulls => format!("; {nulls} of their values are taken for unknown ([extract] null)"),
    };
    Ok(format!(
        "{events} lines are events by the rules of --extract; no rule is about {others} others, {skipped} are left out, and {unreadable} have \
         not the format{unknown}"
    ))
}
