//! Random simulation: behaviours drawn one after the other, nothing remembered.
//!
//! For state spaces too large to exhaust. Of the successors of a state, each is as likely as any other, and drawn while
//! they are enumerated, so that nothing is kept but the one. A simulation can show that something is wrong; it can never
//! show that nothing is.

use std::ops::ControlFlow;

use omnilink_value::Value;

use crate::breadth_first::Search;
use crate::limits::{Deadline, Limit, resident_bytes};
use crate::live::Live;
use crate::machine::{Machine, State};
use crate::outcome::{Taken, Wrong};
use crate::path::PathState;
use crate::random::Random;

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// How many behaviours; none for as many as time allows.
    pub behaviours: Option<u64>,
    /// How many states each has at most.
    pub depth_max: u32,
    /// What decides the choices.
    pub seed: u64,
    /// Whether a spec that asks is told `generate`, as by TLC's `-generate`, rather than `simulate`.
    pub is_generated: bool,
}

/// Why a simulation ended.
#[derive(Debug)]
pub enum Drawn<N, F> {
    /// The spec asked for it.
    Stopped,
    /// A limit was reached, and nothing was wrong so far.
    Limit(Limit),
    /// Something is wrong in or after the last state of this behaviour.
    Broken(Wrong<F>, Vec<PathState<N>>),
}

/// What a simulation found.
#[derive(Debug)]
pub struct Simulation<N, F> {
    /// Why it ended.
    pub end: Drawn<N, F>,
    /// States found.
    pub generated: u64,
    /// The length of the longest behaviour.
    pub depth: u32,
    /// Behaviours that were finished.
    pub behaviours: u64,
    /// How often each action was taken.
    pub taken: Vec<Taken>,
}

/// Draws behaviours, on the calling thread.
pub fn simulate<M: Machine>(
    machine: &M,
    search: &Search,
    draw: &Draw,
    live: &Live,
) -> Simulation<M::Named, M::Failure> {
    let deadline = Deadline::new(&search.limits);
    let mut drawing = Drawing {
        machine,
        worker: machine.worker(0),
        random: Random::new(draw.seed),
        generated: 0,
        depth: 0,
        taken: vec![Taken::default(); machine.actions()],
    };
    let mut behaviours = 0;
    let end = loop {
        if draw.behaviours.is_some_and(|wanted| behaviours >= wanted) {
            break Drawn::Limit(Limit::Behaviours);
        }
        let mut path = Vec::new();
        let is_full = || resident_bytes().is_some_and(|held| held > search.limits.memory_bytes);
        let is_over = || live.is_interrupted() || deadline.is_over();
        match drawing.behaviour(&mut path, draw.depth_max, is_over) {
            Err(Wrong::Failed(failure)) if machine.was_cut_short(&failure) => {
                break Drawn::Limit(over(live));
            }
            Err(wrong) => break Drawn::Broken(wrong, path),
            Ok(()) if is_over() => {
                break Drawn::Limit(over(live));
            }
            Ok(()) if behaviours.is_multiple_of(MEMORY_INTERVAL) && is_full() => {
                break Drawn::Limit(Limit::Memory);
            }
            Ok(()) if machine.wants_to_stop(&drawing.worker) => break Drawn::Stopped,
            // Without an initial state there is nothing to draw.
            Ok(()) if path.is_empty() => break Drawn::Limit(Limit::Behaviours),
            Ok(()) => behaviours += 1,
        }
        live.set(drawing.generated, 0, 0, u64::from(drawing.depth));
        live.set_behaviours(behaviours);
    };
    Simulation {
        end,
        generated: drawing.generated,
        depth: drawing.depth,
        behaviours,
        taken: drawing.taken,
    }
}

/// After how many behaviours memory is looked at: states are forgotten with their behaviour, but a spec may keep things.
const MEMORY_INTERVAL: u64 = 64;

/// Which limit ended a behaviour in its middle.
fn over(live: &Live) -> Limit {
    match live.is_interrupted() {
        true => Limit::Interrupt,
        false => Limit::Time,
    }
}

struct Drawing<'a, M: Machine> {
    machine: &'a M,
    worker: M::Worker,
    random: Random,
    generated: u64,
    depth: u32,
    taken: Vec<Taken>,
}

impl<M: Machine> Drawing<'_, M> {
    /// Draws one behaviour into `path`; what is wrong is wrong in its last state or after it.
    fn behaviour(
        &mut self,
        path: &mut Vec<PathState<M::Named>>,
        depth_max: u32,
        is_over: impl Fn() -> bool,
    ) -> Result<(), Wrong<M::Failure>> {
        let Some(first) = self.first().map_err(Wrong::Failed)? else {
            return Ok(());
        };
        path.push(PathState {
            values: first,
            label: None,
        });
        for level in 1.. {
            self.depth = self.depth.max(level);
            self.check(path, level)?;
            let Some(last) = path.last().filter(|_| level < depth_max && !is_over()) else {
                break;
            };
            let within = self.machine.is_within(&mut self.worker, &last.values, level);
            if !within.map_err(Wrong::Failed)? || self.machine.wants_to_stop(&self.worker) {
                break;
            }
            let from = last.values.clone();
            match self.next(&from, level)? {
                Some(next) => path.push(next),
                None => break,
            }
        }
        Ok(())
    }

    fn check(&mut self, path: &[PathState<M::Named>], level: u32) -> Result<(), Wrong<M::Failure>> {
        let (machine, worker) = (self.machine, &mut self.worker);
        let Some((state, before)) = path.split_last() else {
            return Ok(());
        };
        let broken = machine.broken_invariant(worker, &state.values, level);
        if let Some(broken) = broken.map_err(Wrong::Failed)? {
            return Err(Wrong::Invariant(broken));
        }
        match before.last() {
            None => match machine.broken_initial(worker, &state.values) {
                Ok(None) => Ok(()),
                Ok(Some(broken)) => Err(Wrong::Initial(broken)),
                Err(failure) => Err(Wrong::Failed(failure)),
            },
            Some(from) => match machine.broken_step(worker, &from.values, &state.values, level - 1) {
                Ok(None) => Ok(()),
                Ok(Some(broken)) => Err(Wrong::Step(broken)),
                Err(failure) => Err(Wrong::Failed(failure)),
            },
        }
    }

    fn first(&mut self) -> Result<Option<State>, M::Failure> {
        let (mut drawn, mut count) = (None, 0);
        let random = &mut self.random;
        self.machine.initial(&mut self.worker, &mut |_, state| {
            count += 1;
            if random.below(count) == 0 {
                drawn = Some(state.into());
            }
            ControlFlow::Continue(())
        })?;
        self.generated += count;
        Ok(drawn)
    }

    /// The n-th candidate replaces the one drawn so far with a chance of 1/n, which makes all equally likely.
    fn next(&mut self, from: &State, level: u32) -> Result<Option<PathState<M::Named>>, Wrong<M::Failure>> {
        let (machine, random) = (self.machine, &mut self.random);
        let (mut drawn, mut candidates, mut generated, mut failed) = (None, 0, 0, None);
        let enumerated = machine.successors(
            &mut self.worker,
            from,
            level,
            &mut |worker: &mut M::Worker, state: &[Value], label: &M::Label| {
                generated += 1;
                if let Some(taken) = self.taken.get_mut(machine.action(label)) {
                    taken.generated += 1;
                }
                match machine.is_step_within(worker, from, state, level) {
                    Ok(true) => {
                        candidates += 1;
                        if random.below(candidates) == 0 {
                            drawn = Some(PathState {
                                values: state.into(),
                                label: Some(machine.named(worker, label)),
                            });
                        }
                        ControlFlow::Continue(())
                    }
                    Ok(false) => ControlFlow::Continue(()),
                    Err(failure) => {
                        failed = Some(failure);
                        ControlFlow::Break(())
                    }
                }
            },
        );
        self.generated += generated;
        if let Some(failure) = failed {
            return Err(Wrong::Failed(failure));
        }
        enumerated.map_err(Wrong::Failed)?;
        if generated == 0 && machine.checks_deadlock() {
            return Err(Wrong::Deadlock);
        }
        Ok(drawn)
    }
}
