//! Runs of whole programs: any instrumented program, from its beginning to its end, in a process of its own.

use crate::limits::StopConditions;
use crate::observed_accesses::ObservedAccesses;
use crate::output::Output;
use crate::outside_use::OutsideUse;
use crate::program_schedule::{ProgramPolicy, ProgramSchedule, ProgramSwitch, record, thread_switch};
use crate::recorded_step::step;
use crate::shared_memory::{SharedMemory, data_race, memory_error_of, unknown_calls};
use crate::waiting_place::WaitingPlace;
use crate::watchdog::Watchdog;
use crate::{DataRace, MemoryError, MemoryModel, SchedError, SchedulerStep, UnknownCall, UnresponsiveReason};
use omnilink_sched_runtime::layout::{
    FRAMES_CAP, PlaceRecord, RACES_CAP, STACK_CAP, STEP_FRAMES, STEPS_CAP, SWITCHES_CAP, StepRecord, ending,
    influence, memory_error, memory_model, policy,
};
use std::cell::Cell;
use std::ffi::OsString;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A program and how it is started.
#[derive(Debug, Clone)]
pub struct WholeProgram {
    /// The program, built by [`build`](crate::build).
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where it runs.
    pub directory: Option<PathBuf>,
    /// Further environment variables.
    pub environment: Vec<(OsString, OsString)>,
    /// How many of its first threads run only when no other thread can.
    pub background_threads: u8,
    /// Whether data races are detected.
    pub detects_races: bool,
    /// Whether memory that nothing points to at its end is an error.
    pub detects_leaks: bool,
    /// Which stores an atomic load may read.
    pub memory_model: MemoryModel,
    /// How long a thread may compute between two steps.
    pub compute_max: Duration,
    /// How long a run may take.
    pub time_max: Duration,
}

/// Spurious wake-ups, and waiters that are woken before others that wait for longer, in a run.
const CHOICES_MAX: u32 = 4;

/// Where a thread has stopped. Addresses are relative to the first byte of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadPlace {
    /// The thread; 0 is the main thread.
    pub thread: u8,
    /// The address at which it goes on; 0 if it has not begun.
    pub code: u64,
    /// The call sites of the functions that it is in, the innermost first.
    pub frames: Vec<u64>,
}

/// A step of a run.
#[derive(Debug, Clone)]
pub struct ProgramStep {
    /// The step.
    pub step: SchedulerStep,
    /// The innermost call sites of the functions that its thread was in.
    pub frames: Vec<u64>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramEnding {
    /// By itself.
    Exited(ExitStatus),
    /// Every thread waits, or threads wait for ever while the others only sleep.
    Deadlock,
    /// Threads wait, and for a long time the others have only slept.
    SuspectedDeadlock,
    /// All threads read the same values over and over.
    Livelock,
    /// An invalid use of memory.
    MemoryError(MemoryError),
    /// More threads than the scheduler can control.
    TooManyThreads,
    /// It was killed because it reached no step any more.
    Unresponsive(UnresponsiveReason),
}

/// A run.
#[derive(Debug, Clone)]
pub struct ProgramExecution {
    /// How it ended.
    pub ending: ProgramEnding,
    /// What it printed, without the middle of a long text.
    pub output: String,
    /// Data races.
    pub races: Vec<DataRace>,
    /// Whether all of it was looked at for data races: there are at most 32 threads.
    pub has_all_races: bool,
    /// Steps of the scheduler.
    pub steps: u64,
    /// The most threads at a time, as far as they made steps.
    pub threads: u32,
    /// A number that differs for different interleavings.
    pub interleaving: u64,
    /// What it takes to repeat it; none if there were too many switches to record.
    pub switches: Option<Vec<ProgramSwitch>>,
    /// Where the two accesses of the race that was watched were made.
    pub race_places: Vec<ThreadPlace>,
    /// Of the first switches, where the two threads stood.
    pub places: Vec<[ThreadPlace; 2]>,
    /// The call stack when it was killed by a signal or used memory wrongly.
    pub stack: Vec<u64>,
    /// The threads of a deadlock or livelock.
    pub stuck: Vec<ThreadPlace>,
    /// Whether it looked at the time, or slept.
    pub depends_on_time: bool,
    /// Whether it used random numbers.
    pub depends_on_random_numbers: bool,
    /// Whether it asked for another machine, which was refused.
    pub asked_for_other_machine: bool,
    /// Places at which its threads called what may wait, as far as they fit into the record.
    pub waiting_places: Vec<WaitingPlace>,
    /// Files, processes and shared memory that it used, the first ones.
    pub outside: Vec<OutsideUse>,
    /// Whether the scheduler controlled it: only an instrumented program is.
    pub is_controlled: bool,
    /// Functions of prebuilt libraries that it called and of which nothing is known, the first ones.
    pub unknown_calls: Vec<UnknownCall>,
    /// Whether it made accesses with a weaker order than sequential consistency.
    pub weak_orders: bool,
}

impl WholeProgram {
    /// Runs it once.
    ///
    /// # Errors
    /// When it cannot be started, or [`SchedError::Stopped`] when a stop condition ended it.
    pub fn run(
        &self,
        schedule: &ProgramSchedule,
        stop: &StopConditions,
    ) -> Result<ProgramExecution, SchedError> {
        let (execution, _) = self.finish(schedule, None, stop)?;
        Ok(execution)
    }

    /// The same with its steps, as far as they fit into the record, each with the innermost call sites of its thread; and with the call
    /// stacks of the two accesses of a race that a run with this schedule had.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_recorded(
        &self,
        schedule: &ProgramSchedule,
        race: Option<&DataRace>,
        stop: &StopConditions,
    ) -> Result<(ProgramExecution, Vec<ProgramStep>), SchedError> {
        let (execution, memory) = self.finish(schedule, Some(race), stop)?;
        let program_step = |(record, frames): (&StepRecord, &[u64; STEP_FRAMES])| ProgramStep {
            step: step(record),
            frames: frames.iter().copied().take_while(|frame| *frame != 0).collect(),
        };
        let (steps, frames) = recorded_steps(&memory);
        Ok((execution, steps.iter().zip(&frames).map(program_step).collect()))
    }

    /// The same with what its threads accessed in the steps that fit into the record, and where.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_observed(
        &self,
        schedule: &ProgramSchedule,
        stop: &StopConditions,
    ) -> Result<(ProgramExecution, ObservedAccesses), SchedError> {
        let (execution, memory) = self.finish(schedule, Some(None), stop)?;
        let (steps, frames) = recorded_steps(&memory);
        Ok((execution, ObservedAccesses::of(&steps, &frames)))
    }

    /// Runs it, and watches it if `watched` is there: its steps, and a race.
    fn finish(
        &self,
        schedule: &ProgramSchedule,
        watched: Option<Option<&DataRace>>,
        stop: &StopConditions,
    ) -> Result<(ProgramExecution, SharedMemory), SchedError> {
        let memory = self.requested(schedule)?;
        if let Some(race) = watched {
            let shared = memory.get();
            shared.is_watching.set(1);
            let accesses = race.iter().flat_map(|race| &race.accesses);
            for (watched, access) in shared.watched.iter().zip(accesses) {
                watched.set(PlaceRecord {
                    thread: access.thread.into(),
                    code: access.code,
                    ..PlaceRecord::NONE
                });
            }
        }
        let output = Output::new().map_err(|source| self.not_started(source))?;
        let mut process = self.start(&memory, &output)?;
        let ended = self.wait(&mut process, &memory, stop);
        kill_group(&process);
        let (status, unresponsive) = match ended {
            Ok(Ended::Itself(status)) => (status, None),
            Ok(Ended::Killed(reason)) => {
                let status = process.wait().map_err(|source| self.not_started(source))?;
                (status, Some(reason))
            }
            Err(error) => {
                // It was killed just now.
                let _ = process.wait();
                return Err(error);
            }
        };
        let execution = execution(&memory, status, unresponsive, output.text());
        Ok((execution, memory))
    }

    pub(crate) fn not_started(&self, source: std::io::Error) -> SchedError {
        SchedError::Start {
            harness: self.path.clone(),
            source,
        }
    }

    /// Starts it with memory that says what it is to do.
    pub(crate) fn start(&self, memory: &SharedMemory, output: &Output) -> Result<Child, SchedError> {
        let start = |source| self.not_started(source);
        let file = memory.file_number();
        let mut command = Command::new(&self.path);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("OMNILINK_PROGRAM", file.to_string())
            // The runtime looks where the functions are that the program calls.
            .env("LD_BIND_NOW", "1")
            .stdin(Stdio::null())
            .stdout(output.stream().map_err(start)?)
            .stderr(output.stream().map_err(start)?)
            // Its child processes are killed with it, and Ctrl-C in a terminal does not reach it: the report needs its end.
            .process_group(0);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            command.pre_exec(move || crate::harness_executor::prepare(&[file], None));
        }
        command.spawn().map_err(start)
    }

    /// Memory that asks for a run.
    pub(crate) fn requested(&self, schedule: &ProgramSchedule) -> Result<SharedMemory, SchedError> {
        let memory = SharedMemory::new().map_err(|source| self.not_started(source))?;
        memory.clear_results();
        let shared = memory.get();
        shared.detects_races.set(self.detects_races.into());
        shared.detects_leaks.set(self.detects_leaks.into());
        shared.stale_max.set(match self.memory_model {
            MemoryModel::SequentiallyConsistent => CHOICES_MAX,
            MemoryModel::Cpp20 { stale_max } => stale_max,
        });
        shared.memory_model.set(match self.memory_model {
            MemoryModel::SequentiallyConsistent => memory_model::SEQUENTIALLY_CONSISTENT,
            MemoryModel::Cpp20 { .. } => memory_model::CPP20,
        });
        shared.background_threads.set(self.background_threads.into());
        shared.step_ns.set(schedule.step_ns);
        shared.environment.set(schedule.environment);
        match &schedule.policy {
            ProgramPolicy::Switches(switches) => {
                shared.policy.set(policy::SWITCHES);
                let mut sorted: Vec<&ProgramSwitch> = switches.iter().take(SWITCHES_CAP).collect();
                sorted.sort_by_key(|switch| (switch.from, switch.decision, switch.chooses));
                shared.switches_asked_len.set(sorted.len() as u32);
                for (free, switch) in shared.switches_asked.iter().zip(sorted) {
                    free.set(record(switch));
                }
            }
            ProgramPolicy::Random { seed } => {
                shared.policy.set(policy::RANDOM);
                shared.seed.set(*seed);
            }
            ProgramPolicy::Priorities { seed, changes, steps } => {
                shared.policy.set(policy::PRIORITIES);
                shared.seed.set(*seed);
                shared.changes.set(*changes);
                shared.steps_expected.set(*steps);
            }
            ProgramPolicy::PartialOrders { seed } => {
                shared.policy.set(policy::PARTIAL_ORDERS);
                shared.seed.set(*seed);
            }
            ProgramPolicy::OneLocation { seed, location } => {
                shared.policy.set(policy::ONE_LOCATION);
                shared.seed.set(*seed);
                shared.location.set(location.address);
                for (thread, accesses) in &location.accesses {
                    if let Some(expected) = shared.accesses_expected.get(usize::from(*thread)) {
                        expected.set(*accesses);
                    }
                }
            }
        }
        Ok(memory)
    }

    /// Waits for the end of a run. Kills nothing.
    fn wait(
        &self,
        process: &mut Child,
        memory: &SharedMemory,
        stop: &StopConditions,
    ) -> Result<Ended, SchedError> {
        let started = Instant::now();
        let mut watchdog = Watchdog::new(self.compute_max);
        let mut next_check = started + Watchdog::INTERVAL;
        let mut pause = Duration::from_micros(100);
        loop {
            let ended = process.try_wait().map_err(|source| SchedError::Lost {
                harness: self.path.clone(),
                source,
            })?;
            if let Some(status) = ended {
                return Ok(Ended::Itself(status));
            }
            if let Some(reason) = stop.reached_without_memory() {
                return Err(SchedError::Stopped(reason));
            }
            if started.elapsed() > self.time_max {
                return Ok(Ended::Killed(UnresponsiveReason::Late));
            }
            if Instant::now() >= next_check
                && let Some((number, heartbeat)) = memory.heartbeat()
            {
                next_check += Watchdog::INTERVAL;
                if let Some(reason) = watchdog.check(number, heartbeat) {
                    return Ok(Ended::Killed(reason));
                }
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }
}

/// How a process came to its end.
enum Ended {
    Itself(ExitStatus),
    Killed(UnresponsiveReason),
}

/// Kills a process and those that it started.
pub(crate) fn kill_group(process: &Child) {
    // SAFETY: the process leads a group of its own. Its number is not given to another one while a process of the group is left; if none is,
    // and it was waited for, no group has this number yet: numbers are given in turn.
    unsafe { libc::kill(-(process.id() as libc::pid_t), libc::SIGKILL) };
}

fn execution(
    memory: &SharedMemory,
    status: ExitStatus,
    unresponsive: Option<UnresponsiveReason>,
    output: String,
) -> ProgramExecution {
    let shared = memory.get();
    let ending = match (unresponsive, shared.ending.load(Relaxed)) {
        (_, ending::DEADLOCK) => ProgramEnding::Deadlock,
        (_, ending::SUSPECTED_DEADLOCK) => ProgramEnding::SuspectedDeadlock,
        (_, ending::LIVELOCK) => ProgramEnding::Livelock,
        (_, ending::MEMORY_ERROR) => ProgramEnding::MemoryError(memory_error_of(&shared.memory_error.get())),
        (_, ending::TOO_MANY_THREADS) => ProgramEnding::TooManyThreads,
        (Some(reason), _) => ProgramEnding::Unresponsive(reason),
        (None, _) if status.success() && shared.memory_error.get().kind == memory_error::LEAK => {
            ProgramEnding::MemoryError(memory_error_of(&shared.memory_error.get()))
        }
        (None, _) => ProgramEnding::Exited(status),
    };
    let switches = shared.switches.get(..shared.switches_len.get() as usize);
    let stuck = shared.stuck_threads.iter();
    let unknown_calls = unknown_calls(shared);
    ProgramExecution {
        ending,
        output,
        races: shared.races[..(shared.races_len.get() as usize).min(RACES_CAP)]
            .iter()
            .map(|race| data_race(&race.get(), &unknown_calls))
            .collect(),
        weak_orders: shared.influences.get() & influence::WEAK_ORDERS != 0,
        has_all_races: shared.detects_races.get() != 0,
        steps: shared.steps_made.load(Relaxed),
        threads: shared.threads_max.get(),
        interleaving: shared.interleaving.get(),
        switches: switches.map(|made| made.iter().map(|made| thread_switch(&made.get())).collect()),
        stack: shared.stack[..(shared.stack_len.get() as usize).min(STACK_CAP)]
            .iter()
            .map(Cell::get)
            .collect(),
        stuck: stuck
            .take(shared.stuck_threads_len.get() as usize)
            .map(|place| thread_place(&place.get()))
            .collect(),
        race_places: match shared.is_watching.get() {
            0 => Vec::new(),
            _ => shared
                .watched
                .iter()
                .map(|place| thread_place(&place.get()))
                .collect(),
        },
        places: shared
            .switch_places
            .iter()
            .take(shared.switches_len.get() as usize)
            .map(|places| places.get().each_ref().map(thread_place))
            .collect(),
        depends_on_time: shared.influences.get() & influence::TIME != 0,
        depends_on_random_numbers: shared.influences.get() & influence::RANDOM_NUMBERS != 0,
        asked_for_other_machine: shared.influences.get() & influence::OTHER_MACHINE != 0,
        waiting_places: shared
            .waiting_places
            .iter()
            .take(shared.waiting_places_len.get() as usize)
            .map(|place| WaitingPlace::of(&place.get()))
            .collect(),
        outside: shared
            .outside
            .iter()
            .take(shared.outside_len.get() as usize)
            .filter_map(|used| OutsideUse::of(&used.get()))
            .collect(),
        is_controlled: shared.process.load(Relaxed) != 0,
        unknown_calls,
    }
}

/// The steps of a run that fitted into the record, and the innermost call sites of each.
fn recorded_steps(memory: &SharedMemory) -> (Vec<StepRecord>, Vec<[u64; STEP_FRAMES]>) {
    let shared = memory.get();
    let recorded = (shared.steps_made.load(Relaxed) as usize).min(STEPS_CAP);
    let steps = shared.steps.iter().take(recorded).map(Cell::get);
    let frames = shared.step_frames.iter().take(recorded).map(Cell::get);
    (steps.collect(), frames.collect())
}

pub(crate) fn thread_place(record: &PlaceRecord) -> ThreadPlace {
    ThreadPlace {
        thread: record.thread as u8,
        code: record.code,
        frames: record.frames[..(record.frames_len as usize).min(FRAMES_CAP)].to_vec(),
    }
}

impl ProgramEnding {
    /// Whether it ended by itself, with exit code 0.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Exited(status) if status.success())
    }

    /// The signal that killed it.
    pub fn signal(&self) -> Option<i32> {
        match self {
            Self::Exited(status) => status.signal(),
            _ => None,
        }
    }
}
