//! `omnilink runs revalidate`: the stored traces checked again, after the specification has changed.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use clap::Args;
use omnilink_campaign::{RunFilter, RunRecord, Store, revised};
use omnilink_evidence::Verdict;
use omnilink_report::{count, counted};

use super::StoreArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Drawing, Output};
use crate::progress::ProgressLine;
use crate::subject::SubjectArgs;

#[derive(Debug, Args)]
pub(super) struct RevalidateArgs {
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    /// The runs of this campaign only
    #[arg(long, value_name = "NAME")]
    campaign: Option<String>,
    /// How many runs to check at a time
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Print one JSON object per run whose verdict changed
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    drawing: Drawing,
}

pub(super) fn run(args: &RevalidateArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    interrupt::listen();
    let mut store = Store::open(&args.store.store)?;
    let mut filter = RunFilter::default();
    filter.campaign.clone_from(&args.campaign);
    let runs = store.runs(&filter)?;
    let checker = args.subject(&store)?.checker()?;
    let next = AtomicUsize::new(0);
    let line = ProgressLine::counting("revalidate", "runs");
    let (mut changed, mut left_out, mut violations) = (0, 0, 0);
    let jobs = NonZeroUsize::new(args.jobs.into()).unwrap_or(NonZeroUsize::MIN);
    let path = args.store.store.as_path();
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..jobs.get() {
            let (sender, runs, next, checker) = (sender.clone(), &runs, &next, &checker);
            scope.spawn(move || {
                while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // A connection belongs to one thread.
                    let checked = Store::open(path)
                        .and_then(|store| revised(&store, run, &|trace| checker.check(trace)));
                    if interrupt::is_raised() || sender.send((run, checked)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (before, checked) in results {
            line.add_one();
            let Some((after, evidence)) = checked? else {
                left_out += 1;
                continue;
            };
            violations += u64::from(after.verdict == Verdict::Violation);
            if after.verdict != before.verdict {
                changed += 1;
                line.suspend(|| out.print(&change(before, &after, args.json)))?;
            }
            store.revise(&after, &evidence)?;
        }
        Ok::<(), CliError>(())
    })?;
    drop(line);
    if !args.json {
        out.print(&format!(
            "{} checked again, {} changed{}\n",
            counted(runs.len() as u64 - left_out, "run", "runs"),
            counted(changed, "verdict", "verdicts"),
            match left_out {
                0 => String::new(),
                1 => "; 1 run has no trace in the store".to_owned(),
                left_out => format!("; {} runs have no trace in the store", count(left_out)),
            }
        ))?;
    }
    Ok(match (violations, interrupt::is_raised()) {
        (1.., _) => Exit::Violation,
        (0, true) => Exit::Unknown,
        (0, false) => Exit::Valid,
    })
}

impl RevalidateArgs {
    /// What is given, or what the runs were checked against at first.
    fn subject(&self, store: &Store) -> Result<SubjectArgs, CliError> {
        let mut campaigns = store.campaigns()?;
        campaigns.retain(|campaign| self.campaign.as_ref().is_none_or(|asked| *asked == campaign.id));
        campaigns.sort_by(|a, b| (&a.subject, &a.subject_options).cmp(&(&b.subject, &b.subject_options)));
        campaigns.dedup_by(|a, b| (&a.subject, &a.subject_options) == (&b.subject, &b.subject_options));
        match campaigns.as_slice() {
            [campaign] => self.subject.or_of(campaign),
            [_, _, ..] if self.subject.name().is_none() => {
                let subjects = campaigns.iter().map(|campaign| {
                    let options = campaign.subject_options.join(" ");
                    format!("{} {options}", campaign.subject).trim_end().to_owned()
                });
                Err(CliError::Usage(format!(
                    "the campaigns of this store were checked against {}; name one with --campaign, or give --spec or --model",
                    subjects.collect::<Vec<_>>().join(", ")
                )))
            }
            _ => Ok(self.subject.clone()),
        }
    }
}

fn change(before: &RunRecord, after: &RunRecord, is_json: bool) -> String {
    if is_json {
        format!(
            "{}\n",
            serde_json::json!({ "run": after, "before": before.verdict })
        )
    } else {
        format!(
            "run {}: {} before, {} now\n",
            after.id, before.verdict, after.verdict
        )
    }
}
