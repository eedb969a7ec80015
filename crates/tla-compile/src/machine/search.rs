//! Searches for one next state: ENABLED, in the middle of an action or formula.
//!
//! A search has a next state of its own, which starts as the current one. The one so far is put aside until the search ends.

use super::run::Run;

/// What a search has put aside.
#[derive(Debug, Default)]
struct Aside {
    next: Vec<u64>,
    trail: Vec<(u32, u64)>,
    is_step: bool,
}

/// The searches within each other, whose buffers are reused.
#[derive(Debug, Default)]
pub(super) struct Searches {
    asides: Vec<Aside>,
    depth: usize,
}

impl Searches {
    /// How many are under way.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Gives up all of them.
    pub(super) fn clear(&mut self) {
        self.depth = 0;
    }
}

impl Run<'_, '_, '_> {
    pub(super) fn start_search(&mut self) {
        let memory = &mut *self.memory;
        let searches = &mut memory.searches;
        if searches.depth == searches.asides.len() {
            searches.asides.push(Aside::default());
        }
        let aside = &mut searches.asides[searches.depth];
        searches.depth += 1;
        aside.is_step = std::mem::replace(&mut self.is_step, false);
        std::mem::swap(&mut aside.next, &mut memory.next);
        std::mem::swap(&mut aside.trail, &mut memory.trail);
        memory.next.clear();
        memory.next.extend_from_slice(match self.is_after {
            false => &memory.now,
            true => &memory.after,
        });
        memory.trail.clear();
    }

    pub(super) fn end_search(&mut self) {
        let memory = &mut *self.memory;
        let searches = &mut memory.searches;
        let Some(depth) = searches.depth.checked_sub(1) else {
            return;
        };
        searches.depth = depth;
        let aside = &mut searches.asides[depth];
        self.is_step = aside.is_step;
        std::mem::swap(&mut aside.next, &mut memory.next);
        std::mem::swap(&mut aside.trail, &mut memory.trail);
    }
}
