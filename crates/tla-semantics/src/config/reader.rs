//! The parser of configuration files.

use omnilink_tla_syntax::diagnostic::{Class, Diagnostic};
use omnilink_tla_syntax::source::{SourceId, Span};
use omnilink_tla_syntax::token::{Token, TokenKind};
use omnilink_tla_syntax::{operators::Op, tokenize_fragment};

use super::{Assigned, Assignment, Config, ConfigValue, Named};

/// The maximum nesting depth of values.
const MAX_NESTING: u32 = 200;

/// The kinds of sections.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Specification,
    Init,
    Next,
    Constants,
    Invariants,
    Properties,
    Constraints,
    ActionConstraints,
    Symmetry,
    View,
    Alias,
    Postconditions,
    Periodic,
    Types,
    TypeConstraints,
    Reward,
    Possible,
    CheckDeadlock,
    /// `DEADLOCK TRUE` or `DEADLOCK FALSE`, which is no section but meant to be one.
    Deadlock,
}

/// All section keywords.
const SECTIONS: &[(&str, Section)] = &[
    ("SPECIFICATION", Section::Specification),
    ("INIT", Section::Init),
    ("NEXT", Section::Next),
    ("CONSTANT", Section::Constants),
    ("CONSTANTS", Section::Constants),
    ("INVARIANT", Section::Invariants),
    ("INVARIANTS", Section::Invariants),
    ("PROPERTY", Section::Properties),
    ("PROPERTIES", Section::Properties),
    ("CONSTRAINT", Section::Constraints),
    ("CONSTRAINTS", Section::Constraints),
    ("ACTION_CONSTRAINT", Section::ActionConstraints),
    ("ACTION_CONSTRAINTS", Section::ActionConstraints),
    ("SYMMETRY", Section::Symmetry),
    ("VIEW", Section::View),
    ("ALIAS", Section::Alias),
    ("POSTCONDITION", Section::Postconditions),
    ("POSTCONDITIONS", Section::Postconditions),
    ("_PERIODIC", Section::Periodic),
    ("TYPE", Section::Types),
    ("TYPE_CONSTRAINT", Section::TypeConstraints),
    ("_RL_REWARD", Section::Reward),
    ("_POSSIBLE", Section::Possible),
    ("CHECK_DEADLOCK", Section::CheckDeadlock),
];

/// A mistake has been reported; parsing resumes with the next section.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Parses a configuration. It is complete if no diagnostic was added.
pub fn parse(source: SourceId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Config {
    let tokens = tokenize_fragment(source, text, diagnostics);
    let config = Config {
        source: Some(source),
        ..Config::default()
    };
    let mut reader = Reader {
        source,
        text,
        tokens,
        at: 0,
        depth: 0,
        diagnostics,
        config,
    };
    while reader.token().kind != TokenKind::End {
        if reader.section().is_err() {
            while reader.token().kind != TokenKind::End && reader.section_word().is_none() {
                reader.at += 1;
            }
        }
    }
    reader.config
}

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    diagnostics: &'a mut Vec<Diagnostic>,
    config: Config,
}

impl Reader<'_> {
    fn token(&self) -> Token {
        // The lexer always leaves an End token last.
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn token_after(&self) -> Token {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn slice(&self, token: &Token) -> &str {
        self.text
            .get(token.start as usize..token.end as usize)
            .unwrap_or("")
    }

    fn report(&mut self, span: Span, message: String, help: impl Into<String>) -> Failed {
        self.diagnostics
            .push(Diagnostic::error(Class::Config, self.source, span, message).help(help));
        Failed
    }

    fn unexpected(&mut self, expected: &str, help: &str) -> Failed {
        let token = self.token();
        if token.kind == TokenKind::Bad {
            self.bump();
            return Failed;
        }
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.slice(&token)),
        };
        self.report(token.span(), format!("expected {expected}, found {found}"), help)
    }

    fn section_word(&self) -> Option<Section> {
        let text = self.slice(&self.token());
        // As the name of a definition it has no value behind it.
        if text == "DEADLOCK" && matches!(self.slice(&self.token_after()), "TRUE" | "FALSE") {
            return Some(Section::Deadlock);
        }
        SECTIONS
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, section)| *section)
    }

    fn section(&mut self) -> Parsed<()> {
        let token = self.token();
        if token.kind == TokenKind::Bad {
            self.bump();
            return Err(Failed);
        }
        let Some(section) = self.section_word() else {
            let text = self.slice(&token).to_owned();
            let words = SECTIONS.iter().map(|(word, _)| *word);
            let help = match omnilink_tla_syntax::diagnostic::nearest(&text, words) {
                Some(near) => format!("did you mean {near}?"),
                None => "a configuration is made of sections such as INIT, NEXT, SPECIFICATION, CONSTANTS and INVARIANT".into(),
            };
            self.bump();
            return Err(self.report(token.span(), format!("`{text}` begins no section"), help));
        };
        self.bump();
        match section {
            Section::Constants => {
                while self.token().kind != TokenKind::End && self.section_word().is_none() {
                    let assignment = self.assignment()?;
                    self.config.constants.push(assignment);
                }
            }
            Section::Deadlock => {
                let value = self.slice(&self.token()).to_owned();
                self.bump();
                let help = format!("write `CHECK_DEADLOCK {value}`");
                return Err(self.report(token.span(), "`DEADLOCK` begins no section".to_owned(), help));
            }
            Section::CheckDeadlock => {
                let value = match self.slice(&self.token()) {
                    "TRUE" => true,
                    "FALSE" => false,
                    _ => return Err(self.unexpected("TRUE or FALSE", "write `CHECK_DEADLOCK FALSE`")),
                };
                self.bump();
                if self.config.check_deadlock.replace(value).is_some() {
                    return Err(self.twice(&token));
                }
            }
            Section::Specification
            | Section::Init
            | Section::Next
            | Section::Symmetry
            | Section::View
            | Section::Alias
            | Section::Reward => {
                let name = self.name("the name of a definition")?;
                let slot = match section {
                    Section::Specification => &mut self.config.specification,
                    Section::Init => &mut self.config.init,
                    Section::Next => &mut self.config.next,
                    Section::Symmetry => &mut self.config.symmetry,
                    Section::View => &mut self.config.view,
                    Section::Alias => &mut self.config.alias,
                    _ => &mut self.config.reward,
                };
                if slot.replace(name).is_some() {
                    return Err(self.twice(&token));
                }
            }
            _ => {
                while self.token().kind != TokenKind::End && self.section_word().is_none() {
                    let name = self.name("the name of a definition")?;
                    let list = match section {
                        Section::Invariants => &mut self.config.invariants,
                        Section::Properties => &mut self.config.properties,
                        Section::Constraints => &mut self.config.constraints,
                        Section::ActionConstraints => &mut self.config.action_constraints,
                        Section::Postconditions => &mut self.config.postconditions,
                        Section::Periodic => &mut self.config.periodic,
                        Section::Types => &mut self.config.types,
                        Section::TypeConstraints => &mut self.config.type_constraints,
                        _ => &mut self.config.possible,
                    };
                    list.push(name);
                    // Commas between names are harmless.
                    if self.token().kind == TokenKind::Comma {
                        self.bump();
                    }
                }
            }
        }
        Ok(())
    }

    fn twice(&mut self, word: &Token) -> Failed {
        let text = self.slice(word).to_owned();
        self.report(
            word.span(),
            format!("{text} occurs twice"),
            "keep the one that is meant",
        )
    }

    /// A name, perhaps through instances.
    fn name(&mut self, expected: &str) -> Parsed<Named> {
        let first = self.token();
        let mut name = match first.kind {
            TokenKind::Identifier => self.slice(&first).to_owned(),
            TokenKind::Operator(op) => op.text().to_owned(),
            _ => return Err(self.unexpected(expected, "name a definition of the spec")),
        };
        self.bump();
        let mut span = first.span();
        while self.token().kind == TokenKind::Bang {
            self.bump();
            let next = self.token();
            match next.kind {
                TokenKind::Identifier => name = format!("{name}!{}", self.slice(&next)),
                TokenKind::Operator(op) => name = format!("{name}!{}", op.text()),
                _ => return Err(self.unexpected("a name after `!`", "write `Instance!Name`")),
            }
            span = span.to(next.span());
            self.bump();
        }
        Ok(Named { name, span })
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let (token, next) = (self.token(), self.token_after());
        let assigns = matches!(
            next.kind,
            TokenKind::Substitute | TokenKind::Operator(Op::Equal) | TokenKind::ParenOpen
        );
        if let (TokenKind::Operator(_), false) = (token.kind, assigns) {
            let message = format!(
                "a value is written here, not computed: found `{}`",
                self.slice(&token)
            );
            let help = "define the expression in the spec and write `N <- Definition`";
            return Err(self.report(token.span(), message, help));
        }
        let target = self.name("the name of a constant or definition")?;
        let mut arguments = Vec::new();
        if self.token().kind == TokenKind::ParenOpen {
            self.bump();
            loop {
                arguments.push(self.value()?);
                if self.token().kind != TokenKind::Comma {
                    break;
                }
                self.bump();
            }
            self.close(TokenKind::ParenClose, "`,` or `)`")?;
        }
        let help = "write `N = 3` for a value, `N <- Definition` for a definition of the spec";
        match self.token().kind {
            TokenKind::Substitute if arguments.is_empty() => {
                self.bump();
                let module = self.module()?;
                let name = self.name("the name of a definition")?;
                Ok(Assignment {
                    target,
                    arguments,
                    module,
                    value: Assigned::Definition { name },
                })
            }
            TokenKind::Operator(Op::Equal) => {
                self.bump();
                let module = self.module()?;
                let value = self.value()?;
                Ok(Assignment {
                    target,
                    arguments,
                    module,
                    value: Assigned::Value { value },
                })
            }
            _ => Err(self.unexpected("`=` or `<-`", help)),
        }
    }

    /// `[Module]`, but not the `[a |-> 1]` of a record.
    fn module(&mut self) -> Parsed<Option<Named>> {
        let closes = self
            .tokens
            .get(self.at + 2)
            .is_some_and(|t| t.kind == TokenKind::BracketClose);
        if self.token().kind != TokenKind::BracketOpen || !closes {
            return Ok(None);
        }
        self.bump();
        let module = self.name("the name of a module")?;
        self.close(TokenKind::BracketClose, "`]`")?;
        Ok(Some(module))
    }

    fn close(&mut self, kind: TokenKind, expected: &str) -> Parsed<()> {
        if self.token().kind != kind {
            return Err(self.unexpected(expected, "close what was opened before"));
        }
        self.bump();
        Ok(())
    }

    fn value(&mut self) -> Parsed<ConfigValue> {
        if self.depth >= MAX_NESTING {
            let span = self.token().span();
            let message = format!("this is nested deeper than {MAX_NESTING} levels");
            return Err(self.report(
                span,
                message,
                "define the value in the spec and assign it with `<-`",
            ));
        }
        self.depth += 1;
        let value = self.any_value();
        self.depth -= 1;
        value
    }

    fn any_value(&mut self) -> Parsed<ConfigValue> {
        let token = self.token();
        let text = self.slice(&token).to_owned();
        let value = match token.kind {
            TokenKind::Number => ConfigValue::Number(text),
            TokenKind::Operator(Op::Minus) => {
                self.bump();
                let number = self.token();
                if number.kind != TokenKind::Number {
                    return Err(self.unexpected("a number after `-`", "write `-1`"));
                }
                ConfigValue::Number(format!("-{}", self.slice(&number)))
            }
            TokenKind::Text => {
                // TLC does not interpret escapes in strings here.
                ConfigValue::Text(text.get(1..text.len() - 1).unwrap_or("").to_owned())
            }
            TokenKind::Identifier if text == "TRUE" || text == "FALSE" => {
                ConfigValue::Boolean(text == "TRUE")
            }
            TokenKind::Identifier => ConfigValue::Model(text),
            TokenKind::BraceOpen => {
                return Ok(ConfigValue::Set(self.list(TokenKind::BraceClose, "`,` or `}`")?));
            }
            TokenKind::AngleOpen => {
                return Ok(ConfigValue::Tuple(
                    self.list(TokenKind::AngleClose, "`,` or `>>`")?,
                ));
            }
            TokenKind::BracketOpen => return self.record(),
            _ => {
                let help =
                    "a value is a number, a string, TRUE, FALSE, a set, a tuple, a record or a model value";
                return Err(self.unexpected("a value", help));
            }
        };
        self.bump();
        Ok(value)
    }

    fn list(&mut self, close: TokenKind, expected: &str) -> Parsed<Vec<ConfigValue>> {
        self.bump();
        let mut values = Vec::new();
        if self.token().kind != close {
            loop {
                values.push(self.value()?);
                if self.token().kind != TokenKind::Comma {
                    break;
                }
                self.bump();
            }
        }
        self.close(close, expected)?;
        Ok(values)
    }

    fn record(&mut self) -> Parsed<ConfigValue> {
        self.bump();
        let mut fields = Vec::new();
        loop {
            let field = self.name("the name of a field")?;
            self.close(TokenKind::MapsTo, "`|->`")?;
            fields.push((field.name, self.value()?));
            if self.token().kind != TokenKind::Comma {
                break;
            }
            self.bump();
        }
        self.close(TokenKind::BracketClose, "`,` or `]`")?;
        Ok(ConfigValue::Record(fields))
    }
}
