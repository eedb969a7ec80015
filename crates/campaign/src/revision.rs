//! Stored traces that are checked again.

use std::fs;

use crate::campaign::{CheckTrace, chosen};
use crate::finding::FindingKind;
use crate::store::{KeptFile, RunRecord, Store, StoreError};

/// The run as it is after its stored trace was checked again, and the new evidence; `None` if the store has no trace of it. What the
/// process did (a crash, a hang) stays what it was.
///
/// # Errors
/// If the store cannot be read, or the trace not be written for the check.
pub fn revised(
    store: &Store,
    run: &RunRecord,
    check: &CheckTrace<'_>,
) -> Result<Option<(RunRecord, KeptFile)>, StoreError> {
    let files = store.files(run.id, Some("trace"))?;
    if files.is_empty() {
        return Ok(None);
    }
    let folder = tempfile::tempdir().map_err(|error| StoreError::io(&std::env::temp_dir(), error))?;
    let is_one_file = matches!(files.as_slice(), [file] if file.name == "trace");
    for file in &files {
        let path = folder.path().join(&file.name);
        fs::write(&path, &file.bytes).map_err(|error| StoreError::io(&path, error))?;
    }
    let trace = if is_one_file {
        folder.path().join("trace")
    } else {
        folder.path().to_owned()
    };
    let checked = check(&trace);
    let mut revised = run.clone();
    revised.verdict = checked.verdict;
    revised.coverage.clone_from(&checked.coverage);
    let of_trace = [FindingKind::Violation.word(), FindingKind::Error.word()];
    let is_of_process = run
        .finding
        .as_deref()
        .is_some_and(|kind| !of_trace.contains(&kind));
    if !is_of_process {
        let finding = chosen(None, &checked);
        revised.finding = finding.as_ref().map(|finding| finding.kind.word().to_owned());
        revised.signature = finding.as_ref().map(|finding| finding.signature.clone());
        revised.headline = finding.map(|finding| finding.headline);
    }
    let evidence = KeptFile {
        kind: "evidence".to_owned(),
        name: "evidence.json".to_owned(),
        bytes: checked.evidence.into_bytes(),
    };
    Ok(Some((revised, evidence)))
}
