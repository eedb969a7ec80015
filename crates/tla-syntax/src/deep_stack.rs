//! A stack deep enough for the deepest tree that the parser accepts.
//!
//! Parsing and analysing a spec recurses once per nesting level, and the parser stops at
//! [`MAX_NESTING`](crate::parser::MAX_NESTING) levels. The caller's stack may be small (a test thread has 2 MiB), so the work
//! runs on a thread of its own with a large stack; memory that is not touched costs nothing. Evaluation runs here too:
//! recursive definitions may go deep, until the evaluator reports endless recursion. The limits of the caller hold there.

use std::cell::Cell;

use omnilink_memory::guard;

/// Four times what the deepest tree needs in an unoptimised build; the rest is for recursive definitions.
pub const STACK_BYTES: usize = 128 * 1024 * crate::parser::MAX_NESTING as usize;

thread_local! {
    /// The address at which the stack of this thread begins, if it is a deep one.
    static BEGIN: Cell<Option<usize>> = const { Cell::new(None) };
}

fn here() -> usize {
    let marker = 0u8;
    std::ptr::from_ref(&marker) as usize
}

/// Whether this thread has a deep stack of which at least 15/16 are free.
fn is_deep() -> bool {
    BEGIN
        .get()
        .is_some_and(|begin| begin.abs_diff(here()) < STACK_BYTES / 16)
}

/// Runs `work` on a deep stack: the caller's if it is deep enough, else a new one. If no thread can be started, `work` runs
/// on the caller's stack.
pub fn run<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if is_deep() {
        return work();
    }
    let mut work = Some(work);
    let mut result = None;
    let limits = guard::current();
    let spawned = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("tla".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || {
                BEGIN.set(Some(here()));
                let _limits = limits.enter();
                result = work.take().map(|work| work());
            })
            .map(|handle| handle.join())
    });
    if let Ok(Err(panic)) = spawned {
        std::panic::resume_unwind(panic);
    }
    match (result, work) {
        (Some(result), _) => result,
        (None, Some(work)) => work(),
        (None, None) => unreachable!("the work was taken and neither finished nor panicked"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_stack_is_used_again_while_it_is_deep() {
        let thread = || std::thread::current().id();
        fn deeper<T>(frames: usize, work: &mut dyn FnMut() -> T) -> T {
            let frame = std::hint::black_box([0u8; 4096]);
            let result = if frames == 0 {
                work()
            } else {
                deeper(frames - 1, work)
            };
            std::hint::black_box(frame);
            result
        }
        run(|| {
            let outer = thread();
            assert_eq!(run(thread), outer);
            let frames = STACK_BYTES / 8 / 4096;
            assert_ne!(deeper(frames, &mut || run(thread)), outer);
        });
        assert_ne!(run(thread), thread());
    }
}
