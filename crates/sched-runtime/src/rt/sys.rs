//! The operating system: direct system calls, and the functions of the C library behind those that the runtime replaces.
//!
//! The object defines `syscall`, `pthread_create` and others, so the runtime must not call them by name.

use core::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};

pub const EAGAIN: c_int = 11;
pub const ENOMEM: c_int = 12;
pub const EBUSY: c_int = 16;
pub const EINVAL: c_int = 22;
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
#[inline(always)]
pub unsafe fn raw<const N: usize>(number: i64, arguments: [i64; N]) -> i64 {
    let argument = |index: usize| arguments.get(index).copied().unwrap_or(0);
    let [a, b, c, d, e, f] = core::array::from_fn(argument);
    let result: i64;
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
    result
}

pub unsafe fn futex_wait(word: &AtomicU32, value: u32) {
    raw(
        number::FUTEX,
        [word.as_ptr() as i64, FUTEX_WAIT | FUTEX_PRIVATE, value as i64],
    );
}

pub unsafe fn futex_wake(word: &AtomicU32) {
    raw(
        number::FUTEX,
        [word.as_ptr() as i64, FUTEX_WAKE | FUTEX_PRIVATE, 1],
    );
}

pub unsafe fn exit_process(code: i64) -> ! {
    loop {
        raw(number::EXIT_GROUP, [code]);
    }
}

/// Stops the calling thread for the rest of the process.
pub unsafe fn park_forever() -> ! {
    let never = AtomicU32::new(0);
    loop {
        futex_wait(&never, 0);
    }
}

unsafe extern "C" {
    pub fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn __errno_location() -> *mut c_int;
    pub fn getenv(name: *const c_char) -> *const c_char;
    pub fn getauxval(kind: c_ulong) -> c_ulong;
    pub fn fork() -> c_int;
    pub fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    pub fn alarm(seconds: u32) -> u32;
    fn mmap(
        at: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        from: i64,
    ) -> *mut c_void;
    pub fn pthread_key_create(key: *mut u32, destructor: unsafe extern "C" fn(*mut c_void)) -> c_int;
    pub fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
}

const PROT_READ_WRITE: c_int = 3;

/// New private memory, all zero, of which only what is touched takes space; none if the system refuses.
pub unsafe fn map_memory(length: usize) -> Option<*mut u8> {
    const MAP_PRIVATE_ANONYMOUS_NORESERVE: c_int = 0x4022;
    let flags = MAP_PRIVATE_ANONYMOUS_NORESERVE;
    let memory = mmap(core::ptr::null_mut(), length, PROT_READ_WRITE, flags, -1, 0);
    (memory as isize != -1).then_some(memory.cast())
}

/// Makes private memory of whole pages zero. Large memory is given back.
pub unsafe fn clear(from: u64, length: u64) {
    const MADV_DONTNEED: i64 = 4;
    const WRITTEN_MAX: u64 = 256 << 10;
    if length <= WRITTEN_MAX || raw(number::MADVISE, [from as i64, length as i64, MADV_DONTNEED]) < 0 {
        (from as *mut u8).write_bytes(0, length as usize);
    }
}

/// Gives an open file a large number, so that the files of a program have the numbers that they would have without it.
pub unsafe fn move_out_of_the_way(file: c_int) -> c_int {
    const F_DUPFD_CLOEXEC: i64 = 1_030;
    const FIRST: i64 = 900;
    let moved = raw(number::FCNTL, [file.into(), F_DUPFD_CLOEXEC, FIRST]) as c_int;
    if moved < 0 {
        return file;
    }
    raw(number::CLOSE, [file.into()]);
    moved
}

/// The memory of a file, shared with other processes; none if the system refuses.
pub unsafe fn map_file(file: c_int, length: usize) -> Option<*mut u8> {
    const MAP_SHARED: c_int = 1;
    let memory = mmap(
        core::ptr::null_mut(),
        length,
        PROT_READ_WRITE,
        MAP_SHARED,
        file,
        0,
    );
    (memory as isize != -1).then_some(memory.cast())
}

/// The number in an environment variable; 0 if it has no digits, none if it is not set.
pub unsafe fn number_in(variable: &CStr) -> Option<u64> {
    let text = getenv(variable.as_ptr());
    (!text.is_null()).then(|| leading_number(text).0)
}

/// The decimal number that a C string begins with, and the rest of the string.
pub unsafe fn leading_number(mut text: *const c_char) -> (u64, *const c_char) {
    let mut value: u64 = 0;
    while (*text as u8).is_ascii_digit() {
        value = value.wrapping_mul(10).wrapping_add(u64::from(*text as u8 - b'0'));
        text = text.add(1);
    }
    (value, text)
}

/// Sets `errno` and returns what a function of the C library then returns.
pub unsafe fn fail(errno: c_int) -> c_int {
    *__errno_location() = errno;
    -1
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
    pub unsafe fn get(&self) -> *const c_void {
        const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;
        let mut address = self.address.load(SeqCst);
        if address == 0 {
            address = dlsym(RTLD_NEXT, self.name.as_ptr()) as usize;
            if address == 0 {
                exit_process(127);
            }
            self.address.store(address, SeqCst);
        }
        address as *const c_void
    }
}

/// Calls the replaced function `$name`, which has the given signature. In an `unsafe fn` only.
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
