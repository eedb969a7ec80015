//! Reachability in an acyclic graph, for many pairs at a time.
//!
//! The whole closure would be quadratic in memory. Pairs are answered in blocks of sources that are near each other
//! in a topological order: a row of bits, one for each source of the block, is propagated from the first source to
//! the last target. Memory is linear, and so is time where targets are near their sources.

use omnilink_history::Budget;
use omnilink_history::order_graph::{Graph, GraphNode};
use omnilink_sorting::sort_by_key;

/// A pair of nodes: is the second reachable from the first?
pub(crate) type Pair = (GraphNode, GraphNode);

const WORDS: usize = 4;
const SOURCES: usize = 64 * WORDS;

/// Answers all pairs; after a limit was reached, with `false`.
///
/// `position` are the positions of the nodes in `order`, a topological order of `graph`.
pub(crate) fn answer(
    graph: &Graph,
    order: &[GraphNode],
    position: &[u32],
    pairs: &[Pair],
    budget: &mut Budget,
) -> Vec<bool> {
    let at = |node: GraphNode| position[node as usize] as usize;
    let mut answers = vec![false; pairs.len()];
    // No edge leads backwards in the order.
    let mut forward: Vec<usize> = (0..pairs.len())
        .filter(|pair| at(pairs[*pair].0) < at(pairs[*pair].1))
        .collect();
    sort_by_key(&mut forward, |pair| at(pairs[*pair].0));
    let mut reached = vec![[0_u64; WORDS]; graph.nodes()];
    let mut rest = forward.as_slice();
    while let Some(first) = rest.first() {
        // A block: a bounded number of distinct sources, with all their targets.
        let mut sources: Vec<GraphNode> = Vec::with_capacity(SOURCES);
        let mut taken = 0;
        for pair in rest {
            let source = pairs[*pair].0;
            if sources.last() != Some(&source) {
                if sources.len() == SOURCES {
                    break;
                }
                sources.push(source);
            }
            taken += 1;
        }
        let (block, later) = rest.split_at(taken);
        rest = later;
        let from = at(pairs[*first].0);
        let to = block.iter().map(|pair| at(pairs[*pair].1)).max().unwrap_or(from);
        for (bit, source) in sources.iter().enumerate() {
            reached[at(*source)][bit / 64] |= 1 << (bit % 64);
        }
        for place in from..=to {
            let row = reached[place];
            if row == [0; WORDS] {
                continue;
            }
            if budget.work() {
                return answers;
            }
            for next in graph.successors(order[place]) {
                let next = at(next);
                if next <= to {
                    let bits = reached[next].iter_mut().zip(row);
                    bits.for_each(|(word, more)| *word |= more);
                }
            }
        }
        let mut bit = 0;
        for pair in block {
            let (source, target) = pairs[*pair];
            while sources[bit] != source {
                bit += 1;
            }
            answers[*pair] = reached[at(target)][bit / 64] >> (bit % 64) & 1 == 1;
        }
        reached[from..=to].fill([0; WORDS]);
    }
    answers
}
