//! spin 0.9.7 (RUSTSEC-2023-0031): after a `try_call_once` that failed, `Once` is taken to be initialised.

use std::process::ExitCode;

use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("spin 0.9.7 Once", spin::Once::<i64>::new)
        .op("try(1)", |once| once.try_call_once(|| Ok::<_, ()>(1)).copied())
        .op("fail()", |once| once.try_call_once(|| Err::<i64, ()>(())).copied())
        .op("get()", |once| once.get().copied())
        .main()
}
