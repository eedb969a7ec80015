//! Executions per second, and executions until a bug is found, of two engines on the same component: OmniLink's scheduler with the
//! component as it is, and loom with the component ported to it.
//!
//! `cargo run --release` in this directory.

use omnilink_sched::build::RustBuild;
use omnilink_sched::{
    Execution, Executor, ExplorationStrategy, ExploreOptions, HarnessEvent, HarnessEventKind,
    HarnessExecutor, HarnessOptions, TestProgram, explore,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

mod ported_to_loom {
    mod sync {
        pub use loom::sync::Mutex;
        pub use loom::sync::atomic::{AtomicI64, Ordering::SeqCst};
    }
    pub mod component {
        include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/component.rs"));
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
    fn add(&mut self, events: Vec<HarnessEvent>) {
        self.executions += 1;
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

fn ours(executor: Box<dyn Executor>, program: &TestProgram, strategy: ExplorationStrategy) -> Count {
    let mut count = Count::default();
    let mut visit = |execution: &Execution| {
        count.add(execution.canonical_events());
        ControlFlow::Continue(())
    };
    explore(
        &mut [executor],
        program,
        strategy,
        &ExploreOptions::default(),
        &mut visit,
    )
    .expect("the engine answers");
    count
}

fn loom(program: &TestProgram, bound: usize) -> Count {
    let count = Arc::new(Mutex::new(Count::default()));
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(bound);
    let (counted, program) = (count.clone(), Arc::new(program.clone()));
    builder.check(move || {
        let queue = loom::sync::Arc::new(ported_to_loom::component::Queue::new());
        let events = Arc::new(Mutex::new(Vec::new()));
        let threads: Vec<_> = (0..program.columns.len())
            .map(|thread| {
                let (queue, events, program) = (queue.clone(), events.clone(), program.clone());
                loom::thread::spawn(move || {
                    for (position, &op) in program.columns[thread].iter().enumerate() {
                        let event = |kind| HarnessEvent {
                            thread: thread as u8,
                            position: position as u32,
                            op,
                            step: 0,
                            kind,
                        };
                        events.lock().unwrap().push(event(HarnessEventKind::Call));
                        let result = queue.call(op);
                        events
                            .lock()
                            .unwrap()
                            .push(event(HarnessEventKind::Return(result)));
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        let events = std::mem::take(&mut *events.lock().unwrap());
        let ending = omnilink_sched::Ending::Finished;
        let execution = Execution {
            events,
            ending,
            races: Vec::new(),
            steps: Vec::new(),
            steps_made: 0,
        };
        counted.lock().unwrap().add(execution.canonical_events());
    });
    std::mem::take(&mut *count.lock().unwrap())
}

fn report(engine: &str, work: impl FnOnce() -> Count) {
    let start = Instant::now();
    let count = work();
    let rate = count.executions as f64 / start.elapsed().as_secs_f64();
    let bug = count.first_bug.map_or("-".to_owned(), |bug| bug.to_string());
    println!(
        "| {engine} | {} | {} | {bug} | {rate:.0} |",
        count.executions,
        count.histories.len()
    );
}

fn main() {
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
        println!("\n{name}, bound 2\n\n| engine | executions | histories | until the bug | per second |");
        println!("|---|---|---|---|---|");
        let bounded = |reduction| ExplorationStrategy::Bounded {
            preemptions_max: Some(2),
            reduction,
        };
        report("OmniLink, unmodified", || {
            ours(instrumented(), &program, bounded(false))
        });
        report("OmniLink, unmodified, with reduction", || {
            ours(instrumented(), &program, bounded(true))
        });
        report("loom", || loom(&program, 2));
    }
    // A file that is left over in the temporary directory does no harm.
    let _ = std::fs::remove_file(harness);
}
