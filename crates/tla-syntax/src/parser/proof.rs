//! Proofs, which are skipped.
//!
//! A proof does not affect what a spec means, so its steps are not parsed, but its end must be found exactly. A step runs to the
//! next step number; a QED closes its level; the proof ends with the QED of its first level and that QED's own proof. Step
//! names such as `<1>2` are tokens, so no step can be confused with an expression.

use super::*;
use crate::operators::Fixity;

/// A step number's level: `<3>` names it, `<*>` continues, `<+>` goes deeper.
enum StepLevel {
    Explicit(u32),
    Same,
    Deeper,
}

impl Parser<'_> {
    /// Skips the proof of a theorem if there is one.
    pub(super) fn skip_proof(&mut self) -> Parsed<Option<Span>> {
        let start = self.token();
        let introduced = start.kind == TokenKind::Keyword(Keyword::Proof);
        if introduced {
            self.bump();
        }
        match self.token().kind {
            TokenKind::Keyword(Keyword::By) => self.skip_facts()?,
            TokenKind::Keyword(Keyword::Obvious | Keyword::Omitted) => {
                self.bump();
            }
            TokenKind::Step => self.skip_steps()?,
            _ if introduced => {
                return Err(self.unexpected("BY, OBVIOUS, OMITTED or a proof step"));
            }
            _ => return Ok(None),
        }
        Ok(Some(start.span().to(self.previous_span())))
    }

    fn skip_steps(&mut self) -> Parsed<()> {
        // The open levels, outermost first.
        let mut levels: Vec<u32> = Vec::new();
        loop {
            let step = self.token();
            if step.kind != TokenKind::Step {
                return Err(self.unexpected("a proof step; every level of a proof ends with a QED step"));
            }
            self.bump();
            let top = levels.last().copied();
            let level = match self.step_level(&step) {
                StepLevel::Explicit(level) => level,
                StepLevel::Same => top.unwrap_or(0),
                StepLevel::Deeper => top.map_or(0, |t| t.saturating_add(1)),
            };
            match top {
                Some(top) if level < top => {
                    while levels.last().is_some_and(|top| level < *top) {
                        levels.pop();
                    }
                    if levels.last() != Some(&level) {
                        levels.push(level);
                    }
                }
                Some(top) if level == top => {}
                _ => levels.push(level),
            }
            let closes = self.token().kind == TokenKind::Keyword(Keyword::Qed);
            if closes {
                levels.pop();
            }
            self.skip_step()?;
            let goes_on = self.token().kind == TokenKind::Step;
            if levels.is_empty() && !(goes_on && self.is_deeper(level)) {
                return Ok(());
            }
        }
    }

    /// Whether the current step belongs to the proof of a step of the given level.
    fn is_deeper(&self, level: u32) -> bool {
        match self.step_level(&self.token()) {
            StepLevel::Explicit(next) => next > level,
            StepLevel::Same => false,
            StepLevel::Deeper => true,
        }
    }

    fn step_level(&self, step: &Token) -> StepLevel {
        let text = self.slice(step.span());
        let level = text.get(1..).and_then(|t| t.split('>').next()).unwrap_or("");
        match level {
            "*" => StepLevel::Same,
            "+" => StepLevel::Deeper,
            digits => StepLevel::Explicit(digits.parse().unwrap_or(u32::MAX)),
        }
    }

    /// Skips to the next step number or to the end of the proof. A step may contain definitions (`DEFINE x == 1`), so the
    /// beginning of a definition ends it only where no LET or DEFINE is open.
    fn skip_step(&mut self) -> Parsed<()> {
        let defines = matches!(
            self.token().kind,
            TokenKind::Keyword(Keyword::Define) | TokenKind::Identifier | TokenKind::Operator(_)
        );
        self.skip_part(defines)
    }

    /// Skips what follows BY, USE or HIDE.
    pub(super) fn skip_facts(&mut self) -> Parsed<()> {
        self.bump();
        self.skip_part(false)
    }

    /// Skips a part of a proof, which must not end where a name or a fact has to follow.
    fn skip_part(&mut self, definitions: bool) -> Parsed<()> {
        self.skip_while(definitions);
        match self.token_at(self.at.saturating_sub(1)).kind {
            TokenKind::Comma
            | TokenKind::Keyword(Keyword::By | Keyword::Def | Keyword::Only | Keyword::Use | Keyword::Hide) =>
            {
                let next = self.token();
                Err(self.missing_operand(next))
            }
            _ => Ok(()),
        }
    }

    fn skip_while(&mut self, mut definitions: bool) {
        let mut lets = 0usize;
        let mut first = true;
        loop {
            let token = self.token();
            match token.kind {
                TokenKind::Step if !first && !self.is_reference() => return,
                TokenKind::ModuleEnd | TokenKind::ModuleStart | TokenKind::Separator | TokenKind::End => {
                    return;
                }
                TokenKind::Keyword(word) => match word {
                    Keyword::Let => lets += 1,
                    Keyword::In => lets = lets.saturating_sub(1),
                    // A step's own proof: definitions are over.
                    Keyword::By | Keyword::Obvious | Keyword::Omitted | Keyword::Proof => definitions = false,
                    Keyword::Theorem
                    | Keyword::Proposition
                    | Keyword::Assumption
                    | Keyword::Axiom
                    | Keyword::Local => return,
                    Keyword::Assume | Keyword::Constant | Keyword::Variable | Keyword::Recursive
                        if !self.is_assumption(first) =>
                    {
                        return;
                    }
                    Keyword::Instance if lets == 0 && !first && !self.after_define() => return,
                    Keyword::Use | Keyword::Hide if !first => return,
                    _ => {}
                },
                _ if token.begins_definition && lets == 0 && !definitions => return,
                _ => {}
            }
            first = false;
            self.bump();
        }
    }

    /// Whether the current step number refers to a step (`BY <1>2`) rather than begins one, because the tokens before it are
    /// not complete.
    fn is_reference(&self) -> bool {
        match self.token_at(self.at.saturating_sub(1)).kind {
            // In `BY DEF +` the symbol is a name.
            TokenKind::Operator(op) => {
                let before = self.token_at(self.at.saturating_sub(2)).kind;
                let named = matches!(before, TokenKind::Comma | TokenKind::Keyword(Keyword::Def));
                op.fixity() != Fixity::Postfix && !named
            }
            TokenKind::Keyword(word) => !matches!(
                word,
                Keyword::Obvious | Keyword::Omitted | Keyword::Proof | Keyword::Qed
            ),
            TokenKind::Comma
            | TokenKind::Colon
            | TokenKind::ColonColon
            | TokenKind::Define
            | TokenKind::ParenOpen
            | TokenKind::BracketOpen
            | TokenKind::BraceOpen
            | TokenKind::AngleOpen => true,
            _ => false,
        }
    }

    /// Whether ASSUME, CONSTANT or VARIABLE here belongs to an ASSUME/PROVE inside a step, not to the module.
    fn is_assumption(&self, first: bool) -> bool {
        let before = self.token_at(self.at.saturating_sub(1)).kind;
        first
            || matches!(
                before,
                TokenKind::Comma
                    | TokenKind::ColonColon
                    | TokenKind::Keyword(Keyword::New | Keyword::Assume | Keyword::Suffices)
            )
    }

    fn after_define(&self) -> bool {
        self.token_at(self.at.saturating_sub(1)).kind == TokenKind::Define
    }
}
