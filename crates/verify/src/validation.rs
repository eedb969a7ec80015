//! Traces checked against a TLA+ specification.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use omnilink_engine::{Decoded, LimitWatch};
use omnilink_evidence::{Evidence, Unknown, Verdict};
use omnilink_link::{CollectedConstants, LinkOptions, Linked, TlaModel};
use omnilink_memory::peak_bytes;
use omnilink_tla::deep_stack;
use omnilink_trace::Operation;

use crate::check_run::{CheckRequest, check_observed, evidence_of};
use crate::error::VerifyError;
use crate::findings::Findings;
use crate::input::Input;
use crate::limits::{after_reading, limit_instead_of_error};
use crate::linked_specs::LinkedSpecs;
use crate::mutation::Mutation;
use crate::progress::ProgressCounter;
use crate::unlike_values::{number_or_text, text_or_model_value};

/// How much `valid` must mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scrutiny {
    /// Whether `valid` is an error where it means nothing: nothing was placed, or nothing recorded could have been refused.
    pub is_strict: bool,
    /// Whether to change a valid trace on purpose, and count the changes that the spec notices.
    pub mutation: Option<Mutation>,
}

/// A specification to check traces against.
#[derive(Debug)]
pub struct Validation {
    spec: PathBuf,
    options: LinkOptions,
    collection: CollectedConstants,
    linked: LinkedSpecs,
    scrutiny: Scrutiny,
    request: CheckRequest,
}

impl Validation {
    /// Reads the specification; what `collection` says is taken from each trace.
    ///
    /// # Errors
    /// If the specification cannot be read or linked.
    pub fn new(
        spec: &Path,
        options: LinkOptions,
        collection: CollectedConstants,
        request: CheckRequest,
    ) -> Result<Self, VerifyError> {
        let linked = LinkedSpecs::default();
        // Without anything to collect, one reading of the spec serves all traces, and what is wrong with it is said at once.
        if collection.is_empty() {
            linked.get(spec, &options)?;
        }
        Ok(Self {
            spec: spec.to_owned(),
            options,
            collection,
            linked,
            scrutiny: Scrutiny::default(),
            request,
        })
    }

    /// Demands more of `valid`.
    #[must_use]
    pub fn with_scrutiny(self, scrutiny: Scrutiny) -> Self {
        Self { scrutiny, ..self }
    }

    /// Checks one trace. Whatever goes wrong is part of the report.
    pub fn check(&self, input: &Input, progress: &ProgressCounter) -> Evidence {
        let started = Instant::now();
        let work = self.request.options.limits.begin();
        // Reading the spec and evaluating it both need a deep stack: one for both.
        let mut report = deep_stack::run(|| self.try_report(input, progress))
            .unwrap_or_else(|error| failed(input, &self.request, &error));
        limit_instead_of_error(&mut report, &work);
        report.figures.seconds = started.elapsed().as_secs_f64();
        report
    }

    fn try_report(&self, input: &Input, progress: &ProgressCounter) -> Result<Evidence, VerifyError> {
        let started = Instant::now();
        let mut notes = Vec::new();
        let linked = if self.collection.is_empty() {
            self.linked.get(&self.spec, &self.options)?
        } else {
            let mut watch = LimitWatch::new(self.request.options.limits);
            let collection = match collect(&self.collection, input, &mut watch) {
                Err(VerifyError::Limit { limit, .. }) => {
                    let mut report = evidence_of(input, &self.request);
                    report.give_up(Unknown::limited(limit));
                    return Ok(report);
                }
                collected => collected?,
            };
            let mut options = self.options.clone();
            (options.collected, notes) = collection.finish();
            self.linked.get(&self.spec, &options)?
        };
        let (mut report, wrong) = self.attempt(&linked, input, started, progress)?;
        if let Some(wrong) = wrong {
            // Steps before the one that was compared may have been wrong, too.
            linked.distrust_code();
            (report, _) = self.attempt(&linked, input, started, progress)?;
            notes.push(format!(
                "warning: compiled code is wrong, which is a mistake of omnilink; please report it. The evaluator alone has given this answer ({wrong})"
            ));
        }
        let stale = linked.stale_translations();
        notes.extend(stale.iter().chain(linked.notes()).cloned());
        notes.append(&mut report.notes);
        notes.extend(number_or_text(input, &report));
        notes.extend(text_or_model_value(input, &report, linked.model_values()));
        report.notes = notes;
        if self.scrutiny.is_strict {
            refuse_if_vacuous(&mut report);
            if let Some(warning) = stale.first()
                && report.verdict == Verdict::Valid
            {
                report.fail(format!("{warning}, which --strict does not accept"));
            }
        }
        Ok(report)
    }

    /// Checks one trace, and says how compiled code was found to be wrong: then the report counts for nothing.
    fn attempt(
        &self,
        linked: &Linked,
        input: &Input,
        started: Instant,
        progress: &ProgressCounter,
    ) -> Result<(Evidence, Option<String>), VerifyError> {
        // Reading the spec and collecting constants have taken their part of the time.
        let mut request = self.request.clone();
        let time = &mut request.options.limits.time;
        *time = time.map(|time| time.saturating_sub(started.elapsed()));
        // The engine looks at the clock between steps; an evaluation that goes on a moment longer is ended in its middle.
        let deadline = time.map(|time| Instant::now() + time + GRACE);
        let checked = linked.run_until(deadline, request.options.limits.interrupt, |model| {
            let findings = Findings::new(model, input);
            let mut report = check_observed(
                model,
                &|op| meaning(model, op),
                input,
                &request,
                progress,
                &|event| findings.take(event),
            );
            let wrong = match model.code_used() {
                (_, Some(difference)) => Some(difference),
                (true, None) if findings.is_contradicted() => report.error.clone(),
                _ => None,
            };
            if wrong.is_none() {
                findings.add_to(&mut report);
                findings.add_writers(&mut report, &request);
                if let Some(mutation) = self.scrutiny.mutation {
                    findings.add_mutation(&mut report, mutation, request.options);
                }
            }
            (report, wrong)
        });
        checked.map_err(VerifyError::from)
    }
}

/// Where answers must mean something, one that means nothing is an error.
pub(crate) fn refuse_if_vacuous(report: &mut Evidence) {
    let reasons = report.vacuity.iter().flatten();
    let serious: Vec<&str> = reasons
        .filter(|reason| reason.is_serious)
        .map(|reason| reason.message.as_str())
        .collect();
    if report.verdict == Verdict::Valid && !serious.is_empty() {
        report.fail(format!(
            "{}: it is explained, but that means nothing, which --strict does not accept: {}",
            report.input,
            serious.join("; ")
        ));
    }
}

/// How much longer than the time limit an evaluation may take.
const GRACE: Duration = Duration::from_millis(20);

/// Collects constants from an input.
///
/// # Errors
/// If the input cannot be read, or a limit is reached.
pub fn collect(
    what: &CollectedConstants,
    input: &Input,
    watch: &mut LimitWatch,
) -> Result<CollectedConstants, VerifyError> {
    let watch = std::cell::RefCell::new(watch);
    input.gather(|mut trace| {
        let mut collection = what.clone();
        let mut operations = 0;
        while let Some(operation) = trace.next_shared() {
            let read = operation.map(|operation| collection.observe(&operation));
            after_reading(read, &mut operations, &mut watch.borrow_mut())?;
        }
        Ok(collection)
    })
}

pub(crate) fn meaning(
    model: &TlaModel<'_>,
    operation: &Operation,
) -> Result<Decoded<omnilink_link::Instance>, VerifyError> {
    Ok(model.bind(operation)?)
}

fn failed(input: &Input, request: &CheckRequest, error: &VerifyError) -> Evidence {
    let mut report = evidence_of(input, request);
    report.fail(error.to_string());
    report.figures.peak_bytes = peak_bytes();
    report
}
