//! Why a checkpoint cannot be written or read.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a checkpoint cannot be written or read.
#[derive(Debug, Error)]
#[error("{}: {reason}", path.display())]
pub struct CheckpointError {
    pub(crate) path: PathBuf,
    pub(crate) reason: CheckpointProblem,
}

/// What is wrong with it.
#[derive(Debug, Error)]
pub(crate) enum CheckpointProblem {
    #[error("{0}; give a folder that exists and has room")]
    Write(io::Error),
    #[error("there is no checkpoint: {0}; give the folder of a run with --checkpoint that was interrupted")]
    Absent(io::Error),
    #[error("this is no checkpoint of this version of omnilink; start again without --resume")]
    Format,
    #[error("the checkpoint is damaged; start again without --resume")]
    Damaged,
    #[error(
        "the checkpoint is of another specification, configuration or other options; give the same ones, or start again without --resume"
    )]
    Other,
    #[error("another search keeps its checkpoints here; resume it with --resume, or give another folder")]
    Present,
}
