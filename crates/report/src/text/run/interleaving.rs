//! The order of calls, returns and thread switches in a run.

use omnilink_evidence::{FailingRun, ScheduleEvent, ThreadName, ThreadSwitch};

use crate::look::{Look, Tone};

pub(super) fn text(run: &FailingRun, look: &Look) -> String {
    let preemptions = match run.preemptions {
        0 => "no preemption".to_owned(),
        1 => "1 preemption".to_owned(),
        many => format!("{many} preemptions"),
    };
    let mut page = match run.schedule.is_empty() {
        // The operating system scheduled the threads: where they were interrupted is not known.
        true => "What happened, as far as it was seen:\n".to_owned(),
        false => format!("The interleaving, with {preemptions}:\n"),
    };
    let mut switches = run.switches.iter().peekable();
    for (at, event) in run.events.iter().enumerate() {
        while let Some(switch) = switches.next_if(|switch| switch.after_events <= at) {
            page.push_str(&switch_text(switch, look));
        }
        let line = match event {
            ScheduleEvent::Call { thread, call } => format!("{} calls {call}", name(thread)),
            ScheduleEvent::Return { thread, call, result } => match result.as_str() {
                "" | "()" => format!("{} comes back from {call}", name(thread)),
                result => format!("{} gets {result} from {call}", name(thread)),
            },
        };
        page.push_str(&format!("  {}\n", look.clean(&line)));
    }
    for switch in switches {
        page.push_str(&switch_text(switch, look));
    }
    page
}

/// Where one thread stops and another continues: what a reader has to look at in the source.
fn switch_text(switch: &ThreadSwitch, look: &Look) -> String {
    let place = switch
        .place
        .as_deref()
        .map_or(String::new(), |place| format!(" at {place}"));
    let (stops, tone) = match switch.preemption {
        true => ("is interrupted", Tone::Strong),
        false => ("stops", Tone::Faint),
    };
    let line = format!(
        "{} {stops}{place}, {} goes on",
        name(&switch.from),
        name(&switch.to)
    );
    format!("    {}\n", look.paint(tone, &look.clean(&line)))
}

fn name(thread: &ThreadName) -> String {
    match thread {
        ThreadName::Number(thread) => format!("thread {thread}"),
        ThreadName::Name(name) if name == "initially" => "at the beginning, the main thread".to_owned(),
        ThreadName::Name(_) => "at the end, the main thread".to_owned(),
    }
}
