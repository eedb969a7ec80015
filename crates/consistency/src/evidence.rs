//! The evidence of a check, from what the searches found.

use omnilink_engine::Model;
use omnilink_evidence::{
    Command, Conclusion, Evidence, ExplainedOrder, Figures, InferredLevels, Limit, PlacedOperation,
    ReportedOperation, Subject, ThreadName, Unknown, Verdict, Violation, VisibilityRefutation, VisibleSet,
    Witness,
};
use omnilink_history::{OpSet, OrderSource, RecordedHistory};

use crate::criterion::Ret;
use crate::history::HistoryOp;
use crate::infer::Inferred;
use crate::long_check::{LongConclusion, LongViolation, LongWitness};
use crate::outcome::{UnexplainedReturn, WeakOutcome};

/// The operations of a history, as reports show them.
pub(crate) struct ShownHistory {
    ops: Vec<ReportedOperation>,
    /// For each operation, whether it may change the state.
    writes: Vec<bool>,
}

impl ShownHistory {
    /// The operations `ops`, which are those of `recorded` at the positions `kept`.
    pub fn new<M: Model>(
        model: &M,
        ops: &[HistoryOp<M::Op>],
        recorded: &RecordedHistory,
        kept: &[usize],
        thread_name: impl Fn(u32) -> String,
    ) -> Self {
        let is_timed = matches!(
            recorded.order,
            OrderSource::Timeboxes | OrderSource::AsyncTimeboxes
        );
        let shown = |(position, op): (u64, &HistoryOp<M::Op>)| {
            let source = kept.get(position as usize).and_then(|at| recorded.ops.get(*at));
            let timebox = source.filter(|_| is_timed).map(|source| source.timebox);
            ReportedOperation {
                id: position,
                label: Some(op.label.clone()),
                thread: ThreadName::Name(thread_name(op.thread)),
                text: model.describe_op(&op.op),
                start: timebox.map(|timebox| timebox.start),
                end: timebox.and_then(|timebox| timebox.end),
                pending: op.optional,
                place: source.map(|source| source.location.to_string()),
            }
        };
        Self {
            ops: (0..).zip(ops).map(shown).collect(),
            writes: ops.iter().map(|op| !model.is_pure(&op.effect)).collect(),
        }
    }

    /// The evidence of a search over visibilities.
    pub fn of_outcome(&self, guarantee: String, ret: Ret, outcome: WeakOutcome) -> Evidence {
        let mut evidence = self.evidence(guarantee, ret);
        let figures = &mut evidence.figures;
        figures.configurations = Some(outcome.figures.configurations);
        figures.visibilities = Some(outcome.figures.visibilities);
        figures.model_steps = Some(outcome.figures.model_steps);
        match outcome.conclusion {
            Conclusion::Valid(explanation) => {
                let order = self.order(&explanation.linearization, Some(&explanation.visible));
                evidence.witness = Some(Witness::Visibility { order });
            }
            Conclusion::Violation(unexplained) => {
                let refutation = self.refutation(&unexplained);
                evidence.violate(Violation::Visibility(Box::new(refutation)));
            }
            Conclusion::Unknown(unknown) => evidence.give_up(*unknown),
        }
        evidence
    }

    /// The evidence of a history that is too long for the search over visibilities.
    pub fn of_long(&self, guarantee: String, ret: Ret, conclusion: LongConclusion) -> Evidence {
        let mut evidence = self.evidence(guarantee, ret);
        match conclusion {
            Conclusion::Valid(LongWitness { implied_by, order }) => {
                let order = self.order(&order, None);
                evidence.witness = Some(Witness::Visibility { order });
                let level = implied_by.map(|level| level.name().to_owned());
                evidence.implied_by = level.filter(|level| evidence.consistency.as_ref() != Some(level));
            }
            Conclusion::Violation(violation) => evidence.violate(match *violation {
                LongViolation::Unexplained(op) => Violation::Visibility(Box::new(VisibilityRefutation {
                    op: self.ops[op].clone(),
                    explained: ExplainedOrder::default(),
                    candidates: Vec::new(),
                    core: None,
                })),
                LongViolation::Anomaly { anomaly, .. } => Violation::Transactions(anomaly),
            }),
            Conclusion::Unknown(unknown) => evidence.give_up(*unknown),
        }
        evidence
    }

    fn evidence(&self, guarantee: String, ret: Ret) -> Evidence {
        let mut threads: Vec<&ThreadName> = self.ops.iter().map(|op| &op.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let mut evidence = Evidence::new(Command::Check, Subject::Visibility, String::new());
        evidence.consistency = Some(guarantee);
        evidence.ret = Some(ret_word(ret).to_owned());
        evidence.figures = Figures {
            ops: self.ops.len() as u64,
            pending: self.ops.iter().filter(|op| op.pending).count() as u64,
            threads: Some(threads.len() as u64),
            ..Figures::default()
        };
        evidence
    }

    fn order(&self, order: &[usize], visible: Option<&[OpSet]>) -> Vec<PlacedOperation> {
        let placed = |op: &usize| PlacedOperation {
            op: self.ops[*op].clone(),
            sees: visible.map(|visible| ids(visible.get(*op).copied().unwrap_or_default())),
            writes: self.writes[*op],
        };
        order.iter().map(placed).collect()
    }

    fn refutation(&self, unexplained: &UnexplainedReturn) -> VisibilityRefutation {
        let candidates = unexplained.candidates.iter().map(|candidate| VisibleSet {
            sees: ids(candidate.sees),
            state: candidate.state.clone(),
            reason: candidate.refusal.as_ref().map(|refusal| refusal.reason.clone()),
            places: candidate
                .refusal
                .as_ref()
                .map(|refusal| refusal.places.clone())
                .unwrap_or_default(),
        });
        let core = |core: OpSet| core.iter().map(|op| self.ops[op].clone()).collect();
        VisibilityRefutation {
            op: self.ops[unexplained.op].clone(),
            explained: ExplainedOrder {
                order: self.order(&unexplained.explained, Some(&unexplained.visible)),
            },
            candidates: candidates.collect(),
            core: unexplained.core.map(core),
        }
    }
}

fn ret_word(ret: Ret) -> &'static str {
    match ret {
        Ret::Own => "own",
        Ret::All => "all",
    }
}

fn ids(ops: OpSet) -> Vec<u64> {
    ops.iter().map(|op| op as u64).collect()
}

/// The evidence of the strongest levels that histories satisfy.
pub(crate) fn of_levels(recorded: &[RecordedHistory], inferred: Inferred) -> Evidence {
    let ids = |positions: &[usize]| -> Vec<String> {
        let named = positions.iter().filter_map(|at| recorded.get(*at));
        named.map(|recorded| recorded.id.clone()).collect()
    };
    let levels = inferred.levels.methods.into_iter();
    let inferred = InferredLevels {
        histories: recorded.len(),
        levels: levels
            .map(|(method, level)| (method, level.name().to_owned()))
            .collect(),
        together: inferred.together.map(|level| level.name().to_owned()),
        unexplained: ids(&inferred.unexplained),
        undecided: ids(&inferred.undecided),
    };
    let mut evidence = Evidence::new(Command::Check, Subject::Levels, String::new());
    evidence.id = Some(format!("{} histories", recorded.len()));
    evidence.consistency = Some("inferred".to_owned());
    evidence.verdict = match (inferred.unexplained.is_empty(), inferred.undecided.is_empty()) {
        (false, _) => Verdict::Violation,
        (true, false) => Verdict::Unknown,
        (true, true) => Verdict::Valid,
    };
    evidence.inferred = Some(inferred);
    evidence
}

/// The evidence of an input that was not read to its end.
pub fn unread(id: String, guarantee: String, operations: u64, limit: Limit) -> Evidence {
    let mut evidence = Evidence::new(Command::Check, Subject::Visibility, String::new());
    evidence.id = Some(id);
    evidence.consistency = Some(guarantee);
    evidence.figures.ops = operations;
    evidence.give_up(Unknown {
        unread: true,
        ..Unknown::limited(limit)
    });
    evidence
}
