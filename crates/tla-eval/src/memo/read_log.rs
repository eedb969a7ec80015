//! Read log: the inputs that evaluations in progress have read, in order.

use std::rc::Rc;

use super::read::{Read, Root};
use omnilink_tla_ir::slot_bit;

/// The reads of all memo points that are being evaluated, one nested in the other.
#[derive(Default)]
pub(super) struct ReadLog {
    entries: Vec<LogEntry>,
    /// The entry that causes the next reads.
    cause: Option<usize>,
    /// Whether the current evaluation cannot be memoised.
    is_invalid: bool,
}

pub(super) struct LogEntry {
    read: Rc<Read>,
    /// The frame, if the read is of a slot.
    base: usize,
    /// The read of a slot whose thunk made this read.
    cause: Option<usize>,
}

/// Longer logs are not memoised.
const ENTRIES_MAX: usize = 4096;
/// Nor are evaluations with more distinct inputs.
const INPUTS_MAX: usize = 96;

impl ReadLog {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Starts the log of a memo point. Returns whether the enclosing log is invalid.
    pub(super) fn begin(&mut self) -> bool {
        std::mem::take(&mut self.is_invalid)
    }

    /// Ends the log that began at `start`. Its reads are also reads of the enclosing memo point, if there is one.
    pub(super) fn end(&mut self, start: usize, is_nested: bool, was_invalid: bool) {
        if !is_nested {
            self.entries.truncate(start);
            self.is_invalid = was_invalid;
        } else {
            self.is_invalid |= was_invalid;
        }
    }

    pub(super) fn invalidate(&mut self) {
        self.is_invalid = true;
    }

    /// Sets the cause of the next reads, and returns the previous one.
    pub(super) fn set_cause(&mut self, entry: Option<usize>) -> Option<usize> {
        std::mem::replace(&mut self.cause, entry)
    }

    pub(super) fn push(&mut self, read: Rc<Read>, base: usize) -> usize {
        if self.entries.len() >= ENTRIES_MAX {
            self.is_invalid = true;
            return self.entries.len();
        }
        self.entries.push(LogEntry {
            read,
            base,
            cause: self.cause,
        });
        self.entries.len() - 1
    }

    /// Moves the entries since `mark`. At most one more than the maximum is kept, which marks the log as too long: a memo point may
    /// have millions of successors, and the reads that follow each of them come here.
    pub(super) fn split_off(&mut self, mark: usize, into: &mut Vec<LogEntry>) {
        let room = (ENTRIES_MAX + 1).saturating_sub(into.len());
        let entries = self.entries.drain(mark.min(self.entries.len())..);
        into.extend(entries.take(room).map(|entry| LogEntry { cause: None, ..entry }));
    }

    /// Appends entries that were split off.
    pub(super) fn append(&mut self, entries: Vec<LogEntry>) {
        if self.entries.len() + entries.len() > ENTRIES_MAX {
            self.is_invalid = true;
        } else {
            self.entries.extend(entries);
        }
    }

    /// The distinct inputs of a memo point among the reads since `start`. The memo point is evaluated in the frame at `base`, where
    /// the slots in `free` are not bound by itself; slots from `top` on did not exist when it began. `None` if it cannot be memoised.
    pub(super) fn inputs(&self, start: usize, base: usize, top: usize, free: u64) -> Option<Vec<Rc<Read>>> {
        if self.is_invalid {
            return None;
        }
        let mut inputs: Vec<Rc<Read>> = Vec::new();
        for entry in self.entries.get(start..)? {
            if self.is_caused_by_input(entry, start, base, free) {
                continue;
            }
            match entry.read.root {
                Root::Variable(_) => {}
                Root::Slot(slot) if entry.base == base => {
                    // The last bit of `free` stands for several slots, some of which may be bound inside.
                    if slot >= 63 {
                        return None;
                    }
                    if free & slot_bit(slot) == 0 {
                        continue;
                    }
                }
                Root::Slot(_) if entry.base >= top => continue,
                Root::Slot(_) => return None,
            }
            if inputs.iter().any(|input| input.covers(&entry.read)) {
                continue;
            }
            if inputs.len() == INPUTS_MAX {
                return None;
            }
            inputs.push(entry.read.clone());
        }
        Some(inputs)
    }

    /// All reads since `start`, inside thunks and memo points too; `None` if some are not known.
    pub(super) fn reads(&self, start: usize) -> Option<impl Iterator<Item = &Read>> {
        let entries = self.entries.get(start..).filter(|_| !self.is_invalid)?;
        Some(entries.iter().map(|entry| &*entry.read))
    }

    /// Whether a read was made to evaluate the thunk in an input. That input is in the log before it.
    fn is_caused_by_input(&self, entry: &LogEntry, start: usize, base: usize, free: u64) -> bool {
        let mut cause = entry.cause;
        while let Some(at) = cause.filter(|at| *at >= start) {
            let Some(entry) = self.entries.get(at) else {
                return false;
            };
            if let Root::Slot(slot) = entry.read.root
                && entry.base == base
                && slot < 63
                && free & slot_bit(slot) != 0
            {
                return true;
            }
            cause = entry.cause;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_after_a_memo_point_are_kept_up_to_the_maximum() {
        let mut log = ReadLog::default();
        let mut later = Vec::new();
        for _ in 0..10 {
            for _ in 0..ENTRIES_MAX / 2 {
                log.push(Rc::new(Read::whole(Root::Variable(0))), 0);
            }
            log.split_off(0, &mut later);
            assert_eq!(log.len(), 0);
        }
        assert_eq!(later.len(), ENTRIES_MAX + 1);
        log.append(later);
        assert!(log.inputs(0, 0, 0, 0).is_none());
    }
}
