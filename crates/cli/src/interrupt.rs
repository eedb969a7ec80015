//! Ctrl-C.
//!
//! A check that is interrupted reports how far it got, and a command that writes a file removes what it has written. So the
//! first Ctrl-C only raises a flag, which searches and readers check regularly; the second ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use omnilink_engine::Interrupt;
use omnilink_mc::SearchProgress;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C only raises a flag. The second ends the process.
pub(crate) fn listen() {
    #[cfg(unix)]
    {
        extern "C" fn raise(_: libc::c_int) {
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
