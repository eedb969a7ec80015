//! A file that appears when all of it is there.

use std::io::{self, Write};
use std::path::Path;

use omnilink_memory::{HalfWritten, without_name};
use tempfile::{Builder, NamedTempFile};

use crate::error::VerifyError;

/// A file to be written at the end of a command.
#[derive(Debug)]
pub struct NewFile<'a> {
    path: &'a Path,
}

impl<'a> NewFile<'a> {
    /// Finds out now whether the file can be written: after an hour of checking it would be too late.
    pub fn check(path: &'a Path) -> Result<Self, VerifyError> {
        let file = Self { path };
        file.beside().map_err(|error| file.refused(error))?;
        Ok(file)
    }

    /// Writes all of it, beside its place first.
    pub fn write(self, bytes: &[u8]) -> Result<(), VerifyError> {
        let mut file = self.beside().map_err(|error| self.refused(error))?;
        let _half_written = HalfWritten::new(file.path());
        file.write_all(bytes).map_err(|error| self.refused(error))?;
        match file.persist(self.path) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.refused(error.error)),
        }
    }

    fn beside(&self) -> io::Result<NamedTempFile> {
        let mut builder = Builder::new();
        // The same permissions as any new file: the umask decides.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        builder
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(without_name)
    }

    fn refused(&self, error: io::Error) -> VerifyError {
        VerifyError::Write {
            path: self.path.to_owned(),
            error,
        }
    }
}
