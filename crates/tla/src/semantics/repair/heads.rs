//! Repairs of definitions whose first line is missing, so that the rest continues the definition before.
//!
//! The rest begins a line with something that continues an expression, and a blank line or a comment is before it: a
//! seam. Those that are nearest to something the errors show come first, since what is odd about the rest is in it, at
//! the definition it was added to, or where the lost name is used.
//!
//! A head is put in at a seam for each name that is missing later. Its parameters are the names that are missing in the
//! rest, but only where there are as many as the later use gives arguments. If that is one, a name that is missing here
//! and one there may be misspelled both; so neither may be nearly a name that could stand in its place.

use super::edit::{Edit, Words};
use super::spoilt_text::SpoiltText;
use crate::diagnostic::is_slip;
use crate::semantics::spec::Spec;
use crate::source::Span;
use crate::syntax::operators::Fixity;
use crate::syntax::token::{Token, TokenKind};

/// How many seams are tried.
const MAX_SEAMS: usize = 24;

/// The name of a definition that nothing uses.
const UNUSED: &str = "OmniLinkLostDefinition";

impl SpoiltText<'_> {
    /// The heads that may be missing.
    pub fn heads(&self, spec: &Spec) -> Vec<Edit> {
        let shown = self.errors.iter().chain(&self.labels).chain(&self.missing);
        let shown: Vec<usize> = shown.map(|place| self.token_at(place.start)).collect();
        let seams = (1..self.tokens.len()).filter(|at| self.is_seam(*at));
        let distance = |seam: usize| shown.iter().map(|place| place.abs_diff(seam)).min();
        let mut seams: Vec<(Option<usize>, usize)> = seams.map(|seam| (distance(seam), seam)).collect();
        seams.sort_unstable();
        seams
            .into_iter()
            .take(MAX_SEAMS)
            .flat_map(|(_, seam)| self.heads_at(seam, spec))
            .collect()
    }

    fn heads_at(&self, seam: usize, spec: &Spec) -> Vec<Edit> {
        let mut edits = Vec::new();
        let rest = self.tokens_from(seam);
        let Some(token) = rest.first() else {
            return edits;
        };
        let next = rest
            .iter()
            .find(|token| token.begins_definition && token.column == 0);
        let end = next.map_or(u32::MAX, |token| token.start);
        let inside = self
            .missing
            .iter()
            .filter(|span| (token.start..end).contains(&span.start));
        let mut inside: Vec<&str> = inside.map(|span| self.slice(*span)).collect();
        inside.sort_unstable();
        inside.dedup();
        for name in self.missing.iter().filter(|span| span.start >= end) {
            let name_at = self.token_at(name.start);
            let name = self.slice(*name);
            let (given, indices) = (self.arguments_after(name_at), self.indices_after(name_at));
            let are_params = |given: usize| match inside.as_slice() {
                [only] => given == 1 && self.are_new(seam, [name, only], spec),
                _ => given == inside.len(),
            };
            if given == 0 {
                edits.extend(self.head(token, name));
            } else if are_params(given) {
                edits.extend(self.head(token, &format!("{name}({})", inside.join(", "))));
            }
            if indices > 0 && are_params(indices) {
                edits.extend(self.head(token, &format!("{name}[{} \\in {{}}]", inside.join(", "))));
            }
        }
        // What was meant as the beginning of an expression has become the arguments of the last name before.
        if token.kind == TokenKind::ParenOpen && !inside.is_empty() {
            edits.extend(self.head(token, &format!("{UNUSED}({})", inside.join(", "))));
        }
        edits
    }

    /// Whether neither a name that is used with one argument nor one in what follows a seam is a misspelled one.
    fn are_new(&self, seam: usize, [used, param]: [&str; 2], spec: &Spec) -> bool {
        let modules = spec.modules.iter();
        let here = modules.filter(|module| spec.tree(module.tree).source == self.source);
        let bindings: Vec<_> = here.flat_map(|module| &module.scope).collect();
        let is_slip_of_known = |name: &str, arity: u32| {
            bindings.iter().any(|(known, binding)| {
                spec.entity(binding.entity).arity == arity && is_slip(name, spec.names.text(**known))
            })
        };
        let around = self.definitions_around(self.tokens.get(seam).map_or(0, |token| token.start));
        let before = self.tokens.get(around.last().unwrap_or(0)..seam).unwrap_or(&[]);
        let names = before.iter().filter(|token| token.kind == TokenKind::Identifier);
        let is_slip_of_neighbour = names
            .map(|token| self.word(token))
            .any(|known| is_slip(param, known));
        !is_slip_of_known(used, 1) && !is_slip_of_known(param, 0) && !is_slip_of_neighbour
    }

    fn head(&self, before: &Token, head: &str) -> Option<Edit> {
        let is_list = before.bullet || before.kind == TokenKind::ParenOpen;
        let operand = if is_list { "" } else { "{}" };
        // On a line of its own, so that the rest stands where it stood.
        let blanks = " ".repeat(before.column as usize);
        self.insertion(
            before.start,
            format!("{head} == {operand}\n{blanks}"),
            Words::Head,
        )
    }

    /// Whether a token continues an expression after blank lines or comments.
    fn is_seam(&self, at: usize) -> bool {
        let [before, token, ..] = self.tokens_from(at - 1) else {
            return false;
        };
        let is_infix = token.operator().is_some_and(|op| op.fixity() == Fixity::Infix);
        let between = self.slice(Span::new(before.end, token.start));
        (is_infix || token.kind == TokenKind::ParenOpen) && between.matches('\n').count() > 1
    }
}
