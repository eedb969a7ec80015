//! Why a command could not do what it was asked to do.

use std::io;
use std::path::PathBuf;

use omnilink_campaign::{CampaignError, ChaosError, StoreError};
use omnilink_link::LinkError;
use omnilink_models::ModelSpecError;
use omnilink_record::RecordError;
use omnilink_trace::TraceError;
use omnilink_verify::{McError, VerifyError};
use thiserror::Error;

use crate::exit::Exit;

/// Why a command could not do what it was asked to do. Every message says what to do about it.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// Arguments that make no sense together.
    #[error("{0}")]
    Usage(String),
    /// An input that could not be checked.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// A specification could not be explored.
    #[error(transparent)]
    Explore(#[from] McError),
    /// Recording failed.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A campaign could not go on.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// No harness could be generated.
    #[error(transparent)]
    Gen(#[from] omnilink_gen::GenError),
    /// A file that is to be shown cannot be read.
    #[error("{}: {error}; give evidence, a trace, a store of runs, or the number of a run", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file that is to be replayed is no trace.
    #[error("{}: {error}", path.display())]
    Trace {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: omnilink_mc::TraceFileError,
    },
    /// Rules for a log cannot be used.
    #[error(transparent)]
    Rules(#[from] omnilink_log_extract::RulesError),
    /// A page cannot be served.
    #[error(transparent)]
    Serve(#[from] omnilink_view::ServerError),
    /// Agents cannot be served.
    #[error(transparent)]
    Mcp(#[from] omnilink_mcp::ServeError),
    /// A call of an agent cannot be kept in its folders.
    #[error(transparent)]
    Confinement(#[from] omnilink_mcp::ConfinementError),
    /// Standard output does not take any more.
    #[error("standard output: {0}")]
    Output(io::Error),
}

impl CliError {
    /// A file that is to be shown and cannot be read.
    pub(crate) fn read(path: impl Into<PathBuf>, error: io::Error) -> Self {
        let path = path.into();
        Self::Read { path, error }
    }

    /// A file that cannot be written.
    pub(crate) fn write(path: impl Into<PathBuf>, error: io::Error) -> Self {
        let path = path.into();
        VerifyError::Write { path, error }.into()
    }

    /// How the command ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Verify(VerifyError::Interrupted) => Exit::Interrupted,
            Self::Verify(VerifyError::Limit { .. }) => Exit::Unknown,
            _ => Exit::BadInput,
        }
    }
}

impl From<omnilink_mc::ModelCheckError> for CliError {
    fn from(error: omnilink_mc::ModelCheckError) -> Self {
        McError::from(error).into()
    }
}

impl From<TraceError> for CliError {
    fn from(error: TraceError) -> Self {
        VerifyError::from(error).into()
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        CampaignError::from(error).into()
    }
}

impl From<ChaosError> for CliError {
    fn from(error: ChaosError) -> Self {
        CampaignError::from(error).into()
    }
}

impl From<ModelSpecError> for CliError {
    fn from(error: ModelSpecError) -> Self {
        VerifyError::from(error).into()
    }
}

impl From<LinkError> for CliError {
    fn from(error: LinkError) -> Self {
        VerifyError::from(error).into()
    }
}
