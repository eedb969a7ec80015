//! More than the evidence has, computed when the reader asks: how everything up to some operation is explained.

use std::path::{Path, PathBuf};

use clap::Args;
use omnilink_campaign::CampaignRecord;
use omnilink_engine::Consistency;
use omnilink_evidence::{Evidence, Subject};
use omnilink_trace::{OpenOptions, Time};
use omnilink_verify::{Recheck, SharedOperations, is_spec};

use crate::error::CliError;
use crate::limits::LimitArgs;
use crate::linking::{Linking, found_in};
use crate::subject::stored_linking;

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

/// A check of a part of a trace, and what belongs to its specification.
#[derive(Clone, Debug)]
pub(super) struct Rechecker {
    recheck: Recheck,
    linking: Linking,
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
            recheck: Recheck {
                trace: trace.to_owned(),
                reading,
                subject: given.or(named)?,
                consistency,
            },
            linking: match campaign {
                Some(campaign) => self.linking.over(&stored_linking(campaign), folder),
                None => self.linking.clone(),
            },
        })
    }
}

impl Rechecker {
    /// Checks everything up to a moment, or all of it. Returns the evidence, and what it is about.
    pub(super) fn up_to(
        &self,
        moment: Option<Time>,
        limits: &LimitArgs,
    ) -> Result<(Evidence, SharedOperations), CliError> {
        let link = self
            .recheck
            .spec()
            .map(|spec| self.linking.options(spec))
            .transpose()?;
        Ok(self.recheck.up_to(moment, link, limits.limits())?)
    }
}
