//! Ctrl-C while a file is being written.
//!
//! A command that only reads may be ended at any point, and the system's own way of doing that is the quickest. A command
//! that writes has a temporary file to clear away, so it asks now and then whether it should stop.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C only raises a flag, for whoever asks [`is_raised`].
pub(crate) fn listen() {
    #[cfg(unix)]
    {
        extern "C" fn raise(_: libc::c_int) {
            INTERRUPTED.store(true, Ordering::Relaxed);
        }
        let handler = raise as extern "C" fn(libc::c_int);
        // SAFETY: the handler only stores to an atomic, which is allowed in any signal handler.
        unsafe {
            libc::signal(libc::SIGINT, handler as libc::sighandler_t);
            libc::signal(libc::SIGTERM, handler as libc::sighandler_t);
        }
    }
}

/// Whether Ctrl-C was pressed since [`listen`].
pub(crate) fn is_raised() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
