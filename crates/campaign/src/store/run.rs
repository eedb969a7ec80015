//! Runs in the store.

use std::collections::BTreeMap;

use omnilink_evidence::{UnknownVerdict, Verdict};
use rusqlite::types::Type;
use rusqlite::{Error, OptionalExtension, Row, params};
use serde::Serialize;

use super::{Store, StoreError};

/// One run of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRecord {
    /// The number in this store; `0` before it is stored.
    pub id: i64,
    /// The campaign.
    pub campaign: String,
    /// The number within the campaign: the same on every machine.
    pub number: u64,
    /// The seed.
    pub seed: u64,
    /// When it started, in nanoseconds since 1970.
    pub started_at: i64,
    /// How long it took, with its check.
    pub seconds: f64,
    /// What was chosen for it: threads, operations, pinning and so on, as the harness was told in its environment.
    pub choices: BTreeMap<String, String>,
    /// How the process ended: `exit 0`, `signal 11`, `hung after 30 s`.
    pub ending: String,
    /// The answer about its trace.
    pub verdict: Verdict,
    /// Operations in the trace.
    pub ops: u64,
    /// Threads in the trace.
    pub threads: u64,
    /// What was found, if anything: `violation`, `crash`, `hang`, `sanitizer`, `leak`, `error`.
    pub finding: Option<String>,
    /// What findings of one cause have in common.
    pub signature: Option<String>,
    /// The finding in a sentence.
    pub headline: Option<String>,
    /// How often each feature of the specification was exercised.
    pub coverage: BTreeMap<String, u64>,
}

/// A file that is kept with a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// `trace`, `evidence`, `output`, `stacks` or `recording`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Traces compress to a tenth even at the fastest level.
const LEVEL: i32 = 3;

pub(super) const COLUMNS: &str = "id, campaign, number, seed, started_at, seconds, choices, ending, verdict, ops, threads, \
                                  finding, signature, headline, coverage";

impl RunRecord {
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (choices, coverage): (String, String) = (row.get(6)?, row.get(14)?);
        Ok(Self {
            id: row.get(0)?,
            campaign: row.get(1)?,
            number: row.get::<_, i64>(2)? as u64,
            seed: row.get::<_, i64>(3)? as u64,
            started_at: row.get(4)?,
            seconds: row.get(5)?,
            choices: serde_json::from_str(&choices).unwrap_or_default(),
            ending: row.get(7)?,
            verdict: verdict(row, 8)?,
            ops: row.get::<_, i64>(9)? as u64,
            threads: row.get::<_, i64>(10)? as u64,
            finding: row.get(11)?,
            signature: row.get(12)?,
            headline: row.get(13)?,
            coverage: serde_json::from_str(&coverage).unwrap_or_default(),
        })
    }
}

/// The verdict in a column.
pub(super) fn verdict(row: &Row<'_>, column: usize) -> rusqlite::Result<Verdict> {
    let word: String = row.get(column)?;
    word.parse()
        .map_err(|error: UnknownVerdict| Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

fn json<V: Serialize>(map: &BTreeMap<String, V>) -> String {
    // Maps from strings to strings or numbers always have a JSON form.
    serde_json::to_string(map).unwrap_or_default()
}

impl Store {
    /// Adds a run with its files, all or nothing. `None` if the campaign has a run with this number already.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add_run(&mut self, run: &RunRecord, files: &[KeptFile]) -> Result<Option<i64>, StoreError> {
        let path = self.path.clone();
        let mut packed = Vec::with_capacity(files.len());
        for file in files {
            let bytes = zstd::encode_all(file.bytes.as_slice(), LEVEL);
            packed.push(bytes.map_err(|error| StoreError::io(&path, error))?);
        }
        self.try_add_run(run, files, &packed)
            .map_err(|error| StoreError::sqlite(&path, error))
    }

    fn try_add_run(
        &mut self,
        run: &RunRecord,
        files: &[KeptFile],
        packed: &[Vec<u8>],
    ) -> rusqlite::Result<Option<i64>> {
        let transaction = self.connection.transaction()?;
        let insert =
            format!("INSERT OR IGNORE INTO runs ({COLUMNS}) VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
        let added = transaction.execute(
            &insert,
            params![
                run.campaign,
                run.number as i64,
                run.seed as i64,
                run.started_at,
                run.seconds,
                json(&run.choices),
                run.ending,
                run.verdict.word(),
                run.ops as i64,
                run.threads as i64,
                run.finding,
                run.signature,
                run.headline,
                json(&run.coverage)
            ],
        )?;
        if added == 0 {
            return Ok(None);
        }
        let id = transaction.last_insert_rowid();
        for (file, bytes) in files.iter().zip(packed) {
            transaction.execute(
                "INSERT INTO files (run, kind, name, bytes) VALUES (?,?,?,?)",
                params![id, file.kind, file.name, bytes],
            )?;
        }
        transaction.commit()?;
        Ok(Some(id))
    }

    /// Replaces the verdict of a run, after its trace was checked again.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn revise(&mut self, run: &RunRecord, evidence: &KeptFile) -> Result<(), StoreError> {
        let path = self.path.clone();
        let bytes = zstd::encode_all(evidence.bytes.as_slice(), LEVEL)
            .map_err(|error| StoreError::io(&path, error))?;
        let mut revise = || {
            let transaction = self.connection.transaction()?;
            transaction.execute(
                "UPDATE runs SET verdict = ?, finding = ?, signature = ?, headline = ?, coverage = ? WHERE id = ?",
                params![run.verdict.word(), run.finding, run.signature, run.headline, json(&run.coverage), run.id],
            )?;
            transaction.execute(
                "INSERT OR REPLACE INTO files (run, kind, name, bytes) VALUES (?,?,?,?)",
                params![run.id, evidence.kind, evidence.name, bytes],
            )?;
            transaction.commit()
        };
        revise().map_err(|error| StoreError::sqlite(&path, error))
    }

    /// The run with this number in the store.
    ///
    /// # Errors
    /// If there is none, or the store cannot be read.
    pub fn run(&self, id: i64) -> Result<RunRecord, StoreError> {
        let select = format!("SELECT {COLUMNS} FROM runs WHERE id = ?");
        let run = self
            .connection
            .query_row(&select, [id], RunRecord::from_row)
            .optional();
        run.map_err(|error| self.refused(error))?
            .ok_or_else(|| StoreError::NoRun {
                path: self.path.clone(),
                run: id.to_string(),
            })
    }

    /// The files of a run, of one kind or of all.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn files(&self, run: i64, kind: Option<&str>) -> Result<Vec<KeptFile>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT kind, name, bytes FROM files WHERE run = ?1 AND (?2 IS NULL OR kind = ?2) ORDER BY kind, name",
            )?;
            let rows = statement.query_map(params![run, kind], |row| {
                Ok(KeptFile {
                    kind: row.get(0)?,
                    name: row.get(1)?,
                    bytes: row.get(2)?,
                })
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let mut files = read().map_err(|error| self.refused(error))?;
        for file in &mut files {
            file.bytes =
                zstd::decode_all(file.bytes.as_slice()).map_err(|error| StoreError::io(&self.path, error))?;
        }
        Ok(files)
    }

    /// The runs of a campaign that are there, by number: a campaign that goes on leaves them out.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn numbers(&self, campaign: &str) -> Result<Vec<u64>, StoreError> {
        let read = || {
            let mut statement = self
                .connection
                .prepare("SELECT number FROM runs WHERE campaign = ? ORDER BY number")?;
            let rows =
                statement.query_map([campaign], |row| row.get::<_, i64>(0).map(|number| number as u64))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.refused(error))
    }
}
