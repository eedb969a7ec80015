//! Early looks: temporal properties are also checked on the part of the graph that is explored so far.
//!
//! A counterexample in a part of the graph is one in the whole graph: its states and steps are there, whether an action is enabled is
//! evaluated and not read off the graph, and every behaviour may stutter. So a violation is found without exploring everything, and
//! even if there are infinitely many states. That a property holds follows from the whole graph only.
//!
//! The part is looked at whenever it has grown fourfold. All looks together cost a third of the one at the end.

use std::io::{self, Read, Write};

use omnilink_value::Value;

use super::{GraphRecorder, Liveness, LivenessOutcome, StateGraph, labelling};
use crate::dump::GraphSink;
use crate::fingerprint::Fingerprint;
use crate::limits::LimitWatch;
use crate::tla_system::TlaSystem;

/// Growth of the graph until the next look.
const GROWTH: usize = 4;

/// Records the graph and looks at it while it grows.
pub(crate) struct EarlyLook<'a, 's, 'm> {
    recorder: GraphRecorder<'s>,
    system: &'a TlaSystem<'m>,
    liveness: &'a Liveness,
    limits: LimitWatch<'a>,
    workers: usize,
    /// Number of states at the next look; `None` if there is none.
    next: Option<usize>,
    /// Number of states at which the search ends, after a last look.
    states_max: usize,
    found: Option<LivenessOutcome>,
}

impl<'a, 's, 'm> EarlyLook<'a, 's, 'm> {
    /// `first` is the number of states at the first look; `None` if the search does not end at the first violation. `states_max` is
    /// the number of states at which the search ends.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn new(
        recorder: GraphRecorder<'s>,
        system: &'a TlaSystem<'m>,
        liveness: &'a Liveness,
        limits: LimitWatch<'a>,
        workers: usize,
        first: Option<usize>,
        states_max: usize,
    ) -> Self {
        // What reads the length of the queue has a value only when all states are known.
        let is_pure = !liveness
            .atoms
            .iter()
            .any(|atom| labelling::is_impure(system, atom));
        Self {
            recorder,
            system,
            liveness,
            limits,
            workers,
            next: first.map(|first| first.min(states_max)).filter(|_| is_pure),
            states_max,
            found: None,
        }
    }

    /// The graph, and what an early look found.
    pub(crate) fn finish(self) -> (StateGraph, Option<LivenessOutcome>) {
        let variables = self.system.model.program.variables.len();
        (self.recorder.finish(variables), self.found)
    }
}

impl GraphSink for EarlyLook<'_, '_, '_> {
    fn state(&mut self, fingerprint: Fingerprint, values: &[Value], level: u32) -> io::Result<()> {
        self.recorder.state(fingerprint, values, level)
    }

    fn encoded_state(&mut self, fingerprint: Fingerprint, encoded: &[u8], level: u32) -> io::Result<bool> {
        self.recorder.encoded_state(fingerprint, encoded, level)
    }

    fn step(&mut self, from: Fingerprint, to: Fingerprint, action: usize) -> io::Result<()> {
        self.recorder.step(from, to, action)
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.recorder.save(out)
    }

    fn restore(&mut self, input: &mut dyn Read) -> io::Result<()> {
        self.recorder.restore(input)
    }

    fn wants_pause(&self) -> bool {
        self.next.is_some_and(|next| self.recorder.len() >= next) || self.recorder.len() >= self.states_max
    }

    fn paused(&mut self) -> bool {
        let is_last = self.recorder.len() >= self.states_max;
        let Some(next) = self.next.filter(|next| self.recorder.len() >= *next) else {
            return is_last;
        };
        self.next = Some((self.recorder.len().max(next) * GROWTH).min(self.states_max));
        let variables = self.system.model.program.variables.len();
        let checked = self.recorder.look(variables, |graph| {
            self.liveness
                .check(self.system, graph, &self.limits, self.workers, false)
        });
        // An error or a limit will be met again, and reported, at the end.
        let violated = checked.ok().filter(|outcome| !outcome.violated.is_empty());
        self.found = violated.map(|outcome| LivenessOutcome {
            held: Vec::new(),
            ..outcome
        });
        self.found.is_some() || is_last
    }
}
