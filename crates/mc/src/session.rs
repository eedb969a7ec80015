//! What a spec can ask about the search that evaluates it, and what it can ask of it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use omnilink_tla::eval::{Session, revision};
use omnilink_value::Value;

use crate::limits::Deadline;
use crate::live::Live;
use crate::simulate::Draw;

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
    simulated: Option<Draw>,
    workers: usize,
    checks_deadlock: bool,
    may_execute: bool,
    is_32_bit: bool,
    deadline: Deadline,
    seed: u64,
    draws: AtomicU64,
    initial: AtomicU64,
    registers: Mutex<BTreeMap<Value, Value>>,
    spec: Value,
    wants_exit: AtomicBool,
}

impl fmt::Debug for RunSession<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunSession")
            .field("simulated", &self.simulated)
            .finish_non_exhaustive()
    }
}

/// What a session is made from.
pub(crate) struct SessionOptions<'r> {
    pub(crate) live: &'r Live,
    pub(crate) print: &'r (dyn Fn(&str) + Sync),
    /// How behaviours are drawn; none for a search.
    pub(crate) simulated: Option<Draw>,
    pub(crate) workers: usize,
    pub(crate) checks_deadlock: bool,
    pub(crate) may_execute: bool,
    pub(crate) is_32_bit: bool,
    pub(crate) deadline: Deadline,
    pub(crate) seed: u64,
    /// What TLCGet("spec") gives.
    pub(crate) spec: Value,
}

impl<'r> RunSession<'r> {
    pub(crate) fn new(options: SessionOptions<'r>) -> Self {
        Self {
            live: options.live,
            print: options.print,
            simulated: options.simulated,
            workers: options.workers,
            checks_deadlock: options.checks_deadlock,
            may_execute: options.may_execute,
            is_32_bit: options.is_32_bit,
            deadline: options.deadline,
            seed: options.seed,
            draws: AtomicU64::new(0),
            initial: AtomicU64::new(0),
            registers: Mutex::default(),
            spec: options.spec,
            wants_exit: AtomicBool::new(false),
        }
    }

    /// Whether the spec asked to end the search.
    pub(crate) fn wants_exit(&self) -> bool {
        self.wants_exit.load(Ordering::Relaxed)
    }

    /// Says how many initial states there are.
    pub(crate) fn set_initial(&self, initial: u64) {
        self.initial.store(initial, Ordering::Relaxed);
    }

    fn seconds(&self) -> Value {
        Value::int(i64::try_from(self.live.started().elapsed().as_secs()).unwrap_or(i64::MAX))
    }

    /// The names and meanings of TLC's record of how it was started.
    fn config(&self) -> Value {
        let mut fields = vec![
            (
                "worker",
                Value::int(i64::try_from(self.workers).unwrap_or(i64::MAX)),
            ),
            ("seed", Value::str(&self.seed.to_string())),
            ("deadlock", Value::bool(self.checks_deadlock)),
            ("install", Value::str("omnilink")),
        ];
        match self.simulated {
            // TLC calls a depth-first search `bfs` too: it differs in the queue only.
            None => fields.extend([("mode", Value::str("bfs")), ("fingerprint", Value::str("0"))]),
            Some(simulated) => fields.extend([
                (
                    "mode",
                    Value::str(if simulated.is_generated {
                        "generate"
                    } else {
                        "simulate"
                    }),
                ),
                ("depth", Value::int(i64::from(simulated.depth_max))),
                (
                    "traces",
                    simulated.behaviours.map_or_else(|| Value::int(-1), count),
                ),
                ("aril", Value::str("0")),
                ("sched", Value::str("random")),
            ]),
        }
        Value::record(fields)
    }

    fn statistics(&self) -> Value {
        let mut fields = vec![
            ("generated", count(self.live.generated())),
            ("distinct", count(self.live.distinct())),
            ("duration", self.seconds()),
            ("worker", Value::int(0)),
        ];
        match self.simulated {
            None => fields.extend([
                ("queue", count(self.live.waiting())),
                ("diameter", count(self.live.depth())),
                ("initial", count(self.initial.load(Ordering::Relaxed))),
            ]),
            Some(_) => fields.push(("traces", count(self.live.behaviours()))),
        }
        Value::record(fields)
    }
}

fn count(number: u64) -> Value {
    Value::int(i64::try_from(number).unwrap_or(i64::MAX))
}

impl Session for RunSession<'_> {
    fn print(&self, text: &str) {
        (self.print)(text);
    }

    fn set_register(&self, register: &Value, value: Value) {
        let mut registers = self.registers.lock().unwrap_or_else(PoisonError::into_inner);
        registers.insert(register.clone(), value);
    }

    fn register(&self, register: &Value) -> Option<Value> {
        let registers = self.registers.lock().unwrap_or_else(PoisonError::into_inner);
        registers.get(register).cloned()
    }

    fn registers(&self) -> Vec<(Value, Value)> {
        let registers = self.registers.lock().unwrap_or_else(PoisonError::into_inner);
        registers.clone().into_iter().collect()
    }

    fn tells_actions(&self) -> bool {
        self.simulated.is_some()
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
            "spec" => self.spec.clone(),
            "revision" => revision(),
            // TLC composes actions only when this property of its JVM is set; here they always compose.
            "-Dtlc2.tool.impl.Tool.cdot" => Value::str("true"),
            // The properties of a JVM: TLC gives the name itself where there is none.
            property if property.starts_with("-D") => Value::str(property),
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

    fn random_of_constant(&self, constant: u64, draw: u64) -> u64 {
        crate::random::word(crate::random::word(self.seed, constant), draw)
    }

    /// A search does not keep the way to a state while it evaluates; outside of it there is none.
    fn trace(&self) -> Option<Vec<Value>> {
        (LEVEL.with(Cell::get) == 0).then(Vec::new)
    }
}
