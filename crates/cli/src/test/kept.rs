//! Failures of tests in the store.

use std::collections::BTreeMap;
use std::path::Path;

use omnilink_campaign::{KeptTest, Store};
use omnilink_evidence::{Evidence, Violation};
use omnilink_report::shell_word;
use omnilink_test_runner::{ScheduleText, ScheduledTest};

use super::TestArgs;
use crate::error::CliError;
use crate::output;
use crate::runs::STORE;

/// Schedules of one test that are run again, the last ones.
const SCHEDULES_MAX: usize = 20;

/// The schedules of failures that were kept, by the names of their tests.
///
/// # Errors
/// If there is a store that cannot be read. Without a store nothing has failed yet.
pub(super) fn schedules(store: &Path) -> Result<BTreeMap<String, Vec<ScheduleText>>, CliError> {
    let mut schedules: BTreeMap<String, Vec<ScheduleText>> = BTreeMap::new();
    if !store.exists() {
        output::note(&format!(
            "--regressions: {} is not there: nothing has failed yet",
            store.display()
        ));
        return Ok(schedules);
    }
    for (_, test) in Store::open(store)?.kept_tests()?.into_iter().rev() {
        let of_test = schedules.entry(test.name().to_owned()).or_default();
        if let (Ok(schedule), true) = (test.schedule.parse(), of_test.len() < SCHEDULES_MAX) {
            of_test.push(schedule);
        }
    }
    Ok(schedules)
}

/// Keeps the failures of a session, and says where. That they cannot be kept is no reason to fail: they have been told.
pub(super) fn keep<'a>(args: &TestArgs, tests: impl Iterator<Item = (&'a ScheduledTest, &'a Evidence)>) {
    let failures: Vec<KeptTest> = tests
        .filter_map(|(test, one)| {
            let Some(Violation::Test(failing)) = &one.violation else {
                return None;
            };
            Some(KeptTest {
                evidence: one.clone(),
                schedule: failing.schedule.clone(),
                start: serde_json::to_string(test).ok()?,
            })
        })
        .collect();
    if failures.is_empty() {
        return;
    }
    let command: Vec<String> = std::env::args().collect();
    let directory = std::env::current_dir().unwrap_or_default();
    let kept = Store::create(&args.store)
        .and_then(|mut store| store.keep_tests(&command, &directory, args.seed, &failures));
    match kept {
        Ok(runs) => {
            for (run, failure) in runs.iter().zip(&failures) {
                let store = if args.store.as_os_str() == STORE {
                    String::new()
                } else {
                    format!(" --store {}", shell_word(&args.store.display().to_string()))
                };
                output::note(&format!(
                    "{} is run {run} of {}: omnilink view {run}{store} shows its interleaving, omnilink replay {run}{store} stops there in gdb",
                    failure.name(),
                    args.store.display()
                ));
            }
        }
        Err(error) => output::note(&format!("the failures are not kept: {error}")),
    }
}
