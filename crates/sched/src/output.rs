//! What a harness prints.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::fs::FileExt as _;
use std::process::Stdio;

/// A file in memory to which a harness prints. It holds what was printed since it was cleared.
#[derive(Debug)]
pub(crate) struct Output(File);

impl Output {
    /// More than the beginning and the end of a text, of this many bytes each, is left out.
    const PART: u64 = 2_048;

    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: the name is a string; the result is a new file or an error.
        let number = unsafe { libc::memfd_create(c"omnilink-output".as_ptr(), libc::MFD_CLOEXEC) };
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the file was made just now, and nobody else has it.
        let file = unsafe { File::from_raw_fd(number) };
        // Several processes write to it, and it is cleared between two executions: they write at its end, wherever that is.
        // SAFETY: sets a property of the file.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_APPEND) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self(file))
    }

    /// For the standard output or the standard error of a process.
    pub(crate) fn stream(&self) -> io::Result<Stdio> {
        self.0.try_clone().map(Stdio::from)
    }

    /// Forgets what was printed. Nothing depends on that: an error leaves old text.
    pub(crate) fn clear(&self) {
        let _ = self.0.set_len(0);
    }

    /// What was printed, without the middle of a long text.
    pub(crate) fn text(&self) -> String {
        let length = self.0.metadata().map_or(0, |data| data.len());
        let part = |from: u64, to: u64| {
            let mut bytes = vec![0; (to - from) as usize];
            match self.0.read_exact_at(&mut bytes, from) {
                Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(_) => String::new(),
            }
        };
        if length <= 2 * Self::PART {
            part(0, length)
        } else {
            format!(
                "{}\n[{} bytes are left out]\n{}",
                part(0, Self::PART),
                length - 2 * Self::PART,
                part(length - Self::PART, length)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Output;
    use std::io::Write as _;

    #[test]
    fn the_beginning_and_the_end_of_a_long_text_are_kept() {
        let output = Output::new().unwrap();
        let mut writer = &output.0;
        writer.write_all(b"before").unwrap();
        output.clear();
        assert_eq!(output.text(), "");
        writer.write_all(b"first ").unwrap();
        assert_eq!(output.text(), "first ");
        writer.write_all(&[b'x'; 10_000]).unwrap();
        writer.write_all(b" last").unwrap();
        let text = output.text();
        assert!(text.starts_with("first x") && text.ends_with("x last"), "{text}");
        assert!(text.contains("[5915 bytes are left out]"), "{text}");
    }
}
