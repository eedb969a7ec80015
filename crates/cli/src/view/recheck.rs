//! More than the evidence has, computed when the reader asks: how everything up to some operation is explained.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use omnilink_campaign::CampaignRecord;
use omnilink_engine::{Consistency, Options};
use omnilink_evidence::{Command, Evidence, Subject};
use omnilink_link::LinkFile;
use omnilink_trace::{OpenOptions, Operation, Time, Timebox};
use omnilink_verify::{CheckRequest, Detail, Input, Keyed, ModelCheck, ProgressCounter, Validation};

use crate::error::CliError;
use crate::interrupt;
use crate::limits::LimitArgs;
use crate::linking::{Linking, found_in};
use crate::subject::stored_linking;

/// The operations of a trace, in the order of their starts.
pub(super) type SharedOperations = Arc<[Arc<Operation>]>;

/// What a trace was checked against.
#[derive(Debug, Args)]
pub(super) struct RecheckArgs {
    /// The specification that the trace was checked against, to compute more; as the evidence says if not given
    #[arg(long, value_name = "SPEC.tla", conflicts_with = "model", help_heading = HEADING)]
    spec: Option<PathBuf>,
    /// The model that the trace was checked against
    #[arg(long, short, value_name = "NAME[:OPT=VAL,…]", help_heading = HEADING)]
    model: Option<String>,
    #[command(flatten, next_help_heading = HEADING)]
    linking: Linking,
}

const HEADING: &str = "To compute more: what the trace was checked against";

/// What is needed to check a part of a trace again.
#[derive(Clone, Debug)]
pub(super) struct Rechecker {
    trace: PathBuf,
    reading: OpenOptions,
    subject: String,
    linking: Linking,
    consistency: Consistency,
}

impl RecheckArgs {
    /// What can be checked again, if it is known against what: operations of one trace, linearizable or sequential. A specification
    /// that the evidence names is also looked for in the folder in which the campaign was started, and has the constants that it had there.
    pub(super) fn rechecker(
        &self,
        trace: &Path,
        reading: OpenOptions,
        evidence: Option<&Evidence>,
        campaign: Option<&CampaignRecord>,
    ) -> Option<Rechecker> {
        let folder = campaign.map_or(Path::new("."), |campaign| Path::new(&campaign.directory));
        let given = self.spec.as_ref().map(|spec| spec.display().to_string());
        let given = given.or_else(|| self.model.clone());
        let named = evidence.and_then(|evidence| evidence.model.clone()).map(|name| {
            if is_spec(&name) {
                found_in(Path::new(&name), folder).display().to_string()
            } else {
                name
            }
        });
        let is_log = evidence.is_some_and(|evidence| evidence.log.is_some());
        let is_of_operations =
            evidence.is_none_or(|evidence| evidence.subject == Subject::Operations && evidence.id.is_none());
        let consistency = match evidence.and_then(|evidence| evidence.consistency.as_deref()) {
            None | Some("linearizable") => Consistency::Linearizable,
            Some("sequential") => Consistency::Sequential,
            Some(_) => return None,
        };
        (is_of_operations && !is_log && trace.exists()).then_some(())?;
        Some(Rechecker {
            trace: trace.to_owned(),
            reading,
            subject: given.or(named)?,
            linking: match campaign {
                Some(campaign) => self.linking.over(&stored_linking(campaign), folder),
                None => self.linking.clone(),
            },
            consistency,
        })
    }

    /// Checks everything up to a moment, or all of it. Returns the evidence, and what it is about.
    ///
    /// At a moment, what was called and had not returned by then is pending: what came of it was not known yet.
    pub(super) fn up_to(
        &self,
        rechecker: &Rechecker,
        moment: Option<Time>,
        limits: &LimitArgs,
    ) -> Result<(Evidence, SharedOperations), CliError> {
        let spec = is_spec(&rechecker.subject).then(|| Path::new(&rechecker.subject));
        let linking = spec.map(|spec| rechecker.linking.options(spec)).transpose()?;
        let mut reading = rechecker.reading.clone();
        if let (Some(spec), Some((options, _))) = (spec, &linking) {
            reading = reading.with_thread_ends(options.file.keeps_thread_ends(spec));
        }
        let input = Input::new(&rechecker.trace, reading, Some(interrupt::flag()))?;
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
        operations.sort_by_key(|operation| operation.timebox.start);
        let operations: SharedOperations = operations.into();
        let mut input = Input::of_operations(input.name.clone(), Arc::clone(&operations), format);
        let request = CheckRequest {
            detail: Detail::WitnessEnd,
            options: Options {
                consistency: rechecker.consistency,
                limits: limits.limits(),
                ..Options::default()
            },
            ..CheckRequest::new(&rechecker.subject)
        };
        let progress = ProgressCounter::default();
        let (Some(spec), Some((options, collection))) = (spec, linking) else {
            let model = ModelCheck::new(&rechecker.subject, Keyed::ByContent, request)?;
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
fn is_spec(subject: &str) -> bool {
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
