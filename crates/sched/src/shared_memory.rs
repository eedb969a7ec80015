//! The explorer's side of the memory that it shares with a harness.

use crate::recorded_step::step;
use crate::{
    DataRace, Ending, Execution, HarnessEvent, HarnessEventKind, MemoryError, MemoryErrorKind, MemoryModel,
    RacingAccess, RunOptions, SchedError, Schedule, SchedulingPoints, SchedulingPolicy, StuckReason,
    StuckThreads, TestProgram, ThreadId, UnresponsiveReason,
};
use omnilink_sched_runtime::layout::{
    EVENTS_CAP, EventHeader, MAGIC, MemoryErrorRecord, NO_THREAD, OPS_CAP, RACES_CAP, RACY_ACCESSES_CAP,
    RaceRecord, STACK_CAP, STEPS_CAP, STOP_AT_FAILURE, Shared, ending, event_kind, memory_error,
    memory_model, policy, race, scheduled,
};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};

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
        let mut memory = Self {
            file,
            shared: mapped.cast(),
        };
        memory.get_mut().magic = MAGIC;
        Ok(memory)
    }

    /// The number of the open file, for the harness to inherit.
    pub(crate) fn file_number(&self) -> i32 {
        self.file.as_raw_fd()
    }

    pub(crate) fn get(&self) -> &Shared {
        // SAFETY: the mapping is as large as the structure, which is valid for any bytes. The harness writes it
        // only while an execution runs, when nothing here reads it through this reference.
        unsafe { &*self.shared }
    }

    pub(crate) fn get_mut(&mut self) -> &mut Shared {
        // SAFETY: see `get`; the value is borrowed mutably.
        unsafe { &mut *self.shared }
    }

    /// The text with which the harness described itself when it started.
    pub(crate) fn description(&self) -> String {
        let length = (self.get().events_len as usize).min(EVENTS_CAP);
        String::from_utf8_lossy(&self.get().events[..length]).into_owned()
    }

    /// Requests an execution.
    pub(crate) fn request(&mut self, program: &TestProgram, options: &RunOptions) -> Result<(), SchedError> {
        let offered = self.get().ops_offered;
        let shared = self.get_mut();
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
        shared.ops[..all.len()].copy_from_slice(&all);
        shared.before_len = program.before.len() as u32;
        shared.after_len = program.after.len() as u32;
        shared.columns = program.columns.len() as u32;
        for (length, column) in shared.column_len.iter_mut().zip(&program.columns) {
            *length = column.len() as u32;
        }
        shared.serial = options.serial.into();
        shared.plain_accesses = (options.scheduling_points == SchedulingPoints::All).into();
        shared.detects_races = options.detects_races.into();
        shared.detects_leaks = options.detects_leaks.into();
        shared.isolated = options.isolated.into();
        shared.memory_model = match options.memory_model {
            MemoryModel::SequentiallyConsistent => memory_model::SEQUENTIALLY_CONSISTENT,
            MemoryModel::Cpp20 { .. } => memory_model::CPP20,
        };
        shared.stale_max = options.memory_model.stale_max();
        let racy = options.racy_accesses.iter().take(RACY_ACCESSES_CAP);
        shared.racy_accesses_len = racy.len() as u64;
        for (free, code) in shared.racy_accesses.iter_mut().zip(racy) {
            *free = *code;
        }
        shared.steps_max = options.steps_max;
        shared.environment = options.environment;
        shared.schedule_len = 0;
        match &options.policy {
            SchedulingPolicy::Follow(schedule) => {
                let Some(threads) = shared.schedule.get_mut(..schedule.len()) else {
                    let problem = format!(
                        "a schedule of {} steps, at most {STEPS_CAP} are possible",
                        schedule.len()
                    );
                    return Err(SchedError::Program { problem });
                };
                for (free, step) in threads.iter_mut().zip(schedule.steps()) {
                    let goes_on = if step.goes_on { scheduled::GOES_ON } else { 0 };
                    *free =
                        u16::from(step.thread) | goes_on | u16::from(step.store) << scheduled::STORE_SHIFT;
                }
                shared.schedule_len = schedule.len() as u32;
                shared.policy = policy::FOLLOW;
            }
            SchedulingPolicy::CallsInOrder(columns) => {
                // A program has fewer calls than a schedule has room for.
                for (free, column) in shared.schedule.iter_mut().zip(columns) {
                    *free = u16::from(*column);
                }
                shared.schedule_len = columns.len() as u32;
                shared.policy = policy::CALLS_IN_ORDER;
            }
            SchedulingPolicy::Random { seed } => {
                shared.policy = policy::RANDOM;
                shared.seed = *seed;
            }
            SchedulingPolicy::Priorities { seed, changes, steps } => {
                shared.policy = policy::PRIORITIES;
                shared.seed = *seed;
                shared.changes = *changes;
                shared.steps_expected = *steps;
            }
            SchedulingPolicy::PartialOrders { seed } => {
                shared.policy = policy::PARTIAL_ORDERS;
                shared.seed = *seed;
            }
        }
        self.clear_results();
        Ok(())
    }

    /// Requests rounds of native threads.
    pub(crate) fn request_native(&mut self, program: &TestProgram, rounds: u32) -> Result<(), SchedError> {
        self.request(program, &RunOptions::follow(Schedule::default()))?;
        let shared = self.get_mut();
        shared.policy = policy::NATIVE;
        shared.rounds = rounds;
        // A thread reserves the space of an event before it writes it: events that were never written must be recognisable.
        shared.events.fill(event_kind::UNWRITTEN);
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
        for (code, event) in self.records() {
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
    pub(crate) fn set_timeout(&mut self, timeout_s: u32) {
        self.get_mut().timeout_s = timeout_s;
    }

    pub(crate) fn clear_results(&mut self) {
        let shared = self.get_mut();
        shared.switches_len = 0;
        shared.stuck_threads_len = 0;
        shared.threads_max = 0;
        shared.interleaving = 0;
        shared.influences = 0;
        shared.waiting_places_len = 0;
        shared.outside_len = 0;
        shared.ending = ending::NONE;
        shared.running = u32::from(NO_THREAD);
        shared.stuck = 0;
        shared.steps_made = 0;
        shared.events_len = 0;
        shared.races_len = 0;
        shared.load_buffering = 0;
        shared.stack_len = 0;
        shared.stop_at = 0;
        shared.is_stopped = 0;
        shared.heartbeat = 0;
        shared.process = 0;
    }

    /// The execution that was requested waits for a debugger before a step.
    pub(crate) fn stop_before(&mut self, step: usize) {
        self.get_mut().stop_at = step as u64 + 1;
    }

    /// The run that was requested waits for a debugger where the runtime finds something wrong with it.
    pub(crate) fn stop_at_failure(&mut self) {
        self.get_mut().stop_at = STOP_AT_FAILURE;
    }

    /// The process of the execution, if it waits for a debugger.
    pub(crate) fn stopped_process(&self) -> Option<u32> {
        // SAFETY: the process of the execution writes it concurrently, hence the volatile read of a single word.
        let is_stopped = unsafe { (&raw const (*self.shared).is_stopped).read_volatile() };
        let (process, _) = self.heartbeat()?;
        (is_stopped != 0).then_some(process)
    }

    /// The process of the execution that is running, and the heartbeat of its scheduler.
    pub(crate) fn heartbeat(&self) -> Option<(u32, u64)> {
        // SAFETY: the process of the execution writes these concurrently, hence the volatile reads of single words.
        let (process, heartbeat) = unsafe {
            (
                (&raw const (*self.shared).process).read_volatile(),
                (&raw const (*self.shared).heartbeat).read_volatile(),
            )
        };
        (process != 0).then_some((process, heartbeat))
    }

    /// The execution whose process was killed because it was unresponsive.
    pub(crate) fn unresponsive_execution(&self, reason: UnresponsiveReason) -> Execution {
        Execution {
            ending: Ending::Unresponsive {
                thread: self.get().running as ThreadId,
                reason,
            },
            ..self.execution(0)
        }
    }

    /// The execution; `status` is the wait status of its process.
    pub(crate) fn execution(&self, status: i32) -> Execution {
        let shared = self.get();
        let recorded = (shared.steps_made as usize).min(STEPS_CAP);
        Execution {
            events: self.events(),
            ending: self.ending(status),
            races: shared.races[..(shared.races_len as usize).min(RACES_CAP)]
                .iter()
                .map(data_race)
                .collect(),
            steps: shared.steps[..recorded].iter().map(step).collect(),
            steps_made: shared.steps_made,
            may_buffer_loads: shared.load_buffering != 0,
            output: String::new(),
            stack: shared.stack[..(shared.stack_len as usize).min(STACK_CAP)].to_vec(),
        }
    }

    fn events(&self) -> Vec<HarnessEvent> {
        self.records().map(|(_, event)| event).collect()
    }

    /// The events with their kinds, up to the first that was not written.
    fn records(&self) -> impl Iterator<Item = (u8, HarnessEvent)> {
        const HEADER: usize = size_of::<EventHeader>();
        let shared = self.get();
        let mut rest = &shared.events[..(shared.events_len as usize).min(EVENTS_CAP)];
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

    fn ending(&self, status: i32) -> Ending {
        let shared = self.get();
        let thread = shared.running as ThreadId;
        let stuck = |reason| {
            Ending::Stuck(StuckThreads {
                reason,
                threads: threads_in(shared.stuck),
            })
        };
        match shared.ending {
            ending::FINISHED => Ending::Finished,
            ending::DEADLOCK => stuck(StuckReason::Deadlock),
            ending::LIVELOCK => stuck(StuckReason::Livelock),
            ending::STEP_LIMIT => Ending::StepLimit,
            ending::DIVERGED => Ending::Diverged {
                step: shared.steps_made as usize,
                wanted: shared.stuck.trailing_zeros() as ThreadId,
            },
            ending::MEMORY_ERROR => Ending::MemoryError {
                thread,
                error: memory_error_of(&shared.memory_error),
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

pub(crate) fn data_race(record: &RaceRecord) -> DataRace {
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
