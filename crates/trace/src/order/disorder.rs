//! Measuring how far a file is out of order.

use std::collections::VecDeque;

use crate::Time;
use crate::stream::OperationStream;

/// The largest window that is held in memory.
pub(super) const WINDOW_MAX: usize = 4096;

/// How far the operations of a file are out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disorder {
    /// The file is sorted.
    None,
    /// No operation is more than this many positions late.
    Within(usize),
    /// An operation is more than [`WINDOW_MAX`] positions late.
    Beyond,
}

/// Reads all starts. Stops at an error: reading the operations meets it again and reports it.
pub(super) fn measure(operations: &mut dyn OperationStream) -> Disorder {
    // The largest starts so far, in order. All starts dropped from the front are smaller.
    let mut largest: VecDeque<Time> = VecDeque::with_capacity(WINDOW_MAX + 1);
    let mut has_dropped = false;
    let mut window = 0;
    while let Ok(Some(start)) = operations.next_start() {
        if largest.back().is_none_or(|&back| back <= start) {
            largest.push_back(start);
        } else {
            let at = largest.partition_point(|&earlier| earlier <= start);
            if at == 0 && has_dropped {
                return Disorder::Beyond;
            }
            window = window.max(largest.len() - at);
            largest.insert(at, start);
        }
        if largest.len() > WINDOW_MAX {
            largest.pop_front();
            has_dropped = true;
        }
    }
    if window == 0 {
        Disorder::None
    } else {
        Disorder::Within(window)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Args, Operation, Timebox, TraceError};

    struct Starts(std::vec::IntoIter<Time>);

    impl OperationStream for Starts {
        fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
            let operation = |start| Operation::new(0, "op", Args::none(), Timebox::pending(start));
            Ok(self.0.next().map(operation).map(Arc::new))
        }
    }

    fn disorder(starts: impl IntoIterator<Item = Time>) -> Disorder {
        measure(&mut Starts(starts.into_iter().collect::<Vec<_>>().into_iter()))
    }

    #[test]
    fn the_window_is_the_number_of_positions_by_which_an_operation_is_late() {
        assert_eq!(disorder([]), Disorder::None);
        assert_eq!(disorder([1, 1, 2, 2]), Disorder::None);
        assert_eq!(disorder([2, 1, 3]), Disorder::Within(1));
        assert_eq!(disorder([5, 6, 7, 1, 8, 7]), Disorder::Within(3));
        let last_is_first = |count: Time| (1..=count).chain([0]);
        assert_eq!(disorder(last_is_first(4096)), Disorder::Within(4096));
        assert_eq!(disorder(last_is_first(4097)), Disorder::Beyond);
        assert_eq!(disorder((0..10_000).chain(0..10_000)), Disorder::Beyond);
    }
}
