//! What every generated harness does: threads, seeds, weights, the choice of operations, recording.
//! Written by `omnilink gen harness`, and rewritten by it: what is yours is in src/system.rs.
#![allow(dead_code)]

use std::path::PathBuf;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use omnilink_record::{OpenCall, Record, RecordOptions, ThreadLog};

/// Random numbers that are the same on every machine: the seed of a run decides them.
pub struct Random(u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low.wrapping_add((self.next() % (high.wrapping_sub(low) as u64).saturating_add(1)) as i64)
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    pub fn one_of<T: Clone>(&mut self, items: &[T]) -> T {
        items[(self.next() % items.len() as u64) as usize].clone()
    }

    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// What the environment says about a run. `omnilink fuzz` sets it; by hand: OMNILINK_THREADS=8 ./harness
pub struct Settings {
    /// OMNILINK_TRACE: the folder for the trace.
    pub trace: PathBuf,
    /// OMNILINK_SEED.
    pub seed: u64,
    /// OMNILINK_THREADS.
    pub threads: i64,
    /// OMNILINK_OPS: operations of each thread.
    pub ops: i64,
    /// OMNILINK_SECONDS: if given, threads go on for so long, and OMNILINK_OPS is no limit unless given.
    pub time: Option<Duration>,
    /// OMNILINK_VALUES: from how many values arguments are chosen where the spec does not say.
    pub values: i64,
    /// OMNILINK_OBJECTS: how many systems are exercised side by side, each with a trace of its own.
    pub objects: i64,
    /// OMNILINK_WEIGHTS: Enqueue=3,Dequeue=1; how often each operation is chosen, 0 for never.
    pub weights: String,
}

pub fn settings() -> &'static Settings {
    static SETTINGS: std::sync::OnceLock<Settings> = std::sync::OnceLock::new();
    SETTINGS.get_or_init(|| {
        let time = std::env::var("OMNILINK_SECONDS").ok().map(|text| {
            let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
            seconds.unwrap_or_else(|| refuse("OMNILINK_SECONDS", &text, "a number of seconds"))
        });
        let ops = if time.is_some() { i64::MAX } else { 100 };
        Settings {
            trace: std::env::var_os("OMNILINK_TRACE")
                .map_or_else(|| format!("trace-{}", std::process::id()).into(), PathBuf::from),
            seed: number("OMNILINK_SEED", 1, 0, i64::MAX) as u64,
            threads: number("OMNILINK_THREADS", 3, 1, 1024),
            ops: number("OMNILINK_OPS", ops, 1, i64::MAX),
            time,
            values: number("OMNILINK_VALUES", 12, 1, 1_000_000_000),
            objects: number("OMNILINK_OBJECTS", 1, 1, 1024),
            weights: std::env::var("OMNILINK_WEIGHTS").unwrap_or_default(),
        }
    })
}

fn number(name: &str, otherwise: i64, low: i64, high: i64) -> i64 {
    let Ok(text) = std::env::var(name) else {
        return otherwise;
    };
    match text.parse() {
        Ok(value) if (low..=high).contains(&value) => value,
        _ => refuse(name, &text, &format!("a whole number from {low} to {high}")),
    }
}

fn refuse(name: &str, text: &str, wanted: &str) -> ! {
    eprintln!("{name}={text}: give {wanted}");
    std::process::exit(2);
}

/// A number that no other call of this run gets: for values that must differ.
pub fn unique() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A thread's turn: an operation was chosen for it.
pub struct Turn<'a> {
    log: &'a mut ThreadLog,
    pub random: &'a mut Random,
    thread: i64,
}

pub type Fields<'a> = &'a [(&'static str, &'a dyn Record)];

impl Turn<'_> {
    pub fn op<'a>(&'a mut self, name: &'static str, fields: Fields<'a>) -> Op<'a> {
        Op {
            log: self.log,
            random: self.random,
            thread: self.thread,
            name,
            fields,
            outcome: Outcome::Forgotten,
        }
    }
}

/// One operation that is to be made: what a function of src/system.rs gets.
pub struct Op<'a> {
    log: &'a mut ThreadLog,
    random: &'a mut Random,
    thread: i64,
    name: &'static str,
    fields: Fields<'a>,
    outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    Skipped,
    Unsupported,
    Forgotten,
}

impl Op<'_> {
    /// The timebox starts. Prepare everything before, and call the system after it.
    pub fn begin(&mut self) -> OpenCall<'_> {
        self.begin_with(self.fields)
    }

    /// The same with other arguments than those that were drawn.
    pub fn begin_with(&mut self, fields: Fields<'_>) -> OpenCall<'_> {
        self.outcome = Outcome::Done;
        let mut call = self.log.call(self.name);
        for (name, value) in fields {
            call = call.arg(name, *value);
        }
        call.begin()
    }

    /// Nothing was done, because the operation makes no sense now: another one is picked.
    pub fn pick_another(&mut self) {
        self.outcome = Outcome::Skipped;
    }

    /// The system has no such operation: it is never picked again, and named at the end.
    pub fn unsupported(&mut self) {
        self.outcome = Outcome::Unsupported;
    }

    /// For choices of your own.
    pub fn random(&mut self) -> &mut Random {
        self.random
    }

    /// The number of the thread.
    pub fn thread(&self) -> i64 {
        self.thread
    }

    pub fn outcome(&self) -> Outcome {
        self.outcome
    }
}

/// An operation of the specification: what actions.rs lists.
pub struct Action<System, Client> {
    pub name: &'static str,
    /// Where the specification defines it.
    pub at: &'static str,
    pub weight: f64,
    pub run: fn(&System, &mut Client, &mut Turn<'_>) -> Outcome,
}

/// How a harness makes its systems and clients.
pub struct Setup<System, Client> {
    pub system: fn() -> System,
    pub client: fn(&System, i64) -> Client,
}

struct Harness<System, Client> {
    setup: Setup<System, Client>,
    actions: Vec<Action<System, Client>>,
    is_supported: Vec<AtomicBool>,
    has_failed: AtomicBool,
}

/// Runs the operations from several threads, and records them.
pub fn run<System: Sync, Client>(setup: Setup<System, Client>, actions: Vec<Action<System, Client>>) -> i32 {
    let mut harness = Harness {
        setup,
        is_supported: actions.iter().map(|_| AtomicBool::new(true)).collect(),
        actions,
        has_failed: AtomicBool::new(false),
    };
    if let Err(message) = harness.set_weights().and_then(|()| harness.start()) {
        eprintln!("{message}");
        return 2;
    }
    let mut any = false;
    for (action, is_supported) in harness.actions.iter().zip(&harness.is_supported) {
        match is_supported.load(Ordering::Relaxed) {
            true => any = true,
            false => eprintln!("unsupported: {} ({})", action.name, action.at),
        }
    }
    if !any {
        eprintln!("no operation is bound yet: write the calls into src/system.rs");
    }
    if harness.has_failed.load(Ordering::Relaxed) { 2 } else { 0 }
}

impl<System: Sync, Client> Harness<System, Client> {
    /// OMNILINK_WEIGHTS=Enqueue=3,Dequeue=1
    fn set_weights(&mut self) -> Result<(), String> {
        for item in settings().weights.split(',').filter(|item| !item.is_empty()) {
            let parsed = item.split_once('=').and_then(|(name, weight)| {
                let weight: f64 = weight.parse().ok()?;
                (weight >= 0.0).then_some((name, weight))
            });
            let Some((name, weight)) = parsed else {
                return Err(format!("OMNILINK_WEIGHTS: \"{item}\" is no weight; write Name=2,Other=0.5"));
            };
            let Some(action) = self.actions.iter_mut().find(|action| action.name == name) else {
                return Err(format!("OMNILINK_WEIGHTS: there is no operation \"{name}\""));
            };
            action.weight = weight;
        }
        Ok(())
    }

    fn start(&self) -> Result<(), String> {
        let given = settings();
        let mut objects = Vec::new();
        for i in 0..given.objects {
            let folder = match given.objects {
                1 => given.trace.clone(),
                _ => given.trace.join(format!("object-{i}")),
            };
            if let Some(parent) = folder.parent() {
                // The recorder says what is wrong if this fails.
                let _ = std::fs::create_dir_all(parent);
            }
            let recorder = described()
                .and_then(|options| options.create(folder))
                .map_err(|error| error.to_string())?;
            objects.push((recorder, (self.setup.system)()));
        }
        // All threads start together: otherwise the first would be done before the last is there.
        let barrier = Barrier::new(given.threads as usize);
        std::thread::scope(|scope| {
            for thread in 0..given.threads {
                let (objects, barrier) = (&objects, &barrier);
                scope.spawn(move || {
                    if let Err(message) = self.work(objects, barrier, thread) {
                        self.has_failed.store(true, Ordering::Relaxed);
                        eprintln!("thread {thread}: {message}");
                    }
                });
            }
        });
        for (recorder, system) in objects {
            drop(system);
            recorder.finish().map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn work(
        &self,
        objects: &[(omnilink_record::Recorder, System)],
        barrier: &Barrier,
        thread: i64,
    ) -> Result<(), String> {
        let given = settings();
        let mut random = Random(given.seed.wrapping_mul(0x100_0000_01b3).wrapping_add(thread as u64));
        let made: Result<Vec<_>, String> = objects
            .iter()
            .map(|(recorder, system)| {
                let log = recorder.thread(thread).map_err(|error| error.to_string())?;
                Ok((log, (self.setup.client)(system, thread)))
            })
            .collect();
        barrier.wait();
        let mut clients = made?;
        let started = Instant::now();
        let (mut done, mut skipped) = (0, 0);
        while done < given.ops && !self.has_failed.load(Ordering::Relaxed) {
            if given.time.is_some_and(|time| started.elapsed() >= time) {
                break;
            }
            let Some(chosen) = self.choose(&mut random) else {
                return Ok(());
            };
            let object = (random.next() % objects.len() as u64) as usize;
            let (log, client) = &mut clients[object];
            let mut turn = Turn {
                log,
                random: &mut random,
                thread,
            };
            let action = &self.actions[chosen];
            match (action.run)(&objects[object].1, client, &mut turn) {
                Outcome::Done => {
                    done += 1;
                    skipped = 0;
                }
                Outcome::Unsupported => self.is_supported[chosen].store(false, Ordering::Relaxed),
                Outcome::Skipped if skipped < 10_000 => skipped += 1,
                Outcome::Skipped => {
                    return Err("10000 times in a row another operation was to be picked; nothing can be done".into());
                }
                Outcome::Forgotten => {
                    let name = action.name;
                    return Err(format!(
                        "{name} returned without op.begin(), op.pick_another() or op.unsupported()"
                    ));
                }
            }
        }
        Ok(())
    }

    /// An operation by weight.
    fn choose(&self, random: &mut Random) -> Option<usize> {
        let weight = |i: usize| match self.is_supported[i].load(Ordering::Relaxed) {
            true => self.actions[i].weight,
            false => 0.0,
        };
        let total: f64 = (0..self.actions.len()).map(weight).sum();
        let mut point = random.fraction() * total;
        let mut last = None;
        for i in (0..self.actions.len()).filter(|i| weight(*i) > 0.0) {
            last = Some(i);
            point -= weight(i);
            if point < 0.0 {
                break;
            }
        }
        last
    }
}

/// Every choice of the run goes into the header: what the environment says, and what it leaves open.
fn described() -> Result<RecordOptions, omnilink_record::RecordError> {
    let given = settings();
    let mut options = RecordOptions::new()
        .header("seed", given.seed)?
        .header("threads", given.threads)?
        .header("values", given.values)?;
    if given.time.is_none() {
        options = options.header("ops", given.ops)?;
    }
    for (name, value) in std::env::vars_os() {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        if name.starts_with("OMNILINK_") && name != "OMNILINK_TRACE" {
            options = options.header(&name, value.as_ref())?;
        }
    }
    Ok(options)
}
