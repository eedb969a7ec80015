//! Several inputs, several at a time, answers in the order in which they were asked for.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use omnilink_models::{Shipped, Visitor};
use omnilink_report::{Look, Report};
use tempfile::NamedTempFile;

use super::session::{Request, check_input};
use crate::error::CliError;
use crate::exit::Exit;
use crate::input::Input;
use crate::output::{self, Output};
use crate::progress::Progress;

/// Checks all inputs with whatever model there is.
pub(super) struct RunAll<'a> {
    pub(super) request: &'a Request,
    pub(super) inputs: &'a [Input],
    pub(super) jobs: usize,
    pub(super) is_json: bool,
    pub(super) evidence: Option<&'a Path>,
    pub(super) look: &'a Look,
    pub(super) out: &'a mut Output,
}

impl Visitor for RunAll<'_> {
    type Output = Result<Exit, CliError>;

    fn visit<M: Shipped>(mut self, model: M) -> Result<Exit, CliError> {
        let mut evidence = self.evidence.map(Evidence::create).transpose()?;
        let title = match self.inputs {
            [input] => input.name.clone(),
            inputs => format!("{} traces", inputs.len()),
        };
        let progress = Progress::start(&title);
        let next = AtomicUsize::new(0);
        let (inputs, request) = (self.inputs, self.request);
        let mut worst = Exit::Valid;
        std::thread::scope(|scope| {
            let (sender, reports) = channel();
            for _ in 0..self.jobs.min(inputs.len()) {
                let (sender, next, model, progress) = (sender.clone(), &next, &model, &progress);
                scope.spawn(move || {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(input) = inputs.get(index) else { break };
                        if sender
                            .send((index, check_input(model, input, request, progress)))
                            .is_err()
                        {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut early: BTreeMap<usize, Report> = BTreeMap::new();
            let mut wanted = 0;
            for (index, report) in reports {
                early.insert(index, report);
                while let Some(report) = early.remove(&wanted) {
                    worst = worst.max(Exit::of_verdict(report.verdict()));
                    if let Some(evidence) = &mut evidence {
                        evidence.add(&report)?;
                    }
                    progress.suspend(|| self.tell(&report))?;
                    wanted += 1;
                }
            }
            Ok::<(), CliError>(())
        })?;
        if let Some(evidence) = evidence {
            evidence.finish()?;
        }
        Ok(worst)
    }
}

impl RunAll<'_> {
    fn tell(&mut self, report: &Report) -> Result<(), CliError> {
        if let omnilink_report::Answer::Failed { message, .. } = &report.answer {
            output::error(message);
        }
        if self.is_json {
            return self.out.print(&format!("{}\n", report.to_json()));
        }
        for note in &report.notes {
            output::note(note);
        }
        match report.verdict() {
            "error" => Ok(()),
            _ => self.out.print(&report.to_text(self.look)),
        }
    }
}

/// The file of `--evidence`: there when all of it is, and not before.
struct Evidence<'a> {
    path: &'a Path,
    file: NamedTempFile<File>,
}

impl<'a> Evidence<'a> {
    fn create(path: &'a Path) -> Result<Self, CliError> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let file = NamedTempFile::new_in(folder).map_err(|error| CliError::Write {
            path: path.to_owned(),
            error,
        })?;
        Ok(Self { path, file })
    }

    fn add(&mut self, report: &Report) -> Result<(), CliError> {
        writeln!(self.file, "{}", report.to_json()).map_err(|error| CliError::Write {
            path: self.path.to_owned(),
            error,
        })
    }

    fn finish(self) -> Result<(), CliError> {
        let path = self.path.to_owned();
        match self.file.persist(&path) {
            Ok(_) => Ok(()),
            Err(error) => Err(CliError::Write {
                path,
                error: error.error,
            }),
        }
    }
}
