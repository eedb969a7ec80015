//! Behaviours of a specification as tests, and what they cover.

use std::fmt::Write;

use omnilink_mc::report::ActionTaken;
use omnilink_mc::{State, itf_text};
use serde_json::json;

use crate::cover::{Criteria, GraphPath, Items, cover};
use crate::exploration::{Explored, GraphExtent};
use crate::step_graph::StepGraph;

/// How many there are of something, and how many of them are covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoveredCount {
    /// Those that are covered.
    pub covered: usize,
    /// All.
    pub all: usize,
}

/// Behaviours as tests.
#[derive(Debug)]
pub struct TestSuite {
    name: String,
    criteria: Criteria,
    goals: Vec<String>,
    explored: Explored,
    paths: Vec<GraphPath>,
    /// How often each item is covered, over all behaviours.
    counts: Vec<u32>,
}

impl TestSuite {
    /// Behaviours of at most `length_max` steps, unless something is farther away, that cover what can be covered. `name` is that of the
    /// specification, and `goals` are the texts of the goals of the exploration.
    pub fn new(
        name: &str,
        explored: Explored,
        criteria: Criteria,
        goals: Vec<String>,
        length_max: usize,
    ) -> Self {
        let items = Items::new(&explored.graph, criteria, &explored.reached);
        let paths = cover(&items, length_max);
        let mut counts = vec![0; items.count()];
        for path in &paths {
            items.each_of_path(path, |item, _| counts[item] += 1);
        }
        Self {
            name: name.to_owned(),
            criteria,
            goals,
            explored,
            paths,
            counts,
        }
    }

    /// The behaviours.
    pub fn paths(&self) -> &[GraphPath] {
        &self.paths
    }

    /// How much of the specification was explored.
    pub fn extent(&self) -> GraphExtent {
        self.explored.extent
    }

    /// The number of states that were explored.
    pub fn state_count(&self) -> usize {
        self.graph().state_count()
    }

    /// The number of all steps of all behaviours.
    pub fn step_count(&self) -> usize {
        self.paths.iter().map(|path| path.steps.len()).sum()
    }

    fn graph(&self) -> &StepGraph {
        &self.explored.graph
    }

    fn items(&self) -> Items<'_> {
        Items::new(self.graph(), self.criteria, &self.explored.reached)
    }

    fn is_covered(&self, item: usize) -> bool {
        self.counts[item] > 0
    }

    fn counted(&self, items: impl Iterator<Item = usize>) -> CoveredCount {
        let mut count = CoveredCount::default();
        for item in items {
            count.all += 1;
            count.covered += usize::from(self.is_covered(item));
        }
        count
    }

    /// Actions.
    pub fn actions(&self) -> CoveredCount {
        let items = self.items();
        self.counted((0..self.graph().actions.len()).map(|action| items.action(action)))
    }

    /// Branches of actions that have several.
    pub fn branches(&self) -> CoveredCount {
        let items = self.items();
        self.counted((0..self.graph().branches.len()).map(|branch| items.branch(branch)))
    }

    /// Pairs of actions of which the second can directly follow the first.
    pub fn pairs(&self) -> CoveredCount {
        let items = self.items();
        let pairs = self.possible_pairs().into_iter();
        self.counted(pairs.map(|(first, second)| items.pair(first, second)))
    }

    /// Steps.
    pub fn transitions(&self) -> CoveredCount {
        let items = self.items();
        self.counted((0..self.graph().steps().len()).map(|step| items.step(step)))
    }

    /// Goals.
    pub fn goals(&self) -> CoveredCount {
        let items = self.items();
        self.counted((0..self.goals.len()).map(|goal| items.goal(goal)))
    }

    /// The goals that no state that was explored satisfies.
    pub fn goals_not_reached(&self) -> Vec<&str> {
        let items = self.items();
        let goals = self.goals.iter().enumerate();
        goals
            .filter(|(goal, _)| !self.is_covered(items.goal(*goal)))
            .map(|(_, text)| text.as_str())
            .collect()
    }

    /// The actions that no step that was explored takes.
    pub fn dead_actions(&self) -> Vec<&str> {
        let mut is_taken = vec![false; self.graph().actions.len()];
        for step in self.graph().steps() {
            is_taken[step.action as usize] = true;
        }
        let actions = self.graph().actions.iter().zip(is_taken);
        actions
            .filter(|(_, is_taken)| !is_taken)
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// What is not covered though it was asked for, in words.
    pub fn not_covered(&self) -> Vec<String> {
        let items = self.items();
        let graph = self.graph();
        let mut lines = Vec::new();
        let nowhere = match self.extent() {
            GraphExtent::Complete => "in no state",
            _ => "in no state that was explored",
        };
        if self.criteria.actions {
            let dead = self.dead_actions().into_iter();
            lines.extend(dead.map(|name| format!("action {name}: enabled {nowhere}")));
        }
        if self.criteria.branches {
            for (at, branch) in graph.branches.iter().enumerate() {
                if !self.is_covered(items.branch(at)) {
                    let action = &graph.actions[branch.action as usize];
                    lines.push(format!(
                        "branch {} of {action} ({}): taken {nowhere}",
                        short(&branch.text),
                        branch.place
                    ));
                }
            }
        }
        if self.criteria.pairs {
            for (first, second) in self.possible_pairs() {
                if !self.is_covered(items.pair(first, second)) {
                    let (first, second) = (&graph.actions[first], &graph.actions[second]);
                    lines.push(format!(
                        "{second} directly after {first}: only in states that the view takes for others"
                    ));
                }
            }
        }
        let goals = self.goals_not_reached().into_iter();
        lines.extend(goals.map(|goal| format!("goal {goal}: true {nowhere}")));
        lines
    }

    fn possible_pairs(&self) -> Vec<(usize, usize)> {
        let graph = self.graph();
        let actions = graph.actions.len();
        let mut into = vec![false; graph.state_count() * actions];
        for step in graph.steps() {
            into[step.to as usize * actions + step.action as usize] = true;
        }
        let mut is_possible = vec![false; actions * actions];
        for step in graph.steps() {
            for first in 0..actions {
                if into[step.from as usize * actions + first] {
                    is_possible[first * actions + step.action as usize] = true;
                }
            }
        }
        let pairs = is_possible.iter().enumerate();
        pairs
            .filter(|(_, is_possible)| **is_possible)
            .map(|(at, _)| (at / actions, at % actions))
            .collect()
    }

    /// The states of a behaviour, each with the action that led to it.
    pub fn states<'s>(
        &'s self,
        path: &'s GraphPath,
    ) -> impl Iterator<Item = (Option<&'s ActionTaken>, &'s State)> {
        let graph = self.graph();
        let steps = path.steps.iter().map(|number| {
            let step = graph.step(*number);
            (Some(graph.label(step)), graph.target(step))
        });
        std::iter::once((None, graph.state(path.initial))).chain(steps)
    }

    /// The name of the file of a behaviour, counted from 1.
    pub fn file_name(number: usize) -> String {
        format!("behaviour-{number:03}.itf.json")
    }

    /// Whether this is the name of a file that an earlier generation wrote.
    pub fn is_file_name(name: &str) -> bool {
        let number = name
            .strip_prefix("behaviour-")
            .and_then(|rest| rest.strip_suffix(".itf.json"));
        number.is_some_and(|number| number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// A behaviour in the ITF format.
    pub fn itf(&self, path: &GraphPath, variables: &[String]) -> String {
        let description = format!("a behaviour of {}, made by omnilink gen tests", self.name);
        itf_text(&description, variables, self.states(path))
    }

    /// How much was explored, in words.
    pub fn extent_text(&self) -> String {
        let states = self.state_count();
        match self.extent() {
            GraphExtent::Complete => format!("all {states} states were explored"),
            GraphExtent::Goals => format!("{states} states were explored until the goals were reached"),
            GraphExtent::Walks(walks) => format!(
                "there are too many states: {states} were explored, also by {walks} random walks, so more may be possible"
            ),
            GraphExtent::Limit(limit) => format!(
                "the {} limit was reached after {states} states, so more may be possible",
                limit.word()
            ),
        }
    }

    /// What was asked for, with how much of it is covered.
    pub fn totals(&self) -> Vec<(&'static str, CoveredCount)> {
        let criteria = self.criteria;
        let all = [
            ("actions", criteria.actions, self.actions()),
            ("branches", criteria.branches, self.branches()),
            ("pairs of actions", criteria.pairs, self.pairs()),
            ("transitions", criteria.transitions, self.transitions()),
            ("goals", !self.goals.is_empty(), self.goals()),
        ];
        all.into_iter()
            .filter(|(_, is_wanted, count)| *is_wanted && count.all > 0)
            .map(|(name, _, count)| (name, count))
            .collect()
    }

    /// The table of behaviours and of what they cover, as Markdown.
    pub fn table(&self) -> String {
        let graph = self.graph();
        let items = self.items();
        let mut page = format!(
            "# Behaviours of {}\n\nMade by `omnilink gen tests`; {}.\n\n",
            self.name,
            self.extent_text()
        );
        page.push_str("| | covered | of |\n|---|---:|---:|\n");
        for (name, count) in self.totals() {
            // Writing to a string does not fail.
            let _ = writeln!(page, "| {name} | {} | {} |", count.covered, count.all);
        }
        let _ = writeln!(
            page,
            "\n{} behaviours, {} steps.\n\n| behaviour | steps | covers first | actions |\n|---|---:|---|---|",
            self.paths.len(),
            self.step_count()
        );
        let mut seen = vec![false; self.counts.len()];
        for (number, path) in (1..).zip(&self.paths) {
            let mut new = [0; 5];
            items.each_of_path(path, |item, is_wanted| {
                if is_wanted && !std::mem::replace(&mut seen[item], true) {
                    new[items.kind(item)] += 1;
                }
            });
            let kinds = ["actions", "branches", "pairs", "transitions", "goals"];
            let new = kinds.iter().zip(new).filter(|(_, count)| *count > 0);
            let new: Vec<String> = new.map(|(kind, count)| format!("{count} {kind}")).collect();
            let steps = path.steps.iter().map(|step| graph.label(graph.step(*step)));
            let steps: Vec<String> = steps.map(call_text).collect();
            let _ = writeln!(
                page,
                "| [{number}]({}) | {} | {} | {} |",
                Self::file_name(number),
                path.steps.len(),
                new.join(", "),
                steps.join(", ").replace('|', "\\|")
            );
        }
        page.push_str("\n| action | steps | behaviours |\n|---|---:|---|\n");
        for (action, name) in graph.actions.iter().enumerate() {
            let in_path = |path: &&GraphPath| {
                let mut steps = path.steps.iter();
                steps.any(|step| graph.step(*step).action as usize == action)
            };
            let numbered = (1..).zip(&self.paths).filter(|(_, path)| in_path(path));
            let numbers: Vec<String> = numbered
                .map(|(number, _): (usize, _)| number.to_string())
                .collect();
            let _ = writeln!(
                page,
                "| {name} | {} | {} |",
                self.counts[items.action(action)],
                numbers.join(", ")
            );
        }
        let missing = self.not_covered();
        if !missing.is_empty() {
            page.push_str("\nNot covered:\n\n");
            for line in missing {
                let _ = writeln!(page, "- {line}");
            }
        }
        page
    }

    /// The same as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        let totals = self.totals().into_iter().map(|(name, count)| {
            let count = json!({"covered": count.covered, "all": count.all});
            (name.replace(' ', "_"), count)
        });
        let behaviours = (1..).zip(&self.paths).map(|(number, path)| {
            let steps = self.states(path).filter_map(|(taken, _)| taken);
            json!({
                "file": Self::file_name(number),
                "steps": path.steps.len(),
                "actions": steps.map(call_text).collect::<Vec<_>>(),
            })
        });
        json!({
            "spec": self.name,
            "states": self.state_count(),
            "complete": self.extent() == GraphExtent::Complete,
            "extent": self.extent_text(),
            "behaviours": behaviours.collect::<Vec<_>>(),
            "steps": self.step_count(),
            "covered": totals.collect::<serde_json::Map<_, _>>(),
            "dead_actions": self.dead_actions(),
            "not_covered": self.not_covered(),
        })
    }
}

/// `Send(n = "a", v = 1)`
pub(crate) fn call_text(taken: &ActionTaken) -> String {
    if taken.bindings.is_empty() {
        taken.name.clone()
    } else {
        format!("{}({})", taken.name, taken.bindings)
    }
}

fn short(text: &str) -> String {
    const WIDTH: usize = 60;
    let cut: String = text.chars().take(WIDTH).collect();
    if cut.len() < text.len() {
        format!("`{cut}…`")
    } else {
        format!("`{cut}`")
    }
}
