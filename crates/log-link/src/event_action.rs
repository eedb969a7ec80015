//! Events: the actions of the next-state relation that lines of a log may name.
//!
//! An event `A` with arguments is a step of `Next` that goes through the definition `A`, applied to these arguments. Each event gets a
//! [restriction](crate::restriction) of `Next`.

use omnilink_tla::ir::{Kind, Node, OperatorId, Program};

use crate::restriction::restricted;

/// An event: an action of the next-state relation with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct EventAction {
    /// The name of the action.
    pub name: String,
    /// Its parameters.
    pub params: Vec<String>,
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
            let exact = restricted(program, next, &name, params.len(), false)?;
            let partial = restricted(program, next, &name, params.len(), true)?;
            Some(EventAction {
                name,
                params,
                exact,
                partial,
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
        match &node.kind {
            Kind::Call(call) => {
                let operator = &program.operators[call.operator as usize];
                if operator.is_definition {
                    let params: Vec<String> = operator.slots[..operator.params as usize]
                        .iter()
                        .map(|name| name.to_string())
                        .collect();
                    let entry = (operator.name.to_string(), params);
                    if !names.contains(&entry) {
                        names.push(entry);
                    }
                }
                if !path.contains(&call.operator) {
                    path.push(call.operator);
                    collect_names(program, call.operator, path, names);
                    path.pop();
                }
            }
            _ => each_step_part(node, &mut |part| visit(program, part, path, names)),
        }
    }
    visit(program, &program.operators[operator as usize].body, path, names);
}

/// Whether a node may be a step, or a part of one.
pub(crate) fn may_step(node: &Node) -> bool {
    node.uses.next || node.uses.opaque || node.uses.unfinished
}

/// The parts of an action of which each step of it goes through one.
fn each_step_part<'n>(node: &'n Node, visit: &mut dyn FnMut(&'n Node)) {
    match &node.kind {
        Kind::And(parts) | Kind::Or(parts) => parts.iter().for_each(visit),
        Kind::Exists(bounded) => visit(&bounded.body),
        Kind::If(parts) => [&parts.1, &parts.2].into_iter().for_each(visit),
        Kind::Case(arms, other) => {
            arms.iter().for_each(|(_, value)| visit(value));
            other.iter().for_each(|other| visit(other));
        }
        Kind::Let(_, body) | Kind::Action(_, body) | Kind::Memo(_, body) => visit(body),
        Kind::Stuttering(operands) | Kind::Changing(operands) => visit(&operands.0),
        _ => {}
    }
}
