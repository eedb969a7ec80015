//! Mutants of the engine: each leaves out the side condition that makes one reduction sound.
//!
//! Outside the engine's own tests there are no mutants: [`mutated`] is `false` at compile time.

/// A side condition left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "constructed by tests only")]
pub(crate) enum Mutant {
    /// Absorb every operation that does not change the state *now*, pure or not.
    AbsorbNoOps,
    /// Let dominance ignore every operation, not only pure ones.
    DominateByAny,
    /// Let dominance treat mandatory operations as optional.
    DominateMandatory,
    /// Drop configurations that another one reaches by placing the operation that returns now.
    MinimalAcrossReturn,
    /// Of two interchangeable operations, try the one that returns last.
    LatestInterchangeable,
    /// Treat operations with equal footprints as interchangeable.
    InterchangeByFootprint,
    /// Leave the conflicts of accepted operations out of stubborn sets.
    NoConflicts,
    /// Leave the enablers of refused operations out of stubborn sets.
    NoEnablers,
    /// Postpone every optional operation on one key, even if others read the key.
    AllPostponable,
    /// Assume that an operation which reads writes the same value in every state.
    SupplyEverywhere,
    /// Use only the first key of a footprint.
    FirstKeyOnly,
    /// Ignore the order of a thread where its timeboxes touch.
    NoTies,
    /// Absorb an operation although a predecessor in its thread is not placed.
    AbsorbOverTies,
    /// Let dominance ignore a read although a predecessor in its thread may still happen.
    DominateOverTies,
    /// Exchange operations of one class although their threads forbid it.
    InterchangeOverTies,
    /// Leave predecessors in the thread out of stubborn sets.
    NoTiedConflicts,
    /// Postpone an optional operation although an open operation follows it in its thread.
    PostponeOverTies,
    /// Minimize the frontier with operations that the order of their threads forbids.
    MinimalOverTies,
    /// Take a violation after a commitment for a verdict.
    CommittedForGood,
    /// Combine the explanations of parts without checking whether threads link them.
    PartsOverTies,
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
mod tests {
    use fastrand::Rng;
    use omnilink_trace::Timebox;

    use super::{ACTIVE, Mutant};
    use crate::options::{Consistency, Options, Reductions, Strategy};
    use crate::test_models::{self, HistoryProfile, Map, Queue, Register, RegisterOp, TestModel};
    use crate::{Checker, Partitioning, TimedOp, check, naive};

    const ABSORPTION: Reductions = Reductions {
        absorption: true,
        ..Reductions::NONE
    };
    const DOMINANCE: Reductions = Reductions {
        dominance: true,
        ..Reductions::NONE
    };
    const MINIMAL_FRONTIER: Reductions = Reductions {
        minimal_frontier: true,
        ..Reductions::NONE
    };
    const SYMMETRY: Reductions = Reductions {
        symmetry: true,
        ..Reductions::NONE
    };
    const FOOTPRINTS: Reductions = Reductions {
        footprints: true,
        ..Reductions::NONE
    };
    const PARTITIONS: Reductions = Reductions {
        partitions: true,
        ..Reductions::NONE
    };

    /// Whether the sweep with this mutant gives a wrong verdict on some random history.
    fn is_caught<T: TestModel>(mutant: Mutant, reductions: Reductions) -> bool {
        is_caught_among(20_000, mutant, reductions, |model: &T, rng| {
            test_models::random_history(model, rng)
        })
    }

    /// The same for mutants that need threads which call at the clock reading at which they returned.
    fn is_caught_at_ties<T: TestModel>(mutant: Mutant, reductions: Reductions) -> bool {
        is_caught_among(100_000, mutant, reductions, |model: &T, rng| {
            let profile = HistoryProfile {
                coarse_clock: true,
                pending: 8,
                optional: 3,
            };
            let count = 4 + rng.u64(..4);
            test_models::history_of(model, count, profile, rng)
        })
    }

    /// `reductions` has only the mutated reduction, so that no other one compensates for the mutant.
    fn is_caught_among<T: TestModel>(
        rounds: u64,
        mutant: Mutant,
        reductions: Reductions,
        history: fn(&T, &mut Rng) -> Vec<TimedOp<T::Op>>,
    ) -> bool {
        let model = T::new();
        let mut rng = Rng::with_seed(7);
        let options = Options {
            reductions,
            strategy: Strategy::Sweep,
            ..Options::default()
        };
        for _ in 0..rounds {
            let history = history(&model, &mut rng);
            let expected = naive::explain(&model, &history, Consistency::Linearizable).is_some();
            let verdict =
                || check(&model, history.clone(), options).map(|outcome| outcome.conclusion.is_valid());
            assert_eq!(verdict().ok(), Some(expected), "wrong without a mutant");
            ACTIVE.set(Some(mutant));
            let mutated = verdict();
            ACTIVE.set(None);
            // A witness that does not replay counts as caught: that is the purpose of replaying it.
            if mutated.ok() != Some(expected) {
                return true;
            }
        }
        false
    }

    #[test]
    fn absorbing_a_write_that_changes_nothing_now_is_wrong() {
        assert!(is_caught::<Register>(Mutant::AbsorbNoOps, ABSORPTION));
    }

    #[test]
    fn dominance_must_not_ignore_writes() {
        assert!(is_caught::<Register>(Mutant::DominateByAny, DOMINANCE));
    }

    #[test]
    fn dominance_must_not_treat_mandatory_operations_as_optional() {
        assert!(is_caught::<Register>(Mutant::DominateMandatory, DOMINANCE));
    }

    #[test]
    fn a_frontier_is_minimal_only_with_respect_to_operations_that_stay_open() {
        assert!(is_caught::<Register>(
            Mutant::MinimalAcrossReturn,
            MINIMAL_FRONTIER
        ));
    }

    #[test]
    fn of_interchangeable_operations_the_one_that_returns_first_must_be_tried() {
        assert!(is_caught::<Register>(Mutant::LatestInterchangeable, SYMMETRY));
    }

    #[test]
    fn interchangeable_operations_must_be_equal_to_the_model() {
        assert!(is_caught::<Register>(Mutant::InterchangeByFootprint, SYMMETRY));
    }

    #[test]
    fn conflicts_of_an_accepted_operation_matter() {
        assert!(is_caught::<Register>(Mutant::NoConflicts, FOOTPRINTS));
    }

    #[test]
    fn enablers_of_a_refused_operation_matter() {
        assert!(is_caught::<Register>(Mutant::NoEnablers, FOOTPRINTS));
    }

    #[test]
    fn an_optional_operation_can_be_postponed_only_if_no_operation_reads_it() {
        assert!(is_caught::<Register>(Mutant::AllPostponable, FOOTPRINTS));
    }

    #[test]
    fn the_value_that_a_reading_operation_writes_depends_on_the_state() {
        assert!(is_caught::<Register>(Mutant::SupplyEverywhere, FOOTPRINTS));
    }

    #[test]
    fn parts_that_one_operation_joins_belong_together() {
        assert!(is_caught::<Map>(Mutant::FirstKeyOnly, PARTITIONS));
    }

    #[test]
    fn a_thread_calls_one_operation_after_the_other() {
        assert!(is_caught_at_ties::<Register>(Mutant::NoTies, Reductions::NONE));
        assert!(is_caught_at_ties::<Queue>(Mutant::NoTies, Reductions::NONE));
    }

    #[test]
    fn a_read_is_not_absorbed_before_its_predecessors_in_the_thread() {
        assert!(is_caught_at_ties::<Register>(Mutant::AbsorbOverTies, ABSORPTION));
    }

    #[test]
    fn dominance_must_not_forbid_predecessors_of_a_read() {
        assert!(is_caught_at_ties::<Register>(Mutant::DominateOverTies, DOMINANCE));
    }

    #[test]
    fn operations_are_exchanged_only_where_their_threads_allow_it() {
        assert!(is_caught_at_ties::<Register>(
            Mutant::InterchangeOverTies,
            SYMMETRY
        ));
    }

    #[test]
    fn predecessors_in_the_thread_of_an_accepted_operation_matter() {
        assert!(is_caught_at_ties::<Register>(Mutant::NoTiedConflicts, FOOTPRINTS));
    }

    /// ```text
    /// t1  |-----read y = 1-----|                        returns first at 5, so `write y 1` is placed before it
    /// t0      |-(write x 1)----|-write y 1-|            `write x 1` is optional, and must be placed before `write y 1`
    /// t2                                     |read x = 1|
    /// ```
    #[test]
    fn an_optional_operation_with_a_successor_in_its_thread_cannot_be_postponed() {
        let caught = is_caught_among(1, Mutant::PostponeOverTies, FOOTPRINTS, |_: &Register, _| {
            let op = |thread, op, start, end| TimedOp::new(thread, op, Timebox::new(start, end));
            let mut optional = op(0, RegisterOp::Write(0, 1), 1, 5);
            optional.optional = true;
            vec![
                op(1, RegisterOp::Read(1, Some(1)), 0, 5),
                optional,
                op(0, RegisterOp::Write(1, 1), 5, 8),
                op(2, RegisterOp::Read(0, Some(1)), 9, 10),
            ]
        });
        assert!(caught);
    }

    #[test]
    fn a_frontier_is_minimal_only_with_respect_to_operations_that_threads_allow() {
        assert!(is_caught_at_ties::<Register>(
            Mutant::MinimalOverTies,
            MINIMAL_FRONTIER
        ));
    }

    /// One operation at a time, by a search that commits itself as soon as two operations wait.
    #[test]
    fn a_violation_after_a_commitment_is_no_verdict() {
        let (model, mut rng) = (Register, Rng::with_seed(7));
        let options = Options {
            sweep_budget: 0,
            commit_after: Some(2),
            ..Options::default()
        };
        let is_caught = (0..20_000).any(|_| {
            let history = test_models::random_history(&model, &mut rng);
            let expected = naive::explain(&model, &history, Consistency::Linearizable).is_some();
            ACTIVE.set(Some(Mutant::CommittedForGood));
            let mut checker = Checker::with_partitioning(&model, options, Partitioning::Whole);
            for operation in &history {
                checker.push_followed(operation.clone(), true).expect("in order");
            }
            let mutated = checker.finish();
            ACTIVE.set(None);
            mutated.expect("it replays").conclusion.is_valid() != expected
        });
        assert!(is_caught);
    }

    #[test]
    fn parts_that_threads_link_belong_together() {
        let caught = is_caught_among(20_000, Mutant::PartsOverTies, PARTITIONS, |_: &Register, rng| {
            test_models::linked_registers(rng)
        });
        assert!(caught);
    }
}
