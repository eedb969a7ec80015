//! Factories of judges: each worker judges histories with a model of its own.

use std::fmt::Display;
use std::time::Duration;

use omnilink_consistency::{Guarantee, RecordedHistory, WeakChecker, WeakOptions, check_recorded};
use omnilink_engine::Limits;
use omnilink_evidence::Evidence;
use omnilink_isolation::{InitialValues, TransactionOptions};

use super::IsolationTask;
use super::transaction_history::TransactionHistory;
use crate::error::VerifyError;
use crate::subject::{NamedModel, NativeSubject};

/// Judges one history, given how long reading it took.
pub(crate) type Judge<'a, H = RecordedHistory> = dyn FnMut(H, Duration) -> Result<Evidence, VerifyError> + 'a;

/// The limits, less the time that has passed.
fn less(limits: Limits, passed: Duration) -> Limits {
    Limits {
        time: limits.time.map(|time| time.saturating_sub(passed)),
        ..limits
    }
}

/// Makes a judge for each worker.
pub(crate) trait JudgeFactory<H = RecordedHistory>: Sync {
    /// Runs `work` with a judge.
    fn with_judge(&self, work: &mut (dyn FnMut(&mut Judge<'_, H>) + Send)) -> Result<(), VerifyError>;
}

/// Judges of transactions.
pub(crate) struct IsolationJudges {
    pub(crate) task: IsolationTask,
    pub(crate) limits: Limits,
    pub(crate) initial: InitialValues,
}

impl<'i> JudgeFactory<TransactionHistory<'i>> for IsolationJudges {
    fn with_judge(
        &self,
        work: &mut (dyn FnMut(&mut Judge<'_, TransactionHistory<'i>>) + Send),
    ) -> Result<(), VerifyError> {
        work(&mut |history, reading| {
            let options = TransactionOptions {
                limits: less(self.limits, reading),
                initial: self.initial.clone(),
            };
            let _limits = options.limits.begin();
            history.judge(self.task, options)
        });
        Ok(())
    }
}

/// Judges by a shipped model.
pub(crate) struct ModelJudges {
    pub(crate) subject: NativeSubject,
    pub(crate) question: Guarantee,
    pub(crate) options: WeakOptions,
}

impl JudgeFactory for ModelJudges {
    fn with_judge(&self, work: &mut (dyn FnMut(&mut Judge<'_>) + Send)) -> Result<(), VerifyError> {
        judge_by(&self.subject, &self.question, &self.options, work);
        Ok(())
    }
}

pub(crate) fn judge_by<S: NamedModel>(
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
        let _limits = options.limits.begin();
        check_recorded(&mut checker, &recorded, subject, &methods, question, &options).map_err(weak_error)
    });
}

pub(crate) fn weak_error(error: impl Display) -> VerifyError {
    VerifyError::Usage(error.to_string())
}
