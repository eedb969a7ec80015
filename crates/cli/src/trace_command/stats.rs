//! `omnilink trace stats`: what a trace is like, as a table or as JSON.

use std::path::PathBuf;

use clap::Args;
use omnilink_engine::{Limit, LimitWatch};
use omnilink_report::{Look, Tone, count};
use omnilink_trace::{Statistics, Trace};
use omnilink_verify::{Input, VerifyError, after_reading, limit_text, opened};
use serde::Serialize;

use super::reading::{Reading, print_notes};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::limits::LimitArgs;
use crate::output::{self, Output};

/// Tell what is in traces: operations, threads, overlap, the longest timeboxes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatsArgs {
    /// Files, directories of one file per thread, or - for standard input; each is counted by itself
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<PathBuf>,
    /// Print one JSON object per trace
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    limits: LimitArgs,
}

const EXAMPLES: &str = "\
Examples:
  omnilink trace stats history.ndjson
  omnilink trace stats run-*.msgpack.zst --json";

#[derive(Serialize)]
struct JsonStats<'a> {
    input: &'a str,
    /// Absent if a limit was reached before it was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a str>,
    #[serde(flatten)]
    statistics: &'a Statistics,
    notes: Vec<String>,
    /// The limit that was reached before the end of the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'static str>,
}

pub(super) fn run(args: &StatsArgs) -> Result<Exit, CliError> {
    let look = output::look(false);
    let mut out = Output::new(&look);
    let mut worst = Exit::Valid;
    for input in Input::all(&args.traces, &args.reading.options(), Some(interrupt::flag()))? {
        match measure(&input, &args.limits) {
            Ok(Measured {
                trace,
                statistics,
                limit,
            }) => {
                if limit.is_some() {
                    worst = worst.max(Exit::Unknown);
                }
                if args.json {
                    out.print(&json(&input, trace.as_ref(), &statistics, limit))?;
                    continue;
                }
                trace.iter().for_each(print_notes);
                if let Some(limit) = limit {
                    output::note(&format!(
                        "{}: these are the operations until then",
                        limit_text(limit)
                    ));
                }
                out.print(&table(&input.name, trace.as_ref(), &statistics, &look))?;
            }
            Err(error) => {
                output::error(&error);
                worst = worst.max(error.exit());
            }
        }
    }
    Ok(worst)
}

/// What a trace is like, as far as it was read.
struct Measured {
    /// `None` if a limit was reached before it was open.
    trace: Option<Trace>,
    statistics: Statistics,
    /// The limit that ended it.
    limit: Option<Limit>,
}

fn measure(input: &Input, limits: &LimitArgs) -> Result<Measured, CliError> {
    interrupt::listen();
    let _limits = limits.limits().begin();
    let mut watch = LimitWatch::new(limits.limits());
    let mut trace = match opened(input.open_once()) {
        Err(VerifyError::Limit { limit, .. }) => {
            return Ok(Measured {
                trace: None,
                statistics: Statistics::default(),
                limit: Some(limit),
            });
        }
        opened => opened?,
    };
    let mut limit = None;
    let mut operations = 0;
    let mut failed = None;
    let read = trace
        .by_ref()
        .map_while(|read| match after_reading(read, &mut operations, &mut watch) {
            Ok(operation) => Some(Ok(operation)),
            Err(VerifyError::Limit { limit: reached, .. }) => {
                limit = Some(reached);
                None
            }
            Err(error) => {
                failed = Some(error);
                None
            }
        });
    let statistics = Statistics::of(read)?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(Measured {
            trace: Some(trace),
            statistics,
            limit,
        }),
    }
}

fn json(input: &Input, trace: Option<&Trace>, statistics: &Statistics, limit: Option<Limit>) -> String {
    let stats = JsonStats {
        input: &input.name,
        format: trace.map(|trace| trace.format().name()),
        statistics,
        notes: trace
            .map(|trace| trace.notes().iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
        limit: limit.map(Limit::word),
    };
    // Texts, numbers and lists of these always have a JSON form, so this cannot fail.
    serde_json::to_string(&stats).unwrap_or_default() + "\n"
}

/// How many rows of the histogram are printed; the rest is summed up in the last.
const LEVELS_MAX: usize = 16;
const BAR_MAX: u64 = 40;

fn table(name: &str, trace: Option<&Trace>, statistics: &Statistics, look: &Look) -> String {
    let mut page = String::new();
    let mut row = |label: &str, text: String| page.push_str(&format!("  {label:12}{text}\n"));
    let failed = [(statistics.pending, "pending"), (statistics.aborted, "aborted")];
    let failed: Vec<String> = failed
        .iter()
        .filter(|(some, _)| *some > 0)
        .map(|(some, what)| format!("{} {what}", count(*some)))
        .collect();
    let failed = if failed.is_empty() {
        String::new()
    } else {
        format!(" ({})", failed.join(", "))
    };
    row("operations", format!("{}{failed}", count(statistics.operations)));
    row("threads", count(statistics.threads));
    if let (Some(first), Some(last)) = (statistics.first_start, statistics.last_time) {
        row(
            "time",
            format!("{first} to {last}, {} in all", count(last.abs_diff(first))),
        );
    }
    row(
        "overlap",
        format!(
            "{:.2} in the mean, {} at most",
            statistics.overlap_mean,
            count(statistics.overlap_max)
        ),
    );
    let name = look.paint(Tone::Strong, &look.clean(name)).to_string();
    let title = trace.map_or_else(|| name.clone(), |trace| format!("{name} ({})", trace.format()));
    page.insert_str(0, &format!("{title}\n"));
    if statistics.operations > 0 {
        push_histogram(&mut page, &statistics.overlap_histogram);
        push_names(&mut page, statistics, look);
        push_longest(&mut page, statistics, look);
    }
    page
}

fn push_histogram(page: &mut String, histogram: &[u64]) {
    page.push_str("\n  open at a call      calls\n");
    let (told, rest) = histogram.split_at(histogram.len().min(LEVELS_MAX));
    let most = told.iter().copied().max().unwrap_or(0).max(1);
    for (level, calls) in told.iter().enumerate() {
        let bar = "#".repeat((calls.saturating_mul(BAR_MAX).div_ceil(most)) as usize);
        page.push_str(format!("  {:>14} {:>10}  {bar}", level + 1, count(*calls)).trim_end());
        page.push('\n');
    }
    let rest: u64 = rest.iter().sum();
    if rest > 0 {
        page.push_str(&format!("  {:>14} {:>10}\n", "more", count(rest)));
    }
}

/// How many names are printed, the most frequent first.
const NAMES_MAX: usize = 20;

fn push_names(page: &mut String, statistics: &Statistics, look: &Look) {
    page.push_str("\n  operation             calls    pending    aborted\n");
    let mut names: Vec<_> = statistics.names.iter().collect();
    names.sort_by_key(|(_, figures)| std::cmp::Reverse(figures.operations));
    for (name, figures) in names.iter().take(NAMES_MAX) {
        page.push_str(&format!(
            "  {:16} {:>10} {:>10} {:>10}\n",
            look.clean(name),
            count(figures.operations),
            count(figures.pending),
            count(figures.aborted)
        ));
    }
    if names.len() > NAMES_MAX {
        page.push_str(&format!(
            "  … {} more names\n",
            count((names.len() - NAMES_MAX) as u64)
        ));
    }
}

/// How many of the longest operations are printed.
const LONGEST_MAX: usize = 5;

fn push_longest(page: &mut String, statistics: &Statistics, look: &Look) {
    if statistics.longest.is_empty() {
        return;
    }
    page.push_str("\n  longest timeboxes\n");
    for operation in statistics.longest.iter().take(LONGEST_MAX) {
        let thread = operation
            .thread
            .as_str()
            .map_or_else(|| operation.thread.to_string(), str::to_owned);
        page.push_str(&format!(
            "  {:>14}  thread {}  {}  {}\n",
            count(operation.length),
            look.clean(&thread),
            look.clean(&operation.call),
            look.paint(Tone::Faint, &look.clean(&operation.location)),
        ));
    }
}
