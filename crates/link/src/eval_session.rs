//! The session in which actions are evaluated: no model checker runs, so its registers and statistics are empty.

use std::time::Instant;

use omnilink_engine::Interrupt;
use omnilink_memory::guard;
use omnilink_tla::eval::{Session, SilentSession};
use omnilink_value::Value;

/// A session for evaluating actions. Output of the spec is dropped: it would be printed once for every state that is tried, in a
/// meaningless order.
#[derive(Debug, Default)]
pub struct EvalSession {
    rest: SilentSession,
    deadline: Option<Instant>,
    interrupt: Option<Interrupt>,
}

impl EvalSession {
    /// A session that ends evaluation at the deadline, or when the interrupt is raised.
    pub fn until(deadline: Option<Instant>, interrupt: Option<Interrupt>) -> Self {
        Self {
            deadline,
            interrupt,
            ..Self::default()
        }
    }
}

impl Session for EvalSession {
    fn print(&self, _: &str) {}

    fn set_register(&self, register: &Value, value: Value) {
        self.rest.set_register(register, value);
    }

    fn register(&self, register: &Value) -> Option<Value> {
        self.rest.register(register)
    }

    fn registers(&self) -> Vec<(Value, Value)> {
        self.rest.registers()
    }

    fn statistic(&self, name: &str) -> Option<Value> {
        self.rest.statistic(name)
    }

    fn request_exit(&self) {}

    fn may_execute(&self) -> bool {
        false
    }

    fn is_32_bit(&self) -> bool {
        false
    }

    fn random(&self) -> u64 {
        self.rest.random()
    }

    fn is_over(&self) -> bool {
        guard::is_over()
            || self.interrupt.is_some_and(Interrupt::is_raised)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
