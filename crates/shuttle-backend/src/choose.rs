//! Who takes the next step, as the plan wants it.

use omnilink_sched::{Choices, Schedule, ThreadId};

/// The decisions of one execution.
pub(crate) enum Chooser {
    Follow(Schedule),
    Random(Random),
    Priorities {
        random: Random,
        priorities: Box<[u64; 32]>,
        lowest: u64,
        changes: Vec<u64>,
    },
}

pub(crate) struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Chooser {
    pub(crate) fn new(choices: &Choices) -> Self {
        match choices {
            Choices::Follow(schedule) => Self::Follow(schedule.clone()),
            Choices::Random { seed } => Self::Random(Random(*seed)),
            Choices::Priorities { seed, changes, steps } => {
                let mut random = Random(*seed);
                // The place in the array makes priorities different.
                let priorities = Box::new(std::array::from_fn(|id| {
                    1 << 40 | random.next() >> 32 << 5 | id as u64
                }));
                let changes = (0..*changes).map(|_| random.next() % (*steps).max(1)).collect();
                Self::Priorities {
                    random,
                    priorities,
                    lowest: 1 << 32,
                    changes,
                }
            }
        }
    }

    /// The thread for the step with this number; an error names the one that the schedule wants and that cannot
    /// run. There is at least one candidate.
    pub(crate) fn choose(
        &mut self,
        step: usize,
        current: Option<ThreadId>,
        candidates: u32,
        yields: bool,
    ) -> Result<ThreadId, ThreadId> {
        let is_candidate = |thread: ThreadId| candidates & (1 << thread) != 0;
        match self {
            Self::Follow(schedule) => match schedule.threads().get(step) {
                Some(&wanted) if is_candidate(wanted) => Ok(wanted),
                Some(&wanted) => Err(wanted),
                None => Ok(current
                    .filter(|&c| is_candidate(c))
                    .unwrap_or_else(|| after(current, candidates))),
            },
            Self::Random(random) => {
                let nth = random.next() % u64::from(candidates.count_ones());
                let all = (0..32).filter(|&thread| is_candidate(thread));
                Ok(all
                    .clone()
                    .nth(nth as usize)
                    .unwrap_or_else(|| after(None, candidates)))
            }
            Self::Priorities {
                priorities,
                lowest,
                changes,
                ..
            } => {
                if let Some(current) = current.filter(|_| yields || changes.contains(&(step as u64))) {
                    *lowest -= 1;
                    priorities[usize::from(current) % 32] = *lowest;
                }
                let best = (0..32)
                    .filter(|&t| is_candidate(t))
                    .max_by_key(|&t| priorities[usize::from(t)]);
                Ok(best.unwrap_or_else(|| after(None, candidates)))
            }
        }
    }

    /// A number for a component that asks shuttle for random numbers.
    pub(crate) fn number(&mut self) -> u64 {
        match self {
            Self::Follow(_) => 0,
            Self::Random(random) | Self::Priorities { random, .. } => random.next(),
        }
    }
}

/// The first candidate after a thread, in circular order.
fn after(current: Option<ThreadId>, candidates: u32) -> ThreadId {
    let from = current.map_or(0, |current| u32::from(current) + 1);
    let later = candidates & u32::MAX.checked_shl(from).unwrap_or(0);
    (if later != 0 { later } else { candidates }).trailing_zeros() as ThreadId
}
