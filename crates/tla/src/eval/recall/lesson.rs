//! Lessons: what one evaluator has learnt, for others of the same program.
//!
//! By the argument on the page of this module an answer follows from what was seen, and from nothing else, so it is the same for
//! every evaluator of the program. Workers of a search would otherwise all have to find every answer for themselves, which
//! is the part of their work that does not get less by sharing it.

use omnilink_value::Value;

use super::place::{Place, Seen};
use super::{Answer, Memory};
use crate::eval::evaluator::Evaluator;

/// Answers that were found since the last time somebody asked.
#[derive(Debug, Default)]
pub struct Lessons(Vec<Lesson>);

/// An answer and what it follows from.
#[derive(Debug)]
struct Lesson {
    site: u32,
    /// The variables that have a next value whenever an action begins at the site.
    given: Option<u128>,
    looks: Box<[(Place, Value)]>,
    answer: Answer,
}

/// More are not kept: whoever has to hear of so many learns faster by itself.
const LESSONS_MAX: usize = 1 << 14;

impl Evaluator<'_> {
    /// Keeps what is learnt from now on for [`Evaluator::lessons`], if anything is remembered at all.
    pub fn teach(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.lessons.get_or_insert_default();
        }
    }

    /// What was learnt since the last time, as far as it is worth telling.
    pub fn lessons(&mut self) -> Lessons {
        let lessons = self.memory.as_mut().and_then(|memory| memory.lessons.as_mut());
        lessons.map(std::mem::take).unwrap_or_default()
    }

    /// Remembers what another evaluator of the same program has learnt.
    pub fn study(&mut self, lessons: &Lessons) {
        let Some(memory) = &mut self.memory else { return };
        for lesson in &lessons.0 {
            if memory.room == 0 {
                break;
            }
            let Some(here) = memory.sites.get_mut(lesson.site as usize) else {
                continue;
            };
            let fits = lesson
                .given
                .is_none_or(|given| *here.given.get_or_insert(given) == given);
            if here.is_off || !fits {
                continue;
            }
            let looks = lesson
                .looks
                .iter()
                .map(|(place, seen)| (place, Seen::Value(seen)));
            let made = here.tree.insert(looks, lesson.answer.clone());
            memory.room = memory.room.saturating_sub(made);
        }
    }
}

impl Memory {
    /// Keeps an answer that was just learnt for others.
    pub(super) fn tell<'l>(
        &mut self,
        site: u32,
        looks: impl IntoIterator<Item = (&'l Place, Seen<'l>)>,
        answer: &Answer,
    ) {
        let given = self.sites[site as usize].given;
        if let Some(Lessons(lessons)) = &mut self.lessons
            && lessons.len() < LESSONS_MAX
        {
            let looks = looks.into_iter();
            lessons.push(Lesson {
                site,
                given,
                looks: looks
                    .map(|(place, seen)| (place.clone(), seen.to_value()))
                    .collect(),
                answer: answer.clone(),
            });
        }
    }
}
