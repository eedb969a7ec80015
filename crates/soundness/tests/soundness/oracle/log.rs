//! Logs: lines that say a little about steps, and whether some behaviour explains all of them.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::action::State;
use super::eval::{Scope, Valued};
use super::explain::Explained;
use super::spec::Spec;
use super::term::{Term, variable};
use super::value::Val;

/// A disjunct of the next-state relation: an operation under a condition, some of its arguments fixed.
#[derive(Clone, Debug)]
pub struct Route {
    pub operation: usize,
    pub guard: Option<Term>,
    /// For each parameter, its only value, or `None` for all of its values.
    pub fixed: Vec<Option<Val>>,
    pub style: RouteStyle,
}

/// How the disjunct is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteStyle {
    Plain,
    /// `LET big == A(1) IN big`
    Let,
    /// `Through(LAMBDA z : A(1), 0)`
    HigherOrder,
    /// Through a definition with a name of its own.
    Named,
}

/// A line of a log. What is absent is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    pub node: usize,
    pub clock: i64,
    pub operation: Option<usize>,
    /// Known arguments, if the line has arguments.
    pub args: Option<Vec<Option<Val>>>,
    /// The values of variables after the step.
    pub state: Vec<(usize, Val)>,
}

/// The specification of logs: that of its operations, with a next-state relation of these disjuncts.
pub fn text(spec: &Spec, routes: &[Route]) -> String {
    let text = spec.text();
    let body = text.split("\nNext == ").next().unwrap_or_default();
    let mut definitions = String::new();
    let mut next = Vec::new();
    for (number, route) in routes.iter().enumerate() {
        let operation = &spec.operations[route.operation];
        let mut quantifiers = String::new();
        let mut args = Vec::new();
        for (param, fixed) in operation.params.iter().zip(&route.fixed) {
            match fixed {
                Some(Val::Text(text)) => args.push(format!("\"{text}\"")),
                Some(value) => args.push(value.json()),
                None => {
                    let _ = write!(quantifiers, "\\E {} \\in {} : ", param.name, param.range);
                    args.push(param.name.to_owned());
                }
            }
        }
        let applied = match args.as_slice() {
            [] => operation.name.clone(),
            _ => format!("{}({})", operation.name, args.join(", ")),
        };
        let applied = match &route.guard {
            Some(guard) => format!("({} /\\ {applied})", guard.text()),
            None => applied,
        };
        next.push(match route.style {
            RouteStyle::Plain => format!("({quantifiers}{applied})"),
            RouteStyle::Let => format!("({quantifiers}LET big{number} == {applied} IN big{number})"),
            RouteStyle::HigherOrder => format!("({quantifiers}Through(LAMBDA z : {applied}, 0))"),
            RouteStyle::Named => {
                let _ = writeln!(definitions, "Route{number} == {quantifiers}{applied}");
                format!("Route{number}")
            }
        });
    }
    format!(
        "{body}\n{definitions}Next == {}\nSpec == Init /\\ [][Next]_vars\n====\n",
        next.join(" \\/ ")
    )
}

/// As NDJSON, in this order.
pub fn ndjson(spec: &Spec, lines: &[LogLine], has_clock: bool) -> String {
    let mut text = String::new();
    for line in lines {
        let mut fields = vec![format!("\"node\":\"n{}\"", line.node)];
        if has_clock {
            fields.push(format!("\"clock\":{}", line.clock));
        }
        if let Some(operation) = line.operation {
            fields.push(format!("\"event\":\"{}\"", spec.operations[operation].name));
            if let Some(args) = &line.args {
                let args = args
                    .iter()
                    .map(|arg| arg.as_ref().map_or("null".to_owned(), Val::json));
                fields.push(format!("\"args\":[{}]", args.collect::<Vec<_>>().join(",")));
            }
        }
        if !line.state.is_empty() {
            let values = line
                .state
                .iter()
                .map(|(number, value)| format!("\"{}\":{}", variable(*number), value.json()));
            fields.push(format!("\"state\":{{{}}}", values.collect::<Vec<_>>().join(",")));
        }
        let _ = writeln!(text, "{{{}}}", fields.join(","));
    }
    text
}

/// Searches that visit more are given up.
const VISITS_MAX: usize = 20_000;

/// Whether some behaviour explains the lines. With clocks, lines of different nodes with equal clocks come in any order.
pub fn explain_log(spec: &Spec, routes: &[Route], lines: &[LogLine], has_clock: bool) -> Explained {
    assert!(lines.len() <= 128, "the oracle is for short logs");
    let before = |at: usize| {
        let comes_first = |other: usize| {
            let (from, to) = (&lines[other], &lines[at]);
            if has_clock {
                from.clock < to.clock || from.clock == to.clock && from.node == to.node && other < at
            } else {
                other < at
            }
        };
        (0..lines.len())
            .filter(|other| comes_first(*other))
            .fold(0u128, |mask, other| mask | 1 << other)
    };
    let before: Vec<u128> = (0..lines.len()).map(before).collect();
    let mut seen: HashSet<(u128, State)> = HashSet::new();
    let mut waiting: Vec<(u128, State)> = spec
        .initial_states()
        .into_iter()
        .map(|state| (0, state))
        .collect();
    let mut search = || -> Valued<bool> {
        while let Some((done, state)) = waiting.pop() {
            if !spec.holds_in(&state)? || seen.len() > VISITS_MAX || !seen.insert((done, state.clone())) {
                continue;
            }
            if done.count_ones() as usize == lines.len() {
                return Ok(true);
            }
            for (at, line) in lines.iter().enumerate() {
                if done >> at & 1 == 1 || before[at] & !done != 0 {
                    continue;
                }
                for next in steps(spec, routes, line, &state)? {
                    waiting.push((done | 1 << at, next));
                }
            }
        }
        Ok(false)
    };
    match search() {
        Err(_) => Explained::NotCompared,
        Ok(_) if seen.len() > VISITS_MAX => Explained::NotCompared,
        Ok(true) => Explained::Valid,
        Ok(false) => Explained::Violation,
    }
}

/// The next states of the steps that a line may be.
fn steps(spec: &Spec, routes: &[Route], line: &LogLine, state: &State) -> Valued<Vec<State>> {
    let mut all = Vec::new();
    for route in routes
        .iter()
        .filter(|route| line.operation.is_none_or(|wanted| wanted == route.operation))
    {
        for next in route_steps(spec, route, line.args.as_deref(), state)? {
            if line.state.iter().all(|(number, value)| next[*number] == *value) {
                all.push(next);
            }
        }
    }
    Ok(all)
}

/// The next states of a disjunct, with arguments as far as they are known.
pub fn route_steps(
    spec: &Spec,
    route: &Route,
    known: Option<&[Option<Val>]>,
    state: &State,
) -> Valued<Vec<State>> {
    let operation = &spec.operations[route.operation];
    let mut all_args = vec![Vec::new()];
    for (at, param) in operation.params.iter().enumerate() {
        let known = known.and_then(|known| known.get(at)?.as_ref());
        let mut values = match &route.fixed[at] {
            Some(fixed) => vec![fixed.clone()],
            None => param.values.clone(),
        };
        values.retain(|value| known.is_none_or(|known| known == value));
        let more = all_args.iter().flat_map(|args: &Vec<Val>| {
            values.iter().map(|value| {
                let mut args = args.clone();
                args.push(value.clone());
                args
            })
        });
        all_args = more.collect();
    }
    if let Some(guard) = &route.guard
        && !guard.is_true(&Scope::of_state(state))?
    {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for args in all_args {
        all.extend(spec.successors(&operation.done, &operation.params, &args, state)?);
    }
    Ok(all)
}
