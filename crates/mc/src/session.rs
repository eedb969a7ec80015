//! Evaluation session of a check: registers, `TLCGet` statistics, output and random numbers.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use omnilink_memory::guard;
use omnilink_tla::eval::{Session, no_counter_example, revision};
use omnilink_value::Value;

use crate::limits::Deadline;
use crate::progress::SearchProgress;
use crate::simulation::SimulationOptions;

thread_local! {
    /// The level of the state that this thread evaluates.
    static LEVEL: Cell<u32> = const { Cell::new(0) };
}

thread_local! {
    /// Whether this thread evaluates formulas in a state of an earlier search, and what `TLCGet("queue")` is there, if that is known.
    static LABELLED: Cell<Option<Option<u64>>> = const { Cell::new(None) };
}

/// Says that this thread evaluates formulas in a state of an earlier search, and what `TLCGet("queue")` reads there; `None` for the running search.
pub(crate) fn set_labelled(queued: Option<Option<u64>>) {
    LABELLED.with(|cell| cell.set(queued));
}

/// Sets the level of the state that this thread evaluates next; 0 for none.
pub(crate) fn set_level(level: u32) {
    LEVEL.with(|cell| cell.set(level));
}

thread_local! {
    /// The states of the counterexample that this thread describes, as records.
    static TRACE: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Sets the states that `Trace` reads in this thread, up to the current level; none for a search.
pub(crate) fn set_trace(states: Vec<Value>) {
    TRACE.with(|cell| cell.replace(states));
}

/// How many different warnings a session keeps.
const WARNINGS_MAX: usize = 32;

/// The session of one check.
pub struct CheckSession<'r> {
    progress: &'r SearchProgress,
    print: &'r (dyn Fn(&str) + Sync),
    simulation: Option<SimulationOptions>,
    workers: usize,
    checks_deadlock: bool,
    may_execute: bool,
    is_32_bit: bool,
    deadline: Deadline,
    seed: u64,
    draws: AtomicU64,
    initial_states: AtomicU64,
    registers: Mutex<BTreeMap<Value, Value>>,
    /// The registers that the search has set.
    changed: Mutex<BTreeSet<Value>>,
    spec: Value,
    wants_exit: AtomicBool,
    counter_example: Mutex<Option<Value>>,
    warnings: Mutex<Vec<String>>,
}

impl fmt::Debug for CheckSession<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckSession")
            .field("simulation", &self.simulation)
            .finish_non_exhaustive()
    }
}

/// Options of a session.
pub(crate) struct SessionOptions<'r> {
    pub(crate) progress: &'r SearchProgress,
    pub(crate) print: &'r (dyn Fn(&str) + Sync),
    /// Options of the simulation; `None` for a search.
    pub(crate) simulation: Option<SimulationOptions>,
    pub(crate) workers: usize,
    pub(crate) checks_deadlock: bool,
    pub(crate) may_execute: bool,
    pub(crate) is_32_bit: bool,
    pub(crate) deadline: Deadline,
    pub(crate) seed: u64,
    /// The value of `TLCGet("spec")`.
    pub(crate) spec: Value,
}

impl<'r> CheckSession<'r> {
    pub(crate) fn new(options: SessionOptions<'r>) -> Self {
        Self {
            progress: options.progress,
            print: options.print,
            simulation: options.simulation,
            workers: options.workers,
            checks_deadlock: options.checks_deadlock,
            may_execute: options.may_execute,
            is_32_bit: options.is_32_bit,
            deadline: options.deadline,
            seed: options.seed,
            draws: AtomicU64::new(0),
            initial_states: AtomicU64::new(0),
            registers: Mutex::default(),
            changed: Mutex::default(),
            spec: options.spec,
            wants_exit: AtomicBool::new(false),
            counter_example: Mutex::default(),
            warnings: Mutex::default(),
        }
    }

    /// Sets the value of `CounterExample`, unless there is one already: it describes the first violation.
    pub(crate) fn set_counter_example(&self, value: impl FnOnce() -> Value) {
        let mut known = self
            .counter_example
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(value);
    }

    /// The warnings so far, which are forgotten.
    pub(crate) fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the spec requested the end of the search.
    pub(crate) fn wants_exit(&self) -> bool {
        self.wants_exit.load(Ordering::Relaxed)
    }

    /// Forgets the request, before another search.
    pub(crate) fn forget_exit(&self) {
        self.wants_exit.store(false, Ordering::Relaxed);
    }

    pub(crate) fn set_initial_states(&self, count: u64) {
        self.initial_states.store(count, Ordering::Relaxed);
    }

    /// What a checkpoint keeps: registers, and how many random numbers were drawn.
    pub(crate) fn save(&self) -> serde_json::Value {
        serde_json::json!({
            "draws": self.draws.load(Ordering::Relaxed),
            "initial": self.initial_states.load(Ordering::Relaxed),
            "registers": self.registers(),
        })
    }

    /// Restores what a checkpoint kept. Returns whether it could.
    pub(crate) fn restore(&self, saved: &serde_json::Value) -> bool {
        let number = |name: &str| saved.get(name).and_then(serde_json::Value::as_u64);
        let registers = saved
            .get("registers")
            .cloned()
            .map(serde_json::from_value::<Vec<(Value, Value)>>);
        let (Some(draws), Some(initial), Some(Ok(registers))) =
            (number("draws"), number("initial"), registers)
        else {
            return false;
        };
        self.draws.store(draws, Ordering::Relaxed);
        self.initial_states.store(initial, Ordering::Relaxed);
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        changed.extend(registers.iter().map(|(register, _)| register.clone()));
        drop(changed);
        for (register, value) in registers {
            self.set_register(&register, value);
        }
        true
    }

    fn seconds(&self) -> Value {
        Value::int(i64::try_from(self.progress.started().elapsed().as_secs()).unwrap_or(i64::MAX))
    }

    /// `TLCGet("config")`, with the fields of TLC's record.
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
        match self.simulation {
            // TLC reports `bfs` for a depth-first search too: only its queue differs.
            None => fields.extend([("mode", Value::str("bfs")), ("fingerprint", Value::str("0"))]),
            Some(simulation) => fields.extend([
                (
                    "mode",
                    Value::str(if simulation.is_generated {
                        "generate"
                    } else {
                        "simulate"
                    }),
                ),
                ("depth", Value::int(i64::from(simulation.depth_max))),
                (
                    "traces",
                    simulation.behaviours.map_or_else(|| Value::int(-1), count),
                ),
                ("aril", Value::str("0")),
                ("sched", Value::str("random")),
            ]),
        }
        Value::record(fields)
    }

    /// `TLCGet("stats")`.
    fn statistics(&self) -> Value {
        let mut fields = vec![
            ("generated", count(self.progress.generated())),
            ("distinct", count(self.progress.distinct())),
            ("duration", self.seconds()),
            ("worker", Value::int(0)),
        ];
        match self.simulation {
            None => fields.extend([
                ("queue", count(self.progress.queued())),
                ("diameter", count(self.progress.depth())),
                ("initial", count(self.initial_states.load(Ordering::Relaxed))),
            ]),
            Some(_) => fields.push(("traces", count(self.progress.behaviours()))),
        }
        Value::record(fields)
    }
}

fn count(number: u64) -> Value {
    Value::int(i64::try_from(number).unwrap_or(i64::MAX))
}

impl Session for CheckSession<'_> {
    fn print(&self, text: &str) {
        (self.print)(text);
    }

    fn set_register(&self, register: &Value, value: Value) {
        if self.progress.generated() > 0 && LABELLED.with(Cell::get).is_none() {
            let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
            if !changed.contains(register) {
                changed.insert(register.clone());
            }
        }
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

    /// Temporal properties are decided after the search. What it counts, and the registers that it sets, would have their last values in every state.
    fn refusal(&self, register: &Value) -> Option<String> {
        LABELLED.with(Cell::get)?;
        let is_last = match register.as_str() {
            Some(
                "distinct" | "generated" | "diameter" | "duration" | "stats" | "traces" | "all" | "all:named",
            ) => true,
            Some("level" | "queue") => false,
            _ => {
                let changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
                changed.contains(register)
            }
        };
        is_last.then(|| {
            format!(
                "TLCGet({register}) in a temporal property would be its value at the end of the search, in every state; \
                 only \"level\" and \"queue\" have one for each state: use a variable, or an invariant"
            )
        })
    }

    fn tells_actions(&self) -> bool {
        self.simulation.is_some()
    }

    fn statistic(&self, name: &str) -> Option<Value> {
        Some(match name {
            "level" => Value::int(i64::from(LEVEL.with(Cell::get))),
            "diameter" => count(self.progress.depth()),
            "queue" => {
                let queued = LABELLED.with(Cell::get).flatten();
                count(queued.unwrap_or_else(|| self.progress.queued()))
            }
            "distinct" => count(self.progress.distinct()),
            "generated" => count(self.progress.generated()),
            "traces" => count(self.progress.behaviours()),
            "duration" => self.seconds(),
            "config" => self.config(),
            "stats" => self.statistics(),
            "spec" => self.spec.clone(),
            "revision" => revision(),
            // TLC supports action composition only if this JVM property is set.
            "-Dtlc2.tool.impl.Tool.cdot" => Value::str("true"),
            // TLC returns the name of a JVM property that is not set.
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
        guard::is_over() || self.progress.is_interrupted() || self.deadline.is_over()
    }

    fn random(&self) -> u64 {
        let draw = self.draws.fetch_add(1, Ordering::Relaxed);
        crate::random::word(self.seed, draw)
    }

    fn random_of_constant(&self, constant: u64, draw: u64) -> u64 {
        crate::random::word(crate::random::word(self.seed, constant), draw)
    }

    /// The path to the current state is known in counterexamples, not known during a search, and empty outside of it.
    fn trace(&self) -> Option<Vec<Value>> {
        let level = LEVEL.with(Cell::get) as usize;
        TRACE.with_borrow(|states| match states.get(..level) {
            Some(states) => Some(states.to_vec()),
            None => (level == 0).then(Vec::new),
        })
    }

    fn counter_example(&self) -> Value {
        let known = self
            .counter_example
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known.clone().unwrap_or_else(no_counter_example)
    }

    fn warn(&self, warning: &str) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if warnings.len() < WARNINGS_MAX && warnings.iter().all(|known| known != warning) {
            warnings.push(warning.to_owned());
        }
    }
}
