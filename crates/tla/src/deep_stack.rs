//! A stack deep enough for the deepest tree that the parser lets through.
//!
//! Reading and analysing a spec recurses once per nesting level, and the parser stops at
//! [`MAX_NESTING`](crate::syntax::parser::MAX_NESTING) levels. The caller's stack may be small (a test thread has
//! 2 MiB), so the work runs on a thread of its own whose stack is reserved generously; memory that is not touched costs
//! nothing. Evaluation runs here too: recursive definitions go as deep as the spec says, until the evaluator says stop.

/// Four times what the deepest tree takes on unoptimised builds; the rest is for recursive definitions.
pub const STACK_BYTES: usize = 128 * 1024 * crate::syntax::parser::MAX_NESTING as usize;

/// Runs `work` on a deep stack; on the caller's own where no thread can be had.
pub fn run<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let mut result = None;
    let spawned = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("tla".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || result = work.take().map(|work| work()))
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
