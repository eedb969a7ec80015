//! Other processes, which whole programs start: they are not controlled, and may answer from then on.

use crate::layout::NO_THREAD;
use crate::rt::entry::{caller, is_controlled, me, set_me};
use crate::rt::global::Global;
use crate::rt::readiness::{POLLIN, PollFile};
use crate::rt::sys::{self, number, raw, real};
use crate::rt::threads::thread;
use crate::rt::wait::Wakeup;
use crate::rt::{outside, readiness, scheduler};
use core::cell::Cell;
use core::ffi::{c_char, c_int, c_void};

/// A process is started, from this file or by this command if that is known.
///
/// # Safety
/// The name is null or a text that ends.
unsafe fn starts(name: *const c_char) {
    readiness::expect_answers(readiness::PROCESS_MS);
    // SAFETY: the caller's contract.
    unsafe { outside::process(name) };
}

/// The other process has one thread, which is not controlled: the others are not there to be scheduled.
pub unsafe extern "C" fn fork() -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    let process = unsafe {
        starts(core::ptr::null());
        real!(fork, fn() -> c_int,)
    };
    if process == 0 {
        set_me(NO_THREAD);
        scheduler::detach();
    } else {
        started(process);
    }
    process
}

/// Processes that this one has started and not waited for yet; 0 is none. Beyond a few they are not known.
#[unsafe(link_section = "omnilink_state")]
static CHILDREN: Global<[Cell<c_int>; CHILDREN_MAX]> = Global::new([const { Cell::new(0) }; CHILDREN_MAX]);
const CHILDREN_MAX: usize = 32;

/// Whether a thread has asked for the end of a process without waiting for it since one ended last.
#[unsafe(link_section = "omnilink_state")]
static IS_POLLED: Global<Cell<bool>> = Global::new(Cell::new(false));

fn started(process: c_int) {
    if is_controlled()
        && process > 0
        && let Some(free) = CHILDREN.iter().find(|known| known.get() == 0)
    {
        free.set(process);
    }
}

const NO_FILE: PollFile = PollFile {
    file: -1,
    events: POLLIN,
    returned: 0,
};

/// Files that can be read when processes have ended: of one process, or of all that are known if it is not positive.
struct EndFiles([PollFile; CHILDREN_MAX]);

impl EndFiles {
    /// None if the system has no such files.
    fn open(process: c_int) -> Option<Self> {
        let mut files = Self([NO_FILE; CHILDREN_MAX]);
        let is_wanted = |known: &c_int| *known != 0 && (process <= 0 || *known == process);
        let mut count = 0;
        let known = CHILDREN.iter().map(Cell::get).filter(is_wanted);
        for (file, known) in files.0.iter_mut().zip(known) {
            // SAFETY: it takes two numbers.
            file.file = unsafe { raw(number::PIDFD_OPEN, [known.into(), 0]) } as c_int;
            count += usize::from(file.file >= 0);
        }
        (count > 0).then_some(files)
    }
}

impl Drop for EndFiles {
    fn drop(&mut self) {
        for file in self.0.iter().filter(|file| file.file >= 0) {
            sys::close(file.file);
        }
    }
}

/// A thread asks again and again whether a process has ended, and nothing else can happen: waits for that in real time. Returns whether
/// one has ended.
pub fn await_polled() -> bool {
    const PATIENCE_MS: i64 = 10_000;
    const SLICE_MS: i64 = 20;
    if !IS_POLLED.take() {
        return false;
    }
    let Some(mut files) = EndFiles::open(0) else {
        return false;
    };
    (0..PATIENCE_MS / SLICE_MS).any(|_| {
        // The program is not to be taken for one that hangs.
        scheduler::beat();
        sys::poll(&mut files.0, [0, SLICE_MS * 1_000_000]) > 0
    })
}

/// `WNOHANG`.
const DO_NOT_WAIT: c_int = 1;

/// Waits for a process. `ask` asks the system with some options: 0 if none has ended.
fn wait_for_end(process: c_int, options: c_int, code: u64, ask: impl Fn(c_int) -> c_int) -> c_int {
    const RUNS: u64 = 0;
    if !readiness::is_scheduled() {
        return ask(options);
    }
    let place = CHILDREN.as_ptr() as u64;
    if options & DO_NOT_WAIT != 0 {
        let spin = &thread(me()).spin;
        scheduler::access(place, false, code, spin.would_load(code, place, RUNS));
        let ended = ask(options);
        match ended {
            0 => {
                spin.loaded(code, place, RUNS);
                IS_POLLED.set(true);
            }
            ended => forget(ended),
        }
        return ended;
    }
    readiness::step(code);
    loop {
        let ended = ask(options | DO_NOT_WAIT);
        if ended != 0 {
            forget(ended);
            return ended;
        }
        let Some(mut files) = EndFiles::open(process) else {
            return ask(options);
        };
        if readiness::wait_for(&mut files.0, None, code) == Wakeup::Interrupted {
            return sys::fail(sys::EINTR);
        }
    }
}

/// A process was waited for: what others wait for is looked at again.
fn forget(process: c_int) {
    if let Some(known) = CHILDREN.iter().find(|known| known.get() == process) {
        known.set(0);
    }
    scheduler::progress();
}

const ALL: c_int = -1;

pub unsafe extern "C" fn wait(status: *mut c_int) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { waitpid(ALL, status, 0) }
}

pub unsafe extern "C" fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { wait4(process, status, options, core::ptr::null_mut()) }
}

pub unsafe extern "C" fn wait3(status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe { wait4(ALL, status, options, usage) }
}

pub unsafe extern "C" fn wait4(
    process: c_int,
    status: *mut c_int,
    options: c_int,
    usage: *mut c_void,
) -> c_int {
    wait_for_end(process, options, caller(), |options| {
        // SAFETY: this has the contract of the function that it replaces.
        unsafe {
            real!(
                wait4,
                fn(c_int, *mut c_int, c_int, *mut c_void) -> c_int,
                process,
                status,
                options,
                usage
            )
        }
    })
}

/// In `siginfo_t`, in words of four bytes.
const PROCESS_IN_INFORMATION: usize = 3;

pub unsafe extern "C" fn waitid(kind: c_int, id: u32, information: *mut c_int, options: c_int) -> c_int {
    const ONE_PROCESS: c_int = 1;
    let mut own = [0; 32];
    let information = match information.is_null() {
        true => own.as_mut_ptr(),
        false => information,
    };
    let process = if kind == ONE_PROCESS { id as c_int } else { ALL };
    let ended = wait_for_end(process, options, caller(), |options| {
        // SAFETY: this has the contract of the function that it replaces.
        unsafe {
            *information.add(PROCESS_IN_INFORMATION) = 0;
            match real!(
                waitid,
                fn(c_int, u32, *mut c_int, c_int) -> c_int,
                kind,
                id,
                information,
                options
            ) {
                0 => *information.add(PROCESS_IN_INFORMATION),
                error => error,
            }
        }
    });
    ended.min(0)
}

macro_rules! spawn {
    ($($name:ident)*) => { $(
        pub unsafe extern "C" fn $name(
            process: *mut c_int,
            file: *const c_char,
            actions: *const c_void,
            attributes: *const c_void,
            arguments: *const *mut c_char,
            environment: *const *mut c_char,
        ) -> c_int {
            // SAFETY: this has the contract of the function that it replaces.
            unsafe {
                starts(file);
                let result = real!(
                    $name,
                    fn(
                        *mut c_int,
                        *const c_char,
                        *const c_void,
                        *const c_void,
                        *const *mut c_char,
                        *const *mut c_char,
                    ) -> c_int,
                    process,
                    file,
                    actions,
                    attributes,
                    arguments,
                    environment
                );
                if result == 0 {
                    started(*process);
                }
                result
            }
        }
    )* };
}

spawn! { posix_spawn posix_spawnp }

pub unsafe extern "C" fn system(command: *const c_char) -> c_int {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        starts(command);
        real!(system, fn(*const c_char) -> c_int, command)
    }
}

pub unsafe extern "C" fn popen(command: *const c_char, mode: *const c_char) -> *mut c_void {
    // SAFETY: this has the contract of the function that it replaces.
    unsafe {
        starts(command);
        real!(
            popen,
            fn(*const c_char, *const c_char) -> *mut c_void,
            command,
            mode
        )
    }
}
