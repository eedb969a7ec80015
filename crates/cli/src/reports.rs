//! Where reports go: printed as text or JSON, and kept for `--evidence`.

use std::num::NonZeroUsize;
use std::path::Path;

use omnilink_evidence::{Evidence, Verdict};
use omnilink_report::{Look, TextOptions, text};
use omnilink_verify::{Input, NewFile, ProgressCounter, check_all};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::progress::ProgressLine;

/// Prints the reports of several inputs.
pub(crate) struct Reports<'a> {
    is_json: bool,
    text_options: TextOptions,
    out: &'a mut Output,
    evidence: Option<EvidenceFile<'a>>,
    worst: Exit,
}

impl<'a> Reports<'a> {
    /// Finds out now whether the file of `--evidence` can be written.
    pub(crate) fn new(
        is_json: bool,
        evidence: Option<&'a Path>,
        look: &Look,
        out: &'a mut Output,
    ) -> Result<Self, CliError> {
        Ok(Self {
            is_json,
            text_options: TextOptions::from(*look),
            out,
            evidence: evidence.map(EvidenceFile::create).transpose()?,
            worst: Exit::Valid,
        })
    }

    /// Also shows how often actions and branches were taken.
    pub(crate) fn with_coverage(mut self, coverage: bool) -> Self {
        self.text_options.coverage = coverage;
        self
    }

    /// Checks all inputs and prints what came of each, in their order.
    pub(crate) fn of(
        mut self,
        inputs: &[Input],
        jobs: NonZeroUsize,
        check: &(dyn Fn(&Input, &ProgressCounter) -> Evidence + Sync),
    ) -> Result<Exit, CliError> {
        let title = match inputs {
            [input] => input.name.clone(),
            inputs => format!("{} traces", inputs.len()),
        };
        let line = ProgressLine::start(&title);
        check_all(inputs, jobs, &|input| check(input, line.progress()), |report| {
            line.suspend(|| self.add(&report))
        })?;
        drop(line);
        if let Some(evidence) = self.evidence {
            evidence.finish()?;
        }
        Ok(self.worst)
    }

    fn add(&mut self, report: &Evidence) -> Result<(), CliError> {
        self.worst = self.worst.max(Exit::of(report.verdict));
        if let Some(evidence) = &mut self.evidence {
            evidence.add(&report.to_json());
        }
        if let Some(error) = &report.error {
            output::error(error);
        }
        if self.is_json {
            return self.out.print(&format!("{}\n", report.to_json()));
        }
        for note in &report.notes {
            output::note(note);
        }
        match report.verdict {
            Verdict::Error => Ok(()),
            _ => self.out.print(&text(report, &self.text_options)),
        }
    }
}

/// The file of `--evidence`, written once all of it is known.
pub(crate) struct EvidenceFile<'a> {
    file: NewFile<'a>,
    lines: String,
}

impl<'a> EvidenceFile<'a> {
    pub(crate) fn create(path: &'a Path) -> Result<Self, CliError> {
        Ok(Self {
            file: NewFile::check(path)?,
            lines: String::new(),
        })
    }

    pub(crate) fn add(&mut self, line: &str) {
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(crate) fn finish(self) -> Result<(), CliError> {
        Ok(self.file.write(self.lines.as_bytes())?)
    }
}
