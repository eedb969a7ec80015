//! The interface to the scheduler's runtime.
//!
//! The runtime is linked only into programs that `omnilink` builds; in any other program [`serve`] returns at once. The module
//! uses nothing but the standard library and no other module, so that a single file can include it.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One object under test, shared by all threads.
pub trait ComponentInstance: Sync {
    /// Makes the call with this number and returns its result as text.
    fn call(&self, thread: u32, op: u32) -> String;
}

/// Why [`serve`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServeOutcome {
    /// The executions that were requested have been made; the program should now end.
    Served,
    /// The program was started by hand, not by `omnilink`.
    NotDriven,
    /// The program was built without the scheduler's runtime.
    NotInstrumented,
    /// The program and `omnilink` are of different versions.
    VersionMismatch,
}

/// Serves executions until `omnilink` requests no more.
///
/// `make` is called for each execution, in a forked process whose memory is then as it was before the first. `ops` is the number of calls, and `description` a text for the
/// process that drives the harness.
pub fn serve(ops: u32, description: &str, make: &dyn Fn() -> Box<dyn ComponentInstance>) -> ServeOutcome {
    if !cfg!(omnilink_instrumented) {
        return ServeOutcome::NotInstrumented;
    }
    let context = Context { make };
    let harness = Harness {
        context: (&raw const context).cast_mut().cast(),
        make: make_component,
        call: call_component,
        destroy: destroy_component,
        ops,
        description: description.as_ptr(),
        description_len: description.len(),
    };
    if std::env::var_os("OMNILINK_SCHED").is_some() {
        // A panic is the result of its call. Printing thousands of them would only clutter the terminal.
        std::panic::set_hook(Box::new(|_| {}));
    }
    match runtime::serve(&harness) {
        0 => ServeOutcome::NotDriven,
        1 => ServeOutcome::Served,
        _ => ServeOutcome::VersionMismatch,
    }
}

/// Runs something that is not part of the component, such as formatting a result, invisibly to the scheduler. It must not wait
/// for other threads.
pub fn unobserved<T>(work: impl FnOnce() -> T) -> T {
    /// Ends the section, also when the work panics.
    struct Section;
    impl Drop for Section {
        fn drop(&mut self) {
            runtime::observe();
        }
    }
    runtime::unobserve();
    let _section = Section;
    work()
}

/// The number of scheduler steps so far: a clock that is the same whenever a schedule is repeated. 0 in a program without the
/// scheduler.
pub fn step() -> u64 {
    runtime::step()
}

struct Context<'a> {
    make: &'a dyn Fn() -> Box<dyn ComponentInstance>,
}

/// The same structure as in the runtime.
#[repr(C)]
struct Harness {
    context: *mut c_void,
    make: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    call: unsafe extern "C" fn(*mut c_void, u32, u32),
    destroy: unsafe extern "C" fn(*mut c_void),
    ops: u32,
    description: *const u8,
    description_len: usize,
}

unsafe extern "C" fn make_component(context: *mut c_void) -> *mut c_void {
    // SAFETY: the runtime passes the context that `serve` gave it, and `serve` has not returned yet.
    let context = unsafe { &*context.cast::<Context<'_>>() };
    match catch_unwind(AssertUnwindSafe(|| (context.make)())) {
        Ok(component) => Box::into_raw(Box::new(component)).cast(),
        Err(_) => std::process::abort(),
    }
}

unsafe extern "C" fn call_component(component: *mut c_void, thread: u32, op: u32) {
    // SAFETY: the runtime passes what `make_component` returned and calls `destroy_component` last.
    let component = unsafe { &*component.cast::<Box<dyn ComponentInstance>>() };
    let result = match catch_unwind(AssertUnwindSafe(|| component.call(thread, op))) {
        Ok(result) => result,
        Err(payload) => format!("panicked: {}", message(&*payload)),
    };
    runtime::report(&result);
}

unsafe extern "C" fn destroy_component(component: *mut c_void) {
    // SAFETY: the runtime passes what `make_component` returned, once, when no call is running.
    let component = unsafe { Box::from_raw(component.cast::<Box<dyn ComponentInstance>>()) };
    if catch_unwind(AssertUnwindSafe(move || drop(component))).is_err() {
        std::process::abort();
    }
}

fn message(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "(no message)",
    }
}

#[cfg(omnilink_instrumented)]
mod runtime {
    unsafe extern "C" {
        fn omnilink_serve(harness: *const super::Harness) -> i32;
        fn omnilink_return(result: *const u8, length: usize);
        fn omnilink_unobserve();
        fn omnilink_observe();
        fn omnilink_step() -> u64;
    }

    pub(super) fn serve(harness: &super::Harness) -> i32 {
        // SAFETY: the structure lives until the call returns.
        unsafe { omnilink_serve(harness) }
    }

    pub(super) fn report(result: &str) {
        // SAFETY: the runtime copies the bytes before it returns.
        unsafe { omnilink_return(result.as_ptr(), result.len()) }
    }

    pub(super) fn unobserve() {
        // SAFETY: it changes a counter of the calling thread.
        unsafe { omnilink_unobserve() }
    }

    pub(super) fn observe() {
        // SAFETY: it changes a counter of the calling thread.
        unsafe { omnilink_observe() }
    }

    pub(super) fn step() -> u64 {
        // SAFETY: it reads a counter.
        unsafe { omnilink_step() }
    }
}

#[cfg(not(omnilink_instrumented))]
mod runtime {
    pub(super) fn serve(_harness: &super::Harness) -> i32 {
        0
    }

    pub(super) fn report(_result: &str) {}

    pub(super) fn unobserve() {}

    pub(super) fn observe() {}

    pub(super) fn step() -> u64 {
        0
    }
}
