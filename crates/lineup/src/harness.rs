//! Harnesses: programs that offer components.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use omnilink_sched::SchedError;
use omnilink_sched::build::BuildError;

use crate::description::DescriptionError;

/// A program that offers a component, and how to start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments: a program may offer several components.
    pub arguments: Vec<OsString>,
}

impl From<&Path> for HarnessCommand {
    fn from(program: &Path) -> Self {
        Self {
            program: program.to_owned(),
            arguments: Vec::new(),
        }
    }
}

#[cfg(target_os = "linux")]
impl HarnessCommand {
    pub(crate) fn options(&self) -> omnilink_sched::HarnessOptions {
        omnilink_sched::HarnessOptions {
            arguments: self.arguments.clone(),
            ..omnilink_sched::HarnessOptions::default()
        }
    }
}

/// Why a harness cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// It cannot be started.
    #[error(transparent)]
    Start(#[from] SchedError),
    /// This system does not allow it.
    #[error(transparent)]
    System(#[from] BuildError),
    /// Its description is not valid.
    #[error(transparent)]
    Description(#[from] DescriptionError),
}
