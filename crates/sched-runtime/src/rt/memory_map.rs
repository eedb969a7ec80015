//! The memory of the process: what the program can change, and what is the runtime's own.

use crate::rt::sys::{number, raw};
use crate::rt::{races, saved_memory, weak_memory};

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
pub unsafe fn own_state() -> impl Iterator<Item = Range> {
    let variables = (
        (&raw const __start_omnilink_state) as u64,
        (&raw const __stop_omnilink_state) as u64,
    );
    core::iter::once(variables).chain(tables())
}

/// The part of it that is in memory of its own.
pub unsafe fn tables() -> impl Iterator<Item = Range> {
    let races = races::memory().into_iter();
    races.chain(weak_memory::memory()).chain(saved_memory::memory())
}

/// The memory that is private to the process and can be written. None if it is not known, or in too many ranges.
pub unsafe fn writable() -> Option<&'static [Mapping]> {
    #[unsafe(link_section = "omnilink_state")]
    static mut MAPPINGS: [Mapping; MAPPINGS_MAX] = [Mapping {
        from: 0,
        to: 0,
        has_file: false,
    }; MAPPINGS_MAX];
    let mappings = &mut *(&raw mut MAPPINGS);
    let count = writable_mappings(mappings)?;
    mappings.get(..count)
}

/// The mappings, as the system lists them.
unsafe fn writable_mappings(mappings: &mut [Mapping]) -> Option<usize> {
    const BUFFER: usize = 1 << 12;
    #[unsafe(link_section = "omnilink_state")]
    static mut TEXT: [u8; BUFFER] = [0; BUFFER];
    let file = raw(number::OPENAT, [-100, c"/proc/self/maps".as_ptr() as i64]);
    if file < 0 {
        return None;
    }
    let text = (&raw mut TEXT).cast::<u8>();
    let mut line = MapsLine::NEW;
    let mut count = 0;
    let read = loop {
        let read = raw(number::READ, [file, text as i64, BUFFER as i64]);
        if read <= 0 || count == mappings.len() {
            break read;
        }
        for index in 0..read as usize {
            if let Some(mapping) = line.push(*text.add(index))
                && let Some(free) = mappings.get_mut(count)
            {
                *free = mapping;
                count += 1;
            }
        }
    };
    raw(number::CLOSE, [file]);
    (read == 0 && count < mappings.len()).then_some(count)
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
