//! Names that are used before they are introduced.
//!
//! What one declaration or definition introduces is used too early because that stands too far below, and what one
//! definition uses too early because that stands too far above. Either is one thing in the wrong place, and one mistake,
//! however many names it is about.

use super::analyzer::Analyzer;
use super::unknown::Late;

impl Analyzer<'_> {
    /// Puts together the names that are used too early for one reason.
    pub(super) fn join_too_early(&mut self) {
        let late: Vec<Late> = self
            .said
            .late
            .iter()
            .filter(|late| !late.is_own)
            .copied()
            .collect();
        for (at, later) in late.iter().enumerate() {
            let user = |late: &Late| self.said.origins.get(&late.diagnostic).copied();
            let first = late.iter().take(at).find(|first| {
                let is_same_definition = first.definition == later.definition;
                first.module == later.module && (is_same_definition || user(first) == user(later))
            });
            if let Some(first) = first {
                self.add_to(first.diagnostic, later.diagnostic);
            }
        }
    }
}
