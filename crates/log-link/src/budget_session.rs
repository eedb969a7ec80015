//! A session in which each evaluation may take a number of steps, and no more.

use std::sync::atomic::{AtomicU32, Ordering};

use omnilink_link::EvalSession;
use omnilink_tla::eval::Session;
use omnilink_value::Value;

/// How often an evaluation is asked whether it must stop before it must. The evaluator asks after every few thousand steps that it takes.
const QUESTIONS_MAX: u32 = 1;

/// A session that ends long evaluations. How long they may be is counted in steps, not in time, so it is always the same.
#[derive(Debug, Default)]
pub(crate) struct BudgetSession {
    rest: EvalSession,
    questions: AtomicU32,
}

impl BudgetSession {
    /// Begins a new evaluation.
    pub fn begin(&self) {
        self.questions.store(0, Ordering::Relaxed);
    }

    /// Whether the evaluation since [`begin`](Self::begin) was ended.
    pub fn is_used_up(&self) -> bool {
        self.questions.load(Ordering::Relaxed) > QUESTIONS_MAX
    }
}

impl Session for BudgetSession {
    fn print(&self, text: &str) {
        self.rest.print(text);
    }

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
        self.rest.may_execute()
    }

    fn is_32_bit(&self) -> bool {
        self.rest.is_32_bit()
    }

    fn random(&self) -> u64 {
        self.rest.random()
    }

    fn is_over(&self) -> bool {
        self.questions.fetch_add(1, Ordering::Relaxed) >= QUESTIONS_MAX
    }
}
