//! A sign of life for whoever waits at a terminal.
//!
//! Counting costs one atomic addition in a thousand operations. Drawing is done by a thread of its own, which exists only
//! if standard error is a terminal and draws nothing in the first half second: most checks are over by then.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use omnilink_report::count;

const QUIET: Duration = Duration::from_millis(500);
const REDRAW: Duration = Duration::from_millis(100);

/// Shows how many operations (or whatever is counted) were taken, while it lives.
#[derive(Debug)]
pub(crate) struct Progress {
    operations: Arc<AtomicU64>,
    bar: ProgressBar,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Operations between two additions to the count.
    pub(crate) const BATCH: u64 = 1 << 10;

    /// Starts to count operations, under this title.
    pub(crate) fn start(title: &str) -> Self {
        Self::counting(title, "operations")
    }

    /// Starts to count, under this title.
    pub(crate) fn counting(title: &str, what: &'static str) -> Self {
        let title = title.to_owned();
        Self::telling(move |taken, seconds| format!("{title}: {} {what}, {seconds} s", count(taken)))
    }

    /// Starts to count; `text` tells what was counted in so many seconds.
    pub(crate) fn telling(text: impl Fn(u64, u64) -> String + Send + 'static) -> Self {
        let operations = Arc::new(AtomicU64::new(0));
        let bar = ProgressBar::hidden().with_style(ProgressStyle::default_spinner());
        let drawing = std::io::stderr().is_terminal().then(|| {
            let (stop, stopped) = channel();
            let (operations, bar) = (Arc::clone(&operations), bar.clone());
            let draw = move || {
                if stopped.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                bar.set_draw_target(ProgressDrawTarget::stderr());
                while stopped.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
                    let taken = operations.load(Ordering::Relaxed);
                    bar.set_message(text(taken, bar.elapsed().as_secs()));
                    bar.tick();
                }
                bar.finish_and_clear();
            };
            (stop, std::thread::spawn(draw))
        });
        Self {
            operations,
            bar,
            drawing,
        }
    }

    /// Clears the line while `print` prints.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Counts one.
    pub(crate) fn add_one(&self) {
        self.operations.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a batch.
    pub(crate) fn add_batch(&self) {
        self.operations.fetch_add(Self::BATCH, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, drawing)) = self.drawing.take() {
            drop(stop);
            // The line must be cleared before anything else is printed.
            let _ = drawing.join();
        }
    }
}
