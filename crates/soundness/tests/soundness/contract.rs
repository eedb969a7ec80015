//! What the model of a specification promises the engine: which operations are pure, which commute, which overwrite, and what may
//! enable an operation that is refused.
//!
//! A promise that does not hold shows in a verdict only if the right operations meet at the right time. Here each is compared with the steps
//! themselves, in states that the operations lead to.

use std::collections::HashMap;

use fastrand::Rng;
use omnilink_engine::{Footprint, Keys, Model, successors};
use omnilink_link::{Instance, SpecState, TlaModel};

use crate::product::bound;

/// The states in which promises are looked at.
const STATES: usize = 10;

/// The states that operations which enable nothing may lead to.
const REACHED_MAX: usize = 24;

/// An operation, and what the model promises about it in every state.
struct Promised {
    op: Instance,
    footprint: Footprint,
    is_pure: bool,
}

/// The operations of a model, and its steps as far as they were computed.
struct Explored<'m, 'l> {
    model: &'m TlaModel<'l>,
    operations: Vec<Promised>,
    states: Vec<SpecState>,
    numbers: HashMap<SpecState, usize>,
    /// By state and operation.
    steps: HashMap<(usize, usize), Vec<usize>>,
    /// Whether an operation is accepted after another one that leaves the same wherever it happens.
    supplied: HashMap<(usize, usize), bool>,
}

impl<'m, 'l> Explored<'m, 'l> {
    fn new(model: &'m TlaModel<'l>, operations: Vec<Instance>) -> Self {
        let promised = |op: Instance| Promised {
            footprint: model.footprint(&op),
            is_pure: model.is_pure(&op),
            op,
        };
        Self {
            model,
            operations: operations.into_iter().map(promised).collect(),
            states: Vec::new(),
            numbers: HashMap::new(),
            steps: HashMap::new(),
            supplied: HashMap::new(),
        }
    }

    fn number(&mut self, state: SpecState) -> usize {
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        let number = self.states.len();
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        number
    }

    /// The states that an operation leads to, in order.
    fn after(&mut self, state: usize, operation: usize) -> Vec<usize> {
        if let Some(known) = self.steps.get(&(state, operation)) {
            return known.clone();
        }
        let found = successors(self.model, &self.states[state], &self.operations[operation].op);
        let mut found: Vec<usize> = found.into_iter().map(|next| self.number(next)).collect();
        found.sort_unstable();
        found.dedup();
        self.steps.insert((state, operation), found.clone());
        found
    }

    /// The states after one operation and then another one.
    fn after_both(&mut self, state: usize, first: usize, second: usize) -> Vec<usize> {
        let mut reached = Vec::new();
        for between in self.after(state, first) {
            reached.extend(self.after(between, second));
        }
        reached.sort_unstable();
        reached.dedup();
        reached
    }

    fn is_accepted(&mut self, state: usize, operation: usize) -> bool {
        !self.after(state, operation).is_empty()
    }

    fn described(&self, operation: usize) -> String {
        self.model.describe_op(&self.operations[operation].op)
    }

    fn state_text(&self, state: usize) -> String {
        self.model.describe_state(&self.states[state])
    }

    /// The first promise that does not hold in a state.
    fn broken(&mut self, state: usize) -> Option<String> {
        for operation in 0..self.operations.len() {
            let broken = self.broken_purity(state, operation).or_else(|| {
                (0..self.operations.len()).find_map(|other| self.broken_footprints(state, operation, other))
            });
            if broken.is_some() {
                return broken;
            }
            if !self.is_accepted(state, operation)
                && let Some(broken) = self.broken_enabling(state, operation)
            {
                return Some(broken);
            }
        }
        None
    }

    fn broken_purity(&mut self, state: usize, operation: usize) -> Option<String> {
        let changes = self.after(state, operation).iter().any(|next| *next != state);
        (self.operations[operation].is_pure && changes)
            .then(|| format!("{} is said to change nothing", self.described(operation)))
    }

    fn broken_footprints(&mut self, state: usize, one: usize, other: usize) -> Option<String> {
        let (first, second) = (&self.operations[one].footprint, &self.operations[other].footprint);
        let conflict = meet(&first.writes, &second.reads)
            || meet(&second.writes, &first.reads)
            || meet(&first.writes, &second.writes);
        // What is left behind in the one key of `one` does not matter to what overwrites it. What overwrites all keys may leave this one alone.
        let is_overwritten = only_key(first).is_some_and(|key| {
            second.writes != Keys::All && has(&second.writes, key) && !has(&second.reads, key)
        });
        // What reads nothing leaves the same wherever it happens, and what touches that key only depends on nothing else.
        let is_supplied =
            first.reads == Keys::none() && only_key(first).is_some() && only_key(first) == only_key(second);
        if !conflict {
            let is_accepted = self.is_accepted(state, other);
            let differs = |this: &mut Self, after: usize| this.is_accepted(after, other) != is_accepted;
            if self
                .after(state, one)
                .into_iter()
                .any(|after| differs(self, after))
                || self.after_both(state, one, other) != self.after_both(state, other, one)
            {
                return Some(format!(
                    "{} and {} are said to commute",
                    self.described(one),
                    self.described(other)
                ));
            }
        }
        if is_supplied {
            for after in self.after(state, one) {
                let is_accepted = self.is_accepted(after, other);
                if *self.supplied.entry((one, other)).or_insert(is_accepted) != is_accepted {
                    return Some(format!(
                        "{} is said to leave the same for {} wherever it happens",
                        self.described(one),
                        self.described(other)
                    ));
                }
            }
        }
        if is_overwritten {
            let expected = self.after(state, other);
            let differs = |this: &mut Self, after: usize| this.after(after, other) != expected;
            if self
                .after(state, one)
                .into_iter()
                .any(|after| differs(self, after))
            {
                return Some(format!(
                    "{} is said to overwrite all that {} does",
                    self.described(other),
                    self.described(one)
                ));
            }
        }
        None
    }

    /// Whether operations of which none is said to enable `refused` lead to a state that accepts it.
    fn broken_enabling(&mut self, state: usize, refused: usize) -> Option<String> {
        let idle: Vec<usize> = (0..self.operations.len())
            .filter(|helper| {
                let helper = &self.operations[*helper];
                let refused = &self.operations[refused];
                // The engine asks only about those that write what the refused one reads.
                let is_asked = !helper.is_pure && meet(&helper.footprint.writes, &refused.footprint.reads);
                !is_asked
                    || !self
                        .model
                        .may_enable(&self.states[state], &refused.op, &helper.op)
            })
            .collect();
        let mut reached = vec![(state, Vec::new())];
        let mut at = 0;
        while let Some((from, way)) = reached.get(at).cloned() {
            at += 1;
            for helper in &idle {
                for next in self.after(from, *helper) {
                    if reached.len() >= REACHED_MAX || reached.iter().any(|(known, _)| *known == next) {
                        continue;
                    }
                    let way = [way.as_slice(), &[*helper]].concat();
                    if self.is_accepted(next, refused) {
                        let way: Vec<String> = way.iter().map(|helper| self.described(*helper)).collect();
                        return Some(format!(
                            "{} is enabled by {}, none of which is said to do so",
                            self.described(refused),
                            way.join(", ")
                        ));
                    }
                    reached.push((next, way));
                }
            }
        }
        None
    }
}

fn meet(one: &Keys, other: &Keys) -> bool {
    match (one, other) {
        (Keys::Only(one), other) => one.iter().any(|key| has(other, *key)),
        (one, Keys::Only(other)) => other.iter().any(|key| has(one, *key)),
        (Keys::All, Keys::All) => true,
    }
}

fn has(keys: &Keys, key: u64) -> bool {
    match keys {
        Keys::Only(keys) => keys.contains(&key),
        Keys::All => true,
    }
}

/// The key, if an operation touches one.
fn only_key(footprint: &Footprint) -> Option<u64> {
    let (Keys::Only(reads), Keys::Only(writes)) = (&footprint.reads, &footprint.writes) else {
        return None;
    };
    let mut keys = reads.iter().chain(writes);
    let first = *keys.next()?;
    keys.all(|key| *key == first).then_some(first)
}

/// The first promise about the operations of a trace (NDJSON) that does not hold.
pub fn broken_promise(rng: &mut Rng, model: &TlaModel<'_>, trace: &str) -> Result<Option<String>, String> {
    let operations = bound(model, trace, false)?;
    let mut explored = Explored::new(model, operations.into_iter().map(|timed| timed.op).collect());
    let mut states: Vec<usize> = model
        .initial()
        .into_iter()
        .map(|state| explored.number(state))
        .collect();
    for _ in 0..STATES * 6 {
        if states.len() >= STATES || states.is_empty() {
            break;
        }
        let (from, operation) = (
            states[rng.usize(..states.len())],
            rng.usize(..explored.operations.len()),
        );
        for next in explored.after(from, operation) {
            if !states.contains(&next) {
                states.push(next);
            }
        }
    }
    let broken = states.into_iter().find_map(|state| {
        let broken = explored.broken(state)?;
        Some(format!("{}: {broken}", explored.state_text(state)))
    });
    Ok(broken)
}
