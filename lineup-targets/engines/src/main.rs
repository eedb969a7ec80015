//! Executions, CPU time, and executions until a bug is found, of three engines on the same component: OmniLink's scheduler with the
//! component as it is, and loom and shuttle with the component ported to them.
//!
//! `cargo run --release` in this directory.

use omnilink_sched::build::RustBuild;
use omnilink_sched::{
    Ending, Execution, Executor, ExplorationStrategy, ExploreOptions, HarnessEvent, HarnessEventKind,
    HarnessExecutor, HarnessOptions, TestProgram, explore,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The component, ported to an engine, and a run of a program with it that adds its events to a count.
macro_rules! ported {
    ($engine:ident) => {
        mod $engine {
            mod sync {
                pub use ::$engine::sync::Mutex;
                pub use ::$engine::sync::atomic::{AtomicI64, Ordering::SeqCst};
            }
            mod component {
                include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/component.rs"));
            }

            pub fn run(program: &super::TestProgram, count: &super::Mutex<super::Count>) {
                use super::{Arc, HarnessEvent, HarnessEventKind, Mutex};
                let queue = ::$engine::sync::Arc::new(component::Queue::new());
                let events = Arc::new(Mutex::new(Vec::new()));
                let threads: Vec<_> = (0..program.columns.len())
                    .map(|thread| {
                        let (queue, events, ops) = (queue.clone(), events.clone(), program.columns[thread].clone());
                        ::$engine::thread::spawn(move || {
                            for (position, op) in ops.into_iter().enumerate() {
                                let event = |kind| HarnessEvent {
                                    thread: thread as u8,
                                    position: position as u32,
                                    op,
                                    step: 0,
                                    kind,
                                };
                                events.lock().unwrap().push(event(HarnessEventKind::Call));
                                let result = queue.call(op);
                                events.lock().unwrap().push(event(HarnessEventKind::Return(result)));
                            }
                        })
                    })
                    .collect();
                for thread in threads {
                    thread.join().unwrap();
                }
                let events = std::mem::take(&mut *events.lock().unwrap());
                count.lock().unwrap().add(&super::finished(events));
            }
        }
    };
}

ported!(loom);
ported!(shuttle);

fn finished(events: Vec<HarnessEvent>) -> Execution {
    Execution {
        events,
        ending: Ending::Finished,
        races: Vec::new(),
        steps: Vec::new(),
        steps_made: 0,
    }
}

/// The executions of one engine.
#[derive(Default)]
struct Count {
    executions: u64,
    histories: BTreeSet<Vec<HarnessEvent>>,
    first_bug: Option<u64>,
}

impl Count {
    fn add(&mut self, execution: &Execution) {
        self.executions += 1;
        let events = execution.canonical_events();
        let mut taken: Vec<&String> = events.iter().filter_map(item).collect();
        taken.sort();
        if taken.windows(2).any(|pair| pair[0] == pair[1]) {
            self.first_bug.get_or_insert(self.executions);
        }
        self.histories.insert(events);
    }
}

/// The item that a call took, or the ticket that it drew: no other call may return it.
fn item(event: &HarnessEvent) -> Option<&String> {
    match &event.kind {
        HarnessEventKind::Return(value) if value.starts_with("Some") => Some(value),
        _ => None,
    }
}

fn omnilink(executor: Box<dyn Executor>, program: &TestProgram, reduction: bool) -> Count {
    let mut count = Count::default();
    let mut visit = |execution: &Execution| {
        count.add(execution);
        ControlFlow::Continue(())
    };
    let strategy = ExplorationStrategy::Bounded {
        preemptions_max: Some(BOUND),
        reduction,
    };
    let options = ExploreOptions::default();
    explore(&mut [executor], program, strategy, &options, &mut visit).expect("the engine answers");
    count
}

fn loom_bounded(program: &TestProgram) -> Count {
    let count = Arc::new(Mutex::new(Count::default()));
    let mut builder = ::loom::model::Builder::new();
    builder.preemption_bound = Some(BOUND as usize);
    let (counted, program) = (count.clone(), program.clone());
    builder.check(move || loom::run(&program, &counted));
    std::mem::take(&mut *count.lock().unwrap())
}

/// All executions, as many as this.
fn shuttle_all(program: &TestProgram) -> Count {
    let count = Arc::new(Mutex::new(Count::default()));
    let (counted, program) = (count.clone(), program.clone());
    ::shuttle::check_dfs(move || shuttle::run(&program, &counted), Some(SHUTTLE_MAX));
    std::mem::take(&mut *count.lock().unwrap())
}

fn shuttle_random(program: &TestProgram) -> Count {
    let count = Arc::new(Mutex::new(Count::default()));
    let (counted, program) = (count.clone(), program.clone());
    ::shuttle::check_random(move || shuttle::run(&program, &counted), SHUTTLE_MAX);
    std::mem::take(&mut *count.lock().unwrap())
}

/// The preemption bound of the engines that have one. shuttle has none: it makes at most this many executions.
const BOUND: u32 = 2;
const SHUTTLE_MAX: usize = 20_000;

/// CPU seconds of this process and of the processes it started, which have ended.
fn cpu_seconds() -> f64 {
    // The processes of executions are children of a harness that was ended: they became ours.
    // SAFETY: waits for any child, and asks for nothing about it.
    while unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } > 0 {}
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let after_name = stat.rsplit(')').next().expect("a line");
    let ticks = after_name.split_whitespace().skip(11).take(4);
    ticks.map(|ticks| ticks.parse::<f64>().expect("a number")).sum::<f64>() / TICKS_PER_SECOND
}

fn report(engine: &str, work: impl Fn() -> Count) {
    let (start, mut runs) = (cpu_seconds(), 0);
    let mut count = Count::default();
    // Short explorations are repeated, because the clock is coarse.
    while runs == 0 || cpu_seconds() - start < 0.4 {
        count = work();
        runs += 1;
    }
    let cpu = (cpu_seconds() - start) / f64::from(runs);
    let bug = count.first_bug.map_or("-".to_owned(), |bug| bug.to_string());
    println!(
        "| {engine} | {} | {} | {bug} | {:.3} | {:.0} |",
        count.executions,
        count.histories.len(),
        cpu,
        cpu / count.executions as f64 * 1e6
    );
}

fn main() {
    // SAFETY: sets a property of this process.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/harness.rs");
    let harness = std::env::temp_dir().join(format!("omnilink-engines-{}", std::process::id()));
    RustBuild::build_file(&source, &harness, &[]).unwrap_or_else(|error| panic!("{error}"));
    let instrumented = || -> Box<dyn Executor> {
        Box::new(
            HarnessExecutor::start(&harness, &HarnessOptions::default())
                .unwrap_or_else(|error| panic!("{error}")),
        )
    };
    let programs = [
        ("queue 2×2", vec![vec![0, 2], vec![1, 2]]),
        ("queue 3×2", vec![vec![0, 2], vec![1, 2], vec![2, 2]]),
        ("tickets without a lock 2×1", vec![vec![4], vec![4]]),
        (
            "tickets without a lock 3×2",
            vec![vec![4, 4], vec![4, 4], vec![4, 4]],
        ),
        ("look, then take 2×2", vec![vec![0, 3], vec![1, 3]]),
        ("look, then take 3×2", vec![vec![0, 3], vec![1, 3], vec![3, 3]]),
    ];
    for (name, columns) in programs {
        let program = TestProgram::new(columns);
        println!(
            "\n{name}, bound {BOUND}\n\n| engine | executions | histories | until the bug | CPU s | CPU µs per execution |"
        );
        println!("|---|---|---|---|---|---|");
        report("OmniLink, unmodified", || omnilink(instrumented(), &program, false));
        report("OmniLink, unmodified, with reduction", || {
            omnilink(instrumented(), &program, true)
        });
        report("loom", || loom_bounded(&program));
        report("shuttle, depth-first, unbounded", || shuttle_all(&program));
        report("shuttle, random", || shuttle_random(&program));
    }
    // A file that is left over in the temporary directory does no harm.
    let _ = std::fs::remove_file(harness);
}
