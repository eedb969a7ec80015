//! The store: one SQLite file that holds campaigns, their runs, traces and evidence.
//!
//! A run is inserted in one transaction once it is over, so `kill -9` at any moment loses at most the run in flight. The
//! write-ahead log lets several processes read and write the same file. Runs have identifiers that are unique everywhere, so
//! stores of several machines can be merged by importing one into the other.

mod campaign;
mod error;
mod query;
mod run;
mod transfer;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

pub use campaign::CampaignRecord;
pub use error::StoreError;
pub use query::{FindingGroup, RunFilter, Totals};
pub use run::{KeptFile, RunRecord};
pub use transfer::Imported;

/// The number in the file's header that says whose file it is ("OMNI").
const APPLICATION_ID: i32 = 0x4f4d_4e49;
/// The version of the tables.
const VERSION: i32 = 1;
/// How long to wait for another process that is writing.
const BUSY: Duration = Duration::from_secs(30);

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS campaigns (
  id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  host TEXT NOT NULL,
  version TEXT NOT NULL,
  subject TEXT NOT NULL,
  directory TEXT NOT NULL,
  command TEXT NOT NULL,
  chaos TEXT NOT NULL,
  seed INTEGER NOT NULL,
  shard TEXT,
  subject_options TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY,
  campaign TEXT NOT NULL REFERENCES campaigns (id),
  number INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  seconds REAL NOT NULL,
  choices TEXT NOT NULL,
  ending TEXT NOT NULL,
  verdict TEXT NOT NULL,
  ops INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  finding TEXT,
  signature TEXT,
  headline TEXT,
  coverage TEXT NOT NULL,
  UNIQUE (campaign, number)
) STRICT;
CREATE INDEX IF NOT EXISTS runs_by_signature ON runs (signature) WHERE signature IS NOT NULL;
CREATE TABLE IF NOT EXISTS files (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (run, kind, name)
) STRICT, WITHOUT ROWID;
";

/// An open store.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens a store, or creates it.
    ///
    /// # Errors
    /// If the file cannot be created or opened, or is not a store.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )
    }

    /// Opens a store that exists.
    ///
    /// # Errors
    /// If there is no such file, or it is not a store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    fn open_with(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let refused = |error| StoreError::sqlite(path, error);
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(refused)?;
        connection.busy_timeout(BUSY).map_err(refused)?;
        let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let (application, version) = (
            number("application_id").map_err(refused)?,
            number("user_version").map_err(refused)?,
        );
        match (application, version) {
            (APPLICATION_ID, VERSION) => {}
            (0, 0) if is_empty(&connection).map_err(refused)? => {}
            (APPLICATION_ID, version) => {
                return Err(StoreError::Version {
                    path: path.to_owned(),
                    version,
                });
            }
            _ => return Err(StoreError::Foreign(path.to_owned())),
        }
        let store = Self {
            connection,
            path: path.to_owned(),
        };
        store.prepare().map_err(refused)?;
        Ok(store)
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        // With a write-ahead log this is safe against the death of the process; a power cut may lose the last runs.
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        self.connection.execute_batch(TABLES)?;
        self.add_subject_options()?;
        self.connection
            .pragma_update(None, "application_id", APPLICATION_ID)?;
        self.connection.pragma_update(None, "user_version", VERSION)
    }

    /// Stores of the first days have no options of subjects.
    fn add_subject_options(&self) -> rusqlite::Result<()> {
        let is_there = || {
            let column =
                "SELECT count(*) > 0 FROM pragma_table_info('campaigns') WHERE name = 'subject_options'";
            self.connection.query_row(column, [], |row| row.get::<_, bool>(0))
        };
        if is_there()? {
            return Ok(());
        }
        let add = "ALTER TABLE campaigns ADD COLUMN subject_options TEXT NOT NULL DEFAULT '[]'";
        match self.connection.execute_batch(add) {
            // Another process was faster.
            Err(_) if is_there()? => Ok(()),
            added => added,
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn refused(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.path, error)
    }
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}
