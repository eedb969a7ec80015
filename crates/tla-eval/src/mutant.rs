//! Mutants of the evaluator's early ends and of its memo: each leaves out a condition that makes an answer right.
//!
//! Outside the crate's own tests there are no mutants: [`mutated`] is `false` at compile time.

/// A condition left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "constructed by tests only")]
pub(crate) enum Mutant {
    /// Refute a quantifier by a conjunct that depends on the bound names.
    RefuteByOneElement,
    /// Refute a quantifier although a conjunct before has no value for an element that is left.
    RefuteBeforeErrors,
    /// Take two parts of sequences for equal beyond the common prefix.
    BeyondCommonPrefix,
    /// Use the memo although a variable has another value than the one that was read.
    ForgetVariables,
    /// Use the memo although a parameter has another value than the one that was read.
    ForgetSlots,
    /// Use the memo although a next value that was read comes from another value.
    ForgetSources,
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
    use std::collections::BTreeSet;
    use std::path::Path;

    use omnilink_tla_ir::lower::{Lowering, Mode, Replacements};
    use omnilink_tla_ir::{Formula, Program};
    use omnilink_tla_semantics::load_text;
    use omnilink_value::Value;

    use super::{ACTIVE, Mutant};
    use crate::{Evaluator, Flow, SilentSession, State};

    /// The program of a module with these definitions, of which `Init` and `Next` are its behaviour.
    fn program(definitions: &str) -> (Program, Formula, Formula) {
        let text = format!("---- MODULE M ----\nEXTENDS Integers, Sequences\n{definitions}\n====");
        let loaded = load_text(Path::new("M.tla"), text, &Default::default());
        assert!(loaded.is_ok(), "{:?}", loaded.diagnostics);
        let mut lowering = Lowering::new(&loaded.spec, Replacements::default());
        let mut definition =
            |name: &str, mode| lowering.definition(loaded.spec.find(name).expect("is defined"), mode);
        let (init, next) = (definition("Init", Mode::Init), definition("Next", Mode::Next));
        (lowering.finish(), init, next)
    }

    /// The values of `x` in the initial states, sorted; `None` if an evaluation failed.
    fn initial(definitions: &str, mutant: Option<Mutant>) -> Option<BTreeSet<Vec<Value>>> {
        let (program, init, _) = program(definitions);
        let session = SilentSession::default();
        let mut evaluator = Evaluator::new(&program, &session);
        ACTIVE.set(mutant);
        let mut found = BTreeSet::new();
        let outcome = evaluator.initial(init, &mut |_, state, _| {
            found.insert(state.to_vec());
            Ok(Flow::Go)
        });
        ACTIVE.set(None);
        outcome.ok().map(|()| found)
    }

    /// The states that are reached with the memo; `None` if an evaluation failed.
    fn reached(definitions: &str, mutant: Option<Mutant>) -> Option<BTreeSet<Vec<Value>>> {
        let (program, init, next) = program(definitions);
        let session = SilentSession::default();
        let mut evaluator = Evaluator::new(&program, &session);
        evaluator.enable_memo_within(1 << 20);
        ACTIVE.set(mutant);
        let mut known: BTreeSet<Vec<Value>> = BTreeSet::new();
        let mut open: Vec<Vec<Value>> = Vec::new();
        let mut outcome = evaluator.initial(init, &mut |_, state, _| {
            open.push(state.to_vec());
            Ok(Flow::Go)
        });
        while let (Some(state), true) = (open.pop(), outcome.is_ok()) {
            if known.insert(state.clone()) {
                outcome = evaluator.successors(next, &State::from(state), &mut |_, state, _| {
                    open.push(state.to_vec());
                    Ok(Flow::Go)
                });
            }
        }
        ACTIVE.set(None);
        outcome.ok().map(|()| known)
    }

    #[track_caller]
    fn assert_caught(mutant: Mutant, definitions: &str) {
        let right = reached(definitions, None);
        assert!(right.is_some(), "it has states");
        assert_ne!(
            right,
            reached(definitions, Some(mutant)),
            "{mutant:?} changes nothing"
        );
    }

    #[test]
    fn a_quantifier_is_refuted_for_all_elements() {
        let definitions =
            "VARIABLE x\nInit == x \\in {n \\in 1..30 : \\E i \\in 1..40 : i = 10 + n}\nNext == UNCHANGED x";
        let right = initial(definitions, None);
        assert_eq!(right.as_ref().map(BTreeSet::len), Some(30));
        assert_ne!(right, initial(definitions, Some(Mutant::RefuteByOneElement)));
    }

    #[test]
    fn a_quantifier_fails_where_an_element_before_the_refutation_does() {
        let definitions = "VARIABLE x\nInit == x \\in {n \\in {0} : \\E i \\in 1..40 : 9 \\div (20 - i) < 99 /\\ n = 1}\nNext == UNCHANGED x";
        assert_eq!(initial(definitions, None), None);
        assert_ne!(initial(definitions, Some(Mutant::RefuteBeforeErrors)), None);
    }

    #[test]
    fn parts_of_sequences_differ_beyond_their_common_prefix() {
        let definitions = "VARIABLE x\nS == <<1, 2, 3, 4>>\nT == <<1, 2, 7, 4>>\n\
                           Init == x \\in {n \\in 1..4 : SubSeq(S, 1, n) = SubSeq(T, 1, n)}\nNext == UNCHANGED x";
        let right = initial(definitions, None);
        assert_eq!(right.as_ref().map(BTreeSet::len), Some(2));
        assert_ne!(right, initial(definitions, Some(Mutant::BeyondCommonPrefix)));
    }

    #[test]
    fn a_memoised_step_depends_on_the_variables_that_it_read() {
        assert_caught(
            Mutant::ForgetVariables,
            "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nUp == x < 4 /\\ x' = x + 1 /\\ UNCHANGED y\n\
             Copy == y' = 2 * x /\\ UNCHANGED x\nNext == Up \\/ Copy",
        );
    }

    #[test]
    fn a_memoised_step_depends_on_its_parameters() {
        assert_caught(
            Mutant::ForgetSlots,
            "VARIABLE x\nInit == x = 0\nSet(n) == x < 3 /\\ x' = n\nNext == \\E n \\in 1..5 : Set(n)",
        );
    }

    #[test]
    fn a_memoised_step_depends_on_the_source_of_a_next_value_that_it_read() {
        assert_caught(
            Mutant::ForgetSources,
            "VARIABLES f, y\nInit == f = [k \\in 1..2 |-> 0] /\\ y = 0\n\
             Up == f[2] < 3 /\\ f' = [f EXCEPT ![2] = f[2] + 1] /\\ UNCHANGED y\n\
             Clear == f' = [f EXCEPT ![1] = 1] /\\ y' = f'[2]\nNext == Up \\/ Clear",
        );
    }
}
