//! Windows: depth-first search explains what waits, and the sweep goes on from there.
//!
//! The sweep keeps every explanation, and falls behind where that is hard. What waits would be kept until the end of the history: memory that
//! grows with it. Depth-first search often explains such a history cheaply, because it needs only one explanation. So from a
//! certain number of waiting operations on, it looks for an explanation of these, up to the last call. The search then *commits itself*: the
//! frontier becomes one configuration of that explanation, some events before the end of the window, and everything before is settled. The
//! events behind it have shown that it does not fail at once.
//!
//! *Why this is sound.* The configuration explains all returns before it, so an explanation that continues it is one of the whole history, and is
//! replayed like any other: `valid` stands. Other configurations were dropped that might have had explanations where this one has none. So
//! from then on a violation is no verdict: [`is_committed`](PartSearch::is_committed) makes it an error that asks for the check to be
//! repeated without commitments.

use super::{PartSearch, PartStatus};
use crate::any_search::{AnyDepthFirst, AnySweep, with};
use crate::depth_first::{Prefix, Schedule};
use crate::search_context::{Advance, SearchContext};
use crate::sweep::Sweep;

impl PartSearch {
    /// The fuel of an attempt, per waiting operation.
    const WINDOW_FUEL_PER_OP: u64 = 64;
    /// The share of the events of a window that stays behind the configuration committed to.
    const WINDOW_MARGIN_SHARE: u32 = 8;

    /// Whether explanations were dropped in favour of one, so that a violation means nothing.
    pub fn is_committed(&self) -> bool {
        self.is_committed
    }

    /// Explains what waits by depth-first search and commits itself to that, if enough operations wait.
    pub(super) fn commit_if_due(&mut self, context: &mut SearchContext<'_, '_>) {
        let Some(window) = self.window.filter(|window| self.backlog.len() >= *window) else {
            return;
        };
        let (op_table, backlog) = (&self.op_table, self.backlog.iter().copied());
        let search = with!(AnySweep, &self.sweep, sweep => {
            let (schedule, _) = Schedule::until_last_call(sweep, backlog, op_table);
            AnyDepthFirst::new(schedule, sweep)
        });
        let mut fuel = Self::WINDOW_FUEL_PER_OP * self.backlog.len() as u64;
        let (reached, prefix, is_inconclusive) = with!(AnyDepthFirst, search, search => {
            let mut search = search;
            let reached = search.run(&mut fuel, op_table, context);
            let is_inconclusive = search.is_inconclusive();
            let margin = search.events() / Self::WINDOW_MARGIN_SHARE;
            let prefix = match reached {
                Advance::Done => search.prefix(margin, op_table, context),
                _ => None,
            };
            (reached, prefix, is_inconclusive)
        });
        match (reached, prefix) {
            (Advance::Limit, _) => self.status = PartStatus::Limit,
            // There is no explanation from here, but there may have been one before.
            (Advance::Violation, _) if self.is_committed => self.status = PartStatus::Violation,
            // The sweep has the better evidence.
            (Advance::Violation, _) => self.window = None,
            (_, Some(prefix)) => self.commit(prefix, is_inconclusive, context),
            (_, None) => self.window = Some(window * 2),
        }
    }

    /// Drops all explanations but one.
    fn commit(&mut self, prefix: Prefix, is_inconclusive: bool, context: &mut SearchContext<'_, '_>) {
        self.is_committed = true;
        let mut path = prefix.path;
        for op in &prefix.trail {
            path = self.paths.extend(path, *op);
        }
        for (op, is_placed) in &prefix.returned {
            if *is_placed && self.paths.enabled() {
                self.op_table.close(*op)
            } else {
                self.op_table.remove(*op)
            }
        }
        self.backlog.drain(..prefix.calls);
        let is_inconclusive =
            is_inconclusive || with!(AnySweep, &self.sweep, sweep => sweep.ops.is_inconclusive);
        let mut figures = self.figures();
        figures.returns += prefix.returned.len() as u64;
        figures.frontier_sum += prefix.returned.len() as u64;
        self.sweep = AnySweep::Word(Sweep::resumed(prefix.state, path, figures));
        for (op, is_placed) in prefix.open {
            self.sweep.make_room();
            let op_table = &self.op_table;
            with!(AnySweep, &mut self.sweep, sweep => sweep.reopen(op, is_placed, op_table, context.space));
        }
        with!(AnySweep, &mut self.sweep, sweep => sweep.ops.is_inconclusive = is_inconclusive);
        self.settle();
    }
}
