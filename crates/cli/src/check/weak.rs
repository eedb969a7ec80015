//! `omnilink check` for less than linearizability: levels, axioms, levels per method, and files of many histories.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use omnilink_consistency::{
    Answer, Guarantee, Isolation, Judgement, MethodLevels, OpSet, RecordedHistory, Ret, WeakOptions,
    infer_recorded, is_history_line, parse_axioms, read_histories,
};
use omnilink_engine::{Exhausted, Limits, Strategy, Watch};
use omnilink_link::{Collection, LinkOptions, Linked};
use omnilink_models::{Shipped, Visitor};
use omnilink_report::{Look, WeakReport};
use omnilink_trace::Operation;

use super::bench::{Bench, Isolated, ShippedBench, SpecBench, weak_error};
use super::keyed::{self, KeyedArg, Pieces};
use super::session::nothing_returned;
use super::subject::{ShippedSubject, SpecSubject, Subject};
use super::weak_jobs::{self, Answered};
use crate::error::CliError;
use crate::exit::Exit;
use crate::input::Input;
use crate::interrupt;
use crate::limit::{after_reading, opened};
use crate::new_file::NewFile;
use crate::output::{self, Output};
use crate::peak::peak_bytes;

/// What is asked beyond a level's name.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct WeakArgs {
    /// Check the axioms in this file: see docs/consistency.md
    #[arg(long, value_name = "FILE", help_heading = WEAK, conflicts_with_all = ["consistency", "levels", "infer"])]
    axioms: Option<PathBuf>,
    /// Check each method at the level that this file gives it
    #[arg(long, value_name = "FILE", help_heading = WEAK, conflicts_with_all = ["consistency", "infer"])]
    levels: Option<PathBuf>,
    /// Find the strongest level of each method that all histories satisfy
    #[arg(long, help_heading = WEAK, conflicts_with = "consistency")]
    infer: bool,
    /// Whose returns must follow from what is seen: own (the operation's) or all (those of all it sees, too)
    #[arg(long, value_name = "READING", default_value = "own", help_heading = WEAK)]
    ret: Ret,
}

const WEAK: &str = "Weak consistency";

/// What to do with the histories.
#[derive(Clone, Debug)]
enum Task {
    Judge(Guarantee),
    Infer,
}

impl Task {
    fn name(&self) -> String {
        match self {
            Self::Judge(question) => question.name(),
            Self::Infer => "inferred".to_owned(),
        }
    }
}

/// What does not depend on the question: where histories come from, and where answers go.
pub(super) struct Desk<'a> {
    /// The model or the specification, as the user named it.
    pub(super) model_name: &'a str,
    pub(super) inputs: &'a [Input],
    /// Whether values are pairs of a key and a value, if the user says.
    pub(super) keyed: Option<KeyedArg>,
    pub(super) limits: Limits,
    pub(super) strategy: Option<Strategy>,
    pub(super) jobs: NonZeroUsize,
    /// Whether threads are labels.
    pub(super) is_async: bool,
    pub(super) is_json: bool,
    pub(super) evidence: Option<&'a Path>,
    pub(super) witness: Option<&'a Path>,
    pub(super) look: &'a Look,
    pub(super) out: &'a mut Output,
}

/// How histories are read.
#[derive(Clone, Copy)]
struct Reading {
    /// Whether threads are labels.
    is_async: bool,
    limits: Limits,
}

impl Desk<'_> {
    fn reading(&self) -> Reading {
        Reading {
            is_async: self.is_async,
            limits: self.limits,
        }
    }
}

/// Weak consistency, once it is known to be asked for.
pub(super) struct Weak<'a> {
    task: Task,
    ret: Ret,
    desk: Desk<'a>,
    /// The file of `--evidence`, and what goes into it.
    evidence: Option<NewFile<'a>>,
    lines: String,
    /// The file of `--witness`, and the valid answers, which go into it.
    witness: Option<NewFile<'a>>,
    valid: String,
    worst: Exit,
}

/// A weak check, or the desk given back.
pub(super) enum Asked<'a> {
    Weak(Weak<'a>),
    /// Plain linearizability or sequential consistency of timeboxes is asked for: the engine's own.
    Engine(Desk<'a>),
}

/// The text of a file that the user named.
fn read(path: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(path)
        .map_err(|error| CliError::Usage(format!("{}: {error}; give a text file", path.display())))
}

/// Whether the file holds histories, one a line, rather than a trace.
fn holds_histories(input: &Input) -> bool {
    let Ok(bytes) = input.bytes_from_start() else {
        return false;
    };
    // A line of a trace is short; what is not text, or has no line end in sight, is something else.
    let mut line = Vec::new();
    let mut head = std::io::Read::take(BufReader::new(bytes), 1 << 20);
    let read = head.read_until(b'\n', &mut line);
    read.is_ok() && std::str::from_utf8(&line).is_ok_and(is_history_line)
}

/// Whether a trace tells what happened before what by other means than timeboxes, which are all that the engine reads.
///
/// Clocks and counters are on every operation or count for nothing; pairs may be on any. Only what a search could be given is
/// looked at: a long trace is not read through, and a pipe not held up.
fn tells_its_own_order(input: &Input) -> bool {
    if input.bytes().is_none_or(|bytes| bytes > SEARCHED_BYTES_MAX) {
        return false;
    }
    input.has_among_first(OpSet::CAPACITY, |position, op| {
        let has = |field: &str| op.meta.as_ref().is_some_and(|meta| meta.field(field).is_some());
        let has_clock = op.clock.as_ref().is_some_and(|clock| clock.as_record().is_some());
        has("after") || position == 0 && (has("call_pcs") || has_clock)
    })
}

/// More than any history that can be searched takes, unless its values are enormous.
const SEARCHED_BYTES_MAX: u64 = 1 << 22;

impl<'a> Weak<'a> {
    /// Finds out what is asked.
    pub(super) fn asked(args: &WeakArgs, consistency: &str, desk: Desk<'a>) -> Result<Asked<'a>, CliError> {
        let bad = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
        let mut is_engines = false;
        let task = if args.infer {
            Task::Infer
        } else if let Some(path) = &args.axioms {
            let criterion =
                parse_axioms(&path.display().to_string(), &read(path)?).map_err(|error| bad(&error))?;
            Task::Judge(Guarantee::Axioms(criterion))
        } else if let Some(path) = &args.levels {
            let levels = MethodLevels::parse(&path.display().to_string(), &read(path)?)
                .map_err(|error| bad(&error))?;
            Task::Judge(Guarantee::Levels(levels))
        } else {
            is_engines = matches!(consistency, "linearizable" | "sequential")
                && !desk.inputs.iter().any(holds_histories)
                && !desk.inputs.iter().any(tells_its_own_order);
            Task::Judge(Guarantee::from_name(consistency).map_err(|error| bad(&error))?)
        };
        if is_engines {
            return Ok(Asked::Engine(desk));
        }
        Ok(Asked::Weak(Self {
            task,
            ret: args.ret,
            evidence: desk.evidence.map(NewFile::check).transpose()?,
            witness: desk.witness.map(NewFile::check).transpose()?,
            desk,
            lines: String::new(),
            valid: String::new(),
            worst: Exit::Valid,
        }))
    }

    /// Whether the histories are looked at together.
    pub(super) fn infers(&self) -> bool {
        matches!(self.task, Task::Infer)
    }

    /// The level at which transactions are to be isolated, if that is asked.
    pub(super) fn isolation(&self) -> Option<Isolation> {
        match self.task {
            Task::Judge(Guarantee::Isolation(isolation)) => Some(isolation),
            _ => None,
        }
    }

    /// Checks transactions, which need no model.
    pub(super) fn check_transactions(mut self, isolation: Isolation) -> Result<Exit, CliError> {
        let limits = self.desk.limits;
        let inputs = 0..self.desk.inputs.len();
        let reading = self.desk.reading();
        self.judge_inputs(inputs, &Isolated { isolation, limits }, &|input| {
            histories(input, reading)
        })?;
        self.finish()
    }

    /// Checks every input against a specification.
    pub(super) fn check_spec(
        mut self,
        spec: &Path,
        options: &LinkOptions,
        collection: &Collection,
    ) -> Result<Exit, CliError> {
        let inputs = 0..self.desk.inputs.len();
        if collection.is_empty() {
            let linked = Linked::load(spec, options)?;
            self.check_linked(inputs, &linked)?;
            return self.finish();
        }
        // What is collected differs from input to input, and so does what the spec says.
        for index in inputs {
            match self.collected(index, spec, options, collection) {
                Ok(linked) => self.check_linked(index..index + 1, &linked)?,
                Err(error) => self.tell_error(index, &error)?,
            }
        }
        self.finish()
    }

    /// The spec with what one input tells about its constants.
    fn collected(
        &self,
        index: usize,
        spec: &Path,
        options: &LinkOptions,
        collection: &Collection,
    ) -> Result<Linked, CliError> {
        let mut collection = collection.clone();
        for recorded in histories(&self.desk.inputs[index], self.desk.reading())?.each {
            recorded?.ops.iter().for_each(|op| collection.observe(op));
        }
        let mut options = options.clone();
        options.collected = collection.finish().0;
        Ok(Linked::load(spec, &options)?)
    }

    fn check_linked(&mut self, inputs: Range<usize>, linked: &Linked) -> Result<(), CliError> {
        let (options, reading) = (self.options(), self.desk.reading());
        match self.task.clone() {
            Task::Judge(question) => {
                let bench = SpecBench {
                    linked,
                    question,
                    options,
                };
                self.judge_inputs(inputs, &bench, &|input| histories(input, reading))
            }
            Task::Infer => self.infer_inputs(inputs, &|input| histories(input, reading), |histories| {
                let judged = linked.run(|model| {
                    let subject = SpecSubject { linked, model };
                    infer_recorded(model, histories, &subject, &options).map_err(weak_error)
                });
                judged?
            }),
        }
    }

    fn options(&self) -> WeakOptions {
        WeakOptions {
            ret: self.ret,
            limits: self.desk.limits,
            strategy: self.desk.strategy,
            ..WeakOptions::default()
        }
    }

    /// Has every history of some inputs judged by itself. An input that cannot be judged does not keep the others from it.
    fn judge_inputs(
        &mut self,
        inputs: Range<usize>,
        bench: &dyn Bench,
        read: &Read<'_>,
    ) -> Result<(), CliError> {
        let (jobs, opened) = (self.desk.jobs, self.desk.inputs);
        let notes: RefCell<BTreeMap<usize, Vec<String>>> = RefCell::default();
        let each = inputs.flat_map(|index| {
            let each: Box<dyn Iterator<Item = _>> = match read(&opened[index]) {
                Ok(histories) => {
                    notes.borrow_mut().insert(index, histories.notes);
                    histories.each
                }
                Err(error) => Box::new(std::iter::once(Err(error))),
            };
            each.map(move |recorded| (index, recorded))
        });
        let mut failed = None;
        weak_jobs::judge_all(bench, jobs, each, |index, answer| match answer {
            // After a history that makes no sense, nothing is said about the rest of its input.
            _ if failed == Some(index) => Ok(()),
            Ok(Answered { judgement, took }) => {
                let notes = notes.borrow().get(&index).cloned().unwrap_or_default();
                self.tell(index, judgement, &notes, took)
            }
            Err(error) => {
                failed = Some(index);
                self.tell_error(index, &error)
            }
        })
    }

    /// Has the histories of each input judged together.
    fn infer_inputs(
        &mut self,
        inputs: Range<usize>,
        read: &Read<'_>,
        infer: impl Fn(&[RecordedHistory]) -> Result<Judgement, CliError>,
    ) -> Result<(), CliError> {
        for index in inputs {
            let started = Instant::now();
            let judged = read(&self.desk.inputs[index]).and_then(|Histories { notes, each }| {
                let histories: Vec<RecordedHistory> = each.collect::<Result<_, _>>()?;
                Ok((infer(&histories)?, notes))
            });
            match judged {
                Ok((judgement, notes)) => self.tell(index, judgement, &notes, started.elapsed())?,
                Err(error) => self.tell_error(index, &error)?,
            }
        }
        Ok(())
    }

    /// Writes the evidence; what all answers come to.
    fn finish(self) -> Result<Exit, CliError> {
        if let Some(file) = self.evidence {
            file.write(self.lines.as_bytes())?;
        }
        match self.witness {
            Some(file) if !self.valid.is_empty() => file.write(self.valid.as_bytes())?,
            Some(_) => output::note(&"there is no explanation, so no witness was written"),
            None => {}
        }
        Ok(self.worst)
    }

    fn tell(
        &mut self,
        index: usize,
        judgement: Judgement,
        notes: &[String],
        took: Duration,
    ) -> Result<(), CliError> {
        let exit = match judgement.verdict() {
            "valid" => Exit::Valid,
            "violation" => Exit::Violation,
            _ => Exit::Unknown,
        };
        let report = WeakReport {
            input: self.desk.inputs[index].name.clone(),
            model: self.desk.model_name.to_owned(),
            judgement,
            seconds: took.as_secs_f64(),
            peak_bytes: peak_bytes(),
            notes: notes.to_vec(),
        };
        if self.witness.is_some() && exit == Exit::Valid {
            self.valid.push_str(&report.to_json());
            self.valid.push('\n');
        }
        if self.desk.is_json {
            self.print_json(&report.to_json())?;
        } else {
            notes.iter().for_each(|note| output::note(note));
            self.desk.out.print(&report.to_text(self.desk.look))?;
            if self.desk.evidence.is_some() {
                self.keep_evidence(&report.to_json());
            }
        }
        self.worst = self.worst.max(exit);
        Ok(())
    }

    fn tell_error(&mut self, index: usize, error: &CliError) -> Result<(), CliError> {
        if let CliError::Limit { limit, operations } = error {
            let judgement = Judgement {
                id: self.desk.inputs[index].name.clone(),
                question: self.task.name(),
                answer: Answer::Unread {
                    operations: *operations as usize,
                    limit: *limit,
                },
            };
            return self.tell(index, judgement, &[], Duration::ZERO);
        }
        output::error(error);
        let name = &self.desk.inputs[index].name;
        let failed =
            serde_json::json!({ "input": name, "verdict": "error", "error": error.to_string() }).to_string();
        match self.desk.is_json {
            true => self.print_json(&failed)?,
            false => self.keep_evidence(&failed),
        }
        self.worst = self.worst.max(Exit::BadInput);
        Ok(())
    }

    fn print_json(&mut self, line: &str) -> Result<(), CliError> {
        self.keep_evidence(line);
        self.desk.out.print(&format!("{line}\n"))
    }

    fn keep_evidence(&mut self, line: &str) {
        if self.desk.evidence.is_some() {
            self.lines.push_str(line);
            self.lines.push('\n');
        }
    }
}

impl Visitor for Weak<'_> {
    type Output = Result<Exit, CliError>;

    fn visit<M: Shipped>(mut self, model: M) -> Result<Exit, CliError> {
        let (keyed, reading, by_key) = (self.desk.keyed, self.desk.reading(), model.clone());
        let read: &Read<'_> = &|input| keyed_histories(&by_key, keyed, input, reading);
        let subject = ShippedSubject { model };
        let (inputs, options) = (0..self.desk.inputs.len(), self.options());
        match self.task.clone() {
            Task::Judge(question) => {
                let bench = ShippedBench {
                    subject,
                    question,
                    options,
                };
                self.judge_inputs(inputs, &bench, read)?;
            }
            Task::Infer => self.infer_inputs(inputs, read, |histories| {
                infer_recorded(subject.model(), histories, &subject, &options).map_err(weak_error)
            })?,
        }
        self.finish()
    }
}

/// The histories of one input, as they are read.
struct Histories<'a> {
    /// What a person should be told about the input.
    notes: Vec<String>,
    each: Box<dyn Iterator<Item = Result<RecordedHistory, CliError>> + 'a>,
}

/// How the histories of an input are read.
type Read<'a> = dyn for<'i> Fn(&'i Input) -> Result<Histories<'i>, CliError> + 'a;

/// The histories of one input for a shipped model: one for each key, where values are keyed.
fn keyed_histories<'a, M: Shipped>(
    model: &M,
    keyed: Option<KeyedArg>,
    input: &'a Input,
    reading: Reading,
) -> Result<Histories<'a>, CliError> {
    if holds_histories(input) {
        return histories(input, reading);
    }
    let Some(Pieces { each, notes }) = keyed::pieces(model, keyed, input)? else {
        return histories(input, reading);
    };
    let each = each.into_iter().map(move |(name, operations)| {
        let recorded =
            RecordedHistory::from_operations(&name, operations).map_err(|error| weak_error(error.into()))?;
        Ok(match reading.is_async {
            true => recorded.with_async_threads(),
            false => recorded,
        })
    });
    Ok(Histories {
        notes,
        each: Box::new(each),
    })
}

/// The histories of one input: all of a file of histories, or the one that a trace is.
fn histories(input: &Input, reading: Reading) -> Result<Histories<'_>, CliError> {
    let histories = read_all(input, reading.limits)?;
    if !reading.is_async {
        return Ok(histories);
    }
    let each = histories
        .each
        .map(|recorded| recorded.map(RecordedHistory::with_async_threads));
    Ok(Histories {
        each: Box::new(each),
        ..histories
    })
}

fn read_all(input: &Input, limits: Limits) -> Result<Histories<'_>, CliError> {
    if holds_histories(input) {
        let bytes = input.bytes_from_start().map_err(|error| {
            CliError::Usage(format!("{}: {error}; give a file that can be read", input.name))
        })?;
        let histories = read_histories(&input.name, BufReader::new(bytes));
        let mut is_stopped = false;
        let each = histories.map_while(move |recorded| {
            if is_stopped {
                return None;
            }
            is_stopped = interrupt::is_raised();
            Some(match is_stopped {
                true => Err(CliError::Limit {
                    limit: Exhausted::Interrupt,
                    operations: 0,
                }),
                false => recorded.map_err(|error| weak_error(error.into())),
            })
        });
        return Ok(Histories {
            notes: Vec::new(),
            each: Box::new(each),
        });
    }
    let mut trace = opened(input.open_once())?;
    let mut watch = Watch::new(limits);
    let mut count = 0;
    let mut operations: Vec<Operation> = Vec::new();
    for read in trace.by_ref() {
        operations.push(after_reading(read, &mut count, &mut watch)?);
    }
    if operations.is_empty() {
        let notes: Vec<String> = trace.notes().iter().map(ToString::to_string).collect();
        return Err(CliError::empty(&input.name, &notes));
    }
    let mut notes: Vec<String> = trace.notes().iter().map(ToString::to_string).collect();
    let has_returned = |operation: &Operation| !operation.aborted && !operation.timebox.is_pending();
    if !operations.iter().any(has_returned) {
        notes.push(nothing_returned(&input.name));
    }
    let recorded = RecordedHistory::from_operations(&input.name, operations);
    let recorded = recorded.map_err(|error| weak_error(error.into()));
    Ok(Histories {
        notes,
        each: Box::new(std::iter::once(recorded)),
    })
}
