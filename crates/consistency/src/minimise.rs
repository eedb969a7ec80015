//! A minimal set of returns that cannot be explained together.
//!
//! Removing operations would not help: without the put, no get of its value can be explained, and every violation
//! would shrink to one get. So all operations stay, and *results* are forgotten instead: an operation whose result is
//! forgotten may have returned anything. The remaining returns contradict each other.

use omnilink_history::OpSet;
use omnilink_sorting::sort_by_key;

/// A minimal set of operations, out of `count`, whose returns cannot all be explained; with `last` if it is part of
/// such a set. `fails` tells whether the history has no explanation with the given results forgotten, or `None` if
/// that is unknown.
pub(crate) fn core_of(
    count: usize,
    last: usize,
    fails: &mut impl FnMut(OpSet) -> Option<bool>,
) -> Option<OpSet> {
    let all = OpSet::first(count);
    let mut forgotten = OpSet::EMPTY;
    // Halves first: most returns are irrelevant.
    let mut chunk = all.len().div_ceil(2).max(1);
    loop {
        let mut kept: Vec<usize> = all.minus(forgotten).iter().collect();
        sort_by_key(&mut kept, |op| *op == last);
        for ops in kept.chunks(chunk) {
            let more = forgotten.or(ops.iter().copied().collect());
            if fails(more)? {
                forgotten = more;
            }
        }
        if chunk == 1 {
            return Some(all.minus(forgotten));
        }
        chunk = chunk.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_is_what_cannot_be_left_out() {
        let core: OpSet = [3, 11, 12].into_iter().collect();
        let mut fails = |forgotten: OpSet| Some(core.and(forgotten).is_empty());
        assert_eq!(core_of(20, 0, &mut fails), Some(core));
        assert_eq!(core_of(20, 0, &mut |_| None), None);
    }

    #[test]
    fn of_two_cores_the_one_with_the_operation_in_question_is_found() {
        let mut fails = |forgotten: OpSet| Some(!forgotten.has(2) || !forgotten.has(7));
        assert_eq!(core_of(9, 2, &mut fails), Some(OpSet::one(2)));
        assert_eq!(core_of(9, 7, &mut fails), Some(OpSet::one(7)));
    }
}
