//! stub
use crate::{error::CliError, exit::Exit};
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {}
pub(crate) fn run(_: &DemoArgs) -> Result<Exit, CliError> {
    Ok(Exit::Valid)
}
