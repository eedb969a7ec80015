//! How well a spec pins down what was recorded, for `omnilink link check`.

use std::time::Duration;

use omnilink_engine::{Limits, Options};
use omnilink_evidence::{Command, Verdict};
use omnilink_link::{Linked, PartProbe, Probe, Thoroughness};
use omnilink_report::{Look, wrapped};
use omnilink_trace::Operation;

use crate::check_run::{CheckRequest, check_input};
use crate::detail::Detail;
use crate::error::VerifyError;
use crate::input::Input;
use crate::progress::ProgressCounter;
use crate::validation::meaning;

/// Checks a trace, and says how well the spec pins down what was recorded, in lines of text.
///
/// # Errors
/// If the trace cannot be read or checked.
pub fn score(linked: &Linked, input: &Input, progress: &ProgressCounter) -> Result<Vec<String>, VerifyError> {
    let request = CheckRequest {
        command: Command::Validate,
        model_name: linked.name().to_owned(),
        options: Options {
            limits: Limits {
                time: Some(SCORE_TIME),
                ..Limits::default()
            },
            ..Options::default()
        },
        minimize: false,
        witness: None,
        detail: Detail::Reasons,
    };
    linked.run(|model| {
        let decode = |operation: &Operation| meaning(model, operation);
        let report = check_input(model, &decode, input, &request, progress);
        let mut lines = vec!["\n".to_owned()];
        if let Some(error) = report.error {
            return Err(VerifyError::Usage(error));
        }
        if let Some(sentence) = unless_valid(report.verdict) {
            let told = format!("{sentence} The score is for what came before.");
            lines.push(wrapped("", &told, &Look::plain()));
        }
        lines.extend(score_lines(&model.probe(Thoroughness::Full)));
        Ok(lines)
    })?
}

/// What is to be said of a trace that is not known to be valid.
fn unless_valid(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Violation => Some("The trace is not explained: `omnilink validate` says why."),
        Verdict::Unknown => {
            Some("Whether the trace is explained is unknown: a limit was reached before there was an answer.")
        }
        Verdict::Valid | Verdict::Error => None,
    }
}

/// How long the trace is checked for the score.
const SCORE_TIME: Duration = Duration::from_secs(20);

/// How well the operations of one name are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grade {
    /// Most other values would have been refused.
    PinnedDown,
    /// Some would have been.
    Barely,
    /// None would have been, but others could see the difference.
    ByEffect,
    /// None would have made a difference.
    NotAtAll,
    /// There is nothing to be wrong about: nothing was recorded but that it happened.
    Nothing,
}

/// This many of a hundred other values must be refused.
const PINNED_PERCENT: u64 = 50;

/// The lines of the score, the last of them for all operations together.
fn score_lines(probes: &[Probe]) -> Vec<String> {
    let heading = "How well the spec pins down what was recorded (other values, tried in states that the trace reached):";
    let mut lines = vec![wrapped("", heading, &Look::plain())];
    for probe in probes {
        let told = format!("{}: {}", probe.action, told(probe));
        lines.push(wrapped("  ", &told, &Look::plain()));
    }
    lines.push(wrapped("", &summary(probes), &Look::plain()));
    lines
}

fn told(probe: &Probe) -> String {
    let best = best(probe);
    match grade(probe) {
        Grade::PinnedDown => format!("pinned down; {}", refused(best)),
        Grade::Barely => format!("barely; {}", refused(best)),
        Grade::ByEffect => {
            "by its effect only; other values are possible, and lead to other states".to_owned()
        }
        Grade::NotAtAll => {
            "not at all; other values are possible, and make no difference in any state reached".to_owned()
        }
        Grade::Nothing => "there is nothing to try: it takes no values".to_owned(),
    }
}

fn refused(best: Option<&PartProbe>) -> String {
    best.map_or_else(String::new, |part| {
        format!(
            "another {} is refused in {} of 100 cases",
            part.field,
            percent(part)
        )
    })
}

fn summary(probes: &[Probe]) -> String {
    let named = |wanted: Grade| -> Vec<&str> {
        let these = probes.iter().filter(|probe| grade(probe) == wanted);
        these.map(|probe| probe.op.as_str()).collect()
    };
    let judged = probes
        .iter()
        .filter(|probe| grade(probe) != Grade::Nothing)
        .count();
    let mut parts = vec![format!(
        "Score: {} of {judged} operations pinned down",
        named(Grade::PinnedDown).len()
    )];
    for (grade, words) in [
        (Grade::Barely, "barely"),
        (Grade::ByEffect, "by their effect only"),
        (Grade::NotAtAll, "not at all"),
    ] {
        let these = named(grade);
        if !these.is_empty() {
            parts.push(format!("{words}: {}", these.join(", ")));
        }
    }
    parts.join("; ") + "."
}

/// The part that is checked best.
fn best(probe: &Probe) -> Option<&PartProbe> {
    let tried = probe.parts.iter().filter(|part| part.tried > 0);
    tried.max_by_key(|part| (percent(part), part.is_result))
}

fn percent(part: &PartProbe) -> u64 {
    (part.refused * 100).checked_div(part.tried).unwrap_or(0)
}

fn grade(probe: &Probe) -> Grade {
    match best(probe) {
        None => Grade::Nothing,
        Some(best) if percent(best) >= PINNED_PERCENT => Grade::PinnedDown,
        Some(_) if probe.is_pinned() => Grade::Barely,
        Some(_) if probe.has_effect() => Grade::ByEffect,
        Some(_) => Grade::NotAtAll,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_no_violation() {
        assert_eq!(unless_valid(Verdict::Valid), None);
        let unknown = unless_valid(Verdict::Unknown).unwrap();
        assert!(
            unknown.contains("unknown") && unknown.contains("limit") && !unknown.contains("not explained")
        );
        assert!(
            unless_valid(Verdict::Violation)
                .unwrap()
                .contains("not explained")
        );
    }
}
