//! Reading and writing of whole programs: calls of the C library that may block become steps, and waits of the scheduler.
//!
//! Files on a disk are read and written as they are. So are the standard streams: what is printed is not part of a schedule.

use crate::layout::influence;
use crate::rt::entry::caller;
use crate::rt::readiness::{self, POLLIN, POLLOUT, PollFile};
use crate::rt::sys::{self, number, raw, result};
use crate::rt::wait::Wakeup;
use crate::rt::{clock, outside, random, timers, whole_program};
use core::ffi::{c_int, c_long, c_void};

/// Whether a file is one between threads or processes: a pipe, a socket, an event counter, or a set of those.
fn connects(file: c_int) -> bool {
    const LAST_STANDARD_STREAM: c_int = 2;
    const KIND: u32 = 0o170_000;
    const PIPE: u32 = 0o010_000;
    const REGULAR: u32 = 0o100_000;
    const SOCKET: u32 = 0o140_000;
    const NO_NAME: u32 = 0;
    /// `st_mode` in `struct stat`, in words of four bytes.
    const MODE: usize = if cfg!(target_arch = "x86_64") { 6 } else { 4 };
    /// The lower half of `st_size`.
    const SIZE: usize = 12;
    if file <= LAST_STANDARD_STREAM {
        return false;
    }
    let mut status = [0_u32; 64];
    // SAFETY: it writes into the array, which is larger than the structure.
    let known = unsafe { raw(number::FSTAT, [file.into(), status.as_mut_ptr() as i64]) } == 0;
    let kind = status[MODE] & KIND;
    // What the system tells in files, such as /proc, has no size.
    if known && kind == REGULAR && status[SIZE] != 0 {
        outside::file(file);
    }
    known && matches!(kind, PIPE | SOCKET | NO_NAME)
}

pub fn blocks(file: c_int) -> bool {
    const F_GETFL: i64 = 3;
    const O_NONBLOCK: i64 = 0o4_000;
    sys::fcntl(file, F_GETFL, 0) & O_NONBLOCK == 0
}

const SO_RCVTIMEO: i64 = 20;
const SO_SNDTIMEO: i64 = 21;

/// When a socket ends a wait by itself, if it was told to.
fn time_limit(file: c_int, option: i64) -> Option<u64> {
    const SOL_SOCKET: i64 = 1;
    // Seconds and microseconds; zero if there is no limit.
    let mut limit = [0_i64; 2];
    let mut length = size_of_val(&limit) as u32;
    let arguments = [
        file.into(),
        SOL_SOCKET,
        option,
        limit.as_mut_ptr() as i64,
        (&raw mut length) as i64,
    ];
    // SAFETY: it writes into the two variables.
    let limit_ns = match unsafe { raw(number::GETSOCKOPT, arguments) } {
        0 => limit[0].max(0) as u64 * 1_000_000_000 + limit[1].max(0) as u64 * 1_000,
        _ => 0,
    };
    (limit_ns > 0).then(|| clock::now_ns().saturating_add(limit_ns))
}

/// `MSG_DONTWAIT`.
const DO_NOT_WAIT: c_int = 0x40;

/// The way in which bytes go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

/// Makes a system call that may wait for a file.
///
/// # Safety
/// That of the system call with these arguments.
unsafe fn transfer<const N: usize>(
    (file, direction): (c_int, Direction),
    waits: bool,
    code: u64,
    system_call: i64,
    arguments: [i64; N],
) -> c_long {
    if !readiness::is_scheduled() || !connects(file) {
        // SAFETY: the caller's contract.
        return result(unsafe { raw(system_call, arguments) });
    }
    readiness::step(code);
    if direction == Direction::Out {
        readiness::release();
    }
    if waits && blocks(file) {
        let (events, option) = match direction {
            Direction::In => (POLLIN, SO_RCVTIMEO),
            Direction::Out => (POLLOUT, SO_SNDTIMEO),
        };
        let awaited = PollFile {
            file,
            events,
            returned: 0,
        };
        match readiness::wait_for(&mut [awaited], time_limit(file, option), code) {
            Wakeup::Woken => {}
            Wakeup::TimedOut => return sys::fail(sys::EAGAIN).into(),
            Wakeup::Interrupted => return sys::fail(sys::EINTR).into(),
        }
    }
    // SAFETY: the caller's contract.
    let done = unsafe { raw(system_call, arguments) };
    if direction == Direction::In {
        readiness::acquire();
    }
    result(done)
}

pub unsafe extern "C" fn read(file: c_int, to: *mut c_void, length: usize) -> isize {
    let arguments = [file.into(), to as i64, length as i64];
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { transfer((file, Direction::In), true, caller(), number::READ, arguments) as isize }
}

pub unsafe extern "C" fn readv(file: c_int, parts: *const c_void, count: c_int) -> isize {
    let arguments = [file.into(), parts as i64, count.into()];
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { transfer((file, Direction::In), true, caller(), number::READV, arguments) as isize }
}

pub unsafe extern "C" fn write(file: c_int, from: *const c_void, length: usize) -> isize {
    let arguments = [file.into(), from as i64, length as i64];
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { transfer((file, Direction::Out), true, caller(), number::WRITE, arguments) as isize }
}

pub unsafe extern "C" fn writev(file: c_int, parts: *const c_void, count: c_int) -> isize {
    let arguments = [file.into(), parts as i64, count.into()];
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { transfer((file, Direction::Out), true, caller(), number::WRITEV, arguments) as isize }
}

pub unsafe extern "C" fn recv(file: c_int, to: *mut c_void, length: usize, flags: c_int) -> isize {
    let arguments = [file.into(), to as i64, length as i64, flags.into(), 0, 0];
    let waits = flags & DO_NOT_WAIT == 0;
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        transfer(
            (file, Direction::In),
            waits,
            caller(),
            number::RECVFROM,
            arguments,
        ) as isize
    }
}

pub unsafe extern "C" fn recvfrom(
    file: c_int,
    to: *mut c_void,
    length: usize,
    flags: c_int,
    address: *mut c_void,
    address_length: *mut u32,
) -> isize {
    let arguments = [
        file.into(),
        to as i64,
        length as i64,
        flags.into(),
        address as i64,
        address_length as i64,
    ];
    let waits = flags & DO_NOT_WAIT == 0;
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        transfer(
            (file, Direction::In),
            waits,
            caller(),
            number::RECVFROM,
            arguments,
        ) as isize
    }
}

pub unsafe extern "C" fn recvmsg(file: c_int, message: *mut c_void, flags: c_int) -> isize {
    let arguments = [file.into(), message as i64, flags.into()];
    let waits = flags & DO_NOT_WAIT == 0;
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { transfer((file, Direction::In), waits, caller(), number::RECVMSG, arguments) as isize }
}

pub unsafe extern "C" fn send(file: c_int, from: *const c_void, length: usize, flags: c_int) -> isize {
    let arguments = [file.into(), from as i64, length as i64, flags.into(), 0, 0];
    let waits = flags & DO_NOT_WAIT == 0;
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { transfer((file, Direction::Out), waits, caller(), number::SENDTO, arguments) as isize }
}

pub unsafe extern "C" fn sendto(
    file: c_int,
    from: *const c_void,
    length: usize,
    flags: c_int,
    address: *const c_void,
    address_length: u32,
) -> isize {
    // SAFETY: this has the contract of the function that it replaces: the address is null or one.
    if readiness::is_scheduled() && unsafe { is_elsewhere(address) } {
        return sys::fail(ENETUNREACH) as isize;
    }
    let arguments = [
        file.into(),
        from as i64,
        length as i64,
        flags.into(),
        address as i64,
        address_length.into(),
    ];
    let waits = flags & DO_NOT_WAIT == 0;
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { transfer((file, Direction::Out), waits, caller(), number::SENDTO, arguments) as isize }
}

pub unsafe extern "C" fn sendmsg(file: c_int, message: *const c_void, flags: c_int) -> isize {
    let arguments = [file.into(), message as i64, flags.into()];
    let waits = flags & DO_NOT_WAIT == 0;
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        transfer(
            (file, Direction::Out),
            waits,
            caller(),
            number::SENDMSG,
            arguments,
        ) as isize
    }
}

pub unsafe extern "C" fn accept4(
    file: c_int,
    address: *mut c_void,
    address_length: *mut u32,
    flags: c_int,
) -> c_int {
    let arguments = [file.into(), address as i64, address_length as i64, flags.into()];
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { transfer((file, Direction::In), true, caller(), number::ACCEPT4, arguments) as c_int }
}

pub unsafe extern "C" fn accept(file: c_int, address: *mut c_void, address_length: *mut u32) -> c_int {
    let arguments = [file.into(), address as i64, address_length as i64, 0];
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { transfer((file, Direction::In), true, caller(), number::ACCEPT4, arguments) as c_int }
}

const ENETUNREACH: c_int = 101;

pub unsafe extern "C" fn connect(file: c_int, address: *const c_void, length: u32) -> c_int {
    if readiness::is_scheduled() {
        // SAFETY: this has the contract of the function that it replaces: the address is null or one.
        if unsafe { is_elsewhere(address) } {
            return sys::fail(ENETUNREACH);
        }
        readiness::expect_answers(readiness::NETWORK_MS);
        readiness::step(caller());
        readiness::release();
    }
    // SAFETY: this has the contract of the function that it replaces.
    result(unsafe { raw(number::CONNECT, [file.into(), address as i64, length.into()]) }) as c_int
}

/// Whether an address is on another machine; then says so. A test that needs one is not the same in two runs.
///
/// # Safety
/// It is null or a `struct sockaddr` with its family's size.
unsafe fn is_elsewhere(address: *const c_void) -> bool {
    const INET: u16 = 2;
    const INET6: u16 = 10;
    if address.is_null() {
        return false;
    }
    let bytes = address.cast::<u8>();
    // SAFETY: the caller's contract.
    let family = unsafe { address.cast::<u16>().read_unaligned() };
    let is_elsewhere = match family {
        // The first byte of the address: 127 is this machine, and so is an address of zeros.
        // SAFETY: an address of this family has eight bytes at least.
        INET => !matches!(unsafe { bytes.add(4).read() }, 127 | 0),
        INET6 => {
            // SAFETY: an address of this family has these bytes.
            let parts: &[u8; 16] = unsafe { &*bytes.add(8).cast() };
            let is_here = parts.iter().take(15).all(|&byte| byte == 0) && parts[15] <= 1;
            let is_mapped =
                parts.starts_with(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]) && parts[12] == 127;
            !is_here && !is_mapped
        }
        _ => false,
    };
    if is_elsewhere {
        let message = b"omnilink: an address on another machine is refused: a test under the scheduler reaches this machine only\n";
        sys::write(2, message);
        whole_program::is_influenced(influence::OTHER_MACHINE);
    }
    is_elsewhere
}

pub extern "C" fn close(file: c_int) -> c_int {
    timers::forget(file);
    if readiness::is_scheduled() && connects(file) {
        // The other end notices.
        readiness::step(caller());
        readiness::release();
    }
    result(sys::close(file)) as c_int
}

pub extern "C" fn shutdown(file: c_int, how: c_int) -> c_int {
    if readiness::is_scheduled() {
        readiness::step(caller());
        readiness::release();
    }
    // SAFETY: it takes two numbers.
    result(unsafe { raw(number::SHUTDOWN, [file.into(), how.into()]) }) as c_int
}

/// Who waits for the set gets what is registered here: often an address.
pub unsafe extern "C" fn epoll_ctl(set: c_int, what: c_int, file: c_int, event: *mut c_void) -> c_int {
    if readiness::is_scheduled() {
        readiness::step(caller());
        readiness::release();
    }
    let arguments = [set.into(), what.into(), file.into(), event as i64];
    // SAFETY: this has the contract of the function that it replaces.
    result(unsafe { raw(number::EPOLL_CTL, arguments) }) as c_int
}

pub unsafe extern "C" fn epoll_wait(set: c_int, events: *mut c_void, max: c_int, limit_ms: c_int) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { wait_for_set(set, events, max, limit_ms, core::ptr::null()) }
}

pub unsafe extern "C" fn epoll_pwait(
    set: c_int,
    events: *mut c_void,
    max: c_int,
    limit_ms: c_int,
    signals: *const c_void,
) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { wait_for_set(set, events, max, limit_ms, signals) }
}

/// An element of what `epoll_wait` fills: the events, and what was registered for the file.
#[repr(C, packed)]
struct EpollEvent {
    _events: u32,
    _registered: u64,
}

/// Waits for a set of files. In which order those that are ready come is not said by anybody: with other random numbers it is another one.
///
/// # Safety
/// That of `epoll_pwait`.
unsafe fn wait_for_set(
    set: c_int,
    events: *mut c_void,
    max: c_int,
    limit_ms: c_int,
    signals: *const c_void,
) -> c_int {
    let ready_within = |limit_ms: c_int| {
        let arguments = [
            set.into(),
            events as i64,
            max.into(),
            limit_ms.into(),
            signals as i64,
            8,
        ];
        // SAFETY: the caller's contract.
        result(unsafe { raw(number::EPOLL_PWAIT, arguments) }) as c_int
    };
    if !readiness::is_scheduled() {
        return ready_within(limit_ms);
    }
    let code = caller();
    readiness::step(code);
    let deadline_ns = readiness::deadline(limit_ms);
    loop {
        let file = PollFile {
            file: set,
            events: POLLIN,
            returned: 0,
        };
        let ended = match limit_ms {
            0 => Wakeup::TimedOut,
            _ => readiness::wait_for(&mut [file], deadline_ns, code),
        };
        if ended == Wakeup::Interrupted {
            return sys::fail(sys::EINTR);
        }
        let is_over = ended == Wakeup::TimedOut;
        let ready = ready_within(0);
        // Another thread may have taken what was there.
        if ready != 0 || is_over {
            readiness::acquire();
            // SAFETY: the system has just written this many events there.
            unsafe { random::shuffle(events.cast::<EpollEvent>(), ready) };
            return ready;
        }
    }
}

pub unsafe extern "C" fn poll(files: *mut PollFile, count: u64, limit_ms: c_int) -> c_int {
    let seconds = i64::from(limit_ms) / 1_000;
    let limit = [seconds, i64::from(limit_ms) % 1_000 * 1_000_000];
    let limit = if limit_ms < 0 {
        core::ptr::null()
    } else {
        limit.as_ptr()
    };
    // SAFETY: this has the contract of the function that it replaces; the limit lives until the call returns.
    unsafe { wait_for_files(files, count, limit, core::ptr::null()) }
}

pub unsafe extern "C" fn ppoll(
    files: *mut PollFile,
    count: u64,
    limit: *const i64,
    signals: *const c_void,
) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { wait_for_files(files, count, limit, signals) }
}

/// Waits for one of several files. The limit is in seconds and nanoseconds, and there may be none.
///
/// # Safety
/// That of `ppoll`.
unsafe fn wait_for_files(
    files: *mut PollFile,
    count: u64,
    limit: *const i64,
    signals: *const c_void,
) -> c_int {
    let ready_within = |limit: *const i64| {
        // The system writes what is left of the time to the limit.
        let mut copy = match limit.is_null() {
            true => [0, 0],
            // SAFETY: the caller's contract.
            false => unsafe { [*limit, *limit.add(1)] },
        };
        let limit = match limit.is_null() {
            true => core::ptr::null_mut(),
            false => copy.as_mut_ptr(),
        };
        let arguments = [files as i64, count as i64, limit as i64, signals as i64, 8];
        // SAFETY: the caller's contract; what is left of the time goes to the copy.
        result(unsafe { raw(number::PPOLL, arguments) }) as c_int
    };
    if !readiness::is_scheduled() {
        return ready_within(limit);
    }
    let code = caller();
    readiness::step(code);
    if !files.is_null() {
        // SAFETY: the caller's contract.
        let (all, deadline_ns) = unsafe {
            (
                core::slice::from_raw_parts_mut(files, count as usize),
                clock::deadline(limit.cast(), true),
            )
        };
        if readiness::wait_for(all, deadline_ns, code) == Wakeup::Interrupted {
            return sys::fail(sys::EINTR);
        }
    }
    let ready = ready_within([0, 0].as_ptr());
    readiness::acquire();
    ready
}
