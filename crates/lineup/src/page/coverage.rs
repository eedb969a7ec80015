//! What an answer covers, and what could be tried next.

use omnilink_report::{Look, count, wrapped};
use serde_json::{Value, json};

use super::Subject;
use crate::campaign::Summary;
use crate::scope::{RUST_LIBRARY, Scope};

const MEMORY_MODEL: &str = "sequentially consistent";

/// The largest number of preemptions up to which all runs were made.
pub(crate) fn bound_completed(summary: &Summary) -> Option<u32> {
    let complete = summary.phases.iter();
    let complete = complete.take_while(|phase| phase.bound.is_some() && phase.is_complete);
    complete.filter_map(|phase| phase.bound).max()
}

/// What the answer covers, in words; nothing where the executor sees everything.
pub(crate) fn coverage_text(subject: Subject<'_>, summary: &Summary, look: &Look) -> String {
    let Some(scope) = &summary.scope else {
        return String::new();
    };
    let mut lines = vec![format!(
        "Covered: {}. Threads are switched {}. Memory is {MEMORY_MODEL} in all runs: what weaker orders allow on top \
         of that is not looked at.",
        summary.asked,
        switched(scope)
    )];
    if !scope.uninstrumented.is_empty() {
        lines.push(format!("Not seen into: {}.", scope.uninstrumented.join("; ")));
    }
    if let Some(race) = &summary.suspected {
        let [one, other] = &race.accesses;
        lines.push(format!(
            "A data race is suspected: {one}; {other}. It may be none, if what is not seen into orders the two."
        ));
    }
    let mut page = String::new();
    for line in lines {
        page.push_str(&wrapped("  ", &look.clean(&line), look));
    }
    let next = next_commands(subject, summary);
    if !next.is_empty() {
        page.push_str("  To look further:\n");
        for command in next {
            page.push_str(&format!("    {command}\n"));
        }
    }
    page
}

fn switched(scope: &Scope) -> String {
    match (scope.plain_accesses, scope.races) {
        (true, _) => "at every access".to_owned(),
        (false, true) => format!(
            "at atomic accesses, locks and waits, and at plain accesses that race ({})",
            match scope.racy_accesses {
                0 => "none was seen".to_owned(),
                1 => "1 place".to_owned(),
                many => format!("{} places", count(many as u64)),
            }
        ),
        (false, false) => "at atomic accesses, locks and waits, and not at plain accesses".to_owned(),
    }
}

/// Commands that look further, because of what was seen.
fn next_commands(subject: Subject<'_>, summary: &Summary) -> Vec<String> {
    let Some(scope) = &summary.scope else {
        return Vec::new();
    };
    let mut commands = Vec::new();
    let mut say = |arguments: String| commands.push(format!("{} {arguments}", subject.command));
    if summary.suspected.is_some() && !scope.plain_accesses {
        say("--plain".to_owned());
    }
    if scope.uninstrumented.iter().any(|library| library.contains(".so")) {
        say("--engine native".to_owned());
    }
    if let Some(bound) = bound_completed(summary) {
        say(format!("--preemptions {}", bound + 1));
    }
    commands
}

/// The same for machines.
pub(crate) fn coverage_json(subject: Subject<'_>, summary: &Summary) -> Value {
    let Some(scope) = &summary.scope else {
        return Value::Null;
    };
    let cut: u64 = summary.phases.iter().map(|phase| phase.cut).sum();
    let diverged: u64 = summary.phases.iter().map(|phase| phase.diverged).sum();
    json!({
        "matrices": summary.asked,
        "preemptions": bound_completed(summary),
        "memory_model": MEMORY_MODEL,
        "plain_accesses": match (scope.plain_accesses, scope.races) {
            (true, _) => "all",
            (false, true) => "racing",
            (false, false) => "none",
        },
        "races": scope.races,
        "racing_places": scope.racy_accesses,
        "suspected_race": summary.suspected.as_ref().map(|race| {
            race.accesses.iter().map(ToString::to_string).collect::<Vec<_>>()
        }),
        "not_instrumented": scope.uninstrumented.iter().filter(|library| *library != RUST_LIBRARY).collect::<Vec<_>>(),
        "rust_library_prebuilt": scope.uninstrumented.iter().any(|library| library == RUST_LIBRARY),
        "runs_cut": cut,
        "runs_diverged": diverged,
        "next": next_commands(subject, summary),
    })
}
