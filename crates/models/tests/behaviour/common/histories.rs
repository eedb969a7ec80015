//! Random histories: simulates an interleaving, so that most results fit, and then changes some results.

use omnilink_engine::{Model, TimedOp, successors};
use omnilink_trace::{Time, Timebox};

use super::Workload;
use fastrand::Rng;

/// The size of random histories, and the rates of failures: a rate of N means one in N.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub threads_max: usize,
    pub ops_per_thread_max: usize,
    pub crash: usize,
    pub unseen: usize,
    pub perturb: usize,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            threads_max: 4,
            ops_per_thread_max: 5,
            crash: 10,
            unseen: 20,
            perturb: 10,
        }
    }
}

/// The phase of the current operation of a simulated thread.
enum Phase<Op> {
    Idle,
    Called { call: Op, start: Time },
    TookEffect { call: Op, op: Op, start: Time },
}

struct Thread<Op> {
    label: u32,
    calls_left: usize,
    phase: Phase<Op>,
}

/// A history of `workload` in order of start; about half of them have an explanation.
pub fn random_history<W: Workload>(
    workload: &W,
    rng: &mut Rng,
    shape: Shape,
) -> Vec<TimedOp<<W::Model as Model>::Op>> {
    let model = workload.model();
    let calls = workload.calls();
    let mut state = rng
        .choice(&model.initial())
        .expect("a model has an initial state")
        .clone();
    let mut labels = 0..;
    let mut label = || labels.next().expect("labels do not run out");
    let mut threads: Vec<_> = (0..1 + rng.usize(..shape.threads_max))
        .map(|_| Thread {
            label: label(),
            calls_left: 1 + rng.usize(..shape.ops_per_thread_max),
            phase: Phase::Idle,
        })
        .collect();
    let is_perturbed = rng.usize(..3) != 0;
    let mut history = Vec::new();
    let mut clock = 0;
    let mut steps_left = 400;
    while !threads.is_empty() && steps_left > 0 {
        steps_left -= 1;
        // Some events share an instant.
        clock += Time::from(rng.usize(..8) != 0);
        let at = rng.usize(..threads.len());
        let thread = &mut threads[at];
        let crashes = rng.usize(..shape.crash) == 0;
        thread.phase = match std::mem::replace(&mut thread.phase, Phase::Idle) {
            Phase::Idle if thread.calls_left == 0 => {
                threads.swap_remove(at);
                continue;
            }
            Phase::Idle => {
                thread.calls_left -= 1;
                Phase::Called {
                    call: rng.choice(&calls).expect("a workload has calls").clone(),
                    start: clock,
                }
            }
            Phase::Called { call, start } | Phase::TookEffect { call, start, .. } if crashes => {
                history.push(TimedOp::new(thread.label, call, Timebox::pending(start)));
                thread.label = label();
                Phase::Idle
            }
            Phase::Called { call, start } => {
                let mut fitting = workload.results(&call);
                fitting.retain(|op| !successors(&model, &state, op).is_empty());
                match rng.choice(&fitting) {
                    Some(op) => {
                        let next = successors(&model, &state, op);
                        state = rng.choice(&next).expect("just accepted").clone();
                        Phase::TookEffect {
                            call,
                            op: op.clone(),
                            start,
                        }
                    }
                    None => Phase::Called { call, start },
                }
            }
            Phase::TookEffect { call, op, start } => {
                let op = if is_perturbed && (rng.usize(..shape.perturb) == 0) {
                    rng.choice(&workload.results(&call)).unwrap_or(&op).clone()
                } else if rng.usize(..shape.unseen) == 0 {
                    call
                } else {
                    op
                };
                history.push(TimedOp::new(thread.label, op, Timebox::new(start, clock)));
                Phase::Idle
            }
        };
    }
    for thread in threads {
        if let Phase::Called { call, start } | Phase::TookEffect { call, start, .. } = thread.phase {
            history.push(TimedOp::new(thread.label, call, Timebox::pending(start)));
        }
    }
    history.sort_by_key(|operation| operation.timebox.start);
    history
}
