//! More random matrices, for as long as there is time.
//!
//! A bug that needs three threads, and certain calls of each, is in few matrices: how many are checked decides whether it is found. What
//! was asked for is checked first, however long that takes, and is what the answer is about. Then come as many random matrices again,
//! and again, until the time is up or there are no more. That time is up makes no answer unknown: a matrix that was begun and not
//! finished then is not counted.

use std::ops::ControlFlow;

use omnilink_evidence::Limit;
use omnilink_sched::StopConditions;

use super::Campaign;
use crate::check::check_matrix;
use crate::lineup_error::LineupError;
use crate::matrices::{Matrices, Part};
use crate::options::LineupOptions;
use crate::request::Request;
use crate::verdict::MatrixVerdict;

impl Campaign<'_> {
    /// Checks more random matrices of the shapes that were asked for.
    pub(super) fn check_further(&mut self, matrices: &Matrices) -> Result<(), LineupError> {
        let Some(until) = self.request.options.more_until else {
            return Ok(());
        };
        let stop = self.request.options.stop;
        let options = LineupOptions {
            stop: StopConditions {
                deadline: Some(stop.deadline.map_or(until, |deadline| deadline.min(until))),
                ..stop
            },
            ..*self.request.options
        };
        let request = Request {
            options: &options,
            ..self.request
        };
        let mut parts = matrices.parts();
        loop {
            parts = parts.into_iter().filter_map(Part::following).collect();
            let mut drawn = 0;
            for part in &parts {
                match self.check_following(request, *part)? {
                    ControlFlow::Continue(more) => drawn += more,
                    ControlFlow::Break(()) => return Ok(()),
                }
            }
            // Either there are no random ones, or all of them have been checked.
            if drawn == 0 {
                return Ok(());
            }
        }
    }

    /// Checks the matrices of one part and returns their number, or breaks when there is no reason to go on.
    fn check_following(
        &mut self,
        request: Request<'_>,
        part: Part<'_>,
    ) -> Result<ControlFlow<(), u64>, LineupError> {
        let mut drawn = 0;
        for matrix in part.all(request.alphabet, request.options.seed) {
            match request.options.reached() {
                Some(Limit::Time) => return Ok(ControlFlow::Break(())),
                Some(limit) => {
                    self.stop(limit);
                    return Ok(ControlFlow::Break(()));
                }
                None => drawn += 1,
            }
            if self.has_unresponsive_call(&matrix) {
                continue;
            }
            let checked = check_matrix(self.executor, request, &matrix, self.tick)?;
            self.summary.executions += checked.executions();
            match checked.verdict {
                MatrixVerdict::Passed => {
                    self.summary.further += 1;
                    (self.seen)(&checked, true);
                    self.summary.seconds = self.started.elapsed().as_secs_f64();
                }
                // Nothing follows from it, and nothing was promised about it.
                MatrixVerdict::Unknown(_) => {}
                MatrixVerdict::Violation(_) | MatrixVerdict::Nondeterministic(_) => {
                    self.summary.matrices += 1;
                    self.settle(checked, true, &mut 0)?;
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(drawn))
    }
}
