//! `omnilink runs rerun`: the harness again, with the seed of a run.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use omnilink_campaign::{Campaign, CampaignOptions, Chaos, Store};

use super::StoreArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Drawing, Output};
use crate::quantity;
use crate::subject::SubjectArgs;

#[derive(Debug, Args)]
pub(super) struct RerunArgs {
    /// The run, by its number in the store
    run: i64,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    /// A run that takes longer is hung
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = quantity::duration)]
    run_time_limit: Duration,
    #[command(flatten)]
    drawing: Drawing,
}

pub(super) fn run(args: &RerunArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    interrupt::listen();
    let store = Store::open(&args.store.store)?;
    let before = store.run(args.run)?;
    if let Some(kept) = store.kept_test(&before)? {
        return Err(CliError::Usage(format!(
            "run {} is a failure of the test {}: omnilink replay {} makes it again, omnilink test --regressions runs all of them first",
            args.run,
            kept.name(),
            args.run
        )));
    }
    let Some(original) = store.campaign(&before.campaign)? else {
        return Err(CliError::Usage(format!(
            "run {} has no campaign in the store",
            args.run
        )));
    };
    let chaos: Chaos = original.chaos.parse()?;
    let checker = args.subject.or_of(&original)?.checker()?;
    let command = original.command.iter().map(Into::into).collect();
    let options = CampaignOptions {
        subject: original.subject.clone(),
        subject_options: original.subject_options.clone(),
        chaos,
        run_time_limit: args.run_time_limit,
        ..CampaignOptions::new(command, PathBuf::from(&original.directory))
    };
    let campaign = Campaign::start(options, store)?;
    let run = campaign.repeat(&before, &|trace| checker.check(trace), &interrupt::is_raised)?;
    let Some(run) = run else {
        return Ok(Exit::Unknown);
    };
    let again = &run.record;
    let kind = |finding: &Option<String>| finding.clone().unwrap_or_else(|| "nothing".to_owned());
    out.print(&format!(
        "seed {}: {} before, {} now\n",
        before.seed,
        kind(&before.finding),
        kind(&again.finding)
    ))?;
    if let Some(headline) = &again.headline {
        out.print(&format!(
            "  {}\n  {}\n",
            look.clean(headline),
            super::show_command(again.id, &args.store.store)
        ))?;
    }
    if !chaos.is_repeatable() && again.signature != before.signature {
        out.print(&format!(
            "  --chaos {chaos} does not repeat exactly: run it again, or build the harness for --chaos schedule\n"
        ))?;
    }
    Ok(if again.finding.is_some() {
        Exit::Violation
    } else {
        Exit::Valid
    })
}
