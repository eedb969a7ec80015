//! Transactions checked for a level of isolation, and the strongest levels that histories satisfy.

use omnilink_evidence::{Evidence, InferredLevels, IsolationFindings, NamedAnomaly, Verdict, Violation};

use super::{history_headline, limit_reached};
use crate::figures::{counted, seconds};
use crate::look::{Look, Tone};
use crate::paragraph::push_wrapped;

/// The report of transactions as text.
pub(super) fn text(evidence: &Evidence, look: &Look) -> String {
    let operations = counted(evidence.figures.ops, "operation", "operations");
    let level = evidence.consistency.as_deref().unwrap_or_default();
    let cost = seconds(evidence.figures.seconds);
    let sentence = format!("{operations} in transactions, {level} ({cost})");
    let mut page = history_headline(evidence, &sentence, look);
    let mut line = |text: &str| push_wrapped(&mut page, "  ", "      ", &look.clean(text), look);
    match (&evidence.violation, &evidence.unknown) {
        (Some(Violation::Transactions(anomaly)), _) => anomaly.to_string().lines().for_each(line),
        (_, Some(unknown)) => line(&match &unknown.reason {
            Some(reason) => reason.clone(),
            None => format!("{} before there was an answer", limit_reached(unknown.limit)),
        }),
        _ => {}
    }
    if let Some(findings) = &evidence.isolation {
        push_findings(&mut page, findings, look);
    }
    page
}

/// The anomalies by name, and the levels that hold and that do not.
fn push_findings(page: &mut String, findings: &IsolationFindings, look: &Look) {
    for anomaly in &findings.anomalies {
        let line = format!("{}: {}", anomaly.name, anomaly.text);
        push_wrapped(page, "  ", "      ", &look.clean(&line), look);
        // The cycle of `X` is not shown again for `X-process` and `X-realtime`.
        let is_variant = |known: &&NamedAnomaly| {
            let base = known.name.trim_end_matches("-process");
            anomaly
                .name
                .strip_prefix(base)
                .is_some_and(|rest| !rest.is_empty() && known.name != anomaly.name)
        };
        if findings.anomalies.iter().any(|known| is_variant(&known)) {
            continue;
        }
        for edge in &anomaly.cycle {
            let line = format!("{} -{}-> {}: {}", edge.from, edge.kind, edge.to, edge.reason);
            push_wrapped(page, "      ", "        ", &look.clean(&line), look);
        }
    }
    if findings.levels.is_empty() {
        let mut list = |what: &str, levels: &[String]| {
            if !levels.is_empty() {
                let line = format!("{what}: {}", levels.join(", "));
                push_wrapped(page, "  ", "      ", &look.clean(&line), look);
            }
        };
        list("holds, at the most", &findings.strongest);
        list("violated, at the least", &findings.weakest_violated);
    }
    push_places(page, findings, look);
    for level in &findings.levels {
        let mark = match level.verdict {
            Verdict::Valid => look.paint(Tone::Good, "yes"),
            Verdict::Violation => look.paint(Tone::Bad, "no "),
            _ => look.paint(Tone::Unsure, "?  "),
        };
        let known_as = if level.known_as.is_empty() {
            String::new()
        } else {
            format!("  ({})", level.known_as.join(", "))
        };
        page.push_str(&format!("  {mark} {}{known_as}\n", level.level));
    }
}

/// More transactions than these are in the evidence only.
const PLACES_MAX: usize = 8;

/// Where the transactions stand that are named.
fn push_places(page: &mut String, findings: &IsolationFindings, look: &Look) {
    let placed = findings.transactions.iter().filter_map(|transaction| {
        let place = transaction.ops.first()?.place.as_ref()?;
        Some((&transaction.name, place))
    });
    let placed: Vec<_> = placed.take(PLACES_MAX).collect();
    // A file of histories has a line for each of them, and not for each transaction.
    let is_told = placed.len() == 1 || placed.windows(2).any(|pair| pair[0].1 != pair[1].1);
    if is_told {
        let placed = placed.iter().map(|(name, place)| format!("{name} at {place}"));
        let line = placed.collect::<Vec<_>>().join(", ");
        push_wrapped(page, "  ", "      ", &look.clean(&line), look);
    }
}

/// The report of inferred levels as text.
pub(super) fn levels_text(evidence: &Evidence, inferred: &InferredLevels, look: &Look) -> String {
    let model = evidence.model.as_deref().unwrap_or("the model");
    let cost = seconds(evidence.figures.seconds);
    let sentence = format!("strongest levels against {model} ({cost})");
    let mut page = history_headline(evidence, &sentence, look);
    for (method, level) in &inferred.levels {
        page.push_str(&format!("  {}: {level}\n", look.clean(method)));
    }
    let together = inferred.together.as_deref().unwrap_or("no level");
    page.push_str(&format!("  all methods together: {together}\n"));
    let mut list = |what: &str, ids: &[String]| {
        if !ids.is_empty() {
            let line = format!("{what}: {}", ids.join(" "));
            push_wrapped(&mut page, "  ", "    ", &look.clean(&line), look);
        }
    };
    list("left out, as they satisfy no level", &inferred.unexplained);
    list("undecided within the limits", &inferred.undecided);
    page
}
