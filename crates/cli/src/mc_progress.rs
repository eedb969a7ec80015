//! A line on the terminal that shows how far a model check is. Where standard error is no terminal, a line every now and then.
//!
//! Drawing is done by a thread of its own, which draws nothing in the first half second: most checks are over by then.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use omnilink_mc::SearchProgress;
use omnilink_report::{bytes, count};

use crate::interrupt;

const QUIET: Duration = Duration::from_millis(500);
const REDRAW: Duration = Duration::from_millis(250);
/// The time between two lines where standard error is no terminal.
pub(crate) const LINE_EVERY: Duration = Duration::from_secs(30);

/// Shows the figures of a search while it lives, and tells the search of Ctrl-C.
#[derive(Debug)]
pub(crate) struct McProgress {
    bar: ProgressBar,
    watching: Option<(Sender<()>, JoinHandle<()>)>,
}

impl McProgress {
    /// Starts to watch.
    pub(crate) fn start(title: &str, live: &Arc<SearchProgress>, line_every: Duration) -> Self {
        interrupt::listen();
        let bar = ProgressBar::hidden().with_style(ProgressStyle::default_spinner());
        let (stop, stopped) = channel();
        let (title, live, shown) = (title.to_owned(), Arc::clone(live), bar.clone());
        let is_terminal = std::io::stderr().is_terminal();
        let watch = move || {
            let mut wait = QUIET;
            let mut before = 0;
            let mut told = (Instant::now(), 0);
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                if interrupt::is_raised() {
                    live.interrupt();
                }
                if is_terminal {
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.set_message(line(&title, &live, before, wait));
                    shown.tick();
                } else if !line_every.is_zero() && told.0.elapsed() >= line_every {
                    eprintln!("{}", line(&title, &live, told.1, told.0.elapsed()));
                    told = (Instant::now(), live.generated());
                }
                before = live.generated();
                wait = REDRAW;
            }
            shown.finish_and_clear();
        };
        Self {
            bar,
            watching: Some((stop, std::thread::spawn(watch))),
        }
    }

    /// Clears the line while `print` prints.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

fn line(title: &str, live: &SearchProgress, before: u64, waited: Duration) -> String {
    let elapsed = live.started().elapsed().as_secs();
    let rate = (live.generated().saturating_sub(before)) as f64 / waited.as_secs_f64();
    if live.behaviours() > 0 {
        return format!(
            "{title}: {} behaviours, {} states, {}/s, {elapsed} s",
            count(live.behaviours()),
            count(live.generated()),
            count(rate as u64)
        );
    }
    format!(
        "{title}: {} distinct, {} generated, {}/s, {} waiting, depth {}, {}{}, {elapsed} s",
        count(live.distinct()),
        count(live.generated()),
        count(rate as u64),
        count(live.queued()),
        live.depth(),
        bytes(live.memory_bytes()),
        remaining(live)
    )
}

/// If every second waiting state leads to as many new ones as each did so far, how many seconds are left; nothing while
/// the search still widens.
fn remaining(live: &SearchProgress) -> String {
    let (distinct, waiting) = (live.distinct() as f64, live.queued() as f64);
    let explored = distinct - waiting;
    if explored <= 0.0 || waiting > explored {
        return String::new();
    }
    let seconds = live.started().elapsed().as_secs_f64() * waiting / explored;
    format!(", at least {} s to go", count(seconds.ceil() as u64))
}

impl Drop for McProgress {
    fn drop(&mut self) {
        if let Some((stop, watching)) = self.watching.take() {
            drop(stop);
            // The line must be cleared before anything else is printed.
            let _ = watching.join();
        }
    }
}
