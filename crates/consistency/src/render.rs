//! Evidence for people and for machines.

use std::fmt::Write;

use omnilink_engine::{Exhausted, Model};
use omnilink_value::Value;

use crate::history::History;
use crate::op_set::OpSet;
use crate::outcome::{Candidate, Explanation, Refutation, WeakOutcome, WeakVerdict};

/// Writing to a `String` cannot fail; `let _` says so once.
macro_rules! line {
    ($text:expr, $($argument:tt)*) => {
        let _ = writeln!($text, $($argument)*);
    };
}

/// How the operations of a history are called.
struct Names<'a, M: Model> {
    model: &'a M,
    history: &'a History<M::Op>,
}

impl<M: Model> Names<'_, M> {
    fn op(&self, op: usize) -> String {
        match self.history.ops().get(op) {
            Some(observed) => {
                let text = self.model.describe_op(&observed.op);
                let pending = if observed.optional { " (pending)" } else { "" };
                format!("#{} thread {}: {text}{pending}", observed.label, observed.thread)
            }
            None => format!("#{op}"),
        }
    }

    /// One operation a line. Only what an operation does not see is worth a word, and only if it could have changed
    /// something.
    fn write_order(&self, text: &mut String, margin: &str, order: &[usize], visible: &[OpSet]) {
        let is_writer = |op: &usize| {
            self.history
                .ops()
                .get(*op)
                .is_some_and(|op| !self.model.is_pure(&op.effect))
        };
        let mut writers = OpSet::EMPTY;
        for op in order {
            let missed = writers.minus(visible.get(*op).copied().unwrap_or_default());
            let remark = match missed.is_empty() {
                true => String::new(),
                false => format!("   does not see {}", self.labels(missed)),
            };
            line!(text, "{margin}{}{remark}", self.op(*op));
            if is_writer(op) {
                writers = writers.with(*op);
            }
        }
    }

    fn labels(&self, ops: OpSet) -> String {
        let label = |op: usize| {
            self.history
                .ops()
                .get(op)
                .map_or_else(|| op.to_string(), |op| op.label.clone())
        };
        match ops.is_empty() {
            true => "nothing".to_owned(),
            false => ops
                .iter()
                .map(|op| format!("#{}", label(op)))
                .collect::<Vec<_>>()
                .join(" "),
        }
    }
}

/// The outcome of a check, for people.
pub fn outcome_text<M: Model>(model: &M, history: &History<M::Op>, outcome: &WeakOutcome) -> String {
    match &outcome.verdict {
        WeakVerdict::Valid(explanation) => explanation_text(model, history, explanation),
        WeakVerdict::Violation(refutation) => refutation_text(model, history, refutation),
        WeakVerdict::Unknown(unfinished) => format!(
            "undecided: the limit on {} was reached; {} of {} operations were explained until then\n",
            limit_name(unfinished.limit),
            unfinished.explained.len(),
            history.len()
        ),
    }
}

fn limit_name(limit: Exhausted) -> &'static str {
    match limit {
        Exhausted::Time => "time",
        Exhausted::Memory => "memory",
        Exhausted::Configurations => "configurations",
    }
}

/// A linearization with what each operation sees.
pub fn explanation_text<M: Model>(model: &M, history: &History<M::Op>, explanation: &Explanation) -> String {
    let mut text = String::from("linearization, and what operations do not see of it:\n");
    Names { model, history }.write_order(&mut text, "  ", &explanation.linearization, &explanation.visible);
    text
}

/// The operation that has no admissible visibility, and the closest candidates.
pub fn refutation_text<M: Model>(model: &M, history: &History<M::Op>, refutation: &Refutation) -> String {
    let names = Names { model, history };
    let mut text = String::new();
    line!(text, "no admissible visibility for {}", names.op(refutation.op));
    if refutation.explained.is_empty() {
        line!(text, "  nothing can come before it");
    } else {
        line!(text, "  after the longest linearization that can be explained:");
        names.write_order(&mut text, "    ", &refutation.explained, &refutation.visible);
    }
    for candidate in &refutation.candidates {
        let reason = candidate
            .reason
            .as_deref()
            .unwrap_or("the model refuses it there");
        line!(text, "  seeing {}: {reason}", names.labels(candidate.sees));
    }
    if let Some(core) = refutation.core {
        line!(
            text,
            "returns that cannot be explained together (with any one forgotten, the rest can):"
        );
        for op in core.iter() {
            line!(text, "  {}", names.op(op));
        }
    }
    text
}

/// The outcome of a check, for machines: `verdict`, `ops`, `configurations`, `model_steps` and the evidence.
pub fn outcome_json<M: Model>(model: &M, history: &History<M::Op>, outcome: &WeakOutcome) -> Value {
    let label = |op: usize| {
        let label = history
            .ops()
            .get(op)
            .map_or_else(|| op.to_string(), |op| op.label.clone());
        label.parse().map_or_else(|_| Value::str(&label), Value::int)
    };
    let labels = |ops: OpSet| Value::tuple(ops.iter().map(label));
    let order = |ops: &[usize]| Value::tuple(ops.iter().map(|op| label(*op)));
    let visibility = |ops: &[usize], rows: &[OpSet]| {
        let row = |op: &usize| {
            let sees = rows.get(*op).copied().unwrap_or_default();
            Value::record([("op", label(*op)), ("sees", labels(sees))])
        };
        Value::tuple(ops.iter().map(row))
    };
    let text = |op: usize| {
        let text = history
            .ops()
            .get(op)
            .map(|op| model.describe_op(&op.op))
            .unwrap_or_default();
        Value::str(&text)
    };
    let mut fields = vec![
        ("verdict", Value::str(outcome.verdict.word())),
        ("ops", Value::int(outcome.figures.operations as i64)),
        (
            "configurations",
            Value::int(outcome.figures.configurations as i64),
        ),
        ("visibilities", Value::int(outcome.figures.visibilities as i64)),
        ("model_steps", Value::int(outcome.figures.model_steps as i64)),
    ];
    match &outcome.verdict {
        WeakVerdict::Valid(explanation) => {
            fields.push(("linearization", order(&explanation.linearization)));
            fields.push((
                "visibility",
                visibility(&explanation.linearization, &explanation.visible),
            ));
        }
        WeakVerdict::Violation(refutation) => {
            let candidate = |candidate: &Candidate| {
                let reason = candidate.reason.as_deref().map_or_else(Value::null, Value::str);
                let state = Value::str(&candidate.state);
                Value::record([
                    ("sees", labels(candidate.sees)),
                    ("state", state),
                    ("reason", reason),
                ])
            };
            fields.push(("op", label(refutation.op)));
            fields.push(("op_text", text(refutation.op)));
            fields.push(("explained", order(&refutation.explained)));
            fields.push((
                "visibility",
                visibility(&refutation.explained, &refutation.visible),
            ));
            fields.push((
                "candidates",
                Value::tuple(refutation.candidates.iter().map(candidate)),
            ));
            if let Some(core) = refutation.core {
                fields.push(("core", labels(core)));
            }
        }
        WeakVerdict::Unknown(unfinished) => {
            fields.push(("limit", Value::str(limit_name(unfinished.limit))));
            fields.push(("explained", order(&unfinished.explained)));
        }
    }
    Value::record(fields)
}
