//! Session: what evaluators share with the search around them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use omnilink_value::Value;

/// Registers, output and statistics, shared by all workers of a run.
pub trait Session: Sync {
    /// Receives what the spec prints.
    fn print(&self, text: &str);

    /// TLCSet of a register: a number, or a string that starts with `s:`.
    fn set_register(&self, register: &Value, value: Value);

    /// TLCGet of a register.
    fn register(&self, register: &Value) -> Option<Value>;

    /// All registers that have a value.
    fn registers(&self) -> Vec<(Value, Value)>;

    /// TLCGet of a name: `"level"`, `"diameter"`, `"queue"`, `"distinct"`, `"generated"`, `"duration"`, `"config"`, `"stats"`,
    /// `"spec"`. `None` for other names.
    fn statistic(&self, name: &str) -> Option<Value>;

    /// Why TLCGet of a register or a name is refused where it is evaluated now, if it is.
    fn refusal(&self, _register: &Value) -> Option<String> {
        None
    }

    /// Whether TLCGet("action") describes the action of the current step. TLC does so only in simulation; in a search it returns
    /// the record of an unnamed action.
    fn tells_actions(&self) -> bool {
        false
    }

    /// TLCSet of `"exit"` or `"pause"`: requests the end of the search.
    fn request_exit(&self);

    /// Whether the spec may run commands.
    fn may_execute(&self) -> bool;

    /// Whether integers are of 32 bits, as in TLC.
    fn is_32_bit(&self) -> bool;

    /// A random word for RandomElement and similar operators.
    fn random(&self) -> u64;

    /// A random word inside a constant. It depends only on the constant and the number of the draw, so that all workers compute the
    /// same value.
    fn random_of_constant(&self, constant: u64, draw: u64) -> u64 {
        let stream = Rng::with_seed(constant).u64(..);
        Rng::with_seed(stream.wrapping_add(draw)).u64(..)
    }

    /// The states up to the current one, for `Trace`; `None` if they are not available.
    fn trace(&self) -> Option<Vec<Value>> {
        Some(Vec::new())
    }

    /// The counterexample, for `CounterExample`: a record of a set `state` of pairs of a number and a state, and a set
    /// `action` of steps. Both are empty while there is none.
    fn counter_example(&self) -> Value {
        no_counter_example()
    }

    /// Receives a warning about the spec: something that is allowed and rarely meant. Each is given once by each evaluator.
    fn warn(&self, _warning: &str) {}

    /// Whether evaluation must stop because of a time limit or an interrupt. Checked at intervals, also during a long evaluation,
    /// which then fails with a resource error.
    fn is_over(&self) -> bool {
        false
    }
}

/// The value of `CounterExample` while there is none.
pub fn no_counter_example() -> Value {
    let nothing = Value::set_of_sorted([]);
    Value::record([("action", nothing.clone()), ("state", nothing)])
}

/// The value of TLCGet("revision"): the version of TLC that results are compared with.
pub fn revision() -> Value {
    Value::record([
        ("count", Value::int(10_000)),
        ("timestamp", Value::int(1_777_455_000)),
        ("date", Value::str("2026-04-29T00:00:00.0Z")),
        ("tag", Value::str("omnilink")),
        ("calver", Value::str(env!("CARGO_PKG_VERSION"))),
    ])
}

/// A session without a search: collects what is printed, and has no statistics.
#[derive(Debug, Default)]
pub struct SilentSession {
    printed: Mutex<Vec<String>>,
    registers: Mutex<BTreeMap<Value, Value>>,
    draws: AtomicU64,
    may_execute: bool,
    is_32_bit: bool,
    is_over: Option<fn() -> bool>,
}

impl SilentSession {
    /// Sets the condition under which evaluation stops.
    #[must_use]
    pub fn until(mut self, is_over: fn() -> bool) -> Self {
        self.is_over = Some(is_over);
        self
    }

    /// Lets the spec run commands.
    #[must_use]
    pub fn allow_execution(mut self) -> Self {
        self.may_execute = true;
        self
    }

    /// Uses 32-bit integers, as TLC does.
    #[must_use]
    pub fn with_32_bits(mut self) -> Self {
        self.is_32_bit = true;
        self
    }

    /// What was printed, in order.
    pub fn printed(&self) -> Vec<String> {
        self.printed
            .lock()
            .map(|printed| printed.clone())
            .unwrap_or_default()
    }
}

impl Session for SilentSession {
    fn print(&self, text: &str) {
        if let Ok(mut printed) = self.printed.lock() {
            printed.push(text.to_owned());
        }
    }

    fn set_register(&self, register: &Value, value: Value) {
        if let Ok(mut registers) = self.registers.lock() {
            registers.insert(register.clone(), value);
        }
    }

    fn register(&self, register: &Value) -> Option<Value> {
        self.registers.lock().ok()?.get(register).cloned()
    }

    fn registers(&self) -> Vec<(Value, Value)> {
        let registers = self.registers.lock();
        registers.map_or_else(
            |_| Vec::new(),
            |registers| registers.clone().into_iter().collect(),
        )
    }

    fn statistic(&self, name: &str) -> Option<Value> {
        match name {
            "level" | "diameter" | "queue" | "distinct" | "generated" | "duration" => Some(Value::int(0)),
            "config" => Some(Value::record([
                ("mode", Value::str("bfs")),
                ("worker", Value::int(1)),
                ("deadlock", Value::bool(true)),
                ("seed", Value::str("0")),
                ("fingerprint", Value::str("0")),
                ("install", Value::str("omnilink")),
            ])),
            "revision" => Some(revision()),
            _ => None,
        }
    }

    fn request_exit(&self) {}

    fn may_execute(&self) -> bool {
        self.may_execute
    }

    fn is_32_bit(&self) -> bool {
        self.is_32_bit
    }

    fn is_over(&self) -> bool {
        self.is_over.is_some_and(|is_over| is_over())
    }

    fn random(&self) -> u64 {
        self.random_of_constant(0, self.draws.fetch_add(1, Ordering::Relaxed))
    }
}
