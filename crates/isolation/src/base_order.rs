//! The base of every level: the order of its scope and, where it is determined, reads-from.

use omnilink_history::order_graph::{EdgeReason, Graph, GraphNode};
use rustc_hash::FxHashMap;

use crate::level::IsolationScope;
use crate::reads_from::ReadsFrom;
use crate::real_time;
use crate::transaction::{Fate, Transactions};

/// The order of a scope among the included transactions.
pub(crate) fn scope(
    graph: &mut Graph,
    transactions: &Transactions,
    reads: &ReadsFrom,
    scope: IsolationScope,
) {
    if scope >= IsolationScope::Session {
        sessions(graph, transactions, reads);
    }
    if scope >= IsolationScope::RealTime {
        real_time::add(graph, transactions, &reads.included);
    }
}

/// Session order among the included transactions.
///
/// A transaction of unknown outcome comes after its session's earlier ones, but before none: the session did not wait
/// for it.
fn sessions(graph: &mut Graph, transactions: &Transactions, reads: &ReadsFrom) {
    let mut last: FxHashMap<u32, usize> = FxHashMap::default();
    for &one in &reads.included {
        let session = transactions.all[one].session;
        if let Some(first) = last.get(&session) {
            graph.add(graph.commit(*first), graph.seeing(one), EdgeReason::Session);
        }
        if transactions.all[one].fate == Fate::Committed {
            last.insert(session, one);
        }
    }
}

/// Reads-from, for reads with one possible writer.
pub(crate) fn known_reads(graph: &mut Graph, reads: &ReadsFrom) {
    for read in &reads.reads {
        if let [Some(writer)] = read.writers[..]
            && reads.is_required[read.reader]
        {
            graph.add(
                graph.commit(writer),
                graph.seeing(read.reader),
                EdgeReason::ReadFrom(read.key),
            );
        }
    }
}

/// The priority of nodes in a topological order: by time, or else as they were recorded.
pub(crate) fn priorities(graph: &Graph, transactions: &Transactions) -> Vec<i64> {
    let of = |node: GraphNode| {
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
    // Auxiliary nodes come as early as possible.
    (0..graph.nodes() as GraphNode)
        .map(|node| of(node).unwrap_or(i64::MIN))
        .collect()
}
