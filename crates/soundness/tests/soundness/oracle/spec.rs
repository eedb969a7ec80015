//! A specification: variables, operations, hidden steps, invariants, a view.

use std::fmt::Write as _;

use super::action::{Act, State, WRAPPINGS};
use super::eval::{Scope, Valued};
use super::helper::{Helper, PRELUDE};
use super::term::{Term, variable};
use super::value::Val;

#[derive(Clone, Debug)]
pub struct Spec {
    /// For each variable, the values that it may have initially.
    pub initial: Vec<Vec<(Term, Val)>>,
    pub operations: Vec<Operation>,
    pub hidden: Vec<Hidden>,
    pub invariants: Vec<Term>,
    pub view: Option<Term>,
    /// Whether `Next` says which results an operation may have that did not return; otherwise the link file does.
    pub has_next: bool,
}

/// An operation of traces.
#[derive(Clone, Debug)]
pub struct Operation {
    pub name: String,
    pub params: Vec<Param>,
    /// What happens once, or last.
    pub done: Act,
    /// What happens before, in steps: how often at most.
    pub step: Option<(Act, u32)>,
}

/// A parameter with its possible values.
#[derive(Clone, Debug)]
pub struct Param {
    pub name: &'static str,
    pub values: Vec<Val>,
    /// The same as an expression.
    pub range: String,
    /// Whether it is the result, which an operation that did not return does not have.
    pub is_result: bool,
}

/// An action that happens unobserved.
#[derive(Clone, Debug)]
pub struct Hidden {
    pub act: Act,
    pub bound: u32,
}

impl Spec {
    /// The states in which behaviours begin.
    pub fn initial_states(&self) -> Vec<State> {
        let mut states = vec![Vec::new()];
        for values in &self.initial {
            let more = states.iter().flat_map(|state: &State| {
                values.iter().map(|(_, value)| {
                    let mut state = state.clone();
                    state.push(value.clone());
                    state
                })
            });
            states = more.collect();
        }
        states
    }

    /// Whether all invariants hold.
    pub fn holds_in(&self, state: &State) -> Valued<bool> {
        for invariant in &self.invariants {
            if !invariant.is_true(&Scope::of_state(state))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The next states of an action with these arguments in which all invariants hold.
    pub fn successors(&self, act: &Act, params: &[Param], args: &[Val], state: &State) -> Valued<Vec<State>> {
        let found = with_args(params, args, &Scope::of_state(state), &mut |scope| {
            act.successors(scope)
        })?;
        let mut all = Vec::new();
        for next in found {
            if self.holds_in(&next)? {
                all.push(next);
            }
        }
        Ok(all)
    }

    /// The module `Random`.
    pub fn text(&self) -> String {
        let mut text = format!("{PRELUDE}\n{WRAPPINGS}\n");
        let names: Vec<String> = (0..self.initial.len()).map(variable).collect();
        let _ = writeln!(text, "VARIABLES {}\nvars == <<{0}>>", names.join(", "));
        let mut init = Vec::new();
        for (name, values) in names.iter().zip(&self.initial) {
            init.push(match values.as_slice() {
                [(one, _)] => format!("{name} = {}", one.text()),
                _ => {
                    let values: Vec<String> = values.iter().map(|(term, _)| term.text()).collect();
                    format!("{name} \\in {{{}}}", values.join(", "))
                }
            });
        }
        let _ = writeln!(text, "Init == {}", init.join(" /\\ "));
        let mut next = Vec::new();
        for operation in &self.operations {
            let params: Vec<&str> = operation.params.iter().map(|param| param.name).collect();
            let params = match params.as_slice() {
                [] => String::new(),
                _ => format!("({})", params.join(", ")),
            };
            let ranges = operation
                .params
                .iter()
                .map(|param| format!("\\E {} \\in {} : ", param.name, param.range));
            let ranges: String = ranges.collect();
            let done = match &operation.step {
                Some((step, _)) => {
                    let _ = writeln!(text, "{}_Step{params} == {}", operation.name, step.text());
                    next.push(format!("({ranges}{}_Step{params})", operation.name));
                    format!("{}_Done", operation.name)
                }
                None => operation.name.clone(),
            };
            let _ = writeln!(text, "{done}{params} == {}", operation.done.text());
            next.push(format!("({ranges}{done}{params})"));
        }
        for (number, hidden) in self.hidden.iter().enumerate() {
            let _ = writeln!(text, "Hidden{number} == {}", hidden.act.text());
        }
        if self.has_next {
            let _ = writeln!(text, "Next == {}", next.join(" \\/ "));
        }
        text.push_str("====\n");
        // The community modules take longer to read than all the rest.
        let folds = if text.contains(Helper::Fold.name()) || self.link().contains(Helper::Fold.name()) {
            ", FiniteSetsExt"
        } else {
            ""
        };
        format!("---- MODULE Random ----\nEXTENDS Integers, FiniteSets, Sequences, TLC{folds}\n{text}")
    }

    /// The link file.
    pub fn link(&self) -> String {
        // A random action need not use all of its parameters.
        let mut text = "ignore_fields = ['k', 'l', 'v', 't', 'res']\n".to_owned();
        if !self.invariants.is_empty() {
            let texts: Vec<String> = self
                .invariants
                .iter()
                .map(|term| format!("'{}'", term.text()))
                .collect();
            let _ = writeln!(text, "invariants = [{}]", texts.join(", "));
        }
        if let Some(view) = &self.view {
            let _ = writeln!(text, "view = '{}'", view.text());
        }
        for operation in &self.operations {
            let result = operation.params.iter().find(|param| param.is_result);
            let unknown = result.filter(|_| !self.has_next);
            if operation.step.is_some() || unknown.is_some() {
                let _ = writeln!(text, "[ops.{}]", operation.name);
            }
            if let Some((_, times)) = operation.step {
                let _ = writeln!(text, "steps = {times}");
            }
            if let Some(param) = unknown {
                let _ = writeln!(text, "unknown = {{ {} = '{}' }}", param.name, param.range);
            }
        }
        for (number, hidden) in self.hidden.iter().enumerate() {
            let _ = writeln!(
                text,
                "[[hidden]]\naction = 'Hidden{number}'\nbound = {}",
                hidden.bound
            );
        }
        text
    }
}

/// Runs with parameters bound to arguments.
fn with_args<T>(
    params: &[Param],
    args: &[Val],
    scope: &Scope<'_>,
    run: &mut dyn FnMut(&Scope<'_>) -> Valued<T>,
) -> Valued<T> {
    match (params, args) {
        ([param, params @ ..], [arg, args @ ..]) => scope.with(param.name, arg.clone(), |scope| {
            with_args(params, args, scope, run)
        }),
        _ => run(scope),
    }
}
