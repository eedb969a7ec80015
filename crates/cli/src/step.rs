//! `omnilink step`: a conversation with a specification, one JSON object per line.

use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use omnilink_drive::{FollowError, Stepper};
use omnilink_mc::{ExplorerOptions, SearchLimits, SearchProgress, State, explore};
use omnilink_report::Look;
use omnilink_tla::eval::{Evaluator, SilentSession};
use omnilink_tla::model::CompiledSpec;
use omnilink_value::Value;

use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Output;
use crate::quantity;
use crate::spec_args::{SpecArgs, named_expression};

/// What it is for.
pub(crate) const ABOUT: &str =
    "Step through a TLA+ specification from another program, one JSON object per line";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct StepArgs {
    #[command(flatten)]
    spec: SpecArgs,
    /// Read questions from standard input, and answer on standard output
    #[arg(long, required = true)]
    stdio: bool,
    /// An expression over states that observations may name; may be given several times
    #[arg(long, value_name = "NAME=EXPR", value_parser = named_expression)]
    observe: Vec<(String, String)>,
    /// How many states may be possible at a time
    #[arg(long, value_name = "N", default_value = "10000", value_parser = quantity::count)]
    states_max: u64,
    /// Answer with an error after this much time in all: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    time_limit: Option<std::time::Duration>,
    /// Answer with an error rather than take more memory: 512MB, 2GB
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    memory_limit: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  omnilink step Spec.tla --stdio
  omnilink step examples/drive/rwlock/ReadersWriters.tla --stdio <<'END'
  {\"op\": \"enabled\"}
  {\"op\": \"take\", \"action\": \"TryRead\", \"parameters\": {\"actor\": 1}}
  {\"op\": \"observe\", \"state\": {\"readers\": [1]}, \"within\": 3}
  {\"op\": \"eval\", \"expr\": \"Cardinality(readers)\"}
  {\"op\": \"undo\"}
  END

docs/step.md describes the questions and the answers. Exit codes: 0 goodbye; 2 the specification cannot be explored.";

/// Longer questions are refused.
const LINE_MAX: u64 = 64 << 20;

/// Runs the command.
pub(crate) fn run(args: &StepArgs) -> Result<Exit, CliError> {
    let expressions: Vec<String> = args.observe.iter().map(|(_, text)| text.clone()).collect();
    let model = args.spec.build(&expressions)?;
    let observables = args.observe.iter().zip(&model.expressions);
    let observables: Vec<_> = observables
        .map(|((name, _), named)| (name.clone(), named.formula))
        .collect();
    let limits = SearchLimits {
        time: args.time_limit,
        memory_bytes: args.memory_limit.unwrap_or(SearchLimits::default().memory_bytes),
    };
    let options = ExplorerOptions {
        limits,
        ..ExplorerOptions::default()
    };
    let started = Instant::now();
    let left = || SearchLimits {
        time: limits.time.map(|time| time.saturating_sub(started.elapsed())),
        ..limits
    };
    let states_max = usize::try_from(args.states_max).unwrap_or(usize::MAX);
    let evaluations = Evaluations::new(&args.spec);
    let evaluate = |expression: &str, state: &State| evaluations.value(expression, state);
    let live = Arc::new(SearchProgress::default());
    let mut out = Output::new(&Look::plain());
    interrupt::listen();
    interrupt::tell(&live);
    let answered = explore(&model, &options, &live, &|text| eprintln!("{text}"), |explorer| {
        let beginning = left().begin();
        let mut stepper = Stepper::new(explorer, observables, states_max, &evaluate)?;
        drop(beginning);
        let mut input = std::io::stdin().lock();
        while let Some(line) = read_line(&mut input) {
            if line.trim().is_empty() {
                continue;
            }
            // Who waits for a question is not at work.
            let answering = left().begin();
            let answer = stepper.answer(explorer, &line);
            drop(answering);
            let Some(answer) = answer else {
                break;
            };
            if let Err(error) = out.print(&format!("{answer}\n")) {
                return Ok(Err(error));
            }
            if out.is_closed() || interrupt::is_raised() {
                break;
            }
        }
        Ok(Ok(()))
    })?;
    answered.map_err(|error: FollowError| CliError::Usage(error.to_string()))??;
    Ok(if interrupt::is_raised() {
        Exit::Interrupted
    } else {
        Exit::Valid
    })
}

/// The next line; `None` at the end of the input, or when someone presses Ctrl-C. Bytes that are no text are left to the answer.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    match input.take(LINE_MAX).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&line).into_owned()),
    }
}

/// Expressions that were asked for, each with a specification that defines it.
struct Evaluations<'a> {
    spec: &'a SpecArgs,
    known: Mutex<HashMap<String, Arc<CompiledSpec>>>,
}

/// This many expressions are kept.
const EXPRESSIONS_MAX: usize = 256;

impl<'a> Evaluations<'a> {
    fn new(spec: &'a SpecArgs) -> Self {
        Self {
            spec,
            known: Mutex::default(),
        }
    }

    fn value(&self, expression: &str, state: &State) -> Result<Value, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let model = match known.get(expression) {
            Some(model) => Arc::clone(model),
            None => {
                let model = self.spec.build(&[expression.to_owned()]);
                let model = Arc::new(model.map_err(|error| error.to_string())?);
                if known.len() == EXPRESSIONS_MAX {
                    known.clear();
                }
                known.insert(expression.to_owned(), Arc::clone(&model));
                model
            }
        };
        drop(known);
        let formula = model.expressions.first().map(|named| named.formula);
        let formula = formula.ok_or("there is no expression")?;
        let session = SilentSession::default().until(interrupt::is_raised);
        let mut evaluator = Evaluator::new(&model.program, &session);
        evaluator.set_state(state);
        let value = evaluator.value(formula);
        value.map_err(|failure| failure.render(&model.program.sources))
    }
}
