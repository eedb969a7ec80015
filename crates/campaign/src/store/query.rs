//! Questions to the store.

use std::collections::BTreeMap;

use omnilink_evidence::Verdict;
use rusqlite::params;
use serde::Serialize;

use super::run::{COLUMNS, verdict};
use super::{RunRecord, Store, StoreError};

/// Which runs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunFilter {
    /// Of this campaign.
    pub campaign: Option<String>,
    /// With this verdict.
    pub verdict: Option<Verdict>,
    /// With this finding.
    pub finding: Option<String>,
    /// With this signature.
    pub signature: Option<String>,
    /// The last of them only.
    pub limit: Option<u64>,
}

/// Findings of one cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingGroup {
    /// What they have in common.
    pub signature: String,
    /// What it is.
    pub finding: String,
    /// In a sentence, as the first of them has it.
    pub headline: String,
    /// How many runs have it.
    pub runs: u64,
    /// The first of them.
    pub first: i64,
}

/// The figures of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Runs.
    pub runs: u64,
    /// Operations of all runs.
    pub ops: u64,
    /// Time of all runs, summed.
    pub seconds: f64,
    /// Runs by verdict.
    pub verdicts: BTreeMap<Verdict, u64>,
    /// How often each feature of the specification was exercised.
    pub coverage: BTreeMap<String, u64>,
}

impl Store {
    /// The runs that fit, in the order in which they were stored.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError> {
        let select = format!(
            "SELECT * FROM (SELECT {COLUMNS} FROM runs WHERE (?1 IS NULL OR campaign = ?1) AND (?2 IS NULL OR verdict = ?2)
             AND (?3 IS NULL OR finding = ?3) AND (?4 IS NULL OR signature = ?4) ORDER BY id DESC LIMIT ?5) ORDER BY id"
        );
        let limit = filter.limit.map_or(-1, |limit| limit as i64);
        let read = || {
            let mut statement = self.connection.prepare(&select)?;
            let values = params![
                filter.campaign,
                filter.verdict.map(Verdict::word),
                filter.finding,
                filter.signature,
                limit
            ];
            let runs = statement.query_map(values, RunRecord::from_row)?;
            runs.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.refused(error))
    }

    /// Findings by cause, the most frequent first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn findings(&self, campaign: Option<&str>) -> Result<Vec<FindingGroup>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT signature, finding, headline, count(*), min(id) FROM runs
                 WHERE signature IS NOT NULL AND (?1 IS NULL OR campaign = ?1) GROUP BY signature ORDER BY count(*) DESC, min(id)",
            )?;
            let groups = statement.query_map([campaign], |row| {
                Ok(FindingGroup {
                    signature: row.get(0)?,
                    finding: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
                    headline: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
                    runs: row.get::<_, i64>(3)? as u64,
                    first: row.get(4)?,
                })
            })?;
            groups.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.refused(error))
    }

    /// The figures of a campaign, or of all.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn totals(&self, campaign: Option<&str>) -> Result<Totals, StoreError> {
        let read = || {
            let mut totals = Totals::default();
            let mut statement = self.connection.prepare(
                "SELECT verdict, ops, seconds, coverage FROM runs WHERE ?1 IS NULL OR campaign = ?1",
            )?;
            let mut rows = statement.query([campaign])?;
            while let Some(row) = rows.next()? {
                totals.runs += 1;
                totals.ops += row.get::<_, i64>(1)? as u64;
                totals.seconds += row.get::<_, f64>(2)?;
                *totals.verdicts.entry(verdict(row, 0)?).or_default() += 1;
                let coverage: BTreeMap<String, u64> =
                    serde_json::from_str(&row.get::<_, String>(3)?).unwrap_or_default();
                for (feature, count) in coverage {
                    *totals.coverage.entry(feature).or_default() += count;
                }
            }
            Ok(totals)
        };
        read().map_err(|error| self.refused(error))
    }

    /// Deletes the files of runs that are valid, and the runs too if `runs` says so; returns how many runs are concerned.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_valid(&mut self, campaign: Option<&str>, runs: bool) -> Result<u64, StoreError> {
        let path = self.path.clone();
        let mut forget = || {
            let transaction = self.connection.transaction()?;
            let valid =
                "FROM runs WHERE verdict = 'valid' AND finding IS NULL AND (?1 IS NULL OR campaign = ?1)";
            let count: i64 =
                transaction.query_row(&format!("SELECT count(*) {valid}"), [campaign], |row| row.get(0))?;
            transaction.execute(
                &format!("DELETE FROM files WHERE run IN (SELECT id {valid})"),
                [campaign],
            )?;
            if runs {
                transaction.execute(&format!("DELETE {valid}"), [campaign])?;
            }
            transaction.commit()?;
            self.connection.execute_batch("VACUUM")?;
            Ok(count as u64)
        };
        forget().map_err(|error| StoreError::sqlite(&path, error))
    }
}
