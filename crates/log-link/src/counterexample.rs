//! The counterexample of a rejected log.

use std::collections::BTreeSet;

use omnilink_evidence::{
    Alternative, BrokenRule, Candidate, Continuation, Counterexample, LogEnding, RefusalReason,
    ReportedOperation, ThreadName,
};
use rustc_hash::FxHashMap;

use crate::error::LogError;
use crate::expansion::Expander;
use crate::layer::Cut;
use crate::log_spec::LogSpec;
use crate::refusal::{broken_invariant, refusal, state_text};
use crate::search::Search;

/// How many endings are reported.
const ENDINGS_MAX: usize = 16;

/// A line as reports show it.
pub(crate) fn line_operation(search: &Search<'_>, spec: &LogSpec, line: u32) -> Option<ReportedOperation> {
    let prepared = search.lines.get(line)?;
    Some(ReportedOperation {
        id: u64::from(line),
        label: None,
        thread: ThreadName::Name(prepared.node.clone()),
        text: prepared.text(spec),
        start: Some(i64::from(line)),
        end: Some(i64::from(line)),
        pending: false,
        place: Some(prepared.place.to_string()),
    })
}

/// Why a log is rejected: the first line that no explanation goes beyond, and the states before it.
pub(crate) fn counterexample(
    search: &mut Search<'_>,
    expander: &mut Expander<'_>,
) -> Result<Counterexample, LogError> {
    let spec = expander.spec;
    let depth = search.depth();
    let total = search.deepest().entries.len() as u64;
    let mut alternatives = Vec::new();
    // For each line that may come next in some state, the invariant that every step breaks.
    let mut broken_by: Vec<Option<String>> = Vec::new();
    let mut unexplained: Option<u32> = None;
    for number in 0..(total as usize).min(Counterexample::ALTERNATIVES_MAX) {
        let entry = search.deepest().entries[number].clone();
        let state = search.named_state(depth, number as u32).unwrap_or(entry.state);
        let enabled = search.lines.enabled(&entry.cut)?;
        let mut candidates = Vec::new();
        if enabled.is_empty() {
            candidates = waiting_in_a_circle(search, expander, &entry.cut)?;
            unexplained = search.lines.waiting(&entry.cut).min().or(unexplained);
        }
        for (_, line) in enabled {
            search.lines.prepare(line, &mut expander.evaluator)?;
            unexplained = Some(unexplained.map_or(line, |earlier| earlier.min(line)));
            let Some(prepared) = search.lines.get(line).cloned() else {
                continue;
            };
            let broken = broken_invariant(expander, &state, &prepared);
            let RefusalReason { reason, places } = match &broken {
                Some(broken) => RefusalReason::from(broken.reason.clone()),
                None => refusal(expander, &state, &prepared),
            };
            broken_by.push(broken.map(|broken| broken.name));
            if let Some(op) = line_operation(search, spec, line) {
                candidates.push(Candidate {
                    op,
                    continuation: Continuation::Refused {
                        reason: Some(reason),
                        places,
                    },
                });
            }
        }
        let path = search.path(depth, number as u32);
        let recent: Vec<u32> = path.iter().filter_map(|entry| entry.line).collect();
        let from = recent.len().saturating_sub(Alternative::RECENT_MAX);
        alternatives.push(Alternative {
            state: state_text(spec, &state),
            recent: recent[from..]
                .iter()
                .filter_map(|line| line_operation(search, spec, *line))
                .collect(),
            steps: Vec::new(),
            placed: Vec::new(),
            candidates,
        });
    }
    let line = unexplained.unwrap_or(depth);
    let op = line_operation(search, spec, line).unwrap_or_else(|| {
        ReportedOperation::timed(
            u64::from(line),
            0,
            "no initial state satisfies the invariants".to_owned(),
            0,
            Some(0),
        )
    });
    // The lines are steps of the specification: an invariant is all that is wrong.
    let names: Option<BTreeSet<String>> = broken_by.into_iter().collect();
    let names: Vec<String> = names.into_iter().flatten().collect();
    let broken = (!names.is_empty()).then(|| BrokenRule {
        rule: match names.as_slice() {
            [name] => format!("the invariant {name} is false"),
            several => format!("one of the invariants {} is false", several.join(", ")),
        },
        operations: vec![op.clone()],
    });
    Ok(Counterexample {
        op,
        alternatives_total: total,
        alternatives,
        agreed: None,
        broken,
    })
}

/// Lines of which none may come next: what the lines of one step say contradicts each other.
fn waiting_in_a_circle(
    search: &mut Search<'_>,
    expander: &mut Expander<'_>,
    cut: &Cut,
) -> Result<Vec<Candidate>, LogError> {
    let lines: Vec<u32> = search.lines.waiting(cut).collect();
    let mut candidates = Vec::new();
    for line in lines {
        search.lines.prepare(line, &mut expander.evaluator)?;
        let reason = "it comes after lines that come after it, by its own `after`, `receives` or clock and by those of the lines of its step (joins = true)";
        candidates.extend(line_operation(search, expander.spec, line).map(|op| Candidate {
            op,
            continuation: Continuation::Refused {
                reason: Some(reason.to_owned()),
                places: Vec::new(),
            },
        }));
    }
    Ok(candidates)
}

/// Where explanations end that nothing continues: those of the most lines first.
pub(crate) fn endings(search: &mut Search<'_>) -> Result<Vec<LogEnding>, LogError> {
    let mut ends: FxHashMap<Cut, u64> = FxHashMap::default();
    for entry in search.layers.iter().flat_map(|layer| &layer.entries) {
        if !entry.is_continued {
            *ends.entry(entry.cut.clone()).or_default() += 1;
        }
    }
    let lines = &search.lines;
    let explained = |cut: &Cut| lines.count(cut);
    let mut ends: Vec<(Cut, u64)> = ends.into_iter().collect();
    ends.sort_by(|(left, _), (right, _)| explained(right).cmp(&explained(left)).then(left.cmp(right)));
    ends.truncate(ENDINGS_MAX);
    let mut endings = Vec::new();
    for (cut, states) in ends {
        let refused = search.lines.enabled(&cut)?;
        endings.push(LogEnding {
            lines: search.lines.count(&cut),
            refused: refused
                .iter()
                .filter_map(|(_, line)| Some(search.lines.raw(*line)?.place.to_string()))
                .collect(),
            states,
        });
    }
    Ok(endings)
}
