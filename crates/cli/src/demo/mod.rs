//! `omnilink demo`: the whole way, in one process: run, record, check, show.
//!
//! The bug is planted and real: threads race for it, and no schedule is forced. So rounds are run until it shows, which
//! takes one or two; how many it took is told. Finding it is what the demonstration is for, so that is a success.

mod ring;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_models::Queue;
use omnilink_record::{RecordOptions, record};
use omnilink_report::{Look, TextOptions, Tone, count, text};
use omnilink_trace::OpenOptions;
use omnilink_value::Value;
use omnilink_verify::{CheckRequest, Input, check_input, decode_native};

use self::ring::{CAPACITY, Ring};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Drawing, Output};
use crate::progress::ProgressLine;

/// What it is for.
pub(crate) const ABOUT: &str = "See a bug found: two queues are run on real threads, recorded and checked";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct DemoArgs {
    /// Keep the recorded traces in this directory
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    drawing: Drawing,
}

const EXAMPLES: &str = "\
Examples:
  omnilink demo
  omnilink demo --keep traces && omnilink check traces/one-lock --model queue:capacity=8 --minimize

Exit code: 0 also when the planted bug is found; that is what the demonstration is for.";

const MODEL: &str = "queue:capacity=8";
const THREADS: i64 = 4;
/// Enough for the threads to meet, few enough for a check in a blink.
const OPERATIONS_PER_THREAD: i64 = 500;
const ROUNDS_MAX: u32 = 200;
const TIME_MAX: Duration = Duration::from_secs(8);

/// Runs the command.
pub(crate) fn run(args: &DemoArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    let scratch = tempfile::tempdir().map_err(|error| CliError::write(std::env::temp_dir(), error))?;
    let folder = args.keep.as_deref().unwrap_or(scratch.path());
    let total = count((THREADS * OPERATIONS_PER_THREAD) as u64);
    out.print(&format!(
        "{THREADS} threads share a queue and record {total} calls. Then OmniLink looks for an order of\n\
         the calls that explains every result and respects when each call began and ended.\n\n",
    ))?;

    out.print(&heading(&look, "1. A ring with a lock at each end"))?;
    let report = round(&Ring::new(true), &folder.join("two-locks"), "two-locks")?;
    out.print(&text(&report, &TextOptions::from(look)))?;

    out.print(&heading(
        &look,
        "\n2. The same ring after an \"optimisation\": dequeue takes no lock",
    ))?;
    let started = Instant::now();
    let path = folder.join("one-lock");
    let mut rounds = 0;
    let report = loop {
        rounds += 1;
        let report = round(&Ring::new(false), &path, "one-lock")?;
        let is_over = rounds == ROUNDS_MAX || started.elapsed() > TIME_MAX;
        if report.verdict != Verdict::Valid || is_over {
            break report;
        }
        std::fs::remove_dir_all(&path).map_err(|error| CliError::write(&path, error))?;
    };
    out.print(&text(&report, &TextOptions::from(look)))?;
    out.print(&moral(&report, rounds))?;
    if let Some(folder) = &args.keep {
        let folder = folder.display();
        out.print(&format!(
            "\nThe traces are in {folder}. Try: omnilink check {folder}/one-lock --model {MODEL} --minimize\n"
        ))?;
    }
    out.print(NEXT)?;
    Ok(match report.verdict {
        Verdict::Error => Exit::BadInput,
        _ => Exit::Valid,
    })
}

const NEXT: &str = "
Next: record your own system with the crate omnilink-record, or bring histories from Jepsen,
Porcupine or fastlin:  omnilink check HISTORY --model queue     (omnilink check --list-models)
";

fn heading(look: &Look, text: &str) -> String {
    format!("{}\n", look.paint(Tone::Strong, text))
}

/// What the reader has just seen.
fn moral(report: &Evidence, rounds: u32) -> String {
    let rounds = match rounds {
        1 => "the first round".to_owned(),
        rounds => format!("round {rounds}"),
    };
    match report.verdict {
        Verdict::Violation => format!(
            "\nThe bug was planted, and it showed in {rounds}: without the lock, two threads may find the\n\
             same element at the head and both take it. No test that looks at one thread can see that.\n"
        ),
        Verdict::Valid => format!(
            "\nThe bug was planted, but up to {rounds} no two threads met at the head: this machine ran them\n\
             one after the other. Run the demonstration again.\n"
        ),
        Verdict::Unknown | Verdict::Error => String::new(),
    }
}

/// Runs the queue on real threads, records it, reads the recording back and checks it.
fn round(ring: &Ring, folder: &Path, name: &str) -> Result<Evidence, CliError> {
    let recorder = RecordOptions::new().header("queue", name)?.create(folder)?;
    let logs = (0..THREADS)
        .map(|label| recorder.thread(label))
        .collect::<Result<Vec<_>, _>>()?;
    std::thread::scope(|scope| {
        for (mut log, thread) in logs.into_iter().zip(0..) {
            scope.spawn(move || {
                for i in 0..OPERATIONS_PER_THREAD {
                    if (i + thread) % 2 == 0 {
                        let value = 1 + thread * OPERATIONS_PER_THREAD + i;
                        record!(log, enqueue(value = value) => ring.enqueue(value));
                    } else {
                        record!(log, dequeue() => ring.dequeue());
                    }
                }
            });
        }
    });
    recorder.finish()?;
    let input = Input::new(folder, OpenOptions::default(), None)?;
    let request = CheckRequest {
        minimize: true,
        ..CheckRequest::new(MODEL)
    };
    let model = Queue {
        capacity: Some(CAPACITY),
        empty: Value::null(),
    };
    let mut report = check_input(
        &model,
        &|operation| decode_native(&model, operation),
        &input,
        &request,
        ProgressLine::start(name).progress(),
    );
    name.clone_into(&mut report.input);
    // The folder is gone before anyone can look there, or its name is known.
    report.visit_operations(&mut |op| op.place = None);
    Ok(report)
}
