//! Several histories judged in parallel, with the answers in the order of the histories.
//!
//! One thread reads the inputs, a few histories ahead of the workers, so memory does not grow with their number. Each worker
//! has a judge of its own, which keeps a memo of the model's steps; a model need not be shared between threads.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use omnilink_evidence::Evidence;
use omnilink_memory::guard;

use super::judge_factory::JudgeFactory;
use crate::error::VerifyError;

/// How many histories are read ahead per worker.
const READ_AHEAD: usize = 4;

/// A judgement, or why there is none, and how long it took.
type Judged = (Result<Evidence, VerifyError>, Duration);

/// A history that was read and not delivered yet: its input, and its judgement once there is one.
struct InFlight {
    input: usize,
    judged: Option<Judged>,
}

/// A history for a worker: its number, and how long reading it took.
type Assignment<H> = (usize, H, Duration);

/// Judges histories, each with the number of its input, and delivers the judgements in the order of the histories.
///
/// # Errors
/// If a worker dies.
pub(super) fn judge_all<H: Send>(
    judges: &dyn JudgeFactory<H>,
    jobs: NonZeroUsize,
    mut histories: impl Iterator<Item = (usize, Result<H, VerifyError>)>,
    mut deliver: impl FnMut(usize, Result<Evidence, VerifyError>, Duration) -> ControlFlow<()>,
) -> Result<(), VerifyError> {
    let (assignments, assigned) = channel::<Assignment<H>>();
    let assigned = Mutex::new(assigned);
    let (results, finished) = channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.get() {
            let (assigned, results) = (&assigned, results.clone());
            let limits = guard::current();
            scope.spawn(move || {
                let _limits = limits.enter();
                work(judges, assigned, &results);
            });
        }
        drop(results);
        let assignments = assignments;
        let mut in_flight: VecDeque<InFlight> = VecDeque::new();
        let mut delivered = 0;
        loop {
            while in_flight.len() < READ_AHEAD * jobs.get()
                && let (started, Some((input, history))) = (Instant::now(), histories.next())
            {
                let judged = match history {
                    Ok(history) => {
                        // If the workers are gone, receiving below fails.
                        let number = delivered + in_flight.len();
                        let _ = assignments.send((number, history, started.elapsed()));
                        None
                    }
                    Err(error) => Some((Err(error), started.elapsed())),
                };
                in_flight.push_back(InFlight { input, judged });
            }
            match in_flight
                .front_mut()
                .map(|first| (first.input, first.judged.take()))
            {
                None => return Ok(()),
                Some((input, Some((judgement, took)))) => {
                    in_flight.pop_front();
                    delivered += 1;
                    if deliver(input, judgement, took).is_break() {
                        return Ok(());
                    }
                }
                Some((_, None)) => {
                    let Ok((number, judged)) = finished.recv() else {
                        let message =
                            "internal error, please report it: a worker ended before its work was done";
                        return Err(VerifyError::Usage(message.to_owned()));
                    };
                    let number: usize = number;
                    if let Some(waiting) = in_flight.get_mut(number - delivered) {
                        waiting.judged = Some(judged);
                    }
                }
            }
        }
    })
}

/// Judges one history after the other, until there are no more.
fn work<H: Send>(
    judges: &dyn JudgeFactory<H>,
    assigned: &Mutex<Receiver<Assignment<H>>>,
    results: &Sender<(usize, Judged)>,
) {
    let next = || {
        assigned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv()
            .ok()
    };
    let made = judges.with_judge(&mut |judge| {
        while let Some((number, history, reading)) = next() {
            let started = Instant::now();
            let judgement = judge(history, reading);
            if results
                .send((number, (judgement, reading + started.elapsed())))
                .is_err()
            {
                return;
            }
        }
    });
    // Without a judge, the reason is the answer for every history.
    if let Err(error) = made {
        while let Some((number, _, reading)) = next() {
            let _ = results.send((number, (Err(VerifyError::Usage(error.to_string())), reading)));
        }
    }
}
