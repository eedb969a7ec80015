//! How far a campaign is, and how long it may still take.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use omnilink_lineup::LineupOptions;
use omnilink_report::{count, seconds};

/// Checks that were made, one for each matrix and bound, against those that were asked for.
#[derive(Debug)]
pub(super) struct Outlook {
    title: String,
    /// An upper bound: random draws may run out of new matrices.
    total: u64,
    processors: usize,
    deadline: Option<Instant>,
    /// Until when more matrices are checked than were asked for.
    more_until: Option<Instant>,
    checked: Mutex<Checks>,
}

#[derive(Debug, Default)]
struct Checks {
    done: u64,
    /// When the last of these were done. Later ones take longer, so that old ones tell little about those to come.
    recent: VecDeque<Instant>,
}

const RECENT_MAX: usize = 16;

impl Outlook {
    pub(super) fn new(title: &str, total: u64, processors: usize, options: &LineupOptions) -> Self {
        Self {
            title: title.to_owned(),
            total,
            processors,
            deadline: options.stop.deadline,
            more_until: options.more_until,
            checked: Mutex::default(),
        }
    }

    fn checked(&self) -> MutexGuard<'_, Checks> {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more matrix was checked with one bound.
    pub(super) fn add_check(&self, now: Instant) {
        let mut checked = self.checked();
        checked.done += 1;
        checked.recent.push_back(now);
        if checked.recent.len() > RECENT_MAX {
            checked.recent.pop_front();
        }
    }

    /// One line.
    pub(super) fn text(&self, executions: u64, elapsed_s: u64, now: Instant) -> String {
        let rate = executions / elapsed_s.max(1);
        let done = self.checked().done;
        let check = if done < self.total {
            format!("check {} of {}", count(done + 1), count(self.total))
        } else {
            format!("further check {}", count(done + 1 - self.total))
        };
        let left = match self.time_left(now) {
            Some(left) => format!(", about {} to go", seconds(left.as_secs_f64())),
            None => String::new(),
        };
        format!(
            "{}: {check}, {} executions, {}/s on {}, {elapsed_s} s{left}",
            self.title,
            count(executions),
            count(rate),
            match self.processors {
                1 => "1 processor".to_owned(),
                many => format!("{many} processors"),
            },
        )
    }

    /// If each check to come takes as long as the last ones did; never longer than the time limit allows.
    fn time_left(&self, now: Instant) -> Option<Duration> {
        let checked = self.checked();
        let deadline = if checked.done < self.total {
            self.deadline
        } else {
            self.more_until
        };
        let limit = deadline.map(|deadline| deadline.saturating_duration_since(now));
        if checked.done >= self.total {
            return limit;
        }
        let spans = checked.recent.len().checked_sub(1).filter(|spans| *spans > 0);
        let (Some(first), Some(last), Some(spans)) = (checked.recent.front(), checked.recent.back(), spans)
        else {
            return limit;
        };
        let each = (*last - *first).as_secs_f64() / spans as f64;
        let to_go = self.total.saturating_sub(checked.done) as f64 * each;
        let to_go = Duration::try_from_secs_f64(to_go).unwrap_or(Duration::MAX);
        Some(limit.map_or(to_go, |limit| limit.min(to_go)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_come_takes_as_long_as_what_was_last() {
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let outlook = Outlook::new("queue", 110, 2, &LineupOptions::default());
        assert_eq!(
            outlook.text(0, 0, start),
            "queue: check 1 of 110, 0 executions, 0/s on 2 processors, 0 s"
        );
        // Ten quick ones, then slow ones: the quick ones are soon forgotten.
        (0..10).for_each(|_| outlook.add_check(start));
        (1..=20).for_each(|number| outlook.add_check(after(2 * number)));
        assert_eq!(
            outlook.text(4_000, 40, after(40)),
            "queue: check 31 of 110, 4,000 executions, 100/s on 2 processors, 40 s, about 2 min 40 s to go"
        );
    }

    #[test]
    fn nothing_takes_longer_than_it_may() {
        let start = Instant::now();
        let mut options = LineupOptions::default();
        options.stop.deadline = Some(start + Duration::from_secs(60));
        let outlook = Outlook::new("queue", u64::MAX, 1, &options);
        (0..3).for_each(|number| outlook.add_check(start + Duration::from_secs(number)));
        let text = outlook.text(10, 2, start + Duration::from_secs(2));
        assert!(text.ends_with("about 58.00 s to go"), "{text}");
    }

    #[test]
    fn more_than_was_asked_for_takes_until_the_time_is_up() {
        let start = Instant::now();
        let options = LineupOptions {
            more_until: Some(start + Duration::from_secs(60)),
            ..LineupOptions::default()
        };
        let outlook = Outlook::new("queue", 3, 1, &options);
        (0..7).for_each(|_| outlook.add_check(start));
        let text = outlook.text(10, 2, start + Duration::from_secs(2));
        assert_eq!(
            text,
            "queue: further check 5, 10 executions, 5/s on 1 processor, 2 s, about 58.00 s to go"
        );
    }
}
