//! What a spec meets when it looks around: there is no model checker here.

use std::collections::BTreeMap;
use std::sync::Mutex;

use omnilink_tla::eval::{Quiet, Session};
use omnilink_value::Value;

/// A session for evaluating actions. What the spec prints is dropped: it would be printed once for every state that is
/// tried, in an order that means nothing.
#[derive(Debug, Default)]
pub(crate) struct Unobserved {
    registers: Mutex<BTreeMap<i64, Value>>,
    rest: Quiet,
}

impl Session for Unobserved {
    fn print(&self, _: &str) {}

    fn set_register(&self, register: i64, value: Value) {
        if let Ok(mut registers) = self.registers.lock() {
            registers.insert(register, value);
        }
    }

    fn register(&self, register: i64) -> Option<Value> {
        self.registers.lock().ok()?.get(&register).cloned()
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
}
