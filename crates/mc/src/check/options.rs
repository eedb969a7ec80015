//! Options of a check.

use std::path::Path;
use std::time::Duration;

use omnilink_tla_compile::Evaluators;

use crate::compiled::Layouts;
use crate::limits::SearchLimits;
use crate::simulation::SimulationOptions;
use crate::trace_file::RecordedTrace;

/// Search strategy.
#[derive(Clone, Copy, Debug)]
pub enum SearchMode<'t> {
    /// Breadth-first search.
    BreadthFirst,
    /// Depth-first search.
    DepthFirst,
    /// Random simulation.
    Simulate(SimulationOptions),
    /// Replay of a recorded trace.
    Replay(&'t RecordedTrace),
}

/// Checkpoints of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointOptions<'t> {
    /// The folder of the checkpoint.
    pub folder: &'t Path,
    /// Whether to start from the checkpoint that is there.
    pub is_resumed: bool,
    /// The time between two checkpoints.
    pub interval: Duration,
    /// What else determines the search: values of constants that are not in the configuration.
    pub constants: &'t str,
}

/// Options of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions<'t> {
    /// Search strategy.
    pub mode: SearchMode<'t>,
    /// Number of threads of a breadth-first search.
    pub workers: usize,
    /// Time and memory limits.
    pub limits: SearchLimits,
    /// Whether a state without successors is a violation; `None` to follow the configuration.
    pub deadlock: Option<bool>,
    /// The deepest level to explore; `None` for all.
    pub depth_max: Option<u32>,
    /// Whether the spec may run commands.
    pub may_execute: bool,
    /// Whether integers have 32 bits.
    pub is_32_bit: bool,
    /// Seed of RandomElement and similar operators.
    pub seed: u64,
    /// What expands states.
    pub evaluators: Evaluators,
    /// Where the layouts of compiled code come from.
    pub layouts: Layouts,
    /// Whether the report says what was compiled and what was not.
    pub explains_compilation: bool,
    /// Whether evaluations are memoised. Changes the speed, not the result.
    pub uses_memo: bool,
    /// Whether evaluations of definitions are counted.
    pub counts_definitions: bool,
    /// Whether the check goes on after a violation, to find violations of other properties.
    pub continues: bool,
    /// Whether SYMMETRY is heeded.
    pub uses_symmetry: bool,
    /// Checkpoints of a breadth-first search.
    pub checkpoints: Option<CheckpointOptions<'t>>,
    /// Number of states after which temporal properties are first checked, on the states explored until then. Changes the time
    /// until a violation is found, not whether one is.
    pub first_look: usize,
    /// At least this many states are explored without VIEW for temporal properties, before these are checked on the states that
    /// VIEW tells apart.
    pub states_beyond_view: usize,
}

impl Default for CheckOptions<'_> {
    fn default() -> Self {
        Self {
            mode: SearchMode::BreadthFirst,
            workers: 1,
            limits: SearchLimits::default(),
            deadlock: None,
            depth_max: None,
            may_execute: false,
            is_32_bit: false,
            seed: 0,
            evaluators: Evaluators::of_environment(),
            layouts: Layouts::Learned,
            explains_compilation: false,
            uses_memo: true,
            counts_definitions: false,
            continues: false,
            uses_symmetry: true,
            checkpoints: None,
            first_look: 1 << 11,
            states_beyond_view: 10_000,
        }
    }
}
