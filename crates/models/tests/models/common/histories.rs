//! Random histories: an interleaving is simulated, so that most results fit, and then some results are changed.

use omnilink_engine::{Model, Operation, successors};
use omnilink_trace::{Time, Timebox};

use super::{Rng, Workload};

/// How large histories get and how often something goes wrong in them. Rates are "once in so many".
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

/// Where a simulated thread stands with its current operation.
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
) -> Vec<Operation<<W::Model as Model>::Op>> {
    let model = workload.model();
    let calls = workload.calls();
    let mut state = rng
        .pick(&model.initial())
        .expect("a model has an initial state")
        .clone();
    let mut labels = 0..;
    let mut label = || labels.next().expect("labels do not run out");
    let mut threads: Vec<_> = (0..1 + rng.below(shape.threads_max))
        .map(|_| Thread {
            label: label(),
            calls_left: 1 + rng.below(shape.ops_per_thread_max),
            phase: Phase::Idle,
        })
        .collect();
    let is_perturbed = !rng.once_in(3);
    let mut history = Vec::new();
    let mut clock = 0;
    let mut patience = 400;
    while !threads.is_empty() && patience > 0 {
        patience -= 1;
        // Now and then two events share an instant.
        clock += Time::from(!rng.once_in(8));
        let at = rng.below(threads.len());
        let thread = &mut threads[at];
        let crashes = rng.once_in(shape.crash);
        thread.phase = match std::mem::replace(&mut thread.phase, Phase::Idle) {
            Phase::Idle if thread.calls_left == 0 => {
                threads.swap_remove(at);
                continue;
            }
            Phase::Idle => {
                thread.calls_left -= 1;
                Phase::Called {
                    call: rng.pick(&calls).expect("a world has calls").clone(),
                    start: clock,
                }
            }
            Phase::Called { call, start } | Phase::TookEffect { call, start, .. } if crashes => {
                history.push(Operation::new(thread.label, call, Timebox::pending(start)));
                thread.label = label();
                Phase::Idle
            }
            Phase::Called { call, start } => {
                let mut fitting = workload.results(&call);
                fitting.retain(|op| !successors(&model, &state, op).is_empty());
                match rng.pick(&fitting) {
                    Some(op) => {
                        let next = successors(&model, &state, op);
                        state = rng.pick(&next).expect("just accepted").clone();
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
                let op = if is_perturbed && rng.once_in(shape.perturb) {
                    rng.pick(&workload.results(&call)).unwrap_or(&op).clone()
                } else if rng.once_in(shape.unseen) {
                    call
                } else {
                    op
                };
                history.push(Operation::new(thread.label, op, Timebox::new(start, clock)));
                Phase::Idle
            }
        };
    }
    for thread in threads {
        if let Phase::Called { call, start } | Phase::TookEffect { call, start, .. } = thread.phase {
            history.push(Operation::new(thread.label, call, Timebox::pending(start)));
        }
    }
    history.sort_by_key(|operation| operation.timebox.start);
    history
}
