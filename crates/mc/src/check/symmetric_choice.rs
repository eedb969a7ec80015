//! CHOOSE under SYMMETRY: it picks one of some values that SYMMETRY takes for interchangeable, so states that count as one may have different
//! steps, and a search may miss some.

use omnilink_tla::ir::{Kind, Node, Program};
use rustc_hash::FxHashSet;

use crate::source_line::file_and_line;
use crate::symmetry::Symmetry;

/// A warning for each place of `CHOOSE x \in S` where S is made of interchangeable values.
pub(super) fn symmetric_choices(program: &Program, symmetry: &Symmetry) -> Vec<String> {
    if symmetry.is_trivial() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for operator in &program.operators {
        find(program, symmetry, &operator.body, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    let warnings = found.into_iter().map(|place| {
        format!(
            "warning: {place}: CHOOSE picks one of values that SYMMETRY takes for interchangeable; unless only one satisfies its \
             condition, states may be missed (--no-symmetry explores all)"
        )
    });
    warnings.collect()
}

fn find(program: &Program, symmetry: &Symmetry, node: &Node, found: &mut Vec<String>) {
    if let Kind::Choose(bounded) = &node.kind {
        let mut seen = FxHashSet::default();
        let mut sets = bounded.sets.iter();
        if sets.any(|set| mentions_moved(program, symmetry, set, &mut seen)) {
            found.push(file_and_line(program, node.at));
        }
    }
    node.kind
        .for_each_child(|child| find(program, symmetry, child, found));
}

/// Whether a value that SYMMETRY moves is part of a constant in an expression, or in an operator that it applies.
fn mentions_moved(program: &Program, symmetry: &Symmetry, node: &Node, seen: &mut FxHashSet<u32>) -> bool {
    let mut is_found = match &node.kind {
        Kind::Const(value) => symmetry.moves(value),
        Kind::Call(call) if seen.insert(call.operator) => {
            let body = &program.operators[call.operator as usize].body;
            mentions_moved(program, symmetry, body, seen)
        }
        _ => false,
    };
    node.kind
        .for_each_child(|child| is_found = is_found || mentions_moved(program, symmetry, child, seen));
    is_found
}
