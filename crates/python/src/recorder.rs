//! The recorder of the Rust library, for Python: files that survive the process, one for each lane.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use omnilink_record::{
    ModelValue, Record, RecordError, RecordOptions, Recorder, ThreadLabel, ThreadLog, ValueSlot, Written,
};
use omnilink_value::{Value, ValueKind};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::error::{Failure, FailureKind};
use crate::file_path::FilePath;
use crate::value::lossless_value;

/// A value, as the recorder takes it.
struct Recorded<'a>(&'a Value);

impl Record for Recorded<'_> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        let value = self.0;
        if value.is_null() {
            return slot.null();
        }
        match value.kind() {
            ValueKind::Bool => slot.bool(value.as_bool().unwrap_or_default()),
            ValueKind::Int => slot.int(value.as_int().unwrap_or_default()),
            // `Texts::Lossless` has escaped them.
            ValueKind::Str => slot.escaped(value.as_str().unwrap_or_default()),
            ValueKind::Model => ModelValue(value.as_model().unwrap_or_default()).record(slot),
            ValueKind::Tuple => items(slot, value.as_tuple().unwrap_or_default()),
            ValueKind::Set => slot.fields(|set| {
                set.field_with("$set", |slot| items(slot, value.as_set().unwrap_or_default()));
            }),
            ValueKind::Record => {
                let record = value.as_record();
                let fields = || record.iter().flat_map(|record| record.iter());
                // A name with a dollar would be read as one of the other values.
                if fields().any(|(name, _)| name.starts_with('$')) {
                    let pairs: Vec<(Value, &Value)> =
                        fields().map(|(name, held)| (Value::str(name), held)).collect();
                    return entries(slot, pairs.iter().map(|(name, held)| (name, *held)));
                }
                slot.fields(|record| {
                    fields().for_each(|(name, held)| record.escaped_field(name, &Recorded(held)))
                })
            }
            ValueKind::Function => {
                let pairs = value.as_entries().unwrap_or_default().iter();
                entries(slot, pairs.map(|(key, held)| (key, held)))
            }
        }
    }
}

fn items(slot: ValueSlot<'_>, values: &[Value]) -> Written {
    slot.items(|items| values.iter().for_each(|value| items.item(&Recorded(value))))
}

fn entries<'a>(slot: ValueSlot<'_>, pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Written {
    slot.fields(|function| {
        function.field_with("$fn", |slot| {
            slot.items(|items| pairs.for_each(|(key, held)| items.item(&[Recorded(key), Recorded(held)])))
        });
    })
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Recorder, error)
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        failed(error)
    }
}

type Log = Arc<Mutex<Option<ThreadLog>>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while a record is written ends the recording, and leaves whole records.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of operations, of those without an end, and the trace if it is in memory.
type Finished<'py> = (u64, u64, Option<Bound<'py, PyBytes>>);

/// A recorder.
#[pyclass(name = "Recording", module = "omnilink._native", frozen)]
pub(crate) struct PythonRecorder {
    recorder: Mutex<Option<Recorder>>,
    /// Those that are in use. A lane that nobody has any more has completed its file.
    logs: Mutex<Vec<Weak<Mutex<Option<ThreadLog>>>>>,
    process: u32,
}

#[pymethods]
impl PythonRecorder {
    /// Records into an empty folder, or into memory.
    #[new]
    fn new(folder: Option<FilePath>, header: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut options = RecordOptions::new();
        for (name, value) in header.iter() {
            let name: String = name.extract()?;
            let value = lossless_value(&value, &|| format!("header {name}"))?;
            options = options.header(&name, Recorded(&value)).map_err(Failure::from)?;
        }
        let recorder = match folder {
            Some(folder) => options.create(folder.0),
            None => options.in_memory(),
        };
        Ok(Self {
            recorder: Mutex::new(Some(recorder.map_err(Failure::from)?)),
            logs: Mutex::default(),
            process: std::process::id(),
        })
    }

    /// A lane: what calls one after the other, such as a thread. Its label is a number or a text.
    fn lane(&self, label: &Bound<'_, PyAny>) -> PyResult<Lane> {
        self.same_process()?;
        let label = match label.extract::<i64>() {
            Ok(number) => ThreadLabel::Number(number),
            Err(_) => ThreadLabel::Text(label.str()?.to_cow()?.into_owned()),
        };
        let recorder = locked(&self.recorder);
        let recorder = recorder.as_ref().ok_or_else(closed)?;
        let log = recorder.thread(label).map_err(Failure::from)?;
        let log = Arc::new(Mutex::new(Some(log)));
        let mut logs = locked(&self.logs);
        // Now and then, so that it costs nothing.
        if logs.len() == logs.capacity() {
            logs.retain(|log| log.strong_count() > 0);
        }
        logs.push(Arc::downgrade(&log));
        Ok(Lane {
            log,
            process: self.process,
        })
    }

    /// Ends the recording; None if it had ended.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Option<Finished<'py>>> {
        self.same_process()?;
        let Some(recorder) = locked(&self.recorder).take() else {
            return Ok(None);
        };
        for log in locked(&self.logs).drain(..).filter_map(|log| log.upgrade()) {
            drop(locked(&log).take());
        }
        let recording = recorder.finish().map_err(Failure::from)?;
        let (operations, pending) = (recording.operations(), recording.pending());
        let bytes = recording.into_trace().map(|bytes| PyBytes::new(py, &bytes));
        Ok(Some((operations, pending, bytes)))
    }
}

impl PythonRecorder {
    fn same_process(&self) -> Result<(), Failure> {
        same_process(self.process)
    }
}

fn same_process(process: u32) -> Result<(), Failure> {
    if std::process::id() == process {
        Ok(())
    } else {
        Err(failed(format!(
            "this recorder belongs to process {process}; a child that was forked from it needs a recorder of its own, in a folder of \
             its own"
        )))
    }
}

fn closed() -> Failure {
    failed("the recorder was closed; make a new one, in a folder of its own")
}

/// The log of what calls one after the other.
#[pyclass(name = "Lane", module = "omnilink._native", frozen)]
pub(crate) struct Lane {
    log: Log,
    process: u32,
}

impl Lane {
    /// Does something with the log, which only one thread uses at a time.
    fn with<T>(&self, act: impl FnOnce(&mut ThreadLog) -> T) -> Result<T, Failure> {
        same_process(self.process)?;
        let mut log = locked(&self.log);
        log.as_mut().map(act).ok_or_else(closed)
    }
}

#[pymethods]
impl Lane {
    /// Records a call as pending, and reads the clock last. A value that cannot be recorded is an error, and nothing is recorded.
    fn begin(&self, op: &str, args: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut values = Vec::with_capacity(args.len());
        for (name, value) in args.iter() {
            let name: String = name.extract()?;
            let value = lossless_value(&value, &|| format!("{op}: {name}"))?;
            values.push((name, value));
        }
        self.with(|log| {
            let mut call = log.call(op);
            for (name, value) in &values {
                call = call.arg(name, Recorded(value));
            }
            // The log remembers that it is open.
            let _ = call.begin();
        })?;
        Ok(())
    }

    /// Stops the recording, and counts an operation that is missing.
    fn refuse(&self, what: String) -> PyResult<()> {
        Ok(self.with(|log| log.refuse(what))?)
    }

    /// The time at which a timebox ends that ends now.
    fn time(&self) -> PyResult<i64> {
        Ok(self.with(|log| log.time())?)
    }

    /// Records the end of the call that began last, at a time or now. A result that cannot be recorded leaves it pending, and stops the recording.
    #[pyo3(signature = (op, time, result, meta))]
    fn end(
        &self,
        op: &str,
        time: Option<i64>,
        result: &Bound<'_, PyTuple>,
        meta: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let time = match time {
            None => Some(self.time()?),
            known => known,
        };
        let values = || {
            let given = result.iter().next();
            let ret = given.map(|given| lossless_value(&given, &|| format!("the result of {op}")));
            let meta = meta.map(|given| lossless_value(given, &|| format!("what was noted of {op}")));
            Ok::<_, Failure>((ret.transpose()?, meta.transpose()?))
        };
        let (ret, meta) = match values() {
            Ok(values) => values,
            // It happened, so it must not get lost.
            Err(failure) => return self.refuse(failure.to_string()),
        };
        self.with(|log| {
            if let Some(call) = log.open_call() {
                call.ended_at(time).end_with_meta(Given(&ret), Given(&meta));
            }
        })?;
        Ok(())
    }

    /// The call has failed, and has had no effect.
    fn abort(&self, time: Option<i64>) -> PyResult<()> {
        self.with(|log| {
            if let Some(call) = log.open_call() {
                call.ended_at(time).abort();
            }
        })?;
        Ok(())
    }

    /// Forgets the call.
    fn cancel(&self) -> PyResult<()> {
        self.with(|log| {
            if let Some(call) = log.open_call() {
                call.cancel();
            }
        })?;
        Ok(())
    }
}

/// A value, if there is one.
struct Given<'a>(&'a Option<Value>);

impl Record for Given<'_> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        match self.0 {
            Some(value) => Recorded(value).record(slot),
            None => slot.null(),
        }
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}
