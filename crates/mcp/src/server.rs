//! The server: requests in, calls started, answers out.
//!
//! Of the Model Context Protocol this is what a server over standard input and output with tools and resources needs: the
//! handshake, lists, calls, progress and cancellation, the same in all versions so far.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use omnilink_evidence::Verdict;
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::answer::Answer;
use crate::call::{Call, Prints, SCRATCH_PREFIX};
use crate::confinement::{self, ConfinementError};
use crate::folders::Folders;
use crate::limits::Most;
use crate::message::{ErrorCode, Message, RpcError, answer, notification};
use crate::pages::{PAGES, Page};
use crate::process::{self, Ended};
use crate::tools::{self, Site};

/// The versions of the protocol, the newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The longest line that is read: a history may be part of it.
const LINE_MAX: u64 = 64 << 20;
/// The most calls that run at the same time; others wait.
const AT_A_TIME: usize = 4;
/// The most calls that wait: each has a thread.
const WAITING_MAX: usize = 64;
/// The time between two notifications of progress.
const BETWEEN_NOTIFICATIONS: Duration = Duration::from_secs(1);

/// The time between two looks at whether the server is to end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// How long calls may go on when there are no more requests: their answers are still wanted.
const LAST_ANSWERS: Duration = Duration::from_secs(8);
/// How long calls that were ended may take to clear up.
const CLEARING: Duration = Duration::from_secs(5);

const INSTRUCTIONS: &str = "OmniLink tells whether a running concurrent system does what its specification says. check: histories \
    against a model (linearizability and weaker levels, isolation of transactions). validate: traces and logs against a TLA+ \
    specification. mc: the states of a TLA+ specification. tla_check, tla_eval: read and evaluate TLA+. lineup: concurrency bugs of \
    code without a specification. explain: evidence in words. `unknown` is no verdict: a limit was reached. The resources \
    omnilink://docs/… are the manual; start with omnilink://docs/check, omnilink://docs/validate or omnilink://docs/mc.";

/// What a server may do, and how it runs the command.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folders that tools may read.
    pub folders: Folders,
    /// Whether specifications may write files there.
    pub may_write: bool,
    /// Whether tools may run commands: what they run is not confined.
    pub may_execute: bool,
    /// Whether to go on where the system cannot confine a process.
    pub unconfined: bool,
    /// The most that a call may ask for.
    pub most: Most,
    /// The program that is the `omnilink` command.
    pub program: PathBuf,
    /// The arguments that come before those of the command.
    pub arguments: Vec<OsString>,
    /// Whether the server is to end, as a signal may ask.
    pub is_stopped: fn() -> bool,
}

/// Why a server ended.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Calls cannot be confined.
    #[error(transparent)]
    Confinement(#[from] ConfinementError),
    /// Standard input cannot be read.
    #[error("the client cannot be heard: {0}")]
    Input(io::Error),
}

/// Serves one client over standard input and output until it leaves.
///
/// # Errors
/// If calls cannot be confined, or standard input cannot be read.
pub fn serve(settings: Settings) -> Result<(), ServeError> {
    if !settings.unconfined && !confinement::is_supported() {
        return Err(ConfinementError::Unsupported.into());
    }
    let server = Arc::new(Server {
        places: Places::new(
            std::thread::available_parallelism()
                .map_or(1, usize::from)
                .min(AT_A_TIME),
        ),
        settings,
        running: Mutex::default(),
        output: Mutex::new(Box::new(io::stdout())),
    });
    let served = server.listen(BufReader::new(io::stdin()));
    server.end();
    served.map_err(ServeError::Input)
}

/// A call that has no answer yet.
struct Running {
    /// Its process is to end.
    cancelled: AtomicBool,
    /// The client waits for an answer.
    is_wanted: AtomicBool,
}

/// What a client sent.
enum Heard {
    Line(String),
    TooLong,
}

/// Reads lines until there are no more, or nobody wants them.
fn read_lines(mut input: impl BufRead, heard: &SyncSender<io::Result<Heard>>) {
    let mut line = Vec::new();
    let mut next = || -> io::Result<Option<Heard>> {
        line.clear();
        let read = input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)?;
        if read as u64 == LINE_MAX && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
            return Ok(Some(Heard::TooLong));
        }
        Ok((read > 0).then(|| Heard::Line(String::from_utf8_lossy(&line).into_owned())))
    };
    loop {
        let said = next();
        let is_last = said.is_err();
        let Some(said) = said.transpose() else { return };
        if heard.send(said).is_err() || is_last {
            return;
        }
    }
}

struct Server {
    settings: Settings,
    places: Places,
    /// The calls that have no answer yet, by the numbers of their requests.
    running: Mutex<BTreeMap<String, Arc<Running>>>,
    output: Mutex<Box<dyn Write + Send>>,
}

impl Server {
    /// Hears requests until there are no more, or the server is to end.
    fn listen(self: &Arc<Self>, input: impl BufRead + Send + 'static) -> io::Result<()> {
        let (heard, lines) = sync_channel(AT_A_TIME);
        std::thread::spawn(move || read_lines(input, &heard));
        while !(self.settings.is_stopped)() {
            match lines.recv_timeout(BETWEEN_LOOKS) {
                Ok(Ok(Heard::Line(text))) if text.trim().is_empty() => {}
                Ok(Ok(Heard::Line(text))) => self.hear(&text),
                Ok(Ok(Heard::TooLong)) => {
                    let error = RpcError::new(
                        ErrorCode::InvalidRequest,
                        "the message is too long; put what is long into a file",
                    );
                    self.write(&answer(&Value::Null, Err(error)));
                }
                Ok(Err(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Answers the calls that are still running, for as long as a client may listen, and ends the others. Nothing of them is left.
    fn end(&self) {
        let is_done = || lock(&self.running).is_empty();
        let wait = |most: Duration, is_in_vain: &dyn Fn() -> bool| {
            let since = Instant::now();
            while !is_done() && since.elapsed() < most && !is_in_vain() {
                std::thread::sleep(BETWEEN_LOOKS);
            }
        };
        wait(LAST_ANSWERS, &|| (self.settings.is_stopped)() || !is_heard());
        for call in lock(&self.running).values() {
            call.cancelled.store(true, Ordering::Relaxed);
        }
        wait(CLEARING, &|| false);
    }

    fn hear(self: &Arc<Self>, line: &str) {
        match Message::read(line) {
            Err((id, error)) => self.write(&answer(&id, Err(error))),
            Ok(Message::Request { id, method, params }) if method == "tools/call" => self.start(id, params),
            Ok(Message::Request { id, method, params }) => {
                self.write(&answer(&id, self.reply(&method, &params)))
            }
            Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                let id = params.get("requestId").map(Value::to_string).unwrap_or_default();
                if let Some(call) = lock(&self.running).get(&id) {
                    call.is_wanted.store(false, Ordering::Relaxed);
                    call.cancelled.store(true, Ordering::Relaxed);
                }
            }
            Ok(Message::Notification { .. } | Message::Answer) => {}
        }
    }

    /// What needs no process.
    fn reply(&self, method: &str, params: &Map<String, Value>) -> Result<Value, RpcError> {
        let text = |name: &str| {
            let found = params.get(name).and_then(Value::as_str);
            found.ok_or_else(|| RpcError::new(ErrorCode::InvalidParams, format!("\"{name}\" is no text")))
        };
        Ok(match method {
            "initialize" => welcome(text("protocolVersion")?),
            "ping" => json!({}),
            "tools/list" => json!({ "tools": tools::all() }),
            "resources/list" => json!({ "resources": PAGES.iter().map(resource).collect::<Vec<_>>() }),
            "resources/templates/list" => json!({ "resourceTemplates": [] }),
            "resources/read" => {
                let uri = text("uri")?;
                let page = Page::at(uri).ok_or_else(|| {
                    let message = format!("there is no resource {uri}; resources/list has all");
                    RpcError::new(ErrorCode::UnknownResource, message)
                })?;
                json!({ "contents": [{ "uri": page.uri(), "mimeType": "text/markdown", "text": page.text }] })
            }
            _ => {
                return Err(RpcError::new(
                    ErrorCode::UnknownMethod,
                    format!("there is no method {method}"),
                ));
            }
        })
    }

    /// Starts a call on a thread of its own.
    fn start(self: &Arc<Self>, id: Value, params: Map<String, Value>) {
        let call = Arc::new(Running {
            cancelled: AtomicBool::new(false),
            is_wanted: AtomicBool::new(true),
        });
        {
            let mut running = lock(&self.running);
            if running.len() >= WAITING_MAX {
                let error = RpcError::new(
                    ErrorCode::Internal,
                    "too many calls are waiting; wait for answers",
                );
                self.write(&answer(&id, Err(error)));
                return;
            }
            running.insert(id.to_string(), Arc::clone(&call));
        }
        let server = Arc::clone(self);
        std::thread::spawn(move || {
            // Should this panic, the client gets an answer, and the server goes on.
            let result = catch_unwind(AssertUnwindSafe(|| server.call(&params, &call.cancelled)));
            let result = result.unwrap_or_else(|_| {
                let message =
                    "internal error, please report it: a tool has panicked; the server goes on".to_owned();
                Ok(result_of(&Answer::without_result(Verdict::Error, message), true))
            });
            // The protocol wants no answer to a request that the client cancelled.
            if call.is_wanted.load(Ordering::Relaxed) {
                server.write(&answer(&id, result));
            }
            // The server ends when nothing is running.
            lock(&server.running).remove(&id.to_string());
        });
    }

    fn call(&self, params: &Map<String, Value>, cancelled: &AtomicBool) -> Result<Value, RpcError> {
        let invalid = |message: String| RpcError::new(ErrorCode::InvalidParams, message);
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let given = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(given)) => given.clone(),
            Some(_) => return Err(invalid("\"arguments\" is no object".to_owned())),
        };
        let site = Site {
            folders: &self.settings.folders,
            most: self.settings.most,
            may_execute: self.settings.may_execute,
        };
        let Some(call) = tools::call(name, given, &site) else {
            return Err(invalid(format!(
                "there is no tool {name:?}; there are {}",
                tools::names()
            )));
        };
        let token = params.get("_meta").and_then(|meta| meta.get("progressToken"));
        let (answer, prints) = match call {
            Ok(call) => (self.run(&call, token, cancelled), call.prints),
            Err(message) => (Answer::without_result(Verdict::Error, message), Prints::Text),
        };
        // That something is wrong with a specification is what its check is to find out.
        let is_error = answer.is_error() && (prints != Prints::Diagnostics || answer.results.is_empty());
        Ok(result_of(&answer, is_error))
    }

    fn run(&self, call: &Call, token: Option<&Value>, cancelled: &AtomicBool) -> Answer {
        let Some(_place) = self.places.wait(cancelled) else {
            return Answer::of(call, Ended::Cancelled);
        };
        match self.run_in_scratch(call, token, cancelled) {
            Ok(ended) => Answer::of(call, ended),
            Err(error) => {
                Answer::without_result(Verdict::Error, format!("the check cannot be started: {error}"))
            }
        }
    }

    /// Runs a call with a folder of its own, which is gone when it has ended.
    fn run_in_scratch(
        &self,
        call: &Call,
        token: Option<&Value>,
        cancelled: &AtomicBool,
    ) -> io::Result<Ended> {
        let scratch = tempfile::Builder::new().prefix(SCRATCH_PREFIX).tempdir()?;
        let real = scratch.path().canonicalize()?;
        if let Some((name, text)) = &call.file {
            std::fs::write(real.join(name), text)?;
        }
        let mut notified = Duration::ZERO;
        let mut looked = |elapsed: Duration, memory: Option<u64>| {
            let Some(token) = token.filter(|_| elapsed >= notified + BETWEEN_NOTIFICATIONS) else {
                return;
            };
            notified = elapsed;
            let (seconds, most) = (elapsed.as_secs_f64(), call.limits.time.as_secs_f64());
            let megabytes = memory.map_or(String::new(), |bytes| format!(", {} MB", bytes / 1_000_000));
            let params = json!({
                "progressToken": token, "progress": seconds, "total": most.max(seconds),
                "message": format!("{seconds:.0} s of at most {most:.0} s{megabytes}"),
            });
            self.write(&notification("notifications/progress", &params));
        };
        let ended = process::run(call, &self.settings, &real, cancelled, &mut looked)?;
        Ok(without_scratch(ended, &real))
    }

    fn write(&self, message: &Value) {
        let mut output = lock(&self.output);
        // A client that does not listen any more has left, which ends standard input, too.
        let _ = writeln!(output, "{message}").and_then(|()| output.flush());
    }
}

/// Whether somebody may read what is written: not if the other end of the pipe is closed, or all of it is thrown away.
#[cfg(unix)]
fn is_heard() -> bool {
    // SAFETY: both look at the state of standard output, and write only to what they are given.
    unsafe {
        let mut about: libc::stat = std::mem::zeroed();
        let is_device = libc::fstat(libc::STDOUT_FILENO, &raw mut about) == 0
            && about.st_mode & libc::S_IFMT == libc::S_IFCHR;
        let mut state = libc::pollfd {
            fd: libc::STDOUT_FILENO,
            events: 0,
            revents: 0,
        };
        let is_closed = libc::poll(&raw mut state, 1, 0) > 0;
        !is_closed && (!is_device || libc::isatty(libc::STDOUT_FILENO) == 1)
    }
}

#[cfg(not(unix))]
fn is_heard() -> bool {
    true
}

/// The places for calls that run.
struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A place that is taken.
struct Place<'a>(&'a Places);

impl Places {
    fn new(free: usize) -> Self {
        Self {
            free: Mutex::new(free),
            freed: Condvar::new(),
        }
    }

    /// Waits for a place; none if the call was cancelled before it got one.
    fn wait(&self, cancelled: &AtomicBool) -> Option<Place<'_>> {
        let mut free = lock(&self.free);
        while *free == 0 {
            if cancelled.load(Ordering::Relaxed) {
                return None;
            }
            let waited = self.freed.wait_timeout(free, Duration::from_millis(50));
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(Place(self))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *lock(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn welcome(asked: &str) -> Value {
    let version = VERSIONS
        .iter()
        .find(|version| **version == asked)
        .unwrap_or(&VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {}, "resources": {} },
        "serverInfo": { "name": "omnilink", "title": "OmniLink", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}

fn resource(page: &Page) -> Value {
    json!({
        "uri": page.uri(), "name": page.name, "title": page.title(), "mimeType": "text/markdown", "size": page.text.len(),
    })
}

fn result_of(answer: &Answer, is_error: bool) -> Value {
    json!({
        "content": [{ "type": "text", "text": answer.text() }],
        "structuredContent": answer,
        "isError": is_error,
    })
}

/// What was printed, with the names of files in the folder of the call as the client knows them.
fn without_scratch(ended: Ended, scratch: &Path) -> Ended {
    let folder = format!("{}/", scratch.display());
    match ended {
        Ended::Finished {
            code,
            output,
            messages,
        } => Ended::Finished {
            code,
            output: output.replace(&folder, ""),
            messages: messages.replace(&folder, ""),
        },
        ended => ended,
    }
}
