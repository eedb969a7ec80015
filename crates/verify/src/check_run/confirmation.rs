//! A violation is confirmed before it is reported: a plain search, which shares nothing with the first one, decides again.
//!
//! It tries every order of all operations up to the return that has no explanation. Where these are too many, the operations of a long
//! beginning are followed by the sweep, and every order is tried from all explanations that are alive some operations before that
//! return; and then the same for the operations on the same part of the state only.

use omnilink_engine::{
    Conclusion, Consistency, Counterexample, Limit, Limits, LongPrefix, Model, Options, Partitioning,
    PlainSearch, PlainVerdict, TimedOp, check_source, components_of, explain_program_order, followed_in,
};
use omnilink_evidence::Confirmation;
use omnilink_trace::Time;

use super::{CheckEvent, CheckRun};
use crate::error::VerifyError;
use crate::limits::limit_text;

/// The steps of one attempt: about a second where a specification is evaluated.
const STEPS_MAX: u64 = 1 << 18;
/// The numbers of operations, counted back from the return that has no explanation, whose orders are tried.
const WINDOWS: [u64; 3] = [256, 32, 6];
/// A longer history is not tried from its beginning.
const WHOLE_OPS_MAX: u64 = 1 << 16;

/// Which operations take part in an attempt.
struct Attempt<'a> {
    /// Only those on the same part of the state as the one that has no explanation.
    part: Option<(&'a Partitioning, u64)>,
    /// How many are tried in every order; `None`: all.
    window: Option<u64>,
}

/// What came of an attempt.
enum Answer {
    /// There is no explanation.
    Refuted { orders_of: u64, configurations: u64 },
    /// There is one.
    Explained,
    /// Nothing came of it.
    Undecided(String),
}

impl<M: Model> CheckRun<'_, M> {
    /// Decides a violation again.
    ///
    /// # Errors
    /// If the plain search finds an explanation, which is an error in OmniLink; or if the input cannot be read again.
    pub(super) fn confirm(&mut self, counterexample: &Counterexample) -> Result<Confirmation, VerifyError> {
        if self.request.options.consistency == Consistency::Sequential {
            return self.confirm_program_order(counterexample);
        }
        let Some(end) = counterexample.op.end else {
            return Ok(not_confirmed("the operation never returned"));
        };
        let (relevant, target) = self.relevant(end, counterexample.op.id)?;
        let mut reason = format!("{relevant} operations are too many to try every order");
        let limits = self.options().limits;
        let partitioning = components_of(self.model, &self.source, limits)?.into_partitioning();
        let part = target.and_then(|target| partitioning.part_of(&self.model.footprint(&target)));
        let same_part = part.map(|part| Some((&partitioning, part)));
        for part in std::iter::once(None).chain(same_part) {
            let whole = (relevant <= WHOLE_OPS_MAX).then_some(None);
            let windows = WINDOWS.into_iter().filter(|window| *window < relevant).map(Some);
            for window in whole.into_iter().chain(windows) {
                let attempt = Attempt { part, window };
                match self.attempt(&attempt, end, counterexample.op.id, relevant)? {
                    Answer::Refuted {
                        orders_of,
                        configurations,
                    } => {
                        return Ok(Confirmation::Confirmed {
                            search: attempt.describe(orders_of),
                            configurations,
                        });
                    }
                    Answer::Explained => {
                        return Err(self.disagreement(&counterexample.op.text, counterexample.op.end));
                    }
                    Answer::Undecided(why) => reason = why,
                }
            }
        }
        Ok(not_confirmed(&reason))
    }

    /// The number of operations that start before a time, and the operation with a number.
    fn relevant(&self, end: Time, id: u64) -> Result<(u64, Option<M::Op>), VerifyError> {
        let mut history = self.source.history()?;
        let (mut relevant, mut target) = (0, None);
        while let Some(read) = history.next()? {
            if read.operation.timebox.start > end {
                break;
            }
            if relevant == id {
                target = Some(read.operation.op);
            }
            relevant += 1;
        }
        Ok((relevant, target))
    }

    /// Tries every order of some of the operations that start no later than `end`.
    fn attempt(
        &mut self,
        attempt: &Attempt<'_>,
        end: Time,
        id: u64,
        relevant: u64,
    ) -> Result<Answer, VerifyError> {
        let options = self.options();
        let limits = Limits {
            configurations: Some(STEPS_MAX),
            ..options.limits
        };
        let cut = attempt.window.map_or(0, |window| relevant.saturating_sub(window));
        let mut prefix = match cut {
            0 => None,
            _ => {
                if self.followed.is_none() {
                    self.followed = Some(followed_in(&self.source)?);
                }
                let options = Options { limits, ..options };
                Some(LongPrefix::new(self.model, options))
            }
        };
        let mut search = match prefix {
            None => Some(PlainSearch::new(self.model, options.async_threads, limits)),
            Some(_) => None,
        };
        let mut history = self.source.history()?;
        // Numbers of operations among those that take part, because a prefix counts for itself.
        let (mut number, mut taken, mut target) = (0_u64, 0_u64, 0_u64);
        let mut orders_of = 0;
        while let Some(read) = history.next()? {
            let operation: TimedOp<M::Op> = read.operation;
            let position = number;
            number += 1;
            if operation.timebox.start > end {
                break;
            }
            if !attempt.has(&operation, self.model) {
                continue;
            }
            if position == id {
                target = taken;
            }
            if position >= cut
                && let Some(prefix) = prefix.take()
            {
                search = prefix.into_plain(operation.timebox.start, limits);
                if search.is_none() {
                    return Ok(Answer::Undecided(
                        "the beginning has too many explanations".to_owned(),
                    ));
                }
            }
            match (&mut prefix, &mut search) {
                (Some(prefix), _) => {
                    let is_followed = (self.followed.as_ref())
                        .and_then(|followed| followed.get(position as usize).copied())
                        .unwrap_or(true);
                    prefix.push(operation, is_followed)?;
                }
                (None, Some(search)) => {
                    orders_of += 1;
                    if !search.push(taken, operation) {
                        break;
                    }
                }
                (None, None) => break,
            }
            taken += 1;
        }
        let Some(search) = search else {
            return Ok(Answer::Undecided("there is nothing to try".to_owned()));
        };
        Ok(match search.finish_at(end, target) {
            (PlainVerdict::Refuted(_), configurations) => Answer::Refuted {
                orders_of,
                configurations,
            },
            (PlainVerdict::Explained, _) => Answer::Explained,
            (PlainVerdict::Limit(limit), _) => Answer::Undecided(why_not(limit)),
            (PlainVerdict::Failed(failure), _) => Answer::Undecided(format!("the model failed: {failure}")),
            (PlainVerdict::Exceeded(limit), _) => Answer::Undecided(limit),
        })
    }

    /// Decides a violation of sequential consistency again.
    fn confirm_program_order(
        &mut self,
        counterexample: &Counterexample,
    ) -> Result<Confirmation, VerifyError> {
        let options = self.options();
        let limits = Limits {
            configurations: Some(STEPS_MAX),
            ..options.limits
        };
        let mut history = self.source.history()?;
        let mut operations = Vec::new();
        while let Some(read) = history.next()? {
            operations.push(read.operation);
            if operations.len() as u64 > WHOLE_OPS_MAX {
                return Ok(not_confirmed("the history is too long to try every interleaving"));
            }
        }
        let count = operations.len();
        let (verdict, configurations) = explain_program_order(
            self.model,
            self.model.plain_initial(),
            &operations,
            options.async_threads,
            limits,
        );
        Ok(match verdict {
            PlainVerdict::Refuted(_) => Confirmation::Confirmed {
                search: format!("trying every interleaving of all {count} operations"),
                configurations,
            },
            PlainVerdict::Explained => {
                return Err(self.disagreement(&counterexample.op.text, counterexample.op.end));
            }
            PlainVerdict::Limit(limit) => not_confirmed(&why_not(limit)),
            PlainVerdict::Failed(why) | PlainVerdict::Exceeded(why) => not_confirmed(&why),
        })
    }

    /// The error where two searches disagree.
    pub(super) fn disagreement(&mut self, op: &str, end: Option<Time>) -> VerifyError {
        (self.source.observe)(CheckEvent::Disagreement);
        let options = Options {
            naive: true,
            ..self.options()
        };
        let verdict = match check_source(self.model, &self.source, options, false) {
            Ok(outcome) => match outcome.conclusion {
                Conclusion::Valid(_) => "valid".to_owned(),
                Conclusion::Violation(_) => "a violation, at another operation".to_owned(),
                Conclusion::Unknown(_) => "unknown within the limits".to_owned(),
            },
            Err(error) => error.to_string(),
        };
        let kept = self.keep_history(end);
        VerifyError::Disagreement {
            input: self.source.input.name.clone(),
            op: op.to_owned(),
            verdict,
            kept: match kept {
                Ok(path) => format!("{} reproduces it", path.display()),
                Err(error) => format!("the history could not be kept: {error}"),
            },
        }
    }
}

impl Attempt<'_> {
    fn has<M: Model>(&self, operation: &TimedOp<M::Op>, model: &M) -> bool {
        self.part.is_none_or(|(partitioning, part)| {
            partitioning.part_of(&model.footprint(&operation.op)) == Some(part)
        })
    }

    /// What was tried, in words that follow "confirmed by".
    fn describe(&self, orders_of: u64) -> String {
        let whose = match self.part {
            Some(_) => "operations on the same part of the state",
            None => "operations",
        };
        match self.window {
            None => format!("trying every order of all {orders_of} {whose} up to there"),
            Some(_) => format!(
                "trying every order of the last {orders_of} {whose} up to there, from every explanation of those before"
            ),
        }
    }
}

fn why_not(limit: Limit) -> String {
    match limit {
        Limit::Configurations => format!("trying every order takes more than {STEPS_MAX} steps"),
        limit => limit_text(limit),
    }
}

fn not_confirmed(reason: &str) -> Confirmation {
    Confirmation::NotConfirmed {
        reason: reason.to_owned(),
    }
}
