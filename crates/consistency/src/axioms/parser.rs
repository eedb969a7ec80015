//! The parser of the axiom language.

use super::error::{AxiomError, AxiomProblem};
use super::lexer::{Spanned, Token, tokens};
use crate::criterion::{Axiom, Claim, Criterion};
use crate::relation::{Filter, Relation};

/// The limit on nested parentheses: the input must not determine the stack depth.
const DEPTH_MAX: usize = 64;

/// Parses axioms. `file` is the name of the text in messages, and of the criterion.
///
/// # Errors
/// If the text is malformed, or the axioms cannot be checked.
pub fn parse_axioms(file: &str, source: &str) -> Result<Criterion, AxiomError> {
    let mut parser = Parser {
        file,
        source,
        tokens: tokens(file, source)?,
        at: 0,
        depth: 0,
    };
    let mut axioms = Vec::new();
    let mut keeps_hb = true;
    while parser.at < parser.tokens.len() {
        if parser.eat(&Token::End) {
            continue;
        }
        match parser.statement()? {
            Statement::Nothing => {}
            Statement::DropHb => keeps_hb = false,
            Statement::Axiom(axiom) => axioms.push(axiom),
        }
        if !parser.eat(&Token::End) {
            return Err(parser.expected("the end of the axiom (a new line, a comma or `and`)"));
        }
    }
    if keeps_hb {
        axioms.retain(|axiom| !is_keeping_hb(axiom));
    }
    Criterion::new(file, axioms, keeps_hb)
        .map_err(|error| AxiomError::new(file, source, 0, source.len(), error.into()))
}

fn is_keeping_hb(axiom: &Axiom) -> bool {
    axiom.scope.is_none() && axiom.claim == Claim::LinContains(Relation::Hb)
}

struct Parser<'a> {
    file: &'a str,
    source: &'a str,
    tokens: Vec<Spanned>,
    at: usize,
    depth: usize,
}

enum Statement {
    /// An axiom that every criterion contains.
    Nothing,
    DropHb,
    Axiom(Axiom),
}

type Parsed<T> = Result<T, AxiomError>;

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.tokens
            .get(self.at)
            .map_or(&Token::End, |spanned| &spanned.token)
    }

    fn eat(&mut self, token: &Token) -> bool {
        let is_next = self.at < self.tokens.len() && self.peek() == token;
        self.at += usize::from(is_next);
        is_next
    }

    fn word(&mut self, wanted: &[&str]) -> bool {
        let is_next = matches!(self.peek(), Token::Word(word) if wanted.contains(&word.as_str()));
        self.at += usize::from(is_next);
        is_next
    }

    /// An error about the tokens from `from` up to here.
    fn error(&self, from: usize, problem: AxiomProblem) -> AxiomError {
        let place = |at: usize| self.tokens.get(at.min(self.tokens.len().saturating_sub(1)));
        let start = place(from).map_or(0, |token| token.from);
        let end = place(self.at.saturating_sub(1).max(from)).map_or(start, |token| token.to);
        AxiomError::new(self.file, self.source, start, end.max(start), problem)
    }

    fn expected(&self, expected: &'static str) -> AxiomError {
        self.error(
            self.at,
            AxiomProblem::Expected {
                expected,
                found: self.peek().describe(),
            },
        )
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let from = self.at;
        let scope = self.scope()?;
        if self.word(&["Ret", "ret"]) {
            return Ok(Statement::Nothing);
        }
        let is_dropped = self.word(&["drop", "no", "not"]) || self.eat(&Token::Not);
        let left = self.union()?;
        let (larger, smaller) = if self.eat(&Token::Contains) || self.word(&["contains"]) {
            (left, self.union()?)
        } else if self.eat(&Token::Within) || self.word(&["in"]) {
            (self.union()?, left)
        } else if self.eat(&Token::Equals) {
            let right = self.union()?;
            match (&left, &right) {
                (Relation::Vis, Relation::Lin) | (Relation::Lin, Relation::Vis) => {
                    (Relation::Vis, Relation::Lin)
                }
                _ => return Err(self.error(from, AxiomProblem::Equation)),
            }
        } else {
            return Err(self.expected("`>=`, `<=` or `=`"));
        };
        let claim = match larger {
            Relation::Lin => Claim::LinContains(smaller),
            Relation::Vis => Claim::VisContains(smaller),
            other => return Err(self.error(from, AxiomProblem::Given(other.to_string()))),
        };
        let is_always_so = claim == Claim::LinContains(Relation::Vis);
        let axiom = Axiom { claim, scope };
        match is_dropped {
            true if is_keeping_hb(&axiom) => Ok(Statement::DropHb),
            true => Err(self.error(from, AxiomProblem::Undroppable)),
            false if is_always_so => Ok(Statement::Nothing),
            false => Ok(Statement::Axiom(axiom)),
        }
    }

    /// `put|get:` or `!put:` or `@readers:` before an axiom.
    fn scope(&mut self) -> Parsed<Option<Filter>> {
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let mut ahead = rest
            .iter()
            .map(|spanned| &spanned.token)
            .take_while(|token| **token != Token::End);
        if !ahead.any(|token| *token == Token::Colon) {
            return Ok(None);
        }
        let filter = self.filter()?;
        if !self.eat(&Token::Colon) {
            return Err(self.expected("`:` after the methods that the axiom is about"));
        }
        Ok(Some(filter))
    }

    fn filter(&mut self) -> Parsed<Filter> {
        if let Token::Kind(kind) = self.peek().clone() {
            let from = self.at;
            self.at += 1;
            return match kind.as_str() {
                "readers" => Ok(Filter::Readers),
                "writers" => Ok(Filter::Writers),
                _ => Err(self.error(from, AxiomProblem::UnknownKind(kind))),
            };
        }
        let is_negated = self.eat(&Token::Not);
        let mut names = Vec::new();
        loop {
            let Token::Word(name) = self.peek().clone() else {
                return Err(self.expected("the name of a method, or @readers or @writers"));
            };
            self.at += 1;
            names.push(name);
            if !self.eat(&Token::Or) {
                break;
            }
        }
        Ok(if is_negated {
            Filter::OtherThan(names)
        } else {
            Filter::Methods(names)
        })
    }

    fn union(&mut self) -> Parsed<Relation> {
        let mut relation = self.sequence()?;
        while self.eat(&Token::Or) {
            relation = relation.or(self.sequence()?);
        }
        Ok(relation)
    }

    fn sequence(&mut self) -> Parsed<Relation> {
        let mut relation = self.repeated()?;
        while self.eat(&Token::Then) {
            relation = relation.then(self.repeated()?);
        }
        Ok(relation)
    }

    fn repeated(&mut self) -> Parsed<Relation> {
        let mut relation = self.atom()?;
        loop {
            relation = if self.eat(&Token::Plus) {
                relation.plus()
            } else if self.eat(&Token::Star) {
                Relation::Star(Box::new(relation))
            } else if self.eat(&Token::Optional) {
                Relation::Optional(Box::new(relation))
            } else {
                return Ok(relation);
            };
        }
    }

    fn atom(&mut self) -> Parsed<Relation> {
        const EXPECTED: &str = "a relation: po, hb, lin, vis, a filter such as [put], or parentheses";
        let from = self.at;
        if self.eat(&Token::Open) {
            self.depth += 1;
            if self.depth > DEPTH_MAX {
                let found = "parentheses nested too deep".to_owned();
                return Err(self.error(
                    from,
                    AxiomProblem::Expected {
                        expected: EXPECTED,
                        found,
                    },
                ));
            }
            let relation = self.union()?;
            self.depth -= 1;
            return if self.eat(&Token::Close) {
                Ok(relation)
            } else {
                Err(self.expected("`)`"))
            };
        }
        if self.eat(&Token::OpenFilter) {
            let filter = self.filter()?;
            return if self.eat(&Token::CloseFilter) {
                Ok(Relation::Only(filter))
            } else {
                Err(self.expected("`]`"))
            };
        }
        let Token::Word(name) = self.peek().clone() else {
            return Err(self.expected(EXPECTED));
        };
        self.at += 1;
        match name.as_str() {
            "po" => Ok(Relation::Po),
            "hb" => Ok(Relation::Hb),
            "lin" => Ok(Relation::Lin),
            "vis" => Ok(Relation::Vis),
            _ => Err(self.error(from, AxiomProblem::UnknownRelation(name))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::ConsistencyLevel;

    fn parsed(source: &str) -> Criterion {
        parse_axioms("axioms", source).unwrap_or_else(|error| panic!("{error}"))
    }

    fn message(source: &str) -> String {
        parse_axioms("axioms", source).unwrap_err().to_string()
    }

    #[test]
    fn what_a_criterion_prints_reads_as_the_same_criterion() {
        for level in ConsistencyLevel::ALL {
            let again = parsed(&level.criterion().to_string());
            assert_eq!(again.axioms(), level.criterion().axioms(), "{level}");
            assert_eq!(again.keeps_hb(), level.keeps_hb());
        }
    }

    #[test]
    fn ascii_and_unicode_say_the_same() {
        let ascii =
            parsed("drop lin >= hb, lin >= po\nvis >= (po | vis)+ and !put|get: [put];vis?;po* <= vis # end");
        let unicode =
            parsed("¬ lin ⊇ hb ∧ lin ⊇ po\nvis ⊇ (po ∪ vis)⁺ /\\ ¬put∪get: [put]⨾vis?⨾po* ⊆ vis // end");
        assert_eq!(ascii, unicode);
        assert_eq!(ascii.axioms().len(), 3);
        assert!(!ascii.keeps_hb());
    }

    #[test]
    fn composition_binds_tighter_than_union() {
        assert_eq!(parsed("vis >= po;vis | hb"), parsed("vis >= (po;vis) | hb"));
        assert_ne!(parsed("vis >= po;vis | hb"), parsed("vis >= po;(vis | hb)"));
    }

    #[test]
    fn an_error_shows_the_place() {
        assert_eq!(
            message("vis >= hb\n  vis ⊇ viz;po"),
            "axioms:2:9: there is no relation \"viz\"; there are po, hb, lin and vis\n  |   vis ⊇ viz;po\n  |         ^^^"
        );
    }

    #[test]
    fn mistakes_are_told_apart() {
        assert!(
            message("vis >= ").contains("expected a relation"),
            "{}",
            message("vis >= ")
        );
        assert!(message("vis po").contains("expected `>=`, `<=` or `=`"));
        assert!(message("hb >= po").contains("`hb` is given by the history"));
        assert!(message("vis = hb").contains("only `vis = lin`"));
        assert!(message("drop vis >= hb").contains("only `lin >= hb` can be dropped"));
        assert!(message("vis >= [@pure];po").contains("@readers and @writers"));
        assert!(message("vis >= [put;po").contains("expected `]`"));
        assert!(message("vis >= (po").contains("expected `)`"));
        assert!(message("vis >= po vis").contains("expected the end of the axiom"));
        assert!(message("vis >= %").contains("`%` has no meaning"));
        assert!(message("drop lin >= hb\nvis >= vis;hb").contains("add `lin >= hb`"));
        assert!(message(&format!("vis >= {}po", "(".repeat(10_000))).contains("nested too deep"));
    }

    #[test]
    fn parentheses_may_span_lines() {
        assert_eq!(parsed("vis >= (po |\n vis)+"), parsed("vis >= (po|vis)+"));
    }
}
