//! Events: the actions of the next-state relation that lines of a log may name.
//!
//! An event `A` with arguments is a step of `Next` that goes through the definition `A`, applied to these arguments. Where it can be made, each
//! event gets a [restriction](crate::restriction) of `Next`; otherwise all of `Next` is evaluated, and the evaluator tells which steps go through `A`.

use omnilink_tla::eval::WatchedDefinition;
use omnilink_tla::ir::{Argument, Kind, Node, OperatorId, Program};

use crate::restriction::restricted;
use crate::steps_through::StepsThrough;

/// An event: an action of the next-state relation with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct EventAction {
    /// The name of the action.
    pub name: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// Its definition, for the evaluator to watch.
    pub definition: WatchedDefinition,
    /// Its restriction; `None` if all of the next-state relation must be evaluated.
    pub restriction: Option<EventRestriction>,
}

/// The steps of an event as operations of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventRestriction {
    /// Takes a value for every parameter.
    pub exact: OperatorId,
    /// Takes flags, which say what is given, and then values.
    pub partial: OperatorId,
}

/// Adds the events of a next-state relation to its program.
pub(crate) fn event_actions(program: &mut Program, next: u32) -> Vec<EventAction> {
    let mut names: Vec<(String, Vec<String>)> = Vec::new();
    collect_names(program, next, &mut vec![next], &mut names);
    // The whole relation is no event: a line without one says the same.
    if let Kind::Call(call) = &program.operators[next as usize].body.kind {
        let whole = program.operators[call.operator as usize].name.to_string();
        names.retain(|(name, _)| *name != whole);
    }
    names
        .into_iter()
        .filter_map(|(name, params)| {
            let definition = WatchedDefinition::named(program, &name, params.len());
            let exact = restricted(program, next, &name, params.len(), false);
            let partial = restricted(program, next, &name, params.len(), true);
            let restriction = match (exact, partial) {
                (StepsThrough::NoStep, _) | (_, StepsThrough::NoStep) => return None,
                (StepsThrough::Restricted(exact), StepsThrough::Restricted(partial)) => {
                    Some(EventRestriction { exact, partial })
                }
                (StepsThrough::Unsupported, _) | (_, StepsThrough::Unsupported) => None,
            };
            Some(EventAction {
                name,
                params,
                definition,
                restriction,
            })
        })
        .collect()
}

/// The definitions inside the next-state relation through which steps go, in the order in which they occur.
fn collect_names(
    program: &Program,
    operator: u32,
    path: &mut Vec<u32>,
    names: &mut Vec<(String, Vec<String>)>,
) {
    fn visit(program: &Program, node: &Node, path: &mut Vec<u32>, names: &mut Vec<(String, Vec<String>)>) {
        if !may_step(node) {
            return;
        }
        if let Kind::Call(call) = &node.kind {
            enter(program, call.operator, path, names);
        }
        // An operator that is given as an argument may be applied as an action.
        node.kind.for_each_argument(|argument| match argument {
            Argument::Operator(operator, _) => enter(program, *operator, path, names),
            Argument::Value(part) | Argument::Lazy(part) | Argument::ByName(part) => {
                visit(program, part, path, names);
            }
            Argument::Slot(_) => {}
        });
        each_step_part(node, &mut |part| visit(program, part, path, names));
    }
    fn enter(program: &Program, operator: u32, path: &mut Vec<u32>, names: &mut Vec<(String, Vec<String>)>) {
        let called = &program.operators[operator as usize];
        if !may_step(&called.body) {
            return;
        }
        if called.is_definition {
            let params: Vec<String> = called.slots[..called.params as usize]
                .iter()
                .map(|name| name.to_string())
                .collect();
            let entry = (called.name.to_string(), params);
            if !names.contains(&entry) {
                names.push(entry);
            }
        }
        if !path.contains(&operator) {
            path.push(operator);
            collect_names(program, operator, path, names);
            path.pop();
        }
    }
    visit(program, &program.operators[operator as usize].body, path, names);
}

/// Whether a node may be a step, or a part of one.
fn may_step(node: &Node) -> bool {
    node.uses.next || node.uses.opaque || node.uses.unfinished
}

/// The parts of an action that may be steps.
fn each_step_part<'n>(node: &'n Node, visit: &mut dyn FnMut(&'n Node)) {
    match &node.kind {
        Kind::And(parts) | Kind::Or(parts) => parts.iter().for_each(visit),
        Kind::Exists(bounded) | Kind::ForAll(bounded) => visit(&bounded.body),
        Kind::If(parts) => [&parts.1, &parts.2].into_iter().for_each(visit),
        Kind::Case(arms, other) => {
            arms.iter().for_each(|(_, value)| visit(value));
            other.iter().for_each(|other| visit(other));
        }
        Kind::Let(_, body) | Kind::Action(_, body) | Kind::Memo(_, body) => visit(body),
        Kind::Implies(operands) => visit(&operands.1),
        Kind::Compose(operands) => [&operands.0, &operands.1].into_iter().for_each(visit),
        Kind::Stuttering(operands) | Kind::Changing(operands) => visit(&operands.0),
        _ => {}
    }
}
