//! What a process prints, as much of it as a person wants to read.

use std::collections::VecDeque;
use std::io::{self, Read};

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

    /// Reads a stream to its end.
    pub(crate) fn of(mut stream: impl Read) -> Self {
        let mut kept = Self::default();
        let mut buffer = [0; 8 << 10];
        loop {
            match stream.read(&mut buffer) {
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

    #[test]
    fn the_middle_of_a_long_output_is_left_out() {
        let long: Vec<u8> = (0..100_000_u32).map(|i| b'a' + (i % 26) as u8).collect();
        let kept = OutputTail::of(long.as_slice()).into_bytes();
        let missing = 100_000 - OutputTail::HEAD - OutputTail::TAIL;
        let line = format!("\n[{missing} bytes left out]\n");
        assert_eq!(kept[..OutputTail::HEAD], long[..OutputTail::HEAD]);
        assert!(kept[OutputTail::HEAD..].starts_with(line.as_bytes()));
        assert!(kept.ends_with(&long[100_000 - OutputTail::TAIL..]));
        assert_eq!(OutputTail::of(&b"short"[..]).into_bytes(), b"short");
    }
}
