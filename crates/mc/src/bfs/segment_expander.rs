//! Expands the states of a segment, as long as nothing speaks against it.

use crate::breadth_first::Search;
use crate::codec::Garbled;
use crate::expand::{Expanding, Harvest, expand};
use crate::limits::{Deadline, Limit};
use crate::live::Live;
use crate::machine::Machine;
use crate::outcome::{Breach, End, Figures, SearchError, Wrong};
use crate::sieve::Sieve;
use crate::waiting::Segment;

/// How many states are expanded between two looks at the clock.
const STATES_PER_LOOK: u64 = 16;

/// Why the expansion of a segment ended early.
#[derive(Debug)]
pub(crate) enum Early<F> {
    Broken(Box<Breach<F>>),
    Limit(Limit),
    Stopped,
    Garbled(Garbled),
}

impl<F> Early<F> {
    /// What it means for the search.
    pub(crate) fn end(self) -> Result<End<F>, SearchError> {
        match self {
            Self::Broken(breach) => Ok(End::Broken(breach)),
            Self::Limit(limit) => Ok(End::Limit(limit)),
            Self::Stopped => Ok(End::Stopped),
            Self::Garbled(garbled) => Err(garbled.into()),
        }
    }
}

/// What is explored, and until when.
pub(crate) struct Explorer<'a, M> {
    pub(crate) machine: &'a M,
    pub(crate) live: &'a Live,
    pub(crate) variables: usize,
    deadline: Deadline,
}

impl<'a, M: Machine> Explorer<'a, M> {
    pub(crate) fn new(machine: &'a M, variables: usize, search: &Search, live: &'a Live) -> Self {
        Self {
            machine,
            live,
            variables,
            deadline: Deadline::new(&search.limits),
        }
    }

    /// The limit that makes it pointless to go on.
    fn reached(&self) -> Option<Limit> {
        if self.live.is_interrupted() {
            return Some(Limit::Interrupt);
        }
        self.deadline.is_over().then_some(Limit::Time)
    }

    /// What an expansion that found something wrong means.
    pub(crate) fn early(&self, breach: Box<Breach<M::Failure>>) -> Early<M::Failure> {
        match &breach.wrong {
            Wrong::Failed(failure) if self.machine.was_cut_short(failure) => {
                Early::Limit(self.reached().unwrap_or(Limit::Time))
            }
            _ => Early::Broken(breach),
        }
    }

    /// Expands all states of a segment of this level; with the figures so far, also keeps the live ones exact.
    pub(crate) fn explore(
        &self,
        worker: &mut M::Worker,
        (segment, level): (&Segment, u32),
        sieve: &mut impl Sieve,
        harvest: &mut Harvest,
        so_far: Option<&Figures>,
    ) -> Option<Early<M::Failure>> {
        let mut reader = segment.reader();
        loop {
            let (fingerprint, state) = match reader.next(self.variables) {
                Ok(Some(state)) => state,
                Ok(None) => return None,
                Err(garbled) => return Some(Early::Garbled(garbled)),
            };
            if harvest.explored.is_multiple_of(STATES_PER_LOOK)
                && let Some(limit) = self.reached()
            {
                return Some(Early::Limit(limit));
            }
            harvest.explored += 1;
            let from = Expanding {
                fingerprint,
                values: &state,
                level,
            };
            if let Err(breach) = expand(self.machine, worker, from, sieve, harvest) {
                return Some(self.early(breach));
            }
            if let Some(figures) = so_far {
                let new = harvest.discovered.len() as u64;
                self.live.set(
                    figures.generated + harvest.generated,
                    figures.distinct + new,
                    (figures.waiting + new).saturating_sub(harvest.explored),
                    u64::from(figures.depth.max(if new > 0 { level + 1 } else { level })),
                );
            }
            if self.machine.wants_to_stop(worker) {
                return Some(Early::Stopped);
            }
        }
    }
}
