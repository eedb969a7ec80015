//! Small edits that may mend a spec, the likeliest first.
//!
//! They undo what a slip of the hand does: a name or a symbol that is missing, one too many, in the wrong place or in
//! place of another; a prime, a parameter, an EXTENDS, the head of a definition. Where the mistakes are is known about
//! (at the errors and the further places they show), so only what stands around those is edited.

use super::edit::Edit;
use super::loader::Loaded;
use super::search_path::{SearchPath, read_text};
use crate::diagnostic::Class;
use crate::source::{SourceId, Span};
use crate::syntax::operators::{Fixity, Op};
use crate::syntax::token::{Keyword, Token, TokenKind};
use crate::syntax::tokenize;

/// How far from an error a symbol may be that is edited, in tokens.
const REACH: usize = 4;

/// How far from the first error a symbol may be missing.
const MISSING_REACH: usize = 2;

/// How many primes of a definition are looked at.
const MAX_PRIMES: usize = 24;

/// How many files next to the spec are looked at, how long one may be, and how many modules are tried.
const MAX_FILES: usize = 64;
const MAX_FILE_BYTES: u64 = 256 * 1024;
const MAX_MODULES: usize = 4;

/// What may be missing where a text cannot be parsed. Nothing here ends a module or begins a proof or a comment.
const SYMBOLS: [&str; 22] = [
    "TRUE", ",", ")", "(", "]", "[", "}", "{", ">>", "<<", "==", ":", "=", "\\in", "/\\", "THEN", "ELSE",
    "IN", "LET", "IF", "|->", "->",
];

/// The modules that may be meant where another one is extended.
const USUAL: &str = "Integers, Sequences, FiniteSets, TLC";

/// A text with errors in it.
struct Text<'l> {
    source: SourceId,
    text: &'l str,
    tokens: Vec<Token>,
    /// Where the errors are.
    errors: Vec<Span>,
    /// The further places that they show.
    labels: Vec<Span>,
    /// Whether something has a name that is taken.
    is_taken: bool,
    /// The names that nothing defines, as far as they have errors of their own.
    unknown: Vec<Span>,
    /// The names that nothing defines.
    missing: Vec<Span>,
}

/// The edits to be tried on a spec with the given errors.
pub(super) fn repairs(loaded: &Loaded, errors: &[usize], search: &SearchPath) -> Vec<Edit> {
    let mut edits = Vec::new();
    let texts = texts(loaded, errors);
    let is_parsed = loaded.spec.root.is_some();
    for text in &texts {
        if is_parsed {
            text.other_names(&mut edits);
            text.parameters(&mut edits);
            text.primes(&mut edits);
            text.modules(search, &mut edits);
            text.heads(&mut edits);
        }
        text.comments(&mut edits);
        text.symbols(is_parsed, &mut edits);
    }
    let mut known = rustc_hash::FxHashSet::default();
    edits.retain(|edit| known.insert(edit.clone()));
    edits
}

fn texts<'l>(loaded: &'l Loaded, errors: &[usize]) -> Vec<Text<'l>> {
    let mut texts: Vec<Text> = Vec::new();
    let errors = || errors.iter().filter_map(|number| loaded.diagnostics.get(*number));
    for error in errors() {
        let known = texts.iter().position(|text| text.source == error.source);
        let at = known.unwrap_or_else(|| {
            let text = loaded.spec.sources.get(error.source).text();
            texts.push(Text {
                source: error.source,
                text,
                tokens: tokenize(error.source, text, 0, &mut Vec::new()),
                errors: Vec::new(),
                labels: Vec::new(),
                is_taken: false,
                unknown: Vec::new(),
                missing: Vec::new(),
            });
            texts.len() - 1
        });
        let Some(text) = texts.get_mut(at) else { continue };
        text.errors.push(error.span);
        text.is_taken |= error.class == Class::Redefined;
        if error.class == Class::Undefined {
            text.unknown.push(error.span);
            let labels = error.labels.iter().filter(|label| label.source == error.source);
            let labels = labels.map(|label| label.span);
            text.missing.extend(std::iter::once(error.span).chain(labels));
        }
    }
    for label in errors().flat_map(|error| &error.labels) {
        if let Some(text) = texts.iter_mut().find(|text| text.source == label.source) {
            text.labels.push(label.span);
        }
    }
    texts
}

impl Text<'_> {
    fn word(&self, token: &Token) -> &str {
        self.slice(token.span())
    }

    fn slice(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// The module's own name.
    fn name(&self) -> Option<&str> {
        let name = self
            .tokens
            .iter()
            .find(|token| token.kind == TokenKind::Identifier);
        name.map(|token| self.word(token))
    }

    fn position(&self, is_wanted: impl Fn(&Token) -> bool) -> Option<usize> {
        self.tokens.iter().position(is_wanted)
    }

    /// The number of the first token that ends after a byte.
    fn token_at(&self, start: u32) -> usize {
        self.tokens.partition_point(|token| token.end <= start)
    }

    /// Notes an edit, unless it changes nothing or would begin a comment.
    fn edit(&self, span: Span, new: &str, edits: &mut Vec<Edit>) {
        let last = self
            .text
            .get(..span.start as usize)
            .and_then(|text| text.chars().next_back());
        let next = self
            .text
            .get(span.end as usize..)
            .and_then(|text| text.chars().next());
        let seam: String = last.into_iter().chain(new.chars()).chain(next).collect();
        if self.slice(span) != new && !seam.contains("(*") && !seam.contains("\\*") {
            edits.push(Edit {
                source: self.source,
                span,
                new: new.to_owned(),
            });
        }
    }

    /// What stands where an error points should have had a name that is missing.
    fn other_names(&self, edits: &mut Vec<Edit>) {
        for unknown in &self.unknown {
            for place in self.errors.iter().chain(&self.labels) {
                let token = self.tokens.get(self.token_at(place.start));
                let token = token.filter(|token| token.kind == TokenKind::Identifier);
                if let Some(token) = token {
                    self.edit(token.span(), self.slice(*unknown), edits);
                }
            }
        }
    }

    /// The definitions that a place is in, the innermost first: the first token of each.
    fn definitions_around(&self, start: u32) -> impl Iterator<Item = usize> {
        let mut column = u32::MAX;
        let end = (self.token_at(start) + 1).min(self.tokens.len());
        let before = self.tokens.get(..end).unwrap_or(&[]).iter().enumerate().rev();
        before
            .filter(move |(_, token)| {
                let is_around = token.begins_definition && token.column < column;
                if is_around {
                    column = token.column;
                }
                is_around
            })
            .map(|(at, _)| at)
    }

    /// A name that is missing should have been a parameter.
    fn parameters(&self, edits: &mut Vec<Edit>) {
        for unknown in &self.unknown {
            let name = self.slice(*unknown);
            for at in self.definitions_around(unknown.start) {
                let Some(next) = self.tokens.get(at + 1) else {
                    continue;
                };
                let after = Span::new(next.end, next.end);
                let before = self.tokens.get(at).map_or(0, |token| token.end);
                match next.kind {
                    TokenKind::ParenOpen => self.edit(after, &format!("{name}, "), edits),
                    TokenKind::Define => self.edit(Span::new(before, before), &format!("({name})"), edits),
                    _ => {}
                }
            }
        }
    }

    /// A prime too many.
    fn primes(&self, edits: &mut Vec<Edit>) {
        for place in &self.errors {
            let outermost = self.definitions_around(place.start).last();
            let tokens = self.tokens.iter().skip(outermost.unwrap_or(0));
            let unit = tokens
                .enumerate()
                .take_while(|(at, token)| *at == 0 || !token.begins_definition || token.column > 0);
            let primes = unit.filter(|(_, token)| token.operator() == Some(Op::Prime));
            for (_, prime) in primes.take(MAX_PRIMES) {
                self.edit(prime.span(), "", edits);
            }
        }
    }

    /// A symbol too many, in the wrong place or missing.
    fn symbols(&self, is_parsed: bool, edits: &mut Vec<Edit>) {
        for distance in 0..=REACH {
            for place in &self.errors {
                let at = self.token_at(place.start);
                let near = [at.checked_sub(distance), at.checked_add(distance)];
                for at in near.into_iter().flatten() {
                    self.without(at, edits);
                    self.swapped(at, edits);
                }
            }
        }
        let Some(first) = self.errors.iter().map(|error| error.start).min() else {
            return;
        };
        let at = self.token_at(first);
        for distance in (0..=MISSING_REACH).filter(|_| !is_parsed) {
            let near = [at.checked_sub(distance), at.checked_add(distance)];
            for token in near.into_iter().flatten().filter_map(|at| self.tokens.get(at)) {
                for symbol in SYMBOLS {
                    let before = Span::new(token.start, token.start);
                    self.edit(before, &format!("{symbol} "), edits);
                    if !is_module_border(token) {
                        self.edit(token.span(), &format!(" {symbol} "), edits);
                    }
                }
            }
        }
    }

    fn without(&self, at: usize, edits: &mut Vec<Edit>) {
        let Some(token) = self.tokens.get(at).filter(|token| token.end > token.start) else {
            return;
        };
        // With the blanks after it, so that what follows comes to stand where it stood before.
        let rest = self.text.get(token.end as usize..).unwrap_or("");
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        self.edit(Span::new(token.start, token.end + blanks as u32), "", edits);
    }

    fn swapped(&self, at: usize, edits: &mut Vec<Edit>) {
        let (Some(token), Some(next)) = (self.tokens.get(at), self.tokens.get(at + 1)) else {
            return;
        };
        if is_module_border(token) || is_module_border(next) {
            return;
        }
        let between = self.slice(Span::new(token.end, next.start));
        let new = format!("{}{between}{}", self.word(next), self.word(token));
        self.edit(token.span().to(next.span()), &new, edits);
    }

    /// The beginning of a comment of which only the end is there.
    fn comments(&self, edits: &mut Vec<Edit>) {
        let Some(first) = self.errors.iter().map(|place| place.start).min() else {
            return;
        };
        let after = self.tokens.get(self.token_at(first)..).unwrap_or(&[]);
        let ends = |pair: &[Token]| match pair {
            [times, close] => self.slice(times.span().to(close.span())) == "*)",
            _ => false,
        };
        if after.windows(2).any(ends) {
            edits.push(Edit {
                source: self.source,
                span: Span::new(first, first),
                new: "(* ".to_owned(),
            });
        }
    }

    /// A module that should not be extended, or one next to the spec that should be used.
    fn modules(&self, search: &SearchPath, edits: &mut Vec<Edit>) {
        let extends = self.position(|token| token.kind == TokenKind::Keyword(Keyword::Extends));
        let listed = extends.map_or(&[][..], |at| self.tokens.get(at + 1..).unwrap_or(&[]));
        let is_listed = |token: &&Token| matches!(token.kind, TokenKind::Identifier | TokenKind::Comma);
        let listed = listed
            .iter()
            .take_while(is_listed)
            .filter(|token| token.kind == TokenKind::Identifier);
        for token in listed.clone().filter(|_| self.is_taken) {
            self.edit(token.span(), USUAL, edits);
        }
        let Some(first) = self.unknown.first() else { return };
        for module in self.neighbours(search) {
            if let Some(last) = listed.clone().last() {
                self.edit(Span::new(last.end, last.end), &format!(", {module}"), edits);
            }
            let unit = self.definitions_around(first.start).last();
            if let Some(unit) = unit.and_then(|at| self.tokens.get(at)) {
                let before = Span::new(unit.start, unit.start);
                self.edit(before, &format!("INSTANCE {module}\n"), edits);
            }
        }
    }

    /// The modules next to the spec that mention the most of the names that are missing.
    fn neighbours(&self, search: &SearchPath) -> Vec<String> {
        let mut found: Vec<(usize, String)> = Vec::new();
        for path in search.neighbours().into_iter().take(MAX_FILES) {
            let module = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let module = module.filter(|module| Some(module.as_str()) != self.name());
            let is_short = std::fs::metadata(&path).is_ok_and(|file| file.len() <= MAX_FILE_BYTES);
            let text = read_text(&path).ok().filter(|_| is_short);
            let (Some(module), Some(text)) = (module, text) else {
                continue;
            };
            let names = self.missing.iter().map(|span| self.slice(*span));
            let mentioned = names.filter(|name| text.contains(name)).count();
            if mentioned > 0 {
                found.push((mentioned, module));
            }
        }
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found
            .into_iter()
            .take(MAX_MODULES)
            .map(|(_, module)| module)
            .collect()
    }

    /// The head of a definition whose rest continues the one before.
    fn heads(&self, edits: &mut Vec<Edit>) {
        for unknown in &self.unknown {
            let name = self.slice(*unknown);
            for place in self.errors.iter().filter(|place| *place != unknown) {
                let Some(first) = self.definitions_around(place.start).last() else {
                    continue;
                };
                let until = self.token_at(place.start);
                let inside = self.tokens.get(first + 1..=until).unwrap_or(&[]);
                for token in inside.iter().filter(|token| self.begins_line(token)) {
                    let is_infix = token.operator().is_some_and(|op| op.fixity() == Fixity::Infix);
                    let before = Span::new(token.start, token.start);
                    match token.operator() {
                        Some(_) if token.bullet => self.edit(before, &format!("{name} == "), edits),
                        Some(_) if is_infix => self.edit(before, &format!("{name} == {{}} "), edits),
                        _ => {}
                    }
                }
            }
        }
    }

    fn begins_line(&self, token: &Token) -> bool {
        let before = self.text.get(..token.start as usize).unwrap_or("");
        before.trim_end_matches([' ', '\t']).ends_with('\n')
    }
}

/// Whether a token begins or ends a module, so that what it stands before or after may not be read at all.
fn is_module_border(token: &Token) -> bool {
    matches!(
        token.kind,
        TokenKind::ModuleStart | TokenKind::ModuleEnd | TokenKind::End
    )
}
