//! Several histories judged at a time, answers in the order of the histories.
//!
//! The inputs are read by one thread, a little ahead of what is being judged, so memory does not grow with their number.
//! Each worker has a judge of its own, which remembers what the model did; a model need not be shared between threads.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use omnilink_consistency::{Judgement, RecordedHistory};

use super::bench::Bench;
use crate::error::CliError;

/// How many histories are read ahead for each worker.
const AHEAD: usize = 4;

/// A judge's answer, and how long it took.
pub(super) struct Answered {
    pub(super) judgement: Judgement,
    pub(super) took: Duration,
}

/// A history on its way: which input it is from, and what became of it, if that is known.
struct Slot {
    input: usize,
    answer: Option<Result<Answered, CliError>>,
}

/// A history to judge: its number, and how long reading it took.
type Order = (usize, RecordedHistory, Duration);

/// Judges histories, each with the number of its input, and tells what became of them in their order.
///
/// # Errors
/// What `tell` fails with.
pub(super) fn judge_all(
    bench: &dyn Bench,
    jobs: NonZeroUsize,
    mut histories: impl Iterator<Item = (usize, Result<RecordedHistory, CliError>)>,
    mut tell: impl FnMut(usize, Result<Answered, CliError>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let (orders, taken) = channel::<Order>();
    let taken = Mutex::new(taken);
    let (answers, answered) = channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.get() {
            let (taken, answers) = (&taken, answers.clone());
            scope.spawn(move || work(bench, taken, &answers));
        }
        drop(answers);
        let orders = orders;
        let mut waiting: VecDeque<Slot> = VecDeque::new();
        let mut told = 0;
        loop {
            while waiting.len() < AHEAD * jobs.get()
                && let (begun, Some((input, history))) = (Instant::now(), histories.next())
            {
                let answer = match history {
                    Ok(history) => {
                        // A worker that is gone answers no more, which is noticed below.
                        let _ = orders.send((told + waiting.len(), history, begun.elapsed()));
                        None
                    }
                    Err(error) => Some(Err(error)),
                };
                waiting.push_back(Slot { input, answer });
            }
            match waiting.front_mut().map(|slot| slot.answer.take()) {
                None => return Ok(()),
                Some(Some(answer)) => {
                    let input = waiting.pop_front().map_or(0, |slot| slot.input);
                    told += 1;
                    tell(input, answer)?;
                }
                Some(None) => {
                    let Ok((number, answer)) = answered.recv() else {
                        let message =
                            "internal error, please report it: a worker ended before its work was done";
                        return Err(CliError::Usage(message.to_owned()));
                    };
                    if let Some(slot) = waiting.get_mut(number - told) {
                        slot.answer = Some(answer);
                    }
                }
            }
        }
    })
}

type Answers = Sender<(usize, Result<Answered, CliError>)>;

/// What a worker does: one history after the other, until there are no more.
fn work(bench: &dyn Bench, taken: &Mutex<Receiver<Order>>, answers: &Answers) {
    let next = || taken.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    let judged = bench.with_judge(&mut |judge| {
        while let Some((number, history, reading)) = next() {
            let started = Instant::now();
            let answer = judge(&history, reading).map(|judgement| Answered {
                judgement,
                took: reading + started.elapsed(),
            });
            if answers.send((number, answer)).is_err() {
                return;
            }
        }
    });
    // Without a judge every history gets the reason for an answer.
    if let Err(error) = judged {
        while let Some((number, ..)) = next() {
            let _ = answers.send((number, Err(CliError::Usage(error.to_string()))));
        }
    }
}
