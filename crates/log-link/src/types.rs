//! The types of variables and of parameters, found out by looking at values.

use std::collections::{BTreeMap, HashSet};

use omnilink_tla::eval::{Evaluator, Flow, State};
use omnilink_tla::ir::{Formula, OperatorId, Program};
use omnilink_value::Value;

use crate::budget_session::BudgetSession;
use crate::event_action::EventAction;
use crate::value_type::ValueType;

/// How many states are looked at in breadth.
const BREADTH_STATES: usize = 60;
/// How many successors of one state by one action are looked at.
const SUCCESSORS_MAX: usize = 4;
/// How many steps are taken in depth.
const DEPTH_STEPS: usize = 60;

/// An action that is looked at. One that takes long to find nothing, because its quantifiers range over large sets, is looked at in fewer and fewer
/// states, so that the time that all of this takes does not grow with the sets.
struct LookedAt {
    operation: OperatorId,
    arguments: Vec<Value>,
    /// In how many of the next states it is not looked at.
    skipped: u32,
    /// How many that will be after it has taken long the next time.
    next_skipped: u32,
}

impl LookedAt {
    fn new(operation: OperatorId, arguments: Vec<Value>) -> Self {
        Self {
            operation,
            arguments,
            skipped: 0,
            next_skipped: 1,
        }
    }

    /// Notes that it was looked at.
    fn looked(&mut self, was_in_vain: bool) {
        if was_in_vain {
            self.skipped = self.next_skipped;
            self.next_skipped *= 2;
        } else {
            self.next_skipped = 1
        }
    }
}

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
    pub fn found(program: &Program, next: Formula, actions: &[EventAction], initial: &[State]) -> Self {
        let session = BudgetSession::default();
        let mut evaluator = Evaluator::new(program, &session);
        let evaluator = &mut evaluator;
        // Each action by itself, so that one with many successors does not hide the others.
        let mut steps: Vec<LookedAt> = actions
            .iter()
            .filter_map(|action| {
                let arguments = vec![Value::bool(false); 2 * action.params.len()];
                Some(LookedAt::new(action.restriction?.partial, arguments))
            })
            .collect();
        steps.push(LookedAt::new(next.operation(), Vec::new()));
        let mut types = Self {
            variables: vec![ValueType::default(); program.variables.len()],
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
            for successor in types.successors(evaluator, &session, &mut steps, &state) {
                if queue.len() < BREADTH_STATES && seen.insert(hashes(&successor)) {
                    queue.push(successor);
                }
            }
        }
        let mut state = queue.last().cloned();
        for step in 0..DEPTH_STEPS {
            let Some(current) = state.take() else { break };
            let successors = types.successors(evaluator, &session, &mut steps, &current);
            let fresh: Vec<&State> = successors
                .iter()
                .filter(|next| seen.insert(hashes(next)))
                .collect();
            state = if fresh.is_empty() {
                None
            } else {
                fresh
                    .get((step * 7919 + 13) % fresh.len())
                    .map(|state| (*state).clone())
            };
        }
        types
    }

    fn successors(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        session: &BudgetSession,
        steps: &mut [LookedAt],
        from: &State,
    ) -> Vec<State> {
        let mut found: Vec<State> = Vec::new();
        let mut bindings = Vec::new();
        for step in steps {
            if step.skipped > 0 {
                step.skipped -= 1;
                continue;
            }
            let before = found.len();
            let most = before + SUCCESSORS_MAX;
            session.begin();
            let (operation, arguments) = (step.operation, &step.arguments);
            // What cannot be evaluated here is reported when a line needs it.
            let _ = evaluator.successors_of(operation, arguments, from, &mut |evaluator, state, taken| {
                if let Some(taken) = taken {
                    let name = evaluator.program().actions[taken.action as usize]
                        .name
                        .to_string();
                    bindings.push((name, evaluator.bindings(taken)));
                }
                found.push(state.into());
                Ok(if found.len() < most { Flow::Go } else { Flow::Stop })
            });
            step.looked(session.is_used_up() && found.len() == before);
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
