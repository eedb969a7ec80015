//! Judges of histories: by a shipped model, by a specification, or of transactions alone.

use std::time::Duration;

use omnilink_consistency::{
    Guarantee, Isolation, Judgement, RecordedCheckError, RecordedHistory, WeakChecker, WeakOptions,
    check_recorded, check_recorded_transactions,
};
use omnilink_engine::Limits;
use omnilink_link::Linked;
use omnilink_models::Shipped;

use super::subject::{ShippedSubject, SpecSubject, Subject};
use crate::error::CliError;

/// Judges one history, given how much of the time reading it took.
pub(super) type Judge<'a> = dyn FnMut(&RecordedHistory, Duration) -> Result<Judgement, CliError> + 'a;

/// The limits less the time that is gone.
fn less(limits: Limits, gone: Duration) -> Limits {
    Limits {
        time: limits.time.map(|time| time.saturating_sub(gone)),
        ..limits
    }
}

/// Where judges come from, one for each worker.
pub(super) trait Bench: Sync {
    /// Runs `work` with a judge.
    fn with_judge(&self, work: &mut (dyn FnMut(&mut Judge<'_>) + Send)) -> Result<(), CliError>;
}

/// Judges of transactions.
pub(super) struct Isolated {
    pub(super) isolation: Isolation,
    pub(super) limits: Limits,
}

impl Bench for Isolated {
    fn with_judge(&self, work: &mut (dyn FnMut(&mut Judge<'_>) + Send)) -> Result<(), CliError> {
        work(&mut |recorded, reading| {
            check_recorded_transactions(recorded, self.isolation, less(self.limits, reading))
                .map_err(weak_error)
        });
        Ok(())
    }
}

/// Judges by a shipped model.
pub(super) struct ShippedBench<M> {
    pub(super) subject: ShippedSubject<M>,
    pub(super) question: Guarantee,
    pub(super) options: WeakOptions,
}

impl<M: Shipped> Bench for ShippedBench<M> {
    fn with_judge(&self, work: &mut (dyn FnMut(&mut Judge<'_>) + Send)) -> Result<(), CliError> {
        judge_by(&self.subject, &self.question, &self.options, work);
        Ok(())
    }
}

/// Judges by a specification, each with a model of its own.
pub(super) struct SpecBench<'a> {
    pub(super) linked: &'a Linked,
    pub(super) question: Guarantee,
    pub(super) options: WeakOptions,
}

impl Bench for SpecBench<'_> {
    fn with_judge(&self, work: &mut (dyn FnMut(&mut Judge<'_>) + Send)) -> Result<(), CliError> {
        let linked = self.linked;
        let interrupt = self.options.limits.interrupt;
        Ok(linked.run_until(None, interrupt, |model| {
            judge_by(
                &SpecSubject { linked, model },
                &self.question,
                &self.options,
                work,
            );
        })?)
    }
}

fn judge_by<S: Subject>(
    subject: &S,
    question: &Guarantee,
    options: &WeakOptions,
    work: &mut dyn FnMut(&mut Judge<'_>),
) {
    let methods = subject.methods();
    let mut checker = WeakChecker::new(subject.model());
    work(&mut |recorded, reading| {
        let options = WeakOptions {
            limits: less(options.limits, reading),
            ..*options
        };
        check_recorded(&mut checker, recorded, subject, &methods, question, &options).map_err(weak_error)
    });
}

pub(super) fn weak_error(error: RecordedCheckError) -> CliError {
    CliError::Usage(error.to_string())
}
