//! What a whole program uses and nobody controls: files, other processes, memory that it shares with them.

use crate::layout::{OUTSIDE_NAME_CAP, OutsideRecord, outside};
use crate::rt::entry::me;
use crate::rt::readiness;
use crate::rt::scheduler::shared;
use crate::rt::sys::{number, raw, real};
use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_void};

/// A file on a disk is read, written or closed.
pub fn file(number: c_int) {
    note(outside::FILE, |name| name_of(number, name));
}

/// Memory that other processes may have is mapped.
pub fn shared_memory(number: c_int) {
    note(outside::SHARED_MEMORY, |name| name_of(number, name));
}

/// A process is started, from this file or by this command if that is known.
///
/// # Safety
/// The name is null or a text that ends.
pub unsafe fn process(name: *const c_char) {
    // SAFETY: the caller's contract.
    note(outside::PROCESS, |to| unsafe { copy(name, to) });
}

/// Copies a text, the end of a long one excepted, and returns its length. There may be none.
///
/// # Safety
/// It is null or ends.
unsafe fn copy(text: *const c_char, to: &mut [u8; OUTSIDE_NAME_CAP]) -> usize {
    if text.is_null() {
        return 0;
    }
    // SAFETY: the caller's contract.
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    to.iter_mut().zip(bytes).map(|(to, from)| *to = *from).count()
}

macro_rules! open_stream {
    ($($name:ident)*) => { $(
        /// A stream of the C library reads and writes inside of it, which is not seen.
        pub unsafe extern "C" fn $name(path: *const c_char, mode: *const c_char) -> *mut c_void {
            /// What the system tells in files is not kept on a disk.
            const OF_SYSTEM: [&[u8]; 3] = [b"/proc/", b"/sys/", b"/dev/"];
            let is_of_system = |path: &[u8]| OF_SYSTEM.iter().any(|folder| path.starts_with(folder));
            // SAFETY: this has the contract of the function that it replaces: the path ends.
            unsafe {
                if !path.is_null() && !is_of_system(CStr::from_ptr(path).to_bytes()) {
                    note(outside::FILE, |to| copy(path, to));
                }
                real!($name, fn(*const c_char, *const c_char) -> *mut c_void, path, mode)
            }
        }
    )* };
}

open_stream! { fopen fopen64 }

/// Records something, once; `name_of` writes its name and returns its length.
fn note(kind: u32, name_of: impl FnOnce(&mut [u8; OUTSIDE_NAME_CAP]) -> usize) {
    if !readiness::is_scheduled() || u64::from(me()) < shared().background_threads.get() {
        return;
    }
    let shared = shared();
    let mut record = OutsideRecord {
        kind,
        name_len: 0,
        name: [0; OUTSIDE_NAME_CAP],
    };
    record.name_len = name_of(&mut record.name) as u32;
    let len = shared.outside_len.get() as usize;
    let is_same = |known: &Cell<OutsideRecord>| {
        let known = known.get();
        (known.kind, known.name) == (record.kind, record.name)
    };
    if shared.outside.iter().take(len).any(is_same) {
        return;
    }
    if let Some(free) = shared.outside.get(len) {
        free.set(record);
        shared.outside_len.set(shared.outside_len.get() + 1);
    }
}

/// The name of an open file, as the system tells it. The end of a long one is left out.
fn name_of(file: c_int, name: &mut [u8; OUTSIDE_NAME_CAP]) -> usize {
    const HERE: i64 = -100;
    const FOLDER: &[u8] = b"/proc/self/fd/";
    const DIGITS: usize = 10;
    let mut link = [0_u8; FOLDER.len() + DIGITS + 1];
    link[..FOLDER.len()].copy_from_slice(FOLDER);
    let mut digits = [0_u8; DIGITS];
    let mut rest = file.max(0);
    let mut first = DIGITS;
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let len = DIGITS - first;
    link[FOLDER.len()..FOLDER.len() + len].copy_from_slice(&digits[first..]);
    let arguments = [
        HERE,
        link.as_ptr() as i64,
        name.as_mut_ptr() as i64,
        OUTSIDE_NAME_CAP as i64,
    ];
    // SAFETY: it reads the path and writes into the name, which has room.
    unsafe { raw(number::READLINKAT, arguments) }.max(0) as usize
}
