//! `TransitiveClosure`: Warshall's algorithm on rows of bits.

use omnilink_value::Value;

use super::Arguments;
use super::registry::Entry;
use crate::datum::Datum;
use crate::error::Outcome;
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[Entry::new("Warshall", warshall)];

fn warshall<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let relation = arguments.set(evaluator, 0)?;
    let mut pairs = Vec::new();
    for pair in relation.as_set().unwrap_or_default() {
        let Some([from, to]) = pair.as_tuple() else {
            let relation = Datum::Value(relation.clone());
            return Err(arguments.wrong(evaluator, 0, "a set of pairs", &relation));
        };
        pairs.push((from, to));
    }
    let nodes = pairs
        .iter()
        .flat_map(|(from, to)| [*from, *to])
        .cloned()
        .collect();
    let nodes = evaluator.set_of(nodes)?;
    let nodes = nodes.as_set().unwrap_or_default();
    let size = nodes.len();
    let mut reaches = vec![false; size * size];
    for (from, to) in pairs {
        if let (Ok(from), Ok(to)) = (nodes.binary_search(from), nodes.binary_search(to)) {
            reaches[from * size + to] = true;
        }
    }
    for through in 0..size {
        for from in 0..size {
            if reaches[from * size + through] {
                for to in 0..size {
                    reaches[from * size + to] |= reaches[through * size + to];
                }
            }
        }
    }
    // Row by row: the order of pairs.
    let closure = (0..size * size)
        .filter(|at| reaches[*at])
        .map(|at| Value::tuple([nodes[at / size].clone(), nodes[at % size].clone()]));
    Ok(Datum::Value(Value::set_of_sorted(closure)))
}
