//! The operating system: direct system calls, and the functions of the C library behind those that the runtime replaces.
//!
//! The object defines `syscall`, `pthread_create` and others, so the runtime must not call them by name.

use crate::rt::readiness::PollFile;
use core::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};

pub const EINTR: c_int = 4;
pub const EIO: c_int = 5;
pub const EAGAIN: c_int = 11;
pub const ENOMEM: c_int = 12;
pub const EBUSY: c_int = 16;
pub const EINVAL: c_int = 22;
pub const EDEADLK: c_int = 35;
pub const ENOMSG: c_int = 42;
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
    pub const FSTAT: i64 = 5;
    pub const SIGPROCMASK: i64 = 14;
    pub const PREAD: i64 = 17;
    pub const SIGTIMEDWAIT: i64 = 128;
    pub const PSELECT6: i64 = 270;
    pub const PIDFD_OPEN: i64 = 434;
    pub const READV: i64 = 19;
    pub const WRITEV: i64 = 20;
    pub const SCHED_YIELD: i64 = 24;
    pub const MINCORE: i64 = 27;
    pub const MADVISE: i64 = 28;
    pub const NANOSLEEP: i64 = 35;
    pub const GETPID: i64 = 39;
    pub const CONNECT: i64 = 42;
    pub const SENDTO: i64 = 44;
    pub const RECVFROM: i64 = 45;
    pub const SENDMSG: i64 = 46;
    pub const RECVMSG: i64 = 47;
    pub const SHUTDOWN: i64 = 48;
    pub const GETSOCKOPT: i64 = 55;
    pub const EXECVE: i64 = 59;
    pub const FCNTL: i64 = 72;
    pub const GETTIMEOFDAY: i64 = 96;
    pub const PERSONALITY: i64 = 135;
    pub const PRCTL: i64 = 157;
    pub const ARCH_PRCTL: i64 = 158;
    pub const GETTID: i64 = 186;
    pub const FUTEX: i64 = 202;
    pub const SCHED_SETAFFINITY: i64 = 203;
    pub const SCHED_GETAFFINITY: i64 = 204;
    pub const CLOCK_GETTIME: i64 = 228;
    pub const CLOCK_NANOSLEEP: i64 = 230;
    pub const EXIT_GROUP: i64 = 231;
    pub const EPOLL_CTL: i64 = 233;
    pub const TGKILL: i64 = 234;
    pub const OPENAT: i64 = 257;
    pub const READLINKAT: i64 = 267;
    pub const PPOLL: i64 = 271;
    pub const EPOLL_PWAIT: i64 = 281;
    pub const TIMERFD_CREATE: i64 = 283;
    pub const TIMERFD_SETTIME: i64 = 286;
    pub const TIMERFD_GETTIME: i64 = 287;
    pub const ACCEPT4: i64 = 288;
    pub const EVENTFD: i64 = 290;
    pub const GETRANDOM: i64 = 318;
    pub const MEMBARRIER: i64 = 324;
}

#[cfg(target_arch = "aarch64")]
pub mod number {
    pub const EVENTFD: i64 = 19;
    pub const EPOLL_CTL: i64 = 21;
    pub const EPOLL_PWAIT: i64 = 22;
    pub const FCNTL: i64 = 25;
    pub const OPENAT: i64 = 56;
    pub const CLOSE: i64 = 57;
    pub const READ: i64 = 63;
    pub const WRITE: i64 = 64;
    pub const READV: i64 = 65;
    pub const WRITEV: i64 = 66;
    pub const PREAD: i64 = 67;
    pub const SIGTIMEDWAIT: i64 = 137;
    pub const PSELECT6: i64 = 72;
    pub const PIDFD_OPEN: i64 = 434;
    pub const PPOLL: i64 = 73;
    pub const READLINKAT: i64 = 78;
    pub const FSTAT: i64 = 80;
    pub const TIMERFD_CREATE: i64 = 85;
    pub const TIMERFD_SETTIME: i64 = 86;
    pub const TIMERFD_GETTIME: i64 = 87;
    pub const PERSONALITY: i64 = 92;
    pub const EXIT_GROUP: i64 = 94;
    pub const FUTEX: i64 = 98;
    pub const NANOSLEEP: i64 = 101;
    pub const CLOCK_GETTIME: i64 = 113;
    pub const CLOCK_NANOSLEEP: i64 = 115;
    pub const SCHED_SETAFFINITY: i64 = 122;
    pub const SCHED_GETAFFINITY: i64 = 123;
    pub const SCHED_YIELD: i64 = 124;
    pub const TGKILL: i64 = 131;
    pub const SIGPROCMASK: i64 = 135;
    pub const PRCTL: i64 = 167;
    pub const GETTIMEOFDAY: i64 = 169;
    pub const GETPID: i64 = 172;
    pub const GETTID: i64 = 178;
    pub const CONNECT: i64 = 203;
    pub const SENDTO: i64 = 206;
    pub const RECVFROM: i64 = 207;
    pub const GETSOCKOPT: i64 = 209;
    pub const SHUTDOWN: i64 = 210;
    pub const SENDMSG: i64 = 211;
    pub const RECVMSG: i64 = 212;
    pub const EXECVE: i64 = 221;
    pub const MINCORE: i64 = 232;
    pub const MADVISE: i64 = 233;
    pub const ACCEPT4: i64 = 242;
    pub const GETRANDOM: i64 = 278;
    pub const MEMBARRIER: i64 = 283;
}

/// A system call without the C library, with up to six arguments: the result is `-errno` on failure.
///
/// # Safety
/// The memory that the call reads or writes, as its arguments say, may be read or written so.
#[inline(always)]
pub unsafe fn raw<const N: usize>(number: i64, arguments: [i64; N]) -> i64 {
    let argument = |index: usize| arguments.get(index).copied().unwrap_or(0);
    let [a, b, c, d, e, f] = core::array::from_fn(argument);
    let result: i64;
    // SAFETY: the instruction changes the registers that are named here, and the memory for which the caller vouches.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
        #[cfg(target_arch = "aarch64")]
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

pub fn read(file: c_int, to: &mut [u8]) -> i64 {
    // SAFETY: it writes into the slice.
    unsafe {
        raw(
            number::READ,
            [file.into(), to.as_mut_ptr() as i64, to.len() as i64],
        )
    }
}

pub fn write(file: c_int, from: &[u8]) -> i64 {
    // SAFETY: it reads the slice.
    unsafe {
        raw(
            number::WRITE,
            [file.into(), from.as_ptr() as i64, from.len() as i64],
        )
    }
}

/// Opens a file for reading, which programs that are started do not inherit: its number, or a negative one.
pub fn open(path: &CStr) -> c_int {
    const HERE: i64 = -100;
    const CLOEXEC: i64 = 0o2_000_000;
    // SAFETY: it reads the path.
    unsafe { raw(number::OPENAT, [HERE, path.as_ptr() as i64, CLOEXEC]) as c_int }
}

pub fn close(file: c_int) -> i64 {
    // SAFETY: it touches no memory.
    unsafe { raw(number::CLOSE, [file.into()]) }
}

/// A command of `fcntl` whose argument is a number.
pub fn fcntl(file: c_int, command: i64, argument: i64) -> i64 {
    // SAFETY: the commands with a number as argument touch no memory.
    unsafe { raw(number::FCNTL, [file.into(), command, argument]) }
}

/// A setting of the process that is a number.
pub fn prctl(option: i64, argument: i64) {
    // SAFETY: the options with a number as argument touch no memory.
    unsafe { raw(number::PRCTL, [option, argument]) };
}

pub fn process_number() -> u32 {
    // SAFETY: it touches no memory.
    unsafe { raw(number::GETPID, []) as u32 }
}

/// The number of the calling thread.
pub fn thread_number() -> u32 {
    // SAFETY: it takes nothing.
    (unsafe { raw(number::GETTID, []) }) as u32
}

/// Whether the process has a thread with this number.
pub fn is_thread(number: u32) -> bool {
    const NO_SIGNAL: i64 = 0;
    let arguments = [process_number().into(), number.into(), NO_SIGNAL];
    // SAFETY: no signal is sent.
    unsafe { raw(number::TGKILL, arguments) == 0 }
}

pub fn sched_yield() {
    // SAFETY: it touches no memory.
    unsafe { raw(number::SCHED_YIELD, []) };
}

/// Waits for one of some files, at most for this time, and says which are ready.
pub fn poll(files: &mut [PollFile], mut limit: [i64; 2]) -> i64 {
    let arguments = [
        files.as_mut_ptr() as i64,
        files.len() as i64,
        limit.as_mut_ptr() as i64,
        0,
        8,
    ];
    // SAFETY: it writes into the slice, and what is left of the time into the limit.
    unsafe { raw(number::PPOLL, arguments) }
}

pub fn futex_wait(word: &AtomicU32, value: u32) {
    // SAFETY: it reads the word atomically.
    unsafe {
        raw(
            number::FUTEX,
            [word.as_ptr() as i64, FUTEX_WAIT | FUTEX_PRIVATE, value as i64],
        )
    };
}

pub fn futex_wake(word: &AtomicU32) {
    // SAFETY: it only takes the address of the word.
    unsafe {
        raw(
            number::FUTEX,
            [word.as_ptr() as i64, FUTEX_WAKE | FUTEX_PRIVATE, 1],
        )
    };
}

pub fn exit_process(code: i64) -> ! {
    loop {
        // SAFETY: it does not return.
        unsafe { raw(number::EXIT_GROUP, [code]) };
    }
}

/// Stops the calling thread for the rest of the process.
pub fn park_forever() -> ! {
    let never = AtomicU32::new(0);
    loop {
        futex_wait(&never, 0);
    }
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    safe fn __errno_location() -> *mut c_int;
    fn getenv(name: *const c_char) -> *const c_char;
    pub safe fn getauxval(kind: c_ulong) -> c_ulong;
    pub fn fork() -> c_int;
    pub fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    #[cfg(target_arch = "x86_64")]
    pub fn dl_iterate_phdr(
        each: unsafe extern "C" fn(
            *const crate::rt::library_calls::LoadedLibrary,
            usize,
            *mut c_void,
        ) -> c_int,
        passed: *mut c_void,
    ) -> c_int;
    pub safe fn alarm(seconds: u32) -> u32;
    fn mmap(
        at: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        from: i64,
    ) -> *mut c_void;
    pub fn pthread_key_create(key: *mut u32, destructor: unsafe extern "C" fn(*mut c_void)) -> c_int;
    pub fn pthread_self() -> usize;
    pub fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
}

const PROT_READ_WRITE: c_int = 3;
const MAP_SHARED: c_int = 1;
const MAP_FIXED: c_int = 0x10;
const MAP_PRIVATE_ANONYMOUS_NORESERVE: c_int = 0x4022;

/// New private memory, all zero, of which only what is touched takes space; none if the system refuses.
pub fn map_memory(length: usize) -> Option<*mut u8> {
    let flags = MAP_PRIVATE_ANONYMOUS_NORESERVE;
    // SAFETY: the memory is new.
    let memory = unsafe { mmap(core::ptr::null_mut(), length, PROT_READ_WRITE, flags, -1, 0) };
    (memory as isize != -1).then_some(memory.cast())
}

/// Puts new private memory, all zero, in the place of what is mapped at an address. False if the system refuses.
///
/// # Safety
/// What is mapped there may become zero.
pub unsafe fn replace_by_zeros(at: *mut u8, length: usize) -> bool {
    let flags = MAP_PRIVATE_ANONYMOUS_NORESERVE | MAP_FIXED;
    // SAFETY: the caller vouches for it.
    let memory = unsafe { mmap(at.cast(), length, PROT_READ_WRITE, flags, -1, 0) };
    memory as isize != -1
}

/// The memory of a file, shared with other processes; none if the system refuses.
pub fn map_file(file: c_int, length: usize) -> Option<*mut u8> {
    // SAFETY: the mapping is new.
    let memory = unsafe {
        mmap(
            core::ptr::null_mut(),
            length,
            PROT_READ_WRITE,
            MAP_SHARED,
            file,
            0,
        )
    };
    (memory as isize != -1).then_some(memory.cast())
}

/// Makes private memory of whole pages zero. Large memory is given back.
///
/// # Safety
/// Zeros are valid there, and nobody else uses the memory.
pub unsafe fn clear(from: u64, length: u64) {
    const MADV_DONTNEED: i64 = 4;
    const WRITTEN_MAX: u64 = 256 << 10;
    // SAFETY: the caller vouches for it.
    unsafe {
        if length <= WRITTEN_MAX || raw(number::MADVISE, [from as i64, length as i64, MADV_DONTNEED]) < 0 {
            (from as *mut u8).write_bytes(0, length as usize);
        }
    }
}

/// Gives an open file a large number, so that the files of a program have the numbers that they would have without it.
pub fn move_out_of_the_way(file: c_int) -> c_int {
    const F_DUPFD_CLOEXEC: i64 = 1_030;
    const FIRST: i64 = 900;
    let moved = fcntl(file, F_DUPFD_CLOEXEC, FIRST) as c_int;
    if moved < 0 {
        return file;
    }
    close(file);
    moved
}

/// An environment variable. It is read before the program could change it at the same time.
pub fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: the name ends, and so does what the C library returns, which lives until the variable is changed.
    unsafe {
        let text = getenv(name.as_ptr());
        (!text.is_null()).then(|| CStr::from_ptr(text))
    }
}

/// The number in an environment variable; 0 if it has no digits, none if it is not set.
pub fn number_in(name: &CStr) -> Option<u64> {
    variable(name).map(|text| leading_number(text.to_bytes()).0)
}

/// The decimal number that a text begins with, and the rest of the text.
pub fn leading_number(mut text: &[u8]) -> (u64, &[u8]) {
    let mut value: u64 = 0;
    while let [digit @ b'0'..=b'9', rest @ ..] = text {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        text = rest;
    }
    (value, text)
}

/// The address of a function of some library of the program; null if there is none.
pub fn function(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends.
    unsafe { dlsym(core::ptr::null_mut(), name.as_ptr()) }
}

/// Sets `errno` and returns what a function of the C library then returns.
pub fn fail(errno: c_int) -> c_int {
    // SAFETY: each thread has an `errno` of its own.
    unsafe { *__errno_location() = errno };
    -1
}

/// The calling thread's `errno`.
pub fn errno() -> c_int {
    // SAFETY: each thread has an `errno` of its own.
    unsafe { *__errno_location() }
}

/// `errno` and -1 for a failed system call.
pub fn result(result: i64) -> c_long {
    match result {
        failure @ -4095..0 => fail(-failure as c_int).into(),
        result => result,
    }
}

/// A function of the C library that the runtime replaces, looked up once.
pub struct Real {
    name: &'static CStr,
    address: AtomicUsize,
}

impl Real {
    pub const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicUsize::new(0),
        }
    }

    /// The address of the function; the process ends if there is none.
    pub fn get(&self) -> *const c_void {
        const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;
        let mut address = self.address.load(SeqCst);
        if address == 0 {
            // SAFETY: the name ends.
            address = unsafe { dlsym(RTLD_NEXT, self.name.as_ptr()) } as usize;
            if address == 0 {
                exit_process(127);
            }
            self.address.store(address, SeqCst);
        }
        address as *const c_void
    }
}

/// Calls the replaced function `$name`. Unsafe: it must have the given signature, and the call must be one that its contract allows.
macro_rules! real {
    ($name:ident, fn($($type:ty),* $(,)?) -> $result:ty, $($argument:expr),*) => {{
        static REAL: $crate::rt::sys::Real = match core::ffi::CStr::from_bytes_with_nul(
            concat!(stringify!($name), "\0").as_bytes(),
        ) {
            Ok(name) => $crate::rt::sys::Real::new(name),
            Err(_) => panic!(),
        };
        let function: unsafe extern "C" fn($($type),*) -> $result = core::mem::transmute(REAL.get());
        function($($argument),*)
    }};
}
pub(super) use real;

/// Defines functions of the C library anew: a thread that nobody controls calls the real one, a controlled one does what follows, which may use
/// the address `at` which the function was called. Both have the contract of the function that is replaced.
macro_rules! replaced {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty, at $code:ident $body:block
    )*) => { $(
        $(#[$attribute])*
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            // SAFETY: the contract of the function that is replaced.
            unsafe {
                if !$crate::rt::entry::is_controlled() {
                    return $crate::rt::sys::real!($name, fn($($type),*) -> $result, $($argument),*);
                }
                let $code = $crate::rt::entry::caller();
                $body
            }
        }
    )* };
}
pub(super) use replaced;

#[cfg(test)]
mod tests {
    use super::leading_number;

    #[test]
    fn a_number_ends_at_the_first_byte_that_is_no_digit() {
        assert_eq!(leading_number(b"3,4"), (3, &b",4"[..]));
        assert_eq!(leading_number(b"x"), (0, &b"x"[..]));
        assert_eq!(leading_number(b"1700"), (1700, &b""[..]));
    }
}
