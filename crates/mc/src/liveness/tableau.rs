//! Tableau: an automaton for a conjunction of temporal formulas.
//!
//! A state is a set of *obligations*, formulas that the rest of the behaviour must satisfy. A transition reads the letter of one step:
//! it lists propositions that must hold now, and the obligations for the rest. `[]F` requires F now and stays an obligation. `<>F`
//! either requires F now, or is *postponed*: it stays an obligation. A run is accepting if no formula is postponed for ever, so for
//! every `<>F` infinitely many transitions do not postpone it. A behaviour satisfies the obligations of a state if and only if an
//! accepting run starts there.
//!
//! A formula `<>F` is among the obligations for the rest only where it is postponed: `[]G` adds itself, and nothing else is added. So the
//! obligations say what a transition postpones, and one with fewer obligations postpones less.
//!
//! **Dominated transitions are dropped.** For one letter, a transition is dropped if another one has a subset of its obligations. The
//! language stays the same: let a behaviour satisfy the obligations of a state. Some
//! transition is satisfied by it that postpones `<>F` only where F is false now. If it is dropped, the transition that dominates it
//! leads to fewer obligations, which the rest of the behaviour satisfies as well, and also postpones `<>F` only where F is false. So
//! by induction there is a run in which a formula is postponed for ever only if it never becomes true, though it is an obligation;
//! that is impossible.

use std::collections::HashMap;

use super::normal_form::{Form, FormId, NormalForms, PropositionId};

/// Number of a state of the automaton.
pub(crate) type TableauState = u32;

/// Beyond this number of states the automaton is too large.
const STATES_MAX: usize = 20_000;

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    pub(crate) to: TableauState,
    /// The formulas it postpones, as numbers of [`Tableau::promises`], sorted.
    pub(crate) postponed: Box<[u32]>,
}

/// A transition before the letter is known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Expansion {
    now: Vec<PropositionId>,
    next: Vec<FormId>,
}

/// The automaton, built as far as it was asked for.
#[derive(Debug)]
pub(crate) struct Tableau<'f> {
    forms: &'f NormalForms,
    states: Vec<Box<[FormId]>>,
    state_ids: HashMap<Box<[FormId]>, TableauState>,
    expansions: Vec<Option<Vec<Expansion>>>,
    /// The formulas `<>F` that can be postponed.
    promises: Vec<FormId>,
}

/// The automaton has too many states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl<'f> Tableau<'f> {
    /// The automaton for a conjunction. Its first state is 0.
    pub(crate) fn new(forms: &'f NormalForms, conjuncts: &[FormId]) -> Self {
        let mut tableau = Self {
            forms,
            states: Vec::new(),
            state_ids: HashMap::new(),
            expansions: Vec::new(),
            promises: Vec::new(),
        };
        for conjunct in conjuncts {
            tableau.find_promises(*conjunct);
        }
        tableau.state(conjuncts.to_vec());
        tableau
    }

    /// Number of formulas that can be postponed.
    pub(crate) fn promises(&self) -> usize {
        self.promises.len()
    }

    /// All propositions that decide a transition.
    pub(crate) fn propositions(&self, conjuncts: &[FormId]) -> Vec<PropositionId> {
        let mut found = Vec::new();
        let mut pending = conjuncts.to_vec();
        while let Some(form) = pending.pop() {
            match self.forms.form(form) {
                Form::Proposition(proposition) => found.push(*proposition),
                Form::And(parts) | Form::Or(parts) => pending.extend(parts.iter().copied()),
                Form::Always(inner) | Form::Eventually(inner) => pending.push(*inner),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn find_promises(&mut self, form: FormId) {
        match self.forms.form(form) {
            Form::Proposition(_) => {}
            Form::And(parts) | Form::Or(parts) => parts.iter().for_each(|part| self.find_promises(*part)),
            Form::Always(inner) => self.find_promises(*inner),
            Form::Eventually(inner) => {
                if !self.promises.contains(&form) {
                    self.promises.push(form);
                }
                self.find_promises(*inner);
            }
        }
    }

    fn state(&mut self, mut obligations: Vec<FormId>) -> TableauState {
        obligations.sort_unstable();
        obligations.dedup();
        let obligations: Box<[FormId]> = obligations.into();
        if let Some(state) = self.state_ids.get(&obligations) {
            return *state;
        }
        let state = self.states.len() as TableauState;
        self.states.push(obligations.clone());
        self.state_ids.insert(obligations, state);
        self.expansions.push(None);
        state
    }

    /// The transitions of a state for a letter, which is given by the propositions that hold.
    pub(crate) fn transitions(
        &mut self,
        state: TableauState,
        holds: impl Fn(PropositionId) -> bool,
    ) -> Result<Vec<Transition>, TooLarge> {
        if self.expansions[state as usize].is_none() {
            let expansions = self.expand(&self.states[state as usize])?;
            self.expansions[state as usize] = Some(expansions);
        }
        let expansions = self.expansions[state as usize].iter().flatten();
        let enabled: Vec<&Expansion> = expansions
            .filter(|expansion| expansion.now.iter().all(|proposition| holds(*proposition)))
            .collect();
        let mut kept: Vec<Vec<FormId>> = Vec::new();
        for (at, expansion) in enabled.iter().enumerate() {
            let is_dominated = enabled.iter().enumerate().any(|(other_at, other)| {
                is_subset(&other.next, &expansion.next) && (other.next != expansion.next || other_at < at)
            });
            if !is_dominated {
                kept.push(expansion.next.clone());
            }
        }
        let transitions = kept.into_iter().map(|next| Transition {
            postponed: self.postponed(&next),
            to: self.state(next),
        });
        let transitions = transitions.collect();
        if self.states.len() > STATES_MAX {
            return Err(TooLarge);
        }
        Ok(transitions)
    }

    /// The promises among obligations for the rest, as numbers.
    fn postponed(&self, next: &[FormId]) -> Box<[u32]> {
        let promises = (0..).zip(&self.promises);
        let postponed = promises.filter(|(_, promise)| next.binary_search(promise).is_ok());
        postponed.map(|(number, _)| number).collect()
    }

    /// All ways to satisfy obligations in one step.
    fn expand(&self, obligations: &[FormId]) -> Result<Vec<Expansion>, TooLarge> {
        struct Partial {
            pending: Vec<FormId>,
            met: Vec<FormId>,
            expansion: Expansion,
        }
        let mut done = Vec::new();
        let mut partials = vec![Partial {
            pending: obligations.to_vec(),
            met: Vec::new(),
            expansion: Expansion {
                now: Vec::new(),
                next: Vec::new(),
            },
        }];
        while let Some(mut partial) = partials.pop() {
            let Some(form) = partial.pending.pop() else {
                let mut expansion = partial.expansion;
                for list in [&mut expansion.now, &mut expansion.next] {
                    list.sort_unstable();
                    list.dedup();
                }
                if !done.contains(&expansion) {
                    done.push(expansion);
                }
                if done.len() > STATES_MAX {
                    return Err(TooLarge);
                }
                continue;
            };
            if partial.met.contains(&form) {
                partials.push(partial);
                continue;
            }
            partial.met.push(form);
            match self.forms.form(form) {
                Form::Proposition(proposition) => {
                    partial.expansion.now.push(*proposition);
                    partials.push(partial);
                }
                Form::And(parts) => {
                    partial.pending.extend(parts.iter().copied());
                    partials.push(partial);
                }
                Form::Or(parts) => {
                    for part in parts {
                        let mut pending = partial.pending.clone();
                        pending.push(*part);
                        partials.push(Partial {
                            pending,
                            met: partial.met.clone(),
                            expansion: partial.expansion.clone(),
                        });
                    }
                }
                Form::Always(inner) => {
                    partial.expansion.next.push(form);
                    partial.pending.push(*inner);
                    partials.push(partial);
                }
                Form::Eventually(inner) => {
                    let mut later = Partial {
                        pending: partial.pending.clone(),
                        met: partial.met.clone(),
                        expansion: partial.expansion.clone(),
                    };
                    later.expansion.next.push(form);
                    partials.push(later);
                    partial.pending.push(*inner);
                    partials.push(partial);
                }
            }
        }
        Ok(done)
    }
}

/// Whether one sorted list contains another.
fn is_subset(part: &[u32], whole: &[u32]) -> bool {
    part.iter().all(|element| whole.binary_search(element).is_ok())
}
