//! The inputs, and how each tool answers them.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use omnilink_engine::{Conclusion, Options, Reductions};
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
    /// A recorded history of the map, by file name.
    Recorded(&'static str),
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
    /// The ratio of CPU times that must be reached, if any.
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
    case("etcd, 52 logs", Input::Etcd, Some(20.0)),
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
        Input::Recorded("s5_50000_ok.ndjson.zst"),
        Some(10.0),
    ),
    case(
        "map, 5 threads, 50k, violation",
        Input::Recorded("s5_50000_late.ndjson.zst"),
        Some(30.0),
    ),
    case(
        "map, 5 real threads, 50k, violation",
        Input::Recorded("r5_50000_late.ndjson.zst"),
        Some(30.0),
    ),
    case(
        "map, 5 threads, 200k, valid",
        map(5, 40_000, 30, false),
        Some(20.0),
    ),
    alone("map, 5 threads, 450k, valid", map(5, 90_000, 30, false)),
    case("map, 20 threads, dense, valid", map(20, 100, 0, false), None),
    case("map, 20 threads, dense, violation", map(20, 100, 0, true), None),
    case("map, 30 threads, dense, valid", map(30, 100, 0, false), None),
    case("map, 30 threads, dense, violation", map(30, 100, 0, true), None),
    alone("map, 40 threads, dense, valid", map(40, 100, 0, false)),
    alone("map, 50 threads, dense, valid", map(50, 100, 0, false)),
    alone("map, 50 threads, dense, violation", map(50, 100, 0, true)),
    alone("map, 5 threads, 100k, from disk", map(5, 20_000, 30, false)),
    alone("map, 5 threads, 1M, from disk", map(5, 200_000, 30, false)),
    alone("map, 5 threads, 10M, from disk", map(5, 2_000_000, 30, false)),
];

/// Where the histories that ship with our crates' tests are.
fn shipped(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crates")
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
                let mut logs: Vec<PathBuf> = std::fs::read_dir(shipped("trace/tests/data/porcupine/jepsen"))?
                    .filter_map(|entry| entry.ok().map(|entry| entry.path()))
                    .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
                    .collect();
                logs.sort();
                logs
            }
            Self::Kv(name) => vec![shipped("trace/tests/data/porcupine/kv").join(name)],
            Self::Recorded(name) => vec![shipped("models/tests/data/setbench").join(name)],
            Self::Map(load) => {
                let path = folder.join("map.ndjson");
                let mut out = BufWriter::new(File::create(&path)?);
                load.write_sorted(&mut out)?;
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

/// What a tool answered, and how long the check alone took it.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// One letter a file: `v` for valid, `x` for a violation, `?` for neither.
    pub letters: String,
    /// Seconds of the check, the history being in memory; of everything where it is streamed.
    pub seconds: f64,
}

impl Answer {
    fn add(&mut self, letter: char, seconds: f64) {
        self.letters.push(letter);
        self.seconds += seconds;
    }
}

impl Case {
    fn options(&self) -> Options {
        let reductions = Reductions {
            partitions: self.partitioned,
            ..Reductions::ALL
        };
        Options {
            reductions,
            ..Options::default()
        }
    }

    /// Our answer, the history being in memory: the bare verdict, like the one we compare with.
    pub fn ours(&self, files: &[PathBuf]) -> Answer {
        let options = Options {
            witness: false,
            ..self.options()
        };
        self.each(files, |model, file, answer| {
            model.check_in_memory(file, options, answer)
        })
    }

    /// Our answer as the command line finds it: from file to verdict, streaming.
    pub fn ours_streaming(&self, files: &[PathBuf]) -> Answer {
        self.each(files, |model, file, answer| {
            model.check_streaming(file, self.options(), answer)
        })
    }

    fn each(&self, files: &[PathBuf], check: impl Fn(&dyn Subject, &Path, &mut Answer)) -> Answer {
        let mut answer = Answer::default();
        let model: &dyn Subject = match self.input {
            Input::Etcd => &etcd(),
            Input::Kv(_) => &Kv,
            Input::Map(_) | Input::Recorded(_) => &ordered_map(),
            Input::Register(_) => &plain_register(),
        };
        files.iter().for_each(|file| check(model, file, &mut answer));
        answer
    }

    /// The answer of porcupine-rs, the history being in memory.
    pub fn porcupine(&self, files: &[PathBuf]) -> Answer {
        let mut answer = Answer::default();
        for file in files {
            match (self.input, self.partitioned) {
                (Input::Etcd, _) => ask::<_, Cas>(&etcd(), file, Cas::convert, &mut answer),
                (Input::Kv(_), false) => ask::<_, WholeKv>(&Kv, file, KvCall::convert, &mut answer),
                (Input::Kv(_), true) => ask::<_, KvByKey>(&Kv, file, KvCall::convert, &mut answer),
                (Input::Map(_) | Input::Recorded(_), _) => {
                    ask::<_, ArrayMap>(&ordered_map(), file, ArrayMap::convert, &mut answer)
                }
                (Input::Register(_), _) => {
                    ask::<_, Plain>(&plain_register(), file, Plain::convert, &mut answer)
                }
            }
        }
        answer
    }
}

/// Any of our models.
trait Subject {
    fn check_in_memory(&self, file: &Path, options: Options, answer: &mut Answer);
    fn check_streaming(&self, file: &Path, options: Options, answer: &mut Answer);
}

impl<M: Decode> Subject for M {
    fn check_in_memory(&self, file: &Path, options: Options, answer: &mut Answer) {
        let history: Vec<_> = operations(self, file).collect();
        let start = Instant::now();
        let outcome = omnilink_engine::check(self, history, options).expect("a verdict");
        answer.add(letter(&outcome.conclusion), start.elapsed().as_secs_f64());
    }

    fn check_streaming(&self, file: &Path, options: Options, answer: &mut Answer) {
        let start = Instant::now();
        let outcome = check_file(self, file, options);
        answer.add(letter(&outcome.conclusion), start.elapsed().as_secs_f64());
    }
}

fn letter(verdict: &Conclusion) -> char {
    match verdict {
        Conclusion::Valid(_) => 'v',
        Conclusion::Violation(_) => 'x',
        Conclusion::Unknown(_) => '?',
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

fn ask<D: Decode, P: Model>(model: &D, file: &Path, convert: fn(&D::Op) -> P::Op, answer: &mut Answer) {
    let history: Vec<porcupine::Operation<P>> = operations(model, file)
        .map(|operation| porcupine::Operation {
            client_id: Some(operation.thread),
            call_time: operation.timebox.start,
            return_time: operation.timebox.end.unwrap_or(i64::MAX),
            op: convert(&operation.op),
            metadata: None,
        })
        .collect();
    let start = Instant::now();
    let ok = porcupine::check_operations(&history);
    answer.add(if ok { 'v' } else { 'x' }, start.elapsed().as_secs_f64());
}
