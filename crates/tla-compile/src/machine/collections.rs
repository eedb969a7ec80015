//! Collections under construction: the elements of a set or the values of a function, nested as the expressions are.

use crate::values::ValueWord;

/// A stack of lists, which are reused.
#[derive(Debug, Default)]
pub(crate) struct Collections {
    lists: Vec<Vec<ValueWord>>,
    depth: usize,
}

impl Collections {
    pub(crate) fn clear(&mut self) {
        self.depth = 0;
    }

    /// How many are under construction.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Gives up all but this many.
    pub(crate) fn truncate(&mut self, depth: usize) {
        self.depth = self.depth.min(depth);
    }

    pub(crate) fn start(&mut self) {
        if self.depth == self.lists.len() {
            self.lists.push(Vec::new());
        }
        self.lists[self.depth].clear();
        self.depth += 1;
    }

    pub(crate) fn push(&mut self, word: ValueWord) {
        if let Some(last) = self.depth.checked_sub(1) {
            self.lists[last].push(word);
        }
    }

    /// Ends the innermost collection and hands out its list, to be given back.
    pub(crate) fn end(&mut self) -> Vec<ValueWord> {
        self.depth = self.depth.saturating_sub(1);
        self.lists
            .get_mut(self.depth)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    pub(crate) fn give_back(&mut self, list: Vec<ValueWord>) {
        if let Some(place) = self.lists.get_mut(self.depth) {
            *place = list;
        }
    }
}
