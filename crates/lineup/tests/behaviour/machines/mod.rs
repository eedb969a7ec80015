//! Components as small step machines, run in this process with every interleaving under our control.
//!
//! So what is tested here does not depend on any real scheduler: a machine is cloned at each choice, a thread can
//! go on if its next step changes something, and a run is stuck if no thread can.

pub(crate) mod components;

use std::ops::ControlFlow;

use omnilink_lineup::{
    Allowance, Alphabet, CallSlot, Cut, ExecutorError, Lane, Matrix, MatrixExecutor, MatrixRun, RunCoverage,
    RunEnding, RunEvent, RunPlan, Schedule, StuckKind, Switch, Visit,
};

/// What a thread keeps while it is in a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Local {
    /// How far it is.
    pub at: u32,
    /// What it remembers.
    pub kept: i64,
    /// What else it remembers.
    pub also: i64,
}

impl Local {
    /// Goes on with the next step.
    pub(crate) fn next(&mut self) -> Next {
        self.at += 1;
        Next::Going
    }
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The call goes on.
    Going,
    /// Nothing can be done until another thread does something.
    Waiting,
    /// The call is over.
    Done(String),
    /// The process dies.
    Crash(&'static str),
}

pub(crate) fn done(result: impl ToString) -> Next {
    Next::Done(result.to_string())
}

/// A component.
pub(crate) trait Machine: Clone + PartialEq {
    /// One atomic step of `call`.
    fn step(&mut self, thread: usize, call: &str, local: &mut Local) -> Next;
}

/// Runs a machine.
pub(crate) struct Machines<M, F: Fn(u64) -> M> {
    pub make: F,
    pub alphabet: Alphabet,
}

#[derive(Clone)]
struct World<M> {
    machine: M,
    threads: Vec<Thread>,
    events: Vec<RunEvent>,
    schedule: Vec<u8>,
    switches: Vec<Switch>,
    preemptions: u32,
    running: Option<usize>,
}

#[derive(Clone, Default)]
struct Thread {
    index: usize,
    is_open: bool,
    local: Local,
}

#[derive(PartialEq)]
enum Try {
    /// It can go on, or has finished.
    Able,
    /// It waits.
    Waits,
    /// It goes round in circles.
    Spins,
    /// It has made all its calls.
    Ended,
}

const STEPS_MAX: usize = 500;

impl<M: Machine, F: Fn(u64) -> M> Machines<M, F> {
    fn calls<'a>(&'a self, matrix: &'a Matrix, lane: Lane) -> Vec<&'a str> {
        matrix
            .lane(lane)
            .iter()
            .map(|call| self.alphabet.name(*call))
            .collect()
    }

    fn world(&self, matrix: &Matrix, environment: u64) -> World<M> {
        World {
            machine: (self.make)(environment),
            threads: vec![Thread::default(); matrix.threads.len()],
            events: Vec::new(),
            schedule: Vec::new(),
            switches: Vec::new(),
            preemptions: 0,
            running: None,
        }
    }

    /// Runs the initial or the final calls. Returns the ending if the run ends there.
    fn alone(&self, world: &mut World<M>, matrix: &Matrix, lane: Lane) -> Option<RunEnding> {
        for (index, call) in self.calls(matrix, lane).into_iter().enumerate() {
            let slot = CallSlot {
                lane,
                index: index as u8,
            };
            world.events.push(RunEvent::Call(slot));
            let mut local = Local::default();
            loop {
                let before = (world.machine.clone(), local.clone());
                match world.machine.step(usize::MAX, call, &mut local) {
                    Next::Done(result) => {
                        world.events.push(RunEvent::Return(slot, result.into()));
                        break;
                    }
                    Next::Crash(reason) => return Some(crash(Some(slot), reason)),
                    Next::Going if before != (world.machine.clone(), local.clone()) => {}
                    Next::Going => return Some(RunEnding::Stuck(StuckKind::Livelock)),
                    Next::Waiting => return Some(RunEnding::Stuck(StuckKind::Deadlock)),
                }
            }
        }
        None
    }

    fn try_step(&self, world: &World<M>, matrix: &Matrix, thread: usize) -> Try {
        let calls = self.calls(matrix, Lane::Thread(thread as u8));
        let state = &world.threads[thread];
        let Some(call) = calls.get(state.index) else {
            return Try::Ended;
        };
        let (mut machine, mut local) = (world.machine.clone(), state.local.clone());
        match machine.step(thread, call, &mut local) {
            Next::Waiting => Try::Waits,
            Next::Going if machine == world.machine && local == state.local => Try::Spins,
            _ => Try::Able,
        }
    }

    fn tries(&self, world: &World<M>, matrix: &Matrix) -> Vec<Try> {
        let threads = 0..world.threads.len();
        threads
            .map(|thread| self.try_step(world, matrix, thread))
            .collect()
    }

    /// Makes a step of a thread that can take one. Returns the ending if the run ends there.
    fn step(&self, world: &mut World<M>, matrix: &Matrix, thread: usize) -> Option<RunEnding> {
        let calls = self.calls(matrix, Lane::Thread(thread as u8));
        let state = &mut world.threads[thread];
        let slot = CallSlot::of_thread(thread as u8, state.index as u8);
        world.schedule.push(thread as u8);
        world.running = Some(thread);
        if !state.is_open {
            state.is_open = true;
            world.events.push(RunEvent::Call(slot));
        }
        match world.machine.step(thread, calls[state.index], &mut state.local) {
            Next::Done(result) => {
                world.events.push(RunEvent::Return(slot, result.into()));
                *state = Thread {
                    index: state.index + 1,
                    ..Thread::default()
                };
                None
            }
            Next::Crash(reason) => Some(crash(Some(slot), reason)),
            Next::Going | Next::Waiting => None,
        }
    }

    fn explore_from(&self, world: World<M>, search: &mut Exploration<'_>) -> ControlFlow<()> {
        let matrix = search.matrix;
        let tries = self.tries(&world, matrix);
        let able = |thread: &usize| tries[*thread] == Try::Able;
        let candidates: Vec<usize> = match (search.plan, world.running) {
            (RunPlan::Serial { .. }, Some(current)) if world.threads[current].is_open => vec![current],
            _ => (0..tries.len()).collect(),
        };
        // In a serial run a call is made even if it will get stuck at once: that it does is what is to be learnt.
        let is_serial = matches!(search.plan, RunPlan::Serial { .. });
        let stuck_at_once = |thread: &usize| {
            is_serial && !world.threads[*thread].is_open && tries[*thread] != Try::Ended && !able(thread)
        };
        if !candidates
            .iter()
            .any(|thread| able(thread) || stuck_at_once(thread))
        {
            return self.finish(world, &tries, search);
        }
        if world.schedule.len() >= STEPS_MAX {
            return search.show(world, RunEnding::Cut(Cut::Steps(STEPS_MAX as u64)));
        }
        for &thread in candidates.iter().filter(|thread| stuck_at_once(thread)) {
            let mut world = world.clone();
            let index = world.threads[thread].index as u8;
            world
                .events
                .push(RunEvent::Call(CallSlot::of_thread(thread as u8, index)));
            search.show(world, stuck_of(&tries[thread..=thread]))?;
        }
        for thread in candidates.into_iter().filter(able) {
            let mut world = world.clone();
            switch_to(&mut world, thread, &tries);
            if search.exactly.is_some_and(|bound| world.preemptions > bound) {
                continue;
            }
            match self.step(&mut world, matrix, thread) {
                Some(ending) => search.show(world, ending)?,
                None => self.explore_from(world, search)?,
            }
        }
        ControlFlow::Continue(())
    }

    fn finish(&self, mut world: World<M>, tries: &[Try], search: &mut Exploration<'_>) -> ControlFlow<()> {
        let ending = if tries.iter().all(|tried| *tried == Try::Ended) {
            self.alone(&mut world, search.matrix, Lane::Final)
                .unwrap_or(RunEnding::Finished)
        } else {
            stuck_of(tries)
        };
        if matches!(ending, RunEnding::Stuck(_)) && !matches!(search.plan, RunPlan::Serial { .. }) {
            self.call_the_stuck(&mut world, tries);
        }
        search.show(world, ending)
    }

    /// Threads that wait in the first step of a call have called it all the same.
    fn call_the_stuck(&self, world: &mut World<M>, tries: &[Try]) {
        for (thread, tried) in tries.iter().enumerate() {
            let state = &mut world.threads[thread];
            if *tried != Try::Ended && !state.is_open {
                state.is_open = true;
                world.events.push(RunEvent::Call(CallSlot::of_thread(
                    thread as u8,
                    state.index as u8,
                )));
            }
        }
    }
}

/// Notes down that another thread goes on than the one that ran before.
fn switch_to<M>(world: &mut World<M>, thread: usize, tries: &[Try]) {
    if let Some(current) = world.running.filter(|current| *current != thread) {
        let is_preemption = tries[current] == Try::Able;
        world.preemptions += u32::from(is_preemption);
        world.switches.push(Switch {
            after_events: world.events.len(),
            step: world.schedule.len(),
            from: Lane::Thread(current as u8),
            to: Lane::Thread(thread as u8),
            is_preemption,
            code: 0,
            source_line: None,
        });
    }
}

fn crash(slot: Option<CallSlot>, reason: &str) -> RunEnding {
    RunEnding::Crashed {
        slot,
        reason: reason.into(),
    }
}

fn stuck_of(tries: &[Try]) -> RunEnding {
    RunEnding::Stuck(if tries.contains(&Try::Spins) {
        StuckKind::Livelock
    } else {
        StuckKind::Deadlock
    })
}

struct Exploration<'a> {
    matrix: &'a Matrix,
    plan: RunPlan,
    /// Only runs with exactly this number of preemptions are shown.
    exactly: Option<u32>,
    left: u64,
    visit: Visit<'a>,
}

impl Exploration<'_> {
    fn show<M>(&mut self, world: World<M>, ending: RunEnding) -> ControlFlow<()> {
        if self.exactly.is_some_and(|bound| world.preemptions != bound) {
            return ControlFlow::Continue(());
        }
        if self.left == 0 {
            return ControlFlow::Break(());
        }
        self.left -= 1;
        (self.visit)(MatrixRun {
            events: world.events,
            ending,
            schedule: Schedule::new(world.schedule),
            preemptions: world.preemptions,
            stale_reads: 0,
            switches: world.switches,
            accesses: Vec::new(),
            races: Vec::new(),
            memory_error: Vec::new(),
            output: String::new(),
            stack: Vec::new(),
            racy_accesses: Vec::new(),
        })
    }
}

impl<M: Machine, F: Fn(u64) -> M> MatrixExecutor for Machines<M, F> {
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: RunPlan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<RunCoverage, ExecutorError> {
        let environment = match plan {
            RunPlan::Serial { environment } => environment,
            RunPlan::Bounded { .. } => 0,
            RunPlan::Random { .. } | RunPlan::Pct { .. } | RunPlan::PartialOrders { .. } => {
                let (executor, what) = ("a step machine", "random runs");
                return Err(ExecutorError::Unsupported { executor, what });
            }
        };
        let mut start = self.world(matrix, environment);
        let left = allowance.executions;
        let mut search = Exploration {
            matrix,
            plan,
            exactly: None,
            left,
            visit,
        };
        if let Some(ending) = self.alone(&mut start, matrix, Lane::Initial) {
            let is_complete = search.show(start, ending).is_continue();
            return Ok(RunCoverage {
                is_complete,
                bound_completed: None,
                ..RunCoverage::default()
            });
        }
        let RunPlan::Bounded { preemptions } = plan else {
            let is_complete = self.explore_from(start, &mut search).is_continue();
            return Ok(RunCoverage {
                is_complete,
                bound_completed: None,
                ..RunCoverage::default()
            });
        };
        // Slow and simple: each bound explores everything below it again, and shows only what is new.
        for bound in 0..=preemptions {
            search.exactly = Some(bound);
            if self.explore_from(start.clone(), &mut search).is_break() {
                return Ok(RunCoverage {
                    is_complete: false,
                    bound_completed: bound.checked_sub(1),
                    ..RunCoverage::default()
                });
            }
        }
        Ok(RunCoverage {
            is_complete: true,
            bound_completed: Some(preemptions),
            ..RunCoverage::default()
        })
    }

    fn replay(
        &mut self,
        matrix: &Matrix,
        schedule: &Schedule,
        _: &[u64],
    ) -> Result<MatrixRun, ExecutorError> {
        let mut world = self.world(matrix, 0);
        let mut ending = self.alone(&mut world, matrix, Lane::Initial);
        for thread in schedule.steps().iter().map(|step| &step.thread) {
            if ending.is_some() {
                break;
            }
            let thread = usize::from(*thread);
            let tries = self.tries(&world, matrix);
            ending = match tries.get(thread) {
                Some(Try::Able) => {
                    switch_to(&mut world, thread, &tries);
                    self.step(&mut world, matrix, thread)
                }
                _ => Some(RunEnding::Diverged),
            };
        }
        let tries = self.tries(&world, matrix);
        let mut replayed = None;
        let mut visit = |execution| {
            replayed = Some(execution);
            ControlFlow::Break(())
        };
        let plan = RunPlan::Bounded {
            preemptions: u32::MAX,
        };
        let mut search = Exploration {
            matrix,
            plan,
            exactly: None,
            left: 1,
            visit: &mut visit,
        };
        let _ = match ending {
            Some(ending) => search.show(world, ending),
            None => self.finish(world, &tries, &mut search),
        };
        replayed.ok_or_else(|| ExecutorError::Failed("nothing was replayed".to_owned()))
    }
}
