//! Checks a live system: worker threads use a shared register and tell what they do; a check follows it as it happens and
//! stops them at the first answer that no order explains.
//!
//! ```console
//! $ cargo run -p omnilink --example live_check              # a register that works
//! $ cargo run -p omnilink --example live_check -- buggy     # one whose reads go back in time now and then
//! ```
//!
//! Exit codes are those of the command: 0 valid, 1 a violation, 3 unknown.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use omnilink::{CallEvent, Conclusion, Limits, LiveCheck, Model, Options, Outcomes, Progress};

const WORKERS: u32 = 4;
const CALLS: u64 = 5_000;

/// What the register should do: the model of the README.
struct Register;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Op {
    Write(i64),
    Read(i64),
}

impl Model for Register {
    type State = i64;
    type Op = Op;

    fn initial(&self) -> Vec<i64> {
        vec![0]
    }

    fn step(&self, state: &i64, op: &Op, outcomes: &mut Outcomes<i64>) {
        match op {
            Op::Write(value) => outcomes.accept(*value),
            Op::Read(value) if value == state => outcomes.accept(*state),
            Op::Read(value) => outcomes.refuse(|| format!("read {value}, but the register holds {state}")),
        }
    }

    fn is_pure(&self, op: &Op) -> bool {
        matches!(op, Op::Read(_))
    }
}

/// The system that is checked.
struct System {
    value: Mutex<i64>,
    /// What some reads return instead.
    stale: Mutex<i64>,
    is_buggy: bool,
    reads: AtomicU64,
}

impl System {
    fn write(&self, value: i64) {
        *self.value.lock().expect("nobody panics") = value;
    }

    fn read(&self) -> i64 {
        let value = *self.value.lock().expect("nobody panics");
        let turn = self.reads.fetch_add(1, Ordering::Relaxed);
        match turn % 1_000 {
            // It remembers what it held 1,000 reads ago.
            999 if self.is_buggy => std::mem::replace(&mut *self.stale.lock().expect("nobody panics"), value),
            _ => value,
        }
    }
}

/// What the workers tell. A call is told before it is made and a return after it was seen, so what is told may take longer than what
/// happened, and is never shorter.
struct Teller {
    events: mpsc::Sender<CallEvent<Op>>,
    calls: AtomicU64,
}

fn work(system: &System, teller: &Teller, worker: u32, stop: &AtomicBool) {
    for round in 0..CALLS {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let call = teller.calls.fetch_add(1, Ordering::Relaxed);
        // A check that is gone has its answer.
        let tell = |event| drop(teller.events.send(event));
        if round % 4 == 0 {
            let op = Op::Write(call as i64 + 1);
            tell(CallEvent::Call {
                call,
                thread: worker,
                op: op.clone(),
            });
            system.write(call as i64 + 1);
            tell(CallEvent::Return { call, op });
        } else {
            tell(CallEvent::CallForResult { call, thread: worker });
            let value = system.read();
            tell(CallEvent::Return {
                call,
                op: Op::Read(value),
            });
        }
    }
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let is_buggy = std::env::args().any(|argument| argument == "buggy");
    let system = System {
        value: Mutex::new(0),
        stale: Mutex::new(0),
        is_buggy,
        reads: AtomicU64::new(0),
    };
    let (events, told) = mpsc::channel();
    let teller = Teller {
        events,
        calls: AtomicU64::new(0),
    };
    let stop = AtomicBool::new(false);
    let options = Options {
        limits: Limits {
            time: Some(Duration::from_secs(60)),
            ..Limits::default()
        },
        ..Options::default()
    };
    let started = Instant::now();
    std::thread::scope(|scope| {
        let (system, stop) = (&system, &stop);
        let workers = scope.spawn(move || {
            // The channel closes when the last worker is done.
            let teller = teller;
            std::thread::scope(|scope| {
                for worker in 0..WORKERS {
                    let teller = &teller;
                    scope.spawn(move || work(system, teller, worker, stop));
                }
            });
        });
        let mut live = LiveCheck::new(&Register, options);
        let mut seen = 0u64;
        for event in told {
            seen += 1;
            if live.feed(event)? == Progress::Decided {
                stop.store(true, Ordering::Relaxed);
                println!("decided after {seen} events: the system is stopped");
                break;
            }
        }
        let outcome = live.finish()?;
        stop.store(true, Ordering::Relaxed);
        workers.join().map_err(|_| "a worker panicked")?;
        println!(
            "{} operations checked in {:.1?}",
            outcome.figures.operations,
            started.elapsed()
        );
        Ok(match outcome.conclusion {
            Conclusion::Valid(_) => {
                println!("valid");
                ExitCode::SUCCESS
            }
            Conclusion::Violation(counterexample) => {
                println!(
                    "violation: no order explains thread {}'s {}",
                    counterexample.op.thread, counterexample.op.text
                );
                ExitCode::from(1)
            }
            Conclusion::Unknown(_) => {
                println!("unknown: a limit was reached");
                ExitCode::from(3)
            }
        })
    })
}
