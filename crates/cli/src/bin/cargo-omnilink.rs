//! `cargo omnilink …` is `omnilink …`: cargo looks for a program of this name and passes `omnilink` as its first argument.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let beside = std::env::current_exe()
        .ok()
        .map(|path| path.with_file_name("omnilink"));
    let program = beside
        .filter(|path| path.exists())
        .unwrap_or_else(|| "omnilink".into());
    let arguments = std::env::args_os().skip(1);
    let mut arguments = arguments.peekable();
    arguments.next_if(|first| first == "omnilink");
    match Command::new(&program).args(arguments).status() {
        Ok(status) => status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .map_or(ExitCode::from(2), ExitCode::from),
        Err(error) => {
            eprintln!(
                "error: {}: {error}; install it with `cargo install --path crates/cli`",
                program.display()
            );
            ExitCode::from(2)
        }
    }
}
