//! `--untrusted`: files of others are read with small limits, and nothing is opened beside what was named.
//!
//! | what | limit |
//! |---|---|
//! | time, memory | 60 s and 1 GB, unless the command line says otherwise |
//! | an input | 256 MB, unpacked, unless `--max-input` says otherwise |
//! | files | those that are named, the folder of a specification, and where the command line wants answers; no links; no programs |

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use omnilink_engine::Limits;
use omnilink_mcp::Confinement;

use crate::error::CliError;
use crate::interrupt;

const TIME: Duration = Duration::from_secs(60);
const MEMORY_BYTES: u64 = 1_000_000_000;
const INPUT_BYTES: u64 = 256_000_000;

static IS_ON: OnceLock<()> = OnceLock::new();

/// Options after which a file comes that is written.
const OUTPUTS: [&str; 7] = [
    "--evidence",
    "--witness",
    "--output",
    "-o",
    "--out",
    "--html",
    "--markdown",
];

/// How much of an input is read, where the command line says this.
pub(crate) fn max_input(given: Option<u64>) -> Option<u64> {
    given.or(IS_ON.get().map(|()| INPUT_BYTES))
}

/// From now on inputs have a limit. For processes that are confined already.
pub(crate) fn limit_inputs() {
    let _ = IS_ON.set(());
}

/// Confines this thread, and those that it starts, to what the words of the command line name.
pub(crate) fn begin(words: &[String], scratch: &Path) -> Result<(), CliError> {
    limit_inputs();
    let has = |option: &str| words.iter().any(|word| word.split('=').next() == Some(option));
    let limits = Limits {
        time: Some(TIME).filter(|_| !has("--time-limit")),
        memory_bytes: Some(MEMORY_BYTES).filter(|_| !has("--memory-limit")),
        configurations: None,
        interrupt: Some(interrupt::flag()),
    };
    // They end with the process.
    std::mem::forget(limits.begin());
    let mut confinement = Confinement {
        folders: Vec::new(),
        may_write: false,
        scratch: scratch.to_owned(),
        written: Vec::new(),
    };
    let mut is_output = false;
    for word in words.iter().skip(1) {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, value),
            _ => (word.as_str(), word.as_str()),
        };
        let path = Path::new(value);
        if is_output || (option != value && OUTPUTS.contains(&option)) {
            confinement.written.push(folder_of(path));
        } else if let Ok(about) = path.symlink_metadata() {
            if about.is_symlink() {
                return Err(CliError::Usage(format!(
                    "{value}: this is a link, and --untrusted follows none; name the file itself"
                )));
            }
            confinement.folders.push(
                match path.extension().is_some_and(|extension| extension == "tla") {
                    // Its modules and its configuration lie beside it.
                    true => folder_of(path),
                    false => path.to_owned(),
                },
            );
        }
        is_output = OUTPUTS.contains(&word.as_str());
    }
    Ok(confinement.enter()?)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
