//! Histories of many objects, as Jepsen's independent keys make them: each object is checked apart from the others.

#[cfg(feature = "weak")]
pub(crate) mod pieces;

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use omnilink_engine::{Decoded, Limits, Options};
use omnilink_evidence::{Evidence, Figures, KeyVerdict, Verdict};
use omnilink_models::{
    AnyModel, AnyOp, KeyDetector, Keying, ModelEntry, model_of_type, split, split_by_field, splits_by_key,
};
use omnilink_trace::{Args, Format, Operation};
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::check_run::{CheckRequest, check_input};
use crate::error::VerifyError;
use crate::history::decode_native;
use crate::input::Input;
use crate::progress::ProgressCounter;

/// What makes an object of its own of each key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Keyed {
    /// Found out by the content of the history.
    #[default]
    ByContent,
    /// Every value is `[key value]`.
    Yes,
    /// Values are read as they are.
    No,
    /// This argument is the key.
    ByField(String),
}

const READ_AS_KEYED: &str = "every value is [key value], as Jepsen's independent keys write them: each key is an object of its \
                             own (--keyed no reads values as they are)";
const READ_BY_KEY: &str =
    "every operation has a key: each key is an object of its own (--keyed no reads them as one object)";
const READ_AS_PAIRS: &str =
    "every value is a pair, and is read as it is (--keyed yes takes the first part for a key)";

/// Checks one input, key by key if its values are keyed.
///
/// Whatever goes wrong is part of the report.
pub(crate) fn check_model(
    model: &AnyModel,
    keyed: &Keyed,
    input: &Input,
    request: &CheckRequest,
    progress: &ProgressCounter,
) -> Evidence {
    let plain = |input: &Input, request: &CheckRequest| {
        let strict = StrictDecoding::new(model, input);
        let decode = |operation: &Operation| strict.decode(operation);
        check_input(model, &decode, input, request, progress)
    };
    let entry = model.entry();
    if let Some(field) = key_field(model, keyed, input) {
        let key = |operation: &Operation| {
            split_by_field(operation, &field).ok_or_else(|| no_key(operation, &field))
        };
        let report = check_each(&key, input, request, &plain);
        return match keyed {
            Keyed::ByField(_) => report,
            _ => with_note(report, READ_BY_KEY),
        };
    }
    let keying = match keyed {
        Keyed::ByField(_) => Keying::Plain,
        Keyed::Yes => Keying::Keyed,
        Keyed::No => Keying::Plain,
        Keyed::ByContent => find_out(model.entry(), input, |operation| model.decode(operation).is_ok()),
    };
    let report = match keying {
        Keying::Plain => plain(input, request),
        Keying::PlainPairs => with_note(plain(input, request), READ_AS_PAIRS),
        Keying::Unclear => {
            let empty = Input::of_operations(input.name.clone(), Arc::from([]), Format::Ndjson);
            let mut report = plain(&empty, request);
            report.fail(unclear(input).to_string());
            report
        }
        Keying::Keyed if splits_by_key(model.entry()) => {
            let key = |operation: &Operation| split(operation, entry).ok_or_else(|| no_pair(operation));
            let report = check_each(&key, input, request, &plain);
            with_note(report, READ_AS_KEYED)
        }
        Keying::Keyed => {
            let decode = |operation: &Operation| -> Result<Decoded<AnyOp>, VerifyError> {
                let (_, inner) = split(operation, model.entry()).ok_or_else(|| no_pair(operation))?;
                decode_native(model, &inner)
            };
            with_note(
                check_input(model, &decode, input, request, progress),
                READ_AS_KEYED,
            )
        }
    };
    match other_type(model.entry(), input) {
        Some(note) if report.verdict != Verdict::Error => with_note(report, &note),
        _ => report,
    }
}

/// The argument that is the key of every operation: the one that the user names, or the one that is called so, if the model has no use for
/// it.
pub(crate) fn key_field(model: &AnyModel, keyed: &Keyed, input: &Input) -> Option<String> {
    match keyed {
        Keyed::ByField(name) => return Some(name.clone()),
        Keyed::ByContent if splits_by_key(model.entry()) && is_strict(input) => {}
        _ => return None,
    }
    let mut is_every = false;
    // Ends at the first operation that has no such argument.
    let ends = input.has_among_first(KEY_FROM_MAX, |_, operation| {
        let unused = model.unused_arguments(operation);
        let is_key = unused.iter().any(|name| name.eq_ignore_ascii_case(KEY));
        is_every = is_key || operation.aborted && split_by_field(operation, KEY).is_some();
        !is_every
    });
    (is_every && !ends).then(|| KEY.to_owned())
}

/// The argument that is taken for a key without being asked to.
const KEY: &str = "key";
/// How many operations are looked at for it; the others have to have it then.
const KEY_FROM_MAX: usize = 64;

/// Whether arguments are what a recorder of ours was given, so that the model must have a use for each. Other formats have more in the same place.
pub(crate) fn is_strict(input: &Input) -> bool {
    let format = input.open().map(|trace| trace.format());
    matches!(format, Ok(Format::Ndjson | Format::Json | Format::Msgpack))
}

/// Decodes operations whose arguments all mean something to the model.
pub(crate) struct StrictDecoding<'m> {
    model: &'m AnyModel,
    /// What the known operations are called and which arguments they have, as hashes; `None` if anything goes.
    known: Option<RefCell<FxHashSet<u64>>>,
}

impl<'m> StrictDecoding<'m> {
    pub(crate) fn new(model: &'m AnyModel, input: &Input) -> Self {
        Self {
            model,
            known: is_strict(input).then(RefCell::default),
        }
    }

    /// The same for operations that are recorded otherwise.
    #[cfg(feature = "weak")]
    pub(crate) fn of_recorded(model: &'m AnyModel) -> Self {
        Self {
            model,
            known: Some(RefCell::default()),
        }
    }

    pub(crate) fn decode(&self, operation: &Operation) -> Result<Decoded<AnyOp>, VerifyError> {
        let decoded = decode_native(self.model, operation)?;
        self.check(operation)?;
        Ok(decoded)
    }

    /// Whether the model has a use for all arguments. Operations of one name with the same arguments are looked at once.
    pub(crate) fn check(&self, operation: &Operation) -> Result<(), VerifyError> {
        let (Some(known), Args::Named(record)) = (&self.known, &operation.args) else {
            return Ok(());
        };
        let Some(fields) = record.as_record() else {
            return Ok(());
        };
        let mut shape = FxHasher::default();
        operation.name.as_str().hash(&mut shape);
        for (name, value) in fields.iter() {
            (
                name,
                value.is_null() || value.is_empty() || value.as_int() == Some(0),
            )
                .hash(&mut shape);
        }
        let shape = shape.finish();
        if known.borrow().contains(&shape) {
            return Ok(());
        }
        if let Some(name) = self.model.unused_arguments(operation).first() {
            return Err(VerifyError::Usage(format!(
                "{}: {operation}: the model {} has no argument \"{name}\" there; if each {name} is an object of its own: --key {name} for all \
                 operations that have it; if it says nothing about the operation, record it beside the arguments, as \
                 \"meta\":{{\"{name}\":…}}",
                operation.location,
                self.model.entry().name
            )));
        }
        known.borrow_mut().insert(shape);
        Ok(())
    }
}

/// A note if the input says that it is of another type than the model.
pub(crate) fn other_type(entry: &ModelEntry, input: &Input) -> Option<String> {
    let header = input.header()?;
    let named = header.get("type")?.as_str()?;
    let own = model_of_type(named).filter(|own| !entry.includes(own))?;
    Some(format!(
        "the file says that its object is a {named}, and it is checked as a {}; if the file is right: --model {}",
        entry.name, own.name
    ))
}

fn unclear(input: &Input) -> VerifyError {
    VerifyError::Usage(format!(
        "{}: every value is a pair, which may be a key with its value (Jepsen's independent keys) or a value that is a pair; \
         say which: --keyed yes or --keyed no",
        input.name
    ))
}

fn with_note(mut report: Evidence, note: &str) -> Evidence {
    report.notes.push(format!("{}: {note}", report.input));
    report
}

/// How the values of an input are to be read, by what they are. Only Jepsen's have keys in them. What cannot be read will be
/// met again.
fn find_out(entry: &'static ModelEntry, input: &Input, accepts: impl Fn(&Operation) -> bool) -> Keying {
    let Ok(trace) = input.open() else {
        return Keying::Plain;
    };
    if !matches!(
        trace.format(),
        Format::JepsenEdn | Format::JepsenJson | Format::JepsenLog
    ) {
        return Keying::Plain;
    }
    let mut detector = KeyDetector::new(entry);
    for operation in trace {
        let Ok(operation) = operation else {
            return Keying::Plain;
        };
        if !detector.observe(&operation, &accepts) {
            break;
        }
    }
    detector.keying()
}

fn no_pair(operation: &Operation) -> VerifyError {
    VerifyError::Usage(format!(
        "{}: {operation} carries no [key value] pair, or returns another key than it was called with; without --keyed yes values \
         are read as they are",
        operation.location
    ))
}

fn no_key(operation: &Operation, field: &str) -> VerifyError {
    VerifyError::Usage(format!(
        "{}: {operation} has no argument \"{field}\", which is the key of the objects; record it with every operation, or check the others \
         by themselves",
        operation.location
    ))
}

/// The key of an operation, and the operation without it.
type SplitOperation<'s> = dyn Fn(&Operation) -> Result<(Value, Operation), VerifyError> + 's;

/// The operations of one key, in order of start.
struct Object {
    key: Value,
    operations: Vec<Arc<Operation>>,
}

impl Object {
    fn name(&self) -> String {
        self.key
            .as_str()
            .map_or_else(|| self.key.to_string(), str::to_owned)
    }
}

/// The objects of an input in the order in which they are first used, with the input's format and notes.
fn objects(
    split: &SplitOperation<'_>,
    input: &Input,
) -> Result<(Vec<Object>, Format, Vec<String>), VerifyError> {
    let mut trace = input.open()?;
    let mut objects: Vec<Object> = Vec::new();
    let mut known: FxHashMap<Value, usize> = FxHashMap::default();
    while let Some(operation) = trace.next_shared() {
        let operation = operation?;
        let (key, inner) = split(&operation)?;
        let at = *known.entry(key.clone()).or_insert_with(|| {
            objects.push(Object {
                key,
                operations: Vec::new(),
            });
            objects.len() - 1
        });
        objects[at].operations.push(Arc::new(inner));
    }
    let notes: Vec<String> = trace.notes().iter().map(ToString::to_string).collect();
    if objects.is_empty() {
        Err(VerifyError::empty(&input.name, &notes))
    } else {
        Ok((objects, trace.format(), notes))
    }
}

/// Checks each key by itself. The report is that of the worst, with what became of all.
fn check_each(
    split: &SplitOperation<'_>,
    input: &Input,
    request: &CheckRequest,
    check: &dyn Fn(&Input, &CheckRequest) -> Evidence,
) -> Evidence {
    let started = Instant::now();
    let (objects, format, notes) = match objects(split, input) {
        Ok(read) => read,
        Err(error) => {
            let empty = Input::of_operations(input.name.clone(), Arc::from([]), Format::Ndjson);
            let mut report = check(
                &empty,
                &CheckRequest {
                    witness: None,
                    ..request.clone()
                },
            );
            report.fail(error.to_string());
            return report;
        }
    };
    let mut worst: Option<Evidence> = None;
    let mut keys = Vec::with_capacity(objects.len());
    let mut figures: Option<Figures> = None;
    let mut aborted = 0;
    for (number, object) in objects.into_iter().enumerate() {
        let key = object.name();
        let name = format!("{} (key {key})", input.name);
        let part = Input::of_operations(name, object.operations.into(), format);
        let mut request = in_time(request, started);
        request.witness = request.witness.map(|file| witness_of_key(&file, number, &key));
        let report = check(&part, &request);
        if report.verdict != Verdict::Error {
            match &mut figures {
                Some(sum) => sum.add(&report.figures),
                None => figures = Some(report.figures.clone()),
            }
        }
        aborted += report.figures.aborted;
        keys.push(KeyVerdict {
            key,
            verdict: report.verdict,
            ops: report.figures.ops,
        });
        if worst.as_ref().is_none_or(|worst| worst.verdict < report.verdict) {
            worst = Some(report);
        }
    }
    let Some(mut report) = worst else {
        unreachable!("an input without keys was refused above");
    };
    if report.verdict == Verdict::Valid {
        report.input.clone_from(&input.name);
    }
    if let Some(figures) = figures.filter(|_| report.verdict != Verdict::Error) {
        report.figures = Figures {
            threads: report.figures.threads,
            decided_by: report.figures.decided_by,
            replayed: report.figures.replayed,
            ..figures
        };
    }
    report.figures.aborted = aborted;
    report.keys = keys;
    report.notes = notes
        .into_iter()
        .chain(std::mem::take(&mut report.notes))
        .collect();
    report.figures.seconds = started.elapsed().as_secs_f64();
    report
}

/// The file for the order of one key: `w-0-x.ndjson` for the first key, `x`, and `w.ndjson`. Keys can be any value, so what is no
/// letter or digit is left out, and the number keeps the names apart.
fn witness_of_key(file: &Path, number: usize, key: &str) -> PathBuf {
    let name = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let (stem, extension) = name.split_at(name.find('.').unwrap_or(name.len()));
    let key: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(KEY_IN_FILE_NAME_MAX)
        .collect();
    let key = if key.is_empty() { key } else { format!("-{key}") };
    file.with_file_name(format!("{stem}-{number}{key}{extension}"))
}

/// Characters of a key in the name of a file.
const KEY_IN_FILE_NAME_MAX: usize = 32;

/// The request with the time that is left for it.
fn in_time(request: &CheckRequest, started: Instant) -> CheckRequest {
    let limits = request.options.limits;
    let time = limits.time.map(|time| time.saturating_sub(started.elapsed()));
    CheckRequest {
        options: Options {
            limits: Limits { time, ..limits },
            ..request.options
        },
        ..request.clone()
    }
}
