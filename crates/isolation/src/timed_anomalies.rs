//! Anomalies that are about time and sessions: Adya's interference and missed effects, and guarantees of sessions.

use omnilink_engine::Limits;
use omnilink_evidence::{Anomaly, Conclusion, Verdict};

use crate::anomalies::FoundAnomaly;
use crate::dependency::{Dependencies, DependencyKind};
use crate::level::{Isolation, IsolationFamily, IsolationScope};
use crate::survey::Survey;
use crate::transaction::Transactions;

/// The guarantees of sessions whose violation has a name of its own.
const GUARANTEES: [(IsolationFamily, &str); 2] = [
    (IsolationFamily::MonotonicReads, "non-monotonic-reads"),
    (IsolationFamily::MonotonicWrites, "non-monotonic-writes"),
];

impl Transactions {
    /// G-SIa: a transaction saw or overwrote what was begun only after it had ended. G-SIb: it missed what had ended before it began. Both are
    /// meant by the store's own times; what clients observed is certain, but not all.
    pub(crate) fn time_patterns(&self, found: &[FoundAnomaly], graph: &Dependencies) -> Vec<FoundAnomaly> {
        let mut patterns = Vec::new();
        let is_data = |kind: DependencyKind| matches!(kind, DependencyKind::Wr | DependencyKind::Ww);
        let edges = graph.out.iter().flatten();
        let early =
            { edges.filter(|edge| is_data(edge.kind)) }.find(|edge| self.precedes(edge.to, edge.from));
        patterns.extend(early.map(|edge| FoundAnomaly {
            name: "G-SIa".to_owned(),
            text: format!(
                "interference: {} depends on {}, which began after it had ended",
                self.all[edge.to].label, self.all[edge.from].label
            ),
            cycle: Vec::new(),
        }));
        let missed = found.iter().find(|anomaly| anomaly.name == "G-single-realtime");
        patterns.extend(missed.map(|missed| FoundAnomaly {
            name: "G-SIb".to_owned(),
            text: "missed effects: a transaction does not see what had ended before it began".to_owned(),
            cycle: missed.cycle.clone(),
        }));
        patterns
    }

    /// Guarantees of sessions that are broken, where everything that a session need not promise holds.
    pub(crate) fn session_patterns(&self, survey: &Survey) -> Vec<FoundAnomaly> {
        let level = |family| Isolation::new(family, IsolationScope::Session);
        if survey.verdict(level(IsolationFamily::ReadCommitted)) != Some(Verdict::Valid) {
            return Vec::new();
        }
        let broken = |(family, name): &(IsolationFamily, &str)| {
            let level = level(*family);
            if survey.verdict(level) != Some(Verdict::Violation) {
                return None;
            }
            let Ok(Conclusion::Violation(anomaly)) = self.check(level, Limits::default()) else {
                return None;
            };
            let text = match *anomaly {
                Anomaly::Cycle(edges) => edges.join("; "),
                other => other.to_string(),
            };
            Some(FoundAnomaly {
                name: (*name).to_owned(),
                text,
                cycle: Vec::new(),
            })
        };
        GUARANTEES.iter().filter_map(broken).collect()
    }
}
