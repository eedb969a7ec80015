//! `omnilink trace show`: some operations of a trace, drawn or listed.

use std::path::PathBuf;

use clap::Args;
use omnilink_engine::LimitWatch;
use omnilink_evidence::ThreadName;
use omnilink_report::{Bar, Look, Mark, Tone, draw};
use omnilink_trace::{Operation, Time};
use omnilink_value::Value;
use omnilink_verify::{Input, VerifyError, after_reading, limit_text, opened};

use super::reading::{Reading, print_notes};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::limits::LimitArgs;
use crate::output::{self, Drawing, Output};

/// Draw operations of a trace, one row per thread.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ShowArgs {
    /// A file, a directory of one file per thread, or - for standard input
    trace: PathBuf,
    /// Only operations that were still running at this time or began later
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    from: Option<Time>,
    /// Only operations that had begun by this time
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    to: Option<Time>,
    /// Only operations of this thread; may be given several times
    #[arg(long, value_name = "THREAD")]
    thread: Vec<String>,
    /// Only operations of this name; may be given several times
    #[arg(long, value_name = "NAME")]
    op: Vec<String>,
    /// At most this many operations
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit: usize,
    /// List the operations, one a line, instead of drawing them
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    drawing: Drawing,
}

const EXAMPLES: &str = "\
Examples:
  omnilink trace show history.ndjson --limit 20
  omnilink trace show history.ndjson --from 1200 --to 1500 --thread 3 --thread 4
  omnilink trace show history.ndjson --op dequeue --list";

pub(super) fn run(args: &ShowArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    interrupt::listen();
    let input = Input::new(&args.trace, args.reading.options(), Some(interrupt::flag()))?;
    let _limits = args.limits.limits().begin();
    let mut trace = opened(input.open_once())?;
    let mut shown: Vec<Operation> = Vec::new();
    let mut is_cut = false;
    let mut watch = LimitWatch::new(args.limits.limits());
    let mut operations = 0;
    let mut limit = None;
    for operation in trace.by_ref() {
        let operation = match after_reading(operation, &mut operations, &mut watch) {
            Err(VerifyError::Limit { limit: reached, .. }) => {
                limit = Some(reached);
                break;
            }
            operation => operation?,
        };
        if args.to.is_some_and(|to| operation.timebox.start > to) {
            break;
        }
        if args.takes(&operation) {
            if shown.len() == args.limit {
                is_cut = true;
                break;
            }
            shown.push(operation);
        }
    }
    print_notes(&trace);
    if args.list {
        for operation in &shown {
            out.print(&line(operation, &look))?;
            if out.is_closed() {
                break;
            }
        }
    } else {
        out.print(&drawing(&shown, &look))?
    }
    if let Some(limit) = limit {
        output::note(&format!(
            "{}: these are the operations until then",
            limit_text(limit)
        ));
        return Ok(Exit::Unknown);
    }
    if shown.is_empty() {
        output::note(&"no operation matches; `omnilink trace stats` tells times, threads and names");
    }
    if is_cut {
        output::note(&format!(
            "more operations match; these are the first {}: see --limit",
            args.limit
        ));
    }
    Ok(Exit::Valid)
}

impl ShowArgs {
    fn takes(&self, operation: &Operation) -> bool {
        let is_over = |from: Time| operation.timebox.end.is_some_and(|end| end < from);
        let is_one_of =
            |names: &[String], name: &str| names.is_empty() || names.iter().any(|given| given == name);
        !self.from.is_some_and(is_over)
            && is_one_of(&self.op, &operation.name)
            && is_one_of(&self.thread, &thread_name(&operation.thread))
    }
}

/// The thread as the trace has it; texts without quotes.
pub(crate) fn thread_name(thread: &Value) -> String {
    thread.as_str().map_or_else(|| thread.to_string(), str::to_owned)
}

fn drawing(operations: &[Operation], look: &Look) -> String {
    let bar = |operation: &Operation| Bar {
        thread: ThreadName::Name(thread_name(&operation.thread)),
        text: operation.to_string(),
        timebox: operation.timebox,
        mark: Mark::Plain,
    };
    let bars: Vec<Bar> = operations.iter().map(bar).collect();
    draw(&bars, look)
}

fn line(operation: &Operation, look: &Look) -> String {
    let end = operation
        .timebox
        .end
        .map_or_else(|| "pending".to_owned(), |end| end.to_string());
    let text = operation.to_string();
    let thread = thread_name(&operation.thread);
    let place = operation.location.to_string();
    format!(
        "{:>12} {end:>12}  {:8}  {}  {}\n",
        operation.timebox.start,
        look.clean(&thread),
        look.clean(&text),
        look.paint(Tone::Faint, &look.clean(&place)),
    )
}
