//! Random simulation: random behaviours without a seen set, by several workers.
//!
//! For state spaces too large to exhaust. The successor of a state is chosen uniformly. A simulation can find a violation; it can never
//! show that there is none.
//!
//! Each behaviour has a number, and its random choices depend on the seed and on this number only. Of several violations the one of
//! the lowest number is reported: behaviours with lower numbers are finished first. So the violation does not depend on the number
//! of workers. The counts do: they include what other workers did in the meantime.

mod compiled_behaviour;
mod lengths;
mod simulator;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use omnilink_memory::guard;

pub use self::lengths::Lengths;
use self::simulator::Simulator;
use crate::limits::{Limit, LimitWatch, SearchOptions};
use crate::outcome::ViolationKind;
use crate::path::PathState;
use crate::progress::SearchProgress;
use crate::random::word;
use crate::statistics::ActionCount;
use crate::transition_system::TransitionSystem;

/// Options of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct SimulationOptions {
    /// Number of behaviours; `None` for as many as the time limit allows.
    pub behaviours: Option<u64>,
    /// Maximum number of states of a behaviour.
    pub depth_max: u32,
    /// Seed of the random choices.
    pub seed: u64,
    /// Whether `TLCGet("config").mode` is `generate`, as with TLC's `-generate`, rather than `simulate`.
    pub is_generated: bool,
}

/// Why a simulation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulationEnd {
    /// The spec requested it.
    Stopped,
    /// A limit was reached.
    Limit(Limit),
    /// A violation was found.
    Violation,
}

/// A violation in or after the last state of a behaviour.
#[derive(Debug)]
pub struct SimulationViolation<S, E> {
    /// The number of the behaviour.
    pub behaviour: u64,
    /// What is violated.
    pub kind: ViolationKind<E>,
    /// The states.
    pub path: Vec<PathState<S>>,
}

/// What a simulation found.
#[derive(Debug)]
pub struct SimulationOutcome<S, E> {
    /// Why it ended.
    pub end: SimulationEnd,
    /// The violation, or the first one of each property if the simulation goes on after violations. In the order of behaviours.
    pub violations: Vec<SimulationViolation<S, E>>,
    /// Generated states.
    pub generated: u64,
    /// The lengths of the finished behaviours.
    pub lengths: Lengths,
    /// Steps of each action: those that were possible, and those that were taken.
    pub action_counts: Vec<ActionCount>,
}

/// Behaviours between two looks at the memory of the process. States are dropped with their behaviour, but a spec may keep values.
const BEHAVIOURS_PER_MEMORY_CHECK: u64 = 64;

/// Runs random behaviours on the calling thread and on others.
pub fn simulate<T: TransitionSystem>(
    system: &T,
    search: &SearchOptions,
    options: &SimulationOptions,
    progress: &SearchProgress,
) -> SimulationOutcome<T::Step, T::Error> {
    let simulation = Simulation {
        system,
        options,
        limits: LimitWatch::new(&search.limits, progress),
        progress,
        next: AtomicU64::new(0),
        last: AtomicU64::new(u64::MAX),
        outcome: Mutex::new(SimulationOutcome {
            end: SimulationEnd::Limit(Limit::Behaviours),
            violations: Vec::new(),
            generated: 0,
            lengths: Lengths::default(),
            action_counts: vec![ActionCount::default(); system.action_count()],
        }),
    };
    scope(|scope| {
        for number in 1..search.workers {
            let simulation = &simulation;
            let builder = Builder::new().name("mc".into()).stack_size(search.stack_bytes);
            let limits = guard::current();
            let work = move || {
                let _limits = limits.enter();
                simulation.work(number);
            };
            // If no more threads can be started, the simulation goes on with fewer workers.
            if builder.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        simulation.work(0);
    });
    let mut outcome = simulation
        .outcome
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    outcome.violations.sort_by_key(|violation| violation.behaviour);
    outcome
}

/// What all workers share.
struct Simulation<'a, T: TransitionSystem> {
    system: &'a T,
    options: &'a SimulationOptions,
    limits: LimitWatch<'a>,
    progress: &'a SearchProgress,
    /// The number of the next behaviour.
    next: AtomicU64,
    /// Behaviours with higher numbers are not started.
    last: AtomicU64,
    outcome: Mutex<SimulationOutcome<T::Step, T::Error>>,
}

impl<T: TransitionSystem> Simulation<'_, T> {
    /// The main loop of a worker.
    fn work(&self, number: usize) {
        let mut simulator = Simulator::new(self.system, number);
        let mut lengths = Lengths::default();
        loop {
            let behaviour = self.next.fetch_add(1, Ordering::Relaxed);
            let is_beyond = self.options.behaviours.is_some_and(|wanted| behaviour >= wanted);
            if is_beyond || behaviour > self.last.load(Ordering::Acquire) {
                break;
            }
            let generated = simulator.counts.generated;
            let seed = word(self.options.seed, behaviour);
            let depth_max = self.options.depth_max;
            let end = match simulator.run_compiled(seed, depth_max, &self.limits) {
                Some(length) => self.pass(&mut lengths, length),
                None => {
                    let mut path = Vec::new();
                    let run = simulator.run(seed, &mut path, depth_max, &self.limits);
                    let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
                    match run {
                        Err(kind) => {
                            let end = self.violation(behaviour, kind, path);
                            // A behaviour that ends in a violation was drawn, too.
                            if !matches!(end, Some(SimulationEnd::Limit(_))) {
                                lengths.add(length);
                            }
                            end
                        }
                        // Without an initial state there is no behaviour.
                        Ok(()) if path.is_empty() => Some(SimulationEnd::Limit(Limit::Behaviours)),
                        Ok(()) => self.pass(&mut lengths, length),
                    }
                }
            };
            self.progress
                .add_behaviour(simulator.counts.generated - generated, u64::from(lengths.max));
            let is_full =
                || behaviour.is_multiple_of(BEHAVIOURS_PER_MEMORY_CHECK) && self.limits.is_memory_full(0);
            let end = match end {
                None if is_full() => Some(SimulationEnd::Limit(Limit::Memory)),
                None if self.system.stop_requested(&simulator.worker) => Some(SimulationEnd::Stopped),
                end => end,
            };
            if let Some(end) = end {
                self.end(behaviour, end);
            }
        }
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        outcome.generated += simulator.counts.generated;
        outcome.lengths.merge(&lengths);
        for (all, own) in outcome.action_counts.iter_mut().zip(simulator.counts.actions) {
            all.generated += own.generated;
            all.distinct += own.distinct;
        }
    }

    /// Counts a behaviour in which nothing is violated, unless a limit cut it short.
    fn pass(&self, lengths: &mut Lengths, length: u32) -> Option<SimulationEnd> {
        let limit = self.limits.time_limit();
        if limit.is_none() {
            lengths.add(length);
        }
        limit.map(SimulationEnd::Limit)
    }

    /// Ends the simulation after this behaviour. A violation counts more than a limit.
    fn end(&self, behaviour: u64, end: SimulationEnd) {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = self.last.fetch_min(behaviour, Ordering::AcqRel) == u64::MAX;
        if is_first || end == SimulationEnd::Violation {
            outcome.end = end;
        }
    }

    /// Keeps a violation if it is the first one of its kind. Returns whether the simulation ends.
    fn violation(
        &self,
        behaviour: u64,
        kind: ViolationKind<T::Error>,
        path: Vec<PathState<T::Step>>,
    ) -> Option<SimulationEnd> {
        let is_error = matches!(kind, ViolationKind::Failed(_));
        if let ViolationKind::Failed(error) = &kind
            && self.system.is_timeout(error)
        {
            return Some(SimulationEnd::Limit(self.limits.timeout()));
        }
        let continues = self.system.continues_after_violations() && !is_error;
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let violations = &mut outcome.violations;
        // Without --continue there is one violation, whatever its kind.
        let known = violations.iter().position(|known| {
            !self.system.continues_after_violations() || is_same_property(&known.kind, &kind)
        });
        let violation = SimulationViolation {
            behaviour,
            kind,
            path,
        };
        match known.and_then(|at| violations.get_mut(at)) {
            Some(known) if behaviour < known.behaviour => *known = violation,
            Some(_) => {}
            None => violations.push(violation),
        }
        (!continues).then_some(SimulationEnd::Violation)
    }
}

fn is_same_property<E>(one: &ViolationKind<E>, other: &ViolationKind<E>) -> bool {
    match (one, other) {
        (ViolationKind::Invariant(one), ViolationKind::Invariant(other))
        | (ViolationKind::Initial(one), ViolationKind::Initial(other))
        | (ViolationKind::Step(one), ViolationKind::Step(other)) => one == other,
        (ViolationKind::Deadlock, ViolationKind::Deadlock)
        | (ViolationKind::Failed(_), ViolationKind::Failed(_)) => true,
        _ => false,
    }
}
