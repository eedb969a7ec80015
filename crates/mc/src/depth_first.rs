//! Depth-first search: the state found last is explored first.
//!
//! For specs whose behaviours must reach some end, such as the validation of a trace, where breadth-first explores every
//! alternative of every step before the next. One worker. A path is not the shortest, and the level of a state is that of
//! the path on which it was found.

use crate::breadth_first::Search;
use crate::codec::Decoder;
use crate::dump::GraphSink;
use crate::expand::{Expanding, Harvest, expand, start};
use crate::fingerprint::Fingerprint;
use crate::limits::{Deadline, Limit, resident_bytes};
use crate::live::Live;
use crate::machine::{Machine, State};
use crate::outcome::{End, Exploration, Figures, SearchError, Taken, Wrong};
use crate::seen::SeenStates;

/// States that wait: the one that came last leaves first.
#[derive(Debug, Default)]
struct Stack {
    bytes: Vec<u8>,
    states: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    fingerprint: Fingerprint,
    level: u32,
    start: usize,
}

impl Stack {
    fn push(&mut self, fingerprint: Fingerprint, level: u32, encoded: &[u8]) {
        self.states.push(Entry {
            fingerprint,
            level,
            start: self.bytes.len(),
        });
        self.bytes.extend_from_slice(encoded);
    }

    fn pop(&mut self, variables: usize) -> Result<Option<(Entry, State)>, SearchError> {
        let Some(entry) = self.states.pop() else {
            return Ok(None);
        };
        let mut decoder = Decoder::new(self.bytes.get(entry.start..).unwrap_or_default());
        let state = decoder.state(variables)?;
        self.bytes.truncate(entry.start);
        Ok(Some((entry, state)))
    }

    fn memory_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.states.capacity() * size_of::<Entry>()) as u64
    }
}

/// How many states are explored between two looks at the memory.
const STATES_PER_LOOK: u64 = 1024;

struct DepthFirst<'a, 's> {
    live: &'a Live,
    stack: Stack,
    figures: Figures,
    taken: Vec<Taken>,
    sink: Option<&'s mut dyn GraphSink>,
}

/// Explores all states, the one found last first, on the calling thread.
///
/// # Errors
/// When the dump cannot be written.
pub fn depth_first<M: Machine>(
    machine: &M,
    variables: usize,
    search: &Search,
    live: &Live,
    sink: Option<&mut dyn GraphSink>,
) -> Result<Exploration<M::Failure>, SearchError> {
    let deadline = Deadline::new(&search.limits);
    let mut seen = SeenStates::default();
    let mut worker = machine.searcher(0);
    let mut harvest = Harvest::new(machine.actions(), sink.is_some());
    let mut searching = DepthFirst {
        live,
        stack: Stack::default(),
        figures: Figures::default(),
        taken: vec![Taken::default(); machine.actions()],
        sink,
    };
    let started = start(machine, &mut worker, &mut seen, &mut harvest);
    searching.collect(&mut harvest, 1, variables)?;
    let mut end = End::Complete;
    let mut is_cut = false;
    if let Err(breach) = started {
        end = End::Broken(breach);
    } else {
        for explored in 0u64.. {
            if machine.wants_to_stop(&worker) {
                end = End::Stopped;
                break;
            }
            let Some((entry, state)) = searching.stack.pop(variables)? else {
                break;
            };
            if live.is_interrupted() || deadline.is_over() {
                end = End::Limit(if live.is_interrupted() {
                    Limit::Interrupt
                } else {
                    Limit::Time
                });
                break;
            }
            if explored % STATES_PER_LOOK == 0 {
                let bytes = seen.bytes() + searching.stack.memory_bytes();
                live.set_memory_bytes(bytes);
                if bytes.max(resident_bytes().unwrap_or(0)) > search.limits.memory_bytes {
                    end = End::Limit(Limit::Memory);
                    break;
                }
            }
            if search.depth_max.is_some_and(|depth_max| entry.level >= depth_max) {
                is_cut = true;
                continue;
            }
            let from = Expanding {
                fingerprint: entry.fingerprint,
                values: &state,
                level: entry.level,
            };
            let expanded = expand(machine, &mut worker, from, &mut seen, &mut harvest);
            searching.collect(&mut harvest, entry.level + 1, variables)?;
            if let Err(breach) = expanded {
                end = match &breach.wrong {
                    Wrong::Failed(failure) if machine.was_cut_short(failure) => End::Limit(Limit::Time),
                    _ => End::Broken(breach),
                };
                break;
            }
        }
    }
    if is_cut && matches!(end, End::Complete) {
        end = End::Limit(Limit::Depth);
    }
    let mut figures = searching.figures;
    figures.waiting = searching.stack.states.len() as u64;
    let taken = searching.taken;
    Ok(Exploration {
        end,
        figures,
        taken,
        seen,
    })
}

impl DepthFirst<'_, '_> {
    fn collect(&mut self, harvest: &mut Harvest, level: u32, variables: usize) -> Result<(), SearchError> {
        self.figures.generated += harvest.generated;
        for (taken, steps) in self.taken.iter_mut().zip(&harvest.steps) {
            taken.generated += steps;
        }
        for (find, bytes) in harvest.states() {
            self.figures.distinct += 1;
            self.figures.depth = self.figures.depth.max(level);
            if let Some(taken) = find.action.and_then(|action| self.taken.get_mut(action)) {
                taken.distinct += 1;
            }
            self.stack.push(find.fingerprint, level, bytes);
            if let Some(sink) = &mut self.sink {
                let mut decoder = Decoder::new(bytes);
                let state = decoder.state(variables)?;
                sink.state(find.fingerprint, &state, level)
                    .map_err(SearchError::Dump)?;
            }
        }
        if let (Some(sink), Some(edges)) = (&mut self.sink, &harvest.edges) {
            for edge in edges {
                sink.step(edge.from, edge.to, edge.action)
                    .map_err(SearchError::Dump)?;
            }
        }
        harvest.clear();
        self.figures.waiting = self.stack.states.len() as u64;
        self.figures.waiting_max = self.figures.waiting_max.max(self.figures.waiting);
        self.live.show(&self.figures);
        Ok(())
    }
}
