//! One call: the command line that answers it, and how its output is read.

use std::io::Read;

use crate::limits::Limits;

/// What a call runs.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The command line, without the program.
    pub(crate) words: Vec<String>,
    /// What it prints.
    pub(crate) prints: Prints,
    /// Whether it runs commands, and is therefore not confined.
    pub(crate) executes: bool,
    pub(crate) limits: Limits,
    /// A file to write before it runs, by its name in the folder of the call.
    pub(crate) file: Option<(&'static str, String)>,
    /// The most bytes of evidence in the answer.
    pub(crate) evidence_max: usize,
}

/// What a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prints {
    /// Evidence, one object per line.
    Evidence,
    /// What is wrong with specifications, one object per line.
    Diagnostics,
    /// The value of an expression.
    Value,
    /// Text.
    Text,
}

/// Where files of a call are, in its command line.
pub(crate) const SCRATCH: &str = "{scratch}";

/// Ends this process, and all that it started, as soon as the server that started it is gone, or wants it to end. The server holds
/// the other end of standard input, and writes nothing.
pub fn end_with_the_server() {
    std::thread::spawn(|| {
        let mut bytes = [0];
        while std::io::stdin().read(&mut bytes).is_ok_and(|read| read > 0) {}
        #[cfg(unix)]
        // SAFETY: it sends a signal to the processes of this group, which the server has made for this call.
        unsafe {
            libc::kill(0, libc::SIGKILL);
        }
        std::process::exit(130);
    });
}
