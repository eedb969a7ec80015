//! Logs checked against a TLA+ specification.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omnilink_engine::{Interrupt, Limits};
use omnilink_evidence::{Command, Evidence, Subject};
use omnilink_link::LinkOptions;
use omnilink_log_extract::ExtractionRules;
use omnilink_log_link::{LogCheck, LogSpec, check_log, constants_of_file, follow_log, log_files};
use omnilink_memory::peak_bytes;

use crate::error::VerifyError;
use crate::followed_file::FollowedFile;
use crate::limits::limit_instead_of_error;
use crate::progress::ProgressCounter;
use crate::validation::refuse_if_vacuous;

/// How long to wait before looking for more lines of a log.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// A specification to check logs against.
#[derive(Debug)]
pub struct LogValidation {
    check: LogCheck,
    shared: Option<LogSpec>,
    is_strict: bool,
    is_following: bool,
}

impl LogValidation {
    /// Reads the specification, and constants from a file.
    ///
    /// # Errors
    /// If the specification cannot be read or linked.
    pub fn new(
        spec: &Path,
        options: LinkOptions,
        constants: Option<&Path>,
        limits: Limits,
    ) -> Result<Self, VerifyError> {
        let mut check = LogCheck::new(spec, options, limits);
        if let Some(constants) = constants {
            check.constants = constants_of_file(constants)?;
        }
        let shared = check.shared_spec()?;
        Ok(Self {
            check,
            shared,
            is_strict: false,
            is_following: false,
        })
    }

    /// Makes `valid` an error where it means nothing.
    #[must_use]
    pub fn with_strictness(self, is_strict: bool) -> Self {
        Self { is_strict, ..self }
    }

    /// Lets the plain evaluator decide over the whole specification, without any reduction.
    #[must_use]
    pub fn with_naive_search(mut self, is_naive: bool) -> Self {
        self.check.is_naive = is_naive;
        self
    }

    /// Makes events of lines of text, by rules.
    #[must_use]
    pub fn with_extraction(mut self, rules: Option<ExtractionRules>) -> Self {
        self.check.extraction = rules.map(Arc::new);
        self
    }

    /// Whether several logs are checked: then what had no effect on any of them is told at the end ([`without_effect`](Self::without_effect)).
    #[must_use]
    pub fn with_several(mut self, has_several: bool) -> Self {
        self.check.tells_unused = !has_several || self.shared.is_none();
        self
    }

    /// Entries of the link file that had no effect on any log so far, in sentences.
    pub fn without_effect(&self) -> Vec<String> {
        self.shared
            .as_ref()
            .map(LogSpec::without_effect)
            .unwrap_or_default()
    }

    /// Waits for more lines at the end of a log.
    #[must_use]
    pub fn with_following(self, is_following: bool) -> Self {
        Self { is_following, ..self }
    }

    /// Checks one log: files, or folders of files, whose lines belong together. Whatever goes wrong is part of the report.
    pub fn check(&self, paths: &[PathBuf], progress: &ProgressCounter) -> Evidence {
        // Ctrl-C ends a log that is followed, which is then decided as far as it goes.
        let interrupt = self.check.limits.interrupt.filter(|_| !self.is_following);
        let limits = Limits {
            interrupt,
            ..self.check.limits
        };
        let work = limits.begin();
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let name = names.join(" + ");
        let mut files = Vec::new();
        for path in paths {
            match log_files(path) {
                Ok(found) => files.extend(found),
                Err(error) => {
                    let mut evidence = check_log(&self.check, self.shared.as_ref(), &name, &[], &mut |_| {});
                    evidence.fail(error.to_string());
                    return evidence;
                }
            }
        }
        if self.is_following && files.len() != 1 {
            let mut evidence = Evidence::new(Command::Validate, Subject::Log, &name);
            evidence.fail(format!(
                "{name} is {} files, and --follow follows one; run the command once for each, or check the folder as one log without --follow",
                files.len()
            ));
            return evidence;
        }
        let mut on_line = |_| progress.add_one();
        let mut evidence = match (self.is_following, files.as_slice()) {
            (true, [file]) => {
                let interrupt = self.check.limits.interrupt;
                let mut wait = || {
                    std::thread::sleep(BETWEEN_LOOKS);
                    !interrupt.is_some_and(Interrupt::is_raised)
                };
                match followed(file) {
                    Ok(input) => follow_log(&self.check, &name, file, input, &mut on_line, &mut wait),
                    // It says what is wrong with the file.
                    Err(_) => check_log(&self.check, self.shared.as_ref(), &name, &files, &mut on_line),
                }
            }
            _ => check_log(&self.check, self.shared.as_ref(), &name, &files, &mut on_line),
        };
        limit_instead_of_error(&mut evidence, &work);
        evidence.figures.peak_bytes = peak_bytes();
        if self.is_strict {
            refuse_if_vacuous(&mut evidence);
        }
        evidence
    }
}

/// What a log is read from that is still being written. A pipe is not, once it is open.
fn followed(file: &Path) -> io::Result<Box<dyn Read + Send>> {
    if file.as_os_str() == "-" {
        return Ok(Box::new(io::stdin()));
    }
    Ok(if std::fs::metadata(file)?.is_file() {
        Box::new(FollowedFile::open(file)?)
    } else {
        Box::new(std::fs::File::open(file)?)
    })
}
