//! What files say about single reads beyond the value: through a cursor, or of a range in which the key was not.

use omnilink_history::order_graph::Id;
use rustc_hash::FxHashSet;

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
