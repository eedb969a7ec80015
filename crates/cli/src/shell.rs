//! `omnilink completions` and `omnilink man`: what a shell and a manual reader need, generated from the arguments.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use omnilink_report::Look;

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

pub(crate) const ABOUT_COMPLETIONS: &str = "Print a completion script for a shell";
pub(crate) const ABOUT_MAN: &str = "Print a manual page, or write all of them into a folder";

#[derive(Debug, Args)]
#[command(about = ABOUT_COMPLETIONS, after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  omnilink completions bash > ~/.local/share/bash-completion/completions/omnilink
  omnilink completions zsh > ~/.zfunc/_omnilink
  omnilink completions fish > ~/.config/fish/completions/omnilink.fish";

#[derive(Debug, Args)]
#[command(about = ABOUT_MAN, after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// The command whose page to print, such as `check` or `trace convert`; the page of omnilink itself if not given
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

const MAN_EXAMPLES: &str = "\
Examples:
  omnilink man check | man -l -
  omnilink man -o ~/.local/share/man/man1";

/// Prints the completion script of `command` for a shell.
pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "omnilink", &mut script);
    print(&script)
}

/// Prints the manual page of one command, or writes those of all of them.
pub(crate) fn man(args: &ManArgs, mut command: Command) -> Result<Exit, CliError> {
    if let Some(folder) = &args.output {
        let write_error = |error| CliError::write(folder, error);
        std::fs::create_dir_all(folder).map_err(write_error)?;
        clap_mangen::generate_to(command, folder).map_err(write_error)?;
        return Ok(Exit::Valid);
    }
    command.build();
    for name in &args.command {
        command = command.find_subcommand(name).cloned().ok_or_else(|| {
            CliError::Usage(format!(
                "there is no command {name:?}; `omnilink help` lists them"
            ))
        })?;
    }
    let title = command.get_display_name().unwrap_or("omnilink").to_owned();
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .title(title)
        .render(&mut page)
        .map_err(CliError::Output)?;
    print(&page)
}

fn print(bytes: &[u8]) -> Result<Exit, CliError> {
    Output::new(&Look::plain()).print(&String::from_utf8_lossy(bytes))?;
    Ok(Exit::Valid)
}
