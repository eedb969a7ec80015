//! Random simulation: random behaviours, one after the other, without a seen set.
//!
//! For state spaces too large to exhaust. The successor of a state is chosen uniformly, by reservoir sampling while successors are
//! enumerated, so only one is kept. A simulation can find a violation; it can never show that there is none.

use std::ops::ControlFlow;

use omnilink_value::Value;

use crate::limits::{Limit, LimitMonitor, SearchOptions};
use crate::outcome::{ActionCount, ViolationKind};
use crate::path::PathState;
use crate::progress::SearchProgress;
use crate::random::Random;
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
#[derive(Debug)]
pub enum SimulationEnd<S, E> {
    /// The spec requested it.
    Stopped,
    /// A limit was reached without a violation.
    Limit(Limit),
    /// A violation in or after the last state of this behaviour.
    Violation(ViolationKind<E>, Vec<PathState<S>>),
}

/// What a simulation found.
#[derive(Debug)]
pub struct SimulationOutcome<S, E> {
    /// Why it ended.
    pub end: SimulationEnd<S, E>,
    /// Generated states.
    pub generated: u64,
    /// Length of the longest behaviour.
    pub depth: u32,
    /// Finished behaviours.
    pub behaviours: u64,
    /// Steps of each action.
    pub action_counts: Vec<ActionCount>,
}

/// Behaviours between two looks at the memory of the process. States are dropped with their behaviour, but a spec may keep values.
const BEHAVIOURS_PER_MEMORY_CHECK: u64 = 64;

/// Runs random behaviours on the calling thread.
pub fn simulate<T: TransitionSystem>(
    system: &T,
    search: &SearchOptions,
    options: &SimulationOptions,
    progress: &SearchProgress,
) -> SimulationOutcome<T::Step, T::Error> {
    let limits = LimitMonitor::new(&search.limits, progress);
    let mut simulator = Simulator {
        system,
        worker: system.worker(0),
        random: Random::new(options.seed),
        generated: 0,
        depth: 0,
        action_counts: vec![ActionCount::default(); system.action_count()],
    };
    let mut behaviours = 0u64;
    let end = loop {
        if options.behaviours.is_some_and(|wanted| behaviours >= wanted) {
            break SimulationEnd::Limit(Limit::Behaviours);
        }
        let mut path = Vec::new();
        let measures_memory = behaviours.is_multiple_of(BEHAVIOURS_PER_MEMORY_CHECK);
        match simulator.run_behaviour(&mut path, options.depth_max, &limits) {
            Err(ViolationKind::Failed(error)) if system.is_timeout(&error) => {
                break SimulationEnd::Limit(limits.timeout());
            }
            Err(violation) => break SimulationEnd::Violation(violation, path),
            Ok(()) => {
                if let Some(limit) = limits.time_limit() {
                    break SimulationEnd::Limit(limit);
                }
            }
        }
        if measures_memory && limits.is_memory_full(0) {
            break SimulationEnd::Limit(Limit::Memory);
        }
        if system.stop_requested(&simulator.worker) {
            break SimulationEnd::Stopped;
        }
        // Without an initial state there is no behaviour.
        if path.is_empty() {
            break SimulationEnd::Limit(Limit::Behaviours);
        }
        behaviours += 1;
        progress.set(simulator.generated, 0, 0, u64::from(simulator.depth));
        progress.set_behaviours(behaviours);
    };
    SimulationOutcome {
        end,
        generated: simulator.generated,
        depth: simulator.depth,
        behaviours,
        action_counts: simulator.action_counts,
    }
}

struct Simulator<'a, T: TransitionSystem> {
    system: &'a T,
    worker: T::Worker,
    random: Random,
    generated: u64,
    depth: u32,
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
            self.depth = self.depth.max(level);
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
        let index = system.violated_invariant(worker, &state.values, level);
        if let Some(index) = index.map_err(ViolationKind::Failed)? {
            return Err(ViolationKind::Invariant(index));
        }
        let violation = match before.last() {
            None => system
                .violated_initial_property(worker, &state.values)
                .map(|index| index.map(ViolationKind::Initial)),
            Some(from) => system
                .violated_step_property(worker, &from.values, &state.values, level - 1)
                .map(|index| index.map(ViolationKind::Step)),
        };
        violation.map_err(ViolationKind::Failed)?.map_or(Ok(()), Err)
    }

    fn initial_state(&mut self) -> Result<Option<State>, T::Error> {
        let (mut chosen, mut count) = (None, 0);
        let random = &mut self.random;
        self.system.initial_states(&mut self.worker, &mut |_, state| {
            count += 1;
            if random.below(count) == 0 {
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
                        if random.below(candidates) == 0 {
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
        Ok(chosen)
    }
}
