//! What files say about single reads beyond the value: through a cursor, or of a range in which the key was not.

use rustc_hash::FxHashSet;

use crate::transaction::{Fate, Id, Transactions};

/// Marks of reads, by reader and key.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadMarks {
    /// Reads through a cursor.
    pub cursors: FxHashSet<(usize, Id)>,
    /// Reads of ranges that did not show the key: phantoms may be missed.
    pub absences: FxHashSet<(usize, Id)>,
}

impl ReadMarks {
    /// The marks of a part, whose transactions are these, with other numbers of keys.
    pub fn part(&self, origin: &[usize], key: impl Fn(Id) -> Option<Id>) -> Self {
        let of = |marks: &FxHashSet<(usize, Id)>| {
            let kept = marks
                .iter()
                .filter_map(|(one, marked)| Some((origin.binary_search(one).ok()?, key(*marked)?)));
            kept.collect()
        };
        Self {
            cursors: of(&self.cursors),
            absences: of(&self.absences),
        }
    }
}

impl Transactions {
    /// Whether an update of a key must be of the version that was read: it was read through a cursor. Where no read is said to be, all are.
    pub(crate) fn is_cursor_read(&self, reader: usize, key: Id) -> bool {
        let cursors = &self.marks.cursors;
        cursors.is_empty() || cursors.contains(&(reader, key))
    }

    /// The same without the keys that ranges did not show: what is left are reads of items.
    pub(crate) fn of_items(&self) -> Self {
        let mut items = self.clone();
        items.marks.absences.clear();
        for (one, transaction) in items.all.iter_mut().enumerate() {
            if transaction.fate != Fate::Aborted {
                transaction.keep_reads(|(key, _)| !self.marks.absences.contains(&(one, *key)));
            }
        }
        items
    }
}
