//! What a process prints, as much of it as a person wants to read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long what is in a pipe is read after the end of the process: another one may write without end.
const AFTER_THE_END: Duration = Duration::from_millis(200);
/// How long a reader waits before it looks whether the process has ended.
const WAIT_MS: libc::c_int = 20;

/// Whether reading does not wait: there are bytes, or the end. Waits for a moment.
fn is_readable(pipe: &File) -> bool {
    let mut asked = libc::pollfd {
        fd: pipe.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one structure of our own, and its number.
    unsafe { libc::poll(&raw mut asked, 1, WAIT_MS) > 0 }
}

/// The first and the last bytes of a stream. A harness that prints without end costs no memory.
#[derive(Debug, Default)]
pub(crate) struct OutputTail {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
}

impl OutputTail {
    const HEAD: usize = 16 << 10;
    const TAIL: usize = 48 << 10;

    /// Reads a pipe to its end, or for some time after `has_ended` was raised: who did not write them may still hold it open.
    pub(crate) fn of(pipe: OwnedFd, has_ended: &AtomicBool) -> Self {
        let mut kept = Self::default();
        let mut buffer = [0; 8 << 10];
        let mut pipe = File::from(pipe);
        let mut deadline = None;
        loop {
            if has_ended.load(Ordering::Relaxed) {
                let end = *deadline.get_or_insert_with(|| Instant::now() + AFTER_THE_END);
                if Instant::now() >= end {
                    return kept;
                }
            }
            if !is_readable(&pipe) {
                if deadline.is_some() {
                    return kept;
                }
                continue;
            }
            match pipe.read(&mut buffer) {
                Ok(0) => return kept,
                Ok(count) => kept.add(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return kept,
            }
        }
    }

    fn add(&mut self, mut bytes: &[u8]) {
        let room = Self::HEAD - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        bytes = rest;
        self.tail.extend(bytes);
        while self.tail.len() > Self::TAIL {
            self.tail.pop_front();
            self.dropped += 1;
        }
    }

    /// All that was kept, with a line where something is missing.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head;
        if self.dropped > 0 {
            bytes.extend_from_slice(format!("\n[{} bytes left out]\n", self.dropped).as_bytes());
        }
        bytes.extend(self.tail);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept of a pipe into which all of this was written, and which somebody still holds.
    fn kept(bytes: &[u8]) -> Vec<u8> {
        use std::io::Write;

        let (pipe, mut held) = io::pipe().unwrap();
        let has_ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let read = scope.spawn(|| OutputTail::of(pipe.into(), &has_ended).into_bytes());
            held.write_all(bytes).unwrap();
            has_ended.store(true, Ordering::Relaxed);
            read.join().unwrap()
        })
    }

    #[test]
    fn the_middle_of_a_long_output_is_left_out_and_a_pipe_that_stays_open_is_left() {
        let long: Vec<u8> = (0..100_000_u32).map(|i| b'a' + (i % 26) as u8).collect();
        let shown = kept(&long);
        let missing = 100_000 - OutputTail::HEAD - OutputTail::TAIL;
        let line = format!("\n[{missing} bytes left out]\n");
        assert_eq!(shown[..OutputTail::HEAD], long[..OutputTail::HEAD]);
        assert!(shown[OutputTail::HEAD..].starts_with(line.as_bytes()));
        assert!(shown.ends_with(&long[100_000 - OutputTail::TAIL..]));
        assert_eq!(kept(b"short"), b"short");
    }
}
