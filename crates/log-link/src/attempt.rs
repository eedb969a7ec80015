//! An attempt to explain lines: a search from the initial states, with the replay of what it finds.

use omnilink_engine::LimitWatch;
use omnilink_evidence::Limit;
use omnilink_tla::eval::Evaluator;
use smallvec::SmallVec;

use crate::error::LogError;
use crate::expansion::Expander;
use crate::layer::Cut;
use crate::line_order::LineOrder;
use crate::lines::Lines;
use crate::log_check::LogCheck;
use crate::log_spec::LogSpec;
use crate::raw_line::RawLine;
use crate::replay::Replay;
use crate::search::{Reductions, Search, SearchEnd};

/// A search that has ended.
pub(crate) struct Attempt<'s> {
    pub search: Search<'s>,
    pub expander: Expander<'s>,
    pub replay: Replay<'s>,
    pub end: SearchEnd,
}

/// What an attempt reports to, and asks.
pub(crate) struct Listener<'a> {
    /// Told of every line that is explained for the first time.
    pub on_line: &'a mut dyn FnMut(u32),
    /// Asked whether more lines may come, when all are explained.
    pub wait: &'a mut dyn FnMut() -> bool,
}

/// How many states an attempt to explain lines in one order may visit: a few for each line, so that it costs little where it fails.
fn states_in_one_order(lines: usize) -> u64 {
    4 * lines as u64 + 1_024
}

impl<'s> Attempt<'s> {
    /// Searches for an explanation, and replays it.
    ///
    /// # Errors
    /// If a line has no meaning, an evaluation fails, or the explanation is none.
    pub fn new(
        check: &LogCheck,
        spec: &'s LogSpec,
        lines: Lines<'s>,
        evaluator: &dyn Fn() -> Evaluator<'s>,
        watch: &mut LimitWatch,
        most: Option<u64>,
        listener: Listener<'_>,
    ) -> Result<Self, LogError> {
        let mut expander = if check.is_naive {
            Expander::plain(spec, evaluator())
        } else {
            Expander::new(spec, evaluator())
        };
        let mut replay = Replay::new(Expander::plain(spec, evaluator()));
        let reductions = Reductions {
            interchange: check.uses_interchange && !check.is_naive,
            independence: check.uses_independence && !check.is_naive,
            hidden: check.leaves_out_hidden && !check.is_naive,
        };
        let mut search = Search::new(lines, &mut expander, reductions);
        let start: Cut = SmallVec::from_elem(0, search.lines.chains());
        for state in &spec.initial {
            if expander.is_allowed(state)? {
                search.begin(state.clone(), start.clone(), spec.hidden.len());
            }
        }
        let mut end = loop {
            let end = search.run(&mut expander, &mut replay, watch, most, &mut *listener.on_line);
            match end {
                Ok(SearchEnd::Accepted) if (listener.wait)() || search.lines.close() => {}
                // An evaluation that was ended by the deadline.
                Err(LogError::Evaluation { .. }) if watch.reached().is_some() => {
                    break SearchEnd::Limited(watch.reached().unwrap_or(Limit::Time));
                }
                end => break end?,
            }
        };
        if let (SearchEnd::Accepted, Some(accepted)) = (end, search.accepted.take()) {
            replay.follow(&accepted.path(), &search.lines)?;
            if replay.problem.is_some()
                && let Some(limit) = watch.reached()
            {
                end = SearchEnd::Limited(limit);
            }
        }
        Ok(Self {
            search,
            expander,
            replay,
            end,
        })
    }

    /// Tries to explain lines in the order in which they are numbered, which is one of those that are allowed; `None` if that fails or takes more
    /// than a few states a line.
    ///
    /// A log whose order is partial may be explained in any order that respects it, so an explanation in this one is an explanation. Mostly the
    /// lines were written in about the order of their steps, and then this needs one state a line, where a search over all orders may visit
    /// many. Where there is no such explanation, this says nothing.
    ///
    /// # Errors
    /// If an explanation that was found is none.
    pub fn in_one_order(
        check: &LogCheck,
        spec: &'s LogSpec,
        lines: &[RawLine],
        left_out: u64,
        evaluator: &dyn Fn() -> Evaluator<'s>,
        watch: &mut LimitWatch,
    ) -> Result<Option<Self>, LogError> {
        let most = states_in_one_order(lines.len());
        let most = check.limits.configurations.map_or(most, |limit| limit.min(most));
        let lines = Lines::in_memory(spec, lines.to_vec(), LineOrder::total(lines.len()), left_out);
        let listener = Listener {
            on_line: &mut |_| {},
            wait: &mut || false,
        };
        match Self::new(check, spec, lines, evaluator, watch, Some(most), listener) {
            Ok(attempt) if attempt.end == SearchEnd::Accepted => Ok(Some(attempt)),
            Err(error @ LogError::Internal(_)) => Err(error),
            // What fails in this order need not come to that in another.
            _ => Ok(None),
        }
    }
}
