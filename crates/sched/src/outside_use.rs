//! What a program used that nobody controls.

use std::fmt;

use omnilink_sched_runtime::layout::{OutsideRecord, outside};

/// Something that a program used and the scheduler does not control, with its name if that is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutsideUse {
    /// A file that was read or written.
    File(String),
    /// A process that was started.
    Process(String),
    /// Memory that other processes may have, too.
    SharedMemory(String),
}

impl OutsideUse {
    pub(crate) fn of(record: &OutsideRecord) -> Option<Self> {
        let name = record.name.get(..record.name_len as usize)?;
        let name = String::from_utf8_lossy(name).into_owned();
        match record.kind {
            outside::FILE => Some(Self::File(name)),
            outside::PROCESS => Some(Self::Process(name)),
            outside::SHARED_MEMORY => Some(Self::SharedMemory(name)),
            _ => None,
        }
    }
}

impl fmt::Display for OutsideUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = match self {
            Self::File(name) => ("file", name),
            Self::Process(name) => ("process", name),
            Self::SharedMemory(name) => ("shared memory", name),
        };
        if name.is_empty() {
            f.write_str(kind)
        } else {
            write!(f, "{kind} {name}")
        }
    }
}
