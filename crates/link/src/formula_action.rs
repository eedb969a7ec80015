//! Formulas of the link file in the place of actions: the end of a thread, and operations that are not one action applied to its own
//! parameters.

use std::collections::BTreeSet;

use omnilink_tla::semantics::spec::Spec;
use omnilink_tla::source::SourceId;
use omnilink_tla::syntax::token::{Keyword, Token, TokenKind};
use omnilink_tla::syntax::tokenize_fragment;

use crate::action::{SpecAction, unknown_action};
use crate::algorithm::{Algorithm, AlgorithmLinkError};
use crate::error::LinkError;
use crate::link_file::{LinkFile, OpLink};
use crate::module::KEYWORDS;
use crate::omnilink_setup::end_formula;
use crate::run::{Run, SELF};
use crate::setup_names::END;
use omnilink_settings::toml_key;

/// A formula in the place of an action: no definition of the spec, but reported like one.
#[derive(Debug)]
pub(crate) struct FormulaAction {
    /// Named like the operation; its parameters are the fields that the formula mentions.
    pub(crate) action: SpecAction,
    pub(crate) meaning: Meaning,
}

/// What an operation means that is no action of the spec.
#[derive(Debug)]
pub(crate) enum Meaning {
    Formula(String),
    Run(Run),
}

impl FormulaAction {
    /// For setups made for OmniLink: what must hold after all operations.
    pub(crate) fn end_of_trace(invariants: &[&str]) -> Self {
        Self {
            action: action(END, Vec::new(), "the invariants of the configuration".to_owned()),
            meaning: Meaning::Formula(end_formula(invariants)),
        }
    }
}

/// All formulas of a link file in the place of actions.
pub(crate) fn formula_actions(
    spec: &Spec,
    actions: &[SpecAction],
    algorithm: &Algorithm,
    file: &LinkFile,
) -> Result<Vec<FormulaAction>, LinkError> {
    let ends = file.thread_end.entries().map(|(op, formula)| {
        Ok(FormulaAction {
            action: action(op, Vec::new(), "[thread_end] of the link file".to_owned()),
            meaning: Meaning::Formula(formula.to_owned()),
        })
    });
    let formulas = file.ops.iter().filter_map(|(op, link)| {
        if link.run.is_some() || link.until.is_some() || link.begins.is_some() {
            return Some(run_action(spec, actions, algorithm, op, link));
        }
        let formula = link.action.as_deref().filter(|formula| !is_name(formula))?;
        Some(formula_action(spec, actions, op, formula))
    });
    ends.chain(formulas).collect()
}

/// Whether an action happens unseen, or as a step of a run: then the trace has no operation of its name.
pub(crate) fn happens_unnamed(
    action: &SpecAction,
    formula_actions: &[FormulaAction],
    file: &LinkFile,
) -> bool {
    let is_hidden = file.hidden.iter().any(|hidden| hidden.mentions(&action.name));
    is_hidden
        || formula_actions.iter().any(|other| match &other.meaning {
            Meaning::Run(run) => run.steps.iter().any(|(label, _)| *label == action.name),
            Meaning::Formula(_) => false,
        })
}

/// An operation that is a run of a PlusCal process.
fn run_action(
    spec: &Spec,
    actions: &[SpecAction],
    algorithm: &Algorithm,
    op: &str,
    link: &OpLink,
) -> Result<FormulaAction, LinkError> {
    let entry = format!("[ops.{}]", toml_key(op));
    let wrong = |problem: AlgorithmLinkError| LinkError::Algorithm {
        entry: entry.clone(),
        problem: Box::new(problem),
    };
    let labels = match (&link.run, &link.action) {
        (Some(labels), None) => labels,
        (Some(_), Some(_)) => {
            return Err(wrong(AlgorithmLinkError::Entries(
                "an operation is either one step (`action`) or several (`run`), not both",
            )));
        }
        (None, _) => {
            return Err(wrong(AlgorithmLinkError::Entries(
                "`until` and `begins` are about a run: name its labels (run = [\"…\"])",
            )));
        }
    };
    let run = algorithm
        .run(labels.names(), link.until.as_deref())
        .map_err(wrong)?;
    let is_action = |label: &String| actions.iter().any(|action| action.name == *label);
    if let Some((label, _)) = run.steps.iter().find(|(label, _)| !is_action(label)) {
        return Err(wrong(AlgorithmLinkError::NoAction { label: label.clone() }));
    }
    let mut params: Vec<String> = Vec::new();
    params.extend(run.takes_self().then(|| SELF.to_owned()));
    for text in [&link.begins, &link.requires, &link.ensures]
        .into_iter()
        .flatten()
    {
        let fields = fields(spec, text)
            .map_err(|problem| LinkError::Usage(format!("link file, {entry}: \"{text}\": {problem}")))?;
        for field in fields {
            if !params.contains(&field) {
                params.push(field);
            }
        }
    }
    let names = labels.names().join(", ");
    Ok(FormulaAction {
        action: action(op, params, format!("{entry} run = [{names}] of the link file")),
        meaning: Meaning::Run(run),
    })
}

fn formula_action(
    spec: &Spec,
    actions: &[SpecAction],
    op: &str,
    formula: &str,
) -> Result<FormulaAction, LinkError> {
    let params = fields(spec, formula).map_err(|problem| {
        LinkError::Usage(format!(
            "link file, [ops.{}]: action = \"{formula}\": {problem}",
            toml_key(op)
        ))
    })?;
    let applied = formula.split_once('(').map(|(name, _)| name.trim());
    if let Some(applied) = applied.filter(|name| is_name(name))
        && spec.find(applied).is_none()
    {
        return Err(unknown_action(op, applied, actions));
    }
    Ok(FormulaAction {
        action: action(
            op,
            params,
            format!("[ops.{}] action = \"{formula}\" of the link file", toml_key(op)),
        ),
        meaning: Meaning::Formula(formula.to_owned()),
    })
}

/// The names in a formula that are fields of the operation: those that the spec does not define. `meta` is no field.
fn fields(spec: &Spec, formula: &str) -> Result<Vec<String>, &'static str> {
    let mut names = free_names(formula)?;
    names.retain(|name| spec.find(name).is_none() && name != "meta" && !KEYWORDS.contains(&name.as_str()));
    Ok(names)
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
