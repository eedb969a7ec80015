//! Several inputs, several at a time, answers in the order in which they were asked for.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use omnilink_models::{Shipped, Visitor};
use omnilink_report::{Answer, Judgement, Look, Report};

use super::keyed::{self, KeyedArg};
use super::session::Request;
use crate::error::CliError;
use crate::exit::Exit;
use crate::input::Input;
use crate::new_file::NewFile;
use crate::output::{self, Output};
use crate::progress::Progress;

/// Checks all inputs with whatever model there is.
pub(crate) struct RunAll<'a> {
    pub(crate) request: &'a Request,
    pub(crate) inputs: &'a [Input],
    pub(crate) jobs: usize,
    /// Whether values are pairs of a key and a value, if the user says.
    pub(crate) keyed: Option<KeyedArg>,
    pub(crate) is_json: bool,
    pub(crate) evidence: Option<&'a Path>,
    pub(crate) look: &'a Look,
    pub(crate) out: &'a mut Output,
}

impl Visitor for RunAll<'_> {
    type Output = Result<Exit, CliError>;

    fn visit<M: Shipped>(self, model: M) -> Result<Exit, CliError> {
        let (request, keyed) = (self.request, self.keyed);
        self.run(&|input, progress| keyed::check(&model, keyed, input, request, progress))
    }
}

impl RunAll<'_> {
    /// Checks all inputs, each by `check`.
    pub(crate) fn run(
        mut self,
        check: &(dyn Fn(&Input, &Progress) -> Report + Sync),
    ) -> Result<Exit, CliError> {
        let mut evidence = self.evidence.map(Evidence::create).transpose()?;
        let title = match self.inputs {
            [input] => input.name.clone(),
            inputs => format!("{} traces", inputs.len()),
        };
        let progress = Progress::start(&title);
        let next = AtomicUsize::new(0);
        let inputs = self.inputs;
        let mut worst = Exit::Valid;
        let work = |sender: Sender<(usize, Report)>| {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(input) = inputs.get(index) else { break };
                let report = check(input, &progress);
                // The memory of the only one goes back with that of the process.
                if inputs.len() > 1 {
                    input.forget();
                }
                if sender.send((index, report)).is_err() {
                    break;
                }
            }
        };
        std::thread::scope(|scope| {
            let (sender, reports) = channel();
            match inputs {
                // Nothing goes on beside it: a thread of its own would only cost time.
                [_] => work(sender),
                _ => {
                    for _ in 0..self.jobs.min(inputs.len()) {
                        let (sender, work) = (sender.clone(), &work);
                        scope.spawn(move || work(sender));
                    }
                    drop(sender);
                }
            }
            let mut early: BTreeMap<usize, Report> = BTreeMap::new();
            let mut wanted = 0;
            for (index, report) in reports {
                early.insert(index, report);
                while let Some(report) = early.remove(&wanted) {
                    worst = worst.max(Exit::of(report.judgement()));
                    if let Some(evidence) = &mut evidence {
                        evidence.add(&report);
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

    fn tell(&mut self, report: &Report) -> Result<(), CliError> {
        if let Answer::Failed { message, .. } = &report.answer {
            output::error(message);
        }
        if self.is_json {
            return self.out.print(&format!("{}\n", report.to_json()));
        }
        for note in &report.notes {
            output::note(note);
        }
        match report.judgement() {
            Judgement::Error => Ok(()),
            _ => self.out.print(&report.to_text(self.look)),
        }
    }
}

/// The file of `--evidence`, written when all of it is known.
struct Evidence<'a> {
    file: NewFile<'a>,
    lines: String,
}

impl<'a> Evidence<'a> {
    fn create(path: &'a Path) -> Result<Self, CliError> {
        Ok(Self {
            file: NewFile::check(path)?,
            lines: String::new(),
        })
    }

    fn add(&mut self, report: &Report) {
        self.lines.push_str(&report.to_json());
        self.lines.push('\n');
    }

    fn finish(self) -> Result<(), CliError> {
        self.file.write(self.lines.as_bytes())
    }
}
