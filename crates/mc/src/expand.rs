//! One state and its successors: what is generated, what is checked, what is new, in TLC's order.
//!
//! For each successor: is it within the constraints; if so, was it seen; if it is new or outside, do the invariants hold; does
//! the step do what the step properties say, also if the state is old. A state outside the constraints is neither counted nor
//! explored, but it is checked.

use std::num::NonZeroU16;
use std::ops::ControlFlow;

use omnilink_value::Value;

use crate::codec::encode;
use crate::fingerprint::{Fingerprint, Tag};
use crate::machine::{FoundStep, Machine, State};
use crate::outcome::{Breach, Wrong};
use crate::sieve::{Sieve, Sighting};

/// A new state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Discovered {
    pub(crate) fingerprint: Fingerprint,
    /// Where its bytes end.
    pub(crate) end: usize,
    pub(crate) parent: Tag,
    /// What led to it; none for initial states.
    pub(crate) action: Option<usize>,
    /// How many segments later the one is that has its bytes, if it is not this one.
    pub(crate) elsewhere: Option<NonZeroU16>,
}

/// A step of the state graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) from: Fingerprint,
    pub(crate) to: Fingerprint,
    pub(crate) action: usize,
}

/// Where the bytes of a state are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whereabouts<'a> {
    Here(&'a [u8]),
    /// With the segment that comes so many later.
    Later(NonZeroU16),
}

/// What a segment brings takes some ten thousand bytes.
const SPARE_BYTES_MAX: usize = 1 << 18;

/// What came of expanding some states, in the order in which it came.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    /// States that were expanded, one that something is wrong with included.
    pub(crate) explored: u64,
    pub(crate) generated: u64,
    /// Whether there are the bytes of all that was discovered.
    pub(crate) is_complete: bool,
    /// Steps per action.
    pub(crate) steps: Vec<u64>,
    pub(crate) discovered: Vec<Discovered>,
    pub(crate) bytes: Vec<u8>,
    /// All steps, where somebody wants them.
    pub(crate) edges: Option<Vec<Edge>>,
}

impl Harvest {
    pub(crate) fn new(actions: usize, wants_edges: bool) -> Self {
        Self {
            is_complete: true,
            steps: vec![0; actions],
            edges: wants_edges.then(Vec::new),
            ..Self::default()
        }
    }

    pub(crate) fn push(
        &mut self,
        fingerprint: Fingerprint,
        state: &[Value],
        parent: Tag,
        action: Option<usize>,
    ) {
        for value in state {
            encode(value, &mut self.bytes);
        }
        self.discovered.push(Discovered {
            fingerprint,
            end: self.bytes.len(),
            parent,
            action,
            elsewhere: None,
        });
    }

    /// A state of which the segment that comes so many later has the bytes.
    pub(crate) fn push_elsewhere(
        &mut self,
        fingerprint: Fingerprint,
        parent: Tag,
        action: usize,
        later: NonZeroU16,
    ) {
        self.is_complete = false;
        self.discovered.push(Discovered {
            fingerprint,
            end: self.bytes.len(),
            parent,
            action: Some(action),
            elsewhere: Some(later),
        });
    }

    /// Where the bytes of a state are that was discovered here.
    pub(crate) fn whereabouts(&self, state: Fingerprint) -> Option<Whereabouts<'_>> {
        let index = self
            .discovered
            .iter()
            .position(|find| find.fingerprint == state)?;
        let find = self.discovered.get(index)?;
        if let Some(later) = find.elsewhere {
            return Some(Whereabouts::Later(later));
        }
        let before = index
            .checked_sub(1)
            .and_then(|before| self.discovered.get(before));
        let start = before.map_or(0, |before| before.end);
        self.bytes.get(start..find.end).map(Whereabouts::Here)
    }

    /// The discovered states with their bytes.
    pub(crate) fn states(&self) -> impl Iterator<Item = (&Discovered, &[u8])> {
        let mut start = 0;
        self.discovered.iter().map(move |discovered| {
            let bytes = &self.bytes[start..discovered.end];
            start = discovered.end;
            (discovered, bytes)
        })
    }

    /// One without anything in the same memory, if that is not so much that others may need it more.
    pub(crate) fn emptied(mut self) -> Option<Self> {
        let is_kept = self.bytes.capacity() <= SPARE_BYTES_MAX && self.edges.is_none();
        self.clear();
        is_kept.then_some(self)
    }

    /// Starts over, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.explored = 0;
        self.generated = 0;
        self.is_complete = true;
        self.steps.fill(0);
        self.discovered.clear();
        self.bytes.clear();
        if let Some(edges) = &mut self.edges {
            edges.clear();
        }
    }
}

type Checked<M> = Result<(), Box<Breach<<M as Machine>::Failure>>>;

/// A state to be expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expanding<'a> {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) values: &'a State,
    pub(crate) level: u32,
}

/// Finds and checks the initial states.
pub(crate) fn start<M: Machine>(
    machine: &M,
    worker: &mut M::Worker,
    sieve: &mut impl Sieve,
    harvest: &mut Harvest,
) -> Checked<M> {
    let mut wrong = None;
    let enumerated = machine.initial(worker, &mut |worker, state| {
        harvest.generated += 1;
        let mut check = || -> Result<Option<Wrong<M::Failure>>, M::Failure> {
            let mut is_new = true;
            let shared = State::from(state);
            if !machine.has_constraints() || machine.is_within(worker, &shared, 1)? {
                let fingerprint = machine.fingerprint(worker, state, 1)?;
                is_new = sieve.meet(fingerprint, 0) == Sighting::New;
                if is_new {
                    harvest.push(fingerprint, state, 0, None);
                }
            }
            if is_new {
                if let Some(broken) = machine.broken_invariant(worker, &shared, 1)? {
                    return Ok(Some(Wrong::Invariant(broken)));
                }
                if let Some(broken) = machine.broken_initial(worker, &shared)? {
                    return Ok(Some(Wrong::Initial(broken)));
                }
            }
            Ok(None)
        };
        match check() {
            Ok(None) if !machine.wants_to_stop(worker) => ControlFlow::Continue(()),
            Ok(None) => ControlFlow::Break(()),
            Ok(Some(found)) => {
                wrong = Some((found, state.into()));
                ControlFlow::Break(())
            }
            Err(failure) => {
                wrong = Some((Wrong::Failed(failure), state.into()));
                ControlFlow::Break(())
            }
        }
    });
    let (wrong, state) = match (wrong, enumerated) {
        (Some((wrong, state)), _) => (wrong, Some(state)),
        (None, Err(failure)) => (Wrong::Failed(failure), None),
        (None, Ok(())) => return Ok(()),
    };
    Err(Box::new(Breach {
        wrong,
        from: None,
        level: 0,
        state,
    }))
}

/// What is done with the successors of a state.
struct Expansion<'a, M: Machine, S> {
    machine: &'a M,
    from: Expanding<'a>,
    sieve: &'a mut S,
    harvest: &'a mut Harvest,
    has_constraints: bool,
    has_step_properties: bool,
    wrong: Option<(Wrong<M::Failure>, State)>,
}

impl<M: Machine, S: Sieve> Expansion<'_, M, S> {
    fn count(&mut self, label: &M::Label) -> usize {
        self.harvest.generated += 1;
        let action = self.machine.action(label);
        if let Some(steps) = self.harvest.steps.get_mut(action) {
            *steps += 1;
        }
        action
    }

    fn note_edge(&mut self, to: Fingerprint, action: usize) {
        if let Some(edges) = &mut self.harvest.edges {
            edges.push(Edge {
                from: self.from.fingerprint,
                to,
                action,
            });
        }
    }

    fn check(
        &mut self,
        worker: &mut M::Worker,
        state: &[Value],
        action: usize,
    ) -> Result<Option<Wrong<M::Failure>>, M::Failure> {
        let (machine, from) = (self.machine, self.from);
        let next_level = from.level + 1;
        // One outside the constraints has no fingerprint, and is checked each time.
        let mut new = None;
        let mut is_to_check = true;
        let mut shared = None;
        let mut share = || shared.get_or_insert_with(|| State::from(state)).clone();
        if !self.has_constraints
            || (machine.is_within(worker, &share(), next_level)?
                && machine.is_step_within(worker, from.values, state, from.level)?)
        {
            let fingerprint = machine.fingerprint(worker, state, next_level)?;
            let parent = from.fingerprint.tag();
            let sighting = self.sieve.meet(fingerprint, parent);
            is_to_check = sighting == Sighting::New;
            match sighting {
                Sighting::Old => {}
                Sighting::Elsewhere(later) => {
                    self.harvest.push_elsewhere(fingerprint, parent, action, later);
                }
                Sighting::New => {
                    self.harvest.push(fingerprint, state, parent, Some(action));
                    new = Some(fingerprint);
                }
            }
            self.note_edge(fingerprint, action);
        }
        if is_to_check && let Some(broken) = machine.broken_invariant(worker, &share(), next_level)? {
            return Ok(Some(Wrong::Invariant(broken)));
        }
        if let Some(new) = new {
            self.sieve.approve(new);
        }
        if !self.has_step_properties {
            return Ok(None);
        }
        let broken = machine.broken_step(worker, from.values, state, from.level)?;
        Ok(broken.map(Wrong::Step))
    }
}

impl<M: Machine, S: Sieve> FoundStep<M::Worker, M::Label> for Expansion<'_, M, S> {
    fn found(&mut self, worker: &mut M::Worker, state: &[Value], label: &M::Label) -> ControlFlow<()> {
        let action = self.count(label);
        let wrong = match self.check(worker, state, action) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(found)) => found,
            Err(failure) => Wrong::Failed(failure),
        };
        self.wrong = Some((wrong, state.into()));
        ControlFlow::Break(())
    }

    /// A state that was seen is neither checked nor explored again; only steps may be, so then it has to be made.
    fn is_known(&mut self, state: Fingerprint, label: &M::Label) -> bool {
        if self.has_constraints || self.has_step_properties {
            return false;
        }
        let sighting = self.sieve.glance(state);
        if sighting == Sighting::New {
            return false;
        }
        let action = self.count(label);
        if let Sighting::Elsewhere(later) = sighting {
            let parent = self.from.fingerprint.tag();
            self.harvest.push_elsewhere(state, parent, action, later);
        }
        self.note_edge(state, action);
        true
    }
}

/// Finds and checks the successors of a state.
pub(crate) fn expand<M: Machine>(
    machine: &M,
    worker: &mut M::Worker,
    from: Expanding<'_>,
    sieve: &mut impl Sieve,
    harvest: &mut Harvest,
) -> Checked<M> {
    let generated_before = harvest.generated;
    let mut expansion = Expansion {
        machine,
        from,
        sieve,
        harvest,
        has_constraints: machine.has_constraints(),
        has_step_properties: machine.has_step_properties(),
        wrong: None,
    };
    let enumerated = machine.successors(worker, from.values, from.level, &mut expansion);
    let wrong = expansion.wrong;
    let is_deadlock = harvest.generated == generated_before && machine.checks_deadlock();
    let (wrong, state) = match (wrong, enumerated) {
        (Some((wrong, state)), _) => (wrong, Some(state)),
        (None, Err(failure)) => (Wrong::Failed(failure), None),
        (None, Ok(())) if is_deadlock && !machine.wants_to_stop(worker) => (Wrong::Deadlock, None),
        (None, Ok(())) => return Ok(()),
    };
    Err(Box::new(Breach {
        wrong,
        from: Some(from.fingerprint),
        level: from.level,
        state,
    }))
}
