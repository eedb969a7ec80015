//! The types of variables and of parameters, found out by looking at values.

use std::collections::{BTreeMap, HashSet};

use omnilink_tla::eval::{Evaluator, Flow, State};
use omnilink_tla::ir::{Formula, OperatorId};
use omnilink_value::Value;

use crate::event_action::EventAction;
use crate::value_type::ValueType;

/// How many states are looked at in breadth.
const BREADTH_STATES: usize = 60;
/// How many successors of one state by one action are looked at.
const SUCCESSORS_MAX: usize = 4;
/// How many steps are taken in depth.
const DEPTH_STEPS: usize = 60;

/// The types of variables, and of the parameters of actions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    variables: Vec<ValueType>,
    /// By action and parameter.
    params: BTreeMap<String, BTreeMap<String, ValueType>>,
    unknown: ValueType,
}

impl Types {
    /// Looks at the initial states, some of those around them, and one behaviour. The choice is fixed: the same log always means the same.
    pub fn found(
        evaluator: &mut Evaluator<'_>,
        next: Formula,
        actions: &[EventAction],
        initial: &[State],
    ) -> Self {
        // Each action by itself, so that one with many successors does not hide the others.
        let mut steps: Vec<(OperatorId, Vec<Value>)> = actions
            .iter()
            .filter_map(|action| {
                let arguments = vec![Value::bool(false); 2 * action.params.len()];
                Some((action.restriction?.partial, arguments))
            })
            .collect();
        steps.push((next.operation(), Vec::new()));
        let mut types = Self {
            variables: vec![ValueType::default(); evaluator.program().variables.len()],
            ..Self::default()
        };
        let mut seen: HashSet<Vec<u64>> = HashSet::new();
        let mut queue: Vec<State> = Vec::new();
        for state in initial.iter().take(BREADTH_STATES) {
            types.add_state(state);
            if seen.insert(hashes(state)) {
                queue.push(state.clone());
            }
        }
        let mut at = 0;
        while let Some(state) = queue.get(at).cloned() {
            at += 1;
            for successor in types.successors(evaluator, &steps, &state) {
                if queue.len() < BREADTH_STATES && seen.insert(hashes(&successor)) {
                    queue.push(successor);
                }
            }
        }
        let mut state = queue.last().cloned();
        for step in 0..DEPTH_STEPS {
            let Some(current) = state.take() else { break };
            let successors = types.successors(evaluator, &steps, &current);
            let fresh: Vec<&State> = successors
                .iter()
                .filter(|next| seen.insert(hashes(next)))
                .collect();
            state = match fresh.is_empty() {
                true => None,
                false => fresh
                    .get((step * 7919 + 13) % fresh.len())
                    .map(|state| (*state).clone()),
            };
        }
        types
    }

    fn successors(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        steps: &[(OperatorId, Vec<Value>)],
        from: &State,
    ) -> Vec<State> {
        let mut found: Vec<State> = Vec::new();
        let mut bindings = Vec::new();
        for (operation, arguments) in steps {
            let most = found.len() + SUCCESSORS_MAX;
            // What cannot be evaluated here is reported when a line needs it.
            let _ = evaluator.successors_of(*operation, arguments, from, &mut |evaluator, state, taken| {
                if let Some(taken) = taken {
                    let name = evaluator.program().actions[taken.action as usize]
                        .name
                        .to_string();
                    bindings.push((name, evaluator.bindings(taken)));
                }
                found.push(state.into());
                Ok(if found.len() < most { Flow::Go } else { Flow::Stop })
            });
        }
        for state in &found {
            self.add_state(state);
        }
        for (action, bindings) in bindings {
            for (param, value) in bindings {
                let of_action = self.params.entry(action.clone()).or_default();
                of_action.entry(param).or_default().add(&value);
            }
        }
        found
    }

    fn add_state(&mut self, state: &[Value]) {
        for (own, value) in self.variables.iter_mut().zip(state) {
            own.add(value);
        }
    }

    /// The type of a variable.
    pub fn variable(&self, slot: u32) -> &ValueType {
        &self.variables[slot as usize]
    }

    /// The type of a parameter, as far as it was seen.
    pub fn param(&self, action: &str, param: &str) -> &ValueType {
        let known = self.params.get(action).and_then(|params| params.get(param));
        known.unwrap_or(&self.unknown)
    }
}

fn hashes(state: &[Value]) -> Vec<u64> {
    state.iter().map(Value::hash64).collect()
}
