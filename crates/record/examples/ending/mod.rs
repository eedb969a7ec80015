//! How the examples end: a message and exit code 2 if something went wrong.

use std::process::ExitCode;

use omnilink_record::RecordError;

/// Tells what went wrong, if anything did.
pub fn of(outcome: Result<(), RecordError>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
