//! `omnilink runs`: what campaigns have kept.

pub(crate) mod evidence;
mod rerun;
mod revalidate;
mod show;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use omnilink_campaign::{RunFilter, Store};
use omnilink_evidence::Verdict;
use omnilink_report::{Look, count, counted, seconds, shell_word};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Drawing, Output};

/// What it is for.
pub(crate) const ABOUT: &str = "List, show, repeat and check again the runs that omnilink fuzz has kept";

/// The store if none is named.
pub(crate) const STORE: &str = "omnilink-runs.db";

#[derive(Debug, Args)]
#[command(about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  omnilink runs ls --finding violation
  omnilink runs show 17
  omnilink runs export 17 run-17 && omnilink check run-17/trace --model queue --minimize
  omnilink runs rerun 17
  omnilink runs revalidate --spec Queue.tla --jobs 4
  omnilink runs import shard-1.db shard-2.db
  omnilink runs gc";

#[derive(Debug, Subcommand)]
enum Verb {
    /// List campaigns, findings and runs
    Ls(ListArgs),
    /// Show a run: what was found, why, and what the process printed
    Show(show::ShowArgs),
    /// Write the files of a run into a folder
    Export(ExportArgs),
    /// Add the runs of other stores
    Import(ImportArgs),
    /// Run the harness again with the seed of a run
    Rerun(Box<rerun::RerunArgs>),
    /// Check the stored traces again, and tell which verdicts changed
    Revalidate(Box<revalidate::RevalidateArgs>),
    /// Delete the traces of valid runs
    Gc(GcArgs),
}

/// Which store.
#[derive(Clone, Debug, Args)]
pub(crate) struct StoreArgs {
    /// The store
    #[arg(long, value_name = "FILE", default_value = STORE)]
    pub(crate) store: PathBuf,
}

#[derive(Debug, Args)]
struct ListArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Of this campaign
    #[arg(long, value_name = "NAME")]
    campaign: Option<String>,
    /// With this verdict: valid, violation, unknown, error
    #[arg(long, value_name = "VERDICT")]
    verdict: Option<Verdict>,
    /// With this finding: violation, crash, hang, sanitizer, leak, error
    #[arg(long, value_name = "KIND")]
    finding: Option<String>,
    /// How many runs at most, the last ones
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u64,
    /// Print JSON: one object per run
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    drawing: Drawing,
}

#[derive(Debug, Args)]
struct ExportArgs {
    /// The run, by its number in the store
    run: i64,
    /// The folder, which must not exist yet
    folder: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Debug, Args)]
struct ImportArgs {
    /// The stores to add
    #[arg(required = true, value_name = "FILE")]
    others: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Debug, Args)]
struct GcArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Of this campaign only
    #[arg(long, value_name = "NAME")]
    campaign: Option<String>,
    /// Delete the valid runs, too, not only their traces
    #[arg(long)]
    runs: bool,
}

/// Runs the command.
pub(crate) fn run(args: &RunsArgs) -> Result<Exit, CliError> {
    match &args.verb {
        Verb::Ls(args) => list(args),
        Verb::Show(args) => show::run(args),
        Verb::Export(args) => export(args),
        Verb::Import(args) => import(args),
        Verb::Rerun(args) => rerun::run(args),
        Verb::Revalidate(args) => revalidate::run(args),
        Verb::Gc(args) => collect(args),
    }
}

fn list(args: &ListArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    let store = Store::open(&args.store.store)?;
    let mut filter = RunFilter::default();
    filter.campaign.clone_from(&args.campaign);
    filter.verdict = args.verdict;
    filter.finding.clone_from(&args.finding);
    filter.limit = Some(args.limit);
    let runs = store.runs(&filter)?;
    if args.json {
        for run in &runs {
            out.print(&format!("{}\n", serde_json::json!({ "run": run })))?;
        }
        return Ok(Exit::Valid);
    }
    for campaign in store.campaigns()? {
        if args.campaign.as_ref().is_some_and(|asked| *asked != campaign.id) {
            continue;
        }
        let totals = store.totals(Some(&campaign.id))?;
        out.print(&format!(
            "campaign {}: {} of {} against {}, chaos {}, seed {}\n",
            campaign.id,
            counted(totals.runs, "run", "runs"),
            campaign.command.join(" "),
            campaign.subject,
            campaign.chaos,
            campaign.seed
        ))?;
        for group in store.findings(Some(&campaign.id))? {
            out.print(&format!(
                "  {} {} (first: run {}): {}\n",
                count(group.runs),
                group.finding,
                group.first,
                look.clean(&group.headline)
            ))?;
        }
    }
    if !runs.is_empty() {
        out.print("\n   run  verdict    finding          ops    time  ended\n")?;
    }
    for run in &runs {
        out.print(&format!(
            "{:>6}  {:<9}  {:<9}  {:>10}  {:>6}  {}\n",
            run.id,
            run.verdict,
            run.finding.as_deref().unwrap_or("-"),
            count(run.ops),
            seconds(run.seconds),
            run.ending
        ))?;
    }
    Ok(Exit::Valid)
}

fn export(args: &ExportArgs) -> Result<Exit, CliError> {
    if args.folder.exists() {
        let message = format!(
            "{}: it is there already; name a new folder",
            args.folder.display()
        );
        return Err(CliError::Usage(message));
    }
    let trace = Store::open(&args.store.store)?.export(args.run, &args.folder)?;
    // A test that failed has no trace.
    if trace.exists() {
        say(&format!("the trace is {}\n", trace.display()))
    } else {
        say(&format!("its files are in {}\n", args.folder.display()))
    }
}

fn import(args: &ImportArgs) -> Result<Exit, CliError> {
    let mut store = Store::create(&args.store.store)?;
    for path in &args.others {
        let imported = store.import(&Store::open(path)?)?;
        say(&format!(
            "{}: {} added, {} there already\n",
            path.display(),
            counted(imported.added, "run", "runs"),
            count(imported.known)
        ))?;
    }
    Ok(Exit::Valid)
}

fn collect(args: &GcArgs) -> Result<Exit, CliError> {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
    let before = size(&args.store.store);
    let mut store = Store::open(&args.store.store)?;
    let runs = store.forget_valid(args.campaign.as_deref(), args.runs)?;
    drop(store);
    say(&format!(
        "{} valid runs: {} became {}\n",
        count(runs),
        omnilink_report::bytes(before),
        omnilink_report::bytes(size(&args.store.store))
    ))
}

fn say(text: &str) -> Result<Exit, CliError> {
    Output::new(&Look::plain()).print(text)?;
    Ok(Exit::Valid)
}

/// The command that shows a run.
pub(crate) fn show_command(run: i64, store: &Path) -> String {
    if store == Path::new(STORE) {
        format!("omnilink runs show {run}")
    } else {
        format!(
            "omnilink runs show {run} --store {}",
            shell_word(&store.display().to_string())
        )
    }
}
