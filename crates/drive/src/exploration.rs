//! Explores a specification into a graph: breadth-first, and by random walks where there are too many states.

use fastrand::Rng;
use omnilink_mc::report::ActionTaken;
use omnilink_mc::{ExploredStep, Explorer, ExplorerError, Limit, State};
use omnilink_tla::ir::{Formula, Loc};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::step_graph::{GraphBranch, GraphedStep, StepGraph};

/// Options of [`GraphExploration::run`].
#[derive(Clone, Copy, Debug)]
pub struct GraphOptions {
    /// The number of states after which the breadth-first search ends and random walks go on.
    pub states_max: usize,
    /// The number of random walks; if it is given, there is no breadth-first search.
    pub walks: Option<u64>,
    /// The number of states of a random walk.
    pub walk_length: u32,
    /// What decides random choices.
    pub seed: u64,
    /// States with equal values of this formula count as one.
    pub view: Option<Formula>,
}

impl Default for GraphOptions {
    fn default() -> Self {
        Self {
            states_max: 100_000,
            walks: None,
            walk_length: 100,
            seed: 0,
            view: None,
        }
    }
}

/// How much of a specification a graph has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphExtent {
    /// All states within the constraints.
    Complete,
    /// As many as were allowed, and those of this many random walks.
    Walks(u64),
    /// What was found until all goals were reached.
    Goals,
    /// What was found until this limit was reached.
    Limit(Limit),
}

/// Random walks after a breadth-first search that reached its limit.
const WALKS_BEYOND: u64 = 1_000;
/// States expanded between two looks at the limits.
const STATES_PER_CHECK: usize = 256;

/// An exploration under way.
#[derive(Debug)]
pub struct GraphExploration<'g> {
    options: &'g GraphOptions,
    goals: &'g [Formula],
    graph: StepGraph,
    /// For each goal the states in which it holds.
    reached: Vec<Vec<u32>>,
    labels: FxHashMap<(u32, Vec<Value>), u32>,
    /// For each action of the program its index in the graph.
    names: Vec<u32>,
    branches: FxHashMap<Loc, u32>,
    levels: Vec<u32>,
    is_expanded: Vec<bool>,
    expanded: usize,
}

/// What an exploration found.
#[derive(Debug)]
pub struct Explored {
    /// The graph.
    pub graph: StepGraph,
    /// For each goal the numbers of the states in which it holds.
    pub reached: Vec<Vec<u32>>,
    /// How much of the specification the graph has.
    pub extent: GraphExtent,
}

impl<'g> GraphExploration<'g> {
    /// Explores a specification. With `only_goals`, the search ends when each goal is reached.
    ///
    /// # Errors
    /// When an expression cannot be evaluated.
    pub fn run(
        explorer: &mut Explorer<'_>,
        options: &'g GraphOptions,
        goals: &'g [Formula],
        only_goals: bool,
    ) -> Result<Explored, ExplorerError> {
        let mut exploration = Self::new(explorer, options, goals);
        let extent = match exploration.explore(explorer, only_goals) {
            Ok(extent) => extent,
            Err(ExplorerError::Limit(limit)) => GraphExtent::Limit(limit),
            Err(error) => return Err(error),
        };
        Ok(Explored {
            graph: exploration.graph,
            reached: exploration.reached,
            extent,
        })
    }

    fn new(explorer: &Explorer<'_>, options: &'g GraphOptions, goals: &'g [Formula]) -> Self {
        let program = &explorer.model().program;
        let mut graph = StepGraph::default();
        let mut names = Vec::with_capacity(program.actions.len());
        let mut branches = FxHashMap::default();
        for (action, info) in (0..).zip(&program.actions) {
            let known = graph.actions.iter().position(|name| **name == *info.name);
            let name = known.unwrap_or_else(|| {
                graph.actions.push(info.name.to_string());
                graph.actions.len() - 1
            });
            let name = u32::try_from(name).unwrap_or(u32::MAX);
            names.push(name);
            for at in explorer.branches_of(action) {
                branches.entry(*at).or_insert_with(|| {
                    let source = program.sources.get(at.source);
                    let position = source.line_column(at.span.start);
                    let text: Vec<&str> = program.text(*at).split_whitespace().collect();
                    graph.branches.push(GraphBranch {
                        action: name,
                        place: format!(
                            "{}:{}:{}",
                            source.path().display(),
                            position.line,
                            position.column
                        ),
                        text: text.join(" "),
                    });
                    u32::try_from(graph.branches.len() - 1).unwrap_or(u32::MAX)
                });
            }
        }
        Self {
            options,
            goals,
            graph,
            reached: vec![Vec::new(); goals.len()],
            labels: FxHashMap::default(),
            names,
            branches,
            levels: Vec::new(),
            is_expanded: Vec::new(),
            expanded: 0,
        }
    }

    fn explore(
        &mut self,
        explorer: &mut Explorer<'_>,
        only_goals: bool,
    ) -> Result<GraphExtent, ExplorerError> {
        for state in explorer.initial_states()? {
            if explorer.is_within(&state, 1)? {
                let (number, is_new) = self.add_state(explorer, &state, 1)?;
                if is_new {
                    self.graph.initial.push(number);
                }
            }
        }
        let is_done = |this: &Self| only_goals && this.reached.iter().all(|states| !states.is_empty());
        if self.options.walks.is_none() {
            let mut next = 0;
            while let Ok(state) = u32::try_from(next) {
                if is_done(self) {
                    return Ok(GraphExtent::Goals);
                }
                if next == self.graph.state_count() {
                    return Ok(GraphExtent::Complete);
                }
                if self.graph.state_count() >= self.options.states_max {
                    break;
                }
                self.expand(explorer, state)?;
                next += 1;
            }
        }
        let walks = self.options.walks.unwrap_or(WALKS_BEYOND);
        let states_max = self.graph.state_count().saturating_add(self.options.states_max);
        for walk in 0..walks {
            if is_done(self) {
                return Ok(GraphExtent::Goals);
            }
            if self.graph.state_count() >= states_max {
                return Ok(GraphExtent::Walks(walk));
            }
            self.walk(explorer, walk)?;
        }
        Ok(GraphExtent::Walks(walks))
    }

    /// A random behaviour: in each state an action is drawn, then one of its steps, so that actions with few steps are not lost among
    /// those with many.
    fn walk(&mut self, explorer: &mut Explorer<'_>, walk: u64) -> Result<(), ExplorerError> {
        let seed = Rng::with_seed(self.options.seed).u64(..).wrapping_add(walk);
        let mut random = Rng::with_seed(seed);
        let Some(mut state) = random.choice(self.graph.initial.iter().copied()) else {
            return Ok(());
        };
        for _ in 1..self.options.walk_length {
            self.expand(explorer, state)?;
            let steps = self.graph.steps_from(state).iter();
            let steps = steps.map(|step| self.graph.step(*step));
            let steps: Vec<&GraphedStep> = steps.filter(|step| step.beyond.is_none()).collect();
            let mut actions: Vec<u32> = steps.iter().map(|step| step.action).collect();
            actions.sort_unstable();
            actions.dedup();
            let Some(action) = random.choice(actions) else {
                break;
            };
            let of_action: Vec<u32> = steps
                .iter()
                .filter(|step| step.action == action)
                .map(|step| step.to)
                .collect();
            let Some(next) = random.choice(of_action) else {
                break;
            };
            state = next;
        }
        Ok(())
    }

    fn add_state(
        &mut self,
        explorer: &mut Explorer<'_>,
        state: &State,
        level: u32,
    ) -> Result<(u32, bool), ExplorerError> {
        let class = match self.options.view {
            None => state.clone(),
            Some(view) => State::from([explorer.value(view, state)?]),
        };
        let (number, is_new) = self.graph.add_state(class, state);
        if is_new {
            self.levels.push(level);
            self.is_expanded.push(false);
            for (goal, reached) in self.goals.iter().zip(&mut self.reached) {
                let value = explorer.value(*goal, state)?;
                match value.as_bool() {
                    Some(true) => reached.push(number),
                    Some(false) => {}
                    None => {
                        return Err(ExplorerError::Evaluation(format!(
                            "a goal is {value} in a state; give an expression that is TRUE or FALSE"
                        )));
                    }
                }
            }
        }
        Ok((number, is_new))
    }

    /// Adds the steps from a state, unless they are known.
    fn expand(&mut self, explorer: &mut Explorer<'_>, from: u32) -> Result<(), ExplorerError> {
        if std::mem::replace(&mut self.is_expanded[from as usize], true) {
            return Ok(());
        }
        if self.expanded.is_multiple_of(STATES_PER_CHECK) {
            explorer.check_limits()?;
        }
        self.expanded += 1;
        let source = self.graph.state(from).clone();
        let level = self.levels[from as usize];
        for step in explorer.successors(&source, level)? {
            if !step.is_within {
                continue;
            }
            let (to, _) = self.add_state(explorer, &step.to, level + 1)?;
            let (action, label) = self.label(&step);
            let taken = explorer.branches_taken(&source, &step);
            let branches = taken.iter().filter_map(|at| self.branches.get(at).copied());
            let branches = branches.collect();
            let beyond = (*self.graph.state(to) != step.to).then_some(step.to);
            self.graph.add_step(GraphedStep {
                from,
                to,
                label,
                action,
                branches,
                beyond,
            });
        }
        Ok(())
    }

    /// The action of a step, and its label.
    fn label(&mut self, step: &ExploredStep) -> (u32, u32) {
        let name = step
            .action
            .and_then(|action| self.names.get(action as usize).copied());
        let name = name.unwrap_or_else(|| unnamed(&mut self.graph, &step.taken));
        let values = step.taken.bindings.iter().map(|(_, value)| value.clone());
        // Steps of the same definition may have other names bound.
        let key = (step.action.unwrap_or(u32::MAX), values.collect());
        let label = match self.labels.get(&key) {
            Some(label) => *label,
            None => {
                let label = self.graph.add_label(step.taken.clone());
                self.labels.insert(key, label);
                label
            }
        };
        (name, label)
    }
}

/// The index of an action that is no part of the decomposed next-state relation.
fn unnamed(graph: &mut StepGraph, taken: &ActionTaken) -> u32 {
    let known = graph.actions.iter().position(|name| *name == taken.name);
    let index = known.unwrap_or_else(|| {
        graph.actions.push(taken.name.clone());
        graph.actions.len() - 1
    });
    u32::try_from(index).unwrap_or(u32::MAX)
}
