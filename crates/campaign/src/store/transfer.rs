//! Stores that are merged, and runs that are written out as files.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{RunFilter, Store, StoreError};

/// What came of merging a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Runs that are new here.
    pub added: u64,
    /// Runs that were here already.
    pub known: u64,
}

impl Store {
    /// Adds all campaigns and runs of another store. Runs that are here already are left alone, so that importing twice, or a
    /// shard that was run twice, changes nothing.
    ///
    /// # Errors
    /// If one of the stores cannot be read or written.
    pub fn import(&mut self, other: &Self) -> Result<Imported, StoreError> {
        let mut imported = Imported::default();
        for campaign in other.campaigns()? {
            self.add_campaign(&campaign)?;
        }
        for run in other.runs(&RunFilter::default())? {
            match self.add_run(&run, &other.files(run.id, None)?)? {
                Some(_) => imported.added += 1,
                None => imported.known += 1,
            }
        }
        Ok(imported)
    }

    /// Writes the files of a run into a folder: the trace as a folder that `omnilink check` reads, the evidence, what the process
    /// printed, and `run.json`.
    ///
    /// # Errors
    /// If there is no such run, or a file cannot be written.
    pub fn export(&self, run: i64, folder: &Path) -> Result<PathBuf, StoreError> {
        let record = self.run(run)?;
        let write = |path: &Path, bytes: &[u8]| {
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent)
                .and_then(|()| fs::write(path, bytes))
                .map_err(|error| StoreError::io(path, error))
        };
        let files = self.files(run, None)?;
        // A harness may write one file instead of a folder.
        let is_one_file = matches!(
            files.iter().filter(|file| file.kind == "trace").collect::<Vec<_>>()[..],
            [only] if only.name == "trace"
        );
        for file in files {
            let path = match file.kind.as_str() {
                "trace" if is_one_file => folder.join("trace"),
                "trace" => folder.join("trace").join(plain(&file.name)),
                _ => folder.join(plain(&file.name)),
            };
            write(&path, &file.bytes)?;
        }
        let json = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
        write(&folder.join("run.json"), json.as_bytes())?;
        Ok(folder.join("trace"))
    }
}

/// The name without anything that leads out of the folder: stores come from other machines.
fn plain(name: &str) -> PathBuf {
    let parts = Path::new(name)
        .components()
        .filter(|part| matches!(part, Component::Normal(_)));
    parts.collect()
}
