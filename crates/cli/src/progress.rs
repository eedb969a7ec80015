//! A line on the terminal that shows how far a command is.
//!
//! Counting costs one atomic addition in a thousand operations. Drawing is done by a thread of its own, which exists only
//! if standard error is a terminal and draws nothing in the first half second: most checks are over by then.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use omnilink_report::count;
use omnilink_verify::ProgressCounter;

const QUIET: Duration = Duration::from_millis(500);
const REDRAW: Duration = Duration::from_millis(100);

/// Shows a count on the terminal while it lives.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    progress: ProgressCounter,
    bar: ProgressBar,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl ProgressLine {
    /// Starts to count operations, under this title.
    pub(crate) fn start(title: &str) -> Self {
        Self::counting(title, "operations")
    }

    /// Starts to count, under this title.
    pub(crate) fn counting(title: &str, what: &'static str) -> Self {
        let title = title.to_owned();
        Self::showing(move |taken, seconds| format!("{title}: {} {what}, {seconds} s", count(taken)))
    }

    /// Starts to count; `text` makes the line from the count and the seconds.
    pub(crate) fn showing(text: impl Fn(u64, u64) -> String + Send + 'static) -> Self {
        let progress = ProgressCounter::default();
        let bar = ProgressBar::hidden().with_style(ProgressStyle::default_spinner());
        let drawing = std::io::stderr().is_terminal().then(|| {
            let (stop, stopped) = channel();
            let (progress, bar) = (progress.clone(), bar.clone());
            let draw = move || {
                if stopped.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                bar.set_draw_target(ProgressDrawTarget::stderr());
                while stopped.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
                    let taken = progress.operations();
                    bar.set_message(text(taken, bar.elapsed().as_secs()));
                    bar.tick();
                }
                bar.finish_and_clear();
            };
            (stop, std::thread::spawn(draw))
        });
        Self {
            progress,
            bar,
            drawing,
        }
    }

    /// Clears the line while `print` prints.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// What is shown.
    pub(crate) fn progress(&self) -> &ProgressCounter {
        &self.progress
    }

    /// Counts one.
    pub(crate) fn add_one(&self) {
        self.progress.add_one();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Some((stop, drawing)) = self.drawing.take() {
            drop(stop);
            // The line must be cleared before anything else is printed.
            let _ = drawing.join();
        }
    }
}
