//! Campaigns: a harness is run many times under seeds and chaos, every run is checked, and everything is kept.
//!
//! The decision of this crate is that **a harness is a program**, not a library: any executable in any language that writes a
//! trace into the folder `OMNILINK_TRACE` takes part. A run is a fresh process in a process group of its own, so that a crash, a
//! hang or a sanitizer's report is a result like any other, and nothing of one run reaches the next. What is given up is speed:
//! a process costs some milliseconds, so a harness does well to record thousands of operations per run.
//!
//! - [`Campaign`] runs and checks; [`PlannedRun`] says what a run gets.
//! - [`Chaos`] makes rare interleavings happen.
//! - [`Store`] keeps campaigns, runs, traces and evidence in one SQLite file.

mod campaign;
mod chaos;
mod disk_room;
mod finding;
mod host;
mod kept_files;
mod kept_test;
mod output_tail;
mod planned_run;
mod process;
mod processors;
mod repetition;
mod revision;
mod stacks;
mod store;
mod thread_counts;

pub use campaign::{Campaign, CampaignError, CampaignOptions, CheckTrace, FinishedRun, Stop};
pub use chaos::{Chaos, ChaosError};
pub use finding::{Finding, FindingKind};
pub use kept_test::KeptTest;
pub use omnilink_evidence::CheckedTrace;
pub use planned_run::{PlannedRun, Shard, ShardError};
pub use process::ProcessEnding;
pub use repetition::Repetition;
pub use revision::revised;
pub use store::{
    CampaignRecord, FindingGroup, Imported, KeptFile, RunFilter, RunRecord, Store, StoreError, Totals,
};
pub use thread_counts::{ThreadCounts, ThreadCountsError};
