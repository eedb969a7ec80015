//! Checks the traces of runs against a specification or a model.

use std::path::{Path, PathBuf};

use omnilink_engine::{Interrupt, Options};
use omnilink_evidence::{CheckedTrace, Command, Evidence, Verdict};
use omnilink_link::{CollectedConstants, LinkFile, LinkOptions, LogLink};
use omnilink_log_link::is_log;
use omnilink_trace::OpenOptions;

use crate::check_run::CheckRequest;
use crate::detail::Detail;
use crate::error::VerifyError;
use crate::exercise::Exercise;
use crate::input::Input;
use crate::keyed::Keyed;
use crate::log_validation::LogValidation;
use crate::model_check::ModelCheck;
use crate::progress::ProgressCounter;
use crate::validation::{Scrutiny, Validation};

/// Checks traces of runs against a specification or a model.
#[derive(Debug)]
pub struct TraceChecker {
    subject: RunSubject,
    interrupt: Option<Interrupt>,
}

/// What the runs of a campaign are checked against.
#[derive(Debug)]
enum RunSubject {
    Spec {
        validation: Box<Validation>,
        reading: OpenOptions,
        end: Option<&'static str>,
    },
    Log(Box<LogValidation>),
    Model(ModelCheck),
}

impl TraceChecker {
    /// Against a model, such as `queue:capacity=8`.
    ///
    /// # Errors
    /// If there is no such model.
    pub fn of_model(name: &str, options: Options) -> Result<Self, VerifyError> {
        let interrupt = options.limits.interrupt;
        let model = ModelCheck::new(name, Keyed::ByContent, request(name, options))?;
        Ok(Self {
            subject: RunSubject::Model(model),
            interrupt,
        })
    }

    /// Against a specification. Runs write logs if `is_log`, or if the link file says what lines mean. If `is_strict`, a run that is valid
    /// without meaning anything is a finding.
    ///
    /// # Errors
    /// If the specification cannot be linked.
    pub fn of_spec(
        spec: &Path,
        (mut link, collection): (LinkOptions, CollectedConstants),
        options: Options,
        is_strict: bool,
        is_log: bool,
    ) -> Result<Self, VerifyError> {
        // Branches are what a campaign wants to have exercised.
        link.counts_branches = true;
        let interrupt = options.limits.interrupt;
        if is_log || link.file.log != LogLink::default() {
            let Options { limits, naive, .. } = options;
            let logs = LogValidation::new(spec, link, None, limits)?
                .with_strictness(is_strict)
                .with_naive_search(naive);
            return Ok(Self {
                subject: RunSubject::Log(Box::new(logs)),
                interrupt,
            });
        }
        let reading = OpenOptions::new().with_thread_ends(link.file.keeps_thread_ends(spec));
        let request = CheckRequest {
            command: Command::Validate,
            ..request(&spec.display().to_string(), options)
        };
        let scrutiny = Scrutiny {
            is_strict,
            mutation: None,
        };
        Ok(Self {
            subject: RunSubject::Spec {
                validation: Box::new(
                    Validation::new(spec, link, collection, request)?.with_scrutiny(scrutiny),
                ),
                reading,
                end: LinkFile::end_of_trace(spec),
            },
            interrupt,
        })
    }

    /// Checks the trace of a run, or the traces of its objects: the worst of them is the run's.
    pub fn check(&self, trace: &Path) -> CheckedTrace {
        let all = objects(trace).into_iter().map(|object| {
            let mut one = self.check_one(&object);
            let name = object.file_name().unwrap_or_default().to_string_lossy();
            one.headline = one.headline.map(|headline| format!("{name}: {headline}"));
            one
        });
        all.reduce(CheckedTrace::worse)
            .unwrap_or_else(|| self.check_one(trace))
    }

    /// Checks one trace.
    fn check_one(&self, trace: &Path) -> CheckedTrace {
        let options = match &self.subject {
            RunSubject::Spec { .. } if is_log(trace) => {
                let message =
                    "the run wrote a log of events and variables, and no trace of operations: give --log";
                return CheckedTrace::error(message);
            }
            RunSubject::Spec { reading, .. } => reading.clone(),
            RunSubject::Log(logs) => {
                let mut evidence = logs.check(&[trace.to_owned()], &ProgressCounter::default());
                return self.finished(&mut evidence, trace);
            }
            RunSubject::Model(_) => OpenOptions::default(),
        };
        let mut input = match Input::new(trace, options, self.interrupt) {
            Ok(input) => input,
            Err(error) => return CheckedTrace::error(error.to_string()),
        };
        let progress = ProgressCounter::default();
        let mut evidence = match &self.subject {
            RunSubject::Spec { validation, end, .. } => {
                input.end = *end;
                validation.check(&input, &progress)
            }
            RunSubject::Model(model) => model.check(&input, &progress),
            RunSubject::Log(logs) => logs.check(&[trace.to_owned()], &progress),
        };
        let mut checked = self.finished(&mut evidence, trace);
        // A trace that cannot be read to its end is an error already.
        let mut exercise = Exercise::default();
        let mut recorded = 0;
        for operation in input.open().into_iter().flatten().flatten() {
            exercise.observe(&operation);
            recorded += 1;
        }
        // The checker counts what it placed: a step of an operation is one more, and after a violation nothing is placed.
        checked.ops = recorded;
        checked.coverage.extend(exercise.features());
        checked
    }

    /// The answer for a trace, as the store keeps it.
    fn finished(&self, evidence: &mut Evidence, trace: &Path) -> CheckedTrace {
        // The folder is gone when someone reads this.
        evidence.input = "the run's trace".to_owned();
        if let Some(error) = &mut evidence.error {
            *error = error
                .replace(&format!("{}/", trace.display()), "")
                .replace(&trace.display().to_string(), "the trace");
        }
        let folder = format!("{}/", trace.display());
        evidence
            .visit_operations(&mut |op| op.place = op.place.take().map(|place| place.replace(&folder, "")));
        let mut checked = CheckedTrace::of(evidence);
        if evidence.verdict == Verdict::Valid && checked.ops == 0 {
            let message = match &self.subject {
                RunSubject::Log(_) => "the log has no lines: the harness ended before the first",
                _ => {
                    "the trace has no operations: none of the harness is bound, or it ended before the first"
                }
            };
            checked.verdict = Verdict::Error;
            checked.headline = Some(message.to_owned());
        }
        checked
    }
}

/// The traces of several objects: a folder that holds nothing but folders.
fn objects(trace: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(trace).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    if paths.iter().all(|path| path.is_dir()) {
        paths.sort();
        paths
    } else {
        Vec::new()
    }
}

/// What is found is looked at later, when the specification may have changed.
fn request(name: &str, options: Options) -> CheckRequest {
    CheckRequest {
        options,
        detail: Detail::Violations,
        ..CheckRequest::new(name)
    }
}
