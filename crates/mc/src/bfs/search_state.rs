//! What is known of a search: the states seen, those that wait, and the figures.

use crate::breadth_first::Search;
use crate::codec::Decoder;
use crate::dump::GraphSink;
use crate::expand::{Discovered, Harvest, start};
use crate::explorer::{Early, Explorer};
use crate::levels::Levels;
use crate::limits::{Limit, Limits, resident_bytes};
use crate::live::Live;
use crate::machine::Machine;
use crate::outcome::{End, Exploration, Figures, SearchError, Taken};
use crate::seen::SeenStates;

/// How many segments are explored between two looks at the memory.
const SEGMENTS_PER_LOOK: u64 = 128;

/// Kept by one worker at a time.
pub(crate) struct Books<'a, 's> {
    pub(crate) seen: SeenStates,
    pub(crate) levels: Levels,
    pub(crate) figures: Figures,
    /// The states of the deepest level so far. States are admitted in the order of their levels.
    in_deepest: u64,
    taken: Vec<Taken>,
    /// How many segments were explored.
    segments: u64,
    live: &'a Live,
    variables: usize,
    limits: Limits,
    depth_max: Option<u32>,
    sink: Option<&'s mut dyn GraphSink>,
}

/// What comes after a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextLevel {
    Begun,
    /// It is deeper than is asked for.
    TooDeep,
    /// There is none.
    Empty,
}

impl NextLevel {
    /// How the search ends when this level is all that is left.
    pub(crate) fn end<F>(self) -> Option<End<F>> {
        match self {
            Self::Begun => None,
            Self::TooDeep => Some(End::Limit(Limit::Depth)),
            Self::Empty => Some(End::Complete),
        }
    }
}

impl<'a, 's> Books<'a, 's> {
    pub(crate) fn new<M: Machine>(
        explorer: &Explorer<'a, M>,
        search: &Search,
        sink: Option<&'s mut dyn GraphSink>,
    ) -> Self {
        Self {
            seen: SeenStates::default(),
            levels: Levels::new(search.waiting_bytes_max),
            figures: Figures::default(),
            in_deepest: 0,
            taken: vec![Taken::default(); explorer.machine.actions()],
            segments: 0,
            live: explorer.live,
            variables: explorer.variables,
            limits: search.limits,
            depth_max: search.depth_max,
            sink,
        }
    }

    /// Something to put finds into.
    pub(crate) fn harvest(&self) -> Harvest {
        Harvest::new(self.taken.len(), self.sink.is_some())
    }

    /// Finds the initial states; says what ended that early.
    pub(crate) fn begin<M: Machine>(
        &mut self,
        explorer: &Explorer<'a, M>,
        worker: &mut M::Worker,
    ) -> Result<Option<Early<M::Failure>>, SearchError> {
        let mut harvest = self.harvest();
        let started = start(explorer.machine, worker, &mut self.seen, &mut harvest);
        for (find, bytes) in harvest.states() {
            self.admit(find, bytes, 1)?;
        }
        self.count(&harvest)?;
        Ok(match started {
            Err(breach) => Some(explorer.early(breach)),
            Ok(()) if explorer.machine.wants_to_stop(worker) => Some(Early::Stopped),
            Ok(()) => None,
        })
    }

    /// A new state of this level, which waits from now on.
    pub(crate) fn admit(&mut self, find: &Discovered, bytes: &[u8], level: u32) -> Result<(), SearchError> {
        self.figures.distinct += 1;
        self.figures.waiting += 1;
        if level > self.figures.depth {
            self.figures.depth = level;
            self.in_deepest = 0;
        }
        self.in_deepest += 1;
        self.figures.waiting_max = self.figures.waiting_max.max(self.in_deepest);
        if let Some(taken) = find.action.and_then(|action| self.taken.get_mut(action)) {
            taken.distinct += 1;
        }
        self.levels.push(level, find.fingerprint, bytes)?;
        if let Some(sink) = &mut self.sink {
            let values = Decoder::new(bytes).state(self.variables)?;
            sink.state(find.fingerprint, &values, level)
                .map_err(SearchError::Dump)?;
        }
        Ok(())
    }

    /// Counts what was done for a harvest, new states apart.
    pub(crate) fn count(&mut self, harvest: &Harvest) -> Result<(), SearchError> {
        self.figures.generated += harvest.generated;
        self.figures.waiting -= harvest.explored;
        for (taken, steps) in self.taken.iter_mut().zip(&harvest.steps) {
            taken.generated += steps;
        }
        if let (Some(sink), Some(edges)) = (&mut self.sink, &harvest.edges) {
            for edge in edges {
                sink.step(edge.from, edge.to, edge.action)
                    .map_err(SearchError::Dump)?;
            }
        }
        Ok(())
    }

    /// Lets those who watch know.
    pub(crate) fn tell(&self) {
        self.live.show(&self.figures);
    }

    /// Goes to the next level, if there is one. To be called when all states of this one were taken, and no more can come.
    pub(crate) fn next_level(&mut self) -> NextLevel {
        if self.levels.in_next() == 0 {
            return NextLevel::Empty;
        }
        if self
            .depth_max
            .is_some_and(|depth_max| self.levels.level() + 1 >= depth_max)
        {
            return NextLevel::TooDeep;
        }
        self.levels.go_on();
        NextLevel::Begun
    }

    /// Whether there is no memory for more. To be asked after each segment; looks once in a while.
    pub(crate) fn is_memory_full(&mut self) -> bool {
        self.segments += 1;
        if !self.segments.is_multiple_of(SEGMENTS_PER_LOOK) {
            return false;
        }
        let states = self.seen.bytes() + self.levels.memory_bytes();
        self.live.set_memory_bytes(states);
        states.max(resident_bytes().unwrap_or(0)) > self.limits.memory_bytes
    }

    /// What was found, now that the search has ended.
    pub(crate) fn close<F>(self, end: End<F>) -> Exploration<F> {
        Exploration {
            end,
            figures: self.figures,
            taken: self.taken,
            seen: self.seen,
        }
    }
}
