//! What checking the trace of a run gave, in short: what is kept of it and compared.

use std::collections::BTreeMap;

use crate::{Evidence, Subject, Verdict, Violation};

/// What checking a run's trace gave.
#[derive(Clone, Debug)]
pub struct CheckedTrace {
    /// The answer.
    pub verdict: Verdict,
    /// The violation or the error in a sentence.
    pub headline: Option<String>,
    /// What violations of one cause have in common.
    pub cause: Option<String>,
    /// The evidence as JSON.
    pub evidence: String,
    /// Operations.
    pub ops: u64,
    /// Threads.
    pub threads: u64,
    /// How often each feature of the specification was exercised.
    pub coverage: BTreeMap<String, u64>,
}

impl CheckedTrace {
    /// A trace that could not be checked.
    pub fn error(headline: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Error,
            headline: Some(headline.into()),
            cause: None,
            evidence: String::new(),
            ops: 0,
            threads: 0,
            coverage: BTreeMap::new(),
        }
    }

    /// What evidence says in short.
    pub fn of(evidence: &Evidence) -> Self {
        let (headline, cause) = match evidence.verdict {
            Verdict::Violation => violation(evidence),
            Verdict::Error => (evidence.error.clone(), evidence.error.clone()),
            Verdict::Valid | Verdict::Unknown => (None, None),
        };
        Self {
            verdict: evidence.verdict,
            headline,
            cause,
            evidence: evidence.to_json(),
            ops: evidence.figures.ops,
            threads: evidence.figures.threads.unwrap_or_default(),
            coverage: coverage(evidence),
        }
    }

    /// Two traces of one run as one: the worse verdict counts.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let (mut worse, other) = if other.verdict > self.verdict {
            (other, self)
        } else {
            (self, other)
        };
        worse.ops += other.ops;
        worse.threads = worse.threads.max(other.threads);
        for (feature, times) in other.coverage {
            *worse.coverage.entry(feature).or_default() += times;
        }
        worse
    }
}

/// The violation in a sentence, and what violations of one cause have in common: the operation's name with the rule that is
/// broken or the kinds of violation that fit.
fn violation(evidence: &Evidence) -> (Option<String>, Option<String>) {
    let Some(Violation::Operation(counterexample)) = &evidence.violation else {
        return (Some("the trace is not explained".to_owned()), None);
    };
    let op = &counterexample.op;
    let name = op.text.split(['(', ' ']).next().unwrap_or_default();
    let tags = evidence
        .spec
        .as_ref()
        .map(|spec| spec.tags.join(", "))
        .unwrap_or_default();
    let rule = counterexample.broken.as_ref().map(|broken| broken.rule.clone());
    let why = rule.or_else(|| (!tags.is_empty()).then_some(tags));
    let who = match evidence.subject {
        Subject::Log => "node",
        _ => "thread",
    };
    let headline = match &why {
        Some(why) => format!("nothing explains {} of {who} {}: {why}", op.text, op.thread),
        None => format!("nothing explains {} of {who} {}", op.text, op.thread),
    };
    let cause = match &why {
        Some(why) => format!("{name}: {why}"),
        None => name.to_owned(),
    };
    (Some(headline), Some(cause))
}

/// How often each action was placed, each of its branches taken and each abstract state reached. Actions and branches that were never
/// exercised are there with 0.
fn coverage(evidence: &Evidence) -> BTreeMap<String, u64> {
    let mut coverage = BTreeMap::new();
    let actions = || evidence.spec.iter().flat_map(|spec| &spec.actions);
    // An operation in steps is placed under its own name.
    let is_step = |name: &str| {
        let whole = name.strip_suffix("_Step").or_else(|| name.strip_suffix("_Done"));
        whole.is_some_and(|whole| actions().any(|action| action.op == whole))
    };
    for action in actions().filter(|action| !is_step(&action.op)) {
        coverage.insert(format!("action {}", action.op), action.placed);
        for branch in &action.branches {
            let text: String = branch.text.split_whitespace().collect::<Vec<_>>().join(" ");
            coverage.insert(
                format!("branch {}: {text} ({})", action.op, branch.at),
                branch.taken,
            );
        }
    }
    for reached in evidence.spec.iter().flat_map(|spec| &spec.abstract_states) {
        coverage.insert(format!("state {}", reached.state), reached.reached);
    }
    for action in evidence.log.iter().flat_map(|log| &log.actions) {
        *coverage.entry(format!("action {}", action.action)).or_default() += action.taken;
    }
    coverage
}
