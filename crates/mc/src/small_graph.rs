//! The state graph of a small specification, kept in memory to be drawn.

use std::io;

use omnilink_evidence::{Bindings, GraphState, GraphStep, StateGraph};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::dump::GraphSink;
use crate::fingerprint::Fingerprint;

/// Collects a state graph, unless it is too large to be drawn.
#[derive(Debug)]
pub struct SmallGraph {
    variables: Vec<String>,
    actions: Vec<String>,
    states: Vec<GraphState>,
    numbers: FxHashMap<Fingerprint, usize>,
    steps: Vec<(Fingerprint, Fingerprint, usize)>,
    is_too_large: bool,
}

impl SmallGraph {
    /// A graph over these variables, with steps of these actions.
    pub fn new(variables: Vec<String>, actions: Vec<String>) -> Self {
        Self {
            variables,
            actions,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            steps: Vec::new(),
            is_too_large: false,
        }
    }

    /// The graph; `None` if it was too large. Steps to states that were not explored any more are left out.
    pub fn finish(self) -> Option<StateGraph> {
        if self.is_too_large {
            return None;
        }
        let step = |(from, to, action): &(Fingerprint, Fingerprint, usize)| {
            Some(GraphStep {
                from: *self.numbers.get(from)?,
                to: *self.numbers.get(to)?,
                action: self.actions.get(*action).cloned().unwrap_or_default(),
            })
        };
        let steps = self.steps.iter().filter_map(step).collect();
        Some(StateGraph {
            states: self.states,
            steps,
        })
    }

    fn give_up(&mut self) {
        self.is_too_large = true;
        self.states = Vec::new();
        self.numbers = FxHashMap::default();
        self.steps = Vec::new();
    }
}

impl GraphSink for SmallGraph {
    fn start_again(&mut self) -> io::Result<()> {
        self.give_up();
        self.is_too_large = false;
        Ok(())
    }

    fn state(&mut self, fingerprint: Fingerprint, values: &[Value], level: u32) -> io::Result<()> {
        if self.states.len() == StateGraph::STATES_MAX {
            self.give_up();
        }
        if self.is_too_large {
            return Ok(());
        }
        let named = self.variables.iter().cloned().zip(values.iter().cloned());
        self.numbers.insert(fingerprint, self.states.len());
        self.states.push(GraphState {
            level,
            values: Bindings(named.collect()),
        });
        Ok(())
    }

    fn step(&mut self, from: Fingerprint, to: Fingerprint, action: usize) -> io::Result<()> {
        if self.steps.len() == StateGraph::STEPS_MAX {
            self.give_up();
        }
        if !self.is_too_large {
            self.steps.push((from, to, action));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> SmallGraph {
        SmallGraph::new(vec!["x".to_owned()], vec!["Next".to_owned()])
    }

    #[test]
    fn states_are_numbered_and_steps_to_unexplored_states_are_left_out() {
        let mut graph = graph();
        let [one, two, three] = [1, 2, 3].map(|number| Fingerprint::new(number << 40));
        graph.state(one, &[1.into()], 1).expect("it is kept");
        graph.step(one, two, 0).expect("it is kept");
        graph.step(one, three, 0).expect("it is kept");
        graph.state(two, &[2.into()], 2).expect("it is kept");
        let graph = graph.finish().expect("it is small");
        assert_eq!(graph.states.len(), 2);
        let step = GraphStep {
            from: 0,
            to: 1,
            action: "Next".to_owned(),
        };
        assert_eq!(graph.steps, [step]);
    }

    #[test]
    fn a_large_graph_is_not_kept() {
        let mut graph = graph();
        for number in 0..=StateGraph::STATES_MAX as u64 {
            let fingerprint = Fingerprint::new((number + 1) << 40);
            graph.state(fingerprint, &[0.into()], 1).expect("it is counted");
        }
        assert_eq!(graph.finish(), None);
    }
}
