//! Which lines of a file are part of the log.
//!
//! A line that `only`, `skip` or `skip_when` leaves out is gone before anything else looks at lines. It has no place in the order and needs no
//! clock, it is nobody's neighbour, no hidden action happens before it, and no report shows it. A rule that looks at the neighbours of a line
//! sees lines that `skip` and `skip_when` leave out, because it may be about them, but not those that `only` leaves out.

use omnilink_tla::eval::Evaluator;
use rustc_hash::FxHashSet;

use crate::error::LogError;
use crate::formula::LineFormula;
use crate::line_context::LineContext;
use crate::log_spec::LogSpec;
use crate::raw_line::RawLine;

/// Decides which lines are part of the log.
pub(crate) struct LineFilter<'s> {
    spec: &'s LogSpec,
    evaluator: Evaluator<'s>,
    /// How many lines were left out.
    pub left_out: u64,
    /// Events that were.
    skipped: FxHashSet<String>,
}

impl std::fmt::Debug for LineFilter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineFilter")
            .field("left_out", &self.left_out)
            .finish_non_exhaustive()
    }
}

/// The neighbours of a line: the previous and the next line of its node.
pub(crate) type Neighbours<'l> = (Option<&'l RawLine>, Option<&'l RawLine>);

impl<'s> LineFilter<'s> {
    pub fn new(spec: &'s LogSpec, evaluator: Evaluator<'s>) -> Self {
        Self {
            spec,
            evaluator,
            left_out: 0,
            skipped: FxHashSet::default(),
        }
    }

    /// Whether `only` leaves a line in the log, as far as the line alone decides it.
    ///
    /// # Errors
    /// If the rule cannot be evaluated.
    pub fn is_seen(&mut self, line: &RawLine) -> Result<bool, LogError> {
        let is_seen = self.follows(&self.spec.only, true, line, None)?;
        self.left_out += u64::from(!is_seen);
        Ok(is_seen)
    }

    /// Whether a line that is seen is part of the log. `neighbours` are given if rules look at them.
    ///
    /// # Errors
    /// If a rule cannot be evaluated.
    pub fn keeps(&mut self, line: &RawLine, neighbours: Option<Neighbours<'_>>) -> Result<bool, LogError> {
        let spec = self.spec;
        let event = spec.event_of(line);
        let is_skipped = event.as_deref().is_some_and(|event| {
            let is_named = spec.settings.skip.iter().any(|name| name == event);
            is_named || spec.meanings.get(event).is_some_and(|meaning| meaning.skip)
        });
        if let Some(event) = event.filter(|event| is_skipped && !self.skipped.contains(event)) {
            spec.used.took_element("log.skip", &event);
            spec.used.took_event(&event);
            self.skipped.insert(event);
        }
        let keeps = !is_skipped
            && self.follows(&spec.skip_when, false, line, None)?
            && (neighbours.is_none()
                || self.follows(&spec.only, true, line, neighbours)?
                    && self.follows(&spec.skip_when, false, line, neighbours)?);
        self.left_out += u64::from(!keeps);
        Ok(keeps)
    }

    /// Whether there are rules that look at the neighbours of a line.
    pub fn looks_around(&self) -> bool {
        let rules = self.spec.only.iter().chain(&self.spec.skip_when);
        rules.into_iter().any(LineFormula::looks_around)
    }

    /// Whether a rule keeps a line: one that looks at neighbours if these are given, and one that does not if they are not.
    fn follows(
        &mut self,
        rule: &Option<LineFormula>,
        kept_if: bool,
        line: &RawLine,
        neighbours: Option<Neighbours<'_>>,
    ) -> Result<bool, LogError> {
        let spec = self.spec;
        let rule = rule.as_ref();
        let Some(rule) = rule.filter(|rule| rule.looks_around() == neighbours.is_some()) else {
            return Ok(true);
        };
        let (previous, next) = neighbours.unwrap_or_default();
        let context = LineContext::new(spec, line, previous, next);
        match rule.holds(&mut self.evaluator, &context) {
            Ok(holds) => Ok(holds == kept_if),
            Err(failure) => Err(LogError::Evaluation {
                place: line.place.to_string(),
                message: spec.failure_text(&failure),
            }),
        }
    }
}
