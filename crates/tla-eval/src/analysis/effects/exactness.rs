//! Exactness: whether the effects of an action define it completely.
//!
//! Many actions with known arguments have one form: some cells must have certain values, and then others get certain values, as in
//! `map[7] = 3 /\ map' = [map EXCEPT ![7] = 5]`. Such an action need not be evaluated in each state. The analysis is exact if it meets
//! nothing else, however the action is written; every other case calls [`Exactness::lose`].
//!
//! *Claim.* Let the analysis be exact, and let every demanded, counted or written cell exist in a state. If each demand is met and each
//! tally is true, the action has one successor: the state with each write made. If a demand is not met, and the value of the cell can
//! be compared with the demanded one, or if a tally is false, the action is disabled. In no case does its evaluation fail.
//!
//! *Proof.* The analysis is exact if it met only conjunctions, calls, LETs, facts outside of branches, conditions that it evaluated
//! without a state or as an equality between such values and facts, tallies outside of branches, and assignments: each variable once, to itself or to an EXCEPT with
//! one known value (which may come from a fact, through `@`) at one known path. Suppose all demands are met. Then every value taken from a
//! fact is the value in the state, so evaluation gives the same values; a condition has the decided value, so only the analysed
//! branch matters; a variable assigned once gives one successor; and all arguments were evaluated, else the analysis would not be exact,
//! so none of them fails. Now suppose some demand is not met, and take the first in the order of evaluation. Before it, evaluation meets
//! facts that hold, and parts of enclosing conjunctions. In each of these all facts come before everything else, because otherwise the
//! analysis is not exact. So these parts were analysed under facts that hold, and evaluating them does not fail, as before. Then the
//! demand itself is evaluated, compares two comparable values, and is false. A tally is a demand in this respect: its tests are
//! equalities of values that can be compared, and questions whether a cell is there, which do not fail. Where a comparison is decided because both
//! sides ask the same of a cell, or a set is computed and not used, the tests are tallies without weight: true, unless they fail. ∎

/// The exactness of an analysis so far.
#[derive(Debug, Default)]
pub(super) struct Exactness {
    is_lost: bool,
    assigned: Vec<u32>,
}

impl Exactness {
    /// The action has another form.
    pub(super) fn lose(&mut self) {
        self.is_lost = true;
    }

    /// A variable was assigned.
    pub(super) fn assign(&mut self, variable: u32) {
        self.assigned.push(variable);
    }

    /// Whether the finished analysis is exact, in a spec with this number of variables.
    pub(super) fn holds(mut self, variables: usize) -> bool {
        self.assigned.sort_unstable();
        !self.is_lost
            && self.assigned.len() == variables
            && (0..).zip(&self.assigned).all(|(at, of)| at == *of)
    }
}
