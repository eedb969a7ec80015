//! Formulas of the link file in the place of actions: the end of a thread, and operations that are not one action applied to its own
//! parameters.

use std::collections::BTreeSet;

use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::source::SourceId;
use omnilink_tla::syntax::token::{Keyword, Token, TokenKind};
use omnilink_tla::syntax::tokenize_fragment;

use crate::action::SpecAction;
use crate::binding_builder::KEYWORDS;
use crate::error::LinkError;
use crate::link_file::LinkFile;
use crate::omnilink_setup::{END, end_formula};
use crate::toml_key::toml_key;

/// A formula in the place of an action: no definition of the spec, but reported like one.
#[derive(Debug)]
pub(crate) struct FormulaAction {
    /// Named like the operation; its parameters are the fields that the formula mentions.
    pub(crate) action: SpecAction,
    pub(crate) formula: String,
}

impl FormulaAction {
    /// For setups made for OmniLink: what must hold after all operations.
    pub(crate) fn end_of_trace(invariants: &[&str]) -> Self {
        Self {
            action: action(END, Vec::new(), "the invariants of the configuration".to_owned()),
            formula: end_formula(invariants),
        }
    }
}

/// All formulas of a link file in the place of actions.
pub(crate) fn formula_actions(
    spec: &Spec,
    actions: &[SpecAction],
    file: &LinkFile,
) -> Result<Vec<FormulaAction>, LinkError> {
    let ends = file.thread_end.entries().map(|(op, formula)| {
        Ok(FormulaAction {
            action: action(op, Vec::new(), "[thread_end] of the link file".to_owned()),
            formula: formula.to_owned(),
        })
    });
    let formulas = file.ops.iter().filter_map(|(op, link)| {
        let formula = link.action.as_deref().filter(|formula| !is_name(formula))?;
        Some(formula_action(spec, actions, op, formula))
    });
    ends.chain(formulas).collect()
}

fn formula_action(
    spec: &Spec,
    actions: &[SpecAction],
    op: &str,
    formula: &str,
) -> Result<FormulaAction, LinkError> {
    let free = free_names(formula).map_err(|problem| {
        LinkError::Usage(format!(
            "link file, [ops.{}]: action = \"{formula}\": {problem}",
            toml_key(op)
        ))
    })?;
    let applied = formula.split_once('(').map(|(name, _)| name.trim());
    if let Some(applied) = applied.filter(|name| is_name(name))
        && spec.find(applied).is_none()
    {
        let known: Vec<&str> = actions.iter().map(|action| action.name.as_str()).collect();
        return Err(LinkError::Usage(format!(
            "link file, [ops.{}]: the spec has no action `{applied}`; it has {}",
            toml_key(op),
            known.join(", ")
        )));
    }
    // `meta` is no field.
    let is_field =
        |name: &&String| spec.find(name).is_none() && *name != "meta" && !KEYWORDS.contains(&name.as_str());
    let params = free.iter().filter(is_field).cloned().collect();
    Ok(FormulaAction {
        action: action(
            op,
            params,
            format!("[ops.{}] action = \"{formula}\" of the link file", toml_key(op)),
        ),
        formula: formula.to_owned(),
    })
}

fn action(name: &str, params: Vec<String>, at: String) -> SpecAction {
    SpecAction {
        name: name.to_owned(),
        ranges: vec![None; params.len()],
        params,
        at,
        in_next: false,
    }
}

fn is_name(text: &str) -> bool {
    text.trim().chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The names in an expression that it does not bind itself, in the order in which they first occur.
fn free_names(text: &str) -> Result<Vec<String>, &'static str> {
    let mut diagnostics = Vec::new();
    let tokens = tokenize_fragment(SourceId(0), text, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err("this is no TLA+ expression");
    }
    let word = |token: &Token| &text[token.start as usize..token.end as usize];
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let bound: BTreeSet<&str> = (0..tokens.len())
        .filter(|at| is_bound(&tokens, *at))
        .map(|at| word(&tokens[at]))
        .collect();
    let mut free: Vec<String> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_part = at > 0 && matches!(kind(at - 1), Some(TokenKind::Dot | TokenKind::Bang));
        // `[v |-> 1]` names a field; `[k \in D |-> k]` names a set.
        let begins_field = at > 0 && matches!(kind(at - 1), Some(TokenKind::BracketOpen | TokenKind::Comma));
        let is_label = match kind(at + 1) {
            Some(TokenKind::MapsTo) => begins_field,
            next => next == Some(TokenKind::Bang),
        };
        let name = word(token);
        if token.kind == TokenKind::Identifier
            && !is_part
            && !is_label
            && !bound.contains(name)
            && !free.iter().any(|known| known == name)
        {
            free.push(name.to_owned());
        }
    }
    Ok(free)
}

/// Whether the name at this place is bound here: by a quantifier, CHOOSE, LAMBDA or LET, in a set or in a function.
fn is_bound(tokens: &[Token], at: usize) -> bool {
    if tokens[at].kind != TokenKind::Identifier {
        return false;
    }
    let after = tokens.get(at + 1).map(|token| token.kind);
    if after == Some(TokenKind::Define) {
        return true;
    }
    // Back over `x, y, ` to what introduces them.
    let mut first = at;
    while first >= 2
        && tokens[first - 1].kind == TokenKind::Comma
        && tokens[first - 2].kind == TokenKind::Identifier
    {
        first -= 2;
    }
    let before = first.checked_sub(1).map(|before| tokens[before].kind);
    let is_in = tokens[at..]
        .iter()
        .find(|token| !matches!(token.kind, TokenKind::Identifier | TokenKind::Comma))
        .is_some_and(|token| token.operator().is_some_and(|operator| operator.text() == "\\in"));
    match before {
        Some(
            TokenKind::Exists
            | TokenKind::ForAll
            | TokenKind::Keyword(Keyword::Choose)
            | TokenKind::Keyword(Keyword::Lambda),
        ) => true,
        Some(TokenKind::BraceOpen | TokenKind::BracketOpen | TokenKind::Colon) => is_in,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::free_names;

    #[test]
    fn names_that_an_expression_binds_are_not_free() {
        for (text, expected) in [
            ("AcquireRead(thread)", vec!["AcquireRead", "thread"]),
            (
                "Put(key, [v |-> value, ttl |-> null])",
                vec!["Put", "key", "value", "null"],
            ),
            ("\\E x, y \\in S : A(x, y, z)", vec!["S", "A", "z"]),
            (
                "A({x \\in S : x > n}, {f(y) : y \\in T})",
                vec!["A", "S", "n", "f", "T"],
            ),
            ("A(r.value, [k \\in D |-> k])", vec!["A", "r", "D"]),
            ("LET d == amount IN Add(-d)", vec!["amount", "Add"]),
            ("A(\"x\", x \\in S)", vec!["A", "x", "S"]),
        ] {
            assert_eq!(free_names(text).unwrap(), expected, "{text}");
        }
    }
}
