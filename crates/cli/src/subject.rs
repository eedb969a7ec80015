//! What the runs of a campaign are checked against, as arguments: a specification or a model.

use std::path::{Path, PathBuf};

use clap::{Args, Parser};
use omnilink_campaign::CampaignRecord;
use omnilink_verify::TraceChecker;

use crate::check::Criteria;
use crate::error::CliError;
use crate::linking::{Linking, found_in};

/// What runs are checked against.
#[derive(Clone, Debug, Args)]
pub(crate) struct SubjectArgs {
    /// The specification that runs are checked against: an operation `Name(args)` is its action `Name`
    #[arg(long, value_name = "SPEC.tla", conflicts_with = "model")]
    spec: Option<PathBuf>,
    /// The model that runs are checked against, such as queue:capacity=8; omnilink check --list-models lists them
    #[arg(long, short, value_name = "NAME[:OPT=VAL,…]")]
    model: Option<String>,
    #[command(flatten)]
    linking: Linking,
    #[command(flatten)]
    criteria: Criteria,
    /// A run that is valid without meaning anything is a finding: nothing was placed, or nothing recorded could have been refused
    #[arg(long)]
    strict: bool,
    /// Runs write logs of events and variables: see docs/logs.md. A link file with `[log]` says the same
    #[arg(long, requires = "spec")]
    log: bool,
}

impl SubjectArgs {
    /// The specification or the model, as the store names it.
    pub(crate) fn name(&self) -> Option<String> {
        match (&self.spec, &self.model) {
            (Some(spec), _) => Some(spec.display().to_string()),
            (None, model) => model.clone(),
        }
    }

    /// What belongs to the subject besides its name, as words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = self.linking.words();
        words.extend(self.criteria.level_word());
        words.extend(self.strict.then(|| "--strict".to_owned()));
        words.extend(self.log.then(|| "--log".to_owned()));
        words
    }

    /// These arguments if they name a subject; else that of a campaign with what was given for it, and these on top of it.
    pub(crate) fn or_of(&self, campaign: &CampaignRecord) -> Result<Self, CliError> {
        if self.name().is_some() {
            return Ok(self.clone());
        }
        let earlier = stored(campaign)?;
        let folder = Path::new(&campaign.directory);
        Ok(Self {
            spec: earlier.spec.map(|spec| found_in(&spec, folder)),
            model: earlier.model,
            linking: self.linking.over(&earlier.linking, folder),
            criteria: self.criteria.at_level_of(&earlier.criteria),
            strict: self.strict || earlier.strict,
            log: self.log || earlier.log,
        })
    }

    /// Reads the specification, or finds the model.
    pub(crate) fn checker(&self) -> Result<TraceChecker, CliError> {
        self.criteria.validate(false)?;
        self.linking.needs(self.spec.as_ref())?;
        if !matches!(self.criteria.consistency(), "linearizable" | "sequential") {
            let message = "--consistency is linearizable or sequential for runs; for the other levels export a run and use \
                           omnilink check";
            return Err(CliError::Usage(message.to_owned()));
        }
        let Some(name) = self.name() else {
            let message = "against what? Give --spec SPEC.tla, or --model NAME (omnilink check --list-models lists them)";
            return Err(CliError::Usage(message.to_owned()));
        };
        let options = self.criteria.options();
        Ok(match &self.spec {
            None => TraceChecker::of_model(&name, options)?,
            Some(spec) => {
                TraceChecker::of_spec(spec, self.linking.options(spec)?, options, self.strict, self.log)?
            }
        })
    }
}

/// What a campaign was given: a specification if the subject is a file of TLA+, else a model.
fn stored(campaign: &CampaignRecord) -> Result<SubjectArgs, CliError> {
    #[derive(Debug, Parser)]
    #[command(no_binary_name = true)]
    struct Stored {
        #[command(flatten)]
        subject: SubjectArgs,
    }
    let option = if campaign.subject.ends_with(".tla") {
        "--spec"
    } else {
        "--model"
    };
    let subject = format!("{option}={}", campaign.subject);
    let words = std::iter::once(&subject).chain(&campaign.subject_options);
    let stored = Stored::try_parse_from(words).map_err(|_| {
        CliError::Usage(format!(
            "campaign {} was checked with options that this version does not know: {}; give --spec or --model",
            campaign.id,
            campaign.subject_options.join(" ")
        ))
    })?;
    Ok(stored.subject)
}

/// The arguments of a specification that a campaign was given.
pub(crate) fn stored_linking(campaign: &CampaignRecord) -> Linking {
    stored(campaign)
        .map(|subject| subject.linking)
        .unwrap_or_default()
}
