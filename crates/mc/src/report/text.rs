//! The report for people: the counterexample first, as what changed from state to state.

use std::fmt::Write;

use omnilink_value::Value;

use super::{ActionTaken, Answer, Kind, Report, TraceState, Violation, changes};
use crate::limits::Limit;

impl Report {
    /// What was found, in words; a line of figures is for the caller to add. With `is_full`, every state is shown with
    /// all its variables.
    pub fn to_text(&self, is_full: bool) -> String {
        let mut out = String::new();
        let input = &self.input;
        match &self.answer {
            Answer::Valid if self.unchecked.is_empty() => out.push_str(&format!("{input}: valid\n")),
            Answer::Valid => out.push_str(&format!(
                "{input}: unknown: no violation in any state, but not all properties were checked\n"
            )),
            Answer::Stopped => out.push_str(&format!("{input}: the spec ended the search by itself\n")),
            Answer::Limit(limit) => out.push_str(&format!("{input}: unknown: {}\n", limit_text(*limit))),
            Answer::Wrong(violation) => write_violation(&mut out, input, violation, is_full),
        }
        for unchecked in &self.unchecked {
            out.push_str(&format!(
                "not checked: {}: {}\n",
                unchecked.name, unchecked.reason
            ));
        }
        out
    }

    /// How often each action was taken, as a table.
    pub fn coverage_text(&self) -> String {
        let mut out = String::new();
        let width = self
            .coverage
            .iter()
            .map(|action| action.name.len())
            .max()
            .unwrap_or(0);
        if width > 0 {
            let _ = writeln!(out, "{:>12} {:>12}  action", "steps", "new states");
        }
        for action in &self.coverage {
            let never = if action.generated == 0 {
                "  never taken"
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "{:>12} {:>12}  {:width$}  {}{never}",
                action.generated, action.distinct, action.name, action.place
            );
        }
        if !self.definitions.is_empty() {
            let _ = writeln!(out, "\n{:>12}  definition", "evaluations");
        }
        let names = self.definitions.iter().map(|definition| definition.name.len());
        let width = names.max().unwrap_or(0);
        for definition in &self.definitions {
            let never = if definition.evaluations == 0 {
                "  never evaluated"
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "{:>12}  {:width$}  {}{never}",
                definition.evaluations, definition.name, definition.place
            );
        }
        out
    }
}

fn limit_text(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => "the time limit was reached before all states were explored",
        Limit::Memory => "the memory limit was reached before all states were explored",
        Limit::Interrupt => "interrupted before all states were explored",
        Limit::Behaviours => {
            "no violation in the behaviours that were drawn, which proves nothing about the others"
        }
        Limit::Depth => "states deeper than --depth were not explored",
    }
}

fn headline(violation: &Violation) -> String {
    let name = violation.violated.as_deref().unwrap_or("?");
    let length = violation.trace.len();
    let after = match length {
        0 => String::new(),
        1 => " in an initial state".to_owned(),
        2 => " after 1 step".to_owned(),
        states => format!(" after {} steps", states - 1),
    };
    match violation.kind {
        Kind::Invariant => format!("violation: invariant {name} does not hold{after}"),
        Kind::Property => format!("violation: property {name} does not hold{after}"),
        Kind::Deadlock => format!("violation: deadlock{after}: no step is possible"),
        Kind::Assert => format!("violation: an Assert of the spec failed{after}"),
        Kind::Assumption => format!("violation: the assumption {name} does not hold"),
        Kind::Postcondition => format!("violation: the postcondition {name} does not hold"),
        Kind::Incomplete => format!("error: a step leaves a variable open{after}"),
        Kind::Evaluation => match &violation.violated {
            Some(name) => format!("error: {name} cannot be evaluated"),
            None => format!("error: an expression cannot be evaluated{after}"),
        },
    }
}

fn write_violation(out: &mut String, input: &str, violation: &Violation, is_full: bool) {
    out.push_str(&format!("{input}: {}\n", headline(violation)));
    if let Some(error) = &violation.error {
        out.push_str(&format!("\n{}\n", error.trim_end()));
    }
    if !violation.trace.is_empty() {
        out.push('\n');
    }
    let mut before: Option<&TraceState> = None;
    let digits = violation.trace.len().to_string().len();
    for (number, state) in (1..).zip(&violation.trace) {
        let action = match (&state.action, before) {
            (Some(action), _) => action_text(action),
            (None, None) => "initial state".to_owned(),
            (None, Some(_)) => "a step that cannot be named".to_owned(),
        };
        out.push_str(&format!("{number:>digits$}  {action}\n"));
        let lines: Vec<String> = match before {
            Some(before) if !is_full => state
                .values
                .iter()
                .flat_map(|entry| changed(before, entry))
                .collect(),
            _ => state
                .values
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect(),
        };
        if lines.is_empty() {
            out.push_str(&format!("{:digits$}    nothing changed\n", ""));
        }
        for line in lines {
            out.push_str(&format!("{:digits$}    {line}\n", ""));
        }
        before = Some(state);
    }
    if let Some(part) = &violation.false_part {
        out.push_str(&format!(
            "\nfalse: {}\n   at: {}\n",
            one_line(&part.text),
            part.place
        ));
        if !part.bindings.is_empty() {
            let bindings: Vec<String> = part
                .bindings
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            out.push_str(&format!(" with: {}\n", bindings.join(", ")));
        }
    }
}

fn changed(before: &TraceState, (name, value): &(String, Value)) -> Vec<String> {
    match before.values.iter().find(|(other, _)| other == name) {
        Some((_, old)) => changes(name, old, value),
        None => vec![format!("{name} = {value}")],
    }
}

fn action_text(action: &ActionTaken) -> String {
    let bindings: Vec<String> = action
        .bindings
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    match bindings.is_empty() {
        true => format!("{}  ({})", action.name, action.place),
        false => format!("{}: {}  ({})", action.name, bindings.join(", "), action.place),
    }
}

/// A formula on one line, however it was written.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
