//! The segments that are under way, in their order, and who works on which.
//!
//! Each worker has some in a row set aside for it: neighbouring states lead to the same states and look up the same answers, so a
//! worker that goes on where it was has most of them among what it met lately. (With two workers, a twentieth to a tenth less time
//! than one by one.) Whoever has none left and finds none takes half of what is set aside for another. And where all are begun, it
//! begins one again that another began long ago: the system may have taken the processor away from that one, and whatever comes
//! after the segment would have to wait for it.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::waiting::Segment;

/// What was begun so long ago may be begun again. Few segments take half as long, see [`crate::pace`]; a system that takes a processor
/// away does so for longer.
const LONG_AGO: Duration = Duration::from_millis(2);

/// How far a segment is.
#[derive(Debug)]
enum Progress<R> {
    SetAside,
    Begun { at: Instant, is_again: bool },
    Done(R),
}

#[derive(Debug)]
struct UnderWay<R> {
    level: u32,
    segment: Arc<Segment>,
    progress: Progress<R>,
}

/// A segment to be worked on.
#[derive(Debug)]
pub(crate) struct Task {
    /// Segments are numbered in the order of their states.
    pub(crate) number: u64,
    pub(crate) level: u32,
    pub(crate) segment: Arc<Segment>,
    /// Whether somebody else has begun it before.
    pub(crate) is_again: bool,
}

/// Some segments in a row, none or some of them done.
#[derive(Debug)]
pub(crate) struct Window<R> {
    first: u64,
    under_way: VecDeque<UnderWay<R>>,
    /// What is set aside for each worker.
    set_aside: Vec<Range<u64>>,
    /// Nothing after this one is worth beginning.
    cut: u64,
}

impl<R> Window<R> {
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            first: 0,
            under_way: VecDeque::new(),
            set_aside: vec![0..0; workers],
            cut: u64::MAX,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.under_way.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.cut < u64::MAX
    }

    /// Adds a segment after all others, and sets it aside for a worker that has nothing else, or what came just before.
    pub(crate) fn push(&mut self, worker: usize, level: u32, segment: Segment) {
        let number = self.first + self.under_way.len() as u64;
        let mine = &mut self.set_aside[worker];
        if mine.is_empty() {
            *mine = number..number;
        }
        debug_assert_eq!(mine.end, number);
        mine.end += 1;
        self.under_way.push_back(UnderWay {
            level,
            segment: Arc::new(segment),
            progress: Progress::SetAside,
        });
    }

    /// Begins what is set aside for a worker.
    pub(crate) fn begin(&mut self, worker: usize) -> Option<Task> {
        let mine = &mut self.set_aside[worker];
        if mine.start > self.cut {
            return None;
        }
        let number = mine.next()?;
        self.task(number, false)
    }

    /// Sets aside for a worker half of what is set aside for another.
    pub(crate) fn share(&mut self, worker: usize) -> bool {
        let longest = self
            .set_aside
            .iter_mut()
            .max_by_key(|aside| aside.end - aside.start);
        let Some(other) = longest.filter(|other| !other.is_empty()) else {
            return false;
        };
        let middle = other.start + (other.end - other.start) / 2;
        let half = middle..other.end;
        other.end = middle;
        self.set_aside[worker] = half;
        true
    }

    /// Begins again what somebody has begun long ago.
    pub(crate) fn begin_again(&mut self, now: Instant) -> Option<Task> {
        let until_cut = self.cut.saturating_sub(self.first).saturating_add(1);
        let at = self
            .under_way
            .iter()
            .take(usize::try_from(until_cut).unwrap_or(usize::MAX))
            .position(|under_way| match under_way.progress {
                Progress::Begun { at, is_again } => !is_again && now.duration_since(at) > LONG_AGO,
                Progress::SetAside | Progress::Done(_) => false,
            })?;
        self.task(self.first + at as u64, true)
    }

    /// The place of a segment, unless it has left.
    fn place(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    fn task(&mut self, number: u64, is_again: bool) -> Option<Task> {
        let at = self.place(number)?;
        let under_way = self.under_way.get_mut(at)?;
        under_way.progress = Progress::Begun {
            at: Instant::now(),
            is_again,
        };
        Some(Task {
            number,
            level: under_way.level,
            segment: under_way.segment.clone(),
            is_again,
        })
    }

    /// When a segment was begun that is not done, for the last time.
    pub(crate) fn begun(&self, number: u64) -> Option<Instant> {
        match self.under_way.get(self.place(number)?)?.progress {
            Progress::Begun { at, .. } => Some(at),
            Progress::SetAside | Progress::Done(_) => None,
        }
    }

    /// A segment is done, and nothing after it is worth beginning if it ended early. Gives the result back if somebody else was faster:
    /// then it means nothing.
    pub(crate) fn deliver(&mut self, number: u64, result: R, is_early: bool) -> Option<R> {
        let at = self.place(number);
        match at.and_then(|at| self.under_way.get_mut(at)) {
            Some(under_way) if !matches!(under_way.progress, Progress::Done(_)) => {
                under_way.progress = Progress::Done(result);
                if is_early {
                    self.cut = self.cut.min(number);
                }
                None
            }
            Some(_) | None => Some(result),
        }
    }

    /// What came of a segment, if it is done.
    pub(crate) fn result(&self, number: u64) -> Option<&R> {
        match &self.under_way.get(self.place(number)?)?.progress {
            Progress::Done(result) => Some(result),
            Progress::SetAside | Progress::Begun { .. } => None,
        }
    }

    /// The number of the first segment, and what came of it, if it is done.
    pub(crate) fn first(&self) -> Option<(u64, &R)> {
        Some((self.first, self.result(self.first)?))
    }

    /// Takes the first segment out: its level, and what came of it, if it is done.
    pub(crate) fn pop(&mut self) -> Option<(u32, R)> {
        self.first()?;
        let first = self.under_way.pop_front()?;
        self.first += 1;
        match first.progress {
            Progress::Done(result) => Some((first.level, result)),
            Progress::SetAside | Progress::Begun { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many segments set aside for the first of two workers.
    fn window(segments: usize) -> Window<&'static str> {
        let mut window = Window::new(2);
        for _ in 0..segments {
            window.push(0, 1, Segment::default());
        }
        window
    }

    fn begun(task: Option<Task>) -> Option<u64> {
        task.map(|task| task.number)
    }

    #[test]
    fn results_leave_in_the_order_of_the_segments() {
        let mut window = window(3);
        let numbers = [(); 4].map(|()| begun(window.begin(0)));
        assert_eq!(numbers, [Some(0), Some(1), Some(2), None]);
        assert_eq!(window.deliver(1, "b", false), None);
        assert_eq!(window.result(1), Some(&"b"));
        assert_eq!(window.pop(), None, "the first is not done");
        assert_eq!(window.deliver(0, "a", false), None);
        assert_eq!(window.first(), Some((0, &"a")));
        assert_eq!(
            [window.pop(), window.pop(), window.pop()],
            [Some((1, "a")), Some((1, "b")), None]
        );
        window.push(1, 2, Segment::default());
        assert_eq!(begun(window.begin(1)), Some(3));
        assert_eq!(window.deliver(2, "c", false), None);
        assert_eq!(window.deliver(3, "d", false), None);
        assert_eq!([window.pop(), window.pop()], [Some((1, "c")), Some((2, "d"))]);
        assert!(window.is_empty());
    }

    #[test]
    fn who_has_nothing_gets_half_of_what_another_has_not_begun() {
        let mut window = window(6);
        window.begin(0);
        assert!(window.share(1));
        assert_eq!(
            [begun(window.begin(1)), begun(window.begin(0))],
            [Some(3), Some(1)]
        );
        assert!(window.share(0), "of two, or of the other's one");
        while window.begin(0).is_some() || window.begin(1).is_some() {}
        assert!(!window.share(0) && !window.share(1));
    }

    #[test]
    fn what_was_begun_long_ago_is_begun_once_more_and_the_first_result_counts() {
        let mut window = window(3);
        let before = Instant::now();
        window.begin(0);
        window.begin(0);
        assert_eq!(begun(window.begin_again(before)), None, "not long ago");
        let later = Instant::now() + 2 * LONG_AGO;
        assert_eq!(window.deliver(0, "a", false), None);
        let again = window.begin_again(later);
        assert!(again.as_ref().is_some_and(|task| task.is_again));
        assert_eq!(begun(again), Some(1), "the first that is not done");
        assert_eq!(
            begun(window.begin_again(later + 2 * LONG_AGO)),
            None,
            "once, and not what nobody began"
        );
        assert_eq!(window.deliver(1, "b", false), None);
        assert_eq!(window.deliver(1, "too late", false), Some("too late"));
        assert_eq!([window.pop(), window.pop()], [Some((1, "a")), Some((1, "b"))]);
        assert_eq!(window.deliver(1, "much too late", false), Some("much too late"));
    }

    #[test]
    fn nothing_is_begun_after_the_cut() {
        let mut window = window(6);
        let _begun = [(); 4].map(|()| window.begin(0));
        assert_eq!(window.deliver(3, "d", true), None);
        assert_eq!(window.deliver(2, "c", true), None);
        assert!(window.is_cut());
        assert_eq!(begun(window.begin(0)), None);
        assert_eq!(window.deliver(0, "a", false), None);
        let later = Instant::now() + 2 * LONG_AGO;
        assert_eq!(
            begun(window.begin_again(later)),
            Some(1),
            "what counts may still be late"
        );
        assert_eq!(begun(window.begin_again(later)), None);
    }

    #[test]
    fn a_result_that_comes_too_late_cuts_nothing() {
        let mut window = window(3);
        let _begun = [(); 2].map(|()| window.begin(0));
        assert_eq!(window.deliver(0, "a", false), None);
        assert_eq!(window.deliver(0, "late", true), Some("late"));
        assert!(window.pop().is_some());
        assert_eq!(window.deliver(0, "later", true), Some("later"));
        assert!(!window.is_cut());
        assert_eq!(begun(window.begin(0)), Some(2));
    }
}
