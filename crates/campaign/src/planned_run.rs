//! What each run gets: its seed, and the choices that come of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

use crate::chaos::{Chaos, ChaosError};
use crate::processors::PinnedProcessors;
use crate::thread_counts::ThreadCounts;

/// What a run gets. It depends on the campaign's seed and the run's number only, so a run can be repeated alone, and on any
/// machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRun {
    /// Its number within the campaign.
    pub number: u64,
    /// Its seed.
    pub seed: u64,
    /// What the harness is told in its environment, such as `OMNILINK_THREADS`.
    pub choices: BTreeMap<String, String>,
}

impl PlannedRun {
    /// The run with this number.
    pub fn new(campaign_seed: u64, number: u64) -> Self {
        // Seeds of neighbouring numbers must have nothing in common.
        let mixed = campaign_seed ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let seed = fastrand::Rng::with_seed(mixed).u64(..) >> 1;
        Self {
            number,
            seed,
            choices: BTreeMap::new(),
        }
    }
}

/// How many processors the threads of a run share.
pub(crate) const PIN: &str = "OMNILINK_PIN";
/// How often priorities change under `schedule`; how different they are for native threads.
pub(crate) const PRIORITIES: &str = "OMNILINK_PRIORITIES";

impl PlannedRun {
    /// The same run with a number of threads.
    pub(crate) fn with_threads(mut self, counts: Option<ThreadCounts>) -> Self {
        if let Some(counts) = counts {
            self.choices
                .insert("OMNILINK_THREADS".to_owned(), counts.of(self.seed).to_string());
        }
        self
    }

    /// The processors that its process is bound to: as many as it says, others for the next run.
    pub(crate) fn processors(&self) -> Option<PinnedProcessors> {
        let count = self.choices.get(PIN)?.parse().ok()?;
        Some(PinnedProcessors {
            count,
            first: self.number,
        })
    }

    /// What the process of this run finds in its environment.
    pub(crate) fn environment(
        &self,
        chaos: Chaos,
        trace: &Path,
    ) -> Result<BTreeMap<OsString, OsString>, ChaosError> {
        let choices = self.choices.iter();
        let mut environment: BTreeMap<OsString, OsString> =
            choices.map(|(name, value)| (name.into(), value.into())).collect();
        environment.insert("OMNILINK_SEED".into(), self.seed.to_string().into());
        environment.insert("OMNILINK_RUN".into(), self.number.to_string().into());
        environment.insert("OMNILINK_CHAOS".into(), chaos.to_string().into());
        environment.insert("OMNILINK_TRACE".into(), trace.into());
        chaos.prepare(self.seed, &mut environment)?;
        Ok(environment)
    }
}

/// A part of a campaign's runs, for one of several machines: those whose number is `index` modulo `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shard {
    index: u64,
    count: u64,
}

/// Why a shard is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is no shard; write I/N with I from 1 to N, such as 2/8")]
pub struct ShardError(String);

impl Shard {
    /// Whether a run is part of it.
    pub fn contains(self, number: u64) -> bool {
        number % self.count == self.index
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parsed = text.split_once('/').and_then(|(index, count)| {
            let (index, count): (u64, u64) = (index.trim().parse().ok()?, count.trim().parse().ok()?);
            (1 <= index && index <= count).then(|| Self {
                index: index - 1,
                count,
            })
        });
        parsed.ok_or_else(|| ShardError(text.to_owned()))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn shards_part_the_runs_and_seeds_differ() {
        let shards: Vec<Shard> = (1..=3).map(|i| format!("{i}/3").parse().unwrap()).collect();
        for number in 0..100 {
            let holders = shards.iter().filter(|shard| shard.contains(number)).count();
            assert_eq!(holders, 1);
        }
        let seeds: BTreeSet<u64> = (0..1000).map(|number| PlannedRun::new(7, number).seed).collect();
        assert_eq!(seeds.len(), 1000);
        assert_eq!(PlannedRun::new(7, 5), PlannedRun::new(7, 5));
        assert_ne!(PlannedRun::new(7, 5).seed, PlannedRun::new(8, 5).seed);
        for bad in ["", "1", "0/3", "4/3", "a/b", "1/0"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
