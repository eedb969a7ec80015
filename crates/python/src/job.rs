//! Work without the interpreter's lock.
//!
//! The work runs on a thread of its own, while the calling thread waits without the lock and looks for signals: Ctrl-C raises the work's
//! interrupt, and then `KeyboardInterrupt`. A panic ends that thread, and becomes an exception.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use omnilink_engine::Interrupt;
use pyo3::prelude::*;

use crate::error::{Failure, FailureKind};

/// How often the calling thread looks for signals.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// How long an interrupted job may go on. After that it is left alone: a model's step may be in an endless loop.
const GRACE: Duration = Duration::from_secs(2);
/// Evaluation makes its own deep stacks; this is for everything else.
const STACK_BYTES: usize = 16 << 20;

/// Flags that no job uses. An interrupt lives as long as the process, so flags are used again.
static FREE: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

fn free() -> std::sync::MutexGuard<'static, Vec<&'static AtomicBool>> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A flag that is this job's until it is given back.
pub(crate) struct Flag(&'static AtomicBool);

impl Flag {
    pub(crate) fn take() -> Self {
        let flag = free().pop();
        let flag = flag.unwrap_or_else(|| Box::leak(Box::new(AtomicBool::new(false))));
        flag.store(false, Ordering::Relaxed);
        Self(flag)
    }

    pub(crate) fn interrupt(&self) -> Interrupt {
        Interrupt::new(self.0)
    }

    pub(crate) fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Nothing looks at the flag any more.
    pub(crate) fn give_back(self) {
        free().push(self.0);
    }
}

type Outcome<T> = Result<T, Box<dyn Any + Send>>;

/// Runs `work` and waits for it. `stop` is told of an interrupt as well.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    stop: &dyn Fn(),
    work: impl FnOnce(Interrupt) -> T + Send + 'static,
) -> PyResult<T> {
    let flag = Flag::take();
    let interrupt = flag.interrupt();
    let (send, mut receive) = channel();
    let worker = thread::Builder::new()
        .name("omnilink".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(interrupt)));
            // Nobody waits any more if the caller was interrupted and the work did not end in time.
            let _ = send.send(outcome);
        })?;
    let mut signal: Option<(PyErr, Instant)> = None;
    loop {
        let (received, receiver) = py.detach(move || wait(receive));
        receive = receiver;
        match received {
            Ok(outcome) => {
                // It has nothing left to do.
                let _ = worker.join();
                flag.give_back();
                return match (signal, outcome) {
                    (Some((signal, _)), _) => Err(signal),
                    (None, Ok(done)) => Ok(done),
                    (None, Err(panic)) => Err(panicked(&*panic).into()),
                };
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::new(FailureKind::Internal, "the work ended without an answer").into());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(raised) = py.check_signals() {
            flag.raise();
            stop();
            signal.get_or_insert((raised, Instant::now()));
        }
        if signal.as_ref().is_some_and(|(_, since)| since.elapsed() > GRACE) {
            // The flag stays raised, and is never used again.
            return signal.map_or_else(|| unreachable!("there is a signal"), |(raised, _)| Err(raised));
        }
    }
}

fn wait<T>(receive: Receiver<Outcome<T>>) -> (Result<Outcome<T>, RecvTimeoutError>, Receiver<Outcome<T>>) {
    (receive.recv_timeout(BETWEEN_LOOKS), receive)
}

/// What a panic said.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_else(|| "a panic without a message".to_owned());
    Failure::new(
        FailureKind::Internal,
        format!("internal error, please report it: {text}"),
    )
}
