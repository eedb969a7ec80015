//! What a file that is to be shown holds.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// The evidence of a check.
    Evidence,
    /// A trace.
    Trace,
    /// The runs of campaigns.
    Store,
}

impl FileKind {
    /// By the first bytes: those of SQLite, or the first field of evidence. Everything else is for the readers of traces.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(path: &Path) -> io::Result<Self> {
        if path.is_dir() || path.as_os_str() == "-" {
            return Ok(Self::Trace);
        }
        let mut head = Vec::new();
        File::open(path)?.take(256).read_to_end(&mut head)?;
        if head.starts_with(b"SQLite format 3\0") {
            return Ok(Self::Store);
        }
        let compact: Vec<u8> = head
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        if compact.starts_with(b"{\"evidence\":") {
            Ok(Self::Evidence)
        } else {
            Ok(Self::Trace)
        }
    }
}
