//! What a spec meets when it looks around: there is no model checker here.

use std::time::Instant;

use omnilink_engine::Interrupt;
use omnilink_tla::eval::{Quiet, Session};
use omnilink_value::Value;

/// A session for evaluating actions. What the spec prints is dropped: it would be printed once for every state that is
/// tried, in an order that means nothing.
#[derive(Debug, Default)]
pub(crate) struct EvalSession {
    rest: Quiet,
    deadline: Option<Instant>,
    interrupt: Option<Interrupt>,
}

impl EvalSession {
    /// A session that ends evaluation at this moment, or when someone wants it to end.
    pub(crate) fn until(deadline: Option<Instant>, interrupt: Option<Interrupt>) -> Self {
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
        self.interrupt.is_some_and(Interrupt::is_raised)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
