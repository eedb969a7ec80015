//! Campaigns in the store.

use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

use super::{Store, StoreError};

/// A campaign: one command, run many times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CampaignRecord {
    /// Unique everywhere.
    pub id: String,
    /// When it started, in nanoseconds since 1970.
    pub started_at: i64,
    /// The machine.
    pub host: String,
    /// The version of omnilink.
    pub version: String,
    /// The specification or model that runs are checked against.
    pub subject: String,
    /// What belongs to it, as words of a command line: `--const=N=3`.
    pub subject_options: Vec<String>,
    /// The folder in which the command was started.
    pub directory: String,
    /// The harness with its arguments.
    pub command: Vec<String>,
    /// How rare interleavings were made to happen.
    pub chaos: String,
    /// The seed from which the seeds of runs are derived.
    pub seed: u64,
    /// The part of the seeds that this machine runs, such as `2/8`.
    pub shard: Option<String>,
}

const COLUMNS: &str =
    "id, started_at, host, version, subject, directory, command, chaos, seed, shard, subject_options";

impl CampaignRecord {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        // Written by us; a store that was tampered with shows none.
        let words = |json: String| serde_json::from_str(&json).unwrap_or_default();
        Ok(Self {
            id: row.get(0)?,
            started_at: row.get(1)?,
            host: row.get(2)?,
            version: row.get(3)?,
            subject: row.get(4)?,
            directory: row.get(5)?,
            command: words(row.get(6)?),
            chaos: row.get(7)?,
            seed: row.get::<_, i64>(8)? as u64,
            shard: row.get(9)?,
            subject_options: words(row.get(10)?),
        })
    }
}

impl Store {
    /// Adds a campaign, unless it is there already.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add_campaign(&self, campaign: &CampaignRecord) -> Result<(), StoreError> {
        let json = |words: &[String]| serde_json::Value::from(words.to_vec()).to_string();
        let insert = format!("INSERT OR IGNORE INTO campaigns ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?)");
        let values = params![
            campaign.id,
            campaign.started_at,
            campaign.host,
            campaign.version,
            campaign.subject,
            campaign.directory,
            json(&campaign.command),
            campaign.chaos,
            campaign.seed as i64,
            campaign.shard,
            json(&campaign.subject_options)
        ];
        let added = self.connection.execute(&insert, values);
        added.map(drop).map_err(|error| self.refused(error))
    }

    /// All campaigns, in order of start.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn campaigns(&self) -> Result<Vec<CampaignRecord>, StoreError> {
        let select = format!("SELECT {COLUMNS} FROM campaigns ORDER BY started_at, id");
        let read = || {
            let mut statement = self.connection.prepare(&select)?;
            let campaigns = statement.query_map([], CampaignRecord::from_row)?;
            campaigns.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.refused(error))
    }

    /// The campaign with this identifier.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn campaign(&self, id: &str) -> Result<Option<CampaignRecord>, StoreError> {
        let select = format!("SELECT {COLUMNS} FROM campaigns WHERE id = ?");
        self.connection
            .query_row(&select, [id], CampaignRecord::from_row)
            .optional()
            .map_err(|error| self.refused(error))
    }
}
