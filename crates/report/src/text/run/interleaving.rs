//! The order of calls, returns, atomic accesses and thread switches in a run.

use omnilink_evidence::{FailingRun, ScheduleEvent, ThreadAccess, ThreadName, ThreadSwitch};

use crate::figures::counted;
use crate::look::{Look, Tone};

/// A run with more accesses than this is shown without those in the middle of long turns.
const ACCESSES_MAX: usize = 40;
/// How many accesses at the beginning and at the end of such a turn are shown.
const TURN_BEGIN: usize = 2;
const TURN_END: usize = 4;

pub(super) fn text(run: &FailingRun, look: &Look) -> String {
    let preemptions = match run.preemptions {
        0 => "no preemption".to_owned(),
        1 => "1 preemption".to_owned(),
        many => format!("{many} preemptions"),
    };
    let stale = match run.stale_reads {
        0 => String::new(),
        many => format!(" and {}", counted(many.into(), "stale read", "stale reads")),
    };
    let mut page = if run.schedule.is_empty() {
        // The operating system scheduled the threads: where they were interrupted is not known.
        "What happened, as far as it was seen:\n".to_owned()
    } else {
        format!("The interleaving, with {preemptions}{stale}:\n")
    };
    let is_long = run.accesses.len() > ACCESSES_MAX;
    let (mut switches, mut accesses) = (run.switches.as_slice(), run.accesses.as_slice());
    let mut between = |page: &mut String, at: usize| {
        loop {
            let (switch, access) = (switches.first(), accesses.first());
            let switch = switch.filter(|switch| switch.after_events <= at);
            let access = access.filter(|access| access.after_events <= at);
            match (switch, access) {
                (Some(switch), access) if access.is_none_or(|access| switch.step <= access.step) => {
                    page.push_str(&switch_text(switch, look));
                    switches = switches.get(1..).unwrap_or_default();
                }
                (switch, Some(_)) => {
                    let until = switch.map_or(usize::MAX, |switch| switch.step);
                    let turn = |access: &&ThreadAccess| access.after_events <= at && access.step < until;
                    let length = accesses.iter().take_while(turn).count();
                    let (turn, rest) = accesses.split_at(length);
                    page.push_str(&turn_text(turn, is_long, look));
                    accesses = rest;
                }
                _ => break,
            }
        }
    };
    for (at, event) in run.events.iter().enumerate() {
        between(&mut page, at);
        let line = match event {
            ScheduleEvent::Call { thread, call } => format!("{} calls {call}", name(thread)),
            ScheduleEvent::Return { thread, call, result } => match result.as_str() {
                "" | "()" => format!("{} comes back from {call}", name(thread)),
                result => format!("{} gets {result} from {call}", name(thread)),
            },
        };
        page.push_str(&format!("  {}\n", look.clean(&line)));
    }
    between(&mut page, usize::MAX);
    folded(&page)
}

/// The lines, with what is repeated shown once: a thread that spins, or threads that take turns in spinning.
fn folded(page: &str) -> String {
    const LINES_MAX: usize = 8;
    const TIMES_MIN: usize = 3;
    let lines: Vec<&str> = page.lines().collect();
    // But for their steps, repeated lines are equal.
    let contents: Vec<&str> = lines
        .iter()
        .map(|line| match line.split_once("step ") {
            Some((_, step)) => step.trim_start_matches(|digit: char| digit.is_ascii_digit()),
            None => line,
        })
        .collect();
    let mut text = String::with_capacity(page.len());
    let mut at = 0;
    while at < lines.len() {
        let repeated = (1..=LINES_MAX).find_map(|length| {
            let rest = contents.get(at..)?;
            let group = rest.get(..length)?;
            let times = rest
                .chunks_exact(length)
                .take_while(|next| *next == group)
                .count();
            (times >= TIMES_MIN).then_some((length, times))
        });
        let (length, times) = repeated.unwrap_or((1, 1));
        for line in lines.get(at..at + length).unwrap_or_default() {
            text.push_str(line);
            text.push('\n');
        }
        if times > 1 {
            let again = match length {
                1 => "the same".to_owned(),
                many => format!("these {many} lines"),
            };
            text.push_str(&format!(
                "    … {again} again, {}\n",
                counted(times as u64 - 1, "time", "times")
            ));
        }
        at += length * times;
    }
    text
}

/// The accesses of one thread without a switch.
fn turn_text(turn: &[ThreadAccess], is_long: bool, look: &Look) -> String {
    let line = |access: &ThreadAccess| {
        let place = access.place.as_deref();
        let variable = access.name.as_deref();
        let variable = variable.map_or(String::new(), |variable| format!(" ({variable})"));
        let place = place.map_or(String::new(), |place| format!(" at {place}{variable}"));
        let text = format!(
            "step {}: {} {}{place}",
            access.step,
            name(&access.thread),
            access.text
        );
        let tone = if access.stale { Tone::Strong } else { Tone::Faint };
        format!("    {}\n", look.paint(tone, &look.clean(&text)))
    };
    if !is_long || turn.len() <= TURN_BEGIN + TURN_END + 1 {
        return turn.iter().map(line).collect();
    }
    let last = turn.len() - TURN_END;
    let (mut page, mut left_out) = (String::new(), 0);
    for (index, access) in turn.iter().enumerate() {
        if access.stale || !(TURN_BEGIN..last).contains(&index) {
            page.push_str(&left_out_text(std::mem::take(&mut left_out), look));
            page.push_str(&line(access));
        } else {
            left_out += 1;
        }
    }
    page
}

fn left_out_text(left_out: u64, look: &Look) -> String {
    match left_out {
        0 => String::new(),
        _ => {
            let text = format!("… {}, all in --json", counted(left_out, "access", "accesses"));
            format!("    {}\n", look.paint(Tone::Faint, &look.clean(&text)))
        }
    }
}

/// Where one thread stops and another continues: what a reader has to look at in the source.
fn switch_text(switch: &ThreadSwitch, look: &Look) -> String {
    let place = switch
        .place
        .as_deref()
        .map_or(String::new(), |place| format!(" at {place}"));
    let (stops, tone) = if switch.preemption {
        ("is interrupted", Tone::Strong)
    } else {
        ("stops", Tone::Faint)
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
