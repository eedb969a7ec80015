//! `omnilink mcp`: the checks as tools for agents.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use omnilink_mcp::{Confinement, Folders, Most, Settings, end_with_the_server, serve};
use omnilink_memory::default_limit_bytes;

use crate::error::CliError;
use crate::exit::Exit;
use crate::{interrupt, quantity, untrusted};

/// What it is for.
pub(crate) const ABOUT: &str = "Offer the checks as tools to agents, by the Model Context Protocol";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct McpArgs {
    /// The folders that tools may read; relative paths of their arguments begin at the first one
    #[arg(value_name = "FOLDER", default_value = ".")]
    folders: Vec<PathBuf>,
    /// Let specifications write files in these folders
    #[arg(long)]
    allow_write: bool,
    /// Let tools run commands: lineup, which builds and runs code, and IOExec of specifications that ask for it. They are not confined
    #[arg(long)]
    allow_exec: bool,
    /// The most time that a call may ask for; a call that asks for none has 60 s
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "10m")]
    time_limit: Duration,
    /// The most memory that a call may ask for; 4GB, or what is available, if not given
    #[arg(long, value_name = "BYTES", value_parser = quantity::memory)]
    memory_limit: Option<u64>,
    /// Go on where the system cannot keep a process in its folders: only arguments are looked at then
    #[arg(long)]
    unconfined: bool,
}

const EXAMPLES: &str = "\
Examples:
  omnilink mcp                                   tools for this folder
  omnilink mcp specs traces                      for these two
  omnilink mcp . --allow-exec                    lineup, too
  claude mcp add omnilink -- omnilink mcp .      tell a client of it

It speaks over standard input and output, and ends when its client leaves.";

/// The memory of a call where nobody says how much it may be.
const MEMORY_USUAL: u64 = 4_000_000_000;

/// Runs the command.
pub(crate) fn run(args: &McpArgs) -> Result<Exit, CliError> {
    interrupt::listen();
    let available = default_limit_bytes().unwrap_or(MEMORY_USUAL);
    let program = std::env::current_exe()
        .map_err(|error| CliError::Usage(format!("the path of this program is not known: {error}")))?;
    serve(Settings {
        folders: Folders::new(&args.folders).map_err(|error| CliError::Usage(error.to_string()))?,
        may_write: args.allow_write,
        may_execute: args.allow_exec,
        unconfined: args.unconfined,
        most: Most {
            time: args.time_limit,
            memory: args.memory_limit.unwrap_or_else(|| available.min(MEMORY_USUAL)),
        },
        program,
        arguments: Vec::new(),
        is_stopped: interrupt::is_raised,
    })?;
    Ok(Exit::Valid)
}

/// One call of a tool, in a process of its own.
#[derive(Debug, Args)]
pub(crate) struct McpCallArgs {
    /// The folders that it may read
    #[arg(long = "folder")]
    folders: Vec<PathBuf>,
    /// The folder that goes if the server that started this is gone
    #[arg(long)]
    leftover: Option<PathBuf>,
    /// Whether it may write there
    #[arg(long)]
    write: bool,
    /// The folder that it may write; it is not confined without one
    #[arg(long)]
    scratch: Option<PathBuf>,
    /// The command to run
    #[arg(last = true, required = true)]
    words: Vec<String>,
}

/// Prepares this process for the call, and returns the words of its command.
pub(crate) fn begin_call(args: McpCallArgs) -> Result<Vec<String>, CliError> {
    end_with_the_server(args.leftover);
    if let Some(scratch) = args.scratch {
        let confinement = Confinement {
            folders: args.folders,
            may_write: args.write,
            scratch,
            written: Vec::new(),
        };
        confinement.enter()?;
        untrusted::limit_inputs();
    }
    Ok(args.words)
}
