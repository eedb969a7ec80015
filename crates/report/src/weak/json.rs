//! The report of a weak check as one line of JSON: a contract with programs, documented in `docs/consistency.md`.
//!
//! Every report has the same fields up to `notes`; what is not known is `null`. The evidence is one more field, named
//! after what it is.

use std::collections::BTreeMap;

use omnilink_consistency::{
    Anomaly, Answer, Inference, IsolationVerdict, LongVerdict, OpSet, Refutation, Ret, ShownOp, WeakFigures,
    WeakVerdict,
};
use serde::Serialize;

use super::{WeakReport, thread_count};

#[derive(Serialize)]
struct JsonWeak<'a> {
    input: &'a str,
    id: &'a str,
    verdict: &'static str,
    model: &'a str,
    consistency: &'a str,
    ret: Option<&'static str>,
    ops: usize,
    pending: usize,
    threads: Option<usize>,
    seconds: f64,
    peak_bytes: Option<u64>,
    configurations: Option<u64>,
    frontier_max: Option<u64>,
    visibilities: Option<u64>,
    model_steps: Option<u64>,
    notes: &'a [String],
    #[serde(flatten)]
    evidence: Evidence<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Evidence<'a> {
    Explanation(JsonOrder<'a>),
    Violation(JsonRefutation<'a>),
    Unknown(JsonUnknown<'a>),
    CommitOrder(&'a [String]),
    Anomaly(JsonAnomaly<'a>),
    Inferred(JsonInference<'a>),
}

/// An order of operations and what each of them sees.
#[derive(Serialize)]
struct JsonOrder<'a> {
    order: Vec<JsonOp<'a>>,
}

#[derive(Serialize)]
struct JsonOp<'a> {
    id: &'a str,
    thread: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sees: Option<Vec<&'a str>>,
}

#[derive(Serialize)]
struct JsonRefutation<'a> {
    op: JsonOp<'a>,
    explained: JsonOrder<'a>,
    candidates: Vec<JsonCandidate<'a>>,
    core: Option<Vec<&'a str>>,
}

#[derive(Serialize)]
struct JsonCandidate<'a> {
    sees: Vec<&'a str>,
    state: &'a str,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonUnknown<'a> {
    limit: &'static str,
    explained: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum JsonAnomaly<'a> {
    Read(&'a str),
    Cycle(&'a [String]),
    NoOrder { keys: &'a [String] },
}

#[derive(Serialize)]
struct JsonInference<'a> {
    histories: usize,
    levels: BTreeMap<&'a str, &'static str>,
    together: Option<&'static str>,
    unexplained: &'a [String],
    undecided: &'a [String],
}

impl WeakReport {
    /// The report as one JSON object, on one line, without a newline at its end.
    pub fn to_json(&self) -> String {
        let judgement = &self.judgement;
        let mut json = JsonWeak {
            input: &self.input,
            id: &judgement.id,
            verdict: judgement.verdict(),
            model: &self.model,
            consistency: &judgement.question,
            ret: None,
            ops: 0,
            pending: 0,
            threads: None,
            seconds: self.seconds,
            peak_bytes: self.peak_bytes,
            configurations: None,
            frontier_max: None,
            visibilities: None,
            model_steps: None,
            notes: &self.notes,
            evidence: evidence(&judgement.answer),
        };
        match &judgement.answer {
            Answer::Operations { ops, ret, outcome } => {
                let WeakFigures {
                    configurations,
                    visibilities,
                    model_steps,
                    ..
                } = outcome.figures;
                json.ret = Some(ret_name(*ret));
                json.ops = ops.len();
                json.pending = ops.iter().filter(|op| op.is_pending).count();
                json.threads = Some(thread_count(ops));
                json.configurations = Some(configurations);
                json.visibilities = Some(visibilities);
                json.model_steps = Some(model_steps);
            }
            Answer::Long { ops, ret, .. } => {
                json.ret = Some(ret_name(*ret));
                json.ops = ops.len();
                json.pending = ops.iter().filter(|op| op.is_pending).count();
                json.threads = Some(thread_count(ops));
            }
            Answer::Transactions { operations, .. } | Answer::Unread { operations, .. } => {
                json.ops = *operations
            }
            Answer::Inferred(_) => {}
        }
        // Strings, numbers and lists of these always have a JSON form, so this cannot fail.
        serde_json::to_string(&json).unwrap_or_default()
    }
}

fn ret_name(ret: Ret) -> &'static str {
    match ret {
        Ret::Own => "own",
        Ret::All => "all",
    }
}

fn evidence(answer: &Answer) -> Evidence<'_> {
    match answer {
        Answer::Operations { ops, outcome, .. } => {
            let names = Names { ops };
            match &outcome.verdict {
                WeakVerdict::Valid(explanation) => {
                    Evidence::Explanation(names.order(&explanation.linearization, &explanation.visible))
                }
                WeakVerdict::Violation(refutation) => Evidence::Violation(names.refutation(refutation)),
                WeakVerdict::Unknown(unfinished) => Evidence::Unknown(JsonUnknown {
                    limit: unfinished.limit.word(),
                    explained: unfinished.explained.iter().map(|op| names.id(*op)).collect(),
                }),
            }
        }
        Answer::Transactions { verdict, .. } => match verdict {
            IsolationVerdict::Valid(order) => Evidence::CommitOrder(order),
            IsolationVerdict::Violation(anomaly) => Evidence::Anomaly(json_anomaly(anomaly)),
            IsolationVerdict::Unknown(limit) => Evidence::Unknown(JsonUnknown {
                limit: limit.word(),
                explained: Vec::new(),
            }),
        },
        Answer::Long { ops, verdict, .. } => {
            let names = Names { ops };
            match verdict {
                LongVerdict::Valid { order, .. } => Evidence::Explanation(JsonOrder {
                    order: order.iter().map(|op| names.op(*op, None)).collect(),
                }),
                LongVerdict::Violation(op) => Evidence::Violation(JsonRefutation {
                    op: names.op(*op, None),
                    explained: JsonOrder { order: Vec::new() },
                    candidates: Vec::new(),
                    core: None,
                }),
                LongVerdict::Anomaly(anomaly) => Evidence::Anomaly(json_anomaly(anomaly)),
                LongVerdict::Unknown(limit) => Evidence::Unknown(JsonUnknown {
                    limit: limit.word(),
                    explained: Vec::new(),
                }),
            }
        }
        Answer::Unread { limit, .. } => Evidence::Unknown(JsonUnknown {
            limit: limit.word(),
            explained: Vec::new(),
        }),
        Answer::Inferred(inference) => Evidence::Inferred(json_inference(inference)),
    }
}

fn json_anomaly(anomaly: &Anomaly) -> JsonAnomaly<'_> {
    match anomaly {
        Anomaly::Read(text) => JsonAnomaly::Read(text),
        Anomaly::Cycle(edges) => JsonAnomaly::Cycle(edges),
        Anomaly::NoOrder { keys } => JsonAnomaly::NoOrder { keys },
    }
}

fn json_inference(inference: &Inference) -> JsonInference<'_> {
    let levels = inference.levels.iter();
    JsonInference {
        histories: inference.histories,
        levels: levels
            .map(|(method, level)| (method.as_str(), level.name()))
            .collect(),
        together: inference.together.map(|level| level.name()),
        unexplained: &inference.unexplained,
        undecided: &inference.undecided,
    }
}

/// What the operations of a history are called.
struct Names<'a> {
    ops: &'a [ShownOp],
}

impl<'a> Names<'a> {
    fn id(&self, op: usize) -> &'a str {
        self.ops.get(op).map_or("", |op| op.label.as_str())
    }

    fn ids(&self, ops: OpSet) -> Vec<&'a str> {
        ops.iter().map(|op| self.id(op)).collect()
    }

    fn op(&self, op: usize, sees: Option<OpSet>) -> JsonOp<'a> {
        let shown = self.ops.get(op);
        JsonOp {
            id: self.id(op),
            thread: shown.map_or("", |op| op.thread.as_str()),
            text: shown.map_or("", |op| op.text.as_str()),
            sees: sees.map(|sees| self.ids(sees)),
        }
    }

    fn order(&self, order: &[usize], visible: &[OpSet]) -> JsonOrder<'a> {
        let sees = |op: usize| visible.get(op).copied().unwrap_or_default();
        JsonOrder {
            order: order.iter().map(|op| self.op(*op, Some(sees(*op)))).collect(),
        }
    }

    fn refutation(&self, refutation: &'a Refutation) -> JsonRefutation<'a> {
        let candidates = refutation.candidates.iter();
        JsonRefutation {
            op: self.op(refutation.op, None),
            explained: self.order(&refutation.explained, &refutation.visible),
            candidates: candidates
                .map(|candidate| JsonCandidate {
                    sees: self.ids(candidate.sees),
                    state: &candidate.state,
                    reason: candidate.reason.as_deref(),
                })
                .collect(),
            core: refutation.core.map(|core| self.ids(core)),
        }
    }
}
