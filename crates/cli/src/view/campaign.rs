//! The overview of a campaign, for the page.

use omnilink_campaign::{RunFilter, Store};
use serde_json::{Value, json};

use crate::error::CliError;

/// Runs that are listed, the last ones.
const RUNS_MAX: u64 = 2_000;

/// What campaigns found and covered, and their runs.
pub(super) fn overview(store: &Store) -> Result<Value, CliError> {
    let mut campaigns = Vec::new();
    for campaign in store.campaigns()? {
        let totals = store.totals(Some(&campaign.id))?;
        let findings = store.findings(Some(&campaign.id))?;
        let first = findings.iter().map(|group| group.first).min();
        let first = first.map(|run| store.run(run)).transpose()?;
        campaigns.push(json!({
            "id": campaign.id,
            "subject": campaign.subject,
            "command": campaign.command.join(" "),
            "chaos": campaign.chaos,
            "seed": campaign.seed.to_string(),
            "runs": totals.runs,
            "ops": totals.ops,
            "seconds": totals.seconds,
            "verdicts": totals.verdicts,
            "coverage": totals.coverage,
            "findings": findings,
            "first_finding": first.map(|run| run.started_at.saturating_sub(campaign.started_at) as f64 / 1e9 + run.seconds),
        }));
    }
    let mut filter = RunFilter::default();
    filter.limit = Some(RUNS_MAX);
    let runs: Vec<Value> = store
        .runs(&filter)?
        .iter()
        .map(|run| {
            json!({
                "id": run.id, "verdict": run.verdict, "finding": run.finding, "ops": run.ops, "seconds": run.seconds,
                "ending": run.ending, "seed": run.seed.to_string(),
            })
        })
        .collect();
    Ok(json!({ "campaigns": campaigns, "runs": runs }))
}

/// The first run of each kind of finding.
pub(super) fn first_findings(overview: &Value) -> Vec<i64> {
    let campaigns = overview["campaigns"].as_array().into_iter().flatten();
    let groups = campaigns.flat_map(|campaign| campaign["findings"].as_array().into_iter().flatten());
    groups.filter_map(|group| group["first"].as_i64()).collect()
}
