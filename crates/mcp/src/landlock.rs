//! Landlock: what a thread may still open, by the system's own numbers (`linux/landlock.h`).
//!
//! Three calls and two structures: a library for them brings a second copy of what derives are written with.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Rights to files and folders, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rights(u64);

impl Rights {
    const EXECUTE: Self = Self(1);
    const WRITE_FILE: Self = Self(1 << 1);
    const READ_FILE: Self = Self(1 << 2);
    const READ_DIR: Self = Self(1 << 3);
    const TRUNCATE: Self = Self(1 << 14);
    const IOCTL_DEV: Self = Self(1 << 15);
    /// To read files and folders.
    pub const READING: Self = Self::READ_FILE.and(Self::READ_DIR);
    /// To read and write files.
    pub const DATA: Self = Self::READ_FILE.and(Self::WRITE_FILE);
    /// Everything but to execute.
    pub const WRITING: Self = Self(Self::of_version(NEWEST).0 & !Self::EXECUTE.0);
    /// What there is for a file that is no folder.
    const OF_FILES: Self = Self::EXECUTE
        .and(Self::WRITE_FILE)
        .and(Self::READ_FILE)
        .and(Self::TRUNCATE)
        .and(Self::IOCTL_DEV);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All that a version of the interface knows: the first 13; moving to other folders, truncating, devices since then.
    const fn of_version(version: u32) -> Self {
        Self(match version {
            0 => 0,
            1 => (1 << 13) - 1,
            2 => (1 << 14) - 1,
            3 | 4 => (1 << 15) - 1,
            _ => (1 << 16) - 1,
        })
    }
}

/// The newest version whose rights this program knows. Older systems have fewer of them: a right that a system does not know is
/// one that it does not take away, and those of the first version are enough for reading, writing and executing.
const NEWEST: u32 = 6;

/// `struct landlock_ruleset_attr`.
#[repr(C)]
struct HandledRights {
    files: u64,
    /// Binding and connecting of TCP, since version 4.
    network: u64,
    /// Signals and sockets of other processes, since version 6.
    scopes: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct RightsBeneath {
    allowed: u64,
    parent: i32,
}

/// The version that the system has; 0 if it has none.
pub(crate) fn version() -> u32 {
    let asks_for_version: libc::c_uint = 1;
    // SAFETY: with this flag there are no attributes: a null pointer and a size of 0. The call returns a number.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<HandledRights>(),
            0_usize,
            asks_for_version,
        )
    };
    u32::try_from(version).unwrap_or(0).min(NEWEST)
}

/// What is taken away and what is given back, until a thread enters it.
#[derive(Debug)]
pub(crate) struct Rules {
    ruleset: OwnedFd,
    handled: Rights,
}

impl Rules {
    /// Takes everything away that this version of the interface knows.
    pub fn new(version: u32) -> io::Result<Self> {
        let handled = Rights::of_version(version);
        let attributes = HandledRights {
            files: handled.0,
            network: if version >= 4 { 3 } else { 0 },
            scopes: if version >= 6 { 3 } else { 0 },
        };
        // SAFETY: the pointer is to a structure of that size, which is only read. What an older system does not know of it is 0, which
        // it accepts.
        let ruleset = unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                &raw const attributes,
                size_of::<HandledRights>(),
                0 as libc::c_uint,
            )
        };
        if ruleset < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call succeeded, so this is a new descriptor, which nobody else owns.
        let ruleset = unsafe { OwnedFd::from_raw_fd(ruleset as i32) };
        Ok(Self { ruleset, handled })
    }

    /// Gives rights back to a folder and all in it, or to a file.
    pub fn allow(&mut self, path: &Path, rights: Rights) -> io::Result<()> {
        let opened = std::fs::OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_PATH)
            .open(path)?;
        let mut allowed = rights.0 & self.handled.0;
        if !opened.metadata()?.is_dir() {
            allowed &= Rights::OF_FILES.0;
        }
        let beneath = RightsBeneath {
            allowed,
            parent: opened.as_raw_fd(),
        };
        let of_path_beneath: libc::c_int = 1;
        // SAFETY: the ruleset is open, and the pointer is to the structure of this kind of rule, which is only read.
        let added = unsafe {
            libc::syscall(
                libc::SYS_landlock_add_rule,
                self.ruleset.as_raw_fd(),
                of_path_beneath,
                &raw const beneath,
                0 as libc::c_uint,
            )
        };
        checked(added)
    }

    /// Confines this thread, and those that it starts from now on. There is no way back.
    pub fn enter(self) -> io::Result<()> {
        // SAFETY: this option takes numbers only. Without it only a privileged process could confine itself.
        let done = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        checked(done.into())?;
        // SAFETY: the ruleset is open, and nothing else is passed.
        let entered = unsafe {
            libc::syscall(
                libc::SYS_landlock_restrict_self,
                self.ruleset.as_raw_fd(),
                0 as libc::c_uint,
            )
        };
        checked(entered)
    }
}

fn checked(result: libc::c_long) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
