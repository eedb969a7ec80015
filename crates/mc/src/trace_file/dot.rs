//! A behaviour as a graph for Graphviz: its states, what changed, and the step that closes a cycle.

use std::fmt::Write;

use super::WrittenBehaviour;
use crate::dump::escaped;
use crate::report::ActionTaken;

pub(super) fn text(behaviour: &WrittenBehaviour<'_>) -> String {
    let mut page = String::from(
        "digraph behaviour {\n  node [shape=box, fontname=monospace];\n  edge [fontname=monospace];\n",
    );
    let cycle = behaviour.back.map_or(usize::MAX, |(back_to, _)| back_to);
    for (at, (_, values)) in behaviour.states.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| behaviour.states.get(before));
        let mut lines = format!("{}\\l", at + 1);
        for (position, (name, value)) in behaviour.variables.iter().zip(values).enumerate() {
            let is_changed = before.is_some_and(|(_, before)| before.get(position) != Some(value));
            let mark = if is_changed { "* " } else { "" };
            lines.push_str(&escaped(&format!("{mark}{name} = {value}")));
            lines.push_str("\\l");
        }
        let style = match (at == 0, at >= cycle) {
            (_, true) => ", color=red",
            (true, false) => ", style=bold",
            (false, false) => "",
        };
        // Writing to a string does not fail.
        let _ = writeln!(page, "  s{} [label=\"{lines}\"{style}];", at + 1);
    }
    for (at, (taken, _)) in behaviour.states.iter().enumerate().skip(1) {
        let style = if at > cycle { ", color=red" } else { "" };
        let _ = writeln!(
            page,
            "  s{at} -> s{} [label=\"{}\"{style}];",
            at + 1,
            label(*taken)
        );
    }
    if let Some((back_to, taken)) = behaviour.back {
        let last = behaviour.states.len();
        let label = match back_to + 1 == last && taken.is_none() {
            true => "stutters for ever".to_owned(),
            false => label(taken),
        };
        let _ = writeln!(
            page,
            "  s{last} -> s{} [label=\"{label}\", color=red];",
            back_to + 1
        );
    }
    page.push_str("}\n");
    page
}

fn label(taken: Option<&ActionTaken>) -> String {
    taken.map_or_else(String::new, |taken| match taken.bindings.is_empty() {
        true => escaped(&taken.name),
        false => escaped(&format!("{}: {}", taken.name, taken.bindings)),
    })
}
