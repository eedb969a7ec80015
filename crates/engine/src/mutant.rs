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
    /// Take the first key for the whole footprint.
    FirstKeyOnly,
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
    use crate::toys::{self, Dice, Toy};
    use crate::{check, naive};

    /// Whether some random history is judged wrongly by the sweep with this fault, and rightly without it.
    fn is_caught<T: Toy>(mutant: Mutant, only: fn(&mut Reductions)) -> bool {
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
        for _ in 0..20_000 {
            let history = toys::history(&toy, &mut dice);
            let expected = naive::explain(&toy, &history, Consistency::Linearizable).is_some();
            let verdict = || check(&toy, history.clone(), options).map(|outcome| outcome.verdict.is_valid());
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
    fn parts_that_one_operation_joins_belong_together() {
        assert!(is_caught::<toys::Map>(Mutant::FirstKeyOnly, |r| r.partitions = true));
    }
}
