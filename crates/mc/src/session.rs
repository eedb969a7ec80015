//! What a spec can ask about the search that evaluates it, and what it can ask of it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use omnilink_tla::eval::Session;
use omnilink_value::Value;

use crate::limits::Deadline;
use crate::live::Live;

thread_local! {
    /// The level of the state that this thread evaluates something in.
    static LEVEL: Cell<u32> = const { Cell::new(0) };
}

/// Says which level the state has that is evaluated next on this thread; 0 where there is none.
pub(crate) fn set_level(level: u32) {
    LEVEL.with(|cell| cell.set(level));
}

/// What a run permits and where its output goes.
pub struct RunSession<'r> {
    live: &'r Live,
    print: &'r (dyn Fn(&str) + Sync),
    mode: &'static str,
    workers: usize,
    depth: Option<u32>,
    checks_deadlock: bool,
    may_execute: bool,
    is_32_bit: bool,
    deadline: Deadline,
    seed: u64,
    draws: AtomicU64,
    registers: Mutex<BTreeMap<i64, Value>>,
    wants_exit: AtomicBool,
}

impl fmt::Debug for RunSession<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunSession")
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// What a session is made from.
pub(crate) struct SessionOptions<'r> {
    pub(crate) live: &'r Live,
    pub(crate) print: &'r (dyn Fn(&str) + Sync),
    /// `bfs`, `dfs` or `simulate`.
    pub(crate) mode: &'static str,
    pub(crate) workers: usize,
    pub(crate) depth: Option<u32>,
    pub(crate) checks_deadlock: bool,
    pub(crate) may_execute: bool,
    pub(crate) is_32_bit: bool,
    pub(crate) deadline: Deadline,
    pub(crate) seed: u64,
}

impl<'r> RunSession<'r> {
    pub(crate) fn new(options: SessionOptions<'r>) -> Self {
        Self {
            live: options.live,
            print: options.print,
            mode: options.mode,
            workers: options.workers,
            depth: options.depth,
            checks_deadlock: options.checks_deadlock,
            may_execute: options.may_execute,
            is_32_bit: options.is_32_bit,
            deadline: options.deadline,
            seed: options.seed,
            draws: AtomicU64::new(0),
            registers: Mutex::default(),
            wants_exit: AtomicBool::new(false),
        }
    }

    /// Whether the spec asked to end the search.
    pub(crate) fn wants_exit(&self) -> bool {
        self.wants_exit.load(Ordering::Relaxed)
    }

    fn seconds(&self) -> Value {
        Value::int(i64::try_from(self.live.started().elapsed().as_secs()).unwrap_or(i64::MAX))
    }

    /// The names and meanings of TLC's record of how it was started.
    fn config(&self) -> Value {
        let depth = self.depth.map_or(-1, i64::from);
        Value::record([
            ("mode", Value::str(self.mode)),
            (
                "worker",
                Value::int(i64::try_from(self.workers).unwrap_or(i64::MAX)),
            ),
            ("depth", Value::int(depth)),
            ("traces", Value::int(-1)),
            ("seed", Value::str(&self.seed.to_string())),
            ("deadlock", Value::bool(self.checks_deadlock)),
            ("sched", Value::str("random")),
            ("fingerprint", Value::int(0)),
            ("install", Value::str("omnilink")),
        ])
    }

    fn statistics(&self) -> Value {
        Value::record([
            ("generated", count(self.live.generated())),
            ("distinct", count(self.live.distinct())),
            ("queue", count(self.live.waiting())),
            ("diameter", count(self.live.depth())),
            ("duration", self.seconds()),
            ("traces", count(self.live.behaviours())),
        ])
    }
}

fn count(number: u64) -> Value {
    Value::int(i64::try_from(number).unwrap_or(i64::MAX))
}

impl Session for RunSession<'_> {
    fn print(&self, text: &str) {
        (self.print)(text);
    }

    fn set_register(&self, register: i64, value: Value) {
        let mut registers = self.registers.lock().unwrap_or_else(PoisonError::into_inner);
        registers.insert(register, value);
    }

    fn register(&self, register: i64) -> Option<Value> {
        let registers = self.registers.lock().unwrap_or_else(PoisonError::into_inner);
        registers.get(&register).cloned()
    }

    fn statistic(&self, name: &str) -> Option<Value> {
        Some(match name {
            "level" => Value::int(i64::from(LEVEL.with(Cell::get))),
            "diameter" => count(self.live.depth()),
            "queue" => count(self.live.waiting()),
            "distinct" => count(self.live.distinct()),
            "generated" => count(self.live.generated()),
            "traces" => count(self.live.behaviours()),
            "duration" => self.seconds(),
            "config" => self.config(),
            "stats" => self.statistics(),
            // TLC composes actions only when this property of its JVM is set; here they always compose.
            "-Dtlc2.tool.impl.Tool.cdot" => Value::str("true"),
            _ => return None,
        })
    }

    fn request_exit(&self) {
        self.wants_exit.store(true, Ordering::Relaxed);
    }

    fn may_execute(&self) -> bool {
        self.may_execute
    }

    fn is_32_bit(&self) -> bool {
        self.is_32_bit
    }

    fn is_over(&self) -> bool {
        self.live.is_interrupted() || self.deadline.is_over()
    }

    fn random(&self) -> u64 {
        let draw = self.draws.fetch_add(1, Ordering::Relaxed);
        crate::random::word(self.seed, draw)
    }
}
