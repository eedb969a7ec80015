//! The first token of every definition, found by walking back from its `==`.

use crate::operators::{Fixity, Op};
use crate::token::{Keyword, Token, TokenKind};

/// Marks the first token of every definition, walking back from its `==`.
pub(super) fn mark_definitions(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        if tokens[at].kind == TokenKind::Define
            && let Some(start) = definition_start(tokens, at)
        {
            tokens[start].begins_definition = true;
        }
    }
}

fn definition_start(tokens: &[Token], define: usize) -> Option<usize> {
    let kind = |at: usize| tokens.get(at).map(|t| t.kind);
    let is_name = |at: usize| matches!(kind(at), Some(TokenKind::Identifier | TokenKind::At));
    let last = define.checked_sub(1)?;
    match kind(last)? {
        TokenKind::ParenClose => opening(tokens, last).filter(|at| is_name(*at)),
        TokenKind::BracketClose => opening(tokens, last).filter(|at| is_name(*at)),
        TokenKind::Identifier | TokenKind::At => {
            let Some(before) = last.checked_sub(1) else {
                return Some(last);
            };
            match kind(before)? {
                TokenKind::Operator(op) if op.fixity() == Fixity::Prefix => {
                    let begins = before
                        .checked_sub(1)
                        .is_none_or(|at| may_precede_definition(tokens, at));
                    Some(if begins || op == Op::Negative {
                        before
                    } else {
                        last
                    })
                }
                TokenKind::Operator(op) if op.fixity() == Fixity::Infix => {
                    let Some(left) = before.checked_sub(1) else {
                        return Some(last);
                    };
                    // `x + y == …` defines `+`, unless `x` belongs to the expression before it.
                    let begins = left
                        .checked_sub(1)
                        .is_none_or(|at| may_precede_definition(tokens, at));
                    Some(if is_name(left) && begins { left } else { last })
                }
                _ => Some(last),
            }
        }
        TokenKind::Operator(op) if op.fixity() == Fixity::Postfix => {
            last.checked_sub(1).filter(|at| is_name(*at))
        }
        _ => None,
    }
}

/// The token before the bracket that closes at `close`.
fn opening(tokens: &[Token], close: usize) -> Option<usize> {
    let mut depth = 0usize;
    for at in (0..=close).rev() {
        match tokens[at].kind {
            TokenKind::ParenClose
            | TokenKind::BracketClose
            | TokenKind::BracketCloseSub
            | TokenKind::BraceClose
            | TokenKind::AngleClose
            | TokenKind::AngleCloseSub => depth += 1,
            TokenKind::ParenOpen | TokenKind::BracketOpen | TokenKind::BraceOpen | TokenKind::AngleOpen => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at.checked_sub(1);
                }
            }
            TokenKind::Define | TokenKind::ModuleStart | TokenKind::ModuleEnd => return None,
            _ => {}
        }
    }
    None
}

fn may_precede_definition(tokens: &[Token], at: usize) -> bool {
    match tokens[at].kind {
        TokenKind::Separator | TokenKind::ModuleEnd | TokenKind::Step => true,
        TokenKind::Keyword(word) => matches!(
            word,
            Keyword::Let
                | Keyword::Local
                | Keyword::Define
                | Keyword::Def
                | Keyword::Omitted
                | Keyword::Obvious
                | Keyword::Qed
        ),
        _ => tokens[at].can_end_expression(),
    }
}
