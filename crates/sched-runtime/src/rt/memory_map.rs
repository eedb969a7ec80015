//! The memory of the process: what the program can change, and what is the runtime's own.

use crate::rt::global::{Global, Lent};
use crate::rt::{races, saved_memory, sys, weak_memory};
use core::cell::Cell;
use core::ffi::c_int;

unsafe extern "C" {
    /// The linker defines these at the beginning and the end of the section with the runtime's own state.
    static __start_omnilink_state: u8;
    static __stop_omnilink_state: u8;
}

/// From one address up to another.
pub type Range = (u64, u64);

const MAPPINGS_MAX: usize = 512;

/// A part of the memory.
#[derive(Clone, Copy)]
pub struct Mapping {
    pub from: u64,
    pub to: u64,
    /// What was not written yet is read from a file.
    pub has_file: bool,
}

/// The runtime's own state, which is not part of the program's.
pub fn own_state() -> impl Iterator<Item = Range> {
    let variables = (
        (&raw const __start_omnilink_state) as u64,
        (&raw const __stop_omnilink_state) as u64,
    );
    core::iter::once(variables).chain(tables())
}

/// The part of it that is in memory of its own.
pub fn tables() -> impl Iterator<Item = Range> {
    let races = races::memory().into_iter();
    races.chain(weak_memory::memory()).chain(saved_memory::memory())
}

const NO_MAPPING: Mapping = Mapping {
    from: 0,
    to: 0,
    has_file: false,
};

#[unsafe(link_section = "omnilink_state")]
static MAPPINGS: Global<[Cell<Mapping>; MAPPINGS_MAX]> =
    Global::new([const { Cell::new(NO_MAPPING) }; MAPPINGS_MAX]);

/// The memory that is private to the process and can be written. None if it is not known, or in too many ranges.
pub fn writable() -> Option<&'static [Cell<Mapping>]> {
    let file = sys::open(c"/proc/self/maps");
    if file < 0 {
        return None;
    }
    let count = read_mappings(file);
    sys::close(file);
    MAPPINGS.get(..count?)
}

/// Reads the mappings that the system lists in a file, and returns how many there are.
fn read_mappings(file: c_int) -> Option<usize> {
    const BUFFER: usize = 1 << 12;
    /// Not on the stack of the program, which need not have room for it.
    #[unsafe(link_section = "omnilink_state")]
    static TEXT: Global<Lent<[u8; BUFFER]>> = Global::new(Lent::new([0; BUFFER]));
    TEXT.with(|text| {
        let mut line = MapsLine::NEW;
        let mut count = 0;
        loop {
            let read = usize::try_from(sys::read(file, text)).ok()?;
            if read == 0 {
                return Some(count);
            }
            for mapping in text.iter().take(read).filter_map(|&byte| line.push(byte)) {
                // The last place is not used: it could not be told from more.
                MAPPINGS.get(..MAPPINGS_MAX - 1)?.get(count)?.set(mapping);
                count += 1;
            }
        }
    })
}

/// A line of `/proc/self/maps`, such as `7f00-7f80 rw-p 0000 08:01 1234 /file`, parsed byte by byte.
struct MapsLine {
    from: u64,
    to: u64,
    /// 0: the first address, 1: the second, 2 to 5: the letters of the permissions, 7 to 9: offset, device and number of the file, 10: the
    /// rest.
    part: u8,
    is_writable: bool,
    has_file: bool,
}

impl MapsLine {
    const NEW: Self = Self {
        from: 0,
        to: 0,
        part: 0,
        is_writable: true,
        has_file: false,
    };

    /// The range, at the end of a line of memory that is private and can be written.
    fn push(&mut self, byte: u8) -> Option<Mapping> {
        let digit = match byte {
            b'0'..=b'9' => u64::from(byte - b'0'),
            b'a'..=b'f' => u64::from(byte - b'a') + 10,
            _ => 16,
        };
        match (self.part, byte) {
            (_, b'\n') => {
                let line = core::mem::replace(self, Self::NEW);
                return (line.part >= 9 && line.is_writable).then_some(Mapping {
                    from: line.from,
                    to: line.to,
                    has_file: line.has_file,
                });
            }
            (0, b'-') | (1, b' ') => self.part += 1,
            (0, _) => self.from = (self.from << 4) | digit,
            (1, _) => self.to = (self.to << 4) | digit,
            (2..=5, letter) => {
                let expected = match self.part {
                    2 => b'r',
                    3 => b'w',
                    4 => letter,
                    _ => b'p',
                };
                self.is_writable &= letter == expected;
                self.part += 1;
            }
            // A space comes before each of these.
            (6..=9, b' ') => self.part += 1,
            (9, b'1'..=b'9') => self.has_file = true,
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::MapsLine;
    use std::vec::Vec;

    fn mappings(text: &str) -> Vec<(u64, u64, bool)> {
        let mut line = MapsLine::NEW;
        let found = text.bytes().filter_map(|byte| line.push(byte));
        found
            .map(|found| (found.from, found.to, found.has_file))
            .collect()
    }

    #[test]
    fn private_memory_that_can_be_written_is_listed() {
        let text = "\
5555-5557 r--p 00000000 08:01 1234   /bin/a program\n\
7f00-7f80 rw-p 00000000 08:01 1234   /lib/a 5555-5557 rw-p\n\
7f80-8000 rw-s 00000000 00:01 99     /memfd:shared\n\
ffff7ffc000-ffff8000000 rw-p 00000000 00:00 0 [stack]\n\
9000-a000 rwxp 00000000 00:00 0 \n";
        assert_eq!(
            mappings(text),
            [
                (0x7f00, 0x7f80, true),
                (0x0fff_f7ff_c000, 0x0fff_f800_0000, false),
                (0x9000, 0xa000, false)
            ]
        );
    }
}
