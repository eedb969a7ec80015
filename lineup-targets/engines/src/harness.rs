//! The component as it is, for OmniLink's scheduler. Compiled by `main.rs`, instrumented.

mod sync {
    pub use std::sync::Mutex;
    pub use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
}

#[path = "component.rs"]
mod component;
#[path = "../../../crates/harness/src/serve.rs"]
#[allow(dead_code, reason = "the file also has a clock and a way to hide work")]
mod harness;

impl harness::ComponentInstance for component::Queue {
    fn call(&self, _thread: u32, op: u32) -> String {
        component::Queue::call(self, op)
    }
}

fn main() {
    harness::serve(component::OPS, "", &|| Box::new(component::Queue::new()));
}
