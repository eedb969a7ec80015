//! A key-value store with snapshot isolation, and clients that transfer between its keys, instrumented for `omnilink validate`.
//!
//! ```sh
//! cargo run -p omnilink-record --example snapshot_store -- logs                       # correct
//! cargo run -p omnilink-record --example snapshot_store -- logs --bug lost-update     # commits without looking for conflicts
//! cargo run -p omnilink-record --example snapshot_store -- logs --bug latest-value    # reads what was committed after the snapshot
//! omnilink validate examples/logs/snapshot-store/SnapshotStore.tla logs
//! ```
//!
//! The store keeps all versions of a key. A transaction reads the versions of its snapshot and its own writes. It commits unless another transaction
//! has written one of its keys since its snapshot was taken. `OMNILINK_TRACE` and `OMNILINK_SEED` are used if nothing else is given.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use omnilink_record::{LogClock, LogWriter};

const CLIENTS: usize = 4;
const KEYS: [&str; 3] = ["a", "b", "c"];
const TRANSACTIONS: usize = 6;

/// A mistake that the store makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bug {
    LostUpdate,
    LatestValue,
}

/// Random numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// All versions of all keys: when each was committed, and its value.
#[derive(Default)]
struct Versions {
    now: u64,
    of: BTreeMap<&'static str, Vec<(u64, i64)>>,
}

impl Versions {
    /// The newest value of a key that is not newer than a snapshot.
    fn at(&self, key: &str, snapshot: u64) -> i64 {
        let versions = self.of.get(key).into_iter().flatten();
        versions
            .rev()
            .find(|(time, _)| *time <= snapshot)
            .map_or(0, |(_, value)| *value)
    }

    fn is_newer(&self, key: &str, snapshot: u64) -> bool {
        let versions = self.of.get(key).and_then(|versions| versions.last());
        versions.is_some_and(|(time, _)| *time > snapshot)
    }
}

struct Store {
    versions: Mutex<Versions>,
    bug: Option<Bug>,
}

impl Store {
    fn lock(&self) -> MutexGuard<'_, Versions> {
        self.versions.lock().unwrap_or_else(|error| error.into_inner())
    }
}

/// A transaction of a client: its snapshot and what it has written.
struct Transaction<'s> {
    store: &'s Store,
    client: &'s str,
    snapshot: u64,
    written: BTreeMap<&'static str, i64>,
}

impl<'s> Transaction<'s> {
    /// What is logged under the store's lock happens in the order of the log's clock.
    fn begin(store: &'s Store, client: &'s str, log: &mut LogWriter) -> io::Result<Self> {
        let versions = store.lock();
        log.log("Begin", [client])?;
        Ok(Self {
            store,
            client,
            snapshot: versions.now,
            written: BTreeMap::new(),
        })
    }

    fn read(&self, key: &'static str, log: &mut LogWriter) -> io::Result<i64> {
        let versions = self.store.lock();
        let snapshot = match self.store.bug {
            Some(Bug::LatestValue) => u64::MAX,
            _ => self.snapshot,
        };
        let value = self
            .written
            .get(key)
            .copied()
            .unwrap_or_else(|| versions.at(key, snapshot));
        log.log(
            "Read",
            [self.client.into(), key.into(), value.into()] as [omnilink_record::LogValue; 3],
        )?;
        Ok(value)
    }

    fn write(&mut self, key: &'static str, value: i64, log: &mut LogWriter) -> io::Result<()> {
        self.written.insert(key, value);
        log.log(
            "Write",
            [self.client.into(), key.into(), value.into()] as [omnilink_record::LogValue; 3],
        )
    }

    /// Commits, or aborts because of a conflict.
    fn commit(self, log: &mut LogWriter) -> io::Result<()> {
        let mut versions = self.store.lock();
        let is_conflict = self
            .written
            .keys()
            .any(|key| versions.is_newer(key, self.snapshot));
        if is_conflict && self.store.bug != Some(Bug::LostUpdate) {
            return log.log("Abort", [self.client]);
        }
        versions.now += 1;
        let now = versions.now;
        for (key, value) in self.written {
            versions.of.entry(key).or_default().push((now, value));
            log.observe("committed").at(key).set(value);
        }
        log.log("Commit", [self.client])
    }
}

/// Moves amounts from key to key.
fn client(store: &Store, folder: &Path, name: &str, clock: LogClock, seed: u64) -> io::Result<()> {
    let mut log = LogWriter::create(&folder.join(format!("{name}.ndjson")), name, clock)?;
    let mut random = Random(seed);
    for _ in 0..TRANSACTIONS {
        let (from, to) = (KEYS[random.below(KEYS.len())], KEYS[random.below(KEYS.len())]);
        let mut transaction = Transaction::begin(store, name, &mut log)?;
        let has = transaction.read(from, &mut log)?;
        transaction.write(from, has - 1, &mut log)?;
        std::thread::yield_now();
        let has = transaction.read(to, &mut log)?;
        transaction.write(to, has + 1, &mut log)?;
        if random.below(8) == 0 {
            log.log("Abort", [name])?;
        } else {
            transaction.commit(&mut log)?;
        }
        std::thread::sleep(std::time::Duration::from_micros(random.below(300) as u64));
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1).peekable();
    let given = args.next_if(|arg| !arg.starts_with("--"));
    let folder = given.or_else(|| std::env::var("OMNILINK_TRACE").ok());
    let folder = PathBuf::from(folder.unwrap_or_else(|| "logs".to_owned()));
    let seed = std::env::var("OMNILINK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let mut seed: u64 = seed.unwrap_or(1);
    let mut bug = None;
    while let Some(arg) = args.next() {
        let value = args.next().unwrap_or_default();
        match (arg.as_str(), value.as_str()) {
            ("--bug", "lost-update") => bug = Some(Bug::LostUpdate),
            ("--bug", "latest-value") => bug = Some(Bug::LatestValue),
            ("--seed", number) if number.parse::<u64>().is_ok() => seed = number.parse().unwrap_or(1),
            (arg, value) => {
                let usage = "[FOLDER] [--bug lost-update|latest-value] [--seed N]";
                return Err(io::Error::other(format!("{arg} {value}: expected {usage}")));
            }
        }
    }
    std::fs::create_dir_all(&folder)?;
    let store = Store {
        versions: Mutex::default(),
        bug,
    };
    let clock = LogClock::shared();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (store, folder, clock) = (&store, &folder, clock.clone());
                let seed = seed.wrapping_mul(0x9e37_79b9).wrapping_add(number as u64);
                scope.spawn(move || client(store, folder, &format!("client-{number}"), clock, seed))
            })
            .collect();
        for client in clients {
            client
                .join()
                .map_err(|_| io::Error::other("a client panicked"))??;
        }
        Ok(())
    })
}
