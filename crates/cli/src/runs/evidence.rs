//! What stored runs found, as evidence: for `omnilink report` and the reports of `omnilink fuzz`.

use std::path::Path;

use omnilink_campaign::{RunRecord, Store, StoreError};
use omnilink_evidence::{Command, Evidence, Subject, Verdict};
use omnilink_report::counted;

/// The evidence of one run. A finding that is no violation of the model, such as a crash, is an error; what the
/// check of its trace said is left out, because the run did not end as it should.
pub(crate) fn of_run(store: &Store, run: i64, file: &Path) -> Result<Evidence, StoreError> {
    let record = store.run(run)?;
    let kept = store.files(run, Some("evidence"))?;
    let kept = kept
        .first()
        .and_then(|file| Evidence::from_json(&String::from_utf8_lossy(&file.bytes)).ok());
    let is_about_trace = record
        .finding
        .as_deref()
        .is_none_or(|finding| finding == "violation");
    let mut evidence = match kept {
        Some(evidence) if is_about_trace => evidence,
        other => failed(&record, other.map_or(Command::Check, |evidence| evidence.command)),
    };
    if evidence.command == Command::Test {
        evidence.input = format!("{} (run {run} of {})", evidence.input, file.display());
        return Ok(evidence);
    }
    evidence.input = format!("run {run} of {} (seed {})", file.display(), record.seed);
    // These are lines of a trace in the store, and no files that anybody could open.
    evidence.visit_operations(&mut |operation| operation.place = None);
    Ok(evidence)
}

/// The evidence of a run that has none of its own.
fn failed(record: &RunRecord, command: Command) -> Evidence {
    let mut evidence = Evidence::new(command, Subject::Operations, String::new());
    evidence.figures.ops = record.ops;
    evidence.figures.seconds = record.seconds;
    match (&record.finding, &record.headline) {
        (None, _) => evidence.verdict = record.verdict,
        (Some(finding), Some(headline)) => evidence.fail(format!("{finding}: {headline}")),
        (Some(finding), None) => evidence.fail(format!("{finding}: {}", record.ending)),
    }
    evidence
}

/// The evidence of a campaign, or of all campaigns: the first run of each finding, or one for all runs if nothing was found.
pub(crate) fn of_findings(
    store: &Store,
    campaign: Option<&str>,
    file: &Path,
) -> Result<Vec<Evidence>, StoreError> {
    let groups = store.findings(campaign)?;
    let found = groups.iter().map(|group| {
        let mut evidence = of_run(store, group.first, file)?;
        if group.runs > 1 {
            let runs = counted(group.runs, "run", "runs");
            evidence.notes.push(format!("{runs} found the same"));
        }
        Ok(evidence)
    });
    let mut all = found.collect::<Result<Vec<_>, StoreError>>()?;
    if all.is_empty() {
        let totals = store.totals(campaign)?;
        let name = format!("{} of {}", counted(totals.runs, "run", "runs"), file.display());
        let mut evidence = Evidence::new(Command::Check, Subject::Operations, name);
        evidence.verdict = if totals.runs == 0 || totals.verdicts.contains_key(&Verdict::Unknown) {
            Verdict::Unknown
        } else {
            Verdict::Valid
        };
        evidence.figures.ops = totals.ops;
        all.push(evidence);
    }
    Ok(all)
}
