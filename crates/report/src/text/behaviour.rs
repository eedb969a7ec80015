//! The states of a specification: the counterexample as what changed from state to state, and coverage.

use std::fmt::Write;

use omnilink_evidence::{
    ActionTaken, Behaviour, BehaviourState, Evidence, Exploration, LassoReason, Limit, PropertyKind, Verdict,
    Violation,
};
use omnilink_value::Value;

use super::TextOptions;
use crate::changes::changes;
use crate::figures::{bytes, count, counted, seconds};

/// The report of an exploration as text.
pub(super) fn text(evidence: &Evidence, exploration: &Exploration, options: &TextOptions) -> String {
    let mut page = format!("{}: {}\n", evidence.input, headline(evidence, exploration));
    if let Some(Violation::Behaviour(behaviour)) = &evidence.violation {
        if let Some(error) = &evidence.error {
            page.push_str(&format!("\n{}\n", error.trim_end()));
        }
        push_behaviour(&mut page, behaviour, options.full_states);
    }
    for behaviour in &exploration.further {
        page.push_str(&format!("\n{}\n", violated(behaviour)));
        push_behaviour(&mut page, behaviour, options.full_states);
    }
    if !exploration.held.is_empty() {
        page.push_str(&format!(
            "temporal properties that hold: {}\n",
            exploration.held.join(", ")
        ));
    }
    for unchecked in &exploration.unchecked {
        page.push_str(&format!(
            "not checked: {}: {}\n",
            unchecked.name, unchecked.reason
        ));
    }
    if options.coverage {
        page.push_str(&format!("\n{}\n", coverage(exploration)));
    }
    page.push_str(&figures(evidence, exploration));
    page
}

fn headline(evidence: &Evidence, exploration: &Exploration) -> String {
    match (&evidence.violation, &evidence.unknown) {
        (Some(Violation::Behaviour(behaviour)), _) => violated(behaviour),
        _ if exploration.stopped => "the spec ended the search by itself".to_owned(),
        (_, Some(unknown)) => format!("unknown: {}", limit_text(unknown.limit)),
        _ => Verdict::Valid.to_string(),
    }
}

fn limit_text(limit: Limit) -> &'static str {
    match limit {
        Limit::Unchecked => "no violation in any state, but not all properties were checked",
        Limit::Memory => "the memory limit was reached before all states were explored",
        Limit::Interrupt => "interrupted before all states were explored",
        Limit::Behaviours => {
            "no violation in the behaviours that were drawn, which proves nothing about the others"
        }
        Limit::Depth => "states deeper than --depth were not explored",
        Limit::Time | Limit::Configurations | Limit::Operations | Limit::Inconclusive => {
            "the time limit was reached before all states were explored"
        }
    }
}

fn violated(behaviour: &Behaviour) -> String {
    let name = behaviour.violated.as_deref().unwrap_or("?");
    if let Some(back_to) = behaviour.lasso {
        let last = behaviour.states.len();
        let cycle = if back_to == last {
            format!("stays in state {last} for ever")
        } else {
            format!("repeats states {back_to} to {last} for ever")
        };
        return format!("violation: property {name} does not hold: a behaviour {cycle}");
    }
    let after = match behaviour.states.len() {
        0 => String::new(),
        1 => " in an initial state".to_owned(),
        2 => " after 1 step".to_owned(),
        states => format!(" after {} steps", states - 1),
    };
    match behaviour.kind {
        PropertyKind::Invariant => format!("violation: invariant {name} does not hold{after}"),
        PropertyKind::Property => format!("violation: property {name} does not hold{after}"),
        PropertyKind::Deadlock => format!("violation: deadlock{after}: no step is possible"),
        PropertyKind::Assert => format!("violation: an Assert of the spec failed{after}"),
        PropertyKind::Assumption => format!("violation: the assumption {name} does not hold"),
        PropertyKind::Postcondition => format!("violation: the postcondition {name} does not hold"),
        PropertyKind::Replay => match behaviour.states.len() {
            0 | 1 => {
                "violation: the trace departs from the specification: no initial state is like its first"
                    .to_owned()
            }
            states => format!(
                "violation: the trace departs from the specification after state {}: no step leads to the next",
                states - 1
            ),
        },
        PropertyKind::Driven => format!("violation: the system departs from the specification{after}"),
        PropertyKind::Incomplete => format!("error: a step leaves a variable open{after}"),
        PropertyKind::Evaluation => match &behaviour.violated {
            Some(name) => format!("error: {name} cannot be evaluated"),
            None => format!("error: an expression cannot be evaluated{after}"),
        },
    }
}

pub(super) fn push_behaviour(page: &mut String, behaviour: &Behaviour, is_full: bool) {
    if !behaviour.states.is_empty() {
        page.push('\n');
    }
    let mut before: Option<&BehaviourState> = None;
    let digits = behaviour.states.len().to_string().len();
    for state in &behaviour.states {
        let action = match (&state.action, before) {
            (Some(action), _) => {
                let run = behaviour.algorithm.as_deref();
                let process = run.and_then(|run| run.processes.get(state.number - 1)?.as_deref());
                step_text(behaviour, process, action)
            }
            (None, _) if behaviour.kind == PropertyKind::Replay && state.number == behaviour.states.len() => {
                "in the trace, but no step leads here".to_owned()
            }
            (None, None) => "initial state".to_owned(),
            (None, Some(_)) => "a step that cannot be named".to_owned(),
        };
        page.push_str(&format!("{:>digits$}  {action}\n", state.number));
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
            page.push_str(&format!("{:digits$}    nothing changed\n", ""));
        }
        for line in lines {
            page.push_str(&format!("{:digits$}    {line}\n", ""));
        }
        before = Some(state);
    }
    push_waiting(page, behaviour);
    push_cycle(page, behaviour, digits);
    if let Some(part) = &behaviour.false_part {
        page.push_str(&format!(
            "\nfalse: {}\n   at: {}\n",
            one_line(&part.text),
            part.place
        ));
        if !part.bindings.is_empty() {
            page.push_str(&format!(" with: {}\n", part.bindings));
        }
    }
    match behaviour.kind {
        PropertyKind::Replay => push_reasons(page, "Other branches:", &behaviour.reasons),
        // Where the processes of an algorithm wait says more.
        PropertyKind::Deadlock if behaviour.algorithm.is_none() => {
            push_reasons(page, "No step is possible:", &behaviour.reasons);
        }
        _ => {}
    }
}

/// Where the processes of an algorithm wait that cannot go on.
fn push_waiting(page: &mut String, behaviour: &Behaviour) {
    let Some(run) = behaviour
        .algorithm
        .as_deref()
        .filter(|run| !run.waiting.is_empty())
    else {
        return;
    };
    page.push('\n');
    for waiting in &run.waiting {
        let who = waiting.process.as_deref().unwrap_or("the algorithm");
        let step = run
            .step(&waiting.label)
            .map(|step| format!(": {}  ({})", shortened(&step.statement), step.place));
        page.push_str(&format!(
            "{who} waits at {}{}\n",
            waiting.label,
            step.unwrap_or_default()
        ));
    }
}

/// How an infinite behaviour goes on, why it violates the property, and why it is fair.
fn push_cycle(page: &mut String, behaviour: &Behaviour, digits: usize) {
    if let Some(back_to) = behaviour.lasso {
        let how = match &behaviour.back {
            _ if back_to == behaviour.states.len() => "and nothing changes any more".to_owned(),
            Some(action) => {
                let process = behaviour.algorithm.as_deref().and_then(|run| run.back.as_deref());
                let step = step_text(behaviour, process, action);
                format!("back to state {back_to}: {step}")
            }
            None => format!("back to state {back_to}"),
        };
        page.push_str(&format!("{:>digits$}  {how}\n", ""));
    }
    let name = behaviour.violated.as_deref().unwrap_or("?");
    if !matches!(behaviour.kind, PropertyKind::Replay | PropertyKind::Deadlock) {
        push_reasons(page, &format!("{name} is violated:"), &behaviour.reasons);
    }
    push_reasons(page, "The behaviour is fair:", &behaviour.fairness);
}

fn push_reasons(page: &mut String, title: &str, reasons: &[LassoReason]) {
    if reasons.is_empty() {
        return;
    }
    let formula = |reason: &LassoReason| {
        if reason.bindings.is_empty() {
            reason.formula.clone()
        } else {
            format!("{} with {}", reason.formula, reason.bindings)
        }
    };
    let width = reasons.iter().map(|reason| formula(reason).chars().count());
    let width = width.max().unwrap_or(0).min(FORMULA_WIDTH);
    page.push_str(&format!("\n{title}\n"));
    for reason in reasons {
        page.push_str(&format!("  {:width$}  {}\n", formula(reason), reason.reason));
    }
}

/// Reasons are aligned unless a formula is longer than this.
const FORMULA_WIDTH: usize = 60;

fn changed(before: &BehaviourState, (name, value): &(String, Value)) -> Vec<String> {
    match before.values.get(name) {
        Some(old) => changes(name, old, value),
        None => vec![format!("{name} = {value}")],
    }
}

/// A step of an algorithm is its process, its label and its statements; any other is its action.
fn step_text(behaviour: &Behaviour, process: Option<&str>, action: &ActionTaken) -> String {
    let run = behaviour.algorithm.as_deref();
    let Some(step) = run.and_then(|run| run.step(&action.name)) else {
        return action_text(action);
    };
    let who = process.map_or_else(String::new, |process| format!("{process}, "));
    let statement = shortened(&step.statement);
    // Process and label say all that the bindings of an action do, unless a name is bound inside of it.
    let bindings = action.bindings.iter().filter(|(name, _)| name != "self");
    let bindings: Vec<String> = bindings
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let bindings = if bindings.is_empty() {
        String::new()
    } else {
        format!("  [{}]", bindings.join(", "))
    };
    format!("{who}{}: {statement}{bindings}  ({})", action.name, step.place)
}

fn shortened(statement: &str) -> String {
    let short: String = statement.chars().take(STATEMENT_WIDTH).collect();
    if short.len() < statement.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// A longer statement is cut.
const STATEMENT_WIDTH: usize = 72;

pub(super) fn action_text(action: &ActionTaken) -> String {
    if action.bindings.is_empty() {
        format!("{}  ({})", action.name, action.place)
    } else {
        format!("{}: {}  ({})", action.name, action.bindings, action.place)
    }
}

/// A formula on one line, however it was written.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How often each action was taken and each definition evaluated, as a table.
fn coverage(exploration: &Exploration) -> String {
    let mut table = String::new();
    let actions = exploration.coverage.iter().map(|action| action.name.len());
    let width = actions.max().unwrap_or(0);
    if width > 0 {
        let (first, second) = match exploration.behaviours {
            Some(_) => ("possible", "taken"),
            None => ("steps", "new states"),
        };
        let _ = writeln!(table, "{first:>12} {second:>12}  action");
    }
    for action in &exploration.coverage {
        let never = if action.generated == 0 {
            "  never taken"
        } else {
            ""
        };
        let _ = writeln!(
            table,
            "{:>12} {:>12}  {:width$}  {}{never}",
            action.generated, action.distinct, action.name, action.place
        );
    }
    if !exploration.definitions.is_empty() {
        let _ = writeln!(table, "\n{:>12}  definition", "evaluations");
    }
    let names = exploration
        .definitions
        .iter()
        .map(|definition| definition.name.len());
    let width = names.max().unwrap_or(0);
    for definition in &exploration.definitions {
        let never = if definition.evaluations == 0 {
            "  never evaluated"
        } else {
            ""
        };
        let _ = writeln!(
            table,
            "{:>12}  {:width$}  {}{never}",
            definition.evaluations, definition.name, definition.place
        );
    }
    table
}

/// `24 distinct states, 61 generated, depth 5 (3.1 ms, 21 MB)`
fn figures(evidence: &Evidence, exploration: &Exploration) -> String {
    let size = match (exploration.behaviours, exploration.distinct) {
        (Some(behaviours), _) => {
            let mean = exploration.lengths.map_or_else(String::new, |lengths| {
                format!(" (mean {:.1}, deviation {:.1})", lengths.mean, lengths.deviation)
            });
            format!(
                "{} of at most {} states{mean}, {} states generated",
                counted(behaviours, "behaviour", "behaviours"),
                exploration.depth,
                count(exploration.generated)
            )
        }
        (None, distinct) => format!(
            "{} distinct states, {} generated, depth {}",
            count(distinct.unwrap_or(0)),
            count(exploration.generated),
            exploration.depth
        ),
    };
    let left = match exploration.waiting {
        0 => String::new(),
        left => format!(", {} left to explore", count(left)),
    };
    let figures = &evidence.figures;
    let memory = figures
        .peak_bytes
        .map_or_else(String::new, |peak| format!(", {}", bytes(peak)));
    let compared = exploration.compared.map_or_else(String::new, |compared| {
        format!(
            "{} of {} results of compiled code compared with the evaluator\n",
            count(compared.states),
            count(compared.of)
        )
    });
    format!("{size}{left} ({}{memory})\n{compared}", seconds(figures.seconds))
}
