//! Functions of the C library that access memory for their caller: the calls of a component are redirected to these by
//! `omnilink-sched`, which compiles it.
//!
//! Each records what it reads and writes, as the instrumentation would, and then calls the C library. An access comes before its
//! effect, so that another thread may run first. Of strings, the part up to their end is read; of what is compared, the part up to
//! the first difference.

use crate::rt::accesses::{read_range, write_range};
use crate::rt::entry::{caller, is_controlled, load_address};
use core::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    fn memcmp(one: *const c_void, other: *const c_void, length: usize) -> c_int;
    fn memchr(text: *const c_void, byte: c_int, length: usize) -> *mut c_void;
    fn strlen(text: *const c_char) -> usize;
    fn strnlen(text: *const c_char, max: usize) -> usize;
    fn strcmp(one: *const c_char, other: *const c_char) -> c_int;
    fn strncmp(one: *const c_char, other: *const c_char, max: usize) -> c_int;
    fn strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn strncpy(to: *mut c_char, from: *const c_char, max: usize) -> *mut c_char;
    fn strcat(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn strncat(to: *mut c_char, from: *const c_char, max: usize) -> *mut c_char;
    fn strchr(text: *const c_char, byte: c_int) -> *mut c_char;
    fn strrchr(text: *const c_char, byte: c_int) -> *mut c_char;
    fn strstr(text: *const c_char, part: *const c_char) -> *mut c_char;
    fn strdup(text: *const c_char) -> *mut c_char;
    fn read(file: c_int, to: *mut c_void, length: usize) -> isize;
    fn write(file: c_int, from: *const c_void, length: usize) -> isize;
    fn pread(file: c_int, to: *mut c_void, length: usize, offset: i64) -> isize;
    fn pwrite(file: c_int, from: *const c_void, length: usize, offset: i64) -> isize;
    fn recv(file: c_int, to: *mut c_void, length: usize, flags: c_int) -> isize;
    fn send(file: c_int, from: *const c_void, length: usize, flags: c_int) -> isize;
    fn fread(to: *mut c_void, size: usize, count: usize, stream: *mut c_void) -> usize;
    fn fwrite(from: *const c_void, size: usize, count: usize, stream: *mut c_void) -> usize;
    fn qsort(base: *mut c_void, count: usize, size: usize, compare: Compare);
}

type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// The call that is being made: where it was called.
#[derive(Clone, Copy)]
struct Call(u64);

impl Call {
    fn here() -> Self {
        Self(caller().wrapping_add(load_address()))
    }

    fn reads(self, address: *const c_void, length: usize) {
        if length != 0 {
            read_range(address, length, self.0);
        }
    }

    fn writes(self, address: *const c_void, length: usize) {
        if length != 0 {
            write_range(address, length, self.0);
        }
    }

    /// Reads a string with its end.
    ///
    /// # Safety
    /// It is a string that ends.
    unsafe fn reads_text(self, text: *const c_char) {
        if is_controlled() {
            // SAFETY: the caller's contract.
            self.reads(text.cast(), unsafe { strlen(text) } + 1);
        }
    }

    /// Reads a string up to its end, or up to a number of bytes.
    ///
    /// # Safety
    /// It has that many bytes, or ends before.
    unsafe fn reads_part(self, text: *const c_char, max: usize) {
        if is_controlled() {
            // SAFETY: the caller's contract.
            let length = unsafe { strnlen(text, max) };
            self.reads(text.cast(), length.saturating_add(1).min(max));
        }
    }
}

/// How many bytes are compared until the first difference, that one included.
///
/// # Safety
/// Both have that many bytes, or, if that counts, an end before.
unsafe fn compared(one: *const u8, other: *const u8, max: usize, ends: bool) -> usize {
    for index in 0..max {
        // SAFETY: the caller's contract: neither has ended, and they were equal so far.
        let (a, b) = unsafe { (one.add(index).read_volatile(), other.add(index).read_volatile()) };
        if a != b || (ends && a == 0) {
            return index + 1;
        }
    }
    max
}

/// Memory is compared, or strings that end.
///
/// # Safety
/// That of [`compared`].
unsafe fn compare(one: *const c_void, other: *const c_void, max: usize, ends: bool) {
    let call = Call::here();
    if is_controlled() {
        // SAFETY: the caller's contract.
        let length = unsafe { compared(one.cast(), other.cast(), max, ends) };
        call.reads(one, length);
        call.reads(other, length);
    }
}

pub unsafe extern "C" fn compare_memory(one: *const c_void, other: *const c_void, length: usize) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        compare(one, other, length, false);
        memcmp(one, other, length)
    }
}

pub unsafe extern "C" fn compare_text(one: *const c_char, other: *const c_char) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        compare(one.cast(), other.cast(), usize::MAX, true);
        strcmp(one, other)
    }
}

pub unsafe extern "C" fn compare_part(one: *const c_char, other: *const c_char, max: usize) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        compare(one.cast(), other.cast(), max, true);
        strncmp(one, other, max)
    }
}

pub unsafe extern "C" fn find_byte(text: *const c_void, byte: c_int, length: usize) -> *mut c_void {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        let found = memchr(text, byte, length);
        let read = match found.is_null() {
            true => length,
            false => found as usize - text as usize + 1,
        };
        call.reads(text, read);
        memchr(text, byte, length)
    }
}

pub unsafe extern "C" fn length_of(text: *const c_char) -> usize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        Call::here().reads_text(text);
        strlen(text)
    }
}

pub unsafe extern "C" fn length_of_part(text: *const c_char, max: usize) -> usize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        Call::here().reads_part(text, max);
        strnlen(text, max)
    }
}

/// Before a string is copied: how many bytes of it.
///
/// # Safety
/// It ends.
unsafe fn copy(to: *mut c_char, from: *const c_char) {
    let call = Call::here();
    if is_controlled() {
        // SAFETY: the caller's contract.
        let length = unsafe { strlen(from) } + 1;
        call.reads(from.cast(), length);
        call.writes(to.cast(), length);
    }
}

pub unsafe extern "C" fn copy_text(to: *mut c_char, from: *const c_char) -> *mut c_char {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        copy(to, from);
        strcpy(to, from)
    }
}

pub unsafe extern "C" fn copy_text_to_end(to: *mut c_char, from: *const c_char) -> *mut c_char {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        copy(to, from);
        stpcpy(to, from)
    }
}

/// Fills the rest with zeros.
pub unsafe extern "C" fn copy_part(to: *mut c_char, from: *const c_char, max: usize) -> *mut c_char {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        call.reads_part(from, max);
        call.writes(to.cast(), max);
        strncpy(to, from, max)
    }
}

pub unsafe extern "C" fn append(to: *mut c_char, from: *const c_char) -> *mut c_char {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        call.reads_text(from);
        call.reads_text(to);
        if is_controlled() {
            call.writes(to.add(strlen(to)).cast(), strlen(from) + 1);
        }
        strcat(to, from)
    }
}

pub unsafe extern "C" fn append_part(to: *mut c_char, from: *const c_char, max: usize) -> *mut c_char {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        call.reads_part(from, max);
        call.reads_text(to);
        if is_controlled() {
            call.writes(to.add(strlen(to)).cast(), strnlen(from, max) + 1);
        }
        strncat(to, from, max)
    }
}

pub unsafe extern "C" fn find_first(text: *const c_char, byte: c_int) -> *mut c_char {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        if is_controlled() {
            let found = strchr(text, byte);
            let length = match found.is_null() {
                true => strlen(text),
                false => found as usize - text as usize,
            };
            call.reads(text.cast(), length + 1);
        }
        strchr(text, byte)
    }
}

pub unsafe extern "C" fn find_last(text: *const c_char, byte: c_int) -> *mut c_char {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        Call::here().reads_text(text);
        strrchr(text, byte)
    }
}

/// How much of the text is read depends on how it is searched: the first byte is, at least.
pub unsafe extern "C" fn find_text(text: *const c_char, part: *const c_char) -> *mut c_char {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        call.reads_text(part);
        call.reads(text.cast(), 1);
        strstr(text, part)
    }
}

pub unsafe extern "C" fn duplicate(text: *const c_char) -> *mut c_char {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        Call::here().reads_text(text);
        strdup(text)
    }
}

pub unsafe extern "C" fn zero(to: *mut c_void, length: usize) {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        Call::here().writes(to, length);
        core::ptr::write_bytes(to.cast::<u8>(), 0, length);
    }
}

/// What was read from a file was written to memory.
fn received(call: Call, to: *mut c_void, length: isize) -> isize {
    if length > 0 {
        call.writes(to, length as usize);
    }
    length
}

pub unsafe extern "C" fn read_file(file: c_int, to: *mut c_void, length: usize) -> isize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        received(call, to, read(file, to, length))
    }
}

pub unsafe extern "C" fn read_file_at(file: c_int, to: *mut c_void, length: usize, offset: i64) -> isize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        received(call, to, pread(file, to, length, offset))
    }
}

pub unsafe extern "C" fn receive(file: c_int, to: *mut c_void, length: usize, flags: c_int) -> isize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        received(call, to, recv(file, to, length, flags))
    }
}

pub unsafe extern "C" fn write_file(file: c_int, from: *const c_void, length: usize) -> isize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        Call::here().reads(from, length);
        write(file, from, length)
    }
}

pub unsafe extern "C" fn write_file_at(
    file: c_int,
    from: *const c_void,
    length: usize,
    offset: i64,
) -> isize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        Call::here().reads(from, length);
        pwrite(file, from, length, offset)
    }
}

pub unsafe extern "C" fn send_bytes(file: c_int, from: *const c_void, length: usize, flags: c_int) -> isize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        Call::here().reads(from, length);
        send(file, from, length, flags)
    }
}

pub unsafe extern "C" fn read_stream(
    to: *mut c_void,
    size: usize,
    count: usize,
    stream: *mut c_void,
) -> usize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        let read = fread(to, size, count, stream);
        call.writes(to, read.saturating_mul(size));
        read
    }
}

pub unsafe extern "C" fn write_stream(
    from: *const c_void,
    size: usize,
    count: usize,
    stream: *mut c_void,
) -> usize {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        Call::here().reads(from, size.saturating_mul(count));
        fwrite(from, size, count, stream)
    }
}

/// The function that compares is the component's, and is seen by itself.
pub unsafe extern "C" fn sort(base: *mut c_void, count: usize, size: usize, compare: Compare) {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        let call = Call::here();
        if count > 1 {
            call.writes(base, size.saturating_mul(count));
        }
        qsort(base, count, size, compare);
    }
}
