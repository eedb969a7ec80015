//! The part of a text that an edit can spoil, to be parsed alone before the whole is.
//!
//! Most edits that are tried make nonsense of the definition they are in. That is seen from this definition alone, which
//! is a fiftieth of a long spec; so hundreds of edits cost no more than a few readings of the whole.

use super::edit::Edit;
use super::skeleton::skeleton;
use super::spoilt_text::SpoiltText;
use super::work_of;
use crate::diagnostic::Diagnostic;
use crate::names::Names;
use crate::source::{SourceId, Span};
use crate::syntax::parser::parse;
use crate::syntax::token::{Keyword, Token, TokenKind};

/// The head of a definition has no more tokens than this, or is taken for its name alone.
const HEAD_TOKENS: usize = 64;

/// What a part that does not begin with its module's first line is put after.
const MODULE: &str = "---- MODULE M ----\n";

/// What a part that does not have its module's last line is put before; twice, since a module inside it may have begun.
const END: &str = "\n====\n====\n";

/// Where a text can be cut: before what begins something new at the left margin, and after a module in it.
pub(super) fn cuts(tokens: &[Token]) -> Vec<Cut> {
    let cut = |(number, token): (usize, &Token)| match token.kind {
        TokenKind::ModuleEnd => Some(Cut {
            at: token.end,
            head_end: token.end,
            is_border: true,
        }),
        kind => (token.column == 0 && begins_unit(token)).then_some(Cut {
            at: token.start,
            head_end: match token.begins_definition {
                true => head_end(tokens.get(number..).unwrap_or(&[])),
                false => token.start + 1,
            },
            is_border: kind == TokenKind::ModuleStart,
        }),
    };
    tokens.iter().enumerate().filter_map(cut).collect()
}

/// Where the head of a definition that begins these tokens ends: with its `==`.
fn head_end(tokens: &[Token]) -> u32 {
    let mut head = tokens.iter().take(HEAD_TOKENS);
    let define = head.find(|token| token.kind == TokenKind::Define);
    define.or(tokens.first()).map_or(0, |token| token.end)
}

/// A place where a text can be cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub at: u32,
    /// Where the head of what begins there ends. Without its head, what is there belongs to what is before.
    head_end: u32,
    /// Whether a module begins or has ended there: what is before it does not belong to what is after it.
    is_border: bool,
}

fn begins_unit(token: &Token) -> bool {
    let is_unit_word = matches!(
        token.kind,
        TokenKind::ModuleStart
            | TokenKind::Separator
            | TokenKind::Keyword(
                Keyword::Constant
                    | Keyword::Variable
                    | Keyword::Assumption
                    | Keyword::Axiom
                    | Keyword::Theorem
                    | Keyword::Proposition
                    | Keyword::Local
                    | Keyword::Recursive
            )
    );
    is_unit_word || token.begins_definition
}

/// What an edit changes, as far as the part of the text that it is in tells.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// The text cannot be parsed any more.
    Nonsense,
    /// The inside of definitions in a part of the text.
    Inside(Span),
    /// Perhaps what other parts of the text mean.
    Anywhere,
}

impl SpoiltText<'_> {
    /// What an edit changes. What is read to find out is taken from the budget.
    pub fn effect(&self, edit: &Edit, budget: &mut usize) -> Effect {
        let window = self.window(edit.span);
        let known = self.skeletons.borrow().get(&window).cloned();
        let before = known.unwrap_or_else(|| {
            let skeleton = self.skeleton_of(window, self.slice(window), budget);
            self.skeletons.borrow_mut().insert(window, skeleton.clone());
            skeleton
        });
        let moved = Edit {
            span: Span::new(
                edit.span.start.saturating_sub(window.start),
                edit.span.end.saturating_sub(window.start),
            ),
            ..edit.clone()
        };
        let edited = moved.applied(self.slice(window));
        let after = edited.and_then(|edited| self.skeleton_of(window, &edited, budget));
        match (before, after) {
            // Cut in the wrong place: the part alone tells nothing.
            (None, _) if self.is_parsed => Effect::Anywhere,
            (_, None) => Effect::Nonsense,
            (Some(before), Some(after)) if before == after => Effect::Inside(window),
            _ => Effect::Anywhere,
        }
    }

    /// The skeleton of a part of the text with the given words for it, if it can be parsed.
    fn skeleton_of(&self, window: Span, words: &str, budget: &mut usize) -> Option<String> {
        let begin = if window.start > 0 { MODULE } else { "" };
        let is_cut = (window.end as usize) < self.text.len();
        let part = [begin, words, if is_cut { END } else { "" }].concat();
        let mut names = Names::default();
        let mut diagnostics = Vec::new();
        let tree = parse(self.source, &part, &mut names, &mut diagnostics);
        *budget = budget.saturating_sub(work_of(&tree, &part));
        let is_parsed = !diagnostics.iter().any(Diagnostic::is_error);
        is_parsed.then(|| skeleton(&tree, &names, &part))
    }

    /// Whether everything that cannot be parsed is near an edit. What is further away is parsed as before, because the
    /// next definition begins something new whatever is before it.
    pub fn is_near_all_errors(&self, edit: &Edit) -> bool {
        let (before, after) = self.cuts_around(edit.span);
        let start = before.checked_sub(3).and_then(|at| self.cuts.get(at));
        let end = self.cuts.get(after + 2);
        self.errors.iter().all(|error| {
            start.is_none_or(|cut| cut.at <= error.start) && end.is_none_or(|cut| error.start < cut.at)
        })
    }

    /// How many cuts are before an edit, and before its end.
    fn cuts_around(&self, span: Span) -> (usize, usize) {
        let before = self.cuts.partition_point(|cut| cut.at <= span.start);
        let after = self.cuts.partition_point(|cut| cut.at <= span.end);
        (before, after)
    }

    /// What an edit is in, with what is before if it is in the head of that.
    fn window(&self, span: Span) -> Span {
        let (before, after) = self.cuts_around(span);
        let before = self.cuts.get(..before).unwrap_or(&[]);
        let start = match before {
            // The module's own first line is not to stand inside another.
            [] | [_] => 0,
            [.., last] if last.is_border || last.head_end < span.start => last.at,
            [_, _] => 0,
            [.., last, _] => last.at,
        };
        let end = self.cuts.get(after).map(|cut| cut.at);
        Span::new(start, end.unwrap_or(self.text.len() as u32))
    }
}

/// Whether a whole module can be parsed. What is read to find out is taken from the budget.
pub(super) fn can_be_parsed(source: SourceId, text: &str, budget: &mut usize) -> bool {
    let mut diagnostics = Vec::new();
    let tree = parse(source, text, &mut Names::default(), &mut diagnostics);
    *budget = budget.saturating_sub(work_of(&tree, text));
    !diagnostics.iter().any(Diagnostic::is_error)
}
