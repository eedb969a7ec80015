//! Random logs: a behaviour of which lines tell a little, and changes to what they tell.

use fastrand::Rng;

use super::maker::Flavour;
use super::spec::random_spec;
use crate::oracle::eval::Valued;
use crate::oracle::log::{LogLine, Route, RouteStyle, route_steps};
use crate::oracle::spec::Spec;
use crate::oracle::term::{Infix, infix, int};
use crate::oracle::value::Val;

/// A specification of logs: one without steps, hidden actions and views, and the disjuncts of its next-state relation.
pub fn random_log_spec(rng: &mut Rng, flavour: Flavour) -> (Spec, Vec<Route>) {
    let mut spec = random_spec(rng, flavour);
    spec.hidden.clear();
    spec.has_next = true;
    spec.view = None;
    for operation in &mut spec.operations {
        operation.step = None;
    }
    let mut routes = Vec::new();
    for operation in 0..spec.operations.len() {
        for _ in 0..1 + usize::from(rng.u32(..3) == 0) {
            let fixed = spec.operations[operation]
                .params
                .iter()
                .map(|param| match rng.u32(..4) {
                    0 => Some(param.values[rng.usize(..param.values.len())].clone()),
                    _ => None,
                });
            let fixed = fixed.collect();
            // A condition that reads the state as little as possible: most routes are to be taken.
            let guard = (rng.u32(..5) == 0).then(|| infix(Infix::Less, int(rng.i64(0..3)), int(2)));
            let style = match rng.u32(..8) {
                0 => RouteStyle::Let,
                1 => RouteStyle::HigherOrder,
                2 => RouteStyle::Named,
                _ => RouteStyle::Plain,
            };
            routes.push(Route {
                operation,
                guard,
                fixed,
                style,
            });
        }
    }
    (spec, routes)
}

/// A log that is valid by construction, and often changes that may make it invalid.
pub fn random_log(rng: &mut Rng, spec: &Spec, routes: &[Route], has_clock: bool) -> Valued<Vec<LogLine>> {
    let initial = spec.initial_states();
    let mut state = initial[rng.usize(..initial.len())].clone();
    let (mut lines, mut clock) = (Vec::new(), 0);
    let nodes = rng.usize(1..4);
    for _ in 0..rng.usize(2..9) {
        clock += i64::from(rng.u32(..3) == 0);
        for _ in 0..20 {
            let route = &routes[rng.usize(..routes.len())];
            let params = &spec.operations[route.operation].params;
            let args: Vec<Option<Val>> = params
                .iter()
                .zip(&route.fixed)
                .map(|(param, fixed)| match fixed {
                    Some(value) => Some(value.clone()),
                    None => Some(param.values[rng.usize(..param.values.len())].clone()),
                })
                .collect();
            let found = route_steps(spec, route, Some(&args), &state)?;
            if found.is_empty() {
                continue;
            }
            state = found[rng.usize(..found.len())].clone();
            let known: Vec<Option<Val>> = args
                .into_iter()
                .map(|arg| arg.filter(|_| rng.u32(..4) > 0))
                .collect();
            let observed = (0..state.len()).filter(|_| rng.u32(..6) == 0).collect::<Vec<_>>();
            let operation = (rng.u32(..10) > 0).then_some(route.operation);
            lines.push(LogLine {
                node: rng.usize(..nodes),
                clock,
                operation,
                args: operation.and((rng.u32(..5) > 0).then_some(known)),
                state: observed
                    .into_iter()
                    .map(|number| (number, state[number].clone()))
                    .collect(),
            });
            break;
        }
    }
    for _ in 0..[0, 1, 1, 2][rng.usize(..4)] {
        change(rng, spec, &mut lines);
    }
    // Lines of different nodes with equal clocks may stand in any order.
    if has_clock {
        for _ in 0..4 {
            let at = rng.usize(..lines.len().max(1));
            if let [one, other] = lines.get(at..at + 2).unwrap_or_default()
                && one.clock == other.clock
                && one.node != other.node
            {
                lines.swap(at, at + 1);
            }
        }
    }
    Ok(lines)
}

fn change(rng: &mut Rng, spec: &Spec, lines: &mut Vec<LogLine>) {
    if lines.is_empty() {
        return;
    }
    let at = rng.usize(..lines.len());
    if rng.u32(..6) == 0 {
        lines.remove(at);
        return;
    }
    let line = &mut lines[at];
    let Some(operation) = line.operation else {
        line.operation = Some(rng.usize(..spec.operations.len()));
        return;
    };
    let params = &spec.operations[operation].params;
    if let Some(args) = &mut line.args
        && !args.is_empty()
    {
        let which = rng.usize(..args.len());
        let values = &params[which].values;
        args[which] = Some(values[rng.usize(..values.len())].clone());
    }
}
