//! A part of a trace, checked again: how everything up to some operation is explained.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omnilink_engine::{Consistency, Limits, Options};
use omnilink_evidence::{Command, Evidence};
use omnilink_link::{CollectedConstants, LinkFile, LinkOptions};
use omnilink_sorting::sort_by_key;
use omnilink_trace::{OpenOptions, Operation, Time, Timebox};

use crate::check_run::CheckRequest;
use crate::detail::Detail;
use crate::error::VerifyError;
use crate::input::Input;
use crate::keyed::Keyed;
use crate::model_check::ModelCheck;
use crate::progress::ProgressCounter;
use crate::validation::Validation;

/// The operations of a trace, in the order of their starts.
pub type SharedOperations = Arc<[Arc<Operation>]>;

/// What is needed to check a part of a trace again.
#[derive(Clone, Debug)]
pub struct Recheck {
    /// The trace.
    pub trace: PathBuf,
    /// How it is read.
    pub reading: OpenOptions,
    /// The specification or the model.
    pub subject: String,
    /// The level.
    pub consistency: Consistency,
}

impl Recheck {
    /// The specification, unless the subject is a model.
    pub fn spec(&self) -> Option<&Path> {
        is_spec(&self.subject).then(|| Path::new(&self.subject))
    }

    /// Checks everything up to a moment, or all of it. Returns the evidence, and what it is about. `link` is what belongs to the
    /// [`spec`](Self::spec).
    ///
    /// At a moment, what was called and had not returned by then is pending: what came of it was not known yet.
    ///
    /// # Errors
    /// If the trace cannot be read, or the subject is none.
    pub fn up_to(
        &self,
        moment: Option<Time>,
        link: Option<(LinkOptions, CollectedConstants)>,
        limits: Limits,
    ) -> Result<(Evidence, SharedOperations), VerifyError> {
        let link = self
            .spec()
            .zip(link)
            .map(|(spec, (options, collection))| (spec, options, collection));
        let mut reading = self.reading.clone();
        if let Some((spec, options, _)) = &link {
            reading = reading.with_thread_ends(options.file.keeps_thread_ends(spec));
        }
        let input = Input::new(&self.trace, reading, limits.interrupt)?;
        let mut trace = input.open_once()?;
        let mut operations: Vec<Arc<Operation>> = Vec::new();
        for operation in trace.by_ref() {
            let operation = operation?;
            operations.extend(
                match moment {
                    Some(moment) => cut_at(operation, moment),
                    None => Some(operation),
                }
                .map(Arc::new),
            );
        }
        let format = trace.format();
        sort_by_key(&mut operations, |operation| operation.timebox.start);
        let operations: SharedOperations = operations.into();
        let mut input = Input::of_operations(input.name.clone(), Arc::clone(&operations), format);
        let request = CheckRequest {
            detail: Detail::WitnessEnd,
            options: Options {
                consistency: self.consistency,
                limits,
                ..Options::default()
            },
            ..CheckRequest::new(&self.subject)
        };
        let progress = ProgressCounter::default();
        let Some((spec, options, collection)) = link else {
            let model = ModelCheck::new(&self.subject, Keyed::ByContent, request)?;
            return Ok((model.check(&input, &progress), operations));
        };
        if moment.is_none() {
            input.end = LinkFile::end_of_trace(spec);
        }
        let request = CheckRequest {
            command: Command::Validate,
            ..request
        };
        let validation = Validation::new(spec, options, collection, request)?;
        Ok((validation.check(&input, &progress), operations))
    }
}

/// Whether a subject is a specification; else it is a model.
pub fn is_spec(subject: &str) -> bool {
    subject.ends_with(".tla")
}

/// An operation as it was known at a moment; `None` if it was called later.
fn cut_at(mut operation: Operation, moment: Time) -> Option<Operation> {
    if operation.timebox.start > moment {
        return None;
    }
    if operation.timebox.end.is_some_and(|end| end > moment) {
        operation.timebox = Timebox {
            end: None,
            ..operation.timebox
        };
        if operation.call.ret.is_some() || operation.call.aborted {
            let call = Arc::make_mut(&mut operation.call);
            call.ret = None;
            call.aborted = false;
        }
    }
    Some(operation)
}

#[cfg(test)]
mod tests {
    use omnilink_trace::Args;

    use super::*;

    #[test]
    fn what_had_not_returned_is_pending_and_what_came_later_is_not_there() {
        let call = |start, end| {
            let op = Operation::new("a", "read", Args::positional([]), Timebox::new(start, end));
            op.returning(7)
        };
        assert_eq!(cut_at(call(3, 5), 5), Some(call(3, 5)));
        let open = cut_at(call(5, 9), 5).expect("it had been called");
        assert_eq!((open.timebox.end, open.call.ret.clone()), (None, None));
        assert_eq!(cut_at(call(6, 9), 5), None);
    }
}
