//! Whether some order of steps explains a trace: a search that remembers where it has been.

use std::collections::HashSet;

use super::action::State;
use super::eval::Valued;
use super::spec::Spec;
use super::timed_call::TimedCall;
use super::value::Val;

/// What the search says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    Valid,
    Violation,
    /// An expression has no value, or the search is too long.
    NotCompared,
}

/// Searches that visit more are given up.
const VISITS_MAX: usize = 20_000;

/// Decides about calls in order of start. With `is_async` threads are only labels.
pub fn explain(spec: &Spec, calls: &[TimedCall], is_async: bool) -> Explained {
    assert!(calls.len() <= 128, "the oracle is for short traces");
    let before: Vec<u128> = (0..calls.len()).map(|at| before(calls, at, is_async)).collect();
    let after = |at: usize| {
        let after = (0..calls.len()).filter(|other| before[*other] >> at & 1 == 1);
        after.fold(0, |mask, other| mask | 1 << other)
    };
    let mut search = Search {
        spec,
        calls,
        after: (0..calls.len()).map(after).collect(),
        before,
        seen: HashSet::new(),
    };
    let mut found = false;
    for state in spec.initial_states() {
        let from = Place {
            done: 0,
            steps: vec![0; calls.len()],
            state,
        };
        match spec.holds_in(&from.state) {
            Err(_) => return Explained::NotCompared,
            Ok(false) => continue,
            Ok(true) => {}
        }
        match search.is_explained(from) {
            Ok(true) => found = true,
            Ok(false) => {}
            Err(_) => return Explained::NotCompared,
        }
        if search.seen.len() > VISITS_MAX {
            return Explained::NotCompared;
        }
        if found {
            return Explained::Valid;
        }
    }
    Explained::Violation
}

/// The calls that must come before this one.
fn before(calls: &[TimedCall], at: usize, is_async: bool) -> u128 {
    let call = &calls[at];
    let comes_first = |other: usize| {
        let from = &calls[other];
        let is_called_first = (from.start, other) < (call.start, at);
        let touches =
            !is_async && from.thread == call.thread && from.end == Some(call.start) && is_called_first;
        from.end.is_some_and(|end| end < call.start) || touches
    };
    (0..calls.len())
        .filter(|other| *other != at && comes_first(*other))
        .fold(0, |mask, other| mask | 1 << other)
}

/// Which calls are done, the steps of those that are not, and the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    done: u128,
    steps: Vec<u32>,
    state: State,
}

struct Search<'a> {
    spec: &'a Spec,
    calls: &'a [TimedCall],
    before: Vec<u128>,
    after: Vec<u128>,
    seen: HashSet<Place>,
}

impl Search<'_> {
    fn is_explained(&mut self, from: Place) -> Valued<bool> {
        let mut waiting = vec![from];
        let goal = (0..self.calls.len()).filter(|at| self.calls[*at].end.is_some());
        let goal = goal.fold(0u128, |mask, at| mask | 1 << at);
        while let Some(place) = waiting.pop() {
            if place.done & goal == goal {
                return Ok(true);
            }
            if self.seen.len() > VISITS_MAX || !self.seen.insert(place.clone()) {
                continue;
            }
            let states = after_hidden(self.spec, &place.state)?;
            let stepped = (0..self.calls.len()).filter(|at| place.steps[*at] > 0);
            let begun = stepped.fold(place.done, |mask, at| mask | 1 << at);
            for at in 0..self.calls.len() {
                // What returned before this call began is done. Nothing that it must precede has begun to happen.
                let is_done = place.done >> at & 1 == 1;
                if is_done || self.before[at] & goal & !place.done != 0 || self.after[at] & begun != 0 {
                    continue;
                }
                for state in &states {
                    self.happens(&place, at, state, &mut waiting)?;
                }
            }
        }
        Ok(false)
    }

    /// All places after the call, or a step of it.
    fn happens(&self, place: &Place, at: usize, state: &State, waiting: &mut Vec<Place>) -> Valued<()> {
        let (spec, call) = (self.spec, &self.calls[at]);
        let operation = &spec.operations[call.operation];
        for args in assignments(spec, call) {
            for state in spec.successors(&operation.done, &operation.params, &args, state)? {
                let mut next = Place {
                    state,
                    ..place.clone()
                };
                next.done |= 1 << at;
                next.steps[at] = 0;
                waiting.push(next);
            }
            let Some((step, times)) = &operation.step else {
                continue;
            };
            if place.steps[at] < *times {
                for state in spec.successors(step, &operation.params, &args, state)? {
                    let mut next = Place {
                        state,
                        ..place.clone()
                    };
                    next.steps[at] += 1;
                    waiting.push(next);
                }
            }
        }
        Ok(())
    }
}

/// The state, and those that hidden steps lead to before an operation.
pub fn after_hidden(spec: &Spec, state: &State) -> Valued<Vec<State>> {
    let mut reached = vec![(state.clone(), vec![0; spec.hidden.len()])];
    let mut next = 0;
    while let Some((from, used)) = reached.get(next).cloned() {
        next += 1;
        for (number, hidden) in spec.hidden.iter().enumerate() {
            if used[number] >= hidden.bound {
                continue;
            }
            for state in spec.successors(&hidden.act, &[], &[], &from)? {
                let mut used = used.clone();
                used[number] += 1;
                let entry = (state, used);
                if !reached.contains(&entry) {
                    reached.push(entry);
                }
            }
        }
    }
    let mut states: Vec<State> = Vec::new();
    for (state, _) in reached {
        if !states.contains(&state) {
            states.push(state);
        }
    }
    Ok(states)
}

/// All arguments that a call may have had.
fn assignments(spec: &Spec, call: &TimedCall) -> Vec<Vec<Val>> {
    let mut all = vec![Vec::new()];
    for (param, arg) in spec.operations[call.operation].params.iter().zip(&call.args) {
        let values = match arg {
            Some(value) => std::slice::from_ref(value),
            None => &param.values,
        };
        let more = all.iter().flat_map(|args: &Vec<Val>| {
            values.iter().map(|value| {
                let mut args = args.clone();
                args.push(value.clone());
                args
            })
        });
        all = more.collect();
    }
    all
}
