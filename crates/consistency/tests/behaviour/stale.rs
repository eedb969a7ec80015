//! Runs on a map whose reads now and then return what they would have returned a few operations ago: weakly consistent at
//! best, and with returns that a system could have given.

use omnilink_consistency::HistoryOp;
use omnilink_engine::{Model, successors};
use omnilink_models::{JavaMap, JavaMapOp};
use omnilink_trace::Timebox;
use omnilink_value::Value;

use fastrand::Rng;

/// How such runs are made.
#[derive(Clone, Copy, Debug)]
pub struct Stale {
    pub threads: usize,
    /// One read in `once_in` is stale.
    pub once_in: usize,
    /// By how many operations at most.
    pub lag_max: usize,
    /// How much earlier than its effect an operation may begin. Effects are 10 apart.
    pub early_max: usize,
    /// How much later it may end.
    pub late_max: usize,
}

impl Stale {
    /// A run of `count` operations, with their timeboxes.
    pub fn run(&self, count: usize, rng: &mut Rng) -> (Vec<HistoryOp<JavaMapOp>>, Vec<Timebox>) {
        let mut past = JavaMap.initial();
        let mut free = vec![0_i64; self.threads];
        let (mut ops, mut timeboxes) = (Vec::new(), Vec::new());
        for position in 0..count {
            let thread = rng.usize(..self.threads);
            let (key, value) = (
                Value::int(rng.usize(..3) as i64),
                Value::int(rng.usize(..3) as i64),
            );
            let (method, arguments) = match rng.usize(..6) {
                0 | 1 => ("put", vec![key, value]),
                2 => ("remove", vec![key]),
                3 => ("get", vec![key]),
                4 => ("size", vec![]),
                _ => ("values", vec![]),
            };
            let is_read = matches!(method, "get" | "size" | "values");
            let lag = if is_read && rng.usize(..self.once_in) == 0 {
                1 + rng.usize(..self.lag_max)
            } else {
                0
            };
            let effect = JavaMapOp::new(method, &arguments, None).expect("a method of the model");
            let seen = &past[past.len().saturating_sub(1 + lag)];
            let result = Value::str(&JavaMap.result_of(seen, &effect.call));
            let op = JavaMapOp::new(method, &arguments, Some(&result)).expect("a result of the model");
            let next = successors(&JavaMap, &past[past.len() - 1], &effect);
            past.extend(next);
            let now = 10 * position as i64;
            let start = free[thread].max(now - rng.usize(..self.early_max) as i64);
            let end = now.max(start) + rng.usize(..self.late_max) as i64;
            free[thread] = end + 1;
            timeboxes.push(Timebox::new(start, end));
            ops.push(HistoryOp {
                op,
                effect,
                method: method.to_owned(),
                thread: thread as u32,
                optional: false,
                label: position.to_string(),
            });
        }
        (ops, timeboxes)
    }
}
