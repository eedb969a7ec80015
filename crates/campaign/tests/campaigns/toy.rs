//! A harness in a few lines of shell, and a check of its traces.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use omnilink_campaign::{Campaign, CampaignOptions, CheckedTrace, FinishedRun, Store};
use omnilink_evidence::Verdict;
use tempfile::TempDir;

/// A folder with a store and a harness.
pub struct Toy {
    folder: TempDir,
}

impl Toy {
    /// A harness with this body; `$OMNILINK_TRACE` is a file to write to.
    pub fn new(body: &str) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), body)
    }

    /// The same in a folder that is there.
    pub fn in_folder(folder: TempDir, body: &str) -> Self {
        let text = folder.path().join("harness.sh");
        fs::write(&text, format!("#!/bin/sh\n{body}\n")).unwrap();
        // A process of its own writes the program: one that this process has open for writing cannot be executed as long as a child of
        // another thread has that file open, too.
        let copied = Command::new("install")
            .args(["-m", "755"])
            .args([&text, &folder.path().join("harness")])
            .status();
        assert!(copied.unwrap().success());
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn store(&self) -> Store {
        Store::create(&self.path("runs.db")).unwrap()
    }

    pub fn options(&self) -> CampaignOptions {
        CampaignOptions {
            subject: "lines".to_owned(),
            runs: Some(10),
            run_time_limit: Duration::from_secs(20),
            ..CampaignOptions::new(vec!["./harness".into()], self.folder.path().to_owned())
        }
    }

    /// Runs a campaign to its end; the runs by number.
    pub fn run(&self, options: CampaignOptions) -> Vec<FinishedRun> {
        let campaign = Campaign::start(options, self.store()).unwrap();
        let runs = std::sync::Mutex::new(Vec::new());
        campaign
            .run(&check, &|| false, &|run| runs.lock().unwrap().push(run.clone()))
            .unwrap();
        let mut runs = runs.into_inner().unwrap();
        runs.sort_by_key(|run: &FinishedRun| run.record.number);
        runs
    }
}

/// A line `bad X` is a violation with the cause X; every line is an operation.
pub fn check(trace: &Path) -> CheckedTrace {
    let text = fs::read_to_string(trace).unwrap();
    let bad = text.lines().find_map(|line| line.strip_prefix("bad "));
    CheckedTrace {
        verdict: if bad.is_some() {
            Verdict::Violation
        } else {
            Verdict::Valid
        },
        headline: bad.map(|cause| format!("a line is bad: {cause}")),
        cause: bad.map(str::to_owned),
        evidence: format!("{{\"lines\":{}}}", text.lines().count()),
        ops: text.lines().count() as u64,
        threads: 1,
        coverage: [("line".to_owned(), text.lines().count() as u64)].into(),
    }
}
