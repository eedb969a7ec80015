//! Random mistakes: one edit of a text as a slip of the hand makes it.
//!
//! The same seed gives the same edits on every machine.

use fastrand::Rng;
use omnilink_tla_syntax::source::SourceId;
use omnilink_tla_syntax::token::{Token, TokenKind};
use omnilink_tla_syntax::tokenize;

/// Another word for one token.
pub struct Replacement {
    start: usize,
    end: usize,
    old: String,
    new: String,
}

impl std::fmt::Debug for Replacement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {} `{}` -> `{}`", self.start, self.old, self.new)
    }
}

/// A text with its tokens, to be edited.
pub struct Mutable<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> Mutable<'t> {
    pub fn new(text: &'t str) -> Self {
        let mut tokens = tokenize(SourceId(0), text, 0, &mut Vec::new());
        tokens.retain(|token| token.kind != TokenKind::End);
        Self { text, tokens }
    }

    fn word(&self, token: &Token) -> &'t str {
        self.text
            .get(token.start as usize..token.end as usize)
            .unwrap_or("")
    }

    /// The text with other words from the beginning of one token to the end of another.
    fn with(&self, first: &Token, last: &Token, new: &str) -> String {
        let (start, end) = (first.start as usize, last.end as usize);
        format!("{}{new}{}", &self.text[..start], &self.text[end..])
    }

    fn numbers(&self, wanted: impl Fn(&Token, &str) -> bool) -> Vec<usize> {
        let next = |at: usize| self.tokens.get(at + 1).map_or("", |token| self.word(token));
        let all = self.tokens.iter().enumerate();
        all.filter(|(at, token)| wanted(token, next(*at)))
            .map(|(at, _)| at)
            .collect()
    }

    /// One edit: what was done, and the text after it. None if the edit that was drawn cannot be made here.
    pub fn edited(&self, random: &mut Rng) -> Option<(&'static str, String)> {
        let at = random.usize(..self.tokens.len().max(1));
        let token = self.tokens.get(at)?;
        let word = self.word(token);
        let names: Vec<&Token> = self
            .tokens
            .iter()
            .filter(|t| t.kind == TokenKind::Identifier)
            .collect();
        let name: &Token = random.choice(&names)?;
        let other: &Token = random.choice(&names)?;
        let any = self.word(random.choice(&self.tokens)?);
        let edit = match random.u8(..12) {
            0 => ("forgotten", self.with(token, token, "")),
            1 => ("doubled", self.with(token, token, &format!("{word} {word}"))),
            2 => ("replaced", self.with(token, token, any)),
            3 => ("inserted", self.with(token, token, &format!("{any} {word}"))),
            4 => ("swapped", {
                let next = self.tokens.get(at + 1)?;
                let between = self.text.get(token.end as usize..next.start as usize)?;
                self.with(token, next, &format!("{}{between}{word}", self.word(next)))
            }),
            5 => (
                "misspelled",
                self.with(name, name, &format!("{}Q", self.word(name))),
            ),
            6 => ("another name", self.with(name, name, self.word(other))),
            7 => ("primed", self.with(name, name, &format!("{}'", self.word(name)))),
            8 => ("line dropped", {
                let lines: Vec<&str> = self.text.split_inclusive('\n').collect();
                let dropped = random.usize(..lines.len().max(1));
                let kept = lines.iter().enumerate().filter(|(line, _)| *line != dropped);
                kept.map(|(_, line)| *line).collect()
            }),
            9 => ("declaration dropped", self.without_declaration(random)?),
            10 => ("parameter added or dropped", self.with_other_parameters(random)?),
            _ => ("argument added", {
                let uses = self.numbers(|token, next| {
                    token.kind == TokenKind::Identifier && !token.begins_definition && next == "("
                });
                let bracket = self.tokens.get(random.choice(&uses)? + 1)?;
                self.with(bracket, bracket, "(1, ")
            }),
        };
        (edit.1 != self.text).then_some(edit)
    }

    /// One edit in each of two definitions of the module, the first one first, of different words.
    pub fn edits_of_two_definitions(&self, random: &mut Rng) -> Option<[Replacement; 2]> {
        let begins = |token: &Token| token.begins_definition && token.column == 0;
        let definitions: Vec<&[Token]> = self.tokens.chunk_by(|_, next| !begins(next)).skip(1).collect();
        let (first, second) = (
            random.usize(..definitions.len().max(1)),
            random.usize(..definitions.len().max(1)),
        );
        if first == second {
            return None;
        }
        let mut edit_in = |definition: &[Token]| (0..8).find_map(|_| self.replacement(definition, random));
        let first_edit = edit_in(definitions.get(first.min(second))?)?;
        let second_edit = edit_in(definitions.get(first.max(second))?)?;
        let is_same = first_edit.old == second_edit.old || first_edit.new == second_edit.new;
        (!is_same).then_some([first_edit, second_edit])
    }

    /// Another word for one of the given tokens.
    fn replacement(&self, tokens: &[Token], random: &mut Rng) -> Option<Replacement> {
        let token = random.choice(tokens)?;
        let old = self.word(token);
        let is_named = token.kind == TokenKind::Identifier;
        let other = random.choice(&self.tokens)?;
        let new = match random.u8(..12) {
            0 => String::new(),
            1 => format!("{old} {old}"),
            2..5 if is_named => format!("{old}Q"),
            5..7 if is_named && old.len() > 3 => {
                let mut letters: Vec<char> = old.chars().collect();
                letters.swap(1, 2);
                letters.into_iter().collect()
            }
            7..9 if is_named && other.kind == TokenKind::Identifier => self.word(other).to_owned(),
            9..12 if is_named => format!("{old}'"),
            _ => return None,
        };
        let (start, end) = (token.start as usize, token.end as usize);
        (new != old).then(|| Replacement {
            start,
            end,
            old: old.to_owned(),
            new,
        })
    }

    /// The text after edits, which are in order.
    pub fn after(&self, edits: &[&Replacement]) -> String {
        let mut text = self.text.to_owned();
        for edit in edits.iter().rev() {
            text.replace_range(edit.start..edit.end, &edit.new);
        }
        text
    }

    fn without_declaration(&self, random: &mut Rng) -> Option<String> {
        let words = [
            "VARIABLE",
            "VARIABLES",
            "CONSTANT",
            "CONSTANTS",
            "EXTENDS",
            "RECURSIVE",
        ];
        let declarations = self.numbers(|token, _| words.contains(&self.word(token)));
        let first = *random.choice(&declarations)?;
        let mut depth = 0;
        let pairs = self.tokens.get(first + 1..)?.windows(2);
        let mut last = self.tokens.get(first + 1)?;
        for pair in pairs {
            let [token, next] = pair else { break };
            last = token;
            match self.word(token) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            let goes_on = self.word(token) == "," || matches!(self.word(next), "," | "(");
            if depth == 0 && !goes_on {
                break;
            }
        }
        Some(self.with(self.tokens.get(first)?, last, ""))
    }

    fn with_other_parameters(&self, random: &mut Rng) -> Option<String> {
        let heads = self.numbers(|token, next| {
            token.begins_definition && token.kind == TokenKind::Identifier && matches!(next, "(" | "==")
        });
        let at = *random.choice(&heads)?;
        let (name, open) = (self.tokens.get(at)?, self.tokens.get(at + 1)?);
        let head = self.word(name);
        if self.word(open) == "==" {
            return Some(self.with(name, name, &format!("{head}(zq)")));
        }
        if random.bool() {
            return Some(self.with(name, open, &format!("{head}(zq, ")));
        }
        let mut depth = 0;
        let first_end = self.tokens.iter().skip(at + 2).find(|token| {
            let ends = depth == 0 && matches!(self.word(token), "," | ")");
            match self.word(token) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            ends
        })?;
        let rest = if self.word(first_end) == "," { "(" } else { "" };
        Some(self.with(name, first_end, &format!("{head}{rest}")))
    }
}
