//! What a process that checks may open: the folders of the server, a temporary folder of its own, and nothing else.
//!
//! A specification is a program: it names modules, reads and writes files, and opens them while it is evaluated. Checking paths
//! before that would need a check at every place that opens a file, and would lose against a link that is changed in between. So
//! the process asks the system (Landlock, Linux 5.13 and newer) to refuse everything else, for good, before it reads any input.

use std::path::PathBuf;

use thiserror::Error;

/// What a process may open.
#[derive(Clone, Debug)]
pub struct Confinement {
    /// Folders to read.
    pub folders: Vec<PathBuf>,
    /// Whether it may also write there.
    pub may_write: bool,
    /// A folder of its own, to read and to write.
    pub scratch: PathBuf,
    /// More folders to read and to write.
    pub written: Vec<PathBuf>,
}

/// Why a process cannot be confined.
#[derive(Debug, Error)]
pub enum ConfinementError {
    /// The system has no means.
    #[error(
        "this system cannot keep a process in its folders, which needs Linux 5.13 or newer with Landlock. With --unconfined \
         arguments must still be in the folders, but specifications can name files that are not"
    )]
    Unsupported,
    /// The system refused.
    #[error("the process cannot be kept in its folders: {0}")]
    Refused(String),
}

/// Whether this system can confine processes.
pub(crate) fn is_supported() -> bool {
    system::is_supported()
}

impl Confinement {
    /// Confines this thread, and those that it starts from now on. There is no way back.
    ///
    /// # Errors
    /// If the system cannot do it.
    pub fn enter(&self) -> Result<(), ConfinementError> {
        system::enter(self)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::path::Path;

    use super::{Confinement, ConfinementError};
    use crate::landlock::{self, Rights, Rules};

    /// Files of the system that tell a process about its own memory and processors.
    const OWN_FIGURES: [&str; 4] = ["/proc/self", "/proc/meminfo", "/sys/fs/cgroup", "/dev/null"];

    pub(super) fn is_supported() -> bool {
        landlock::version() > 0
    }

    pub(super) fn enter(confinement: &Confinement) -> Result<(), ConfinementError> {
        let refused = |error: io::Error| ConfinementError::Refused(error.to_string());
        let version = landlock::version();
        if version == 0 {
            return Err(ConfinementError::Unsupported);
        }
        let mut rules = Rules::new(version).map_err(refused)?;
        let allowed = if confinement.may_write {
            Rights::WRITING
        } else {
            Rights::READING
        };
        let scratch = (confinement.scratch.as_path(), Rights::WRITING);
        let folders = confinement
            .folders
            .iter()
            .map(|folder| (folder.as_path(), allowed));
        let written = confinement.written.iter();
        let written = written.map(|folder| (folder.as_path(), Rights::WRITING));
        for (path, rights) in folders.chain(written).chain([scratch]) {
            rules
                .allow(path, rights)
                .map_err(|error| ConfinementError::Refused(format!("{}: {error}", path.display())))?;
        }
        for path in OWN_FIGURES.map(Path::new) {
            let rights = if path.is_dir() {
                Rights::READING
            } else {
                Rights::DATA
            };
            // Without them a process knows less about itself.
            let _ = rules.allow(path, rights);
        }
        rules.enter().map_err(refused)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Confinement, ConfinementError};

    pub(super) fn is_supported() -> bool {
        false
    }

    pub(super) fn enter(_: &Confinement) -> Result<(), ConfinementError> {
        Err(ConfinementError::Unsupported)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_confined_thread_opens_only_what_it_may() {
        if !is_supported() {
            eprintln!("skipped: this system has no Landlock");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["in", "scratch", "out"] {
            fs::create_dir(path(name)).expect("a folder");
            fs::write(path(name).join("file"), "text").expect("a file");
        }
        std::os::unix::fs::symlink(path("out"), path("in/link")).expect("a link");
        let confinement = |may_write| Confinement {
            folders: vec![path("in")],
            may_write,
            scratch: path("scratch"),
            written: Vec::new(),
        };
        for may_write in [false, true] {
            let confinement = confinement(may_write);
            let tried = std::thread::scope(|scope| {
                let work = || {
                    confinement.enter().expect("the system supports it");
                    [
                        fs::read(path("in/file")).is_ok(),
                        fs::write(path("in/new"), "").is_ok(),
                        fs::write(path("scratch/new"), "").is_ok(),
                        fs::read(path("out/file")).is_ok(),
                        fs::read(path("in/link/file")).is_ok(),
                        fs::read(path("in/../out/file")).is_ok(),
                        fs::write(path("out/new"), "").is_ok(),
                        fs::read_dir(path("out")).is_ok(),
                        std::process::Command::new("/bin/sh")
                            .args(["-c", "true"])
                            .status()
                            .is_ok(),
                    ]
                };
                scope.spawn(work).join().expect("it does not panic")
            });
            let expected = [true, may_write, true, false, false, false, false, false, false];
            assert_eq!(tried, expected, "may_write {may_write}");
        }
    }
}
