//! The explorer's side of the memory that it shares with a harness.

use crate::recorded_step::step;
use crate::{
    DataRace, Ending, Execution, HarnessEvent, HarnessEventKind, MemoryError, MemoryErrorKind, MemoryModel,
    RacingAccess, RunOptions, SchedError, Schedule, SchedulingPoints, SchedulingPolicy, StuckReason,
    StuckThreads, TestProgram, ThreadId, UnknownCall, UnresponsiveReason,
};
use omnilink_sched_runtime::layout::{
    EventHeader, MAGIC, MemoryErrorRecord, NO_THREAD, OPS_CAP, RACES_CAP, RACY_ACCESSES_CAP, RaceRecord,
    STACK_CAP, STEPS_CAP, STOP_AT_FAILURE, Shared, ending, event_kind, memory_error, memory_model, policy,
    race, scheduled,
};
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::Ordering::Relaxed;

/// One mapping, owned by one executor.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    file: File,
    shared: *mut Shared,
}

// SAFETY: the pointer is to a mapping that belongs to this value alone in this process.
unsafe impl Send for SharedMemory {}

/// The signal that `alarm` sends.
const SIGALRM: i32 = 14;

impl SharedMemory {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: the name is a C string; the result is checked.
        let number = unsafe { libc::memfd_create(c"omnilink-sched".as_ptr(), libc::MFD_CLOEXEC) };
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the file was just opened and has no other owner.
        let file = unsafe { File::from_raw_fd(number) };
        file.set_len(size_of::<Shared>() as u64)?;
        // SAFETY: a new shared mapping of the whole file; the result is checked.
        let mapped = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<Shared>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                number,
                0,
            )
        };
        if mapped == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = Self {
            file,
            shared: mapped.cast(),
        };
        memory.get().magic.set(MAGIC);
        Ok(memory)
    }

    /// The number of the open file, for the harness to inherit.
    pub(crate) fn file_number(&self) -> i32 {
        self.file.as_raw_fd()
    }

    pub(crate) fn get(&self) -> &Shared {
        // SAFETY: the mapping is as large as the structure, which is valid for any bytes, and lives as long as this value. All words of
        // the structure are cells and atomics: the reference does not promise that they stay as they are. While an execution runs, only
        // atomics are read and written here.
        unsafe { &*self.shared }
    }

    /// The text with which the harness described itself when it started.
    pub(crate) fn description(&self) -> String {
        String::from_utf8_lossy(&self.event_bytes()).into_owned()
    }

    /// What the harness has written of its events, or of its description.
    fn event_bytes(&self) -> Vec<u8> {
        let length = self.get().events_len.load(Relaxed) as usize;
        self.get().events.iter().take(length).map(Cell::get).collect()
    }

    /// Requests an execution.
    pub(crate) fn request(&self, program: &TestProgram, options: &RunOptions) -> Result<(), SchedError> {
        let shared = self.get();
        let offered = shared.ops_offered.get();
        let all: Vec<u32> = program
            .before
            .iter()
            .chain(program.columns.iter().flatten())
            .chain(&program.after)
            .copied()
            .collect();
        let problem = if program.columns.is_empty() || program.columns.len() >= crate::THREADS_MAX {
            Some(format!(
                "{} columns, possible are 1 to {}",
                program.columns.len(),
                crate::THREADS_MAX - 1
            ))
        } else if all.len() > OPS_CAP {
            Some(format!("{} calls, at most {OPS_CAP} are possible", all.len()))
        } else {
            let unknown = all.iter().find(|&&op| op >= offered);
            unknown.map(|op| {
                format!(
                    "call {op} does not exist, the harness has {offered} (0 to {})",
                    offered - 1
                )
            })
        };
        if let Some(problem) = problem {
            return Err(SchedError::Program { problem });
        }
        for (free, op) in shared.ops.iter().zip(&all) {
            free.set(*op);
        }
        shared.before_len.set(program.before.len() as u32);
        shared.after_len.set(program.after.len() as u32);
        shared.columns.set(program.columns.len() as u32);
        for (length, column) in shared.column_len.iter().zip(&program.columns) {
            length.set(column.len() as u32);
        }
        shared.serial.set(options.serial.into());
        shared
            .plain_accesses
            .set((options.scheduling_points == SchedulingPoints::All).into());
        shared.detects_races.set(options.detects_races.into());
        shared.detects_leaks.set(options.detects_leaks.into());
        shared.isolated.set(options.isolated.into());
        shared.memory_model.set(match options.memory_model {
            MemoryModel::SequentiallyConsistent => memory_model::SEQUENTIALLY_CONSISTENT,
            MemoryModel::Cpp20 { .. } => memory_model::CPP20,
        });
        shared.stale_max.set(options.memory_model.choices_max());
        let racy = options.racy_accesses.iter().take(RACY_ACCESSES_CAP);
        shared.racy_accesses_len.set(racy.len() as u64);
        for (free, code) in shared.racy_accesses.iter().zip(racy) {
            free.set(*code);
        }
        shared.steps_max.set(options.steps_max);
        shared.environment.set(options.environment);
        shared.schedule_len.set(0);
        match &options.policy {
            SchedulingPolicy::Follow(schedule) => {
                let Some(threads) = shared.schedule.get(..schedule.len()) else {
                    let problem = format!(
                        "a schedule of {} steps, at most {STEPS_CAP} are possible",
                        schedule.len()
                    );
                    return Err(SchedError::Program { problem });
                };
                for (free, step) in threads.iter().zip(schedule.steps()) {
                    let goes_on = if step.goes_on { scheduled::GOES_ON } else { 0 };
                    free.set(
                        u16::from(step.thread) | goes_on | u16::from(step.store) << scheduled::STORE_SHIFT,
                    );
                }
                shared.schedule_len.set(schedule.len() as u32);
                shared.policy.set(policy::FOLLOW);
            }
            SchedulingPolicy::CallsInOrder(columns) => {
                // A program has fewer calls than a schedule has room for.
                for (free, column) in shared.schedule.iter().zip(columns) {
                    free.set(u16::from(*column));
                }
                shared.schedule_len.set(columns.len() as u32);
                shared.policy.set(policy::CALLS_IN_ORDER);
            }
            SchedulingPolicy::Random { seed } => {
                shared.policy.set(policy::RANDOM);
                shared.seed.set(*seed);
            }
            SchedulingPolicy::Priorities { seed, changes, steps } => {
                shared.policy.set(policy::PRIORITIES);
                shared.seed.set(*seed);
                shared.changes.set(*changes);
                shared.steps_expected.set(*steps);
            }
            SchedulingPolicy::PartialOrders { seed } => {
                shared.policy.set(policy::PARTIAL_ORDERS);
                shared.seed.set(*seed);
            }
        }
        self.clear_results();
        Ok(())
    }

    /// Requests rounds of native threads.
    pub(crate) fn request_native(&self, program: &TestProgram, rounds: u32) -> Result<(), SchedError> {
        self.request(program, &RunOptions::follow(Schedule::default()))?;
        let shared = self.get();
        shared.policy.set(policy::NATIVE);
        shared.rounds.set(rounds);
        // A thread reserves the space of an event before it writes it: events that were never written must be recognisable.
        shared
            .events
            .iter()
            .for_each(|byte| byte.set(event_kind::UNWRITTEN));
        Ok(())
    }

    /// The rounds of native threads that finished, and then the one that did not, if there is one.
    pub(crate) fn native_executions(&self, status: i32) -> Vec<Execution> {
        let execution = |events, ending| Execution {
            events,
            ending,
            races: Vec::new(),
            steps: Vec::new(),
            steps_made: 0,
            may_buffer_loads: false,
            output: String::new(),
            stack: Vec::new(),
        };
        let mut executions = Vec::new();
        let mut events = Vec::new();
        let bytes = self.event_bytes();
        for (code, event) in records(&bytes) {
            match code {
                event_kind::ROUND_END => {
                    executions.push(execution(std::mem::take(&mut events), Ending::Finished))
                }
                _ => events.push(event),
            }
        }
        match self.ending(status) {
            Ending::Finished => {}
            ending => executions.push(execution(events, ending)),
        }
        executions
    }

    /// Sets the seconds after which the process of an execution is killed.
    pub(crate) fn set_timeout(&self, timeout_s: u32) {
        self.get().timeout_s.set(timeout_s);
    }

    pub(crate) fn clear_results(&self) {
        let shared = self.get();
        shared.switches_len.set(0);
        shared.stuck_threads_len.set(0);
        shared.threads_max.set(0);
        shared.interleaving.set(0);
        shared.influences.set(0);
        shared.waiting_places_len.set(0);
        shared.outside_len.set(0);
        shared.ending.store(ending::NONE, Relaxed);
        shared.running.set(u32::from(NO_THREAD));
        shared.stuck.set(0);
        shared.steps_made.store(0, Relaxed);
        shared.events_len.store(0, Relaxed);
        shared.races_len.set(0);
        shared.unknown_calls_len.set(0);
        shared.load_buffering.set(0);
        shared.stack_len.set(0);
        shared.stop_at.set(0);
        shared.is_stopped.store(0, Relaxed);
        shared.heartbeat.store(0, Relaxed);
        shared.process.store(0, Relaxed);
    }

    /// The execution that was requested waits for a debugger before a step.
    pub(crate) fn stop_before(&self, step: usize) {
        self.get().stop_at.set(step as u64 + 1);
    }

    /// The run that was requested waits for a debugger where the runtime finds something wrong with it.
    pub(crate) fn stop_at_failure(&self) {
        self.get().stop_at.set(STOP_AT_FAILURE);
    }

    /// The process of the execution, if it waits for a debugger.
    pub(crate) fn stopped_process(&self) -> Option<u32> {
        let is_stopped = self.get().is_stopped.load(Relaxed) != 0;
        let (process, _) = self.heartbeat()?;
        is_stopped.then_some(process)
    }

    /// The process of the execution that is running, and the heartbeat of its scheduler.
    pub(crate) fn heartbeat(&self) -> Option<(u32, u64)> {
        let shared = self.get();
        let process = shared.process.load(Relaxed);
        (process != 0).then_some((process, shared.heartbeat.load(Relaxed)))
    }

    /// The execution whose process was killed because it was unresponsive.
    pub(crate) fn unresponsive_execution(&self, reason: UnresponsiveReason) -> Execution {
        Execution {
            ending: Ending::Unresponsive {
                thread: self.get().running.get() as ThreadId,
                reason,
            },
            ..self.execution(0)
        }
    }

    /// The execution; `status` is the wait status of its process.
    pub(crate) fn execution(&self, status: i32) -> Execution {
        let shared = self.get();
        let recorded = (shared.steps_made.load(Relaxed) as usize).min(STEPS_CAP);
        let unknown_calls = unknown_calls(shared);
        Execution {
            events: self.events(),
            ending: self.ending(status),
            races: shared.races[..(shared.races_len.get() as usize).min(RACES_CAP)]
                .iter()
                .map(|race| data_race(&race.get(), &unknown_calls))
                .collect(),
            steps: shared.steps[..recorded]
                .iter()
                .map(|record| step(&record.get()))
                .collect(),
            steps_made: shared.steps_made.load(Relaxed),
            may_buffer_loads: shared.load_buffering.get() != 0,
            output: String::new(),
            stack: shared.stack[..(shared.stack_len.get() as usize).min(STACK_CAP)]
                .iter()
                .map(Cell::get)
                .collect(),
        }
    }

    fn events(&self) -> Vec<HarnessEvent> {
        let bytes = self.event_bytes();
        records(&bytes).map(|(_, event)| event).collect()
    }

    fn ending(&self, status: i32) -> Ending {
        let shared = self.get();
        let thread = shared.running.get() as ThreadId;
        let stuck = |reason| {
            Ending::Stuck(StuckThreads {
                reason,
                threads: threads_in(shared.stuck.get()),
            })
        };
        match shared.ending.load(Relaxed) {
            ending::FINISHED => Ending::Finished,
            ending::DEADLOCK => stuck(StuckReason::Deadlock),
            ending::LIVELOCK => stuck(StuckReason::Livelock),
            ending::STEP_LIMIT => Ending::StepLimit,
            ending::DIVERGED => Ending::Diverged {
                step: shared.steps_made.load(Relaxed) as usize,
                wanted: shared.stuck.get().trailing_zeros() as ThreadId,
            },
            ending::MEMORY_ERROR => Ending::MemoryError {
                thread,
                error: memory_error_of(&shared.memory_error.get()),
            },
            ending::TOO_MANY_THREADS => Ending::TooManyThreads,
            ending::EVENTS_TOO_LARGE => Ending::EventsTooLarge,
            ending::IDLE => Ending::Idle,
            _ if libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == SIGALRM => Ending::Unresponsive {
                thread,
                reason: UnresponsiveReason::Late,
            },
            _ => Ending::Crashed {
                thread,
                signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
                exit_code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            },
        }
    }
}

/// The events with their kinds, up to the first that was not written.
fn records(bytes: &[u8]) -> impl Iterator<Item = (u8, HarnessEvent)> {
    const HEADER: usize = size_of::<EventHeader>();
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (head, behind) = rest.split_at_checked(HEADER)?;
        // SAFETY: the header is plain numbers and `head` has its size.
        let header = unsafe { head.as_ptr().cast::<EventHeader>().read_unaligned() };
        let length = header.value_len as usize;
        let value = behind.get(..length)?;
        let event_kind = match header.kind {
            event_kind::RETURN => HarnessEventKind::Return(result_text(value)),
            event_kind::CALL | event_kind::ROUND_END => HarnessEventKind::Call,
            _ => return None,
        };
        rest = behind.get(length.next_multiple_of(8)..).unwrap_or_default();
        let EventHeader {
            thread,
            position,
            op,
            step,
            ..
        } = header;
        Some((
            header.kind,
            HarnessEvent {
                thread,
                position,
                op,
                step,
                kind: event_kind,
            },
        ))
    })
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new`, and no reference to it is left.
        unsafe { libc::munmap(self.shared.cast(), size_of::<Shared>()) };
    }
}

/// A result as text. Bytes that are none are written as numbers, so that different results stay different.
fn result_text(value: &[u8]) -> String {
    let mut text = String::with_capacity(value.len());
    for chunk in value.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// The functions that were called and of which nothing is known.
pub(crate) fn unknown_calls(shared: &Shared) -> Vec<UnknownCall> {
    let len = shared.unknown_calls_len.get() as usize;
    shared
        .unknown_calls
        .iter()
        .take(len)
        .map(|name| UnknownCall(name.get()))
        .collect()
}

pub(crate) fn data_race(record: &RaceRecord, unknown_calls: &[UnknownCall]) -> DataRace {
    let access = |thread, code, kind: u8| RacingAccess {
        thread,
        code,
        writes: kind & race::WRITES != 0,
        atomic: kind & race::ATOMIC != 0,
        frees: kind & race::FREES != 0,
    };
    DataRace {
        accesses: [
            access(record.first_thread, record.first_code, record.first_kind),
            access(record.second_thread, record.second_code, record.second_kind),
        ],
        is_inconclusive: (record.first_kind | record.second_kind) & race::INCONCLUSIVE != 0,
        unknown_call: (record.unknown_call as usize)
            .checked_sub(1)
            .and_then(|number| unknown_calls.get(number).copied()),
    }
}

pub(crate) fn memory_error_of(record: &MemoryErrorRecord) -> MemoryError {
    MemoryError {
        kind: match record.kind {
            memory_error::USE_AFTER_FREE => MemoryErrorKind::UseAfterFree,
            memory_error::OUT_OF_BOUNDS => MemoryErrorKind::OutOfBounds,
            memory_error::DOUBLE_FREE => MemoryErrorKind::DoubleFree,
            memory_error::LEAK => MemoryErrorKind::Leak,
            _ => {
                debug_assert_eq!(record.kind, memory_error::BAD_FREE);
                MemoryErrorKind::BadFree
            }
        },
        code: record.code,
        offset: record.offset,
        size: record.size,
        allocated: record.allocated,
        freed: record.freed,
    }
}

fn threads_in(bits: u32) -> Vec<ThreadId> {
    (0..32).filter(|id| bits & (1 << id) != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::result_text;

    #[test]
    fn results_that_are_no_text_stay_different() {
        assert_eq!(result_text("Some(\"ä\")".as_bytes()), "Some(\"ä\")");
        assert_eq!(result_text(b"a\xff\xfe\0b"), "a\\xff\\xfe\0b");
        assert_ne!(result_text(b"\xff"), result_text(b"\xfe"));
    }
}
