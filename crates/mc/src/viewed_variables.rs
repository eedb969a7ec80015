//! A VIEW that is a tuple of variables.

use omnilink_tla::ir::{Formula, Kind, Node, Program};

/// How many definitions lead to a tuple.
const DEPTH_MAX: u32 = 32;

/// The variables that a VIEW shows, if it is a variable, a constant, or a tuple of such, which may be tuples again.
///
/// A constant is the same in all views, renamed or not, so it tells no two states apart. Two states have equal views exactly if they agree on these variables, and renaming the values of a state renames those of its view. So neither has the
/// view to be evaluated, nor for each of the renamings of SYMMETRY.
pub(crate) fn viewed_variables(program: &Program, view: Formula) -> Option<Vec<u32>> {
    let mut variables = Vec::new();
    collect(program, &program.operator(view).body, 0, &mut variables)?;
    Some(variables)
}

fn collect(program: &Program, node: &Node, depth: u32, variables: &mut Vec<u32>) -> Option<()> {
    match &node.kind {
        Kind::Var(variable) => {
            if !variables.contains(variable) {
                variables.push(*variable);
            }
            Some(())
        }
        Kind::Const(_) => Some(()),
        Kind::Tuple(parts) => parts
            .iter()
            .try_for_each(|part| collect(program, part, depth, variables)),
        Kind::PerState(_, inner) | Kind::Memo(_, inner) => collect(program, inner, depth, variables),
        Kind::Call(call) if call.arguments.is_empty() && depth < DEPTH_MAX => {
            let operator = program.operators.get(call.operator as usize)?;
            collect(program, &operator.body, depth + 1, variables)
        }
        _ => None,
    }
}
