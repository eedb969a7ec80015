//! Why nothing explains a history, in words.

use omnilink_engine::{Continuation, Counterexample};
use omnilink_report::{Look, Tone, wrapped};

use crate::slot::{Lane, Slot};
use crate::verdict::{Violation, Why};
use crate::words::Words;

/// Ways to begin an explanation that are worth a reader's time.
const SHOWN: usize = 5;

pub(super) fn reason_text(
    words: Words<'_>,
    violation: &Violation,
    is_specified: bool,
    look: &Look,
) -> String {
    let mut page = String::new();
    match &violation.why {
        Why::Results(counterexample) => {
            let explains = match is_specified {
                true => "Nothing that the specification allows explains",
                false => "No serial run explains",
            };
            let text = format!(
                "{explains} {}. What came back before can be explained, but then:",
                look.clean(&counterexample.op.text)
            );
            page.push_str(&wrapped("", &text, look));
            alternatives(&mut page, words, counterexample, look);
        }
        Why::Crash(slot, counterexample) => {
            let text = format!("No serial run crashes in {}:", words.call(*slot));
            page.push_str(&wrapped("", &text, look));
            alternatives(&mut page, words, counterexample, look);
        }
        Why::CrashAlone(slot, reason) => {
            let how = words.results.text(*reason);
            let text = match violation.is_serial {
                true => format!(
                    "The process dies ({how}) in {} although one call is made after the other: it takes no concurrency.",
                    words.call(*slot)
                ),
                false => format!(
                    "The process dies ({how}) in {}, which no specification allows.",
                    words.call(*slot)
                ),
            };
            page.push_str(&wrapped("", &text, look));
        }
        Why::Stuck(stuck) => {
            for call in stuck {
                let text = format!(
                    "{} of {} is stuck for ever, and no serial run is stuck in it here:",
                    words.call(call.slot),
                    call.slot.lane
                );
                page.push_str(&wrapped("", &text, look));
                alternatives(&mut page, words, &call.counterexample, look);
            }
        }
        Why::Blocked(slots) => {
            let calls: Vec<String> = slots.iter().map(|slot| call_of(words, *slot)).collect();
            let also = if violation.is_serial {
                " in a serial run"
            } else {
                ""
            };
            let text = format!(
                "{} never comes back{also}, and it was said that no call blocks.",
                calls.join(" and ")
            );
            page.push_str(&wrapped("", &text, look));
        }
        Why::Race(race) => {
            let [one, other] = &race.accesses;
            page.push_str(
                "Nothing orders these two accesses to the same memory, and one of them is a write:\n",
            );
            for access in [one, other] {
                page.push_str(&wrapped("  ", &look.clean(&access.to_string()), look));
            }
            let text = "What the compiler and the machine make of that is anything. Make both atomic, or order them: a lock, or \
                        a release that the other thread acquires.";
            page.push_str(&wrapped("", text, look));
        }
        Why::Specification(text) => page.push_str(text),
    }
    for fact in &violation.execution.facts {
        page.push_str(&wrapped("  ", &look.clean(&fact.to_string()), look));
    }
    if !matches!(violation.why, Why::Race(_))
        && let Some(race) = violation.execution.races.iter().find(|race| !race.is_meant)
    {
        let [one, other] = &race.accesses;
        let text = format!("There is a data race in this run: {one}; {other}.");
        page.push_str(&wrapped("", &look.clean(&text), look));
    }
    page
}

fn call_of(words: Words<'_>, slot: Slot) -> String {
    format!("{} of {}", words.call(slot), slot.lane)
}

/// Each way to explain what came before, and what becomes of the calls that could come next.
fn alternatives(page: &mut String, words: Words<'_>, counterexample: &Counterexample, look: &Look) {
    for alternative in counterexample.alternatives.iter().take(SHOWN) {
        page.push_str(&wrapped("  ", &look.clean(&alternative.state), look));
        for candidate in &alternative.candidates {
            let op = look.clean(&candidate.op.text).into_owned();
            let op = match words
                .matrix
                .lanes()
                .find(|lane| omnilink_evidence::ThreadName::Number(lane.number()) == candidate.op.thread)
            {
                Some(Lane::Thread(thread)) => format!("{thread}: {op}"),
                _ => op,
            };
            let line = match &candidate.continuation {
                Continuation::Refused { reason: Some(reason) } => {
                    format!("{}: {}", look.paint(Tone::Bad, &op), look.clean(reason))
                }
                Continuation::Refused { reason: None } => {
                    format!("{}: impossible", look.paint(Tone::Bad, &op))
                }
                Continuation::LeadsTo { .. } => format!("{op}: possible, but leads no further"),
            };
            page.push_str(&wrapped("    ", &line, look));
        }
    }
    let more = counterexample.alternatives_total.saturating_sub(SHOWN as u64);
    if more > 0 {
        page.push_str(&format!("  … and {more} more\n"));
    }
}
