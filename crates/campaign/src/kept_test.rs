//! Failures of tests in the store: a session of `omnilink test` is a campaign, and each failure is a run of it.

use std::collections::BTreeMap;
use std::path::Path;

use omnilink_evidence::{Evidence, Verdict, Violation};

use crate::host::{host_name, now_ns, unique_id};
use crate::store::{CampaignRecord, KeptFile, RunFilter, RunRecord, Store, StoreError};

/// What campaigns of tests are about.
const SUBJECT: &str = "tests";
/// The choice of a run that is its schedule.
const SCHEDULE: &str = "schedule";
/// The kind of the file that says how the test is started.
const TEST: &str = "test";

/// A failure of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptTest {
    /// What was found.
    pub evidence: Evidence,
    /// The schedule that makes it fail.
    pub schedule: String,
    /// How the test is started, in the form of the runner of tests.
    pub start: String,
}

impl KeptTest {
    /// The name of the test.
    pub fn name(&self) -> &str {
        &self.evidence.input
    }

    /// What failed, in a few words.
    pub fn failure(&self) -> &str {
        match &self.evidence.violation {
            Some(Violation::Test(failing)) => &failing.failure,
            _ => "failure",
        }
    }
}

impl Store {
    /// Keeps failures of a session that a command started in a folder. Returns their numbers; those that are there already keep theirs.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn keep_tests(
        &mut self,
        command: &[String],
        directory: &Path,
        seed: u64,
        tests: &[KeptTest],
    ) -> Result<Vec<i64>, StoreError> {
        let before = self.kept_tests()?;
        let known = |test: &KeptTest| {
            let same = |(_, kept): &&(i64, KeptTest)| {
                (kept.name(), kept.failure(), &kept.schedule) == (test.name(), test.failure(), &test.schedule)
            };
            before.iter().find(same).map(|(run, _)| *run)
        };
        let campaign = CampaignRecord {
            id: unique_id(),
            started_at: now_ns(),
            host: host_name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            subject: SUBJECT.to_owned(),
            subject_options: Vec::new(),
            directory: directory.display().to_string(),
            command: command.to_vec(),
            chaos: SCHEDULE.to_owned(),
            seed,
            shard: None,
        };
        if tests.iter().any(|test| known(test).is_none()) {
            self.add_campaign(&campaign)?;
        }
        let mut runs = Vec::with_capacity(tests.len());
        for (number, test) in (0..).zip(tests) {
            let run = match known(test) {
                Some(run) => Some(run),
                None => self.add_run(&record(&campaign, number, test), &files(test))?,
            };
            runs.extend(run);
        }
        Ok(runs)
    }

    /// All failures of tests, with their numbers.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn kept_tests(&self) -> Result<Vec<(i64, KeptTest)>, StoreError> {
        let mut tests = Vec::new();
        for run in self.runs(&RunFilter::default())? {
            if let Some(test) = self.kept_test(&run)? {
                tests.push((run.id, test));
            }
        }
        Ok(tests)
    }

    /// A run as the failure of a test; `None` if it is one of a harness.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn kept_test(&self, run: &RunRecord) -> Result<Option<KeptTest>, StoreError> {
        let text = |kind: &str| -> Result<Option<String>, StoreError> {
            let files = self.files(run.id, Some(kind))?;
            Ok(files
                .into_iter()
                .next()
                .map(|file| String::from_utf8_lossy(&file.bytes).into_owned()))
        };
        let Some(schedule) = run.choices.get(SCHEDULE) else {
            return Ok(None);
        };
        let (Some(start), Some(evidence)) = (text(TEST)?, text("evidence")?) else {
            return Ok(None);
        };
        Ok(Evidence::from_json(&evidence).ok().map(|evidence| KeptTest {
            evidence,
            schedule: schedule.clone(),
            start,
        }))
    }
}

fn record(campaign: &CampaignRecord, number: u64, test: &KeptTest) -> RunRecord {
    let coverage = test.evidence.test.as_deref();
    let headline = format!("{}: {}", test.name(), test.failure());
    RunRecord {
        id: 0,
        campaign: campaign.id.clone(),
        number,
        seed: campaign.seed,
        started_at: campaign.started_at,
        seconds: test.evidence.figures.seconds,
        choices: BTreeMap::from([(SCHEDULE.to_owned(), test.schedule.clone())]),
        ending: test.failure().to_owned(),
        verdict: Verdict::Violation,
        ops: coverage.map_or(0, |test| test.steps),
        threads: coverage.map_or(0, |test| test.threads.into()),
        finding: Some("violation".to_owned()),
        signature: Some(headline.clone()),
        headline: Some(headline),
        coverage: BTreeMap::new(),
    }
}

fn files(test: &KeptTest) -> [KeptFile; 2] {
    let file = |kind: &str, name: &str, text: &str| KeptFile {
        kind: kind.to_owned(),
        name: name.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    [
        file("evidence", "evidence.json", &test.evidence.to_json()),
        file(TEST, "test.json", &test.start),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use omnilink_evidence::{Command, Subject};

    #[test]
    fn a_failure_is_kept_once_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::create(&folder.path().join("runs.db")).unwrap();
        let test = |schedule: &str| KeptTest {
            evidence: Evidence::new(Command::Test, Subject::Test, "queue::pops"),
            schedule: schedule.to_owned(),
            start: "{}".to_owned(),
        };
        let command = ["omnilink".to_owned(), "test".to_owned()];
        let mut keep = |tests: &[KeptTest]| store.keep_tests(&command, folder.path(), 7, tests).unwrap();
        let first = keep(&[test("1.5-2")]);
        let second = keep(&[test("1.5-2"), test("1.9-2")]);
        assert_eq!(second[0], first[0]);
        assert_ne!(second[1], first[0]);
        let kept = store.kept_tests().unwrap();
        assert_eq!(kept.len(), 2);
        assert_eq!(kept[1], (second[1], test("1.9-2")));
    }
}
