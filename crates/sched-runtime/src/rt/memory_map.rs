//! The memory of the process: what the program can change, and what is the runtime's own.

use crate::rt::sys::{number, raw};
use crate::rt::{races, weak_memory};

unsafe extern "C" {
    /// The linker defines these at the beginning and the end of the section with the runtime's own state.
    static __start_omnilink_state: u8;
    static __stop_omnilink_state: u8;
}

/// From one address up to another.
pub type Range = (u64, u64);

const RANGES_MAX: usize = 512;

/// The runtime's own state, which is not part of the program's.
pub unsafe fn own_state() -> impl Iterator<Item = Range> {
    let variables = (
        (&raw const __start_omnilink_state) as u64,
        (&raw const __stop_omnilink_state) as u64,
    );
    let tables = races::memory().into_iter().chain(weak_memory::memory());
    core::iter::once(variables).chain(tables)
}

/// The memory that is private to the process and can be written. None if it is not known, or in too many ranges.
pub unsafe fn writable() -> Option<&'static [Range]> {
    #[unsafe(link_section = "omnilink_state")]
    static mut RANGES: [Range; RANGES_MAX] = [(0, 0); RANGES_MAX];
    let ranges = &mut *(&raw mut RANGES);
    let count = writable_ranges(ranges)?;
    ranges.get(..count)
}

/// The ranges, as the system lists them.
unsafe fn writable_ranges(ranges: &mut [Range]) -> Option<usize> {
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
        if read <= 0 || count == ranges.len() {
            break read;
        }
        for index in 0..read as usize {
            if let Some(range) = line.push(*text.add(index))
                && let Some(free) = ranges.get_mut(count)
            {
                *free = range;
                count += 1;
            }
        }
    };
    raw(number::CLOSE, [file]);
    (read == 0 && count < ranges.len()).then_some(count)
}

/// A line of `/proc/self/maps`, such as `7f00-7f80 rw-p …`, parsed byte by byte.
struct MapsLine {
    from: u64,
    to: u64,
    /// 0: the first address, 1: the second, 2 to 5: the letters of the permissions, 6: the rest.
    part: u8,
    is_writable: bool,
}

impl MapsLine {
    const NEW: Self = Self {
        from: 0,
        to: 0,
        part: 0,
        is_writable: true,
    };

    /// The range, at the end of a line of memory that is private and can be written.
    fn push(&mut self, byte: u8) -> Option<Range> {
        let digit = match byte {
            b'0'..=b'9' => u64::from(byte - b'0'),
            b'a'..=b'f' => u64::from(byte - b'a') + 10,
            _ => 16,
        };
        match (self.part, byte) {
            (_, b'\n') => {
                let line = core::mem::replace(self, Self::NEW);
                return (line.part == 6 && line.is_writable).then_some((line.from, line.to));
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
            _ => {}
        }
        None
    }
}
