//! Threads and their stalls.

use crate::timer::{PERIOD_NS_MIN, SIGNAL, Timer};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

static SEED: AtomicU64 = AtomicU64::new(0);
static PERIOD_NS: [AtomicU64; 2] = [AtomicU64::new(10_000), AtomicU64::new(60_000)];
static STALL_NS_MAX: AtomicU64 = AtomicU64::new(1_000_000);
/// Threads get a niceness from 0 to this; 0 changes nothing.
static NICE_MAX: AtomicU64 = AtomicU64::new(0);
static IS_MONOTONIC: AtomicBool = AtomicBool::new(false);
static THREADS: AtomicU64 = AtomicU64::new(0);
static STALLS: AtomicU64 = AtomicU64::new(0);
/// The key under which a thread keeps its [`Thread`]. Before the library has begun there is none.
static KEY: AtomicU32 = AtomicU32::new(NO_KEY);
const NO_KEY: u32 = u32::MAX;

type StartRoutine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// A thread that is stalled. It lives on the heap until the thread exits.
struct Thread {
    routine: StartRoutine,
    argument: *mut c_void,
    timer: Timer,
    random: u64,
    /// Whether stalls are useful where the thread is.
    is_enabled: bool,
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn getenv(name: *const c_char) -> *const c_char;
    fn sigaction(signal: c_int, new: *const SignalAction, old: *mut SignalAction) -> c_int;
    fn sched_yield() -> c_int;
    fn setpriority(which: c_int, who: u32, nice: c_int) -> c_int;
    fn nanosleep(time: *const [i64; 2], rest: *mut [i64; 2]) -> c_int;
    fn write(file: c_int, bytes: *const u8, length: usize) -> isize;
    fn pthread_key_create(key: *mut u32, destructor: unsafe extern "C" fn(*mut c_void)) -> c_int;
    fn pthread_getspecific(key: u32) -> *mut c_void;
    fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
    fn __errno_location() -> *mut c_int;
}

#[cfg(omnilink_link)]
pub fn abort() -> ! {
    unsafe extern "C" {
        fn abort() -> !;
    }
    // SAFETY: it has no arguments and does not return.
    unsafe { abort() }
}

#[repr(C)]
struct SignalAction {
    handler: unsafe extern "C" fn(c_int),
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

impl Thread {
    /// The calling thread; null if it is not stalled.
    fn current() -> *mut Self {
        // SAFETY: the key was made when the library was loaded.
        unsafe { pthread_getspecific(KEY.load(Relaxed)) }.cast()
    }

    /// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). The library has no dependencies, so it brings its own generator.
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number between the limits whose logarithm is uniformly distributed: all orders of magnitude are equally likely.
    fn random_between(&mut self, low: u64, high: u64) -> u64 {
        let (low, high) = (low.max(1), high.max(low).max(1));
        let doublings = u64::from(64 - (high / low).leading_zeros());
        let scaled = low << (self.random() % doublings.max(1));
        (scaled + self.random() % scaled.max(1)).clamp(low, high)
    }

    /// Gives the calling thread a priority, if priorities are to differ. Refusals leave it as it is.
    fn be_nice(&mut self) {
        const PRIO_PROCESS: c_int = 0;
        let max = NICE_MAX.load(Relaxed);
        if max != 0 {
            let nice = (self.random() % (max + 1)) as c_int;
            // SAFETY: Linux takes 0 for the calling thread.
            unsafe { setpriority(PRIO_PROCESS, 0, nice) };
        }
    }

    /// Sets the timer for the next stall.
    fn arm(&mut self) {
        let period_ns = self.random_between(PERIOD_NS[0].load(Relaxed), PERIOD_NS[1].load(Relaxed));
        self.timer.arm(period_ns);
    }

    fn stall(&mut self) {
        STALLS.fetch_add(1, Relaxed);
        if self.random() & 1 == 0 {
            // SAFETY: it has no arguments.
            unsafe { sched_yield() };
        } else {
            let time = [0, self.random_between(1_000, STALL_NS_MAX.load(Relaxed)) as i64];
            // SAFETY: `time` is a `timespec`, and the remaining time is not asked for.
            unsafe { nanosleep(&raw const time, null_mut()) };
        }
    }
}

/// A program that knows where stalls are useful (a harness: inside the calls of a component) says so for each thread, and then
/// loses no time elsewhere. All other programs are stalled everywhere.
#[cfg_attr(omnilink_link, unsafe(no_mangle))]
pub unsafe extern "C" fn omnilink_chaos_enable(is_enabled: c_int) {
    let thread = Thread::current();
    if !thread.is_null() {
        // SAFETY: the structure belongs to the calling thread; its signal handler only reads the flag.
        unsafe { (&raw mut (*thread).is_enabled).write_volatile(is_enabled != 0) };
    }
}

unsafe extern "C" fn on_signal(_signal: c_int) {
    // SAFETY: the location is one of the calling thread.
    let errno = unsafe { *__errno_location() };
    // SAFETY: the structure belongs to the calling thread, and only this handler uses it while the timer is armed, except for
    // one flag. The handler does not interrupt itself: it masks all signals.
    if let Some(thread) = unsafe { Thread::current().as_mut() } {
        if thread.is_enabled {
            thread.stall();
        }
        thread.arm();
    }
    // SAFETY: see above.
    unsafe { *__errno_location() = errno };
}

unsafe extern "C" fn begin_thread(thread: *mut c_void) -> *mut c_void {
    let thread = thread.cast::<Thread>();
    // SAFETY: `pthread_create` below passes the structure to this thread alone; the timer is not armed yet.
    let (routine, argument) = unsafe {
        pthread_setspecific(KEY.load(Relaxed), thread.cast());
        (*thread).be_nice();
        if STALL_NS_MAX.load(Relaxed) != 0 {
            (*thread).timer = Timer::open(IS_MONOTONIC.load(Relaxed));
            (*thread).arm();
        }
        ((*thread).routine, (*thread).argument)
    };
    // SAFETY: this is how the program wanted the thread to begin.
    unsafe { routine(argument) }
}

/// Runs when a thread exits.
unsafe extern "C" fn end_thread(thread: *mut c_void) {
    // SAFETY: the structure belongs to the calling thread. Without a timer no handler uses it.
    unsafe {
        (*thread.cast::<Thread>()).timer.close();
        free(thread);
    }
}

/// Replaces the C library's.
#[cfg_attr(omnilink_link, unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_create(
    handle: *mut usize,
    attributes: *const c_void,
    routine: StartRoutine,
    argument: *mut c_void,
) -> c_int {
    const EAGAIN: c_int = 11;
    const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;
    type PthreadCreate = unsafe extern "C" fn(*mut usize, *const c_void, StartRoutine, *mut c_void) -> c_int;
    static REAL: AtomicUsize = AtomicUsize::new(0);
    let mut real = REAL.load(Relaxed);
    if real == 0 {
        // SAFETY: the name is a C string.
        real = unsafe { dlsym(RTLD_NEXT, c"pthread_create".as_ptr()) } as usize;
        REAL.store(real, Relaxed);
    }
    // SAFETY: it is the address of the function with this signature, or 0, which is `None`.
    let real: Option<PthreadCreate> = unsafe { core::mem::transmute(real) };
    let Some(real) = real else { return EAGAIN };
    if KEY.load(Relaxed) == NO_KEY {
        // SAFETY: the arguments are those of the caller.
        return unsafe { real(handle, attributes, routine, argument) };
    }
    // SAFETY: memory for one structure.
    let thread = unsafe { malloc(size_of::<Thread>()) }.cast::<Thread>();
    if thread.is_null() {
        return EAGAIN;
    }
    let number = THREADS.fetch_add(1, Relaxed) + 1;
    // SAFETY: the memory is new and large enough; the arguments are those of the caller.
    unsafe {
        thread.write(Thread {
            routine,
            argument,
            timer: Timer::None,
            random: SEED.load(Relaxed) ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03),
            is_enabled: true,
        });
        let result = real(handle, attributes, begin_thread, thread.cast());
        if result != 0 {
            free(thread.cast());
        }
        result
    }
}

fn is_set(variable: &CStr) -> bool {
    // SAFETY: the name is a C string.
    !unsafe { getenv(variable.as_ptr()) }.is_null()
}

/// The number in an environment variable; none if it does not begin with a digit.
fn number_in(variable: &CStr) -> Option<u64> {
    // SAFETY: the name is a C string.
    let text = unsafe { getenv(variable.as_ptr()) };
    if text.is_null() {
        return None;
    }
    // SAFETY: an environment variable is a C string, and nothing changes it while the program is loaded.
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(None, |value: Option<u64>, digit| {
        let tens = value.unwrap_or(0).wrapping_mul(10);
        Some(tens.wrapping_add(u64::from(digit - b'0')))
    })
}

/// Runs when the library is loaded.
unsafe extern "C" fn begin() {
    const RESTART: c_int = 0x1000_0000;
    let nanoseconds = |variable| number_in(variable).map(|micros| micros.saturating_mul(1_000));
    SEED.store(number_in(c"OMNILINK_CHAOS_SEED").unwrap_or(0), Relaxed);
    if let Some(min) = nanoseconds(c"OMNILINK_CHAOS_MIN_US") {
        PERIOD_NS[0].store(min.max(PERIOD_NS_MIN), Relaxed);
    }
    if let Some(max) = nanoseconds(c"OMNILINK_CHAOS_MAX_US") {
        PERIOD_NS[1].store(max.clamp(PERIOD_NS_MIN, 999_999_999), Relaxed);
    }
    if let Some(max) = nanoseconds(c"OMNILINK_CHAOS_STALL_US") {
        STALL_NS_MAX.store(max.min(999_999_999), Relaxed);
    }
    NICE_MAX.store(number_in(c"OMNILINK_CHAOS_NICE").unwrap_or(0).min(19), Relaxed);
    IS_MONOTONIC.store(is_set(c"OMNILINK_CHAOS_TIMER"), Relaxed);
    let action = SignalAction {
        handler: on_signal,
        mask: [u64::MAX; 16],
        flags: RESTART,
        restorer: 0,
    };
    let mut key = 0;
    // SAFETY: `action` is a `sigaction`, and the handler lives as long as the program. Likewise the destructor of the key.
    unsafe {
        pthread_key_create(&raw mut key, end_thread);
        sigaction(SIGNAL, &raw const action, null_mut());
    }
    KEY.store(key, Relaxed);
}

/// Runs when the program exits.
unsafe extern "C" fn end() {
    if !is_set(c"OMNILINK_CHAOS_VERBOSE") {
        return;
    }
    let mut text = *b"omnilink chaos: stalls 00000000000000000000\n";
    let mut rest = STALLS.load(Relaxed);
    for digit in text.iter_mut().rev().skip(1).take(20) {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    // SAFETY: the bytes live until the call returns.
    unsafe { write(2, text.as_ptr(), text.len()) };
}

#[cfg_attr(omnilink_link, used, unsafe(link_section = ".init_array"))]
static BEGIN: unsafe extern "C" fn() = begin;
#[cfg_attr(omnilink_link, used, unsafe(link_section = ".fini_array"))]
static END: unsafe extern "C" fn() = end;
