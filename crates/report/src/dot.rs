//! The cycles of transactions as a graph for Graphviz: one cluster for each anomaly.

use std::collections::BTreeMap;

use omnilink_evidence::{Evidence, NamedAnomaly, ReportedTransaction};

/// The anomalies of transactions as a graph. Without any, the graph is empty.
pub fn dot(evidence: &[Evidence]) -> String {
    let mut graph = "digraph anomalies {\n  node [shape=box, fontname=\"monospace\"];\n".to_owned();
    let findings = evidence.iter().filter_map(|one| one.isolation.as_deref());
    let mut clusters = 0;
    for findings in findings {
        let accounts: BTreeMap<&str, &ReportedTransaction> = { findings.transactions.iter() }
            .map(|account| (account.name.as_str(), account))
            .collect();
        for anomaly in findings
            .anomalies
            .iter()
            .filter(|anomaly| !anomaly.cycle.is_empty())
        {
            push_cluster(&mut graph, clusters, anomaly, &accounts);
            clusters += 1;
        }
    }
    graph.push_str("}\n");
    graph
}

fn push_cluster(
    graph: &mut String,
    number: usize,
    anomaly: &NamedAnomaly,
    accounts: &BTreeMap<&str, &ReportedTransaction>,
) {
    graph.push_str(&format!(
        "  subgraph cluster_{number} {{\n    label={};\n",
        quoted(&anomaly.name)
    ));
    let node = |name: &str| quoted(&format!("{number} {name}"));
    for edge in &anomaly.cycle {
        let operations = { accounts.get(edge.from.as_str()).into_iter() }
            .flat_map(|account| &account.ops)
            .map(|op| format!("\n{}", op.text));
        let label = quoted(&format!("{}{}", edge.from, operations.collect::<String>()));
        graph.push_str(&format!("    {} [label={label}];\n", node(&edge.from)));
    }
    for edge in &anomaly.cycle {
        let label = match &edge.key {
            Some(key) => format!("{} {key}", edge.kind),
            None => edge.kind.clone(),
        };
        graph.push_str(&format!(
            "    {} -> {} [label={}, tooltip={}];\n",
            node(&edge.from),
            node(&edge.to),
            quoted(&label),
            quoted(&edge.reason)
        ));
    }
    graph.push_str("  }\n");
}

/// A text in double quotes, on one line.
fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use omnilink_evidence::{Command, DependencyEdge, IsolationFindings, Subject};

    use super::*;

    #[test]
    fn a_cycle_is_a_cluster_with_its_edges() {
        let edge = |from: &str, to: &str| DependencyEdge {
            from: from.to_owned(),
            to: to.to_owned(),
            kind: "rw".to_owned(),
            key: Some("\"x\"".to_owned()),
            reason: "it missed the other".to_owned(),
        };
        let mut evidence = Evidence::new(Command::Check, Subject::Transactions, String::new());
        evidence.isolation = Some(Box::new(IsolationFindings {
            anomalies: vec![NamedAnomaly {
                name: "G2-item".to_owned(),
                text: String::new(),
                cycle: vec![edge("#1", "#2"), edge("#2", "#1")],
            }],
            ..IsolationFindings::default()
        }));
        let graph = dot(&[evidence]);
        assert!(graph.contains("label=\"G2-item\""), "{graph}");
        assert!(
            graph.contains(r##""0 #1" -> "0 #2" [label="rw \"x\"", tooltip="it missed the other"];"##),
            "{graph}"
        );
        assert_eq!(graph.matches('{').count(), graph.matches('}').count());
    }
}
