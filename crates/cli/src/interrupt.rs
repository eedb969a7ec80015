//! Ctrl-C and SIGTERM.
//!
//! A check that is interrupted reports how far it got, and a command that writes a file removes what it has written. So the
//! first Ctrl-C only raises a flag, which searches and readers check regularly; the second ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use omnilink_engine::{Interrupt, Limit};
use omnilink_mc::SearchProgress;
use omnilink_memory::guard::{self, Over};
use omnilink_memory::remove_half_written;

use crate::exit::Exit;
use crate::scratch;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Raised by SIGTERM, beside [`INTERRUPTED`]: who sends it waits less long.
static TERMINATED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C only raises a flag. The second ends the process.
pub(crate) fn listen() {
    #[cfg(unix)]
    {
        extern "C" fn raise(signal: libc::c_int) {
            TERMINATED.fetch_or(signal == libc::SIGTERM, Ordering::Relaxed);
            INTERRUPTED.store(true, Ordering::Relaxed);
        }
        let handler = raise as extern "C" fn(libc::c_int);
        // SAFETY: all zeros is a valid `sigaction`; the handler only stores to an atomic, which any handler may do.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as libc::sighandler_t;
            // Without SA_RESTART, so that a read that waits for a pipe returns.
            action.sa_flags = libc::SA_RESETHAND;
            libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut());
            libc::sigaction(libc::SIGTERM, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Blocks Ctrl-C on this thread, so that a thread that it starts gets the signal: only a read on the thread that gets it is
/// interrupted.
pub(crate) fn block() {
    #[cfg(unix)]
    mask(libc::SIG_BLOCK);
}

/// Unblocks Ctrl-C on this thread, and on those that it starts.
pub(crate) fn unblock() {
    #[cfg(unix)]
    mask(libc::SIG_UNBLOCK);
}

#[cfg(unix)]
fn mask(how: libc::c_int) {
    // SAFETY: all zeros is a valid set of signals, which is then made empty; these calls change nothing but which signals
    // this thread takes.
    unsafe {
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut signals);
        libc::sigaddset(&raw mut signals, libc::SIGINT);
        libc::sigaddset(&raw mut signals, libc::SIGTERM);
        libc::pthread_sigmask(how, &raw const signals, std::ptr::null_mut());
    }
}

/// Tells a search of Ctrl-C, for as long as the process lives.
pub(crate) fn tell(search: &Arc<SearchProgress>) {
    let search = Arc::clone(search);
    std::thread::spawn(move || {
        while !is_raised() {
            std::thread::sleep(Duration::from_millis(100));
        }
        search.interrupt();
    });
}

/// From now on the process ends by force where it goes on after a limit or an interrupt, whatever it does.
pub(crate) fn end_by_force() {
    guard::end_by_force(guard::Force {
        interrupt: &INTERRUPTED,
        terminate: &TERMINATED,
        end,
    });
}

/// Says why the process ends, and ends it. Other threads may hold locks, those of the standard streams among them.
fn end(over: Over) -> ! {
    let limit = Limit::from(over);
    let why = match over {
        Over::Interrupt => "it was interrupted".to_owned(),
        _ => format!("the {limit} limit was reached"),
    };
    let reason = format!("{why}, and what the command was doing had to be ended by force");
    if std::env::args_os().any(|word| word == "--json") {
        let unknown = serde_json::json!({"verdict": "unknown", "limit": limit.word(), "reason": reason});
        write(1, &format!("{unknown}\n"));
    }
    write(2, &format!("unknown: {reason}\n"));
    scratch::remove();
    remove_half_written();
    let exit = match over {
        Over::Interrupt => Exit::Interrupted,
        _ => Exit::Unknown,
    };
    exit.leave_at_once()
}

#[cfg(unix)]
fn write(descriptor: libc::c_int, text: &str) {
    // SAFETY: the bytes are those of a text that lives longer. What cannot be written is of no use to anyone.
    let _ = unsafe { libc::write(descriptor, text.as_ptr().cast(), text.len()) };
}

#[cfg(not(unix))]
fn write(_: i32, text: &str) {
    eprint!("{text}");
}

/// The flag, for limits.
pub(crate) fn flag() -> Interrupt {
    Interrupt::new(&INTERRUPTED)
}

/// The flag itself, for the scheduler of `lineup`, which does not use the engine's limits.
pub(crate) fn atomic() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Whether Ctrl-C was pressed since [`listen`].
pub(crate) fn is_raised() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
