//! `omnilink runs show`: one run.

use clap::Args;
use omnilink_campaign::Store;
use omnilink_evidence::Evidence;
use omnilink_report::{TextOptions, counted, seconds, text};

use super::StoreArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Drawing, Output};

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The run, by its number in the store
    run: i64,
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    drawing: Drawing,
}

/// How much of what a process printed is shown.
const OUTPUT_SHOWN: usize = 4_000;

pub(super) fn run(args: &ShowArgs) -> Result<Exit, CliError> {
    let look = args.drawing.look();
    let mut out = Output::new(&look);
    let store = Store::open(&args.store.store)?;
    let run = store.run(args.run)?;
    let campaign = store.campaign(&run.campaign)?;
    let files = store.files(args.run, None)?;
    let evidence = files.iter().find(|file| file.kind == "evidence");
    let evidence = evidence.and_then(|file| Evidence::from_json(&String::from_utf8_lossy(&file.bytes)).ok());
    if args.json {
        let object = serde_json::json!({ "run": run, "campaign": campaign, "evidence": evidence });
        out.print(&format!("{object}\n"))?;
        return Ok(Exit::Valid);
    }
    out.print(&format!(
        "run {} (number {} of campaign {}), seed {}\n  {}; {}, {} of {}, {}\n",
        run.id,
        run.number,
        run.campaign,
        run.seed,
        run.ending,
        run.verdict,
        counted(run.ops, "operation", "operations"),
        counted(run.threads, "thread", "threads"),
        seconds(run.seconds)
    ))?;
    if let Some(campaign) = campaign {
        out.print(&format!(
            "  {} in {}\n",
            campaign.command.join(" "),
            campaign.directory
        ))?;
    }
    if let Some(headline) = &run.headline {
        out.print(&format!("  {}\n", look.clean(headline)))?;
    }
    if let Some(evidence) = &evidence {
        out.print(&format!("\n{}", text(evidence, &TextOptions::from(look))))?;
    }
    for file in files
        .iter()
        .filter(|file| matches!(file.kind.as_str(), "output" | "stacks" | "recording"))
    {
        let text = String::from_utf8_lossy(&file.bytes);
        let shown: String = text.chars().take(OUTPUT_SHOWN).collect();
        out.print(&format!("\n{}:\n", file.name))?;
        for line in shown.lines() {
            out.print(&format!("  {}\n", look.clean(line)))?;
        }
    }
    Ok(Exit::Valid)
}
