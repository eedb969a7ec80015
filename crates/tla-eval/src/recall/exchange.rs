//! Where evaluators of one program leave what they learn for each other, while they work.
//!
//! Each has a desk. Whoever learns something puts it on the desks of the others, complete and never changed again; whoever does
//! not know an answer looks at its own desk before it finds the answer itself. So almost nothing is learnt twice, and
//! nobody is disturbed while it knows all the answers.
//!
//! **Cost.** An answer that is learnt takes some microseconds. Leaving it is one lock, of a desk that hardly anybody is at, for as
//! long as it takes to write a hundred bytes, which hold no memory of their own; looking at an empty desk is one load.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::lesson::Lesson;
use super::naming::Named;

/// What several evaluators of one program tell each other. See [`Evaluator::join`](crate::Evaluator::join).
#[derive(Debug)]
pub struct Exchange {
    desks: Box<[Desk]>,
    /// What each evaluator means by the numbers in its lessons.
    named: Box<[Named]>,
}

/// What others have left for one evaluator. Alone in its cache lines, because others write to it.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Desk {
    /// How many lessons there are.
    waiting: AtomicUsize,
    lessons: Mutex<Vec<Lesson>>,
}

/// More are not left: whoever does not come for them seems to be doing well without.
const WAITING_MAX: usize = 1 << 13;

impl Exchange {
    /// For this many evaluators, numbered from 0.
    pub fn new(evaluators: usize) -> Self {
        Self {
            desks: (0..evaluators).map(|_| Desk::default()).collect(),
            named: (0..evaluators).map(|_| Named::default()).collect(),
        }
    }

    pub(super) fn evaluators(&self) -> usize {
        self.desks.len()
    }

    /// What an evaluator means by its numbers.
    pub(super) fn named_by(&self, teacher: usize) -> Option<&Named> {
        self.named.get(teacher)
    }

    /// Whether anybody but this one would take another lesson.
    pub(super) fn is_wanted(&self, teacher: usize) -> bool {
        self.others(teacher).any(Desk::has_room)
    }

    /// Leaves a lesson for all but the one who has learnt it.
    pub(super) fn leave(&self, teacher: usize, lesson: &Lesson) {
        for desk in self.others(teacher).filter(|desk| desk.has_room()) {
            let mut lessons = desk.lock();
            lessons.push(lesson.clone());
            desk.waiting.store(lessons.len(), Ordering::Release);
        }
    }

    /// Takes everything that was left for this one. `into` is empty, and its memory is used for what will be left next.
    pub(super) fn take(&self, student: usize, into: &mut Vec<Lesson>) {
        let Some(desk) = self.desks.get(student) else {
            return;
        };
        if desk.waiting.load(Ordering::Acquire) > 0 {
            let mut lessons = desk.lock();
            std::mem::swap(&mut *lessons, into);
            desk.waiting.store(0, Ordering::Release);
        }
    }

    fn others(&self, than: usize) -> impl Iterator<Item = &Desk> {
        let numbered = self.desks.iter().enumerate();
        numbered
            .filter(move |(number, _)| *number != than)
            .map(|(_, desk)| desk)
    }
}

impl Desk {
    fn has_room(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < WAITING_MAX
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Lesson>> {
        // A list changes by whole entries, so what a panicking thread left behind is still a list.
        self.lessons.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::lesson::numbered;

    fn taken(exchange: &Exchange, student: usize) -> Vec<Lesson> {
        let mut lessons = Vec::new();
        exchange.take(student, &mut lessons);
        lessons
    }

    #[test]
    fn a_lesson_is_heard_once_by_everybody_but_its_teacher() {
        let exchange = Exchange::new(3);
        exchange.leave(1, &numbered(1, 7));
        for student in [0, 2] {
            let heard: Vec<_> = taken(&exchange, student)
                .iter()
                .map(|told| told.number())
                .collect();
            assert_eq!(heard, [Some((1, 7))]);
            assert!(taken(&exchange, student).is_empty());
        }
        assert!(taken(&exchange, 1).is_empty());
    }

    #[test]
    fn nothing_is_left_for_who_never_comes() {
        let exchange = Exchange::new(2);
        let lesson = numbered(0, 0);
        for _ in 0..WAITING_MAX + 5 {
            exchange.leave(0, &lesson);
        }
        assert!(!exchange.is_wanted(0));
        assert_eq!(taken(&exchange, 1).len(), WAITING_MAX);
        assert!(exchange.is_wanted(0));
    }

    /// Four at a time, each leaving lessons and taking what the others leave; what is on the desks when all are done is taken
    /// then. Nobody waits for anything, so a lesson that is lost is a failure and not a test without an end.
    #[test]
    fn lessons_arrive_whole_and_in_order_while_all_are_at_work() {
        const LESSONS: u32 = 2_000;
        let exchange = Exchange::new(4);
        let hear = |own: u32, next: &mut [u32; 4]| {
            for lesson in taken(&exchange, own as usize) {
                let (teacher, number) = lesson.number().expect("a whole lesson");
                assert_ne!(teacher, own);
                assert_eq!(number, next[teacher as usize], "of {teacher}, heard by {own}");
                next[teacher as usize] += 1;
            }
        };
        let mut heard = [[0; 4]; 4];
        std::thread::scope(|scope| {
            for (own, next) in (0..4).zip(&mut heard) {
                let (exchange, hear) = (&exchange, &hear);
                scope.spawn(move || {
                    for number in 0..LESSONS {
                        exchange.leave(own as usize, &numbered(own, number));
                        hear(own, next);
                    }
                });
            }
        });
        for (own, next) in (0..4).zip(&mut heard) {
            hear(own, next);
            let mut all = [LESSONS; 4];
            all[own as usize] = 0;
            assert_eq!(*next, all, "heard by {own}");
        }
    }
}
