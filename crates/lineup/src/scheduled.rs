//! Runs in which a scheduler decides every step: unmodified code in an instrumented harness, or whatever else the crate `sched`
//! can drive, such as code that was ported to shuttle.

#[cfg(target_os = "linux")]
use omnilink_sched::HarnessExecutor;
#[cfg(not(target_os = "linux"))]
use omnilink_sched::build::BuildError;
use omnilink_sched::{
    Accesses, Ending as SchedEnding, EventKind, Execution as SchedExecution, ExploreOptions, Program,
    SchedError, Schedule, Silence, StopReason, Strategy, StuckReason, ThreadId, explore, replay,
};

use crate::description::Description;
use crate::execution::{Cut, Ending, Event, Execution, Stuck, Switch};
use crate::executor::{Allowance, Coverage, Executor, ExecutorError, Plan, Visit};
use crate::harness::{Harness, HarnessError};
use crate::matrix::Matrix;
use crate::places::Places;
use crate::slot::{Lane, Slot};

/// How runs are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledOptions {
    /// Also switch at accesses that are not atomic: for code with data races.
    pub plain_accesses: bool,
    /// Leave runs out whose history another run shows.
    pub reduction: bool,
    /// Steps after which a run is cut short.
    pub steps_max: u64,
    /// Processors to use.
    pub processors: usize,
}

impl Default for ScheduledOptions {
    fn default() -> Self {
        Self {
            plain_accesses: false,
            reduction: true,
            steps_max: omnilink_sched::Plan::STEPS_MAX_DEFAULT,
            processors: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// What a scheduler can drive, ready to run.
pub struct Scheduled {
    pool: Vec<Box<dyn omnilink_sched::Executor>>,
    options: ScheduledOptions,
    /// Where code stands in the source, if that is known.
    places: Option<Places>,
}

impl std::fmt::Debug for Scheduled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scheduled")
            .field("processes", &self.pool.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Scheduled {
    /// Starts a harness on several processors, and reads what it says about itself.
    ///
    /// # Errors
    /// When it cannot be started or is no harness.
    #[cfg(target_os = "linux")]
    pub fn start(harness: &Harness, options: ScheduledOptions) -> Result<(Self, Description), HarnessError> {
        let (program, started) = (&harness.program, harness.options());
        let first = HarnessExecutor::start(program, &started)?;
        let description = Description::parse(first.description())?;
        drop(first);
        let pool = HarnessExecutor::pool(program, &started, options.processors)?;
        let executor = Self {
            pool,
            options,
            places: Some(Places::of(program)),
        };
        Ok((executor, description))
    }

    /// Says that no harness can be started on this system.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn start(_: &Harness, _: ScheduledOptions) -> Result<(Self, Description), HarnessError> {
        Err(HarnessError::System(BuildError::Unsupported))
    }

    /// Runs on executors that are there already, each of which makes the calls of an alphabet by their numbers.
    ///
    /// For executors that do not say which locations a step touches, such as shuttle's, switch reduction off.
    pub fn over(pool: Vec<Box<dyn omnilink_sched::Executor>>, options: ScheduledOptions) -> Self {
        Self {
            pool,
            options,
            places: None,
        }
    }

    fn options(&self, allowance: Allowance) -> ExploreOptions {
        ExploreOptions {
            accesses: match self.options.plain_accesses {
                true => Accesses::All,
                false => Accesses::Atomic,
            },
            steps_max: self.options.steps_max,
            executions_max: allowance.executions,
            time_max: allowance.time,
            environment: 0,
        }
    }
}

impl Executor for Scheduled {
    fn explore(
        &mut self,
        matrix: &Matrix,
        plan: Plan,
        allowance: Allowance,
        visit: Visit<'_>,
    ) -> Result<Coverage, ExecutorError> {
        let strategy = match plan {
            Plan::Serial { .. } => Strategy::Serial,
            Plan::Bounded { preemptions } => Strategy::Bounded {
                preemptions_max: Some(preemptions),
                reduction: self.options.reduction,
            },
            Plan::Random { seed, executions } => Strategy::Random { seed, executions },
            Plan::Pct {
                seed,
                executions,
                depth,
            } => Strategy::Priorities {
                seed,
                executions,
                changes: depth,
            },
        };
        let environment = match plan {
            Plan::Serial { environment } => environment,
            _ => 0,
        };
        let options = ExploreOptions {
            environment,
            ..self.options(allowance)
        };
        let program = program_of(matrix);
        let exploration = explore(&mut self.pool, &program, strategy, &options, &mut |execution| {
            visit(told(execution, matrix))
        })
        .map_err(failed)?;
        let is_complete = exploration.stopped == StopReason::Exhausted && exploration.diverged == 0;
        let bound_completed = match plan {
            Plan::Bounded { preemptions } if is_complete => Some(preemptions),
            // Bounds follow each other: the one that was being explored is not complete.
            Plan::Bounded { .. } => (exploration.bounds.len() as u32).checked_sub(2),
            _ => None,
        };
        Ok(Coverage {
            is_complete,
            bound_completed,
            redundant: exploration.redundant,
        })
    }

    fn replay(&mut self, matrix: &Matrix, schedule: &Schedule) -> Result<Execution, ExecutorError> {
        let options = self.options(Allowance::UNLIMITED);
        let Some(executor) = self.pool.first_mut() else {
            return Err(ExecutorError::Failed("no harness is running".to_owned()));
        };
        match replay(&mut **executor, &program_of(matrix), schedule, &options, false) {
            Ok(execution) => {
                let mut told = told(&execution, matrix);
                for switch in &mut told.switches {
                    switch.place = self.places.as_mut().and_then(|places| places.find(switch.code));
                }
                Ok(told)
            }
            Err(SchedError::Diverged { .. }) => Ok(Execution {
                events: Vec::new(),
                ending: Ending::Diverged,
                schedule: schedule.clone(),
                preemptions: 0,
                switches: Vec::new(),
            }),
            Err(error) => Err(failed(error)),
        }
    }
}

pub(crate) fn failed(error: SchedError) -> ExecutorError {
    ExecutorError::Failed(error.to_string())
}

pub(crate) fn program_of(matrix: &Matrix) -> Program {
    let numbers = |lane| matrix.lane(lane).iter().map(|call| u32::from(call.0)).collect();
    Program {
        before: numbers(Lane::Initial),
        columns: (0..matrix.threads.len())
            .map(|thread| numbers(Lane::Thread(thread as u8)))
            .collect(),
        after: numbers(Lane::Final),
    }
}

/// Where a call of the scheduler's stands in the matrix: its main thread makes the calls of the beginning and the end.
fn slot_of(matrix: &Matrix, thread: ThreadId, position: u32) -> Slot {
    let position = position.min(u32::from(u8::MAX)) as u8;
    let initial = matrix.initial.len() as u8;
    match lane_of(matrix, thread) {
        Lane::Initial if position >= initial => Slot {
            lane: Lane::Final,
            index: position - initial,
        },
        lane => Slot {
            lane,
            index: position,
        },
    }
}

fn lane_of(matrix: &Matrix, thread: ThreadId) -> Lane {
    match usize::from(thread) == matrix.threads.len() {
        true => Lane::Initial,
        false => Lane::Thread(thread),
    }
}

pub(crate) fn told(execution: &SchedExecution, matrix: &Matrix) -> Execution {
    let events: Vec<Event> = execution
        .events
        .iter()
        .map(|event| {
            let slot = slot_of(matrix, event.thread, event.position);
            match &event.kind {
                EventKind::Call => Event::Call(slot),
                EventKind::Return(result) => Event::Return(slot, result.as_str().into()),
            }
        })
        .collect();
    let ending = ending_of(execution, &events, matrix);
    let switches = execution.switches().filter_map(|(at, step)| {
        let from = step.current?;
        let after_events = execution.events.partition_point(|event| event.step <= at as u64);
        Some(Switch {
            after_events,
            from: lane_of(matrix, from),
            to: lane_of(matrix, step.chosen),
            is_preemption: step.is_preemption(),
            code: step.current_code,
            place: None,
        })
    });
    Execution {
        ending,
        schedule: execution.schedule(),
        preemptions: execution.preemptions(),
        switches: switches.collect(),
        events,
    }
}

fn ending_of(execution: &SchedExecution, events: &[Event], matrix: &Matrix) -> Ending {
    match &execution.ending {
        SchedEnding::Finished => Ending::Finished,
        SchedEnding::Stuck(stuck) => Ending::Stuck(match stuck.reason {
            StuckReason::Deadlock => Stuck::Deadlock,
            StuckReason::Livelock => Stuck::Livelock,
        }),
        SchedEnding::Crashed {
            thread,
            signal,
            exit_code,
        } => Ending::Crashed {
            slot: open_call(events, *thread, matrix),
            reason: match (signal, exit_code) {
                (Some(signal), _) => signal_name(*signal),
                (None, Some(code)) => format!("exit({code})"),
                (None, None) => "ended".to_owned(),
            }
            .into(),
        },
        SchedEnding::Diverged { .. } => Ending::Diverged,
        SchedEnding::Unresponsive { thread, silence } => {
            let slot = open_call(events, *thread, matrix);
            Ending::Cut(match silence {
                Silence::Computes => Cut::Computes(slot),
                Silence::Waits => Cut::Waits(slot),
                Silence::Late => Cut::Late(slot),
            })
        }
        SchedEnding::StepLimit => Ending::Cut(Cut::Steps(execution.steps_made)),
        SchedEnding::TooManyThreads => Ending::Cut(Cut::TooManyThreads),
        SchedEnding::EventsTooLarge => Ending::Cut(Cut::ResultsTooLarge),
    }
}

/// The call that a thread was in, if it was in one.
fn open_call(events: &[Event], thread: ThreadId, matrix: &Matrix) -> Option<Slot> {
    let is_theirs = |slot: &Slot| match (slot.lane, lane_of(matrix, thread)) {
        (Lane::Thread(one), Lane::Thread(other)) => one == other,
        (Lane::Initial | Lane::Final, Lane::Initial) => true,
        _ => false,
    };
    let theirs = |event: &&Event| match event {
        Event::Call(slot) | Event::Return(slot, _) => is_theirs(slot),
    };
    match events.iter().rev().find(theirs) {
        Some(Event::Call(slot)) => Some(*slot),
        _ => None,
    }
}

/// The signals that wrong code dies of.
fn signal_name(signal: i32) -> String {
    match signal {
        4 => "SIGILL".to_owned(),
        5 => "SIGTRAP".to_owned(),
        6 => "SIGABRT".to_owned(),
        7 => "SIGBUS".to_owned(),
        8 => "SIGFPE".to_owned(),
        9 => "SIGKILL".to_owned(),
        11 => "SIGSEGV".to_owned(),
        other => format!("signal {other}"),
    }
}
