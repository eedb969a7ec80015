//! Faults planted on purpose: each leaves out the side condition that makes one reduction sound.
//!
//! Outside the engine's own tests no fault exists: [`planted`] is `false` at compile time.

/// A side condition left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "constructed by tests only")]
pub(crate) enum Mutant {
    /// Absorb whatever does not change the state *now*, pure or not.
    AbsorbNoOps,
    /// Look past every operation, not only past pure ones.
    DominateByAny,
    /// Look past operations that must happen as if they were optional.
    DominateMandatory,
    /// Drop configurations that another one reaches by placing the operation that returns now.
    MinimalAcrossReturn,
    /// Of two twins, try the one that returns last.
    LatestTwin,
    /// Take operations with equal footprints for twins.
    AnyTwin,
    /// Forget what an accepted operation conflicts with.
    NoConflicts,
    /// Forget what a refused operation waits for.
    NoFeeders,
    /// Take every optional operation on one key for idle, whoever reads the key.
    AllIdle,
    /// Try what an operation wrote here also for one that reads, and may write something else elsewhere.
    FeedsAlike,
    /// Take the first key for the whole footprint.
    FirstKeyOnly,
    /// Forget that a thread calls one operation after the other where its timeboxes touch.
    NoTies,
    /// Absorb an operation although its thread called another one before that is not placed.
    AbsorbOverTies,
    /// Look past an operation although another one before it in its thread may still happen.
    DominateOverTies,
    /// Exchange operations of one class whatever their threads do before and after.
    TiedTwin,
    /// Forget that an operation does not commute with one of its thread.
    NoTiedConflicts,
    /// Let an optional operation wait although its thread called another one after it.
    TiedIdle,
    /// Place an operation that is not due to see which configurations are superfluous.
    MinimalOverTies,
    /// Take the explanations of parts together without asking whether threads link them.
    PartsOverTies,
}

#[cfg(test)]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
}

/// Whether this fault is planted.
#[inline(always)]
pub(crate) fn planted(mutant: Mutant) -> bool {
    #[cfg(test)]
    return PLANTED.get() == Some(mutant);
    #[cfg(not(test))]
    {
        let _ = mutant;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::{Mutant, PLANTED};
    use crate::options::{Consistency, Options, Reductions, Strategy};
    use crate::toys::{self, Dice, Toy, Weather};
    use crate::{Operation, check, naive};

    /// Whether some random history is judged wrongly by the sweep with this fault, and rightly without it.
    fn is_caught<T: Toy>(mutant: Mutant, only: fn(&mut Reductions)) -> bool {
        is_caught_among(20_000, mutant, only, |toy: &T, dice| toys::history(toy, dice))
    }

    /// The same where the fault needs threads that call at the very reading of the clock at which they returned.
    fn is_caught_at_ties<T: Toy>(mutant: Mutant, only: fn(&mut Reductions)) -> bool {
        is_caught_among(100_000, mutant, only, |toy: &T, dice| {
            let weather = Weather {
                coarse: true,
                pending: 8,
                optional: 3,
            };
            let count = 4 + dice.roll(4);
            toys::history_of(toy, count, weather, dice)
        })
    }

    fn is_caught_among<T: Toy>(
        rounds: u64,
        mutant: Mutant,
        only: fn(&mut Reductions),
        history: fn(&T, &mut Dice) -> Vec<Operation<T::Op>>,
    ) -> bool {
        let toy = T::new();
        let mut dice = Dice::new(7);
        // The reduction on its own, so that no other one makes up for the fault.
        let mut reductions = Reductions::NONE;
        only(&mut reductions);
        let options = Options {
            reductions,
            strategy: Strategy::Sweep,
            ..Options::default()
        };
        for _ in 0..rounds {
            let history = history(&toy, &mut dice);
            let expected = naive::explain(&toy, &history, Consistency::Linearizable).is_some();
            let verdict =
                || check(&toy, history.clone(), options).map(|outcome| outcome.conclusion.is_valid());
            assert_eq!(verdict().ok(), Some(expected), "wrong without any fault");
            PLANTED.set(Some(mutant));
            let mutated = verdict();
            PLANTED.set(None);
            // A witness that does not replay is caught, too: that is what replaying is for.
            if mutated.ok() != Some(expected) {
                return true;
            }
        }
        false
    }

    #[test]
    fn absorbing_a_write_that_changes_nothing_now_is_wrong() {
        assert!(is_caught::<toys::Register>(Mutant::AbsorbNoOps, |r| r
            .absorption =
            true));
    }

    #[test]
    fn dominance_must_not_look_past_writes() {
        assert!(is_caught::<toys::Register>(Mutant::DominateByAny, |r| r
            .dominance =
            true));
    }

    #[test]
    fn dominance_must_not_take_mandatory_operations_for_optional() {
        assert!(is_caught::<toys::Register>(Mutant::DominateMandatory, |r| r
            .dominance =
            true));
    }

    #[test]
    fn a_frontier_is_minimal_only_with_respect_to_what_stays_open() {
        assert!(is_caught::<toys::Register>(Mutant::MinimalAcrossReturn, |r| r
            .minimal_frontier =
            true));
    }

    #[test]
    fn of_two_twins_the_one_that_returns_first_must_be_tried() {
        assert!(is_caught::<toys::Register>(Mutant::LatestTwin, |r| r.symmetry = true));
    }

    #[test]
    fn twins_must_be_equal_to_the_model() {
        assert!(is_caught::<toys::Register>(Mutant::AnyTwin, |r| r.symmetry = true));
    }

    #[test]
    fn what_conflicts_with_an_accepted_operation_matters() {
        assert!(is_caught::<toys::Register>(Mutant::NoConflicts, |r| r
            .footprints =
            true));
    }

    #[test]
    fn what_a_refused_operation_waits_for_matters() {
        assert!(is_caught::<toys::Register>(Mutant::NoFeeders, |r| r.footprints = true));
    }

    #[test]
    fn an_optional_operation_is_idle_only_if_nobody_reads_it() {
        assert!(is_caught::<toys::Register>(Mutant::AllIdle, |r| r.footprints = true));
    }

    #[test]
    fn what_an_operation_that_reads_writes_depends_on_where_it_happens() {
        assert!(is_caught::<toys::Register>(Mutant::FeedsAlike, |r| r
            .footprints =
            true));
    }

    #[test]
    fn parts_that_one_operation_joins_belong_together() {
        assert!(is_caught::<toys::Map>(Mutant::FirstKeyOnly, |r| r.partitions = true));
    }

    #[test]
    fn a_thread_calls_one_operation_after_the_other() {
        assert!(is_caught_at_ties::<toys::Register>(Mutant::NoTies, |_| ()));
        assert!(is_caught_at_ties::<toys::Queue>(Mutant::NoTies, |_| ()));
    }

    #[test]
    fn a_read_is_not_absorbed_before_what_its_thread_called_first() {
        assert!(is_caught_at_ties::<toys::Register>(Mutant::AbsorbOverTies, |r| {
            r.absorption = true
        }));
    }

    #[test]
    fn dominance_must_not_forbid_what_the_thread_called_before_a_read() {
        assert!(is_caught_at_ties::<toys::Register>(
            Mutant::DominateOverTies,
            |r| r.dominance = true
        ));
    }

    #[test]
    fn twins_are_exchanged_only_where_their_threads_allow_it() {
        assert!(is_caught_at_ties::<toys::Register>(Mutant::TiedTwin, |r| r
            .symmetry =
            true));
    }

    #[test]
    fn what_a_thread_called_first_matters_to_what_it_called_next() {
        assert!(is_caught_at_ties::<toys::Register>(
            Mutant::NoTiedConflicts,
            |r| r.footprints = true
        ));
    }

    #[test]
    fn an_optional_operation_is_idle_only_if_its_thread_called_nothing_after_it() {
        assert!(is_caught_at_ties::<toys::Register>(Mutant::TiedIdle, |r| r
            .footprints =
            true));
    }

    #[test]
    fn a_frontier_is_minimal_only_with_respect_to_what_is_due() {
        assert!(is_caught_at_ties::<toys::Register>(
            Mutant::MinimalOverTies,
            |r| r.minimal_frontier = true
        ));
    }

    #[test]
    fn parts_that_threads_link_belong_together() {
        let caught = is_caught_among(
            20_000,
            Mutant::PartsOverTies,
            |r| r.partitions = true,
            |_: &toys::Register, dice| toys::crossing(dice),
        );
        assert!(caught);
    }
}
