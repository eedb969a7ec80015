//! Which schedules are tried.

use omnilink_sched::{ProgramPolicy, ProgramSchedule};

/// How schedules are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The others in turn.
    #[default]
    Mixed,
    /// Any thread at each step.
    Random,
    /// Random priorities of threads, which change at one to three steps (PCT: Burckhardt et al., ASPLOS 2010).
    Priorities,
    /// Random priorities of steps (POS: Yuan, Yang and Gu, CAV 2018).
    PartialOrders,
}

impl Strategy {
    /// The schedule with a number, counted from 0, for a test that takes about this many steps.
    ///
    /// Now and then steps take longer than usual, so that what waits with a time limit does not wait long enough, or random numbers are other
    /// ones.
    pub fn schedule(self, number: u64, seed: u64, steps: u64) -> ProgramSchedule {
        const LONG_NS: [u64; 3] = [10_000, 100_000, 1_000_000];
        let is_slow = number % 5 == 4;
        ProgramSchedule {
            policy: self.policy(number, seed, steps),
            step_ns: match is_slow {
                true => LONG_NS[(number / 5 % 3) as usize],
                false => ProgramSchedule::STEP_NS,
            },
            environment: if number % 4 == 3 { number + 1 } else { 0 },
        }
    }

    fn policy(self, number: u64, seed: u64, steps: u64) -> ProgramPolicy {
        let seed = mixed(seed, number);
        match self {
            Self::Mixed => {
                let part = [Self::Priorities, Self::PartialOrders, Self::Random][(number % 3) as usize];
                part.policy(number / 3, seed, steps)
            }
            Self::Random => ProgramPolicy::Random { seed },
            Self::Priorities => ProgramPolicy::Priorities {
                seed,
                changes: 1 + (number % 3) as u32,
                steps: steps.max(1),
            },
            Self::PartialOrders => ProgramPolicy::PartialOrders { seed },
        }
    }
}

/// A seed for one of several uses.
pub(crate) fn mixed(seed: u64, number: u64) -> u64 {
    let product = u128::from(seed ^ 0x9e37_79b9_7f4a_7c15)
        * u128::from(number.wrapping_mul(2).wrapping_add(0xd1b5_4a32_d192_ed03));
    (product as u64) ^ ((product >> 64) as u64)
}
