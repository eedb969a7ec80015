//! `omnilink check` for less than linearizability: levels, axioms, levels per method, and files of many histories.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use omnilink_consistency::{
    JudgeError, Judgement, MethodLevels, Question, Recorded, Ret, WeakChecker, WeakOptions, is_history_line,
    judge, judge_together, parse_axioms, read_histories,
};
use omnilink_engine::Limits;
use omnilink_models::{Decoded, Shipped, Visitor};
use omnilink_trace::Operation;
use omnilink_value::Value;

use crate::error::CliError;
use crate::exit::Exit;
use crate::input::Input;
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
#[derive(Debug)]
enum Task {
    Judge(Question),
    Infer,
}

/// Weak consistency, once it is known to be asked for.
pub(super) struct Weak<'a> {
    task: Task,
    ret: Ret,
    limits: Limits,
    paths: &'a [PathBuf],
    inputs: &'a [Input],
    is_json: bool,
    out: &'a mut Output,
}

/// The text of a file that the user named.
fn read(path: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(path)
        .map_err(|error| CliError::Usage(format!("{}: {error}; give a text file", path.display())))
}

/// Whether the file holds histories, one a line, rather than a trace.
fn holds_histories(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    // A line of a trace is short; what is not text, or has no line end in sight, is something else.
    let mut line = Vec::new();
    let mut head = std::io::Read::take(BufReader::new(file), 1 << 20);
    let read = head.read_until(b'\n', &mut line);
    read.is_ok() && std::str::from_utf8(&line).is_ok_and(is_history_line)
}

impl<'a> Weak<'a> {
    /// `None` if plain linearizability or sequential consistency of traces is asked for: the engine's own.
    pub(super) fn asked(
        args: &WeakArgs,
        consistency: &str,
        limits: Limits,
        (paths, inputs): (&'a [PathBuf], &'a [Input]),
        is_json: bool,
        out: &'a mut Output,
    ) -> Result<Result<Self, &'a mut Output>, CliError> {
        let bad = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
        let task = if args.infer {
            Task::Infer
        } else if let Some(path) = &args.axioms {
            let criterion =
                parse_axioms(&path.display().to_string(), &read(path)?).map_err(|error| bad(&error))?;
            Task::Judge(Question::Axioms(criterion))
        } else if let Some(path) = &args.levels {
            let levels = MethodLevels::parse(&path.display().to_string(), &read(path)?)
                .map_err(|error| bad(&error))?;
            Task::Judge(Question::Levels(levels))
        } else {
            Task::Judge(Question::from_name(consistency).map_err(|error| bad(&error))?)
        };
        let is_engines = !args.infer
            && args.axioms.is_none()
            && args.levels.is_none()
            && matches!(consistency, "linearizable" | "sequential")
            && !paths.iter().any(|path| holds_histories(path));
        if is_engines {
            return Ok(Err(out));
        }
        Ok(Ok(Self {
            task,
            ret: args.ret,
            limits,
            paths,
            inputs,
            is_json,
            out,
        }))
    }
}

impl Visitor for Weak<'_> {
    type Output = Result<Exit, CliError>;

    fn visit<M: Shipped>(mut self, model: M) -> Result<Exit, CliError> {
        let mut worst = Exit::Valid;
        for index in 0..self.inputs.len() {
            let exit = match self.input(&model, index) {
                Ok(exit) => exit,
                Err(error) => {
                    output::error(&error);
                    if self.is_json {
                        let name = &self.inputs[index].name;
                        let failed = serde_json::json!({ "input": name, "verdict": "error", "error": error.to_string() });
                        self.out.print(&format!("{failed}\n"))?;
                    }
                    Exit::BadInput
                }
            };
            worst = worst.max(exit);
        }
        Ok(worst)
    }
}

/// The histories of one input, as they are read.
type Histories<'a> = Box<dyn Iterator<Item = Result<Recorded, CliError>> + 'a>;

impl<'a> Weak<'a> {
    fn input<M: Shipped>(&mut self, model: &M, index: usize) -> Result<Exit, CliError> {
        let options = WeakOptions {
            ret: self.ret,
            limits: self.limits,
            ..WeakOptions::default()
        };
        let decode = |op: &Operation| {
            model.decode(op).map(|decoded| match decoded {
                Decoded::Op(op) => Some(op),
                Decoded::DidNotHappen => None,
            })
        };
        let histories = self.histories(index)?;
        let methods: Vec<&str> = M::ENTRY.ops.iter().map(|op| op.name).collect();
        let question = match &self.task {
            Task::Judge(question) => question.clone(),
            Task::Infer => {
                let started = Instant::now();
                let histories: Vec<Recorded> = histories.collect::<Result<_, _>>()?;
                let answer = judge_together(model, &histories, decode, &options).map_err(weak_error)?;
                return self.tell(index, &answer, None, started);
            }
        };
        let mut checker = WeakChecker::new(model);
        let mut worst = Exit::Valid;
        for recorded in histories {
            let started = Instant::now();
            let recorded = recorded?;
            let answer =
                judge(&mut checker, &recorded, decode, &methods, &question, &options).map_err(weak_error)?;
            worst = worst.max(self.tell(index, &answer, Some(&recorded), started)?);
        }
        Ok(worst)
    }

    /// The histories of one input: all of a file of histories, or the one that a trace is.
    fn histories(&self, index: usize) -> Result<Histories<'a>, CliError> {
        let (paths, inputs) = (self.paths, self.inputs);
        let (path, input) = (&paths[index], &inputs[index]);
        if holds_histories(path) {
            let file = File::open(path).map_err(|error| {
                CliError::Usage(format!("{}: {error}; give a file that can be read", input.name))
            })?;
            let histories = read_histories(&input.name, BufReader::new(file));
            return Ok(Box::new(
                histories.map(|recorded| recorded.map_err(|error| weak_error(error.into()))),
            ));
        }
        let operations = input.open()?.collect::<Result<Vec<Operation>, _>>()?;
        if operations.is_empty() {
            return Err(CliError::Empty(input.name.clone()));
        }
        let recorded = Recorded::from_operations(&input.name, operations);
        Ok(Box::new(std::iter::once(
            recorded.map_err(|error| weak_error(error.into())),
        )))
    }

    fn tell(
        &mut self,
        index: usize,
        answer: &Judgement,
        recorded: Option<&Recorded>,
        started: Instant,
    ) -> Result<Exit, CliError> {
        if self.is_json {
            let mut object = vec![
                ("input".to_owned(), Value::str(&self.inputs[index].name)),
                ("verdict".to_owned(), Value::str(answer.verdict)),
            ];
            let fields = answer
                .json
                .as_record()
                .into_iter()
                .flat_map(|record| record.iter());
            object.extend(fields.map(|(name, value)| (name.to_owned(), value.clone())));
            let mut json: serde_json::Value =
                serde_json::from_str(&Value::record(object).to_json()).unwrap_or_default();
            json["seconds"] = serde_json::json!(started.elapsed().as_secs_f64());
            json["peak_bytes"] = serde_json::json!(peak_bytes());
            if let Some(recorded) = recorded {
                json["ops"] = serde_json::json!(recorded.ops.len());
            }
            self.out.print(&format!("{json}\n"))?;
        } else {
            self.out.print(&answer.text)?;
        }
        Ok(match answer.verdict {
            "valid" => Exit::Valid,
            "violation" => Exit::Violation,
            _ => Exit::Unknown,
        })
    }
}

fn weak_error(error: JudgeError) -> CliError {
    CliError::Usage(error.to_string())
}
