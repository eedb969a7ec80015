//! What it takes to make a stored run again, outside of a campaign.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chaos::{Chaos, ChaosError};
use crate::planned_run::PlannedRun;
use crate::store::{CampaignRecord, RunRecord};

/// The command of a stored run, as it was started.
#[derive(Clone, Debug)]
pub struct Repetition {
    /// The harness.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder in which it is started.
    pub directory: PathBuf,
    /// What it finds in its environment.
    pub environment: BTreeMap<OsString, OsString>,
}

impl Repetition {
    /// The command of a run, which writes its trace into `trace`.
    ///
    /// # Errors
    /// If its chaos cannot be had here.
    pub fn new(campaign: &CampaignRecord, run: &RunRecord, trace: &Path) -> Result<Self, ChaosError> {
        let chaos: Chaos = campaign.chaos.parse()?;
        let directory = PathBuf::from(&campaign.directory);
        let mut command = campaign.command.iter();
        let program = resolve(command.next().map(String::as_str).unwrap_or_default(), &directory);
        chaos.probe(&program)?;
        let plan = PlannedRun {
            number: run.number,
            seed: run.seed,
            choices: run.choices.clone(),
        };
        Ok(Self {
            program,
            arguments: command.cloned().collect(),
            environment: plan.environment(chaos, trace)?,
            directory,
        })
    }

    /// The command, ready to be started.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.directory)
            .envs(&self.environment);
        command
    }
}

/// A program in the folder where it is started, or of the search path.
pub(crate) fn resolve(program: impl AsRef<Path>, directory: &Path) -> PathBuf {
    let path = program.as_ref();
    if path.components().count() > 1 && path.is_relative() {
        directory.join(path)
    } else {
        path.to_owned()
    }
}
