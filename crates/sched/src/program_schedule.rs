//! What a run of a whole program depends on: how threads are chosen, the time and random numbers.

use omnilink_sched_runtime::layout::{SwitchRecord, switch};

/// What a run depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramSchedule {
    /// How threads are chosen.
    pub policy: ProgramPolicy,
    /// How long each step takes, in nanoseconds of the program's time.
    pub step_ns: u64,
    /// A number from which the time of day and random numbers are derived.
    pub environment: u64,
}

impl ProgramSchedule {
    /// How long a step takes if nothing else is said.
    pub const STEP_NS: u64 = 1_000;

    /// A schedule with steps of the usual length.
    pub fn new(policy: ProgramPolicy) -> Self {
        Self {
            policy,
            step_ns: Self::STEP_NS,
            environment: 0,
        }
    }
}

/// How threads are chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramPolicy {
    /// Without preemptions, except for these switches.
    Switches(Vec<ProgramSwitch>),
    /// Any thread at each step.
    Random {
        /// The seed.
        seed: u64,
    },
    /// By random priorities, which change at some steps.
    Priorities {
        /// The seed.
        seed: u64,
        /// How many steps.
        changes: u32,
        /// How many steps a run is expected to have.
        steps: u64,
    },
    /// By random priorities of steps.
    PartialOrders {
        /// The seed.
        seed: u64,
    },
    /// By random orders of the accesses to one location.
    OneLocation {
        /// The seed.
        seed: u64,
        /// The location, as a run before has shown it.
        location: SharedLocation,
    },
}

/// A location that several threads accessed atomically, or as a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedLocation {
    /// Its address.
    pub address: u64,
    /// How many steps of each thread accessed it.
    pub accesses: Vec<(u8, u32)>,
}

/// A decision that differs from that of a run without preemptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramSwitch {
    /// The thread that stops.
    pub from: u8,
    /// How many times it has stopped before.
    pub decision: u32,
    /// The thread that goes on.
    pub to: u8,
    /// That thread goes on although it has yielded.
    pub goes_on: bool,
    /// The thread that stops could have gone on.
    pub preempts: bool,
    /// It is no switch: the step that the thread makes then takes the choice `to` instead of 0. Of stores that it may read, 0 is the newest; of
    /// threads that it may wake, the one that waits for longest; and a wait for a condition ends at once with 1.
    pub chooses: bool,
}

pub(crate) fn record(switch: &ProgramSwitch) -> SwitchRecord {
    SwitchRecord {
        decision: switch.decision,
        current: switch.from,
        chosen: switch.to,
        flags: if switch.goes_on { switch::GOES_ON } else { 0 }
            | if switch.preempts { switch::PREEMPTS } else { 0 }
            | if switch.chooses { switch::CHOOSES } else { 0 },
        reserved: 0,
    }
}

pub(crate) fn thread_switch(record: &SwitchRecord) -> ProgramSwitch {
    ProgramSwitch {
        from: record.current,
        decision: record.decision,
        to: record.chosen,
        goes_on: record.flags & switch::GOES_ON != 0,
        preempts: record.flags & switch::PREEMPTS != 0,
        chooses: record.flags & switch::CHOOSES != 0,
    }
}
