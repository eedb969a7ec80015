//! A file that is still being written, and may be rotated meanwhile.
//!
//! Programs that rotate logs rename the file and begin a new one, or copy it and cut it off. In the first case the new file is read once the old one is at its
//! end; in the second the file is read from its beginning again. A line that was cut off by that ends there.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

/// Reads a file, and what comes in its place. At the end of what is there, nothing is read.
pub(crate) struct FollowedFile {
    path: PathBuf,
    file: File,
    read: u64,
    /// The last byte that was read.
    last: u8,
}

impl FollowedFile {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: File::open(path)?,
            read: 0,
            last: b'\n',
        })
    }

    /// Whether the file goes on elsewhere, and is at its beginning now.
    fn goes_on(&mut self) -> io::Result<bool> {
        // Between the two there may be no file of this name.
        let Ok(named) = std::fs::metadata(&self.path) else {
            return Ok(false);
        };
        let own = self.file.metadata()?;
        if !is_same(&named, &own) {
            self.file = File::open(&self.path)?;
        } else if own.len() < self.read {
            self.file.rewind()?;
        } else {
            return Ok(false);
        }
        self.read = 0;
        Ok(true)
    }

    fn read_on(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read += read as u64;
        if let Some(last) = buffer[..read].last() {
            self.last = *last;
        }
        Ok(read)
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

impl Read for FollowedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.read_on(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        // What was written between the last look and the renaming comes before what is in the new file.
        let is_other = std::fs::metadata(&self.path).is_ok_and(|named| {
            let own = self.file.metadata();
            own.is_ok_and(|own| !is_same(&named, &own))
        });
        if is_other {
            let rest = self.read_on(buffer)?;
            if rest > 0 {
                return Ok(rest);
            }
        }
        if !self.goes_on()? {
            return Ok(0);
        }
        match std::mem::replace(&mut self.last, b'\n') {
            b'\n' => self.read_on(buffer),
            _ => {
                buffer[0] = b'\n';
                Ok(1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What can be read now.
    fn there(file: &mut FollowedFile) -> String {
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_file_is_read_on_after_it_was_renamed_or_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.log");
        std::fs::write(&path, "a\nb\n").unwrap();
        let mut file = FollowedFile::open(&path).unwrap();
        assert_eq!(there(&mut file), "a\nb\n");
        assert_eq!(there(&mut file), "");
        // What is written to the old file before there is a new one counts.
        let old = folder.path().join("app.log.1");
        std::fs::rename(&path, &old).unwrap();
        assert_eq!(there(&mut file), "");
        std::fs::write(&old, "a\nb\nc\ncut").unwrap();
        std::fs::write(&path, "d\n").unwrap();
        assert_eq!(there(&mut file), "c\ncut\nd\n");
        // Cut off and written again.
        std::fs::write(&path, "").unwrap();
        assert_eq!(there(&mut file), "");
        std::fs::write(&path, "e\n").unwrap();
        assert_eq!(there(&mut file), "e\n");
    }
}
