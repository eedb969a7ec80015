//! Mutants of the monitors: each leaves out a condition that makes a decision right.
//!
//! Outside the crate's own tests there are no mutants: [`mutated`] is `false` at compile time.

/// A condition left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "constructed by tests only")]
pub(crate) enum Mutant {
    /// Let a collection be found empty while values are certainly inside.
    EmptyAnywhere,
    /// Let a backward zone of a register lie within a forward one.
    BackwardWithinForward,
    /// Let values be written by nothing but replacing each other.
    WrittenInCircle,
    /// Let operations return before those that are called after them in a chain.
    ChainInAnyOrder,
    /// Let a value of a queue be added before those that were next before it.
    AheadByAdditionsOnly,
    /// Let a value of a stack be popped after its pop has returned.
    PopLate,
    /// Let a value be next although a greater one is inside.
    NextBelowGreater,
    /// Let a value of a bag be absent while it is certainly inside.
    AbsentWhileInside,
    /// Let an operation on a set see another state than the one that there is.
    SeeAnyState,
    /// Let a life of a value end while the value is inside.
    EndInside,
    /// Let a life of a value end while its operations are open.
    EndWhileOpen,
    /// Let pending removals take nothing.
    PendingTakeNothing,
    /// Take the removal of a queue's item although a peek of the value is left.
    RemoveBeforePeeks,
    /// Of the additions of a value that may come next, take the one that returns last.
    LatestEqualAddition,
    /// Of equal operations on a stack, try the one that returns last.
    LatestEqualOnStack,
}

#[cfg(test)]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
}

/// Whether this mutant is active.
#[inline(always)]
pub(crate) fn mutated(mutant: Mutant) -> bool {
    #[cfg(test)]
    return ACTIVE.get() == Some(mutant);
    #[cfg(not(test))]
    {
        let _ = mutant;
        false
    }
}

#[cfg(test)]
#[path = "../tests/behaviour/brute_force.rs"]
mod brute_force;
#[cfg(test)]
#[allow(dead_code, reason = "the other tests use all of it")]
#[path = "../tests/behaviour/random_histories.rs"]
mod random_histories;

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::{ACTIVE, Mutant, brute_force, random_histories};
    use crate::{Collection, Decision, TimedAction, check};

    /// Whether a decision is that of the search of all orders.
    fn is_right(collection: Collection, operations: &[TimedAction]) -> bool {
        match check(collection, operations) {
            Decision::Linearizable(order) => brute_force::replay(collection, operations, &order).is_ok(),
            Decision::Violation(_) => !brute_force::has_order(collection, operations),
            Decision::Undecided(_) => true,
        }
    }

    #[track_caller]
    fn assert_caught(collection: Collection, mutant: Mutant) {
        let mut rng = Rng::with_seed(1);
        for _ in 0..20_000 {
            for generator in random_histories::GENERATORS {
                let operations = generator(collection, &mut rng);
                ACTIVE.set(Some(mutant));
                let is_right_with_it = is_right(collection, &operations);
                ACTIVE.set(None);
                if !is_right_with_it {
                    return assert!(is_right(collection, &operations), "{collection:?} {operations:?}");
                }
            }
        }
        panic!("{mutant:?} changes no decision on {collection:?}");
    }

    #[test]
    fn nothing_is_empty_while_something_is_inside() {
        for collection in [
            Collection::Queue,
            Collection::Stack,
            Collection::PriorityQueue,
            Collection::Bag,
        ] {
            assert_caught(collection, Mutant::EmptyAnywhere);
        }
    }

    #[test]
    fn a_register_holds_one_value_at_a_time() {
        for mutant in [
            Mutant::BackwardWithinForward,
            Mutant::WrittenInCircle,
            Mutant::ChainInAnyOrder,
        ] {
            assert_caught(Collection::Register, mutant);
        }
    }

    #[test]
    fn each_collection_has_its_order() {
        assert_caught(Collection::Queue, Mutant::AheadByAdditionsOnly);
        assert_caught(Collection::Stack, Mutant::PopLate);
        assert_caught(Collection::PriorityQueue, Mutant::NextBelowGreater);
    }

    #[test]
    fn what_is_seen_is_there() {
        assert_caught(Collection::Bag, Mutant::AbsentWhileInside);
        assert_caught(Collection::Set, Mutant::SeeAnyState);
    }

    #[test]
    fn a_life_ends_when_the_value_has_gone() {
        for collection in [Collection::Queue, Collection::Stack, Collection::Bag] {
            assert_caught(collection, Mutant::EndInside);
            assert_caught(collection, Mutant::EndWhileOpen);
        }
    }

    #[test]
    fn pending_removals_may_have_happened() {
        for collection in [Collection::Queue, Collection::Stack, Collection::PriorityQueue] {
            assert_caught(collection, Mutant::PendingTakeNothing);
        }
    }

    #[test]
    fn searches_leave_out_only_what_can_be_exchanged() {
        assert_caught(Collection::Queue, Mutant::RemoveBeforePeeks);
        assert_caught(Collection::Queue, Mutant::LatestEqualAddition);
        assert_caught(Collection::Stack, Mutant::LatestEqualOnStack);
    }
}
