//! Which schedules are tried.

use omnilink_sched::{ObservedStop, ProgramPolicy, ProgramSchedule, ProgramSwitch, SharedLocation};

/// How schedules are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScheduleStrategy {
    /// The others in turn.
    #[default]
    Mixed,
    /// Any thread at each step.
    Random,
    /// Random priorities of threads, which change at one to three steps (PCT: Burckhardt et al., ASPLOS 2010).
    Priorities,
    /// Random priorities of steps (POS: Yuan, Yang and Gu, CAV 2018).
    PartialOrders,
    /// Random orders of the accesses to one location, another one for each schedule (after SURW: Zhao et al., ASPLOS 2025).
    OneLocation,
    /// One or two preemptions, where a thread has stopped at a line of the project in the first run.
    ProjectLines,
    /// Changes of schedules in which a thread has read what another one wrote, at two places of the code that were not seen together before
    /// (after RFF: Wolff et al., ASPLOS 2024); every other schedule is one of the mixture.
    ReadsFrom,
}

/// What is known of a test from its first run.
#[derive(Debug, Clone, Default)]
pub struct FirstRun {
    /// Its steps.
    pub steps: u64,
    /// The locations that its threads share.
    pub locations: Vec<SharedLocation>,
    /// Where threads stopped at lines of the project while others could have gone on.
    pub stops: Vec<ObservedStop>,
}

impl ScheduleStrategy {
    /// The schedule with a number, counted from 0, for a test whose first run was this.
    ///
    /// Now and then steps take longer than usual, so that what waits with a time limit does not wait long enough, or random numbers are other
    /// ones.
    pub fn schedule(self, number: u64, seed: u64, first: &FirstRun) -> ProgramSchedule {
        const LONG_NS: [u64; 3] = [10_000, 100_000, 1_000_000];
        let is_slow = number % 6 == 5;
        ProgramSchedule {
            policy: self.policy(number, seed, first),
            step_ns: if is_slow {
                LONG_NS[(number / 6 % 3) as usize]
            } else {
                ProgramSchedule::STEP_NS
            },
            environment: if number % 4 == 3 { number + 1 } else { 0 },
        }
    }

    fn policy(self, number: u64, seed: u64, first: &FirstRun) -> ProgramPolicy {
        let seed = mixed(seed, number);
        match self {
            // What it does besides is in `feedback`.
            Self::ReadsFrom => Self::Mixed.policy(number, seed, first),
            Self::Mixed => {
                let parts = [
                    Self::OneLocation,
                    Self::Random,
                    Self::Priorities,
                    Self::PartialOrders,
                    Self::ProjectLines,
                ];
                parts[(number % 5) as usize].policy(number / 5, seed, first)
            }
            Self::Random => ProgramPolicy::Random { seed },
            Self::Priorities => ProgramPolicy::Priorities {
                seed,
                changes: 1 + (number % 3) as u32,
                steps: first.steps.max(1),
            },
            Self::PartialOrders => ProgramPolicy::PartialOrders { seed },
            Self::ProjectLines if first.stops.is_empty() => ProgramPolicy::Random { seed },
            Self::ProjectLines => ProgramPolicy::Switches(
                (0..1 + number % 2)
                    .map(|preemption| preempted(&first.stops, mixed(seed, preemption)))
                    .collect(),
            ),
            Self::OneLocation => match first.locations.len() as u64 {
                0 => ProgramPolicy::Random { seed },
                locations => ProgramPolicy::OneLocation {
                    seed,
                    location: first.locations[(mixed(seed, 1) % locations) as usize].clone(),
                },
            },
        }
    }
}

/// A switch at one of some stops, to one of the threads that can go on there.
fn preempted(stops: &[ObservedStop], seed: u64) -> ProgramSwitch {
    let stop = &stops[(seed % stops.len() as u64) as usize];
    let other = mixed(seed, 1) % stop.others.len().max(1) as u64;
    ProgramSwitch {
        from: stop.thread,
        decision: stop.decision,
        to: stop.others.get(other as usize).copied().unwrap_or(stop.thread),
        goes_on: false,
        preempts: true,
        chooses: false,
    }
}

/// A seed for one of several uses.
pub(crate) fn mixed(seed: u64, number: u64) -> u64 {
    let product = u128::from(seed ^ 0x9e37_79b9_7f4a_7c15)
        * u128::from(number.wrapping_mul(2).wrapping_add(0xd1b5_4a32_d192_ed03));
    (product as u64) ^ ((product >> 64) as u64)
}
