//! Executions in forked processes of a harness.

use crate::limits::StopConditions;
use crate::output::Output;
use crate::shared_memory::SharedMemory;
use crate::watchdog::Watchdog;
use crate::{Ending, Execution, Executor, RunOptions, SchedError, TestProgram, UnresponsiveReason};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Makes the C library overwrite freed memory, with the same byte in every run, so that a program that still uses it
/// misbehaves. That has an effect only without caches for each thread.
const OVERWRITES_FREED: &str = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0";

/// The value of `GLIBC_TUNABLES`: settings of the user come last, and override ours.
fn tunables(given: Option<String>) -> String {
    match given {
        Some(given) if !given.is_empty() => format!("{OVERWRITES_FREED}:{given}"),
        _ => OVERWRITES_FREED.to_owned(),
    }
}

/// How a harness is started.
#[derive(Debug, Clone)]
pub struct HarnessOptions {
    /// Arguments of the harness.
    pub arguments: Vec<OsString>,
    /// Further environment variables of the harness.
    pub environment: Vec<(OsString, OsString)>,
    /// Seconds for which a thread may compute between two steps.
    pub compute_seconds_max: u32,
    /// Whether the component's output is shown.
    pub shows_output: bool,
    /// The names of libraries into which calls are counted, as the program asks the loader for them.
    pub counted_libraries: Vec<String>,
}

impl Default for HarnessOptions {
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            environment: Vec::new(),
            compute_seconds_max: 2,
            shows_output: false,
            counted_libraries: Vec::new(),
        }
    }
}

/// A running harness, which makes executions in forked processes.
#[derive(Debug)]
pub struct HarnessExecutor {
    path: PathBuf,
    process: Child,
    socket: UnixStream,
    memory: SharedMemory,
    description: String,
    counted_libraries: usize,
    /// What it prints, if that is not shown.
    output: Option<Output>,
    compute_max: Duration,
}

/// An execution may take this long, plus ten times as long as a thread may compute.
const EXECUTION_SECONDS_MAX: u32 = 20;

impl HarnessExecutor {
    /// Starts a harness that was built by [`build`](crate::build).
    ///
    /// Start it on a thread that lives as long as the executor: the system ends the harness with that thread.
    ///
    /// # Errors
    /// When it cannot be started or is no harness.
    pub fn start(path: &Path, options: &HarnessOptions) -> Result<Self, SchedError> {
        Self::start_on(path, options, allowed_processors().first().copied())
    }

    /// Starts `count` executors, each on a processor of its own as far as there are enough.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn pool(
        path: &Path,
        options: &HarnessOptions,
        count: usize,
    ) -> Result<Vec<Box<dyn Executor>>, SchedError> {
        let processors = allowed_processors();
        let mut pool: Vec<Box<dyn Executor>> = Vec::new();
        for index in 0..count.max(1) {
            let processor = processors.get(index % processors.len().max(1)).copied();
            pool.push(Box::new(Self::start_on(path, options, processor)?));
        }
        Ok(pool)
    }

    fn start_on(path: &Path, options: &HarnessOptions, processor: Option<u32>) -> Result<Self, SchedError> {
        let start = |source| SchedError::Start {
            harness: path.to_owned(),
            source,
        };
        let memory = SharedMemory::new().map_err(start)?;
        memory.set_timeout(EXECUTION_SECONDS_MAX + 10 * options.compute_seconds_max);
        let (mut socket, theirs) = UnixStream::pair().map_err(start)?;
        let inherited = [memory.file_number(), theirs.as_raw_fd()];
        let output = if options.shows_output {
            None
        } else {
            Some(Output::new().map_err(start)?)
        };
        let stream = || match &output {
            None => Ok(Stdio::inherit()),
            Some(output) => output.stream(),
        };
        let mut command = Command::new(path);
        // The runtime looks at what the loader has bound: where a call leads decides whether it is known.
        command.env("LD_BIND_NOW", "1");
        if !options.counted_libraries.is_empty() {
            command.env("OMNILINK_LIBRARIES", options.counted_libraries.join(":"));
        }
        command
            .args(&options.arguments)
            .env("GLIBC_TUNABLES", tunables(std::env::var("GLIBC_TUNABLES").ok()))
            .envs(options.environment.iter().map(|(name, value)| (name, value)))
            .env("OMNILINK_SCHED", format!("{},{}", inherited[0], inherited[1]))
            .stdin(Stdio::null())
            .stdout(stream().map_err(start)?)
            .stderr(stream().map_err(start)?)
            // Ctrl-C in a terminal signals the whole foreground process group: the harness must outlive it for the report.
            .process_group(0);
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            command.pre_exec(move || prepare(&inherited, processor));
        }
        let process = command.spawn().map_err(start)?;
        drop(theirs);
        let mut ready = [0; 4];
        match socket.read_exact(&mut ready) {
            Ok(()) => {
                let description = memory.description();
                Ok(Self {
                    path: path.to_owned(),
                    process,
                    socket,
                    memory,
                    description,
                    counted_libraries: options.counted_libraries.len(),
                    output,
                    compute_max: Duration::from_secs(options.compute_seconds_max.max(1).into()),
                })
            }
            Err(_) => Err(not_a_harness(path, process)),
        }
    }

    /// The text with which the harness describes itself.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The number of calls that the harness offers.
    pub fn ops_offered(&self) -> u32 {
        self.memory.get().ops_offered.get()
    }
}

impl Executor for HarnessExecutor {
    fn run(&mut self, program: &TestProgram, options: &RunOptions) -> Result<Execution, SchedError> {
        self.memory.request(program, options)?;
        if let Some(output) = &self.output {
            output.clear();
        }
        self.begin()?;
        let watchdog = Watchdog::new(self.compute_max);
        let unresponsive = self.wait(Some(watchdog), &options.stop)?;
        let status = self.exit_status()?;
        let mut execution = match unresponsive {
            // It may have ended in the meantime.
            Some(reason) if self.memory.get().ending.load(Relaxed) == 0 => {
                self.memory.unresponsive_execution(reason)
            }
            _ => self.memory.execution(status),
        };
        if let (Ending::Crashed { .. }, Some(output)) = (&execution.ending, &self.output) {
            execution.output = output.text();
        }
        Ok(execution)
    }

    fn stop_before(
        &mut self,
        program: &TestProgram,
        options: &RunOptions,
        step: usize,
    ) -> Result<Option<u32>, SchedError> {
        self.memory.request(program, options)?;
        self.memory.stop_before(step);
        self.begin()?;
        loop {
            if let Some(process) = self.memory.stopped_process() {
                return Ok(Some(process));
            }
            if self.has_answer()? {
                self.exit_status()?;
                return Ok(None);
            }
            if let (Some(reason), Some((process, _))) = (options.stop.reached(), self.memory.heartbeat()) {
                kill(process);
                self.exit_status()?;
                return Err(SchedError::Stopped(reason));
            }
        }
    }

    fn library_calls(&self) -> Vec<u64> {
        let calls = &self.memory.get().library_calls;
        let calls = calls.iter().take(self.counted_libraries);
        calls.map(|calls| calls.load(Relaxed)).collect()
    }

    fn finish_stopped(&mut self) {
        if let Some(process) = self.memory.stopped_process() {
            kill(process);
            // If the harness is lost, the next run says so.
            let _ = self.exit_status();
        }
    }
}

impl HarnessExecutor {
    /// Runs a program up to `rounds` times with native threads, scheduled by the operating system, all in one process. Fewer
    /// rounds are made if their events fill the memory for them. A crash ends them, and its execution comes last.
    ///
    /// The executions have events and endings, but no steps: they cannot be repeated. Best is a harness that was built without
    /// instrumentation and started with the environment of [`ThreadStalls`](crate::ThreadStalls).
    ///
    /// # Errors
    /// When the program cannot be run, or [`SchedError::Stopped`] when a stop condition ended the rounds.
    pub fn sample_native(
        &mut self,
        program: &TestProgram,
        rounds: u32,
        stop: &StopConditions,
    ) -> Result<Vec<Execution>, SchedError> {
        self.memory.request_native(program, rounds)?;
        self.begin()?;
        self.wait(None, stop)?;
        let status = self.exit_status()?;
        Ok(self.memory.native_executions(status))
    }

    /// Makes the harness run the execution that was requested.
    fn begin(&mut self) -> Result<(), SchedError> {
        self.socket.write_all(&[0]).map_err(|source| self.lost(source))
    }

    /// Waits for the execution to end. Kills its process if it is unresponsive, and returns why; also if a stop condition holds.
    fn wait(
        &mut self,
        mut watchdog: Option<Watchdog>,
        stop: &StopConditions,
    ) -> Result<Option<UnresponsiveReason>, SchedError> {
        let mut next_check = Instant::now() + Watchdog::INTERVAL;
        loop {
            if self.has_answer()? {
                return Ok(None);
            }
            let Some((process, heartbeat)) = self.memory.heartbeat() else {
                continue;
            };
            if let Some(reason) = stop.reached() {
                kill(process);
                self.exit_status()?;
                return Err(SchedError::Stopped(reason));
            }
            if Instant::now() >= next_check
                && let Some(watchdog) = &mut watchdog
            {
                next_check += Watchdog::INTERVAL;
                if let Some(reason) = watchdog.check(process, heartbeat) {
                    kill(process);
                    return Ok(Some(reason));
                }
            }
        }
    }

    /// Waits a moment for the end of the execution.
    fn has_answer(&self) -> Result<bool, SchedError> {
        let mut socket = libc::pollfd {
            fd: self.socket.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one structure, which lives until the call returns.
        match unsafe { libc::poll(&raw mut socket, 1, StopConditions::INTERVAL.as_millis() as i32) } {
            0 => Ok(false),
            1.. => Ok(true),
            _ => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
                error => Err(self.lost(error)),
            },
        }
    }

    /// The wait status of the process of the execution.
    fn exit_status(&mut self) -> Result<i32, SchedError> {
        let mut status = [0; 4];
        match self.socket.read_exact(&mut status) {
            Ok(()) => Ok(i32::from_ne_bytes(status)),
            Err(source) => Err(self.lost(source)),
        }
    }

    fn lost(&self, source: io::Error) -> SchedError {
        SchedError::Lost {
            harness: self.path.clone(),
            source,
        }
    }
}

impl Drop for HarnessExecutor {
    /// Ends the harness and the process of an execution that is still running, and waits until both are gone. The harness leads a process
    /// group of its own, and its executions are in it.
    fn drop(&mut self) {
        let group = -(self.process.id() as libc::pid_t);
        // It may sleep in a call that a closed socket does not end. The calls fail only if it has ended already.
        // SAFETY: the leader is not waited for yet, so the number is still that of its group.
        unsafe { libc::kill(group, libc::SIGKILL) };
        let _ = self.process.kill();
        let _ = self.process.wait();
        let started = Instant::now();
        // SAFETY: signal 0 only asks. While a process of the group is left, its number is given to no other.
        while unsafe { libc::kill(group, 0) } == 0 && is_alive(-group) && started.elapsed() < GONE_WITHIN {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Whether a process of a group runs. One that has ended, and that the first process of the system has not waited for yet, does not: in a
/// container that may take long. `true` where the system does not tell.
fn is_alive(group: libc::pid_t) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return true;
    };
    processes.flatten().any(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // The name stands in parentheses and may contain anything. The state, the parent and the group follow.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let (state, of) = (fields.next(), fields.nth(1));
        of.is_some_and(|of| of.parse() == Ok(group)) && !matches!(state, Some("Z" | "X"))
    })
}

/// A process that was killed is gone after a moment, unless the system is stuck.
const GONE_WITHIN: Duration = Duration::from_secs(2);

/// Kills the process of an execution.
fn kill(process: u32) {
    // SAFETY: the id is still that of the execution: its parent waits for it only before it answers, and has not answered.
    unsafe { libc::kill(process as libc::pid_t, libc::SIGKILL) };
}

fn not_a_harness(path: &Path, mut process: Child) -> SchedError {
    let _ = process.kill();
    let ended = match process.wait() {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    SchedError::NotAHarness {
        harness: path.to_owned(),
        ended,
    }
}

/// In the new process: inherits the files, ends with the thread that started it, stays on one processor, where a switch
/// between two threads is cheapest, and gets the same addresses in every run. The system may refuse the last two.
pub(crate) fn prepare(inherited: &[i32], processor: Option<u32>) -> io::Result<()> {
    for &file in inherited {
        // SAFETY: clears the flag that closes the file on exec.
        if unsafe { libc::fcntl(file, libc::F_SETFD, 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    // SAFETY: sets a property of the calling process.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    if let Some(processor) = processor {
        // SAFETY: the set is plain bits, all zero is an empty one; the processor is one of a set of that size.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(processor as usize, &mut set);
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
        }
    }
    // SAFETY: sets a property of the calling process.
    unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
    Ok(())
}

/// The processors that this process may use.
fn allowed_processors() -> Vec<u32> {
    // SAFETY: the set is plain bits, all zero is an empty one.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the size is that of the set.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } != 0 {
        return Vec::new();
    }
    // SAFETY: the index is below the size of the set.
    (0..libc::CPU_SETSIZE as u32)
        .filter(|&index| unsafe { libc::CPU_ISSET(index as usize, &set) })
        .collect()
}
