//! Random simulation: random behaviours without a seen set, by several workers.
//!
//! For state spaces too large to exhaust. The successor of a state is chosen uniformly, by reservoir sampling while successors are
//! enumerated, so only one is kept. A simulation can find a violation; it can never show that there is none.
//!
//! Each behaviour has a number, and its random choices depend on the seed and on this number only. Of several violations the one of
//! the lowest number is reported: behaviours with lower numbers are finished first. So the violation does not depend on the number
//! of workers. The counts do: they include what other workers did in the meantime.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use fastrand::Rng;
use omnilink_value::Value;

use crate::limits::{Limit, LimitMonitor, SearchOptions};
use crate::outcome::ViolationKind;
use crate::path::PathState;
use crate::progress::SearchProgress;
use crate::random::word;
use crate::statistics::ActionCount;
use crate::transition_system::{State, TransitionSystem};

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

/// Lengths of behaviours, in states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Number of behaviours.
    pub count: u64,
    /// Sum of the lengths.
    pub sum: u64,
    /// Sum of the squares of the lengths.
    pub squares: u128,
    /// The shortest.
    pub min: u32,
    /// The longest.
    pub max: u32,
}

impl Lengths {
    fn add(&mut self, length: u32) {
        self.min = if self.count == 0 {
            length
        } else {
            self.min.min(length)
        };
        self.max = self.max.max(length);
        self.count += 1;
        self.sum += u64::from(length);
        self.squares += u128::from(length) * u128::from(length);
    }

    fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.min = if self.count == 0 {
            other.min
        } else {
            self.min.min(other.min)
        };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The mean; 0 if there is none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    /// The standard deviation.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        (self.squares as f64 / self.count.max(1) as f64 - mean * mean)
            .max(0.0)
            .sqrt()
    }
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
        limits: LimitMonitor::new(&search.limits, progress),
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
            // If no more threads can be started, the simulation goes on with fewer workers.
            if builder
                .spawn_scoped(scope, move || simulation.work(number))
                .is_err()
            {
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
    limits: LimitMonitor<'a>,
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
        let mut simulator = Simulator {
            system: self.system,
            worker: self.system.worker(number),
            random: Rng::with_seed(0),
            generated: 0,
            action_counts: vec![ActionCount::default(); self.system.action_count()],
        };
        let mut lengths = Lengths::default();
        loop {
            let behaviour = self.next.fetch_add(1, Ordering::Relaxed);
            let is_beyond = self.options.behaviours.is_some_and(|wanted| behaviour >= wanted);
            if is_beyond || behaviour > self.last.load(Ordering::Acquire) {
                break;
            }
            let generated = simulator.generated;
            simulator.random = Rng::with_seed(word(self.options.seed, behaviour));
            let mut path = Vec::new();
            let end = match simulator.run_behaviour(&mut path, self.options.depth_max, &self.limits) {
                Err(kind) => {
                    let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
                    let end = self.violation(behaviour, kind, path);
                    // A behaviour that ends in a violation was drawn, too.
                    if !matches!(end, Some(SimulationEnd::Limit(_))) {
                        lengths.add(length);
                    }
                    end
                }
                // Without an initial state there is no behaviour.
                Ok(()) if path.is_empty() => Some(SimulationEnd::Limit(Limit::Behaviours)),
                Ok(()) => match self.limits.time_limit() {
                    Some(limit) => Some(SimulationEnd::Limit(limit)),
                    None => {
                        lengths.add(u32::try_from(path.len()).unwrap_or(u32::MAX));
                        None
                    }
                },
            };
            self.progress
                .add_behaviour(simulator.generated - generated, u64::from(lengths.max));
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
        outcome.generated += simulator.generated;
        outcome.lengths.merge(&lengths);
        for (all, own) in outcome.action_counts.iter_mut().zip(simulator.action_counts) {
            all.generated += own.generated;
            all.distinct += own.distinct;
        }
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

struct Simulator<'a, T: TransitionSystem> {
    system: &'a T,
    worker: T::Worker,
    random: Rng,
    generated: u64,
    action_counts: Vec<ActionCount>,
}

impl<T: TransitionSystem> Simulator<'_, T> {
    /// Runs one behaviour into `path`. A violation is in the last state or after it.
    fn run_behaviour(
        &mut self,
        path: &mut Vec<PathState<T::Step>>,
        depth_max: u32,
        limits: &LimitMonitor<'_>,
    ) -> Result<(), ViolationKind<T::Error>> {
        let Some(first) = self.initial_state().map_err(ViolationKind::Failed)? else {
            return Ok(());
        };
        path.push(PathState {
            values: first,
            step: None,
        });
        for level in 1.. {
            self.check(path, level)?;
            let can_continue = level < depth_max && limits.time_limit().is_none();
            let Some(last) = path.last().filter(|_| can_continue) else {
                break;
            };
            let within = self
                .system
                .satisfies_constraints(&mut self.worker, &last.values, level);
            if !within.map_err(ViolationKind::Failed)? || self.system.stop_requested(&self.worker) {
                break;
            }
            let from = last.values.clone();
            match self.successor(&from, level)? {
                Some(next) => path.push(next),
                None => break,
            }
        }
        Ok(())
    }

    fn check(&mut self, path: &[PathState<T::Step>], level: u32) -> Result<(), ViolationKind<T::Error>> {
        let (system, worker) = (self.system, &mut self.worker);
        let Some((state, before)) = path.split_last() else {
            return Ok(());
        };
        let index = system.violated_invariant(worker, &state.values, level, 0);
        if let Some(index) = index.map_err(ViolationKind::Failed)? {
            return Err(ViolationKind::Invariant(index));
        }
        let violation = match before.last() {
            None => system
                .violated_initial_property(worker, &state.values, 0)
                .map(|index| index.map(ViolationKind::Initial)),
            Some(from) => system
                .violated_step_property(worker, (&from.values, &state.values), level - 1, 0)
                .map(|index| index.map(ViolationKind::Step)),
        };
        violation.map_err(ViolationKind::Failed)?.map_or(Ok(()), Err)
    }

    fn initial_state(&mut self) -> Result<Option<State>, T::Error> {
        let (mut chosen, mut count) = (None, 0);
        let random = &mut self.random;
        self.system.initial_states(&mut self.worker, &mut |_, state| {
            count += 1;
            if random.u64(..count) == 0 {
                chosen = Some(state.into());
            }
            ControlFlow::Continue(())
        })?;
        self.generated += count;
        Ok(chosen)
    }

    /// Reservoir sampling: the n-th candidate replaces the chosen one with probability 1/n.
    fn successor(
        &mut self,
        from: &State,
        level: u32,
    ) -> Result<Option<PathState<T::Step>>, ViolationKind<T::Error>> {
        let (system, random) = (self.system, &mut self.random);
        let (mut chosen, mut candidates, mut generated, mut failed) = (None, 0, 0, None);
        let mut taken = usize::MAX;
        let enumerated = system.successors(
            &mut self.worker,
            from,
            level,
            &mut |worker: &mut T::Worker, state: &[Value], label: &T::Label| {
                generated += 1;
                if let Some(count) = self.action_counts.get_mut(system.action(label)) {
                    count.generated += 1;
                }
                match system.satisfies_action_constraints(worker, from, state, level) {
                    Ok(true) => {
                        candidates += 1;
                        if random.u64(..candidates) == 0 {
                            taken = system.action(label);
                            chosen = Some(PathState {
                                values: state.into(),
                                step: Some(system.describe(worker, label)),
                            });
                        }
                        ControlFlow::Continue(())
                    }
                    Ok(false) => ControlFlow::Continue(()),
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                }
            },
        );
        self.generated += generated;
        if let Some(error) = failed {
            return Err(ViolationKind::Failed(error));
        }
        enumerated.map_err(ViolationKind::Failed)?;
        if generated == 0 && system.checks_deadlock() {
            return Err(ViolationKind::Deadlock);
        }
        if let Some(count) = self.action_counts.get_mut(taken) {
            count.distinct += 1;
        }
        Ok(chosen)
    }
}
