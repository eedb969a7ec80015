//! The inputs, and how each tool answers them.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use omnilink_engine::{Options, Reductions};
use omnilink_models::{CasRegister, Decode, FailedCas, Kv, Map, Register};
use omnilink_value::Value;
use porcupine::Model;

use crate::map_workload::Load;
use crate::ours::{check_file, operations};
use crate::porcupine_models::{ArrayMap, Cas, KvByKey, KvCall, Plain, WholeKv};
use crate::register_workload::RegisterLoad;

/// An input.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// All Jepsen logs of etcd, one after another.
    Etcd,
    /// A history of the key-value store, by file name.
    Kv(&'static str),
    /// A simulated map.
    Map(Load),
    /// A simulated register with crashing clients.
    Register(RegisterLoad),
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What it is called.
    pub name: &'static str,
    /// What is checked.
    pub input: Input,
    /// Whether the history is checked key by key.
    pub partitioned: bool,
    /// The ratio of CPU times to reach, if one is promised.
    pub ratio_min: Option<f64>,
    /// Whether porcupine-rs is run at all: where it is known to need tens of gigabytes it is not.
    pub porcupine: bool,
}

const fn map(threads: u32, ops_per_thread: u64, idle_percent: u64, stale_reads: bool) -> Input {
    Input::Map(Load {
        threads,
        ops_per_thread,
        seed: 1,
        idle_percent,
        stale_reads,
    })
}

const fn register(crash_one_in: u64, violation: bool) -> Input {
    Input::Register(RegisterLoad {
        clients: 5,
        ops: 5_000,
        crash_one_in,
        violation,
        seed: 3,
    })
}

const fn case(name: &'static str, input: Input, ratio_min: Option<f64>) -> Case {
    Case {
        name,
        input,
        partitioned: false,
        ratio_min,
        porcupine: true,
    }
}

const fn alone(name: &'static str, input: Input) -> Case {
    Case {
        name,
        input,
        partitioned: false,
        ratio_min: None,
        porcupine: false,
    }
}

/// Everything that is measured.
pub const CASES: &[Case] = &[
    case("etcd, 51 logs", Input::Etcd, Some(20.0)),
    case(
        "kv, 10 clients, valid, in one piece",
        Input::Kv("c10-ok.txt"),
        Some(10.0),
    ),
    case(
        "kv, 10 clients, violation, in one piece",
        Input::Kv("c10-bad.txt"),
        Some(10.0),
    ),
    Case {
        partitioned: true,
        ..case(
            "kv, 10 clients, valid, by key",
            Input::Kv("c10-ok.txt"),
            Some(1.0),
        )
    },
    Case {
        partitioned: true,
        ..case(
            "kv, 10 clients, violation, by key",
            Input::Kv("c10-bad.txt"),
            Some(1.0),
        )
    },
    case(
        "register, 1 % crashed writes, valid",
        register(50, false),
        Some(1.0),
    ),
    case(
        "register, 1 % crashed writes, violation",
        register(50, true),
        Some(1.0),
    ),
    case(
        "map, 5 threads, 50k, valid",
        map(5, 10_000, 100, false),
        Some(10.0),
    ),
    case(
        "map, 5 threads, 50k, violation",
        map(5, 10_000, 100, true),
        Some(30.0),
    ),
    case(
        "map, 5 threads, 200k, valid",
        map(5, 40_000, 100, false),
        Some(20.0),
    ),
    alone("map, 5 threads, 450k, valid", map(5, 90_000, 100, false)),
    case("map, 20 threads, dense, valid", map(20, 100, 0, false), None),
    case("map, 20 threads, dense, violation", map(20, 100, 0, true), None),
    case("map, 30 threads, dense, valid", map(30, 100, 0, false), None),
    case("map, 30 threads, dense, violation", map(30, 100, 0, true), None),
    alone("map, 40 threads, dense, valid", map(40, 100, 0, false)),
    alone("map, 50 threads, dense, valid", map(50, 100, 0, false)),
    alone("map, 50 threads, dense, violation", map(50, 100, 0, true)),
    alone("map, 5 threads, 100k, from disk", map(5, 20_000, 100, false)),
    alone("map, 5 threads, 1M, from disk", map(5, 200_000, 100, false)),
    alone("map, 5 threads, 10M, from disk", map(5, 2_000_000, 100, false)),
];

/// Where the histories that ship with the trace crate are.
fn shipped(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/trace/tests/data")
        .join(folder)
}

impl Input {
    /// The files to check, made in `folder` where they have to be made.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn files(&self, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
        Ok(match self {
            Self::Etcd => {
                let mut logs: Vec<PathBuf> = std::fs::read_dir(shipped("porcupine/jepsen"))?
                    .filter_map(|entry| entry.ok().map(|entry| entry.path()))
                    .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
                    .collect();
                logs.sort();
                logs
            }
            Self::Kv(name) => vec![shipped("porcupine/kv").join(name)],
            Self::Map(load) => {
                let path = folder.join("map.ndjson");
                let mut out = BufWriter::new(File::create(&path)?);
                // Lines leave the simulation in order of return; a recorder's files are sorted by start.
                if load.ops_per_thread * u64::from(load.threads) > 2_000_000 {
                    load.write_sorted(&mut out)?;
                } else {
                    load.history()
                        .iter()
                        .try_for_each(|observed| observed.write_line(&mut out))?;
                }
                vec![path]
            }
            Self::Register(load) => {
                let path = folder.join("register.ndjson");
                load.write(&mut BufWriter::new(File::create(&path)?))?;
                vec![path]
            }
        })
    }
}

impl Case {
    /// Our answer: one letter a file, `v` for valid and `x` for a violation.
    pub fn ours(&self, files: &[PathBuf]) -> String {
        let reductions = Reductions {
            partitions: self.partitioned,
            ..Reductions::ALL
        };
        let options = Options {
            reductions,
            ..Options::default()
        };
        let letter = |outcome: omnilink_engine::Outcome| match outcome.verdict {
            omnilink_engine::Verdict::Valid(_) => 'v',
            omnilink_engine::Verdict::Violation(_) => 'x',
            omnilink_engine::Verdict::Unknown(_) => '?',
        };
        files
            .iter()
            .map(|file| {
                letter(match self.input {
                    Input::Etcd => check_file(&etcd(), file, options),
                    Input::Kv(_) => check_file(&Kv, file, options),
                    Input::Map(_) => check_file(&ordered_map(), file, options),
                    Input::Register(_) => check_file(&plain_register(), file, options),
                })
            })
            .collect()
    }

    /// The answer of porcupine-rs, in the same letters.
    pub fn porcupine(&self, files: &[PathBuf]) -> String {
        files
            .iter()
            .map(|file| match (self.input, self.partitioned) {
                (Input::Etcd, _) => ask::<_, Cas>(&etcd(), file, Cas::convert),
                (Input::Kv(_), false) => ask::<_, WholeKv>(&Kv, file, KvCall::convert),
                (Input::Kv(_), true) => ask::<_, KvByKey>(&Kv, file, KvCall::convert),
                (Input::Map(_), _) => ask::<_, ArrayMap>(&ordered_map(), file, ArrayMap::convert),
                (Input::Register(_), _) => ask::<_, Plain>(&plain_register(), file, Plain::convert),
            })
            .map(|ok| if ok { 'v' } else { 'x' })
            .collect()
    }
}

fn etcd() -> CasRegister {
    CasRegister {
        initial: Value::null(),
        failed_cas: FailedCas::Differed,
    }
}

fn ordered_map() -> Map {
    Map { none: Value::int(0) }
}

fn plain_register() -> Register {
    Register {
        initial: Value::int(0),
    }
}

fn ask<D: Decode, P: Model>(model: &D, file: &Path, convert: fn(&D::Op) -> P::Op) -> bool {
    let history: Vec<porcupine::Operation<P>> = operations(model, file)
        .map(|operation| porcupine::Operation {
            client_id: Some(operation.thread),
            call_time: operation.timebox.start,
            return_time: operation.timebox.end.unwrap_or(i64::MAX),
            op: convert(&operation.op),
            metadata: None,
        })
        .collect();
    porcupine::check_operations(&history)
}
