//! Online checks: calls and returns are checked while the system runs.
//!
//! The check runs on a thread of its own, which takes events from a queue. So a call costs the system an entry of the queue, until the check
//! falls [`QUEUE_MAX`] events behind; then the system waits for it.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use omnilink_engine::{
    CallEvent, Conclusion, Consistency, Decoded, Limits, LiveCheck, Model, Options, Progress,
};
use omnilink_evidence::{Command, Evidence, Figures, Subject, ThreadNames, Verdict, Violation};
use omnilink_models::AnyModel;
use omnilink_trace::{Args, Operation, Timebox};
use omnilink_value::Value;
use omnilink_verify::{DecodeOp, VerifyError, decode_native};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::answer::Answer;
use crate::error::{Failure, FailureKind};
use crate::job::{Flag, panicked};
use crate::model::{PythonModel, class_name};
use crate::settings::{Settings, interruptible};
use crate::value::lossless_value;

/// How many events may wait.
const QUEUE_MAX: usize = 1 << 16;

/// Something that happened.
enum Event {
    Call(u64, Operation),
    Return(u64, Value),
    Lost(u64),
}

/// What became of a check.
type Outcome = Result<Evidence, LiveFailure>;

enum LiveFailure {
    Failed(Failure),
    /// The model raised this.
    Raised(PyErr),
}

/// A live check.
#[pyclass(name = "Watch", module = "omnilink._native", frozen)]
pub(crate) struct PythonLiveCheck {
    events: Mutex<Option<SyncSender<Event>>>,
    worker: Mutex<Option<JoinHandle<()>>>,
    outcome: Arc<Mutex<Option<Outcome>>>,
    flag: Flag,
    calls: AtomicU64,
    process: u32,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl PythonLiveCheck {
    /// Starts to watch.
    #[new]
    fn new(model: &Bound<'_, PyAny>, settings: Bound<'_, PyDict>) -> PyResult<Self> {
        let settings = Settings(settings);
        let consistency = settings.consistency()?;
        if !matches!(consistency.as_str(), "linearizable" | "sequential") {
            let message = "a live check is for linearizability or sequential consistency; record the calls, and check other levels with check()";
            return Err(Failure::usage(message).into());
        }
        let flag = Flag::take();
        let options = interruptible(settings.engine()?, flag.interrupt());
        let (send, receive) = sync_channel(QUEUE_MAX);
        let outcome = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&outcome);
        let watched = watched(model, options.limits)?;
        let worker = std::thread::Builder::new()
            .name("omnilink-live-check".to_owned())
            .spawn(move || {
                let watched = catch_unwind(AssertUnwindSafe(|| watched.watch(receive, options)));
                let watched = watched.unwrap_or_else(|panic| Err(LiveFailure::Failed(panicked(&*panic))));
                *locked(&kept) = Some(watched);
            })?;
        Ok(Self {
            events: Mutex::new(Some(send)),
            worker: Mutex::new(Some(worker)),
            outcome,
            flag,
            calls: AtomicU64::new(0),
            process: std::process::id(),
        })
    }

    /// A call begins; its number.
    fn call(&self, py: Python<'_>, thread: i64, op: &str, args: &Bound<'_, PyDict>) -> PyResult<u64> {
        let mut values = Vec::with_capacity(args.len());
        for (name, value) in args.iter() {
            let name: String = name.cast::<PyString>()?.to_cow()?.into_owned();
            let value = lossless_value(&value, &|| format!("{op}: {name}"))?;
            values.push((name, value));
        }
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let operation = Operation::new(Value::int(thread), op, Args::named(values), Timebox::pending(0));
        self.send(py, Event::Call(call, operation))?;
        Ok(call)
    }

    /// A call has returned.
    fn returned(&self, py: Python<'_>, call: u64, ret: &Bound<'_, PyAny>) -> PyResult<()> {
        let ret = lossless_value(ret, &|| "the result of the call".to_owned())?;
        self.send(py, Event::Return(call, ret))
    }

    /// A call will never return.
    fn lost(&self, py: Python<'_>, call: u64) -> PyResult<()> {
        self.send(py, Event::Lost(call))
    }

    /// The verdict, if the check has ended: because it found a violation, reached a limit or failed.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        locked(&self.outcome).as_ref().map(|outcome| match outcome {
            Ok(evidence) => evidence.verdict.word(),
            Err(_) => Verdict::Error.word(),
        })
    }

    /// Ends the check, and gives the answer; None if it was taken.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<Answer>> {
        self.same_process()?;
        drop(locked(&self.events).take());
        let worker = locked(&self.worker).take();
        if let Some(worker) = worker {
            while !worker.is_finished() {
                py.detach(|| std::thread::sleep(std::time::Duration::from_millis(1)));
                py.check_signals().inspect_err(|_| self.flag.raise())?;
            }
        }
        let outcome = locked(&self.outcome).take();
        match outcome {
            None => Ok(None),
            Some(Ok(evidence)) => Ok(Some(Answer::new(evidence)?)),
            Some(Err(LiveFailure::Failed(failure))) => Err(failure.into()),
            Some(Err(LiveFailure::Raised(error))) => Err(error),
        }
    }
}

impl PythonLiveCheck {
    fn send(&self, py: Python<'_>, event: Event) -> PyResult<()> {
        self.same_process()?;
        let events = locked(&self.events).clone();
        let Some(events) = events else {
            let message = "the live check was closed; make a new one";
            return Err(Failure::new(FailureKind::Recorder, message).into());
        };
        match events.try_send(event) {
            // A check that has ended needs no more events.
            Ok(()) | Err(TrySendError::Disconnected(_)) => {}
            Err(TrySendError::Full(event)) => {
                let _ = py.detach(|| events.send(event));
            }
        }
        Ok(())
    }

    fn same_process(&self) -> Result<(), Failure> {
        if std::process::id() == self.process {
            Ok(())
        } else {
            Err(Failure::new(
                FailureKind::Recorder,
                format!(
                    "this live check belongs to process {}; a child that was forked from it has no check behind it",
                    self.process
                ),
            ))
        }
    }
}

/// A model that is watched for.
enum Watched {
    Native(String, AnyModel),
    Python(String, Box<PythonModel>),
}

fn watched(model: &Bound<'_, PyAny>, limits: Limits) -> PyResult<Watched> {
    match model.extract::<String>() {
        Ok(name) => {
            let model =
                AnyModel::from_spec(&name).map_err(|error| Failure::from(VerifyError::from(error)))?;
            Ok(Watched::Native(name, model))
        }
        Err(_) => Ok(Watched::Python(
            class_name(model),
            Box::new(PythonModel::new(model, limits)?),
        )),
    }
}

impl Watched {
    fn watch(self, events: Receiver<Event>, options: Options) -> Outcome {
        match self {
            Self::Native(name, model) => watch(
                &name,
                &model,
                &|operation| decode_native(&model, operation),
                events,
                options,
            )
            .map_err(LiveFailure::Failed),
            Self::Python(name, model) => {
                let outcome = watch(
                    &name,
                    &*model,
                    &|operation| model.decode(operation),
                    events,
                    options,
                );
                match model.take_error() {
                    Some(error) => Err(LiveFailure::Raised(error)),
                    None => outcome.map_err(LiveFailure::Failed),
                }
            }
        }
    }
}

/// Checks events until there are no more, or the verdict is known.
fn watch<M: Model>(
    name: &str,
    model: &M,
    decode: &DecodeOp<'_, M::Op>,
    events: Receiver<Event>,
    options: Options,
) -> Result<Evidence, Failure> {
    let started = Instant::now();
    let mut live = LiveCheck::new(model, options);
    let mut threads = WatchedThreads::default();
    let mut open: HashMap<u64, Operation> = HashMap::new();
    for event in &events {
        let event = match event {
            Event::Call(call, operation) => {
                let thread = threads.number(&operation.thread);
                let event = match decode(&operation)? {
                    Decoded::Once(op) => CallEvent::Call { call, thread, op },
                    _ => CallEvent::CallForResult { call, thread },
                };
                open.insert(call, operation);
                event
            }
            Event::Return(call, ret) => {
                let Some(operation) = open.remove(&call) else {
                    continue;
                };
                let operation = Operation {
                    timebox: Timebox::new(0, 0),
                    ..operation
                };
                match decode(&operation.returning(ret))? {
                    Decoded::Once(op) => CallEvent::Return { call, op },
                    _ => CallEvent::Lost { call },
                }
            }
            Event::Lost(call) => {
                open.remove(&call);
                CallEvent::Lost { call }
            }
        };
        if live.feed(event).map_err(Failure::input)? == Progress::Decided {
            break;
        }
    }
    let outcome = live.finish().map_err(Failure::input)?;
    let mut evidence = Evidence::new(Command::Check, Subject::Operations, "live check");
    evidence.model = Some(name.to_owned());
    evidence.consistency = Some(match options.consistency {
        Consistency::Linearizable => "linearizable".to_owned(),
        Consistency::Sequential => "sequential".to_owned(),
    });
    evidence.figures = Figures {
        threads: Some(threads.names.len() as u64),
        seconds: started.elapsed().as_secs_f64(),
        ..Figures::from(&outcome)
    };
    match outcome.conclusion {
        Conclusion::Valid(_) => {}
        Conclusion::Violation(counterexample) => evidence.violate(Violation::Operation(counterexample)),
        Conclusion::Unknown(unknown) => evidence.give_up(*unknown),
    }
    threads.names.apply_to(&mut evidence);
    Ok(evidence)
}

/// The numbers that the engine knows threads by.
#[derive(Default)]
struct WatchedThreads {
    numbers: HashMap<Value, u32>,
    names: ThreadNames,
}

impl WatchedThreads {
    fn number(&mut self, thread: &Value) -> u32 {
        let next = self.numbers.len() as u32;
        let names = &mut self.names;
        *self.numbers.entry(thread.clone()).or_insert_with(|| {
            names.push(thread.to_string());
            next
        })
    }
}
