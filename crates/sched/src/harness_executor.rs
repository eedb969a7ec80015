//! Executions in the forked processes of a harness.

use crate::shared_memory::SharedMemory;
use crate::watch::{LOOK, Watch};
use crate::{Execution, Executor, RunOptions, SchedError, TestProgram, UnresponsiveReason};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Asks the C library to overwrite memory that is given back, with the same in every run: who still uses it gets nonsense.
/// It does so only where nothing is set aside for each thread.
const OVERWRITES_FREED: &str = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0";

/// What the user has set counts more.
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
    pub patience_s: u32,
    /// Whether what the component prints is shown.
    pub shows_output: bool,
}

impl Default for HarnessOptions {
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            environment: Vec::new(),
            patience_s: 2,
            shows_output: false,
        }
    }
}

/// A running harness that makes executions on request.
#[derive(Debug)]
pub struct HarnessExecutor {
    path: PathBuf,
    process: Child,
    socket: UnixStream,
    memory: SharedMemory,
    description: String,
    patience: Duration,
}

/// An execution may be kept waiting for so long, and some more where threads may compute for long.
const LATE_S: u32 = 20;

impl HarnessExecutor {
    /// Starts a harness that was built by [`build`](crate::build).
    pub fn start(path: &Path, options: &HarnessOptions) -> Result<Self, SchedError> {
        Self::start_on(path, options, allowed_processors().first().copied())
    }

    /// Starts one executor for each of `count` processors.
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
        let mut memory = SharedMemory::new().map_err(start)?;
        // Whatever happens to the rest of the machine, an execution is over some day.
        memory.set_patience(LATE_S + 10 * options.patience_s);
        let (mut socket, theirs) = UnixStream::pair().map_err(start)?;
        let inherited = [memory.file_number(), theirs.as_raw_fd()];
        let output = || {
            if options.shows_output {
                Stdio::inherit()
            } else {
                Stdio::null()
            }
        };
        let mut command = Command::new(path);
        command
            .args(&options.arguments)
            .env("GLIBC_TUNABLES", tunables(std::env::var("GLIBC_TUNABLES").ok()))
            .envs(options.environment.iter().map(|(name, value)| (name, value)))
            .env("OMNILINK_SCHED", format!("{},{}", inherited[0], inherited[1]))
            .stdin(Stdio::null())
            .stdout(output())
            .stderr(output());
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            command.pre_exec(move || prepare(inherited, processor));
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
                    patience: Duration::from_secs(options.patience_s.max(1).into()),
                })
            }
            Err(_) => Err(not_a_harness(path, process)),
        }
    }

    /// What the harness says about itself.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// How many calls the harness offers.
    pub fn ops_offered(&self) -> u32 {
        self.memory.get().ops_offered
    }
}

impl Executor for HarnessExecutor {
    fn run(&mut self, program: &TestProgram, plan: &RunOptions) -> Result<Execution, SchedError> {
        self.memory.request(program, plan)?;
        self.ask()?;
        let silence = self.ended_for_silence()?;
        let status = self.answer()?;
        Ok(match silence {
            // It may just have come to its end.
            Some(silence) if self.memory.get().ending == 0 => self.memory.silent_execution(silence),
            _ => self.memory.execution(status),
        })
    }
}

impl HarnessExecutor {
    /// Runs a program up to `rounds` times with native threads that nobody schedules, all in one process. Fewer
    /// rounds are made if their events fill the memory for them; a crash ends them, and the execution that it
    /// ended comes last.
    ///
    /// The executions have events and endings, but no steps: they cannot be repeated. A harness that was built
    /// without instrumentation, and started with the environment of [`Chaos`](crate::Chaos), is best.
    pub fn sample_native(
        &mut self,
        program: &TestProgram,
        rounds: u32,
    ) -> Result<Vec<Execution>, SchedError> {
        self.memory.request_native(program, rounds)?;
        self.ask()?;
        let status = self.answer()?;
        Ok(self.memory.native_executions(status))
    }

    /// Lets the harness do what was requested.
    fn ask(&mut self) -> Result<(), SchedError> {
        self.socket.write_all(&[0]).map_err(|source| self.lost(source))
    }

    /// Waits for the execution to end, and ends it if it comes to no step any more.
    fn ended_for_silence(&mut self) -> Result<Option<UnresponsiveReason>, SchedError> {
        let mut watch = Watch::new(self.patience);
        loop {
            let mut socket = libc::pollfd {
                fd: self.socket.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: one structure, which lives until the call returns.
            match unsafe { libc::poll(&raw mut socket, 1, LOOK.as_millis() as i32) } {
                0 => {}
                1.. => return Ok(None),
                _ => match io::Error::last_os_error() {
                    error if error.kind() == io::ErrorKind::Interrupted => continue,
                    error => return Err(self.lost(error)),
                },
            }
            let Some((process, beat)) = self.memory.pulse() else {
                continue;
            };
            if let Some(silence) = watch.look(process, beat) {
                // SAFETY: the process has not been waited for: its parent does that and then answers.
                unsafe { libc::kill(process as libc::pid_t, libc::SIGKILL) };
                return Ok(Some(silence));
            }
        }
    }

    /// Returns how the system says that the process of the execution ended.
    fn answer(&mut self) -> Result<i32, SchedError> {
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
    fn drop(&mut self) {
        // It may be asleep in a way that a closed socket does not end; both calls fail only if it has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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

/// In the new process: inherits the two files, stays on one processor, where a thread that gives the baton away stops
/// just when the other one goes on, and gets the same addresses in every run. The last two may be refused.
fn prepare(inherited: [i32; 2], processor: Option<u32>) -> io::Result<()> {
    for file in inherited {
        // SAFETY: clears the flag that closes the file on exec.
        if unsafe { libc::fcntl(file, libc::F_SETFD, 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
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
