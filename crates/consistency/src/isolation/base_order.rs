//! What every level asks for: the order of sessions and, where it is known, who read from whom.

use rustc_hash::FxHashMap;

use super::reads_from::ReadsFrom;
use super::transaction::{Fate, Transactions};
use crate::order_graph::{EdgeReason, Graph, Node};

/// The order of sessions among what may have taken effect.
///
/// A transaction that was cut off comes after its session's earlier ones, but the session did not wait for it.
pub(super) fn sessions(graph: &mut Graph, transactions: &Transactions, reads: &ReadsFrom) {
    let mut last: FxHashMap<u32, usize> = FxHashMap::default();
    for &one in &reads.included {
        let session = transactions.all[one].session;
        if let Some(first) = last.get(&session) {
            graph.add(graph.commit(*first), graph.begin(one), EdgeReason::Session);
        }
        if transactions.all[one].fate == Fate::Committed {
            last.insert(session, one);
        }
    }
}

/// Who read from whom, for reads of which it is known.
pub(super) fn known_reads(graph: &mut Graph, reads: &ReadsFrom) {
    for read in &reads.reads {
        if let [Some(writer)] = read.writers[..]
            && reads.is_required[read.reader]
        {
            graph.add(
                graph.commit(writer),
                graph.begin(read.reader),
                EdgeReason::ReadFrom(read.key),
            );
        }
    }
}

/// In which order nodes are preferred where there is a choice: by time, or else as they were recorded.
pub(super) fn priorities(graph: &Graph, transactions: &Transactions) -> Vec<i64> {
    let of = |node: Node| {
        let one = graph.transaction(node)?;
        let Some(timebox) = transactions.all[one].timebox else {
            return Some(one as i64);
        };
        let end = timebox.end.unwrap_or(timebox.start);
        Some(match (graph.begin(one) == node, graph.commit(one) == node) {
            (true, true) => timebox.start / 2 + end / 2,
            (true, false) => timebox.start,
            (false, _) => end,
        })
    };
    // Auxiliary nodes hold nobody up.
    (0..graph.len() as Node)
        .map(|node| of(node).unwrap_or(i64::MIN))
        .collect()
}
