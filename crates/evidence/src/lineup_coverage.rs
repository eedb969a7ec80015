//! How much of a component's behaviour Line-Up covered.

use std::collections::BTreeMap;

use serde::Serialize;

/// How much of a component's behaviour Line-Up covered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineupCoverage {
    /// What explains histories, if not the component's own serial runs.
    pub specification: Option<String>,
    /// Matrices checked.
    pub matrices: u64,
    /// Of these, matrices about which nothing can be concluded.
    pub undecided: u64,
    /// The first of these, and why.
    pub first_undecided: Option<UndecidedMatrix>,
    /// Whether all matrices that were asked for were checked.
    pub complete: bool,
    /// Runs.
    pub executions: u64,
    /// Runs per second.
    pub executions_per_second: f64,
    /// Serial histories.
    pub serial_histories: u64,
    /// Serial histories that end in a call that is stuck.
    pub serial_stuck: u64,
    /// The concurrent runs by number of preemptions, of all matrices together.
    pub phases: Vec<RunPhase>,
    /// What the answer covers, if the scheduler does not control everything.
    pub scope: Option<LineupScope>,
    /// The command that checks the component again, without the matrix.
    pub rerun: String,
}

/// A matrix about which nothing can be concluded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UndecidedMatrix {
    /// The matrix.
    pub matrix: String,
    /// Why nothing can be concluded.
    pub reason: String,
}

/// A series of runs with the same number of preemptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RunPhase {
    /// The number of preemptions, where runs are enumerated by it.
    pub preemptions: Option<u32>,
    /// Runs.
    pub executions: u64,
    /// New histories, which no phase before had.
    pub histories: u64,
    /// Of these, histories that differ in what overlaps: those that were checked.
    pub checked: u64,
    /// Histories in which a call is stuck.
    pub stuck: u64,
    /// Histories that end in a crash.
    pub crashed: u64,
    /// Runs that were cut short, from which nothing follows.
    pub cut: u64,
    /// Runs that did not follow their schedule, from which nothing follows.
    pub diverged: u64,
    /// Checked histories that nothing explains.
    pub unexplained: u64,
    /// Whether these are all runs that there are.
    pub complete: bool,
    /// How long it took.
    pub seconds: f64,
}

/// What an answer covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineupScope {
    /// Which matrices were asked for, in words.
    pub matrices: String,
    /// The largest number of preemptions for which all runs were made.
    pub preemptions: Option<u32>,
    /// The memory model of the runs.
    pub memory_model: RunMemory,
    /// The most accesses of a run that do not choose the newest store, if the memory model is a weak one.
    pub stale_reads: Option<u32>,
    /// The most times in a run that a thread which waits by reading went on although nothing had changed.
    pub spins: Option<u32>,
    /// Whether a relaxed load came before a relaxed store in a run, so that load buffering, which no run shows, is possible.
    pub load_buffering_possible: bool,
    /// Calls in which no step was seen in any run: nothing in them is atomic, a lock or a wait, or it is inline assembly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls_without_steps: Vec<String>,
    /// The plain accesses at which threads are switched.
    pub plain_accesses: PlainAccesses,
    /// Whether races are detected.
    pub races: bool,
    /// How many places race.
    pub racing_places: usize,
    /// A race that may be none, because not everything is instrumented.
    pub suspected_race: Option<Vec<String>>,
    /// Libraries that are not instrumented.
    pub not_instrumented: Vec<String>,
    /// The calls of all runs into each of these libraries, where they are counted.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls_not_seen: BTreeMap<String, u64>,
    /// Whether Rust's standard library is the prebuilt one, which is not instrumented.
    pub rust_library_prebuilt: bool,
    /// Runs that were cut short.
    pub runs_cut: u64,
    /// Runs that did not follow their schedule.
    pub runs_diverged: u64,
    /// Commands that cover more.
    pub next: Vec<String>,
}

/// Which stores an atomic load may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum RunMemory {
    /// The newest one.
    #[serde(rename = "sequentially consistent")]
    SequentiallyConsistent,
    /// Each that the memory orders of C++20 allow.
    #[serde(rename = "C++20")]
    Cpp20,
    /// Each that the processor shows.
    #[serde(rename = "of the processor")]
    Processor,
}

/// The plain accesses at which threads are switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlainAccesses {
    /// All of them.
    All,
    /// Those that race.
    Racing,
    /// None.
    None,
}
