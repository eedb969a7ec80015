//! `omnilink replay`: a run again, up to one of its operations.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use omnilink_campaign::{CampaignRecord, Chaos, Repetition, RunRecord, Store};
use omnilink_evidence::{Evidence, ThreadName, Violation};
use omnilink_report::{Bar, Look, Mark, draw};
use omnilink_trace::{OpenOptions, Operation};
use omnilink_verify::Input;

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Drawing, Output};
use crate::runs::StoreArgs;
use crate::trace_command::thread_name;

/// What it is for.
pub(crate) const ABOUT: &str =
    "Run a stored run again up to one of its operations, and look at it there with gdb";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// The run, by its number in the store
    run: i64,
    /// The operation, by its number in the trace, as reports show it; the one that nothing explains if not given
    #[arg(long, value_name = "N")]
    op: Option<u64>,
    /// The object whose trace it is, if the run had several: object-0
    #[arg(long, value_name = "NAME")]
    object: Option<String>,
    /// Print the stacks of all threads at the operation instead of opening the debugger
    #[arg(long)]
    batch: bool,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    drawing: Drawing,
}

const EXAMPLES: &str = "\
Examples:
  omnilink replay 17                  stop at the start of the operation that nothing explains
  omnilink replay 17 --op 204
  omnilink replay 17 --op 204 --batch

A run of --chaos schedule is made again from its seed; a run of --chaos rr is replayed from its recording. Other runs cannot be
repeated exactly: their interleaving is shown, and nothing is run. A failure that omnilink test has kept is stopped where it fails.

Exit codes: 0 the operation was reached; 1 the run was not the same this time; 2 it cannot be repeated, or bad usage.";

/// How many operations are drawn before and after the one asked for.
const AROUND: usize = 8;

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    let store = Store::open(&args.store.store)?;
    let run = store.run(args.run)?;
    if let Some(kept) = store.kept_test(&run)? {
        return crate::test::debugger::replay(&kept, &look, &mut out);
    }
    let Some(campaign) = store.campaign(&run.campaign)? else {
        let message = format!("run {} has no campaign in the store", args.run);
        return Err(CliError::Usage(message));
    };
    let scratch = tempfile::tempdir().map_err(|error| CliError::write(std::env::temp_dir(), error))?;
    let kept = store.export(args.run, &scratch.path().join("run"))?;
    let before = operations(&args.trace_in(&kept)?)?;
    let index = args.index(&store, &before)?;
    let asked = &before[index];
    out.print(&format!(
        "operation {index} of run {}: {} of thread {}\n\n{}\n",
        args.run,
        look.clean(&asked.to_string()),
        look.clean(&thread_name(&asked.thread)),
        interleaving(&before, index, &look)
    ))?;
    match campaign.chaos.parse::<Chaos>()? {
        Chaos::Schedule => args.scheduled(&campaign, &run, &before, index, &mut out),
        Chaos::Rr => args.recorded(&store, asked),
        chaos => Err(CliError::Usage(format!(
            "run {} cannot be made again exactly: --chaos {chaos} does not decide the schedule. Build the harness for --chaos schedule \
             (make harness-schedule in a generated project), and fuzz that",
            args.run
        ))),
    }
}

impl ReplayArgs {
    /// The trace, or that of the object.
    fn trace_in(&self, folder: &Path) -> Result<PathBuf, CliError> {
        if !folder.exists() {
            let message = format!("the trace of run {} was not kept", self.run);
            return Err(CliError::Usage(message));
        }
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut objects: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        objects.retain(|path| path.is_dir());
        objects.sort();
        let name = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        match (&self.object, objects.as_slice()) {
            (None, []) => Ok(folder.to_owned()),
            (Some(asked), objects) if objects.iter().any(|object| name(object) == *asked) => {
                Ok(folder.join(asked))
            }
            (Some(asked), _) => Err(CliError::Usage(format!("run {} has no object {asked}", self.run))),
            (None, objects) => {
                let names: Vec<String> = objects.iter().map(name).collect();
                let message = format!("which object? Give --object {}", names.join(" or "));
                Err(CliError::Usage(message))
            }
        }
    }

    /// The operation that is asked for: the one that nothing explains if none is named.
    fn index(&self, store: &Store, operations: &[Operation]) -> Result<usize, CliError> {
        let asked = match self.op {
            Some(op) => op,
            None => {
                let files = store.files(self.run, Some("evidence"))?;
                let evidence = files
                    .first()
                    .and_then(|file| Evidence::from_json(&String::from_utf8_lossy(&file.bytes)).ok());
                match evidence.and_then(|evidence| evidence.violation) {
                    Some(Violation::Operation(counterexample)) => counterexample.op.id,
                    _ => {
                        let message = format!(
                            "which operation? Run {} has none that is unexplained; give --op N",
                            self.run
                        );
                        return Err(CliError::Usage(message));
                    }
                }
            }
        };
        usize::try_from(asked)
            .ok()
            .filter(|index| *index < operations.len())
            .ok_or_else(|| {
                let message = format!(
                    "--op {asked}: the trace of run {} has {} operations, numbered from 0",
                    self.run,
                    operations.len()
                );
                CliError::Usage(message)
            })
    }

    /// Makes the run again, makes sure that it is the same, and stops it at the operation.
    fn scheduled(
        &self,
        campaign: &CampaignRecord,
        run: &RunRecord,
        before: &[Operation],
        index: usize,
        out: &mut Output,
    ) -> Result<Exit, CliError> {
        let scratch = tempfile::tempdir().map_err(|error| CliError::write(std::env::temp_dir(), error))?;
        let trace = scratch.path().join("again");
        let again = Repetition::new(campaign, run, &trace)?;
        let start = |error| {
            let program = again.program.display();
            CliError::Usage(format!(
                "{program}: cannot be started: {error}; build it again where it was"
            ))
        };
        again
            .command()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(start)?;
        let after = operations(&self.trace_in(&trace)?)?;
        let is_same = |(a, b): (&Operation, &Operation)| a.thread == b.thread && a.call == b.call;
        if let Some(at) =
            (0..=index).find(|i| !after.get(*i).is_some_and(|again| is_same((&before[*i], again))))
        {
            out.print(&format!(
                "The run was not the same this time: operation {at} differs. Was the harness built again since, or does it depend on \
                 time, addresses or files?\n"
            ))?;
            return Ok(Exit::Violation);
        }
        let stop_at = after[index].timebox.start;
        if stop_at != before[index].timebox.start {
            let message = "the run repeats, but its clock does not: the harness was built with an older recorder. Take omnilink.h and \
                           omnilink.hpp of this version (omnilink gen harness brings them)";
            return Err(CliError::Usage(message.to_owned()));
        }
        out.print(&format!("The run repeats exactly up to operation {index}.\n"))?;
        let is_batch = self.batch || !std::io::stdin().is_terminal();
        let mut gdb = Command::new("gdb");
        gdb.args(["-q", "-nx"]).args(is_batch.then_some("-batch"));
        let setup = [
            "set pagination off",
            "set confirm off",
            "handle SIGTRAP stop print nopass",
            "run",
            // Out of the recorder, to where the harness is about to call the system.
            "frame function omnilink_begin",
            "up-silently 1",
        ];
        let ending: &[&str] = if is_batch {
            &["thread apply all backtrace 12", "kill"]
        } else {
            &["backtrace 8"]
        };
        for line in setup.iter().chain(ending) {
            gdb.args(["-ex", line]);
        }
        let mut environment = again.environment.clone();
        environment.insert("OMNILINK_TRACE".into(), scratch.path().join("stopped").into());
        environment.insert("OMNILINK_STOP_AT".into(), stop_at.to_string().into());
        gdb.arg("--args")
            .arg(&again.program)
            .args(&again.arguments)
            .current_dir(&again.directory)
            .envs(&environment);
        match gdb.status() {
            Ok(_) => Ok(Exit::Valid),
            Err(error) => Err(CliError::Usage(format!(
                "gdb cannot be started: {error}. Install it, or stop the run by hand: it raises SIGTRAP at the operation with {}",
                shell(&again, stop_at)
            ))),
        }
    }

    /// Opens the recording of rr at the operation.
    fn recorded(&self, store: &Store, asked: &Operation) -> Result<Exit, CliError> {
        let files = store.files(self.run, Some("recording"))?;
        let folder = files
            .first()
            .map(|file| PathBuf::from(String::from_utf8_lossy(&file.bytes).into_owned()));
        let Some(folder) = folder.filter(|folder| folder.exists()) else {
            let message = format!(
                "run {} has no recording: only those of findings are kept, beside the store, on the machine that made them",
                self.run
            );
            return Err(CliError::Usage(message));
        };
        // A replay reads the same times as the recording did, so the time of the operation's start is where it is.
        let stop = format!("break omnilink_check_clock_ if now == {}", asked.timebox.start);
        let status = Command::new("rr")
            .arg("replay")
            .arg(&folder)
            .args(["--", "-q", "-ex", &stop, "-ex", "continue"])
            .status();
        match status {
            Ok(_) => Ok(Exit::Valid),
            Err(error) => Err(CliError::Usage(format!(
                "rr cannot be started: {error}; on Debian: apt install rr"
            ))),
        }
    }
}

/// The command for a shell.
fn shell(again: &Repetition, stop_at: i64) -> String {
    let variables: Vec<String> = again
        .environment
        .iter()
        .filter(|(name, _)| *name != "OMNILINK_TRACE")
        .map(|(name, value)| format!("{}='{}'", name.display(), value.display()))
        .collect();
    format!(
        "{} OMNILINK_STOP_AT={stop_at} {} {}",
        variables.join(" "),
        again.program.display(),
        again.arguments.join(" ")
    )
}

fn operations(trace: &Path) -> Result<Vec<Operation>, CliError> {
    let input = Input::new(trace, OpenOptions::default(), None)?;
    let operations: Result<Vec<Operation>, _> = input.open()?.collect();
    Ok(operations?)
}

/// The operations around one of them, one row per thread.
fn interleaving(operations: &[Operation], index: usize, look: &Look) -> String {
    let from = index.saturating_sub(AROUND);
    let bars: Vec<Bar> = operations
        .iter()
        .enumerate()
        .skip(from)
        .take(2 * AROUND + 1)
        .map(|(i, operation)| Bar {
            thread: ThreadName::Name(thread_name(&operation.thread)),
            text: operation.to_string(),
            timebox: operation.timebox,
            mark: if i == index {
                Mark::Unexplained
            } else {
                Mark::Plain
            },
        })
        .collect();
    draw(&bars, look)
}
