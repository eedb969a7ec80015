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
    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };

    use super::{Confinement, ConfinementError};

    /// The newest rights that this program knows. Systems that are older have fewer of them: a right that a system does not
    /// know is one that it does not take away, and those of the first version are enough for reading, writing and executing.
    const KNOWN: ABI = ABI::V6;

    /// Files of the system that tell a process about its own memory and processors.
    const OWN_FIGURES: [&str; 4] = ["/proc/self", "/proc/meminfo", "/sys/fs/cgroup", "/dev/null"];

    pub(super) fn is_supported() -> bool {
        let created = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))
            .and_then(Ruleset::create);
        created.is_ok()
    }

    pub(super) fn enter(confinement: &Confinement) -> Result<(), ConfinementError> {
        let refused = |error: RulesetError| ConfinementError::Refused(error.to_string());
        let reading = AccessFs::ReadFile | AccessFs::ReadDir;
        let writing = AccessFs::from_all(KNOWN) & !AccessFs::Execute;
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(KNOWN))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(KNOWN)))
            .and_then(|rules| rules.scope(Scope::from_all(KNOWN)))
            .and_then(Ruleset::create)
            .map_err(refused)?;
        let allowed = if confinement.may_write { writing } else { reading };
        let scratch = (confinement.scratch.as_path(), writing);
        let folders = confinement
            .folders
            .iter()
            .map(|folder| (folder.as_path(), allowed));
        let written = confinement.written.iter();
        let written = written.map(|folder| (folder.as_path(), writing));
        for (path, access) in folders.chain(written).chain([scratch]) {
            let beneath = PathFd::new(path)
                .map_err(|error| ConfinementError::Refused(format!("{}: {error}", path.display())))?;
            // A file has no entries.
            let access = if path.is_dir() {
                access
            } else {
                access & AccessFs::from_file(KNOWN)
            };
            rules = rules
                .add_rule(PathBeneath::new(beneath, access))
                .map_err(refused)?;
        }
        for path in OWN_FIGURES.map(Path::new) {
            // Without them a process knows less about itself.
            let Ok(beneath) = PathFd::new(path) else { continue };
            let access = if path.is_dir() {
                reading
            } else {
                AccessFs::ReadFile | AccessFs::WriteFile
            };
            rules = rules
                .add_rule(PathBeneath::new(beneath, access))
                .map_err(refused)?;
        }
        let status = rules.restrict_self().map_err(refused)?;
        match status.ruleset {
            RulesetStatus::NotEnforced => Err(ConfinementError::Unsupported),
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        }
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
