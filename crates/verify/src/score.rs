//! How well a spec pins down what was recorded, for `omnilink link check`.

use omnilink_link::{PartProbe, Probe};
use omnilink_report::{Look, wrapped};

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
pub(crate) fn lines(probes: &[Probe]) -> Vec<String> {
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
