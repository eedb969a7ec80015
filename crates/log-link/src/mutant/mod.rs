//! Mutants of the search: each leaves out a side condition that makes a reduction sound.
//!
//! Outside the crate's own tests there are no mutants: [`mutated`] is `false` at compile time.

/// A side condition left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "constructed by tests only")]
pub(crate) enum Mutant {
    /// Leave out actions that are arguments or LETs.
    DropCarriedActions,
    /// Do not compare the arguments of an event with those of the line.
    IgnoreArguments,
    /// Leave out orders of lines that conflict.
    IgnoreConflicts,
    /// Leave out chains that a line waits for.
    IgnoreWaiting,
    /// Exchange lines although an invariant reads what they change.
    IgnoreInvariants,
    /// Take lines of one event for lines with one footprint, whatever their arguments are.
    FootprintOfEvent,
    /// Take states for the same although hidden actions may happen more often after one of them.
    ForgetHiddenCounts,
    /// Exchange lines although a message that is known in part may be the other's.
    IgnorePartialElements,
    /// Leave out a hidden action that takes away something whose absence matters.
    LoseWhatIsMissed,
    /// Leave out a hidden action that takes away something that the log tells.
    LoseWhatIsLogged,
    /// Use the interchangeable identities of a later cut that was asked about before.
    ForgetCut,
    /// Exchange identities that lines to come mention.
    InterchangeMentioned,
    /// Exchange identities that only a look back to a previous line mentions.
    InterchangeLookedBackAt,
    /// Exchange identities that the specification tells apart by constants.
    InterchangeConstants,
    /// Exchange identities although the specification has CHOOSE.
    InterchangeChosen,
    /// Exchange identities although operators look into the text of values.
    InterchangeText,
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
mod message_sets;
#[cfg(test)]
mod tests;
