//! Mistakes at one spot of a text.
//!
//! What is written together was spoilt together: of `F[i-1]` without its bracket, `Fi-1]`, neither half has a meaning.
//! So errors with neither a blank nor more than a symbol between them are one mistake. So are the unknown names of one
//! line: what they have in common is what would have introduced them.

use rustc_hash::FxHashMap;

use super::analyzer::Analyzer;
use super::grouping::Slip;
use super::unknown::Unknown;
use crate::diagnostic::Class;
use crate::names::Name;

/// So many bytes may stand between two errors that are written together.
const MAX_BETWEEN: usize = 2;

/// So many may stand around a minus or a prime that has lost what belongs to it.
const MAX_AROUND_ODD: usize = 4;

impl Analyzer<'_> {
    /// Puts together what is written together.
    pub(super) fn join_spots(&mut self) {
        let mut errors: Vec<usize> = self.said.origins.keys().copied().collect();
        errors.retain(|number| !self.said.gone.contains(number));
        let place = |number: &usize| {
            self.diagnostics
                .get(*number)
                .map(|d| (d.source, d.span.start, d.span.end))
        };
        errors.sort_by_key(|number| (place(number), *number));
        let mut pairs = Vec::new();
        for pair in errors.windows(2) {
            let [a, b] = pair else { continue };
            let (Some(first), Some(second)) = (self.diagnostics.get(*a), self.diagnostics.get(*b)) else {
                continue;
            };
            let text = self.spec.sources.get(first.source).text();
            // Where an operator has no meaning, its whole application is what the error covers.
            let is_inside = second.span.end <= first.span.end;
            let end = if is_inside {
                first.span.start + 1
            } else {
                first.span.end
            };
            let between = text.get(end as usize..second.span.start as usize);
            let begins_odd = |at: u32| {
                text.get(at as usize..)
                    .is_some_and(|text| text.starts_with(['-', '\'']))
            };
            let is_odd = begins_odd(first.span.start) || begins_odd(second.span.start);
            let is_joined = |between: &str| {
                let is_close =
                    !is_inside && between.len() <= MAX_BETWEEN && !between.contains(char::is_whitespace);
                // With a comma put in before a minus, what was subtracted is an argument too many.
                let is_argument = [first.class, second.class].contains(&Class::Arity);
                let is_near = is_argument || between.len() <= MAX_AROUND_ODD;
                is_close || (is_odd && is_near && !between.contains('\n'))
            };
            let is_same = first.span.start == second.span.start
                || first.span.end == second.span.end
                || between.is_some_and(is_joined);
            if first.source == second.source && is_same {
                pairs.push((*a.min(b), *a.max(b)));
            }
        }
        for (first, second) in pairs {
            self.add_to(first, second);
        }
    }

    /// Puts the unknown names of one unit together, where they stand in one line or some are no slips, and none is
    /// certain to be a slip.
    pub(super) fn join_lines(&mut self, unknown: &[Unknown], slips: &FxHashMap<Name, Slip>) {
        let line = |unknown: &Unknown| {
            let diagnostic = self.diagnostics.get(unknown.diagnostic)?;
            let source = self.spec.sources.get(diagnostic.source);
            Some((diagnostic.source, source.line_of(diagnostic.span.start)))
        };
        let is_slip = |unknown: &Unknown| slips.contains_key(&unknown.name);
        let is_certain = |unknown: &&Unknown| self.is_certain(unknown, slips);
        let unknown: Vec<&Unknown> = unknown.iter().filter(|unknown| !is_certain(unknown)).collect();
        let mut pairs = Vec::new();
        for (number, first) in unknown.iter().enumerate() {
            let others = unknown.iter().skip(number + 1);
            let others = others.filter(|other| (other.module, other.unit) == (first.module, first.unit));
            for other in others {
                if !is_slip(first) || !is_slip(other) || line(first) == line(other) {
                    pairs.push((first.diagnostic, other.diagnostic));
                }
            }
        }
        for (first, second) in pairs {
            self.add_to(first.min(second), first.max(second));
        }
    }
}
