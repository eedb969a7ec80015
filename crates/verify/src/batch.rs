//! Several inputs checked in parallel, with the answers in the order of the inputs.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use omnilink_memory::guard;

use crate::input::Input;

/// Checks every input with `check`, up to `jobs` at a time, and delivers the answers in the order of the inputs.
///
/// # Errors
/// What `deliver` fails with; answers after that are dropped.
pub fn check_all<R: Send, E>(
    inputs: &[Input],
    jobs: NonZeroUsize,
    check: &(dyn Fn(&Input) -> R + Sync),
    mut deliver: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    // A single input needs no thread, and its memory is freed with the process.
    if let [input] = inputs {
        return deliver(check(input));
    }
    let next = AtomicUsize::new(0);
    let work = |sender: Sender<(usize, R)>| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(index) else { break };
            let answer = check(input);
            input.forget();
            if sender.send((index, answer)).is_err() {
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        let (sender, answers) = channel();
        for _ in 0..jobs.get().min(inputs.len()) {
            let (sender, work) = (sender.clone(), &work);
            let limits = guard::current();
            scope.spawn(move || {
                let _limits = limits.enter();
                work(sender);
            });
        }
        drop(sender);
        let mut early: BTreeMap<usize, R> = BTreeMap::new();
        let mut due = 0;
        for (index, answer) in answers {
            early.insert(index, answer);
            while let Some(answer) = early.remove(&due) {
                deliver(answer)?;
                due += 1;
            }
        }
        Ok(())
    })
}
