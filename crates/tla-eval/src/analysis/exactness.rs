//! Whether the effects of an action say not only what it may do, but what it does.
//!
//! Many actions with known arguments are of one form: some cells must hold certain values, and then others get certain
//! values: `map[7] = 3 /\ map' = [map EXCEPT ![7] = 5]`. Nobody has to evaluate such an action again to know what it does in
//! a state. The walk that finds the effects notices that an action is of this form, in whatever words, by never meeting
//! anything else; each place that does says so here.
//!
//! *Claim.* Let the walk be exact, and let every cell that is demanded or written be there in a state. If each demand is met,
//! the action leads to one state: each write done, all else as it was. If a demand is not met, and what the cell holds can be
//! compared with what is demanded, the action is refused. In neither case does evaluating it fail.
//!
//! *Proof.* The walk is exact if it met conjunctions, calls, LETs, facts at the top (no branch around them), conditions that it
//! could evaluate either without a state or as an equality between such values and facts, and assignments: each variable once, to
//! itself or to an EXCEPT with one known value (that may come from a fact, by way of `@`) at one known place. Say that all demands are met. Then whatever the walk took
//! from a fact is what the state holds, so evaluating comes to the same values; a condition has the value that the walk decided
//! on, and only the branch that was followed matters; a variable that is assigned once makes one successor; and arguments were
//! evaluated or the walk would not be exact, so none of them fails. Now say that some demand is not met, and take the first in
//! the order of evaluation. What is evaluated before it is, first, facts that hold, and second, parts of conjunctions around
//! it: in each of these all facts come before all else, because otherwise the walk is not exact. So these parts were walked
//! under facts that hold, and evaluating them does not fail, as before. Then the demand itself is evaluated, compares two
//! comparable values, and is false. ∎

/// What is known about exactness while a walk goes on.
#[derive(Debug, Default)]
pub(super) struct Exactness {
    is_lost: bool,
    assigned: Vec<u32>,
}

impl Exactness {
    /// Something else was met.
    pub(super) fn lose(&mut self) {
        self.is_lost = true;
    }

    /// A variable was assigned to.
    pub(super) fn assign(&mut self, variable: u32) {
        self.assigned.push(variable);
    }

    /// Whether the walk, now at its end, is exact, in a spec with so many variables.
    pub(super) fn holds(mut self, variables: usize) -> bool {
        self.assigned.sort_unstable();
        !self.is_lost
            && self.assigned.len() == variables
            && (0..).zip(&self.assigned).all(|(at, of)| at == *of)
    }
}
