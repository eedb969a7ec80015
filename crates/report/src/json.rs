//! The report as one line of JSON: a contract with programs, documented in `docs/check.md`.
//!
//! Fields are only ever added. What is not known is `null`, so that every report has every field of its kind.

use omnilink_engine::{Alternative, Candidate, Counterexample, Decider, Fate, OpView, Unfinished, Verdict};
use serde::Serialize;

use crate::findings::{MutationFindings, SpecFindings, VacuityFindings};
use crate::keys::KeyReport;
use crate::minimal::MinimalHistory;
use crate::report::{Answer, Judgement, Report};

#[derive(Serialize)]
struct JsonReport<'a> {
    input: &'a str,
    verdict: &'static str,
    model: &'a str,
    consistency: &'static str,
    ops: u64,
    pending: u64,
    aborted: u64,
    threads: usize,
    seconds: f64,
    peak_bytes: Option<u64>,
    configurations: u64,
    frontier_max: u64,
    model_steps: u64,
    partitions: u64,
    decided_by: Option<&'static str>,
    replayed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<JsonViolation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimal: Option<JsonMinimal<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<JsonUnknown<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<&'a SpecFindings>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    keys: &'a [KeyReport],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    last_writers: Vec<JsonWriter<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutation: Option<&'a MutationFindings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vacuity: Option<&'a [VacuityFindings]>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct JsonViolation<'a> {
    op: JsonOp<'a>,
    alternatives_total: u64,
    alternatives: Vec<JsonAlternative<'a>>,
    agreed: Option<JsonAgreed<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_ops: Option<Vec<JsonOp<'a>>>,
}

#[derive(Serialize)]
struct JsonAgreed<'a> {
    states: &'a [String],
    placed: u64,
    last: Option<JsonOp<'a>>,
    since: Vec<JsonOp<'a>>,
}

#[derive(Serialize)]
struct JsonWriter<'a> {
    cell: &'a str,
    value: &'a str,
    by: Option<JsonOp<'a>>,
}

#[derive(Serialize)]
struct JsonMinimal<'a> {
    ops: Vec<JsonOp<'a>>,
    left_out: u64,
    from: Option<&'a [String]>,
    confirmed: Option<bool>,
    violation: JsonViolation<'a>,
}

#[derive(Serialize)]
struct JsonUnknown<'a> {
    limit: &'static str,
    explained: u64,
    at: Option<JsonOp<'a>>,
    frontier: u64,
    alternatives: Vec<JsonAlternative<'a>>,
}

#[derive(Serialize)]
struct JsonOp<'a> {
    id: u64,
    thread: String,
    text: &'a str,
    start: i64,
    end: Option<i64>,
    place: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonAlternative<'a> {
    state: &'a str,
    recent: Vec<JsonOp<'a>>,
    placed: Vec<JsonOp<'a>>,
    candidates: Vec<JsonCandidate<'a>>,
}

#[derive(Serialize)]
struct JsonCandidate<'a> {
    op: JsonOp<'a>,
    #[serde(flatten)]
    fate: JsonFate<'a>,
}

#[derive(Serialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
enum JsonFate<'a> {
    Refused { reason: Option<&'a str> },
    LeadsTo { states: &'a [String] },
}

impl Report {
    /// The report as one JSON object, on one line, without a newline at its end.
    pub fn to_json(&self) -> String {
        let figures = self.figures();
        let is_decided = matches!(self.judgement(), Judgement::Valid | Judgement::Violation);
        let mut json = JsonReport {
            input: &self.input,
            verdict: self.judgement().word(),
            model: &self.model,
            consistency: self.criterion(),
            ops: figures.operations,
            pending: figures.pending,
            aborted: self.aborted,
            threads: self.threads.len(),
            seconds: self.seconds,
            peak_bytes: self.peak_bytes,
            configurations: figures.configurations,
            frontier_max: figures.frontier_max,
            model_steps: figures.model_steps,
            partitions: figures.partitions,
            decided_by: is_decided.then_some(figures.decider).flatten().map(Decider::word),
            replayed: None,
            error: None,
            violation: None,
            minimal: None,
            unknown: None,
            spec: self.findings.as_deref(),
            keys: &self.keys,
            last_writers: self.json_writers(),
            mutation: self
                .findings
                .as_ref()
                .and_then(|findings| findings.mutation.as_ref()),
            vacuity: self.findings.as_ref().map(|findings| findings.vacuity.as_slice()),
            notes: &self.notes,
        };
        match &self.answer {
            Answer::Failed { message, .. } => json.error = Some(message),
            Answer::Checked { outcome, minimal } => {
                match &outcome.verdict {
                    Verdict::Valid(witness) => json.replayed = Some(witness.replayed),
                    Verdict::Violation(counterexample) => {
                        json.violation = Some(self.json_violation(counterexample));
                    }
                    Verdict::Unknown(unfinished) => json.unknown = Some(self.json_unknown(unfinished)),
                }
                json.minimal = minimal.as_deref().map(|minimal| self.json_minimal(minimal));
            }
        }
        // Strings, numbers and lists of these always have a JSON form, so this cannot fail.
        serde_json::to_string(&json).unwrap_or_default()
    }

    fn json_violation<'a>(&'a self, counterexample: &'a Counterexample) -> JsonViolation<'a> {
        JsonViolation {
            op: self.json_op(&counterexample.op),
            alternatives_total: counterexample.alternatives_total,
            alternatives: self.json_alternatives(&counterexample.alternatives),
            agreed: counterexample.agreed.as_ref().map(|agreed| JsonAgreed {
                states: &agreed.states,
                placed: agreed.placed,
                last: agreed.last.as_ref().map(|op| self.json_op(op)),
                since: self.json_ops(&agreed.since),
            }),
            rule: counterexample.broken.as_ref().map(|broken| broken.rule.as_str()),
            rule_ops: counterexample
                .broken
                .as_ref()
                .map(|broken| self.json_ops(&broken.operations)),
        }
    }

    fn json_writers(&self) -> Vec<JsonWriter<'_>> {
        let writers = self.findings.iter().flat_map(|findings| &findings.last_writers);
        let json = writers.map(|writer| JsonWriter {
            cell: &writer.cell,
            value: &writer.value,
            by: writer.by.as_ref().map(|op| self.json_op(op)),
        });
        json.collect()
    }

    fn json_minimal<'a>(&'a self, minimal: &'a MinimalHistory) -> JsonMinimal<'a> {
        JsonMinimal {
            ops: self.json_ops(&minimal.operations),
            left_out: minimal.left_out,
            from: minimal.from.as_deref(),
            confirmed: minimal.is_confirmed,
            violation: self.json_violation(&minimal.counterexample),
        }
    }

    fn json_unknown<'a>(&'a self, unfinished: &'a Unfinished) -> JsonUnknown<'a> {
        JsonUnknown {
            limit: unfinished.limit.word(),
            explained: unfinished.explained,
            at: unfinished.at.as_ref().map(|op| self.json_op(op)),
            frontier: unfinished.frontier,
            alternatives: self.json_alternatives(&unfinished.alternatives),
        }
    }

    fn json_alternatives<'a>(&'a self, alternatives: &'a [Alternative]) -> Vec<JsonAlternative<'a>> {
        let alternative = |alternative: &'a Alternative| JsonAlternative {
            state: &alternative.state,
            recent: self.json_ops(&alternative.recent),
            placed: self.json_ops(&alternative.placed),
            candidates: alternative
                .candidates
                .iter()
                .map(|candidate| self.json_candidate(candidate))
                .collect(),
        };
        alternatives.iter().map(alternative).collect()
    }

    fn json_candidate<'a>(&'a self, candidate: &'a Candidate) -> JsonCandidate<'a> {
        JsonCandidate {
            op: self.json_op(&candidate.op),
            fate: match &candidate.fate {
                Fate::Refused(reason) => JsonFate::Refused {
                    reason: reason.as_deref(),
                },
                Fate::LeadsTo(states) => JsonFate::LeadsTo { states },
            },
        }
    }

    fn json_ops<'a>(&'a self, ops: &'a [OpView]) -> Vec<JsonOp<'a>> {
        ops.iter().map(|op| self.json_op(op)).collect()
    }

    fn json_op<'a>(&'a self, op: &'a OpView) -> JsonOp<'a> {
        JsonOp {
            id: op.id,
            thread: self.threads.name(op.thread),
            text: &op.text,
            start: op.timebox.start,
            end: op.timebox.end,
            place: self.place(op),
        }
    }
}
