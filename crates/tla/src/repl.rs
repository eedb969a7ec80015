//! A read-eval-print loop with definitions, the library side of `omnilink tla repl`.

use crate::evaluate::{EvaluateError, EvaluateOptions, Evaluated, evaluate};
use crate::source::{Source, Sources};
use crate::syntax::token::{Keyword, Token, TokenKind};
use crate::syntax::tokenize_fragment;

/// The result of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// Nothing was entered.
    Nothing,
    /// An expression: its value.
    Value(Evaluated),
    /// A definition, which is kept.
    Definition(String),
}

/// The definitions so far and the evaluation options.
#[derive(Clone, Debug)]
pub struct Repl {
    options: EvaluateOptions,
    definitions: Vec<(String, String)>,
}

impl Repl {
    /// A repl without definitions.
    pub fn new(options: EvaluateOptions) -> Self {
        Self {
            options,
            definitions: Vec::new(),
        }
    }

    /// Whether an entry is complete: no bracket is open, what RECURSIVE announces is defined, and it does not end in a backslash.
    pub fn is_complete(text: &str) -> bool {
        if text.trim_end().ends_with('\\') {
            return false;
        }
        let tokens = tokens(text);
        let open = tokens.iter().fold(0i64, |open, token| open + nesting(token.kind));
        let announces = tokens.first().is_some_and(is_announcement);
        open <= 0 && (!announces || tokens.iter().any(|token| token.kind == TokenKind::Define))
    }

    /// Evaluates an expression, or adds or replaces a definition.
    ///
    /// # Errors
    /// Errors in the expression or definition. Earlier definitions stay as they were.
    pub fn enter(&mut self, text: &str) -> Result<Entered, EvaluateError> {
        let text = joined(text);
        if text.trim().is_empty() {
            return Ok(Entered::Nothing);
        }
        let Some(name) = defined_name(&text) else {
            return self.evaluate(&self.definitions, &text).map(Entered::Value);
        };
        let mut definitions = self.definitions.clone();
        match definitions.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = text,
            None => definitions.push((name.clone(), text)),
        }
        self.evaluate(&definitions, "TRUE")?;
        self.definitions = definitions;
        Ok(Entered::Definition(name))
    }

    fn evaluate(&self, definitions: &[(String, String)], text: &str) -> Result<Evaluated, EvaluateError> {
        let texts: Vec<&str> = definitions.iter().map(|(_, text)| &**text).collect();
        let options = EvaluateOptions {
            definitions: texts.join("\n"),
            ..self.options.clone()
        };
        evaluate(text, &options)
    }
}

/// The lines without the backslashes that join them.
fn joined(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim_end().strip_suffix('\\').unwrap_or(line))
        .collect();
    lines.join("\n")
}

fn tokens(text: &str) -> Vec<Token> {
    let source = Sources::default().add(Source::new("<entered>", text));
    tokenize_fragment(source, text, &mut Vec::new())
}

fn is_announcement(token: &Token) -> bool {
    token.kind == TokenKind::Keyword(Keyword::Recursive)
}

/// The number of brackets that a token opens.
fn nesting(kind: TokenKind) -> i64 {
    match kind {
        TokenKind::ParenOpen | TokenKind::BracketOpen | TokenKind::BraceOpen | TokenKind::AngleOpen => 1,
        TokenKind::ParenClose
        | TokenKind::BracketClose
        | TokenKind::BracketCloseSub
        | TokenKind::BraceClose
        | TokenKind::AngleClose => -1,
        _ => 0,
    }
}

/// The name that a text defines, if it is a definition: it has a `==` outside of brackets and before any LET. The name is the text left of
/// it, up to a bracket: `f(x)`, `f[x \in S]` and `f` have one name; an infix operator gives its whole left side.
fn defined_name(text: &str) -> Option<String> {
    let mut open = 0;
    let tokens = tokens(text);
    let slice = |token: &Token| {
        text.get(token.start as usize..token.end as usize)
            .unwrap_or_default()
    };
    if tokens.first().is_some_and(is_announcement) {
        return tokens.get(1).map(|token| slice(token).to_owned());
    }
    let mut name = String::new();
    for token in &tokens {
        open += nesting(token.kind);
        match token.kind {
            TokenKind::Keyword(Keyword::Let) => return None,
            TokenKind::Define if open == 0 => return Some(name),
            TokenKind::Keyword(Keyword::Local) => {}
            _ if open == 0 && nesting(token.kind) == 0 => name.push_str(slice(token)),
            _ => {}
        }
    }
    None
}
