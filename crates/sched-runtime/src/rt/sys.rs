//! System calls made directly, and the functions of the C library that stand behind those we replace.
//!
//! The runtime defines `syscall`, `pthread_create` and others under their own names, so that it must not call
//! them by name itself.

use core::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};

pub const EAGAIN: c_int = 11;
pub const EBUSY: c_int = 16;
pub const ETIMEDOUT: c_int = 110;
pub const FUTEX_WAIT: c_long = 0;
pub const FUTEX_WAKE: c_long = 1;
pub const FUTEX_REQUEUE: c_long = 3;
pub const FUTEX_CMP_REQUEUE: c_long = 4;
pub const FUTEX_WAIT_BITSET: c_long = 9;
pub const FUTEX_WAKE_BITSET: c_long = 10;
pub const FUTEX_PRIVATE: c_long = 128;
pub const FUTEX_CLOCK_REALTIME: c_long = 256;

#[cfg(target_arch = "x86_64")]
pub mod number {
    pub const READ: i64 = 0;
    pub const WRITE: i64 = 1;
    pub const CLOSE: i64 = 3;
    pub const SCHED_YIELD: i64 = 24;
    pub const NANOSLEEP: i64 = 35;
    pub const GETPID: i64 = 39;
    pub const EXECVE: i64 = 59;
    pub const GETTIMEOFDAY: i64 = 96;
    pub const PERSONALITY: i64 = 135;
    pub const PRCTL: i64 = 157;
    pub const FUTEX: i64 = 202;
    pub const SCHED_SETAFFINITY: i64 = 203;
    pub const CLOCK_GETTIME: i64 = 228;
    pub const CLOCK_NANOSLEEP: i64 = 230;
    pub const EXIT_GROUP: i64 = 231;
    pub const OPENAT: i64 = 257;
    pub const GETRANDOM: i64 = 318;
}

#[cfg(target_arch = "aarch64")]
pub mod number {
    pub const OPENAT: i64 = 56;
    pub const CLOSE: i64 = 57;
    pub const READ: i64 = 63;
    pub const WRITE: i64 = 64;
    pub const PERSONALITY: i64 = 92;
    pub const EXIT_GROUP: i64 = 94;
    pub const FUTEX: i64 = 98;
    pub const NANOSLEEP: i64 = 101;
    pub const CLOCK_GETTIME: i64 = 113;
    pub const CLOCK_NANOSLEEP: i64 = 115;
    pub const SCHED_SETAFFINITY: i64 = 122;
    pub const SCHED_YIELD: i64 = 124;
    pub const PRCTL: i64 = 167;
    pub const GETTIMEOFDAY: i64 = 169;
    pub const GETPID: i64 = 172;
    pub const EXECVE: i64 = 221;
    pub const GETRANDOM: i64 = 278;
}

/// A system call without the C library: the result is `-errno` on failure.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub unsafe fn raw(number: i64, a: i64, b: i64, c: i64, d: i64, e: i64, f: i64) -> i64 {
    let result: i64;
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// A system call without the C library: the result is `-errno` on failure.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub unsafe fn raw(number: i64, a: i64, b: i64, c: i64, d: i64, e: i64, f: i64) -> i64 {
    let result: i64;
    unsafe {
        core::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") a => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f,
            options(nostack),
        );
    }
    result
}

pub unsafe fn futex_wait(word: &AtomicU32, value: u32) {
    unsafe { raw(number::FUTEX, word.as_ptr() as i64, FUTEX_WAIT | FUTEX_PRIVATE, value as i64, 0, 0, 0) };
}

pub unsafe fn futex_wake(word: &AtomicU32) {
    unsafe { raw(number::FUTEX, word.as_ptr() as i64, FUTEX_WAKE | FUTEX_PRIVATE, 1, 0, 0, 0) };
}

pub unsafe fn exit_process(code: i64) -> ! {
    loop {
        unsafe { raw(number::EXIT_GROUP, code, 0, 0, 0, 0, 0) };
    }
}

/// Stops the calling thread for the rest of the process.
pub unsafe fn park_forever() -> ! {
    let never = AtomicU32::new(0);
    loop {
        unsafe { futex_wait(&never, 0) };
    }
}

unsafe extern "C" {
    pub fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn __errno_location() -> *mut c_int;
    pub fn getenv(name: *const c_char) -> *const c_char;
    pub fn getauxval(kind: c_ulong) -> c_ulong;
    pub fn fork() -> c_int;
    pub fn malloc(length: usize) -> *mut c_void;
    pub fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    pub fn alarm(seconds: u32) -> u32;
    pub fn close(file: c_int) -> c_int;
    pub fn read(file: c_int, buffer: *mut c_void, length: usize) -> isize;
    pub fn write(file: c_int, buffer: *const c_void, length: usize) -> isize;
    pub fn mmap(at: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, from: i64) -> *mut c_void;
    pub fn pthread_key_create(key: *mut u32, destructor: unsafe extern "C" fn(*mut c_void)) -> c_int;
    pub fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
}

pub unsafe fn fail(errno: c_int) -> c_int {
    unsafe { *__errno_location() = errno };
    -1
}

/// A function of the C library that the runtime hides under the same name, looked up once.
pub struct Real {
    name: &'static [u8],
    address: AtomicUsize,
}

impl Real {
    /// `name` ends in a zero byte.
    pub const fn new(name: &'static [u8]) -> Self {
        Self { name, address: AtomicUsize::new(0) }
    }

    pub fn get(&self) -> usize {
        const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;
        let known = self.address.load(SeqCst);
        if known != 0 {
            return known;
        }
        let found = unsafe { dlsym(RTLD_NEXT, self.name.as_ptr().cast()) } as usize;
        if found == 0 {
            unsafe { exit_process(127) };
        }
        self.address.store(found, SeqCst);
        found
    }
}

/// Calls the hidden function `$name` with the given signature.
macro_rules! real {
    ($name:literal, fn($($type:ty),*) -> $result:ty, $($argument:expr),*) => {{
        static REAL: crate::sys::Real = crate::sys::Real::new(concat!($name, "\0").as_bytes());
        let function: unsafe extern "C" fn($($type),*) -> $result = unsafe { core::mem::transmute(REAL.get()) };
        unsafe { function($($argument),*) }
    }};
}
pub(crate) use real;
