//! A long text without what its errors have nothing to do with, so that edits can be tried on it at the cost of a short
//! one.
//!
//! What stands between two cuts ([`super::window`]) is a piece: a definition, a declaration, a theorem. Kept are the
//! module's first and last lines, all declarations and instances, the pieces that the errors show and those around
//! them, what these use, and whoever uses what they are about: as much of it as [`MAX_KEPT_BYTES`] allow, the nearest
//! first. Of other definitions that what is kept uses, there is the head only, and everything else is gone.
//!
//! That is not the same spec. So it serves only if exactly the same errors are there, and an edit that helps on it is
//! tried on the whole spec before it counts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::edit::Edit;
use super::spoilt_text::SpoiltText;
use crate::source::Span;
use crate::syntax::token::{Keyword, Token, TokenKind};

/// How much is kept of what the errors have to do with, without heads.
const MAX_KEPT_BYTES: usize = 24 * 1024;

/// How many pieces before and after one with an error may have to do with it.
const AROUND: usize = 2;

/// What a definition says of which only the head is kept.
const ANY_BODY: &str = " TRUE\n";

/// A part of a text that is kept.
#[derive(Debug)]
struct Part {
    /// Where it is in the whole text.
    whole: Span,
    /// Where it begins in the reduced text.
    start: u32,
}

impl Part {
    /// Where it ends in the reduced text.
    fn end(&self) -> u32 {
        self.start + (self.whole.end - self.whole.start)
    }
}

/// A text of which parts are left out.
#[derive(Debug)]
pub(super) struct Reduced {
    pub text: String,
    parts: Vec<Part>,
}

impl Reduced {
    fn push(&mut self, text: &SpoiltText, whole: Span) {
        let start = self.text.len() as u32;
        self.text.push_str(text.slice(whole));
        match self.parts.last_mut() {
            // Pieces that follow each other are one part, so that an edit may touch both.
            Some(last) if last.whole.end == whole.start && last.end() == start => last.whole.end = whole.end,
            _ => self.parts.push(Part { whole, start }),
        }
    }

    /// Where a byte of the reduced text is in the whole text; `None` for what is not from there.
    pub fn whole(&self, at: u32) -> Option<u32> {
        let part = self.part_at(at).filter(|part| at <= part.end())?;
        Some(part.whole.start + (at - part.start))
    }

    fn part_at(&self, at: u32) -> Option<&Part> {
        let after = self.parts.partition_point(|part| part.start <= at);
        self.parts.get(after.checked_sub(1)?)
    }

    /// An edit of the reduced text as one of the whole text; `None` if it touches more than one part.
    pub fn whole_edit(&self, edit: &Edit) -> Option<Edit> {
        let part = self.part_at(edit.span.start)?;
        let is_inside = edit.span.end <= part.end();
        let whole = |at: u32| part.whole.start + (at - part.start);
        is_inside.then(|| Edit {
            span: Span::new(whole(edit.span.start), whole(edit.span.end)),
            ..edit.clone()
        })
    }
}

/// What stands between two cuts.
#[derive(Debug)]
struct Piece {
    whole: Span,
    /// The numbers of its tokens.
    tokens: std::ops::Range<usize>,
}

impl SpoiltText<'_> {
    /// The text without what the errors have nothing to do with.
    pub fn reduced(&self) -> Reduced {
        let pieces = self.pieces();
        let uses = Uses::of(self, &pieces);
        let kept = self.kept(&pieces, &uses);
        let headed = self.headed(&pieces, &uses, &kept);
        let mut reduced = Reduced {
            text: String::new(),
            parts: Vec::new(),
        };
        for (number, piece) in pieces.iter().enumerate() {
            if kept.contains(&number) {
                reduced.push(self, piece.whole);
            } else if let (true, [first, .., last]) = (headed.contains(&number), self.head_of(piece)) {
                reduced.push(self, first.span().to(last.span()));
                let is_definition = last.kind == TokenKind::Define;
                reduced.text.push_str(if is_definition { ANY_BODY } else { "\n" });
            }
        }
        reduced
    }

    fn pieces(&self) -> Vec<Piece> {
        let mut starts: Vec<u32> = self.cuts.iter().map(|cut| cut.at).collect();
        // What is before the first cut belongs to the first line of the module, and what is after the module's end may
        // be another module.
        if let Some(first) = starts.first_mut() {
            *first = 0;
        }
        let ends = starts.iter().skip(1).copied().chain([self.text.len() as u32]);
        let spans = starts.iter().zip(ends).map(|(start, end)| Span::new(*start, end));
        spans
            .map(|whole| {
                let first = self.tokens.partition_point(|token| token.start < whole.start);
                let last = self.tokens.partition_point(|token| token.start < whole.end);
                Piece {
                    whole,
                    tokens: first..last,
                }
            })
            .collect()
    }

    fn tokens_of(&self, piece: &Piece) -> &[Token] {
        self.tokens.get(piece.tokens.clone()).unwrap_or(&[])
    }

    /// What is needed of a piece by those that only use what it introduces: the head of a definition with its `==`, or
    /// the whole of what announces one.
    fn head_of(&self, piece: &Piece) -> &[Token] {
        let tokens = self.tokens_of(piece);
        let is_define = |token: &Token| token.kind == TokenKind::Define;
        match tokens
            .iter()
            .position(is_define)
            .filter(|_| self.introduced(piece).is_some())
        {
            Some(define) => tokens.get(..=define).unwrap_or(tokens),
            None if announces(tokens) => tokens,
            None => &[],
        }
    }

    /// The name or symbol that a definition introduces.
    fn introduced(&self, piece: &Piece) -> Option<&str> {
        let tokens = self.tokens_of(piece);
        let rest = match tokens {
            [local, rest @ ..] if local.kind == TokenKind::Keyword(Keyword::Local) => rest,
            _ => tokens,
        };
        match rest {
            [first, ..] if !first.begins_definition => None,
            [operand, symbol, ..] if symbol.operator().is_some() && operand.operator().is_none() => {
                Some(self.word(symbol))
            }
            [name, ..] => Some(self.word(name)),
            [] => None,
        }
    }

    /// Whether a piece is kept whatever the errors are: what it introduces is not found by its head, or is needed to read
    /// the rest.
    fn is_always_kept(&self, piece: &Piece) -> bool {
        let tokens = self.tokens_of(piece);
        let is_needed = |token: &Token| {
            matches!(
                token.kind,
                TokenKind::ModuleStart
                    | TokenKind::ModuleEnd
                    | TokenKind::End
                    | TokenKind::Keyword(Keyword::Instance | Keyword::Constant | Keyword::Variable)
            )
        };
        tokens.is_empty() || tokens.iter().any(is_needed)
    }

    /// The pieces that are kept as they are.
    fn kept(&self, pieces: &[Piece], uses: &Uses) -> FxHashSet<usize> {
        // Of a module inside this one it is not known who needs what.
        let mut depth = 0usize;
        let mut kept = FxHashSet::default();
        for (number, piece) in pieces.iter().enumerate() {
            for token in self.tokens_of(piece) {
                match token.kind {
                    TokenKind::ModuleStart => depth += 1,
                    TokenKind::ModuleEnd => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            if depth > 1 || self.is_always_kept(piece) {
                kept.insert(number);
            }
        }
        let places = self.errors.iter().chain(&self.labels);
        let mut shown: Vec<usize> = places
            .map(|place| pieces.partition_point(|piece| piece.whole.end <= place.start))
            .collect();
        shown.sort_unstable();
        shown.dedup();
        let around = shown
            .iter()
            .flat_map(|at| at.saturating_sub(AROUND)..=(at + AROUND).min(pieces.len().saturating_sub(1)));
        let mut pending: Vec<usize> = shown.iter().copied().chain(around).collect();
        pending.extend(self.users(pieces, &shown, uses));
        let mut bytes = 0;
        let mut known = FxHashSet::default();
        let mut at = 0;
        while let Some(number) = pending.get(at).copied() {
            at += 1;
            let Some(piece) = pieces.get(number).filter(|_| known.insert(number)) else {
                continue;
            };
            let is_shown = shown.contains(&number);
            let length = (piece.whole.end - piece.whole.start) as usize;
            if is_shown || bytes + length <= MAX_KEPT_BYTES {
                bytes += length;
                kept.insert(number);
                pending.extend(self.used_by(self.tokens_of(piece), uses));
            }
        }
        kept
    }

    /// The pieces that use what errors point at, if it is missing or defined here, and what the pieces with the errors
    /// introduce.
    fn users(&self, pieces: &[Piece], shown: &[usize], uses: &Uses) -> Vec<usize> {
        let places = self.errors.iter().chain(&self.labels);
        let tokens = places.filter_map(|place| self.token(place.start));
        let named = tokens.filter(|token| token.kind == TokenKind::Identifier);
        let missing: FxHashSet<&str> = self.missing.iter().map(|span| self.slice(*span)).collect();
        let is_global = |word: &&str| missing.contains(word) || uses.introduced_by.contains_key(word);
        let named = named.map(|token| self.word(token)).filter(is_global);
        let introduced = shown
            .iter()
            .filter_map(|number| self.introduced(pieces.get(*number)?));
        let names: FxHashSet<&str> = named.chain(introduced).collect();
        uses.users_of(self, pieces, &names)
    }

    fn used_by(&self, tokens: &[Token], uses: &Uses) -> Vec<usize> {
        let words = tokens.iter().map(|token| self.word(token));
        words
            .flat_map(|word| uses.introduced_by.get(word).into_iter().flatten().copied())
            .collect()
    }

    /// The pieces of which the head is needed: what is kept uses it, or another head does.
    fn headed(&self, pieces: &[Piece], uses: &Uses, kept: &FxHashSet<usize>) -> FxHashSet<usize> {
        let tokens = kept.iter().filter_map(|number| pieces.get(*number));
        let mut pending: Vec<usize> = tokens
            .flat_map(|piece| self.used_by(self.tokens_of(piece), uses))
            .collect();
        let mut headed = FxHashSet::default();
        while let Some(number) = pending.pop() {
            let Some(piece) = pieces.get(number).filter(|_| headed.insert(number)) else {
                continue;
            };
            pending.extend(self.used_by(self.head_of(piece), uses));
        }
        headed
    }
}

/// Whether tokens announce definitions.
fn announces(tokens: &[Token]) -> bool {
    tokens.first().map(|token| token.kind) == Some(TokenKind::Keyword(Keyword::Recursive))
}

/// Which pieces introduce a word.
struct Uses<'t> {
    introduced_by: FxHashMap<&'t str, Vec<usize>>,
}

impl<'t> Uses<'t> {
    fn of(text: &'t SpoiltText, pieces: &[Piece]) -> Self {
        let mut introduced_by: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (number, piece) in pieces.iter().enumerate() {
            let tokens = text.tokens_of(piece);
            let announced = tokens.iter().filter(|token| token.kind == TokenKind::Identifier);
            let announced = announced
                .filter(|_| announces(tokens))
                .map(|token| text.word(token));
            for word in announced.chain(text.introduced(piece)) {
                introduced_by.entry(word).or_default().push(number);
            }
        }
        Self { introduced_by }
    }

    fn users_of(&self, text: &SpoiltText, pieces: &[Piece], names: &FxHashSet<&str>) -> Vec<usize> {
        let uses = |piece: &Piece| {
            let mut tokens = text.tokens_of(piece).iter();
            tokens.any(|token| token.kind == TokenKind::Identifier && names.contains(text.word(token)))
        };
        let pieces = pieces.iter().enumerate();
        pieces
            .filter(|(_, piece)| uses(piece))
            .map(|(number, _)| number)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::repair::edit::Words;
    use crate::source::SourceId;

    #[test]
    fn what_is_kept_is_found_in_the_whole_text_again() {
        // Of "A == 1;B == 22;C == 3;" the head of B is kept, with another body, and all of C.
        let reduced = Reduced {
            text: "B == TRUE\nC == 3;".into(),
            parts: vec![
                Part {
                    whole: Span::new(7, 11),
                    start: 0,
                },
                Part {
                    whole: Span::new(15, 22),
                    start: 10,
                },
            ],
        };
        assert_eq!(
            [0, 3, 7, 10, 15].map(|at| reduced.whole(at)),
            [Some(7), Some(10), None, Some(15), Some(20)]
        );
        let edit = |start, end| Edit {
            source: SourceId(0),
            span: Span::new(start, end),
            new: "x".into(),
            words: Words::Meant,
        };
        let whole = |start, end| Some(reduced.whole_edit(&edit(start, end))?.span);
        assert_eq!(whole(15, 16), Some(Span::new(20, 21)));
        assert_eq!(whole(2, 6), None);
        assert_eq!(whole(3, 12), None);
    }
}
