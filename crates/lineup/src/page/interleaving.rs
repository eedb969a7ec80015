//! The order of things in a run: calls, returns, and where threads took turns.

use omnilink_report::{Look, Tone};

use crate::execution::{RunEvent, Switch};
use crate::slot::Lane;
use crate::verdict::Violation;
use crate::words::Words;

pub(super) fn interleaving_text(words: Words<'_>, violation: &Violation, look: &Look) -> String {
    let execution = &violation.execution;
    let preemptions = match execution.preemptions {
        0 => "no preemption".to_owned(),
        1 => "1 preemption".to_owned(),
        many => format!("{many} preemptions"),
    };
    let mut page = match execution.schedule.is_empty() {
        // Nobody decided, and nobody knows where threads were interrupted.
        true => "What happened, as far as it was seen:\n".to_owned(),
        false => format!("The interleaving, with {preemptions}:\n"),
    };
    let mut switches = execution.switches.iter().peekable();
    for (at, event) in execution.events.iter().enumerate() {
        while let Some(switch) = switches.next_if(|switch| switch.after_events <= at) {
            page.push_str(&switch_text(switch, look));
        }
        let line = match event {
            RunEvent::Call(slot) => format!("{} calls {}", name(slot.lane), words.call(*slot)),
            RunEvent::Return(slot, result) => match &**result {
                "" | "()" => format!("{} comes back from {}", name(slot.lane), words.call(*slot)),
                result => format!("{} gets {result} from {}", name(slot.lane), words.call(*slot)),
            },
        };
        page.push_str(&format!("  {}\n", look.clean(&line)));
    }
    for switch in switches {
        page.push_str(&switch_text(switch, look));
    }
    page
}

/// Where one thread stops and another goes on: what a reader has to look at in the source.
fn switch_text(switch: &Switch, look: &Look) -> String {
    let place = switch
        .source_line
        .as_deref()
        .map_or(String::new(), |place| format!(" at {place}"));
    let line = match switch.is_preemption {
        true => format!(
            "{} is interrupted{place}, {} goes on",
            name(switch.from),
            name(switch.to)
        ),
        false => format!("{} stops{place}, {} goes on", name(switch.from), name(switch.to)),
    };
    let tone = if switch.is_preemption {
        Tone::Strong
    } else {
        Tone::Faint
    };
    format!("    {}\n", look.paint(tone, &look.clean(&line)))
}

fn name(lane: Lane) -> String {
    match lane {
        Lane::Initial => "at the beginning, the main thread".to_owned(),
        Lane::Thread(thread) => format!("thread {thread}"),
        Lane::Final => "at the end, the main thread".to_owned(),
    }
}
