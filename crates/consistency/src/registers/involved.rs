//! The operations from which a contradiction follows.

use omnilink_history::order_graph::EdgeReason;

use super::accesses::Access;
use super::{RegisterHistory, RegisterOutcome};
use crate::long_history::HappensBefore;

/// Where a way from an operation to one that sees it goes from a write to a read of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    No,
    Any,
    First,
    Last,
    FirstAndLast,
}

impl<O> RegisterHistory<'_, O> {
    /// The operations that a contradiction names, those through which its readers see what they see, and the writes that
    /// were read among them; in the order of the history.
    pub fn involved(&self, outcome: &RegisterOutcome) -> Vec<usize> {
        let mut ops = Vec::new();
        match outcome {
            RegisterOutcome::Order(_) | RegisterOutcome::Limit(_) => {}
            RegisterOutcome::ThinAir(read) => ops.push(*read),
            RegisterOutcome::StaleInitial { read, write } => ops.extend(self.path(*write, *read)),
            RegisterOutcome::Cycle(cycle) => {
                for edge in cycle {
                    ops.extend(edge.from.into_iter().chain(edge.to));
                    if let (EdgeReason::SeenBy { reader, .. }, Some(from)) = (edge.reason, edge.from) {
                        ops.extend(self.path(from, reader as usize));
                    }
                }
            }
        }
        let mut at = 0;
        while at < ops.len() {
            if let Access::Read(_, Some(writer)) = self.accesses[ops[at]]
                && !ops.contains(&writer)
            {
                ops.push(writer);
            }
            at += 1;
        }
        ops.sort_unstable();
        ops.dedup();
        ops
    }

    /// The operations on the way from an operation to one that sees it, with both ends: on a shortest way of each kind, since levels
    /// follow different ones.
    fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let mut ops = vec![from, to];
        for is_session in [false, true] {
            for reads in [
                Reads::No,
                Reads::Any,
                Reads::First,
                Reads::Last,
                Reads::FirstAndLast,
            ] {
                ops.extend(self.shortest(from, to, is_session, reads));
            }
        }
        ops
    }

    /// The operations of a shortest way between two operations, by program order or happens-before and by what was read.
    fn shortest(&self, from: usize, to: usize, is_session: bool, reads: Reads) -> Vec<usize> {
        let mut next: Vec<Option<usize>> = vec![None; self.accesses.len()];
        let mut layer = vec![to];
        let mut is_last = true;
        let begins_with_read = matches!(reads, Reads::First | Reads::FirstAndLast);
        let ends_with_read = matches!(reads, Reads::Last | Reads::FirstAndLast);
        while next[from].is_none() && !layer.is_empty() {
            let mut earlier = Vec::new();
            let mut add = |op: usize, after: usize, is_read: bool| {
                let is_wrong = op == from && begins_with_read && !is_read;
                if op != to && next[op].is_none() && !is_wrong {
                    next[op] = Some(after);
                    earlier.push(op);
                }
            };
            for op in layer.iter().filter(|_| reads != Reads::No) {
                if let Access::Read(_, Some(writer)) = self.accesses[*op] {
                    add(writer, *op, true);
                }
            }
            if !(is_last && ends_with_read) {
                self.each_before(&layer, is_session, &mut |op, after| add(op, after, false));
            }
            layer = earlier;
            is_last = false;
        }
        let mut path = Vec::new();
        let mut at = from;
        while let Some(after) = next[at] {
            path.push(after);
            at = after;
        }
        path
    }

    /// Every operation that happens before one of `layer`, with that one.
    fn each_before(&self, layer: &[usize], is_session: bool, add: &mut impl FnMut(usize, usize)) {
        let history = self.history;
        let start = |op: usize| history.timeboxes[op].start;
        // Of the operations of each thread the last one has all the others' pasts.
        let mut last: Vec<Option<usize>> = vec![None; history.ops.len()];
        for op in layer {
            let last = &mut last[history.ops[*op].thread as usize];
            if last.is_none_or(|last| (start(last), last) < (start(*op), *op)) {
                *last = Some(*op);
            }
        }
        let latest = layer.iter().copied().max_by_key(|op| start(*op));
        for (op, included) in self.is_included.iter().enumerate() {
            if !included || history.ops[op].optional {
                continue;
            }
            if let Some(last) = last[history.ops[op].thread as usize]
                && (start(op), op) < (start(last), last)
            {
                add(op, last);
            }
            if !is_session
                && history.happens_before == HappensBefore::RealTime
                && let Some(latest) = latest
                && history.timeboxes[op].end.is_some_and(|end| end < start(latest))
            {
                add(op, latest);
            }
        }
        if !is_session && let HappensBefore::Pairs(pairs) = &history.happens_before {
            let mut is_in = vec![false; history.ops.len()];
            layer.iter().for_each(|op| is_in[*op] = true);
            for (first, second) in pairs.iter().filter(|(_, second)| is_in[*second]) {
                add(*first, *second);
            }
        }
    }
}
