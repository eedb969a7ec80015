//! A whole program under one random schedule.
//!
//! Any instrumented program can be run so, without a harness: `OMNILINK_SEED=7 ./program` chooses threads at random,
//! `OMNILINK_SEED=7 OMNILINK_CHANGES=3 OMNILINK_STEPS=10000 ./program` by priorities with three changes among the first 10000
//! steps, with `OMNILINK_STEP_PRIORITIES=1` by random priorities of steps. The same seed gives the same run. Each step takes a microsecond of the program's time, or `OMNILINK_STEP_NS` nanoseconds.
//!
//! `omnilink test` shares its memory with the program instead (`OMNILINK_PROGRAM` is the number of an open file): it says how threads are
//! chosen, and reads what happened. Child processes inherit the variable; they are not controlled.
//!
//! A program may order or hash by address, so it restarts itself at addresses that do not change from run to run. Where that is
//! forbidden (some containers) it runs where it is: the scheduler itself only compares addresses.

use crate::layout::{MAGIC, NO_THREAD, Shared, ending, policy};
#[cfg(target_arch = "x86_64")]
use crate::rt::library_calls;
use crate::rt::scheduler::{self, Phase, bit};
use crate::rt::spin::Yield;
use crate::rt::sys::{self, number, number_in, raw};
use crate::rt::threads::{self, ThreadSet, ThreadState, ids, thread};
use crate::rt::{clock, crash_stack, debugger, entry, heap, leaks, races, random, weak_memory};
use core::ffi::{CStr, c_char, c_int, c_ulong};
use core::sync::atomic::Ordering::Relaxed;

const SEED: &CStr = c"OMNILINK_SEED";
/// A second. With longer steps the clock would come to its end.
const STEP_NS_MAX: u64 = 1_000_000_000;
/// The exit code of a program that the scheduler ended.
const ENDED: i64 = 86;

/// The file with the memory that is shared with the runner of tests.
const PROGRAM: &CStr = c"OMNILINK_PROGRAM";

/// Whether this process is to run so.
pub fn is_enabled() -> bool {
    sys::variable(SEED).is_some() || sys::variable(PROGRAM).is_some()
}

/// Restarts the program at fixed addresses; returns if it runs there already, or if the system refuses.
///
/// # Safety
/// The arguments and the environment are lists of texts.
unsafe fn fix_addresses(arguments: *const *const c_char, environment: *const *const c_char) {
    const QUERY: i64 = 0xffff_ffff;
    const ADDR_NO_RANDOMIZE: i64 = 0x004_0000;
    const AT_SECURE: c_ulong = 23;
    // SAFETY: it takes a number.
    let now = unsafe { raw(number::PERSONALITY, [QUERY]) };
    // A program with the rights of another user loses the setting at each start, and would restart for ever.
    if now < 0 || now & ADDR_NO_RANDOMIZE != 0 || sys::getauxval(AT_SECURE) != 0 {
        return;
    }
    // SAFETY: the first call takes a number, the second one what the caller vouches for.
    unsafe {
        if raw(number::PERSONALITY, [now | ADDR_NO_RANDOMIZE]) >= 0 {
            let program = c"/proc/self/exe".as_ptr();
            raw(
                number::EXECVE,
                [program as i64, arguments as i64, environment as i64],
            );
        }
    }
}

unsafe extern "C" fn begin(
    _count: c_int,
    arguments: *const *const c_char,
    environment: *const *const c_char,
) {
    let is_ready = match number_in(PROGRAM) {
        Some(file) => share_with_runner(file as c_int),
        None if number_in(SEED).is_some() => {
            // SAFETY: the C library passes the arguments of `main`.
            unsafe { fix_addresses(arguments, environment) };
            use_own_memory()
        }
        None => return,
    };
    if is_ready.is_none() {
        return;
    }
    let shared = scheduler::shared();
    shared.steps_max.set(u64::MAX);
    clock::set_step_ns(shared.step_ns.get().min(STEP_NS_MAX));
    shared.running.set(NO_THREAD.into());
    crate::rt::policy::prepare();
    races::prepare();
    weak_memory::prepare();
    scheduler::set_phase(Phase::WholeProgram);
    threads::prepare();
    threads::adopt(0);
    threads::notice_exit();
}

/// Uses memory of this process alone, with the settings of the environment.
fn use_own_memory() -> Option<()> {
    let memory = sys::map_memory(size_of::<Shared>())?;
    // SAFETY: the mapping has the size of the structure, for which zeros are valid, and stays.
    unsafe { scheduler::attach(memory.cast()) };
    let shared = scheduler::shared();
    let changes = number_in(c"OMNILINK_CHANGES");
    shared.seed.set(number_in(SEED).unwrap_or(0));
    shared.changes.set(changes.unwrap_or(0) as u32);
    shared
        .policy
        .set(match (changes, number_in(c"OMNILINK_STEP_PRIORITIES")) {
            (Some(_), _) => policy::PRIORITIES,
            (None, Some(1..)) => policy::PARTIAL_ORDERS,
            (None, _) => policy::RANDOM,
        });
    shared
        .steps_expected
        .set(number_in(c"OMNILINK_STEPS").unwrap_or(10_000));
    shared
        .step_ns
        .set(number_in(c"OMNILINK_STEP_NS").unwrap_or(1_000));
    Some(())
}

/// The result of the program may depend on this.
pub fn is_influenced(by: u64) {
    // The harness of a test looks at the time too.
    if scheduler::phase() == Phase::WholeProgram
        && u64::from(entry::me()) >= scheduler::shared().background_threads.get()
    {
        scheduler::shared()
            .influences
            .set(scheduler::shared().influences.get() | by);
    }
}

/// Uses the memory that is shared with the runner, and not in a child process of the program that the runner started.
fn share_with_runner(file: c_int) -> Option<()> {
    let memory = sys::map_file(file, size_of::<Shared>())?.cast::<Shared>();
    // SAFETY: the mapping has the size of the structure, and stays.
    let shared = unsafe { &*memory };
    let (process, given) = (sys::process_number(), shared.process.load(Relaxed));
    if shared.magic.get() != MAGIC || (given != 0 && given != process) {
        return None;
    }
    // SAFETY: as above.
    unsafe { scheduler::attach(memory) };
    shared.process.store(process, Relaxed);
    shared.load_address.set(entry::load_address());
    clock::set_environment(shared.environment.get());
    random::set_environment(shared.environment.get());
    crash_stack::catch();
    races::map();
    weak_memory::map();
    heap::map();
    // SAFETY: the program has one thread.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        library_calls::redirect_slots(&shared.library_calls);
    }
    Some(())
}

/// glibc calls the functions of this section with the arguments of `main`.
#[cfg_attr(omnilink_link, used, unsafe(link_section = ".init_array"))]
#[cfg_attr(
    not(omnilink_link),
    expect(dead_code, reason = "only a linked program starts here")
)]
static BEGIN: unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char) = begin;

/// The program ends by itself: what is left behind is recorded. How it ends stays as it is, because what failed before matters more.
extern "C" fn ended() {
    if scheduler::phase() != Phase::WholeProgram || !entry::is_controlled() {
        return;
    }
    // A test harness of Rust ends with threads that its tests have left; nothing is destroyed before.
    if scheduler::shared().background_threads.get() == 0 {
        let_others_run();
    }
    if leaks::find() {
        debugger::stop_at_failure();
    }
}

/// Threads that nobody has joined run on until the process is gone, and may use what is destroyed by now.
fn let_others_run() {
    const STEPS: usize = 16;
    let is_left = |id: u8| {
        id != entry::me() && !matches!(thread(id).state.get(), ThreadState::Done | ThreadState::Absent)
    };
    for _ in 0..STEPS {
        if ids().any(is_left) {
            scheduler::access(0, false, 0, Yield::Optional);
        }
    }
}

/// glibc calls the functions of this section after the destructors of C++.
#[cfg_attr(omnilink_link, used, unsafe(link_section = ".fini_array"))]
#[cfg_attr(
    not(omnilink_link),
    expect(dead_code, reason = "only a linked program ends here")
)]
static ENDED_BY_ITSELF: extern "C" fn() = ended;

/// Says why the program cannot go on, and ends the process.
pub fn end(how: u32, stuck: ThreadSet) -> ! {
    let message: &[u8] = match how {
        ending::DEADLOCK if stuck != 0 => {
            b"omnilink: deadlock: threads wait for ever, and the others only sleep\n"
        }
        ending::SUSPECTED_DEADLOCK => {
            b"omnilink: a deadlock is suspected: threads wait, and for a long time the others only sleep\n"
        }
        ending::DEADLOCK => b"omnilink: deadlock: every thread waits\n",
        ending::LIVELOCK => b"omnilink: livelock: all threads read the same values over and over\n",
        ending::TOO_MANY_THREADS => {
            b"omnilink: more than 128 threads at a time: the scheduler cannot go on\n"
        }
        ending::MEMORY_ERROR => b"omnilink: invalid use of memory\n",
        _ => b"omnilink: the scheduler ended the program\n",
    };
    sys::write(2, message);
    debugger::stop_at_failure();
    let shared = scheduler::shared();
    shared.ending.store(how, Relaxed);
    if !matches!(
        how,
        ending::DEADLOCK | ending::SUSPECTED_DEADLOCK | ending::LIVELOCK
    ) {
        sys::exit_process(ENDED)
    }
    let has_ended = |id: u8| matches!(thread(id).state.get(), ThreadState::Absent | ThreadState::Done);
    let is_stuck = |id: u8| stuck == 0 || how == ending::LIVELOCK || stuck & bit(id) != 0;
    for id in ids().filter(|&id| !has_ended(id) && is_stuck(id)) {
        let Some(free) = shared.stuck_threads.get(shared.stuck_threads_len.get() as usize) else {
            break;
        };
        free.set(threads::describe(id, free.get()));
        shared.stuck_threads_len.set(shared.stuck_threads_len.get() + 1);
    }
    sys::exit_process(ENDED)
}
