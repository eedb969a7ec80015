//! Transactions checked for a level of isolation, and the strongest levels that histories satisfy.

use omnilink_evidence::{Evidence, InferredLevels, Violation};

use super::{history_headline, limit_reached};
use crate::figures::{counted, seconds};
use crate::look::Look;
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
        (_, Some(unknown)) => line(&format!(
            "{} before there was an answer",
            limit_reached(unknown.limit)
        )),
        _ => {}
    }
    page
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
