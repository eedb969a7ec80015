//! One call: the command line that answers it, and how its output is read.

use std::io::Read;
use std::path::PathBuf;

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

/// How often it is tried to remove the folder of a call.
const REMOVALS_MAX: usize = 8;

/// Where files of a call are, in its command line.
pub(crate) const SCRATCH: &str = "{scratch}";

/// What the folders of calls are called.
pub(crate) const SCRATCH_PREFIX: &str = "omnilink-call-";

/// Ends this process, and all that it started, as soon as the server that started it is gone, or wants it to end. The server holds
/// the other end of standard input, and writes nothing. The folder of the call goes as well: a server that was killed cannot do that. So
/// this has to be called before the process is confined.
pub fn end_with_the_server(leftover: Option<PathBuf>) {
    std::thread::spawn(move || {
        let mut bytes = [0];
        while std::io::stdin().read(&mut bytes).is_ok_and(|read| read > 0) {}
        let is_ours = |folder: &PathBuf| {
            let name = folder.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(SCRATCH_PREFIX))
        };
        if let Some(folder) = leftover.filter(is_ours) {
            // The command may still write there, until it ends below.
            for _ in 0..REMOVALS_MAX {
                if std::fs::remove_dir_all(&folder).is_ok() || !folder.exists() {
                    break;
                }
            }
        }
        #[cfg(unix)]
        // SAFETY: it sends a signal to the processes of this group, which the server has made for this call.
        unsafe {
            libc::kill(0, libc::SIGKILL);
        }
        std::process::exit(130);
    });
}
