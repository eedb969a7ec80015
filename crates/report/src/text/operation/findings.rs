//! Tags, ambiguity, mutation score and coverage of a specification.

use omnilink_evidence::{ActionFindings, MutationFindings, SpecFindings};

use super::Page;
use crate::figures::{count, counted};
use crate::look::Look;
use crate::paragraph::push_wrapped;

/// How wide the column of actions is at most.
const ACTION_MAX: usize = 40;

impl Page<'_> {
    pub(super) fn push_findings(
        &self,
        page: &mut String,
        findings: &SpecFindings,
        shows_coverage: bool,
        look: &Look,
    ) {
        if !findings.tags.is_empty() {
            let tags: Vec<_> = findings.tags.iter().map(|tag| look.clean(tag)).collect();
            push_wrapped(page, "Tags: ", "  ", &tags.join(", "), look);
        }
        self.push_ambiguity(page, findings, look);
        if let Some(mutation) = &self.evidence.mutation {
            push_mutation(page, mutation, look);
        }
        if shows_coverage {
            push_coverage(page, findings, look);
        }
    }

    /// Why the check was hard, and what to do about it.
    fn push_ambiguity(&self, page: &mut String, findings: &SpecFindings, look: &Look) {
        if findings.longest.is_empty() {
            return;
        }
        let sentence = format!(
            "The trace is ambiguous: {:.1} explanations alive on average, at most {}. The longest timeboxes, which overlap with most:",
            findings.frontier_mean,
            count(self.evidence.figures.frontier_max.unwrap_or(0))
        );
        push_wrapped(page, "", "  ", &sentence, look);
        for long in &findings.longest {
            let line = format!(
                "{} ({}), {} long",
                look.clean(&long.call),
                look.clean(&long.place),
                count(long.length)
            );
            push_wrapped(page, "  - ", "    ", &line, look);
        }
        let advice = "To have less of it: record start and end closer to the moment of effect, in finer operations; narrow timeboxes by what \
                      else is known (omnilink trace retime); log more of the result, so that fewer orders fit.";
        push_wrapped(page, "  ", "  ", advice, look);
    }
}

fn push_mutation(page: &mut String, mutation: &MutationFindings, look: &Look) {
    let (changed, noticed) = mutation.changed();
    let heading = format!(
        "Of {} that were changed in the first {} (seed {}), the spec noticed {}{}:",
        counted(changed, "recorded value", "recorded values"),
        counted(mutation.ops, "operation", "operations"),
        mutation.seed,
        share(noticed, changed),
        match mutation.undecided {
            0 => String::new(),
            undecided => format!(" ({} more could not be decided)", count(undecided)),
        }
    );
    push_wrapped(page, "", "  ", &heading, look);
    for action in &mutation.actions {
        let mut parts = Vec::new();
        for (kind, tried, noticed) in [
            ("changed", action.changed, action.changed_noticed),
            ("dropped", action.dropped, action.dropped_noticed),
            ("swapped", action.swapped, action.swapped_noticed),
        ] {
            if tried > 0 {
                parts.push(format!("{kind}: {} noticed", share(noticed, tried)));
            }
        }
        let op = look.clean(&action.op);
        push_wrapped(page, &format!("  {op}  "), "      ", &parts.join(", "), look);
    }
    for unnoticed in &mutation.unnoticed {
        push_wrapped(page, "  not noticed: ", "      ", &look.clean(unnoticed), look);
    }
    if mutation.is_cut_short {
        push_wrapped(page, "  ", "  ", "There was no time for more.", look);
    }
}

/// `3 of 4 (75 %)`
fn share(noticed: u64, tried: u64) -> String {
    match (noticed * 100).checked_div(tried) {
        Some(percent) => format!("{} of {} ({percent} %)", count(noticed), count(tried)),
        None => "none of none".to_owned(),
    }
}

fn push_coverage(page: &mut String, findings: &SpecFindings, look: &Look) {
    page.push_str("Coverage:\n");
    let width = |action: &ActionFindings| action.action.chars().count();
    let width = findings
        .actions
        .iter()
        .map(width)
        .max()
        .unwrap_or(0)
        .min(ACTION_MAX);
    for action in &findings.actions {
        let mut line = format!("placed {}", counted(action.placed, "time", "times"));
        if action.pending > 0 {
            line.push_str(&format!(", and up to {} pending", count(action.pending)));
        }
        line.push_str(&match (action.tried, action.refused) {
            (0, _) => "; never tried".to_owned(),
            (tried, 0) => format!("; possible in all {} tried", counted(tried, "step", "steps")),
            (tried, refused) => format!(
                "; refused in {} of {} tried",
                count(refused),
                counted(tried, "step", "steps")
            ),
        });
        push_wrapped(
            page,
            &format!("  {:width$}  ", look.clean(&action.action)),
            "      ",
            &line,
            look,
        );
        for branch in &action.branches {
            let taken = match branch.taken {
                0 => "never taken".to_owned(),
                taken => format!("taken by {}", counted(taken, "step", "steps")),
            };
            let line = format!(
                "{}: {} ({})",
                taken,
                look.clean(&branch.text),
                look.clean(&branch.at)
            );
            push_wrapped(page, "      - ", "        ", &line, look);
        }
    }
    for invariant in &findings.invariants {
        let mut line = format!("evaluated in {}", counted(invariant.evaluated, "state", "states"));
        if invariant.broken > 0 {
            line.push_str(&format!(", false in {}", count(invariant.broken)));
        }
        push_wrapped(
            page,
            &format!("  invariant {}: ", look.clean(&invariant.name)),
            "      ",
            &line,
            look,
        );
    }
    let frontier = format!("{:.1} explanations alive on average", findings.frontier_mean);
    push_wrapped(page, "  ", "  ", &frontier, look);
}
