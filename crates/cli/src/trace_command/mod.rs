//! stub
use crate::{error::CliError, exit::Exit};
#[derive(Debug, clap::Args)]
pub(crate) struct TraceArgs {}
pub(crate) fn run(_: &TraceArgs) -> Result<Exit, CliError> {
    Ok(Exit::Valid)
}
